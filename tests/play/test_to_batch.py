"""What comes out of a conversion is an ordinary classifier."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import OnlineGradientDescent, Perceptron, conservative, to_batch
from assay.certificates.format.quantity import AS_PLAYED, ON_ITS_ROW
from assay.errors import BadData, BadParameter
from assay.play.to_batch import BatchClassifier
from tests.naive.players import Majority
from tests.scikit_checks import assert_checks_pass_but_those_named

HOW = ["random-stopping", "large-gap", "large-gap-average", "blocks", "average", "longest-survivor"]
EXTRA = {
    "blocks": {"mistakes": 30},
    "random-stopping": {"random_state": 0},
    "large-gap-average": {"accuracy": 0.2},
}
LEARNERS = [Perceptron(), OnlineGradientDescent(), conservative(Perceptron()), BernoulliNB()]


def halfspace(rows=300, seed=0):
    X = np.random.default_rng(seed).normal(size=(rows, 4))
    X[:, 0] += 0.5 * np.sign(X[:, 0])
    return X, np.where(X[:, 0] > 0, "yes", "no")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_an_ordinary_classifier(how, learner):
    X, y = halfspace()
    model = to_batch(learner, X, y, how, **EXTRA.get(how, {}))
    assert model.classes_.tolist() == ["no", "yes"]
    said = model.predict(X)
    assert said.shape == (300,)
    assert set(said) <= {"no", "yes"}
    assert model.score(X, y) > 0.5
    assert not hasattr(learner, "classes_")
    assert all(g.applies for g in model.guarantees())
    assert 0 < model.certificate(X, y).error <= 1
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == copy.deepcopy(model).predict(X).tolist() == said.tolist()


@pytest.mark.parametrize("how", HOW)
def test_the_same_sample_gives_the_same_model(how):
    X, y = halfspace()
    one, other = (to_batch(Perceptron(), X, y, how, **EXTRA.get(how, {})) for _ in range(2))
    assert one.predict(X).tolist() == other.predict(X).tolist()
    assert one.guarantees() == other.guarantees()
    assert one.rows_used_ == other.rows_used_
    assert clone(one).fit(X, y).guarantees() == one.guarantees()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("make", [sparse.csr_matrix, pd.DataFrame], ids=["csr", "frame"])
def test_tables_of_other_kinds(how, make):
    X, y = halfspace()
    table = make(X) if make is not pd.DataFrame else make(X, columns=list("abcd"))
    expected = to_batch(Perceptron(), X, y, how, **EXTRA.get(how, {}))
    model = to_batch(Perceptron(), table, y, how, **EXTRA.get(how, {}))
    assert model.predict(table).tolist() == expected.predict(X).tolist()
    assert model.guarantees() == expected.guarantees()


@pytest.mark.parametrize("how", HOW)
def test_dicts_and_learners_of_rivers_kind(how):
    rows = [{"x": float(i % 5)} for i in range(60)]
    y = [i % 5 > 1 for i in range(60)]
    for learner in (Majority(), Perceptron()):
        model = to_batch(learner, rows, y, how, **EXTRA.get(how, {}))
        assert model.predict(rows).shape == (60,)
    if "average" in how:
        assert model.predict_proba(rows).sum(axis=1) == pytest.approx(np.ones(60))


def test_several_classes():
    X = np.random.default_rng(1).normal(size=(400, 3))
    y = np.argmax(X, axis=1)
    for how in ("longest-survivor", "average", "large-gap"):
        model = to_batch(Perceptron(), X, y, how)
        assert model.score(X, y) > 0.7
    proba = to_batch(Perceptron(), X, y, "average").predict_proba(X)
    assert proba.shape == (400, 3)
    assert proba.sum(axis=1) == pytest.approx(np.ones(400))


def test_a_class_that_the_sample_lacks():
    X, _ = halfspace(20)
    model = to_batch(Perceptron(), X, np.zeros(20, dtype=int), "average", classes=[0, 1])
    assert model.predict_proba(X).shape == (20, 2)


def test_probabilities_only_where_hypotheses_vote():
    X, y = halfspace()
    model = to_batch(Perceptron(), X, y, "average")
    proba = model.predict_proba(X)
    assert model.predict(X).tolist() == model.classes_[proba.argmax(axis=1)].tolist()
    for how in ("longest-survivor", "large-gap"):
        assert not hasattr(to_batch(Perceptron(), X, y, how), "predict_proba")


def test_in_a_pipeline_and_in_cross_validation():
    X, y = halfspace()
    model = make_pipeline(StandardScaler(), BatchClassifier(Perceptron()))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
    assert model.set_params(batchclassifier__how="average").fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    "how",
    [
        "longest-survivor",
        "average",
        "random-stopping",
        # One hypothesis is kept, as by longest-survivor.
        pytest.param("large-gap", marks=pytest.mark.guarantees),
    ],
)
def test_estimator_checks(how):
    assert_checks_pass_but_those_named(BatchClassifier(Perceptron(), how, random_state=0))


def refuses(sentence, kind=BadParameter):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def test_refusals():
    X, y = halfspace(20)
    known = "random-stopping, large-gap, large-gap-average, blocks, average, longest-survivor"
    with refuses(f"how must be one of {known}, but is 'best'."):
        to_batch(Perceptron(), X, y, "best")
    with refuses("delta must be a number strictly between 0 and 1, but is 0."):
        to_batch(Perceptron(), X, y, delta=0)
    with refuses("accuracy must be a number strictly between 0 and 1, but is 2."):
        to_batch(Perceptron(), X, y, "large-gap", accuracy=2)
    with refuses("mistakes must be a whole number of at least 0, but is -1."):
        to_batch(Perceptron(), X, y, mistakes=-1)
    with refuses(
        "accuracy must be declared for 'large-gap-average': hypotheses are kept until it is reached."
    ):
        to_batch(Perceptron(), X, y, "large-gap-average")
    with refuses("mistakes must be declared for 'blocks': the learner's mistake bound."):
        to_batch(Perceptron(), X, y, "blocks")
    with refuses("mistakes must be a whole number of at least 1, but is 0."):
        to_batch(Perceptron(), X, y, "blocks", mistakes=0)
    with refuses("X must have at least 21 rows for 21 blocks, but has 20.", BadData):
        to_batch(Perceptron(), X, y, "blocks", mistakes=21)
    with refuses("X must have at least 530 rows for 10 blocks, but has 20.", BadData):
        to_batch(Perceptron(), X, y, "blocks", mistakes=10, accuracy=0.1)
    with refuses("checkpoints must be a whole number of at least 2, but is 1."):
        to_batch(Perceptron(), X, y, "average", checkpoints=1)
    with refuses("X must have at least 2 rows for 'average', but has 1.", BadData):
        to_batch(Perceptron(), X[:1], y[:1], "average", classes=["no", "yes"])
    with refuses("to_batch needs at least two classes, but y holds 1 class: 1.", BadData):
        to_batch(Perceptron(), X, np.ones(20, dtype=int))
    with pytest.raises(BadData, match="'no'"):
        to_batch(Perceptron(), X, y, classes=["yes", "maybe"])


# The order of the rows


def turning(angle, rows=1500):
    """Rows whose boundary turns by so much from the first to the last."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2))
    turned = angle * np.arange(rows) / rows
    return X, np.cos(turned) * X[:, 0] + np.sin(turned) * X[:, 1] > 0


