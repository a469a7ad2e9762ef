from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from assay import Halving, play
from assay.boolean import conjunctions, disjunctions, dnf, halfspaces, intervals, stumps
from assay.data.synthetic.disjunction import disjunction as drawn
from assay.errors import BadData, BadParameter
from assay.play.adversaries import against_disjunctions
from assay.theory.mistake.version_space import (
    version_space_potential,
    version_space_weight_potential,
)
from tests.instances import disjunction, separable
from tests.learners.boolean import shared
from tests.naive import concepts as naive
from tests.naive.halving import halving
from tests.scikit_checks import assert_checks_pass_but_those_named

DATA = Path(__file__).parents[3] / "examples" / "data"


def make(*how, **more):
    return lambda: Halving(*how, **more)


# The rule


@pytest.mark.parametrize("negations", [False, True])
def test_one_pass_is_the_twins(negations):
    d = 4
    for seed in range(20):
        X = shared.cells(seed, rows=40, d=d, ones=0.5)
        twins = naive.disjunctions(d, negations=negations)
        target = twins[seed % len(twins)]
        y = np.array([int(target(x)) for x in X])
        signed = [lambda x, c=c: 1 if c(x) else -1 for c in twins]
        twin = halving(signed, X.tolist(), (2 * y - 1).tolist())
        model = Halving(disjunctions(negations=negations)).partial_fit(X, y, classes=[0, 1])
        assert model.left_ == len(twin.left)
        assert model.record_.mistakes == twin.mistakes


def test_all_disjunctions_of_sixteen_literals():
    data = drawn(10_000, 16, relevant=3, random_state=5)
    model = Halving("disjunctions").fit(data.X, data.y)
    assert model.formula_ == " OR ".join(f"x{j}" for j, _ in data.literals)
    assert model.left_ == 1
    [found] = model.guarantees()
    assert found.promised == 16
    assert found.holds


# Worst cases


def forced(hypotheses, points):
    """The most mistakes of halving (a tie is positive) that any sequence of points and labels can force."""
    known = {}

    def search(left):
        if left in known:
            return known[left]
        best = 0
        for x in points:
            yes = frozenset(h for h in left if h[x])
            no = left - yes
            guess = len(yes) >= len(no)
            for label, agree in ((True, yes), (False, no)):
                if agree and agree != left:
                    best = max(best, (guess != label) + search(agree))
        known[left] = best
        return best

    return search(frozenset(hypotheses))


