"""The command ``yote tablebase``."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable
from functools import wraps
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import click

from .core import Board
from .options import rules_option
from .output import Status, duration, print_json
from .rules import Rules

if TYPE_CHECKING:
    from .tablebase import Counts, Plan, Progress, Slice, Tablebase

EXIT_FAILED = 1
MOST_NAMES = 8
"""Of slices in one line."""
VALUES = {1: "win", 0: "draw", -1: "loss"}

Metric = Literal["wdl", "dtw"]
Command = TypeVar("Command", bound=Callable[..., Any])

EPILOG = """\b
Examples:
  yote tablebase build --pieces 6 --threads 2
  yote tablebase build --rules choko+rows=3+cols=3+pieces=4 --start --metric dtw
  yote tablebase build --pieces 8 --plan
  yote tablebase info
  yote tablebase probe --yfen "2c3/6/1C2c1/4C1/6 w 0/0"
  yote tablebase verify --samples 10000"""


@click.group(name="tablebase", epilog=EPILOG)
def tablebase() -> None:
    """Build and probe endgame tables: exact values of all positions with few pieces.

    Tables know all rules but trade routes.
    """


def _errors_in_one_line(command: Command) -> Command:
    """Let the errors of tables that are not bad values reach the command line's own way of telling."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            from .tablebase import LockedError, MissingTableError
        except ImportError as error:
            raise click.ClickException(str(error)) from None
        try:
            return command(*arguments, **options)
        except (LockedError, MissingTableError) as error:
            raise click.ClickException(str(error)) from None

    return cast(Command, run)


def _path_option(command: Command) -> Command:
    return click.option(
        "-p", "--path", metavar="FOLDER", help="Where the tables are; without it a folder for the rules in the user's data."
    )(command)


def _json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")(command)


def _open(rules: str, path: str | None) -> Tablebase:
    from . import tablebase as tables

    folder = tables.default_folder(Rules.parse(rules)) if path is None else path
    try:
        return tables.open(folder)
    except FileNotFoundError:
        raise FileNotFoundError(f"there are no tables in {folder}; 'yote tablebase build' makes them") from None


# Building -------------------------------------------------------------------------------------------------------------------------


@tablebase.command(name="build")
@click.option("-n", "--pieces", type=int, metavar="N", help="All endgames with up to so many pieces of both sides together.")
@click.option("--start", is_flag=True, help="All positions that a game can reach, instead.")
@click.option("-y", "--yfen", metavar="YFEN", help="All positions that play from this one can reach, instead.")
@click.option(
    "--metric", default="wdl", show_default=True, type=click.Choice(["wdl", "dtw"]), help="Wins, draws and losses; or distances."
)
@click.option("-t", "--threads", type=int, default=1, show_default=True, help="Threads to work with.")
@click.option(
    "--memory",
    "memory_mb",
    type=int,
    default=2048,
    show_default=True,
    metavar="MB",
    help="Memory to use at most; what does not fit is worked from disk.",
)
@click.option("--plan", "only_plan", is_flag=True, help="Only tell what there is to do, and what it will take.")
@_json_option
@_path_option
@rules_option
@_errors_in_one_line
def build_command(
    pieces: int | None,
    start: bool,
    yfen: str | None,
    metric: Metric,
    threads: int,
    memory_mb: int,
    only_plan: bool,
    rules: str,
    path: str | None,
    as_json: bool,
) -> None:
    """Build tables. A build that was stopped goes on where it was. Before it starts it tells what there is to do.

    \b
    Examples:
      yote tablebase build --pieces 6 --threads 2
      yote tablebase build --rules yote+rows=4+cols=4+pieces=6 --start --plan
      yote tablebase build --rules choko --yfen "CCCC1/5/5/5/1cccc w 0/0"
    """
    from . import tablebase as tables

    if start and yfen is not None:
        raise click.UsageError("Give either --start or --yfen.")
    if (pieces is None) != (start or yfen is not None):
        raise click.UsageError("Give either --pieces N, for all endgames with so many pieces, or --start or --yfen.")
    parsed = Rules.parse(rules)
    origin = start if yfen is None else Board(yfen, parsed)
    folder = tables.default_folder(parsed) if path is None else Path(path)
    plan = tables.make_plan(parsed, pieces=pieces, start=origin, metric=metric, folder=folder)
    if only_plan or (plan.missing and not as_json):
        _print_plan(plan, folder, threads, memory_mb, as_json)
    if only_plan:
        return
    started = time.monotonic()
    try:
        with Status() as show:
            built = tables.build(
                parsed,
                pieces=pieces,
                start=origin,
                metric=metric,
                path=folder,
                threads=threads,
                memory_mb=memory_mb,
                progress=lambda progress: show(_progress_line(progress), _share(progress)),
            )
    except KeyboardInterrupt:
        click.echo(f"yote: interrupted; finished slices are kept in {folder}, and the same command goes on from there", err=True)
        raise
    with built:
        slices = built.slices
        size = sum(built.file_size(slice_, metric) for slice_ in slices if built.has(slice_, metric))
    seconds = time.monotonic() - started
    if as_json:
        print_json({"rules": str(built.rules), "folder": str(folder), "slices": len(slices), "bytes": size, "seconds": seconds})
    else:
        click.echo(f"{len(slices)} slices, {size / 1e6:,.1f} MB in {folder}, {seconds:.1f} s")


