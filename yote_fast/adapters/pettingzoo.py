"""The games as a PettingZoo AEC environment, for learners of two players.

>>> from yote_fast.adapters import pettingzoo
>>> env = pettingzoo.env()
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     over = termination or truncation
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
>>> env.agents
[]

Actions are numbered as in :mod:`yote_fast.batch`. An observation is a dict: ``"observation"`` holds the planes of
:mod:`yote_fast.planes` with the eyes of the agent that observes, ``"action_mask"`` which actions are legal for it, an int8 each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..batch import Actions
from ..core import Board
from ..errors import IllegalMoveError
from ..notation import WHITE
from ..planes import plane_names
from ..rules import YOTE, Rules

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.env_logger import EnvLogger
except ImportError as error:
    raise ImportError("yote_fast.adapters.pettingzoo needs PettingZoo: pip install yote-fast[rl]") from error

Observation: TypeAlias = dict[str, NDArray[Any]]
Image: TypeAlias = NDArray[np.uint8]


class raw_env(AECEnv[str, Observation, int]):
    """One game; ``player_0`` has White and begins.

    Args:
        rules: rules without chains and trade routes.
        render_mode: ``"ansi"`` and ``"rgb_array"`` make :meth:`render` return the board as text and as an image of shape
            (height, width, 3); with ``"human"`` the board is printed after each action.
        max_plies: a game of so many actions is truncated; None for games that only the rules end.

    The winner gets 1, the loser -1. Copies and pickles keep the game.

    Raises:
        ValueError: the rules have chains or routes, or there is no such render mode.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "yote_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, rules: Rules = YOTE, *, render_mode: str | None = None, max_plies: int | None = None) -> None:
        super().__init__()
        modes: Sequence[str] = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"render_mode must be None or one of {', '.join(modes)}, not {render_mode!r}")
        self.actions = Actions(rules)
        self.board = Board(rules=rules)
        self.render_mode = render_mode
        self.max_plies = max_plies
        self.possible_agents = ["player_0", "player_1"]
        shape = (len(plane_names(rules)), rules.rows, rules.cols)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (len(self.actions),), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents}
        self._begin()

    def observation_space(self, agent: str) -> spaces.Dict:
        """The planes, ``"observation"``: float32 of shape (planes, rows, cols); and ``"action_mask"``: int8 of shape (actions,)."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The numbers of :class:`yote_fast.batch.Actions`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a new game, from the position ``options["yfen"]`` if it is given. Nothing depends on the seed.

        Raises:
            InvalidPositionError: the YFEN is malformed or breaks a bound of the rules.
        """
        self.board = Board((options or {}).get("yfen"), self.board.rules)
        self._begin()

    def _begin(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._look_for_the_end()

    def observe(self, agent: str) -> Observation:
        """The position with the eyes of an agent, and its legal actions, of which there are none unless it is to move."""
        color = agent == self.possible_agents[0]
        if color is self.board.turn and not self.terminations.get(agent, True):
            mask = self.actions.mask(self.board)
        else:
            mask = np.zeros(len(self.actions), bool)
        return {"observation": self.board.to_planes(color), "action_mask": mask.view(np.int8)}

    def step(self, action: int | None) -> None:
        """Play the action of the agent selected; None for one whose game is over.

        Raises:
            IllegalMoveError: the action is not legal; the game is as before.
            IndexError: no action has that number.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise TypeError(f"{agent} must act: the game is not over")
        self.actions.play(self.board, action)
        self._cumulative_rewards[agent] = 0.0
        self._look_for_the_end()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _look_for_the_end(self) -> None:
        """Select the next agent, and see whether the game goes on."""
        first, second = self.possible_agents
        self.agent_selection = first if self.board.turn is WHITE else second
        outcome = self.board.outcome()
        if outcome is not None:
            if outcome.winner is not None:
                won = 1.0 if outcome.winner is WHITE else -1.0
                self.rewards = {first: won, second: -won}
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.max_plies is not None and self.board.ply() >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)

    def render(self) -> str | Image | None:
        """The board in the render mode: a text, an image of uint8, or None once it is printed."""
        if self.render_mode == "ansi":
            return str(self.board)
        if self.render_mode == "rgb_array":
            return draw(self.board)
        if self.render_mode == "human":
            print(self.board, end="\n\n", flush=True)
        else:
            logger.warn("render needs a render_mode: env(render_mode='ansi'), for example")
        return None

    def close(self) -> None:
        """Nothing is kept open."""


class env(raw_env):
    """The same, but an illegal action ends the game and costs a point: what agents that are still learning need.

    It does what PettingZoo's wrappers would do around :class:`raw_env`, which checks everything itself; several layers of wrappers
    would take four times as long as the game.
    """

    def step(self, action: int | None) -> None:
        """Play the action of the agent selected; None for one whose game is over.

        Raises:
            IndexError: no action has that number; the game is as before.
        """
        try:
            super().step(action)
        except IllegalMoveError:
            EnvLogger.warn_on_illegal_move()
            agent = self.agent_selection
            self.rewards = {other: -1.0 if other == agent else 0.0 for other in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
            self._cumulative_rewards[agent] = 0.0
            self._accumulate_rewards()


# Images ---------------------------------------------------------------------------------------------------------------------------

CELL = 48
"""The size of a square, in pixels."""
GROUND, SQUARE, LINE = (92, 64, 40), (226, 190, 138), (150, 112, 68)
PIECES = {False: (40, 34, 30), True: (250, 246, 232)}
ROYAL = (206, 150, 32)


def draw(board: Board) -> Image:
    """An image of the board, uint8 of shape (height, width, 3).

    The hands are at the sides, White's on the left; royals have a golden heart.
    """
    rows, cols = board.rules.rows, board.rules.cols
    image = np.full((rows * CELL, (cols + 2) * CELL, 3), GROUND, np.uint8)
    image[:, CELL:-CELL] = SQUARE
    for row in range(rows + 1):
        image[max(0, row * CELL - 1) : row * CELL + 1, CELL:-CELL] = LINE
    for col in range(1, cols + 2):
        image[:, col * CELL - 1 : col * CELL + 1] = LINE
    for square in range(rows * cols):
        piece = board.piece_at(square)
        if piece is not None:
            # Row 1 is at the bottom of the image.
            y, x = rows - 1 - square // cols, square % cols + 1
            _disc(image, (y + 0.5) * CELL, (x + 0.5) * CELL, 0.38 * CELL, PIECES[piece.isupper()])
            if piece in "rR":
                _disc(image, (y + 0.5) * CELL, (x + 0.5) * CELL, 0.16 * CELL, ROYAL)
    for color in (True, False):
        _draw_hand(image, board, color)
    return image


def _draw_hand(image: Image, board: Board, color: bool) -> None:
    """Small pieces at the side, in columns of three; the royal is the last one."""
    left = 0 if color else image.shape[1] - CELL
    pitch = min(CELL / 3, 3 * image.shape[0] / (board.rules.pieces + 2))
    count = board.hand(color)
    for i in range(count):
        y, x = (i // 3 + 0.5) * pitch, left + (i % 3 + 0.5) * CELL / 3
        _disc(image, y, x, 0.4 * pitch, PIECES[color])
        if i == count - 1 and board.royal_in_hand(color):
            _disc(image, y, x, 0.18 * pitch, ROYAL)


def _disc(image: Image, y: float, x: float, radius: float, color: tuple[int, int, int]) -> None:
    rows, cols = np.ogrid[: image.shape[0], : image.shape[1]]
    image[(rows + 0.5 - y) ** 2 + (cols + 0.5 - x) ** 2 <= radius**2] = color
