"""Slices: all positions with the same numbers of pieces, and where each has its value.

A slice counts, for the side to move and for its opponent, the pieces in all, the camels in hand, and where the royal is; colours
do not matter. A position's *cell* in it is found from the two sets of pieces on the board, the mover's A and the opponent's B::

      row = class of A  *  places of A's royal  +  its place        The symmetry that turns A into the representative
      col = rank of B   *  places of B's royal  +  its place        of its class is applied to B as well.

B's rank is that of its squares among those that A leaves free. A royal's places are the squares of its side's set, in order;
without a royal on the board there is one place. Where A has a symmetry of its own, positions that it turns into each other have
a cell each, with the same value.

A *value* is for the side to move: 0 a draw, d + 1 a win and -d - 1 a loss in d plies. Tables of wins, draws and losses alone know
only 1 and -1. They keep two bits for each cell, rows padded to bytes, the first cell lowest; others keep 16, little-endian on every
machine, for they are files' bytes::

      7   6   5   4   3   2   1   0
      | cell3 | cell2 | cell1 | cell0 |        0 draw, 1 win, 2 loss
"""

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t

from yote_fast.core.bitboard cimport Bitboard, bit, lowest, popcount
from yote_fast.core.position cimport (
    LOSES, MAX_PIECES, MOST_PIECES, Position, Ruleset, is_decided, piece_count,
)
from yote_fast.core.ranking cimport (
    CLASS_SHIFT, SYMMETRY_MASK, Sets, class_of, extract_bits, image_of, rank_of,
)

# Where a side's royal is.
cdef enum:
    NO_ROYAL, ROYAL_IN_HAND, ROYAL_ON_BOARD

cdef enum:
    SIDE_CODES = (MAX_PIECES + 1) * (MAX_PIECES + 2) // 2 * 3
    SLICE_CODES = SIDE_CODES * SIDE_CODES * 2
    UNKNOWN = 1 << 20       # no value: the table is not there

cdef struct SliceSide:
    int pieces              # in all
    int hand                # camels in hand
    int royal

cdef struct Slice:
    SliceSide mover
    SliceSide opponent
    bint must_drop

cdef struct SliceValues:
    uint64_t rows
    uint64_t cols
    uint64_t pitch          # cells of a row with its padding
    bint distances          # 16 bits a cell
    bint mapped             # the data is that of a file
    uint8_t* data           # NULL where all cells have one value:
    int constant

cdef extern from "pages.h" nogil:
    void pages_forget(void* start, size_t bytes)

# Tables in memory, for the hot code.
cdef struct Probe:
    const Ruleset* rules
    const Sets* sets
    const SliceValues** directory       # by slice_code; NULL where there is none
    int pieces                          # of both sides together, in the largest slice

cdef struct Cell:
    uint64_t row
    uint64_t col


cdef inline int squares_of(const SliceSide* side) noexcept nogil:
    """How many pieces a side has on the board."""
    return side.pieces - side.hand - (side.royal == ROYAL_IN_HAND)


cdef inline int royal_places(const SliceSide* side) noexcept nogil:
    return squares_of(side) if side.royal == ROYAL_ON_BOARD else 1


