"""Kernels: functions of two examples that are inner products of their features.

Examples
--------
>>> from assay.kernels import Gaussian, Linear
>>> 2 * Gaussian(gamma=0.5) + Linear()
2.0 * Gaussian(gamma=0.5) + Linear()
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
