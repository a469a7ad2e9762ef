from assay import Ledger, certify
from assay.certificates.verify.data_checks import check_data
from assay.certificates.verify.document_checks import (
    check_counts,
    check_delta,
    check_ledger,
    check_seal,
)
from assay.evidence.evidence import from_pairs


def test_what_was_issued_passes_every_check():
    y, ledger = [0, 1] * 50, Ledger(":memory:")
    document = certify(y_true=y, y_pred=y, rates=["class"], ledger=ledger).to_json()
    evidence = from_pairs([(y, y)])
    for found in (
        check_seal(document),
        check_counts(document),
        check_delta(document),
        check_data(document, evidence, ledger),
        check_ledger(document, ledger),
    ):
        assert found[0], found


def test_other_data_of_the_same_counts_are_told_apart():
    y, ledger = [0, 1] * 50, Ledger(":memory:")
    document = certify(y_true=y, y_pred=y, ledger=ledger).to_json()
    swapped = from_pairs([(y[::-1], y[::-1])])
    assert not check_data(document, swapped, ledger)[0]
    same_predictions = from_pairs([(y[::-1], y)])
    assert check_data(document, same_predictions, ledger) == (
        False,
        "the truth is not the one that was certified",
    )
