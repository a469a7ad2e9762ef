"""Scores beside the truth: what is read and refused, and what probabilities lose, never told smaller than it is."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss

from assay.errors import BadData, BadParameter
from assay.evidence.evidence import Evidence, from_scores
from assay.evidence.scores import merge_scores, read_scores
from tests.refusals import refuses

RNG = np.random.default_rng(2)
TRUTH = RNG.choice(["cat", "cow", "dog"], 300)
TABLE = RNG.dirichlet([1, 1, 1], 300)
IS_DOG = TRUTH == "dog"


def test_losses_are_what_scikit_learn_computes():
    table = read_scores([(TRUTH, TABLE)])
    truth = pd.get_dummies(TRUTH).to_numpy(dtype=float)
    assert table.brier().mean() == pytest.approx(((TABLE - truth) ** 2).sum(axis=1).mean() / 2)
    clipped = np.clip(TABLE, 0.05, 1)
    charged = -np.log(clipped[np.arange(300), np.searchsorted(["cat", "cow", "dog"], TRUTH)])
    assert (table.log_losses(0.05) * -np.log(0.05)).mean() == pytest.approx(charged.mean())
    column = read_scores([(IS_DOG, TABLE[:, 2])])
    assert column.brier().mean() == pytest.approx(brier_score_loss(IS_DOG, TABLE[:, 2]))
    inside = np.clip(TABLE[:, 2], 0.01, 0.99)
    of_inside = read_scores([(IS_DOG, inside)])
    seen = (of_inside.log_losses(0.01) * -np.log(0.01)).mean()
    assert seen == pytest.approx(log_loss(IS_DOG, inside))


# Smaller numbers than these have lost digits before they get here.
@given(st.just(0.0) | st.floats(1e-150, 1), st.booleans())
def test_losses_are_rounded_up(p, y):
    seen = read_scores([([y, not y], [p, p])])
    exactly = (Fraction(p) - y) ** 2
    assert Fraction(float(seen.brier()[0])) >= exactly
    loss, floor = float(seen.log_losses(0.01)[0]), mpmath.mpf(0.01)
    with mpmath.workdps(400):
        of_truth = max(mpmath.mpf(p) if y else 1 - mpmath.mpf(p), floor)
        charged = mpmath.log(of_truth) / mpmath.log(floor)
    assert min(charged, 1) <= loss <= min(charged * (1 + mpmath.mpf(2) ** -44), 1)


def test_the_floor_is_charged_in_full_and_certainty_nothing():
    seen = read_scores([([1, 1, 1, 0], [0.0, 0.01, 1.0, 0.0])])
    assert seen.log_losses(0.01).tolist() == [1.0, 1.0, 0.0, 0.0]
    assert read_scores([([0, 1], [1e-20, 1])]).log_losses(0.01)[0] > 1e-20 / 5
    assert seen.brier().tolist() == [1.0, pytest.approx(0.9801), 0.0, 0.0]


@given(st.lists(st.integers(1, 300), max_size=4))
def test_chunks_make_no_difference(cuts):
    edges = [0, *sorted(cuts), 300]
    parts = [(TRUTH[a:b], TABLE[a:b]) for a, b in itertools.pairwise(edges)]
    read = read_scores(parts)
    assert read.digest == read_scores([(TRUTH, TABLE)]).digest
    assert read.concordant("cow") == read_scores([(TRUTH, TABLE)]).concordant("cow")


def test_digests_do_not_depend_on_the_container():
    scores = TABLE[:, 0].tolist()
    same = {read_scores([(IS_DOG, kind(scores))]).digest for kind in (list, np.array, pd.Series)}
    assert len(same) == 1
    rows = read_scores([(TRUTH, TABLE.tolist())]), read_scores([(TRUTH, pd.DataFrame(TABLE))])
    assert {one.digest for one in rows} == {read_scores([(TRUTH, TABLE)]).digest}


def test_parts_are_put_together():
    whole = from_scores([(TRUTH, TABLE)])
    parts = [from_scores([(TRUTH[i::2], TABLE[i::2])]) for i in range(2)]
    both = Evidence.merge(*parts)
    assert both.rows == 300
    assert both.scores.brier().mean() == pytest.approx(whole.scores.brier().mean())
    with refuses("Scores to be merged must be of the same labels. Declare them.", BadData):
        merge_scores([read_scores([([0, 1], [0, 1])]), read_scores([([1, 2], [0, 1])])])


def test_of_which_label():
    assert read_scores([([True, False], [0.9, 0.1])]).label is True
    assert read_scores([(TRUTH, TABLE[:, 0])], positive="cat").label == "cat"
    assert read_scores([(TRUTH, TABLE)]).label is None
    with refuses("Say which of the 3 labels counts as positive, with positive.", BadParameter):
        read_scores([(TRUTH, TABLE[:, 0])])
    with refuses("positive must be one of 'cat', 'cow', 'dog', but is 'cat '.", BadParameter):
        read_scores([(TRUTH, TABLE[:, 0])], positive="cat ")


@pytest.mark.parametrize(
    ("truth", "score", "sentence"),
    [
        ([1, 0], [0.5], "truth and score must have the same number of rows, but have 2 and 1."),
        ([], [], "truth holds no rows; there is nothing to certify."),
        (
            [1, 0],
            [0.5, float("nan")],
            "score has no value in row 2; every row needs one. Fill it in, or leave the row out.",
        ),
        ([1, 0], ["a", "b"], "score holds text, not numbers: how far off it is cannot be said."),
        (
            [1, 0],
            [[0.1, 0.2, 0.7]] * 2,
            "score has 3 columns, but there are 2 labels: it must have one column for each label, in their sorted "
            "order. Declare labels that the truth lacks.",
        ),
    ],
)
def test_refusals(truth, score, sentence):
    with refuses(sentence, BadData):
        read_scores([(truth, score)])


def test_what_is_no_probability():
    far = read_scores([([1, 0, 1], [0.5, -3.0, 2.0])])
    with refuses(
        "score must hold probabilities for brier and log-loss, but holds -3.0 in row 2. Give what predict_proba says, "
        "and not what decision_function does.",
        BadData,
    ):
        far.brier()
    with refuses(
        "score must hold probabilities that add up to 1 in every row, but they add up to 0.9 in row 2.",
        BadData,
    ):
        read_scores([([1, 0], [[0.5, 0.5], [0.5, 0.4]])]).log_losses(0.01)


def test_a_label_that_the_truth_lacks_is_declared():
    table = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]
    read = read_scores([(["b", "b"], table)], labels=["a", "b", "c"])
    assert read.labels == ("a", "b", "c")
    assert read.codes.tolist() == [1, 1]
    with refuses(
        "truth holds 'd', which is not among the declared labels; declare every label there is.",
        BadData,
    ):
        read_scores([(["b", "d"], table)], labels=["a", "b", "c"])
