"""Slices: which there are, what leads where, and how large they are.

A slice is all positions with the same numbers of pieces; values are for the side to move, so colours do not matter. A move that
keeps the numbers, a step, leads to the slice with the sides swapped. All others lead down, to fewer pieces or fewer in hand.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..rules import Rules
from .errors import WrongRulesError

NO_ROYAL, ROYAL_IN_HAND, ROYAL_ON_BOARD = range(3)
ROYAL_LETTERS = ("", "R", "r")
MAX_PIECES = 20

_SIDE = r"(\d{1,2})\.(\d{1,2})([Rr]?)"
_SLICE = re.compile(f"{_SIDE}-{_SIDE}(-d)?")


class Slice(NamedTuple):
    """The numbers of a slice.

    Its text has for each side the pieces in all and the camels in hand, ``R`` for a royal in hand, ``r`` for one on the board, and
    ``-d`` where the side to move must drop.

    >>> str(Slice(3, 1, 2, 0)), Slice.parse("3.1r-2.0R-d")
    ('3.1-2.0', Slice(a=3, ha=1, b=2, hb=0, ra=2, rb=1, must_drop=True))
    """

    a: int
    """Pieces of the side to move, in all."""
    ha: int
    """Camels that it has in hand."""
    b: int
    """Pieces of the opponent, in all."""
    hb: int
    """Camels that it has in hand."""
    ra: int = NO_ROYAL
    """Where the royal of the side to move is: 0 nowhere, 1 in hand, 2 on the board."""
    rb: int = NO_ROYAL
    """Where the opponent's royal is."""
    must_drop: bool = False

    @classmethod
    def parse(cls, text: str) -> Slice:
        """Read the text of a slice.

        Raises:
            ValueError: it is none.
        """
        match = _SLICE.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text[:40]!r} is not a slice, such as 3.1-2.0: pieces and those in hand of the side to move and its opponent"
            )
        a, ha, royal_a, b, hb, royal_b, drop = match.groups()
        return cls(int(a), int(ha), int(b), int(hb), ROYAL_LETTERS.index(royal_a), ROYAL_LETTERS.index(royal_b), drop is not None)

    def __str__(self) -> str:
        mover = f"{self.a}.{self.ha}{ROYAL_LETTERS[self.ra]}"
        opponent = f"{self.b}.{self.hb}{ROYAL_LETTERS[self.rb]}"
        return f"{mover}-{opponent}{'-d' if self.must_drop else ''}"

    @property
    def pa(self) -> int:
        """Pieces of the side to move on the board."""
        return self.a - self.ha - (self.ra == ROYAL_IN_HAND)

    @property
    def pb(self) -> int:
        """Pieces of the opponent on the board."""
        return self.b - self.hb - (self.rb == ROYAL_IN_HAND)

    @property
    def partner(self) -> Slice:
        """The slice after a move that keeps the numbers."""
        return Slice(self.b, self.hb, self.a, self.ha, self.rb, self.ra, self.must_drop)

    @property
    def pair(self) -> tuple[Slice, ...]:
        """The slices that are solved together: this and its partner, in a fixed order; alone if it is its own or has no steps."""
        if self.must_drop or self == self.partner:
            return (self,)
        return max(self, self.partner), min(self, self.partner)

    @property
    def order(self) -> tuple[int, int, bool]:
        """Moves out of a pair lead to slices of a lesser order."""
        return self.a + self.b, self.a - self.pa + self.b - self.pb, self.must_drop

    def is_decided(self, rules: Rules) -> bool:
        """Whether ``draw_at_three`` has ended the games of the slice."""
        return rules.draw_at_three and self.a <= 3 and self.b <= 3

    def positions(self, rules: Rules) -> int:
        """The number of its positions, not up to symmetry."""
        ways = math.comb(rules.squares, self.pa) * math.comb(rules.squares - self.pa, self.pb)
        return ways * _royal_places(self.pa, self.ra) * _royal_places(self.pb, self.rb)

    def cells(self, rules: Rules) -> int:
        """The number of values that its table has."""
        rows = classes(rules.rows, rules.cols, self.pa) * _royal_places(self.pa, self.ra)
        return rows * math.comb(rules.squares - self.pa, self.pb) * _royal_places(self.pb, self.rb)


def _royal_places(pieces: int, royal: int) -> int:
    return pieces if royal == ROYAL_ON_BOARD else 1


@cache
def classes(rows: int, cols: int, size: int) -> int:
    """The number of sets of so many squares up to the board's symmetries (Burnside's lemma)."""
    total = order = 0
    for symmetry in range(8 if rows == cols else 4):
        order += 1
        # The sets that a symmetry fixes are made of whole cycles: a coefficient of the product of 1 + x**length.
        ways = [1] + [0] * size
        for length in _cycles(rows, cols, symmetry):
            for k in range(size, length - 1, -1):
                ways[k] += ways[k - length]
        total += ways[size]
    return total // order


def _cycles(rows: int, cols: int, symmetry: int) -> Iterator[int]:
    """The lengths of the cycles of squares of a symmetry: bit 0 mirrors columns, bit 1 rows, bit 2 then swaps the two."""

    def image(row: int, col: int) -> tuple[int, int]:
        col = cols - 1 - col if symmetry & 1 else col
        row = rows - 1 - row if symmetry & 2 else row
        return (col, row) if symmetry & 4 else (row, col)

    left = {(row, col) for row in range(rows) for col in range(cols)}
    while left:
        square = left.pop()
        length = 1
        after = image(*square)
        while after != square:
            left.remove(after)
            after = image(*after)
            length += 1
        yield length


# What rules make of slices --------------------------------------------------------------------------------------------------------


