"""Time reading and writing games as text: 10,000 random games of up to 60 moves, under several rules.

The file is made anew from a fixed seed. What was read is counted and compared: games, moves, and the last position of each.

usage:
    python bench/games.py
    python bench/games.py --games 1000 --rounds 1
    python bench/games.py --json
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import random
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from timing import Spread, check, counting, interleave, option_parser

import yote_fast as yf

PLIES = 60
RULES = ("yote", "yote", "choko", "yote+chain_capture+friendly_leap", "heroes", "challenges")


def main() -> None:
    """Time everything, and print games a second."""
    parser = option_parser(__doc__, rounds=3)
    parser.add_argument("--games", type=int, default=10_000, help="games to read (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "games.ygn")
        plies = ends = 0
        with path.open("w", encoding="utf-8") as file:
            for number in range(options.games):
                game = random_game(number)
                yf.game.write(game, file)
                end = game.end().board()
                plies += end.ply()
                ends += end.key
        check("sum of the keys of the last positions", sum(game.end().board().key for game in read(path)), ends)
        some = list(itertools.islice(read(path), 1000))
        timers = {
            "read, binary file": counting("moves read", lambda: count_plies(read(path)), plies),
            "read, text file": counting("moves read", lambda: count_plies(read(path, text=True)), plies),
            "write": counting("moves written", lambda: count_plies(rewritten(some)), count_plies(some)),
        }
        seconds = interleave(timers, options.rounds)
    games = dict.fromkeys(timers, options.games) | {"write": len(some)}
    spreads = {name: Spread.of(games[name] / value for value in values) for name, values in seconds.items()}
    if options.json:
        rates = {name: dataclasses.asdict(spread) for name, spread in spreads.items()}
        print(json.dumps({"games": options.games, "plies": plies, "games_per_second": rates}, indent=2))
        return
    print(f"{options.games:,} games, {plies / options.games:.1f} moves each; games a second, {options.rounds} rounds")
    for name, spread in spreads.items():
        print(f"{name:<20}{spread}")


def random_game(number: int) -> yf.game.Game:
    """A game of random moves, with the tags and comments that a program writes."""
    chance = random.Random(number)
    board = yf.Board(rules=yf.Rules.parse(RULES[number % len(RULES)]))
    while board.ply() < PLIES and not board.is_game_over():
        board.push(chance.choice(list(board.legal_moves)))
    game = yf.game.Game.from_board(board)
    game.headers.update({"Event": "Benchmark", "Round": str(number), "White": "chance", "Black": "chance"})
    game.end().comment = "no more moves"
    return game


def read(path: Path, *, text: bool = False) -> Iterator[yf.game.Game]:
    """The games of a file."""
    with path.open(encoding="utf-8") if text else path.open("rb") as file:
        while game := yf.game.read(file):
            assert not game.errors, game.errors
            yield game


def count_plies(games: Iterable[yf.game.Game]) -> int:
    """The moves of all main lines."""
    return sum(1 for game in games for _ in game.mainline())


def rewritten(games: Iterable[yf.game.Game]) -> Iterable[yf.game.Game]:
    """The games after each was written."""
    for game in games:
        yf.game.write(game, io.StringIO())
        yield game


if __name__ == "__main__":
    main()
