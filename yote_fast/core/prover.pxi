"""Proofs of wins by search, where the graph of a game is too large.

The question is always: can the attacker, one of the sides, win within n plies, whatever the other side does? That depends on the
position and on n alone, not on how play came there: a line within n plies is finite, so no repetition has to be judged, and the
answers can be kept in a table (the graph-history interaction of draws by repetition does not arise). The table holds whole
positions, packed, so no answer is ever taken for another position's.

Asked for n = 1, 2, 3, ..., the first yes gives the exact distance.
"""

cdef enum:
    PROOF_BUCKET = 2        # entries of a cache line
    NEVER = 255
    FIRST_BUCKETS = 1 << 16

# What is known of a canonical position: half a cache line.
cdef struct ProofEntry:
    uint64_t words[MAX_WORDS]
    # Each by whether the attacker is to move.
    uint8_t won_within[2]       # plies; NEVER if no win was found
    uint8_t not_within[2]       # 1 + plies in which there is no win; 0 if none was ruled out
    uint16_t best               # digest of the action to try first
    uint16_t used               # 0: an empty entry

cdef struct ProofFrame:
    Sink sink
    int* order
    uint64_t order_capacity

cdef struct Proof:
    const Ruleset* rules
    BoardTurns symmetries
    Packing packing
    Control control
    ProofFrame frames[MAX_PLY + 1]
    Pages pages
    ProofEntry* entries
    uint64_t buckets
    uint64_t max_buckets
    uint64_t nodes
    uint64_t max_nodes
    int state


cdef inline bint same_entry(const Proof* s, const ProofEntry* entry, const Packed* packed) noexcept nogil:
    return entry.used != 0 and same_words(&s.packing, entry.words, packed.words)


cdef inline ProofEntry* proof_bucket(const Proof* s, const Packed* packed) noexcept nogil:
    return &s.entries[PROOF_BUCKET * (((mix(packed) >> 32) * s.buckets) >> 32)]


cdef inline ProofEntry* find_proof(const Proof* s, ProofEntry* bucket, const Packed* packed) noexcept nogil:
    cdef int i
    for i in range(PROOF_BUCKET):
        if same_entry(s, &bucket[i], packed):
            return &bucket[i]
    return NULL


cdef inline int effort(const ProofEntry* entry) noexcept nogil:
    """How much an entry is worth: by the plies that its answers are about."""
    cdef int most = max(entry.not_within[0], entry.not_within[1]), i
    if entry.used == 0:
        return -1
    for i in range(2):
        if entry.won_within[i] != NEVER:
            most = max(most, <int>entry.won_within[i] + 1)
    return most


cdef inline void store_proof(
    const Proof* s, ProofEntry* bucket, const Packed* packed, bint to_move, int plies, bint proved, uint16_t best,
) noexcept nogil:
    """Keep an answer, in the position's own entry or else in the least worthy of its bucket."""
    cdef ProofEntry* entry = find_proof(s, bucket, packed)
    cdef int i
    if entry == NULL:
        entry = &bucket[0]
        for i in range(1, PROOF_BUCKET):
            if effort(&bucket[i]) < effort(entry):
                entry = &bucket[i]
        for i in range(MAX_WORDS):
            entry.words[i] = packed.words[i]
        entry.won_within[0] = entry.won_within[1] = NEVER
        entry.not_within[0] = entry.not_within[1] = 0
        entry.used = 1
    if proved:
        entry.won_within[to_move] = min(entry.won_within[to_move], <uint8_t>plies)
    else:
        entry.not_within[to_move] = max(entry.not_within[to_move], <uint8_t>(plies + 1))
    if best:
        entry.best = best


cdef bint resize_table(Proof* s, uint64_t buckets) noexcept nogil:
    """Go on with so many buckets; False if there is no memory for them.

    A table grows with the search: most searches are short, and the system must zero the memory that it gives.
    """
    cdef Pages old = s.pages
    cdef const ProofEntry* entries = s.entries
    cdef uint64_t count = PROOF_BUCKET * s.buckets, i
    cdef Packed packed
    cdef ProofEntry* bucket
    s.pages = pages_allocate(buckets * PROOF_BUCKET * sizeof(ProofEntry))
    if s.pages.block == NULL:
        s.pages = old
        return False
    s.buckets = buckets
    s.entries = <ProofEntry*>s.pages.block
    for i in range(count):
        if entries[i].used:
            memcpy(packed.words, entries[i].words, sizeof(packed.words))
            bucket = proof_bucket(s, &packed)
            bucket[1 if bucket[0].used else 0] = entries[i]
    pages_release(old)
    return True


