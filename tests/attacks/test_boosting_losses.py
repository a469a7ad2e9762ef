"""Attacks on what gradient boosting promises of its training loss: odd targets, weights, files, and fits that go on."""

from fractions import Fraction

import numpy as np
import pytest

from assay import HistGradientBoostingClassifier, HistGradientBoostingRegressor, load, save
from assay.errors import AssayError

TARGETS = {
    "as they are": lambda y: y,
    "far from zero": lambda y: 1e5 + y,
    "so far that digits are lost": lambda y: 1e15 + y,
    "huge": lambda y: 1e140 * y,
    "tiny": lambda y: 1e-140 * y,
    "tinier than their squares": lambda y: 1e-300 * y,
    "the smallest there are": lambda y: 5e-324 * np.round(100 * y),
    "few values": np.round,
    "one value": lambda y: 0 * y + 3.7,
    "one far out": lambda y: np.where(np.arange(len(y)) == 3, 1e12, y),
}
SAMPLES = ("plain", "weights", "duplicates", "missing", "categories", "drawn", "alone")


def sample(kind, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * rng.normal(size=150)
    weights, parameters = None, {}
    if kind == "weights":
        weights = 10.0 ** rng.uniform(-9, 9, 150)
    elif kind == "duplicates":
        X = X[rng.integers(0, 20, 150)]
    elif kind == "missing":
        X[rng.random(X.shape) < 0.3] = np.nan
    elif kind == "categories":
        X[:, 0], parameters = rng.integers(0, 6, 150), {"categorical_features": [0]}
    elif kind == "drawn":
        parameters = {"max_features": 0.4, "random_state": seed}
    elif kind == "alone":
        parameters = {"min_samples_leaf": 1, "max_leaf_nodes": 60}
    return X, y, weights, parameters


def exact_loss(loss, y, predicted, weights):
    """The mean loss in whole numbers' ratios: nothing is rounded."""
    total = heavy = Fraction(0)
    for truth, said, weight in zip(y.tolist(), predicted.tolist(), weights.tolist(), strict=True):
        left, w = Fraction(truth) - Fraction(said), Fraction(weight)
        quantile = left * (Fraction(4, 5) if left > 0 else Fraction(-1, 5))
        cost = {"squared_error": left * left, "absolute_error": abs(left), "quantile": quantile}[
            loss
        ]
        total, heavy = total + w * cost, heavy + w
    return total / heavy


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
@pytest.mark.parametrize("kind", SAMPLES)
def test_no_sample_breaks_the_promise(loss, kind):
    promises = 0
    extra = {"quantile": 0.8} if loss == "quantile" else {}
    for seed, (name, target) in enumerate(TARGETS.items()):
        X, y, weights, parameters = sample(kind, seed)
        y, rate = target(y), (0.1, 1.0)[seed % 2]
        model = HistGradientBoostingRegressor(
            loss=loss, learning_rate=rate, max_iter=15, **extra, **parameters
        ).fit(X, y, weights)
        if model.record_.proven:
            assert model.record_.rises == 0, name
        for promise in model.guarantees():
            promises += 1
            assert promise.holds, name
            cost = exact_loss(
                loss, y, model.predict(X), np.ones(150) if weights is None else weights
            )
            assert cost <= Fraction(float(promise.promised)) * (1 + Fraction(1, 10**8)), name
    assert promises >= 5


def test_where_the_last_digits_break_it_nothing_is_promised():
    X, y, _, _ = sample("plain", 0)
    model = HistGradientBoostingRegressor(learning_rate=1.0).fit(X, 1e15 + y)
    cost = exact_loss("squared_error", 1e15 + y, model.predict(X), np.ones(150))
    assert cost > 1.001 * model.losses_[-1]
    assert model.guarantees() == []


class TestGoingOn:
    def test_rounds_that_proved_nothing_are_not_forgotten(self):
        X, y, _, _ = sample("plain", 0)
        model = HistGradientBoostingRegressor(max_iter=3, l2_regularization=5.0, warm_start=True)
        model.fit(X, y).set_params(max_iter=6, l2_regularization=0.0).fit(X, y)
        assert model.guarantees() == []

    @pytest.mark.parametrize(
        "change",
        [
            {"early_stopping": False},
            {"validation_fraction": 0.4},
            {"learning_rate": 0.5},
            {"max_bins": 9},
            {"scoring": "r2"},
        ],
    )
    def test_other_rows_or_bins_are_refused(self, change):
        X, y, _, _ = sample("plain", 0)
        model = HistGradientBoostingRegressor(max_iter=3, warm_start=True, early_stopping=True)
        model.fit(X, y).set_params(max_iter=6, **change)
        with pytest.raises(AssayError, match="warm_start goes on with the sample it has"):
            model.fit(X, y)

    def test_the_loss_cannot_be_another(self):
        X, y, _, _ = sample("plain", 0)
        model = HistGradientBoostingRegressor(max_iter=3, warm_start=True).fit(X, y)
        with pytest.raises(AssayError, match="warm_start goes on with the sample it has"):
            model.set_params(loss="absolute_error", max_iter=5).fit(X, y)

    @pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
    def test_a_fit_in_two_parts_promises_what_one_does(self, loss):
        X, y, _, _ = sample("plain", 0)
        once = HistGradientBoostingRegressor(loss=loss, max_iter=9).fit(X, y)
        twice = HistGradientBoostingRegressor(loss=loss, max_iter=4, warm_start=True).fit(X, y)
        twice.set_params(max_iter=9).fit(X, y)
        assert str(twice.guarantees()[0]) == str(once.guarantees()[0])

    def test_parameters_set_after_the_fit_change_no_promise(self):
        X, y, _, _ = sample("plain", 0)
        model = HistGradientBoostingRegressor(learning_rate=1.5, max_iter=5).fit(X, y)
        assert model.set_params(learning_rate=0.1).guarantees() == []
        model = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
        before = str(model.guarantees()[0])
        model.set_params(learning_rate=1.0, loss="poisson", l2_regularization=9.0)
        assert str(model.guarantees()[0]) == before


def _lower(model):
    model.drops_ = np.minimum(1.0, model.drops_ * 3)


def _risen(model):
    model.losses_[1] = 2 * model.losses_[0]


def _below_zero(model):
    model.losses_[-1] = -1.0


def _proven(model):
    model.proven_ = True


def _other_loss(model):
    model.loss_ = "poisson"


def _steep(model):
    model.rate_ = 1.7


def _judged(model):
    model.validation_losses_ = np.zeros(2)


def _stopped(model):
    model.stopped_early_ = True


@pytest.mark.parametrize(
    "forge", [_lower, _risen, _below_zero, _other_loss, _steep, _judged, _stopped], ids=lambda f: f.__name__
)  # fmt: skip
def test_forged_files_are_refused(forge, tmp_path):
    X, y, _, _ = sample("plain", 0)
    model = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    assert model.guarantees()
    forge(model)
    save(model, tmp_path / "forged.assay")
    with pytest.raises(AssayError):
        load(tmp_path / "forged.assay")


def test_a_file_cannot_claim_a_proof_for_a_loss_that_has_none(tmp_path):
    X, y, _, _ = sample("plain", 0)
    for model in (
        HistGradientBoostingRegressor(loss="poisson", max_iter=3).fit(X, np.abs(y)),
        HistGradientBoostingClassifier(max_iter=3).fit(X, y > 0.5),
    ):
        _proven(model)
        save(model, tmp_path / "forged.assay")
        with pytest.raises(AssayError):
            load(tmp_path / "forged.assay")
