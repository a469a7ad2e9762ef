import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.inspection import partial_dependence
from sklearn.metrics import log_loss, mean_pinball_loss
from threadpoolctl import threadpool_limits

from assay import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from assay.errors import BadData
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named

LOSSES = ["squared_error", "absolute_error", "quantile", "poisson", "gamma"]


def table(rows, seed=0, holes=0.0, columns=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    f = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * rng.normal(size=rows)
    X[rng.random(X.shape) < holes] = np.nan
    return X, f


def regressor(loss="squared_error", **parameters):
    extra = {"quantile": 0.8} if loss == "quantile" else {}
    return HistGradientBoostingRegressor(loss=loss, **extra, **parameters)


def scikit(loss="squared_error", **parameters):
    extra = {"quantile": 0.8} if loss == "quantile" else {}
    return ensemble.HistGradientBoostingRegressor(loss=loss, **extra, **parameters)


@pytest.fixture(autouse=True)
def one_thread():
    """scikit-learn's threads wait for each other longer than they work on so few rows."""
    with threadpool_limits(1):
        yield


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("holes", [0.0, 0.2])
    def test_one_tree_of_squares_is_the_same(self, holes):
        X, y = table(400, holes=holes)
        X = X.round(1)  # few values: the same bins
        settings = {"max_iter": 1, "learning_rate": 1.0, "max_leaf_nodes": 8}
        ours, theirs = regressor(**settings).fit(X, y), scikit(**settings).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)

    def test_one_tree_within_bounds_is_the_same(self):
        X, y = table(400, 3)
        X, y = X.round(1), y + X[:, 0]
        settings = {"max_iter": 1, "learning_rate": 1.0, "max_leaf_nodes": 6}
        settings |= {"monotonic_cst": [1, -1, 0, 0, 0]}
        ours, theirs = regressor(**settings).fit(X, y), scikit(**settings).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=2e-3, atol=2e-3)

    def test_one_tree_of_categories_is_the_same(self):
        rng = np.random.default_rng(1)
        X = np.stack([rng.integers(0, 8, 600), rng.integers(0, 3, 600)], axis=1).astype(float)
        y = np.array([0, 3, 1, 9, 2, 7, 5, 4.0])[X[:, 0].astype(int)] + X[:, 1]
        settings = {"max_iter": 1, "learning_rate": 1.0, "categorical_features": [0]}
        ours, theirs = regressor(**settings).fit(X, y), scikit(**settings).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)

    @pytest.mark.parametrize("loss", LOSSES)
    def test_losses_of_numbers(self, loss):
        X, y = load_diabetes(return_X_y=True)
        ours, theirs = regressor(loss).fit(X[:300], y[:300]), scikit(loss).fit(X[:300], y[:300])
        a, b = (np.abs(m.predict(X[300:]) - y[300:]).mean() for m in (ours, theirs))
        assert a < 1.1 * b
        if loss in ("squared_error", "absolute_error", "quantile"):
            assert ours.train_score_[0] == pytest.approx(
                -_cost(loss, y[:300], theirs._baseline_prediction.item()), rel=0.01
            )
        assert ours.score(X[:300], y[:300]) == pytest.approx(
            theirs.score(X[:300], y[:300]), abs=0.06
        )

    @pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
    def test_classes(self, load):
        X, y = load(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(y))
        X, y, cut = X[order], y[order], 2 * len(y) // 3
        ours = HistGradientBoostingClassifier(max_iter=40).fit(X[:cut], y[:cut])
        theirs = ensemble.HistGradientBoostingClassifier(max_iter=40).fit(X[:cut], y[:cut])
        a, b = (log_loss(y[cut:], m.predict_proba(X[cut:])) for m in (ours, theirs))
        assert a < b + 0.05
        np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0)
        assert -ours.train_score_[-1] == pytest.approx(
            log_loss(y[:cut], ours.predict_proba(X[:cut]))
        )

    def test_parameters_and_defaults(self):
        for ours, theirs in (
            (HistGradientBoostingClassifier, ensemble.HistGradientBoostingClassifier),
            (HistGradientBoostingRegressor, ensemble.HistGradientBoostingRegressor),
        ):
            mine = ours().get_params()
            assert mine.pop("n_jobs") is None
            assert mine == theirs().get_params()


