"""Files that are there as a whole or not at all, and what is wrong with those that are not."""

from __future__ import annotations

import os
from pathlib import Path


def in_plain_words(error: BaseException) -> str:
    """An error as people should read it: of files, without the number that the system has for it."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file beside its place, then put it there: nobody ever sees half of it, and an old one stays until then.

    Raises:
        OSError: the file cannot be written; an old one is unchanged.
    """
    # A link is followed, so that it stays one.
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        # Of a device or a pipe nothing can be put in the place.
        place.write_bytes(data)
        return
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            beside.chmod(place.stat().st_mode)
        beside.replace(place)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            # Named by the file that was asked for, not by the one beside it.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise
