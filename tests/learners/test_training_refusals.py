"""Certificates about training rows, theorems that do not apply to them, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from typer.testing import CliRunner

from assay import (
    SVC,
    Certificate,
    KernelMachine,
    KernelPerceptron,
    LinearSVC,
    LogisticRegression,
    Perceptron,
    verify,
)
from assay.cli.app import app
from assay.errors import BadData
from assay.kernels import Gaussian
from assay.theory.generalization.compression import KERNEL_FIXED, MISTAKE_DRIVEN
from tests.learners.training_sample import by_theorem, sample, statuses
from tests.refusals import refuses

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
    assert verify(certificate).verdict == "promises nothing"
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
    found = KernelPerceptron(gamma="scale", shuffle=False).fit(X, y).training_promises(X, y)
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
        lambda X, y: LinearSVC(loss="hinge", C=100.0, max_iter=1, random_state=0).fit(X, y),
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
    for shuffle, theorem in (
        (False, "mistake-compression"),
        (True, "shuffled-mistake-compression"),
    ):
        model = Perceptron(max_iter=2, shuffle=shuffle).fit(X, y)
        why = violated(model.training_promises(X[::-1], y[::-1]))
        assert set(why) == {theorem}
        assert why[theorem].startswith(
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
    model = KernelPerceptron(kernel="rbf", gamma=1e9, shuffle=False).fit(X, y).set_params(gamma=1e8)
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
