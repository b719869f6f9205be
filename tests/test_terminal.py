"""Terminals: positions from both sides, colors where they belong, tables and progress that change."""

from __future__ import annotations

import io
import os
import re
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import run, start
from strategies import rules, setups

import yote_fast as yf
from yote_fast.notation import format_yfen
from yote_fast.output import Status, duration
from yote_fast.terminal import can_show_color, draw

CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "stream", "colors"),
    [
        ({"TERM": "xterm"}, Terminal(), True),
        ({"TERM": "xterm", "NO_COLOR": ""}, Terminal(), True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, Terminal(), False),
        ({"TERM": "dumb"}, Terminal(), False),
        ({"TERM": "xterm"}, io.StringIO(), False),
    ],
)
def test_where_colors_are_shown(
    environment: dict[str, str], stream: io.StringIO, colors: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert can_show_color(stream) == colors


@given(data=st.data())
def test_colors_change_nothing_else(data: st.DataObject) -> None:
    mix = data.draw(rules())
    board = yf.Board(format_yfen(data.draw(setups(mix)), mix), mix)
    assert draw(board) == str(board)
    assert "\x1b" in draw(board, color=True)
    for orientation in (yf.WHITE, yf.BLACK):
        plain = draw(board, orientation=orientation)
        assert click.unstyle(draw(board, orientation=orientation, color=True)) == plain


def test_the_other_side() -> None:
    board = yf.Board("6/2C3/3c2/6/6 w 11/11")
    assert draw(board, orientation=yf.BLACK).splitlines()[:6] == [
        "1  . . . . . .",
        "2  . . . . . .",
        "3  . . c . . .",
        "4  . . . C . .",
        "5  . . . . . .",
        "   f e d c b a",
    ]


def test_the_last_move_stands_out() -> None:
    board = yf.Board("6/2c3/2C3/6/1c4 w 8/7")
    move = board.push_text("c3xc5/b1")
    text = draw(board, lastmove=move, color=True)
    assert text.count("\x1b[7m") == 1
    # The square left, and the one of the piece removed besides; that of the piece jumped lies between.
    assert text.count("\x1b[33m") == 2


def show(*arguments: str, terminal: bool = False) -> str:
    """What ``yote show`` prints to a pipe, or to a terminal."""
    if not terminal:
        return run("-m", "yote_fast", "show", *arguments).stdout
    return on_terminal("-m", "yote_fast", "show", *arguments)


def on_terminal(*arguments: str) -> str:
    """What Python with these arguments prints to a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    printed = b""
    with os.fdopen(theirs, "wb") as end:
        process = start(*arguments, stdout=end)
    with process:
        # A terminal holds little: who prints waits for a reader. It has an error for an end.
        with suppress(OSError):
            while piece := os.read(ours, 1 << 16):
                printed += piece
        assert process.wait(60) == 0
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


def screens(text: str) -> list[str]:
    """What a terminal showed, from one change to the next, without colors."""
    return [CODES.sub("", part) for part in re.split(r"(?:\r?\x1b\[(?:2K|1A))+", text)]


@pytest.mark.parametrize(("several", "rows"), [([], 5), (["--multipv", "3"], 3)])
def test_analysis_is_a_table_that_changes(several: list[str], rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    arguments = ["-m", "yote_fast", "analyse", "--depth", "5", *several]
    text = on_terminal(*arguments)
    *changes, last = screens(text)
    assert len(changes) >= 4
    table, best = last.split("\n\n", 1)
    header, *lines = table.splitlines()
    assert header.split() == ["depth", "score", "nodes", "time", "line"]
    assert len(lines) == rows
    assert lines[-1].split()[0] == "5"
    assert max(map(len, [header, *lines])) <= 40
    assert best.startswith("best move ")
    # A pipe gets the same depths and scores, a line for each.
    piped = run(*arguments).stdout
    assert "\x1b" not in piped
    assert lines[0].split()[:2] in [line.split()[:2] for line in piped.splitlines()]
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in on_terminal(*arguments)


STATUS = """
import sys, time
from yote_fast import output
output.STATUS_AFTER = 0
with output.Status() as show:
    time.sleep(0.01)
    for share in (0.0, 0.5):
        show(f"weighing camels, 3 a second, {share}, and much more than there is room for", share)
        time.sleep(0.3)
    show.clear()
    print("result", file=sys.stderr)
"""


def test_progress_is_a_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    text = on_terminal("-c", f"import os, sys\nos.dup2(1, 2)\n{STATUS}")
    *changes, last = screens(text)
    assert any(re.search(r"50%, \d+ s left weigh", change) for change in changes)
    assert max(len(line) for change in changes for line in change.splitlines()) <= 40
    # Nothing of it is left.
    assert last == "result\n"
    monkeypatch.setenv("TERM", "dumb")
    assert on_terminal("-c", f"import os, sys\nos.dup2(1, 2)\n{STATUS}") == "result\n"


def test_progress_in_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter([0.0, 1.0, 11.0, 12.0, 25.0, 36.0])
    monkeypatch.setattr("yote_fast.output.time.monotonic", lambda: next(clock))
    with Status() as show:
        for share in (0.0, 0.25, 0.3, 0.5, None):
            show("weighing camels", share)
    assert capsys.readouterr().err == (
        " 25% weighing camels, about 30 s left\n 50% weighing camels, about 24 s left\nweighing camels\n"
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s"), (7260, "2 h 1 min")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain = show("--moves", "@c3 @d4")
    assert "\x1b" not in plain
    colored = show("--moves", "@c3 @d4", terminal=True)
    assert "\x1b" in colored
    assert click.unstyle(colored) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert show("--moves", "@c3 @d4", terminal=True) == plain


def test_show_as_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    ended = run("-m", "yote_fast", "show", "--moves", "@c3", "--svg", str(path))
    assert (ended.status, ended.stdout, ended.stderr) == (0, "", "")
    board = yf.Board()
    board.push_text("@c3")
    assert path.read_text(encoding="utf-8") == f"{yf.svg.board(board, lastmove=board.peek())}\n"
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert os.listdir(tmp_path) == ["board.svg"]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--svg", "no/such/place.svg"], 1, "No such file or directory"),
        (["--svg", "x.svg", "--json"], 2, "--svg and --json exclude each other"),
    ],
)
def test_pictures_that_cannot_be(arguments: list[str], status: int, message: str) -> None:
    ended = run("-m", "yote_fast", "show", *arguments)
    assert ended.status == status
    assert re.match(r"yote: .*\n\Z", ended.stderr)
    assert message in ended.stderr
