"""Certify a batch that a judge has gone through, by the labels that people gave to a few of its items."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.certificates.certificate import Certificate
from assay.certificates.format.claim import label_entry
from assay.certificates.format.document import document
from assay.certificates.issue.certify import require_verifiable
from assay.certificates.issue.claims import claim_by
from assay.errors import BadParameter, require
from assay.evidence.judged import MOST_STRATA, Judged, from_verdicts
from assay.evidence.labels import Label
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.judged import LABELLED_AT_RANDOM, STRATA_FIRST


def certify_judged(
    judge: Any = None,
    labels: Any = None,
    *,
    y_pred: Any = None,
    wrong: Label | None = None,
    population: Mapping[Any, int] | Sequence[int] | None = None,
    delta: Number = 0.05,
    models: int = 1,
    drawn: str = "not stated",
    at_random: bool = False,
    strata_first: bool = False,
) -> Certificate:
    r"""State how many items of a batch are wrong, from a judge's verdict on all of them and labels of a few.

    The verdicts split the batch into strata of :math:`N_h` items, of which :math:`n_h` were labelled at random and
    :math:`k_h` of those found wrong. The judge is not trusted: its verdicts only say where labels are worth most. The
    promise is the largest :math:`\sum_hK_h` for which Fisher's combination of the exact p-values
    :math:`\Pr[\mathrm{Hyp}(N_h,K_h,n_h)\le k_h]` does not exceed its quantile (:ref:`judged-strata`). Give the verdicts
    and labels; or, where only counts are at hand, `labels` as counts with `population`.

    Parameters
    ----------
    judge : array-like, optional
        The judge's verdict on each item: text, whole numbers or truth values, at most 100 different ones.
    labels : mapping, array-like, or counts
        What people say: a label for some items, by place (``{17: "bad"}``), or in a column with gaps (None or NaN).
        With `population`: for each verdict how many items were labelled, and how many of those were wrong.
    y_pred : array-like, optional
        What the model predicted for each item: labels then are the truth, and an item is wrong where they differ.
    wrong : str, int or bool, optional
        Without `y_pred`, the label that means that an item is wrong. Labels hold one other value at most.
    population : mapping or sequence of int, optional
        How many items have each verdict.
    delta : float or decimal text, default=0.05
        The probability that the promise fails, over the choice of the items that were labelled.
    models : int, default=1
        How many batches or models were declared before labels were bought; each certificate spends its share of
        `delta`.
    drawn : str, optional
        How the labelled items were chosen, for the reader of the certificate.
    at_random : bool, default=False
        Whether you declare that the labelled items are a random choice of each stratum's. Without it that is assumed,
        unless they stand too close to one end of the batch; then nothing is promised.
    strata_first : bool, default=False
        Whether you declare that strata, and how many labels each gets, were settled before any label was seen.

    Returns
    -------
    Certificate
        Its claim's `promised` is a count of items; `error` is their share of the batch.

    Examples
    --------
    >>> from assay import certify_judged
    >>> population = {"flagged": 1000, "passed": 9000}
    >>> certificate = certify_judged(labels={"flagged": (100, 80), "passed": (300, 3)}, population=population)
    >>> print(certificate)
    errors in the batch: at most 1077, observed 890, failing with probability at most 0.05, by judged-strata
    >>> certificate.error
    0.1077
    """
    require(isinstance(drawn, str), "drawn", "a text", drawn)
    require(labels is not None, "labels", "given", labels)
    if population is not None:
        for name, given in (("judge", judge), ("y_pred", y_pred), ("wrong", wrong)):
            require(given is None, name, "left out with population", "given")
        seen = from_stratum_counts(population, labels)
    else:
        if judge is None:
            raise BadParameter(
                "certify_judged takes the verdicts of a judge, or counts with population=..., but was given neither."
            )
        seen = from_verdicts(judge, labels, y_pred, wrong)
    if seen.odd and not at_random:
        warnings.warn(way_out(seen), stacklevel=2)
    return certify_strata(
        seen,
        delta=delta,
        models=models,
        drawn=drawn,
        at_random=at_random,
        strata_first=strata_first,
    )


def certify_strata(
    seen: Judged,
    *,
    delta: Number = 0.05,
    models: int = 1,
    drawn: str = "not stated",
    at_random: bool = False,
    strata_first: bool = False,
) -> Certificate:
    """`certify_judged` for what was counted elsewhere, such as from a file."""
    total, declared = delta_text(delta), count("models", models, at_least=1)
    share = delta_text(Fraction(total) / declared)
    first = Assumption(STRATA_FIRST, "declared" if strata_first else "not asked")
    claim = strata_claim(seen, share, _choice(seen, at_random), first)
    require_verifiable([claim])
    wrong = {} if seen.wrong_label is None else {"wrong": label_entry(seen.wrong_label)}
    made = document(
        [claim],
        role="judged",
        rows=seen.items,
        delta=total,
        drawn=drawn,
        predictions=seen.predictions,
        judge=seen.judge,
        truth=seen.data,
        declared=declared,
        more=wrong,
    )
    return Certificate.issued(made)


def _choice(seen: Judged, declared: bool) -> Assumption:
    """What is known of how the labelled items were chosen."""
    if declared:
        said = f"declared, though {seen.odd}" if seen.odd else ""
        return Assumption(LABELLED_AT_RANDOM, "declared", said)
    return Assumption(LABELLED_AT_RANDOM, "violated" if seen.odd else "assumed", seen.odd)


def way_out(seen: Judged) -> str:
    """What to do where labelled items hardly are a random choice."""
    return (
        f"Nothing is promised, since {seen.odd}: label items that are chosen at random, or declare that they were, "
        "with at_random=True or --at-random, if the batch was sorted or shuffled after that."
    )


def strata_claim(seen: Judged, share: str, *known: Assumption) -> Guarantee:
    """What may be promised of a batch, with this share of delta."""
    inputs = {
        "sizes": list(seen.sizes),
        "labelled": list(seen.labelled),
        "wrong": list(seen.wrong),
        "delta": share,
    }
    about = estimate(seen.sizes, seen.labelled, seen.wrong)
    observed = None if about is None else (about.numerator, about.denominator)
    of = Subject("errors-in-batch", strata=seen.strata)
    return claim_by(find_theorem("judged-strata"), of, inputs, observed, known)


def estimate(
    sizes: Sequence[int], labelled: Sequence[int], wrong: Sequence[int]
) -> Fraction | None:
    """About how many items are wrong, each stratum by its own labels; None where one has none.

    Examples
    --------
    >>> estimate([1000, 9000], [100, 300], [80, 3])
    Fraction(890, 1)
    """
    if not all(labelled):
        return None
    strata = zip(sizes, labelled, wrong, strict=True)
    return sum((Fraction(size * k, n) for size, n, k in strata), Fraction(0))


def from_stratum_counts(population: Any, labels: Any) -> Judged:
    """Strata known by their counts alone: mappings by verdict, or sequences in one order."""
    named = isinstance(population, Mapping)
    must = "a mapping by verdict, as population is" if named else "a sequence, as population is"
    require(isinstance(labels, Mapping) is named, "labels", must, labels)
    names: list[Any] = list(population) if named else list(range(len(population)))
    require(
        0 < len(names) <= MOST_STRATA, "population", f"of 1 to {MOST_STRATA} strata", len(names)
    )
    if named:
        odd = [name for name in names if not isinstance(name, str | int)]
        require(
            not odd, "a verdict of population", "text, a whole number or a truth value", odd[:1]
        )
        others = [name for name in labels if name not in population]
        require(not others, "a verdict of labels", "one of population", (others or [None])[0])
    else:
        require(len(labels) == len(names), "labels", f"of {len(names)} strata", len(labels))
    sizes, labelled, wrong = [], [], []
    for name in names:
        pair = labels.get(name, (0, 0)) if named else labels[name]
        listed = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
        require(listed, f"labels[{name!r}]", "a pair (labelled, wrong)", pair)
        size = count(f"population[{name!r}]", population[name], at_least=1)
        n, k = (count(f"labels[{name!r}][{i}]", pair[i]) for i in range(2))
        require(n <= size, f"labels[{name!r}][0]", f"at most the population {size}", n)
        require(k <= n, f"labels[{name!r}][1]", f"at most the {n} that were labelled", k)
        sizes.append(size)
        labelled.append(n)
        wrong.append(k)
    require(any(labelled), "labels", "given for at least one item", "missing for all")
    return Judged(tuple(sizes), tuple(labelled), tuple(wrong), tuple(names) if named else ())
