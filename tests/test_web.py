"""The server of the analysis board, without a browser: whom it answers, what it says, and that nothing is left running."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import serving
from hypothesis import given, settings
from hypothesis import strategies as st
from play import play, play_all
from shell import interrupt, needs_ctrl_c, run, start
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import yote_fast as yf
import yote_fast.web
from yote_fast.web.app import Settings, create_app
from yote_fast.web.guard import Policy, check_token
from yote_fast.web.position import describe, describe_setup, play_moves, read_setup
from yote_fast.web.rules_form import BOUNDS, CHOICES, rules_form
from yote_fast.web.scheduler import EXPRESS_EVERY, FIRST_SLICE, Analysis, Client, Report, Scheduler
from yote_fast.web.session import MAX_LINES, MAX_MESSAGE

STATIC = Path(yote_fast.web.__file__).parent / "static"
HOST = "localhost:9683"
ORIGIN = f"http://{HOST}"
SESSION = f"ws://{HOST}/api/session"
CAPTURE = "6/2c3/2C3/4c1/1c4 w 8/7"
WON_SOON = "6/6/C5/6/cCC3 w 0/0"
PATIENCE = 20.0
"""Seconds after which something has failed for good."""

RULES = [
    "yote",
    "choko+mandatory_capture",
    "heroes+bonus_turn",
    "challenges+royal_caravan+chain_capture+friendly_leap",
    "yote+rows=3+cols=4+pieces=4+no_moves=pass",
]


@contextmanager
def serve(policy: Policy | None = None, tablebase: Any = None, **settings: Any) -> Iterator[TestClient]:
    app = create_app(Settings(**{"hash_mb": 1, "threads": 2, **settings}), policy or Policy(), tablebase=tablebase)
    with TestClient(app, base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with serve() as client:
        yield client


@pytest.fixture
def session(client: TestClient) -> Iterator[WebSocketTestSession]:
    with joined(client) as session:
        yield session


@contextmanager
def joined(client: TestClient) -> Iterator[WebSocketTestSession]:
    with client.websocket_connect(SESSION, headers={"origin": ORIGIN}) as session:
        assert session.receive_json()["type"] == "hello"
        yield session


def ask(session: WebSocketTestSession, **message: Any) -> dict[str, Any]:
    session.send_json({"id": 1, **message})
    answer: dict[str, Any] = session.receive_json()
    assert answer["id"] == 1
    return answer


def refusal(session: WebSocketTestSession, **message: Any) -> str:
    answer = ask(session, **message)
    assert answer["type"] == "error"
    assert set(answer) == {"type", "id", "message"}
    text: str = answer["message"]
    return text


def wait_until(condition: Any) -> float:
    """Seconds until something holds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() < started + PATIENCE
        time.sleep(0.005)
    return time.monotonic() - started


# The page -------------------------------------------------------------------------------------------------------------------------


def test_the_page_and_its_files(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    files = re.findall(r'(?:src|href)="(static/[^"]+)"', page.text)
    assert len(files) >= 5
    for path in files:
        assert client.get("/" + path).status_code == 200, path
    scripts = [path for path in STATIC.iterdir() if path.suffix == ".js"]
    for script in scripts:
        answer = client.get(f"/static/{script.name}")
        assert "javascript" in answer.headers["content-type"]
        for imported in re.findall(r'from "\./([^"]+)"', answer.text):
            assert (STATIC / imported).exists()


def test_nothing_comes_from_elsewhere() -> None:
    for path in STATIC.iterdir():
        outside = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"']*", path.read_text(encoding="utf-8")))
        assert outside <= {"http://www.w3.org/2000/svg"}, path


