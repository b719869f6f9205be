"""Matches: games between two players from balanced openings, each played from both sides.

>>> import yote_fast as yf
>>> from yote_fast.match import Contestant, play_match
>>> result = play_match(Contestant("engine", yf.Limit(nodes=300)), Contestant("random"), games=4, seed=1)
>>> result.tally.games, result.tally.score > 0.5
(4, True)
"""

from __future__ import annotations

import math
import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from .checks import MAX_THREADS, check_int
from .core import Board, Move
from .elo import Sprt, Tally
from .executors import submit
from .game import Game
from .limit import Limit
from .notation import WHITE
from .openings import Openings
from .players import Contestant, Player
from .rules import YOTE, Rules
from .ugi_client import EngineError

__all__ = ["Contestant", "GameRecord", "MatchResult", "Sprt", "Tally", "play_match"]

MAX_PLIES = 300
NAMES = ("first", "second")

_TOO_LONG = "the game was too long"
_FAULT = "a player failed"


@dataclass(frozen=True)
class GameRecord:
    """A finished game."""

    number: int
    """Counted from 0 through the match; games 2n and 2n + 1 are a pair with the same opening."""
    rules: str
    white: str
    """Who had White: ``"first"`` or ``"second"``."""
    opening: list[str]
    moves: list[str]
    """All actions, those of the opening included."""
    result: str
    """``"1-0"``, ``"0-1"`` or ``"1/2-1/2"``."""
    termination: str
    error: str | None
    """Who failed, and how, if a failure decided the game."""
    seconds: dict[str, float]
    """How long each player thought in all."""
    slowest: dict[str, float]
    """The longest that each player thought about one action."""
    players: dict[str, str]
    limits: dict[str, dict[str, float]]

    @property
    def points(self) -> float:
        """What the first player scored: 1, 0.5 or 0."""
        white = {"1-0": 1.0, "0-1": 0.0}.get(self.result, 0.5)
        return white if self.white == "first" else 1 - white

    def game(self) -> Game:
        """The game as it stands in files, all of this record in its tags; ``docs/match.md`` explains them."""
        sides = {"White": self.white, "Black": NAMES[self.white == NAMES[0]]}
        tags = {"Event": "yote match", "Round": str(self.number + 1)}
        tags |= {side: self.players[name] for side, name in sides.items()}
        tags |= {"Result": self.result, "Rules": self.rules, "Termination": self.termination}
        if self.error is not None:
            tags["Error"] = self.error
        tags |= {"First": next(side for side, name in sides.items() if name == "first"), "OpeningPlies": str(len(self.opening))}
        for side, name in sides.items():
            limits = {key: value for key, value in self.limits[name].items() if value is not None}
            tags[f"{side}Limit"] = " ".join(f"{key}={value}" for key, value in limits.items())
            tags[f"{side}Seconds"] = f"{self.seconds[name]:.6f}"
            tags[f"{side}Slowest"] = f"{self.slowest[name]:.6f}"
        # An error may quote what a program wrote.
        game = Game({name: " ".join(value.split()) for name, value in tags.items()})
        board = game.board()
        game.add_line(board.push_text(text) for text in self.moves)
        return game


