"""Matches: openings, games and their record, failures, and the command."""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shell import PROMPTLY, Ended, interrupt, needs_ctrl_c, run, start

import yote_fast as yf
from yote_fast.elo import Sprt
from yote_fast.game import Game, read
from yote_fast.match import GameRecord, MatchResult, play_match
from yote_fast.openings import GLANCE, Openings
from yote_fast.players import ChancePlayer, Contestant, _most_captured
from yote_fast.rules import Rules
from yote_fast.ugi_client import EngineError

FAKE = Path(__file__).parent / "fake_ugi.py"
RANDOM = Contestant("random")
QUICK = Contestant("engine", yf.Limit(nodes=300), {"hash_mb": 1})


def fake(behaviour: str, log: Path | None = None, *, seconds: float = 0.01) -> Contestant:
    return Contestant(f"ugi:'{sys.executable}' '{FAKE}' {behaviour} {'' if log is None else log}", yf.Limit(time=seconds))


def replayed(game: GameRecord) -> yf.Board:
    board = yf.Board(rules=Rules.parse(game.rules))
    for text in game.moves:
        board.push_text(text)
    return board


def essence(result: MatchResult) -> list[tuple[object, ...]]:
    """All of the games that does not depend on the clock."""
    return sorted((game.number, game.white, tuple(game.moves), game.result, game.termination) for game in result.games)


# Openings -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["yote", "choko", "challenges+bonus_turn", "yote+rows=3+cols=3+pieces=4"])
def test_openings_are_balanced(rules: str) -> None:
    openings = Openings(Rules.parse(rules), plies=6, balance=40, seed=3)
    for number in range(5):
        board = openings.get(number)
        assert board.ply() == 6
        assert not board.is_game_over()
        score = yf.analyse(board, GLANCE, hash_mb=1).score
        assert score is not None
        assert abs(score.value) <= 40


def test_openings_depend_on_seed_and_number() -> None:
    def lines(seed: int, numbers: list[int]) -> list[list[yf.Move]]:
        openings = Openings(yf.YOTE, seed=seed)
        return [openings.get(number).move_stack for number in numbers]

    forth = lines(1, [0, 1, 2, 3])
    assert lines(1, [3, 2, 1, 0]) == forth[::-1]
    assert len({tuple(line) for line in forth + lines(2, [0, 1, 2, 3])}) == 8


def test_no_opening() -> None:
    assert Openings(yf.YOTE, plies=0).get(7) == yf.Board()
    # A board with so few positions that one is repeated before the opening ends.
    tiny = Rules.parse("yote+rows=2+cols=2+pieces=1+repetition=2")
    with pytest.raises(ValueError, match="no opening of 60 plies with a score of at most 90"):
        Openings(tiny, plies=60, balance=90).get(0)
    with pytest.raises(ValueError, match="must not be negative"):
        Openings(yf.YOTE, plies=-1)


# Players --------------------------------------------------------------------------------------------------------------------------


def test_greedy_takes_the_most() -> None:
    board = yf.Board("6/2c3/2C3/6/1c4 w 1/0", Rules.parse("yote+optional_removal"))
    assert sorted(map(str, _most_captured(list(board.legal_moves)))) == ["c3xc5/b1"]
    board = yf.Board("6/2c3/2C3/6/6 w 1/3", Rules.parse("yote+optional_removal"))
    assert sorted(map(str, _most_captured(list(board.legal_moves)))) == ["c3xc5/*"]
    board = yf.Board()
    assert _most_captured(list(board.legal_moves)) == list(board.legal_moves)


