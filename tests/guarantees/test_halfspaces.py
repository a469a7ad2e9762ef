"""What linear learners say about their error from their own rows: the theorems' numbers, attacks, simulations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse

from assay import (
    SVC,
    HingeLossLP,
    LinearSVC,
    LogisticRegression,
    Perceptron,
    SGDClassifier,
    load,
    save,
    theorem,
)
from assay.errors import AssayError
from assay.guarantees.halfspaces import halfspace_guarantees, length_guarantees
from assay.record.linear_fit import LinearFitRecord
from tests.soundness import assert_sound, assert_unsound

LEARNERS = [
    Perceptron(),
    Perceptron(fit_intercept=False, zero=-1),
    SVC(kernel="linear"),
    LinearSVC(random_state=0),
    LogisticRegression(),
    HingeLossLP(),
    SGDClassifier(random_state=0),
    SGDClassifier(random_state=0, average=True, class_weight="balanced", loss="log_loss"),
]
CAPACITY = {
    "vc-occam-growth",
    "vc-occam-sauer",
    "vc-uniform-growth",
    "rademacher-expected-bound",
    "rademacher-empirical-bound",
}


def rows(seed=0, m=60, d=3, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    return X, np.where(X[:, 0] + noise * rng.normal(size=m) > 0, "yes", "no")


def stated(model, delta=0.05):
    return {g.theorem: g for g in model.guarantees(delta=delta) if g.theorem in CAPACITY}


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_promises_are_the_theorems_numbers_beside_the_errors_that_are_left(learner):
    X, y = rows()
    # Compiled loops for sparse rows are others, and cost seconds the first time.
    form = (
        sparse.csr_matrix if isinstance(learner, LogisticRegression | HingeLossLP) else np.asarray
    )
    model = learner.fit(form(X), y)
    promises = stated(model, delta=0.02)
    share = float((model.predict(form(X)) != y).mean())
    for promise in promises.values():
        assert theorem(promise.theorem)(**promise.inputs) == pytest.approx(promise.promised) or (
            promise.vacuous
        )
        assert promise.delta == "0.02"
        assert promise.applies
        if promise.of == "error":
            assert promise.observed == pytest.approx(share)
    described = (
        {"halfspaces": 3} if getattr(learner, "fit_intercept", True) else {"vc_dimension": 3}
    )
    uniform = promises["vc-uniform-growth"]
    assert described.items() <= uniform.inputs.items()
    assert uniform.promised == 1
    assert uniform.vacuous
    needed = theorem("vc-uniform-growth").rows(error=0.999999, delta="0.02", **described)
    assert abs(uniform.says_from - needed) <= 1
    assert f"(vacuous below {uniform.says_from:,} rows)" in str(uniform)


def test_a_consistent_halfspace_gets_the_stronger_promise():
    X, y = rows(m=400, noise=0.0)
    X[:, 0] += np.where(y == "yes", 1.0, -1.0)
    for fit_intercept, id in ((True, "vc-occam-growth"), (False, "vc-occam-sauer")):
        model = Perceptron(fit_intercept=fit_intercept).fit(X, y)
        assert (model.predict(X) == y).all()
        assert not stated(model)[id].vacuous
    assert "vc-occam-growth" not in stated(LogisticRegression().fit(*rows()))


def test_several_classes_and_wide_models_are_told_by_their_length_alone():
    X, _ = rows()
    y = np.arange(60) % 3
    for learner in LEARNERS:
        assert not stated(learner.fit(X, y))
    model = SGDClassifier(random_state=0).fit(X, y)
    first, enough, *_, hinge = model.guarantees()
    assert (first.theorem, enough.theorem) == ("occam-exact", "occam-float64")
    assert enough.inputs["weights"] == 3 * 4
    assert hinge.theorem == "surrogate-upper-bounds"
    assert hinge.holds
    wide = LinearFitRecord(10, 0, 1001, 5, True, 2, 0.0)
    assert not halfspace_guarantees(wide)
    assert length_guarantees(wide)


def test_weights_of_rows_and_classes_leave_every_row_counted_once():
    X, y = rows()
    weights = np.zeros(60)
    weights[:12] = 5.0
    for learner in (
        SGDClassifier(random_state=0),
        LogisticRegression(),
        SVC(kernel="linear"),
        LinearSVC(),
    ):
        model = learner.fit(X, y, sample_weight=weights)
        promise = stated(model)["rademacher-expected-bound"]
        assert promise.inputs["rows"] == 60
        assert promise.observed == pytest.approx(float((model.predict(X) != y).mean()))


def test_whatever_was_learned_since_is_promised_nothing():
    X, y = rows()
    for learner in (Perceptron(), SGDClassifier(random_state=0)):
        model = learner.fit(X, y)
        assert stated(model)
        model.predict_one(X[0])
        assert stated(model)
        model.learn_one(X[0], y[0])
        assert not stated(model)
        assert not stated(learner.fit(X, y).partial_fit(X, y))
        assert not stated(type(learner)().partial_fit(X, y, classes=["no", "yes"]))


def test_a_second_fit_speaks_of_its_own_rows_and_files_keep_it(tmp_path):
    X, y = rows()
    model = SGDClassifier(random_state=0, warm_start=True).fit(X, y).fit(*rows(1, m=40))
    assert stated(model)["rademacher-expected-bound"].inputs["rows"] == 40
    save(model, tmp_path / "model.assay")
    assert load(tmp_path / "model.assay").guarantees() == model.guarantees()
    model = SVC(kernel="linear").fit(X, y)
    assert stated(model)
    assert not stated(model.set_params(kernel="rbf").fit(X, y))


def test_an_intercept_that_was_given_or_left_over_counts_though_no_fit_moves_it():
    X, y = rows()
    given = SGDClassifier(fit_intercept=False, random_state=0).fit(X, y, intercept_init=[5.0])
    warm = (SGDClassifier(random_state=0, warm_start=True), Perceptron(warm_start=True))
    left = [one.fit(X, y).set_params(fit_intercept=False).fit(X, y) for one in warm]
    for model in (given, *left):
        assert stated(model)["vc-uniform-growth"].inputs["halfspaces"] == 3
        lengths = [g for g in model.guarantees() if g.theorem == "occam-exact"]
        assert [g.inputs["bits"] for g in lengths] == [64 * 4]


def test_columns_that_never_change_count_for_nothing_on_the_sample():
    X, y = rows()
    padded = np.hstack([X, np.ones((60, 40))])
    plain, wide = (stated(LogisticRegression().fit(Z, y)) for Z in (X, padded))
    seen = "rademacher-empirical-bound"
    assert wide[seen].inputs["complexity"] == plain[seen].inputs["complexity"]
    expected = "rademacher-expected-bound"
    assert float(wide[expected].inputs["complexity"]) > float(plain[expected].inputs["complexity"])


def test_scores_beyond_all_numbers_leave_no_promise_and_no_error():
    X, y = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearSVC(random_state=0).fit(X, y)
        model.coef_[:] = 1e308
        from assay.learners.common import linear_fit

        assert linear_fit(model, X * 1e9, y, model._chosen_of_columns, constant=True) is None


def test_a_forged_record_is_refused(tmp_path):
    model = HingeLossLP().fit(*rows())
    model.linear_fit_ = LinearFitRecord(5, 7, 3, 3, True, 2, 1.0)
    path = tmp_path / "m.assay"
    with pytest.raises(AssayError, match="linear_fit_"):
        load(save(model, path) or path)


@pytest.mark.guarantees
def test_promises_hold_as_often_as_they_say_and_without_their_slack_they_do_not():
    """On labels that are coin flips every classifier has the error one half; a flexible one hides it on its rows."""
    delta, trials, m, d = 0.2, 200, 40, 8
    broken = dict.fromkeys(
        ("vc-uniform-growth", "rademacher-expected-bound", "rademacher-empirical-bound"), 0
    )
    plain = 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(m, d)), rng.integers(0, 2, m)
        if len(set(y.tolist())) < 2:
            continue
        model = LogisticRegression(C=100.0).fit(X, y)
        share = float((model.predict(X) != y).mean())
        promises = stated(model, delta=delta)
        for id in broken:
            bound = promises[id].promised + (share if id == "vc-uniform-growth" else 0.0)
            broken[id] += bound < 0.5
        # Hoeffding's slack, which holds for a classifier that was fixed before: the capacity is left out.
        plain += share + np.sqrt(np.log(1 / delta) / (2 * m)) < 0.5
    for count in broken.values():
        assert_sound(count, trials, delta)
    assert_unsound(plain, trials, delta)


def test_a_single_pass_counts_nothing_and_forgets_the_count_before():
    """Five passes over 100 rows are as many rounds as one over 500: the count is not taken for another fit's."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 2)), rng.integers(0, 2, 500)
    model = Perceptron(max_iter=5, n_iter_no_change=5).fit(X[:100], y[:100])
    assert model.record_.fit is not None
    assert model.record_.rounds == 500
    model.set_params(max_iter=1).fit(X, y)
    assert model.record_.rounds == 500
    assert model.record_.fit is None


@pytest.mark.parametrize("late", [0, 50, 150, 399])
@pytest.mark.parametrize("usual", [0.0, 2.5])
def test_columns_that_vary_are_counted_whatever_the_form_of_the_rows(usual, late):
    """Columns 2 and 3 show it in one row only, wherever that comes; column 4 is the same everywhere."""
    rng = np.random.default_rng(late)
    X = rng.normal(size=(400, 5))
    X[:, 2:] = usual
    X[late, 2], X[late, 3] = 1.0, -usual - 1.0
    y = X[:, 0] > 0
    twice = sparse.csr_matrix(X)
    # Every number in two parts, in no order.
    halves = sparse.csr_matrix(
        (
            np.tile(twice.data / 2, 2)[np.argsort(np.tile(np.arange(twice.nnz), 2))],
            np.repeat(twice.indices, 2),
            twice.indptr * 2,
        ),
        shape=X.shape,
    )
    zeros = sparse.csr_matrix((X.ravel(), np.tile(np.arange(5), 400), np.arange(401) * 5))
    for rows in (X, twice, halves, zeros, sparse.csc_matrix(X)):
        assert LinearSVC(C=0.1).fit(rows, y).record_.fit.varying == 4
