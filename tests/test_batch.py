"""Batches of games agree with the board and with the reference engine; bad arrays are refused and change nothing."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import PROMPTLY, interrupt, needs_ctrl_c, run
from strategies import BOARDS, rules, setups

import yote_fast as yf
from yote_fast import reference
from yote_fast.batch import NO_ACTION, Actions, Boards
from yote_fast.core import Games
from yote_fast.notation import format_yfen
from yote_fast.planes import plane_names
from yote_fast.rules import Rules

SMALL = [(rows, cols) for rows, cols in BOARDS if rows * cols <= 9]


def numbered(mix: Rules) -> Rules:
    """The nearest rules whose actions have numbers."""
    return dataclasses.replace(mix, chain_capture=False, trade_routes=0)


def points(board: yf.Board) -> int:
    return {"1-0": 1, "0-1": -1}.get(board.result(), 0)


def assert_same(boards: Boards, games: list[yf.Board]) -> None:
    """Compare every game of a batch with a board that played the same actions."""
    mask, packed = boards.mask(), boards.packed_mask()
    assert (np.unpackbits(packed, axis=1, count=len(boards.actions), bitorder="little") == mask).all()
    planes = boards.planes()
    for i, board in enumerate(games):
        where = f"game {i}, {board!r}"
        assert boards[i].yfen() == board.yfen(), where
        assert boards[i].outcome() == board.outcome(), where
        assert boards.over[i] == board.is_game_over(), where
        assert boards.results[i] == points(board), where
        assert boards.turns[i] == board.turn, where
        assert boards.plies[i] == board.ply(), where
        assert (planes[i] == board.to_planes()).all(), where
        legal = [] if board.is_game_over() else sorted(map(boards.actions.action_number, board.legal_moves))
        assert mask[i].nonzero()[0].tolist() == legal, where


def assert_same_position(actions: Actions, board: yf.Board) -> None:
    """Compare the numbers of a position's legal actions with its moves."""
    moves = {actions.action_number(move): move for move in board.legal_moves}
    assert len(moves) == board.legal_moves.count()
    assert actions.legal(board) == sorted(moves), repr(board)
    assert actions.mask(board).nonzero()[0].tolist() == sorted(moves), repr(board)
    assert all(actions.move_of(number) == move for number, move in moves.items())


def play_batch(mix: Rules, seed: int, plies: int, *, count: int = 4) -> None:
    """Play random actions in a batch and on boards, comparing them all the way."""
    boards = Boards(count, mix, seed=seed)
    games = [yf.Board(rules=mix) for _ in range(count)]
    for _ in range(plies):
        assert_same(boards, games)
        numbers = boards.random_actions()
        assert (numbers == NO_ACTION).tolist() == boards.over.tolist()
        ended, results = boards.step(numbers)
        for board, number in zip(games, numbers, strict=True):
            if number != NO_ACTION:
                boards.actions.play(board, number)
        assert (ended == (boards.over & (numbers != NO_ACTION))).all()
        assert (results == boards.results).all()
    assert_same(boards, games)


@given(mix=rules().map(numbered), seed=st.integers(0, 2**64 - 1), plies=st.integers(0, 60))
@settings(max_examples=150)
def test_random_games(mix: Rules, seed: int, plies: int) -> None:
    play_batch(mix, seed, plies)


@given(mix=rules(SMALL, pieces=(1, 3), repetition=(2, 3, 4)).map(numbered), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=100)
def test_repetitions(mix: Rules, seed: int) -> None:
    """Few pieces on a small board meet again soon."""
    play_batch(mix, seed, 50)


@pytest.mark.slow
@given(mix=rules().map(numbered), seed=st.integers(0, 2**64 - 1), plies=st.integers(0, 300))
@settings(max_examples=12)
def test_many_random_games(mix: Rules, seed: int, plies: int) -> None:
    play_batch(mix, seed, plies)


@given(data=st.data(), mix=rules().map(numbered))
@settings(max_examples=300)
def test_any_valid_position(data: st.DataObject, mix: Rules) -> None:
    yfen = format_yfen(data.draw(setups(mix)), mix)
    assert_same_position(Actions(mix), yf.Board(yfen, mix))
    assert_same(Boards(1, mix, yfen=yfen), [yf.Board(yfen, mix)])


