"""Alpha-beta search: principal variation search with a transposition table.

Scores are for the side to move, in hundredths of a piece; a proven win in n plies is WIN - n, a loss n - WIN. A side can act twice
in a row (bonus turns, the actions of a route turn): then a child's score is not negated, nor its window turned.
"""

cdef enum:
    WIN = 30000
    PROVEN = WIN - 1000     # scores beyond +-PROVEN are proven wins and losses
    INFINITE = 32000
    MAX_PLY = 128
    LOOK_INTERVAL = 1024    # nodes between two looks at the clock and at signals
    QUIET_CAPTURES = 6      # captures tried in a quiescence node

# Order of actions, from the first tried.
cdef enum:
    ORDER_TABLE = 1 << 30
    ORDER_CAPTURE = 1 << 28
    ORDER_KILLER = 1 << 27
    HISTORY_LIMIT = 1 << 26

# What the search keeps for each ply of its line.
cdef struct Frame:
    Sink sink
    int* order              # of each action in the sink; the highest is tried first
    uint64_t order_capacity
    uint64_t key
    int reversible          # plies since something happened that cannot be undone
    Effect killers[2]
    Effect pv[MAX_PLY]
    int pv_length

cdef struct Search:
    const Ruleset* rules
    Table table
    Control control
    Frame frames[MAX_PLY + 1]
    int history[2][64][64]  # by side, from, to: how often a quiet action was best
    uint64_t* past          # keys of the game before the root, oldest first, as far as they can come again
    int past_length
    uint64_t nodes
    uint64_t max_nodes
    int seldepth
    int state               # of the sinks; anything but SINK_OK ends the search


cdef inline int decided_score(const Ruleset* rules, const Position* p, int ply) noexcept nogil:
    """The score of a game that the number of pieces has ended."""
    cdef int own = piece_count(p, p.turn), enemy = piece_count(p, 1 - p.turn)
    if own and not enemy:
        return WIN - ply
    if enemy and not own:
        return ply - WIN
    return 0


cdef inline int no_action_score(const Ruleset* rules, const Position* p, int ply) noexcept nogil:
    """The score of a side that cannot act, where the other cannot either or need not."""
    cdef int lead = piece_count(p, p.turn) - piece_count(p, 1 - p.turn)
    if rules.no_moves == PASSES:
        return 0
    if rules.no_moves == LOSES or lead < 0:
        return ply - WIN
    return WIN - ply if lead > 0 else 0


cdef inline int score_to_table(int score, int ply) noexcept nogil:
    """Proven distances from the root become distances from the position."""
    return score + ply if score > PROVEN else score - ply if score < -PROVEN else score


cdef inline int score_from_table(int score, int ply) noexcept nogil:
    return score - ply if score > PROVEN else score + ply if score < -PROVEN else score


cdef inline bint is_repetition(const Search* s, int ply) noexcept nogil:
    """Whether the position at ``ply`` stood before, in the line or in the game."""
    cdef const Frame* frame = &s.frames[ply]
    cdef int back
    for back in range(2, frame.reversible + 1):
        if back <= ply:
            if s.frames[ply - back].key == frame.key:
                return True
        elif s.past[s.past_length - (back - ply)] == frame.key:
            return True
    return False


cdef inline bint give_up(Search* s) noexcept nogil:
    if s.state != SINK_OK:
        return True
    if s.nodes >= s.max_nodes or (s.nodes % LOOK_INTERVAL == 0 and look(&s.control)):
        s.state = STOPPED
        return True
    return False


cdef inline bint make_room(Frame* frame) noexcept nogil:
    cdef int* order
    if frame.order_capacity < frame.sink.capacity:
        order = <int*>realloc(frame.order, frame.sink.capacity * sizeof(int))
        if order == NULL:
            return False
        frame.order = order
        frame.order_capacity = frame.sink.capacity
    return True


cdef inline int capture_order(const Search* s, const Position* p, Effect effect) noexcept nogil:
    """Captures by pieces won, then by the jumps that both sides have afterwards."""
    cdef Bitboard own = p.pieces[p.turn] ^ bit(origin_of(effect)) ^ bit(target_of(effect))
    cdef Bitboard enemy = p.pieces[1 - p.turn] & ~cleared_by(effect)
    cdef Bitboard empty = s.rules.geometry.all & ~(own | enemy)
    return (
        100 * (popcount(cleared_by(effect)) + hand_of(effect))
        + 10 * count_jumps(s.rules, p, own, enemy, empty) - 30 * count_jumps(s.rules, p, enemy, own, empty)
    )


