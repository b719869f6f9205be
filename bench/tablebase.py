"""Time the building and the probing of endgame tables. Every count is checked.

usage:
    python bench/tablebase.py               all endgames with up to 6 pieces on 5 x 6
    python bench/tablebase.py --pieces 8    up to 8: minutes, and some gigabytes
    python bench/tablebase.py --json        the same as one JSON object

Needs the installed package.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
import time
from collections.abc import Iterator
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


def measure(folder: Path, pieces: int, rounds: int) -> Iterator[Speed]:
    """Each result."""
    cells = tablebase.make_plan(yf.YOTE, pieces=pieces, start=False, metric="wdl", folder=folder).cells
    timers = {
        "wdl, 1 thread": build_timer(folder, pieces, "wdl", 1),
        "wdl, 2 threads": build_timer(folder, pieces, "wdl", 2),
        "dtw, 1 thread": build_timer(folder, pieces, "dtw", 1),
    }
    for name, seconds in interleave(timers, rounds).items():
        yield Speed(f"build, {name}", cells, "values", Spread.of(seconds))
    with tablebase.open(newest(folder, "dtw")) as tables:
        boards, values = sample(tables)
        seconds = interleave({"one": counting("probes", lambda: sum(map(tables.probe_wdl, boards)), sum(values))}, rounds)["one"]
        yield Speed("probe_wdl", len(boards), "probes", Spread.of(seconds))
        loaded = tables.load(tables.slices, "dtw")
        seconds = interleave({"one": counting("probes", lambda: known(loaded, boards), len(boards))}, rounds)["one"]
        yield Speed("probe of tables in memory", len(boards), "probes", Spread.of(seconds))
        chosen = np.random.default_rng(1).integers(len(boards), size=MANY)
        numbers = np.array([[board.white, board.black, board.hand(True), board.hand(False)] for board in boards], dtype=np.uint64)
        fields = numbers[chosen].T
        expected = int(np.array(values)[chosen].sum())
        timer = counting("many", lambda: int(tables.probe_wdl_many(*fields).sum(dtype=np.int64)), expected)
        yield Speed("probe_wdl_many", MANY, "probes", Spread.of(interleave({"one": timer}, rounds)["one"]))


def build_timer(folder: Path, pieces: int, metric: tablebase.Metric, threads: int) -> Timer:
    """A timer of a whole build, files included, into a new folder."""

    def timer() -> float:
        path = Path(tempfile.mkdtemp(prefix=f"{metric}-", dir=folder))
        started = time.perf_counter()
        with tablebase.build(pieces=pieces, metric=metric, path=path, threads=threads) as tables:
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
    """Positions from all slices, about as many from each, with their values from the tables in memory."""
    chance = np.random.default_rng(1)
    loaded = tables.load(tables.slices, "dtw")
    boards = []
    for slice_ in tables.slices:
        rows = classes(5, 6, slice_.pa)
        cols = slice_.cells(tables.rules) // rows
        for _ in range(PROBES // len(tables.slices)):
            row, col = int(chance.integers(rows)), int(chance.integers(cols))
            boards.append(yf.Board(position_at(tables.rules, slice_, row, col), tables.rules))
    found = [loaded.probe(board) for board in boards]
    return boards, [(value > 0) - (value < 0) for value in found if value is not None]


if __name__ == "__main__":
    main()
