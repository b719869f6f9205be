"""The written forms of squares, actions and positions (grammar only).

Both engines read and write text through this page and share nothing else but the rules. A square is its index, ``row * cols + col``
from 0, so ``a1`` is 0. What an action or a position *means* is the engines' matter; :func:`parse_yfen` checks only that a position
is within the bounds of the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, NoReturn

from .errors import InvalidMoveError, InvalidPositionError
from .rules import Rules

WHITE: Final = True
BLACK: Final = False

HAND: Final = -1
"""In a list of removals: a piece from the enemy's hand."""

Kind = Literal["@", "R@", "-", "x", "=", "~", "--"]


class Action(NamedTuple):
    """One action in plain words.

    =========  ============================  =======================================
    kind       action                        squares
    =========  ============================  =======================================
    ``"@"``    drop of a camel               the square
    ``"R@"``   drop of the royal             the square
    ``"-"``    step or friendly leap         from, to
    ``"x"``    capture                       from, then each landing square
    ``"="``    placing of a route            its two ends, the lower first
    ``"~"``    free move along routes        from, to
    ``"--"``   end of the turn, or a pass    none
    =========  ============================  =======================================

    ``removals`` is empty except for a capture, where it holds the second removals made after each landing: squares in ascending
    order, then ``HAND`` for each piece taken from the hand.
    """

    kind: Kind
    squares: tuple[int, ...] = ()
    removals: tuple[tuple[int, ...], ...] = ()


# Squares --------------------------------------------------------------------------------------------------------------------------


def square_name(square: int, cols: int) -> str:
    """The name of a square, as in ``c3``."""
    row, col = divmod(square, cols)
    return f"{chr(ord('a') + col)}{row + 1}"


def parse_square(text: str, rules: Rules) -> int:
    """The index of the square that ``text`` names.

    Raises:
        ValueError: there is no such square on the board.
    """
    if re.fullmatch(r"[a-z][1-9][0-9]?", text):
        col, row = ord(text[0]) - ord("a"), int(text[1:]) - 1
        if col < rules.cols and row < rules.rows:
            return row * rules.cols + col
    last = square_name(rules.squares - 1, rules.cols)
    raise ValueError(f"{text!r} is not a square of the {rules.rows} x {rules.cols} board (a1 to {last})")


# Actions --------------------------------------------------------------------------------------------------------------------------

_SQUARE = "[a-z][1-9][0-9]?"
_LANDING = rf"x({_SQUARE})(?:/((?:{_SQUARE}|\*)(?:,(?:{_SQUARE}|\*))*))?"
# Compiled when first used: compiling is a good part of the package's import time.
_DROP = rf"(R?@)({_SQUARE})"
_SLIDE = rf"({_SQUARE})([-~])({_SQUARE})"
_ROUTE = rf"=({_SQUARE})({_SQUARE})"
_CAPTURE = rf"({_SQUARE})((?:{_LANDING})+)"


def format_action(action: Action, rules: Rules) -> str:
    """The text of an action, as in ``c3xc5/b1``. Inverse of :func:`parse_action`."""
    names = [square_name(square, rules.cols) for square in action.squares]
    match action.kind:
        case "@" | "R@":
            return action.kind + names[0]
        case "-" | "~":
            return action.kind.join(names)
        case "=":
            return "=" + "".join(names)
        case "--":
            return "--"
        case "x":
            text = names[0]
            for landing, removed in zip(names[1:], action.removals, strict=True):
                text += f"x{landing}"
                if removed:
                    text += "/" + ",".join("*" if square == HAND else square_name(square, rules.cols) for square in removed)
            return text


