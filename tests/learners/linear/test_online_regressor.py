import numpy as np
import pytest

from assay import SGDRegressor
from assay.errors import BadData


@pytest.fixture
def model():
    return SGDRegressor(eta0=0.1).partial_fit([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0])


def test_predicting_changes_nothing(model):
    before = model.coef_.copy(), model.record_
    assert model.predict([[1.0, 1.0]]).shape == (1,)
    assert isinstance(model.predict_one([1.0, 1.0]), float)
    assert (model.coef_ == before[0]).all()
    assert model.record_ == before[1]
    assert SGDRegressor().predict_one([1.0]) is None


def test_dicts_of_features_are_rows():
    by_name, by_place = SGDRegressor(), SGDRegressor()
    for x, y in (([1.0, 2.0], 3.0), ([0.0, 1.0], -1.0)):
        by_name.learn_one(dict(zip("ab", x, strict=True)), y)
        by_place.learn_one(x, y)
    assert (by_name.coef_ == by_place.coef_).all()
    assert by_name.predict_one({"b": 2.0}) == by_place.predict_one([0.0, 2.0])
    by_name.learn_one({"c": 1.0}, 5.0)
    assert by_name.coef_.shape == (3,)
    assert list(by_name.feature_names_in_) == ["a", "b", "c"]


@pytest.mark.parametrize("y", [np.nan, np.inf, "three", None])
def test_targets_must_be_numbers(model, y):
    with pytest.raises(BadData, match=f"^y must be a finite number, but is {y!r}\\.$"):
        model.learn_one([1.0, 2.0], y)


def test_bad_cells_are_named(model):
    X = np.ones((3, 2))
    X[2, 1] = np.nan
    with pytest.raises(BadData, match="row 2, column 1 holds NaN"):
        model.predict(X)
    with pytest.raises(BadData, match="row 2, column 1 holds NaN"):
        model.partial_fit(X, [0.0, 1, 2])
    assert model.record_.rounds == 4
    for learn in (lambda x: model.learn_one(x, 1.0), model.predict_one):
        with pytest.raises(BadData, match=r"x\[0\] must be a finite number"):
            learn([np.inf, 1.0])


def test_examples_of_another_width_are_refused(model):
    with pytest.raises(BadData, match=r"^x must have 2 features, but has 3\.$"):
        model.learn_one([1.0, 2, 3], 1.0)
    with pytest.raises(ValueError, match="3 features"):
        model.predict([[1.0, 2, 3]])
