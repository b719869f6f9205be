"""Tables on disk: one file for each slice.

The numbers are little-endian, the checksums XXH3 with 64 bits::

      offset   size
           0      8   magic: "yotetb", 1a, 0a
           8      2   version of the format
          10      1   metric: 0 wins, draws and losses; 1 distances
          11      1   unused, 0
          12      4   bytes of the header, up to the first block
          16      7   the slice: a, ha, b, hb, place of both royals, duty to drop
          23      1   unused, 0
          24     16   rows and columns of the table
          40     32   positions (not up to symmetry), wins, draws, losses
          72      8   longest win and loss in plies, -1 for none or unknown
          80      4   the one value of all cells, or -2**31
          84      4   bytes of a block before compression; the last one may be shorter
          88      4   number of blocks, 0 for tables of one value
          92      2   bytes of the rules' text
          94      R   the rules' text
        94+R      8   for each block, and once more: the offset of its first byte, which is that of the end of the one before
           .      8   for each block: its checksum, as it is in the file
           .      8   checksum of all of the header before
           .          blocks, each a zstd frame

What the blocks hold, one after the other, is told in ``core/slices.pxd``. A file is written beside its place and renamed, so one
that has its name is whole.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

import xxhash
import zstandard

from ..core import SliceTable
from ..rules import Rules
from .errors import TableFormatError
from .slices import Slice

if TYPE_CHECKING:
    from ..core import Scratch

Metric = Literal["wdl", "dtw"]
METRICS: tuple[Metric, ...] = ("wdl", "dtw")

MAGIC = b"yotetb\x1a\n"
VERSION = 1
BLOCK_BYTES = 1 << 14
"""Of a block before compression. Smaller ones are quicker to probe at random, larger ones smaller on disk."""
BATCH_BYTES = 256 * BLOCK_BYTES
"""Of cells that are read or written between two times of letting go of the pages of mapped files."""
LEVEL = 6
"""Of compression: a few per cent smaller than the default's, for a small part of the time that a table takes to make."""
NOT_CONSTANT = -(2**31)

_START = struct.Struct("<8sHBxI7Bx2Q4Q2iiIIH")
_CHECKSUM = struct.Struct("<Q")


@dataclass(frozen=True)
class Counts:
    """What a table's values come to."""

    positions: int
    """Not up to symmetry."""
    wins: int
    draws: int
    losses: int
    longest_win: int | None
    """In plies; None where there is none, or the table has no distances."""
    longest_loss: int | None


