import inspect
import math
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.linear_model import SGDRegressor as Theirs
from sklearn.utils.estimator_checks import check_estimator

from assay import SGDRegressor, load, save
from assay.errors import BadData
from tests.naive.sgd import sgd
from tests.refusals import refuses

LOSSES = ["squared_error", "epsilon_insensitive"]


def game(seed, n=200, d=5, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 2 + noise * rng.normal(size=n)


def same(ours, theirs):
    return (ours.coef_ == theirs.coef_).all() and (ours.intercept_ == theirs.intercept_).all()


# The rule


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
def test_one_pass_is_the_twins(loss, form):
    X, y = game(1)
    X[np.abs(X) < 0.5] = 0
    given = form(X)
    values = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=float)
    model = SGDRegressor(loss, alpha=0.1, eta0=0.1).partial_fit(given, y)
    twin = sgd(values, y, loss, 0.1, 0.5, 0.1)
    np.testing.assert_allclose(model.coef_, twin.coef, rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, [twin.intercept], rtol=1e-10)
    averaged = SGDRegressor(loss, alpha=0.1, eta0=0.1, average=True).partial_fit(given, y)
    np.testing.assert_allclose(averaged.coef_, twin.average_coef, rtol=1e-10)


def test_weights_equal_scikit_learns_to_the_bit():
    rng = np.random.default_rng(2)
    X, y = rng.integers(-3, 4, size=(40, 4)).astype(float), rng.integers(-5, 6, size=40) + 0.5
    setting = {"loss": "epsilon_insensitive", "learning_rate": "constant", "eta0": 0.125}
    setting |= {"epsilon": 0.25, "shuffle": False, "max_iter": 4, "tol": None}
    ours = SGDRegressor(alpha=0.0, **setting).fit(X, y)
    assert same(ours, Theirs(penalty=None, **setting).fit(X, y))


@pytest.mark.parametrize("average", [False, True, 30])
@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_scikit_learns_with_everything_at_once(loss, average):
    X, y = game(3)
    setting = {"loss": loss, "alpha": 0.02, "learning_rate": "invscaling", "eta0": 0.05}
    setting |= {"shuffle": False, "max_iter": 5, "tol": None, "average": average}
    ours, theirs = SGDRegressor(**setting).fit(X, y), Theirs(**setting).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


def test_the_minimum_is_ridge_regressions():
    X, y = game(4)
    alpha = 0.1
    ours = SGDRegressor(
        alpha=alpha, eta0=0.1, average=20_000, max_iter=400, tol=None, random_state=0
    ).fit(X, y)
    theirs = Ridge(alpha=alpha * len(y)).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=5e-3, atol=5e-3)
    np.testing.assert_allclose(ours.intercept_[0], theirs.intercept_, rtol=5e-3)


# The same bits however the examples come


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_whole_chunks_and_single_examples_give_the_same_bits(precision):
    X, y = game(5, d=11)
    X = X.astype(precision)
    setting = {"alpha": 0.3, "average": 20}
    whole = SGDRegressor(**setting).partial_fit(X, y)
    chunked, one = SGDRegressor(**setting), SGDRegressor(**setting)
    for part in range(0, 200, 17):
        chunked.partial_fit(X[part : part + 17], y[part : part + 17])
    for x, target in zip(X, y, strict=True):
        one.learn_one(x, target)
    once = SGDRegressor(shuffle=False, max_iter=1, **setting).fit(X, y)
    for other in (chunked, one, once):
        assert same(whole, other)
    assert one.predict_one(X[3]) == pytest.approx(whole.predict(X[3:4])[0])


def test_loading_a_saved_learner_goes_on_with_the_same_bits(tmp_path):
    X, y = game(6)
    model = SGDRegressor(average=True, alpha=0.3).partial_fit(X[:150], y[:150])
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    for learner in (model, again):
        learner.partial_fit(X[150:], y[150:])
    assert same(model, again)


# Weights


