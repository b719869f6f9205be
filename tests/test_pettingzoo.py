"""The PettingZoo environment: PettingZoo's own tests, games, rendering, copies and errors."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from shell import run

import yote_fast as yf
from yote_fast.adapters import pettingzoo
from yote_fast.adapters.pettingzoo import CELL, PIECES, ROYAL, draw, raw_env
from yote_fast.rules import Rules

with warnings.catch_warnings():
    # PettingZoo's tests import a game by a name that PettingZoo no longer likes.
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test

RULES = ["yote", "choko+bonus_turn", "heroes+friendly_leap+no_moves=pass", "yote+rows=3+cols=3+pieces=3+repetition=2"]


def choose(observation: dict[str, Any], chance: random.Random) -> int:
    return int(chance.choice(np.flatnonzero(observation["action_mask"])))


def play(env: Any, chance: random.Random, plies: int) -> None:
    for _ in range(plies):
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            return
        env.step(choose(observation, chance))


@pytest.mark.parametrize("rules", RULES)
# PettingZoo's own board games have dicts too, and are known to its test by name.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
def test_pettingzoo_api(rules: str) -> None:
    api_test(pettingzoo.env(Rules.parse(rules)), num_cycles=400)
    api_test(raw_env(Rules.parse(rules), max_plies=50), num_cycles=400)


def test_pettingzoo_seeds() -> None:
    seed_test(pettingzoo.env, num_cycles=200)


def test_pettingzoo_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(pettingzoo.env)
    # The test asks for five positions, with two actions before each but the first.
    assert capsys.readouterr().out.count("to move; in hand") == 13


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_games(rules: str, seed: int) -> None:
    """The environment tells what a board tells."""
    env, chance = raw_env(Rules.parse(rules)), random.Random(seed)
    board = yf.Board(rules=env.board.rules)
    while not board.is_game_over():
        assert env.agent_selection == ("player_0" if board.turn else "player_1")
        for agent, color in (("player_0", True), ("player_1", False)):
            observation = env.observe(agent)
            assert (observation["observation"] == board.to_planes(color)).all()
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            assert legal == (env.actions.legal(board) if color is board.turn else [])
        assert (board.to_planes() == board.to_planes(board.turn)).all()
        number = choose(env.observe(env.agent_selection), chance)
        env.step(number)
        board.push(env.actions.move_of(number))
        assert env.board == board
    won = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}[board.result()]
    assert env.rewards == {"player_0": won, "player_1": -won}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert not env.last()[0]["action_mask"].any()
    env.step(None)
    env.step(None)
    assert env.agents == []


def test_truncation() -> None:
    env = pettingzoo.env(yf.Rules(repetition=0), max_plies=10)
    env.reset()
    play(env, random.Random(1), 100)
    assert env.unwrapped.board.ply() == 10
    assert env.truncations == {"player_0": True, "player_1": True}
    assert not any(env.terminations.values())


def test_a_start_position() -> None:
    env = pettingzoo.env()
    env.reset(options={"yfen": "6/6/6/6/Cc4 b 0/0"})
    assert env.agent_selection == "player_1"
    assert np.flatnonzero(env.last()[0]["action_mask"]).size == 2
    env.reset(options={"yfen": "6/6/6/6/C5 b 0/0"})
    assert env.last()[2]
    assert env.unwrapped.rewards == {"player_0": 1.0, "player_1": -1.0}
    with pytest.raises(yf.InvalidPositionError):
        env.reset(options={"yfen": "nonsense"})


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("make", [pettingzoo.env, raw_env])
def test_copies_keep_the_game(duplicate: Any, make: Any) -> None:
    env = make(yf.HEROES)
    env.reset()
    play(env, random.Random(1), 30)
    other = duplicate(env)
    moves = env.unwrapped.board.move_stack
    assert len(moves) == 30
    assert other.unwrapped.board.move_stack == moves
    play(other, random.Random(2), 10)
    assert env.unwrapped.board.move_stack == moves
    play(env, random.Random(2), 10)
    assert other.unwrapped.board.move_stack == env.unwrapped.board.move_stack


def test_illegal_actions() -> None:
    env = raw_env()
    before = env.board.copy()
    with pytest.raises(yf.IllegalMoveError, match="action 30, a1-b1, is not legal"):
        env.step(30)
    with pytest.raises(IndexError, match="action number 5000 is out of range"):
        env.step(5000)
    with pytest.raises(TypeError, match="player_0 must act"):
        env.step(None)
    assert env.board == before
    assert env.agent_selection == "player_0"


@pytest.mark.filterwarnings("ignore:.*Illegal move made:UserWarning")
def test_an_illegal_action_ends_the_checked_game() -> None:
    env = pettingzoo.env()
    env.reset()
    env.last()
    env.step(30)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1, "player_1": 0}
    assert env.board == yf.Board()
    # Both agents leave, and hear of their rewards before that.
    left = []
    for agent in env.agent_iter():
        _, reward, termination, _, _ = env.last()
        left.append((agent, reward, termination))
        env.step(None)
    assert left == [("player_0", -1.0, True), ("player_1", 0.0, True)]
    env.reset()
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    with pytest.raises(IndexError, match="action number 5000 is out of range"):
        env.step(5000)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: raw_env(render_mode="svg"), "render_mode must be None or one of human, ansi, rgb_array, not 'svg'"),
        (lambda: raw_env(yf.CHALLENGES), "have no numbers"),
    ],
)
def test_bad_arguments(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_images() -> None:
    board = yf.Board("5R/2c3/2C3/6/c5 b 3/6R", yf.HEROES)
    image = draw(board)
    assert image.shape == (5 * CELL, 8 * CELL, 3)

    def center(row: int, col: int) -> tuple[int, ...]:
        return tuple(image[(4 - row) * CELL + CELL // 2, (col + 1) * CELL + CELL // 2].tolist())

    assert [center(2, 2), center(3, 2), center(0, 0), center(4, 5)] == [PIECES[True], PIECES[False], PIECES[False], ROYAL]
    # The hands are at the sides.
    assert (image[:, :CELL] == PIECES[True]).all(axis=2).any()
    assert (image[:, -CELL:] == PIECES[False]).all(axis=2).any()
    assert (image[:, -CELL:] == ROYAL).all(axis=2).any()
    assert not (image[:, :CELL] == ROYAL).all(axis=2).any()
    bare = draw(yf.Board("5R/2c3/2C3/6/c5 b 0/0", yf.HEROES))
    assert len(np.unique(bare[:, :CELL].reshape(-1, 3), axis=0)) == 2


def test_a_large_hand_fits() -> None:
    board = yf.Board(rules=dataclasses.replace(yf.YOTE, rows=2, cols=18, pieces=20))
    assert draw(board).shape == (2 * CELL, 20 * CELL, 3)


def test_without_pettingzoo() -> None:
    ended = run("-c", "import sys; sys.modules['pettingzoo'] = None; import yote_fast.adapters.pettingzoo")
    assert ended.status == 1
    assert "ImportError: yote_fast.adapters.pettingzoo needs PettingZoo: pip install yote-fast[rl]" in ended.stderr
