"""Colour the squares of an empty board by what the engine thinks of the first drop there: print scores, and draw a picture.

Shows: analysis of each move, scores, pictures with colored squares. With a file name, the picture is written there.
"""

import sys
from pathlib import Path

import yote_fast as yf

LIMIT = yf.Limit(depth=6)


def score(engine: yf.Engine, board: yf.Board, move: yf.Move) -> int:
    """What a move is worth to the side that makes it, in hundredths of a piece."""
    found = engine.analyse(board, LIMIT, root_moves=[move]).score
    assert found is not None, "a search without other limits reaches its depth"
    return found.value


def main() -> None:
    board = yf.Board(rules=yf.CHOKO)
    engine = yf.Engine(hash_mb=16)
    scores = {move.to_square: score(engine, board, move) for move in board.legal_moves}
    worst, best = min(scores.values()), max(scores.values())
    cols = board.rules.cols
    for row in reversed(range(board.rules.rows)):
        print("".join(f"{scores[row * cols + col]:>6}" for col in range(cols)))
    heat = {square: round(220 * (value - worst) / max(1, best - worst)) for square, value in scores.items()}
    picture = yf.svg.board(board, fill={square: f"#c2410c{level:02x}" for square, level in heat.items() if square is not None})
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(picture, encoding="utf-8")
    print(f"the picture has {len(picture):,} characters")


if __name__ == "__main__":
    main()
