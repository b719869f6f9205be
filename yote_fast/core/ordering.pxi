"""The order in which the search tries actions: what is likely best first.

The *priority* of an action is one number that tells how much speaks for it and where it is in the list. So the highest of some
priorities is found without a branch, and leads to its action::

     31                    8 7                 0
      |        worth        | 255 - its index   |      indices count from 0 again after 255
               24b                   8b

Actions are listed in stages, for most positions are done with after the first good one: captures, then the killers as far as they
are legal, then all the others. Where much depth is left, where the table names an action, and in games with routes, all come at
once.
"""

# What speaks for an action, from the first tried: the table's action, captures, killers, then quiet actions by history and tactics.
cdef enum:
    WORTH_TABLE = 1 << 22
    WORTH_CAPTURE = 1 << 21
    WORTH_KILLER = 1 << 20
    HISTORY_LIMIT = 1 << 13
    GOOD_QUIET = 1 << 12    # what each tactical merit or fault of a quiet action is worth
    BAD_QUIET = -(1 << 14)
    # Taken off an action that another thread is at. It then comes after all others: even the table's is worth less than any other.
    WAITING = 3 << 21

# How much a frame's list holds: captures; what is legal of the first killer besides, or of both; everything.
cdef enum:
    CAPTURES_LISTED, KILLER_LISTED, KILLERS_LISTED, ALL_LISTED

cdef enum:
    CHUNK = 8               # priorities are compared so many at a time
    LOWEST_PRIORITY = -0x7FFFFFFF
    MERITS = 3 * LANES      # a number for each square, and some more


cdef inline int priority(int worth, uint64_t i) noexcept nogil:
    return worth * 256 + <int>(~i & 255)


cdef inline int worth_of(int of_action) noexcept nogil:
    return of_action >> 8


cdef inline bint is_waiting(int of_action) noexcept nogil:
    return worth_of(of_action) < -WORTH_KILLER


cdef inline int moved_to(int of_action, uint64_t i) noexcept nogil:
    """The priority of an action that has come to another index."""
    return (of_action & ~255) + <int>(~i & 255)


cdef inline bint check_list(Search* s, Frame* frame) noexcept nogil:
    """Make room for the priorities of all that is listed. False if the search must end: for want of memory, or stopped."""
    cdef int* priorities
    if frame.sink.state == SINK_OK and frame.priorities_capacity < frame.sink.capacity:
        # To find the highest, a chunk is read that can end behind the last.
        priorities = <int*>realloc(frame.priorities, (frame.sink.capacity + CHUNK) * sizeof(int))
        if priorities == NULL:
            frame.sink.state = NO_MEMORY
        else:
            frame.priorities = priorities
            frame.priorities_capacity = frame.sink.capacity
    if frame.sink.state != SINK_OK:
        s.state = frame.sink.state
        return False
    return True


cdef inline void rate_captures(const Search* s, const Position* p, Frame* frame) noexcept nogil:
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
            frame.priorities[i] = priority(WORTH_CAPTURE + 100 * won + jump_balance(s.rules, p, own, enemy), i)


