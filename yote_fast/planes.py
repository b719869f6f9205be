"""What the planes of ``board.to_planes()`` and ``Boards.planes()`` hold.

A plane has a number for every square, ``plane[row, col]`` with row 0 the lowest (a1 is ``plane[0, 0]``). *Own* and *enemy* are
those of the side to move, unless ``to_planes`` is given another; since the board has no direction, it is not turned. Rules have
only the planes that they need:

>>> import yote_fast as yf
>>> from yote_fast.planes import plane_names
>>> plane_names(yf.YOTE)
('own camels', 'enemy camels', 'own hand', 'enemy hand')

The planes do not know how often a position stood before.
"""

from __future__ import annotations

from .rules import Rules

BASIC = ("own camels", "enemy camels", "own hand", "enemy hand")
"""Camels on the board, 1 on their squares; then, the same on all squares, camels in hand as a share of ``rules.pieces``."""
ROYALS = ("own royal", "enemy royal", "own royal in hand", "enemy royal in hand")
"""With ``royal_caravan``: the squares of the royals on the board; all squares 1 if it is in hand."""
OBLIGATION = ("must drop",)
"""With ``drop_initiative``: all squares 1 if the side to move must drop."""
ROUTES = (
    "rising routes",
    "falling routes",
    "own supply",
    "enemy supply",
    "route placed",
    "free move made",
    "actor",
    "bonus move",
)
"""With ``trade_routes``. The routes that join the lower left and upper right squares of a 2 x 2 block, then those that join the
other two, each 1 on the lower left square of its block; routes in supply as a share of ``rules.trade_routes``; whether a route was
placed and the free move made in this turn; 1 on the square of the piece that did the main action; whether only its bonus move is
left."""


def plane_names(rules: Rules) -> tuple[str, ...]:
    """The names of the planes of some rules, in order."""
    return (
        *BASIC,
        *(ROYALS if rules.royal_caravan else ()),
        *(OBLIGATION if rules.drop_initiative else ()),
        *(ROUTES if rules.trade_routes else ()),
    )