def parse_action(text: str, rules: Rules) -> Action:
    """The action that ``text`` writes; whether it is legal anywhere is not asked.

    Raises:
        InvalidMoveError: the text is not in the notation, or names a square that the board does not have.
        TypeError: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"an action's text must be a str, not {type(text).__name__}")
    try:
        action = _match_action(text, rules)
    except ValueError as error:
        raise InvalidMoveError(f"invalid action {_shorten(text)}: {error}") from None
    if action is None:
        raise InvalidMoveError(
            f"invalid action {_shorten(text)}: expected a form such as @c3, c3-c4, c3xc5/b1, c3xc5xe5/a1,*, =b2c3, b2~d4 or --"
        )
    return action


def _match_action(text: str, rules: Rules) -> Action | None:
    if text == "--":
        return Action("--")
    if match := re.fullmatch(_DROP, text):
        return Action("@" if match[1] == "@" else "R@", (parse_square(match[2], rules),))
    if match := re.fullmatch(_SLIDE, text):
        ends = parse_square(match[1], rules), parse_square(match[3], rules)
        return Action("-" if match[2] == "-" else "~", ends)
    if match := re.fullmatch(_ROUTE, text):
        ends = parse_square(match[1], rules), parse_square(match[2], rules)
        if ends[0] >= ends[1]:
            raise ValueError("the lower square of a route comes first")
        return Action("=", ends)
    if match := re.fullmatch(_CAPTURE, text):
        squares, removals = [parse_square(match[1], rules)], []
        for landing, removed in re.findall(_LANDING, match[2]):
            squares.append(parse_square(landing, rules))
            removals.append(_parse_removals(removed, rules))
        return Action("x", tuple(squares), tuple(removals))
    return None


def _parse_removals(text: str, rules: Rules) -> tuple[int, ...]:
    if not text:
        return ()
    names = text.split(",")
    board = [parse_square(name, rules) for name in names if name != "*"]
    if board != sorted(set(board)) or "*" in names[: len(board)]:
        raise ValueError("removals are written in ascending order of squares, each once, then * for the hand")
    return (*board, *[HAND] * (len(names) - len(board)))


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


# Positions ------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Phase:
    """How far a turn of a route game has come."""

    placed: bool = False
    """A route was placed this turn."""
    moved: bool = False
    """The free move was made this turn."""
    actor: int | None = None
    """The square of the piece that did the main action; None before it."""
    bonus: bool = False
    """Only the actor's bonus move is left."""


START_OF_TURN: Final = Phase()


@dataclass(frozen=True)
class Setup:
    """A position in plain words: what a YFEN says, for some :class:`~yote_fast.rules.Rules`. Pairs are (white, black)."""

    board: str
    """One character a square, by index: ``C`` ``R`` white camel and royal, ``c`` ``r`` black, ``.`` empty."""
    turn: bool
    """The side to move, ``WHITE`` or ``BLACK``."""
    hands: tuple[int, int]
    """Camels in hand."""
    royals: tuple[bool, bool] = (False, False)
    """Whether the royal is in hand."""
    must_drop: bool = False
    supplies: tuple[int, int] = (0, 0)
    """Routes not yet placed."""
    routes: tuple[tuple[int, int], ...] = ()
    """The two ends of each route, the lower first, in order of their blocks."""
    phase: Phase = START_OF_TURN


def start_setup(rules: Rules) -> Setup:
    """The position that a game of ``rules`` starts from."""
    camels = rules.pieces - rules.royal_caravan
    return Setup(
        board="." * rules.squares,
        turn=WHITE,
        hands=(camels, camels),
        royals=(rules.royal_caravan, rules.royal_caravan),
        supplies=(rules.trade_routes, rules.trade_routes),
    )


def route_block(route: tuple[int, int], rules: Rules) -> int | None:
    """The lower left square of the 2 x 2 block that a route crosses; None if the two squares are not diagonal neighbours."""
    low, high = route
    if high == low + rules.cols + 1 and low % rules.cols != rules.cols - 1:
        return low
    if high == low + rules.cols - 1 and low % rules.cols != 0:
        return low - 1
    return None


