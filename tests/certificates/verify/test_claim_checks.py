import copy

from assay import certify
from assay.certificates.verify.claim_checks import check_claim


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
