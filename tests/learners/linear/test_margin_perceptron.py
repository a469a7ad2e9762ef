from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from assay import MarginPerceptron
from assay.errors import BadData, BadParameter
from assay.theory.mistake.margin_perceptron import (
    margin_perceptron_norm_potential,
    margin_perceptron_updates,
)
from tests.instances import noisy, separable
from tests.naive.margin_perceptron import margin_perceptron as twin
from tests.refusals import NOT_POSITIVE, POSITIVE
from tests.scikit_checks import assert_checks_pass_but_those_named


def unit(X, constant):
    X = np.column_stack([X, np.full(len(X), constant)])
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def on_sphere(seed, rows=60, d=4, margin=0.1):
    """Examples of length one that a unit vector separates with the margin."""
    X, y, v = separable(seed, 3 * rows, d, margin=0.0)
    X = unit(X, 0.0)[:, :-1]
    wide = np.abs(X @ v) >= margin
    return X[wide][:rows], y[wide][:rows]


# The rule


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("eps", [0.2, 0.5, 1.0])
def test_one_pass_is_the_twins(intercept, eps):
    for seed in range(10):
        X, y, _ = noisy(seed, rows=60)
        model = MarginPerceptron(margin=0.3, eps=eps, fit_intercept=intercept)
        model.partial_fit(3.0 * X, y, classes=[-1, 1])
        run = twin(unit(3.0 * X, float(intercept)).tolist(), y.tolist(), 0.3, eps)
        assert np.allclose([*model.coef_[0], model.intercept_[0]], run.w, rtol=0, atol=1e-12)
        assert model.record_.updates == run.updates


def test_the_length_of_an_example_does_not_matter_without_a_constant():
    X, y, _ = noisy(1)
    lengths = np.random.default_rng(0).uniform(0.01, 100, size=(len(y), 1))
    fits = [
        MarginPerceptron(fit_intercept=False).partial_fit(rows, y, classes=[-1, 1])
        for rows in (X, X * lengths)
    ]
    assert np.allclose(fits[0].coef_, fits[1].coef_, rtol=0, atol=1e-10)
    assert np.array_equal(fits[0].predict(X), fits[0].predict(X * lengths))


def test_the_first_example_is_played_but_neither_predicted_nor_an_update():
    model = MarginPerceptron(fit_intercept=False)
    model.partial_fit([[0.0, 5.0]], [0], classes=[0, 1])
    record = model.record_
    assert (record.rounds, record.mistakes, record.updates, record.kept) == (1, 0, 0, 1)
    assert model.coef_.tolist() == [[0.0, -1.0]]


def test_a_pass_without_an_update_ends_the_fit_not_one_without_a_mistake():
    X, y = on_sphere(0, margin=0.15)
    model = MarginPerceptron(margin=0.15, fit_intercept=False, n_iter_no_change=999).fit(X, y)
    record = model.record_
    assert record.clean
    assert record.updates > record.mistakes
    again = model.players_[0]
    before = again.weights.copy()
    model.set_params(warm_start=True).fit(X, y)
    assert np.array_equal(again.weights, before)
    assert model.n_iter_ == 1


@pytest.mark.parametrize(
    "setting", [{}, pytest.param({"margin": 0.5, "eps": 1.0}, marks=pytest.mark.guarantees)]
)
def test_all_of_scikit_learns_checks_pass(setting):
    assert_checks_pass_but_those_named(MarginPerceptron(**setting))


# Guarantees


@pytest.mark.parametrize("eps", [0.1, 0.5, 0.9])
def test_a_clean_pass_leaves_the_margin_promised(eps):
    for seed in range(8):
        X, y = on_sphere(seed, margin=0.1)
        model = MarginPerceptron(margin=0.1, eps=eps, fit_intercept=False, n_iter_no_change=9999)
        record = model.fit(X, y).record_
        w = model.coef_[0]
        reached = (y * (X @ w)).min() / np.linalg.norm(w)
        assert record.clean
        assert record.margin == pytest.approx(reached, rel=1e-9)
        assert record.margin >= (1 - eps) * 0.1
        rule = model.guarantees()[0].assumptions[2]
        assert rule.evidence == (
            "the last pass changed nothing: every example of it has margin at least "
            f"{(1 - eps) * 0.1:.6g}, the smallest being {record.margin:.6g}"
        )


