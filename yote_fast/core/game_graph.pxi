"""The graph of a game as a Python object."""

_PHASE_NAMES = {EXPLORING: "exploring", LINKING: "solving", PROPAGATING: "solving", SOLVED: "solved"}


@cython.final
cdef class Graph:
    """All positions that play can reach from a root, and their exact values.

    Args:
        board: the root; its history does not count.
        memory_mb: mebibytes that may be used.
        seconds, max_nodes: limits; 0 for none. Nodes are positions expanded, each a few times.

    Call :meth:`run` until it says that it is done.

    Raises:
        MemoryError: there is less memory than allowed to use.
    """

    cdef CompiledRules compiled
    cdef GameGraph* g
    cdef Pages key_pages
    cdef Pages reached_pages
    cdef Pages result_pages
    cdef bint busy

    def __init__(self, Board board not None, uint64_t memory_mb, double seconds, uint64_t max_nodes):
        cdef GameGraph* g
        if self.g != NULL:
            raise RuntimeError("a graph is initialised once")
        self.compiled = board.compiled
        g = self.g = <GameGraph*>calloc(1, sizeof(GameGraph))
        if g == NULL:
            raise MemoryError("not enough memory for the graph of a game")
        g.rules = &self.compiled.c
        control_init(&g.control)
        sink_init(&g.sink, EFFECTS, &g.control)
        if seconds > 0:
            g.control.deadline = monotonic_ns() + <int64_t>(seconds * 1e9)
        g.max_visits = max_nodes if max_nodes else ~<uint64_t>0
        g.memory = memory_mb << 20
        g.phase = EXPLORING
        g.dirty = MAX_POSITIONS
        g.tally.longest_win = g.tally.longest_loss = -1
        fill_board_turns(g.rules, &g.symmetries)
        fill_spread(g)
        g.packing = choose_packing(g.rules, &board.position)
        g.capacity = min(g.memory // (8 * <uint64_t>g.packing.words + 4 + BYTES_OF_INDEX_AND_SORT), MAX_POSITIONS)
        self.key_pages = pages_allocate(8 * g.packing.words * g.capacity)
        self.reached_pages = pages_allocate(sizeof(uint16_t) * g.capacity)
        self.result_pages = pages_allocate(sizeof(uint16_t) * g.capacity)
        g.keys = <uint64_t*>self.key_pages.block
        g.reached = <uint16_t*>self.reached_pages.block
        g.results = <uint16_t*>self.result_pages.block
        if (
            g.keys == NULL or g.reached == NULL or g.results == NULL
            or not build_index(g, min(<uint64_t>FIRST_SLOTS, most_slots(g)))
        ):
            raise MemoryError(f"not enough memory for a graph of {memory_mb} MB")
        self._add_root(&board.position)

    cdef void _add_root(self, const Position* root) noexcept:
        cdef GameGraph* g = self.g
        cdef Position p = root[0]
        cdef Child child
        place_child(g, &p, &child)
        add_position(g, &child.packed, child.slot)
        g.reached[0] = spread_reached(g, 1, g.symmetries.inverse[child.turn], child.other_side)

    def __dealloc__(self):
        if self.g != NULL:
            free_level(self.g)
            free(self.g.index)
            free(self.g.children)
            sink_free(&self.g.sink)
            free(self.g)
        pages_release(self.key_pages)
        pages_release(self.reached_pages)
        pages_release(self.result_pages)

    def run(self, double seconds):
        """Work for about so long.

        Returns:
            None if there is more to do; ``"solved"``; or why it cannot go on: ``"memory"``, ``"nodes"``, or ``"stopped"`` for the
            limit of time and for :meth:`stop`.
        """
        cdef GameGraph* g = self._initialised()
        if self.busy:
            raise RuntimeError("the graph is at work in another thread")
        g.pause = monotonic_ns() + <int64_t>(seconds * 1e9)
        self.busy = True
        with nogil:
            while g.state == SINK_OK and g.phase != SOLVED and monotonic_ns() < g.pause:
                if g.phase == EXPLORING:
                    explore(g)
                elif g.phase == LINKING:
                    link(g)
                else:
                    propagate(g)
        self.busy = False
        reraise(&g.control)
        if g.state == SINK_OK:
            return "solved" if g.phase == SOLVED else None
        if g.state in (STOPPED, NODES_SPENT, GRAPH_FULL):
            return {STOPPED: "stopped", NODES_SPENT: "nodes", GRAPH_FULL: "memory"}[g.state]
        if g.state == TOO_MANY:
            raise MemoryError(f"a position has more than {MAX_ACTIONS} legal actions")
        if g.state == NO_MEMORY:
            raise MemoryError("not enough memory for the graph of the game")
        if g.state == TOO_LONG:
            raise OverflowError(f"a position is won or lost in more than {MAX_DISTANCE} plies")
        raise RuntimeError("the graph of the game has an action to a position that was not explored or has a higher level")

    def stop(self):
        """Make a running :meth:`run`, in another thread, give up."""
        self._initialised().control.stop = True

    @property
    def phase(self):
        """``"exploring"``, ``"solving"`` or ``"solved"``."""
        return _PHASE_NAMES[self._initialised().phase]

    @property
    def classes(self):
        """Positions found so far, those that are the same by symmetry counted once."""
        return self._initialised().count

    @property
    def solved(self):
        """How many of the classes are in levels that are solved."""
        cdef GameGraph* g = self._initialised()
        return 0 if g.phase == EXPLORING else g.count if g.phase == SOLVED else g.starts[g.level]

    @property
    def nodes(self):
        """Positions expanded so far."""
        return self._initialised().visits

    @property
    def bytes(self):
        """Memory in use, without the level that is being solved."""
        return bytes_held(self._initialised())

    @property
    def most_bytes(self):
        """The most memory in use at any time of the solving."""
        return self._initialised().most_memory

    def tally(self):
        """Of the levels solved so far: positions, wins, draws, losses for the side to move; the longest win and loss, or -1."""
        cdef Tally* t = &self._initialised().tally
        return t.positions, t.wins, t.positions - t.wins - t.losses, t.losses, t.longest_win, t.longest_loss

    def probe(self, Board board not None):
        """The value for the side to move (1, 0, -1) and the plies to the end; None if the position is not in the graph.

        Raises:
            ValueError: the graph is not solved, or has other rules.
        """
        cdef GameGraph* g = self._initialised()
        cdef Position p = board.position
        cdef Child child
        cdef uint64_t found
        cdef uint16_t result
        if board.compiled is not self.compiled:
            raise ValueError("the board has other rules than the graph")
        if g.phase != SOLVED:
            raise ValueError("the graph is not solved yet")
        if max(p.hand[0], p.hand[1]) >> g.packing.hand_bits:
            return None
        place_child(g, &p, &child)
        found = g.index[find_slot(g, &child.packed, child.slot)]
        if found == 0:
            return None
        result = g.results[found - 1]
        if result == 0:
            return 0, 0
        return (1 if is_win(result) else -1), distance_of(result)

    cdef GameGraph* _initialised(self) except NULL:
        if self.g == NULL:
            raise RuntimeError("the graph was not initialised")
        return self.g
