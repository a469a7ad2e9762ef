"""Claims: one theorem, one rate, one share of delta, written as a guarantee."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.certificates.assumption import Assumption, Status
from assay.certificates.decimals import decimal_above, decimal_ratio, decimal_text
from assay.certificates.evidence import Evidence
from assay.certificates.guarantee import Guarantee
from assay.errors import BadData, BadParameter, require
from assay.theory.registry import Theorem, find_theorem
from assay.theory.tail.binomial import FIXED_BEFORE

if TYPE_CHECKING:
    from assay.record.tally import Tally

Method = Literal["exact", "anytime", "kl", "hoeffding", "betting", "bernstein"]
_BY_COUNTS = {
    "exact": "holdout-exact",
    "anytime": "holdout-anytime",
    "kl": "holdout-kl",
    "hoeffding": "validation-hoeffding",
}
_BY_LOSSES = {
    "betting": "bounded-betting",
    "bernstein": "empirical-bernstein",
    "kl": "holdout-kl",
    "hoeffding": "validation-hoeffding",
}
_QUANTIFIER = {"holdout-anytime": "probability over the whole stream, at every moment at once"}

# The grid on which a certificate carries losses: each is rounded up to a multiple of 1 / 65535.
LOSS_SCALE = 65_535
_LOSS_ENCODING = "base64 of uint16, little-endian, rounded up to multiples of 1/65535"


@dataclass(frozen=True)
class Rate:
    """A rate to promise: so many errors among so many rows, and what it is the rate of."""

    of: str
    formula: str
    errors: int
    rows: int


def rates_asked(evidence: Evidence, rates: Sequence[str], positive: Any) -> list[Rate]:
    """The overall error, then every further rate that was asked for."""
    overall = Rate("error", "err_D(h)", evidence.errors or 0, evidence.rows)
    known = ("class", "false-positive", "false-negative")
    for rate in rates:
        require(rate in known, "rates", "some of " + ", ".join(known), rate)
    if not rates:
        return [overall]
    if evidence.tally is None:
        raise BadParameter(
            "rates need the labels: give y_true and y_pred, or a model with X and y."
        )
    found = [overall]
    rows_of = zip(evidence.tally.labels, _confusion(evidence.tally), strict=True)
    present = [label for label, counts in rows_of if sum(counts)]
    if "class" in rates:
        found += [_class_rate(evidence, label) for label in present]
    if "false-positive" in rates or "false-negative" in rates:
        found += _binary_rates(evidence, rates, positive, present)
    return found


def _confusion(tally: Tally) -> tuple[tuple[int, ...], ...]:
    if tally.confusion is None:
        raise BadData(f"{len(tally.labels):,} labels are too many for a promise about each class.")
    return tally.confusion


def _class_rate(evidence: Evidence, label: Any, of: str = "") -> Rate:
    assert evidence.tally is not None
    row = evidence.tally.labels.index(label)
    counts = _confusion(evidence.tally)[row]
    errors = sum(counts) - counts[row]
    return Rate(
        of or f"error of class {label!r}", f"P[h(x) != y | y = {label!r}]", errors, sum(counts)
    )


def _binary_rates(
    evidence: Evidence, rates: Sequence[str], positive: Any, present: Sequence[Any]
) -> list[Rate]:
    assert evidence.tally is not None
    labels = evidence.tally.labels
    if len(labels) != 2 or len(present) != 2:
        raise BadData(
            "False-positive and false-negative rates need truth with exactly two labels, but the labels "
            f"are {', '.join(map(repr, labels))}. Ask for the rates of each class instead."
        )
    plus = labels[1] if positive is None else positive
    require(plus in labels, "positive", "one of " + ", ".join(map(repr, labels)), plus)
    minus = labels[1 - labels.index(plus)]
    found = []
    if "false-positive" in rates:
        found.append(
            _class_rate(evidence, minus, f"false-positive rate: {minus!r} taken for {plus!r}")
        )
    if "false-negative" in rates:
        found.append(
            _class_rate(evidence, plus, f"false-negative rate: {plus!r} taken for {minus!r}")
        )
    return found


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
    require(
        method is None or method in _BY_COUNTS, "method", "one of " + ", ".join(_BY_COUNTS), method
    )
    errors = rate.errors if allowed is None else allowed
    inputs: dict[str, Any] = {"errors": errors, "rows": rate.rows, "delta": share}
    theorem = find_theorem(_BY_COUNTS[method or "exact"])
    if population is not None:
        require(method in (None, "exact"), "method", "'exact' for a finite population", method)
        require(rate.of == "error", "population", "given for the error alone", population)
        theorem, inputs = (
            find_theorem("holdout-finite-population"),
            inputs | {"population": population},
        )
    observed = decimal_ratio(errors, rate.rows) if allowed is None else None
    return _claim(evidence, theorem, rate.of, rate.formula, inputs, observed, inputs)


def loss_claim(
    evidence: Evidence, share: str, method: Method | None, *, told: bool = True
) -> Guarantee:
    """The promise about a mean loss; `told` is whether the single losses may stand in the document."""
    losses = evidence.losses
    assert losses is not None
    choices = _BY_LOSSES if told else {"kl": _BY_LOSSES["kl"], "hoeffding": _BY_LOSSES["hoeffding"]}
    default = "kl" if not told else "betting" if losses.values is not None else "bernstein"
    chosen = method or default
    require(chosen in choices, "method", "one of " + ", ".join(choices), chosen)
    theorem = find_theorem(choices[chosen])
    inputs: dict[str, Any]
    if chosen == "betting":
        if losses.values is None:
            raise BadParameter(
                f"Betting keeps every loss in the certificate, and {losses.rows} rows are too many for that. "
                "Use method='bernstein'."
            )
        inputs = {"losses": encode_losses(losses.values), "delta": share}
    elif chosen == "bernstein":
        mean = decimal_above(math.nextafter(losses.total / losses.rows, 1.0))
        variance = decimal_above(math.nextafter(losses.variance, 1.0))
        inputs = {"mean": mean, "variance": variance, "rows": losses.rows, "delta": share}
    else:
        inputs = {
            "errors": _grid_total(losses.total, losses.rows),
            "rows": losses.rows,
            "delta": share,
        }
    observed = decimal_text(losses.total / losses.rows)
    return _claim(
        evidence, theorem, "mean loss", "E[loss]", inputs, observed, decode_inputs(inputs)
    )


def _grid_total(total: float, rows: int) -> str:
    """A sum of losses rounded up to thousandths, so that it can come out in few ways."""
    return decimal_text(min(math.ceil(total * 1000 + 1e-6), rows * 1000) / 1000)


def _claim(
    evidence: Evidence,
    theorem: Theorem,
    of: str,
    formula: str,
    inputs: Mapping[str, Any],
    observed: str | None,
    evaluated: Mapping[str, Any],
) -> Guarantee:
    assumptions = (
        tuple(Assumption(name, _status(name)) for name in theorem.assumes) + evidence.checked
    )
    promised = textbook = None
    if all(a.status != "violated" for a in assumptions):
        promised = decimal_above(min(float(theorem(**evaluated)), 1.0))
        beside = theorem.textbook(**evaluated)
        textbook = None if beside is None else (theorem.textbook_id, decimal_above(beside))
    delta = str(inputs["delta"])
    return Guarantee(
        theorem=theorem.id,
        kind=theorem.kind,
        of=of,
        promised=promised,
        observed=observed,
        delta=delta,
        inputs=inputs,
        assumptions=assumptions,
        statement=statement(formula, promised, delta),
        quantifier=_QUANTIFIER.get(theorem.id, "probability over the holdout"),
        certified="this classifier" if of != "mean loss" else "this model",
        textbook=textbook,
    )


def statement(formula: str, promised: str | None, delta: str) -> str:
    """The promise as one line; without a number when there is none."""
    if promised is None:
        return f"nothing is promised about {formula}"
    return f"P[{formula} <= {promised}] >= 1 - {delta}"


def _status(name: str) -> Status:
    """That the model came first is for its maker to say; how rows are drawn, nobody can compute."""
    return (
        "declared"
        if name == FIXED_BEFORE or name.startswith("the order of the rows")
        else "assumed"
    )


def encode_losses(values: Any) -> dict[str, Any]:
    """Losses as they stand in a certificate: rounded up to a grid, two bytes each."""
    import numpy as np

    grid = np.ceil(values * LOSS_SCALE)
    grid += grid / LOSS_SCALE < values
    data = base64.b64encode(grid.astype("<u2").tobytes()).decode()
    return {"encoding": _LOSS_ENCODING, "rows": len(values), "data": data}


def decode_inputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs as the theorem takes them: encoded losses become an array again."""
    if "losses" not in inputs:
        return dict(inputs)
    import numpy as np

    entry = inputs["losses"]
    require(
        entry.get("encoding") == _LOSS_ENCODING, "encoding", _LOSS_ENCODING, entry.get("encoding")
    )
    grid = np.frombuffer(base64.b64decode(entry["data"], validate=True), dtype="<u2")
    require(
        grid.size == entry.get("rows"), "rows", f"the {grid.size} losses given", entry.get("rows")
    )
    return dict(inputs) | {"losses": grid / LOSS_SCALE}
