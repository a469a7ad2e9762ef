"""Gaussian naive Bayes: scikit-learn's numbers, chunks, weights, promises, files, refusals."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import naive_bayes
from sklearn.datasets import load_iris

from assay import GaussianNB, load, read_table, save
from assay.data.synthetic import JointTable, gaussian_classes
from assay.errors import BadData, BadParameter
from assay.theory.tail.binomial import holdout_exact
from tests.naive.naive_bayes import gaussian_joint, moments
from tests.scikit_checks import assert_checks_pass_but_those_named
from tests.soundness import assert_sound, assert_unsound

DATA = Path(__file__).parents[3] / "examples" / "data"
IRIS, KINDS = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 5)) * [1, 10, 0.1, 100, 1] + [0, 5, 1e3, 0, 0]
Y = np.array(["a", "b", "c"])[RNG.integers(0, 3, 200)]
ATTRIBUTES = ("theta_", "var_", "class_prior_", "class_count_", "epsilon_")
ANSWERS = ("predict_joint_log_proba", "predict_log_proba", "predict_proba")


def assert_same(ours, theirs, rows, rtol=1e-10):
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=rtol)
    for name in ANSWERS:
        found, wanted = getattr(ours, name)(rows), getattr(theirs, name)(rows)
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-300)
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))


@pytest.mark.parametrize("parameters", [{}, {"var_smoothing": 0.1}, {"priors": [0.2, 0.3, 0.5]}])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_scikit_learn(parameters, weighted):
    weights = RNG.random(200) if weighted else None
    models = [
        kind(**parameters).fit(X, Y, sample_weight=weights)
        for kind in (GaussianNB, naive_bayes.GaussianNB)
    ]
    assert_same(*models, X)


def test_same_as_scikit_learn_on_real_data():
    mails = read_table(DATA / "spambase.parquet", target="target")
    for rows, labels in ((mails.X, mails.y), (IRIS, KINDS)):
        ours = GaussianNB().fit(rows, labels)
        assert_same(ours, naive_bayes.GaussianNB().fit(rows, labels), rows)
        assert ours.training_errors_ == (ours.predict(rows) != labels).sum()


def test_same_as_its_definition():
    codes, weights = np.searchsorted(np.unique(Y), Y), RNG.random(200)
    model = GaussianNB(var_smoothing=0.0).fit(X, Y, weights)
    totals, means, variances = moments(X, codes, weights, 3)
    np.testing.assert_allclose(model.var_, variances, rtol=1e-10)
    wanted = [gaussian_joint(x, totals / totals.sum(), means, variances) for x in X]
    np.testing.assert_allclose(model.predict_joint_log_proba(X), wanted, rtol=1e-10)


@settings(max_examples=20)
@given(st.lists(st.integers(1, 33), min_size=1, max_size=6))
def test_chunks_are_the_whole(sizes):
    stops = np.cumsum([0, *sizes])
    rows, labels = X[: stops[-1]], Y[: stops[-1]]
    if len(set(labels)) < 2:
        return
    whole = GaussianNB().fit(rows, labels)
    parts = GaussianNB()
    for start, stop in pairwise(stops):
        parts.partial_fit(rows[start:stop], labels[start:stop], classes=["a", "b", "c"])
    held = np.isin(parts.classes_, whole.classes_)
    np.testing.assert_allclose(parts.theta_[held], whole.theta_, rtol=1e-11)
    np.testing.assert_allclose(parts.var_[held], whole.var_, rtol=1e-9)
    np.testing.assert_allclose(parts.epsilon_, whole.epsilon_, rtol=1e-9)
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))
    assert parts.rows_ == whole.rows_


def test_chunks_as_in_scikit_learn_but_for_what_smooths():
    ours, theirs = GaussianNB(var_smoothing=0.0), naive_bayes.GaussianNB(var_smoothing=0.0)
    for model in (ours, theirs):
        for start in range(0, 200, 50):
            model.partial_fit(X[start : start + 50], Y[start : start + 50], classes=np.unique(Y))
    assert_same(ours, theirs, X)


def test_sparse_rows_give_the_same_bits():
    thin = X * (RNG.random(X.shape) < 0.4)
    whole = GaussianNB().fit(thin, Y)
    matrix = sparse.csr_matrix(thin)
    other = GaussianNB().fit(matrix, Y)
    np.testing.assert_allclose(other.theta_, whole.theta_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(other.var_, whole.var_, rtol=1e-12)
    assert whole.predict_proba(matrix).tobytes() == whole.predict_proba(thin).tobytes()
    twice = sparse.csr_matrix(
        (
            np.r_[matrix.data, 0 * matrix.data],
            matrix.nonzero()[1].tolist() * 2,
            [0, 2 * matrix.nnz],
        ),
        shape=(1, 5),
    )
    assert whole.predict(twice).shape == (1,)


def test_weights_are_repetitions():
    times = RNG.integers(0, 3, 200)
    weighted = GaussianNB().fit(X, Y, sample_weight=times)
    repeated = GaussianNB().fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted.theta_, repeated.theta_, rtol=1e-11)
    np.testing.assert_allclose(weighted.squares_, repeated.squares_, rtol=1e-9)


def test_a_large_offset_costs_no_digits():
    far = IRIS + 1e8
    near, moved = GaussianNB().fit(IRIS, KINDS), GaussianNB().fit(far, KINDS)
    np.testing.assert_allclose(moved.var_, near.var_, rtol=1e-5)  # what 1e8 leaves of a tenth
    naive = (far**2).mean(axis=0) - far.mean(axis=0) ** 2
    assert not np.allclose(naive, IRIS.var(axis=0), rtol=1e-1)


def test_rows_that_are_all_the_same():
    model = GaussianNB().fit(np.ones((4, 2)), [0, 1, 1, 1])
    assert model.epsilon_ == 1e-9
    assert model.predict(np.ones((1, 2))).tolist() == [1]
    one = GaussianNB().partial_fit([[1.0]], ["b"], classes=["a", "b"])
    assert one.predict([[5.0]]).tolist() == ["b"]


def test_it_comes_near_the_best_rule():
    data = gaussian_classes(20_000, 4, bayes_error=0.2, random_state=3)
    fresh, labels = data.sample(20_000, random_state=4)
    assert (GaussianNB().fit(data.X, data.y).predict(fresh) != labels).mean() < 0.21


def test_promises():
    model = GaussianNB().fit(IRIS, KINDS)
    error, near, coin = model.guarantees(delta=0.1)
    assert (error.theorem, error.observed) == ("occam-exact", 0.04)
    assert error.inputs["bits"] == 64 * (2 * 3 * 4 + 3)
    assert near.inputs == {"weights": 27, "error": "0.05", "delta": "0.1", "case": "agnostic"}
    assert coin.of == "rows for a bound on the error below one half"
    assert GaussianNB(priors=[0.2, 0.3, 0.5]).fit(IRIS, KINDS).guarantees()[0].inputs[
        "bits"
    ] == 64 * (2 * 3 * 4)
    many = GaussianNB().partial_fit(IRIS, KINDS, classes=[0, 1, 2])
    assert many.guarantees()[0].of == "error beyond the share of errors on the training rows"
    assert not hasattr(model.partial_fit(IRIS[:5], KINDS[:5]), "training_errors_")
    assert GaussianNB().guarantees() == []
    certificate = many.certificate(IRIS, KINDS)
    assert certificate.claims[0].theorem == "holdout-exact"


def test_the_promise_is_kept_and_one_without_the_description_is_not():
    rng, trials = np.random.default_rng(5), 120
    points = rng.normal(size=(40, 3))
    source = JointTable(np.ones((40, 2)), points=points)
    broken = fooled = 0
    for _ in range(trials):
        rows, labels = source.sample(12, rng)
        if len(set(labels)) < 2:
            labels[0] = 1 - labels[1]
        model = GaussianNB().fit(rows, labels)
        broken += model.guarantees()[0].value < 0.5  # whatever is predicted errs half the time
        fooled += holdout_exact(model.training_errors_, 12, 0.05) < 0.5
    assert_sound(broken, trials, 0.05)
    assert_unsound(fooled, trials, 0.05)


def test_files(tmp_path):
    for model in (
        GaussianNB().fit(IRIS, KINDS),
        GaussianNB(priors=[0.2, 0.3, 0.5], var_smoothing=0.1).fit(IRIS, KINDS),
        GaussianNB().partial_fit(X[:7], Y[:7], classes=["a", "b", "c"]),
    ):
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        rows = IRIS if model.n_features_in_ == 4 else X
        assert again.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
        assert again.guarantees() == model.guarantees()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"var_smoothing": -1.0},
            "var_smoothing must be a finite number, zero or more, but is -1.0.",
        ),
        (
            {"var_smoothing": "x"},
            "var_smoothing must be a finite number, zero or more, but is 'x'.",
        ),
        (
            {"priors": [0.5, 0.5]},
            "priors must be 3 numbers, zero or more, that add up to 1, but is [0.5, 0.5].",
        ),
        (
            {"priors": [0.5, 0.5, 0.5]},
            "priors must be 3 numbers, zero or more, that add up to 1, but is [0.5, 0.5, 0.5].",
        ),
        (
            {"priors": [-0.5, 0.5, 1]},
            "priors must be 3 numbers, zero or more, that add up to 1, but is [-0.5, 0.5, 1].",
        ),
    ],
)
def test_refused_parameters(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        GaussianNB(**parameters).fit(IRIS, KINDS)


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


def test_refused_samples():
    with refuses("classes must be given in the first call of partial_fit: all labels there are."):
        GaussianNB().partial_fit(X, Y)
    model = GaussianNB().partial_fit(X, Y, classes=["a", "b", "c"])
    before = model.theta_.copy()
    with refuses("classes must be the same in every call of partial_fit."):
        model.partial_fit(X, Y, classes=["a", "b"])
    with refuses("y holds the label 'd' in row 1, which is none of the classes 'a', 'b', 'c'."):
        model.partial_fit(X[:2], ["a", "d"])
    huge = X[:2] * [1, 1e200, 1, 1, 1]
    sentence = "Input X cannot be learned from: the squares of column 1 overflow. Divide it by a large number."
    with refuses(sentence):
        model.partial_fit(huge, Y[:2])
    assert model.theta_.tobytes() == before.tobytes()
    assert model.rows_ == 200
    with refuses(
        "Input X cannot be predicted: row 1 is so far from every class that its distance overflows."
    ):
        model.predict([X[0], huge[0]])
    with refuses(
        "GaussianNB cannot predict: column 0 has no spread within the class 0, and var_smoothing is 0. "
        "Give var_smoothing a number above zero."
    ):
        GaussianNB(var_smoothing=0).fit([[1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_scikit_checks():
    assert_checks_pass_but_those_named(GaussianNB())
