"""Pictures: well formed, complete, alike from both sides, and clear about bad arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import run
from strategies import rules, setups

import yote_fast as yf
from yote_fast import svg
from yote_fast.notation import format_yfen

NS = "{http://www.w3.org/2000/svg}"
MIDDLE = "6/2c3/2C3/4c1/1c4 w 8/7"


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def elements(picture: str, tag: str, **attributes: str) -> list[ElementTree.Element]:
    """The elements of a tag with some attributes."""
    wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
    return [element for element in parsed(picture).iter(NS + tag) if wanted.items() <= element.attrib.items()]


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in elements(picture, "text")]


def discs(picture: str, side: str) -> int:
    """How many pieces of a side are drawn, on the board and in hand."""
    return len(elements(picture, "circle", fill=svg.DEFAULT_COLORS[side]))


def crosses(picture: str, color: str) -> list[tuple[float, float]]:
    """The centres of the crosses of a color."""
    found = []
    for path in elements(picture, "path", stroke=svg.DEFAULT_COLORS[color]):
        x1, y1, x2, y2 = map(float, re.findall(r"[-\d.]+", path.attrib["d"])[:4])
        found.append(((x1 + x2) / 2, (y1 + y2) / 2))
    return found


def pushed(yfen: str | None, rules: str, *moves: str) -> yf.Board:
    board = yf.Board(yfen, yf.Rules.parse(rules))
    for move in moves:
        board.push_text(move)
    return board


# What is drawn --------------------------------------------------------------------------------------------------------------------


@given(data=st.data(), orientation=st.booleans(), coordinates=st.booleans())
def test_any_position(data: st.DataObject, orientation: bool, coordinates: bool) -> None:
    mix = data.draw(rules())
    board = yf.Board(format_yfen(data.draw(setups(mix)), mix), mix)
    picture = svg.board(board, orientation=orientation, coordinates=coordinates)
    root = parsed(picture)
    assert root.tag == NS + "svg"
    for side, color in (("white", yf.WHITE), ("black", yf.BLACK)):
        on_board = (board.white if color else board.black).bit_count()
        assert discs(picture, side) == on_board + board.hand(color)
        assert str(board.hand(color)) in texts(picture)
    royals = board.royals.bit_count() + board.royal_in_hand(yf.WHITE) + board.royal_in_hand(yf.BLACK)
    assert len(elements(picture, "path", d=svg.CROWN)) == royals
    assert len(elements(picture, "path", d=svg.CAMEL)) == (board.white | board.black).bit_count() - board.royals.bit_count()
    # A route is a line with a dotted one on it.
    assert len(elements(picture, "line", stroke_dasharray="1 7")) == len(board.setup().routes)
    assert ("must drop" in texts(picture)) <= board.must_drop
    assert ("a" in texts(picture)) == coordinates
    # All lies within the picture.
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for circle in root.iter(NS + "circle"):
        x, y, r = (float(circle.attrib[name]) for name in ("cx", "cy", "r"))
        assert r <= x <= width - r
        assert r <= y <= height - r


@given(data=st.data())
def test_any_last_move(data: st.DataObject) -> None:
    mix = data.draw(rules(boards=[(2, 2), (3, 4), (5, 5), (2, 18)], pieces=(1, 6)))
    board = yf.Board(format_yfen(data.draw(setups(mix)), mix), mix)
    moves = list(board.legal_moves)
    if moves:
        move = data.draw(st.sampled_from(moves))
        arrow = svg.board(board, arrows=[move])
        board.push(move)
        picture = svg.board(board, lastmove=move)
        jumped_and_removed = move.cleared.bit_count() + str(move).count("*")
        assert len(crosses(picture, "removed")) == jumped_and_removed
        assert f"Last move: {move}." in (parsed(picture).findtext(NS + "desc") or "")
        jumps = str(move).count("x") or len(re.findall("[-~=]", str(move).replace("--", "")))
        assert len(elements(arrow, "polygon")) == jumps


def test_capture() -> None:
    board = pushed(MIDDLE, "yote", "c3xc5/b1")
    picture = svg.board(board, lastmove=board.peek())
    c3, c4, b1 = ((x, y) for x, y in ((178, 218), (178, 158), (118, 338)))
    assert sorted(crosses(picture, "removed")) == sorted([c4, b1])
    marked = elements(picture, "rect", fill=svg.DEFAULT_COLORS["square lastmove"])
    assert [(float(rect.attrib["x"]) + 30, float(rect.attrib["y"]) + 30) for rect in marked] == [c3, (178, 98)]
    assert crosses(svg.board(board), "removed") == []


def test_removal_from_hand() -> None:
    board = pushed("6/2c3/2C3/6/6 w 1/3", "yote+second_removal=board_or_hand", "c3xc5/*")
    picture = svg.board(board, lastmove=board.peek())
    jumped, (_, y) = crosses(picture, "removed")
    assert jumped == (178, 158)
    # In Black's strip, above the board; two pieces are left, and one is crossed out.
    assert y < svg.STRIP
    assert discs(picture, "black") == 3
    assert "2" in texts(picture)


def test_must_drop() -> None:
    assert "must drop" in texts(svg.board(pushed(None, "choko", "@c3")))
    assert "must drop" not in texts(svg.board(pushed(None, "choko", "@c3", "@b2")))
    # Nothing to drop, nothing to obey.
    assert "must drop" not in texts(svg.board(pushed("5/5/5/2C2/2c2 b 3/0 !", "choko")))
    assert "must drop" not in texts(svg.board(pushed("Cc/cC b 1/1 !", "choko+rows=2+cols=2")))


def test_side_to_move() -> None:
    def height_of_marker(board: yf.Board, orientation: bool) -> float:
        (marker,) = elements(svg.board(board, orientation=orientation), "path", fill=svg.DEFAULT_COLORS["turn"])
        return float(re.findall(r"[-\d.]+", marker.attrib["d"])[1])

    board = yf.Board()
    assert height_of_marker(board, yf.WHITE) > 300
    assert height_of_marker(board, yf.BLACK) < 40
    board.push_text("@c3")
    assert height_of_marker(board, yf.WHITE) < 40


@pytest.mark.parametrize(
    ("board", "labels"),
    [
        (yf.Board("6/6/6/6/C5 b 0/0"), ["wins"]),
        (yf.Board("6/6/6/6/C4c w 0/0", yf.Rules(draw_at_three=True)), ["draw", "draw"]),
        (pushed("6/2c3/2C3/6/6 w 3/3", "yote", *(2 * ["c3-c2", "c4-c5", "c2-c3", "c5-c4"])), ["draw", "draw"]),
    ],
)
def test_game_over(board: yf.Board, labels: list[str]) -> None:
    picture = svg.board(board)
    assert [text for text in texts(picture) if text in ("wins", "draw")] == labels
    assert f"game over, {board.result()}" in (parsed(picture).findtext(NS + "title") or "")


def test_the_piece_that_acted_in_a_turn_of_several_actions() -> None:
    board = pushed(None, "challenges", "=b2c3", "@c3")
    assert len(elements(svg.board(board), "circle", stroke_dasharray="6 5")) == 1
    board = pushed(None, "challenges", "=b2c3")
    (route,) = elements(svg.board(board, lastmove=board.peek()), "line", stroke=svg.DEFAULT_COLORS["route lastmove"])
    assert [route.attrib[name] for name in ("x1", "y1", "x2", "y2")] == ["118", "278", "178", "218"]


def test_orientation_turns_the_board_around() -> None:
    def camel(orientation: bool) -> str:
        (found,) = elements(svg.board(yf.Board("6/6/6/6/1C4 b 0/3"), orientation=orientation), "path", d=svg.CAMEL)
        return found.attrib["transform"].split(" scale")[0]

    assert camel(yf.WHITE) == "translate(118 338)"
    assert camel(yf.BLACK) == "translate(298 98)"
    names = texts(svg.board(yf.Board("6/6/6/6/1C4 b 0/3"), orientation=yf.BLACK))
    assert names[:11] == ["1", "2", "3", "4", "5", "a", "b", "c", "d", "e", "f"]


def test_marks_fills_and_arrows() -> None:
    board = yf.Board(MIDDLE)
    picture = svg.board(
        board, squares=[0, 1], fill={4: "#12345680", 5: "teal"}, arrows=[svg.Arrow(0, 2), (1, 1), svg.Arrow(3, 5, "#abcdef")]
    )
    assert crosses(picture, "mark") == [(58, 338), (118, 338)]
    assert picture.count("<polygon") == 2
    assert elements(picture, "polygon", fill="#abcdef")
    assert elements(picture, "rect", fill="#123456", fill_opacity="0.502")
    assert elements(picture, "rect", fill="teal")
    assert len(elements(picture, "circle", fill="none", stroke="#15781b")) == 1
    assert svg.board(board, squares=0b11) == svg.board(board, squares=[0, 1])
    assert svg.board(board, squares=iter([1])) == svg.board(board, squares=2)


def test_colors() -> None:
    colors = {name: f"#{number:06x}" for number, name in enumerate(svg.DEFAULT_COLORS, 0x102030)}
    picture = svg.board(yf.Board(MIDDLE), colors=colors)
    for name in ("background", "text", "margin", "coord", "grid", "square light", "square dark", "white", "black", "turn"):
        assert colors[name] in picture
        assert svg.DEFAULT_COLORS[name] not in picture


# Where it stands ------------------------------------------------------------------------------------------------------------------


def test_several_in_one_page() -> None:
    board = pushed(None, "challenges+royal_caravan", "=b2c3", "R@c3")
    picture = svg.board(board, lastmove=board.peek(), arrows=[(0, 1)], squares=[3])
    page = ElementTree.fromstring(f"<html>{picture}{picture}{svg.board(yf.Board())}</html>")
    ids = [element.attrib["id"] for element in page.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    # Nothing that a page would share, and nothing from elsewhere.
    assert not re.search(r"<style|<script|class=|href|url\(", picture)


def test_size() -> None:
    def sizes(board: yf.Board, size: int) -> tuple[float, float]:
        root = parsed(svg.board(board, size=size))
        return float(root.attrib["width"]), float(root.attrib["height"])

    assert max(sizes(yf.Board(), 400)) == 400
    assert sizes(yf.Board(rules=yf.Rules(rows=12, cols=2)), 300)[1] == 300
    assert sizes(yf.Board(rules=yf.Rules(rows=2, cols=18)), 300)[0] == 300
    root = parsed(svg.board(yf.Board()))
    assert "width" not in root.attrib
    assert "height" not in root.attrib


def test_accessible() -> None:
    board = pushed(None, "choko+royal_caravan", "R@c3")
    root = parsed(svg.board(board, lastmove=board.peek()))
    assert root.attrib["role"] == "img"
    assert [child.tag for child in root][:2] == [NS + "title", NS + "desc"]
    assert root[0].text == "Choko board, black to move, must drop"
    assert root[1].text == (
        "5 rows, 5 columns. White: no camels on the board, royal on c3, in hand 11. "
        "Black: no camels on the board, in hand 11 and the royal. Last move: R@c3."
    )
    root = parsed(svg.board(pushed("6/2c3/2C3/6/6 w 8/7 - 1/2:b2c3", "challenges")))
    assert root[1].text == (
        "5 rows, 6 columns. White: camels on c3, in hand 8, routes left 1. "
        "Black: camels on c4, in hand 7, routes left 2. Routes: b2-c3."
    )


@pytest.mark.parametrize(
    ("ink", "ground", "least"),
    [
        ("text", "background", 4.5),
        ("coord", "margin", 4.5),
        ("background", "must drop", 4.5),
        ("background", "turn", 4.5),
        ("white edge", "white", 4.5),
        ("black camel", "black", 4.5),
        ("white", "black", 4.5),
        ("black", "square light", 4.5),
        ("black", "square dark", 4.5),
        ("white edge", "square light", 3),
        ("white edge", "square dark", 3),
        ("removed", "square dark", 3),
        ("route", "square dark", 3),
        ("turn", "background", 3),
        ("royal", "black", 3),
    ],
)
def test_contrast(ink: str, ground: str, least: float) -> None:
    """The ratios that WCAG 2 asks for: 4.5 for text, 3 for signs. White pieces stand out by their edges."""

    def luminance(color: str) -> float:
        channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted(luminance(svg.DEFAULT_COLORS[name]) for name in (ink, ground))
    assert (high + 0.05) / (low + 0.05) >= least


def test_in_notebooks() -> None:
    board = yf.Board(MIDDLE)
    assert board._repr_svg_() == svg.board(board, size=svg.NOTEBOOK_SIZE)
    move = board.push_text("c3xc5/b1")
    assert board._repr_svg_() == svg.board(board, lastmove=move, size=svg.NOTEBOOK_SIZE)
    picture = svg.board(board)
    assert picture._repr_svg_() == picture


# Bad arguments --------------------------------------------------------------------------------------------------------------------

WIDE_MOVE = yf.Board(rules=yf.Rules(rows=2, cols=18)).parse("@r2")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda board: svg.board(board.yfen()), TypeError, "board must be a Board, not str"),
        (lambda board: svg.board(board, orientation="white"), TypeError, "orientation must be WHITE"),
        (lambda board: svg.board(board, lastmove="@c3"), TypeError, "lastmove must be a Move, not str"),
        (lambda board: svg.board(board, lastmove=WIDE_MOVE), ValueError, "the move @r2 is of another board"),
        (lambda board: svg.board(board, size=0), ValueError, "size must be 1 to 100000, not 0"),
        (lambda board: svg.board(board, size=1.5), TypeError, "size must be an int, not float"),
        (lambda board: svg.board(board, squares=[30]), ValueError, "a square of squares must be 0 to 29, not 30"),
        (lambda board: svg.board(board, squares=1 << 30), ValueError, "squares must be a bitboard of 30 squares, not 0x40000000"),
        (lambda board: svg.board(board, squares=-1), ValueError, "squares must be a bitboard"),
        (lambda board: svg.board(board, squares=["c3"]), TypeError, "a square of squares must be an int, not str"),
        (lambda board: svg.board(board, fill={-1: "red"}), ValueError, "a square of fill must be 0 to 29, not -1"),
        (lambda board: svg.board(board, fill={1: '"/><script>'}), ValueError, r"fill\[1\] must be a CSS color"),
        (lambda board: svg.board(board, fill={1: 7}), TypeError, r"fill\[1\] must be a str, not int"),
        (lambda board: svg.board(board, arrows=[(0, 99)]), ValueError, "the head of an arrow must be 0 to 29, not 99"),
        (lambda board: svg.board(board, arrows=[svg.Arrow(-5, 0)]), ValueError, "the tail of an arrow must be 0 to 29, not -5"),
        (lambda board: svg.board(board, arrows=[svg.Arrow(0, 1, "#12")]), ValueError, "the color of an arrow must be a CSS color"),
        (lambda board: svg.board(board, arrows=[3]), TypeError, "an arrow must be an Arrow, a pair of squares or a Move, not 3"),
        (lambda board: svg.board(board, colors={"sky": "blue"}), ValueError, "colors has the unknown key 'sky': expected one of"),
        (lambda board: svg.board(board, colors={"grid": "url(#x)"}), ValueError, r"colors\['grid'\] must be a CSS color"),
    ],
)
def test_bad_arguments(make: Callable[[Any], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(yf.Board())


# Documentation --------------------------------------------------------------------------------------------------------------------


def test_pictures_of_the_documentation_are_up_to_date(tmp_path: Path) -> None:
    docs = Path(__file__).parents[1] / "docs"
    assert run(str(docs / "examples" / "draw_pictures.py"), str(tmp_path)).status == 0
    drawn = {path.relative_to(tmp_path): path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.svg")}
    assert len(drawn) >= 5
    for name, picture in drawn.items():
        assert (docs / name).read_text(encoding="utf-8") == picture
        assert name.name in (docs / "pictures.md").read_text(encoding="utf-8")
    assert {path.name for path in (docs / "pictures").iterdir()} == {name.name for name in drawn} - {"board.svg"}
