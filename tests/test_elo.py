"""Match statistics, against textbook values, brute force and simulation."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import pytest

from yote_fast.elo import Sprt, Tally, elo_of, log_likelihood_ratio, score_of


def tally(results: str, *, paired: bool = True) -> Tally:
    """The tally of games in order, each ``1``, ``0`` or ``=``."""
    points = [{"1": 1.0, "0": 0.0, "=": 0.5}[result] for result in results]
    found = Tally()
    for value in points:
        found.add(value)
    if paired:
        for one, other in zip(points[::2], points[1::2], strict=False):
            found.add_pair(one + other)
    return found


def test_elo_and_score() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo_of(10 / 11) == pytest.approx(400)
    assert (elo_of(0.0), elo_of(1.0)) == (-math.inf, math.inf)
    for elo in (-321.5, -1, 0, 7, 650):
        assert elo_of(score_of(elo)) == pytest.approx(elo)


def test_counts() -> None:
    found = tally("11=0==1")
    assert (found.wins, found.draws, found.losses, found.games) == (3, 3, 1, 7)
    assert found.pairs == [0, 1, 1, 0, 1]
    assert found.score == pytest.approx(4.5 / 7)


def test_no_games() -> None:
    found = Tally()
    assert (found.score, found.error, found.elo, found.los) == (0.5, 0, 0, 0.5)
    assert found.elo_interval() == (-math.inf, math.inf)
    assert Sprt(0, 10).llr(found) == 0
    assert Sprt(0, 10).accepted(found) is None


def test_error_over_games() -> None:
    found = Tally(wins=50, draws=30, losses=20)
    assert found.score == 0.65
    # Mean of squares 0.5 + 0.3 / 4, less 0.65 squared.
    assert found.error == pytest.approx(math.sqrt(0.1525 / 100))
    assert found.los == pytest.approx(0.99994, abs=1e-5)


def test_error_over_pairs() -> None:
    # Pairs of 2, 2, 1, 1, 0.5 and 1.5 points: mean 2/3 of the points, the same variance worked out by hand.
    found = tally("111110==0=1=")
    shares = [1, 1, 0.5, 0.5, 0.25, 0.75]
    mean = sum(shares) / 6
    assert found.score == pytest.approx(mean)
    assert found.error == pytest.approx(math.sqrt(sum((share - mean) ** 2 for share in shares) / 6 / 6))


def test_openings_that_decide_games_are_no_noise() -> None:
    # White wins every game: whoever plays, pairs end 1 to 1.
    games = tally("10" * 50, paired=False)
    pairs = tally("10" * 49 + "11")
    assert games.error == pytest.approx(0.05)
    assert pairs.error < 0.01


def test_interval_of_wins_and_losses() -> None:
    # Wilson's interval of 8 successes in 10.
    low, high = Tally(wins=8, losses=2).elo_interval()
    assert score_of(low) == pytest.approx(0.4902, abs=1e-4)
    assert score_of(high) == pytest.approx(0.9433, abs=1e-4)


def test_interval_with_few_or_equal_results() -> None:
    low, high = Tally(wins=10).elo_interval()
    assert score_of(low) == pytest.approx(0.7225, abs=1e-4)
    assert high == math.inf
    low, high = Tally(draws=10).elo_interval()
    assert low < -100
    assert high == pytest.approx(-low)
    assert Tally(wins=1).los < 0.9
    assert Tally(wins=10).los > 0.99
    assert Tally(draws=9).los == 0.5


def test_interval_of_many_games_is_the_normal_one() -> None:
    found = Tally(wins=5200, draws=3000, losses=4800)
    low, high = found.elo_interval()
    assert score_of(high) - score_of(low) == pytest.approx(2 * 1.95996 * found.error, rel=1e-3)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = random.Random(5)
    for chances in ([0.2, 0.3, 0.5], [0.05, 0.1, 0.85], [0.45, 0.1, 0.45]):
        truth = elo_of(chances[1] / 2 + chances[2])
        held = 0
        for _ in range(2000):
            results = "".join(rng.choices("0=1", chances, k=60))
            low, high = tally(results).elo_interval()
            held += low <= truth <= high
        assert 0.92 < held / 2000 < 0.985


def best_log_likelihood(counts: Sequence[int], mean: float) -> float:
    """Of losses, draws and wins, by trying all shares of draws."""
    best = -math.inf
    for step in range(1, 20_000):
        draws = step / 20_000
        wins = mean - draws / 2
        losses = 1 - draws - wins
        if wins > 0 and losses > 0:
            shares = (losses, draws, wins)
            best = max(best, sum(count * math.log(share) for count, share in zip(counts, shares, strict=True)))
    return best


@pytest.mark.parametrize("counts", [(20, 30, 50), (3, 40, 7), (100, 1, 120)])
@pytest.mark.parametrize(("score0", "score1"), [(0.5, 0.55), (0.45, 0.6)])
def test_likelihood_ratio_is_that_of_the_best_cases(counts: tuple[int, int, int], score0: float, score1: float) -> None:
    expected = best_log_likelihood(counts, score1) - best_log_likelihood(counts, score0)
    assert log_likelihood_ratio(counts, score0, score1) == pytest.approx(expected, abs=1e-4)


def test_likelihood_ratio_of_pairs_nears_the_normal_one() -> None:
    counts = [300, 900, 2000, 1000, 350]
    total = sum(counts)
    mean = sum(n * i / 4 for i, n in enumerate(counts)) / total
    variance = sum(n * (i / 4 - mean) ** 2 for i, n in enumerate(counts)) / total
    score0, score1 = score_of(0), score_of(5)
    expected = total * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)
    assert log_likelihood_ratio(counts, score0, score1) == pytest.approx(expected, rel=0.01)


def test_likelihood_ratio_of_opposites() -> None:
    assert log_likelihood_ratio([10, 20, 10], score_of(-8), score_of(8)) == pytest.approx(0, abs=1e-9)
    forth = log_likelihood_ratio([1, 2, 3, 4, 5], score_of(-3), score_of(8))
    back = log_likelihood_ratio([5, 4, 3, 2, 1], score_of(-8), score_of(3))
    assert forth == pytest.approx(-back)


def test_decisions() -> None:
    test = Sprt(0, 100)
    assert list(test.bounds) == pytest.approx([-2.944, 2.944], abs=1e-3)
    assert test.accepted(tally("1=" * 40)) == "elo1"
    assert test.accepted(tally("0=" * 40)) == "elo0"
    assert test.accepted(tally("=1=0" * 2)) is None
    assert list(Sprt(0, 100, 0.01, 0.2).bounds) == pytest.approx([math.log(0.2 / 0.99), math.log(0.8 / 0.01)])


@pytest.mark.parametrize("arguments", [(5, 5), (10, 0), (0, 5, 0), (0, 5, 0.05, 0.5), (0, 5, -1)])
def test_tests_that_make_no_sense(arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Sprt(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "wrong"), [(0, "elo1"), (50, "elo0")])
def test_a_sequential_test_errs_as_seldom_as_it_says(elo: float, wrong: str) -> None:
    rng = random.Random(9)
    test = Sprt(0, 50)
    win = score_of(elo) - 0.15
    errors = 0
    for _ in range(150):
        found = Tally()
        for _ in itertools.count():
            points = rng.choices([0, 0.5, 1], [1 - 0.3 - win, 0.3, win], k=2)
            for value in points:
                found.add(value)
            found.add_pair(sum(points))
            decision = test.accepted(found)
            if decision is not None:
                break
        errors += decision == wrong
    # 7.5 are expected, give or take 2.7.
    assert errors <= 15
