"""UGI, the Universal Game Interface: this package's engine for tournament programs, see ``docs/ugi.md``.

The main thread reads commands and answers at once; what takes long runs as a job in another thread. The protocol allows
``isready``, ``stop`` and ``quit`` while a job runs; everything else is refused then, so a job never sees its position or engine
change.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol, TextIO

from . import signature
from ._version import __version__
from .analysis import DEFAULT_CONTEMPT, MAX_CONTEMPT, MAX_MULTIPV, Engine
from .checks import MAX_HASH_MB, MAX_THREADS, check_int
from .core import Board, PerftWorker
from .deepening import Info
from .endgames import SMALL
from .files import in_plain_words
from .limit import MAX_DEPTH, MAX_NODES, MAX_SECONDS, Limit
from .perft import MAX_DEPTH as MAX_PERFT_DEPTH
from .rules import YOTE, Rules
from .score import Score
from .ugi_client import EngineError, EngineProtocolError, EngineTerminatedError, EngineTimeoutError, InfoDict, UGIEngine

__all__ = [
    "EngineError",
    "EngineProtocolError",
    "EngineTerminatedError",
    "EngineTimeoutError",
    "InfoDict",
    "UGIEngine",
    "serve",
]

DEFAULT_HASH_MB = 64
STOP_AGAIN_SECONDS = 0.001
LONGEST_ECHO = 80

RESULTS = {"1-0": "p1win", "0-1": "p2win", "1/2-1/2": "draw", "*": "none"}
GO_NUMBERS = ("movetime", "depth", "nodes", "p1time", "p2time", "p1inc", "p2inc", "perft")


def serve(stdin: TextIO, stdout: TextIO) -> None:
    """Answer UGI commands until ``quit`` or the end of the input.

    Raises:
        BrokenPipeError: nobody reads the answers any more.
    """
    server = _Server(stdout)
    try:
        for line in stdin:
            if line.split()[:1] == ["quit"]:
                break
            server.handle(line)
            if server.broken is not None:
                raise server.broken
    finally:
        server.finish()


class _Stoppable(Protocol):
    def stop(self) -> None: ...


class _Job:
    """Something long that runs in a thread of its own and can be stopped."""

    def __init__(self, run: Callable[[_Job], None], worker: _Stoppable) -> None:
        self._worker = worker
        self.stopped = False
        self.answered = False
        """Set before the last line of the answer is written, as the next command may follow it at once."""
        self._thread = threading.Thread(target=run, args=(self,))
        self._thread.start()

    def stop(self) -> None:
        """End the job, and wait until it has answered. The worker is told again and again, for it may not have started yet."""
        self.stopped = True
        while self._thread.is_alive():
            self._worker.stop()
            self._thread.join(STOP_AGAIN_SECONDS)

    def is_busy(self) -> bool:
        """Whether the answer is still to come; once it has been written, the thread is seen off too."""
        if not self.answered and self._thread.is_alive():
            return True
        self._thread.join()
        return False


class _Server:
    """What one connection knows: position, options, and the job that runs."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout
        self._writing = threading.Lock()
        self.broken: BrokenPipeError | None = None
        """What went wrong when nobody read the answers any more."""
        self._rules = YOTE
        self._board = Board(rules=YOTE)
        self._multipv = 1
        self._settings: dict[str, Any] = {"hash_mb": DEFAULT_HASH_MB}
        self._own_engine: Engine | None = None
        self._touched: Engine | None = None
        """The engine whose table the system has given memory to."""
        self._job: _Job | None = None

    def handle(self, line: str) -> None:
        """Carry out one command. What is wrong with it is told in an ``info string``; otherwise it has no effect then."""
        words = line.split()
        if not words:
            return
        command, rest = words[0], words[1:]
        try:
            if command == "isready":
                if self._job is None or not self._job.is_busy():
                    # Whatever takes long and belongs to no search.
                    self._engine().prepare(self._rules)
                    self._touch_memory()
                self._send("readyok")
            elif command == "stop":
                self.finish()
            elif self._job is not None and self._job.is_busy():
                raise ValueError("only isready, stop and quit are possible while a search runs")
            else:
                self._handle_idle(command, rest)
        except (ValueError, TypeError, MemoryError, OverflowError, OSError) as error:
            self._complain(line, error)

    def finish(self) -> None:
        """Stop what runs, and wait for its answer."""
        if self._job is not None:
            self._job.stop()

    def _handle_idle(self, command: str, rest: list[str]) -> None:
        match command:
            case "ugi":
                self._introduce()
            case "setoption":
                self._set_option(rest)
            case "uginewgame":
                self._engine().clear()
                self._board = Board(rules=self._rules)
            case "position":
                self._board = _read_position(rest, self._rules)
            case "go":
                self._go(rest)
            case "query":
                self._query(rest)
            case "d":
                self._send(f"{self._board}\n\n{self._board.yfen()}\nrules: {self._rules}\nresult: {self._board.result()}")
            case "bench":
                engine = Engine(hash_mb=signature.HASH_MB, tablebase=None)
                self._job = _Job(lambda job: self._bench(job, engine), engine)
            case _:
                raise ValueError("unknown command")

    def _introduce(self) -> None:
        self._send(f"id name yote_fast {__version__}")
        self._send("id author the yote_fast developers")
        self._send(f"option name Hash type spin default {DEFAULT_HASH_MB} min 1 max {MAX_HASH_MB}")
        self._send(f"option name Threads type spin default 1 min 1 max {MAX_THREADS}")
        self._send(f"option name Contempt type spin default {DEFAULT_CONTEMPT} min {-MAX_CONTEMPT} max {MAX_CONTEMPT}")
        self._send(f"option name TablebasePath type string default {SMALL}")
        self._send(f"option name MultiPV type spin default 1 min 1 max {MAX_MULTIPV}")
        self._send(f"option name Rules type string default {YOTE}")
        self._send("ugiok")

    def _set_option(self, words: list[str]) -> None:
        if len(words) < 4 or words[0] != "name" or words[2] != "value":
            raise ValueError("expected setoption name NAME value VALUE")
        name, value = words[1].lower(), " ".join(words[3:])
        if name == "hash":
            self._remake_engine(hash_mb=_int("Hash", value, MAX_HASH_MB))
        elif name == "threads":
            self._remake_engine(threads=_int("Threads", value, MAX_THREADS))
        elif name == "contempt":
            self._remake_engine(contempt=_contempt(value))
        elif name == "tablebasepath":
            self._remake_engine(tablebase=None if value == "none" else value)
        elif name == "multipv":
            self._multipv = _int("MultiPV", value, MAX_MULTIPV)
        elif name == "rules":
            self._rules = Rules.parse(value)
            self._board = Board(rules=self._rules)
        else:
            raise ValueError(f"unknown option {words[1]}")

    def _query(self, words: list[str]) -> None:
        match words:
            case ["p1turn"]:
                answer = str(self._board.turn).lower()
            case ["gameover"]:
                answer = str(self._board.is_game_over()).lower()
            case ["result"]:
                answer = RESULTS[self._board.result()]
            case _:
                raise ValueError("expected query p1turn, gameover or result")
        self._send(f"response {answer}")

    def _go(self, words: list[str]) -> None:
        numbers = _read_go(words)
        board, engine = self._board, self._engine()
        if "perft" in numbers:
            check_int("perft", numbers["perft"], 1, MAX_PERFT_DEPTH)
            worker = PerftWorker(self._rules, 0, True)
            self._job = _Job(lambda job: self._perft(job, worker, board, numbers["perft"]), worker)
        elif board.is_game_over():
            self._send("bestmove none")
        else:
            limit = _limit(numbers)
            self._job = _Job(lambda job: self._search(job, engine, board, limit), engine)

    # Jobs -----------------------------------------------------------------------------------------------------------------------

    def _search(self, job: _Job, engine: Engine, board: Board, limit: Limit) -> None:
        try:
            if self._multipv == 1:
                lines = [engine.play(board, limit, on_info=self._send_info).info]
            else:
                lines = engine.analyse(board, limit, multipv=self._multipv, on_info=self._send_info)
            # The whole effort, with what was begun after the last full depth.
            for info in lines:
                self._send_info(info)
            move = lines[0].pv[0]
        except MemoryError as error:
            self._send(f"info string {error}")
            move = next(iter(board.legal_moves))
        job.answered = True
        self._send(f"bestmove {move}")

    def _perft(self, job: _Job, worker: PerftWorker, board: Board, depth: int) -> None:
        total = 0
        for move in board.legal_moves:
            child = board.copy(stack=False)
            child.push(move)
            leaves = worker.count(child, depth - 1)
            if leaves is None or job.stopped:
                break
            total += leaves
            self._send(f"{move}: {leaves}")
        job.answered = True
        self._send("info string stopped" if job.stopped else f"Nodes searched: {total}")

    def _bench(self, job: _Job, engine: Engine) -> None:
        started = time.perf_counter()
        total = 0
        for position in signature.POSITIONS:
            info = position.search(engine)
            if job.stopped:
                break
            total += info.nodes
            self._send(f"{position}: {info.nodes}")
        seconds = time.perf_counter() - started
        job.answered = True
        self._send("info string stopped" if job.stopped else f"Nodes searched: {total}\nNodes/second: {round(total / seconds)}")

    def _send_info(self, info: Info) -> None:
        self._send(self._info_line(info))

    def _info_line(self, info: Info) -> str:
        words: list[object] = ["info depth", info.depth, "seldepth", info.seldepth]
        if self._multipv > 1:
            words += ["multipv", info.multipv]
        words += [
            "time",
            round(1000 * info.time),
            "nodes",
            info.nodes,
            "nps",
            info.nps,
            "hashfull",
            info.hashfull,
            "tbhits",
            info.tbhits,
        ]
        if info.score is not None:
            words += ["score", *_score_words(info.score)]
        if info.bound is not None:
            words.append(f"{info.bound}bound")
        return " ".join(map(str, [*words, "pv", *info.pv]))

    # Helpers --------------------------------------------------------------------------------------------------------------------

    def _engine(self) -> Engine:
        """Made when it is first needed, with the memory that the options ask for by then."""
        if self._own_engine is None:
            self._own_engine = Engine(**self._settings)
        return self._own_engine

    def _touch_memory(self) -> None:
        """Have the system find memory for a new engine's table now: in a search that can take 0.2 s, in which nothing stops it."""
        engine = self._engine()
        if engine is not self._touched:
            engine.clear()
            self._touched = engine

    def _remake_engine(self, **changes: Any) -> None:
        """Take a new setting over, if there is memory for it."""
        settings = {**self._settings, **changes}
        engine = Engine(**settings)
        if self._own_engine is not None:
            self._own_engine.close()
        self._own_engine, self._settings = engine, settings

    def _complain(self, line: str, error: BaseException) -> None:
        echo = line.strip()
        echo = echo if len(echo) <= LONGEST_ECHO else echo[:LONGEST_ECHO] + "..."
        self._send(f"info string ignored {echo!r}: {' '.join(in_plain_words(error).split())}")

    def _send(self, text: str) -> None:
        with self._writing:
            if self.broken is not None:
                return
            try:
                self._stdout.write(text + "\n")
                self._stdout.flush()
            except BrokenPipeError as error:
                # A job cannot end the program; the main thread does, when the input wakes it.
                self.broken = error


