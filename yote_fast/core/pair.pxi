"""A pair of slices at work: what its passes share.

X and Y are the slices that a step leads to and fro between: the mover's numbers of one are the opponent's of the other (they can
be the same). Positions at work are kept *opponent-major*: a row is a class of the opponent's set B, a column the rank of the
mover's set A among the squares that B leaves free. Finished values are mover-major. So the children of a row's steps and drops,
where B is the mover's set, all lie in one row of their tables, and what a decided position does to its predecessors stays within
one row too; a row of X at work has the same sets as the row of Y's finished values with that number.
"""

# The state of a position at work. A count is of open steps: those that may still turn out not to lose.
cdef enum:
    MAX_COUNT = 119
    OPEN_DRAW = 120         # can be no worse, but a step may still win
    CLOSED_DRAW
    PASSING                 # the other way round from the one position that a pass leads to
    WON
    LOST
    CLOSED_WON              # steps are not legal, so none can win sooner
    PENDING = 128           # a flag on the last three: predecessors do not know yet

cdef enum:
    NOTHING_DUE = 0xffff
    MAX_DUE = 0x7ffe

# A record tells the row of the other slice that has the predecessors of a decided position about it::
#
#      63          37  36                    1    0
#      | row and royal | set of the opponent | won |
#
# The set is that of the decided position's opponent, who made the step to it. With royals the row is followed by 5 bits for the
# place of that side's royal.
cdef enum:
    RECORD_ROW_SHIFT = 37
    RECORD_ROYAL_BITS = 5
    RECORD_ROW_BITS = 27
    CHUNK_RECORDS = 254

cdef struct Chunk:
    Chunk* next
    uint64_t count
    uint64_t records[CHUNK_RECORDS]

# A child by capture: the row that a pair of removed squares leads to.
cdef struct Target:
    const SliceValues* values   # NULL where all cells have one value:
    int constant
    const uint8_t* row
    Bitboard free               # the squares that the child's mover leaves free
    int symmetry

cdef enum:
    MAX_TARGETS = MAX_SET + 2

cdef struct Half:
    Slice slice
    Half* other
    int movers                  # squares of the side to move
    int opponents
    int mover_royals            # places of the royals
    int opponent_royals
    uint64_t rows
    uint64_t cols
    uint8_t* states
    uint16_t* due               # the ply that pending ones become known at, and before that a bound; NULL without distances
    uint16_t* row_due           # the first ply with something pending
    Bitboard* compact           # by rank: the mover's sets among free squares
    SliceValues* result
    int partition_shift         # rows with equal numbers after this shift are worked on by one thread at a time
    uint64_t partitions
    bint steps                  # whether steps stay in the pair
    # Children by drops and captures, for the quick pass: NULL where they need no table.
    const SliceValues* drops

# Work from disk: arrays that are mapped files, whose pages are let go of now and then.
cdef enum:
    PAGES_AROUND = 1 << 16      # bytes that one use of a page may bring in

cdef struct Region:
    void* start
    size_t size

cdef enum:
    MAX_REGIONS = 6
    CACHE_LINE = 128            # with its neighbour, which processors fetch too

cdef struct Worker:
    Control control
    uint64_t used               # bytes of mapped files, about, since pages were last let go of
    Chunk** chunks[2]           # of each half, by partition
    bint pool_empty
    bint missing                # a child's table is not there
    Sink sink
    char[CACHE_LINE] apart      # threads write to their own lines

cdef struct Pair:
    const Ruleset* rules
    const Sets* sets
    Probe probe
    Half halves[2]
    int count                   # of halves: 1 where X and Y are the same
    bint distances
    bint quick                  # the rules are those that the quick pass knows
    Worker* workers
    int threads
    Chunk* pool
    uint64_t pool_size
    int ply
    # Work from disk.
    uint64_t window             # bytes that a thread may use before it lets go of all pages; 0 for work in memory
    Region regions[MAX_REGIONS]
    int region_count
    const SliceValues** mapped  # the children's values that are in files
    int mapped_count
    # What all threads write to, apart from what they only read.
    char[CACHE_LINE] apart
    volatile uint64_t pool_used
    volatile uint64_t next_task
    volatile uint64_t positions_done
    volatile uint64_t records
    char[CACHE_LINE] apart_too


cdef inline void use(Pair* pair, Worker* worker, uint64_t bytes) noexcept nogil:
    """Note the use of so many bytes of mapped files."""
    if pair.window:
        worker.used += bytes
        if worker.used > pair.window:
            let_go(pair)
            worker.used = 0


cdef void let_go(Pair* pair) noexcept nogil:
    cdef int i
    for i in range(pair.region_count):
        pages_forget(pair.regions[i].start, pair.regions[i].size)
    for i in range(pair.mapped_count):
        forget(pair.mapped[i])
