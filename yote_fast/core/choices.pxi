"""The legal actions of a position as a few sets of squares, for rules without chains and routes.

The removals after a jump do not depend on the jump, but for the piece that it takes, so all captures are written down as
jumps and removals apart. From these sets the actions are counted, one is picked, or the mask of all their numbers is written.
"""

cdef struct Choices:
    Bitboard drops
    Bitboard royal_drops
    # By direction, the squares of the pieces that can go that way.
    Bitboard steps[4]
    Bitboard leaps[4]
    Bitboard jumps[4]
    Bitboard royal_jumps[4]     # those of them that take a royal: then nothing else is removed
    bint royals                 # whether an enemy royal stands on the board
    Bitboard camels             # the enemy's on the board: after a jump all but the jumped one can be removed
    bint from_hand              # or one from hand
    bint nothing                # or nothing
    int removals                # all these together
    bint passes


cdef inline void clear_ways(Bitboard* ways) noexcept nogil:
    ways[EAST] = ways[WEST] = ways[NORTH] = ways[SOUTH] = 0


cdef inline void clear_choices(Choices* c) noexcept nogil:
    c.drops = c.royal_drops = c.camels = 0
    clear_ways(c.steps)
    clear_ways(c.leaps)
    clear_ways(c.jumps)
    clear_ways(c.royal_jumps)
    c.royals = c.from_hand = c.nothing = c.passes = False
    c.removals = 0


cdef inline void find_removals(const Ruleset* rules, const Position* p, Choices* c) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard royals = p.royals & p.pieces[1 - p.turn]
    cdef int direction, others
    c.camels = p.pieces[1 - p.turn] & ~royals
    others = popcount(c.camels) - 1 if c.camels else 0
    c.from_hand = can_take_from_hand(rules, others > 0, p.hand[1 - p.turn])
    c.nothing = rules.optional_removal or (others == 0 and not c.from_hand)
    c.removals = others + c.from_hand + c.nothing
    c.royals = royals != 0
    if royals:
        for direction in range(EAST, SOUTH + 1):
            c.royal_jumps[direction] = c.jumps[direction] & shift(g, 0, 0, royals, direction ^ 1)


cdef inline void find_choices(const Ruleset* rules, const Position* p, Choices* c) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard own = p.pieces[p.turn], enemy = p.pieces[1 - p.turn], empty = empty_squares(rules, p)
    # By direction, the squares with an empty one next to them.
    cdef Bitboard[4] ahead = [west(g, empty), east(g, empty), south(g, empty), north(g, empty)]
    clear_choices(c)
    if is_decided(rules, p):
        return
    if p.hand[p.turn]:
        c.drops = empty
    if p.royal_in_hand[p.turn]:
        c.royal_drops = empty
    if p.must_drop and c.drops | c.royal_drops:
        return
    c.jumps[EAST] = own & west(g, enemy & ahead[EAST])
    c.jumps[WEST] = own & east(g, enemy & ahead[WEST])
    c.jumps[NORTH] = own & south(g, enemy & ahead[NORTH])
    c.jumps[SOUTH] = own & north(g, enemy & ahead[SOUTH])
    if c.jumps[EAST] | c.jumps[WEST] | c.jumps[NORTH] | c.jumps[SOUTH]:
        find_removals(rules, p, c)
        if rules.mandatory_capture:
            c.drops = c.royal_drops = 0
            return
    c.steps[EAST], c.steps[WEST] = own & ahead[EAST], own & ahead[WEST]
    c.steps[NORTH], c.steps[SOUTH] = own & ahead[NORTH], own & ahead[SOUTH]
    if rules.friendly_leap:
        c.leaps[EAST] = own & west(g, c.steps[EAST])
        c.leaps[WEST] = own & east(g, c.steps[WEST])
        c.leaps[NORTH] = own & south(g, c.steps[NORTH])
        c.leaps[SOUTH] = own & north(g, c.steps[SOUTH])
    if rules.no_moves == PASSES and not has_action(rules, p):
        c.passes = must_pass(rules, p)


cdef inline int count_ways(const Bitboard* ways) noexcept nogil:
    return popcount(ways[EAST]) + popcount(ways[WEST]) + popcount(ways[NORTH]) + popcount(ways[SOUTH])


cdef inline int count_choices(const Choices* c) noexcept nogil:
    cdef int royal_jumps = count_ways(c.royal_jumps)
    return (
        popcount(c.drops) + popcount(c.royal_drops) + count_ways(c.steps) + count_ways(c.leaps)
        + (count_ways(c.jumps) - royal_jumps) * c.removals + royal_jumps + c.passes
    )


cdef inline void put_bits(uint64_t* words, int place, uint64_t bits) noexcept nogil:
    """Add at most 63 bits from a place on."""
    words[place >> 6] |= bits << (place & 63)
    if place & 63:
        words[(place >> 6) + 1] |= bits >> (64 - (place & 63))


# Jumps as a set of the numbers of their ways, one bit each, in two words; the third only catches zeros.
ctypedef uint64_t[3] JumpSet


cdef inline void number_jumps(const Numbering* n, const Bitboard* ways, uint64_t* jumps) noexcept nogil:
    cdef int direction
    jumps[0] = jumps[1] = jumps[2] = 0
    for direction in range(EAST, SOUTH + 1):
        put_bits(jumps, n.jumps_before[direction], extract_bits(ways[direction], n.jump_from[direction]))


