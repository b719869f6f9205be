"""The whole graph of positions below a root, with the exact value of each: retrograde analysis.

First the graph is *explored*: every position that play can reach is found and kept, one for each class of symmetry
(``symmetry.pxd``), whole and packed (``packing.pxd``), so that no two can be taken for each other. Then it is *solved*, from the
ends back to the root.

No action adds pieces, and drops, captures and routes use up what does not come back: they lower the *level* of a position, its
pieces + those in hand + routes in supply. Only steps, free moves and ``--`` stay in the level, so only they can go round in
circles. Levels are solved from the lowest up, and each needs the edges of its own positions only. Within a level (Thompson 1986):
what leads to a position lost for the enemy is won, what leads to nothing but positions won for the enemy is lost, in order of
distance; what is never decided is a draw. A side can act twice in a row: then a value is the child's own, not its opposite.

Memory: ``8 * packing.words`` bytes for a position, 4 for its result and the ways it is reached, 5 1/3 for the index; and while a
level is solved, 20 for each of its positions and 8 for each of its edges.
"""

cdef enum:
    MAX_LEVEL = 128
    MAX_DISTANCE = 32000
    BYTES_OF_INDEX_AND_SORT = 10    # for each position, rounded up
    FIRST_SLOTS = 1 << 14
    FIRST_EDGES = 1 << 12

# No node, no edge.
cdef uint32_t NONE = 0xFFFFFFFFUL
cdef uint32_t SAME_SIDE = 0x80000000UL
cdef uint64_t MAX_POSITIONS = 0x7FFFFFFFUL
cdef uint64_t MAX_EDGES = 0xFFFFFFF0UL

# What a graph is at.
cdef enum:
    EXPLORING, LINKING, PROPAGATING, SOLVED

# Why it ended early; otherwise a state of a sink.
cdef enum:
    GRAPH_FULL = 100, NODES_SPENT, TOO_LONG, BROKEN

# A position of the level that is being solved.
cdef struct Node:
    uint32_t edges          # the first of its incoming edges
    uint32_t next           # in the list of positions with the same expected distance
    uint32_t open           # actions that have not turned out to lose
    uint16_t exit           # distance by actions that leave the level: of the shortest win, else of the longest loss
    uint8_t won             # by such an action

# An action that stays in the level.
cdef struct Edge:
    uint32_t source         # with SAME_SIDE if the same side acts again
    uint32_t next           # edge to the same position

cdef struct Child:
    Packed packed
    uint64_t slot
    uint32_t found          # the position in the index's slot
    uint8_t turn            # that leads to the canonical position
    bint other_side

cdef struct Tally:
    uint64_t positions
    uint64_t wins
    uint64_t losses
    int longest_win
    int longest_loss

cdef struct GameGraph:
    const Ruleset* rules
    BoardTurns symmetries
    Packing packing
    Control control
    Sink sink
    int phase
    int state               # anything but SINK_OK ends the work
    uint64_t visits         # positions expanded, in all phases
    uint64_t max_visits
    int64_t pause           # when to let the caller look, on the clock of monotonic_ns
    uint64_t memory         # bytes that may be used
    uint64_t most_memory    # bytes that were

    uint64_t count          # positions
    uint64_t capacity
    uint64_t* keys          # packed positions
    uint16_t* reached       # how a position is reached: see `spread`
    uint16_t* results       # see `encode_result`; during exploration, the part of `reached` that was passed on
    uint32_t* index         # of slots: 0, or 1 + a position
    uint64_t slots
    Child* children
    uint64_t children_capacity
    uint8_t spread[MAX_TURNS][256]

    uint64_t cursor         # the next position of the phase
    uint64_t dirty          # the first position that was reached in a new way after it was passed
    uint64_t starts[MAX_LEVEL + 1]
    int level
    Node* nodes
    Edge* edges
    uint64_t edge_count
    uint64_t edge_capacity
    uint32_t* queue         # decided positions of the level, in order of distance
    uint64_t queued
    uint64_t served
    int distance            # of the queued positions being served
    uint32_t expected[MAX_DISTANCE + 2]     # lists of positions, by the distance that actions out of the level give them
    int last_expected
    Tally tally


