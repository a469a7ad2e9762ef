"""Mistake bounds of the perceptron: separable data, any data, repeated passes, disjunctions."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import BUILT, LABELLED, Condition, run_claim
from assay.theory.needs import Form, count, nonnegative, one_of, positive
from assay.theory.registry import theorem, without_number
from assay.theory.rounding import Enclosure, Number, sqrt

SEPARABLE = Condition(
    "separable-with-margin",
    "some unit vector separates the sequence through the origin with this margin",
)
UPDATES_ON_MISTAKES = Condition(
    "updates-on-mistakes", "the weights start at zero and change on every mistake, and only then"
)


@theorem(
    "T01",
    kind="mistakes",
    statement=r"M \le (R/\gamma)^2",
    assumes=(SEPARABLE, UPDATES_ON_MISTAKES),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def perceptron_margin_mistakes(radius: Number, margin: Number) -> int:
    """Mistakes of the perceptron on separable data.

    Theorem  If every ||x_t|| <= R, and some unit vector u has y_t <u, x_t> >= g > 0 for
             every t, a perceptron started at zero makes at most (R / g)^2 mistakes.
    Needs    radius R: finite, > 0.  margin g: 0 < g <= R.
    Gives    the largest whole number the bound allows.
    Source   Novikoff, On convergence proofs on perceptrons (1962), Theorem 1; Blum, Hopcroft &
             Kannan, Foundations of Data Science, Theorems 6.9 and 6.13.

    Examples
    --------
    >>> perceptron_margin_mistakes(radius=1, margin=0.1)
    100
    """
    r, g = positive("radius", radius), positive("margin", margin)
    require(g.low <= r.low, "margin", f"at most the radius {radius!r}", margin)
    return ((r / g) ** 2).floor()


@theorem(
    "T02",
    kind="mistakes",
    statement=r"M \le \min_u \left[R^2\|u\|^2 + 2L(u)\right],"
    r"\quad L(u)=\sum_t\max(0,1-y_t\,u\cdot x_t)",
    assumes=(UPDATES_ON_MISTAKES,),
    claim=run_claim("mistakes", BUILT),
)
def perceptron_hinge_mistakes(
    radius: Number, norm: Number, hinge_loss: Number, form: Form = "sharp"
) -> int:
    """Mistakes of the perceptron on any data, against any comparator.

    Theorem  If every ||x_t|| <= R, then for every vector u with total hinge loss
             L = sum_t max(0, 1 - y_t <u, x_t>), possibly over the mistaken rounds alone, the
             mistakes M satisfy M <= L + R ||u|| sqrt(M). Solved for M this is the sharp form;
             R^2 ||u||^2 + 2 L is the textbook's.
    Needs    radius R: finite, > 0.  norm ||u||: finite, >= 0.  hinge_loss L: finite, >= 0.
             form: "sharp" or "textbook".
    Gives    the largest whole number the bound allows.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.16; the sharp form
             is the larger root of the quadratic in its proof.

    Examples
    --------
    >>> perceptron_hinge_mistakes(radius=1, norm=2, hinge_loss=3)
    9
    >>> perceptron_hinge_mistakes(radius=1, norm=2, hinge_loss=3, form="textbook")
    10
    """
    r, u = positive("radius", radius), nonnegative("norm", norm)
    return hinge_bound((r * u) ** 2, nonnegative("hinge_loss", hinge_loss), form)


def perceptron_distance_mistakes(
    radius: Number, margin: Number, distance: Number, form: Form = "sharp"
) -> int:
    """The bound of `perceptron_hinge_mistakes` in lengths instead of hinge losses.

    A unit vector v that would separate with margin g, were each example moved by
    max(0, g - y_t <v, x_t>), stands for the comparator u = v / g: its hinge loss is the total
    distance moved, divided by g. In the textbook's form M <= (R / g)^2 + 2 distance / g.

    Examples
    --------
    >>> perceptron_distance_mistakes(radius=1, margin=0.5, distance=1.5, form="textbook")
    10
    """
    r, g = positive("radius", radius), positive("margin", margin)
    return hinge_bound((r / g) ** 2, nonnegative("distance", distance) / g, form)


def hinge_bound(reach: Enclosure, loss: Enclosure, form: str) -> int:
    """The largest M with M <= loss + sqrt(reach M), or the textbook's reach + 2 loss."""
    one_of("form", form, "sharp", "textbook")
    if form == "textbook":
        return (reach + 2 * loss).floor()
    # One root of the product, so that a comparator without loss gives exactly its reach.
    return (loss + reach / 2 + sqrt(reach * (reach / 4 + loss))).floor()


