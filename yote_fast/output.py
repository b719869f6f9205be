"""What commands print besides their results: a line about work that takes long, and JSON for programs."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

STATUS_AFTER = 2.0
"""Seconds before there is anything to tell a person who looks on."""
LINE_EVERY = 10.0
"""Seconds between the lines where nobody does."""


def print_json(value: dict[str, Any]) -> None:
    """One object, on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """A line on stderr about how far something is: one that changes where a person looks on, else a new one now and then."""
    on_terminal = sys.stderr.isatty()
    started = time.monotonic()
    next_line = LINE_EVERY
    width = 0

    def show(line: str) -> None:
        nonlocal next_line, width
        elapsed = time.monotonic() - started
        if on_terminal and elapsed >= STATUS_AFTER:
            click.echo(f"\r{line:<{width}}", nl=False, err=True)
            width = len(line)
        elif not on_terminal and elapsed >= next_line:
            next_line = elapsed + LINE_EVERY
            click.echo(line, err=True)

    try:
        yield show
    finally:
        if width:
            click.echo(f"\r{' ' * width}\r", nl=False, err=True)
