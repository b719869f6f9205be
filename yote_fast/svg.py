"""Positions as SVG pictures, for notebooks, web pages and print.

>>> import yote_fast as yf
>>> board = yf.Board("6/2c3/2C3/4c1/1c4 w 8/7")
>>> picture = yf.svg.board(board, size=400, arrows=[yf.svg.Arrow(14, 26)], squares=[10, 1])
>>> picture[:4], "Yoté board" in picture
('<svg', True)

A picture needs nothing beside it: no style sheet, script or font file, and no ids, so any number of them can stand in one page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from .checks import check_int
from .core import Board, Move
from .notation import HAND, WHITE, Action, Setup, format_action, square_name
from .outcome import Outcome
from .rules import Rules

__all__ = ["DEFAULT_COLORS", "NOTEBOOK_SIZE", "Arrow", "SvgWrapper", "board"]

DEFAULT_COLORS: Final[Mapping[str, str]] = {
    "background": "#fbf5e6",
    "text": "#3b2a1a",
    "margin": "#6b4426",
    "coord": "#fbeed3",
    "grid": "#b98f52",
    "square light": "#efd9a7",
    "square dark": "#e6ca8e",
    "square lastmove": "#c9d36f",
    "route": "#9c4a1a",
    "route lastmove": "#5f7a00",
    "white": "#cdb9ec",
    "white edge": "#4d3380",
    "black": "#43276e",
    "black edge": "#1c0c38",
    "black camel": "#cdb9ec",
    "royal": "#f2b632",
    "removed": "#c21f1f",
    "mark": "#2b2b2b",
    "turn": "#2f7d32",
    "must drop": "#b3261e",
    "arrow green": "#15781bb0",
    "arrow red": "#b02020b0",
    "arrow yellow": "#d98300c0",
    "arrow blue": "#0a3d99b0",
}
"""What ``board(colors=)`` can change. White's pieces are light, Black's dark."""

NOTEBOOK_SIZE: Final = 390
MAX_SIZE = 100_000

# Lengths are in units of the picture, of which a square has 60.
SQUARE = 60
MARGIN = 20
STRIP = 40
"""The height of the strip above and below the board that shows what a side has in hand."""
PAD = 8
DISC = 24
TOKEN = 11
FEWEST_COLS = 4
"""A narrower board stands in a picture of this width, so that what is in hand can be read."""

# A camel that looks right, its crown when it is a royal, around (0, 0).
CAMEL = (
    "M-9.5 13L-8.6 4.5C-10.8 3.6-12 1.4-11.6-.8C-13 1-13.2 3-13.4 5.2L-14.6 5C-14.6 1.4-13.6-2.6-10.4-4.4"
    "C-7.6-5.8-7-11.4-3.2-12.2C.8-12.9 1.6-7.6 3.6-5.2C5.6-3 7-3.8 7.3-6.8C7.5-9.2 7.6-11.8 9.6-13"
    "L10-14.4L11.2-13C13-12.6 14.8-11.4 15.6-9.8C15.8-8.6 14.6-8.2 13.6-8.4L11.3-8.6C11-4.6 10.8 2.2 6.6 3.8"
    "L6.9 13H4.5L3.4 4.6C.4 5.2-2.6 5-5 4.2L-6 7.6L-6.7 13Z"
)
CROWN = "M-12 9L-14-6L-7 0L0-10L7 0L14-6L12 9Z"

_COLOR = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]+(?:\([-+0-9a-zA-Z.,%/ ]*\))?")


class SvgWrapper(str):
    """An SVG picture as text, which notebooks show as the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> SvgWrapper:
        return self


@dataclass(frozen=True)
class Arrow:
    """An arrow from one square to another; from a square to itself, a circle.

    ``color`` is ``"green"``, ``"red"``, ``"yellow"``, ``"blue"``, or any CSS color such as ``"#0000cc80"``.
    """

    tail: int
    head: int
    color: str = "green"


