"""Certificates from rows that were learned: a model that knows them again promises nothing about them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from assay import (
    SVC,
    AdaBoostClassifier,
    BernoulliNB,
    DecisionTreeClassifier,
    GaussianNB,
    KernelPerceptron,
    KNeighborsClassifier,
    LinearSVC,
    LogisticRegression,
    MLPClassifier,
    Perceptron,
    RandomForestClassifier,
    SGDClassifier,
    certify,
    config_context,
    load,
    save,
    verify,
)
from assay.certificates.issue.distinct_rows import NOT_IN_TRAINING
from assay.errors import BadData, BadParameter, CertificateRefused
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def noise(seed, rows=300, width=8):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)), rng.integers(0, 2, rows)


def judged(certificate):
    """What the certificate says about rows that were learned, and the promise."""
    claim = certificate.claims[0]
    [found] = [a for a in claim.assumptions if a.name == NOT_IN_TRAINING]
    return found, claim.promised


OVERFITTING = [
    DecisionTreeClassifier(),
    RandomForestClassifier(n_estimators=20, random_state=0),
    KNeighborsClassifier(1),
    SVC(C=1e6, gamma=1.0),
    KernelPerceptron(gamma=2.0, max_iter=50),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=6), n_estimators=20),
    MLPClassifier((64,), max_iter=300, random_state=0),
]
FORMS = {
    "shuffled": lambda X: X[np.random.default_rng(9).permutation(len(X))[:150]],
    "single": lambda X: X[:150].astype(np.float32),
    "sparse": lambda X: sparse.csr_matrix(X[:150]),
    "list": lambda X: X[:150].tolist(),
    "half fresh": lambda X: np.vstack([X[:150], noise(99)[0][:150]]),
}


@pytest.mark.parametrize("model", OVERFITTING, ids=lambda model: type(model).__name__)
def test_training_rows_certify_nothing(model):
    X, y = noise(0)
    model.fit(X, y)
    assert (model.predict(X) == y).mean() > 0.6  # so that the attack pays
    for name, form in FORMS.items():
        cells = form(X)
        if name == "sparse" and not isinstance(model, KNeighborsClassifier | SVC):
            continue
        count = cells.shape[0] if hasattr(cells, "shape") else len(cells)
        truth = model.predict(cells)[:count]
        for certificate in (model.certificate(cells, truth), certify(model, cells, truth)):
            found, promised = judged(certificate)
            assert (found.status, promised) == ("violated", None)
            assert found.evidence.startswith(
                "all 300 rows that were learned were compared: 150 of "
            )
            with pytest.raises(CertificateRefused):
                assert certificate.error


def test_left_out_on_request():
    X, y = noise(1)
    model = DecisionTreeClassifier().fit(X[:200], y[:200])
    certificate = model.certificate(X[100:], y[100:], overlap="drop")
    found, promised = judged(certificate)
    assert found.status == "checked"
    assert found.evidence == (
        "all 200 rows that were learned were compared: "
        "100 of 200 row digests occur in the training set and were left out"
    )
    assert certificate.claims[0].inputs["rows"] == 100
    assert float(promised) > 0.5
    with pytest.raises(BadData, match="none is left to certify"):
        model.certificate(X[:100], y[:100], overlap="drop")


def test_fresh_rows_are_checked(tmp_path):
    X, y = noise(2)
    model = DecisionTreeClassifier().fit(X[:200], y[:200])
    certificate = model.certificate(X[200:], y[200:])
    found, promised = judged(certificate)
    assert found.status == "checked"
    assert promised is not None
    certificate.save(tmp_path / "fresh.json")
    assert verify(tmp_path / "fresh.json").ok


def test_after_saving_and_loading(tmp_path):
    X, y = noise(3)
    save(DecisionTreeClassifier().fit(X, y), tmp_path / "tree.assay")
    assert judged(load(tmp_path / "tree.assay").certificate(X[::3], y[::3]))[1] is None


def test_a_frame():
    X, y = noise(4)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = DecisionTreeClassifier().fit(frame, y)
    assert judged(model.certificate(frame.sample(100, random_state=0), y[:100]))[1] is None


def test_rows_that_came_one_by_one_or_in_chunks():
    X, y = noise(5, rows=600)
    single, chunks = Perceptron(), SGDClassifier()
    for row, label in zip(X, y.tolist(), strict=True):
        single.learn_one(row, label, classes=[0, 1])
    for start in range(0, 600, 50):
        chunks.partial_fit(X[start : start + 50], y[start : start + 50], classes=[0, 1])
    for model in (single, chunks):
        found, promised = judged(model.certificate(X[::2], model.predict(X[::2])))
        assert (found.status, promised) == ("violated", None)
        assert found.evidence.startswith("a sample of ")
        with pytest.raises(BadParameter, match=r"^overlap must not be 'drop': a sample of "):
            model.certificate(X[::2], y[::2], overlap="drop")
        fresh = model.certificate(*noise(6))
        assert judged(fresh)[0].status == "assumed"  # none of a sample was found
        assert verify(fresh).ok


def test_few_rows_that_a_sample_misses_are_not_called_checked():
    """Of 20,000 rows 4,096 are kept: thirty that were learned are often none of them."""
    X, y = noise(15, rows=20_000, width=2)
    model = KNeighborsClassifier(1).fit(X, y)
    learned = np.flatnonzero(~model.fitted_rows_.seen(X))[:30]
    certificate = model.certificate(X[learned], y[learned])
    found, promised = judged(certificate)
    assert float(promised) < 0.1
    assert (found.status, found.evidence) == (
        "assumed",
        "a sample of 4096 of the 20000 rows that were learned was compared: "
        "0 of 30 row digests occur in the training set",
    )
    assert verify(certificate).ok
    assert judged(model.certificate(X[learned], y[learned], train=X))[0].status == "violated"


@pytest.mark.parametrize("model", [SGDClassifier, MLPClassifier, Perceptron])
def test_warm_starts_remember_all_samples(model):
    (X, y), (more, labels) = noise(7), noise(8)
    warm = model(warm_start=True, max_iter=5).fit(X, y).fit(more, labels)
    for cells in (X[:50], more[:50]):
        assert judged(warm.certificate(cells, warm.predict(cells)))[1] is None


TRAINING = [
    SVC(gamma=0.5),
    LinearSVC(),
    Perceptron(),
    KernelPerceptron(gamma=0.5),
    LogisticRegression(),
    SGDClassifier(),
    AdaBoostClassifier(n_estimators=3),
]


@pytest.mark.parametrize("model", TRAINING, ids=lambda model: type(model).__name__)
def test_training_promises_are_about_the_sample_of_the_fit(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=120) > 0).astype(int)
    model.fit(X, y)
    model.training_promises(X, y)
    swapped = y.copy()
    swapped[[int(np.argmax(y)), int(np.argmin(y))]] = 0, 1
    others = {
        "another": (X + 0.01, y),
        "subset": (X[:60], y[:60]),
        "superset": (np.vstack([X, X[:5] + 1]), np.r_[y, y[:5]]),
        "copies": (np.vstack([X, X]), np.r_[y, y]),
        "labels": (X, swapped),
        "chosen": (np.vstack([X[:-1], X[:1]]), np.r_[y[:-1], y[:1]]),
    }
    for cells, labels in others.values():
        for ask in (model.training_promises, model.training_certificate):
            with pytest.raises((BadParameter, BadData), match="very sample"):
                ask(cells, labels)


def test_rows_never_learned_do_not_join_a_sample_whose_size_divides():
    """Eight copies of 50 rows were learned; 50 more of which the model is right are no part of that sample."""
    X, y = noise(13)
    model = LogisticRegression().fit(np.tile(X[:50], (8, 1)), np.tile(y[:50], 8))
    fresh = noise(14)[0][:50]
    with refuses(
        "X and y must be the very sample that this LogisticRegression was fitted to, but some rows are not among them "
        "as often as they were learned. Give that sample, or rows that it has not seen as a holdout."
    ):
        model.training_promises(np.vstack([X[:50], fresh]), np.r_[y[:50], model.predict(fresh)])


def test_the_refusal_says_what_is_wrong():
    X, y = noise(10)
    model = LogisticRegression().fit(X, y)
    with refuses(
        "X and y must be the very sample that this LogisticRegression was fitted to, but 150 of the 300 rows that were "
        "learned are not among them. Give that sample, or rows that it has not seen as a holdout."
    ):
        model.training_promises(X[:150], y[:150])
    assert model.training_promises(X[::-1], y[::-1]).guarantees


def test_a_holdout_beside_training_promises():
    X, y = noise(11)
    fresh, truth = noise(12)
    model = LogisticRegression().fit(X, y)
    mixed = np.vstack([fresh[:50], X[:1]]), np.r_[truth[:50], y[:1]]
    held = model.training_promises(X, y, holdout=mixed).guarantees[-1]
    assert held.promised is None
    assert held.assumptions[-1].evidence == "1 of 51 row digests occur in the training set"
    held = model.training_promises(X, y, holdout=mixed, overlap="drop").guarantees[-1]
    assert held.inputs["rows"] == 50
    assert held.certified == "this classifier, on rows that are not in its training set"
    doubled = np.vstack([fresh, fresh]), np.r_[truth, truth]
    assert model.training_promises(X, y, holdout=doubled).guarantees[-1].inputs["rows"] == 300
    kept = model.training_promises(X, y, holdout=doubled, overlap="keep").guarantees[-1]
    assert (kept.inputs["rows"], kept.assumptions[-1].status) == (600, "declared")
    assert model.training_promises(X, y, holdout=(fresh, truth)).guarantees[-1].promised
    order = np.random.default_rng(0).permutation(300)[:40]
    with pytest.raises(BadParameter, match=r"^holdout must hold rows that were not fitted to"):
        model.training_promises(X, y, holdout=(X[order].astype(np.float32), y[order]))


def attacked(seed):
    """Whether noise is certified below one half, by a learner and a choice of rows that vary with the seed."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(60, 400))
    X, y = rng.normal(size=(rows, 6)), rng.integers(0, 2, rows)
    model = [
        lambda: DecisionTreeClassifier().fit(X, y),
        lambda: KNeighborsClassifier(1).fit(X, y),
        lambda: GaussianNB().fit(X, y),
        lambda: BernoulliNB().partial_fit(X > 0, y, classes=[0, 1]),
        lambda: Perceptron(warm_start=True).fit(X, y).fit(X[::-1], y[::-1]),
        lambda: DecisionTreeClassifier(max_depth=4).fit(X, y),
    ][seed % 6]()
    cells = (X > 0) if isinstance(model, BernoulliNB) else X
    fresh = rng.normal(size=(rows, 6)) if not isinstance(model, BernoulliNB) else cells[:0]
    order = rng.permutation(rows)
    part = order[: int(rng.integers(20, rows))]
    mixed = np.vstack([cells[part], fresh[: len(part)]])
    labels = np.r_[y[part], rng.integers(0, 2, len(mixed) - len(part))]
    chosen = [(cells[part], y[part]), (mixed, labels), (cells[part].astype(np.float32), y[part])]
    certificate = model.certificate(*chosen[seed // 6 % 3])
    promised = certificate.claims[0].promised
    return promised is not None and float(promised) < 0.5


def test_noise_never_certifies():
    assert_sound(sum(map(attacked, range(60))), 60, 0.05)


def test_without_digests_it_does():
    with config_context(remember_rows=False):
        assert_unsound(sum(map(attacked, range(60))), 60, 0.05)


@pytest.mark.guarantees
def test_noise_never_certifies_on_many_tables():
    assert_sound(sum(map(attacked, range(2000))), 2000, 0.05)
