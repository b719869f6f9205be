"""The way to the next conversion, where tables know who wins but not how soon.

A conversion is a move out of a pair of slices, by a drop or a capture, or the end of the game. The distance to it is solved for the
whole pair at once when a position first asks for it: retrograde analysis with distances over children without. A winner who always
makes a move that brings it nearer cannot go round in circles.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

from ..core import Board, LoadedTables, Move, PairSolver, slice_numbers
from ..rules import Rules
from .slices import Slice, children

POOL_MB = 16
MOST_PAIRS = 4
"""That are kept."""


class Conversions:
    """Distances to the next conversion. Safe in several threads.

    Args:
        rules: the rules of the tables.
        load: gives the tables, with wins, draws and losses, of slices.
        most_cells: of a pair of slices that is worth solving.
    """

    def __init__(self, rules: Rules, load: Callable[[Iterable[Slice]], LoadedTables], most_cells: int) -> None:
        self._rules = rules
        self._load = load
        self._most_cells = most_cells
        self._solved: OrderedDict[tuple[Slice, ...], LoadedTables] = OrderedDict()
        self._lock = threading.Lock()

    def nearest(self, board: Board, moves: Iterable[Move]) -> list[Move]:
        """Of moves that all win, those that win soonest as far as the next conversion; all of them where the pair is too large.

        Raises:
            MissingTableError: the table of a slice that the position's leads to is not there.
            KeyError: as before, where the tables are in memory.
        """
        plies = {move: self._plies(board, move) for move in moves}
        known = [found for found in plies.values() if found is not None]
        return [move for move, found in plies.items() if found == min(known, default=None)]

    def _plies(self, board: Board, move: Move) -> int | None:
        """From a move to the conversion after it; 0 for a move that is one."""
        child = board.copy(stack=False)
        child.push(move)
        numbers, after = slice_numbers(board), slice_numbers(child)
        assert numbers is not None
        pair = Slice(*numbers).pair
        if after is None or Slice(*after) not in pair:
            return 0
        solved = self._solve(pair)
        value = None if solved is None else solved.probe(child)
        return None if value is None else abs(value)

    def _solve(self, pair: tuple[Slice, ...]) -> LoadedTables | None:
        if sum(slice_.cells(self._rules) for slice_ in pair) > self._most_cells:
            return None
        with self._lock:
            if pair not in self._solved:
                needed = {child for slice_ in pair for child in children(self._rules, slice_)}
                solved = LoadedTables(self._rules)
                for table in PairSolver(self._load(needed), pair[0], True, 1, POOL_MB).solve(lambda work: work(0)) or []:
                    solved.add(table)
                self._solved[pair] = solved
                if len(self._solved) > MOST_PAIRS:
                    self._solved.popitem(last=False)
            self._solved.move_to_end(pair)
            return self._solved[pair]
