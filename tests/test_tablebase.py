"""Endgame tables: the values, the files, builds that are stopped or shared, and the command."""

from __future__ import annotations

import csv
import dataclasses
import errno
import itertools
import json
import multiprocessing
import os
import pickle
import random
import re
import shutil
import signal
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import pytest
from cases import DATA, read_jsonl
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from retrograde import values_from
from shell import PROMPTLY, Ended, interrupt, needs_ctrl_c, run, start
from strategies import BOARDS, rules

import yote_fast as yf
from yote_fast import tablebase as tb
from yote_fast.core import LoadedTables, PairSolver, _baseline, locate, position_at, slice_numbers
from yote_fast.notation import Setup, format_yfen
from yote_fast.rules import Rules
from yote_fast.tablebase import Slice, Tablebase, files, generator
from yote_fast.tablebase.slices import classes, slices_from, slices_up_to, start_slice

THREE = Rules(rows=3, cols=3)


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tablebase]:
    """All endgames on 3 x 3 with up to 4 pieces, with both metrics."""
    folder = tmp_path_factory.mktemp("small")
    tb.build(THREE, pieces=4, path=folder).close()
    with tb.build(THREE, pieces=4, metric="dtw", path=folder) as tables:
        yield tables


def positions_of(rules: Rules, slice_: Slice) -> Iterator[yf.Board]:
    """A position for each cell of a slice."""
    rows, cols = classes(rules.rows, rules.cols, slice_.pa), 0
    cols = slice_.cells(rules) // rows
    for row, col in itertools.product(range(rows), range(cols)):
        yield yf.Board(position_at(rules, slice_, row, col), rules)


def board_of(rules: Rules, slice_: Slice, chance: random.Random) -> yf.Board:
    """A random position of a slice without royals on the board."""
    rows = classes(rules.rows, rules.cols, slice_.pa)
    row, col = chance.randrange(rows), chance.randrange(slice_.cells(rules) // rows)
    return yf.Board(position_at(rules, slice_, row, col), rules)


# Values ---------------------------------------------------------------------------------------------------------------------------


def expected_counts(name: str) -> dict[Slice, tb.Counts]:
    with open(DATA / "endgames" / f"{name}.csv", encoding="utf-8") as file:
        rows = [{key: int(value) for key, value in row.items() if key != "board"} for row in csv.DictReader(file)]
    return {
        Slice(row["a"], row["ha"], row["b"], row["hb"]): tb.Counts(
            row["raw"],
            row["W"],
            row["D"],
            row["L"],
            None if row["longest_win"] < 0 else row["longest_win"],
            None if row["longest_loss"] < 0 else row["longest_loss"],
        )
        for row in rows
    }


def without_distances(counts: tb.Counts) -> tb.Counts:
    return dataclasses.replace(counts, longest_win=None, longest_loss=None)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("rows", "cols", "pieces"), [(3, 3, 3), (3, 3, 4), (3, 4, 4), (4, 4, 4)])
def test_games_from_the_start(tmp_path: Path, rows: int, cols: int, pieces: int, threads: int) -> None:
    expected = expected_counts(f"{rows}x{cols}-start-{pieces}")
    game = Rules(rows=rows, cols=cols, pieces=pieces)
    tb.build(game, start=True, path=tmp_path, threads=threads).close()
    with tb.build(game, start=True, metric="dtw", path=tmp_path, threads=threads) as tables:
        assert set(tables.slices) == set(expected)
        for slice_, counts in expected.items():
            assert tables.counts(slice_, "wdl") == without_distances(counts)
            assert tables.counts(slice_, "dtw") == tables.counts(slice_) == counts
        assert tables.probe_wdl(yf.Board(rules=game)) == 0


@pytest.mark.parametrize("pieces", [4, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("metric", ["wdl", "dtw"])
def test_endgames_on_the_full_board(tmp_path: Path, metric: tb.Metric, pieces: int) -> None:
    expected = {s: counts for s, counts in expected_counts("5x6-all-up-to-6").items() if s.a + s.b <= pieces}
    with tb.build(yf.YOTE, pieces=pieces, metric=metric, path=tmp_path, threads=2) as tables:
        assert tables.slices == sorted(expected, key=lambda s: (s.order, s))
        for slice_, counts in expected.items():
            assert tables.counts(slice_) == (counts if metric == "dtw" else without_distances(counts))


def test_from_a_position(tmp_path: Path, small: Tablebase) -> None:
    """Only what play from it can reach, and its partners."""
    with tb.build(THREE, start=yf.Board("2c/C2/2C w 0/1", THREE), path=tmp_path) as tables:
        assert [str(s) for s in tables.slices] == ["2.0-2.0", "2.0-2.1", "2.1-2.0"]
        assert all(tables.counts(s) == small.counts(s, "wdl") for s in tables.slices)
    with pytest.raises(tb.WrongRulesError, match="the board's rules are"):
        tb.build(THREE, start=yf.Board(), path=tmp_path)
    with pytest.raises(ValueError, match="the game is over"):
        tb.build(THREE, start=yf.Board("3/3/2C w 0/0", THREE), path=tmp_path)


def test_large_pairs_are_shared_by_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "LARGE_PAIR", 1)
    game = Rules(rows=4, cols=4, pieces=4)
    with tb.build(game, start=True, metric="dtw", path=tmp_path, threads=3) as tables:
        assert {s: tables.counts(s) for s in tables.slices} == expected_counts("4x4-start-4")


SOLVED = [case for case in read_jsonl("solve.jsonl") if not case["rules"].get("trade_routes")]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.slow] if case["positions"] > 3000 else [], id=f"{number}-{case['rules']}")
        for number, case in enumerate(SOLVED)
        if case["positions"] <= 12_000
    ],
)
def test_reachable_positions(tmp_path: Path, case: dict[str, Any]) -> None:
    game = Rules(**case["rules"])
    root = yf.Board(case["yfen"], game)
    pieces = sum(part.isalpha() for part in case["yfen"].split()[0]) + sum(map(root.hand, (True, False)))
    pieces += sum(map(root.royal_in_hand, (True, False)))
    with tb.build(game, pieces=pieces, metric="dtw", path=tmp_path, threads=2) as tables:
        values = {}
        waiting = [root]
        while waiting:
            board = waiting.pop()
            if board.yfen() in values:
                continue
            values[board.yfen()] = (tables.probe_wdl(board), tables.probe_dtw(board))
            for move in board.legal_moves:
                after = board.copy(stack=False)
                after.push(move)
                waiting.append(after)
        names = {1: "win", 0: "draw", -1: "loss"}
        counts = Counter(names[value] for value, _ in values.values())
        assert len(values) == case["positions"]
        assert counts == {name: case[name] for name in names.values() if case[name]}
        assert max(plies for _, plies in values.values()) == max(case["longest_win"], 0)
        assert min(plies for _, plies in values.values()) == -max(case["longest_loss"], 0)
        assert names[values[root.yfen()][0]] == case["start"]
        assert abs(values[root.yfen()][1]) == case["start_distance"]