cdef inline uint16_t short_digest(Effect effect) noexcept nogil:
    return <uint16_t>(digest_of(effect) >> 16) | 1


# The order of actions: what decided the position before, then by the pieces and jumps that they win and leave.
cdef inline int proof_order(const Proof* s, const Position* p, Effect effect) noexcept nogil:
    cdef Bitboard own = p.pieces[p.turn], enemy = p.pieces[1 - p.turn] & ~cleared_by(effect)
    cdef int kind = kind_of(effect)
    if kind == STEP or kind == CAPTURE or kind == FREE_MOVE:
        own ^= bit(origin_of(effect)) ^ bit(target_of(effect))
    elif kind <= DROP_ROYAL:
        own |= bit(target_of(effect))
    return 100 * (popcount(cleared_by(effect)) + hand_of(effect)) + jump_balance(s.rules, p, own, enemy)


cdef bint order_proof(Proof* s, const Position* p, ProofFrame* frame, uint16_t best) noexcept nogil:
    cdef int* order
    cdef uint64_t i
    if frame.order_capacity < frame.sink.capacity:
        order = <int*>realloc(frame.order, frame.sink.capacity * sizeof(int))
        if order == NULL:
            s.state = NO_MEMORY
            return False
        frame.order = order
        frame.order_capacity = frame.sink.capacity
    for i in range(frame.sink.count):
        frame.order[i] = (
            WORTH_TABLE if best and short_digest(frame.sink.effects[i]) == best else proof_order(s, p, frame.sink.effects[i])
        )
    return True


cdef inline Effect pick_proof(ProofFrame* frame, uint64_t i) noexcept nogil:
    """The next action to try, the i-th."""
    cdef uint64_t best = i, j
    for j in range(i + 1, frame.sink.count):
        if frame.order[j] > frame.order[best]:
            best = j
    frame.order[best], frame.order[i] = frame.order[i], frame.order[best]
    frame.sink.effects[best], frame.sink.effects[i] = frame.sink.effects[i], frame.sink.effects[best]
    return frame.sink.effects[i]


cdef bint attacker_wins(Proof* s, Position* p, bint to_move, int plies, int ply) noexcept nogil:
    """Whether the attacker, who is ``to_move`` or not, can win within so many plies. ``p`` has white to move; it is made canonical.

    Meaningless once ``s.state`` is not SINK_OK.
    """
    cdef ProofFrame* frame = &s.frames[ply]
    cdef ProofEntry* entry
    cdef Packed packed
    cdef Position child
    cdef Effect effect
    cdef uint64_t i
    cdef uint16_t best = 0
    cdef int score
    cdef bint wins, decisive = False
    if s.nodes >= s.max_nodes or poll(&s.control):
        s.state = STOPPED
        return False
    s.nodes += 1
    if s.nodes > 2 * s.buckets and s.buckets < s.max_buckets and not resize_table(s, min(2 * s.buckets, s.max_buckets)):
        # The search is the same with the table that it has, only slower.
        s.max_buckets = s.buckets
    if not can_be_won_within(s.rules, p, 1 if to_move else 0, plies):
        return False
    if is_decided(s.rules, p):
        score = decided_score(p, 0)
        return score > 0 if to_move else score < 0
    if plies == 0 and (has_action(s.rules, p) or must_pass(s.rules, p)):
        return False

    make_canonical(s.rules, &s.symmetries, p)
    packed = pack(&s.packing, p)
    entry = find_proof(s, proof_bucket(s, &packed), &packed)
    if entry != NULL:
        if plies >= entry.won_within[to_move]:
            return True
        if plies < entry.not_within[to_move]:
            return False
        best = entry.best
    frame.sink.count = 0
    generate(s.rules, p, &frame.sink)
    if frame.sink.state != SINK_OK:
        s.state = frame.sink.state
        return False
    if frame.sink.count == 0:
        score = no_action_score(s.rules, p, 0)
        return score > 0 if to_move else score < 0
    if plies == 0 or not order_proof(s, p, frame, best):
        return False
    # The attacker needs one action that wins, the other side one that does not lose.
    for i in range(frame.sink.count):
        effect = pick_proof(frame, i)
        play_keyless(s.rules, p, effect, &child)
        if child.turn:
            wins = attacker_wins(s, &child, to_move, plies - 1, ply + 1)
        else:
            exchange_colours(&child)
            wins = attacker_wins(s, &child, not to_move, plies - 1, ply + 1)
        if s.state != SINK_OK:
            return False
        if wins == to_move:
            decisive = True
            break
    wins = decisive == to_move
    # The table may have grown meanwhile.
    store_proof(s, proof_bucket(s, &packed), &packed, to_move, plies, wins, short_digest(effect) if decisive else 0)
    return wins


