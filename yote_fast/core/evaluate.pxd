"""A quick guess of who stands better, in hundredths of a piece, for the side to move.

Yoté and its near variants are judged by a network (``network.pxd``). For all other rules the guess is linear: features of the
position, each times a weight that depends on the phase of the game. A feature that both sides have counts as ours minus theirs. The
weights are fitted to the results of games, by ``bench/fit_evaluation.py``, which writes them.
"""

from libc.stdlib cimport abs
from libc.string cimport memset

from yote_fast.core.bitboard cimport (
    EAST, NORTH, NORTH_EAST, SOUTH, Bitboard, Geometry, east, north, popcount, south, west,
)
from yote_fast.core.network cimport network_score
from yote_fast.core.position cimport Position, Ruleset, empty_squares, piece_count
from yote_fast.core.tactics cimport Neighbours, neighbours

cdef enum:
    PHASES = 3              # by the pieces of both sides on board and in hand
    LATE_PHASE = 8          # at most so many: the last phase
    MIDDLE_PHASE = 16

# Features.
cdef enum:
    LEAD                    # our lead in pieces, board and hand, in hundredths of all pieces: it weighs more the fewer there are
    IN_HAND
    STEPS                   # open steps of the pieces on the board
    OUR_JUMP                # we can jump ...
    OUR_SECOND_JUMP         # ... in two ways
    THEIR_JUMP              # they could, were it their turn
    THEIR_SECOND_JUMP
    ON_EDGE                 # pieces that can be jumped along the edge only
    IN_CORNER               # pieces that cannot be jumped
    TOGETHER                # pairs of neighbouring pieces
    DANGERS                 # empty squares where a piece would be jumped
    ATTACKS                 # empty squares that a piece would jump from
    SHELTERED               # pieces that no enemy could reach to jump: both of their rows are closed by a piece or the edge
    TO_DROP                 # we are obliged to drop
    CLOSENESS               # minus the steps from each piece of the leading side to the nearest enemy, but for the first phase
    TEMPO                   # it is our turn
    FEATURES

cdef extern from "weights.h" nogil:
    const int WEIGHTS[3][16]

# What features of a side are made of.
cdef struct SideSquares:
    int steps
    int jumps
    int pairs
    Bitboard dangers
    Bitboard attacks
    Bitboard open_lines     # pieces that stand between two squares neither of which is the edge or of their own side


cdef inline void look_along(
    Bitboard own, Bitboard enemy, Bitboard empty, Neighbours of_own, Neighbours of_enemy, Neighbours of_empty,
    Bitboard two_before, Bitboard two_behind, SideSquares* ours, SideSquares* theirs,
) noexcept nogil:
    """Add what there is along the rows of a direction, looking both ways.

    ``two_before`` are the squares that have an empty one before their neighbour before, ``two_behind`` likewise.
    """
    # Squares that an enemy, or a piece of ours, could jump over if a piece stood there.
    cdef Bitboard to_enemy = of_enemy.behind & of_empty.before | of_enemy.before & of_empty.behind
    cdef Bitboard to_own = of_own.behind & of_empty.before | of_own.before & of_empty.behind
    cdef Bitboard open_both = of_empty.before & of_empty.behind
    ours.pairs += popcount(own & of_own.before)
    theirs.pairs += popcount(enemy & of_enemy.before)
    ours.jumps += popcount(enemy & to_own)
    theirs.jumps += popcount(own & to_enemy)
    ours.dangers |= empty & to_enemy
    theirs.dangers |= empty & to_own
    ours.attacks |= empty & (of_enemy.before & two_before | of_enemy.behind & two_behind)
    theirs.attacks |= empty & (of_own.before & two_before | of_own.behind & two_behind)
    ours.open_lines |= own & (open_both | to_enemy)
    theirs.open_lines |= enemy & (open_both | to_own)


