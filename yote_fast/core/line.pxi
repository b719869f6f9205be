"""What the search keeps of its line: a frame for each ply, the moves that the game came by, and the limits."""

cdef enum:
    WIN = 30000
    PROVEN = WIN - 1000     # scores beyond +-PROVEN are proven wins and losses
    TABLE_WIN = 20000       # a win that tables know of without its distance
    INFINITE = 32000
    MAX_PLY = 128
    MAX_CONTEMPT = 1000
    SHALLOW_DEPTH = 2
    SHALLOW_BUCKETS = 1 << 11
    # With at least so much depth left threads leave each other's actions alone, and all actions are listed at once, for that.
    SHARED_DEPTH = 4
    SHARED_SLOTS = 1 << 10
    LOOK_INTERVAL = 1024    # nodes between two looks at the clock and at signals

# What the search keeps for each ply of its line.
cdef struct Frame:
    Sink sink
    int* priorities         # of each action in the sink; the highest is tried first
    uint64_t priorities_capacity
    int listed              # how much of the actions the sink holds
    int reversible          # plies since something happened that cannot be undone
    Effect killers[2]
    bint passed             # the search tried not to act at all here
    Effect pv[MAX_PLY]
    int pv_length

# One searcher. Several can share a table, each in a thread of its own: one leads, the others help to fill the table. They search
# what the leader searches, and each leaves for later the actions that another one is at (Kerrigan's simplified form of ABDADA,
# Weill 1996).
cdef struct Search:
    const Ruleset* rules
    Table table             # its memory belongs to the leader's owner
    Table shallow           # for the nodes next to the horizon: so small that it stays in the processor's cache
    Control control
    Search* leader          # itself, for the one that leads
    int helpers             # of a leader: they lie behind it in memory
    volatile uint64_t shared[SHARED_SLOTS]  # of a leader: marks of the actions that some thread is searching
    volatile int attempt    # counts the searches from the root; helpers break off an old one
    volatile int depth      # of the present attempt, and its window
    volatile int alpha
    volatile int beta
    Frame frames[MAX_PLY + 1]
    int16_t history[2][1 << 12]     # by side and way: how well a quiet action has done
    int reductions[64][64]  # by depth and number of actions tried before
    int contempt            # what a draw costs the side to move at the root, in hundredths of a piece
    int root_turn
    bint selective          # prune and reduce; without, all lines are searched to the full depth
    uint64_t* past          # keys of the game before the root, oldest first, as far as they can come again; then the line's
    uint64_t* keys          # of the line, by ply: the part of `past` from the root on
    Effect* root_effects    # the only actions wanted at the root, if there are any
    int root_count
    uint64_t nodes          # of this searcher
    uint64_t max_nodes
    uint64_t team_limit     # of nodes, for a leader and its helpers together
    int seldepth
    const Probe* probe      # endgame tables; NULL for none
    int probe_pieces        # the most pieces of both sides together to ask them about
    uint64_t tbhits         # positions found in them
    int state               # of the sinks; anything but SINK_OK ends the search
