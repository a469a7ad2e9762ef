"""Two classes drawn from normal distributions, whose best possible rule and its error are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.data.synthetic.draws import generator, require_counts
from assay.errors import require
from assay.types import Floats


@dataclass(frozen=True)
class GaussianClasses:
    """Examples of two normal distributions with the same spherical spread.

    Parameters
    ----------
    X, y : numpy.ndarray
        Rows, and labels -1.0 and +1.0, each with probability one half.
    center : numpy.ndarray
        The mean of the positive class; that of the negative one is its opposite.
    bayes_error : float
        The error of the best rule, which is the sign of ``X @ center``.
    """

    X: Floats
    y: Floats
    center: Floats
    bayes_error: float

    def bayes_rule(self, X: Floats) -> Floats:
        """The best prediction there is, for each row."""
        return np.where(X @ self.center >= 0, 1.0, -1.0)

    @property
    def classes(self) -> Floats:
        """The labels."""
        return np.array([-1.0, 1.0])

    def sample(self, rows: int, random_state: Any = None) -> tuple[Floats, Floats]:
        """Further independent draws from the same distribution."""
        rng = np.random.default_rng(random_state)
        y = rng.choice([-1.0, 1.0], size=rows)
        return rng.normal(size=(rows, len(self.center))) + np.outer(y, self.center), y

    def outcomes(self, X: Floats, random_state: Any = None) -> Floats:
        """A label for each row, drawn afresh."""
        rng = np.random.default_rng(random_state)
        return np.where(rng.random(len(X)) < self.probabilities(X)[:, 1], 1.0, -1.0)

    def probabilities(self, X: Floats) -> Floats:
        """The probability of each label at each row."""
        half = self.mean(X) / 2
        return np.column_stack([0.5 - half, 0.5 + half])

    def mean(self, X: Floats) -> Floats:
        """The mean of the label at each row."""
        return np.tanh(np.asarray(X) @ self.center)

    def variance(self, X: Floats) -> Floats:
        """The variance of the label at each row."""
        return np.asarray(1 - self.mean(X) ** 2)


def gaussian_classes(
    rows: int, features: int, *, bayes_error: float = 0.1, random_state: int = 0
) -> GaussianClasses:
    r"""Draw two normal classes that overlap as much as chosen.

    With means :math:`\\pm\\mu` and unit variance in every direction, the best rule errs with
    probability :math:`\\Phi(-\\|\\mu\\|)`; the means are set apart accordingly, in a random direction.

    Parameters
    ----------
    rows, features : int
        At least one of each.
    bayes_error : float
        More than 0 and less than one half.
    random_state : int
        The seed.

    Examples
    --------
    >>> data = gaussian_classes(100_000, 3, bayes_error=0.2, random_state=1)
    >>> round(float((data.bayes_rule(data.X) != data.y).mean()), 2)
    0.2
    """
    from scipy.special import ndtri

    require_counts(rows=rows, features=features)
    good = not isinstance(bayes_error, bool | str) and 0 < bayes_error < 0.5
    require(good, "bayes_error", "a number strictly between 0 and 0.5", bayes_error)
    rng = generator(random_state)
    direction = rng.normal(size=features)
    center = direction / np.linalg.norm(direction) * -float(ndtri(bayes_error))
    y = rng.choice([-1.0, 1.0], size=rows)
    X = rng.normal(size=(rows, features)) + np.outer(y, center)
    return GaussianClasses(X, y, center, float(bayes_error))
