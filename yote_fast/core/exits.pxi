"""The first pass over a pair: what each position can leave the pair for, and how many steps it has.

Drops and captures lead to slices that are finished. A position with a won exit is won; one without steps has the value of its best
exit; the others wait for their steps.
"""

cdef enum:
    NO_EXIT = -UNKNOWN
    POSITIONS_PER_LOOK = 1 << 15    # between two looks at the signals
    CELLS_PER_TASK = 1 << 14


cdef inline void settle(Pair* pair, Half* h, uint64_t row, uint64_t col, int best, int steps, bint passes) noexcept nogil:
    """Write the state of a position with such a best exit, or NO_EXIT, and so many steps in the pair."""
    cdef int state, due = 0
    cdef uint64_t index = row * h.cols + col
    if best == NO_EXIT and steps == 0 and not passes:
        best = value_without_actions(pair.rules, h.slice.mover.pieces, h.slice.opponent.pieces)
    if passes:
        state = PASSING
    elif best > 0:
        state = PENDING | (WON if steps else CLOSED_WON)
        due = best - 1
    elif steps == 0:
        state = PENDING | LOST if best < 0 else CLOSED_DRAW
        due = -best - 1
    elif best == 0:
        state = OPEN_DRAW
    else:
        state = steps
        due = 0 if best == NO_EXIT else -best - 1
    h.states[index] = <uint8_t>state
    if not pair.distances:
        due = 0
    elif state <= MAX_COUNT or state & PENDING:
        h.due[index] = <uint16_t>due
    if state & PENDING and due < h.row_due[row]:
        h.row_due[row] = <uint16_t>due


# The quick pass: rules without royals, chains, bonus turns and passes -------------------------------------------------------------


cdef inline const SliceValues* find_values(const Pair* pair, Worker* worker, const Slice* s) noexcept nogil:
    cdef const SliceValues* values = pair.probe.directory[slice_code(s)]
    if values == NULL:
        worker.missing = True
    return values


cdef inline void set_target(
    Pair* pair, const Half* h, Worker* worker, Target* target, Bitboard left, int pieces, int hand,
) noexcept nogil:
    """The child whose mover is left with such a set on the board, and so many pieces in all and in hand."""
    cdef Slice child
    cdef const SliceValues* values
    cdef uint32_t entry
    cdef int size = popcount(left)
    target.row = NULL
    target.constant = 0
    if pieces == 0:
        target.constant = -1
        return
    if pair.rules.draw_at_three and pieces <= 3 and h.slice.mover.pieces <= 3:
        return
    child.mover.pieces, child.mover.hand, child.mover.royal = pieces, hand, NO_ROYAL
    child.opponent = h.slice.mover
    child.must_drop = False
    values = find_values(pair, worker, &child)
    if values == NULL:
        return
    if values.data == NULL:
        target.constant = values.constant
        return
    entry = class_of(pair.sets, size, left)
    use(pair, worker, row_bytes(values) + PAGES_AROUND)
    target.values = values
    target.row = row_of(values, entry >> CLASS_SHIFT)
    target.free = pair.sets.all & ~pair.sets.classes[size].representatives[entry >> CLASS_SHIFT]
    target.symmetry = entry & SYMMETRY_MASK


cdef inline int set_targets(
    Pair* pair, const Half* h, Worker* worker, Bitboard opponent, Bitboard jumped, Target* targets,
) noexcept nogil:
    """The children of a jump over a piece, one for each second removal; how many."""
    cdef Bitboard left = opponent ^ jumped, rest = left
    cdef int pieces = h.slice.opponent.pieces, hand = h.slice.opponent.hand, count = 0
    cdef bint from_hand = can_take_from_hand(pair.rules, left != 0, hand)
    while rest:
        set_target(pair, h, worker, &targets[count], left ^ (rest & (0 - rest)), pieces - 2, hand)
        rest &= rest - 1
        count += 1
    if from_hand:
        set_target(pair, h, worker, &targets[count], left, pieces - 2, hand - 1)
        count += 1
    if count == 0 or pair.rules.optional_removal:
        set_target(pair, h, worker, &targets[count], left, pieces - 1, hand)
        count += 1
    return count


# The children by capture of all positions of a row, made when a first position asks for them.
cdef struct Captures:
    Bitboard ready              # jumped squares whose targets are set
    int counts[MAX_SQUARES]
    Target targets[MAX_SQUARES][MAX_TARGETS]


