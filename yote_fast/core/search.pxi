"""Alpha-beta search: principal variation search with a transposition table.

Scores are for the side to move, in hundredths of a piece; a proven win in n plies is WIN - n, a loss n - WIN. A side can act twice
in a row (bonus turns, the actions of a route turn): then a child's score is not negated, nor its window turned.
"""

cdef enum:
    QUIET_CAPTURES = 4      # captures tried in a quiescence node
    MARGIN = 60             # what a ply can be expected to change at most, away from captures
    TWO_PIECES = 200
    REVERSIBLE = 1 << STEP | 1 << FREE_MOVE | 1 << PASS     # kinds of actions after which a position can come again


cdef inline int decided_score(const Position* p, int ply) noexcept nogil:
    """The score of a game that the number of pieces has ended."""
    cdef int own = piece_count(p, p.turn), enemy = piece_count(p, 1 - p.turn)
    if own and not enemy:
        return WIN - ply
    if enemy and not own:
        return ply - WIN
    return 0


cdef inline int no_action_score(const Ruleset* rules, const Position* p, int ply) noexcept nogil:
    """The score of a side that cannot act, where the other cannot either or need not."""
    cdef int lead = piece_count(p, p.turn) - piece_count(p, 1 - p.turn)
    if rules.no_moves == PASSES:
        return 0
    if rules.no_moves == LOSES or lead < 0:
        return ply - WIN
    return WIN - ply if lead > 0 else 0


cdef inline int score_to_table(int score, int ply) noexcept nogil:
    """Proven distances from the root become distances from the position."""
    return score + ply if score > PROVEN else score - ply if score < -PROVEN else score


cdef inline int score_from_table(int score, int ply) noexcept nogil:
    return score - ply if score > PROVEN else score + ply if score < -PROVEN else score


cdef inline bint is_repetition(const Search* s, int ply) noexcept nogil:
    """Whether the position at ``ply`` stood before, in the line or in the game."""
    cdef const uint64_t* key = &s.keys[ply]
    cdef int back
    for back in range(2, s.frames[ply].reversible + 1):
        if key[-back] == key[0]:
            return True
    return False


cdef inline uint64_t team_nodes(const Search* leader) noexcept nogil:
    cdef uint64_t nodes = 0
    cdef int i
    for i in range(leader.helpers + 1):
        nodes += leader[i].nodes
    return nodes


cdef inline bint must_end(Search* s) noexcept nogil:
    if s.leader.helpers and team_nodes(s.leader) >= s.leader.team_limit:
        return True
    # Only the leader minds the clock and signals: to look at those takes the interpreter's lock.
    return look(&s.control) if s.leader == s else s.control.stop or s.attempt != s.leader.attempt


cdef inline bint give_up(Search* s) noexcept nogil:
    if s.state != SINK_OK:
        return True
    if s.nodes >= s.max_nodes or (s.nodes % LOOK_INTERVAL == 0 and must_end(s)):
        s.state = STOPPED
        return True
    return False


cdef inline int draw_score(const Search* s, const Position* p) noexcept nogil:
    """The score of endless play."""
    return -s.contempt if p.turn == s.root_turn else s.contempt


cdef inline bint is_in_tables(Search* s, const Position* p, int ply, int* score) noexcept nogil:
    """Whether the endgame tables know a position below the root; its score is exact then, or as exact as they are."""
    return s.probe != NULL and look_into_tables(s, p, ply, score)


cdef bint look_into_tables(Search* s, const Position* p, int ply, int* score) noexcept nogil:
    cdef Slice numbers
    cdef const SliceValues* values
    cdef int value
    if ply == 0 or p.stage != BEFORE_MAIN or piece_count(p, 0) + piece_count(p, 1) > s.probe_pieces:
        return False
    numbers = slice_of(p)
    values = s.probe.directory[slice_code(&numbers)]
    if values == NULL:
        return False
    value = value_of_cell(values, cell_of(s.probe.sets, p))
    s.tbhits += 1
    if value == 0:
        score[0] = draw_score(s, p)
    elif values.distances:
        score[0] = WIN - ply - (value - 1) if value > 0 else ply - WIN - (value + 1)
    else:
        score[0] = TABLE_WIN - ply if value > 0 else ply - TABLE_WIN
    return True


cdef inline void extend_pv(Search* s, int ply, Effect effect) noexcept nogil:
    cdef Frame* frame = &s.frames[ply]
    cdef const Frame* child = &s.frames[ply + 1]
    cdef int length = min(child.pv_length, MAX_PLY - 1)
    frame.pv[0] = effect
    memcpy(&frame.pv[1], child.pv, length * sizeof(Effect))
    frame.pv_length = length + 1