def test_weights_and_repetition_have_the_same_minimum():
    X, y = game(7, n=150, noise=2.0)
    times = np.random.default_rng(0).integers(0, 4, size=150)
    setting = {"alpha": 0.05, "eta0": 0.05, "average": 30_000, "max_iter": 600, "tol": None}
    weighted = SGDRegressor(random_state=0, **setting).fit(X, y, sample_weight=times)
    repeated = SGDRegressor(random_state=0, **setting)
    repeated.fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=0.02, atol=0.01)
    theirs = Ridge(alpha=0.05 * times.sum()).fit(X, y, sample_weight=times)
    np.testing.assert_allclose(weighted.coef_, theirs.coef_, rtol=0.02, atol=0.01)
    ignored = SGDRegressor(random_state=0, **setting).fit(X, y)
    assert np.abs(ignored.coef_ - weighted.coef_).max() > 0.05


def test_an_example_of_weight_zero_is_not_there():
    X, y = game(8)
    there = np.random.default_rng(0).random(200) < 0.5
    weighted = SGDRegressor(average=True).partial_fit(X, y, sample_weight=there)
    assert same(weighted, SGDRegressor(average=True).partial_fit(X[there], y[there]))


# Learning


def test_fit_stops_when_the_objective_no_longer_falls():
    X, y = game(9)
    model = SGDRegressor(random_state=0).fit(X, y)
    assert 5 < model.n_iter_ < 1000
    assert model.score(X, y) > 0.9
    assert model.record_.passes == model.n_iter_
    assert model.guarantees() == []
    assert SGDRegressor(tol=None, max_iter=9).fit(X, y).n_iter_ == 9


def test_warm_start_goes_on_where_it_was():
    X, y = game(10)
    setting = {"shuffle": False, "tol": None}
    going_on = SGDRegressor(warm_start=True, max_iter=2, **setting).fit(X, y).fit(X, y)
    assert same(going_on, SGDRegressor(max_iter=4, **setting).fit(X, y))


def test_the_seed_decides_the_order():
    X, y = game(11)
    first, second, other = (SGDRegressor(random_state=s, max_iter=3).fit(X, y) for s in (1, 1, 2))
    assert same(first, second)
    assert not same(first, other)


# Contracts


def test_scikit_learns_checks():
    model = SGDRegressor()
    # One check has examples of length 140, for which the first steps are too long.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check_estimator(model, on_skip=None, expected_failed_checks=model.skipped_checks)


def test_defaults_are_scikit_learns_where_names_are():
    ours, theirs = (inspect.signature(kind).parameters for kind in (SGDRegressor, Theirs))
    named = set(ours) & set(theirs) - {"learning_rate"}
    assert {name: ours[name].default for name in named} == {
        name: theirs[name].default for name in named
    }


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            {"loss": "hinge"},
            "loss must be one of squared_error, squared, epsilon_insensitive, but is 'hinge'.",
        ),
        ({"alpha": math.inf}, "alpha must be a finite number, zero or more, but is inf."),
        ({"eta0": True}, "eta0 must be a finite number above zero, but is True."),
        ({"max_iter": 1.5}, "max_iter must be a whole number of at least 1, but is 1.5."),
    ],
)
def test_refusals(setting, sentence):
    with refuses(sentence):
        SGDRegressor(**setting).fit([[0.0], [1.0]], [0.0, 1.0])


def test_weights_that_run_away_are_said_to_and_overflow_is_refused():
    X, y = game(12)
    model = SGDRegressor(eta0=1.0, learning_rate="constant")
    with pytest.warns(ConvergenceWarning, match=r"^The weights ran away: steps of eta0=1\.0 are"):
        model.fit(100 * X, y)
    assert np.isfinite(model.coef_).all()
    sentence = (
        r"^The weights overflow at row \d+ of X: steps of eta0=1\.0 are too long for such examples\. "
        r"Scale the features, or lower eta0\. Everything before this row was learned\.$"
    )
    with pytest.raises(BadData, match=sentence):
        model.fit(1e200 * X, y)
