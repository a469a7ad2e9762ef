"""VC dimensions: finite classes, intervals, boxes, halfspaces, large margins, majorities."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.complexity.growth import sauer_sum
from assay.theory.needs import Form, count, one_of, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number, log2
from assay.theory.tail.search import smallest_whole


@theorem("T60", kind="complexity", statement=r"\mathrm{VC}(H)\le\lfloor\log_2|H|\rfloor")
def vc_finite_class(class_size: int) -> int:
    """VC dimension of a class with finitely many members.

    Theorem  Shattering d points takes 2^d members, so VC(H) <= log2 of the number of members.
    Needs    class_size: whole, >= 1.
    Gives    the largest whole number the bound allows; the true dimension may be far smaller.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.9; Sakulwongtana,
             Supervised Learning (lecture notes), Proposition 7.3.

    Examples
    --------
    >>> vc_finite_class(class_size=1000)
    9
    """
    return count("class_size", class_size, at_least=1).bit_length() - 1


@theorem(
    "T61",
    kind="complexity",
    statement=r"\mathrm{VC}(\text{intervals of }\mathbb R)=2,\quad H[m]=\tfrac{m(m+1)}2+1",
)
def vc_intervals() -> int:
    """VC dimension of the intervals of the line, positive inside.

    Theorem  Intervals shatter any two points of the line and never three: the outer two cannot
             be positive without the middle one. Their growth function is m (m + 1) / 2 + 1.
    Needs    nothing.
    Gives    the exact dimension.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.9; Sakulwongtana,
             Supervised Learning (lecture notes), Proposition 7.1.

    Examples
    --------
    >>> vc_intervals()
    2
    """
    return 2


@theorem(
    "T62",
    kind="complexity",
    statement=r"\mathrm{VC}(\text{axis-aligned boxes of }\mathbb R^d)=2d\quad(4\text{ in the plane})",
)
def vc_rectangles(features: int = 2) -> int:
    """VC dimension of the axis-aligned rectangles of the plane, or boxes of R^d, positive inside.

    Theorem  Boxes of R^d shatter the 2 d points +-e_i and no 2 d + 1 points: a smallest and a
             largest point in each coordinate make a box that contains all the others.
    Needs    features d: whole, >= 1; 2 when not given.
    Gives    the exact dimension.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Proposition 7.2 (d = 2; the last
             line of its proof misprints 5); Shalev-Shwartz & Ben-David, Understanding Machine
             Learning (2014), section 6.3.

    Examples
    --------
    >>> vc_rectangles()
    4
    """
    return 2 * count("features", features, at_least=1)


@theorem(
    "T63",
    kind="complexity",
    statement=r"\mathrm{VC}\{x\mapsto\mathrm{sgn}(w\cdot x+b)\}=d+1\text{ in }\mathbb R^d",
)
def vc_halfspaces_affine(features: int) -> int:
    """VC dimension of the halfspaces of R^d with a bias.

    Theorem  Halfspaces sgn(<w, x> + b) shatter the origin with the d unit vectors; any d + 2
             points have a Radon partition, which no halfspace separates.
    Needs    features d: whole, >= 1.
    Gives    the exact dimension.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.9.4.

    Examples
    --------
    >>> vc_halfspaces_affine(features=2)
    3
    """
    return count("features", features, at_least=1) + 1


@theorem(
    "T64",
    kind="complexity",
    statement=r"\mathrm{VC}\{x\mapsto\mathrm{sgn}(w\cdot x)\}=d\text{ in }\mathbb R^d",
)
def vc_halfspaces_homogeneous(features: int) -> int:
    """VC dimension of the halfspaces of R^d through the origin.

    Theorem  Halfspaces sgn(<w, x>) shatter the d unit vectors; any d + 1 points are linearly
             dependent, which rules out one labeling. True for either value of sgn(0).
    Needs    features d: whole, >= 1.
    Gives    the exact dimension.
    Source   Shalev-Shwartz & Ben-David, Understanding Machine Learning (2014), section 9.1.3;
             corrects Sakulwongtana, Supervised Learning (lecture notes), Proposition 7.4.

    Examples
    --------
    >>> vc_halfspaces_homogeneous(features=2)
    2
    """
    return count("features", features, at_least=1)


@theorem(
    "T66",
    kind="complexity",
    statement=r"\mathrm{VC}\le\Lambda^2\max_x\|x\|^2",
    assumes=(
        Condition(
            "separators-with-margin-one",
            "every separator of the class has |<w, x>| >= 1 on every point",
        ),
    ),
)
def vc_large_margin(norm: Number, radius: Number) -> int:
    """VC dimension of halfspaces with a large margin, in any number of dimensions.

    Theorem  The functions sgn(<w, x>) with ||w|| <= L and |<w, x>| >= 1 on every point of a set
             of radius R shatter at most L^2 R^2 points of it. With ||w|| = 1 and margin g, that
             is (R / g)^2.
    Needs    norm L: finite, > 0.  radius R: finite, > 0.
    Gives    the largest whole number the bound allows.
    Source   Vapnik, Statistical Learning Theory (1998); Sakulwongtana, Supervised Learning
             (lecture notes), Theorem 7.6, with |<w, x>| in its Definition 7.11.

    Examples
    --------
    >>> vc_large_margin(norm=5, radius=1)
    25
    """
    return ((positive("norm", norm) * positive("radius", radius)) ** 2).floor()


@theorem(
    "T67",
    kind="complexity",
    statement=(
        r"\mathrm{VC}(\mathrm{MAJ}_k(H))\le\max\Bigl\{m:2^m\le\Bigl(\sum_{i=0}^d\binom mi\Bigr)^k"
        r"\Bigr\}\le\max(15,\,2kd\log_2(kd))"
    ),
    assumes=(
        Condition(
            "votes-of-k-members",
            "every vote is a majority of k members of a class of at most this VC dimension",
        ),
    ),
)
def vc_majority(vc_dimension: int, voters: int, form: Form = "sharp") -> int:
    """VC dimension of majority votes over a class.

    Theorem  k members of a class of VC dimension d label m points in at most Phi_d(m)^k ways
             together, Phi_d(m) = C(m, 0) + ... + C(m, d); so m points can be shattered by their
             majorities only if 2^m <= Phi_d(m)^k. The largest such m is the sharp form;
             max(15, 2 k d log2(k d)) is the textbook's, made true for small m.
    Needs    vc_dimension d: whole, >= 0 (>= 1 for the textbook form).  voters k: odd, >= 1.
             form: "sharp" or "textbook".
    Gives    the largest whole number the bound allows.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Corollary 6.23 and its proof.

    Examples
    --------
    >>> vc_majority(vc_dimension=2, voters=3)
    25
    >>> vc_majority(vc_dimension=2, voters=3, form="textbook")
    31
    """
    d, k = count("vc_dimension", vc_dimension), count("voters", voters, at_least=1)
    require(k % 2 == 1, "voters", "odd, so that no vote is tied", voters)
    one_of("form", form, "sharp", "textbook")
    if form == "sharp":
        return _most_shattered(d, k)
    require(d >= 1, "vc_dimension", "at least 1 for the textbook form", vc_dimension)
    return max(15, (2 * k * d * log2(k * d)).floor())


def _most_shattered(d: int, k: int) -> int:
    """The largest m with 2^m <= Phi_d(m)^k.

    log Phi_d is concave in m and zero at m = 0, so the sizes that satisfy the inequality are
    0, 1, ... up to some last one, and bisection finds it.
    """

    def too_many(m: int) -> bool:
        return bool(1 << m > sauer_sum(m, d) ** k)

    low, high = 0, 1
    while not too_many(high):
        low, high = high, 2 * high
    return smallest_whole(too_many, low, high) - 1
