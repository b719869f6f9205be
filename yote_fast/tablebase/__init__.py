"""Endgame tables: exact values of all positions with few pieces, or of a whole game on a small board.

>>> import tempfile
>>> import yote_fast as yf
>>> folder = tempfile.mkdtemp()
>>> with yf.tablebase.build(yf.Rules(rows=3, cols=3), pieces=4, metric="dtw", path=folder) as tables:
...     board = yf.Board("2c/C2/2C w 0/0", tables.rules)
...     tables.probe_wdl(board), tables.probe_dtw(board), tables.best_moves(board)
(1, 3, [<Move a2-a3>])

:func:`build` makes tables, :func:`open` opens them for probing. They know all rules but trade routes. The method and the format of
the files are described in ``docs/tablebase.md``.
"""

from __future__ import annotations

import os

from .errors import LockedError, MissingTableError, TableFormatError, WrongRulesError
from .files import Counts, Metric
from .generator import Progress, build, default_folder
from .plan import Plan, make_plan
from .probing import Mismatch, Tablebase
from .slices import Slice

__all__ = [
    "Counts",
    "LockedError",
    "Metric",
    "Mismatch",
    "MissingTableError",
    "Plan",
    "Progress",
    "Slice",
    "TableFormatError",
    "Tablebase",
    "WrongRulesError",
    "build",
    "default_folder",
    "make_plan",
    "open",
]


def open(path: str | os.PathLike[str], *more: str | os.PathLike[str], cache_mb: int = 128) -> Tablebase:
    """Open tables for probing; the arguments and errors are those of :class:`Tablebase`."""
    return Tablebase(path, *more, cache_mb=cache_mb)
