"""Files are written as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from yote_fast.files import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")


def test_new_and_old(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    write_whole(str(path), b"newer")
    assert path.read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["file"]


def test_an_old_file_stays_if_the_new_one_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(_: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_no_such_directory(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "no" / "file", b"")


@posix
def test_permissions_and_links(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.touch(0o640)
    link.symlink_to("file")
    write_whole(link, b"x")
    assert link.is_symlink()
    assert path.read_bytes() == b"x"
    assert path.stat().st_mode & 0o777 == 0o640
    mask = os.umask(0o027)
    try:
        write_whole(tmp_path / "other", b"x")
    finally:
        os.umask(mask)
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o640


@posix
def test_devices_are_written_to() -> None:
    write_whole("/dev/null", b"x")
    assert not Path("/dev/null").is_file()
