"""What is issued can be verified: a size that `verify` refuses is refused before a promise is made of it."""

import pytest

from assay import Ledger, certify, verify
from assay.errors import BadParameter


@pytest.mark.parametrize(
    ("rows", "method"), [(10**12, None), (10**9 + 1, None), (10**8, "anytime")]
)
def test_more_rows_than_can_be_verified_are_refused(rows, method):
    with pytest.raises(BadParameter, match=r"rows must be at most 1[0,]+ to be verified"):
        certify(errors=3, rows=rows, method=method)


def test_and_no_look_is_charged_for_them():
    ledger = Ledger(":memory:")
    with pytest.raises(BadParameter, match="to be verified"):
        certify(errors=3, rows=10**12, ledger=ledger, holdout="all")
    assert ledger.entries() == []


@pytest.mark.parametrize(
    "how",
    [{}, {"next_rows": 10**9}, {"population": 10**12}, {"models": 10**17}, {"delta": "1e-300"}],
)
def test_the_largest_that_are_issued_are_verified(how):
    assert verify(certify(errors=3, rows=10**9 if not how else 1000, **how))
