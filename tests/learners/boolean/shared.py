"""What every online learner of boolean concepts must do, whatever it learns."""

from __future__ import annotations

import contextlib
import dataclasses
import re

import numpy as np
import pytest
from scipy import sparse

from assay import load, save
from assay.errors import BadData

# Random sequences to break a promise with; `make guarantees` plays more of them.
SEQUENCES = pytest.mark.parametrize(
    "seeds",
    [range(100), pytest.param(range(2000), marks=pytest.mark.guarantees)],
    ids=["some", "many"],
)


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def cells(seed, rows=150, d=6, ones=0.4):
    return (np.random.default_rng(seed).random((rows, d)) < ones).astype(float)


def seen(model):
    """Everything there is to see of a learner."""
    records = model.record_ if isinstance(model.record_, tuple) else (model.record_,)
    traces = [sorted((k, v.tolist()) for k, v in (r.trace or {}).items()) for r in records]
    counts = [dataclasses.replace(record, trace=None) for record in records]
    said = [counts, traces, model.formula_, [str(g) for g in model.guarantees()]]
    for player in model.players_:
        said += [getattr(player, name).tobytes() for name in player.arrays]
        held = getattr(player, "held", 0)
        if held:
            said.append(player.support[:held].tobytes())
    return said


def assert_chunked_whole_and_one_by_one(make, X, y):
    """The same state, however the examples come, and whatever form they have."""
    classes = np.unique(y)
    whole = make().partial_fit(X, y, classes=classes)
    chunked, single, thin, narrow = make(), make(), make(), make()
    for start in range(0, len(X), 37):
        part = slice(start, start + 37)
        chunked.partial_fit(X[part], y[part], classes=classes)
    for x, label in zip(X, y.tolist(), strict=True):
        before = single.predict_one(x)
        assert single.predict_one(x) == before
        single.learn_one(x, label, classes=classes)
    thin.partial_fit(sparse.csr_matrix(X), y, classes=classes)
    narrow.partial_fit(X.astype(np.float32), y, classes=classes)
    for other in (chunked, single, thin, narrow):
        assert seen(other) == seen(whole)
    predictions = whole.predict(X)
    assert [whole.predict_one(x) for x in X] == predictions.tolist()
    assert whole.predict(sparse.csr_matrix(X)).tolist() == predictions.tolist()
    assert seen(whole) == seen(chunked)  # predicting changed nothing


def assert_mistakes_are_those_of_predicting_first(make, X, y):
    """What the record counts is what asking before telling gives."""
    model = make().partial_fit(X[:1], y[:1], classes=np.unique(y))
    mistakes = model.record_.mistakes
    for x, label in zip(X[1:], y[1:].tolist(), strict=True):
        mistakes += model.predict_one(x) != label
        model.learn_one(x, label)
    assert model.record_.mistakes == mistakes


def assert_saved_and_loaded(make, X, y, path):
    """A break changes nothing, and saving twice gives the same bytes."""
    classes = np.unique(y)
    whole, broken = (make().partial_fit(X[:50], y[:50], classes=classes) for _ in range(2))
    for start in range(50, len(X), 25):
        save(broken, path)
        before = path.read_bytes()
        broken = load(path)
        save(broken, path)
        assert path.read_bytes() == before
        assert seen(broken) == seen(whole)
        for model in (whole, broken):
            model.partial_fit(X[start : start + 25], y[start : start + 25])
    assert seen(broken) == seen(whole)
    assert broken.predict(X).tolist() == whole.predict(X).tolist()


def assert_refuses_other_features(make, X, y):
    """Cells other than 0 and 1 are refused by row and column, and what came before is kept."""
    classes = np.unique(y)
    for form in (np.asarray, sparse.csr_matrix):
        wrong = X.copy()
        wrong[7, 2] = 0.5
        model = make()
        sentence = "Features must be 0 or 1, but row 7, column 2 holds 0.5."
        with refuses(f"{sentence} Everything before this row was learned."):
            model.partial_fit(form(wrong), y, classes=classes)
        assert seen(model) == seen(make().partial_fit(X[:7], y[:7], classes=classes))
        with refuses(sentence):
            model.predict(form(wrong))
        one = "Features must be 0 or 1, but x[2] is 0.5."
        for ask in (model.predict_one, lambda x, m=model: m.learn_one(x, y[0].item())):
            before = seen(model)
            with refuses(one):
                ask(wrong[7])
            assert seen(model) == before
        wrong[7, 2] = np.nan
        with refuses("Input X contains NaN or infinity: row 7, column 2 holds NaN."):
            model.predict(form(wrong))


def assert_dicts_are_features_by_name(make, X, y):
    """Dicts give the formula in their names; a feature that comes too late is refused."""
    named, plain = make(), make()
    names = [f"f{j}" for j in range(X.shape[1])]
    for x, label in zip(X, y.tolist(), strict=True):
        named.learn_one(dict(zip(names, x, strict=True)), bool(label))
        plain.learn_one(x, bool(label), classes=[False, True])
    assert seen(named)[:2] == seen(plain)[:2]
    assert named.formula_ == re.sub(r"\bx(\d+)", r"f\1", plain.formula_)
    before = seen(named)
    with contextlib.suppress(BadData):
        named.learn_one({"f0": 1.0, "new": 1.0}, True)
        return  # this learner takes late features
    assert seen(named) == before
    assert len(named.feature_index_) == X.shape[1]