def board(
    board: Board,
    *,
    orientation: bool = WHITE,
    lastmove: Move | None = None,
    arrows: Iterable[Arrow | tuple[int, int] | Move] = (),
    fill: Mapping[int, str] | None = None,
    squares: int | Iterable[int] = (),
    size: int | None = None,
    coordinates: bool = True,
    colors: Mapping[str, str] | None = None,
) -> SvgWrapper:
    """Draw a position: the board, what is in hand, who is on move, and what obliges or restricts them.

    Args:
        board: the position. It is not changed, and its history is not shown: see ``lastmove``.
        orientation: the side at the bottom, ``WHITE`` or ``BLACK``.
        lastmove: the move that led to the position. Its squares are coloured, pieces it removed crossed out.
        arrows: each an :class:`Arrow`, a pair (tail, head), or a move, which is shown by a green arrow.
        fill: colors for squares, as ``{14: "#cc000080"}``.
        squares: squares to mark with an X, as a bitboard or one by one.
        size: pixels of the longer side; None for a picture that fills its place.
        coordinates: whether to name columns and rows.
        colors: changes to :data:`DEFAULT_COLORS`.

    Returns the SVG element as a string, without an XML declaration, to stand in HTML or in a file.

    Raises:
        ValueError: a square is not on the board, a color is not one, or ``colors`` has an unknown key.
        TypeError: an argument has the wrong type.
    """
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {type(board).__name__}")
    if orientation is not True and orientation is not False:
        raise TypeError(f"orientation must be WHITE (True) or BLACK (False), not {orientation!r}")
    if lastmove is not None and not isinstance(lastmove, Move):
        raise TypeError(f"lastmove must be a Move, not {type(lastmove).__name__}")
    if size is not None:
        check_int("size", size, 1, MAX_SIZE)
    drawing = _Drawing(board, orientation, coordinates, _palette(colors or {}))
    drawing.last = None if lastmove is None else _checked_action(lastmove, board.rules)
    drawing.fill = _checked_fill(fill or {}, board.rules)
    drawing.marks = _checked_squares(squares, board.rules)
    drawing.arrows = [arrow for entry in arrows for arrow in _checked_arrows(entry, board.rules)]
    return SvgWrapper(ElementTree.tostring(drawing.draw(size), encoding="unicode"))


# Arguments ------------------------------------------------------------------------------------------------------------------------


def _palette(changes: Mapping[str, str]) -> dict[str, str]:
    for name, color in changes.items():
        if name not in DEFAULT_COLORS:
            raise ValueError(f"colors has the unknown key {name!r}: expected one of {', '.join(DEFAULT_COLORS)}")
        _check_color(f"colors[{name!r}]", color)
    return {**DEFAULT_COLORS, **changes}


def _check_color(name: str, color: object) -> None:
    if not isinstance(color, str):
        raise TypeError(f"{name} must be a str, not {type(color).__name__}")
    if not _COLOR.fullmatch(color):
        raise ValueError(f"{name} must be a CSS color such as '#ffce9e' or '#15781b80', not {color[:40]!r}")


def _check_square(name: str, square: object, rules: Rules) -> None:
    check_int(name, square, 0, rules.squares - 1)


def _checked_fill(fill: Mapping[int, str], rules: Rules) -> dict[int, str]:
    for square, color in fill.items():
        _check_square("a square of fill", square, rules)
        _check_color(f"fill[{square}]", color)
    return dict(fill)


def _checked_squares(squares: int | Iterable[int], rules: Rules) -> list[int]:
    if isinstance(squares, int):
        if squares >> rules.squares:
            raise ValueError(f"squares must be a bitboard of {rules.squares} squares, not {squares:#x}")
        return [square for square in range(rules.squares) if squares >> square & 1]
    chosen = list(squares)
    for square in chosen:
        _check_square("a square of squares", square, rules)
    return chosen


