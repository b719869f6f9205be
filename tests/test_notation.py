"""Squares, actions and positions as text: writing and reading are inverse, and everything else is refused."""

from __future__ import annotations

import pytest
from engines import Engine
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import actions, chains, playable_rules, removals, rules, setups

from yote_fast.errors import IllegalMoveError, InvalidMoveError, InvalidPositionError
from yote_fast.notation import (
    HAND,
    Action,
    Phase,
    Setup,
    format_action,
    format_yfen,
    parse_action,
    parse_square,
    parse_yfen,
    route_block,
    square_name,
    start_setup,
)
from yote_fast.rules import CHALLENGES, CHOKO, HEROES, YOTE, Rules

TALL = Rules(rows=18, cols=2)
CHAINS = Rules(rows=3, cols=3, chain_capture=True)
CHAINS_EACH = Rules(rows=3, cols=3, chain_capture=True, chain_removal="each")
ALL = Rules(trade_routes=2, drop_initiative=True, royal_caravan=True)

# Squares --------------------------------------------------------------------------------------------------------------------------


def test_squares() -> None:
    assert [square_name(square, 6) for square in (0, 5, 6, 29)] == ["a1", "f1", "a2", "f5"]
    assert parse_square("b18", TALL) == 35


@given(rules())
def test_every_square_has_its_name(mix: Rules) -> None:
    names = [square_name(square, mix.cols) for square in range(mix.squares)]
    assert len(set(names)) == mix.squares
    assert [parse_square(name, mix) for name in names] == list(range(mix.squares))


BAD_SQUARES = ["", "a", "1", "a0", "a6", "g1", "A1", "a01", "a1 ", " a1", "1a", "aa1", "a-1", "a1\n", "a١", "`1"]


@pytest.mark.parametrize("text", BAD_SQUARES)
def test_no_such_square(text: str) -> None:
    with pytest.raises(ValueError, match="is not a square of the 5 x 6 board"):
        parse_square(text, YOTE)


def test_route_blocks() -> None:
    assert route_block((0, 7), YOTE) == route_block((1, 6), YOTE) == 0
    assert route_block((10, 17), YOTE) == route_block((11, 16), YOTE) == 10
    # Neighbours by number that lie on two edges of the board.
    assert route_block((5, 12), YOTE) is None
    assert route_block((6, 11), YOTE) is None
    assert route_block((0, 1), YOTE) is None
    assert route_block((7, 0), YOTE) is None


# Actions --------------------------------------------------------------------------------------------------------------------------

WRITTEN = [
    ("@c3", Action("@", (14,))),
    ("R@c3", Action("R@", (14,))),
    ("c3-c4", Action("-", (14, 20))),
    ("c3~f5", Action("~", (14, 29))),
    ("=b2c3", Action("=", (7, 14))),
    ("--", Action("--")),
    ("c3xc5", Action("x", (14, 26), ((),))),
    ("c3xc5/b1", Action("x", (14, 26), ((1,),))),
    ("c3xc5/*", Action("x", (14, 26), ((HAND,),))),
    ("c3xc5xe5/a1,b2,*,*", Action("x", (14, 26, 28), ((), (0, 7, HAND, HAND)))),
    ("c3xc5/a1xe5/b2", Action("x", (14, 26, 28), ((0,), (7,)))),
]


@pytest.mark.parametrize(("text", "action"), WRITTEN)
def test_actions(text: str, action: Action) -> None:
    assert format_action(action, YOTE) == text
    assert parse_action(text, YOTE) == action


@given(st.data(), rules())
def test_actions_are_read_as_written(data: st.DataObject, mix: Rules) -> None:
    action = data.draw(actions(mix))
    assert parse_action(format_action(action, mix), mix) == action


BAD_ACTIONS = [
    "", " ", "-", "---", "@", "R@", "r@c3", "C@c3", "@c3 ", " @c3", "@c3\n", "@C3", "@c03", "@g1", "@a6", "@c3@c4", "c3",
    "c3c4", "c3-", "-c4", "c3--c4", "c3-c4-c5", "c3–c4", "c3 - c4", "c3-g1", "c3~", "~c3", "c3~c4~c5", "=b2", "=b2-c3",
    "=c3b2", "=b2c3d4", "=b2g7", "b2=c3", "c3x", "xc5", "c3Xc5", "c3xxc5", "c3xc5/", "c3xc5/,", "c3xc5/a1,", "c3xc5/,a1",
    "c3xc5//a1", "c3xc5/a1/b1", "c3xc5/b1,a1", "c3xc5/a1,a1", "c3xc5/*,a1", "c3xc5/**", "c3xc5/g1", "c3xc5/b1 ", "c3xc5-c6",
    "c3xc7", "x3xc5", "c3xc5x", "@c3/a1", "c3-c4/a1", "0000",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD_ACTIONS)