def test_nothing_is_inline() -> None:
    """The security policy would forbid it."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|<script(?![^>]*src=)| style=| on[a-z]+=", page)


@pytest.mark.parametrize("path", ["/", "/api/status", "/static/main.js", "/nothing", "/static/nothing", "/static/../app.py"])
def test_security_headers_are_on_every_answer(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/static/", 404),
        ("/static/%2e%2e/app.py", 404),
        ("/static/..%2f..%2fcli.py", 404),
        ("/?" + 3000 * "x", 414),
    ],
)
def test_what_is_not_there(client: TestClient, path: str, status: int) -> None:
    assert client.get(path).status_code == status


def test_requests_have_no_body_and_change_nothing(client: TestClient) -> None:
    assert client.post("/").status_code == 405
    assert client.post("/", content=b"x").status_code == 413
    assert client.post("/", content=iter([b"x"])).status_code == 413
    assert client.delete("/api/status").status_code == 405


# Who is answered ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:9683", "localhost.evil.example", "10.0.0.1:9683", "", "[::2]", "a" * 300]
)
def test_other_names_are_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SESSION, headers={"host": host}):
        pass


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "127.0.0.1:9683", "[::1]:9683", "LOCALHOST"])
def test_names_of_this_machine(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost", "http://localhost:9684", "https://localhost.evil:9683", ""]
)
def test_pages_of_other_sites_are_refused(client: TestClient, origin: str) -> None:
    assert client.get("/api/status", headers={"origin": origin}).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SESSION, headers={"origin": origin}):
        pass


def test_programs_need_no_origin(client: TestClient) -> None:
    with client.websocket_connect(SESSION) as session:
        assert session.receive_json()["type"] == "hello"


TOKEN = "correct-horse"


def test_the_token() -> None:
    with serve(Policy(token=TOKEN)) as client:
        for query in ("", "?token=", "?token=wrong-horse", "?token=correct-hors%C3%A9", "?token=a&token=correct-horse"):
            answer = client.get("/" + query)
            assert (answer.status_code, answer.headers["content-type"]) == (401, "text/plain; charset=utf-8")
        assert client.get("/static/main.js").status_code == client.get("/api/status").status_code == 401
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(SESSION):
            pass
        client.cookies.set("yote_token_80", "wrong")
        assert client.get("/").status_code == 401
        client.cookies.clear()

        assert client.get(f"{ORIGIN}//evil.example/?token={TOKEN}").headers["location"] == "/evil.example/"
        client.cookies.clear()
        answer = client.get(f"/?token={TOKEN}&a=b")
        assert (answer.status_code, answer.headers["location"]) == (303, "/?a=b")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert client.get("/").status_code == client.get("/static/main.js").status_code == 200
        with joined(client):
            pass


def test_a_program_may_give_the_token_in_the_address() -> None:
    with serve(Policy(token=TOKEN)) as client, client.websocket_connect(f"{SESSION}?token={TOKEN}") as session:
        assert session.receive_json()["type"] == "hello"


def test_a_server_on_all_interfaces() -> None:
    with serve(Policy(names={"board.example"}, any_address=True)) as client:
        for host, status in [
            ("board.example", 200),
            ("10.1.2.3:80", 200),
            ("[fe80::1]:80", 200),
            ("evil.example", 421),
            ("1.2.3", 421),
        ]:
            assert client.get("/", headers={"host": host}).status_code == status


@pytest.mark.parametrize("token", ["", "short", "with space in it", "a" * 201, "ümlaut-token", "semi;colon;token"])
def test_bad_tokens(token: str) -> None:
    with pytest.raises(ValueError, match="the token must have 8 to 200 characters"):
        check_token(token)


# Positions ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_positions(session: WebSocketTestSession, rules: str) -> None:
    board = yf.Board(rules=yf.Rules.parse(rules))
    sides = ""
    turn = board.turn
    for move in play(board, seed=3, plies=60):
        sides += "w" if turn else "b"
        turn = board.turn
        moves = [str(move) for move in board.move_stack]
        found = ask(session, type="position", rules=rules, yfen=None, moves=moves)["position"]
        assert found["yfen"] == board.yfen()
        assert found["sides"] == sides
        assert found["rules"] == str(board.rules)
        assert found["turn"] == ("w" if board.turn else "b")
        assert found["board"] == "".join(board.piece_at(square) or "." for square in range(board.rules.squares))
        assert found["result"] == board.result()
        assert found["occurrences"] == board.occurrences()
        assert found["legal"] == ([] if board.is_game_over() else [str(legal) for legal in board.legal_moves])
        assert found["last"]["text"] == str(move)
        assert found["last"]["squares"] == list(move.action.squares)
        assert found["exact"] is None
        if board.is_game_over():
            break


def test_the_last_action_and_the_end(session: WebSocketTestSession) -> None:
    found = ask(session, type="position", rules="yote", yfen=CAPTURE, moves=["c3xc5/b1"])["position"]
    assert found["last"] == {"text": "c3xc5/b1", "kind": "x", "squares": [14, 26], "cleared": [1, 20], "from_hand": 0}
    found = ask(session, type="position", rules="yote", yfen="6/2c3/2C3/6/6 w 8/7", moves=["c3xc5/*"])["position"]
    assert (found["last"]["cleared"], found["last"]["from_hand"]) == ([20], 1)
    found = ask(session, type="position", rules="yote", yfen="6/6/6/6/C5 b 0/0")["position"]
    assert (found["result"], found["termination"], found["legal"]) == ("1-0", "a side has no pieces left", [])


def test_who_must_drop(session: WebSocketTestSession) -> None:
    def obliged(yfen: str | None, *moves: str, rules: str = "choko") -> bool:
        found: bool = ask(session, type="position", rules=rules, yfen=yfen, moves=moves)["position"]["obliged"]
        return found

    assert [obliged(None), obliged(None, "@c3"), obliged(None, "@c3", "@b2")] == [False, True, False]
    assert obliged("5/5/2C2/5/c4 w 2/0 !")
    assert not obliged("5/5/2C2/5/c4 w 0/2 !")
    # The flag is there during the rest of the turn already, and binds the next side.
    rules = "challenges+drop_initiative"
    assert not obliged(None, "@c3", rules=rules)
    assert obliged(None, "@c3", "--", rules=rules)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"type": "dance"}, "the type of a message must be one of position"),
    ({}, "the type of a message"),
    ({"type": ["position"]}, "the type of a message"),
    ({"type": "position"}, "rules must be a text"),
    ({"type": "position", "rules": 3}, "rules must be a text"),
    ({"type": "position", "rules": "go"}, "unknown rules 'go'"),
    ({"type": "position", "rules": "x" * 999}, "unknown rules"),
    ({"type": "position", "rules": "yote+rows=99"}, "rows must be 2 to 18"),
    ({"type": "position", "rules": "choko+chain_capture"}, "not allowed together"),
    ({"type": "position", "rules": "yote", "yfen": "6/6"}, "field YFEN"),
    ({"type": "position", "rules": "yote", "yfen": 6}, "yfen must be a text"),
    ({"type": "position", "rules": "yote", "yfen": "\ud800"}, "field YFEN"),
    ({"type": "position", "rules": "yote", "moves": "@c3"}, "moves must be a list"),
    ({"type": "position", "rules": "yote", "moves": [3]}, "moves must be a list"),
    ({"type": "position", "rules": "yote", "moves": ["@c3", "@c3"]}, "move 2: @c3 is not legal"),
    ({"type": "position", "rules": "yote", "moves": ["c3"]}, "move 1: invalid action 'c3'"),
    ({"type": "position", "rules": "yote", "moves": ["@c3"] * 2001}, "at most 2000"),
    ({"type": "position", "rules": "yote", "yfen": "6/6/6/6/C5 b 0/0", "moves": ["--"]}, "move 1, --: the game is over (1-0)"),
    ({"type": "analyse", "rules": "yote", "yfen": "6/6/6/6/C5 b 0/0"}, "the game is over (1-0)"),
    ({"type": "analyse", "rules": "yote", "lines": 0}, f"lines must be 1 to {MAX_LINES}"),
    ({"type": "analyse", "rules": "yote", "lines": "3"}, "lines must be an int"),
    ({"type": "analyse", "rules": "yote", "depth": 0}, "depth must be 1 to 128"),
    ({"type": "analyse", "rules": "yote", "seconds": -1}, "time must be more than 0"),
    ({"type": "analyse", "rules": "yote", "seconds": "soon"}, "time must be a number"),
    ({"type": "setup", "rules": "yote"}, "a setup must be an object"),
    ({"type": "setup", "rules": "yote", "setup": {}}, "a setup is malformed"),
    ({"type": "rules", "preset": "go", "values": {}}, "unknown preset 'go'"),
    ({"type": "rules", "preset": "yote", "values": {"speed": 3}}, "values must be an object of rule options"),
    ({"type": "rules", "preset": "yote", "values": {"rows": 99}}, "rows must be 2 to 18"),
    ({"type": "rules", "preset": "yote", "values": {"rows": "5"}}, "rows must be an int"),
    ({"type": "rules", "preset": "choko", "values": {"chain_capture": True}}, "not allowed together"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "reason"), REFUSED)
def test_refusals_name_the_reason(session: WebSocketTestSession, message: dict[str, Any], reason: str) -> None:
    text = refusal(session, **message)
    assert reason in text
    assert len(text) <= 400
    assert ask(session, type="position", rules="yote")["type"] == "position"


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "3", "null", '"x"', "[" * 30_000, "1" * 5000, '{"type": NaN}', '{"a":'])
def test_what_is_no_message(session: WebSocketTestSession, text: str) -> None:
    session.send_text(text)
    answer = session.receive_json()
    assert (answer["type"], answer["id"]) == ("error", None)
    session.send_bytes(text.encode())
    assert session.receive_json()["message"] == "messages are text, not bytes"
    assert ask(session, type="position", rules="yote")["type"] == "position"


def test_messages_that_are_too_long_end_the_session(client: TestClient) -> None:
    with joined(client) as session:
        session.send_text("x" * (MAX_MESSAGE + 1))
        with pytest.raises(WebSocketDisconnect) as ended:
            session.receive_text()
        assert ended.value.code == 1009


def test_positions_with_too_many_moves(session: WebSocketTestSession) -> None:
    """Millions of removals after a chain: counting them is given up in time."""
    rules = "yote+rows=6+cols=6+pieces=20+chain_capture+chain_removal=each+optional_removal+second_removal=board_or_hand"
    yfen = "6/1c1c2/c1c1c1/1c1c2/c1c1c1/Cc1c2 w 5/8"
    for question in ("position", "analyse"):
        assert "more than 20,000 legal moves" in refusal(session, type=question, rules=rules, yfen=yfen)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
NEARLY = st.fixed_dictionaries(
    {"type": st.sampled_from(["position", "analyse", "stop", "setup", "rules"]) | JSON},
    optional={
        "rules": st.sampled_from([*RULES, "yote+rows=2+cols=2", "challenges+pieces=1"]) | JSON,
        "yfen": st.sampled_from([None, CAPTURE, "5/5/2C2/5/c4 w 2/0 !"]) | JSON,
        "moves": st.lists(st.sampled_from(["@c3", "c3-c4", "R@a1", "--", "=b2c3"]) | JSON, max_size=3) | JSON,
        "setup": st.fixed_dictionaries(dict.fromkeys(describe_setup(yf.Board().setup()), JSON)) | JSON,
        "preset": st.sampled_from(["yote", "choko"]) | JSON,
        "values": st.dictionaries(st.sampled_from(["rows", "cols", "pieces", "no_moves"]), JSON, max_size=3) | JSON,
        "lines": st.integers(-1, 12) | JSON,
        "depth": st.integers(-1, 3) | JSON,
        "seconds": st.sampled_from([0.01]) | JSON,
        "id": JSON,
    },
)


@given(st.lists(JSON | NEARLY, max_size=6))
@settings(max_examples=40)
def test_garbage_is_answered_and_forgotten(client: TestClient, messages: list[Any]) -> None:
    with joined(client) as session:
        for message in messages:
            session.send_text(json.dumps(message))
        session.send_json({"type": "position", "rules": "yote", "id": 987654321})
        while True:
            answer = session.receive_json()
            assert answer["type"] in {"error", "position", "lines", "setup", "rules"}
            if answer["id"] == 987654321 and answer["type"] == "position":
                break


# Setting up -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*RULES, "challenges+drop_initiative"])
def test_setups_come_back_as_they_were(rules: str) -> None:
    board = yf.Board(rules=yf.Rules.parse(rules))
    for _ in play(board, seed=5, plies=80):
        setup = describe_setup(board.setup())
        random.Random(1).shuffle(setup["routes"])
        setup["routes"] = [route[::-1] for route in setup["routes"]]
        assert read_setup(board.rules, json.loads(json.dumps(setup))).yfen() == board.yfen()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"board": "C" * 29}, "field BOARD"),
        ({"board": "X" * 30}, "field BOARD"),
        ({"board": "C" * 30}, "white has 42 pieces"),
        ({"hands": [13, 0]}, "white has 13 pieces"),
        ({"hands": [-1, 0]}, "numbers must be 0 to 99"),
        ({"hands": [1e9, 0]}, "a setup is malformed"),
        ({"hands": [10**9, 0]}, "numbers must be 0 to 99"),
        ({"hands": [1]}, "not enough values"),
        ({"royals": [True, False]}, "royal"),
        ({"royals": [1, 0]}, "a setup is malformed"),
        ({"must_drop": True}, "field DROP"),
        ({"routes": [[0, 7]]}, "fields ROUTES and PHASE"),
        ({"routes": [[0, 99]]}, "squares are 0 to 29"),
        ({"routes": 3}, "a setup is malformed"),
        ({"phase": None}, "a setup is malformed"),
        ({"phase": {"placed": False, "moved": False, "actor": 3, "bonus": False}}, "fields ROUTES and PHASE"),
    ],
)
def test_setups_that_are_refused(session: WebSocketTestSession, change: dict[str, Any], reason: str) -> None:
    setup = {**describe_setup(yf.Board().setup()), **change}
    assert reason in refusal(session, type="setup", rules="yote", setup=setup)


def test_the_form_covers_all_rules() -> None:
    form = rules_form()
    names = [option["name"] for option in form["options"]]
    assert [preset["name"] for preset in form["presets"]] == list(yf.PRESETS)
    for preset in form["presets"]:
        assert list(preset["values"]) == names
        assert yf.Rules(**preset["values"]) == yf.PRESETS[preset["name"]]
    for name, choices in CHOICES.items():
        for choice in choices:
            assert yf.Rules.parse(f"yote+{name}={choice}")
        with pytest.raises(ValueError, match=", ".join(map(repr, choices))):
            yf.Rules.parse(f"yote+{name}=x")
    for name, (low, high) in BOUNDS.items():
        smallest = "rows" if name == "cols" else "cols"
        for value in (low, high):
            yf.Rules.parse(f"yote+{name}={value}" + (f"+{smallest}=2" if name in ("rows", "cols") else ""))
        with pytest.raises(ValueError, match=name):
            yf.Rules.parse(f"yote+{name}={low - 1 if low else 10**9}")


def test_rules_are_written_short(session: WebSocketTestSession) -> None:
    answer = ask(session, type="rules", preset="yote", values={"cols": 5, "drop_initiative": True, "mandatory_capture": True})
    assert answer["rules"] == "choko+mandatory_capture"


# Exact values ---------------------------------------------------------------------------------------------------------------------


class Proofs:
    """Stands in for endgame tables: knows what a short search proves."""

    def get_wdl(self, board: yf.Board, default: Any = None) -> Any:
        score = yf.analyse(board, yf.Limit(depth=4), hash_mb=1).score
        return default if score is None or not score.is_proven() else 1 if score.win_in else -1


def test_exact_values() -> None:
    with serve(tablebase=Proofs()) as client, joined(client) as session:
        exact = ask(session, type="position", rules="yote", yfen=WON_SOON)["position"]["exact"]
        assert exact["value"] == 1
        assert exact["moves"]["b1-b2"] == 1
        assert set(exact["moves"]) <= {str(move) for move in yf.Board(WON_SOON).legal_moves}
        black = "6/6/c5/6/Ccc3 b 0/0"
        assert ask(session, type="position", rules="yote", yfen=black)["position"]["exact"]["value"] == -1
        # A capture that ends the game is exact without any table.
        last = ask(session, type="position", rules="yote", yfen="6/6/6/6/Cc4 w 0/0")["position"]["exact"]
        assert last["moves"]["a1xc1"] == 1
        assert ask(session, type="position", rules="yote")["position"]["exact"] is None


def test_no_tables_no_values() -> None:
    assert describe(play_moves("yote", WON_SOON, []), None)["exact"] is None


# Analysis -------------------------------------------------------------------------------------------------------------------------


def lines_until_done(session: WebSocketTestSession) -> list[dict[str, Any]]:
    found = []
    while not found or not found[-1]["done"]:
        answer = session.receive_json()
        assert answer["type"] == "lines", answer
        found.append(answer)
    return found


@pytest.mark.parametrize("rules", RULES)
def test_analysis(session: WebSocketTestSession, rules: str) -> None:
    board = play_all(yf.Board(rules=yf.Rules.parse(rules)), seed=2, plies=9)
    moves = [str(move) for move in board.move_stack]
    session.send_json({"type": "analyse", "id": 7, "rules": rules, "moves": moves, "lines": 3, "depth": 4, "seconds": PATIENCE})
    found = lines_until_done(session)
    assert all(answer["id"] == 7 for answer in found)
    assert [answer["lines"][0]["depth"] for answer in found] == sorted(answer["lines"][0]["depth"] for answer in found)
    last = found[-1]
    assert last["error"] is None
    assert last["nodes"] > 0
    assert len(last["lines"]) == min(3, len(board.legal_moves))
    assert len({line["pv"][0] for line in last["lines"]}) == len(last["lines"])
    sign = 1 if board.turn else -1
    chances = [sign * line["score"]["chance"] for line in last["lines"]]
    assert chances == sorted(chances, reverse=True)
    for line in last["lines"]:
        at = board.copy()
        for text, side in zip(line["pv"], line["sides"], strict=True):
            assert side == ("w" if at.turn else "b")
            at.push_text(text)


def test_proven_scores_are_whites(session: WebSocketTestSession) -> None:
    for yfen, key in ((WON_SOON, "win_in"), ("6/6/c5/6/Ccc3 b 0/0", "loss_in")):
        session.send_json({"type": "analyse", "id": 1, "rules": "yote", "yfen": yfen, "depth": 5})
        score = lines_until_done(session)[-1]["lines"][0]["score"]
        assert score[key] == 3
        assert score["hundredths"] is None
        assert score["chance"] == (key == "win_in")


def test_a_new_analysis_replaces_the_old_one(client: TestClient) -> None:
    with joined(client) as session:
        for number in range(20):
            session.send_json({"type": "analyse", "id": number, "rules": "yote", "moves": ["@a1", "@b1", "@c1"][: number % 4]})
        while session.receive_json()["id"] != 19:
            pass
        assert client.get("/api/status").json()["searching"] == 1
        session.send_json({"type": "stop"})
        wait_until(lambda: client.get("/api/status").json()["searching"] == 0)
        # And nothing more is said about it: what comes next is the answer to the next question.
        while (answer := ask_any(session))["type"] != "position":
            assert answer["type"] == "lines"


def ask_any(session: WebSocketTestSession) -> dict[str, Any]:
    session.send_json({"type": "position", "rules": "yote", "id": 1})
    answer: dict[str, Any] = session.receive_json()
    return answer


def test_searches_end_with_their_clients(client: TestClient) -> None:
    with joined(client) as session:
        session.send_json({"type": "analyse", "id": 1, "rules": "yote"})
        assert session.receive_json()["type"] == "lines"
        assert client.get("/api/status").json() | {"version": ""} == {
            "version": "", "clients": 1, "most_clients": 50, "searching": 1, "waiting": 0
        }  # fmt: skip
    assert wait_until(lambda: client.get("/api/status").json()["clients"] == client.get("/api/status").json()["searching"] == 0) < 5


def test_a_full_server_refuses_clearly() -> None:
    with serve(clients=2) as client, joined(client):
        with joined(client), client.websocket_connect(SESSION) as third:
            assert third.receive_json() == {
                "type": "refused",
                "message": "The server is full: it takes 2 clients at a time. Try again later.",
            }
            with pytest.raises(WebSocketDisconnect) as ended:
                third.receive_text()
            assert ended.value.code == 1013
        wait_until(lambda: client.get("/api/status").json()["clients"] == 1)
        with joined(client):
            pass


def test_what_a_client_may_have_is_bounded() -> None:
    with serve(depth=3, seconds=5.0) as client, joined(client) as session:
        session.send_json({"type": "analyse", "id": 1, "rules": "yote", "depth": 9, "seconds": 1000})
        assert lines_until_done(session)[-1]["lines"][0]["depth"] == 3


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"clients": 0}, "clients must be 1 to"),
        ({"threads": 0}, "threads must be 1 to 256"),
        ({"hash_mb": 0}, "hash must be 1 to"),
        ({"depth": 0}, "depth must be 1 to 128"),
        ({"seconds": 0}, "time must be more than 0"),
    ],
)
def test_bad_settings(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Settings(**settings)


# Sharing the processors -----------------------------------------------------------------------------------------------------------


def analyses(scheduler: Scheduler, number: int, reports: dict[int, list[Report]], **options: Any) -> list[Analysis]:
    made = []
    for i in range(number):
        board = yf.Board(rules=yf.Rules.parse(RULES[i % len(RULES)]))
        values: dict[str, Any] = {"lines": 2, "depth": 128, "seconds": 600.0, **options}
        made.append(Analysis(Client(1), board, on_report=reports.setdefault(i, []).append, **values))
        scheduler.submit(made[-1])
    return made


async def until(condition: Any) -> None:
    deadline = time.monotonic() + 3 * PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


def test_fifty_clients_on_two_threads() -> None:
    """Each gets its first lines in the first round, and nobody starves in the next ones."""

    async def work() -> None:
        scheduler = Scheduler(2)
        reports: dict[int, list[Report]] = {}
        many = analyses(scheduler, 50, reports)
        assert (scheduler.running, scheduler.waiting) == (2, 48)
        for least in (FIRST_SLICE, 2 * FIRST_SLICE, 8 * FIRST_SLICE):
            await until(lambda least=least: all(reports.values()) and all(one.slice_seconds >= least for one in many))
            # Nobody is more than a round or two ahead of anybody.
            assert max(one.slice_seconds for one in many) <= 4 * least
        assert all(reports[i][-1].lines[0].depth >= 1 for i in range(50))
        await scheduler.close()
        assert (scheduler.running, scheduler.waiting) == (0, 0)

    asyncio.run(work())


def test_a_new_position_goes_before_long_searches() -> None:
    async def work() -> None:
        scheduler = Scheduler(1)
        reports: dict[int, list[Report]] = {}
        [long] = analyses(scheduler, 1, reports)
        await until(lambda: reports[0] and reports[0][-1].seconds > 5 * FIRST_SLICE)
        # It has not been broken off, as nobody waited.
        assert long.used == 0
        late: list[Report] = []
        scheduler.submit(Analysis(Client(1), yf.Board(), 1, 128, 600.0, late.append))
        await until(lambda: late)
        assert long.used > 0
        # Both go on by turns.
        seen = len(reports[0])
        await until(lambda: len(reports[0]) > seen)
        await scheduler.close()

    asyncio.run(work())


def test_express_is_rare() -> None:
    """A client that asks again and again does not push the others aside."""

    async def work() -> None:
        scheduler = Scheduler(1)
        others: dict[int, list[Report]] = {}
        analyses(scheduler, 3, others)
        client = Client(1)
        started = time.perf_counter()
        express = 0
        while time.perf_counter() - started < 2.5 * EXPRESS_EVERY:
            before = client.next_express
            analysis = Analysis(client, yf.Board(), 1, 128, 600.0, id)
            scheduler.submit(analysis)
            express += client.next_express != before
            await asyncio.sleep(0.01)
            scheduler.cancel(analysis)
        assert 1 <= express <= 1 + (time.perf_counter() - started) / EXPRESS_EVERY
        assert all(others.values())
        await scheduler.close()

    asyncio.run(work())


def test_limits_and_proofs_end_an_analysis() -> None:
    async def work() -> None:
        scheduler = Scheduler(1)
        for board, options in ((yf.Board(), {"depth": 3}), (yf.Board(), {"seconds": 0.05}), (yf.Board(WON_SOON), {})):
            reports: list[Report] = []
            values: dict[str, Any] = {"lines": 1, "depth": 128, "seconds": 600.0, **options}
            scheduler.submit(Analysis(Client(1), board, on_report=reports.append, **values))
            await until(lambda reports=reports: reports and reports[-1].done)
            assert reports[-1].error is None
            assert reports[-1].lines
            assert (scheduler.running, scheduler.waiting) == (0, 0)
        await scheduler.close()

    asyncio.run(work())


def test_failures_are_reported() -> None:
    async def work() -> None:
        scheduler = Scheduler(1)
        reports: list[Report] = []
        scheduler.submit(Analysis(Client(1), yf.Board("6/6/6/6/C5 b 0/0"), 1, 5, 1.0, reports.append))
        await until(lambda: reports)
        assert reports[-1].done
        assert "the game is over" in (reports[-1].error or "")
        await scheduler.close()

    asyncio.run(work())


# The command ----------------------------------------------------------------------------------------------------------------------


def test_a_server_of_its_own() -> None:
    with serving("--hash", "1") as address:
        with urllib.request.urlopen(address) as page:
            assert b"Yot\xc3\xa9 analysis board" in page.read()
        with urllib.request.urlopen(address + "api/status") as status:
            assert json.load(status)["clients"] == 0


@given(st.lists(st.binary(max_size=200) | st.sampled_from([b"GET / HTTP/1.1\r\n", b"Host: localhost\r\n", b"\r\n"]), max_size=8))
@settings(max_examples=40)
def test_bytes_that_are_no_request(noisy: str, chunks: list[bytes]) -> None:
    port = int(re.findall(r":(\d+)/", noisy)[0])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        try:
            connection.sendall(b"".join(chunks))
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
        except (ConnectionResetError, BrokenPipeError):
            pass
    with urllib.request.urlopen(noisy + "api/status") as status:
        assert status.status == 200


def test_endless_headers_are_refused(noisy: str) -> None:
    port = int(re.findall(r":(\d+)/", noisy)[0])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000)
        try:
            answer = connection.recv(4096)
        except ConnectionResetError:
            answer = b""
    assert answer[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431", b"")


@pytest.fixture(scope="module")
def noisy() -> Iterator[str]:
    with serving("--hash", "1") as address:
        yield address


@needs_ctrl_c
def test_ctrl_c() -> None:
    ended = interrupt("-m", "yote_fast", "serve", "--port", "0", ready="Ctrl-C stops")
    assert (ended.status, ended.stderr) == (0, "")


@needs_ctrl_c
def test_ctrl_c_during_an_analysis() -> None:
    with start("-m", "yote_fast", "serve", "--port", "0", "--hash", "1") as process:
        assert process.stdout is not None
        address = process.stdout.readline().decode().split()[-1]
        with connect(address.replace("http", "ws") + "api/session") as session:
            session.send(json.dumps({"type": "analyse", "rules": "yote"}))
            while json.loads(session.recv())["type"] != "lines":
                pass
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=PATIENCE)
        assert (process.returncode, stderr) == (0, b"")


def test_a_client_that_vanishes() -> None:
    """Without a goodbye its search ends as well."""
    with serving("--hash", "1") as address, connect(address.replace("http", "ws") + "api/session") as session:
        session.send(json.dumps({"type": "analyse", "rules": "yote"}))
        while json.loads(session.recv())["type"] != "lines":
            pass
        session.socket.shutdown(socket.SHUT_RDWR)

        def is_idle() -> bool:
            with urllib.request.urlopen(address + "api/status") as status:
                found = json.load(status)
            return bool(found["clients"] == found["searching"] == 0)

        wait_until(is_idle)


def test_a_message_that_is_too_long_for_the_server() -> None:
    with serving("--hash", "1") as address, connect(address.replace("http", "ws") + "api/session") as session:
        assert json.loads(session.recv())["type"] == "hello"

        def send_too_much() -> None:
            session.send("x" * 1_000_000)
            session.recv()

        with pytest.raises(ConnectionClosed) as ended:
            send_too_much()
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1009


def test_a_missing_extra_is_named() -> None:
    program = "import sys; sys.modules['uvicorn'] = None; sys.argv = ['yote', 'serve']; from yote_fast.cli import main; main()"
    ended = run("-c", program)
    assert (ended.status, ended.stderr) == (
        2,
        "yote: the analysis board needs more libraries (uvicorn): pip install yote-fast[web]\n",
    )


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("-m", "yote_fast", "serve", "--port", str(port))
        assert ended.status == 2
        assert ended.stderr.startswith(f"yote: cannot listen on 127.0.0.1 port {port}: ")
        assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--port", "70000"], "70000 is not in the range"),
        (["--clients", "0"], "clients must be 1 to"),
        (["--hash", "0"], "hash must be 1 to"),
        (["--threads", "0"], "threads must be 1 to"),
        (["--time", "0"], "time must be more than 0"),
        (["--depth", "999"], "depth must be 1 to 128"),
        (["--token", "short"], "the token must have 8 to 200 characters"),
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
    ],
)
def test_bad_options(arguments: list[str], reason: str) -> None:
    ended = run("-m", "yote_fast", "serve", *arguments)
    assert ended.status == 2
    assert reason in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("options", [("--host", "0.0.0.0"), ("--allow-host", "board.example")])
def test_others_need_a_token(options: tuple[str, ...]) -> None:
    with serving("--hash", "1", *options) as address:
        base, token = address.split("?token=")
        assert len(token) >= 16
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(base)
        refused.value.close()
