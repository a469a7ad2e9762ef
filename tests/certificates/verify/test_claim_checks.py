import copy

import pytest

from assay import certify
from assay.certificates.verify.claim_checks import check_claim, input_fault
from assay.theory.registry import find_theorem


def claim():
    return copy.deepcopy(certify(errors=50, rows=1000).to_json()["claims"][0])


def test_a_claim_that_holds_says_what_it_says():
    notes = []
    assert check_claim("claim 1", claim(), {"rows": 1000}, notes) == (
        True,
        "P[err_D(h) <= 0.06286340351237975] >= 1 - 0.05, by holdout-exact",
    )
    assert notes == []


def test_a_larger_number_is_noted():
    notes, larger = [], claim()
    larger["promised"] = "0.07"
    assert check_claim("claim 1", larger, {"rows": 1000}, notes)[0]
    assert notes == ["claim 1: 0.07 is valid but larger than it need be"]


# Its inputs


def fault(theorem, **inputs):
    entry = find_theorem(theorem)
    return input_fault(entry, entry.claims[0], inputs)


def test_exactly_the_inputs_of_the_theorem():
    good = {"errors": 50, "rows": 1000, "delta": "0.05"}
    assert fault("holdout-exact", **good) is None
    assert fault("holdout-exact", **good, run=5) == "holdout-exact takes no input 'run'"
    assert fault("holdout-exact", errors=50, rows=9) == (
        "the input 'delta' of holdout-exact is missing"
    )
    assert fault("mistake-compression", mistaken=5, rows=9, delta="0.1") is None
    assert fault("mistake-compression", mistaken=5, rows=9, delta="0.1", errors=1) is None


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        (
            {"rows": 10**9 + 1},
            "rows must be at most 1,000,000,000 to be verified, but is 1000000001",
        ),
        ({"errors": "50"}, "errors must be a whole number, but is text"),
        ({"delta": "1e-400x"}, "delta is no number that can be read"),
        ({"delta": "sharp"}, "delta is no number that can be read"),
        ({"rows": None}, "rows must be a number, but is None"),
        ({"rows": [1]}, r"rows must be a number, but is [1]"),
        ({"rows": "9" * 61}, "rows is no number that can be read"),
    ],
)
def test_inputs_that_cannot_be(inputs, reason):
    assert fault("holdout-exact", **({"errors": 5, "rows": 9, "delta": "0.05"} | inputs)) == reason


def test_decimals_of_a_size_that_occurs():
    assert fault("perceptron-margin-mistakes", radius="1e300", margin="1e-300") is None
    assert "radius is no number" in fault("perceptron-margin-mistakes", radius="1e401", margin="1")
    tiny = {"errors": 5, "rows": 9, "delta": "1e-9000"}
    assert fault("holdout-exact", **tiny) is None  # a share after many looks


def test_losses_are_their_text():
    entry = {"encoding": "x", "rows": 5, "data": "AAAA"}
    assert fault("bounded-betting", losses=entry, delta="0.05") is None
    for changes in ({"rows": 10**6}, {"rows": True}, {"data": 5}, {"more": 1}):
        assert fault("bounded-betting", losses=entry | changes, delta="0.05") is not None
    assert fault("bounded-betting", losses=[0.5], delta="0.05") is not None
