"""What every kernel is, and how kernels are scaled, added and multiplied."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.kernels.feature_maps import outer, powers
from assay.kernels.points import common_type, matrix, strips, unread
from assay.types import Array

if TYPE_CHECKING:
    from assay.theory.margin.kernels import Definiteness


# Rows up to which a matrix is decided about in exact numbers.
_MOST_EXACT = 60


def is_number(value: Any) -> bool:
    """Whether a value is a real number."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def at_least_zero(name: str, value: Any) -> float:
    """A finite number, zero or more; a kernel times it is a kernel."""
    fine = is_number(value) and math.isfinite(value) and value >= 0
    require(fine, name, "a finite number, zero or more", value)
    return float(value)


def above_zero(name: str, value: Any) -> float:
    """A finite number above zero."""
    fine = is_number(value) and math.isfinite(value) and value > 0
    require(fine, name, "a finite number above zero", value)
    return float(value)


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least so much."""
    number = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    fine = number and value >= least
    require(fine, name, f"a whole number of at least {least}", value)
    return int(value)


class Kernel(ABC):
    r"""A function :math:`k(x,t)=\langle\phi(x),\phi(t)\rangle` of two examples.

    ``k(X, Y)`` gives all values as one block, ``k(X)`` those of X with itself, ``k.diagonal(X)`` only
    :math:`k(x,x)`. Kernels may be scaled by numbers that are not negative, added, multiplied and raised to
    whole powers; the result is a kernel again (``kernel-closure``).
    """

    #: Whether every Gram matrix is positive semidefinite by construction, rather than as someone says.
    known_psd: bool = True

    #: What its examples are.
    takes: str = "rows of numbers"

    # An array does not multiply by a kernel entry by entry.
    __array_ufunc__ = None

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """All values k(x, t): one row for each x in X, one column for each t in Y (or in X).

        Parameters
        ----------
        X, Y : array-like or sparse matrix
            The examples; without Y those of X.

        Returns
        -------
        array of shape (len(X), len(Y))
            A new array of float64, or float32 where both are.
        """
        A = self._points(X)
        B = A if Y is None or Y is X else self._points(Y)
        if B is not A:
            A, B = self._alike(A, B)
        return self._in_range(self._block, A, B)

    def diagonal(self, X: Any) -> Array:
        """k(x, x) for every row of X, without the block."""
        return self._in_range(self._diagonal, self._points(X))

    def features(self, X: Any) -> Array:
        r"""A feature map, written out: vectors whose inner products are the values of the kernel.

        Parameters
        ----------
        X : array-like or sparse matrix
            The examples.

        Returns
        -------
        array of shape (len(X), n_features)
            :math:`\phi(x)` of every row, with :math:`\langle\phi(x),\phi(t)\rangle=k(x,t)` up to rounding. A map is
            unique up to an isometry only (``kernel-feature-identities``).

        Examples
        --------
        >>> from assay.kernels import AllProducts
        >>> AllProducts().features([[2.0, 3.0]]).tolist()
        [[1.0, 2.0, 3.0, 6.0]]
        """
        images = self._in_range(self._map, self._points(X))
        if not np.isfinite(images).all():
            raise self._too_large()
        return images

    def definiteness(self, X: Any, slack: float = 0.0) -> Definiteness:
        """Whether the matrix of these rows is that of a kernel (``kernel-psd``), decided without rounding.

        Parameters
        ----------
        X : array-like or sparse matrix
            A few examples: at most 60.
        slack : float, default=0.0
            Added on the diagonal, for values that were rounded.

        Returns
        -------
        Definiteness
            With a vector c that makes c'Kc negative, where there is one: then it is no kernel.

        Examples
        --------
        >>> from assay.kernels import as_kernel
        >>> twisted = as_kernel(lambda A, B: A @ B.T - 1)
        >>> twisted.definiteness([[0.0], [1.0]]).semidefinite
        False
        """
        from assay.theory.margin.kernels import (
            kernel_psd,  # only here: exact arithmetic is seldom wanted
        )

        values = np.asarray(self(X), dtype=np.float64)
        if len(values) > _MOST_EXACT:
            raise BadData(
                f"Definiteness is decided in exact numbers, for at most {_MOST_EXACT} rows, but there are "
                f"{len(values)}."
            )
        return kernel_psd(values.tolist(), slack)

    def _map(self, A: Any) -> Array:
        """The features of every example, as a new array."""
        raise BadParameter(
            f"{self!r} has no finite feature map that is known here: use its values."
        )

    def _in_range(self, values: Callable[..., Array], *points: Any) -> Array:
        """Values of the kernel; refuses those that no float can hold."""
        try:
            with np.errstate(over="raise"):
                return values(*points)
        except FloatingPointError:
            raise self._too_large() from None

    def _too_large(self) -> BadData:
        return BadData(
            f"{self!r} exceeds the largest number on these rows. Scale the features down, or "
            "normalise the examples to length one."
        )

    def _reader(self) -> Kernel | None:
        """The kernel that says how examples are read; None where any will do."""
        return self

    def _points(self, X: Any) -> Any:
        """The examples, read once; every kernel of a sum is given the same."""
        reader = self._reader()
        return unread(X) if reader is None else reader._read(X)

    def _read(self, X: Any) -> Any:
        """The examples in the form this kernel takes."""
        return matrix(X)

    def _alike(self, A: Any, B: Any) -> tuple[Any, Any]:
        """Both sides in one form."""
        reader = self._reader()
        return (A, B) if reader is None else reader._match(A, B)

    def _match(self, A: Any, B: Any) -> tuple[Any, Any]:
        return common_type(A, B)

    @abstractmethod
    def _block(self, A: Any, B: Any) -> Array:
        """The block as a new array; exactly symmetric where ``A is B``."""

    @abstractmethod
    def _diagonal(self, A: Any) -> Array:
        """k(a, a) for every example."""

    def _text(self, tightness: int) -> str:
        """The expression; in parentheses where it binds less tightly than asked (sum 0, product 1, power 2, name 3)."""
        return repr(self)

    def __add__(self, other: Any) -> Kernel:
        right = _operand(other)
        return NotImplemented if right is None else Sum(self, right)

    def __radd__(self, other: Any) -> Kernel:
        left = _operand(other)
        return NotImplemented if left is None else Sum(left, self)

    def __mul__(self, other: Any) -> Kernel:
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(other, self) if is_number(other) else NotImplemented

    def __rmul__(self, other: Any) -> Kernel:
        return Scaled(other, self) if is_number(other) else NotImplemented

    def __pow__(self, degree: Any) -> Kernel:
        return Power(self, degree)


def _operand(value: Any) -> Kernel | None:
    if isinstance(value, Kernel):
        return value
    return Constant(value) if is_number(value) else None


@dataclass(frozen=True)
class Constant(Kernel):
    """k(x, t) = c, for c zero or more: one more feature, the root of c.

    Examples
    --------
    >>> from assay.kernels import Linear
    >>> 1 + Linear()
    1.0 + Linear()
    """

    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", at_least_zero("value", self.value))

    def _reader(self) -> Kernel | None:
        return None

    def _block(self, A: Any, B: Any) -> Array:
        return np.full((_many(A), _many(B)), self.value, dtype=_type(A, B))

    def _diagonal(self, A: Any) -> Array:
        return np.full(_many(A), self.value, dtype=_type(A))

    def _map(self, A: Any) -> Array:
        return np.full((_many(A), 1), math.sqrt(self.value))

    def _text(self, tightness: int) -> str:
        return repr(self.value) if tightness == 0 else repr(self)


class Made(Kernel):
    """A kernel made of others; examples are read the way they read them."""

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels it is made of."""
        return tuple(part for part in vars(self).values() if isinstance(part, Kernel))

    @property
    def known_psd(self) -> bool:  # type: ignore[override]
        """Whether those it is made of are kernels by construction."""
        return all(part.known_psd for part in self.parts)

    def _reader(self) -> Kernel | None:
        readers = [reader for part in self.parts if (reader := part._reader()) is not None]
        if len({reader.takes for reader in readers}) > 1:
            one, two = readers[0], next(r for r in readers if r.takes != readers[0].takes)
            raise BadData(
                f"{one!r} takes {one.takes} and {two!r} takes {two.takes}: use Composed to map one "
                "to the other."
            )
        return readers[0] if readers else None

    def __repr__(self) -> str:
        return self._text(0)