@dataclass
class MatchResult:
    """The state of a match, from the first player's side."""

    planned: int
    """Games to play in all."""
    sprt: Sprt | None = None
    tally: Tally = field(default_factory=Tally)
    games: list[GameRecord] = field(default_factory=list)
    """In the order in which they ended."""
    seconds: float = 0.0
    """Since the match began."""
    _half: dict[int, float] = field(default_factory=dict, repr=False)

    @property
    def decision(self) -> str | None:
        """The hypothesis that the sequential test has accepted, ``"elo0"`` or ``"elo1"``; None without one."""
        return self.sprt.accepted(self.tally) if self.sprt else None

    @property
    def errors(self) -> list[str]:
        """The failures that decided games."""
        return [game.error for game in self.games if game.error is not None]

    @property
    def left(self) -> int:
        """Games still to play; 0 once the sequential test is decided."""
        return 0 if self.decision else self.planned - self.tally.games

    def slowest(self, name: str) -> float:
        """The longest that ``"first"`` or ``"second"`` thought about one action, in seconds."""
        return max((game.slowest[name] for game in self.games), default=0.0)

    def add(self, game: GameRecord, seconds: float) -> None:
        """Count a game that ended so many seconds after the match began."""
        self.games.append(game)
        self.seconds = seconds
        self.tally.add(game.points)
        pair = game.number // 2
        if pair in self._half:
            self.tally.add_pair(self._half.pop(pair) + game.points)
        else:
            self._half[pair] = game.points

    def summary(self) -> dict[str, Any]:
        """Everything but the games, for JSON: an infinite number is None there."""
        tally, sprt = self.tally, self.sprt
        low, high = tally.elo_interval()
        test = None if sprt is None else {**asdict(sprt), "llr": sprt.llr(tally), "bounds": sprt.bounds, "accepted": self.decision}
        return {
            "games": tally.games,
            "planned": self.planned,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "pairs": tally.pairs,
            "score": tally.score,
            "elo": _finite(tally.elo),
            "elo_low": _finite(low),
            "elo_high": _finite(high),
            "los": tally.los,
            "sprt": test,
            "seconds": self.seconds,
            "slowest": {name: self.slowest(name) for name in NAMES},
            "terminations": dict(Counter(game.termination for game in self.games)),
            "errors": self.errors,
        }

    def progress_line(self) -> str:
        """The state in a line."""
        rate = self.tally.games / self.seconds if self.seconds else 0
        return f"{self.tally}, {self.left} games left, {60 * rate:.1f} a minute{self._test()}"

    def _test(self) -> str:
        if self.sprt is None:
            return ""
        low, high = self.sprt.bounds
        return f", LLR {self.sprt.llr(self.tally):.2f} ({low:.2f} to {high:.2f})"

    def __str__(self) -> str:
        if not self.games:
            return "no game has ended"
        low, high = self.tally.elo_interval()
        ends = Counter(game.termination for game in self.games)
        lines = [
            str(self.tally),
            f"Elo {self.tally.elo:+.1f}, 95 % between {low:+.1f} and {high:+.1f}; likelihood of superiority {self.tally.los:.1%}",
            f"pairs by points 0 to 2: {' '.join(map(str, self.tally.pairs))}",
            f"ends: {', '.join(f'{text} {count}' for text, count in ends.most_common())}",
            f"slowest action: first {self.slowest('first'):.3f} s, second {self.slowest('second'):.3f} s",
        ]
        if self.sprt is not None:
            low, high = self.sprt.elo0, self.sprt.elo1
            verdict = {"elo0": f"accepted {low:+g} Elo", "elo1": f"accepted {high:+g} Elo", None: "undecided"}[self.decision]
            lines.append(f"test of {low:+g} against {high:+g} Elo: {verdict}{self._test()}")
        lines += [f"failure: {text}, {count} times" for text, count in Counter(self.errors).most_common()]
        return "\n".join(lines)


def _given(limit: Limit) -> dict[str, float]:
    return {name: value for name, value in asdict(limit).items() if value is not None}


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def play_match(
    first: Contestant,
    second: Contestant,
    rules: Rules = YOTE,
    *,
    games: int = 100,
    opening_plies: int = 8,
    balance: int = 60,
    seed: int = 0,
    concurrency: int = 2,
    max_plies: int = MAX_PLIES,
    margin: float = 2.0,
    sprt: Sprt | None = None,
    out: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    progress: Callable[[MatchResult], object] = lambda _: None,
) -> MatchResult:
    """Play a match.

    Args:
        first, second: the players, each with its own limit and its own table.
        rules: the rules of every game.
        games: how many to play; each opening serves two, so an odd number leaves the last one single.
        opening_plies: random actions that a game begins with.
        balance: the largest score, in hundredths of a piece, that a side may have after them.
        seed: decides the openings and what players leave to chance.
        concurrency: games played at the same time, each in a thread with players of its own. A player thinks only on its own
            time, so a game keeps one processor busy.
        max_plies: a game of so many actions, the opening included, is drawn.
        margin: seconds that a program may take beyond the time of a move before it loses the game.
        sprt: a sequential test that ends the match as soon as it is decided.
        out: a file that finished games are appended to, for :func:`yote_fast.game.read`.
        executor: plays the games instead of threads here, ``concurrency`` of them at a time, each with players of its own. Those
            that still run when the match is decided are left to end by themselves.
        progress: called with the state of the match at the start and after each game, in the thread that called. After a
            KeyboardInterrupt, which passes through, it has seen the last state.

    A program that ends, hangs, or answers with anything but a legal action loses that game, and is started anew for the next.

    Raises:
        EngineError: a program cannot be started for the first game.
        ValueError: an argument is out of its bounds, or there is no balanced opening.
        OSError: the file cannot be written.
    """
    check_int("games", games, 1, 10**9)
    check_int("concurrency", concurrency, 1, MAX_THREADS)
    check_int("max_plies", max_plies, 1, 10**6)
    arguments = _Arguments((first, second), rules, opening_plies, balance, seed, max_plies, margin)
    match = arguments.match()
    result = MatchResult(games, sprt)
    started = time.monotonic()
    tables: list[_Table] = []
    with _append_to(out) as file:
        try:
            for _ in range(0 if executor else min(concurrency, games)):
                tables.append(_Table(match, arguments.openings()))
                tables[-1].sit_down()
            progress(result)
            with closing(_play_by(executor, arguments, games, concurrency) if executor else _play(match, tables, games)) as ended:
                for game in ended:
                    if file is not None:
                        _write(file, game)
                    result.add(game, time.monotonic() - started)
                    progress(result)
                    if result.decision is not None:
                        break
        finally:
            for table in tables:
                table.close()
    return result


