"""Time perft and self-play on executors of 1, 2, 4, ... processes.

usage:
    pip install .[distributed]
    python bench/cluster.py
    python bench/cluster.py --dask --json
    python bench/cluster.py --depth 6 --rounds 1        a quick look, too short for ratios that mean much

Every result is checked: perft against the known count, self-play against the same without an executor. All processes have started,
and have imported the package, before a clock runs. Ratios are the time of one process over that of so many, of the same round.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import multiprocessing
import os
import statistics
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from timing import Spread, Timer, counting, interleave, option_parser

import yote_fast as yf
from yote_fast.selfplay import self_play

LEAVES = {6: 832_521_806, 7: 27_490_231_820, 8: 899_825_632_858}
HASH_MB = 16
GAMES = 32


@dataclass(frozen=True)
class Row:
    """The time of a task on so many processes, and how much faster than one they are."""

    task: str
    processes: int
    seconds: float
    speedup: Spread

    def __str__(self) -> str:
        return f"{self.task:<12} {self.processes:>9} {self.seconds:>9.3f} s  {self.speedup}"


def positions(executor: Executor | None) -> int:
    """The positions of some games of self-play."""
    return len(self_play(GAMES, limit=yf.Limit(nodes=1_000), seed=1, executor=executor, games_per_task=1))


def tasks(depth: int) -> Iterator[tuple[str, Callable[[Executor | None], int], int]]:
    """What is timed, and the count that it must find."""
    yield f"perft {depth}", lambda executor: yf.perft(yf.Board(), depth, hash_mb=HASH_MB, executor=executor), LEAVES[depth]
    yield "self-play", positions, positions(None)


def warm(executor: Executor) -> Executor:
    """Have all its processes start and import what they need."""
    yf.perft(yf.Board(), 5, executor=executor)
    self_play(GAMES, limit=yf.Limit(nodes=10), executor=executor, games_per_task=1)
    return executor


@contextlib.contextmanager
def pool(processes: int, dask: bool) -> Iterator[Executor]:
    """An executor of so many processes, all of which are there."""
    if dask:
        distributed: Any = __import__("distributed")
        with (
            distributed.LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            client.wait_for_workers(processes)
            yield warm(client.get_executor())
    else:
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as executor:
            yield warm(executor)


def timer(name: str, work: Callable[[Executor | None], int], executor: Executor | None, expected: int) -> Timer:
    """A timer of a task on an executor."""
    return counting(name, lambda: work(executor), expected)


def measure(name: str, work: Callable[[Executor | None], int], expected: int, options: argparse.Namespace) -> Iterator[Row]:
    """Time a task on 1, 2, 4, ... processes."""
    with contextlib.ExitStack() as stack:
        timers, processes = {}, 1
        while processes <= options.processes:
            executor = stack.enter_context(pool(processes, options.dask))
            timers[processes] = timer(f"{name}, {processes} processes", work, executor, expected)
            processes *= 2
        seconds = interleave(timers, options.rounds)
    for count, times in seconds.items():
        yield Row(name, count, statistics.median(times), Spread.ratios(seconds[1], times))


def main() -> None:
    """Print a row for each task and number of processes."""
    parser = option_parser(__doc__, rounds=2)
    parser.add_argument("--depth", type=int, choices=LEAVES, default=8, help="of perft (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="at most (default: %(default)s)")
    parser.add_argument("--dask", action="store_true", help="a Dask cluster on this machine instead of a pool of processes")
    options = parser.parse_args()
    rows = []
    if not options.json:
        print(f"{'':<12} {'processes':>9} {'time':>11}  speedup")
    for name, work, expected in tasks(options.depth):
        for row in measure(name, work, expected, options):
            rows.append(row)
            if not options.json:
                print(row, flush=True)
    if options.json:
        print(json.dumps({"rounds": options.rounds, "results": [dataclasses.asdict(row) for row in rows]}, indent=2))


if __name__ == "__main__":
    main()
