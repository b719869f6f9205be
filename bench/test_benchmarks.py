"""Benchmarks for comparing one version with another; run them with ``pytest bench --benchmark-only``."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import yote_fast as yf
from yote_fast.bench import ALL_OPTIONS, MIDDLE_GAME, Case

# Not the cases of ``yote bench``, which are too long to be repeated many times.
PERFTS = (
    Case("yote", "yote", None, 6, 832_521_806),
    Case("yote, no bulk", "yote", None, 4, 823_848, bulk=False),
    Case("yote, middle", "yote", MIDDLE_GAME, 5, 322_108_368),
    Case("choko", "choko", None, 6, 205_313_644),
    Case("heroes", "heroes", None, 5, 284_004_108),
    Case("challenges", "challenges", None, 5, 300_509_324),
    Case("all options", ALL_OPTIONS, None, 4, 20_368_920),
)
SEARCH_NODES = 500_000

positions = pytest.mark.parametrize(
    ("yfen", "moves"),
    [("6/6/6/6/6 w 12/12", 30), ("3c2/6/5C/C1C3/3c2 w 9/8", 35), (MIDDLE_GAME, 63)],
    ids=["start", "opening", "middle"],
)


@pytest.mark.parametrize("case", PERFTS, ids=lambda case: case.name)
def test_perft(benchmark: BenchmarkFixture, case: Case) -> None:
    """The compiled perft, under several rules."""
    assert benchmark(case.run) == case.leaves


def test_perft_with_table(benchmark: BenchmarkFixture) -> None:
    """The compiled perft with a table, which is made anew each time."""
    assert benchmark(yf.perft, yf.Board(), 6, hash_mb=64) == 832_521_806


@positions
def test_legal_moves(benchmark: BenchmarkFixture, yfen: str, moves: int) -> None:
    """Listing the legal moves."""
    board = yf.Board(yfen)
    assert len(benchmark(lambda: list(board.legal_moves))) == moves


@positions
def test_count_moves(benchmark: BenchmarkFixture, yfen: str, moves: int) -> None:
    """Counting the legal moves without listing them."""
    board = yf.Board(yfen)
    assert benchmark(lambda: board.legal_moves.count()) == moves


@positions
def test_push_pop(benchmark: BenchmarkFixture, yfen: str, moves: int) -> None:
    """Playing and taking back each legal move."""
    board = yf.Board(yfen)
    legal = list(board.legal_moves)
    push, pop = board.push, board.pop

    def push_and_pop_all() -> None:
        for move in legal:
            push(move)
            pop()

    benchmark(push_and_pop_all)
    assert len(legal) == moves
    assert board == yf.Board(yfen)


@positions
def test_parse(benchmark: BenchmarkFixture, yfen: str, moves: int) -> None:
    """Reading each legal move from its text."""
    board = yf.Board(yfen)
    legal = list(board.legal_moves)
    texts = [str(move) for move in legal]
    assert benchmark(lambda: [board.parse(text) for text in texts]) == legal
    assert len(legal) == moves


@positions
def test_write_moves(benchmark: BenchmarkFixture, yfen: str, moves: int) -> None:
    """Writing each legal move as text."""
    legal = list(yf.Board(yfen).legal_moves)
    assert len(set(benchmark(lambda: [str(move) for move in legal]))) == moves


@positions
def test_yfen_round_trip(benchmark: BenchmarkFixture, yfen: str, moves: int) -> None:
    """Reading a position from its text and writing it again."""
    assert benchmark(lambda: yf.Board(yfen).yfen()) == yfen
    assert len(yf.Board(yfen).legal_moves) == moves


@pytest.mark.parametrize("stack", [True, False], ids=["with moves", "position alone"])
def test_copy(benchmark: BenchmarkFixture, stack: bool) -> None:
    """Copying a board after 40 moves."""
    board = yf.Board()
    for _ in range(40):
        board.push(next(iter(board.legal_moves)))
    copy = benchmark(board.copy, stack=stack)
    assert copy == board
    assert copy.ply() == (40 if stack else 0)


@pytest.mark.parametrize("yfen", [None, MIDDLE_GAME], ids=["start", "middle"])
def test_analyse(benchmark: BenchmarkFixture, yfen: str | None) -> None:
    """A search of a fixed number of nodes, each time with a new table."""
    board = yf.Board(yfen)
    info = benchmark(yf.analyse, board, yf.Limit(nodes=SEARCH_NODES), hash_mb=16)
    assert info.nodes == SEARCH_NODES
