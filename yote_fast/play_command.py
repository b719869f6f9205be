"""The command ``yote play``: a person against the engine."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import click

from ._version import __version__
from .analysis import Engine
from .core import Board, Move
from .deepening import Info
from .files import in_plain_words, write_whole
from .limit import Limit
from .notation import BLACK, WHITE
from .options import move_limit_options, position_options, read_board, read_limit
from .output import Status
from .terminal import can_show_color, draw

MOST_LISTED = 40

HELP = """\
a move       as in @c3 (drop), c3-c4 (step), c3xc5/b1 (capture, and what else is removed)
moves [TEXT] the legal moves, or those that begin with TEXT
hint         what the engine would play
undo         take your last move back
flip         turn the board around
board        show the board again
save FILE    write the game to a new file
quit         leave, as Ctrl-D does; Ctrl-C while the engine thinks makes it move"""


@click.command(name="play")
@position_options
@click.option("-c", "--color", type=click.Choice(["white", "black"]), default="white", show_default=True, help="Your side.")
@move_limit_options
def play_command(
    rules: str,
    yfen: str | None,
    moves: str,
    color: str,
    seconds: float | None,
    depth: int | None,
    nodes: int | None,
    hash_mb: int,
) -> None:
    """Play against the engine. Enter help for what can be entered.

    \b
    Examples:
      yote play
      yote play --rules choko --color black --time 2
      yote play --yfen "6/2c3/1C4/6/6 w 5/6" --depth 4
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        # What is no text is no move, and not the end of the game.
        sys.stdin.reconfigure(errors="replace")
    if sys.stdin.isatty():
        # Where there is one, it lets the line be edited, and lines before be recalled.
        with suppress(ImportError):
            import readline  # noqa: F401
    board = read_board(rules, yfen, moves)
    Session(board, color == "white", Engine(hash_mb=hash_mb), read_limit(seconds, depth, nodes)).run()


