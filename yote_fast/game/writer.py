"""Games to text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from ..core import Board
from ..notation import WHITE
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
    lines += _wrap([*_glued(_movetext(game)), game.headers.get("Result", "*")])
    return "\n".join(lines)


def _escape_tag(value: str) -> str:
    return re.sub(r'[\\"]', r"\\\g<0>", value)


def _comment(text: str) -> str:
    """A comment in braces. What could be taken for its end, or for a tag that starts a game, is escaped."""
    text = re.sub(r"\r\n?", "\n", text.strip())
    return "{" + re.sub(r"[\\}]|^\[", r"\\\g<0>", text, flags=re.MULTILINE) + "}"


def _glued(words: Iterator[str]) -> list[str]:
    """The words with each parenthesis at the one that it stands before or behind."""
    glued: list[str] = []
    for word in words:
        if glued and (word == ")" or glued[-1].endswith("(")):
            glued[-1] += word
        else:
            glued.append(word)
    return glued


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
    """Whose move it is, in which turn, and what has to be said about it."""

    number: int
    """Of the turn: a white and a black one share a number."""
    acted: int
    """The moves that the side before has made in its last turn, or this side already in this one."""
    mover: bool | None
    """Who made the last move; None at the start."""
    said: bool
    """Whether a reader knows whose move it is: nothing stands between the last move and this."""

    def word(self, turn: bool) -> str | None:
        """What stands before a move of a side."""
        if turn == self.mover and self.said:
            return None
        if turn == WHITE:
            return f"{self.number}."
        # A black move that follows a single white one needs nothing.
        return None if self.said and self.acted == 1 else f"{self.number}..."

    def after(self, turn: bool, next_turn: bool, said: bool) -> _Numbering:
        """The numbering behind a move."""
        acted = self.acted + 1 if turn == self.mover else 1
        return _Numbering(self.number + (turn != WHITE and next_turn == WHITE), acted, turn, said)


class _Rest(NamedTuple):
    """The game from a node on, still to be written."""

    node: GameNode
    board: Board
    """The position of the node. It is played on as the line is written."""
    numbering: _Numbering


class _Variation(NamedTuple):
    node: GameNode
    board: Board
    numbering: _Numbering


_END = ")"


def _movetext(game: Game) -> Iterator[str]:
    """The words of the game. Nested variations wait on a stack of our own, as a game may nest deeper than Python calls."""
    if game.comment.strip():
        yield _comment(game.comment)
    if not game.variations:
        return
    todo: list[_Rest | _Variation | str] = [_Rest(game, game.board(), _Numbering(1, 0, None, False))]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, _Rest):
            yield from _write_next(item, todo)
        else:
            yield "("
            if item.node.starting_comment.strip():
                yield _comment(item.node.starting_comment)
            todo.append(_END)
            yield from _write_move(item.node, item.board, item.numbering, [], todo)


def _write_next(rest: _Rest, todo: list[_Rest | _Variation | str]) -> Iterator[str]:
    """Write the move that goes on with the main line, and leave the rest for later: first its alternatives, then what follows."""
    if not rest.node.variations:
        return
    main, *others = rest.node.variations
    unsaid = rest.numbering._replace(said=False)
    alternatives = [_Variation(other, rest.board.copy(stack=False), unsaid) for other in others]
    yield from _write_move(main, rest.board, rest.numbering, alternatives, todo)


def _write_move(
    node: GameNode, board: Board, numbering: _Numbering, alternatives: list[_Variation], todo: list[_Rest | _Variation | str]
) -> Iterator[str]:
    assert node.move is not None, "only the root has no move"
    turn = board.turn
    board.push(node.move)
    if word := numbering.word(turn):
        yield word
    marks = sorted(node.nags) if node._nags else []
    suffix = next((MARKS[mark] for mark in marks if mark in MARKS), "")
    yield f"{node.move}{suffix}"
    yield from (f"${mark}" for mark in marks if MARKS.get(mark) != suffix)
    comment = node.comment.strip()
    if comment:
        yield _comment(comment)
    todo.append(_Rest(node, board, numbering.after(turn, board.turn, not comment and not alternatives)))
    todo.extend(reversed(alternatives))
