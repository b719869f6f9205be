"""Time exact values: whole graphs, against a plain way to the same numbers, and proofs by search. Every count is checked.

usage:
    python bench/solve.py              the full run, some minutes
    python bench/solve.py --rounds 1   a quick look
    python bench/solve.py --json       the same as one JSON object

The yardstick for graphs is the same analysis in plain Python over the package's own board: a dictionary of positions and their
parents.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator

from timing import Spread, Timer, check, interleave, option_parser

import yote_fast as yf
from yote_fast.core import Graph
from yote_fast.solve import Counts


@dataclasses.dataclass(frozen=True)
class GraphCase:
    """A game and what is known of its graph."""

    rules: str
    positions: int
    draws: int


COMPARED = GraphCase("yote+rows=3+cols=3+pieces=3", 16_970, 4_154)
CASES = [
    GraphCase("yote+rows=3+cols=4+pieces=6", 2_887_801, 622_597),
    GraphCase("yote+rows=4+cols=4+pieces=4", 5_392_869, 1_993_411),
    GraphCase("heroes+rows=3+cols=3+pieces=3", 159_423, 37_511),
    GraphCase("challenges+rows=3+cols=3+pieces=2+trade_routes=1", 529_447, 255_283),
]
SEARCHED = ("6/2c3/6/3CC1/6 b 0/0", "yote+mandatory_capture", 44)


@dataclasses.dataclass(frozen=True)
class Row:
    """A graph, solved."""

    rules: str
    positions: int
    classes: int
    nodes: int
    seconds: float
    bytes: int
    most_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.rules}: {self.positions:,} positions, {self.classes:,} up to symmetry\n"
            f"  {self.seconds:8.3f} s {self.positions / self.seconds / 1e6:8.2f} M positions/s"
            f" {self.nodes / self.seconds / 1e6:8.2f} M nodes/s\n"
            f"  {self.bytes / self.classes:8.1f} bytes for each up to symmetry,"
            f" {self.most_bytes / self.classes:.1f} at the most; {self.most_bytes / self.positions:.2f} for each position"
        )


@dataclasses.dataclass(frozen=True)
class Ratio:
    """Two ways to the same result."""

    title: str
    first: str
    second: str
    first_seconds: float
    second_seconds: float
    ratio: Spread

    def __str__(self) -> str:
        return (
            f"{self.title}\n  {self.first:<16} {self.first_seconds:8.3f} s\n"
            f"  {self.second:<16} {self.second_seconds:8.3f} s  {self.ratio} times as fast"
        )


def main() -> None:
    """Run everything, printing each result as soon as it is known."""
    options = option_parser(__doc__, rounds=3).parse_args()
    results = []
    for result in _results(options.rounds):
        results.append(dataclasses.asdict(result))
        if not options.json:
            print(result, flush=True)
    if options.json:
        print(json.dumps({"build": yf.build_info(), "rounds": options.rounds, "results": results}, indent=2))


def _results(rounds: int) -> Iterator[Row | Ratio]:
    board = yf.Board(rules=yf.Rules.parse(COMPARED.rules))
    timers = {"plain Python": timer(lambda: plain_counts(board)), "graph": timer(lambda: graph_counts(board))}
    yield ratio("the graph of " + COMPARED.rules, timers, rounds)
    for case in CASES:
        yield sorted((measure(case) for _ in range(rounds)), key=lambda row: row.seconds)[rounds // 2]
    yfen, rules, plies = SEARCHED
    lost = yf.Board(yfen, yf.Rules.parse(rules))

    def search() -> None:
        check("search", yf.solve(lost, method="search").distance or 0, plies)

    def graph() -> None:
        check("graph", yf.solve(lost, method="graph").distance or 0, plies)

    yield ratio(f"a loss in {plies} plies", {"search": timer(search), "graph": timer(graph)}, rounds)


def timer(work: Callable[[], object]) -> Timer:
    """A timer of a function that checks what it finds."""

    def run() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return run


def ratio(title: str, timers: dict[str, Timer], rounds: int) -> Ratio:
    """Compare two timers."""
    (first, first_seconds), (second, second_seconds) = interleave(timers, rounds).items()
    spread = Spread.ratios(first_seconds, second_seconds)
    return Ratio(title, first, second, statistics.median(first_seconds), statistics.median(second_seconds), spread)


def measure(case: GraphCase) -> Row:
    """Solve one game."""
    board = yf.Board(rules=yf.Rules.parse(case.rules))
    started = time.perf_counter()
    graph = Graph(board, 4096, 0, 0)
    while graph.run(10.0) is None:
        pass
    seconds = time.perf_counter() - started
    counts = Counts(*graph.tally())
    check(case.rules, counts.positions, case.positions)
    check(case.rules, counts.draws, case.draws)
    return Row(case.rules, counts.positions, graph.classes, graph.nodes, seconds, graph.bytes, graph.most_bytes)


def graph_counts(board: yf.Board) -> None:
    """The package's own way."""
    counts = yf.solve(board, method="graph").counts
    assert counts is not None
    check("graph", counts.positions, COMPARED.positions)
    check("graph", counts.draws, COMPARED.draws)


def plain_counts(board: yf.Board) -> None:
    """Retrograde analysis as one would write it in Python."""
    parents: dict[str, list[tuple[str, bool]]] = {board.yfen(): []}
    moves_left: dict[str, int] = {}
    decided: dict[str, bool] = {}
    waiting = [board.copy()]
    while waiting:
        position = waiting.pop()
        here = position.yfen()
        moves_left[here] = len(position.legal_moves)
        if not moves_left[here]:
            outcome = position.outcome()
            if outcome is not None and outcome.winner is not None:
                decided[here] = outcome.winner == position.turn
        for move in position.legal_moves:
            child = position.copy(stack=False)
            child.push(move)
            there = child.yfen()
            if there not in parents:
                parents[there] = []
                waiting.append(child)
            parents[there].append((here, child.turn == position.turn))
    queue = deque(decided)
    while queue:
        here = queue.popleft()
        for parent, same_side in parents[here]:
            moves_left[parent] -= 1
            if parent not in decided and (decided[here] == same_side or not moves_left[parent]):
                decided[parent] = decided[here] == same_side
                queue.append(parent)
    check("plain Python", len(parents), COMPARED.positions)
    check("plain Python", len(parents) - len(decided), COMPARED.draws)


if __name__ == "__main__":
    main()
