"""Fits the weights of the evaluation to the results of games that the engine plays against itself.

    python bench/fit_evaluation.py --games 1900 --data games.jsonl.gz            # play, fit, report
    python bench/fit_evaluation.py --data games.jsonl.gz --write                 # fit again, and write weights.h
    python bench/fit_evaluation.py --data games.jsonl.gz --plot docs/reliability.svg

A game starts with random moves; then both sides search a small number of nodes for each move, with some random moves mixed in
early. Of each move the last position of its principal variation is taken: what the search came down to, where captures have calmed
down, which is what the evaluation is asked about. It is labelled with the game's result for its side to move: 1 won, 0.5 drawn,
0 lost.

The evaluation is then a logistic regression: a score s stands for the expected result 1 / (1 + exp(-s / SCALE)). All phases are
fitted at once, so that a score means the same in each of them, and scaled so that SCALE stays. The new weights go only a part of
the way from the present ones to the fitted ones, for the games are those of the present ones. Whole games are held out to check the
fit on. Needs numpy, for --plot also matplotlib. The games of a seed depend on the version of the engine alone.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from records import plain_errors, positive, read_records, write_records

import yote_fast as yf
from yote_fast.core import features_of
from yote_fast.files import write_whole

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
CONFIDENCE = 1.96
"""Standard errors in the bars of the plot: 95 %."""


# Games ----------------------------------------------------------------------------------------------------------------------------


@dataclass
class Game:
    """A game of the data set: positions with the result for White, or 0.5."""

    rules: str
    result: float
    positions: list[str]


def play_game(chance: random.Random, engine: yf.Engine, nodes: int) -> Game:
    """A game against itself; it ends early once a side is proven to win."""
    rules = chance.choices(list(RULES), list(RULES.values()))[0]
    board = random_opening(chance, rules, OPENING)
    mixed = board.ply() + MIXED_PLIES
    positions: list[str] = []
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


def random_opening(chance: random.Random, rules: str, plies: tuple[int, int]) -> yf.Board:
    """A board after a random number of random moves, within two bounds; the game goes on."""
    while True:
        board = yf.Board(rules=yf.Rules.parse(rules))
        for _ in range(chance.randint(*plies)):
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


def play_games(games: int, seed: int, nodes: int) -> Iterator[Game]:
    """The games of a seed, one after the other; progress goes to standard error."""
    engine = yf.Engine(hash_mb=4)
    for number in range(games):
        yield play_game(random.Random(f"{seed} {number}"), engine, nodes)
        if (number + 1) % 100 == 0:
            print(f"{number + 1} of {games} games", file=sys.stderr)


# Regression -----------------------------------------------------------------------------------------------------------------------


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
    results: np.ndarray = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
    return results


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
    second: np.ndarray = (x * (p * (1 - p))[:, None]).T @ x + 2 * penalty * np.eye(x.shape[1])
    return second


def errors_of(samples: Samples, weights: np.ndarray, penalty: float) -> np.ndarray:
    """Standard errors. The positions of a game share its result, so what counts is how games differ (the sandwich formula)."""
    p = expected(samples.x, weights)
    slopes = np.zeros((samples.game.max() + 1, len(weights)))
    np.add.at(slopes, samples.game, samples.x * (samples.y - p)[:, None])
    bread = np.linalg.inv(curvature(samples.x, p, penalty))
    return np.sqrt(np.diag(bread @ (slopes.T @ slopes) @ bread))


def scale_of(score: np.ndarray, y: np.ndarray) -> float:
    """The SCALE at which scores fit the results best."""
    return float(1 / fit(score[:, None], y, np.zeros(1), 0.0)[0])


# Report ---------------------------------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """A fit, its errors, and what it says about positions of games it has not seen."""

    old: np.ndarray
    """The weights before, in hundredths of a piece, a row for each phase."""
    new: np.ndarray
    errors: np.ndarray
    old_scale: float
    """A score s stands for the expected result 1 / (1 + exp(-s / scale))."""
    scale: float
    held_out: Samples


def make_report(samples: Samples, old: np.ndarray, penalty: float, step: float) -> Report:
    """Fit to the games that are not held out."""
    held = samples.game % HELD_OUT == 0
    train = samples.where(~held)
    old_scale = scale_of(train.x @ old.ravel(), train.y)
    prior = old.ravel() / old_scale
    fitted = fit(train.x, train.y, prior, penalty)
    errors = step * old_scale * errors_of(train, fitted, penalty)
    new = np.round(old_scale * (prior + step * (fitted - prior))).astype(int)
    # Half way between two sets of weights the scale is another one, so for the finished weights it is fitted anew.
    scale = scale_of(train.x @ new, train.y)
    return Report(old, new.reshape(old.shape), errors.reshape(old.shape), old_scale, scale, samples.where(held))


def print_report(report: Report, names: list[str]) -> None:
    """Weights with standard errors, losses, and the scale that each phase and each set of rules would like best."""
    phases = range(report.new.shape[0])
    print("feature".ljust(18), *(f"phase {p} old     new    ±".rjust(26) for p in phases))
    for i, name in enumerate(names):
        cells = (f"{report.old[p, i]:18} {report.new[p, i]:+7} {report.errors[p, i]:5.1f}".rjust(26) for p in phases)
        print(name.ljust(18), *cells)
    print(f"\nscale: {report.scale:.0f} (old weights: {report.old_scale:.0f})")
    print(f"\nheld out{'positions':>28} {'drawn':>7} {'old loss':>9} {'new loss':>9} {'own scale':>10}")
    held_out = report.held_out
    groups = {"all": held_out.y >= 0}
    groups |= {f"phase {p}": held_out.phase == p for p in phases}
    groups |= {rules: held_out.rules == rules for rules in RULES}
    for name, mask in groups.items():
        if mask.any():
            print_group(name, report, held_out.where(mask))


def print_group(name: str, report: Report, part: Samples) -> None:
    """A line about some of the held-out positions."""
    old = loss(part.x, part.y, report.old.ravel() / report.old_scale)
    new = loss(part.x, part.y, report.new.ravel() / report.scale)
    own = scale_of(part.x @ report.new.ravel(), part.y)
    print(f"{name:24} {len(part.y):11,} {np.mean(part.y == 0.5):7.1%} {old:9.4f} {new:9.4f} {own:10.0f}")


def plot_reliability(guess: np.ndarray, y: np.ndarray, phase: np.ndarray, game: np.ndarray, path: Path) -> None:
    """Expected results of positions against the real ones, by phase, with 95 % intervals by games."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "reliability"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(4.6, 4.2), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.75", linewidth=1, zorder=0)
    for number, name in enumerate(("more than 16 pieces", "9 to 16", "8 or fewer")):
        mask = phase == number
        x, mean, error = reliability(guess[mask], y[mask], game[mask])
        axes.errorbar(x, mean, CONFIDENCE * error, marker="o", markersize=3.5, linewidth=1, capsize=2, label=name)
    axes.set(xlabel="expected result", ylabel="mean result of the games", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(title="pieces left", frameon=False, fontsize=8, title_fontsize=8, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


def reliability(guess: np.ndarray, y: np.ndarray, game: np.ndarray, bins: int = 10) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For equally filled bins of guesses: their mean, the mean result, and its standard error, by games."""
    points = []
    for rows in np.array_split(np.argsort(guess, kind="stable"), bins):
        residues = np.bincount(game[rows], weights=y[rows] - y[rows].mean())
        points.append((guess[rows].mean(), y[rows].mean(), np.sqrt((residues**2).sum()) / len(rows)))
    x, mean, error = np.array(points).T
    return x, mean, error


# Files ----------------------------------------------------------------------------------------------------------------------------


def read_weights() -> np.ndarray:
    """The weights in weights.h, a row for each phase."""
    rows = re.findall(r"^    \{([-\d, ]+)\},$", WEIGHTS.read_text(encoding="utf-8"), re.MULTILINE)
    return np.array([[int(cell) for cell in row.split(",")] for row in rows])


def write_weights(weights: np.ndarray) -> None:
    """Put weights in place of those in weights.h."""
    rows = "".join(f"    {{{', '.join(map(str, row))}}},\n" for row in weights)
    text = WEIGHTS.read_text(encoding="utf-8")
    write_whole(WEIGHTS, re.sub(r"(?:^    \{[-\d, ]+\},\n)+", rows, text, flags=re.MULTILINE).encode())


def read_names() -> list[str]:
    """The names of the features, from the source of the evaluation."""
    listed = FEATURES.read_text(encoding="utf-8").split("# Features.")[1].split("    FEATURES\n")[0]
    return re.findall(r"^    ([A-Z_]+)", listed, re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights of the evaluation to the results of self-play.")
    parser.add_argument("--games", type=positive, default=2000, help="games to play, if --data has none (default: %(default)s)")
    parser.add_argument("--nodes", type=positive, default=1500, help="nodes searched for each move (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, help="the games, gzipped JSON lines: read if the file exists, else written")
    parser.add_argument(
        "--penalty", type=float, default=3000, help="how strongly the present weights hold on (default: %(default)s)"
    )
    parser.add_argument(
        "--step", type=float, default=0.5, help="how far to go from the present weights to the fitted ones (default: %(default)s)"
    )
    parser.add_argument("--write", action="store_true", help="write weights.h; the core is then to be built again")
    parser.add_argument("--plot", type=Path, help="write the reliability plot here")
    with plain_errors():
        run(parser.parse_args())


def run(arguments: argparse.Namespace) -> None:
    """What the command line asks for."""
    if arguments.data is not None and arguments.data.exists():
        games = list(read_records(arguments.data, Game))
    else:
        games = list(play_games(arguments.games, arguments.seed, arguments.nodes))
        if arguments.data is not None:
            write_records(arguments.data, games)
    old = read_weights()
    samples = samples_of(games, old.shape)
    print(f"{len(games):,} games, {len(samples.y):,} positions\n")
    report = make_report(samples, old, arguments.penalty, arguments.step)
    print_report(report, read_names())
    if arguments.plot:
        part = report.held_out
        guess = expected(part.x, report.new.ravel() / report.scale)
        plot_reliability(guess, part.y, part.phase, part.game, arguments.plot)
    if arguments.write:
        write_weights(report.new)


if __name__ == "__main__":
    main()
