"""Time batches of games: random playouts, and steps with the mask of legal actions, beside boards and other packages.

usage:
    pip install .[rl,peers] pygame
    python bench/batch.py
    python bench/batch.py --json

All play random legal actions on one thread, and every number of actions is checked. The games differ, so times are per action.
Ratios are a player's time over that of our playouts of the same round. A package that is not installed is left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from timing import Spread, Timer, check, interleave, option_parser

import yote_fast as yf

PLAYOUTS = 2_000
PLAYOUT_ACTIONS = 176_776
GAMES = 1_024
STEPS = 100
STEP_ENDED = 747
MAX_MEGABYTES = 16


@dataclass(frozen=True)
class Row:
    """How fast a player plays."""

    name: str
    actions: int
    nanoseconds: float
    per_second: float
    ratio: Spread

    def __str__(self) -> str:
        return f"{self.name:<44} {self.actions:>9,} {self.nanoseconds:>10,.1f} {self.per_second:>14,.0f}  {self.ratio}"


def playouts() -> int:
    """Whole random games."""
    boards = yf.batch.Boards(PLAYOUTS, seed=1)
    played = boards.play_out()
    check("playouts", played, PLAYOUT_ACTIONS)
    return played


def steps(mask: Callable[[yf.batch.Boards], object]) -> Callable[[], int]:
    """Steps of many games together, with a mask before each."""

    def play() -> int:
        boards = yf.batch.Boards(GAMES, seed=1, auto_reset=True)
        ended = 0
        for _ in range(STEPS):
            mask(boards)
            ended += int(boards.step(boards.random_actions())[0].sum())
        check("steps", ended, STEP_ENDED)
        return GAMES * STEPS

    return play


def packed() -> Callable[[yf.batch.Boards], object]:
    """A mask of bits, always in the same array."""
    out = yf.batch.Boards(GAMES).packed_mask()
    return lambda boards: boards.packed_mask(out)


def unpacked() -> Callable[[yf.batch.Boards], object]:
    """A mask of bools, always in the same array."""
    out = yf.batch.Boards(GAMES).mask()
    return lambda boards: boards.mask(out)


def boards_one_by_one() -> int:
    """Random games on boards, move by move."""
    chance, played = random.Random(1), 0
    for _ in range(20):
        board = yf.Board()
        while not board.is_game_over():
            board.push(chance.choice(list(board.legal_moves)))
            played += 1
    check("boards", played, 1_735)
    return played


def openspiel() -> int:
    """Random games of OpenSpiel's breakthrough, a game in C++ with about as many actions."""
    spiel: Any = importlib.import_module("pyspiel")
    game, chance, played = spiel.load_game("breakthrough"), random.Random(1), 0
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            played += 1
    check("breakthrough", played, 1_200)
    return played


def pettingzoo() -> int:
    """Random actions in PettingZoo's chess, with observation and mask."""
    env: Any = importlib.import_module("pettingzoo.classic.chess_v6").env()
    chance, played = random.Random(1), 0
    env.reset(seed=1)
    while played < 200:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset(seed=1)
            continue
        env.step(int(chance.choice(np.flatnonzero(observation["action_mask"]))))
        played += 1
    return played


def players() -> Iterator[tuple[str, Callable[[], int]]]:
    """Each player's name, and what plays and tells how many actions."""
    yield "Boards.play_out", playouts
    yield "Boards.random_actions, step", steps(lambda _: None)
    yield "Boards.packed_mask, random_actions, step", steps(packed())
    yield "Boards.mask, random_actions, step", steps(unpacked())
    yield "Board.push", boards_one_by_one
    if importlib.util.find_spec("pyspiel"):
        yield "OpenSpiel breakthrough", openspiel
    if all(importlib.util.find_spec(module) for module in ("pettingzoo", "chess", "pygame")):
        yield "PettingZoo chess", pettingzoo


def timer(play: Callable[[], int]) -> Timer:
    """A timer in seconds an action."""

    def run() -> float:
        started = time.perf_counter()
        played = play()
        return (time.perf_counter() - started) / played

    return run


def memory(count: int) -> tuple[float, float]:
    """The megabytes of so many games, at the start and after playouts."""
    boards = yf.batch.Boards(count, seed=1)
    start = boards.nbytes / 1e6
    boards.play_out()
    return start, boards.nbytes / 1e6


def main() -> None:
    """Time all players and print the table."""
    options: argparse.Namespace = option_parser(__doc__, rounds=7).parse_args()
    found = dict(players())
    seconds = interleave({name: timer(play) for name, play in found.items()}, options.rounds)
    rows = []
    for name, play in found.items():
        each = statistics.median(seconds[name])
        rows.append(Row(name, play(), each * 1e9, 1 / each, Spread.ratios(seconds[name], seconds["Boards.play_out"])))
    start, after = memory(100_000)
    check("memory in bounds", int(max(start, after) <= MAX_MEGABYTES), 1)
    if options.json:
        print(json.dumps({"rounds": options.rounds, "megabytes": after, "results": [*map(dataclasses.asdict, rows)]}, indent=2))
        return
    print(f"{'':<44} {'actions':>9} {'ns each':>10} {'a second':>14}  time / playouts")
    for row in rows:
        print(row)
    print(f"100,000 games take {start:.1f} MB, after playouts {after:.1f} MB")


if __name__ == "__main__":
    main()
