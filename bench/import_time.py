"""Time ``import yote_fast`` in a new interpreter, over an interpreter that does nothing.

usage:
    python bench/import_time.py
    python bench/import_time.py --json
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import time

from timing import Spread, Timer, interleave, option_parser


def main() -> None:
    """Time both, and print the spread of each and of the difference, in milliseconds."""
    options = option_parser(__doc__, rounds=25).parse_args()
    timers = {"python": interpreter_timer("pass"), "with import": interpreter_timer("import yote_fast")}
    # Untimed, for the first import writes bytecode and reads the disk.
    interleave(timers, 1)
    bare, full = interleave(timers, options.rounds).values()
    results = {
        "python": _milliseconds(bare),
        "with import": _milliseconds(full),
        "difference": _milliseconds([b - a for a, b in zip(bare, full, strict=True)]),
    }
    if options.json:
        spreads = {name: dataclasses.asdict(spread) for name, spread in results.items()}
        print(json.dumps({"rounds": options.rounds, "milliseconds": spreads}, indent=2))
        return
    for name, spread in results.items():
        print(f"{name:<12} {spread} ms")


def interpreter_timer(code: str) -> Timer:
    """A timer of a new interpreter that runs some code, from its start to its end."""

    def timer() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - started

    return timer


def _milliseconds(seconds: list[float]) -> Spread:
    return Spread.of(1000 * value for value in seconds)


if __name__ == "__main__":
    main()
