"""Rules as the read-only struct that the hot code works with."""

cdef uint64_t splitmix(uint64_t* state) noexcept nogil:
    """The next number of the SplitMix64 generator (Steele, Lea, Flood 2014). Keys are the same in every process."""
    cdef uint64_t z
    state[0] += 0x9E3779B97F4A7C15ULL
    z = state[0]
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef Network _network
unfold_network(&_network)


cdef bint plays_like_yote(rules) except -1:
    """Whether the network, which plain Yoté taught, judges these rules better than the linear evaluation does. Matches told."""
    board = rules.rows, rules.cols, rules.pieces
    return board == (NETWORK_ROWS, NETWORK_COLS, NETWORK_PIECES) and not (
        rules.bonus_turn or rules.drop_initiative or rules.royal_caravan or rules.trade_routes
    )


@cython.final
@cython.no_gc_clear
cdef class CompiledRules:
    """A ``Rules`` value with its compiled form. Use :func:`compile_rules`, which keeps one for each value."""

    cdef readonly object rules
    cdef Ruleset c

    def __init__(self, rules):
        cdef Ruleset* c = &self.c
        self.rules = rules
        self._set_geometry(rules.rows, rules.cols)
        c.pieces = rules.pieces
        c.second_removal = {
            "board_then_hand": BOARD_THEN_HAND, "board": BOARD, "board_or_hand": BOARD_OR_HAND
        }[rules.second_removal]
        c.optional_removal = rules.optional_removal
        c.draw_at_three = rules.draw_at_three
        c.no_moves = {"most_pieces": MOST_PIECES, "loses": LOSES, "pass": PASSES}[rules.no_moves]
        c.mandatory_capture = rules.mandatory_capture
        c.chain_capture = rules.chain_capture
        c.removal_each = rules.chain_removal == "each"
        c.bonus_turn = rules.bonus_turn
        c.friendly_leap = rules.friendly_leap
        c.drop_initiative = rules.drop_initiative
        c.royal_caravan = rules.royal_caravan
        c.trade_routes = rules.trade_routes
        c.network = &_network if plays_like_yote(rules) else NULL
        c.jump_directions = 8 if rules.trade_routes else 4
        cdef uint64_t state = 0
        cdef uint64_t* numbers = <uint64_t*>&c.zobrist
        cdef size_t i
        for i in range(sizeof(Zobrist) // sizeof(uint64_t)):
            numbers[i] = splitmix(&state)
        c.zobrist.piece[0][MAX_SQUARES] = c.zobrist.piece[1][MAX_SQUARES] = c.zobrist.royal[MAX_SQUARES] = 0
        c.zobrist.rising[MAX_SQUARES] = c.zobrist.falling[MAX_SQUARES] = 0

    cdef void _set_geometry(self, int rows, int cols) noexcept:
        cdef Geometry* g = &self.c.geometry
        cdef int square
        cdef Bitboard sides, ends
        g.rows, g.cols, g.squares = rows, cols, rows * cols
        g.all = bit(g.squares) - 1
        g.not_east = g.not_west = g.blocks = 0
        for square in range(g.squares):
            if square % cols != cols - 1:
                g.not_east |= bit(square)
                if square < g.squares - cols:
                    g.blocks |= bit(square)
            if square % cols != 0:
                g.not_west |= bit(square)
        sides = g.all & ~(g.not_east & g.not_west)
        ends = (bit(cols) - 1) | g.all & ~(bit(g.squares - cols) - 1)
        g.edge, g.corners = sides | ends, sides & ends
        g.delta[EAST], g.delta[WEST], g.delta[NORTH], g.delta[SOUTH] = 1, -1, cols, -cols
        g.delta[NORTH_EAST], g.delta[SOUTH_WEST] = cols + 1, -cols - 1
        g.delta[NORTH_WEST], g.delta[SOUTH_EAST] = cols - 1, -cols + 1


cdef dict _compiled = {}


cdef CompiledRules compile_rules(rules):
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules, not {type(rules).__name__}; Rules.parse reads them from text")
    found = _compiled.get(rules)
    if found is None:
        found = _compiled.setdefault(rules, CompiledRules(rules))
    return found