def test_without_a_clean_pass_no_margin_is_claimed():
    X, y, _ = noisy(0)
    model = MarginPerceptron(margin=0.3).fit(X, y)
    assert (model.record_.clean, model.record_.margin) == (False, None)
    assert model.guarantees()[0].assumptions[2].evidence == ""
    X, y = on_sphere(0)
    once = MarginPerceptron(fit_intercept=False).partial_fit(X, y, classes=[-1, 1])
    assert once.record_.margin is None


def test_a_separator_in_hindsight_is_the_witness():
    X, y = on_sphere(2, margin=0.2)
    model = MarginPerceptron(margin=0.15, fit_intercept=False).fit(X, y)
    told, seen, _ = model.guarantees()
    assert told.inputs == {"margin": "0.15", "slack": "0.5"}
    assert told.promised == margin_perceptron_updates(0.15)
    for g in (told, seen):
        assert [a.status for a in g.assumptions] == [
            "by construction",
            "checked",
            "by construction",
        ]
        assert re.fullmatch(
            rf"a witness has margin \S+ on all {model.record_.kept} examples that moved the weights; "
            "the others changed nothing",
            g.assumptions[1].evidence,
        )
    # The largest margin in hindsight, with the slack that gives the same threshold.
    margin, slack = float(seen.inputs["margin"]), float(seen.inputs["slack"])
    assert margin >= 0.2 * (1 - 1e-4)
    assert (1 - slack) * margin >= 0.075
    assert (1 - slack) * margin == pytest.approx(0.075, rel=1e-6)
    assert float(seen.promised) <= float(told.promised)


@pytest.mark.parametrize("constant", [False, True])
def test_separators_as_wide_as_the_one_found_shatter_few_points(constant):
    X, y = on_sphere(2, margin=0.2)
    model = MarginPerceptron(margin=0.15, fit_intercept=constant).fit(X, y)
    *_, wide = model.guarantees()
    assert wide.theorem == "vc-large-margin"
    assert wide.textbook == ("vc-halfspaces-homogeneous", str(X.shape[1] + constant))
    # The witness has a score of one and more on every row, and its length is what the number comes from.
    w = np.array([float(weight) for weight in wide.witness])
    rows = np.column_stack([X, np.ones(len(y))]) if constant else X
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    scores = np.where(y == model.classes_[1], 1, -1) * (unit @ w)
    assert scores.min() >= 1
    assert scores.min() == pytest.approx(1, rel=1e-6)
    assert int(wide.promised) == int(w @ w * (1 + 1e-9))
    # Half the length would be a class that this separator is none of.
    assert (scores / 2).min() < 1


def test_a_margin_that_is_not_there_promises_nothing_but_a_smaller_one_may():
    X, y = on_sphere(1, rows=200, d=2, margin=0.1)
    model = MarginPerceptron(margin=0.9, eps=0.95, fit_intercept=False, shuffle=False).fit(X, y)
    best = model.players_[0].hindsight.widest(0.0)[0].margin
    assert best < 0.9
    told, seen, _ = model.guarantees()
    assert (told.promised, told.assumptions[1].status) == (None, "violated")
    assert re.fullmatch(
        r"no vector has a margin above \S+ on the examples that moved the weights",
        told.assumptions[1].evidence,
    )
    assert seen.holds
    assert float(seen.inputs["margin"]) == pytest.approx(best, rel=1e-3)


def test_data_that_nothing_separates_promise_nothing():
    X, y, _ = noisy(0, rows=200, rate=0.3)
    [told] = MarginPerceptron(margin=0.2).fit(X, y).guarantees()
    assert (told.promised, told.applies) == (None, False)


