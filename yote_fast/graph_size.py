"""How large the graph of a game can be, told before it is built."""

from __future__ import annotations

import itertools
import math

from .core import Board


def most_classes(board: Board) -> int:
    """An upper bound of the positions that play can reach, those that are the same by symmetry counted once (but for the few that
    are symmetrical themselves)."""
    rules = board.rules
    white, black = _side_states(board, True), _side_states(board, False)
    boards = sum(
        a_ways * b_ways * math.comb(rules.squares, a) * math.comb(rules.squares - a, b)
        for (a, a_ways), (b, b_ways) in itertools.product(white.items(), black.items())
        if a + b <= rules.squares
    )
    if white != black:
        # Either can be the side to move.
        boards *= 2
    turns = 8 if rules.rows == rules.cols else 4
    return math.ceil(boards * (1 + rules.drop_initiative) * _route_states(board) / turns)


def _side_states(board: Board, color: bool) -> dict[int, int]:
    """For each number of a side's pieces on the board, the ways its hand and its royal can be."""
    rules = board.rules
    on_board = (board.white if color else board.black).bit_count()
    hand = board.hand(color)
    return {
        on: (1 + min(hand, on_board + hand - on)) * (on + 2 if rules.royal_caravan else 1)
        for on in range(min(on_board + hand, rules.squares) + 1)
    }


def _route_states(board: Board) -> int:
    """The ways that routes, supplies and the stage of a turn can be."""
    rules = board.rules
    if not rules.trade_routes:
        return 1
    blocks = (rules.rows - 1) * (rules.cols - 1)
    placed = len(board.setup().routes)
    white, black = board.supply(True), board.supply(False)
    routes = 0
    for new in range(min(white + black, blocks - placed) + 1):
        ways: int = math.comb(blocks - placed, new) * 2**new
        routes += ways * (min(new, white) + 1)
    # A turn: before the main action, with or without a placing and a free move; or else, for each piece that may have done it,
    # after it (not with both, for then the turn is over), or with only the bonus move left (which follows a placing).
    return routes * (4 + (3 + 2) * rules.pieces)