cdef inline uint64_t table_key(const Search* s, const Position* p) noexcept nogil:
    """The key in the table: full-width results are kept apart from selective ones."""
    return p.key if s.selective else p.key ^ <uint64_t>0x5851F42D4C957F2DULL


cdef inline void enter(Search* s, const Position* p, int ply, Effect effect, int depth) noexcept nogil:
    """Note the position after an action as the next of the line, to be searched to a depth."""
    cdef Frame* frame = &s.frames[ply]
    cdef int kind = kind_of(effect)
    if depth > SHALLOW_DEPTH:
        prefetch(bucket_of(&s.table, table_key(s, p)))
    s.keys[ply] = p.key
    # Without a branch, for the kinds come in no order that could be predicted.
    frame.reversible = (s.frames[ply - 1].reversible + 1) * (REVERSIBLE >> kind & 1)


cdef int quiesce(Search* s, const Position* p, int alpha, int beta, int ply) noexcept nogil:
    """The score once captures have calmed down.

    Only the likeliest captures are tried, so it can be a guess, but never a false proof: a side that need not capture may be
    content with how it stands, and one that must is not called lost for captures not tried.
    """
    cdef Frame* frame = &s.frames[ply]
    cdef Position child
    cdef Effect effect
    cdef uint64_t i
    cdef int best, score, standing
    cdef bint forced
    frame.pv_length = 0
    if give_up(s):
        return 0
    s.nodes += 1
    s.seldepth = max(s.seldepth, ply)
    if is_decided(s.rules, p):
        return decided_score(p, ply)
    if is_in_tables(s, p, ply, &score):
        return score
    if not has_action(s.rules, p) and not must_pass(s.rules, p):
        return no_action_score(s.rules, p, ply)
    standing = evaluate(s.rules, p)
    if ply >= MAX_PLY or p.stage != BEFORE_MAIN or not can_capture(s.rules, p) or is_obliged_to_drop(s.rules, p):
        return standing
    forced = s.rules.mandatory_capture and not s.rules.trade_routes
    best = -INFINITE if forced else standing
    if best >= beta:
        return best
    alpha = max(alpha, best)
    if not list_captures(s, p, frame):
        return 0
    for i in range(min(frame.sink.count, <uint64_t>QUIET_CAPTURES)):
        effect = pick(frame, i)
        play(s.rules, p, effect, &child)
        if child.turn == p.turn:
            score = quiesce(s, &child, alpha, beta, ply + 1)
        else:
            score = -quiesce(s, &child, -beta, -alpha, ply + 1)
        if s.state != SINK_OK:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                extend_pv(s, ply, effect)
            if alpha >= beta:
                break
    if best < -PROVEN and frame.sink.count > QUIET_CAPTURES:
        return standing
    return best


# Selectivity ----------------------------------------------------------------------------------------------------------------------


