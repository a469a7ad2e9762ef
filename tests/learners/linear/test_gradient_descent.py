import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import SGDClassifier as TheirSGD

from assay import OnlineGradientDescent, load, save
from assay.errors import BadData
from assay.theory.regret.gradient_descent import ogd_distance_potential
from assay.theory.tuning import gradient_anytime_step, gradient_step
from tests.naive.gradient_descent import descend, gradient_descent
from tests.naive.losses import LOSSES
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named

CLASSES = [0, 1]


def game(seed, n=100, d=4, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(rng.random(n) < noise, -1, 1) * np.where(X @ rng.normal(size=d) >= 0, 1, -1)
    return X, (y + 1) // 2


def signs(y):
    return (2 * y - 1).tolist()


def weights(model):
    return np.append(model.coef_[0], model.intercept_[0])


# The rule


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("setting", [{}, {"max_norm": 3.0, "radius": 5.0}, {"eta0": 0.05}])
def test_one_pass_is_the_twins(loss, setting):
    X, y = game(1)
    model = OnlineGradientDescent(loss, **setting).partial_fit(X, y, classes=CLASSES)
    ball, radius = setting.get("max_norm", 1.0), setting.get("radius", 0.0)
    twin = descend(X.tolist(), signs(y), loss, setting.get("eta0"), ball, radius)
    np.testing.assert_allclose(weights(model), twin.weights, rtol=1e-9, atol=1e-11)
    assert model.record_.mistakes == twin.mistakes
    assert model.record_.updates == twin.steps


def test_a_known_horizon_takes_the_tuned_step_and_none_the_anytime_step():
    X, y = game(2)
    radius = math.sqrt((X**2).sum(axis=1).max()) + 0.1
    wide = [[*x, 1.0] for x in X.tolist()]
    known = OnlineGradientDescent(max_norm=2.0, rounds=100, radius=radius + 1)
    known.partial_fit(X, y, classes=CLASSES)
    run = gradient_descent(wide, signs(y), gradient_step(100, 2.0, radius + 1), ball=2.0)
    np.testing.assert_allclose(weights(known), run.weights[-1], rtol=1e-10)
    free = OnlineGradientDescent(max_norm=2.0, radius=radius + 1)
    free.partial_fit(X, y, classes=CLASSES)

    def anytime(t):
        return gradient_anytime_step(t, 2.0, radius + 1)

    run = gradient_descent(wide, signs(y), anytime, ball=2.0)
    np.testing.assert_allclose(weights(free), run.weights[-1], rtol=1e-10)


def test_the_tuned_step_of_a_hundred_rounds():
    model = OnlineGradientDescent(max_norm=2, rounds=100, radius=1)
    assert model._begin(1, np.dtype(float)).rule.rate == 0.2


def test_weights_are_scikit_learns_without_a_ball():
    X, y = game(3, n=200)
    ours = OnlineGradientDescent(max_norm=None, eta0=0.25).partial_fit(X, y, classes=CLASSES)
    theirs = TheirSGD(penalty=None, learning_rate="constant", eta0=0.25, shuffle=False)
    theirs.partial_fit(X, y, classes=CLASSES)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-11)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-11)


def test_the_proximal_step_is_scikit_learns_passive_aggressive_one():
    X, y = game(4, n=200)
    ours = OnlineGradientDescent(max_norm=None, eta0=0.25, proximal=True, fit_intercept=False)
    ours.partial_fit(X, y, classes=CLASSES)
    theirs = TheirSGD(
        penalty=None, learning_rate="pa1", eta0=0.25, shuffle=False, fit_intercept=False
    )
    theirs.partial_fit(X, y, classes=CLASSES)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)


def test_the_proximal_step_from_zero_is_capped():
    model = OnlineGradientDescent(
        max_norm=None, eta0=1 / (2 * 0.1), proximal=True, fit_intercept=False
    )
    model.partial_fit([[2.0, 0.0]], [1], classes=CLASSES)
    assert model.coef_.tolist() == [[0.5, 0.0]]


# The same bits however the examples come


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("setting", [{}, {"eta0": 0.3}, {"max_norm": None, "eta0": 0.3}])
def test_whole_chunks_and_single_examples_give_the_same_bits(setting, precision):
    X, y = game(5, n=3000, d=9, noise=0.3)
    X = X.astype(precision)
    whole = OnlineGradientDescent(**setting).partial_fit(X, y, classes=CLASSES)
    chunked, one = OnlineGradientDescent(**setting), OnlineGradientDescent(**setting)
    for part in range(0, len(y), 170):
        chunked.partial_fit(X[part : part + 170], y[part : part + 170], classes=CLASSES)
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label, classes=CLASSES)
    for other in (chunked, one):
        assert (other.coef_ == whole.coef_).all()
        assert (other.intercept_ == whole.intercept_).all()
        assert other.record_.mistakes == whole.record_.mistakes
        assert other.guarantees() == whole.guarantees()