def _cost(loss, y, constant):
    if loss == "squared_error":
        return 0.5 * np.mean((y - constant) ** 2)
    if loss == "absolute_error":
        return np.mean(np.abs(y - constant))
    return mean_pinball_loss(y, np.full(len(y), constant), alpha=0.8)


@pytest.mark.parametrize("loss", ["log_loss", "squared_error", "absolute_error"])
def test_the_same_bits_for_any_number_of_threads(loss):
    X, f = table(5000, holes=0.05)
    parameters = {"max_iter": 6, "early_stopping": False}
    found = []
    for jobs in (1, 2, 3):
        if loss == "log_loss":
            model = HistGradientBoostingClassifier(n_jobs=jobs, **parameters).fit(X, f > 0.5)
            found.append(model.decision_function(X).tobytes() + model.losses_.tobytes())
        else:
            model = regressor(loss, n_jobs=jobs, **parameters).fit(X, f)
            found.append(model.predict(X).tobytes() + model.losses_.tobytes())
    assert found[0] == found[1] == found[2]


def test_large_records_are_read_by_rows_to_the_same_bits():
    # More than 8 MiB of bins, and leaves of more than 2,048 rows.
    X = np.random.default_rng(0).integers(0, 9, (6000, 1450)).astype(float)
    y = X[:, 0] + 0.5 * X[:, 1] > 6
    settings = {"max_iter": 2, "max_leaf_nodes": 4}
    one, two = (HistGradientBoostingClassifier(n_jobs=k, **settings).fit(X, y) for k in (1, 2))
    assert one.decision_function(X).tobytes() == two.decision_function(X).tobytes()


class TestTrainingLoss:
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
    @pytest.mark.parametrize("rate", [0.1, 1.0])
    def test_never_rises_and_stays_below_the_promise(self, loss, rate, weighted):
        X, y = table(300, 2)
        weights = np.random.default_rng(0).exponential(size=300) if weighted else None
        model = regressor(loss, learning_rate=rate, max_iter=40).fit(1e3 * X, 1e5 + y, weights)
        assert all(b <= a for a, b in pairwise(model.losses_))
        (promise,) = model.guarantees()
        assert promise.holds
        left = 1e5 + y - model.predict(1e3 * X)
        costs = {
            "squared_error": left**2,
            "absolute_error": np.abs(left),
            "quantile": np.where(left > 0, 0.8, -0.2) * left,
        }[loss]
        assert np.average(costs, weights=weights) <= float(promise.promised) * (1 + 1e-9)

    def test_of_squares_the_promise_is_tight(self):
        X, y = table(300, 2)
        (promise,) = regressor().fit(X, y).guarantees()
        assert float(promise.promised) == pytest.approx(float(promise.observed), rel=1e-6)

    @pytest.mark.parametrize(
        "parameters",
        [
            {"learning_rate": 1.5},
            {"l2_regularization": 1.0},
            {"monotonic_cst": [1, 0, 0, 0, 0]},
            {"loss": "poisson"},
        ],
    )
    def test_elsewhere_nothing_is_promised(self, parameters):
        X, y = table(300)
        model = HistGradientBoostingRegressor(max_iter=5, **parameters).fit(X, np.abs(y))
        assert model.guarantees() == []
        assert model.record_.rises == int((np.diff(model.losses_) > 0).sum())

    def test_bounds_the_training_error_of_classes(self):
        X, f = table(300)
        for y in (f > 0.5, np.digitize(f, [0.0, 1.0])):
            model = HistGradientBoostingClassifier(max_iter=20).fit(X, y)
            (promise,) = model.guarantees()
            assert promise.holds
            assert model.record_.training_errors == (model.predict(X) != y).sum()
            assert (
                HistGradientBoostingClassifier(max_iter=2).fit(X, y, 1 + (f > 0)).guarantees() == []
            )

    def test_a_fit_without_anything_left_stays_as_it_is(self):
        X = np.repeat([[0.0], [1.0]], 30, axis=0)
        model = regressor(learning_rate=1.0, max_iter=5).fit(X, 7.0 * X[:, 0])
        assert model.predict([[0.0], [1.0]]).tolist() == [0.0, 7.0]
        assert model.losses_[-1] == 0.0
        assert all(promise.holds for promise in model.guarantees())


