"""The server's application: the page, its files, and the sessions of its clients."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from .._version import __version__
from ..checks import MAX_HASH_MB, MAX_THREADS, check_int
from ..limit import MAX_DEPTH, Limit
from .guard import Guard, Policy
from .position import Tablebase
from .rules_form import rules_form
from .scheduler import Scheduler
from .session import Bounds, Session

STATIC = Path(__file__).parent / "static"
MAX_CLIENTS = 10_000
TRY_AGAIN_LATER = 1013


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What clients share and what each of them gets.

    Args:
        clients: pages that can be connected at the same time.
        threads: searches that run at the same time; None for one each processor.
        hash_mb: mebibytes for the table of each client's engine.
        depth: plies that a position is analysed at most.
        seconds: time that a position is analysed at most.

    Raises:
        ValueError: a number is out of bounds.
    """

    clients: int = 50
    threads: int | None = None
    hash_mb: int = 8
    depth: int = MAX_DEPTH
    seconds: float = 600.0

    def __post_init__(self) -> None:
        check_int("clients", self.clients, 1, MAX_CLIENTS)
        if self.threads is not None:
            check_int("threads", self.threads, 1, MAX_THREADS)
        check_int("hash", self.hash_mb, 1, MAX_HASH_MB)
        Limit(depth=self.depth, time=self.seconds)


def create_app(settings: Settings, policy: Policy, *, tablebase: Tablebase | None = None) -> Starlette:
    """The application for any ASGI server.

    Args:
        settings: its size.
        policy: whom it answers.
        tablebase: exact values to show: an object with ``get_wdl(board, default)``, called from several threads.
    """
    bounds = Bounds(settings.hash_mb, settings.depth, settings.seconds)
    sessions: set[Session] = set()
    greeting = {"type": "hello", "version": __version__, "form": rules_form()}

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.scheduler = Scheduler(settings.threads or os.cpu_count() or 1)
        yield
        await app.state.scheduler.close()

    async def page(_request: Request) -> FileResponse:
        return FileResponse(STATIC / "index.html")

    async def status(request: Request) -> JSONResponse:
        scheduler: Scheduler = request.app.state.scheduler
        return JSONResponse(
            {
                "version": __version__,
                "clients": len(sessions),
                "most_clients": settings.clients,
                "searching": scheduler.running,
                "waiting": scheduler.waiting,
            }
        )

    async def converse(websocket: WebSocket) -> None:
        with suppress(WebSocketDisconnect):
            await websocket.accept()
            if len(sessions) >= settings.clients:
                refusal = f"The server is full: it takes {settings.clients} clients at a time. Try again later."
                await websocket.send_json({"type": "refused", "message": refusal})
                await websocket.close(TRY_AGAIN_LATER, "the server is full")
                return
            session = Session(websocket, websocket.app.state.scheduler, bounds, tablebase)
            sessions.add(session)
            try:
                await websocket.send_json(greeting)
                await session.run()
            finally:
                sessions.discard(session)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/api/status", status),
            WebSocketRoute("/api/session", converse),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, policy=policy)],
        lifespan=lifespan,
    )
