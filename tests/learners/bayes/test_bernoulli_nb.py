"""Bernoulli naive Bayes: scikit-learn's numbers, sparse rows, impossible rows, promises, files, refusals."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import naive_bayes

from assay import BernoulliNB, load, read_table, save
from assay.data.synthetic import JointTable
from assay.errors import BadData, BadParameter
from assay.theory.tail.binomial import holdout_exact
from tests.naive.naive_bayes import bernoulli_counts, bernoulli_joint
from tests.scikit_checks import assert_checks_pass_but_those_named
from tests.soundness import assert_sound, assert_unsound

DATA = Path(__file__).parents[3] / "examples" / "data"
VOTES = read_table(
    DATA / "house_votes_84.parquet", target="target", encoder="literals", missing="zero"
)
ZOO = read_table(DATA / "zoo.parquet", target="target")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 6))
Y = RNG.integers(0, 3, 150)
ANSWERS = ("predict_joint_log_proba", "predict_log_proba", "predict_proba")


def assert_same(ours, theirs, rows):
    for name in ("feature_log_prob_", "class_log_prior_", "feature_count_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    for name in ANSWERS:
        found, wanted = getattr(ours, name)(rows), getattr(theirs, name)(rows)
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-300)
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))


@pytest.mark.parametrize(
    "parameters",
    [{}, {"alpha": 0.1}, {"binarize": 0.5}, {"fit_prior": False}, {"class_prior": [0.2, 0.3, 0.5]}],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_scikit_learn(parameters, weighted):
    weights = RNG.random(150) if weighted else None
    for rows in (X, sparse.csr_matrix(X * (X > 0))):
        models = [
            kind(**parameters).fit(rows, Y, sample_weight=weights)
            for kind in (BernoulliNB, naive_bayes.BernoulliNB)
        ]
        assert_same(*models, rows)


@pytest.mark.parametrize("data", [VOTES, ZOO], ids=["votes", "zoo"])
def test_same_as_scikit_learn_on_real_data(data):
    ours = BernoulliNB().fit(data.X, data.y)
    assert_same(ours, naive_bayes.BernoulliNB().fit(data.X, data.y), data.X)
    assert ours.training_errors_ == (ours.predict(data.X) != data.y).sum()


def test_same_as_its_definition():
    counts, totals = bernoulli_counts(X, 0.2, Y, np.ones(150), 3)
    model = BernoulliNB(alpha=0.5, binarize=0.2).fit(X, Y)
    wanted = [bernoulli_joint(x, 0.2, counts, totals, 0.5) for x in X]
    np.testing.assert_allclose(model.predict_joint_log_proba(X), wanted, rtol=1e-12)


@settings(max_examples=20)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=5))
def test_chunks_are_the_whole_to_the_bit(sizes):
    stops = np.cumsum([0, *sizes]).clip(max=150)
    whole = BernoulliNB().partial_fit(X[: stops[-1]], Y[: stops[-1]], classes=[0, 1, 2])
    parts = BernoulliNB()
    for start, stop in pairwise(stops):
        if stop > start:
            parts.partial_fit(X[start:stop], Y[start:stop], classes=[0, 1, 2])
    assert parts.feature_count_.tobytes() == whole.feature_count_.tobytes()
    assert parts.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()
    assert parts.guarantees() == whole.guarantees()


def test_an_alpha_for_each_feature():
    alpha = np.array([0.1, 1, 2, 3, 0.5, 1])
    model = BernoulliNB(alpha=alpha).fit(X, Y)
    for j, one in enumerate(alpha):
        alone = BernoulliNB(alpha=one).fit(X, Y)
        np.testing.assert_array_equal(model.feature_log_prob_[:, j], alone.feature_log_prob_[:, j])
    assert model.score(X, Y) > 0.3


def test_columns_that_stand_twice_are_added_up():
    twice = sparse.csr_matrix((np.array([1.0, -1.0, 1.0]), [0, 0, 1], [0, 3]), shape=(1, 6))
    model = BernoulliNB().fit(X, Y)
    assert model.predict_proba(twice).tobytes() == model.predict_proba(twice.toarray()).tobytes()


def test_what_a_class_rules_out():
    rows, labels = np.array([[1, 0], [1, 1], [0, 0], [0, 1]]), np.array([0, 0, 1, 1])
    model = BernoulliNB(alpha=0.0).fit(rows, labels)
    np.testing.assert_array_equal(model.predict(rows), labels)
    np.testing.assert_array_equal(model.predict_proba(rows), [[1, 0], [1, 0], [0, 1], [0, 1]])
    model = BernoulliNB(alpha=0.0).fit([[1, 1], [1, 1], [0, 0]], [0, 0, 1])
    odd = model.predict_proba([[1, 0]])
    np.testing.assert_allclose(odd, [[2 / 3, 1 / 3]])  # no class can bring it about
    with np.errstate(all="ignore"):
        theirs = naive_bayes.BernoulliNB(alpha=0.0).fit(rows, labels)
        assert np.isnan(theirs.predict_joint_log_proba(rows)).any()


def test_a_class_without_rows_is_never_predicted():
    model = BernoulliNB(alpha=0.0).partial_fit(X, np.minimum(Y, 1), classes=[0, 1, 2])
    assert model.predict_proba(X)[:, 2].max() == 0
    assert np.isfinite(BernoulliNB(alpha=0.0, fit_prior=False).fit(X, Y).predict_proba(X)).all()


def test_the_description():
    model = BernoulliNB().fit(VOTES.X, VOTES.y)
    error = model.guarantees()[0]
    ways = math.comb(435 + 1, 1)
    for held in (267, 168):  # so many democrats and republicans
        ways *= (held + 1) ** 32
    assert 0 <= error.inputs["bits"] - math.log2(ways) < 3
    assert error.inputs["rows"] == 435
    assert error.holds
    assert "the counts of 435 rows" in error.assumptions[1].evidence
    weighted = BernoulliNB().fit(VOTES.X, VOTES.y, sample_weight=np.full(435, 0.5))
    assert weighted.guarantees()[0].inputs["bits"] == 64 * 2 * 33


def test_a_description_that_says_something():
    mails = read_table(DATA / "spambase.parquet", target="target")
    error, near = BernoulliNB().fit(mails.X, mails.y).guarantees()
    assert error.value == pytest.approx(0.392532, abs=1e-6)
    assert not error.vacuous
    assert near.promised == 1029923


def test_every_classifier_of_few_rows_is_described():
    """All samples of three rows with two features: no more classifiers than the code has words."""
    points = [(0, 0), (0, 1), (1, 0), (1, 1)]
    found, kraft = set(), Fraction(0)
    pairs = [(x, y) for x in points for y in (0, 1)]
    for sample in np.ndindex(8, 8, 8):
        rows, labels = zip(*(pairs[i] for i in sample), strict=True)
        model = BernoulliNB().partial_fit(rows, labels, classes=[0, 1])
        state = (*model.class_count_, *model.feature_count_.ravel())
        if state not in found:
            found.add(state)
            kraft += Fraction(1, 2 ** model._described()["bits"])
    assert kraft <= 1
    assert kraft > Fraction(1, 2 ** BernoulliNB().fit(X, Y)._described()["bits"])


def test_the_promise_is_kept_and_one_without_the_description_is_not():
    rng, trials = np.random.default_rng(5), 120
    points = np.array(list(np.ndindex(2, 2, 2, 2)), dtype=float)
    source = JointTable(np.ones((16, 2)), points=points)
    broken = fooled = 0
    for _ in range(trials):
        rows, labels = source.sample(10, rng)
        if len(set(labels)) < 2:
            labels[0] = 1 - labels[1]
        model = BernoulliNB().fit(rows, labels)
        broken += model.guarantees()[0].value < 0.5  # whatever is predicted errs half the time
        fooled += holdout_exact(model.training_errors_, 10, 0.05) < 0.5
    assert_sound(broken, trials, 0.05)
    assert_unsound(fooled, trials, 0.05)


def test_files(tmp_path):
    for model in (
        BernoulliNB().fit(VOTES.X, VOTES.y),
        BernoulliNB(alpha=np.ones(32), class_prior=[0.5, 0.5], binarize=None).fit(VOTES.X, VOTES.y),
    ):
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        assert again.predict_proba(VOTES.X).tobytes() == model.predict_proba(VOTES.X).tobytes()
        assert again.guarantees() == model.guarantees()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"alpha": -1},
            "alpha must be a finite number, zero or more, or one for each of the 6 features, but is -1.",
        ),
        (
            {"alpha": [1, 2]},
            "alpha must be a finite number, zero or more, or one for each of the 6 features, but is [1, 2].",
        ),
        (
            {"alpha": True},
            "alpha must be a finite number, zero or more, or one for each of the 6 features, but is True.",
        ),
        (
            {"binarize": -0.5},
            "binarize must be a finite number, zero or more, or None, but is -0.5.",
        ),
        ({"binarize": "x"}, "binarize must be a finite number, zero or more, or None, but is 'x'."),
        (
            {"class_prior": [1, 2]},
            "class_prior must be 3 numbers, zero or more, that add up to 1, but is [1, 2].",
        ),
    ],
)
def test_refused_parameters(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        BernoulliNB(**parameters).fit(X, Y)


def test_a_small_alpha_is_raised_on_request():
    sentence = "alpha is below 1e-10 and is raised to it; force_alpha=True leaves it as it is."
    with pytest.warns(UserWarning, match=f"^{re.escape(sentence)}$"):
        model = BernoulliNB(alpha=0.0, force_alpha=False).fit(X, Y)
    np.testing.assert_allclose(
        model.predict_proba(X), BernoulliNB(alpha=1e-10).fit(X, Y).predict_proba(X)
    )


def test_features_that_are_neither_on_nor_off():
    for rows in (np.array([[0.0, 1], [1, 0.5]]), sparse.csr_matrix([[0.0, 1], [1, 0.5]])):
        sentence = (
            "With binarize=None features must be 0 or 1, but row 1, column 1 holds 0.5. "
            "Give the number above which a feature is on."
        )
        with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
            BernoulliNB(binarize=None).fit(rows, [0, 1])


def test_scikit_checks():
    assert_checks_pass_but_those_named(BernoulliNB())