SMALL_BOARDS = [(2, 2), (2, 3), (2, 4), (2, 5), (3, 3), (3, 2)]


def _check_against_reference(tmp_path_factory: pytest.TempPathFactory, mix: Rules, most: int) -> None:
    mix = dataclasses.replace(mix, trade_routes=0)
    assume(slices_from(mix, start_slice(mix)))
    values = values_from(None, mix, most)
    assume(values is not None)
    assert values is not None
    folder = tmp_path_factory.mktemp("mix")
    try:
        tb.build(mix, start=True, path=folder).close()
        with tb.build(mix, start=True, metric="dtw", path=folder) as tables:
            for yfen, value in values.items():
                board = yf.Board(yfen, mix)
                assert tables.probe_wdl(board) == sign(value), yfen
                assert tables.probe_dtw(board) == value - sign(value), yfen
            assert tables.verify() == []
    finally:
        shutil.rmtree(folder)


@settings(max_examples=8)
@given(rules(SMALL_BOARDS, pieces=(1, 2), repetition=(0,)))
def test_any_rules(tmp_path_factory: pytest.TempPathFactory, mix: Rules) -> None:
    _check_against_reference(tmp_path_factory, mix, 1000)


@pytest.mark.slow
@settings(max_examples=5)
@given(rules([*SMALL_BOARDS, (3, 4), (2, 6)], pieces=(1, 3), repetition=(0,)))
def test_any_rules_at_length(tmp_path_factory: pytest.TempPathFactory, mix: Rules) -> None:
    _check_against_reference(tmp_path_factory, mix, 5000)


def test_builds_of_the_core_agree() -> None:
    """The tables of the build for any processor, which moves bits about without instructions for it, are those of the best one."""
    game = Rules(rows=4, cols=4)
    for core in (_baseline, yf.core):
        tables = core.LoadedTables(game)
        counts = {}
        for slice_ in slices_up_to(game, 5):
            if slice_ == slice_.pair[0]:
                solver = core.PairSolver(tables, slice_, True, 1, 8)
                for found, table in zip(slice_.pair, solver.solve(lambda share: share(0)), strict=True):
                    tables.add(table)
                    counts[found] = table.counts()
        if core is _baseline:
            expected = counts
    assert counts == expected


def test_verify_finds_what_is_wrong(tmp_path: Path, small: Tablebase) -> None:
    """A table with right checksums and counts but wrong values."""
    folder = Path(shutil.copytree(_folder(small), tmp_path / "copy"))
    slice_ = Slice(2, 0, 2, 0)
    table = small._table(slice_, ("dtw",)).load(small.rules)
    cells = memoryview(table)
    (value,) = struct.unpack_from("<h", cells, 2 * 7)
    struct.pack_into("<h", cells, 2 * 7, -value if value else 3)
    files.write_table(folder, small.rules, slice_, table)
    with tb.open(folder) as changed:
        wrong = changed.verify(metric="dtw")
        assert {mismatch.slice for mismatch in wrong} >= {slice_}
        assert changed.verify([Slice(1, 0, 1, 0)]) == []


def _folder(tables: Tablebase) -> Path:
    return next(iter(tables._paths.values())).parent


# Slices and cells -----------------------------------------------------------------------------------------------------------------


def test_slices_as_text() -> None:
    for game in (yf.YOTE, yf.HEROES, yf.CHOKO):
        for slice_ in slices_up_to(game, 4):
            assert Slice.parse(str(slice_)) == slice_
    for text in ("", "3-2", "3.1-2", "3.1-2.0-x", "a.1-2.0", "3.1-2.0\n"):
        with pytest.raises(ValueError, match="is not a slice"):
            Slice.parse(text)


