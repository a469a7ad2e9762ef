"""What training rows promise: golden numbers, to whom each theorem speaks, and the margins behind it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.special import ndtr

from assay import (
    SVC,
    HingeLossLP,
    KernelMachine,
    KernelPerceptron,
    LinearSVC,
    LogisticRegression,
    MarginPerceptron,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    Winnow,
)
from assay.kernels import Gaussian, Normalized, Substring
from assay.theory.generalization.compression import (
    FRESH_ORDERS,
    KERNEL_FIXED,
    LEAST_HINGE,
    MISTAKE_DRIVEN,
    SAME_ORDER,
    SETTINGS_FIXED,
)
from assay.theory.generalization.pac_bayes import GAUSSIAN, PRIOR_FIXED
from assay.theory.tail.binomial import holdout_exact
from tests.learners.training_sample import by_theorem, sample, statuses

# Golden numbers: each theorem gets half of delta, so that 0.1 gives the 0.05 they are known for.


def unit_rows(mistaken, errors, rows):
    """Rows on which a perceptron is mistaken so often, and so many others are wrong in the end."""
    corner = np.eye(mistaken + 1)
    places = [*range(errors), *range(mistaken)]
    labels = [1] * errors + [0] * mistaken
    rest = rows - len(places)
    return corner[places + [mistaken] * rest], np.array(labels + [1] * rest)


@pytest.mark.parametrize(
    ("mistaken", "errors", "rows", "promised"),
    [(12, 4, 250, 0.1179152945442506), (27, 0, 400, 0.1102026119749055)],
)
def test_golden_number_of_a_perceptron(mistaken, errors, rows, promised):
    X, y = unit_rows(mistaken, errors, rows)
    model = Perceptron(fit_intercept=False, max_iter=1, shuffle=False).fit(X, y)
    found = by_theorem(model.training_promises(X, y, delta=0.1))["mistake-compression"]
    assert found.inputs == {"mistaken": mistaken, "errors": errors, "rows": rows, "delta": "0.05"}
    assert found.value == pytest.approx(promised, abs=1e-15)


def test_golden_number_of_a_hard_margin():
    """49 rows on the margin and the longest of 1000: 50 are kept."""
    x = np.concatenate(
        [-np.ones(25), np.ones(24), np.linspace(-3, -2, 475), np.linspace(2, 2.9, 476)]
    )
    X, y = x[:, None], x > 0
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    found = by_theorem(model.training_promises(X, y, delta=0.1))["svm-support-compression"]
    assert found.inputs == {"support": 50, "rows": 1000, "delta": "0.05"}
    assert found.value == pytest.approx(0.07323196173978282, abs=1e-15)


def test_golden_number_of_margins():
    """All rows have margin one half, and the bound is that of pac-bayes at the length it states."""
    X, y = np.tile([[1.0, math.sqrt(3)], [-1.0, math.sqrt(3)]], (500, 1)), np.tile([1, 0], 500)
    model = LogisticRegression(C=1.0, fit_intercept=False).fit(X, y)
    found = model.training_promises(X, y).guarantees[0]
    assert found.value == pytest.approx(0.0604164, abs=1e-6)
    norm = float(found.inputs["norm"])
    assert float(found.inputs["gibbs"]) == pytest.approx(float(ndtr(-0.5 * norm)), rel=1e-6)


# Who is promised what

BINARY = {
    "svm-support-compression": [
        SVC(gamma=0.5),
        LinearSVC(tol=1e-6, max_iter=100_000, random_state=0),
        LinearSVC(loss="hinge", tol=1e-6, max_iter=100_000, random_state=0),
        KernelMachine("squared_hinge", gamma=0.5),
        KernelMachine("modified_huber", gamma=0.5),
    ],
    "mistake-compression": [
        Perceptron(shuffle=False),
        MarginPerceptron(shuffle=False),
        KernelPerceptron(Gaussian(0.5), shuffle=False),
    ],
    "shuffled-mistake-compression": [
        Perceptron(),
        MarginPerceptron(),
        KernelPerceptron(Gaussian(0.5)),
    ],
    None: [
        LogisticRegression(),
        HingeLossLP(),
        KernelMachine(gamma=0.5),
        SGDClassifier(random_state=0),
        OnlineGradientDescent(),
    ],
}
EACH = [(theorem, model) for theorem, models in BINARY.items() for model in models]


@pytest.mark.parametrize(("theorem", "model"), EACH, ids=lambda part: str(part))
def test_every_learner_of_two_classes(theorem, model):
    X, y = sample()
    fresh, truth = sample(seed=1)
    model.fit(X, y)
    found = model.training_promises(X, y, holdout=(fresh, truth))
    errors = int((model.predict(fresh) != truth).sum())
    expected = [theorem] * (theorem is not None) + ["pac-bayes-linear-vote", "holdout-exact"]
    assert [g.theorem for g in found.guarantees] == expected
    assert all(g.applies for g in found.guarantees)
    assert found.guarantees[-1].value == holdout_exact(errors, 120, found.guarantees[-1].delta)
    assert sum(float(g.delta) for g in found.guarantees) == pytest.approx(0.05)
    assert found.tightest.theorem == "holdout-exact"
    voted = statuses(found.guarantees[-2])
    assert voted[PRIOR_FIXED] == "declared"
    assert voted[GAUSSIAN] == "by construction"


@pytest.mark.parametrize(
    "model",
    [
        SVC(gamma=0.5),
        SVC(gamma=0.5, multi_class="ovr"),
        LinearSVC(tol=1e-6, max_iter=100_000, random_state=0),
    ],
)
def test_several_classes_are_promised_something_by_their_kept_rows(model):
    X, y = sample(classes=4)
    found = model.fit(X, y).training_promises(X, y)
    assert [g.theorem for g in found.guarantees] == ["svm-support-compression"]
    assert statuses(found.guarantees[0])[LEAST_HINGE] == "checked"
    online = Perceptron().fit(X, y).training_promises(X, y)
    assert [g.theorem for g in online.guarantees] == ["shuffled-mistake-compression"]


def test_boolean_rows():
    X, y = sample()
    rows = (X > 0) * 1.0
    found = Winnow().fit(rows, y).training_promises(rows, y)
    assert [g.theorem for g in found.guarantees] == ["mistake-compression", "pac-bayes-linear-vote"]


def test_how_each_condition_is_known():
    X, y = sample()
    support = by_theorem(SVC(gamma=0.5).fit(X, y).training_promises(X, y))
    known = statuses(support["svm-support-compression"])
    assert (known[KERNEL_FIXED], known[LEAST_HINGE]) == ("declared", "checked")
    in_order = Perceptron(shuffle=False).fit(X, y).training_promises(X, y)
    shuffled = Perceptron().fit(X, y).training_promises(X, y)
    for found, theorem, order in (
        (in_order, "mistake-compression", SAME_ORDER),
        (shuffled, "shuffled-mistake-compression", FRESH_ORDERS),
    ):
        known = statuses(by_theorem(found)[theorem])
        assert (known[SETTINGS_FIXED], known[order]) == ("declared", "declared")
        assert known[MISTAKE_DRIVEN] == "checked"


# The margins


def test_margins_of_a_kernel_are_those_of_its_features():
    X, y = sample()
    signs = np.where(y == 1, 1.0, -1.0)
    model = SVC(kernel="linear").fit(X, y)
    kernel = model._training_facts(X, y).margins
    plain = LinearSVC().fit(X, y)
    linear = plain._training_facts(X, y).margins
    Z = np.column_stack([X, np.ones(len(X))])
    for machine, margins, near in ((model, kernel, 1e-7), (plain, linear, 1e-8)):
        w = np.append(machine.coef_[0], machine.intercept_)
        exact = signs * (Z @ w) / np.linalg.norm(w) / np.linalg.norm(Z, axis=1)
        np.testing.assert_allclose(margins, exact, atol=near)
        assert (margins <= exact).all()


def test_a_machine_of_nothing_has_no_margin():
    X, y = np.ones((3, 2)), np.ones(3, dtype=int)
    for learner in (Perceptron(), KernelPerceptron()):
        margins = learner.partial_fit(X, y, classes=[0, 1])._row_margins(X, y)
        np.testing.assert_allclose(margins, 0.0, atol=1e-7)
        assert (margins <= 0).all()


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_whether_there_is_a_constant_feature_does_not_depend_on_the_rows(fit_intercept):
    """A symmetric sample gives an intercept of zero, which must cost the constant feature all the same."""
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    model = Perceptron(fit_intercept=fit_intercept, max_iter=1).fit(X, y)
    model.players_[0].bias[:] = 0.0
    margins = model._row_margins(X, y)
    assert margins[0] == pytest.approx(math.sqrt(0.5) if fit_intercept else 1.0, abs=1e-6)


def test_sparse_single_precision_and_precomputed_rows():
    X, y = sample()
    dense = SVC(gamma=0.5).fit(X, y)._training_facts(X, y)
    rows = sparse.csr_matrix(X)
    assert SVC(gamma=0.5).fit(rows, y)._training_facts(rows, y).support == dense.support
    gram = Gaussian(0.5)(X)
    given = SVC(kernel="precomputed").fit(gram, y)._training_facts(gram, y)
    assert (
        abs(given.support - dense.support) <= 1
    )  # the longest row, where lengths are not known to be one
    np.testing.assert_allclose(given.margins, dense.margins, atol=1e-6)
    single = X.astype(np.float32)
    assert (
        abs(SVC(gamma=0.5).fit(single, y)._training_facts(single, y).support - dense.support) <= 2
    )


def test_strings():
    rng = np.random.default_rng(0)
    texts = [
        "".join(rng.choice(list("ab" if label else "bc"), 6))
        for label in range(2)
        for _ in range(60)
    ]
    order = rng.permutation(120)
    X, y = [texts[place] for place in order], order >= 60
    kernel = Normalized(Substring(2))
    for model in (
        SVC(kernel=kernel),
        KernelMachine("squared_hinge", kernel),
        KernelPerceptron(kernel),
    ):
        fresh = [text + text[0] for text in X[:9]]
        found = model.fit(X, y).training_promises(X, y, holdout=(fresh, y[:9]))
        assert all(g.applies for g in found.guarantees)
        assert found.guarantees[0].value < 0.7
