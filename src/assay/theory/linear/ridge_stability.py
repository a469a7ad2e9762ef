"""Why the penalty of ridge regression makes a problem well posed: its condition, and how far its answer moves."""

from __future__ import annotations

from assay.errors import require
from assay.theory.needs import nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, sqrt


@theorem(
    kind="identity",
    statement=r"\kappa(X^\top X+\lambda I)=\frac{\sigma_{\max}^2+\lambda}{\sigma_{\min}^2+\lambda}"
    r"\le1+\frac{\sigma_{\max}^2}\lambda",
)
def ridge_condition(largest: Number, penalty: Number, least: Number = 0) -> float:
    """The condition number of the equations of ridge regression.

    Theorem  The eigenvalues of X'X + l I are s^2 + l for the singular values s of X (and s = 0
             where X has fewer rows than columns), so the largest over the least of them is
             (s_max^2 + l) / (s_min^2 + l): finite for every l > 0, whatever X is.
    Needs    largest s_max: finite, >= 0, or more.  penalty l: finite, > 0.
             least s_min: 0 <= least <= largest, or less; 0 when not given.
    Gives    the condition number, or a number above it, rounded up.
    Source   Tikhonov & Arsenin, Solutions of ill-posed problems (1977); Sakulwongtana, Supervised
             Learning (lecture notes), Definition 2.4; derived from the singular values.

    Examples
    --------
    >>> ridge_condition(largest=10, penalty=1)
    101.0
    """
    top, weight = nonnegative("largest", largest), positive("penalty", penalty)
    bottom = nonnegative("least", least)
    require(bottom.low <= top.high, "least", f"at most the largest {largest!r}", least)
    return ((top**2 + weight) / (bottom**2 + weight)).up()


@theorem(
    kind="identity",
    statement=r"\|w_\lambda(y)-w_\mu(y')\|\le\frac{\|y-y'\|}{2\sqrt\lambda}"
    r"+\frac{|\lambda-\mu|}\lambda\|w_\mu(y')\|",
)
def ridge_stability(
    penalty: Number, moved: Number = 0, other: Number | None = None, norm: Number = 0
) -> float:
    """How far the weights of ridge regression move with the outcomes and with the penalty.

    Theorem  Let w_l(y) minimise ||y - Xw||^2 + l ||w||^2. A singular value s of X multiplies a
             change of y by s / (s^2 + l), which is at most 1 / (2 sqrt(l)). And
             w_l - w_m = (m - l) (X'X + l I)^-1 w_m, which is at most |m - l| / l times as long as
             w_m. So ||w_l(y) - w_m(y')|| is at most
             ||y - y'|| / (2 sqrt(l)) + |l - m| / l ||w_m(y')||.
    Needs    penalty l: finite, > 0.  moved ||y - y'||: finite, >= 0, or more; 0 when not given.
             other m: finite, >= 0; l when not given.  norm ||w_m(y')||: finite, >= 0, or more.
    Gives    an upper bound on the distance of the weights, rounded up; the same X on both sides.
    Source   Tikhonov & Arsenin, Solutions of ill-posed problems (1977); Sakulwongtana, Supervised
             Learning (lecture notes), Definition 2.4 (well-posed); the constants are derived.

    Examples
    --------
    >>> ridge_stability(penalty=4, moved=1)
    0.25
    >>> ridge_stability(penalty=4, other=5, norm=2)
    0.5
    """
    weight, shift = positive("penalty", penalty), nonnegative("moved", moved)
    second = weight if other is None else nonnegative("other", other)
    length = nonnegative("norm", norm)
    apart = exact(abs(weight.low - second.low))
    return (shift / (2 * sqrt(weight)) + apart / weight * length).up()
