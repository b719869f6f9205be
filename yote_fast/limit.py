"""When an analysis stops."""

from __future__ import annotations

from dataclasses import dataclass

from .checks import check_int

MAX_DEPTH = 128
MAX_SECONDS = 1e9
MAX_NODES = 2**63

MOVES_LEFT = 25
"""A game is planned as if so many moves were still to come, however many were played."""
INCREMENT_SHARE = 0.8
LARGEST_SHARE = 0.5
"""The most of the time left that one move may take."""
OVERHEAD_SECONDS = 0.01
"""What passes on a clock between the answer and its arrival."""
SHORTEST_SECONDS = 0.001


@dataclass(frozen=True, kw_only=True)
class Limit:
    """When to stop; the first limit reached counts. Without any, only Ctrl-C or a proven result ends an analysis.

    Raises:
        ValueError: a limit is not positive, or absurdly large.
        TypeError: a limit is not a number.
    """

    time: float | None = None
    """Seconds."""
    depth: int | None = None
    """Plies, 1 to 128."""
    nodes: int | None = None
    """Positions visited, by all threads together."""
    win_in: int | None = None
    """Plies, 1 to 128: look for a win within so many, and no deeper."""
    white_clock: float | None = None
    """Seconds that White has left for the rest of the game. A share of them is used if White is to move."""
    black_clock: float | None = None
    white_inc: float | None = None
    """Seconds that White gains with each action."""
    black_inc: float | None = None

    def __post_init__(self) -> None:
        for name in ("time", "white_clock", "black_clock"):
            _check_seconds(name, getattr(self, name), zero=False)
        for name in ("white_inc", "black_inc"):
            _check_seconds(name, getattr(self, name), zero=True)
        for name, most in (("depth", MAX_DEPTH), ("win_in", MAX_DEPTH), ("nodes", MAX_NODES)):
            if getattr(self, name) is not None:
                check_int(name, getattr(self, name), 1, most)

    def seconds(self, turn: bool) -> float | None:
        """How long the side to move may think; None for as long as it likes."""
        clock, increment = (self.white_clock, self.white_inc) if turn else (self.black_clock, self.black_inc)
        if clock is None:
            return self.time
        share = min(clock / MOVES_LEFT + INCREMENT_SHARE * (increment or 0), LARGEST_SHARE * clock) - OVERHEAD_SECONDS
        return min(max(share, SHORTEST_SECONDS), self.time or MAX_SECONDS)

    @property
    def plies(self) -> int:
        """How deep to search at the most."""
        return min(self.depth or MAX_DEPTH, self.win_in or MAX_DEPTH)


def _check_seconds(name: str, value: object, *, zero: bool) -> None:
    if value is None:
        return
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")
    if not (0 < value <= MAX_SECONDS or (zero and value == 0)):
        least = "at least 0" if zero else "more than 0"
        raise ValueError(f"{name} must be {least} and at most {MAX_SECONDS:.0f} seconds, not {value}")
