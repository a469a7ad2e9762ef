"""How the dual variables of a support vector machine move as the price of a slack rises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.types import Floats, Ints

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class SupportPath:
    r"""The machine at every price.

    Attributes
    ----------
    prices : array
        The values of C, rising.
    alpha : array of shape (n_prices, n_rows)
        The dual variables, :math:`0\le\alpha_i\le C`; between the prices at which a row joins or leaves the margin they
        are linear in C (``svm-duality-kkt``).
    support : array
        How many of them are above zero.
    bound : array
        How many are C: rows that do not clear the margin.
    margin : array
        The distance of the margin from the plane, one over the length of the weights.
    left_out : array
        The share of rows that a machine without them gets wrong; at most ``critical`` over the rows (``svm-loo``).
    critical : array
        How many rows the machine rests on, as far as the tolerance tells.
    """

    prices: Floats
    alpha: Floats
    support: Ints
    bound: Ints
    margin: Floats
    left_out: Floats
    critical: Ints

    @property
    def best(self) -> float:
        """The price with the least error of leaving one out, the smallest of equals."""
        return float(self.prices[int(self.left_out.argmin())])

    def __str__(self) -> str:
        rows = self.alpha.shape[1]
        lines = [f"{rows} rows:", "       C  support  at C    margin  left out  at most"]
        for i, price in enumerate(self.prices.tolist()):
            lines.append(
                f"{price:>8.4g}  {self.support[i]:>7}  {self.bound[i]:>4}  {self.margin[i]:>8.4g}  "
                f"{self.left_out[i]:>8.4g}  {self.critical[i] / rows:>7.4g}"
            )
        return "\n".join(lines)


def support_path(X: Any, y: Any, prices: Sequence[float], *, kernel: Any = "linear") -> SupportPath:
    """Fit a support vector machine for every price C, and leave each of its support vectors out.

    Parameters
    ----------
    X, y : array-like
        A sample of two classes.
    prices : sequence of float
        The values of C, above zero.
    kernel : str, Kernel or callable, default="linear"

    Returns
    -------
    SupportPath

    References
    ----------
    .. [1] Hastie, Rosset, Tibshirani & Zhu (2004). The entire regularization path for the support vector machine.

    Examples
    --------
    >>> from assay import support_path
    >>> path = support_path([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], [0.1, 0.2, 0.4])
    >>> path.alpha[1].round(6).tolist()
    [0.155556, 0.2, 0.2, 0.155556]
    """
    from assay.learners.kernel.svc import SVC  # only here: other experiments should not wait for it

    rising = np.unique(np.asarray(prices, dtype=np.float64))
    labels = np.asarray(y)
    if len(np.unique(labels)) != 2:
        raise BadData(f"A path is of two classes, but there are {len(np.unique(labels))}.")
    alpha = np.zeros((len(rising), len(labels)))
    left_out, critical, margin = [], [], []
    for place, price in enumerate(rising.tolist()):
        machine = SVC(C=price, kernel=kernel, tol=_TOLERANCE).fit(X, labels)
        alpha[place, machine.support_] = np.abs(machine.dual_coef_[0])
        record = machine.record_
        margin.append(record.width)
        left_out.append(float((machine.leave_one_out(X, labels) != labels).mean()))
        critical.append(min(len(machine.support_) + record.beside, len(labels)))
    close = _TOLERANCE * rising[:, None]
    return SupportPath(
        prices=rising,
        alpha=alpha,
        support=(alpha > 0).sum(axis=1),
        bound=(alpha >= rising[:, None] - close).sum(axis=1),
        margin=np.array(margin),
        left_out=np.array(left_out),
        critical=np.array(critical),
    )
