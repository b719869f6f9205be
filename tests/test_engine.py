"""Engines and analyses as objects: streams, threads, ends and errors."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from play import play_all
from proofs import CompiledGame, Proofs, TooLarge
from shell import PROMPTLY, interrupt, needs_ctrl_c, run
from strategies import BOARDS, playable_rules, rules, setups
from test_symmetry import exchanged

import yote_fast as yf
from yote_fast.limit import LARGEST_SHARE, MAX_SECONDS, SHORTEST_SECONDS
from yote_fast.notation import format_yfen
from yote_fast.rules import PRESETS, Rules
from yote_fast.score import PROVEN_VALUE

WAIT = 60.0
WON_IN_3 = "6/6/C5/6/cCC3 w 0/0"


@pytest.fixture(autouse=True)
def no_threads_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(WAIT)
        assert not thread.is_alive(), f"{thread} runs on"


@pytest.fixture
def engine() -> Iterator[yf.Engine]:
    with yf.Engine(hash_mb=1) as engine:
        yield engine


def assert_line(board: yf.Board, info: yf.Info) -> yf.Board:
    assert info.pv
    after = board.copy()
    for move in info.pv:
        assert move in after.legal_moves, f"{board!r}: {info}"
        after.push(move)
    return after


# Analyses that run by themselves --------------------------------------------------------------------------------------------------


def test_an_analysis_tells_what_a_call_tells(engine: yf.Engine) -> None:
    board = yf.Board()
    told: list[yf.Info] = []
    result = yf.analyse(board, yf.Limit(depth=5), hash_mb=1, on_info=told.append)
    analysis = engine.analysis(board, yf.Limit(depth=5))
    streamed = [replace(info, time=0) for info in analysis]
    assert streamed == [replace(info, time=0) for info in told]
    assert [replace(info, time=0) for info in analysis.wait()] == [replace(result, time=0)]
    assert analysis.lines == analysis.wait()
    assert not analysis.is_running()


def test_an_analysis_of_several_lines(engine: yf.Engine) -> None:
    analysis = engine.analysis(yf.Board(), yf.Limit(depth=3), multipv=3)
    assert [(info.depth, info.multipv) for info in analysis] == [(depth, line) for depth in (1, 2, 3) for line in (1, 2, 3)]
    lines = analysis.wait()
    assert [info.multipv for info in lines] == [1, 2, 3]
    assert len({info.pv[0] for info in lines}) == 3


def test_lines_known_so_far(engine: yf.Engine) -> None:
    with engine.analysis(yf.Board(), multipv=4) as analysis:
        for info in analysis:
            lines = analysis.lines
            assert [line.multipv for line in lines] == list(range(1, len(lines) + 1))
            if info.depth == 3 and info.multipv == 4:
                break
    assert len(analysis.lines) == 4


def test_an_endless_analysis_is_stopped(engine: yf.Engine) -> None:
    analysis = engine.analysis(yf.Board())
    seen = []
    for info in analysis:
        seen.append(info)
        if info.depth == 3:
            assert analysis.is_running()
            analysis.stop()
            analysis.stop()
    assert seen
    (line,) = analysis.wait()
    assert line.depth >= 3
    assert line.time < WAIT
    analysis.stop()
    assert_line(yf.Board(), line)


@pytest.mark.parametrize("multipv", [1, 3])
@pytest.mark.parametrize("threads", [1, 3])
def test_stopped_at_once(threads: int, multipv: int) -> None:
    with yf.Engine(hash_mb=1, threads=threads) as engine:
        for _ in range(30):
            analysis = engine.analysis(yf.Board(), multipv=multipv)
            analysis.stop()
            for info in analysis.wait():
                assert_line(yf.Board(), info)
            assert analysis.lines


def test_iterating_again(engine: yf.Engine) -> None:
    analysis = engine.analysis(yf.Board(), yf.Limit(depth=4))
    first = next(iter(analysis))
    assert first.depth == 1
    assert [info.depth for info in analysis] == [2, 3, 4]
    assert list(analysis) == []
    assert list(analysis) == []


def test_a_proven_position_ends_it(engine: yf.Engine) -> None:
    analysis = engine.analysis(yf.Board(WON_IN_3))
    assert [info.depth for info in analysis][-1] == 3
    assert analysis.wait()[0].score == yf.Score.win(3, turn=yf.WHITE)


def test_an_analysis_does_not_change_its_board(engine: yf.Engine) -> None:
    """Nor does the board, afterwards, change the analysis."""
    board = yf.Board()
    analysis = engine.analysis(board, yf.Limit(depth=5))
    board.push_text("@c3")
    assert_line(yf.Board(), analysis.wait()[0])
    assert board.ply() == 1


def test_leaving_the_block_ends_it(engine: yf.Engine) -> None:
    with engine.analysis(yf.Board()) as analysis:
        pass
    assert not analysis.is_running()
    with pytest.raises(ZeroDivisionError), engine.analysis(yf.Board()) as analysis:
        raise ZeroDivisionError
    assert not analysis.is_running()
    assert engine.analyse(yf.Board(), yf.Limit(depth=1)).depth == 1


def test_what_is_wrong_with_an_analysis_is_said_at_once(engine: yf.Engine) -> None:
    board = yf.Board()
    elsewhere = next(iter(yf.Board("6/2c3/2C3/6/6 w 0/0").legal_moves))
    wrong: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: engine.analysis(None), TypeError, "board must be a Board"),  # type: ignore[arg-type]
        (lambda: engine.analysis(board, 3), TypeError, "limit must be a Limit"),  # type: ignore[arg-type]
        (lambda: engine.analysis(board, multipv=0), ValueError, "multipv must be 1 to 1000, not 0"),
        (lambda: engine.analysis(board, multipv=1.0), TypeError, "multipv must be an int"),  # type: ignore[arg-type]
        (lambda: engine.analysis(board, root_moves=[]), ValueError, "no root moves"),
        (lambda: engine.analysis(board, root_moves=[elsewhere]), yf.IllegalMoveError, f"root move {elsewhere} is not legal"),
        (lambda: engine.analysis(yf.Board("6/6/6/6/5c w 0/0")), ValueError, "the game is over"),
    ]
    for call, error, message in wrong:
        with pytest.raises(error, match=message):
            call()
        assert engine.analyse(board, yf.Limit(depth=1)).depth == 1, "the engine is free"


def test_an_engine_is_busy_while_an_analysis_runs(engine: yf.Engine) -> None:
    board = yf.Board()
    with engine.analysis(board):
        for use in (
            lambda: engine.analyse(board, yf.Limit(depth=1)),
            lambda: engine.play(board, yf.Limit(depth=1)),
            lambda: engine.analysis(board),
            engine.clear,
        ):
            with pytest.raises(RuntimeError, match="the engine is searching"):
                use()


def test_an_engine_is_free_when_the_iteration_ends(engine: yf.Engine) -> None:
    for _ in range(100):
        analysis = engine.analysis(yf.Board(), yf.Limit(depth=1))
        for _ in analysis:
            pass
        assert not analysis.is_running()
        assert engine.analyse(yf.Board(), yf.Limit(depth=1)).depth == 1


def test_stopping_an_ended_analysis_does_not_stop_the_next(engine: yf.Engine) -> None:
    for _ in range(50):
        first = engine.analysis(yf.Board(), yf.Limit(depth=1))
        for _ in first:
            pass
        second = engine.analysis(yf.Board(), yf.Limit(depth=4))
        first.stop()
        assert second.wait()[0].depth == 4


def test_several_analyses_at_once() -> None:
    expected = yf.analyse(yf.Board(), yf.Limit(depth=5), hash_mb=1)
    engines = [yf.Engine(hash_mb=1) for _ in range(3)]
    analyses = [engine.analysis(yf.Board(), yf.Limit(depth=5)) for engine in engines]
    for analysis in analyses:
        assert replace(analysis.wait()[0], time=0) == replace(expected, time=0)
    for engine in engines:
        engine.close()


UNFINISHED = """
import yote_fast as yf
engine = yf.Engine(hash_mb=4, threads={threads})
analysis = engine.analysis(yf.Board())
print(next(iter(analysis)).depth)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_program_may_end_meanwhile(threads: int) -> None:
    ended = run("-c", UNFINISHED.format(threads=threads))
    assert (ended.status, ended.stdout, ended.stderr) == (0, "1\n", "")


