"""Analysis: limits are heeded, lines are legal, and what is called proven is so, as a plain search through all moves confirms."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from play import play_all
from shell import PROMPTLY, interrupt, needs_ctrl_c
from strategies import BOARDS, rules, setups

import yote_fast as yf
from yote_fast import reference
from yote_fast.notation import Setup, format_yfen
from yote_fast.rules import PRESETS, Rules

WHITE, BLACK = yf.WHITE, yf.BLACK
WON_SOON = "6/6/C5/6/cCC3 w 0/0"

# Scores ---------------------------------------------------------------------------------------------------------------------------

Score = yf.Score
ORDERED = [
    Score.loss(1, turn=WHITE),
    Score.loss(2, turn=WHITE),
    Score.loss(40, turn=WHITE),
    Score(-2000, WHITE),
    Score(-1, WHITE),
    Score(0, WHITE),
    Score(120, WHITE),
    Score.win(40, turn=WHITE),
    Score.win(3, turn=WHITE),
    Score.win(1, turn=WHITE),
]


def test_scores_are_ordered() -> None:
    assert sorted([*ORDERED[5:], *ORDERED[:5]]) == ORDERED
    for low, high in itertools.combinations(ORDERED, 2):
        assert low < high
        assert high > low
        assert low <= high
        assert not low >= high
        assert low != high
        assert -low > -high


def test_scores_of_sides() -> None:
    for score in ORDERED:
        other = -score
        assert (other.turn, other.value) == (BLACK, -score.value)
        assert -other == score != other
        assert score.white() == other.white() == score
        assert score.black() == other.black() == other
    assert -Score.win(3, turn=WHITE) == Score.loss(3, turn=BLACK)
    assert Score(0, WHITE) != Score(0, BLACK)
    assert len({Score(7, WHITE), Score(7, WHITE), Score(7, BLACK)}) == 2


@pytest.mark.parametrize(
    ("score", "text", "win_in", "loss_in"),
    [
        (Score(120, WHITE), "+1.20", None, None),
        (Score(-5, BLACK), "-0.05", None, None),
        (Score(0, BLACK), "+0.00", None, None),
        (Score.win(1, turn=BLACK), "win in 1", 1, None),
        (Score.loss(12, turn=WHITE), "loss in 12", None, 12),
    ],
)
def test_what_scores_say(score: Score, text: str, win_in: int | None, loss_in: int | None) -> None:
    assert str(score) == text
    assert (score.win_in, score.loss_in) == (win_in, loss_in)
    assert score.is_proven() == (win_in is not None or loss_in is not None)


def test_scores_of_different_sides_have_no_order() -> None:
    with pytest.raises(ValueError, match=r"different sides cannot be ordered; compare score\.white\(\)"):
        _ = Score(1, WHITE) < Score(2, BLACK)
    with pytest.raises(ValueError, match="different sides"):
        max(Score(1, WHITE), Score(2, BLACK))
    with pytest.raises(TypeError):
        _ = Score(1, WHITE) < 2


# Limits ---------------------------------------------------------------------------------------------------------------------------

BAD_LIMITS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"time": 0}, ValueError, "time must be more than 0"),
    ({"time": -1.5}, ValueError, "time must be more than 0 and at most 1000000000 seconds, not -1.5"),
    ({"time": float("nan")}, ValueError, "time must be more than 0"),
    ({"time": float("inf")}, ValueError, "time must be more than 0"),
    ({"time": 10**400}, ValueError, "time must be more than 0"),
    ({"time": "1"}, TypeError, "time must be a number of seconds, not str"),
    ({"time": True}, TypeError, "time must be a number of seconds, not bool"),
    ({"depth": 0}, ValueError, "depth must be 1 to 128, not 0"),
    ({"depth": 129}, ValueError, "depth must be 1 to 128, not 129"),
    ({"depth": 3.0}, TypeError, "depth must be an int, not float"),
    ({"depth": True}, TypeError, "depth must be an int, not bool"),
    ({"nodes": 0}, ValueError, "nodes must be 1 to"),
    ({"nodes": -5}, ValueError, "nodes must be 1 to"),
    ({"nodes": 2**64}, ValueError, "nodes must be 1 to"),
    ({"nodes": "many"}, TypeError, "nodes must be an int, not str"),
    ({"moves": 3}, TypeError, "moves"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD_LIMITS)
def test_bad_limits(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        yf.Limit(**options)
    assert caught.type is error
    assert message in str(caught.value)


def test_limits_are_values() -> None:
    assert yf.Limit(depth=3) == yf.Limit(depth=3) != yf.Limit(nodes=3)
    assert yf.Limit(time=1) == yf.Limit(time=1.0)
    with pytest.raises(AttributeError):
        yf.Limit(depth=3).depth = 4  # type: ignore[misc]


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_depth(depth: int) -> None:
    info = yf.analyse(yf.Board(), yf.Limit(depth=depth))
    assert info.depth == depth <= info.seldepth
    assert not info.score.is_proven()


@pytest.mark.parametrize("nodes", [1, 2, 29, 30, 31, 1_000, 12_345, 100_000])
@pytest.mark.parametrize("preset", PRESETS)
def test_nodes(nodes: int, preset: str) -> None:
    board = yf.Board(rules=PRESETS[preset])
    info = yf.analyse(board, yf.Limit(nodes=nodes), hash_mb=1)
    assert 0 < info.nodes <= nodes
    assert_line(board, info)


@pytest.mark.parametrize("seconds", [1e-300, 1e-9, 0.001, 0.1])
def test_time(seconds: float) -> None:
    board = yf.Board()
    info = yf.analyse(board, yf.Limit(time=seconds))
    assert info.time < 30
    assert_line(board, info)


def test_the_first_limit_counts() -> None:
    info = yf.analyse(yf.Board(), yf.Limit(time=1e9, depth=2, nodes=2**63))
    assert info.depth == 2
    assert yf.analyse(yf.Board(), yf.Limit(time=1e9, depth=128, nodes=100)).nodes <= 100


def test_stopped_within_the_first_ply() -> None:
    info = yf.analyse(yf.Board(), yf.Limit(nodes=1))
    assert (info.score, info.depth, len(info.pv)) == (None, 0, 1)
    assert "no score" in str(info)


def test_a_proven_result_ends_it() -> None:
    info = yf.analyse(yf.Board(WON_SOON), yf.Limit(time=1000))
    assert info.score == Score.win(3, turn=WHITE)
    assert info.depth == 3


# What an analysis says ------------------------------------------------------------------------------------------------------------


def assert_line(board: yf.Board, info: yf.Info) -> yf.Board:
    """The line is legal move by move. Returns the board after it."""
    assert info.pv
    after = board.copy()
    for move in info.pv:
        assert move in after.legal_moves, f"{board!r}: {info}"
        after.push(move)
    return after


def test_info() -> None:
    seen: list[yf.Info] = []
    board = yf.Board()
    info = yf.analyse(board, yf.Limit(depth=5), on_info=seen.append)
    assert [each.depth for each in seen if each.bound is None] == [1, 2, 3, 4, 5]
    assert (info.score, info.pv, info.depth, info.nodes) == (seen[-1].score, seen[-1].pv, 5, seen[-1].nodes)
    for earlier, later in itertools.pairwise([*seen, info]):
        assert (earlier.nodes, earlier.time, earlier.seldepth) <= (later.nodes, later.time, later.seldepth)
    for each in seen:
        assert each.score is not None
        assert each.score.turn is WHITE
        assert 0 <= each.hashfull <= 1000
        assert each.nps == round(each.nodes / each.time)
        assert each.seldepth >= each.depth
        assert_line(board, each)
    assert str(info) == (f"depth 5, {info.score}, {info.nodes:,} nodes in {info.time:.2f} s: {' '.join(map(str, info.pv))}")
    assert replace(info, time=0.0).nps == 0


def test_a_table_fills() -> None:
    assert yf.analyse(yf.Board(), yf.Limit(nodes=5_000_000), hash_mb=1).hashfull > 500
    assert yf.analyse(yf.Board(), yf.Limit(nodes=50), hash_mb=1).hashfull < 50


def test_scores_are_for_the_side_to_move() -> None:
    for yfen, turn in ((WON_SOON, WHITE), (WON_SOON.swapcase().replace("W", "b"), BLACK)):
        assert yf.analyse(yf.Board(yfen), yf.Limit(depth=4)).score == Score.win(3, turn=turn)


def test_play() -> None:
    board = yf.Board(WON_SOON)
    played = yf.Engine().play(board, yf.Limit(depth=4))
    assert played.move == played.info.pv[0]
    assert played.move in board.legal_moves
    assert played.info.score == Score.win(3, turn=WHITE)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_board_is_left_alone(preset: str) -> None:
    board = play_all(yf.Board(rules=PRESETS[preset]), 11, 30)
    before = board.yfen(), board.key, board.move_stack, board.occurrences()
    yf.Engine(hash_mb=1).play(board, yf.Limit(nodes=20_000))
    assert (board.yfen(), board.key, board.move_stack, board.occurrences()) == before


@pytest.mark.parametrize("preset", PRESETS)
def test_fresh_engines_find_the_same(preset: str) -> None:
    board = play_all(yf.Board(rules=PRESETS[preset]), 3, 20)
    one, other = (yf.analyse(board, yf.Limit(depth=4), hash_mb=1) for _ in range(2))
    assert replace(one, time=0) == replace(other, time=0)


def test_clear_makes_an_engine_fresh() -> None:
    board = yf.Board()
    engine = yf.Engine(hash_mb=1)
    first = engine.analyse(board, yf.Limit(depth=4))
    again = engine.analyse(board, yf.Limit(depth=4))
    engine.clear()
    fresh = engine.analyse(board, yf.Limit(depth=4))
    assert again.nodes < first.nodes == fresh.nodes
    assert (fresh.score, fresh.pv) == (first.score, first.pv)


def test_one_engine_for_games_of_many_rules() -> None:
    engine = yf.Engine(hash_mb=1)
    for _ in range(2):
        for mix in (yf.YOTE, Rules(bonus_turn=True), yf.CHOKO, Rules(second_removal="board_or_hand"), yf.HEROES):
            board = yf.Board("6/6/C5/6/cCC3 w 0/0" if mix.cols == 6 else "5/5/C4/5/cCC2 w 0/0", mix)
            assert engine.analyse(board, yf.Limit(depth=5)).score == Score.win(3, turn=WHITE)


REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: yf.analyse(None, yf.Limit(depth=1)), TypeError, "board must be a Board, not NoneType"),  # type: ignore[arg-type]
    (lambda: yf.analyse("6/6/6/6/6 w 1/1", yf.Limit(depth=1)), TypeError, "board must be a Board, not str"),  # type: ignore[arg-type]
    (lambda: yf.analyse(yf.Board(), 3), TypeError, "limit must be a Limit, not int"),  # type: ignore[arg-type]
    (lambda: yf.analyse(yf.Board(), None), TypeError, "limit must be a Limit, not NoneType"),  # type: ignore[arg-type]
    (lambda: yf.analyse(yf.Board()), TypeError, "limit"),  # type: ignore[call-arg]
    (lambda: yf.analyse(yf.Board(), yf.Limit(depth=1), hash_mb=0), ValueError, "hash_mb must be 1 to 1048576, not 0"),
    (lambda: yf.Engine(hash_mb=-1), ValueError, "hash_mb must be 1 to 1048576, not -1"),
    (lambda: yf.Engine(hash_mb=2**80), ValueError, "hash_mb must be 1 to 1048576"),
    (lambda: yf.Engine(hash_mb=1.0), TypeError, "hash_mb must be an int, not float"),  # type: ignore[arg-type]
    (lambda: yf.Engine(hash_mb=True), TypeError, "hash_mb must be an int, not bool"),
    (lambda: yf.Engine(16), TypeError, "positional"),  # type: ignore[misc]
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refusals(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert caught.type is error
    assert message in str(caught.value)


FINISHED = [
    ("3/3/C2 b 0/0", "yote", "1-0"),
    ("3/3/3 w 0/0", "yote", "1/2-1/2"),
    ("3/3/C1c b 2/2", "yote+draw_at_three", "1/2-1/2"),
    ("Ccc/ccc/ccc w 0/0", "yote", "0-1"),
    ("Ccc/ccc/ccc w 0/0", "yote+no_moves=loses", "0-1"),
]


@pytest.mark.parametrize(("yfen", "rules", "result"), FINISHED)
def test_finished_games(yfen: str, rules: str, result: str) -> None:
    board = yf.Board(yfen, replace(Rules.parse(rules), rows=3, cols=3))
    for use in (yf.analyse, yf.Engine().analyse, yf.Engine().play):
        with pytest.raises(ValueError, match=f"the game is over .{result}.: there is no move to look for in {yfen}"):
            use(board, yf.Limit(depth=1))


def test_games_drawn_by_repetition_are_finished() -> None:
    board = yf.Board("6/2c3/2C3/6/6 w 3/3", Rules(repetition=2))
    for text in ("c3-c2", "c4-c5", "c2-c3", "c5-c4"):
        yf.analyse(board, yf.Limit(depth=1))
        board.push_text(text)
    with pytest.raises(ValueError, match="the game is over"):
        yf.analyse(board, yf.Limit(depth=1))
    assert yf.analyse(board.copy(stack=False), yf.Limit(depth=1)).pv


# Rows, cols, lost position, the moves of a circle back to it, the plies of the loss.
CIRCLES = [
    (2, 3, "cC1/1c1 w 0/0", ["b2-c2", "b1-c1", "c2-b2", "c1-b1"], 4),
    (3, 2, "C1/cc/1C b 0/0", ["b2-b3", "b1-a1", "b3-b2", "a1-b1"], 2),
    (2, 3, "C2/cc1 w 0/0", ["a2-b2", "b1-c1", "b2-a2", "c1-b1"], 6),
]


@pytest.mark.parametrize(("rows", "cols", "yfen", "circle", "plies"), CIRCLES)
def test_a_lost_side_saves_itself_by_repeating_the_game(rows: int, cols: int, yfen: str, circle: list[str], plies: int) -> None:
    """The same position is lost if the game begins there."""
    board = yf.Board(yfen, Rules(rows=rows, cols=cols, pieces=3))
    assert yf.analyse(board, yf.Limit(depth=6)).score == Score.loss(plies, turn=board.turn)
    for text in circle:
        board.push_text(text)
    assert board == yf.Board(yfen, board.rules)
    info = yf.analyse(board, yf.Limit(depth=6))
    assert info.score == Score(0, board.turn)
    assert str(info.pv[0]) == circle[0]
    assert yf.analyse(board.copy(stack=False), yf.Limit(depth=6)).score == Score.loss(plies, turn=board.turn)


# Threads and interruptions --------------------------------------------------------------------------------------------------------


def test_two_engines_at_once() -> None:
    boards = [play_all(yf.Board(rules=mix), 2, 12) for mix in (yf.YOTE, yf.CHALLENGES)]
    expected = [replace(yf.analyse(board, yf.Limit(nodes=200_000), hash_mb=1), time=0) for board in boards]
    found: list[yf.Info | None] = [None, None]

    def work(i: int) -> None:
        found[i] = replace(yf.analyse(boards[i], yf.Limit(nodes=200_000), hash_mb=1), time=0)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_one_engine_in_two_threads() -> None:
    engine = yf.Engine(hash_mb=1)
    board = yf.Board()
    begun = threading.Event()
    results: list[yf.Info] = []

    def work() -> None:
        results.append(engine.analyse(board, yf.Limit(time=1.0), on_info=lambda _: begun.set()))

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(30)
    for use in (lambda: engine.analyse(board, yf.Limit(depth=1)), lambda: engine.play(board, yf.Limit(depth=1)), engine.clear):
        with pytest.raises(RuntimeError, match="the engine is searching"):
            use()
    thread.join()
    assert_line(board, results[0])
    assert engine.analyse(board, yf.Limit(depth=2)).depth >= 2


def test_an_engine_is_busy_between_depths_too() -> None:
    """Another analysis would leave its own position to the rest of the first."""
    engine = yf.Engine(hash_mb=1)
    expected = replace(yf.analyse(yf.Board(), yf.Limit(depth=4), hash_mb=1), time=0)
    refused = 0

    def interfere(_: yf.Info) -> None:
        nonlocal refused
        for use in (lambda: engine.analyse(yf.Board(rules=yf.CHOKO), yf.Limit(depth=1)), engine.clear):
            with pytest.raises(RuntimeError, match="the engine is searching"):
                use()
            refused += 1

    assert replace(engine.analyse(yf.Board(), yf.Limit(depth=4), on_info=interfere), time=0) == expected
    assert refused == 8


def test_stop() -> None:
    """A search stopped from another thread, or from within, gives what it has; a stop where nothing runs is forgotten."""
    engine = yf.Engine(hash_mb=1)
    engine.stop()
    threads: list[threading.Thread] = []

    def stop_later(info: yf.Info) -> None:
        if info.depth == 3:
            threads.append(threading.Thread(target=engine.stop))
            threads[0].start()

    info = engine.analyse(yf.Board(), yf.Limit(time=100), on_info=stop_later)
    threads[0].join()
    assert 3 <= info.depth < 100
    assert_line(yf.Board(), info)
    assert info.time < 50
    assert engine.analyse(yf.Board(), yf.Limit(depth=4)).depth == 4


def test_a_board_may_change_meanwhile() -> None:
    """The analysis is of the position that it was given."""
    board = yf.Board()
    expected = yf.analyse(board, yf.Limit(depth=4), hash_mb=1)
    info = yf.analyse(board, yf.Limit(depth=4), hash_mb=1, on_info=lambda _: board.push(next(iter(board.legal_moves))))
    assert board.ply() == 4
    assert replace(info, time=0) == replace(expected, time=0)


def test_an_error_in_on_info_passes_through() -> None:
    engine = yf.Engine(hash_mb=1)
    with pytest.raises(ZeroDivisionError):
        engine.analyse(yf.Board(), yf.Limit(depth=3), on_info=lambda _: 1 / 0)
    assert engine.analyse(yf.Board(), yf.Limit(depth=3)).depth == 3


LONG = """
import yote_fast as yf
board = yf.Board(rules=yf.{preset})
seen = []
engine = yf.Engine(hash_mb=16)
def on_info(info):
    seen.append(info)
    print(info, flush=True)
