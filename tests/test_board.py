"""The board: its state, its moves, its history and its copies; and whatever is wrong is refused by name and changes nothing."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from play import choose, play, play_all
from shell import PROMPTLY, interrupt, needs_ctrl_c, needs_tight_memory, run
from strategies import chains, playable_rules, setups

import yote_fast as yf
from yote_fast import reference
from yote_fast.notation import HAND, Action, Phase, Setup, format_yfen
from yote_fast.rules import Rules

MIDDLE = "6/2c3/2C3/4c1/1c4 w 8/7"
SMALL = "yote+rows=3+cols=3+pieces=8"
TINY = "yote+rows=2+cols=2+pieces=4"
CHAINS = f"{SMALL}+chain_capture"
ROUTES = f"{SMALL}+trade_routes=1"


def board_at(rules: str, yfen: str | None = None) -> yf.Board:
    return yf.Board(yfen, Rules.parse(rules))


def state(board: yf.Board) -> tuple[object, ...]:
    """All that a board is, its history included."""
    return board.yfen(), board.key, board.fresh_key(), board.ply(), board.move_stack, list(board.legal_moves), board.occurrences()


def bits(*squares: int) -> int:
    return sum(1 << square for square in squares)


# The position ---------------------------------------------------------------------------------------------------------------------


def test_start() -> None:
    board = yf.Board()
    assert board.rules == yf.YOTE
    assert board.turn is yf.WHITE
    assert (board.white, board.black, board.royals) == (0, 0, 0)
    assert [board.hand(color) for color in (yf.WHITE, yf.BLACK)] == [12, 12]
    assert board.yfen() == "6/6/6/6/6 w 12/12"
    assert (board.ply(), board.move_stack, board.occurrences()) == (0, [], 1)
    assert (board.outcome(), board.result(), board.is_game_over()) == (None, "*", False)


def test_pieces_and_hands() -> None:
    board = board_at("heroes", "6/2r3/1C1R2/6/c5 b 3/4")
    assert board.turn is yf.BLACK
    assert (board.white, board.black, board.royals) == (bits(13, 15), bits(0, 20), bits(15, 20))
    pieces = {square: piece for square in range(30) if (piece := board.piece_at(square))}
    assert pieces == {0: "c", 13: "C", 15: "R", 20: "r"}
    assert (board.hand(yf.WHITE), board.hand(yf.BLACK)) == (3, 4)
    assert not board.royal_in_hand(yf.WHITE)


def test_royals_in_hand_count_as_pieces_in_hand() -> None:
    board = board_at("heroes", "6/6/6/6/6 w 3R/4")
    assert (board.royal_in_hand(yf.WHITE), board.royal_in_hand(yf.BLACK)) == (True, False)
    assert (board.hand(yf.WHITE), board.hand(yf.BLACK)) == (4, 4)


def test_the_obligation_to_drop() -> None:
    board = yf.Board(rules=yf.CHOKO)
    seen = []
    for text in ("@a1", "@a2", "@a3", "@a4", "a1-b1"):
        seen.append(board.must_drop)
        board.push_text(text)
    assert seen == [False, True, False, True, False]


def test_routes() -> None:
    board = board_at("challenges", "6/6/6/6/C5 w 11/12 - 1/2:a1b2 p")
    assert (board.supply(yf.WHITE), board.supply(yf.BLACK)) == (1, 2)
    assert board.setup() == Setup("C" + 29 * ".", yf.WHITE, (11, 12), supplies=(1, 2), routes=((0, 7),), phase=Phase(placed=True))


def test_pictures_and_repr() -> None:
    board = board_at("choko", "5/5/2c2/5/C4 w 11/11 !")
    assert eval(repr(board), {"Board": yf.Board, "Rules": Rules}) == board
    assert eval(repr(yf.Board()), {"Board": yf.Board}) == yf.Board()
    assert str(board).splitlines() == [
        "5  . . . . .",
        "4  . . . . .",
        "3  . . c . .",
        "2  . . . . .",
        "1  C . . . .",
        "   a b c d e",
        "white to move, must drop; in hand: white 11, black 11",
    ]


@given(data=st.data(), rules=playable_rules())
def test_a_board_says_what_its_setup_says(data: st.DataObject, rules: Rules) -> None:
    setup = data.draw(setups(rules))
    board = yf.Board(format_yfen(setup, rules), rules)
    assert board.setup() == setup
    assert "".join(board.piece_at(square) or "." for square in range(rules.squares)) == setup.board
    for men, found in (("CR", board.white), ("cr", board.black), ("Rr", board.royals)):
        assert found == bits(*(square for square, man in enumerate(setup.board) if man in men))
    for i, color in enumerate((yf.WHITE, yf.BLACK)):
        assert board.hand(color) == setup.hands[i] + setup.royals[i]
        assert (board.royal_in_hand(color), board.supply(color)) == (setup.royals[i], setup.supplies[i])
    assert (board.turn, board.must_drop) == (setup.turn, setup.must_drop)


# Legal moves ----------------------------------------------------------------------------------------------------------------------


def test_legal_moves_follow_the_board_and_iterators_do_not() -> None:
    board = board_at(TINY)
    moves = board.legal_moves
    iterator = iter(moves)
    assert (len(moves), moves.count(), bool(moves)) == (4, 4, True)
    board.push(next(iterator))
    board.push_text("@b1")
    assert list(map(str, iterator)) == ["@b1", "@a2", "@b2"]
    assert sorted(map(str, moves)) == ["@a2", "@b2", "a1-a2"]
    assert list(iterator) == []
    assert repr(moves) == f"<LegalMoves ({', '.join(map(str, moves))})>"


def test_an_iterator_outlives_its_board() -> None:
    iterator = iter(board_at("yote+chain_capture").legal_moves)
    assert len(list(iterator)) == 30


def test_a_board_may_change_while_its_moves_are_iterated() -> None:
    board = board_at(SMALL, "3/1c1/cC1 w 0/2")
    for move in board.legal_moves:
        board.push(move)
        assert list(board.legal_moves) != [move]
        assert board.pop() is move
    assert board == board_at(SMALL, "3/1c1/cC1 w 0/2")


def test_no_legal_moves_in_a_finished_game() -> None:
    moves = board_at(SMALL, "3/3/C2 b 0/0").legal_moves
    assert (list(moves), len(moves), moves.count(), bool(moves)) == ([], 0, 0, False)


@given(data=st.data(), rules=playable_rules(), seed=st.integers(0, 2**32))
def test_legal_moves_are_one_list_in_many_forms(data: st.DataObject, rules: Rules, seed: int) -> None:
    board = yf.Board(format_yfen(data.draw(setups(rules)), rules), rules)
    play_all(board, seed, 2)
    moves = list(board.legal_moves)
    assert len(moves) == len(set(moves)) == len(board.legal_moves) == board.legal_moves.count()
    assert bool(board.legal_moves) == bool(moves)
    assert sorted(map(str, moves)) == sorted(text for text, _ in reference.Position(board.yfen(), rules).legal_moves())
    for move in moves:
        assert move in board.legal_moves
        assert board.parse(str(move)) == move
        assert hash(board.parse(str(move))) == hash(move)


@given(data=st.data(), rules=playable_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_moves_of_other_positions_are_legal_or_not(data: st.DataObject, rules: Rules, seed: int) -> None:
    board = yf.Board(format_yfen(data.draw(setups(rules)), rules), rules)
    others = [yf.Board(rules=rules), yf.Board(format_yfen(data.draw(setups(rules)), rules), rules)]
    foreign = {move for other in others for move in (*other.legal_moves, *play(other, seed, 20))}
    legal = set(map(str, board.legal_moves))
    before = state(board)
    for move in sorted(foreign):
        assert (move in board.legal_moves) == (str(move) in legal), move
        if str(move) in legal:
            board.push(move)
            board.pop()
        else:
            with pytest.raises(yf.IllegalMoveError):
                board.push(move)
    assert state(board) == before


@given(chain=chains(), data=st.data())
@settings(max_examples=60)
def test_chains_of_other_positions_are_legal_or_not(chain: tuple[Rules, Setup], data: st.DataObject) -> None:
    """Another number of pieces in the hand or another side removed: most chains look alike and are not."""
    rules, setup = chain
    board = yf.Board(format_yfen(setup, rules), rules)
    man = data.draw(st.sampled_from([square for square, man in enumerate(setup.board) if man in "cr"]))
    without = setup.board[:man] + "." + setup.board[man + 1 :]
    other = yf.Board(format_yfen(Setup(without, True, setup.hands, supplies=setup.supplies), rules), rules)
    legal = set(map(str, board.legal_moves))
    for move in other.legal_moves:
        assert (move in board.legal_moves) == (str(move) in legal), move


# Moves ----------------------------------------------------------------------------------------------------------------------------

# Rules, position, text, action, from, to, whether it captures, squares cleared.
KINDS: list[tuple[str, str | None, str, Action, int | None, int | None, bool, int]] = [
    ("yote", None, "@c3", Action("@", (14,)), None, 14, False, 0),
    ("heroes", None, "R@a1", Action("R@", (0,)), None, 0, False, 0),
    ("yote", MIDDLE, "c3-c2", Action("-", (14, 8)), 14, 8, False, 0),
    (f"{SMALL}+friendly_leap", "3/1C1/1C1 w 0/1", "b1-b3", Action("-", (1, 7)), 1, 7, False, 0),
    ("yote", MIDDLE, "c3xc5/b1", Action("x", (14, 26), ((1,),)), 14, 26, True, bits(20, 1)),
    (SMALL, "3/1c1/1C1 w 0/2", "b1xb3/*", Action("x", (1, 7), ((HAND,),)), 1, 7, True, bits(4)),
    (SMALL, "3/1c1/1C1 w 0/0", "b1xb3", Action("x", (1, 7), ((),)), 1, 7, True, bits(4)),
    (CHAINS, "1c1/2c/Cc1 w 0/1", "a1xc1xc3/b3,*", Action("x", (0, 2, 8), ((), (7, HAND))), 0, 8, True, bits(1, 5, 7)),
    (f"{CHAINS}+chain_removal=each", "1c1/2c/Cc1 w 0/1", "a1xc1/b3xc3/*", Action("x", (0, 2, 8), ((7,), (HAND,))), 0, 8, True,
     bits(1, 5, 7)),
    (f"{CHAINS}+second_removal=board", "1c1/c1c/Cc1 w 0/1", "a1xc1xc3xa3xa1", Action("x", (0, 2, 8, 6, 0), ((), (), (), ())), 0, 0,
     True, bits(1, 3, 5, 7)),
    (ROUTES, "3/3/C1c w 0/0 - 1/0", "=b1a2", Action("=", (1, 3)), None, None, False, 0),
    (ROUTES, "3/3/C1c w 0/0 - 0/0:a1b2,b2c3", "a1~c3", Action("~", (0, 8)), 0, 8, False, 0),
    (ROUTES, "3/1c1/C1c w 0/0 - 0/0:a1b2,b2c3", "a1xc3/c1", Action("x", (0, 8), ((2,),)), 0, 8, True, bits(2, 4)),
    (f"{TINY}+no_moves=pass", "Cc/c1 w 0/0", "--", Action("--"), None, None, False, 0),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "yfen", "text", "action", "origin", "target", "captures", "cleared"), KINDS)
def test_what_moves_are(
    rules: str,
    yfen: str | None,
    text: str,
    action: Action,
    origin: int | None,
    target: int | None,
    captures: bool,
    cleared: int,
) -> None:
    board = board_at(rules, yfen)
    move = board.parse(text)
    assert str(move) == text
    assert repr(move) == f"<Move {text}>"
    assert move.action == action
    assert (move.from_square, move.to_square) == (origin, target)
    assert (move.is_capture, move.cleared) == (captures, cleared)
    assert move in set(board.legal_moves)
    restored = pickle.loads(pickle.dumps(move))
    assert (restored, str(restored)) == (move, text)
    assert board.push_text(text) == move == board.peek() == board.pop()


def test_moves_of_a_kind_are_all_in_the_table() -> None:
    assert {action.kind for _, _, _, action, *_ in KINDS} == {"@", "R@", "-", "x", "=", "~", "--"}


def test_moves_are_values() -> None:
    move, same, other = yf.Board().parse("@a1"), yf.Board(rules=Rules(bonus_turn=True)).parse("@a1"), yf.Board().parse("@b1")
    assert move == same != other
    assert hash(move) == hash(same)
    assert len({move, same, other}) == 2
    assert move != "@a1"
    assert move != yf.Board(rules=yf.CHOKO).parse("@a1")
    with pytest.raises(AttributeError):
        move.cleared = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        _ = move < "@a2"  # type: ignore[operator]


@given(data=st.data(), rules=playable_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_moves_have_one_order(data: st.DataObject, rules: Rules, seed: int) -> None:
    board = yf.Board(format_yfen(data.draw(setups(rules)), rules), rules)
    moves = [*board.legal_moves, *play(board, seed, 10)]
    rng = random.Random(seed)
    rng.shuffle(moves)
    ordered = sorted(moves)
    rng.shuffle(moves)
    assert sorted(moves) == ordered
    for i, low in enumerate(ordered[:30]):
        for high in ordered[i:30]:
            assert low <= high
            assert high >= low
            assert (low < high) == (high > low) == (low != high) == (str(low) != str(high))


def test_moves_sort_by_kind() -> None:
    board = board_at("heroes+friendly_leap+trade_routes=2", "6/2c3/2C3/4c1/Cc4 w 8R/7 - 1/1:b2c3,c3d4")
    moves = list(board.legal_moves)
    kinds = [move.action.kind for move in sorted(moves)]
    assert [kind for i, kind in enumerate(kinds) if kinds.index(kind) == i] == ["@", "R@", "-", "x", "=", "~"]
    assert sorted(kinds, key=["@", "R@", "-", "x", "=", "~"].index) == kinds


# Play and history -----------------------------------------------------------------------------------------------------------------


def test_push_peek_pop() -> None:
    board = yf.Board()
    texts = ["@c3", "@c4", "c3xc5/*", "@a1"]
    for ply, text in enumerate(texts):
        assert board.ply() == ply
        move = board.parse(text)
        board.push(move)
        assert board.peek() is move
    assert list(map(str, board.move_stack)) == texts
    board.move_stack.clear()
    assert [str(board.pop()) for _ in texts] == texts[::-1]
    assert state(board) == state(yf.Board())


@given(rules=playable_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_pop_undoes_push(rules: Rules, seed: int) -> None:
    board = yf.Board(rules=rules)
    before = [state(board)]
    moves = []
    for move in play(board, seed, 80):
        moves.append(move)
        before.append(state(board))
    assert board.move_stack == moves
    while moves:
        assert state(board) == before.pop()
        assert board.pop() == moves.pop()
    assert state(board) == before.pop()


@given(data=st.data(), rules=playable_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=150)
def test_keys_are_kept_up_to_date(data: st.DataObject, rules: Rules, seed: int) -> None:
    """The key that play leads to is that of the position set up, and no two positions met here share one."""
    start = data.draw(st.one_of(st.none(), setups(rules).map(lambda setup: format_yfen(setup, rules))))
    board = yf.Board(start, rules)
    yfens = {board.key: board.yfen()}
    for move in play(board, seed, 60):
        set_up = yf.Board(board.yfen(), rules)
        assert board.key == board.fresh_key() == set_up.key, f"{rules}: {move} to {board.yfen()}"
        assert board == set_up
        assert yfens.setdefault(board.key, board.yfen()) == board.yfen()


@given(rules=playable_rules(), seed=st.integers(0, 2**32))
def test_transpositions(rules: Rules, seed: int) -> None:
    """Two moves of a side in either order around a reply."""
    board = play_all(yf.Board(rules=rules), seed, seed % 30)
    rng = random.Random(seed)
    reached: dict[str, yf.Board] = {}
    for _ in range(20):
        if not board.legal_moves:
            break
        trial = board.copy()
        moves = [trial.push_text(str(choose(trial, rng))) for _ in range(3) if trial.legal_moves]
        for order in (moves, moves[::-1]):
            other = board.copy()
            for move in order:
                if move not in other.legal_moves:
                    break
                other.push(move)
            first = reached.setdefault(other.yfen(), other)
            assert (other == first, other.key) == (True, first.key)
    assert len({other.key for other in reached.values()}) == len(reached)


def test_orders_of_drops() -> None:
    board, other = yf.Board(), yf.Board()
    for text in ("@a1", "@b2", "@c3", "@d4"):
        board.push_text(text)
    for text in ("@c3", "@d4", "@a1", "@b2"):
        other.push_text(text)
    assert board == other
    assert (board.key, board.yfen()) == (other.key, other.yfen())
    assert board.move_stack != other.move_stack


DRAWN = yf.Outcome(None, yf.Termination.REPETITION)
CYCLE = ["c3-c2", "c4-c5", "c2-c3", "c5-c4"]


@pytest.mark.parametrize("repetition", [0, 2, 3, 5])
def test_repetition(repetition: int) -> None:
    """A game that goes in circles: the start of each circle stands once more, and all positions in between as often."""
    board = board_at(f"yote+repetition={repetition}", "6/2c3/2C3/6/6 w 3/3")
    for ply in range(20):
        occurrences = 1 + ply // len(CYCLE)
        assert board.occurrences() == occurrences
        drawn = repetition != 0 and occurrences >= repetition
        assert board.outcome() == (DRAWN if drawn else None)
        assert (board.is_game_over(), board.result()) == (drawn, "1/2-1/2" if drawn else "*")
        assert board.copy().occurrences() == pickle.loads(pickle.dumps(board)).occurrences() == occurrences
        assert board.copy(stack=False).occurrences() == 1
        assert len(board.legal_moves) > 0
        board.push_text(CYCLE[ply % len(CYCLE)])
    while board.ply():
        board.pop()
        assert board.occurrences() == 1 + board.ply() // len(CYCLE)


@given(data=st.data(), rules=playable_rules(), seed=st.integers(0, 2**32), repetition=st.sampled_from([2, 3]))
def test_only_what_is_the_same_in_everything_is_a_repetition(data: st.DataObject, rules: Rules, seed: int, repetition: int) -> None:
    rules = dataclasses.replace(rules, repetition=repetition)
    board = yf.Board(format_yfen(data.draw(setups(rules)), rules), rules)
    seen = {board.yfen(): 1}
    for _ in play(board, seed, 60):
        seen[board.yfen()] = seen.get(board.yfen(), 0) + 1
        assert board.occurrences() == seen[board.yfen()]
        outcome = board.outcome()
        if board.legal_moves:
            assert (outcome == DRAWN) == (seen[board.yfen()] >= repetition)
        else:
            assert outcome not in (None, DRAWN)


# Rules, position, winner (None: a draw), what ended the game.
ENDS = [
    (SMALL, "3/3/C2 b 0/0", yf.WHITE, yf.Termination.NO_PIECES),
    (SMALL, "3/3/c2 w 0/0", yf.BLACK, yf.Termination.NO_PIECES),
    (SMALL, "3/3/3 w 0/0", None, yf.Termination.NO_PIECES),
    (f"{SMALL}+draw_at_three", "3/3/C1c b 2/2", None, yf.Termination.THREE_PIECES),
    (f"{SMALL}+draw_at_three", "3/3/C2 b 0/0", yf.WHITE, yf.Termination.NO_PIECES),
    (TINY, "Cc/c1 w 0/0", yf.BLACK, yf.Termination.NO_MOVES),
    (TINY, "CC/cc b 2/1", yf.WHITE, yf.Termination.NO_MOVES),
    (TINY, "CC/cc b 1/1", None, yf.Termination.NO_MOVES),
    (f"{TINY}+draw_at_three", "CC/cc b 1/1", None, yf.Termination.THREE_PIECES),
    (f"{TINY}+no_moves=loses", "CC/cc w 2/0", yf.BLACK, yf.Termination.NO_MOVES),
    (f"{TINY}+no_moves=pass", "CC/cc w 1/0", None, yf.Termination.NO_MOVES),
]


@pytest.mark.parametrize(("rules", "yfen", "winner", "termination"), ENDS)
def test_ends(rules: str, yfen: str, winner: bool | None, termination: yf.Termination) -> None:
    board = board_at(rules, yfen)
    outcome = board.outcome()
    assert outcome == yf.Outcome(winner, termination)
    assert board.is_game_over()
    assert board.result() == outcome.result() == {True: "1-0", False: "0-1", None: "1/2-1/2"}[winner]
    assert not board.legal_moves
    with pytest.raises(yf.IllegalMoveError, match="the game is over"):
        board.push_text("@a1")


def test_every_termination_is_in_a_test() -> None:
    assert {termination for *_, termination in ENDS} | {yf.Termination.REPETITION} == set(yf.Termination)


# Copies ---------------------------------------------------------------------------------------------------------------------------


def played() -> yf.Board:
    return play_all(board_at("challenges+royal_caravan+chain_capture"), 7, 25)


@pytest.mark.parametrize("copied", [yf.Board.copy, copy.copy, copy.deepcopy, lambda board: pickle.loads(pickle.dumps(board))])
def test_copies_are_equal_and_independent(copied: Callable[[yf.Board], yf.Board]) -> None:
    board = played()
    before = state(board)
    other = copied(board)
    assert other is not board
    assert other == board
    assert state(other) == before
    assert other.rules == board.rules
    while other.ply() > 10:
        other.pop()
    play_all(other, 3, 60)
    assert state(board) == before
    changed = state(other)
    board.pop()
    play_all(board, 4, 60)
    assert state(other) == changed


def test_copy_without_history() -> None:
    board = played()
    other = board.copy(stack=False)
    assert other == board
    assert (other.ply(), other.move_stack, other.occurrences()) == (0, [], 1)
    with pytest.raises(IndexError):
        other.pop()
    assert board.ply() == 25


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol: int) -> None:
    board = played()
    boards, moves = pickle.loads(pickle.dumps(([board, board.copy(stack=False)], list(board.legal_moves)), protocol))
    assert [state(restored) for restored in boards] == [state(board), state(board.copy(stack=False))]
    assert moves == list(board.legal_moves)
    assert list(map(str, moves)) == list(map(str, board.legal_moves))


@given(chain=chains())
@settings(max_examples=60)
def test_moves_of_every_form_are_restored(chain: tuple[Rules, Setup]) -> None:
    rules, setup = chain
    moves = list(yf.Board(format_yfen(setup, rules), rules).legal_moves)[:500]
    assert pickle.loads(pickle.dumps(moves)) == moves


def test_pickles_are_read_by_other_processes() -> None:
    board = played()
    pickled = pickle.dumps((board, list(board.legal_moves)))
    code = f"import pickle; board, moves = pickle.loads({pickled!r}); print(board.yfen(), *board.move_stack, *moves, board.key)"
    ended = run("-c", code)
    assert ended.stdout.split() == [*board.yfen().split(), *map(str, (*board.move_stack, *board.legal_moves, board.key))]


def test_equality() -> None:
    board = yf.Board()
    assert board == yf.Board("6/6/6/6/6 w 12/12")
    assert board != yf.Board("6/6/6/6/6 b 12/12")
    assert board != yf.Board("6/6/6/6/6 w 12/11")
    assert board != yf.Board(rules=Rules(bonus_turn=True))
    assert board != board.yfen()
    with pytest.raises(TypeError, match="unhashable"):
        hash(board)
    with pytest.raises(TypeError):
        _ = board < yf.Board()  # type: ignore[operator]


# Bad input ------------------------------------------------------------------------------------------------------------------------

BAD_YFENS = [
    ("", "field YFEN: it has 1 fields, expected 3 to 6"),
    ("6/6/6/6/6 w", "field YFEN: it has 2 fields"),
    ("6/6/6/6 w 12/12", "field BOARD: it has 4 rows, expected 5"),
    ("6/6/5/6/6 w 12/12", "field BOARD: row 3 has 5 squares, expected 6"),
    ("6/6/6/6/5x w 12/12", "field BOARD: row 1 is '5x'"),
    ("6/6/6/6/5R w 12/12", "field BOARD: white has a royal"),
    ("6/6/6/6/6 white 12/12", "field SIDE: it is 'white'"),
    ("6/6/6/6/6 w 13/12", "field HANDS: white has 13 pieces"),
    ("6/6/6/6/6 w -1/12", "field HANDS: it is '-1/12'"),
    ("6/6/6/6/6 w 12/12 !", "field DROP: ! is only for rules with drop_initiative"),
    ("6/6/6/6/6 w 12/12 - 2/2", "field ROUTES: it is '2/2'"),
    ("6/6/6/6/6 w 12/12 - - p", "field PHASE: it is 'p'"),
]


@pytest.mark.parametrize(("yfen", "message"), BAD_YFENS)
def test_bad_yfens(yfen: str, message: str) -> None:
    with pytest.raises(yf.InvalidPositionError) as caught:
        yf.Board(yfen)
    assert message in str(caught.value)


BAD_ROUTES = [
    ("6/6/6/6/6 w 12/12", "field ROUTES: the field is missing"),
    ("6/6/6/6/6 w 12/12 - 3/2", "field ROUTES: white's supply is 3"),
    ("6/6/6/6/6 w 12/12 - 1/1:a1c3", "field ROUTES: a1c3 does not join"),
    ("6/6/6/6/6 w 12/12 - 1/1:a1b2,b1a2", "field ROUTES: b1a2 meets another route"),
    ("6/6/6/6/6 w 12/12 - 1/1 ma1", "field PHASE: the square after m or b must hold a piece"),
]


@pytest.mark.parametrize(("yfen", "message"), BAD_ROUTES)
def test_bad_route_yfens(yfen: str, message: str) -> None:
    with pytest.raises(yf.InvalidPositionError) as caught:
        yf.Board(yfen, yf.CHALLENGES)
    assert message in str(caught.value)


# A call on a board, the exact class of its exception, and what the message names.
REFUSED: list[tuple[Callable[[Any], object], type[Exception], str]] = [
    (lambda board: board.parse("c3"), yf.InvalidMoveError, "invalid action 'c3': expected a form such as"),
    (lambda board: board.parse(""), yf.InvalidMoveError, "invalid action ''"),
    (lambda board: board.parse("@c3 "), yf.InvalidMoveError, "invalid action '@c3 '"),
    (lambda board: board.parse("@g1"), yf.InvalidMoveError, "'g1' is not a square of the 5 x 6 board (a1 to f5)"),
    (lambda board: board.parse("c3xc5/b1,a1"), yf.InvalidMoveError, "ascending order"),
    (lambda board: board.parse("@c3"), yf.IllegalMoveError, f"@c3 is not legal in {MIDDLE}"),
    (lambda board: board.parse("c3-c4"), yf.IllegalMoveError, "c3-c4 is not legal in"),
    (lambda board: board.parse("c3xc5"), yf.IllegalMoveError, "c3xc5 is not legal in"),
    (lambda board: board.parse("c3xc5/c4"), yf.IllegalMoveError, "c3xc5/c4 is not legal in"),
    (lambda board: board.parse("c3xc5/*"), yf.IllegalMoveError, "c3xc5/* is not legal in"),
    (lambda board: board.parse("R@a1"), yf.IllegalMoveError, "R@a1 is not legal in"),
    (lambda board: board.parse("=a1b2"), yf.IllegalMoveError, "=a1b2 is not legal in"),
    (lambda board: board.parse("--"), yf.IllegalMoveError, "-- is not legal in"),
    (lambda board: board.parse(5), TypeError, "must be a str, not int"),
    (lambda board: board.parse(None), TypeError, "must be a str, not NoneType"),
    (lambda board: board.parse(b"@a1"), TypeError, "must be a str, not bytes"),
    (lambda board: board.push_text("c3-a1"), yf.IllegalMoveError, "c3-a1 is not legal in"),
    (lambda board: board.push_text("c3-c4-c5"), yf.InvalidMoveError, "invalid action 'c3-c4-c5'"),
    (lambda board: board.push_text(board.parse("@a1")), TypeError, "must be a str, not Move"),
    (lambda board: board.push("@a1"), TypeError, "push takes a Move, not str; push_text"),
    (lambda board: board.push(None), TypeError, "push takes a Move, not NoneType"),
    (lambda board: board.push(yf.Board(rules=yf.CHOKO).parse("@a1")), yf.IllegalMoveError, "@a1 is not legal in"),
    (lambda board: board.push(yf.Board(rules=yf.CHOKO).parse("@e5")), yf.IllegalMoveError, "@e5 is not legal in"),
    (lambda board: board.push(yf.Board().parse("@c3")), yf.IllegalMoveError, "@c3 is not legal in"),
    (lambda board: board.push(board_at("heroes").parse("R@a1")), yf.IllegalMoveError, "R@a1 is not legal in"),
    (lambda board: board.push(board_at("yote+rows=6").parse("@a6")), yf.IllegalMoveError, "@a6 is not legal in"),
    (lambda board: "@a1" in board.legal_moves, TypeError, "a legal move is a Move, not str"),
    (lambda board: board.piece_at("a"), TypeError, "a square must be an int, not str"),
    (lambda board: board.piece_at(1.0), TypeError, "a square must be an int, not float"),
    (lambda board: board.piece_at(-1), IndexError, "square -1 is not on the board; squares are 0 to 29"),
    (lambda board: board.piece_at(30), IndexError, "square 30 is not on the board"),
    (lambda board: board.piece_at(99), IndexError, "square 99 is not on the board"),
    (lambda board: board.piece_at(2**70), IndexError, f"square {2**70} is not on the board"),
    (lambda board: board.hand(2), TypeError, "a color must be WHITE (True) or BLACK (False), not 2"),
    (lambda board: board.hand(1), TypeError, "a color must be WHITE (True) or BLACK (False), not 1"),
    (lambda board: board.hand("w"), TypeError, "a color must be WHITE (True) or BLACK (False), not 'w'"),
    (lambda board: board.royal_in_hand(None), TypeError, "a color must be"),
    (lambda board: board.supply(0), TypeError, "a color must be"),
    (lambda board: board.copy(True), TypeError, "positional argument"),
    (lambda board: board.__init__(3), TypeError, "a YFEN must be a str, not int"),
    (lambda board: board.__init__("6 w 1/1"), yf.InvalidPositionError, "field BOARD"),
    (lambda board: board.__init__(None, "yote"), TypeError, "rules must be a Rules, not str"),
    (lambda board: setattr(board, "turn", False), AttributeError, "turn"),
    (lambda board: setattr(board, "note", ""), AttributeError, "note"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refused_calls_leave_the_board_alone(call: Callable[[Any], object], error: type[Exception], message: str) -> None:
    board = yf.Board(MIDDLE)
    for text in ("c3-b3", "c4-c5", "b3-c3", "c5-c4"):
        board.push_text(text)
    before = state(board)
    with pytest.raises(error) as caught:
        call(board)
    assert caught.type is error
    assert message in str(caught.value)
    assert state(board) == before


@pytest.mark.parametrize("take", [yf.Board.pop, yf.Board.peek])
def test_an_empty_history(take: Callable[[yf.Board], object]) -> None:
    board = yf.Board()
    for _ in range(2):
        with pytest.raises(IndexError, match="history is empty"):
            take(board)
        board.push_text("@a1")
        board.pop()
    assert state(board) == state(yf.Board())


WRONG_CONSTRUCTIONS: list[tuple[Callable[[Any], object], type[Exception], str]] = [
    (lambda yf: yf.Board(3), TypeError, "a YFEN must be a str, not int"),
    (lambda yf: yf.Board(b"6/6/6/6/6 w 12/12"), TypeError, "a YFEN must be a str, not bytes"),
    (lambda yf: yf.Board(rules="yote"), TypeError, "rules must be a Rules, not str; Rules.parse reads them from text"),
    (lambda yf: yf.Board(rules=None), TypeError, "rules must be a Rules, not NoneType"),
    (lambda yf: yf.Board(None, yf.YOTE, 3), TypeError, "argument"),
    (lambda yf: yf.Board(position="6/6/6/6/6 w 12/12"), TypeError, "position"),
    (lambda yf: yf.Move(), TypeError, "moves are made by board.legal_moves and board.parse"),
    (lambda yf: yf.LegalMoves(), TypeError, "legal moves are the attribute legal_moves of a Board"),
    (lambda yf: type("Other", (yf.Board,), {}), TypeError, "not an acceptable base type"),
    (lambda yf: type("Other", (yf.Move,), {}), TypeError, "not an acceptable base type"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG_CONSTRUCTIONS)
def test_wrong_constructions(call: Callable[[Any], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call(yf)
    assert caught.type is error
    assert message in str(caught.value)


def test_why_a_move_is_illegal() -> None:
    with pytest.raises(yf.IllegalMoveError, match=r"c3-c2 is not legal in .* the side to move must drop$"):
        board_at("choko", "5/5/2C2/5/5 w 2/2 !").parse("c3-c2")


UNINITIALISED = """
import pickle
import yote_fast as yf
from yote_fast.core import PerftWorker, Searcher

