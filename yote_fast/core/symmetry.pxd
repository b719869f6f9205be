"""Positions that are the same but for names: turned boards, and exchanged colours.

The rules know neither a first row nor a colour, so turning a board over, or exchanging the colours together with the side to move,
carries the actions of a position to those of another, one to one. Such positions have the same value for the side to move. Of each
class one stands for all, its *canonical* position: white is to move, and of the turned boards it is the smallest (compared as
numbers: the mover's set, the enemy's, then the rest).
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from yote_fast.core.bitboard cimport Bitboard, MAX_SQUARES, bit, lowest
from yote_fast.core.position cimport BEFORE_MAIN, Position, Ruleset

cdef enum:
    MAX_TURNS = 8
    BOARD_BYTES = 5         # of 8 squares each

# The turns of a board: 4, or 8 where it is square; the first is the identity. A set is turned byte by byte: all turns of a byte
# share a cache line.
cdef struct BoardTurns:
    int count
    int bytes
    uint8_t inverse[MAX_TURNS]
    uint8_t compose[MAX_TURNS][MAX_TURNS]   # [a][b]: first b, then a
    bint swaps[MAX_TURNS]                   # whether rising routes become falling ones
    uint8_t square[MAX_TURNS][MAX_SQUARES]
    Bitboard squares[BOARD_BYTES][256][MAX_TURNS]
    Bitboard blocks[BOARD_BYTES][256][MAX_TURNS]    # blocks are known by their lower left squares


cdef inline void fill_table(Bitboard domain, const int* to, int turn, Bitboard (*table)[256][MAX_TURNS]) noexcept nogil:
    """For each byte of a set, where a turn brings its squares."""
    cdef Bitboard squares
    cdef int place, value
    for place in range(BOARD_BYTES):
        for value in range(256):
            squares = (<Bitboard>value << (8 * place)) & domain
            while squares:
                table[place][value][turn] |= bit(to[lowest(squares)])
                squares &= squares - 1


cdef inline void fill_turn(const Ruleset* rules, BoardTurns* s, int turn) noexcept nogil:
    """Bit 0 of a turn mirrors the columns, bit 1 the rows, bit 2 then exchanges rows and columns."""
    cdef int rows = rules.geometry.rows, cols = rules.geometry.cols, square, row, col
    cdef int to[MAX_SQUARES]
    cdef int block_to[MAX_SQUARES]
    s.swaps[turn] = (turn & 1) ^ ((turn >> 1) & 1)
    for square in range(rows * cols):
        row, col = square // cols, square % cols
        if turn & 1:
            col = cols - 1 - col
        if turn & 2:
            row = rows - 1 - row
        if turn & 4:
            row, col = col, row
        to[square] = row * cols + col
        s.square[turn][square] = to[square]
        # The corner of the block that becomes its lower left one is its lower left one, moved by a square for each mirror.
        row, col = square // cols, square % cols
        if turn & 1:
            col = cols - 2 - col
        if turn & 2:
            row = rows - 2 - row
        if turn & 4:
            row, col = col, row
        block_to[square] = row * cols + col
    fill_table(rules.geometry.all, to, turn, s.squares)
    fill_table(rules.geometry.blocks, block_to, turn, s.blocks)


cdef inline void fill_board_turns(const Ruleset* rules, BoardTurns* s) noexcept nogil:
    cdef int a, b, c, corner = rules.geometry.cols - 1
    memset(s, 0, sizeof(BoardTurns))
    s.count = 8 if rules.geometry.rows == rules.geometry.cols else 4
    s.bytes = (rules.geometry.squares + 7) // 8
    for a in range(s.count):
        fill_turn(rules, s, a)
    for a in range(s.count):
        for b in range(s.count):
            # A turn is known by where it brings a1 and the corner right of it.
            for c in range(s.count):
                if (
                    s.square[c][0] == s.square[a][s.square[b][0]]
                    and s.square[c][corner] == s.square[a][s.square[b][corner]]
                ):
                    s.compose[a][b] = c
            if s.compose[a][b] == 0:
                s.inverse[b] = a


cdef inline Bitboard turned(
    const BoardTurns* s, const Bitboard (*table)[256][MAX_TURNS], int turn, Bitboard squares,
) noexcept nogil:
    cdef Bitboard result = 0
    cdef int place
    for place in range(s.bytes):
        result |= table[place][(squares >> (8 * place)) & 255][turn]
    return result


cdef inline Bitboard turn_squares(const BoardTurns* s, int turn, Bitboard squares) noexcept nogil:
    return turned(s, s.squares, turn, squares)


cdef inline void turn_all_ways(const BoardTurns* s, Bitboard squares, Bitboard* images) noexcept nogil:
    cdef const Bitboard* line = s.squares[0][squares & 255]
    cdef int place, turn
    for turn in range(MAX_TURNS):
        images[turn] = line[turn]
    for place in range(1, s.bytes):
        line = s.squares[place][(squares >> (8 * place)) & 255]
        for turn in range(MAX_TURNS):
            images[turn] |= line[turn]


cdef inline void turn_rest(const BoardTurns* s, int turn, const Position* p, Position* q) noexcept nogil:
    """Turn all that lies on the board but the two sides' sets."""
    cdef Bitboard rising = p.rising, falling = p.falling
    if s.swaps[turn]:
        rising, falling = falling, rising
    q.royals = turn_squares(s, turn, p.royals) if p.royals else 0
    q.rising = turned(s, s.blocks, turn, rising) if rising else 0
    q.falling = turned(s, s.blocks, turn, falling) if falling else 0
    q.actor = 0 if p.stage == BEFORE_MAIN else s.square[turn][p.actor]