@given(mix=rules(SMALL, pieces=(1, 5), repetition=(0,)).map(numbered), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=100)
def test_reference_engine(mix: Rules, seed: int) -> None:
    boards = Boards(1, mix, seed=seed)
    position = reference.Position(None, mix)
    for _ in range(30):
        moves = dict(position.legal_moves())
        legal = boards.mask()[0].nonzero()[0].tolist()
        assert sorted(str(boards.actions.move_of(number)) for number in legal) == sorted(moves)
        assert position.result() == boards[0].result()
        numbers = boards.random_actions()
        if numbers[0] == NO_ACTION:
            assert position.result() != "*"
            return
        boards.step(numbers)
        position = moves[str(boards.actions.move_of(numbers[0]))]
        assert boards[0].yfen() == position.yfen()


# Numbers --------------------------------------------------------------------------------------------------------------------------


@given(mix=rules().map(numbered))
@settings(max_examples=100)
def test_numbers_and_moves(mix: Rules) -> None:
    """Each number is that of a move of its own."""
    actions = Actions(mix)
    moves = [actions.move_of(number) for number in range(len(actions))]
    assert [actions.action_number(move) for move in moves] == list(range(len(actions)))
    assert len(set(moves)) == len(actions)
    assert len({str(move) for move in moves}) == len(actions)


@pytest.mark.parametrize(
    ("text", "count", "numbers"),
    [
        ("yote", 2332, {"@a1": 0, "@f5": 29, "a1-b1": 30, "b1-a1": 55, "a1-a2": 80, "a1xc1/d1": 128, "a1xc1/*": 155, "a1xc1": 156}),
        ("yote+second_removal=board", 2256, {"a1xc1/d1": 128, "a1xc1": 155, "f5xf3": 2255}),
        ("heroes+friendly_leap+no_moves=pass", 2439, {"R@a1": 30, "a1-c1": 158, "a1xc1/d1": 234, "--": 2438}),
        ("choko", 1545, {"@a1": 0, "a1-b1": 25}),
        ("yote+rows=2+cols=2+pieces=1", 12, {"@a1": 0, "a1-b1": 4}),
        ("yote+rows=6+cols=6", 3516, {"f6xf4": 3515}),
    ],
)
def test_numbering(text: str, count: int, numbers: dict[str, int]) -> None:
    """The numbering is fixed: what a program has learned is lost if it changes."""
    actions = Actions(Rules.parse(text))
    assert len(actions) == count
    assert {move: number for move, number in numbers.items() if str(actions.move_of(number)) == move} == numbers


@pytest.mark.parametrize("text", ["yote+chain_capture", "challenges"])
def test_rules_without_numbers(text: str) -> None:
    option = "chain_capture" if "chain" in text else "trade_routes"
    with pytest.raises(ValueError, match=f"the actions of .* have no numbers: with {option} they are too many"):
        Boards(1, Rules.parse(text))


def test_bad_numbers_and_moves() -> None:
    actions = Actions(yf.YOTE)
    for number in (-1, 2332, 10**30):
        with pytest.raises(IndexError, match=r"action number .* is out of range: the rules have 2332 actions"):
            actions.move_of(number)
    for nothing in (None, 1.0, "1", True):
        with pytest.raises(TypeError, match="an action number must be an int"):
            actions.move_of(nothing)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="action_number takes a Move, not str"):
        actions.action_number("@c3")  # type: ignore[arg-type]
    board = yf.Board(rules=yf.HEROES)
    with pytest.raises(ValueError, match="R@c3 is not an action of the rules yote"):
        actions.action_number(board.parse("R@c3"))
    for text in ("choko", "yote+rows=6"):
        with pytest.raises(ValueError, match=r"@[a-f][1-6] is not an action of the rules yote"):
            actions.action_number(list(yf.Board(rules=Rules.parse(text)).legal_moves)[-1])
    chain = yf.Board("2c3/6/2c3/2C3/6 w 0/0", Rules.parse("yote+chain_capture+rows=5+second_removal=board"))
    for move in chain.legal_moves:
        if len(move.action.squares) > 2:
            with pytest.raises(ValueError, match="is not an action"):
                actions.action_number(move)
    with pytest.raises(ValueError, match="other rules"):
        actions.legal(board)
    with pytest.raises(TypeError, match="must be a Board"):
        actions.mask(None)  # type: ignore[arg-type]
    with pytest.raises(yf.IllegalMoveError, match="action 30, a1-b1, is not legal in 6/6/6/6/6 w 12/12"):
        actions.play(yf.Board(), 30)


