"""Which endgame tables an analysis looks into, and what it does with them outside of the search."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from .core import Board, LoadedTables, Move
from .rules import Rules
from .score import PROVEN_VALUE, WIN_VALUE

if TYPE_CHECKING:
    from .tablebase import Tablebase
    from .tablebase.conversion import Conversions

SMALL = "small"
REACH = 12
"""Pieces of both sides together, up to which an analysis meets endgames often enough for tables to be worth making."""
MAX_MEMORY_MB = 1024
"""Of a tablebase's values in memory. The largest slices are left out beyond it."""
MAX_CELLS = 1 << 22
"""Of slices that are solved for the way to the next conversion: in a second."""


@dataclass(frozen=True)
class Endgames:
    """Tables in memory."""

    tables: LoadedTables
    pieces: int
    """The most pieces of both sides together to ask them about."""
    conversions: Conversions | None = None
    """Where there may be no distances: the way to the next conversion."""

    def for_root(self, board: Board, moves: list[Move]) -> tuple[Endgames, list[Move]]:
        """What a search from a position may ask them, and the moves that it should choose from.

        Where the tables know no distance, but who wins, a search would have no reason to go on to the end. So it chooses from the
        moves that keep the value, and looks for the next loss of pieces, below which it may ask again. Of moves that win they are
        those nearest to the next conversion.
        """
        value = self.tables.probe(board)
        if value is None or self.tables.has_distances(board):
            return self, moves
        keeping = [move for move in moves if (after := self._after(board, move)) is None or after == value]
        if value > 0 and keeping:
            keeping = self._nearest(board, keeping)
        return Endgames(self.tables, count_pieces(board) - 1, self.conversions), keeping or moves

    def _nearest(self, board: Board, moves: list[Move]) -> list[Move]:
        if self.conversions is None or len(moves) == 1:
            return moves
        try:
            return self.conversions.nearest(board, moves)
        except KeyError:
            # A slice below was left out, for lack of memory.
            return moves

    def _after(self, board: Board, move: Move) -> int | None:
        """The value of a move for the side that makes it: 1, 0 or -1; None where it is not known."""
        value = self.tables.probe(child := _child(board, move))
        if value is None:
            return None
        return ((value > 0) - (value < 0)) * (1 if child.turn == board.turn else -1)

    def lengthened(self, board: Board, pv: list[Move], score: int) -> list[Move]:
        """A line to a proven win or loss, led on from where the search left it to the tables, to the end of the game."""
        plies = WIN_VALUE - abs(score)
        if abs(score) <= PROVEN_VALUE or len(pv) >= plies:
            return pv
        board = board.copy(stack=False)
        for move in pv:
            board.push(move)
        line = list(pv)
        while len(line) < plies and (best := self._best(board)) is not None:
            board.push(best)
            line.append(best)
        return line

    def _best(self, board: Board) -> Move | None:
        """A move to the child whose distance is one less."""
        value = self.tables.probe(board)
        if not value or not self.tables.has_distances(board):
            return None
        for move in board.legal_moves:
            child = _child(board, move)
            after = self.tables.probe(child)
            if after is None:
                continue
            after = after if child.turn == board.turn else -after
            if after == value - (1 if value > 0 else -1):
                return move
        return None


def count_pieces(board: Board) -> int:
    """Of both sides, on the board and in hand, royals included."""
    white, black = board.white.bit_count() + board.hand(True), board.black.bit_count() + board.hand(False)
    return white + black + board.royal_in_hand(True) + board.royal_in_hand(False)


def _child(board: Board, move: Move) -> Board:
    child = board.copy(stack=False)
    child.push(move)
    return child


class EndgameSource:
    """Where an engine has its tables from.

    Args:
        tablebase: ``"small"`` for those of :mod:`yote_fast.tablebase.small`, a :class:`~yote_fast.tablebase.Tablebase` or the path
            of its folder, or None for no tables.
    """

    def __init__(self, tablebase: Tablebase | str | PathLike[str] | None) -> None:
        self._small = tablebase == SMALL
        self._given: Endgames | None = None
        if tablebase is not None and not self._small:
            self._given = _load(tablebase)

    def prepare(self, rules: Rules) -> Endgames | None:
        """The tables for some rules; None where there are none. The small ones may take seconds, the first time."""
        if self._small:
            from .tablebase.small import PIECES, small_tables

            tables = small_tables(rules)
            return None if tables is None else Endgames(tables, PIECES)
        return self._given if self._given is not None and self._given.tables.fits(rules) else None

    def for_board(self, board: Board) -> Endgames | None:
        """The tables for an analysis of a position. Small ones are made only where they may matter soon."""
        if self._small and count_pieces(board) > REACH:
            return None
        return self.prepare(board.rules)


def _load(source: Tablebase | str | PathLike[str]) -> Endgames:
    from .tablebase import Tablebase
    from .tablebase.conversion import Conversions

    if isinstance(source, Tablebase):
        tables = source.load_all(MAX_MEMORY_MB)
    else:
        with Tablebase(source) as opened:
            tables = opened.load_all(MAX_MEMORY_MB)
    return Endgames(tables, tables.most_pieces, Conversions(tables.rules, lambda _: tables, MAX_CELLS))
