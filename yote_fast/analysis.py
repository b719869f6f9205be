"""Analysis: the best move of a position, within limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .checks import MAX_HASH_MB, check_int
from .core import Board, Move, Searcher
from .score import Score

MAX_DEPTH = 128
MAX_SECONDS = 1e9
MAX_NODES = 2**63


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
    """Positions visited."""

    def __post_init__(self) -> None:
        if self.time is not None:
            if not isinstance(self.time, (int, float)) or isinstance(self.time, bool):
                raise TypeError(f"time must be a number of seconds, not {type(self.time).__name__}")
            if not 0 < self.time <= MAX_SECONDS:
                raise ValueError(f"time must be more than 0 and at most {MAX_SECONDS:.0f} seconds, not {self.time}")
        if self.depth is not None:
            check_int("depth", self.depth, 1, MAX_DEPTH)
        if self.nodes is not None:
            check_int("nodes", self.nodes, 1, MAX_NODES)


@dataclass(frozen=True)
class Info:
    """What an analysis found."""

    score: Score | None
    """For the side to move. None if not even one ply was searched."""
    pv: list[Move]
    """The principal variation: the best line, its first move the best move."""
    depth: int
    """Plies searched to the full."""
    seldepth: int
    """The longest line looked at."""
    nodes: int
    """Positions visited."""
    time: float
    """Seconds."""
    hashfull: int
    """How full the transposition table is, in thousandths."""

    @property
    def nps(self) -> int:
        """Positions visited a second."""
        return round(self.nodes / self.time) if self.time > 0 else 0

    def __str__(self) -> str:
        line = " ".join(map(str, self.pv))
        score = "no score" if self.score is None else str(self.score)
        return f"depth {self.depth}, {score}, {self.nodes:,} nodes in {self.time:.2f} s: {line}"


@dataclass(frozen=True)
class PlayResult:
    """A move to play, and the analysis behind it."""

    move: Move
    info: Info


class Engine:
    """An engine that keeps its transposition table from one position to the next.

    Args:
        hash_mb: mebibytes for the table, rounded down to a power of two.

    An engine makes one search at a time; several engines can search side by side, in a thread each.

    Raises:
        MemoryError: the table does not fit in memory.
    """

    def __init__(self, *, hash_mb: int = 64) -> None:
        check_int("hash_mb", hash_mb, 1, MAX_HASH_MB)
        self._searcher = Searcher(hash_mb)
        self._busy = threading.Lock()

    def analyse(self, board: Board, limit: Limit, *, on_info: Callable[[Info], object] | None = None) -> Info:
        """Search deeper and deeper until a limit is reached, or the result is proven and cannot change.

        Args:
            board: the position, with the history that repetitions are judged by. It is not changed.
            limit: when to stop.
            on_info: called with what is known after each depth. After a KeyboardInterrupt, which passes through, it has
                seen the best line so far.

        Raises:
            ValueError: the game is over.
            TypeError: an argument has the wrong type.
            RuntimeError: the engine is already searching.
        """
        _check(board, limit)
        with self._alone():
            return self._deepen(board.copy(), limit, on_info)

    def _deepen(self, board: Board, limit: Limit, on_info: Callable[[Info], object] | None) -> Info:
        started = time.perf_counter()
        searcher = self._searcher
        searcher.start(board, limit.time or 0, limit.nodes or 0)

        def info(score: Score | None, pv: list[Move], depth: int) -> Info:
            seconds = time.perf_counter() - started
            return Info(score, pv, depth, searcher.seldepth, searcher.nodes, seconds, searcher.hashfull())

        best = None
        for depth in range(1, (limit.depth or MAX_DEPTH) + 1):
            found = searcher.iterate(depth)
            if found is None:
                break
            value, pv = found
            score = Score(value, board.turn)
            best = info(score, pv, depth)
            if on_info is not None:
                on_info(best)
            if depth >= (score.win_in or score.loss_in or MAX_DEPTH):
                break
        if best is None:
            # Stopped within the first ply: any move is better than none.
            return info(None, [next(iter(board.legal_moves))], 0)
        return info(best.score, best.pv, best.depth)

    def play(self, board: Board, limit: Limit) -> PlayResult:
        """The move to play. Arguments and errors as for :meth:`analyse`."""
        info = self.analyse(board, limit)
        return PlayResult(info.pv[0], info)

    def stop(self) -> None:
        """Make the search that runs in another thread give up: its call returns what it has. Does nothing where none runs."""
        self._searcher.stop()

    def clear(self) -> None:
        """Forget all earlier searches. Raises RuntimeError while the engine is searching."""
        with self._alone():
            self._searcher.clear()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the engine is searching; several searches at once need an engine each")
        try:
            yield
        finally:
            self._busy.release()


def analyse(board: Board, limit: Limit, *, hash_mb: int = 64, on_info: Callable[[Info], object] | None = None) -> Info:
    """Analyse one position with an engine of its own: see :meth:`Engine.analyse`.

    >>> import yote_fast as yf
    >>> info = yf.analyse(yf.Board("c5/2C3/6/6/6 w 1/0"), yf.Limit(depth=7))
    >>> print(info.score, info.pv[0])
    win in 7 c4-c5
    """
    return Engine(hash_mb=hash_mb).analyse(board, limit, on_info=on_info)


def _check(board: Board, limit: Limit) -> None:
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {type(board).__name__}")
    if not isinstance(limit, Limit):
        raise TypeError(f"limit must be a Limit, not {type(limit).__name__}")
    if board.is_game_over():
        raise ValueError(f"the game is over ({board.result()}): there is no move to look for in {board.yfen()}")
