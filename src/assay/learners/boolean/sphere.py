"""Nets of the unit sphere: vectors that come within a given distance of every unit vector."""

from __future__ import annotations

import math

import numpy as np

from assay.types import Floats

# What rounding may take from a distance between unit vectors.
_SLACK = 1e-9


def sphere_net(features: int, distance: float, most: int) -> Floats:
    r"""Unit vectors of which one is within the distance of every unit vector.

    On the circle they are spread evenly. On larger spheres they lie on circles of latitude, each with a
    net of its own: two points whose latitudes differ by a, and whose longitudes are u and u', are at
    most :math:`\sqrt{a^2+\sin\theta\sin\theta'\,|u-u'|^2}` apart.

    Parameters
    ----------
    features : int
        The dimension d.
    distance : float
        How far a unit vector may be from the net.
    most : int
        The largest number of vectors to make; more raise OverflowError.

    Examples
    --------
    >>> sphere_net(2, 0.1, 1000).shape
    (32, 2)
    """
    reach = distance * (1 - _SLACK)
    if features == 1:
        return np.array([[1.0], [-1.0]])
    if reach >= 2:
        return np.eye(1, features)
    if features == 2:
        # Neighbours are two half-steps apart, and a half-step's chord is the distance.
        points = math.ceil(math.pi / (2 * math.asin(reach / 2)))
        if points > most:
            raise OverflowError
        angles = 2 * math.pi * np.arange(points) / points
        return np.column_stack([np.cos(angles), np.sin(angles)])
    step = reach / math.sqrt(2)
    rings = math.ceil(math.pi / (2 * step))
    width = math.pi / rings
    parts = []
    for ring in range(rings):
        low, high = ring * width, (ring + 1) * width
        middle = (low + high) / 2
        widest = 1.0 if low <= math.pi / 2 <= high else max(math.sin(low), math.sin(high))
        around = sphere_net(features - 1, step / math.sqrt(widest * math.sin(middle)), most)
        most -= len(around)
        if most < 0:
            raise OverflowError
        tops = np.full((len(around), 1), math.cos(middle))
        parts.append(np.hstack([tops, math.sin(middle) * around]))
    return np.vstack(parts)
