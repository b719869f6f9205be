"""The command ``yote solve``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import click

from . import Board, Limit, Rules
from .checks import MAX_HASH_MB, check_int
from .options import rules_option
from .output import Status, print_json
from .solve import DEFAULT_MEMORY_MB, Method, Progress, Result, Solution, solve


@click.command(name="solve")
@click.argument("yfen", required=False)
@rules_option
@click.option("--rows", type=int, metavar="N", help="Rows of the board, instead of those of RULES.")
@click.option("--cols", type=int, metavar="N", help="Columns of the board.")
@click.option("--pieces", type=int, metavar="N", help="Pieces of each side.")
@click.option("-m", "--moves", default="", metavar="MOVES", help='Moves to play first, as in "@c3 @b2 c3-c4".')
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Give up after so long.")
@click.option("--nodes", type=int, metavar="N", help="Give up after so many positions.")
@click.option("--depth", type=int, metavar="PLIES", help="Longest win that a search looks for.")
@click.option("--memory", type=int, default=DEFAULT_MEMORY_MB, show_default=True, metavar="MB", help="Memory to use at most.")
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    default="auto",
    show_default=True,
    help="graph: all positions below, proves draws too; search: forced wins and losses only; tables: whole games.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def solve_command(
    yfen: str | None,
    rules: str,
    rows: int | None,
    cols: int | None,
    pieces: int | None,
    moves: str,
    seconds: float | None,
    nodes: int | None,
    depth: int | None,
    memory: int,
    method: Method,
    as_json: bool,
) -> None:
    """Prove that a position is won, drawn or lost.

    YFEN is the position; without it the start of a game. Prints its value for the side to move, the plies to the end, a line of
    best play, and the value of each move. Endless play is a draw. A printed value is a proof; what cannot be proved within the
    limits is said to be so.

    \b
    Examples:
      yote solve "c5/2C3/6/6/6 w 1/0"
      yote solve --rows 4 --cols 4 --pieces 4
      yote solve --rules choko+mandatory_capture --rows 3 --cols 4 --pieces 5 --json
      yote solve "6/2cc2/1C2c1/2C1C1/6 w 3/2" --method search --time 60
    """
    sizes: dict[str, Any] = {"rows": rows, "cols": cols, "pieces": pieces}
    sizes = {name: size for name, size in sizes.items() if size is not None}
    board = Board(yfen, dataclasses.replace(Rules.parse(rules), **sizes))
    for text in moves.split():
        board.push_text(text)
    limit = Limit(time=seconds, depth=depth, nodes=nodes)
    # Before anything is printed.
    check_int("memory_mb", memory, 1, MAX_HASH_MB)
    if not as_json:
        click.echo(f"{board}\n\n{board.yfen()}\nrules: {board.rules}")
    try:
        with _progress() as progress:
            solution = solve(board, limit=limit, method=method, memory_mb=memory, progress=progress)
    except KeyboardInterrupt:
        click.echo(f"yote: interrupted, nothing is proved{_how_to_go_on(board)}", err=True)
        raise
    if as_json:
        print_json(_json(board, solution))
    else:
        _print(solution)


def _how_to_go_on(board: Board) -> str:
    """What can be stopped and goes on where it was, for the positions that have such a thing."""
    if board.rules.trade_routes or board != Board(rules=board.rules):
        return ""
    return f"; a build of tables keeps what it has done: yote tablebase build --start --rules {board.rules}"


def _json(board: Board, solution: Solution) -> dict[str, Any]:
    return {
        "rules": str(board.rules),
        "yfen": board.yfen(),
        "value": None if solution.value is None else str(solution.value),
        "distance": solution.distance,
        "pv": [str(move) for move in solution.pv],
        "method": solution.method,
        "reason": solution.reason,
        "moves": {str(move): {"value": str(result.value), "distance": result.distance} for move, result in solution.moves.items()},
        "counts": None if solution.counts is None else dataclasses.asdict(solution.counts),
        "nodes": solution.nodes,
        "time": solution.time,
    }


def _print(solution: Solution) -> None:
    click.echo(f"\n{solution}")
    counts = solution.counts
    if counts is not None:
        click.echo(f"\n{counts.positions:>17,} positions, for the side to move:")
        click.echo(f"{counts.wins:>17,} won{_longest(counts.longest_win)}")
        click.echo(f"{counts.draws:>17,} drawn")
        click.echo(f"{counts.losses:>17,} lost{_longest(counts.longest_loss)}")
    if solution.moves:
        click.echo("\nmoves:")
        for result, moves in _grouped(solution):
            click.echo(f"  {result!s:<12}{' '.join(moves)}")
    if solution.nodes:
        click.echo(f"\n{_how(solution)}: {solution.nodes:,} nodes in {solution.time:.2f} s")


def _how(solution: Solution) -> str:
    how = {"graph": "the whole graph", "search": "search", "tables": "tables of the whole game"}.get(solution.method)
    return "tried" if how is None else f"proved by {how}"


def _longest(plies: int | None) -> str:
    return "" if plies is None or plies < 0 else f", in {plies} plies at most"


def _grouped(solution: Solution) -> list[tuple[Result, list[str]]]:
    """Moves by their result, the best first."""
    groups: dict[Result, list[str]] = {}
    for move, result in solution.moves.items():
        groups.setdefault(result, []).append(str(move))
    return list(groups.items())


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """What goes on, on stderr."""
    # Of the phase before now, to tell the rate of this one.
    began = Progress("", 0, 0, 0, 0, 0.0)
    with Status() as show_line:

        def show(progress: Progress) -> None:
            nonlocal began
            if progress.phase != began.phase:
                began = progress
            share = progress.solved / progress.positions if progress.phase == "solving" else None
            show_line(_progress_line(progress, began), share)

        yield show


def _progress_line(progress: Progress, began: Progress) -> str:
    seconds = progress.seconds - began.seconds
    rate = f", {(progress.nodes - began.nodes) / seconds:,.0f} nodes/s" if seconds > 0 else ""
    if progress.phase == "searching":
        what = f"searching for a win within {progress.plies} plies: {progress.nodes:,} nodes"
    elif progress.phase == "solving":
        what = f"solving {progress.positions:,} positions"
    else:
        what = f"exploring the graph: {progress.positions:,} positions up to symmetry"
    return f"{what}{rate}, {progress.seconds:.0f} s"