class Session:
    """A game on the terminal.

    Args:
        board: where it begins.
        human: the side of the person, ``WHITE`` or ``BLACK``.
        engine, limit: the other side.
    """

    def __init__(self, board: Board, human: bool, engine: Engine, limit: Limit) -> None:
        self.board = board
        self.human = human
        self.engine = engine
        self.limit = limit
        self.orientation = human
        self.saved: set[str] = set()
        """Files that this session wrote, and may write again."""

    def run(self) -> None:
        """Play until the person leaves."""
        click.echo(f"You play {_name(self.human)}, rules {self.board.rules}. Enter help for what can be entered.")
        self.show()
        while True:
            if self.board.turn != self.human and not self.board.is_game_over():
                self.engine_moves()
                continue
            try:
                line = input(self.prompt())
            except EOFError:
                click.echo()
                return
            except KeyboardInterrupt:
                click.echo()
                raise
            command, _, rest = line.strip().partition(" ")
            if command == "quit":
                return
            self.enter(command, rest.strip())

    def prompt(self) -> str:
        return "game over> " if self.board.is_game_over() else f"{_name(self.human)}> "

    def enter(self, command: str, rest: str) -> None:
        """Carry out what was entered."""
        commands: dict[str, Callable[[str], None]] = {
            "moves": self.list_moves, "hint": self.hint, "undo": self.undo, "flip": self.flip, "board": self.show,
            "save": self.save, "help": self.help, "": lambda _: None,
        }  # fmt: skip
        if command not in commands:
            self.human_moves(f"{command} {rest}".strip())
        elif rest and command not in ("moves", "save"):
            click.echo(f"{command} takes nothing behind it, but got {rest!r}.")
        else:
            commands[command](rest)

    # Moves

    def human_moves(self, text: str) -> None:
        if self.board.is_game_over():
            click.echo("The game is over: undo, save FILE or quit.")
            return
        try:
            self.board.push_text(text)
        except ValueError as error:
            click.echo(error)
            if similar := self.moves_like(text):
                click.echo(f"Legal moves that begin so: {_listed(similar)}")
            else:
                click.echo("Enter moves for the legal ones, help for more.")
            return
        self.show()

    def moves_like(self, text: str) -> list[Move]:
        return [move for move in self.board.legal_moves if str(move).startswith(text)]

    def engine_moves(self) -> None:
        found = self.think()
        move = found.pv[0] if found is not None else next(iter(self.board.legal_moves))
        self.board.push(move)
        click.echo(f"{_name(not self.human)} plays {move}{_judgement(found)}")
        self.show()

    def think(self) -> Info | None:
        """What the engine finds within its limit, or until Ctrl-C; None if that was before it found anything."""
        latest: list[Info] = []
        with Status() as show:

            def on_info(info: Info) -> None:
                latest[:] = [info]
                share = None if self.limit.time is None else min(1.0, info.time / self.limit.time)
                show(f"thinking: {info.pv[0]}{_judgement(info)}", share)

            try:
                return self.engine.analyse(self.board, self.limit, on_info=on_info)
            except KeyboardInterrupt:
                click.echo()
                return latest[0] if latest else None

    # Commands

    def show(self, _: str = "") -> None:
        board = self.board
        lastmove = board.peek() if board.ply() else None
        click.echo(f"\n{draw(board, orientation=self.orientation, lastmove=lastmove, color=can_show_color(sys.stdout))}\n")
        outcome = board.outcome()
        if outcome is not None:
            winner = {None: "a draw", self.human: "you win", not self.human: "the engine wins"}[outcome.winner]
            click.echo(f"Game over, {winner}: {outcome.termination.value}.")

    def list_moves(self, text: str) -> None:
        moves = [] if self.board.is_game_over() else self.moves_like(text)
        click.echo(f"{len(moves)} moves{': ' if moves else '.'}{' '.join(map(str, moves))}")

    def hint(self, _: str) -> None:
        if self.board.is_game_over():
            click.echo("The game is over.")
        elif (found := self.think()) is not None:
            line = "".join(f" {move}" for move in found.pv[1:])
            click.echo(f"{found.pv[0]}{_judgement(found)}{'; then' * bool(line)}{line}")

    def undo(self, _: str) -> None:
        board = self.board.copy()
        while board.ply():
            board.pop()
            if board.turn == self.human:
                self.board = board
                self.show()
                return
        click.echo("There is no move of yours to take back.")

    def flip(self, _: str) -> None:
        self.orientation = not self.orientation
        self.show()

    def save(self, path: str) -> None:
        from .game import Game

        path = os.path.expanduser(path)
        if not path:
            click.echo("Enter the name of a new file behind save.")
        elif os.path.lexists(path) and path not in self.saved:
            click.echo(f"{path} is there already; choose another name.")
        else:
            game = Game.from_board(self.board)
            engine = f"yote_fast {__version__}"
            game.headers["Event"] = "yote play"
            game.headers["Date"] = time.strftime("%Y.%m.%d")
            game.headers["White" if self.human == WHITE else "Black"] = "you"
            game.headers["White" if self.human == BLACK else "Black"] = engine
            try:
                write_whole(path, f"{game}\n\n".encode())
            except OSError as error:
                click.echo(f"The game was not saved: {in_plain_words(error)}.")
                return
            self.saved.add(path)
            click.echo(f"Saved to {path}.")

    def help(self, _: str) -> None:
        click.echo(HELP)


def _name(side: bool) -> str:
    return "white" if side == WHITE else "black"


def _judgement(info: Info | None) -> str:
    return "" if info is None or info.score is None else f"  ({info.score}, depth {info.depth})"


def _listed(moves: list[Move]) -> str:
    text = " ".join(map(str, moves[:MOST_LISTED]))
    return text if len(moves) <= MOST_LISTED else f"{text} and {len(moves) - MOST_LISTED} more"