def test_number_of_values() -> None:
    """As computed by others: positions, and sets up to symmetry."""
    slices = slices_up_to(yf.YOTE, 8)
    assert sum(slice_.positions(yf.YOTE) for slice_ in slices if slice_.a + slice_.b == 8) == 2_136_845_243
    assert sum(slice_.positions(yf.YOTE) for slice_ in slices if slice_.a + slice_.b == 7) == 346_585_340
    assert [classes(3, 3, size) for size in range(10)] == [1, 3, 8, 16, 23, 23, 16, 8, 3, 1]
    assert len(slices_from(yf.YOTE, start_slice(yf.YOTE))) == 2304


@settings(max_examples=40)
@given(st.data())
def test_cells_are_found_again(data: st.DataObject) -> None:
    rows, cols = data.draw(st.sampled_from(BOARDS))
    royals, drops = data.draw(st.booleans()), data.draw(st.booleans())
    game = Rules(rows=rows, cols=cols, royal_caravan=royals, drop_initiative=drops)
    slice_ = data.draw(st.sampled_from(slices_up_to(game, 4)))
    places = slice_.pa if slice_.ra == 2 else 1
    row = data.draw(st.integers(0, classes(rows, cols, slice_.pa) * places - 1))
    col = data.draw(st.integers(0, slice_.cells(game) // (classes(rows, cols, slice_.pa) * places) - 1))
    board = yf.Board(position_at(game, slice_, row, col), game)
    assert slice_numbers(board) == slice_
    assert locate(board) == (row, col)
    with pytest.raises(ValueError, match="cells, none at"):
        position_at(game, slice_, row, slice_.cells(game))


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_symmetric_positions_have_equal_values(small: Tablebase, seed: int) -> None:
    chance = random.Random(seed)
    squares = list("Cc" + chance.choice(["C", "c", "Cc", ""]))
    squares += ["."] * (9 - len(squares))
    chance.shuffle(squares)
    hands = {4: (0, 0), 3: chance.choice([(1, 0), (0, 1)]), 2: chance.choice([(1, 1), (2, 0), (0, 2)])}[9 - squares.count(".")]
    turned = [squares[3 * (2 - col) + row] for row in range(3) for col in range(3)]
    boards = [yf.Board(format_yfen(Setup("".join(image), True, hands), THREE), THREE) for image in (squares, turned)]
    first, second = [(small.probe_wdl(board), small.probe_dtw(board)) for board in boards]
    assert first == second


# Probing --------------------------------------------------------------------------------------------------------------------------


def test_best_moves(small: Tablebase) -> None:
    """Each best move goes one ply nearer to a win, or as slowly as can be to a loss."""
    for board in positions_of(THREE, Slice(2, 1, 2, 0)):
        value, distance = small.probe_wdl(board), small.probe_dtw(board)
        best = small.best_moves(board)
        moves = small.probe_moves(board)
        assert set(moves) == set(board.legal_moves)
        assert list(moves.values()) == sorted(moves.values(), reverse=True)
        assert (len(best) > 0) == bool(board.legal_moves)
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            found = (-small.probe_wdl(after), -small.probe_dtw(after))
            assert moves[move] == found[0]
            assert (move in best) == (found == (value, distance - sign(distance)))


def test_best_moves_without_distances(tmp_path: Path, small: Tablebase) -> None:
    with tb.build(THREE, pieces=4, path=tmp_path) as tables:
        for board in itertools.islice(positions_of(THREE, Slice(2, 0, 2, 0)), 0, None, 7):
            moves = tables.probe_moves(board)
            keeping = [move for move in moves if moves[move] == tables.probe_wdl(board)]
            best = tables.best_moves(board)
            assert set(best) <= set(keeping) if tables.probe_wdl(board) > 0 else best == keeping
            assert bool(best) == bool(keeping)
            assert moves == {move: small.probe_moves(board)[move] for move in moves}
        with pytest.raises(tb.MissingTableError, match=r"no dtw table of slice 2\.0-2\.0"):
            tables.probe_dtw(board)
        assert tables.get_dtw(board, None) is None


def test_finished_games(small: Tablebase) -> None:
    """Even those whose numbers of pieces are in no table."""
    for yfen, value in (("3/3/3 w 0/9", -1), ("3/3/3 b 0/9", 1), ("3/3/3 w 0/0", 0)):
        board = yf.Board(yfen, THREE)
        assert (small.probe_wdl(board), small.probe_dtw(board), small.best_moves(board)) == (value, 0, [])


def test_no_moves(tmp_path: Path) -> None:
    with tb.build(Rules(rows=2, cols=2), pieces=3, metric="dtw", path=tmp_path) as tables:
        board = yf.Board("c1/Cc w 0/0", tables.rules)
        assert (tables.probe_wdl(board), tables.probe_dtw(board), tables.best_moves(board)) == (-1, 0, [])


def test_draw_at_three_needs_no_tables(tmp_path: Path) -> None:
    game = dataclasses.replace(THREE, draw_at_three=True)
    with tb.build(game, pieces=5, path=tmp_path) as tables:
        assert {slice_.a + slice_.b for slice_ in tables.slices} == {5}
        assert tables.probe_wdl(yf.Board("2c/C2/2C w 0/0", game)) == 0
        assert tables.verify() == []


def test_missing_tables(small: Tablebase) -> None:
    board = yf.Board("CC1/C2/1cc w 0/0", THREE)
    with pytest.raises(tb.MissingTableError, match=r"^there is no wdl or dtw table of slice 3\.0-2\.0 of yote\+rows=3\+cols=3$"):
        small.probe_wdl(board)
    with pytest.raises(KeyError):
        small.best_moves(board)
    with pytest.raises(tb.MissingTableError):
        small.counts(Slice(3, 0, 2, 0))
    assert small.get_wdl(board, None) is None
    assert small.get_dtw(board, 17) == 17
    # With as many pieces in hand, the tables of their sets would be too large to make.
    assert small.get_wdl(yf.Board("CCC/CCC/ccc w 9/9", Rules(rows=3, cols=3, pieces=20)), None) is None


@pytest.mark.parametrize(
    "other", ["yote+rows=3+cols=4", "choko+rows=3+cols=3", "yote+rows=3+cols=3+no_moves=loses", "yote", "heroes+rows=3+cols=3"]
)
def test_other_rules(small: Tablebase, other: str) -> None:
    with pytest.raises(tb.WrongRulesError, match="the board's rules are"):
        small.probe_wdl(yf.Board(rules=Rules.parse(other)))


def test_trade_routes_are_refused(small: Tablebase, tmp_path: Path) -> None:
    with pytest.raises(tb.WrongRulesError, match="trade routes"):
        small.probe_wdl(yf.Board(rules=yf.CHALLENGES))
    with pytest.raises(tb.WrongRulesError, match="trade routes"):
        tb.build(yf.CHALLENGES, pieces=2, path=tmp_path)


def test_rules_that_do_not_change_values(small: Tablebase) -> None:
    board = yf.Board("2c/C2/2C w 0/0", Rules(rows=3, cols=3, pieces=5, repetition=0))
    assert small.probe_wdl(board) == 1


def test_many_positions(small: Tablebase) -> None:
    boards = [board for slice_ in small.slices for board in positions_of(THREE, slice_)]
    boards += [yf.Board("3/3/3 w 0/2", THREE), yf.Board("2C/3/3 w 0/0", THREE)]
    movers, opponents, mover_hands, opponent_hands = (
        np.array([read(board) for board in boards])
        for read in (
            lambda board: board.white,
            lambda board: board.black,
            lambda board: board.hand(True),
            lambda board: board.hand(False),
        )
    )
    values = small.probe_wdl_many(movers, opponents, mover_hands, opponent_hands)
    assert values.dtype == np.int8
    assert values.tolist() == [small.probe_wdl(board) for board in boards]
    two = (2, len(boards) // 2)
    same = [array[: two[0] * two[1]].reshape(two) for array in (movers, opponents, mover_hands, opponent_hands)]
    assert small.probe_wdl_many(*same).shape == two
    assert small.probe_wdl_many(np.array([7]), np.array([8 + 16]), np.array([0]), np.array([0]), missing=9).tolist() == [9]
    with pytest.raises(tb.MissingTableError):
        small.probe_wdl_many(np.array([7]), np.array([8 + 16]), np.array([0]), np.array([0]))
    with tb.open(_folder(small)) as closed:
        pass
    with pytest.raises(ValueError, match="closed"):
        closed.probe_wdl_many(*same)
    one = np.array([1])
    for bad, message in (
        ((one, one, one, one), "both sides"),
        ((one << 9, one, one, one), "outside the board"),
        ((one, one << 1, one * 20, one), "more than 20 pieces"),
        ((one, one << 1, one * 2**40, one), "more than 20 pieces"),
        ((one, np.array([2, 4]), one, one), "different shapes"),
    ):
        with pytest.raises(ValueError, match=message):
            small.probe_wdl_many(*bad)


def test_many_positions_of_choko(tmp_path: Path) -> None:
    game = Rules(rows=2, cols=3, pieces=2, drop_initiative=True)
    with tb.build(game, start=True, path=tmp_path) as tables:
        boards = [board for slice_ in tables.slices for board in positions_of(game, slice_)]
        fields = [[board.white, board.black, board.hand(True), board.hand(False), board.must_drop] for board in boards]
        values = tables.probe_wdl_many(*np.array(fields).T)
        assert values.tolist() == [tables.probe_wdl(board) for board in boards]
        assert {board.must_drop for board in boards} == {False, True}


def test_tables_in_memory(small: Tablebase) -> None:
    """What the search probes."""
    loaded = small.load(slice_ for slice_ in small.slices if slice_.a + slice_.b <= 3)
    for slice_ in small.slices:
        for board in itertools.islice(positions_of(THREE, slice_), 20):
            value = loaded.probe(board)
            assert value == (small.probe_wdl(board) if slice_.a + slice_.b <= 3 else None)
    with pytest.raises(ValueError, match="not those of the tables"):
        loaded.probe(yf.Board())


def test_threads_share_a_tablebase(tmp_path: Path) -> None:
    """With room for a part of the blocks, so that they come and go."""
    tb.build(yf.YOTE, pieces=5, metric="dtw", path=tmp_path).close()
    with tb.open(tmp_path, cache_mb=1) as tables:
        chance = random.Random(1)
        loaded = tables.load(tables.slices, "dtw")
        boards = [board_of(tables.rules, slice_, chance) for slice_ in tables.slices for _ in range(20)]
        expected = [loaded.probe(board) for board in boards]
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda number: tables._probe(boards[number], True), [*range(len(boards))] * 3))
        assert found == expected * 3
        assert 0 < tables.cached_bytes <= tables.most_bytes == 1 << 20
        assert sum(tables._table(slice_, ("dtw",)).header.cell_bytes for slice_ in tables.slices) > 2 << 20


def test_several_folders(small: Tablebase, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    for number, path in enumerate(sorted(_folder(small).glob("*.dtw"))):
        shutil.copy(path, (first, second)[number % 2])
    with tb.open(first, second) as tables:
        assert tables.slices == small.slices
        assert tables.metrics == ["dtw"]
        assert tables.verify() == []
    with tb.open(first) as half, pytest.raises(tb.MissingTableError):
        half.verify()


def test_closed(small: Tablebase) -> None:
    with tb.open(_folder(small)) as tables:
        board = yf.Board("2c/C2/2C w 0/0", THREE)
        assert tables.probe_wdl(board) == 1
    with pytest.raises(ValueError, match="closed"):
        tables.probe_wdl(board)


def test_nothing_to_open(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no tables in"):
        tb.open(tmp_path)
    with pytest.raises(FileNotFoundError):
        tb.open(tmp_path / "nowhere")


# Files ----------------------------------------------------------------------------------------------------------------------------


def test_every_flipped_byte_is_noticed(small: Tablebase, tmp_path: Path) -> None:
    name = "2.0-2.0.wdl"
    whole = (_folder(small) / name).read_bytes()
    assert len(whole) < 1000
    path = tmp_path / name
    for place, flip in itertools.product(range(len(whole)), (0x01, 0xFF)):
        damaged = bytearray(whole)
        damaged[place] ^= flip
        path.write_bytes(damaged)
        with pytest.raises(tb.TableFormatError, match=r"2\.0-2\.0\.wdl: "), tb.open(tmp_path) as tables:
            tables.probe_wdl(yf.Board("1c1/C2/c1C w 0/0", THREE))


def test_every_cut_is_noticed(small: Tablebase, tmp_path: Path) -> None:
    name = "2.0-2.0.wdl"
    whole = (_folder(small) / name).read_bytes()
    for length in range(len(whole)):
        (tmp_path / name).write_bytes(whole[:length])
        with pytest.raises(tb.TableFormatError):
            tb.open(tmp_path)
    (tmp_path / name).write_bytes(whole + b"\0")
    with pytest.raises(tb.TableFormatError, match="after its end"):
        tb.open(tmp_path)


def test_other_versions_and_names(small: Tablebase, tmp_path: Path) -> None:
    whole = (_folder(small) / "2.0-2.0.wdl").read_bytes()
    path = tmp_path / "2.0-2.0.wdl"
    path.write_bytes(whole[:8] + b"\x02\x00" + whole[10:])
    with pytest.raises(tb.TableFormatError, match="version 2, and only 1 is known"):
        tb.open(tmp_path)
    path.write_bytes(b"something else")
    with pytest.raises(tb.TableFormatError, match="it is not a table"):
        tb.open(tmp_path)
    path.unlink()
    (tmp_path / "2.0-1.0.wdl").write_bytes(whole)
    with pytest.raises(tb.TableFormatError, match=r"it is the table of 2\.0-2\.0"):
        tb.open(tmp_path)


def test_folders_of_different_rules(small: Tablebase, tmp_path: Path) -> None:
    other = dataclasses.replace(THREE, no_moves="loses")
    with tb.build(other, pieces=3, path=tmp_path) as tables:
        mixed = Tablebase(_folder(small), tmp_path)
        assert mixed.slices == small.slices
        shutil.copy(_folder(tables) / "2.0-1.0.wdl", tmp_path / "kept")
    shutil.rmtree(tmp_path)
    shutil.copytree(_folder(small), tmp_path)
    with tb.build(other, pieces=3, path=tmp_path / "other"):
        shutil.copy(tmp_path / "other" / "2.0-1.0.wdl", tmp_path)
    with tb.open(tmp_path) as mixed, pytest.raises(tb.WrongRulesError, match="is of the rules"):
        mixed.probe_wdl(yf.Board("2c/C2/2C w 0/0", THREE))
    with pytest.raises(tb.WrongRulesError, match="is of the rules"):
        tb.build(THREE, pieces=4, path=tmp_path)


def test_wrong_counts_are_noticed(small: Tablebase, tmp_path: Path) -> None:
    shutil.copytree(_folder(small), tmp_path, dirs_exist_ok=True)
    path = tmp_path / "2.0-2.0.wdl"
    file = files.TableFile(path)
    header = dataclasses.replace(file.header, counts=dataclasses.replace(file.header.counts, wins=1))
    blocks = path.read_bytes()[file.header.offsets[0] :]
    file.close()
    path.write_bytes(header.pack() + blocks)
    with tb.open(tmp_path) as tables, pytest.raises(tb.TableFormatError, match="its header says"):
        tables.verify([Slice(2, 0, 2, 0)])


def test_longest(small: Tablebase) -> None:
    """The positions that show the longest wins and losses have them."""
    for slice_ in small.slices:
        counts, shown = small.counts(slice_, "dtw"), small.longest(slice_)
        for plies, yfen, side in zip((counts.longest_win, counts.longest_loss), shown, (1, -1), strict=True):
            assert (plies is None) == (yfen is None)
            if yfen is not None:
                board = yf.Board(yfen, THREE)
                assert (slice_numbers(board), small.probe_wdl(board), small.probe_dtw(board)) == (slice_, side, side * (plies or 0))


def test_slices_of_one_value_have_no_blocks(small: Tablebase) -> None:
    file = small._table(Slice(2, 2, 2, 2), ("wdl",))
    assert (file.header.constant, len(file.header.checksums)) == (0, 0)


# Builds ---------------------------------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != generator.LOCK_NAME}


def test_a_build_goes_on(tmp_path: Path, small: Tablebase) -> None:
    expected = {name: data for name, data in contents(_folder(small)).items() if name.endswith(".wdl")}
    tb.build(THREE, pieces=3, path=tmp_path).close()
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    (tmp_path / "2.0-2.0.wdl.99.tmp").write_bytes(b"half")
    # What is damaged is made again.
    (tmp_path / "1.0-1.0.wdl").write_bytes(b"damaged")
    tb.build(THREE, pieces=4, path=tmp_path).close()
    assert contents(tmp_path) == expected
    unchanged = [name for name in expected if name in kept and (tmp_path / name).stat().st_mtime_ns == kept[name]]
    assert sorted({*kept} - {*unchanged} - {generator.LOCK_NAME}) == ["1.0-1.0.wdl"]


@pytest.fixture
def from_disk(monkeypatch: pytest.MonkeyPatch) -> int:
    """Every pair is worked from disk; gives the mebibytes to build with, few so that pages are let go of often."""
    monkeypatch.setattr(generator, "POOL_BYTES", 1 << 60)
    return 100


@pytest.mark.parametrize("metric", ["wdl", "dtw"])
@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("yote+rows=4+cols=4", 5),
        ("choko+rows=3+cols=4", 4),
        ("heroes+rows=2+cols=4", 3),
        ("yote+rows=3+cols=3+no_moves=pass+chain_capture", 3),
    ],
)
def test_work_from_disk(tmp_path: Path, from_disk: int, text: str, pieces: int, metric: tb.Metric) -> None:
    """The files are byte for byte those of work in memory, and nothing else is left."""
    rules = Rules.parse(text)
    tb.build(rules, pieces=pieces, metric=metric, path=tmp_path / "disk", threads=2, memory_mb=from_disk).close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generator, "POOL_BYTES", 1 << 23)
        tb.build(rules, pieces=pieces, metric=metric, path=tmp_path / "memory").close()
    assert contents(tmp_path / "disk") == contents(tmp_path / "memory")


