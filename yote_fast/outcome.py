"""How a game ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Termination(enum.Enum):
    """What ended a game."""

    NO_PIECES = "a side has no pieces left"
    THREE_PIECES = "both sides have three pieces or fewer"
    NO_MOVES = "the side to move has no legal action"
    REPETITION = "the position was repeated"


@dataclass(frozen=True)
class Outcome:
    """The end of a game."""

    winner: bool | None
    """``WHITE``, ``BLACK``, or None for a draw."""
    termination: Termination

    def result(self) -> str:
        """``"1-0"``, ``"0-1"`` or ``"1/2-1/2"``."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner else "0-1"
