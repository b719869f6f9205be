"""The value ``Rules``: bounds, presets, and its written form."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import rules as any_rules

from yote_fast.errors import InvalidRulesError
from yote_fast.rules import CHALLENGES, CHOKO, HEROES, MAX_SQUARES, PRESETS, YOTE, Rules

# Options, and what the message must name.
OUT_OF_BOUNDS: list[tuple[dict[str, Any], str]] = [
    ({"rows": 1}, "rows must be 2 to 18, not 1"),
    ({"rows": 19}, "rows must be 2 to 18, not 19"),
    ({"cols": 1}, "cols must be 2 to 18, not 1"),
    ({"cols": -5}, "cols must be 2 to 18, not -5"),
    ({"rows": 6, "cols": 7}, "6 x 7 has 42 squares; at most 36"),
    ({"rows": 18, "cols": 3}, "18 x 3 has 54 squares; at most 36"),
    ({"pieces": 0}, "pieces must be 1 to 20, not 0"),
    ({"pieces": 21}, "pieces must be 1 to 20, not 21"),
    ({"trade_routes": -1}, "trade_routes must be 0 to 4, not -1"),
    ({"trade_routes": 5}, "trade_routes must be 0 to 4, not 5"),
    ({"repetition": 1}, "repetition must be 0 .* or at least 2, not 1"),
    ({"repetition": -1}, "repetition must be 0 to"),
    ({"repetition": 10**9}, "repetition must be 0 to"),
    ({"second_removal": "hand"}, "second_removal must be one of 'board_then_hand', 'board', 'board_or_hand', not 'hand'"),
    ({"no_moves": "draw"}, "no_moves must be one of 'most_pieces', 'loses', 'pass', not 'draw'"),
    ({"chain_removal": ""}, "chain_removal must be one of 'after', 'each', not ''"),
    ({"drop_initiative": True, "chain_capture": True}, "chain_capture is not allowed together with drop_initiative"),
]

WRONG_TYPES: list[tuple[dict[str, Any], str]] = [
    ({"rows": "5"}, "rows must be an int, not str"),
    ({"rows": 5.0}, "rows must be an int, not float"),
    ({"pieces": None}, "pieces must be an int, not NoneType"),
    ({"trade_routes": True}, "trade_routes must be an int, not bool"),
    ({"bonus_turn": 1}, "bonus_turn must be a bool, not int"),
    ({"bonus_turn": "true"}, "bonus_turn must be a bool, not str"),
    ({"second_removal": None}, "second_removal must be a str, not NoneType"),
    ({"no_moves": b"pass"}, "no_moves must be a str, not bytes"),
]

UNREADABLE: list[tuple[str, str]] = [
    ("", "unknown rules ''"),
    ("Yote", "unknown rules 'Yote': expected one of yote, choko, heroes, challenges"),
    (" yote", "unknown rules ' yote'"),
    ("rows=3", "unknown rules 'rows=3'"),
    ("yote+", "unknown rule option ''"),
    ("yote++rows=3", "unknown rule option ''"),
    ("yote+row=3", "unknown rule option 'row'"),
    ("yote+choko", "unknown rule option 'choko'"),
    ("yote+rows=3+cols=3+rows=3", "'rows' is given twice"),
    ("yote+rows", "rows needs a value"),
    ("yote+rows=", "rows must be a whole number"),
    ("yote+rows=-3", "rows must be a whole number"),
    ("yote+rows= 3", "rows must be a whole number"),
    ("yote+rows=3.0", "rows must be a whole number"),
    ("yote+rows=٣", "rows must be a whole number"),
    ("yote+rows=" + "9" * 5000, "rows must be a whole number"),
    ("yote+rows=99", "rows must be 2 to 18"),
    ("yote+rows=3=3", "rows must be a whole number"),
    ("yote+second_removal", "second_removal needs a value"),
    ("yote+second_removal=none", "second_removal must be one of"),
    ("yote+bonus_turn=1", "bonus_turn must be true or false, not '1'"),
    ("yote+bonus_turn=", "bonus_turn must be true or false, not ''"),
    ("yote+bonus_turn=True", "bonus_turn must be true or false, not 'True'"),
    ("choko+chain_capture", "chain_capture is not allowed together with drop_initiative"),
]


@pytest.mark.parametrize(("options", "message"), OUT_OF_BOUNDS, ids=str)
def test_bounds(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRulesError, match=message):
        Rules(**options)
    with pytest.raises(InvalidRulesError, match=message):
        dataclasses.replace(YOTE, **options)


@pytest.mark.parametrize(("options", "message"), WRONG_TYPES, ids=str)
def test_types(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Rules(**options)


@pytest.mark.parametrize(("text", "message"), UNREADABLE, ids=lambda value: value[:40])
def test_parse_refuses(text: str, message: str) -> None:
    with pytest.raises(InvalidRulesError, match=message) as caught:
        Rules.parse(text)
    assert len(str(caught.value)) < 400


def test_parse_wants_text() -> None:
    with pytest.raises(TypeError, match="must be a str, not NoneType"):
        Rules.parse(None)  # type: ignore[arg-type]


def test_errors_are_value_errors() -> None:
    assert issubclass(InvalidRulesError, ValueError)


def test_options_are_named() -> None:
    with pytest.raises(TypeError):
        Rules(5, 6)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="rounds"):
        Rules(rounds=3)  # type: ignore[call-arg]


def test_rules_are_values() -> None:
    assert Rules(bonus_turn=True) == Rules(bonus_turn=True) != YOTE
    assert hash(Rules(rows=3)) == hash(Rules(rows=3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        YOTE.rows = 6  # type: ignore[misc]


def test_presets() -> None:
    assert PRESETS == {"yote": YOTE, "choko": CHOKO, "heroes": HEROES, "challenges": CHALLENGES}
    assert (YOTE.rows, YOTE.cols, YOTE.pieces, YOTE.squares) == (5, 6, 12, 30)
    assert Rules() == YOTE
    assert Rules(cols=5, drop_initiative=True) == CHOKO
    assert Rules(royal_caravan=True) == HEROES
    assert Rules(trade_routes=2) == CHALLENGES
    assert [str(preset) for preset in PRESETS.values()] == list(PRESETS)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("choko+mandatory_capture", Rules(cols=5, drop_initiative=True, mandatory_capture=True)),
        ("yote+rows=3+cols=4+pieces=5", Rules(rows=3, cols=4, pieces=5)),
        ("yote+second_removal=board+no_moves=pass", Rules(second_removal="board", no_moves="pass")),
        ("challenges+chain_capture+chain_removal=each", Rules(trade_routes=2, chain_capture=True, chain_removal="each")),
        ("choko+drop_initiative=false+chain_capture", Rules(cols=5, chain_capture=True)),
        ("yote+repetition=0+bonus_turn=true", Rules(repetition=0, bonus_turn=True)),
    ],
)
def test_parse(text: str, rules: Rules) -> None:
    assert Rules.parse(text) == rules


def test_text_is_short() -> None:
    assert str(Rules(rows=3, cols=4, pieces=5)) == "yote+rows=3+cols=4+pieces=5"
    assert str(Rules(cols=5, drop_initiative=True, mandatory_capture=True)) == "choko+mandatory_capture"
    assert str(Rules(royal_caravan=True, trade_routes=1)) == "heroes+trade_routes=1"


@given(any_rules())
def test_parse_reads_what_str_writes(mix: Rules) -> None:
    assert Rules.parse(str(mix)) == mix
    assert hash(Rules.parse(str(mix))) == hash(mix)


@given(any_rules())
def test_repr_makes_the_rules_again(mix: Rules) -> None:
    assert eval(repr(mix), {"Rules": Rules}) == mix


WORDS = st.sampled_from([*PRESETS, "+", "=", *(field.name for field in dataclasses.fields(Rules)), "true", "false", "3", "board"])


@given(st.one_of(st.text(), st.lists(WORDS, max_size=12).map("".join)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        mix = Rules.parse(text)
    except InvalidRulesError:
        return
    assert Rules.parse(str(mix)) == mix
    assert mix.squares <= MAX_SQUARES