def test_no_disk_for_work(tmp_path: Path, from_disk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "posix_fallocate", fail, raising=False)
    with pytest.raises(OSError, match="No space left on device, finished slices are kept"):
        tb.build(THREE, pieces=3, path=tmp_path, memory_mb=from_disk)
    assert contents(tmp_path) == {}


def test_plan_of_work_from_disk(tmp_path: Path) -> None:
    plan = tb.make_plan(yf.YOTE, pieces=6, start=False, metric="dtw", folder=tmp_path)
    assert plan.from_disk(2048 << 20, 2) == []
    little = plan.least_bytes(2)
    assert {pair[0] for pair in plan.from_disk(little, 2)} >= {Slice(3, 0, 3, 0)}
    assert plan.scratch_bytes(little, 2) == max(map(plan.memory_of, plan.missing))
    assert plan.seconds(little, 2) > plan.seconds(2048 << 20, 2)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures memory as Linux tells it")
def test_memory_is_bounded(tmp_path: Path) -> None:
    """The largest slices take more than all of the memory that is allowed."""
    ended = run("-c", PEAK, str(tmp_path), timeout=120)
    assert ended.status == 0, ended.stderr
    assert int(ended.stdout) <= 92 << 10
    assert (tmp_path / "3.0-3.0.dtw").exists()


