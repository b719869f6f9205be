"""Work for other processes and machines, by way of any ``concurrent.futures`` executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

ATTEMPTS = 3
"""Work that an executor loses is given to it so many times in all."""

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Failure:
    """How the work itself failed, told as a result: a future that fails otherwise has lost its work."""

    error: Exception
    text: str


class _WorkerTraceback(Exception):
    """Where an error of another process came from."""


def _work(function: Callable[..., Result], *arguments: Any) -> Result | _Failure:
    try:
        return function(*arguments)
    except Exception as error:
        # Here, for it takes long to import.
        import traceback

        return _Failure(error, traceback.format_exc())


def submit(executor: Executor, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
    """The future of the function's result; function and arguments must be fit to be pickled.

    Work that gets lost, with a worker or with its result, is done again. (Dask does that too, but its futures may fail all the same
    where a result is lost while it is fetched.) What the function raises is its outcome, and is not tried again. An executor that
    takes no more work, for it is broken or shut down, ends it with the error of the future that failed; one that cancels the work,
    with a CancelledError that says so.
    """
    # Here, for it would be a tenth of the package's import time.
    from concurrent.futures import CancelledError, Future

    future: Future[Result] = Future()

    def end(error: BaseException | None, result: Any = None) -> None:
        if not future.set_running_or_notify_cancel():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def begin(attempt: int) -> None:
        inner = executor.submit(_work, function, *arguments)
        future.add_done_callback(lambda _: inner.cancel())
        inner.add_done_callback(lambda _: look(inner, attempt))

    def look(inner: Future[Any], attempt: int) -> None:
        if future.cancelled():
            return
        if inner.cancelled():
            end(CancelledError("the executor has cancelled the work: it was shut down, or has lost its scheduler"))
            return
        error = inner.exception()
        if error is None:
            result = inner.result()
            if isinstance(result, _Failure):
                error = result.error
                if error.__traceback__ is None:
                    error.__cause__ = _WorkerTraceback(result.text)
            end(error, result)
        elif attempt == ATTEMPTS:
            end(error)
        else:
            try:
                begin(attempt + 1)
            except Exception:
                end(error)

    begin(1)
    return future


def run_all(
    executor: Executor,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    progress: Callable[[int, int], object] | None = None,
) -> list[Result]:
    """The function's result for each task, in their order; see :func:`submit`.

    The first exception goes on at once, and so does a KeyboardInterrupt here; what has not begun by then is cancelled.
    ``progress`` is called with the number of tasks done and their total whenever one is done.
    """
    # As above.
    from concurrent.futures import as_completed

    futures = [submit(executor, function, task) for task in tasks]
    try:
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            if progress is not None:
                progress(done, len(futures))
    finally:
        for future in futures:
            future.cancel()
    return [future.result() for future in futures]
