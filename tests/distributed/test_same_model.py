"""The model does not depend on partitions, workers, or the kind of table that the rows come in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay import BernoulliNB, GaussianNB, LinearRegression, Ridge, load
from assay.distributed import fit
from tests.distributed.samples import PARTITIONS, classified, content, cut, measured

LEARNERS = {
    "gaussian": (GaussianNB(), classified),
    "bernoulli": (BernoulliNB(), classified),
    "ridge": (Ridge(alpha=0.5), measured),
    "least squares": (LinearRegression(), measured),
}
named = pytest.mark.parametrize("name", LEARNERS)


def fresh(name):
    model, sample = LEARNERS[name]
    return type(model)(**model.get_params(deep=False)), sample()


@named
def test_in_sequence_any_partitions_give_the_same_model(name, tmp_path):
    model, (X, y) = fresh(name)
    expected = content(fit(model, X, y), tmp_path)
    for partitions in PARTITIONS:
        model, _ = fresh(name)
        fit(model, cut(X, partitions), cut(y, partitions, shift=3))
        assert content(model, tmp_path) == expected


@named
def test_any_workers_give_the_same_model(name, client, tmp_path):
    model, (X, y) = fresh(name)
    expected = content(fit(model, X, y), tmp_path)
    for partitions in (1, 5):
        model, _ = fresh(name)
        fit(model, cut(X, partitions), cut(y, partitions, shift=3), client=client)
        assert content(model, tmp_path) == expected


@named
def test_weights_of_rows(name, two_workers, tmp_path):
    model, (X, y) = fresh(name)
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    expected = content(fit(model, X, y, sample_weight=weights), tmp_path)
    model, _ = fresh(name)
    fit(model, cut(X, 5), cut(y, 2), sample_weight=cut(weights, 3), client=two_workers)
    assert content(model, tmp_path) == expected
    repeated, _ = fresh(name)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    fit(repeated, X[rows], y[rows])
    if hasattr(model, "coef_"):
        np.testing.assert_allclose(model.coef_, repeated.coef_, rtol=1e-9)
    else:
        np.testing.assert_allclose(model.class_count_, repeated.class_count_)


@named
def test_frames_and_folders_of_parquet(name, two_workers, tmp_path):
    import dask.dataframe as dd

    model, (X, y) = fresh(name)
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    frame["aim"] = y
    expected = content(fit(model, frame, "aim"), tmp_path)
    folder = tmp_path / "rows"
    folder.mkdir()
    for place, start in enumerate(range(0, len(frame), 500)):
        frame[start : start + 500].to_parquet(folder / f"{place}.parquet", row_group_size=130)
    for given in (dd.from_pandas(frame, npartitions=7), folder):
        for client in (None, two_workers):
            model, _ = fresh(name)
            fit(model, given, "aim", client=client)
            assert content(model, tmp_path) == expected
    assert load(tmp_path / "model.assay").feature_names_in_.tolist() == [*frame.columns[:-1]]


@named
def test_it_is_what_the_ordinary_fit_gives(name):
    model, (X, y) = fresh(name)
    fit(model, cut(X, 5), cut(y, 5))
    ordinary, _ = fresh(name)
    ordinary.fit(X, y)
    if hasattr(model, "coef_"):
        np.testing.assert_allclose(model.coef_, ordinary.coef_, rtol=1e-8)
        np.testing.assert_allclose(model.intercept_, ordinary.intercept_, rtol=1e-8)
        (promise,), (other,) = model.guarantees(), ordinary.guarantees()
        assert 0 <= promise.value <= other.value * 2 + 1e-9
    else:
        assert np.array_equal(model.predict(X), ordinary.predict(X))
        assert model.record_ == ordinary.record_


def test_several_targets_and_no_intercept(two_workers, tmp_path):
    X, y = measured()
    Y = np.column_stack([y, -2 * y, np.ones(len(y))])
    one = fit(Ridge(alpha=[1.0, 2.0, 0.0], fit_intercept=False), X, Y)
    other = fit(
        Ridge(alpha=[1.0, 2.0, 0.0], fit_intercept=False), cut(X, 5), cut(Y, 2), client=two_workers
    )
    assert content(one, tmp_path) == content(other, tmp_path)
    ordinary = Ridge(alpha=[1.0, 2.0, 0.0], fit_intercept=False).fit(X, Y)
    np.testing.assert_allclose(one.coef_, ordinary.coef_, rtol=1e-7, atol=1e-12)


def test_columns_that_say_the_same_leave_the_shortest_weights():
    X, y = measured()
    twice = np.column_stack([X, X[:, 2] + X[:, 0], np.ones(len(X))])
    model, ordinary = fit(LinearRegression(), twice, y), LinearRegression().fit(twice, y)
    np.testing.assert_allclose(model.coef_, ordinary.coef_, atol=1e-7)
    assert model.rank_ == ordinary.rank_ == X.shape[1]
    assert not model.record_.full


def test_the_excess_is_no_less_than_it_is():
    """The promise about the sum of squares, against one that is solved in exact arithmetic."""
    from fractions import Fraction

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=60) + 1e3, rng.normal(size=60)
    model = fit(LinearRegression(), x[:, None], y)
    xs, ys = [Fraction(v) for v in x.tolist()], [Fraction(v) for v in y.tolist()]
    mean_x, mean_y = sum(xs) / 60, sum(ys) / 60
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(xs, ys, strict=True)) / sum(
        (a - mean_x) ** 2 for a in xs
    )
    w, b = Fraction(float(model.coef_[0])), Fraction(float(model.intercept_))
    squares = sum((t - w * a - b) ** 2 for a, t in zip(xs, ys, strict=True))
    least = sum((t - mean_y - slope * (a - mean_x)) ** 2 for a, t in zip(xs, ys, strict=True))
    (promise,) = model.guarantees()
    assert squares - least <= Fraction(promise.value)
    assert promise.value < 1e-6
