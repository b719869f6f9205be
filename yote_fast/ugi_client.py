"""A client for programs that speak UGI, the Universal Game Interface: see ``docs/ugi.md``."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, TypedDict

from .core import Board, Move
from .limit import Limit
from .rules import YOTE, Rules
from .score import Score

UNTIMED_SECONDS = 600.0
"""What a move without a time limit may take."""
QUIT_SECONDS = 2.0
"""How long a program has to leave when told to quit."""


class EngineError(Exception):
    """A program does not do what it should."""


class EngineTerminatedError(EngineError):
    """It ended, or could not be started."""


class EngineTimeoutError(EngineError):
    """It gave no answer in time. It has been killed."""


class EngineProtocolError(EngineError):
    """It gave an answer that is none: a malformed ``bestmove``, or an action that is not legal."""


class InfoDict(TypedDict, total=False):
    """What one ``info`` line says; what it leaves out, or is malformed, is not there."""

    depth: int
    seldepth: int
    time: float
    """Seconds."""
    nodes: int
    nps: int
    hashfull: int
    multipv: int
    score: Score
    pv: list[Move]
    string: str


class UGIEngine:
    """A program that plays by UGI, in a process of its own.

    Args:
        command: what to run, split as a shell would if it is one string.
        rules: the rules it is to play. A program without an option ``Rules`` is taken to know the standard rules alone.
        options: values for the program's options, set before the first game.
        timeout: seconds to wait for an answer, other than a move.
        margin: seconds to wait for a move beyond its time; a move that has only a limit of depth or nodes has ten minutes.

    What the program writes to stderr is passed through. Ctrl-C does not reach it, so that whoever runs it decides when it ends.
    A program works for one thread at a time.

    >>> with UGIEngine("yote ugi") as engine:  # doctest: +SKIP
    ...     move, infos = engine.play(board, yf.Limit(time=0.1))

    Raises:
        EngineTerminatedError: the program cannot be started, or ended at once.
        EngineTimeoutError: it does not answer.
        EngineProtocolError: it lacks an option that is asked for, or does not know the rules.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        rules: Rules = YOTE,
        options: Mapping[str, object] | None = None,
        timeout: float = 10.0,
        margin: float = 2.0,
    ) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        self.rules = rules
        self.timeout = timeout
        self.margin = margin
        self.name = self.command[0] if self.command else ""
        """What the program calls itself."""
        self.options: set[str] = set()
        """The names of the options that it declares."""
        self._start_yfen = Board(rules=rules).yfen()
        self._process = _start(self.command)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(self._output(), self._lines), daemon=True).start()
        try:
            self._introduce()
            self._set_options(options or {})
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def new_game(self) -> None:
        """Tell the program that the next position belongs to another game."""
        self._send("uginewgame")
        self._wait_until_ready()

    def play(self, board: Board, limit: Limit) -> tuple[Move, list[InfoDict]]:
        """The program's move, and what it said about it while it thought.

        Args:
            board: the position, with its history. It is not changed.
            limit: when the program is to stop.

        Raises:
            EngineTerminatedError: the program ended.
            EngineTimeoutError: no move in time.
            EngineProtocolError: the answer is not a legal action.
            ValueError: the board has other rules than the program was started for.
        """
        if board.rules != self.rules:
            raise ValueError(f"the program plays {self.rules}, not {board.rules}")
        go = _go_command(limit)
        self._send(self._position_command(board))
        self._wait_until_ready()
        self._send(go)
        seconds = UNTIMED_SECONDS if limit.time is None else limit.time
        *infos, answer = self._read_until("bestmove", seconds + self.margin)
        words = answer.split()
        if len(words) != 2:
            raise EngineProtocolError(f"malformed {answer!r}")
        try:
            move = board.parse(words[1])
        except ValueError as error:
            raise EngineProtocolError(f"illegal action: {error}") from None
        return move, [_read_info(line, board) for line in infos if line.startswith("info ")]

    def quit(self) -> None:
        """Ask the program to leave, and end it if it does not."""
        with contextlib.suppress(EngineTerminatedError):
            self._send("quit")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the program at once, and what it started. May be called from any thread."""
        if self._process.poll() is None:
            _kill(self._process)
        self._process.wait()
        with contextlib.suppress(OSError):
            self._input().close()

    def __enter__(self) -> UGIEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        self.quit()

    def _input(self) -> IO[str]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _introduce(self) -> None:
        self._send("ugi")
        for line in self._read_until("ugiok", self.timeout):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            elif line.startswith("option name "):
                self.options.add(line.removeprefix("option name ").partition(" type ")[0].strip())

    def _set_options(self, options: Mapping[str, object]) -> None:
        if "Rules" in self.options:
            options = {"Rules": self.rules, **options}
        elif self.rules != YOTE:
            raise EngineProtocolError(f"{self.name} has no option Rules, so it cannot play {self.rules}")
        for name, value in options.items():
            if name not in self.options:
                raise EngineProtocolError(f"{self.name} has no option {name}; it has {', '.join(sorted(self.options)) or 'none'}")
            self._send(f"setoption name {name} value {value}")

    def _position_command(self, board: Board) -> str:
        moves = board.move_stack
        start = board.copy()
        for _ in moves:
            start.pop()
        yfen = start.yfen()
        words = ["position", "startpos" if yfen == self._start_yfen else f"fen {yfen}"]
        if moves:
            words += ["moves", *map(str, moves)]
        return " ".join(words)

    def _wait_until_ready(self) -> None:
        self._send("isready")
        self._read_until("readyok", self.timeout)

    def _send(self, line: str) -> None:
        try:
            self._input().write(line + "\n")
            self._input().flush()
        except (OSError, ValueError):
            raise EngineTerminatedError(self._farewell()) from None

    def _read_until(self, word: str, seconds: float) -> list[str]:
        """The lines up to the first that starts with a word."""
        lines = []
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.kill()
                raise EngineTimeoutError(f"no {word} within {seconds:g} seconds") from None
            if line is None:
                raise EngineTerminatedError(self._farewell())
            lines.append(line)
            if line.split(maxsplit=1)[:1] == [word]:
                return lines

    def _farewell(self) -> str:
        try:
            status = self._process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return "the program closed its output"
        return f"the program ended with exit status {status}"


def _start(command: list[str]) -> subprocess.Popen[str]:
    if not command:
        raise EngineTerminatedError("no program to start: the command is empty")
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise EngineTerminatedError(f"cannot start {shlex.join(command)}: {error.strerror}") from None


def _kill(process: subprocess.Popen[str]) -> None:
    if os.name != "posix":
        process.kill()
        return
    # The session that it leads: the command may be a script that runs the real program.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _read(output: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    """Hand on the program's lines, and None at the end. A thread of its own, since a pipe cannot be read with a timeout."""
    with output:
        for line in output:
            lines.put(line.rstrip("\r\n"))
    lines.put(None)


