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

import filelock
import platformdirs

from ..checks import MAX_HASH_MB, MAX_THREADS, check_int
from ..core import Board, LoadedTables, PairSolver, SliceTable
from ..rules import YOTE, Rules
from .errors import LockedError
from .files import Map, Metric, TableFile, file_name, write_table
from .plan import MEGABYTE, Pair, Plan, make_plan
from .probing import Tablebase
from .slices import Slice, table_rules

LOCK_NAME = "build.lock"
LARGE_PAIR = 4_000_000
"""Cells from which on all threads work on one pair; smaller ones have one thread each."""
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
        memory_mb: mebibytes that may be used, about.
        executor: a ``concurrent.futures`` executor to work instead, one job for each pair of slices; its processes share the
            folder. Each job may use ``memory_mb``, and has one thread.
        progress: called with a :class:`Progress` several times a second.

    Raises:
        WrongRulesError: the rules have trade routes, or the folder or the board has others.
        LockedError: another build works in the folder.
        MemoryError: ``memory_mb`` is not enough.
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
    if plan.memory_bytes > memory_mb * MEGABYTE:
        raise MemoryError(
            f"these tables need {-(-plan.memory_bytes // MEGABYTE)} MB of memory, more than memory_mb={memory_mb} allows"
        )
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

    def __init__(self, rules: Rules, metric: Metric, folder: Path, most_bytes: int) -> None:
        self._rules = rules
        self._metric = metric
        self._folder = folder
        self._most_bytes = most_bytes
        self._tables: OrderedDict[Slice, SliceTable] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, slice_: Slice) -> SliceTable:
        with self._lock:
            table = self._tables.get(slice_)
            if table is not None:
                self._tables.move_to_end(slice_)
                return table
        file = TableFile(self._folder / file_name(slice_, self._metric))
        try:
            table = file.load(self._rules)
        finally:
            file.close()
        self.put(slice_, table)
        return table

    def put(self, slice_: Slice, table: SliceTable) -> None:
        with self._lock:
            if slice_ not in self._tables:
                self._tables[slice_] = table
                self._bytes += _bytes_of(table)
            while self._bytes > self._most_bytes and self._tables:
                _, oldest = self._tables.popitem(last=False)
                self._bytes -= _bytes_of(oldest)


def _bytes_of(table: SliceTable) -> int:
    return table.size if table.constant is None else 0


def _make_solver(plan: Plan, pair: Pair, cache: _Cache, threads: int, pool_mb: int) -> PairSolver:
    loaded = LoadedTables(plan.rules)
    for child in plan.needs[pair]:
        for slice_ in child:
            loaded.add(cache.get(slice_))
    return PairSolver(loaded, pair[0], plan.metric == "dtw", threads, pool_mb)


def _finish(plan: Plan, pair: Pair, tables: list[SliceTable], cache: _Cache, folder: Path, map_: Map) -> None:
    for slice_, table in zip(pair, tables, strict=True):
        write_table(folder, plan.rules, slice_, table, map_)
        cache.put(slice_, table)


@dataclass(frozen=True)
class _Job:
    """A pair for an executor; pickles."""

    plan: Plan
    pair: Pair
    folder: Path
    pool_mb: int


def _run_job(job: _Job) -> None:
    cache = _Cache(job.plan.rules, job.plan.metric, job.folder, 0)
    solver = _make_solver(job.plan, job.pair, cache, 1, job.pool_mb)
    tables = solver.solve(lambda share: share(0))
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
        self._pool_mb = min(max(memory_mb // 16, 8), 128)
        spare = memory_mb * MEGABYTE - plan.memory_bytes - self._pool_mb * MEGABYTE
        self._cache = _Cache(plan.rules, plan.metric, folder, max(spare, 0))
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

            def run(share: Callable[[int], None]) -> None:
                for _ in crew.map(share, range(self._threads)):
                    pass

            def alone(share: Callable[[int], None]) -> None:
                share(0)

            # Pairs of one order do not need each other.
            for _, level in groupby(self._plan.missing, key=lambda pair: pair[0].order):
                pairs = list(level)
                large = [pair for pair in pairs if self._threads > 1 and self._plan.cells_of(pair) >= LARGE_PAIR]
                self._wait({pool.submit(self._solve, pair, 1, alone, map): pair for pair in pairs if pair not in large})
                for pair in large:
                    self._wait({pool.submit(self._solve, pair, self._threads, run, crew.map): pair})

    def _solve(self, pair: Pair, threads: int, run: Callable[[Callable[[int], None]], None], map_: Map) -> None:
        solver = _make_solver(self._plan, pair, self._cache, threads, self._pool_mb)
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

        def submit(pair: Pair) -> None:
            small = Plan(self._plan.rules, self._plan.metric, [pair], [pair], {pair: self._plan.needs[pair]})
            futures[executor.submit(_run_job, _Job(small, pair, self._folder, self._pool_mb))] = pair

        for pair, needed in needs.items():
            if not needed:
                submit(pair)
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
                            submit(follower)
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
