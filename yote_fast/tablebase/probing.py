"""Probing tables: values of positions, from files that are read as needed."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..checks import check_int
from ..core import Board, LoadedTables, Move, TableReader, position_at, slice_numbers
from ..rules import Rules
from .conversion import Conversions
from .errors import MissingTableError, TableFormatError, WrongRulesError
from .files import METRICS, Counts, Metric, TableFile, find_tables
from .slices import Slice, children, table_rules

Default = TypeVar("Default")
Numbers = NDArray[np.integer[Any]] | NDArray[np.bool_]
Values = NDArray[np.int8]
SliceNumbers = tuple[int, int, int, int, int, int, bool]

CELLS_PER_CHECK = 1 << 16
MOST_CELLS = 1 << 25
"""Of a pair of slices that is solved for the way to the next conversion: that takes seconds, and 5 bytes a cell."""
POSITIONS_AT_ONCE = 1 << 16
"""Of a bulk probe, between two chances for other threads."""


@dataclass(frozen=True)
class Mismatch:
    """A value that is not what the values of its successors make it."""

    slice: Slice
    yfen: str
    found: int
    """0 a draw, n + 1 a win in n, minus n - 1 a loss in n; without distances 1 and -1."""
    expected: int | None
    """None if the value of a successor is not known."""


class Tablebase(TableReader):
    """Tables in one or more folders, open for probing.

    Files are opened when a position first asks for them, and the blocks that were last read stay in memory. Probing is safe in
    several threads at once. A context manager.

    Values are those of the theory of the game: they do not know a game's history, and endless play is a draw.

    Args:
        path: a folder with tables, as :func:`build` makes it.
        more: other folders with tables of the same rules; where two have a slice, the first counts.
        cache_mb: mebibytes for blocks in memory.

    Raises:
        FileNotFoundError: a folder is not there, or there is no table in any.
        TableFormatError: a file is not a table, of another version, or damaged.
        WrongRulesError: the folders have tables of different rules.
    """

    def __init__(self, path: str | os.PathLike[str], *more: str | os.PathLike[str], cache_mb: int = 128) -> None:
        check_int("cache_mb", cache_mb, 1, 1 << 20)
        self._paths: dict[tuple[Slice, Metric], Path] = {}
        for folder in map(Path, (path, *more)):
            if not folder.exists():
                raise FileNotFoundError(f"there is no folder {folder}")
            for slice_, metric, file in find_tables(folder):
                self._paths.setdefault((slice_, metric), file)
        if not self._paths:
            raise FileNotFoundError(f"there are no tables in {', '.join(map(str, (path, *more)))}")
        self._files: dict[tuple[Slice, Metric], TableFile] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._rules_text = ""
        # The first file tells the rules; each of the others must have the same.
        self._rules_text = self._file(next(iter(self._paths))).header.rules
        self.rules = Rules.parse(self._rules_text)
        """The rules of the tables. Pieces at the start and repetition do not count: values do not depend on them."""
        super().__init__(self.rules, cache_mb << 20)
        self._conversions = Conversions(self.rules, self.load, MOST_CELLS)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close all files. Probing then raises ValueError."""
        with self._lock:
            self._closed = True
            super().close()
            for file in self._files.values():
                file.close()
            self._files.clear()

    def __repr__(self) -> str:
        return f"<Tablebase of {self.rules}: {len(self.slices)} slices>"

    @property
    def slices(self) -> list[Slice]:
        """The slices that there are tables of, smaller ones first."""
        return sorted({slice_ for slice_, _ in self._paths}, key=lambda slice_: (slice_.order, slice_))

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that there are tables with: ``"wdl"``, ``"dtw"``."""
        return [metric for metric in METRICS if any(metric == other for _, other in self._paths)]

    def has(self, slice_: Slice, metric: Metric) -> bool:
        """Whether there is a table of a slice."""
        return (slice_, metric) in self._paths

    def counts(self, slice_: Slice, metric: Metric | None = None) -> Counts:
        """How many positions of a slice are won, drawn and lost, and the longest win and loss.

        Args:
            slice_: the slice.
            metric: of the table to ask; None for the one that tells more.

        Raises:
            MissingTableError: there is no table of it.
        """
        return self._table(slice_, ("dtw", "wdl") if metric is None else (metric,)).header.counts

    def longest(self, slice_: Slice) -> tuple[str | None, str | None]:
        """Positions that show a slice's longest win and its longest loss, as YFEN with White to move.

        None where there is none, or no table with distances. Reads all of the table.

        Raises:
            TableFormatError: the file is damaged.
        """
        if not self.has(slice_, "dtw"):
            return None, None
        file = self._table(slice_, ("dtw",))
        counts = file.header.counts
        return (
            None if counts.longest_win is None else self._first(file, counts.longest_win + 1),
            None if counts.longest_loss is None else self._first(file, -counts.longest_loss - 1),
        )

    def _first(self, file: TableFile, value: int) -> str:
        """The first position with a value."""
        header = file.header
        for number in range(len(header.checksums)):
            places = np.flatnonzero(np.frombuffer(file.block(number), dtype="<i2") == value)
            if places.size:
                cell = (number * header.block_bytes) // 2 + int(places[0])
                return position_at(self.rules, header.slice, *divmod(cell, header.cols))
        if header.constant != value:
            raise TableFormatError(f"{file.path}: no position has the longest win or loss that its header tells of")
        return position_at(self.rules, header.slice, 0, 0)

    def file_size(self, slice_: Slice, metric: Metric) -> int:
        """The bytes of a slice's file."""
        return self._table(slice_, (metric,)).header.offsets[-1]

    # One position -----------------------------------------------------------------------------------------------------------------

    def get_wdl(self, board: Board, default: Default) -> int | Default:
        """As :meth:`probe_wdl`, but ``default`` where there is no table, as for boards of other rules."""
        try:
            return self.probe_wdl(board)
        except (MissingTableError, WrongRulesError):
            return default

    def get_dtw(self, board: Board, default: Default) -> int | Default:
        """As :meth:`probe_dtw`, but ``default`` where there is no table, as for boards of other rules."""
        try:
            return self.probe_dtw(board)
        except (MissingTableError, WrongRulesError):
            return default

    def probe_moves(self, board: Board) -> dict[Move, int]:
        """The value of each legal move, the best first, for the side that makes it.

        1 wins, 0 draws, -1 loses. Where there are distances, moves of equal value are in order of them: a winner's soonest win
        first, a loser's latest loss.

        Raises:
            As :meth:`probe_wdl`.
        """
        return {move: (value > 0) - (value < 0) for move, value in self._values_of_moves(board)[0]}

    def best_moves(self, board: Board) -> list[Move]:
        """The moves that keep the position's value; with distances, those of them that win soonest or lose latest.

        Without distances a won position's best moves are those that are nearest to the next drop, capture or end of the game: who
        always makes one of them wins, and does not go round in circles. The first such call for a slice solves it, up to some
        seconds; of slices too large for that, all moves that win are given. Empty if the game is over.

        Raises:
            As :meth:`probe_wdl`.
        """
        values, exact = self._values_of_moves(board)
        best = [move for move, value in values if value == values[0][1]]
        if not values or exact or values[0][1] <= 0:
            return best
        return self._conversions.nearest(board, best)

    def _values_of_moves(self, board: Board) -> tuple[list[tuple[Move, int]], bool]:
        """The value of each move, the best first, and whether they have distances."""
        self._check_rules(board)
        boards = []
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            boards.append((move, after))
        # Values with distances compare only with each other.
        numbers = [slice_numbers(after) for _, after in boards]
        exact = all((Slice(*found), "dtw") in self._paths for found in numbers if found is not None)
        values = []
        for move, after in boards:
            value = self._probe(after, exact)
            if not exact:
                value = (value > 0) - (value < 0)
            values.append((move, value if after.turn == board.turn else -value))
        # A long loss is better than a short one, and the other way round with wins.
        return sorted(values, key=lambda entry: (-1 if entry[1] > 0 else entry[1] < 0, entry[1])), exact

    def _check_rules(self, board: Board) -> None:
        if str(table_rules(board.rules)) != self._rules_text:
            raise WrongRulesError(f"the board's rules are {board.rules}, those of the tables {self.rules}")

    # Many positions ---------------------------------------------------------------------------------------------------------------

    def probe_wdl_many(
        self,
        movers: Numbers,
        opponents: Numbers,
        mover_hands: Numbers,
        opponent_hands: Numbers,
        must_drop: Numbers | None = None,
        *,
        missing: int | None = None,
    ) -> Values:
        """The values of many positions at once, as :meth:`probe_wdl` gives them, for rules without royals.

        Args:
            movers: bitboards of the pieces of the side to move, of any shape.
            opponents: of the other side's pieces; like all that follow, of the same shape.
            mover_hands: pieces that the side to move has in hand.
            opponent_hands: and the other side.
            must_drop: whether the side to move must drop; None where it never must.
            missing: what to give for positions without a table; None to raise an error.

        Raises:
            MissingTableError: there is no table of a position's slice, and ``missing`` is None.
            ValueError: a position is impossible, or the shapes differ.
            WrongRulesError: the tables' rules have royals.
            TableFormatError: a file is damaged.
        """
        if self.rules.royal_caravan:
            raise WrongRulesError(f"positions of {self.rules} are more than pieces and hands; probe them one by one")
        given = [movers, opponents, mover_hands, opponent_hands, np.zeros_like(movers) if must_drop is None else must_drop]
        arrays = [np.ascontiguousarray(array, dtype=np.uint64) for array in given]
        if any(array.shape != arrays[0].shape for array in arrays):
            raise ValueError(f"the arrays have different shapes: {', '.join(str(array.shape) for array in arrays)}")
        movers, opponents, mover_hands, opponent_hands, drops = (array.ravel() for array in arrays)
        results = np.zeros(arrays[0].size, dtype=np.int8)
        where = np.zeros(arrays[0].size, dtype=np.uint64)
        obliged = (drops != 0).view(np.uint8)
        self._locate_many(self.rules, movers, opponents, mover_hands, opponent_hands, obliged, missing, where, results)
        # First what is in memory. Then the rest in the order of the blocks, so that each is read once.
        for load in (False, True):
            chosen = np.flatnonzero(where)
            if load:
                chosen = chosen[np.argsort(where[chosen], kind="stable")]
            for first in range(0, chosen.size, POSITIONS_AT_ONCE):
                self._look_up_many(where, chosen[first : first + POSITIONS_AT_ONCE], results, load)
        return results.reshape(arrays[0].shape)

    # Files ------------------------------------------------------------------------------------------------------------------------

    def _table(self, slice_: Slice, metrics: tuple[Metric, ...]) -> TableFile:
        for metric in metrics:
            if (slice_, metric) in self._paths:
                return self._file((slice_, metric))
        raise MissingTableError(f"there is no {' or '.join(metrics)} table of slice {slice_} of {self._rules_text}")

    def _file(self, key: tuple[Slice, Metric]) -> TableFile:
        with self._lock:
            if self._closed:
                raise ValueError("the tablebase is closed")
            file = self._files.get(key)
            if file is None:
                file = TableFile(self._paths[key])
                rules = file.header.rules
                if self._rules_text and rules != self._rules_text:
                    file.close()
                    raise WrongRulesError(f"{self._paths[key]} is of the rules {rules}, others are of {self._rules_text}")
                self._files[key] = file
            return file

    def _open(self, numbers: SliceNumbers, exact: bool) -> TableFile:
        return self._table(Slice(*numbers), ("dtw",) if exact else ("wdl", "dtw"))

    def _has(self, numbers: SliceNumbers) -> bool:
        return any((Slice(*numbers), metric) in self._paths for metric in METRICS)

    # All of it --------------------------------------------------------------------------------------------------------------------

    def load(self, slices: Iterable[Slice], metric: Metric = "wdl") -> LoadedTables:
        """Tables in memory, for probes from compiled code; two bits a value, sixteen with distances.

        Raises:
            MissingTableError: there is no table of one of the slices.
            MemoryError: they do not fit in memory.
            TableFormatError: a file is damaged.
        """
        loaded = LoadedTables(self.rules)
        for slice_ in slices:
            loaded.add(self._table(slice_, (metric,)).load(self.rules))
        return loaded

    def load_all(self, memory_mb: int) -> LoadedTables:
        """As many tables as fit into ``memory_mb`` mebibytes, small slices first; of each the one that tells most.

        Raises:
            MemoryError: they do not fit in memory.
            TableFormatError: a file is damaged.
        """
        loaded = LoadedTables(self.rules)
        left = memory_mb << 20
        for slice_ in self.slices:
            file = self._table(slice_, ("dtw", "wdl"))
            left -= file.header.cell_bytes
            if left < 0:
                break
            loaded.add(file.load(self.rules))
        return loaded

    def verify(
        self,
        slices: Iterable[Slice] | None = None,
        *,
        metric: Metric | None = None,
        samples: int | None = None,
        seed: int = 0,
        progress: Callable[[int, int], object] | None = None,
    ) -> list[Mismatch]:
        """Check the files' checksums and counts, and each value against the values of all successors.

        Successors come from the general move generator, and are found by their canonical forms: not the way in which values of most
        rules are found. With distances a table without mismatches is proven; without them, wins and losses could still hold each
        other up in circles, but what the rules decide at once, and every exit to smaller slices, is proven.

        Args:
            slices: which ones; None for all.
            metric: of the tables; None for all there are.
            samples: values of each slice, at regular distances from a random one on; None for every value.
            seed: of the random one.
            progress: called with how many slices are done, and their number.

        Returns:
            At most one mismatch for each part of a slice; empty if all is well.

        Raises:
            MissingTableError: the table of a slice, or of one that it leads to, is not there.
            TableFormatError: a file is damaged, or its counts are wrong.
        """
        chosen = self.slices if slices is None else list(slices)
        work = [
            (slice_, kind)
            for kind in ([metric] if metric else self.metrics)
            for slice_ in chosen
            if metric or (slice_, kind) in self._paths
        ]
        mismatches: list[Mismatch] = []
        for done, (slice_, kind) in enumerate(work):
            if progress is not None:
                progress(done, len(work))
            mismatches += self._verify_slice(slice_, kind, samples, random.Random(f"{seed} {slice_} {kind}"))
        if progress is not None:
            progress(len(work), len(work))
        return mismatches

    def _verify_slice(self, slice_: Slice, metric: Metric, samples: int | None, chance: random.Random) -> Iterator[Mismatch]:
        header = self._table(slice_, (metric,)).header
        loaded = self.load({*slice_.pair, *children(self.rules, slice_)}, metric)
        counts = Counts(*loaded.counts(slice_))
        if counts != header.counts:
            raise TableFormatError(f"{self._paths[slice_, metric]}: it has {counts}, but its header says {header.counts}")
        cells = header.rows * header.cols
        step = 1 if samples is None else max(cells // samples, 1)
        first = chance.randrange(step)
        while first < cells:
            wrong = loaded.check(slice_, first, step, CELLS_PER_CHECK)
            if wrong is not None:
                yield Mismatch(slice_, *wrong)
            first += step * CELLS_PER_CHECK
