"""Command-line options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from .core import Board
from .limit import Limit
from .rules import PRESETS, Rules

Command = TypeVar("Command", bound=Callable[..., Any])


def _complete_rules(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in PRESETS if name.startswith(begun)]


rules_option = click.option(
    "-r",
    "--rules",
    default="yote",
    show_default=True,
    metavar="RULES",
    shell_complete=_complete_rules,
    help=f"A preset ({', '.join(PRESETS)}) and changes, as in choko+mandatory_capture or yote+rows=4+cols=4+pieces=8.",
)
"""``--rules``, for :meth:`Rules.parse`."""


def position_options(command: Command) -> Command:
    """``--rules``, ``--yfen`` and ``--moves``, for :func:`read_board`."""
    for option in (
        click.option("-m", "--moves", default="", metavar="MOVES", help='Moves to play first, as in "@c3 @b2 c3-c4".'),
        click.option("-y", "--yfen", metavar="YFEN", help="The position; without it the start of a game."),
        rules_option,
    ):
        command = option(command)
    return command


def read_board(rules: str, yfen: str | None, moves: str) -> Board:
    """The board that the options of :func:`position_options` tell of. Raises ValueError for what they get wrong."""
    board = Board(yfen, Rules.parse(rules))
    for text in moves.split():
        board.push_text(text)
    return board


def move_limit_options(command: Command) -> Command:
    """``--time``, ``--depth``, ``--nodes`` and ``--hash``, for :func:`read_limit`."""
    for option in (
        click.option("--hash", "hash_mb", type=int, default=64, show_default=True, metavar="MB", help="The engine's table."),
        click.option("--nodes", type=int, metavar="N", help="Positions to look at for each move."),
        click.option("--depth", type=int, metavar="PLIES", help="Depth to search for each move."),
        click.option("--time", "seconds", type=float, metavar="SECONDS", help="Time for each move; 0.5 without any limit."),
    ):
        command = option(command)
    return command


def read_limit(seconds: float | None, depth: int | None, nodes: int | None) -> Limit:
    """The limit that the options of :func:`move_limit_options` tell of. Raises ValueError for what is out of bounds."""
    if seconds is depth is nodes is None:
        seconds = 0.5
    return Limit(time=seconds, depth=depth, nodes=nodes)
