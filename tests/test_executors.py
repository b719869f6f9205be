"""Work done by executors, of processes here and of a Dask cluster: the same results as here, whatever happens to a worker."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster

import yote_fast as yf
from yote_fast.executors import ATTEMPTS, _Failure, run_all, submit
from yote_fast.match import MatchResult, play_match
from yote_fast.openings import Openings
from yote_fast.players import Contestant
from yote_fast.rules import Rules
from yote_fast.selfplay import SelfPlay, self_play

SMALL = Rules(rows=4, cols=4, pieces=5)
QUICK = Contestant("engine", yf.Limit(nodes=300), {"hash_mb": 1})


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        yield pool


@contextmanager
def cluster(**options: Any) -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, **options
        ) as local,
        Client(local) as client,
    ):
        yield client


def essence(result: MatchResult) -> list[tuple[object, ...]]:
    return sorted((game.number, game.white, tuple(game.moves), game.result, game.termination) for game in result.games)


def assert_same(found: SelfPlay, expected: SelfPlay) -> None:
    for name in ("planes", "actions", "scores", "results", "games"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
        assert getattr(found, name).dtype == getattr(expected, name).dtype


def assert_all_the_same(executor: Executor) -> None:
    """Everything that takes an executor gives what it gives without one."""
    middle = yf.Board("1c4/2Cc2/1C4/3c2/C5 w 5/4")
    assert yf.perft(middle, 4, executor=executor) == yf.perft(middle, 4)
    assert yf.divide(middle, 3, executor=executor, hash_mb=1) == yf.divide(middle, 3)
    games: dict[str, Any] = {"rules": SMALL, "games": 5, "opening_plies": 4, "seed": 3}
    assert essence(play_match(QUICK, QUICK, executor=executor, **games)) == essence(play_match(QUICK, QUICK, **games))
    plays: dict[str, Any] = {"rules": SMALL, "limit": yf.Limit(nodes=200), "seed": 3}
    assert_same(self_play(9, executor=executor, **plays), self_play(9, **plays))


def test_processes(processes: Executor) -> None:
    assert_all_the_same(processes)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_dask_cluster() -> None:
    with cluster() as client:
        assert_all_the_same(client.get_executor())


def kill_one(client: Client) -> None:
    """Kill a worker that is at work, as a failing machine would."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        busy = [address for address, keys in client.processing().items() if keys]
        if len(busy) == 2:
            os.kill(client.run(os.getpid, workers=busy[:1])[busy[0]], signal.SIGKILL)
            return
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills a process with SIGKILL")
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_killed_worker_is_replaced() -> None:
    board = yf.Board()
    with cluster() as client:
        before = set(client.scheduler_info()["workers"])
        killer = threading.Thread(target=kill_one, args=(client,))
        killer.start()
        assert yf.perft(board, 6, executor=client.get_executor()) == 832_521_806
        killer.join()
        assert set(client.scheduler_info()["workers"]) != before


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills a process with SIGKILL")
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_scheduler_that_cannot_be_reached() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = str(unused.getsockname()[1])
    address = f"127.0.0.1:{port}"
    with pytest.raises(OSError, match="Timed out trying to connect"):
        Client(address, timeout=1)
    with (
        dask("scheduler", "--host", "127.0.0.1", "--port", port) as scheduler,
        dask("worker", address, "--nthreads", "1", "--no-nanny"),
    ):
        client = Client(address, timeout=60)
        killer = threading.Thread(target=lambda: (await_work(client), scheduler.kill()))
        killer.start()
        with pytest.raises(CancelledError, match="has lost its scheduler"):
            yf.perft(yf.Board(), 7, executor=client.get_executor())
        killer.join()
        client.close(timeout=1)


