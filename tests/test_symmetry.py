"""Turning a board over, or exchanging the colours, changes nothing but names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engines import Engine
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import playable_rules, setups

from yote_fast.notation import Setup, format_yfen, route_block
from yote_fast.rules import Rules

Turned = Callable[[int, int], tuple[int, int]]


def turned(setup: Setup, rules: Rules, turn: Turned) -> Setup:
    """The position with each square (row, column) carried to another; the turn must be its own inverse."""

    def to(square: int) -> int:
        row, col = turn(*divmod(square, rules.cols))
        return row * rules.cols + col

    routes = [(min(to(one), to(other)), max(to(one), to(other))) for one, other in setup.routes]
    actor = setup.phase.actor
    return Setup(
        board="".join(setup.board[to(square)] for square in range(rules.squares)),
        turn=setup.turn,
        hands=setup.hands,
        royals=setup.royals,
        must_drop=setup.must_drop,
        supplies=setup.supplies,
        routes=tuple(sorted(routes, key=lambda route: route_block(route, rules) or 0)),
        phase=replace(setup.phase, actor=None if actor is None else to(actor)),
    )


def reflections(rules: Rules) -> list[Turned]:
    """Left and right, up and down."""
    return [lambda row, col: (row, rules.cols - 1 - col), lambda row, col: (rules.rows - 1 - row, col)]


def exchanged(setup: Setup) -> Setup:
    """The position with the colours exchanged."""
    return Setup(
        board=setup.board.swapcase(),
        turn=not setup.turn,
        hands=(setup.hands[1], setup.hands[0]),
        royals=(setup.royals[1], setup.royals[0]),
        must_drop=setup.must_drop,
        supplies=(setup.supplies[1], setup.supplies[0]),
        routes=setup.routes,
        phase=setup.phase,
    )


def counts(engine: Engine, setup: Setup, rules: Rules) -> list[int]:
    """Perft to two plies, or to one where there are very many actions; sorted counts per action tell more than their sum."""
    position = engine.position(format_yfen(setup, rules), rules)
    number = position.perft(1)
    return sorted(position.divide(2).values()) if 0 < number <= 40 else [number]


def result(engine: Engine, setup: Setup, rules: Rules) -> str:
    return engine.position(format_yfen(setup, rules), rules).result()


@given(data=st.data(), rules=playable_rules())
@settings(max_examples=60)
def test_turned_boards(engine: Engine, data: st.DataObject, rules: Rules) -> None:
    turns = reflections(rules)
    if rules.rows == rules.cols:
        turns.append(lambda row, col: (col, row))
    setup = data.draw(setups(rules))
    for turn in turns:
        other = turned(setup, rules, turn)
        assert counts(engine, other, rules) == counts(engine, setup, rules), f"{rules}: {format_yfen(setup, rules)}"
        assert result(engine, other, rules) == result(engine, setup, rules), f"{rules}: {format_yfen(setup, rules)}"


@given(data=st.data(), rules=playable_rules())
@settings(max_examples=60)
def test_exchanged_colours(engine: Engine, data: st.DataObject, rules: Rules) -> None:
    setup = data.draw(setups(rules))
    other = exchanged(setup)
    assert counts(engine, other, rules) == counts(engine, setup, rules), f"{rules}: {format_yfen(setup, rules)}"
    mirrored = {"1-0": "0-1", "0-1": "1-0"}
    found = result(engine, setup, rules)
    assert result(engine, other, rules) == mirrored.get(found, found), f"{rules}: {format_yfen(setup, rules)}"


@given(data=st.data(), rules=playable_rules())
@settings(max_examples=20)
def test_turning_twice_is_nothing(data: st.DataObject, rules: Rules) -> None:
    """A check of the tools above."""
    setup = data.draw(setups(rules))
    mirror = turned(setup, rules, lambda row, col: (row, rules.cols - 1 - col))
    assert turned(mirror, rules, lambda row, col: (row, rules.cols - 1 - col)) == setup
    assert exchanged(exchanged(setup)) == setup
