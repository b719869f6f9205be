"""The command ``yote annotate``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

import click

from .analysis import Engine
from .files import write_whole
from .limit import Limit
from .options import move_limit_options, read_limit
from .output import Status

if TYPE_CHECKING:
    from .game import Game

EXIT_INCOMPLETE = 1
EXIT_INTERRUPTED = 130


@click.command(name="annotate")
@click.argument("file", type=click.File("rb"))
@move_limit_options
@click.option("-o", "--out", metavar="FILE", help="Write the games there, which may be the file they come from; else print them.")
def annotate_command(
    file: BinaryIO, seconds: float | None, depth: int | None, nodes: int | None, hash_mb: int, out: str | None
) -> None:
    """Let the engine comment the games of FILE (- for stdin).

    Each move gets its score, from White's side, and the depth: {+0.35/9}. Moves that cost 0.15 or more of the points that the
    game is expected to bring (a win 1, a draw 0.5) are marked ?, from 0.3 on ??, and the better line is shown.

    With --out, Ctrl-C writes the games with what is done; run on that file again, the command goes on with the next game.

    \b
    Examples:
      yote annotate games.ygn
      yote annotate games.ygn --time 2 --out games.ygn
      yote annotate - --depth 8 < games.ygn > annotated.ygn
    """
    from .game import read

    limit = read_limit(seconds, depth, nodes)
    engine = Engine(hash_mb=hash_mb)
    games = []
    broken = False
    while (game := read(file)) is not None:
        games.append(game)
        broken |= bool(game.errors)
        for error in game.errors:
            click.echo(f"yote: {file.name}, {error}", err=True)
    status = EXIT_INCOMPLETE if broken else 0
    done = 0
    try:
        with Status() as show:
            for number, game in enumerate(games):

                def tell(at: int, all_: int, number: int = number) -> None:
                    show(f"game {number + 1} of {len(games)}, position {at} of {all_}", (number + at / max(1, all_)) / len(games))

                _annotate(game, engine, limit, tell)
                done += 1
                if out is None:
                    show.clear()
                    click.echo(_bytes([game]), nl=False)
    except KeyboardInterrupt:
        if out is None:
            raise
        click.echo(f"yote: interrupted, {done} of {len(games)} games are annotated", err=True)
        status = EXIT_INTERRUPTED
    if out is not None:
        write_whole(out, _bytes(games))
    sys.exit(status)


def _annotate(game: Game, engine: Engine, limit: Limit, progress: Callable[[int, int], object]) -> None:
    """Annotate a game, unless that was done before, or nothing is known about its start."""
    from .annotate import annotate, annotator

    try:
        game.board()
    except ValueError:
        # An error of the game that was told already.
        return
    if game.headers.get("Annotator") != annotator(limit):
        engine.clear()
        annotate(game, engine, limit, progress)


def _bytes(games: list[Game]) -> bytes:
    return "".join(f"{game}\n\n" for game in games).encode("utf-8", "surrogateescape")
