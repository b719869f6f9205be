"""Learn to evaluate positions of a small game from random games, then look one action ahead and beat chance.

Shows: many games at once as arrays, planes, results, copies of games to look ahead.
"""

from typing import Any

import numpy as np

from yote_fast import Rules
from yote_fast.batch import NO_ACTION, Boards


def learn(boards: Boards) -> Any:
    """The weight of each number in the planes, by least squares: how the side to move fares in the end."""
    seen, turns = [], []
    while not boards.over.all():
        seen.append(boards.planes().reshape(len(boards), -1)[~boards.over])
        turns.append(np.where(boards.turns, 1, -1) * ~boards.over)
        boards.step(boards.random_actions())
    results = np.concatenate([turn * boards.results for turn in turns])
    return np.linalg.lstsq(np.concatenate(seen), results[np.concatenate(turns) != 0], rcond=None)[0]


def best_actions(boards: Boards, weights: Any) -> Any:
    """White's actions after which the position is worth least to Black, or the game is won."""
    games, actions = boards.mask().nonzero()
    ended, results = (children := boards.take(games)).step(actions)
    values = np.where(ended, 10 * results, -children.planes().reshape(len(games), -1) @ weights)
    best, order = np.full(len(boards), NO_ACTION), np.argsort(values)
    best[games[order]] = actions[order]
    return best


rules = Rules(rows=4, cols=4, pieces=5)
weights, boards = learn(Boards(1000, rules, seed=1)), Boards(100, rules, seed=2)
while not boards.over.all():
    boards.step(np.where(boards.turns, best_actions(boards, weights), boards.random_actions()))
print(f"White looks ahead, Black plays at random: {(1 + boards.results.mean()) / 2:.0%} of the points")
