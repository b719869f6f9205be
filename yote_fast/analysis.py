"""Analysis: the best move of a position, within limits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, overload

from .checks import MAX_HASH_MB, MAX_THREADS, check_int
from .core import Board, Move, Searcher, static_score
from .deepening import Deepening, Info
from .endgames import SMALL, EndgameSource
from .errors import IllegalMoveError
from .limit import Limit
from .rules import Rules
from .score import Score

if TYPE_CHECKING:
    from os import PathLike

    from .tablebase import Tablebase

MAX_MULTIPV = 1000
MAX_CONTEMPT = 1000
DEFAULT_CONTEMPT = 100
STOP_AGAIN_SECONDS = 0.001


@dataclass(frozen=True)
class PlayResult:
    """A move to play, and the analysis behind it."""

    move: Move
    info: Info


class Engine:
    """An engine that keeps its transposition table from one position to the next.

    Args:
        hash_mb: mebibytes for the table, rounded down to a power of two.
        threads: how many threads search. With one, the same calls give the same results every time; with more, not.
        full_width: search every line to the full depth and no further, and judge positions there as they stand: plain minimax.
            Slow, but what such a search of a depth says is all that there is to say. It looks into no endgame tables.
        tablebase: endgame tables to look into: a :class:`~yote_fast.tablebase.Tablebase`, the path of its folder, or None for none.
            ``"small"`` stands for the tables of all endgames with up to six pieces. They are made, in the user's cache folder, by
            the first analysis near them, which takes some seconds more; not for rules where that would take long.
        contempt: what endless play costs the engine in :meth:`play`, in hundredths of a piece, -1000 to 1000: how much it shuns
            repetitions. Analyses judge without it.

    An engine makes one search at a time, and says so where another is asked for; several engines can search side by side, in a
    thread each. As a context manager it closes itself.

    Raises:
        MemoryError: the table does not fit in memory.
        FileNotFoundError, TableFormatError: there are no endgame tables in the folder, or one is damaged.
    """

    def __init__(
        self,
        *,
        hash_mb: int = 64,
        threads: int = 1,
        full_width: bool = False,
        tablebase: Tablebase | str | PathLike[str] | None = SMALL,
        contempt: int = DEFAULT_CONTEMPT,
    ) -> None:
        check_int("hash_mb", hash_mb, 1, MAX_HASH_MB)
        check_int("threads", threads, 1, MAX_THREADS)
        check_int("contempt", contempt, -MAX_CONTEMPT, MAX_CONTEMPT)
        self._contempt = contempt
        self._searcher = Searcher(hash_mb, threads)
        self._threads = threads
        self._full_width = full_width
        self._endgames = EndgameSource(None if full_width else tablebase)
        self._busy = threading.Lock()
        self._closing = threading.Lock()
        self._closed = False
        self._caller: int | None = None

    @overload
    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: None = None,
        root_moves: Iterable[Move] | None = None,
        on_info: Callable[[Info], object] | None = None,
    ) -> Info: ...

    @overload
    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: int,
        root_moves: Iterable[Move] | None = None,
        on_info: Callable[[Info], object] | None = None,
    ) -> list[Info]: ...

    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        root_moves: Iterable[Move] | None = None,
        on_info: Callable[[Info], object] | None = None,
    ) -> Info | list[Info]:
        """Search deeper and deeper until a limit is reached, or the result is proven and cannot change.

        Args:
            board: the position, with the history that repetitions are judged by. It is not changed.
            limit: when to stop.
            multipv: how many of the best moves to find a line for; all, if there are fewer. The result is then a list of them, the
                best first, told apart by ``Info.multipv``.
            root_moves: the only moves to choose from; None for all legal ones.
            on_info: called for each line of each depth, and with each new bound on its score before (``Info.bound``). After a
                KeyboardInterrupt, which passes through, it has seen the best line so far.

        Raises:
            ValueError: the game is over, or there are no root moves.
            IllegalMoveError: a root move is not legal.
            TypeError: an argument has the wrong type.
            RuntimeError: the engine is already searching, or closed.
        """
        moves = _check(board, limit, multipv, root_moves)
        with self._alone():
            lines = self._deepening(board, limit, moves, multipv, 0).run(on_info)
        return lines[0] if multipv is None else lines

    def analysis(
        self, board: Board, limit: Limit | None = None, *, multipv: int | None = None, root_moves: Iterable[Move] | None = None
    ) -> Analysis:
        """Begin an analysis that runs on by itself, and tells what it finds as it goes.

        Arguments and errors are those of :meth:`analyse`; without a limit it goes on until it is stopped.

        >>> import yote_fast as yf
        >>> with yf.Engine(hash_mb=1) as engine, engine.analysis(yf.Board()) as analysis:
        ...     for info in analysis:
        ...         if info.depth == 5:
        ...             break
        """
        limit = Limit() if limit is None else limit
        moves = _check(board, limit, multipv, root_moves)
        self._begin()
        try:
            return Analysis(self._deepening(board, limit, moves, multipv, 0), self.stop, self._end)
        except BaseException:
            self._end()
            raise

    def play(self, board: Board, limit: Limit, *, on_info: Callable[[Info], object] | None = None) -> PlayResult:
        """The move to play, chosen with ``contempt``. Arguments and errors are those of :meth:`analyse`."""
        _check(board, limit, None, None)
        with self._alone():
            info = self._deepening(board, limit, None, None, self._contempt).run(on_info)[0]
        return PlayResult(info.pv[0], info)

    def stop(self) -> None:
        """Make the search that runs in another thread give up: its call returns what it has. Does nothing where none runs."""
        self._searcher.stop()

    def prepare(self, rules: Rules) -> None:
        """Get ready for games by some rules: read the endgame tables, or make them. An analysis does it if need be."""
        self._endgames.prepare(rules)

    def clear(self) -> None:
        """Forget all earlier searches. Raises RuntimeError while the engine is searching."""
        with self._alone():
            self._searcher.clear()

    def close(self) -> None:
        """Stop what runs, and give the memory back. Every further use but another ``close`` raises RuntimeError."""
        if self._searching_here():
            raise RuntimeError("an engine cannot be closed by what its own search calls")
        with self._closing:
            if self._closed:
                return
            while not self._busy.acquire(timeout=STOP_AGAIN_SECONDS):
                self._searcher.stop()
            try:
                self._searcher.close()
                self._closed = True
            finally:
                self._busy.release()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _deepening(self, board: Board, limit: Limit, moves: list[Move] | None, multipv: int | None, contempt: int) -> Deepening:
        endgames = self._endgames.for_board(board)
        return Deepening(self._searcher, self._threads, self._full_width, board, limit, endgames, moves, multipv or 1, contempt)

    def _begin(self) -> None:
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the engine is searching; several searches at once need an engine each")

    def _end(self) -> None:
        self._busy.release()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._begin()
        self._caller = threading.get_ident()
        try:
            yield
        finally:
            self._caller = None
            self._end()

    def _searching_here(self) -> bool:
        return self._caller == threading.get_ident()


class Analysis:
    """An analysis that runs in a thread of its own, from :meth:`Engine.analysis`.

    Iterating gives each :class:`Info` as it comes, and ends with the analysis. As a context manager it stops itself at the
    end. What goes wrong in the search is raised by the iteration and by :meth:`wait`.
    """

    def __init__(self, deepening: Deepening, stop: Callable[[], None], done: Callable[[], None]) -> None:
        self._deepening = deepening
        self._stop = stop
        self._done = done
        self._news: queue.SimpleQueue[Info | None] = queue.SimpleQueue()
        self._lines: list[Info] = []
        self._error: BaseException | None = None
        self._ending = threading.Lock()
        """Held so that a stop reaches this analysis, and not what its engine does next."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Info]:
        while (info := self._news.get()) is not None:
            yield info
        # For whoever iterates again.
        self._news.put(None)
        if self._error is not None:
            raise self._error

    @property
    def lines(self) -> list[Info]:
        """What is known now: the latest of each line, the best first; empty before the first."""
        return list(self._lines)

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._ended.is_set()

    def stop(self) -> None:
        """Make it end soon. Does nothing where it has ended."""
        with self._ending:
            if self.is_running():
                self._stop()

    def wait(self) -> list[Info]:
        """Wait until it has ended. Returns the lines, the best first; raises what went wrong in the search."""
        self._join()
        if self._error is not None:
            raise self._error
        return self.lines

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self._join()

    def _join(self) -> None:
        # Before Python 3.13 a thread counts as ended once Ctrl-C has broken off a wait for its end; an event does not.
        self._ended.wait()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._lines = self._deepening.run(self._hear)
        except BaseException as error:
            self._error = error
        finally:
            with self._ending:
                self._done()
                self._ended.set()
            self._news.put(None)

    def _hear(self, info: Info) -> None:
        self._lines[info.multipv - 1 : info.multipv] = [info]
        self._news.put(info)


