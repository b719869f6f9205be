"""The contest player: whole games under a strict referee, its clock, its removals, and states that make no sense."""

from __future__ import annotations

import copy
import random
import time
from typing import Any

import fake_maic
import pytest
from fake_maic import Clock, Color, YoteAction, YoteRules, YoteState, play_game

from yote_fast.adapters import maic
from yote_fast.adapters.maic import AI


class RandomPlayer:
    """Plays at random."""

    def __init__(self, position: int, seed: int) -> None:
        self.position = position
        self.chance = random.Random(seed)

    def play(self, state: YoteState, remain_time: float) -> YoteAction:  # noqa: ARG002
        return self.chance.choice(YoteRules.actions(state, self.position))

    def update_player_infos(self, infos: dict[str, int]) -> None:
        pass


@pytest.fixture(autouse=True)
def _framework(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_maic.install(monkeypatch)

    def fail(state: YoteState, player: int) -> YoteAction:
        raise AssertionError(f"player {player} had to fall back in {state}")

    # Within a game the way out must not be needed.
    monkeypatch.setattr(YoteRules, "random_play", staticmethod(fail))


def state_of(rows: list[str], hands: tuple[int, int] = (0, 0), player: int = -1) -> YoteState:
    """A state from rows of x for the player and o for its enemy."""
    state = YoteState((len(rows), len(rows[0])))
    for row, line in enumerate(rows):
        for col, man in enumerate(line):
            state.board.cells[row, col] = {"x": Color(player), "o": Color(-player), ".": Color.empty}[man]
    state.in_hand = {player: hands[0], -player: hands[1]}
    state.next_player = player
    return state


@pytest.mark.parametrize("position", [-1, 1])
def test_it_beats_chance(position: int) -> None:
    for seed in range(3):
        player = AI(Color(position))
        # The processor's time: on a busy machine the clock on the wall says nothing about the player.
        clocks = {-1: Clock(2.0), 1: Clock(2.0)}
        state = play_game({position: player, -position: RandomPlayer(-position, seed)}, clocks, time.process_time)
        assert state.score[position] > state.score[-position]
        assert player.score == state.score[position]
        player.reset_player_informations()


def test_against_itself() -> None:
    """With little time, and a low limit of actions without a capture."""
    for total, limit in ((0.5, 200), (0.05, 12), (0.002, 6)):
        clocks = {-1: Clock(total + 1.0), 1: Clock(total + 1.0)}
        state = YoteState(boring_limit=limit)
        play_game({-1: Hasty(Color.black, total), 1: Hasty(Color.green, total)}, clocks, time.process_time, state)


class Hasty(AI):
    """Believes that it has less time."""

    def __init__(self, color: Any, total: float) -> None:
        super().__init__(color)
        self.total = total

    def play(self, state: Any, remain_time: float | None = None) -> Any:  # noqa: ARG002
        started = time.perf_counter()
        action = super().play(state, self.total)
        self.total = max(0.0, self.total - (time.perf_counter() - started))
        return action


def test_the_clock_never_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is left, a move asks for a share of it only."""
    asked: list[float | None] = []
    player = AI(Color.black)
    play = player._engine.play

    def spy(board: Any, limit: Any) -> Any:
        asked.append(limit.time)
        return play(board, maic.HURRY)

    monkeypatch.setattr(player._engine, "play", spy)
    for left in (120.0, 10.0, 1.0, 0.2, 0.05, 0.001, 0.0, -1.0, None):
        assert player.play(YoteState(), left) is not None
    assert all(time is None or time < left / 20 for time, left in zip(asked, (120, 10, 1, 0.2, 0.05, 1, 1, 1), strict=False))
    assert asked[0] is not None
    assert asked[0] > 4
    assert asked[5:8] == [None] * 3
    assert asked[8] == pytest.approx(maic.DEFAULT_SECONDS, abs=0.1)


def test_it_captures_what_it_planned() -> None:
    state = state_of(["......", "..o...", "..x...", "......", ".o...o"], hands=(1, 2))
    player = AI(Color.black)
    move = player.play(copy.deepcopy(state), 5.0)
    assert move.key() == ("MOVE", (2, 2), (0, 2))
    assert not fake_maic.act(state, move)
    assert player._plan is not None
    planned = player._plan[1]
    removal = player.play(copy.deepcopy(state), 5.0)
    assert removal.key() in [action.key() for action in YoteRules.actions(state, -1)]
    assert removal.key() == (("STEAL_FROM_HAND", None, None) if planned < 0 else ("STEAL_FROM_BOARD", divmod(planned, 6), None))


@pytest.mark.parametrize("player", [-1, 1])
@pytest.mark.parametrize(
    ("rows", "hand", "removal"),
    [
        # The enemy beside would jump, and take the last piece with it.
        (["o.....", "......", "..xo..", "......", ".....x"], 0, ("STEAL_FROM_BOARD", (2, 3), None)),
        # The last piece.
        (["xo....", "......", "......", "......", "......"], 0, ("STEAL_FROM_BOARD", (0, 1), None)),
        (["x.....", "......", "......", "......", "......"], 2, ("STEAL_FROM_HAND", None, None)),
    ],
)
def test_a_removal_that_it_did_not_plan(player: int, rows: list[str], hand: int, removal: tuple[object, ...]) -> None:
    """The framework may have made the jump at random."""
    state = state_of(rows, hands=(0, hand), player=player)
    state.rewarding_move = True
    assert AI(Color(player)).play(state, 2.0).key() == removal


def test_other_boards() -> None:
    state = YoteState((5, 5))
    assert AI(Color.black).play(state, 0.5).key()[0] == "ADD"


class Broken:
    """A state of which nothing can be read."""

    rewarding_move = False


def test_it_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    sentinel = YoteAction(fake_maic.YoteActionType.ADD, to=(0, 0))
    monkeypatch.setattr(YoteRules, "random_play", staticmethod(lambda *_: sentinel))
    nothing_left = state_of(["......"] * 5)
    stolen = state_of(["x....."] * 5)
    stolen.rewarding_move = True
    too_many = state_of(["x....."] * 5, hands=(90, 90))
    for state in (Broken(), None, nothing_left, stolen, too_many):
        assert AI(Color.black).play(state, 0.1) is sentinel
    assert AI(Color.black).play(YoteState(), "soon") is sentinel  # type: ignore[arg-type]

    def fail(*_: object) -> YoteAction:
        raise ValueError("no")

    monkeypatch.setattr(YoteRules, "random_play", staticmethod(fail))
    assert AI(Color.black).play(None, 0.1) is None


def test_what_the_framework_asks_of_players() -> None:
    player = AI(Color.green)
    assert (player.get_name(), player.name, player.position, player.in_hand, player.score) == ("yote-fast", "yote-fast", 1, 12, 0)
    player.set_score(3)
    assert player.score == 3
    player.update_player_infos({"in_hand": 4, "score": 5})
    assert (player.in_hand, player.score) == (4, 5)
    player.reset_player_informations()
    assert (player.in_hand, player.score) == (12, 0)
