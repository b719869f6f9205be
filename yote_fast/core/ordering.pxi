"""The order in which the search tries actions: what is likely best first.

The *rank* of an action is one number that tells how much speaks for it and where it is in the list. So the highest of some ranks
is found without a branch, and leads to its action; of equal actions the first comes first::

     31                    8 7                 0
      |        worth        | 255 - its index   |      indices count from 0 again after 255
               24b                   8b

Actions are generated in stages, for most positions are done with after the first good one: captures, then the killers as far as
they are legal, then all the others. Where much depth is left, and where the table names an action, all come at once.
"""

# What speaks for an action, from the first tried: the table's action, captures, killers, then quiet actions by history and tactics.
cdef enum:
    WORTH_TABLE = 1 << 22
    WORTH_CAPTURE = 1 << 21
    WORTH_KILLER = 1 << 20
    HISTORY_LIMIT = 1 << 13
    GOOD_QUIET = 1 << 12    # what each tactical merit or fault of a quiet action is worth
    BAD_QUIET = -(1 << 14)
    WAITING = 3 << 21       # taken off an action that another thread is at: it then comes after all others

# What a frame's list holds: captures; killers besides, the first of them or both; everything.
cdef enum:
    CAPTURES, ONE_KILLER, KILLERS, COMPLETE

cdef enum:
    CHUNK = 8               # ranks are compared so many at a time
    LOWEST_RANK = -0x7FFFFFFF
    LANES = 16              # numbers that are worked on at once
    MERITS = 3 * LANES      # a number for each square, and some more


cdef inline int ranked(int worth, uint64_t i) noexcept nogil:
    return worth * 256 + <int>(~i & 255)


cdef inline int worth_of(int rank) noexcept nogil:
    return rank >> 8


cdef inline int rank_at(int rank, uint64_t i) noexcept nogil:
    """The rank of an action that has come to another index."""
    return (rank & ~255) + <int>(~i & 255)


cdef inline bint make_room(Frame* frame) noexcept nogil:
    cdef int* ranks
    if frame.ranks_capacity < frame.sink.capacity:
        ranks = <int*>realloc(frame.ranks, (frame.sink.capacity + CHUNK) * sizeof(int))
        if ranks == NULL:
            return False
        frame.ranks = ranks
        frame.ranks_capacity = frame.sink.capacity
    return True


cdef inline void rank_captures(const Search* s, const Position* p, Frame* frame) noexcept nogil:
    """Captures by pieces won, then by the jumps that both sides have afterwards."""
    cdef Bitboard own, enemy
    cdef Effect effect
    cdef uint64_t i
    cdef int won
    for i in range(frame.sink.count):
        effect = frame.sink.effects[i]
        if kind_of(effect) == CAPTURE:
            own = p.pieces[p.turn] ^ bit(origin_of(effect)) ^ bit(target_of(effect))
            enemy = p.pieces[1 - p.turn] & ~cleared_by(effect)
            won = popcount(cleared_by(effect)) + hand_of(effect)
            frame.ranks[i] = ranked(WORTH_CAPTURE + 100 * won + jump_balance(s.rules, p, own, enemy), i)


