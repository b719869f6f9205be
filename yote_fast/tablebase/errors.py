"""The errors of tables by name."""

from __future__ import annotations


class MissingTableError(KeyError):
    """A position, or a slice that another one needs, is in none of the tables."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class TableFormatError(ValueError):
    """A file is not a table, is of another version, or is damaged."""


class WrongRulesError(ValueError):
    """A position or file has other rules than the tables, or rules that tables do not know."""


class LockedError(RuntimeError):
    """Another build works in the folder."""
