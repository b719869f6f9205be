"""The reference engine: the rules in plain Python, slow and easy to check.

It is written to be read beside the rules page and cites its sections. It shares the notation with the compiled engine and nothing
else, so that each engine can be tested against the other. There is no game history here: repetition (section 3, point 4) is not
known to a single position.

Where the rules page is silent, this engine decides; such places are marked "Decision".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

from .errors import IllegalMoveError
from .notation import HAND, Action, Phase, Setup, format_action, format_yfen, parse_action, parse_yfen, route_block, start_setup
from .rules import YOTE, Rules

Result = Literal["1-0", "0-1", "1/2-1/2", "*"]

ORTHOGONAL = ((-1, 0), (0, -1), (0, 1), (1, 0))
DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, init=False)
class Position:
    """A position of a game: an immutable value, equal to another if the rules and the whole state are equal.

    Args:
        yfen: the position to set up; the start of a game if left out.
        rules: the rules it is played by.

    Raises:
        InvalidPositionError: ``yfen`` is malformed or not possible with these rules.
    """

    rules: Rules
    setup: Setup

    def __init__(self, yfen: str | None = None, rules: Rules = YOTE) -> None:
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "setup", start_setup(rules) if yfen is None else parse_yfen(yfen, rules))

    @classmethod
    def from_setup(cls, setup: Setup, rules: Rules) -> Position:
        """A position whose setup is known to be valid."""
        position = cls.__new__(cls)
        object.__setattr__(position, "rules", rules)
        object.__setattr__(position, "setup", setup)
        return position

    def __repr__(self) -> str:
        return f"Position({self.yfen()!r}, {self.rules!r})"

    @property
    def turn(self) -> bool:
        """The side to move; True is white."""
        return self.setup.turn

    def yfen(self) -> str:
        """The position in one line (section 8)."""
        return format_yfen(self.setup, self.rules)

    def legal_moves(self) -> list[tuple[str, Position]]:
        """Every legal action: its text and the position after it. Empty when the game is over."""
        return [
            (format_action(action, self.rules), Position.from_setup(after, self.rules))
            for action, after in _legal_actions(self.setup, self.rules)
        ]

    def play(self, text: str) -> Position:
        """The position after the action that ``text`` writes.

        Raises:
            InvalidMoveError: the text is not in the notation.
            IllegalMoveError: the action is not legal here.
        """
        wanted = parse_action(text, self.rules)
        for action, after in _legal_actions(self.setup, self.rules):
            if action == wanted:
                return Position.from_setup(after, self.rules)
        raise IllegalMoveError(f"{text} is not legal in {self.yfen()}")

    def result(self) -> Result:
        """How the game ended, ``"*"`` if it goes on."""
        ended = _end_by_pieces(self.setup, self.rules)
        if ended != "*" or any(True for _ in _legal_actions(self.setup, self.rules)):
            return ended
        return _end_without_moves(self.setup, self.rules)


def perft(position: Position, depth: int) -> int:
    """The number of sequences of exactly ``depth`` actions (section 9)."""
    if depth < 0:
        raise ValueError(f"depth must be 0 or more, not {depth}")
    if depth == 0:
        return 1
    return sum(perft(after, depth - 1) for _, after in position.legal_moves())


def divide(position: Position, depth: int) -> dict[str, int]:
    """For each legal action, the number of sequences of exactly ``depth`` actions that begin with it."""
    if depth < 1:
        raise ValueError(f"depth must be 1 or more, not {depth}")
    return {text: perft(after, depth - 1) for text, after in position.legal_moves()}


# Every function below takes a position as a `Setup` with its `Rules`. An action is yielded together with the `Setup` after it.
Play = tuple[Action, Setup]


# The pieces (section 1) -----------------------------------------------------------------------------------------------------------


def _men(side: bool) -> str:
    return "CR" if side else "cr"


def _squares_of(setup: Setup, men: str) -> list[int]:
    return [square for square, piece in enumerate(setup.board) if piece in men]


def _own_squares(setup: Setup) -> list[int]:
    return _squares_of(setup, _men(setup.turn))


def _empty_squares(setup: Setup) -> list[int]:
    return _squares_of(setup, ".")


def _enemy_camels(setup: Setup) -> list[int]:
    return _squares_of(setup, "c" if setup.turn else "C")


def _index(side: bool) -> int:
    """Where a side stands in a (white, black) pair."""
    return 0 if side else 1


def _hand(setup: Setup, side: bool) -> int:
    return setup.hands[_index(side)]


def _royal_in_hand(setup: Setup, side: bool) -> bool:
    return setup.royals[_index(side)]


def _pieces(setup: Setup, side: bool) -> int:
    """All pieces of a side, on the board and in hand, royal included."""
    return len(_squares_of(setup, _men(side))) + _hand(setup, side) + _royal_in_hand(setup, side)


def _put(board: str, square: int, piece: str) -> str:
    return board[:square] + piece + board[square + 1 :]


def _move(board: str, start: int, end: int) -> str:
    return _put(_put(board, end, board[start]), start, ".")


def _with_hand(setup: Setup, side: bool, camels: int) -> tuple[int, int]:
    return (camels, setup.hands[1]) if side else (setup.hands[0], camels)


# The board (sections 1 and 7) -----------------------------------------------------------------------------------------------------


@cache
def _ray(square: int, direction: tuple[int, int], rows: int, cols: int) -> tuple[int, ...]:
    """The next two squares from here in a direction, as far as the board goes."""
    row, col = divmod(square, cols)
    ahead = [(row + n * direction[0], col + n * direction[1]) for n in (1, 2)]
    return tuple(r * cols + c for r, c in ahead if 0 <= r < rows and 0 <= c < cols)


def _adjacent(square: int, rules: Rules) -> list[int]:
    return [ray[0] for way in ORTHOGONAL if (ray := _ray(square, way, rules.rows, rules.cols))]


def _joined(setup: Setup, one: int, other: int) -> bool:
    """Whether a route joins two squares."""
    return (min(one, other), max(one, other)) in setup.routes


def _route_lines(setup: Setup, square: int, rules: Rules) -> list[tuple[int, int]]:
    """The pairs (jumped square, landing square) that routes join with a square in one diagonal line (section 7)."""
    if not setup.routes:
        return []
    rays = [_ray(square, way, rules.rows, rules.cols) for way in DIAGONAL]
    lines = [(ray[0], ray[1]) for ray in rays if len(ray) == 2]
    return [(over, landing) for over, landing in lines if _joined(setup, square, over) and _joined(setup, over, landing)]


def _lines(setup: Setup, square: int, rules: Rules) -> list[tuple[int, int]]:
    """The pairs (jumped square, landing square) of a main action: orthogonal, and along routes."""
    rays = [_ray(square, way, rules.rows, rules.cols) for way in ORTHOGONAL]
    return [(ray[0], ray[1]) for ray in rays if len(ray) == 2] + _route_lines(setup, square, rules)


def _jumps(setup: Setup, lines: list[tuple[int, int]], side: bool) -> list[tuple[int, int]]:
    """Those of the lines on which a piece of ``side`` stands before an empty square."""
    return [(over, landing) for over, landing in lines if setup.board[over] in _men(side) and setup.board[landing] == "."]


# The end (section 3) --------------------------------------------------------------------------------------------------------------


def _won(side: bool) -> Result:
    return "1-0" if side else "0-1"


def _end_by_pieces(setup: Setup, rules: Rules) -> Result:
    """Points 1 and 2."""
    white, black = _pieces(setup, True), _pieces(setup, False)
    if not white and not black:
        return "1/2-1/2"  # Decision: no play leads here, and neither side has won.
    if not white or not black:
        return _won(white > black)
    if rules.draw_at_three and white <= 3 and black <= 3:
        return "1/2-1/2"
    return "*"


def _end_without_moves(setup: Setup, rules: Rules) -> Result:
    """Point 3, for a side that has no legal action, not even a pass."""
    white, black = _pieces(setup, True), _pieces(setup, False)
    if rules.no_moves == "loses":
        return _won(not setup.turn)
    if rules.no_moves == "pass" or white == black:
        return "1/2-1/2"
    return _won(white > black)


def _legal_actions(setup: Setup, rules: Rules) -> Iterator[Play]:
    if _end_by_pieces(setup, rules) != "*":
        return
    blocked = True
    for play in _actions(setup, rules):
        blocked = False
        yield play
    if blocked and rules.no_moves == "pass":
        # Decision: the other side "has an action" if it would have one with a whole turn before it.
        passed = _pass(setup)
        if any(True for _ in _actions(passed, rules)):
            yield Action("--"), passed


# The turn (sections 2 and 7) ------------------------------------------------------------------------------------------------------


def _actions(setup: Setup, rules: Rules) -> Iterator[Play]:
    """Every action that the stage of the turn allows. Without trade routes a turn is its main action."""
    if setup.phase.actor is None:
        yield from _before_main_action(setup, rules)
    else:
        yield from _optional_actions(setup, rules)
        # Decision: the turn may be ended at any time after the main action, even where only a given position can stand.
        yield Action("--"), _end_turn(setup)


def _before_main_action(setup: Setup, rules: Rules) -> Iterator[Play]:
    phase = setup.phase
    if not phase.placed and not phase.moved:
        yield from _placings(setup, rules)
    if not phase.moved:
        yield from _free_moves(setup, _own_squares(setup))
    no_main_action = True
    for play in _main_actions(setup, rules):
        no_main_action = False
        yield play
    if phase.moved and no_main_action:
        yield Action("--"), _pass(setup)


def _optional_actions(setup: Setup, rules: Rules) -> Iterator[Play]:
    """What may still be done after the main action."""
    phase = setup.phase
    assert phase.actor is not None
    if phase.bonus:
        yield from _bonus_moves(setup, phase.actor, rules)
        return
    if not phase.moved:
        for action, after in _free_moves(setup, _own_squares(setup)):
            yield action, _go_on(_follow(after, action), rules)
    if not phase.placed:
        for action, after in _placings(setup, rules):
            yield action, _go_on(replace(after, phase=replace(after.phase, bonus=True)), rules)


def _follow(setup: Setup, free_move: Action) -> Setup:
    """The actor is followed if it was the piece that moved."""
    start, end = free_move.squares
    return replace(setup, phase=replace(setup.phase, actor=end)) if start == setup.phase.actor else setup


def _go_on(setup: Setup, rules: Rules) -> Setup:
    """After the main action: the turn ends by itself when nothing optional is left to do."""
    if any(True for _ in _optional_actions(setup, rules)):
        return setup
    return _end_turn(setup)


def _end_turn(setup: Setup) -> Setup:
    """The other side begins a turn. An obligation to drop (section 5) goes to it."""
    return replace(setup, turn=not setup.turn, phase=Phase())


def _pass(setup: Setup) -> Setup:
    """The turn ends without a main action, which clears the obligation (section 5)."""
    return replace(_end_turn(setup), must_drop=False)


def _new_turn(setup: Setup) -> Setup:
    """The same side begins a turn (``bonus_turn``), which nobody's drop can bind."""
    return replace(setup, phase=Phase(), must_drop=False)


