"""A fixed number for every action of rules without chains and routes.

The numbers of a kind of action follow each other; a kind that the rules do not know has none::

      drop of a camel     one for each square
      drop of a royal     one for each square             royal_caravan
      step                one for each way of stepping
      leap                one for each way of jumping     friendly_leap
      capture             ways of jumping x removals
      --                  one                             no_moves="pass"

Ways of stepping and jumping go by direction (east, west, north, south), then by the square that they start from. The removals after
a jump are the other squares of the board, all but the three of the jump, in order; then the hand, unless
``second_removal="board"``; then nothing. Steps, leaps and ``--`` are *quiet*: they alone can be undone, and they are few enough for
a byte.
"""

cdef enum:
    MAX_STEPS = 120
    MAX_JUMPS = 96
    MAX_QUIET = MAX_STEPS + MAX_JUMPS + 1
    NO_NUMBER = -1

cdef struct Numbering:
    # The first number of each kind, and how many numbers there are.
    int drop
    int drop_royal
    int quiet
    int capture
    int count
    int steps                   # quiet actions from here on are leaps
    int jumps
    int leaps                   # jumps with friendly_leap, else 0
    int removals                # of a jump
    bint from_hand              # one of them from hand
    bint passes
    Bitboard all
    # By direction: the squares that a way starts from, and the number of ways in directions before.
    Bitboard step_from[4]
    Bitboard jump_from[4]
    int steps_before[4]
    int jumps_before[4]
    uint8_t step_direction[MAX_STEPS]
    uint8_t jump_direction[MAX_JUMPS]
    Effect quiet_effect[MAX_QUIET]
    Effect jump_effect[MAX_JUMPS]       # without the second removal
    Bitboard removable[MAX_JUMPS]       # the squares that a second removal after the jump is numbered for


cdef void number_ways(Numbering* n, const Geometry* g) noexcept:
    cdef int direction, square, step = 0, jump = 0
    cdef Bitboard start
    for direction in range(EAST, SOUTH + 1):
        n.steps_before[direction], n.jumps_before[direction] = step, jump
        n.step_from[direction] = n.jump_from[direction] = 0
        for square in range(g.squares):
            start = bit(square)
            if shift(g, 0, 0, start, direction):
                n.step_from[direction] |= start
                n.step_direction[step] = direction
                n.quiet_effect[step] = make_effect(STEP, square, square + g.delta[direction])
                step += 1
            if shift(g, 0, 0, shift(g, 0, 0, start, direction), direction):
                n.jump_from[direction] |= start
                n.jump_direction[jump] = direction
                n.jump_effect[jump] = (
                    make_effect(CAPTURE, square, square + 2 * g.delta[direction]) | clears(bit(square + g.delta[direction]))
                )
                n.removable[jump] = g.all & ~(
                    start | bit(square + g.delta[direction]) | bit(square + 2 * g.delta[direction])
                )
                jump += 1
    n.steps, n.jumps = step, jump


cdef void number_actions(Numbering* n, const Ruleset* rules) noexcept:
    cdef int jump, squares = rules.geometry.squares
    n.all = rules.geometry.all
    number_ways(n, &rules.geometry)
    n.leaps = n.jumps if rules.friendly_leap else 0
    n.passes = rules.no_moves == PASSES
    for jump in range(n.leaps):
        n.quiet_effect[n.steps + jump] = make_effect(STEP, origin_of(n.jump_effect[jump]), target_of(n.jump_effect[jump]))
    n.quiet_effect[n.steps + n.leaps] = make_effect(PASS, 0, 0)
    n.from_hand = rules.second_removal != BOARD
    # A 2 x 2 board has no jumps, and no squares for removals.
    n.removals = squares - 3 + n.from_hand + 1
    n.drop = 0
    n.drop_royal = squares
    n.quiet = n.drop_royal + (squares if rules.royal_caravan else 0)
    n.capture = n.quiet + n.steps + n.leaps
    n.count = n.capture + n.jumps * n.removals + n.passes


cdef inline int rank(Bitboard squares, int square) noexcept nogil:
    """How many of the squares come before one."""
    return popcount(squares & (bit(square) - 1))


cdef inline int step_number(const Numbering* n, int direction, int square) noexcept nogil:
    return n.quiet + n.steps_before[direction] + rank(n.step_from[direction], square)


cdef inline int jump_index(const Numbering* n, int direction, int square) noexcept nogil:
    return n.jumps_before[direction] + rank(n.jump_from[direction], square)


cdef inline bint is_quiet(const Numbering* n, int number) noexcept nogil:
    return n.quiet <= number < n.capture or (n.passes and number == n.count - 1)


cdef inline int quiet_index(const Numbering* n, int number) noexcept nogil:
    """The quiet action with a number, counted from 0; ``--`` is the last."""
    return number - n.quiet if number < n.capture else n.steps + n.leaps


cdef inline Effect effect_of(const Numbering* n, int number) noexcept nogil:
    """The effect of an action; the number must be in range."""
    cdef int jump, removal
    if number < n.drop_royal:
        return make_effect(DROP, number, number)
    if number < n.quiet:
        return make_effect(DROP_ROYAL, number - n.drop_royal, number - n.drop_royal)
    if is_quiet(n, number):
        return n.quiet_effect[quiet_index(n, number)]
    jump = (number - n.capture) // n.removals
    removal = (number - n.capture) % n.removals
    if removal == n.removals - 1:
        return n.jump_effect[jump]
    if n.from_hand and removal == n.removals - 2:
        return n.jump_effect[jump] | takes_from_hand(1)
    return n.jump_effect[jump] | clears(bit(nth(n.removable[jump], removal)))


cdef int capture_number(const Numbering* n, const Geometry* g, Effect effect) noexcept:
    cdef int direction, jump, origin = origin_of(effect), target = target_of(effect)
    cdef Bitboard second
    for direction in range(EAST, SOUTH + 1):
        if target - origin == 2 * g.delta[direction] and n.jump_from[direction] & bit(origin):
            break
    else:
        return NO_NUMBER
    jump = jump_index(n, direction, origin)
    second = cleared_by(effect ^ n.jump_effect[jump])
    if hand_of(effect) + popcount(second) > 1 or second & ~n.removable[jump] or (hand_of(effect) and not n.from_hand):
        return NO_NUMBER
    if second:
        return n.capture + jump * n.removals + rank(n.removable[jump], lowest(second))
    return n.capture + (jump + 1) * n.removals - (2 if hand_of(effect) else 1)


cdef int number_of(const Numbering* n, const Geometry* g, const Action* action) noexcept:
    """The number of an action; NO_NUMBER if these rules do not know it."""
    cdef Effect effect = action.effect
    cdef int kind = kind_of(effect), i
    # Of another board of the same width, squares can be beyond this one.
    if action.path.words[0] or not n.all & bit(target_of(effect)):
        return NO_NUMBER
    if kind == DROP:
        return target_of(effect)
    if kind == DROP_ROYAL:
        return n.drop_royal + target_of(effect) if n.quiet > n.drop_royal else NO_NUMBER
    if kind == CAPTURE:
        return capture_number(n, g, effect)
    for i in range(n.steps + n.leaps + n.passes):
        if n.quiet_effect[i] == effect:
            return n.count - 1 if kind == PASS else n.quiet + i
    return NO_NUMBER