WAITING = """
import yote_fast as yf
with yf.Engine(hash_mb=4, threads={threads}) as engine, engine.analysis(yf.Board()) as analysis:
    try:
        {wait}
    except KeyboardInterrupt:
        print("interrupted", analysis.is_running(), flush=True)
print("stopped", analysis.is_running(), len(analysis.lines))
"""


@needs_ctrl_c
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("wait", ["print('ready', flush=True); analysis.wait()", "[print('ready', flush=True) for _ in analysis]"])
def test_ctrl_c_while_an_analysis_runs(threads: int, wait: str) -> None:
    ended = interrupt("-c", WAITING.format(threads=threads, wait=wait), ready="ready")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[-2:] == ["interrupted True", "stopped False 1"]
    assert ended.seconds < PROMPTLY


# Closing --------------------------------------------------------------------------------------------------------------------------


def test_a_closed_engine_says_so() -> None:
    engine = yf.Engine(hash_mb=1)
    analysis = engine.analysis(yf.Board(), yf.Limit(depth=2))
    analysis.wait()
    engine.close()
    engine.close()
    for use in (
        lambda: engine.analyse(yf.Board(), yf.Limit(depth=1)),
        lambda: engine.analyse(yf.Board(), yf.Limit(depth=1), multipv=2),
        lambda: engine.analysis(yf.Board()),
        lambda: engine.play(yf.Board(), yf.Limit(depth=1)),
        engine.stop,
        engine.clear,
    ):
        with pytest.raises(RuntimeError, match="the engine is closed"):
            use()
    engine.close()
    analysis.stop()
    assert analysis.wait()[0].depth == 2


