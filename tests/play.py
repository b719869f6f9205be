"""Random play on the compiled board."""

from __future__ import annotations

import random
from collections.abc import Iterator

from yote_fast import Board, Move


def choose(board: Board, rng: random.Random) -> Move:
    """A random legal move of a random kind, so that the rare kinds come up often."""
    kinds: dict[str, list[Move]] = {}
    for move in board.legal_moves:
        kinds.setdefault(move.action.kind, []).append(move)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def play(board: Board, seed: int, plies: int) -> Iterator[Move]:
    """Play random moves on the board, each before it is given, up to the end of the game."""
    rng = random.Random(seed)
    for _ in range(plies):
        if not board.legal_moves:
            return
        move = choose(board, rng)
        board.push(move)
        yield move


def play_all(board: Board, seed: int, plies: int) -> Board:
    """The same board after the play."""
    for _ in play(board, seed, plies):
        pass
    return board
