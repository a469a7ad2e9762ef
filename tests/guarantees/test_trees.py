"""What a tree's description promises, never broken on trees chosen after the fact."""

from dataclasses import replace

import numpy as np
import pytest

from assay import DecisionTreeClassifier
from assay.guarantees.trees import description_guarantees, pruning_guarantee
from assay.record.tree import TreeRecord
from assay.theory.generalization.occam import occam_bits, occam_prefix_free, regularized_occam


def record(errors=0, rows=400, bits=16):
    return TreeRecord(rows, errors, None, 7, 5, 2, 4, 2, 0, bits)


def test_numbers_are_those_of_the_theorems():
    exact, consistent, regular = description_guarantees(record(), delta=0.05)
    assert consistent.value == pytest.approx(occam_prefix_free(16, 400, 0.05))
    assert regular.value == pytest.approx(regularized_occam(0, 400, 16, 0.05, "prefix-free"))
    # Without errors the exact tail is (1 - e)^m = delta 2^-bits.
    assert exact.value == pytest.approx(1 - (0.05 * 2**-16) ** (1 / 400))
    assert exact.value < consistent.value < regular.value
    limited = description_guarantees(record(), delta=0.05, bits=17)[3]
    assert limited.value == pytest.approx(occam_bits(17, 400, 0.05))


def test_the_loan_tree_promises_nothing_by_the_textbook():
    exact, consistent, _ = description_guarantees(record(rows=10))
    assert occam_prefix_free(16, 10, 0.05) == pytest.approx(1.408609, abs=1e-6)
    assert consistent.vacuous
    assert exact.value == pytest.approx(1 - (0.05 * 2**-16) ** 0.1)


def test_errors_and_long_descriptions_are_seen():
    _, consistent, regular, limited = description_guarantees(record(errors=3), bits=16)
    assert not consistent.applies
    assert not limited.applies
    assert regular.applies
    assert description_guarantees(TreeRecord(9, None, 1.0, 3, 2, 1, 4, 0, 1, None)) == []


def test_price_of_a_leaf():
    tree = TreeRecord(9, None, 1.0, 5, 3, 2, 4, 0, 1, None, weakest=(0.3, 0.1, 3))
    assert pruning_guarantee(replace(tree, weakest=None)) == []
    [holds] = pruning_guarantee(replace(tree, price=0.05))
    assert holds.value == pytest.approx(0.1)
    assert holds.holds
    [broken] = pruning_guarantee(replace(tree, price=0.2))
    assert not broken.holds


@pytest.mark.parametrize(("counted", "sound"), [(True, True), (False, False)])
def test_no_promise_breaks_when_the_tree_is_chosen_by_its_errors(counted, sound):
    """The best tree on fair coins errs on half of all new rows, whatever it does on the examples.

    Without the bits of its description, as if the tree had been there before the examples, the same check
    sees promises break.
    """
    rng = np.random.default_rng(0)
    trials, m, d, delta = 100, 60, 32, 0.05
    broken = 0
    for _ in range(trials):
        X, y = rng.random((m, d)) < 0.5, rng.random(m) < 0.5
        record = DecisionTreeClassifier(max_depth=2).fit(X, y).record_
        if not counted:
            record = replace(record, bits=1)
        exact, _, regular = description_guarantees(record, delta)
        broken += min(exact.value, regular.value) < 0.5
    assert (broken <= trials * delta) == sound
