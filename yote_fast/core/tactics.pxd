"""Squares that matter for jumps, found for the whole board at once.

An attacker A jumps a piece P where A, P and an empty square lie in a row. So for each direction of the row:

* a piece of the side to move is *threatened* where an enemy stands before it and an empty square lies behind it;
* an empty square is a *danger* where a piece would be threatened;
* an empty square *blocks* a threat where the jump over the threatened piece would land;
* an empty square *attacks* where an enemy stands next to it with an empty square behind.
"""

from yote_fast.core.bitboard cimport Bitboard, EAST, NORTH, NORTH_EAST, popcount, shift
from yote_fast.core.position cimport Position, Ruleset, empty_squares

cdef struct Tactics:
    Bitboard threatened
    Bitboard dangers
    Bitboard blocks
    Bitboard attacks


# The neighbours of some squares along the rows of a direction, seen in that direction.
cdef struct Neighbours:
    Bitboard before         # squares that have one of them before themselves
    Bitboard behind         # squares that have one of them behind themselves


cdef inline Neighbours neighbours(const Ruleset* rules, const Position* p, Bitboard x, int direction) noexcept nogil:
    cdef Neighbours found
    found.before = shift(&rules.geometry, p.rising, p.falling, x, direction ^ 1)
    found.behind = shift(&rules.geometry, p.rising, p.falling, x, direction)
    return found


cdef inline Bitboard jumpable(
    const Ruleset* rules, const Position* p, Bitboard jumpers, Bitboard empty, int direction,
) noexcept nogil:
    """Squares where a piece would be jumped by one of some pieces, along the rows of a direction, either way."""
    cdef Neighbours of_jumpers = neighbours(rules, p, jumpers, direction), of_empty = neighbours(rules, p, empty, direction)
    return of_jumpers.behind & of_empty.before | of_jumpers.before & of_empty.behind


cdef inline bint is_threatened(const Ruleset* rules, const Position* p) noexcept nogil:
    """Whether the other side could jump, were it its turn."""
    cdef Bitboard enemy = p.pieces[1 - p.turn], empty = empty_squares(rules, p)
    cdef Bitboard found = jumpable(rules, p, enemy, empty, EAST) | jumpable(rules, p, enemy, empty, NORTH)
    cdef int direction
    for direction in range(NORTH_EAST, rules.jump_directions, 2):
        found |= jumpable(rules, p, enemy, empty, direction)
    return found & p.pieces[p.turn] != 0


cdef inline int jumps_along(
    const Ruleset* rules, const Position* p, Bitboard own, Bitboard enemy, int direction,
) noexcept nogil:
    cdef Bitboard empty = rules.geometry.all & ~(own | enemy)
    # A piece can be jumped only one of the two ways: the square behind it is either empty or not.
    return (
        10 * popcount(enemy & jumpable(rules, p, own, empty, direction))
        - 30 * popcount(own & jumpable(rules, p, enemy, empty, direction))
    )


cdef inline int jump_balance(const Ruleset* rules, const Position* p, Bitboard own, Bitboard enemy) noexcept nogil:
    """The jumps that both sides would have with these pieces: ten for each of our own, less thirty for each of the enemy's."""
    cdef int direction, balance = jumps_along(rules, p, own, enemy, EAST) + jumps_along(rules, p, own, enemy, NORTH)
    for direction in range(NORTH_EAST, rules.jump_directions, 2):
        balance += jumps_along(rules, p, own, enemy, direction)
    return balance


cdef inline void find_along(const Ruleset* rules, const Position* p, int direction, Tactics* found) noexcept nogil:
    """Add what there is along the rows of a direction, looking both ways."""
    cdef Bitboard own = p.pieces[p.turn], enemy = p.pieces[1 - p.turn], empty = empty_squares(rules, p)
    cdef Neighbours of_enemy = neighbours(rules, p, enemy, direction), of_empty = neighbours(rules, p, empty, direction)
    # Squares that an enemy could jump over, one that comes from behind, and one that comes from before.
    cdef Bitboard from_behind = of_enemy.behind & of_empty.before
    cdef Bitboard from_before = of_enemy.before & of_empty.behind
    found.threatened |= own & (from_behind | from_before)
    found.dangers |= empty & (from_behind | from_before)
    found.blocks |= (
        neighbours(rules, p, own & from_behind, direction).behind | neighbours(rules, p, own & from_before, direction).before
    )
    found.attacks |= empty & (
        neighbours(rules, p, enemy & of_empty.before, direction).before
        | neighbours(rules, p, enemy & of_empty.behind, direction).behind
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
