"""Fits the weights of the evaluation to the results of games that the engine plays against itself.

    python bench/fit_evaluation.py --games 4000 --data games.jsonl.gz            # play, fit, report
    python bench/fit_evaluation.py --data games.jsonl.gz --write                 # fit again, and write weights.h
    python bench/fit_evaluation.py --data games.jsonl.gz --plot docs/reliability.png

A game starts with random moves; then both sides search a small number of nodes for each move, with some random moves mixed in
early. Of each move the last position of its principal variation is taken: what the search came down to, where captures have calmed
down, which is what the evaluation is asked about. It is labelled with the game's result for its side to move: 1 won, 0.5 drawn,
0 lost.

The evaluation is then a logistic regression: a score s stands for the expected result 1 / (1 + exp(-s / SCALE)). All phases are
fitted at once, so that a score means the same in each of them; they share the scale, which makes a piece in the middle phase worth
100. Whole games are held out to check the fit on. Needs numpy, for --plot also matplotlib. Seeded: the games of a seed depend on the
version of the engine alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yote_fast as yf
from yote_fast.core import features_of

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "yote_fast" / "core" / "weights.h"
FEATURES = ROOT / "yote_fast" / "core" / "evaluate.pxd"

RULES = {"yote": 12, "choko": 3, "heroes": 2, "yote+chain_capture": 1, "yote+mandatory_capture": 1, "yote+bonus_turn": 1}
"""How often each is played."""
OPENING = (6, 14)
"""The fewest and most random plies."""
MIXED_PLIES = 16
"""So many plies after the opening, every eighth move is a random one."""
MAX_PLIES = 240
HELD_OUT = 5
"""Every so many-th game is held out."""


# Games ------------------------------------------------------------------------------------------------------------------------------


@dataclass
class Game:
    """A game of the data set: positions with the result for White, or 0.5."""

    rules: str
    result: float
    positions: list[str]


def play_game(chance: random.Random, engine: yf.Engine, nodes: int) -> Game:
    """A game against itself; it ends early once a side is proven to win."""
    rules = chance.choices(list(RULES), list(RULES.values()))[0]
    board = random_opening(chance, rules)
    mixed = board.ply() + MIXED_PLIES
    positions = []
    engine.clear()
    while not board.is_game_over() and board.ply() < MAX_PLIES:
        info = engine.analyse(board, yf.Limit(nodes=nodes))
        if info.score is not None and info.score.is_proven():
            winner = board.turn if info.score.value > 0 else not board.turn
            return Game(rules, float(winner), positions)
        leaf = last_position(board, info)
        if leaf is not None:
            positions.append(leaf)
        wild = board.ply() < mixed and chance.random() < 1 / 8
        board.push(chance.choice(list(board.legal_moves)) if wild else info.pv[0])
    return Game(rules, {"1-0": 1.0, "0-1": 0.0}.get(board.result(), 0.5), positions)


def random_opening(chance: random.Random, rules: str) -> yf.Board:
    """A board after some random moves; the game goes on."""
    while True:
        board = yf.Board(rules=yf.Rules.parse(rules))
        for _ in range(chance.randint(*OPENING)):
            if not board.is_game_over():
                board.push(chance.choice(list(board.legal_moves)))
        if not board.is_game_over():
            return board


def last_position(board: yf.Board, info: yf.Info) -> str | None:
    """What the search came down to; None if the game is over there."""
    if info.score is None:
        return None
    leaf = board.copy()
    for move in info.pv:
        if leaf.is_game_over():
            return None
        leaf.push(move)
    return None if leaf.is_game_over() else leaf.yfen()


def play_games(games: int, seed: int, nodes: int, path: Path | None) -> list[Game]:
    """The data set, also written to a file if one is given."""
    engine = yf.Engine(hash_mb=4)
    played = []
    out = gzip.open(path, "wt", encoding="utf-8") if path else None
    for number in range(games):
        game = play_game(random.Random(f"{seed} {number}"), engine, nodes)
        played.append(game)
        if out:
            out.write(json.dumps(vars(game)) + "\n")
        if sys.stderr.isatty() or number % 500 == 499:
            print(f"{number + 1} of {games} games", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr)
    if out:
        out.close()
    return played


def read_games(path: Path) -> list[Game]:
    """A data set written before."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [Game(**json.loads(line)) for line in lines]


# Regression -------------------------------------------------------------------------------------------------------------------------


@dataclass
class Samples:
    """Positions as numbers, a row each."""

    x: np.ndarray
    """Features; those of the phase stand in columns of their own, the others are 0."""
    y: np.ndarray
    """Results for the side to move."""
    phase: np.ndarray
    game: np.ndarray
    """The number of the game, which holds its positions together."""
    rules: np.ndarray

    def where(self, mask: np.ndarray) -> Samples:
        """Some of the rows."""
        return Samples(self.x[mask], self.y[mask], self.phase[mask], self.game[mask], self.rules[mask])


def samples_of(games: list[Game], shape: tuple[int, int]) -> Samples:
    """The positions of all games."""
    phases, features = shape
    rows = [row for number, game in enumerate(games) for row in rows_of(number, game)]
    phase = np.array([row[0] for row in rows])
    x = np.zeros((len(rows), phases, features))
    x[np.arange(len(rows)), phase] = [row[1] for row in rows]
    y, game = (np.array([row[i] for row in rows]) for i in (2, 3))
    return Samples(x.reshape(len(rows), -1), y, phase, game, np.array([row[4] for row in rows]))


def rows_of(number: int, game: Game) -> Iterator[tuple[int, list[int], float, int, str]]:
    """Phase, features, result for the side to move, number and rules, for each position of a game."""
    rules = yf.Rules.parse(game.rules)
    for yfen in game.positions:
        board = yf.Board(yfen, rules)
        phase, features = features_of(board)
        yield phase, features, game.result if board.turn else 1 - game.result, number, game.rules


def expected(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The expected result of each row, by weights in logits."""
    return 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))


def loss(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    """The mean logistic loss. A constant guess of one half has log 2 = 0.693."""
    p = np.clip(expected(x, weights), 1e-12, 1 - 1e-12)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))


def fit(x: np.ndarray, y: np.ndarray, prior: np.ndarray, penalty: float) -> np.ndarray:
    """The weights of least loss, drawn towards the prior ones by ``penalty`` times the squared distance (Newton's method)."""
    weights = prior.copy()
    for _ in range(50):
        p = expected(x, weights)
        slope = x.T @ (y - p) - 2 * penalty * (weights - prior)
        step = np.linalg.solve(curvature(x, p, penalty), slope)
        weights = weights + step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def curvature(x: np.ndarray, p: np.ndarray, penalty: float) -> np.ndarray:
    """The second derivative of the summed loss."""
    return (x * (p * (1 - p))[:, None]).T @ x + 2 * penalty * np.eye(x.shape[1])


def errors_of(samples: Samples, weights: np.ndarray, penalty: float) -> np.ndarray:
    """Standard errors. The positions of a game share its result, so what counts is how games differ (the sandwich formula)."""
    p = expected(samples.x, weights)
    slopes = np.zeros((samples.game.max() + 1, len(weights)))
    np.add.at(slopes, samples.game, samples.x * (samples.y - p)[:, None])
    bread = np.linalg.inv(curvature(samples.x, p, penalty))
    return np.sqrt(np.diag(bread @ (slopes.T @ slopes) @ bread))


def scale_of(score: np.ndarray, y: np.ndarray) -> float:
    """The SCALE at which scores fit the results best."""
    return float(1 / fit(score[:, None], y, np.array([0.005]), 0.0)[0])