class TestInput:
    def test_sparse_and_dense_are_the_same(self):
        X, f = table(300)
        X[np.abs(X) < 0.8] = 0.0
        dense = HistGradientBoostingClassifier(max_iter=5).fit(X, f > 0.5)
        for kind in (sparse.csr_matrix, sparse.csc_array):
            model = HistGradientBoostingClassifier(max_iter=5).fit(kind(X), f > 0.5)
            assert model.predict_proba(kind(X)).tobytes() == dense.predict_proba(X).tobytes()

    def test_rows_of_weight_zero_are_not_there(self):
        X, y = table(300)
        kept = np.arange(300) % 3 > 0
        part = regressor(max_iter=5).fit(X[kept], y[kept])
        whole = regressor(max_iter=5).fit(X, y, kept.astype(float))
        np.testing.assert_allclose(whole.predict(X), part.predict(X), atol=0.1)

    def test_missing_cells_say_something(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=500)
        gone = rng.random(500) < 0.4
        x[gone] = np.nan
        model = HistGradientBoostingClassifier(max_iter=10).fit(x[:, None], gone)
        assert model.predict([[np.nan], [0.0]]).tolist() == [True, False]

    def test_frames_with_categories(self):
        rng = np.random.default_rng(0)
        words = rng.choice(["red", "green", "blue", "grey"], 400)
        frame = pd.DataFrame({"colour": pd.Categorical(words), "x": rng.normal(size=400)})
        y = np.isin(words, ["red", "grey"])
        model = HistGradientBoostingClassifier(max_iter=10).fit(frame, y)
        assert model.score(frame, y) == 1.0
        assert model.is_categorical_.tolist() == [True, False]
        assert model.feature_importances_[0] > 0.99
        unseen = pd.DataFrame({"colour": ["mauve"], "x": [0.0]})
        assert model.predict(unseen)[0] in (True, False)

    def test_a_feature_that_must_not_fall_never_does(self):
        X, y = table(400, 3)
        model = regressor(monotonic_cst=[0, 0, 0, 1, 0]).fit(X, y + np.sin(3 * X[:, 3]))
        grid = np.tile(X[:20, None], (1, 50, 1))
        grid[:, :, 3] = np.linspace(-3, 3, 50)
        said = model.predict(grid.reshape(-1, 5)).reshape(20, 50)
        assert (np.diff(said, axis=1) >= 0).all()


class TestRounds:
    def test_staged_predictions_end_where_predictions_are(self):
        X, f = table(200)
        model = HistGradientBoostingClassifier(max_iter=7).fit(X, np.digitize(f, [0.0, 1.0]))
        *_, last = model.staged_predict_proba(X)
        assert last.tobytes() == model.predict_proba(X).tobytes()
        assert len(list(model.staged_predict(X))) == model.n_iter_ == 7
        numbers = regressor(max_iter=4).fit(X, f)
        *_, last = numbers.staged_predict(X)
        assert last.tolist() == numbers.predict(X).tolist()

    def test_early_stopping_on_rows_set_aside(self):
        X, f = table(2000)
        noise = np.random.default_rng(5).random(2000) < 0.5
        model = HistGradientBoostingClassifier(
            early_stopping=True, n_iter_no_change=3, random_state=0
        )
        model.fit(X, noise)
        assert model.n_iter_ < 30
        assert model.rows_ == 1800
        assert len(model.validation_score_) == model.n_iter_ + 1 == len(model.train_score_)
        alone = HistGradientBoostingRegressor(
            early_stopping=True,
            validation_fraction=None,
            n_iter_no_change=3,
            tol=1e-3,
            learning_rate=0.9,
        )
        alone.fit(X, np.sign(f))
        assert alone.n_iter_ < 100
        assert len(alone.validation_score_) == 0

    def test_warm_start_adds_what_is_missing(self):
        X, f = table(200)
        once = regressor(max_iter=8, random_state=0).fit(X, f)
        twice = regressor(max_iter=3, random_state=0, warm_start=True).fit(X, f)
        twice.set_params(max_iter=8).fit(X, f)
        assert twice.predict(X).tobytes() == once.predict(X).tobytes()
        assert twice.losses_.tobytes() == once.losses_.tobytes()
        with refuses("max_iter must be at least the 8 that are fitted, but is 4."):
            twice.set_params(max_iter=4).fit(X, f)

    def test_limits_of_trees(self):
        X, f = table(500)
        model = regressor(max_iter=3, max_leaf_nodes=None, max_depth=3, min_samples_leaf=30).fit(
            X, f
        )
        trees = model._all_trees
        assert trees.depths.max() <= 3
        assert trees.rows.min() >= 30
        drawn = regressor(max_iter=3, max_features=0.2, random_state=1).fit(X, f)
        other = regressor(max_iter=3, max_features=0.2, random_state=2).fit(X, f)
        assert drawn.predict(X).tobytes() != other.predict(X).tobytes()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, but is 0."),
        ({"learning_rate": 0.0}, "learning_rate must be a finite number above zero, but is 0.0."),
        ({"max_bins": 256}, "max_bins must be a whole number from 2 to 255, but is 256."),
        ({"max_features": 0}, "max_features must be a share above 0 and at most 1, but is 0."),
        (
            {"max_leaf_nodes": 1},
            "max_leaf_nodes must be None, or a whole number of at least 2, but is 1.",
        ),
        ({"early_stopping": "yes"}, "early_stopping must be 'auto', True or False, but is 'yes'."),
        (
            {"quantile": 1.0, "loss": "quantile"},
            "quantile must be strictly between 0 and 1 with loss='quantile', but is 1.0.",
        ),
    ],
)
def test_refusals(parameters, sentence):
    X, y = table(50)
    with refuses(sentence):
        HistGradientBoostingRegressor(**parameters).fit(X, y)


