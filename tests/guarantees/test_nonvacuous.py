from assay import certify
from assay.guarantees.nonvacuous import rows_to_bite


def test_the_first_number_of_rows_that_says_something():
    claim = certify(errors=1, rows=2, delta=0.05, method="hoeffding").claims[0]
    assert claim.vacuous
    enough = rows_to_bite(claim)
    assert not certify(errors=enough // 2, rows=enough, method="hoeffding").claims[0].vacuous
    fewer = enough - 1
    assert certify(errors=-(-fewer // 2), rows=fewer, method="hoeffding").claims[0].vacuous


def test_no_number_of_rows_helps_when_everything_is_wrong():
    assert rows_to_bite(certify(errors=3, rows=3).claims[0]) is None
