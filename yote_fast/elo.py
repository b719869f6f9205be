"""What the results of a match say about strength: Elo with its error, likelihood of superiority, sequential test.

Games come in pairs, one opening played from both sides, so the two results of a pair hang together: an opening that favours a side
gives one point to each. The variance is therefore taken over pairs (five possible scores, "pentanomial") once there are some, and
over single games before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

CONFIDENCE = 0.95
MIN_PAIRS = 4
"""Fewer pairs say too little about the variance."""
EMPTY = 1e-3
"""Stands for a count of 0 in a likelihood ratio, which would be infinite otherwise."""

_NORMAL = NormalDist()


@dataclass
class Tally:
    """The results of a match so far, for the first player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    """Finished pairs of games by their points: 0, 1/2, 1, 3/2, 2."""

    @property
    def games(self) -> int:
        """Games that count."""
        return self.wins + self.draws + self.losses

    def add(self, points: float) -> None:
        """Count a game: 1 won, 0.5 drawn, 0 lost."""
        if points == 1:
            self.wins += 1
        elif points == 0:
            self.losses += 1
        else:
            self.draws += 1

    def add_pair(self, points: float) -> None:
        """Count both games of a pair, already added one by one, as a pair that scored 0 to 2."""
        self.pairs[round(2 * points)] += 1

    @property
    def score(self) -> float:
        """Points a game, 0 to 1; 0.5 without any game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def error(self) -> float:
        """The standard error of ``score``; 0 if all games (or pairs) scored the same."""
        if sum(self.pairs) >= MIN_PAIRS:
            # The variance of a game's share in a pair, for a score that is the mean of so many games.
            return math.sqrt(2 * _variance(self.pairs) / self.games)
        return math.sqrt(_variance([self.losses, self.draws, self.wins]) / self.games) if self.games else 0.0

    @property
    def elo(self) -> float:
        """The rating difference that ``score`` stands for; infinite if it is 0 or 1."""
        return elo_of(self.score)

    def elo_interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The bounds of the rating difference: Wilson's interval, which holds for few games and for one-sided results too."""
        if not self.games:
            return -math.inf, math.inf
        z = _NORMAL.inv_cdf((1 + confidence) / 2)
        # So many won-or-lost games would have the same error: more than were played, if there were draws.
        games = self.score * (1 - self.score) / self.error**2 if self.error else self.games
        middle = (self.score + z * z / (2 * games)) / (1 + z * z / games)
        half = z * math.sqrt(self.score * (1 - self.score) / games + (z / (2 * games)) ** 2) / (1 + z * z / games)
        return elo_of(middle - half), elo_of(middle + half)

    @property
    def los(self) -> float:
        """The likelihood of superiority: how sure it is that the first player is the stronger one, 0 to 1."""
        if not self.games:
            return 0.5
        # If all results are the same, their variance says nothing; that of a fair coin does.
        return _NORMAL.cdf((self.score - 0.5) / (self.error or 0.5 / math.sqrt(self.games)))

    def __str__(self) -> str:
        low, high = self.elo_interval()
        elo = f"Elo {self.elo:+.0f} ± {(high - low) / 2:.0f}"
        return f"{self.wins} won, {self.draws} drawn, {self.losses} lost, {self.score:.1%}, {elo}"


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test: is the rating difference ``elo0``, or ``elo1``?

    Raises:
        ValueError: ``elo0`` is not below ``elo1``, or an error rate is not between 0 and 0.5.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The chance of accepting ``elo1`` where ``elo0`` is true."""
    beta: float = 0.05
    """The chance of accepting ``elo0`` where ``elo1`` is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be less than elo1, not {self.elo0} and {self.elo1}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {getattr(self, name)}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which ``elo0`` and ``elo1`` are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, tally: Tally) -> float:
        """The log-likelihood ratio of ``elo1`` against ``elo0``: over pairs, or over games as long as there are few pairs."""
        counts = tally.pairs if sum(tally.pairs) >= MIN_PAIRS else [tally.losses, tally.draws, tally.wins]
        return log_likelihood_ratio(counts, score_of(self.elo0), score_of(self.elo1)) if tally.games else 0.0

    def accepted(self, tally: Tally) -> str | None:
        """``"elo0"`` or ``"elo1"`` if the test is decided, else None."""
        llr = self.llr(tally)
        low, high = self.bounds
        return "elo0" if llr <= low else "elo1" if llr >= high else None


def elo_of(score: float) -> float:
    """The rating difference at which ``score``, 0 to 1, is expected."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """The expected score, 0 to 1, at a rating difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def log_likelihood_ratio(counts: Sequence[float], score0: float, score1: float) -> float:
    """How much likelier the counts are with a mean of ``score1`` than of ``score0``.

    Args:
        counts: of each possible score; the scores are evenly spaced from 0 to 1.
        score0, score1: the two means, between 0 and 1.

    Each mean is given its best case: the distribution with that mean under which the counts are likeliest (a generalised
    likelihood ratio).
    """
    filled = [count or EMPTY for count in counts]
    total = sum(filled)
    shares = [count / total for count in filled]
    likeliest0, likeliest1 = (_likeliest(shares, score) for score in (score0, score1))
    return total * sum(p * math.log(b / a) for p, a, b in zip(shares, likeliest0, likeliest1, strict=True))


def _likeliest(shares: Sequence[float], mean: float) -> list[float]:
    """The distribution with a given mean under which the observed shares are likeliest.

    By Lagrange multipliers it is p / (1 + x (score - mean)), where x makes the mean right; the left side below falls with x.
    """
    offsets = [i / (len(shares) - 1) - mean for i in range(len(shares))]
    low, high = -1 / offsets[-1], -1 / offsets[0]
    for _ in range(60):
        x = (low + high) / 2
        if sum(p * d / (1 + x * d) for p, d in zip(shares, offsets, strict=True)) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * d) for p, d in zip(shares, offsets, strict=True)]


def _variance(counts: Sequence[int]) -> float:
    """Of scores evenly spaced from 0 to 1, by how often each was made."""
    total = sum(counts)
    scores = [i / (len(counts) - 1) for i in range(len(counts))]
    mean = sum(n * score for n, score in zip(counts, scores, strict=True)) / total
    return sum(n * (score - mean) ** 2 for n, score in zip(counts, scores, strict=True)) / total
