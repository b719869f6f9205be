"""Perft: counting the sequences of legal actions of a given length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from .checks import MAX_HASH_MB, MAX_THREADS, check_int
from .core import Board, Move, PerftWorker
from .executors import run_all

if TYPE_CHECKING:
    from concurrent.futures import Executor

MAX_DEPTH = 255
MAX_LEAVES = 2**64 - 1

Key = TypeVar("Key")
Progress = Callable[[int, int], object]


def perft(
    board: Board,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    bulk: bool = True,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> int:
    """The number of sequences of exactly ``depth`` actions from a position, each a leaf of the game tree.

    >>> import yote_fast as yf
    >>> yf.perft(yf.Board(), 4)
    823848

    Args:
        board: the position; it is not changed. Its history does not count, so nothing is drawn by repetition.
        depth: the number of actions, 0 to 255. In games with bonus turns or trade routes a turn can take several.
        threads: how many threads count, each without holding the interpreter's lock.
        hash_mb: mebibytes for tables of finished counts, shared out among the threads; 0 for none. Entries hold whole
            positions, so the result is exact with a table too.
        bulk: count the leaves below a position together where that is possible. Turned off, every action is played.
        executor: counts the subtrees instead of threads here, each in one thread with a table of ``hash_mb`` of its own.
        progress: called with the number of subtrees counted and their total whenever one is done, by whichever thread did it.

    Raises:
        ValueError: an argument is out of its bounds.
        TypeError: an argument has the wrong type.
        OverflowError: there are 2**64 leaves or more.
        MemoryError: the tables do not fit in memory.
    """
    _check(board, depth, threads, hash_mb, executor)
    split = _split(depth) if threads > 1 or progress or executor else 0
    subtrees = [(None, child) for child in _descendants(board, split)]
    counts = _count(subtrees, depth - split, board, threads, hash_mb, bulk, executor, progress)
    return _checked_sum(leaves for _, leaves in counts)


def divide(
    board: Board,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    bulk: bool = True,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> dict[Move, int]:
    """The perft below each legal move, in the order of ``board.legal_moves``.

    The arguments and errors are those of :func:`perft`, with ``depth`` at least 1: the move itself is the first action.
    """
    check_int("depth", depth, 1, MAX_DEPTH)
    _check(board, depth, threads, hash_mb, executor)
    totals = dict.fromkeys(board.legal_moves, 0)
    subtrees = []
    for move in totals:
        child = board.copy(stack=False)
        child.push(move)
        subtrees.append((move, child))
    for move, leaves in _count(subtrees, depth - 1, board, threads, hash_mb, bulk, executor, progress):
        totals[move] += leaves
    return totals


def _check(board: Board, depth: int, threads: int, hash_mb: int, executor: Executor | None) -> None:
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {type(board).__name__}")
    check_int("depth", depth, 0, MAX_DEPTH)
    check_int("threads", threads, 1, MAX_THREADS)
    check_int("hash_mb", hash_mb, 0, MAX_HASH_MB)
    if executor is not None and threads > 1:
        raise ValueError(f"threads must be 1 with an executor, which counts instead of them, not {threads}")


def _split(depth: int) -> int:
    """How far below the root to hand out subtrees: enough of them to keep all threads busy to the end and for steady progress,
    but each worth more than the making of its board."""
    return 2 if depth >= 6 else min(1, depth)


def _descendants(board: Board, plies: int) -> Iterator[Board]:
    if plies == 0:
        yield board
        return
    for move in board.legal_moves:
        child = board.copy(stack=False)
        child.push(move)
        yield from _descendants(child, plies - 1)


def _count(
    subtrees: list[tuple[Key, Board]],
    depth: int,
    board: Board,
    threads: int,
    hash_mb: int,
    bulk: bool,
    executor: Executor | None,
    progress: Progress | None,
) -> list[tuple[Key, int]]:
    """The leaves of each subtree, by whichever thread is free, or the executor."""
    if executor is not None:
        tasks = [(child, depth, hash_mb, bulk) for _, child in subtrees]
        return [(key, leaves) for (key, _), leaves in zip(subtrees, run_all(executor, _count_one, tasks, progress), strict=True)]
    workers = [PerftWorker(board.rules, hash_mb // threads, bulk) for _ in range(threads)]
    waiting = iter(subtrees)
    counts: list[tuple[Key, int]] = []

    def work(worker: PerftWorker) -> None:
        for key, child in waiting:
            leaves = worker.count(child, depth)
            if leaves is None:
                return
            counts.append((key, leaves))
            if progress is not None:
                progress(len(counts), len(subtrees))

    if threads == 1:
        work(workers[0])
    else:
        _run_all(work, workers)
    return counts


def _count_one(task: tuple[Board, int, int, bool]) -> int:
    board, depth, hash_mb, bulk = task
    leaves = PerftWorker(board.rules, hash_mb, bulk).count(board, depth)
    assert leaves is not None, "nobody stops the worker"
    return leaves


def _run_all(work: Callable[[PerftWorker], None], workers: list[PerftWorker]) -> None:
    """Run ``work`` for each worker in a thread of its own; on an exception, or Ctrl-C here, stop them all."""
    # Here, for it would be a tenth of the package's import time.
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(len(workers)) as pool:
        futures = [pool.submit(work, worker) for worker in workers]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            for worker in workers:
                worker.stop()
    for future in futures:
        future.result()


def _checked_sum(counts: Iterator[int]) -> int:
    total = sum(counts)
    if total > MAX_LEAVES:
        raise OverflowError("there are 2**64 leaves or more")
    return total