def test_sparse_rows_in_chunks_give_the_same_bits_and_the_dense_weights():
    X, y = game(6, n=500)
    X[X < 0.3] = 0
    whole = OnlineGradientDescent().partial_fit(sparse.csr_matrix(X), y, classes=CLASSES)
    chunked = OnlineGradientDescent()
    for part in range(0, 500, 60):
        chunked.partial_fit(
            sparse.csr_matrix(X[part : part + 60]), y[part : part + 60], classes=CLASSES
        )
    assert (chunked.coef_ == whole.coef_).all()
    dense = OnlineGradientDescent().partial_fit(X, y, classes=CLASSES)
    np.testing.assert_allclose(whole.coef_, dense.coef_, rtol=1e-10)
    for mine, theirs in zip(whole.guarantees(), dense.guarantees(), strict=True):
        assert mine.value == pytest.approx(theirs.value, rel=1e-6)
        assert float(mine.observed) == pytest.approx(float(theirs.observed), rel=1e-3, abs=1e-2)


def test_dicts_of_features_are_rows():
    X, y = game(7, n=80)
    by_name, by_place = OnlineGradientDescent(), OnlineGradientDescent()
    for x, label in zip(X, y, strict=True):
        by_name.learn_one(dict(zip("abcd", x, strict=True)), label, classes=CLASSES)
        by_place.learn_one(x, label, classes=CLASSES)
    assert (by_name.coef_ == by_place.coef_).all()
    assert by_name.predict_one({"a": 1.0}) == by_place.predict_one([1.0, 0, 0, 0])


def test_features_that_come_late_start_at_zero():
    model = OnlineGradientDescent(fit_intercept=False)
    model.learn_one({"a": 1.0}, True)
    model.learn_one({"b": 1.0}, False)
    assert model.coef_[0, 0] > 0 > model.coef_[0, 1]
    assert len(model.guarantees()) == 3


def test_predicting_changes_nothing():
    X, y = game(8)
    model = OnlineGradientDescent().fit(X, y)
    before = model.coef_.copy(), model.record_
    model.predict(X)
    model.predict_one(X[0])
    model.guarantees()
    assert (model.coef_ == before[0]).all()
    assert model.record_ == before[1]
    assert OnlineGradientDescent().predict_one([1.0]) is None


def test_loading_a_saved_learner_goes_on_with_the_same_bits(tmp_path):
    X, y = game(9, n=2500, noise=0.4)
    for setting in ({}, {"max_norm": None, "eta0": 0.1, "trace": True}):
        model = OnlineGradientDescent(**setting)
        model.partial_fit(X[:2400], y[:2400], classes=CLASSES)
        save(model, tmp_path / "model.assay")
        again = load(tmp_path / "model.assay")
        for learner in (model, again):
            learner.partial_fit(X[2400:], y[2400:])
        assert (again.coef_ == model.coef_).all()
        assert again.guarantees() == model.guarantees()


# Learning


def test_fit_ends_with_a_clean_pass_on_separable_data():
    X, y = game(10, noise=0.0)
    X[:, 0] += np.where(y == 1, 3.0, -3.0)
    model = OnlineGradientDescent().fit(X, y)
    assert model.record_.clean
    assert model.score(X, y) == 1.0
    assert np.linalg.norm(weights(model)) <= 1 + 1e-12


def test_several_classes_are_played_one_against_the_rest():
    rng = np.random.default_rng(0)
    centres = np.array([[4.0, 0], [-4, 0], [0, 4]])
    y = rng.integers(0, 3, 300)
    X = centres[y] + rng.normal(size=(300, 2))
    model = OnlineGradientDescent().fit(X, y)
    assert model.score(X, y) > 0.95
    kinds = [(g.of, g.holds) for g in model.guarantees()]
    assert len(kinds) == 9
    assert ("regret of 0 against the rest", True) in kinds
    assert ("mistakes of 2 against the rest", True) in kinds
    assert all(holds for _, holds in kinds)


