"""A player for the Yoté contest of MIFY (MAIC): ``from yote_fast.adapters.maic import AI``, as ``docs/contest.md`` tells.

The framework calls :meth:`AI.play` once for a move and, after a jump, once more for the second removal. A capturer there may take
any piece from the board or one from the hand, the game ends after so many actions without a capture, and the side that captured
more has won. Time is given for the whole game; a player that has used it up is played at random.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any, TypeAlias

from ..analysis import Engine
from ..core import Board, Move
from ..limit import Limit
from ..notation import HAND, Setup, format_yfen
from ..rules import Rules

# A cell of the framework, row and column from the top left. Rows are counted from the other end here; the game is the same
# mirrored.
Cell: TypeAlias = tuple[int, int]

CONTEST = Rules(second_removal="board_or_hand", repetition=0)
MOVES_LEFT = 25
"""The clock is shared out among so many moves to come, however many have been played."""
OVERHEAD = 0.004
"""Seconds of a move that are not search."""
DEFAULT_SECONDS = 1.0
"""For a move, where the framework tells no time."""
HURRY = Limit(nodes=200)
"""A fraction of a millisecond, for when the clock is all but run down."""


class AI:
    """The player. It looks at nothing but the state that it is given, so a move that the framework made for it does no harm.

    Args:
        color: the framework's color; its ``value`` is the player's number, -1 or 1.
    """

    name = "yote-fast"

    def __init__(self, color: Any) -> None:
        self.color = color
        self.position: int = color.value
        self.in_hand = CONTEST.pieces
        self.score = 0
        self.reward: int | None = None
        self._engine = Engine(hash_mb=64)
        self._plan: tuple[Setup, int] | None = None

    def play(self, state: Any, remain_time: float | None = None) -> Any:
        """The action for a state: a move, or where ``state.rewarding_move`` is set the second removal.

        Should the state make no sense, the framework's own random action; this never raises.

        Args:
            state: the framework's ``YoteState``, which is not changed.
            remain_time: seconds left for the rest of the game.
        """
        started = time.perf_counter()
        try:
            setup, rules = _read(state, self.position)
            if state.rewarding_move:
                return _removal(self._choose_removal(setup, rules, _seconds(remain_time)), rules)
            board = Board(format_yfen(setup, rules), rules)
            # The action that reaches the limit ends the game: there is nothing behind it to be searched.
            plies = max(1, min(state.just_stop - state.boring_moves, 128))
            seconds = _seconds(remain_time) - OVERHEAD - (time.perf_counter() - started)
            limit = Limit(time=seconds, depth=plies) if seconds > 0 else dataclasses.replace(HURRY, depth=plies)
            move = self._engine.play(board, limit).move
            self._plan = _plan(setup, move)
            return _main_action(move, rules)
        except Exception:
            return _random_action(state, self.position)

    def _choose_removal(self, setup: Setup, rules: Rules, seconds: float) -> int:
        """The square to clear, or HAND: as planned with the jump, or else the one after which the enemy stands worst."""
        if self._plan is not None and self._plan[0] == setup:
            return self._plan[1]
        enemy = "c" if setup.turn else "C"
        choices = [square for square, piece in enumerate(setup.board) if piece == enemy]
        if setup.hands[setup.turn]:
            choices.append(HAND)
        limit = Limit(time=max(0.001, (seconds - OVERHEAD) / len(choices)))
        return min(choices, key=lambda choice: self._enemy_score(_without(setup, choice), rules, limit))

    def _enemy_score(self, setup: Setup, rules: Rules, limit: Limit) -> int:
        board = Board(format_yfen(setup, rules), rules)
        outcome = board.outcome()
        if outcome is not None:
            return 0 if outcome.winner is None else 10**6 if outcome.winner is board.turn else -(10**6)
        score = self._engine.analyse(board, limit).score
        return 0 if score is None else score.value

    # What the framework tells its players; the state says it all.

    def get_name(self) -> str:
        """The player's name in the framework's window."""
        return self.name

    def set_score(self, new_score: int) -> None:
        """The pieces taken so far."""
        self.score = new_score

    def update_player_infos(self, infos: dict[str, int]) -> None:
        """The pieces in hand, ``infos["in_hand"]``, and taken, ``infos["score"]``."""
        self.in_hand = infos["in_hand"]
        self.score = infos["score"]

    def reset_player_informations(self) -> None:
        """A new game begins."""
        self.in_hand = CONTEST.pieces
        self.score = 0
        self._plan = None
        self._engine.clear()


def _seconds(remain_time: float | None) -> float:
    return DEFAULT_SECONDS if remain_time is None else remain_time / MOVES_LEFT


def _read(state: Any, player: int) -> tuple[Setup, Rules]:
    """The state in this package's words, with ``player`` to move as White."""
    board = state.get_board()
    rows, cols = board.board_shape
    pieces = {player: "C", -player: "c"}
    men = "".join(pieces.get(board.get_cell_color((row, col)).value, ".") for row in range(rows) for col in range(cols))
    setup = Setup(board=men, turn=True, hands=(int(state.in_hand[player]), int(state.in_hand[-player])))
    return setup, dataclasses.replace(CONTEST, rows=rows, cols=cols)


def _plan(setup: Setup, move: Move) -> tuple[Setup, int] | None:
    """For a capture the position in which the second removal will be asked for, and that removal."""
    if not move.is_capture or not move.action.removals[0]:
        return None
    origin, target = move.action.squares
    men = list(setup.board)
    men[target] = men[origin]
    men[origin] = men[(origin + target) // 2] = "."
    return dataclasses.replace(setup, board="".join(men)), move.action.removals[0][0]


def _without(setup: Setup, removal: int) -> Setup:
    """The position after the second removal, with the enemy to move."""
    own, enemy = setup.hands
    if removal == HAND:
        return dataclasses.replace(setup, turn=False, hands=(own, enemy - 1))
    return dataclasses.replace(setup, turn=False, board=setup.board[:removal] + "." + setup.board[removal + 1 :])


# The framework's modules are there only while it runs.


def _cell(square: int, rules: Rules) -> Cell:
    return divmod(square, rules.cols)


def _main_action(move: Move, rules: Rules) -> Any:
    from yote.yote_action import YoteAction, YoteActionType

    assert move.to_square is not None
    if move.from_square is None:
        return YoteAction(action_type=YoteActionType.ADD, to=_cell(move.to_square, rules))
    return YoteAction(action_type=YoteActionType.MOVE, at=_cell(move.from_square, rules), to=_cell(move.to_square, rules))


def _removal(choice: int, rules: Rules) -> Any:
    from yote.yote_action import YoteAction, YoteActionType

    if choice == HAND:
        return YoteAction(action_type=YoteActionType.STEAL_FROM_HAND)
    return YoteAction(action_type=YoteActionType.STEAL_FROM_BOARD, at=_cell(choice, rules))


def _random_action(state: Any, player: int) -> Any:
    try:
        from yote.yote_rules import YoteRules

        return YoteRules.random_play(state, player)
    except Exception:
        return None
