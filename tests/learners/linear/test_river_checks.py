"""What River's own checks ask of an online estimator, asked of the six linear online learners.

The suite does not need River. Its checks (``river.checks``, version 0.26) are written here anew over a dict
per example, with what they have in common: ``learn_one``, ``predict_one``, features by name that come and go.

Adapted, each in the test of the same name:
    check_learn_one, check_predict_one_pure, check_predict_one_before_any_learn,
    check_shuffle_features_no_impact, check_emerging_features, check_disappearing_features,
    check_radically_disappearing_features, check_no_state_aliasing_with_input, check_pickling and
    check_pickling_supports_roundtrip, check_clone_same_class, check_clone_is_idempotent,
    check_clone_changes_memory_addresses, check_clone_is_independent, check_clone_with_new_params_applies,
    check_repr_roundtrips_clone, check_get_params_matches_signature, check_mutate_can_be_idempotent (as
    ``set_params()``), check_init_default_params_are_not_mutable, check_init_has_default_params_for_tests,
    check_repr, check_str, check_doc, check_seeding_is_idempotent, check_bounded_memory_growth,
    check_predict_many_matches_predict_one and check_learn_many_matches_learn_one (as ``predict`` and
    ``partial_fit``), check_predict_proba_one and check_classifier_tracks_seen_labels (as
    ``predict_proba``, of the logistic ``SGDClassifier``).
More strictly than River: where River compares to five digits, bits are compared; learning has to help; and
a deep copy goes on like the original.

Do not apply: check_tags and check_has_tag (River's tags; scikit-learn's are checked by check_estimator),
    check_mutable_attributes_exist and check_wrapper_accepts_kwargs (no such attributes, no wrappers),
    check_debug_one (no ``debug_one``; the trace, which comes nearest, changes nothing: tested below),
    check_predict_proba_one_binary and check_multiclass_is_bool (River's classifiers of truth values only),
    check_transform_one, check_transform_many_matches_transform_one and the checks for anomalies, rankings,
    forecasts and model selection (other kinds of estimators).
"""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from assay import (
    MarginPerceptron,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
    Winnow,
)

NAMES = ["age", "cost", "dose", "east", "fall", "gain", "heat", "iron"]
WORDS = ["ham", "eggs", "spam"]
CLASSIFIERS = [
    Perceptron(),
    Perceptron(zero="mistake", fit_intercept=False, trace=True),
    MarginPerceptron(),
    Winnow(),
    Winnow(negations=True),
    OnlineGradientDescent(),
    OnlineGradientDescent(proximal=True),
    SGDClassifier(random_state=0),
    SGDClassifier("log_loss", average=True, random_state=0),
]
REGRESSORS = [SGDRegressor(random_state=0), SGDRegressor("epsilon_insensitive", random_state=0)]


