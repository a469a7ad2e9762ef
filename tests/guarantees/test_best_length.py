"""The length at which the bound by margins is least: about as good as any on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from assay.guarantees.best_length import best_length
from assay.theory.generalization.pac_bayes import pac_bayes_linear


@pytest.mark.parametrize("rows", [30, 2000])
@pytest.mark.parametrize("mean", [-0.1, 0.05, 0.4, 0.99])
def test_no_length_on_a_grid_is_much_better(rows, mean):
    rng = np.random.default_rng(0)
    margins = np.clip(rng.normal(mean, 0.15, rows), -1, 1)
    norm, error = best_length(margins, "0.05")
    assert error >= float(ndtr(-norm * margins).mean())
    found = pac_bayes_linear(error, norm, rows, 0.05)
    for other in np.geomspace(0.1, 4 * np.sqrt(rows), 40):
        least = pac_bayes_linear(float(ndtr(-other * margins).mean()), float(other), rows, 0.05)
        assert found <= least * (1 + 2e-3)


def test_rows_all_wrong_or_all_right():
    for margins in (np.full(50, -1.0), np.full(50, 1.0), np.zeros(50)):
        norm, error = best_length(margins, "0.05")
        assert 0 < norm < 40
        assert 0 <= error <= 1
