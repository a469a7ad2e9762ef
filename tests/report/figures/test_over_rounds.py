import re

import numpy as np
import pytest

from assay import AdaHedge, Hedge, certify
from assay.errors import BadParameter
from assay.guarantees.regrets import regret_guarantee
from assay.report.figures.over_rounds import bound_over_rounds, claims_of, drawable, every_moment
from assay.theory.regret.hedge import hedge_regret


def test_the_curve_is_the_theorem_at_every_moment():
    inputs = {"rounds": 50, "experts": 3, "learning_rate": 0.2}
    guarantee = regret_guarantee("hedge-regret", inputs, 1.0, of="regret")
    at, bound = bound_over_rounds(guarantee, np.array([1, 10, 50]))
    assert at.tolist() == [1, 10, 50]
    assert bound.tolist() == [hedge_regret(t, 3, "0.2") for t in (1, 10, 50)]


def test_a_rate_that_was_tuned_to_the_end_promises_about_the_end_only():
    guarantee = regret_guarantee("hedge-regret", {"rounds": 50, "experts": 3}, 1.0, of="regret")
    assert not every_moment(guarantee)
    at, bound = bound_over_rounds(guarantee, np.array([1, 10, 50]))
    assert at.tolist() == [50]
    assert bound.tolist() == [guarantee.value]


def test_what_grows_with_the_run_is_read_from_its_trace():
    policy = AdaHedge(trace=True)
    policy.play(np.random.default_rng(0).random((60, 4)))
    trace = policy.record_.trace
    promise = next(g for g in policy.guarantees() if "gap" in g.inputs)
    bound = bound_over_rounds(promise, np.arange(1, 61), trace)[1]
    assert np.allclose(bound, 2 * trace["gap"], rtol=1e-12)
    without = bound_over_rounds(promise, np.arange(1, 61))[1]
    assert (without >= bound - 1e-12).all()
    assert (np.diff(without) == 0).all()


def test_only_promises_of_the_kind_with_a_number_are_drawn():
    policy = Hedge(trace=True)
    policy.play(np.random.default_rng(0).random((20, 3)))
    claims = [*policy.guarantees(), *certify(errors=1, rows=50).claims]
    assert [g.kind for g in drawable(claims, "regret")] == ["regret"]
    assert claims_of(certify(errors=1, rows=50))[0].of == "error"


def test_anything_else_is_refused():
    sentence = "bounds must be guarantees or a certificate, but holds 3."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        claims_of([3])
