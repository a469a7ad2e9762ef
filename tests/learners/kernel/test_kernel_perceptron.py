"""The kernel perceptron as an estimator: same bits in any chunks, promises kept, refusals in full."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from assay import KernelPerceptron, Perceptron, load, save
from assay.errors import BadData, BadParameter, UnknownName
from assay.kernels import (
    AllProducts,
    Composed,
    Gaussian,
    GeneralizedLinear,
    Linear,
    Normalized,
    Polynomial,
)
from assay.theory.mistake.kernel_perceptron import kernel_perceptron_mistakes
from tests.scikit_checks import assert_checks_pass_but_those_named

X, y = make_moons(300, noise=0.3, random_state=0)
KERNELS = [
    Gaussian(2.0),
    Polynomial(3),
    Normalized(Polynomial(2)),
    GeneralizedLinear([[2.0, 1.0], [1.0, 2.0]]) + 1,
    Composed(Linear(), np.exp),
]


def test_scikit_learns_checks() -> None:
    assert_checks_pass_but_those_named(KernelPerceptron(max_iter=20))


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("budget", [None, 20])
def test_chunks_a_whole_and_single_examples_give_the_same_bits(kernel, budget) -> None:
    forms = [lambda A: A] if isinstance(kernel, Composed) else [lambda A: A, sparse.csr_matrix]
    for form in forms:
        whole = KernelPerceptron(kernel, budget=budget).partial_fit(form(X), y, classes=[0, 1])
        once = KernelPerceptron(kernel, budget=budget, max_iter=1, shuffle=False).fit(form(X), y)
        parts = KernelPerceptron(kernel, budget=budget)
        for start in range(0, 300, 37):
            parts.partial_fit(form(X[start : start + 37]), y[start : start + 37], classes=[0, 1])
        for other in (once, parts):
            assert other.record_.mistakes == whole.record_.mistakes
            assert np.array_equal(other.dual_coef_, whole.dual_coef_)
            assert abs(other.support_vectors_ - whole.support_vectors_).max() == 0
            assert other.players_[0].squared_length == whole.players_[0].squared_length
    single = KernelPerceptron(kernel, budget=budget)
    wrong = 0
    for x, label in zip(X, y.tolist(), strict=True):
        wrong += single.predict_one(x) not in (None, label)
        single.learn_one(x, label, classes=[0, 1])
    dense = KernelPerceptron(kernel, budget=budget).partial_fit(X, y, classes=[0, 1])
    assert single.players_[0].squared_length == dense.players_[0].squared_length
    assert np.array_equal(single.support_vectors_, dense.support_vectors_)
    assert wrong == dense.record_.mistakes - (y[0] == 0)


def test_passes_of_fit_are_as_if_played_anew() -> None:
    fitted = KernelPerceptron(Gaussian(2.0), max_iter=7, n_iter_no_change=9, shuffle=False).fit(
        X, y
    )
    played = KernelPerceptron(Gaussian(2.0))
    for _ in range(fitted.n_iter_):
        played.partial_fit(X, y, classes=[0, 1])
    assert fitted.players_[0].squared_length == played.players_[0].squared_length
    assert np.array_equal(fitted.dual_coef_, played.dual_coef_)
    assert not {"_known", "_keeping"} & set(vars(fitted.players_[0]))


def test_dense_and_sparse_may_follow_each_other() -> None:
    plain = KernelPerceptron(Polynomial(2)).partial_fit(X, y, classes=[0, 1])
    for forms in ((np.asarray, sparse.csr_matrix), (sparse.csr_array, np.asarray)):
        mixed = KernelPerceptron(Polynomial(2))
        for form, start in zip(forms, (0, 150), strict=True):
            rows = slice(start, start + 150)
            mixed.partial_fit(form(X[rows]), y[rows], classes=[0, 1])
        assert np.array_equal(mixed.dual_coef_, plain.dual_coef_)
        np.testing.assert_allclose(
            mixed.decision_function(X), plain.decision_function(X), atol=1e-9
        )


def test_the_linear_kernel_is_the_perceptron() -> None:
    whole = np.rint(4 * X)
    ours = KernelPerceptron(Linear() + 1, max_iter=5).fit(whole, y)
    plain = Perceptron(max_iter=5).fit(whole, y)
    assert ours.record_.mistakes == plain.record_.mistakes
    np.testing.assert_array_equal(ours.decision_function(whole), plain.decision_function(whole))
    assert ours.record_.radius == pytest.approx(plain.record_.radius)


def test_names_and_functions() -> None:
    ours = KernelPerceptron("rbf", gamma=2.0).partial_fit(X, y, classes=[0, 1])
    assert ours.kernel_ == Gaussian(2.0)
    theirs = KernelPerceptron(lambda A, B: rbf_kernel(A, B, 2.0)).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    assert KernelPerceptron().fit(X, y).kernel_ == Gaussian(0.5)
    told = theirs.guarantees()[0].assumptions[0]
    assert told.status == "assumed"
    assert ours.guarantees()[0].assumptions[0].status == "by construction"


def test_dicts_grow_features() -> None:
    model = KernelPerceptron(gamma="auto")
    model.learn_one({"a": 1.0, "b": 0.0}, False)
    assert model.kernel_ == Gaussian(0.5)
    model.learn_one({"a": 0.0, "c": 2.0}, True)
    model.learn_one({"b": 5.0}, False)
    assert model.n_features_in_ == 3
    assert model.support_vectors_.shape[1] == 3
    assert model.predict_one({"a": 1.0}) is False
    plain = KernelPerceptron(Gaussian(0.5)).partial_fit(
        [[1.0, 0, 0], [0, 0, 2], [0, 5, 0]], [False, True, False], classes=[False, True]
    )
    assert plain.predict_one({0: 1.0}) is False
    np.testing.assert_array_equal(plain.support_vectors_, model.support_vectors_)


def test_several_classes() -> None:
    labels = np.where(X[:, 0] > 1, "right", np.where(y == 1, "low", "high"))
    model = KernelPerceptron(gamma=2.0).fit(X, labels)
    assert model.score(X, labels) > 0.85
    assert len(model.support_vectors_) == len(model.dual_coef_) == len(model.record_) == 3
    assert [g.of for g in model.guarantees()] == [
        f"mistakes of {label!r} against the rest" for label in ("high", "low", "right")
    ]
    assert model.predict_one(X[0]) == model.predict(X[:1])[0]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("budget", [None, 30])
def test_files_go_on_to_the_same_bits(tmp_path, form, budget) -> None:
    kernel = 2 * Gaussian(1.5) + Linear()
    model = KernelPerceptron(kernel, budget=budget, trace=True)
    model.partial_fit(form(X[:200]), y[:200], classes=[0, 1])
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert again.kernel == again.kernel_ == kernel
    for one in (model, again):
        one.partial_fit(form(X[200:]), y[200:])
    assert np.array_equal(model.decision_function(X), again.decision_function(X))
    assert again.guarantees() == model.guarantees()


def test_fitted_models_are_saved_and_functions_are_not(tmp_path) -> None:
    model = KernelPerceptron(gamma="scale").fit(X, y)
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert np.array_equal(model.decision_function(X), again.decision_function(X))
    with pytest.raises(BadParameter, match="This kernel-perceptron cannot be saved: "):
        save(KernelPerceptron(rbf_kernel), tmp_path / "other.assay")


# Promises


def separable(rng, kernel, rows=60):
    """Examples with margin one for a known vector in feature space, and its squared length."""
    X = rng.normal(size=(rows, 3))
    centres, weights = rng.normal(size=(4, 3)), rng.normal(size=4)
    scores = kernel(X, centres) @ weights
    kept = np.abs(scores) > np.quantile(np.abs(scores), 0.2)
    scale = np.abs(scores[kept]).min()
    squared = float(weights @ kernel(centres) @ weights) / scale**2
    return X[kept], np.sign(scores[kept]), squared


SOME = pytest.mark.parametrize(
    "instances", [90, pytest.param(900, marks=pytest.mark.guarantees)], ids=["some", "many"]
)


def violations(bound, instances):
    broken = 0
    rng = np.random.default_rng(7)
    for i in range(instances):
        kernel = [Gaussian(0.5), Polynomial(2), Normalized(Polynomial(3))][i % 3]
        rows, labels, squared = separable(rng, kernel)
        if len(set(labels)) < 2:
            continue
        model = KernelPerceptron(kernel, max_iter=200, n_iter_no_change=200).fit(rows, labels)
        largest = float(kernel.diagonal(rows).max())
        broken += model.record_.mistakes > bound(largest, squared * (1 + 1e-9))
    return broken


@SOME
def test_no_run_breaks_the_bound_of_a_known_vector(instances) -> None:
    assert violations(kernel_perceptron_mistakes, instances) == 0


def test_a_broken_bound_is_caught() -> None:
    def small(largest, squared):
        return kernel_perceptron_mistakes(largest, squared) // 50

    assert violations(small, 90) > 0


@SOME
def test_every_run_keeps_its_own_promise(instances) -> None:
    rng = np.random.default_rng(3)
    for i in range(instances):
        rows = rng.normal(size=(40, 2))
        labels = np.where(rng.random(40) < 0.2, -1, 1) * np.where(
            rows[:, 0] > rows[:, 1] ** 2, 1, -1
        )
        if len(set(labels.tolist())) < 2:
            continue
        kernel = [Gaussian(1.0), Polynomial(2), Linear() + 1, Normalized(Linear() + 1)][i % 4]
        model = KernelPerceptron(kernel, max_iter=1 + i % 3).fit(rows, labels)
        for guarantee in model.guarantees():
            assert guarantee.holds, guarantee
            assert int(guarantee.promised) >= model.record_.mistakes


def test_the_comparator_in_hindsight_is_what_it_says() -> None:
    model = KernelPerceptron(Polynomial(2), max_iter=3).fit(X, y)
    [guarantee] = model.guarantees()
    a = np.array([float(value) for value in guarantee.witness])
    K = Polynomial(2)(model.support_vectors_)
    assert float(guarantee.inputs["squared_norm"]) == pytest.approx(a @ K @ a, rel=1e-6)
    loss = np.maximum(1 - model.dual_coef_ * (K @ a), 0).sum()
    assert float(guarantee.inputs["hinge_loss"]) == pytest.approx(loss, rel=1e-6)
    assert float(guarantee.inputs["largest_diagonal"]) == pytest.approx(np.diag(K).max(), rel=1e-6)


def test_a_separable_run_has_no_hinge_loss() -> None:
    model = KernelPerceptron(Polynomial(2), shuffle=False).fit(
        [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    )
    [guarantee] = model.guarantees()
    assert model.record_.clean
    assert float(guarantee.inputs["hinge_loss"]) == 0


def test_declared_constants() -> None:
    model = KernelPerceptron(Gaussian(2.0), max_iter=3).fit(X, y)
    told, _ = model.guarantees(squared_norm=10_000)
    assert told.promised is not None
    assert told.assumptions[0].status == "declared"
    told, _ = model.guarantees(squared_norm=1)
    assert told.promised is None
    assert told.assumptions[0].status == "violated"
    with pytest.raises(
        UnknownName, match=re.escape("KernelPerceptron has no guarantee from 'gap'")
    ):
        model.guarantees(gap=1)


def test_a_dnf_with_the_kernel_of_all_products() -> None:
    rows = np.random.default_rng(0).integers(0, 2, (400, 6)).astype(float)
    labels = (rows[:, 0] * rows[:, 1] + rows[:, 3] * rows[:, 4] * rows[:, 5] > 0).astype(int)
    model = KernelPerceptron(AllProducts()).fit(rows, labels)
    told, _ = model.guarantees(terms=2)
    ones = int(model.support_vectors_.sum(axis=1).max())
    assert (told.theorem, told.promised) == ("perceptron-dnf-mistakes", 9 * 2**ones)
    assert told.assumptions[0].status == "checked"
    assert told.holds
    odd = KernelPerceptron(AllProducts(), max_iter=1).fit(rows + 0.5, labels)
    assert odd.guarantees(terms=2)[0].assumptions[0].status == "violated"
    sentence = "terms must be declared for the kernel AllProducts(), but the kernel is Linear()."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        KernelPerceptron(Linear()).fit(rows, labels).guarantees(terms=2)


def test_a_budget_leaves_no_promise() -> None:
    model = KernelPerceptron(Gaussian(2.0), budget=10, max_iter=2).fit(X, y)
    assert len(model.dual_coef_) == 10
    [guarantee] = model.guarantees()
    assert guarantee.promised is None
    assert guarantee.assumptions[1].status == "violated"
    assert "forgotten to keep the budget" in guarantee.assumptions[1].evidence
    whole = KernelPerceptron(Gaussian(2.0), budget=10**6, max_iter=2).fit(X, y)
    assert whole.guarantees()[0].promised is not None


def test_many_mistakes_are_compared_with_the_weights() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(4000, 2)), rng.integers(0, 2, 4000)
    model = KernelPerceptron(Gaussian(5.0)).partial_fit(rows, labels, classes=[0, 1])
    [guarantee] = model.guarantees()
    assert guarantee.witness is None
    assert guarantee.holds
    assert int(guarantee.promised) >= model.record_.mistakes > 1500


def test_the_trace_follows_the_proof() -> None:
    model = KernelPerceptron(Gaussian(2.0), trace=True).partial_fit(X, y, classes=[0, 1])
    trace = model.record_.trace
    steps = np.arange(1, model.record_.mistakes + 1)
    assert (trace["squared_norm"] <= steps * trace["largest_square"] * (1 + 1e-9)).all()
    short = KernelPerceptron(Gaussian(2.0), trace=True, budget=5).partial_fit(X, y, classes=[0, 1])
    w = short.dual_coef_ @ Gaussian(2.0)(short.support_vectors_) @ short.dual_coef_
    assert short.record_.trace["squared_norm"][-1] == pytest.approx(w)


# Refusals


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"zero": 0}, BadParameter, "zero must be 1, -1 or 'mistake', but is 0."),
        ({"budget": 0}, BadParameter, "budget must be a whole number of at least 1, but is 0."),
        ({"gamma": -1.0}, BadParameter, "gamma must be a finite number above zero, but is -1.0."),
    ],
)
def test_parameters_are_refused(parameters, error, sentence) -> None:
    with pytest.raises(error, match=re.escape(sentence)):
        KernelPerceptron(**parameters).fit(X, y)


def test_what_cannot_be_learned_from_is_refused_and_the_rest_is_learned() -> None:
    for form in (np.asarray, sparse.csr_matrix):
        for kernel in (Gaussian(1.0), GeneralizedLinear(np.eye(2))):
            bad = X.copy()
            bad[100, 1] = np.nan
            model = KernelPerceptron(kernel)
            sentence = (
                "Input X contains NaN or infinity: row 100, column 1 holds NaN. Everything before"
            )
            with pytest.raises(BadData, match=re.escape(sentence)):
                model.partial_fit(form(bad), y, classes=[0, 1])
            assert model.record_.rounds == 100
            with pytest.raises(BadData, match=re.escape("row 100, column 1 holds NaN")):
                model.predict(form(bad))
    huge = X.copy()
    huge[7] = 1e160
    with pytest.raises(BadData, match=re.escape("Row 7 of X is too large to be learned from")):
        KernelPerceptron(Polynomial(2)).partial_fit(huge, y, classes=[0, 1])
    with pytest.raises(BadParameter, match=re.escape("gamma='scale' is read from a sample")):
        KernelPerceptron(gamma="scale").learn_one([1.0], True)
    with pytest.raises(AttributeError, match="KernelPerceptron has no weights"):
        _ = KernelPerceptron().fit(X, y).coef_


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nothing_is_promised_where_kernel_values_overflow():
    X = np.random.default_rng(1).normal(size=(60, 3)) * 1e200
    model = KernelPerceptron().fit(X, X[:, 0] > 0)
    sentence = "No theorem can be applied to this run: kernel values of its mistakes are too large"
    with pytest.raises(BadData, match=re.escape(sentence)):
        model.guarantees()
