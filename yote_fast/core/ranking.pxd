"""Sets of squares as numbers: ranks, symmetries and classes of equivalent sets.

The *rank* of a set of k squares is its place among all sets of k squares, in the order of their bitboards read as numbers: the
combinatorial number system (Lehmer 1964). It is a sum over the squares, so it comes from two tables, one for each half of the
bits; once k is known the upper half tells how many squares the lower one has.

A board has 4 symmetries, a square one 8. The sets that symmetries turn into each other form a *class*, and the least of them is
its representative.
"""

from libc.stdint cimport uint32_t, uint64_t

from yote_fast.core.bitboard cimport Bitboard, MAX_SQUARES, lowest

cdef extern from "bits.h" nogil:
    Bitboard extract_bits(Bitboard x, Bitboard mask)
    Bitboard deposit_bits(Bitboard x, Bitboard mask)

cdef enum:
    MAX_SET = 20            # squares in a set
    MAX_SYMMETRIES = 8
    IMAGE_BITS = 9
    IMAGE_PARTS = 4

# An entry of `Classes.of`::
#
#      31                 4   3   2                0
#      | number of the class | own | symmetry to the |      own: the set has a symmetry of its own
#                                    representative
cdef enum:
    CLASS_SHIFT = 4
    OWN_SYMMETRY = 8
    SYMMETRY_MASK = 7

cdef struct Ranks:
    int half                            # bits in the lower half
    Bitboard lower                      # mask of the lower half
    uint32_t* low                       # by the lower half's bits
    uint32_t* high[MAX_SET + 1]         # by the squares of the whole set; each by the upper half's bits

cdef struct Symmetries:
    int order
    int inverse[MAX_SYMMETRIES]
    Bitboard images[MAX_SYMMETRIES][IMAGE_PARTS][1 << IMAGE_BITS]
    Bitboard squares[MAX_SYMMETRIES][MAX_SQUARES]       # the image of each square alone

# The classes of the sets of so many squares; NULL until they are needed.
cdef struct Classes:
    uint64_t count
    Bitboard* representatives           # ascending
    uint32_t* of                        # by rank

# Everything that depends on the board's shape alone.
cdef struct Sets:
    int squares
    Bitboard all
    Ranks ranks
    Symmetries symmetries
    Classes classes[MAX_SET + 1]


cdef inline uint64_t rank_of(const Ranks* ranks, int squares, Bitboard x) noexcept nogil:
    """The rank of a set of so many squares."""
    return ranks.low[x & ranks.lower] + ranks.high[squares][x >> ranks.half]


cdef inline Bitboard next_set(Bitboard x) noexcept nogil:
    """The set that follows among those of equal size (Gosper, HAKMEM item 175). Not for the empty set."""
    cdef Bitboard low = x & (0 - x), carried = x + low
    return carried | ((x ^ carried) >> (lowest(x) + 2))


cdef inline Bitboard image_of(const Symmetries* s, int symmetry, Bitboard x) noexcept nogil:
    return (
        s.images[symmetry][0][x & 511] | s.images[symmetry][1][(x >> 9) & 511]
        | s.images[symmetry][2][(x >> 18) & 511] | s.images[symmetry][3][x >> 27]
    )


cdef inline uint32_t class_of(const Sets* sets, int squares, Bitboard x) noexcept nogil:
    """The entry in `Classes.of`."""
    return sets.classes[squares].of[rank_of(&sets.ranks, squares, x)]


cdef inline int orbit_size(const Symmetries* s, Bitboard x) noexcept nogil:
    """The number of sets in a set's class."""
    cdef int symmetry, fixing = 0
    for symmetry in range(s.order):
        fixing += image_of(s, symmetry, x) == x
    return s.order // fixing
