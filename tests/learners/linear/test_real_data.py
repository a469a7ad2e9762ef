"""Votes and messages: linear online learners on data as people have them.

Elec2 and Spambase are with the learners they are a benchmark for. The messages are invented for this test;
hashed to a million columns they are as sparse as any.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer

from assay import (
    MarginPerceptron,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    Winnow,
    read_table,
)

DATA = Path(__file__).parents[3] / "examples" / "data"

LEARNERS = [
    Perceptron(),
    MarginPerceptron(margin=0.05),
    OnlineGradientDescent(max_norm=5.0),
    SGDClassifier(eta0=0.1, random_state=0),
]


def progressive(model, X, y, chunk=50):
    """The share of wrong predictions, each made before its row is learned; chunk by chunk."""
    for start in range(0, X.shape[0], chunk):
        part = slice(start, start + chunk)
        model.partial_fit(X[part], y[part], classes=np.unique(y))
    return model.record_.mistakes / X.shape[0]


# Votes


def votes(seed=0):
    """The votes of 435 members in a random order: yes is 1, no is -1, and no vote is 0."""
    frame = pd.read_parquet(DATA / "house_votes_84.parquet")
    frame = frame.sample(frac=1.0, random_state=seed)
    X = frame.drop(columns="target").astype("float")
    return (2 * X - 1).fillna(0.0).to_numpy(), frame["target"].to_numpy().astype(str)


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_house_votes_tell_the_party(model, form):
    X, y = votes()
    model = type(model)(**model.get_params())
    assert progressive(model, form(X), y) < 0.11
    assert all(g.holds is not False for g in model.guarantees())
    fitted = type(model)(**model.get_params()).fit(form(X[:300]), y[:300])
    assert fitted.score(form(X[300:]), y[300:]) > 0.9


def test_house_votes_no_separator_but_a_bound_all_the_same():
    X, y = votes()
    [hinge] = Perceptron().partial_fit(X, y, classes=np.unique(y)).guarantees()
    assert hinge.theorem == "perceptron-hinge-mistakes"
    assert hinge.holds
    assert float(hinge.promised) < 3 * float(hinge.observed)


def test_house_votes_as_literals_for_winnow():
    # Every vote becomes two truth values, yes and no; whoever did not vote has neither.
    table = read_table(
        DATA / "house_votes_84.parquet", target="target", encoder="literals", missing="zero"
    )
    assert table.X.shape == (435, 32)
    order = np.random.default_rng(0).permutation(len(table.y))
    X, y = table.X[order], table.y[order]
    model = Winnow()
    assert progressive(model, X, y) < 0.1
    # No disjunction of votes is right throughout, and the learner says so.
    [seen] = model.guarantees()
    assert (seen.promised, seen.assumptions[0].status) == (None, "violated")


# Messages

GREETINGS = ["hi", "hello", "hey there", "good morning", "good evening", "dear all"]
ERRANDS = [
    "can you bring the blue umbrella when you come over",
    "the meeting moved to three, same room as last week",
    "I left my keys on the kitchen table, please check",
    "dinner at ours on Friday, the children are looking forward to it",
    "the train is late again, start without me",
    "thanks for the book, I finished it in two evenings",
]
OFFERS = [
    "you have WON a weekend cruise, claim your prize now",
    "FREE ringtones, reply YES to 80080 before midnight",
    "your account qualifies for a cash bonus of 500, call now",
    "last chance: cheap loans approved today, no questions asked",
    "exclusive offer, buy one watch and get two free, order now",
    "urgent! unclaimed reward waiting, text WIN to collect your prize",
]


def messages():
    """Sixty short messages, invented; every fifth of them an offer nobody asked for."""
    rng = np.random.default_rng(3)
    texts, labels = [], []
    for place in range(60):
        offer = place % 5 == 4
        first, second = rng.permutation(OFFERS if offer else ERRANDS)[:2]
        texts.append(f"{rng.choice(GREETINGS)}, {first}. {second}")
        labels.append("spam" if offer else "ham")
    return texts, np.array(labels)


def hashed(texts, dtype=np.float64):
    words = HashingVectorizer(n_features=2**20, alternate_sign=False, norm="l2", dtype=dtype)
    return words.transform(texts)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_messages_hashed_to_sparse_rows(model, dtype):
    texts, y = messages()
    X = hashed(texts, dtype)
    assert sparse.issparse(X)
    assert X.nnz < 2e-5 * X.shape[0] * X.shape[1]
    model = type(model)(**model.get_params())
    assert progressive(model, X, y, chunk=7) < 0.3
    assert all(g.holds is not False for g in model.guarantees())
    model.partial_fit(X, y)
    assert (model.predict(X) == y).all()
    # Words of both kinds in an order that was never seen.
    fresh = ["call now to claim your free prize", "please bring the book to dinner on Friday"]
    assert model.predict(hashed(fresh, dtype)).tolist() == ["spam", "ham"]


def test_chunks_of_messages_are_the_whole():
    texts, y = messages()
    X = hashed(texts)
    for prototype in LEARNERS:
        whole, chunked = (type(prototype)(**prototype.get_params()) for _ in range(2))
        whole.partial_fit(X, y, classes=["ham", "spam"])
        progressive(chunked, X, y, chunk=7)
        assert whole.coef_.tobytes() == chunked.coef_.tobytes()
        assert whole.intercept_.tobytes() == chunked.intercept_.tobytes()


def test_words_as_truth_values_for_winnow():
    texts, y = messages()
    words = HashingVectorizer(n_features=2**12, alternate_sign=False, norm=None, binary=True)
    X = words.transform(texts)
    model = Winnow().fit(X, y)
    assert model.record_.clean
    [seen] = model.guarantees()
    assert seen.holds
    assert seen.assumptions[0].status == "checked"
