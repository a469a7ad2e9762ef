"""AdaBoost: scikit-learn's answers, the golden run, receipts, promises that hold, ends, refusals."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import ensemble
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from assay import AdaBoostClassifier, DecisionStump
from assay.data.synthetic import weakly_learnable
from assay.errors import BadData, BadParameter
from assay.guarantees.boosting import adaboost_guarantee
from assay.theory.boosting.adaboost import adaboost_training_error
from tests.naive.samme import samme
from tests.naive.stumps import best_stump, says
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_classification(300, 6, n_informative=4, flip_y=0.1, random_state=0)
IRIS, KINDS = load_iris(return_X_y=True)
THREE, OF_THREE = make_classification(
    200, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=1
)


def spambase():
    table = pq.read_table("examples/data/spambase.parquet").to_pandas()
    y = table.pop("target").to_numpy().astype(str)
    chosen = np.random.default_rng(0).permutation(len(y))
    return table.to_numpy(float)[chosen], y[chosen]


def same_run(ours, theirs, rows):
    assert len(ours.features_) == len(theirs.estimators_)
    for tree, feature, threshold in zip(
        theirs.estimators_, ours.features_, ours.thresholds_, strict=True
    ):
        assert tree.tree_.feature[0] == feature
        # Their thresholds lie between values in single precision.
        assert tree.tree_.threshold[0] == pytest.approx(threshold, rel=1e-5, abs=1e-7)
    many = len(ours.features_)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_[:many], rtol=1e-9)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_[:many], rtol=1e-9)
    np.testing.assert_allclose(
        ours.decision_function(rows), theirs.decision_function(rows), atol=1e-9
    )
    assert ours.predict(rows).tolist() == theirs.predict(rows).tolist()


def test_spambase_as_in_scikit_learn():
    rows, y = spambase()
    train, held = slice(0, 1500), slice(1500, None)
    ours = AdaBoostClassifier(n_estimators=30).fit(rows[train], y[train])
    theirs = ensemble.AdaBoostClassifier(n_estimators=30, random_state=0).fit(rows[train], y[train])
    same_run(ours, theirs, rows[held])
    assert ours.score(rows[held], y[held]) > 0.9
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


# At 1.7 two stumps part the same row from the rest, and the last bit of a sum decides between them.
@pytest.mark.parametrize("rate", [1.0, 0.5, 1.5])
@pytest.mark.parametrize(("rows", "y"), [(X, Y), (THREE, OF_THREE)], ids=["two", "three"])
def test_rates_and_classes_as_in_scikit_learn(rows, y, rate):
    told = {"n_estimators": 12, "learning_rate": rate}
    w = np.random.default_rng(3).exponential(size=len(y)) * (np.arange(len(y)) % 7 > 0)
    ours = AdaBoostClassifier(**told).fit(rows, y, sample_weight=w)
    with np.errstate(divide="ignore"):  # theirs takes the logarithm of weight zero
        theirs = ensemble.AdaBoostClassifier(random_state=0, **told).fit(rows, y, sample_weight=w)
    same_run(ours, theirs, rows)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-9)
    np.testing.assert_allclose(
        ours.predict_log_proba(rows), theirs.predict_log_proba(rows), atol=1e-9
    )
    for name in ("staged_decision_function", "staged_predict_proba"):
        for one, other in zip(getattr(ours, name)(rows), getattr(theirs, name)(rows), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)
    for one, other in zip(ours.staged_predict(rows), theirs.staged_predict(rows), strict=True):
        assert one.tolist() == other.tolist()
    scores = list(ours.staged_score(rows, y, w))
    assert scores == pytest.approx(list(theirs.staged_score(rows, y, w)))
    assert scores[-1] == pytest.approx(ours.score(rows, y, w))


@pytest.mark.parametrize(
    "base", [DecisionTreeClassifier(max_depth=2), GaussianNB()], ids=["tree", "bayes"]
)
def test_any_base_learner_as_in_scikit_learn(base):
    ours = AdaBoostClassifier(base, n_estimators=5, random_state=4).fit(IRIS, KINDS)
    theirs = ensemble.AdaBoostClassifier(base, n_estimators=5, random_state=4).fit(IRIS, KINDS)
    assert len(ours.estimators_) == len(theirs.estimators_)
    many = len(ours.estimators_)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_[:many], rtol=1e-9)
    assert ours.predict(IRIS).tolist() == theirs.predict(IRIS).tolist()
    if hasattr(theirs.estimators_[0], "feature_importances_"):
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 0.4]))
def test_the_naive_twin(seed, rate):
    rng = np.random.default_rng(seed)
    classes, m = int(rng.integers(2, 4)), int(rng.integers(6, 20))
    rows = rng.integers(0, 6, (m, 2)).astype(float)
    labels = rng.permutation(np.arange(m) % classes)

    def weak(w):
        stump = best_stump(rows.tolist(), labels.tolist(), w, classes)
        return stump, [says(stump, row) for row in rows.tolist()]

    twin = samme(weak, labels.tolist(), classes, 6, rate=rate)
    model = AdaBoostClassifier(n_estimators=6, learning_rate=rate)
    if not twin.votes:
        with pytest.raises(BadData, match="better than guessing"):
            model.fit(rows, labels)
        return
    model.fit(rows, labels)
    assert [tuple(s) for s in twin.hypotheses] == [
        (s.feature_, s.threshold_, *s.labels_.tolist()) for s in model.estimators_
    ]
    assert model.estimator_errors_ == pytest.approx(twin.errors, abs=1e-12)
    assert model.estimator_weights_ == pytest.approx(twin.votes, abs=1e-9)
    np.testing.assert_allclose(model._ballots(rows), twin.ballots, atol=1e-9)


def test_stumps_on_four_points():
    rows, y = [[1.0], [2], [3], [4]], [1, 1, -1, 1]
    model = AdaBoostClassifier(DecisionStump("error"), n_estimators=3, trace=True).fit(rows, y)
    assert model.estimator_errors_ == pytest.approx([0.25, 1 / 6, 0.2])
    assert model.record_.votes == pytest.approx([0.549306, 0.804719, 0.693147], rel=1e-6)
    trace = model.record_.trace
    assert trace["normalizer"] == pytest.approx([0.866025, 0.745356, 0.8], rel=1e-6)
    assert trace["product"][-1] == pytest.approx(0.516398, rel=1e-6)
    assert trace["training_error"].tolist() == [0.25, 0.25, 0]
    assert model.record_.edges == pytest.approx([0.25, 1 / 3, 0.3])


def test_receipts_of_the_proof():
    """The potential is the product of the normalizers, and the last hypothesis is a coin under the next weights."""
    for rows, y, rate in ((X, Y, 1.0), (X, Y, 0.3), (IRIS, KINDS, 1.0)):
        model = AdaBoostClassifier(n_estimators=40, learning_rate=rate, trace=True).fit(rows, y)
        trace = model.record_.trace
        e, a = trace["error"], trace["vote"]
        np.testing.assert_allclose(trace["potential"], trace["product"], rtol=1e-9)
        np.testing.assert_allclose(
            trace["normalizer"], (1 - e) * np.exp(-a) + e * np.exp(a), rtol=1e-9
        )
        if len(np.unique(y)) == 2:
            assert (trace["training_error"] <= trace["product"] + 1e-12).all()
            if rate == 1:
                np.testing.assert_allclose(trace["coin"], 0.5, atol=1e-9)
                np.testing.assert_allclose(trace["normalizer"], 2 * np.sqrt(e * (1 - e)), rtol=1e-9)
        assert model.record_.trace["training_error"][-1] == pytest.approx(
            model.record_.training_error
        )
    assert AdaBoostClassifier(n_estimators=2).fit(X, Y).record_.trace is None


def adversarial(rng, kind):
    m = int(rng.integers(4, 40))
    rows = rng.normal(size=(m, 2))
    if kind == 0:  # nothing to learn
        y = rng.permutation(np.arange(m) % 2)
    elif kind == 1:  # every value twice, with either label but for one
        rows = np.repeat(rows[: m // 2], 2, axis=0)
        y = np.resize([0, 1], len(rows))
        y[0] = 1
    elif kind == 2:  # alternating on a line
        rows = np.arange(m, dtype=float)[:, None]
        y = np.arange(m) % 2
    else:
        y = (rows[:, 0] + 0.3 * rng.normal(size=m) > 0).astype(int)
    return rows, y


def broken_promises(bound, trials=100):
    rng, broken = np.random.default_rng(11), 0
    for trial in range(trials):
        rows, y = adversarial(rng, trial % 4)
        base = DecisionStump(("gini", "error")[trial % 2])
        try:
            model = AdaBoostClassifier(base, n_estimators=int(rng.integers(1, 30))).fit(rows, y)
        except BadData:  # one class, or no stump better than a coin
            continue
        seen = float((model.predict(rows) != y).mean())
        assert seen == pytest.approx(model.record_.training_error)
        [guarantee] = model.guarantees()
        assert guarantee.holds
        assert guarantee.theorem == "adaboost-training-error"
        broken += seen > bound(model.estimator_errors_.tolist()) + 1e-9
    return broken


def test_the_promise_is_never_broken():
    assert broken_promises(adaboost_training_error) == 0


def test_broken_twins_are_caught():
    def without_the_root(errors):
        return math.prod(4 * e * (1 - e) for e in errors)

    def errors_alone(errors):
        return math.prod(2 * e for e in errors)

    assert broken_promises(without_the_root) > 0
    assert broken_promises(errors_alone) > 0


def test_guarantees_and_margins():
    model = AdaBoostClassifier(n_estimators=25).fit(X, Y)
    [promise] = model.guarantees()
    assert float(promise.promised) == pytest.approx(
        adaboost_training_error(model.estimator_errors_.tolist()), rel=1e-9
    )
    assert promise.textbook is not None
    assert float(promise.textbook[1]) > float(promise.promised)
    margins = model.margins(X, Y)
    signs = np.where(Y == 1, 1, -1)
    np.testing.assert_allclose(margins, signs * model.decision_function(X) / 2, atol=1e-12)
    assert (margins > 0).mean() == pytest.approx(model.score(X, Y))
    for theta in (-0.5, 0.0, 0.1, 0.5):
        guarantee = model.margin_guarantee(X, Y, theta)
        assert guarantee.holds
        assert float(guarantee.observed) == pytest.approx((margins <= theta).mean())
    three = AdaBoostClassifier(n_estimators=10).fit(IRIS, KINDS)
    ballots = three._ballots(IRIS) / three.estimator_weights_.sum()
    wanted = [b[k] - np.delete(b, k).max() for b, k in zip(ballots, KINDS, strict=True)]
    np.testing.assert_allclose(three.margins(IRIS, KINDS), wanted)
    assert three.guarantees()[0].theorem == "boosting-vote-margins"
    assert all(three.margin_guarantee(IRIS, KINDS, theta).holds for theta in (-0.3, 0, 0.2))
    assert AdaBoostClassifier().guarantees() == []


def test_weighted_examples_have_a_weighted_promise():
    w = np.random.default_rng(5).exponential(size=len(Y)) ** 3
    model = AdaBoostClassifier(n_estimators=10).fit(X, Y, sample_weight=w)
    [promise] = model.guarantees()
    assert promise.of == "weighted training error"
    assert promise.theorem == "boosting-vote-margins"
    assert promise.holds
    wrong = model.predict(X) != Y
    assert float(promise.observed) == pytest.approx(w[wrong].sum() / w.sum())
    assert model.margin_guarantee(X, Y, 0.1, sample_weight=w).holds


def test_margins_grow_after_the_training_error_is_zero():
    data = weakly_learnable(200, 25, edge=0.2, random_state=1)
    few, many = (AdaBoostClassifier(n_estimators=t).fit(data.X, data.y) for t in (12, 200))
    assert few.record_.training_errors == many.record_.training_errors == 0
    assert many.margins(data.X, data.y).min() > few.margins(data.X, data.y).min()
    # No vote has a larger least margin than twice the edge of the game, and AdaBoost is above half of it.
    assert data.edge <= many.margins(data.X, data.y).min() <= 2 * data.edge + 0.2


class FirstOf:
    """Says what it is told to, round after round."""

    def __init__(self, answers=None):
        self.answers = answers

    def get_params(self, deep=True):
        return {"answers": self.answers}

    def set_params(self, **parameters):
        self.answers = parameters["answers"]
        return self

    def fit(self, X, y, sample_weight):
        self.said, self.classes_ = self.answers.pop(0), np.unique(y)
        return self

    def predict(self, X):
        return np.array(self.said)[: len(X)]

    def __sklearn_clone__(self):
        return FirstOf(self.answers)


def test_a_perfect_hypothesis_outvotes_all_others():
    rows, y = np.zeros((4, 1)), [0, 0, 1, 1]
    answers = [[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]]
    model = AdaBoostClassifier(FirstOf(answers), n_estimators=9).fit(rows, y)
    assert model.record_.stopped == "perfect"
    assert model.estimator_errors_.tolist()[-1] == 0
    votes = model.estimator_weights_
    assert votes[-1] > votes[:-1].sum()
    assert model.predict(rows).tolist() == y
    [promise] = model.guarantees()
    assert (promise.promised, promise.observed, promise.holds) == (0, 0, True)
    assert not model.margin_guarantee(rows, y, 0.1).applies
    first = AdaBoostClassifier().fit([[0.0], [1.0]], [3, 4])
    assert (first.record_.stopped, first.estimator_weights_.tolist()) == ("perfect", [1.0])


def test_a_useless_hypothesis_ends_the_run():
    rows, y = np.zeros((4, 1)), [0, 0, 1, 1]
    answers = [[0, 1, 1, 1], [1, 1, 0, 0]]
    model = AdaBoostClassifier(FirstOf(answers), n_estimators=9).fit(rows, y)
    assert (model.record_.stopped, model.record_.rounds) == ("useless", 1)
    assert len(model.estimators_) == 1
    sentence = (
        "AdaBoostClassifier needs a weak learner that is better than guessing, but in the first round FirstOf errs on "
        "0.75 of the weight, and guessing among 2 classes errs on 0.5."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        AdaBoostClassifier(FirstOf([[1, 1, 0, 1]])).fit(rows, y)
    sentence = (
        "AdaBoostClassifier needs a weak learner that is better than guessing, but in the first round DecisionStump "
        "errs on 0.5 of the weight, and guessing among 2 classes errs on 0.5."
    )
    model = AdaBoostClassifier()
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        model.fit(rows, y)
    with pytest.raises(NotFittedError):
        _ = model.record_


def test_huge_votes_and_long_runs_stay_finite():
    model = AdaBoostClassifier(n_estimators=40, learning_rate=1e6).fit(X, Y)
    assert np.isfinite(model.decision_function(X)).all()
    rows = np.arange(40.0)[:, None]
    y = (rows[:, 0] % 7 > 2).astype(int)
    model = AdaBoostClassifier(n_estimators=1500, trace=True).fit(rows, y)
    assert model.record_.rounds == 1500
    np.testing.assert_allclose(model.record_.trace["coin"], 0.5, atol=1e-6)


def test_any_number_of_threads_gives_the_same_bits():
    rows, y = make_classification(3000, 80, random_state=1)
    one, two = (AdaBoostClassifier(n_estimators=8, n_jobs=jobs).fit(rows, y) for jobs in (None, 2))
    assert one.estimator_errors_.tobytes() == two.estimator_errors_.tobytes()
    assert one.thresholds_.tobytes() == two.thresholds_.tobytes()


def test_weights_are_repetitions():
    times = np.random.default_rng(2).integers(0, 4, len(Y))
    one = AdaBoostClassifier(n_estimators=20).fit(X, Y, sample_weight=times)
    other = AdaBoostClassifier(n_estimators=20).fit(
        np.repeat(X, times, axis=0), np.repeat(Y, times)
    )
    assert one.predict(X).tolist() == other.predict(X).tolist()
    np.testing.assert_allclose(one.estimator_errors_, other.estimator_errors_, atol=1e-9)
    assert one.record_.rows == np.count_nonzero(times)


def test_progress(capsys):
    AdaBoostClassifier(n_estimators=20, verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert re.fullmatch(r"AdaBoostClassifier: 2 of 20 rounds, \d+\.\d s", lines[0])


def test_sparse_rows_go_to_learners_that_take_them():
    rows = sparse.csr_matrix(X)
    model = AdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(rows, Y)
    dense = AdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(X, Y)
    assert model.predict(rows).tolist() == dense.predict(X).tolist()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators must be a whole number of at least 1, but is 0."),
        ({"n_estimators": 2.0}, "n_estimators must be a whole number of at least 1, but is 2.0."),
        ({"n_estimators": True}, "n_estimators must be a whole number of at least 1, but is True."),
        ({"learning_rate": 0}, "learning_rate must be a finite number above zero, but is 0."),
        (
            {"learning_rate": math.inf},
            "learning_rate must be a finite number above zero, but is inf.",
        ),
        (
            {"learning_rate": "fast"},
            "learning_rate must be a finite number above zero, but is 'fast'.",
        ),
        ({"n_jobs": 0}, "n_jobs must be None, a count, or -1 for all processors, but is 0."),
    ],
)
def test_bad_parameters(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        AdaBoostClassifier(**parameters).fit(X, Y)


def test_bad_data():
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostClassifier().fit([[np.nan], [1.0]], [0, 1])
    model = AdaBoostClassifier(n_estimators=2)
    for ask in (model.predict, model.decision_function, model.predict_proba):
        with pytest.raises(NotFittedError):
            ask(X)
    model.fit(X, Y)
    sentence = "There is a label 7, which is none of the classes 0, 1."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        model.margins(X[:2], [0, 7])
    sentence = "y must have one label for each of the 2 rows, but has shape (3,)."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        model.margins(X[:2], [0, 1, 1])
    with pytest.raises(BadParameter, match=r"^margin must be between -1 and 1, but is '2'"):
        model.margin_guarantee(X, Y, 2)


def test_scikit_checks():
    assert_checks_pass_but_those_named(AdaBoostClassifier(n_estimators=10))


def test_promises_are_about_the_rate_and_the_rounds_of_the_fit():
    coins = np.random.default_rng(0).integers(0, 2, len(X))
    model = AdaBoostClassifier(n_estimators=200, learning_rate=1e-4).fit(X, coins)
    before = model.guarantees()
    model.set_params(learning_rate=1.0, n_estimators=1)
    assert model.guarantees() == before
    assert before[0].theorem == "boosting-vote-margins"
    assert before[0].value >= model.record_.training_error
    assert model._most_stumps == 200
    # The theorem of the rate 1, which is what the parameter says by now, would be broken.
    broken = adaboost_guarantee(replace(model.record_, rate=1.0))
    assert broken.value < model.record_.training_error
