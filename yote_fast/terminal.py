"""Positions on terminals, in color where they can."""

from __future__ import annotations

import os
from typing import TextIO

import click

from .core import Board, Move
from .notation import HAND, WHITE
from .picture import picture


def can_show_color(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colors, and its user has nothing against them (https://no-color.org)."""
    return can_redraw(stream) and not os.environ.get("NO_COLOR")


def can_redraw(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which lines can be changed."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def draw(board: Board, *, orientation: bool = WHITE, lastmove: Move | None = None, color: bool = False) -> str:
    """The position as ``str(board)`` has it, from either side; with ``color``, the last move stands out, and each side does."""
    setup = board.setup()
    if not color:
        return picture(setup, board.rules, orientation=orientation)
    touched: set[int] = set()
    if lastmove is not None:
        action = lastmove.action
        touched = {square for square in (*action.squares, *sum(action.removals, ())) if square != HAND}

    def paint(square: int, piece: str) -> str:
        # None, as False would write codes that switch off what is not on.
        marked = square in touched or None
        if piece == ".":
            return click.style(piece, fg="yellow" if marked else None, bold=marked, dim=None if marked else True)
        # White has the color of the text, so it can be read on light terminals and on dark ones.
        return click.style(
            piece, fg=None if piece.isupper() else "magenta", bold=True, underline=piece in "Rr" or None, reverse=marked
        )

    return picture(setup, board.rules, orientation=orientation, paint=paint)
