"""What a certificate is asked to promise, and the claims that answer it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from assay.certificates.issue.claims import (
    CLASS_RATES,
    Method,
    Rate,
    loss_claim,
    next_rows_claim,
    rate_claim,
    rates_asked,
    unit_claim,
)
from assay.certificates.issue.metrics import Metric, metrics_asked
from assay.certificates.issue.quantity_claims import (
    NOTHING,
    AskedQuantity,
    counted_within,
    quantity_claims,
    rate_within,
)
from assay.errors import BadParameter, CertificateRefused, require
from assay.evidence.evidence import Evidence
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.measures import MEASURES
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import tail_at_most
from assay.theory.tail.search import smallest_whole
from assay.theory.tail.union import split

Answer = Literal["exact", "pass-fail"]


@dataclass(frozen=True)
class Asked:
    """What `certify` was asked for; its parameters say what each means."""

    rates: Sequence[str] = ()
    positive: Any = None
    method: Method | None = None
    population: int | None = None
    next_rows: int | None = None
    answer: Answer = "exact"
    max_error: Number | None = None
    quantity: AskedQuantity = NOTHING
    #: The part of delta that further rates share, where it is not half of what there is.
    further: Fraction | None = None

    def counted(self, evidence: Evidence, ledger: bool) -> Evidence:
        """The evidence with the errors that were asked for, where numbers were predicted."""
        if evidence.quantities is None:
            asked = "labels or losses"
            require(
                not self.quantity,
                "coverage, within and range",
                "left out for counts, labels and losses",
                asked,
            )
            return evidence
        self.quantity.require_units(evidence.quantities.unit is not None, ledger)
        return counted_within(evidence, self.quantity)

    def wanted(self, evidence: Evidence) -> list[Rate | Metric]:
        """The rates to promise, the overall error first; refuses what the evidence cannot answer."""
        require(
            self.answer in ("exact", "pass-fail"), "answer", "'exact' or 'pass-fail'", self.answer
        )
        if evidence.quantities is not None:
            return self._wanted_of_quantities(evidence)
        if evidence.units is not None:
            self._leave_out("with units", "Rows of one unit depend on each other.")
            require(self.method is None, "method", "left out with units", self.method)
        known = (*CLASS_RATES, *MEASURES)
        for rate in self.rates:
            require(rate in known, "rates", "some of " + ", ".join(known), rate)
        by_class = [rate for rate in self.rates if rate in CLASS_RATES]
        metrics = [rate for rate in self.rates if rate in MEASURES]
        positive = self.positive if by_class or not metrics else None
        wanted: list[Rate | Metric] = [*rates_asked(evidence, by_class, positive)]
        if metrics:
            must = "left out, or 'exact', with metrics"
            require(self.method in (None, "exact"), "method", must, self.method)
            require(self.population is None, "population", "left out with metrics", self.population)
            if evidence.tally is None:
                raise BadParameter(
                    "rates need the labels: give y_true and y_pred, or a model with X and y."
                )
            wanted += metrics_asked(evidence.tally, metrics, self.positive)
        if self.answer == "pass-fail":
            self._require_gate(evidence, wanted)
        else:
            must = "left out unless the answer is 'pass-fail'"
            require(self.max_error is None, "max_error", must, self.max_error)
        if evidence.losses is not None:
            self._leave_out("for graded losses")
        if self.next_rows is not None:
            count("next_rows", self.next_rows, at_least=1)
            plain = self.method in (None, "exact")
            require(plain, "method", "'exact' for the next rows", self.method)
            must = "left out with next_rows"
            require(self.population is None, "population", must, self.population)
        return wanted

    def _wanted_of_quantities(self, evidence: Evidence) -> list[Rate | Metric]:
        """A rate for each promise; only that of rows beyond a distance is counted."""
        asked = self.quantity
        if not asked:
            raise BadParameter(
                "Say what is to be promised of quantities: coverage, within or range."
            )
        self._leave_out("for quantities")
        require(self.positive is None, "positive", "left out for quantities", self.positive)
        graded = asked.range is not None
        require(
            self.method is None or graded,
            "method",
            "left out unless a range is declared",
            self.method,
        )
        wanted: list[Rate | Metric] = [rate_within(evidence, asked)] * sum(
            part is not None for part in (asked.coverage, asked.within, asked.range)
        )
        if self.answer == "pass-fail":
            if asked.within is None or len(wanted) != 1:
                raise BadParameter(
                    "A pass/fail answer about quantities needs within, and nothing else."
                )
            self._require_gate(evidence, wanted)
        else:
            must = "left out unless the answer is 'pass-fail'"
            require(self.max_error is None, "max_error", must, self.max_error)
        return wanted

    def _leave_out(self, when: str, why: str = "") -> None:
        require(not self.rates, "rates", f"left out {when}", list(self.rates), why)
        for name in ("population", "next_rows"):
            value = getattr(self, name)
            require(value is None, name, f"left out {when}", value, why)

    def _require_gate(self, evidence: Evidence, wanted: Sequence[Rate | Metric]) -> None:
        """Refuse what cannot be answered by pass or fail, before a look is charged for it."""
        if self.max_error is None:
            raise BadParameter("max_error must be given for a pass/fail answer.")
        inside_unit("max_error", self.max_error)
        plain = evidence.errors is not None and evidence.units is None
        plain = plain and self.method in (None, "exact")
        plain = plain and self.population is None and self.next_rows is None
        if not plain or len(wanted) != 1:
            raise BadParameter(
                "A pass/fail answer is given for the error alone, by the exact method."
            )

    def claims(
        self,
        evidence: Evidence,
        wanted: Sequence[Rate | Metric],
        available: Fraction,
        *,
        list_losses: bool,
    ) -> list[Guarantee]:
        """One claim for each rate; `list_losses` is whether single losses may stand in the document."""
        if evidence.quantities is not None and self.answer != "pass-fail":
            even = split(available, len(wanted))
            return quantity_claims(evidence, self.quantity, even, self.method, listed=list_losses)
        shares = _shares(available, len(wanted), self.further)
        overall = wanted[0]
        assert isinstance(overall, Rate)
        if self.answer == "pass-fail":
            return [_gate(evidence, overall, shares[0], self.max_error)]
        if evidence.losses is not None:
            return [loss_claim(evidence, shares[0], self.method, listed=list_losses)]
        if evidence.units is not None:
            return [unit_claim(evidence, shares[0])]
        if self.next_rows is None:
            first = rate_claim(evidence, overall, shares[0], self.method, self.population)
        else:
            first = next_rows_claim(evidence, self.next_rows, shares[0])
        return [
            first,
            *(
                rate.claim(evidence, share)
                if isinstance(rate, Metric)
                else rate_claim(evidence, rate, share, self.method, self.population)
                for rate, share in zip(wanted[1:], shares[1:], strict=True)
            ),
        ]


def _shares(available: Fraction, claims: int, further: Fraction | None = None) -> list[str]:
    """What is left for the overall error, the rest for all further rates; half each where nothing is said.

    How many of these there are may depend on which labels were drawn, so the first share may not.
    """
    if claims == 1:
        return split(available - (further or 0), 1)
    rest = available / 2 if further is None else further
    return split(available, [available - rest] + [rest / (claims - 1)] * (claims - 1))


def _gate(evidence: Evidence, rate: Rate, share: str, max_error: Number | None) -> Guarantee:
    """The claim that the error is at most `max_error`, telling nothing else, or a refusal."""
    assert max_error is not None
    allowed = errors_allowed(rate.rows, as_fraction(max_error), Fraction(share))
    if allowed is None or rate.errors > allowed:
        raise CertificateRefused(
            f"Fail: an error rate of {max_error} cannot be promised from this holdout, where this look may "
            f"fail with probability {float(share):.3g}."
        )
    return rate_claim(evidence, rate, share, "exact", None, allowed=allowed)


def errors_allowed(rows: int, rate: Fraction, level: Fraction) -> int | None:
    """The most errors among `rows` with which `rate` can still be promised; None when none will do.

    Examples
    --------
    >>> errors_allowed(311, Fraction(5, 100), Fraction(5, 100))
    9
    """
    if not tail_at_most(0, rows, rate, level):
        return None

    def too_many(errors: int) -> bool:
        return not tail_at_most(errors, rows, rate, level)

    return smallest_whole(too_many, 0, math.floor(rate * rows) + 1) - 1
