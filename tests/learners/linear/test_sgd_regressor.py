import inspect
import math
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.linear_model import SGDRegressor as Theirs

from assay import SGDRegressor, load, save
from assay.errors import BadData
from tests.naive.sgd import power_rate, sgd
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named

LOSSES = list(Theirs.loss_functions)
FORMS = [np.asarray, sparse.csr_matrix]


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
    setting = {"alpha": 0.1, "eta0": 0.1, "learning_rate": "invsqrt"}
    model = SGDRegressor(loss, **setting).partial_fit(given, y)
    share = 0.01 if sparse.issparse(given) else 1.0
    twin = sgd(values, y, loss, power_rate(0.1, 0.5), 0.1, share=share)
    np.testing.assert_allclose(model.coef_, twin.coef, rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, [twin.intercept], rtol=1e-10)
    averaged = SGDRegressor(loss, average=True, **setting).partial_fit(given, y)
    np.testing.assert_allclose(averaged.coef_, twin.average_coef, rtol=1e-10)


def test_weights_equal_scikit_learns_to_the_bit():
    rng = np.random.default_rng(2)
    X, y = rng.integers(-3, 4, size=(40, 4)).astype(float), rng.integers(-5, 6, size=40) + 0.5
    setting = {"loss": "epsilon_insensitive", "learning_rate": "constant", "eta0": 0.125}
    setting |= {"epsilon": 0.25, "shuffle": False, "max_iter": 4, "tol": None}
    ours = SGDRegressor(alpha=0.0, **setting).fit(X, y)
    assert same(ours, Theirs(penalty=None, **setting).fit(X, y))


def assert_alike(ours, theirs, rtol=1e-10):
    found, wanted = (np.append(m.coef_, m.intercept_) for m in (ours, theirs))
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * np.abs(wanted).max())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("average", [False, True, 30])
@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("schedule", ["optimal", "invscaling", "constant", "adaptive"])
@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_scikit_learns_with_everything_at_once(loss, schedule, penalty, average, form):
    X, y = game(3)
    weights = np.random.default_rng(0).uniform(0.1, 2, size=200)
    weights[::9] = 0.0
    setting = {"loss": loss, "penalty": penalty, "learning_rate": schedule, "average": average}
    # Longer first steps would magnify every rounding.
    setting |= {"alpha": 30.0 if schedule == "optimal" else 0.02, "shuffle": False}
    setting |= {"max_iter": 5, "tol": None}
    X = form(0.3 * X)
    for counts in (None, weights):
        ours = SGDRegressor(**setting).fit(X, y, sample_weight=counts)
        theirs = Theirs(**setting).fit(X, y, sample_weight=counts)
        assert_alike(ours, theirs)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


@pytest.mark.parametrize("schedule", ["optimal", "invscaling", "constant", "adaptive"])
@pytest.mark.parametrize("loss", LOSSES)
def test_fit_stops_in_the_pass_in_which_scikit_learn_stops(loss, schedule):
    X, y = game(4)
    setting = {"loss": loss, "learning_rate": schedule, "shuffle": False, "alpha": 0.3}
    ours, theirs = SGDRegressor(**setting).fit(0.3 * X, y), Theirs(**setting).fit(0.3 * X, y)
    assert 5 < ours.n_iter_ == theirs.n_iter_ < 1000
    assert_alike(ours, theirs)


@pytest.mark.parametrize("form", FORMS)
def test_chunks_starts_and_warm_starts_are_scikit_learns(form):
    X, y = game(4)
    ours, theirs = SGDRegressor(), Theirs(shuffle=False)
    for part in range(0, 200, 20):
        for model in (ours, theirs):
            model.partial_fit(form(X[part : part + 20]), y[part : part + 20])
    assert_alike(ours, theirs)
    start = {"coef_init": np.arange(5.0), "intercept_init": [2.0]}
    setting = {"shuffle": False, "tol": None, "max_iter": 2, "warm_start": True}
    ours = SGDRegressor(**setting).fit(form(X), y, **start)
    theirs = Theirs(**setting).fit(form(X), y, **start)
    assert_alike(ours, theirs)
    assert_alike(ours.fit(form(X), y), theirs.fit(form(X), y))


@pytest.mark.parametrize(
    "setting",
    [
        {"penalty": "l1", "alpha": 0.1},
        {"penalty": "elasticnet", "alpha": 0.1, "l1_ratio": 0.5, "loss": "huber"},
        {"loss": "epsilon_insensitive", "learning_rate": "pa1", "penalty": None},
        {"loss": "epsilon_insensitive", "learning_rate": "pa2", "eta0": 0.5, "penalty": None},
        {"early_stopping": True, "random_state": 0, "penalty": None, "tol": 1e-5},
    ],
)
def test_penalties_aggressive_steps_and_rows_set_aside_are_scikit_learns(setting):
    X, y = game(5)
    passes = {} if "early_stopping" in setting else {"max_iter": 4, "tol": None}
    setting = passes | setting | {"shuffle": False}
    ours, theirs = SGDRegressor(**setting).fit(X, y), Theirs(**setting).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-12)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.t_ == 1 + ours.n_iter_ * rows_learned(setting, y)


