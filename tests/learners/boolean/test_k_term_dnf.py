from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import KTermDNF, load, save
from assay.data.synthetic.dnf import dnf
from assay.errors import BadData, BadParameter, UnknownName
from assay.guarantees.boolean_text import dnf_text
from assay.learners.boolean import cube
from assay.theory.mistake.perceptron import perceptron_norm_potential
from tests.learners.boolean import shared
from tests.naive.kernel_perceptron import all_products, kernel_perceptron
from tests.scikit_checks import assert_checks_pass_but_those_named

DATA = Path(__file__).parents[3] / "examples" / "data"
BOTH = pytest.mark.parametrize("negations", [False, True])


def make(negations=False, **how):
    return lambda: KTermDNF(negations=negations, **how)


# The rule


@BOTH
def test_one_pass_is_the_twins(negations):
    for seed in range(20):
        X = shared.cells(seed, rows=60, d=7)
        y = np.random.default_rng(seed).integers(0, 2, 60)
        model = KTermDNF(negations).partial_fit(X, y, classes=[0, 1])
        literals = np.hstack([X, 1 - X]) if negations else X
        twin = kernel_perceptron(all_products, literals.astype(int).tolist(), (2 * y - 1).tolist())
        assert model.record_.mistakes == twin.mistakes
        kept, signs = model.players_[0].examples()
        assert kept.astype(int).tolist() == [x[:7] for x, _ in twin.support]
        assert signs.tolist() == [label for _, label in twin.support]


def test_many_mistakes_make_room_for_more():
    X = shared.cells(0, rows=3000, d=12, ones=0.5)
    y = np.random.default_rng(1).integers(0, 2, 3000)
    model = KTermDNF().partial_fit(X, y, classes=[0, 1])
    assert model.record_.mistakes > 1000
    assert model.players_[0].held == model.record_.mistakes


# The formula


@pytest.mark.parametrize(
    ("d", "terms", "literals"), [(6, 1, 3), (8, 2, 3), (10, 3, 2), (10, 3, 3), (14, 3, 3)]
)
def test_the_concept_is_recovered_exactly(d, terms, literals):
    data = dnf(3000, d, terms=terms, literals=literals, random_state=3)
    model = KTermDNF().fit(data.X, data.y)
    assert model.record_.clean
    assert model.formula_ == dnf_text(sorted(data.terms, key=lambda t: (len(t), t)), None)
    assert model.guarantees(terms=terms)[0].holds


@pytest.mark.parametrize(("d", "terms", "literals"), [(5, 2, 2), (8, 2, 3), (10, 3, 2)])
def test_with_negations_too(d, terms, literals):
    data = dnf(3000, d, terms=terms, literals=literals, negated=True, random_state=3)
    model = KTermDNF(negations=True).fit(data.X, data.y)
    assert model.record_.clean
    assert model.formula_ == dnf_text(sorted(data.terms, key=lambda t: (len(t), t)), None)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_formula_is_the_hypothesis_on_the_whole_cube(seed, negations):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    X, y = (rng.random((40, d)) < 0.5).astype(float), rng.integers(0, 2, 40)
    model = KTermDNF(negations).partial_fit(X, y, classes=[0, 1])
    points = cube(d)
    said = np.zeros(len(points), dtype=bool)
    for term in model.players_[0].terms():
        said |= np.all([points[:, j] == plain for j, plain in term], axis=0) if term else True
    assert said.tolist() == (model.predict(points.astype(float)) == 1).tolist()


def test_beyond_the_cube_a_small_formula_agrees_with_the_mistaken_examples():
    data = dnf(4000, 24, terms=2, literals=2, random_state=2)
    model = KTermDNF(n_iter_no_change=1000).fit(data.X, data.y)
    assert model.formula_ == dnf_text(data.terms, None)


def test_after_more_lessons_the_sample_no_longer_counts():
    data = dnf(100, 8, terms=2, literals=2, negated=True, random_state=2)
    model = KTermDNF(negations=True).fit(data.X, data.y)
    player = model.players_[0]
    assert len(player.sample) == len(np.unique(data.X, axis=0))
    small = player.terms()
    points = np.unique(data.X, axis=0)
    said = np.zeros(len(points), dtype=bool)
    for term in small:
        said |= np.all([points[:, j] == plain for j, plain in term], axis=0)
    assert said.tolist() == (model.predict(points) == 1).tolist()
    while player.sampled == player.updates:
        x = np.random.default_rng(player.rounds).integers(0, 2, 8).astype(float)
        model.learn_one(x, -model.predict_one(x))
    assert player.terms() != small


def test_names_of_features():
    X = pd.DataFrame(cube(3).astype(int), columns=["wet", "cold", "dark"])
    model = KTermDNF().fit(X, (X["wet"] & X["cold"]) | X["dark"])
    assert model.formula_ == "dark OR (wet AND cold)"


# Guarantees


