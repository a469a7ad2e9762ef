"""Groups, from columns to a certificate that is verified from the file and against the data."""

from fractions import Fraction

import numpy as np
import pytest

from assay import certify, verify
from assay.errors import BadData, BadParameter, CertificateRefused
from assay.theory.tail.groups import group_exact, group_gap, worst_group
from tests.refusals import refuses

SIZES, WRONG = [400, 250, 150, 100, 60, 40], [20, 12, 10, 5, 2, 1]
LANGUAGE = np.repeat(list("abcdef"), SIZES)
HALF = np.arange(1000) % 2 == 0
TRUTH = np.arange(1000) // 2 % 2
STARTS = np.cumsum([0, *SIZES[:-1]])
GUESS = TRUTH.copy()
for _start, _many in zip(STARTS, WRONG, strict=True):
    GUESS[_start : _start + _many] = 1 - GUESS[_start : _start + _many]
BOTH = {"y_true": TRUTH, "y_pred": GUESS}


def certified(**asked):
    made = certify(**BOTH, **asked)
    given = {"groups": asked["groups"], **({"unit": asked["unit"]} if "unit" in asked else {})}
    assert verify(made), verify(made).reason
    assert verify(made, **BOTH, **given), verify(made, **BOTH, **given).reason
    return made


def test_the_golden_numbers_hold_at_once():
    # A quarter of delta goes to the bounds of the groups: here 0.05 of 0.2.
    made = certified(groups={"language": LANGUAGE}, delta="0.2")
    first, *groups, worst, gap = made.claims
    assert first.promised == pytest.approx(0.0600248, abs=1e-6)
    assert [round(claim.promised, 4) for claim in groups] == [
        *(0.0824, 0.0906, 0.1318, 0.1283, 0.1362, 0.1592)
    ]
    assert [c.promised for c in groups] == [
        group_exact(k, n, Fraction(1, 120)) for k, n in zip(WRONG, SIZES, strict=True)
    ]
    assert worst.promised == worst_group(WRONG, SIZES, "0.025")
    assert gap.promised == pytest.approx(group_gap(WRONG, SIZES, "0.025"), abs=1e-15)
    assert (worst.observed, gap.observed) == (
        pytest.approx(10 / 150),
        pytest.approx(10 / 150 - 1 / 40),
    )
    assert groups[0].of.group == "language = 'a'"
    spent = [Fraction(share) for _, share in made.document["delta"]["spent"]]
    assert sum(spent) <= Fraction("0.2")
    assert spent[0] == Fraction("0.1")


def test_every_group_is_promised_at_the_full_delta():
    made = certified(groups=LANGUAGE, every_group=True)
    [claim] = made.claims
    assert claim.promised == worst_group(WRONG, SIZES, "0.05") == made.error
    assert claim.delta == "0.05"
    assert certified(groups=LANGUAGE, every_group=True, max_error="0.12").error == made.error
    told = certified(groups=LANGUAGE, every_group=True, max_error=0.12, answer="pass-fail")
    assert told.claims[0].observed is None
    assert 0.113 < told.error <= 0.12


def test_a_gate_that_fails_names_the_groups_and_what_they_need():
    with refuses(
        "Fail: an error rate of 0.1 cannot be promised for every group: language = 'c' (10 of 150 wrong) needs about "
        "275 rows at this rate of errors; language = 'd' (5 of 100 wrong) needs about 129 rows at this rate of errors; "
        "language = 'e' (2 of 60 wrong) needs about 76 rows at this rate of errors; language = 'f' (1 of 40 wrong) "
        "needs about 61 rows at this rate of errors.",
        CertificateRefused,
    ):
        certify(**BOTH, groups={"language": LANGUAGE}, every_group=True, max_error=0.1)
    with refuses(
        "Fail: an error rate of 0.05 in every group cannot be promised from this holdout, where this look may fail "
        "with probability 0.05. The group language = 'f' would need 59 rows to pass without an error.",
        CertificateRefused,
    ):
        asked = {"every_group": True, "max_error": 0.05, "answer": "pass-fail"}
        certify(**BOTH, groups={"language": LANGUAGE}, **asked)


def test_columns_are_crossed_and_all_groups_counted():
    frame = {"language": LANGUAGE, "half": HALF}
    made = certified(groups=frame)
    shares = [c.delta for c in made.claims if c.of.quantity == "group-error"]
    assert len(shares) == 8
    assert Fraction(shares[0]) <= Fraction("0.05") / 4 / 8
    gaps = [c.of.columns for c in made.claims if c.of.quantity == "group-gap"]
    assert gaps == ["language", "half"]


@pytest.mark.parametrize("unit", [np.arange(1000) // 5, np.arange(1000) % 250])
def test_groups_of_rows_that_come_in_units(unit):
    made = certified(groups={"language": LANGUAGE}, unit=unit)
    quantities = [claim.of.quantity for claim in made.claims]
    assert quantities == ["unit-mean-error", *["group-unit-mean-error"] * 6, *quantities[-1:]]
    assert quantities[-1] == "worst-group-unit-mean-error"


def test_rows_without_a_value_are_a_group_of_their_own():
    groups = [None if g == "f" else g for g in LANGUAGE.tolist()]
    with pytest.warns(UserWarning, match="group has no value in 40 rows; these are a group"):
        made = certified(groups=groups)
    assert made.claims[6].of.group == "group missing"


def test_what_cannot_be_asked_is_refused():
    with refuses("every_group needs groups: say what divides the rows into groups.", BadParameter):
        certify(**BOTH, every_group=True)
    with refuses(
        "group holds numbers of more than 50 different values, which are no groups: bin them first, such as ages "
        "into bands.",
        BadData,
    ):
        certify(**BOTH, groups=np.arange(1000) / 10)
    with refuses("group must hold a value for every row of the truth, but has 999 rows.", BadData):
        certify(**BOTH, groups=LANGUAGE[:-1])