def _after_main_action(setup: Setup, actor: int, rules: Rules) -> Setup:
    """The obligation to drop must have been settled before."""
    return _go_on(replace(setup, phase=replace(setup.phase, actor=actor)), rules)


# Main actions (section 2) ---------------------------------------------------------------------------------------------------------


def _main_actions(setup: Setup, rules: Rules) -> Iterator[Play]:
    """The obligation to drop comes before the duty to capture (section 5)."""
    if _bound_to_drop(setup):
        yield from _drops(setup, rules)
        return
    captured = False
    for play in _captures(setup, rules):
        captured = True
        yield play
    if captured and rules.mandatory_capture:
        return
    yield from _drops(setup, rules)
    yield from _steps(setup, rules)
    if rules.friendly_leap:
        yield from _friendly_leaps(setup, rules)


def _bound_to_drop(setup: Setup) -> bool:
    """Section 5: the obligation holds as long as there are a piece to drop and a square for it."""
    has_piece = _hand(setup, setup.turn) > 0 or _royal_in_hand(setup, setup.turn)
    return setup.must_drop and has_piece and "." in setup.board


def _drops(setup: Setup, rules: Rules) -> Iterator[Play]:
    camel, royal = ("C", "R") if setup.turn else ("c", "r")
    camels = _hand(setup, setup.turn)
    # Section 5: a drop by choice obliges the other side, an obliged one does not.
    dropping = replace(setup, must_drop=rules.drop_initiative and not setup.must_drop)
    for square in _empty_squares(setup):
        if camels:
            hands = _with_hand(setup, setup.turn, camels - 1)
            after = replace(dropping, board=_put(setup.board, square, camel), hands=hands)
            yield Action("@", (square,)), _after_main_action(after, square, rules)
        if _royal_in_hand(setup, setup.turn):
            royals = (False, setup.royals[1]) if setup.turn else (setup.royals[0], False)
            after = replace(dropping, board=_put(setup.board, square, royal), royals=royals)
            yield Action("R@", (square,)), _after_main_action(after, square, rules)