def _progress_line(progress: Progress) -> str:
    slices = f"{progress.slices} of {progress.all_slices} slices"
    return f"{slices}, {progress.rate / 1e6:.2f} M values/s of {progress.all_cells / 1e6:,.1f} M"


def _share(progress: Progress) -> float:
    return progress.cells / progress.all_cells if progress.all_cells else 1.0


def _print_plan(plan: Plan, folder: Path, threads: int, memory_mb: int, as_json: bool) -> None:
    memory = memory_mb << 20
    seconds = plan.seconds(memory, threads)
    from_disk = plan.from_disk(memory, threads)
    scratch = plan.scratch_bytes(memory, threads)
    if as_json:
        print_json(
            {
                "rules": str(plan.rules),
                "metric": plan.metric,
                "folder": str(folder),
                "slices": len(plan.slices),
                "missing": sum(map(len, plan.missing)),
                "positions": plan.positions,
                "cells": plan.cells,
                "cells_missing": plan.cells_missing,
                "memory_bytes": plan.memory_bytes,
                "least_memory_bytes": plan.least_bytes(threads),
                "from_disk": [str(pair[0]) for pair in from_disk],
                "disk_bytes": plan.disk_bytes,
                "scratch_bytes": scratch,
                "seconds": seconds,
            }
        )
        return
    click.echo(f"rules: {plan.rules}\nfolder: {folder}\n\npieces  slices             positions         stored values")
    for pieces, group in groupby(plan.slices, key=lambda slice_: slice_.a + slice_.b):
        slices = list(group)
        positions = sum(slice_.positions(plan.rules) for slice_ in slices)
        cells = sum(slice_.cells(plan.rules) for slice_ in slices)
        click.echo(f"{pieces:>6}{len(slices):>8}{positions:>22,}{cells:>22,}")
    click.echo(f"   all{len(plan.slices):>8}{plan.positions:>22,}{plan.cells:>22,}\n")
    click.echo(f"missing: {sum(map(len, plan.missing))} slices, {plan.cells_missing:,} values")
    least = plan.least_bytes(threads)
    click.echo(
        f"memory: {memory_mb:,} MB; {plan.memory_bytes >> 20:,} MB would do without work from disk, {least >> 20:,} MB with it"
    )
    if least > memory:
        click.echo("that is not enough: give more with --memory")
    elif from_disk:
        names = ", ".join(str(pair[0]) for pair in from_disk[:MOST_NAMES]) + (", ..." if len(from_disk) > MOST_NAMES else "")
        click.echo(f"from disk: {len(from_disk)} of {len(plan.missing)} pairs of slices ({names})")
    click.echo(f"disk: about {plan.disk_bytes / 1e6:,.1f} MB" + (f", and {scratch / 1e6:,.0f} MB meanwhile" if from_disk else ""))
    click.echo(f"time: about {duration(seconds)} with {threads} thread{'s' if threads > 1 else ''}")


# Reading --------------------------------------------------------------------------------------------------------------------------


@tablebase.command(name="info")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values, a slice a line.")
@_json_option
@_path_option
@rules_option
@_errors_in_one_line
def info_command(rules: str, path: str | None, as_csv: bool, as_json: bool) -> None:
    """Print what tables there are, and how many positions of each slice are won, drawn and lost.

    A slice is written 3.1-2.0: the side to move has 3 pieces, 1 of them in hand, its opponent 2 and none.

    Example: yote tablebase info --csv
    """
    with _open(rules, path) as tables:
        rows = [(slice_, tables.counts(slice_)) for slice_ in tables.slices]
        sizes = {
            metric: sum(tables.file_size(s, metric) for s in tables.slices if tables.has(s, metric)) for metric in tables.metrics
        }
        if as_csv:
            _print_csv(tables.rules, rows)
        elif as_json:
            slices = [
                {"slice": str(slice_), **slice_._asdict(), **vars(counts)}
                | dict(zip(("longest_win_yfen", "longest_loss_yfen"), tables.longest(slice_), strict=True))
                | {"bits": {metric: _bits(tables, slice_, metric) for metric in tables.metrics if tables.has(slice_, metric)}}
                for slice_, counts in rows
            ]
            print_json({"rules": str(tables.rules), "bytes": sizes, "slices": slices})
        else:
            _print_info(tables, rows, sizes)


def _print_info(tables: Tablebase, rows: list[tuple[Slice, Counts]], sizes: dict[Metric, int]) -> None:
    click.echo(f"rules: {tables.rules}\n")
    click.echo(f"{'slice':<14}{'positions':>18}{'wins':>18}{'draws':>18}{'losses':>18}  longest")
    for slice_, counts in rows:
        longest = " ".join("-" if plies is None else str(plies) for plies in (counts.longest_win, counts.longest_loss))
        _print_counts(str(slice_), [counts.positions, counts.wins, counts.draws, counts.losses], longest)
    sums = [sum(getattr(counts, name) for _, counts in rows) for name in ("positions", "wins", "draws", "losses")]
    _print_counts(f"{len(rows)} slices", sums, "")
    _print_longest(tables, rows)
    for metric, size in sizes.items():
        cells = sum(slice_.cells(tables.rules) for slice_, _ in rows if tables.has(slice_, metric))
        click.echo(f"{metric}: {size / 1e6:,.1f} MB, {8 * size / cells:.2f} bits a stored value")


