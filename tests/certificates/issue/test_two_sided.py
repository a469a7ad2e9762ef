"""Both ends of an interval: each with half of its share, from the same counts, and none without the other."""

import json

import numpy as np
import pytest

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.report.text import certificate_text
from assay.theory.tail.binomial import holdout_exact_two_sided
from tests.cli.runner import run
from tests.refusals import refuses

RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["a", "b", "c"], 600)
GUESS = np.where(RNG.random(600) < 0.1, "a", TRUTH)
ROWS = {"y_true": TRUTH, "y_pred": GUESS}
RATES = ["class", "f1", "macro-f1", "balanced-accuracy", "accuracy", "recall"]


def test_the_error_lies_between_its_two_ends():
    made = certify(errors=50, rows=1000, two_sided=True, delta=0.1)
    high, low = made.claims
    assert (low.promised, high.promised) == holdout_exact_two_sided(50, 1000, 0.1)
    assert (high.direction, low.direction, made.error) == ("at most", "at least", high.promised)
    assert [claim.delta for claim in made.claims] == ["0.05", "0.05"]
    assert verify(made)
    text = certificate_text(made)
    assert text.count("Seen") == 1
    assert "The chance that a new row is wrong is at most 6.29 %." in text
    assert "The chance that a new row is wrong is at least 3.91 %." in text


def test_every_rate_and_metric_has_both():
    made = certify(**ROWS, rates=RATES, positive="a", two_sided=True)
    plain = certify(**ROWS, rates=RATES, positive="a")
    assert len(made.claims) == 2 * len(plain.claims)
    for usual, other, alone in zip(made.claims[::2], made.claims[1::2], plain.claims, strict=True):
        assert usual.of == other.of == alone.of
        assert {usual.direction, other.direction} == {"at least", "at most"}
        assert usual.direction == alone.direction
        below, above = sorted((usual, other), key=lambda claim: claim.promised)
        assert below.promised <= alone.observed <= above.promised
        assert float(usual.delta) + float(other.delta) == pytest.approx(float(alone.delta))
    assert verify(made)
    assert verify(made, **ROWS)
    assert not verify(made, y_true=TRUTH, y_pred=TRUTH)


def test_the_area_under_the_curve_too():
    score = RNG.random(600) + 0.5 * (TRUTH == "a")
    made = certify(y_true=TRUTH == "a", score=score, rates="auc", two_sided=True)
    low, high = made.claims
    assert low.promised < low.observed < high.promised
    assert verify(made, y_true=TRUTH == "a", score=score)


def test_a_ledger_charges_once_for_what_both_tell():
    with Ledger(":memory:") as book:
        asked = {"rates": ["f1"], "positive": "a", "ledger": book}
        made = certify(**ROWS, **asked, two_sided=True)
        certify(**ROWS, **asked)
        first, second = book.entries()
        assert first.answers == second.answers
        assert verify(made, **ROWS, ledger=book)


def resealed(made, change):
    document = json.loads(json.dumps(made.to_json()))
    change(document["claims"])
    document["delta"]["spent"] = [[c["theorem"], c["inputs"]["delta"]] for c in document["claims"]]
    return verify(Certificate(sealed(document)))


def test_no_end_stands_by_itself_or_on_other_counts():
    made = certify(**ROWS, rates=["f1", "class"], positive="a", two_sided=True)
    whole = certify(errors=50, rows=1000, two_sided=True)
    alone = "the other end of an interval stands without the usual one"

    def fewer(claims):
        claims[1]["inputs"]["errors"] -= 20
        claims[1].update(promised="0.01", observed="0.03")

    def of_another_class(claims):
        claims[3]["label"] = "b"

    def twice(claims):
        claims.insert(2, claims[1])

    for change in (lambda claims: claims.pop(0), fewer, twice, list.reverse):
        assert alone in resealed(whole, change).reason
    assert alone in resealed(made, of_another_class).reason
    assert resealed(made, lambda claims: None)


def test_refusals():
    with refuses(
        "two_sided must be left out unless labels or counts are given, without units and groups, but is True."
    ):
        certify(loss=[0.5, 0.25], two_sided=True)
    with refuses("next_rows must be left out with two_sided, but is 5."):
        certify(errors=1, rows=9, next_rows=5, two_sided=True)
    with refuses("method must be left out, or 'exact', with two_sided, but is 'kl'."):
        certify(errors=1, rows=9, method="kl", two_sided=True)
    with refuses(
        "rates must be without brier and log-loss, whose other end is not promised, with two_sided, but is ['brier']."
    ):
        certify(y_true=[0, 1], score=[0.1, 0.9], rates="brier", two_sided=True)


def test_the_command(tmp_path):
    out = tmp_path / "a.cert.json"
    found = run("certify", "--errors", "50", "--rows", "1000", "--two-sided", "--out", out)
    assert found.code == 0
    assert "is at least 3.73 %" in found.out
    assert run("verify", out).code == 0
