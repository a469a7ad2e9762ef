from __future__ import annotations

import itertools

import numpy as np

from assay import Consistent, Halving
from tests.instances import disjunction
from tests.learners.boolean import shared
from tests.naive import concepts as naive
from tests.naive.halving import consistent
from tests.scikit_checks import assert_checks_pass_but_those_named


def make(**how):
    return lambda: Consistent(**how)


def test_one_pass_is_the_twins():
    d = 4
    for seed in range(20):
        X = shared.cells(seed, rows=40, d=d, ones=0.5)
        y = X[:, [0, 2]].any(axis=1).astype(int)
        model = Consistent().partial_fit(X, y, classes=[0, 1])
        ordered = [
            lambda x, m=m: 1 if any(x[j] for j in range(d) if m >> j & 1) else -1
            for m in range(2**d)
        ]
        twin = consistent(ordered, X.tolist(), (2 * y - 1).tolist())
        assert model.record_.mistakes == twin.mistakes
        assert model.left_ == len(twin.left)
        place = ordered.index(twin.left[0])
        assert model.formula_ == model.players_[0].built.formula(place, None)


def test_five_singletons_cost_four_mistakes_in_the_worst_order_and_never_more():
    table = np.eye(5)
    worst = 0
    for order in itertools.permutations(range(5)):
        for target in range(5):
            y = (np.array(order) == target).astype(int)
            model = Consistent(table).partial_fit(np.array(order)[:, None], y, classes=[0, 1])
            assert model.guarantees()[0].holds
            worst = max(worst, model.record_.mistakes)
    assert worst == 4
    assert Consistent(table).fit([[0], [4]], [0, 1]).guarantees()[0].promised == 4


@shared.SEQUENCES
def test_random_sequences_break_no_promise_and_a_broken_one_is_caught(seeds):
    broken = worse = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = rng.random((int(rng.integers(2, 12)), 8)) < rng.uniform(0.1, 0.9)
        points = rng.integers(0, 8, 20)
        y = table[rng.integers(len(table))][points].astype(int)
        model = Consistent(table).partial_fit(points[:, None], y, classes=[0, 1])
        [found] = model.guarantees()
        assert found.holds, (seed, str(found))
        halved = Halving(table).partial_fit(points[:, None], y, classes=[0, 1])
        assert halved.guarantees()[0].holds
        worse += model.record_.mistakes > halved.record_.mistakes
        broken += model.record_.mistakes > len(table).bit_length() - 1  # halving's bound
    assert broken > len(seeds) / 40
    assert worse > len(seeds) / 10


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


def test_a_mistake_refutes_the_concept_that_was_followed():
    X, y, _ = disjunction(3, 60, 6)
    trace = Consistent(trace=True).fit(X, y).record_.trace
    assert (64 - trace["left"] >= trace["mistakes"]).all()


def test_the_order_of_the_class_is_the_order_in_which_concepts_are_tried():
    assert len(naive.disjunctions(3)) == 8
    model = Consistent().partial_fit([[1.0, 0, 0]], [0], classes=[0, 1])
    assert model.formula_ == "FALSE"


def test_scikit_learns_checks_pass_but_those_named_in_the_class():
    model = Consistent()
    assert_checks_pass_but_those_named(model)
