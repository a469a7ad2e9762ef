"""The search for a comparator: dual coordinate descent over some examples."""

from __future__ import annotations

import numpy as np

from assay.compiled.linear.comparator import dual_descent, seed
from assay.learners.common.rows import Rows
from assay.types import Floats

_PASSES = 1_000
_TOLERANCE = 1e-5


class ComparatorSearch:
    """Dual coordinate descent that can be taken up again under other caps.

    It looks for the vector u, a weight for the constant feature included, that makes half its squared length
    plus the hinge losses, each times its cap, least; without caps, for the separator of largest margin.

    Parameters
    ----------
    X : Rows
        The examples.
    ones : array of shape (n_examples,)
        Their constant features.
    y : array of shape (n_examples,)
        Their labels, -1 and +1.

    Attributes
    ----------
    alpha : array
        The weight of every example in the vector, between zero and its cap.
    u, u0 : array
        The vector, and apart from it the weight of the constant feature.
    """

    def __init__(self, X: Rows, ones: Floats, y: Floats) -> None:
        self.X, self.ones, self.y = X, ones, y
        self.squares = X.squares() + ones**2
        self.alpha = np.zeros(len(y))
        self.u, self.u0 = np.zeros(X.width), np.zeros(1)

    def run(self, caps: Floats, work: int, least: float, tolerance: float = _TOLERANCE) -> None:
        """Descend until nothing moves, or as far as the work allows.

        Parameters
        ----------
        caps : array of shape (n_examples,)
            The largest weight of every example.
        work : int
            How many cells may be visited.
        least : float
            The search also ends where no margin of so much is possible.
        tolerance : float
            It ends when no score of an example that may move is further from one.
        """
        passes = min(_PASSES, work // (self.X.cells + len(self.y) + 1) + 1)
        # Under smaller caps than before, the vector is brought in line with the weights.
        self.alpha = np.minimum(self.alpha, caps)
        signed = self.alpha * self.y
        self.u = np.ascontiguousarray(self.X.whole.T @ signed)
        self.u0 = np.array([float(self.ones @ signed)])
        seed(0)
        dual_descent(
            self.X.block,
            self.ones,
            self.y,
            caps,
            self.squares,
            np.arange(len(self.y)),
            self.alpha,
            self.u,
            self.u0,
            passes,
            tolerance,
            least,
        )

    @property
    def vector(self) -> Floats:
        """The vector found, the weight of the constant feature last."""
        return np.append(self.u, self.u0)

    @property
    def norm(self) -> float:
        """Its length."""
        return float(np.linalg.norm(self.vector))

    def margins(self) -> Floats:
        """y <u, x> on every example."""
        return np.asarray(self.y * (self.X.whole @ self.u + self.ones * self.u0[0]))
