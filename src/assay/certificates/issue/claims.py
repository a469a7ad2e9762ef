"""Claims: one theorem, one rate, one share of delta, written as a guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from assay.certificates.format.claim import decode_inputs, encode_losses
from assay.certificates.format.quantity import (
    CHOSEN,
    MEAN_LOSS,
    certified_by,
    formula_of,
    meant,
    next_rows,
)
from assay.errors import BadData, BadParameter, Words, require
from assay.evidence.evidence import Evidence
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import conditions, guarantee
from assay.guarantees.decimals import decimal_above, decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.needs import count
from assay.theory.registry import Theorem, find_theorem

if TYPE_CHECKING:
    from assay.evidence.losses import LossRecord
    from assay.evidence.tally import Tally

Method = Literal["exact", "anytime", "kl", "hoeffding", "betting", "bernstein"]
_BY_SUMS = {"kl": "holdout-kl", "hoeffding": "validation-hoeffding"}
_BY_COUNTS = {"exact": "holdout-exact", "anytime": "holdout-anytime", **_BY_SUMS}
_BY_LOSSES = {"betting": "bounded-betting", "bernstein": "empirical-bernstein", **_BY_SUMS}


@dataclass(frozen=True)
class Rate:
    """A rate to promise: so many errors among so many rows, and what it is the rate of."""

    of: Subject
    errors: int
    rows: int


#: Rates of errors among the rows of a class.
CLASS_RATES = ("class", "false-positive", "false-negative")


def no_labels() -> BadParameter:
    """Rates were asked for where there are losses or counts alone."""
    return BadParameter(
        Words(
            "rates need the labels: give y_true and y_pred, or a model with X and y",
            "--rate needs the labels: name the columns of a table with --truth and --prediction",
        ),
        ".",
    )


def rates_asked(evidence: Evidence, rates: Sequence[str], positive: Any) -> list[Rate]:
    """The overall error, then the errors of classes that were asked for, none of them twice."""
    overall = Rate(Subject("error"), evidence.errors or 0, evidence.rows)
    if not rates:
        return [overall]
    if evidence.tally is None:
        raise no_labels()
    tally = evidence.tally
    present = [
        label for label, row in zip(tally.labels, _confusion(tally), strict=True) if sum(row)
    ]
    by_label: dict[Any, Rate] = {}
    if "false-positive" in rates or "false-negative" in rates:
        by_label |= _binary_rates(tally, rates, positive, present)
    if "class" in rates:
        # With two classes a false-positive rate is the error of one of them already.
        classes = (Subject("class-error", c) for c in present if c not in by_label)
        by_label |= {subject.label: _class_rate(tally, subject) for subject in classes}
    return [overall, *(by_label[label] for label in present if label in by_label)]


def _confusion(tally: Tally) -> tuple[tuple[int, ...], ...]:
    if tally.confusion is None:
        raise BadData(f"{len(tally.labels):,} labels are too many for a promise about each class.")
    return tally.confusion


def _class_rate(tally: Tally, of: Subject) -> Rate:
    row = tally.labels.index(of.label)
    counts = _confusion(tally)[row]
    return Rate(of, sum(counts) - counts[row], sum(counts))


def _binary_rates(
    tally: Tally, rates: Sequence[str], positive: Any, present: Sequence[Any]
) -> dict[Any, Rate]:
    labels = tally.labels
    if len(labels) != 2 or len(present) != 2:
        raise BadData(
            "False-positive and false-negative rates need truth with exactly two labels, but the "
            f"labels are {', '.join(map(repr, labels))}. Ask for the rates of each class instead."
        )
    plus = labels[1] if positive is None else positive
    require(plus in labels, "positive", "one of " + ", ".join(map(repr, labels)), plus)
    minus = labels[1 - labels.index(plus)]
    by_label = {}
    if "false-positive" in rates:
        by_label[minus] = _class_rate(tally, Subject("class-error", minus, plus, "positive"))
    if "false-negative" in rates:
        by_label[plus] = _class_rate(tally, Subject("class-error", plus, minus, "negative"))
    return by_label


def require_method(method: Method | None) -> None:
    """Refuse a method by which no count of errors is bounded."""
    must = "one of " + ", ".join(_BY_COUNTS)
    require(method is None or method in _BY_COUNTS, "method", must, method)


def rate_claim(
    evidence: Evidence,
    rate: Rate,
    share: str,
    method: Method | None,
    population: int | None,
    *,
    allowed: int | None = None,
) -> Guarantee:
    """The promise about a rate of errors; with `allowed`, one that tells only that it is met."""
    require_method(method)
    errors = rate.errors if allowed is None else allowed
    inputs: dict[str, Any] = {"errors": errors, "rows": rate.rows, "delta": share}
    theorem = find_theorem(_BY_COUNTS[method or "exact"])
    if population is not None:
        require(method in (None, "exact"), "method", "'exact' for a finite population", method)
        alone = rate.of.quantity == "error"
        require(alone, "population", "given for the error alone", population)
        rate = replace(rate, of=Subject("batch-error"))
        theorem = find_theorem("holdout-finite-population")
        inputs |= {"population": count("population", population, at_least=1)}
    observed = (errors, rate.rows) if allowed is None else None
    return claim_by(theorem, rate.of, inputs, observed, evidence.checked)


def next_rows_claim(evidence: Evidence, following: int, share: str) -> Guarantee:
    """The promise about rows to come: how many of them are wrong at most.

    Examples
    --------
    >>> print(next_rows_claim(Evidence(rows=1000, errors=50), 100, "0.05"))
    errors among the next 100 rows: at most 9, observed 0.05, failing with probability at most 0.05, by \
