"""One page's conversation with the server, over a WebSocket.

Each message is a JSON object with a ``type``; what belongs together has the same ``id``.

==============  =========================================  ===========================================================
the page says   with                                       and gets
==============  =========================================  ===========================================================
``position``    ``rules``, ``yfen`` or null, ``moves``     ``position``: all that there is to show
``analyse``     the same, and ``lines``, ``depth``,        ``lines``, again and again, the last time with ``done``
                ``seconds``
``stop``                                                   nothing; the analysis ends
``setup``       ``rules``, ``setup``                       ``setup``: its ``yfen``
``rules``       ``preset``, ``values``                     ``rules``: their shortest text
==============  =========================================  ===========================================================

Instead of an answer there can be an ``error`` with a ``message``. A new analysis replaces the one before.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..checks import check_int
from ..core import Board
from ..deepening import Info
from ..limit import Limit
from ..rules import PRESETS, Rules
from .position import Tablebase, check_size, describe, mover_texts, play_moves, read_setup
from .scheduler import Analysis, Client, Report, Scheduler

MAX_MESSAGE = 1 << 16
"""Characters of one message."""
MAX_LINES = 10
LINES_EVERY = 0.08
"""Seconds between two reports about an analysis; the first one comes at once."""
MESSAGES_EVERY = 0.005
"""Seconds between two messages of a client in the long run, so that none keeps the server busy with talk."""
BURST_SECONDS = 0.1
"""How far a client may be ahead of that."""
TOO_BIG = 1009


@dataclass(frozen=True)
class Bounds:
    """What a client may have."""

    hash_mb: int
    depth: int
    seconds: float


class Session:
    """The conversation with one page, until it leaves."""

    def __init__(self, websocket: WebSocket, scheduler: Scheduler, bounds: Bounds, tablebase: Tablebase | None) -> None:
        self._websocket = websocket
        self._scheduler = scheduler
        self._bounds = bounds
        self._tablebase = tablebase
        self._client = Client(bounds.hash_mb)
        self._analysis: Analysis | None = None
        self._analysis_id: Any = None
        self._report: Report | None = None
        self._reported = asyncio.Event()
        self._sending = asyncio.Lock()
        self._talked_until = 0.0
        self._handlers: dict[str, Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]] = {
            "position": self._on_position,
            "analyse": self._on_analyse,
            "stop": self._on_stop,
            "setup": self._on_setup,
            "rules": self._on_rules,
        }

    async def run(self) -> None:
        """Answer until the page leaves; then everything of it stops."""
        reporter = asyncio.create_task(self._send_reports())
        try:
            while True:
                await self._answer(await self._websocket.receive())
                await self._slow_down()
        except (WebSocketDisconnect, _LeftError):
            pass
        finally:
            self._stop()
            reporter.cancel()

    async def _slow_down(self) -> None:
        now = time.monotonic()
        self._talked_until = max(self._talked_until, now) + MESSAGES_EVERY
        await asyncio.sleep(max(self._talked_until - now - BURST_SECONDS, 0))

    async def _answer(self, event: Any) -> None:
        if event["type"] == "websocket.disconnect":
            raise _LeftError
        text = event.get("text")
        if len(text or event.get("bytes") or "") > MAX_MESSAGE:
            await self._websocket.close(TOO_BIG, f"a message has at most {MAX_MESSAGE} characters")
            raise _LeftError
        message: dict[str, Any] = {}
        try:
            message = _read_message(text)
            answer = await self._handler(message)(message)
        except (ValueError, TypeError, OverflowError, MemoryError) as error:
            answer = {"type": "error", "message": _shorten(str(error) or repr(error))}
        if answer is not None:
            await self._send({**answer, "id": _identity(message)})

    def _handler(self, message: dict[str, Any]) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]:
        kind = message.get("type")
        if not isinstance(kind, str) or kind not in self._handlers:
            raise ValueError(f"the type of a message must be one of {', '.join(self._handlers)}")
        return self._handlers[kind]

    async def _send(self, answer: dict[str, Any]) -> None:
        async with self._sending:
            await self._websocket.send_text(json.dumps(answer, separators=(",", ":")))

    # Positions --------------------------------------------------------------------------------------------------------------------

    async def _on_position(self, message: dict[str, Any]) -> dict[str, Any]:
        game = _game_arguments(message)

        def work() -> dict[str, Any]:
            return describe(play_moves(*game), self._tablebase)

        return {"type": "position", "position": await asyncio.to_thread(work)}

    async def _on_setup(self, message: dict[str, Any]) -> dict[str, Any]:
        board = read_setup(Rules.parse(_text(message, "rules")), message.get("setup"))
        return {"type": "setup", "yfen": board.yfen()}

    async def _on_rules(self, message: dict[str, Any]) -> dict[str, Any]:
        preset, values = _text(message, "preset"), message.get("values")
        if preset not in PRESETS:
            raise ValueError(f"unknown preset {preset!r}")
        if not isinstance(values, dict) or set(values) - {field.name for field in dataclasses.fields(Rules)}:
            raise ValueError("values must be an object of rule options")
        return {"type": "rules", "rules": str(dataclasses.replace(PRESETS[preset], **values))}

    # Analysis ---------------------------------------------------------------------------------------------------------------------

    async def _on_analyse(self, message: dict[str, Any]) -> None:
        self._stop()
        game = _game_arguments(message)
        lines, depth = message.get("lines", 1), message.get("depth")
        check_int("lines", lines, 1, MAX_LINES)
        limit = Limit(depth=depth, time=message.get("seconds"))

        def work() -> Board:
            board = play_moves(*game).board
            if board.is_game_over():
                raise ValueError(f"the game is over ({board.result()}): there is nothing to analyse")
            check_size(board)
            return board

        board = await asyncio.to_thread(work)
        self._analysis_id = _identity(message)
        self._analysis = Analysis(
            self._client,
            board,
            lines,
            min(limit.depth or self._bounds.depth, self._bounds.depth),
            min(limit.time or self._bounds.seconds, self._bounds.seconds),
            self._on_report,
        )
        self._scheduler.submit(self._analysis)

    async def _on_stop(self, _message: dict[str, Any]) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._analysis is not None:
            self._scheduler.cancel(self._analysis)
        self._analysis = self._report = None

    def _on_report(self, report: Report) -> None:
        self._report = report
        self._reported.set()

    async def _send_reports(self) -> None:
        """Pass reports on, the newest only, so that nothing piles up before a slow page."""
        while True:
            await self._reported.wait()
            self._reported.clear()
            report, analysis = self._report, self._analysis
            if report is None or analysis is None:
                continue
            try:
                await self._send({**_report_message(report, analysis.board), "id": self._analysis_id})
            except (RuntimeError, WebSocketDisconnect):
                # The page has left; the other loop hears of it too.
                return
            await asyncio.sleep(LINES_EVERY)


class _LeftError(Exception):
    """The page has left."""


def _report_message(report: Report, board: Board) -> dict[str, Any]:
    return {
        "type": "lines",
        "lines": [_line(info, board) for info in report.lines],
        "nodes": report.nodes,
        "seconds": round(report.seconds, 3),
        "done": report.done,
        "error": report.error,
    }


def _line(info: Info, board: Board) -> dict[str, Any]:
    """A line; its score is White's, as everything on the page."""
    texts, sides = mover_texts(board, info.pv)
    line = {"depth": info.depth, "seldepth": info.seldepth, "pv": texts, "sides": sides, "score": None}
    if info.score is not None:
        score = info.score.white()
        line["score"] = {
            "win_in": score.win_in,
            "loss_in": score.loss_in,
            "hundredths": None if score.is_proven() else score.value,
            "chance": round(score.win_probability(), 4),
        }
    return line


def _read_message(text: str | None) -> dict[str, Any]:
    if text is None:
        raise ValueError("messages are text, not bytes")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the message is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise ValueError("a message must be a JSON object")
    return message


def _game_arguments(message: dict[str, Any]) -> tuple[str, str | None, list[str]]:
    yfen, moves = message.get("yfen"), message.get("moves", [])
    if yfen is not None:
        yfen = _text(message, "yfen")
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise ValueError("moves must be a list of texts")
    return _text(message, "rules"), yfen, moves


def _text(message: dict[str, Any], name: str) -> str:
    value = message.get(name)
    if not isinstance(value, str) or len(value) > 1000:
        raise ValueError(f"{name} must be a text of at most 1000 characters")
    return value


def _identity(message: dict[str, Any]) -> int | None:
    """The number by which the page knows its question."""
    identity = message.get("id")
    return identity if type(identity) is int and abs(identity) < 2**53 else None


def _shorten(text: str) -> str:
    return text if len(text) <= 400 else text[:397] + "..."
