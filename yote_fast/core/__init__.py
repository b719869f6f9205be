"""The compiled core, in the best build that this processor runs."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder

from ..rules import Rules


def _find_compiled() -> None:
    """In the source folder, which Python looks in before the installed package, use the installed package's compiled modules."""
    name = f"{__name__}._baseline"
    if PathFinder.find_spec(name, __path__):
        return
    spec = PathFinder.find_spec(name, [os.path.join(entry, "yote_fast", "core") for entry in sys.path])
    if spec is None or spec.origin is None:
        raise ImportError("the compiled core of yote_fast is not installed: 'pip install .' in its source folder builds it")
    __path__.append(os.path.dirname(spec.origin))


_find_compiled()

from . import _baseline as _build  # noqa: E402

LEVEL = "baseline"

if _build.runs_x86_64_v3():
    try:
        from . import _x86_64_v3 as _build
    except ImportError:
        # Built where only the baseline is: for another processor family, or without this level.
        pass
    else:
        LEVEL = "x86-64-v3"

Actions = _build.Actions
Board = _build.Board
Games = _build.Games
Graph = _build.Graph
LegalMoves = _build.LegalMoves
LoadedTables = _build.LoadedTables
Move = _build.Move
PairSolver = _build.PairSolver
PerftWorker = _build.PerftWorker
Prover = _build.Prover
Searcher = _build.Searcher
SliceTable = _build.SliceTable
TableReader = _build.TableReader
compiler = _build.compiler
features_of = _build.features_of
static_score = _build.static_score
has_quick_pass = _build.has_quick_pass
locate = _build.locate
position_at = _build.position_at
slice_numbers = _build.slice_numbers


# Pickles name these functions, not those of one build: they are read on other processors too.


def restore_move(text: str, rules: Rules) -> Move:
    return _build.restore_move(text, rules)


def restore_actions(rules: Rules) -> Actions:
    return Actions(rules)


def restore_board(yfen: str, rules: Rules, moves: list[str]) -> Board:
    board = Board(yfen, rules)
    for text in moves:
        board.push_text(text)
    return board
