"""Fixed perft counts that time this machine: what ``yote bench`` runs."""

from __future__ import annotations

from dataclasses import dataclass

from .core import Board
from .perft import perft
from .rules import Rules

ALL_OPTIONS = (
    "challenges+royal_caravan+mandatory_capture+chain_capture+chain_removal=each+bonus_turn+friendly_leap"
    "+second_removal=board_or_hand+optional_removal"
)
MIDDLE_GAME = "1Cc2c/C1Cc2/4C1/ccC1Cc/2CCc1 b 4/5"


@dataclass(frozen=True)
class Case:
    """A position whose perft is known."""

    name: str
    rules: str
    yfen: str | None
    depth: int
    leaves: int
    bulk: bool = True

    def run(self) -> int:
        """The perft, counted now."""
        return perft(Board(self.yfen, Rules.parse(self.rules)), self.depth, bulk=self.bulk)


CASES = (
    Case("yote", "yote", None, 7, 27_490_231_820),
    Case("yote, no bulk", "yote", None, 5, 26_429_448, bulk=False),
    Case("yote, middle", "yote", MIDDLE_GAME, 5, 322_108_368),
    Case("choko", "choko", None, 7, 5_274_633_920),
    Case("heroes", "heroes", None, 5, 284_004_108),
    Case("challenges", "challenges", None, 5, 300_509_324),
    Case("all options", ALL_OPTIONS, None, 4, 20_368_920),
)