@theorem(
    "T03",
    kind="complexity",
    statement=r"\text{passes}\le\lfloor R^2/\gamma^2\rfloor+1",
    assumes=(SEPARABLE, UPDATES_ON_MISTAKES),
)
def perceptron_passes(radius: Number, margin: Number) -> int:
    """Passes over a separable sample until the perceptron makes no mistake.

    Theorem  Every pass but the last contains a mistake, so cycling over separable examples
             ends after at most floor((R / g)^2) + 1 passes with a separating vector.
    Needs    radius R: finite, > 0.  margin g: 0 < g <= R.
    Gives    a number of passes.
    Source   Follows from Novikoff, On convergence proofs on perceptrons (1962), Theorem 1; Blum,
             Hopcroft & Kannan, Foundations of Data Science, section 6.3.1, and Classification
             (lecture slides), "The Perceptron Algorithm", say that it ends; Sakulwongtana,
             Supervised Learning (lecture notes), Remark 33, asks after how many passes.

    Examples
    --------
    >>> perceptron_passes(radius=2, margin=0.5)
    17
    """
    return perceptron_margin_mistakes(radius, margin) + 1


@theorem(
    "T05",
    kind="mistakes",
    statement=r"M\le(4k+1)(d+1)",
    assumes=(
        Condition(
            "labels-monotone-disjunction-of-k",
            "the labels are a monotone disjunction of k of the d boolean features",
        ),
        Condition("constant-feature", "a constant feature is appended"),
        UPDATES_ON_MISTAKES,
    ),
    claim=run_claim("mistakes", LABELLED, BUILT, BUILT),
)
def perceptron_disjunction_mistakes(
    literals: int, features: int, most_ones: int | None = None
) -> int:
    """Mistakes of the perceptron on a monotone disjunction.

    Theorem  With 2 on the k relevant features and -1 on the constant one, u has margin 1 and
             ||u||^2 = 4 k + 1, while ||(x, 1)||^2 <= d + 1: at most (4 k + 1)(d + 1) mistakes.
    Needs    literals k: whole, 0 <= k <= d.  features d: whole, >= 1.  most_ones: the largest
             number of ones in an example, 0 <= most_ones <= d; d when not given.
    Gives    a whole number.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Corollary 5.1.

    Examples
    --------
    >>> perceptron_disjunction_mistakes(literals=2, features=2)
    27
    """
    d = count("features", features, at_least=1)
    k = count("literals", literals)
    require(k <= d, "literals", f"at most the number of features {d}", literals)
    ones = d if most_ones is None else count("most_ones", most_ones)
    require(ones <= d, "most_ones", f"at most the number of features {d}", most_ones)
    return (4 * k + 1) * (ones + 1)


without_number(
    "T22",
    "rotation-invariant-lower",
    kind="mistakes",
    holds="order",
    statement=r"M=\Omega(d)\ \text{ on disjunctions, for every rotation-invariant learner}",
    source="Kivinen, Warmuth & Auer, The perceptron algorithm versus Winnow (1997); Sakulwongtana, "
    "Supervised Learning (lecture notes), Corollary 5.1.",
)


@theorem("L01", kind="potential", statement=r"\|w\|^2\le MR^2", assumes=(UPDATES_ON_MISTAKES,))
def perceptron_norm_potential(updates: int, radius: Number) -> float:
    """How long the perceptron's weights can be after some updates.

    Theorem  Each update adds y x with y <w, x> <= 0, so ||w||^2 grows by at most ||x||^2.
    Needs    updates M: whole, >= 0.  radius R: finite, > 0.
    Gives    an upper bound on ||w||^2, rounded up.
    Source   Novikoff, On convergence proofs on perceptrons (1962), proof of Theorem 1.

    Examples
    --------
    >>> perceptron_norm_potential(updates=9, radius=2)
    36.0
    """
    return (count("updates", updates) * positive("radius", radius) ** 2).up()


@theorem(
    "L02",
    kind="potential",
    statement=r"w\cdot v\ge M\gamma",
    assumes=(SEPARABLE, UPDATES_ON_MISTAKES),
)
def perceptron_progress_potential(updates: int, margin: Number) -> float:
    """How far the perceptron's weights must have moved along the separator.

    Theorem  Each update adds y x with y <v, x> >= g, so <w, v> grows by at least g.
    Needs    updates M: whole, >= 0.  margin g: finite, > 0.
    Gives    a lower bound on <w, v> (hence on ||w||), rounded down.
    Source   Novikoff, On convergence proofs on perceptrons (1962), proof of Theorem 1.

    Examples
    --------
    >>> perceptron_progress_potential(updates=9, margin=0.5)
    4.5
    """
    return (count("updates", updates) * positive("margin", margin)).down()
