"""Games from text.

Files hold what people and other programs wrote, so whatever is wrong is noted in ``game.errors``, and reading goes on: behind a bad
move at the end of its variation, behind a broken game at the next one.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import IO, Any
from weakref import WeakKeyDictionary

from ..core import Board, Move
from ..errors import InvalidGameError, InvalidPositionError
from ..rules import Rules
from .tree import RESULTS, Game, GameNode
from .writer import MARKS

_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\["\\]|\\)*+)"\s*\]\s*')
_IN_COMMENT = r"(?:[^\\}]|\\[\\}\[]|\\)*+"
_COMMENT = re.compile(_IN_COMMENT)
# Numbers of moves, then a whole comment, the beginning of one, the rest of the line as one, or a word; nothing at the line's end.
_WORD = re.compile(rf"(?:[0-9]*\.+|[0-9]+(?!\S)|\s+)*+(\{{{_IN_COMMENT}\}}|\{{.*|;.*|[()}}]|[^\s{{}}();]+|$)")
_MARKED = re.compile(r"(.*?)([!?]*)")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")

NAGS = {mark: number for number, mark in MARKS.items()}
LARGEST_NAG = 255
KNOWN_MOVES = 50_000
"""How many moves of each set of rules are kept with their texts."""


def read(handle: IO[str] | IO[bytes]) -> Game | None:
    """Read the next game of a file; None at its end.

    Args:
        handle: a text file, or a binary one, which is read as UTF-8. Only its ``readline`` is needed.

    What cannot be read is left out, and told by ``game.errors``; lines are counted from where the first game was read. In a binary
    file, bytes that are not UTF-8 are an error too, but kept: encoded with ``surrogateescape`` the text is the same bytes again.

    Raises:
        InvalidGameError: a text file is not in its encoding, or a binary one is UTF-16.
    """
    lines = _Lines(handle)
    game = _GameReader(lines).read()
    lines.leave()
    return game


# Lines ----------------------------------------------------------------------------------------------------------------------------


@dataclass
class _Place:
    """How far a file was read."""

    line: int = 0
    waiting: str | None = None
    """A line that was looked at, but belongs to the next game."""
    position: int | None = None
    """Where the file stood then, to see whether someone else has moved in it."""


_places: WeakKeyDictionary[Any, _Place] = WeakKeyDictionary()


class _Lines:
    """The lines of a file from where the last game ended."""

    def __init__(self, handle: IO[str] | IO[bytes]) -> None:
        self._handle = handle
        try:
            self._place = _places.setdefault(handle, _Place())
        except TypeError:
            # Neither hashable nor weakly referenced: nothing can be kept for it.
            self._place = _Place()
        if self._place.position != self._position():
            self._place.line = 0
            self._place.waiting = None

    def leave(self) -> None:
        """Note the place, for the next game."""
        self._place.position = self._position()

    def _position(self) -> int | None:
        try:
            return self._handle.tell()
        except (AttributeError, OSError):
            return None

    @property
    def number(self) -> int:
        """The number of the line read last, from 1."""
        return self._place.line

    def next(self) -> str | None:
        """The next line without its end; None after the last one."""
        place = self._place
        place.line += 1
        if place.waiting is not None:
            line, place.waiting = place.waiting, None
            return line
        raw = self._read()
        if not raw:
            place.line -= 1
            return None
        line = raw if isinstance(raw, str) else raw.decode("utf-8", "surrogateescape")
        if place.line == 1:
            line = line.removeprefix("\ufeff")
        line = line.rstrip("\r\n")
        return line.replace("\r", " ") if "\r" in line else line

    def _read(self) -> str | bytes:
        try:
            raw = self._handle.readline()
        except UnicodeDecodeError as error:
            where = f"{error.reason}, byte {error.object[error.start]:#04x}"
            raise InvalidGameError(
                f"the file is not {error.encoding}: {where}; open it in binary mode, or with its own encoding", self.number, 1
            ) from None
        if self.number == 1 and isinstance(raw, bytes) and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InvalidGameError("the file is UTF-16; it must be UTF-8", 1, 1)
        return raw

    def put_back(self, line: str) -> None:
        self._place.waiting = line
        self._place.line -= 1


# Games ----------------------------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _known(rules: str) -> tuple[Board, dict[str, Move]]:
    """The start of a game, and by their texts the moves that were read under its rules: parsing takes far longer than playing."""
    return Board(rules=Rules.parse(rules)), {}


class _GameReader:
    """Reads one game, line by line."""

    def __init__(self, lines: _Lines) -> None:
        self.lines = lines
        self.game = Game({})
        self.places: dict[str, tuple[int, int]] = {}
        """Line and column of each tag."""
        self.tags_ended = False
        self.board: Board | None = None
        """The position of ``node``; None before the first word of the movetext."""
        self.moves: dict[str, Move] = {}
        self.node: GameNode = self.game
        self.branches: list[GameNode | None] = []
        """For each variation that is open, the node that it is an alternative to; None for one that has no place in the game."""
        self.starting_comment: str | None = None
        """What stands at the beginning of a variation that has no move yet."""
        self.skipped: int | None = None
        """While the rest of a variation is skipped: how many others are open within that rest."""
        self.comment: list[str] | None = None
        """The lines of a comment that goes on."""
        self.comment_place = (0, 0)
        self.result: str | None = None
        self.line = ""
        """The line, or what follows its tags or the end of a comment: the words begin at the index ``offset``."""
        self.offset = 0
        self.starts: list[int] = []
        """Where the words of the line start, as soon as that is asked for."""

    def read(self) -> Game | None:
        while (line := self.lines.next()) is not None:
            if not self.take(line):
                break
        return self.finish()

    def error(self, message: str, start: int = 0) -> None:
        """Note an error at an index of the line read last."""
        self.error_at(message, self.lines.number, start + 1)

    def error_at(self, message: str, line: int, column: int) -> None:
        self.game.errors.append(InvalidGameError(message, line, column))

    def error_in(self, message: str, index: int, offset: int = 0) -> None:
        """Note an error in a word of the line."""
        self.error(message, self.start_of(index) + offset)

    # Lines

    def take(self, line: str) -> bool:
        """Read a line; False if the game has ended."""
        start = 0
        if line.startswith("[") and _TAG.match(line) and (self.board is not None or self.comment is not None or self.tags_ended):
            # Whatever was forgotten at the end of this game, the next one begins here.
            self.lines.put_back(line)
            return False
        if not line.isascii() and (match := _NOT_UTF8.search(line)):
            self.error(f"byte {ord(match[0]) - 0xDC00:#04x} is not UTF-8", match.start())
        if self.comment is not None:
            end = _end_of_comment(line)
            self.comment.append(line[:end])
            if end == len(line):
                return True
            self.end_comment()
            start = end + 1
        elif line.startswith("%"):
            return True
        elif self.board is None:
            start = self.take_tags(line)
        self.take_words(line, start)
        return self.result is None or self.comment is not None

    def take_tags(self, line: str) -> int:
        """Read tags; return where they end."""
        start = 0
        while match := _TAG.match(line, start):
            name, value = match.groups()
            if "\\" in value:
                value = re.sub(r'\\(["\\])', r"\1", value)
            place = match.start(1)
            if name in self.game.headers:
                self.error(f"the tag {name} is given twice", place)
            else:
                try:
                    self.game.headers[name] = value
                except ValueError as error:
                    self.error(str(error), place)
                self.places[name] = self.lines.number, place + 1
            start = match.end()
        rest = line[start:].lstrip()
        if rest.startswith("["):
            self.error('expected a tag, [Name "value"]', len(line) - len(rest))
            return len(line)
        self.tags_ended |= bool(self.game.headers or self.game.errors) and not line.strip()
        return start

    # Words

    def take_words(self, line: str, start: int) -> None:
        self.line, self.offset, self.starts = line[start:], start, []
        moves = self.moves
        for index, word in enumerate(_WORD.findall(self.line)):
            move = moves.get(word)
            if move is not None and self.skipped is None and self.result is None:
                self.play(move, index)
            elif not word:
                return
            elif word[0] in "{;":
                self.take_comment(word, index)
            elif self.result is not None:
                self.error_in(f"text behind the result: {_shorten(word)}", index)
                return
            else:
                if self.board is None:
                    self.begin()
                    moves = self.moves
                self.take_word(word, index)

    def start_of(self, index: int) -> int:
        """Where a word of the line starts."""
        if not self.starts:
            self.starts = [self.offset + match.start(1) for match in _WORD.finditer(self.line)]
        return self.starts[index]

    def begin(self) -> None:
        """Set up the board that the tags tell of."""
        headers = self.game.headers
        try:
            start, self.moves = _known(headers.get("Rules", "yote"))
            self.board = Board(headers["YFEN"], start.rules) if "YFEN" in headers else start.copy()
        except ValueError as error:
            tag = "YFEN" if isinstance(error, InvalidPositionError) else "Rules"
            self.error_at(f"the tag {tag}: {error}", *self.places[tag])
            # Without rules, any board will do: no move is read.
            self.board = Board()
            self.skipped = 0

    def take_word(self, word: str, index: int) -> None:
        """Read what is neither a comment nor a number."""
        if word == "(":
            self.open_variation(index)
        elif word == ")":
            self.close_variation(index)
        elif word in RESULTS:
            if not self.branches and not self.skipped:
                self.result = word
        elif self.skipped is None:
            if word == "}":
                self.error_in("} without {", index)
            elif word.startswith("$"):
                self.take_nag(word, index)
            else:
                self.take_move(word, index)

    def take_nag(self, word: str, index: int) -> None:
        if not re.fullmatch(r"\$[0-9]{1,3}", word) or int(word[1:]) > LARGEST_NAG:
            self.error_in(f"expected a number from $0 to ${LARGEST_NAG}, not {_shorten(word)}", index)
        else:
            self.judge(int(word[1:]), index)

    def judge(self, nag: int, index: int) -> None:
        if self.node.move is None or self.starting_comment is not None:
            self.error_in("there is no move to judge", index)
        else:
            self.node.nags.add(nag)

    def take_move(self, word: str, index: int) -> None:
        match = _MARKED.fullmatch(word)
        assert match is not None, "it matches anything"
        text, mark = match.groups()
        if text:
            move = self.find_move(text, index)
            if move is None or not self.play(move, index):
                return
        if mark in NAGS:
            self.judge(NAGS[mark], index)
        elif mark:
            self.error_in(f"unknown mark {_shorten(mark)}: expected one of {' '.join(NAGS)}", index, len(text))

    def find_move(self, text: str, index: int) -> Move | None:
        """The move that a text writes; None, and the rest of the line of moves is skipped if it writes none."""
        if text in self.moves:
            return self.moves[text]
        assert self.board is not None, "the game has begun"
        try:
            move = self.board.parse(text)
        except ValueError as error:
            self.error_in(str(error), index)
            self.skipped = 0
            return None
        if len(self.moves) >= KNOWN_MOVES:
            self.moves.clear()
        self.moves[text] = move
        return move

    def play(self, move: Move, index: int) -> bool:
        """Go on to the next node; if the move is not legal, skip the rest of the line of moves."""
        assert self.board is not None, "the game has begun"
        try:
            self.board.push(move)
        except ValueError as error:
            self.error_in(str(error), index)
            self.skipped = 0
            return False
        parent = self.node
        self.node = node = GameNode(parent, move)
        parent.variations.append(node)
        if self.starting_comment is not None:
            node.starting_comment = self.starting_comment
            self.starting_comment = None
        return True

    # Variations

    def open_variation(self, index: int) -> None:
        if self.skipped is not None:
            self.skipped += 1
            return
        assert self.board is not None, "the game has begun"
        if self.node.parent is None or self.starting_comment is not None:
            self.error_in("a variation needs a move before it, which it is an alternative to", index)
            self.branches.append(None)
            self.skipped = 0
            return
        self.branches.append(self.node)
        self.board.pop()
        self.node = self.node.parent
        self.starting_comment = ""

    def close_variation(self, index: int) -> None:
        if self.skipped:
            self.skipped -= 1
        elif self.branches:
            self.skipped = None
            branch = self.branches.pop()
            if branch is not None:
                self.return_to(branch)
        elif self.skipped is None:
            self.error_in("there is no variation to close", index)

    def return_to(self, branch: GameNode) -> None:
        """Go back to the node that a variation was an alternative to."""
        assert self.board is not None, "the game has begun"
        assert branch.move is not None, "a branch leaves from a move"
        node = self.node
        while node is not branch.parent:
            assert node.parent is not None, "the parent of the branch is among the ancestors"
            node = node.parent
            self.board.pop()
        self.board.push(branch.move)
        self.node = branch
        if self.starting_comment:
            # Of a variation without a move.
            branch.comment = _joined(branch.comment, self.starting_comment)
        self.starting_comment = None

    # Comments

    def take_comment(self, word: str, index: int) -> None:
        if word[0] == ";":
            self.add_comment(word[1:])
        elif _end_of_comment(word, 1) < len(word):
            self.add_comment(_unescaped(word[1:-1]))
        else:
            self.comment = [word[1:]]
            self.comment_place = self.lines.number, self.start_of(index) + 1

    def end_comment(self) -> None:
        assert self.comment is not None, "a comment goes on"
        self.add_comment(_unescaped("\n".join(self.comment)))
        self.comment = None

    def add_comment(self, text: str) -> None:
        if self.skipped is not None:
            return
        if self.starting_comment is not None:
            self.starting_comment = _joined(self.starting_comment, text)
        else:
            self.node.comment = _joined(self.node.comment, text)

    # The end

    def finish(self) -> Game | None:
        """The game, if there was any."""
        game = self.game
        if self.comment is not None:
            self.error_at("the comment that begins here is not closed", *self.comment_place)
            self.end_comment()
        if self.board is None and not game.headers and not game.comment and not game.errors:
            return None
        if self.board is None:
            self.begin()
        if self.branches or self.skipped:
            self.error("a variation is not closed")
        if self.result is None:
            self.error("the game ends without a result")
            game.headers.setdefault("Result", "*")
        elif game.headers.get("Result", "*") == "*":
            game.headers["Result"] = self.result
        elif self.result != game.headers["Result"]:
            self.error(f"the game ends with {self.result}, but its tag Result is {game.headers['Result']}")
        return game


def _end_of_comment(text: str, start: int = 0) -> int:
    """Where the brace is that ends a comment; the length of the text if there is none."""
    match = _COMMENT.match(text, start)
    assert match is not None, "it matches nothing, too"
    return match.end()


def _unescaped(comment: str) -> str:
    return re.sub(r"\\([\\}\[])", r"\1", comment)


def _joined(comment: str, more: str) -> str:
    return f"{comment} {more.strip()}".strip()


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
