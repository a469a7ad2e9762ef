"""Mistake bounds of learners that keep every hypothesis not yet refuted."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import BUILT, LABELLED, Condition, run_claim
from assay.theory.needs import Form, count, one_of, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, log2

IN_CLASS = Condition(
    "finite-class-with-target",
    "the class is finite and contains the target (for experts: one of them never errs)",
)
MAJORITY = Condition(
    "predicts-by-majority-left",
    "each prediction is that of at least half of what is left; ties may go either way",
)


@theorem(
    "T11",
    kind="mistakes",
    statement=r"M\le|H|-1",
    assumes=(
        IN_CLASS,
        Condition(
            "predicts-by-unrefuted", "each prediction is that of some hypothesis not yet refuted"
        ),
    ),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def con_mistakes(class_size: int) -> int:
    """Mistakes of a learner that predicts with any consistent hypothesis.

    Theorem  Each mistake refutes the hypothesis that was followed, and never the target: at most
             |H| - 1 mistakes.
    Needs    class_size |H|: whole, >= 1.
    Gives    a whole number.
    Source   Mansour, Introduction to Machine Learning, lecture 4 (2012), Theorem 4.3.

    Examples
    --------
    >>> con_mistakes(class_size=5)
    4
    """
    return count("class_size", class_size, at_least=1) - 1


@theorem(
    "T12",
    kind="mistakes",
    statement=r"M\le\lfloor\log_2|H|\rfloor",
    assumes=(IN_CLASS, MAJORITY),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def halving_mistakes(class_size: int) -> int:
    """Mistakes of the halving algorithm.

    Theorem  Each mistake refutes at least half of the hypotheses still consistent, and the target
             remains: at most log2 |H| mistakes.
    Needs    class_size |H| (or the number of experts): whole, >= 1.
    Gives    a whole number.
    Source   Littlestone, Learning quickly when irrelevant attributes abound (1988); Blum, Hopcroft
             & Kannan, Foundations of Data Science, Section 6.4.2.

    Examples
    --------
    >>> halving_mistakes(class_size=1000)
    9
    """
    return _floor_log2(exact(count("class_size", class_size, at_least=1)))


@theorem(
    "T13",
    kind="mistakes",
    statement=r"M\le\lfloor\log_2(1/w(f^*))\rfloor\le\mathrm{size}(f^*)",
    assumes=(
        Condition(
            "target-with-prior",
            "the target is one of the hypotheses, whose prior weights add up to at most one",
        ),
        Condition(
            "predicts-by-weight-left",
            "each prediction has at least half of the weight that is left; ties may go either way",
        ),
    ),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def generalized_halving_mistakes(bits: int | None = None, weight: Number | None = None) -> int:
    """Mistakes of halving with a prior: simple targets cost few mistakes.

    Theorem  Each mistake refutes at least half of the weight still consistent. It starts at no
             more than 1 and the target's weight w remains: at most log2(1 / w) mistakes. A
             target of s bits in a prefix-free language has w = 2^-s: at most s mistakes.
    Needs    one of the two. bits s: whole, >= 0.  weight w: 0 < w <= 1.
    Gives    the largest whole number the bound allows.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.12.

    Examples
    --------
    >>> generalized_halving_mistakes(bits=12)
    12
    >>> generalized_halving_mistakes(weight=0.01)
    6
    """
    one = (bits is None) != (weight is None)
    require(one, "the target", "given by bits or by weight, not both", (bits, weight))
    if bits is not None:
        return count("bits", bits)
    return _floor_log2(1 / _weight("weight", weight))


@theorem(
    "T14",
    kind="mistakes",
    statement=r"M\le d\log_2\left(1+\frac{4R}\gamma\right)\le d\log_2\!\left(\lceil 8R/\gamma\rceil"
    r"+1\right)",
    assumes=(
        Condition(
            "separable-with-margin",
            "some unit vector separates the sequence through the origin with this margin",
        ),
        Condition(
            "halving-on-net",
            "halving runs on a net of the unit sphere of radius gamma / (2 R) and of the stated size",
        ),
    ),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def halving_cover_mistakes(
    radius: Number, margin: Number, features: int, form: Form = "sharp"
) -> int:
    """Mistakes of halving on a net of linear separators.

    Theorem  A net vector within g / (2 R) of the separator still has margin g / 2, so the net
             contains a consistent separator and halving makes at most log2 of its size many
             mistakes. Nets of (1 + 4 R / g)^d points exist; the textbook has ceil(8 R / g) + 1.
    Needs    radius R: finite, > 0.  margin g: 0 < g <= R.  features d: whole, >= 1.
             form: "sharp" or "textbook".
    Gives    the largest whole number the bound allows.
    Source   Mehta, Machine Learning Theory, lecture 3, Corollary 1; the sharp form uses the
             volume bound (1 + 2 / e)^d on the size of an e-net.

    Examples
    --------
    >>> halving_cover_mistakes(radius=1, margin=0.1, features=2)
    10
    >>> halving_cover_mistakes(radius=1, margin=0.1, features=2, form="textbook")
    12
    """
    r, g = positive("radius", radius), positive("margin", margin)
    require(g.low <= r.low, "margin", f"at most the radius {radius!r}", margin)
    d = count("features", features, at_least=1)
    one_of("form", form, "sharp", "textbook")
    sides = 1 + 4 * r / g if form == "sharp" else exact((8 * r / g).ceil() + 1)
    return (d * log2(sides)).floor()


@theorem("L06", kind="potential", statement=r"|H_t|\le\lfloor|H|/2^M\rfloor", assumes=(MAJORITY,))
def version_space_potential(class_size: int, mistakes: int) -> int:
    """How many hypotheses halving can have left after some mistakes.

    Theorem  Each mistake refutes at least half of the hypotheses still consistent, and no other
             round adds one.
    Needs    class_size |H|: whole, >= 1.  mistakes M: whole, >= 0.
    Gives    the largest whole number the bound allows; 0 says that the target was not among them.
    Source   Littlestone, Learning quickly when irrelevant attributes abound (1988).

    Examples
    --------
    >>> version_space_potential(class_size=1000, mistakes=3)
    125
    """
    return count("class_size", class_size, at_least=1) >> count("mistakes", mistakes)


@theorem(
    "L07",
    kind="potential",
    statement=r"\sum_{h\in H_t}w(h)\le2^{-M}\sum_{h\in H}w(h)",
    assumes=(
        Condition(
            "predicts-by-half-weight-left",
            "each prediction has at least half of the weight that is left",
        ),
    ),
)
def version_space_weight_potential(mistakes: int, weight: Number = 1) -> float:
    """How much prior weight generalized halving can have left after some mistakes.

    Theorem  Each mistake refutes at least half of the weight still consistent, and no other
             round adds any.
    Needs    mistakes M: whole, >= 0.  weight of the whole class: above 0, at most 1.
    Gives    an upper bound on the weight left, rounded up.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, proof of Theorem 6.12.

    Examples
    --------
    >>> version_space_weight_potential(mistakes=3)
    0.125
    """
    # Past 2000 halvings the nearest double above stays the same, and the integers stay small.
    halvings = min(count("mistakes", mistakes), 2000)
    return (_weight("weight", weight) / (1 << halvings)).up()


def _weight(name: str, weight: Number | None) -> Enclosure:
    w = positive(name, weight)
    require(w.low <= 1, name, "at most 1", weight)
    return w


def _floor_log2(number: Enclosure) -> int:
    """The whole part of the logarithm of an exact number of at least 1, in integers."""
    return number.floor().bit_length() - 1
