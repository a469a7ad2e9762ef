"""Error bounds through Rademacher complexity: its expectation, or its value on the sample."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import count, inside_unit, nonnegative, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, ln, sqrt

INDEPENDENT = Condition(
    "examples-drawn-independently", "the examples are drawn independently from one distribution"
)
LOSSES_IN_UNIT = Condition("unit-losses", "every loss lies between 0 and 1")
CLASS_FIXED = Condition(
    "class-chosen-before-examples", "the class is chosen before the examples are seen"
)


@theorem(
    "T71",
    kind="error",
    statement=(r"\mathbb E g\le\hat{\mathbb E}g+2\mathfrak R_m(G)+\sqrt{\frac{\ln(1/\delta)}{2m}}"),
    assumes=(INDEPENDENT, LOSSES_IN_UNIT, CLASS_FIXED),
)
def rademacher_expected_bound(
    observed: Number, complexity: Number, rows: int, delta: Number
) -> float:
    """True mean loss of every member of a class, from its expected Rademacher complexity.

    Theorem  With probability at least 1 - delta over m independent examples, every g of a class
             of losses in [0, 1] has a true mean of at most its sample mean
             + 2 R_m(G) + sqrt(ln(1 / delta) / (2m)), where R_m(G) is the empirical Rademacher
             complexity of the class of losses, averaged over samples of m examples.
    Needs    observed: the mean loss on the sample, 0 <= observed <= 1.  complexity R_m(G): finite,
             >= 0, of the losses (half that of the -1/+1 predictions for zero-one loss).
             rows m: whole, >= 1.  delta: 0 < delta < 1.
    Gives    an upper bound on the true mean loss, rounded up; it may exceed 1.
    Source   Koltchinskii & Panchenko, Empirical margin distributions and bounding the
             generalization error of combined classifiers (2002); Mohri, Rostamizadeh &
             Talwalkar, Foundations of Machine Learning, inequality (3.3); Classification (lecture
             slides), "Rademacher complexity and generalization".

    Examples
    --------
    >>> round(rademacher_expected_bound(observed=0, complexity=0.1, rows=1000, delta=0.05), 6)
    0.238702
    """
    mean, richness = unit("observed", observed), nonnegative("complexity", complexity)
    m, failure = count("rows", rows, at_least=1), inside_unit("delta", delta)
    return (mean + 2 * richness + sqrt(ln(1 / failure) / (2 * m))).up()


@theorem(
    "T72",
    kind="error",
    statement=(
        r"\mathbb E g\le\hat{\mathbb E}g+2\widehat{\mathfrak R}_S(G)"
        r"+3\sqrt{\frac{\ln(2/\delta)}{2m}}"
    ),
    assumes=(INDEPENDENT, LOSSES_IN_UNIT, CLASS_FIXED),
)
def rademacher_empirical_bound(
    observed: Number, complexity: Number, rows: int, delta: Number
) -> float:
    """True mean loss of every member of a class, from its Rademacher complexity on the sample.

    Theorem  With probability at least 1 - delta over m independent examples, every g of a class
             of losses in [0, 1] has a true mean of at most its sample mean
             + 2 R_S(G) + 3 sqrt(ln(2 / delta) / (2m)), where R_S(G) is the empirical Rademacher
             complexity of the class of losses on this very sample.
    Needs    observed: the mean loss on the sample, 0 <= observed <= 1.  complexity R_S(G): finite,
             >= 0, of the losses (half that of the -1/+1 predictions for zero-one loss), or a
             number above it.  rows m: whole, >= 1.  delta: 0 < delta < 1.
    Gives    an upper bound on the true mean loss, rounded up; it may exceed 1.
    Source   Bartlett & Mendelson, Rademacher and Gaussian complexities: risk bounds and
             structural results (2002); Mohri, Rostamizadeh & Talwalkar, Foundations of Machine
             Learning, inequality (3.4); Classification (lecture slides), "Rademacher complexity
             and generalization".

    Examples
    --------
    >>> round(rademacher_empirical_bound(observed=0, complexity=0.1, rows=1000, delta=0.05), 6)
    0.328841
    """
    mean, richness = unit("observed", observed), nonnegative("complexity", complexity)
    m, failure = count("rows", rows, at_least=1), inside_unit("delta", delta)
    return (mean + 2 * richness + 3 * sqrt(ln(2 / failure) / (2 * m))).up()
