"""Promises about a few rows, under the distribution that breaks them most often; and what is broken is found so."""

from __future__ import annotations

import numpy as np
import pytest

from assay import certify
from tests.attacks.adversary import Adversary

CELLS = {
    2: [(t, p) for t in range(2) for p in range(2)],
    3: [(t, p) for t in range(3) for p in range(3)],
}


def labelled(sample, classes):
    """Truth and predictions of a sample whose kinds are the cells of a confusion."""
    return np.repeat(np.array(CELLS[classes]), sample, axis=0).T


def f1_by_class(shares, classes):
    cells = shares.reshape(classes, classes)
    return 2 * np.diag(cells) / np.maximum(cells.sum(axis=0) + cells.sum(axis=1), 1e-300)


def macro_f1(classes, rows, delta, declared):
    """Half of delta is spent on macro F1; without a word on the classes it is about those that occur."""

    def ask(sample):
        truth, guess = labelled(sample, classes)
        said = {"labels": list(range(classes))} if declared else {}
        made = certify(y_true=truth, y_pred=guess, rates=["macro-f1"], delta=delta, **said)
        known = {each.id: each.status for each in made.claims[1].assumptions}
        assert known["classes-first"] == ("declared" if declared else "not asked")
        seen = range(classes) if declared else sorted({*truth.tolist(), *guess.tolist()})
        return [(tuple(seen), made.claims[1].promised, False)]

    def true(seen, shares):
        return f1_by_class(shares, classes)[list(seen)].mean()

    return Adversary(classes**2, rows, ask, true)


@pytest.mark.parametrize(
    ("classes", "rows", "delta"), [(2, 1, 0.1), (2, 2, 0.1), (2, 3, 0.0002), (3, 2, 0.1)]
)
def test_macro_f1_over_declared_classes(classes, rows, delta):
    assert macro_f1(classes, rows, delta, declared=True).worst(1) <= delta / 2


@pytest.mark.filterwarnings("ignore:prediction holds")
def test_macro_f1_over_the_classes_that_occur_is_no_promise_by_itself():
    # Right rows bring one class, wrong rows two: the fewer classes, the fewer share delta.
    assert macro_f1(2, 2, 0.0002, declared=False).worst(1) > 1.5 * 0.0001
