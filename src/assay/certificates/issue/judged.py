"""Certify a batch that a judge has gone through, by the labels that people gave to a few of its items."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from assay.certificates.certificate import Certificate
from assay.certificates.format.claim import encode_losses, label_entry
from assay.certificates.format.document import document
from assay.certificates.issue.certify import require_verifiable
from assay.certificates.issue.claims import claim_by
from assay.certificates.verify.claim_checks import MOST_ROWS
from assay.errors import BadParameter, require
from assay.evidence.judged import MOST_STRATA, Judged, from_verdicts
from assay.evidence.labels import Label
from assay.evidence.scored import Scored, from_scores
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_text, delta_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.finite_population import SAMPLE_OF_BATCH
from assay.theory.tail.judged import LABELLED_AT_RANDOM, MOST_LABELS, STRATA_FIRST
from assay.theory.tail.judged_mean import SCORES_FIRST

About = Literal["batch", "new-rows"]


def certify_judged(
    judge: Any = None,
    labels: Any = None,
    *,
    score: Any = None,
    loss: Any = None,
    y_pred: Any = None,
    wrong: Label | None = None,
    population: Mapping[Any, int] | Sequence[int] | None = None,
    about: About = "batch",
    delta: Number = 0.05,
    models: int = 1,
    drawn: str = "not stated",
    at_random: bool = False,
    judged_first: bool = False,
    fixed_before: bool = False,
) -> Certificate:
    r"""State how many items of a batch are wrong, from a judge's verdict on all of them and labels of a few.

    The verdicts split the batch into strata of :math:`N_h` items, of which :math:`n_h` were labelled at random and
    :math:`k_h` of those found wrong. The judge is not trusted: its verdicts only say where labels are worth most. The
    promise is the largest :math:`\sum_hK_h` for which Fisher's combination of the exact p-values
    :math:`\Pr[\mathrm{Hyp}(N_h,K_h,n_h)\le k_h]` does not exceed its quantile (:ref:`judged-strata`). A judge that
    gives scores :math:`f` in place of verdicts has a known mean over the batch; to it comes the mean of what it is off
    by, which is bounded by betting on :math:`Y-f` (:ref:`judged-mean`). Give verdicts or scores with labels; or, where
    only counts are at hand, `labels` as counts with `population`.

    Parameters
    ----------
    judge : array-like, optional
        The judge's verdict on each item: text, whole numbers or truth values, at most 100 different ones.
    labels : mapping, array-like, or counts
        What people say: a label for some items, by place (``{17: "bad"}``), or in a column with gaps (None or NaN).
        With `population`: for each verdict how many items were labelled, and how many of those were wrong.
    score : array-like, optional
        In place of verdicts: between 0 and 1, how likely the judge finds it that an item is wrong, or how wrong. Labels
        are then to be a random choice of the whole batch.
    loss : mapping or array-like, optional
        With `score`, in place of labels: how wrong some items are, between 0 and 1.
    y_pred : array-like, optional
        What the model predicted for each item: labels then are the truth, and an item is wrong where they differ.
    wrong : str, int or bool, optional
        Without `y_pred`, the label that means that an item is wrong. Labels hold one other value at most.
    population : mapping or sequence of int, optional
        How many items have each verdict.
    about : {"batch", "new-rows"}, default="batch"
        Whether the promise counts the items of this batch, or is about the error on new rows, of which these are
        independent draws; then a tenth of `delta` is spent on the step from the batch to them.
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
    judged_first : bool, default=False
        Whether you declare that the judge's verdicts or scores, and how many labels are bought, were settled before any
        label was seen.
    fixed_before : bool, default=False
        With ``about="new-rows"``, whether you declare that the model was fixed before these rows were seen.

    Returns
    -------
    Certificate
        For verdicts its claim's `promised` is a count of items, and `error` their share of the batch; for scores, and
        for new rows, both are the share, or the mean loss.

    Examples
    --------
    >>> from assay import certify_judged
    >>> population = {"flagged": 1000, "passed": 9000}
    >>> labels = {"flagged": (100, 80), "passed": (300, 3)}
    >>> certificate = certify_judged(labels=labels, population=population)
    >>> print(certificate)
    errors in the batch: at most 1077, observed 890, failing with probability at most 0.05, by judged-strata
    >>> certificate.error
    0.1077
    >>> round(certify_judged(labels=labels, population=population, about="new-rows").error, 4)
    0.1164
    """
    require(isinstance(drawn, str), "drawn", "a text", drawn)
    seen = _gather(judge, score, labels, loss, y_pred, wrong, population)
    if seen.odd and not at_random:
        warnings.warn(way_out(seen), stacklevel=2)
    return certify_seen(
        seen,
        about=about,
        delta=delta,
        models=models,
        drawn=drawn,
        at_random=at_random,
        judged_first=judged_first,
        fixed_before=fixed_before,
    )


def _gather(
    judge: Any, score: Any, labels: Any, loss: Any, y_pred: Any, wrong: Any, population: Any
) -> Judged | Scored:
    """Verdicts, scores or counts, with what people say; refuses what does not go together."""
    kinds = {"judge": judge, "score": score, "population": population}
    given = [name for name, value in kinds.items() if value is not None]
    if len(given) != 1:
        raise BadParameter(
            "certify_judged takes one of judge (verdicts), score, and population (with labels as counts), but was "
            f"given {' and '.join(given) or 'nothing'}."
        )
    [kind] = given
    if loss is not None:
        require(kind == "score", "loss", "left out unless score is given", "given")
        for name, value in (("labels", labels), ("y_pred", y_pred), ("wrong", wrong)):
            require(value is None, name, "left out with loss", "given")
        return from_scores(score, loss=loss)
    require(labels is not None, "labels", "given", labels)
    if kind == "score":
        return from_scores(score, labels, y_pred=y_pred, wrong=wrong)
    if kind == "judge":
        return from_verdicts(judge, labels, y_pred, wrong)
    for name, value in (("y_pred", y_pred), ("wrong", wrong)):
        require(value is None, name, "left out with population", "given")
    return from_stratum_counts(population, labels)


def certify_seen(
    seen: Judged | Scored,
    *,
    about: About = "batch",
    delta: Number = 0.05,
    models: int = 1,
    drawn: str = "not stated",
    at_random: bool = False,
    judged_first: bool = False,
    fixed_before: bool = False,
    draws: Assumption | None = None,
) -> Certificate:
    """`certify_judged` for what was counted elsewhere, such as from a file.

    `draws` is what is known of the items as independent draws, where the promise is about new rows.
    """
    require(about in ("batch", "new-rows"), "about", "'batch' or 'new-rows'", about)
    beyond = about == "new-rows"
    must = "left out unless the promise is about new rows"
    require(beyond or not fixed_before, "fixed_before", must, fixed_before)
    total, declared = delta_text(delta), count("models", models, at_least=1)
    share = delta_text(Fraction(total) / declared)
    first = STRATA_FIRST if isinstance(seen, Judged) else SCORES_FIRST
    known = [
        _choice(seen, at_random),
        Assumption(first, "declared" if judged_first else "not asked"),
    ]
    if beyond:
        known.append(Assumption(FIXED_BEFORE, "declared" if fixed_before else "not asked"))
        known += [] if draws is None else [draws]
    if isinstance(seen, Judged):
        claim = strata_claim(seen, share, beyond, known)
    else:
        claim = score_claim(seen, share, beyond, known)
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


def _choice(seen: Judged | Scored, declared: bool) -> Assumption:
    """What is known of how the labelled items were chosen."""
    chosen = LABELLED_AT_RANDOM if isinstance(seen, Judged) else SAMPLE_OF_BATCH
    if declared:
        said = f"declared, though {seen.odd}" if seen.odd else ""
        return Assumption(chosen, "declared", said)
    return Assumption(chosen, "violated" if seen.odd else "assumed", seen.odd)


def way_out(seen: Judged | Scored) -> str:
    """What to do where labelled items hardly are a random choice."""
    return (
        f"Nothing is promised, since {seen.odd}: label items that are chosen at random, or declare that they were, "
        "with at_random=True or --at-random, if the batch was sorted or shuffled after that."
    )


def strata_claim(seen: Judged, share: str, beyond: bool, known: Sequence[Assumption]) -> Guarantee:
    """What may be promised of a batch, or `beyond` it, with this share of delta."""
    about = estimate(seen.sizes, seen.labelled, seen.wrong)
    columns = (list(seen.sizes), list(seen.labelled), list(seen.wrong))
    inputs: dict[str, Any]
    if beyond:
        of, theorem = Subject("error", strata=seen.strata), "judged-strata-draws"
        inputs = {"strata": [list(one) for one in zip(*columns, strict=True)], "delta": share}
        about = None if about is None else about / seen.items
    else:
        of, theorem = Subject("errors-in-batch", strata=seen.strata), "judged-strata"
        inputs = dict(zip(("sizes", "labelled", "wrong"), columns, strict=True)) | {"delta": share}
    observed = None if about is None else (about.numerator, about.denominator)
    return claim_by(find_theorem(theorem), of, inputs, observed, known)


def score_claim(seen: Scored, share: str, beyond: bool, known: Sequence[Assumption]) -> Guarantee:
    """What may be promised of a batch that was scored, or `beyond` it, with this share of delta."""
    quantities = ("mean-loss", "error") if beyond else ("batch-mean-loss", "batch-error")
    inputs = {
        "residuals": encode_losses(seen.residuals, "residuals"),
        "items": seen.items,
        "scores": seen.scores,
        "delta": share,
    }
    theorem = find_theorem("judged-mean-draws" if beyond else "judged-mean")
    of = Subject(quantities[0 if seen.graded else 1])  # type: ignore[arg-type]
    observed = decimal_text(min(max(seen.observed, 0.0), 1.0))
    return claim_by(theorem, of, inputs, observed, known)


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
        require(size <= MOST_ROWS, f"population[{name!r}]", f"at most {MOST_ROWS:,}", size)
        n, k = (count(f"labels[{name!r}][{i}]", pair[i]) for i in range(2))
        must = f"at most {MOST_LABELS:,}"
        require(n <= MOST_LABELS, f"labels[{name!r}][0]", must, n)
        require(n <= size, f"labels[{name!r}][0]", f"at most the population {size}", n)
        require(k <= n, f"labels[{name!r}][1]", f"at most the {n} that were labelled", k)
        sizes.append(size)
        labelled.append(n)
        wrong.append(k)
    require(any(labelled), "labels", "given for at least one item", "missing for all")
    return Judged(tuple(sizes), tuple(labelled), tuple(wrong), tuple(names) if named else ())