# Results --------------------------------------------------------------------------------------------------------------------------


cdef inline uint16_t encode_result(bint won, int distance) noexcept nogil:
    """0 is a draw, or not decided yet."""
    return <uint16_t>(2 + 2 * distance + won)


cdef inline bint is_win(uint16_t result) noexcept nogil:
    return result & 1


cdef inline int distance_of(uint16_t result) noexcept nogil:
    return (result - 2) >> 1


# The index ------------------------------------------------------------------------------------------------------------------------


cdef inline uint64_t slot_of(const GameGraph* g, const Packed* packed) noexcept nogil:
    return ((mix(packed) >> 32) * g.slots) >> 32


cdef inline uint64_t next_slot(const GameGraph* g, uint64_t slot) noexcept nogil:
    return slot + 1 if slot + 1 < g.slots else 0


cdef inline uint64_t find_slot(const GameGraph* g, const Packed* packed, uint64_t slot) noexcept nogil:
    """The slot that holds a position, or the empty one where it belongs, from its first slot on."""
    cdef uint32_t found
    while True:
        found = g.index[slot]
        if found == 0 or same_words(&g.packing, &g.keys[g.packing.words * <uint64_t>(found - 1)], packed.words):
            return slot
        slot = next_slot(g, slot)


cdef bint build_index(GameGraph* g, uint64_t slots) noexcept nogil:
    """Make the index anew, with so many slots."""
    cdef Packed packed
    cdef uint64_t i, slot
    cdef int word
    free(g.index)
    g.slots = slots
    g.index = <uint32_t*>calloc(slots, sizeof(uint32_t))
    if g.index == NULL:
        g.state = NO_MEMORY
        return False
    packed.words[0] = packed.words[1] = packed.words[2] = 0
    for i in range(g.count):
        if poll(&g.control):
            g.state = STOPPED
            return False
        for word in range(g.packing.words):
            packed.words[word] = g.keys[g.packing.words * i + word]
        slot = slot_of(g, &packed)
        while g.index[slot]:
            slot = next_slot(g, slot)
        g.index[slot] = <uint32_t>(i + 1)
    return True


cdef inline uint64_t most_slots(const GameGraph* g) noexcept nogil:
    return g.capacity + g.capacity // 3 + 2


cdef bint add_position(GameGraph* g, const Packed* packed, uint64_t slot) noexcept nogil:
    """Add a position at the empty slot where it belongs. The index may be made anew."""
    cdef int word
    if g.count == g.capacity:
        g.state = GRAPH_FULL
        return False
    for word in range(g.packing.words):
        g.keys[g.packing.words * g.count + word] = packed.words[word]
    g.count += 1
    g.index[slot] = <uint32_t>g.count
    if 4 * g.count > 3 * g.slots and g.slots < most_slots(g):
        return build_index(g, min(2 * g.slots, most_slots(g)))
    return True


# Children -------------------------------------------------------------------------------------------------------------------------


cdef inline bint reserve_children(GameGraph* g) noexcept nogil:
    cdef Child* children
    if g.children_capacity < g.sink.count:
        children = <Child*>realloc(g.children, g.sink.capacity * sizeof(Child))
        if children == NULL:
            g.state = NO_MEMORY
            return False
        g.children = children
        g.children_capacity = g.sink.capacity
    return True


cdef inline void place_child(GameGraph* g, Position* p, Child* child) noexcept nogil:
    """Bring a position into its canonical form, and find its first slot."""
    child.other_side = not p.turn
    if child.other_side:
        exchange_colours(p)
    child.turn = make_canonical(g.rules, &g.symmetries, p)
    child.packed = pack(&g.packing, p)
    child.slot = slot_of(g, &child.packed)


