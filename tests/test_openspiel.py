"""The games in OpenSpiel: OpenSpiel's own simulation test, and games that agree with boards."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pyspiel
import pytest
from shell import run

import yote_fast as yf
import yote_fast.adapters.openspiel
from yote_fast.adapters.openspiel import MAX_PLIES
from yote_fast.rules import Rules

GAMES = [
    ("yote", "yote"),
    ("choko", "choko"),
    ("yote(rows=3,cols=4,pieces=4,second_removal=board,repetition=2)", "yote+rows=3+cols=4+pieces=4+second_removal=board"),
    ("yote(royal_caravan=True,friendly_leap=True,no_moves=pass,bonus_turn=True)", "heroes+friendly_leap+no_moves=pass+bonus_turn"),
    ("choko(rows=3,cols=3,pieces=3,mandatory_capture=True)", "choko+rows=3+cols=3+pieces=3+mandatory_capture"),
]


@pytest.mark.parametrize("name", [name for name, _ in GAMES])
def test_openspiel_simulations(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_games(name: str, rules: str) -> None:
    """A state tells what a board tells."""
    game, chance = pyspiel.load_game(name), random.Random(1)
    assert game.rules == yf.Rules.parse(rules + ("+repetition=2" if "repetition" in name else ""))
    board, state = yf.Board(rules=game.rules), game.new_initial_state()
    while not board.is_game_over():
        assert str(state) == board.yfen()
        assert state.current_player() == (0 if board.turn else 1)
        legal = state.legal_actions()
        assert [state.action_to_string(number) for number in legal] == [str(game.actions.move_of(number)) for number in legal]
        assert sorted(map(state.action_to_string, legal)) == sorted(map(str, board.legal_moves))
        for player in range(2):
            tensor = np.array(state.observation_tensor(player), np.float32)
            assert (tensor[:-1] == board.to_planes(player == 0).ravel()).all()
            assert tensor[-1] == (state.current_player() == player)
            assert state.observation_string(player) == board.yfen()
        number = chance.choice(legal)
        if chance.random() < 0.2:
            state = state.clone()
        state.apply_action(number)
        board.push(game.actions.move_of(number))
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert state.returns()[0] == {"1-0": 1, "0-1": -1}.get(board.result(), 0) == -state.returns()[1]
    assert state.history() == [game.actions.action_number(move) for move in board.move_stack]


def test_a_clone_is_apart() -> None:
    state = pyspiel.load_game("yote").new_initial_state()
    state.apply_action(14)
    clone = state.clone()
    clone.apply_action(15)
    assert (str(state), str(clone)) == ("6/6/2C3/6/6 b 11/12", "6/6/2Cc2/6/6 w 11/11")


def tell(state: pyspiel.State) -> dict[str, object]:
    """All that a state tells of itself."""
    return {
        "text": str(state),
        "moves": state.board.move_stack,
        "player": state.current_player(),
        "legal": state.legal_actions(),
        "terminal": state.is_terminal(),
        "returns": state.returns(),
        "history": state.history(),
        "full history": [(done.player, done.action) for done in state.full_history()],
        "history string": state.history_str(),
        "move number": state.move_number(),
        "initial": (state.is_initial_state(), state.is_initial_non_chance_state()),
        "information": [state.information_state_string(player) for player in range(2)],
        "tensors": [state.observation_tensor(player) for player in range(2)],
    }


def undo(state: pyspiel.State) -> None:
    done = state.full_history()[-1]
    state.undo_action(done.player, done.action)


@pytest.mark.parametrize("name", [name for name, _ in GAMES])
def test_undo(name: str) -> None:
    """A game that goes back and forth is that which only goes forth; so are its copies."""
    game, chance = pyspiel.load_game(name), random.Random(1)
    line = [game.new_initial_state()]
    state = line[0].clone()
    for _ in range(80):
        if len(line) > 1 and (state.is_terminal() or chance.random() < 0.4):
            undo(state)
            line.pop()
        else:
            action = chance.choice(state.legal_actions())
            state.apply_action(action)
            line.append(line[-1].child(action))
        assert tell(state) == tell(line[-1])
        if chance.random() < 0.1:
            state = chance.choice([type(state).clone, lambda state: pickle.loads(pickle.dumps(state))])(state)
            assert tell(state) == tell(line[-1])
    while not state.is_initial_state():
        undo(state)
    assert tell(state) == tell(game.new_initial_state())


def test_openspiel_simulations_from_a_copy_after_undo() -> None:
    """What was undone is gone from OpenSpiel's record, which its test compares."""
    game = pyspiel.load_game("yote(rows=4,cols=4,pieces=4)")
    state = game.new_initial_state()
    for action in (1, 2, 3):
        state.apply_action(action)
    undo(state)
    copy = state.clone()
    assert tell(copy) == tell(state)
    assert pyspiel.State.full_history(state)[-1].action == 3
    assert pyspiel.State.full_history(copy)[-1].action == 2
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False, specific_initial_state=copy)


def test_only_the_last_action_can_be_undone() -> None:
    state = pyspiel.load_game("yote").new_initial_state()
    with pytest.raises(ValueError, match="action 3 of player 0 cannot be undone: there was none"):
        state.undo_action(0, 3)
    state.apply_action(3)
    state.apply_action(5)
    before = tell(state)
    for player, action in ((0, 3), (0, 5), (1, 3)):
        with pytest.raises(ValueError, match=f"action {action} of player {player} cannot be undone: the last was 5 of player 1"):
            state.undo_action(player, action)
    assert tell(state) == before


def test_serialisation() -> None:
    game = pyspiel.load_game("choko(pieces=5)")
    state = game.new_initial_state()
    for _ in range(8):
        state.apply_action(state.legal_actions()[-1])
    again, restored = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(game)
    assert str(restored) == str(state)
    assert restored.history() == state.history()
    assert str(pickle.loads(pickle.dumps(state))) == str(state)


def test_long_games_are_drawn() -> None:
    state = pyspiel.load_game("yote(max_plies=5)").new_initial_state()
    assert pyspiel.load_game("yote").max_game_length() == MAX_PLIES
    for _ in range(5):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.returns() == [0, 0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("yote(rows=7)", "a board of 7 x 6 has 42 squares"),
        ("yote(chain_capture=True)", "have no numbers"),
        ("yote(second_removal=all)", "second_removal must be one of"),
        ("yote(colour=1)", "colour"),
    ],
)
def test_bad_parameters(name: str, message: str) -> None:
    with pytest.raises((ValueError, pyspiel.SpielError), match=message):
        pyspiel.load_game(name)


def test_an_illegal_action_changes_nothing() -> None:
    state = pyspiel.load_game("yote").new_initial_state()
    with pytest.raises((yf.IllegalMoveError, pyspiel.SpielError)):
        state.apply_action_with_legality_check(30)
    assert str(state) == yf.Board().yfen()


def test_observers_take_no_parameters() -> None:
    with pytest.raises(ValueError, match="the observer takes no parameters, but was given depth"):
        yote_fast.adapters.openspiel.Observer(Rules(), {"depth": 3})


def test_without_openspiel() -> None:
    ended = run("-c", "import sys; sys.modules['pyspiel'] = None; import yote_fast.adapters.openspiel")
    assert ended.status == 1
    assert "ImportError: yote_fast.adapters.openspiel needs OpenSpiel: pip install yote-fast[rl]" in ended.stderr
