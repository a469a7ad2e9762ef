"""What a certificate is asked to promise, and the claims that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from assay.certificates.issue.claims import (
    CLASS_RATES,
    Method,
    Rate,
    loss_claim,
    next_rows_claim,
    no_labels,
    rate_claim,
    rates_asked,
    require_method,
)
from assay.certificates.issue.metrics import Metric, metrics_asked
from assay.certificates.issue.quantity_claims import (
    NOTHING,
    AskedQuantity,
    counted_within,
    quantity_claims,
    rate_within,
)
from assay.certificates.issue.score_claims import (
    PROBABILITIES,
    SCORE_RATES,
    ScoreRate,
    require_scores,
    scores_asked,
)
from assay.certificates.issue.two_sided import other_end
from assay.certificates.issue.unit_claims import ONE_MEAN, AskedUnits, unit_claim, unit_metrics
from assay.certificates.ledger.charges import told_by, ways_of, ways_of_refusal
from assay.errors import BadData, BadInput, BadParameter, CertificateRefused, Words, require
from assay.evidence.evidence import Evidence
from assay.guarantees.group_needs import errors_allowed
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.measures import MEASURES
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.union import split

Answer = Literal["exact", "pass-fail"]
Wanted = Rate | Metric | ScoreRate
"""Something to promise."""

#: Rates that are called otherwise elsewhere, and what they are called here.
ALSO_CALLED = {"macro-recall": "balanced-accuracy", "roc-auc": "auc"}


_DEPEND = "Rows of one unit depend on each other."


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
    floor: Number | None = None
    every_group: bool = False
    over: AskedUnits = ONE_MEAN
    two_sided: bool = False

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

    def check(self, evidence: Evidence, *, private: bool = False) -> None:
        """Refuse what makes no sense together, whatever labels the rows have.

        What then still cannot be answered is so because of the labels, and a refusal tells something of them; where a
        ledger keeps them `private`, it is charged for first.
        """
        require(
            self.answer in ("exact", "pass-fail"), "answer", "'exact' or 'pass-fail'", self.answer
        )
        if evidence.quantities is not None:
            self._check_quantities()
        else:
            self._check_rates(evidence, private)
        if evidence.groups is not None:
            from assay.certificates.issue.asked_groups import check_groups

            check_groups(self)
        elif self.every_group:
            raise BadParameter(
                Words("every_group needs groups", "--every-group needs --by"),
                ": say what divides the rows into groups.",
            )
        self.over.check(evidence.units, self.rates)
        if self.answer == "pass-fail":
            self._check_gate(evidence)
        elif not self.every_group:
            must = "left out unless the answer is 'pass-fail'"
            require(self.max_error is None, "max_error", must, self.max_error)
        if evidence.losses is not None:
            self._leave_out("for graded losses")
        if self.two_sided:
            self._check_two_sided(evidence)
        if self.next_rows is not None:
            count("next_rows", self.next_rows, at_least=1)
            plain = self.method in (None, "exact")
            require(plain, "method", "'exact' for the next rows", self.method)
            must = "left out with next_rows"
            require(self.population is None, "population", must, self.population)

    def _check_rates(self, evidence: Evidence, private: bool) -> None:
        if evidence.units is not None:
            self._leave_out("with units", _DEPEND, rates=False)
            require(self.method is None, "method", "left out with units", self.method)
        names = known_rates(self.rates)
        must = "left out unless rates are asked for"
        require(self.positive is None or bool(names), "positive", must, self.positive)
        require_scores(evidence, names, self.floor)
        counted = [name for name in names if name not in SCORE_RATES]
        if evidence.scores is not None and evidence.errors is None:
            self._check_scores_alone(counted)
        elif counted and evidence.tally is None:
            raise no_labels()
        if len(counted) < len(names):
            self.check_plain("with scores")
        if any(name not in CLASS_RATES for name in counted):
            self.check_plain("with metrics")
        require_method(self.method if counted else None)
        must = "given for the error alone"
        require(not counted or self.population is None, "population", must, self.population)
        named = self.positive is not None or not any(map(_of_label, names))
        why = "Which labels there are is not told without a charge."
        require(named or not private, "positive", "given with a ledger", self.positive, why)

    def _check_two_sided(self, evidence: Evidence) -> None:
        """Both ends are promised of what counts decide: errors, rates and metrics."""
        counted = evidence.errors is not None or evidence.scores is not None
        whole = evidence.units is None and evidence.groups is None and evidence.quantities is None
        must = "left out unless labels or counts are given, without units and groups"
        require(counted and whole, "two_sided", must, True)
        self.check_plain("with two_sided")
        require(self.next_rows is None, "next_rows", "left out with two_sided", self.next_rows)
        require(self.answer == "exact", "answer", "'exact' with two_sided", self.answer)
        of_losses = [name for name in PROBABILITIES if name in self.rates]
        must = "without brier and log-loss, whose other end is not promised, with two_sided"
        require(not of_losses, "rates", must, of_losses)

    @property
    def _of_labels(self) -> bool:
        """Whether a refusal may tell something of the labels, or of true numbers."""
        return bool(self.rates) or self.quantity.range is not None

    def ways(self, claims: Callable[[], Sequence[Guarantee]], rows: int) -> int:
        """In how many ways the answer can come out: what a ledger charges, also for a refusal that tells of labels."""
        if self.answer == "pass-fail":
            return 2
        try:
            return ways_of(told_by(claims()), rows)
        except BadInput:
            if not self._of_labels:
                raise
            return ways_of_refusal(rows)

    @contextmanager
    def of_labels_untold(self) -> Iterator[None]:
        """With a ledger a refusal says that there is no answer, and not which labels make it so."""
        try:
            yield
        except BadInput:
            if not self._of_labels:
                raise
            raise BadData(
                "What was asked is not defined for the labels of these rows, or is too much for one certificate. With "
                "a ledger no more is told of them, and the look was charged."
            ) from None

    def check_plain(self, when: str) -> None:
        """Refuse another method and a finite batch, for which nothing but errors is promised."""
        must = f"left out, or 'exact', {when}"
        require(self.method in (None, "exact"), "method", must, self.method)
        require(self.population is None, "population", f"left out {when}", self.population)

    def _check_scores_alone(self, counted: Sequence[str]) -> None:
        """What is to be promised where no labels were predicted."""
        if counted:
            raise BadParameter(f"{counted[0]} needs predictions: give y_pred beside score.")
        if not self.rates:
            listed = ", ".join(map(repr, SCORE_RATES))
            raise BadParameter(f"Say what is to be promised of scores, with rates: {listed}.")
        require(self.answer == "exact", "answer", "'exact' for scores", self.answer)
        require(self.next_rows is None, "next_rows", "left out for scores", self.next_rows)

    def _check_quantities(self) -> None:
        asked = self.quantity
        if not asked:
            raise BadParameter(
                "Say what is to be promised of quantities: coverage, within or range."
            )
        self._leave_out("for quantities")
        require(self.positive is None, "positive", "left out for quantities", self.positive)
        graded = asked.range is not None
        must = "left out unless a range is declared"
        require(self.method is None or graded, "method", must, self.method)
        if self.answer == "pass-fail" and (asked.within is None or asked.many != 1):
            raise BadParameter(
                "A pass/fail answer about quantities needs within, and nothing else."
            )

    def _leave_out(self, when: str, why: str = "", *, rates: bool = True) -> None:
        if rates:
            require(not self.rates, "rates", f"left out {when}", list(self.rates), why)
        for name in ("population", "next_rows"):
            value = getattr(self, name)
            require(value is None, name, f"left out {when}", value, why)

    def _check_gate(self, evidence: Evidence) -> None:
        """Refuse what cannot be answered by pass or fail."""
        if self.max_error is None:
            raise BadParameter(
                Words("max_error", "{}", "max_error"), " must be given for a pass/fail answer."
            )
        inside_unit("max_error", self.max_error)
        plain = evidence.errors is not None and evidence.units is None and not self.rates
        plain = plain and self.method in (None, "exact")
        if not plain or self.population is not None or self.next_rows is not None:
            raise BadParameter(
                "A pass/fail answer is given for the error alone, by the exact method."
            )

    def wanted(self, evidence: Evidence) -> list[Wanted]:
        """The rates to promise, the overall error first; refuses what is not defined for the labels of these rows."""
        if evidence.quantities is not None:
            # Only that of rows beyond a distance is counted.
            return [rate_within(evidence, self.quantity)] * self.quantity.many
        by_class = [name for name in self.rates if name in CLASS_RATES]
        metrics = [name for name in self.rates if name not in (*CLASS_RATES, *SCORE_RATES)]
        wanted: list[Wanted] = []
        if evidence.scores is None or evidence.errors is not None:
            wanted += rates_asked(evidence, by_class, self.positive)
        if metrics:
            assert evidence.tally is not None
            if evidence.units is None:
                wanted += metrics_asked(evidence.tally, metrics, self.positive)
            else:
                wanted += unit_metrics(evidence, metrics, self.positive, self.over)
        return [*wanted, *scores_asked(evidence, self.rates, self.positive, self.floor)]

    def claims(
        self, evidence: Evidence, available: Fraction, *, list_losses: bool
    ) -> list[Guarantee]:
        """One claim for each rate; `list_losses` is whether single losses may stand in the document."""
        if evidence.groups is not None:
            from assay.certificates.issue.asked_groups import claims_with_groups

            return claims_with_groups(self, evidence, available, list_losses=list_losses)
        wanted = self.wanted(evidence)
        if evidence.quantities is not None and self.answer != "pass-fail":
            even = split(available - (self.further or 0), len(wanted))
            asked = self.quantity, even, self.method
            return quantity_claims(evidence, *asked, listed=list_losses, over=self.over)
        overall = wanted[0]
        if isinstance(overall, ScoreRate):
            shares = split(available - (self.further or 0), len(wanted))
            return self._each(evidence, wanted, shares, list_losses)
        shares = _shares(available, wanted, self.rates, self.further)
        assert isinstance(overall, Rate)
        if self.answer == "pass-fail":
            return [_gate(evidence, overall, shares[0], self.max_error)]
        if evidence.losses is not None:
            return [loss_claim(evidence, shares[0], self.method, listed=list_losses)]
        if evidence.units is not None:
            first = unit_claim(evidence, shares[0], self.over)
        elif self.next_rows is None:
            return self._each(evidence, wanted, shares, list_losses)
        else:
            first = next_rows_claim(evidence, self.next_rows, shares[0])
        return [first, *self._each(evidence, wanted[1:], shares[1:], list_losses)]

    def _each(
        self, evidence: Evidence, wanted: Sequence[Wanted], shares: Sequence[str], listed: bool
    ) -> list[Guarantee]:
        """The claim of each rate; with `two_sided` both ends, each with half of its share."""
        claims = []
        for rate, share in zip(wanted, shares, strict=True):
            ends = split(Fraction(share), 2) if self.two_sided else [share]
            claim = self._one(evidence, rate, ends[0], listed)
            claims += [claim] if len(ends) == 1 else [claim, other_end(claim, evidence, ends[1])]
        return claims

    def _one(self, evidence: Evidence, rate: Wanted, share: str, listed: bool) -> Guarantee:
        if isinstance(rate, Rate):
            return rate_claim(evidence, rate, share, self.method, self.population)
        if isinstance(rate, ScoreRate):
            return rate.claim(evidence, share, listed=listed)
        return rate.claim(evidence, share)


def names_of(rates: Sequence[str] | str | None) -> list[str]:
    """The rates that were asked for: none, one, or several.

    Examples
    --------
    >>> names_of(None), names_of("auc"), names_of(("f1", "recall"))
    ([], ['auc'], ['f1', 'recall'])
    """
    if rates is None:
        return []
    listed = [rates] if isinstance(rates, str) else rates
    must = "a sequence of names"
    require(isinstance(listed, Iterable), "rates", must, rates)
    for name in listed:
        require(isinstance(name, str), "rates", must, rates)
    return [ALSO_CALLED.get(name, name) for name in listed]


def known_rates(rates: Sequence[str]) -> list[str]:
    """The rates that were asked for, each once; refuses others."""
    known = (*CLASS_RATES, *(name for name in MEASURES if name not in SCORE_RATES), *SCORE_RATES)
    for name in rates:
        require(name in known, "rates", "some of " + ", ".join(known), name)
    return list(dict.fromkeys(rates))


def _of_label(name: str) -> bool:
    """Whether a rate speaks of one label."""
    if name in ("false-positive", "false-negative"):
        return True
    return any(of == name and measure.of_label for of, measure in MEASURES.items())


def _shares(
    available: Fraction,
    wanted: Sequence[Wanted],
    names: Sequence[str],
    further: Fraction | None = None,
) -> list[str]:
    """What is left for the overall error, the rest for all further rates; half each where nothing is said.

    How many classes there are depends on which labels were drawn, so the shares of other rates may not: each name that
    was asked for has the same, and classes share that of theirs.
    """
    others = wanted[1:]
    if not others:
        return split(available - (further or 0), 1)
    rest = available / 2 if further is None else further
    classes = sum(isinstance(rate, Rate) for rate in others)
    by_class = len(set(names) & set(CLASS_RATES)) if classes else 0
    each = rest / (by_class + len(others) - classes)
    parts = [each * by_class / classes if isinstance(rate, Rate) else each for rate in others]
    return split(available, [available - rest, *parts])


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