def test_action_text_refused(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="invalid action"):
        parse_action(text, YOTE)


@pytest.mark.parametrize("text", BAD_ACTIONS)
def test_engines_refuse_action_text(engine: Engine, text: str) -> None:
    with pytest.raises(InvalidMoveError):
        engine.position(None, YOTE).play(text)


NAMED_FAULTS = [("@g1", "'g1'"), ("c3xc5/b9", "'b9'"), ("=c3b2", "lower square"), ("c3xc5/b1,a1", "ascending")]


@pytest.mark.parametrize(("text", "part"), NAMED_FAULTS)
def test_action_errors_name_the_fault(text: str, part: str) -> None:
    with pytest.raises(InvalidMoveError, match=part):
        parse_action(text, YOTE)


def test_action_must_be_text() -> None:
    with pytest.raises(TypeError, match="must be a str, not int"):
        parse_action(3, YOTE)  # type: ignore[arg-type]


def test_long_action_text_is_cut_in_the_error() -> None:
    with pytest.raises(InvalidMoveError) as caught:
        parse_action("c3" * 100_000, YOTE)
    assert len(str(caught.value)) < 300


# Well-formed, and legal nowhere or not here.
ILLEGAL = [
    (YOTE, None, ["R@a1", "a1-a2", "a1xa3", "=a1b2", "a1~b2", "--", "a1-a1", "a1xa3/*"]),
    (YOTE, "6/2c3/2C3/6/6 w 0/1", ["@a1", "c3xc5", "c3xc5/c4", "c3xc5/a1", "c3xc5/*,*", "c3-c4", "c3-c5", "c3-d4", "c4-d4"]),
    (YOTE, "6/2c3/2C3/6/6 b 0/0", ["c3-d3", "c4xc2/c3", "c4xc2xc4", "--"]),
    (CHAINS, "1c1/2c/Cc1 w 0/1", ["a1xc1", "a1xc1/b1", "a1xc1/b1,c2", "a1xc1xc3/c2,b3", "a1xc1xc3/b3", "a1xc1/b3xc3/*"]),
    (CHAINS_EACH, "1c1/2c/Cc1 w 0/1", ["a1xc1/b1", "a1xc1/c2xc3/b3", "a1xc1/b3xc3", "a1xc1/b1xc3/b3", "a1xc1xc3/b3,*"]),
    (CHALLENGES, "6/6/6/2C3/c5 w 0/0 - 1/0", ["=a1b1", "=a1f2", "c2~d3", "c2-d3", "--"]),
]


@pytest.mark.parametrize(
    ("mix", "yfen", "text"), [(mix, yfen, text) for mix, yfen, texts in ILLEGAL for text in texts], ids=lambda value: str(value)
)
def test_illegal_actions(engine: Engine, mix: Rules, yfen: str | None, text: str) -> None:
    with pytest.raises(IllegalMoveError, match=text.replace("*", r"\*")):
        engine.position(yfen, mix).play(text)


ACTION_LETTERS = st.text(alphabet="abcfgx@R-~=/,*123569 \n", max_size=16)


@given(st.one_of(st.text(), ACTION_LETTERS))
@settings(max_examples=500)
def test_any_action_text_is_read_or_refused(text: str) -> None:
    try:
        action = parse_action(text, YOTE)
    except InvalidMoveError:
        return
    assert format_action(action, YOTE) == text


@given(st.one_of(st.text(), ACTION_LETTERS))
def test_engines_play_or_refuse_any_text(engine: Engine, text: str) -> None:
    position = engine.position("6/2c3/2C3/6/6 w 1/1", YOTE)
    try:
        position.play(text)
    except (InvalidMoveError, IllegalMoveError):
        assert text not in position.actions()
    else:
        assert text in position.actions()


@given(st.data(), rules())
@settings(max_examples=200)
def test_engines_play_or_refuse_any_action(engine: Engine, data: st.DataObject, mix: Rules) -> None:
    """In the start position only drops and placings are legal, so each other action must be refused."""
    position = engine.position(None, mix)
    text = format_action(data.draw(actions(mix)), mix)
    if text in position.actions():
        position.play(text)
    else:
        with pytest.raises(IllegalMoveError):
            position.play(text)


