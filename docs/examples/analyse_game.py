"""Play a game of the engine against a careless player, and name the moves that lost the most.

Shows: playing moves, analysis within limits, scores from one side's point of view, the end of a game.
"""

import random

import yote_fast as yf

LIMIT = yf.Limit(depth=4)


def main() -> None:
    chance = random.Random(1)
    board = yf.Board(rules=yf.Rules(rows=4, cols=4, pieces=5))
    engine = yf.Engine(hash_mb=16)
    losses: list[tuple[int, str]] = []
    while not board.is_game_over() and board.ply() < 60:
        best = engine.play(board, LIMIT)
        if board.turn is yf.WHITE:
            board.push(best.move)
            continue
        number = f"{1 + board.ply() // 2}... "
        board.push(chance.choice(list(board.legal_moves)))
        if best.info.score and not board.is_game_over():
            reply = engine.analyse(board, LIMIT).score
            if reply:
                loss = reply.white().value - best.info.score.white().value
                losses.append((loss, f"{number}{board.peek()} instead of {best.move}: {best.info.score}, then {-reply}"))
    print(board)
    print(f"\n{board.result()} after {board.ply()} moves. The worst moves of Black:")
    for _, text in sorted(losses, reverse=True)[:5]:
        print(f"  {text}")


if __name__ == "__main__":
    main()
