"""Iterative deepening: one analysis, from its first ply to its last, and what it tells on the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import takewhile
from types import TracebackType

from .core import Board, Move, Searcher
from .endgames import Endgames
from .limit import MAX_DEPTH, Limit
from .notation import HAND
from .score import PROVEN_VALUE, Score

INFINITE = 32000
"""Beyond every score."""
FIRST_WINDOW = 25
"""How far from the score of the depth before the next one is looked for at first."""
WIDEST_WINDOW = 500
ASPIRATION_DEPTH = 5
"""Scores of depths before this say too little of the next one's."""


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
    """Positions visited, by all threads together."""
    time: float
    """Seconds."""
    hashfull: int
    """How full the transposition table is, in thousandths."""
    tbhits: int = 0
    """Positions found in endgame tables."""
    multipv: int = 1
    """Which of several lines this is, the best being 1."""
    bound: str | None = None
    """``"lower"`` or ``"upper"`` where the score is only a bound so far: the search of the depth goes on."""

    @property
    def nps(self) -> int:
        """Positions visited a second."""
        return round(self.nodes / self.time) if self.time > 0 else 0

    def __str__(self) -> str:
        line = " ".join(map(str, self.pv))
        score = "no score" if self.score is None else str(self.score)
        bound = {"lower": "at least ", "upper": "at most ", None: ""}[self.bound]
        return f"depth {self.depth}, {bound}{score}, {self.nodes:,} nodes in {self.time:.2f} s: {line}"


