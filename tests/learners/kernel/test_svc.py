"""The support vector classifier: scikit-learn's answers, KKT, margins, leaving one out, files, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from assay import SVC, load, save
from assay.data.synthetic.separable import separable
from assay.errors import BadData, BadParameter
from assay.kernels import Gaussian, Linear, Sigmoid
from assay.theory.generalization.compression import LEAST_HINGE
from assay.theory.margin.support_vectors import kkt_residual
from assay.theory.mistake.kernel_perceptron import KERNEL
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_classification(240, 6, n_informative=4, flip_y=0.1, random_state=0)
IRIS, KINDS = load_iris(return_X_y=True)


def dual_value(model, K):
    b = np.zeros(len(K))
    b[model.support_] = model.dual_coef_[0]
    return np.abs(b).sum() - 0.5 * b @ K @ b


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"C": 1e-3},
        {"C": 100.0},
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"gamma": 0.7},
        {"gamma": "auto", "class_weight": "balanced"},
        {"class_weight": {0: 3.0}},
    ],
)
def test_same_as_scikit_learn(parameters):
    ours, theirs = SVC(tol=1e-8, **parameters).fit(X, Y), svm.SVC(tol=1e-8, **parameters).fit(X, Y)
    K = ours.kernel_(X)
    assert dual_value(ours, K) == pytest.approx(dual_value(theirs, K), rel=1e-6)
    assert ours.record_.dual == pytest.approx(dual_value(ours, K), rel=1e-9)
    scale = max(1.0, parameters.get("C", 1.0))
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=1e-5 * scale
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.n_support_.tolist() == theirs.n_support_.tolist()


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("ties", [False, True])
def test_several_classes_as_in_scikit_learn(shape, ties):
    if shape == "ovo" and ties:
        ties = False
    told = {"decision_function_shape": shape, "break_ties": ties, "tol": 1e-8}
    ours, theirs = SVC(**told).fit(IRIS, KINDS), svm.SVC(**told).fit(IRIS, KINDS)
    np.testing.assert_allclose(
        ours.decision_function(IRIS), theirs.decision_function(IRIS), atol=1e-5
    )
    np.testing.assert_array_equal(ours.predict(IRIS), theirs.predict(IRIS))
    assert len(ours.record_) == 3


def test_each_class_against_the_rest():
    model = SVC(multi_class="ovr", tol=1e-8).fit(IRIS, KINDS)
    for kind in range(3):
        alone = SVC(tol=1e-8, gamma=model.gamma_).fit(IRIS, np.equal(KINDS, kind))
        np.testing.assert_allclose(
            model.decision_function(IRIS)[:, kind], alone.decision_function(IRIS), atol=1e-6
        )
    assert model.score(IRIS, KINDS) > 0.95


def test_sparse_callable_and_precomputed_kernels_are_the_same_machine():
    given = SVC(kernel=Gaussian(0.2), tol=1e-7).fit(X, Y)
    wanted = given.decision_function(X)
    K = Gaussian(0.2)(X)
    others = [
        (SVC(gamma=0.2, tol=1e-7), sparse.csr_matrix(X)),
        (SVC(kernel=lambda A, B: Gaussian(0.2)(A, B), tol=1e-7), X),
        (SVC(kernel="precomputed", tol=1e-7), K),
        (SVC(gamma=0.2, tol=1e-7, shrinking=False, cache_size=0.1), X),
    ]
    for model, rows in others:
        np.testing.assert_allclose(model.fit(rows, Y).decision_function(rows), wanted, atol=1e-5)


def test_weights_are_repetitions():
    rng = np.random.default_rng(1)
    times = rng.integers(0, 3, len(Y))
    weighted = SVC(tol=1e-9, gamma=0.2).fit(X, Y, sample_weight=times)
    repeated = SVC(tol=1e-9, gamma=0.2).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-6
    )
    assert weighted.record_.rows == np.count_nonzero(times)


def test_the_record_agrees_with_the_theorem():
    model = SVC(C=2.0, tol=1e-7).fit(X, Y)
    signs, record = np.where(Y == 1, 1.0, -1.0), model.record_
    alphas = np.zeros(len(Y))
    alphas[model.support_] = np.abs(model.dual_coef_[0])
    margins = signs * model.decision_function(X)
    slack = np.maximum(0, 1 - margins)
    assert record.primal == pytest.approx(0.5 * record.norm**2 + 2.0 * slack.sum(), rel=1e-9)
    assert record.dual == pytest.approx(alphas.sum() - 0.5 * record.norm**2, rel=1e-9)
    assert record.gap <= 1e-6 * record.primal
    excess = model.guarantees()[2]
    assert (excess.theorem, excess.applies) == ("svm-duality-kkt", True)
    assert record.gap <= float(excess.promised) <= record.gap + 1e-10 * record.primal
    assert kkt_residual(margins.tolist(), alphas.tolist(), 2.0) < 1e-6
    assert abs(model.dual_coef_.sum()) < 1e-9
    assert record.support == len(model.support_)
    assert record.bounded == np.count_nonzero(alphas == 2.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("margin", [0.5, 0.1, 0.01])
def test_the_hard_margin_is_the_one_planted(seed, margin):
    data = separable(300, 1 + 3 * seed, margin=margin, random_state=seed)
    # Mirrored, the best plane goes through the origin, as the generator's does.
    rows, labels = np.vstack([data.X, -data.X]), np.concatenate([data.y, -data.y])
    model = SVC(C=np.inf, kernel="linear").fit(rows, labels)
    assert model.record_.margin == pytest.approx(data.margin, rel=1e-6)
    assert model.record_.width == pytest.approx(data.margin, rel=1e-6)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-6)
    unit = model.coef_[0] / np.linalg.norm(model.coef_)
    np.testing.assert_allclose(unit, data.separator, atol=1e-3)


def test_two_points():
    model = SVC(C=np.inf, kernel="linear").fit([[0.0, 0], [2, 0]], [-1, 1])
    assert model.coef_.tolist() == [[1.0, 0.0]]
    assert (model.intercept_[0], model.record_.margin) == (-1.0, 1.0)
    assert model.dual_coef_.tolist() == [[-0.5, 0.5]]


def test_leaving_one_out_is_fitting_anew():
    for rows, labels in ((X[:80], Y[:80]), (IRIS[::3], KINDS[::3])):
        model = SVC(gamma=0.2, tol=1e-6).fit(rows, labels)
        anew = cross_val_predict(svm.SVC(gamma=0.2, tol=1e-6), rows, labels, cv=LeaveOneOut())
        left = model.leave_one_out(rows, labels)
        np.testing.assert_array_equal(left, anew)
        first, second, *_ = model.guarantees(sample=(rows, labels))
        assert first.holds
        assert float(first.observed) == pytest.approx((anew != labels).mean())
        assert float(first.promised) == pytest.approx(len(model.support_) / len(labels))
        assert second.quantifier == "expectation"
        assert second.holds is None


def test_a_promise_of_too_few_support_vectors_breaks():
    noise = np.random.default_rng(2).permutation(Y[:60])
    model = SVC(gamma=5.0, tol=1e-6).fit(X[:60], noise)
    errors = (model.leave_one_out(X[:60], noise) != noise).mean()
    assert errors <= len(model.support_) / 60
    assert (
        errors > 0.3 * len(model.support_) / 60
    )  # so that three tenths of the promise would be broken


def test_degenerate_samples():
    twice = np.vstack([X, X])
    model = SVC(gamma=0.2, tol=1e-6).fit(twice, np.concatenate([Y, Y]))
    double = SVC(gamma=0.2, tol=1e-6, C=2.0).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), double.decision_function(X), atol=1e-4)
    both = SVC(tol=1e-6).fit(twice, np.concatenate([Y, 1 - Y]))
    assert np.abs(both.decision_function(X)).max() < 1e-6
    flat = SVC().fit(np.ones((10, 2)), np.arange(10) % 2)
    assert np.isfinite(flat.decision_function(np.ones((2, 2)))).all()
    wide = np.random.default_rng(0).normal(size=(12, 400))
    assert (
        SVC(kernel="linear", C=1e6).fit(wide, np.arange(12) % 2).score(wide, np.arange(12) % 2) == 1
    )
    tiny = SVC(C=1e-9).fit(X, Y)
    assert len(set(tiny.predict(X))) <= 2
    constant = np.column_stack([X, np.full(len(X), 7.0)])
    np.testing.assert_allclose(
        SVC(gamma=0.2, tol=1e-8).fit(constant, Y).decision_function(constant),
        SVC(gamma=0.2, tol=1e-8).fit(X, Y).decision_function(X),
        atol=1e-6,
    )


def test_single_precision_of_many_rows():
    many, labels = make_classification(5200, 5, flip_y=0.02, random_state=1)
    ours, theirs = SVC().fit(many, labels), svm.SVC().fit(many, labels)
    assert ours.record_.residual <= 1e-3
    K = ours.kernel_(many)
    assert dual_value(ours, K) == pytest.approx(dual_value(theirs, K), rel=1e-6)
    assert (ours.predict(many) == theirs.predict(many)).mean() > 0.999


def test_files(tmp_path):
    for model, rows, labels in (
        (SVC(), X, Y),
        (SVC(kernel=2 * Gaussian(0.5) + Linear()), IRIS, KINDS),
        (SVC(kernel="precomputed"), Linear()(X), Y),
        (SVC(), sparse.csr_matrix(X), Y),
        (SVC(C=np.inf), IRIS[:100], KINDS[:100]),
    ):
        save(model.fit(rows, labels), tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
        np.testing.assert_array_equal(again.decision_function(rows), model.decision_function(rows))
        assert again.record_ == model.record_


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": 0}, "C must be a number above zero, but is 0."),
        ({"C": "1"}, "C must be a number above zero, but is '1'."),
        ({"tol": -1.0}, "tol must be a number above zero, but is -1.0."),
        ({"max_iter": -2}, "max_iter must be -1 for no limit, or a count, but is -2."),
        ({"multi_class": "all"}, "multi_class must be 'ovo' or 'ovr', but is 'all'."),
        (
            {"decision_function_shape": None},
            "decision_function_shape must be 'ovr' or 'ovo', but is None.",
        ),
        ({"cache_size": 0}, "cache_size must be a number above zero, but is 0."),
    ],
)
def test_refused_parameters(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        SVC(**parameters).fit(X, Y)


def test_refused_samples():
    with pytest.raises(
        BadData, match=r"^SVC needs at least two classes, but y holds 1 class: 1\.$"
    ):
        SVC().fit(X, np.ones(len(X), int))
    with pytest.raises(BadData, match=r"^Invalid input - all samples with positive weights belong"):
        SVC().fit(X, Y, sample_weight=Y == 0)
    with pytest.raises(
        BadData, match=r"^Invalid input - all samples have zero or negative weights\.$"
    ):
        SVC().fit(X, Y, sample_weight=-np.ones(len(Y)))
    with pytest.raises(
        BadData, match=r"^A precomputed kernel matrix must be square, but has shape \(240, 6\)\.$"
    ):
        SVC(kernel="precomputed").fit(X, Y)
    with pytest.raises(BadData, match=r"^leave_one_out needs the very sample that fit was given;"):
        SVC().fit(X, Y).leave_one_out(X[:50], Y[:50])
    model = SVC().fit(X, Y)
    state = dict(vars(model))
    for rows, labels in ((X + 1, Y), (X[:, :2], Y), (X, Y + 1), (X, 0 * Y)):
        with pytest.raises(BadData):
            model.leave_one_out(rows, labels)
        assert vars(model) == state
    with pytest.raises(BadData, match=r"^No hyperplane separates the classes"):
        SVC(C=np.inf, kernel="linear").fit(X, Y)
    with pytest.raises(
        AttributeError, match=r"^coef_ is only available when using a linear kernel$"
    ):
        SVC().fit(X, Y).coef_  # noqa: B018


def test_a_search_cut_short_says_so():
    with pytest.warns(
        ConvergenceWarning, match=r"^SVC stopped before the KKT conditions hold to 0.001"
    ):
        model = SVC(max_iter=3).fit(X, Y)
    assert not model.guarantees()[0].applies


def test_checks():
    assert_checks_pass_but_those_named(SVC())


def refits_that_err(model, X, y):
    """How often a machine from all other examples is wrong about the one left out."""
    rest = [np.delete(np.arange(len(y)), i) for i in range(len(y))]
    said = [clone(model).fit(X[r], y[r]).predict(X[i : i + 1])[0] for i, r in enumerate(rest)]
    return int((np.array(said) != y).sum())


def test_leaving_out_an_example_that_alone_holds_the_intercept_is_counted():
    X, y = np.array([[0.0], [0], [0], [0], [1]]), np.array([1, 1, -1, -1, -1])
    model = SVC(C=1, kernel="linear").fit(X, y)
    assert (len(model.support_), model.record_.beside) == (4, 1)
    assert refits_that_err(model, X, y) == 5
    first = model.guarantees(sample=(X, y))[0]
    assert first.observed == 1
    assert first.value >= 1


def test_leaving_one_out_is_promised_nothing_of_a_machine_that_was_not_trained():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1, -1)
    model = SVC(kernel="linear", tol=2).fit(X, y)
    assert not len(model.support_)
    assert model.guarantees()[0].promised is None
    for tol in (0.5, 1.5, 1.9):
        model = SVC(kernel="linear", tol=tol).fit(X, y)
        value = model.guarantees()[0].value
        assert value is None or refits_that_err(model, X, y) / 40 <= value


def test_refits_keep_what_leaving_one_out_promises_where_examples_repeat():
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(60):
        X, y = rng.integers(-2, 3, (9, 1)).astype(float), rng.choice([-1, 1], 9)
        y[:4] = [1, 1, -1, -1]
        model = SVC(C=10.0 ** rng.integers(-2, 2), kernel="linear").fit(X, y)
        errors = refits_that_err(model, X, y)
        assert errors / 9 <= model.guarantees()[0].value
        missed += errors > len(model.support_)
    assert missed  # counting support vectors alone would not do


def test_what_a_function_or_a_matrix_promises_rests_on_its_being_a_kernel():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1, -1)

    def distance(A, B):
        return np.abs(A[:, None] - B[None]).sum(-1)

    def near(A, B):
        return np.exp(-distance(A, B))

    for kernel, status in ((near, "assumed"), (distance, "violated")):
        K = kernel(X, X)
        models = [(SVC(kernel=kernel).fit(X, y), X), (SVC(kernel="precomputed").fit(K, y), K)]
        for model, rows in models:
            promises = [*model.guarantees(), *model.training_promises(rows, y).guarantees]
            for guarantee in promises:
                told = {a.name: a.status for a in guarantee.assumptions}
                assert told[KERNEL] == status
                assert told.get(LEAST_HINGE, "assumed") != "checked"
                assert (guarantee.promised is None) == (status == "violated")
    for guarantee in SVC().fit(X, y).guarantees():
        assert KERNEL not in {a.name for a in guarantee.assumptions}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_nothing_is_promised_where_kernel_values_overflow():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) * 1e200
    model = SVC(gamma=0.5).fit(X, X[:, 0] > 0)
    sentence = (
        "No theorem can be applied to this fit: kernel values or scores are too large for double precision. "
        "Scale the features."
    )
    with pytest.raises(BadData, match=re.escape(sentence)):
        model.guarantees()


OLD_NAMES = pytest.mark.filterwarnings(
    "ignore::FutureWarning"
)  # scikit-learn's own, of probability


@OLD_NAMES
@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_probabilities_of_a_split(classes, multi_class, tmp_path):
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(400, 2))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=400), np.linspace(-0.8, 0.8, classes - 1))
    terms = {"gamma": 0.5, "random_state": 0}
    model = SVC(probability=True, multi_class=multi_class, **terms).fit(X, y)
    peer = svm.SVC(probability=True, **terms).fit(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (400, classes)
    assert np.allclose(chances.sum(axis=1), 1)
    assert np.allclose(np.exp(model.predict_log_proba(X)), chances)
    if multi_class == "ovo":
        # The fifths are others than LIBSVM's, and so are the curves, a little.
        assert np.abs(chances - peer.predict_proba(X)).mean() < 0.05
        assert log_loss(y, chances) < log_loss(y, peer.predict_proba(X)) + 0.03
        assert np.allclose(model.probA_, peer.probA_, rtol=0.3)
        assert np.allclose(model.probB_, peer.probB_, atol=0.4)
    assert np.array_equal(
        SVC(probability=True, multi_class=multi_class, **terms).fit(X, y).curves_, model.curves_
    )
    # The machine is the one without probabilities, and so is what is promised of it.
    plain = SVC(multi_class=multi_class, **terms).fit(X, y)
    assert np.array_equal(plain.predict(X), model.predict(X))
    assert plain.guarantees() == model.guarantees()
    assert plain.probA_.shape == (0,)
    save(model, tmp_path / "a.assay")
    assert np.array_equal(load(tmp_path / "a.assay").predict_proba(X), chances)


def test_probabilities_must_be_asked_for_before_the_fit():
    model = SVC(probability="deprecated").fit(X, Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(NotFittedError, match="not available when fitted with probability=False"):
        model.set_params(probability=True).predict_proba(X)
    with pytest.raises(BadParameter, match="probability must be True or False, but is 'yes'"):
        SVC(probability="yes").fit(X, Y)


def test_few_rows_of_a_class_have_probabilities_too():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 0, 1]
    chances = SVC(probability=True, random_state=0).fit(X, y).predict_proba(X)
    assert np.isfinite(chances).all()


def test_a_kernel_that_is_none_is_played_and_promised_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * 3
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = SVC(kernel="sigmoid", gamma=0.5, coef0=-1.0).fit(X, y)
    assert model.kernel_ == Sigmoid(0.5, -1.0)
    assert model.defect_[0] == "eigenvalue"
    assert all(g.value is None for g in model.guarantees() if g.theorem.startswith("svm"))
    mild = SVC(kernel="sigmoid", gamma=0.01).fit(X, y)
    assert (
        mild.predict(X) == svm.SVC(kernel="sigmoid", gamma=0.01).fit(X, y).predict(X)
    ).mean() > 0.97


def test_what_a_fit_leaves_is_as_scikit_learn_shapes_it():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
    ours, theirs = (kind(class_weight={0: 2.0}).fit(X, y) for kind in (SVC, svm.SVC))
    assert ours.class_weight_.tolist() == theirs.class_weight_.tolist() == [2.0, 1.0, 1.0]
    assert ours.n_iter_.shape == theirs.n_iter_.shape == (3,)
    assert ours.shape_fit_ == theirs.shape_fit_ == (60, 3)
    assert ours.fit_status_ == theirs.fit_status_ == 0
    assert ours._gamma == pytest.approx(theirs._gamma)
    with pytest.warns(ConvergenceWarning):
        assert SVC(C=100.0, max_iter=1).fit(X, y).fit_status_ == 1
    with pytest.raises(ValueError, match="read-only"):
        SVC(kernel="linear").fit(X, y).coef_[0, 0] = 1.0


def test_rows_of_negative_weight_are_left_out():
    weights = np.where(np.arange(len(Y)) % 3 == 0, -1.0, 1.0)
    model = SVC().fit(X, Y, weights)
    without = SVC(gamma=model.gamma_).fit(X[weights > 0], Y[weights > 0])
    assert np.allclose(model.decision_function(X), without.decision_function(X), atol=1e-9)


def test_a_pair_that_is_tied_counts_as_scikit_learn_counts_it():
    # Every example is far from every other: scores are the intercepts, some of them exactly zero.
    X, y = make_blobs(random_state=42, n_samples=20, n_features=2)
    far = np.random.default_rng(0).normal(size=(50, 2)) + 100
    for ties in (False, True):
        ours, theirs = (kind(gamma=1e6, break_ties=ties).fit(X, y) for kind in (SVC, svm.SVC))
        assert (ours.predict(far) == theirs.predict(far)).all()
        assert np.allclose(ours.decision_function(far), theirs.decision_function(far), atol=1e-6)
    with pytest.raises(BadParameter, match="break_ties must be False when"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(far)
