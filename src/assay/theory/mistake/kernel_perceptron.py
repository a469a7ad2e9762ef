"""Mistake bounds of the kernel perceptron: the perceptron's, read in feature space."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import BUILT, LABELLED, Condition, run_claim
from assay.theory.mistake.perceptron import UPDATES_ON_MISTAKES, hinge_bound
from assay.theory.needs import Form, count, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number

KERNEL = Condition(
    "kernel-positive-semidefinite",
    "the kernel is positive semidefinite, so that a feature space exists",
)

# The count is 2^features: beyond this it could no longer be printed or stored as decimal text.
_MOST_FEATURES = 10_000


@theorem(
    "T04",
    kind="mistakes",
    statement=r"M\le\|u\|^2\,\max_t K(x_t,x_t),\quad y_t\langle u,\phi(x_t)\rangle\ge1",
    assumes=(KERNEL, UPDATES_ON_MISTAKES),
    claim=run_claim("mistakes", BUILT, BUILT),
)
def kernel_perceptron_mistakes(
    largest_diagonal: Number, squared_norm: Number, hinge_loss: Number = 0, form: Form = "sharp"
) -> int:
    """Mistakes of the perceptron in the feature space of a kernel.

    Theorem  If every K(x_t, x_t) <= D, then for every u in feature space with total hinge loss
             L = sum_t max(0, 1 - y_t <u, phi(x_t)>) the mistakes M satisfy
             M <= L + sqrt(D ||u||^2 M). With L = 0 this is M <= D ||u||^2.
    Needs    largest_diagonal D: finite, > 0.  squared_norm ||u||^2: finite, >= 0; it is a'Ka for
             u = sum_i a_i phi(z_i).  hinge_loss L: finite, >= 0; 0 says that u has margin 1 on
             every example.  form: "sharp" (the inequality solved for M) or "textbook"
             (D ||u||^2 + 2 L).
    Gives    the largest whole number the bound allows.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Section 6.6 with Theorems 6.9
             and 6.16; Aizerman, Braverman & Rozonoer, Theoretical foundations of the potential
             function method in pattern recognition learning (1964).

    Examples
    --------
    >>> kernel_perceptron_mistakes(largest_diagonal=4, squared_norm=9)
    36
    >>> kernel_perceptron_mistakes(largest_diagonal=1, squared_norm=4, hinge_loss=3)
    9
    """
    diagonal = positive("largest_diagonal", largest_diagonal)
    reach = diagonal * nonnegative("squared_norm", squared_norm)
    return hinge_bound(reach, nonnegative("hinge_loss", hinge_loss), form)


@theorem(
    "T06",
    kind="mistakes",
    statement=r"M\le(4k+1)\max_t2^{|x_t|_1}\le(4k+1)2^d",
    assumes=(
        Condition(
            "labels-monotone-dnf",
            "the labels are a monotone disjunctive normal form of k terms over d boolean features",
        ),
        Condition(
            "product-counting-kernel",
            "the kernel counts the products on which both examples are one, the empty one included",
        ),
        UPDATES_ON_MISTAKES,
    ),
    claim=run_claim("mistakes", LABELLED, BUILT, BUILT),
)
def perceptron_dnf_mistakes(terms: int, features: int, most_ones: int | None = None) -> int:
    """Mistakes of the perceptron with the kernel of all products, on a monotone DNF.

    Theorem  The k terms are k of the 2^d product features, and the empty product is constant.
             With 2 on each term and -1 on the constant, u has margin 1 and ||u||^2 <= 4 k + 1,
             while ||phi(x)||^2 = 2^ones(x): at most (4 k + 1) 2^max ones(x_t) mistakes.
    Needs    terms k: whole, >= 0.  features d: whole, >= 1.  most_ones: the largest number of
             ones in an example, 0 <= most_ones <= d and <= 10000; d when not given.
    Gives    a whole number.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Remark 39, which states the
             order; the constant is that of Corollary 5.1 in the product features.

    Examples
    --------
    >>> perceptron_dnf_mistakes(terms=2, features=3)
    72
    >>> perceptron_dnf_mistakes(terms=2, features=3, most_ones=1)
    18
    """
    k = count("terms", terms)
    d = count("features", features, at_least=1)
    ones = d if most_ones is None else count("most_ones", most_ones)
    require(ones <= d, "most_ones", f"at most the number of features {d}", most_ones)
    name = "features" if most_ones is None else "most_ones"
    require(ones <= _MOST_FEATURES, name, f"at most {_MOST_FEATURES}, as 2 is raised to it", ones)
    return (4 * k + 1) << ones
