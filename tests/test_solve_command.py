"""``yote solve``: what it prints, how it refuses, and how it ends."""

from __future__ import annotations

import dataclasses

import pytest
from shell import PROMPTLY, interrupt, needs_ctrl_c
from test_cli import json_output, output, yote

import yote_fast as yf
from yote_fast.solve_command import Progress, _progress_line

WON_IN_7 = "c5/2C3/6/6/6 w 1/0"


def test_solve() -> None:
    board = yf.Board(WON_IN_7)
    text = output("solve", WON_IN_7)
    assert text.startswith(f"{board}\n\n{WON_IN_7}\nrules: yote\n\nwin in 7: c4-c5 a5-a4 @a2 a4-b4 a2-a3 b4-c4 c5xc3\n")
    assert "25,721 positions, for the side to move:\n           14,624 won, in 67 plies at most\n" in text
    assert "                0 drawn\n           11,097 lost, in 68 plies at most\n" in text
    assert "\nmoves:\n  win in 7    c4-c5\n  win in 15   c4-d4\n" in text
    assert "\n  loss in 2   @a4 @b5\n" in text
    assert text.splitlines()[-1].startswith("proved by the whole graph: 25,")


def test_solve_for_programs() -> None:
    solution = yf.solve(yf.Board(WON_IN_7))
    assert solution.counts is not None
    found = json_output("solve", WON_IN_7)
    assert found.pop("time") > 0
    assert found == {
        "rules": "yote",
        "yfen": WON_IN_7,
        "value": "win",
        "distance": 7,
        "pv": list(map(str, solution.pv)),
        "method": "graph",
        "reason": None,
        "moves": {str(move): {"value": str(result.value), "distance": result.distance} for move, result in solution.moves.items()},
        "counts": dataclasses.asdict(solution.counts),
        "nodes": solution.nodes,
    }


def test_boards() -> None:
    found = json_output("solve", "--rules", "choko", "--rows", "3", "--cols", "3", "--pieces", "3")
    assert (found["rules"], found["yfen"]) == ("choko+rows=3+cols=3+pieces=3", "3/3/3 w 3/3")
    assert (found["value"], found["distance"], found["counts"]["positions"]) == ("draw", 0, 13_162)
    assert json_output("solve", "-r", "choko+rows=3+cols=3+pieces=3")["counts"] == found["counts"]
    after = json_output("solve", "-r", "choko+rows=3+cols=3+pieces=3", "--moves", "@b2")
    assert after["yfen"] == "3/1C1/3 b 2/3 !"
    assert after["value"] == found["moves"]["@b2"]["value"]


def test_not_proved() -> None:
    found = json_output("solve", "--nodes", "2000")
    assert (found["value"], found["distance"], found["pv"], found["moves"], found["counts"]) == (None, None, [], {}, None)
    assert "too many for a graph in 2,048 MB; no win or loss within " in found["reason"]
    text = output("solve", "--rows", "3", "--cols", "3", "--memory", "1", "--pieces", "9", "--method", "graph", "--nodes", "9")
    assert "\nnot proved: the limit was reached in the graph, at " in text
    assert text.splitlines()[-1].startswith("tried: ")
    text = output("solve", WON_IN_7, "--method", "search", "--depth", "6", "--time", "60")
    assert "\nnot proved: no win or loss within 6 plies\n" in text


def test_finished_games() -> None:
    assert output("solve", "6/6/6/6/C5 b 0/0").endswith("\nloss in 0\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "invalid position, field YFEN"),
        (["3/3/3 w 2/2"], "field BOARD: it has 3 rows, expected 5"),
        (["--rows", "1"], "rows must be 2 to 18, not 1"),
        (["--rows", "7"], "42 squares; at most 36"),
        (["--pieces", "0"], "pieces must be 1 to 20, not 0"),
        (["--pieces", "x"], "'x' is not a valid integer"),
        (["--rules", "go"], "unknown rules 'go'"),
        (["--time", "0"], "time must be more than 0"),
        (["--nodes", "0"], "nodes must be 1 to"),
        (["--depth", "129"], "depth must be 1 to 128"),
        (["--memory", "0"], "memory_mb must be 1 to 1048576, not 0"),
        (["--method", "magic"], "'magic' is not one of 'auto', 'graph', 'search'"),
        (["--moves", "@z9"], "'z9' is not a square"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(arguments: list[str], message: str) -> None:
    ended = yote("solve", *arguments)
    assert (ended.status, ended.stdout) == (2, "")
    assert ended.stderr.startswith("yote: ")
    assert ended.stderr.count("\n") == 1
    assert message in ended.stderr


@needs_ctrl_c
@pytest.mark.parametrize("method", ["graph", "search"])
def test_ctrl_c(method: str) -> None:
    ended = interrupt("-m", "yote_fast", "solve", "--rows", "4", "--cols", "4", "--method", method, "--time", "60", ready="rules: ")
    assert ended.status == 130
    assert ended.stderr.strip() == (
        "yote: interrupted, nothing is proved; a build of tables keeps what it has done: "
        "yote tablebase build --start --rules yote+rows=4+cols=4"
    )
    assert ended.stdout.endswith("\nrules: yote+rows=4+cols=4\n")
    assert ended.seconds < PROMPTLY


def test_lines_about_the_progress() -> None:
    began = Progress("exploring", 0, 0, 0, 0, 0.0)
    assert _progress_line(Progress("exploring", 12_000, 0, 0, 9_000, 3.0), began) == (
        "exploring the graph: 12,000 positions up to symmetry, 3,000 nodes/s, 3 s"
    )
    began = Progress("solving", 12_000, 0, 0, 12_000, 5.0)
    assert _progress_line(began, began) == "solving 12,000 positions, 5 s"
    assert _progress_line(Progress("solving", 12_000, 3_000, 0, 15_000, 6.0), began) == (
        "solving 12,000 positions, 3,000 nodes/s, 6 s"
    )
    began = Progress("searching", 0, 0, 1, 0, 0.0)
    assert _progress_line(Progress("searching", 0, 0, 9, 8_000_000, 4.0), began) == (
        "searching for a win within 9 plies: 8,000,000 nodes, 2,000,000 nodes/s, 4 s"
    )
