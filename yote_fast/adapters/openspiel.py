"""The games in OpenSpiel: importing this module registers ``yote`` and ``choko``.

>>> import pyspiel
>>> import yote_fast.adapters.openspiel
>>> game = pyspiel.load_game("yote(rows=4,cols=4,pieces=6)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.string_to_action("@b2"))
>>> print(state)
4/4/1C2/4 b 5/6
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..batch import Actions
from ..core import Board
from ..planes import plane_names
from ..rules import CHOKO, YOTE, Rules

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError("yote_fast.adapters.openspiel needs OpenSpiel: pip install yote-fast[rl]") from error

MAX_PLIES = 1000
"""A game of so many actions is drawn, unless its parameter ``max_plies`` says otherwise: OpenSpiel wants games that surely end."""


class _Game(pyspiel.Game):
    """A game whose parameters are the options of :class:`yote_fast.Rules` and ``max_plies``.

    Raises:
        InvalidRulesError: a parameter is out of its bounds.
        ValueError: the rules have chains or routes.
    """

    game_type: ClassVar[pyspiel.GameType]
    preset: ClassVar[Rules]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        options = dict(params or {})
        self.max_plies = options.pop("max_plies", MAX_PLIES)
        self.rules = dataclasses.replace(self.preset, **options)
        self.actions = Actions(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.actions),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_plies,
        )
        super().__init__(self.game_type, info, params or {})

    def new_initial_state(self, state: None = None) -> State:  # noqa: ARG002
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.rules, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class State(pyspiel.State):
    """A position with its history; player 0 has White. Actions are numbered as in :mod:`yote_fast.batch`.

    :meth:`undo_action` works, as far as a game in Python can have it. OpenSpiel's own record of the actions is in C++ and can only
    grow: what was undone stays in it, and the histories that this class tells leave it out. So everything that asks a state through
    Python sees the right one. C++ code does not call this method, and code that reads the record itself (``serialize()``, and the
    checks of ``random_sim_test``) sees what was undone too, until :meth:`clone`, which makes a state with a new record.
    """

    def __init__(self, game: _Game) -> None:
        super().__init__(game)
        self.board = Board(rules=game.rules)
        self._actions = game.actions
        self._max_plies = game.max_plies
        # Where the actions that were not undone stand in OpenSpiel's record.
        self._places: list[int] = []
        self._look_for_the_end()

    def _look_for_the_end(self) -> None:
        outcome = self.board.outcome()
        self._over = outcome is not None or self.board.ply() >= self._max_plies
        self._points = 0.0 if outcome is None or outcome.winner is None else 1.0 if outcome.winner else -1.0

    def current_player(self) -> int:
        if self._over:
            return int(pyspiel.PlayerId.TERMINAL)
        return 0 if self.board.turn else 1

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        return self._actions.legal(self.board)

    def _apply_action(self, action: int) -> None:
        self._actions.play(self.board, action)
        self._places.append(super().move_number())
        self._look_for_the_end()

    def undo_action(self, player: int, action: int) -> None:
        """Take back the last action, which that player did.

        Raises:
            ValueError: the last action was another one, or there was none.
        """
        done = self.full_history()
        if not done or (done[-1].player, done[-1].action) != (player, action):
            last = f"the last was {done[-1].action} of player {done[-1].player}" if done else "there was none"
            raise ValueError(f"action {action} of player {player} cannot be undone: {last}")
        self.board.pop()
        self._places.pop()
        self._look_for_the_end()

    def clone(self) -> State:
        if super().move_number() == self.move_number():
            copy: State = super().clone()
            return copy
        fresh: State = self.get_game().new_initial_state()
        for action in self.history():
            fresh.apply_action(action)
        return fresh

    def full_history(self) -> list[pyspiel.PlayerAction]:
        record = super().full_history()
        return [record[place] for place in self._places]

    def history(self) -> list[int]:
        return [done.action for done in self.full_history()]

    def history_str(self) -> str:
        return ", ".join(map(str, self.history()))

    def move_number(self) -> int:
        return len(self._places)

    def is_initial_state(self) -> bool:
        return not self._places

    def is_initial_non_chance_state(self) -> bool:
        return not self._places

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002
        return str(self._actions.move_of(action))

    def is_terminal(self) -> bool:
        return self._over

    def returns(self) -> list[float]:
        return [self._points, -self._points]

    def __str__(self) -> str:
        return self.board.yfen()


class Observer:
    """The planes of :mod:`yote_fast.planes` with the eyes of a player, and whether that player is to move.

    ``tensor`` holds all of it; ``dict`` has views of it, ``"planes"`` of shape (planes, rows, cols) and ``"to_move"`` of shape 1.
    """

    def __init__(self, rules: Rules, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"the observer takes no parameters, but was given {', '.join(params)}")
        shape = (len(plane_names(rules)), rules.rows, rules.cols)
        self.tensor: NDArray[np.float32] = np.zeros(int(np.prod(shape)) + 1, np.float32)
        self.dict = {"planes": self.tensor[:-1].reshape(shape), "to_move": self.tensor[-1:]}

    def set_from(self, state: State, player: int) -> None:
        self.dict["planes"][:] = state.board.to_planes(player == 0)
        self.dict["to_move"][0] = state.current_player() == player

    def string_from(self, state: State, player: int) -> str:  # noqa: ARG002
        return str(state)


def _register(name: str, long_name: str, preset: Rules) -> None:
    game_type = pyspiel.GameType(
        short_name=name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**dataclasses.asdict(preset), "max_plies": MAX_PLIES},
    )
    game = type(long_name, (_Game,), {"game_type": game_type, "preset": preset, "__module__": __name__})
    pyspiel.register_game(game_type, game)


_register("yote", "Yoté", YOTE)
_register("choko", "Choko", CHOKO)