def test_chance_players_depend_on_their_seed() -> None:
    def moves(seed: str) -> list[yf.Move]:
        player = ChancePlayer()
        player.new_game(seed)
        return [player.play(yf.Board(), yf.Limit()) for _ in range(10)]

    assert moves("a") == moves("a") != moves("b")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Contestant("stockfish"), "unknown player 'stockfish': expected engine, random, greedy or ugi:COMMAND"),
        (lambda: Contestant("random", options={"hash_mb": 1}), "the player random has no options"),
        (lambda: Contestant("engine", yf.Limit()), "a player needs a limit"),
    ],
)
def test_bad_contestants(make: Callable[[], Contestant], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# Matches --------------------------------------------------------------------------------------------------------------------------


def test_engine_beats_chance() -> None:
    states: list[int] = []
    result = play_match(QUICK, RANDOM, games=10, seed=1, progress=lambda result: states.append(result.tally.games))
    assert states == list(range(11))
    assert result.tally.wins == 10
    assert result.tally.pairs == [0, 0, 0, 0, 5]
    assert result.errors == []
    assert result.tally.los > 0.99
    assert "10 won, 0 drawn, 0 lost" in str(result)


@pytest.mark.parametrize("rules", ["choko", "challenges", "heroes+bonus_turn", "yote+rows=3+cols=4+pieces=5"])
def test_any_rules(rules: str) -> None:
    result = play_match(QUICK, Contestant("greedy"), Rules.parse(rules), games=4, opening_plies=4, seed=1)
    assert {game.rules for game in result.games} == {rules}
    assert result.tally.wins >= 3


def test_greedy_beats_random() -> None:
    result = play_match(Contestant("greedy"), RANDOM, games=30, seed=1)
    assert result.tally.score > 0.6


def test_games_come_in_pairs_and_end_as_recorded() -> None:
    result = play_match(Contestant("greedy"), RANDOM, games=12, seed=7, max_plies=60)
    games = sorted(result.games, key=lambda game: game.number)
    assert [game.number for game in games] == list(range(12))
    points = 0.0
    for game in games:
        assert game.white == ("first" if game.number % 2 == 0 else "second")
        assert game.opening == games[game.number // 2 * 2].opening
        assert game.moves[:8] == game.opening
        board = replayed(game)
        outcome = board.outcome()
        if outcome is None:
            assert (game.result, game.termination, len(game.moves)) == ("1/2-1/2", "the game was too long", 60)
        else:
            assert (game.result, game.termination) == (outcome.result(), outcome.termination.value)
        won = {"1-0": "first", "0-1": "second", "1/2-1/2": None}[game.result]
        if won is not None and game.white == "second":
            won = "second" if won == "first" else "first"
        points += {"first": 1.0, "second": 0.0, None: 0.5}[won]
        assert game.points == {"first": 1.0, "second": 0.0, None: 0.5}[won]
    assert len({tuple(game.opening) for game in games}) == 6
    assert result.tally.score == points / 12


def test_the_same_seed_gives_the_same_match() -> None:
    def match(seed: int, concurrency: int) -> list[tuple[object, ...]]:
        return essence(play_match(QUICK, RANDOM, games=6, max_plies=80, seed=seed, concurrency=concurrency))

    assert match(5, 1) == match(5, 3)
    assert match(5, 2) != match(6, 2)


def test_both_sides_of_a_match() -> None:
    # Seen from the other side, wins are losses. Chance is the second player's in one match, the first one's in the other.
    one = play_match(QUICK, RANDOM, games=4, seed=2)
    other = play_match(RANDOM, QUICK, games=4, seed=2)
    assert (one.tally.wins, other.tally.losses) == (4, 4)


def test_odd_number_of_games() -> None:
    result = play_match(RANDOM, RANDOM, games=3, seed=1, max_plies=20)
    assert result.tally.games == 3
    assert sum(result.tally.pairs) == 1


def test_sequential_test_stops_the_match() -> None:
    result = play_match(QUICK, RANDOM, games=1000, seed=1, sprt=Sprt(0, 200))
    assert result.decision == "elo1"
    assert result.tally.games < 60
    assert result.left == 0
    assert "accepted +200 Elo" in str(result)
    result = play_match(RANDOM, QUICK, games=1000, seed=1, sprt=Sprt(0, 200))
    assert result.decision == "elo0"


def test_time_is_noted() -> None:
    limit = yf.Limit(time=0.02)
    result = play_match(Contestant("engine", limit), RANDOM, games=1, seed=1)
    (game,) = result.games
    assert 0.02 <= result.slowest("first") == game.slowest["first"] < 1
    assert game.seconds["first"] > 0.02 * len(game.moves) / 4
    assert game.seconds["second"] < game.seconds["first"]
    assert game.limits["first"] == {"time": 0.02}


@pytest.mark.parametrize("arguments", [{"games": 0}, {"concurrency": 0}, {"max_plies": 0}, {"opening_plies": -1}])
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        play_match(RANDOM, RANDOM, **arguments)


def test_an_exception_ends_the_match() -> None:
    def progress(result: MatchResult) -> None:
        if result.tally.games == 2:
            raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        play_match(Contestant("engine", yf.Limit(depth=5)), RANDOM, games=1000, progress=progress)
    assert time.monotonic() - started < 30


@needs_ctrl_c
@pytest.mark.parametrize("thinker", [Contestant("engine"), fake("hangs")], ids=["engine", "program"])
def test_ctrl_c_does_not_wait_for_a_move(thinker: Contestant) -> None:
    script = f"""
import yote_fast as yf
from yote_fast.match import Contestant, play_match
thinker = Contestant({thinker.player!r}, yf.Limit(time=60))
play_match(thinker, thinker, games=4, progress=lambda _: print("ready", flush=True))
"""
    ended = interrupt("-c", script, ready="ready", delay=0.5)
    assert "KeyboardInterrupt" in ended.stderr
    assert ended.seconds < PROMPTLY


def test_a_bug_in_a_game_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> yf.Move:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(ChancePlayer, "play", fail)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        play_match(RANDOM, RANDOM, games=10)


# Programs -------------------------------------------------------------------------------------------------------------------------


def test_programs_play_each_other() -> None:
    result = play_match(fake("good"), fake("good"), games=2, opening_plies=0, max_plies=10)
    assert [game.termination for game in result.games] == ["the game was too long"] * 2
    assert result.games[0].moves == ["@a1", "@b1", "@c1", "@d1", "@e1", "@f1", "@a2", "@b2", "@c2", "@d2"]
    assert result.errors == []


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        ("dies", "the program ended with exit status 3"),
        ("hangs", "no bestmove within 0.21 seconds"),
        ("malformed", "malformed 'bestmove'"),
        ("wordy", "malformed 'bestmove @a1 ponder @b1'"),
        ("none", "illegal action: invalid action 'none'"),
        ("illegal", "illegal action: a1-a2"),
    ],
)
def test_a_failing_program_loses_and_is_started_anew(tmp_path: Path, behaviour: str, error: str) -> None:
    log = tmp_path / "log"
    result = play_match(fake("good"), fake(behaviour, log), games=4, opening_plies=0, max_plies=10, concurrency=1, margin=0.2)
    assert result.tally.wins == 4
    assert [game.result for game in result.games] == ["1-0", "0-1"] * 2
    assert all(text.startswith(f"second: {error}") for text in result.errors)
    assert len(result.errors) == 4
    assert {game.termination for game in result.games} == {"a player failed"}
    assert log.read_text() == "started\n" * 4
    assert f"failure: second: {error}" in str(result)


