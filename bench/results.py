"""Solve small games and endgames, and write what comes out as a page: docs/results.md.

usage:
    python bench/results.py                  print the page
    python bench/results.py --size 100000    only games of so many positions, for a quick look
    python bench/results.py --write          write it to docs/results.md

Of each preset and board the graph takes more and more pieces, until a game could have too many positions. Larger games and
endgames are solved by tables in the user's data folder, which are made up to a size; what the commands of the page made there
before is read, whatever its size. The first time that takes an hour.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yote_fast as yf
from yote_fast import tablebase
from yote_fast.graph_size import most_classes
from yote_fast.solve import Counts
from yote_fast.tablebase import Metric, Plan, Slice, Tablebase

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
BOARDS = [(2, 3), (2, 4), (3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5), (5, 6)]
MOST_PIECES = 12
MEMORY_MB = 4096
THREADS = 2
LARGE = [(3, 4, 12), (3, 5, 7), (4, 4, 11), (4, 4, 12), (4, 5, 6), (5, 5, 4), (5, 5, 5), (5, 5, 6), (5, 6, 4), (5, 6, 5)]
"""Rows, columns and pieces of games that are solved by tables."""
METRICS: tuple[Metric, ...] = ("dtw", "wdl")
STAGES = range(2, 13, 2)
"""Pieces of each side that a stage of Choko's moving phase starts with."""
RATED_STAGE = 4
"""The one that tells how fast this machine is."""

SOLVED = """
### Solved so far

Slices of the moving phase, by the commands of the stages; those with a longest win with `--metric dtw` besides. A command that is
given again goes on with what is missing.

"""
HEAD = """# Solved games

What the first player can reach from the empty board, and all positions that play can reach, by their value for the side to move.
Endless play is a draw. The first player's value is for play without a mistake; a longest win is one from any of the positions.

Each row has the command that finds it again; `python bench/results.py --write` writes the page. After the games of each preset
there are larger games, endgames, and how far Choko is solved.
"""


def main() -> None:
    """Print or write the page, with a note on stderr for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--size", type=float, default=1.5e6, help="upper bound of the positions of a graph, up to symmetry (default: %(default)s)"
    )
    parser.add_argument(
        "--values", type=float, default=2.5e8, help="upper bound of the values of tables that are made (default: %(default)s)"
    )
    parser.add_argument("--write", action="store_true", help="write docs/results.md instead of printing it")
    options = parser.parse_args()
    text = HEAD + "".join(section(name, preset, options.size) for name, preset in yf.PRESETS.items())
    text += larger_games(options.values) + endgames() + choko(options.values)
    if options.write:
        beside = PAGE.with_suffix(".tmp")
        beside.write_text(text, encoding="utf-8")
        beside.replace(PAGE)
    else:
        print(text, end="")


# Graphs ---------------------------------------------------------------------------------------------------------------------------


def section(name: str, preset: yf.Rules, size: float) -> str:
    """The games of a preset."""
    lines = [
        f"\n## Rules {name}\n",
        "| board | pieces | first player | positions | won | drawn | lost | longest win | longest loss | |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|---|",
        *rows(name, preset, size),
    ]
    return "\n".join(lines) + "\n"


def rows(name: str, preset: yf.Rules, size: float) -> Iterator[str]:
    """The games of a preset on all boards."""
    for height, width in BOARDS:
        for pieces in range(1, MOST_PIECES + 1):
            rules = dataclasses.replace(preset, rows=height, cols=width, pieces=pieces)
            board = yf.Board(rules=rules)
            if most_classes(board) > size:
                break
            solution = yf.solve(board, method="graph", memory_mb=MEMORY_MB)
            note(f"{name} {height} x {width}, {pieces} pieces: {solution} ({solution.time:.1f} s)")
            assert solution.counts is not None, solution.reason
            yield row(name, rules, solution, solution.counts)


def row(name: str, rules: yf.Rules, solution: yf.Solution, counts: Counts) -> str:
    """One game."""
    value = str(solution).split(":")[0]
    numbers = (counts.positions, counts.wins, counts.draws, counts.losses)
    longest = (str(plies) if plies is not None and plies >= 0 else "-" for plies in (counts.longest_win, counts.longest_loss))
    preset = f" --rules {name}" if name != "yote" else ""
    command = f"`yote solve{preset} --rows {rules.rows} --cols {rules.cols} --pieces {rules.pieces}`"
    cells = [f"{rules.rows} x {rules.cols}", str(rules.pieces), value, *(f"{number:,}" for number in numbers), *longest, command]
    return f"| {' | '.join(cells)} |"


# Tables ---------------------------------------------------------------------------------------------------------------------------


def larger_games(values: float) -> str:
    """Whole games that are too large for a graph."""
    text = """
