"""The legal actions of a position as a few sets of squares, for rules without chains and routes.

The removals after a jump do not depend on the jump, but for the piece that it takes, so all captures are written down as
jumps and removals apart. From these sets the actions are counted, one is picked, or the mask of all their numbers is written.
"""

cdef struct Choices:
    Bitboard sets[MAX_SETS]     # of all actions but captures and `--`, as the numbering has them
    Bitboard jumps[4]           # by direction, the squares of the pieces that can jump
    bint passes
    # After a jump:
    int removals                # so many choices there are; 0 if nothing can jump, then the rest says nothing
    Bitboard camels             # the enemy's on the board: all but the jumped one can be removed
    bint from_hand              # or one from hand
    bint nothing                # or nothing
    bint royals                 # whether an enemy royal stands on the board
    Bitboard royal_jumps[4]     # if so, the jumps that take it: then nothing else is removed
    int before[MAX_SETS + 1]    # filled by `count_choices`: how many choices come before those of each set, and before captures


cdef inline void clear_choices(const Numbering* n, Choices* c) noexcept nogil:
    cdef int i
    for i in range(n.sets):
        c.sets[i] = 0
    c.jumps[EAST] = c.jumps[WEST] = c.jumps[NORTH] = c.jumps[SOUTH] = 0
    c.passes = False
    c.removals = 0


# What has pieces and hands. A game is read where it lies: a copy of it would take as long as all the rest.
ctypedef fused Standing:
    Position
    Game


cdef inline bint can_take_nothing(const Ruleset* rules, bint camels_on_board, bint from_hand) noexcept nogil:
    """Whether a second removal can be left out: if the rules say so, or if there is none."""
    return rules.optional_removal | (not (camels_on_board | from_hand))


cdef inline void find_removals(const Ruleset* rules, const Standing* p, Choices* c) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard royals = p.royals & p.pieces[1 - p.turn]
    cdef int direction, others
    c.camels = p.pieces[1 - p.turn] & ~royals
    others = popcount(c.camels) - 1 if c.camels else 0
    c.from_hand = can_take_from_hand(rules, others > 0, p.hand[1 - p.turn])
    c.nothing = can_take_nothing(rules, others > 0, c.from_hand)
    c.removals = others + c.from_hand + c.nothing
    c.royals = royals != 0
    if royals:
        for direction in range(EAST, SOUTH + 1):
            c.royal_jumps[direction] = c.jumps[direction] & shift(g, 0, 0, royals, direction ^ 1)


cdef inline void find_choices(const Ruleset* rules, const Numbering* n, const Standing* p, Choices* c) noexcept nogil:
    """The choices of a position that the number of pieces has not decided."""
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard own = p.pieces[p.turn], enemy = p.pieces[1 - p.turn], empty = g.all & ~(own | enemy)
    # By direction, the squares with an empty one next to them.
    cdef Bitboard[4] ahead = [west(g, empty), east(g, empty), south(g, empty), north(g, empty)]
    cdef Bitboard* steps = c.sets + n.step_sets
    cdef Bitboard* leaps = steps + 4
    cdef Bitboard drops
    cdef int i
    steps[EAST], steps[WEST] = own & ahead[EAST], own & ahead[WEST]
    steps[NORTH], steps[SOUTH] = own & ahead[NORTH], own & ahead[SOUTH]
    if rules.friendly_leap:
        leaps[EAST], leaps[WEST] = own & west(g, steps[EAST]), own & east(g, steps[WEST])
        leaps[NORTH], leaps[SOUTH] = own & south(g, steps[NORTH]), own & north(g, steps[SOUTH])
    c.jumps[EAST] = own & west(g, enemy & ahead[EAST])
    c.jumps[WEST] = own & east(g, enemy & ahead[WEST])
    c.jumps[NORTH] = own & south(g, enemy & ahead[NORTH])
    c.jumps[SOUTH] = own & north(g, enemy & ahead[SOUTH])
    # Nobody can foresee whether the hand is empty.
    c.sets[0] = drops = empty & (0 - <Bitboard>(p.hand[p.turn] != 0))
    if rules.royal_caravan:
        c.sets[1] = empty if p.royal_in_hand[p.turn] else 0
        drops |= c.sets[1]
    c.removals = 0
    c.passes = False
    if p.must_drop and drops:
        for i in range(n.step_sets, n.sets):
            c.sets[i] = 0
        c.jumps[EAST] = c.jumps[WEST] = c.jumps[NORTH] = c.jumps[SOUTH] = 0
    elif c.jumps[EAST] | c.jumps[WEST] | c.jumps[NORTH] | c.jumps[SOUTH]:
        find_removals(rules, p, c)
        if rules.mandatory_capture:
            for i in range(n.sets):
                c.sets[i] = 0
    elif rules.no_moves == PASSES:
        c.passes = count_choices(n, c) == 0 and can_pass(rules, p)


