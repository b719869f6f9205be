"""Sets of squares as bits of one machine word.

Bit ``row * cols + col`` is the square in that row and column, a1 the lowest. On the 5 x 6 board::

      5 | 24 25 26 27 28 29
      4 | 18 19 20 21 22 23
      3 | 12 13 14 15 16 17
      2 |  6  7  8  9 10 11
      1 |  0  1  2  3  4  5
        +------------------
           a  b  c  d  e  f

A step east is a shift left by one, a step north a shift left by ``cols``; what would leave the board is masked out.
"""

from libc.stdint cimport uint64_t

ctypedef uint64_t Bitboard

cdef extern from "bits.h" nogil:
    int popcount(Bitboard squares)
    int lowest(Bitboard squares)
    int nth(Bitboard squares, int n)
    bint add_overflows(uint64_t* total, uint64_t n)
    uint64_t fetch_add(volatile uint64_t* counter, uint64_t n)

cdef enum:
    MAX_SQUARES = 36

# Directions. Opposite ones are neighbours; the last four need routes.
cdef enum:
    EAST, WEST, NORTH, SOUTH, NORTH_EAST, SOUTH_WEST, NORTH_WEST, SOUTH_EAST

# How many directions every board has. Loops over so many are unrolled, and each shift becomes an instruction or two.
cdef enum:
    ORTHOGONAL = 4

# The board's shape. A route is kept at the lower left square b of the 2 x 2 block that it crosses, in one of two sets::
#
#      b+cols   b+cols+1          rising: joins b and b+cols+1
#         b     b+1               falling: joins b+1 and b+cols
#
cdef struct Geometry:
    int rows
    int cols
    int squares
    Bitboard all
    Bitboard not_east       # every column but the last
    Bitboard not_west       # every column but the first
    Bitboard blocks         # lower left squares of all 2 x 2 blocks
    Bitboard edge           # corners included
    Bitboard corners
    int delta[8]            # what a move in each direction adds to a square's index


cdef inline Bitboard bit(int square) noexcept nogil:
    return <Bitboard>1 << square


cdef inline Bitboard east(const Geometry* g, Bitboard x) noexcept nogil:
    return (x & g.not_east) << 1


cdef inline Bitboard west(const Geometry* g, Bitboard x) noexcept nogil:
    return (x & g.not_west) >> 1


cdef inline Bitboard north(const Geometry* g, Bitboard x) noexcept nogil:
    return (x << g.cols) & g.all


cdef inline Bitboard south(const Geometry* g, Bitboard x) noexcept nogil:
    return x >> g.cols


# One move of every square of x: orthogonally, or diagonally where a route of that block joins the two squares.
cdef inline Bitboard shift(const Geometry* g, Bitboard rising, Bitboard falling, Bitboard x, int direction) noexcept nogil:
    if direction == EAST:
        return east(g, x)
    if direction == WEST:
        return west(g, x)
    if direction == NORTH:
        return north(g, x)
    if direction == SOUTH:
        return south(g, x)
    if direction == NORTH_EAST:
        return (x & rising) << (g.cols + 1)
    if direction == SOUTH_WEST:
        return (x >> (g.cols + 1)) & rising
    if direction == NORTH_WEST:
        return ((x >> 1) & falling) << g.cols
    return ((x >> g.cols) & falling) << 1
