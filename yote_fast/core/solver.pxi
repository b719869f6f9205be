"""Retrograde analysis of one pair of slices (Thompson 1986), from its finished children to its own finished values."""

cdef enum:
    PARTITION_BYTES = 1 << 17   # of states: what stays in a processor's second cache while records are applied
    MAX_PARTITIONS = 1024


cdef bint is_quick(const Ruleset* rules) noexcept nogil:
    """Whether the quick pass knows all exits of slices without royals."""
    return not (rules.chain_capture or rules.bonus_turn or rules.no_moves == PASSES)


def has_quick_pass(rules):
    """Whether tables of some rules can be made, and all of their slices quickly."""
    cdef CompiledRules compiled = compile_rules(rules)
    return is_quick(&compiled.c) and not (compiled.c.royal_caravan or compiled.c.trade_routes)


@cython.final
@cython.no_gc_clear
cdef class PairSolver:
    """Finds the values of a slice and of the one that steps from it lead to. With a duty to drop there are no steps.

    Args:
        numbers: the slice, as for :class:`SliceTable`.
        children: the finished tables of all slices that drops and captures lead to. They must stay as they are.
        distances: find distances, not only wins, draws and losses.
        threads: how many threads will take part.
        pool_mb: mebibytes for the records in flight.
        scratch: None for work in memory; for work from disk a function of a number of bytes that gives a mapped file of zeros.
        window_mb: mebibytes of mapped files that are kept in memory in work from disk.

    Raises:
        ValueError: there is no such slice, or it is too large.
        MemoryError: it does not fit in memory.
    """

    cdef CompiledRules compiled
    cdef SetTables sets
    cdef LoadedTables children
    cdef Pair pair
    cdef list results
    cdef list files
    cdef object scratch

    def __init__(
        self, LoadedTables children not None, numbers, bint distances, int threads, size_t pool_mb, scratch=None,
        size_t window_mb=0,
    ):
        cdef Pair* pair = &self.pair
        cdef int half
        if self.compiled is not None:
            raise RuntimeError("a solver is initialised once")
        if not 0 < threads <= 256:
            raise ValueError(f"threads must be 1 to 256, not {threads}")
        self.compiled, self.sets, self.children = children.compiled, children.sets, children
        self.results, self.files, self.scratch = [], [], scratch
        if scratch is not None:
            pair.window = max(<uint64_t>(window_mb << 20) // threads, <uint64_t>1)
            self._find_mapped()
        pair.rules, pair.sets, pair.probe = &self.compiled.c, &self.sets.c, children.probe_
        pair.distances = distances
        read_slice(self.compiled, numbers, &pair.halves[0].slice)
        pair.halves[1].slice = swapped(&pair.halves[0].slice)
        pair.count = 1 if slice_code(&pair.halves[0].slice) == slice_code(&pair.halves[1].slice) else 2
        pair.quick = is_quick(pair.rules) and not (pair.halves[0].slice.mover.royal or pair.halves[0].slice.opponent.royal)
        for half in range(pair.count):
            self._make_half(half)
        self._make_workers(threads, pool_mb)

    def __dealloc__(self):
        cdef Pair* pair = &self.pair
        cdef int half, thread
        for half in range(2):
            if self.scratch is None:
                free(pair.halves[half].states)
                free(pair.halves[half].due)
            free(pair.halves[half].row_due)
            free(pair.halves[half].compact)
            if pair.workers != NULL:
                for thread in range(pair.threads):
                    free(pair.workers[thread].chunks[half])
        if pair.workers != NULL:
            for thread in range(pair.threads):
                sink_free(&pair.workers[thread].sink)
        free(pair.workers)
        free(pair.pool)
        free(pair.mapped)

    cdef int _make_half(self, int number) except -1:
        cdef Pair* pair = &self.pair
        cdef Half* h = &pair.halves[number]
        cdef SliceTable result
        cdef uint64_t sets, i
        cdef Bitboard x
        h.other = &pair.halves[1 - number] if pair.count == 2 else h
        h.movers, h.opponents = squares_of(&h.slice.mover), squares_of(&h.slice.opponent)
        h.mover_royals, h.opponent_royals = royal_places(&h.slice.mover), royal_places(&h.slice.opponent)
        h.steps = not h.slice.must_drop
        self.sets.need_classes(h.opponents)
        self.sets.need_ranks(h.movers)
        sets = binomial(self.sets.c.squares - h.opponents, h.movers)
        h.rows = self.sets.c.classes[h.opponents].count * h.opponent_royals
        h.cols = sets * h.mover_royals
        if h.rows >> (RECORD_ROW_BITS if pair.quick else RECORD_ROW_BITS - RECORD_ROYAL_BITS):
            raise ValueError(f"slice {plain_slice(&h.slice)} has {h.rows} rows: too many")
        h.partition_shift = 0
        while (h.cols << h.partition_shift) < PARTITION_BYTES or (h.rows >> h.partition_shift) >= MAX_PARTITIONS:
            h.partition_shift += 1
        h.partitions = (h.rows >> h.partition_shift) + 1
        if number == 1 and not h.steps:
            # Without steps the other slice has no part in this one, but records are sorted by its rows.
            h.rows = 0
            return 0
        result = SliceTable(self.compiled.rules, plain_slice(&h.slice), pair.distances, None, self.scratch)
        self.results.append(result)
        h.result = &result.c
        if result.c.mapped:
            self._note_region(result.c.data, result.size)
        h.states = <uint8_t*>self._take(h.rows * h.cols)
        h.row_due = <uint16_t*>malloc(h.rows * sizeof(uint16_t))
        h.compact = <Bitboard*>malloc(sets * sizeof(Bitboard))
        if pair.distances:
            h.due = <uint16_t*>self._take(h.rows * h.cols * sizeof(uint16_t))
        if h.states == NULL or h.row_due == NULL or h.compact == NULL or (pair.distances and h.due == NULL):
            raise MemoryError(f"not enough memory to solve slice {plain_slice(&h.slice)}")
        memset(h.row_due, 0xff, h.rows * sizeof(uint16_t))
        x = bit(h.movers) - 1
        for i in range(sets):
            h.compact[i] = x
            if i + 1 < sets:
                x = next_set(x)
        if pair.quick and h.slice.mover.hand and h.movers + h.opponents < self.sets.c.squares:
            self._find_drops(h)
        return 0

    cdef void* _take(self, size_t size) except? NULL:
        """Zeroed memory, or a mapped file; NULL where there is no memory."""
        cdef Array file
        if self.scratch is None:
            return calloc(size, 1)
        file = Array()
        file.open(self.scratch(size), size, True)
        self.files.append(file)
        self._note_region(file.view.buf, size)
        return file.view.buf

    cdef void _note_region(self, void* start, size_t size) noexcept:
        cdef Pair* pair = &self.pair
        pair.regions[pair.region_count].start, pair.regions[pair.region_count].size = start, size
        pair.region_count += 1

    cdef int _find_mapped(self) except -1:
        cdef Pair* pair = &self.pair
        cdef SliceTable table
        pair.mapped = <const SliceValues**>calloc(len(self.children.tables) + 1, sizeof(SliceValues*))
        if pair.mapped == NULL:
            raise MemoryError("not enough memory for children")
        for table in self.children.tables.values():
            if table.c.mapped:
                pair.mapped[pair.mapped_count] = &table.c
                pair.mapped_count += 1
        return 0

    cdef int _find_drops(self, Half* h) except -1:
        cdef Slice child = swapped(&h.slice)
        child.opponent.hand -= 1
        child.must_drop = self.pair.rules.drop_initiative and not h.slice.must_drop and child.mover.hand
        h.drops = self.children.probe_.directory[slice_code(&child)]
        if h.drops == NULL:
            raise KeyError(f"slice {plain_slice(&child)}, which {plain_slice(&h.slice)} leads to, is not there")
        self.sets.need_ranks(h.movers + 1)
        return 0

    cdef int _make_workers(self, int threads, size_t pool_mb) except -1:
        cdef Pair* pair = &self.pair
        cdef uint64_t cells = 0, partitions = 0, least
        cdef int half, thread
        pair.workers = <Worker*>calloc(threads, sizeof(Worker))
        if pair.workers == NULL:
            raise MemoryError("not enough memory for threads")
        pair.threads = threads
        for half in range(pair.count):
            cells += pair.halves[half].rows * pair.halves[half].cols
            partitions += pair.halves[half].partitions
        # Each thread may have a chunk that is not full in each partition, and some in reserve.
        least = threads * (partitions + 2 * MAX_SYMMETRIES)
        pair.pool_size = least + min(cells // CHUNK_RECORDS, (pool_mb << 20) // sizeof(Chunk))
        pair.pool = <Chunk*>malloc(pair.pool_size * sizeof(Chunk))
        if pair.pool == NULL:
            raise MemoryError("not enough memory for records")
        for thread in range(threads):
            control_init(&pair.workers[thread].control)
            sink_init(&pair.workers[thread].sink, EFFECTS, &pair.workers[thread].control)
            for half in range(pair.count):
                pair.workers[thread].chunks[half] = <Chunk**>calloc(pair.halves[half].partitions, sizeof(Chunk*))
                if pair.workers[thread].chunks[half] == NULL:
                    raise MemoryError("not enough memory for records")
        return 0

    @property
    def cells(self):
        """The cells of the pair."""
        cdef int half
        return sum([self.pair.halves[half].rows * self.pair.halves[half].cols for half in range(self.pair.count)])

    @property
    def cells_done(self):
        """How many of them the first pass has seen, which is most of the work. Grows while :meth:`solve` runs."""
        return self.pair.positions_done

    def stop(self):
        """Make :meth:`solve` give up, from another thread."""
        cdef int thread
        for thread in range(self.pair.threads):
            self.pair.workers[thread].control.stop = True

    cdef bint _is_stopped(self) noexcept:
        cdef int thread
        for thread in range(self.pair.threads):
            if self.pair.workers[thread].control.stop:
                return True
        return False

    def solve(self, run):
        """Find all values.

        Args:
            run: called with a function of a thread's number, to call it once for each number from 0 to ``threads - 1``, in as many
                threads or one after the other, and to come back when all are done.

        Returns:
            The slice's table and, unless that is the same or cannot be stepped to, its partner's; None if :meth:`stop` was called.

        Raises:
            KeyError: the table of a child is not there.
        """
        cdef Pair* pair = &self.pair
        cdef int thread
        cdef SliceTable result
        pair.next_task = 0
        run(self._find_exits)
        pair.ply = 0
        while pair.ply < MAX_DUE:
            pair.next_task = pair.pool_used = pair.records = 0
            for thread in range(pair.threads):
                pair.workers[thread].pool_empty = False
            run(self._gather)
            pair.next_task = 0
            run(self._spread)
            if self._is_stopped():
                return None
            if any([pair.workers[thread].pool_empty for thread in range(pair.threads)]):
                continue
            if pair.distances:
                pair.ply = first_due(pair)
            elif pair.records == 0:
                break
        if pair.distances and pair.ply == MAX_DUE:
            raise OverflowError(f"distances in slice {plain_slice(&pair.halves[0].slice)} do not fit 16 bits")
        let_go(pair)
        for result in self.results:
            result.shrink()
            result.forget()
        return self.results

    def _find_exits(self, int thread):
        cdef Worker* worker = &self.pair.workers[thread]
        with nogil:
            find_exits(&self.pair, worker)
        reraise(&worker.control)
        if worker.missing:
            raise KeyError(f"a slice that {plain_slice(&self.pair.halves[0].slice)} leads to is not there")
        if not worker.control.stop:
            check_sink(&worker.sink)

    def _gather(self, int thread):
        with nogil:
            gather(&self.pair, &self.pair.workers[thread])
        reraise(&self.pair.workers[thread].control)

    def _spread(self, int thread):
        with nogil:
            spread(&self.pair, &self.pair.workers[thread])
        reraise(&self.pair.workers[thread].control)


cdef int first_due(const Pair* pair) noexcept nogil:
    """The first ply with something to tell."""
    cdef int half, soonest = NOTHING_DUE
    cdef uint64_t row
    for half in range(pair.count):
        for row in range(pair.halves[half].rows):
            soonest = min(soonest, pair.halves[half].row_due[row])
    return soonest