try:
    engine.analyse(board, yf.Limit(), on_info=on_info)
except KeyboardInterrupt:
    print("stopped", len(seen), board == yf.Board(rules=yf.{preset}), engine.analyse(board, yf.Limit(depth=1)).depth)
"""


@needs_ctrl_c
@pytest.mark.parametrize("preset", ["YOTE", "CHALLENGES"])
def test_ctrl_c(preset: str) -> None:
    ended = interrupt("-c", LONG.format(preset=preset), ready="depth 3")
    assert (ended.status, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert lines[-1] == f"stopped {len(lines) - 1} True 1"
    assert ended.seconds < PROMPTLY


# Proofs ---------------------------------------------------------------------------------------------------------------------------


class TooLarge(Exception):
    """A plain search would take too long."""


@dataclass
class PlainSearch:
    """All moves of the reference engine to a depth, with no heuristics but a memory of positions."""

    rules: Rules
    positions_left: int
    children: dict[Setup, tuple[str, list[reference.Position]]] = field(default_factory=dict)
    values: dict[tuple[Setup, int], Score | None] = field(default_factory=dict)

    def value(self, position: reference.Position, depth: int) -> Score | None:
        """The win or loss that is forced within ``depth`` plies, the soonest win or latest loss; None where there is neither."""
        known = position.setup, depth
        if known not in self.values:
            self.values[known] = self._value(position, depth)
        return self.values[known]

    def _value(self, position: reference.Position, depth: int) -> Score | None:
        result, children = self._look(position)
        if result in ("1-0", "0-1"):
            ended = Score.win if (result == "1-0") == position.turn else Score.loss
            return ended(0, turn=position.turn)
        if result != "*" or depth == 0:
            return None
        values = [self._after_a_ply(self.value(child, depth - 1), position.turn) for child in children]
        wins = [value for value in values if value is not None and value.win_in is not None]
        if wins:
            return max(wins)
        return None if None in values else max(value for value in values if value is not None)

    def _look(self, position: reference.Position) -> tuple[str, list[reference.Position]]:
        if position.setup not in self.children:
            self.positions_left -= 1
            if self.positions_left < 0:
                raise TooLarge
            self.children[position.setup] = position.result(), [after for _, after in position.legal_moves()]
        return self.children[position.setup]

    @staticmethod
    def _after_a_ply(value: Score | None, turn: bool) -> Score | None:
        """A child's value for the side that moved to it, which can be on move again."""
        if value is None:
            return None
        value = value if value.turn == turn else -value
        if value.win_in is not None:
            return Score.win(value.win_in + 1, turn=turn)
        assert value.loss_in is not None
        return Score.loss(value.loss_in + 1, turn=turn)


