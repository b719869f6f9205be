"""A browser for tests, and a server for it to visit."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from shell import start

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """The path of a Chromium, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


needs_browser = pytest.mark.skipif(
    find_browser() is None,
    reason=f"needs a browser: none of {', '.join(BROWSERS)} is on the path (Debian: apt-get install chromium)",
)


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """The address of a server in a process of its own, on any free port."""
    with start("-m", "yote_fast", "serve", "--port", "0", *options) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        found = re.search(r"http://\S+", line)
        assert found, line
        try:
            yield found[0]
        finally:
            process.terminate()
            process.communicate(timeout=20)


@contextmanager
def browsing() -> Iterator[Any]:
    """A Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Its sandbox needs rights that containers do not give; it only ever sees our own page.
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()
