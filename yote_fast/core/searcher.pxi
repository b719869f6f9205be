"""The search as a Python object."""


@cython.final
cdef class Searcher:
    """Searches positions depth by depth in one thread, and keeps its transposition table from one to the next.

    Args:
        hash_mb: the size of the table in mebibytes, rounded down to a power of two.

    Raises:
        MemoryError: the table does not fit in memory.
    """

    cdef CompiledRules compiled
    cdef Board board
    cdef Search* s
    cdef Pages pages
    cdef bint busy

    def __init__(self, size_t hash_mb):
        cdef uint64_t buckets = 1
        cdef int ply
        if self.s != NULL:
            raise RuntimeError("a searcher is initialised once")
        self.s = <Search*>calloc(1, sizeof(Search))
        if self.s == NULL:
            raise MemoryError("not enough memory for the search")
        while 2 * buckets * BUCKET * sizeof(TableEntry) <= hash_mb << 20:
            buckets *= 2
        self.pages = pages_allocate(buckets * BUCKET * sizeof(TableEntry))
        if self.pages.block == NULL:
            raise MemoryError(f"not enough memory for a table of {hash_mb} MB")
        self.s.table.entries = <TableEntry*>self.pages.block
        self.s.table.buckets = buckets
        fill_reductions(self.s)
        for ply in range(MAX_PLY + 1):
            sink_init(&self.s.frames[ply].sink, EFFECTS, &self.s.control)

    def __dealloc__(self):
        cdef int ply
        if self.s != NULL:
            for ply in range(MAX_PLY + 1):
                sink_free(&self.s.frames[ply].sink)
                free(self.s.frames[ply].order)
            free(self.s.past)
            free(self.s.root_effects)
            free(self.s)
        pages_release(self.pages)

    def start(self, Board board not None, double seconds, uint64_t max_nodes):
        """Begin with a position and limits; ``seconds`` or ``max_nodes`` of 0 is none."""
        cdef Search* s = self._idle()
        if self.compiled is not None and self.compiled is not board.compiled:
            # The keys of different rules have nothing to do with each other.
            self.clear()
        self.compiled = board.compiled
        self.board = board.copy()
        s.rules = &self.compiled.c
        self._note_past()
        control_init(&s.control)
        if seconds > 0:
            s.control.deadline = monotonic_ns() + <int64_t>(seconds * 1e9)
        s.max_nodes = max_nodes if max_nodes else ~<uint64_t>0
        s.nodes = 0
        s.selective = True
        s.seldepth = 0
        s.state = SINK_OK
        s.table.generation = (s.table.generation + 1) % GENERATIONS
        memset(s.history, 0, sizeof(s.history))
        cdef int ply
        for ply in range(MAX_PLY + 1):
            s.frames[ply].killers[0] = s.frames[ply].killers[1] = NO_ACTION

    cdef int _note_past(self) except -1:
        """Write down the keys of the game that the search can come back to: those since something that cannot be undone."""
        cdef Search* s = self.s
        cdef Py_ssize_t plies = len(self.board.moves), ply
        cdef int count = 0, kind
        for ply in range(plies - 1, -1, -1):
            kind = kind_of((<Move>self.board.moves[ply]).code.effect)
            if kind not in (STEP, FREE_MOVE, PASS):
                break
            count += 1
        free(s.past)
        s.past = <uint64_t*>calloc(count + 1, sizeof(uint64_t))
        if s.past == NULL:
            raise MemoryError("not enough memory for the history of the game")
        for ply in range(count):
            s.past[ply] = self.board.positions[plies - count + ply].key
        s.past_length = count
        s.frames[0].key = self.board.position.key
        s.frames[0].reversible = count
        return 0

    def iterate(self, int depth, int expected, list moves=None):
        """Search to a depth.

        Args:
            depth: plies, 1 to 128.
            expected: the score of the iteration before, to look for the new one around it.
            moves: the only moves to consider at the root; None for all.

        Returns:
            The score for the side to move, or None if a limit or :meth:`stop` ended the search; and the principal variation, a list
            of moves, empty where the search ended before it had one.
        """
        cdef Search* s = self._idle()
        cdef int score
        if self.board is None:
            raise RuntimeError("start comes before iterate")
        if not 1 <= depth <= MAX_PLY:
            raise ValueError(f"depth must be 1 to {MAX_PLY}, not {depth}")
        self._set_root_moves(moves)
        s.frames[0].pv_length = 0
        self.busy = True
        with nogil:
            score = search_root(s, &self.board.position, depth, expected)
        self.busy = False
        if s.state == TOO_MANY:
            raise MemoryError(f"a position has more than {MAX_ACTIONS} legal actions")
        if s.state == NO_MEMORY:
            raise MemoryError("not enough memory for the legal actions")
        reraise(&s.control)
        return (score if s.state == SINK_OK else None), self._moves_of_pv()

    cdef int _set_root_moves(self, list moves) except -1:
        cdef Search* s = self.s
        cdef Move move
        cdef int i = 0
        free(s.root_effects)
        s.root_effects = NULL
        s.root_count = 0
        if moves is None:
            return 0
        s.root_effects = <Effect*>calloc(len(moves) + 1, sizeof(Effect))
        if s.root_effects == NULL:
            raise MemoryError("not enough memory for the moves of the root")
        for move in moves:
            s.root_effects[i] = move.code.effect
            i += 1
        s.root_count = i
        return 0

    cdef list _moves_of_pv(self):
        """The principal variation as moves: the first legal action with each effect."""
        cdef Frame* root = &self.s.frames[0]
        cdef Board board = self.board.copy(stack=False)
        cdef Move move
        cdef int i
        moves = []
        for i in range(root.pv_length):
            for move in board.legal_moves:
                if move.code.effect == root.pv[i]:
                    board._push(move)
                    moves.append(move)
                    break
        return moves

    def stop(self):
        """Make a running search, in another thread, give up."""
        self._initialised().control.stop = True

    def clear(self):
        """Forget everything."""
        cdef Search* s = self._idle()
        memset(s.table.entries, 0, s.table.buckets * BUCKET * sizeof(TableEntry))

    @property
    def nodes(self):
        return self._initialised().nodes

    @property
    def seldepth(self):
        return self._initialised().seldepth

    def hashfull(self):
        """How full the table is with what this search wrote, in thousandths."""
        cdef Search* s = self._initialised()
        cdef uint64_t i, data, sampled = min(<uint64_t>1000, s.table.buckets * BUCKET), full = 0
        for i in range(sampled):
            data = s.table.entries[i].data
            full += data != 0 and ((data >> 32) & 63) == s.table.generation
        return 1000 * full // sampled

    cdef Search* _idle(self) except NULL:
        if self.busy:
            raise RuntimeError("the engine is searching in another thread")
        return self._initialised()

    cdef Search* _initialised(self) except NULL:
        if self.s == NULL:
            raise RuntimeError("the searcher was not initialised")
        return self.s


def features_of(Board board not None):
    """The phase of a position, 0 to 2, and the features that its evaluation is made of."""
    cdef int features[FEATURES]
    write_features(&board.compiled.c, &board.position, features)
    return phase_of(&board.position), [features[i] for i in range(FEATURES)]