@pytest.mark.parametrize("threads", [1, 3])
def test_closing_ends_a_search_in_another_thread(threads: int) -> None:
    engine = yf.Engine(hash_mb=1, threads=threads)
    begun = threading.Event()
    results: list[yf.Info] = []
    thread = threading.Thread(target=lambda: results.append(engine.analyse(yf.Board(), yf.Limit(), on_info=lambda _: begun.set())))
    thread.start()
    assert begun.wait(WAIT)
    engine.close()
    thread.join(WAIT)
    assert not thread.is_alive()
    assert_line(yf.Board(), results[0])
    with pytest.raises(RuntimeError, match="the engine is closed"):
        engine.stop()


@pytest.mark.parametrize("threads", [1, 3])
def test_closing_ends_an_analysis(threads: int) -> None:
    for _ in range(30):
        engine = yf.Engine(hash_mb=1, threads=threads)
        with engine.analysis(yf.Board()) as analysis:
            engine.close()
            analysis.stop()
        assert_line(yf.Board(), analysis.wait()[0])


def test_closing_in_two_threads(engine: yf.Engine) -> None:
    with engine.analysis(yf.Board()) as analysis:
        closers = [threading.Thread(target=engine.close) for _ in range(4)]
        for closer in closers:
            closer.start()
        for closer in closers:
            closer.join(WAIT)
            assert not closer.is_alive()
    assert analysis.wait()


def test_an_engine_is_not_closed_by_its_own_search(engine: yf.Engine) -> None:
    refused = 0

    def close(_: yf.Info) -> None:
        nonlocal refused
        with pytest.raises(RuntimeError, match="cannot be closed by what its own search calls"):
            engine.close()
        refused += 1

    assert engine.analyse(yf.Board(), yf.Limit(depth=3), on_info=close).depth == 3
    assert refused == 3
    engine.close()


def test_an_engine_closes_at_the_end_of_its_block() -> None:
    with pytest.raises(ZeroDivisionError), yf.Engine(hash_mb=1) as engine:
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="the engine is closed"):
        engine.clear()


