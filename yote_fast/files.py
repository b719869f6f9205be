"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


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
    handle, beside = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, _mode(place))
        os.replace(beside, place)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _mode(place: Path) -> int:
    """The permissions of the file there, or of any new file."""
    try:
        return place.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