def test_pickles_do_not_name_a_build_of_the_core() -> None:
    data = pickle.dumps(Actions(yf.CHOKO))
    assert pickle.loads(data).rules == yf.CHOKO
    assert b"yote_fast.core" in data
    assert b"_baseline" not in data
    assert b"_x86_64" not in data


# Boards ---------------------------------------------------------------------------------------------------------------------------


def test_seeds() -> None:
    def play(count: int, seed: int) -> list[str]:
        boards = Boards(count, yf.CHOKO, seed=seed)
        boards.play_out(20)
        return [boards[i].yfen() for i in range(count)]

    assert play(5, 1) == play(5, 1)
    assert play(5, 1) == play(9, 1)[:5]
    assert len(set(play(5, 1) + play(5, 2))) == 10


def test_random_actions_are_even() -> None:
    board = yf.Board("6/2c3/2C3/6/1c4 w 1/2", Rules.parse("yote+second_removal=board_or_hand"))
    boards = Boards(60_000, board.rules, yfen=board.yfen(), seed=3)
    numbers, counts = np.unique(boards.random_actions(), return_counts=True)
    assert numbers.tolist() == boards.actions.legal(board)
    expected = len(boards) / len(numbers)
    # Six standard deviations.
    assert (abs(counts - expected) < 6 * expected**0.5).all()


def test_play_out_is_a_series_of_random_steps() -> None:
    one, other = Boards(50, yf.YOTE, seed=5), Boards(50, yf.YOTE, seed=5)
    played = 0
    while not other.over.all():
        numbers = other.random_actions()
        played += int((numbers != NO_ACTION).sum())
        other.step(numbers)
    assert one.play_out() == played == one.plies.sum()
    assert (one.results == other.results).all()
    assert [one[i] for i in range(50)] == [other[i] for i in range(50)]
    assert one.play_out() == 0
    assert (one.random_actions() == NO_ACTION).all()
    assert not one.mask().any()
    assert not one.packed_mask().any()


def test_games_go_into_boards_and_back() -> None:
    mix = Rules.parse("choko+rows=3+cols=3+pieces=2+friendly_leap")
    chance = random.Random(1)
    for seed in range(100):
        board = yf.Board(rules=mix)
        for _ in range(seed):
            if board.is_game_over():
                break
            board.push(chance.choice(list(board.legal_moves)))
        boards = Boards(3, mix)
        boards[1] = board
        assert_same(boards, [yf.Board(rules=mix), board, yf.Board(rules=mix)])
        assert boards[-2].occurrences() == board.occurrences()
        boards.play_out()
        assert boards[1].is_game_over()


def test_a_start_with_an_obligation() -> None:
    """A position like the first but without its obligation to drop is another one."""
    mix = Rules.parse("choko+rows=3+cols=3+pieces=4+repetition=2")
    board = yf.Board("c2/3/2C w 0/2 !", mix)
    boards = Boards(1, mix)
    boards[0] = board
    for text in ("c1-b1", "a3-b3", "b1-c1", "b3-a3", "c1-b1"):
        assert boards[0].result() == "*"
        boards.step(np.array([boards.actions.action_number(boards[0].parse(text))]))
        board.push_text(text)
    assert board.result() == boards[0].result() == "1/2-1/2"
    assert boards[0].move_stack == board.move_stack
    assert boards.over[0]


