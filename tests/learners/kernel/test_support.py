"""What the machines share: intercepts, records as numbers, and states that do not belong together."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest

from assay import SVC
from tests.learners.model_files import reopened


def test_the_intercept_is_the_mean_of_the_free_or_the_middle():
    free = SVC(kernel="linear", C=10.0, tol=1e-10).fit([[0.0], [2.0], [9.0]], [0, 1, 1])
    assert free.coef_[0, 0] == pytest.approx(1.0)
    assert free.intercept_[0] == pytest.approx(-1.0)
    # All at their bounds: any b from -1 + 0.1 to 1 - 0.1 - 0.1 is as good, and the middle is taken.
    bound = SVC(kernel="linear", C=0.1).fit([[0.0], [1.0]], [0, 1])
    assert np.abs(bound.dual_coef_).tolist() == [[0.1, 0.1]]
    assert bound.intercept_[0] == pytest.approx((-1 + (1 - 0.1)) / 2)


def test_files_of_earlier_versions_hold_records_as_rows_of_numbers():
    model = SVC().fit([[0.0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1])
    table = np.array([astuple(record) for record in model.records_])

    def with_rows(rows):
        def change(learned, encode):
            del learned["records_"]
            return learned | {"facts_": encode(rows)}

        return change

    again = reopened(model, with_rows(table))
    assert again.records_ == model.records_
    assert again.guarantees() == model.guarantees()
    for rows in (table[:, 1:], table[[0, 0]], -table):
        with pytest.raises(ValueError, match=r"zip|is of another kind or size"):
            reopened(model, with_rows(rows))


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("support_", lambda v: v[:-1], "is of another kind or size"),
        ("intercept_", lambda v: np.zeros(2), "is of another kind or size"),
        ("support_vectors_", lambda v: v[:, :1], "its support vectors do not fit its kernel"),
        ("n_support_", lambda v: v + 1, "its machines do not fit its classes"),
        ("records_", lambda v: v + v, "records_ is of another kind or size"),
        ("records_", lambda v: [replace(v[0], rows=-1)], "records_ is of another kind or size"),
        ("records_", lambda v: [replace(v[0], norm=-1.0)], "records_ is of another kind or size"),
        ("classes_", lambda v: np.array([0, 1, 2]), "is of another kind or size"),
    ],
)
def test_parts_must_belong_together(name, change, why):
    model = SVC().fit([[0.0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1])
    reopened(model)
    setattr(model, name, change(getattr(model, name)))
    with pytest.raises(ValueError, match=why):
        reopened(model)
