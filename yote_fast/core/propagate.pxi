"""Backwards from what is decided: a lost position makes its predecessors won, a won one takes a step from them.

Turn and turn about, `gather` tells of newly decided positions by records sorted by the rows that they go to, and `spread` applies
them, each row in one thread. Only steps lead back: drops and captures come from slices that wait for this one. With distances each
turn is one ply; else the order does not matter, and a turn takes all that is known and that the pool of records holds.
"""


cdef inline bint append(Pair* pair, Worker* worker, Half* to, uint64_t row, uint64_t record) noexcept nogil:
    """Put a record where its row's partition is; false if the pool is empty."""
    cdef Chunk** chunks = worker.chunks[to - &pair.halves[0]]
    cdef uint64_t partition = row >> to.partition_shift, number
    cdef Chunk* chunk = chunks[partition]
    if chunk == NULL or chunk.count == CHUNK_RECORDS:
        number = fetch_add(&pair.pool_used, 1)
        if number >= pair.pool_size:
            return False
        chunk = &pair.pool[number]
        chunk.next = chunks[partition]
        chunk.count = 0
        chunks[partition] = chunk
    chunk.records[chunk.count] = record
    chunk.count += 1
    return True


cdef inline void send(
    Pair* pair, Worker* worker, Half* to, uint64_t row, Bitboard seen, int place, Bitboard opponent, int opponent_place, bint won,
) noexcept nogil:
    cdef uint64_t target = row
    if not pair.quick:
        target = row * to.opponent_royals + place
        append(pair, worker, to, target, (target << RECORD_ROYAL_BITS | opponent_place) << RECORD_ROW_SHIFT | opponent << 1 | won)
    else:
        append(pair, worker, to, target, target << RECORD_ROW_SHIFT | opponent << 1 | won)


cdef inline int place_of(const Symmetries* s, int symmetry, Bitboard royal, Bitboard image) noexcept nogil:
    """The place of a royal, 0 where there is none, in the image of its side's set."""
    if royal == 0:
        return 0
    return popcount(image & (image_of(s, symmetry, royal) - 1))


cdef inline void tell(
    Pair* pair, Half* h, Worker* worker, Bitboard mover, Bitboard mover_royal, Bitboard opponent, Bitboard opponent_royal,
    const Bitboard* images, bint opponent_symmetric, bint won,
) noexcept nogil:
    """Write the records of a decided position.

    Of the positions that symmetries make of it, predecessors' steps lead to those whose mover's set is a representative: one, or
    several where that set has a symmetry of its own. A step counts as one to the cell that the symmetry of the opponent's class
    picks; where the opponent's set has a symmetry of its own, that may be another cell with the same value.
    """
    cdef const Sets* sets = pair.sets
    cdef const Symmetries* s = &sets.symmetries
    cdef uint32_t entry = class_of(sets, h.movers, mover)
    cdef uint64_t row = entry >> CLASS_SHIFT
    cdef int symmetry = entry & SYMMETRY_MASK
    cdef Bitboard seen, image
    if not entry & OWN_SYMMETRY and not opponent_symmetric:
        image = images[symmetry]
        if pair.quick:
            append(pair, worker, h.other, row, row << RECORD_ROW_SHIFT | image << 1 | won)
            return
        seen = sets.classes[h.movers].representatives[row]
        send(
            pair, worker, h.other, row, seen, place_of(s, symmetry, mover_royal, seen),
            image, place_of(s, symmetry, opponent_royal, image), won,
        )
        return
    seen = sets.classes[h.movers].representatives[row]
    for symmetry in range(s.order):
        if image_of(s, symmetry, mover) != seen:
            continue
        image = images[symmetry]
        if s.inverse[symmetry] == <int>(class_of(sets, h.opponents, image) & SYMMETRY_MASK):
            send(
                pair, worker, h.other, row, seen, place_of(s, symmetry, mover_royal, seen),
                image, place_of(s, symmetry, opponent_royal, image), won,
            )