def test_the_eight_monotone_disjunctions_of_three_bits_force_three_mistakes():
    tables = [naive.table(c, 3) for c in naive.disjunctions(3)]
    assert len(tables) == 8
    assert forced(tables, range(8)) == 3
    X = [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    model = Halving().partial_fit(X, [0, 0, 0], classes=[0, 1])  # each a tie, taken for positive
    assert model.record_.mistakes == 3
    assert model.guarantees()[0].promised == 3


def test_singletons_cost_halving_at_most_two():
    assert forced([tuple(row) for row in np.eye(5, dtype=bool).tolist()], range(5)) == 1
    model = Halving(np.eye(5)).partial_fit([[4]], [1], classes=[0, 1])
    assert (model.left_, model.record_.mistakes) == (1, 1)
    assert model.guarantees()[0].promised == 2


def test_no_class_of_four_points_forces_more_than_the_bound():
    for size in (2, 3, 4, 5):
        for tables in itertools.islice(
            itertools.combinations(itertools.product((False, True), repeat=3), size), 60
        ):
            assert forced(tables, range(3)) <= size.bit_length() - 1


@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_the_adversary_meets_the_bound_with_equality(d):
    # Every deterministic learner can be forced to d mistakes, and log2 of 2^d is all that halving makes.
    model = Halving()
    assert against_disjunctions(model, features=d).mistakes == d
    [found] = model.guarantees()
    assert (found.promised, found.observed, found.holds) == (d, d, True)


@settings(max_examples=60)
@given(st.data(), st.sampled_from(["disjunctions", "conjunctions", "dnf"]), st.booleans())
def test_answers_made_up_on_the_way_promise_only_what_they_keep(data, spec, spiteful):
    model = Halving(spec).partial_fit([[0.0, 0, 0]], [0], classes=[0, 1])
    for _ in range(data.draw(st.integers(0, 12))):
        x = data.draw(st.tuples(*[st.integers(0, 1)] * 3))
        said = model.predict_one(x)
        player = model.players_[0]
        left = np.flatnonzero(player.alive)
        votes = player.built.words(np.array([x], dtype=float), left)
        spite = 1 - said
        # The opposite of the prediction, where some concept left would say so; or anything.
        label = (
            (spite if (votes == spite).any() else said)
            if spiteful
            else data.draw(st.integers(0, 1))
        )
        model.learn_one(x, label)
    [found] = model.guarantees()
    if spiteful:
        assert found.holds
    else:
        assert found.holds is None if found.promised is None else found.holds


# Guarantees

CLASSES = [
    disjunctions(),
    disjunctions(negations=True, literals=2),
    conjunctions(negations=True),
    dnf(literals=2, terms=2),
    stumps(),
    intervals([0.0, 1.0]),
]


@shared.SEQUENCES
def test_random_sequences_break_no_promise_and_a_broken_one_is_caught(seeds):
    broken = weighed = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        spec = CLASSES[seed % len(CLASSES)]
        code = "size" if seed % 4 == 0 else None
        X = (rng.random((20, 4)) < rng.uniform(0.2, 0.8)).astype(float)
        fresh = Halving(spec, code).partial_fit(X[:1], [1], classes=[0, 1])
        player = fresh.players_[0]
        place = int(rng.integers(player.built.size))
        [word] = player.built.words(X, np.array([place]))
        y = np.array([int(word) >> t & 1 for t in range(20)])
        model = Halving(spec, code).partial_fit(X, y, classes=[0, 1])
        [found] = model.guarantees()
        assert found.holds, (seed, str(found))
        assert found.assumptions[0].status == "checked"
        if code is None:
            broken += model.record_.mistakes > (player.built.size.bit_length() - 1) // 2
        else:
            bits = int(player.built.bits[place])
            assert model.record_.mistakes <= bits
            weighed += int(found.promised) < player.built.size.bit_length() - 1
    assert broken > len(seeds) / 100
    assert weighed > len(seeds) / 100  # short targets are promised less than halving would


def test_a_short_target_costs_few_mistakes():
    X, y, _ = disjunction(0, 200, 12, k=1)
    plain, coded = Halving().fit(X, y), Halving(code="size").fit(X, y)
    assert plain.guarantees()[0].promised == 12
    [found] = coded.guarantees()
    assert found.theorem == "generalized-halving-mistakes"
    assert found.inputs == {"bits": 1 + 1 + 4}
    assert found.holds


def test_a_code_of_ones_own():
    table = np.array([[0, 0], [0, 1], [1, 1]])
    model = Halving(table, code=[1, 2, 2]).partial_fit([[1], [0]], [1, 0], classes=[0, 1])
    assert model.record_.mistakes == 1  # the first round is a tie, and so is the second
    assert model.formula_ == "concept 1"
    with shared.refuses(
        "code must have the lengths of a prefix-free code, but their sum of 2^-bits is 1.25, above 1.",
        BadParameter,
    ):
        Halving(table, code=[1, 1, 2]).partial_fit([[1]], [1], classes=[0, 1])
    with shared.refuses("code must have words of at most 62 bits, but has 63.", BadParameter):
        Halving(table, code=[1, 2, 63]).partial_fit([[1]], [1], classes=[0, 1])
    for code in ([1, 2], [1, 2, 0.5], "short", [-1, 2, 2]):
        with shared.refuses(
            "code must be None, 'size', or 3 whole numbers, the bits of each concept, "
            f"but is {code!r}.",
            BadParameter,
        ):
            Halving(table, code=code).partial_fit([[1]], [1], classes=[0, 1])


def test_labels_that_no_concept_gives_promise_nothing():
    model = Halving().partial_fit([[1.0, 0], [1, 0]], [1, 0], classes=[0, 1])
    [found] = model.guarantees()
    assert (found.promised, found.holds) == (None, None)
    assert found.assumptions[0].evidence == "no concept of the class agrees with all 2 examples"
    assert model.left_ == 2  # nothing was deleted by the label that all refuse


# On a net of the sphere


@pytest.mark.parametrize("d", [1, 2, 3])
def test_separators_through_the_origin(d):
    for seed in range(30):
        X, y, _ = separable(seed, rows=60, d=d, margin=0.2)
        model = Halving(halfspaces(margin=0.2)).partial_fit(X, y, classes=[-1, 1])
        by_margin, by_size = model.guarantees()
        assert by_margin.theorem == "halving-cover-mistakes"
        assert by_margin.holds
        assert by_size.holds
        assert int(by_size.promised) <= int(by_margin.promised)
        assert [a.status for a in by_margin.assumptions] == ["declared", "checked"]
        assert model.score(X, y) == 1.0


def test_a_wrong_margin_or_radius_is_seen():
    X, y, _ = separable(1, rows=200, d=2, margin=0.001)
    model = Halving(halfspaces(margin=0.9)).partial_fit(X, y, classes=[-1, 1])
    assert model.guarantees()[0].promised is None
    long = Halving(halfspaces(margin=0.1, radius=0.5)).partial_fit(X, y, classes=[-1, 1])
    found = long.guarantees()[0]
    assert found.promised is None
    assert found.assumptions[0].evidence.startswith("an example has length ")
    with shared.refuses("margin must be at most the radius 1.0, but is 2.0.", BadParameter):
        Halving(halfspaces(margin=2)).partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(BadParameter, match="needs more than 4,194,304 vectors"):
        Halving(halfspaces(margin=1e-7)).partial_fit(np.ones((2, 2)), [1, -1], classes=[-1, 1])


# Receipts


@pytest.mark.parametrize("code", [None, "size"])
def test_the_trace_stays_within_the_potentials(code):
    broken = 0
    for seed in range(30):
        X, y, _ = disjunction(seed, 60, 8, k=2)
        trace = Halving(code=code, trace=True).fit(X, y).record_.trace
        for left, weight, mistakes in zip(
            trace["left"], trace["weight_left"], trace["mistakes"], strict=True
        ):
            if code is None:
                assert left <= version_space_potential(256, int(mistakes))
                broken += left > version_space_potential(256, int(mistakes) + 2)
            else:
                assert weight <= version_space_weight_potential(int(mistakes))
        assert (np.diff(trace["left"]) < 0).all()
    assert code is not None or broken > 5


# What all of the family do


@pytest.mark.parametrize("code", [None, "size"])
def test_the_family(code, tmp_path):
    X = shared.cells(1)
    y = (X[:, 1] + X[:, 4] > 0).astype(int)
    noise = np.random.default_rng(2).integers(0, 2, len(X))
    three = (X[:, 1] + X[:, 4]).astype(int)
    fresh = make("disjunctions", code, trace=True)
    for labels in (y, noise):
        shared.assert_mistakes_are_those_of_predicting_first(fresh, X, labels)
    for labels in (y, noise, three):
        shared.assert_chunked_whole_and_one_by_one(fresh, X, labels)
        shared.assert_saved_and_loaded(fresh, X, labels, tmp_path / "a.assay")
    shared.assert_refuses_other_features(fresh, X, y)
    shared.assert_dicts_are_features_by_name(fresh, X, y)


@pytest.mark.parametrize(
    "spec", [stumps([0.25, 0.75]), intervals([0.0, 0.5]), halfspaces(0.5, 3.0), dnf(terms=1)]
)
def test_other_classes_do_it_too(spec, tmp_path):
    X = shared.cells(1, d=3)
    y = (X[:, 1] > 0).astype(int)
    shared.assert_mistakes_are_those_of_predicting_first(make(spec), X, y)
    shared.assert_chunked_whole_and_one_by_one(make(spec), X, y)
    shared.assert_saved_and_loaded(make(spec), X, y, tmp_path / "a.assay")


def test_numbers_that_are_none_are_refused():
    model = Halving(stumps([0.5])).partial_fit([[0.2], [0.7]], [0, 1], classes=[0, 1])
    with shared.refuses("Input X contains NaN or infinity: row 0, column 0 holds NaN."):
        model.predict([[np.nan]])
    with shared.refuses("x[0] must be a finite number, but is nan."):
        model.learn_one([np.nan], 1)


def test_scikit_learns_checks_pass_but_those_named_in_the_class():
    model = Halving()
    assert_checks_pass_but_those_named(model)


def test_with_a_class_for_any_numbers_all_but_one_pass():
    unfit = {"check_classifiers_train": "no threshold on one feature tells blobs apart"}
    model = Halving(stumps(np.linspace(-8, 8, 33)))
    check_estimator(model, on_skip=None, expected_failed_checks=unfit)


def test_no_weights_to_show_and_nothing_left_in_a_clone():
    X, y, _ = disjunction(3, 80, 8)
    model = Halving().fit(X, y)
    assert play(Halving(), X, y).mistakes == model.record_.mistakes
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "intercept_")
    assert not hasattr(clone(model), "players_")
    with pytest.raises(BadData, match="at least one feature"):
        Halving().learn_one({}, True)


# Real data


def test_zoo_mammals_by_one_conjunction():
    frame = pd.read_parquet(DATA / "zoo.parquet")
    X = frame.drop(columns=["target", "legs"]).astype(int)
    model = Halving(conjunctions(literals=2, negations=True)).fit(X, frame["target"] == "mammal")
    assert model.formula_ == "milk"
    assert model.score(X, frame["target"] == "mammal") == 1.0
    assert model.guarantees()[0].holds
