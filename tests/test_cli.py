"""The command line, run as a program of its own: what it prints, how it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import click
import pytest
from shell import PROMPTLY, Ended, interrupt, needs_ctrl_c, run, start

import yote_fast as yf
from yote_fast import signature
from yote_fast.cli import app

WON_SOON = "6/6/C5/6/cCC3 w 0/0"


def yote(*arguments: str, timeout: float = 60) -> Ended:
    return run("-m", "yote_fast", *arguments, timeout=timeout)


def output(*arguments: str) -> str:
    """What a call that goes well prints."""
    ended = yote(*arguments)
    assert (ended.status, ended.stderr) == (0, "")
    return ended.stdout


def json_output(*arguments: str) -> dict[str, Any]:
    text = output(*arguments, "--json")
    assert text.count("\n") == 1
    value: dict[str, Any] = json.loads(text)
    return value


# Commands -------------------------------------------------------------------------------------------------------------------------


def test_tour() -> None:
    text = output()
    assert str(yf.Board()) in text
    assert re.search(r"^  depth \d+, .* nodes in .* s: @", text, re.MULTILINE)
    assert re.search(r"^ +4 +823,848 ", text, re.MULTILINE)
    assert yf.build_info()["level"] in text
    assert "yote --help" in text


def test_version() -> None:
    assert yf.__version__ in output("--version")


@pytest.mark.parametrize("command", ["", *app.commands])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(command: str, option: str) -> None:
    text = output(*filter(None, [command, option]))
    assert text.startswith(f"Usage: yote {command}".rstrip())
    assert re.search("Examples?", text)
    assert max(map(len, text.splitlines())) <= 100


def test_every_command_is_in_the_help() -> None:
    text = output("--help")
    assert {"show", "perft", "divide", "analyse", "bench"} <= set(app.commands)
    for command in app.commands:
        assert re.search(rf"^  {command} ", text, re.MULTILINE)


def test_show() -> None:
    board = yf.Board(rules=yf.CHOKO)
    board.push_text("@c3")
    text = output("show", "--rules", "choko", "--moves", "@c3")
    assert str(board) in text
    assert f"\n{board.yfen()}\nrules: choko\n" in text
    assert f"24 legal moves: {' '.join(map(str, board.legal_moves))}\n" in text
    assert json_output("show", "-r", "choko", "-m", "@c3") == {
        "rules": "choko",
        "yfen": board.yfen(),
        "result": "*",
        "termination": None,
        "legal_moves": [str(move) for move in board.legal_moves],
    }


def test_show_a_finished_game() -> None:
    yfen = "6/6/6/6/C5 b 0/0"
    assert "game over, 1-0: a side has no pieces left\n0 legal moves\n" in output("show", "--yfen", yfen)
    found = json_output("show", "-y", yfen)
    assert (found["result"], found["termination"], found["legal_moves"]) == ("1-0", "a side has no pieces left", [])


def test_show_sees_repetitions() -> None:
    moves = 2 * "c3-c2 c4-c5 c2-c3 c5-c4 "
    found = json_output("show", "--yfen", "6/2c3/2C3/6/6 w 3/3", "--moves", moves)
    assert (found["result"], found["termination"]) == ("1/2-1/2", "the position was repeated")


COUNTS = [yf.perft(yf.Board(), depth) for depth in range(5)]


@pytest.mark.parametrize("options", [(), ("--threads", "2"), ("-t", "2", "--hash", "4"), ("--plain",)])
def test_perft(options: tuple[str, ...]) -> None:
    lines = output("perft", "4", *options).splitlines()
    assert lines[0].split() == ["depth", "leaves", "seconds", "leaves/s"]
    assert [line.split()[:2] for line in lines[1:]] == [[str(depth), f"{COUNTS[depth]:,}"] for depth in range(1, 5)]
    found = json_output("perft", "4", *options)
    assert set(found) == {"rules", "yfen", "depths"}
    assert [(row["depth"], row["leaves"]) for row in found["depths"]] == list(enumerate(COUNTS))[1:]
    assert all(set(row) == {"depth", "leaves", "seconds"} and row["seconds"] >= 0 for row in found["depths"])


def test_perft_of_a_position() -> None:
    board = yf.Board(WON_SOON, yf.Rules(bonus_turn=True))
    found = json_output("perft", "2", "--rules", "yote+bonus_turn", "--yfen", WON_SOON)
    assert (found["rules"], found["yfen"]) == ("yote+bonus_turn", WON_SOON)
    assert [row["leaves"] for row in found["depths"]] == [yf.perft(board, 1), yf.perft(board, 2)]
    assert [row["leaves"] for row in json_output("perft", "0")["depths"]] == [1]


@pytest.mark.parametrize("options", [(), ("--threads", "2"), ("--hash", "4", "--plain")])
def test_divide(options: tuple[str, ...]) -> None:
    board = yf.Board()
    board.push_text("@c3")
    parts = {str(move): leaves for move, leaves in yf.divide(board, 2).items()}
    total = sum(parts.values())
    text = output("divide", "2", "-m", "@c3", *options)
    lines = [f"{move}: {leaves}" for move, leaves in parts.items()]
    assert text.splitlines() == [*lines, "", f"{len(parts)} moves, {total} leaves"]
    assert json_output("divide", "2", "-m", "@c3", *options) == {
        "rules": "yote",
        "yfen": board.yfen(),
        "depth": 2,
        "leaves": total,
        "moves": parts,
    }


def test_analyse() -> None:
    board = yf.Board(WON_SOON)
    text = output("analyse", "--yfen", WON_SOON, "--depth", "5")
    assert text.startswith(str(board))
    depths = re.findall(r"^ +(\d+)  \S.* [\d.]+s  \S", text, re.MULTILINE)
    assert depths == ["1", "2", "3"]
    best = re.search(r"^best move (\S+)  \(depth 3, win in 3, .*: \1 \S+ \S+\)$", text, re.MULTILINE)
    assert best
    found = json_output("analyse", "--yfen", WON_SOON, "--depth", "5")
    assert set(found) == {
        "rules", "yfen", "best_move", "score", "pv", "depth", "seldepth", "nodes", "nps", "time", "hashfull", "tbhits"
    }  # fmt: skip
    assert (found["score"], found["best_move"], found["depth"]) == ({"win_in": 3}, best[1], 3)
    for move in found["pv"]:
        board.push_text(move)
    assert board.result() == "1-0"


@pytest.mark.parametrize(
    ("options", "check"),
    [
        (("--depth", "3"), lambda found: found["depth"] == 3),
        (("--nodes", "500"), lambda found: found["nodes"] <= 500),
        (("--time", "0.05"), lambda found: found["depth"] >= 1),
        (("--depth", "3", "--hash", "1"), lambda found: found["hashfull"] <= 1000),
        (("--nodes", "1"), lambda found: found["score"] is None and found["best_move"] == found["pv"][0]),
        (("--depth", "2", "-r", "heroes+friendly_leap", "-m", "R@a1 @b2"), lambda found: found["rules"] == "heroes+friendly_leap"),
        ((), lambda found: found["time"] > 0.5 and set(found["score"]) == {"hundredths"}),
    ],
)
def test_options_of_analyse(options: tuple[str, ...], check: Any) -> None:
    found = json_output("analyse", *options)
    assert check(found), found
    assert found["best_move"] in json_output("show", "-r", found["rules"], "-y", found["yfen"])["legal_moves"]


def test_scores_of_lost_positions() -> None:
    found = json_output("analyse", "-r", "yote+rows=2+cols=2+pieces=4", "-y", "C1/cc w 0/0", "--depth", "4")
    assert found["score"] == {"loss_in": 2}


@pytest.mark.slow
def test_bench() -> None:
    found = json.loads(yote("bench", "--json", timeout=600).stdout)
    assert found["build"] == yf.build_info()
    assert len(found["cases"]) >= 5
    assert all(case["counted"] == case["leaves"] for case in found["cases"])
    table = yote("bench", timeout=600)
    assert (table.status, table.stderr) == (0, "")
    assert "WRONG" not in table.stdout
    assert len(table.stdout.splitlines()) == 5 + len(found["cases"])
    assert found["search"]["nodes"] == signature.SIGNATURE


# Bad input ------------------------------------------------------------------------------------------------------------------------

REFUSED: list[tuple[list[str], str]] = [
    (["shoe"], "No such command 'shoe'"),
    (["--verbose"], "No such option"),
    (["show", "--depth", "3"], "No such option"),
    (["show", "c3"], "unexpected extra argument"),
    (["show", "--yfen", "6/6/6/6/6", "w", "12/12"], "Positions and moves need quotes"),
    (["show", "--moves", "@c3", "@c4"], 'as in --yfen "6/6/6/6/6 w 12/12" --moves "@c3 @c4". Try'),
    (["solve", "--yfen", "6/6/6/6/6 w 12/12"], "No such option '--yfen'. The position stands there without an option"),
    (["tablebase", "build"], "Give either --pieces N"),
    (["tablebase", "build", "--pieces", "3", "--start"], "Give either --pieces N"),
    (["show", "--rules"], "requires an argument"),
    (["show", "--rules", "checkers"], "unknown rules 'checkers': expected one of yote, choko"),
    (["show", "--rules", "yote+rows=99"], "rows must be 2 to 18, not 99"),
    (["show", "--rules", "yote+rows=9+cols=9"], "81 squares; at most 36"),
    (["show", "--rules", "choko+chain_capture"], "chain_capture is not allowed together with drop_initiative"),
    (["show", "--rules", ""], "unknown rules ''"),
    (["show", "--yfen", "nonsense"], "field YFEN"),
    (["show", "--yfen", ""], "field YFEN"),
    (["show", "--yfen", "6/6/6/6/5 w 12/12"], "field BOARD: row 1 has 5 squares, expected 6"),
    (["show", "--yfen", "6/6/6\n/6/6 w 12/12"], "field BOARD: row 3"),
    (["show", "--moves", "@c3 c3-c4"], "c3-c4 is not legal in 6/6/2C3/6/6 b 11/12"),
    (["show", "--moves", "@c3 nonsense"], "invalid action 'nonsense'"),
    (["show", "--moves", "@z9"], "'z9' is not a square of the 5 x 6 board"),
    (["perft"], "Missing argument 'DEPTH'"),
    (["perft", "five"], "'five' is not a valid integer"),
    (["perft", "2.5"], "'2.5' is not a valid integer"),
    (["perft", "-1"], "depth must be 0 to 255, not -1"),
    (["perft", "256"], "depth must be 0 to 255, not 256"),
    (["perft", "3", "--threads", "0"], "threads must be 1 to 256, not 0"),
    (["perft", "3", "--threads", "1000"], "threads must be 1 to 256, not 1000"),
    (["perft", "3", "--threads", "-2"], "threads must be 1 to 256, not -2"),
    (["perft", "3", "--hash", "-1"], "hash_mb must be 0 to 1048576, not -1"),
    (["perft", "3", "4"], "unexpected extra argument (4). Try"),
    (["perft", "3", "--json", "--rules", "x"], "unknown rules 'x'"),
    (["perft", "3", "--fast"], "--fast"),
    (["divide", "0"], "depth must be 1 to 255, not 0"),
    (["divide", "-3"], "depth must be 1 to 255, not -3"),
    (["divide", "3", "--threads", "x"], "'x' is not a valid integer"),
    (["analyse", "--depth", "0"], "depth must be 1 to 128, not 0"),
    (["analyse", "--depth", "129"], "depth must be 1 to 128, not 129"),
    (["analyse", "--depth", "-1"], "depth must be 1 to 128, not -1"),
    (["analyse", "--nodes", "0"], "nodes must be 1 to"),
    (["analyse", "--nodes", str(2**70)], "nodes must be 1 to"),
    (["analyse", "--time", "0"], "time must be more than 0"),
    (["analyse", "--time", "-1"], "time must be more than 0"),
    (["analyse", "--time", "nan"], "time must be more than 0"),
    (["analyse", "--time", "inf"], "time must be more than 0"),
    (["analyse", "--time", "soon"], "'soon' is not a valid float"),
    (["analyse", "--hash", "0"], "hash_mb must be 1 to 1048576, not 0"),
    (["analyse", "--yfen", "6/6/6/6/C5 b 0/0"], "the game is over (1-0)"),
    (["analyse", "--yfen", "6/6/6/6/C5 b 0/0", "--json"], "the game is over (1-0)"),
    (["analyse", "--rules", "go"], "unknown rules 'go'"),
    (["bench", "7"], "unexpected extra argument"),
    (["match", "--games", "0"], "games must be"),
    (["match", "--first", "nobody", "--games", "2"], "nobody"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_bad_input(arguments: list[str], message: str) -> None:
    ended = yote(*arguments)
    assert ended.status == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("yote: ")
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.endswith("\n")
    assert message in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "--svg", "no/such/board.svg"], "no/such/board.svg: No such file or directory"),
        (["match", "--out", "no/such/games.ygn", "--games", "2"], "no/such/games.ygn: No such file or directory"),
        (["analyse", "--tablebase", "no/such"], "there is no folder no/such"),
        (["tablebase", "info", "--path", "no/such"], "there are no tables in no/such; 'yote tablebase build' makes them"),
    ],
)
def test_missing_folders(arguments: list[str], message: str) -> None:
    ended = yote(*arguments)
    assert (ended.status, ended.stdout, ended.stderr) == (1, "", f"yote: {message}\n")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("yote an", ["analyse", "annotate"]),
        ("yote show --rules ch", ["choko", "challenges"]),
        ("yote solve --method g", ["graph"]),
        ("yote tablebase v", ["verify"]),
    ],
)
def test_completion(words: str, completed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_YOTE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert yote().stdout.split() == [f"plain,{word}" for word in completed]


def test_every_help_tells_exit_statuses() -> None:
    for command in [app, *app.commands.values()]:
        assert "130 interrupted by Ctrl-C" in " ".join(command.get_help(click.Context(command)).split())


def test_counts_too_large_end_after_those_that_fit() -> None:
    ended = yote("perft", "200", "--rules", "yote+rows=2+cols=2+pieces=1+repetition=0", "--hash", "1")
    assert ended.status == 2
    assert len(ended.stdout.splitlines()) > 50
    assert ended.stderr.count("\n") == 1
    assert "2**64 leaves or more" in ended.stderr


# Endings --------------------------------------------------------------------------------------------------------------------------


@needs_ctrl_c
def test_ctrl_c_in_analyse_prints_the_best_line_so_far() -> None:
    ended = interrupt("-m", "yote_fast", "analyse", "--time", "60", ready="    5  ")
    assert (ended.status, ended.stderr.strip()) == (130, "")
    lines = ended.stdout.splitlines()
    last = lines[-1]
    assert last.startswith("best move @")
    depth, line = lines[-3].split()[0], lines[-3].split("s  ")[1]
    assert f"(depth {depth}, " in last
    assert last.endswith(f": {line})")
    assert ended.seconds < PROMPTLY


@needs_ctrl_c
def test_ctrl_c_in_analyse_for_programs() -> None:
    ended = interrupt("-m", "yote_fast", "analyse", "--time", "60", "--json", ready="", delay=2)
    assert (ended.status, ended.stderr.strip()) == (130, "")
    assert json.loads(ended.stdout)["depth"] >= 1
    assert ended.seconds < PROMPTLY


@needs_ctrl_c
@pytest.mark.parametrize("options", [(), ("--threads", "2"), ("--hash", "16", "--plain")])
def test_ctrl_c_in_perft(options: tuple[str, ...]) -> None:
    ended = interrupt("-m", "yote_fast", "perft", "12", *options, ready="    4  ")
    assert (ended.status, ended.stderr.strip()) == (130, "")
    assert re.search(r"^ +4 +823,848 ", ended.stdout, re.MULTILINE)
    assert ended.seconds < PROMPTLY


@needs_ctrl_c
@pytest.mark.parametrize(
    ("arguments", "ready", "delay"), [(["divide", "11"], "", 2.0), (["bench"], "position", 0.3), ([], "Analysis", 0.3)]
)
def test_ctrl_c_elsewhere(arguments: list[str], ready: str, delay: float) -> None:
    ended = interrupt("-m", "yote_fast", *arguments, ready=ready, delay=delay)
    assert (ended.status, ended.stderr.strip()) == (130, "")
    assert ended.seconds < PROMPTLY


@pytest.mark.skipif(os.name != "posix", reason="closes a pipe")
@pytest.mark.parametrize("arguments", [["perft", "8"], ["analyse", "--time", "20"], ["bench"]])
def test_a_reader_that_leaves(arguments: list[str]) -> None:
    with start("-m", "yote_fast", *arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


# These print all at once, perhaps before a reader that is there could leave.
@pytest.mark.skipif(os.name != "posix", reason="closes a pipe")
@pytest.mark.parametrize("arguments", [["show"], ["divide", "3"]])
def test_a_reader_that_was_never_there(arguments: list[str]) -> None:
    with start("-m", "yote_fast", *arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="writes to a full device")
def test_an_output_that_is_full() -> None:
    with open("/dev/full", "wb") as full:
        ended = run("-m", "yote_fast", "show", stdout=full)
    assert ended.status == 1
    assert ended.stderr.count("\n") == 1
    assert "No space left" in ended.stderr