cdef inline int side_code(const SliceSide* side) noexcept nogil:
    return (side.pieces * (side.pieces + 1) // 2 + side.hand) * 3 + side.royal


cdef inline int slice_code(const Slice* s) noexcept nogil:
    return (side_code(&s.mover) * SIDE_CODES + side_code(&s.opponent)) * 2 + s.must_drop


cdef inline Slice swapped(const Slice* s) noexcept nogil:
    """The slice after a move that changes no numbers."""
    cdef Slice result
    result.mover, result.opponent, result.must_drop = s.opponent, s.mover, s.must_drop
    return result


cdef inline void side_of(const Position* p, int side, SliceSide* result) noexcept nogil:
    result.pieces = piece_count(p, side)
    result.hand = p.hand[side]
    result.royal = ROYAL_IN_HAND if p.royal_in_hand[side] else ROYAL_ON_BOARD if p.royals & p.pieces[side] else NO_ROYAL


cdef inline Slice slice_of(const Position* p) noexcept nogil:
    """The slice of a position. A duty to drop without a piece in hand is none."""
    cdef Slice s
    side_of(p, p.turn, &s.mover)
    side_of(p, 1 - p.turn, &s.opponent)
    s.must_drop = p.must_drop and (p.hand[p.turn] or p.royal_in_hand[p.turn])
    return s


cdef inline Cell cell_of(const Sets* sets, const Position* p) noexcept nogil:
    """A position's cell in its slice."""
    cdef Bitboard mover = p.pieces[p.turn], opponent = p.pieces[1 - p.turn]
    cdef Bitboard mover_royal = p.royals & mover, opponent_royal = p.royals & opponent
    cdef uint32_t entry = class_of(sets, popcount(mover), mover)
    cdef int symmetry = entry & SYMMETRY_MASK, size = popcount(opponent)
    cdef Bitboard seen = sets.classes[popcount(mover)].representatives[entry >> CLASS_SHIFT]
    cdef Cell cell
    opponent = image_of(&sets.symmetries, symmetry, opponent)
    cell.row = entry >> CLASS_SHIFT
    cell.col = rank_of(&sets.ranks, size, extract_bits(opponent, sets.all & ~seen))
    if mover_royal:
        mover_royal = image_of(&sets.symmetries, symmetry, mover_royal)
        cell.row = cell.row * popcount(seen) + popcount(seen & (mover_royal - 1))
    if opponent_royal:
        opponent_royal = image_of(&sets.symmetries, symmetry, opponent_royal)
        cell.col = cell.col * size + popcount(opponent & (opponent_royal - 1))
    return cell


cdef inline int read_distance(const uint8_t* cell) noexcept nogil:
    return <int16_t>(cell[0] | cell[1] << 8)


cdef inline void write_distance(uint8_t* cell, int value) noexcept nogil:
    cell[0] = <uint8_t>value
    cell[1] = <uint8_t>(value >> 8)


cdef inline int value_in_row(const SliceValues* values, const uint8_t* row, uint64_t col) noexcept nogil:
    """A value from a row that is not constant."""
    cdef int code
    if values.distances:
        return read_distance(row + 2 * col)
    code = row[col >> 2] >> (2 * (col & 3))
    return (code & 1) - ((code >> 1) & 1)


cdef inline uint64_t row_bytes(const SliceValues* values) noexcept nogil:
    return 2 * values.pitch if values.distances else values.pitch >> 2


cdef inline const uint8_t* row_of(const SliceValues* values, uint64_t row) noexcept nogil:
    """Where a row begins; NULL where all cells have one value."""
    if values.data == NULL:
        return NULL
    return values.data + row * row_bytes(values)


cdef inline void forget(const SliceValues* values) noexcept nogil:
    """Let go of the pages of a table that is a mapped file."""
    if values.mapped and values.data != NULL:
        pages_forget(values.data, values.rows * row_bytes(values))


cdef inline int value_of_cell(const SliceValues* values, Cell cell) noexcept nogil:
    if values.data == NULL:
        return values.constant
    return value_in_row(values, row_of(values, cell.row), cell.col)


cdef inline int verdict(int mover, int opponent) noexcept nogil:
    """The value of a game that ends with so many pieces, where more pieces win."""
    return (mover > opponent) - (mover < opponent)


cdef inline int value_without_actions(const Ruleset* rules, int mover, int opponent) noexcept nogil:
    """The value where the side to move, with so many pieces, has no action; passes are actions."""
    if rules.no_moves == LOSES:
        return -1
    return verdict(mover, opponent) if rules.no_moves == MOST_PIECES else 0


cdef inline int value_of_decided(const Position* p) noexcept nogil:
    """The value of a game that the number of pieces has ended."""
    cdef int mover = piece_count(p, p.turn), opponent = piece_count(p, 1 - p.turn)
    return verdict(mover, opponent) if mover == 0 or opponent == 0 else 0


cdef inline int probe_position(const Probe* probe, const Position* p) noexcept nogil:
    """The value of a position at the start of a turn; UNKNOWN where its table is not there."""
    cdef Slice s
    cdef const SliceValues* values
    if is_decided(probe.rules, p):
        return value_of_decided(p)
    if piece_count(p, 0) + piece_count(p, 1) > probe.pieces:
        return UNKNOWN
    s = slice_of(p)
    values = probe.directory[slice_code(&s)]
    if values == NULL:
        return UNKNOWN
    return value_of_cell(values, cell_of(probe.sets, p))


cdef inline int after_ply(int value, bint same_side) noexcept nogil:
    """What a child's value means for the side that moves there: one ply farther, and the other way round unless it moves again."""
    if value == 0:
        return 0
    value += 1 if value > 0 else -1
    return value if same_side else -value


cdef inline int preference(int value) noexcept nogil:
    """Grows with how much a side likes a value: early wins, draws, late losses."""
    return UNKNOWN - value if value > 0 else -UNKNOWN - value if value < 0 else 0
