"""What the scripts of this folder share: timed rounds, spreads and options."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key")
Timer = Callable[[], float]
"""Does its work once and tells the seconds of it."""


@dataclass(frozen=True)
class Spread:
    """The least, median and greatest of some values."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of values; at least one."""
        known = list(values)
        return cls(min(known), statistics.median(known), max(known))

    @classmethod
    def ratios(cls, dividends: Iterable[float], divisors: Iterable[float]) -> Spread:
        """The spread of the ratios of each pair: values of the same round, which the same disturbances met."""
        return cls.of(a / b for a, b in zip(dividends, divisors, strict=True))

    def __str__(self) -> str:
        return f"{self.median:.3g} ({self.low:.3g} to {self.high:.3g})"


def counting(name: str, count: Callable[[], int], expected: int) -> Timer:
    """A timer of a count, which must come out right."""

    def timer() -> float:
        started = time.perf_counter()
        found = count()
        seconds = time.perf_counter() - started
        check(name, found, expected)
        return seconds

    return timer


def check(name: str, found: int, expected: int) -> None:
    """Speed means nothing where the count is wrong."""
    assert found == expected, f"{name}: {found:,} counted, {expected:,} expected"


def interleave(timers: Mapping[Key, Timer], rounds: int) -> dict[Key, list[float]]:
    """The seconds of each timer, all taken in turn (A B A B), so that whatever slows the machine down slows all alike."""
    seconds: dict[Key, list[float]] = {key: [] for key in timers}
    for _ in range(rounds):
        for key, timer in timers.items():
            seconds[key].append(timer())
    return seconds


def option_parser(description: str | None, rounds: int) -> argparse.ArgumentParser:
    """A parser of the options that every script has; the description is the script's docstring."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=_positive, default=rounds, help="how often everything is timed (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number