def test_a_failing_first_program_loses_too() -> None:
    result = play_match(fake("dies"), RANDOM, games=2)
    assert result.tally.losses == 2
    assert all(text.startswith("first: ") for text in result.errors)


def test_a_good_program_is_started_once_a_table(tmp_path: Path) -> None:
    log = tmp_path / "log"
    play_match(fake("good", log), fake("good"), games=6, opening_plies=0, max_plies=6, concurrency=2)
    assert log.read_text() == "started\n" * 2


@pytest.mark.parametrize(
    ("contestant", "message"),
    [
        (Contestant("ugi:no-such-program"), "cannot start no-such-program"),
        (fake("still-born"), "the program ended with exit status 7"),
        (Contestant(fake("good").player, options={"Speed": 3}), "has no option Speed"),
    ],
)
def test_programs_that_cannot_start(contestant: Contestant, message: str) -> None:
    with pytest.raises(EngineError, match=message):
        play_match(RANDOM, contestant, games=2)


def test_against_ourselves_over_ugi() -> None:
    command = f"ugi:'{sys.executable}' -m yote_fast ugi"
    limit = yf.Limit(depth=2)
    rules = Rules.parse("challenges+royal_caravan")
    result = play_match(
        Contestant("engine", limit), Contestant(command, limit, {"Hash": 1}), rules, games=2, seed=1, max_plies=60, margin=60
    )
    assert result.errors == []
    # The same engine on both sides of a pair.
    assert result.tally.games == 2


# The file -------------------------------------------------------------------------------------------------------------------------


def games_in(path: Path) -> list[Game]:
    with path.open("rb") as file:
        return list(iter(lambda: read(file), None))


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    seen: list[int] = []

    def progress(result: MatchResult) -> None:
        assert len(games_in(path)) == result.tally.games
        seen.append(result.tally.games)

    result = play_match(Contestant("greedy"), RANDOM, yf.CHOKO, games=4, out=path, progress=progress)
    assert seen == [0, 1, 2, 3, 4]
    games = games_in(path)
    assert [str(game) for game in games] == [str(record.game()) for record in result.games]
    for game, record in zip(games, result.games, strict=True):
        tags = game.headers
        assert game.errors == []
        assert [str(move) for move in game.mainline_moves()] == record.moves
        assert (tags["Round"], tags["Rules"], tags["OpeningPlies"]) == (str(record.number + 1), "choko", "8")
        assert (tags["Result"], tags["Termination"]) == (record.result, record.termination)
        assert "Error" not in tags
        first, second = ("White", "Black") if record.white == "first" else ("Black", "White")
        assert (tags["First"], tags[first], tags[second]) == (first, "greedy", "random")
        assert tags[f"{second}Limit"] == "time=0.1"
        assert float(tags[f"{first}Seconds"]) == round(record.seconds["first"], 6)
        assert float(tags[f"{second}Slowest"]) == round(record.slowest["second"], 6)


