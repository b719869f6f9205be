"""The errors that this package raises by name. Each is a ``ValueError``."""


class InvalidRulesError(ValueError):
    """A rule option has a value outside its bounds, or options exclude each other."""


class InvalidPositionError(ValueError):
    """A YFEN is malformed, or describes a position that the rules do not allow."""


class InvalidMoveError(ValueError):
    """A text is not an action in the notation of the board's rules."""


class IllegalMoveError(ValueError):
    """An action is well formed but not legal in the position."""


class InvalidGameError(ValueError):
    """A text is not a game in the format of ``docs/games.md``, or has a move that is not legal.

    ``line`` and ``column`` tell where, both counted from 1; the column in characters.
    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"
