"""Kernels by the names, functions and parameters that users of scikit-learn pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData, BadParameter
from assay.kernels.derived import Normalized
from assay.kernels.dot import Linear, Polynomial, Sigmoid
from assay.kernels.gaussian import Gaussian, Laplacian
from assay.kernels.kernel import Kernel, above_zero
from assay.kernels.strings import texts
from assay.types import Array

_NAMES = ("linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "precomputed")


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The rows are the values of the kernel: of every example with every training example.

    That they form a positive semidefinite matrix is taken on trust.
    """

    known_psd = False

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """The block X itself, whatever Y is."""
        return self._block(self._points(X), None)

    def _block(self, A: Any, B: Any) -> Array:
        return A.toarray() if sparse.issparse(A) else np.array(A)

    def _diagonal(self, A: Any) -> Array:
        if A.shape[0] != A.shape[1]:
            raise BadData(
                "The diagonal is only known of the kernel matrix of the training examples, which is "
                f"square; this one has shape {A.shape}."
            )
        return np.array(A.diagonal())


@dataclass(frozen=True)
class FromFunction(Kernel):
    """A function of two matrices that gives the whole block, as scikit-learn's support vector machines take it.

    That it is a kernel is taken on trust.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import as_kernel
    >>> as_kernel(lambda X, Y: X @ Y.T).diagonal(np.array([[1.0, 2.0]])).tolist()
    [5.0]
    """

    function: Callable[[Any, Any], Any]

    known_psd = False

    def _block(self, A: Any, B: Any) -> Array:
        given = self.function(A, B)
        block = np.array(given.toarray() if sparse.issparse(given) else given)
        if block.dtype not in (np.float32, np.float64):
            block = block.astype(np.float64)
        many, others = (_height(examples) for examples in (A, B))
        if block.shape != (many, others):
            raise BadData(
                f"A kernel of {many} and {others} rows must give a block of that shape, but "
                f"{self.function!r} gives {block.shape}."
            )
        return block

    def _diagonal(self, A: Any) -> Array:
        values = [self._block(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(_height(A))]
        single = getattr(A, "dtype", None) == np.float32
        return np.array(values, dtype=np.float32 if single else np.float64)


def _height(examples: Any) -> int:
    return len(examples) if isinstance(examples, list) else int(examples.shape[0])


@dataclass(frozen=True)
class FromStringFunction(FromFunction):
    """The same of a function of two lists of strings.

    Examples
    --------
    >>> FromStringFunction(lambda s, t: [[len(a) * len(b) for b in t] for a in s])(["ab"], ["abc", ""]).tolist()
    [[6.0, 0.0]]
    """

    takes = "strings"

    def _read(self, X: Any) -> list[str]:
        return texts(X)

    def _match(self, A: Any, B: Any) -> tuple[Any, Any]:
        return A, B


def as_kernel(
    spec: Any, *, gamma: Any = "scale", degree: int = 3, coef0: float = 0.0, X: Any = None
) -> Kernel:
    """The kernel that was meant.

    Parameters
    ----------
    spec : Kernel, str or callable
        A kernel as it is; one of scikit-learn's names ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"``,
        ``"cosine"``, ``"sigmoid"``, ``"precomputed"``; or a function of two matrices that gives the whole block.
    gamma : float, "scale", "auto" or None
        For ``"poly"``, ``"rbf"``, ``"sigmoid"`` and ``"laplacian"``: a number; one over the number of features times
        the variance of X; or (also None) one over the number of features.
    degree, coef0
        For ``"poly"``, and coef0 for ``"sigmoid"``.
    X : array-like or sparse matrix, default=None
        The rows from which ``"scale"`` and ``"auto"`` are read.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import as_kernel
    >>> as_kernel("rbf", X=np.array([[0.0, 1.0], [2.0, 3.0]]))
    Gaussian(gamma=0.4)
    >>> as_kernel("poly", degree=2, gamma=1.0, coef0=1)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    """
    if isinstance(spec, Kernel):
        return spec
    if callable(spec) and not isinstance(spec, type):
        strings = isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1
        return FromStringFunction(spec) if strings else FromFunction(spec)
    if not isinstance(spec, str) or spec not in _NAMES:
        names = ", ".join(repr(name) for name in _NAMES)
        raise BadParameter(
            f"kernel must be a kernel, one of {names}, or a function, but is {spec!r}."
        )
    match spec:
        case "linear":
            return Linear()
        case "precomputed":
            return Precomputed()
        case "cosine":
            return Normalized(Linear())
        case "rbf":
            return Gaussian(read_gamma(gamma, X))
        case "laplacian":
            return Laplacian(read_gamma(gamma, X))
        case "sigmoid":
            return Sigmoid(read_gamma(gamma, X), coef0)
    return Polynomial(degree, read_gamma(gamma, X), coef0)


def read_gamma(gamma: Any, X: Any) -> float:
    """The number that gamma stands for on these rows."""
    if gamma is not None and not isinstance(gamma, str):
        return above_zero("gamma", gamma)
    if gamma not in ("scale", "auto", None):
        raise BadParameter(f"gamma must be a number, 'scale' or 'auto', but is {gamma!r}.")
    if X is None:
        raise BadParameter(f"gamma={gamma!r} is read from the rows, and there are none: give X.")
    features = max(1, int(X.shape[1]))
    if gamma != "scale":
        return 1.0 / features
    variance = X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else np.asarray(X).var()
    return 1.0 / (features * float(variance)) if variance > 0 else 1.0
