"""Comments of the engine on games, in Python and on the command line."""

from __future__ import annotations

import io
import re
import signal
import time
from pathlib import Path

import pytest
from shell import PROMPTLY, Ended, needs_ctrl_c, run, start

import yote_fast as yf
from yote_fast.annotate import annotate, annotator
from yote_fast.game import Game, read

LIMIT = yf.Limit(depth=5)
BLUNDER = '[YFEN "6/6/C5/6/cCC3 w 0/0"]\n\n1. c1-c2 {hm} a1-a2 {so} 1-0\n\n'
"""White could have won at once."""


def games_of(text: str | bytes) -> list[Game]:
    file = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    return list(iter(lambda: read(file), None))


def annotated(text: str, limit: yf.Limit = LIMIT) -> Game:
    (game,) = games_of(text)
    annotate(game, yf.Engine(hash_mb=1), limit)
    return game


# In Python ------------------------------------------------------------------------------------------------------------------------


def test_scores() -> None:
    game = annotated("1. @c3 {my move} @c4 2. @a1 c4xc2/a1 *")
    board = game.board()
    for node in game.mainline():
        assert node.move is not None
        board.push(node.move)
        found = re.match(r"([-+][0-9.]+)/5(; my move)?$", node.comment)
        assert found, node.comment
        score = yf.analyse(board, LIMIT).score
        assert score is not None
        # The same search, but for what its table had learned.
        assert abs(float(found[1]) - score.white().value / 100) < 0.6
    first = game.next()
    assert first is not None
    assert first.comment.endswith("; my move")
    assert game.headers["Annotator"] == annotator(LIMIT) == f"yote_fast {yf.__version__} depth=5"


def test_blunders() -> None:
    game = annotated("1. @c3 @c4 2. @a1?! c4xc2/a1 3. @d2 @f5 *")
    marks = {str(node.move): node.nags for node in game.mainline()}
    # White does not take, and loses two men; Black takes; Black does not take any more, and lets a man be taken.
    assert marks["@a1"] == {6}
    assert marks["c4xc2/a1"] == set()
    assert marks["@c4"] <= {2, 4}
    assert marks["@c4"]
    alternatives = {
        str(node.move): [str(other.move) for other in node.parent.variations[1:]] for node in game.mainline() if node.parent
    }
    assert alternatives["@a1"] == ["c3xc5"] or alternatives["@a1"][0].startswith("c3xc5")
    assert alternatives["c4xc2/a1"] == []


def test_proven_results() -> None:
    game = annotated(BLUNDER)
    first, last = game.mainline()
    (best, *_), info = [first.parent.variations[1]], yf.analyse(game.board(), LIMIT)  # type: ignore[union-attr]
    assert best.move == info.pv[0]
    assert best.end().comment == "white wins in 3"
    assert [move for move in [best.move, *best.mainline_moves()] if move] == info.pv
    assert last.comment.endswith("; so")


def test_finished_games() -> None:
    game = annotated('[YFEN "6/2c3/2C3/6/6 w 1/1"]\n1. c3xc5/* 1-0')
    (node,) = game.mainline()
    assert (node.comment, node.nags, len(game.variations)) == ("", set(), 1)
    assert annotated("*").headers["Annotator"]


def test_points_of_both_sides() -> None:
    # The same game with sides changed has the same marks.
    white = annotated('[YFEN "6/2c3/2C3/6/6 w 9/9"]\n1. @a1 @a2 *')
    black = annotated('[YFEN "6/2C3/2c3/6/6 b 9/9"]\n1... @a1 2. @a2 *')
    assert [node.nags for node in white.mainline()] == [node.nags for node in black.mainline()]
    assert next(white.mainline()).nags == {4}
    for one, other in zip(white.mainline(), black.mainline(), strict=True):
        assert float(one.comment.split("/")[0]) == -float(other.comment.split("/")[0])


def test_a_second_look_takes_the_place_of_the_first() -> None:
    game = annotated(BLUNDER)
    text = str(game)
    annotate(game, yf.Engine(hash_mb=1), LIMIT)
    assert str(game) == text