def table_rules(rules: Rules) -> Rules:
    """The rules that tables are known by: without what a position's value does not depend on.

    The number of pieces at the start only limits which positions occur, and in theory endless play is a draw anyway.

    Raises:
        WrongRulesError: the rules have trade routes, which tables do not know.
    """
    if rules.trade_routes:
        raise WrongRulesError(f"tables do not know trade routes, which the rules {rules} have")
    plain = Rules()
    return dataclasses.replace(rules, pieces=plain.pieces, repetition=plain.repetition)


def fits(rules: Rules, slice_: Slice) -> bool:
    """Whether there is such a slice."""
    for pieces, hand, royal, on_board in (
        (slice_.a, slice_.ha, slice_.ra, slice_.pa),
        (slice_.b, slice_.hb, slice_.rb, slice_.pb),
    ):
        if not (1 <= pieces <= MAX_PIECES and 0 <= hand <= pieces and NO_ROYAL <= royal <= ROYAL_ON_BOARD):
            return False
        if on_board < (royal == ROYAL_ON_BOARD) or (royal and not rules.royal_caravan):
            return False
    if slice_.must_drop and not (rules.drop_initiative and (slice_.ha or slice_.ra == ROYAL_IN_HAND)):
        return False
    return slice_.pa + slice_.pb <= rules.squares


def slices_up_to(rules: Rules, pieces: int) -> list[Slice]:
    """All slices with up to so many pieces of both sides together, each side with no more than the rules give it."""
    royals = (NO_ROYAL, ROYAL_IN_HAND, ROYAL_ON_BOARD) if rules.royal_caravan else (NO_ROYAL,)
    found = [
        Slice(a, ha, b, hb, ra, rb, must_drop)
        for a in range(1, min(pieces - 1, rules.pieces) + 1)
        for b in range(1, min(pieces - a, rules.pieces) + 1)
        for ra in royals
        for rb in royals
        for ha in range(a + 1)
        for hb in range(b + 1)
        for must_drop in ((False, True) if rules.drop_initiative else (False,))
    ]
    return _in_order(rules, found)


def start_slice(rules: Rules) -> Slice:
    """The slice that a game starts in."""
    royal = ROYAL_IN_HAND if rules.royal_caravan else NO_ROYAL
    camels = rules.pieces - rules.royal_caravan
    return Slice(rules.pieces, camels, rules.pieces, camels, royal, royal)


def slices_from(rules: Rules, start: Slice) -> list[Slice]:
    """All slices that play from one can reach, with their partners."""
    found = {start}
    waiting = [start]
    while waiting:
        slice_ = waiting.pop()
        for after in {*children(rules, slice_), *slice_.pair} - found:
            found.add(after)
            waiting.append(after)
    return _in_order(rules, found)


def _in_order(rules: Rules, found: list[Slice] | set[Slice]) -> list[Slice]:
    known = [slice_ for slice_ in found if fits(rules, slice_) and not slice_.is_decided(rules)]
    return sorted(known, key=lambda slice_: (slice_.order, slice_.pair, slice_))


def children(rules: Rules, slice_: Slice) -> set[Slice]:
    """The slices that drops, captures and passes from a slice lead to, as far as numbers tell; not its partner's by steps."""
    found = set()
    if slice_.pa + slice_.pb < rules.squares:
        found |= set(_drops(rules, slice_))
        if not slice_.must_drop and slice_.pb and max(rules.rows, rules.cols) >= 3:
            found |= set(_captures(rules, slice_))
    if slice_.must_drop and rules.no_moves == "pass":
        found.add(slice_.partner._replace(must_drop=False))
    return {after for after in found if fits(rules, after) and not after.is_decided(rules)} - set(slice_.pair)


def _drops(rules: Rules, slice_: Slice) -> Iterator[Slice]:
    obliges = rules.drop_initiative and not slice_.must_drop and (slice_.hb > 0 or slice_.rb == ROYAL_IN_HAND)
    after = slice_.partner._replace(must_drop=obliges)
    if slice_.ha:
        yield after._replace(hb=slice_.ha - 1)
    if slice_.ra == ROYAL_IN_HAND:
        yield after._replace(rb=ROYAL_ON_BOARD)


def _captures(rules: Rules, slice_: Slice) -> Iterator[Slice]:
    """What captures leave: jumped pieces leave the board, and for each camel among them one more may, or may leave the hand."""
    camels = slice_.pb - (slice_.rb == ROYAL_ON_BOARD)
    for royals in range(1 + (slice_.rb == ROYAL_ON_BOARD)):
        for jumped in range(camels + 1):
            if not (1 <= royals + jumped <= (slice_.pb if rules.chain_capture else 1)):
                continue
            for board, hand in _removals(rules, camels - jumped, slice_.hb, jumped):
                left = slice_.b - royals - jumped - board - hand
                royal = NO_ROYAL if royals else slice_.rb
                after = slice_._replace(b=left, hb=slice_.hb - hand, rb=royal, must_drop=False)
                yield after if rules.bonus_turn else after.partner


def _removals(rules: Rules, camels: int, hand: int, most: int) -> Iterator[tuple[int, int]]:
    """How many second removals come from the board and from the hand, at most so many in all."""
    for from_board in range(min(camels, most) + 1):
        for from_hand in range(min(hand, most - from_board) + 1):
            if from_hand and (
                rules.second_removal == "board" or (rules.second_removal == "board_then_hand" and from_board < camels)
            ):
                continue
            available = camels + (0 if rules.second_removal == "board" else hand)
            if rules.optional_removal or from_board + from_hand == min(most, available):
                yield from_board, from_hand
