"""A guarantee is a function of the record: models that were saved say the same, and a record does not change."""

from __future__ import annotations

import contextlib
import warnings
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from assay import SVC, KNeighborsClassifier, LinearSVC, load, save
from assay.errors import AssayError, BadParameter
from assay.kernels import AllProducts
from assay.learners.common import Rows
from assay.learners.model_file import Decoder, Encoder
from assay.learners.registry import find_learner, learner_names, make_learner
from tests.goldens.scenes import rows_of
from tests.learners.model_files import POLICIES, fresh, played, policy_of

#: Learners that leave no record, and why.
WITHOUT_RECORD = {
    "decision-stump": "no theorem speaks of a single stump",
    "radius-neighbors-classifier": "no theorem speaks of a fixed radius",
    "radius-neighbors-regressor": "no theorem speaks of a fixed radius",
}
RECORDED = [name for name in learner_names() if name not in WITHOUT_RECORD]
#: Those that learn from further examples after a fit, and those that play on.
IN_CHUNKS = [name for name in RECORDED if hasattr(find_learner(name), "partial_fit")]
GOES_ON = [*IN_CHUNKS, *POLICIES]
#: Those whose guarantees are about each binary problem.
ONLINE = [name for name in IN_CHUNKS if hasattr(find_learner(name), "_guarantees")]
#: Those that ask nothing but their record.
BY_RECORD = [name for name in RECORDED if name not in (*ONLINE, "sgd-regressor")]


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
        learner = fresh(name)
        told = learner._guarantees(kept, "mistakes", {})
        if hasattr(learner, "_from_fit"):
            told = [*told, *learner._from_fit(kept.fit, 0.05)]
        assert told == expected


def bare(model, record):
    """A learner of the same kind that knows nothing but a record."""
    return type("Bare", (type(model),), {"record_": record})()


