"""Many analyses on few processors: every client gets its share, and a new position its first lines at once.

A position starts with a short slice of time that goes before everything else ("express"), then takes its turn in a round robin
of slices that double up to ``LONGEST_SLICE``. Where nobody waits, a search just runs on. A search that is broken off loses
little: the client's engine keeps its table, by which the next slice is soon as deep again.

All of this runs on the event loop, so nothing needs a lock; only the searches themselves run in threads.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from ..analysis import Engine
from ..core import Board
from ..deepening import Info
from ..limit import Limit

FIRST_SLICE = 0.01
LONGEST_SLICE = 1.0
EXPRESS_EVERY = 0.5
"""Seconds between two positions of a client that go before everything else."""


@dataclass(eq=False)
class Client:
    """Whose analysis it is: one engine, made when it is first needed."""

    hash_mb: int
    engine: Engine | None = None
    next_express: float = 0.0


@dataclass(frozen=True)
class Report:
    """How far an analysis has come."""

    lines: list[Info]
    """The best first; empty before the first depth is done."""
    nodes: int
    """Positions visited, in all slices."""
    seconds: float
    """Time searched, in all slices."""
    done: bool = False
    """Whether a limit is reached or everything is proven."""
    error: str | None = None


class _StoppedError(Exception):
    """Leaves a search between two depths."""


@dataclass(eq=False)
class Analysis:
    """One position that a client wants analysed.

    Args:
        client: whose engine it takes.
        board: the position.
        lines: how many of the best moves.
        depth: plies to search at most.
        seconds: time to search at most.
        on_report: called on the event loop with each :class:`Report`.
    """

    client: Client
    board: Board
    lines: int
    depth: int
    seconds: float
    on_report: Callable[[Report], object]
    cancelled: bool = False
    slice_seconds: float = FIRST_SLICE
    nodes: int = 0
    used: float = 0.0
    best: list[Info] = field(default_factory=list)


class _Run:
    """One slice of an analysis, in a thread."""

    def __init__(self, analysis: Analysis, express: bool, loop: asyncio.AbstractEventLoop) -> None:
        self.analysis = analysis
        self.express = express
        self.loop = loop
        self.started = time.perf_counter()
        self.overdue = False
        self.stopping = False
        self.nodes = 0
        self.alarm: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """End the search within milliseconds."""
        self.stopping = True
        if self.analysis.client.engine is not None:
            self.analysis.client.engine.stop()

    def search(self) -> None:
        """In a thread: search until a limit, a proof or a stop."""
        analysis = self.analysis
        if analysis.client.engine is None:
            analysis.client.engine = Engine(hash_mb=analysis.client.hash_mb)
        limit = Limit(depth=analysis.depth, time=max(analysis.seconds - analysis.used, 0.001))
        with suppress(_StoppedError):
            found = analysis.client.engine.analyse(analysis.board, limit, multipv=analysis.lines, on_info=self._on_info)
            self.nodes = found[0].nodes
            self._keep(found)

    def _on_info(self, info: Info) -> None:
        # A stop that came before the search began is seen here.
        if self.stopping:
            raise _StoppedError
        self.nodes = info.nodes
        best = self.analysis.best
        if best and info.depth < best[0].depth:
            return
        shallower = [line for line in best if line.depth < info.depth or line.multipv > info.multipv]
        deeper = [line for line in best if line.depth == info.depth and line.multipv < info.multipv]
        taken = {line.pv[0] for line in [*deeper, info]}
        self._keep([*deeper, info, *(line for line in shallower if line.pv[0] not in taken)][: self.analysis.lines])

    def _keep(self, lines: list[Info]) -> None:
        best = self.analysis.best
        if best and lines[0].depth < best[0].depth:
            return
        self.analysis.best = lines
        nodes, seconds = self.analysis.nodes + self.nodes, self.analysis.used + self.elapsed()
        self.loop.call_soon_threadsafe(self._report, Report(lines, nodes, seconds))

    def _report(self, report: Report) -> None:
        if not self.analysis.cancelled:
            self.analysis.on_report(report)

    def elapsed(self) -> float:
        return time.perf_counter() - self.started


class Scheduler:
    """Shares a few threads between all analyses. A client has one analysis at a time: cancel it before the next."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search")
        self._express: deque[Analysis] = deque()
        self._waiting: deque[Analysis] = deque()
        self._running: dict[Client, _Run] = {}

    @property
    def running(self) -> int:
        """Searches that run now."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Analyses that wait for their turn."""
        return len(self._express) + len(self._waiting)

    def submit(self, analysis: Analysis) -> None:
        """Start an analysis, now or as soon as it is its turn."""
        now = time.perf_counter()
        if now >= analysis.client.next_express:
            analysis.client.next_express = now + EXPRESS_EVERY
            self._express.append(analysis)
        else:
            self._waiting.append(analysis)
        self._dispatch()

    def cancel(self, analysis: Analysis) -> None:
        """Stop an analysis; no report comes any more."""
        analysis.cancelled = True
        for queue in (self._express, self._waiting):
            if analysis in queue:
                queue.remove(analysis)
        run = self._running.get(analysis.client)
        if run is not None and run.analysis is analysis:
            run.stop()

    async def close(self) -> None:
        """Stop everything, and wait until it has stopped."""
        for queue in (self._express, self._waiting):
            queue.clear()
        for run in self._running.values():
            run.analysis.cancelled = True
            run.stop()
        while self._running:
            await asyncio.sleep(0.01)
        self._pool.shutdown()

    # A run goes through _start, perhaps _expire, and _end -------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Start what can start, and make room for what should."""
        for express, queue in ((True, self._express), (False, self._waiting)):
            for analysis in self._ready(queue):
                if len(self._running) == self._threads:
                    break
                queue.remove(analysis)
                self._start(analysis, express)
        room = sum(run.stopping for run in self._running.values())
        urgent, patient = len(self._ready(self._express)), len(self._ready(self._waiting))
        for run in sorted(self._running.values(), key=lambda run: run.started):
            if run.stopping or not ((room < urgent and not run.express) or (room < urgent + patient and run.overdue)):
                continue
            run.stop()
            room += 1

    def _ready(self, queue: deque[Analysis]) -> list[Analysis]:
        """What could run: a client whose last search has not ended yet has to wait for its engine."""
        return [analysis for analysis in queue if analysis.client not in self._running]

    def _start(self, analysis: Analysis, express: bool) -> None:
        loop = asyncio.get_running_loop()
        run = _Run(analysis, express, loop)
        self._running[analysis.client] = run
        run.alarm = loop.call_later(analysis.slice_seconds, self._expire, run)
        future = loop.run_in_executor(self._pool, run.search)
        future.add_done_callback(lambda future: self._end(run, future))

    def _expire(self, run: _Run) -> None:
        if not run.analysis.best and run.elapsed() < LONGEST_SLICE:
            # It would have had its turn for nothing.
            run.alarm = asyncio.get_running_loop().call_later(FIRST_SLICE, self._expire, run)
            return
        run.overdue = True
        self._dispatch()

    def _end(self, run: _Run, future: asyncio.Future[None]) -> None:
        analysis = run.analysis
        del self._running[analysis.client]
        if run.alarm is not None:
            run.alarm.cancel()
        analysis.used += run.elapsed()
        analysis.nodes += run.nodes
        error = future.exception()
        if analysis.cancelled:
            pass
        elif error is not None:
            analysis.on_report(Report(analysis.best, analysis.nodes, analysis.used, done=True, error=str(error) or repr(error)))
        elif run.stopping and analysis.used < analysis.seconds:
            self._requeue(run)
        else:
            analysis.on_report(Report(analysis.best, analysis.nodes, analysis.used, done=True))
        self._dispatch()

    def _requeue(self, run: _Run) -> None:
        analysis = run.analysis
        if run.overdue:
            analysis.slice_seconds = min(2 * analysis.slice_seconds, LONGEST_SLICE)
            self._waiting.append(analysis)
        else:
            # It gave way to a new position before its slice was over.
            self._waiting.appendleft(analysis)