def test_warm_start_goes_on():
    X, y = game(11)
    model = OnlineGradientDescent(warm_start=True, max_iter=1)
    assert model.fit(X, y).fit(X, y).record_.rounds == 200
    assert OnlineGradientDescent(max_iter=1).fit(X, y).fit(X, y).record_.rounds == 100


# The trace


@pytest.mark.parametrize("proximal", [False, True])
def test_the_trace_follows_the_potential(proximal):
    X, y = game(12, n=150, noise=0.2)
    rate = 0.2
    model = OnlineGradientDescent(
        max_norm=2.0, eta0=rate, proximal=proximal, fit_intercept=False, trace=True
    ).partial_fit(X, y, classes=CLASSES)
    trace = model.record_.trace
    assert set(trace) == {"round", "loss", "rate", "norm", "squared_distance"}
    assert (trace["norm"] <= 2 + 1e-12).all()
    assert trace["norm"][-1] == pytest.approx(np.linalg.norm(model.coef_))
    rival = model.players_[0].hindsight.rival(rate)
    before = np.append(rival.vector @ rival.vector, trace["squared_distance"][:-1])
    rows = trace["round"].astype(int)
    margins = (2 * y[rows] - 1) * (X[rows] @ rival.vector[:-1])
    excess = trace["loss"] - np.maximum(0, 1 - margins)
    lengths = (X[rows] ** 2).sum(axis=1)
    broken = 0
    for t in range(len(rows)):
        ends = math.sqrt(before[t]), math.sqrt(trace["squared_distance"][t])
        assert excess[t] <= ogd_distance_potential(*ends, rate, lengths[t]) + 1e-9
        # Half the gradient's term is not enough.
        broken += excess[t] > ogd_distance_potential(*ends, rate, lengths[t] / 2) + 1e-9
    assert proximal or broken > 10


def test_tracing_changes_no_bit():
    X, y = game(13)
    plain = OnlineGradientDescent().partial_fit(X, y, classes=CLASSES)
    traced = OnlineGradientDescent(trace=True).partial_fit(X, y, classes=CLASSES)
    assert (plain.coef_ == traced.coef_).all()
    assert plain.record_.trace is None
    assert plain.guarantees() == traced.guarantees()


# Contracts


@pytest.mark.parametrize(
    "setting",
    [{}, {"proximal": True}, pytest.param({"loss": "log_loss"}, marks=pytest.mark.guarantees)],
)
def test_scikit_learns_checks(setting):
    assert_checks_pass_but_those_named(OnlineGradientDescent(**setting))


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"max_norm": 0}, "max_norm must be a finite number above zero, but is 0."),
        ({"max_norm": math.nan}, "max_norm must be a finite number above zero, but is nan."),
        ({"eta0": -1.0}, "eta0 must be a finite number above zero, but is -1.0."),
        ({"epsilon": -1}, "epsilon must be a finite number, zero or more, but is -1."),
        (
            {"max_norm": None},
            "eta0 must be given when max_norm is None, but is None. No rate follows without a ball.",
        ),
        ({"rounds": 10}, "radius must be given together with rounds, but is None."),
        ({"rounds": 0, "radius": 1}, "rounds must be a whole number of at least 1, but is 0."),
        (
            {"rounds": 9, "radius": 1, "eta0": 0.1},
            "rounds must be left out when eta0 is given, but is 9.",
        ),
        (
            {"loss": "log_loss", "proximal": True},
            "loss must be 'hinge' for proximal steps, but is 'log_loss'.",
        ),
        (
            {"loss": "huber"},
            "loss must be one of hinge, perceptron, log_loss, logistic, squared_error, squared, "
            "exponential, epsilon_insensitive, but is 'huber'.",
        ),
    ],
)
def test_refusals(setting, sentence):
    with refuses(sentence):
        OnlineGradientDescent(**setting).fit([[0.0], [1.0]], [0, 1])


def test_a_horizon_needs_a_ball():
    with refuses(
        "eta0 must be given when max_norm is None, but is None. No rate follows without a ball."
    ):
        OnlineGradientDescent(max_norm=None, rounds=3, radius=1.0).fit([[0.0], [1.0]], [0, 1])


def test_a_bad_cell_is_named_and_what_came_before_is_learned():
    X, y = game(14, n=10)
    X[7, 2] = np.nan
    model = OnlineGradientDescent()
    with pytest.raises(BadData, match="row 7, column 2 holds NaN"):
        model.partial_fit(X, y, classes=CLASSES)
    before = OnlineGradientDescent().partial_fit(X[:7], y[:7], classes=CLASSES)
    assert (model.coef_ == before.coef_).all()
    assert model.record_.rounds == 7
