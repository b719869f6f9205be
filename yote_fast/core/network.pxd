"""A small neural network that judges positions of Yoté, for the side to move, in hundredths of a piece.

Sixteen patterns each look at the board from four sides: as it is, reflected left and right, up and down, and both. A pattern has a
weight for an own and for an enemy piece on each square, and for each number of own and enemy pieces in hand. How far it is there,
seen from a side, is the sum of these weights, but not below 0 nor above ``ONE``. How far it is there from all sides together, times
a weight that depends on the phase of the game, goes into the score. So reflected positions have the same score.

The weights are unfolded into a row for each thing that can be on the board or in hand; those of what is there are added up::

      0             16             32             48             63
      | patterns    | patterns     | patterns     | patterns     |     64 x 16 bits
        as it is      left, right    up, down       both

``bench/fit_network.py`` trains it on plain Yoté and writes the weights.
"""

from libc.stdint cimport int16_t, int32_t
from libc.string cimport memset

from yote_fast.core.bitboard cimport Bitboard, lowest, popcount
from yote_fast.core.lanes cimport Lanes, lanes_add, lanes_clip, lanes_dot

cdef enum:
    NETWORK_ROWS = 5
    NETWORK_COLS = 6
    NETWORK_PIECES = 12
    PATTERNS = 16
    VIEWS = 4
    NETWORK_PHASES = 6      # by the pieces of both sides on board and in hand, four each
    ONE = 255
    SCORE_BITS = 7          # binary places of the weighted sum

cdef extern from "network_weights.h" nogil:
    const int16_t NETWORK_SQUARE[2][30][16]
    const int16_t NETWORK_HAND[2][13][16]
    const int16_t NETWORK_BIAS[16]
    const int16_t NETWORK_OUTPUT[6][16]
    const int32_t NETWORK_OUTPUT_BIAS[6]

# The unfolded weights. Sides are the side to move, then the other.
cdef struct Network:
    int16_t square[2][30][64]
    int16_t hand[2][13][64]     # that of the side to move with the bias


cdef inline void unfold_network(Network* n) noexcept:
    cdef int side, view, row, col, i, pattern
    for side in range(2):
        for view in range(VIEWS):
            for pattern in range(PATTERNS):
                for row in range(NETWORK_ROWS):
                    for col in range(NETWORK_COLS):
                        i = (NETWORK_ROWS - 1 - row if view & 2 else row) * NETWORK_COLS
                        i += NETWORK_COLS - 1 - col if view & 1 else col
                        n.square[side][row * NETWORK_COLS + col][view * PATTERNS + pattern] = NETWORK_SQUARE[side][i][pattern]
                for i in range(NETWORK_PIECES + 1):
                    n.hand[side][i][view * PATTERNS + pattern] = (
                        NETWORK_HAND[side][i][pattern] + (NETWORK_BIAS[pattern] if side == 0 else 0)
                    )


cdef inline void add_row(Lanes* views, const int16_t* row) noexcept nogil:
    lanes_add(&views[0], row)
    lanes_add(&views[1], row + PATTERNS)
    lanes_add(&views[2], row + 2 * PATTERNS)
    lanes_add(&views[3], row + 3 * PATTERNS)


cdef inline int network_score(const Network* n, Bitboard own, Bitboard enemy, int own_hand, int enemy_hand) noexcept nogil:
    cdef int pieces = popcount(own) + popcount(enemy) + own_hand + enemy_hand
    cdef int view, phase = max(pieces - 1, 0) * NETWORK_PHASES // (2 * NETWORK_PIECES)
    cdef Lanes[VIEWS] views
    memset(views, 0, sizeof(views))
    add_row(views, n.hand[0][own_hand])
    add_row(views, n.hand[1][enemy_hand])
    while own:
        add_row(views, n.square[0][lowest(own)])
        own &= own - 1
    while enemy:
        add_row(views, n.square[1][lowest(enemy)])
        enemy &= enemy - 1
    for view in range(VIEWS):
        lanes_clip(&views[view], ONE)
    for view in range(1, VIEWS):
        lanes_add(&views[0], <const int16_t*>&views[view])
    return (lanes_dot(&views[0], NETWORK_OUTPUT[phase]) + NETWORK_OUTPUT_BIAS[phase]) >> SCORE_BITS
