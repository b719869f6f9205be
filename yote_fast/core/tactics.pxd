"""Squares that matter for jumps, found for the whole board at once.

An attacker A jumps a piece P where A, P and an empty square lie in a row. So for each direction of the row:

* a piece of the side to move is *threatened* where an enemy stands before it and an empty square lies behind it;
* an empty square is a *danger* where a piece would be threatened;
* an empty square *blocks* a threat where the jump over the threatened piece would land;
* an empty square *attacks* where an enemy stands next to it with an empty square behind.
"""

from yote_fast.core.bitboard cimport Bitboard, EAST, Geometry, NORTH, NORTH_EAST, shift
from yote_fast.core.position cimport Position, Ruleset, empty_squares

cdef struct Tactics:
    Bitboard threatened
    Bitboard dangers
    Bitboard blocks
    Bitboard attacks


cdef inline void find_along(const Ruleset* rules, const Position* p, int direction, Tactics* found) noexcept nogil:
    """Add what there is along the rows of a direction, looking both ways."""
    cdef const Geometry* g = &rules.geometry
    cdef int back = direction ^ 1
    cdef Bitboard own = p.pieces[p.turn], enemy = p.pieces[1 - p.turn], empty = empty_squares(rules, p)
    cdef Bitboard empty_before = shift(g, p.rising, p.falling, empty, back)
    cdef Bitboard empty_behind = shift(g, p.rising, p.falling, empty, direction)
    # Squares that an enemy could jump over, one that comes from behind, and one that comes from before.
    cdef Bitboard from_behind = shift(g, p.rising, p.falling, enemy, direction) & empty_before
    cdef Bitboard from_before = shift(g, p.rising, p.falling, enemy, back) & empty_behind
    found.threatened |= own & (from_behind | from_before)
    found.dangers |= empty & (from_behind | from_before)
    found.blocks |= (
        shift(g, p.rising, p.falling, own & from_behind, direction) | shift(g, p.rising, p.falling, own & from_before, back)
    )
    found.attacks |= empty & (
        shift(g, p.rising, p.falling, enemy & empty_before, back) | shift(g, p.rising, p.falling, enemy & empty_behind, direction)
    )


cdef inline Tactics find_tactics(const Ruleset* rules, const Position* p) noexcept nogil:
    cdef Tactics found
    cdef int direction
    found.threatened = found.dangers = found.blocks = found.attacks = 0
    find_along(rules, p, EAST, &found)
    find_along(rules, p, NORTH, &found)
    for direction in range(NORTH_EAST, rules.jump_directions, 2):
        find_along(rules, p, direction, &found)
    return found