PEAK = """
import re, sys, yote_fast as yf
yf.tablebase.build(yf.YOTE, pieces=6, metric="dtw", path=sys.argv[1], memory_mb=92).close()
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


def test_progress(tmp_path: Path) -> None:
    seen: list[tb.Progress] = []
    tb.build(Rules(rows=4, cols=4), pieces=4, path=tmp_path, progress=seen.append).close()
    assert [progress.cells for progress in seen] == sorted(progress.cells for progress in seen)
    last = seen[-1]
    assert (last.slices, last.cells, last.seconds_left) == (last.all_slices, last.all_cells, 0.0)
    assert last.all_cells == tb.make_plan(Rules(rows=4, cols=4), pieces=4, start=False, metric="wdl", folder=tmp_path).cells


def test_processes(tmp_path: Path, small: Tablebase) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        tb.build(THREE, pieces=4, metric="dtw", path=tmp_path, executor=executor).close()
    assert contents(tmp_path) == {name: data for name, data in contents(_folder(small)).items() if name.endswith(".dtw")}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills with SIGKILL")
def test_dask(tmp_path: Path) -> None:
    """One of two workers is killed in the middle; its job goes to another one."""
    from distributed import Client, LocalCluster

    def kill(pid: int) -> None:
        while len(list(tmp_path.glob("*.wdl"))) < 20:
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        killed = pool.submit(kill, next(iter(client.run(os.getpid).values())))
        tb.build(yf.YOTE, pieces=5, path=tmp_path, executor=client.get_executor()).close()
        killed.result()
    expected = {s: without_distances(c) for s, c in expected_counts("5x6-all-up-to-6").items() if s.a + s.b <= 5}
    with tb.open(tmp_path) as tables:
        assert {slice_: tables.counts(slice_) for slice_ in tables.slices} == expected


def test_a_failed_job_ends_the_build(tmp_path: Path) -> None:
    """And what is finished stays."""

    class Failing(ThreadPoolExecutor):
        def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
            if arguments[1].pair[0] == Slice(2, 1, 1, 0):
                return super().submit(function, os.stat, tmp_path / "nowhere")
            return super().submit(function, *arguments, **named)

    with Failing(2) as executor, pytest.raises(FileNotFoundError):
        tb.build(THREE, pieces=4, path=tmp_path, executor=executor)
    assert (tmp_path / "1.0-2.0.wdl").exists()
    tb.build(THREE, pieces=4, path=tmp_path).close()


def test_lock(tmp_path: Path) -> None:
    with filelock.FileLock(tmp_path / generator.LOCK_NAME), pytest.raises(tb.LockedError, match="another build works in"):
        tb.build(THREE, pieces=3, path=tmp_path)
    tb.build(THREE, pieces=3, path=tmp_path).close()


@pytest.mark.parametrize("threads", [1, 2])
def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    replace = os.replace

    def fail(source: Path, target: Path) -> None:
        if target.name == "2.0-2.0.wdl":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OSError, match=r"No space left on device, finished slices are kept: .*2\.0-2\.0\.wdl"):
        tb.build(THREE, pieces=4, path=tmp_path, threads=threads)
    assert (tmp_path / "2.0-1.0.wdl").exists()
    assert list(tmp_path.glob("*.tmp")) == []
    monkeypatch.undo()
    with tb.build(THREE, pieces=4, path=tmp_path) as tables:
        assert tables.verify() == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that this user cannot write to")
def test_read_only_folder(tmp_path: Path, small: Tablebase) -> None:
    shutil.copytree(_folder(small), tmp_path, dirs_exist_ok=True)
    tmp_path.chmod(0o555)
    try:
        # Nothing is missing, so nothing is written.
        tb.build(THREE, pieces=4, path=tmp_path).close()
        with pytest.raises(PermissionError):
            tb.build(THREE, pieces=5, path=tmp_path)
    finally:
        tmp_path.chmod(0o755)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As before, for users who can write to any folder."""

    def fail(path: Path, mode: str) -> Any:
        if "w" in mode:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return open(path, mode)

    monkeypatch.setattr(files, "open", fail, raising=False)
    with pytest.raises(PermissionError, match=r"Permission denied, finished slices are kept: .*1\.0-1\.0\.wdl"):
        tb.build(THREE, pieces=4, path=tmp_path)


