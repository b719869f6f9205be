"""Trains the network that evaluates plain Yoté on games that the engine plays against itself.

    python bench/fit_network.py play --games 12000 --seed 1 games-1.jsonl.gz              # games: positions, scores, results
    python bench/fit_network.py play --random 400000 --seed 1 random-1.jsonl.gz           # positions with any material: scores
    python bench/fit_network.py train games-*.jsonl.gz random-*.jsonl.gz --write          # train, report, write network_weights.h
    python bench/fit_network.py train games-*.jsonl.gz random-*.jsonl.gz --plot docs/reliability_network.svg

A game starts with random moves; then both sides search a small number of nodes for each move, with some random moves mixed in
early. Of the positions those are kept where the best move is quiet, for the search itself sees to captures. The network learns a
mixture of what the search said of a position and how its game ended; positions with random material teach it what is decided.
Whole games are held out to check it on.

The network is described in ``yote_fast/core/network.pxd``. It is trained by Adam (Kingma and Ba 2015) on its cross-entropy. Needs
numpy, for --plot also matplotlib. The games of a seed depend on the version of the engine alone.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from fit_evaluation import plot_reliability, random_opening
from numpy.typing import NDArray
from records import DataError, plain_errors, positive, read_records, write_records

import yote_fast as yf
from yote_fast.core import static_score
from yote_fast.files import write_whole
from yote_fast.score import LOGISTIC_SCALE, PROVEN_VALUE

Floats: TypeAlias = NDArray[np.floating[Any]]

WEIGHTS = Path(__file__).resolve().parent.parent / "yote_fast" / "core" / "network_weights.h"
RULES = yf.YOTE
ROWS, COLS, PIECES = RULES.rows, RULES.cols, RULES.pieces
SQUARES = ROWS * COLS
INPUTS = 2 * SQUARES + 2 * (PIECES + 1)
PATTERNS, PHASES = 16, 6
"""As in ``network.pxd``."""
ONE, SHIFT = 255, 7
"""What stands for 1 in a pattern, and the binary places of a score."""

OPENING = (0, 14)
"""The fewest and most random plies."""
MIXED_PLIES = 24
"""So many plies after the opening, every eighth move is a random one."""
MAX_PLIES = 220
HELD_OUT = 10
"""Every so many-th game is held out."""
BATCH, EPOCHS, RATE = 8192, 16, 2e-3
SEARCHED = 0.5
"""The share of the search's score in what is learned from the positions of a game."""


# Games ----------------------------------------------------------------------------------------------------------------------------


@dataclass
class Game:
    """Quiet positions, with the score of the side to move as the search found it, and the result for White."""

    result: float | None
    """None for positions of no game."""
    positions: list[tuple[str, int]]


def play_game(chance: random.Random, engine: yf.Engine, nodes: int) -> Game:
    """A game against itself; it ends early once a side is proven to win."""
    board = random_opening(chance, str(RULES), OPENING)
    mixed = board.ply() + MIXED_PLIES
    game = Game(None, [])
    engine.clear()
    while not board.is_game_over() and board.ply() < MAX_PLIES:
        info = engine.analyse(board, yf.Limit(nodes=nodes))
        note(game, board, info)
        if info.score is not None and info.score.is_proven():
            game.result = float((info.score.value > 0) == board.turn)
            return game
        wild = board.ply() < mixed and chance.random() < 1 / 8
        board.push(chance.choice(list(board.legal_moves)) if wild else info.pv[0])
    game.result = {"1-0": 1.0, "0-1": 0.0}.get(board.result(), 0.5)
    return game


def note(game: Game, board: yf.Board, info: yf.Info) -> None:
    """Keep a position, if it is quiet and its search has come to a score."""
    if info.score is not None and not info.pv[0].action.removals:
        game.positions.append((board.yfen(), info.score.value))


def random_position(chance: random.Random) -> yf.Board:
    """A board with any number of pieces for each side, those of the one more or less near those of the other."""
    while True:
        most = chance.randint(1, PIECES)
        pieces = chance.sample([most, min(max(most + round(chance.gauss(0, 3)), 1), PIECES)], 2)
        hands = [0 if chance.random() < 0.4 else chance.randint(0, own) for own in pieces]
        counts = [own - hand for own, hand in zip(pieces, hands, strict=True)]
        squares = chance.sample(range(SQUARES), min(sum(counts), SQUARES))
        placed = {square: "Cc"[place >= counts[0]] for place, square in enumerate(squares)}
        rows = ["".join(placed.get(row * COLS + col, "1") for col in range(COLS)) for row in range(ROWS)]
        setup = re.sub("1+", lambda empty: str(len(empty[0])), "/".join(rows))
        board = yf.Board(f"{setup} {chance.choice('wb')} {hands[0]}/{hands[1]}")
        if not board.is_game_over():
            return board


