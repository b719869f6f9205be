"""The evaluation: the network as it is described, the linear one for other rules, and what both owe to symmetry and to proofs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import rules as any_rules
from strategies import setups
from test_symmetry import exchanged, reflections, turned

import yote_fast as yf
from yote_fast.core import features_of, static_score
from yote_fast.notation import Setup, format_yfen
from yote_fast.rules import Rules
from yote_fast.score import PROVEN_VALUE

CORE = Path(__file__).parent.parent / "yote_fast" / "core"
NETWORK, LINEAR = CORE / "network_weights.h", CORE / "weights.h"

NETWORK_RULES = ["yote", "yote+chain_capture", "yote+mandatory_capture", "yote+no_moves=pass", "yote+second_removal=board"]
OTHER_RULES = ["choko", "heroes", "challenges", "yote+pieces=11", "yote+bonus_turn", "yote+drop_initiative", "yote+rows=6"]


def table(path: Path, name: str) -> Any:
    """A table of a C header."""
    found = re.search(rf"{name}(?:\[\d+\])+ = ([^;]+);", path.read_text(encoding="utf-8"))
    assert found is not None
    return json.loads(re.sub(r",\s*\]", "]", found[1].replace("{", "[").replace("}", "]")))


@pytest.fixture(scope="module")
def network() -> dict[str, Any]:
    return {name: table(NETWORK, f"NETWORK_{name}") for name in ("SQUARE", "HAND", "BIAS", "OUTPUT", "OUTPUT_BIAS")}


def network_score(network: dict[str, Any], setup: Setup) -> int:
    """What ``network.pxd`` says, plainly."""
    men = "Cc" if setup.turn else "cC"
    hands = setup.hands if setup.turn else setup.hands[::-1]
    there = [0] * 16
    for up_down in (False, True):
        for left_right in (False, True):
            for pattern in range(16):
                seen = network["BIAS"][pattern] + sum(network["HAND"][side][hands[side]][pattern] for side in range(2))
                for square, man in enumerate(setup.board):
                    row, col = divmod(square, 6)
                    place = (4 - row if up_down else row) * 6 + (5 - col if left_right else col)
                    if man != ".":
                        seen += network["SQUARE"][men.index(man)][place][pattern]
                there[pattern] += min(max(seen, 0), 255)
    pieces = sum(man != "." for man in setup.board) + sum(hands)
    phase = max(pieces - 1, 0) // 4
    score: int = network["OUTPUT_BIAS"][phase] + sum(a * b for a, b in zip(there, network["OUTPUT"][phase], strict=True))
    return score >> 7


def drawn_board(data: st.DataObject, rules: Rules) -> tuple[Setup, yf.Board]:
    """A position of a game that is not over, which is all that is ever evaluated."""
    setup = data.draw(setups(rules))
    board = yf.Board(format_yfen(setup, rules), rules)
    assume(not board.is_game_over())
    return setup, board


@pytest.mark.parametrize("text", NETWORK_RULES)
@given(data=st.data())
@settings(max_examples=40)
def test_what_plays_like_yote_has_the_network(network: dict[str, Any], text: str, data: st.DataObject) -> None:
    setup, board = drawn_board(data, Rules.parse(text))
    assert static_score(board) == network_score(network, setup)


@pytest.mark.parametrize("text", OTHER_RULES)
@given(data=st.data())
@settings(max_examples=20)
def test_other_rules_are_linear(text: str, data: st.DataObject) -> None:
    _, board = drawn_board(data, Rules.parse(text))
    phase, features = features_of(board)
    weights = table(LINEAR, "WEIGHTS")[phase]
    assert static_score(board) == sum(weight * feature for weight, feature in zip(weights, features, strict=True))


@given(data=st.data(), rules=st.one_of(st.just(yf.YOTE), any_rules()))
@settings(max_examples=60)
def test_symmetric_positions_have_the_same_score(data: st.DataObject, rules: Rules) -> None:
    setup, board = drawn_board(data, rules)
    score = static_score(board)
    for other in (exchanged(setup), *(turned(setup, rules, turn) for turn in reflections(rules))):
        assert static_score(yf.Board(format_yfen(other, rules), rules)) == score, f"{rules}: {format_yfen(setup, rules)}"


def test_no_score_of_the_network_can_pass_for_a_proof(network: dict[str, Any]) -> None:
    for outputs, bias in zip(network["OUTPUT"], network["OUTPUT_BIAS"], strict=True):
        for sign in (1, -1):
            assert abs(bias + sum(4 * 255 * weight for weight in outputs if sign * weight > 0)) >> 7 < PROVEN_VALUE


def test_no_sum_of_the_network_overflows(network: dict[str, Any]) -> None:
    for pattern in range(16):
        most = abs(network["BIAS"][pattern])
        most += sum(max(abs(row[pattern]) for row in hand) for hand in network["HAND"])
        most += sum(max(abs(row[pattern]) for row in pair) for pair in zip(*network["SQUARE"], strict=True))
        assert most < 2**15


def test_a_lead_is_worth_something() -> None:
    """Where one side has far more pieces than the other."""
    for yfen in ("CC4/6/2C3/5c/6 w 0/0", "CCC3/6/2C3/5c/4c1 b 0/0", "CCC3/C5/2C3/5c/4c1 w 7/5"):
        board = yf.Board(yfen)
        assert (static_score(board) > 0) == board.turn, yfen