def blank(cls):
    return cls.__new__(cls)

good = yf.Board()
move = good.parse("@a1")
iterator = type(iter(good.legal_moves))
samples = [None, 0, True, "@a1", move, good, blank(yf.Board), blank(yf.Move)]
kinds = [yf.Board, yf.Move, yf.LegalMoves, iterator, PerftWorker, Searcher, yf.Engine]
calls = 0
for cls in kinds:
    for name in dir(cls):
        if name == "__class__":
            continue
        pairs = (good, 1), (blank(yf.Board), 1), (good, 1.0, 5), (good, yf.Limit(depth=1))
        for arguments in [(), *((sample,) for sample in samples), *pairs]:
            try:
                found = getattr(blank(cls), name)
                calls += 1
                if callable(found):
                    found(*arguments)
            except Exception:
                pass
for call in (str, repr, hash, len, list, bool, pickle.dumps, iter, next):
    for cls in kinds:
        calls += 1
        try:
            call(blank(cls))
        except Exception:
            pass
for use in (
    lambda: good.push(blank(yf.Move)), lambda: blank(yf.Move) in good.legal_moves, lambda: move == blank(yf.Move),
    lambda: blank(yf.Move) == move, lambda: move < blank(yf.Move), lambda: good == blank(yf.Board),
    lambda: yf.perft(blank(yf.Board), 1), lambda: yf.divide(blank(yf.Board), 1), lambda: yf.perft(blank(yf.Board), 2, threads=2),
    lambda: yf.analyse(blank(yf.Board), yf.Limit(depth=1)), lambda: PerftWorker(yf.YOTE, 0, True).count(blank(yf.Board), 1),
    lambda: Searcher(1).start(blank(yf.Board), 0, 0), lambda: Searcher(1).iterate(1), lambda: Searcher(1).evaluate(),
):
    calls += 1
    try:
        use()
    except Exception:
        pass
