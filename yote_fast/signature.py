"""The engine's signature: the nodes that it searches over fixed positions.

A change that leaves the search as it is leaves the number as it is; one that alters the search names the new number.
"""

from __future__ import annotations

from dataclasses import dataclass

from .analysis import Engine
from .bench import MIDDLE_GAME
from .core import Board
from .deepening import Info
from .limit import Limit
from .rules import Rules

HASH_MB = 16


@dataclass(frozen=True)
class Position:
    """A position that is searched to a fixed depth."""

    rules: str
    yfen: str | None
    depth: int

    def search(self, engine: Engine) -> Info:
        """Search it with nothing remembered."""
        engine.clear()
        return engine.analyse(Board(self.yfen, Rules.parse(self.rules)), Limit(depth=self.depth))

    def __str__(self) -> str:
        return f"{self.rules}, {self.yfen or 'start'}, depth {self.depth}"


POSITIONS = (
    Position("yote", None, 10),
    Position("yote", MIDDLE_GAME, 9),
    Position("yote", "1c4/2C1c1/1C4/3c1C/6 w 2/1", 11),
    Position("yote+mandatory_capture+chain_capture", MIDDLE_GAME, 9),
    Position("choko", None, 9),
    Position("choko", "c3C/1C1c1/5/2C2/c4 b 6/6 !", 9),
    Position("heroes", "1r4/2C1c1/1C4/3c1C/6 w 2R/1", 9),
    Position("challenges", None, 5),
)

SIGNATURE = 5_453_946
"""What :func:`nodes` counts with this version."""


def nodes() -> int:
    """The nodes of all positions together: the same on every machine."""
    engine = Engine(hash_mb=HASH_MB, tablebase=None)
    return sum(position.search(engine).nodes for position in POSITIONS)
