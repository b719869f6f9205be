"""The tables behind `ranking.pxd`, made once for each shape of the board."""

cdef enum:
    MAX_CLASSES = 1 << 28       # of one size; Classes.of has so many bits for the number
    CHECK_SIGNALS_EVERY = 1 << 16

cdef dict _sets_by_shape = {}


@cython.final
@cython.no_gc_clear
cdef class SetTables:
    """The ranks, symmetries and classes of the sets of a board's squares. Use :func:`set_tables`, which keeps one of each shape."""

    cdef Sets c
    cdef object lock

    def __init__(self, int rows, int cols):
        cdef Sets* sets = &self.c
        self.lock = Lock()
        sets.squares = rows * cols
        sets.all = bit(sets.squares) - 1
        self._make_symmetries(rows, cols)
        sets.ranks.half = (sets.squares + 1) // 2
        sets.ranks.lower = bit(sets.ranks.half) - 1
        sets.ranks.low = self._low_ranks()

    def __dealloc__(self):
        cdef int size
        free(self.c.ranks.low)
        for size in range(MAX_SET + 1):
            free(self.c.ranks.high[size])
            free(self.c.classes[size].representatives)
            free(self.c.classes[size].of)

    cdef int _make_symmetries(self, int rows, int cols) except -1:
        """Turn and mirror: bit 0 of a symmetry's number mirrors columns, bit 1 rows, and then bit 2 swaps rows with columns."""
        cdef Symmetries* s = &self.c.symmetries
        cdef int symmetry, other, square, row, col, part, word
        cdef Bitboard image
        s.order = 8 if rows == cols else 4
        for symmetry in range(s.order):
            for square in range(rows * cols):
                row, col = square // cols, square % cols
                if symmetry & 1:
                    col = cols - 1 - col
                if symmetry & 2:
                    row = rows - 1 - row
                if symmetry & 4:
                    row, col = col, row
                part, word = square // IMAGE_BITS, 1 << square % IMAGE_BITS
                s.images[symmetry][part][word] = s.squares[symmetry][square] = bit(row * cols + col)
            for part in range(IMAGE_PARTS):
                for word in range(1, 1 << IMAGE_BITS):
                    image = s.images[symmetry][part][word & -word]
                    s.images[symmetry][part][word] = s.images[symmetry][part][word & (word - 1)] | image
        for symmetry in range(s.order):
            for other in range(s.order):
                if all(image_of(s, other, image_of(s, symmetry, bit(square))) == bit(square) for square in range(rows * cols)):
                    s.inverse[symmetry] = other
        return 0

    cdef uint32_t* _low_ranks(self) except NULL:
        cdef Ranks* ranks = &self.c.ranks
        cdef uint32_t* low = <uint32_t*>calloc(<size_t>1 << ranks.half, sizeof(uint32_t))
        cdef Bitboard x
        if low == NULL:
            raise MemoryError("not enough memory for the ranks of sets")
        for x in range(1, <Bitboard>1 << ranks.half):
            # The highest square counts as the last one.
            low[x] = low[x & ~highest(x)] + <uint32_t>binomial(lowest(highest(x)), popcount(x))
        return low

    cdef int need_ranks(self, int size) except -1:
        """Make the ranks of sets of so many squares, unless they are there."""
        cdef Ranks* ranks = &self.c.ranks
        cdef int upper = self.c.squares - ranks.half
        cdef Bitboard x, rest
        cdef uint32_t* high
        cdef int place
        if not 0 <= size <= min(MAX_SET, self.c.squares) or binomial(self.c.squares, size) >> 32:
            raise ValueError(f"sets of {size} squares of {self.c.squares} are too many for a table")
        with self.lock:
            if ranks.high[size] != NULL:
                return 0
            high = <uint32_t*>calloc(<size_t>1 << upper, sizeof(uint32_t))
            if high == NULL:
                raise MemoryError("not enough memory for the ranks of sets")
            for x in range(<Bitboard>1 << upper):
                rest, place = x, size
                while rest and place > 0:
                    high[x] += <uint32_t>binomial(lowest(highest(rest)) + ranks.half, place)
                    rest ^= highest(rest)
                    place -= 1
            ranks.high[size] = high
        return 0

    cdef int need_classes(self, int size) except -1:
        """Make the classes of the sets of so many squares, unless they are there."""
        cdef Classes made
        cdef uint64_t sets
        cdef Control control
        cdef bint enough
        self.need_ranks(size)
        sets = binomial(self.c.squares, size)
        with self.lock:
            if self.c.classes[size].of != NULL:
                return 0
            control_init(&control)
            made.of = <uint32_t*>calloc(sets, sizeof(uint32_t))
            made.representatives = NULL
            with nogil:
                enough = made.of != NULL and number_classes(&self.c, size, &made, &control)
            if not enough:
                free(made.of)
                free(made.representatives)
                reraise(&control)
                raise MemoryError(f"not enough memory for the classes of sets of {size} squares")
            self.c.classes[size] = made
        return 0


cdef inline Bitboard highest(Bitboard x) noexcept nogil:
    """The highest square of a set that is not empty."""
    while x & (x - 1):
        x &= x - 1
    return x


cdef bint number_classes(const Sets* sets, int size, Classes* made, Control* control) noexcept nogil:
    """Fill `of` and `representatives`; false where memory runs out or Ctrl-C was pressed."""
    cdef const Symmetries* s = &sets.symmetries
    cdef uint64_t total = binomial(sets.squares, size), capacity = 64, rank
    cdef Bitboard x = bit(size) - 1, image, least
    cdef void* grown
    cdef int symmetry, best, fixing
    made.count = 0
    for rank in range(total):
        least, best, fixing = x, 0, 0
        for symmetry in range(s.order):
            image = image_of(s, symmetry, x)
            fixing += image == x
            if image < least:
                least, best = image, symmetry
        if best == 0:
            # Representatives come before the others of their classes.
            if made.representatives == NULL or made.count == capacity:
                capacity *= 2
                grown = realloc(made.representatives, capacity * sizeof(Bitboard))
                if grown == NULL or made.count == MAX_CLASSES:
                    return False
                made.representatives = <Bitboard*>grown
            made.representatives[made.count] = x
            made.of[rank] = <uint32_t>made.count << CLASS_SHIFT
            made.count += 1
        else:
            made.of[rank] = (made.of[rank_of(&sets.ranks, size, least)] & ~<uint32_t>SYMMETRY_MASK) | best
        if fixing > 1:
            made.of[rank] |= OWN_SYMMETRY
        if rank % CHECK_SIGNALS_EVERY == 0 and look(control):
            return False
        if rank + 1 < total:
            x = next_set(x)
    return True


cdef SetTables set_tables(int rows, int cols):
    found = _sets_by_shape.get((rows, cols))
    if found is None:
        found = _sets_by_shape.setdefault((rows, cols), SetTables(rows, cols))
    return found
