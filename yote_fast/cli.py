"""The command ``yote``, also ``python -m yote_fast``."""

from __future__ import annotations

import io
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import (
    Board,
    Limit,
    Rules,
    __version__,
    analyse,
    bench,
    build_info,
    divide,
    perft,
    signature,
)
from .analyse_command import analyse_command
from .annotate_command import annotate_command
from .checks import check_int
from .files import write_whole
from .options import position_options, read_board
from .output import print_json, status_line
from .perft import MAX_DEPTH
from .play_command import play_command
from .solve_command import solve_command
from .tablebase_command import tablebase
from .terminal import can_show_color, draw
from .web.command import serve_command

if TYPE_CHECKING:
    from .match import MatchResult

# So that a negative number reaches the check of its bounds instead of being taken for an option.
NUMBERS = {"ignore_unknown_options": True}

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

Command = TypeVar("Command", bound=Callable[..., Any])

EPILOG = """\b
Examples:
  yote analyse --time 5
  yote analyse --rules choko --moves "@c3 @b2" --depth 8
  yote solve --rows 3 --cols 4 --pieces 4
  yote perft 6 --threads 2
  yote divide 3 --yfen "6/2c3/1C4/6/6 w 5/6"
  yote show --rules heroes+friendly_leap
  yote show --moves "@c3 @c4" --svg board.svg
  yote play --rules choko --time 2
  yote annotate games.ygn --out games.ygn
  yote match --second greedy --games 20 --time 0.05
  yote ugi
  yote serve --open
  yote tablebase build --pieces 6

Exit status: 0 done, 1 a benchmark or table is wrong or the output could not be written, 2 bad input, 130 interrupted."""


@click.group(invoke_without_command=True, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="yote")
@click.pass_context
def app(context: click.Context) -> None:
    """Analyse, solve, count and benchmark the board games Yoté and Choko.

    Without a command: a short tour.
    """
    if context.invoked_subcommand is None:
        _tour()


app.add_command(analyse_command)
app.add_command(solve_command)


def main() -> None:
    """Run the command line: one line on stderr and exit status 2 for bad input, never a traceback."""
    # What the library does unasked and takes its time for.
    logging.basicConfig(level=logging.INFO, format="yote: %(message)s")
    try:
        app(prog_name="yote", standalone_mode=False)
    except click.UsageError as error:
        _fail(f"{error.format_message()} Try '{error.ctx.command_path if error.ctx else 'yote'} --help'.")
    except click.ClickException as error:
        _fail(error.format_message())
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        _fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(EXIT_INTERRUPTED)
    except OSError as error:
        known = error.strerror is not None and error.filename is not None
        click.echo(f"yote: {f'{error.strerror}: {error.filename}' if known else error}", err=True)
        sys.exit(EXIT_FAILED)


def _fail(message: str) -> None:
    click.echo(f"yote: {' '.join(message.split())}", err=True)
    sys.exit(EXIT_BAD_INPUT)


# Options that commands share -----------------------------------------------------------------------------------------------------


