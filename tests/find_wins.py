"""Find positions that are won or lost within nine plies, by trying every action, and write them to ``tests/data/wins.jsonl``.

They come from the ends of random games on the real boards. ``tests/test_wins.py`` checks the engine against them, and some of them
once more with the reference engine. To be run with this package on the path; takes about twenty minutes::

    python tests/find_wins.py
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from play import play_all
from proofs import CompiledGame, Proofs, TooLarge

import yote_fast as yf
from yote_fast.rules import Rules

OUTPUT = Path(__file__).parent / "data" / "wins.jsonl"
DEEPEST = 9
OF_EACH_DISTANCE = 6
RULES = {
    "yote": (120, 15_000),
    "choko": (40, 8_000),
    "heroes": (120, 15_000),
    "challenges": (40, 8_000),
    "yote+mandatory_capture": (40, 8_000),
    "yote+chain_capture+no_moves=loses": (40, 8_000),
}
"""With how many games to play, and how many positions a proof may look into."""


def find(rules: str) -> list[dict[str, Any]]:
    rng = random.Random(rules)
    cases: dict[str, dict[str, Any]] = {}
    distances: Counter[int] = Counter()
    games, patience = RULES[rules]
    for _ in range(games):
        if all(distances[plies] >= OF_EACH_DISTANCE for plies in range(1, DEEPEST + 1)):
            break
        for board, score in proven_before_the_end(Rules.parse(rules), rng.getrandbits(32), patience):
            outcome, plies = ("win_in", score.win_in) if score.win_in else ("loss_in", score.loss_in)
            assert plies is not None
            if distances[plies] < OF_EACH_DISTANCE and board.yfen() not in cases:
                distances[plies] += 1
                cases[board.yfen()] = {"rules": rules, "yfen": board.yfen(), outcome: plies}
    print(rules, dict(sorted(distances.items())), flush=True)
    return list(cases.values())


def proven_before_the_end(mix: Rules, seed: int, patience: int) -> Iterator[tuple[yf.Board, yf.Score]]:
    """The last positions of a random game, backwards, up to one whose proof would take too long, with what is proved."""
    board = play_all(yf.Board(rules=mix), seed, 400)
    proofs = Proofs(CompiledGame(), 0)
    while board.ply():
        board.pop()
        proofs.patience = patience
        try:
            score = proofs.score(board.copy(stack=False), DEEPEST)
        except TooLarge:
            return
        if score is not None:
            yield board, score


def main() -> None:
    cases = [case for rules in RULES for case in find(rules)]
    OUTPUT.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")


if __name__ == "__main__":
    main()
