"""Hypothesis strategies for rules, positions and actions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from yote_fast.notation import HAND, Action, Phase, Setup
from yote_fast.rules import MAX_SQUARES, Rules

BOARDS = [(rows, cols) for rows in range(2, 19) for cols in range(2, 19) if rows * cols <= MAX_SQUARES]

SWITCHES = ("optional_removal", "mandatory_capture", "bonus_turn", "friendly_leap", "royal_caravan")


@st.composite
def rules(
    draw: st.DrawFn,
    boards: list[tuple[int, int]] = BOARDS,
    pieces: tuple[int, int] = (1, 20),
    repetition: tuple[int, ...] = (0, 2, 3, 999_999_999),
) -> Rules:
    """Any valid mix of all options, on one of ``boards``, with a number of ``pieces`` between two bounds."""
    rows, cols = draw(st.sampled_from(boards))
    options: dict[str, Any] = {switch: draw(st.booleans()) for switch in SWITCHES}
    # The one pair that excludes each other.
    chains_or_drops = draw(st.sampled_from(["neither", "chain_capture", "chain_capture", "drop_initiative"]))
    return Rules(
        rows=rows,
        cols=cols,
        pieces=draw(st.integers(*pieces)),
        second_removal=draw(st.sampled_from(["board_then_hand", "board", "board_or_hand"])),
        no_moves=draw(st.sampled_from(["most_pieces", "loses", "pass"])),
        repetition=draw(st.sampled_from(repetition)),
        # Rarer than the other switches, since it ends most small games at once.
        draw_at_three=draw(st.sampled_from([False, False, False, True])),
        chain_capture=chains_or_drops == "chain_capture",
        drop_initiative=chains_or_drops == "drop_initiative",
        chain_removal=draw(st.sampled_from(["after", "each"])),
        trade_routes=draw(st.sampled_from([0, 0, 1, 2, 4])),
        **options,
    )


def _explodes(mix: Rules) -> bool:
    """Chains with a removal after each jump have tens of thousands of forms on a crowded large board."""
    return mix.chain_capture and mix.chain_removal == "each" and mix.pieces > 8


def playable_rules() -> st.SearchStrategy[Rules]:
    """Mixes to play: half of them on boards up to 16 squares, all with a number of actions that the reference can list in no time.

    Repetition is off, since it is a fact of a game and not of a position.
    """
    small = [(rows, cols) for rows, cols in BOARDS if rows * cols <= 16]
    large = rules(pieces=(4, 14), repetition=(0,)).filter(lambda mix: not _explodes(mix))
    return st.one_of(rules(small, pieces=(2, 7), repetition=(0,)), large)


def blocks(mix: Rules) -> list[int]:
    """The lower left squares of the 2 x 2 blocks, in order."""
    return [row * mix.cols + col for row in range(mix.rows - 1) for col in range(mix.cols - 1)]


@st.composite
def setups(draw: st.DrawFn, mix: Rules) -> Setup:
    """Any valid position, whether play can lead to it or not."""
    board = ["."] * mix.squares
    squares = draw(st.permutations(range(mix.squares)))
    hands, royals = [], []
    for camel, royal in (("C", "R"), ("c", "r")):
        royal_place = draw(st.sampled_from(["board", "hand", "lost"])) if mix.royal_caravan else "lost"
        camels = draw(st.integers(0, mix.pieces - (royal_place != "lost")))
        # Mostly on the board, where pieces meet.
        in_hand = draw(st.one_of(st.just(0), st.integers(0, camels)))
        men = royal * (royal_place == "board") + camel * (camels - in_hand)
        for man in men[: len(squares)]:
            board[squares.pop()] = man
        hands.append(in_hand)
        royals.append(royal_place == "hand")
    turn = draw(st.booleans())
    setup = Setup(
        board="".join(board),
        turn=turn,
        hands=(hands[0], hands[1]),
        royals=(royals[0], royals[1]),
        must_drop=mix.drop_initiative and draw(st.booleans()),
    )
    return draw(_with_routes(setup, mix)) if mix.trade_routes else setup


@st.composite
def _with_routes(draw: st.DrawFn, setup: Setup, mix: Rules) -> Setup:
    most = 2 * mix.trade_routes
    chosen = sorted(draw(st.lists(st.sampled_from(blocks(mix)), max_size=most, unique=True)))
    routes = tuple((block, block + mix.cols + 1) if draw(st.booleans()) else (block + 1, block + mix.cols) for block in chosen)
    white = draw(st.integers(0, min(mix.trade_routes, most - len(routes))))
    black = draw(st.integers(0, min(mix.trade_routes, most - len(routes) - white)))
    own = [square for square, man in enumerate(setup.board) if man in ("CR" if setup.turn else "cr")]
    actor = draw(st.sampled_from([None, *own]))
    placed = draw(st.booleans())
    bonus = placed and actor is not None and draw(st.booleans())
    phase = Phase(placed, draw(st.booleans()), actor, bonus)
    return Setup(
        setup.board, setup.turn, setup.hands, setup.royals, setup.must_drop, supplies=(white, black), routes=routes, phase=phase
    )


@st.composite
def chains(draw: st.DrawFn) -> tuple[Rules, Setup]:
    """A position where one piece has many jumps ahead of it, circles among them, and its rules.

    A piece jumps from each square to squares of the same parity of row and column; these are left empty, and enemies stand between.
    """
    boards = [(rows, cols) for rows, cols in BOARDS if min(rows, cols) >= 3]
    mix = dataclasses.replace(draw(rules(boards, pieces=(3, 8), repetition=(0,))), chain_capture=True, drop_initiative=False)
    start = draw(st.integers(0, mix.squares - 1))
    row, col = divmod(start, mix.cols)
    between = [square for square in range(mix.squares) if (square // mix.cols - row) % 2 or (square % mix.cols - col) % 2]
    # Six at most: with a removal after each jump the number of forms grows with every enemy.
    enemies = draw(st.lists(st.sampled_from(between), min_size=3, max_size=min(6, mix.pieces), unique=True))
    board = ["."] * mix.squares
    board[start] = "C"
    for square in enemies:
        board[square] = "c"
    if mix.royal_caravan and draw(st.booleans()):
        board[enemies[0]] = "r"
    hands = (draw(st.integers(0, 1)), draw(st.integers(0, min(2, mix.pieces - len(enemies)))))
    setup = Setup(board="".join(board), turn=True, hands=hands)
    return mix, draw(_with_routes(setup, mix)) if mix.trade_routes else setup


@st.composite
def actions(draw: st.DrawFn, mix: Rules) -> Action:
    """Any action that the notation can write, most of them legal nowhere."""
    square = st.integers(0, mix.squares - 1)
    kind = draw(st.sampled_from(["@", "R@", "-", "x", "=", "~", "--"]))
    match kind:
        case "--":
            return Action("--")
        case "@" | "R@":
            return Action(kind, (draw(square),))
        case "-" | "~":
            return Action(kind, (draw(square), draw(square)))
        case "=":
            low, high = sorted(draw(st.lists(square, min_size=2, max_size=2, unique=True)))
            return Action("=", (low, high))
    landings = draw(st.lists(square, min_size=1, max_size=4))
    return Action("x", (draw(square), *landings), tuple(draw(removals(range(mix.squares))) for _ in landings))


@st.composite
def removals(draw: st.DrawFn, squares: Sequence[int]) -> tuple[int, ...]:
    """Second removals after one landing, from some of ``squares`` and the hand."""
    return (*sorted(draw(st.sets(st.sampled_from(squares), max_size=2))), *[HAND] * draw(st.integers(0, 2)))