@dataclass(frozen=True)
class _Arguments:
    """What the games of a match depend on, and all that another process needs to play one."""

    contestants: tuple[Contestant, Contestant]
    rules: Rules
    opening_plies: int
    balance: int
    seed: int
    max_plies: int
    margin: float

    def match(self) -> _Match:
        return _Match(self.contestants, self.rules, self.seed, self.max_plies, self.margin, threading.Event())

    def openings(self) -> Openings:
        return Openings(self.rules, plies=self.opening_plies, balance=self.balance, seed=self.seed)


@dataclass(frozen=True)
class _Match:
    """What all tables of a match have in common."""

    contestants: tuple[Contestant, Contestant]
    rules: Rules
    seed: int
    max_plies: int
    margin: float
    over: threading.Event
    """No more games, and those that run need not be finished."""


class _Table:
    """A place where one game at a time is played, with a pair of players of its own."""

    def __init__(self, match: _Match, openings: Openings) -> None:
        self._match = match
        self._openings = openings
        self._players: list[Player | None] = [None, None]

    def sit_down(self) -> None:
        """Start the players that are not there."""
        for side in range(2):
            self._player(side)

    def play(self, number: int) -> GameRecord | None:
        """Play a game of the match; None if the match ended meanwhile."""
        board = self._openings.get(number // 2)
        game = _Game(board, number % 2)
        error = self._begin(number) or self._run(game)
        if self._match.over.is_set():
            return None
        return self._record(number, game, error)

    def stop(self) -> None:
        """Make a running game end soon. Called from another thread."""
        for player in self._players:
            if player is not None:
                player.stop()

    def close(self) -> None:
        """Send the players away."""
        for side in range(2):
            self._dismiss(side)

    def _player(self, side: int) -> Player:
        player = self._players[side]
        if player is None:
            player = self._match.contestants[side].open(self._match.rules, self._match.margin)
            self._players[side] = player
        return player

    def _dismiss(self, side: int) -> None:
        player = self._players[side]
        self._players[side] = None
        if player is not None:
            player.close()

    def _begin(self, number: int) -> tuple[int, str] | None:
        for side in range(2):
            try:
                self._player(side).new_game(f"{self._match.seed} {number} {NAMES[side]}")
            except EngineError as error:
                return self._failed(side, error)
        return None

    def _run(self, game: _Game) -> tuple[int, str] | None:
        """Play until the game is over, too long or given up, or a player failed: who, and how."""
        while not game.board.is_game_over() and game.board.ply() < self._match.max_plies and not self._match.over.is_set():
            side = game.side_to_move()
            started = time.perf_counter()
            try:
                move = self._player(side).play(game.board, self._match.contestants[side].limit)
            except EngineError as error:
                return self._failed(side, error)
            game.push(move, time.perf_counter() - started)
        return None

    def _failed(self, side: int, error: EngineError) -> tuple[int, str]:
        self._dismiss(side)
        return side, f"{NAMES[side]}: {error}"

    def _record(self, number: int, game: _Game, error: tuple[int, str] | None) -> GameRecord:
        outcome = game.board.outcome()
        if error is not None:
            result, termination = ("0-1" if error[0] == game.white else "1-0"), _FAULT
        elif outcome is None:
            result, termination = "1/2-1/2", _TOO_LONG
        else:
            result, termination = outcome.result(), outcome.termination.value
        moves = [str(move) for move in game.board.move_stack]
        contestants = dict(zip(NAMES, self._match.contestants, strict=True))
        return GameRecord(
            number=number,
            rules=str(self._match.rules),
            white=NAMES[game.white],
            opening=moves[: game.opening_plies],
            moves=moves,
            result=result,
            termination=termination,
            error=None if error is None else error[1],
            seconds=dict(zip(NAMES, map(sum, game.times), strict=True)),
            slowest={name: max(times, default=0.0) for name, times in zip(NAMES, game.times, strict=True)},
            players={name: contestant.player for name, contestant in contestants.items()},
            limits={name: _given(contestant.limit) for name, contestant in contestants.items()},
        )


class _Game:
    """A game that runs: the board, who has White, and how long each player thought."""

    def __init__(self, board: Board, white: int) -> None:
        self.board = board
        self.white = white
        self.opening_plies = board.ply()
        self.times: tuple[list[float], list[float]] = ([], [])

    def side_to_move(self) -> int:
        return self.white if self.board.turn == WHITE else 1 - self.white

    def push(self, move: Move, seconds: float) -> None:
        self.times[self.side_to_move()].append(seconds)
        self.board.push(move)


def _play(match: _Match, tables: list[_Table], games: int) -> Generator[GameRecord, None, None]:
    """The games as they end. Those that still run when the caller has had enough are given up."""
    free: queue.SimpleQueue[_Table] = queue.SimpleQueue()
    for table in tables:
        free.put(table)

    def play(number: int) -> GameRecord | None:
        table = free.get()
        try:
            return table.play(number)
        finally:
            free.put(table)

    numbers = iter(range(games))
    with ThreadPoolExecutor(len(tables)) as pool:
        running = {pool.submit(play, number) for _, number in zip(tables, numbers, strict=False)}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(play, number) for _, number in zip(done, numbers, strict=False)}
                for future in done:
                    game = future.result()
                    assert game is not None, "only the end of the match ends a game early"
                    yield game
        finally:
            match.over.set()
            _give_up(tables, running)