def stream(labels, rows=200):
    """Boolean features, which every learner takes, and labels that depend on a few of them."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, size=(rows, len(NAMES)))
    score = X[:, 0] + X[:, 1]
    if labels == "numbers":
        y = score + 0.1 * rng.normal(size=rows)
    elif labels == "words":
        y = np.array(WORDS)[np.where(X[:, 0] == 1, 0, np.where(X[:, 1] == 1, 1, 2))]
    else:
        y = np.where(rng.random(rows) < 0.05, score == 0, score > 0)
        y = {"truth": y, "np.bool_": y, "signs": np.where(y, 1, -1)}[labels]
    answers = list(y) if labels == "np.bool_" else y.tolist()
    return [(dict(zip(NAMES, x, strict=True)), a) for x, a in zip(X.tolist(), answers, strict=True)]


def cases():
    for model in CLASSIFIERS:
        every = ("truth", "np.bool_", "signs", "words")
        for labels in every if model is CLASSIFIERS[0] else ("truth", "words"):
            yield pytest.param(model, labels, id=f"{model!r}-{labels}")
    for model in REGRESSORS:
        yield pytest.param(model, "numbers", id=f"{model!r}-numbers")


games = pytest.mark.parametrize(("prototype", "labels"), list(cases()))
models = pytest.mark.parametrize("prototype", [*CLASSIFIERS, *REGRESSORS], ids=repr)


def learn(model, x, y):
    """River finds out about labels as they come; assay is told them with the first one."""
    if isinstance(model, SGDRegressor):
        model.learn_one(x, y)
    else:
        model.learn_one(x, y, classes=WORDS if isinstance(y, str) else sorted({y, *_other(y)}))


def _other(y):
    return {True, False} if isinstance(y, bool | np.bool_) else {-1, 1}


def state(model):
    """All that a learner knows, bit by bit."""
    return pickle.dumps(model)


def frame(model, examples):
    """Examples as a table, its columns in the order in which the learner knows them."""
    return pd.DataFrame([x for x, _ in examples])[list(model.feature_index_)]


def weights(model):
    return model.coef_.tobytes(), model.intercept_.tobytes()


def taught(model, examples):
    for x, y in examples:
        learn(model, x, y)
    return model


# One example at a time


@games
def test_check_learn_one(prototype, labels):
    model = clone(prototype)
    for x, y in stream(labels):
        given = copy.deepcopy((x, y))
        learn(model, x, y)
        assert (x, y) == given
        assert list(x) == list(given[0])


@games
def test_check_predict_one_pure(prototype, labels):
    model = taught(clone(prototype), stream(labels, 50))
    for x, _ in stream(labels, 60)[40:]:
        given = copy.deepcopy(x)
        model.predict_one(x)  # may note what it worked out, but nothing that it knows
        before = state(model)
        model.predict_one(x)
        model.predict_one(x | {"zinc": 1})
        model.predict_one({})
        assert state(model) == before
        assert x == given
        assert "zinc" not in model.feature_index_


@games
def test_check_predict_one_before_any_learn(prototype, labels):
    model = clone(prototype)
    before = state(model)
    assert model.predict_one(stream(labels)[0][0]) is None
    assert state(model) == before


@games
def test_check_shuffle_features_no_impact(prototype, labels):
    rng = np.random.default_rng(0)
    model, shuffled = clone(prototype), clone(prototype)
    for x, y in stream(labels):
        mixed = {name: x[name] for name in rng.permutation(NAMES).tolist()}
        assert model.predict_one(x) == shuffled.predict_one(mixed)
        learn(model, x, y)
        learn(shuffled, mixed, y)
    assert weights(model) == weights(shuffled)
    assert model.feature_index_ == shuffled.feature_index_


@games
def test_check_emerging_features(prototype, labels):
    rng, model = np.random.default_rng(1), clone(prototype)
    for x, y in stream(labels):
        model.predict_one(x)
        kept = rng.permutation(NAMES)[:-3].tolist()
        learn(model, {name: x[name] for name in kept}, y)
    assert set(model.feature_index_) == set(NAMES)


@games
def test_check_disappearing_features(prototype, labels):
    rng, model = np.random.default_rng(2), clone(prototype)
    zeros = clone(prototype)
    for x, y in stream(labels):
        kept = set(rng.permutation(NAMES)[:-3].tolist())
        part = {name: value for name, value in x.items() if name in kept}
        full = {name: value if name in kept else 0 for name, value in x.items()}
        assert model.predict_one(part) == zeros.predict_one(full)  # left out is zero
        learn(model, x, y)
        learn(zeros, x, y)
    assert weights(model) == weights(zeros)


@games
def test_check_radically_disappearing_features(prototype, labels):
    rng, model = np.random.default_rng(3), clone(prototype)
    examples = stream(labels)
    taught(model, examples[:20])
    for x, y in examples[20:]:
        name = str(rng.choice(NAMES))
        model.predict_one({name: x[name]})
        learn(model, {name: x[name]}, y)
    assert model.n_features_in_ == len(NAMES)
    assert np.isfinite(model.coef_).all()


@games
def test_check_no_state_aliasing_with_input(prototype, labels):
    model = clone(prototype)
    for x, y in stream(labels, 30):
        learn(model, x, y)
        before = state(model)
        for name in list(x):
            x[name] += 1e9
        x.pop(next(iter(x)))
        assert state(model) == before
    row = np.zeros(len(NAMES))
    row[:] = [1, 0] * 4
    model.learn_one(row, y)
    before = state(model)
    row += 1e9
    assert state(model) == before


@games
def test_learning_improves(prototype, labels):
    examples = stream(labels, 400)
    model, wrong = clone(prototype), []
    for x, y in examples:
        said = model.predict_one(x)
        gap = abs((said or 0) - y) if labels == "numbers" else said != y
        wrong.append(float(gap))
        learn(model, x, y)
    if labels != "words" or not isinstance(prototype, Winnow):  # only one word is a disjunction
        assert np.mean(wrong[-100:]) < 0.7 * np.mean(wrong[:10])


@games
def test_check_seeding_is_idempotent(prototype, labels):
    first, second = clone(prototype), clone(prototype)
    for x, y in stream(labels, 100):
        assert first.predict_one(x) == second.predict_one(x)
        learn(first, x, y)
        learn(second, x, y)
    assert state(first) == state(second)


# Many at once


@games
def test_check_predict_many_matches_predict_one(prototype, labels):
    examples = stream(labels)
    model = taught(clone(prototype), examples[:100])
    many = model.predict(frame(model, examples[100:])).tolist()
    one = [model.predict_one(x) for x, _ in examples[100:]]
    assert many == (pytest.approx(one, rel=1e-12) if labels == "numbers" else one)


@games
def test_check_learn_many_matches_learn_one(prototype, labels):
    examples = stream(labels)
    one = taught(clone(prototype), examples)
    many = clone(prototype)
    told = {} if labels == "numbers" else {"classes": one.classes_}
    for start in range(0, len(examples), 40):
        part = examples[start : start + 40]
        rows = np.array([[x[name] for name in NAMES] for x, _ in part], dtype=float)
        many.partial_fit(rows, [y for _, y in part], **told)
    assert weights(one) == weights(many)


# Copies


@games
def test_check_pickling(prototype, labels):
    examples = stream(labels)
    assert type(pickle.loads(pickle.dumps(clone(prototype)))) is type(prototype)
    model = taught(clone(prototype), examples[:100])
    for copied in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert type(copied) is type(model)
        assert weights(copied) == weights(model)
        # A copy goes on as the original would, and the original does not notice.
        before = state(model)
        taught(copied, examples[100:])
        assert state(model) == before
        assert weights(copied) == weights(taught(clone(prototype), examples))


@games
def test_check_clone_is_independent(prototype, labels):
    model = clone(prototype)
    early = clone(model)
    snapshot = state(early)
    taught(model, stream(labels, 30))
    late = clone(model)
    assert state(early) == state(late) == snapshot
    assert late.predict_one(stream(labels)[0][0]) is None  # a clone has learned nothing


@models
def test_check_clone_and_params(prototype):
    copied = clone(prototype)
    assert type(copied) is type(prototype)
    assert copied is not prototype
    assert dir(copied) == dir(prototype)
    assert copied.get_params() == prototype.get_params()
    assert repr(copied) == repr(prototype)
    assert isinstance(str(prototype), str)
    assert prototype.__doc__
    signature = inspect.signature(type(prototype)).parameters
    assert set(prototype.get_params()) == set(signature)
    for name, parameter in signature.items():
        assert isinstance(parameter.default, type(None) | float | int | str | bool)
        value = {bool: not parameter.default}.get(type(parameter.default), 0.25)
        changed = clone(prototype).set_params(**{name: value})
        assert changed.get_params()[name] == value
        assert prototype.get_params() == copied.get_params()
    assert copied.set_params().get_params() == prototype.get_params()
    assert type(type(prototype)()) is type(prototype)


@models
def test_check_bounded_memory_growth(prototype):
    labels = "numbers" if isinstance(prototype, SGDRegressor) else "truth"
    examples = stream(labels, 2000)
    model = taught(clone(prototype), examples[:1000])
    half = len(state(model))
    whole = len(state(taught(model, examples[1000:])))
    # What theorems need is kept, which is no more than the mistakes: it grows no faster than before.
    assert whole - half <= 3 * half + 2**14


# Labels


def test_check_predict_proba_one_and_seen_labels():
    for labels in ("truth", "words"):
        examples = stream(labels)
        model = taught(SGDClassifier("log_loss", random_state=0), examples)
        rows = frame(model, examples)
        given = rows.copy()
        shares = model.predict_proba(rows)
        assert ((shares >= 0) & (shares <= 1)).all()
        assert np.allclose(shares.sum(axis=1), 1)
        assert rows.equals(given)
        assert set(model.classes_.tolist()) == {y for _, y in examples}
        assert shares.shape[1] == len(model.classes_)
        said = model.classes_[shares.argmax(axis=1)]
        assert np.array_equal(said, model.predict(rows))


@games
def test_answers_are_labels_as_they_were_given(prototype, labels):
    examples = stream(labels)
    model = taught(clone(prototype), examples)
    said = {type(model.predict_one(x)) for x, _ in examples}
    kind = {"truth": bool, "np.bool_": bool, "signs": int, "words": str, "numbers": float}[labels]
    assert said == {kind}


@pytest.mark.parametrize("labels", ["truth", "words"])
@pytest.mark.parametrize("kind", [Perceptron, MarginPerceptron, Winnow, OnlineGradientDescent])
def test_a_trace_changes_nothing(kind, labels):
    plain, traced = (taught(kind(trace=trace), stream(labels)) for trace in (False, True))
    assert weights(plain) == weights(traced)