def _steps(setup: Setup, rules: Rules) -> Iterator[Play]:
    for start in _own_squares(setup):
        for end in _adjacent(start, rules):
            if setup.board[end] == ".":
                yield _slide(setup, start, end, rules)


def _friendly_leaps(setup: Setup, rules: Rules) -> Iterator[Play]:
    """Section 4. Decision: a main action only, never a bonus move."""
    for start in _own_squares(setup):
        for _, landing in _jumps(setup, _lines(setup, start, rules), setup.turn):
            yield _slide(setup, start, landing, rules)


def _slide(setup: Setup, start: int, end: int, rules: Rules) -> Play:
    after = replace(setup, board=_move(setup.board, start, end), must_drop=False)
    return Action("-", (start, end)), _after_main_action(after, end, rules)


# Captures (sections 2, 4 and 6) ---------------------------------------------------------------------------------------------------


class _Chain(NamedTuple):
    """A capture in the making: one jump, or several with ``chain_capture``."""

    setup: Setup
    """The pieces as they stand now."""
    squares: tuple[int, ...]
    """The start and each landing."""
    removals: tuple[tuple[int, ...], ...] = ()
    """The second removals made after each landing."""
    owed: int = 0
    """Second removals not made yet."""


def _captures(setup: Setup, rules: Rules) -> Iterator[Play]:
    chains = [_Chain(setup, (start,)) for start in _own_squares(setup)]
    while chains:
        chain = chains.pop()
        longer = _longer_chains(chain, rules)
        chains += longer
        jumped = len(chain.squares) > 1
        may_stop = not (longer and rules.mandatory_capture)
        if jumped and may_stop:
            for finished in _settle(chain, rules):
                yield Action("x", finished.squares, finished.removals), _after_capture(finished, rules)


