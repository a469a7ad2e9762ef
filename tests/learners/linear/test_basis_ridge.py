"""Ridge on polynomials and waves, and the degree that structural risk minimisation takes."""

import math

import numpy as np
import pytest

from assay import BasisRidge, Ridge, load, save
from assay.errors import BadParameter
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named


def test_polynomials_are_numpys():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(2, 5, 50), rng.standard_normal(50)
    for degree in (1, 2, 5):
        model = BasisRidge(degree=degree, alpha=0.0).fit(x[:, None], y)
        theirs = np.polynomial.Polynomial.fit(x, y, degree)
        assert np.allclose(model.predict(x[:, None]), theirs(x), atol=1e-8)
        assert len(model.risks_) == 1


def test_waves_span_sines_and_cosines():
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0, 10, 60), rng.standard_normal(60)
    model = BasisRidge(basis="trigonometric", degree=2, alpha=0.0, period=7.0).fit(x[:, None], y)
    angle = 2 * np.pi * x / 7
    columns = [np.ones(60)] + [f(k * angle) for k in (1, 2) for f in (np.sin, np.cos)]
    A = np.stack(columns, axis=1)
    assert np.allclose(model.predict(x[:, None]), A @ np.linalg.lstsq(A, y, rcond=None)[0])
    assert np.allclose(model.predict(x[:, None]), model.predict(x[:, None] + 7))


def test_features_are_ridges():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
    model = BasisRidge(degree=3, alpha=0.5).fit(X, y)
    features = model._features(X, 3)
    assert features.shape == (40, 9)
    ridge = Ridge(0.5).fit(features, y)
    assert np.allclose(model.coef_, ridge.coef_)
    assert model.guarantees()[0].theorem == "ridge-primal-dual"
    assert model.guarantees()[0].value < 1e-20


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_the_degree_of_a_noisy_cubic_is_found(noise):
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, 150)
        y = 4 * x**3 - 3 * x + noise * rng.standard_normal(150)
        found.append(BasisRidge(max_degree=12).fit(x[:, None], y).degree_)
    assert np.mean(np.array(found) == 3) >= 0.75
    assert max(found) <= 6


def test_the_training_error_alone_would_take_the_largest_degree():
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 60)
    y = x + 0.3 * rng.standard_normal(60)
    errors = [
        np.mean((y - BasisRidge(degree=k).fit(x[:, None], y).predict(x[:, None])) ** 2)
        for k in range(1, 11)
    ]
    assert np.argmin(errors) == 9
    model = BasisRidge().fit(x[:, None], y)
    assert model.degree_ < 5
    shares = np.arange(2, 12) / 60
    room = 1 - np.sqrt(shares - shares * np.log(shares) + math.log(60) / 120)
    assert np.allclose(model.risks_, np.array(errors) / room)


def test_as_many_functions_as_rows_are_never_taken():
    x = np.arange(6.0)
    risks = BasisRidge(max_degree=8).fit(x[:, None], np.sin(x)).risks_
    assert np.isinf(risks[4:]).all()


def test_few_rows_and_constant_features():
    model = BasisRidge().fit([[1.0], [1.0]], [2.0, 4.0])
    assert model.degree_ == 1
    assert model.predict([[1.0]]) == pytest.approx([3.0])


def test_rows_of_no_weight_do_not_count():
    x, y = np.linspace(0, 1, 30)[:, None], np.linspace(0, 1, 30) ** 2
    far = np.vstack([x, [[1e6]]])
    model = BasisRidge().fit(far, np.append(y, 7.0), np.append(np.ones(30), 0.0))
    assert model.high_.tolist() == [1.0]
    assert np.allclose(model.predict(x), BasisRidge().fit(x, y).predict(x))


def test_refusals():
    X, y = [[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0]
    with refuses("basis must be 'polynomial' or 'trigonometric', but is 'wavelet'."):
        BasisRidge(basis="wavelet").fit(X, y)
    for degree in (0, True, 1.5, "aic"):
        with refuses(f"degree must be a whole number of at least 1, or 'srm', but is {degree!r}."):
            BasisRidge(degree=degree).fit(X, y)
    with refuses("max_degree must be a whole number of at least 1, but is 0."):
        BasisRidge(max_degree=0).fit(X, y)
    for period in (0, -1.0, math.inf, math.nan, "year"):
        with refuses(f"period must be a finite number above zero, or None, but is {period!r}."):
            BasisRidge(period=period).fit(X, y)
    model = BasisRidge(degree=9).fit(X, y)
    with pytest.raises(BadParameter, match="they lie too far outside the range"):
        model.predict([[1e200]])


def test_saved_and_loaded(tmp_path):
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    for basis in ("polynomial", "trigonometric"):
        model = BasisRidge(basis=basis).fit(X, y)
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        assert again.predict(X).tobytes() == model.predict(X).tobytes()
        assert (again.degree_, again.guarantees()) == (model.degree_, model.guarantees())


@pytest.mark.parametrize("basis", ["polynomial", "trigonometric"])
def test_scikit_learns_checks(basis):
    assert_checks_pass_but_those_named(BasisRidge(basis=basis))