def test_one_seed_gives_scikit_learns_orders():
    X, y = game(5)
    for seed in (0, 7):
        ours, theirs = (kind(random_state=seed).fit(X, y) for kind in (SGDRegressor, Theirs))
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
        assert ours.n_iter_ == theirs.n_iter_


def rows_learned(setting, y):
    return round(len(y) * (0.9 if "early_stopping" in setting else 1))


def test_shuffled_the_quality_is_scikit_learns():
    X, y = game(5, n=2000, d=20)
    right = [
        np.mean([kind(random_state=seed).fit(X, y).score(X, y) for seed in range(5)])
        for kind in (SGDRegressor, Theirs)
    ]
    assert right[0] == pytest.approx(right[1], abs=1e-4)


def test_the_minimum_is_ridge_regressions():
    X, y = game(4)
    alpha = 0.1
    setting = {"eta0": 0.1, "average": 20_000, "max_iter": 400, "tol": None, "power_t": 0.5}
    ours = SGDRegressor(alpha=alpha, random_state=0, **setting).fit(X, y)
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
    once = SGDRegressor(shuffle=False, max_iter=1, tol=None, **setting).fit(X, y)
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


def test_the_weighted_minimum_is_ridge_regressions():
    """The weights multiply the losses, and leave the penalty alone."""
    X, y = game(7, n=150, noise=2.0)
    times = np.random.default_rng(0).integers(0, 4, size=150)
    setting = {"alpha": 0.05, "eta0": 0.05, "average": 30_000, "max_iter": 600, "tol": None}
    setting |= {"random_state": 0, "power_t": 0.5}
    weighted = SGDRegressor(**setting).fit(X, y, sample_weight=times)
    batch = Ridge(alpha=0.05 * 150).fit(X, y, sample_weight=times)
    np.testing.assert_allclose(weighted.coef_, batch.coef_, rtol=0.02, atol=0.01)
    ignored = SGDRegressor(**setting).fit(X, y)
    assert np.abs(ignored.coef_ - weighted.coef_).max() > 0.05


# Learning


def test_fit_stops_when_the_objective_no_longer_falls():
    X, y = game(9)
    model = SGDRegressor(random_state=0).fit(X, y)
    assert 5 < model.n_iter_ < 1000
    assert model.score(X, y) > 0.9
    assert model.record_.passes == model.n_iter_
    assert model.guarantees() == []
    assert SGDRegressor(tol=None, max_iter=9).fit(X, y).n_iter_ == 9


def test_a_fit_that_may_not_pass_often_enough_says_so():
    with pytest.warns(ConvergenceWarning, match=r"^fit made all of its max_iter=2 passes, and"):
        SGDRegressor(max_iter=2).fit(*game(10))


def test_the_seed_decides_the_order():
    X, y = game(11)
    setting = {"max_iter": 3, "tol": None}
    first, second, other = (SGDRegressor(random_state=s, **setting).fit(X, y) for s in (1, 1, 2))
    assert same(first, second)
    assert not same(first, other)


# Contracts


def test_scikit_learns_checks():
    model = SGDRegressor()
    # One check has examples of length 140, for which the first steps are too long.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert_checks_pass_but_those_named(model)


def test_parameters_and_defaults_are_scikit_learns():
    for method in ("__init__", "fit", "partial_fit"):
        ours, theirs = (
            inspect.signature(getattr(kind, method)).parameters.values()
            for kind in (SGDRegressor, Theirs)
        )
        assert [(p.name, p.default, p.kind) for p in ours] == [
            (p.name, p.default, p.kind) for p in theirs
        ]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            {"loss": "hinge"},
            "loss must be one of squared_error, squared, huber, epsilon_insensitive, "
            "squared_epsilon_insensitive, but is 'hinge'.",
        ),
        ({"alpha": math.inf}, "alpha must be a finite number, zero or more, but is inf."),
        ({"eta0": True}, "eta0 must be a finite number above zero, but is True."),
        (
            {"penalty": "elasticnet", "l1_ratio": 1.5},
            "l1_ratio must be a number between 0 and 1, but is 1.5.",
        ),
        (
            {"learning_rate": "pa2"},
            "loss must be 'epsilon_insensitive' where learning_rate is 'pa2', but is 'squared_error'.",
        ),
        ({"max_iter": 1.5}, "max_iter must be a whole number of at least 1, but is 1.5."),
    ],
)
def test_refusals(setting, sentence):
    with refuses(sentence):
        SGDRegressor(**setting).fit([[0.0], [1.0]], [0.0, 1.0])


def test_weights_that_run_away_are_said_to_and_overflow_is_refused():
    X, y = game(12)
    model = SGDRegressor(eta0=1.0, learning_rate="constant", tol=None, max_iter=20)
    with pytest.warns(ConvergenceWarning, match=r"^The weights ran away: steps of eta0=1\.0 are"):
        model.fit(100 * X, y)
    assert np.isfinite(model.coef_).all()
    sentence = (
        r"^The weights overflow at row \d+ of X: steps of eta0=1\.0 are too long for such examples\. "
        r"Scale the features, or lower eta0\.$"
    )
    with pytest.raises(BadData, match=sentence):
        model.fit(1e200 * X, y)
