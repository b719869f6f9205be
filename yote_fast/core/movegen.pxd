"""The legal actions of a position, written to a list or only counted.

One generator does both. Where a group of actions can be counted from its bitboard (all drops, all steps east, ...) a counting sink
takes the group as a whole: that is the bulk counting of perft's last ply.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, realloc

from yote_fast.core.action cimport (
    CAPTURE, DROP, DROP_ROYAL, FREE_MOVE, NO_ACTION, PASS, PLACE_ROUTE, REMOVED_FROM_HAND, REMOVED_NOTHING, STEP,
    Action, Effect, Path, cleared_by, clears, kind_of, make_effect, no_path, origin_of, path_set, same_path, takes_from_hand,
    target_of,
)
from yote_fast.core.bitboard cimport (
    Bitboard, Geometry, NORTH_EAST, ORTHOGONAL, SOUTH_EAST, add_overflows, bit, east, lowest, north, popcount, shift,
    south, west,
)
from yote_fast.core.control cimport Control, poll
from yote_fast.core.position cimport (
    AFTER_MAIN, BEFORE_MAIN, BOARD, BOARD_OR_HAND, BOARD_THEN_HAND, BONUS_MOVE, PASSES, Position, Ruleset,
    empty_squares, is_decided,
)
from yote_fast.core.play cimport play_keyless
from yote_fast.core.routes cimport can_move_freely, can_place, jump_targets, open_blocks, reachable

cdef enum:
    # A gibibyte of actions with their paths. Removals after each jump of a long chain can multiply beyond any memory: then
    # generating fails with TOO_MANY, and counting still works.
    MAX_ACTIONS = 1 << 25

# What a sink keeps of the actions.
cdef enum:
    COUNT, EFFECTS, ACTIONS, MATCH

# States of a sink.
cdef enum:
    SINK_OK, FOUND, TOO_MANY, NO_MEMORY, COUNT_OVERFLOW, STOPPED

cdef struct Sink:
    int keeps               # COUNT; EFFECTS; ACTIONS: effects with their paths; MATCH: nothing, but it looks for `wanted`
    Effect* effects         # grown as needed
    Path* paths
    uint64_t count
    uint64_t capacity
    # A sink that looks for one action asks only for those like it:
    Action wanted
    int kind                # main actions of this kind; NO_ACTION for all
    Bitboard movers         # those of these pieces
    Bitboard squares        # drops on, and routes in the blocks of, these squares
    Bitboard removals       # second removals from the board of these squares (made together after a jump or chain)
    int state               # anything but SINK_OK: the result is incomplete
    Control* control


cdef inline void sink_init(Sink* sink, int keeps, Control* control) noexcept nogil:
    sink.keeps = keeps
    sink.effects = NULL
    sink.paths = NULL
    sink.count = 0
    sink.capacity = 0
    sink.kind = NO_ACTION
    sink.movers = sink.squares = sink.removals = ~<Bitboard>0
    sink.state = SINK_OK
    sink.control = control


cdef inline void look_for(Sink* sink, const Action* wanted) noexcept nogil:
    """Ask for an action, and only for those like it: by its own piece, square or block."""
    sink.keeps = MATCH
    sink.wanted = wanted[0]
    sink.kind = kind_of(wanted.effect)
    if sink.kind == PASS:
        # A `--` stands or falls with all the other actions.
        sink.kind = NO_ACTION
        return
    sink.movers = bit(origin_of(wanted.effect))
    sink.squares = bit(target_of(wanted.effect))
    if sink.kind == PLACE_ROUTE:
        sink.squares = sink.movers | sink.movers >> 1
    if sink.kind == CAPTURE:
        sink.removals = cleared_by(wanted.effect)


cdef inline void sink_free(Sink* sink) noexcept nogil:
    free(sink.effects)
    free(sink.paths)


cdef inline bint reserve(Sink* sink, uint64_t more) noexcept nogil:
    """Make room for so many more actions."""
    cdef uint64_t capacity = sink.capacity if sink.capacity else 64
    cdef void* effects
    cdef void* paths
    if sink.count + more <= sink.capacity:
        return True
    while capacity < sink.count + more:
        capacity *= 2
    if capacity > MAX_ACTIONS:
        sink.state = TOO_MANY
        return False
    effects = realloc(sink.effects, capacity * sizeof(Effect))
    if effects != NULL:
        sink.effects = <Effect*>effects
    paths = realloc(sink.paths, capacity * sizeof(Path)) if sink.keeps == ACTIONS else NULL
    if paths != NULL:
        sink.paths = <Path*>paths
    if effects == NULL or (paths == NULL and sink.keeps == ACTIONS):
        sink.state = NO_MEMORY
        return False
    sink.capacity = capacity
    return True


cdef inline void add_with_path(Sink* sink, Effect effect, Path path) noexcept nogil:
    if sink.keeps == COUNT:
        sink.count += 1
        return
    if sink.keeps == MATCH:
        if effect == sink.wanted.effect and same_path(&path, &sink.wanted.path):
            sink.state = FOUND
        return
    if not reserve(sink, 1):
        return
    sink.effects[sink.count] = effect
    if sink.keeps == ACTIONS:
        sink.paths[sink.count] = path
    sink.count += 1


cdef inline void add(Sink* sink, Effect effect) noexcept nogil:
    add_with_path(sink, effect, no_path())


# Adds `n` actions to a counting sink.
cdef inline void add_count(Sink* sink, uint64_t n) noexcept nogil:
    if add_overflows(&sink.count, n):
        sink.state = COUNT_OVERFLOW


# Second removals ------------------------------------------------------------------------------------------------------------------

# What the capturer may take from: the enemy's camels on the board and in hand.
cdef struct Spoils:
    Bitboard camels
    int hand


cdef inline bint can_take_from_hand(const Ruleset* rules, bint camels_on_board, int hand) noexcept nogil:
    """Whether one second removal can come from the enemy's hand, with so many camels in it."""
    return (hand > 0) & (
        (rules.second_removal == BOARD_OR_HAND) | ((rules.second_removal == BOARD_THEN_HAND) & (not camels_on_board))
    )


