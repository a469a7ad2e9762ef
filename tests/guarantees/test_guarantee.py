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
    assert replace(claim(), observed_text="0.07").holds is False
    assert replace(claim(), observed_text=None).holds is None


def test_an_expectation_is_never_compared_with_one_run():
    assert replace(claim(), quantifier="expectation").holds is None


def test_a_violated_assumption_takes_the_promise_away():
    broken = Assumption("no row of the holdout is in the training set", "violated")
    void = replace(claim(), assumptions=(broken,), promised_text=None)
    assert not void.applies
    assert str(void) == (
        "error: no promise by holdout-exact, because it is not true that "
        "no row of the holdout is in the training set"
    )


def test_a_promise_of_one_is_vacuous():
    assert certify(errors=3, rows=3).claims[0].vacuous
    assert not claim().vacuous


def test_numbers_beside_their_exact_text():
    first = claim()
    assert (first.direction, first.promised, first.observed) == ("at most", first.value, 0.05)
    assert (first.promised_text, first.observed_text) == ("0.06286340351237975", "0.05")
    document = first.to_json()
    assert (document["promised"], document["observed"]) == ("0.06286340351237975", "0.05")
    whole = replace(first, promised_text="123456789012345678901", observed_text="-3")
    assert whole.promised == 123456789012345678901
    assert (whole.observed, type(whole.observed)) == (-3, int)
    assert type(replace(first, promised_text="1e-40").promised) is float
