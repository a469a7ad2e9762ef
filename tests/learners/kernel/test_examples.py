"""Strings and precomputed kernels in every kernel machine, against kernels and machines written out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm

from assay import (
    SVC,
    SVR,
    KernelMachine,
    KernelMachineRegressor,
    KernelPerceptron,
    KernelRidge,
    load,
    save,
)
from assay.errors import BadData, BadParameter
from assay.kernels import Gaussian, Normalized, Precomputed, Substring
from tests.learners.model_files import reopened
from tests.naive.kernel_perceptron import kernel_perceptron

RNG = np.random.default_rng(0)
TEXTS = ["".join(RNG.choice(list("abcd"), RNG.integers(3, 16))) for _ in range(70)]
Y = np.array([int("ab" in text) for text in TEXTS])
NUMBERS = np.array([len(text) + 3.0 * ("cd" in text) for text in TEXTS])
KERNELS = [Substring(2), Normalized(Substring(3)), 1 + 0.5 * Substring(1) ** 2]
CLASSIFIERS = [SVC, KernelMachine, KernelPerceptron]
REGRESSORS = [SVR, KernelRidge, KernelMachineRegressor]
LEARNERS = [*CLASSIFIERS, *REGRESSORS]


def goal(learner):
    return Y if learner in CLASSIFIERS else NUMBERS


def parts(text, length):
    return {text[i : i + length] for i in range(len(text) - length + 1)}


def substring(length):
    """The kernel written out."""
    return lambda s, t: len(parts(s, length) & parts(t, length))


def scores_of(model, X):
    ask = getattr(model, "decision_function", model.predict)
    return ask(X)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("learner", LEARNERS)
def test_strings_are_as_good_as_their_kernel_matrix(learner, kernel, tmp_path):
    K = kernel(TEXTS)
    ours = learner(kernel=kernel).fit(TEXTS, goal(learner))
    given = learner(kernel="precomputed").fit(K, goal(learner))
    fresh = ["abab", "dcdc", "", "zzzzzz"]
    np.testing.assert_allclose(
        scores_of(ours, fresh), scores_of(given, kernel(fresh, TEXTS)), atol=1e-7
    )
    assert ours.n_features_in_ == 1
    assert [g.theorem for g in ours.guarantees()] == [g.theorem for g in given.guarantees()]
    assert all(g.holds is not False for g in (*ours.guarantees(), *given.guarantees()))
    for model, rows in ((ours, fresh), (given, kernel(fresh, TEXTS))):
        save(model, tmp_path / "model.assay")
        again = load(tmp_path / "model.assay")
        assert np.array_equal(scores_of(again, rows), scores_of(model, rows))
        assert again.guarantees() == model.guarantees()


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda t: np.array(t, object)[:, None]])
@pytest.mark.parametrize("learner", LEARNERS)
def test_strings_may_come_in_any_list(learner, form):
    plain = learner(kernel=Substring(2)).fit(TEXTS, goal(learner))
    other = learner(kernel=Substring(2)).fit(form(TEXTS), goal(learner))
    assert np.array_equal(other.predict(form(TEXTS[:5])), plain.predict(TEXTS[:5]))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_precomputed_kernel_may_be_named_or_an_object(learner):
    K = Gaussian(0.5)(NUMBERS[:, None] / 5)
    named = learner(kernel="precomputed").fit(K, goal(learner))
    made = learner(kernel=Precomputed()).fit(K, goal(learner))
    assert np.array_equal(scores_of(named, K[:6]), scores_of(made, K[:6]))
    assert named.__sklearn_tags__().input_tags.pairwise
    assert made.__sklearn_tags__().input_tags.pairwise
    with pytest.raises(
        BadData, match=r"^A precomputed kernel matrix must be square, but has shape \(70, 3\)\.$"
    ):
        learner(kernel="precomputed").fit(K[:, :3], goal(learner))
    with pytest.raises(ValueError, match="features"):
        named.predict(K[:, :3])


def test_the_machine_of_libsvm_on_strings_written_out():
    K = np.array([[substring(2)(s, t) for t in TEXTS] for s in TEXTS], dtype=float)
    ours = SVC(C=0.5, kernel=Substring(2), tol=1e-8).fit(TEXTS, Y)
    theirs = svm.SVC(C=0.5, kernel="precomputed", tol=1e-8).fit(K, Y)
    np.testing.assert_allclose(
        ours.decision_function(TEXTS), theirs.decision_function(K), atol=1e-5
    )
    assert ours.support_vectors_.tolist() == [TEXTS[i] for i in ours.support_]
    left = ours.leave_one_out(TEXTS, Y)
    assert (
        left.tolist()
        == SVC(C=0.5, kernel="precomputed", tol=1e-8).fit(K, Y).leave_one_out(K, Y).tolist()
    )


def test_ridge_on_strings_written_out():
    K = np.array([[substring(2)(s, t) for t in TEXTS] for s in TEXTS], dtype=float)
    a = np.linalg.solve(K + 0.3 * np.eye(len(K)), NUMBERS)
    for dtype, near in (("float64", 1e-9), ("float32", 1e-2)):
        model = KernelRidge(0.3, kernel=Substring(2), dtype=dtype).fit(TEXTS, NUMBERS)
        np.testing.assert_allclose(model.predict(TEXTS), K @ a, atol=near * 10)


@pytest.mark.parametrize("zero", [1, -1, "mistake"])
def test_the_perceptron_on_strings_written_out(zero):
    signs = np.where(Y == 1, 1, -1)
    run = kernel_perceptron(substring(2), TEXTS, signs, zero)
    model = KernelPerceptron(Substring(2), zero=zero).partial_fit(TEXTS, Y, classes=[0, 1])
    assert model.record_.mistakes == run.mistakes
    assert model.support_vectors_.tolist() == [text for text, _ in run.support]
    assert model.dual_coef_.tolist() == [label for _, label in run.support]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("budget", [None, 7])
def test_chunks_wholes_and_single_strings_give_the_same_bits(kernel, budget):
    whole = KernelPerceptron(kernel, budget=budget).partial_fit(TEXTS, Y, classes=[0, 1])
    chunks, single = (
        KernelPerceptron(kernel, budget=budget),
        KernelPerceptron(kernel, budget=budget),
    )
    for start in range(0, 70, 9):
        chunks.partial_fit(TEXTS[start : start + 9], Y[start : start + 9], classes=[0, 1])
    assert single.predict_one("abc") is None
    for text, label in zip(TEXTS, Y.tolist(), strict=True):
        single.learn_one(text, label, classes=[0, 1])
    for other in (chunks, single):
        assert other.support_vectors_.tolist() == whole.support_vectors_.tolist()
        assert other.players_[0].squared_length == whole.players_[0].squared_length
        assert other.record_.mistakes == whole.record_.mistakes
    assert single.predict_one("abcd") == whole.predict(["abcd"])[0]


@pytest.mark.parametrize("kernel", [Substring(2), "precomputed"], ids=repr)
def test_passes_of_fit_are_as_if_played_anew(kernel):
    K = Substring(2)(TEXTS)
    rows = TEXTS if kernel != "precomputed" else K
    in_order = {"max_iter": 4, "n_iter_no_change": 9, "shuffle": False}
    fitted = KernelPerceptron(kernel, **in_order).fit(rows, Y)
    played = KernelPerceptron(Substring(2))
    for _ in range(fitted.n_iter_):
        played.partial_fit(TEXTS, Y, classes=[0, 1])
    assert np.array_equal(fitted.dual_coef_, played.dual_coef_)
    assert fitted.players_[0].squared_length == played.players_[0].squared_length
    assert fitted.guarantees()[0].promised == played.guarantees()[0].promised
    mistaken = fitted.support_vectors_
    if kernel == "precomputed":
        mistaken = [TEXTS[i] for i in mistaken]
    assert list(mistaken) == played.support_vectors_.tolist()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_sparse_kernel_matrix_is_one_too(form):
    K = Substring(3)(TEXTS)
    plain = KernelPerceptron("precomputed").fit(K, Y)
    other = KernelPerceptron("precomputed").fit(form(K), Y)
    assert np.array_equal(other.decision_function(form(K)), plain.decision_function(K))


def test_several_classes_of_strings():
    labels = np.where(NUMBERS > 12, "long", np.where(Y == 1, "ab", "other"))
    for learner in CLASSIFIERS:
        model = learner(kernel=Substring(2)).fit(TEXTS, labels)
        given = learner(kernel="precomputed").fit(Substring(2)(TEXTS), labels)
        assert model.predict(TEXTS).tolist() == given.predict(Substring(2)(TEXTS)).tolist()


def test_a_budget_on_a_given_matrix_keeps_the_newest():
    K = Substring(2)(TEXTS)
    model = KernelPerceptron("precomputed", budget=5, trace=True, max_iter=2).fit(K, Y)
    assert len(model.dual_coef_) == 5
    assert model.guarantees()[0].promised is None
    q, s = model.support_vectors_, model.dual_coef_
    assert model.record_.trace["squared_norm"][-1] == pytest.approx(s @ K[np.ix_(q, q)] @ s)


def test_many_mistakes_on_a_given_matrix_are_bounded_along_the_weights():
    K = Substring(2)(TEXTS)
    assert KernelPerceptron("precomputed").fit(K, Y).guarantees()[0].witness is not None
    many = np.random.default_rng(0).integers(0, 2, 1600)  # as many mistakes as zeros
    far = KernelPerceptron("precomputed", zero="mistake", max_iter=1).fit(np.eye(1600), many)
    assert far.record_.mistakes == 1600
    assert far.guarantees()[0].witness is None
    assert far.guarantees()[0].holds


def test_a_value_that_is_no_number_stops_the_pass():
    K = Substring(2)(TEXTS)
    K[20] = np.nan
    with pytest.raises(BadData, match="row 20, column 0 holds NaN"):
        KernelPerceptron("precomputed").fit(K, Y)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda p: setattr(p, "support_labels", p.labels[1:]),
        lambda p: setattr(p, "support_texts", np.array(TEXTS[:3], dtype=object)),
        lambda p: setattr(p, "support_places", p.examples + 80),
        lambda p: setattr(p, "support_values", p.support_values[:2]),
        lambda p: setattr(p, "support_labels", 2 * p.labels),
        lambda p: setattr(p, "squared_length", -1.0),
    ],
)
def test_files_whose_mistaken_examples_do_not_fit_are_refused(spoil):
    model = KernelPerceptron("precomputed").fit(Substring(2)(TEXTS), Y)
    reopened(model)
    spoil(model.players_[0])
    with pytest.raises(ValueError, match=r"do not fit this learner|is of another kind"):
        reopened(model)


@pytest.mark.parametrize(
    ("act", "error", "sentence"),
    [
        (
            lambda: KernelPerceptron("precomputed").partial_fit(np.eye(2), [0, 1], classes=[0, 1]),
            BadParameter,
            "partial_fit needs a kernel that can be computed, but the kernel is precomputed: its columns are the "
            "examples of one fit.",
        ),
        (
            lambda: KernelPerceptron("precomputed").learn_one([1.0], 0, classes=[0, 1]),
            BadParameter,
            "learn_one needs a kernel that can be computed, but the kernel is precomputed.",
        ),
        (
            lambda: KernelPerceptron(Substring(2)).learn_one("ab", 7, classes=[0, 1]),
            BadData,
            "y holds the label 7, which is none of the classes 0, 1.",
        ),
        (
            lambda: SVC(kernel=Substring(2)).fit([["a", "b"]] * 4, [0, 1, 0, 1]),
            BadData,
            "Examples must be strings, but number 0 is ['a', 'b'].",
        ),
        (
            lambda: KernelRidge(kernel=Substring(2)).fit(np.eye(3), np.ones(3)),
            BadData,
            "Examples must be strings, but number 0 is [1.0, 0.0, 0.0].",
        ),
        (
            lambda: KernelMachine(kernel=Substring(2)).fit("text", [0]),
            BadData,
            "Examples must be a list of strings, but are one string. Write ['text'].",
        ),
    ],
)
def test_refusals(act, error, sentence):
    with pytest.raises(error, match=f"^{re.escape(sentence)}$"):
        act()


def test_a_wrong_number_of_labels_is_refused():
    for learner in LEARNERS:
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            learner(kernel=Substring(2)).fit(TEXTS, goal(learner)[:5])