def plies_of(score: Score) -> int:
    found = score.win_in if score.win_in is not None else score.loss_in
    assert found is not None
    return found


@dataclass(frozen=True)
class Comparison:
    """A position, what an analysis said at each depth, and what a plain search proved within so many plies."""

    board: yf.Board
    infos: list[yf.Info]
    proven: Score | None
    within: int

    def __str__(self) -> str:
        said = "".join(f"\n  {info}" for info in self.infos)
        return f"{self.board!r}: plain search: {self.proven} within {self.within}{said}"


@cache
def compare(yfen: str, mix: Rules, positions: int, deepest: int) -> Comparison | None:
    """Analyse a position and search it plainly; None for a finished game."""
    board = yf.Board(yfen, mix)
    if board.is_game_over():
        return None
    plain = PlainSearch(mix, positions)
    root = reference.Position(yfen, mix)
    proven, within = None, 0
    try:
        while within < deepest and proven is None:
            proven = plain.value(root, within + 1)
            within += 1
    except TooLarge:
        pass
    infos: list[yf.Info] = []
    yf.analyse(board, yf.Limit(depth=within + 2, nodes=100_000), hash_mb=1, on_info=infos.append)
    return Comparison(board, infos, proven, within)


def assert_sound(board: yf.Board, positions: int, deepest: int = 5) -> Score | None:
    """What an analysis calls won or lost is so, no sooner than it says, and its line leads there. Returns what is proven."""
    found = compare(board.yfen(), board.rules, positions, deepest)
    if found is None:
        return None
    for info in found.infos:
        after = assert_line(found.board, info)
        assert info.score is not None
        if info.bound is not None or not info.score.is_proven():
            continue
        plies = plies_of(info.score)
        if found.proven is not None:
            assert (info.score.win_in is None) == (found.proven.win_in is None), found
            assert plies >= plies_of(found.proven), found
        else:
            assert plies > found.within, found
            assert_claim(found, info.score, 3 * positions)
        assert len(info.pv) == plies, found
        winner = board.turn if info.score.win_in else not board.turn
        assert after.result() == ("1-0" if winner else "0-1"), found
    return found.proven


