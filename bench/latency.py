"""Time how soon the engine answers: UGI's ``stop``, and the server of the analysis board with one client and with fifty.

The server runs in a process of its own and is spoken to as the page does, over WebSockets; what a browser takes to draw comes on
top. Needs ``pip install .[web]``.

usage:
    python bench/latency.py
    python bench/latency.py --rounds 20 --seconds 2
    python bench/latency.py --json
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import random
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from timing import Spread, option_parser
from websockets.asyncio.client import ClientConnection, connect

import yote_fast as yf

CLIENTS = 50
LONGEST_WAIT = 0.05
"""Seconds that a search has run at the most when it is stopped."""
PATIENCE = 30.0
NAMES = {
    "ugi_stop": "UGI, stop to bestmove, ms",
    "first_line": "board, a move to its first line, ms",
    "first_line_among_fifty": "... while 49 others analyse, ms",
    "fifty_first_line": "fifty at once, first line, ms",
    "fifty_reports": "... reports of each",
    "fifty_depth": "... depth of each",
    "fifty_memory_mb": "... memory of the server, MB",
    "vanished_stop": "all clients vanish, to the end of all searches, ms",
}


def main() -> None:
    """Time everything."""
    parser = option_parser(__doc__, rounds=200)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long fifty clients analyse (default: %(default)s)")
    options = parser.parse_args()
    results: dict[str, Any] = {"ugi_stop": Spread.of(stop_times(options.rounds))}
    with server() as (address, process):
        results |= asyncio.run(board_times(address, process, options.rounds, options.seconds))
    if options.json:
        values = {name: dataclasses.asdict(found) if isinstance(found, Spread) else found for name, found in results.items()}
        print(json.dumps({"rounds": options.rounds, **values}, indent=2))
        return
    for name, found in results.items():
        print(f"{NAMES[name]:<52} {found if isinstance(found, Spread) else round(found)}")


# UGI ------------------------------------------------------------------------------------------------------------------------------


def stop_times(rounds: int) -> Iterator[float]:
    """Milliseconds from ``stop`` to ``bestmove``, each time a while into a search."""
    chance = random.Random(1)
    engine = subprocess.Popen([sys.executable, "-m", "yote_fast", "ugi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert engine.stdin is not None
    assert engine.stdout is not None

    def tell(line: str) -> None:
        assert engine.stdin is not None
        engine.stdin.write(f"{line}\n")
        engine.stdin.flush()

    with engine:
        tell("isready")
        while engine.stdout.readline() != "readyok\n":
            pass
        for _ in range(rounds):
            tell("go infinite")
            time.sleep(chance.uniform(0, LONGEST_WAIT))
            stopped = time.perf_counter()
            tell("stop")
            while not engine.stdout.readline().startswith("bestmove "):
                pass
            yield 1000 * (time.perf_counter() - stopped)
        tell("quit")


# The analysis board ---------------------------------------------------------------------------------------------------------------


@contextmanager
def server() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server of its own: where it listens, and its process."""
    command = [sys.executable, "-u", "-m", "yote_fast", "serve", "--port", "0", "--clients", str(CLIENTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://(\S+)/", process.stdout.readline())
        assert found is not None, "the server tells its address"
        try:
            yield found[1], process
        finally:
            process.terminate()


async def board_times(address: str, process: subprocess.Popen[str], rounds: int, seconds: float) -> dict[str, Any]:
    """What clients of the server at an address see."""
    async with AsyncExitStack() as stack:

        async def enter() -> ClientConnection:
            return await stack.enter_async_context(connect(f"ws://{address}/api/session"))

        first = await enter()
        assert json.loads(await first.recv())["type"] == "hello"
        results: dict[str, Any] = {"first_line": Spread.of([value async for value in _first_lines(first, min(rounds, 50))])}
        clients = [first]
        for _ in range(CLIENTS - 1):
            clients.append(await enter())
            assert json.loads(await clients[-1].recv())["type"] == "hello"
        refused = json.loads(await (await enter()).recv())
        assert refused["type"] == "refused", refused
        began = time.perf_counter()
        reports = await asyncio.gather(*(_analyse(client, number, seconds) for number, client in enumerate(clients)))
        results["fifty_first_line"] = Spread.of(1000 * (heard[0][0] - began) for heard in reports)
        results["fifty_reports"] = Spread.of(len(heard) for heard in reports)
        results["fifty_depth"] = Spread.of(heard[-1][1] for heard in reports)
        results["fifty_memory_mb"] = _memory_mb(process.pid)
        # The first one moves on while the others go on analysing.
        results["first_line_among_fifty"] = Spread.of([value async for value in _first_lines(first, 20, first_id=1000)])
        for client in clients:
            _vanish(client)
        left = time.perf_counter()
        await _wait_until(lambda: _is_idle(address))
        results["vanished_stop"] = 1000 * (time.perf_counter() - left)
    return results


async def _first_lines(client: ClientConnection, rounds: int, first_id: int = 0) -> AsyncIterator[float]:
    """Milliseconds from a move to the first line about the position after it."""
    board, chance = yf.Board(), random.Random(2)
    for number in range(first_id, first_id + rounds):
        if board.is_game_over() or board.ply() > 40:
            board = yf.Board()
        board.push(chance.choice(list(board.legal_moves)))
        if board.is_game_over():
            continue
        asked = time.perf_counter()
        await client.send(_question(number, board, 1))
        while True:
            answer = json.loads(await asyncio.wait_for(client.recv(), PATIENCE))
            assert answer["type"] == "lines", answer
            if answer["id"] == number and answer["lines"]:
                break
        yield 1000 * (time.perf_counter() - asked)
        # A person looks at it for a moment.
        await asyncio.sleep(0.6)


async def _analyse(client: ClientConnection, number: int, seconds: float) -> list[tuple[float, int]]:
    """When each report came, and its depth."""
    board, chance = yf.Board(), random.Random(number)
    for _ in range(8):
        board.push(chance.choice(list(board.legal_moves)))
    await client.send(_question(-1, board, 3))
    heard: list[tuple[float, int]] = []
    until = time.perf_counter() + seconds
    while (left := until - time.perf_counter()) > 0 or not heard:
        try:
            answer = json.loads(await asyncio.wait_for(client.recv(), PATIENCE if not heard else left))
        except TimeoutError:
            break
        if answer["id"] == -1 and answer["lines"]:
            assert answer["error"] is None
            heard.append((time.perf_counter(), answer["lines"][0]["depth"]))
    return heard


def _question(number: int, board: yf.Board, lines: int) -> str:
    moves = [str(move) for move in board.move_stack]
    return json.dumps({"type": "analyse", "id": number, "rules": str(board.rules), "yfen": None, "moves": moves, "lines": lines})


def _vanish(client: ClientConnection) -> None:
    """Leave without a word, as when a browser is killed."""
    client.transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _is_idle(address: str) -> bool:
    with urllib.request.urlopen(f"http://{address}/api/status") as answer:
        status = json.load(answer)
    return bool(status["searching"] == status["waiting"] == 0)


async def _wait_until(condition: Callable[[], bool]) -> None:
    until = time.perf_counter() + PATIENCE
    while not await asyncio.to_thread(condition):
        assert time.perf_counter() < until
        await asyncio.sleep(0.01)


def _memory_mb(process: int) -> float | None:
    """What a process has in memory, where the system tells."""
    status = Path(f"/proc/{process}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text(encoding="utf-8")) if status.exists() else None
    return None if found is None else int(found[1]) / 1024


if __name__ == "__main__":
    main()
