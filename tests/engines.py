"""One small interface over both engines, so that every test of the rules runs on each."""

from __future__ import annotations

from typing import Protocol

import yote_fast as yf
from yote_fast import reference
from yote_fast.rules import Rules


class Game(Protocol):
    """A position; playing gives a new one."""

    @property
    def turn(self) -> bool: ...
    def yfen(self) -> str: ...
    def result(self) -> str: ...
    def actions(self) -> list[str]: ...
    def moves(self) -> list[tuple[str, Game]]: ...
    def play(self, text: str) -> Game: ...
    def perft(self, depth: int) -> int: ...
    def divide(self, depth: int) -> dict[str, int]: ...


class Engine(Protocol):
    name: str

    def position(self, yfen: str | None, rules: Rules) -> Game: ...


class ReferenceGame:
    def __init__(self, position: reference.Position) -> None:
        self._position = position

    @property
    def turn(self) -> bool:
        return self._position.turn

    def yfen(self) -> str:
        return self._position.yfen()

    def result(self) -> str:
        return self._position.result()

    def actions(self) -> list[str]:
        return [text for text, _ in self._position.legal_moves()]

    def moves(self) -> list[tuple[str, Game]]:
        return [(text, ReferenceGame(after)) for text, after in self._position.legal_moves()]

    def play(self, text: str) -> Game:
        return ReferenceGame(self._position.play(text))

    def perft(self, depth: int) -> int:
        return reference.perft(self._position, depth)

    def divide(self, depth: int) -> dict[str, int]:
        return reference.divide(self._position, depth)


class CompiledGame:
    def __init__(self, board: yf.Board) -> None:
        self._board = board

    @property
    def turn(self) -> bool:
        return self._board.turn

    def yfen(self) -> str:
        return self._board.yfen()

    def result(self) -> str:
        return self._board.result()

    def actions(self) -> list[str]:
        return [str(move) for move in self._board.legal_moves]

    def moves(self) -> list[tuple[str, Game]]:
        return [(text, self.play(text)) for text in self.actions()]

    def play(self, text: str) -> Game:
        board = self._board.copy()
        board.push_text(text)
        return CompiledGame(board)

    def perft(self, depth: int) -> int:
        return yf.perft(self._board, depth)

    def divide(self, depth: int) -> dict[str, int]:
        return {str(move): count for move, count in yf.divide(self._board, depth).items()}


class ReferenceEngine:
    name = "reference"

    def position(self, yfen: str | None, rules: Rules) -> Game:
        return ReferenceGame(reference.Position(yfen, rules))


class CompiledEngine:
    name = "compiled"

    def position(self, yfen: str | None, rules: Rules) -> Game:
        return CompiledGame(yf.Board(yfen, rules))


REFERENCE = ReferenceEngine()
COMPILED = CompiledEngine()
