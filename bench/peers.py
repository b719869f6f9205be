"""Time the Python API beside those of python-chess, cshogi and py-draughts: listing moves, push and pop, perft in Python.

usage:
    pip install .[peers]
    python bench/peers.py
    python bench/peers.py --json

The games differ, so times are per move (per leaf for perft), and every number of moves is checked. Ratios are a package's time
over ours of the same round: above 1, yote_fast is faster. Our push refuses illegal moves; those of python-chess and cshogi trust
their caller, and py-draughts only looks whose piece moves. A peer that is not installed is left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import importlib.util
import json
import operator
import statistics
import sys
import timeit
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from timing import Spread, Timer, check, interleave, option_parser

from yote_fast.bench import MIDDLE_GAME

PERFT_DEPTH = 3
RUN_SECONDS = 0.05
"""About how long one timed run lasts, unless doing its work once already takes longer."""


@dataclass(frozen=True)
class Position:
    """A position of some game, its number of legal moves, and its perft to ``PERFT_DEPTH``."""

    text: str
    moves: int
    leaves: int


@dataclass(frozen=True)
class Package:
    """A package with a board that has ``legal_moves``, ``push`` and ``pop``."""

    name: str
    module: str
    loader: str
    """What in the module makes a board of a position's text."""
    opening: Position
    middle: Position

    @property
    def installed(self) -> bool:
        """Whether the module can be imported."""
        return importlib.util.find_spec(self.module) is not None

    def board(self, position: Position) -> Any:
        """A board with a position."""
        return operator.attrgetter(self.loader)(importlib.import_module(self.module))(position.text)


@dataclass(frozen=True)
class Task:
    """Something that every package can do, as code for ``timeit``.

    As text it is compiled anew for each package, so that no package runs bytecode that the interpreter specialised for another.
    """

    title: str
    unit: str
    setup: str
    code: str

    def size(self, position: Position) -> int:
        """How many units doing it once makes."""
        return position.leaves if self.unit == "leaf" else position.moves


@dataclass(frozen=True)
class Row:
    """A package's result in one task and position."""

    task: str
    position: str
    package: str
    unit: str
    units: int
    nanoseconds: float
    per_second: float
    ratio: Spread

    def __str__(self) -> str:
        return (
            f"  {self.position:<8} {self.package:<12} {self.units:>10,} {self.nanoseconds:>10,.1f} {self.per_second:>14,.0f}"
            f"  {self.ratio}"
        )


OURS = Package(
    "yote_fast",
    "yote_fast",
    "Board",
    opening=Position("3c2/6/5C/C1C3/3c2 w 9/8", 35, 37_739),
    middle=Position(MIDDLE_GAME, 63, 151_491),
)
PEERS = (
    Package(
        "chess",
        "chess",
        "Board",
        opening=Position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 20, 8_902),
        middle=Position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 48, 97_862),
    ),
    Package(
        "cshogi",
        "cshogi",
        "Board",
        opening=Position("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 30, 25_470),
        middle=Position("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 207, 4_809_015),
    ),
    Package(
        "py-draughts",
        "draughts",
        "Board.from_fen",
        opening=Position(f"W:W{','.join(map(str, range(31, 51)))}:B{','.join(map(str, range(1, 21)))}", 9, 658),
        middle=Position("W:WK14,23,24,30,33,36,37,38,40,43,44,46,47,48,49,50:B2,3,4,6,7,12,16,21", 26, 4_637),
    ),
)
TASKS = (
    Task("list(board.legal_moves)", "move", "", "list(board.legal_moves)"),
    Task(
        "push and pop of each legal move",
        "pair",
        "push, pop, moves = board.push, board.pop, list(board.legal_moves)",
        "for move in moves:\n    push(move)\n    pop()",
    ),
    Task(
        f"perft {PERFT_DEPTH} in Python, every move played",
        "leaf",
        """
def perft(board, depth):
    push, pop, leaves = board.push, board.pop, 0
    for move in list(board.legal_moves):
        push(move)
        leaves += perft(board, depth - 1) if depth > 1 else 1
        pop()
    return leaves
""",
        "check('perft', perft(board, depth), leaves)",
    ),
)


def main() -> None:
    """Run every task, printing the table of each as soon as it is done."""
    options = option_parser(__doc__, rounds=7).parse_args()
    for peer in PEERS:
        if not peer.installed:
            print(f"{peer.name} is not installed and left out; to have all peers: pip install .[peers]", file=sys.stderr)
    packages = [OURS, *(peer for peer in PEERS if peer.installed)]
    results = [dataclasses.asdict(row) for task in TASKS for row in _table(task, packages, options)]
    if options.json:
        print(json.dumps({"rounds": options.rounds, "results": results}, indent=2))


def _table(task: Task, packages: Iterable[Package], options: argparse.Namespace) -> Iterator[Row]:
    """The rows of a task, printed first unless only JSON is wanted."""
    if not options.json:
        print(f"{task.title}\n  {'position':<8} {'package':<12} {task.unit:>10} {'ns each':>10} {'a second':>14}  time / ours")
    for name in ("opening", "middle"):
        for row in measure(task, name, packages, options.rounds):
            if not options.json:
                print(row, flush=True)
            yield row


def measure(task: Task, position_name: str, packages: Iterable[Package], rounds: int) -> Iterator[Row]:
    """Time a task in one kind of position, all packages in turn."""
    positions: dict[Package, Position] = {package: getattr(package, position_name) for package in packages}
    timers = {package: task_timer(task, package, position) for package, position in positions.items()}
    seconds = interleave(timers, rounds)
    for package, position in positions.items():
        each = statistics.median(seconds[package])
        ratio = Spread.ratios(seconds[package], seconds[OURS])
        yield Row(task.title, position_name, package.name, task.unit, task.size(position), each * 1e9, 1 / each, ratio)


def task_timer(task: Task, package: Package, position: Position) -> Timer:
    """A timer of a task, in seconds a unit."""
    board = package.board(position)
    check(f"{package.name}, legal moves", len(list(board.legal_moves)), position.moves)
    names = {"board": board, "depth": PERFT_DEPTH, "leaves": position.leaves, "check": check}
    timer = timeit.Timer(task.code, task.setup, globals=names)
    tried, taken = timer.autorange()
    number = max(1, round(tried * RUN_SECONDS / taken))
    return lambda: timer.timeit(number) / (number * task.size(position))


if __name__ == "__main__":
    main()
