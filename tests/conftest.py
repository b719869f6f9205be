"""Fixtures and settings that all tests share."""

from __future__ import annotations

import pytest
from engines import COMPILED, REFERENCE, Engine
from hypothesis import settings

# Runs are reproducible: the same examples every time, none kept on disk.
settings.register_profile("yote", deadline=None, derandomize=True, database=None)
settings.load_profile("yote")


@pytest.fixture(scope="session", params=[REFERENCE, COMPILED], ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    found: Engine = request.param
    return found
