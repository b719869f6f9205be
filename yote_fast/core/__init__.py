"""The compiled core, in the best build that this processor runs."""

from __future__ import annotations

from ..rules import Rules
from . import _baseline as _build

LEVEL = "baseline"

if _build.runs_x86_64_v3():
    try:
        from . import _x86_64_v3 as _build
    except ImportError:
        # Built where only the baseline is: for another processor family, or without this level.
        pass
    else:
        LEVEL = "x86-64-v3"

Board = _build.Board
LegalMoves = _build.LegalMoves
Move = _build.Move
PerftWorker = _build.PerftWorker
Searcher = _build.Searcher
compiler = _build.compiler


# Pickles name these functions, not those of one build: they are read on other processors too.


def restore_move(text: str, rules: Rules) -> Move:
    return _build.restore_move(text, rules)


def restore_board(yfen: str, rules: Rules, moves: list[str]) -> Board:
    board = Board(yfen, rules)
    for text in moves:
        board.push_text(text)
    return board
