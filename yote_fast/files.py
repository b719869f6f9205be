"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
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
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            beside.chmod(place.stat().st_mode)
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