class Deepening:
    """An analysis that has begun: the searcher stands at its position, and can be stopped from now on."""

    def __init__(
        self,
        searcher: Searcher,
        threads: int,
        full_width: bool,
        board: Board,
        limit: Limit,
        endgames: Endgames | None,
        root_moves: list[Move] | None,
        multipv: int,
        contempt: int,
    ) -> None:
        self._started = time.perf_counter()
        self._searcher = searcher
        self._threads = threads
        self._full_width = full_width
        self._board = board.copy(stack=False)
        self._limit = limit
        moves = list(board.legal_moves)
        self._moves = moves if root_moves is None else root_moves
        self._endgames = endgames
        if endgames is not None:
            endgames, self._moves = endgames.for_root(board, self._moves)
        self._restricted = len(self._moves) < len(moves)
        self._multipv = min(multipv, len(self._moves))
        self._on_info: Callable[[Info], object] | None = None
        self._lines: list[Info] = []
        seconds, nodes = limit.seconds(board.turn) or 0, limit.nodes or 0
        tables, pieces = (None, 0) if endgames is None else (endgames.tables, endgames.pieces)
        searcher.start(board, seconds, nodes, full_width, tables, pieces, contempt)

    def run(self, on_info: Callable[[Info], object] | None) -> list[Info]:
        """The lines of the deepest depth reached, the best first. ``on_info`` hears of each line and bound on the way."""
        self._on_info = on_info
        # The first ply alone, for helpers could use up the limit before there is a move at all.
        if self._goes_on_after(1):
            with _Helpers(self._searcher, self._threads) if self._threads > 1 else _NO_HELPERS:
                for depth in range(2, self._limit.plies + 1):
                    if not self._goes_on_after(depth):
                        break
        if not self._lines:
            # Stopped within the first ply: any move is better than none.
            return [self._info(None, self._moves[:1], 0, 1)]
        return [replace(line, nodes=self._searcher.nodes, time=self._seconds()) for line in self._lines]

    def _goes_on_after(self, depth: int) -> bool:
        return self._deepen(depth) and not self._is_final(depth)

    def _deepen(self, depth: int) -> bool:
        """Find the lines of one depth; False if a limit broke it off."""
        found = self._settled(depth)
        taken = {line.pv[0] for line in found}
        while len(found) < self._multipv:
            choice = [move for move in self._moves if move not in taken] if self._restricted or taken else None
            value, pv = self._search(depth, len(found), choice)
            if value is None:
                if self._multipv == 1 and pv and self._lines:
                    # What was found before the break is at least as good as the move of the depth before, which came first.
                    self._lines[0] = replace(self._lines[0], pv=pv)
                break
            found = self._ranked(found, self._info(value, pv, depth, len(found) + 1))
            taken.add(pv[0])
        older = [line for line in self._lines if line.pv[0] not in taken]
        lines = (found + older)[: self._multipv]
        self._lines = [replace(line, multipv=number) for number, line in enumerate(lines, 1)]
        return len(found) == self._multipv

    def _settled(self, depth: int) -> list[Info]:
        """The first of the lines, as far as the depth before has proven all there is to say of them.

        To search them again could only lose that: a proof that takes too many nodes is given up.
        """
        lines = takewhile(lambda line: _is_settled(line, depth - 1), self._lines)
        settled = [replace(line, depth=depth, nodes=self._searcher.nodes, time=self._seconds()) for line in lines]
        for line in settled:
            self._tell(line)
        return settled

    def _ranked(self, found: list[Info], line: Info) -> list[Info]:
        """Lines with another one in its place, told together with those that come after it now.

        The search guesses, so the best of the moves left can come out above one that it was found to be below before.
        """
        place = sum(_value(other) >= _value(line) for other in found)
        lines = [*found[:place], line, *found[place:]]
        lines = [replace(other, multipv=number) for number, other in enumerate(lines, 1)]
        for other in lines[place:]:
            self._tell(other)
        return lines

    def _search(self, depth: int, line: int, choice: list[Move] | None) -> tuple[int | None, list[Move]]:
        """The score and line of one depth, looked for in a window around those of the depth before that widens until the score lies
        within it (aspiration search)."""
        alpha, beta, width = -INFINITE, INFINITE, FIRST_WINDOW
        before = self._lines[line].score if line < len(self._lines) else None
        expected = 0 if before is None else before.value
        if depth >= ASPIRATION_DEPTH and abs(expected) < PROVEN_VALUE:
            alpha, beta = expected - width, expected + width
        while True:
            value, pv = self._searcher.iterate(depth, alpha, beta, choice)
            within = value is not None and alpha < value < beta
            if value is not None and within and not self._full_width:
                # A full-width search has seen all there is within the depth already.
                value, pv = self._searcher.prove(depth, value)
            pv = _begun_by_choice(pv, choice)
            if value is None or within:
                return value, pv
            width *= 3
            if value <= alpha:
                alpha = value - width if width < WIDEST_WINDOW else -INFINITE
                self._tell(replace(self._info(value, pv or self._lines[line].pv, depth, line + 1), bound="upper"))
            else:
                beta = value + width if width < WIDEST_WINDOW else INFINITE
                self._tell(replace(self._info(value, pv, depth, line + 1), bound="lower"))

    def _is_final(self, depth: int) -> bool:
        """Whether more depth cannot change anything, as all is proven within the depth, or is not wanted."""
        wanted, score = self._limit.win_in, self._lines[0].score
        if wanted is not None and score is not None and score.win_in is not None and score.win_in <= wanted:
            return True
        return all(_is_settled(line, depth) for line in self._lines)

    def _tell(self, info: Info) -> None:
        if self._on_info is not None:
            self._on_info(info)

    def _info(self, value: int | None, pv: list[Move], depth: int, number: int) -> Info:
        searcher = self._searcher
        score = None if value is None else Score(value, self._board.turn)
        if value is not None and self._endgames is not None:
            pv = self._endgames.lengthened(self._board, pv, value)
        return Info(
            score, pv, depth, searcher.seldepth, searcher.nodes, self._seconds(), searcher.hashfull(), searcher.tbhits, number
        )

    def _seconds(self) -> float:
        return time.perf_counter() - self._started


def _is_settled(line: Info, depth: int) -> bool:
    """Whether a search of a depth has found a line that no deeper one can better."""
    return line.score is not None and depth >= (line.score.win_in or line.score.loss_in or MAX_DEPTH)


def _value(line: Info) -> int:
    return -INFINITE if line.score is None else line.score.value


def _begun_by_choice(pv: list[Move], choice: list[Move] | None) -> list[Move]:
    """The line with a first move that was to choose from.

    The search tells moves apart by what they do to the position: of two chains that take the same pieces in another order it names
    the first legal one.
    """
    if choice is None or not pv or pv[0] in choice:
        return pv
    return [next(move for move in choice if _effect(move) == _effect(pv[0])), *pv[1:]]


def _effect(move: Move) -> tuple[object, ...]:
    hand_removals = sum(removals.count(HAND) for removals in move.action.removals)
    return move.action.kind, move.from_square, move.to_square, move.cleared, hand_removals


_NO_HELPERS: AbstractContextManager[object] = nullcontext()


class _Helpers(AbstractContextManager["_Helpers"]):
    """The other threads of an analysis."""

    def __init__(self, searcher: Searcher, threads: int) -> None:
        self._searcher = searcher
        self._threads = [threading.Thread(target=searcher.help, args=(number,), daemon=True) for number in range(1, threads)]

    def __enter__(self) -> _Helpers:
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    def _end(self) -> None:
        self._searcher.dismiss()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