def assert_claim(found: Comparison, claimed: Score, positions: int) -> None:
    """What an analysis saw beyond its depth is true. Too large positions are let pass."""
    root = reference.Position(found.board.yfen(), found.board.rules)
    try:
        proven = PlainSearch(found.board.rules, positions).value(root, plies_of(claimed))
    except TooLarge:
        return
    assert proven is not None, found
    assert (proven.win_in is None) == (claimed.win_in is None), f"{found}\n{proven}"


def assert_complete(board: yf.Board, positions: int, deepest: int = 5) -> Score | None:
    """A win or loss forced within the depth of an analysis is found, and its number of plies is right. Returns what is proven."""
    found = compare(board.yfen(), board.rules, positions, deepest)
    if found is None or found.proven is None:
        return None
    for info in found.infos:
        if info.bound is None and info.depth >= plies_of(found.proven):
            assert info.score == found.proven, found
    return found.proven


Check = Callable[..., Score | None]
both_ways = pytest.mark.parametrize("check", [assert_sound, assert_complete], ids=["sound", "complete"])

PROVEN = [
    ("yote+rows=3+cols=2+pieces=2+no_moves=pass+chain_capture+bonus_turn", "Cc/c1/1C b 0/0", Score.win(3, turn=BLACK)),
    ("heroes+rows=2+cols=3+pieces=3+no_moves=pass+friendly_leap+trade_routes=2", "1c1/CCc b 0/0 - 1/1:b1a2,b1c2 mb2",
     Score.loss(3, turn=BLACK)),
    ("yote+rows=2+cols=2+pieces=4", "C1/cc w 0/0", Score.loss(2, turn=WHITE)),
    ("yote+cols=2+pieces=3+no_moves=pass+mandatory_capture+trade_routes=1", "c1/2/1C/c1/2 b 0/0 - 1/1", Score.win(3, turn=BLACK)),
]  # fmt: skip


