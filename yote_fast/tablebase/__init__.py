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
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from ..rules import YOTE, Rules
from .errors import LockedError, MissingTableError, TableFormatError, WrongRulesError
from .files import Counts, Metric
from .generator import Progress, build_tables, default_folder
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


def build(
    rules: Rules = YOTE,
    *,
    pieces: int | None = None,
    start: bool = False,
    metric: Metric = "wdl",
    path: str | Path | None = None,
    threads: int = 1,
    memory_mb: int = 2048,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Tablebase:
    """Build tables, or what is still missing of them, and open them.

    A build that was stopped, by Ctrl-C or anything else, goes on with the slices that are not finished.

    Args:
        rules: the rules; all but trade routes.
        pieces: all endgames with up to so many pieces of both sides together, on the board and in hand.
        start: all positions that a game can reach, instead: the game is solved.
        metric: ``"wdl"`` for wins, draws and losses; ``"dtw"`` for distances to the end as well.
        path: a folder, made if need be; None for one in the user's data folder.
        threads: how many threads work.
        memory_mb: mebibytes that may be used, about.
        executor: a ``concurrent.futures`` executor to work instead, one job for each pair of slices; its processes share the
            folder. Each job may use ``memory_mb``, and has one thread.
        progress: called with a :class:`Progress` several times a second.

    Raises:
        WrongRulesError: the rules have trade routes, or the folder has tables of others.
        LockedError: another build works in the folder.
        MemoryError: ``memory_mb`` is not enough.
        OSError: the disk is full, or the folder cannot be written to.
        ValueError: an argument is out of its bounds.
        TypeError: an argument has the wrong type.
    """
    folder = build_tables(
        rules,
        pieces=pieces,
        start=start,
        metric=metric,
        path=path,
        threads=threads,
        memory_mb=memory_mb,
        executor=executor,
        progress=progress,
    )
    return Tablebase(folder)


def open(path: str | os.PathLike[str], *more: str | os.PathLike[str], cache_mb: int = 64) -> Tablebase:
    """Open tables for probing; the arguments and errors are those of :class:`Tablebase`."""
    return Tablebase(path, *more, cache_mb=cache_mb)
