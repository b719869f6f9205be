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
    MAX_SIMPLE = 2 * MAX_SQUARES + MAX_STEPS + MAX_JUMPS
    MAX_SETS = 10
    PLAIN_SETS = 5          # of most rules: drops and steps. Loops over so many are unrolled
    NO_NUMBER = -1

cdef struct Numbering:
    int quiet                   # the first number of a step, leap or capture
    int capture                 # the first number of a capture
    int count                   # of all numbers
    int jumps
    int removals                # of a jump
    bint from_hand              # one of them from hand
    bint passes
    # The numbers below the first capture's are sets of squares: those dropped on by camels, and by royals; those that pieces step
    # from by direction, and leap from. Of each set: the squares that have a number, how many, and their numbers.
    int sets
    int step_sets               # the first of them
    Bitboard squares[MAX_SETS]
    int size[MAX_SETS]
    uint16_t number[MAX_SETS][MAX_SQUARES]
    # Of each of them: its set and square, the pieces that must be there, and the effect. The number of the first capture stands for
    # `--` here.
    uint8_t set_of[MAX_SIMPLE]
    uint8_t square_of[MAX_SIMPLE]
    Bitboard movers[MAX_SIMPLE]
    Effect effect[MAX_SIMPLE + 1]
    # By direction: the squares that a jump starts from, and the first of these jumps.
    Bitboard jump_from[4]
    int first_jump[4]
    uint8_t jump_direction[MAX_JUMPS]
    Effect jump_effect[MAX_JUMPS]       # without the second removal
    Bitboard removable[MAX_JUMPS]       # the squares that a second removal after the jump is numbered for


cdef void add_set(Numbering* n, Bitboard squares, int kind, int delta, int jumped) noexcept:
    """Give the next numbers to actions of a kind that start from some squares; leaps have their own piece ``jumped`` squares on."""
    cdef int square
    n.squares[n.sets] = squares
    n.size[n.sets] = popcount(squares)
    while squares:
        square = lowest(squares)
        squares &= squares - 1
        n.number[n.sets][square] = n.capture
        n.set_of[n.capture], n.square_of[n.capture] = n.sets, square
        n.movers[n.capture] = bit(square) | bit(square + jumped) if kind == STEP else 0
        n.effect[n.capture] = make_effect(kind, square, square + delta)
        n.capture += 1
    n.sets += 1


cdef void number_jumps(Numbering* n, const Geometry* g) noexcept:
    cdef int direction, square, delta
    cdef Bitboard jumped
    n.jumps = 0
    for direction in range(EAST, SOUTH + 1):
        delta = g.delta[direction]
        n.jump_from[direction] = 0
        n.first_jump[direction] = n.jumps
        for square in range(g.squares):
            if not shift(g, 0, 0, shift(g, 0, 0, bit(square), direction), direction):
                continue
            jumped = bit(square + delta)
            n.jump_from[direction] |= bit(square)
            n.jump_direction[n.jumps] = direction
            n.jump_effect[n.jumps] = make_effect(CAPTURE, square, square + 2 * delta) | clears(jumped)
            n.removable[n.jumps] = g.all & ~(bit(square) | jumped | bit(square + 2 * delta))
            n.jumps += 1


cdef void number_actions(Numbering* n, const Ruleset* rules) noexcept:
    cdef const Geometry* g = &rules.geometry
    cdef int direction
    number_jumps(n, g)
    n.capture = n.sets = 0
    add_set(n, g.all, DROP, 0, 0)
    if rules.royal_caravan:
        add_set(n, g.all, DROP_ROYAL, 0, 0)
    n.quiet, n.step_sets = n.capture, n.sets
    for direction in range(EAST, SOUTH + 1):
        add_set(n, shift(g, 0, 0, g.all, direction ^ 1), STEP, g.delta[direction], 0)
    if rules.friendly_leap:
        for direction in range(EAST, SOUTH + 1):
            add_set(n, n.jump_from[direction], STEP, 2 * g.delta[direction], g.delta[direction])
    n.effect[n.capture] = make_effect(PASS, 0, 0)
    n.passes = rules.no_moves == PASSES
    n.from_hand = rules.second_removal != BOARD
    # A 2 x 2 board has no jumps, and no squares for removals.
    n.removals = g.squares - 3 + n.from_hand + 1
    n.count = n.capture + n.jumps * n.removals + n.passes


cdef inline int rank(Bitboard squares, int square) noexcept nogil:
    """How many of the squares come before one."""
    return popcount(squares & (bit(square) - 1))


cdef inline int jump_of(const Numbering* n, int direction, int origin) noexcept nogil:
    return n.first_jump[direction] + rank(n.jump_from[direction], origin)


cdef inline bint is_quiet(const Numbering* n, int number) noexcept nogil:
    # Without branches: nobody can foresee the kind of a random action.
    return ((n.quiet <= number) & (number < n.capture)) | (n.passes & (number == n.count - 1))


cdef inline int quiet_index(const Numbering* n, int number) noexcept nogil:
    """The quiet action with a number, counted from 0; ``--`` is the last."""
    return min(number, n.capture) - n.quiet


cdef inline Effect quiet_effect(const Numbering* n, int index) noexcept nogil:
    return n.effect[n.quiet + index]


cdef inline Effect effect_of(const Numbering* n, int number) noexcept nogil:
    """The effect of an action; the number must be in range."""
    cdef int jump, removal
    if number < n.capture:
        return n.effect[number]
    if is_quiet(n, number):
        return n.effect[n.capture]
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
    jump = jump_of(n, direction, origin)
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
    if action.path.words[0]:
        return NO_NUMBER
    if kind == CAPTURE:
        return capture_number(n, g, effect)
    if kind == PASS:
        return n.count - 1 if n.passes else NO_NUMBER
    for i in range(n.capture):
        if n.effect[i] == effect:
            return i
    return NO_NUMBER
