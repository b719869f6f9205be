"""Fixtures and settings that all tests share."""

from __future__ import annotations

import os

import pytest
from engines import COMPILED, REFERENCE, Engine
from hypothesis import settings

from yote_fast.rules import YOTE
from yote_fast.tablebase.small import small_tables

# Runs are reproducible: the same examples every time, none kept on disk.
settings.register_profile("yote", deadline=None, derandomize=True, database=None)
settings.load_profile("yote")


@pytest.fixture(scope="session", autouse=True)
def _caches_of_the_tests_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Endgame tables are not made in the user's folders, also not by the programs that tests start."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))
    # Programs say so when they make tables, which is not what their tests are about.
    small_tables(YOTE)


@pytest.fixture(scope="session", params=[REFERENCE, COMPILED], ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    found: Engine = request.param
    return found
