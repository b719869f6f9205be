"""One of many games: its position, the part of its history that can come again, and how it ends."""

cdef enum:
    ONGOING, WHITE_WON, BLACK_WON, DRAWN

# The quiet actions since the last drop or capture, oldest first, each with a hash of the position before it::
#
#      15        8 7        0
#      | position | action  |        the action as quiet_index counts them
#
# A drop or capture can never be undone, so only these positions can come again. The hash picks the few that may be the same; then
# the actions are taken back down to them, so that a repetition is exact.
#
# The chunks of most allocators hold 12, 28, 60, ... of them.
cdef enum:
    FIRST_CAPACITY = 12
    CHUNK_OVERHEAD = 4

cdef struct Game:
    # The parts of a position that these rules know, so that a game fits in a cache line.
    Bitboard pieces[2]
    Bitboard royals
    uint64_t random             # state of the game's own generator
    uint16_t* history
    uint32_t run                # quiet actions in the history
    uint32_t capacity
    uint32_t plies
    uint8_t hand[2]
    uint8_t royal_in_hand[2]
    uint8_t turn
    uint8_t must_drop
    uint8_t state


cdef inline void get_position(const Game* game, Position* p) noexcept nogil:
    """Write the position of a game to ``p``, without its key."""
    p.key = 0
    p.pieces[0], p.pieces[1], p.royals = game.pieces[0], game.pieces[1], game.royals
    p.rising = p.falling = 0
    p.hand[0], p.hand[1] = game.hand[0], game.hand[1]
    p.royal_in_hand[0], p.royal_in_hand[1] = game.royal_in_hand[0], game.royal_in_hand[1]
    p.supply[0] = p.supply[1] = 0
    p.turn, p.must_drop = game.turn, game.must_drop
    p.stage = BEFORE_MAIN
    p.placed = p.moved = p.actor = 0


cdef inline void set_position(Game* game, const Position* p) noexcept nogil:
    game.pieces[0], game.pieces[1], game.royals = p.pieces[0], p.pieces[1], p.royals
    game.hand[0], game.hand[1] = p.hand[0], p.hand[1]
    game.royal_in_hand[0], game.royal_in_hand[1] = p.royal_in_hand[0], p.royal_in_hand[1]
    game.turn, game.must_drop = p.turn, p.must_drop


cdef inline uint16_t position_hash(const Bitboard* pieces, Bitboard royals, bint must_drop) noexcept nogil:
    cdef uint64_t mixed = (
        pieces[0] * 0x9E3779B97F4A7C15ULL + pieces[1] * 0xC2B2AE3D27D4EB4FULL + royals * 0x165667B19E3779F9ULL
    )
    # Of two positions that differ in this flag alone the hashes differ.
    return ((mixed >> 56) ^ must_drop) << 8


cdef inline uint16_t game_hash(const Game* game) noexcept nogil:
    return position_hash(game.pieces, game.royals, game.must_drop)


cdef inline uint16_t board_hash(const Position* p) noexcept nogil:
    return position_hash(p.pieces, p.royals, p.must_drop)


cdef inline bint has_room(Game* game, uint32_t run) noexcept nogil:
    """Make sure of room for so many quiet actions; False without memory, and the game is as before."""
    cdef uint32_t capacity = game.capacity
    cdef uint16_t* history
    if run <= capacity:
        return True
    while capacity < run:
        capacity = 2 * capacity + CHUNK_OVERHEAD if capacity else FIRST_CAPACITY
    history = <uint16_t*>realloc(game.history, capacity * sizeof(uint16_t))
    if history == NULL:
        return False
    game.history = history
    game.capacity = capacity
    return True


cdef inline void take_back(Position* p, Effect effect) noexcept nogil:
    """Undo a quiet action, as far as the pieces go."""
    p.turn = 1 - p.turn
    if kind_of(effect) != PASS:
        move_piece(p, target_of(effect), origin_of(effect))


cdef int count_occurrences(const Numbering* n, const Game* game, uint16_t hash) noexcept nogil:
    """How often the position has stood since the last drop or capture, now included."""
    cdef Position past
    cdef int count = 1
    cdef uint32_t i = game.run
    get_position(game, &past)
    while i:
        i -= 1
        take_back(&past, quiet_effect(n, game.history[i] & 255))
        count += (
            (game.history[i] ^ hash) < 256 and past.turn == game.turn and past.pieces[0] == game.pieces[0]
            and past.pieces[1] == game.pieces[1] and past.royals == game.royals
        )
    return count


