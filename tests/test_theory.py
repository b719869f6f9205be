"""The theory of small games: both engines, solved here by going back from every end, give the values that another program found."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import pytest
from cases import read_jsonl
from engines import COMPILED, REFERENCE, Engine, Game

from yote_fast.rules import Rules


@dataclass
class Node:
    """A position of the whole game: what is known of it without its actions, and how play comes to it."""

    turn: bool
    end: str
    before: list[str] = field(default_factory=list)
    actions: int = 0


def explore(start: Game) -> dict[str, Node]:
    """All positions that play leads to."""
    nodes = {start.yfen(): Node(start.turn, value_of_end(start))}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        here = position.yfen()
        for _, game in position.moves():
            there = game.yfen()
            if there not in nodes:
                nodes[there] = Node(game.turn, value_of_end(game))
                waiting.append(game)
            nodes[there].before.append(here)
            nodes[here].actions += 1
    return nodes


def solve(start: Game) -> dict[str, tuple[str, int]]:
    """For every position its value for the side to move and the number of actions to the end, by going back from the ends."""
    nodes = explore(start)
    values = {yfen: (node.end, 0) for yfen, node in nodes.items() if node.end in ("win", "loss")}
    waiting = deque(values)
    # Shortest first, so that a win is found by its fastest way and a loss by its slowest.
    while waiting:
        yfen = waiting.popleft()
        value, distance = values[yfen]
        for before in nodes[yfen].before:
            previous = nodes[before]
            previous.actions -= 1
            if before in values:
                continue
            same_side = previous.turn == nodes[yfen].turn
            if (value == "win") == same_side:
                values[before] = ("win", distance + 1)
                waiting.append(before)
            elif previous.actions == 0:
                values[before] = ("loss", distance + 1)
                waiting.append(before)
    return {yfen: values.get(yfen, ("draw", 0)) for yfen in nodes}


def value_of_end(game: Game) -> str:
    """``win`` or ``loss`` of the side to move in a finished game, else something else."""
    result = game.result()
    if result not in ("1-0", "0-1"):
        return result
    return "win" if (result == "1-0") == game.turn else "loss"


SOLVED = read_jsonl("solve.jsonl")


def solved_cases(least: int, most: int, every: int = 1) -> pytest.MarkDecorator:
    cases = [case for case in SOLVED if least <= case["positions"] <= most][::every]
    return pytest.mark.parametrize("case", cases, ids=lambda case: f"{json.dumps(case['rules'])} {case['yfen']}")


def assert_solution(engine: Engine, case: dict[str, Any]) -> None:
    rules = Rules(**case["rules"])
    values = solve(engine.position(case["yfen"], rules))
    expected = {key: case[key] for key in ("positions", "win", "draw", "loss", "longest_win", "longest_loss")}
    found = {"positions": len(values)}
    for name in ("win", "draw", "loss"):
        found[name] = sum(value == name for value, _ in values.values())
    for name in ("win", "loss"):
        found[f"longest_{name}"] = max((distance for value, distance in values.values() if value == name), default=-1)
    assert found == expected
    start = engine.position(case["yfen"], rules).yfen()
    assert values[start] == (case["start"], case["start_distance"])


@solved_cases(0, 3_000)
def test_small_theory(engine: Engine, case: dict[str, Any]) -> None:
    assert_solution(engine, case)


# The largest cases, up to half a million positions, would take many minutes.
@pytest.mark.slow
@solved_cases(3_001, 20_000)
def test_theory(case: dict[str, Any]) -> None:
    assert_solution(COMPILED, case)


@pytest.mark.slow
@solved_cases(3_001, 20_000, every=3)
def test_theory_of_the_reference(case: dict[str, Any]) -> None:
    assert_solution(REFERENCE, case)