# Threads --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads", "error", "message"),
    [
        (0, ValueError, "threads must be 1 to 256, not 0"),
        (257, ValueError, "threads must be 1 to 256, not 257"),
        (2.0, TypeError, "threads must be an int, not float"),
        (True, TypeError, "threads must be an int, not bool"),
    ],
)
def test_numbers_of_threads(threads: Any, error: type[Exception], message: str) -> None:
    for make in (lambda: yf.Engine(threads=threads), lambda: yf.analyse(yf.Board(), yf.Limit(depth=1), threads=threads)):
        with pytest.raises(error, match=message):
            make()


@pytest.mark.parametrize("preset", PRESETS)
def test_one_thread_does_the_same_every_time(preset: str) -> None:
    board = play_all(yf.Board(rules=PRESETS[preset]), 5, 15)
    seen: list[list[yf.Info]] = []
    for _ in range(3):
        seen.append([])
        with yf.Engine(hash_mb=1, threads=1) as engine:
            seen[-1] += engine.analyse(board, yf.Limit(nodes=30_000), multipv=2, on_info=lambda info: seen[-1].append(info))
    one, *others = [[replace(info, time=0) for info in infos] for infos in seen]
    for other in others:
        assert other == one


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("preset", PRESETS)
def test_lines_of_many_threads_are_legal(preset: str, threads: int) -> None:
    with yf.Engine(hash_mb=1, threads=threads) as engine:
        for seed in range(3):
            board = play_all(yf.Board(rules=PRESETS[preset]), seed, 10 * seed)
            infos: list[yf.Info] = []
            infos += engine.analyse(board, yf.Limit(nodes=30_000), multipv=2, on_info=infos.append)
            for info in infos:
                assert_line(board, info)


@pytest.mark.parametrize("threads", [2, 4])
@given(data=st.data(), mix=rules([(rows, cols) for rows, cols in BOARDS if rows * cols <= 9], pieces=(1, 3), repetition=(0,)))
@settings(max_examples=25)
def test_proofs_of_many_threads(threads: int, data: st.DataObject, mix: Rules) -> None:
    board = yf.Board(format_yfen(data.draw(setups(mix)), mix), mix)
    if board.is_game_over():
        return
    infos: list[yf.Info] = []
    with yf.Engine(hash_mb=1, threads=threads) as engine:
        engine.analyse(board, yf.Limit(depth=5), on_info=infos.append)
    try:
        proven = Proofs(CompiledGame(), 5_000).score(board.copy(stack=False), 5)
    except TooLarge:
        return
    for info in infos:
        if info.bound is None and info.score is not None and info.score.is_proven() and (proven or info.score.value == 0):
            assert (info.score.win_in is None) == (proven is None or proven.win_in is None), f"{board!r}: {info}, {proven}"
            assert len(info.pv) == (info.score.win_in or info.score.loss_in)
            assert assert_line(board, info).is_game_over()
    if proven is not None:
        assert infos[-1].score == proven, f"{board!r}: {infos[-1]}, {proven}"


def test_nodes_of_many_threads() -> None:
    """The limit holds for all threads together, whatever the first of them is busy with."""
    with yf.Engine(hash_mb=1, threads=6) as engine:
        info = engine.analyse(yf.Board(), yf.Limit(nodes=3_000), on_info=lambda info: info.depth == 2 and time.sleep(2))
    assert info.nodes <= 3_000 + 6 * 1_024


def test_helpers_leave_the_first_ply_enough_of_a_limit() -> None:
    for _ in range(20):
        with yf.Engine(hash_mb=1, threads=6) as engine:
            info = engine.analyse(yf.Board(), yf.Limit(nodes=500))
        assert info.depth >= 1
        assert info.score is not None


def test_no_thread_exceeds_the_limit_of_all() -> None:
    for threads in (1, 2, 4):
        with yf.Engine(hash_mb=1, threads=threads) as engine:
            for nodes in (1, 30, 5_000):
                assert 0 < engine.analyse(yf.Board(), yf.Limit(nodes=nodes)).nodes <= threads * nodes


def test_an_error_in_on_info_stops_the_helpers() -> None:
    threads = threading.active_count()
    with yf.Engine(hash_mb=1, threads=4) as engine:
        with pytest.raises(ZeroDivisionError):
            engine.analyse(yf.Board(), yf.Limit(), on_info=lambda _: 1 / 0)
        assert threading.active_count() == threads
        assert engine.analyse(yf.Board(), yf.Limit(depth=3)).depth == 3