cdef inline uint32_t count_alike(const uint16_t* history, uint32_t run, uint16_t hash) noexcept nogil:
    """How many positions of a history have a hash, four at a time."""
    cdef uint64_t hashes = hash * 0x0001000100010001ULL, differences
    cdef uint32_t i, count = 0
    for i in range(0, run, 4):
        memcpy(&differences, history + i, sizeof(uint64_t))
        differences = (differences ^ hashes) & 0xFF00FF00FF00FF00ULL
        # The highest bit of a number stays where the number is 0.
        differences = ~(differences | ((differences & 0x7F007F007F007F00ULL) + 0x7F007F007F007F00ULL)) & 0x8000800080008000ULL
        if run - i < 4:
            differences <<= 16 * (4 - (run - i))
        count += popcount(differences)
    return count


cdef inline bint is_repeated(const Numbering* n, const Game* game, uint32_t repetition) noexcept nogil:
    """Whether the position stands for the time that draws the game."""
    cdef uint16_t hash
    # Each side must move a piece away and back in between. Where ``repetition`` is 0, none, no run is long enough.
    if game.run < 4 * <uint64_t>(repetition - 1):
        return False
    hash = game_hash(game)
    return (
        count_alike(game.history, game.run, hash) + 1 >= repetition
        and count_occurrences(n, game, hash) >= <int>repetition
    )


cdef inline bint can_act(const Ruleset* rules, const Game* game) noexcept nogil:
    """Whether the side to move can do anything, or passes."""
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard own = game.pieces[game.turn], empty = g.all & ~(own | game.pieces[1 - game.turn])
    cdef Bitboard drops = empty & (0 - <Bitboard>(game.hand[game.turn] + game.royal_in_hand[game.turn] > 0))
    cdef Position p
    # Nearly always: a drop or a step.
    if drops | own & (west(g, empty) | east(g, empty) | north(g, empty) | south(g, empty)):
        return True
    get_position(game, &p)
    return has_action(rules, &p) or must_pass(rules, &p)


cdef inline int decided_state(const Ruleset* rules, const Game* game) noexcept nogil:
    """How the number of pieces, or a lack of actions, has ended the game."""
    cdef int black = popcount(game.pieces[0]) + game.hand[0] + game.royal_in_hand[0]
    cdef int white = popcount(game.pieces[1]) + game.hand[1] + game.royal_in_hand[1]
    if white == 0 or black == 0:
        return WHITE_WON if white else BLACK_WON if black else DRAWN
    if rules.draw_at_three and white <= 3 and black <= 3:
        return DRAWN
    if can_act(rules, game):
        return ONGOING
    if rules.no_moves == LOSES:
        return BLACK_WON if game.turn else WHITE_WON
    if rules.no_moves == PASSES or white == black:
        return DRAWN
    return WHITE_WON if white > black else BLACK_WON


cdef inline void update_state(const Ruleset* rules, const Numbering* n, Game* game, uint32_t repetition) noexcept nogil:
    game.state = decided_state(rules, game)
    if game.state == ONGOING and is_repeated(n, game, repetition):
        game.state = DRAWN


cdef inline void change(const Ruleset* rules, Game* game, Effect effect) noexcept nogil:
    """Do what `play_in_place` does, for rules without chains and routes; without branches by the kind of action, for nobody can
    foresee that of a random one."""
    cdef int kind = kind_of(effect), own = game.turn, enemy = 1 - own
    cdef bint drop = kind <= DROP_ROYAL
    cdef Bitboard origin = bit(origin_of(effect)), target = bit(target_of(effect)), cleared = cleared_by(effect)
    game.turn = enemy
    if kind == PASS:
        game.must_drop = False
        return
    # A drop goes from its square to its square.
    game.pieces[own] = (game.pieces[own] & ~origin) | target
    game.pieces[enemy] ^= cleared
    game.hand[own] -= kind == DROP
    game.hand[enemy] -= hand_of(effect)
    if rules.royal_caravan:
        game.royals &= ~cleared
        if kind == DROP_ROYAL:
            game.royal_in_hand[own] = False
            game.royals |= target
        elif game.royals & origin:
            game.royals ^= origin ^ target
    game.must_drop = rules.drop_initiative and drop and not game.must_drop
    if rules.bonus_turn and kind == CAPTURE and (game.pieces[enemy] or game.hand[enemy] or game.royal_in_hand[enemy]):
        game.turn = own


cdef inline void act(
    const Ruleset* rules, const Numbering* n, Game* game, int number, uint32_t repetition,
) noexcept nogil:
    """Play a legal action; there must be room for one in the history."""
    if repetition:
        # Of an action that is not quiet the entry is lost again at once, without a branch.
        game.history[game.run] = game_hash(game) | <uint8_t>quiet_index(n, number)
        game.run = (game.run + 1) * is_quiet(n, number)
    change(rules, game, effect_of(n, number))
    game.plies += 1
    update_state(rules, n, game, repetition)
