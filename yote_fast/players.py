"""Who can sit at a board in a match: this package's engine, two simple players, and programs that speak UGI."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .analysis import Engine
from .core import Board, Move
from .limit import Limit
from .rules import Rules
from .ugi_client import UGIEngine

UGI = "ugi:"


class Player(Protocol):
    """Plays one game at a time."""

    def new_game(self, seed: str) -> None:
        """Forget the last game. ``seed`` decides what is left to chance."""

    def play(self, board: Board, limit: Limit) -> Move:
        """The move to play."""

    def stop(self) -> None:
        """Make a running ``play``, in another thread, end soon, if only with an error."""

    def close(self) -> None:
        """Leave for good."""


class OwnEngine:
    """The engine of this package; ``options`` are those of :class:`Engine`."""

    def __init__(self, options: Mapping[str, Any], rules: Rules) -> None:
        self._engine = Engine(**options)
        self._rules = rules

    def new_game(self, seed: str) -> None:  # noqa: ARG002
        self._engine.clear()
        self._engine.prepare(self._rules)

    def play(self, board: Board, limit: Limit) -> Move:
        return self._engine.play(board, limit).move

    def stop(self) -> None:
        self._engine.stop()

    def close(self) -> None:
        self._engine.close()


class ChancePlayer:
    """Plays at random, each move as likely as the next, among those that ``choose`` picks out."""

    def __init__(self, choose: Callable[[list[Move]], list[Move]] = lambda moves: moves) -> None:
        self._choose = choose
        self._random = random.Random(0)

    def new_game(self, seed: str) -> None:
        self._random = random.Random(seed)

    def play(self, board: Board, limit: Limit) -> Move:  # noqa: ARG002
        return self._random.choice(self._choose(list(board.legal_moves)))

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass


class Program:
    """A program that speaks UGI; ``options`` are its own."""

    def __init__(self, command: str, rules: Rules, options: Mapping[str, Any], margin: float) -> None:
        self._engine = UGIEngine(command, rules=rules, options=options, margin=margin)

    def new_game(self, seed: str) -> None:  # noqa: ARG002
        self._engine.new_game()

    def play(self, board: Board, limit: Limit) -> Move:
        return self._engine.play(board, limit)[0]

    def stop(self) -> None:
        self._engine.kill()

    def close(self) -> None:
        self._engine.quit()


@dataclass(frozen=True)
class Contestant:
    """One side of a match: who plays, and how long it may think.

    Raises:
        ValueError: no such player, or options for a player that has none.
    """

    player: str
    """``"engine"``, ``"random"``, ``"greedy"`` (takes as many pieces as it can, else plays at random), or ``"ugi:COMMAND"``."""
    limit: Limit = field(default_factory=lambda: Limit(time=0.1))
    """For each move."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """For ``"engine"`` the arguments of :class:`Engine`, as ``{"hash_mb": 16}``; for a program its UGI options."""

    def __post_init__(self) -> None:
        if self.player not in ("engine", "random", "greedy") and not self.player.startswith(UGI):
            raise ValueError(f"unknown player {self.player!r}: expected engine, random, greedy or ugi:COMMAND")
        if self.player in ("random", "greedy") and self.options:
            raise ValueError(f"the player {self.player} has no options")
        if self.limit == Limit():
            raise ValueError("a player needs a limit: time, depth or nodes")

    def open(self, rules: Rules, margin: float) -> Player:
        """A player at the ready; a program may take ``margin`` seconds beyond its time for a move.

        Raises:
            EngineError: the program cannot be started.
        """
        match self.player:
            case "engine":
                return OwnEngine(self.options, rules)
            case "random":
                return ChancePlayer()
            case "greedy":
                return ChancePlayer(_most_captured)
        return Program(self.player.removeprefix(UGI), rules, self.options, margin)


def _most_captured(moves: list[Move]) -> list[Move]:
    most = max(map(_captured, moves))
    return [move for move in moves if _captured(move) == most]


def _captured(move: Move) -> int:
    """How many pieces a move takes, from the board and from the hand."""
    return move.cleared.bit_count() + str(move).count("*")