@dataclass(frozen=True)
class Header:
    """All of a file but its blocks."""

    rules: str
    slice: Slice
    metric: Metric
    rows: int
    cols: int
    counts: Counts
    constant: int | None
    """The one value of all cells."""
    block_bytes: int
    """Of a block before compression; the last one may be shorter."""
    offsets: tuple[int, ...]
    """Of each block's first byte, and of the end."""
    checksums: tuple[int, ...]

    @property
    def cell_bytes(self) -> int:
        """What the values take in memory."""
        if self.constant is not None:
            return 0
        return self.rows * self.cols * 2 if self.metric == "dtw" else self.rows * ((self.cols + 3) // 4)

    def size_of(self, block: int) -> int:
        """The bytes of a block before compression."""
        return min(self.block_bytes, self.cell_bytes - block * self.block_bytes)

    def pack(self) -> bytes:
        """The bytes of the header."""
        text = self.rules.encode()
        counts = self.counts
        start = _START.pack(
            MAGIC,
            VERSION,
            METRICS.index(self.metric),
            header_bytes(self.rules, len(self.checksums)),
            *self.slice,
            self.rows,
            self.cols,
            counts.positions,
            counts.wins,
            counts.draws,
            counts.losses,
            -1 if counts.longest_win is None else counts.longest_win,
            -1 if counts.longest_loss is None else counts.longest_loss,
            NOT_CONSTANT if self.constant is None else self.constant,
            self.block_bytes,
            len(self.checksums),
            len(text),
        )
        body = start + text + struct.pack(f"<{len(self.offsets)}Q{len(self.checksums)}Q", *self.offsets, *self.checksums)
        return body + _CHECKSUM.pack(xxhash.xxh3_64_intdigest(body))

    @classmethod
    def unpack(cls, data: bytes | mmap.mmap) -> Header:
        """Read a header.

        Raises:
            TableFormatError: it is none, or damaged.
        """
        if data[: len(MAGIC)] != MAGIC:
            raise TableFormatError("it is not a table")
        if len(data) < _START.size:
            raise TableFormatError("it is cut short")
        _, version, metric, size, *rest = _START.unpack(data[: _START.size])
        if version != VERSION:
            raise TableFormatError(f"its format has version {version}, and only {VERSION} is known")
        if not _START.size + _CHECKSUM.size <= size <= len(data):
            raise TableFormatError("it is cut short")
        body = data[: size - _CHECKSUM.size]
        if _CHECKSUM.unpack(data[size - _CHECKSUM.size : size])[0] != xxhash.xxh3_64_intdigest(body):
            raise TableFormatError("its header is damaged")
        numbers, (rows, cols, positions, wins, draws, losses, win, loss, constant, block_bytes, blocks, text) = rest[:7], rest[7:]
        end = _START.size + text
        words = struct.unpack(f"<{2 * blocks + 1}Q", body[end:])
        header = cls(
            rules=body[_START.size : end].decode(),
            slice=Slice._make((*numbers[:6], bool(numbers[6]))),
            metric=METRICS[metric],
            rows=rows,
            cols=cols,
            counts=Counts(positions, wins, draws, losses, None if win < 0 else win, None if loss < 0 else loss),
            constant=None if constant == NOT_CONSTANT else constant,
            block_bytes=block_bytes,
            offsets=words[: blocks + 1],
            checksums=words[blocks + 1 :],
        )
        if block_bytes < 2 or block_bytes % 2 or blocks != -(-header.cell_bytes // block_bytes):
            raise TableFormatError(f"it has {blocks} blocks of {block_bytes} bytes, not {header.cell_bytes} bytes")
        return header


def header_bytes(rules: str, blocks: int) -> int:
    """How long a header is."""
    return _START.size + len(rules.encode()) + 8 * (2 * blocks + 1) + _CHECKSUM.size


def file_name(slice_: Slice, metric: Metric) -> str:
    """The name of a slice's file: ``3.1-2.0.wdl``."""
    return f"{slice_}.{metric}"


class _Contexts(threading.local):
    """What zstd works with, each thread its own: to make them anew takes longer than a block."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_contexts = _Contexts()


# Writing --------------------------------------------------------------------------------------------------------------------------

Map = Callable[[Callable[[memoryview], bytes], Iterable[memoryview]], Iterable[bytes]]


def write_table(folder: Path, rules: Rules, slice_: Slice, table: SliceTable, map_: Map = map) -> Header:
    """Write a finished table to its place in a folder.

    Args:
        folder: an existing folder.
        rules: the rules as tables know them.
        slice_: the slice.
        table: its values.
        map_: maps a function over many blocks, perhaps in several threads.

    Raises:
        OSError: the disk is full, or the folder cannot be written to.
    """
    metric: Metric = "dtw" if table.distances else "wdl"
    counts = Counts(*table.counts())
    path = folder / file_name(slice_, metric)
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    block_count = -(-table.size // BLOCK_BYTES) if table.constant is None else 0
    offsets = [header_bytes(str(rules), block_count)]
    checksums = []
    try:
        with open(beside, "wb") as file:
            file.seek(offsets[0])
            for block in _blocks(table, map_):
                file.write(block)
                offsets.append(offsets[-1] + len(block))
                checksums.append(xxhash.xxh3_64_intdigest(block))
            header = Header(
                rules=str(rules),
                slice=slice_,
                metric=metric,
                rows=table.shape[0],
                cols=table.shape[1],
                counts=counts,
                constant=table.constant,
                block_bytes=BLOCK_BYTES,
                offsets=tuple(offsets),
                checksums=tuple(checksums),
            )
            file.seek(0)
            file.write(header.pack())
        os.replace(beside, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            # A full disk does not say which file it was.
            raise OSError(error.errno, f"{error.strerror}, finished slices are kept", str(path)) from error
        raise
    return header


def _blocks(table: SliceTable, map_: Map) -> Iterator[bytes]:
    """The compressed blocks of a table, a batch in memory at a time."""
    if table.constant is not None:
        return
    cells = memoryview(table)
    for start in range(0, len(cells), BATCH_BYTES):
        batch = cells[start : start + BATCH_BYTES]
        yield from map_(_compress, [batch[first : first + BLOCK_BYTES] for first in range(0, len(batch), BLOCK_BYTES)])
        table.forget()


def _compress(block: memoryview) -> bytes:
    return _contexts.compressor.compress(block)


# Reading --------------------------------------------------------------------------------------------------------------------------


class TableFile:
    """A table on disk, mapped into memory. Reading is safe in several threads at once.

    Raises:
        TableFormatError: the file is not a table, of another version, or damaged.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb") as file:
            # An empty file cannot be mapped.
            self._data: mmap.mmap | bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
        try:
            self.header = Header.unpack(self._data)
            if self.header.offsets[-1] != len(self._data):
                raise TableFormatError("it is cut short, or has something after its end")
            if path.name != file_name(self.header.slice, self.header.metric):
                raise TableFormatError(f"it is the table of {self.header.slice} ({self.header.metric})")
        except TableFormatError as error:
            self.close()
            raise TableFormatError(f"{path}: {error}") from None

    def close(self) -> None:
        """Unmap the file."""
        if isinstance(self._data, mmap.mmap):
            self._data.close()

    def block(self, number: int) -> bytes:
        """The cells of a block, their checksum compared.

        Raises:
            TableFormatError: the block is damaged.
        """
        header = self.header
        data = self._data[header.offsets[number] : header.offsets[number + 1]]
        if xxhash.xxh3_64_intdigest(data) == header.checksums[number]:
            cells = _contexts.decompressor.decompress(data)
            if len(cells) == header.size_of(number):
                return cells
        raise TableFormatError(f"{self.path}: block {number} of {len(header.checksums)} is damaged")

    def check_shape(self, rows: int, cols: int) -> None:
        """Compare the shape of the table with that of its slice.

        Raises:
            TableFormatError: it is another one.
        """
        header = self.header
        if (header.rows, header.cols) != (rows, cols):
            raise TableFormatError(f"{self.path}: it has {header.rows} x {header.cols} cells, not {rows} x {cols}")

    def load(self, rules: Rules, scratch: Scratch | None = None) -> SliceTable:
        """All of the table, in memory or in a mapped file; see :class:`SliceTable`.

        Raises:
            OSError: the disk is full.
            TableFormatError: a block is damaged, or the header does not fit the slice.
        """
        header = self.header
        table = SliceTable(rules, header.slice, header.metric == "dtw", header.constant, scratch)
        self.check_shape(*table.shape[:2])
        if header.constant is None:
            cells = memoryview(table)
            for number in range(len(header.checksums)):
                first = number * header.block_bytes
                cells[first : first + header.size_of(number)] = self.block(number)
                if scratch is not None and first % BATCH_BYTES == 0:
                    table.forget()
                    self._forget()
        return table

    def _forget(self) -> None:
        """Let go of the pages of the mapped file."""
        if isinstance(self._data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            self._data.madvise(mmap.MADV_DONTNEED)


def scratch_in(folder: Path) -> Scratch:
    """Gives mapped files of zeros that have no name in the folder, or lose it with the process."""

    def take(size: int) -> mmap.mmap:
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                _allocate(file, size)
                return mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror}, finished slices are kept", str(folder)) from error

    return take


def _allocate(file: IO[bytes], size: int) -> None:
    """Make sure of the disk, for a mapped file cannot tell that it is full."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    for first in range(0, size, BATCH_BYTES):
        file.write(bytes(min(BATCH_BYTES, size - first)))
    file.flush()


def find_tables(folder: Path) -> Iterator[tuple[Slice, Metric, Path]]:
    """The tables of a folder, by their names."""
    for path in sorted(folder.iterdir()):
        for metric in METRICS:
            if path.suffix == f".{metric}":
                with contextlib.suppress(ValueError):
                    yield Slice.parse(path.stem), metric, path
