"""Wilson's interval is shown where it is asked for, says what it is, and stands in no certificate."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.certificates.show.estimates import AN_ESTIMATE, estimates, wilson
from assay.certificates.show.html import certificate_html
from assay.report.text import certificate_text
from tests.cli.runner import run

RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["a", "b"], 300)
GUESS = np.where(RNG.random(300) < 0.1, "a", TRUTH)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_scipys(counts):
    interval = binomtest(*counts).proportion_ci(0.95, method="wilson")
    assert wilson(*counts, 0.05) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_one_for_each_share_that_is_counted():
    made = certify(
        y_true=TRUTH,
        y_pred=GUESS,
        score=RNG.random(300),
        rates=["class", "recall", "f1", "auc", "brier"],
        two_sided=False,
    )
    of = [one.of for one in estimates(made.claims, "0.05")]
    assert of == [
        "error",
        "error of class 'a'",
        "error of class 'b'",
        "recall of 'b'",
        "area under the ROC curve of 'b'",
    ]
    both = certify(errors=5, rows=100, two_sided=True)
    assert len(estimates(both.claims, "0.05")) == 1


def test_it_says_what_it_is_and_stands_below_what_is_promised():
    made = certify(errors=50, rows=1000)
    assert "Wilson" not in certificate_text(made)
    assert "Wilson" not in certificate_html(made)
    text, card = certificate_text(made, estimate=True), certificate_html(made, estimate=True)
    assert (
        text.index("Promised")
        < text.index("Delta" if "Delta" in text else "If")
        < text.index("Estimate")
    )
    assert AN_ESTIMATE in text
    assert card.index("fingerprint") < card.index("Wilson")
    assert AN_ESTIMATE in card


def test_no_estimate_where_nothing_is_promised_or_told():
    with pytest.warns(UserWarning, match="Nothing is promised"):
        void = certify(y_true=TRUTH, y_pred=GUESS, ids=np.zeros(300))
    assert estimates(void.claims, "0.05") == []
    with Ledger(":memory:") as book:
        gate = certify(y_true=TRUTH, y_pred=GUESS, ledger=book, answer="pass-fail", max_error=0.2)
    assert estimates(gate.claims, "0.05") == []


def test_a_document_has_no_place_for_one():
    document = certify(errors=50, rows=1000).to_json()
    assert "wilson" not in json.dumps(document).casefold()
    for where in (document, document["claims"][0]):
        where["estimate"] = {"low": "0.038", "high": "0.065"}
        assert not verify(Certificate(sealed(document)))
        del where["estimate"]
    document["claims"][0]["promised"] = repr(wilson(50, 1000, 0.1)[1])
    assert "is less than holdout-exact allows" in verify(Certificate(sealed(document))).reason


def test_the_command():
    counts = ("certify", "--errors", "50", "--rows", "1000")
    assert "Wilson" not in run(*counts).out
    assert "3.81 % to 6.53 % by Wilson's score" in run(*counts, "--estimate").out
    [one] = json.loads(run(*counts, "--estimate", "--json").out)["estimates"]
    assert (one["by"], one["is"], one["low"]) == ("wilson-score", AN_ESTIMATE, "0.0381303")
    assert "estimates" not in json.loads(run(*counts, "--json").out)
