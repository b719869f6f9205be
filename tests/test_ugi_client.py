"""The UGI client against programs that behave well, badly, or not at all."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import yote_fast as yf
from yote_fast import ugi_client
from yote_fast.ugi_client import EngineProtocolError, EngineTerminatedError, EngineTimeoutError, UGIEngine

FAKE = Path(__file__).parent / "fake_ugi.py"
MOMENT = yf.Limit(time=0.01)


def fake(behaviour: str, **arguments: object) -> UGIEngine:
    return UGIEngine([sys.executable, str(FAKE), behaviour], **arguments)  # type: ignore[arg-type]


def test_a_game() -> None:
    board = yf.Board()
    with fake("good") as engine:
        assert engine.name == "fake program"
        assert engine.options == {"Hash", "Style of Play"}
        engine.new_game()
        for text in ("@a1", "@b1", "@c1"):
            move, infos = engine.play(board, MOMENT)
            assert str(move) == text
            assert infos == []
            board.push(move)
        assert board.ply() == 3


def test_a_position_with_history() -> None:
    board = yf.Board("6/6/6/6/c5 w 12/11")
    board.push_text("@b1")
    with fake("good") as engine:
        # Seen as "position fen ... moves @b1", which is longer than the moves of the start position.
        assert engine._position_command(board) == "position fen 6/6/6/6/c5 w 12/11 moves @b1"
        board.pop()
        assert engine._position_command(board) == "position fen 6/6/6/6/c5 w 12/11"
    assert board.ply() == 0


def test_infos() -> None:
    board = yf.Board()
    with fake("chatty") as engine:
        _, infos = engine.play(board, MOMENT)
    full, empty, partial, text = infos
    assert full.pop("pv") == [board.parse("@a1"), board.parse("@b1")]
    assert full == {
        "depth": 2, "seldepth": 3, "time": 1.5, "nodes": 7, "nps": 4, "hashfull": 1, "score": yf.Score(-30, yf.WHITE),
    }  # fmt: skip
    assert empty == {}
    assert partial == {"depth": 3, "score": yf.Score.loss(4, turn=yf.WHITE)}
    assert text == {"multipv": 1, "string": "a b"}


@pytest.mark.parametrize(
    ("behaviour", "error", "message"),
    [
        ("dies", EngineTerminatedError, "the program ended with exit status 3"),
        ("hangs", EngineTimeoutError, "no bestmove within 0.21 seconds"),
        ("malformed", EngineProtocolError, "malformed 'bestmove'"),
        ("wordy", EngineProtocolError, "malformed 'bestmove @a1 ponder @b1'"),
        ("none", EngineProtocolError, "illegal action: invalid action 'none'"),
        ("gibberish", EngineProtocolError, "illegal action: invalid action"),
        ("illegal", EngineProtocolError, "illegal action: a1-a2"),
    ],
)
def test_bad_answers(behaviour: str, error: type[Exception], message: str) -> None:
    with fake(behaviour, margin=0.2) as engine, pytest.raises(error, match=f"^{message}"):
        engine.play(yf.Board(), MOMENT)


def test_after_the_end() -> None:
    with fake("hangs", margin=0.1) as engine:
        with pytest.raises(EngineTimeoutError):
            engine.play(yf.Board(), MOMENT)
        with pytest.raises(EngineTerminatedError, match="exit status"):
            engine.play(yf.Board(), MOMENT)
        with pytest.raises(EngineTerminatedError):
            engine.new_game()


def test_a_late_answer_within_the_margin() -> None:
    with fake("slow", margin=10) as engine:
        move, _ = engine.play(yf.Board(), MOMENT)
    assert str(move) == "@a1"


@pytest.mark.parametrize(
    ("start", "error", "message"),
    [
        (lambda: fake("mute", timeout=0.2), EngineTimeoutError, "no ugiok within 0.2 seconds"),
        (lambda: fake("still-born"), EngineTerminatedError, "the program ended with exit status 7"),
        (lambda: UGIEngine("no-such-program-here"), EngineTerminatedError, "cannot start no-such-program-here: No such file"),
        (lambda: UGIEngine(""), EngineTerminatedError, "the command is empty"),
        (lambda: fake("good", rules=yf.CHOKO), EngineProtocolError, "fake program has no option Rules, so it cannot play choko"),
        (lambda: fake("good", options={"Speed": 1}), EngineProtocolError, "has no option Speed; it has Hash, Style of Play"),
    ],
    ids=["mute", "still-born", "missing", "empty", "rules", "option"],
)
def test_bad_starts(start: Callable[[], UGIEngine], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        start()


def test_options_and_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with fake("echo", options={"Hash": 7, "Style of Play": "wild"}):
        pass
    assert capfd.readouterr().err.split("\n")[:2] == ["setoption name Hash value 7", "setoption name Style of Play value wild"]


def test_rules() -> None:
    with fake("rules", rules=yf.CHOKO) as engine:
        move, _ = engine.play(yf.Board(rules=yf.CHOKO), MOMENT)
        assert str(move) == "@a1"
        with pytest.raises(ValueError, match="the program plays choko, not yote"):
            engine.play(yf.Board(), MOMENT)


def test_limits() -> None:
    with fake("good") as engine:
        for limit in (yf.Limit(depth=3), yf.Limit(nodes=5), yf.Limit(time=0.01, depth=2)):
            assert str(engine.play(yf.Board(), limit)[0]) == "@a1"
        with pytest.raises(ValueError, match="a limit is needed"):
            engine.play(yf.Board(), yf.Limit())
    assert ugi_client._go_command(yf.Limit(time=0.25, depth=3, nodes=9)) == "go movetime 250 depth 3 nodes 9"
    assert ugi_client._go_command(yf.Limit(time=0.0001)) == "go movetime 1"


def test_a_program_that_will_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ugi_client, "QUIT_SECONDS", 0.2)
    engine = fake("stubborn")
    engine.quit()
    assert engine._process.returncode is not None
    engine.quit()


def test_kill_from_another_thread() -> None:
    engine = fake("hangs", margin=60)
    killer = threading.Timer(0.1, engine.kill)
    killer.start()
    started = time.monotonic()
    with pytest.raises(EngineTerminatedError):
        engine.play(yf.Board(), MOMENT)
    assert time.monotonic() - started < 10
    killer.join()
    engine.quit()


def test_our_own_engine() -> None:
    rules = yf.Rules.parse("challenges+royal_caravan")
    board = yf.Board(rules=rules)
    with UGIEngine([sys.executable, "-m", "yote_fast", "ugi"], rules=rules, options={"Hash": 1}) as engine:
        assert engine.name == f"yote_fast {yf.__version__}"
        for _ in range(12):
            move, infos = engine.play(board, yf.Limit(depth=3))
            assert infos[-1]["pv"][0] == move
            assert infos[-1]["depth"] <= 3
            board.push(move)