def _play_by(executor: Executor, arguments: _Arguments, games: int, concurrency: int) -> Generator[GameRecord, None, None]:
    """The games as they end, played by an executor."""
    numbers = iter(range(games))
    running = {submit(executor, _play_one, arguments, number) for number in islice(numbers, concurrency)}
    try:
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {submit(executor, _play_one, arguments, number) for number in islice(numbers, len(done))}
            for future in done:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


def _play_one(arguments: _Arguments, number: int) -> GameRecord:
    table = _Table(arguments.match(), arguments.openings())
    try:
        table.sit_down()
        game = table.play(number)
    finally:
        table.close()
    assert game is not None, "nobody ends the match here"
    return game


def _give_up(tables: list[_Table], running: set[Future[GameRecord | None]]) -> None:
    """End the games that run. Stopped again and again, as a player may just have begun to think when it is told."""
    while running:
        for table in tables:
            table.stop()
        running = wait(running, timeout=0.02).not_done


@contextmanager
def _append_to(path: str | os.PathLike[str] | None) -> Iterator[BinaryIO | None]:
    if path is None:
        yield None
        return
    with open(path, "a+b") as file:
        # A game that was cut off when a computer failed must not spoil the next.
        if file.seek(0, os.SEEK_END):
            file.seek(-min(2, file.tell()), os.SEEK_END)
            if file.read() != b"\n\n":
                file.write(b"\n\n")
        yield file


def _write(file: BinaryIO, record: GameRecord) -> None:
    """In one piece, and at once: whatever ends the program later, the file has the game."""
    file.write(f"{record.game()}\n\n".encode("utf-8", "surrogateescape"))
    file.flush()