@given(st.data(), chains())
@settings(max_examples=200)
def test_engines_play_or_refuse_any_removals(engine: Engine, data: st.DataObject, chain: tuple[Rules, Setup]) -> None:
    """A capture whose second removals are exchanged for others, jumped pieces among them."""
    mix, setup = chain
    position = engine.position(format_yfen(setup, mix), mix)
    legal = position.actions()
    captures = [text for text in legal if "x" in text]
    assume(captures)
    capture = parse_action(data.draw(st.sampled_from(captures)), mix)
    enemies = [square for square, man in enumerate(setup.board) if man in "cr"]
    exchanged = data.draw(st.tuples(*[removals(enemies) for _ in capture.removals]))
    text = format_action(capture._replace(removals=exchanged), mix)
    if text in legal:
        position.play(text)
    else:
        with pytest.raises(IllegalMoveError):
            position.play(text)


# Positions ------------------------------------------------------------------------------------------------------------------------


def test_start_positions() -> None:
    assert format_yfen(start_setup(YOTE), YOTE) == "6/6/6/6/6 w 12/12"
    assert format_yfen(start_setup(CHOKO), CHOKO) == "5/5/5/5/5 w 12/12"
    assert format_yfen(start_setup(HEROES), HEROES) == "6/6/6/6/6 w 11R/11R"
    assert format_yfen(start_setup(CHALLENGES), CHALLENGES) == "6/6/6/6/6 w 12/12 - 2/2"


def test_a_full_position() -> None:
    setup = Setup(
        board="C....." + "......" + "..c..." + "......" + ".....r",
        turn=True,
        hands=(3, 10),
        royals=(True, False),
        must_drop=True,
        supplies=(1, 0),
        routes=((0, 7), (2, 7)),
        phase=Phase(placed=True, moved=True, actor=0, bonus=True),
    )
    text = "5r/6/2c3/6/C5 w 3R/10 ! 1/0:a1b2,c1b2 pfba1"
    assert format_yfen(setup, ALL) == text
    assert parse_yfen(text, ALL) == setup


def test_counts_of_two_digits() -> None:
    wide = Rules(rows=2, cols=18)
    text = "17C/10c7 b 1/11"
    assert parse_yfen(text, wide).board == "." * 10 + "c" + "." * 7 + "." * 17 + "C"
    assert format_yfen(parse_yfen(text, wide), wide) == text


def test_trailing_dashes_may_be_written() -> None:
    for dashes in (" -", " - -", " - - -"):
        assert parse_yfen("6/6/6/6/6 w 12/12" + dashes, YOTE) == start_setup(YOTE)
    assert parse_yfen("6/6/6/6/6 w 12/12 - 2/2 -", CHALLENGES) == start_setup(CHALLENGES)


@given(st.data(), rules())
@settings(max_examples=300)
def test_positions_are_read_as_written(data: st.DataObject, mix: Rules) -> None:
    setup = data.draw(setups(mix))
    text = format_yfen(setup, mix)
    assert parse_yfen(text, mix) == setup
    assert format_yfen(parse_yfen(text, mix), mix) == text


@given(st.data(), playable_rules())
def test_engines_write_what_they_read(engine: Engine, data: st.DataObject, mix: Rules) -> None:
    text = format_yfen(data.draw(setups(mix)), mix)
    assert engine.position(text, mix).yfen() == text