@cython.final
cdef class Prover:
    """Proves forced wins of one position by full-width search, and keeps what it learned for the next question.

    Args:
        board: the position; its history does not count.
        memory_mb: mebibytes for the table.
        seconds, max_nodes: limits for all questions together; 0 for none.

    Raises:
        MemoryError: the table does not fit in memory.
    """

    cdef CompiledRules compiled
    cdef Proof* s
    cdef Position root
    cdef bint busy

    def __init__(self, Board board not None, uint64_t memory_mb, double seconds, uint64_t max_nodes):
        cdef Proof* s
        cdef int ply
        if self.s != NULL:
            raise RuntimeError("a prover is initialised once")
        self.compiled = board.compiled
        s = self.s = <Proof*>calloc(1, sizeof(Proof))
        if s == NULL:
            raise MemoryError("not enough memory for the search")
        s.rules = &self.compiled.c
        control_init(&s.control)
        for ply in range(MAX_PLY + 1):
            sink_init(&s.frames[ply].sink, EFFECTS, &s.control)
        if seconds > 0:
            s.control.deadline = monotonic_ns() + <int64_t>(seconds * 1e9)
        s.max_nodes = max_nodes if max_nodes else ~<uint64_t>0
        fill_board_turns(s.rules, &s.symmetries)
        s.packing = choose_packing(s.rules, &board.position)
        # While the table doubles, the old one is still there.
        s.max_buckets = (memory_mb << 20) // 3 * 2 // (PROOF_BUCKET * sizeof(ProofEntry))
        s.max_buckets = max(<uint64_t>1, min(s.max_buckets, MAX_POSITIONS))
        if not resize_table(s, min(s.max_buckets, <uint64_t>FIRST_BUCKETS)):
            raise MemoryError(f"not enough memory for a table of {memory_mb} MB")
        self.root = board.position

    def __dealloc__(self):
        cdef int ply
        if self.s != NULL:
            for ply in range(MAX_PLY + 1):
                sink_free(&self.s.frames[ply].sink)
                free(self.s.frames[ply].order)
            pages_release(self.s.pages)
            free(self.s)

    def ask(self, Board board, bint to_move, int plies):
        """Whether the side to move (or, without ``to_move``, the other side) can force a win within so many plies, 0 to 127.

        Args:
            board: a position that play can reach from the prover's own; None for that one.

        Returns:
            None if a limit, or :meth:`stop`, came first.
        """
        cdef Proof* s = self._initialised()
        cdef Position p = self.root if board is None else board.position
        cdef bint wins
        cdef int ply
        if board is not None and board.compiled is not self.compiled:
            raise ValueError("the board has other rules than the prover")
        if max(p.hand[0], p.hand[1]) >> s.packing.hand_bits:
            raise ValueError("play cannot lead from the prover's position to this one")
        if not 0 <= plies < MAX_PLY:
            raise ValueError(f"plies must be 0 to {MAX_PLY - 1}, not {plies}")
        if self.busy:
            raise RuntimeError("the prover is searching in another thread")
        if s.state != SINK_OK:
            return None
        for ply in range(MAX_PLY + 1):
            s.frames[ply].sink.state = SINK_OK
        if not p.turn:
            exchange_colours(&p)
        self.busy = True
        with nogil:
            wins = attacker_wins(s, &p, to_move, plies, 0)
        self.busy = False
        reraise(&s.control)
        if s.state == TOO_MANY:
            raise MemoryError(f"a position has more than {MAX_ACTIONS} legal actions")
        if s.state == NO_MEMORY:
            raise MemoryError("not enough memory for the search")
        return bool(wins) if s.state == SINK_OK else None

    def stop(self):
        """Make a running search, in another thread, give up."""
        self._initialised().control.stop = True

    @property
    def nodes(self):
        """Positions visited so far."""
        return self._initialised().nodes

    cdef Proof* _initialised(self) except NULL:
        if self.s == NULL:
            raise RuntimeError("the prover was not initialised")
        return self.s
