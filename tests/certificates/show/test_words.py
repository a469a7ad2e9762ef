from decimal import Decimal
from fractions import Fraction

import pytest

from assay import certify, certify_difference
from assay.certificates.issue.stream import certify_stream
from assay.certificates.show.words import (
    because_nothing,
    observed_number,
    promised,
    promised_number,
    readable,
    rows_enough,
    seen,
)
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.training import support_guarantee

COUNT = mistake_guarantee(
    "perceptron-margin-mistakes",
    {"radius": 1.0, "margin": 0.01},
    3700,
    of="mistakes",
    assumptions=(),
)


def test_counts_are_no_percentages():
    assert seen(COUNT, 5) == "Mistakes: 3,700."
    assert promised(COUNT, "") == "Mistakes: at most 10,000."
    assert (promised_number(COUNT), observed_number(COUNT)) == ("10,000", "3,700")


def test_rates_of_training_and_streams():
    claim = support_guarantee(27, 400)
    assert seen(claim, 400) == "Error: not observed."
    assert promised(claim, "").startswith("The chance that a new row is wrong is at most 11.1 %")
    stream = certify_stream(rows=1000, errors=50).claims[0]
    assert promised(stream, ", with 95 % confidence") == (
        "Each time it predicted, its chance of being wrong on that next row was at most 7.61 % on average, "
        "with 95 % confidence, at whatever moment one stops."
    )
    declared = certify_stream(rows=1000, errors=50, independent=True).claims[0]
    assert promised(declared, ", with 95 % confidence") == (
        "The hypotheses of this run are wrong on a new row with a chance of at most 7.61 % on average, "
        "with 95 % confidence, at whatever moment one stops."
    )


SURE = ", with 95 % confidence"


def test_a_rate_is_the_chance_for_one_new_row():
    assert promised(certify(errors=50, rows=1000).claims[0], SURE) == (
        "The chance that a new row is wrong is at most 6.29 %, with 95 % confidence."
    )


def test_the_next_rows_are_counted():
    claim = certify(errors=50, rows=1000, next_rows=100).claims[0]
    assert promised(claim, SURE) == (
        "At most 9 of the next 100 rows will be wrong, with 95 % confidence."
    )
    assert seen(claim, 1000) == "50 of 1,000 rows are wrong (5 %)."
    assert (promised_number(claim), observed_number(claim), claim.holds) == ("9", "5 %", None)
    none = certify(errors=0, rows=10_000, next_rows=100).claims[0]
    assert promised(none, "") == "None of the next 100 rows will be wrong."
    one = certify(errors=0, rows=10_000, next_rows=1).claims[0]
    assert promised(one, "") == "The next row will not be wrong."
    nothing = certify(errors=2, rows=3, next_rows=5).claims[0]
    assert nothing.vacuous
    assert promised(nothing, SURE) == (
        "Nothing: the bound is all of the next 5 rows, which every model meets."
    )


def test_units_are_averaged_over():
    truth = [0, 1] * 100
    guess = [1, 1, *truth[2:]]
    claim = certify(y_true=truth, y_pred=guess, unit=[i // 4 for i in range(200)]).claims[0]
    assert seen(claim, 200) == "Of the rows of one unit, 0.5 % are wrong on average over 50 units."
    assert promised(claim, SURE).startswith(
        "The chance that a row of a new unit is wrong, averaged over units, is at most "
    )


def test_class_rates_name_their_class():
    truth, guess = ["<=50K"] * 60 + [">50K"] * 40, ["<=50K"] * 90 + [">50K"] * 10
    found = certify(y_true=truth, y_pred=guess, rates=["class"]).claims
    assert seen(found[2], 100) == "30 of 40 rows of class '>50K' are wrong (75 %)."
    assert promised(found[2], "") == (
        "The chance that a new row of class '>50K' is wrong is at most 88.6 %."
    )
    found = certify(y_true=truth, y_pred=guess, rates=["false-negative"]).claims
    assert promised(found[1], "").startswith(
        "The chance that a new row of class '>50K' is taken for '<=50K' is at most "
    )


def test_other_promises_are_literal_too():
    batch = certify(errors=50, rows=1000, population=2000).claims[0]
    assert promised(batch, SURE) == (
        "At most 118 of the 2,000 rows of the whole batch are wrong (5.9 %), with 95 % confidence."
    )
    loss = certify(loss=[0.25, 0.5] * 100).claims[0]
    assert promised(loss, "").startswith("The expected loss of a new row is at most 0.39")
    always = certify(errors=50, rows=1000, method="anytime").claims[0]
    assert promised(always, SURE) == (
        "The chance that a new row is wrong is at most 7.47 %; the bounds of all moments, each with its own "
        "number, hold at once, with 95 % confidence."
    )


@pytest.mark.parametrize("counts", [(40, 20, 1000), (20, 21, 1000), (3, 1, 777), (9, 0, 90)])
def test_what_is_promised_from_below_is_never_shown_higher(counts):
    """In a table of claims as well: a difference is no rate, and stands there as a number."""
    claim = certify_difference(
        **dict(zip(("only_old", "only_new", "rows"), counts, strict=True))
    ).claims[0]
    shown = Decimal(promised_number(claim))
    assert shown <= Decimal(claim.promised_text) < shown + Decimal("0.00001")
    metric = certify(y_true=[0, 1] * 50, y_pred=[0, 1] * 47 + [1, 1] * 3, rates=["f1"]).claims[1]
    shown = Decimal(promised_number(metric).removesuffix(" %")) / 100
    assert metric.direction == "at least"
    assert shown <= Decimal(metric.promised_text)


def test_the_share_of_a_batch_is_never_shown_lower():
    """49 of 999 are 4.9049 %."""
    batch = certify(errors=0, rows=57, population=999).claims[0]
    wrong = int(Fraction(batch.promised_text) * 999)
    assert (wrong, promised(batch, "")) == (
        49,
        "At most 49 of the 999 rows of the whole batch are wrong (4.91 %).",
    )


def test_what_is_unknown_is_a_dash():
    bound = Guarantee("t", "error", "error", None, None, "0", {})
    assert (promised_number(bound), observed_number(bound)) == ("–", "–")
    assert because_nothing(bound) == "No promise: t gives no finite number here."


def test_rows_that_would_help_are_told_where_they_are_known():
    assert rows_enough(certify(errors=1, rows=2, method="hoeffding").claims[0]) == 6
    coded = {"errors": 1, "rows": 9, "bits": 999, "delta": "0.05"}
    bound = Guarantee("occam-exact", "error", "error", "1", "0.1", "0.05", coded)
    assert rows_enough(bound) > 9


def test_large_numbers_stay_readable():
    assert readable("-1234567.5") == "-1,234,567.5"
    assert readable("1E-40") == "1E-40"


def test_a_count_of_examples_is_not_read_in_per_cent():
    inputs = {"examples": 351, "edge": "0.1", "rounds": 10}
    wrong = Guarantee(
        "boosting-training-error",
        "training-error",
        "training examples wrong",
        "280",
        "36",
        "0",
        inputs,
    )
    assert promised(wrong, "") == "Training examples wrong: at most 280."
    assert seen(wrong, 351) == "Training examples wrong: 36."
