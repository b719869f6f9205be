"""Exact values: is a position won, drawn or lost, in how many plies, and by which line."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from .checks import MAX_HASH_MB, check_int
from .core import Board, Graph, Move, Prover
from .limit import Limit

if TYPE_CHECKING:
    from . import tablebase

Method = Literal["auto", "graph", "search", "tables"]

MAX_PLIES = 127
"""The longest win that a search can look for."""
DEFAULT_MEMORY_MB = 2048
DEFAULT_SEARCH_NODES = 10_000_000
"""Of a search that has no limit."""

_SMALL_GRAPH = 500_000
"""Classes of positions that a graph is built of without a second thought, in a few seconds."""
_FIRST_LOOK = 200_000
"""Nodes of a search for a quick win before a larger graph is built."""
_HOPEFUL = 8
"""Play reaches a part of the positions that could stand on the board: a graph is tried up to so many times the memory."""
_BYTES_PER_CLASS = 30
_SLICE = 0.25
"""Seconds between two looks at the progress."""


class Value(enum.IntEnum):
    """The value of a position for the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    def __str__(self) -> str:
        return self.name.lower()


WIN, DRAW, LOSS = Value.WIN, Value.DRAW, Value.LOSS


@dataclass(frozen=True)
class Result:
    """The proved value of a position or of a move, for the side to move, and the plies to the end (0 for a draw)."""

    value: Value
    distance: int | None
    """None where only the value is proved."""

    def __str__(self) -> str:
        return str(self.value) if self.value == DRAW or self.distance is None else f"{self.value} in {self.distance}"


@dataclass(frozen=True)
class Counts:
    """All positions that play can reach, both sides to move told apart and no symmetry taken off."""

    positions: int
    wins: int
    """For the side to move."""
    draws: int
    losses: int
    longest_win: int | None
    """Plies; -1 if there is none, None if it was not asked for."""
    longest_loss: int | None


@dataclass(frozen=True)
class Progress:
    """How far a solution has come."""

    phase: str
    """``"exploring"`` and then ``"solving"`` the graph, or ``"searching"``."""
    positions: int
    """Of the graph so far; positions that are the same by symmetry count as one. 0 in a search."""
    solved: int
    """How many of them are decided."""
    plies: int
    """Of a search: it looks for wins within so many plies."""
    nodes: int
    """Positions visited by this graph or search."""
    seconds: float
    """Since the beginning."""


@dataclass(frozen=True)
class Solution:
    """What was proved about a position."""

    value: Value | None
    """``WIN``, ``DRAW`` or ``LOSS`` for the side to move; None if nothing was proved."""
    distance: int | None
    """Plies to the end if both sides play their best; 0 for a draw, None where it was not proved."""
    pv: list[Move]
    """A line of best play to the end. Of a draw, one move that holds it."""
    method: Literal["rules", "tablebase", "graph", "search", "tables", "none"]
    """What proved it."""
    reason: str | None = None
    """Why nothing was proved."""
    moves: dict[Move, Result] = field(default_factory=dict)
    """Each legal move with its value for the side to move, and the plies to the end, the move included; the best first.
    Empty where not all are known."""
    counts: Counts | None = None
    """Of the graph, if it was solved. Where tables solved a game, of all positions with numbers of pieces that play can reach, and
    positions that differ in nothing but the colours count once."""
    nodes: int = 0
    """Positions visited."""
    time: float = 0.0
    """Seconds."""

    def __str__(self) -> str:
        if self.value is None:
            return f"not proved: {self.reason}"
        line = " ".join(map(str, self.pv))
        return f"{Result(self.value, self.distance)}{': ' * bool(line)}{line}"


class Tablebase(Protocol):
    """What :func:`solve` asks of a tablebase: the value for the side to move and the plies to the end, or the default."""

    def get_wdl(self, board: Board, default: None) -> int | None:
        """1, 0 or -1: a win, draw or loss for the side to move."""
        ...

    def get_dtw(self, board: Board, default: None) -> int | None:
        """Plies to the end: positive for a win, negative for a loss, 0 for a draw."""
        ...