def test_counts_have_no_negative_ones():
    X, y = table(50)
    with pytest.raises(BadData, match="zero or more"):
        regressor("poisson").fit(X, y)


@pytest.mark.parametrize("make", [HistGradientBoostingClassifier, HistGradientBoostingRegressor])
def test_scikit_checks(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_checks_pass_but_those_named(make(max_iter=10, learning_rate=0.5, min_samples_leaf=5))


class TestPartialDependence:
    @pytest.mark.parametrize("method", ["auto", "recursion"])
    def test_by_recursion_as_scikit_learn(self, method):
        X, y = load_iris(return_X_y=True)
        model = HistGradientBoostingClassifier(max_iter=5).fit(X, y == 1)
        how = {"kind": "average", "grid_resolution": 7, "method": method}
        ours = partial_dependence(model, X, [2], **how)["average"]
        theirs = partial_dependence(model.to_sklearn(), X, [2], **how)["average"]
        assert ours.tolist() == theirs.tolist()
        assert np.ptp(ours) > 0.5

    def test_each_class_has_its_own(self):
        X, y = load_iris(return_X_y=True)
        model = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
        how = {"kind": "average", "grid_resolution": 7}
        ours = partial_dependence(model, X, [2], **how)["average"]
        peer = ensemble.HistGradientBoostingClassifier(max_iter=5).fit(X, y)
        assert ours.shape == (3, 7)
        assert np.allclose(ours, partial_dependence(peer, X, [2], **how)["average"], atol=1e-4)

    def test_weighted_rows_only_by_brute_force(self):
        X, y = load_diabetes(return_X_y=True)
        weights = 1.0 + np.arange(len(y)) % 2
        model = HistGradientBoostingRegressor(max_iter=5).fit(X, y, weights)
        sentence = (
            "HistGradientBoostingRegressor does not support partial dependence by recursion where rows had weights: "
            "its leaves know how many rows they have, and not how much these weigh. Say method='brute', "
            "with sample_weight."
        )
        with refuses(sentence, NotImplementedError):
            partial_dependence(model, X, [2], method="recursion")
        brute = partial_dependence(model, X, [2], method="brute", sample_weight=weights)
        assert np.isfinite(brute["average"]).all()


@pytest.mark.parametrize("seed", [0, 7])
def test_rows_set_aside_are_those_of_scikit_learn(seed):
    """Their loss before the first round says so: it is about the mean of the others."""
    X, y = load_breast_cancer(return_X_y=True)
    how = {"early_stopping": True, "random_state": seed, "max_iter": 2, "validation_fraction": 0.37}
    ours = HistGradientBoostingRegressor(**how).fit(X, X[:, 0])
    peer = ensemble.HistGradientBoostingRegressor(**how).fit(X, X[:, 0])
    assert np.isclose(ours.validation_score_[0], peer.validation_score_[0], rtol=1e-12)
    labels = HistGradientBoostingClassifier(**how).fit(X, y)
    other = ensemble.HistGradientBoostingClassifier(**how).fit(X, y)
    assert np.isclose(labels.validation_score_[0], other.validation_score_[0], rtol=1e-12)
