"""Updates of the perceptron that insists on a margin, and how its weights grow."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import BUILT, LABELLED, Condition, run_claim
from assay.theory.needs import Form, one_of, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number

RULE = Condition(
    "margin-perceptron-updates",
    "the weights start at the first example and move while the margin is below (1 - e) gamma",
)
UNIT_LENGTH = Condition("unit-length", "every example has length one")


@theorem(
    "T07",
    kind="mistakes",
    statement=r"M\le\frac{2}{e^2\gamma^2}+\frac{2}{e\gamma}-\frac{2}{e}",
    assumes=(
        UNIT_LENGTH,
        Condition(
            "separable-with-margin-gamma",
            "some unit vector separates the sequence through the origin with margin gamma",
        ),
        RULE,
    ),
    claim=run_claim("updates", BUILT, LABELLED, BUILT),
)
def margin_perceptron_updates(margin: Number, slack: Number = 0.5, form: Form = "sharp") -> int:
    """Updates of the margin perceptron, mistakes and narrow escapes together.

    Theorem  If every ||x_t|| = 1 and some unit vector u has y_t <u, x_t> >= g for every t, the
             rule that starts at y_1 x_1 and adds y x whenever y <w, x> / ||w|| < (1 - e) g makes
             at most 2 / (e g)^2 + 2 / (e g) - 2 / e updates after the first example. For
             e = 1/2 the textbook states 12 / g^2.
    Needs    margin g: 0 < g <= 1.  slack e, the part of the margin given up: 0 < e <= 1.
             form: "sharp", or "textbook" (only for slack 1/2).
    Gives    the largest whole number the bound allows.
    Source   Mansour, Introduction to Machine Learning, lecture 4 (2012), Theorem 4.2, which
             states 12 / g^2; the sharp constants are those of its proof.

    Examples
    --------
    >>> margin_perceptron_updates(margin=0.1)
    836
    >>> margin_perceptron_updates(margin=0.1, form="textbook")
    1200
    """
    g, e = _margin(margin), _slack(slack)
    one_of("form", form, "sharp", "textbook")
    if form == "textbook":
        require(e.low * 2 == 1, "slack", "0.5 for the textbook's form", slack)
        return (12 / g**2).floor()
    return (2 / (e * g) ** 2 + 2 / (e * g) - 2 / e).floor()


@theorem(
    "L03",
    kind="potential",
    statement=r"\|w_{t+1}\|\le\|w_t\|+\frac{1}{2\|w_t\|}+(1-e)\gamma",
    assumes=(UNIT_LENGTH, RULE),
)
def margin_perceptron_norm_potential(norm: Number, margin: Number, slack: Number = 0.5) -> float:
    """How long the margin perceptron's weights can be after one more update.

    Theorem  An update adds y x with y <w, x> < (1 - e) g ||w|| and ||x|| = 1, so
             ||w + y x||^2 < ||w||^2 + 2 (1 - e) g ||w|| + 1; take roots.
    Needs    norm ||w|| before the update: finite, > 0.  margin g: 0 < g <= 1.
             slack e: 0 < e <= 1.
    Gives    an upper bound on the length after the update, rounded up.
    Source   Mansour, Introduction to Machine Learning, lecture 4 (2012), proof of Theorem 4.2.

    Examples
    --------
    >>> margin_perceptron_norm_potential(norm=2, margin=0.5)
    2.5
    """
    length, g, e = positive("norm", norm), _margin(margin), _slack(slack)
    return (length + 1 / (2 * length) + (1 - e) * g).up()


def _margin(margin: Number) -> Enclosure:
    g = positive("margin", margin)
    require(g.low <= 1, "margin", "at most 1, the length of the examples", margin)
    return g


def _slack(slack: Number) -> Enclosure:
    e = positive("slack", slack)
    require(e.low <= 1, "slack", "at most 1, the whole margin", slack)
    return e
