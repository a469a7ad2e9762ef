"""Successive halving: who is stopped when, the clock, and a promise that holds however the winner came to be left."""

import numpy as np
import pyarrow as pa
import pytest

from assay.errors import BadParameter
from assay.tables import halving
from assay.tables.asked import asked_learners
from assay.tables.candidates import Candidate, Shape, candidates_for, named_candidates
from assay.tables.choice import choose
from assay.tables.divide import divide
from assay.tables.fit import fit_table
from assay.tables.halving import stages
from assay.tables.holdout_size import HoldoutSize
from assay.tables.rows import some_rows
from assay.tables.source import Source, load_rows
from assay.theory.tail.exact_twins import finite_class_exact
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound
from tests.tables.tables import small, written

LITTLE = (
    Candidate("decision-tree-classifier", 2, {"max_leaf_nodes": 4}),
    Candidate("gaussian-nb", 2),
    Candidate("k-neighbors-classifier", 3, {"n_neighbors": 1}),
    Candidate("k-neighbors-classifier", 3),
    Candidate("logistic-regression", 3, {"max_iter": 100}),
    Candidate("perceptron", 3),
)
NOISY = tuple(
    Candidate("random-forest-classifier", 4, {"n_estimators": 1, "random_state": k})
    for k in range(16)
)


def divided(table, path):
    source = Source(written(table, path), "kind")
    return divide(load_rows(source), None, HoldoutSize(10), 0, "drop"), source


def test_everybody_is_judged_before_anybody_is_dropped_and_the_last_learn_from_all_rows():
    for learning in (3, 150, 4000, 100_000):
        for judging in (1, 50, 2000):
            plan = stages(18, learning, judging)
            assert plan[-1].rows == learning
            assert plan[0].split == 0
            assert [one.keep for one in plan] == sorted((one.keep for one in plan), reverse=True)
            assert plan[-1].keep >= 1
            # The first split is judged to the end before any other, for the promise is made by it.
            firsts = [one for one in plan if one.split == 0]
            assert plan[: len(firsts)] == firsts
            assert firsts[-1].rows == learning


def test_losers_stop_early(tmp_path, monkeypatch):
    monkeypatch.setattr(halving, "_FEWEST_ROWS", 20)
    monkeypatch.setattr(halving, "_FINALISTS", 1)
    found = choose(*divided(small(400), tmp_path / "t.csv"), candidates=LITTLE)
    stopped = [one for one in found.tried if one.remark.startswith("stopped early, after ")]
    assert len(stopped) == 5
    assert found.chosen.errors is not None
    assert all(one.errors is None for one in stopped if "after 18 rows" in one.remark)


def test_a_limit_that_nobody_keeps_leaves_one_who_learned_from_all_rows(tmp_path):
    found = choose(*divided(small(200), tmp_path / "t.csv"), candidates=LITTLE, time_limit=1e-9)
    assert [one.errors is not None for one in found.tried] == [True] + 5 * [False]
    assert found.chosen is found.tried[0]
    assert found.splits == 1
    assert found.cut == LITTLE[1:]
    assert found.notes[0].startswith("The time limit of 1e-09 s was reached before")
    # Whoever there was no time for has paid for its word in the code.
    assert found.chosen.promised > found.chosen.errors / found.chosen.rows


def test_compiling_is_rehearsed_once_for_each_learner(tmp_path, monkeypatch):
    heard = []
    monkeypatch.setattr(halving, "rehearse", lambda listed, tell: heard.extend(listed))
    choose(*divided(small(200), tmp_path / "t.csv"), candidates=LITTLE)
    assert [one.candidate.learner for one in heard] == list(
        dict.fromkeys(one.learner for one in LITTLE)
    )


def test_one_of_several_learners(tmp_path):
    path = written(small(300), tmp_path / "t.csv")
    fitted = fit_table(path, "kind", learner="gaussian-nb, perceptron")
    assert {one.candidate.learner for one in fitted.choice.tried} == {"gaussian-nb", "perceptron"}
    assert [one.candidate.bits for one in fitted.choice.tried] == [1, 1]
    assert fitted.learner in ("gaussian-nb", "perceptron")
    assert fitted.certificate.claims[-1].theorem == "occam-exact"


def test_what_may_be_asked_for():
    assert asked_learners(("svc", "perceptron")) == ("auto", ("svc", "perceptron"))
    with refuses("svc is named twice. Name every learner once."):
        asked_learners("svc,svc")
    with refuses("auto stands for learners of its own choice: name it alone."):
        asked_learners("auto,svc")
    with refuses("learner must name at least one learner."):
        asked_learners(" , ")
    with refuses("time_limit must be a number of seconds above zero, but is 0.", BadParameter):
        fit_table("t.csv", "y", time_limit=0)


@pytest.mark.parametrize(
    "shape", [Shape(10), Shape(10, classes=26), Shape(300, texts=True), Shape(3, classes=1000)]
)
def test_names_are_a_prefix_free_code(shape):
    for listed in (
        candidates_for(shape),
        named_candidates(["svc", "perceptron", "gaussian-nb"], shape),
    ):
        assert sum(2.0**-one.bits for one in listed) <= 1
        assert len({str(one) for one in listed}) == len(listed)


def test_a_subset_has_every_class():
    y = np.array([0] * 500 + [1])
    assert set(y[some_rows(y, 10, 0)]) == {0, 1}
    assert len(some_rows(np.arange(100), 5, 0)) == 5


def noise(seed):
    rng = np.random.default_rng(seed)
    kind = np.where(rng.random(80) < 0.5, "tall", "flat")
    return pa.table({**{f"x{i}": rng.normal(size=80) for i in range(4)}, "kind": kind})


@pytest.fixture(scope="module")
def choices(tmp_path_factory):
    """Chosen where nothing can be learned: every candidate is wrong for half of all rows."""
    folder = tmp_path_factory.mktemp("noise")
    with pytest.MonkeyPatch.context() as patch:
        # Further splits would hide what the first one alone promises too much.
        patch.setattr(halving, "_MOST_SPLITS", 1)
        return [
            choose(
                *divided(noise(seed), folder / "t.csv"), candidates=NOISY, seed=seed, delta="0.9"
            )
            for seed in range(250)
        ]


@pytest.mark.guarantees
def test_the_promise_holds_for_the_winner(choices):
    failures = sum(one.chosen.promised < 0.5 for one in choices)
    assert_sound(failures, len(choices), 0.09)


@pytest.mark.guarantees
def test_a_promise_that_does_not_pay_for_the_choice_fails(choices):
    failures = sum(
        finite_class_exact(one.chosen.errors, one.chosen.rows, 1, one.delta) < 0.5
        for one in choices
    )
    assert_unsound(failures, len(choices), 0.09)