@given(mix=rules(SMALL, pieces=(1, 3), repetition=(2, 3)).map(numbered), seed=st.integers(0, 2**64 - 1), plies=st.integers(0, 30))
@settings(max_examples=50)
def test_copies_of_games(mix: Rules, seed: int, plies: int) -> None:
    boards = Boards(3, mix, seed=seed)
    boards.play_out(plies)
    before = state(boards)
    games = np.array([2, 0, 2, 2], np.int16)
    copies = boards.take(games)
    assert_same_histories(copies, [boards[i] for i in games])
    assert copies.plies.tolist() == boards.plies[games].tolist()
    copies.play_out(40)
    assert state(boards) == before
    again = boards.take(games)
    again.play_out(40)
    assert state(again) == state(copies)
    assert len(boards.take(games[:0])) == 0


def assert_same_histories(boards: Boards, expected: list[yf.Board]) -> None:
    found = [boards[i] for i in range(len(boards))]
    assert [(board.yfen(), board.move_stack, board.outcome()) for board in found] == [
        (board.yfen(), board.move_stack, board.outcome()) for board in expected
    ]


def test_copies_of_a_game_go_their_own_ways() -> None:
    copies = Boards(1).take(np.zeros(20, np.int64))
    copies.play_out(10)
    assert len({copies[i].yfen() for i in range(20)}) == 20
    copies.reset()
    assert {copies[i].yfen() for i in range(20)} == {yf.Board().yfen()}


def test_auto_reset() -> None:
    boards = Boards(64, Rules.parse("yote+rows=3+cols=3+pieces=3"), seed=2, auto_reset=True)
    kept = Boards(64, boards.rules, seed=2)
    finished = 0
    for _ in range(200):
        before = boards.plies
        ended, results = boards.step(boards.random_actions())
        assert not boards.over.any()
        assert (boards.plies == np.where(ended, 0, before + 1)).all()
        assert (results[~ended] == 0).all()
        finished += int(ended.sum())
        if finished == 0:
            kept.step(kept.random_actions())
            assert [boards[i] for i in range(64)] == [kept[i] for i in range(64)]
    assert finished > 100


def test_reset() -> None:
    boards = Boards(4, yf.YOTE, yfen="6/2c3/2C3/6/1c4 b 1/2")
    boards.play_out(5)
    moved = boards[2].yfen()
    boards.reset(np.array([True, True, False, True]))
    assert [boards[i].yfen() == "6/2c3/2C3/6/1c4 b 1/2" for i in range(4)] == [True, True, False, True]
    assert boards[2].yfen() == moved
    boards.reset()
    assert boards[2].yfen() == "6/2c3/2C3/6/1c4 b 1/2"
    assert boards.plies.tolist() == [0] * 4


def test_memory() -> None:
    boards = Boards(1000)
    assert boards.nbytes <= 64 * 1000
    boards.play_out()
    assert boards.nbytes <= 160 * 1000


def state(boards: Boards) -> tuple[object, ...]:
    return [boards[i].yfen() for i in range(len(boards))], boards.plies.tolist(), boards.over.tolist()


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0, 0, 2332], IndexError, "game 2: action number 2332 is out of range; -1 to 2331 are allowed"),
        ([0, -2, 0], IndexError, "game 1: action number -2 is out of range"),
        (np.array([0, 0, 2**64 - 1], np.uint64), IndexError, "game 2: action number 9223372036854775807 is out of range"),
        ([0, 0, 31], yf.IllegalMoveError, "game 2: action 31, b1-c1, is not legal in 6/6/6/6/6 w 12/12"),
        ([0.0, 1.0, 2.0], TypeError, "action numbers must be integers, not float64"),
        ([True, True, False], TypeError, "action numbers must be integers, not bool"),
        (["a", "b", "c"], TypeError, "action numbers must be integers, not"),
        ([None, 1, 2], TypeError, "action numbers must be integers, not object"),
        ([0, 1], ValueError, r"an array of shape \(3,\), not \(2,\)"),
        ([[0, 1, 2]], ValueError, r"an array of shape \(3,\), not \(1, 3\)"),
        (1, ValueError, r"an array of shape \(3,\), not \(\)"),
    ],
)
def test_bad_actions(actions: Any, error: type[Exception], message: str) -> None:
    boards = Boards(3)
    before = state(boards)
    with pytest.raises(error, match=message):
        boards.step(actions)
    assert state(boards) == before
    boards.step(np.array([5, NO_ACTION, 7]))
    assert boards.plies.tolist() == [1, 0, 1]


