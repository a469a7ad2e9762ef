"""Plans of labels for a judged batch: as often as planned, and about half of what simple sampling needs."""

import numpy as np
import pytest

from assay import certify, certify_judged, plan
from assay.errors import BadParameter
from assay.theory.tail.judged import judged_strata
from assay.theory.tail.power_judged import batch_rows, judged_power, shared_out
from tests.power import assert_no_power, assert_power
from tests.refusals import refuses

JUDGE = {"flagged": (1000, 0.8), "passed": (9000, 0.01)}


def test_about_half_of_what_a_sample_of_the_whole_batch_needs():
    found = plan(error=0.11, judge=JUDGE, power=0.8)
    assert 480 < found.rows < 540
    theorem, rows = found.textbook
    assert (theorem, rows) == ("holdout-finite-population", 1123)
    assert 0.4 < found.rows / rows < 0.55
    assert sum(labels for _, labels in found.parts) == found.rows
    assert [name for name, _ in found.parts] == ["flagged", "passed"]
    assert (found.purpose, found.theorem) == ("judges", "judged-strata")


def test_a_judge_that_knows_nothing_saves_nothing():
    found = plan(error=0.11, judge={"flagged": (5000, 0.089), "passed": (5000, 0.089)}, power=0.8)
    assert found.rows > 0.95 * found.textbook[1]


def succeeded(labelled, runs, seed=3, most=1100):
    rng = np.random.default_rng(seed)
    seen = zip(
        rng.hypergeometric(800, 200, labelled[0], runs).tolist(),
        rng.hypergeometric(90, 8910, labelled[1], runs).tolist(),
        strict=True,
    )
    population = {name: size for name, (size, _) in JUDGE.items()}
    count = 0
    for flagged, passed in seen:
        labels = {"flagged": (labelled[0], flagged), "passed": (labelled[1], passed)}
        count += certify_judged(labels=labels, population=population).claims[0].promised <= most
    return count


@pytest.mark.guarantees
def test_certificates_succeed_as_often_as_planned():
    found = plan(error=0.11, judge=JUDGE, power=0.8)
    labelled = [labels for _, labels in found.parts]
    assert_power(succeeded(labelled, 300), 300, found.power)
    half = [labels // 2 for labels in labelled]
    fewer = succeeded(half, 200)
    assert_no_power(fewer, 200, found.power)
    assert_power(fewer, 200, judged_power((1000, 9000), (800, 90), 1100, 0.05, half))


def test_simple_sampling_succeeds_as_often_as_is_said_beside_it():
    rows = batch_rows(2000, 178, 220, 0.05, 0.8)
    errors = np.random.default_rng(0).hypergeometric(178, 1822, rows, 300).tolist()
    made = (certify(errors=k, rows=rows, population=2000) for k in errors)
    successes = sum(round(one.error * 2000) <= 220 for one in made)
    assert 0.8 - 0.11 < successes / 300 < 0.8 + 0.11


@pytest.mark.parametrize(
    ("sizes", "bad", "labelled", "most"),
    [
        ((40, 60), (10, 4), (12, 20), 22),
        ((300,), (30,), (80,), 45),
        ((50, 50), (20, 3), (50, 20), 30),
        ((10**5, 10**6), (80_000, 10_000), (40, 60), 150_000),
    ],
)
def test_the_power_is_the_chance_that_the_theorem_promises_so_much(sizes, bad, labelled, most):
    rng = np.random.default_rng(1)
    draws = [
        rng.hypergeometric(k, n - k, m, 400) for n, k, m in zip(sizes, bad, labelled, strict=True)
    ]
    seen = np.stack(draws, axis=1).tolist()
    successes = sum(judged_strata(sizes, labelled, k, 0.05) <= most for k in seen)
    assert_power(successes, 400, judged_power(sizes, bad, most, 0.05, labelled))


def test_several_strata_are_drawn():
    sizes, bad, labelled = (400, 300, 300), (200, 60, 6), (60, 60, 60)
    rng = np.random.default_rng(1)
    draws = [
        rng.hypergeometric(k, n - k, m, 200) for n, k, m in zip(sizes, bad, labelled, strict=True)
    ]
    successes = sum(
        judged_strata(sizes, labelled, k, 0.05) <= 320 for k in np.stack(draws, axis=1).tolist()
    )
    assert_power(successes, 200, judged_power(sizes, bad, 320, 0.05, labelled))


def test_labels_are_shared_out_to_the_last():
    for sizes, weights, labels in (
        ((10, 90), (0.9, 0.1), 50),
        ((5, 5, 5), (1, 1, 1), 15),
        ((100, 100), (1, 0), 30),
    ):
        given = shared_out(sizes, weights, labels)
        assert sum(given) == labels
        assert all(1 <= n <= size for n, size in zip(given, sizes, strict=True))


def test_all_labelled_is_always_enough():
    found = plan(error=0.16, judge=[(100, 0.15), (100, 0.15)])
    assert found.rows <= 200
    assert found.power_at(200) == pytest.approx(1.0)


def test_refusals():
    with refuses(
        "error must be above the share 0.089 that is guessed to be wrong, but is 0.08.",
        BadParameter,
    ):
        plan(error=0.08, judge=JUDGE)
    with pytest.raises(BadParameter, match=r"judge\['flagged'\] must be a pair"):
        plan(error=0.1, judge={"flagged": 5})
    with refuses(
        f"judge must be left out where the plan is for groups, but is {JUDGE!r}.", BadParameter
    ):
        plan(error=0.11, judge=JUDGE, groups=[0.5, 0.5])
