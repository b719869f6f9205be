"""The reference engine by itself: what it depends on and its interface."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import yote_fast
from yote_fast.errors import IllegalMoveError, InvalidMoveError, InvalidPositionError
from yote_fast.reference import Position, divide, perft
from yote_fast.rules import CHOKO, YOTE, Rules

# Independence ---------------------------------------------------------------------------------------------------------------------

SHARED = {"errors", "notation", "rules"}


def imported(module: str) -> Iterator[str]:
    """The modules that a module of the package imports: a package's own with a leading dot."""
    source = (Path(yote_fast.__file__).parent / f"{module}.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@pytest.mark.parametrize("module", ["reference", *sorted(SHARED)])
def test_imports_nothing_of_the_compiled_engine(module: str) -> None:
    allowed = {f".{name}" for name in SHARED}
    own = {name for name in imported(module) if name.startswith((".", "yote_fast"))}
    assert own <= allowed
    assert {name.partition(".")[0] for name in imported(module) if name not in own} <= sys.stdlib_module_names


# Interface ------------------------------------------------------------------------------------------------------------------------


def test_positions_are_values() -> None:
    one, other = Position().play("@a1"), Position("6/6/6/6/C5 b 11/12")
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, Position()}) == 2
    assert one != Position("6/6/6/6/C5 b 11/12", Rules(bonus_turn=True))
    with pytest.raises(AttributeError):
        one.turn = True  # type: ignore[misc]


def test_play_leaves_the_position_alone() -> None:
    position = Position()
    position.play("@a1")
    assert position == Position()
    assert position.turn
    assert not position.play("@a1").turn


def test_repr_makes_the_position_again() -> None:
    position = Position("5/5/5/5/C4 b 11/12 !", CHOKO)
    assert eval(repr(position), {"Position": Position, "Rules": Rules}) == position


def test_refusals() -> None:
    with pytest.raises(IllegalMoveError, match="a1-a2 is not legal in 6/6/6/6/6 w 12/12"):
        Position().play("a1-a2")
    with pytest.raises(InvalidMoveError):
        Position().play("a1-z9")
    with pytest.raises(InvalidPositionError):
        Position("6/6/6/6/6 w 13/12")
    with pytest.raises(ValueError, match="depth"):
        perft(Position(), -1)
    with pytest.raises(ValueError, match="depth"):
        divide(Position(), 0)


def test_perft_counts_no_action_at_depth_0() -> None:
    assert perft(Position(), 0) == 1
    assert perft(Position("6/6/6/6/C5 b 0/0"), 0) == 1


def test_divide_adds_up() -> None:
    position = Position("6/2c3/6/3C2/6 w 1/1", YOTE)
    parts = divide(position, 3)
    assert sorted(parts) == sorted(text for text, _ in position.legal_moves())
    assert sum(parts.values()) == perft(position, 3)
