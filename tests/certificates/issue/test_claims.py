import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay import certify
from assay.certificates.format.claim import decode_inputs, encode_losses
from assay.certificates.issue.claims import rates_asked
from assay.evidence.evidence import from_pairs
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import judged


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_losses_are_carried_rounded_up_by_less_than_a_grid_step(values):
    losses = np.array(values)
    carried = decode_inputs({"losses": encode_losses(losses)})["losses"]
    assert np.all(carried >= losses)
    assert np.all(carried <= losses + 1.001 / 65_535)
    assert np.all(carried <= 1)


def test_class_rates_count_rows_by_their_truth():
    evidence = from_pairs([(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])])
    rates = rates_asked(evidence, ["class"], None)
    assert [(r.of, r.errors, r.rows) for r in rates] == [
        ("error", 2, 5),
        ("error of class 'a'", 1, 2),
        ("error of class 'b'", 1, 3),
    ]


def test_a_declared_label_without_rows_has_no_rate_of_its_own():
    evidence = from_pairs([(["a", "b"], ["a", "c"])], labels=["a", "b", "c"])
    assert [r.of for r in rates_asked(evidence, ["class"], None)] == [
        "error",
        "error of class 'a'",
        "error of class 'b'",
    ]


def test_the_statement_names_number_and_risk():
    claim = certify(errors=50, rows=1000).claims[0]
    assert claim.statement == "P[err_D(h) <= 0.06286340351237975] >= 1 - 0.05"
    void = judged(claim, Assumption("it is so", "violated"))
    assert void.statement == "nothing is promised about err_D(h)"