@pytest.mark.parametrize("numbers", [Slice(2, 0, 2, 1), Slice(2, 1, 2, 0), Slice(3, 0, 3, 0)])
def test_missing_children(numbers: Slice) -> None:
    with pytest.raises(KeyError, match="is not there"):
        PairSolver(LoadedTables(THREE), numbers, False, 1, 8).solve(lambda work: work(0))


def test_a_missing_file_of_a_child(tmp_path: Path) -> None:
    """Lost while the build runs."""

    class Losing(ThreadPoolExecutor):
        def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
            if arguments[1].pair[0] == Slice(2, 1, 2, 1):
                (tmp_path / "2.0-2.1.wdl").unlink()
            return super().submit(function, *arguments, **named)

    with Losing(1) as executor, pytest.raises(FileNotFoundError, match=r"2\.0-2\.1\.wdl"):
        tb.build(THREE, pieces=4, path=tmp_path, executor=executor)
    with tb.build(THREE, pieces=4, path=tmp_path) as tables:
        assert tables.verify() == []


def test_arguments(tmp_path: Path) -> None:
    for options, message in (
        ({}, "give either pieces=N"),
        ({"pieces": 3, "start": True}, "give either pieces=N"),
        ({"pieces": 1}, "pieces must be 2 to 40"),
        ({"pieces": 3, "rules": dataclasses.replace(THREE, draw_at_three=True)}, "there is nothing to build"),
        ({"pieces": 3, "metric": "dtz"}, "metric must be one of wdl, dtw"),
        ({"pieces": 3, "threads": 0}, "threads must be 1 to"),
        ({"pieces": 3, "memory_mb": 0}, "memory_mb must be 1 to"),
    ):
        with pytest.raises(ValueError, match=message):
            tb.build(**{"rules": THREE, "path": tmp_path / "new"} | options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rules must be a Rules"):
        tb.build("yote", pieces=3, path=tmp_path / "new")  # type: ignore[arg-type]
    with pytest.raises(MemoryError, match="MB of memory, more than memory_mb=80 allows"):
        tb.build(yf.YOTE, pieces=6, path=tmp_path / "new", memory_mb=80)
    assert not (tmp_path / "new").exists()


def test_pickles() -> None:
    for value in (Slice(2, 1, 1, 0), tb.Counts(1, 1, 0, 0, None, 3)):
        assert pickle.loads(pickle.dumps(value)) == value
    error = pickle.loads(pickle.dumps(tb.MissingTableError("a text")))
    assert (type(error), str(error)) == (tb.MissingTableError, "a text")


BUILD = """
import sys, yote_fast as yf
print("ready", flush=True)
yf.tablebase.build(yf.YOTE, pieces=7, metric="dtw", path=sys.argv[1], threads=2)
"""


@needs_ctrl_c
def test_ctrl_c(tmp_path: Path) -> None:
    ended = interrupt("-c", BUILD, str(tmp_path), ready="ready", delay=2.0)
    assert ended.status == -signal.SIGINT
    assert ended.seconds < PROMPTLY
    assert list(tmp_path.glob("*.dtw")) != []
    assert list(tmp_path.glob("*.tmp")) == []


@pytest.mark.skipif(os.name != "posix", reason="kills with SIGKILL")
def test_kill(tmp_path: Path) -> None:
    """What is finished is whole, and the lock is free."""
    with start("-c", BUILD, str(tmp_path)) as process:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("*.dtw"))) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    finished = contents(tmp_path)
    tb.build(yf.YOTE, pieces=4, metric="dtw", path=tmp_path).close()
    with tb.open(tmp_path) as tables:
        assert tables.verify(slices_up_to(yf.YOTE, 3)) == []
    assert {name: data for name, data in contents(tmp_path).items() if name in finished} == {
        name: data for name, data in finished.items() if not name.endswith(".tmp")
    }


