"""Learn to evaluate positions of a small game by self-play, and compare the moves it chooses with the exact solution.

Shows: many games at once as arrays, planes, results, copies of games to look ahead; a whole game solved by endgame tables.

    python docs/learning/learn_by_self_play.py                                          # learn, and print how good the moves are
    python docs/learning/learn_by_self_play.py --plot docs/learning/optimal_moves.svg   # draw it as well (needs matplotlib)
"""

import argparse
import tempfile
from typing import Any

import numpy as np

import yote_fast as yf
from yote_fast.batch import NO_ACTION, Boards

RULES = yf.Rules(rows=4, cols=4, pieces=5)
ROUNDS, GAMES, JUDGED = 3, 600, 60
PHASES = {"10 pieces": (10, 10), "8 or 9": (8, 9), "6 or 7": (6, 7), "5 or fewer": (2, 5)}


def numbers_of(boards: Boards) -> Any:
    """What the evaluation is linear in: the planes, and each number of the planes' sums times each other."""
    planes = boards.planes()
    sums = planes.sum(axis=(2, 3)) / 8
    pairs = (sums[:, :, None] * sums[:, None, :]).reshape(len(boards), -1)
    return np.hstack([planes.reshape(len(boards), -1), sums, pairs])


def best_actions(boards: Boards, weights: Any) -> Any:
    """The actions after which the position is worth least to the other side, or the game is won."""
    games, actions = boards.mask().nonzero()
    children = boards.take(games)
    side = np.where(boards.turns[games], 1, -1)
    ended, results = children.step(actions)
    values = np.where(ended, 10 * side * results, -numbers_of(children) @ weights)
    best, order = np.full(len(boards), NO_ACTION), np.argsort(values)
    best[games[order]] = actions[order]
    return best


def learn(rounds: int, games: int) -> Any:
    """The weights, by least squares: how the side to move fares in games that the round before plays, with some chance."""
    weights = None
    chance = np.random.default_rng(1)
    for number in range(rounds):
        boards = Boards(games, RULES, seed=number)
        seen, sides = [], []
        while not boards.over.all():
            seen.append(numbers_of(boards)[~boards.over])
            sides.append(np.where(boards.turns, 1, -1) * ~boards.over)
            actions = boards.random_actions()
            if weights is not None:
                actions = np.where(chance.random(games) < 0.2, actions, best_actions(boards, weights))
            boards.step(actions)
        results = np.concatenate([side * boards.results for side in sides])
        weights = np.linalg.lstsq(np.concatenate(seen), results[np.concatenate(sides) != 0], rcond=1e-6)[0]
    return weights


def optimal_shares(weights: Any, tables: yf.tablebase.Tablebase) -> dict[str, dict[str, float]]:
    """By the pieces left, the share of moves that keep the value, in positions where not all moves do."""
    kept: dict[str, dict[str, list[float]]] = {name: {phase: [] for phase in PHASES} for name in ("chance", "learned", "engine")}
    boards = Boards(JUDGED, RULES, seed=99)
    with yf.Engine(hash_mb=4) as engine:
        while not boards.over.all():
            learned = best_actions(boards, weights)
            drawn = boards.random_actions()
            for i in np.flatnonzero(~boards.over):
                board = boards[i]
                values = tables.probe_moves(board)
                best = max(values.values())
                if min(values.values()) == best:
                    continue
                pieces = (board.white | board.black).bit_count() + board.hand(yf.WHITE) + board.hand(yf.BLACK)
                phase = next(name for name, (least, most) in PHASES.items() if least <= pieces <= most)
                choices = {"learned": boards.actions.move_of(learned[i]), "engine": engine.play(board, yf.Limit(nodes=500)).move}
                kept["chance"][phase].append(float(np.mean([value == best for value in values.values()])))
                for name, move in choices.items():
                    kept[name][phase].append(values[move] == best)
            # Play goes on at random half of the time, for positions of all kinds.
            boards.step(np.where(np.random.default_rng(len(learned)).random(len(boards)) < 0.5, learned, drawn))
    return {name: {phase: float(np.mean(found)) for phase, found in phases.items() if found} for name, phases in kept.items()}


def plot(shares: dict[str, dict[str, float]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "learning"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 3.4), layout="constrained")
    for number, (name, phases) in enumerate(shares.items()):
        axes.bar(np.arange(len(phases)) + 0.27 * (number - 1), [100 * share for share in phases.values()], 0.25, label=name)
    axes.set_xticks(range(len(PHASES)), list(PHASES))
    axes.set(xlabel="pieces left, board and hand", ylabel="optimal moves, %", ylim=(0, 100))
    figure.legend(frameon=False, loc="outside upper center", ncols=3, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--plot", metavar="FILE", help="draw the shares of optimal moves as well")
    arguments = parser.parse_args()
    weights = learn(ROUNDS, GAMES)
    with (
        tempfile.TemporaryDirectory() as folder,
        yf.tablebase.build(RULES, start=True, metric="wdl", path=folder) as tables,
    ):
        shares = optimal_shares(weights, tables)
    print("optimal moves".ljust(14), *(phase.rjust(11) for phase in PHASES))
    for name, phases in shares.items():
        print(name.ljust(14), *(f"{phases.get(phase, float('nan')):11.0%}" for phase in PHASES))
    if arguments.plot:
        plot(shares, arguments.plot)
