"""Kernels made from another: scaled to length one, or taken after a feature map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadParameter, require
from assay.kernels.kernel import Kernel, Made
from assay.kernels.points import strips
from assay.types import Array


@dataclass(frozen=True)
class Normalized(Made):
    r""":math:`k(x,t)/\sqrt{k(x,x)\,k(t,t)}`: every image scaled to length one, so that k(x, x) = 1.

    An example whose image is zero stays there: its values are zero.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> from assay.kernels import Linear, Normalized
    >>> Normalized(Linear())([[1.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]).round(6).tolist()
    [[0.707107, 0.0]]
    """

    kernel: Kernel

    def __post_init__(self) -> None:
        _require_kernel(self.kernel)

    def _block(self, A: Any, B: Any) -> Array:
        a = _inverse_lengths(self.kernel._diagonal(A))
        b = a if A is B else _inverse_lengths(self.kernel._diagonal(B))
        block = self.kernel._block(A, B)
        for rows in strips(block):
            block[rows] *= a[rows, None] * b  # one product for both orders: exactly symmetric
        if A is B:
            np.fill_diagonal(block, a > 0)
        return block

    def _diagonal(self, A: Any) -> Array:
        own = self.kernel._diagonal(A)
        return (own > 0).astype(own.dtype)

    def _map(self, A: Any) -> Array:
        return self.kernel._map(A) * _inverse_lengths(self.kernel._diagonal(A))[:, None]


def _inverse_lengths(squared: Array) -> Array:
    inverse = np.zeros_like(squared)
    np.divide(1.0, np.sqrt(np.maximum(squared, 0.0)), out=inverse, where=squared > 0)
    return inverse


class Composed(Kernel):
    r""":math:`k(\phi(x),\phi(t))`: a kernel after a feature map.

    Parameters
    ----------
    kernel : Kernel
    features : callable or transformer
        What maps the examples: a function of all rows, or a fitted object with ``transform``.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Composed, Linear
    >>> Composed(Linear(), np.square)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[73.0]]
    """

    # Not a dataclass: the parameter has the name of the method that every kernel has.
    def __init__(self, kernel: Kernel, features: Callable[[Any], Any] | Any) -> None:
        _require_kernel(kernel)
        if not callable(features) and not hasattr(features, "transform"):
            raise BadParameter(
                f"features must be a function or have transform, but is {features!r}."
            )
        self.kernel, self.before = kernel, features

    def __repr__(self) -> str:
        return f"Composed(kernel={self.kernel!r}, features={self.before!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Composed):
            return False
        return bool(self.kernel == other.kernel and self.before == other.before)

    def __hash__(self) -> int:
        return hash((self.kernel, self.before))

    @property
    def known_psd(self) -> bool:  # type: ignore[override]
        """Whether the kernel is one by construction; a map cannot spoil it."""
        return self.kernel.known_psd

    def _reader(self) -> Kernel | None:
        return None

    def _images(self, X: Any) -> Any:
        transform = getattr(self.before, "transform", self.before)
        return self.kernel._points(transform(X))

    def _block(self, A: Any, B: Any) -> Array:
        left = self._images(A)
        if A is B:
            return self.kernel._block(left, left)
        return self.kernel._block(*self.kernel._alike(left, self._images(B)))

    def _diagonal(self, A: Any) -> Array:
        return self.kernel._diagonal(self._images(A))

    def _map(self, A: Any) -> Array:
        return self.kernel._map(self._images(A))


def _require_kernel(value: Any) -> None:
    require(isinstance(value, Kernel), "kernel", "a kernel of assay.kernels", value)
