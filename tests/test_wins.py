"""Late positions of real games: what is won or lost within nine plies is found, and in how many."""

from __future__ import annotations

from typing import Any

import pytest
from cases import read_jsonl
from proofs import Proofs, ReferenceGame

import yote_fast as yf
from yote_fast import reference
from yote_fast.core import Searcher
from yote_fast.deepening import INFINITE
from yote_fast.rules import Rules

CASES = read_jsonl("wins.jsonl")
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rules']}: {case['yfen']}")


def score_of(case: dict[str, Any], turn: bool) -> yf.Score:
    return yf.Score.win(case["win_in"], turn=turn) if "win_in" in case else yf.Score.loss(case["loss_in"], turn=turn)


def test_the_cases_are_many() -> None:
    for rules in ("yote", "choko", "heroes", "challenges"):
        assert sum(case["rules"] == rules for case in CASES) >= 30
    assert {case.get("win_in", case.get("loss_in")) for case in CASES} == set(range(1, 10))


@each_case
def test_wins(case: dict[str, Any]) -> None:
    board = yf.Board(case["yfen"], Rules.parse(case["rules"]))
    expected = score_of(case, board.turn)
    with yf.Engine(hash_mb=4) as engine:
        info = engine.analyse(board, yf.Limit(depth=9))
    assert info.score == expected
    assert len(info.pv) == (expected.win_in or expected.loss_in)
    for move in info.pv:
        board.push(move)
    assert board.result() in ("1-0", "0-1")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[::10], ids=lambda case: f"{case['rules']}: {case['yfen']}")
def test_more_lines_and_depth_change_nothing(case: dict[str, Any]) -> None:
    """An analysis of one line ends at the depth of the win, one of two lines goes on for the second."""
    board = yf.Board(case["yfen"], Rules.parse(case["rules"]))
    expected = score_of(case, board.turn)
    told: list[yf.Info] = []
    with yf.Engine(hash_mb=4) as engine:
        lines = engine.analyse(board, yf.Limit(depth=11), multipv=2, on_info=told.append)
    assert lines[0].score == expected
    assert all(info.score == expected for info in told if info.multipv == 1 and info.depth >= 9)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[::10], ids=lambda case: f"{case['rules']}: {case['yfen']}")
def test_more_depth_changes_nothing(case: dict[str, Any]) -> None:
    """An analysis ends at the depth of the win, so this asks the searcher."""
    board = yf.Board(case["yfen"], Rules.parse(case["rules"]))
    expected = score_of(case, board.turn).value
    searcher = Searcher(4, 1)
    searcher.start(board, 0, 0)
    for plies in range(1, 12):
        value, pv = searcher.iterate(plies, -INFINITE, INFINITE)
        assert value is not None
        value, pv = searcher.prove(plies, value)
        assert pv
        assert plies < 9 or value == expected


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.get("win_in", case.get("loss_in")) <= 3][::4])
def test_the_reference_engine_agrees(case: dict[str, Any]) -> None:
    position = reference.Position(case["yfen"], Rules.parse(case["rules"]))
    assert Proofs(ReferenceGame(), 10_000).score(position, 9) == score_of(case, position.turn)
