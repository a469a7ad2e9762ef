from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from assay import Ledger, certify, plan, verify
from assay.report.text import certificate_text, percent_above, plan_text, verification_text


@given(st.decimals(min_value="1e-9", max_value=1, places=12).filter(lambda d: d > 0))
def test_a_promised_percentage_never_reads_lower_than_it_is(rate):
    shown = Decimal(percent_above(str(rate)).removesuffix(" %"))
    assert rate * 100 <= shown <= rate * 100 * Decimal("1.0011")


def test_a_promise_in_plain_words():
    text = certificate_text(certify(errors=50, rows=1000, delta=0.05), "guesses.csv")
    assert text.startswith("Certificate for guesses.csv\n")
    assert "50 of 1,000 rows are wrong (5 %)." in text
    assert "Of new rows, at most 6.287 % will be wrong, with 95 % confidence." in text
    assert "the textbook's (validation-hoeffding) is 0.0887023." in text


def test_what_is_shared_is_said():
    ledger = Ledger(":memory:")
    ledger.charge("h", answers=2, delta="0.05")
    text = certificate_text(certify(errors=5, rows=1000, ledger=ledger, holdout="h", models=3))
    assert "3 models were declared as candidates" in text
    assert "Look 2 at this holdout, after 1.000 bits about it were told." in text


def test_nothing_is_promised_when_nothing_can_be():
    assert "Nothing: the bound is 1" in certificate_text(certify(errors=3, rows=3))
    gate = certify(errors=9, rows=311, answer="pass-fail", max_error=0.05)
    assert "No more than 9 of 311 rows are wrong; the count is not told." in certificate_text(gate)


def test_plans_and_verifications(tmp_path):
    assert "Buy 311 labelled rows" in plan_text(plan(0.05, expected=0.02))
    assert "94 training rows are enough." in plan_text(plan(0.1, class_size=1000))
    certify(errors=1, rows=100).save(tmp_path / "a.json")
    assert verification_text(verify(tmp_path / "a.json")).endswith("The certificate holds.")
    (tmp_path / "a.json").write_text("{}")
    assert verification_text(verify(tmp_path / "a.json")).endswith(
        "The certificate does NOT add up."
    )