def solve(
    board: Board,
    *,
    limit: Limit | None = None,
    method: Method = "auto",
    tablebase: Tablebase | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: Callable[[Progress], object] | None = None,
) -> Solution:
    """The exact value of a position in the theory of the game, where endless play is a draw.

    >>> import yote_fast as yf
    >>> solution = yf.solve(yf.Board("c5/2C3/6/6/6 w 1/0"))
    >>> print(solution)
    win in 7: c4-c5 a5-a4 @a2 a4-b4 a2-a3 b4-c4 c5xc3
    >>> solution.value is yf.WIN, solution.counts.positions
    (True, 25721)

    A value is a proof: tables hold whole positions, and no limit or lack of memory makes anything but ``value is None``.

    Args:
        board: the position; it is not changed. Its history does not count.
        limit: when to give up. Nodes count positions visited, in all. ``limit.depth`` bounds the wins that a search looks for,
            not the graph. Without any limit a search ends after 10 million nodes; a graph is limited by memory.
        method: ``"graph"``: all positions that play can reach, solved from their ends back; it proves every value, draws too,
            if they fit in memory. ``"search"``: a search for forced wins and losses, which needs no such memory but proves no
            draw. ``"tables"``: endgame tables of all that a game can reach, for start positions, built in a folder for the time
            being; the fastest way to whole small boards, but for rules with trade routes, chains, bonus turns, royals or passes.
            Only a game that is won or lost has distances then.
            ``"auto"``: the graph, unless it would be large; then tables, where they can be had; before a large graph, and after
            one that was too large, a search.
        tablebase: asked for the position first; see :class:`Tablebase`.
        memory_mb: mebibytes for the graph, or for the table of the search. They are taken as they are needed.
        progress: called a few times a second.

    Raises:
        ValueError: an argument is out of its bounds.
        TypeError: an argument has the wrong type.
        MemoryError: the system has less memory than ``memory_mb``.
    """
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {type(board).__name__}")
    if limit is not None and not isinstance(limit, Limit):
        raise TypeError(f"limit must be a Limit, not {type(limit).__name__}")
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}, not {method!r}")
    check_int("memory_mb", memory_mb, 1, MAX_HASH_MB)
    return _Solver(board.copy(stack=False), limit or Limit(), memory_mb, progress).run(method, tablebase)


class _LimitReachedError(Exception):
    """Ends a build of tables."""