def _longer_chains(chain: _Chain, rules: Rules) -> list[_Chain]:
    """The chain with one more jump, in every way."""
    first = len(chain.squares) == 1
    if not first and not rules.chain_capture:
        return []
    start, setup = chain.squares[-1], chain.setup
    jumped = [_jump(chain, over, landing) for over, landing in _jumps(setup, _lines(setup, start, rules), not setup.turn)]
    if rules.chain_removal == "each":
        return [settled for longer in jumped for settled in _settle(longer, rules)]
    return jumped


def _jump(chain: _Chain, over: int, landing: int) -> _Chain:
    """Jump over an enemy, which leaves the board at once. A royal gives no second removal (section 6)."""
    board = chain.setup.board
    camel = board[over] in "Cc"
    board = _put(_move(board, chain.squares[-1], landing), over, ".")
    return _Chain(replace(chain.setup, board=board), (*chain.squares, landing), (*chain.removals, ()), chain.owed + camel)


def _settle(chain: _Chain, rules: Rules) -> Iterator[_Chain]:
    """Make the second removals that are owed, in every way."""
    if not chain.owed:
        yield chain
        return
    for removed in _second_removals(chain.setup, chain.owed, rules):
        yield _Chain(_remove(chain.setup, removed), chain.squares, (*chain.removals[:-1], removed))


def _second_removals(setup: Setup, owed: int, rules: Rules) -> Iterator[tuple[int, ...]]:
    """Every set of enemy camels that may be removed for ``owed`` jumped ones. A royal is never among them (section 6)."""
    camels, in_hand = _enemy_camels(setup), _hand(setup, not setup.turn)
    most = min(owed, len(camels) + (0 if rules.second_removal == "board" else in_hand))
    fewest = 0 if rules.optional_removal else most
    for count in range(fewest, most + 1):
        for from_hand in range(min(count, in_hand) + 1):
            from_board = count - from_hand
            if from_hand and not _hand_is_open(rules, from_board == len(camels)):
                continue
            for squares in combinations(camels, from_board):
                yield (*squares, *[HAND] * from_hand)


