"""Time perft and self-play on executors of more and more processes, against the same without one.

usage:
    pip install .[distributed]
    python bench/cluster.py
    python bench/cluster.py --dask --json

Every result is checked against that without an executor. Ratios are the time without an executor over that with it, of the same
round.
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

LEAVES = {6: 832_521_806, 7: 27_490_231_820}
GAMES = 16


@dataclass(frozen=True)
class Row:
    """The time of a task on so many processes; 0 is without an executor."""

    task: str
    processes: int
    seconds: float
    speedup: Spread

    def __str__(self) -> str:
        return f"{self.task:<12} {self.processes or 'none':>9} {self.seconds:>9.3f} s  {self.speedup}"


def positions(executor: Executor | None) -> int:
    """The positions of some games of self-play."""
    return len(self_play(GAMES, limit=yf.Limit(nodes=1_000), seed=1, executor=executor, games_per_task=1))


def tasks(depth: int) -> Iterator[tuple[str, Callable[[Executor | None], int], int]]:
    """What is timed, and the count that it must find."""
    yield f"perft {depth}", lambda executor: yf.perft(yf.Board(), depth, executor=executor), LEAVES[depth]
    yield "self-play", positions, positions(None)


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
            yield client.get_executor()
    else:
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as executor:
            yf.perft(yf.Board(), 5, executor=executor)
            yield executor


def timer(name: str, work: Callable[[Executor | None], int], executor: Executor | None, expected: int) -> Timer:
    """A timer of a task on an executor."""
    return counting(name, lambda: work(executor), expected)


def measure(name: str, work: Callable[[Executor | None], int], expected: int, options: argparse.Namespace) -> Iterator[Row]:
    """Time a task without and with 1, 2, 4, ... processes."""
    with contextlib.ExitStack() as stack:
        executors: dict[int, Executor | None] = {0: None}
        processes = 1
        while processes <= options.processes:
            executors[processes] = stack.enter_context(pool(processes, options.dask))
            processes *= 2
        timers = {count: timer(f"{name}, {count} processes", work, executor, expected) for count, executor in executors.items()}
        seconds = interleave(timers, options.rounds)
    for count, times in seconds.items():
        yield Row(name, count, statistics.median(times), Spread.ratios(seconds[0], times))


def main() -> None:
    """Print a row for each task and number of processes."""
    parser = option_parser(__doc__, rounds=3)
    parser.add_argument("--depth", type=int, choices=LEAVES, default=6, help="of perft (default: %(default)s)")
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
