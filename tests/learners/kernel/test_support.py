"""What the machines share: intercepts, records as numbers, and states that do not belong together."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest

from assay import SVC
from assay.learners.kernel.dual_search import Dual, Optimum
from assay.learners.kernel.support import bias_of
from assay.learners.model_file.state import Decoder, Encoder
from tests.learners.model_files import reopened


def test_the_intercept_is_the_mean_of_the_free_or_the_middle():
    y = np.array([1.0, -1.0, 1.0])
    dual = Dual(y, np.array([0.0, -1, 0]), np.array([1.0, 0, 1]), np.arange(3))
    free = Optimum(np.array([0.5, -0.5, 0]), np.array([0.5, -0.3, 0]), 0.6, -0.7, 1, 1, 1)
    assert bias_of(dual, free) == pytest.approx((0.5 - 0.7) / 2)
    bound = Optimum(np.array([1.0, -1, 0]), np.zeros(3), 0.6, 0.2, 1, 1, 1)
    assert bias_of(dual, bound) == pytest.approx(0.4)


def test_files_of_earlier_versions_hold_records_as_rows_of_numbers():
    model = SVC().fit([[0.0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1])
    encoder = Encoder()
    name, parameters, learned = encoder.learner(model)
    del learned["records_"]
    table = np.array([astuple(record) for record in model.records_])
    for rows, fits in (
        (table, True),
        (table[:, 1:], False),
        (table[[0, 0]], False),
        (-table, False),
    ):
        facts = encoder.encode(rows)
        decoder = Decoder([*encoder.arrays])
        if fits:
            again = decoder.learner(name, parameters, learned | {"facts_": facts})
            assert again.records_ == model.records_
            assert again.guarantees() == model.guarantees()
        else:
            with pytest.raises(ValueError, match=r"zip|is of another kind or size"):
                decoder.learner(name, parameters, learned | {"facts_": facts})


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
