"""assay's learners and policies among River's: its checks, pipelines, wrappers and metrics."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import river.checks
from river import compose, datasets, ensemble, evaluate, metrics, multiclass, preprocessing

from assay import (
    EXP3,
    UCB1,
    BernoulliNB,
    GaussianNB,
    KernelPerceptron,
    MarginPerceptron,
    MLPClassifier,
    OnlineGradientDescent,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
    Winnow,
    play,
)
from assay.errors import AssayError
from assay.river import RiverClassifier, RiverPolicy, RiverRegressor, to_river

# Some seconds each, and all by the same adapters: what one of each kind does is seen every time.
OFTEN = [
    Perceptron(),
    SGDClassifier(loss="log_loss"),
    SGDRegressor(learning_rate="constant", eta0=1e-6),
]
SELDOM = [MarginPerceptron(), OnlineGradientDescent(), GaussianNB(), BernoulliNB()]
WRAPPED = [*OFTEN, *(pytest.param(one, marks=pytest.mark.guarantees) for one in SELDOM)]
# Slow ones, and those whose concept forbids what a check asks for.
BY_HAND = {
    "KernelPerceptron": (KernelPerceptron(), {"check_bounded_memory_growth"}),
    "MLPClassifier": (
        MLPClassifier((4,), solver="sgd", random_state=0),
        {"check_emerging_features", "check_bounded_memory_growth"},
    ),
}


def failures(model, left_out=()):
    """What River's checks say, by the name of the check."""
    failed = {}
    for check in river.checks.yield_checks(model):
        if check.__name__ not in left_out:
            try:
                check(model.clone())
            except Exception as error:
                failed[check.__name__] = repr(error)
    return failed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", WRAPPED, ids=lambda learner: type(learner).__name__)
def test_rivers_checks_pass(learner):
    assert failures(to_river(learner)) == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.guarantees
@pytest.mark.parametrize("name", BY_HAND)
def test_rivers_checks_pass_but_for_those_that_the_concept_forbids(name):
    learner, left_out = BY_HAND[name]
    assert failures(to_river(learner), left_out) == {}


def test_a_pipeline_makes_the_mistakes_of_play():
    stream = [(x, y) for x, y in datasets.Phishing().take(400)]
    model = RiverClassifier(Perceptron())
    metric = evaluate.progressive_val_score(stream, model, metrics.Accuracy())
    names = sorted(stream[0][0])
    X = np.array([[x[name] for name in names] for x, _ in stream])
    result = play(Perceptron(), X, [y for _, y in stream])
    # River counts the first row, of which neither knows anything, when it predicts None.
    assert metric.cm.total_weight in (399, 400)
    wrong = metric.cm.total_weight - metric.cm.total_true_positives
    assert abs(wrong - result.mistakes) <= 1
    assert model.learners_[None].record_.mistakes == pytest.approx(result.mistakes, abs=1)
    assert all(one.holds for one in model.guarantees())


def test_in_pipes_and_wrappers():
    scaled = preprocessing.StandardScaler() | to_river(SGDClassifier(loss="log_loss"))
    assert isinstance(scaled, compose.Pipeline)
    auc = evaluate.progressive_val_score(datasets.Phishing().take(400), scaled, metrics.ROCAUC())
    assert auc.get() > 0.75
    bagged = ensemble.BaggingClassifier(to_river(Perceptron()), n_models=3, seed=1)
    right = evaluate.progressive_val_score(
        datasets.Phishing().take(400), bagged, metrics.Accuracy()
    )
    assert right.get() > 0.75
    many = preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(
        to_river(SGDClassifier(loss="log_loss"))
    )
    right = evaluate.progressive_val_score(
        datasets.ImageSegments().take(400), many, metrics.Accuracy()
    )
    assert right.get() > 0.5


def test_labels_come_one_by_one():
    model = RiverClassifier(SGDClassifier(loss="log_loss"))
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    rng = np.random.default_rng(0)
    seen = set()
    for turn in range(600):
        kind = int(rng.integers(3 if turn > 200 else 2))
        x = {f"f{j}": float(j == kind) + 0.1 * rng.normal() for j in range(3)}
        model.learn_one(x, "abc"[kind])
        seen.add("abc"[kind])
        assert set(model.learners_) == seen
    assert model.predict_one({"f2": 1.0}) == "c"
    shares = model.predict_proba_one({"f2": 1.0})
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=shares.get) == "c"


def test_labels_that_are_known_are_learned_by_one_learner():
    model = RiverClassifier(GaussianNB(), classes=["a", "b", "c"])
    for turn in range(30):
        model.learn_one({"f": 5.0 * (turn % 3) + 0.1 * (turn % 5)}, "abc"[turn % 3])
    assert list(model.learners_) == [None]
    assert model.predict_one({"f": 5.1}) == "b"
    with pytest.raises(AssayError, match="'d'"):
        model.learn_one({"f": 1.0}, "d")


def test_numpys_truth_values_are_truth_values():
    model = RiverClassifier(Perceptron())
    model.learn_one({"f": 1.0}, np.bool_(True))
    model.learn_one({"f": -1.0}, False)
    assert list(model.learners_) == [None]
    assert model.predict_one({"f": 2.0}) is True


def test_a_copy_goes_on_where_it_was():
    model = to_river(SGDRegressor())
    for x, y in datasets.TrumpApproval().take(50):
        model.learn_one({"x": x["gallup"] / 100}, y / 100)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_one({"x": 0.4}) == model.predict_one({"x": 0.4})
    assert isinstance(model.guarantees(), list)


def test_a_policy_pulls_named_arms():
    rng = np.random.default_rng(0)
    policy, chances = RiverPolicy(UCB1(), high=2.0), {"red": 0.2, "green": 0.7, "blue": 0.4}
    for _ in range(800):
        arm = policy.pull(list(chances))
        policy.update(arm, 2.0 * (rng.random() < chances[arm]))
    assert policy.ranking[0] == "green"
    assert policy._counts["green"] > 400
    assert policy.policy_.record_.rounds == 800
    assert "green" in repr(policy)


def test_pulls_of_a_burn_in_are_not_the_policys():
    policy = RiverPolicy(EXP3(random_state=0), burn_in=2)
    for _ in range(10):
        policy.update(policy.pull(["a", "b"]), 1.0)
    assert policy.policy_.record_.rounds == 6


def test_what_cannot_be_wrapped_is_refused():
    from assay import LogisticRegression

    with pytest.raises(AssayError, match="online learner"):
        to_river(LogisticRegression())
    with pytest.raises(AssayError, match="a classifier"):
        RiverClassifier(SGDRegressor())
    with pytest.raises(AssayError, match="a regressor"):
        RiverRegressor(Perceptron())
    policy = RiverPolicy(EXP3(random_state=0))
    policy.pull(["a", "b"])
    with pytest.raises(AssayError, match="between low"):
        policy.update(policy._chosen, 1.5)
    with pytest.raises(AssayError, match="same in every pull"):
        policy.pull(["a", "b", "c"])


def test_features_that_a_concept_forbids_are_refused_in_words():
    with pytest.raises(AssayError, match="0 or 1"):
        to_river(Winnow()).learn_one({"f": 0.5}, True)
