"""Yoté and Choko: rules, moves, perft and analysis, with a compiled core.

>>> import yote_fast as yf
>>> board = yf.Board(rules=yf.CHOKO)
>>> board.push_text("@c3")
<Move @c3>
>>> board.must_drop, len(board.legal_moves)
(True, 24)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import core
from ._version import __version__
from .analysis import Analysis, Engine, PlayResult, analyse, evaluate
from .core import Board, LegalMoves, Move
from .deepening import Info
from .errors import IllegalMoveError, InvalidGameError, InvalidMoveError, InvalidPositionError, InvalidRulesError
from .limit import Limit
from .notation import BLACK, WHITE
from .outcome import Outcome, Termination
from .perft import divide, perft
from .rules import CHALLENGES, CHOKO, HEROES, PRESETS, YOTE, Rules
from .score import Score
from .solve import DRAW, LOSS, WIN, Solution, solve

if TYPE_CHECKING:
    from . import batch, game, match, reference, svg, tablebase, ugi

__all__ = [
    "BLACK",
    "CHALLENGES",
    "CHOKO",
    "DRAW",
    "HEROES",
    "LOSS",
    "PRESETS",
    "WHITE",
    "WIN",
    "YOTE",
    "Analysis",
    "Board",
    "Engine",
    "IllegalMoveError",
    "Info",
    "InvalidGameError",
    "InvalidMoveError",
    "InvalidPositionError",
    "InvalidRulesError",
    "LegalMoves",
    "Limit",
    "Move",
    "Outcome",
    "PlayResult",
    "Rules",
    "Score",
    "Solution",
    "Termination",
    "__version__",
    "analyse",
    "batch",
    "build_info",
    "divide",
    "evaluate",
    "game",
    "match",
    "perft",
    "reference",
    "solve",
    "svg",
    "tablebase",
    "ugi",
]


def __getattr__(name: str) -> Any:
    # Few programs want these, so they are imported when they are first asked for.
    if name in ("batch", "game", "match", "reference", "svg", "tablebase", "ugi"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def build_info() -> dict[str, str]:
    """What runs here: the package's version, the compiler of its core, and the instruction-set level chosen at import."""
    return {"version": __version__, "compiler": core.compiler(), "level": core.LEVEL}
