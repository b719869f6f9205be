"""Games to text."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from ..core import Board
from ..notation import BLACK, WHITE
from .tree import Game, GameNode

WIDTH = 80
"""Columns of the movetext; longer words, as comments are, stand in a line of their own."""

MARKS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
"""The numbers of judgements (NAGs) that are written behind the move."""


def write(game: Game, handle: TextIO) -> None:
    """Write a game and an empty line, so that more can follow.

    Raises:
        IllegalMoveError: a move of the game is not legal; nothing is written.
        ValueError: the tags of the game do not tell a start; nothing is written.
    """
    handle.write(f"{text_of(game)}\n\n")


def text_of(game: Game) -> str:
    """The text of a game, which ``read`` makes the same game of. Raises what :func:`write` raises."""
    lines = [f'[{name} "{_escape_tag(value)}"]' for name, value in game.headers.items()]
    if lines:
        lines.append("")
    lines += _wrap([*_movetext(game), game.headers.get("Result", "*")])
    return "\n".join(lines)


def _escape_tag(value: str) -> str:
    return re.sub(r'[\\"]', r"\\\g<0>", value)


def _comment(text: str) -> str:
    """A comment in braces. What could be taken for its end, or for a tag that starts a game, is escaped."""
    text = re.sub(r"\r\n?", "\n", text.strip())
    return "{" + re.sub(r"[\\}]|^\[", r"\\\g<0>", text, flags=re.MULTILINE) + "}"


def _wrap(words: list[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


class _Numbering(NamedTuple):
    """In which turn the next move is, and what has to be said about it."""

    number: int
    """Of the turn: a white and a black one share a number."""
    mover: bool | None
    """Who made the last move; None at the start."""
    acted: int
    """How many moves that side has made in a row."""
    told: bool
    """Whether nothing stands between the last move and the next."""

    def word(self, turn: bool) -> str | None:
        """What stands before a move of a side; None where it is clear whose move it is."""
        if self.told and (turn == self.mover or (turn == BLACK and self.acted == 1)):
            return None
        return f"{self.number}." if turn == WHITE else f"{self.number}..."

    def after(self, turn: bool, next_turn: bool, told: bool) -> _Numbering:
        """The numbering behind a move of a side."""
        acted = self.acted + 1 if turn == self.mover else 1
        return _Numbering(self.number + (turn == BLACK and next_turn == WHITE), turn, acted, told)


class _Line(NamedTuple):
    """A line of moves still to be written."""

    node: GameNode
    """Where it begins: its main line follows."""
    board: Board
    """The position there. It is played on as the line is written."""
    numbering: _Numbering
    variation: GameNode | None = None
    """For a variation, the node to begin with instead of the main line's."""


def _movetext(game: Game) -> list[str]:
    """The words of the game. What is still to be written waits on a stack of our own: a game may nest deeper than Python calls."""
    words = [_comment(game.comment)] if game.comment.strip() else []
    if not game.variations:
        return words
    todo: list[_Line | None] = [_Line(game, game.board(), _Numbering(1, None, 0, False))]
    while todo:
        line = todo.pop()
        if line is None:
            words[-1] += ")"
        else:
            _write_line(line, words, todo)
    return words


def _write_line(line: _Line, words: list[str], todo: list[_Line | None]) -> None:
    """Write a line up to its first move that has alternatives; these and what follows are left for later."""
    node, board, numbering, variation = line
    if variation is not None:
        todo.append(None)
        start = len(words)
        if variation.starting_comment.strip():
            words.append(_comment(variation.starting_comment))
        numbering = _write_move(variation, board, numbering, words)
        words[start] = "(" + words[start]
        node = variation
    while node.variations:
        main, *others = node.variations
        alternatives = [_Line(node, board.copy(stack=False), numbering._replace(told=False), other) for other in others]
        numbering = _write_move(main, board, numbering, words)
        node = main
        if alternatives:
            todo.append(_Line(main, board, numbering._replace(told=False)))
            todo.extend(reversed(alternatives))
            return


def _write_move(node: GameNode, board: Board, numbering: _Numbering, words: list[str]) -> _Numbering:
    """Write a move, and play it; return the numbering behind it."""
    assert node.move is not None, "only the root has no move"
    turn = board.turn
    board.push(node.move)
    if number := numbering.word(turn):
        words.append(number)
    text = _text_of_move(node.move)
    if node._nags:
        marks = sorted(node._nags)
        suffix = next((MARKS[mark] for mark in marks if mark in MARKS), "")
        words.append(text + suffix)
        words += [f"${mark}" for mark in marks if MARKS.get(mark) != suffix]
    else:
        words.append(text)
    comment = node.comment.strip()
    if comment:
        words.append(_comment(comment))
    return numbering.after(turn, board.turn, not comment)


# Equal moves have the same text, and the same ones are made again and again.
_text_of_move = functools.lru_cache(maxsize=1 << 15)(str)
