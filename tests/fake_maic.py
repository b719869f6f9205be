"""A stand-in for the framework of the MAIC contest: the names and habits that its players meet, and a strict referee.

It is written from the framework's interface and shares nothing with this package, so that its rules are a second opinion.
"""

from __future__ import annotations

import copy
import enum
import random
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

Cell = tuple[int, int]


class Color(enum.Enum):
    black = -1
    empty = 0
    green = 1


class YoteActionType(enum.Enum):
    MOVE = 1
    ADD = 2
    STEAL_FROM_BOARD = 3
    STEAL_FROM_HAND = 4


class YoteAction:
    WORDS = {  # noqa: RUF012
        YoteActionType.ADD: {"to"},
        YoteActionType.MOVE: {"at", "to"},
        YoteActionType.STEAL_FROM_BOARD: {"at"},
        YoteActionType.STEAL_FROM_HAND: set(),
    }

    def __init__(self, action_type: YoteActionType, **action: Cell) -> None:
        assert set(action) == self.WORDS[action_type]
        assert all(type(cell) is tuple and len(cell) == 2 for cell in action.values())
        self.action_type = action_type
        self.action = action

    def key(self) -> tuple[Any, ...]:
        return self.action_type.name, self.action.get("at"), self.action.get("to")


class Board:
    def __init__(self, shape: Cell) -> None:
        self.board_shape = shape
        self.cells = {(row, col): Color.empty for row in range(shape[0]) for col in range(shape[1])}

    def get_cell_color(self, cell: Cell) -> Color:
        return self.cells[cell]

    def of(self, color: Color) -> list[Cell]:
        return [cell for cell, found in self.cells.items() if found is color]


class YoteState:
    def __init__(self, shape: Cell = (5, 6), boring_limit: int = 200) -> None:
        self.board = Board(shape)
        self.score = {-1: 0, 1: 0}
        self.in_hand = {-1: 12, 1: 12}
        self.rewarding_move = False
        self.boring_moves = 0
        self.just_stop = boring_limit
        self.next_player = -1

    def get_board(self) -> Board:
        return self.board

    def get_next_player(self) -> int:
        return self.next_player


class YoteRules:
    @staticmethod
    def actions(state: YoteState, player: int) -> list[YoteAction]:
        board = state.board
        if state.rewarding_move:
            steals = [YoteAction(YoteActionType.STEAL_FROM_BOARD, at=cell) for cell in board.of(Color(-player))]
            return steals + [YoteAction(YoteActionType.STEAL_FROM_HAND)] * (state.in_hand[-player] > 0)
        found = [YoteAction(YoteActionType.ADD, to=cell) for cell in board.of(Color.empty) if state.in_hand[player]]
        for row, col in board.of(Color(player)):
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                near, far = (row + down, col + right), (row + 2 * down, col + 2 * right)
                if board.cells.get(near) is Color.empty:
                    found.append(YoteAction(YoteActionType.MOVE, at=(row, col), to=near))
                elif board.cells.get(near) is Color(-player) and board.cells.get(far) is Color.empty:
                    found.append(YoteAction(YoteActionType.MOVE, at=(row, col), to=far))
        return found

    @staticmethod
    def random_play(state: YoteState, player: int) -> YoteAction:
        return random.choice(YoteRules.actions(state, player))


def act(state: YoteState, action: YoteAction) -> bool:
    """Change the state by a legal action; returns whether the game is over."""
    player, cells = state.next_player, state.board.cells
    was_reward, state.rewarding_move = state.rewarding_move, False
    state.boring_moves += 1
    if was_reward:
        state.boring_moves = 0
        state.score[player] += 1
        if action.action_type is YoteActionType.STEAL_FROM_HAND:
            state.in_hand[-player] -= 1
        else:
            cells[action.action["at"]] = Color.empty
    else:
        cells[action.action["to"]] = Color(player)
        if action.action_type is YoteActionType.ADD:
            state.in_hand[player] -= 1
        else:
            (row, col), (to_row, to_col) = action.action["at"], action.action["to"]
            cells[row, col] = Color.empty
            if abs(row - to_row) + abs(col - to_col) == 2:
                cells[(row + to_row) // 2, (col + to_col) // 2] = Color.empty
                state.boring_moves = 0
                state.score[player] += 1
                state.rewarding_move = True
    if state.score[player] >= 12 or state.boring_moves >= state.just_stop:
        return True
    state.next_player = player if state.rewarding_move else -player
    return not YoteRules.actions(state, state.next_player)


class Clock:
    """The time of a player for the whole game."""

    def __init__(self, total: float) -> None:
        self.left = total
        self.calls: list[float] = []


def play_game(
    players: dict[int, Any], clocks: dict[int, Clock], now: Callable[[], float], state: YoteState | None = None
) -> YoteState:
    """Play a game; an action that is not legal, or time used up, fails the test: the framework would play at random."""
    state = YoteState() if state is None else state
    over = False
    while not over:
        player = state.next_player
        shown = copy.deepcopy(state)
        started = now()
        action = players[player].play(shown, clocks[player].left)
        clocks[player].calls.append(now() - started)
        clocks[player].left -= clocks[player].calls[-1]
        assert clocks[player].left > 0, f"player {player} has used up its time"
        assert isinstance(action, YoteAction), f"player {player} gave {action!r}"
        assert action.key() in [legal.key() for legal in YoteRules.actions(state, player)], f"{action.key()} is not legal"
        over = act(state, action)
        players[player].update_player_infos({"in_hand": state.in_hand[player], "score": state.score[player]})
    return state


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``yote.yote_action`` and ``yote.yote_rules`` be imported."""
    package, actions, rules = (types.ModuleType(name) for name in ("yote", "yote.yote_action", "yote.yote_rules"))
    actions.__dict__.update(YoteAction=YoteAction, YoteActionType=YoteActionType)
    rules.__dict__.update(YoteRules=YoteRules)
    for module in (package, actions, rules):
        monkeypatch.setitem(sys.modules, module.__name__, module)