cdef inline bint rest_is_less(const Position* p, const Position* q) noexcept nogil:
    if p.royals != q.royals:
        return p.royals < q.royals
    if p.rising != q.rising:
        return p.rising < q.rising
    if p.falling != q.falling:
        return p.falling < q.falling
    return p.actor < q.actor


cdef inline void exchange_colours(Position* p) noexcept nogil:
    """The same position with white and black exchanged; the key is left behind."""
    p.pieces[0], p.pieces[1] = p.pieces[1], p.pieces[0]
    p.hand[0], p.hand[1] = p.hand[1], p.hand[0]
    p.royal_in_hand[0], p.royal_in_hand[1] = p.royal_in_hand[1], p.royal_in_hand[0]
    p.supply[0], p.supply[1] = p.supply[1], p.supply[0]
    p.turn ^= 1


cdef inline int make_canonical(const Ruleset* rules, const BoardTurns* s, Position* p) noexcept nogil:
    """Replace a position with white to move by the canonical one; returns the turn that leads to it."""
    cdef Position rest, other
    cdef Bitboard images[MAX_TURNS]
    cdef Bitboard least, enemy, least_enemy = 0
    cdef int turn, chosen = -1
    cdef bint has_rest = rules.royal_caravan or rules.trade_routes
    rest.royals = rest.rising = rest.falling = 0
    rest.actor = 0
    turn_all_ways(s, p.pieces[1], images)
    least = images[0]
    for turn in range(1, s.count):
        least = min(least, images[turn])
    for turn in range(s.count):
        if images[turn] != least:
            continue
        enemy = turn_squares(s, turn, p.pieces[0])
        if chosen >= 0 and enemy > least_enemy:
            continue
        if has_rest:
            turn_rest(s, turn, p, &other)
            if chosen >= 0 and enemy == least_enemy and not rest_is_less(&other, &rest):
                continue
            rest = other
        chosen = turn
        least_enemy = enemy
    p.pieces[1] = least
    p.pieces[0] = least_enemy
    if has_rest:
        p.royals, p.rising, p.falling, p.actor = rest.royals, rest.rising, rest.falling, rest.actor
    return chosen


cdef inline bint is_turned_to_itself(const BoardTurns* s, int turn, const Position* p) noexcept nogil:
    cdef Position q
    if turn_squares(s, turn, p.pieces[1]) != p.pieces[1] or turn_squares(s, turn, p.pieces[0]) != p.pieces[0]:
        return False
    turn_rest(s, turn, p, &q)
    return q.royals == p.royals and q.rising == p.rising and q.falling == p.falling and q.actor == p.actor
