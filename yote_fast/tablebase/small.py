"""Small endgame tables that analyses use unasked: made when they are first needed, kept in the user's cache folder."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from pathlib import Path

import platformdirs

from ..core import LoadedTables, has_quick_pass
from ..rules import Rules
from .errors import LockedError, TableFormatError
from .generator import build
from .plan import make_plan
from .slices import table_rules

PIECES = 6
"""Of both sides together. With distances, on the board of Yoté, that takes seconds, 6 MB of disk and 24 MB of memory."""
BOARDS = ((5, 6), (5, 5))
"""Rows and columns of the boards that people play on."""
RETRY_SECONDS = 0.1
MOST_THREADS = 4

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_loaded: dict[Rules, LoadedTables | None] = {}


def has_small_tables(rules: Rules) -> bool:
    """Whether there are such tables of some rules: those of the usual boards that the generator is quick with."""
    return has_quick_pass(rules) and (rules.rows, rules.cols) in BOARDS


def cache_folder(rules: Rules) -> Path:
    """Where the small tables of some rules are kept. They can be deleted at any time."""
    return platformdirs.user_cache_path("yote_fast", appauthor=False) / "endgames" / str(table_rules(rules))


def small_tables(rules: Rules) -> LoadedTables | None:
    """The tables of all endgames with up to :data:`PIECES` pieces, with distances; None where there are none to be had.

    The first call for some rules may take seconds, for it makes them. What goes wrong then is logged, and there are no tables.
    """
    if not has_small_tables(rules):
        return None
    with _lock:
        key = table_rules(rules)
        if key not in _loaded:
            try:
                _loaded[key] = _make(key)
            except (OSError, ValueError, MemoryError) as error:
                _log.warning("no endgame tables for %s: %s", key, error)
                _loaded[key] = None
        return _loaded[key]


def _make(rules: Rules) -> LoadedTables:
    folder = cache_folder(rules)
    if make_plan(rules, pieces=PIECES, start=False, metric="dtw", folder=folder).missing:
        _log.info("making the small endgame tables of %s, this once: some seconds, in %s", rules, folder)
    while True:
        try:
            with build(rules, pieces=PIECES, metric="dtw", path=folder, threads=min(os.cpu_count() or 1, MOST_THREADS)) as tables:
                return tables.load(tables.slices, "dtw")
        except LockedError:
            # Another process is making them right now.
            time.sleep(RETRY_SECONDS)
        except TableFormatError as error:
            _log.warning("%s; the tables are made anew", error)
            shutil.rmtree(folder)