class _Solver:
    """One call of :func:`solve`."""

    def __init__(self, board: Board, limit: Limit, memory_mb: int, progress: Callable[[Progress], object] | None) -> None:
        self.board = board
        self.limit = limit
        self.memory_mb = memory_mb
        self.progress = progress
        self.started = time.perf_counter()
        self.nodes = 0
        self.reasons: list[str] = []

    def run(self, method: Method, tablebase: Tablebase | None) -> Solution:
        solution = self._ended() or self._in_tablebase(tablebase)
        for step in [] if solution else self._plan(method):
            solution = step()
            if solution or self._spent():
                break
        return solution or self._solution(None, None, [], "none", reason="; ".join(self.reasons))

    def _plan(self, method: Method) -> list[Callable[[], Solution | None]]:
        """What to try, in order."""
        if method == "graph":
            return [self._graph]
        if method == "search":
            return [self._search]
        if method == "tables":
            return [self._tables]
        # Here, for most programs that import the package solve nothing.
        from .graph_size import most_classes

        classes = most_classes(self.board)
        if classes <= _SMALL_GRAPH:
            return [self._graph, self._search]
        if self._can_use_tables():
            return [self._tables, self._search]
        if classes * _BYTES_PER_CLASS <= _HOPEFUL * (self.memory_mb << 20):
            return [self._first_look, self._graph, self._search]
        self.reasons.append(f"there can be {classes:.1e} positions, too many for a graph in {self.memory_mb:,} MB")
        return [self._search]

    # What is known without work ---------------------------------------------------------------------------------------------

    def _ended(self) -> Solution | None:
        outcome = self.board.outcome()
        if outcome is None:
            return None
        value = DRAW if outcome.winner is None else WIN if outcome.winner == self.board.turn else LOSS
        return self._solution(value, 0, [], "rules")

    def _in_tablebase(self, tablebase: Tablebase | None) -> Solution | None:
        if tablebase is None:
            return None

        probe = _prober(tablebase)
        found = probe(self.board)
        if found is None:
            return None
        return self._with_moves(found, probe, "tablebase")

    # Tables of the whole game -----------------------------------------------------------------------------------------------

    def _can_use_tables(self) -> bool:
        from .tablebase.whole import can_build

        return self.board == Board(rules=self.board.rules) and can_build(self.board.rules, self.memory_mb)

    def _tables(self) -> Solution | None:
        from .tablebase.whole import counts_of, whole_game

        if not self._can_use_tables():
            self.reasons.append(f"tables solve games from the start, of simple rules, that fit in {self.memory_mb:,} MB")
            return None
        # Without distances it takes less than half the time, and a draw needs none.
        metrics: tuple[tablebase.Metric, ...] = ("wdl", "dtw")
        for metric in metrics:
            try:
                with whole_game(self.board.rules, metric, self.memory_mb, self._note_tables) as tables:
                    probe = _prober(tables)
                    found = probe(self.board)
                    if found is not None and (found.value == DRAW or metric == "dtw"):
                        return self._with_moves(found, probe, "tables", _counts_of_slices(counts_of(tables), metric))
            except _LimitReachedError:
                self.reasons.append("the limit was reached while the tables were built")
                break
        return None

    def _note_tables(self, progress: tablebase.Progress) -> None:
        self.nodes = progress.cells
        if self._spent():
            raise _LimitReachedError
        self._report("solving", progress.all_cells, progress.cells, 0, progress.cells)

    # The graph --------------------------------------------------------------------------------------------------------------

    def _graph(self) -> Solution | None:
        graph = Graph(self.board, self.memory_mb, self._seconds_left(), self._nodes_left())
        before = self.nodes
        while (ended := graph.run(_SLICE)) is None:
            self._report(graph.phase, graph.classes, graph.solved, 0, graph.nodes)
        self.nodes = before + graph.nodes
        if ended != "solved":
            why = f"the graph did not fit in {self.memory_mb:,} MB" if ended == "memory" else "the limit was reached in the graph"
            self.reasons.append(f"{why}, at {graph.classes:,} positions up to symmetry")
            return None

        def probe(board: Board) -> Result | None:
            found = graph.probe(board)
            return None if found is None else Result(Value(found[0]), found[1])

        root = probe(self.board)
        assert root is not None, "the root is the first position of its graph"
        return self._with_moves(root, probe, "graph", Counts(*graph.tally()))

    def _with_moves(
        self,
        root: Result,
        probe: Callable[[Board], Result | None],
        method: Literal["tablebase", "graph", "tables"],
        counts: Counts | None = None,
    ) -> Solution:
        """The solution of a position whose children, too, can be looked up."""
        moves = _results_of_moves(self.board, probe)
        pv: list[Move] = []
        board = self.board.copy()
        best = moves
        while best and len(pv) < max(1, root.distance or 0):
            pv.append(next(iter(best)))
            board.push(pv[-1])
            best = _results_of_moves(board, probe)
        return self._solution(root.value, root.distance, pv, method, moves=moves, counts=counts)

    # The search -------------------------------------------------------------------------------------------------------------

    def _first_look(self) -> Solution | None:
        found = self._search(_FIRST_LOOK)
        if found is None and not self._spent():
            # Not the last word.
            self.reasons.pop()
        return found

    def _search(self, most_nodes: int | None = None) -> Solution | None:
        limits = [nodes for nodes in (self._nodes_left(), most_nodes) if nodes]
        if not limits and self.limit == Limit():
            limits = [DEFAULT_SEARCH_NODES]
        prover = Prover(self.board, self.memory_mb, self._seconds_left(), min(limits, default=0))
        before = self.nodes
        plies = 0
        try:
            for plies in range(1, (self.limit.depth or MAX_PLIES) + 1):
                for value in (WIN, LOSS):
                    proved = self._ask(prover, value == WIN, plies)
                    if proved is None:
                        self.reasons.append(f"no win or loss within {plies - 1} plies; the limit was reached")
                        return None
                    if proved:
                        pv = _proved_line(prover, self.board, value, plies)
                        return self._solution(value, plies, pv, "search", nodes=before + prover.nodes)
        finally:
            self.nodes = before + prover.nodes
        self.reasons.append(f"no win or loss within {plies} plies")
        return None

    def _ask(self, prover: Prover, to_move: bool, plies: int) -> bool | None:
        if self.progress is None:
            return prover.ask(None, to_move, plies)
        # Here, for it would be a tenth of the package's import time.
        from concurrent.futures import ThreadPoolExecutor, wait

        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(prover.ask, None, to_move, plies)
            try:
                while not wait([answer], _SLICE).done:
                    self._report("searching", 0, 0, plies, prover.nodes)
            except BaseException:
                prover.stop()
                raise
        return answer.result()

    # Limits and results -----------------------------------------------------------------------------------------------------

    def _seconds(self) -> float:
        return time.perf_counter() - self.started

    def _seconds_left(self) -> float:
        """0 for no limit."""
        return max(1e-3, self.limit.time - self._seconds()) if self.limit.time else 0

    def _nodes_left(self) -> int:
        """0 for no limit."""
        return max(1, self.limit.nodes - self.nodes) if self.limit.nodes else 0

    def _spent(self) -> bool:
        """Whether a limit leaves nothing to try anything else with."""
        return bool(
            (self.limit.time and self._seconds() >= self.limit.time) or (self.limit.nodes and self.nodes >= self.limit.nodes)
        )

    def _report(self, phase: str, positions: int, solved: int, plies: int, nodes: int) -> None:
        if self.progress is not None:
            self.progress(Progress(phase, positions, solved, plies, nodes, self._seconds()))

    def _solution(
        self,
        value: Value | None,
        distance: int | None,
        pv: list[Move],
        method: Literal["rules", "tablebase", "graph", "search", "tables", "none"],
        *,
        reason: str | None = None,
        moves: dict[Move, Result] | None = None,
        counts: Counts | None = None,
        nodes: int | None = None,
    ) -> Solution:
        nodes = self.nodes if nodes is None else nodes
        return Solution(value, distance, pv, method, reason, moves or {}, counts, nodes, self._seconds())