cdef inline bint can_pass(const Ruleset* rules, const Standing* p) noexcept nogil:
    """Whether a side without an action passes."""
    cdef Position position
    if Standing is Position:
        return must_pass(rules, p)
    else:
        get_position(p, &position)
        return must_pass(rules, &position)


cdef inline int count_ways(const Bitboard* ways) noexcept nogil:
    return popcount(ways[EAST]) + popcount(ways[WEST]) + popcount(ways[NORTH]) + popcount(ways[SOUTH])


cdef inline int count_sets(Choices* c, int sets) noexcept nogil:
    cdef int i, count = 0
    for i in range(sets):
        c.before[i] = count
        count += popcount(c.sets[i])
    c.before[sets] = count
    return count


cdef inline int count_choices(const Numbering* n, Choices* c) noexcept nogil:
    cdef int royal_jumps = 0, count = count_sets(c, PLAIN_SETS) if n.sets == PLAIN_SETS else count_sets(c, n.sets)
    if c.removals and c.royals:
        royal_jumps = count_ways(c.royal_jumps)
    return count + (count_ways(c.jumps) - royal_jumps) * c.removals + royal_jumps + c.passes


cdef inline bint takes_royal(const Choices* c, int direction, Bitboard origin) noexcept nogil:
    """Whether a jump from a square takes a royal."""
    return c.royals and c.royal_jumps[direction] & origin != 0


cdef inline int nth_removal(const Numbering* n, const Choices* c, int jump, int k) noexcept nogil:
    """The number of the capture with place ``k`` among those of a jump over a camel."""
    if c.nothing and k == c.removals - 1:
        return n.capture + (jump + 1) * n.removals - 1
    if c.from_hand and k == c.removals - 1 - c.nothing:
        return n.capture + (jump + 1) * n.removals - 2
    return n.capture + jump * n.removals + rank(n.removable[jump], nth(c.camels & n.removable[jump], k))


cdef inline int nth_jump(const Numbering* n, const Bitboard* jumps, int k) noexcept nogil:
    """The jump with place ``k``."""
    # As below: counted, not branched to.
    cdef int to_west = popcount(jumps[EAST]), to_north = to_west + popcount(jumps[WEST])
    cdef int to_south = to_north + popcount(jumps[NORTH])
    cdef int direction = (k >= to_west) + (k >= to_north) + (k >= to_south)
    cdef int[4] before = [0, to_west, to_north, to_south]
    return jump_of(n, direction, nth(jumps[direction], k - before[direction]))


