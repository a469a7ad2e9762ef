"""Guarantees of stagewise models from their records alone: each loss its theorem, always on the safe side."""

import math

import numpy as np
import pytest

from assay.guarantees.stagewise import stagewise_guarantees
from assay.record.stagewise import StagewiseRecord


def record(loss, edges, losses, errors=(2, 10), even=True, start=1.0, stopped="rounds"):
    wrong, rows = errors
    return StagewiseRecord(
        rows=rows,
        loss=loss,
        start=start,
        losses=np.array(losses),
        edges=np.array(edges),
        steps=np.full(len(losses), 0.5),
        training_errors=wrong,
        training_error=None if wrong is None else wrong / rows,
        even=even,
        stopped=stopped,
    )


def test_the_exponential_loss_has_the_promise_of_adaboost():
    [promise] = stagewise_guarantees(record("exponential", [0.3, 0.3, 0.3], [0.9, 0.8, 0.77]))
    assert promise.theorem == "adaboost-training-error"
    assert promise.value == pytest.approx(0.769873, abs=2e-6)


def test_the_square_loss_has_the_product_and_never_less():
    edges = [0.5, 1 / 3, 1e-9]
    [promise] = stagewise_guarantees(record("square", edges, [0.75, 2 / 3, 2 / 3]))
    assert promise.theorem == "l2boost-training-loss"
    assert math.prod(1 - e * e for e in edges) <= promise.value <= 2 / 3 + 2e-6
    [perfect] = stagewise_guarantees(record("square", [1.0], [0.0], errors=(0, 10)))
    assert 0 < perfect.value < 1e-11  # a correlation of one is not believed to the last digit
    [of_weights] = stagewise_guarantees(record("square", edges, [0.75, 2 / 3, 2 / 3], even=False))
    assert of_weights.of == "weighted training error"


def test_the_logistic_loss_counts_bits_and_says_nothing_of_weights():
    [promise] = stagewise_guarantees(record("logistic", [0.3], [0.5]))
    assert promise.theorem == "surrogate-upper-bounds"
    assert 0.5 / math.log(2) <= promise.value <= 0.5 / math.log(2) + 2e-6
    assert stagewise_guarantees(record("logistic", [0.3], [0.5], even=False)) == []


def test_a_target_has_its_squares_and_the_absolute_error_nothing():
    squares = record("squared_error", [0.5], [3.0], errors=(None, 10), start=4.0)
    [promise] = stagewise_guarantees(squares)
    assert (promise.of, promise.observed) == ("mean squared residual", 3.0)
    assert 3.0 <= promise.value <= 3.00001
    assert promise.holds
    # The broken twin: had the round been a little better than it was, the promise would be false.
    better = record("squared_error", [0.5001], [3.0], errors=(None, 10), start=4.0)
    assert not stagewise_guarantees(better)[0].holds
    assert stagewise_guarantees(record("absolute_error", [], [1.0], errors=(None, 10))) == []
