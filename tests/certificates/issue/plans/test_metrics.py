"""Plans of metrics: certificates with `rates` promise them as often as planned."""

import numpy as np
import pytest

from assay import certify, plan
from assay.errors import BadParameter
from assay.theory.tail.power import f1_rows, rate_rows
from tests.power import assert_no_power, assert_power
from tests.refusals import refuses


def test_the_metric_spends_the_half_of_delta_that_is_left_to_it():
    found = plan(precision=0.9, expected=0.95, power=0.8, flagged=0.2)
    assert found.rows == rate_rows(0.95, 0.9, 0.8, 0.025, share=0.2)
    several = plan(precision=0.9, expected=0.95, power=0.8, flagged=0.2, rates=2)
    assert several.rows == rate_rows(0.95, 0.9, 0.8, 0.0125, share=0.2)
    assert (found.purpose, found.theorem) == ("metric", "rate-at-least")


def test_without_a_share_the_rows_are_those_that_count():
    alone = plan(recall=0.9, expected=0.95).rows
    assert plan(precision=0.9, expected=0.95).rows == alone
    assert plan(recall=0.9, expected=0.95, prevalence=0.1).rows == pytest.approx(
        10 * alone, rel=0.1
    )
    assert plan(specificity=0.9, expected=0.95, prevalence=0.5).rows == pytest.approx(
        2 * alone, rel=0.1
    )


def test_f1_is_planned_by_precision_and_recall():
    pair = plan(f1=0.8, expected=(0.95, 0.85), prevalence=0.3)
    assert pair.rows == f1_rows(0.95, 0.85, 0.3, 0.8, 0.9, 0.025)
    one = plan(f1=0.8, expected=0.9, prevalence=0.3)
    assert one.rows == plan(f1=0.8, expected=(0.9, 0.9), prevalence=0.3).rows


def succeeded(metric, least, rows, runs, seed=0):
    """Rows of which 30 % are positive, of a model with precision and recall 0.9."""
    rng = np.random.default_rng(seed)
    truth = [True, True, False, False]
    guess = [True, False, True, False]
    cells = rng.multinomial(rows, [0.27, 0.03, 0.03, 0.67], runs)
    count = 0
    for many in cells:
        y, p = np.repeat(truth, many), np.repeat(guess, many)
        claims = certify(y_true=y, y_pred=p, rates=[metric], positive=True).claims
        count += claims[1].promised >= least
    return count


@pytest.mark.guarantees
@pytest.mark.parametrize(
    ("metric", "least", "more"),
    [
        ("precision", 0.85, {"flagged": 0.3}),
        ("recall", 0.85, {"prevalence": 0.3}),
        ("f1", 0.86, {"prevalence": 0.3}),
    ],
)
def test_certificates_succeed_as_often_as_planned(metric, least, more):
    found = plan(**{metric: least}, expected=0.9, power=0.8, **more)
    assert_power(succeeded(metric, least, found.rows, 150), 150, found.power)
    assert_no_power(succeeded(metric, least, found.rows // 2, 150), 150, found.power)


def test_refusals():
    with refuses(
        "expected must be above the precision 0.9 to be promised, but is 0.9.", BadParameter
    ):
        plan(precision=0.9, expected=0.9)
    with refuses("expected must be given for a plan of precision, but is None.", BadParameter):
        plan(precision=0.9)
    with refuses(
        "prevalence must be left out where the plan is for precision, but is 0.1.", BadParameter
    ):
        plan(precision=0.9, expected=0.95, prevalence=0.1)
    with refuses(
        "expected must be one number, or precision and recall, but is (0.9, 0.9, 0.9).",
        BadParameter,
    ):
        plan(f1=0.8, expected=(0.9, 0.9, 0.9))
