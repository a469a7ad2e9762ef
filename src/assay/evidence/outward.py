"""Differences, quotients and products of doubles, rounded up: a loss must not be told smaller than it is."""

from __future__ import annotations

import numpy as np

from assay.types import Floats

# What is smaller may have lost digits that its error does not show.
_SMALL = 1e-250


def error_of_difference(a: Floats, b: Floats) -> Floats:
    """What a - b loses in floating point, exactly (Knuth's two-sum)."""
    d = a - b
    part = d - a
    error: Floats = (a - (d - part)) - (b + part)
    return error


def difference_up(a: Floats, b: Floats) -> Floats:
    """|a - b|, rounded up."""
    d, error = a - b, error_of_difference(a, b)
    short = np.where(d >= 0, error, -error) > 0
    size: Floats = np.abs(d)
    return np.where(short, np.nextafter(size, np.inf), size)


def quotient_up(a: Floats, width: float) -> Floats:
    """a / width, rounded up."""
    q = a / width
    product, error = _two_product(q, np.full_like(q, width))
    short = ((product - a) + error < 0) | ((q < _SMALL) & (a > 0))
    return np.where(short, np.nextafter(q, np.inf), q)


def product_up(a: Floats, b: Floats) -> Floats:
    """a * b, rounded up."""
    product, error = _two_product(a, b)
    short = (error > 0) | ((product < _SMALL) & (a > 0) & (b > 0))
    return np.minimum(np.where(short, np.nextafter(product, np.inf), product), 1.0)


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a * b, and what it loses in floating point (Dekker's product)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: Floats) -> tuple[Floats, Floats]:
    scaled = a * 134_217_729.0
    high = scaled - (scaled - a)
    return high, a - high