def test_file_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    path.write_text('1. @c3 *\n\n[White "cut"]\n\n1. @c3 {cut of', encoding="utf-8")
    play_match(RANDOM, RANDOM, games=2, out=path, max_plies=9)
    games = games_in(path)
    assert [game.headers.get("White") for game in games] == [None, "cut", "random", "random"]
    assert [len(game.errors) for game in games] == [0, 2, 0, 0]
    assert [game.headers["Termination"] for game in games[2:]] == ["the game was too long"] * 2


def test_file_tells_of_failures(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    play_match(fake("good"), fake("dies"), games=1, opening_plies=0, out=path)
    (game,) = games_in(path)
    assert game.headers["Error"].startswith("second: the program ended with exit status 3")
    assert (game.headers["Result"], game.headers["Termination"]) == ("1-0", "a player failed")


def test_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Is a directory"):
        play_match(RANDOM, RANDOM, games=2, out=tmp_path)


# The command ----------------------------------------------------------------------------------------------------------------------


def match(*arguments: str) -> Ended:
    return run("-m", "yote_fast", "match", *arguments)


def test_command() -> None:
    ended = match(
        "--second", "random", "--nodes", "300", "--games", "4", "--rules", "choko", "--seed", "2", "--option", "hash_mb=1"
    )
    assert ended.status == 0
    assert ended.stdout.startswith("4 won, 0 drawn, 0 lost, 100.0%, Elo +inf")
    assert "slowest action" in ended.stdout


def test_command_for_programs(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    players = ["--first", "greedy", "--second", "random", "--max-plies", "20"]
    ended = match(*players, "--games", "4", "--sprt", "-10", "10", "--json", "-o", str(path))
    assert ended.status == 0
    summary = json.loads(ended.stdout)
    assert summary["games"] == summary["planned"] == 4
    assert summary["wins"] + summary["draws"] + summary["losses"] == 4
    assert math.isfinite(summary["sprt"]["llr"])
    assert summary["sprt"]["elo0"] == -10
    assert len(games_in(path)) == 4


def test_command_limits_of_each_player(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    ended = match("--nodes", "50", "--second-depth", "1", "--games", "1", "--max-plies", "20", "-o", str(path))
    assert ended.status == 0
    (game,) = games_in(path)
    assert (game.headers["WhiteLimit"], game.headers["BlackLimit"]) == ("nodes=50", "depth=1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--first", "nobody"], "unknown player 'nobody'"),
        (["--second", "ugi:no-such-program"], "cannot start no-such-program"),
        (["--games", "-3"], "games must be 1 to"),
        (["--rules", "chess"], "unknown rules 'chess'"),
        (["--time", "0"], "time must be more than 0"),
        (["--sprt", "5", "0"], "elo0 must be less than elo1"),
        (["--option", "hash_mb"], "an option is NAME=VALUE"),
        (["--option", "speed=3"], "speed"),
    ],
)
def test_bad_commands(arguments: list[str], message: str) -> None:
    ended = match(*arguments)
    assert ended.status == 2
    assert ended.stdout == ""
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_command_that_cannot_write() -> None:
    ended = match("-o", "/no/such/directory/file")
    assert ended.status == 1
    assert ended.stderr.startswith("yote: ")
    assert "No such file or directory" in ended.stderr


@needs_ctrl_c
def test_ctrl_c(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    with start("-m", "yote_fast", "match", "--second", "random", "--depth", "3", "--games", "100000", "-o", str(path)) as process:
        deadline = time.monotonic() + 60
        # When the second game is written, the first one counts.
        while not (path.exists() and path.read_text().count("[Event ") > 1):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        output, errors = process.communicate(timeout=60)
        assert time.monotonic() - pressed < PROMPTLY
    assert process.returncode == 130
    assert errors == b""
    assert b" won, " in output
    # Every game that counts is there, whole; one may have been written only just before.
    games = games_in(path)
    assert all(game.errors == [] for game in games)
    counted = sum(int(word) for word in output.decode().split()[:6:2])
    assert counted <= len(games) <= counted + 1