@contextmanager
def dask(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A part of a cluster, on its own."""
    part = subprocess.Popen([sys.executable, "-m", "dask", *command, "--no-dashboard"], stderr=subprocess.DEVNULL)
    try:
        yield part
    finally:
        part.kill()
        part.wait()


def await_work(client: Client) -> None:
    """Wait until a worker is at work."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(client.processing().values()):
        time.sleep(0.01)


# run_all --------------------------------------------------------------------------------------------------------------------------


def fail_at_three(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number * number


def test_results_come_in_order() -> None:
    progress: list[tuple[int, int]] = []
    with ThreadPoolExecutor(3) as pool:
        found = run_all(pool, lambda n: time.sleep(0.01 * (5 - n)) or n, range(5), lambda *state: progress.append(state))
        assert found == [0, 1, 2, 3, 4]
        assert progress == [(n, 5) for n in range(1, 6)]
        assert run_all(pool, fail_at_three, []) == []


def test_an_exception_goes_on_and_cancels_the_rest(processes: Executor) -> None:
    with pytest.raises(ValueError, match="three"):
        run_all(processes, fail_at_three, range(5))


def where_it_failed(number: int) -> None:
    raise KeyError(number)


def test_errors_of_other_processes_tell_where_they_come_from(processes: Executor) -> None:
    error = submit(processes, where_it_failed, 5).exception()
    assert isinstance(error, KeyError)
    assert error.args == (5,)
    assert "in where_it_failed" in "".join(traceback.format_exception(error))


class Forgetful(ThreadPoolExecutor):
    """Loses work, so many times each: it is done, but the future fails."""

    def __init__(self, losses: int) -> None:
        super().__init__(2)
        self.losses = losses
        self.submitted: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted.append(args)
        if self.submitted.count(args) <= self.losses:
            return super().submit(lose)
        return super().submit(fn, *args, **kwargs)


def lose() -> None:
    raise OSError("the worker is gone")


def test_lost_work_is_done_again() -> None:
    progress: list[tuple[int, int]] = []
    with Forgetful(ATTEMPTS - 1) as pool:
        assert run_all(pool, abs, [-3, -4, 5], lambda *state: progress.append(state)) == [3, 4, 5]
        assert progress == [(1, 3), (2, 3), (3, 3)]
        assert len(pool.submitted) == 3 * ATTEMPTS
        games: dict[str, Any] = {"rules": SMALL, "games": 2, "opening_plies": 4, "seed": 3}
        assert essence(play_match(QUICK, QUICK, executor=pool, **games)) == essence(play_match(QUICK, QUICK, **games))


def test_work_that_is_lost_again_and_again() -> None:
    with Forgetful(ATTEMPTS) as pool:
        with pytest.raises(OSError, match="the worker is gone"):
            run_all(pool, abs, [-3])
        assert len(pool.submitted) == ATTEMPTS


def test_errors_of_the_work_are_not_tried_again() -> None:
    with Forgetful(0) as pool:
        with pytest.raises(ValueError, match="three"):
            run_all(pool, fail_at_three, [3])
        assert len(pool.submitted) == 1


def die(number: int) -> None:
    os._exit(number)


def test_a_broken_pool() -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool, pytest.raises(BrokenProcessPool):
        run_all(pool, die, [1])


def test_an_executor_that_is_shut_down() -> None:
    started, go = threading.Event(), threading.Event()

    def wait(_: int) -> None:
        started.set()
        go.wait()

    with ThreadPoolExecutor(1) as pool:
        futures = [submit(pool, wait, number) for number in range(3)]
        started.wait()
        pool.shutdown(wait=False, cancel_futures=True)
        with pytest.raises(CancelledError, match="it was shut down"):
            futures[2].result(5)
        go.set()
        assert futures[0].result() is None
    with pytest.raises(RuntimeError, match="after shutdown"):
        run_all(pool, abs, [1])


class Idle(Executor):
    """Begins nothing."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ARG002
        self.futures.append(Future())
        return self.futures[-1]


def test_an_interrupt_cancels_the_rest() -> None:
    idle = Idle()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    threading.Timer(0.2, lambda: idle.futures[2].set_result(9)).start()
    with pytest.raises(KeyboardInterrupt):
        run_all(idle, fail_at_three, range(4), interrupt)
    assert [future.cancelled() for future in idle.futures] == [True, True, False, True]


def test_a_decided_match_begins_no_more_games() -> None:
    idle = Idle()
    threading.Timer(0.2, lambda: idle.futures[0].set_result(_Failure(OSError("lost"), ""))).start()
    with pytest.raises(OSError, match="lost"):
        play_match(QUICK, QUICK, SMALL, games=10, concurrency=3, executor=idle)
    assert [future.cancelled() for future in idle.futures] == [False, True, True, True]


def test_threads_and_executor_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="threads must be 1 with an executor, which counts instead of them, not 2"):
        yf.perft(yf.Board(), 3, threads=2, executor=Idle())
    with pytest.raises(ValueError, match="threads must be 1"):
        yf.divide(yf.Board(), 3, threads=2, executor=Idle())


# Self-play ------------------------------------------------------------------------------------------------------------------------


def test_self_play_is_what_was_played() -> None:
    data = self_play(6, SMALL, limit=yf.Limit(nodes=300), opening_plies=3, seed=5, games_per_task=4)
    openings = Openings(SMALL, plies=3, balance=1000, seed=5)
    assert sorted(set(data.games.tolist())) == list(range(6))
    assert len({len(data.planes), len(data.actions), len(data.scores), len(data.results), len(data.games)}) == 1
    assert len(data) == len(data.games)
    numbering = yf.batch.Actions(SMALL)
    for game in range(6):
        entries = np.flatnonzero(data.games == game)
        board = openings.get(game)
        winners = []
        for entry in entries:
            assert (data.planes[entry] == board.to_planes()).all()
            winners.append((board.turn, int(data.results[entry])))
            numbering.play(board, data.actions[entry])
        outcome = board.outcome()
        winner = None if outcome is None else outcome.winner
        assert winners == [(turn, 0 if winner is None else 1 if turn is winner else -1) for turn, _ in winners]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "games must be 1 to"),
        ({"games": 1, "games_per_task": 0}, "games_per_task must be 1 to"),
        ({"games": 1, "max_plies": 0}, "max_plies must be 1 to"),
        ({"games": 1, "memory_mb": 0}, "memory_mb must be 1 to"),
        ({"games": 1, "rules": yf.CHALLENGES}, "have no numbers"),
        ({"games": 1, "opening_plies": -1}, "must not be negative"),
    ],
)
def test_bad_self_play(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        self_play(**arguments)


def test_self_play_that_does_not_fit_in_memory() -> None:
    # A position takes 4 planes of 16 floats, and 21 bytes more.
    fitting = 2**20 // (2 * 300 * (4 * 16 * 4 + 21))
    assert len(self_play(1, SMALL, limit=yf.Limit(nodes=1), max_plies=300, memory_mb=1)) > 0
    for games in (fitting + 1, 10**9):
        with pytest.raises(MemoryError, match=r"the games could take .* MB of memory, more than memory_mb=1 allows: play fewer"):
            self_play(games, SMALL, memory_mb=1, executor=Idle())
    idle = Idle()
    threading.Timer(0.2, lambda: idle.futures[0].set_result(_Failure(OSError("reached"), ""))).start()
    with pytest.raises(OSError, match="reached"):
        self_play(fitting, SMALL, memory_mb=1, games_per_task=fitting, executor=idle)
