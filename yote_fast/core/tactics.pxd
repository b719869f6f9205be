"""Squares that matter for jumps, found for the whole board at once.

An attacker A jumps a piece P where A, P and an empty square lie in a row. So for each direction of the row:

* a piece of the side to move is *threatened* where an enemy stands before it and an empty square lies behind it;
* an empty square is a *danger* where a piece would be threatened;
* an empty square *blocks* a threat where the jump over the threatened piece would land;
* an empty square *attacks* where an enemy stands next to it with an empty square behind.
"""

from yote_fast.core.bitboard cimport Bitboard, Geometry, shift
from yote_fast.core.position cimport Position, Ruleset, empty_squares

cdef struct Tactics:
    Bitboard threatened
    Bitboard dangers
    Bitboard blocks
    Bitboard attacks


cdef inline Tactics find_tactics(const Ruleset* rules, const Position* p) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard own = p.pieces[p.turn], enemy = p.pieces[1 - p.turn], empty = empty_squares(rules, p)
    cdef Bitboard before, behind, jumped
    cdef Tactics found
    cdef int direction
    found.threatened = found.dangers = found.blocks = found.attacks = 0
    for direction in range(rules.jump_directions):
        before = shift(g, p.rising, p.falling, enemy, direction)
        # Opposite directions are neighbours: the squares with an empty one ahead.
        behind = shift(g, p.rising, p.falling, empty, direction ^ 1)
        jumped = before & behind & own
        found.threatened |= jumped
        found.dangers |= before & behind & empty
        found.blocks |= shift(g, p.rising, p.falling, jumped, direction)
        found.attacks |= shift(g, p.rising, p.falling, enemy & behind, direction ^ 1) & empty
    return found
