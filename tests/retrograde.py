"""The values of all positions that a game can reach, by the reference engine and a few plain lines: an oracle for tables.

A value is 0 for a draw, n + 1 for a win in n plies, minus n - 1 for a loss in n, for the side to move.
"""

from __future__ import annotations

from yote_fast import reference
from yote_fast.rules import Rules

RESULTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}


def values_from(yfen: str | None, rules: Rules, most: int = 1_000_000) -> dict[str, int] | None:
    """The values of all positions reachable from one; None if there are more than ``most``."""
    successors = _explore(reference.Position(yfen, rules), most)
    if successors is None:
        return None
    values: dict[str, int] = {}
    for position, (result, turn, _) in successors.items():
        if result != "*":
            values[position] = RESULTS[result] if turn else -RESULTS[result]
    ply = 0
    # A position is settled at the ply of its value, so this ends once no value is left to be passed on.
    while ply <= max(map(abs, values.values()), default=0):
        ply += 1
        settled = {}
        for position, (_, turn, children) in successors.items():
            if position in values:
                continue
            after = [_seen_before(values.get(child), same=successors[child][1] == turn) for child in children]
            losing = [value for value in after if value is not None and value < 0]
            if ply + 1 in after:
                settled[position] = ply + 1
            elif len(losing) == len(after) and min(losing) == -ply - 1:
                settled[position] = -ply - 1
        values |= settled
    return {position: values.get(position, 0) for position in successors}


def _seen_before(value: int | None, *, same: bool) -> int | None:
    """What a child's value means for the side that moves to it."""
    if not value:
        return value
    farther = value + (1 if value > 0 else -1)
    return farther if same else -farther


def _explore(start: reference.Position, most: int) -> dict[str, tuple[str, bool, list[str]]] | None:
    """Of each reachable position its result, the side to move, and its successors."""
    found = {start.yfen(): start}
    waiting = [start]
    successors = {}
    while waiting:
        position = waiting.pop()
        result = position.result()
        after = [] if result != "*" else [child for _, child in position.legal_moves()]
        successors[position.yfen()] = (result, position.turn, [child.yfen() for child in after])
        for child in after:
            if child.yfen() not in found:
                found[child.yfen()] = child
                waiting.append(child)
        if len(found) > most:
            return None
    return successors
