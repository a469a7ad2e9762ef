from dataclasses import replace

import pytest

import assay
from assay import certify
from assay.certificates.show.html import STATUSES, claims_table, conditions, verdict
from assay.guarantees.assumption import Assumption
from assay.guarantees.mistakes import mistake_guarantee

MISTAKES = mistake_guarantee(
    "perceptron-margin-mistakes",
    {"radius": 1.0, "margin": 0.1},
    37,
    of="mistakes",
    assumptions=(Assumption("weights start at zero", "by construction"),),
)


def test_a_certificate_in_a_notebook():
    shown = certify(errors=50, rows=1000)._repr_html_()
    assert "The chance that a new row is wrong is at most 6.29 %, with 95 % confidence." in shown
    assert "50 of 1,000 rows are wrong (5 %)." in shown
    assert "the rows are independent draws from the distribution of use" in shown
    assert "assumed" in shown
    assert "not asked" in shown
    assert "<script" not in shown


def test_a_certificate_of_several_claims_in_a_notebook():
    labels = ["<script>", "b"] * 40
    shown = certify(y_true=labels, y_pred=labels, rates=["class"])._repr_html_()
    assert "All 3 promises hold at once, with 95 % confidence" in shown
    assert "Error of class &#x27;&lt;script&gt;&#x27;" in shown
    assert "<script" not in shown


def test_a_certificate_that_promises_nothing():
    shown = certify(errors=3, rows=3)._repr_html_()
    assert "Promised: Nothing: the bound is 1, which every model meets." in shown


def test_a_guarantee_in_a_notebook():
    shown = MISTAKES._repr_html_()
    assert "Mistakes: at most 100" in shown
    assert "Observed: 37" in shown
    assert "kept" in shown
    assert "weights start at zero" in shown
    assert "By perceptron-margin-mistakes; always holds." in shown


def test_a_guarantee_that_does_not_apply():
    broken = Assumption("a < b", "violated", 'see "c"')
    shown = replace(MISTAKES, promised_text=None, assumptions=(broken,))._repr_html_()
    assert "Mistakes: nothing" in shown
    assert "It is not true that a &lt; b (see &quot;c&quot;)." in shown
    assert "see &quot;c&quot;" in shown


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_has_a_symbol_and_its_word(status):
    shown = conditions([Assumption("x", status)])
    assert f"\N{NO-BREAK SPACE}{status}<" in shown
    assert STATUSES[status].symbol in shown


def test_symbols_differ():
    assert len({mark.symbol for mark in STATUSES.values()}) == len(STATUSES)


def test_verdicts():
    assert verdict(MISTAKES).word == "kept"
    assert verdict(replace(MISTAKES, observed_text="101")).word == "exceeded"
    assert verdict(replace(MISTAKES, observed_text=None)).word == "not observed"
    assert verdict(replace(MISTAKES, promised_text=None)).word == "no number"
    assert verdict(replace(MISTAKES, quantifier="expectation")).word == "on average"
    assert verdict(certify(errors=3, rows=3).claims[0]).word == "says nothing"
    assert verdict(certify(errors=1, rows=99).claims[0]).word == "in force"


def test_the_table_holds_every_claim():
    table = claims_table([MISTAKES, certify(errors=1, rows=99).claims[0]], "Both")
    assert "<caption>Both</caption>" in table
    assert "perceptron-margin-mistakes" in table
    assert "fails with probability at most 0.05" in table


@pytest.mark.parametrize("name", ["Perceptron", "LogisticRegression"])
def test_learners_show_as_scikit_learn_shows_them(name):
    learner = getattr(assay, name)
    assert not [
        k for k in learner.__mro__ if k.__module__[:5] == "assay" and "_repr_html_" in vars(k)
    ]
    assert "sk-" in learner()._repr_html_()
