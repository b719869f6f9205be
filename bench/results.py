"""Solve whole small games, and write what comes out as a page: docs/results.md.

usage:
    python bench/results.py                  print the page
    python bench/results.py --size 100000    only games of so many positions, for a quick look
    python bench/results.py --write          write it to docs/results.md, some minutes

Of each preset and board it takes more and more pieces, until a game could have too many positions.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

import yote_fast as yf
from yote_fast.graph_size import most_classes
from yote_fast.solve import Counts

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
BOARDS = [(2, 3), (2, 4), (3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5), (5, 6)]
MOST_PIECES = 12
MEMORY_MB = 4096

HEAD = """# Solved games

What the first player can reach from the empty board, and all positions that play can reach, by their value for the side to move.
Endless play is a draw. The first player's value is for play without a mistake; a longest win is one from any of the positions.

`yote solve` finds each row again, with the command at its end; `python bench/results.py --write` writes the page.
"""


def main() -> None:
    """Print or write the page, with a note on stderr for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--size", type=float, default=1.5e6, help="upper bound of the positions of a game, up to symmetry (default: %(default)s)"
    )
    parser.add_argument("--write", action="store_true", help="write docs/results.md instead of printing it")
    options = parser.parse_args()
    text = HEAD + "".join(section(name, preset, options.size) for name, preset in yf.PRESETS.items())
    if options.write:
        beside = PAGE.with_suffix(".tmp")
        beside.write_text(text, encoding="utf-8")
        beside.replace(PAGE)
    else:
        print(text, end="")


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
            print(f"{name} {height} x {width}, {pieces} pieces: {solution} ({solution.time:.1f} s)", file=sys.stderr)
            assert solution.counts is not None, solution.reason
            yield row(name, rules, solution, solution.counts)


def row(name: str, rules: yf.Rules, solution: yf.Solution, counts: Counts) -> str:
    """One game."""
    value = str(solution).split(":")[0]
    numbers = (counts.positions, counts.wins, counts.draws, counts.losses)
    longest = (str(plies) if plies >= 0 else "-" for plies in (counts.longest_win, counts.longest_loss))
    preset = f" --rules {name}" if name != "yote" else ""
    command = f"`yote solve{preset} --rows {rules.rows} --cols {rules.cols} --pieces {rules.pieces}`"
    cells = [f"{rules.rows} x {rules.cols}", str(rules.pieces), value, *(f"{number:,}" for number in numbers), *longest, command]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