def _read_position(words: list[str], rules: Rules) -> Board:
    moves: list[str] = []
    if "moves" in words:
        at = words.index("moves")
        words, moves = words[:at], words[at + 1 :]
    if words == ["startpos"]:
        board = Board(rules=rules)
    elif words[:1] == ["fen"]:
        board = Board(" ".join(words[1:]), rules)
    else:
        raise ValueError("expected position startpos or position fen YFEN, and moves")
    for text in moves:
        board.push_text(text)
    return board


def _read_go(words: list[str]) -> dict[str, int]:
    """The numbers of a ``go``; none for an infinite search."""
    numbers: dict[str, int] = {}
    following = iter(words)
    for word in following:
        if word in GO_NUMBERS:
            numbers[word] = _int(word, next(following, ""))
        elif word != "infinite":
            raise ValueError(f"expected infinite or one of {', '.join(GO_NUMBERS)}, not {word}")
    return numbers


def _limit(numbers: dict[str, int]) -> Limit:
    """The limit that a ``go`` asks for. Numbers beyond the bounds are taken for the bounds, as a move is expected in any case."""

    def seconds(name: str, least: float) -> float | None:
        return min(max(numbers[name] / 1000, least), MAX_SECONDS) if name in numbers else None

    limit = Limit(
        time=seconds("movetime", 0.001),
        depth=min(max(numbers["depth"], 1), MAX_DEPTH) if "depth" in numbers else None,
        nodes=min(max(numbers["nodes"], 1), MAX_NODES) if "nodes" in numbers else None,
    )
    if "movetime" in numbers:
        return limit
    if "p1time" in numbers or "p2time" in numbers:
        # A side whose clock is not told is taken to have next to nothing left.
        numbers = {"p1time": 0, "p2time": 0, **numbers}
    return replace(
        limit,
        white_clock=seconds("p1time", 0.001),
        black_clock=seconds("p2time", 0.001),
        white_inc=seconds("p1inc", 0),
        black_inc=seconds("p2inc", 0),
    )


def _score_words(score: Score) -> Iterable[object]:
    if score.win_in is not None:
        return "mate", score.win_in
    if score.loss_in is not None:
        return "mate", -score.loss_in
    return "cp", score.value


def _int(name: str, text: str, high: int | None = None) -> int:
    """The number that a text writes, 1 to ``high`` if that is given."""
    # Few digits, as int() would read numbers of any length.
    if not (text.removeprefix("-").isascii() and text.removeprefix("-").isdigit() and len(text) <= 19):
        raise ValueError(f"{name} needs a whole number, not {text[:40]!r}")
    number = int(text)
    if high is not None:
        check_int(name, number, 1, high)
    return number


def _contempt(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    digits = text.removeprefix("-")
    return 0 if digits == "0" else sign * _int("Contempt", digits, MAX_CONTEMPT)
