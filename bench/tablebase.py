"""Time the building and the probing of endgame tables. Every count is checked.

usage:
    python bench/tablebase.py               all endgames with up to 6 pieces on 5 x 6
    python bench/tablebase.py --pieces 8    up to 8: minutes, and some gigabytes
    python bench/tablebase.py --json        the same as one JSON object

Builds are timed with one worker and two, as threads and as processes of an executor, and once from disk: with hardly more memory
than the program itself takes. Needs the installed package.
"""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

import numpy as np
from timing import Spread, Timer, check, counting, interleave, option_parser

import yote_fast as yf
from yote_fast import tablebase
from yote_fast.core import LoadedTables, position_at
from yote_fast.tablebase.slices import classes

POSITIONS = {5: 5_666_050, 6: 52_706_037, 7: 399_291_377, 8: 2_536_136_620}
"""Of all slices up to so many pieces, not up to symmetry."""
PROBES = 20_000
HOT = 200
MANY = 1_000_000


@dataclasses.dataclass(frozen=True)
class Speed:
    """How fast something is."""

    name: str
    number: int
    unit: str
    seconds: Spread

    def __str__(self) -> str:
        return f"{self.name:<34}{self.number / self.seconds.median:>14,.0f} {self.unit}/s   seconds {self.seconds}"


@dataclasses.dataclass(frozen=True)
class Ratio:
    """How many times as fast something is, in pairs of the same round."""

    name: str
    ratio: Spread

    def __str__(self) -> str:
        return f"{self.name:<34}{self.ratio}"


def main() -> None:
    """Run everything, printing each result as soon as it is known."""
    parser = option_parser(__doc__, rounds=3)
    parser.add_argument("--pieces", type=int, choices=POSITIONS, default=6, help="pieces on both sides (default: %(default)s)")
    options = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for speed in measure(Path(folder), options.pieces, options.rounds):
            results.append(dataclasses.asdict(speed))
            if not options.json:
                print(speed, flush=True)
        sizes = file_sizes(Path(folder), options.pieces)
    if options.json:
        print(json.dumps({"build": yf.build_info(), "load": load, "results": results, "bits_per_value": sizes}, indent=2))
    else:
        print("\n".join(f"{metric}: {bits:.3f} bits a stored value on disk" for metric, bits in sizes.items()))
        print(f"load of the machine before: {load}")


