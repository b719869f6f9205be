"""Perft: the number of sequences of legal actions of a given length."""

cdef enum:
    MAX_PERFT_DEPTH = 255

# A finished count, found again by the whole position and depth: a perft is a claim of an exact number, so no key may collide. ::
#
#      where[0]   white's pieces 36 | hands 5 + 5, turn, must drop, royals in hand 2, placed, moved, stage 2, unused 2 | depth 8
#      where[1]   black's pieces 36 | royals' squares (63: none) 6 + 6, supplies 3 + 3, actor 6, unused 4
#      where[2]   blocks with a route 36, unused 12 | for each of them, in order, whether it rises 16
#
# Two entries share a cache line. A depth of 0 marks an empty entry.
cdef struct PerftEntry:
    uint64_t where[3]
    uint64_t count

cdef struct PerftTable:
    PerftEntry* entries     # NULL: no table
    uint64_t size           # a power of two

cdef struct PerftRun:
    const Ruleset* rules
    PerftTable table
    bint bulk               # count the last ply, or last two, without playing them
    bint closed_form
    int state
    Sink sinks[MAX_PERFT_DEPTH + 1]     # the actions at each remaining depth
    Control control


cdef inline uint64_t royal_square(const Position* p, int side) noexcept nogil:
    cdef Bitboard royal = p.royals & p.pieces[side]
    return lowest(royal) if royal else 63


cdef inline void write_where(const Position* p, int depth, uint64_t* where) noexcept nogil:
    cdef Bitboard blocks = p.rising | p.falling
    cdef int place = 48
    where[0] = (
        p.pieces[1] | <uint64_t>p.hand[0] << 36 | <uint64_t>p.hand[1] << 41 | <uint64_t>p.turn << 46
        | <uint64_t>p.must_drop << 47 | <uint64_t>p.royal_in_hand[0] << 48 | <uint64_t>p.royal_in_hand[1] << 49
        | <uint64_t>p.placed << 50 | <uint64_t>p.moved << 51 | <uint64_t>p.stage << 52 | <uint64_t>depth << 56
    )
    where[1] = (
        p.pieces[0] | royal_square(p, 0) << 36 | royal_square(p, 1) << 42 | <uint64_t>p.supply[0] << 48
        | <uint64_t>p.supply[1] << 51 | <uint64_t>p.actor << 54
    )
    where[2] = blocks
    while blocks:
        where[2] |= <uint64_t>((p.rising >> lowest(blocks)) & 1) << place
        blocks &= blocks - 1
        place += 1


cdef inline PerftEntry* find_entry(const PerftTable* table, const uint64_t* where) noexcept nogil:
    cdef uint64_t mixed = where[0] * 0x9E3779B97F4A7C15ULL
    mixed ^= where[1] * 0xC2B2AE3D27D4EB4FULL
    mixed ^= where[2] * 0x165667B19E3779F9ULL
    mixed ^= mixed >> 29
    mixed *= 0xBF58476D1CE4E5B9ULL
    return &table.entries[(mixed >> 20) & (table.size - 1)]


cdef inline uint64_t count_plies_at_once(PerftRun* run, const Position* p, int depth) noexcept nogil:
    """Perft 1 or 2 of a position under rules with a closed form."""
    cdef Sides sides
    if is_decided(run.rules, p):
        return 0
    sides.own = p.pieces[p.turn]
    sides.enemy = p.pieces[1 - p.turn]
    sides.own_hand = p.hand[p.turn]
    sides.enemy_hand = p.hand[1 - p.turn]
    sides.must_drop = p.must_drop
    return count_two_plies(run.rules, &sides) if depth == 2 else count_actions(run.rules, &sides)