cdef inline int capture_at(const Numbering* n, const Choices* c, int jump, int k) noexcept nogil:
    """The number of the capture with place ``k`` among those of a jump over a camel."""
    cdef Bitboard camels = c.camels & n.removable[jump]
    if c.nothing and k == c.removals - 1:
        return n.capture + (jump + 1) * n.removals - 1
    if c.from_hand and k == c.removals - 1 - c.nothing:
        return n.capture + (jump + 1) * n.removals - 2
    return n.capture + jump * n.removals + rank(n.removable[jump], nth(camels, k))


cdef inline int nth_capture(const Numbering* n, const Choices* c, int k) noexcept nogil:
    cdef JumpSet jumps, royal_jumps
    cdef uint64_t first
    cdef int word, place
    number_jumps(n, c.jumps, jumps)
    if not c.royals:
        place, k = k // c.removals, k % c.removals
        word = place >= popcount(jumps[0])
        return capture_at(n, c, 64 * word + nth(jumps[word], place - word * popcount(jumps[0])), k)
    number_jumps(n, c.royal_jumps, royal_jumps)
    for word in range(2):
        while jumps[word]:
            first = jumps[word] & (0 - jumps[word])
            if royal_jumps[word] & first:
                if k == 0:
                    return n.capture + (64 * word + lowest(first) + 1) * n.removals - 1
                k -= 1
            elif k < c.removals:
                return capture_at(n, c, 64 * word + lowest(first), k)
            else:
                k -= c.removals
            jumps[word] ^= first
    return NO_NUMBER


cdef inline int nth_choice(const Numbering* n, const Choices* c, int k) noexcept nogil:
    """The number of the action with place ``k`` among the choices, in order of their numbers."""
    cdef int direction, size = popcount(c.drops)
    if k < size:
        return nth(c.drops, k)
    k -= size
    size = popcount(c.royal_drops)
    if k < size:
        return n.drop_royal + nth(c.royal_drops, k)
    k -= size
    for direction in range(EAST, SOUTH + 1):
        size = popcount(c.steps[direction])
        if k < size:
            return step_number(n, direction, nth(c.steps[direction], k))
        k -= size
    for direction in range(EAST, SOUTH + 1):
        size = popcount(c.leaps[direction])
        if k < size:
            return n.quiet + n.steps + jump_index(n, direction, nth(c.leaps[direction], k))
        k -= size
    return n.count - 1 if c.passes else nth_capture(n, c, k)


cdef inline bint has_capture(const Numbering* n, const Choices* c, int jump, int removal) noexcept nogil:
    cdef int direction = n.jump_direction[jump]
    cdef Bitboard origin = bit(origin_of(n.jump_effect[jump]))
    if not c.jumps[direction] & origin:
        return False
    if removal == n.removals - 1:
        return c.nothing or c.royal_jumps[direction] & origin != 0
    if c.royal_jumps[direction] & origin:
        return False
    if n.from_hand and removal == n.removals - 2:
        return c.from_hand
    return c.camels & bit(nth(n.removable[jump], removal)) != 0


cdef inline bint has_choice(const Numbering* n, const Choices* c, int number) noexcept nogil:
    """Whether an action is among the choices; the number must be in range."""
    cdef int index = number - n.quiet
    if number < n.drop_royal:
        return c.drops & bit(number) != 0
    if number < n.quiet:
        return c.royal_drops & bit(number - n.drop_royal) != 0
    if index < n.steps:
        return c.steps[n.step_direction[index]] & bit(origin_of(n.quiet_effect[index])) != 0
    if number < n.capture:
        return c.leaps[n.jump_direction[index - n.steps]] & bit(origin_of(n.quiet_effect[index])) != 0
    if is_quiet(n, number):
        return c.passes
    index = number - n.capture
    return has_capture(n, c, index // n.removals, index % n.removals)


# Masks ----------------------------------------------------------------------------------------------------------------------------

cdef enum:
    # 36 + 36 drops, 217 quiet actions and 96 x 35 captures take 58 words; the last one written to may be one more.
    MASK_WORDS = 59


cdef inline void put_captures(const Numbering* n, const Choices* c, uint64_t* words) noexcept nogil:
    cdef JumpSet jumps, royal_jumps
    cdef uint64_t first, others = <uint64_t>c.nothing << (n.removals - 1) | <uint64_t>c.from_hand << (n.removals - 2)
    cdef int word, jump
    number_jumps(n, c.jumps, jumps)
    if c.royals:
        number_jumps(n, c.royal_jumps, royal_jumps)
    for word in range(2):
        while jumps[word]:
            first = jumps[word] & (0 - jumps[word])
            jumps[word] ^= first
            jump = 64 * word + lowest(first)
            if c.royals and royal_jumps[word] & first:
                put_bits(words, n.capture + jump * n.removals, <uint64_t>1 << (n.removals - 1))
            else:
                put_bits(words, n.capture + jump * n.removals, extract_bits(c.camels, n.removable[jump]) | others)


cdef inline void write_mask(const Numbering* n, const Choices* c, uint64_t* words) noexcept nogil:
    """Write the numbers of the choices to MASK_WORDS words, as far as the numbers go: a bit for each, the lowest first."""
    cdef int direction
    memset(words, 0, (n.count // 64 + 2) * sizeof(uint64_t))
    words[0] = c.drops
    if c.royal_drops:
        put_bits(words, n.drop_royal, c.royal_drops)
    for direction in range(EAST, SOUTH + 1):
        put_bits(words, n.quiet + n.steps_before[direction], extract_bits(c.steps[direction], n.step_from[direction]))
    if n.leaps:
        for direction in range(EAST, SOUTH + 1):
            put_bits(
                words, n.quiet + n.steps + n.jumps_before[direction], extract_bits(c.leaps[direction], n.jump_from[direction])
            )
    put_captures(n, c, words)
    if c.passes:
        put_bits(words, n.count - 1, 1)
