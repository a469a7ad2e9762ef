"""Guarantees about a fit."""

from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import excess_guarantee, training_guarantee


def test_an_excess_is_promised_and_not_observed():
    found = excess_guarantee("ols-normal-equations", {"gradient": 0.5, "singular": 2.0})
    assert (found.promised, found.observed, found.holds) == (0.0625, None, None)
    assert found.statement == "P(w) - min P <= 0.0625"
    assert found.inputs == {"gradient": "0.5", "singular": "2"}


def test_nothing_is_promised_when_an_assumption_is_violated():
    broken = Assumption("the kernel matrix is positive semidefinite", "violated")
    found = excess_guarantee("ridge-primal-dual", {"penalty": 1.0, "distance": 1.0}, (broken,))
    assert found.promised is None
    assert found.statement == "nothing is promised about P(w) - min P"
    assert "no promise by ridge-primal-dual" in str(found)


def test_the_training_error_stands_beside_its_bound():
    found = training_guarantee(1, 3, 2.0, "square")
    assert found.observed_text == "0.33333333333333333"
    assert found.holds
    assert not training_guarantee(3, 3, 2.0, "square").holds
    assert found.inputs == {"total": "2", "rows": 3, "loss": "square"}
    assert Guarantee.from_json(found.to_json()) == found
