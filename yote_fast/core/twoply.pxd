"""Perft's last two plies in closed form, for rules whose actions are drops, steps and single captures.

Let the mover have the squares M and the enemy the squares O, E be the empty ones. A drop or step of the mover changes the enemy's
replies only around the one or two squares that it touches, so the sum of the replies over *all* drops, or over all steps, is a sum
over small patterns of squares in a row, and each pattern is counted for the whole board with shifts and population counts.

Names: S enemy steps and J enemy jumps before the mover acts; m, s, e of a square are its neighbours in M, in O and in E. A pattern
such as OEM is three squares in a row, in any of the four directions, in these sets.

* Drop on d. Steps onto d are lost, so over all drops the enemy's steps add up to (|E| - 1) S. Jumps landing on d are lost, and
  jumps over d are won: (|E| - 1) J + #OEE.
* Step from a to b. Steps onto b are lost and steps onto a won: over all n steps

      n S - sum over E of m s + sum over M of e s.

  A jump over x landing on y is lost where x = a or y = b (it is lost once where both hold, which is one step for each jump).
  Won are the jumps landing on a over another piece (OMM, for each b), over b (OEE, for each a) and over b landing on a (OEM):

      n J - sum over jumps (e of x + m of y) + J + sum over OMM of e of the last + sum over OEE of m of the middle + #OEM.

Each reply jump stands for as many actions as it has second removals; their number is the same after every drop, and after every
step. Sums of products use numbers of neighbours in bit planes: ``ones`` holds the squares with an odd number, and so on.
"""

from libc.stdint cimport uint64_t

from yote_fast.core.bitboard cimport Bitboard, EAST, SOUTH, Geometry, bit, east, lowest, north, popcount, shift, south, west
from yote_fast.core.movegen cimport can_take_from_hand, removal_choices
from yote_fast.core.position cimport PASSES, Ruleset

# Numbers 0 to 4, one for each square.
cdef struct Planes:
    Bitboard ones
    Bitboard twos
    Bitboard fours

# The four neighbours of a set: where a step east, west, north, south of it leads.
cdef struct Shifted:
    Bitboard east
    Bitboard west
    Bitboard north
    Bitboard south


cdef inline Shifted shifted(const Geometry* g, Bitboard x) noexcept nogil:
    cdef Shifted result
    result.east = east(g, x)
    result.west = west(g, x)
    result.north = north(g, x)
    result.south = south(g, x)
    return result


cdef inline Planes add_four(Bitboard a, Bitboard b, Bitboard c, Bitboard d) noexcept nogil:
    cdef Planes sum
    cdef Bitboard ab = a ^ b, cd = c ^ d, both_ab = a & b, both_cd = c & d
    sum.ones = ab ^ cd
    sum.twos = both_ab ^ both_cd ^ (ab & cd)
    sum.fours = both_ab & both_cd
    return sum


cdef inline Planes count_neighbours(Shifted x) noexcept nogil:
    return add_four(x.east, x.west, x.north, x.south)


cdef inline int total(Planes x, Bitboard squares) noexcept nogil:
    return popcount(x.ones & squares) + 2 * popcount(x.twos & squares) + 4 * popcount(x.fours & squares)


# The sum of x * y over some squares, where no factor of a product that is not zero exceeds 3.
cdef inline int total_product(Planes x, Planes y, Bitboard squares) noexcept nogil:
    cdef Bitboard ones = x.ones & squares, twos = x.twos & squares
    return (
        popcount(ones & y.ones) + 2 * (popcount(ones & y.twos) + popcount(twos & y.ones)) + 4 * popcount(twos & y.twos)
    )


# Whether the closed forms hold for these rules.
cdef inline bint has_closed_form(const Ruleset* rules) noexcept nogil:
    return not (
        rules.mandatory_capture or rules.chain_capture or rules.bonus_turn or rules.friendly_leap or rules.royal_caravan
        or rules.trade_routes or rules.no_moves == PASSES
    )


# The side to move and the other one, board and hands, of a position without royals and routes.
cdef struct Sides:
    Bitboard own
    Bitboard enemy
    int own_hand
    int enemy_hand
    bint must_drop


cdef inline bint is_over(const Ruleset* rules, const Sides* p) noexcept nogil:
    cdef int own = popcount(p.own) + p.own_hand, enemy = popcount(p.enemy) + p.enemy_hand
    return own == 0 or enemy == 0 or (rules.draw_at_three and own <= 3 and enemy <= 3)


cdef inline uint64_t count_actions(const Ruleset* rules, const Sides* p) noexcept nogil:
    """The legal actions of a game that is not over: perft 1."""
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard empty = g.all & ~(p.own | p.enemy)
    cdef Shifted own = shifted(g, p.own)
    cdef int jumps
    cdef uint64_t count = popcount(empty) if p.own_hand else 0
    if p.must_drop and count:
        return count
    count += popcount(own.east & empty) + popcount(own.west & empty) + popcount(own.north & empty) + popcount(own.south & empty)
    # A square is jumped from at most one of two opposite sides, so that one count serves both.
    jumps = (
        popcount((east(g, own.east & p.enemy) & empty)) + popcount(west(g, own.west & p.enemy) & empty)
        + popcount(north(g, own.north & p.enemy) & empty) + popcount(south(g, own.south & p.enemy) & empty)
    )
    if jumps:
        count += jumps * removal_choices(rules, popcount(p.enemy) - 1, p.enemy_hand)
    return count


