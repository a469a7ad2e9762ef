"""Promises of models that are so many numbers: exact values, what is asked when, refusals."""

from __future__ import annotations

import pytest

from assay.errors import BadParameter
from assay.guarantees.stored_numbers import stored_guarantees
from assay.theory.generalization.occam import occam_float64, regularized_occam
from assay.theory.registry import find_theorem
from assay.theory.tail.exact_twins import occam_exact


def test_the_error_is_that_of_the_exact_razor():
    error, near = stored_guarantees(10, 5000, 250, 0.1)
    assert error.value == pytest.approx(occam_exact(250, 5000, 640, "0.1"), abs=0)
    assert (error.observed, error.delta, error.holds) == (0.05, "0.1", True)
    assert [a.status for a in error.assumptions] == ["assumed", "declared"]
    assert int(near.promised) == occam_float64(10, "0.05", "0.1", "agnostic")
    for guarantee in (error, near):
        entry = find_theorem(guarantee.theorem)
        assert guarantee.kind == entry.kind
        assert float(entry(**guarantee.inputs)) == guarantee.value
        assert [a.name for a in guarantee.assumptions] == list(entry.assumes)


def test_that_many_rows_are_enough():
    """With the rows asked for, the first promise is indeed within the distance."""
    for numbers in (1, 7):
        rows = int(stored_guarantees(numbers, 100, 0, within="0.1")[1].promised)
        for errors in (0, rows // 10):
            promise = regularized_occam(errors, rows, 64 * numbers, 0.05, "prefix-free")
            assert promise <= errors / rows + 0.1
            assert stored_guarantees(numbers, rows, errors)[0].value <= promise
        # A tenth of them would not do.
        assert regularized_occam(0, rows // 10, 64 * numbers, 0.05, "prefix-free") > 0.1


def test_a_promise_worse_than_a_coin_says_how_many_rows_would_do():
    error, _, coin = stored_guarantees(100, 1000, 100)
    assert error.value > 0.5
    rows = int(coin.promised)
    assert stored_guarantees(100, rows, rows // 10)[0].value < 0.5
    assert len(stored_guarantees(100, 1000, 500)) == 2  # no number of rows would do
    assert len(stored_guarantees(1, 10_000, 100)) == 2  # it is better than a coin already
    assert stored_guarantees(10_000, 1000, 0)[0].vacuous


def test_without_the_errors_it_is_about_the_difference():
    first, _ = stored_guarantees(10, 5000, None)
    assert first.theorem == "regularized-occam"
    assert first.value == pytest.approx(regularized_occam(0, 5000, 640, 0.05, "prefix-free"))
    assert first.observed is None
    assert first.assumptions[0].evidence == "no row was learned twice"
    assert first.statement.startswith("P[err_D(h) - err_S(h) <= 0.21")


def test_without_the_rows_only_what_would_be_enough_is_said():
    [enough] = stored_guarantees(10, None, None)
    assert enough == stored_guarantees(10, 5000, None)[1]
    with pytest.raises(BadParameter, match=r"^errors must be None where the rows are not known"):
        stored_guarantees(10, None, 3)


def test_a_shorter_code():
    short, long = (stored_guarantees(10, 1000, 0, bits=bits)[0] for bits in (100, 640))
    assert short.value < long.value
    assert short.assumptions[1].evidence.startswith("100 bits: ")


def test_refusals():
    for numbers, rows, errors, delta in (
        (0, 10, 0, 0.05),
        (1, 0, 0, 0.05),
        (1, 10, 11, 0.05),
        (1, 10, 0, 1),
    ):
        with pytest.raises(BadParameter):
            stored_guarantees(numbers, rows, errors, delta)
    with pytest.raises(
        BadParameter, match=r"^within must be a number strictly between 0 and 1, but is '2'\.$"
    ):
        stored_guarantees(1, 10, 0, within=2)