@both_ways
@pytest.mark.parametrize(("rules", "yfen", "score"), PROVEN)
def test_proofs(check: Check, rules: str, yfen: str, score: Score) -> None:
    assert check(yf.Board(yfen, Rules.parse(rules)), positions=5_000) == score


def test_the_shortest_of_two_proofs_counts() -> None:
    """Captures alone win too, but later, and a quick look sees that first."""
    mix = Rules.parse(
        "choko+cols=2+pieces=6+second_removal=board_or_hand+no_moves=loses+mandatory_capture+bonus_turn+friendly_leap+royal_caravan"
    )
    board = yf.Board("1c/c1/1R/1c/Cc w 4/0", mix)
    for depth in (7, 8, 10):
        assert yf.analyse(board, yf.Limit(depth=depth), hash_mb=1).score == Score.win(7, turn=WHITE)


SMALL_BOARDS = [(rows, cols) for rows, cols in BOARDS if rows * cols <= 9]


def before_the_end(mix: Rules, seed: int) -> yf.Board:
    """A few plies before the end of a random game, where most positions are decided."""
    board = play_all(yf.Board(rules=mix), seed, 150)
    for _ in range(min(board.ply(), 1 + seed % 5)):
        board.pop()
    return board


@both_ways
@given(mix=rules(SMALL_BOARDS, pieces=(1, 4), repetition=(0,)), seed=st.integers(0, 2**32))
@settings(max_examples=100)
def test_proofs_before_the_end(check: Check, mix: Rules, seed: int) -> None:
    check(before_the_end(mix, seed), positions=500)


