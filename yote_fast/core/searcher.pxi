"""The search as a Python object."""


@cython.final
cdef class Searcher:
    """Searches positions depth by depth, and keeps its transposition table from one to the next.

    The methods are to be called in one thread, but for :meth:`help`, which runs in a thread of its own for each number, and
    :meth:`stop`.

    Args:
        hash_mb: the size of the table in mebibytes, rounded down to a power of two.
        threads: how many threads will search: the caller's and those of its helpers.

    Raises:
        MemoryError: the table does not fit in memory.
    """

    cdef CompiledRules compiled
    cdef Board board
    cdef Search* team       # the leader, then its helpers
    cdef int threads
    cdef LoadedTables tables    # kept while a search may look into them
    cdef Pages pages
    cdef bint busy
    cdef set helping        # the numbers of the helpers that run

    def __init__(self, size_t hash_mb, int threads):
        cdef uint64_t buckets = 1
        cdef Search* s
        cdef int i, ply
        if self.team != NULL:
            raise RuntimeError("a searcher is initialised once")
        self.team = <Search*>calloc(threads, sizeof(Search))
        if self.team == NULL:
            raise MemoryError("not enough memory for the search")
        self.threads = threads
        self.helping = set()
        for i in range(threads):
            s = &self.team[i]
            s.leader = self.team
            fill_reductions(s)
            for ply in range(MAX_PLY + 1):
                sink_init(&s.frames[ply].sink, EFFECTS, &s.control)
        while 2 * buckets * BUCKET * sizeof(TableEntry) <= hash_mb << 20:
            buckets *= 2
        self.pages = pages_allocate((buckets + threads * SHALLOW_BUCKETS) * BUCKET * sizeof(TableEntry))
        if self.pages.block == NULL:
            raise MemoryError(f"not enough memory for a table of {hash_mb} MB")
        self.team.helpers = threads - 1
        self.team.table.entries = <TableEntry*>self.pages.block
        self.team.table.buckets = buckets
        for i in range(threads):
            self.team[i].shallow.entries = self.team.table.entries + (buckets + i * SHALLOW_BUCKETS) * BUCKET
            self.team[i].shallow.buckets = SHALLOW_BUCKETS

    def __dealloc__(self):
        self._release()

    cdef void _release(self) noexcept:
        cdef Search* s
        cdef int i, ply
        if self.team == NULL:
            return
        for i in range(self.threads):
            s = &self.team[i]
            for ply in range(MAX_PLY + 1):
                sink_free(&s.frames[ply].sink)
                free(s.frames[ply].priorities)
            free(s.past)
        free(self.team.root_effects)
        free(self.team)
        self.team = NULL
        pages_release(self.pages)
        self.pages.block = NULL

    def close(self):
        """Give the memory back. Everything else raises RuntimeError from then on."""
        if self.team != NULL:
            self._idle()
            self._release()

    def start(
        self, Board board not None, double seconds, uint64_t max_nodes, bint full_width=False,
        LoadedTables tables=None, int pieces=0, int contempt=0,
    ):
        """Begin with a position.

        Args:
            board: the position.
            seconds, max_nodes: limits; 0 for none.
            full_width: search all lines to the full depth, and judge them there as they stand.
            tables: endgame tables of the board's rules, to be asked about positions with up to ``pieces`` pieces.
            contempt: what endless play costs the side to move, in hundredths of a piece.
        """
        cdef Search* leader = self._idle()
        cdef int i
        if tables is not None and not tables.fits(board.compiled.rules):
            raise ValueError(f"the tables are of other rules than {board.compiled.rules}")
        if self.compiled is not None and self.compiled is not board.compiled:
            # The keys of different rules have nothing to do with each other.
            self.clear()
        self.compiled = board.compiled
        self.board = board.copy()
        self.tables = tables
        leader.table.generation = (leader.table.generation + 1) % GENERATIONS
        leader.team_limit = max_nodes if max_nodes else ~<uint64_t>0
        for i in range(self.threads):
            self._prepare(&leader[i])
            leader[i].selective = not full_width
            leader[i].probe = NULL if tables is None else &tables.probe_
            leader[i].probe_pieces = pieces
            leader[i].contempt = max(-MAX_CONTEMPT, min(contempt, MAX_CONTEMPT))
            leader[i].root_turn = board.position.turn
        if seconds > 0:
            leader.control.deadline = monotonic_ns() + <int64_t>(seconds * 1e9)

    cdef int _prepare(self, Search* s) except -1:
        cdef int ply
        s.rules = &self.compiled.c
        s.table = self.team.table
        s.shallow.generation = s.table.generation
        self._note_past(s)
        control_init(&s.control)
        s.max_nodes = self.team.team_limit
        s.nodes = s.tbhits = 0
        s.seldepth = 0
        s.attempt = 0
        s.depth, s.alpha, s.beta = 1, -INFINITE, INFINITE
        s.state = SINK_OK
        memset(s.history, 0, sizeof(s.history))
        for ply in range(MAX_PLY + 1):
            s.frames[ply].killers[0] = s.frames[ply].killers[1] = NO_ACTION
        return 0

    cdef int _note_past(self, Search* s) except -1:
        """Write down the keys of the game that the search can come back to: those since something that cannot be undone."""
        cdef Py_ssize_t plies = len(self.board.moves), ply
        cdef int count = 0, kind
        for ply in range(plies - 1, -1, -1):
            kind = kind_of((<Move>self.board.moves[ply]).code.effect)
            if kind not in (STEP, FREE_MOVE, PASS):
                break
            count += 1
        free(s.past)
        s.past = <uint64_t*>calloc(count + MAX_PLY + 1, sizeof(uint64_t))
        if s.past == NULL:
            raise MemoryError("not enough memory for the history of the game")
        for ply in range(count):
            s.past[ply] = self.board.positions[plies - count + ply].key
        s.keys = s.past + count
        s.keys[0] = self.board.position.key
        s.frames[0].reversible = count
        return 0

    def iterate(self, int depth, int alpha, int beta, list moves=None):
        """Search to a depth.

        Args:
            depth: plies, 1 to 128.
            alpha, beta: a score outside of this window is only a bound.
            moves: the only moves to consider at the root; None for all.

        Returns:
            The score for the side to move, or None if a limit or :meth:`stop` ended the search; and the principal variation, a list
            of moves, empty where the search ended before it had one.
        """
        cdef Search* s = self._leader()
        cdef int score
        if self.board is None:
            raise RuntimeError("start comes before iterate")
        if not 1 <= depth <= MAX_PLY:
            raise ValueError(f"depth must be 1 to {MAX_PLY}, not {depth}")
        if not -INFINITE <= alpha < beta <= INFINITE:
            raise ValueError(f"the window must lie within {-INFINITE} and {INFINITE}, not {alpha} and {beta}")
        self._set_root_moves(moves)
        s.frames[0].pv_length = 0
        s.depth, s.alpha, s.beta = depth, alpha, beta
        s.attempt += 1
        self.busy = True
        with nogil:
            score = search(s, &self.board.position, depth, alpha, beta, 0)
        self.busy = False
        return self._outcome(score)

    def prove(self, int depth, int score):
        """Look for a win or a loss within a depth that was just searched with this score.

        Returns:
            What :meth:`iterate` returns, from the same moves: a proven score where there is one, else the score that was given.
        """
        cdef Search* s = self._leader()
        if self.board is None or s.frames[0].pv_length == 0:
            raise RuntimeError("iterate comes before prove")
        if not 1 <= depth <= MAX_PLY:
            raise ValueError(f"depth must be 1 to {MAX_PLY}, not {depth}")
        self.busy = True
        with nogil:
            score = verify(s, &self.board.position, depth, score)
        self.busy = False
        return self._outcome(score)

    def help(self, int number):
        """Search along as helper 1 to ``threads`` - 1, until :meth:`stop` or :meth:`dismiss`."""
        cdef Search* s = self._initialised()
        if self.board is None:
            raise RuntimeError("start comes before help")
        if not 1 <= number < self.threads or number in self.helping:
            raise ValueError(f"there is no helper {number}, or it runs already")
        self.helping.add(number)
        with nogil:
            help_search(&s[number], &self.board.position)
        self.helping.remove(number)

    def dismiss(self):
        """Make the helpers end."""
        cdef Search* s = self._initialised()
        cdef int i
        for i in range(1, self.threads):
            s[i].control.stop = True

    cdef tuple _outcome(self, int score):
        cdef Search* s = self.team
        if s.state == TOO_MANY:
            raise MemoryError(f"a position has more than {MAX_ACTIONS} legal actions")
        if s.state == NO_MEMORY:
            raise MemoryError("not enough memory for the legal actions")
        reraise(&s.control)
        return (score if s.state == SINK_OK else None), self._moves_of_pv()

    cdef int _set_root_moves(self, list moves) except -1:
        cdef Search* s = self.team
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
        cdef Frame* root = &self.team.frames[0]
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
        cdef Search* s = self._initialised()
        cdef int i
        for i in range(self.threads):
            s[i].control.stop = True

    def clear(self):
        """Forget everything."""
        cdef Search* s = self._idle()
        memset(s.table.entries, 0, (s.table.buckets + self.threads * SHALLOW_BUCKETS) * BUCKET * sizeof(TableEntry))

    @property
    def nodes(self):
        """Positions visited, by all threads together."""
        return team_nodes(self._initialised())

    @property
    def tbhits(self):
        """Positions found in endgame tables, by all threads together."""
        cdef Search* s = self._initialised()
        cdef int i
        return sum([s[i].tbhits for i in range(self.threads)])

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
        if self.helping:
            raise RuntimeError("the engine is searching in another thread")
        return self._leader()

    cdef Search* _leader(self) except NULL:
        if self.busy:
            raise RuntimeError("the engine is searching in another thread")
        return self._initialised()

    cdef Search* _initialised(self) except NULL:
        if self.team == NULL:
            raise RuntimeError("the engine is closed")
        return self.team


def static_score(Board board not None):
    """The evaluation of a position as it stands, in hundredths of a piece for the side to move."""
    return evaluate(&board.compiled.c, &board.position)


def features_of(Board board not None):
    """The phase of a position, 0 to 2, and the features that its evaluation is made of."""
    cdef int features[FEATURES]
    write_features(&board.compiled.c, &board.position, features)
    return phase_of(&board.position), [features[i] for i in range(FEATURES)]