cdef inline void order_actions(Search* s, const Position* p, int ply, uint32_t digest) noexcept nogil:
    cdef Frame* frame = &s.frames[ply]
    cdef Effect effect
    cdef uint64_t i
    cdef int order
    for i in range(frame.sink.count):
        effect = frame.sink.effects[i]
        if kind_of(effect) == CAPTURE:
            order = ORDER_CAPTURE + capture_order(s, p, effect)
        elif effect == frame.killers[0] or effect == frame.killers[1]:
            order = ORDER_KILLER
        else:
            order = s.history[p.turn][origin_of(effect)][target_of(effect)]
        if digest and digest_of(effect) == digest:
            order = ORDER_TABLE
        frame.order[i] = order


cdef inline Effect pick(Frame* frame, uint64_t i) noexcept nogil:
    """The next action to try, the i-th. Sorts as far as needed: most nodes try few."""
    cdef uint64_t best = i, j
    cdef int order
    cdef Effect effect
    for j in range(i + 1, frame.sink.count):
        if frame.order[j] > frame.order[best]:
            best = j
    order, effect = frame.order[best], frame.sink.effects[best]
    frame.order[best], frame.sink.effects[best] = frame.order[i], frame.sink.effects[i]
    frame.order[i], frame.sink.effects[i] = order, effect
    return effect


cdef inline bint list_actions(Search* s, const Position* p, int ply, bint captures_only, uint32_t digest) noexcept nogil:
    """Generate and order; False if the search must end."""
    cdef Frame* frame = &s.frames[ply]
    frame.sink.count = 0
    frame.sink.state = SINK_OK
    if captures_only:
        add_captures(s.rules, p, &frame.sink)
    else:
        generate(s.rules, p, &frame.sink)
    if frame.sink.state == SINK_OK and not make_room(frame):
        frame.sink.state = NO_MEMORY
    if frame.sink.state != SINK_OK:
        s.state = frame.sink.state
        return False
    order_actions(s, p, ply, digest)
    return True


cdef inline void remember_good(Search* s, const Position* p, int ply, int depth, Effect effect) noexcept nogil:
    """A quiet action refuted what came before: try it early elsewhere."""
    cdef Frame* frame = &s.frames[ply]
    cdef int* history = &s.history[p.turn][origin_of(effect)][target_of(effect)]
    if kind_of(effect) == CAPTURE:
        return
    if frame.killers[0] != effect:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = effect
    history[0] = min(history[0] + depth * depth, HISTORY_LIMIT)


cdef inline void extend_pv(Search* s, int ply, Effect effect) noexcept nogil:
    cdef Frame* frame = &s.frames[ply]
    cdef const Frame* child = &s.frames[ply + 1]
    cdef int length = min(child.pv_length, MAX_PLY - 1)
    frame.pv[0] = effect
    memcpy(&frame.pv[1], child.pv, length * sizeof(Effect))
    frame.pv_length = length + 1


cdef inline void enter(Search* s, const Position* p, int ply, Effect effect) noexcept nogil:
    """Note the position after an action as the next of the line."""
    cdef Frame* frame = &s.frames[ply]
    cdef int kind = kind_of(effect)
    frame.key = p.key
    frame.reversible = s.frames[ply - 1].reversible + 1 if kind == STEP or kind == FREE_MOVE or kind == PASS else 0


cdef int quiesce(Search* s, const Position* p, int alpha, int beta, int ply) noexcept nogil:
    """The score once captures have calmed down.

    Only the likeliest captures are tried, so it can be a guess, but never a false proof: a side that need not capture may be
    content with how it stands, and one that must is not called lost for captures not tried.
    """
    cdef Frame* frame = &s.frames[ply]
    cdef Position child
    cdef Effect effect
    cdef uint64_t i
    cdef int best, score, standing
    cdef bint forced
    frame.pv_length = 0
    if give_up(s):
        return 0
    s.nodes += 1
    s.seldepth = max(s.seldepth, ply)
    if is_decided(s.rules, p):
        return decided_score(s.rules, p, ply)
    if not has_action(s.rules, p) and not must_pass(s.rules, p):
        return no_action_score(s.rules, p, ply)
    standing = evaluate(s.rules, p)
    if ply >= MAX_PLY or p.stage != BEFORE_MAIN or not can_capture(s.rules, p) or (p.must_drop and can_drop(s.rules, p)):
        return standing
    forced = s.rules.mandatory_capture and not s.rules.trade_routes
    best = -INFINITE if forced else standing
    if best >= beta:
        return best
    alpha = max(alpha, best)
    if not list_actions(s, p, ply, True, 0):
        return 0
    for i in range(min(frame.sink.count, <uint64_t>QUIET_CAPTURES)):
        effect = pick(frame, i)
        play(s.rules, p, effect, &child)
        if child.turn == p.turn:
            score = quiesce(s, &child, alpha, beta, ply + 1)
        else:
            score = -quiesce(s, &child, -beta, -alpha, ply + 1)
        if s.state != SINK_OK:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                extend_pv(s, ply, effect)
            if alpha >= beta:
                break
    if best < -PROVEN and frame.sink.count > QUIET_CAPTURES:
        return standing
    return best