assert good == yf.Board() and len(good.legal_moves) == 30
print(calls)
"""


def test_uninitialised_objects_crash_nothing() -> None:
    ended = run("-c", UNINITIALISED)
    assert (ended.status, ended.stderr) == (0, "")
    assert int(ended.stdout) > 2000


# Positions with very many moves ---------------------------------------------------------------------------------------------------

EXPLOSIVE = "yote+rows=6+cols=6+pieces=18+chain_capture+chain_removal=each+optional_removal+second_removal=board_or_hand"
CROWDED = "cccccc/1c1c2/c1c1c1/1c1c2/c1c1c1/Cc1c2 w 0/0"


@pytest.mark.parametrize(
    ("yfen", "count"),
    [
        ("6/1ccc2/2c3/1ccc2/2c3/Cc1c2 w 0/1", 295),
        ("6/6/c1c3/1c1c2/c1c1c1/Cc1c2 w 0/0", 9_621),
        ("6/1c1c2/c1c1c1/1c1c2/c1c1c1/Cc1c2 w 0/0", 1_020_248),
    ],
)
def test_many_moves_are_counted_right(yfen: str, count: int) -> None:
    board = board_at(EXPLOSIVE, yfen)
    assert board.legal_moves.count() == len(board.legal_moves) == yf.perft(board, 1) == count
    assert sum(1 for _ in board.legal_moves) == yf.perft(board, 1, bulk=False) == count
    if count < 10_000:
        assert len(reference.Position(yfen, board.rules).legal_moves()) == len(set(board.legal_moves)) == count


CROWDED_CALL = f"""
import yote_fast as yf
board = yf.Board({CROWDED!r}, yf.Rules.parse({EXPLOSIVE!r}))
print("ready", flush=True)
try:
    print(CALL)
