"""Names, functions and parameters as users of scikit-learn pass them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import chi2_kernel, pairwise_kernels
from sklearn.svm import SVC

from assay.errors import BadData, BadParameter
from assay.kernels import Gaussian, Linear, Polynomial, Precomputed, as_kernel

X = np.random.default_rng(0).normal(size=(11, 3))
Y = np.random.default_rng(1).normal(size=(5, 3))


@pytest.mark.parametrize("name", ["linear", "poly", "polynomial", "rbf", "laplacian", "cosine"])
def test_names_mean_what_they_mean_there(name) -> None:
    parameters = {"gamma": 0.3, "degree": 2, "coef0": 1.0}
    theirs = pairwise_kernels(X, Y, metric=name, filter_params=True, **parameters)
    np.testing.assert_allclose(as_kernel(name, **parameters)(X, Y), theirs, rtol=1e-12)


@pytest.mark.parametrize("gamma", ["scale", "auto"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_gamma_is_read_from_the_rows(gamma, form) -> None:
    rows = form(X * (X > 0))
    theirs = SVC(gamma=gamma).fit(rows, np.arange(11) % 2)._gamma
    assert as_kernel("rbf", gamma=gamma, X=rows).gamma == pytest.approx(theirs, rel=1e-12)
    assert as_kernel("rbf", gamma="scale", X=np.ones((3, 2))) == Gaussian(1.0)
    assert as_kernel("rbf", gamma=None, X=X) == Gaussian(1 / 3)


def test_kernels_stay_and_functions_are_taken() -> None:
    kernel = Polynomial(2)
    assert as_kernel(kernel) is kernel
    positive = np.abs(X)
    taken = as_kernel(chi2_kernel)
    np.testing.assert_allclose(taken(positive, positive[:2]), chi2_kernel(positive, positive[:2]))
    np.testing.assert_allclose(taken.diagonal(positive), 1)
    assert not taken.known_psd
    assert not (2 * taken + Linear()).known_psd
    sentence = "A kernel of 11 and 5 rows must give a block of that shape, but "
    with pytest.raises(BadData, match=re.escape(sentence)):
        as_kernel(lambda X, Y: X)(X, Y)


def test_a_matrix_that_is_known_already() -> None:
    block = X @ X.T
    kernel = as_kernel("precomputed")
    assert kernel == Precomputed()
    assert np.array_equal(kernel(block), block)
    assert np.array_equal(kernel(block[:2], block), block[:2])
    assert np.array_equal(kernel.diagonal(block), np.diag(block))
    assert kernel(block) is not block
    sentence = (
        "The diagonal is only known of the kernel matrix of the training examples, which is square; "
        "this one has shape (2, 11)."
    )
    with pytest.raises(BadData, match=re.escape(sentence)):
        kernel.diagonal(block[:2])


NAMES = "'linear', 'poly', 'polynomial', 'rbf', 'sigmoid', 'laplacian', 'cosine', 'precomputed'"


@pytest.mark.parametrize(
    ("spec", "parameters", "sentence"),
    [
        ("sigmoid", {"gamma": 1.0, "coef0": np.inf}, "coef0 must be a finite number, but is inf."),
        ("rfb", {}, f"kernel must be a kernel, one of {NAMES}, or a function, but is 'rfb'."),
        (3, {}, f"kernel must be a kernel, one of {NAMES}, or a function, but is 3."),
        ("rbf", {"gamma": -1.0}, "gamma must be a finite number above zero, but is -1.0."),
        ("rbf", {"gamma": "big"}, "gamma must be a number, 'scale' or 'auto', but is 'big'."),
        ("rbf", {}, "gamma='scale' is read from the rows, and there are none: give X."),
        (
            "poly",
            {"gamma": 1.0, "coef0": -1.0},
            "coef0 must be a finite number, zero or more, but is -1.0.",
        ),
    ],
)
def test_refusals(spec, parameters, sentence) -> None:
    with pytest.raises(BadParameter, match="^" + re.escape(sentence) + "$"):
        as_kernel(spec, **parameters)
