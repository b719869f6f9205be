"""A position as a picture in characters."""

from __future__ import annotations

from collections.abc import Callable

from .notation import WHITE, Setup, square_name
from .rules import Rules

Paint = Callable[[int, str], str]
"""Dresses the character of a square."""


def picture(setup: Setup, rules: Rules, *, orientation: bool = WHITE, paint: Paint = lambda _, piece: piece) -> str:
    """The board with its coordinates, then who is on move and all that is not on the board.

    Args:
        setup, rules: the position.
        orientation: the side at the bottom, ``WHITE`` or ``BLACK``.
        paint: what is shown for a square and its character, if not just that.

    >>> from yote_fast.notation import parse_yfen
    >>> print(picture(parse_yfen("6/2C3/3c2/6/6 w 11/11", Rules()), Rules()))
    5  . . . . . .
    4  . . C . . .
    3  . . . c . .
    2  . . . . . .
    1  . . . . . .
       a b c d e f
    white to move; in hand: white 11, black 11
    """
    lines = []
    rows, cols = list(range(rules.rows)), list(range(rules.cols))
    (rows if orientation == WHITE else cols).reverse()
    for row in rows:
        squares = (row * rules.cols + col for col in cols)
        lines.append(f"{row + 1:<2} {' '.join(paint(square, setup.board[square]) for square in squares)}")
    lines.append(f"   {' '.join(chr(ord('a') + col) for col in cols)}")
    lines.append(_status(setup))
    if rules.trade_routes:
        lines.append(_routes(setup, rules))
    return "\n".join(lines)


def _status(setup: Setup) -> str:
    hands = [f"{camels}{' + royal' * royal}" for camels, royal in zip(setup.hands, setup.royals, strict=True)]
    side = "white" if setup.turn else "black"
    in_hand = setup.hands[not setup.turn] + setup.royals[not setup.turn]
    drop = ", must drop" if setup.must_drop and in_hand and setup.phase.actor is None else ""
    return f"{side} to move{drop}; in hand: white {hands[0]}, black {hands[1]}"


def _routes(setup: Setup, rules: Rules) -> str:
    routes = [f"{square_name(low, rules.cols)}{square_name(high, rules.cols)}" for low, high in setup.routes]
    supplies = "routes left: white {}, black {}; on the board: {}".format(*setup.supplies, ", ".join(routes) or "none")
    phase = setup.phase
    done = ["route placed"] * phase.placed + ["free move made"] * phase.moved
    if phase.actor is not None:
        done.append(f"{'bonus move' if phase.bonus else 'end of turn'} of {square_name(phase.actor, rules.cols)}")
    return f"{supplies}; this turn: {', '.join(done)}" if done else supplies