@shared.SEQUENCES
def test_random_sequences_break_no_promise_and_a_broken_one_is_caught(seeds):
    broken = 0
    for seed in seeds:
        d, k, negated = 4 + seed % 3, 1 + seed % 3, seed % 2 == 1
        data = dnf(40, d, terms=k, literals=1 + seed % 2, negated=negated, random_state=seed)
        model = KTermDNF(negated).partial_fit(data.X, data.y, classes=[-1, 1])
        found = model.guarantees(terms=k)
        assert len(found) == 2
        assert all(g.holds for g in found), (seed, [str(g) for g in found])
        broken += model.record_.mistakes > 4 * k  # the factor 2^ones dropped
    assert broken > len(seeds) / 20


def test_declared_and_found_numbers_of_terms():
    data = dnf(500, 8, terms=3, literals=2, random_state=0)
    model = KTermDNF().partial_fit(data.X, data.y, classes=[-1, 1])
    said, found = model.guarantees(terms=3)
    ones = model.players_[0].most_ones
    assert said.inputs == {"terms": 3, "features": 8, "most_ones": ones}
    assert said.promised == 13 * 2**ones
    assert said.assumptions[0].status in ("declared", "checked")
    assert found.assumptions[0].status == "checked"
    assert "agrees with all" in found.assumptions[0].evidence
    none = model.guarantees(terms=0)[0]
    assert none.promised is None or none.holds
    with shared.refuses("terms must be a whole number of at least 0, but is -1.", BadParameter):
        model.guarantees(terms=-1)
    sentence = "KTermDNF has no guarantee from 'literals'; it takes terms."
    with shared.refuses(sentence, UnknownName):
        model.guarantees(literals=3)


def test_labels_that_no_formula_gives_promise_nothing():
    X = np.array([[1.0, 0], [1, 0], [1, 0]])
    model = KTermDNF().partial_fit(X, [0, 1, 0], classes=[0, 1])
    for found in model.guarantees(terms=1):
        assert found.promised is None
        assert found.assumptions[0].evidence == (
            "some mistaken examples have labels that no such formula gives"
        )


# Receipts


@BOTH
def test_the_trace_stays_within_the_potential(negations):
    for seed in range(10):
        data = dnf(80, 6, terms=2, literals=2, negated=negations, random_state=seed)
        model = KTermDNF(negations, trace=True).fit(data.X, data.y)
        trace = model.record_.trace
        for m, (square, largest) in enumerate(
            zip(trace["squared_norm"], trace["largest_square"], strict=True), start=1
        ):
            assert 0 <= square <= perceptron_norm_potential(m, largest**0.5) * (1 + 1e-12)
        kept, signs = model.players_[0].examples()
        rows = np.hstack([kept, ~kept]) if negations else kept
        gram = 2.0 ** (rows.astype(int) @ rows.T.astype(int))
        assert trace["squared_norm"][-1] == signs @ gram @ signs


# What all of the family do


@BOTH
def test_the_family(negations, tmp_path):
    X = shared.cells(1)
    y = ((X[:, 1] * X[:, 4] + X[:, 2]) > 0).astype(int)
    noise = np.random.default_rng(2).integers(0, 2, len(X))
    three = (X[:, 1] + X[:, 4]).astype(int)
    for labels in (y, noise):
        shared.assert_mistakes_are_those_of_predicting_first(make(negations), X, labels)
    for labels in (y, noise, three):
        shared.assert_chunked_whole_and_one_by_one(make(negations, trace=True), X, labels)
        shared.assert_saved_and_loaded(make(negations, trace=True), X, labels, tmp_path / "a.assay")
    shared.assert_refuses_other_features(make(negations), X, y)
    shared.assert_dicts_are_features_by_name(make(negations), X, y)


@BOTH
def test_scikit_learns_checks_pass_but_those_named_in_the_class(negations):
    model = KTermDNF(negations)
    assert_checks_pass_but_those_named(model)


def test_examples_that_do_not_fit_are_refused(tmp_path):
    model = KTermDNF().partial_fit(np.eye(4), [1, 0, 1, 0], classes=[0, 1])
    model.players_[0].held = 10**6
    save(model, tmp_path / "a.assay")
    with pytest.raises(BadData, match="the mistaken examples do not fit this learner"):
        load(tmp_path / "a.assay")


# Real data


def test_house_votes():
    frame = pd.read_parquet(DATA / "house_votes_84.parquet")
    votes = frame.drop(columns="target")
    X = pd.concat([(votes == True).fillna(False), (votes == False).fillna(False)], axis=1)  # noqa: E712
    X.columns = [f"{name}={side}" for side in ("yes", "no") for name in votes]
    X, y = X.astype(int), frame["target"].astype(str)
    model = KTermDNF().fit(X, y)
    assert model.record_.clean
    assert model.score(X, y) == 1.0
    for found in model.guarantees():
        assert found.promised is None or found.holds
    assert "physician_fee_freeze" in model.formula_
