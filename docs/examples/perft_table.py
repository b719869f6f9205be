"""Print how fast the number of move sequences grows under each preset, and which first moves open up the most.

Shows: presets, perft with threads and a table of counts, divide.
"""

import time

import yote_fast as yf

DEPTH = 5


def main() -> None:
    print("rules       " + "".join(f"{f'depth {depth}':>14}" for depth in range(1, DEPTH + 1)) + "    seconds")
    for name, rules in yf.PRESETS.items():
        started = time.perf_counter()
        counts = [yf.perft(yf.Board(rules=rules), depth, threads=2, hash_mb=32) for depth in range(1, DEPTH + 1)]
        seconds = time.perf_counter() - started
        print(f"{name:<12}" + "".join(f"{count:>14,}" for count in counts) + f"{seconds:>11.2f}")

    print("\nYoté: sequences of 4 moves by the first move")
    board = yf.Board()
    parts = {move.to_square: leaves for move, leaves in yf.divide(board, 4).items()}
    for row in reversed(range(board.rules.rows)):
        print("".join(f"{parts[row * board.rules.cols + col]:>9,}" for col in range(board.rules.cols)))


if __name__ == "__main__":
    main()
