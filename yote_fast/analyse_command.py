"""The command ``yote analyse``."""

from __future__ import annotations

import shutil
import sys
from types import TracebackType
from typing import Any

import click

from .analysis import Engine
from .core import Board
from .deepening import Info
from .endgames import SMALL
from .limit import Limit
from .options import position_options, read_board
from .output import print_json
from .score import Score
from .terminal import can_redraw

EXIT_INTERRUPTED = 130
ROWS_BELOW = 4
"""Of a terminal: for the best move, and the prompt that follows it."""


@click.command(name="analyse")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop after so long; 1 without any limit.")
@click.option("--depth", type=int, metavar="PLIES", help="Stop after this depth.")
@click.option("--nodes", type=int, metavar="N", help="Stop after so many positions.")
@click.option("--multipv", type=int, default=1, show_default=True, metavar="N", help="Show so many of the best moves.")
@click.option("-t", "--threads", type=int, default=1, show_default=True, help="Threads to search with.")
@click.option("--hash", "hash_mb", type=int, default=64, show_default=True, metavar="MB", help="Transposition table.")
@click.option(
    "--tablebase",
    default=SMALL,
    show_default=True,
    metavar="FOLDER",
    help="Endgame tables: a folder, none, or small for those of up to six pieces, which are made when they are first needed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
@position_options
def analyse_command(
    seconds: float | None,
    depth: int | None,
    nodes: int | None,
    multipv: int,
    threads: int,
    hash_mb: int,
    tablebase: str,
    rules: str,
    yfen: str | None,
    moves: str,
    as_json: bool,
) -> None:
    """Find the best move. Ctrl-C stops, and prints the best line so far.

    On a terminal the table changes as the search goes deeper: a row for each depth, or for each of several moves.

    Scores are in pieces, for the side to move; a proven win or loss is told in plies.

    \b
    Examples:
      yote analyse --time 5 --yfen "6/2c3/1C4/6/6 w 5/6"
      yote analyse --multipv 3 --threads 2 --rules choko --moves "@c3 @b2"
    """
    board = read_board(rules, yfen, moves)
    if seconds is None and depth is None and nodes is None:
        seconds = 1.0
    limit = Limit(time=seconds, depth=depth, nodes=nodes)
    latest: dict[int, Info] = {}

    lines: list[Info] = []
    status = 0
    with Engine(hash_mb=hash_mb, threads=threads, tablebase=None if tablebase == "none" else tablebase) as engine:
        show = _Silence() if as_json else _LiveTable(board, multipv) if can_redraw(sys.stdout) else _Lines(board)
        with show:

            def on_info(info: Info) -> None:
                if info.bound is None:
                    latest[info.multipv] = info
                    show.hear(info)

            try:
                lines = engine.analyse(board, limit, multipv=multipv, on_info=on_info)
            except KeyboardInterrupt:
                lines = [latest[number] for number in sorted(latest)]
                status = EXIT_INTERRUPTED
            show.end(lines)
    if lines and as_json:
        _print_json(board, lines)
    elif lines:
        click.echo(f"\nbest move {lines[0].pv[0]}  ({lines[0]})")
    sys.exit(status)


class _Silence:
    """What is told on the way: nothing, for programs."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def hear(self, info: Info) -> None:
        """A line of a depth was found."""

    def end(self, lines: list[Info]) -> None:
        """This is the result, the best line first."""


class _Lines(_Silence):
    """A line for each, one below the other."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._began = False

    def hear(self, info: Info) -> None:
        if not self._began:
            self._began = True
            click.echo(f"{self._board}\n\ndepth  score       nodes    time  line")
        click.echo("{:>5}  {:<9}{:>8}{:>8}  {}".format(*_cells(info)))

    def end(self, lines: list[Info]) -> None:
        for info in lines[1:]:
            self.hear(info)


class _LiveTable(_Silence):
    """A table that changes on the terminal: the latest depths of one line, or the latest of each line."""

    def __init__(self, board: Board, multipv: int) -> None:
        # Here, for it takes a tenth of a second.
        from rich.live import Live

        self._several = multipv > 1
        self._infos: list[Info] = []
        click.echo(f"{board}\n")
        self._live = Live(auto_refresh=False, redirect_stdout=False, redirect_stderr=False)

    def __enter__(self) -> None:
        self._live.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._live.stop()

    def hear(self, info: Info) -> None:
        place = info.multipv - 1 if self._several else len(self._infos)
        self._infos[place : place + 1] = [info]
        self._draw()

    def end(self, lines: list[Info]) -> None:
        if self._several:
            self._infos = lines
            self._draw()

    def _draw(self) -> None:
        from rich.table import Table

        table = Table(box=None, padding=(0, 2, 0, 0), expand=True)
        for name in ("depth", "score", "nodes", "time"):
            table.add_column(name, justify="left" if name == "score" else "right", no_wrap=True)
        table.add_column("line", ratio=1, no_wrap=True, overflow="ellipsis")
        most = max(1, shutil.get_terminal_size().lines - ROWS_BELOW)
        for info in self._infos[:most] if self._several else self._infos[-most:]:
            table.add_row(*_cells(info))
        self._live.update(table, refresh=True)


def _cells(info: Info) -> tuple[str, ...]:
    return str(info.depth), str(info.score), f"{info.nodes:,}", f"{info.time:.2f}s", " ".join(map(str, info.pv))


def _print_json(board: Board, lines: list[Info]) -> None:
    best = lines[0]
    result = {"rules": str(board.rules), "yfen": board.yfen(), "best_move": str(best.pv[0]), **_as_json(best)}
    if len(lines) > 1:
        result["lines"] = [_as_json(info) for info in lines]
    print_json(result)


def _as_json(info: Info) -> dict[str, Any]:
    return {
        "score": _score_as_json(info.score),
        "pv": [str(move) for move in info.pv],
        "depth": info.depth,
        "seldepth": info.seldepth,
        "nodes": info.nodes,
        "nps": info.nps,
        "time": info.time,
        "hashfull": info.hashfull,
        "tbhits": info.tbhits,
    }


def _score_as_json(score: Score | None) -> dict[str, int] | None:
    if score is None:
        return None
    if score.win_in is not None:
        return {"win_in": score.win_in}
    if score.loss_in is not None:
        return {"loss_in": score.loss_in}
    return {"hundredths": score.value}
