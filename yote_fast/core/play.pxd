"""What an action does to a position."""

from yote_fast.core.action cimport (
    CAPTURE, DROP, DROP_ROYAL, FREE_MOVE, PASS, PLACE_ROUTE, Effect, cleared_by, hand_of, kind_of, origin_of, target_of,
)
from yote_fast.core.bitboard cimport Bitboard, bit
from yote_fast.core.position cimport (
    AFTER_MAIN, BEFORE_MAIN, BONUS_MOVE, Position, Ruleset, Zobrist, piece_count, squares_key, state_key,
)
from yote_fast.core.routes cimport has_optional_action


cdef inline void start_turn(Position* p, int side) noexcept nogil:
    if p.turn == side:
        # A drop obliges the other side, not the one that made it and is on move again.
        p.must_drop = False
    p.turn = side
    p.stage = BEFORE_MAIN
    p.placed = False
    p.moved = False
    p.actor = 0


cdef inline void go_on_or_end_turn(const Ruleset* rules, Position* p) noexcept nogil:
    if not has_optional_action(rules, p):
        start_turn(p, 1 - p.turn)


cdef inline void move_piece(Position* p, int origin, int target) noexcept nogil:
    # Nothing where a chain comes back to its start.
    cdef Bitboard ends = bit(origin) ^ bit(target)
    p.pieces[p.turn] ^= ends
    if p.royals & bit(origin):
        p.royals ^= ends


cdef inline void take_pieces(Position* p, Effect effect) noexcept nogil:
    cdef int enemy = 1 - p.turn
    cdef Bitboard cleared = cleared_by(effect)
    p.pieces[enemy] ^= cleared
    p.royals &= ~cleared
    p.hand[enemy] -= hand_of(effect)


cdef inline void drop_piece(Position* p, Effect effect) noexcept nogil:
    cdef int square = target_of(effect)
    p.pieces[p.turn] |= bit(square)
    if kind_of(effect) == DROP:
        p.hand[p.turn] -= 1
    else:
        p.royal_in_hand[p.turn] = False
        p.royals |= bit(square)


cdef inline void place_route(const Ruleset* rules, Position* p, Effect effect) noexcept nogil:
    cdef int low = origin_of(effect)
    p.supply[p.turn] -= 1
    p.placed = True
    if target_of(effect) == low + rules.geometry.cols + 1:
        p.rising |= bit(low)
    else:
        p.falling |= bit(low - 1)


cdef inline void finish_main_action(const Ruleset* rules, Position* p, Effect effect) noexcept nogil:
    """Pass the turn, keep it, or start another: whatever follows a main action or a bonus move's capture."""
    cdef int enemy = 1 - p.turn
    if kind_of(effect) == CAPTURE:
        if piece_count(p, enemy) == 0:
            start_turn(p, enemy)
            return
        if rules.bonus_turn:
            start_turn(p, p.turn)
            return
    if rules.trade_routes == 0 or p.stage == BONUS_MOVE:
        start_turn(p, enemy)
        return
    p.stage = AFTER_MAIN
    p.actor = target_of(effect)
    go_on_or_end_turn(rules, p)


cdef inline void play_in_place(const Ruleset* rules, Effect effect, Position* p) noexcept nogil:
    """Change a position by a legal action, all but its key."""
    cdef int kind = kind_of(effect), origin = origin_of(effect), target = target_of(effect)
    if kind == PASS:
        if p.stage == BEFORE_MAIN:
            p.must_drop = False
        start_turn(p, 1 - p.turn)
    elif kind == PLACE_ROUTE:
        place_route(rules, p, effect)
        if p.stage == AFTER_MAIN:
            p.stage = BONUS_MOVE
            go_on_or_end_turn(rules, p)
    elif kind == FREE_MOVE:
        move_piece(p, origin, target)
        if p.stage == BONUS_MOVE:
            start_turn(p, 1 - p.turn)
        else:
            p.moved = True
            if p.stage == AFTER_MAIN:
                if p.actor == origin:
                    p.actor = target
                go_on_or_end_turn(rules, p)
    else:
        if p.stage == BEFORE_MAIN:
            p.must_drop = rules.drop_initiative and not p.must_drop and kind <= DROP_ROYAL
        if kind <= DROP_ROYAL:
            drop_piece(p, effect)
        else:
            # The pieces go first: a chain can end on a square that one of them was removed from.
            if kind == CAPTURE:
                take_pieces(p, effect)
            move_piece(p, origin, target)
        finish_main_action(rules, p, effect)


cdef inline void play_keyless(const Ruleset* rules, const Position* before, Effect effect, Position* p) noexcept nogil:
    """Write the position after a legal action to ``p``, with the key of the position before."""
    p[0] = before[0]
    play_in_place(rules, effect, p)


cdef inline void play(const Ruleset* rules, const Position* before, Effect effect, Position* p) noexcept nogil:
    """Write the position after a legal action to ``p``."""
    cdef const Zobrist* z = &rules.zobrist
    play_keyless(rules, before, effect, p)
    p.key ^= state_key(rules, before) ^ state_key(rules, p)
    p.key ^= squares_key(z.piece[0], before.pieces[0] ^ p.pieces[0]) ^ squares_key(z.piece[1], before.pieces[1] ^ p.pieces[1])
    if rules.royal_caravan:
        p.key ^= squares_key(z.royal, before.royals ^ p.royals)
    if rules.trade_routes:
        p.key ^= squares_key(z.rising, before.rising ^ p.rising) ^ squares_key(z.falling, before.falling ^ p.falling)