def test_stopping_many_threads() -> None:
    with yf.Engine(hash_mb=1, threads=4) as engine:
        info = engine.analyse(yf.Board(), yf.Limit(), on_info=lambda info: info.depth == 4 and engine.stop())
        assert 4 <= info.depth < 20
        assert_line(yf.Board(), info)


class Refusing(threading.Thread):
    """A thread of a system that has few of them."""

    left = 2

    def start(self) -> None:
        if Refusing.left == 0:
            raise RuntimeError("can't start new thread")
        Refusing.left -= 1
        super().start()


def test_too_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that could be started end."""
    threads = threading.active_count()
    with yf.Engine(hash_mb=1, threads=5) as engine:
        with monkeypatch.context() as patch:
            patch.setattr(threading, "Thread", Refusing)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                engine.analyse(yf.Board(), yf.Limit())
        assert threading.active_count() == threads
        assert engine.analyse(yf.Board(), yf.Limit(depth=2)).depth == 2


LONG = """
import threading
import yote_fast as yf
engine = yf.Engine(hash_mb=4, threads=4)
try:
    engine.analyse(yf.Board(), yf.Limit(), on_info=lambda info: print(info, flush=True))
except KeyboardInterrupt:
    print("stopped", threading.active_count(), engine.analyse(yf.Board(), yf.Limit(depth=1)).depth)
