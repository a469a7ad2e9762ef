"""A guarantee is a function of the record: models that were saved say the same, and a record does not change."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from assay import load, save
from assay.kernels import AllProducts
from assay.learners.common.rows import Rows
from assay.learners.model_file.state import Decoder, Encoder
from assay.learners.registry import find_learner, learner_names, make_learner
from tests.goldens.scenes import rows_of
from tests.learners.model_files import POLICIES, fresh, played, policy_of

RECORDED = [name for name in learner_names() if hasattr(find_learner(name), "record_")]
#: Those that learn from further examples after a fit, and those that play on.
IN_CHUNKS = [name for name in RECORDED if hasattr(find_learner(name), "partial_fit")]
GOES_ON = [*IN_CHUNKS, *POLICIES]
#: Those whose guarantees are about each binary problem.
ONLINE = [name for name in IN_CHUNKS if hasattr(find_learner(name), "_guarantees")]


def begun(name):
    """A learner after some examples or rounds."""
    if name in POLICIES:
        return played(policy_of(name), np.random.default_rng(3))
    X, y, _, _ = rows_of(name)
    model = fresh(name)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    return model.fit(X, y)


def gone_on(name, model):
    """The same learner after some more, among them examples with the labels turned round."""
    if name in POLICIES:
        return played(model, np.random.default_rng(4))
    _, _, X, y = rows_of(name)
    model.partial_fit(X, y)
    return model.partial_fit(X, y[::-1])


def same(one, other):
    """Whether two records hold the same, arrays and what lies behind them included."""
    if isinstance(one, np.ndarray):
        equal = np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        return type(one) is type(other) and equal
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Rows):
        return same(one.dense, other.dense) and same(one.matrix, other.matrix)
    if hasattr(one, "__dict__") and not callable(one):
        return type(one) is type(other) and same(vars(one), vars(other))
    return one == other or one is other


@pytest.mark.parametrize("name", RECORDED)
def test_a_model_from_a_file_gives_the_same_guarantees(name, tmp_path):
    model = begun(name)
    expected = model.guarantees()
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert repr(again.record_) == repr(model.record_)
    assert again.guarantees() == expected


@pytest.mark.parametrize("name", GOES_ON)
def test_a_record_stays_what_it_was(name):
    model = begun(name)
    record = model.record_
    copied = deepcopy(record)
    assert same(record, copied)
    before = repr(record)
    gone_on(name, model)
    assert repr(model.record_) != before
    assert same(record, copied)


@pytest.mark.parametrize("name", ONLINE)
def test_the_record_alone_gives_the_guarantees(name):
    model = begun(name)
    expected = model.guarantees()
    record = model.record_
    copied = deepcopy(record)
    gone_on(name, model)
    for kept in (record, copied):
        # A learner that has seen nothing has only its parameters to add.
        assert fresh(name)._guarantees(kept, "mistakes", {}) == expected


@pytest.mark.parametrize(
    ("name", "parameters", "declared"),
    [
        ("kernel-perceptron", {"kernel": AllProducts()}, {"terms": 2}),
        ("kernel-perceptron", {"kernel": lambda A, B: A @ B.T}, {"squared_norm": 9}),
        ("kernel-perceptron", {"budget": 3}, {"squared_norm": 9}),
        ("k-term-dnf", {"negations": True}, {"terms": 2}),
        ("halving", {"code": "size"}, {}),
        ("online-disjunction", {"negations": True}, {}),
        ("disjunction-majority", {"beta": 0.25}, {}),
    ],
)
def test_what_was_declared_is_all_that_is_added(name, parameters, declared):
    X, y, more, labels = rows_of("halving")
    model = make_learner(name, parameters).fit(X, y)
    expected, record = model.guarantees(**declared), model.record_
    model.partial_fit(more, labels[::-1])
    bare = make_learner(name, parameters)
    assert bare._guarantees(record, "mistakes", declared) == expected


@pytest.mark.parametrize(
    ("name", "earlier", "attribute"),
    [
        ("bagging-classifier", "again_", "replacement_"),
        ("random-forest-regressor", "alone_", "depends_on_"),
        ("sleeping-experts", "paid_", "awake_losses_"),
        ("ucb1", "watched_", "opponent_looked_"),
    ],
)
def test_files_with_earlier_names_are_read(name, earlier, attribute):
    model = begun(name)
    if name == "ucb1":
        model.opponent_looked_ = True
    encoder = Encoder()
    kind, parameters, learned = encoder.learner(model)
    learned[earlier] = learned.pop(attribute)
    again = Decoder(encoder.arrays).learner(kind, parameters, learned)
    assert not hasattr(again, earlier)
    assert same(getattr(again, attribute), getattr(model, attribute))
    assert again.guarantees() == model.guarantees()
