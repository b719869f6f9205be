"""Games of the engine against itself, as arrays to learn from.

>>> import yote_fast as yf
>>> from yote_fast.selfplay import self_play
>>> data = self_play(3, yf.Rules(rows=4, cols=4, pieces=5), limit=yf.Limit(nodes=200), seed=1)
>>> data.planes.shape[1:], len(data) == len(data.results)
((4, 4, 4), True)
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .analysis import Engine
from .checks import check_int
from .core import Actions, Board
from .executors import run_all
from .limit import Limit
from .openings import Openings
from .planes import plane_names
from .rules import YOTE, Rules

MAX_PLIES = 300
HASH_MB = 4
MEMORY_MB = 4096


@dataclass(frozen=True)
class SelfPlay:
    """Positions of games, one entry each, in the order of the games and of their actions. All from the side to move."""

    planes: NDArray[np.float32]
    """The positions, as :mod:`yote_fast.planes` has them: (positions, planes, rows, cols)."""
    actions: NDArray[np.int64]
    """The number of the action that was played."""
    scores: NDArray[np.int32]
    """The engine's score, in hundredths of a piece; near 30,000 or its negative for proven wins and losses."""
    results: NDArray[np.int8]
    """1 if the side to move won the game in the end, -1 if it lost, else 0."""
    games: NDArray[np.int64]
    """The number of the game, from 0."""

    def __len__(self) -> int:
        return len(self.games)


@dataclass(frozen=True)
class _Task:
    """Some games in a row: all that a worker needs to know."""

    first: int
    last: int
    rules: Rules
    limit: Limit
    opening_plies: int
    balance: int
    max_plies: int
    seed: int


def self_play(
    games: int,
    rules: Rules = YOTE,
    *,
    limit: Limit = Limit(nodes=1000),  # noqa: B008
    opening_plies: int = 8,
    balance: int = 1000,
    max_plies: int = MAX_PLIES,
    seed: int = 0,
    executor: Executor | None = None,
    games_per_task: int = 4,
    memory_mb: int = MEMORY_MB,
    progress: Callable[[int, int], object] | None = None,
) -> SelfPlay:
    """Let the engine play against itself.

    With a limit in nodes or depth a game depends on the arguments and its number alone, so any executor gives the same arrays.

    Args:
        games: how many games.
        rules: rules whose actions have numbers (:class:`yote_fast.batch.Actions`).
        limit: for each action.
        opening_plies: random actions that a game begins with; its positions are those after them.
        balance: the largest score, in hundredths of a piece, that a side may have after them.
        max_plies: a game of so many actions, the opening included, is drawn.
        seed: decides the openings.
        executor: plays the games, ``games_per_task`` at a time; None plays them here.
        memory_mb: megabytes that the arrays may take if every game goes on to ``max_plies``, and while they are joined.
        progress: called with the number of tasks done and their total whenever one is done.

    Raises:
        MemoryError: the games could take more than ``memory_mb``; none was played.
        ValueError: an argument is out of its bounds, the rules have chains or routes, or there is no such opening.
    """
    check_int("games", games, 1, 10**9)
    check_int("games_per_task", games_per_task, 1, 10**9)
    check_int("max_plies", max_plies, 1, 10**6)
    check_int("memory_mb", memory_mb, 1, 10**9)
    Actions(rules)
    _check_memory(games * max_plies, rules, memory_mb)
    tasks = [
        _Task(first, min(first + games_per_task, games), rules, limit, opening_plies, balance, max_plies, seed)
        for first in range(0, games, games_per_task)
    ]
    if executor is not None:
        return _joined(run_all(executor, _play, tasks, progress))
    parts = []
    for task in tasks:
        parts.append(_play(task))
        if progress is not None:
            progress(len(parts), len(tasks))
    return _joined(parts)


def _check_memory(positions: int, rules: Rules, memory_mb: int) -> None:
    """Find out before the games are played whether their positions fit: twice, for in the end their arrays are joined."""
    cells = len(plane_names(rules)) * rules.rows * rules.cols
    position = np.dtype([("planes", "f4", cells), ("action", "i8"), ("score", "i4"), ("result", "i1"), ("game", "i8")])
    needed = -(-2 * positions * position.itemsize // 2**20)
    if needed > memory_mb:
        raise MemoryError(
            f"the games could take {needed:,} MB of memory, more than memory_mb={memory_mb} allows: "
            "play fewer at a time, under other seeds"
        )


def _joined(parts: list[SelfPlay]) -> SelfPlay:
    return SelfPlay(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(SelfPlay)))


def _play(task: _Task) -> SelfPlay:
    openings = Openings(task.rules, plies=task.opening_plies, balance=task.balance, seed=task.seed)
    engine = Engine(hash_mb=HASH_MB)
    return _joined([_play_one(task, number, openings.get(number), engine) for number in range(task.first, task.last)])


def _play_one(task: _Task, number: int, board: Board, engine: Engine) -> SelfPlay:
    numbering = Actions(task.rules)
    planes, actions, scores, turns = [], [], [], []
    # So that a game does not depend on those before it.
    engine.clear()
    while not board.is_game_over() and board.ply() < task.max_plies:
        found = engine.play(board, task.limit)
        planes.append(board.to_planes())
        actions.append(numbering.action_number(found.move))
        scores.append(0 if found.info.score is None else found.info.score.value)
        turns.append(board.turn)
        board.push(found.move)
    outcome = board.outcome()
    winner = None if outcome is None else outcome.winner
    return SelfPlay(
        np.array(planes, np.float32).reshape(len(planes), *board.to_planes().shape),
        np.array(actions, np.int64),
        np.array(scores, np.int32),
        np.array([0 if winner is None else 1 if turn is winner else -1 for turn in turns], np.int8),
        np.full(len(actions), number, np.int64),
    )
