"""Exact values of a whole graph, level by level: retrograde analysis."""


# Levels ---------------------------------------------------------------------------------------------------------------------------


cdef inline int level_of(const Position* p) noexcept nogil:
    return (
        piece_count(p, 0) + piece_count(p, 1) + p.hand[0] + p.hand[1] + p.royal_in_hand[0] + p.royal_in_hand[1]
        + p.supply[0] + p.supply[1]
    )


cdef inline void swap_positions(GameGraph* g, uint64_t i, uint64_t j) noexcept nogil:
    cdef int words = g.packing.words, word
    for word in range(words):
        g.keys[words * i + word], g.keys[words * j + word] = g.keys[words * j + word], g.keys[words * i + word]
    g.reached[i], g.reached[j] = g.reached[j], g.reached[i]


cdef bint sort_by_level(GameGraph* g) noexcept nogil:
    """Bring the positions into the order of their levels, in place."""
    cdef uint32_t* goals = <uint32_t*>realloc(NULL, (g.count + 1) * sizeof(uint32_t))
    cdef uint64_t next_of[MAX_LEVEL]
    cdef Position p
    cdef uint64_t i, j
    cdef int level
    if goals == NULL:
        g.state = NO_MEMORY
        return False
    memset(g.starts, 0, sizeof(g.starts))
    for i in range(g.count):
        p = unpack_position(&g.packing, &g.keys[g.packing.words * i])
        goals[i] = level_of(&p)
        g.starts[goals[i] + 1] += 1
    for level in range(MAX_LEVEL):
        next_of[level] = g.starts[level]
        g.starts[level + 1] += g.starts[level]
    for i in range(g.count):
        level = goals[i]
        goals[i] = <uint32_t>next_of[level]
        next_of[level] += 1
    for i in range(g.count):
        if poll(&g.control):
            g.state = STOPPED
            break
        while goals[i] != i:
            j = goals[i]
            swap_positions(g, i, j)
            goals[i], goals[j] = goals[j], goals[i]
    free(goals)
    return g.state == SINK_OK and build_index(g, g.count + g.count // 3 + 2)


cdef uint64_t bytes_held(const GameGraph* g) noexcept nogil:
    """Without the level that is being solved."""
    return g.count * (8 * <uint64_t>g.packing.words + 4) + g.slots * sizeof(uint32_t)


cdef bint claim_memory(GameGraph* g, uint64_t edges) noexcept nogil:
    """Whether there may be a level with room for so many edges."""
    cdef uint64_t size = g.starts[g.level + 1] - g.starts[g.level]
    cdef uint64_t wanted = bytes_held(g) + size * (sizeof(Node) + sizeof(uint32_t)) + edges * sizeof(Edge)
    if wanted > g.memory:
        g.state = GRAPH_FULL
        return False
    g.most_memory = max(g.most_memory, wanted)
    return True


cdef void free_level(GameGraph* g) noexcept nogil:
    free(g.nodes)
    free(g.edges)
    free(g.queue)
    g.nodes = NULL
    g.edges = NULL
    g.queue = NULL


cdef void start_level(GameGraph* g, int level) noexcept nogil:
    """Prepare the next level that has positions."""
    cdef uint64_t size
    free_level(g)
    while level < MAX_LEVEL and g.starts[level] == g.starts[level + 1]:
        level += 1
    g.level = level
    if level == MAX_LEVEL:
        g.phase = SOLVED
        return
    size = g.starts[level + 1] - g.starts[level]
    if not claim_memory(g, 0):
        return
    g.phase = LINKING
    g.cursor = g.starts[level]
    g.edge_count = g.edge_capacity = g.queued = g.served = 0
    g.distance = 0
    g.last_expected = -1
    memset(g.expected, 0xFF, sizeof(g.expected))
    g.nodes = <Node*>realloc(NULL, size * sizeof(Node))
    g.queue = <uint32_t*>realloc(NULL, size * sizeof(uint32_t))
    if g.nodes == NULL or g.queue == NULL:
        g.state = NO_MEMORY
        return
    # All bits set: no edges, nothing next.
    memset(g.nodes, 0xFF, size * sizeof(Node))


# Linking: what leaves the level, and the edges within it --------------------------------------------------------------------------


cdef bint add_edge(GameGraph* g, uint32_t source, uint32_t target, bint same_side) noexcept nogil:
    cdef Edge* edges
    cdef Edge* edge
    cdef uint64_t capacity
    if g.edge_count == g.edge_capacity:
        capacity = g.edge_capacity + g.edge_capacity // 2 + FIRST_EDGES
        if capacity > MAX_EDGES:
            g.state = GRAPH_FULL
        if g.state != SINK_OK or not claim_memory(g, capacity):
            return False
        edges = <Edge*>realloc(g.edges, capacity * sizeof(Edge))
        if edges == NULL:
            g.state = NO_MEMORY
            return False
        g.edges = edges
        g.edge_capacity = capacity
    edge = &g.edges[g.edge_count]
    edge.source = source | SAME_SIDE if same_side else source
    edge.next = g.nodes[target].edges
    g.nodes[target].edges = <uint32_t>g.edge_count
    g.edge_count += 1
    return True


cdef bint expect(GameGraph* g, uint32_t i, bint won, int distance) noexcept nogil:
    """A position of the level is decided at a distance, unless it is won sooner."""
    if distance > MAX_DISTANCE:
        g.state = TOO_LONG
        return False
    g.nodes[i].won = won
    g.nodes[i].next = g.expected[distance]
    g.expected[distance] = i
    g.last_expected = max(g.last_expected, distance)
    return True


cdef bint link_end(GameGraph* g, const Position* p, uint32_t i) noexcept nogil:
    """A finished game."""
    cdef int score = decided_score(p, 0) if is_decided(g.rules, p) else no_action_score(g.rules, p, 0)
    g.nodes[i].open = 1
    g.nodes[i].won = False
    g.nodes[i].exit = 0
    if score == 0:
        return True
    return expect(g, i, score > 0, 0)


cdef bint link_position(GameGraph* g, uint64_t position) noexcept nogil:
    cdef Position p = unpack_position(&g.packing, &g.keys[g.packing.words * position])
    cdef uint64_t start = g.starts[g.level], found, k
    cdef uint32_t i = <uint32_t>(position - start), open = 0
    cdef int shortest_win = MAX_DISTANCE + 1, longest_loss = 0
    cdef Child* child
    cdef uint16_t result
    if not list_children(g, &p):
        return False
    if g.sink.count == 0:
        return link_end(g, &p, i)
    for k in range(g.sink.count):
        child = &g.children[k]
        found = g.index[find_slot(g, &child.packed, child.slot)]
        if found == 0 or found > g.starts[g.level + 1]:
            # Every child was explored, and no action leads to a higher level.
            g.state = BROKEN
            return False
        found -= 1
        if found >= start:
            open += 1
            if not add_edge(g, i, <uint32_t>(found - start), not child.other_side):
                return False
            continue
        result = g.results[found]
        if result == 0:
            open += 1
        elif is_win(result) != child.other_side:
            shortest_win = min(shortest_win, distance_of(result) + 1)
        else:
            longest_loss = max(longest_loss, distance_of(result) + 1)
    g.nodes[i].open = open
    g.nodes[i].won = False
    g.nodes[i].exit = <uint16_t>longest_loss
    if shortest_win <= MAX_DISTANCE:
        return expect(g, i, True, shortest_win)
    if open == 0:
        return expect(g, i, False, longest_loss)
    return True


cdef void link(GameGraph* g) noexcept nogil:
    while g.cursor < g.starts[g.level + 1]:
        if must_pause(g) or not link_position(g, g.cursor):
            return
        g.cursor += 1
    g.phase = PROPAGATING


# Propagating: decisions go backwards over the edges, in order of distance ---------------------------------------------------------


cdef inline void decide(GameGraph* g, uint32_t i, bint won, int distance) noexcept nogil:
    g.results[g.starts[g.level] + i] = encode_result(won, distance)
    g.queue[g.queued] = i
    g.queued += 1


cdef bint tell_source(GameGraph* g, uint32_t i, bint wins) noexcept nogil:
    """An action of a position leads to one decided at ``g.distance``, and so wins or loses."""
    cdef Node* node = &g.nodes[i]
    cdef int distance = g.distance + 1
    if g.results[g.starts[g.level] + i]:
        return True
    if distance > MAX_DISTANCE:
        g.state = TOO_LONG
        return False
    if wins:
        decide(g, i, True, distance)
        return True
    node.open -= 1
    if node.open or node.won:
        return True
    if node.exit > distance:
        return expect(g, i, False, node.exit)
    decide(g, i, False, distance)
    return True


cdef void propagate(GameGraph* g) noexcept nogil:
    """Decide all positions of the level, and count them. A stop is for good."""
    cdef uint64_t start = g.starts[g.level]
    cdef uint32_t i, e
    cdef bint won
    while g.served < g.queued or g.distance <= g.last_expected:
        # All that is decided at this distance: through the level, which is queued, and by the actions that leave it.
        while g.expected[g.distance] != NONE:
            i = g.expected[g.distance]
            g.expected[g.distance] = g.nodes[i].next
            if g.results[start + i] == 0:
                decide(g, i, g.nodes[i].won, g.distance)
        while g.served < g.queued and distance_of(g.results[start + g.queue[g.served]]) == g.distance:
            if poll(&g.control):
                g.state = STOPPED
                return
            i = g.queue[g.served]
            g.served += 1
            won = is_win(g.results[start + i])
            e = g.nodes[i].edges
            while e != NONE:
                if not tell_source(g, g.edges[e].source & ~SAME_SIDE, won == ((g.edges[e].source & SAME_SIDE) != 0)):
                    return
                e = g.edges[e].next
        g.distance += 1
    for i in range(<uint32_t>(g.starts[g.level + 1] - start)):
        if poll(&g.control):
            g.state = STOPPED
            return
        count_position(g, start + i)
    start_level(g, g.level + 1)


# Counting -------------------------------------------------------------------------------------------------------------------------


cdef int positions_reached(const GameGraph* g, uint64_t i) noexcept nogil:
    """How many of the positions that a canonical one stands for can be reached."""
    cdef Position p = unpack_position(&g.packing, &g.keys[g.packing.words * i])
    cdef uint16_t ways = 0
    cdef int turn, same = 0
    # BoardTurns that lead to the same position differ by one that turns the canonical position to itself.
    for turn in range(g.symmetries.count):
        if is_turned_to_itself(&g.symmetries, turn, &p):
            ways |= spread_reached(g, g.reached[i], turn, False)
            same += 1
    return popcount(ways) // same


cdef void count_position(GameGraph* g, uint64_t i) noexcept nogil:
    cdef Tally* tally = &g.tally
    cdef int reached = positions_reached(g, i)
    cdef uint16_t result = g.results[i]
    tally.positions += reached
    if result == 0:
        return
    if is_win(result):
        tally.wins += reached
        tally.longest_win = max(tally.longest_win, distance_of(result))
    else:
        tally.losses += reached
        tally.longest_loss = max(tally.longest_loss, distance_of(result))