cdef inline void look_both_ways(
    const Ruleset* rules, const Position* p, Bitboard own, Bitboard enemy, int direction, SideSquares* ours, SideSquares* theirs,
) noexcept nogil:
    cdef Bitboard empty = empty_squares(rules, p)
    cdef Neighbours of_own = neighbours(rules, p, own, direction), of_enemy = neighbours(rules, p, enemy, direction)
    cdef Neighbours of_empty = neighbours(rules, p, empty, direction)
    look_along(
        own, enemy, empty, of_own, of_enemy, of_empty, neighbours(rules, p, of_empty.before, direction).before,
        neighbours(rules, p, of_empty.behind, direction).behind, ours, theirs,
    )
    if direction <= SOUTH:
        ours.steps += popcount(empty & of_own.before) + popcount(empty & of_own.behind)
        theirs.steps += popcount(empty & of_enemy.before) + popcount(empty & of_enemy.behind)


cdef inline int phase_of(const Position* p) noexcept nogil:
    cdef int pieces = piece_count(p, 0) + piece_count(p, 1)
    return 0 if pieces > MIDDLE_PHASE else 1 if pieces > LATE_PHASE else 2


cdef inline int steps_to_enemy(const Geometry* g, Bitboard pieces, Bitboard enemy) noexcept nogil:
    """The steps that separate each of the pieces from the nearest enemy, all together."""
    cdef Bitboard near = enemy
    cdef int steps = 0
    if enemy == 0:
        return 0
    while True:
        near |= east(g, near) | west(g, near) | north(g, near) | south(g, near)
        pieces &= ~near
        if pieces == 0:
            return steps
        steps += popcount(pieces)


cdef inline void write_features(const Ruleset* rules, const Position* p, int* f) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef int us = p.turn, them = 1 - us, own_pieces = piece_count(p, us), enemy_pieces = piece_count(p, them)
    cdef int lead = own_pieces - enemy_pieces
    cdef Bitboard own = p.pieces[us], enemy = p.pieces[them]
    cdef SideSquares ours, theirs
    cdef int direction
    memset(&ours, 0, sizeof(ours))
    memset(&theirs, 0, sizeof(theirs))
    look_both_ways(rules, p, own, enemy, EAST, &ours, &theirs)
    look_both_ways(rules, p, own, enemy, NORTH, &ours, &theirs)
    for direction in range(NORTH_EAST, rules.jump_directions, 2):
        look_both_ways(rules, p, own, enemy, direction, &ours, &theirs)
    f[LEAD] = 100 * abs(lead) // (own_pieces + enemy_pieces)
    if lead < 0:
        f[LEAD] = -f[LEAD]
    f[IN_HAND] = p.hand[us] + p.royal_in_hand[us] - p.hand[them] - p.royal_in_hand[them]
    f[STEPS] = ours.steps - theirs.steps
    f[OUR_JUMP] = ours.jumps > 0
    f[OUR_SECOND_JUMP] = ours.jumps > 1
    f[THEIR_JUMP] = theirs.jumps > 0
    f[THEIR_SECOND_JUMP] = theirs.jumps > 1
    f[ON_EDGE] = popcount(own & g.edge) - popcount(enemy & g.edge)
    f[IN_CORNER] = popcount(own & g.corners) - popcount(enemy & g.corners)
    f[TOGETHER] = ours.pairs - theirs.pairs
    f[DANGERS] = popcount(ours.dangers) - popcount(theirs.dangers)
    f[ATTACKS] = popcount(ours.attacks) - popcount(theirs.attacks)
    f[SHELTERED] = popcount(own & ~ours.open_lines) - popcount(enemy & ~theirs.open_lines)
    f[TO_DROP] = p.must_drop and (p.hand[us] or p.royal_in_hand[us])
    f[CLOSENESS] = 0
    if lead and phase_of(p):
        f[CLOSENESS] = steps_to_enemy(g, enemy, own) if lead < 0 else -steps_to_enemy(g, own, enemy)
    f[TEMPO] = 1


cdef inline int weighted_sum(const Ruleset* rules, const Position* p) noexcept nogil:
    cdef int features[FEATURES]
    cdef const int* weights = WEIGHTS[phase_of(p)]
    cdef int i, score = 0
    write_features(rules, p, features)
    for i in range(FEATURES):
        score += weights[i] * features[i]
    return score


cdef inline int evaluate(const Ruleset* rules, const Position* p) noexcept nogil:
    if rules.network != NULL:
        return network_score(rules.network, p.pieces[p.turn], p.pieces[1 - p.turn], p.hand[p.turn], p.hand[1 - p.turn])
    return weighted_sum(rules, p)
