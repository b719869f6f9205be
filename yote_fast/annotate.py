"""Comments of the engine on the moves of a game.

>>> import io
>>> import yote_fast as yf
>>> game = yf.game.read(io.StringIO('[YFEN "6/2c3/2C3/6/5c w 0/0"]  1. c3-b3 *'))
>>> annotate(game, yf.Engine(hash_mb=1), yf.Limit(depth=7))
>>> move, better = game.variations
>>> move.nags, move.comment, better.move, better.comment
({4}, 'black wins in 25', <Move c3xc5/f1>, 'white wins in 1')
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ._version import __version__
from .analysis import Engine
from .core import Board, Move
from .game import Game, GameNode
from .limit import Limit
from .notation import WHITE
from .score import Score

BLUNDER, MISTAKE, INACCURACY = 0.3, 0.15, 0.05
"""Losses of expected points, of which a win brings 1 and a draw 0.5. The first two are marked ``??`` and ``?``; for all three, a
better line is shown."""
LINE_PLIES = 8
"""The most that is shown of a better line."""

_MARKS = {1, 2, 3, 4, 5, 6}
# What stands for a score at the beginning of a comment, so that a second look takes the place of the first.
_SCORE = re.compile(r"(?:[-+][0-9]+\.[0-9]{2}/[0-9]+|(?:white|black) wins in [0-9]+)(?:; |$)")


@dataclass(frozen=True)
class _Judgement:
    """What is known about a position."""

    white_points: float
    """The points that White is expected to get."""
    text: str
    """The score, from White's side, and the depth; nothing for a finished game."""
    pv: list[Move]


def annotator(limit: Limit) -> str:
    """The tag ``Annotator`` of games that are annotated with a limit."""
    limits = {"time": limit.time, "depth": limit.depth, "nodes": limit.nodes}
    return f"yote_fast {__version__} {' '.join(f'{name}={value}' for name, value in limits.items() if value is not None)}"


def annotate(game: Game, engine: Engine, limit: Limit, progress: Callable[[int, int], object] = lambda _done, _total: None) -> None:
    """Comment the main line of a game: the score after each move, marks for bad ones, and the line that was better.

    Args:
        game: is changed: comments begin with the score, and get a variation where the engine knew better by 0.05 points or more.
        engine: looks at the positions.
        limit: for each position.
        progress: called with the positions looked at and their number after each of them.

    Scores are from White's side, in pieces, with the depth searched: ``+0.35/9``. Moves that a mark judges already keep it.

    Raises:
        ValueError: the game has no start, or an illegal move.
    """
    board = game.end().board()
    nodes = list(game.mainline())
    judgements = [_judge(board, engine, limit)]
    progress(1, len(nodes) + 1)
    # From the end: what is found out about later positions is in the engine's table when it comes to the earlier ones.
    for done in range(len(nodes)):
        board.pop()
        judgements.append(_judge(board, engine, limit))
        progress(done + 2, len(nodes) + 1)
    judgements.reverse()
    for node, before, after in zip(nodes, judgements, judgements[1:], strict=False):
        _comment(node, board.turn, before, after)
        assert node.move is not None, "only the root has no move"
        board.push(node.move)
    game.headers["Annotator"] = annotator(limit)


def _judge(board: Board, engine: Engine, limit: Limit) -> _Judgement:
    outcome = board.outcome()
    if outcome is not None:
        return _Judgement(0.5 if outcome.winner is None else float(outcome.winner == WHITE), "", [])
    info = engine.analyse(board, limit)
    score = Score(0, board.turn) if info.score is None else info.score
    points = score.win_probability()
    return _Judgement(points if board.turn == WHITE else 1 - points, _text(score.white(), info.depth), info.pv)


def _text(score: Score, depth: int) -> str:
    if score.is_proven():
        return f"{'white' if score.value > 0 else 'black'} wins in {score.win_in or score.loss_in}"
    return f"{score}/{depth}"


def _comment(node: GameNode, turn: bool, before: _Judgement, after: _Judgement) -> None:
    """Comment one move of a side."""
    said = _SCORE.match(node.comment)
    texts = [after.text, node.comment[said.end() :] if said else node.comment]
    node.comment = "; ".join(filter(None, texts))
    loss = before.white_points - after.white_points if turn == WHITE else after.white_points - before.white_points
    if loss < INACCURACY or node.move == before.pv[0]:
        return
    if loss >= MISTAKE and not node.nags & _MARKS:
        node.nags.add(4 if loss >= BLUNDER else 2)
    line = before.pv[:LINE_PLIES]
    parent = node.parent
    assert parent is not None, "a move has a position before it"
    if not any([child.move, *child.mainline_moves()] == line for child in parent.variations):
        parent.add_line(line, comment=before.text)
