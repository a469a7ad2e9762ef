import pytest

from assay import certify
from assay.certificates.issue.stream import certify_stream
from assay.certificates.show.worded import guarantee_in, worded
from assay.errors import CertificateRefused


def claim(**changes):
    return certify(errors=50, rows=1000).document["claims"][0] | changes


def test_the_sentences_of_a_claim():
    words = worded(claim())
    assert words["statement"] == "P[err_D(h) <= 0.06286340351237975] >= 1 - 0.05"
    assert (words["kind"], words["of"], words["vacuous"]) == ("error", "error", False)
    assert (words["quantifier"], words["certified"]) == (
        "probability over the holdout",
        "this classifier",
    )
    assert worded(claim(promised=None))["statement"] == "nothing is promised about err_D(h)"
    assert worded(claim(promised="1"))["vacuous"]


def test_a_guarantee_is_what_was_issued():
    issued = certify_stream(rows=100, errors=5)
    assert guarantee_in(issued.document["claims"][0]) == issued.claims[0]


def test_what_a_theorem_does_not_bound_has_no_words():
    with pytest.raises(CertificateRefused, match="holdout-exact does not bound 'regret'"):
        worded(claim(quantity="regret"))