cdef inline uint64_t removal_choices(const Ruleset* rules, int camels, int hand) noexcept nogil:
    """The ways to make one second removal from so many camels on the board and in hand; at least 1, the removal of nothing."""
    cdef uint64_t choices = camels
    if can_take_from_hand(rules, camels != 0, hand):
        choices += 1
    return choices + 1 if choices == 0 or rules.optional_removal else choices


cdef inline uint64_t binomial(int n, int k) noexcept nogil:
    cdef uint64_t result = 1
    cdef int i
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result


cdef inline void add_subsets(Sink* sink, Effect effect, Path path, Bitboard squares, int size) noexcept nogil:
    """One action for each choice of ``size`` of the squares, removed from the board."""
    cdef Bitboard chosen
    if sink.keeps == COUNT:
        add_count(sink, binomial(popcount(squares), size))
        return
    if size == 0:
        add_with_path(sink, effect, path)
        return
    squares &= sink.removals
    if size == 1 and sink.keeps == EFFECTS:
        if not reserve(sink, popcount(squares)):
            return
        while squares:
            sink.effects[sink.count] = effect | clears(squares & (0 - squares))
            sink.count += 1
            squares &= squares - 1
        return
    while popcount(squares) >= size and sink.state == SINK_OK:
        chosen = squares & (0 - squares)
        squares ^= chosen
        add_subsets(sink, effect | clears(chosen), path, squares, size - 1)


cdef inline void add_removals(
    const Ruleset* rules, Sink* sink, Effect effect, Path path, Spoils spoils, int jumped,
) noexcept nogil:
    """One action for each set of second removals that ``jumped`` captured camels allow together."""
    cdef int board = popcount(spoils.camels), most, total, hand
    most = board if rules.second_removal == BOARD else board + spoils.hand
    if most > jumped:
        most = jumped
    for total in range(0 if rules.optional_removal else most, most + 1):
        for hand in range(min(total, spoils.hand) + 1):
            if total - hand > board:
                continue
            if hand and (rules.second_removal == BOARD or (rules.second_removal == BOARD_THEN_HAND and total - hand < board)):
                continue
            add_subsets(sink, effect | takes_from_hand(hand), path, spoils.camels, total - hand)


# Captures -------------------------------------------------------------------------------------------------------------------------

# The state of a chain after some jumps.
cdef struct Chain:
    Bitboard own            # the moving piece not among them
    Bitboard enemy
    Bitboard royals
    int hand                # the enemy's camels in hand
    int square              # where the piece stands
    int jumps
    int camels_jumped
    Effect effect           # removals so far, without target
    Path path


cdef inline Bitboard jump_target(
    const Ruleset* rules, const Position* p, const Chain* chain, int direction,
) noexcept nogil:
    """The square that the chain's piece can jump to in a direction, as a set."""
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard jumped = shift(g, p.rising, p.falling, bit(chain.square), direction) & chain.enemy
    return shift(g, p.rising, p.falling, jumped, direction) & g.all & ~(chain.own | chain.enemy)


