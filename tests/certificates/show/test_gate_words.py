from assay import certify_difference
from assay.certificates.issue.gate import difference_gate
from assay.certificates.show.gate_words import gate_reason


def test_a_difference_in_words():
    certificate = certify_difference(only_old=40, only_new=20, rows=1000)
    assert gate_reason(difference_gate(certificate, "0.02"), certificate) == (
        "A difference of at least 0.02 cannot be promised. The new model's error is below the old one's by at least "
        "0.394 points, with 95 % confidence. Only the old model is wrong on 40 rows, only the new one on 20: 2 points "
        "fewer errors."
    )
