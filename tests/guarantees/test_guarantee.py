from dataclasses import replace

from assay import certify
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee


def claim():
    return certify(errors=50, rows=1000, delta=0.05).claims[0]


def test_json_round_trip():
    assert Guarantee.from_json(claim().to_json()) == claim()


def test_holds_compares_observed_with_promised():
    assert claim().holds is True
    assert replace(claim(), observed="0.07").holds is False
    assert replace(claim(), observed=None).holds is None


def test_an_expectation_is_never_compared_with_one_run():
    assert replace(claim(), quantifier="expectation").holds is None


def test_a_violated_assumption_takes_the_promise_away():
    broken = Assumption("no row of the holdout is in the training set", "violated")
    void = replace(claim(), assumptions=(broken,), promised=None)
    assert not void.applies
    assert str(void) == (
        "error: no promise by holdout-exact, because it is not true that "
        "no row of the holdout is in the training set"
    )


def test_a_promise_of_one_is_vacuous():
    assert certify(errors=3, rows=3).claims[0].vacuous
    assert not claim().vacuous