def _checked_arrows(entry: Arrow | tuple[int, int] | Move, rules: Rules) -> Iterator[Arrow]:
    if isinstance(entry, Move):
        visited = _checked_action(entry, rules).squares
        pairs = zip(visited, visited[1:] or visited, strict=False)
        yield from (Arrow(tail, head) for tail, head in pairs)
        return
    if not isinstance(entry, Arrow):
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise TypeError(f"an arrow must be an Arrow, a pair of squares or a Move, not {entry!r}")
        entry = Arrow(*entry)
    _check_square("the tail of an arrow", entry.tail, rules)
    _check_square("the head of an arrow", entry.head, rules)
    if f"arrow {entry.color}" not in DEFAULT_COLORS:
        _check_color("the color of an arrow", entry.color)
    yield entry


def _checked_action(move: Move, rules: Rules) -> Action:
    action = move.action
    for square in (*action.squares, *(square for removed in action.removals for square in removed if square != HAND)):
        if square >= rules.squares:
            raise ValueError(f"the move {move} is of another board: it has a square that this one lacks")
    return action


# The drawing ----------------------------------------------------------------------------------------------------------------------


class _Drawing:
    """One picture, from the ground up: what is drawn later covers what was drawn before."""

    def __init__(self, board: Board, orientation: bool, coordinates: bool, colors: Mapping[str, str]) -> None:
        self.setup: Setup = board.setup()
        self.rules = board.rules
        self.outcome = board.outcome()
        self.orientation = orientation
        self.coordinates = coordinates
        self.colors = colors
        self.last: Action | None = None
        self.fill: dict[int, str] = {}
        self.marks: list[int] = []
        self.arrows: list[Arrow] = []
        self.margin = MARGIN if coordinates else 4
        self.board_width = SQUARE * self.rules.cols
        self.board_height = SQUARE * self.rules.rows
        self.width = max(self.board_width, SQUARE * FEWEST_COLS) + 2 * (self.margin + PAD)
        self.height = self.board_height + 2 * (self.margin + STRIP + PAD)
        self.left = (self.width - self.board_width) / 2
        self.top = STRIP + PAD + self.margin

    def draw(self, size: int | None) -> ElementTree.Element:
        scale = {} if size is None else _scaled(self.width, self.height, size)
        self.svg = ElementTree.Element(
            "svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {self.width} {self.height}", **scale, "role": "img"}
        )
        # Screen readers take name and description from these, the first children.
        self.add("title").text = _title(self.setup, self.rules, self.outcome)
        self.add("desc").text = _description(self.setup, self.rules, self.last)
        self.add("rect", width=self.width, height=self.height, rx=8, **self.paint("background"))
        self.draw_squares()
        self.draw_routes()
        self.draw_pieces()
        self.draw_removed()
        self.draw_marks()
        for arrow in self.arrows:
            self.draw_arrow(arrow)
        for side in (True, False):
            self.draw_hand(side)
        return self.svg

    # Tools

    def add(self, tag: str, **attributes: object) -> ElementTree.Element:
        written = {name.replace("_", "-"): _number(value) for name, value in attributes.items()}
        return ElementTree.SubElement(self.svg, tag, written)

    def text(self, x: float, y: float, text: str, size: float, color: str, *, anchor: str = "middle", bold: bool = False) -> None:
        """Text whose capitals are centred on ``y``."""
        weight = {"font_weight": "bold"} if bold else {}
        # Renderers disagree on dominant-baseline, so the height of a capital is taken off here.
        self.add(
            "text", x=x, y=y + 0.36 * size, font_size=size, font_family="sans-serif", text_anchor=anchor,
            **weight, **self.paint(color),
        ).text = text  # fmt: skip

    def paint(self, color: str, how: str = "fill") -> dict[str, object]:
        """The attributes of a color, by its name in the palette or its value. Old renderers need its opacity apart."""
        value = self.colors.get(color, color)
        if match := re.fullmatch(r"#([0-9a-fA-F]{6})([0-9a-fA-F]{2})", value):
            return {how: f"#{match[1]}", f"{how}_opacity": round(int(match[2], 16) / 255, 3)}
        return {how: value}

    def stroke(self, color: str, width: float) -> dict[str, object]:
        return {**self.paint(color, "stroke"), "stroke_width": width, "fill": "none", "stroke_linecap": "round"}

    def corner(self, square: int) -> tuple[float, float]:
        """The upper left corner of a square."""
        row, col = divmod(square, self.rules.cols)
        if self.orientation == WHITE:
            row = self.rules.rows - 1 - row
        else:
            col = self.rules.cols - 1 - col
        return self.left + SQUARE * col, self.top + SQUARE * row

    def center(self, square: int) -> tuple[float, float]:
        x, y = self.corner(square)
        return x + SQUARE / 2, y + SQUARE / 2

    # The board

    def draw_squares(self) -> None:
        margin = self.margin
        self.add(
            "rect", x=self.left - margin, y=self.top - margin, width=self.board_width + 2 * margin,
            height=self.board_height + 2 * margin, rx=6, **self.paint("margin"),
        )  # fmt: skip
        touched = self.last.squares if self.last is not None and self.last.kind != "=" else ()
        for square in range(self.rules.squares):
            x, y = self.corner(square)
            shade = "light" if sum(divmod(square, self.rules.cols)) % 2 else "dark"
            color = self.paint("square lastmove" if square in touched else f"square {shade}")
            self.add("rect", x=x, y=y, width=SQUARE, height=SQUARE, **color, **_outline(self.paint("grid", "stroke"), 1))
            if square in self.fill:
                self.add("rect", x=x, y=y, width=SQUARE, height=SQUARE, **self.paint(self.fill[square]))
        if self.coordinates:
            self.draw_coordinates()

    def draw_coordinates(self) -> None:
        rules = self.rules
        for row in range(rules.rows):
            self.text(self.left - MARGIN / 2, self.center(row * rules.cols)[1], str(row + 1), 14, "coord", bold=True)
        for col in range(rules.cols):
            bottom = self.top + self.board_height + MARGIN / 2
            self.text(self.center(col)[0], bottom, square_name(col, rules.cols)[0], 14, "coord", bold=True)

    def draw_routes(self) -> None:
        placed = self.last.squares if self.last is not None and self.last.kind == "=" else None
        for route in self.setup.routes:
            (x1, y1), (x2, y2) = map(self.center, route)
            color = "route lastmove" if route == placed else "route"
            self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **self.stroke(color, 8))
            self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **self.stroke("square light", 2), stroke_dasharray="1 7")
            for x, y in ((x1, y1), (x2, y2)):
                self.add("circle", cx=x, cy=y, r=7, **self.paint(color))

    def draw_pieces(self) -> None:
        for square, piece in enumerate(self.setup.board):
            if piece != ".":
                self.draw_piece(*self.center(square), piece)
        actor = self.setup.phase.actor
        if actor is not None:
            x, y = self.center(actor)
            self.add("circle", cx=x, cy=y, r=DISC + 3, **self.stroke("turn", 3), stroke_dasharray="6 5")

    def draw_piece(self, x: float, y: float, piece: str, radius: float = DISC) -> None:
        side = "white" if piece.isupper() else "black"
        royal = piece in "Rr"
        # Pieces in hand overlap, which dark edges on dark pieces would hide.
        edge = f"{side} edge" if radius == DISC or side == "white" else "background"
        self.add("circle", cx=x, cy=y, r=radius, **self.paint(side), **_outline(self.paint(edge, "stroke"), max(radius / 12, 1.4)))
        if royal:
            self.add("circle", cx=x, cy=y, r=radius * 0.86, **self.stroke("royal", radius / 8))
        if radius < DISC and not royal:
            return
        color = self.paint("royal" if royal else "white edge" if side == "white" else "black camel")
        if royal:
            color |= _outline(self.paint(f"{side} edge", "stroke"), 2)
        place = f"translate({x:g} {y:g}) scale({1.05 * radius / DISC:.3g})"
        self.add("path", d=CROWN if royal else CAMEL, transform=place, stroke_linejoin="round", **color)

    def draw_removed(self) -> None:
        """The way of a capture, and a cross where it took a piece."""
        if self.last is None or self.last.kind != "x":
            return
        for start, end in zip(self.last.squares, self.last.squares[1:], strict=False):
            (x1, y1), (x2, y2) = self.center(start), self.center(end)
            self.cross((x1 + x2) / 2, (y1 + y2) / 2, 13, "removed", 6)
        for square in (square for removed in self.last.removals for square in removed if square != HAND):
            self.cross(*self.center(square), 13, "removed", 6)

    def cross(self, x: float, y: float, reach: float, color: str, width: float) -> None:
        lines = f"M{x - reach:g} {y - reach:g}L{x + reach:g} {y + reach:g}M{x - reach:g} {y + reach:g}L{x + reach:g} {y - reach:g}"
        self.add("path", d=lines, **self.stroke(color, width))

    # What the caller marks

    def draw_marks(self) -> None:
        for square in self.marks:
            # On a light ground of its own, to be seen on dark pieces too.
            self.cross(*self.center(square), 18, "background", 10)
            self.cross(*self.center(square), 18, "mark", 5)

    def draw_arrow(self, arrow: Arrow) -> None:
        color = f"arrow {arrow.color}" if f"arrow {arrow.color}" in self.colors else arrow.color
        (x1, y1), (x2, y2) = self.center(arrow.tail), self.center(arrow.head)
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        if not length:
            self.add("circle", cx=x1, cy=y1, r=DISC + 2, **self.stroke(color, 6))
            return
        # One outline, so that a color that lets through does so evenly. Along the arrow, then across it.
        along = [(0, 5), (length - 26, 5), (length - 26, 15), (length, 0), (length - 26, -15), (length - 26, -5), (0, -5)]
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        points = " ".join(f"{x1 + a * dx - b * dy:.1f},{y1 + a * dy + b * dx:.1f}" for a, b in along)
        self.add("polygon", points=points, **self.paint(color))

    # The hands

    def draw_hand(self, side: bool) -> None:
        """The strip of a side: whether it is on move, its pieces in hand, its routes, and what else there is to say."""
        y = self.height - STRIP / 2 if side == self.orientation else STRIP / 2
        index = 0 if side else 1
        left, right = float(PAD), float(self.width - PAD)
        if self.setup.turn == side and self.outcome is None:
            self.add("path", d=f"M{left + 1:g} {y - 9:g}L{left + 15:g} {y:g}L{left + 1:g} {y + 9:g}Z", **self.paint("turn"))
        if label := self.label(side):
            right -= self.draw_label(right, y, *label)
        right -= self.draw_supply(right, y, self.setup.supplies[index])
        self.draw_tokens(left + 22, right, y, side)

    def label(self, side: bool) -> tuple[str, str] | None:
        """Words about a side, and their color."""
        if self.outcome is not None:
            if self.outcome.winner is None:
                return "draw", "text"
            return ("wins", "turn") if self.outcome.winner == side else None
        return ("must drop", "must drop") if self.setup.turn == side and _must_drop(self.setup) else None

    def draw_label(self, right: float, y: float, text: str, color: str) -> float:
        width = 12 + 7.4 * len(text)
        self.add("rect", x=right - width, y=y - 11, width=width, height=22, rx=11, **self.paint(color))
        self.text(right - width / 2, y, text, 13, "background", bold=True)
        return width + 8

    def draw_supply(self, right: float, y: float, supply: int) -> float:
        for number in range(supply):
            x = right - 12 - 13 * number
            self.add("line", x1=x - 6, y1=y + 9, x2=x + 6, y2=y - 9, **self.stroke("route", 5))
        return 13 * supply + 12 if supply else 0

    def draw_tokens(self, left: float, right: float, y: float, side: bool) -> None:
        """The pieces in hand in a row, closer where there are many, then their number and those just taken from them."""
        camels, royal = self.setup.hands[not side], self.setup.royals[not side]
        # The royal is last, on top, where pieces overlap.
        pieces = "Cc"[not side] * camels + "Rr"[not side] * royal
        taken = self.taken_from_hand(side)
        shown = pieces + "Cc"[not side] * taken
        room = right - left - 2 * TOKEN - 26
        step = min(2 * TOKEN + 1.0, room / max(1, len(shown) - 1))
        x = left + TOKEN
        for number, piece in enumerate(shown):
            self.draw_piece(x, y, piece, TOKEN)
            if number >= len(pieces):
                self.cross(x, y, 7, "removed", 4)
            x += step
        x += TOKEN + 4 - step if shown else -TOKEN
        self.text(x, y, str(len(pieces)), 15, "text", anchor="start", bold=True)

    def taken_from_hand(self, side: bool) -> int:
        """How many pieces the last move took from a side's hand."""
        if self.last is None or self.last.kind != "x":
            return 0
        mover = self.setup.board[self.last.squares[-1]]
        if mover == "." or mover.isupper() == side:
            return 0
        return sum(removed.count(HAND) for removed in self.last.removals)