def _position_options(command: Command) -> Command:
    return position_options(click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")(command))


def _count_options(command: Command) -> Command:
    for option in (
        click.option("--plain", is_flag=True, help="Play every action instead of counting the last plies together."),
        click.option("--hash", "hash_mb", type=int, default=0, show_default=True, metavar="MB", help="Table of finished counts."),
        click.option("-t", "--threads", type=int, default=1, show_default=True, help="Threads to count with."),
    ):
        command = option(command)
    return command


def _position_json(board: Board) -> dict[str, Any]:
    return {"rules": str(board.rules), "yfen": board.yfen()}


# Commands ------------------------------------------------------------------------------------------------------------------------


@app.command()
@click.option("--svg", "svg_file", metavar="FILE", help="Write a picture instead, for web pages and print.")
@_position_options
def show(rules: str, yfen: str | None, moves: str, as_json: bool, svg_file: str | None) -> None:
    """Print a position and its legal moves.

    \b
    Examples:
      yote show --rules choko --moves "@c3"
      yote show --moves "@c3 @c4 @d3" --svg board.svg
    """
    board = read_board(rules, yfen, moves)
    lastmove = board.peek() if board.ply() else None
    if svg_file is not None:
        if as_json:
            raise click.UsageError("--svg and --json exclude each other.")
        from . import svg

        write_whole(svg_file, f"{svg.board(board, lastmove=lastmove)}\n".encode())
        return
    legal = [str(move) for move in board.legal_moves]
    outcome = board.outcome()
    ended = None if outcome is None else outcome.termination.value
    if as_json:
        print_json({**_position_json(board), "result": board.result(), "termination": ended, "legal_moves": legal})
        return
    click.echo(draw(board, lastmove=lastmove, color=can_show_color(sys.stdout)))
    click.echo(f"\n{board.yfen()}\nrules: {board.rules}")
    if ended is not None:
        click.echo(f"game over, {board.result()}: {ended}")
    click.echo(f"{len(legal)} legal moves{': ' * bool(legal)}{' '.join(legal)}")


@app.command(name="perft", context_settings=NUMBERS)
@click.argument("depth", type=int)
@_count_options
@_position_options
def perft_command(
    depth: int, threads: int, hash_mb: int, plain: bool, rules: str, yfen: str | None, moves: str, as_json: bool
) -> None:
    """Count the move sequences up to DEPTH actions.

    Example: yote perft 6 --threads 2 --rules choko
    """
    board = read_board(rules, yfen, moves)
    options: dict[str, Any] = {"threads": threads, "hash_mb": hash_mb, "bulk": not plain}
    if as_json:
        rows = [{"depth": d, "leaves": leaves, "seconds": seconds} for d, leaves, seconds in _perft_rows(board, depth, options)]
        print_json({**_position_json(board), "depths": rows})
        return
    _perft_table(board, depth, options)


@app.command(name="divide", context_settings=NUMBERS)
@click.argument("depth", type=int)
@_count_options
@_position_options
def divide_command(
    depth: int, threads: int, hash_mb: int, plain: bool, rules: str, yfen: str | None, moves: str, as_json: bool
) -> None:
    """Count the move sequences of DEPTH actions by their first move.

    Example: yote divide 3 --moves "@c3 @c4"
    """
    board = read_board(rules, yfen, moves)
    with _progress() as progress:
        counts = divide(board, depth, threads=threads, hash_mb=hash_mb, bulk=not plain, progress=progress)
    total = sum(counts.values())
    if as_json:
        moves_json = {str(move): leaves for move, leaves in counts.items()}
        print_json({**_position_json(board), "depth": depth, "leaves": total, "moves": moves_json})
        return
    for move, leaves in counts.items():
        click.echo(f"{move}: {leaves}")
    click.echo(f"\n{len(counts)} moves, {total} leaves")


@app.command(name="bench")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def bench_command(as_json: bool) -> None:
    """Time perft and search on fixed positions of many rules, and check the counts.

    The nodes of the search are the engine's signature: they change only with the search.

    Example: yote bench
    """
    results = []
    wrong = False
    if not as_json:
        click.echo(_build_line())
        click.echo(f"\n{'position':<16}{'depth':>6}{'leaves':>16}{'seconds':>10}{'leaves/s':>16}")
    for case in bench.CASES:
        started = time.perf_counter()
        leaves = case.run()
        seconds = time.perf_counter() - started
        wrong |= leaves != case.leaves
        results.append({**asdict(case), "counted": leaves, "seconds": seconds})
        if not as_json:
            note = "" if leaves == case.leaves else f"  WRONG, expected {case.leaves:,}"
            click.echo(f"{case.name:<16}{case.depth:>6}{leaves:>16,}{seconds:>10.3f}{leaves / seconds:>16,.0f}{note}")
    started = time.perf_counter()
    nodes = signature.nodes()
    seconds = time.perf_counter() - started
    wrong |= nodes != signature.SIGNATURE
    if as_json:
        search = {"nodes": nodes, "expected": signature.SIGNATURE, "seconds": seconds}
        print_json({"build": build_info(), "cases": results, "search": search})
    else:
        note = "" if nodes == signature.SIGNATURE else f"  WRONG, expected {signature.SIGNATURE:,}"
        click.echo(f"\nsearch: {nodes:,} nodes in {seconds:.2f} s, {nodes / seconds:,.0f} nodes/s{note}")
    if wrong:
        sys.exit(EXIT_FAILED)


app.add_command(tablebase)


@app.command(name="ugi")
def ugi_command() -> None:
    """Speak UGI, the protocol of tournament programs, on stdin and stdout.

    \b
    Example of a session:
      ugi
      setoption name Rules value choko
      isready
      position startpos moves @c3
      go movetime 1000
      quit
    """
    from .ugi import serve

    if isinstance(sys.stdin, io.TextIOWrapper):
        # What is no text is an unknown command, not the end of the engine.
        sys.stdin.reconfigure(errors="replace")
    serve(sys.stdin, sys.stdout)


def _limit_options(prefix: str, whose: str) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in (
            click.option(f"--{prefix}nodes", type=int, metavar="N", help=f"Positions for each move of {whose}."),
            click.option(f"--{prefix}depth", type=int, metavar="PLIES", help=f"Depth for each move of {whose}."),
            click.option(f"--{prefix}time", type=float, metavar="SECONDS", help=f"Time for each move of {whose}."),
        ):
            command = option(command)
        return command

    return decorate


@app.command(name="match", context_settings=NUMBERS)
@click.option("--first", default="engine", show_default=True, metavar="PLAYER", help="One of the players below.")
@click.option("--second", default="engine", show_default=True, metavar="PLAYER", help="Another, or the same.")
@_limit_options("", "both players")
@_limit_options("second-", "the second player alone")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Of the first player: hash_mb=16, or a UGI option.")
@click.option("--second-option", "second_options", multiple=True, metavar="NAME=VALUE", help="Of the second player.")
@click.option("-g", "--games", type=int, default=100, show_default=True, help="Two for each opening.")
@click.option("-r", "--rules", default="yote", show_default=True, metavar="RULES", help="As for the other commands.")
@click.option("--plies", type=int, default=8, show_default=True, help="Random actions of an opening.")
@click.option(
    "--balance", type=int, default=60, show_default=True, help="Largest score after the opening, in hundredths of a piece."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides the openings, and what players leave to chance.")
@click.option("-c", "--concurrency", type=int, default=2, show_default=True, help="Games at the same time.")
@click.option("--max-plies", type=int, default=300, show_default=True, help="A game of so many actions is drawn.")
@click.option("--margin", type=float, default=2.0, show_default=True, help="Seconds beyond its time that cost a program the game.")
@click.option("--sprt", type=(float, float), metavar="ELO0 ELO1", help="Stop as soon as it is clear which difference is likelier.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance that the test accepts ELO1 wrongly.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Chance that the test accepts ELO0 wrongly.")
@click.option("-o", "--out", metavar="FILE", help="Append the games, as text.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def match_command(
    first: str,
    second: str,
    time: float | None,
    depth: int | None,
    nodes: int | None,
    second_time: float | None,
    second_depth: int | None,
    second_nodes: int | None,
    options: tuple[str, ...],
    second_options: tuple[str, ...],
    games: int,
    rules: str,
    plies: int,
    balance: int,
    seed: int,
    concurrency: int,
    max_plies: int,
    margin: float,
    sprt: tuple[float, float] | None,
    alpha: float,
    beta: float,
    out: str | None,
    as_json: bool,
) -> None:
    """Play a match from balanced random openings, each from both sides. Ctrl-C stops, and prints the result so far.

    \b
    Players:
      engine         this package's
      random         any legal action
      greedy         takes as many pieces as it can
      ugi:COMMAND    a program that speaks UGI

    Without any limit, a move has 0.1 s. All numbers are from the first player's side, errors are those of 95 % confidence.

    \b
    Examples:
      yote match --second greedy --games 20 --time 0.05
      yote match --second "ugi:./sparring" --time 0.1 --games 200 --out games.ygn
      yote match --second "ugi:/opt/old/bin/yote ugi" --nodes 100000 --games 10000 --sprt 0 10
    """
    from .match import Contestant, Sprt, play_match
    from .ugi_client import EngineError

    limit = Limit(time=0.1) if time is depth is nodes is None else Limit(time=time, depth=depth, nodes=nodes)
    second_limit = Limit(time=second_time, depth=second_depth, nodes=second_nodes)
    contestants = (
        Contestant(first, limit, _player_options(options)),
        Contestant(second, limit if second_limit == Limit() else second_limit, _player_options(second_options)),
    )
    latest: list[MatchResult] = []
    with status_line() as show:

        def progress(result: MatchResult) -> None:
            latest[:] = [result]
            show(result.progress_line())

        try:
            play_match(
                *contestants,
                Rules.parse(rules),
                games=games,
                opening_plies=plies,
                balance=balance,
                seed=seed,
                concurrency=concurrency,
                max_plies=max_plies,
                margin=margin,
                sprt=None if sprt is None else Sprt(*sprt, alpha, beta),
                out=out,
                progress=progress,
            )
            status = 0
        except KeyboardInterrupt:
            status = EXIT_INTERRUPTED
        except EngineError as error:
            raise click.ClickException(str(error)) from None
    if latest:
        _print_match(latest[0], as_json)
    sys.exit(status)


app.add_command(annotate_command)
app.add_command(play_command)


def _player_options(texts: tuple[str, ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"an option is NAME=VALUE, not {text!r}")
        options[name] = int(value) if value.isascii() and value.isdigit() else value
    return options


app.add_command(serve_command)


# Output --------------------------------------------------------------------------------------------------------------------------


def _tour() -> None:
    board = Board()
    click.echo(f"yote_fast {__version__}: Yoté and Choko. More: yote --help\n")
    click.echo(board)
    click.echo("\nAnalysis, 1 second:")
    info = analyse(board, Limit(time=1.0))
    click.echo(f"  {info}\n")
    click.echo("Perft, the number of move sequences:")
    _perft_table(board, 6, {})
    click.echo(f"\n{_build_line()}")


def _build_line() -> str:
    return "yote_fast {version}, {compiler}, {level}".format(**build_info())


def _perft_table(board: Board, depth: int, options: dict[str, Any]) -> None:
    for d, leaves, seconds in _perft_rows(board, depth, options):
        if d == min(1, depth):
            click.echo("depth               leaves   seconds         leaves/s")
        click.echo(f"{d:>5}{leaves:>21,}{seconds:>10.3f}{leaves / seconds:>17,.0f}")


def _perft_rows(board: Board, depth: int, options: dict[str, Any]) -> Iterator[tuple[int, int, float]]:
    """Depth, leaves and seconds of each depth from 1 on, or of 0 alone."""
    check_int("depth", depth, 0, MAX_DEPTH)
    for d in range(min(1, depth), depth + 1):
        with _progress() as progress:
            started = time.perf_counter()
            leaves = perft(board, d, progress=progress, **options)
            seconds = time.perf_counter() - started
        yield d, leaves, seconds


def _print_match(result: MatchResult, as_json: bool) -> None:
    if as_json:
        print_json(result.summary())
    else:
        click.echo(result)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """How far a count is."""
    started = time.monotonic()
    with status_line() as show:

        def progress(done: int, total: int) -> None:
            left = (time.monotonic() - started) / done * (total - done)
            show(f"{done / total:4.0%} of the subtrees, about {left:.0f} s left")

        yield progress
