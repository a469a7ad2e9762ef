from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from assay import Ledger, certify, plan, verify
from assay.report.text import certificate_text, percent_above, plan_text, verification_text


@given(st.decimals(min_value="1e-9", max_value=1, places=12).filter(lambda d: d > 0))
def test_a_promised_percentage_never_reads_lower_than_it_is(rate):
    shown = Decimal(percent_above(str(rate)).removesuffix(" %"))
    assert rate * 100 <= shown <= rate * 100 * Decimal("1.011")


def test_a_promise_in_plain_words():
    text = certificate_text(certify(errors=50, rows=1000, delta=0.05), "guesses.csv")
    assert text.startswith("Certificate for guesses.csv\n")
    assert "50 of 1,000 rows are wrong (5 %)." in text
    assert "The chance that a new row is wrong is at most 6.29 %, with 95 % confidence." in text
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
    assert (
        "94 training rows are enough, if the rule is in the class and errs on no training row.\n"
    ) in plan_text(plan(0.1, class_size=1000))
    best = "if the rule is in the class and none in it errs on fewer training rows."
    assert best in plan_text(plan(0.1, vc_dimension=3, agnostic=True))
    certify(errors=1, rows=100).save(tmp_path / "a.json")
    assert verification_text(verify(tmp_path / "a.json")).endswith("The certificate holds.")
    (tmp_path / "a.json").write_text("{}")
    assert verification_text(verify(tmp_path / "a.json")).endswith(
        "The certificate does NOT add up."
    )


def test_a_plan_without_a_guess_says_what_it_takes_of_the_model():
    assert plan_text(plan(0.05)).split("\n")[1:4] == [
        "If the model gets none of them wrong, you may promise an error of at most 5 %, with 95 % confidence.",
        "A single error among them is one too many: a model whose true error is 1 % makes none with probability "
        "55.3 %.",
        "To succeed with probability 90 %, it needs 153 rows (at most 3 wrong); one whose true error is 2 % needs "
        "311 (at most 9 wrong).",
    ]
    for told in (plan(0.05, expected=0.02), plan(0.05, expected=0), plan(0.05, power=1)):
        assert "A single error" not in plan_text(told)


def test_only_promises_that_say_something_are_counted():
    y_true, y_pred = [0] * 300 + [1] * 2, [0] * 300 + [0] * 2
    text = certificate_text(certify(y_true=y_true, y_pred=y_pred, rates=["class"]))
    assert "The 2 promises hold at once, with 95 % confidence; the other promises nothing." in text
    text = certificate_text(certify(y_true=[0] * 300 + [1] * 2, y_pred=[0] * 302, rates=["class"]))
    assert "300 rows of class 0 are wrong (0 %)." in text
    assert "The chance that a new row of class 0 is wrong is at most" in text
    nothing = certify(y_true=[0, 1], y_pred=[1, 0], rates=["class"])
    assert "at once" not in certificate_text(nothing)


def test_what_a_choice_promised_is_told_when_asked_for():
    from assay.certificates.issue.certify import certify_evidence
    from assay.certificates.issue.claims import choice_claim
    from assay.certificates.issue.evidence_sources import from_counts

    chosen = certify_evidence(from_counts(50, 1000), choice=choice_claim(40, 800, 4, "0.005"))
    brief, whole = certificate_text(chosen, verbose=False), certificate_text(chosen)
    assert "The chance that a new row is wrong is at most" in brief
    assert "when it was chosen" not in brief
    assert "the promise of the error spends 0.045." in brief
    assert "The choice among learners spends 0.005; --verbose tells what it promised." in brief
    assert (
        "The chance that the learner, as it was when it was chosen, is wrong on a new row is at most"
        in whole
    )
    assert "All 2 promises hold at once, with 95 % confidence." in whole
