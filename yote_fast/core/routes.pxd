"""Jumps, moves along trade routes, and whether a turn has optional actions left."""

from yote_fast.core.bitboard cimport (
    Bitboard, Geometry, NORTH_EAST, SOUTH_EAST, bit, shift,
)
from yote_fast.core.position cimport AFTER_MAIN, Position, Ruleset, empty_squares


cdef inline Bitboard route_neighbours(const Ruleset* rules, const Position* p, Bitboard x) noexcept nogil:
    cdef Bitboard result = 0
    cdef int direction
    for direction in range(NORTH_EAST, SOUTH_EAST + 1):
        result |= shift(&rules.geometry, p.rising, p.falling, x, direction)
    return result


cdef inline Bitboard reachable(const Ruleset* rules, const Position* p, int square) noexcept nogil:
    """The squares that a free move from a square can end on."""
    cdef Bitboard empty = empty_squares(rules, p), reached = 0, frontier = bit(square)
    while frontier:
        frontier = route_neighbours(rules, p, frontier) & empty & ~reached
        reached |= frontier
    return reached


cdef inline bint can_move_freely(const Ruleset* rules, const Position* p, Bitboard pieces) noexcept nogil:
    return (route_neighbours(rules, p, pieces) & empty_squares(rules, p)) != 0


cdef inline Bitboard jump_targets(
    const Ruleset* rules, const Position* p, Bitboard pieces, Bitboard over, int direction,
) noexcept nogil:
    """Where jumps in a direction over some of the squares ``over`` land."""
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard jumped = shift(g, p.rising, p.falling, pieces, direction) & over
    return shift(g, p.rising, p.falling, jumped, direction) & empty_squares(rules, p)


cdef inline bint has_bonus_move(const Ruleset* rules, const Position* p) noexcept nogil:
    cdef Bitboard actor = bit(p.actor)
    cdef int direction
    if can_move_freely(rules, p, actor):
        return True
    for direction in range(NORTH_EAST, SOUTH_EAST + 1):
        if jump_targets(rules, p, actor, p.pieces[1 - p.turn], direction):
            return True
    return False


cdef inline Bitboard open_blocks(const Ruleset* rules, const Position* p) noexcept nogil:
    """The blocks that a route can be placed in: routes may not cross, so each holds at most one."""
    return rules.geometry.blocks & ~(p.rising | p.falling)


cdef inline bint can_place(const Ruleset* rules, const Position* p) noexcept nogil:
    return p.supply[p.turn] > 0 and open_blocks(rules, p) != 0


cdef inline bint has_optional_action(const Ruleset* rules, const Position* p) noexcept nogil:
    """Whether a turn whose main action is done can go on with more than ``--``."""
    if p.stage == AFTER_MAIN:
        if not p.placed and can_place(rules, p):
            return True
        return not p.moved and can_move_freely(rules, p, p.pieces[p.turn])
    return has_bonus_move(rules, p)
