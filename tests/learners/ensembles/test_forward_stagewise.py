"""Forward stagewise modelling: AdaBoost and scikit-learn's answers, the greedy step by brute force, promises, ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

from assay import (
    AdaBoostClassifier,
    DecisionStump,
    DecisionTreeRegressor,
    ForwardStagewiseClassifier,
    ForwardStagewiseRegressor,
    LinearRegression,
    load,
    save,
)
from assay.errors import BadData, BadParameter
from assay.guarantees.stagewise import stagewise_guarantees
from assay.record.stagewise import StagewiseRecord
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_classification(200, 5, n_informative=4, n_redundant=0, flip_y=0.1, random_state=0)
SIGNS = np.where(Y == 1, 1.0, -1.0)
VALUES = {
    "exponential": lambda m: np.exp(-m),
    "logistic": lambda m: np.log1p(np.exp(-m)),
    "square": lambda m: (1 - m) ** 2,
}


@pytest.mark.parametrize("weighted", [False, True])
def test_the_exponential_loss_is_adaboost(weighted):
    w = np.random.default_rng(1).exponential(size=200) if weighted else None
    ours = ForwardStagewiseClassifier(n_estimators=25).fit(X, Y, w)
    boosted = AdaBoostClassifier(DecisionStump("error"), n_estimators=25).fit(X, Y, w)
    assert ours.features_.tolist() == boosted.features_.tolist()
    assert ours.thresholds_.tolist() == boosted.thresholds_.tolist()
    np.testing.assert_allclose(2 * ours.steps_, boosted.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.edges_, boosted.estimator_errors_, rtol=1e-9)
    assert ours.predict(X).tolist() == boosted.predict(X).tolist()
    mine, theirs = ours.guarantees()[0], boosted.guarantees()[0]
    assert mine.theorem == theirs.theorem
    assert mine.value == pytest.approx(theirs.value, rel=1e-6)
    # Another loss is another run.
    square = ForwardStagewiseClassifier(loss="square", n_estimators=25).fit(X, Y, w)
    assert square.features_.tolist() != boosted.features_.tolist()
    [promise] = square.guarantees()
    assert promise.holds
    assert promise.of == ("weighted training error" if weighted else "training error")
    logistic = ForwardStagewiseClassifier(loss="logistic", n_estimators=5).fit(X, Y, w)
    assert len(logistic.guarantees()) == (0 if weighted else 1)


def signed_stumps(rows):
    """What every stump says, -1 or +1, from the definition."""
    said = [np.ones(len(rows))]
    for column in rows.T:
        values = np.unique(column)
        said += [np.where(column > cut, 1.0, -1.0) for cut in (values[:-1] + values[1:]) / 2]
    return np.array(said + [-one for one in said])


@pytest.mark.parametrize("loss", ["exponential", "square"])
def test_every_round_is_the_best_of_all_stumps_and_steps(loss):
    rows, y, s = X[:40], Y[:40], SIGNS[:40]
    model = ForwardStagewiseClassifier(loss=loss, n_estimators=5).fit(rows, y)
    every, f = signed_stumps(rows), np.zeros(40)
    for step, after in zip(model.steps_, model.staged_decision_function(rows), strict=True):
        grid = step * np.array([0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 1.5])
        tried = VALUES[loss](s * (f + grid[:, None, None] * every)).mean(axis=2)
        mine = VALUES[loss](s * after).mean()
        assert mine <= tried.min() + 1e-12
        f = after
    np.testing.assert_allclose(model.losses_[-1], VALUES[loss](s * f).mean(), rtol=1e-12)


def test_the_logistic_loss_falls_fastest_along_the_stump_and_least_is_left_by_the_step():
    rows, y, s = X[:60], Y[:60], SIGNS[:60]
    model = ForwardStagewiseClassifier(loss="logistic", n_estimators=6).fit(rows, y)
    every, f = signed_stumps(rows), np.zeros(60)
    for step, after in zip(model.steps_, model.staged_decision_function(rows), strict=True):
        pull = s / (1 + np.exp(s * f))
        h = (after - f) / step
        assert pull @ h >= (every @ pull).max() - 1e-9
        least = VALUES["logistic"](s * after).mean()
        for other in (0.9 * step, 1.1 * step):
            assert least < VALUES["logistic"](s * (f + other * h)).mean()
        f = after


def test_least_squares_as_in_scikit_learn():
    rows, y = make_regression(300, 6, noise=20.0, random_state=0)
    rows = rows.astype(np.float32).astype(float)
    peer = GradientBoostingRegressor(
        init="zero", learning_rate=1.0, max_depth=1, n_estimators=30
    ).fit(rows, y)
    ours = ForwardStagewiseRegressor(n_estimators=30).fit(rows, y)
    np.testing.assert_allclose(ours.predict(rows), peer.predict(rows), atol=1e-8)
    np.testing.assert_allclose(ours.losses_, peer.train_score_, rtol=1e-9)
    np.testing.assert_allclose(ours.steps_, 1.0, rtol=1e-9)  # a tree of means is its own best step
    deep = ForwardStagewiseRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=5)
    assert deep.fit(rows, y).losses_[-1] < ours.losses_[4]


def test_the_absolute_error_takes_the_best_step_along_its_model():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 3))
    y = rows[:, 0] + 0.3 * rng.standard_t(1.5, size=80)
    model = ForwardStagewiseRegressor(loss="absolute_error", n_estimators=15).fit(rows, y)
    assert (np.diff([model.start_, *model.losses_]) < 0).all()
    before = np.zeros(80)
    for fitted, step, after in zip(
        model.estimators_, model.steps_, model.staged_predict(rows), strict=True
    ):
        h = fitted.predict(rows)
        least = np.abs(y - after).mean()
        others = [np.abs(y - before - a * h).mean() for a in step * np.linspace(0, 2, 41)]
        assert least <= min(others) + 1e-12
        before = after
    assert model.guarantees() == []


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), min_size=4, max_size=14
    ),
    st.sampled_from(["exponential", "logistic", "square"]),
    st.integers(1, 12),
)
def test_promises_hold_on_any_sample_and_no_round_raises_the_loss(sample, loss, rounds):
    rows = np.array([[a, b] for a, b, _ in sample], dtype=float)
    y = np.array([label for _, _, label in sample])
    if len(set(y)) < 2:
        return
    model = ForwardStagewiseClassifier(loss=loss, n_estimators=rounds)
    try:
        model.fit(rows, y)
    except BadData:
        return  # no stump is better than a coin
    assert (np.diff([model.start_, *model.losses_]) <= 1e-12).all()
    [promise] = model.guarantees()
    assert promise.holds
    assert model.record_.training_errors == (model.predict(rows) != y).sum()
    if loss == "square":
        assert promise.value == pytest.approx(min(1.0, model.losses_[-1]), rel=1e-6, abs=1e-6)


def test_a_promise_from_correlations_without_squares_is_caught():
    """The broken twin promises the root of what is left, for rounds that were half as good."""
    broken = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows, y = rng.normal(size=(30, 2)), rng.random(30) < 0.5
        record = ForwardStagewiseClassifier(loss="square", n_estimators=4).fit(rows, y).record_
        [sound] = stagewise_guarantees(record)
        assert sound.holds
        better = StagewiseRecord(**{**vars(record), "edges": np.sqrt(record.edges)})
        [twin] = stagewise_guarantees(better)
        broken += twin.value < record.losses[-1] - 1e-6
    assert broken == 20


def test_overshot_rows_are_asked_to_be_contradicted():
    """With the square loss a pull below zero turns the label; all alike, one answer for everyone is best."""
    rows, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    model = ForwardStagewiseClassifier(loss="square", n_estimators=40).fit(rows, y)
    assert model.losses_[-1] < 1e-6
    assert model.training_errors_ == 0


def test_ends():
    rows, y = [[0.0], [1.0]], [0, 1]
    for loss in ("exponential", "logistic"):
        model = ForwardStagewiseClassifier(loss=loss).fit(rows, y)
        assert (model.stopped_, model.steps_.tolist()) == ("perfect", [0.5])
        assert model.guarantees()[0].holds
    assert ForwardStagewiseClassifier(loss="square").fit(rows, y).stopped_ == "perfect"
    flat = ForwardStagewiseRegressor().fit(rows, [0.0, 0.0])
    assert flat.predict(rows).tolist() == [0, 0]
    assert ForwardStagewiseRegressor().fit(rows, [2.0, 2.0]).losses_.tolist() == [0.0]
    linear = ForwardStagewiseRegressor(LinearRegression()).fit(X, X @ np.arange(1.0, 6.0))
    assert linear.guarantees()[0].holds
    assert linear.losses_[-1] < 1e-20


def test_any_learner_and_files(tmp_path):
    for model in (
        ForwardStagewiseClassifier(LogisticRegression(C=1e3), loss="square", n_estimators=4),
        ForwardStagewiseClassifier(loss="logistic", n_estimators=4),
        ForwardStagewiseRegressor(loss="absolute_error", n_estimators=4),
    ):
        model.fit(X, Y)
        assert len(model.estimators_) <= 4
        if isinstance(getattr(model, "estimator", None), LogisticRegression):
            continue  # not one of assay's: it cannot be saved
        save(model, tmp_path / "model.assay")
        again = load(tmp_path / "model.assay").set_params(loss="square")
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert [str(g) for g in again.guarantees()] == [str(g) for g in model.guarantees()]


def test_stumps_promise_by_compression_too():
    model = ForwardStagewiseClassifier(loss="square", n_estimators=3).fit(X, Y)
    [promise] = model.training_promises(X, Y).guarantees
    assert promise.theorem == "stump-vote-compression"


def test_refusals():
    for model, sentence in (
        (
            ForwardStagewiseClassifier(loss="hinge"),
            "loss must be one of 'exponential', 'logistic', 'square', but is 'hinge'.",
        ),
        (
            ForwardStagewiseRegressor(loss="square"),
            "loss must be 'squared_error' or 'absolute_error', but is 'square'.",
        ),
        (
            ForwardStagewiseRegressor(n_estimators=0),
            "n_estimators must be a whole number of at least 1, but is 0.",
        ),
        (
            ForwardStagewiseRegressor(3),
            "estimator must be None for trees of one question, or a regressor, but is 3.",
        ),
    ):
        with pytest.raises(BadParameter) as refused:
            model.fit([[0.0], [1.0]], [0, 1])
        assert str(refused.value) == sentence
    with pytest.raises(BadData, match="in the first round the loss does not fall along what"):
        ForwardStagewiseClassifier().fit([[1.0], [1.0]], [0, 1])
    with pytest.raises(BadData, match="at most 1e\\+150 in size"):
        ForwardStagewiseRegressor().fit([[0.0], [1.0]], [0, 1e200])


@pytest.mark.parametrize(
    "model",
    [ForwardStagewiseClassifier(n_estimators=10), ForwardStagewiseRegressor(n_estimators=5)],
    ids=["labels", "target"],
)
def test_scikit_checks(model):
    assert_checks_pass_but_those_named(model)
