from __future__ import annotations

import numpy as np
import pytest

from assay import MonomialWinnow
from assay.data.synthetic.dnf import dnf
from assay.guarantees.boolean_text import dnf_text
from assay.learners.boolean import cube
from assay.theory.mistake.winnow import (
    winnow_dnf_mistakes,
    winnow_largest_weight_potential,
    winnow_weight_potential,
)
from tests.learners.boolean import shared
from tests.naive.winnow import products, winnow
from tests.scikit_checks import assert_checks_pass_but_those_named


def make(**how):
    return lambda: MonomialWinnow(**how)


def test_one_pass_is_the_twins_on_the_products():
    for seed in range(15):
        X = shared.cells(seed, rows=60, d=5)
        y = np.random.default_rng(seed).integers(0, 2, 60)
        model = MonomialWinnow().partial_fit(X, y, classes=[0, 1])
        twin = winnow([products(x) for x in X.astype(int).tolist()], (2 * y - 1).tolist())
        player = model.players_[0]
        assert player.products.tolist() == twin.w
        assert model.record_.mistakes == twin.mistakes
        assert player.missed_positives == twin.missed_positives
        kept, signs = player.examples()
        assert len(kept) == len(signs) == twin.mistakes


@pytest.mark.parametrize(("d", "terms", "literals"), [(6, 2, 2), (8, 2, 3), (10, 3, 3)])
def test_the_concept_is_recovered_exactly(d, terms, literals):
    data = dnf(3000, d, terms=terms, literals=literals, random_state=3)
    model = MonomialWinnow().fit(data.X, data.y)
    assert model.record_.clean
    assert model.formula_ == dnf_text(sorted(data.terms, key=lambda t: (len(t), t)), None)
    points = cube(d).astype(float)
    assert model.predict(points).tolist() == np.where(data.holds(points), 1, -1).tolist()


@shared.SEQUENCES
def test_random_sequences_break_no_promise_and_a_broken_one_is_caught(seeds):
    broken = 0
    for seed in seeds:
        d, k = 3 + seed % 3, 1 + seed % 3
        data = dnf(40, d, terms=k, literals=1 + seed % 2, random_state=seed)
        model = MonomialWinnow().partial_fit(data.X, data.y, classes=[-1, 1])
        found = model.guarantees(terms=k)
        assert len(found) == 2
        assert all(g.holds for g in found), (seed, [str(g) for g in found])
        assert found[0].promised == winnow_dnf_mistakes(k, d)
        player = model.players_[0]
        assert player.missed_negatives <= 2 * player.missed_positives + 1
        broken += model.record_.mistakes > k * d  # the part for negative examples dropped
    assert broken > len(seeds) / 100


def test_a_positive_product_meets_its_part_of_the_bound():
    d = 6
    X = np.tile(np.zeros(d), (10, 1))  # only the empty product is one: it takes d doublings
    model = MonomialWinnow().partial_fit(X, np.ones(10), classes=[0, 1])
    assert model.record_.mistakes == d
    assert model.formula_ == "TRUE"


def test_the_trace_stays_within_the_potentials():
    for seed in range(10):
        data = dnf(80, 5, terms=2, literals=2, random_state=seed)
        trace = MonomialWinnow(trace=True).fit(data.X, data.y).record_.trace
        for total, heaviest, positive, negative in zip(
            trace["total_weight"],
            trace["largest_weight"],
            trace["missed_positives"],
            trace["missed_negatives"],
            strict=True,
        ):
            assert 0 < total <= winnow_weight_potential(32, int(positive), int(negative))
            assert heaviest <= winnow_largest_weight_potential(32)


def test_the_family(tmp_path):
    X = shared.cells(1)
    y = ((X[:, 1] * X[:, 4] + X[:, 2]) > 0).astype(int)
    noise = np.random.default_rng(2).integers(0, 2, len(X))
    for labels in (y, noise):
        shared.assert_mistakes_are_those_of_predicting_first(make(), X, labels)
        shared.assert_chunked_whole_and_one_by_one(make(trace=True), X, labels)
        shared.assert_saved_and_loaded(make(), X, labels, tmp_path / "a.assay")
    shared.assert_refuses_other_features(make(), X, y)
    shared.assert_dicts_are_features_by_name(make(), X, y)


def test_too_many_features_are_refused():
    with shared.refuses(
        "MonomialWinnow writes down all 2^d products of d features, so d may be at most 16, "
        "but X has 17 features. Use KTermDNF."
    ):
        MonomialWinnow().fit(np.eye(17), [0, 1] * 8 + [0])


def test_scikit_learns_checks_pass_but_those_named_in_the_class():
    model = MonomialWinnow()
    assert_checks_pass_but_those_named(model)