def evaluate(board: Board) -> Score:
    """The score of a position as it stands, without any search: what an analysis judges the ends of its lines by.

    Raises:
        ValueError: the game is over.
    """
    _check(board, Limit(), None, None)
    return Score(static_score(board), board.turn)


@overload
def analyse(
    board: Board,
    limit: Limit,
    *,
    multipv: None = None,
    hash_mb: int = 64,
    threads: int = 1,
    tablebase: Tablebase | str | PathLike[str] | None = SMALL,
    on_info: Callable[[Info], object] | None = None,
) -> Info: ...


@overload
def analyse(
    board: Board,
    limit: Limit,
    *,
    multipv: int,
    hash_mb: int = 64,
    threads: int = 1,
    tablebase: Tablebase | str | PathLike[str] | None = SMALL,
    on_info: Callable[[Info], object] | None = None,
) -> list[Info]: ...


def analyse(
    board: Board,
    limit: Limit,
    *,
    multipv: int | None = None,
    hash_mb: int = 64,
    threads: int = 1,
    tablebase: Tablebase | str | PathLike[str] | None = SMALL,
    on_info: Callable[[Info], object] | None = None,
) -> Info | list[Info]:
    """Analyse one position with an engine of its own: see :meth:`Engine.analyse`.

    >>> import yote_fast as yf
    >>> info = yf.analyse(yf.Board("c5/2C3/6/6/6 w 1/0"), yf.Limit(depth=7))
    >>> print(info.score, info.pv[0])
    win in 7 c4-c5
    """
    with Engine(hash_mb=hash_mb, threads=threads, tablebase=tablebase) as engine:
        if multipv is None:
            return engine.analyse(board, limit, on_info=on_info)
        return engine.analyse(board, limit, multipv=multipv, on_info=on_info)


def _checked_root_moves(board: Board, root_moves: Iterable[Move]) -> list[Move]:
    moves = list(dict.fromkeys(root_moves))
    for move in moves:
        if move not in board.legal_moves:
            raise IllegalMoveError(f"root move {move} is not legal in {board.yfen()}")
    if not moves:
        raise ValueError("there are no root moves to choose from")
    return moves


def _check(board: Board, limit: Limit, multipv: int | None, root_moves: Iterable[Move] | None) -> list[Move] | None:
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {type(board).__name__}")
    if not isinstance(limit, Limit):
        raise TypeError(f"limit must be a Limit, not {type(limit).__name__}")
    if board.is_game_over():
        raise ValueError(f"the game is over ({board.result()}): there is no move to look for in {board.yfen()}")
    if multipv is not None:
        check_int("multipv", multipv, 1, MAX_MULTIPV)
    return None if root_moves is None else _checked_root_moves(board, root_moves)
