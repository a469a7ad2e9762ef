"""The model does not depend on partitions, workers, or the kind of table that the rows come in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from assay import (
    BernoulliNB,
    GaussianNB,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    Ridge,
    load,
)
from assay.distributed import fit
from tests.distributed.samples import PARTITIONS, classified, content, cut, measured


def of_two(rows=700, seed=0):
    return classified(rows, classes=2, seed=seed)


LEARNERS = {
    "gaussian": (GaussianNB(), classified),
    "bernoulli": (BernoulliNB(), classified),
    "logistic": (LogisticRegression(), of_two),
    "several classes": (LogisticRegression(class_weight="balanced", C=3.0), classified),
    "few weights": (LogisticRegression(penalty="l1", C=0.05), classified),
    "machine": (LinearSVC(), classified),
    "hinge": (LinearSVC(loss="hinge", tol=0.01), of_two),
    "ridge": (Ridge(alpha=0.5), measured),
    "least squares": (LinearRegression(), measured),
}
named = pytest.mark.parametrize("name", LEARNERS)
#: One of each way to learn; `make guarantees` tries all of them.
some = pytest.mark.parametrize("name", ["gaussian", "logistic", "hinge", "ridge"])


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


@some
def test_any_workers_give_the_same_model(name, client, tmp_path):
    model, (X, y) = fresh(name)
    expected = content(fit(model, X, y), tmp_path)
    model, _ = fresh(name)
    fit(model, cut(X, 5), cut(y, 5, shift=3), client=client)
    assert content(model, tmp_path) == expected


@pytest.mark.guarantees
@named
@pytest.mark.parametrize("seed", range(3))
def test_any_workers_and_partitions_give_the_same_model(name, seed, client, tmp_path):
    model, sample = LEARNERS[name]
    X, y = sample(3000, seed=seed)
    expected = content(fit(clone(model), X, y), tmp_path)
    for partitions in PARTITIONS:
        for where in (None, client):
            again = fit(clone(model), cut(X, partitions), cut(y, 3), client=where)
            assert content(again, tmp_path) == expected


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
        np.testing.assert_allclose(model.coef_, repeated.coef_, rtol=1e-6, atol=1e-6)
    else:
        np.testing.assert_allclose(model.class_count_, repeated.class_count_)


@some
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
    if isinstance(model, Ridge | LinearRegression | LogisticRegression):
        np.testing.assert_allclose(model.coef_, ordinary.coef_, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(model.intercept_, ordinary.intercept_, rtol=1e-8, atol=1e-10)
    elif isinstance(model, LinearSVC):  # both are within the gap of the least
        np.testing.assert_allclose(model.coef_, ordinary.coef_, rtol=0.1, atol=0.1)
    else:
        assert np.array_equal(model.predict(X), ordinary.predict(X))
        assert model.record_ == ordinary.record_
    promises, others = model.guarantees(), ordinary.guarantees()
    assert [one.theorem for one in promises] == [one.theorem for one in others]
    for one, other in zip(promises, others, strict=True):
        assert one.holds is not False
        # Both machines are as near to the least as was asked for, by other ways.
        room = 10.0 if isinstance(model, LinearSVC) else 1.1
        assert one.value <= other.value * room + 1e-9


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


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_machine_of_blocks_is_nearer_to_the_least_than_it_promises(loss):
    """Against the objective of a machine that was searched for much longer."""
    X, y = classified(rows=300, classes=2)
    model = fit(LinearSVC(loss=loss, tol=1e-3), X, y)
    best = fit(LinearSVC(loss=loss, tol=1e-7), X, y)

    def objective(machine):
        signs = np.where(y == machine.classes_[1], 1.0, -1.0)
        short = np.maximum(0.0, 1.0 - signs * (X @ machine.coef_[0] + machine.intercept_[0]))
        square = (machine.coef_**2).sum() + (machine.intercept_**2).sum()
        return 0.5 * square + (short ** (2 if loss == "squared_hinge" else 1)).sum()

    record = model.record_
    assert objective(model) == pytest.approx(record.primal, rel=1e-12)
    assert (
        record.floor <= objective(best) <= objective(model) <= record.floor + record.excess + 1e-9
    )
    assert record.gap <= 1e-3 * record.primal


def test_the_promise_of_logistic_regression_is_no_less_than_what_can_be_gained():
    X, y = classified(rows=300)
    rough, best = fit(LogisticRegression(tol=1e-1), X, y), fit(LogisticRegression(tol=1e-12), X, y)
    gained = rough.record_.objective - best.record_.objective
    (excess,) = [one for one in rough.guarantees() if one.theorem == "penalised-duality"]
    assert 1e-6 < gained <= excess.value


def test_a_cluster_that_is_started_or_named(two_workers, tmp_path):
    X, y = classified()
    expected = content(fit(GaussianNB(), X, y), tmp_path)
    assert content(fit(GaussianNB(), X, y, client="local"), tmp_path) == expected
    address = two_workers.scheduler_info()["address"]
    assert content(fit(GaussianNB(), X, y, client=address), tmp_path) == expected