cdef inline int prune_node(Search* s, const Position* p, int standing, int depth, int beta, int ply) noexcept nogil:
    """A score of at least beta where the node needs no search of its own; -INFINITE otherwise.

    Both ways guess that a side that stands well can keep it up, so their scores are never proven ones.
    """
    cdef Frame* frame = &s.frames[ply]
    cdef Position child
    cdef int score, spare = standing - MARGIN * depth - beta
    if depth <= 4 and spare >= 0 and (spare >= TWO_PIECES or not is_threatened(s.rules, p)):
        return standing
    # Null move (Beal 1989): not to act at all is worse than the best action, unless every action does harm. With pieces in hand
    # and room for them there is nearly always a harmless one.
    if (
        depth >= 3 and standing >= beta and not frame.passed and not p.must_drop and p.hand[p.turn] > 1
        and s.rules.trade_routes == 0 and popcount(empty_squares(s.rules, p)) > 4
    ):
        play(s.rules, p, make_effect(PASS, 0, 0), &child)
        enter(s, &child, ply + 1, NO_ACTION, depth - 3)
        s.frames[ply + 1].passed = True
        score = -search(s, &child, depth - 3 - depth // 4, -beta, 1 - beta, ply + 1)
        s.frames[ply + 1].passed = False
        if score >= beta:
            return min(score, PROVEN)
    return -INFINITE


cdef inline bint is_hopeless(const Frame* frame, Effect effect, uint64_t tried, int depth) noexcept nogil:
    """Near the horizon: a quiet action late in the order, or one that only offers a piece."""
    if depth > 3 or tried == 0 or kind_of(effect) == CAPTURE:
        return False
    return tried > <uint64_t>(4 + 4 * depth * depth) or worth_of(frame.priorities[tried]) < BAD_QUIET // 2


cdef inline int reduction_of(const Search* s, const Frame* frame, uint64_t tried, int depth, bint open_window) noexcept nogil:
    """By how much less deep to look at a late action at first."""
    cdef int reduction, worth = worth_of(frame.priorities[tried])
    if depth < 3 or tried < 2:
        return 0
    reduction = s.reductions[min(depth, 63)][min(tried, <uint64_t>63)]
    reduction -= open_window
    if worth >= WORTH_KILLER:
        reduction -= 1
    elif worth < BAD_QUIET // 2:
        reduction += 1
    return max(0, min(reduction, depth - 2))


cdef void fill_reductions(Search* s) noexcept nogil:
    cdef int depth, tried
    for depth in range(1, 64):
        for tried in range(1, 64):
            s.reductions[depth][tried] = <int>(0.4 + log(depth) * log(tried) / 2.2)


# Threads --------------------------------------------------------------------------------------------------------------------------


cdef inline uint64_t mark_of(uint64_t key, Effect effect) noexcept nogil:
    return key ^ (effect * <uint64_t>0x9E3779B97F4A7C15ULL)


cdef inline void share(Search* s, uint64_t key, Effect effect, int depth) noexcept nogil:
    """Let the other threads know of an action that is searched now."""
    cdef uint64_t mark
    if s.leader.helpers and depth >= SHARED_DEPTH:
        mark = mark_of(key, effect)
        s.leader.shared[mark % SHARED_SLOTS] = mark


cdef inline void unshare(Search* s, uint64_t key, Effect effect, int depth) noexcept nogil:
    cdef uint64_t mark
    if s.leader.helpers and depth >= SHARED_DEPTH:
        mark = mark_of(key, effect)
        if s.leader.shared[mark % SHARED_SLOTS] == mark:
            s.leader.shared[mark % SHARED_SLOTS] = 0


cdef inline Effect pick_unshared(Search* s, Frame* frame, uint64_t key, uint64_t i, int depth) noexcept nogil:
    """The next action to try, the i-th; one that another thread is at waits for the others, once."""
    cdef Effect effect = pick(frame, i)
    cdef uint64_t mark
    if not s.leader.helpers or i == 0 or depth < SHARED_DEPTH:
        return effect
    mark = mark_of(key, effect)
    while not is_waiting(frame.priorities[i]) and s.leader.shared[mark % SHARED_SLOTS] == mark:
        frame.priorities[i] -= 256 * WAITING
        effect = pick(frame, i)
        mark = mark_of(key, effect)
    if is_waiting(frame.priorities[i]):
        frame.priorities[i] += 256 * WAITING
    return effect


# The tree -------------------------------------------------------------------------------------------------------------------------


cdef inline bint is_wanted_at_root(const Search* s, Effect effect) noexcept nogil:
    cdef int i
    for i in range(s.root_count):
        if s.root_effects[i] == effect:
            return True
    return s.root_count == 0


cdef inline bint is_deep_enough(const Search* s, Found found, int depth, int alpha, int beta, bint high) noexcept nogil:
    """Whether a search to a depth can take over a bound from the table: a lower one (``high``), or an upper one."""
    cdef int proof = found.score if high else -found.score
    if found.depth == depth or proof >= WIN - depth:
        return True
    # A plain full-width search of a depth says what there is within the depth, no more. Where it only looks for proofs, as where
    # the search is selective, more is better; and a proven win stays one: only a shorter one could be found yet.
    if not s.selective and alpha < PROVEN and beta > -PROVEN:
        return False
    return found.depth > depth or proof > PROVEN


cdef inline int search_child(
    Search* s, const Position* p, const Position* child, int depth, int alpha, int beta, int ply,
) noexcept nogil:
    if child.turn == p.turn:
        return search(s, child, depth, alpha, beta, ply)
    return -search(s, child, depth, -beta, -alpha, ply)


cdef int search(Search* s, const Position* p, int depth, int alpha, int beta, int ply) noexcept nogil:
    """The score of ``p``: exact between alpha and beta, else a bound on the side it falls."""
    cdef Frame* frame = &s.frames[ply]
    cdef Position child
    cdef Found found
    cdef const Table* table
    cdef Effect effect, best_effect = 0
    cdef uint64_t i = 0, key
    cdef int best = -INFINITE, old_alpha, score, reduction, standing = 0
    cdef bint open_window = beta - alpha > 1, may_prune = False, skipped = False, first = True
    frame.pv_length = 0
    if ply > 0 and is_repetition(s, ply):
        return draw_score(s, p)
    if depth <= 0 or ply >= MAX_PLY:
        return quiesce(s, p, alpha, beta, ply) if s.selective else search_to_horizon(s, p, ply)
    if give_up(s):
        return 0
    s.nodes += 1
    s.seldepth = max(s.seldepth, ply)
    if is_decided(s.rules, p):
        return decided_score(p, ply)
    if is_in_tables(s, p, ply, &score):
        return score

    # No line can be worse than to have lost here, nor better than to have won here (more pieces, and no action, can do that).
    alpha = max(alpha, ply - WIN)
    beta = min(beta, WIN - ply)
    if alpha >= beta:
        return alpha
    old_alpha = alpha
    if not s.selective:
        depth = plies_asked(depth, alpha, beta, ply)
        if depth == 0:
            return search_to_horizon(s, p, ply)
        if is_settled(s, p, depth, alpha, beta, &score):
            return score

    if s.selective and not open_window and -PROVEN < beta < PROVEN and p.stage == BEFORE_MAIN:
        may_prune = True
        # Before the look-up: the processor fetches the entry meanwhile.
        standing = evaluate(s.rules, p)
    key = table_key(s, p)
    table = &s.table if depth > SHALLOW_DEPTH else &s.shallow
    found = look_up(table, key)
    # Not where the window is open: there the line is wanted, to its end.
    if found.bound and not open_window:
        score = score_from_table(found.score, ply)
        if found.bound != UPPER and score >= beta and is_deep_enough(s, found, depth, alpha, beta, True):
            return score
        if found.bound != LOWER and score <= alpha and is_deep_enough(s, found, depth, alpha, beta, False):
            return score

    if may_prune:
        score = prune_node(s, p, standing, depth, beta, ply)
        if s.state != SINK_OK:
            return 0
        if score >= beta:
            return score
    if s.selective and depth >= 4 and not found.bound:
        # Without a first action to try, a shallower search finds one for the next time.
        depth -= 1

    if not list_first(s, p, frame, depth, found.digest):
        return 0
    while has_next(s, p, frame, i):
        effect = pick_unshared(s, frame, key, i, depth)
        if ply == 0 and not is_wanted_at_root(s, effect):
            i += 1
            continue
        if s.selective and not open_window and best > -PROVEN and is_hopeless(frame, effect, i, depth):
            # So are all that follow in the order.
            skipped = True
            break
        play(s.rules, p, effect, &child)
        enter(s, &child, ply + 1, effect, depth - 1)
        if first:
            first = False
            score = search_child(s, p, &child, depth - 1, alpha, beta, ply + 1)
        else:
            reduction = reduction_of(s, frame, i, depth, open_window) if s.selective else 0
            share(s, key, effect, depth)
            score = search_child(s, p, &child, depth - 1 - reduction, alpha, alpha + 1, ply + 1)
            if score > alpha and reduction:
                score = search_child(s, p, &child, depth - 1, alpha, alpha + 1, ply + 1)
            if alpha < score < beta:
                score = search_child(s, p, &child, depth - 1, alpha, beta, ply + 1)
            unshare(s, key, effect, depth)
        if s.state != SINK_OK:
            return 0
        if score > best:
            best = score
            best_effect = effect
            if score > alpha:
                alpha = score
                extend_pv(s, ply, effect)
            if alpha >= beta:
                remember_refutation(s, p, ply, depth, i)
                break
        i += 1
    if s.state != SINK_OK:
        return 0
    if frame.sink.count == 0:
        return no_action_score(s.rules, p, ply)
    if skipped:
        # An action not tried could have saved the game.
        best = max(best, -PROVEN)
    if ply == 0 and s.root_count:
        # The best of some actions says little of the position.
        return best
    store(
        table, key, score_to_table(best, ply), depth,
        LOWER if best >= beta else EXACT if best > old_alpha else UPPER,
        # Where no action was good enough, which one seemed best says nothing.
        digest_of(best_effect) if best > old_alpha else found.digest,
    )
    return best


cdef void help_search(Search* s, const Position* p) noexcept nogil:
    """Search what the leader searches, and a ply deeper once that is done, until stopped, for what that leaves in the table."""
    cdef const Search* leader = s.leader
    cdef int deeper = 0
    while s.state == SINK_OK:
        if s.attempt != leader.attempt:
            s.attempt = leader.attempt
            deeper = 0
        # While the leader turns to another attempt, the numbers may be of two of them.
        if leader.alpha < leader.beta:
            search(s, p, min(leader.depth + deeper, <int>MAX_PLY), leader.alpha, leader.beta, 0)
        if deeper < MAX_PLY:
            deeper += 1
        if s.state == STOPPED and not s.control.stop and team_nodes(leader) < leader.team_limit:
            s.state = SINK_OK
        elif s.control.stop:
            s.state = STOPPED