def play(games: int, positions: int, seed: int, nodes: int) -> Iterator[Game]:
    """So many games, or random positions; progress goes to standard error."""
    engine = yf.Engine(hash_mb=4)
    total, begun = games or positions, time.perf_counter()
    for number in range(total):
        chance = random.Random(f"{seed} {number}")
        yield play_game(chance, engine, nodes) if games else judge(random_position(chance), engine, nodes)
        if (number + 1) % max(1, total // 100) == 0:
            print(f"{number + 1:,} of {total:,}, {time.perf_counter() - begun:,.0f} s", file=sys.stderr)


def judge(board: yf.Board, engine: yf.Engine, nodes: int) -> Game:
    """A position of no game, searched."""
    game = Game(None, [])
    engine.clear()
    note(game, board, engine.analyse(board, yf.Limit(nodes=nodes)))
    return game


# Positions as numbers -------------------------------------------------------------------------------------------------------------


@dataclass
class Samples:
    """Positions, a row each, seen from the side to move."""

    x: NDArray[np.uint8]
    """The inputs: squares with own pieces, with enemy pieces, then own and enemy pieces in hand, one of 13 each."""
    phase: NDArray[np.int64]
    score: Floats
    """Of the search, for the side to move."""
    static: Floats
    """Of the evaluation as it is now."""
    result: Floats
    """For the side to move; NaN for positions of no game."""
    game: NDArray[np.int64]

    def where(self, rows: NDArray[Any]) -> Samples:
        """Some of the rows."""
        return Samples(*(column[rows] for column in vars(self).values()))


def samples_of(games: Iterator[Game]) -> Samples:
    """The positions of all games."""
    try:
        rows = np.array([row for number, game in enumerate(games) for row in rows_of(number, game)])
    except (TypeError, ValueError) as error:
        raise DataError(f"a game is not as this script writes them: {error}") from error
    if not rows.size:
        raise DataError("there are no positions in the data")
    own, enemy, own_hand, enemy_hand, score, static, result, game = rows.T
    squares = [mask.astype(np.int64)[:, None] >> np.arange(SQUARES) & 1 for mask in (own, enemy)]
    hands = [hand.astype(int)[:, None] == np.arange(PIECES + 1) for hand in (own_hand, enemy_hand)]
    x = np.concatenate([*squares, *hands], axis=1, dtype=np.uint8, casting="unsafe")
    # Which of the outputs speaks goes by the pieces of both sides, on board and in hand.
    pieces = x[:, : 2 * SQUARES].sum(1, dtype=int) + own_hand.astype(int) + enemy_hand.astype(int)
    phase = (pieces - 1) * PHASES // (2 * PIECES)
    score, static, result = (column.astype(np.float32) for column in (score, static, result))
    return Samples(x, phase, score, static, result, game.astype(int))


def rows_of(number: int, game: Game) -> Iterator[tuple[float, ...]]:
    """Squares of both sides, hands, scores, result and number, for each position of a game."""
    for yfen, score in game.positions:
        board = yf.Board(yfen, RULES)
        sides = (board.white, board.black) if board.turn else (board.black, board.white)
        result = np.nan if game.result is None else game.result if board.turn else 1 - game.result
        yield *sides, board.hand(board.turn), board.hand(not board.turn), score, static_score(board), result, number


# The network ----------------------------------------------------------------------------------------------------------------------

Weights: TypeAlias = dict[str, Floats]


def first_weights(chance: np.random.Generator) -> Weights:
    """Small random ones."""
    shapes = {
        "square": (PATTERNS, 2, ROWS, COLS), "hand": (PATTERNS, 2, PIECES + 1), "bias": (PATTERNS,),
        "output": (PHASES, PATTERNS), "output_bias": (PHASES,),
    }  # fmt: skip
    spread = {"square": 0.15, "hand": 0.1, "bias": 0, "output": 0.05, "output_bias": 0}
    weights = {name: (spread[name] * chance.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}
    weights["bias"] += 0.2
    return weights


def unfolded(w: Weights) -> Floats:
    """The weights of the inputs, a column for each pattern as seen from each of the four sides."""
    seen = [turned(w["square"], side).reshape(PATTERNS, -1) for side in range(4)]
    hand = w["hand"].reshape(PATTERNS, -1)
    return np.concatenate([np.concatenate([squares, hand], 1) for squares in seen]).T


def turned(squares: Floats, side: int) -> Floats:
    """Patterns of squares, reflected left and right, up and down, or both; the same again leads back."""
    return squares[..., :: 1 - 2 * (side // 2), :: 1 - 2 * (side % 2)]


def outputs(w: Weights, x: Floats, phase: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """The expected results in logits; and how strongly the patterns are there, in all and by side."""
    by_side = x @ unfolded(w)
    by_side += np.tile(w["bias"], 4)
    np.clip(by_side, 0, 1, out=by_side)
    seen = by_side.reshape(len(x), 4, PATTERNS).sum(1)
    return np.einsum("np,np->n", seen, w["output"][phase]) + w["output_bias"][phase], seen, by_side


def slopes(w: Weights, x: Floats, phase: NDArray[np.int64], target: Floats) -> Weights:
    """The derivatives of the mean cross-entropy."""
    logits, seen, by_side = outputs(w, x, phase)
    error = (expected(logits) - target) / len(x)
    one_of = np.eye(PHASES, dtype=np.float32)[phase]
    active = ((by_side > 0) & (by_side < 1)).reshape(-1, 4, PATTERNS)
    back = (active * (error[:, None] * w["output"][phase])[:, None]).reshape(-1, 4 * PATTERNS)
    inputs = (x.T @ back).T.reshape(4, PATTERNS, INPUTS)
    squares = inputs[:, :, : 2 * SQUARES].reshape(4, PATTERNS, 2, ROWS, COLS)
    return {
        "square": np.sum([turned(squares[side], side) for side in range(4)], axis=0),
        "hand": inputs[:, :, 2 * SQUARES :].sum(0).reshape(PATTERNS, 2, PIECES + 1),
        "bias": back.sum(0).reshape(4, PATTERNS).sum(0),
        "output": one_of.T @ (error[:, None] * seen),
        "output_bias": one_of.T @ error,
    }


def expected(logits: Floats) -> Floats:
    """Expected results."""
    results: Floats = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    return results


def train(samples: Samples, target: Floats, seed: int) -> Weights:
    """Weights of little loss; progress goes to standard error."""
    chance = np.random.default_rng(seed)
    w = first_weights(chance)
    mean, square = ({name: np.zeros_like(value) for name, value in w.items()} for _ in range(2))
    step, begun = 0, time.perf_counter()
    for epoch in range(EPOCHS):
        rate = RATE * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
        for rows in np.array_split(chance.permutation(len(target)), len(target) // BATCH + 1):
            step += 1
            slope = slopes(w, samples.x[rows].astype(np.float32), samples.phase[rows], target[rows])
            for name, value in slope.items():
                mean[name] += 0.1 * (value - mean[name])
                square[name] += 0.001 * (value**2 - square[name])
                size = np.sqrt(square[name] / (1 - 0.999**step)) + 1e-8
                w[name] -= (rate / (1 - 0.9**step) * mean[name] / size).astype(np.float32)
        print(f"{epoch + 1} of {EPOCHS} epochs, {time.perf_counter() - begun:,.0f} s", file=sys.stderr)
    return w


def logits_of(w: Weights, samples: Samples) -> Floats:
    """What a network says of many positions."""
    parts = np.array_split(np.arange(len(samples.x)), len(samples.x) // 50_000 + 1)
    return np.concatenate([outputs(w, samples.x[rows].astype(np.float32), samples.phase[rows])[0] for rows in parts])


# Report ---------------------------------------------------------------------------------------------------------------------------


def loss(logits: Floats, target: Floats) -> float:
    """The mean cross-entropy. A constant guess of one half has log 2 = 0.693."""
    p = np.clip(expected(logits), 1e-7, 1 - 1e-7).astype(float)
    return float(-np.mean(target * np.log(p) + (1 - target) * np.log(1 - p)))


def best_scale(score: Floats, result: Floats) -> float:
    """The scale at which scores foretell results best."""
    return min((float(scale) for scale in np.geomspace(100, 1000, 93)), key=lambda scale: loss(score / scale, result))


def print_report(w: Weights, held_out: Samples) -> None:
    """Losses on positions of games that the network has not seen, at the best scale of each score."""
    scores = {"search": held_out.score, "static": held_out.static, "network": LOGISTIC_SCALE * logits_of(w, held_out)}
    print(f"{'held out':20} {'positions':>10} {'drawn':>7}" + "".join(f"{name:>16}" for name in scores))
    groups = {"all": held_out.phase >= 0}
    groups |= {f"phase {phase}": held_out.phase == phase for phase in range(PHASES)}
    for name, mask in groups.items():
        if not mask.any():
            continue
        result = held_out.result[mask]
        print(f"{name:20} {mask.sum():10,} {np.mean(result == 0.5):7.1%}", end="")
        for score in scores.values():
            scale = best_scale(score[mask], result)
            print(f"{loss(score[mask] / scale, result):9.4f} ({scale:4.0f})", end="")
        print()


# Files ----------------------------------------------------------------------------------------------------------------------------


def write_weights(w: Weights) -> None:
    """Write the network in whole numbers."""
    score = LOGISTIC_SCALE * 2**SHIFT
    tables = {
        "NETWORK_SQUARE[2][30][16]": w["square"].reshape(PATTERNS, 2, SQUARES).transpose(1, 2, 0) * ONE,
        "NETWORK_HAND[2][13][16]": w["hand"].transpose(1, 2, 0) * ONE,
        "NETWORK_BIAS[16]": w["bias"] * ONE,
        "NETWORK_OUTPUT[6][16]": w["output"] * (score / ONE),
        "NETWORK_OUTPUT_BIAS[6]": w["output_bias"] * score,
    }
    text = "/* The weights of the network; network.pxd says what they are, bench/fit_network.py writes them. */\n"
    text += "#ifndef YOTE_FAST_NETWORK_WEIGHTS_H\n#define YOTE_FAST_NETWORK_WEIGHTS_H\n\n#include <stdint.h>\n"
    for name, values in tables.items():
        rounded = np.round(values).astype(int)
        size = "int32_t" if name.startswith("NETWORK_OUTPUT_BIAS") else "int16_t"
        if size == "int16_t" and np.abs(rounded).max() > 32767:
            raise ValueError(f"a weight of {name} does not fit in 16 bits: {np.abs(rounded).max()}")
        text += f"\nstatic const {size} {name} = {in_braces(rounded, 0)};\n"
    text += "\n#endif\n"
    write_whole(WEIGHTS, text.encode())


def in_braces(values: NDArray[np.int64], depth: int) -> str:
    """A table as C has it."""
    if values.ndim == 1:
        return "{" + ", ".join(map(str, values)) + "}"
    indent = "    " * (depth + 1)
    rows = "".join(f"{indent}{in_braces(row, depth + 1)},\n" for row in values)
    return "{\n" + rows + "    " * depth + "}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the network that evaluates plain Yoté on self-play.")
    commands = parser.add_subparsers(required=True, dest="command")
    player = commands.add_parser("play", help="make data")
    what = player.add_mutually_exclusive_group(required=True)
    what.add_argument("--games", type=positive, default=0, help="so many games")
    what.add_argument("--random", type=positive, default=0, help="so many random positions, of no game")
    player.add_argument("--nodes", type=positive, default=2500, help="nodes searched for each move (default: %(default)s)")
    player.add_argument("--seed", type=int, default=1)
    player.add_argument("file", type=Path, help="gzipped JSON lines")
    trainer = commands.add_parser("train", help="learn from data")
    trainer.add_argument("files", type=Path, nargs="+", help="what play wrote")
    trainer.add_argument("--seed", type=int, default=1)
    trainer.add_argument("--write", action="store_true", help="write network_weights.h; the core is then to be built again")
    trainer.add_argument("--plot", type=Path, help="only plot how reliable the evaluation is as it is now")
    with plain_errors():
        run(parser.parse_args())


def run(arguments: argparse.Namespace) -> None:
    """What the command line asks for."""
    if arguments.command == "play":
        write_records(arguments.file, play(arguments.games, arguments.random, arguments.seed, arguments.nodes))
        return
    samples = samples_of(game for path in arguments.files for game in read_records(path, Game))
    in_game = ~np.isnan(samples.result)
    held = in_game & (samples.game % HELD_OUT == 0)
    print(f"{len(held):,} positions, {in_game.sum():,} of them of games, {held.sum():,} held out\n")
    if held.sum() in (0, in_game.sum()):
        raise DataError(f"too few games: some to learn from are needed, and of every {HELD_OUT}th some positions to hold out")
    if arguments.plot:
        part = samples.where(held)
        guess = expected(part.static / LOGISTIC_SCALE)
        plot_reliability(guess, part.result, (PHASES - 1 - part.phase) // 2, part.game, arguments.plot)
        return
    learned = samples.where(~held)
    played = ~np.isnan(learned.result)
    scale = best_scale(learned.score[played], learned.result[played])
    target = np.where(np.abs(learned.score) < PROVEN_VALUE, expected(learned.score / scale), learned.score > 0)
    target[played] = SEARCHED * target[played] + (1 - SEARCHED) * learned.result[played]
    w = train(learned, target.astype(np.float32), arguments.seed)
    print_report(w, samples.where(held))
    if arguments.write:
        write_weights(w)


if __name__ == "__main__":
    main()
