"""A position, the rules it is played by, and its key.

Sides are indices: 0 is black, 1 is white (so ``turn`` is also ``yote_fast.WHITE`` or ``BLACK``).
"""

from libc.stdint cimport uint8_t, uint64_t

from yote_fast.core.bitboard cimport Bitboard, Geometry, MAX_SQUARES, bit, lowest, popcount
from yote_fast.core.network cimport Network

cdef enum:
    MAX_PIECES = 20
    MAX_SUPPLY = 4

# Values of second_removal.
cdef enum:
    BOARD_THEN_HAND, BOARD, BOARD_OR_HAND

# Values of no_moves.
cdef enum:
    MOST_PIECES, LOSES, PASSES

# Stages of a turn. Only route games know the last two.
cdef enum:
    BEFORE_MAIN, AFTER_MAIN, BONUS_MOVE

# Random numbers for the incremental key (Zobrist 1970); a position's key is the exclusive or of those of its parts. Behind those of
# squares stands a zero, for `squares_key`.
cdef struct Zobrist:
    uint64_t piece[2][MAX_SQUARES + 1]
    uint64_t royal[MAX_SQUARES + 1]         # added to `piece`
    uint64_t rising[MAX_SQUARES + 1]
    uint64_t falling[MAX_SQUARES + 1]
    uint64_t hand[2][MAX_PIECES + 1]
    uint64_t royal_in_hand[2]
    uint64_t supply[2][MAX_SUPPLY + 1]
    uint64_t turn[2][2]                     # by the side to move, and whether it must drop
    uint64_t placed
    uint64_t moved
    uint64_t actor[2][MAX_SQUARES]          # by stage - AFTER_MAIN

cdef struct Ruleset:
    Geometry geometry
    int pieces
    int second_removal
    bint optional_removal
    bint draw_at_three
    int no_moves
    bint mandatory_capture
    bint chain_capture
    bint removal_each
    bint bonus_turn
    bint friendly_leap
    bint drop_initiative
    bint royal_caravan
    int trade_routes
    int jump_directions                     # 4, or 8 where routes can lie
    const Network* network                  # for rules that play like Yoté; else NULL
    Zobrist zobrist

cdef struct Position:
    uint64_t key
    Bitboard pieces[2]                      # all of a side's pieces on the board
    Bitboard royals                         # the royals among them, of both sides
    Bitboard rising                         # routes, by the lower left square of their block
    Bitboard falling
    uint8_t hand[2]                         # camels
    uint8_t royal_in_hand[2]
    uint8_t supply[2]
    uint8_t turn
    uint8_t must_drop
    uint8_t stage
    uint8_t placed
    uint8_t moved
    uint8_t actor                           # square of the piece that did the main action; 0 in BEFORE_MAIN


cdef inline Bitboard empty_squares(const Ruleset* rules, const Position* p) noexcept nogil:
    return rules.geometry.all & ~(p.pieces[0] | p.pieces[1])


cdef inline int piece_count(const Position* p, int side) noexcept nogil:
    """Board and hand, royal included."""
    return popcount(p.pieces[side]) + p.hand[side] + p.royal_in_hand[side]


cdef inline bint is_decided(const Ruleset* rules, const Position* p) noexcept nogil:
    """Whether the number of pieces has ended the game."""
    cdef int black = piece_count(p, 0), white = piece_count(p, 1)
    return black == 0 or white == 0 or (rules.draw_at_three and black <= 3 and white <= 3)


cdef inline uint64_t state_key(const Ruleset* rules, const Position* p) noexcept nogil:
    """The part of the key that is not on the board."""
    cdef const Zobrist* z = &rules.zobrist
    cdef uint64_t key = z.hand[0][p.hand[0]] ^ z.hand[1][p.hand[1]] ^ z.turn[p.turn][p.must_drop]
    if rules.royal_caravan:
        if p.royal_in_hand[0]:
            key ^= z.royal_in_hand[0]
        if p.royal_in_hand[1]:
            key ^= z.royal_in_hand[1]
    if rules.trade_routes:
        key ^= z.supply[0][p.supply[0]] ^ z.supply[1][p.supply[1]]
        if p.placed:
            key ^= z.placed
        if p.moved:
            key ^= z.moved
        if p.stage != BEFORE_MAIN:
            key ^= z.actor[<int>p.stage - 1][p.actor]
    return key


cdef inline uint64_t squares_key(const uint64_t* keys, Bitboard squares) noexcept nogil:
    """The part of the key of some squares. The first two need no branch, and an action seldom changes more."""
    cdef Bitboard none = bit(MAX_SQUARES)
    cdef uint64_t key = keys[lowest(squares | none)]
    squares &= squares - 1
    key ^= keys[lowest(squares | none)]
    squares &= squares - 1
    while squares:
        key ^= keys[lowest(squares)]
        squares &= squares - 1
    return key


cdef inline uint64_t fresh_key(const Ruleset* rules, const Position* p) noexcept nogil:
    """The key from nothing; `play` keeps it up to date."""
    cdef const Zobrist* z = &rules.zobrist
    return (
        state_key(rules, p)
        ^ squares_key(z.piece[0], p.pieces[0]) ^ squares_key(z.piece[1], p.pieces[1]) ^ squares_key(z.royal, p.royals)
        ^ squares_key(z.rising, p.rising) ^ squares_key(z.falling, p.falling)
    )


cdef inline bint same_position(const Position* p, const Position* q) noexcept nogil:
    """Whether two positions of the same rules are equal. The key alone could collide."""
    return (
        p.key == q.key and p.pieces[0] == q.pieces[0] and p.pieces[1] == q.pieces[1] and p.royals == q.royals
        and p.rising == q.rising and p.falling == q.falling and p.hand[0] == q.hand[0] and p.hand[1] == q.hand[1]
        and p.royal_in_hand[0] == q.royal_in_hand[0] and p.royal_in_hand[1] == q.royal_in_hand[1]
        and p.supply[0] == q.supply[0] and p.supply[1] == q.supply[1] and p.turn == q.turn and p.must_drop == q.must_drop
        and p.stage == q.stage and p.placed == q.placed and p.moved == q.moved and p.actor == q.actor
    )
