"""Kernels: functions of two examples that are inner products of their features.

Examples
--------
>>> from assay.kernels import Gaussian, Linear
>>> 2 * Gaussian(gamma=0.5) + Linear()
2.0 * Gaussian(gamma=0.5) + Linear()
"""

from assay.kernels.derived import Composed, Normalized
from assay.kernels.dot import Exponential, Linear, Polynomial
from assay.kernels.gaussian import Gaussian, Laplacian
from assay.kernels.general import GeneralizedLinear
from assay.kernels.kernel import Constant, Kernel, Power, Product, Scaled, Sum
from assay.kernels.named import FromFunction, Precomputed, as_kernel
from assay.kernels.products import AllProducts
from assay.kernels.strings import Substring
from assay.kernels.text import kernel_text, read_kernel

#: The kernel of all products by its other name.
ANOVA = AllProducts

__all__ = [
    "ANOVA",
    "AllProducts",
    "Composed",
    "Constant",
    "Exponential",
    "FromFunction",
    "Gaussian",
    "GeneralizedLinear",
    "Kernel",
    "Laplacian",
    "Linear",
    "Normalized",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Scaled",
    "Substring",
    "Sum",
    "as_kernel",
    "kernel_text",
    "read_kernel",
]
