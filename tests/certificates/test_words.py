from assay import certify
from assay.certificates.guarantee import Guarantee
from assay.certificates.mistakes import mistake_guarantee
from assay.certificates.stream import certify_stream
from assay.certificates.training import support_guarantee
from assay.certificates.words import (
    because_nothing,
    observed_number,
    promised,
    promised_number,
    readable,
    rows_enough,
    seen,
)

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
    assert promised(claim, "").startswith("Of new rows, at most 11.03 % will be wrong")
    stream = certify_stream(rows=1000, errors=50).claims[0]
    assert promised(stream, ", with 95 % confidence") == (
        "Each time it predicted, its chance of being wrong on that next row was at most 7.602 % on average, "
        "with 95 % confidence, at whatever moment one stops."
    )
    declared = certify_stream(rows=1000, errors=50, independent=True).claims[0]
    assert promised(declared, ", with 95 % confidence") == (
        "The hypotheses of this run are wrong on a new row with a chance of at most 7.602 % on average, "
        "with 95 % confidence, at whatever moment one stops."
    )


def test_what_is_unknown_is_a_dash():
    bound = Guarantee("t", "error", "error", None, None, "0", {})
    assert (promised_number(bound), observed_number(bound)) == ("–", "–")
    assert because_nothing(bound) == "Nothing: t gives no finite number here."


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
