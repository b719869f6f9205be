"""What the page is told about a position, and what it may ask: plain data, ready for JSON."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, Protocol

from ..core import Board, Move, PerftWorker
from ..errors import IllegalMoveError, InvalidMoveError, InvalidPositionError
from ..notation import START_OF_TURN, WHITE, Phase, Setup, format_yfen
from ..rules import Rules

MAX_PLIES = 2000
"""Moves of one game."""
MAX_LEGAL_MOVES = 20_000
"""Of one position. Chains with free removals can have millions, which no page could show."""
MAX_PROBED_MOVES = 1000
COUNTING_SECONDS = 2.0


class Tablebase(Protocol):
    """Exact values of endgames."""

    def get_wdl(self, board: Board, default: Any, /) -> Any:
        """1 for a win of the side to move, 0 for a draw, -1 for a loss; ``default`` where the value is not known."""


@dataclasses.dataclass(frozen=True)
class Game:
    """A position with the moves that led to it."""

    board: Board
    sides: str
    """Who made each move, ``w`` or ``b``."""


def play_moves(rules: str, yfen: str | None, moves: list[str]) -> Game:
    """The position after some moves.

    Raises:
        ValueError: something is malformed, or a move is not legal; the message says which one.
    """
    if len(moves) > MAX_PLIES:
        raise ValueError(f"the game has {len(moves)} moves, at most {MAX_PLIES} are allowed")
    board = Board(yfen, Rules.parse(rules))
    sides = []
    for number, text in enumerate(moves, 1):
        sides.append(_letter(board.turn))
        if board.is_game_over():
            raise IllegalMoveError(f"move {number}, {text}: the game is over ({board.result()})")
        try:
            board.push_text(text)
        except (InvalidMoveError, IllegalMoveError) as error:
            raise type(error)(f"move {number}: {error}") from None
    return Game(board, "".join(sides))


def describe(game: Game, tablebase: Tablebase | None) -> dict[str, Any]:
    """Everything that the page shows of a position.

    Raises:
        ValueError: there are more legal moves than the page can take.
    """
    board = game.board
    setup = board.setup()
    outcome = board.outcome()
    if outcome is None:
        check_size(board)
    legal = [] if outcome else list(board.legal_moves)
    return {
        "rules": str(board.rules),
        "options": dataclasses.asdict(board.rules),
        "rows": board.rules.rows,
        "cols": board.rules.cols,
        "yfen": board.yfen(),
        **describe_setup(setup),
        "obliged": setup.must_drop and _only_drops(legal),
        "legal": [str(move) for move in legal],
        "sides": game.sides,
        "last": _describe_last(board),
        "occurrences": board.occurrences(),
        "result": board.result(),
        "termination": outcome.termination.value if outcome else None,
        "exact": None if tablebase is None or outcome else _probe(board, legal, tablebase),
    }


def check_size(board: Board) -> None:
    """Raise ValueError if there are more legal moves than the page, and an analysis, can take.

    Chains can lead to more than a computer ever lists. So moves are only counted, and that with an end.
    """
    if not board.rules.chain_capture:
        return
    worker = PerftWorker(board.rules, 0, True)
    alarm = threading.Timer(COUNTING_SECONDS, worker.stop)
    alarm.start()
    try:
        count = worker.count(board, 1)
    finally:
        alarm.cancel()
    if count is None or count > MAX_LEGAL_MOVES:
        raise ValueError(f"the position has more than {MAX_LEGAL_MOVES:,} legal moves: too many for this page")


def describe_setup(setup: Setup) -> dict[str, Any]:
    """A position without its moves. :func:`read_setup` reads the same form."""
    phase = setup.phase
    return {
        "board": setup.board,
        "turn": _letter(setup.turn),
        "hands": list(setup.hands),
        "royals": list(setup.royals),
        "must_drop": setup.must_drop,
        "supplies": list(setup.supplies),
        "routes": [list(route) for route in setup.routes],
        "phase": {"placed": phase.placed, "moved": phase.moved, "actor": phase.actor, "bonus": phase.bonus},
    }


def read_setup(rules: Rules, value: object) -> Board:
    """The position that was set up on the page.

    Raises:
        ValueError: it is malformed, or not allowed by the rules.
    """
    if not isinstance(value, dict):
        raise ValueError("a setup must be an object")
    try:
        squares = str(value["board"])
        if len(squares) != rules.squares or set(squares) - set("CRcr."):
            raise InvalidPositionError(f"invalid position, field BOARD: expected {rules.squares} of the signs C R c r .")
        setup = Setup(
            board=squares,
            turn=value["turn"] == "w",
            hands=_pair(value["hands"], int),
            royals=_pair(value["royals"], bool),
            must_drop=bool(value["must_drop"]),
            supplies=_pair(value["supplies"], int),
            routes=tuple(sorted((_route(route, rules) for route in value["routes"]), key=lambda route: _block(route, rules))),
            phase=_phase(value["phase"], rules),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"a setup is malformed: {type(error).__name__} {error}") from None
    if not rules.trade_routes and (setup.routes or setup.supplies != (0, 0) or setup.phase != START_OF_TURN):
        # A YFEN has no place for them then.
        raise InvalidPositionError("invalid position, fields ROUTES and PHASE: these rules have no trade routes")
    return Board(format_yfen(setup, rules), rules)


def mover_texts(board: Board, moves: list[Move]) -> tuple[list[str], str]:
    """A line as texts, and the sides that make its moves."""
    board = board.copy(stack=False)
    sides = []
    for move in moves:
        sides.append(_letter(board.turn))
        board.push(move)
    return [str(move) for move in moves], "".join(sides)


def _only_drops(legal: list[Move]) -> bool:
    """Whether the main action has to be a drop."""
    kinds = {move.action.kind for move in legal}
    return bool(kinds & {"@", "R@"}) and kinds <= {"@", "R@", "=", "~"}


def _describe_last(board: Board) -> dict[str, Any] | None:
    if not board.ply():
        return None
    move = board.peek()
    action = move.action
    from_hand = sum(square < 0 for removed in action.removals for square in removed)
    cleared = [square for square in range(board.rules.squares) if move.cleared >> square & 1]
    return {"text": str(move), "kind": action.kind, "squares": list(action.squares), "cleared": cleared, "from_hand": from_hand}


def _probe(board: Board, legal: list[Move], tablebase: Tablebase) -> dict[str, Any] | None:
    """The exact value for White of the position and of each move, where known."""
    value = tablebase.get_wdl(board, None)
    moves = {}
    for move in legal if len(legal) <= MAX_PROBED_MOVES else ():
        after = board.copy()
        after.push(move)
        known = _value_for_white(after, tablebase)
        if known is not None:
            moves[str(move)] = known
    if value is None and not moves:
        return None
    return {"value": None if value is None else _for_white(board.turn, value), "moves": moves}


def _value_for_white(board: Board, tablebase: Tablebase) -> int | None:
    outcome = board.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner else -1
    value = tablebase.get_wdl(board, None)
    return None if value is None else _for_white(board.turn, value)


def _for_white(turn: bool, value: Any) -> int:
    return int(value) if turn else -int(value)


def _letter(side: bool) -> str:
    return "w" if side is WHITE else "b"


def _pair(value: Any, of: type[int] | type[bool]) -> tuple[Any, Any]:
    white, black = value
    if type(white) is not of or type(black) is not of:
        raise TypeError(f"expected two values of type {of.__name__}")
    if of is int and not (0 <= white <= 99 and 0 <= black <= 99):
        raise InvalidPositionError(f"invalid position, field HANDS: numbers must be 0 to 99, not {white} and {black}")
    return white, black


def _square(value: Any, rules: Rules) -> int:
    if type(value) is not int or not 0 <= value < rules.squares:
        raise InvalidPositionError(f"invalid position: squares are 0 to {rules.squares - 1}")
    return value


def _route(value: Any, rules: Rules) -> tuple[int, int]:
    one, other = value
    return min(_square(one, rules), _square(other, rules)), max(one, other)


def _block(route: tuple[int, int], rules: Rules) -> tuple[int, int]:
    """Where a route comes in the order of routes."""
    low, high = route
    return low // rules.cols, min(low % rules.cols, high % rules.cols)


def _phase(value: Any, rules: Rules) -> Phase:
    actor = value["actor"]
    return Phase(
        placed=bool(value["placed"]),
        moved=bool(value["moved"]),
        actor=None if actor is None else _square(actor, rules),
        bonus=bool(value["bonus"]),
    )
