"""What a build has to do: which slices, in which order, and what they will take."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from ..checks import check_int
from ..core import Board, slice_numbers
from ..rules import Rules
from .errors import TableFormatError, WrongRulesError
from .files import METRICS, Metric, TableFile, file_name
from .slices import MAX_PIECES, Slice, children, classes, slices_from, slices_up_to, start_slice, table_rules

MEGABYTE = 1 << 20
BITS_ON_DISK = {"wdl": 0.4, "dtw": 3.0}
"""Of a value, about, after compression."""
CELLS_PER_SECOND = {"wdl": 4_500_000, "dtw": 3_500_000}
"""Of one thread, about, under rules that the quick pass knows."""
FROM_DISK = 0.5
"""How fast pairs are that are worked from disk, about, beside those in memory."""
PROCESS_BYTES = 64 * MEGABYTE
"""Of the interpreter and the package."""
THREAD_BYTES = 8 * MEGABYTE
"""Of each thread: records that are not full, and what compresses its blocks."""
POOL_BYTES = 8 * MEGABYTE
"""Of records in flight, at least."""

Pair = tuple[Slice, ...]


@dataclass(frozen=True)
class Plan:
    """What a build has to do."""

    rules: Rules
    """As the tables know them."""
    metric: Metric
    pairs: list[Pair]
    """Slices that are solved together, children before parents."""
    missing: list[Pair]
    """Those of them without a file."""
    needs: dict[Pair, set[Pair]] = field(repr=False)
    """The pairs that each one's moves lead to."""

    @property
    def slices(self) -> list[Slice]:
        """All slices, in order."""
        return [slice_ for pair in self.pairs for slice_ in pair]

    @property
    def positions(self) -> int:
        """Positions, not up to symmetry."""
        return sum(slice_.positions(self.rules) for slice_ in self.slices)

    @property
    def cells(self) -> int:
        """Stored values."""
        return sum(self.cells_of(pair) for pair in self.pairs)

    @property
    def cells_missing(self) -> int:
        """Stored values that are still to be found."""
        return sum(self.cells_of(pair) for pair in self.missing)

    @property
    def memory_bytes(self) -> int:
        """The memory that one thread needs if nothing is worked from disk; more saves it from reading tables again."""
        return self.base_bytes(1) + POOL_BYTES + max((self.memory_of(pair) for pair in self.missing), default=0)

    @property
    def disk_bytes(self) -> int:
        """The size of all files, about."""
        return int(self.cells * BITS_ON_DISK[self.metric] / 8) + 300 * len(self.slices)

    def base_bytes(self, threads: int) -> int:
        """Memory that is taken whatever is worked on: by the program, its threads, and the numbers of sets of squares."""
        slices = {slice_ for pair in self.missing for near in (pair, *self.needs[pair]) for slice_ in near}
        sizes = {size for slice_ in slices for size in (slice_.pa, slice_.pb)}
        rows, cols = self.rules.rows, self.rules.cols
        sets = sum(4 * math.comb(self.rules.squares, size) + 16 * classes(rows, cols, size) for size in sizes)
        return PROCESS_BYTES + THREAD_BYTES * threads + sets

    def least_bytes(self, threads: int) -> int:
        """The least memory that the build needs, about, all large pairs worked from disk."""
        return self.base_bytes(threads) + 2 * POOL_BYTES

    def from_disk(self, memory_bytes: int, threads: int) -> list[Pair]:
        """The missing pairs that do not fit into so much memory."""
        left = memory_bytes - self.base_bytes(threads) - POOL_BYTES
        return [pair for pair in self.missing if self.memory_of(pair) > left]

    def scratch_bytes(self, memory_bytes: int, threads: int) -> int:
        """Disk that work from disk takes for the time being."""
        return max((self.memory_of(pair) for pair in self.from_disk(memory_bytes, threads)), default=0)

    def seconds(self, memory_bytes: int, threads: int) -> float:
        """The time that the build will take, very roughly."""
        cells = self.cells_missing + sum(map(self.cells_of, self.from_disk(memory_bytes, threads))) * (1 / FROM_DISK - 1)
        return cells / (CELLS_PER_SECOND[self.metric] * threads)

    def cells_of(self, pair: Pair) -> int:
        """Stored values of a pair."""
        return sum(slice_.cells(self.rules) for slice_ in pair)

    def memory_of(self, pair: Pair) -> int:
        """Bytes that solving a pair takes: its states, its values, and those of its children."""
        values = self.cells_of(pair) + sum(self.cells_of(child) for child in self.needs[pair])
        states = self.cells_of(pair) * (3 if self.metric == "dtw" else 1)
        return states + (2 * values if self.metric == "dtw" else values // 4)


def make_plan(rules: Rules, *, pieces: int | None, start: bool | Board, metric: Metric, folder: Path) -> Plan:
    """Plan a build.

    Args:
        rules: the rules.
        pieces: all slices with up to so many pieces of both sides together.
        start: all slices that a game can reach, instead; or those that play from a position can.
        metric: what to find.
        folder: where the files are or will be.

    Raises:
        WrongRulesError: tables do not know the rules, or the folder has tables of others.
        ValueError: an argument is out of its bounds.
        TypeError: an argument has the wrong type.
    """
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules, not {type(rules).__name__}; Rules.parse reads them from text")
    known = table_rules(rules)
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, not {metric!r}")
    if (pieces is not None) == (start is not False):
        raise ValueError("give either pieces=N, for all endgames with so many pieces, or start=True or a board")
    if pieces is None:
        slices = slices_from(known, _slice_of(known, start) if isinstance(start, Board) else start_slice(rules))
    else:
        check_int("pieces", pieces, 2, 2 * MAX_PIECES)
        slices = slices_up_to(rules, pieces)
    if not slices:
        raise ValueError(f"there is nothing to build: the rules {known} end all of these games at once")
    pairs = list(dict.fromkeys(slice_.pair for slice_ in slices))
    needs = {pair: {child.pair for slice_ in pair for child in children(known, slice_)} for pair in pairs}
    missing = [pair for pair in pairs if not all(is_finished(folder, known, slice_, metric) for slice_ in pair)]
    return Plan(known, metric, pairs, missing, needs)


def _slice_of(rules: Rules, board: Board) -> Slice:
    if table_rules(board.rules) != rules:
        raise WrongRulesError(f"the board's rules are {board.rules}, those of the tables {rules}")
    numbers = slice_numbers(board)
    if numbers is None:
        raise ValueError(f"the game is over at {board.yfen()}")
    return Slice(*numbers)


def is_finished(folder: Path, rules: Rules, slice_: Slice, metric: Metric) -> bool:
    """Whether a slice has a file that is whole; its blocks are not looked at.

    Raises:
        WrongRulesError: it has one, of other rules.
    """
    path = folder / file_name(slice_, metric)
    try:
        file = TableFile(path)
    except (FileNotFoundError, TableFormatError):
        return False
    file.close()
    if file.header.rules != str(rules):
        raise WrongRulesError(f"{path} is of the rules {file.header.rules}, not {rules}")
    return True
