"""The two engines agree on every position, of games and of none, under every mix of rules."""

from __future__ import annotations

import random
import re

import pytest
from engines import COMPILED, REFERENCE, Game
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chains, playable_rules, setups

from yote_fast.notation import Setup, format_yfen
from yote_fast.rules import Rules

# A listing of two plies is compared only where it stays short.
SHORT = 40


def assert_same(expected: Game, found: Game, rules: Rules) -> dict[str, Game]:
    """Compare the engines on one position; return the actions and the reference's positions after them."""
    where = f"{rules}: {expected.yfen()}"
    assert found.yfen() == expected.yfen(), where
    assert found.turn == expected.turn, where
    moves = expected.moves()
    assert sorted(found.actions()) == sorted(text for text, _ in moves), where
    assert found.result() == expected.result(), where
    return dict(moves)


def assert_same_plays(expected: Game, found: Game, rules: Rules) -> None:
    """Compare the engines on one position and on those after each of its actions."""
    for text, after in assert_same(expected, found, rules).items():
        played = found.play(text)
        assert (played.yfen(), played.result()) == (after.yfen(), after.result()), f"{rules}: {expected.yfen()} {text}"


def choose(texts: list[str], rng: random.Random) -> str:
    """A random action of a random kind, so that the rare kinds come up often."""
    kinds: dict[str, list[str]] = {}
    for text in sorted(texts):
        kinds.setdefault(re.sub("[a-z][0-9]+", "", text), []).append(text)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def play_out(rules: Rules, yfen: str | None, seed: int, plies: int) -> None:
    """Play a random game on both engines, comparing them all the way."""
    rng = random.Random(seed)
    expected, found = REFERENCE.position(yfen, rules), COMPILED.position(yfen, rules)
    for _ in range(plies):
        moves = assert_same(expected, found, rules)
        if not moves:
            return
        if len(moves) <= SHORT and rng.random() < 0.1:
            assert found.divide(2) == expected.divide(2), f"{rules}: {expected.yfen()}"
        text = choose(list(moves), rng)
        expected, found = moves[text], found.play(text)


@given(rules=playable_rules(), seed=st.integers(0, 2**32), plies=st.integers(0, 120))
@settings(max_examples=300)
def test_random_games(rules: Rules, seed: int, plies: int) -> None:
    play_out(rules, None, seed, plies)


@given(data=st.data(), rules=playable_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=600)
def test_any_valid_position(data: st.DataObject, rules: Rules, seed: int) -> None:
    """Positions that play cannot reach are open to analysis too; a few plies lead on from each."""
    play_out(rules, format_yfen(data.draw(setups(rules)), rules), seed, plies=4)


@given(data=st.data(), rules=playable_rules())
@settings(max_examples=100)
def test_every_action_of_any_valid_position(data: st.DataObject, rules: Rules) -> None:
    yfen = format_yfen(data.draw(setups(rules)), rules)
    assert_same_plays(REFERENCE.position(yfen, rules), COMPILED.position(yfen, rules), rules)


@given(chain=chains())
@settings(max_examples=500)
def test_chains(chain: tuple[Rules, Setup]) -> None:
    rules, setup = chain
    yfen = format_yfen(setup, rules)
    assert_same_plays(REFERENCE.position(yfen, rules), COMPILED.position(yfen, rules), rules)


@pytest.mark.slow
@given(rules=playable_rules(), seed=st.integers(0, 2**32), plies=st.integers(0, 300))
@settings(max_examples=300)
def test_many_random_games(rules: Rules, seed: int, plies: int) -> None:
    play_out(rules, None, seed, plies)


@pytest.mark.slow
@given(data=st.data(), rules=playable_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=600)
def test_many_valid_positions(data: st.DataObject, rules: Rules, seed: int) -> None:
    play_out(rules, format_yfen(data.draw(setups(rules)), rules), seed, plies=6)


@pytest.mark.slow
@given(chain=chains())
@settings(max_examples=1_500)
def test_many_chains(chain: tuple[Rules, Setup]) -> None:
    rules, setup = chain
    yfen = format_yfen(setup, rules)
    assert_same_plays(REFERENCE.position(yfen, rules), COMPILED.position(yfen, rules), rules)