def _prober(tables: Tablebase) -> Callable[[Board], Result | None]:
    def probe(board: Board) -> Result | None:
        wdl = tables.get_wdl(board, None)
        dtw = tables.get_dtw(board, None)
        return None if wdl is None else Result(Value(wdl), 0 if wdl == 0 else None if dtw is None else abs(dtw))

    return probe


def _counts_of_slices(counts: tablebase.Counts, metric: tablebase.Metric) -> Counts:
    none = -1 if metric == "dtw" else None
    longest = [none if plies is None else plies for plies in (counts.longest_win, counts.longest_loss)]
    return Counts(counts.positions, counts.wins, counts.draws, counts.losses, *longest)


def _results_of_moves(board: Board, probe: Callable[[Board], Result | None]) -> dict[Move, Result]:
    """The value of each move, the best first; nothing if one is not known."""
    results = {}
    for move in board.legal_moves:
        child = board.copy(stack=False)
        child.push(move)
        found = probe(child)
        if found is None:
            return {}
        value = found.value if child.turn == board.turn else Value(-found.value)
        plies = None if found.distance is None else found.distance + (value != DRAW)
        results[move] = Result(value, plies)
    return dict(sorted(results.items(), key=lambda item: _merit(item[1]), reverse=True))


def _merit(result: Result) -> tuple[int, int]:
    """Orders results, the better the higher: wins, the shorter the better, draws, then losses, the longer the better."""
    return result.value, -result.value * (result.distance or 0)


def _proved_line(prover: Prover, board: Board, value: Value, plies: int) -> list[Move]:
    """Best play from a position that is decided in exactly so many plies; shorter where a limit breaks it off."""
    line: list[Move] = []
    board = board.copy()
    while plies and board.legal_moves:
        for move in board.legal_moves:
            child = board.copy(stack=False)
            child.push(move)
            same = child.turn == board.turn
            # The move keeps the value, and ends no sooner or later than the best one.
            winner_to_move = (value == WIN) == same
            if prover.ask(child, winner_to_move, plies - 1) and not (
                plies > 1 and value == LOSS and prover.ask(child, winner_to_move, plies - 2)
            ):
                break
        else:
            break
        line.append(move)
        board = child
        value = value if same else Value(-value)
        plies -= 1
    return line
