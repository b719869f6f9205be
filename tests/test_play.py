"""Playing against the engine on the command line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from shell import PROMPTLY, Ended, needs_ctrl_c, run, start

import yote_fast as yf
from yote_fast.play_command import MOST_LISTED

SMALL = ["--rules", "yote+rows=3+cols=4+pieces=4"]


def play(*lines: str, options: list[str] | None = None) -> Ended:
    """Enter lines, and leave by the end of the input."""
    chosen = ["--depth", "2", *SMALL] if options is None else options
    return run("-m", "yote_fast", "play", *chosen, given="".join(f"{line}\n" for line in lines).encode())


def output(*lines: str, options: list[str] | None = None) -> str:
    ended = play(*lines, options=options)
    assert (ended.status, ended.stderr) == (0, "")
    assert "\x1b" not in ended.stdout
    return ended.stdout


def test_a_game_to_its_end() -> None:
    text = output("c3xc5/*", "@a1", "moves", "hint", options=["--yfen", "6/2c3/2C3/6/6 w 1/1", "--depth", "2"])
    assert "Game over, you win: a side has no pieces left.\ngame over> The game is over: undo, save FILE or quit.\n" in text
    assert "game over> 0 moves.\ngame over> The game is over.\n" in text


def test_the_engine_answers() -> None:
    text = output("@c3")
    board = yf.Board(rules=yf.Rules.parse(SMALL[1]))
    assert str(board) in text
    board.push_text("@c3")
    assert str(board) in text
    answer = re.search(r"^black plays (\S+)  \([-+][0-9.]+, depth 2\)$", text, re.MULTILINE)
    assert answer
    board.push_text(answer[1])
    assert str(board) in text
    assert text.endswith("white> \n")


def test_black() -> None:
    text = output("@d3", "undo", "undo", options=["--color", "black", "--depth", "1", *SMALL])
    assert text.startswith("You play black, rules yote+rows=3+cols=4+pieces=4.")
    assert text.count("white plays @") == 2
    assert "There is no move of yours to take back." in text
    # Seen from Black's side.
    assert "\n1  . . . .\n2  . . . .\n3  . . . .\n   d c b a\n" in text


def test_the_engine_may_move_several_times() -> None:
    # The engine has all the rest of the turn, and a person too.
    text = output("=a1b2", "@c3", "--", options=["--rules", "challenges", "--depth", "1"])
    assert "white> \n3" not in text
    assert "this turn: route placed" in text
    assert len(re.findall("^black plays", text, re.MULTILINE)) >= 1


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("c3-c2", ["white> c3-c2 is not legal in 3/3/3 w 4/4\n", "Enter moves for the legal ones, help for more."]),
        ("@c", ["invalid action '@c': expected a form such as @c3,", "Legal moves that begin so: @c1 @c2 @c3\n"]),
        ("@", ["Legal moves that begin so: @a1 @b1 @c1 @a2 @b2 @c2 @a3 @b3 @c3\n"]),
        ("resign", ["invalid action 'resign'", "Enter moves for the legal ones"]),
        ("@a1 @a2", ["invalid action '@a1 @a2'"]),
        ("undo", ["There is no move of yours to take back."]),
        ("flip over", ["flip takes nothing behind it, but got 'over'."]),
        ("save", ["Enter the name of a new file behind save."]),
        ("save /no/such/place", ["The game was not saved: ", "No such file or directory"]),
        ("moves", ["9 moves: @a1 @b1 @c1 @a2 @b2 @c2 @a3 @b3 @c3\n"]),
        ("moves @c", ["3 moves: @c1 @c2 @c3\n"]),
        ("moves x", ["0 moves.\n"]),
        ("help", ["a move ", "moves [TEXT]", "quit "]),
        ("\xff\xfe", ["invalid action"]),
        ("", []),
    ],
)
def test_what_is_said(line: str, answers: list[str]) -> None:
    text = output(line, "@a1", options=["--rules", "yote+rows=3+cols=3+pieces=4", "--depth", "1"])
    for answer in answers:
        assert answer in text
    # And the game goes on.
    assert "black plays " in text


def test_many_similar_moves_are_cut() -> None:
    # Chains, each with any set of enemy pieces that are removed besides.
    options = ["--rules", "yote+rows=6+cols=6+pieces=20+chain_capture", "--depth", "1"]
    board = yf.Board("cccccc/cccccc/1c1c2/2c3/2C3/6 w 0/0", yf.Rules.parse(options[1]))
    moves = [str(move) for move in board.legal_moves if str(move).startswith("c2x")]
    assert len(moves) > MOST_LISTED
    text = output("c2x", options=[*options, "--yfen", board.yfen()])
    assert f"Legal moves that begin so: {' '.join(moves[:MOST_LISTED])} and {len(moves) - MOST_LISTED} more\n" in text


def test_bytes_that_are_no_text() -> None:
    ended = run("-m", "yote_fast", "play", *SMALL, "--depth", "1", given=b"\xff\xfe\n@a1\n")
    assert (ended.status, ended.stderr) == (0, "")
    assert "black plays " in ended.stdout


def test_hint() -> None:
    board = yf.Board(rules=yf.Rules.parse(SMALL[1]))
    found = re.search(r"white> (\S+)  \([-+][0-9.]+, depth 2\); then \S+\n", output("hint"))
    assert found
    assert board.parse(found[1]) in board.legal_moves


def test_undo() -> None:
    text = output("@c3", "undo", "moves")
    assert text.count(str(yf.Board(rules=yf.Rules.parse(SMALL[1])))) == 2
    assert "white> 12 moves:" in text


def test_flip() -> None:
    text = output("flip", "board", "flip")
    assert text.count("   d c b a\n") == 2
    assert text.count("   a b c d\n") == 2


def test_save(tmp_path: Path) -> None:
    path = tmp_path / "my game.ygn"
    other = tmp_path / "other"
    other.write_text("precious", encoding="utf-8")
    text = output(f"save {path}", "@c3", f"save {path}", f"save {other}", "quit", "nothing more is read")
    assert text.count(f"Saved to {path}.") == 2
    assert f"{other} is there already; choose another name." in text
    assert other.read_text(encoding="utf-8") == "precious"
    with path.open("rb") as file:
        game = yf.game.read(file)
        assert game is not None
        assert yf.game.read(file) is None
    assert game.errors == []
    assert game.headers["White"] == "you"
    assert game.headers["Black"] == f"yote_fast {yf.__version__}"
    moves = [str(move) for move in game.mainline_moves()]
    assert moves[0] == "@c3"
    assert f"black plays {moves[1]} " in text
    assert "nothing" not in text


def test_save_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME" if os.name == "posix" else "USERPROFILE", str(tmp_path))
    output("save ~/game.ygn")
    assert (tmp_path / "game.ygn").exists()


def test_positions_and_moves_to_begin_with() -> None:
    options = ["--yfen", "6/2c3/2C3/6/6 b 3/3", "--moves", "@a1", "--depth", "1"]
    board = yf.Board(options[1])
    board.push_text("@a1")
    assert str(board) in output(options=options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rules", "chess"], "unknown rules 'chess'"),
        (["--yfen", "x"], "field YFEN"),
        (["--color", "red"], "'red' is not one of 'white', 'black'"),
        (["--time", "0"], "time must be more than 0"),
        (["--depth", "999"], "depth must be 1 to 128, not 999"),
        (["--hash", "0"], "hash_mb must be 1 to"),
    ],
)
def test_bad_options(options: list[str], message: str) -> None:
    ended = play(options=options)
    assert (ended.status, ended.stdout) == (2, "")
    assert ended.stderr.startswith("yote: ")
    assert ended.stderr.count("\n") == 1
    assert message in ended.stderr


@needs_ctrl_c
def test_ctrl_c() -> None:
    """While the engine thinks, it makes the engine move; else, it ends the program."""
    with start("-m", "yote_fast", "play", "--time", "100", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"@c3\n")
        seen = b""
        while b"black to move" not in seen:
            seen += process.stdout.readline()
        time.sleep(1)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        while b"black plays " not in seen:
            seen += process.stdout.readline()
        assert time.monotonic() - started < PROMPTLY
        while b"white to move; in hand: white 11, black 11" not in seen:
            seen += process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors.strip()) == (130, b"")
    assert output.endswith(b"white> \n")