cdef inline int better(int best, int child, const bint distances) noexcept nogil:
    """The better of the best exit so far and one to a child with such a value."""
    cdef int value
    if not distances:
        return max(best, 0 - child)
    value = after_ply(child, False)
    return value if best == NO_EXIT or preference(value) > preference(best) else best


cdef inline int best_capture(
    Pair* pair, const Half* h, Worker* worker, Captures* captures, Bitboard mover, Bitboard opponent, const bint distances,
) noexcept nogil:
    """The best exit by capture; without distances the first won one is enough."""
    cdef const Geometry* g = &pair.rules.geometry
    cdef const Symmetries* s = &pair.sets.symmetries
    cdef const Ranks* ranks = &pair.sets.ranks
    cdef Bitboard empty = pair.sets.all & ~(mover | opponent), landings, moved
    cdef Bitboard[MAX_SYMMETRIES] images
    cdef Target* target
    cdef int direction, landing, jumped, origin, i, best = NO_EXIT, made = 0, child
    for direction in range(EAST, SOUTH + 1):
        landings = shift(g, 0, 0, shift(g, 0, 0, mover, direction) & opponent, direction) & empty
        while landings:
            landing = lowest(landings)
            landings &= landings - 1
            jumped = landing - g.delta[direction]
            origin = jumped - g.delta[direction]
            if not captures.ready & bit(jumped):
                captures.ready |= bit(jumped)
                captures.counts[jumped] = set_targets(pair, h, worker, opponent, bit(jumped), captures.targets[jumped])
            for i in range(captures.counts[jumped]):
                target = &captures.targets[jumped][i]
                if target.row == NULL:
                    child = target.constant
                else:
                    if not made & (1 << target.symmetry):
                        made |= 1 << target.symmetry
                        images[target.symmetry] = image_of(s, target.symmetry, mover)
                    moved = images[target.symmetry] ^ s.squares[target.symmetry][origin] ^ s.squares[target.symmetry][landing]
                    child = value_in_row(
                        target.values, target.row, rank_of(ranks, h.movers, extract_bits(moved, target.free))
                    )
                best = better(best, child, distances)
                if not distances and best > 0:
                    return best
    return best


cdef inline int best_drop(
    const Pair* pair, const Half* h, const uint8_t* row, Bitboard compact, Bitboard room, int best, const bint distances,
) noexcept nogil:
    """The better of ``best`` and the best exit by a drop; ``compact`` is the mover's set among the squares of ``room``."""
    cdef const Ranks* ranks = &pair.sets.ranks
    cdef const uint32_t* high = ranks.high[h.movers + 1]
    cdef Bitboard low_part = compact & ranks.lower, high_part = compact >> ranks.half, vacant
    cdef uint64_t part
    if row == NULL:
        return better(best, h.drops.constant, distances) if room & ~compact else best
    # The half of the set that a drop leaves alone keeps its part of the rank.
    vacant = room & ~compact & ranks.lower
    part = high[high_part]
    while vacant and (distances or best <= 0):
        best = better(best, value_in_row(h.drops, row, part + ranks.low[low_part | (vacant & (0 - vacant))]), distances)
        vacant &= vacant - 1
    vacant = (room & ~compact) >> ranks.half
    part = ranks.low[low_part]
    while vacant and (distances or best <= 0):
        best = better(best, value_in_row(h.drops, row, part + high[high_part | (vacant & (0 - vacant))]), distances)
        vacant &= vacant - 1
    return best


cdef inline int count_steps(const Ruleset* rules, Bitboard mover, Bitboard empty) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef int direction, count = 0
    for direction in range(EAST, SOUTH + 1):
        count += popcount(shift(g, 0, 0, mover, direction) & empty)
    if rules.friendly_leap:
        for direction in range(EAST, SOUTH + 1):
            count += popcount(shift(g, 0, 0, shift(g, 0, 0, mover, direction) & mover, direction) & empty)
    return count


