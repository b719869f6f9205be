"""Positions on terminals: from both sides, and colors where they belong."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import run
from strategies import rules, setups

import yote_fast as yf
from yote_fast.notation import format_yfen
from yote_fast.terminal import can_show_color, draw


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
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "wb") as end:
        assert run("-m", "yote_fast", "show", *arguments, stdout=end).status == 0
    with os.fdopen(ours, "rb") as end:
        return end.read1(100_000).decode().replace("\r\n", "\n")


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
