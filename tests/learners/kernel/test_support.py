"""What the machines share: intercepts, records as numbers, and states that do not belong together."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from assay import SVC
from assay.learners.kernel.dual_search import Dual, Optimum
from assay.learners.kernel.support import bias_of, record_of, records
from assay.record.margin import MarginRecord
from tests.learners.model_files import reopened


def test_the_intercept_is_the_mean_of_the_free_or_the_middle():
    y = np.array([1.0, -1.0, 1.0])
    dual = Dual(y, np.array([0.0, -1, 0]), np.array([1.0, 0, 1]), np.arange(3))
    free = Optimum(np.array([0.5, -0.5, 0]), np.array([0.5, -0.3, 0]), 0.6, -0.7, 1, 1, 1)
    assert bias_of(dual, free) == pytest.approx((0.5 - 0.7) / 2)
    bound = Optimum(np.array([1.0, -1, 0]), np.zeros(3), 0.6, 0.2, 1, 1, 1)
    assert bias_of(dual, bound) == pytest.approx(0.4)


def test_records_are_rows_of_numbers():
    record = MarginRecord(3, 2, 0, 4.5, 4.25, 1e-3, 2.0, 0.9, 5, 1)
    facts = np.array(astuple(record))
    assert record_of(facts) == record
    assert records(1)(facts[None])
    assert not records(2)(facts[None])
    assert not records(1)(-facts[None])


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("support_", lambda v: v[:-1], "is of another kind or size"),
        ("intercept_", lambda v: np.zeros(2), "is of another kind or size"),
        ("support_vectors_", lambda v: v[:, :1], "its support vectors do not fit its kernel"),
        ("n_support_", lambda v: v + 1, "its machines do not fit its classes"),
        ("facts_", lambda v: v[:, 1:], "facts_ is of another kind or size"),
        ("classes_", lambda v: np.array([0, 1, 2]), "is of another kind or size"),
    ],
)
def test_parts_must_belong_together(name, change, why):
    model = SVC().fit([[0.0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1])
    reopened(model)
    setattr(model, name, change(getattr(model, name)))
    with pytest.raises(ValueError, match=why):
        reopened(model)