cdef inline void find_merits(const Search* s, const Position* p, int16_t* merits, Bitboard* threatened) noexcept nogil:
    """What speaks for and against going to each square, and where pieces stand that had better leave."""
    cdef Tactics tactics = find_tactics(s.rules, p)
    cdef int chunk, first
    threatened[0] = tactics.threatened
    memset(merits, 0, MERITS * sizeof(int16_t))
    for chunk in range(MERITS // LANES):
        first = LANES * chunk
        lanes_add_where(<Lanes*>&merits[first], tactics.dangers >> first, BAD_QUIET)
        lanes_add_where(<Lanes*>&merits[first], tactics.attacks >> first, GOOD_QUIET)
        lanes_add_where(<Lanes*>&merits[first], tactics.blocks >> first, GOOD_QUIET)


cdef inline void rate_quiet(const Search* s, const Position* p, Frame* frame, uint64_t first) noexcept nogil:
    """Quiet actions, from the one at index ``first`` on, by history and tactics."""
    cdef const int16_t* history = s.history[p.turn]
    cdef int16_t merits[MERITS]
    cdef Bitboard threatened
    cdef uint64_t i
    cdef int way
    find_merits(s, p, merits, &threatened)
    for i in range(first, frame.sink.count):
        way = way_of(frame.sink.effects[i])
        frame.priorities[i] = priority(history[way] + merits[way & 63] + <int>(threatened >> (way >> 6) & 1) * GOOD_QUIET, i)
    if s.rules.trade_routes:
        # These move no piece.
        for i in range(first, frame.sink.count):
            if kind_of(frame.sink.effects[i]) == PLACE_ROUTE:
                frame.priorities[i] = priority(history[way_of(frame.sink.effects[i])], i)
            elif kind_of(frame.sink.effects[i]) == PASS:
                frame.priorities[i] = priority(0, i)


cdef inline void rate_all(const Search* s, const Position* p, Frame* frame, uint32_t digest) noexcept nogil:
    cdef Effect effect
    cdef uint64_t i
    rate_quiet(s, p, frame, 0)
    rate_captures(s, p, frame)
    for i in range(frame.sink.count):
        effect = frame.sink.effects[i]
        if effect == frame.killers[0] or effect == frame.killers[1]:
            frame.priorities[i] = priority(WORTH_KILLER, i)
        if digest and digest_of(effect) == digest:
            frame.priorities[i] = priority(WORTH_TABLE, i)


cdef inline Effect pick(Frame* frame, uint64_t i) noexcept nogil:
    """Bring the best action that is left to the i-th place. Sorts as far as needed: most nodes try few."""
    cdef int* priorities = frame.priorities
    cdef Effect* effects = frame.sink.effects
    cdef Effect effect
    # A multiple of CHUNK: so the compiler needs no code for a rest.
    cdef uint64_t left = (frame.sink.count - i + CHUNK - 1) & ~<uint64_t>(CHUNK - 1), j
    cdef int top = priorities[i], k
    for k in range(CHUNK):
        priorities[frame.sink.count + k] = LOWEST_PRIORITY
    for j in range(left):
        top = priorities[i + j] if priorities[i + j] > top else top
    j = i & ~<uint64_t>255 | (~top & 255)
    # A short list has one index that fits.
    while j < i or priorities[j] != top:
        j += 256
    effect = effects[j]
    priorities[j], effects[j] = moved_to(priorities[i], j), effects[i]
    priorities[i], effects[i] = moved_to(top, i), effect
    return effect


cdef inline void begin_list(Frame* frame, int listed) noexcept nogil:
    frame.sink.count = 0
    frame.sink.state = SINK_OK
    frame.listed = listed


cdef inline bint list_captures(Search* s, const Position* p, Frame* frame) noexcept nogil:
    """List the captures; False if the search must end."""
    begin_list(frame, CAPTURES_LISTED)
    if not is_obliged_to_drop(s.rules, p):
        add_captures(s.rules, p, &frame.sink)
    if not check_list(s, frame):
        return False
    rate_captures(s, p, frame)
    return True


cdef inline bint list_all(Search* s, const Position* p, Frame* frame, uint32_t digest) noexcept nogil:
    """List every action; False if the search must end."""
    begin_list(frame, ALL_LISTED)
    generate(s.rules, p, &frame.sink)
    if not check_list(s, frame):
        return False
    rate_all(s, p, frame, digest)
    return True


cdef inline bint list_first(Search* s, const Position* p, Frame* frame, int depth, uint32_t digest) noexcept nogil:
    """List the actions that are to be tried first, or all; False if the search must end."""
    if digest or depth >= SHARED_DEPTH or s.rules.trade_routes:
        return list_all(s, p, frame, digest)
    return list_captures(s, p, frame)


cdef inline void remove_action(Frame* frame, uint64_t first, Effect effect) noexcept nogil:
    """Take an action off the list that is at index ``first`` or behind."""
    cdef uint64_t i
    for i in range(first, frame.sink.count):
        if frame.sink.effects[i] == effect:
            frame.sink.count -= 1
            frame.sink.effects[i] = frame.sink.effects[frame.sink.count]
            return


cdef inline bint list_more(Search* s, const Position* p, Frame* frame) noexcept nogil:
    """List the actions of the next stage as well; False if the search must end."""
    cdef Action killer
    cdef Sink sink
    cdef uint64_t first = frame.sink.count, i
    if frame.listed == KILLERS_LISTED:
        add_quiet_main_actions(s.rules, p, &frame.sink)
        if frame.sink.count == 0:
            add_forced_pass(s.rules, p, &frame.sink)
        if not check_list(s, frame):
            return False
        for i in range(first):
            if kind_of(frame.sink.effects[i]) != CAPTURE:
                remove_action(frame, first, frame.sink.effects[i])
        rate_quiet(s, p, frame, first)
    else:
        killer.effect = frame.killers[frame.listed - CAPTURES_LISTED]
        killer.path = no_path()
        if killer.effect != NO_ACTION and is_legal_action(s.rules, p, &killer, &s.control, &sink):
            add(&frame.sink, killer.effect)
            if not check_list(s, frame):
                return False
            frame.priorities[first] = priority(WORTH_KILLER, first)
    frame.listed += 1
    return True


cdef inline bint has_next(Search* s, const Position* p, Frame* frame, uint64_t i) noexcept nogil:
    """Whether there is an i-th action to try. False too if the search must end."""
    while i == frame.sink.count and frame.listed != ALL_LISTED:
        if not list_more(s, p, frame):
            return False
    return i < frame.sink.count


cdef inline void learn(Search* s, int turn, Effect effect, int bonus) noexcept nogil:
    """Move the history of a quiet action towards a limit, so that old experience fades."""
    cdef int16_t* history = &s.history[turn][way_of(effect)]
    history[0] += bonus - history[0] * abs(bonus) // HISTORY_LIMIT


cdef inline bint is_remembered(Effect effect) noexcept nogil:
    """Whether an action has a history: captures and passes have none."""
    return kind_of(effect) != CAPTURE and kind_of(effect) != PASS


cdef inline void remember_refutation(Search* s, const Position* p, int ply, int depth, uint64_t tried) noexcept nogil:
    """The last of the actions tried refuted what came before. If it is quiet, try it early elsewhere, and those before it late."""
    cdef Frame* frame = &s.frames[ply]
    cdef Effect effect = frame.sink.effects[tried]
    cdef int bonus = min(32 * depth * depth, HISTORY_LIMIT // 4)
    cdef uint64_t i
    if not is_remembered(effect):
        return
    if frame.killers[0] != effect:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = effect
    learn(s, p.turn, effect, bonus)
    for i in range(tried):
        if is_remembered(frame.sink.effects[i]):
            learn(s, p.turn, frame.sink.effects[i], -bonus)
