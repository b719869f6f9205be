"""A position as planes of numbers, for learners; ``yote_fast/planes.py`` names them."""


cdef inline float* fill_plane(const Geometry* g, float* plane, float value) noexcept nogil:
    cdef int square
    for square in range(g.squares):
        plane[square] = value
    return plane + g.squares


cdef inline float* write_set(const Geometry* g, float* plane, Bitboard squares) noexcept nogil:
    cdef int square
    for square in range(g.squares):
        plane[square] = (squares >> square) & 1
    return plane + g.squares


cdef int count_planes(const Ruleset* rules) noexcept nogil:
    return 4 + 4 * rules.royal_caravan + rules.drop_initiative + (8 if rules.trade_routes else 0)


cdef void write_planes(const Ruleset* rules, const Position* p, int own, float* plane) noexcept nogil:
    """Write ``count_planes`` planes, each a number for every square, with the eyes of the side ``own``."""
    cdef const Geometry* g = &rules.geometry
    cdef int enemy = 1 - own
    plane = write_set(g, plane, p.pieces[own] & ~p.royals)
    plane = write_set(g, plane, p.pieces[enemy] & ~p.royals)
    plane = fill_plane(g, plane, <float>p.hand[own] / rules.pieces)
    plane = fill_plane(g, plane, <float>p.hand[enemy] / rules.pieces)
    if rules.royal_caravan:
        plane = write_set(g, plane, p.pieces[own] & p.royals)
        plane = write_set(g, plane, p.pieces[enemy] & p.royals)
        plane = fill_plane(g, plane, p.royal_in_hand[own])
        plane = fill_plane(g, plane, p.royal_in_hand[enemy])
    if rules.drop_initiative:
        plane = fill_plane(g, plane, p.must_drop)
    if rules.trade_routes:
        plane = write_set(g, plane, p.rising)
        plane = write_set(g, plane, p.falling)
        plane = fill_plane(g, plane, <float>p.supply[own] / rules.trade_routes)
        plane = fill_plane(g, plane, <float>p.supply[enemy] / rules.trade_routes)
        plane = fill_plane(g, plane, p.placed)
        plane = fill_plane(g, plane, p.moved)
        plane = write_set(g, plane, 0 if p.stage == BEFORE_MAIN else bit(p.actor))
        fill_plane(g, plane, p.stage == BONUS_MOVE)