def test_progress() -> None:
    (game,) = games_of(BLUNDER)
    seen: list[tuple[int, int]] = []
    annotate(game, yf.Engine(hash_mb=1), LIMIT, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_games_without_a_start() -> None:
    (game,) = games_of('[Rules "chess"]\n1. e4 *')
    with pytest.raises(yf.InvalidRulesError):
        annotate(game, yf.Engine(hash_mb=1), LIMIT)


# The command ----------------------------------------------------------------------------------------------------------------------


def command(*arguments: str, given: bytes | None = None) -> Ended:
    return run("-m", "yote_fast", "annotate", *arguments, given=given)


def test_to_stdout(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    path.write_text(2 * BLUNDER, encoding="utf-8")
    ended = command(str(path), "--depth", "5", "--hash", "1")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout == 2 * f"{annotated(BLUNDER)}\n\n"
    assert path.read_text(encoding="utf-8") == 2 * BLUNDER
    assert command("-", "--depth", "5", "--hash", "1", given=(2 * BLUNDER).encode()).stdout == ended.stdout


def test_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    path.write_text(BLUNDER, encoding="utf-8")
    assert command(str(path), "--depth", "5", "--hash", "1", "--out", str(path)).status == 0
    text = path.read_text(encoding="utf-8")
    assert text == f"{annotated(BLUNDER)}\n\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.ygn"]
    # With the same limit, there is nothing left to do.
    marked = text.replace("hm", "ah")
    path.write_text(marked, encoding="utf-8")
    assert command(str(path), "--depth", "5", "--out", str(path)).status == 0
    assert path.read_text(encoding="utf-8") == marked


@pytest.mark.parametrize("options", [["--time", "0.01"], ["--nodes", "500"], ["--depth", "3", "--nodes", "500"], []])
def test_limits(options: list[str]) -> None:
    ended = command("-", *options, given=b"1. @c3 *")
    assert ended.status == 0
    (game,) = games_of(ended.stdout)
    names = " ".join(f"{name[2:]}={value}" for name, value in zip(options[::2], options[1::2], strict=True)) or "time=0.5"
    assert sorted(game.headers["Annotator"].split()[2:]) == sorted(names.split())


def test_broken_games_are_told_of_and_the_others_annotated() -> None:
    data = b'1. @c3 @c3 *\n\n[Rules "chess"]\n1. e4 *\n\n[White "S\xe9n"]\n1. @c3 *\n'
    ended_bytes = b""
    with start("-m", "yote_fast", "annotate", "-", "--depth", "2", stdin=-1) as process:
        ended_bytes, errors = process.communicate(data, timeout=60)
    assert process.returncode == 1
    assert errors.decode().splitlines() == [
        "yote: <stdin>, line 1, column 8: @c3 is not legal in 6/6/2C3/6/6 b 11/12",
        "yote: <stdin>, line 3, column 2: the tag Rules: unknown rules 'chess': expected one of yote, choko, heroes, challenges",
        "yote: <stdin>, line 6, column 10: byte 0xe9 is not UTF-8",
    ]
    assert b'[White "S\xe9n"]' in ended_bytes
    assert len(games_of(ended_bytes)) == 3


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "Missing argument 'FILE'"),
        (["/no/such/file"], 2, "No such file or directory"),
        (["-", "--depth", "0"], 2, "depth must be 1 to 128, not 0"),
        (["-", "--time", "-1"], 2, "time must be more than 0"),
        (["-", "--out", "/no/such/place", "--depth", "1"], 1, "No such file or directory"),
    ],
)
def test_bad_input(arguments: list[str], status: int, message: str) -> None:
    ended = command(*arguments, given=b"1. @c3 *")
    assert (ended.status, ended.stdout) == (status, "")
    assert ended.stderr.startswith("yote: ")
    assert ended.stderr.count("\n") == 1
    assert message in ended.stderr


def test_files_in_utf16() -> None:
    ended = command("-", given="1. @c3 *".encode("utf-16"))
    assert (ended.status, ended.stderr) == (2, "yote: line 1, column 1: the file is UTF-16; it must be UTF-8\n")


@needs_ctrl_c
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    path.write_text("1. @c3 *\n\n1. @c3 @c4 2. @a1 *\n", encoding="utf-8")
    out = tmp_path / "out.ygn"
    with start("-m", "yote_fast", "annotate", str(path), "--time", "1", "--out", str(out)) as process:
        # Two positions in the first game, four in the second.
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        output, errors = process.communicate(timeout=60)
    assert time.monotonic() - pressed < PROMPTLY
    assert (process.returncode, output) == (130, b"")
    assert errors == b"yote: interrupted, 1 of 2 games are annotated\n"
    first, second = games_of(out.read_bytes())
    assert "Annotator" in first.headers
    assert "Annotator" not in second.headers
    assert len(list(second.mainline())) == 3
