"""Analysis: the best move of a position, within limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from .checks import MAX_HASH_MB, check_int
from .core import Board, Move, Searcher
from .errors import IllegalMoveError
from .score import Score

MAX_DEPTH = 128
MAX_SECONDS = 1e9
MAX_NODES = 2**63
MAX_MULTIPV = 1000


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
    multipv: int = 1
    """Which of several lines this is, the best being 1."""

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

    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        root_moves: Iterable[Move] | None = None,
        on_info: Callable[[Info], object] | None = None,
    ) -> Info:
        """Search deeper and deeper until a limit is reached, or the result is proven and cannot change.

        Args:
            board: the position, with the history that repetitions are judged by. It is not changed.
            limit: when to stop.
            root_moves: the only moves to choose from; None for all legal ones.
            on_info: called with what is known after each depth. After a KeyboardInterrupt, which passes through, it has
                seen the best line so far.

        Raises:
            ValueError: the game is over, or there are no root moves.
            IllegalMoveError: a root move is not legal.
            TypeError: an argument has the wrong type.
            RuntimeError: the engine is already searching.
        """
        return self.analyse_lines(board, limit, 1, root_moves=root_moves, on_info=on_info)[0]

    def analyse_lines(
        self,
        board: Board,
        limit: Limit,
        multipv: int,
        *,
        root_moves: Iterable[Move] | None = None,
        on_info: Callable[[Info], object] | None = None,
    ) -> list[Info]:
        """Analyse the ``multipv`` best moves, or all if there are fewer, each with a line of its own.

        Returns the best first. ``on_info`` is called for each line of each depth, told apart by ``Info.multipv``. The other
        arguments and the errors are those of :meth:`analyse`.
        """
        _check(board, limit)
        check_int("multipv", multipv, 1, MAX_MULTIPV)
        moves = None if root_moves is None else _checked_root_moves(board, root_moves)
        with self._alone():
            return _Deepening(self._searcher, board.copy(), limit, on_info).run(moves, multipv)

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


class _Deepening:
    """Iterative deepening of one analysis."""

    def __init__(self, searcher: Searcher, board: Board, limit: Limit, on_info: Callable[[Info], object] | None) -> None:
        self.searcher = searcher
        self.board = board
        self.limit = limit
        self.on_info = on_info
        self.lines: list[Info] = []
        self.started = time.perf_counter()
        searcher.start(board, limit.time or 0, limit.nodes or 0)

    def run(self, root_moves: list[Move] | None, multipv: int) -> list[Info]:
        """The lines of the deepest depth reached, the best first."""
        moves = list(self.board.legal_moves) if root_moves is None else root_moves
        multipv = min(multipv, len(moves))
        for depth in range(1, (self.limit.depth or MAX_DEPTH) + 1):
            if not self._iterate(depth, moves, root_moves is not None, multipv) or self._is_final(depth):
                break
        if not self.lines:
            # Stopped within the first ply: any move is better than none.
            return [self._info(None, moves[:1], 0, 1)]
        return [replace(line, nodes=self.searcher.nodes, time=self._seconds()) for line in self.lines]

    def _iterate(self, depth: int, moves: list[Move], restricted: bool, multipv: int) -> bool:
        """Find the lines of one depth; False if a limit broke it off."""
        found: list[Info] = []
        taken: set[Move] = set()
        while len(found) < multipv:
            choice = [move for move in moves if move not in taken] if restricted or taken else None
            value, pv = self.searcher.iterate(depth, self._expected(len(found)), choice)
            if value is None:
                if multipv == 1 and pv and self.lines:
                    # What was found before the break is at least as good as the move of the depth before, which came first.
                    self.lines[0] = replace(self.lines[0], pv=pv)
                break
            found.append(self._info(Score(value, self.board.turn), pv, depth, len(found) + 1))
            taken.add(pv[0])
            if self.on_info is not None:
                self.on_info(found[-1])
        older = [line for line in self.lines if line.pv[0] not in taken]
        lines = (found + older)[:multipv]
        self.lines = [replace(line, multipv=number) for number, line in enumerate(lines, 1)]
        return len(found) == multipv

    def _expected(self, line: int) -> int:
        """The score of a line at the depth before."""
        score = self.lines[line].score if line < len(self.lines) else None
        return score.value if score is not None else 0

    def _is_final(self, depth: int) -> bool:
        """Whether more depth cannot change anything: all is proven, within the depth."""
        scores = [line.score for line in self.lines if line.score is not None]
        return all(depth >= (score.win_in or score.loss_in or MAX_DEPTH) for score in scores)

    def _info(self, score: Score | None, pv: list[Move], depth: int, number: int) -> Info:
        searcher = self.searcher
        return Info(score, pv, depth, searcher.seldepth, searcher.nodes, self._seconds(), searcher.hashfull(), number)

    def _seconds(self) -> float:
        return time.perf_counter() - self.started


def _checked_root_moves(board: Board, root_moves: Iterable[Move]) -> list[Move]:
    moves = list(dict.fromkeys(root_moves))
    for move in moves:
        if move not in board.legal_moves:
            raise IllegalMoveError(f"root move {move} is not legal in {board.yfen()}")
    if not moves:
        raise ValueError("there are no root moves to choose from")
    return moves


def _check(board: Board, limit: Limit) -> None:
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {type(board).__name__}")
    if not isinstance(limit, Limit):
        raise TypeError(f"limit must be a Limit, not {type(limit).__name__}")
    if board.is_game_over():
        raise ValueError(f"the game is over ({board.result()}): there is no move to look for in {board.yfen()}")
