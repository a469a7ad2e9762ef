"""Eigenvalues are found also where LAPACK's quickest routine ends with an internal error."""

import numpy as np
import pytest
from scipy import linalg

from assay.kernels.eigen import eigenpairs

ROWS = np.repeat(np.random.default_rng(0).normal(size=(12, 3)), 5, axis=0)
GRAM = ROWS @ ROWS.T


@pytest.mark.parametrize("gives_up", [False, True])
def test_the_matrix_is_put_together_again(monkeypatch, gives_up):
    plain = linalg.eigh

    def eigh(matrix, driver=None):
        if gives_up and driver is None:
            raise linalg.LinAlgError("Internal Error.")
        return plain(matrix, driver=driver)

    monkeypatch.setattr(linalg, "eigh", eigh)
    values, vectors = eigenpairs(GRAM)
    assert (np.diff(values) >= 0).all()
    np.testing.assert_allclose(vectors * values @ vectors.T, GRAM, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(GRAM)), atol=1e-12)
