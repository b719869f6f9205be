"""A quick guess of who stands better, in hundredths of a piece, for the side to move."""

from yote_fast.core.bitboard cimport Bitboard, EAST, Geometry, SOUTH, popcount, shift
from yote_fast.core.position cimport Position, Ruleset, empty_squares, piece_count

cdef enum:
    PIECE = 100
    IN_HAND = 8             # a piece in hand is safe, and free to come anywhere
    MOBILITY = 4            # an open step
    MY_JUMP = 45            # the side to move can take two pieces at once ...
    THEIR_JUMP = 30         # ... and the other side could, if nothing is done about it
    JUMPS_COUNTED = 2       # more than so many jumps are no better
    TEMPO = 8


cdef inline int count_steps(const Geometry* g, Bitboard pieces, Bitboard empty) noexcept nogil:
    cdef int direction, steps = 0
    for direction in range(EAST, SOUTH + 1):
        steps += popcount(shift(g, 0, 0, pieces, direction) & empty)
    return steps


cdef inline int count_jumps(
    const Ruleset* rules, const Position* p, Bitboard pieces, Bitboard over, Bitboard empty,
) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard jumped
    cdef int direction, jumps = 0
    for direction in range(rules.jump_directions):
        jumped = shift(g, p.rising, p.falling, pieces, direction) & over
        jumps += popcount(shift(g, p.rising, p.falling, jumped, direction) & empty)
    return jumps


cdef inline int evaluate(const Ruleset* rules, const Position* p) noexcept nogil:
    cdef int us = p.turn, them = 1 - us
    cdef Bitboard own = p.pieces[us], enemy = p.pieces[them], empty = empty_squares(rules, p)
    cdef int score = TEMPO
    score += PIECE * (piece_count(p, us) - piece_count(p, them))
    score += IN_HAND * (p.hand[us] - p.hand[them])
    score += MOBILITY * (count_steps(&rules.geometry, own, empty) - count_steps(&rules.geometry, enemy, empty))
    score += MY_JUMP * min(JUMPS_COUNTED, count_jumps(rules, p, own, enemy, empty))
    score -= THEIR_JUMP * min(JUMPS_COUNTED, count_jumps(rules, p, enemy, own, empty))
    return score
