"""Building tables: pairs of slices, children before parents, in threads or by an executor.

A finished slice is a file, so a build that was stopped, whatever stopped it, goes on where it was. Each pair needs only the files
of its children: jobs for an executor carry no more than the names, and share the folder.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import platformdirs

from ..checks import MAX_HASH_MB, MAX_THREADS, check_int
from ..core import Board, LoadedTables, PairSolver, SliceTable
from ..executors import submit
from ..rules import YOTE, Rules
from .errors import LockedError
from .files import Map, Metric, TableFile, file_name, scratch_in, write_table
from .plan import MEGABYTE, POOL_BYTES, Pair, Plan, make_plan
from .probing import Tablebase
from .slices import Slice, table_rules

if TYPE_CHECKING:
    from ..core import Scratch

LOCK_NAME = "build.lock"
LARGE_PAIR = 4_000_000
"""Cells from which on all threads work on one pair; smaller ones have one thread each."""
MOST_POOL_BYTES = 128 * MEGABYTE
"""Of records in flight, where memory is not scarce."""
LOOK_EVERY = 0.1
"""Seconds between two looks at the progress."""


@dataclass(frozen=True)
class Progress:
    """How far a build is."""

    slices: int
    """Finished slices, those from before included."""
    all_slices: int
    cells: int
    """Values found by this build."""
    all_cells: int
    """Values that this build has to find."""
    seconds: float

    @property
    def rate(self) -> float:
        """Values a second."""
        return self.cells / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """About; None at the very start."""
        return (self.all_cells - self.cells) / self.rate if self.cells else None


def default_folder(rules: Rules) -> Path:
    """Where the tables of some rules are unless told otherwise: in the user's data folder."""
    return platformdirs.user_data_path("yote_fast", appauthor=False) / "tablebases" / str(table_rules(rules))


def build(
    rules: Rules = YOTE,
    *,
    pieces: int | None = None,
    start: bool | Board = False,
    metric: Metric = "wdl",
    path: str | os.PathLike[str] | None = None,
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
        start: all positions that a game can reach, instead: the game is solved. Or a board: all that play from it can reach.
        metric: ``"wdl"`` for wins, draws and losses; ``"dtw"`` for distances to the end as well.
        path: a folder, made if need be; None for one in the user's data folder.
        threads: how many threads work.
        memory_mb: mebibytes that may be used. Pairs of slices that do not fit are worked from disk, in files of their size in the
            folder that have no names. The system's own cache of files does not count.
        executor: a ``concurrent.futures`` executor to work instead, one job for each pair of slices; its processes share the
            folder. Each job may use ``memory_mb``, and has one thread.
        progress: called with a :class:`Progress` several times a second.

    Raises:
        WrongRulesError: the rules have trade routes, or the folder or the board has others.
        LockedError: another build works in the folder.
        MemoryError: ``memory_mb`` is not enough even for work from disk.
        OSError: the disk is full, or the folder cannot be written to.
        ValueError: an argument is out of its bounds.
        TypeError: an argument has the wrong type.
    """
    check_int("threads", threads, 1, MAX_THREADS)
    check_int("memory_mb", memory_mb, 1, MAX_HASH_MB)
    folder = default_folder(rules) if path is None else Path(path)
    plan = make_plan(rules, pieces=pieces, start=start, metric=metric, folder=folder)
    if not plan.missing:
        return Tablebase(folder)
    least = plan.least_bytes(1 if executor else threads)
    if least > memory_mb * MEGABYTE:
        raise MemoryError(f"these tables need {-(-least // MEGABYTE)} MB of memory, more than memory_mb={memory_mb} allows")
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        _remove_leftovers(folder)
        # Another build may have finished some while this one waited for nothing but the lock.
        plan = make_plan(rules, pieces=pieces, start=start, metric=metric, folder=folder)
        build = _Build(plan, folder, threads, memory_mb, progress)
        if executor is None:
            build.run_in_threads()
        else:
            build.run_by(executor)
    return Tablebase(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    lock = filelock.FileLock(folder / LOCK_NAME, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise LockedError(f"another build works in {folder}") from None
    try:
        yield
    finally:
        lock.release()


def _remove_leftovers(folder: Path) -> None:
    """Remove what a build that was killed was writing."""
    for path in folder.glob("*.tmp"):
        path.unlink(missing_ok=True)


# One pair -------------------------------------------------------------------------------------------------------------------------


class _Cache:
    """Finished tables, those last used kept in memory up to some bytes."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._most_bytes = 0
        self._tables: OrderedDict[Slice, SliceTable] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, slice_: Slice) -> SliceTable:
        with self._lock:
            table = self._tables.get(slice_)
            if table is not None:
                self._tables.move_to_end(slice_)
                return table
        table = _load(self._plan, self._folder, slice_)
        self.put(slice_, table)
        return table

    def put(self, slice_: Slice, table: SliceTable) -> None:
        with self._lock:
            if slice_ not in self._tables:
                self._tables[slice_] = table
                self._bytes += _bytes_of(table)
            self._shrink()

    def limit(self, most_bytes: int) -> None:
        """Keep no more than so many bytes from now on."""
        with self._lock:
            self._most_bytes = most_bytes
            self._shrink()

    def _shrink(self) -> None:
        while self._bytes > self._most_bytes and self._tables:
            _, oldest = self._tables.popitem(last=False)
            self._bytes -= _bytes_of(oldest)