cdef bint list_children(GameGraph* g, const Position* p) noexcept nogil:
    """The children of a position; False if the work must end.

    Memory is slower than all the rest, so it is asked first for the slots and then for the positions in them.
    """
    cdef Position after
    cdef Child* child
    cdef uint64_t i
    g.sink.count = 0
    generate(g.rules, p, &g.sink)
    if g.sink.state != SINK_OK:
        g.state = g.sink.state
        return False
    if not reserve_children(g):
        return False
    for i in range(g.sink.count):
        play_keyless(g.rules, p, g.sink.effects[i], &after)
        place_child(g, &after, &g.children[i])
        prefetch(&g.index[g.children[i].slot])
    for i in range(g.sink.count):
        child = &g.children[i]
        child.found = g.index[child.slot]
        if child.found:
            prefetch(&g.keys[g.packing.words * <uint64_t>(child.found - 1)])
    return True


cdef inline bint must_pause(GameGraph* g) noexcept nogil:
    """Whether to give control back before the next position is expanded: for good, or for the caller to look."""
    if poll(&g.control):
        g.state = STOPPED
        return True
    if g.visits >= g.max_visits:
        g.state = NODES_SPENT
        return True
    if g.visits % 256 == 0 and monotonic_ns() >= g.pause:
        return True
    g.visits += 1
    return False


# Exploring ------------------------------------------------------------------------------------------------------------------------
#
# A canonical position stands for up to 16 positions, of which play from the root may reach only some. To count them, `reached` has
# a bit for each symmetry g (a turn, and in the upper byte with colours exchanged) for which g(canonical) is reached. Where an
# action leads from the canonical position c to d(c'), with c' canonical again, its image leads from g(c) to g(d(c')): on the way to
# the child all symmetries are multiplied by d from the right.


cdef void fill_spread(GameGraph* g) noexcept nogil:
    cdef int turn, bits, i
    for turn in range(g.symmetries.count):
        for bits in range(256):
            g.spread[turn][bits] = 0
            for i in range(g.symmetries.count):
                if bits >> i & 1:
                    g.spread[turn][bits] |= <uint8_t>(1 << g.symmetries.compose[i][turn])


cdef inline uint16_t spread_reached(const GameGraph* g, uint16_t reached, int turn, bint other_side) noexcept nogil:
    cdef uint16_t low = g.spread[turn][reached & 255], high = g.spread[turn][reached >> 8]
    return <uint16_t>(low << 8 | high) if other_side else <uint16_t>(high << 8 | low)


cdef bint reach(GameGraph* g, Child* child, uint16_t reached) noexcept nogil:
    """Note that a child is reached, in some ways."""
    cdef uint64_t slot = find_slot(g, &child.packed, child.slot), i
    cdef uint16_t ways = spread_reached(g, reached, g.symmetries.inverse[child.turn], child.other_side)
    if g.index[slot] == 0:
        i = g.count
        if not add_position(g, &child.packed, slot):
            return False
        g.reached[i] = ways
        return True
    i = g.index[slot] - 1
    if ways & ~g.reached[i]:
        g.reached[i] |= ways
        if i <= g.cursor and i < g.dirty:
            g.dirty = i
    return True


cdef bint explore_position(GameGraph* g, uint64_t i) noexcept nogil:
    cdef Position p = unpack_position(&g.packing, &g.keys[g.packing.words * i])
    cdef uint16_t ways = g.reached[i] & ~g.results[i]
    cdef uint64_t slots = g.slots, k
    if not list_children(g, &p):
        return False
    g.results[i] = g.reached[i]
    for k in range(g.sink.count):
        if g.slots != slots:
            # The index was made anew.
            g.children[k].slot = slot_of(g, &g.children[k].packed)
        if not reach(g, &g.children[k], ways):
            return False
    return True


cdef void explore(GameGraph* g) noexcept nogil:
    """Pass on how positions are reached until nothing new comes of it. Can be called again after a pause."""
    while True:
        while g.cursor < g.count:
            if g.reached[g.cursor] & ~g.results[g.cursor]:
                if must_pause(g) or not explore_position(g, g.cursor):
                    return
            g.cursor += 1
        if g.dirty == MAX_POSITIONS:
            break
        g.cursor = g.dirty
        g.dirty = MAX_POSITIONS
    if sort_by_level(g):
        memset(g.results, 0, g.count * sizeof(uint16_t))
        start_level(g, 0)