cdef inline uint64_t count_after_captures(const Ruleset* rules, const Sides* p) noexcept nogil:
    """The replies to all captures."""
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard empty = g.all & ~(p.own | p.enemy), targets, middle, rest
    cdef Sides jumped, reply
    cdef uint64_t count = 0
    cdef int direction, target
    cdef bint from_hand
    for direction in range(EAST, SOUTH + 1):
        targets = shift(g, 0, 0, shift(g, 0, 0, p.own, direction) & p.enemy, direction) & empty
        while targets:
            target = lowest(targets)
            targets &= targets - 1
            middle = bit(target - g.delta[direction])
            jumped.own = p.enemy ^ middle
            jumped.enemy = p.own ^ bit(target) ^ bit(target - 2 * g.delta[direction])
            jumped.own_hand = p.enemy_hand
            jumped.enemy_hand = p.own_hand
            jumped.must_drop = False
            from_hand = can_take_from_hand(rules, jumped.own != 0, p.enemy_hand)
            if (rules.optional_removal or (jumped.own == 0 and not from_hand)) and not is_over(rules, &jumped):
                count += count_actions(rules, &jumped)
            reply = jumped
            if from_hand:
                reply.own_hand -= 1
                if not is_over(rules, &reply):
                    count += count_actions(rules, &reply)
                reply.own_hand += 1
            rest = jumped.own
            while rest:
                reply.own = jumped.own ^ (rest & (0 - rest))
                rest &= rest - 1
                if not is_over(rules, &reply):
                    count += count_actions(rules, &reply)
    return count


cdef inline uint64_t count_two_plies(const Ruleset* rules, const Sides* p) noexcept nogil:
    """Perft 2 of a game that is not over."""
    cdef const Geometry* g = &rules.geometry
    cdef Bitboard own = p.own, enemy = p.enemy, empty = g.all & ~(own | enemy)
    cdef Shifted m = shifted(g, own), o = shifted(g, enemy), e = shifted(g, empty)
    cdef Planes mover_near = count_neighbours(m), enemy_near = count_neighbours(o), empty_near = count_neighbours(e)
    # By direction of the jump: the pieces jumped, and where pieces of the mover would have their jumper land.
    cdef Bitboard past_east = east(g, o.east & own), past_west = west(g, o.west & own)
    cdef Bitboard past_north = north(g, o.north & own), past_south = south(g, o.south & own)
    cdef Bitboard jumped_row = (o.east & e.west | o.west & e.east) & own
    cdef Bitboard jumped_col = (o.north & e.south | o.south & e.north) & own
    cdef Bitboard open_row = (o.east & e.west | o.west & e.east) & empty
    cdef Bitboard open_col = (o.north & e.south | o.south & e.north) & empty
    cdef Bitboard closed_row = (o.east & m.west | o.west & m.east) & empty
    cdef Bitboard closed_col = (o.north & m.south | o.south & m.north) & empty
    cdef int empties = popcount(empty), own_pieces = popcount(own)
    cdef int steps = total(enemy_near, empty), jumps = popcount(jumped_row) + popcount(jumped_col)
    cdef int own_steps, jumps_after, steps_after
    cdef bint obliging = rules.drop_initiative and not p.must_drop and p.enemy_hand > 0
    cdef Planes jumped, landing, behind, opened
    cdef uint64_t count = 0

    if p.own_hand and empties:
        if obliging:
            count += empties * (empties - 1)
        else:
            if p.enemy_hand:
                count += empties * (empties - 1)
            jumps_after = (empties - 1) * jumps + popcount(open_row) + popcount(open_col)
            count += (empties - 1) * steps + jumps_after * removal_choices(rules, own_pieces, p.own_hand - 1)
        if p.must_drop:
            return count

    own_steps = total(mover_near, empty)
    if own_steps:
        if p.enemy_hand:
            count += own_steps * empties
        steps_after = (
            own_steps * steps - total_product(mover_near, enemy_near, empty) + total_product(empty_near, enemy_near, own)
        )
        jumped.ones = jumped_row ^ jumped_col
        jumped.twos = jumped_row & jumped_col
        landing = add_four(past_east & empty, past_west & empty, past_north & empty, past_south & empty)
        behind = add_four(past_east & own, past_west & own, past_north & own, past_south & own)
        # Where a square in E is the middle of OEE twice, all its neighbours are in O or E: then m is 0.
        opened.ones = open_row ^ open_col
        opened.twos = 0
        jumps_after = (
            (own_steps + 1) * jumps
            - total_product(jumped, empty_near, own)
            - total_product(landing, mover_near, empty)
            + total_product(behind, empty_near, own)
            + total_product(opened, mover_near, empty)
            + popcount(closed_row) + popcount(closed_col)
        )
        if mover_near.fours:
            jumps_after -= 4 * total(landing, mover_near.fours & empty)
        if jumps_after:
            count += jumps_after * removal_choices(rules, own_pieces - 1, p.own_hand)
        count += steps_after

    if (m.east | m.west | m.north | m.south) & enemy:
        count += count_after_captures(rules, p)
    return count