def measure(folder: Path, pieces: int, rounds: int) -> Iterator[Speed | Ratio]:
    """Each result."""
    plan = tablebase.make_plan(yf.YOTE, pieces=pieces, start=False, metric="wdl", folder=folder)
    little = -(-plan.least_bytes(1) // (1 << 20))
    with workers(1) as one, workers(2) as two:
        timers = {
            "wdl, 1 thread": build_timer(folder, pieces, "wdl"),
            "wdl, 2 threads": build_timer(folder, pieces, "wdl", threads=2),
            "wdl, 1 process": build_timer(folder, pieces, "wdl", executor=one),
            "wdl, 2 processes": build_timer(folder, pieces, "wdl", executor=two),
            f"wdl, 1 thread, {little} MB": build_timer(folder, pieces, "wdl", memory_mb=little),
            "dtw, 1 thread": build_timer(folder, pieces, "dtw"),
        }
        seconds = interleave(timers, rounds)
    for name, taken in seconds.items():
        yield Speed(f"build, {name}", plan.cells, "values", Spread.of(taken))
    for kind in ("thread", "process"):
        single, double = seconds[f"wdl, 1 {kind}"], seconds[f"wdl, 2 {kind}{'s' if kind == 'thread' else 'es'}"]
        yield Ratio(f"2 {kind}{'s' if kind == 'thread' else 'es'} against 1", Spread.ratios(single, double))
    yield from probe_speeds(newest(folder, "dtw"), rounds)


def probe_speeds(folder: Path, rounds: int) -> Iterator[Speed]:
    """How fast values are found, once their blocks are in memory and before."""
    with tablebase.open(folder, cache_mb=1 << 12) as tables:
        boards, values = sample(tables)
        hot, hot_values = boards[:: len(boards) // HOT], values[:: len(boards) // HOT]
        times = len(boards) // len(hot)
        again, expected = hot * times, sum(hot_values) * times
        loaded = tables.load(tables.slices, "dtw")
        numbers = np.array([[board.white, board.black, board.hand(True), board.hand(False)] for board in boards], dtype=np.uint64)
        chosen = np.random.default_rng(1).integers(len(boards), size=MANY)
        fields, all_values = numbers[chosen].T, int(np.array(values)[chosen].sum())
        sum(map(tables.probe_wdl, boards))
        timers = {
            "probe_wdl, the same few": counting("probes", lambda: sum(map(tables.probe_wdl, again)), expected),
            "probe_wdl": counting("probes", lambda: sum(map(tables.probe_wdl, boards)), sum(values)),
            "probe of tables in memory": counting("probes", lambda: known(loaded, boards), len(boards)),
            "probe_wdl_many": counting("many", lambda: int(tables.probe_wdl_many(*fields).sum(dtype=np.int64)), all_values),
        }
        sizes = {"probe_wdl, the same few": len(again), "probe_wdl_many": MANY}
        for name, taken in interleave(timers, rounds).items():
            yield Speed(name, sizes.get(name, len(boards)), "probes", Spread.of(taken))

    def from_disk() -> float:
        with tablebase.open(folder, cache_mb=64) as tables:
            return counting("probes", lambda: sum(map(tables.probe_wdl, boards)), sum(values))()

    size = sum(slice_.cells(yf.YOTE) for slice_ in tables.slices) * 2 / 1e6
    yield Speed(f"probe_wdl, none read of {size:,.0f} MB", len(boards), "probes", Spread.of(from_disk() for _ in range(rounds)))


def workers(count: int) -> ProcessPoolExecutor:
    """So many processes, started."""
    executor = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    for _ in executor.map(time.sleep, [1.0] * count):
        pass
    return executor


def build_timer(
    folder: Path,
    pieces: int,
    metric: tablebase.Metric,
    *,
    threads: int = 1,
    memory_mb: int = 2048,
    executor: Executor | None = None,
) -> Timer:
    """A timer of a whole build, files included, into a new folder."""

    def timer() -> float:
        path = Path(tempfile.mkdtemp(prefix=f"{metric}-", dir=folder))
        started = time.perf_counter()
        with tablebase.build(
            pieces=pieces, metric=metric, path=path, threads=threads, memory_mb=memory_mb, executor=executor
        ) as tables:
            seconds = time.perf_counter() - started
            check("positions", sum(tables.counts(slice_).positions for slice_ in tables.slices), POSITIONS[pieces])
        return seconds

    return timer


def newest(folder: Path, metric: str) -> Path:
    """The folder that a metric was last built in."""
    return max(folder.glob(f"{metric}-*"), key=lambda path: path.stat().st_mtime_ns)


def known(loaded: LoadedTables, boards: list[yf.Board]) -> int:
    """Of how many positions the tables know the value."""
    return sum(loaded.probe(board) is not None for board in boards)


def file_sizes(folder: Path, pieces: int) -> dict[str, float]:
    """Bits on disk for each stored value, by metric."""
    cells = tablebase.make_plan(yf.YOTE, pieces=pieces, start=False, metric="wdl", folder=folder).cells
    return {
        metric: 8 * sum(file.stat().st_size for file in newest(folder, metric).glob(f"*.{metric}")) / cells
        for metric in ("wdl", "dtw")
    }


def sample(tables: tablebase.Tablebase) -> tuple[list[yf.Board], list[int]]:
    """Random positions, from each slice as many as its size calls for, with their values from the tables in memory."""
    chance = np.random.default_rng(1)
    loaded = tables.load(tables.slices, "dtw")
    cells = np.array([slice_.cells(tables.rules) for slice_ in tables.slices])
    boards = []
    for number in chance.choice(cells.size, PROBES, p=cells / cells.sum()):
        slice_ = tables.slices[number]
        row, col = divmod(int(chance.integers(cells[number])), int(cells[number]) // classes(5, 6, slice_.pa))
        boards.append(yf.Board(position_at(tables.rules, slice_, row, col), tables.rules))
    found = [loaded.probe(board) for board in boards]
    return boards, [(value > 0) - (value < 0) for value in found if value is not None]


if __name__ == "__main__":
    main()
