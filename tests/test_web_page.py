"""The analysis board in a browser: everything by clicks, taps or keys, compared with the board that the same moves lead to."""

from __future__ import annotations

import json
import random
import re
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from browser import browsing, needs_browser, serving
from play import choose

import yote_fast as yf
from yote_fast.notation import HAND, square_name

pytestmark = [pytest.mark.slow, needs_browser]

NAMES = {"C": "white camel", "R": "white royal", "c": "black camel", "r": "black royal", None: "empty"}
WAIT_MS = 60_000


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("--hash", "2") as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as browser:
        yield browser


class Visit:
    """One page, open in the browser."""

    def __init__(self, browser: Any, address: str, *, engine: bool = False, **options: Any) -> None:
        self.address = address
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options})
        self.context.set_default_timeout(WAIT_MS)
        if not engine:
            self.context.add_init_script("try { localStorage.setItem('yote-engine', 'off') } catch {}")
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.requested: list[str] = []
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("request", lambda request: self.requested.append(request.url))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.problems.append(f"{kind}: {text}")

    def open(self, rules: str = "yote", yfen: str | None = None, moves: str = "") -> yf.Board:
        """Open a position by its link; returns the board that the page should show."""
        board = yf.Board(yfen, yf.Rules.parse(rules))
        for text in moves.split():
            board.push_text(text)
        fragment = f"rules={rules}" + (f"&yfen={yfen.replace(' ', '_')}" if yfen else "") + ("&moves=" + moves.replace(" ", "."))
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}#{fragment}")
        self.shows(board)
        return board

    # What is seen -----------------------------------------------------------------------------------------------------------------

    def shows(self, board: yf.Board) -> None:
        """Wait until the page shows the board's position."""
        rules = board.rules
        expected = [NAMES[board.piece_at(square)] for square in range(rules.squares)]
        hands = [[board.hand(side) - board.royal_in_hand(side) for side in (yf.WHITE, yf.BLACK)]]
        script = """([pieces, [hands], moves]) => {
            const labels = [...document.querySelectorAll(".hit")].map((hit) => [Number(hit.dataset.square), hit.getAttribute("aria-label").split(", ")[1]]);
            labels.sort((a, b) => a[0] - b[0]);
            const shown = (name) => [...document.querySelectorAll(".seat .hand")].some((hand) => hand.getAttribute("aria-label").startsWith(name));
            const played = /[#&]moves=([^&]*)/.exec(location.hash)?.[1] ?? "";
            return JSON.stringify(labels.map((label) => label[1])) === JSON.stringify(pieces)
                && shown(`White's hand: ${hands[0]} camel`) && shown(`Black's hand: ${hands[1]} camel`)
                && (moves === null || played === moves);
        }"""  # noqa: E501
        try:
            self.page.wait_for_function(script, arg=[expected, hands, ".".join(map(str, board.move_stack))])
        except Exception as error:
            shown = self.page.eval_on_selector_all(".hit", "hits => hits.map((hit) => hit.getAttribute('aria-label'))")
            banner = self.page.locator("#banner").inner_text()
            raise AssertionError(
                f"expected {board.yfen()} after {board.move_stack}; {self.page.url} {banner} shows {shown}"
            ) from error

    def text(self, selector: str) -> str:
        found: str = self.page.locator(selector).inner_text()
        return found

    def played(self) -> list[str]:
        found = re.search(r"[#&]moves=([^&]*)", self.page.url)
        return found[1].split(".") if found and found[1] else []

    # What is done -----------------------------------------------------------------------------------------------------------------

    def press(self, *names: str) -> None:
        """Click squares by name."""
        for name in names:
            self.page.locator(f'.hit[aria-label^="{name},"]').click()

    def button(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def enemy_hand(self, board: yf.Board) -> None:
        self.page.locator(f'.hand[aria-label^="{"Black" if board.turn else "White"}"][aria-label$="can be removed"]').click()

    def play(self, board: yf.Board, text: str) -> None:
        """Enter a move by clicks, and see that it was played."""
        pressed = board.copy()
        board.push_text(text)
        Clicks(self, pressed, text, len(board.move_stack)).enter()
        self.shows(board)


class Clicks:
    """The clicks of one move. The page plays it as soon as nothing is left to choose, which can be before the last click."""

    def __init__(self, visit: Visit, board: yf.Board, text: str, plies: int) -> None:
        self.visit = visit
        self.board = board
        self.move = board.parse(text)
        self.text = text
        self.plies = plies

    def square(self, square: int) -> None:
        self.visit.press(square_name(square, self.board.rules.cols))

    def hand(self, royal: bool) -> None:
        side = "White" if self.board.turn else "Black"
        self.visit.page.locator(f'.hand[aria-label^="{side}\'s {"royal" if royal else "hand"}"]').click()

    def enemy_hand(self) -> None:
        self.visit.enemy_hand(self.board)

    def button(self, name: str) -> None:
        self.visit.button(name)

    def is_played(self) -> bool:
        """Whether the move is complete."""
        self.visit.page.wait_for_selector("#board[aria-busy=false]")
        return len(self.visit.played()) >= self.plies

    def enter(self) -> None:
        action = self.move.action
        match action.kind:
            case "@":
                self.square(action.squares[0])
            case "R@":
                self.hand(royal=True)
                self.square(action.squares[0])
            case "=":
                self.button("Place a route")
                for square in action.squares:
                    self.square(square)
            case "--":
                self.button("End turn" if self.board.setup().phase.actor is not None else "Pass")
            case _:
                self._go()

    def _go(self) -> None:
        action = self.move.action
        self.square(action.squares[0])
        self.square(action.squares[1])
        ends = action.squares[:2]
        same_squares = {move.action.kind for move in self.board.legal_moves if len(ends) == 2 and move.action.squares[:2] == ends}
        if len(same_squares - {"="}) > 1:
            self.button({"-": "Step or leap", "~": "Free move", "x": "Capture"}[action.kind])
        for i, removed in enumerate(action.removals):
            if i and not self.is_played():
                self.square(action.squares[i + 1])
            for square in removed:
                if self.is_played():
                    return
                if square == HAND:
                    self.enemy_hand()
                else:
                    self.square(square)
        if action.kind == "x" and not self.is_played():
            self.button("Done")


class Keys(Clicks):
    """The same with keys alone."""

    def square(self, square: int) -> None:
        cols = self.board.rules.cols
        keyboard = self.visit.page.keyboard
        active = "document.activeElement.dataset.square ?? null"
        if self.visit.page.evaluate(active) is None:
            for _ in range(60):
                keyboard.press("Tab")
                if self.visit.page.evaluate(active) is not None:
                    break
        at = int(self.visit.page.evaluate(active))
        rows, columns = square // cols - at // cols, square % cols - at % cols
        for key, times in (("ArrowUp", rows), ("ArrowDown", -rows), ("ArrowRight", columns), ("ArrowLeft", -columns)):
            for _ in range(times):
                keyboard.press(key)
        keyboard.press("Enter")

    def hand(self, royal: bool) -> None:
        self.visit.page.keyboard.press("r" if royal else "h")

    def enemy_hand(self) -> None:
        self.visit.page.keyboard.press("o")

    def button(self, name: str) -> None:
        self.visit.page.keyboard.press({"Place a route": "p"}.get(name, "d"))


@pytest.fixture
def visit(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Visit]:
    visit = Visit(browser, address, engine="engine_on" in request.fixturenames)
    yield visit
    visit.context.close()
    assert visit.problems == []
    # It works offline: nothing comes from elsewhere.
    assert [url for url in visit.requested if not url.startswith((address, "about:"))] == []


@pytest.fixture
def engine_on() -> None:
    """The engine analyses; elsewhere it is off, as it makes everything slower."""


# Moves ----------------------------------------------------------------------------------------------------------------------------


def test_drop_step_and_undo(visit: Visit) -> None:
    board = visit.open()
    visit.press("c3")
    board.push_text("@c3")
    visit.shows(board)
    visit.play(board, "@d4")
    visit.press("c3", "c4")
    board.push_text("c3-c4")
    visit.shows(board)
    assert visit.page.locator("#spoken").text_content() == "c3-c4. Black to move"
    visit.page.locator("#undo").click()
    board.pop()
    visit.shows(board)
    visit.page.keyboard.press("Backspace")
    board.pop()
    visit.shows(board)


def test_capture_and_second_removal(visit: Visit) -> None:
    board = visit.open("yote", "6/2c3/2C3/4c1/1c4 w 8/7")
    visit.press("c3", "c5")
    assert visit.text("#prompt-text") == "Click a piece to remove."
    assert visit.page.locator(".mark-removal").count() == 2
    visit.press("e2")
    board.push_text("c3xc5/e2")
    visit.shows(board)
    assert visit.page.locator(".cross-last").count() == 2


def test_a_move_begun_is_taken_back(visit: Visit) -> None:
    board = visit.open("yote", "6/2c3/2C3/4c1/1c4 w 8/7")
    visit.press("c3", "c5")
    visit.button("Cancel")
    visit.shows(board)
    visit.press("c3", "c5")
    visit.page.keyboard.press("Escape")
    visit.press("c3", "c3", "c2")
    board.push_text("@c2")
    visit.shows(board)


def test_removal_from_the_hand_by_choice(visit: Visit) -> None:
    board = visit.open("yote+second_removal=board_or_hand", "6/2c3/2C3/4c1/1c4 w 8/7")
    visit.press("c3", "c5")
    visit.enemy_hand(board)
    board.push_text("c3xc5/*")
    visit.shows(board)


def test_pieces_are_dragged(visit: Visit) -> None:
    board = visit.open("yote", "6/6/2C3/6/5c w 8/7")
    source, target = (visit.page.locator(f'.hit[aria-label^="{name},"]') for name in ("c3", "c4"))
    source.drag_to(target)
    board.push_text("c3-c4")
    visit.shows(board)
    # Nothing follows the mouse afterwards, nor after a click.
    visit.play(board, "@a1")
    visit.press("c4")
    visit.page.mouse.move(300, 300)
    assert visit.page.locator(".layer-drag > *, .dragged").count() == 0
    visit.press("c5")
    board.push_text("c4-c5")
    visit.shows(board)


CHAIN = "1c4/4c1/6/2c3/Cc4 w 8/7"


@pytest.mark.parametrize(
    ("rules", "yfen", "text"),
    [
        ("yote+chain_capture", CHAIN, "a1xc1xc3/e4,b5"),
        ("yote+chain_capture", CHAIN, "a1xc1/e4"),
        ("yote+chain_capture+mandatory_capture", CHAIN, "a1xc1xc3/e4,b5"),
        ("yote+chain_capture+chain_removal=each", CHAIN, "a1xc1/b5xc3/e4"),
        ("yote+chain_capture+chain_removal=each", CHAIN, "a1xc1/b5"),
        ("yote+chain_capture+chain_removal=each", "6/4c1/2c3/2c3/Cc4 w 8/7", "a1xc1/c3xc3/e4"),
        ("yote+chain_capture+optional_removal", CHAIN, "a1xc1xc3"),
        ("yote+chain_capture+optional_removal", CHAIN, "a1xc1xc3/b5"),
        ("yote+chain_capture+second_removal=board_or_hand", CHAIN, "a1xc1xc3/b5,*"),
        ("yote+chain_capture+second_removal=board_or_hand", CHAIN, "a1xc1xc3/*,*"),
        ("yote+optional_removal", "6/2c3/2C3/4c1/1c4 w 8/7", "c3xc5"),
    ],
)
def test_chains(visit: Visit, rules: str, yfen: str, text: str) -> None:
    visit.play(visit.open(rules, yfen), text)


def test_a_drop_that_choko_forces(visit: Visit) -> None:
    board = visit.open("choko", moves="@c3 @b2 c3-c4 @d4")
    assert "must drop" in visit.text("#status")
    assert visit.text("#seat-bottom .must") == "must drop"
    visit.press("c4", "c5")
    board.push_text("@c5")
    visit.shows(board)
    assert visit.page.locator(".must").count() == 0


def test_routes(visit: Visit) -> None:
    board = visit.open("challenges")
    for text in ("=b2c3", "@c3", "--", "@d4", "--", "c3~b2", "b2-b3", "--"):
        visit.play(board, text)
    assert visit.page.locator("#board .route").count() == 1


ROUTES = "b1a2,c1b2,b2c3,d2c3,d2e3,e2f3,f3e4,c4b5"


@pytest.mark.parametrize(
    ("yfen", "text"),
    [
        ("6/4CC/6/ccc3/c5 b 6/0", "b2-d2"),
        ("6/4CC/6/ccc3/c5 b 6/0", "b2~d2"),
        ("6/3Cc1/4C1/6/6 b 10/7", "e4~e2"),
        ("6/3Cc1/4C1/6/6 b 10/7", "e4xe2/d4"),
    ],
)
def test_kinds_with_the_same_squares(visit: Visit, yfen: str, text: str) -> None:
    board = visit.open("challenges+friendly_leap+trade_routes=4", f"{yfen} - 0/0:{ROUTES}")
    visit.play(board, text)


RANDOM_RULES = [
    "yote",
    "choko+mandatory_capture",
    "heroes+bonus_turn",
    "challenges",
    "challenges+chain_capture+friendly_leap+royal_caravan+optional_removal",
    "heroes+chain_capture+chain_removal=each+second_removal=board_or_hand",
    "yote+rows=3+cols=3+pieces=5+no_moves=pass",
    "challenges+trade_routes=4+rows=4+cols=4+friendly_leap",
]


@pytest.mark.parametrize("rules", RANDOM_RULES)
def test_random_games(visit: Visit, rules: str) -> None:
    chance = random.Random(rules)
    board = visit.open(rules)
    for _ in range(30):
        if board.is_game_over():
            break
        visit.play(board, str(choose(board, chance)))


def test_a_whole_game_with_keys_alone(visit: Visit) -> None:
    rules = "heroes+rows=3+cols=3+pieces=4+mandatory_capture+second_removal=board_or_hand"
    chance = random.Random(4)
    board = visit.open(rules)
    while not board.is_game_over():
        move = choose(board, chance)
        before = board.copy()
        board.push(move)
        Keys(visit, before, str(move), board.ply()).enter()
        visit.shows(board)
    assert visit.text("#status").startswith({"1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "Draw"}[board.result()])


def test_taps(browser: Any, address: str) -> None:
    visit = Visit(browser, address, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    board = visit.open("yote", "6/2c3/2C3/4c1/1c4 w 8/7")
    for name in ("c3", "c5", "b1"):
        visit.page.locator(f'.hit[aria-label^="{name},"]').tap()
    board.push_text("c3xc5/b1")
    visit.shows(board)
    # Nothing is wider than the screen.
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
    visit.context.close()
    assert visit.problems == []


def test_typed_moves(visit: Visit) -> None:
    board = visit.open()
    visit.page.keyboard.press("m")
    visit.page.keyboard.type("@c3\n")
    board.push_text("@c3")
    visit.shows(board)
    visit.page.keyboard.type("@c3\n")
    assert visit.page.evaluate("document.getElementById('move-text').validationMessage") == "@c3 is not a legal move here."
    visit.shows(board)


# Analysis -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("engine_on")
def test_lines_arrows_and_the_bar(visit: Visit) -> None:
    board = visit.open("yote", "6/2c3/2C3/4c1/1c4 w 8/7")
    visit.page.wait_for_function("() => document.querySelectorAll('#lines li').length === 3")
    visit.page.wait_for_function("() => document.querySelectorAll('.arrow').length === 3")
    assert visit.page.locator("#gauge").get_attribute("aria-valuetext")
    assert int(visit.page.locator("#gauge").get_attribute("aria-valuenow")) > 50
    visit.page.locator("#line-count").select_option("1")
    visit.page.wait_for_function("() => document.querySelectorAll('#lines li').length === 1")
    visit.page.keyboard.press("Escape")
    best = visit.text("#lines li:first-child .pv:first-child")
    visit.page.locator("#lines li:first-child .pv").first.click()
    visit.page.wait_for_function("() => /moves=./.test(location.hash)")
    # The line may have changed between the look and the click, but not to anything illegal.
    assert visit.played()[0] in {str(move) for move in board.legal_moves}, best
    visit.page.locator("#engine-on").uncheck(force=True)
    visit.page.wait_for_function("() => document.querySelectorAll('#lines li, .arrow').length === 0")


@pytest.mark.usefixtures("engine_on")
def test_a_proven_win(visit: Visit) -> None:
    board = visit.open("yote", "6/6/C5/6/cCC3 w 0/0")
    visit.page.wait_for_function("() => document.getElementById('effort').textContent.startsWith('White wins in 3')")
    assert visit.text("#score") == "1-0 in 3"
    visit.page.locator("body").press(" ")
    visit.page.wait_for_function("() => /moves=./.test(location.hash)")
    board.push_text(visit.played()[0])
    visit.shows(board)


def test_the_search_ends_with_the_page(browser: Any, address: str) -> None:
    visit = Visit(browser, address, engine=True)
    visit.open()
    visit.page.wait_for_function("() => document.querySelectorAll('#lines li').length === 3")
    assert status(address)["searching"] == 1
    visit.context.close()
    idle = {"version": "", "clients": 0, "most_clients": 50, "searching": 0, "waiting": 0}
    deadline = time.monotonic() + 5
    # The client is gone a moment before its search is.
    while (left := status(address) | {"version": ""}) != idle and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == idle


def status(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(address + "api/status") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_playing_the_engine(visit: Visit) -> None:
    visit.open("choko")
    visit.button("Play engine")
    visit.page.get_by_label("Black", exact=True).check()
    visit.page.get_by_label("a blink").check()
    visit.page.locator("#play-dialog").get_by_role("button", name="Play", exact=True).click()
    visit.page.wait_for_function("() => /moves=@/.test(location.hash)")
    board = yf.Board(rules=yf.CHOKO)
    for _ in range(3):
        board.push_text(visit.played()[-1])
        visit.shows(board)
        reply = next(iter(board.legal_moves))
        board.push(reply)
        visit.press(square_name(reply.action.squares[0], 5))
        visit.page.wait_for_function(f"() => location.hash.split('.').length === {board.ply() + 1}")
    board.push_text(visit.played()[-1])
    visit.shows(board)
    # Undo takes the engine's move and the own one back.
    visit.page.locator("#undo").click()
    board.pop()
    board.pop()
    visit.shows(board)
    visit.button("Stop playing")
    assert not visit.page.locator("#playing").is_visible()


# The game -------------------------------------------------------------------------------------------------------------------------


def test_variations_and_the_move_list(visit: Visit) -> None:
    board = visit.open("yote", moves="@c3 @d4 c3-c4")
    visit.page.locator("#previous").click()
    visit.page.wait_for_function("() => location.hash.includes('at=2')")
    visit.press("a1")
    branch = yf.Board()
    for text in ("@c3", "@d4", "@a1"):
        branch.push_text(text)
    visit.shows(branch)
    assert visit.page.locator(".variations .move.current").inner_text() == "@a1"
    visit.page.locator("#promote").click()
    assert visit.page.locator(".variations .move").inner_text() == "c3-c4"
    visit.page.locator(".variations .move").click()
    visit.shows(board)
    visit.page.keyboard.press("Home")
    visit.page.wait_for_function("() => location.hash.includes('at=0')")
    visit.page.keyboard.press("End")
    visit.shows(branch)


def test_sharing_and_loading(visit: Visit) -> None:
    visit.open("challenges", moves="=b2c3 @c3 -- @d4")
    visit.page.locator("#previous").click()
    visit.page.wait_for_function("() => location.hash.includes('at=3')")
    visit.press("e5")
    visit.page.wait_for_function("() => location.hash.endsWith('@e5')")
    visit.button("Share")
    text = visit.page.locator("#share-text").input_value()
    assert text == '[Rules "challenges"]\n[Result "*"]\n\n1. =b2c3 @c3 -- @d4 (1... @e5) *\n'
    link = visit.page.locator("#share-link").input_value()
    assert link == f"{visit.address}#rules=challenges&moves==b2c3.@c3.--.@e5"
    shown = yf.Board(rules=yf.CHALLENGES)
    for move in ("=b2c3", "@c3", "--", "@e5"):
        shown.push_text(move)
    assert visit.page.locator("#share-yfen").input_value() == shown.yfen()
    visit.page.keyboard.press("Escape")
    visit.open("choko")
    visit.button("Share")
    visit.page.locator("#load-text").fill(text)
    visit.button("Load")
    visit.page.wait_for_function("() => location.hash.includes('challenges')")
    visit.button("Share")
    assert visit.page.locator("#share-text").input_value() == text
    visit.page.locator("#load-text").fill("@c3 @c3")
    visit.button("Load")
    visit.page.wait_for_function(
        "() => document.getElementById('load-text').validationMessage.startsWith('move 2: @c3 is not legal')"
    )
    visit.page.locator("#load-text").fill("6/2c3/2C3/4c1/1c4 w 8/7")
    visit.button("Load")
    visit.page.wait_for_function("() => document.getElementById('load-text').validationMessage.includes('field ROUTES')")


def test_broken_links(browser: Any, address: str) -> None:
    for fragment, message in [
        ("rules=checkers", "unknown rules 'checkers'"),
        ("nonsense", "The link is broken"),
        ("rules=yote&moves=@c3.@c3", "move 2: @c3 is not legal"),
        ("rules=yote&yfen=6/6_w", "invalid position"),
        ("rules=%E0%A4%A", "stray % sign"),
        ("rules=yote+rows=99", "rows must be 2 to 18"),
        ("moves=" + ".".join(["@a1"] * 2001), "at most 2000"),
    ]:
        visit = Visit(browser, address)
        visit.page.goto(f"{address}#{fragment}")
        visit.shows(yf.Board())
        assert message in visit.text("#banner")
        visit.button("Dismiss")
        assert not visit.page.locator("#banner").is_visible()
        visit.context.close()
        assert visit.problems == []


def test_setting_up(visit: Visit) -> None:
    visit.open("heroes")
    visit.button("Set up")
    visit.button("Empty board")
    visit.press("c3")
    visit.page.get_by_role("radio", name="Black camel").click()
    visit.press("c4", "e2", "a1", "a1")
    visit.page.get_by_role("radio", name="Black royal").click()
    visit.press("f5", "f1")
    for _ in range(2):
        visit.button("White's hand: one more")
    visit.page.locator("#editor").get_by_label("Black", exact=True).check()
    visit.page.wait_for_function("() => document.getElementById('editor-yfen').value === '6/2c3/2C3/4c1/5r b 2/0'")
    visit.button("Done")
    visit.shows(yf.Board("6/2c3/2C3/4c1/5r b 2/0", yf.HEROES))
    visit.page.wait_for_url(lambda url: "yfen=6/2c3/2C3/4c1/5r_b_2/0" in url)


def test_setting_up_what_is_not_allowed(visit: Visit) -> None:
    board = visit.open("yote")
    visit.button("Set up")
    visit.press("c3")
    visit.page.wait_for_function("() => document.getElementById('editor-error').textContent.includes('white has 13 pieces')")
    assert visit.page.locator("#editor-done").is_disabled()
    visit.button("Cancel")
    visit.shows(board)


def test_setting_up_routes(visit: Visit) -> None:
    visit.open("challenges")
    visit.button("Set up")
    visit.page.get_by_role("radio", name="Route").click()
    visit.press("b2", "c3", "c2", "b3")
    visit.page.wait_for_function("() => document.getElementById('editor-error').textContent.includes('at most 4')")
    for _ in range(2):
        visit.button("White's routes: one less")
    visit.page.wait_for_function("() => document.getElementById('editor-error').textContent.includes('meets another route')")
    visit.press("c2", "b3")
    visit.page.wait_for_function("() => document.getElementById('editor-yfen').value.endsWith('12/12 - 0/2:b2c3')")


def test_a_new_game_with_other_rules(visit: Visit) -> None:
    visit.open()
    visit.button("New game")
    visit.page.get_by_role("radio", name="Choko").click()
    visit.page.get_by_text("All rules").click()
    visit.page.get_by_label("Chain captures").check()
    visit.page.locator("#rules-dialog").get_by_role("button", name="Start").click()
    visit.page.wait_for_function("() => document.getElementById('rules-error').textContent.includes('not allowed together')")
    visit.page.get_by_label("Chain captures").uncheck()
    visit.page.get_by_label("Captures are mandatory").check()
    visit.page.locator("#rules-dialog").get_by_role("button", name="Start").click()
    visit.page.wait_for_function("() => location.hash.includes('choko+mandatory_capture')")
    visit.shows(yf.Board(rules=yf.Rules.parse("choko+mandatory_capture")))


# The page -------------------------------------------------------------------------------------------------------------------------


def test_flip_and_theme(visit: Visit) -> None:
    visit.open(moves="@a1")
    box = visit.page.locator('.hit[aria-label^="a1,"]').bounding_box()
    visit.page.keyboard.press("f")
    flipped = visit.page.locator('.hit[aria-label^="a1,"]').bounding_box()
    assert flipped["x"] > box["x"]
    assert flipped["y"] < box["y"]
    colour = "getComputedStyle(document.body).color"
    light = visit.page.evaluate(colour)
    visit.button("Light or dark")
    dark = visit.page.evaluate(colour)
    assert light != dark
    visit.page.reload()
    assert visit.page.evaluate(colour) == dark


def test_the_system_decides_between_light_and_dark(browser: Any, address: str) -> None:
    colours = []
    for scheme in ("light", "dark"):
        visit = Visit(browser, address, color_scheme=scheme)
        visit.open()
        colours.append(visit.page.evaluate("getComputedStyle(document.body).color"))
        visit.context.close()
        assert visit.problems == []
    assert len(set(colours)) == 2


UNNAMED = """() => [...document.querySelectorAll("button, input, select, textarea, a, [role=button], [role=radio], [role=meter]")]
    .filter((element) => element.checkVisibility())
    .filter((element) => !(element.getAttribute("aria-label") ?? "").trim())
    .filter((element) => !(element.matches("button") && element.textContent.trim()))
    .filter((element) => ![...(element.labels ?? [])].some((label) => label.textContent.trim()))
    .map((element) => element.outerHTML)"""


@pytest.mark.usefixtures("engine_on")
def test_every_control_has_a_name(visit: Visit) -> None:
    visit.open("challenges+royal_caravan", moves="=b2c3 @c3")
    visit.page.wait_for_function("() => document.querySelectorAll('#lines li').length > 0")
    assert visit.page.evaluate(UNNAMED) == []
    for name in ("New game", "Play engine", "Share", "Help"):
        visit.button(name)
        visit.page.wait_for_selector("dialog[open]")
        visit.page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
        assert visit.page.evaluate(UNNAMED) == []
        visit.page.keyboard.press("Escape")
    visit.button("Set up")
    assert visit.page.evaluate(UNNAMED) == []


def test_a_full_server_says_so(browser: Any) -> None:
    with serving("--clients", "1", "--hash", "1") as address:
        first, second = Visit(browser, address), Visit(browser, address)
        first.open()
        second.page.goto(address)
        second.page.wait_for_function("() => document.getElementById('banner').textContent.includes('The server is full')")
        first.context.close()
        # It comes in when there is room.
        second.page.wait_for_function("() => document.getElementById('banner').hidden")
        second.shows(yf.Board())
        second.context.close()
        assert first.problems == second.problems == []


def test_a_token(browser: Any) -> None:
    with serving("--token", "correct-horse") as address:
        assert address.endswith("/?token=correct-horse")
        visit = Visit(browser, address)
        visit.page.goto(f"{address}#rules=choko&moves=@c3")
        board = yf.Board(rules=yf.CHOKO)
        board.push_text("@c3")
        visit.shows(board)
        assert "token" not in visit.page.url
        visit.context.close()
        assert visit.problems == []
