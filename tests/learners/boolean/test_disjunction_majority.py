from __future__ import annotations

import itertools

import numpy as np
import pytest

from assay import DisjunctionMajority
from assay.errors import BadParameter
from assay.theory.mistake.weighted_majority import (
    weighted_majority_expert_potential,
    weighted_majority_weight_potential,
)
from tests.instances import disjunction
from tests.learners.boolean import shared
from tests.naive.weighted_majority import weighted_majority
from tests.scikit_checks import assert_checks_pass_but_those_named


def make(**how):
    return lambda: DisjunctionMajority(**how)


def advice(X, k):
    sets = list(itertools.combinations(range(X.shape[1]), k))
    return np.array([[1 if x[list(s)].any() else -1 for s in sets] for x in X])


@pytest.mark.parametrize("beta", [0.5, 0.25])
def test_one_pass_is_the_twins(beta):
    for seed in range(10):
        X = shared.cells(seed, rows=50, d=6)
        y = np.random.default_rng(seed).integers(0, 2, 50)
        model = DisjunctionMajority(2, beta).partial_fit(X, y, classes=[0, 1])
        twin = weighted_majority(advice(X, 2).tolist(), (2 * y - 1).tolist(), beta)
        assert model.record_.mistakes == twin.mistakes
        assert model.players_[0].errors.tolist() == twin.expert_mistakes


def test_three_of_ten_and_a_perfect_one():
    X, y, relevant = disjunction(4, 300, 10, k=3)
    model = DisjunctionMajority(literals=3).partial_fit(X, y, classes=[0, 1])
    assert model.formula_ == " OR ".join(f"x{j}" for j in sorted(relevant))
    [found] = model.guarantees()
    assert found.promised == 12
    assert found.inputs == {"best_mistakes": 0, "literals": 3, "features": 10}
    assert found.holds


@shared.SEQUENCES
def test_random_sequences_break_no_promise_and_a_broken_one_is_caught(seeds):
    broken = 0
    for seed in seeds:
        X, y, _ = disjunction(seed, 30, 5, k=2)
        flips = np.random.default_rng(seed).random(30) < 0.1 * (seed % 4)
        beta = (None, 0.5, 0.1)[seed % 3]
        model = DisjunctionMajority(2, beta).partial_fit(X, y ^ flips, classes=[0, 1])
        [found] = model.guarantees()
        assert found.holds, (seed, str(found))
        broken += model.record_.mistakes > found.inputs["best_mistakes"]  # the logarithm dropped
    assert broken > len(seeds) / 20


def test_the_trace_stays_between_the_potentials():
    for seed in range(10):
        X, y, _ = disjunction(seed, 60, 6, k=2)
        y = y ^ (np.random.default_rng(seed).random(60) < 0.2)
        trace = DisjunctionMajority(trace=True).fit(X, y).record_.trace
        for total, mistakes, best in zip(
            trace["total_weight"], trace["mistakes"], trace["best_mistakes"], strict=True
        ):
            assert total <= weighted_majority_weight_potential(int(mistakes), 15)
            assert total >= weighted_majority_expert_potential(int(best)) * (1 - 1e-12)


def test_the_family(tmp_path):
    X = shared.cells(1)
    y = (X[:, 1] + X[:, 4] > 0).astype(int)
    noise = np.random.default_rng(2).integers(0, 2, len(X))
    for labels in (y, noise):
        shared.assert_mistakes_are_those_of_predicting_first(make(), X, labels)
        shared.assert_chunked_whole_and_one_by_one(make(trace=True), X, labels)
        shared.assert_saved_and_loaded(make(), X, labels, tmp_path / "a.assay")
    shared.assert_refuses_other_features(make(), X, y)
    shared.assert_dicts_are_features_by_name(make(), X, y)


def test_refusals():
    X = np.eye(3)
    with shared.refuses("There is no OR of 4 features among 3. Choose fewer literals."):
        DisjunctionMajority(4).fit(X, [0, 1, 0])
    with shared.refuses(
        "There are 536,878,650 ORs of 8 among 50 features, but at most 4,194,304 can be kept. "
        "Use Winnow."
    ):
        DisjunctionMajority(8).fit(np.zeros((2, 50)), [0, 1])
    with shared.refuses(
        "beta must be a number strictly between 0 and 1, but is 1.0.", BadParameter
    ):
        DisjunctionMajority(beta=1.0).fit(X, [0, 1, 0])
    with shared.refuses("literals must be a whole number of at least 0, but is 1.5.", BadParameter):
        DisjunctionMajority(1.5).fit(X, [0, 1, 0])


def test_scikit_learns_checks_pass_but_those_named_in_the_class():
    model = DisjunctionMajority()
    assert_checks_pass_but_those_named(model)