cdef inline void look_at_row(Pair* pair, Half* h, Worker* worker, uint64_t row, const bint distances) noexcept nogil:
    cdef Bitboard opponent = pair.sets.classes[h.opponents].representatives[row], free = pair.sets.all & ~opponent
    cdef Bitboard room = bit(popcount(free)) - 1, compact, mover, empty
    cdef const uint8_t* drop_row = row_of(h.drops, row) if h.drops != NULL else NULL
    cdef Captures captures
    cdef uint64_t col
    cdef int best, steps
    cdef bint obliged, must_capture
    captures.ready = 0
    for col in range(h.cols):
        compact = h.compact[col]
        mover = deposit_bits(compact, free)
        empty = free & ~mover
        best, steps = NO_EXIT, 0
        obliged = h.slice.must_drop and empty != 0
        if not obliged:
            best = best_capture(pair, h, worker, &captures, mover, opponent, distances)
        must_capture = pair.rules.mandatory_capture and best != NO_EXIT
        if not must_capture:
            if h.drops != NULL and (distances or best <= 0):
                best = best_drop(pair, h, drop_row, compact, room, best, distances)
            if not obliged and (distances or best <= 0):
                steps = count_steps(pair.rules, mover, empty)
        settle(pair, h, row, col, best, steps, False)


# The general pass: by the generator of all rules ----------------------------------------------------------------------------------


cdef inline void look_at_row_by_rules(Pair* pair, Half* h, Worker* worker, uint64_t row) noexcept nogil:
    cdef Position p, child
    cdef Sink* sink = &worker.sink
    cdef Bitboard opponent = pair.sets.classes[h.opponents].representatives[row // h.opponent_royals]
    cdef Bitboard free = pair.sets.all & ~opponent, royal = 0
    cdef uint64_t col, i
    cdef int best, steps, value, kind
    cdef bint passes
    if h.slice.opponent.royal == ROYAL_ON_BOARD:
        royal = nth_square(opponent, row % h.opponent_royals)
    memset(&p, 0, sizeof(Position))
    fill_position(&h.slice, &p)
    for col in range(h.cols):
        p.pieces[0] = opponent
        p.pieces[1] = deposit_bits(h.compact[col // h.mover_royals], free)
        p.royals = royal
        if h.slice.mover.royal == ROYAL_ON_BOARD:
            p.royals |= nth_square(p.pieces[1], col % h.mover_royals)
        best, steps, passes = NO_EXIT, 0, False
        sink.count = 0
        generate(pair.rules, &p, sink)
        if sink.state != SINK_OK:
            return
        for i in range(sink.count):
            kind = kind_of(sink.effects[i])
            if h.steps and kind == STEP:
                steps += 1
                continue
            if h.steps and kind == PASS:
                passes = True
                continue
            play_keyless(pair.rules, &p, sink.effects[i], &child)
            use(pair, worker, PAGES_AROUND)
            value = probe_position(&pair.probe, &child)
            if value == UNKNOWN:
                worker.missing = True
                return
            value = after_ply(value, child.turn == p.turn)
            if best == NO_EXIT or preference(value) > preference(best):
                best = value
        settle(pair, h, row, col, best, steps, passes)


cdef void find_exits(Pair* pair, Worker* worker) noexcept nogil:
    """One thread's share of the first pass."""
    cdef Half* h
    cdef uint64_t task, row, rows, done = 0
    cdef int half
    while not worker.control.stop and not worker.missing and worker.sink.state == SINK_OK:
        task = fetch_add(&pair.next_task, 1)
        for half in range(pair.count):
            h = &pair.halves[half]
            rows = rows_per_task(h)
            if task * rows < h.rows:
                break
            task -= (h.rows + rows - 1) // rows
        else:
            return
        use(pair, worker, PAGES_AROUND)
        for row in range(task * rows, min((task + 1) * rows, h.rows)):
            use(pair, worker, bytes_at_work(pair, h) + (row_bytes(h.drops) if h.drops != NULL else 0))
            if not pair.quick:
                look_at_row_by_rules(pair, h, worker, row)
            elif pair.distances:
                look_at_row(pair, h, worker, row, True)
            else:
                look_at_row(pair, h, worker, row, False)
            done += h.cols
            if done >= POSITIONS_PER_LOOK:
                fetch_add(&pair.positions_done, done)
                done = 0
                if look(&worker.control):
                    return


cdef inline uint64_t bytes_at_work(const Pair* pair, const Half* h) noexcept nogil:
    """Of a row: states, and with distances when they are due."""
    return 3 * h.cols if pair.distances else h.cols


cdef inline uint64_t rows_per_task(const Half* h) noexcept nogil:
    return max(<uint64_t>CELLS_PER_TASK // max(h.cols, 1), 1)
