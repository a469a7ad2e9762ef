"""What classifiers and regressors share, on one of each."""

import numpy as np
import pytest

from assay import OnlineGradientDescent, SGDRegressor
from assay.errors import BadData


def both():
    classifier, regressor = OnlineGradientDescent(), SGDRegressor()
    classifier.learn_one({"b": 1.0, "a": 2.0}, True)
    regressor.learn_one({"b": 1.0, "a": 2.0}, 1.0)
    return [classifier, regressor]


def test_features_have_places_in_the_order_of_their_names():
    for model in both():
        assert model.feature_index_ == {"a": 0, "b": 1}
        assert list(model.feature_names_in_) == ["a", "b"]
        assert model.n_features_in_ == 2


def test_unknown_features_count_as_nothing_in_a_prediction():
    for model in both():
        assert model.predict_one({"a": 1.0, "z": 9.0}) == model.predict_one({"a": 1.0})
        assert model.n_features_in_ == 2


@pytest.mark.parametrize("value", ["two", [1.0, 2.0]])
def test_features_must_be_numbers(value):
    for model in both():
        with pytest.raises(BadData, match=r"^x\['a'\] must be a number, but is "):
            model.predict_one({"a": value})


@pytest.mark.parametrize("x", [["one", "two"], [[1.0, 2.0]], 3.0])
def test_vectors_must_be_vectors_of_numbers(x):
    for model in both():
        with pytest.raises(BadData, match=r"^x must "):
            model.predict_one(x)


def test_features_known_by_number_stay_so():
    model = SGDRegressor().partial_fit(np.eye(2), [1.0, 2.0])
    model.learn_one({0: 1.0, 2: 1.0}, 1.0)
    assert model.coef_.shape == (3,)
    with pytest.raises(BadData, match="knows its features by their numbers, 0 to 2"):
        model.learn_one({"a": 1.0}, 1.0)


def test_sparse_rows_are_welcome():
    for model in both():
        assert model.__sklearn_tags__().input_tags.sparse