@both_ways
@given(data=st.data(), mix=rules(SMALL_BOARDS, pieces=(1, 3), repetition=(0,)))
@settings(max_examples=60)
def test_proofs_of_any_position(check: Check, data: st.DataObject, mix: Rules) -> None:
    check(yf.Board(format_yfen(data.draw(setups(mix)), mix), mix), positions=500)


@both_ways
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("option", ["", "+mandatory_capture", "+bonus_turn"])
def test_proofs_of_presets(check: Check, preset: str, option: str) -> None:
    mix = replace(Rules.parse(preset + option), rows=3, cols=3, pieces=3, repetition=0)
    proven = [check(before_the_end(mix, seed), positions=400) for seed in range(8)]
    assert sum(score is not None for score in proven) >= 2


@pytest.mark.slow
@both_ways
@given(data=st.data(), mix=rules(SMALL_BOARDS, pieces=(1, 5), repetition=(0,)), seed=st.integers(0, 2**32))
@settings(max_examples=120)
def test_many_proofs(check: Check, data: st.DataObject, mix: Rules, seed: int) -> None:
    check(before_the_end(mix, seed), positions=4_000, deepest=7)
    check(yf.Board(format_yfen(data.draw(setups(mix)), mix), mix), positions=4_000)


@given(data=st.data(), mix=rules(pieces=(1, 14)), seed=st.integers(0, 2**32))
@settings(max_examples=100)
def test_lines_of_any_position_are_legal(data: st.DataObject, mix: Rules, seed: int) -> None:
    board = play_all(yf.Board(format_yfen(data.draw(setups(mix)), mix), mix), seed, seed % 12)
    if board.is_game_over():
        return
    infos: list[yf.Info] = []
    infos.append(yf.analyse(board, yf.Limit(nodes=5_000), hash_mb=1, on_info=infos.append))
    for info in infos:
        assert_line(board, info)