@pytest.mark.parametrize("how", HOW)
def test_rows_whose_order_tells_something_promise_nothing_about_new_ones(how):
    X, y = turning(2.0)
    terms = {"blocks": {"mistakes": 1400}, "large-gap-average": {"accuracy": 0.2}}.get(how, {})
    about_rows = ("large-gap-sample-size",)
    for given, status in (({}, "violated"), ({"order": "none"}, "declared")):
        model = to_batch(Perceptron(), X, y, how, random_state=0, **terms, **given)
        promises = [g for g in model.guarantees() if g.theorem not in about_rows]
        for promise in promises:
            drawn = [a for a in promise.assumptions if a.id.startswith("independent-draws")]
            if promise.of == AS_PLAYED and how == "longest-survivor" and not given:
                # Of each next row it holds all the same.
                assert [a.status for a in drawn] == ["not asked"]
                assert promise.certified == ON_ITS_ROW
                assert promise.value < 0.3
                continue
            assert [a.status for a in drawn] == [status]
            assert (promise.promised is None) == (status == "violated")


def test_rows_in_no_order_are_said_to_have_been_looked_at():
    suffix, progressive = to_batch(Perceptron(), *turning(0.0)).guarantees()
    for promise in (suffix, progressive):
        [drawn] = [a for a in promise.assumptions if a.id.startswith("independent-draws")]
        assert drawn.status == "assumed"
        assert drawn.evidence.startswith(
            "a check at α = 0.01 of the order of 1,500 rows found nothing"
        )
    with refuses("order must be 'none', or left out, but is 'any'."):
        to_batch(Perceptron(), *turning(0.0), order="any")
