"""Time the search: positions a second beside a plain alpha-beta engine and beside perft, and two threads against one.

usage:
    python bench/search.py
    python bench/search.py --rounds 3 --json

Positions are those of a plain middle game, with the ones of quiescence counted by both engines; perft's are its leaves there. One
thread searches the same positions every time, and that is checked. Needs g++ and the installed package.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from timing import Spread, check, counting, interleave, option_parser

import yote_fast as yf
from yote_fast.bench import MIDDLE_GAME

SPARRING = Path(__file__).parent / "baseline" / "sparring.cpp"
SPARRING_DEPTH, SPARRING_NODES = 10, 2_918_536
DEPTH = 13
PERFT_DEPTH, PERFT_LEAVES = 5, 322_108_368
HASH_MB = 64


@dataclasses.dataclass
class Searcher:
    """Searches the middle game from nothing to the same depth, again and again."""

    threads: int
    nodes: list[int] = dataclasses.field(default_factory=list)
    """Of each time."""

    def timer(self) -> float:
        """Search, and tell the seconds."""
        with yf.Engine(hash_mb=HASH_MB, threads=self.threads, tablebase=None) as engine:
            started = time.perf_counter()
            self.nodes.append(engine.analyse(yf.Board(MIDDLE_GAME), yf.Limit(depth=DEPTH)).nodes)
            seconds = time.perf_counter() - started
        if self.threads == 1:
            check("the search", self.nodes[-1], self.nodes[0])
        return seconds


@dataclasses.dataclass(frozen=True)
class Result:
    """What one comparison found."""

    title: str
    values: dict[str, Spread]
    ratio: Spread
    """The first over the second, pair by pair."""

    def __str__(self) -> str:
        lines = [f"{self.title}: {self.ratio}"]
        lines += [f"  {name:<24} {spread}" for name, spread in self.values.items()]
        return "\n".join(lines)


def main() -> None:
    """Run everything."""
    parser = option_parser(__doc__, rounds=5)
    options = parser.parse_args()
    if shutil.which("g++") is None:
        parser.error("g++ is needed to compile the other engine; on Debian and Ubuntu: apt-get install g++")
    with tempfile.TemporaryDirectory() as folder:
        results = [*speeds(Path(folder), options.rounds), *threads(options.rounds)]
    if options.json:
        print(json.dumps({"build": yf.build_info(), "results": [dataclasses.asdict(result) for result in results]}, indent=2))
    else:
        print(*results, sep="\n")


def speeds(folder: Path, rounds: int) -> list[Result]:
    """Positions a second of both engines, and leaves a second of perft."""
    program = folder / "sparring"
    subprocess.run(["g++", "-O3", "-march=native", "-o", program, SPARRING], check=True)
    ours, board = Searcher(1), yf.Board(MIDDLE_GAME)
    seconds = interleave(
        {
            "yote_fast": ours.timer,
            "sparring": sparring_timer(program),
            "perft": counting("perft", lambda: yf.perft(board, PERFT_DEPTH), PERFT_LEAVES),
        },
        rounds,
    )
    counts = {"yote_fast": ours.nodes[0], "sparring": SPARRING_NODES, "perft": PERFT_LEAVES}
    speed = {name: [counts[name] / taken for taken in seconds[name]] for name in counts}
    return [
        Result(
            f"positions a second, against {other}",
            {name: Spread.of(speed[name]) for name in ("yote_fast", other)},
            Spread.ratios(speed["yote_fast"], speed[other]),
        )
        for other in ("sparring", "perft")
    ]


def sparring_timer(program: Path) -> Callable[[], float]:
    """A timer of the other engine's search, by its own clock: to start the program does not count."""

    def timer() -> float:
        commands = f"position fen {MIDDLE_GAME}\ngo depth {SPARRING_DEPTH}\nquit\n"
        output = subprocess.run([program], input=commands, check=True, capture_output=True, text=True).stdout
        # The last depth's line: info depth 10 score cp 230 nodes 2918536 nps 2457004 time 1188 pv ...
        words = output.splitlines()[-2].split()
        check("sparring", int(words[words.index("nodes") + 1]), SPARRING_NODES)
        return SPARRING_NODES / float(words[words.index("nps") + 1])

    return timer


def threads(rounds: int) -> list[Result]:
    """Two threads against one: positions a second, and the time to a depth."""
    one, two = Searcher(1), Searcher(2)
    seconds = interleave({"1 thread": one.timer, "2 threads": two.timer}, rounds)
    speed = {
        "2 threads": [nodes / taken for nodes, taken in zip(two.nodes, seconds["2 threads"], strict=True)],
        "1 thread": [nodes / taken for nodes, taken in zip(one.nodes, seconds["1 thread"], strict=True)],
    }
    return [
        Result(
            "positions a second, two threads against one",
            {name: Spread.of(values) for name, values in speed.items()},
            Spread.ratios(speed["2 threads"], speed["1 thread"]),
        ),
        Result(
            f"seconds to depth {DEPTH}, one thread against two",
            {name: Spread.of(values) for name, values in seconds.items()},
            Spread.ratios(seconds["1 thread"], seconds["2 threads"]),
        ),
    ]


if __name__ == "__main__":
    main()
