import pytest

from assay import Ledger, certify
from assay.certificates.format.claim import subject_entry
from assay.certificates.verify.data_checks import check_data, check_ledger
from assay.certificates.verify.document_checks import (
    check_classes,
    check_counts,
    check_delta,
    check_seal,
    errors_of,
    rows_of,
)
from assay.evidence.evidence import from_pairs
from assay.guarantees.subject import Subject


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


# Claims about the rows of each class

WHOLE = {"quantity": "error", "inputs": {"errors": 10, "rows": 100}}


def part(of, errors, rows):
    return {**subject_entry(of), "inputs": {"errors": errors, "rows": rows}}


def of_class(label):
    return Subject("class-error", label)


MISSED = Subject("class-error", "b", "a", "negative")
FALSE = Subject("class-error", "a", "b", "positive")


def test_what_fits():
    assert check_classes(WHOLE, [part(of_class("a"), 4, 60), part(of_class("b"), 6, 40)]) is None
    assert check_classes(WHOLE, [part(MISSED, 6, 40)]) is None
    assert check_classes(WHOLE, [part(FALSE, 4, 60), part(MISSED, 6, 40)]) is None
    assert check_classes(WHOLE, [part(FALSE, 4, 60), part(of_class("b"), 6, 40)]) is None


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([(of_class("a"), 4, 60)], "the rows of the classes do not add up to 100"),
        ([(of_class("a"), 4, 100)], "the errors of the classes do not add up to 10"),
        ([(FALSE, 4, 60), (MISSED, 5, 40)], "the errors of the classes do not add up to 10"),
        ([(MISSED, 6, 100)], "a claim about some of the rows counts more than there are"),
        ([(MISSED, 11, 40)], "a claim about some of the rows counts more than there are"),
        ([(MISSED, 0, 95)], "a claim about some of the rows counts more than there are"),
        ([(of_class("a"), 4, 60), (of_class("a"), 6, 40)], "claimed twice"),
        ([(of_class(1), 41, 40), (of_class(2), 0, 60)], "more errors than rows"),
        ([(MISSED, 4, 60), (Subject("class-error", "a", "b", "negative"), 6, 40)], "two classes"),
        ([(MISSED, 4, 60), (of_class("c"), 6, 40)], "two classes"),
        ([(Subject("class-error", "b", "b", "negative"), 6, 40)], "two classes"),
    ],
)
def test_what_does_not(parts, reason):
    assert reason in check_classes(WHOLE, [part(*p) for p in parts])


def test_one_and_true_are_two_labels():
    parts = [part(of_class(1), 4, 60), part(of_class(True), 6, 40)]
    assert check_classes(WHOLE, parts) is None


def test_counts_of_other_inputs():
    assert rows_of({"losses": {"rows": 7}}) == 7
    assert errors_of({"losses": {"rows": 7}}) is None
    units = {"units": [[0, 2, 5], [1, 3, 2]]}
    assert (rows_of(units), errors_of(units)) == (16, 2)
    assert "need counts" in check_classes(
        {"inputs": {"mean": "0.1", "rows": 9}}, [part(MISSED, 1, 2)]
    )
