"""A whole game as tables: all that its start position can reach, built for the time being."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..core import has_quick_pass
from ..rules import Rules
from .files import Counts, Metric
from .generator import Progress, build
from .plan import make_plan
from .probing import Tablebase


def can_build(rules: Rules, memory_mb: int) -> bool:
    """Whether the generator is quick with the rules, and the memory is enough."""
    if not has_quick_pass(rules):
        return False
    with tempfile.TemporaryDirectory(prefix="yote_fast") as folder:
        plan = make_plan(rules, pieces=None, start=True, metric="wdl", folder=Path(folder))
    return not plan.from_disk(memory_mb << 20, os.cpu_count() or 1)


@contextmanager
def whole_game(rules: Rules, metric: Metric, memory_mb: int, progress: Callable[[Progress], object]) -> Iterator[Tablebase]:
    """Tables in a folder that goes when they are done with. What ``progress`` raises ends the build.

    Raises:
        MemoryError: ``memory_mb`` is not enough.
        OSError: the disk is full.
    """
    with (
        tempfile.TemporaryDirectory(prefix="yote_fast") as folder,
        build(
            rules, start=True, metric=metric, path=folder, threads=os.cpu_count() or 1, memory_mb=memory_mb, progress=progress
        ) as tables,
    ):
        yield tables


def counts_of(tables: Tablebase) -> Counts:
    """The counts of all slices together."""
    all_counts = [tables.counts(slice_) for slice_ in tables.slices]
    return Counts(
        positions=sum(counts.positions for counts in all_counts),
        wins=sum(counts.wins for counts in all_counts),
        draws=sum(counts.draws for counts in all_counts),
        losses=sum(counts.losses for counts in all_counts),
        longest_win=_longest([counts.longest_win for counts in all_counts]),
        longest_loss=_longest([counts.longest_loss for counts in all_counts]),
    )


def _longest(plies: list[int | None]) -> int | None:
    return max((known for known in plies if known is not None), default=None)
