"""The order in which the search tries actions: what is likely best first."""

# Order of actions, from the first tried: the table's action, captures, killers, then quiet actions by history and tactics.
cdef enum:
    ORDER_TABLE = 1 << 30
    ORDER_CAPTURE = 1 << 28
    ORDER_KILLER = 1 << 26
    HISTORY_LIMIT = 1 << 13
    GOOD_QUIET = 1 << 12    # what each tactical merit or fault of a quiet action is worth
    BAD_QUIET = -(1 << 14)
    WAITING = 1 << 29       # taken off an action that another thread is at: it then comes after all others


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


cdef inline int quiet_order(const Search* s, const Position* p, const Tactics* tactics, Effect effect) noexcept nogil:
    cdef Bitboard origin = bit(origin_of(effect)), target = bit(target_of(effect))
    cdef int order = s.history[p.turn][origin_of(effect)][target_of(effect)]
    if kind_of(effect) == PASS or kind_of(effect) == PLACE_ROUTE:
        return order
    if tactics.dangers & target:
        order += BAD_QUIET
    if tactics.attacks & target:
        order += GOOD_QUIET
    if tactics.blocks & target:
        order += GOOD_QUIET
    if tactics.threatened & origin:
        order += GOOD_QUIET
    return order


cdef inline void order_actions(Search* s, const Position* p, int ply, uint32_t digest) noexcept nogil:
    cdef Frame* frame = &s.frames[ply]
    cdef Effect effect
    cdef uint64_t i
    cdef int order
    for i in range(frame.sink.count):
        effect = frame.sink.effects[i]
        if digest and digest_of(effect) == digest:
            order = ORDER_TABLE
        elif kind_of(effect) == CAPTURE:
            order = ORDER_CAPTURE + capture_order(s, p, effect)
        elif effect == frame.killers[0] or effect == frame.killers[1]:
            order = ORDER_KILLER
        else:
            order = quiet_order(s, p, &frame.tactics, effect)
        frame.order[i] = order


cdef inline Effect pick(Frame* frame, uint64_t i) noexcept nogil:
    """The next action to try, the i-th. Sorts as far as needed: most nodes try few."""
    cdef int* order = frame.order
    cdef Effect* effects = frame.sink.effects
    cdef Effect effect
    cdef uint64_t j
    cdef int top = order[i]
    # First the highest, then where it is: without branches that depend on the order the compiler uses vectors.
    for j in range(i + 1, frame.sink.count):
        top = order[j] if order[j] > top else top
    j = i
    while order[j] != top:
        j += 1
    effect = effects[j]
    order[j], effects[j] = order[i], effects[i]
    order[i], effects[i] = top, effect
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


cdef inline void learn(Search* s, int turn, Effect effect, int bonus) noexcept nogil:
    """Move the history of a quiet action towards a limit, so that old experience fades."""
    cdef int16_t* history = &s.history[turn][origin_of(effect)][target_of(effect)]
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