# The command ----------------------------------------------------------------------------------------------------------------------


def yote(*arguments: str, timeout: float = 60) -> Ended:
    return run("-m", "yote_fast", "tablebase", *arguments, timeout=timeout)


def output(*arguments: str) -> str:
    ended = yote(*arguments)
    assert (ended.status, ended.stderr) == (0, "")
    return ended.stdout


def test_command(tmp_path: Path) -> None:
    where = ("--rules", "yote+rows=3+cols=3+pieces=4", "--path", str(tmp_path))
    plan = json.loads(output("build", "--start", "--plan", "--json", *where))
    assert (plan["slices"], plan["missing"], plan["cells"]) == (64, 64, 6197)
    assert "missing: 64 slices, 6,197 values\n" in output("build", "--start", "--plan", *where)
    assert list(tmp_path.iterdir()) == []
    told = output("build", "--start", "--metric", "dtw", *where)
    assert "missing: 64 slices, 6,197 values\n" in told
    assert told.splitlines()[-1].startswith("64 slices, ")
    assert output("build", "--start", "--metric", "dtw", *where).startswith("64 slices, ")
    assert json.loads(output("build", "--start", "--metric", "dtw", "--json", *where))["slices"] == 64
    table = output("info", "--csv", *where)
    assert set(table.splitlines()) == set((DATA / "endgames" / "3x3-start-4.csv").read_text(encoding="utf-8").splitlines())
    assert "\n64 slices " in output("info", *where)
    text = output("info", *where)
    assert re.search(r"^longest win: 27 plies, \S+ w \d/\d$", text, re.MULTILINE)
    assert re.search(r"^dtw: 0.0 MB, \d+\.\d\d bits a stored value$", text, re.MULTILINE)
    info = json.loads(output("info", "--json", *where))
    expected = expected_counts("3x3-start-4")
    assert {entry["slice"]: entry["wins"] for entry in info["slices"]} == {str(s): counts.wins for s, counts in expected.items()}
    assert output("verify", *where) == "all is well\n"
    assert json.loads(output("verify", "--samples", "10", "--slice", "2.0-2.0", "--json", *where)) == {"mismatches": []}


