from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import validate_data

from assay import Winnow, load, save
from assay.errors import BadData, BadParameter
from assay.guarantees import disjunctions
from assay.guarantees.disjunctions import smallest_disjunction
from assay.learners.common import Rows
from assay.theory.mistake.winnow import (
    winnow_disjunction_mistakes,
    winnow_largest_weight_potential,
    winnow_weight_potential,
)
from tests.instances import disjunction
from tests.naive.winnow import winnow
from tests.scikit_checks import assert_checks_pass_but_those_named

DATA = Path(__file__).parents[3] / "examples" / "data"


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def votes(seed, rows=200, d=12, rate=0.2):
    """Labels that no disjunction gives."""
    X, y, _ = disjunction(seed, rows, d)
    flips = np.random.default_rng(seed + 1).random(rows) < rate
    return X, np.where(flips, 1 - y, y)


# The rule


def test_one_relevant_feature_among_eight():
    X = np.tile(np.eye(8)[0], (6, 1))
    model = Winnow().partial_fit(X, np.ones(6, dtype=int), classes=[0, 1])
    assert model.record_.mistakes == 3
    assert model.coef_[0, 0] == 8.0
    assert model.intercept_[0] == -8.0
    assert model.decision_function(X[:1])[0] == 0.0
    assert model.predict(X[:1])[0] == 1  # the threshold itself is reached
    assert model.formula_ == "x0"


@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_one_pass_is_the_twins(negations, form):
    for seed in range(10):
        X, y = votes(seed)
        twin = winnow(
            (np.column_stack([X, 1 - X]) if negations else X).tolist(), (2 * y - 1).tolist()
        )
        model = Winnow(negations=negations).partial_fit(form(X), y, classes=[0, 1])
        one = model.players_[0]
        assert [*one.weights, *one.negated] == twin.w
        assert model.record_.mistakes == model.record_.updates == twin.mistakes
        assert (one.missed_positives, one.missed_negatives) == (
            twin.missed_positives,
            twin.missed_negatives,
        )


@pytest.mark.parametrize("negations", [False, True])
def test_scores_are_the_weight_of_what_is_true_less_the_threshold(negations):
    X, y = votes(3)
    model = Winnow(negations=negations).fit(X, y)
    one = model.players_[0]
    exact = X @ one.weights + (1 - X) @ one.negated if negations else X @ one.weights
    exact -= 24 if negations else 12
    for rows in (X, sparse.csr_matrix(X), X.astype(bool), X.astype(np.int8)):
        assert np.allclose(model.decision_function(rows), exact, rtol=0, atol=1e-9)
    assert [one.score(x) for x in X] == pytest.approx(exact.tolist())
    assert np.array_equal(model.predict(X), (exact >= 0).astype(int))


