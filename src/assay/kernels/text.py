"""Kernels as text: what a kernel prints is read back, without running anything."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from assay.errors import AssayError, BadData, BadParameter
from assay.kernels.derived import Normalized
from assay.kernels.dot import Exponential, Linear, Polynomial, Sigmoid
from assay.kernels.gaussian import Gaussian, Laplacian
from assay.kernels.general import GeneralizedLinear
from assay.kernels.kernel import Constant, Kernel
from assay.kernels.named import Precomputed
from assay.kernels.products import AllProducts
from assay.kernels.strings import Substring

_KERNELS: dict[str, type[Kernel]] = {
    made.__name__: made
    for made in (
        AllProducts,
        Constant,
        Exponential,
        Gaussian,
        GeneralizedLinear,
        Laplacian,
        Linear,
        Normalized,
        Polynomial,
        Precomputed,
        Sigmoid,
        Substring,
    )
}


def kernel_text(kernel: Kernel) -> str:
    """The kernel as text that `read_kernel` reads back to an equal one.

    Examples
    --------
    >>> from assay.kernels import Gaussian, Linear, kernel_text
    >>> kernel_text(2 * Gaussian(0.5) + Linear())
    '2.0 * Gaussian(gamma=0.5) + Linear()'
    """
    text = repr(kernel)
    with contextlib.suppress(AssayError):
        if read_kernel(text) == kernel:
            return text
    raise BadParameter(
        f"A kernel must be made of those of assay.kernels to be written down, but is {text}, which "
        "holds a function of yours."
    )


def read_kernel(text: str) -> Kernel:
    """The kernel that a text describes: kernels by name, numbers, and ``+``, ``*``, ``**`` between them.

    Examples
    --------
    >>> from assay.kernels import read_kernel
    >>> read_kernel("(1 + Linear()) ** 2")
    (1.0 + Linear()) ** 2
    """
    try:
        kernel = _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        if isinstance(error, AssayError):
            raise
        raise BadData(f"{text[:200]!r} does not describe a kernel.") from None
    if not isinstance(kernel, Kernel):
        raise BadData(f"{text[:200]!r} does not describe a kernel.")
    return kernel


def _value(node: ast.expr) -> Any:
    """What an expression stands for; ValueError for anything but kernels, numbers and lists of them."""
    match node:
        case ast.Constant(value=bool() | str() | bytes()):
            raise ValueError
        case ast.Constant(value=int() | float() | None as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.List(elts=items):
            return [_value(item) for item in items]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _KERNELS:
            if any(word.arg is None for word in keywords):
                raise ValueError
            named = {str(word.arg): _value(word.value) for word in keywords}
            return _KERNELS[name](*map(_value, args), **named)
        case ast.BinOp(left=left, op=op, right=right):
            one, two = _value(left), _value(right)
            if not isinstance(one, Kernel) and not isinstance(two, Kernel):
                raise ValueError
            if isinstance(op, ast.Add):
                return one + two
            if isinstance(op, ast.Mult):
                return one * two
            if isinstance(op, ast.Pow) and isinstance(one, Kernel):
                return one**two
    raise ValueError