def test_more_updates_than_the_margin_allows_show_that_it_is_not_there():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    model = MarginPerceptron(margin=1.0, eps=1.0, fit_intercept=False)
    model.partial_fit(X[:1], [1], classes=[0, 1]).players_[0].hindsight.cap = 2
    for _ in range(5):
        model.partial_fit(X, [1, 0, 0])
    assert model.record_.kept == 2
    told = model.guarantees()[0]
    assert told.promised is None
    assert told.assumptions[1].status == "violated"


def test_what_can_neither_be_shown_nor_refuted_is_declared():
    X, y = on_sphere(0, rows=100, margin=0.1)
    model = MarginPerceptron(margin=0.1, fit_intercept=False, warm_start=True)
    model.partial_fit(X[:1], y[:1], classes=[-1, 1]).players_[0].hindsight.cap = 3
    model.fit(X, y)
    assert model.record_.updates > 3
    told, _ = model.guarantees()
    assert told.assumptions[1].status == "declared"
    assert told.assumptions[1].evidence == "margin 0.1"
    assert told.holds


def test_nothing_is_promised_before_anything_was_played():
    model = MarginPerceptron()
    with pytest.raises(BadData):
        model.partial_fit([[np.nan, 1.0]], [0], classes=[0, 1])
    assert model.guarantees() == []


def test_sparse_rows_have_the_same_guarantees():
    X, y = on_sphere(3)
    X[np.abs(X) < 0.1] = 0.0
    dense, thin = (MarginPerceptron(margin=0.05).fit(rows, y) for rows in (X, sparse.csr_matrix(X)))
    assert dense.record_.updates == thin.record_.updates
    assert [g.promised for g in dense.guarantees()] == [g.promised for g in thin.guarantees()]


# Potential


@pytest.mark.parametrize("eps", [0.3, 0.5, 1.0])
def test_the_trace_stays_within_the_potential(eps):
    for seed in range(5):
        X, y, _ = noisy(seed, rows=80)
        model = MarginPerceptron(margin=0.3, eps=eps, trace=True).fit(X, y)
        norms = model.record_.trace["norm"]
        assert norms[0] == pytest.approx(1.0)
        assert len(norms) == model.record_.updates + 1
        for before, after in pairwise(norms):
            if before > 1e-6:  # weights that cancelled start again
                allowed = margin_perceptron_norm_potential(before, 0.3, eps)
                assert after <= allowed * (1 + 1e-12)
    w = [*model.coef_[0], model.intercept_[0]]
    assert norms[-1] == pytest.approx(math.sqrt(np.dot(w, w)))
    # Without the length of the example itself, the potential would be left.
    assert any(b > a + (1 - eps) * 0.3 for a, b in pairwise(norms))


# Refusals


def test_a_row_of_zeros_cannot_be_scaled():
    X = np.array([[1.0, 2.0], [0.0, 0.0]])
    sentence = (
        "Row 1 of X holds only zeros, so it cannot be scaled to length one. "
        "Set fit_intercept=True, or leave the row out."
    )
    for rows in (X, sparse.csr_matrix(X)):
        with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
            MarginPerceptron(fit_intercept=False).fit(rows, [0, 1])
        MarginPerceptron().fit(rows, [0, 1])


@pytest.mark.parametrize("name", ["margin", "eps"])
def test_parameters_out_of_range_are_refused(name):
    X, y = on_sphere(0)
    for value in NOT_POSITIVE:
        with pytest.raises(BadParameter, match=f"^{re.escape(f'{name} must be {POSITIVE}')}"):
            MarginPerceptron(**{name: value}).fit(X, y)
    must = {"margin": "at most 1, the length of the examples", "eps": "at most 1, the whole margin"}
    with pytest.raises(BadParameter, match=rf"^{name} must be {must[name]}, but is 1\.5\.$"):
        MarginPerceptron(**{name: 1.5}).fit(X, y)