def _print_longest(tables: Tablebase, rows: list[tuple[Slice, Counts]]) -> None:
    """The longest win and loss of all, each with a position."""
    for index, name in enumerate(("win", "loss")):
        known = [(plies, slice_) for slice_, counts in rows if (plies := getattr(counts, f"longest_{name}")) is not None]
        if known:
            plies, slice_ = max(known)
            click.echo(f"longest {name}: {plies} plies, {tables.longest(slice_)[index]}")


def _bits(tables: Tablebase, slice_: Slice, metric: Metric) -> float:
    """On disk, for each stored value."""
    return 8 * tables.file_size(slice_, metric) / slice_.cells(tables.rules)


def _print_counts(name: str, counts: list[int], longest: str) -> None:
    click.echo(f"{name:<14}{''.join(f'{count:>18,}' for count in counts)}  {longest}".rstrip())


def _print_csv(rules: Rules, rows: list[tuple[Slice, Counts]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    more = ["ra", "rb"] if rules.royal_caravan else []
    more += ["must_drop"] if rules.drop_initiative else []
    writer.writerow(["board", "a", "ha", "b", "hb", "pa", "pb", *more, "raw", "W", "D", "L", "longest_win", "longest_loss"])
    for s, counts in rows:
        longest = [-1 if plies is None else plies for plies in (counts.longest_win, counts.longest_loss)]
        numbers = [s.a, s.ha, s.b, s.hb, s.pa, s.pb, *(int(getattr(s, name)) for name in more)]
        board = f"{rules.rows}x{rules.cols}"
        writer.writerow([board, *numbers, counts.positions, counts.wins, counts.draws, counts.losses, *longest])


@tablebase.command(name="probe")
@click.option("-y", "--yfen", required=True, metavar="YFEN", help="The position.")
@click.option("-m", "--moves", default="", metavar="MOVES", help='Moves to play first, as in "@c3 @b2 c3-c4".')
@_json_option
@_path_option
@rules_option
@_errors_in_one_line
def probe_command(yfen: str, moves: str, rules: str, path: str | None, as_json: bool) -> None:
    """Print the value of a position and of each of its moves, for the side to move.

    Example: yote tablebase probe --yfen "2c3/6/1C2c1/4C1/6 w 0/0"
    """
    board = Board(yfen, Rules.parse(rules))
    for text in moves.split():
        board.push_text(text)
    with _open(rules, path) as tables:
        value = tables.probe_wdl(board)
        distance = tables.get_dtw(board, None) if value else None
        best = tables.best_moves(board)
        values = tables.probe_moves(board)
    if as_json:
        print_json(
            {
                "rules": str(board.rules),
                "yfen": board.yfen(),
                "value": VALUES[value],
                "distance": None if distance is None else abs(distance),
                "best_moves": [str(move) for move in best],
                "moves": {str(move): VALUES[after] for move, after in values.items()},
            }
        )
        return
    click.echo(f"{board}\n")
    click.echo(VALUES[value] if distance is None else f"{VALUES[value]} in {abs(distance)}")
    if best:
        click.echo(f"best: {' '.join(map(str, best))}")
    for after, name in VALUES.items():
        click.echo(f"{name:>5}: {' '.join(str(move) for move, found in values.items() if found == after)}".rstrip())


@tablebase.command(name="verify")
@click.option("-s", "--samples", type=int, metavar="N", help="Check about so many values of each slice; without it all.")
@click.option("--slice", "names", multiple=True, metavar="SLICE", help="Only this slice, such as 3.1-2.0. Can be given again.")
@_json_option
@_path_option
@rules_option
@_errors_in_one_line
def verify_command(rules: str, path: str | None, samples: int | None, names: tuple[str, ...], as_json: bool) -> None:
    """Check checksums, counts, and values against the values of all successors. Exit status 1 if something is wrong.

    Example: yote tablebase verify --samples 10000
    """
    from .tablebase import Slice

    with _open(rules, path) as tables, Status() as show:
        chosen = [Slice.parse(name) for name in names] or None
        wrong = tables.verify(chosen, samples=samples, progress=lambda done, total: show(f"{done} of {total} tables", done / total))
    if as_json:
        print_json({"mismatches": [{**vars(mismatch), "slice": str(mismatch.slice)} for mismatch in wrong]})
    else:
        for mismatch in wrong:
            click.echo(f"{mismatch.slice}: {mismatch.yfen} has {mismatch.found}, its successors say {mismatch.expected}")
        click.echo("all is well" if not wrong else f"{len(wrong)} mismatches")
    if wrong:
        sys.exit(EXIT_FAILED)
