"""Every learner says what it promises under one signature."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from assay import verify
from assay.errors import BadParameter, UnknownName
from assay.learners.registry import find_learner, learner_names
from tests.goldens.scenes import rows_of
from tests.learners.model_files import POLICIES, fresh, played, policy_of

GUARANTEES = "(self, *, delta=0.05, sample=None, **declared)"
CERTIFICATE = "(self, X, y, *, delta=0.05, **terms)"
QUANTITY = "(self, X, y, *, delta=0.05, coverage=None, within=None, range=None, **terms)"
REGRESSORS = [
    name
    for name in learner_names()
    if name not in POLICIES
    and find_learner(name)().__sklearn_tags__().estimator_type == "regressor"
]
CLASSIFIERS = [
    name
    for name in learner_names()
    if name not in REGRESSORS and hasattr(find_learner(name), "certificate")
]
TRAINING = [name for name in CLASSIFIERS if hasattr(find_learner(name), "training_certificate")]


def signature(method):
    bare = inspect.signature(method)
    parameters = [p.replace(annotation=p.empty) for p in bare.parameters.values()]
    return str(bare.replace(parameters=parameters, return_annotation=bare.empty))


def learned(name):
    if name in POLICIES:
        return played(policy_of(name), np.random.default_rng(3))
    model = fresh(name)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    X, y, *_ = rows_of(name)
    return model.fit(X, y)


@pytest.mark.parametrize("name", learner_names())
def test_one_signature(name):
    learner = find_learner(name)
    assert signature(learner.guarantees) == GUARANTEES
    for method in ("certificate", "training_certificate"):
        if hasattr(learner, method):
            expected = QUANTITY if name in REGRESSORS else CERTIFICATE
            assert signature(getattr(learner, method)) == expected


def test_classifiers_have_certificates():
    assert {"perceptron", "svc", "gaussian-nb", "random-forest-classifier"} <= set(CLASSIFIERS)
    assert {"perceptron", "svc", "decision-tree-classifier", "decision-stump"} <= set(TRAINING)
    assert {"ridge", "decision-tree-regressor", "svr", "sgd-regressor"} <= set(REGRESSORS)
    assert all(hasattr(find_learner(name), "certificate") for name in REGRESSORS)
    assert "gaussian-nb" not in TRAINING


@pytest.mark.parametrize("name", learner_names())
def test_what_is_asked_for_is_looked_at(name):
    model = learned(name)
    takes = ", ".join(model.declares) or "nothing"
    sentence = f"^{type(model).__name__} has no guarantee from 'colour'; it takes {takes}\\.$"
    with pytest.raises(UnknownName, match=sentence):
        model.guarantees(colour=1)
    for delta in (0, 1, 2, -0.1, None, "often"):
        with pytest.raises(BadParameter, match=r"^delta must be a number strictly between 0 and 1"):
            model.guarantees(delta=delta)
    if name == "svc":
        with pytest.raises(BadParameter, match=r"^sample must be the pair"):
            model.guarantees(sample=[[1.0]])
    else:
        with pytest.raises(BadParameter, match="has no guarantee from sample; leave it out"):
            model.guarantees(sample=([[1.0]], [1]))


@pytest.mark.parametrize("name", learner_names())
def test_a_smaller_delta_promises_no_less(name):
    model = learned(name)
    usual, careful = model.guarantees(), model.guarantees(delta=0.001)
    assert [g.theorem for g in usual] == [g.theorem for g in careful]
    assert usual == model.guarantees(delta=0.05)
    for often, seldom in zip(usual, careful, strict=True):
        assert float(seldom.delta) <= float(often.delta)
        if often.value is not None and seldom.value is not None:
            assert seldom.value >= often.value


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_certificates_spend_delta(name):
    model = learned(name)
    X, y, X_new, y_new = rows_of(name)
    assert model.certificate(X_new, y_new, delta=0.01).to_json()["delta"]["total"] == "0.01"
    if name in TRAINING:
        issued = model.training_certificate(X, y, delta=0.01, drawn="by hand").to_json()
        assert issued["delta"]["total"] == "0.01"
        assert issued["data"]["drawn"] == "by hand"
        assert issued["data"]["sha256"]
        with pytest.raises(BadParameter, match=r"^delta must be a number strictly between 0 and 1"):
            model.training_certificate(X, y, delta=1)


@pytest.mark.parametrize("name", REGRESSORS)
def test_every_regressor_says_how_far_off_it_is(name):
    model = learned(name)
    rng = np.random.default_rng(5)
    X_new = rng.normal(size=(40, np.shape(rows_of(name)[0])[1])) * 0.3
    y_new = np.asarray(model.predict(X_new)) + rng.integers(-4, 5, 40) / 8
    issued = model.certificate(X_new, y_new, delta="0.1")
    [claim] = issued.claims
    assert (claim.of.numbers, issued.delta) == (("0.1",), 0.1)
    assert claim.promised == pytest.approx(0.5)
    assert verify(issued)
    counted = model.certificate(X_new, y_new, within=0.375, range=(-1e3, 1e3))
    assert [c.theorem for c in counted.claims] == ["holdout-exact", "bounded-betting"]
    assert verify(counted, y_true=y_new, y_pred=model.predict(X_new))


def test_a_tree_is_certified_by_its_own_sample_only():
    X, y, *_ = rows_of("decision-tree-classifier")
    model = learned("decision-tree-classifier")
    with pytest.raises(BadParameter, match="must be the very sample"):
        model.training_certificate(X[::-1], y)


def test_no_learner_loads_what_issues_certificates():
    code = (
        "import sys\n"
        "from assay.learners.registry import find_learner, learner_names\n"
        "[find_learner(name) for name in learner_names()]\n"
        "print(*[m for m in sys.modules if m.startswith('assay.certificates.issue.certify')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


CLASSES_OF_CONCEPTS = {"conjunctions", "disjunctions", "dnf", "halfspaces", "intervals", "stumps"}


def test_boolean_concepts_have_a_module_of_their_own():
    import assay
    from assay import boolean

    assert (
        set(dir(boolean))
        == {
            "Consistent",
            "DisjunctionClassifier",
            "DisjunctionMajority",
            "FiniteClassERM",
            "Halving",
            "KTermDNF",
            "MonomialWinnow",
            "OnlineDisjunction",
        }
        | CLASSES_OF_CONCEPTS
    )
    learners = set(dir(boolean)) - CLASSES_OF_CONCEPTS
    assert all(getattr(boolean, name) is getattr(assay, name) for name in learners)
    model = boolean.Halving(boolean.stumps([0.5])).fit([[0.2], [0.7]], [0, 1])
    assert model.predict([[0.9]]).tolist() == [1]
    with pytest.raises(AttributeError, match="has no attribute 'Perceptron'"):
        _ = boolean.Perceptron


def test_a_parameter_keeps_its_value_under_its_new_name():
    from assay import OnlineGradientDescent
    from assay.server.engine.game import parameters_with

    assert parameters_with(OnlineGradientDescent, {"horizon": 9}, 0) == {"rounds": 9}
    without_seed = {"horizon": 9, "random_state": None}
    assert parameters_with(OnlineGradientDescent, without_seed, 7)["random_state"] == 7