@dataclass(frozen=True, repr=False)
class Scaled(Made):
    """c k(x, t), for c zero or more: every feature times the root of c.

    Examples
    --------
    >>> from assay.kernels import Gaussian
    >>> 2 * Gaussian(0.5)
    2.0 * Gaussian(gamma=0.5)
    >>> -1 * Gaussian(0.5)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: A kernel's coefficient must be a finite number, zero or more, but is -1.
    """

    coefficient: float
    kernel: Kernel

    def __post_init__(self) -> None:
        number = at_least_zero("A kernel's coefficient", self.coefficient)
        object.__setattr__(self, "coefficient", number)

    def _block(self, A: Any, B: Any) -> Array:
        block = self.kernel._block(A, B)
        block *= self.coefficient
        return block

    def _diagonal(self, A: Any) -> Array:
        return self.coefficient * self.kernel._diagonal(A)

    def _map(self, A: Any) -> Array:
        return math.sqrt(self.coefficient) * self.kernel._map(A)

    def _text(self, tightness: int) -> str:
        text = f"{self.coefficient!r} * {self.kernel._text(2)}"
        return f"({text})" if tightness > 1 else text


@dataclass(frozen=True, repr=False)
class Sum(Made):
    """k1(x, t) + k2(x, t): the features of both.

    Examples
    --------
    >>> from assay.kernels import Gaussian, Linear
    >>> k = Linear() + 2 * Gaussian(0.5)
    >>> k([[1.0, 0.0]], [[1.0, 2.0]]).round(6).tolist()
    [[1.270671]]
    """

    left: Kernel
    right: Kernel

    def _block(self, A: Any, B: Any) -> Array:
        block = self.left._block(A, B)
        if isinstance(self.right, Constant):
            block += self.right.value
        else:
            block += self.right._block(A, B)
        return block

    def _diagonal(self, A: Any) -> Array:
        return np.asarray(self.left._diagonal(A) + self.right._diagonal(A))

    def _map(self, A: Any) -> Array:
        return np.hstack([self.left._map(A), self.right._map(A)])

    def _text(self, tightness: int) -> str:
        left, right = self.left._text(0), self.right._text(0)
        if isinstance(self.left, Constant) and isinstance(self.right, Constant):
            left = repr(self.left)  # two plain numbers would be one number
        if isinstance(self.right, Sum):
            right = f"({right})"
        return f"({left} + {right})" if tightness > 0 else f"{left} + {right}"