## Larger games

Solved by tables: the counts are of all positions whose numbers of pieces play can reach, also with the sides exchanged, and of two
positions that differ only in the colours there is one. A longest win is shown by a position with White to move.

"""
    head = "| rules | board | pieces | first player | positions | won | drawn | lost | longest win | shown by | |\n"
    text += head + "|---|---|---:|---|---:|---:|---:|---:|---:|---|---|\n"
    for preset in (yf.YOTE, yf.CHOKO):
        for height, width, pieces in LARGE:
            rules = dataclasses.replace(preset, rows=height, cols=width, pieces=pieces)
            opened = open_tables(rules, True, values)
            if opened is not None:
                with opened[0]:
                    text += game_row(rules, *opened)
    return text


def open_tables(rules: yf.Rules, start: bool | yf.Board, values: float) -> tuple[Tablebase, Plan, Metric] | None:
    """The tables of a game, the best there are; made if they have no more than so many values; None if they would be too large."""
    folder = tablebase.default_folder(rules)
    for metric in METRICS:
        plan = tablebase.make_plan(rules, pieces=None, start=start, metric=metric, folder=folder)
        if not plan.missing:
            return tablebase.open(folder), plan, metric
        if plan.cells <= values:
            started = time.monotonic()
            built = tablebase.build(rules, start=start, metric=metric, threads=THREADS, memory_mb=MEMORY_MB)
            note(f"{rules}: {plan.cells:,} values ({time.monotonic() - started:.1f} s)")
            return built, plan, metric
    return None


def game_row(rules: yf.Rules, tables: Tablebase, plan: Plan, metric: Metric) -> str:
    """One whole game."""
    board = yf.Board(rules=rules)
    names = {1: "win", 0: "draw", -1: "loss"}
    value = names[tables.probe_wdl(board)]
    if metric == "dtw" and value != "draw":
        value += f" in {abs(tables.probe_dtw(board))}"
    command = f"`yote tablebase build --rules {rules} --start --metric {metric}`"
    name = "choko" if rules.drop_initiative else "yote"
    cells = [name, f"{rules.rows} x {rules.cols}", str(rules.pieces), value, *counted(tables, plan.slices, metric), command]
    return f"| {' | '.join(cells)} |\n"


def counted(tables: Tablebase, slices: list[Slice], metric: Metric) -> list[str]:
    """Positions, wins, draws, losses, the longest win and its position, of slices together."""
    found = {slice_: tables.counts(slice_, metric) for slice_ in slices}
    sums = [sum(getattr(counts, name) for counts in found.values()) for name in ("positions", "wins", "draws", "losses")]
    plies, slice_ = max((-1 if counts.longest_win is None else counts.longest_win, slice_) for slice_, counts in found.items())
    longest = ["-", ""] if plies < 0 else [str(plies), f"`{tables.longest(slice_)[0]}`"]
    return [*(f"{number:,}" for number in sums), *longest]


def endgames() -> str:
    """Shares of the slices with few pieces on the board of Yoté."""
    folder = tablebase.default_folder(yf.YOTE)
    with tablebase.build(pieces=6, metric="dtw", path=folder, threads=THREADS) as tables:
        slices = [slice_ for slice_ in tables.slices if slice_.ha == slice_.hb == 0]
        text = """
## Endgames of Yoté

All positions with so many pieces of the side to move against so many of its opponent, none in hand, on the board of 5 x 6:
`yote tablebase build --pieces 6 --metric dtw`, and with `--pieces 8` alone those without a longest win. `yote tablebase info`
prints all slices, those with pieces in hand too.

