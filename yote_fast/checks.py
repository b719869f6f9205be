"""Checks of arguments before they reach the core."""

from __future__ import annotations

MAX_HASH_MB = 1 << 20
MAX_THREADS = 256


def check_int(name: str, value: object, low: int, high: int) -> None:
    """Raise TypeError unless ``value`` is an int, ValueError unless it is within the bounds, both included."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be {low} to {high}, not {value}")
