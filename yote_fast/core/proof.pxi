"""Exact results: a full-width search behind the selective one.

The selective search proves wins and losses too, but it can overlook short ones. So each iteration is followed by full-width
searches that ask only: is there a win, or a loss, within so many plies? With windows beyond every evaluation they are cut off
wherever the pieces left cannot be captured in time, which in most positions is at the root, and look no deeper than a win that the
window asks for could be: what was proven at one depth costs little to prove at the next. Where they would cost too much they are
given up.
"""

cdef enum:
    # Nodes that a full-width search may take: a share of those of the selective search, and more at small depths where time is
    # not limited.
    PROOF_SHARE = 10
    FREE_NODES = 300000
    FREE_DEPTH = 9


cdef inline bint can_be_won_within(const Ruleset* rules, const Position* p, int side, int plies) noexcept nogil:
    """Whether ``side`` could possibly win within so many plies. False is certain, True is not."""
    cdef int enemy_pieces = piece_count(p, 1 - side), actions
    if rules.chain_capture:
        return True
    if rules.bonus_turn or rules.trade_routes:
        actions = plies
    else:
        actions = (plies + (p.turn == side)) // 2
    # An action takes two pieces at the most.
    if enemy_pieces <= 2 * actions:
        return True
    if rules.no_moves == PASSES:
        return False
    # Nobody runs out of actions who has a piece in hand and a square for it, and no ply takes more than one of either.
    return popcount(empty_squares(rules, p)) <= plies or p.hand[0] <= plies or p.hand[1] <= plies


cdef inline int plies_asked(int depth, int alpha, int beta, int ply) noexcept nogil:
    """How much of its depth a full-width search needs: a window beyond the evaluations asks for a win or a loss by some ply."""
    if alpha >= PROVEN:
        return min(depth, WIN - 1 - alpha - ply)
    if beta <= -PROVEN:
        return min(depth, WIN - 1 + beta - ply)
    return depth


cdef inline bint is_settled(const Search* s, const Position* p, int depth, int alpha, int beta, int* score) noexcept nogil:
    """In a full-width search: whether the window asks for a win or loss that cannot happen in the depth left."""
    if alpha >= PROVEN and not can_be_won_within(s.rules, p, p.turn, depth):
        score[0] = alpha
        return True
    if beta <= -PROVEN and not can_be_won_within(s.rules, p, 1 - p.turn, depth):
        score[0] = beta
        return True
    return False


cdef int search_to_horizon(Search* s, const Position* p, int ply) noexcept nogil:
    """The end of a full-width line: the result of a finished game, else the evaluation."""
    cdef int score
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
    return evaluate(s.rules, p)


cdef int search_full_width(Search* s, const Position* p, int depth, int alpha, int beta, uint64_t budget) noexcept nogil:
    """The score by a full-width search, or 0 where the budget of nodes did not do. The line is in the root's frame."""
    cdef uint64_t limit = s.max_nodes
    cdef int score
    s.selective = False
    s.max_nodes = min(limit, s.nodes + budget)
    score = search(s, p, depth, alpha, beta, 0)
    s.selective = True
    if s.state == STOPPED and s.nodes >= s.max_nodes and s.max_nodes < limit and not s.control.stop:
        s.state = SINK_OK
        score = 0
    s.max_nodes = limit
    return score


cdef int verify(Search* s, const Position* p, int depth, int score) noexcept nogil:
    """The score of an iteration, made exact where a win or loss within its depth can be proved."""
    cdef uint64_t budget = s.nodes // PROOF_SHARE
    cdef int within = depth, proved = 0
    cdef Effect line[MAX_PLY]
    cdef int length = s.frames[0].pv_length
    if depth <= FREE_DEPTH and not s.control.deadline:
        budget = max(budget, min(<uint64_t>FREE_NODES, (s.max_nodes - s.nodes) // 16))
    memcpy(line, s.frames[0].pv, sizeof(line))
    if score > PROVEN:
        within = min(depth, WIN - score - 1)
    if score >= -PROVEN and within > 0:
        proved = search_full_width(s, p, within, WIN - within - 1, INFINITE, budget)
        if proved < WIN - within:
            proved = 0
    if s.state == SINK_OK and not proved and score <= PROVEN:
        proved = search_full_width(s, p, depth, -INFINITE, depth - WIN + 1, budget)
        if proved > depth - WIN:
            proved = 0
    if proved and s.state == SINK_OK:
        return proved
    memcpy(s.frames[0].pv, line, sizeof(line))
    s.frames[0].pv_length = length
    return score
