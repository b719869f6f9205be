"""Perft as a library: every way of counting gives the same numbers, and limits and Ctrl-C are heeded."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from cases import PerftCase, perft_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from play import play_all
from shell import PROMPTLY, interrupt, needs_ctrl_c, needs_tight_memory, run
from strategies import playable_rules, rules, setups

import yote_fast as yf
from yote_fast import reference
from yote_fast.notation import Setup, format_yfen
from yote_fast.rules import Rules

CASES = perft_cases()
# Of each case the depth with the most leaves that are counted in no time.
QUICK = 300_000


def quick_depth(case: PerftCase) -> int:
    return max(depth for depth, count in case.counts.items() if count <= QUICK)


# Ways of counting -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES[::9], ids=lambda case: case.id)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads(case: PerftCase, threads: int) -> None:
    board = yf.Board(case.yfen, case.rules)
    depth = quick_depth(case)
    assert yf.perft(board, depth, threads=threads) == case.counts[depth]
    assert yf.perft(board, depth, threads=threads, hash_mb=3) == case.counts[depth]


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case.id)
def test_tables(case: PerftCase) -> None:
    board = yf.Board(case.yfen, case.rules)
    depth = quick_depth(case)
    for bulk in (True, False):
        assert yf.perft(board, depth, hash_mb=1, bulk=bulk) == case.counts[depth]


def any_rules() -> st.SearchStrategy[Rules]:
    """Mixes to play, half of them without the options that rule out counting two plies at once."""
    plain = rules([(2, 3), (3, 3), (3, 4), (4, 4), (5, 5), (5, 6)], pieces=(2, 8), repetition=(0,)).map(
        lambda mix: Rules(
            rows=mix.rows,
            cols=mix.cols,
            pieces=mix.pieces,
            second_removal=mix.second_removal,
            optional_removal=mix.optional_removal,
            draw_at_three=mix.draw_at_three,
            no_moves=mix.no_moves,
            drop_initiative=mix.drop_initiative,
        )
    )
    return st.one_of(plain, playable_rules())


def depth_for(board: yf.Board, most: int) -> int:
    """The depth that is about ``most`` leaves deep."""
    depth = 1
    while depth < 4 and yf.perft(board, depth) * max(1, len(board.legal_moves)) < most:
        depth += 1
    return depth


@given(data=st.data(), mix=any_rules())
@settings(max_examples=400)
def test_ways_of_counting(data: st.DataObject, mix: Rules) -> None:
    board = yf.Board(format_yfen(data.draw(setups(mix)), mix), mix)
    for depth in range(depth_for(board, 20_000) + 1):
        plain = yf.perft(board, depth, bulk=False)
        where = f"{mix}: {board.yfen()} at {depth}"
        assert yf.perft(board, depth) == plain, where
        assert yf.perft(board, depth, hash_mb=1) == plain, where
        assert yf.perft(board, depth, hash_mb=1, bulk=False) == plain, where


@pytest.mark.slow
@given(data=st.data(), mix=any_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=1_000)
def test_ways_of_counting_at_length(data: st.DataObject, mix: Rules, seed: int) -> None:
    board = play_all(yf.Board(format_yfen(data.draw(setups(mix)), mix), mix), seed, seed % 8)
    depth = depth_for(board, 200_000)
    where = f"{mix}: {board.yfen()} at {depth}"
    plain = yf.perft(board, depth, bulk=False)
    assert yf.perft(board, depth) == plain, where
    assert yf.perft(board, depth, hash_mb=1) == plain, where
    assert yf.perft(board, depth, threads=2, hash_mb=2) == plain, where


@given(data=st.data(), mix=any_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_divide(data: st.DataObject, mix: Rules, seed: int) -> None:
    board = play_all(yf.Board(format_yfen(data.draw(setups(mix)), mix), mix), seed, 3)
    depth = depth_for(board, 5_000)
    parts = yf.divide(board, depth)
    assert list(parts) == list(board.legal_moves)
    assert sum(parts.values()) == yf.perft(board, depth)
    for move, leaves in list(parts.items())[:20]:
        board.push(move)
        assert yf.perft(board, depth - 1) == leaves
        board.pop()
    assert yf.divide(board, depth, threads=2, hash_mb=2, bulk=False) == parts


def test_small_counts() -> None:
    board = yf.Board()
    assert [yf.perft(board, depth) for depth in range(5)] == [1, 30, 870, 27_180, 823_848]
    assert yf.divide(board, 1) == dict.fromkeys(board.legal_moves, 1)


@pytest.mark.parametrize("yfen", ["3/3/C2 b 0/0", "3/3/3 w 0/0"])
@pytest.mark.parametrize("threads", [1, 2])
def test_finished_games_have_no_leaves(yfen: str, threads: int) -> None:
    board = yf.Board(yfen, Rules(rows=3, cols=3))
    assert [yf.perft(board, depth, threads=threads) for depth in (0, 1, 2, 3, 200)] == [1, 0, 0, 0, 0]
    assert yf.divide(board, 1, threads=threads) == {}


def test_repetitions_count_on() -> None:
    board = yf.Board("6/2c3/2C3/6/6 w 0/0", Rules(repetition=2))
    expected = yf.perft(board, 3)
    for text in ("c3-c2", "c4-c5", "c2-c3", "c5-c4"):
        board.push_text(text)
    assert board.is_game_over()
    assert yf.perft(board, 3) == expected > 0


@pytest.mark.parametrize("threads", [1, 2])
def test_the_board_is_left_alone(threads: int) -> None:
    board = play_all(yf.Board(rules=yf.CHALLENGES), 5, 20)
    before = board.yfen(), board.key, board.move_stack
    yf.perft(board, 3, threads=threads)
    yf.divide(board, 2, threads=threads)
    assert (board.yfen(), board.key, board.move_stack) == before


# Progress -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [yf.perft, yf.divide])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("depth", [1, 2, 6])
def test_progress(count: Callable[..., object], threads: int, depth: int) -> None:
    board = yf.Board(rules=Rules(rows=2, cols=3, pieces=3))
    seen: list[tuple[int, int]] = []
    expected = count(board, depth)
    assert count(board, depth, threads=threads, progress=lambda done, total: seen.append((done, total))) == expected
    totals = {total for _, total in seen}
    assert len(totals) == 1
    assert len(seen) == max(seen)[0] == totals.pop()


def test_progress_at_depth_0() -> None:
    seen: list[tuple[int, int]] = []
    assert yf.perft(yf.Board(), 0, progress=lambda done, total: seen.append((done, total))) == 1
    assert seen == [(1, 1)]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_progress_ends_the_count(threads: int) -> None:
    def fail(*_: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        yf.perft(yf.Board(), 7, threads=threads, progress=fail)


# Limits ---------------------------------------------------------------------------------------------------------------------------

# So few positions that play goes round and round in them: numbers grow with depth without end.
FOUR_SQUARES = Rules(rows=2, cols=2, pieces=1, repetition=0)
SIX_SQUARES = Rules(rows=2, cols=3, pieces=2, repetition=0, no_moves="pass")


@cache
def exact(mix: Rules) -> list[int]:
    """The perft of the start at every depth that fits 64 bits, and at the first that does not, in plain integers of any size."""

    @cache
    def after(setup: Setup) -> list[Setup]:
        return [child.setup for _, child in reference.Position.from_setup(setup, mix).legal_moves()]

    ways = {reference.Position(None, mix).setup: 1}
    counts = [1]
    while counts[-1] < 2**64:
        next_ways: dict[Setup, int] = {}
        for setup, count in ways.items():
            for child in after(setup):
                next_ways[child] = next_ways.get(child, 0) + count
        ways = next_ways
        counts.append(sum(ways.values()))
    return counts


@pytest.mark.parametrize("mix", [FOUR_SQUARES, SIX_SQUARES], ids=str)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("bulk", [True, False])
def test_overflow(mix: Rules, threads: int, bulk: bool) -> None:
    *fit, too_many = exact(mix)
    assert len(fit) > 40
    assert fit[-1] < 2**64 <= too_many
    board = yf.Board(rules=mix)
    for depth in (*range(5), *range(len(fit) - 8, len(fit))):
        assert yf.perft(board, depth, threads=threads, hash_mb=2, bulk=bulk) == fit[depth], depth
    for depth in (*range(len(fit), len(fit) + 5), 200, 255):
        with pytest.raises(OverflowError, match=r"2\*\*64 leaves or more"):
            yf.perft(board, depth, threads=threads, hash_mb=2, bulk=bulk)


@pytest.mark.parametrize("mix", [FOUR_SQUARES, SIX_SQUARES], ids=str)
def test_overflow_of_parts(mix: Rules) -> None:
    """Each part fits where the sum does not; a part that does not fit is refused too."""
    counts = exact(mix)
    board = yf.Board(rules=mix)
    assert sum(yf.divide(board, len(counts) - 1, hash_mb=1).values()) == counts[-1]
    with pytest.raises(OverflowError, match=r"2\*\*64 leaves or more"):
        yf.divide(board, 255, hash_mb=1)


@needs_tight_memory
def test_a_table_that_does_not_fit() -> None:
    code = """