# Rules, text, and what the message must hold.
BAD_POSITIONS = [
    (YOTE, "", "field YFEN: it has 1 fields"),
    (YOTE, "6/6/6/6/6", "field YFEN: it has 1 fields"),
    (YOTE, "6/6/6/6/6 w", "field YFEN: it has 2 fields"),
    (YOTE, "6/6/6/6/6 w 12/12 - - - -", "field YFEN: it has 7 fields, expected 3 to 6"),
    (YOTE, "6/6/6/6/6 w 12/12 - 0/0", "field ROUTES: it is '0/0'"),
    (YOTE, "6/6/6/6/6 w 12/12 - - p", "field PHASE: it is 'p'"),
    (YOTE, "6/6/6/6/C5 w 11/12 - - ma1", "field PHASE: it is 'ma1'"),
    (YOTE, "6/6/6/6/6  w 12/12", "field SIDE: it is ''"),
    (YOTE, " 6/6/6/6/6 w 12/12", "field BOARD"),
    (YOTE, "6/6/6/6/6 w 12/12 ", "field DROP: it is ''"),
    (YOTE, "6/6/6/6/6\tw\t12/12", "field YFEN"),
    (YOTE, "6/6/6/6/6 w 12/12\n", "field HANDS"),
    (YOTE, "6/6/6/6 w 12/12", "field BOARD: it has 4 rows, expected 5"),
    (YOTE, "6/6/6/6/6/6 w 12/12", "field BOARD: it has 6 rows, expected 5"),
    (YOTE, "6/6/6/6/ w 12/12", "field BOARD: row 1"),
    (YOTE, "5/6/6/6/6 w 12/12", "field BOARD: row 5 has 5 squares, expected 6"),
    (YOTE, "6/6/7/6/6 w 12/12", "field BOARD: row 3 has 7 squares, expected 6"),
    (YOTE, "6/6/6/6/C6 w 11/12", "field BOARD: row 1 has 7 squares"),
    (YOTE, "6/6/6/6/0C5 w 11/12", "field BOARD: row 1"),
    (YOTE, "6/6/6/6/06 w 12/12", "field BOARD: row 1"),
    (YOTE, "6/6/6/6/222 w 12/12", "field BOARD: row 1"),
    (YOTE, "6/6/6/6/5x w 12/12", "field BOARD: row 1 is '5x'"),
    (YOTE, "6/6/6/6/5. w 12/12", "field BOARD: row 1"),
    (YOTE, "6/6/6/6/-6 w 12/12", "field BOARD: row 1"),
    (YOTE, "6/6/6/6/٦ w 12/12", "field BOARD: row 1"),
    (YOTE, "6/6/6/6/6 W 12/12", "field SIDE: it is 'W', expected w or b"),
    (YOTE, "6/6/6/6/6 white 12/12", "field SIDE"),
    (YOTE, "6/6/6/6/6 - 12/12", "field SIDE"),
    (YOTE, "6/6/6/6/6 w 12", "field HANDS: it is '12'"),
    (YOTE, "6/6/6/6/6 w 12/12/12", "field HANDS"),
    (YOTE, "6/6/6/6/6 w -1/12", "field HANDS"),
    (YOTE, "6/6/6/6/6 w 01/12", "field HANDS"),
    (YOTE, "6/6/6/6/6 w /12", "field HANDS"),
    (YOTE, "6/6/6/6/6 w 12/R", "field HANDS"),
    (YOTE, "6/6/6/6/6 w 100/12", "field HANDS"),
    (YOTE, "6/6/6/6/6 w 12r/12", "field HANDS"),
    (YOTE, "6/6/6/6/6 w ١/1", "field HANDS"),
    (YOTE, "6/6/6/6/6 w 13/12", "field HANDS: white has 13 pieces on board and in hand, at most 12"),
    (YOTE, "6/6/6/6/c5 w 12/12", "field HANDS: black has 13 pieces"),
    (YOTE, "6/6/6/6/6 w 11R/12", "field HANDS: white has a royal"),
    (YOTE, "6/6/6/6/r5 w 11/11", "field BOARD: black has a royal"),
    (YOTE, "6/6/6/6/6 w 12/12 !", "field DROP: ! is only for rules with drop_initiative"),
    (CHOKO, "5/5/5/5/5 w 12/12 x", "field DROP: it is 'x'"),
    (CHOKO, "5/5/5/5/5 w 12/12 !!", "field DROP"),
    (HEROES, "6/6/6/6/RR4 w 0/12", "field BOARD: white has 2 royals"),
    (HEROES, "6/6/6/6/r5 w 12/10R", "field BOARD: black has 2 royals"),
    (HEROES, "6/6/6/6/6 w 12R/12", "field HANDS: white has 13 pieces"),
    (CHALLENGES, "6/6/6/6/6 w 12/12", "field ROUTES: the field is missing"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 -", "field ROUTES: the field is missing"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2 - -", "field YFEN: it has 7 fields"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - -", "field ROUTES: it is '-'"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2", "field ROUTES"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2:", "field ROUTES"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/2:a1", "field ROUTES"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/2:a1b2,", "field ROUTES"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 0/2:a1b2c3", "field ROUTES"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 02/2", "field ROUTES"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 3/0", "field ROUTES: white's supply is 3, at most 2"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 0/9", "field ROUTES: black's supply is 9, at most 2"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2:a1b2", "field ROUTES: 5 routes on board and in supplies, at most 4"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/2:a1b1", "field ROUTES: a1b1 does not join two diagonally adjacent"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/2:b2a1", "field ROUTES: b2a1 does not join two diagonally adjacent"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/2:a1c3", "field ROUTES: a1c3 does not join"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/2:f1a3", "field ROUTES: f1a3 does not join"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/2:f5g6", "field ROUTES: 'g6' is not a square"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/1:a1b2,b1a2", "field ROUTES: b1a2 meets another route in its 2 x 2 block"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/1:a1b2,a1b2", "field ROUTES: a1b2 meets another route"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 1/1:a2b3,a1b2", "field ROUTES: the routes are not in order"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2 x", "field PHASE: it is 'x'"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2 ", "field PHASE: it is ''"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2 fp", "field PHASE"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2 pp", "field PHASE"),
    (CHALLENGES, "6/6/6/6/6 w 12/12 - 2/2 m", "field PHASE"),
    (CHALLENGES, "6/6/6/6/C5 w 11/12 - 2/2 ma1f", "field PHASE"),
    (CHALLENGES, "6/6/6/6/C5 w 11/12 - 2/2 -ma1", "field PHASE"),
    (CHALLENGES, "6/6/6/6/C5 w 11/12 - 2/2 mg1", "field PHASE: 'g1' is not a square"),
    (CHALLENGES, "6/6/6/6/C5 w 11/12 - 2/2 mb1", "field PHASE: the square after m or b must hold a piece of the side to move"),
    (CHALLENGES, "6/6/6/6/C5 b 11/12 - 2/2 ma1", "field PHASE: the square after m or b"),
    (CHALLENGES, "6/6/6/6/C5 w 11/12 - 2/2 ba1", "field PHASE: a bonus move"),
    (CHALLENGES, "6/6/6/6/C5 w 11/12 - 2/2 fba1", "field PHASE: a bonus move"),
    (Rules(trade_routes=1), "6/6/6/6/6 w 12/12 - 1/1:a1b2", "field ROUTES: 3 routes"),
]


@pytest.mark.parametrize(("mix", "text", "message"), BAD_POSITIONS, ids=lambda value: repr(value)[:60])
def test_position_text_refused(mix: Rules, text: str, message: str) -> None:
    with pytest.raises(InvalidPositionError) as caught:
        parse_yfen(text, mix)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(("mix", "text", "message"), BAD_POSITIONS, ids=lambda value: repr(value)[:60])
def test_engines_refuse_position_text(engine: Engine, mix: Rules, text: str, message: str) -> None:
    with pytest.raises(InvalidPositionError) as caught:
        engine.position(text, mix)
    assert message in str(caught.value)


def test_position_must_be_text() -> None:
    with pytest.raises(TypeError, match="must be a str, not int"):
        parse_yfen(3, YOTE)  # type: ignore[arg-type]


YFEN_LETTERS = st.text(alphabet="CRcrwb0123456789/ -!:,pfmadefg\n", max_size=50)
FIELDS = st.tuples(
    st.sampled_from(["6/6/6/6/6", "C5/6/6/6/r4c", "6/6/6/6", "6/6/6/6/Cx", "66/6/6/6/6"]),
    st.sampled_from(["w", "b", "x"]),
    st.sampled_from(["12/12", "0/0", "3R/2", "2R/3R", "99/0"]),
    st.sampled_from(["-", "!", "?"]),
    st.sampled_from(["2/2", "0/0:a1b2,b2c3", "1/1:a1b2,b1a2", "0/1:e1f2,a2b3", "9/0", "-"]),
    st.sampled_from(["-", "p", "f", "pf", "ma5", "pba5", "pfmf5", "ba5", "mf1"]),
).map(" ".join)


@given(st.one_of(st.text(), YFEN_LETTERS, FIELDS), st.sampled_from([YOTE, CHOKO, HEROES, CHALLENGES, ALL]))
@settings(max_examples=1000)
def test_any_position_text_is_read_or_refused(text: str, mix: Rules) -> None:
    try:
        setup = parse_yfen(text, mix)
    except InvalidPositionError:
        return
    written = format_yfen(setup, mix)
    assert parse_yfen(written, mix) == setup
    assert text in (written, written + " -", written + " - -", written + " - - -")


@given(st.one_of(st.text(), YFEN_LETTERS, FIELDS), st.sampled_from([YOTE, CHALLENGES, ALL]))
@settings(max_examples=200)
def test_engines_read_or_refuse_any_position_text(engine: Engine, text: str, mix: Rules) -> None:
    try:
        position = engine.position(text, mix)
    except InvalidPositionError:
        return
    assert text.startswith(position.yfen())
