"""Adaptive reuse of a holdout, as an experiment: models built from the scores of earlier models.

The majority attack (Blum & Hardt 2015): the labels are coin flips that no model can predict, so every
model's true error is one half. Random models are scored on the holdout, those that look better than
chance are kept, and their majority vote looks good on this holdout and nowhere else. A rule for
sharing delta over looks is valid only if its last promise stays above one half.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np

from assay.certificates.issue.certify import certify
from assay.certificates.ledger.ledger import Ledger
from assay.checks.bound import Experiment
from assay.theory.tail.binomial import upper_rate
from assay.types import Floats


class Rule(Protocol):
    """How one holdout answers: error counts for a while, then one promise."""

    def tell(self, errors: int, rows: int) -> None:
        """Tell the error count of one model to whoever builds the next."""

    def promise(self, errors: int, rows: int) -> float:
        """The error rate promised for the last model."""


class LooksOnly:
    """Shares delta as delta / (j (j + 1)) over looks and charges nothing for what they told."""

    def __init__(self, delta: float = 0.05) -> None:
        self.delta, self.looks = Fraction(str(delta)), 0

    def tell(self, errors: int, rows: int) -> None:
        """Count the look."""
        self.looks += 1

    def promise(self, errors: int, rows: int) -> float:
        """The exact bound at the share of the next look."""
        j = self.looks + 1
        return upper_rate(errors, rows, self.delta / (j * (j + 1)))


class Charged:
    """The shipped ledger: every count is told by a certificate, and charged for."""

    def __init__(self, delta: float = 0.05) -> None:
        self.delta, self.ledger = delta, Ledger(":memory:")

    def tell(self, errors: int, rows: int) -> None:
        """Issue a certificate, which tells the count."""
        self.promise(errors, rows)

    def promise(self, errors: int, rows: int) -> float:
        """The number in the certificate."""
        return certify(
            errors=errors, rows=rows, delta=self.delta, ledger=self.ledger, holdout="attacked"
        ).error


def majority_attack(rule: Callable[[], Rule], looks: int, rows: int = 1000) -> Experiment:
    """An experiment for `check_bound`: the promise for a majority vote over models kept by score.

    Parameters
    ----------
    rule : callable
        Makes a fresh `Rule` for each trial, such as `LooksOnly` or `Charged`.
    looks : int
        How many random models are scored before the last one is certified.
    rows : int
        The size of the holdout.

    Examples
    --------
    >>> experiment = majority_attack(LooksOnly, looks=100)
    >>> promised, truth = experiment(np.random.default_rng(0), 3)
    >>> bool((promised < truth).all())
    True
    """

    def experiment(rng: np.random.Generator, trials: int) -> tuple[Floats, Floats]:
        promised = np.empty(trials)
        for trial in range(trials):
            book = rule()
            # Whether model j is right on row i: fair coins, whatever the labels are.
            right = rng.random((looks, rows)) < 0.5
            errors = rows - right.sum(axis=1)
            for count in errors.tolist():
                book.tell(count, rows)
            kept = np.where(errors[:, None] * 2 <= rows, right, ~right)
            # Ties are broken by coins; the vote is right where it exceeds half.
            coins = rng.random(rows) < 0.5
            vote = 2 * kept.sum(axis=0) + coins > looks
            promised[trial] = book.promise(int(rows - vote.sum()), rows)
        return promised, np.full(trials, 0.5)

    return experiment
