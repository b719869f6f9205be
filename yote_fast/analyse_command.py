"""The command ``yote analyse``."""

from __future__ import annotations

import sys
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

EXIT_INTERRUPTED = 130


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

    def on_info(info: Info) -> None:
        if info.bound is not None:
            return
        if not as_json:
            if not latest:
                click.echo(f"{board}\n\ndepth  score       nodes    time  line")
            click.echo(_line(info))
        latest[info.multipv] = info

    with Engine(hash_mb=hash_mb, threads=threads, tablebase=None if tablebase == "none" else tablebase) as engine:
        try:
            lines = engine.analyse(board, limit, multipv=multipv, on_info=on_info)
        except KeyboardInterrupt:
            if latest:
                _print(board, [latest[number] for number in sorted(latest)], as_json)
            sys.exit(EXIT_INTERRUPTED)
    _print(board, lines, as_json)


def _line(info: Info) -> str:
    line = " ".join(map(str, info.pv))
    return f"{info.depth:>5}  {info.score!s:<9}{info.nodes:>8,}{info.time:>7.2f}s  {line}"


def _print(board: Board, lines: list[Info], as_json: bool) -> None:
    best = lines[0]
    if not as_json:
        for info in lines[1:]:
            click.echo(_line(info))
        click.echo(f"\nbest move {best.pv[0]}  ({best})")
        return
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
