"""The rules of a game as one immutable value.

Every variant of Yoté and Choko is a :class:`Rules`. Any mix of options can be played, searched and solved, except the one pair that
the rulebook forbids (``drop_initiative`` with ``chain_capture``).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, get_args

from .errors import InvalidRulesError

SecondRemoval = Literal["board_then_hand", "board", "board_or_hand"]
NoMoves = Literal["most_pieces", "loses", "pass"]
ChainRemoval = Literal["after", "each"]

MAX_SQUARES = 36

_CHOICES: dict[str, tuple[str, ...]] = {
    "second_removal": get_args(SecondRemoval),
    "no_moves": get_args(NoMoves),
    "chain_removal": get_args(ChainRemoval),
}
# Inclusive.
_BOUNDS: dict[str, tuple[int, int]] = {
    "rows": (2, MAX_SQUARES // 2),
    "cols": (2, MAX_SQUARES // 2),
    "pieces": (1, 20),
    "repetition": (0, 999_999_999),
    "trade_routes": (0, 4),
}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The options of a game; the default is plain Yoté.

    Args:
        rows, cols: board size, from 2 x 2 up to 36 squares.
        pieces: pieces of each side, 1 to 20, all in hand at the start.
        second_removal: where the piece removed besides a captured one comes from: ``"board_then_hand"``, ``"board"`` or
            ``"board_or_hand"``.
        optional_removal: the capturer may remove fewer than allowed, or none.
        draw_at_three: the game is drawn as soon as both sides have three pieces or fewer.
        no_moves: the end for a side without a legal action: ``"most_pieces"`` wins, it ``"loses"``, or it must ``"pass"``.
        repetition: the occurrence of a position that draws the game, 2 or more; 0 for never.
        mandatory_capture: a side that can capture must.
        chain_capture: a capturing piece may go on jumping.
        chain_removal: second removals of a chain are made together ``"after"`` it, or after ``"each"`` jump.
        bonus_turn: a capture gives the same side another turn.
        friendly_leap: a piece may jump over one of its own side.
        drop_initiative: a drop made by choice obliges the other side to drop (Choko).
        royal_caravan: one piece of each side is a royal, immune to second removals (Heroes of Africa).
        trade_routes: routes in each side's supply, 0 to 4 (Challenges of Africa).

    Raises:
        InvalidRulesError: a value is out of bounds, or ``drop_initiative`` meets ``chain_capture``.
        TypeError: a value has the wrong type.
    """

    rows: int = 5
    cols: int = 6
    pieces: int = 12
    second_removal: SecondRemoval = "board_then_hand"
    optional_removal: bool = False
    draw_at_three: bool = False
    no_moves: NoMoves = "most_pieces"
    repetition: int = 3
    mandatory_capture: bool = False
    chain_capture: bool = False
    chain_removal: ChainRemoval = "after"
    bonus_turn: bool = False
    friendly_leap: bool = False
    drop_initiative: bool = False
    royal_caravan: bool = False
    trade_routes: int = 0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check_value(field.name, getattr(self, field.name))
        if self.rows * self.cols > MAX_SQUARES:
            raise InvalidRulesError(
                f"a board of {self.rows} x {self.cols} has {self.rows * self.cols} squares; at most {MAX_SQUARES} are allowed"
            )
        if self.repetition == 1:
            raise InvalidRulesError("repetition must be 0 (never) or at least 2, not 1: every position occurs once")
        if self.drop_initiative and self.chain_capture:
            raise InvalidRulesError("chain_capture is not allowed together with drop_initiative (Choko has no chains)")

    @property
    def squares(self) -> int:
        """The number of squares of the board."""
        return self.rows * self.cols

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read rules from a preset's name and changes to it, each after a ``+``.

        A change is ``option=value``, or a bare ``option`` for a switch. ``str(rules)`` writes the same form, the shortest one.

        >>> Rules.parse("choko+mandatory_capture")
        Rules(cols=5, mandatory_capture=True, drop_initiative=True)
        >>> str(Rules(rows=3, cols=4, pieces=5))
        'yote+rows=3+cols=4+pieces=5'

        Raises:
            InvalidRulesError: an unknown preset or option, one given twice, or a value that the option cannot have.
            TypeError: ``text`` is not a string.
        """
        if not isinstance(text, str):
            raise TypeError(f"rules text must be a str, not {type(text).__name__}")
        preset, *changes = text.split("+")
        if preset not in PRESETS:
            raise InvalidRulesError(f"unknown rules {preset!r}: expected one of {', '.join(PRESETS)}")
        values: dict[str, Any] = {}
        for change in changes:
            name, equals, value = change.partition("=")
            if name not in _DEFAULTS:
                raise InvalidRulesError(f"unknown rule option {name!r}: expected one of {', '.join(_DEFAULTS)}")
            if name in values:
                raise InvalidRulesError(f"rule option {name!r} is given twice")
            values[name] = _parse_value(name, value if equals else None)
        return dataclasses.replace(PRESETS[preset], **values)

    def __str__(self) -> str:
        return min(
            ("+".join([name, *self._changes_from(preset)]) for name, preset in PRESETS.items()),
            key=lambda text: text.count("+"),
        )

    def __repr__(self) -> str:
        return f"Rules({', '.join(f'{n}={getattr(self, n)!r}' for n in _DEFAULTS if getattr(self, n) != _DEFAULTS[n])})"

    def _changes_from(self, preset: Rules) -> list[str]:
        changes = []
        for name in _DEFAULTS:
            value = getattr(self, name)
            if value == getattr(preset, name):
                continue
            changes.append(name if value is True else f"{name}={str(value).lower()}")
        return changes


_DEFAULTS: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(Rules)}


_A = {int: "an int", bool: "a bool", str: "a str"}


def _check_value(name: str, value: object) -> None:
    expected = type(_DEFAULTS[name])
    if type(value) is not expected:
        raise TypeError(f"{name} must be {_A[expected]}, not {type(value).__name__}")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise InvalidRulesError(f"{name} must be one of {', '.join(map(repr, _CHOICES[name]))}, not {value!r}")
    if name in _BOUNDS and isinstance(value, int):
        low, high = _BOUNDS[name]
        if not low <= value <= high:
            raise InvalidRulesError(f"{name} must be {low} to {high}, not {value}")


def _parse_value(name: str, text: str | None) -> object:
    if isinstance(_DEFAULTS[name], bool):
        if text not in (None, "true", "false"):
            raise InvalidRulesError(f"{name} must be true or false, not {text!r}")
        return text != "false"
    if text is None:
        raise InvalidRulesError(f"{name} needs a value, as in '{name}={_DEFAULTS[name]}'")
    if isinstance(_DEFAULTS[name], int):
        # Nine digits cover every bound, and keep int() from reading numbers of any length.
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise InvalidRulesError(f"{name} must be a whole number of at most nine digits, not {text[:40]!r}")
        return int(text)
    return text


YOTE = Rules()
CHOKO = Rules(rows=5, cols=5, drop_initiative=True)
HEROES = Rules(royal_caravan=True)
CHALLENGES = Rules(trade_routes=2)

PRESETS: dict[str, Rules] = {"yote": YOTE, "choko": CHOKO, "heroes": HEROES, "challenges": CHALLENGES}