cdef inline void find_merits(const Search* s, const Position* p, int16_t* merits, Bitboard* threatened) noexcept nogil:
    """What speaks for a piece on each square, and where pieces stand that had better leave."""
    cdef Tactics tactics = find_tactics(s.rules, p)
    cdef int chunk, first
    threatened[0] = tactics.threatened
    memset(merits, 0, MERITS * sizeof(int16_t))
    for chunk in range(MERITS // LANES):
        first = LANES * chunk
        lanes_add_where(<Lanes*>&merits[first], tactics.dangers >> first, BAD_QUIET)
        lanes_add_where(<Lanes*>&merits[first], tactics.attacks >> first, GOOD_QUIET)
        lanes_add_where(<Lanes*>&merits[first], tactics.blocks >> first, GOOD_QUIET)


cdef inline void rank_quiet(const Search* s, const Position* p, Frame* frame, uint64_t first) noexcept nogil:
    """Quiet actions, from the first of them on, by history and tactics."""
    cdef const int16_t* history = s.history[p.turn]
    cdef int16_t merits[MERITS]
    cdef Bitboard threatened
    cdef uint64_t i
    cdef int way
    find_merits(s, p, merits, &threatened)
    for i in range(first, frame.sink.count):
        way = way_of(frame.sink.effects[i])
        frame.ranks[i] = ranked(history[way] + merits[way & 63] + <int>(threatened >> (way >> 6) & 1) * GOOD_QUIET, i)
    if s.rules.trade_routes:
        for i in range(first, frame.sink.count):
            # Neither moves a piece.
            if kind_of(frame.sink.effects[i]) == PLACE_ROUTE or kind_of(frame.sink.effects[i]) == PASS:
                frame.ranks[i] = ranked(history[way_of(frame.sink.effects[i])], i)


cdef inline void rank_all(const Search* s, const Position* p, Frame* frame, uint32_t digest) noexcept nogil:
    cdef Effect effect
    cdef uint64_t i
    rank_quiet(s, p, frame, 0)
    rank_captures(s, p, frame)
    for i in range(frame.sink.count):
        effect = frame.sink.effects[i]
        if effect == frame.killers[0] or effect == frame.killers[1]:
            frame.ranks[i] = ranked(WORTH_KILLER, i)
        if digest and digest_of(effect) == digest:
            frame.ranks[i] = ranked(WORTH_TABLE, i)


cdef inline Effect pick(Frame* frame, uint64_t i) noexcept nogil:
    """Bring the best action that is left to the i-th place. Sorts as far as needed: most nodes try few."""
    cdef int* ranks = frame.ranks
    cdef Effect* effects = frame.sink.effects
    cdef Effect effect
    # A multiple of CHUNK: so the compiler needs no code for a rest.
    cdef uint64_t left = (frame.sink.count - i + CHUNK - 1) & ~<uint64_t>(CHUNK - 1), j
    cdef int top = ranks[i], k
    for k in range(CHUNK):
        ranks[frame.sink.count + k] = LOWEST_RANK
    for j in range(left):
        top = ranks[i + j] if ranks[i + j] > top else top
    j = i & ~<uint64_t>255 | (~top & 255)
    # A short list has one index that fits.
    while j < i or ranks[j] != top:
        j += 256
    effect = effects[j]
    ranks[j], effects[j] = rank_at(ranks[i], j), effects[i]
    ranks[i], effects[i] = rank_at(top, i), effect
    return effect


cdef inline bint generated(Search* s, Frame* frame) noexcept nogil:
    """Whether all went well, else the search ends."""
    if frame.sink.state == SINK_OK and not make_room(frame):
        frame.sink.state = NO_MEMORY
    if frame.sink.state != SINK_OK:
        s.state = frame.sink.state
        return False
    return True


cdef inline bint list_captures(Search* s, const Position* p, Frame* frame) noexcept nogil:
    """Begin a list with the captures; False if the search must end."""
    frame.sink.count = 0
    frame.sink.state = SINK_OK
    frame.stage = CAPTURES
    if not is_obliged_to_drop(s.rules, p):
        add_captures(s.rules, p, &frame.sink)
    if not generated(s, frame):
        return False
    rank_captures(s, p, frame)
    return True


cdef inline bint list_all(Search* s, const Position* p, Frame* frame, uint32_t digest) noexcept nogil:
    """List every action; False if the search must end."""
    frame.sink.count = 0
    frame.sink.state = SINK_OK
    frame.stage = COMPLETE
    generate(s.rules, p, &frame.sink)
    if not generated(s, frame):
        return False
    rank_all(s, p, frame, digest)
    return True


cdef inline bint begin_list(Search* s, const Position* p, Frame* frame, int depth, uint32_t digest) noexcept nogil:
    """List the actions that are to be tried first, or all; False if the search must end."""
    if digest or depth >= SHARED_DEPTH or s.rules.trade_routes:
        return list_all(s, p, frame, digest)
    return list_captures(s, p, frame)


cdef inline void remove_action(Frame* frame, uint64_t first, Effect effect) noexcept nogil:
    """Take an action off the end of a list, from the first of it on."""
    cdef uint64_t i
    for i in range(first, frame.sink.count):
        if frame.sink.effects[i] == effect:
            frame.sink.count -= 1
            frame.sink.effects[i] = frame.sink.effects[frame.sink.count]
            return


cdef inline bint extend_list(Search* s, const Position* p, Frame* frame) noexcept nogil:
    """Add the next stage to a list; False if the search must end."""
    cdef Action killer
    cdef uint64_t first = frame.sink.count
    if frame.stage == KILLERS:
        add_quiet_main_actions(s.rules, p, &frame.sink)
        if first == 0 and frame.sink.count == 0:
            add_forced_pass(s.rules, p, &frame.sink)
        if not generated(s, frame):
            return False
        remove_action(frame, first, frame.killers[0])
        remove_action(frame, first, frame.killers[1])
        rank_quiet(s, p, frame, first)
    else:
        killer.effect = frame.killers[frame.stage - CAPTURES]
        killer.path = no_path()
        if killer.effect != NO_ACTION and is_legal_action(s.rules, p, &killer, &s.control):
            add(&frame.sink, killer.effect)
            if not generated(s, frame):
                return False
            frame.ranks[first] = ranked(WORTH_KILLER, first)
    frame.stage += 1
    return True


cdef inline bint has_next(Search* s, const Position* p, Frame* frame, uint64_t i) noexcept nogil:
    """Whether there is an i-th action to try. False too if the search must end."""
    while i == frame.sink.count and frame.stage != COMPLETE:
        if not extend_list(s, p, frame):
            return False
    return i < frame.sink.count


cdef inline void learn(Search* s, int turn, Effect effect, int bonus) noexcept nogil:
    """Move the history of a quiet action towards a limit, so that old experience fades."""
    cdef int16_t* history = &s.history[turn][way_of(effect)]
    history[0] += bonus - history[0] * abs(bonus) // HISTORY_LIMIT


cdef inline void remember_refutation(Search* s, const Position* p, int ply, int depth, uint64_t tried) noexcept nogil:
    """The last of the actions tried refuted what came before. If it is quiet, try it early elsewhere, and those before it late."""
    cdef Frame* frame = &s.frames[ply]
    cdef Effect effect = frame.sink.effects[tried]
    cdef int bonus = min(32 * depth * depth, HISTORY_LIMIT // 4)
    cdef uint64_t i
    if kind_of(effect) == CAPTURE:
        return
    if frame.killers[0] != effect:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = effect
    learn(s, p.turn, effect, bonus)
    for i in range(tried):
        if kind_of(frame.sink.effects[i]) != CAPTURE:
            learn(s, p.turn, frame.sink.effects[i], -bonus)