@dataclass(frozen=True, repr=False)
class Product(Made):
    """k1(x, t) k2(x, t): every feature of one times every feature of the other.

    Examples
    --------
    >>> from assay.kernels import Linear
    >>> k = (1 + Linear()) * Linear()
    >>> k, k([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    ((1.0 + Linear()) * Linear(), [[132.0]])
    """

    left: Kernel
    right: Kernel

    def _block(self, A: Any, B: Any) -> Array:
        block = self.left._block(A, B)
        block *= self.right._block(A, B)
        return block

    def _diagonal(self, A: Any) -> Array:
        return np.asarray(self.left._diagonal(A) * self.right._diagonal(A))

    def _map(self, A: Any) -> Array:
        return outer(self.left._map(A), self.right._map(A))

    def _text(self, tightness: int) -> str:
        text = f"{self.left._text(1)} * {self.right._text(2)}"
        return f"({text})" if tightness > 1 else text


@dataclass(frozen=True, repr=False)
class Power(Made):
    """k(x, t) to a whole power: the product of k with itself.

    Examples
    --------
    >>> from assay.kernels import Linear
    >>> k = (1 + Linear()) ** 2
    >>> k, k([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    ((1.0 + Linear()) ** 2, [[144.0]])
    """

    kernel: Kernel
    degree: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", whole("A kernel's power", self.degree))

    def _block(self, A: Any, B: Any) -> Array:
        return raised(self.kernel._block(A, B), self.degree)

    def _diagonal(self, A: Any) -> Array:
        return raised(self.kernel._diagonal(A), self.degree)

    def _map(self, A: Any) -> Array:
        return powers(self.kernel._map(A), self.degree)

    def _text(self, tightness: int) -> str:
        text = f"{self.kernel._text(3)} ** {self.degree}"
        return f"({text})" if tightness > 2 else text


def raised(block: Array, degree: int) -> Array:
    """The block to a whole power, in its place: by multiplying, where that is cheaper than ``pow``."""
    if degree == 1:
        return block
    if degree == 2:
        block *= block
        return block
    wide = block if block.ndim == 2 else block[:, None]
    for rows in strips(wide):
        part = wide[rows]
        power = part.copy() if degree & 1 else np.ones_like(part)
        square, rest = part, degree >> 1
        while rest:
            np.multiply(square, square, out=square)
            if rest & 1:
                power *= square
            rest >>= 1
        part[...] = power
    return block


def _many(A: Any) -> int:
    return int(A.shape[0]) if hasattr(A, "shape") else len(A)


def _type(*sides: Any) -> Any:
    single = all(getattr(side, "dtype", None) == np.float32 for side in sides)
    return np.float32 if single else np.float64
