"""A UGI program for tests, which speaks the protocol and behaves as its argument says.

usage: fake_ugi.py BEHAVIOUR [LOG]

At the n-th ply it drops on the n-th square, which is legal as long as all players do so and have pieces in hand. LOG gets a line
for each start.
"""

from __future__ import annotations

import sys
import time

COLUMNS = "abcdef"

ANSWERS = {
    "malformed": "bestmove",
    "wordy": "bestmove @a1 ponder @b1",
    "none": "bestmove none",
    "gibberish": "bestmove \x00?",
    "illegal": "bestmove a1-a2",
}


def say(text: str) -> None:
    print(text, flush=True)


def wait_for_ever() -> None:
    while True:
        time.sleep(60)


def introduce(behaviour: str) -> None:
    if behaviour == "mute":
        wait_for_ever()
    if behaviour == "still-born":
        sys.exit(7)
    say("id name fake program")
    say("option name Hash type spin default 1 min 1 max 64")
    say("option name Style of Play type combo default calm var calm var wild")
    if behaviour == "rules":
        say("option name Rules type string default yote")
    say("ugiok")


def go(behaviour: str, plies: int) -> None:
    if behaviour == "dies":
        sys.exit(3)
    if behaviour == "hangs":
        wait_for_ever()
    if behaviour == "slow":
        time.sleep(0.3)
    if behaviour == "chatty":
        say("good morning")
        say("info depth 2 seldepth 3 time 1500 nodes 7 nps 4 hashfull 1 score cp -30 pv @a1 @b1 @b1")
        say("info depth x")
        say("info depth 3 score mate -4 lowerbound nodes")
        say("info multipv 1 currmove @a1 string a b")
    say(ANSWERS.get(behaviour, f"bestmove @{COLUMNS[plies % 6]}{plies // 6 + 1}"))


def main() -> None:
    behaviour = sys.argv[1]
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a", encoding="utf-8") as log:
            log.write("started\n")
    plies = 0
    for line in sys.stdin:
        words = line.split()
        if words[0] == "ugi":
            introduce(behaviour)
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "position":
            plies = len(words) - 3 if "moves" in words else 0
        elif words[0] == "setoption" and behaviour == "echo":
            print(line, end="", file=sys.stderr, flush=True)
        elif words[0] == "go":
            go(behaviour, plies)
        elif words[0] == "quit":
            break
    if behaviour == "stubborn":
        wait_for_ever()


if __name__ == "__main__":
    main()
