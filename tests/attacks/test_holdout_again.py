"""The same holdout under another face must not open a new account: labels, order, parts, unions."""

from __future__ import annotations

import numpy as np
import pytest

from assay import Ledger, certify
from assay.certificates.ledger.row_sketch import MOST_KEYS
from assay.evidence.rows import row_digests


class Fixed:
    """A model that answers what it was made with, row by row of a given table."""

    def __init__(self, X, answers):
        self.known = {row.tobytes(): a for row, a in zip(X, answers, strict=True)}

    def predict(self, X):
        return np.array([self.known[row.tobytes()] for row in np.asarray(X)])


def table(rows: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 3)), rng.integers(0, 2, rows)


def looks(ledger: Ledger) -> list[int]:
    return [entry.number for entry in ledger.entries()]


def majority_by_renaming(ledger: Ledger, rng: np.random.Generator, rows=1000, models=100) -> float:
    """Coin-flip labels, renamed before each look; random models kept by score; their vote certified."""
    truth = rng.integers(0, 2, rows)
    guesses = rng.integers(0, 2, (models, rows))
    kept = np.empty_like(guesses)
    for j, guess in enumerate(guesses):
        names = np.array([f"no {j}", f"yes {j}"])
        errors = certify(y_true=names[truth], y_pred=names[guess], ledger=ledger).claims[0]
        kept[j] = guess if float(errors.observed) <= 0.5 else 1 - guess
    vote = np.array(["bad", "good"])[(kept.mean(axis=0) + 1e-9 * rng.normal(size=rows) > 0.5) * 1]
    return certify(y_true=np.array(["bad", "good"])[truth], y_pred=vote, ledger=ledger).error


def test_the_majority_attack_does_not_win_by_renaming_labels():
    # Won 12 of 12 while labels were known by their names: each look was the first at a new holdout.
    rng = np.random.default_rng(7)
    assert majority_by_renaming(Ledger(":memory:"), rng) >= 0.5


@pytest.mark.guarantees
def test_the_majority_attack_wins_none_of_twelve():
    rng = np.random.default_rng(8)
    won = [majority_by_renaming(Ledger(":memory:"), rng) < 0.5 for _ in range(12)]
    assert sum(won) == 0


@pytest.mark.parametrize(
    "renamed",
    [
        lambda y: np.array(["no", "yes"])[y],
        lambda y: 1 - y,
        lambda y: y.astype(bool),
        lambda y: y * 40 + 2,
    ],
)
def test_renamed_labels_are_the_same_holdout(renamed):
    ledger, (_, y) = Ledger(":memory:"), table(300)
    certify(y_true=y, y_pred=y, ledger=ledger)
    certify(y_true=renamed(y), y_pred=renamed(y), ledger=ledger)
    assert looks(ledger) == [1, 2]
    assert ledger.entries()[1].holdout == ledger.entries()[0].holdout


def certified(ledger, X, y, **more):
    return certify(Fixed(X, y), X, y, ledger=ledger, **more)


def test_another_order_is_the_same_holdout_where_rows_are_given():
    ledger, (X, y) = Ledger(":memory:"), table(500)
    order = np.random.default_rng(1).permutation(500)
    certified(ledger, X, y)
    certified(ledger, X[order], y[order])
    certified(ledger, X[::-1], 1 - y[::-1])  # and with other labels
    assert looks(ledger) == [1, 2, 3]


@pytest.mark.parametrize("part", [0.5, 0.6, 0.99, 0.1])
def test_a_part_of_a_holdout_is_that_holdout(part):
    ledger, (X, y) = Ledger(":memory:"), table(400)
    keep = np.random.default_rng(2).permutation(400)[: int(part * 400)]
    certified(ledger, X, y)
    certified(ledger, X[keep], y[keep])
    assert looks(ledger) == [1, 2]


def test_a_larger_holdout_pays_for_the_one_within_it():
    ledger, (X, y) = Ledger(":memory:"), table(4000)
    certified(ledger, X[:100], y[:100])
    certified(ledger, X, y)
    assert looks(ledger) == [1, 2]


def test_a_union_pays_for_both_and_makes_them_one():
    ledger, (X, y) = Ledger(":memory:"), table(600)
    for _ in range(3):
        certified(ledger, X[:300], y[:300])
    certified(ledger, X[300:], y[300:], holdout="second")
    whole = certified(ledger, X, y)
    entries = ledger.entries()
    assert [e.number for e in entries] == [1, 2, 3, 1, 5]
    assert int(entries[4].answers_before, 16) == 301**4
    assert whole.document["ledger"]["answers_before"] == hex(301**4)
    # Either half now pays for everything that was told about the two.
    certified(ledger, X[300:], y[300:])
    certified(ledger, X[:300], y[:300])
    ledger.charge("second", answers=2, delta=0.05)
    assert looks(ledger)[5:] == [6, 7, 8]
    assert int(ledger.entries()[6].answers_before, 16) == 301**5 * 601
    ledger.check()


def test_holdouts_that_share_no_row_pay_separately():
    ledger, (X, y) = Ledger(":memory:"), table(600)
    certified(ledger, X[:300], y[:300])
    certified(ledger, X[300:], y[300:])
    assert looks(ledger) == [1, 1]


@pytest.mark.parametrize("part", [0.5, 0.02])
def test_a_sample_of_the_rows_is_enough_for_large_holdouts(part):
    rows = 3 * MOST_KEYS
    digests = row_digests(np.arange(rows, dtype=float)[:, None])
    ledger = Ledger(":memory:")
    ledger.charge(answers=2, delta=0.05, rows=digests)
    keep = np.random.default_rng(3).permutation(rows)[: int(part * rows)]
    ledger.charge(answers=2, delta=0.05, rows=digests[keep])
    ledger.charge(answers=2, delta=0.05, rows=row_digests(-1.0 - np.arange(rows)[:, None]))
    assert looks(ledger) == [1, 2, 1]


def test_copies_do_not_make_a_part_whole():
    # Each row of a fresh holdout, but one that was seen, a thousand times: one row in common is no holdout.
    ledger, (X, y) = Ledger(":memory:"), table(600)
    certified(ledger, X[:300], y[:300])
    rows = row_digests(np.vstack([X[300:], np.repeat(X[:1], 300, axis=0)]))
    ledger.charge(answers=2, delta=0.05, rows=rows)
    assert looks(ledger) == [1, 1]