cdef inline void end_chain(const Ruleset* rules, Sink* sink, const Chain* chain) noexcept nogil:
    cdef Effect effect = chain.effect | make_effect(NO_ACTION, 0, chain.square)
    cdef Path path = chain.path
    cdef Spoils spoils
    if chain.jumps == 1:
        # Of a single jump the effect says all.
        path.words[0] = 0
    if rules.removal_each:
        add_with_path(sink, effect, path)
        return
    spoils.camels = chain.enemy & ~chain.royals
    spoils.hand = chain.hand
    add_removals(rules, sink, effect, path, spoils, chain.camels_jumped)


cdef inline void jump_on(
    const Ruleset* rules, const Position* p, Sink* sink, const Chain* before, int direction, Bitboard target,
) noexcept nogil:
    """Make one jump of a chain, with its removal where removals are made after each, and go on."""
    cdef Chain chain = before[0], removed
    cdef int middle = before.square + rules.geometry.delta[direction], square
    cdef Bitboard camels
    cdef bint royal = (before.royals & bit(middle)) != 0, from_hand
    chain.enemy ^= bit(middle)
    chain.royals &= ~bit(middle)
    chain.square = lowest(target)
    chain.effect |= clears(bit(middle))
    chain.camels_jumped += not royal
    chain.jumps += 1
    path_set(&chain.path, before.jumps, direction, REMOVED_NOTHING)
    if not rules.removal_each or royal:
        go_on(rules, p, sink, &chain)
        return
    camels = chain.enemy & ~chain.royals
    from_hand = can_take_from_hand(rules, camels != 0, chain.hand)
    if rules.optional_removal or (camels == 0 and not from_hand):
        go_on(rules, p, sink, &chain)
    if from_hand:
        removed = chain
        removed.hand -= 1
        removed.effect += takes_from_hand(1)
        path_set(&removed.path, before.jumps, direction, REMOVED_FROM_HAND)
        go_on(rules, p, sink, &removed)
    while camels:
        square = lowest(camels)
        camels &= camels - 1
        removed = chain
        removed.enemy ^= bit(square)
        removed.effect |= clears(bit(square))
        path_set(&removed.path, before.jumps, direction, square)
        go_on(rules, p, sink, &removed)


cdef inline void go_on(const Ruleset* rules, const Position* p, Sink* sink, const Chain* chain) noexcept nogil:
    """All actions that a chain can end in, stopping here or jumping on."""
    cdef int direction
    cdef Bitboard target
    cdef bint can_jump = False
    if sink.state != SINK_OK:
        return
    if poll(sink.control):
        sink.state = STOPPED
        return
    for direction in range(rules.jump_directions):
        target = jump_target(rules, p, chain, direction)
        if target:
            can_jump = True
            jump_on(rules, p, sink, chain, direction, target)
    if not (can_jump and rules.mandatory_capture):
        end_chain(rules, sink, chain)


cdef inline void add_chains(
    const Ruleset* rules, const Position* p, Sink* sink, int direction, Bitboard targets,
) noexcept nogil:
    """All chains whose first jump goes in a direction to one of the targets."""
    cdef Chain chain
    cdef Bitboard target
    while targets:
        target = targets & (0 - targets)
        targets ^= target
        chain.square = lowest(target) - 2 * rules.geometry.delta[direction]
        chain.own = p.pieces[p.turn] ^ bit(chain.square)
        chain.enemy = p.pieces[1 - p.turn]
        chain.royals = p.royals & chain.enemy
        chain.hand = p.hand[1 - p.turn]
        chain.jumps = 0
        chain.camels_jumped = 0
        chain.effect = make_effect(CAPTURE, chain.square, 0)
        chain.path = no_path()
        jump_on(rules, p, sink, &chain, direction, target)


cdef inline void add_jumps(
    const Ruleset* rules, const Position* p, Sink* sink, int direction, Bitboard targets,
) noexcept nogil:
    """The single captures in a direction that land on the targets, with their second removals."""
    cdef int enemy = 1 - p.turn, delta = rules.geometry.delta[direction], target
    cdef Bitboard middle, camels = p.pieces[enemy] & ~p.royals
    cdef Spoils spoils
    if sink.keeps == COUNT and (p.royals & p.pieces[enemy]) == 0:
        add_count(sink, popcount(targets) * removal_choices(rules, popcount(camels) - 1, p.hand[enemy]))
        return
    spoils.hand = p.hand[enemy]
    while targets:
        target = lowest(targets)
        targets &= targets - 1
        middle = bit(target - delta)
        spoils.camels = camels & ~middle
        # The capture of a royal gives no second removal.
        add_removals(
            rules, sink, make_effect(CAPTURE, target - 2 * delta, target) | clears(middle), no_path(), spoils,
            0 if p.royals & middle else 1,
        )


