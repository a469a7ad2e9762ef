"""What training rows promise: golden numbers, promises nobody can break and twins that break, documents, refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import sparse
from scipy.special import ndtr
from sklearn.exceptions import NotFittedError
from typer.testing import CliRunner

from assay import (
    SVC,
    Certificate,
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
    verify,
)
from assay.cli.app import app
from assay.errors import BadData
from assay.kernels import Gaussian, Normalized, Substring
from assay.learners.training_promises import kernel_margins, linear_margins
from assay.theory.generalization.compression import (
    KERNEL_FIXED,
    LEAST_HINGE,
    MISTAKE_DRIVEN,
    SAME_ORDER,
    SETTINGS_FIXED,
    preferent_compression,
)
from assay.theory.generalization.pac_bayes import GAUSSIAN, PRIOR_FIXED, pac_bayes_linear_vote
from assay.theory.tail.binomial import holdout_exact
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound


def sample(n=120, seed=0, classes=2, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    teacher = np.random.default_rng(99).normal(size=(3, classes))
    return X, (X @ teacher + noise * rng.normal(size=(n, classes))).argmax(axis=1)


def by_theorem(found):
    return {guarantee.theorem: guarantee for guarantee in found.guarantees}


def statuses(guarantee):
    return {a.name: a.status for a in guarantee.assumptions}


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
    model = Perceptron(fit_intercept=False, max_iter=1).fit(X, y)
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
        LinearSVC("hinge", tol=1e-6, max_iter=100_000, random_state=0),
        KernelMachine("squared_hinge", gamma=0.5),
        KernelMachine("modified_huber", gamma=0.5),
    ],
    "mistake-compression": [
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
    assert [g.theorem for g in online.guarantees] == ["mistake-compression"]


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
    mistakes = by_theorem(Perceptron().fit(X, y).training_promises(X, y))
    known = statuses(mistakes["mistake-compression"])
    assert (known[SETTINGS_FIXED], known[SAME_ORDER]) == ("declared", "declared")
    assert known[MISTAKE_DRIVEN] == "checked"


# The margins


def test_margins_of_a_kernel_are_those_of_its_features():
    X, y = sample()
    signs = np.where(y == 1, 1.0, -1.0)
    model = SVC(kernel="linear").fit(X, y)
    kernel = model._training_facts(X, y).margins
    linear = linear_margins(X, signs, model.coef_[0], float(model.intercept_[0]), 1.0)
    np.testing.assert_allclose(kernel, linear, atol=1e-7)
    w = np.append(model.coef_[0], model.intercept_)
    Z = np.column_stack([X, np.ones(len(X))])
    exact = signs * (Z @ w) / np.linalg.norm(w) / np.linalg.norm(Z, axis=1)
    np.testing.assert_allclose(linear, exact, atol=1e-8)
    assert (linear <= exact).all()


def test_a_machine_of_nothing_has_no_margin():
    margins = linear_margins(np.ones((3, 2)), np.ones(3), np.zeros(2), 0.0, 1.0)
    np.testing.assert_allclose(margins, 0.0, atol=1e-8)
    assert (kernel_margins(np.ones(2), 0.0, np.zeros(2), np.zeros(0)) <= 0).all()


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
        found = model.fit(X, y).training_promises(X, y, holdout=(X[:9], y[:9]))
        assert all(g.applies for g in found.guarantees)
        assert found.guarantees[0].value < 0.7


# The promises are kept. The population is a table, so that the true error is known exactly.


class Population:
    def __init__(self, noise, rows=300, seed=5, classes=2):
        self.X, self.y = sample(rows, seed, classes, noise)
        self.rng = np.random.default_rng(seed)

    def drawn(self, size):
        while True:
            places = self.rng.integers(len(self.y), size=size)
            if len(np.unique(self.y[places])) == len(np.unique(self.y)):
                return self.X[places], self.y[places]

    def error(self, model):
        return float((model.predict(self.X) != self.y).mean())


WILD = {
    "svc": SVC(C=10.0, gamma=5.0),
    "linear-svc": LinearSVC("hinge", tol=1e-6, max_iter=100_000, random_state=0),
    "kernel-machine": KernelMachine("squared_hinge", gamma=5.0, alpha=0.01),
    "logistic": LogisticRegression(C=100.0),
    "perceptron": Perceptron(max_iter=3),
    "kernel-perceptron": KernelPerceptron(Gaussian(5.0)),
}


def broken(model, draws, noise, size=60, delta=0.05):
    """How often the tightest promise breaks, and how often twins of it that leave something out do."""
    population, count = Population(noise), {"promise": 0, "errors only": 0, "no distance": 0}
    for _ in range(draws):
        X, y = population.drawn(size)
        found = model.fit(X, y).training_promises(X, y, delta=delta)
        truth = population.error(model)
        # Any of them failing is a failure: they are promised together.
        count["promise"] += any(g.value < truth for g in found.guarantees)
        # Only the rows that are wrong count, and not those that were needed to get the others right.
        wrong = int((model.predict(X) != y).sum())
        count["errors only"] += preferent_compression(wrong, size, delta) < truth
        # The length of the weights is free.
        margins = model._training_facts(X, y).margins
        drawn = float(ndtr(-200.0 * margins).mean())
        count["no distance"] += pac_bayes_linear_vote(drawn, 0, size, delta) < truth
    return count


@pytest.mark.parametrize("name", WILD)
def test_no_promise_is_broken(name):
    assert_sound(broken(WILD[name], 12, noise=0.3)["promise"], 12, 0.05)


@pytest.mark.guarantees
@pytest.mark.parametrize("name", WILD)
def test_no_promise_is_broken_in_many_draws(name):
    for noise in (0.3, 3.0):
        assert_sound(broken(WILD[name], 300, noise)["promise"], 300, 0.05)


@pytest.mark.parametrize("name", ["svc", "kernel-machine", "kernel-perceptron"])
def test_twins_that_count_too_little_are_caught(name):
    count = broken(WILD[name], 12, noise=10.0)
    assert_sound(count["promise"], 12, 0.05)
    assert_unsound(count["errors only"], 12, 0.05)
    assert_unsound(count["no distance"], 12, 0.05)


SEVERAL = {
    "ovo": SVC(C=10.0, gamma=5.0),
    "ovr": SVC(C=10.0, gamma=0.1, multi_class="ovr"),
    "linear": LinearSVC(C=10.0, tol=1e-6, max_iter=100_000, random_state=0),
    "perceptron": Perceptron(max_iter=3),
    "kernel-perceptron": KernelPerceptron(Gaussian(5.0)),
}


def broken_of_several(model, draws, noise, size=60, delta=0.05):
    """The same with three classes, for which there is one promise: it breaks, and a twin of it does."""
    population, count = Population(noise, classes=3), [0, 0]
    for _ in range(draws):
        X, y = population.drawn(size)
        found = model.fit(X, y).training_promises(X, y, delta=delta).guarantees[0]
        truth, wrong = population.error(model), int((model.predict(X) != y).sum())
        count[0] += found.value < truth
        count[1] += preferent_compression(wrong, size, delta) < truth
    return count


@pytest.mark.parametrize("name", SEVERAL)
def test_no_promise_about_several_classes_is_broken(name):
    assert_sound(broken_of_several(SEVERAL[name], 8, noise=0.3)[0], 8, 0.05)


@pytest.mark.guarantees
@pytest.mark.parametrize("name", SEVERAL)
def test_no_promise_about_several_classes_is_broken_in_many_draws(name):
    assert_sound(broken_of_several(SEVERAL[name], 300, noise=0.3)[0], 300, 0.05)


@pytest.mark.parametrize("name", ["ovo", "kernel-perceptron"])
def test_a_twin_about_several_classes_is_caught(name):
    sound, unsound = broken_of_several(SEVERAL[name], 8, noise=10.0)
    assert_sound(sound, 8, 0.05)
    assert_unsound(unsound, 8, 0.05)


def told_by(X, y):
    """A kernel that knows the labels of some rows, and takes all others for positive."""
    signs = dict(zip(map(tuple, X), np.where(y == 1, 1.0, -1.0), strict=True))

    def seen(rows):
        return np.array([signs.get(tuple(row), 1.0) for row in rows])

    return lambda A, B: np.outer(seen(A), seen(B))


def test_a_kernel_read_from_the_rows_would_break_the_promise():
    """It has wide margins on them and knows nothing: why the settings must come first."""
    violations, fresh = 0, sample(1000, 77, noise=1.0)
    for seed in range(8):
        X, y = sample(300, seed, noise=1.0)
        model = SVC(kernel=told_by(X, y), C=1.0).fit(X, y)
        promised = model.training_promises(X, y).tightest.value
        violations += promised < float((model.predict(fresh[0]) != fresh[1]).mean())
    assert_unsound(violations, 8, 0.05)


# Documents


def test_a_certificate_verifies_and_a_changed_one_does_not(tmp_path):
    X, y = sample()
    for model in (SVC(gamma=0.5), Perceptron(), LogisticRegression()):
        certificate = model.fit(X, y).training_certificate(X, y, drawn="all of them")
        path = tmp_path / "training.cert.json"
        certificate.save(path)
        done = CliRunner().invoke(app, ["verify", str(path)])
        assert done.exit_code == 0, done.output
        assert "120 training rows" in done.output
        again = Certificate.load(path)
        tightest = model.training_promises(X, y).tightest
        assert again.error == (1.0 if tightest is None else tightest.value)
        assert again.document["data"]["drawn"] == "all of them"
        assert verify(path, y_true=y, y_pred=model.predict(X)).ok
        assert not verify(path, y_true=1 - y, y_pred=y).ok
        text = path.read_text()
        path.write_text(
            text.replace('"rows": 120', '"rows": 9999').replace('"rows":120', '"rows":9999')
        )
        assert path.read_text() != text
        assert not verify(path).ok


def test_where_nothing_holds_the_certificate_says_so():
    X, y = sample()
    certificate = SVC().fit(X, y).training_certificate(X, y)
    assert verify(certificate).ok
    assert all(claim.promised is None for claim in certificate.claims)


# Where a theorem does not apply


def violated(found):
    return {
        g.theorem: next(a.evidence for a in g.assumptions if a.status == "violated")
        for g in found.guarantees
        if not g.applies
    }


def test_a_kernel_scaled_by_the_rows_promises_nothing():
    X, y = sample()
    why = "gamma='scale' was computed from these rows: give numbers that were not"
    found = SVC().fit(X, y).training_promises(X, y)
    assert violated(found) == dict.fromkeys(
        ["svm-support-compression", "pac-bayes-linear-vote"], why
    )
    assert found.tightest is None
    assert str(found).splitlines()[0] == (
        f"error: no promise by svm-support-compression, because it is not true that {KERNEL_FIXED}; {why}"
    )
    found = KernelPerceptron(gamma="scale").fit(X, y).training_promises(X, y)
    assert violated(found) == dict.fromkeys(["mistake-compression", "pac-bayes-linear-vote"], why)
    assert not violated(SVC(gamma="auto").fit(X, y).training_promises(X, y))
    assert not violated(SVC(kernel="linear").fit(X, y).training_promises(X, y))


def test_weights_by_the_frequency_of_classes_do_not_come_first():
    X, y = sample()
    for model in (
        SVC(gamma=0.5, class_weight="balanced"),
        LinearSVC(class_weight="balanced", tol=1e-6, max_iter=100_000, random_state=0),
    ):
        why = violated(model.fit(X, y).training_promises(X, y))
        assert set(why) == {"svm-support-compression"}
        assert why["svm-support-compression"].startswith("class_weight='balanced' was computed")
    fixed = SVC(gamma=0.5, class_weight={0: 1.0, 1: 2.0}).fit(X, y)
    assert not violated(fixed.training_promises(X, y))


@pytest.mark.parametrize(
    "fit",
    [
        lambda X, y: SVC(C=100.0, gamma=0.5, max_iter=3).fit(X, y),
        lambda X, y: SVC(C=100.0, gamma=0.5).fit(X, y, sample_weight=np.where(y, 1.0, 0.001)),
        lambda X, y: LinearSVC("hinge", C=100.0, max_iter=1, random_state=0).fit(X, y),
        lambda X, y: KernelMachine("squared_hinge", gamma=0.5, alpha=0.01, max_iter=1).fit(X, y),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_machine_that_is_not_the_least_is_promised_nothing_by_its_support(fit):
    X, y = sample()
    why = violated(fit(X, y).training_promises(X, y))
    assert set(why) == {"svm-support-compression"}
    assert re.fullmatch(
        r"the classifier's scores may be [\d.e+]+ from the minimiser's, and less than 1 is needed: fit to a "
        "smaller tol, with more steps, and without sample_weight",
        why["svm-support-compression"],
    )


def test_rows_in_another_order_are_noticed():
    X, y = sample()
    model = Perceptron(max_iter=2).fit(X, y)
    why = violated(model.training_promises(X[::-1], y[::-1]))
    assert set(why) == {"mistake-compression"}
    assert why["mistake-compression"].startswith(
        "played again in this order, these rows give another learner"
    )


# Refusals


def test_another_sample_is_refused():
    X, y = sample()
    sentence = "^training_promises needs the very sample that fit was given; this is another\\.$"
    for model in (SVC(gamma=0.5), KernelMachine(gamma=0.5)):
        model.fit(X, y)
        with pytest.raises(BadData, match=sentence):
            model.training_promises(X + 1, y)
    with pytest.raises(BadData, match=sentence):
        SVC(gamma=0.5).fit(X, y).training_promises(X, y + 1)


def test_several_classes_without_a_theorem_are_refused_unless_there_is_a_holdout():
    X, y = sample(classes=3)
    model = LogisticRegression().fit(X, y)
    with refuses(
        "No theorem here promises anything about a LogisticRegression of 3 classes from its training rows. "
        "Give a holdout."
    ):
        model.training_promises(X, y)
    fresh = sample(seed=1, classes=3)
    found = model.training_promises(X, y, holdout=fresh)
    assert [g.theorem for g in found.guarantees] == ["holdout-exact"]
    assert found.guarantees[0].delta == "0.025"  # the classes of a sample say nothing of the shares


def test_bad_holdouts_and_deltas_are_refused():
    X, y = sample()
    model = Perceptron().fit(X, y)
    with refuses("holdout must be the pair (X, y) of rows that were not fitted to."):
        model.training_promises(X, y, holdout=X)
    with refuses("holdout must hold one label for each row, but has 3 for 120 rows."):
        model.training_promises(X, y, holdout=(X, y[:3]))
    with refuses("delta must be a number strictly between 0 and 1, but is 1.5."):
        model.training_promises(X, y, delta=1.5)
    with pytest.raises(NotFittedError):
        SVC().training_promises(X, y)


def test_asking_changes_nothing():
    X, y = sample()
    for model in (
        SVC(gamma=0.5),
        LinearSVC(random_state=0),
        Perceptron(),
        KernelPerceptron(Gaussian(1.0)),
    ):
        model.fit(X, y)
        before, names = model.decision_function(X), set(vars(model))
        model.training_promises(X, y)
        assert set(vars(model)) == names
        np.testing.assert_array_equal(model.decision_function(X), before)


def test_a_machine_whose_parameters_changed_is_not_spoken_of():
    X, y = sample()
    model = SVC(C=0.01, gamma=1e9).fit(X, y).set_params(gamma=0.5)
    sentence = (
        "training_promises needs the parameters that fit was given: the machine was fitted with "
        "Gaussian(gamma=1000000000.0), and its parameters now say Gaussian(gamma=0.5). Set them back, or fit again."
    )
    with pytest.raises(BadData, match=re.escape(sentence)):
        model.training_promises(X, y)
    model = KernelPerceptron(kernel="rbf", gamma=1e9).fit(X, y).set_params(gamma=1e8)
    found = by_theorem(model.training_promises(X, y))["mistake-compression"]
    assert statuses(found)[MISTAKE_DRIVEN] == "violated"


def test_numbers_that_were_read_from_the_rows_stay_so_when_they_are_set():
    X, y = sample()
    for model in (SVC(), KernelMachine(loss="squared_hinge", gamma="scale")):
        model.fit(X, y).set_params(gamma=model.kernel_.gamma)
        assert all(g.promised is None for g in model.training_promises(X, y).guarantees)
    even = {c: len(y) / (2 * (y == c).sum()) for c in (0, 1)}
    model = SVC(gamma=0.3, class_weight=even).fit(X, y)
    found = by_theorem(model.training_promises(X, y))["svm-support-compression"]
    assert statuses(found)[KERNEL_FIXED] == "violated"


def test_shares_do_not_depend_on_the_classes_of_the_sample():
    for model in (SVC(gamma=0.5), LinearSVC(random_state=0), Perceptron()):
        for classes in (2, 3):
            X, y = sample(classes=classes)
            found = model.fit(X, y).training_promises(X, y)
            assert {g.delta for g in found.guarantees} == {"0.025"}


def test_the_training_rows_are_no_holdout():
    X, y = sample()
    for rows in (X, sparse.csr_array(X)):
        model = LinearSVC(random_state=0).fit(rows, y)
        with refuses(
            "holdout must hold rows that were not fitted to, but holds the training rows themselves. Give rows that "
            "were kept apart, or none."
        ):
            model.training_promises(rows, y, holdout=(rows.copy(), y))