import resource
import yote_fast as yf
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
for use in (lambda: yf.perft(yf.Board(), 3, hash_mb=2**20), lambda: yf.Engine(hash_mb=2**20)):
    try:
        use()
    except MemoryError as error:
        print(error)
"""
    ended = run("-c", code)
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout == 2 * "not enough memory for a table of 1048576 MB\n"


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"depth": -1}, ValueError, "to 255, not -1"),
    ({"depth": 256}, ValueError, "to 255, not 256"),
    ({"depth": 2**70}, ValueError, f"to 255, not {2**70}"),
    ({"depth": True}, TypeError, "depth must be an int, not bool"),
    ({"depth": 3.0}, TypeError, "depth must be an int, not float"),
    ({"depth": "3"}, TypeError, "depth must be an int, not str"),
    ({"depth": None}, TypeError, "depth must be an int, not NoneType"),
    ({"threads": 0}, ValueError, "threads must be 1 to 256, not 0"),
    ({"threads": -2}, ValueError, "threads must be 1 to 256, not -2"),
    ({"threads": 10**6}, ValueError, "threads must be 1 to 256, not 1000000"),
    ({"threads": 2.0}, TypeError, "threads must be an int, not float"),
    ({"threads": True}, TypeError, "threads must be an int, not bool"),
    ({"hash_mb": -1}, ValueError, "hash_mb must be 0 to 1048576, not -1"),
    ({"hash_mb": 2**70}, ValueError, "hash_mb must be 0 to 1048576"),
    ({"hash_mb": 1.5}, TypeError, "hash_mb must be an int, not float"),
    ({"hash_mb": None}, TypeError, "hash_mb must be an int, not NoneType"),
    ({"board": None}, TypeError, "board must be a Board, not NoneType"),
    ({"board": "6/6/6/6/6 w 12/12"}, TypeError, "board must be a Board, not str"),
    ({"board": reference.Position()}, TypeError, "board must be a Board, not Position"),
    ({"progress": 3}, TypeError, "int"),
    ({"depths": 3}, TypeError, "depths"),
]


@pytest.mark.parametrize("count", [yf.perft, yf.divide])
@pytest.mark.parametrize(("changes", "error", "message"), REFUSED)
def test_refusals(count: Callable[..., object], changes: dict[str, Any], error: type[Exception], message: str) -> None:
    board = yf.Board()
    with pytest.raises(error) as caught:
        count(**{"board": board, "depth": 2, **changes})
    assert caught.type is error
    assert message in str(caught.value)
    assert board == yf.Board()


def test_divide_wants_a_first_move() -> None:
    with pytest.raises(ValueError, match="depth must be 1 to 255, not 0"):
        yf.divide(yf.Board(), 0)


# Ctrl-C ---------------------------------------------------------------------------------------------------------------------------

LONG = """
import yote_fast as yf
board = yf.Board(rules=yf.Rules.parse("{rules}"))
print("ready", flush=True)
try:
    yf.{count}(board, 12, threads={threads}, hash_mb={hash_mb}, bulk={bulk})
except KeyboardInterrupt:
    print("KeyboardInterrupt", board.yfen())
"""


@needs_ctrl_c
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("count", "rules", "hash_mb", "bulk"),
    [("perft", "yote", 0, True), ("perft", "challenges+royal_caravan", 16, True), ("divide", "choko", 0, False)],
)
def test_ctrl_c(count: str, rules: str, hash_mb: int, bulk: bool, threads: int) -> None:
    ended = interrupt("-c", LONG.format(rules=rules, count=count, threads=threads, hash_mb=hash_mb, bulk=bulk), ready="ready")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[1] == f"KeyboardInterrupt {yf.Board(rules=Rules.parse(rules)).yfen()}"
    assert ended.seconds < PROMPTLY