cdef inline int search_child(
    Search* s, const Position* p, const Position* child, int depth, int alpha, int beta, int ply,
) noexcept nogil:
    if child.turn == p.turn:
        return search(s, child, depth, alpha, beta, ply)
    return -search(s, child, depth, -beta, -alpha, ply)


cdef int search(Search* s, const Position* p, int depth, int alpha, int beta, int ply) noexcept nogil:
    """The score of ``p``: exact between alpha and beta, else a bound on the side it falls."""
    cdef Frame* frame = &s.frames[ply]
    cdef Position child
    cdef Found found
    cdef Effect effect, best_effect = 0
    cdef uint64_t i
    cdef int best = -INFINITE, old_alpha, score
    frame.pv_length = 0
    if ply > 0 and is_repetition(s, ply):
        return 0
    if depth <= 0 or ply >= MAX_PLY:
        return quiesce(s, p, alpha, beta, ply)
    if give_up(s):
        return 0
    s.nodes += 1
    s.seldepth = max(s.seldepth, ply)
    if is_decided(s.rules, p):
        return decided_score(s.rules, p, ply)

    # No line can be better than to win on the next ply, nor worse than to have lost here.
    alpha = max(alpha, ply - WIN)
    beta = min(beta, WIN - ply - 1)
    if alpha >= beta:
        return alpha
    old_alpha = alpha

    found = look_up(&s.table, p.key)
    # Not where the window is open: there the line is wanted, to its end.
    if found.bound and beta - alpha == 1:
        score = score_from_table(found.score, ply)
        # A proven score holds at any depth.
        if found.depth >= depth or score > PROVEN or score < -PROVEN:
            if found.bound == EXACT or (found.bound == LOWER and score >= beta) or (found.bound == UPPER and score <= alpha):
                return score

    if not list_actions(s, p, ply, False, found.digest):
        return 0
    if frame.sink.count == 0:
        return no_action_score(s.rules, p, ply)
    for i in range(frame.sink.count):
        effect = pick(frame, i)
        play(s.rules, p, effect, &child)
        enter(s, &child, ply + 1, effect)
        if i == 0:
            score = search_child(s, p, &child, depth - 1, alpha, beta, ply + 1)
        else:
            score = search_child(s, p, &child, depth - 1, alpha, alpha + 1, ply + 1)
            if alpha < score < beta:
                score = search_child(s, p, &child, depth - 1, alpha, beta, ply + 1)
        if s.state != SINK_OK:
            return 0
        if score > best:
            best = score
            best_effect = effect
            if score > alpha:
                alpha = score
                extend_pv(s, ply, effect)
            if alpha >= beta:
                remember_good(s, p, ply, depth, effect)
                break
    store(
        &s.table, p.key, score_to_table(best, ply), depth,
        LOWER if best >= beta else EXACT if best > old_alpha else UPPER, digest_of(best_effect),
    )
    return best


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
    cdef void* memory
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
        self.memory = calloc(buckets * BUCKET * sizeof(TableEntry) + 63, 1)
        if self.memory == NULL:
            raise MemoryError(f"not enough memory for a table of {hash_mb} MB")
        self.s.table.entries = <TableEntry*>((<size_t>self.memory + 63) & ~<size_t>63)
        self.s.table.buckets = buckets
        for ply in range(MAX_PLY + 1):
            sink_init(&self.s.frames[ply].sink, EFFECTS, &self.s.control)

    def __dealloc__(self):
        cdef int ply
        if self.s != NULL:
            for ply in range(MAX_PLY + 1):
                sink_free(&self.s.frames[ply].sink)
                free(self.s.frames[ply].order)
            free(self.s.past)
            free(self.s)
        free(self.memory)

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

    def iterate(self, int depth):
        """Search to a depth. Returns the score for the side to move and the principal variation, a list of moves; None if a limit,
        or :meth:`stop`, ended it."""
        cdef Search* s = self._idle()
        cdef int score
        if self.board is None:
            raise RuntimeError("start comes before iterate")
        if not 1 <= depth <= MAX_PLY:
            raise ValueError(f"depth must be 1 to {MAX_PLY}, not {depth}")
        self.busy = True
        with nogil:
            score = search(s, &self.board.position, depth, -INFINITE, INFINITE, 0)
        self.busy = False
        if s.state == SINK_OK:
            return score, self._moves_of_pv()
        if s.state == TOO_MANY:
            raise MemoryError(f"a position has more than {MAX_ACTIONS} legal actions")
        if s.state == NO_MEMORY:
            raise MemoryError("not enough memory for the legal actions")
        reraise(&s.control)
        return None

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

    def evaluate(self):
        """The quick guess of the position itself."""
        if self.board is None:
            raise RuntimeError("start comes before evaluate")
        return evaluate(&self.compiled.c, &self.board.position)

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