"""
        return text + shares(tables, slices)


def shares(tables: Tablebase, slices: list[Slice]) -> str:
    """A row for each slice."""
    text = (
        "| pieces | against | positions | won | drawn | lost | longest win | shown by |\n|---:|---:|---:|---:|---:|---:|---:|---|\n"
    )
    for slice_ in slices:
        counts = tables.counts(slice_)
        parts = [f"{part / counts.positions:.2%}" for part in (counts.wins, counts.draws, counts.losses)]
        shown = tables.longest(slice_)[0]
        longest = ["-" if counts.longest_win is None else str(counts.longest_win), "" if shown is None else f"`{shown}`"]
        text += f"| {' | '.join([str(slice_.a), str(slice_.b), f'{counts.positions:,}', *parts, *longest])} |\n"
    return text


# Choko ----------------------------------------------------------------------------------------------------------------------------


def choko(values: float) -> str:
    """The moving phase as far as it is solved, and what the rest will take."""
    for pieces in STAGES:
        opened = open_tables(yf.CHOKO, stage(pieces), values)
        if opened is not None:
            opened[0].close()
    folder = tablebase.default_folder(yf.CHOKO)
    with tablebase.open(folder) as tables:
        slices = [slice_ for slice_ in tables.slices if slice_.ha == slice_.hb == 0]
        solved = shares(tables, slices)
    rate, bits = measured()
    text = f"""
## Choko: the way to the whole game

The moving phase of Choko begins when both hands are empty. A stage has all that play can reach from a number of pieces of each
side; it needs all stages before. The whole game has the drops too, with the duty to answer them. Stored values are up to symmetry;
memory is what does without work from disk, and the least; disk is at {bits:.2f} bits a value, as measured; the time is that of one
thread at {rate / 1e6:.1f} million values a second, as measured by building the stage from {RATED_STAGE} pieces.

| stage | positions | stored values | memory, MB | least, MB | disk, MB | time | solved | |
|---|---:|---:|---:|---:|---:|---:|---:|---|
"""
    for pieces in (*STAGES, None):
        start: bool | yf.Board = True if pieces is None else stage(pieces)
        plan = tablebase.make_plan(yf.CHOKO, pieces=None, start=start, metric="wdl", folder=folder)
        name = "whole game" if pieces is None else f"from {pieces} pieces each"
        what = "--start" if isinstance(start, bool) else f'--yfen "{start.yfen()}"'
        whole = dataclasses.replace(plan, missing=plan.pairs)
        numbers = [plan.positions, plan.cells, whole.memory_bytes >> 20, whole.least_bytes(1) >> 20, plan.cells * bits / 8e6]
        share = f"{1 - plan.cells_missing / plan.cells:.1%}"
        cells = [name, *(f"{number:,.0f}" for number in numbers), duration(plan.cells / rate), share]
        text += f"| {' | '.join(cells)} | `yote tablebase build --rules choko {what}` |\n"
    return text + SOLVED + solved


def stage(pieces: int) -> yf.Board:
    """A position of Choko with so many pieces of each side and empty hands."""
    squares = "C" * pieces + "." * (25 - 2 * pieces) + "c" * pieces
    lines = (squares[first : first + 5] for first in range(0, 25, 5))
    text = "/".join("".join(str(len(part)) if "." in part else part for part in runs(line)) for line in lines)
    return yf.Board(f"{text} w 0/0", yf.CHOKO)


def runs(line: str) -> Iterator[str]:
    """The pieces of a line one by one, and its runs of empty squares."""
    while line:
        length = max(len(line) - len(line.lstrip(".")), 1)
        yield line[:length]
        line = line[length:]


def measured() -> tuple[float, float]:
    """Values a second of one thread, files included, and bits a value on disk."""
    with tempfile.TemporaryDirectory() as folder:
        plan = tablebase.make_plan(yf.CHOKO, pieces=None, start=stage(RATED_STAGE), metric="wdl", folder=Path(folder))
        started = time.perf_counter()
        with tablebase.build(yf.CHOKO, start=stage(RATED_STAGE), path=folder) as tables:
            seconds = time.perf_counter() - started
            size = sum(tables.file_size(slice_, "wdl") for slice_ in plan.slices)
    return plan.cells / seconds, 8 * size / plan.cells


def duration(seconds: float) -> str:
    """In the unit that fits."""
    unit, length = next((unit, length) for unit, length in (("h", 3600), ("min", 60), ("s", 1)) if seconds >= length or unit == "s")
    return f"{seconds / length:.0f} {unit}"


def note(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
