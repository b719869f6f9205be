"""Time perft: against a plain C++ perft, under many rules, with threads and with a table. Every count is checked.

usage:
    python bench/perft.py                       the full run, some minutes
    python bench/perft.py --depth 5 --rounds 1  a quick look
    python bench/perft.py --json                the same as one JSON object

Needs g++ and the installed package.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timing import Spread, Timer, check, counting, interleave, option_parser

import yote_fast as yf
from yote_fast.bench import CASES

BASELINE = Path(__file__).parent / "baseline" / "perft.cpp"
START_LEAVES = {5: 26_429_448, 6: 832_521_806, 7: 27_490_231_820}


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two ways to the same count."""

    title: str
    first: str
    second: str
    leaves: int
    first_seconds: float
    second_seconds: float
    ratio: Spread
    """The first time over the second, pair by pair."""

    def __str__(self) -> str:
        return (
            f"{self.title}: {self.leaves:,} leaves\n"
            f"  {self.first:<16} {_speed(self.leaves, self.first_seconds)}\n"
            f"  {self.second:<16} {_speed(self.leaves, self.second_seconds)}  {self.ratio} times as fast"
        )


@dataclasses.dataclass(frozen=True)
class Row:
    """A case of the table of rules."""

    name: str
    depth: int
    leaves: int
    seconds: float
    leaves_per_second: float
    relative: Spread
    """The leaves a second over those of the first case, pair by pair."""

    def __str__(self) -> str:
        speed = _speed(self.leaves, self.seconds)
        return (
            f"{self.name}, depth {self.depth}: {self.leaves:,} leaves\n"
            f"  {'':<16} {speed}  {self.relative} times as fast as plain rules"
        )


def main() -> None:
    """Run everything, printing each result as soon as it is known."""
    parser = option_parser(__doc__, rounds=5)
    parser.add_argument(
        "--depth", type=int, choices=START_LEAVES, default=7, help="depth of all but the table of rules (default: %(default)s)"
    )
    options = parser.parse_args()
    if shutil.which("g++") is None:
        parser.error("g++ is needed to compile the baseline; on Debian and Ubuntu: apt-get install g++")
    with tempfile.TemporaryDirectory() as folder:
        results = list(_results(compile_baseline(Path(folder)), options))
    if options.json:
        print(json.dumps({"build": yf.build_info(), "rounds": options.rounds, "results": results}, indent=2))


def _results(baseline: Path, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Each result for the JSON object, printed first unless only that is wanted."""
    for result in _measure(baseline, options.depth, options.rounds):
        if not options.json:
            print(result, flush=True)
        yield dataclasses.asdict(result)


def _measure(baseline: Path, depth: int, rounds: int) -> Iterator[Pair | Row]:
    plain, leaves = start_timer(depth), START_LEAVES[depth]
    yield pair("against a plain perft", {"C++ baseline": baseline_timer(baseline, depth), "yote_fast": plain}, leaves, rounds)
    yield from rules_table(rounds)
    yield pair("with threads", {"1 thread": plain, "2 threads": start_timer(depth, threads=2)}, leaves, rounds)
    yield pair("with a table", {"no table": plain, "hash_mb=256": start_timer(depth, hash_mb=256)}, leaves, rounds)


def pair(title: str, timers: dict[str, Timer], leaves: int, rounds: int) -> Pair:
    """Compare two timers."""
    (first, first_seconds), (second, second_seconds) = interleave(timers, rounds).items()
    ratio = Spread.ratios(first_seconds, second_seconds)
    return Pair(title, first, second, leaves, statistics.median(first_seconds), statistics.median(second_seconds), ratio)


def rules_table(rounds: int) -> Iterator[Row]:
    """The speed of each of the package's own benchmark cases, relative to the first: the plain rules."""
    seconds = interleave({case: counting(case.name, case.run, case.leaves) for case in CASES}, rounds)
    per_leaf = {case: [taken / case.leaves for taken in seconds[case]] for case in CASES}
    for case in CASES:
        relative = Spread.ratios(per_leaf[CASES[0]], per_leaf[case])
        speed = 1 / statistics.median(per_leaf[case])
        yield Row(case.name, case.depth, case.leaves, statistics.median(seconds[case]), speed, relative)


def start_timer(depth: int, *, threads: int = 1, hash_mb: int = 0) -> Timer:
    """A timer of our perft of the start position."""
    board = yf.Board()
    return counting("yote_fast", lambda: yf.perft(board, depth, threads=threads, hash_mb=hash_mb), START_LEAVES[depth])


def baseline_timer(program: Path, depth: int) -> Timer:
    """A timer of the baseline's perft of the start position, by its own clock: starting the program does not count."""

    def timer() -> float:
        output = subprocess.run([program, str(depth)], check=True, capture_output=True, text=True).stdout
        # The last line is for the full depth: depth, leaves, seconds such as "0.502s", speed.
        _, leaves, seconds, *_ = output.splitlines()[-1].split()
        check("baseline", int(leaves), START_LEAVES[depth])
        return float(seconds.removesuffix("s"))

    return timer


def compile_baseline(folder: Path) -> Path:
    """The baseline's program, compiled into a folder for the processor that it runs on."""
    program = folder / "perft_baseline"
    subprocess.run(["g++", "-O3", "-march=native", "-o", program, BASELINE], check=True)
    return program


def _speed(leaves: int, seconds: float) -> str:
    return f"{seconds:>8.3f} s {leaves / seconds / 1e6:>8,.0f} M/s"


if __name__ == "__main__":
    main()
