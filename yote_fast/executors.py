"""Work for other processes and machines, by way of any ``concurrent.futures`` executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_all(
    executor: Executor,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    progress: Callable[[int, int], object] | None = None,
) -> list[Result]:
    """The function's result for each task, in their order; function and tasks must be fit to be pickled.

    The first exception goes on at once, and so does a KeyboardInterrupt here; what has not begun by then is cancelled.
    ``progress`` is called with the number of tasks done and their total whenever one is done.
    """
    # Here, for it would be a tenth of the package's import time.
    from concurrent.futures import as_completed

    futures = [executor.submit(function, task) for task in tasks]
    try:
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            if progress is not None:
                progress(done, len(futures))
    finally:
        for future in futures:
            future.cancel()
    return [future.result() for future in futures]
