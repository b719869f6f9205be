"""Games as text: tags, moves, comments and variations, in the manner of PGN. ``docs/games.md`` has the grammar.

>>> import io
>>> import yote_fast as yf
>>> file = io.StringIO('''
... [White "Awa"]
... [Black "Modou"]
... [Rules "choko"]
...
... 1. @c3 {the middle} @b2 2. c3-c4 (2. @d4 @d2) *
... ''')
>>> game = yf.game.read(file)
>>> game.headers["White"], [str(move) for move in game.mainline_moves()]
('Awa', ['@c3', '@b2', 'c3-c4'])
>>> game.end().board().yfen()
'5/2C2/5/1c3/5 b 11/11'
>>> yf.game.read(file) is None
True
"""

from __future__ import annotations

from ..errors import InvalidGameError
from .reader import read
from .tree import Game, GameNode, Headers
from .writer import write

__all__ = ["Game", "GameNode", "Headers", "InvalidGameError", "read", "write"]
