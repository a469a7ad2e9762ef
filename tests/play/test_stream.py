"""A learner on a stream: counts, refusals that lose nothing, and certificates at any moment."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import ClassifierMixin

from assay import Perceptron, SGDClassifier, SGDRegressor, verify
from assay.certificates.issue.stream import KNOWN_BEFORE
from assay.data.examples import Examples
from assay.errors import BadData, BadParameter
from assay.evidence.digest import digest_labels
from assay.files import read_table
from assay.learners.registry import find_learner, learner_names
from assay.play import stream as module
from assay.play.stream import Stream
from assay.play.turns import Player
from assay.theory.tail.progressive_anytime import progressive_anytime
from tests.learners.model_files import fresh

RNG = np.random.default_rng(2)
X = RNG.integers(0, 2, (600, 5)).astype(float)
NOISE = RNG.random(600) < 0.1
TWO = np.where((X[:, 0] + X[:, 2] > 0) ^ NOISE, "spam", "ham").astype(object)
THREE = (X[:, 0] + X[:, 1]).astype(int)


def chunks(X, y, size):
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        yield Examples(X[part], y[part], list("abcde"), "kind", None, start + 1)


def learn_all(stream, X, y, size=64):
    for examples in chunks(X, y, size):
        stream.learn(examples)
    stream.close()


def streamed(learner, X, y, size=64, **terms):
    stream = Stream(learner, source="mails.csv", **terms)
    learn_all(stream, X, y, size)
    return stream


def mistakes_one_by_one(learner, X, y):
    """What the counts must be: ask, compare, tell."""
    made, classes = 0, np.unique(y)
    for x, label in zip(X, y, strict=True):
        said = learner.predict_one(x)
        if said is None:
            said = Player(learner, classes).ask(x)
        made += said != label
        learner.learn_one(x, label, classes=classes)
    return made


CLASSIFIERS = [
    name
    for name in learner_names()
    if issubclass(find_learner(name), ClassifierMixin)
    and hasattr(find_learner(name), "partial_fit")
]


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_errors_are_those_of_predicting_first(name, y):
    few, y, labels = X[:200], y[:200], np.unique(y).astype(str)
    expected = mistakes_one_by_one(fresh(name), few, y)
    for size in (1, 64, 200):
        stream = streamed(fresh(name), few, y, size, labels=labels)
        assert (stream.rows, stream.errors) == (200, expected), size


def test_standing_and_certificate():
    stream = streamed(Perceptron(), X, TWO, delta="0.01")
    now = stream.standing()
    assert (now.rows, now.errors) == (600, stream.learner.record_.mistakes)
    assert now.error == now.errors / 600
    assert now.promised == progressive_anytime(now.errors, 600, "0.01")
    made = stream.certificate(model="sha256:" + "1" * 64)
    assert verify(made).ok, verify(made).reason
    assert made.error == now.promised
    assert made.document["data"]["sha256"] == digest_labels(TWO).removeprefix("sha256:")
    assert made.document["subject"]["model"] == {"sha256": "1" * 64}
    assert made.document["data"]["drawn"] == "all rows of mails.csv, in their order"
    assert made.claims[1].observed == now.errors


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_learner_gets_a_certificate_that_verifies(name):
    for y in (TWO, THREE):
        made = streamed(fresh(name), X, y).certificate()
        assert verify(made).ok, verify(made).reason


def test_sparse_rows():
    dense, compressed = (streamed(Perceptron(), m, THREE) for m in (X, sparse.csr_matrix(X)))
    assert dense.errors == compressed.errors
    assert dense.learner.coef_.tolist() == compressed.learner.coef_.tolist()


def test_going_on_with_a_learner_counts_from_here_and_bounds_the_whole_run():
    learner = Perceptron().partial_fit(X[:400], TWO[:400], classes=["ham", "spam"])
    before = learner.record_.mistakes
    stream = streamed(learner, X[400:], TWO[400:])
    assert stream.rows == 200
    assert stream.rows_before == 400
    assert stream.errors == learner.record_.mistakes - before
    made = stream.certificate()
    assert made.document["data"]["rows_before"] == 400
    assert made.claims[1].observed == learner.record_.mistakes
    assert verify(made).ok


# Labels.


def known(stream):
    [found] = [a for a in stream.certificate().claims[0].assumptions if a.name == KNOWN_BEFORE]
    return found.status, found.evidence


def test_labels_of_the_first_rows_or_declared():
    assert known(streamed(Perceptron(), X, TWO)) == (
        "assumed",
        "labels taken from the first 64 rows",
    )
    assert known(streamed(Perceptron(), X, TWO, labels=["spam", "ham"])) == ("declared", "")
    fitted = Perceptron().partial_fit(X, TWO, classes=["ham", "spam"])
    assert known(streamed(fitted, X, TWO)) == ("declared", "")


def test_categories_of_the_first_rows(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text("kind,size,sender\n" + "ham,1,bob\nspam,2,eve\n" * 50)
    for columns, taken in ((["size"], ""), (["sender"], "categories taken from the first rows")):
        stream = Stream(Perceptron(), labels=["ham", "spam"])
        for examples in read_table(path, target="kind", columns=columns, chunk_rows=30):
            stream.learn(examples)
        assert known(stream) == ("assumed" if taken else "declared", taken)


def test_rows_are_held_until_a_second_label_is_seen():
    y = np.array(["ham"] * 200 + ["spam"] * 400, dtype=object)
    stream = Stream(Perceptron())
    for examples in chunks(X, y, 64):
        stream.learn(examples)
        assert stream.rows in (0, examples.first_row - 1 + len(examples))
    assert stream.rows == 600
    assert known(stream) == ("assumed", "labels taken from the first 256 rows")
    assert stream.errors == mistakes_one_by_one(Perceptron(), X, y)


def test_a_single_label_is_refused(monkeypatch):
    y = np.array(["ham"] * 600, dtype=object)
    sentence = (
        "mails.csv holds only the label 'ham' in its first {} rows, and a classifier needs two. "
        "Declare all labels."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence.format(600))}$"):
        streamed(Perceptron(), X, y)
    monkeypatch.setattr(module, "MOST_HELD", 100)
    with pytest.raises(BadData, match=f"^{re.escape(sentence.format(128))}$"):
        streamed(Perceptron(), X, y)


@pytest.mark.parametrize(
    ("y", "labels", "classes"),
    [
        (THREE % 2, ["0", "1"], [0, 1]),
        (THREE % 2 == 1, ["true", "False"], [False, True]),
        (THREE % 2 + 0.0, ["1", "0.0"], [0.0, 1.0]),
        (TWO, ["spam", "ham"], ["ham", "spam"]),
    ],
)
def test_declared_labels_take_the_type_of_the_stream(y, labels, classes):
    stream = streamed(Perceptron(), X, y, labels=labels)
    assert stream.learner.classes_.tolist() == classes
    assert stream.rows == 600


def test_declared_labels_of_another_kind_are_refused():
    sentence = (
        "labels must be values of the kind that the stream has, such as 0, but are 'spam', 'ham'."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        streamed(Perceptron(), X, THREE * 0, labels=["spam", "ham"])


def test_measured_quantities_are_no_labels():
    with pytest.raises(BadData, match="a measured quantity"):
        streamed(Perceptron(), X, RNG.random(600))
    with pytest.raises(BadParameter, match="must predict classes, but SGDRegressor predicts"):
        Stream(SGDRegressor())
    with pytest.raises(BadParameter, match=r"^Name the column to predict\.$"):
        Stream(Perceptron()).learn(Examples(X, None, list("abcde")))


# What cannot be learned ends the stream; everything before it stays.


@pytest.mark.parametrize("y", [TWO, THREE.astype(str).astype(object)], ids=["two", "three"])
def test_an_unknown_label_loses_nothing_before_it(y):
    odd = y.copy()
    odd[333] = "eggs"
    stream = Stream(Perceptron(), source="mails.csv")
    sentence = r"^mails\.csv holds the label 'eggs' in column 'kind', row 334,"
    with pytest.raises(BadData, match=sentence):
        learn_all(stream, X, odd)
    assert stream.rows == 333
    assert stream.errors == mistakes_one_by_one(Perceptron(), X[:333], y[:333])
    made = stream.certificate()
    assert verify(made).ok
    assert made.document["data"]["sha256"] == digest_labels(y[:333]).removeprefix("sha256:")


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_a_row_that_cannot_be_scored_loses_nothing_before_it(y):
    odd = X.copy()
    odd[333, 2] = np.nan
    stream = Stream(Perceptron(), source="mails.csv")
    with pytest.raises(BadData, match=r"^mails\.csv: .*row 334, column 'c'"):
        learn_all(stream, odd, y)
    assert stream.rows == 333
    assert stream.errors == mistakes_one_by_one(Perceptron(), X[:333], y[:333])
    assert verify(stream.certificate()).ok


def test_rows_that_a_learner_leaves_out_count_as_errors():
    stream = streamed(SGDClassifier(class_weight={"ham": 0.0, "spam": 1.0}), X, TWO)
    left_out = int((TWO == "ham").sum())
    assert stream.rows == 600
    assert stream.errors >= left_out


def test_before_anything_is_learned():
    now = Stream(Perceptron()).standing()
    assert (now.rows, now.errors, now.promised) == (0, 0, 1.0)
    assert Stream(Perceptron()).guarantees() == []


def test_a_certificate_on_the_way_changes_none_that_follows():
    X, y = np.eye(3), np.array(["a", "b", "a"])
    stream = Stream(Perceptron(), labels=["a", "b"])
    for _ in range(2):
        stream.learn(Examples(X, y, ["p", "q", "r"], "kind"))
        made = stream.certificate()
    assert made.document["data"]["target"] == "kind"
    assert verify(made, y_true=[*y, *y]).ok
