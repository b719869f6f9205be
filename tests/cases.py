"""Expected values that were found by another program, read from ``tests/data``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yote_fast.rules import Rules

DATA = Path(__file__).parent / "data"

RESULTS = {"w": "1-0", "b": "0-1", "d": "1/2-1/2", "*": "*"}


@dataclass
class PerftCase:
    """A position with its result and its perft counts by depth."""

    id: str
    rules: Rules = field(default_factory=Rules)
    yfen: str = ""
    counts: dict[int, int] = field(default_factory=dict)
    result: str = ""


def read_rules(options: dict[str, Any]) -> Rules:
    """The rules of a case. The counts do not know the history, so a repeated position must not end a game."""
    return Rules(**options, repetition=0)


def perft_cases() -> list[PerftCase]:
    return [case for path in sorted(DATA.glob("perft/*.perft")) for case in _read_perft(path)]


def _read_perft(path: Path) -> list[PerftCase]:
    cases: list[PerftCase] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(" ")
        match key:
            case "id":
                cases.append(PerftCase(value))
            case "rules":
                cases[-1].rules = read_rules(json.loads(value))
            case "yfen":
                cases[-1].yfen = value
            case "perft":
                depth, count = value.split()
                cases[-1].counts[int(depth)] = int(count)
            case "result":
                cases[-1].result = RESULTS[value]
            case "" | "#":
                pass
            case _:
                raise ValueError(f"{path}: cannot read {line!r}")
    return cases


def read_jsonl(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