cdef inline int nth_capture(const Numbering* n, const Choices* c, int k) noexcept nogil:
    cdef Bitboard jumps
    cdef int direction, jump, removals
    cdef bint royal
    if not c.royals:
        return nth_removal(n, c, nth_jump(n, c.jumps, k // c.removals), k % c.removals)
    for direction in range(EAST, SOUTH + 1):
        jumps = c.jumps[direction]
        while jumps:
            jump = jump_of(n, direction, lowest(jumps))
            royal = takes_royal(c, direction, jumps & (0 - jumps))
            removals = 1 if royal else c.removals
            if k < removals:
                return n.capture + (jump + 1) * n.removals - 1 if royal else nth_removal(n, c, jump, k)
            k -= removals
            jumps &= jumps - 1
    return NO_NUMBER


cdef inline int set_of_choice(const Choices* c, int sets, int k) noexcept nogil:
    # Nobody can foresee the set, so it is counted, not branched to.
    cdef int i, set = -1
    for i in range(sets + 1):
        set += c.before[i] <= k
    return set


cdef inline int nth_choice(const Numbering* n, const Choices* c, int k) noexcept nogil:
    """The number of the action with place ``k`` among the choices, which were counted, in order of their numbers."""
    cdef int set = set_of_choice(c, PLAIN_SETS, k) if n.sets == PLAIN_SETS else set_of_choice(c, n.sets, k)
    if set < n.sets:
        return n.number[set][nth(c.sets[set], k - c.before[set])]
    return n.count - 1 if c.passes else nth_capture(n, c, k - c.before[set])


cdef inline bint has_capture(const Numbering* n, const Choices* c, int jump, int removal) noexcept nogil:
    cdef int direction = n.jump_direction[jump]
    cdef Bitboard origin = bit(origin_of(n.jump_effect[jump]))
    if not c.jumps[direction] & origin:
        return False
    if removal == n.removals - 1:
        return c.nothing or takes_royal(c, direction, origin)
    if takes_royal(c, direction, origin):
        return False
    if n.from_hand and removal == n.removals - 2:
        return c.from_hand
    return c.camels & bit(nth(n.removable[jump], removal)) != 0


cdef inline bint has_choice(const Numbering* n, const Choices* c, int number) noexcept nogil:
    """Whether an action is among the choices; the number must be in range."""
    cdef int index = number - n.capture
    if index < 0:
        return c.sets[n.set_of[number]] & bit(n.square_of[number]) != 0
    if is_quiet(n, number):
        return c.passes
    return has_capture(n, c, index // n.removals, index % n.removals)


cdef inline bint is_possible(const Numbering* n, const Game* game, int number) noexcept nogil:
    """Whether board and hand allow an action with a number below the first capture's. Without branches, as above."""
    cdef Effect effect = n.effect[number]
    cdef Bitboard own = game.pieces[game.turn], taken = own | game.pieces[1 - game.turn], movers = n.movers[number]
    cdef bint in_hand = (game.hand[game.turn] != 0) & (kind_of(effect) == DROP)
    in_hand |= (game.royal_in_hand[game.turn] != 0) & (kind_of(effect) == DROP_ROYAL)
    return ((taken & bit(target_of(effect))) == 0) & ((own & movers) == movers) & (in_hand | (number >= n.quiet))


cdef inline bint is_possible_capture(const Ruleset* rules, const Numbering* n, const Game* game, int index) noexcept nogil:
    """Whether board and hands allow a capture, counted from 0, where there are no royals."""
    cdef int jump = index // n.removals, removal = index % n.removals
    cdef Effect effect = n.jump_effect[jump]
    cdef Bitboard own = game.pieces[game.turn], enemy = game.pieces[1 - game.turn], others = enemy & ~cleared_by(effect)
    cdef bint from_hand
    if (own & bit(origin_of(effect))) == 0 or others == enemy or (own | enemy) & bit(target_of(effect)):
        return False
    if removal < n.removals - 1 - n.from_hand:
        return others & bit(nth(n.removable[jump], removal)) != 0
    from_hand = can_take_from_hand(rules, others != 0, game.hand[1 - game.turn])
    if removal < n.removals - 1:
        return from_hand
    return can_take_nothing(rules, others != 0, from_hand)


cdef inline bint is_legal(const Ruleset* rules, const Numbering* n, const Game* game, int number) noexcept nogil:
    """Whether an action is legal in a game that is not over; the number must be in range."""
    cdef Choices choices
    # Where nothing else has precedence.
    if number < n.capture and not (rules.mandatory_capture or rules.drop_initiative):
        return is_possible(n, game, number)
    if n.capture <= number < n.count - n.passes and not (rules.royal_caravan or rules.drop_initiative):
        return is_possible_capture(rules, n, game, number - n.capture)
    find_choices(rules, n, game, &choices)
    return has_choice(n, &choices, number)


# Masks ----------------------------------------------------------------------------------------------------------------------------

# A mask has a bit for each number, the lowest first. It is written by whole words, so it must have room for one.
cdef enum:
    WORD = 8


cdef inline void put_bits(uint8_t* mask, int last, int place, uint64_t bits) noexcept nogil:
    """Add bits from a place on, at most 57 of them or from the beginning of a byte; ``last`` is where the last word may begin."""
    cdef uint64_t word
    cdef int start = min(place >> 3, last)
    memcpy(&word, mask + start, WORD)
    word |= bits << (place - 8 * start)
    memcpy(mask + start, &word, WORD)


cdef inline void put_sets(const Numbering* n, const Choices* c, int sets, uint8_t* mask, int last) noexcept nogil:
    cdef uint64_t word = 0, bits
    cdef int i, place = 0, size = 0
    for i in range(sets):
        bits = extract_bits(c.sets[i], n.squares[i])
        word |= bits << size
        size += n.size[i]
        if size >= 64:
            put_bits(mask, last, place, word)
            place += 64
            size -= 64
            word = bits >> (n.size[i] - size)
    put_bits(mask, last, place, word)


cdef inline uint64_t numbered_jumps(const Numbering* n, const Bitboard* jumps, int direction) noexcept nogil:
    """Those in a direction and in the opposite, a bit for each from the direction's first jump on."""
    return (
        extract_bits(jumps[direction], n.jump_from[direction])
        | extract_bits(jumps[direction + 1], n.jump_from[direction + 1]) << (n.first_jump[direction + 1] - n.first_jump[direction])
    )


cdef inline void put_captures(const Numbering* n, const Choices* c, uint8_t* mask, int last) noexcept nogil:
    cdef uint64_t nothing = <uint64_t>1 << (n.removals - 1), others = c.nothing * nothing | c.from_hand * (nothing >> 1)
    cdef uint64_t jumps = numbered_jumps(n, c.jumps, EAST), more = numbered_jumps(n, c.jumps, NORTH)
    cdef uint64_t royal_jumps = 0, more_royal_jumps = 0
    cdef int first = 0, jump
    cdef bint done
    if c.royals:
        royal_jumps, more_royal_jumps = numbered_jumps(n, c.royal_jumps, EAST), numbered_jumps(n, c.royal_jumps, NORTH)
    # One loop for both: nobody can foresee how many there are, and two would be misjudged twice.
    while jumps | more:
        done = jumps == 0
        first = n.first_jump[NORTH] if done else first
        royal_jumps = more_royal_jumps if done else royal_jumps
        jumps, more = more if done else jumps, 0 if done else more
        jump = first + lowest(jumps)
        put_bits(
            mask, last, n.capture + jump * n.removals,
            nothing if royal_jumps & jumps & (0 - jumps) else extract_bits(c.camels, n.removable[jump]) | others,
        )
        jumps &= jumps - 1


cdef inline void write_mask(const Numbering* n, const Choices* c, uint8_t* mask, int width) noexcept nogil:
    """Write the numbers of the choices as bits to ``width`` bytes, at least a word of them and enough for all numbers."""
    memset(mask, 0, width)
    if n.sets == PLAIN_SETS:
        put_sets(n, c, PLAIN_SETS, mask, width - WORD)
    else:
        put_sets(n, c, n.sets, mask, width - WORD)
    if c.removals:
        put_captures(n, c, mask, width - WORD)
    elif c.passes:
        put_bits(mask, width - WORD, n.count - 1, 1)


cdef inline void write_mask_bytes(const Numbering* n, const Choices* c, uint8_t* row) noexcept nogil:
    """Write a byte for each number: whether it is among the choices."""
    cdef Bitboard left, camels
    cdef uint8_t* jump
    cdef int i, direction
    memset(row, 0, n.count)
    for i in range(n.sets):
        left = c.sets[i]
        while left:
            row[n.number[i][lowest(left)]] = True
            left &= left - 1
    for direction in range(EAST, SOUTH + 1):
        left = c.jumps[direction]
        while left:
            i = jump_of(n, direction, lowest(left))
            jump = row + n.capture + i * n.removals
            if takes_royal(c, direction, left & (0 - left)):
                jump[n.removals - 1] = True
            else:
                camels = extract_bits(c.camels, n.removable[i])
                while camels:
                    jump[lowest(camels)] = True
                    camels &= camels - 1
                if c.nothing:
                    jump[n.removals - 1] = True
                if c.from_hand:
                    jump[n.removals - 2] = True
            left &= left - 1
    if c.passes:
        row[n.count - 1] = True
