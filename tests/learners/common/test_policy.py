"""Policies have parameters as estimators have, and are none."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import check_estimator

import assay
from assay import EXP3, EpsilonGreedy, Hedge, SGDRegressor
from assay.errors import UnknownName
from assay.learners.common import Policy
from tests.learners.model_files import POLICIES, policy_of
from tests.refusals import refuses


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_is_taken_for_an_estimator(name):
    policy = policy_of(name)
    kind = type(policy)
    assert isinstance(policy, Policy)
    assert not isinstance(policy, BaseEstimator)
    assert not hasattr(policy, "fit")
    assert not hasattr(policy, "predict_proba")
    sentence = (
        f"^{kind.__name__} is a policy and no estimator: it chooses and is told what that cost"
    )
    with pytest.raises(TypeError, match=sentence):
        check_estimator(policy)


def test_whoever_looks_for_estimators_finds_all_but_the_policies():
    classes = {name: getattr(assay, name) for name in dir(assay)}
    classes = {name: kind for name, kind in classes.items() if isinstance(kind, type)}
    estimators = {name for name, kind in classes.items() if issubclass(kind, BaseEstimator)}
    assert {"SVC", "Perceptron", "Ridge"} <= estimators
    assert {
        name for name, kind in classes.items() if issubclass(kind, Policy)
    } & estimators == set()
    assert len(POLICIES) == sum(issubclass(kind, Policy) for kind in classes.values())


@pytest.mark.parametrize("name", POLICIES)
def test_parameters_are_told_set_and_copied(name):
    policy = policy_of(name)
    told = policy.get_params(deep=False)
    assert clone(policy).get_params(deep=False).keys() == told.keys()
    assert repr(clone(policy)) == repr(policy) == repr(type(policy)().set_params(**told))
    assert repr(pickle.loads(pickle.dumps(policy))) == repr(policy)


def test_parameters_of_a_learner_inside():
    policy = EpsilonGreedy(regressor=SGDRegressor(alpha=0.5))
    assert policy.get_params()["regressor__alpha"] == 0.5
    assert "regressor__alpha" not in policy.get_params(deep=False)
    policy.set_params(regressor__alpha=0.25, exploration=0.5)
    assert (policy.regressor.alpha, policy.exploration) == (0.25, 0.5)
    twin = clone(policy)
    assert twin.regressor is not policy.regressor
    assert twin.regressor.alpha == 0.25


def test_what_is_shown_is_what_was_changed():
    assert repr(EXP3()) == "EXP3()"
    assert repr(EXP3(3, rounds=10)) == "EXP3(arms=3, rounds=10)"
    assert repr(Hedge(learning_rate=np.float64(0.5))).startswith("Hedge(learning_rate=")


def test_an_unknown_parameter():
    with refuses(
        "EXP3 has no parameter 'colour'. It has arms, learning_rate, random_state, rounds, trace.",
        UnknownName,
    ):
        EXP3().set_params(colour=1)