def _scaled(width: float, height: float, size: int) -> dict[str, str]:
    scale = size / max(width, height)
    return {"width": _number(round(width * scale, 2)), "height": _number(round(height * scale, 2))}


def _outline(paint: dict[str, object], width: float) -> dict[str, object]:
    return {**paint, "stroke_width": round(width, 2)}


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# Words ----------------------------------------------------------------------------------------------------------------------------


def _must_drop(setup: Setup) -> bool:
    """Whether the obligation holds: a side that has no piece in hand, or no square to drop it on, is free."""
    hand = setup.hands[not setup.turn] + setup.royals[not setup.turn]
    return setup.must_drop and setup.phase.actor is None and hand > 0 and "." in setup.board


def _title(setup: Setup, rules: Rules, outcome: Outcome | None) -> str:
    game = "Choko" if rules.drop_initiative else "Yoté"
    if outcome is not None:
        return f"{game} board, game over, {outcome.result()}: {outcome.termination.value}"
    must_drop = ", must drop" if _must_drop(setup) else ""
    return f"{game} board, {'white' if setup.turn else 'black'} to move{must_drop}"


def _description(setup: Setup, rules: Rules, last: Action | None) -> str:
    """The position in words, for those who cannot see it."""
    sentences = [f"{rules.rows} rows, {rules.cols} columns"]
    for index, (name, camel, royal) in enumerate((("White", "C", "R"), ("Black", "c", "r"))):
        camels = [square_name(square, rules.cols) for square, piece in enumerate(setup.board) if piece == camel]
        words = f"{name}: camels on {' '.join(camels)}" if camels else f"{name}: no camels on the board"
        if royal in setup.board:
            words += f", royal on {square_name(setup.board.index(royal), rules.cols)}"
        words += f", in hand {setup.hands[index]}{' and the royal' * setup.royals[index]}"
        if rules.trade_routes:
            words += f", routes left {setup.supplies[index]}"
        sentences.append(words)
    if setup.routes:
        routes = ("-".join(square_name(end, rules.cols) for end in route) for route in setup.routes)
        sentences.append(f"Routes: {' '.join(routes)}")
    if last is not None:
        sentences.append(f"Last move: {format_action(last, rules)}")
    return ". ".join(sentences) + "."