def test_duplicate_entries_of_a_sparse_row_add_up():
    halves = sparse.csr_matrix(
        (np.array([0.5, 0.5, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    model = Winnow().fit(halves, [1, 0])
    assert np.array_equal(model.coef_, Winnow().fit(np.eye(2), [1, 0]).coef_)
    assert halves.nnz == 3  # what was given is left as it was
    twos = sparse.csr_matrix((np.ones(2), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    with refuses("Winnow needs features that are 0 or 1, but row 0, column 1 holds 2.0."):
        Winnow().fit(twos, [1, 0])


# What was learned


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("negated", [0, 1])
def test_it_learns_the_disjunction(k, negated):
    X, y, relevant = disjunction(k, rows=500, d=10, k=k, negated=negated)
    names = [f"f{j}" for j in range(10)]
    model = Winnow(negations=bool(negated)).fit(pd.DataFrame(X, columns=names), y)
    assert model.record_.clean
    assert model.score(pd.DataFrame(X, columns=names), y) == 1.0
    for place in relevant[: k - negated]:
        assert f"f{place}" in model.formula_


def test_a_formula_for_each_of_several_classes():
    X = np.eye(4)
    model = Winnow().fit(X, ["a", "b", "c", "b"])
    assert model.formula_ == ("x0", "x1 OR x3", "x2")
    dicts = Winnow()
    for _ in range(4):
        dicts.learn_one({"wet": 1, "cold": 0}, True)
        dicts.learn_one({"wet": 0, "cold": 1}, False)
    assert dicts.formula_ == "wet"


# Guarantees


def test_the_worst_positive_examples_meet_their_part_of_the_bound():
    d, k = 16, 3
    X = np.vstack([np.tile(np.eye(d)[j], (6, 1)) for j in range(k)])
    model = Winnow().partial_fit(X, np.ones(len(X), dtype=int), classes=[0, 1])
    assert model.record_.mistakes == k * 4
    assert model.guarantees(literals=k)[0].promised == 3 * k * 4 + 1


def statuses(guarantee):
    return [a.status for a in guarantee.assumptions]


def test_a_disjunction_in_hindsight_is_the_witness():
    X, y, relevant = disjunction(5, rows=300, d=64, k=2)
    model = Winnow().partial_fit(X, y, classes=[0, 1])
    [seen] = model.guarantees()
    assert statuses(seen) == ["checked", "by construction"]
    assert seen.inputs == {"literals": 2, "features": 64}
    assert seen.promised == winnow_disjunction_mistakes(2, 64) == 37
    formula = " OR ".join(f"x{j}" for j in sorted(relevant))
    assert seen.assumptions[0].evidence == (
        f"{formula!r} agrees with all {model.record_.mistakes} mistaken examples; "
        "the others changed nothing"
    )


def test_a_declared_number_of_literals():
    X, y, _ = disjunction(5, rows=300, d=64, k=2)
    model = Winnow().partial_fit(X, y, classes=[0, 1])
    assert statuses(model.guarantees(literals=5)[0])[0] == "checked"
    refuted = model.guarantees(literals=0)[0]
    assert (refuted.promised, statuses(refuted)[0]) == (None, "violated")
    assert refuted.assumptions[0].evidence == "it allows at most 1 mistakes"
    with refuses("literals must be at most the number of features 64, but is 65.", BadParameter):
        model.guarantees(literals=65)
    with refuses("literals must be a whole number of at least 0, but is -1.", BadParameter):
        model.guarantees(literals=-1)


def two_literals():
    """A short run whose two mistakes no single feature explains."""
    X = np.array([[1.0, 0, 0], [0, 0, 1]])
    model = Winnow().partial_fit(X, [1, 1], classes=[0, 1])
    assert model.record_.mistakes == 2 < winnow_disjunction_mistakes(1, 3)
    return model


def test_fewer_literals_than_the_mistakes_need_are_refuted():
    said = two_literals().guarantees(literals=1)[0]
    assert (said.promised, statuses(said)[0]) == (None, "violated")
    assert said.assumptions[0].evidence == (
        "no disjunction of so few literals agrees with the 2 mistaken examples"
    )


def test_a_number_that_is_neither_shown_nor_refuted_is_declared(monkeypatch):
    monkeypatch.setattr(disjunctions, "_TRIES", 0)
    said = two_literals().guarantees(literals=1)[0]
    assert statuses(said)[0] == "declared"
    assert said.assumptions[0].evidence == "1 of 3 literals"


def test_a_disjunction_that_greed_misses_is_found():
    # The feature that explains most is in no smallest disjunction.
    greedy = [1.0, 1, 1, 1, 0, 0]
    X = np.array([greedy, [1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1]]).T
    model = Winnow().partial_fit(X, np.ones(6, dtype=int), classes=[0, 1])
    model.partial_fit(X, np.ones(6, dtype=int))
    kept = model.players_[0].hindsight.examples()[0].whole
    assert len(smallest_disjunction(kept, np.ones(len(kept)), False, 3).literals) >= 2
    said = model.guarantees(literals=2)[0]
    assert statuses(said)[0] == "checked"


def capped(X, y, cap):
    """A run that keeps no more than so many examples."""
    model = Winnow().partial_fit(X[:1], y[:1], classes=[0, 1])
    model.players_[0].hindsight.cap = cap
    return model.partial_fit(X[1:], y[1:])


def test_the_examples_kept_are_enough_to_refute():
    X = np.eye(4)[[0, 2, 1, 3]]
    model = capped(X, np.ones(4, dtype=int), 2)
    assert model.record_.kept == 2 < model.record_.mistakes
    assert statuses(model.guarantees(literals=1)[0])[0] == "violated"
    assert statuses(model.guarantees(literals=2)[0])[0] == "declared"


def test_labels_that_no_disjunction_gives_promise_nothing():
    X, y = votes(0)
    found = Winnow().fit(X, y).guarantees(literals=3)
    for g in found:
        assert (g.promised, statuses(g)[0]) == (None, "violated")
        assert "no disjunction agrees with both" in g.assumptions[0].evidence


def test_negated_literals_make_more_labels_learnable():
    X, y, _ = disjunction(8, rows=300, d=10, k=1, negated=1)
    plain, both = Winnow().fit(X, y), Winnow(negations=True).fit(X, y)
    assert plain.guarantees()[0].promised is None
    [seen] = both.guarantees()
    assert seen.inputs == {"literals": 1, "features": 20}
    assert seen.holds


def test_beyond_the_cap_nothing_is_checked():
    X, y, _ = disjunction(5, rows=300, d=64, k=2)
    model = capped(X, y, 5)
    assert model.record_.kept == 5 < model.record_.mistakes
    assert model.guarantees() == []
    assert statuses(model.guarantees(literals=2)[0]) == ["declared", "by construction"]


def test_features_that_appear_after_a_mistake_break_the_rule():
    model = Winnow()
    model.learn_one({"a": 1, "b": 0}, True)
    assert statuses(model.guarantees()[0])[1] == "by construction"
    model.learn_one({"a": 0, "c": 1}, False)
    [seen] = model.guarantees()
    assert (seen.promised, statuses(seen)[1]) == (None, "violated")
    assert seen.assumptions[1].evidence == (
        "features appeared after the first mistake, so the threshold was not theirs"
    )
    assert model.intercept_.tolist() == [-3.0]


def test_features_that_appear_before_the_first_mistake_do_not():
    model = Winnow()
    model.learn_one({"a": 0}, False)
    model.learn_one({"a": 0, "b": 1, "c": 0}, True)
    assert model.record_.mistakes == 1
    assert model.guarantees()[0].applies


# Potentials


@pytest.mark.parametrize("negations", [False, True])
def test_the_trace_stays_within_the_potentials(negations):
    for seed in range(20):
        X, y = votes(seed)
        trace = Winnow(negations=negations, trace=True).fit(X, y).record_.trace
        d = 24 if negations else 12
        before = float(d)
        for total, heaviest, positive, negative in zip(
            trace["total_weight"],
            trace["largest_weight"],
            trace["missed_positives"],
            trace["missed_negatives"],
            strict=True,
        ):
            assert 0 < total <= winnow_weight_potential(d, int(positive), int(negative))
            assert heaviest <= winnow_largest_weight_potential(d)
            grown = total - before
            assert grown < d
            assert grown >= 0 or grown <= -d / 2
            before = total
        assert (np.diff(trace["missed_positives"] + trace["missed_negatives"]) == 1).all()


def test_a_broken_twin_leaves_the_potential():
    # With the factor three the total weight outgrows what mistakes on positives may add.
    w = np.ones(4)
    w[:3] *= 3
    assert w.sum() > winnow_weight_potential(4, 1, 0)


# Refusals


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("value", [0.5, 2.0, -1.0])
def test_features_that_are_not_boolean_are_refused_by_row_and_column(form, value):
    X, y = votes(0, rows=20)
    before = Winnow().partial_fit(X[:7], y[:7], classes=[0, 1])
    X[7, 3] = value
    sentence = f"Winnow needs features that are 0 or 1, but row 7, column 3 holds {value!r}."
    model = Winnow()
    with refuses(f"{sentence} Everything before this row was learned."):
        model.partial_fit(form(X), y, classes=[0, 1])
    assert np.array_equal(model.coef_, before.coef_)
    with refuses(sentence):
        model.predict(form(X))
    for ask in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with refuses(f"Winnow needs features that are 0 or 1, but x[3] is {value!r}."):
            ask(X[7])


def test_a_feature_that_is_not_boolean_is_refused_by_name():
    model = Winnow()
    model.learn_one({"wet": True, "cold": False}, True)
    sentence = "Winnow needs features that are 0 or 1, but x['wet'] is 0.3."
    with refuses(sentence):
        model.learn_one({"wet": 0.3, "cold": 0}, False)
    with refuses(sentence):
        model.predict_one({"wet": 0.3})


# Scikit-learn's checks


class OnSigns(Winnow):
    """Winnow on the signs of the features, so that checks with features of their own can be run."""

    def _validated(self, X, y, *, reset):
        rows, labels = super()._validated(X, y, reset=reset)
        return Rows.of(signs(rows.whole)), labels

    def decision_function(self, X):
        if hasattr(self, "players_"):
            X = validate_data(
                self, X, reset=False, accept_sparse="csr", dtype=float, ensure_all_finite=False
            )
            X = signs(X)
        return super().decision_function(X)


def signs(X):
    if sparse.issparse(X):
        X = X.copy()
        X.data = signs(X.data)
        return X
    return np.where(np.isfinite(X), X > 0, X).astype(float)


@pytest.mark.parametrize("negations", [False, pytest.param(True, marks=pytest.mark.guarantees)])
def test_scikit_learns_checks_pass_but_those_named_in_the_class(negations):
    assert_checks_pass_but_those_named(Winnow(negations=negations))


@pytest.mark.parametrize("negations", [False, True])
def test_those_too_pass_where_features_are_made_boolean(negations):
    unfit = {
        "check_classifiers_train": "the signs of blobs do not tell them apart",
        "check_classifiers_classes": "it reads a score of zero as the first class",
    }
    check_estimator(OnSigns(negations=negations), on_skip=None, expected_failed_checks=unfit)


# Real data


def test_spambase_as_words_that_occur_or_not():
    frame = pq.read_table(DATA / "spambase.parquet").to_pandas()
    order = np.random.default_rng(0).permutation(len(frame))
    X = (frame.drop(columns="target").to_numpy() > 0)[order]
    y = frame["target"].to_numpy()[order]
    model = Winnow().fit(X[:3000], y[:3000])
    assert model.score(X[3000:], y[3000:]) > 0.8
    [seen] = model.guarantees()
    assert seen.promised is None  # no disjunction of words tells spam
    assert ">= 57" in model.formula_


# Majorities and other separators


def majority(seed, rows=400, d=20, r=2, k=3):
    X = (np.random.default_rng(seed).random((rows, d)) < 0.5).astype(int)
    return X, (X[:, :k].sum(axis=1) >= r).astype(int)


def test_a_majority_under_its_promise():
    X, y = majority(0)
    model = Winnow(factor=1.25).partial_fit(X, y, classes=[0, 1])
    [promise] = model.guarantees(literals=3, at_least=2)[:1]
    assert promise.theorem == "winnow-separator-mistakes"
    assert promise.holds
    assert statuses(promise) == ["declared", "by construction"]
    # The bound of disjunctions knows another rule, and is not stated; the labels refute its own twin.
    assert {g.theorem for g in model.guarantees()} == {"winnow-separator-mistakes"}
    assert all(g.promised is None for g in model.guarantees())


def test_a_separator_is_compared_with_the_mistaken_examples():
    X, y = majority(1)
    model = Winnow(factor=1.25).partial_fit(X, y, classes=[0, 1])
    w = np.r_[np.ones(3), np.zeros(17)]
    right = model.guarantees(separator=w, threshold=2)[0]
    assert statuses(right)[0] == "checked"
    assert right.holds
    assert right.inputs["weight"] == "3/2"
    assert right.inputs["gap"] == "1/2"
    assert right.promised == model.guarantees(literals=3, at_least=2)[0].promised
    for threshold in (1, 3):  # which the labels refute on one side or the other
        wrong = model.guarantees(separator=w, threshold=threshold)[0]
        assert (wrong.promised, statuses(wrong)[0]) == (None, "violated")


def test_a_weight_below_zero_is_one_of_the_negation():
    rng = np.random.default_rng(2)
    X = (rng.random((600, 6)) < 0.5).astype(int)
    y = (X[:, 0] - X[:, 1] >= 0.5).astype(int)  # x0 and not x1
    w = [1, -1, 0, 0, 0, 0]
    model = Winnow(factor=1.25, negations=True).partial_fit(X, y, classes=[0, 1])
    promise = model.guarantees(separator=w, threshold=1)[0]
    # As literals: x0 + (1 - x1) >= 2, so that W = 2 / 2 and the gap is 1 / 2.
    assert (promise.inputs["weight"], promise.inputs["gap"]) == ("1", "1/2")
    assert promise.holds
    plain = Winnow(factor=1.25).partial_fit(X, y, classes=[0, 1])
    with refuses(
        "separator must have weights of zero or more, but has one below. Winnow(negations=True) learns those too.",
        BadParameter,
    ):
        plain.guarantees(separator=w, threshold=1)
    for odd in (["a"] * len(w), [[1.0], [1.0, 2.0]], {"a": 1.0}):
        with pytest.raises(BadParameter, match="separator must be"):
            plain.guarantees(separator=odd, threshold=1)


def test_a_factor_too_large_for_the_gap_promises_nothing():
    X, y = majority(3)
    model = Winnow().partial_fit(X, y, classes=[0, 1])
    promise = model.guarantees(literals=3, at_least=2)[0]
    assert promise.promised is None
    assert promise.assumptions[1].evidence == "the factor is 2, and a gap of 0.5 needs one below 2"


def test_a_majority_that_is_none_is_found_out():
    rng = np.random.default_rng(4)
    X = (rng.random((3000, 6)) < 0.5).astype(int)
    model = Winnow(factor=1.25).partial_fit(X, rng.integers(2, size=3000), classes=[0, 1])
    promise = model.guarantees(literals=3, at_least=2)[0]
    assert (promise.promised, statuses(promise)[0]) == (None, "violated")
    assert promise.assumptions[0].evidence == "it allows at most 99 mistakes"


def test_the_factor_is_kept_in_files_and_whatever_is_set_later(tmp_path):
    X, y = majority(5)
    model = Winnow(factor=1.25).partial_fit(X[:200], y[:200], classes=[0, 1])
    save(model, tmp_path / "w.assay")
    again = load(tmp_path / "w.assay")
    model.set_params(factor=3.0)
    for one in (model, again):
        one.partial_fit(X[200:], y[200:])
        assert one.record_.factor == 1.25
    assert model.coef_.tolist() == again.coef_.tolist()


def test_what_is_declared_of_separators_is_read():
    X, y = majority(6)
    model = Winnow(factor=1.25).partial_fit(X, y, classes=[0, 1])
    for declared, sentence in (
        ({"at_least": 2}, "at_least must come with literals: at least so many of how many?"),
        (
            {"literals": 2, "at_least": 3},
            "at_least must be at most the number of literals 2, but is 3.",
        ),
        (
            {"literals": 21, "at_least": 3},
            "literals must be at most the number of features 20, but is 21.",
        ),
        ({"separator": [1] * 20}, "separator and threshold must come together."),
        (
            {"separator": [1, 2], "threshold": 1},
            "separator must be 20 finite weights, but is [1, 2].",
        ),
        (
            {"separator": [1] * 20, "threshold": 0},
            "threshold must be a finite number above zero, but is 0.",
        ),
    ):
        with refuses(sentence, BadParameter):
            model.guarantees(**declared)
    for factor in (1, 0.5, -2, 1e7, None, "x"):
        with pytest.raises(BadParameter, match=r"^factor must be a"):
            Winnow(factor=factor).fit(X, y)