next-rows-exact
    """
    assert evidence.errors is not None
    errors, rows, more = evidence.errors, evidence.rows, count("next_rows", following, at_least=1)
    inputs = {"errors": errors, "rows": rows, "next_rows": more, "delta": share}
    theorem = find_theorem("next-rows-exact")
    return claim_by(theorem, next_rows(more), inputs, (errors, rows), evidence.checked)


def choice_claim(
    errors: int, rows: int, bits: int, share: str, known: Sequence[Assumption] = ()
) -> Guarantee:
    """The promise of a choice: the error of the candidate that was chosen, paid for by its name.

    Parameters
    ----------
    errors, rows : int
        How many of the rows that judged the candidates it got wrong.
    bits : int
        The length of its name in the code of the candidates.
    share : str
        The part of delta that all candidates share.
    known : sequence of Assumption
        What is known of the draw of the rows.

    Examples
    --------
    >>> print(choice_claim(50, 1000, 4, "0.005"))
    error of the learner that was chosen, as it was when it was chosen: at most 0.077895, failing with probability \
at most 0.005, by occam-exact
    """
    inputs = {"errors": errors, "rows": rows, "bits": bits, "delta": share}
    return claim_by(find_theorem("occam-exact"), CHOSEN, inputs, None, known)


def loss_claim(
    evidence: Evidence,
    share: str,
    method: Method | None,
    *,
    listed: bool = True,
    of: Subject = MEAN_LOSS,
) -> Guarantee:
    """The promise about a mean loss; `listed` is whether the single losses may stand in the document."""
    losses = evidence.losses
    assert losses is not None
    choices = _BY_LOSSES if listed else _BY_SUMS
    default = "kl" if not listed else "betting" if losses.values is not None else "bernstein"
    chosen = method or default
    require(chosen in choices, "method", "one of " + ", ".join(choices), chosen)
    theorem = find_theorem(choices[chosen])
    if chosen == "betting" and losses.values is None:
        raise BadParameter(
            f"Betting keeps every loss in the certificate, and {losses.rows:,} rows are too many "
            "for that. Use method='bernstein'."
        )
    inputs = loss_inputs(losses, theorem.id) | {"delta": share}
    observed = decimal_text(losses.total / losses.rows)
    if "errors" in inputs:
        # What is told is what was charged for: the sum in thousandths, and nothing finer.
        observed = decimal_text(Fraction(inputs["errors"]) / losses.rows)
    return claim_by(theorem, of, inputs, observed, evidence.checked)


def loss_inputs(losses: LossRecord, theorem: str) -> dict[str, Any]:
    """What a theorem about a mean loss is given, each number rounded so as to promise less."""
    if theorem == "bounded-betting":
        return {} if losses.values is None else {"losses": encode_losses(losses.values)}
    if theorem == "empirical-bernstein":
        mean, variance = _above(losses.total / losses.rows), _above(losses.variance)
        return {"mean": mean, "variance": variance, "rows": losses.rows}
    return {"errors": _grid_total(losses.total, losses.rows), "rows": losses.rows}


def _above(value: float) -> str:
    """A number computed with two roundings, as text that is not below the true one."""
    for _ in range(3):
        value = math.nextafter(value, math.inf)
    return decimal_above(min(value, 1.0))


def _grid_total(total: float, rows: int) -> str:
    """A sum of losses rounded up to thousandths, so that it can come out in few ways."""
    above = Fraction(math.nextafter(total, math.inf)) * 1000
    return decimal_text(Fraction(min(math.ceil(above), rows * 1000), 1000))


def claim_by(
    theorem: Theorem,
    of: str,
    inputs: Mapping[str, Any],
    observed: Any,
    known: Sequence[Assumption] = (),
    number: Callable[[Any], Any] = lambda value: value,
) -> Guarantee:
    """What a theorem promises of a quantity; what is known of these rows takes the place of what is usual."""
    bounded = meant(theorem, of)
    assert bounded is not None, f"{theorem.id} does not bound {of!r}"
    quantity, terms = bounded
    assumptions = conditions(theorem, known, terms)
    return guarantee(
        theorem,
        inputs,
        observed,
        of=of,
        formula=str(formula_of(of, quantity)),
        assumptions=assumptions,
        number=number,
        most=1 if theorem.kind == "error" and not terms.whole else None,
        quantifier=terms.quantifier,
        certified=certified_by(of, assumptions),
        evaluated=decode_inputs(inputs),
        direction=terms.direction,
    )