def format_yfen(setup: Setup, rules: Rules) -> str:
    """The YFEN of a position. Inverse of :func:`parse_yfen`."""
    rows = [setup.board[i : i + rules.cols] for i in range(0, rules.squares, rules.cols)]
    board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in reversed(rows))
    hands = "/".join(f"{camels}{'R' * royal}" for camels, royal in zip(setup.hands, setup.royals, strict=True))
    fields = [board, "w" if setup.turn else "b", hands, "!" if setup.must_drop else "-"]
    if rules.trade_routes:
        names = ["".join(square_name(end, rules.cols) for end in route) for route in setup.routes]
        fields.append("{}/{}".format(*setup.supplies) + (":" + ",".join(names) if names else ""))
        fields.append(_format_phase(setup.phase, rules))
    while fields[-1] == "-":
        fields.pop()
    return " ".join(fields)


def _format_phase(phase: Phase, rules: Rules) -> str:
    text = "p" * phase.placed + "f" * phase.moved
    if phase.actor is not None:
        text += ("b" if phase.bonus else "m") + square_name(phase.actor, rules.cols)
    return text or "-"


def parse_yfen(text: str, rules: Rules) -> Setup:
    """The position that a YFEN writes.

    Raises:
        InvalidPositionError: the text is malformed, or the position breaks a bound of the rules; the message names the field.
        TypeError: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"a YFEN must be a str, not {type(text).__name__}")
    fields = text.split(" ")
    if not 3 <= len(fields) <= 6:
        _refuse("YFEN", f"it has {len(fields)} fields, expected 3 to 6 separated by single spaces: BOARD SIDE HANDS ...")
    if rules.trade_routes and len(fields) < 5:
        _refuse("ROUTES", "the field is missing, and these rules have trade routes: expected a supply such as 2/2 after DROP")
    fields += ["-"] * (6 - len(fields))
    board = _parse_board(fields[0], rules)
    turn = _parse_side(fields[1])
    hands, royals = _parse_hands(fields[2])
    must_drop = _parse_drop(fields[3], rules)
    supplies, routes = _parse_routes(fields[4], rules)
    phase = _parse_phase(fields[5], rules)
    setup = Setup(board, turn, hands, royals, must_drop, supplies, routes, phase)
    _check_pieces(setup, rules)
    _check_routes(setup, rules)
    _check_phase(setup)
    return setup


def _refuse(field: str, why: str) -> NoReturn:
    raise InvalidPositionError(f"invalid position, field {field}: {why}")


def _parse_board(text: str, rules: Rules) -> str:
    rows = text.split("/")
    if len(rows) != rules.rows:
        _refuse("BOARD", f"it has {len(rows)} rows, expected {rules.rows}")
    squares = []
    for number, row in zip(range(rules.rows, 0, -1), rows, strict=True):
        # A run of more than two digits is longer than any board, and zero or a leading zero is never printed.
        if not re.fullmatch(r"(?:[CRcr]|(?<![0-9])[1-9][0-9]?)+", row):
            _refuse("BOARD", f"row {number} is {_shorten(row)}, expected C, R, c, r and counts of empty squares")
        expanded = re.sub("[0-9]+", lambda run: "." * int(run[0]), row)
        if len(expanded) != rules.cols:
            _refuse("BOARD", f"row {number} has {len(expanded)} squares, expected {rules.cols}")
        squares.append(expanded)
    return "".join(reversed(squares))


def _parse_side(text: str) -> bool:
    if text not in ("w", "b"):
        _refuse("SIDE", f"it is {_shorten(text)}, expected w or b")
    return text == "w"


def _parse_hands(text: str) -> tuple[tuple[int, int], tuple[bool, bool]]:
    match = re.fullmatch(r"(0|[1-9][0-9]?)(R?)/(0|[1-9][0-9]?)(R?)", text)
    if not match:
        _refuse("HANDS", f"it is {_shorten(text)}, expected white/black camels in hand such as 12/12 or 11R/4")
    return (int(match[1]), int(match[3])), (bool(match[2]), bool(match[4]))


def _parse_drop(text: str, rules: Rules) -> bool:
    if text not in ("-", "!"):
        _refuse("DROP", f"it is {_shorten(text)}, expected ! or -")
    if text == "!" and not rules.drop_initiative:
        _refuse("DROP", "! is only for rules with drop_initiative")
    return text == "!"


def _parse_routes(text: str, rules: Rules) -> tuple[tuple[int, int], tuple[tuple[int, int], ...]]:
    if not rules.trade_routes:
        if text != "-":
            _refuse("ROUTES", f"it is {_shorten(text)}, expected -: these rules have no trade routes")
        return (0, 0), ()
    match = re.fullmatch(rf"([0-9])/([0-9])(?::((?:{_SQUARE}){{2}}(?:,(?:{_SQUARE}){{2}})*))?", text)
    if not match:
        _refuse("ROUTES", f"it is {_shorten(text)}, expected white/black supply and routes such as 2/1:b2c3")
    names = re.findall(_SQUARE, match[3] or "")
    try:
        ends = [parse_square(name, rules) for name in names]
    except ValueError as error:
        _refuse("ROUTES", str(error))
    return (int(match[1]), int(match[2])), tuple(zip(ends[::2], ends[1::2], strict=True))


def _parse_phase(text: str, rules: Rules) -> Phase:
    if not rules.trade_routes and text != "-":
        _refuse("PHASE", f"it is {_shorten(text)}, expected -: these rules have no trade routes")
    match = re.fullmatch(rf"(p?)(f?)(?:([mb])({_SQUARE}))?", "" if text == "-" else text)
    if not match or not text:
        _refuse("PHASE", f"it is {_shorten(text)}, expected p and f where they apply, then mSQ or bSQ, or -")
    try:
        actor = parse_square(match[4], rules) if match[4] else None
    except ValueError as error:
        _refuse("PHASE", str(error))
    return Phase(bool(match[1]), bool(match[2]), actor, match[3] == "b")


def _check_pieces(setup: Setup, rules: Rules) -> None:
    sides = zip(("white", "black"), ("C", "c"), ("R", "r"), setup.hands, setup.royals, strict=True)
    for name, camel, royal, hand, royal_in_hand in sides:
        royals = setup.board.count(royal) + royal_in_hand
        if royals and not rules.royal_caravan:
            _refuse("BOARD" if royal in setup.board else "HANDS", f"{name} has a royal, which is only for rules with royal_caravan")
        if royals > 1:
            _refuse("BOARD", f"{name} has {royals} royals, at most one is allowed")
        pieces = setup.board.count(camel) + hand + royals
        if pieces > rules.pieces:
            _refuse("HANDS", f"{name} has {pieces} pieces on board and in hand, at most {rules.pieces} are allowed")


def _check_routes(setup: Setup, rules: Rules) -> None:
    for name, supply in zip(("white", "black"), setup.supplies, strict=True):
        if supply > rules.trade_routes:
            _refuse("ROUTES", f"{name}'s supply is {supply}, at most {rules.trade_routes} are allowed")
    total = len(setup.routes) + sum(setup.supplies)
    if total > 2 * rules.trade_routes:
        _refuse("ROUTES", f"{total} routes on board and in supplies, at most {2 * rules.trade_routes} are allowed")
    blocks = []
    for route in setup.routes:
        name = "".join(square_name(end, rules.cols) for end in route)
        block = route_block(route, rules)
        if block is None:
            _refuse("ROUTES", f"{name} does not join two diagonally adjacent squares, the lower one first")
        if block in blocks:
            _refuse("ROUTES", f"{name} meets another route in its 2 x 2 block")
        blocks.append(block)
    if blocks != sorted(blocks):
        _refuse("ROUTES", "the routes are not in order of their blocks (row, then column)")


def _check_phase(setup: Setup) -> None:
    phase = setup.phase
    if phase.bonus and not phase.placed:
        _refuse("PHASE", "a bonus move (b) is made only in a turn that placed a route (p)")
    if phase.actor is not None and setup.board[phase.actor] not in ("CR" if setup.turn else "cr"):
        _refuse("PHASE", "the square after m or b must hold a piece of the side to move")
