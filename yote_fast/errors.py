"""The errors that this package raises by name. Each is a ``ValueError``."""


class InvalidRulesError(ValueError):
    """A rule option has a value outside its bounds, or options exclude each other."""


class InvalidPositionError(ValueError):
    """A YFEN is malformed, or describes a position that the rules do not allow."""


class InvalidMoveError(ValueError):
    """A text is not an action in the notation of the board's rules."""


class IllegalMoveError(ValueError):
    """An action is well formed but not legal in the position."""
