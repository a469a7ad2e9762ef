"""Every probabilistic certificate on data of known truth, and beside each a broken twin.

Both are tried by `check_bound` on the same data: the certificate must pass, the twin must be flagged.
A sound certificate fails this with probability one in a million.
"""

from __future__ import annotations

import math

import pytest

from assay.checks import check_bound
from assay.checks.experiments import bounded_losses, peeking
from assay.theory.registry import theorems
from assay.theory.tail.anytime import holdout_anytime
from assay.theory.tail.betting import bounded_betting
from assay.theory.tail.kl import holdout_kl
from tests.guarantees import (
    end_cases,
    holdout_cases,
    judged_cases,
    logged_cases,
    online_cases,
    report_cases,
    training_cases,
    unit_cases,
)
from tests.guarantees.case import DELTA, Case, at, fast_exact
from tests.guarantees.holdout_cases import bernstein

CASES = [
    *end_cases.CASES,
    *holdout_cases.CASES,
    *judged_cases.CASES,
    *logged_cases.CASES,
    *online_cases.CASES,
    *report_cases.CASES,
    *training_cases.CASES,
    *unit_cases.CASES,
]


def assert_told_apart(case: Case, trials: int) -> None:
    sound = check_bound(
        case.experiment(case.certificate), delta=DELTA, trials=trials, random_state=11
    )
    assert sound.sound, f"{case.theorem}: {sound}"
    # A twin that is broken enough shows it in fewer trials.
    few = min(trials, 5_000)
    broken = check_bound(case.experiment(case.twin), delta=DELTA, trials=few, random_state=12)
    assert not broken.sound, f"{case}: {broken}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_certificate_passes_and_its_broken_twin_does_not(case):
    assert_told_apart(case, case.trials)


@pytest.mark.guarantees
@pytest.mark.parametrize("case", CASES, ids=str)
def test_certificate_passes_and_its_broken_twin_does_not_in_many_trials(case):
    assert_told_apart(case, trials=20_000)


@pytest.mark.guarantees
@pytest.mark.parametrize("rate", [0.02, 0.05, 0.2])
def test_sixty_looks_at_every_rate(rate):
    anytime = check_bound(peeking(at(holdout_anytime), 60, 600, rate), delta=DELTA)
    assert anytime.sound, anytime
    assert anytime.rate > 0.01
    naive = check_bound(peeking(fast_exact, 60, 600, rate), delta=DELTA)
    assert not naive.sound
    assert naive.rate > 0.12


@pytest.mark.guarantees
@pytest.mark.parametrize(
    ("sampler", "mean"),
    [
        (lambda rng, size: rng.uniform(0, 0.1, size), 0.05),
        (lambda rng, size: rng.beta(2, 8, size), 0.2),
        (lambda rng, size: (rng.random(size) < 0.1) * rng.random(size), 0.05),
        (lambda rng, size: 1 - (rng.random(size) < 0.02) * rng.random(size), 0.99),
    ],
    ids=["uniform", "beta", "mostly zero", "mostly one"],
)
def test_losses_of_every_shape(sampler, mean):
    for bound in (
        lambda x: bounded_betting(x, DELTA),
        lambda x: bounded_betting(x, DELTA, anytime=True),
        bernstein,
        lambda x: holdout_kl(math.fsum(x), x.size, DELTA),
    ):
        found = check_bound(bounded_losses(bound, sampler, mean, 50), delta=DELTA, trials=4000)
        assert found.sound, found


def test_no_probabilistic_certificate_is_left_out():
    holdouts = {
        entry.id
        for entry in theorems()
        if not entry.number
        and entry.claims
        and entry.kind in ("error", "rate", "difference")
        and entry.holds == "probability"
    }
    assert holdouts <= {case.theorem for case in CASES}
