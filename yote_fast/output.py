"""What commands print besides their results: how far long work is, and JSON for programs."""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from .terminal import can_redraw

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress

STATUS_AFTER = 2.0
"""Seconds before there is anything to tell a person who looks on."""
LINE_EVERY = 10.0
"""Seconds between the lines where nobody does."""
BAR_WIDTH = 12


def print_json(value: dict[str, Any]) -> None:
    """One object, on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def duration(seconds: float) -> str:
    """Such as ``"1 h 20 min"``, ``"3 min 5 s"``, ``"12 s"``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Status:
    """Tells on stderr how far something is: a bar and a line that change on a terminal, else a new line now and then.

    A context manager, called with each piece of news, by any thread. What has changed is gone from the terminal in the end.
    """

    def __init__(self) -> None:
        self._redraws = can_redraw(sys.stderr)
        self._started = time.monotonic()
        self._next_line = LINE_EVERY
        self._measured: tuple[float, float] | None = None
        """When the share done was first heard of, and what it was."""
        self._shown: Progress | None = None
        self._lock = threading.Lock()

    def __call__(self, what: str, share: float | None = None) -> None:
        """Tell what goes on, with a rate in it where there is one; and which share is done, from 0 to 1, where that is known."""
        with self._lock:
            now = time.monotonic() - self._started
            left = self._seconds_left(now, share)
            if self._redraws and now >= STATUS_AFTER:
                self._draw(what, share, left)
            elif not self._redraws and now >= self._next_line:
                self._next_line = now + LINE_EVERY
                done = "" if share is None else f"{share:4.0%} "
                click.echo(f"{done}{what}{'' if left is None else f', about {duration(left)} left'}", err=True)

    def clear(self) -> None:
        """Take what is shown off the terminal, for something else to be printed; the next call shows it again."""
        with self._lock:
            if self._shown is not None:
                self._shown.stop()
                self._shown = None

    def __enter__(self) -> Status:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.clear()

    def _seconds_left(self, now: float, share: float | None) -> float | None:
        if share is None:
            self._measured = None
            return None
        if self._measured is None:
            self._measured = now, share
        began, before = self._measured
        return (1 - share) * (now - began) / (share - before) if share > before else None

    def _draw(self, what: str, share: float | None, left: float | None) -> None:
        if self._shown is None:
            self._shown = _progress()
            self._shown.add_task("", total=None)
        done = "" if share is None else f"{share:.0%}{'' if left is None else f', {duration(left)} left'} "
        total = None if share is None else 1
        self._shown.update(self._shown.task_ids[0], description=f"{done}{what}", completed=share or 0, total=total)
        self._shown.start()


def _progress() -> Progress:
    # Here, for it takes a tenth of a second, and most commands are done before they need it.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    line = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1))
    console = Console(stderr=True, highlight=False)
    # What commands print goes where they send it.
    return Progress(
        BarColumn(BAR_WIDTH), line, console=console, transient=True, expand=True, redirect_stdout=False, redirect_stderr=False
    )