cdef uint64_t count_leaves(PerftRun* run, const Position* p, int depth) noexcept nogil:
    """The leaves below a position; meaningless once ``run.state`` is not SINK_OK."""
    cdef Sink* sink
    cdef Position child
    cdef PerftEntry* entry = NULL
    cdef uint64_t where[3]
    cdef uint64_t total = 0, i
    if depth == 0:
        return 1
    if run.bulk and run.closed_form and depth <= 2:
        return count_plies_at_once(run, p, depth)
    if run.state != SINK_OK:
        return 0
    if poll(&run.control):
        run.state = STOPPED
        return 0
    sink = &run.sinks[depth]
    sink.count = 0
    if run.table.entries != NULL and depth > 1:
        write_where(p, depth, where)
        entry = find_entry(&run.table, where)
        if entry.where[0] == where[0] and entry.where[1] == where[1] and entry.where[2] == where[2]:
            return entry.count
    generate(run.rules, p, sink)
    if sink.state != SINK_OK:
        run.state = sink.state
        return 0
    if sink.keeps == COUNT:
        return sink.count
    for i in range(sink.count):
        play_keyless(run.rules, p, sink.effects[i], &child)
        if add_overflows(&total, count_leaves(run, &child, depth - 1)):
            run.state = COUNT_OVERFLOW
        if run.state != SINK_OK:
            return 0
    if entry != NULL:
        entry.where[0], entry.where[1], entry.where[2] = where[0], where[1], where[2]
        entry.count = total
    return total


@cython.final
cdef class PerftWorker:
    """Counts leaves, one position after another, in one thread; keeps its table between calls.

    Args:
        rules: the rules of all positions to be counted.
        hash_mb: the size of its table in mebibytes, rounded down to a power of two; 0 for none.
        bulk: count the last plies together instead of playing every action.

    Raises:
        MemoryError: the table does not fit in memory.
    """

    cdef CompiledRules compiled
    cdef PerftRun* run
    cdef bint busy

    def __init__(self, rules, size_t hash_mb, bint bulk):
        cdef PerftRun* run
        cdef uint64_t size = 1
        cdef int depth
        if self.run != NULL:
            raise RuntimeError("a worker is initialised once")
        self.compiled = compile_rules(rules)
        run = self.run = <PerftRun*>calloc(1, sizeof(PerftRun))
        if run == NULL:
            raise MemoryError("not enough memory for perft")
        for depth in range(MAX_PERFT_DEPTH + 1):
            sink_init(&run.sinks[depth], EFFECTS if depth > 1 or not bulk else COUNT, &run.control)
        run.rules = &self.compiled.c
        run.bulk = bulk
        run.closed_form = has_closed_form(run.rules)
        if hash_mb:
            while 2 * size * sizeof(PerftEntry) <= hash_mb << 20:
                size *= 2
            run.table.entries = <PerftEntry*>calloc(size, sizeof(PerftEntry))
            if run.table.entries == NULL:
                raise MemoryError(f"not enough memory for a table of {hash_mb} MB")
            run.table.size = size

    def __dealloc__(self):
        cdef int depth
        if self.run == NULL:
            return
        for depth in range(MAX_PERFT_DEPTH + 1):
            sink_free(&self.run.sinks[depth])
        free(self.run.table.entries)
        free(self.run)

    def stop(self):
        """Make a running count, in another thread, give up."""
        if self.run != NULL:
            self.run.control.stop = True

    def count(self, Board board not None, int depth):
        """The leaves of ``board`` at ``depth``, 0 to 255; None if :meth:`stop` was called.

        Raises:
            OverflowError: there are 2**64 or more.
        """
        cdef PerftRun* run = self.run
        cdef Position position = board.position
        cdef uint64_t leaves
        cdef int d
        if run == NULL or board.compiled is not self.compiled:
            raise ValueError("the board has other rules than the worker")
        if not 0 <= depth <= MAX_PERFT_DEPTH:
            raise ValueError(f"depth must be 0 to {MAX_PERFT_DEPTH}, not {depth}")
        if self.busy:
            raise RuntimeError("the worker is counting in another thread")
        if run.control.stop:
            return None
        control_init(&run.control)
        run.state = SINK_OK
        for d in range(depth + 1):
            run.sinks[d].state = SINK_OK
        self.busy = True
        with nogil:
            leaves = count_leaves(run, &position, depth)
        self.busy = False
        if run.state == COUNT_OVERFLOW:
            raise OverflowError(f"perft {depth} of {board.yfen()} has 2**64 leaves or more")
        if run.state == TOO_MANY:
            raise MemoryError(f"a position has more than {MAX_ACTIONS} legal actions")
        if run.state == NO_MEMORY:
            raise MemoryError("not enough memory for the legal actions")
        if run.state == STOPPED:
            reraise(&run.control)
            return None
        return leaves