except (MemoryError, OverflowError, KeyboardInterrupt) as error:
    print(type(error).__name__, error)
assert board == yf.Board({CROWDED!r}, board.rules)
"""

LONG_CALLS = [
    "board.legal_moves.count()",
    "len(board.legal_moves)",
    "list(board.legal_moves)",
    "board.parse('a1xa3/f6')",
    "board.push_text('a1xc1xc3/f6')",
    "yf.perft(board, 1)",
    "yf.perft(board, 2)",
    "yf.perft(board, 2, threads=2)",
    "yf.divide(board, 1)",
    "yf.analyse(board, yf.Limit(time=100))",
]


@needs_ctrl_c
@pytest.mark.parametrize("call", LONG_CALLS)
def test_ctrl_c_ends_what_very_many_moves_make_long(call: str) -> None:
    ended = interrupt("-c", CROWDED_CALL.replace("CALL", call), ready="ready")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[1].startswith("KeyboardInterrupt")
    assert ended.seconds < PROMPTLY


@needs_tight_memory
def test_more_moves_than_memory() -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))"
    ended = run("-c", limit + CROWDED_CALL.replace("CALL", "list(board.legal_moves)"))
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[1] == "MemoryError not enough memory for the legal actions"


@pytest.mark.slow
def test_more_moves_than_are_allowed() -> None:
    board = board_at(EXPLOSIVE, CROWDED)
    with pytest.raises(MemoryError, match="more than 33554432 legal actions"):
        list(board.legal_moves)
    assert board.legal_moves
    assert board == board_at(EXPLOSIVE, CROWDED)
