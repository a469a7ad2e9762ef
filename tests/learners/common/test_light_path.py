"""Examples one at a time: the quick way gives the bits of the long way, whatever happens in between."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import OnlineGradientDescent, Perceptron, SGDClassifier
from assay.errors import BadData

NAMES = ["a", "b", "c"]
NUMBERS = st.floats(-10, 10) | st.integers(-10, 10) | st.booleans()
EXAMPLES = st.lists(
    st.tuples(st.fixed_dictionaries(dict.fromkeys(NAMES, NUMBERS)), st.booleans()), max_size=30
)


def state(model):
    player = model.players_[0]
    return model.coef_.tobytes(), model.intercept_.tobytes(), player.rounds, player.mistakes


@given(EXAMPLES, st.data())
def test_what_is_predicted_in_between_never_shows(examples, data):
    quiet, asked = Perceptron(), Perceptron()
    for x, y in examples:
        quiet.learn_one(x, y)
        for z, _ in data.draw(st.lists(st.sampled_from(examples), max_size=3)):
            assert asked.predict_one(z) == copy.deepcopy(asked).predict_one(z)
        asked.predict_one(x)
        asked.learn_one(x, y)
    if examples:
        assert state(quiet) == state(asked)


@pytest.mark.parametrize("learner", [Perceptron, OnlineGradientDescent, SGDClassifier])
def test_dicts_give_the_bits_of_vectors(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] > 0.2 * X[:, 1]
    by_name, by_place = learner(), learner()
    for row, label in zip(X, y.tolist(), strict=True):
        x = dict(zip(NAMES, row.tolist(), strict=True))
        assert by_name.predict_one(x) == by_place.predict_one(row)
        by_name.learn_one(x, label)
        by_place.learn_one(row, label)
    assert state(by_name) == state(by_place)


def test_an_example_changed_after_its_prediction_is_learned_as_it_is():
    model, plain = Perceptron(), Perceptron()
    for learner in (model, plain):
        learner.learn_one({"a": 1.0, "b": 0.0}, False)
    x = {"a": 1.0, "b": 0.0}
    assert model.predict_one(x) is False
    x["a"] = -5.0
    model.learn_one(x, False)
    plain.learn_one(x, False)
    assert model.record_.mistakes == 2
    assert state(model) == state(plain)


def test_a_prediction_made_before_something_was_learned_is_not_used():
    model = Perceptron(fit_intercept=False)
    model.learn_one({0: 1.0, 1: 0.0}, False)
    x = {0: -1.0, 1: 0.0}
    assert model.predict_one(x) is True
    model.partial_fit(np.array([[-1.0, 0.0]]), [False])  # turns the prediction of x round
    model.learn_one(x, True)
    plain = Perceptron(fit_intercept=False)
    plain.partial_fit(
        np.array([[1.0, 0], [-1, 0], [-1, 0]]), [False, False, True], classes=[False, True]
    )
    assert state(model) == state(plain)


def test_labels_and_cells_are_refused_as_ever():
    model = Perceptron()
    model.learn_one({"a": 1.0, "b": 0.0}, False)
    before = state(model)
    x = {"a": -1.0, "b": 0.0}
    model.predict_one(x)
    for label in (2, "spam", ["spam"], None):
        with pytest.raises(BadData, match="none of the classes False, True"):
            model.learn_one(x, label)
    with pytest.raises(BadData, match=r"x\['a'\] must be a number, but is 'spam'"):
        model.predict_one({"a": "spam", "b": 1.0})
    with pytest.raises(BadData, match="must be a finite number"):
        model.predict_one({"a": float("nan"), "b": 1.0})
    assert state(model) == before


def test_a_copy_and_a_pickle_leave_the_workings_behind():
    model = Perceptron()
    x = {"a": 1.0, "b": 0.5}
    model.learn_one(x, False)
    model.predict_one(x)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert "_light" not in vars(again)
        assert again.predict_one(x) is model.predict_one(x)


def test_a_single_feature_and_numbers_too_large_go_the_long_way():
    model = Perceptron()
    model.learn_one({"a": 2.0}, False)
    assert model.predict_one({"a": 2.0}) is False
    model.learn_one({"a": 2.0, "b": 1.0}, True)
    with pytest.raises(BadData, match=r"x\['a'\] is too large"):
        model.predict_one({"a": 10**400, "b": 1.0})
