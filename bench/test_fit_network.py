"""The training of the network: derivatives, symmetry, and that it learns."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import fit_network as fit
import numpy as np
import pytest
from numpy.typing import NDArray
from records import write_records

import yote_fast as yf

ROWS = 60


@pytest.fixture
def samples() -> fit.Samples:
    """Random positions, with a made-up result each: White wins where there are more white pieces on the board."""
    games = []
    for seed in range(ROWS):
        board = fit.random_position(random.Random(seed))
        lead = board.white.bit_count() - board.black.bit_count()
        games.append(fit.Game(float(lead > 0), [(board.yfen(), 100 * lead)]))
    return fit.samples_of(iter(games))


def weights() -> fit.Weights:
    return {name: value.astype(float) for name, value in fit.first_weights(np.random.default_rng(1)).items()}


def loss(w: fit.Weights, x: NDArray[Any], samples: fit.Samples) -> float:
    return fit.loss(fit.outputs(w, x, samples.phase)[0], samples.result)


def test_slopes(samples: fit.Samples) -> None:
    w, x, tiny = weights(), samples.x.astype(float), 1e-6
    slopes = fit.slopes(w, x, samples.phase, samples.result)
    for name, value in w.items():
        for place in range(0, value.size, 7):
            value.flat[place] += tiny
            above = loss(w, x, samples)
            value.flat[place] -= 2 * tiny
            below = loss(w, x, samples)
            value.flat[place] += tiny
            assert slopes[name].flat[place] == pytest.approx((above - below) / (2 * tiny), abs=1e-7), f"{name} {place}"


def test_reflected_positions_have_the_same_output(samples: fit.Samples) -> None:
    w, x = weights(), samples.x.astype(float)
    squares = x[:, : 2 * fit.SQUARES].reshape(-1, 2, fit.ROWS, fit.COLS)
    plain = fit.outputs(w, x, samples.phase)[0]
    for view in range(1, 4):
        seen = np.concatenate([fit.turned(squares, view).reshape(len(x), -1), x[:, 2 * fit.SQUARES :]], axis=1)
        assert fit.outputs(w, seen, samples.phase)[0] == pytest.approx(plain)


def test_rows_are_seen_by_the_side_to_move() -> None:
    for yfen in ("C5/6/6/6/5c w 3/7", "5c/6/6/6/C5 w 3/7", "c5/6/6/6/5C b 7/3"):
        found = fit.samples_of(iter([fit.Game(1.0, [(yfen, 10)])]))
        own, enemy = (int(side @ 2 ** np.arange(fit.SQUARES)) for side in found.x[0, : 2 * fit.SQUARES].reshape(2, -1))
        board = yf.Board(yfen)
        assert (own, enemy) == ((board.white, board.black) if board.turn else (board.black, board.white))
        assert list(np.flatnonzero(found.x[0, 2 * fit.SQUARES :])) == [3, 13 + 7]
        assert found.phase == (2 + 10 - 1) // 4
        assert found.result == board.turn


def test_it_learns(samples: fit.Samples, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "BATCH", 20)
    monkeypatch.setattr(fit, "EPOCHS", 60)
    learned = fit.train(samples, samples.result, seed=1)
    assert fit.loss(fit.logits_of(learned, samples), samples.result) < 0.2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "missing.gz"], "missing.gz: No such file or directory"),
        (["train", "."], r"\.: Is a directory"),
        (["train", "changed.gz"], "changed.gz is not what this script wrote"),
        (["train", "other.gz"], "other.gz is not what this script wrote: .*'rules'"),
        (["train", "shape.gz"], "a game is not as this script writes them"),
        (["train", "empty.gz"], "there are no positions in the data"),
        (["train", "text.gz"], "text.gz is not what this script wrote: Not a gzipped file"),
        (["train", "cut.gz"], "cut.gz is not what this script wrote: Compressed file ended"),
        (["train", "random.gz"], "too few games"),
        (["play", "--games", "1", "missing/games.gz"], "missing/games.gz.part: No such file or directory"),
    ],
)
def test_bad_files_are_named(arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_records(Path("random.gz"), fit.play(0, 30, seed=1, nodes=10))
    whole = Path("random.gz").read_bytes()
    Path("cut.gz").write_bytes(whole[:-10])
    Path("changed.gz").write_bytes(whole[:200] + b"changed" + whole[207:])
    Path("text.gz").write_text("no games")
    Path("other.gz").write_bytes(gzip.compress(b'{"rules": "yote"}\n'))
    Path("shape.gz").write_bytes(gzip.compress(b'{"result": 1, "positions": [5]}\n'))
    Path("empty.gz").write_bytes(gzip.compress(b""))
    files = set(tmp_path.iterdir())
    monkeypatch.setattr("sys.argv", ["fit_network.py", *arguments])
    with pytest.raises(SystemExit, match=message):
        fit.main()
    assert set(tmp_path.iterdir()) == files
