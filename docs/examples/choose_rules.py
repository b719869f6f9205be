"""Compare variants of a small game by how its random games end, as a designer of rules would.

Shows: changing rules, legal moves, outcomes.
"""

import random
from collections import Counter
from dataclasses import replace

import yote_fast as yf

BASE = yf.Rules(rows=4, cols=4, pieces=6)
VARIANTS = {
    "plain": BASE,
    "captures are mandatory": replace(BASE, mandatory_capture=True),
    "removal from board or hand": replace(BASE, second_removal="board_or_hand"),
    "chains": replace(BASE, chain_capture=True),
    "a capture moves again": replace(BASE, bonus_turn=True),
    "choko": yf.Rules.parse("choko+rows=4+cols=4+pieces=6"),
}
GAMES = 200


def play(rules: yf.Rules, chance: random.Random) -> yf.Board:
    board = yf.Board(rules=rules)
    while not board.is_game_over():
        board.push(chance.choice(list(board.legal_moves)))
    return board


for name, rules in VARIANTS.items():
    boards = [play(rules, random.Random(seed)) for seed in range(GAMES)]
    results = Counter(board.result() for board in boards)
    length = sum(board.ply() for board in boards) / GAMES
    share = {result: f"{results[result] / GAMES:4.0%}" for result in ("1-0", "1/2-1/2", "0-1")}
    print(f"{name:<28}{length:6.1f} moves   white {share['1-0']}  draw {share['1/2-1/2']}  black {share['0-1']}")