cdef bint gather_row(Pair* pair, Half* h, Worker* worker, uint64_t row) noexcept nogil:
    """Tell of what is due in a row; false if the pool of records may not hold it all."""
    cdef const Sets* sets = pair.sets
    cdef uint8_t* states = h.states + row * h.cols
    cdef uint16_t* due = h.due + row * h.cols if pair.distances else NULL
    cdef Bitboard opponent = sets.classes[h.opponents].representatives[row // h.opponent_royals]
    cdef Bitboard free = sets.all & ~opponent, mover, mover_royal = 0, opponent_royal = 0
    cdef Bitboard[MAX_SYMMETRIES] images
    cdef uint64_t col = 0, records = 0, word
    cdef int symmetry, soonest = NOTHING_DUE
    cdef bint symmetric = (class_of(sets, h.opponents, opponent) & OWN_SYMMETRY) != 0
    for symmetry in range(sets.symmetries.order):
        images[symmetry] = image_of(&sets.symmetries, symmetry, opponent)
    if h.slice.opponent.royal == ROYAL_ON_BOARD:
        opponent_royal = nth_square(opponent, row % h.opponent_royals)
    while col < h.cols:
        if not states[col] & PENDING:
            col += 1
            # Most cells have nothing to tell: eight at a time.
            while col + 8 <= h.cols:
                memcpy(&word, &states[col], 8)
                if word & 0x8080808080808080ULL:
                    break
                col += 8
            continue
        if pair.distances and due[col] > pair.ply:
            soonest = min(soonest, due[col])
            col += 1
            continue
        # Every thread may need a chunk for each of a position's images.
        if pair.pool_used + pair.threads * MAX_SYMMETRIES > pair.pool_size:
            fetch_add(&pair.records, records)
            return False
        states[col] ^= PENDING
        mover = deposit_bits(h.compact[col // h.mover_royals], free)
        if h.slice.mover.royal == ROYAL_ON_BOARD:
            mover_royal = nth_square(mover, col % h.mover_royals)
        tell(pair, h, worker, mover, mover_royal, opponent, opponent_royal, images, symmetric, states[col] != LOST)
        records += 1
        col += 1
    h.row_due[row] = <uint16_t>soonest
    fetch_add(&pair.records, records)
    return True


cdef void gather(Pair* pair, Worker* worker) noexcept nogil:
    """One thread's share of the telling."""
    cdef Half* h
    cdef uint64_t task, row, rows, done = 0, after
    cdef int half
    while not worker.control.stop:
        task = fetch_add(&pair.next_task, 1)
        for half in range(pair.count):
            h = &pair.halves[half]
            rows = rows_per_task(h)
            if task * rows < h.rows:
                break
            task -= (h.rows + rows - 1) // rows
        else:
            return
        after = h.rows
        for row in range(task * rows, min((task + 1) * rows, h.rows)):
            if h.row_due[row] > pair.ply:
                continue
            use(pair, worker, bytes_at_work(pair, h) + (0 if row == after else PAGES_AROUND))
            after = row + 1
            if not gather_row(pair, h, worker, row):
                worker.pool_empty = True
                return
            done += h.cols
            if done >= POSITIONS_PER_LOOK:
                done = 0
                if look(&worker.control):
                    return


cdef inline void hear_of(Pair* pair, Half* h, uint64_t row, uint64_t col, bint won, const bint distances) noexcept nogil:
    """What a position makes of the news that a step leads to a position that is won, or else lost, for its opponent."""
    cdef uint64_t index = row * h.cols + col
    cdef int state = h.states[index], due = pair.ply + 1
    if won:
        if state > MAX_COUNT:
            return
        h.states[index] = <uint8_t>(state - 1)
        if state > 1:
            return
        h.states[index] = PENDING | LOST
        if distances:
            due = max(due, h.due[index])
    else:
        if state > OPEN_DRAW and not (distances and state == PENDING | WON and h.due[index] > due):
            return
        h.states[index] = PENDING | WON
    if distances:
        h.due[index] = <uint16_t>due
    else:
        due = 0
    if due < h.row_due[row]:
        h.row_due[row] = <uint16_t>due


cdef inline void hear_of_pass(Pair* pair, Half* h, uint64_t row, uint64_t col, bint won) noexcept nogil:
    cdef uint64_t index = row * h.cols + col
    cdef int due = pair.ply + 1 if pair.distances else 0
    if h.states[index] == PASSING:
        h.states[index] = PENDING | (LOST if won else CLOSED_WON)
        if pair.distances:
            h.due[index] = <uint16_t>due
        h.row_due[row] = min(h.row_due[row], <uint16_t>due)


cdef inline void write_value(const SliceValues* values, uint64_t row, uint64_t col, bint won, int ply) noexcept nogil:
    """Write over a draw."""
    cdef uint8_t* cells = values.data + row * (values.pitch >> 2)
    if values.distances:
        write_distance(values.data + 2 * (row * values.pitch + col), ply + 1 if won else -ply - 1)
    else:
        cells[col >> 2] |= <uint8_t>((1 if won else 2) << (2 * (col & 3)))


cdef inline uint64_t col_of(
    const Pair* pair, const Half* h, Bitboard free, Bitboard mover, Bitboard royal,
) noexcept nogil:
    cdef uint64_t col = rank_of(&pair.sets.ranks, h.movers, extract_bits(mover, free))
    return col * h.mover_royals + popcount(mover & (royal - 1)) if royal else col


cdef inline void hear_back(
    Pair* pair, Half* h, uint64_t row, Bitboard free, Bitboard mover, Bitboard royal, Bitboard targets, int delta, bint won,
    const bint distances,
) noexcept nogil:
    """Tell the predecessors whose step of ``-delta`` led to a position with this mover's set."""
    cdef Bitboard before, royal_before
    cdef int square
    while targets:
        square = lowest(targets)
        targets &= targets - 1
        before = mover ^ bit(square) ^ bit(square - delta)
        royal_before = bit(square) if royal and royal == bit(square - delta) else royal
        hear_of(pair, h, row, col_of(pair, h, free, before, royal_before), won, distances)


cdef inline void apply_record(Pair* pair, Half* h, uint64_t record, const bint quick, const bint distances) noexcept nogil:
    """Write a finished value of the other slice, and tell this one's positions that a step leads to it."""
    cdef const Geometry* g = &pair.rules.geometry
    cdef uint64_t row = record >> RECORD_ROW_SHIFT, col
    cdef Bitboard mover = (record >> 1) & pair.sets.all, royal = 0, free, empty
    cdef bint won = record & 1
    cdef int direction
    if not quick:
        if h.slice.mover.royal == ROYAL_ON_BOARD:
            royal = nth_square(mover, row & ((1 << RECORD_ROYAL_BITS) - 1))
        row >>= RECORD_ROYAL_BITS
    free = pair.sets.all & ~pair.sets.classes[h.opponents].representatives[row if quick else row // h.opponent_royals]
    col = col_of(pair, h, free, mover, royal)
    write_value(h.other.result, row, col, won, pair.ply)
    if not h.steps:
        return
    empty = free & ~mover
    for direction in range(EAST, SOUTH + 1):
        hear_back(
            pair, h, row, free, mover, royal, shift(g, 0, 0, mover, direction) & empty, g.delta[direction], won, distances
        )
    if pair.rules.friendly_leap:
        for direction in range(EAST, SOUTH + 1):
            hear_back(
                pair, h, row, free, mover, royal,
                shift(g, 0, 0, shift(g, 0, 0, mover, direction) & mover, direction) & empty, 2 * g.delta[direction], won, distances,
            )
    if not quick and pair.rules.no_moves == PASSES:
        hear_of_pass(pair, h, row, col, won)


cdef void spread(Pair* pair, Worker* worker) noexcept nogil:
    """One thread's share of applying the records."""
    cdef uint64_t task, i
    cdef int half, thread
    cdef Chunk* chunk
    cdef Half* h
    while not worker.control.stop:
        task = fetch_add(&pair.next_task, 1)
        for half in range(pair.count):
            h = &pair.halves[half]
            if task < h.partitions:
                break
            task -= h.partitions
        else:
            return
        if h.other.result != NULL:
            use(pair, worker, (bytes_at_work(pair, h) + row_bytes(h.other.result)) << h.partition_shift)
        for thread in range(pair.threads):
            chunk = pair.workers[thread].chunks[half][task]
            pair.workers[thread].chunks[half][task] = NULL
            while chunk != NULL:
                if not pair.quick:
                    for i in range(chunk.count):
                        apply_record(pair, h, chunk.records[i], False, pair.distances)
                elif pair.distances:
                    for i in range(chunk.count):
                        apply_record(pair, h, chunk.records[i], True, True)
                else:
                    for i in range(chunk.count):
                        apply_record(pair, h, chunk.records[i], True, False)
                chunk = chunk.next
                if poll(&worker.control):
                    return
