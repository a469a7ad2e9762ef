"""The online game against a five-line twin, for learners of three libraries."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier as PeerSGD
from sklearn.naive_bayes import BernoulliNB
from sklearn.neural_network import MLPClassifier

import assay
from assay import (
    MarginPerceptron,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    Winnow,
    conservative,
    play,
)
from assay.errors import BadData, BadParameter
from assay.theory.tail.progressive import progressive_validation
from tests.naive.perceptron import perceptron as naive_perceptron
from tests.naive.players import Majority, by_turns
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT
from tests.soundness import assert_sound, assert_unsound


def halfspace(rows, seed, noise=0.0, features=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    y = X[:, 0] + 0.3 * X[:, 1] > 0
    return X, y ^ (rng.random(rows) < noise)


def own(learner, X, y):
    """What assay's learner says one by one, by its public one-example methods."""
    classes = np.unique(y).tolist()
    start = learner.zero if hasattr(learner, "zero") else 1

    def predict(x):
        said = learner.predict_one(x)
        if said is not None:
            return said
        return classes[start == 1] if len(classes) == 2 else classes[0]

    return by_turns(predict, lambda x, label: learner.learn_one(x, label, classes), X, y.tolist())


LEARNERS = [
    Perceptron(),
    Perceptron(fit_intercept=False, zero=-1),
    OnlineGradientDescent(),
    SGDClassifier(),
    SGDClassifier(average=True),
    SGDClassifier(loss="log_loss", class_weight={False: 2.0, True: 1.0}),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_game_in_five_lines(learner, noise):
    X, y = halfspace(300, seed=1, noise=noise)
    said = own(clone(learner), X, y)
    expected = int(np.count_nonzero(np.asarray(said) != y))
    quiet, traced = clone(learner), clone(learner)
    assert play(quiet, X, y).mistakes == expected
    result = play(traced, X, y, trace=True)
    assert result.mistakes == expected
    assert result.predictions.tolist() == said
    assert result.missed.tolist() == (np.asarray(said) != y).tolist()
    assert quiet.coef_.tobytes() == traced.coef_.tobytes()


@pytest.mark.parametrize("learner", [Winnow(), Winnow(negations=True), MarginPerceptron()])
def test_other_learners_of_assay(learner):
    rng = np.random.default_rng(16)
    X = (rng.random((400, 12)) < 0.3).astype(float)
    y = X[:, :2].any(axis=1)
    quiet, traced, wrapped = clone(learner), clone(learner), conservative(clone(learner))
    result = play(traced, X, y, trace=True)
    assert play(quiet, X, y).mistakes == result.mistakes == int(result.missed.sum())
    assert quiet.coef_.tobytes() == traced.coef_.tobytes()
    assert all(g.holds is not False for g in result.guarantees())
    again = play(wrapped, X, y)
    if isinstance(learner, Winnow):  # conservative by itself
        assert again.mistakes == result.mistakes
        assert wrapped.learner_.coef_.tobytes() == quiet.coef_.tobytes()


def test_the_perceptron_of_the_textbook():
    X, y = halfspace(200, seed=2, noise=0.1)
    signs = np.where(y, 1, -1)
    learner = Perceptron(fit_intercept=False)
    result = play(learner, X, signs, trace=True)
    expected = naive_perceptron(X, signs)
    said = [1 if score >= 0 else -1 for score in expected.scores]
    assert result.mistakes == expected.mistakes
    assert result.predictions.tolist() == said


@pytest.mark.parametrize(
    "learner",
    [
        PeerSGD(loss="perceptron", random_state=0),
        BernoulliNB(binarize=0.0),
        MLPClassifier(hidden_layer_sizes=(3,), random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_any_learner_with_partial_fit(learner):
    X, y = halfspace(80, seed=3)
    twin = clone(learner)
    first = np.unique(y)[0]

    def predict(x):
        return twin.predict(x[None])[0] if hasattr(twin, "classes_") else first

    def learn(x, label):
        twin.partial_fit(x[None], [label], classes=[False, True])

    said = by_turns(predict, learn, X, y)
    result = play(clone(learner), X, y, trace=True)
    assert result.predictions.tolist() == np.asarray(said).tolist()
    assert result.mistakes == int(np.count_nonzero(result.predictions != y))


@pytest.mark.parametrize("kind", ["dicts", "frame", "array"])
def test_learners_of_rivers_kind(kind):
    rows = [{"a": float(i), "b": 1.0} for i in range(30)]
    y = np.array([i % 3 == 0 for i in range(30)])
    frame = pd.DataFrame(rows)
    X = {"dicts": rows, "frame": frame, "array": frame.to_numpy()}[kind]
    learner, twin = Majority(), Majority()
    said = by_turns(
        lambda x: twin.predict_one(x) or False, twin.learn_one, rows, [bool(label) for label in y]
    )
    result = play(learner, X, y, trace=True)
    assert result.predictions.tolist() == said
    assert set(learner.seen[0]) == ({0, 1} if kind == "array" else {"a", "b"})


def test_dicts_and_vectors_give_the_same_run():
    X, y = halfspace(200, seed=4)
    rows = [dict(enumerate(x)) for x in X.tolist()]
    vectors, dicts = Perceptron(), Perceptron()
    by_vector = play(vectors, X, y, trace=True)
    by_dict = play(dicts, rows, y, trace=True)
    assert by_vector.predictions.tolist() == by_dict.predictions.tolist()
    assert play(Perceptron(), rows, y).mistakes == by_dict.mistakes


@pytest.mark.parametrize("make", [sparse.csr_matrix, pd.DataFrame], ids=["csr", "frame"])
def test_tables_of_other_kinds(make):
    X, y = halfspace(60, seed=5)
    table = make(X) if make is not pd.DataFrame else make(X, columns=list("abcd"))
    for learner in (Perceptron(), conservative(BernoulliNB())):
        quiet = play(clone(learner), table, y)
        traced = play(clone(learner), table, y, trace=True)
        assert quiet.mistakes == traced.mistakes == int(traced.missed.sum())
        assert quiet.mistakes == play(clone(learner), X, y).mistakes


def test_several_classes_are_asked_one_by_one():
    X, _ = halfspace(150, seed=6)
    y = np.argmax(X[:, :3], axis=1)
    said = own(Perceptron(), X, y)
    result = play(Perceptron(), X, y, trace=True)
    assert result.predictions.tolist() == said
    assert play(Perceptron(), X, y).mistakes == result.mistakes


def test_chunk_after_chunk_is_one_run():
    X, y = halfspace(300, seed=7, noise=0.1)
    whole, parts = Perceptron(), Perceptron()
    expected = play(whole, X, y, trace=True)
    results = [play(parts, X[i : i + 50], y[i : i + 50], trace=True) for i in range(0, 300, 50)]
    assert sum(result.mistakes for result in results) == expected.mistakes
    said = np.concatenate([result.predictions for result in results])
    assert said.tolist() == expected.predictions.tolist()
    assert parts.coef_.tobytes() == whole.coef_.tobytes()


def test_a_bad_row_is_named_and_what_came_before_is_kept():
    X, y = halfspace(50, seed=8)
    broken = X.copy()
    broken[30, 2] = np.nan
    learner, until = Perceptron(), Perceptron()
    with pytest.raises(BadData, match="row 30"):
        play(learner, broken, y)
    play(until, X[:30], y[:30])
    assert learner.coef_.tobytes() == until.coef_.tobytes()


# The bound.


def test_the_bound_is_progressive_validation_at_every_moment():
    X, y = halfspace(400, seed=9, noise=0.05)
    result = play(Perceptron(), X, y, trace=True, delta="0.1")
    assert result.bound == progressive_validation(result.mistakes, 400, "0.1")
    assert result.bound_at(400) == result.bound
    made = int(result.missed[:100].sum())
    assert result.bound_at(100) == progressive_validation(made, 100, "0.1", horizon=400)
    assert result.error == result.mistakes / 400


def test_guarantees_name_what_they_are_about():
    X, y = halfspace(400, seed=10)
    result = play(Perceptron(), X, y)
    first, *rest = result.guarantees()
    assert first.theorem == "progressive-validation"
    assert first.value == result.bound
    assert first.certified == "each hypothesis of this run, on the row that it predicted"
    assert float(first.observed) == result.error
    assert [a.status for a in first.assumptions] == ["not asked", "assumed", "by construction"]
    assert {g.theorem for g in rest} >= {"perceptron-hinge-mistakes"}
    assert all(g.holds for g in rest)
    assert [g.theorem for g in play(Majority(), X, y).guarantees()] == ["progressive-validation"]
    declared = result.guarantees(radius=100, margin=0.001)
    assert "perceptron-margin-mistakes" in {g.theorem for g in declared}


def test_says_what_happened():
    X, y = halfspace(100, seed=11)
    text = str(play(Perceptron(), X, y))
    assert re.fullmatch(
        r"\d+ mistakes in 100 rounds \(\d+\.\d\d%\); each time it predicted, its chance of being wrong was on "
        r"average at most 0\.\d+, failing with probability at most 0\.05",
        text,
    )


def true_error(w, noise):
    """Of sign(<w, x>) where x is Gaussian and the label that of x_0 + 0.3 x_1, flipped at a rate."""
    target = np.zeros_like(w)
    target[:2] = 1.0, 0.3
    length = np.linalg.norm(w)
    angle = (
        np.arccos(np.clip(w @ target / (length * np.linalg.norm(target)), -1, 1)) if length else 0
    )
    return noise + (1 - 2 * noise) * angle / np.pi


def mean_errors(runs, rows, noise, seed):
    """The bound and the mean true error of the hypotheses, in several runs."""
    found = []
    for i in range(runs):
        X, y = halfspace(rows, seed=[seed, i], noise=noise)
        learner = Perceptron(fit_intercept=False)
        errors = [0.5]  # weights of zero always say yes
        for x, label in zip(X[:-1], y[:-1].tolist(), strict=True):
            learner.learn_one(x, label)
            w = learner.players_[0].weights
            errors.append(true_error(w, noise) if w.any() else 0.5)
        made = learner.record_.mistakes + (learner.predict_one(X[-1]) != y[-1])
        found.append((int(made), float(np.mean(errors))))
    return found


def test_the_promise_about_the_mean_error_is_kept():
    runs, rows, delta = 60, 120, 0.05
    found = mean_errors(runs, rows, noise=0.1, seed=12)
    broken = sum(progressive_validation(made, rows, delta) < truth for made, truth in found)
    assert_sound(broken, runs, delta)
    # The twin forgets the slack: it promises what was seen.
    assert_unsound(sum(made / rows < truth for made, truth in found), runs, delta)


@pytest.mark.guarantees
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
def test_the_promise_about_the_mean_error_is_kept_in_many_runs(noise):
    runs, rows, delta = 1500, 200, 0.05
    found = mean_errors(runs, rows, noise, seed=13)
    broken = sum(progressive_validation(made, rows, delta) < truth for made, truth in found)
    assert_sound(broken, runs, delta)


# Properties and refusals.


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.sampled_from([0.0, 0.3]))
def test_counts_add_up(seed, rows, noise):
    X, y = halfspace(rows, seed=seed, noise=noise)
    result = play(Perceptron(), X, y, trace=True, classes=[False, True])
    assert result.rounds == rows == len(result.predictions)
    assert result.mistakes == result.missed.sum() == result.learner.record_.mistakes
    assert result.error <= result.bound <= 1.0


def test_the_room_and_the_function_share_a_name():
    X, y = halfspace(20, seed=14)
    from assay.play import online

    for way in (assay.play, online.play):
        assert way(Perceptron(), X, y).rounds == 20


def refuses(sentence, kind=BadParameter):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def test_refusals():
    X, y = halfspace(20, seed=15)
    for delta in NOT_INSIDE_UNIT:
        with refuses(f"delta must be {INSIDE_UNIT}, but is {delta!r}."):
            play(Perceptron(), X, y, delta=delta)
    with refuses("X has 20 rows, but y has 19 labels.", BadData):
        play(Perceptron(), X, y[:-1])
    with refuses("bound_at needs the rounds one by one: play with trace=True."):
        play(Perceptron(), X, y).bound_at(3)
    result = play(Perceptron(), X, y, trace=True)
    with refuses("round must be at most 20, but is 21."):
        result.bound_at(21)
    with refuses("round must be a whole number of at least 1, but is 0."):
        result.bound_at(0)