def test_probe_command(small: Tablebase) -> None:
    where = ("--rules", "yote+rows=3+cols=3", "--path", str(_folder(small)), "--yfen", "2c/C2/2C w 0/0")
    text = output("probe", *where)
    assert "\nwin in 3\nbest: a2-a3\n" in text
    answer = json.loads(output("probe", "--json", *where))
    assert (answer["value"], answer["distance"], answer["best_moves"]) == ("win", 3, ["a2-a3"])
    assert answer["moves"]["a2-a3"] == "win"


@needs_ctrl_c
def test_ctrl_c_in_build(tmp_path: Path) -> None:
    """Exit status 130, and how to go on."""
    with start("-m", "yote_fast", "tablebase", "build", "--pieces", "7", "--path", str(tmp_path)) as process:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("*.wdl"))) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (
        error.decode().strip()
        == f"yote: interrupted; finished slices are kept in {tmp_path}, and the same command goes on from there"
    )


def test_command_errors(small: Tablebase, tmp_path: Path) -> None:
    ended = yote("probe", "-p", str(_folder(small)), "-r", "yote+rows=3+cols=3", "-y", "CC1/C2/1cc w 0/0")
    assert (ended.status, ended.stdout) == (2, "")
    assert ended.stderr == "yote: there is no wdl or dtw table of slice 3.0-2.0 of yote+rows=3+cols=3\n"
    ended = yote("info", "-p", str(tmp_path))
    assert (ended.status, ended.stderr) == (1, f"yote: there are no tables in {tmp_path}; 'yote tablebase build' makes them\n")
    ended = yote("info", "-p", str(tmp_path / "nowhere"))
    nowhere = tmp_path / "nowhere"
    assert (ended.status, ended.stderr) == (1, f"yote: there are no tables in {nowhere}; 'yote tablebase build' makes them\n")
    (tmp_path / "file").touch()
    ended = yote("build", "-n", "3", "-p", str(tmp_path / "file"))
    assert (ended.status, ended.stderr) == (1, f"yote: {tmp_path / 'file' / '1.0-1.0.wdl'}: Not a directory\n")
    ended = yote("build", "-r", "challenges", "-n", "3", "-p", str(tmp_path))
    assert (ended.status, ended.stderr[:38]) == (2, "yote: tables do not know trade routes,")


@pytest.mark.parametrize("command", ["build", "info", "probe", "verify"])
def test_help(command: str) -> None:
    text = output(command, "--help")
    assert text.startswith(f"Usage: yote tablebase {command}")
    assert "Example" in text