@pytest.mark.parametrize("name", BY_RECORD)
def test_a_record_is_all_that_guarantees_are_made_from(name):
    model = begun(name)
    expected, record = model.guarantees(delta=0.01), deepcopy(model.record_)
    if name in POLICIES:
        gone_on(name, model)
    else:
        _, _, more, labels = rows_of(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(more, labels[::-1])
    assert bare(model, record).guarantees(delta=0.01) == expected
    # Without means there is nothing to say about KL-UCB.
    assert expected or name in ("linear-regression", "kl-ucb")


def not_convex(outcome, prediction):
    return np.sqrt(np.abs(outcome - prediction))


EACH, MEANS = {"against": "each"}, {"means": [0.25, 0.5]}


@pytest.mark.parametrize(
    ("name", "parameters", "declared"),
    [
        ("hedge", {"largest_loss": 2.0, "sample": True, "random_state": 0}, EACH),
        ("hedge", {"learning_rate": 0.3, "sample": True, "random_state": 0}, EACH),
        ("weighted-average", {"learning_rate": 0.4}, EACH),
        ("weighted-average", {"loss": "absolute"}, EACH),
        ("weighted-average", {"loss": not_convex, "rounds": 50}, EACH),
        ("adahedge", {"loss": "square", "mixtures": True}, EACH),
        ("adahedge", {"loss": not_convex}, EACH),
        ("fixed-share", {"loss": "square", "switches": 2, "share": 0.1}, EACH),
        ("fixed-share", {"rounds": 50, "largest_loss": 3.0}, {"against": 2}),
        ("sleeping-experts", {"epsilon": 0.7}, EACH),
        ("weighted-majority", {"beta": 0.25}, EACH),
        ("weighted-majority", {"randomized": True, "random_state": 0}, EACH),
        ("exp3", {"learning_rate": 0.3}, {}),
        ("exp3-ix", {"rounds": 50}, {"delta": 0.2}),
        ("ucb1", {}, MEANS),
        ("kl-ucb", {"form": "optimal"}, MEANS),
        ("thompson-sampling", {}, MEANS),
    ],
)
def test_a_policy_adds_nothing_to_its_record(name, parameters, declared):
    """One that was never played, with other parameters, says the same of the record."""
    model = played(make_learner(name, parameters), np.random.default_rng(5))
    expected, record = model.guarantees(**declared), model.record_
    copied = deepcopy(record)
    gone_on(name, model)
    assert model.guarantees(**declared) != expected
    for kept in (record, copied):
        assert bare(model, kept).guarantees(**declared) == expected
    assert expected


def test_an_expert_who_has_lost_all_weight_has_no_receipt():
    model = make_learner("hedge", {"learning_rate": 5000.0})
    model.play([[0.0, 1.0]])
    assert model.record_.divergences.tolist() == [0.0, np.inf]
    potentials = [
        [g.theorem for g in model.guarantees(against=i) if g.kind == "potential"] for i in (0, 1)
    ]
    assert "hedge-progress-potential" in potentials[0]
    assert "hedge-progress-potential" not in potentials[1]
    [alone] = [g for g in played_alone().guarantees() if g.theorem == "hedge-progress-potential"]
    assert alone.inputs["divergence_after"] == "0"


def played_alone():
    model = make_learner("hedge", {"learning_rate": 0.5})
    model.play([[0.5], [1.0]])
    return model


def others(value):
    """What a parameter may be set to instead."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [3 * value + 1, value / 7]
    return ["hinge", "squared_error", "precomputed", "distance", "size", None, 0.3]


#: These say how to compute, not what.
ASIDE = {"cache_size", "leaf_size", "n_jobs", "random_state", "trace", "verbose"}


@pytest.mark.parametrize("name", RECORDED)
def test_parameters_that_are_set_later_change_no_promise(name):
    model = begun(name)
    expected = model.guarantees()
    parameters = model.get_params(deep=False)
    for parameter in sorted(parameters.keys() - ASIDE):
        value = parameters[parameter]
        for other in others(value):
            model.set_params(**{parameter: other})
            # A policy refuses to speak of a run with other parameters.
            with contextlib.suppress(AssayError):
                assert model.guarantees() == expected, (parameter, other)
        model.set_params(**{parameter: value})
    assert model.guarantees() == expected


def test_a_promise_that_parameters_would_have_made():
    """Where each of these is read anew, a promise that was none is made."""
    X, y, _, _ = rows_of("svc")
    rough = SVC(tol=10.0, C=1e-3, max_iter=1)
    soft = LinearSVC(tol=10.0, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [rough.fit(X, y), soft.fit(X, y)]
    near = KNeighborsClassifier(3, metric="mahalanobis").fit(X, y)
    for model in (*models, near):
        before = model.guarantees()
        changes = {"tol": 1e9} if model is not near else {"metric_params": {"VI": near.VI_}}
        model.set_params(**changes)
        assert model.guarantees() == before
    assert [g.applies for g in near.guarantees()] == [False, False, False]


@pytest.mark.parametrize("name", ["ridge", "basis-ridge", "logistic-regression"])
def test_files_that_hold_parts_of_a_record(name):
    model = begun(name)
    encoder = Encoder()
    kind, parameters, learned = encoder.learner(model)
    record = model.record_
    del learned["record_"]
    if name == "logistic-regression":
        proof = np.array([record.objective, record.square, record.conjugate])
        counted = {"rows_": record.rows, "training_errors_": record.errors}
        parts = counted | {"training_loss_": record.total, "proof_": proof}
    else:
        parts = {"penalty_": record.penalty, "distance_": record.distance}
    earlier = learned | encoder.encode_each(parts)
    again = Decoder(encoder.arrays).learner(kind, parameters, earlier)
    # What files of that time did not hold is not made up.
    less = replace(record, fit=None) if hasattr(record, "fit") else record
    assert again.record_ == less
    assert again.guarantees() == bare(model, less).guarantees()
    for part in parts:
        missing = {key: value for key, value in earlier.items() if key != part}
        with pytest.raises(KeyError, match=part):
            Decoder(encoder.arrays).learner(kind, parameters, missing)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("linear-svc", ["settings_"]),
        ("svc", ["settings_", "kernel_"]),
        ("svr", ["settings_", "kernel_"]),
        ("kernel-ridge", ["known_psd_"]),
        ("kernel-machine", ["settings_"]),
        ("k-neighbors-classifier", ["settings_", "distance_given_", "distance_norm_"]),
        ("finite-class-erm", ["bits_"]),
    ],
)
def test_files_that_do_not_say_what_the_fit_used(name, attributes):
    model = begun(name)
    encoder = Encoder()
    kind, parameters, learned = encoder.learner(model)
    for attribute in attributes:
        del learned[attribute]
    again = Decoder(encoder.arrays).learner(kind, parameters, learned)
    expected = model.guarantees()
    assert again.guarantees() == expected
    # What was read is held on to.
    again.set_params(
        **{p: None for p in parameters if p in ("C", "tol", "kernel", "code", "alpha")}
    )
    assert again.guarantees() == expected


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


@pytest.mark.parametrize("name", ["consistent", "halving", "finite-class-erm"])
def test_a_class_of_concepts_that_was_set_later_is_not_saved(name, tmp_path):
    """The file would hold which concepts are left, but of another class."""
    model = begun(name)
    before = model.concepts
    model.set_params(concepts="conjunctions")
    with pytest.raises(BadParameter, match="concepts was set after the fit"):
        save(model, tmp_path / "model.assay")
    model.set_params(concepts=before)
    save(deepcopy(model), tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert again.guarantees() == model.guarantees()
    again.set_params(concepts="conjunctions")
    with pytest.raises(BadParameter, match="concepts was set after the fit"):
        save(again, tmp_path / "again.assay")


def test_a_code_that_was_set_later_is_not_saved(tmp_path):
    model = begun("halving").set_params(code="size")
    with pytest.raises(BadParameter, match="code was set after the fit"):
        save(model, tmp_path / "model.assay")
