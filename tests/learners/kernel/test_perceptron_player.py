"""The run of the kernel perceptron, against the rule written out: dense, sparse, with a budget, from a file."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay import KernelPerceptron
from assay.kernels import FromFunction, Gaussian, Linear, Polynomial
from tests.learners.model_files import reopened
from tests.naive.kernel_perceptron import kernel_perceptron

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 4))
X[np.abs(X) < 0.3] = 0.0
Y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
FORMS = [np.asarray, sparse.csr_matrix]


def played(kernel, form=np.asarray, zero=1, budget=None, rows=X, y=Y):
    model = KernelPerceptron(kernel, zero=zero, budget=budget)
    return model.partial_fit(form(rows), y, classes=[-1, 1])


def gaussian(x, z):
    return float(np.exp(-0.5 * ((x - z) ** 2).sum()))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("zero", [1, -1, "mistake"])
def test_the_rule_written_out(form, zero):
    run = kernel_perceptron(gaussian, X, Y, zero)
    model = played(Gaussian(0.5), form, zero)
    examples = model.support_vectors_
    examples = examples.toarray() if sparse.issparse(examples) else examples
    np.testing.assert_array_equal(examples, [x for x, _ in run.support])
    labels = model.dual_coef_
    assert labels.tolist() == [label for _, label in run.support]
    assert (model.record_.mistakes, model.record_.rounds) == (run.mistakes, 90)
    squared = labels @ Gaussian(0.5)(examples) @ labels
    assert model.players_[0].squared_length == pytest.approx(squared, rel=1e-9)
    assert abs(model.players_[0].squared_length - squared) <= model.record_.error
    assert model.record_.radius == pytest.approx(1.0)


@pytest.mark.parametrize("form", FORMS)
def test_a_kernel_without_a_formula_plays_the_same(form):
    plain = played(Polynomial(2), form)
    own = played(FromFunction(lambda A, B: (A @ B.T + 1.0) ** 2))
    np.testing.assert_array_equal(own.dual_coef_, plain.dual_coef_)
    lengths = [model.players_[0].squared_length for model in (own, plain)]
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("budget", [1, 6])
def test_a_budget_keeps_the_newest(form, budget):
    support, mistakes = [], 0
    for x, label in zip(X, Y, strict=True):
        score = sum(yq * gaussian(xq, x) for xq, yq in support)
        if not (label * score > 0 or (score == 0 and label == 1)):
            support, mistakes = [*support, (x, label)][-budget:], mistakes + 1
    model = played(Gaussian(0.5), form, budget=budget)
    assert model.record_.mistakes == mistakes
    assert model.record_.forgotten == mistakes - budget
    assert model.dual_coef_.tolist() == [label for _, label in support]


@pytest.mark.parametrize("form", FORMS)
def test_scores_are_the_sums(form):
    model = played(Gaussian(0.5), form)
    fresh = RNG.normal(size=(7, 4))
    want = Gaussian(0.5)(fresh, model.support_vectors_) @ model.dual_coef_
    before = repr(model.record_)
    np.testing.assert_allclose(model.decision_function(form(fresh)), want, atol=1e-12)
    answers = [model.predict_one(row) for row in fresh]
    assert answers == np.where(want >= 0, 1, -1).tolist()
    assert repr(model.record_) == before


def test_new_features_are_zero_in_old_examples():
    model = KernelPerceptron(Linear())
    for row, label in zip(X[:, :2].tolist(), Y, strict=True):
        model.learn_one(dict(zip("ab", row, strict=True)), label, classes=[-1, 1])
    few = len(model.support_vectors_)
    for row, label in zip(X.tolist(), Y, strict=True):
        model.learn_one(dict(zip("abcd", row, strict=True)), label)
    assert model.support_vectors_.shape[1] == 4
    assert not model.support_vectors_[:few, 2:].any()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda p: setattr(p, "last", p.last + 10**6),
        lambda p: setattr(p, "first", p.last + 1),
        lambda p: setattr(p, "updates", 0),
        lambda p: setattr(p, "squared_length", -1.0),
        lambda p: setattr(p, "largest_square", -1.0),
        lambda p: setattr(p, "support_labels", None),
        lambda p: setattr(p, "support_labels", 0.5 * p.support_labels),
    ],
)
def test_files_whose_mistaken_examples_do_not_fit_are_refused(form, spoil):
    model = played(Gaussian(0.5), form)
    reopened(model)
    spoil(model.players_[0])
    with pytest.raises(ValueError, match=r"do not fit this learner|is of another kind or size"):
        reopened(model)