def _go_command(limit: Limit) -> str:
    words = ["go"]
    if limit.time is not None:
        words += ["movetime", str(max(1, round(1000 * limit.time)))]
    if limit.depth is not None:
        words += ["depth", str(limit.depth)]
    if limit.nodes is not None:
        words += ["nodes", str(limit.nodes)]
    if len(words) == 1:
        raise ValueError("a limit is needed: time, depth or nodes")
    return " ".join(words)


def _read_info(line: str, board: Board) -> InfoDict:
    info: InfoDict = {}
    words = iter(line.split()[1:])
    with contextlib.suppress(StopIteration, ValueError):
        for word in words:
            match word:
                case "depth" | "seldepth" | "nodes" | "nps" | "hashfull" | "multipv":
                    info[word] = int(float(next(words)))
                case "time":
                    info["time"] = float(next(words)) / 1000
                case "score":
                    info["score"] = _read_score(next(words), int(next(words)), board.turn)
                case "pv":
                    info["pv"] = _read_line(list(words), board)
                case "string":
                    info["string"] = " ".join(words)
                case _:
                    pass
    return info


def _read_score(kind: str, value: int, turn: bool) -> Score:
    if kind == "mate":
        return Score.win(value, turn=turn) if value > 0 else Score.loss(-value, turn=turn)
    if kind != "cp":
        raise ValueError(f"unknown score {kind}")
    return Score(value, turn)


def _read_line(texts: list[str], board: Board) -> list[Move]:
    """The moves of a line, as far as they are legal."""
    board = board.copy(stack=False)
    moves: list[Move] = []
    with contextlib.suppress(ValueError):
        moves.extend(map(board.push_text, texts))
    return moves
