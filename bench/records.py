"""Data sets that the training scripts make: files of records, gzipped JSON lines; and options and errors of those scripts."""

from __future__ import annotations

import contextlib
import gzip
import json
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from yote_fast.files import in_plain_words

Record = TypeVar("Record")


class DataError(Exception):
    """What is wrong with a data set."""


def write_records(path: Path, records: Iterable[object]) -> None:
    """Write objects by their attributes, beside the file's place and then there; nothing is left of an interrupted one.

    Raises:
        OSError: the file cannot be written.
    """
    beside = path.with_name(path.name + ".part")
    try:
        with gzip.open(beside, "wt", encoding="utf-8") as lines:
            for record in records:
                lines.write(json.dumps(vars(record)) + "\n")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def read_records(path: Path, kind: type[Record]) -> Iterator[Record]:
    """The objects of a file, one after the other.

    Raises:
        OSError: the file cannot be read.
        DataError: it does not hold such objects.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield kind(**json.loads(line))
    except (gzip.BadGzipFile, zlib.error, EOFError, TypeError, ValueError) as error:
        raise DataError(f"{path} is not what this script wrote: {error}") from error


def positive(text: str) -> int:
    """An option that is a number from 1 on."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """End the script with one line for a bad file, and with none for Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, DataError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {in_plain_words(error)}")
