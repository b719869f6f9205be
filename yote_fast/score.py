"""What a position is worth."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

WIN_VALUE = 30000
"""A win in n plies has the value ``WIN_VALUE - n``, a loss in n plies ``n - WIN_VALUE``."""
PROVEN_VALUE = WIN_VALUE - 1000
"""Values beyond this, either way, are proven wins and losses."""
LOGISTIC_SCALE = 540
"""Hundredths of a piece that turn even odds into e to 1."""


@functools.total_ordering
@dataclass(frozen=True)
class Score:
    """A score for one side, usually the side to move: a value in hundredths of a piece, or a win or loss in so many plies.

    Scores are ordered, a sooner win above a later one; only scores for the same side can be compared. ``-score`` is the same
    judgement for the other side.

    >>> Score.win(3, turn=True) > Score.win(5, turn=True) > Score(120, turn=True) > Score.loss(2, turn=True)
    True
    >>> print(Score(120, turn=False).white(), Score.win(3, turn=False).white())
    -1.20 loss in 3
    """

    value: int
    """Hundredths of a piece; for a win or loss, nearly ``WIN_VALUE`` or its negative."""
    turn: bool
    """The side that the score is for."""

    @classmethod
    def win(cls, plies: int, *, turn: bool) -> Score:
        """A win in ``plies`` actions."""
        return cls(WIN_VALUE - plies, turn)

    @classmethod
    def loss(cls, plies: int, *, turn: bool) -> Score:
        """A loss in ``plies`` actions."""
        return cls(plies - WIN_VALUE, turn)

    @property
    def win_in(self) -> int | None:
        """Plies to a proven win; None if it is not one."""
        return WIN_VALUE - self.value if self.value > PROVEN_VALUE else None

    @property
    def loss_in(self) -> int | None:
        """Plies to a proven loss; None if it is not one."""
        return WIN_VALUE + self.value if self.value < -PROVEN_VALUE else None

    def win_probability(self) -> float:
        """The expected result of the game, 0 to 1, a draw counting one half.

        The logistic curve that fits games of the engine against itself; ``docs/evaluation.md`` tells how well.
        """
        if self.is_proven():
            return 1.0 if self.value > 0 else 0.0
        return 1 / (1 + math.exp(-self.value / LOGISTIC_SCALE))

    def is_proven(self) -> bool:
        """Whether this is a win or loss, not a value."""
        return abs(self.value) > PROVEN_VALUE

    def white(self) -> Score:
        """The score from White's side."""
        return self if self.turn else -self

    def black(self) -> Score:
        """The score from Black's side."""
        return -self if self.turn else self

    def __neg__(self) -> Score:
        return Score(-self.value, not self.turn)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        if self.turn != other.turn:
            raise ValueError("scores for different sides cannot be ordered; compare score.white() with other.white()")
        return self.value < other.value

    def __str__(self) -> str:
        if self.win_in is not None:
            return f"win in {self.win_in}"
        if self.loss_in is not None:
            return f"loss in {self.loss_in}"
        return f"{self.value / 100:+.2f}"
