"""Wins that can be forced, proved by trying every action: the rules and a memory, and nothing of the search."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import yote_fast as yf
from yote_fast import reference

Position = TypeVar("Position")


class TooLarge(Exception):
    """A proof would take too long."""


class Game(Protocol[Position]):
    """The rules, as a proof needs them."""

    def key(self, position: Position) -> Hashable: ...
    def turn(self, position: Position) -> bool: ...
    def result(self, position: Position) -> str: ...
    def children(self, position: Position) -> list[Position]:
        """The positions after each action, captures first."""


class ReferenceGame:
    def key(self, position: reference.Position) -> Hashable:
        return position.setup

    def turn(self, position: reference.Position) -> bool:
        return position.turn

    def result(self, position: reference.Position) -> str:
        return position.result()

    def children(self, position: reference.Position) -> list[reference.Position]:
        return [after for _, after in sorted(position.legal_moves(), key=lambda move: "x" not in move[0])]


class CompiledGame:
    """Much faster. The boards have no history."""

    def key(self, position: yf.Board) -> Hashable:
        return position.key

    def turn(self, position: yf.Board) -> bool:
        return position.turn

    def result(self, position: yf.Board) -> str:
        return position.result()

    def children(self, position: yf.Board) -> list[yf.Board]:
        return [self._after(position, move) for move in sorted(position.legal_moves, key=lambda move: not move.is_capture)]

    def _after(self, position: yf.Board, move: yf.Move) -> yf.Board:
        after = position.copy(stack=False)
        after.push(move)
        return after


@dataclass
class Proofs(Generic[Position]):
    """What is proved about the positions of one game."""

    game: Game[Position]
    patience: int
    """How many positions may still be looked into."""
    _forced: dict[tuple[Hashable, bool], int] = field(default_factory=dict)
    """The plies within which a side is known to win."""
    _refuted: dict[tuple[Hashable, bool], int] = field(default_factory=dict)
    """The plies within which it is known not to."""

    def score(self, position: Position, deepest: int) -> yf.Score | None:
        """The win or loss forced within ``deepest`` plies, for the side to move; None where there is neither.

        Raises:
            TooLarge: patience is at an end.
        """
        turn = self.game.turn(position)
        for plies in range(deepest + 1):
            if self._is_forced(position, turn, plies):
                return yf.Score.win(plies, turn=turn)
            if self._is_forced(position, not turn, plies):
                return yf.Score.loss(plies, turn=turn)
        return None

    def _is_forced(self, position: Position, side: bool, plies: int) -> bool:
        """Whether a side can force a win within so many plies."""
        known = self.game.key(position), side
        if self._forced.get(known, plies + 1) <= plies:
            return True
        if self._refuted.get(known, -1) >= plies:
            return False
        found = self._look(position, side, plies)
        (self._forced if found else self._refuted)[known] = plies
        return found

    def _look(self, position: Position, side: bool, plies: int) -> bool:
        result = self.game.result(position)
        if result != "*" or plies == 0:
            return result == ("1-0" if side else "0-1")
        self.patience -= 1
        if self.patience < 0:
            raise TooLarge
        children = (self._is_forced(child, side, plies - 1) for child in self.game.children(position))
        return any(children) if self.game.turn(position) == side else all(children)