"""


@needs_ctrl_c
def test_ctrl_c_ends_all_threads() -> None:
    ended = interrupt("-c", LONG, ready="depth 2")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[-1] == "stopped 1 1"
    assert ended.seconds < PROMPTLY


# Limits ---------------------------------------------------------------------------------------------------------------------------


def test_a_win_within_some_plies_is_enough(engine: yf.Engine) -> None:
    board = yf.Board(WON_IN_3)
    assert engine.analyse(board, yf.Limit(win_in=2)).depth == 2
    for plies in (3, 9, 128):
        engine.clear()
        info = engine.analyse(board, yf.Limit(win_in=plies))
        assert info.score is not None
        assert info.score.win_in is not None
        assert 3 <= info.score.win_in <= plies
        assert info.depth <= 3
        assert assert_line(board, info).result() == "1-0"


def test_no_deeper_than_the_win_that_is_looked_for() -> None:
    assert yf.analyse(yf.Board(), yf.Limit(win_in=3)).depth == 3
    assert yf.analyse(yf.Board(), yf.Limit(win_in=3, depth=2)).depth == 2
    assert yf.analyse(yf.Board(), yf.Limit(win_in=2, depth=3)).depth == 2


@pytest.mark.parametrize("name", ["white_clock", "black_clock", "white_inc", "black_inc", "win_in"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 1e10, "1", True, [1]])
def test_bad_limits_are_named(name: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        yf.Limit(**{name: value})


@pytest.mark.parametrize("name", ["white_clock", "black_clock", "win_in"])
def test_nothing_left_is_no_limit(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        yf.Limit(**{name: 0})


def test_no_increment_is_one_of_nothing() -> None:
    assert yf.Limit(white_clock=10, white_inc=0).seconds(yf.WHITE) == yf.Limit(white_clock=10).seconds(yf.WHITE)


SECONDS = st.floats(0.001, MAX_SECONDS)


@given(clock=SECONDS, other=SECONDS, increment=st.floats(0, MAX_SECONDS), most=st.none() | SECONDS, turn=st.booleans())
def test_shares_of_a_clock(clock: float, other: float, increment: float, most: float | None, turn: bool) -> None:
    white, black = (clock, other) if turn else (other, clock)
    plain = yf.Limit(white_clock=white, black_clock=black, time=most)
    rich = replace(plain, **{"white_inc" if turn else "black_inc": increment})
    poor = replace(plain, **{"black_inc" if turn else "white_inc": increment})
    seconds = plain.seconds(turn)
    assert seconds is not None
    assert 0 < seconds <= max(LARGEST_SHARE * clock, SHORTEST_SECONDS)
    assert seconds <= (most or MAX_SECONDS)
    assert poor.seconds(turn) == seconds, "the other side's increment"
    assert (rich.seconds(turn) or 0) >= seconds
    assert replace(plain, **{"black_clock" if turn else "white_clock": None}).seconds(turn) == seconds, "the other side's clock"
    assert replace(plain, **{"white_clock" if turn else "black_clock": None}).seconds(turn) == most


def test_a_clock_ends_a_search() -> None:
    for board, clock in ((yf.Board(), "white_clock"), (play_all(yf.Board(), 1, 1), "black_clock")):
        info = yf.analyse(board, yf.Limit(**{clock: 1.0}))
        assert info.time < WAIT


# Bounds and lines -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("full_width", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_bounds_come_before_the_score_that_they_bound(preset: str, full_width: bool) -> None:
    bounds = 0
    for seed in range(8):
        board = play_all(yf.Board(rules=PRESETS[preset]), seed, 30)
        if board.is_game_over():
            continue
        infos: list[yf.Info] = []
        with yf.Engine(hash_mb=1, full_width=full_width) as engine:
            engine.analyse(board, yf.Limit(depth=8, nodes=60_000), on_info=infos.append)
        for info, following in itertools.pairwise(infos):
            assert info.bound in (None, "lower", "upper")
            if info.bound is None:
                assert following.depth == info.depth + 1
                continue
            bounds += 1
            assert_line(board, info)
            assert following.depth == info.depth
            assert info.score is not None
            assert following.score is not None
            if full_width and abs(following.score.value) < PROVEN_VALUE:
                # What a selective search finds next can differ: it prunes by another window. The search for proofs can find what
                # the bound's did not see.
                assert following.score >= info.score if info.bound == "lower" else following.score <= info.score, infos
    assert bounds >= (1 if full_width else 3)


def test_the_result_is_no_bound(engine: yf.Engine) -> None:
    for nodes in range(5_000, 60_000, 5_000):
        engine.clear()
        info = engine.analyse(play_all(yf.Board(), 4, 30), yf.Limit(nodes=nodes))
        assert info.bound is None


@pytest.mark.parametrize("preset", PRESETS)
def test_more_lines_than_moves(engine: yf.Engine, preset: str) -> None:
    board = play_all(yf.Board(rules=PRESETS[preset]), 3, 40)
    lines = engine.analyse(board, yf.Limit(depth=2), multipv=1_000)
    assert sorted(str(line.pv[0]) for line in lines) == sorted(map(str, board.legal_moves))
    assert [line.multipv for line in lines] == list(range(1, len(lines) + 1))
    values = [line.score.value for line in lines if line.score is not None]
    assert len(values) == len(lines)
    for line in lines:
        assert_line(board, line)


@pytest.mark.parametrize("rules", ["yote", "choko", "yote+bonus_turn", "heroes+bonus_turn"])
def test_lines_come_by_score(engine: yf.Engine, rules: str) -> None:
    for seed in range(6):
        told: dict[tuple[int, int], yf.Info] = {}
        board = play_all(yf.Board(rules=Rules.parse(rules)), seed, 9)
        lines = engine.analyse(
            board, yf.Limit(depth=5), multipv=4, on_info=lambda info, told=told: told.update({(info.depth, info.multipv): info})
        )
        values = [line.score.value for line in lines if line.score is not None]
        assert values == sorted(values, reverse=True)
        assert len({line.pv[0] for line in lines}) == len(lines) == len(values)
        assert [line.pv for line in lines] == [told[line.depth, line.multipv].pv for line in lines]


def test_a_proven_line_is_not_searched_again(engine: yf.Engine) -> None:
    told: list[yf.Info] = []
    lines = engine.analyse(yf.Board(WON_IN_3), yf.Limit(depth=6), multipv=2, on_info=told.append)
    assert lines[0].score == yf.Score.win(3, turn=True)
    for depth in range(4, 7):
        again = next(info for info in told if info.depth == depth)
        assert (again.multipv, again.score, again.pv) == (1, lines[0].score, lines[0].pv)
        assert again.nodes == [info.nodes for info in told if info.depth == depth - 1][-1]


# The piece in the corner can go round the four others either way; both take the same.
CIRCLE = "6/6/1c4/c1c3/Cc4 w 3/8"


@pytest.mark.parametrize("removal", ["after", "each"])
def test_moves_with_the_same_effect_have_a_line_each(engine: yf.Engine, removal: str) -> None:
    board = yf.Board(CIRCLE, Rules(chain_capture=True, chain_removal=removal, second_removal="board"))
    lines = engine.analyse(board, yf.Limit(depth=2), multipv=1_000)
    assert sorted(str(line.pv[0]) for line in lines) == sorted(map(str, board.legal_moves))
    for line in lines:
        assert_line(board, line)


@pytest.mark.parametrize("multipv", [1, 2, 5, 100])
def test_lines_of_root_moves(engine: yf.Engine, multipv: int) -> None:
    """Each begins with one of them; one that is named twice counts once."""
    mix = Rules(chain_capture=True, second_removal="board")
    for board in (yf.Board(), yf.Board(CIRCLE, mix), play_all(yf.Board(rules=yf.CHALLENGES), 2, 20)):
        moves = list(board.legal_moves)
        for wanted in (moves[:1], moves[-1:], moves[::3], moves):
            lines = engine.analyse(board, yf.Limit(depth=3), multipv=multipv, root_moves=[*wanted, *wanted])
            assert len({line.pv[0] for line in lines}) == len(lines) == min(multipv, len(wanted))
            for line in lines:
                assert line.pv[0] in wanted
                assert_line(board, line)
            assert engine.analyse(board, yf.Limit(depth=2), root_moves=iter(wanted)).pv[0] in wanted


def test_several_lines_are_ordered(engine: yf.Engine) -> None:
    """The first is what a search for one line finds, and each as good as a search for its move alone says."""
    board = yf.Board(WON_IN_3)
    lines = engine.analyse(board, yf.Limit(depth=3), multipv=3)
    assert lines[0].score == yf.Score.win(3, turn=yf.WHITE)
    assert engine.analyse(board, yf.Limit(depth=3)).score == lines[0].score


# Evaluation -----------------------------------------------------------------------------------------------------------------------


@given(data=st.data(), mix=playable_rules())
def test_the_evaluation_is_the_same_for_both_sides(data: st.DataObject, mix: Rules) -> None:
    setup = data.draw(setups(mix))
    board, other = (yf.Board(format_yfen(each, mix), mix) for each in (setup, exchanged(setup)))
    if board.is_game_over():
        with pytest.raises(ValueError, match="the game is over"):
            yf.evaluate(board)
        return
    assert yf.evaluate(board).turn == board.turn
    assert yf.evaluate(other) == yf.Score(yf.evaluate(board).value, not board.turn)
    assert not yf.evaluate(board).is_proven()


def test_more_pieces_are_better() -> None:
    assert yf.evaluate(yf.Board("6/6/2C3/6/6 w 3/3")) > yf.evaluate(yf.Board("6/6/2c3/6/6 w 3/3"))


def test_what_cannot_be_evaluated() -> None:
    with pytest.raises(TypeError, match="board must be a Board, not str"):
        yf.evaluate("6/6/6/6/6 w 1/1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the game is over"):
        yf.evaluate(yf.Board("6/6/6/6/5c w 0/0"))


def test_a_full_width_search_of_a_ply_is_the_best_evaluation() -> None:
    board = play_all(yf.Board(), 6, 8)
    after = []
    for move in board.legal_moves:
        board.push(move)
        after.append(-yf.evaluate(board))
        board.pop()
    with yf.Engine(hash_mb=1, full_width=True) as engine:
        assert engine.analyse(board, yf.Limit(depth=1)).score == max(after)


@pytest.mark.parametrize("depth", [1, 4])
def test_the_longest_line_of_a_full_width_search(depth: int) -> None:
    with yf.Engine(hash_mb=1, full_width=True) as engine:
        assert engine.analyse(yf.Board(), yf.Limit(depth=depth)).seldepth == depth