def test_no_action_after_the_end() -> None:
    boards = Boards(2, yf.YOTE, yfen="6/6/6/6/C5 b 1/0")
    assert boards.over.all()
    assert boards.results.tolist() == [1, 1]
    before = state(boards)
    with pytest.raises(yf.IllegalMoveError, match=r"game 1: action 0, @a1, is not legal in .*: the game is over"):
        boards.step(np.array([NO_ACTION, 0]))
    assert state(boards) == before
    ended, results = boards.step(np.array([NO_ACTION, NO_ACTION]))
    assert not ended.any()
    assert results.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Boards(0), ValueError, "count must be 1 to 100000000, not 0"),
        (lambda: Boards("3"), TypeError, "count must be an int, not str"),
        (lambda: Boards(1, seed=-1), ValueError, "seed must be 0 to"),
        (lambda: Boards(1, seed=2**64), ValueError, "seed must be 0 to"),
        (lambda: Boards(1, "yote"), TypeError, "rules must be a Rules, not str"),
        (lambda: Boards(1, yfen="x"), yf.InvalidPositionError, "YFEN"),
        (lambda: Boards(2)[2], IndexError, "game 2 is out of range: there are 2 games"),
        (lambda: Boards(2)[-3], IndexError, "game -3 is out of range"),
        (lambda: Boards(2)["a"], TypeError, "integer"),
        (lambda: Boards(2).__setitem__(5, yf.Board()), IndexError, "game 5 is out of range"),
        (lambda: Boards(2).__setitem__(0, yf.Board(rules=yf.CHOKO)), ValueError, "the board has other rules than the games"),
        (lambda: Boards(2).__setitem__(0, "w"), TypeError, "a game is set from a Board, not from a str"),
        (lambda: Boards(2).mask(np.empty((2, 2331), bool)), ValueError, r"array of bool and shape \(2, 2332\), not of bool and"),
        (lambda: Boards(2).mask(np.empty((2, 2332), np.int8)), ValueError, "not of int8 and"),
        (lambda: Boards(2).mask(np.empty((2332, 2), bool).T), ValueError, "writable contiguous"),
        (lambda: Boards(2).mask([]), TypeError, "out must be a numpy array, not list"),
        (lambda: Boards(2).packed_mask(np.empty((2, 291), np.uint8)), ValueError, r"shape \(2, 292\)"),
        (lambda: Boards(2).planes(np.empty((2, 4, 5, 6))), ValueError, "not of float64 and"),
        (lambda: Boards(2).reset(np.ones(3, bool)), ValueError, r"which must be an array of bools of shape \(2,\)"),
        (lambda: Boards(2).reset(np.ones(2)), ValueError, "not of float64"),
        (lambda: Boards(2).take(np.array([0, 2])), IndexError, "game 2 is out of range: there are 2 games"),
        (lambda: Boards(2).take(np.array([-1])), IndexError, "game -1 is out of range"),
        (lambda: Boards(2).take(np.array([0.5])), TypeError, "indices of games must be integers, not float64"),
        (lambda: Boards(2).take(np.array([[0]])), ValueError, "must have one dimension, not 2"),
        (lambda: Boards(2).play_out(-1), ValueError, "plies must be 0 to"),
        (lambda: Boards(2, Rules(repetition=0)).play_out(), ValueError, "games may never end: play_out needs a number of plies"),
    ],
)
def test_bad_arguments(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_read_only_output_is_refused() -> None:
    out = np.empty((2, 2332), bool)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        Boards(2).mask(out)


def test_outputs_are_used() -> None:
    boards = Boards(2)
    mask, packed, planes = boards.mask(), boards.packed_mask(), boards.planes()
    boards.play_out(3)
    assert boards.mask(mask) is mask
    assert boards.packed_mask(packed) is packed
    assert boards.planes(planes) is planes
    assert (mask == boards.mask()).all()
    assert (planes == boards.planes()).all()


def test_one_thread_at_a_time() -> None:
    """Another thread is refused, or waits for its turn; nothing breaks."""
    boards = Boards(20_000)
    refusals: list[str] = []

    def look() -> None:
        while thread.is_alive():
            try:
                boards.random_actions()
            except RuntimeError as error:
                refusals.append(str(error))
                return

    thread = threading.Thread(target=boards.play_out)
    thread.start()
    look()
    thread.join()
    assert refusals == ["the games are in use by another thread; give each thread games of its own"]
    boards.random_actions()


def test_games_that_were_not_initialised() -> None:
    """No call on them crashes."""
    games = Games.__new__(Games)
    nothing = np.empty(0, bool)
    for call in (
        lambda: games.get(0),
        lambda: games.put(0, yf.Board()),
        lambda: games.take(np.empty(0, np.int64), 0),
        lambda: games.reset(nothing),
        lambda: games.step(np.empty(0, np.int64), nothing, nothing, False),
        lambda: games.random_actions(np.empty(0, np.int64)),
        lambda: games.play_out(1),
        lambda: games.mask(nothing),
        lambda: games.packed_mask(nothing),
        lambda: games.planes(np.empty(0, np.float32)),
    ):
        with pytest.raises((ValueError, IndexError, AttributeError)):
            call()
    actions = Actions.__new__(Actions)
    for call in (lambda: actions.legal(yf.Board()), lambda: actions.move_of(0), lambda: actions.mask(yf.Board())):
        with pytest.raises((ValueError, IndexError, AttributeError)):
            call()
    with pytest.raises((ValueError, AttributeError)):
        actions.action_number(yf.Board().parse("@a1"))


# Nobody can capture.
ENDLESS = """
import yote_fast as yf
boards = yf.batch.Boards(100, yf.Rules(rows=2, cols=2, pieces=1, repetition=0))
print("ready", flush=True)
try:
    boards.play_out(2**32 - 1)
except KeyboardInterrupt:
    print("KeyboardInterrupt", int(boards.random_actions().size))
"""


@needs_ctrl_c
def test_ctrl_c() -> None:
    ended = interrupt("-c", ENDLESS, ready="ready")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[1] == "KeyboardInterrupt 100"
    assert ended.seconds < PROMPTLY


def test_boards_are_not_copied() -> None:
    with pytest.raises(TypeError):
        copy.deepcopy(Boards(1))


def test_planes() -> None:
    board = yf.Board("1r4/2c3/2C3/6/6 b 3R/6", yf.HEROES)
    planes = dict(zip(plane_names(board.rules), board.to_planes(), strict=True))
    assert {name: np.argwhere(plane).tolist() for name, plane in planes.items() if "hand" not in name} == {
        "own camels": [[3, 2]],
        "enemy camels": [[2, 2]],
        "own royal": [[4, 1]],
        "enemy royal": [],
    }
    assert {name: np.unique(plane).tolist() for name, plane in planes.items() if "hand" in name} == {
        "own hand": [0.5],
        "enemy hand": [0.25],
        "own royal in hand": [0.0],
        "enemy royal in hand": [1.0],
    }


def test_planes_of_obligations_and_routes() -> None:
    planes = dict(zip(plane_names(yf.CHOKO), yf.Board("5/5/2C2/5/5 b 11/12 !", yf.CHOKO).to_planes(), strict=True))
    assert planes["must drop"].min() == 1
    board = yf.Board("6/6/2C3/6/6 w 11/12 - 1/2:b2c3 fmc3", yf.CHALLENGES)
    assert board.to_planes().shape == (12, 5, 6)
    routes = dict(zip(plane_names(yf.CHALLENGES), board.to_planes(), strict=True))
    assert np.argwhere(routes["rising routes"]).tolist() == [[1, 1]]
    assert not routes["falling routes"].any()
    assert (routes["own supply"].min(), routes["enemy supply"].min()) == (0.5, 1.0)
    assert (routes["route placed"].max(), routes["free move made"].min(), routes["bonus move"].max()) == (0, 1, 0)
    assert np.argwhere(routes["actor"]).tolist() == [[2, 2]]


def test_numpy_is_imported_when_arrays_are() -> None:
    ended = run("-c", "import sys, yote_fast as yf; print('numpy' in sys.modules); yf.batch; print('numpy' in sys.modules)")
    assert (ended.status, ended.stdout, ended.stderr) == (0, "False\nTrue\n", "")