def _load(plan: Plan, folder: Path, slice_: Slice, scratch: Scratch | None = None) -> SliceTable:
    file = TableFile(folder / file_name(slice_, plan.metric))
    try:
        return file.load(plan.rules, scratch)
    finally:
        file.close()


def _bytes_of(table: SliceTable) -> int:
    return table.size if table.constant is None else 0


@dataclass(frozen=True)
class _Share:
    """The memory that a pair is worked with."""

    pool_mb: int
    """For records in flight."""
    window_mb: int = 0
    """For mapped files; 0 for work in memory."""

    @classmethod
    def of(cls, plan: Plan, pair: Pair, bytes_: int) -> _Share:
        """How a pair is worked with so many bytes besides what the program takes."""
        left = bytes_ - plan.memory_of(pair)
        if left >= POOL_BYTES:
            return cls(pool_mb=min(left, MOST_POOL_BYTES) // MEGABYTE)
        return cls(pool_mb=bytes_ // 2 // MEGABYTE, window_mb=bytes_ // 2 // MEGABYTE)


def _make_solver(plan: Plan, pair: Pair, cache: _Cache, folder: Path, threads: int, share: _Share) -> PairSolver:
    loaded = LoadedTables(plan.rules)
    scratch = scratch_in(folder) if share.window_mb else None
    for child in plan.needs[pair]:
        for slice_ in child:
            loaded.add(cache.get(slice_) if scratch is None else _load(plan, folder, slice_, scratch))
    return PairSolver(loaded, pair[0], plan.metric == "dtw", threads, share.pool_mb, scratch, share.window_mb)


def _finish(plan: Plan, pair: Pair, tables: list[SliceTable], cache: _Cache, folder: Path, map_: Map) -> None:
    for slice_, table in zip(pair, tables, strict=True):
        write_table(folder, plan.rules, slice_, table, map_)
        if not table.mapped:
            cache.put(slice_, table)


@dataclass(frozen=True)
class _Job:
    """A pair for an executor; pickles."""

    plan: Plan
    pair: Pair
    folder: Path
    memory_mb: int


def _run_job(job: _Job) -> None:
    cache = _Cache(job.plan, job.folder)
    share = _Share.of(job.plan, job.pair, job.memory_mb * MEGABYTE - job.plan.base_bytes(1))
    solver = _make_solver(job.plan, job.pair, cache, job.folder, 1, share)
    tables = solver.solve(lambda work: work(0))
    assert tables is not None
    _finish(job.plan, job.pair, tables, cache, job.folder, map)


# All pairs ------------------------------------------------------------------------------------------------------------------------


class _Build:
    def __init__(
        self, plan: Plan, folder: Path, threads: int, memory_mb: int, progress: Callable[[Progress], object] | None
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._threads = threads
        self._memory_mb = memory_mb
        self._bytes = memory_mb * MEGABYTE - plan.base_bytes(threads)
        self._cache = _Cache(plan, folder)
        self._progress = progress
        self._started = time.monotonic()
        self._running: set[PairSolver] = set()
        self._lock = threading.Lock()
        self._stopping = False
        self._all_slices = len(plan.slices)
        self._all_cells = plan.cells_missing
        self._slices = self._all_slices - sum(map(len, plan.missing))
        self._cells = 0

    def run_in_threads(self) -> None:
        """Solve all missing pairs in this process."""
        with ThreadPoolExecutor(self._threads) as pool, ThreadPoolExecutor(self._threads) as crew:

            def run(work: Callable[[int], None]) -> None:
                for _ in crew.map(work, range(self._threads)):
                    pass

            def alone(work: Callable[[int], None]) -> None:
                work(0)

            # Pairs of one order do not need each other.
            for _, level in groupby(self._plan.missing, key=lambda pair: pair[0].order):
                pairs = list(level)
                small = [pair for pair in pairs if self._is_small(pair)]
                if small:
                    need = self._threads * max(self._plan.memory_of(pair) + POOL_BYTES for pair in small)
                    self._cache.limit(self._bytes - need)
                    share = _Share(POOL_BYTES // MEGABYTE)
                    self._wait({pool.submit(self._solve, pair, 1, share, alone, map): pair for pair in small})
                for pair in pairs:
                    if pair not in small:
                        share = _Share.of(self._plan, pair, self._bytes)
                        need = self._plan.memory_of(pair) + share.pool_mb * MEGABYTE
                        self._cache.limit(0 if share.window_mb else self._bytes - need)
                        self._wait({pool.submit(self._solve, pair, self._threads, share, run, crew.map): pair})

    def _is_small(self, pair: Pair) -> bool:
        """Whether each thread may have such a pair of its own."""
        need = self._plan.memory_of(pair) + POOL_BYTES
        return self._plan.cells_of(pair) < LARGE_PAIR and self._threads * need <= self._bytes

    def _solve(self, pair: Pair, threads: int, share: _Share, run: Callable[[Callable[[int], None]], None], map_: Map) -> None:
        solver = _make_solver(self._plan, pair, self._cache, self._folder, threads, share)
        with self._lock:
            self._running.add(solver)
            if self._stopping:
                return
        try:
            tables = solver.solve(run)
            if tables is not None:
                _finish(self._plan, pair, tables, self._cache, self._folder, map_)
        finally:
            with self._lock:
                self._running.remove(solver)

    def _wait(self, futures: dict[Future[None], Pair]) -> None:
        """Wait for pairs, and tell of the progress; stop them all on Ctrl-C or an error."""
        try:
            while futures:
                done, _ = wait(futures, timeout=LOOK_EVERY, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    self._count(futures.pop(future))
                self._tell()
        except BaseException:
            with self._lock:
                self._stopping = True
                for solver in self._running:
                    solver.stop()
            for future in futures:
                future.cancel()
            raise

    def run_by(self, executor: Executor) -> None:
        """Solve all missing pairs by an executor; a pair as soon as those that it needs are done."""
        missing = set(self._plan.missing)
        needs = {pair: self._plan.needs[pair] & missing for pair in self._plan.missing}
        followers: dict[Pair, list[Pair]] = {pair: [] for pair in missing}
        for pair, needed in needs.items():
            for other in needed:
                followers[other].append(pair)
        futures: dict[Future[None], Pair] = {}

        def begin(pair: Pair) -> None:
            small = Plan(self._plan.rules, self._plan.metric, [pair], [pair], {pair: self._plan.needs[pair]})
            futures[submit(executor, _run_job, _Job(small, pair, self._folder, self._memory_mb))] = pair

        for pair, needed in needs.items():
            if not needed:
                begin(pair)
        try:
            while futures:
                done, _ = wait(futures, timeout=LOOK_EVERY, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    pair = futures.pop(future)
                    self._count(pair)
                    for follower in followers[pair]:
                        needs[follower].remove(pair)
                        if not needs[follower]:
                            begin(follower)
                self._tell()
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def _count(self, pair: Pair) -> None:
        self._slices += len(pair)
        self._cells += self._plan.cells_of(pair)

    def _tell(self) -> None:
        if self._progress is None:
            return
        with self._lock:
            # The first pass is most of the work of a pair.
            working = sum(solver.cells_done for solver in self._running)
        self._progress(
            Progress(
                slices=self._slices,
                all_slices=self._all_slices,
                cells=min(self._cells + working, self._all_cells),
                all_cells=self._all_cells,
                seconds=time.monotonic() - self._started,
            )
        )
