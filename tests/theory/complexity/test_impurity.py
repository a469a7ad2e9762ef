"""Impurities: the loan table, the identities, and that no division raises them."""

import math
import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.impurity import impurity, impurity_identities, split_info

MEASURES = ("gini", "entropy", "misclassification")
# Counts of (yes, no) in the loan table, by the values of each feature.
LOAN = {
    "income": [[2, 0], [3, 2], [0, 3]],
    "education": [[1, 3], [2, 1], [2, 1]],
    "marital": [[2, 3], [3, 2]],
    "sex": [[3, 3], [2, 2]],
}

counts = st.lists(st.integers(0, 20), min_size=3, max_size=3).filter(any)
parts = st.lists(counts, min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("gini", {"income": 0.26, "education": 1 / 12, "marital": 0.02, "sex": 0}),
        ("entropy", {"income": 0.514525, "education": 0.124511, "marital": 0.029049, "sex": 0}),
        ("misclassification", {"income": 0.3, "education": 0.2, "marital": 0.1, "sex": 0}),
        ("gain_ratio", {"income": 0.346370, "education": 0.079259, "marital": 0.029049, "sex": 0}),
    ],
)
def test_loan_table(measure, expected):
    for name, value in expected.items():
        assert impurity_identities(LOAN[name], measure) == pytest.approx(value, abs=1e-6)


def test_loan_table_split_info():
    """G09: how finely each question divides."""
    expected = {"income": 1.485475, "education": 1.570951, "marital": 1.0, "sex": 0.970951}
    for name, value in expected.items():
        assert split_info(LOAN[name]).up() == pytest.approx(value, abs=1e-6)


def test_loan_table_nodes():
    assert [impurity(c, "gini").up() for c in ([5, 5], [2, 0], [0, 3])] == [0.5, 0.0, 0.0]
    assert impurity([3, 2], "gini").up() == pytest.approx(0.48)
    assert impurity([3, 2], "entropy").up() == pytest.approx(0.970951, abs=1e-6)
    medium = {
        "education": [[0, 2], [1, 0], [2, 0]],
        "marital": [[2, 0], [1, 2]],
        "sex": [[1, 1], [2, 1]],
    }
    for name, value in {"education": 0.48, "marital": 0.213333, "sex": 0.013333}.items():
        assert impurity_identities(medium[name]) == pytest.approx(value, abs=1e-6)
    for name, value in {"education": 0.970951, "marital": 0.419973, "sex": 0.019973}.items():
        assert impurity_identities(medium[name], "entropy") == pytest.approx(value, abs=1e-6)
    for name, value in {"education": 0.637974, "marital": 0.432538, "sex": 0.020571}.items():
        assert impurity_identities(medium[name], "gain_ratio") == pytest.approx(value, abs=1e-6)


@given(counts)
def test_two_forms_of_gini(held):
    total = sum(held)
    other = 1 - sum(Fraction(c, total) ** 2 for c in held)
    assert impurity(held, "gini").low == other == impurity(held, "gini").high


@given(counts, st.sampled_from(MEASURES))
def test_largest_for_equal_shares_and_zero_for_one_class(held, measure):
    most = {"gini": 2 / 3, "entropy": math.log2(3), "misclassification": 2 / 3}[measure]
    assert impurity([1, 1, 1], measure).up() == pytest.approx(most)
    assert 0 <= impurity(held, measure).up() <= impurity([1, 1, 1], measure).up()
    assert impurity([max(held), 0, 0], measure).up() == 0.0


@given(parts, st.sampled_from(MEASURES))
def test_no_division_raises_the_impurity(groups, measure):
    assert impurity_identities(groups, measure) >= 0.0


@given(st.lists(counts, min_size=2, max_size=5))
def test_a_gain_ratio_is_a_share_and_the_gain_alone_is_not(groups):
    gain, ratio = (impurity_identities(groups, m) for m in ("entropy", "gain_ratio"))
    assert 0.0 <= ratio <= 1.0
    # The gain is what one learns of the answer from the class, and so no more than there is to learn.
    assert gain <= split_info(groups).up()
    assert ratio * split_info(groups).up() == pytest.approx(gain, abs=1e-12)


def test_a_feature_with_a_value_for_each_row_gains_most_and_has_no_better_ratio():
    """The bias of ID3: a number for each customer beats income by gain, and not by gain ratio."""
    numbered = [[1, 0]] * 5 + [[0, 1]] * 5
    assert impurity_identities(numbered, "entropy") == 1.0 > 0.514525
    assert impurity_identities(numbered, "gain_ratio") == pytest.approx(1 / math.log2(10))
    assert impurity_identities(numbered, "gain_ratio") < 0.346370


def test_a_measure_that_is_not_concave_is_caught():
    """The square of the misclassification would rise: the check above can fail."""

    def squared(held):
        return (1 - Fraction(max(held), sum(held))) ** 2

    groups = [[3, 1], [1, 0]]
    whole = [sum(c) for c in zip(*groups, strict=True)]
    within = sum(Fraction(sum(g), sum(whole)) * squared(g) for g in groups)
    assert squared(whole) - within < 0


@given(parts)
def test_entropy_is_never_below_the_exact_value(groups):
    with mpmath.workdps(50):

        def entropy(held):
            shares = [mpmath.mpf(c) / sum(held) for c in held if c]
            return -sum(p * mpmath.log(p, 2) for p in shares)

        whole = [sum(c) for c in zip(*groups, strict=True)]
        exact = entropy(whole) - sum(mpmath.mpf(sum(g)) / sum(whole) * entropy(g) for g in groups)
        assert impurity_identities(groups, "entropy") >= exact - mpmath.mpf(10) ** -40
        assert float(exact) == pytest.approx(impurity_identities(groups, "entropy"), abs=1e-12)


@pytest.mark.parametrize(
    ("groups", "measure", "sentence"),
    [
        ([], "gini", "the number of parts must be at least 1, but is 0."),
        (
            [[1, 2]],
            "gain_ratio",
            "the number of parts must be at least 2 for a gain ratio, but is 1.",
        ),
        ([[1, 2], [1]], "gini", "parts must be lists of one length, but is [2, 1]."),
        ([[0, 0]], "gini", "the sum of the counts must be above zero, but is 0.0."),
        (
            [[1, 1]],
            "chi2",
            "measure must be one of gini, entropy, misclassification, gain_ratio, but is 'chi2'.",
        ),
    ],
)
def test_refusals(groups, measure, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        impurity_identities(groups, measure)


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, True, "x"])
def test_counts_that_are_none(bad):
    with pytest.raises(BadParameter, match=r"parts"):
        impurity_identities([[1, bad]])