cdef inline void add_captures_in_direction(
    const Ruleset* rules, const Position* p, Sink* sink, Bitboard movers, int direction,
) noexcept nogil:
    cdef Bitboard targets = jump_targets(rules, p, movers, p.pieces[1 - p.turn], direction)
    if targets == 0:
        return
    if rules.chain_capture:
        add_chains(rules, p, sink, direction, targets)
    else:
        add_jumps(rules, p, sink, direction, targets)


cdef inline void add_captures(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    cdef int direction
    cdef Bitboard movers = p.pieces[p.turn] & sink.movers
    for direction in range(ORTHOGONAL):
        add_captures_in_direction(rules, p, sink, movers, direction)
    for direction in range(ORTHOGONAL, rules.jump_directions):
        add_captures_in_direction(rules, p, sink, movers, direction)


# Quiet actions --------------------------------------------------------------------------------------------------------------------


cdef inline void add_shifted(Sink* sink, int kind, Bitboard targets, int delta) noexcept nogil:
    """One action for each target, from the square ``delta`` before it."""
    # An effect is the sum of its fields: some that all have in common, and each square of a target as often as it stands in them.
    cdef Effect common = make_effect(kind, 0, 0) - delta * make_effect(0, 1, 0), per_square = make_effect(0, 1, 1)
    cdef Effect* effects
    if sink.keeps == COUNT:
        add_count(sink, popcount(targets))
        return
    if sink.keeps == EFFECTS:
        if not reserve(sink, popcount(targets)):
            return
        effects = &sink.effects[sink.count]
        sink.count += popcount(targets)
        while targets:
            effects[0] = common + per_square * lowest(targets)
            effects += 1
            targets &= targets - 1
        return
    while targets:
        add(sink, make_effect(kind, lowest(targets) - delta, lowest(targets)))
        targets &= targets - 1


cdef inline void add_drops(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    if p.hand[p.turn]:
        add_shifted(sink, DROP, empty_squares(rules, p) & sink.squares, 0)
    if p.royal_in_hand[p.turn]:
        add_shifted(sink, DROP_ROYAL, empty_squares(rules, p) & sink.squares, 0)


cdef inline void add_steps(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard own = p.pieces[p.turn], movers = own & sink.movers, empty = empty_squares(rules, p)
    cdef int direction
    if movers == 0:
        return
    add_shifted(sink, STEP, east(g, movers) & empty, 1)
    add_shifted(sink, STEP, west(g, movers) & empty, -1)
    add_shifted(sink, STEP, north(g, movers) & empty, g.cols)
    add_shifted(sink, STEP, south(g, movers) & empty, -g.cols)
    if rules.friendly_leap:
        for direction in range(rules.jump_directions):
            add_shifted(sink, STEP, jump_targets(rules, p, movers, own, direction), 2 * rules.geometry.delta[direction])


# The turns of route games ---------------------------------------------------------------------------------------------------------


cdef inline void add_placings(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    cdef Bitboard blocks = open_blocks(rules, p) & sink.squares
    cdef int block, cols = rules.geometry.cols
    if sink.keeps == COUNT:
        add_count(sink, 2 * popcount(blocks))
        return
    while blocks:
        block = lowest(blocks)
        blocks &= blocks - 1
        add(sink, make_effect(PLACE_ROUTE, block, block + cols + 1))
        add(sink, make_effect(PLACE_ROUTE, block + 1, block + cols))


cdef inline void add_free_moves(const Ruleset* rules, const Position* p, Sink* sink, Bitboard pieces) noexcept nogil:
    cdef Bitboard targets
    cdef int origin
    while pieces:
        origin = lowest(pieces)
        pieces &= pieces - 1
        targets = reachable(rules, p, origin)
        if sink.keeps == COUNT:
            add_count(sink, popcount(targets))
            continue
        while targets:
            add(sink, make_effect(FREE_MOVE, origin, lowest(targets)))
            targets &= targets - 1


cdef inline void add_bonus_moves(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    cdef Bitboard actor = bit(p.actor)
    cdef int direction
    add_free_moves(rules, p, sink, actor)
    for direction in range(NORTH_EAST, SOUTH_EAST + 1):
        add_jumps(rules, p, sink, direction, jump_targets(rules, p, actor, p.pieces[1 - p.turn], direction))


# All together ---------------------------------------------------------------------------------------------------------------------


cdef inline bint can_capture(const Ruleset* rules, const Position* p) noexcept nogil:
    cdef Bitboard own = p.pieces[p.turn], enemy = p.pieces[1 - p.turn], targets = 0
    cdef int direction
    for direction in range(ORTHOGONAL):
        targets |= jump_targets(rules, p, own, enemy, direction)
    for direction in range(ORTHOGONAL, rules.jump_directions):
        targets |= jump_targets(rules, p, own, enemy, direction)
    return targets != 0


cdef inline bint can_drop(const Ruleset* rules, const Position* p) noexcept nogil:
    return (p.hand[p.turn] or p.royal_in_hand[p.turn]) and empty_squares(rules, p) != 0


cdef inline bint has_main_action(const Ruleset* rules, const Position* p) noexcept nogil:
    cdef Bitboard own = p.pieces[p.turn], empty = empty_squares(rules, p)
    cdef int direction
    if can_drop(rules, p):
        return True
    for direction in range(ORTHOGONAL):
        if shift(&rules.geometry, 0, 0, own, direction) & empty:
            return True
    if can_capture(rules, p):
        return True
    if rules.friendly_leap:
        for direction in range(rules.jump_directions):
            if jump_targets(rules, p, own, own, direction):
                return True
    return False


cdef inline bint has_action(const Ruleset* rules, const Position* p) noexcept nogil:
    """Whether the side to move can do anything but pass for want of an action. Says nothing of games that pieces have decided."""
    if p.stage != BEFORE_MAIN or has_main_action(rules, p):
        return True
    if rules.trade_routes == 0:
        return False
    # After a free move `--` ends a turn without a main action.
    return p.moved or (not p.placed and can_place(rules, p)) or can_move_freely(rules, p, p.pieces[p.turn])


cdef inline bint must_pass(const Ruleset* rules, const Position* p) noexcept nogil:
    """Whether a side without an action passes: the other side has one. To be asked only where `has_action` is false."""
    cdef Position other
    if rules.no_moves != PASSES:
        return False
    play_keyless(rules, p, make_effect(PASS, 0, 0), &other)
    return has_action(rules, &other)


cdef inline bint is_obliged_to_drop(const Ruleset* rules, const Position* p) noexcept nogil:
    return p.must_drop and can_drop(rules, p)


cdef inline void add_quiet_main_actions(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    # The obligation to drop outranks mandatory captures.
    if is_obliged_to_drop(rules, p):
        add_drops(rules, p, sink)
    elif not (rules.mandatory_capture and can_capture(rules, p)):
        if sink.kind <= DROP_ROYAL:
            add_drops(rules, p, sink)
        if sink.kind == NO_ACTION or sink.kind == STEP:
            add_steps(rules, p, sink)


cdef inline void add_main_actions(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    add_quiet_main_actions(rules, p, sink)
    if (sink.kind == NO_ACTION or sink.kind == CAPTURE) and not is_obliged_to_drop(rules, p):
        add_captures(rules, p, sink)


cdef inline void add_forced_pass(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    """The `--` of a side that has no other action."""
    if (p.moved and not has_main_action(rules, p)) or (not has_action(rules, p) and must_pass(rules, p)):
        add(sink, make_effect(PASS, 0, 0))


cdef inline void generate(const Ruleset* rules, const Position* p, Sink* sink) noexcept nogil:
    """Add every legal action of ``p`` that the sink wants to it, each once. The sink is empty before."""
    cdef Effect end_of_turn = make_effect(PASS, 0, 0)
    if is_decided(rules, p):
        return
    if p.stage == BONUS_MOVE:
        add_bonus_moves(rules, p, sink)
        add(sink, end_of_turn)
        return
    if rules.trade_routes:
        # After a free move that came before the main action no route may be placed until the main action is done.
        if not p.placed and can_place(rules, p) and (p.stage == AFTER_MAIN or not p.moved):
            add_placings(rules, p, sink)
        if not p.moved:
            add_free_moves(rules, p, sink, p.pieces[p.turn] & sink.movers)
        if p.stage == AFTER_MAIN:
            add(sink, end_of_turn)
            return
    add_main_actions(rules, p, sink)
    if sink.count == 0 and sink.state == SINK_OK:
        add_forced_pass(rules, p, sink)


cdef inline bint is_legal_action(
    const Ruleset* rules, const Position* p, const Action* action, Control* control, Sink* sink,
) noexcept nogil:
    """Whether an action is legal. If not, the sink's state tells whether it was looked for to the end."""
    sink_init(sink, MATCH, control)
    look_for(sink, action)
    generate(rules, p, sink)
    return sink.state == FOUND
