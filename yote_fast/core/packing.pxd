"""Whole positions in as few bits as the rules and a root position allow, so that tables can hold them exactly.

The fields of a position with white to move, one after another from the lowest bit, each only where the rules know it::

      white's pieces | black's pieces | camels in hand, white, black | must drop | royals, white, black
         squares        squares           `hand_bits` each                1           6 each

      | rising routes | falling routes | supplies, white, black | stage | placed | moved | actor
         squares - cols each              3 each                   2       1        1       6

A royal is written as its square, ROYAL_IN_HAND or NO_ROYAL. Hands only shrink, so those of the root bound their bits. A 4 x 4 board
takes one word, the plain 5 x 6 board two, and route games at most three.
"""

from libc.stdint cimport uint64_t

from yote_fast.core.bitboard cimport Bitboard, bit, lowest
from yote_fast.core.position cimport Position, Ruleset

cdef enum:
    MAX_WORDS = 3
    ROYAL_IN_HAND = 62
    NO_ROYAL = 63

cdef struct Packing:
    int words
    int squares
    int block_squares
    int hand_bits
    bint royals
    bint must_drop
    bint routes

cdef struct Packed:
    uint64_t words[MAX_WORDS]

# Where the next field is written to or read from.
cdef struct Cursor:
    uint64_t* words
    int place


cdef inline Packing choose_packing(const Ruleset* rules, const Position* root) noexcept nogil:
    cdef Packing packing
    cdef int most = max(root.hand[0], root.hand[1]), bits
    packing.squares = rules.geometry.squares
    packing.block_squares = rules.geometry.squares - rules.geometry.cols
    packing.hand_bits = 0
    while most >> packing.hand_bits:
        packing.hand_bits += 1
    packing.royals = rules.royal_caravan
    packing.must_drop = rules.drop_initiative
    packing.routes = rules.trade_routes > 0
    bits = 2 * packing.squares + 2 * packing.hand_bits + packing.must_drop
    if packing.royals:
        bits += 12
    if packing.routes:
        bits += 2 * packing.block_squares + 16
    packing.words = (bits + 63) // 64
    return packing


cdef inline void put(Cursor* cursor, uint64_t value, int bits) noexcept nogil:
    cdef int word = cursor.place >> 6, shift = cursor.place & 63
    cursor.words[word] |= value << shift
    if shift + bits > 64:
        cursor.words[word + 1] |= value >> (64 - shift)
    cursor.place += bits


cdef inline uint64_t get(Cursor* cursor, int bits) noexcept nogil:
    cdef int word = cursor.place >> 6, shift = cursor.place & 63
    cdef uint64_t value
    if bits == 0:
        return 0
    value = cursor.words[word] >> shift
    if shift + bits > 64:
        value |= cursor.words[word + 1] << (64 - shift)
    cursor.place += bits
    return value & ((<uint64_t>1 << bits) - 1)


cdef inline uint64_t royal_code(const Position* p, int side) noexcept nogil:
    cdef Bitboard royal = p.royals & p.pieces[side]
    return ROYAL_IN_HAND if p.royal_in_hand[side] else lowest(royal) if royal else NO_ROYAL


cdef inline Packed pack(const Packing* packing, const Position* p) noexcept nogil:
    """A position with white to move, whose hands are no larger than the root's."""
    cdef Packed packed
    cdef Cursor cursor
    packed.words[0] = packed.words[1] = packed.words[2] = 0
    cursor.words = packed.words
    cursor.place = 0
    put(&cursor, p.pieces[1], packing.squares)
    put(&cursor, p.pieces[0], packing.squares)
    put(&cursor, p.hand[1], packing.hand_bits)
    put(&cursor, p.hand[0], packing.hand_bits)
    if packing.must_drop:
        put(&cursor, p.must_drop, 1)
    if packing.royals:
        put(&cursor, royal_code(p, 1), 6)
        put(&cursor, royal_code(p, 0), 6)
    if packing.routes:
        put(&cursor, p.rising, packing.block_squares)
        put(&cursor, p.falling, packing.block_squares)
        put(&cursor, p.supply[1], 3)
        put(&cursor, p.supply[0], 3)
        put(&cursor, p.stage, 2)
        put(&cursor, p.placed, 1)
        put(&cursor, p.moved, 1)
        put(&cursor, p.actor, 6)
    return packed


cdef inline void unpack_royal(Position* p, int side, uint64_t code) noexcept nogil:
    if code == ROYAL_IN_HAND:
        p.royal_in_hand[side] = True
    elif code != NO_ROYAL:
        p.royals |= bit(code)


cdef inline Position unpack_position(const Packing* packing, const uint64_t* words) noexcept nogil:
    """The inverse of :func:`pack`; the key is 0."""
    cdef Position p
    cdef Cursor cursor
    cursor.words = <uint64_t*>words
    cursor.place = 0
    p.key = 0
    p.turn = 1
    p.pieces[1] = get(&cursor, packing.squares)
    p.pieces[0] = get(&cursor, packing.squares)
    p.hand[1] = get(&cursor, packing.hand_bits)
    p.hand[0] = get(&cursor, packing.hand_bits)
    p.must_drop = get(&cursor, 1) if packing.must_drop else 0
    p.royals = p.rising = p.falling = 0
    p.royal_in_hand[0] = p.royal_in_hand[1] = p.supply[0] = p.supply[1] = 0
    p.stage = p.placed = p.moved = p.actor = 0
    if packing.royals:
        unpack_royal(&p, 1, get(&cursor, 6))
        unpack_royal(&p, 0, get(&cursor, 6))
    if packing.routes:
        p.rising = get(&cursor, packing.block_squares)
        p.falling = get(&cursor, packing.block_squares)
        p.supply[1] = get(&cursor, 3)
        p.supply[0] = get(&cursor, 3)
        p.stage = get(&cursor, 2)
        p.placed = get(&cursor, 1)
        p.moved = get(&cursor, 1)
        p.actor = get(&cursor, 6)
    return p


cdef inline bint same_words(const Packing* packing, const uint64_t* a, const uint64_t* b) noexcept nogil:
    cdef int i
    for i in range(packing.words):
        if a[i] != b[i]:
            return False
    return True


cdef inline uint64_t mix(const Packed* packed) noexcept nogil:
    """A hash of the position; its high bits are the best."""
    cdef uint64_t mixed = packed.words[0] * 0x9E3779B97F4A7C15ULL
    mixed ^= (mixed >> 32) ^ packed.words[1] * 0xC2B2AE3D27D4EB4FULL
    mixed ^= packed.words[2] * 0x165667B19E3779F9ULL
    mixed ^= mixed >> 29
    mixed *= 0xBF58476D1CE4E5B9ULL
    mixed ^= mixed >> 32
    return mixed * 0x94D049BB133111EBULL
