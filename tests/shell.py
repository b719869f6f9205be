"""Programs run in processes of their own: to the end, or until Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

import yote_fast

ROOT = Path(yote_fast.__file__).parents[1]

# A generous ceiling for the time from Ctrl-C to the end of a process.
PROMPTLY = 2.0

needs_tight_memory = pytest.mark.skipif(
    os.name != "posix" or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="limits the address space, of which the address sanitizer needs more",
)
needs_ctrl_c = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    status: int
    stdout: str
    stderr: str
    seconds: float
    """From the start, or from Ctrl-C, to the end."""


def start(*arguments: str, stdin: int = subprocess.DEVNULL, stdout: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Python with arguments, with this package and with the usual answer to Ctrl-C."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        bufsize=0,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"},
        # Where tests run in the background, children would ignore it.
        preexec_fn=_heed_ctrl_c if os.name == "posix" else None,
    )


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(*arguments: str, timeout: float = 60, stdout: int | IO[bytes] = subprocess.PIPE, given: bytes | None = None) -> Ended:
    """Run Python with arguments to the end, with something to read if ``given``."""
    with start(*arguments, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE, stdout=stdout) as process:
        return _finish(process, b"", timeout, given)


def interrupt(*arguments: str, ready: str, delay: float = 0.3) -> Ended:
    """Run Python with arguments, and press Ctrl-C a little after it has printed a line that contains ``ready``."""
    with start(*arguments) as process:
        assert process.stdout is not None
        seen = b""
        while ready not in seen.decode():
            line = process.stdout.readline()
            assert line, f"it ended before it printed {ready!r}: {seen!r}"
            seen += line
        time.sleep(delay)
        assert process.poll() is None, f"it ended before Ctrl-C: {seen!r}"
        process.send_signal(signal.SIGINT)
        return _finish(process, seen, 10 * PROMPTLY)


def _finish(process: subprocess.Popen[bytes], seen: bytes, timeout: float, given: bytes | None = None) -> Ended:
    started = time.monotonic()
    try:
        stdout, stderr = process.communicate(given, timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Ended(process.returncode, (seen + (stdout or b"")).decode(), stderr.decode(), time.monotonic() - started)
