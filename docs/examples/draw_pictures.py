"""Draw the pictures of docs/pictures.md and of the README: into the folder docs, or another one that is given.

Shows: pictures of positions, last moves, arrows, marks, colors, the other side.
"""

import sys
from pathlib import Path

import yote_fast as yf
from yote_fast import svg

MIDDLE = "1c2C1/2cC2/1C2c1/3cC1/2C1c1 w 5/6"
GRAY = {"white": "#ffffff", "white edge": "#333333", "black": "#333333", "black edge": "#000000", "black camel": "#dddddd"}


def after(moves: str, rules: str = "yote", yfen: str | None = None, side: bool = yf.WHITE) -> str:
    """The picture of a position after moves, from a side."""
    board = yf.Board(yfen, yf.Rules.parse(rules))
    for text in moves.split():
        board.push_text(text)
    return svg.board(board, lastmove=board.peek(), size=360, orientation=side)


ARROWS = [svg.Arrow(21, 19), svg.Arrow(9, 11, "red")]
PICTURES = {
    "board": after("d4xb4/e3", yfen=MIDDLE),
    "pictures/choko": after("@c3", "choko"),
    "pictures/heroes": after("@c3 R@d4 R@b2 @c4", "heroes"),
    "pictures/challenges": after("=c3d4 b2~d4", "challenges", "6/2c3/6/1C2c1/6 w 10/9 - 1/2:b2c3"),
    "pictures/flipped": after("d4xb4/e3", yfen=MIDDLE, side=yf.BLACK),
    "pictures/arrows": svg.board(yf.Board(MIDDLE), arrows=ARROWS, squares=[16], fill={10: "#c21f1f60"}, size=360),
    "pictures/gray": svg.board(yf.Board(MIDDLE), colors=GRAY, coordinates=False, size=200),
}
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
(folder / "pictures").mkdir(exist_ok=True)
for name, picture in PICTURES.items():
    (folder / f"{name}.svg").write_text(f"{picture}\n", encoding="utf-8")
    print(f"{name}.svg: {len(picture):,} characters")
