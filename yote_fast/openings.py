"""Openings for matches: random positions near the start in which neither side stands better."""

from __future__ import annotations

import random

from .analysis import Engine
from .core import Board, Move
from .limit import Limit
from .rules import Rules

GLANCE = Limit(nodes=20_000)
"""How long a position is looked at. In nodes, so that the openings of a seed do not depend on the machine."""
TRIES = 1000


class Openings:
    """Balanced random openings, numbered from 0. Each depends on the arguments, its number and the engine's version alone.

    Args:
        rules: the rules of the game.
        plies: random actions from the start.
        balance: the largest score, in hundredths of a piece, that either side may have.
        seed: other seeds, other openings.

    Raises:
        ValueError: ``plies`` or ``balance`` is negative.
    """

    def __init__(self, rules: Rules, *, plies: int = 8, balance: int = 60, seed: int = 0) -> None:
        if plies < 0 or balance < 0:
            raise ValueError(f"plies and balance must not be negative, not {plies} and {balance}")
        self.rules = rules
        self.plies = plies
        self.balance = balance
        self.seed = seed
        self._engine = Engine(hash_mb=1, tablebase=None)

    def get(self, number: int) -> Board:
        """The board after the opening, with its moves.

        Raises:
            ValueError: no balanced opening can be found.
        """
        chance = random.Random(f"{self.seed} {number}")
        for _ in range(TRIES if self.plies else 1):
            board = self._random_board(chance)
            if self._is_balanced(board):
                return board
        raise ValueError(
            f"no opening of {self.plies} plies with a score of at most {self.balance} hundredths was found in {TRIES} tries; "
            "allow a higher score, or other plies"
        )

    def _random_board(self, chance: random.Random) -> Board:
        board = Board(rules=self.rules)
        while board.ply() < self.plies and not board.is_game_over():
            moves: list[Move] = list(board.legal_moves)
            board.push(chance.choice(moves))
        return board

    def _is_balanced(self, board: Board) -> bool:
        if board.is_game_over():
            return False
        if not self.plies:
            return True
        self._engine.clear()
        score = self._engine.analyse(board, GLANCE).score
        return score is not None and abs(score.value) <= self.balance
