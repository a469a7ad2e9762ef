from assay.certificates.issue.stream import KNOWN_BEFORE, certify_stream
from assay.guarantees.assumption import Assumption
from assay.guarantees.mistakes import mistake_guarantee
from assay.report.stream import bound_text, stream_text


def bound(theorem="perceptron-margin-mistakes", **inputs):
    inputs = inputs or {"radius": 1.0, "margin": 0.01}
    return mistake_guarantee(theorem, inputs, 5000, of="mistakes", assumptions=())


def said(**terms):
    return stream_text(certify_stream(**terms), "mails.csv", "perceptron")


def test_what_was_seen_promised_and_always_holds():
    text = said(rows=50_000, errors=5000, guarantees=[bound()], rows_before=1200)
    assert text.splitlines()[0] == "Stream of mails.csv, learned by perceptron"
    assert "5,000 of 50,000 rows were predicted wrongly (10 %)" in text
    assert "Always    5,000 mistakes, at most 10,000 by perceptron-margin-mistakes." in text
    assert "Before    1,200 rows were learned earlier; mistakes include theirs." in text
    assert "with 95 %" in text


def test_the_percentage_never_reads_lower_than_the_promise():
    certificate = certify_stream(rows=1000, errors=50)
    shown = float(stream_text(certificate, "", "").split("at most ")[1].split(" %")[0])
    assert shown / 100 >= certificate.error


def test_nothing_promised():
    assert "Nothing yet: the bound is 1. More rows are needed." in said(rows=1, errors=1)
    void = said(rows=9, errors=1, known=[Assumption(KNOWN_BEFORE, "violated")])
    assert f"No promise: it is not true that {KNOWN_BEFORE}." in void


def test_regret_is_written_with_its_fraction():
    from dataclasses import replace

    regret = replace(bound(), of="regret", promised_text="230.7175493965282", observed_text="-31.3")
    assert bound_text(regret) == "-31.3 regret, at most 230.718 by perceptron-margin-mistakes"
