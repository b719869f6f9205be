"""Analyses that look into endgame tables: what they find is exact, and nothing that is wrong with tables makes it wrong."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import yote_fast as yf
from yote_fast.rules import Rules
from yote_fast.tablebase import small

SMALL_BOARD = Rules(rows=4, cols=4, pieces=5)
FOUR_AGAINST_TWO = "c5/2C3/3C2/1C4/C4c w 0/0"
EIGHT = "c5/2C3/3C2/1C1c2/C1C2c w 0/0"


@pytest.fixture(scope="module")
def wdl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[yf.tablebase.Tablebase]:
    """Wins, draws and losses up to 5 pieces on the 4 x 4 board."""
    with yf.tablebase.build(SMALL_BOARD, pieces=5, metric="wdl", path=tmp_path_factory.mktemp("wdl")) as tables:
        yield tables


@pytest.fixture(scope="module")
def dtw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[yf.tablebase.Tablebase]:
    """The same with distances."""
    with yf.tablebase.build(SMALL_BOARD, pieces=5, metric="dtw", path=tmp_path_factory.mktemp("dtw")) as tables:
        yield tables


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that no other test has seen."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(small, "_loaded", {})
    return tmp_path


def boards_with(pieces: int, seed: int) -> Iterator[yf.Board]:
    """Random positions of the 4 x 4 board without pieces in hand."""
    chance = random.Random(seed)
    while True:
        squares = chance.sample(range(16), pieces)
        own = chance.randint(1, pieces - 1)
        rows = [
            "".join("1Cc"[(square in squares) + (square in squares[own:])] for square in range(row, row + 4))
            for row in (12, 8, 4, 0)
        ]
        text = "/".join(rows)
        for count in (4, 3, 2):
            text = text.replace("1" * count, str(count))
        board = yf.Board(f"{text} {chance.choice('wb')} 0/0", SMALL_BOARD)
        if not board.is_game_over():
            yield board


def test_simple_endgames_are_exact_out_of_the_box() -> None:
    board = yf.Board(FOUR_AGAINST_TWO)
    info = yf.analyse(board, yf.Limit(depth=3))
    assert info.score == yf.Score.win(45, turn=yf.WHITE)
    assert len(info.pv) == 45
    for move in info.pv:
        board.push(move)
    assert board.result() == "1-0"
    assert info.tbhits > 0


def test_tables_are_found_from_far_away() -> None:
    with yf.Engine(hash_mb=1) as engine, yf.Engine(hash_mb=1, tablebase=None) as without:
        found = engine.analyse(yf.Board(EIGHT), yf.Limit(depth=6))
        blind = without.analyse(yf.Board(EIGHT), yf.Limit(depth=6))
    assert found.score is not None
    assert blind.score is not None
    assert found.score.is_proven()
    assert not blind.score.is_proven()
    assert (found.tbhits > 0, blind.tbhits) == (True, 0)


def test_far_from_endgames_no_tables_are_made(own_cache: Path) -> None:
    assert yf.analyse(yf.Board(), yf.Limit(depth=3), hash_mb=1).tbhits == 0
    assert not list(own_cache.iterdir())


def test_damaged_tables_are_made_anew(own_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected = yf.analyse(yf.Board(FOUR_AGAINST_TWO), yf.Limit(depth=1)).score
    path = next(path for path in own_cache.rglob("4.0-2.0.dtw"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    small._loaded.clear()
    with caplog.at_level(logging.WARNING):
        assert yf.analyse(yf.Board(FOUR_AGAINST_TWO), yf.Limit(depth=1)).score == expected
    assert "made anew" in caplog.text
    small._loaded.clear()
    caplog.clear()
    assert yf.analyse(yf.Board(FOUR_AGAINST_TWO), yf.Limit(depth=1)).score == expected
    assert not caplog.text


def test_a_cache_that_cannot_be_written_is_done_without(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (own_cache / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_cache / "file"))
    info = yf.analyse(yf.Board(FOUR_AGAINST_TWO), yf.Limit(depth=3))
    assert info.score is not None
    assert info.tbhits == 0
    assert "no endgame tables for yote" in caplog.text


@pytest.mark.parametrize("text", ["challenges", "heroes", "yote+chain_capture", "yote+rows=4+cols=4+pieces=6"])
def test_rules_without_small_tables(text: str) -> None:
    rules = Rules.parse(text)
    assert not small.has_small_tables(rules)
    assert yf.analyse(yf.Board(rules=rules), yf.Limit(depth=2), hash_mb=1).tbhits == 0


@given(seed=st.integers(0, 2**32), pieces=st.integers(2, 5))
@settings(max_examples=60)
def test_tables_with_distances_give_exact_scores(dtw: yf.tablebase.Tablebase, seed: int, pieces: int) -> None:
    board = next(boards_with(pieces, seed))
    value, plies = dtw.probe_wdl(board), dtw.probe_dtw(board)
    with yf.Engine(hash_mb=1, tablebase=dtw) as engine:
        info = engine.analyse(board, yf.Limit(depth=1))
        every = engine.analyse(board, yf.Limit(depth=1), multipv=100)
    assert info.score is not None
    if value == 0:
        assert info.score == yf.Score(0, board.turn)
    else:
        assert (info.score.win_in, info.score.loss_in) == ((plies, None) if value > 0 else (None, -plies))
    assert info.pv[0] in dtw.best_moves(board)
    assert {line.pv[0] for line in every} == set(board.legal_moves)


@given(seed=st.integers(0, 2**32), pieces=st.integers(3, 5))
@settings(max_examples=20)
@example(seed=0, pieces=0)
def test_won_endgames_are_won_without_distances(
    wdl: yf.tablebase.Tablebase, dtw: yf.tablebase.Tablebase, seed: int, pieces: int
) -> None:
    """The way to the next conversion is found, without going round in circles, against the longest defence."""
    # The example is one of the longest wins.
    board = yf.Board("4/2c1/3C/3C w 0/0", SMALL_BOARD)
    if pieces:
        board = next(board for board in boards_with(pieces, seed) if wdl.probe_wdl(board) == 1)
    winner = board.turn
    with yf.Engine(hash_mb=4, tablebase=wdl) as engine:
        while not board.is_game_over() and board.ply() < 300:
            if board.turn == winner:
                board.push(engine.play(board, yf.Limit(depth=9, nodes=100_000)).move)
                assert board.is_game_over() or wdl.probe_wdl(board) == -1
            else:
                board.push(random.Random(seed).choice(dtw.best_moves(board)))
    assert board.result() == ("1-0" if winner else "0-1"), board


def test_best_moves_without_distances_win(wdl: yf.tablebase.Tablebase, dtw: yf.tablebase.Tablebase) -> None:
    """The tables alone know the way, whatever the defence."""
    for seed in range(40):
        board = next(board for board in boards_with(5, seed) if wdl.probe_wdl(board) == 1)
        winner = board.turn
        while not board.is_game_over() and board.ply() < 300:
            board.push((wdl if board.turn == winner else dtw).best_moves(board)[-1])
        assert board.result() == ("1-0" if winner else "0-1"), board


def test_root_moves_that_lose_the_win_are_kept_to(wdl: yf.tablebase.Tablebase) -> None:
    board = next(board for board in boards_with(5, 3) if wdl.probe_wdl(board) == 1 and min(wdl.probe_moves(board).values()) < 1)
    bad = [move for move, value in wdl.probe_moves(board).items() if value < 1]
    with yf.Engine(hash_mb=1, tablebase=wdl) as engine:
        assert engine.analyse(board, yf.Limit(depth=3), root_moves=bad).pv[0] in bad


def test_tables_of_other_rules_are_not_asked(wdl: yf.tablebase.Tablebase) -> None:
    with yf.Engine(hash_mb=1, tablebase=wdl) as engine:
        assert engine.analyse(yf.Board(FOUR_AGAINST_TWO), yf.Limit(depth=3)).tbhits == 0


def test_a_folder_is_as_good_as_a_tablebase(dtw: yf.tablebase.Tablebase, tmp_path: Path) -> None:
    yf.tablebase.build(SMALL_BOARD, pieces=3, metric="dtw", path=tmp_path).close()
    board = next(board for board in boards_with(3, 1) if dtw.probe_wdl(board) == 1)
    with yf.Engine(hash_mb=1, tablebase=tmp_path) as engine:
        assert engine.analyse(board, yf.Limit(depth=1)).score == yf.Score.win(dtw.probe_dtw(board), turn=board.turn)


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there are no tables in"):
        yf.Engine(tablebase=tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        yf.Engine(tablebase=tmp_path / "nowhere")
