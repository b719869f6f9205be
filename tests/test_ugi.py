"""The UGI server, as a process over pipes."""

from __future__ import annotations

import contextlib
import io
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import PROMPTLY, interrupt, needs_ctrl_c

import yote_fast as yf
from yote_fast import signature
from yote_fast.ugi import _Job, serve

COMMAND = [sys.executable, "-m", "yote_fast", "ugi"]
WAIT = 60.0
INFO = re.compile(
    r"info depth \d+ seldepth \d+ time \d+ nodes \d+ nps \d+ hashfull \d+ tbhits \d+"
    r"( score (cp|mate) -?\d+( (low|upp)erbound)?)? pv \S+( \S+)*",
    re.ASCII,
)
STRING = "info string ignored "


class Session:
    """A running ``yote ugi``."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, text: str | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((text.encode() if isinstance(text, str) else text) + b"\n")

    def read(self) -> str:
        return self._lines.get(timeout=WAIT)

    def until(self, word: str) -> list[str]:
        """The lines up to the first that begins with a word."""
        lines = [self.read()]
        while lines[-1].split(" ")[0] != word:
            lines.append(self.read())
        return lines

    def ask(self, text: str | bytes) -> list[str]:
        """The answer to commands, read up to the readiness after them."""
        self.send(text)
        self.send("isready")
        return self.until("readyok")[:-1]

    def end(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        status = self.process.wait(WAIT)
        self._reader.join(WAIT)
        return status

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self._lines.put(line.decode().rstrip("\n"))


@pytest.fixture(scope="module")
def running() -> Iterator[Session]:
    session = Session()
    yield session
    assert session.end() == 0


@pytest.fixture
def session(running: Session) -> Session:
    """A session at the start of a game of plain Yoté."""
    assert running.ask("stop\nsetoption name Rules value yote\nsetoption name MultiPV value 1\nuginewgame") == []
    return running


def score_and_line(info: str) -> tuple[str, list[str]]:
    score = re.search(r"score (\w+ \S+)", info)
    return score[1] if score else "", info.partition(" pv ")[2].split()


# Without a search -----------------------------------------------------------------------------------------------------------------


def test_introduction(session: Session) -> None:
    session.send("ugi")
    lines = session.until("ugiok")
    assert lines[0] == f"id name yote_fast {yf.__version__}"
    assert lines[1].startswith("id author ")
    assert lines[2:-1] == [
        "option name Hash type spin default 64 min 1 max 1048576",
        "option name Threads type spin default 1 min 1 max 256",
        "option name Contempt type spin default 100 min -1000 max 1000",
        "option name TablebasePath type string default small",
        "option name MultiPV type spin default 1 min 1 max 1000",
        "option name Rules type string default yote",
    ]


def test_ready(session: Session) -> None:
    session.send("isready")
    assert session.read() == "readyok"


@pytest.mark.parametrize(
    ("position", "turn", "over", "result"),
    [
        ("startpos", "true", "false", "none"),
        ("startpos moves @a1", "false", "false", "none"),
        ("startpos moves", "true", "false", "none"),
        ("fen 6/2c3/2C3/6/6 w 0/0", "true", "false", "none"),
        ("fen 6/2c3/2C3/6/6 w 0/0 moves c3xc5", "false", "true", "p1win"),
        ("fen 6/6/6/6/5c w 0/0", "true", "true", "p2win"),
        ("fen 6/6/6/6/6 w 0/0", "true", "true", "draw"),
    ],
)
def test_queries(session: Session, position: str, turn: str, over: str, result: str) -> None:
    answers = session.ask(f"position {position}\nquery p1turn\nquery gameover\nquery result")
    assert answers == [f"response {turn}", f"response {over}", f"response {result}"]


def test_side_that_acts_twice(session: Session) -> None:
    session.send("setoption name Rules value challenges")
    assert session.ask("position startpos moves =a1b2\nquery p1turn") == ["response true"]


def test_repetition_knows_the_history(session: Session) -> None:
    shuffle = "a1-b1 f5-e5 b1-a1 e5-f5 "
    position = f"position fen 5c/6/6/6/C5 w 1/1 moves {2 * shuffle}"
    assert session.ask(f"{position}\nquery result") == ["response draw"]
    assert session.ask(f"{position.rsplit(maxsplit=1)[0]}\nquery result") == ["response none"]


def test_rules(session: Session) -> None:
    assert session.ask("position startpos moves @c3\nsetoption name Rules value choko+mandatory_capture\nquery p1turn") == [
        "response true"
    ]
    board = "\n".join(session.ask("position startpos moves @c3\nd"))
    assert board == (
        f"{yf.Board('5/5/2C2/5/5 b 11/12 !', yf.Rules.parse('choko+mandatory_capture'))}\n\n"
        "5/5/2C2/5/5 b 11/12 !\nrules: choko+mandatory_capture\nresult: *"
    )


def test_new_game_starts_over(session: Session) -> None:
    assert session.ask("position startpos moves @c3\nuginewgame\nquery p1turn") == ["response true"]


def test_option_names_in_any_case(session: Session) -> None:
    assert session.ask("setoption name hash value 2\nsetoption name RULES value heroes") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("bogus", "unknown command"),
        ("UGI", "unknown command"),
        ("setoption", "expected setoption name NAME value VALUE"),
        ("setoption name Hash", "expected setoption name NAME value VALUE"),
        ("setoption name Hash value many", "Hash needs a whole number, not 'many'"),
        ("setoption name Hash value 0", "Hash must be 1 to 1048576, not 0"),
        ("setoption name Hash value 99999999999999999999999", "Hash needs a whole number"),
        ("setoption name Threads value 0", "Threads must be 1 to 256, not 0"),
        ("setoption name Threads value 300", "Threads must be 1 to 256, not 300"),
        ("setoption name Threads value two", "Threads needs a whole number, not 'two'"),
        ("setoption name MultiPV value 0", "MultiPV must be 1 to"),
        ("setoption name Rules value chess", "unknown rules 'chess'"),
        ("setoption name Speed value 3", "unknown option Speed"),
        ("position", "expected position startpos or position fen YFEN, and moves"),
        ("position startpos @a1", "expected position startpos"),
        ("position fen", "YFEN"),
        ("position fen 6/6/6/6/7 w 12/12", "7"),
        ("position fen 6/6/6/6/6 w 13/12", "13"),
        ("position startpos moves @a1 @a1", "@a1"),
        ("position startpos moves e2e4", "e2e4"),
        ("query", "expected query p1turn, gameover or result"),
        ("query p2turn", "expected query p1turn, gameover or result"),
        ("go fast", "expected infinite or one of"),
        ("go depth", "depth needs a whole number, not ''"),
        ("go depth x", "depth needs a whole number, not 'x'"),
        ("go movetime ١", "movetime needs a whole number"),
        ("go perft 0", "perft must be 1 to 255, not 0"),
    ],
)
def test_what_is_wrong_is_told_and_ignored(session: Session, line: str, reason: str) -> None:
    session.send("position startpos moves @c3")
    (answer,) = session.ask(line)
    assert answer.startswith(STRING)
    assert reason in answer
    assert session.ask("query p1turn") == ["response false"]


def test_odd_input(session: Session) -> None:
    assert session.ask("\n   \n\t") == []
    assert len(session.ask(b"\xff\xfe\x00 moves")) == 1
    (answer,) = session.ask("x" * 100_000)
    assert len(answer) < 200
    assert session.ask("  query   p1turn \r") == ["response true"]


# Searching ------------------------------------------------------------------------------------------------------------------------


def test_depth(session: Session) -> None:
    session.send("go depth 4")
    *infos, answer = session.until("bestmove")
    assert all(INFO.fullmatch(info) for info in infos)
    # One after each depth, and the whole effort at the end.
    assert [int(info.split()[2]) for info in infos] == [1, 2, 3, 4, 4]
    assert answer == f"bestmove {score_and_line(infos[-1])[1][0]}"


@pytest.mark.parametrize(
    "limit", ["nodes 5000", "nodes 0", "depth 0", "movetime 30", "movetime -5", "p1time 500 p2time 1", "p1time -3"]
)
def test_limits(session: Session, limit: str) -> None:
    session.send(f"go {limit}")
    *infos, answer = session.until("bestmove")
    assert infos
    assert yf.Board().parse(answer.split()[1]) in yf.Board().legal_moves


@pytest.mark.parametrize(
    ("clock", "least", "most"),
    [("p1time 2500 p2time 60000 p1inc 0 p2inc 0", 50, 500), ("p1time 20000 p2time 100 p1inc 300 p2inc 0", 800, 3000)],
)
def test_clock(session: Session, clock: str, least: int, most: int) -> None:
    started = time.perf_counter()
    session.send(f"go {clock}")
    session.until("bestmove")
    assert least <= 1000 * (time.perf_counter() - started) <= most


def test_threads(session: Session) -> None:
    for threads in (3, 1):
        assert session.ask(f"setoption name Threads value {threads}\nsetoption name Hash value 2") == []
        session.send("go depth 4")
        *infos, answer = session.until("bestmove")
        assert score_and_line(infos[-1])[1][0] == answer.split()[1]
        session.send("go infinite\nstop")
        assert len(session.until("bestmove")[-1].split()) == 2


def test_refused_threads_change_nothing(session: Session) -> None:
    assert len(session.ask("setoption name Threads value 0\nsetoption name Threads value 300")) == 2
    session.send("go depth 2")
    assert len(session.until("bestmove")) == 4


@pytest.mark.parametrize("clock", ["p1time 300 p2time 9000", "p1time 300 p1inc 0", "p1time 0 p1inc 100", "p1time 9000 movetime 20"])
def test_clocks_end_a_search(session: Session, clock: str) -> None:
    session.send(f"go {clock}")
    answer = session.until("bestmove")[-1].split()[1]
    assert yf.Board().parse(answer) in yf.Board().legal_moves


def test_move_time(session: Session) -> None:
    started = time.perf_counter()
    session.send("go movetime 200")
    session.until("bestmove")
    assert 0.19 <= time.perf_counter() - started < 1


def test_several_lines(session: Session) -> None:
    session.send("setoption name MultiPV value 3\ngo depth 3")
    *infos, answer = session.until("bestmove")
    assert [re.findall(r"depth (\d+) seldepth \d+ multipv (\d+)", info) for info in infos] == [
        [(str(depth), str(line))] for depth in (1, 2, 3, 3) for line in (1, 2, 3)
    ]
    moves = [score_and_line(info)[1][0] for info in infos[-3:]]
    assert len(set(moves)) == 3
    assert answer == f"bestmove {moves[0]}"


def test_proven_scores_in_plies(session: Session) -> None:
    # One to move captures the last piece; the other cannot help being captured.
    session.send("position fen 6/2c3/2C3/6/6 w 0/0\ngo depth 3")
    *infos, answer = session.until("bestmove")
    assert answer == "bestmove c3xc5"
    assert score_and_line(infos[-1]) == ("mate 1", ["c3xc5"])
    session.send("position fen c5/2C3/6/6/6 w 1/0\ngo depth 12")
    *infos, _ = session.until("bestmove")
    assert score_and_line(infos[-1])[0] == "mate 7"
    move = score_and_line(infos[-1])[1][0]
    session.send(f"position fen c5/2C3/6/6/6 w 1/0 moves {move}\ngo depth 12")
    *infos, _ = session.until("bestmove")
    assert score_and_line(infos[-1])[0] == "mate -6"


def test_no_move_to_look_for(session: Session) -> None:
    session.send("position fen 6/6/6/6/5c w 0/0\ngo depth 3")
    assert session.read() == "bestmove none"


def test_pass(session: Session) -> None:
    session.send("setoption name Rules value yote+rows=2+cols=2+pieces=4+no_moves=pass\nposition fen Cc/c1 w 0/0\ngo depth 2")
    assert session.until("bestmove")[-1] == "bestmove --"


@pytest.mark.parametrize("rules", ["yote", "choko", "heroes", "challenges+bonus_turn"])
def test_stop(session: Session, rules: str) -> None:
    session.send(f"setoption name Rules value {rules}")
    session.send("go infinite")
    assert session.read().startswith("info depth 1 ")
    time.sleep(0.05)
    started = time.perf_counter()
    session.send("stop")
    session.until("bestmove")
    # Some milliseconds at most on an idle machine.
    assert time.perf_counter() - started < 1


def test_stop_right_after_go(session: Session) -> None:
    for _ in range(100):
        session.send("go infinite\nstop")
        assert len(session.until("bestmove")[-1].split()) == 2


def test_stop_without_a_search(session: Session) -> None:
    assert session.ask("stop\nstop") == []


class LateStarter:
    """A worker that forgets what it is told before it starts."""

    def __init__(self) -> None:
        self.told = 0
        self.stopped = threading.Event()

    def stop(self) -> None:
        self.told += 1
        if self.told == 5:
            self.stopped.set()


def test_stop_before_the_search_has_really_started() -> None:
    worker = LateStarter()
    job = _Job(lambda _: assert_set(worker.stopped), worker)
    assert job.is_busy()
    started = time.perf_counter()
    job.stop()
    assert time.perf_counter() - started < 1
    assert not job.is_busy()


def test_a_job_that_has_answered_is_not_busy() -> None:
    end = threading.Event()

    def run(job: _Job) -> None:
        job.answered = True
        assert_set(end)

    job = _Job(run, LateStarter())
    threading.Timer(0.1, end.set).start()
    while not job.answered:
        time.sleep(0.001)
    assert not job.is_busy()
    assert end.is_set(), "it waits for the thread, which must not meet the next job"


def assert_set(event: threading.Event) -> None:
    assert event.wait(WAIT)


def test_ready_while_searching(session: Session) -> None:
    session.send("go infinite")
    session.read()
    session.send("isready")
    assert not [line for line in session.until("readyok") if line.startswith("bestmove")]
    session.send("stop")
    session.until("bestmove")


@pytest.mark.parametrize(
    "command", ["position startpos moves @a1", "setoption name Hash value 3", "uginewgame", "go depth 1", "ugi"]
)
def test_other_commands_wait_for_the_end_of_a_search(session: Session, command: str) -> None:
    session.send("go infinite")
    lines = [line for line in session.ask(command) if not line.startswith("info depth")]
    assert len(lines) == 1
    assert lines[0].startswith(STRING)
    assert "only isready, stop and quit" in lines[0]
    session.send("stop")
    session.until("bestmove")
    assert session.ask("query p1turn") == ["response true"]


def test_commands_right_after_the_answer(session: Session) -> None:
    for _ in range(200):
        session.send("go nodes 1")
        session.until("bestmove")
        assert session.ask("position startpos moves @a1") == []


# Extras ---------------------------------------------------------------------------------------------------------------------------


def test_perft(session: Session) -> None:
    session.send("position startpos moves @c3\ngo perft 3")
    *lines, total = session.until("Nodes")
    board = yf.Board()
    board.push_text("@c3")
    assert lines == [f"{move}: {leaves}" for move, leaves in yf.divide(board, 3).items()]
    assert total == f"Nodes searched: {yf.perft(board, 3)}"


def test_perft_stops(session: Session) -> None:
    session.send("go perft 20\nisready")
    session.until("readyok")
    started = time.perf_counter()
    session.send("stop")
    assert session.read() == "info string stopped"
    assert time.perf_counter() - started < 1


@pytest.mark.slow
def test_bench(session: Session) -> None:
    session.send("bench")
    lines = session.until("Nodes/second:")
    assert lines[-2] == f"Nodes searched: {signature.nodes()}"
    assert len(lines) == len(signature.POSITIONS) + 2


def test_bench_stops(session: Session) -> None:
    session.send("bench\nstop")
    assert session.until("info")[-1] == "info string stopped"
    assert session.ask("query p1turn") == ["response true"]


# The end --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", ["quit", ""])
def test_the_end_lets_a_search_answer(last: str) -> None:
    session = Session()
    session.send("go infinite")
    session.read()
    started = time.monotonic()
    session.send(last)
    assert session.end() == 0
    assert time.monotonic() - started < PROMPTLY
    assert session.until("bestmove")


def test_quit_alone_ends() -> None:
    session = Session()
    session.send("quit")
    assert session.process.wait(WAIT) == 0
    session.end()


def test_nobody_reads() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"go infinite\n")
        process.stdout.readline()
        process.stdout.close()
        time.sleep(0.2)
        # It may have noticed, and ended, already.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"stop\n")
        assert process.wait(WAIT) == 1
        assert process.stderr.read() == b""


VOCABULARY = """
    ugi isready uginewgame position startpos fen moves @a1 a1-a2 6/6/6/6/6 w 12/12 go depth nodes movetime perft infinite stop
    setoption name value Hash Rules choko 1 2 -1 query p1turn gameover result d
"""
WORDS = st.sampled_from(VOCABULARY.split())
LINES = st.lists(st.one_of(st.lists(WORDS, max_size=6).map(" ".join), st.text(max_size=20)), max_size=20)


@given(LINES)
def test_any_lines(lines: list[str]) -> None:
    output = io.StringIO()
    serve(io.StringIO("\n".join([*lines, "stop", "isready"])), output)
    assert output.getvalue().endswith("readyok\n")
    # The end of the input in the midst of it all.
    serve(io.StringIO("\n".join(lines)), output)


def test_strings_instead_of_pipes() -> None:
    output = io.StringIO()
    serve(io.StringIO("isready\nquery p1turn\nquit\nquery result\n"), output)
    assert output.getvalue() == "readyok\nresponse true\n"


@needs_ctrl_c
def test_ctrl_c() -> None:
    script = "import sys, io, threading; from yote_fast.ugi import serve\n" + (
        "def lines():\n    yield 'isready'\n    yield 'go infinite'\n    threading.Event().wait()\nserve(lines(), sys.stdout)"
    )
    ended = interrupt("-c", script, ready="info depth 2")
    assert ended.seconds < PROMPTLY
    assert "KeyboardInterrupt" in ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("bestmove ")
