"""The full-width search is plain minimax: the reference engine's moves, the evaluation at the ends, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from play import play_all
from strategies import BOARDS, playable_rules, rules, setups
from test_board import EXPLOSIVE
from test_symmetry import exchanged, turned

import yote_fast as yf
from yote_fast import reference
from yote_fast.notation import Setup, format_yfen
from yote_fast.rules import PRESETS, Rules
from yote_fast.score import WIN_VALUE

DEEPEST = 4


class TooLarge(Exception):
    """Minimax would take too long."""


@dataclass
class Minimax:
    """Values of positions by the reference engine, for the side to move. A position that stood before has the value 0."""

    rules: Rules
    stood: set[Setup]
    """The positions of the game so far, and then of the line."""
    patience: int
    """How many different positions may be looked at."""
    _looked_at: dict[Setup, tuple[str, list[tuple[str, reference.Position]]]] = field(default_factory=dict)
    _evaluated: dict[Setup, int] = field(default_factory=dict)

    def values_of_moves(self, root: reference.Position, depth: int, ply: int = 0) -> dict[str, int]:
        """The value of each action for the side to move.

        Raises:
            TooLarge: patience is at an end.
        """
        values = {}
        new = root.setup not in self.stood
        self.stood.add(root.setup)
        for text, child in self._look(root)[1]:
            value = self._value(child, depth - 1, ply + 1)
            values[text] = value if child.turn == root.turn else -value
        if new:
            self.stood.remove(root.setup)
        return values

    def _value(self, position: reference.Position, depth: int, ply: int) -> int:
        if position.setup in self.stood:
            return 0
        result, _ = self._look(position)
        if result == "1/2-1/2":
            return 0
        if result != "*":
            won = (result == "1-0") == position.turn
            return WIN_VALUE - ply if won else ply - WIN_VALUE
        if depth == 0:
            return self._evaluate(position)
        return max(self.values_of_moves(position, depth, ply).values())

    def _look(self, position: reference.Position) -> tuple[str, list[tuple[str, reference.Position]]]:
        if position.setup not in self._looked_at:
            self.patience -= 1
            if self.patience < 0:
                raise TooLarge
            self._looked_at[position.setup] = position.result(), position.legal_moves()
        return self._looked_at[position.setup]

    def _evaluate(self, position: reference.Position) -> int:
        if position.setup not in self._evaluated:
            self._evaluated[position.setup] = yf.evaluate(yf.Board(position.yfen(), self.rules)).value
        return self._evaluated[position.setup]


def history(board: yf.Board) -> set[Setup]:
    """The positions that the game came through."""
    board = board.copy()
    stood = set()
    while board.ply():
        board.pop()
        stood.add(board.setup())
    return stood


def assert_minimax(board: yf.Board, patience: int) -> list[int]:
    """The search says what minimax says, at each depth for which there is patience. Returns the values of the depths."""
    if board.is_game_over():
        return []
    root = reference.Position(board.yfen(), board.rules)
    minimax = Minimax(board.rules, history(board), patience)
    infos: list[yf.Info] = []
    with yf.Engine(hash_mb=1, full_width=True) as engine:
        engine.analyse(board, yf.Limit(depth=DEEPEST), on_info=infos.append)
    values: list[int] = []
    for depth in range(1, DEEPEST + 1):
        try:
            moves = minimax.values_of_moves(root, depth)
        except TooLarge:
            break
        values.append(max(moves.values()))
        # An analysis ends where all is proven.
        info = infos[min(depth, len(infos)) - 1]
        context = f"{board!r} after {board.move_stack}: minimax of depth {depth}: {values[-1]}, {moves}; search: {info}"
        assert info.score == yf.Score(values[-1], board.turn), context
        assert moves[str(info.pv[0])] == values[-1], context
    return values


SMALL = [(rows, cols) for rows, cols in BOARDS if rows * cols <= 9]


@given(data=st.data(), mix=rules(SMALL, pieces=(1, 5)))
@settings(max_examples=100)
def test_any_position_of_a_small_board(data: st.DataObject, mix: Rules) -> None:
    assert_minimax(yf.Board(format_yfen(data.draw(setups(mix)), mix), mix), 300)


@given(mix=rules(SMALL, pieces=(1, 5)), seed=st.integers(0, 2**32))
@settings(max_examples=100)
def test_random_games_on_small_boards(mix: Rules, seed: int) -> None:
    assert_minimax(play_all(yf.Board(rules=mix), seed, seed % 40), 300)


@given(data=st.data(), mix=playable_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_larger_boards(data: st.DataObject, mix: Rules, seed: int) -> None:
    board = yf.Board(format_yfen(data.draw(setups(mix)), mix), mix)
    assert_minimax(play_all(board, seed, seed % 8), 400)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("preset", PRESETS)
def test_games_of_presets(preset: str, seed: int) -> None:
    board = play_all(yf.Board(rules=PRESETS[preset]), seed, 400)
    for _ in range(min(board.ply(), 4 * seed + 1)):
        board.pop()
    assert assert_minimax(board, 500)


def test_positions_that_are_reached_in_more_plies_or_fewer() -> None:
    """By trade routes the same position can come after two actions and after three."""
    board = yf.Board("3/c1C b 4/4 - 0/0:a1b2,b1c2", Rules.parse("yote+rows=2+cols=3+pieces=5+bonus_turn+trade_routes=1"))
    assert_minimax(board, 1_000)


@pytest.mark.slow
@given(data=st.data(), mix=rules(pieces=(1, 12)), seed=st.integers(0, 2**32))
@settings(max_examples=10)
def test_many_positions(data: st.DataObject, mix: Rules, seed: int) -> None:
    assert_minimax(play_all(yf.Board(rules=mix), seed, seed % 100), 2_000)
    board = yf.Board(format_yfen(data.draw(setups(mix)), mix), mix)
    assert_minimax(play_all(board, seed, seed % 12), 2_000)


# Repetition -----------------------------------------------------------------------------------------------------------------------

SHUFFLED = [
    ("3/1C1/c1C w 0/0", "yote+rows=3+cols=3+pieces=4"),
    ("c1C/3/C1c w 0/0", "choko+rows=3+cols=3+pieces=4"),
    ("R2/3/2r b 0/0", "heroes+rows=3+cols=3+pieces=4+friendly_leap"),
    ("C1c1/4 b 0/0", "yote+rows=2+cols=4+pieces=4+no_moves=pass"),
]


def shuffled(yfen: str, mix: Rules, seed: int) -> yf.Board:
    """A game of steps alone."""
    board = yf.Board(yfen, mix)
    rng = random.Random(seed)
    for _ in range(8):
        steps = [move for move in board.legal_moves if move.action.kind == "-"]
        if not steps:
            break
        board.push(rng.choice(steps))
    return board


@pytest.mark.parametrize(("yfen", "spec"), SHUFFLED)
def test_repetition(yfen: str, spec: str) -> None:
    """Positions of the game so far count as those of the line do."""
    mix = replace(Rules.parse(spec), repetition=0)
    changed = 0
    for seed in range(12):
        board = shuffled(yfen, mix, seed)
        changed += assert_minimax(board, 600) != assert_minimax(board.copy(stack=False), 600)
    assert changed >= 2, "the past made no difference"


@pytest.mark.parametrize("yfen", ["6/1ccc2/2c3/1ccc2/2c3/Cc1c2 w 0/1", "6/1ccc2/2c3/1ccc2/2c3/Cc1c1C w 2/1"])
def test_more_actions_than_priorities_can_tell_apart(yfen: str) -> None:
    board = yf.Board(yfen, Rules.parse(EXPLOSIVE))
    assert board.legal_moves.count() > 256
    assert len(assert_minimax(board, 600)) == 1


# Symmetry -------------------------------------------------------------------------------------------------------------------------


def scores(setup: Setup, mix: Rules) -> list[int]:
    """Of each depth, for the side to move."""
    infos: list[yf.Info] = []
    with yf.Engine(hash_mb=1, full_width=True) as engine:
        engine.analyse(yf.Board(format_yfen(setup, mix), mix), yf.Limit(depth=3), on_info=infos.append)
    return [info.score.value for info in infos if info.score is not None]


@given(data=st.data(), mix=playable_rules())
@settings(max_examples=60)
def test_symmetric_positions(data: st.DataObject, mix: Rules) -> None:
    """With colours exchanged or the board turned over, the side to move has the same score."""
    setup = data.draw(setups(mix))
    if yf.Board(format_yfen(setup, mix), mix).is_game_over():
        return
    expected = scores(setup, mix)
    turns: list[Callable[[int, int], tuple[int, int]]] = [
        lambda row, col: (row, mix.cols - 1 - col),
        lambda row, col: (mix.rows - 1 - row, col),
    ]
    for other in (exchanged(setup), *(turned(setup, mix, turn) for turn in turns)):
        assert scores(other, mix) == expected, f"{mix}: {format_yfen(setup, mix)} and {format_yfen(other, mix)}"