def _hand_is_open(rules: Rules, board_is_emptied: bool) -> bool:
    """Whether a second removal may come from the enemy's hand."""
    if rules.second_removal == "board_then_hand":
        return board_is_emptied
    return rules.second_removal == "board_or_hand"


def _remove(setup: Setup, removed: tuple[int, ...]) -> Setup:
    board, enemy = setup.board, not setup.turn
    for square in removed:
        if square != HAND:
            board = _put(board, square, ".")
    return replace(setup, board=board, hands=_with_hand(setup, enemy, _hand(setup, enemy) - removed.count(HAND)))


def _after_capture(chain: _Chain, rules: Rules) -> Setup:
    after = replace(chain.setup, must_drop=False)
    if (ended := _end_turn_by_capture(after, rules)) is not None:
        return ended
    return _after_main_action(after, chain.squares[-1], rules)


def _end_turn_by_capture(setup: Setup, rules: Rules) -> Setup | None:
    """A capture of the last enemy piece passes the turn (section 3, point 1); another one gives a ``bonus_turn`` (section 4).

    Decision: a capture that draws by ``draw_at_three`` is followed by the same turn and stage as any other.
    """
    if not _pieces(setup, not setup.turn):
        return _end_turn(setup)
    if rules.bonus_turn:
        return _new_turn(setup)
    return None


# Trade routes (section 7) ---------------------------------------------------------------------------------------------------------


def _placings(setup: Setup, rules: Rules) -> Iterator[Play]:
    """Place a route from the supply. Two routes may not cross, so each 2 x 2 block holds at most one."""
    supply = setup.supplies[_index(setup.turn)]
    if not supply:
        return
    supplies = (supply - 1, setup.supplies[1]) if setup.turn else (setup.supplies[0], supply - 1)
    taken = {route_block(route, rules) for route in setup.routes}
    for route in _diagonals(rules):
        if route_block(route, rules) not in taken:
            routes = tuple(sorted((*setup.routes, route), key=lambda route: _block_order(route, rules)))
            yield Action("=", route), replace(setup, supplies=supplies, routes=routes, phase=replace(setup.phase, placed=True))


def _diagonals(rules: Rules) -> list[tuple[int, int]]:
    rays = [(square, _ray(square, way, rules.rows, rules.cols)) for square in range(rules.squares) for way in DIAGONAL[2:]]
    return [(square, ray[0]) for square, ray in rays if ray]


def _block_order(route: tuple[int, int], rules: Rules) -> int:
    block = route_block(route, rules)
    assert block is not None
    return block


def _free_moves(setup: Setup, squares: list[int]) -> Iterator[Play]:
    """One of the pieces on ``squares`` goes along routes to any square that it can reach."""
    if not setup.routes:
        return
    for start in squares:
        for end in sorted(_reachable(setup, start)):
            after = replace(setup, board=_move(setup.board, start, end), phase=replace(setup.phase, moved=True))
            yield Action("~", (start, end)), after


def _reachable(setup: Setup, start: int) -> set[int]:
    """The empty squares that routes connect with ``start`` through empty squares."""
    reached: set[int] = set()
    border = [start]
    while border:
        here = border.pop()
        ends = [one + other - here for one, other in setup.routes if here in (one, other)]
        new = {end for end in ends if setup.board[end] == "."} - reached
        reached |= new
        border += new
    return reached


def _bonus_moves(setup: Setup, actor: int, rules: Rules) -> Iterator[Play]:
    """A free move of the piece that did the main action, or one capture along routes. It ends the turn."""
    for action, after in _free_moves(setup, [actor]):
        yield action, _end_turn(after)
    for over, landing in _jumps(setup, _route_lines(setup, actor, rules), not setup.turn):
        for chain in _settle(_jump(_Chain(setup, (actor,)), over, landing), rules):
            after = _end_turn_by_capture(chain.setup, rules) or _end_turn(chain.setup)
            yield Action("x", chain.squares, chain.removals), after
