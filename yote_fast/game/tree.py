"""A game as a tree of moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping

from ..core import Board, Move
from ..errors import InvalidGameError
from ..rules import Rules

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")

DEFAULT_HEADERS = {
    "Event": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": "*",
    "Rules": "yote",
}


class GameNode:
    """A position in a game, told by the move that led to it; the root, a :class:`Game`, is the start.

    The first of ``variations`` goes on with the main line, the others are alternatives to it.
    """

    __slots__ = ("_nags", "comment", "move", "parent", "starting_comment", "variations")

    def __init__(self, parent: GameNode | None = None, move: Move | None = None) -> None:
        self.parent = parent
        self.move = move
        self.variations: list[GameNode] = []
        self.comment = ""
        """About the move; about the game, for the root."""
        self.starting_comment = ""
        """What stands before the first move of a variation."""
        self._nags: set[int] | None = None

    @property
    def nags(self) -> set[int]:
        """Numbers that judge the move, as in PGN: 1 ``!``, 2 ``?``, 3 ``!!``, 4 ``??``, 5 ``!?``, 6 ``?!``, others up to 255."""
        # Few moves are judged, and a set for each of the others would take more memory than all the rest of a game.
        if self._nags is None:
            self._nags = set()
        return self._nags

    @nags.setter
    def nags(self, nags: set[int]) -> None:
        self._nags = nags

    def game(self) -> Game:
        """The root of the tree."""
        node = self
        while node.parent is not None:
            node = node.parent
        assert isinstance(node, Game), "every tree grows from a game"
        return node

    def board(self) -> Board:
        """The position as a new board, with the moves from the start of the game as its history.

        Raises:
            IllegalMoveError: a move on the way is not legal.
            ValueError: the tags of the game do not tell a start.
        """
        moves: list[Move] = []
        node: GameNode = self
        while node.parent is not None:
            assert node.move is not None, "only the root has no move"
            moves.append(node.move)
            node = node.parent
        board = node.board()
        for move in reversed(moves):
            board.push(move)
        return board

    def ply(self) -> int:
        """The number of moves from the start of the game."""
        return sum(1 for _ in self._ancestors())

    def _ancestors(self) -> Iterator[GameNode]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def next(self) -> GameNode | None:
        """The next node of the main line; None at its end."""
        return self.variations[0] if self.variations else None

    def end(self) -> GameNode:
        """The last node of the main line from here."""
        node = self
        while node.variations:
            node = node.variations[0]
        return node

    def mainline(self) -> Iterator[GameNode]:
        """The nodes of the main line from here, this one not included."""
        node = self
        while node.variations:
            node = node.variations[0]
            yield node

    def mainline_moves(self) -> Iterator[Move]:
        """The moves of the main line from here."""
        for node in self.mainline():
            assert node.move is not None, "only the root has no move"
            yield node.move

    def add_variation(
        self, move: Move, *, comment: str = "", starting_comment: str = "", nags: Iterable[int] = ()
    ) -> GameNode:  # fmt: skip
        """Append a variation, which is the main line if it is the first one; return its node.

        Whether the move is legal is found out when the game is written or played through: :meth:`board` tells.
        """
        node = GameNode(self, move)
        node.comment = comment
        node.starting_comment = starting_comment
        if nags:
            node.nags = set(nags)
        self.variations.append(node)
        return node

    def add_line(self, moves: Iterable[Move], *, comment: str = "", starting_comment: str = "") -> GameNode:
        """Append moves, one after the other, and return the last node. ``comment`` goes to the last one, the other to the first."""
        node = self
        for move in moves:
            node = node.add_variation(move, starting_comment=starting_comment)
            starting_comment = ""
        if comment:
            node.comment = f"{node.comment} {comment}".strip()
        return node

    def remove_variation(self, node: GameNode) -> None:
        """Cut off a variation with all that follows.

        Raises:
            ValueError: the node is not one of the variations.
        """
        self.variations.remove(node)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} after {self.ply()} moves: {self.move}>"


class Game(GameNode):
    """A game: tags, and the root of the tree of its moves.

    Args:
        headers: the tags; None for those that every game should have, most of them unknown (``?``).

    The tags ``Rules`` and ``YFEN`` tell where the game starts: see :meth:`setup`. ``str(game)`` is the text of the game.
    """

    __slots__ = ("errors", "headers")

    def __init__(self, headers: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.headers = Headers(DEFAULT_HEADERS if headers is None else headers)
        self.errors: list[InvalidGameError] = []
        """What was wrong with the text that the game was read from, and is missing here."""

    @classmethod
    def from_board(cls, board: Board) -> Game:
        """The game whose moves were played on a board, with its result."""
        game = cls()
        start = board.copy()
        while start.ply():
            start.pop()
        game.setup(start)
        game.add_line(board.move_stack)
        game.headers["Result"] = board.result()
        return game

    def setup(self, board: Board) -> None:
        """Let the game start from a position: set its ``Rules`` and, unless it is the usual start, ``YFEN``."""
        self.headers["Rules"] = str(board.rules)
        self.headers.pop("YFEN", None)
        if board != Board(rules=board.rules):
            self.headers["YFEN"] = board.yfen()

    def rules(self) -> Rules:
        """The rules of the game; Yoté if no tag names them.

        Raises:
            InvalidRulesError: the tag ``Rules`` is malformed.
        """
        return Rules.parse(self.headers.get("Rules", "yote"))

    def board(self) -> Board:
        """The position that the game starts from, as a new board.

        Raises:
            InvalidRulesError: the tag ``Rules`` is malformed.
            InvalidPositionError: the tag ``YFEN`` is malformed, or breaks the rules.
        """
        return Board(self.headers.get("YFEN"), self.rules())

    def __str__(self) -> str:
        from .writer import text_of

        return text_of(self)

    def __repr__(self) -> str:
        headers = self.headers
        return f"<Game {headers.get('White', '?')} - {headers.get('Black', '?')} {headers.get('Result', '*')}>"

    def __reduce__(self) -> tuple[object, ...]:
        # Pickling node by node would recurse as deep as the game is long.
        return _restore, (str(self), self.errors)


def _restore(text: str, errors: list[InvalidGameError]) -> Game:
    import io

    from .reader import read

    game = read(io.StringIO(text))
    assert game is not None, "even an empty game has a result"
    game.errors = errors
    return game


class Headers(MutableMapping[str, str]):
    """The tags of a game, in order.

    Raises:
        ValueError: a name is not of ASCII letters, digits and ``_``, a value has a line break, or a result is none.
        TypeError: a value is not a str.
    """

    __slots__ = ("_tags",)

    def __init__(self, tags: Mapping[str, str]) -> None:
        self._tags: dict[str, str] = {}
        self.update(tags)

    def __getitem__(self, name: str) -> str:
        return self._tags[name]

    def __setitem__(self, name: str, value: str) -> None:
        if not (name.isascii() and name.replace("_", "a").isalnum()):
            raise ValueError(f"the name of a tag is made of letters, digits and _, not {name!r}")
        if not isinstance(value, str):
            raise TypeError(f"the value of the tag {name} must be a str, not {type(value).__name__}")
        if "\n" in value or "\r" in value:
            raise ValueError(f"the value of the tag {name} must not have a line break")
        if name == "Result" and value not in RESULTS:
            raise ValueError(f"the tag Result must be one of {', '.join(RESULTS)}, not {value!r}")
        self._tags[name] = value

    def __contains__(self, name: object) -> bool:
        return name in self._tags

    def __delitem__(self, name: str) -> None:
        del self._tags[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tags)

    def __len__(self) -> int:
        return len(self._tags)

    def __repr__(self) -> str:
        return f"Headers({self._tags!r})"
