"""From few mistakes online to a small error on fresh examples: three conversions."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import Form, count, inside_unit, one_of
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, ln

INDEPENDENT = Condition(
    "independent-draws-seen-once",
    "the examples are drawn independently from one distribution, and each is seen once",
)
BOUNDED_ON_SUPPORT = Condition(
    "mistake-bound-on-support",
    "the mistake bound holds for every sequence the distribution can produce, not only for this one",
)
CONSERVATIVE = Condition(
    "changes-on-mistakes-only", "the learner changes its hypothesis only when it makes a mistake"
)


def online_to_batch_random_stopping_rows(mistakes: int, accuracy: Number) -> int:
    """Rows after which a uniformly drawn hypothesis has expected error at most the accuracy.

    Examples
    --------
    >>> online_to_batch_random_stopping_rows(mistakes=10, accuracy=0.1)
    100
    """
    most, eps = count("mistakes", mistakes), inside_unit("accuracy", accuracy)
    return max(1, (most / eps).ceil())


@theorem(
    "T34",
    kind="error",
    holds="expectation",
    statement=r"\mathbb E[\mathrm{err}_D(h)]\le M/m",
    assumes=(
        INDEPENDENT,
        BOUNDED_ON_SUPPORT,
        Condition(
            "output-of-random-round",
            "the output is the hypothesis that predicted the i-th example, i drawn uniformly",
        ),
    ),
    rows=online_to_batch_random_stopping_rows,
)
def online_to_batch_random_stopping(mistakes: int, rows: int) -> float:
    """Expected error of the hypothesis held at a random time of one pass.

    Theorem  If a learner makes at most M mistakes on any sequence, run it once over m independent
             examples and keep the hypothesis that predicted the i-th, i uniform in 1..m: its
             error is at most M / m in expectation over the examples and i.
    Needs    mistakes M: whole, >= 0.  rows m: whole, >= 1.
    Gives    an upper bound on the expectation, rounded up.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.14; Sakulwongtana,
             Supervised Learning (lecture notes), Theorem 5.7.

    Examples
    --------
    >>> online_to_batch_random_stopping(mistakes=10, rows=100)
    0.1
    """
    most, m = count("mistakes", mistakes), count("rows", rows, at_least=1)
    return (exact(most) / m).up()


def online_to_batch_large_gap_rows(mistakes: int, accuracy: Number, delta: Number) -> int:
    """Correct predictions in a row, after so many mistakes, that certify the accuracy.

    Examples
    --------
    >>> online_to_batch_large_gap_rows(mistakes=0, accuracy=0.1, delta=0.05)
    44
    """
    return (_price(mistakes, delta) / inside_unit("accuracy", accuracy)).ceil()


@theorem(
    "T35",
    kind="error",
    statement=(
        r"\mathrm{gap}_i=\left\lceil\tfrac1\varepsilon\ln\tfrac{(i+2)^2}{\delta}\right\rceil"
        r"\Rightarrow \mathrm{err}_D\le\varepsilon"
    ),
    assumes=(INDEPENDENT, CONSERVATIVE),
    rows=online_to_batch_large_gap_rows,
)
def online_to_batch_large_gap(mistakes: int, run: int, delta: Number) -> float:
    """Error of a hypothesis that has been right many times in a row.

    Theorem  With probability at least 1 - delta, whenever a conservative learner has made i
             mistakes and then predicted n fresh examples correctly in a row, its hypothesis has
             error at most ln((i + 2)^2 / delta) / n, for all i and n at once. For a learner that
             changes on correct rounds too, this bounds the mean error over those n rounds.
    Needs    mistakes i: whole, >= 0.  run n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up; the failures in fact add up to at most 0.645 delta.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.15.

    Examples
    --------
    >>> online_to_batch_large_gap(mistakes=0, run=44, delta=0.05) <= 0.1
    True
    >>> round(online_to_batch_large_gap(mistakes=3, run=200, delta=0.05), 6)
    0.031073
    """
    return (_price(mistakes, delta) / count("run", run, at_least=1)).up()


def _price(mistakes: int, delta: Number) -> Enclosure:
    """ln((i + 2)^2 / delta): what the hypothesis after i mistakes pays for being one of many."""
    return ln((count("mistakes", mistakes) + 2) ** 2 / inside_unit("delta", delta))


@theorem(
    "T36",
    kind="sample-size",
    holds="always",
    statement=(
        r"m\le\sum_{i=0}^{M}\left\lceil\tfrac1\varepsilon\ln\tfrac{(i+2)^2}{\delta}\right\rceil"
        r"\le(M+1)\left\lceil\tfrac1\varepsilon\ln\tfrac{(M+2)^2}{\delta}\right\rceil"
    ),
    assumes=(BOUNDED_ON_SUPPORT,),
)
def large_gap_sample_size(
    mistakes: int, accuracy: Number, delta: Number, form: Form = "sharp"
) -> int:
    """Examples the large-gap conversion uses before it stops.

    Theorem  After the i-th mistake the learner either reaches the gap of online-to-batch-large-gap
             or errs before, so with at most M mistakes it stops within the sum of the gaps for
             i = 0..M (sharp), which is at most M + 1 times the last (textbook).
    Needs    mistakes M: whole, >= 0.  accuracy and delta: strictly between 0 and 1.
             form: "sharp" or "textbook".
    Gives    a whole number of examples that is always enough.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.15; the sum is the
             constant from its proof.

    Examples
    --------
    >>> large_gap_sample_size(mistakes=10, accuracy=0.1, delta=0.05)
    733
    """
    most = count("mistakes", mistakes)
    one_of("form", form, "sharp", "textbook")
    if form == "textbook":
        return (most + 1) * online_to_batch_large_gap_rows(most, accuracy, delta)
    return _sum_of_gaps(0, most, inside_unit("accuracy", accuracy), inside_unit("delta", delta))


def _sum_of_gaps(first: int, last: int, eps: Enclosure, delta: Enclosure) -> int:
    """Gaps grow so slowly that long stretches are constant: no need to visit every mistake."""
    low, high = ((ln((i + 2) ** 2 / delta) / eps).ceil() for i in (first, last))
    if low == high:
        return (last - first + 1) * low
    middle = (first + last) // 2
    return _sum_of_gaps(first, middle, eps, delta) + _sum_of_gaps(middle + 1, last, eps, delta)


def online_to_batch_blocks_rows(mistakes: int, accuracy: Number, delta: Number) -> int:
    """Rows with which the block conversion reaches the accuracy.

    Examples
    --------
    >>> online_to_batch_blocks_rows(mistakes=10, accuracy=0.1, delta=0.05)
    530
    """
    most = count("mistakes", mistakes, at_least=1)
    eps, d = inside_unit("accuracy", accuracy), inside_unit("delta", delta)
    return most * (ln(most / d) / eps).ceil()


@theorem(
    "T37",
    kind="error",
    statement=(
        r"\mathrm{err}_D\le\frac{\ln(M/\delta)}{\lfloor m/M\rfloor},\qquad "
        r"m=M\left\lceil\tfrac1\varepsilon\ln\tfrac M\delta\right\rceil"
    ),
    assumes=(
        INDEPENDENT,
        BOUNDED_ON_SUPPORT,
        CONSERVATIVE,
        Condition(
            "output-of-first-clean-block",
            "the output is the hypothesis of the first of M equal blocks without a mistake, or the last",
        ),
    ),
    rows=online_to_batch_blocks_rows,
)
def online_to_batch_blocks(mistakes: int, rows: int, delta: Number) -> float:
    """Error of the hypothesis that survives a whole block of examples.

    Theorem  Cut m independent examples into M equal blocks, run a conservative learner that makes
             at most M mistakes, and stop at the first block without one: with probability at least
             1 - delta the error is at most ln(M / delta) / floor(m / M).
    Needs    mistakes M: whole, >= 1.  rows m: whole, >= M.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up.
    Source   Mansour, Introduction to Machine Learning, lecture 4 (2012), Theorem 4.5.

    Examples
    --------
    >>> online_to_batch_blocks(mistakes=10, rows=530, delta=0.05) <= 0.1
    True
    >>> round(online_to_batch_blocks(mistakes=10, rows=530, delta=0.05), 6)
    0.099968
    """
    most = count("mistakes", mistakes, at_least=1)
    m, d = count("rows", rows, at_least=1), inside_unit("delta", delta)
    require(m >= most, "rows", f"at least the number of mistakes {most}", rows)
    return (ln(most / d) / (m // most)).up()


@theorem(
    "L17",
    kind="potential",
    holds="always",
    statement=r"\mathrm{run}_i\le\left\lceil\tfrac1\varepsilon\ln\tfrac{(i+2)^2}{\delta}\right\rceil",
    assumes=(
        Condition(
            "stops-at-run",
            "the learner stops as soon as its run of correct predictions is this long",
        ),
    ),
)
def large_gap_run_potential(mistakes: int, accuracy: Number, delta: Number) -> int:
    """How long the run of correct predictions after the i-th mistake gets before stopping.

    Theorem  The large-gap conversion stops at the first run of ceil(ln((i + 2)^2 / delta) /
             accuracy) correct predictions after its i-th mistake, so no run is longer.
    Needs    mistakes i so far: whole, >= 0.  accuracy and delta: strictly between 0 and 1.
    Gives    the length at which to stop.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.15.

    Examples
    --------
    >>> [large_gap_run_potential(i, accuracy=0.1, delta=0.05) for i in range(3)]
    [44, 52, 58]
    """
    return online_to_batch_large_gap_rows(mistakes, accuracy, delta)
