"""What may be promised of models on the same rows, and how their claims share delta."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from assay.certificates.format.claim import encode_losses
from assay.certificates.format.document import Rule
from assay.certificates.issue.asked import Answer
from assay.certificates.issue.claims import claim_by
from assay.errors import CertificateRefused, require
from assay.evidence.paired import Paired
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_text, delta_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.claim import Quantity
from assay.theory.needs import count, unit
from assay.theory.registry import Theorem, find_theorem
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import IID, tail_at_most
from assay.theory.tail.difference import paired_difference
from assay.theory.tail.holm import step_share
from assay.theory.tail.search import smallest_whole
from assay.theory.tail.unit_mean import UNITS_INDEPENDENT

Promise = Literal["difference", "better"]
#: More models than this are never compared in one certificate.
MOST_RIVALS = 100


@dataclass(frozen=True)
class AskedDifference:
    """What `certify_difference` was asked for; its parameters say what each means.

    Attributes
    ----------
    promise : {"difference", "better"}
    margin : decimal text, or None
    answer : {"exact", "pass-fail"}
    declared : int
        How many comparisons share delta.
    """

    promise: Promise = "difference"
    margin: str | None = None
    answer: Answer = "exact"
    declared: int = 1

    @classmethod
    def read(
        cls, promise: Any, margin: Number | None, answer: Any, rivals: Any, given: int
    ) -> AskedDifference:
        """What was asked for, refused where it does not go together."""
        require(promise in ("difference", "better"), "promise", "'difference' or 'better'", promise)
        require(answer in ("exact", "pass-fail"), "answer", "'exact' or 'pass-fail'", answer)
        if margin is not None:
            must = "left out where only that it is better is promised"
            require(promise == "difference", "margin", must, margin)
            least = unit("margin", margin).low
            require(least < 1, "margin", "below 1, by which every model is worse at most", margin)
        gated = margin is not None or promise == "better"
        if answer == "pass-fail":
            hint = "Give margin, or promise='better'."
            require(gated, "margin", "given for a pass/fail answer", margin, hint)
        require(given <= MOST_RIVALS, "rivals", f"at most {MOST_RIVALS}", given)
        declared = given if rivals is None else count("rivals", rivals, at_least=1)
        must = f"at least the {given} that are given"
        require(declared >= given, "rivals", must, rivals)
        return cls(promise, None if margin is None else decimal_text(margin), answer, declared)

    @property
    def gate(self) -> Fraction | None:
        """What the promise must reach to pass; None where nothing is asked for."""
        if self.promise == "better":
            return Fraction(0)
        return None if self.margin is None else -Fraction(self.margin)

    def passes(self, claim: Guarantee) -> bool:
        """Whether what is promised is what was asked for."""
        text = claim.promised_text
        return self.gate is not None and text is not None and as_fraction(text) >= self.gate


def difference_claims(
    seen: Sequence[Paired], asked: AskedDifference, available: Fraction, first: Assumption
) -> tuple[list[Guarantee], Rule]:
    """One claim for each comparison, and how they share what is available.

    Models without names, and all who are not asked for a gate, have equal shares. Several gates are passed by Holm's
    steps; one after which only pass or fail is told needs all of them, and may then spend all on each. Graded losses
    have equal shares too: bets are sized for the level, so that a larger one need not promise more.
    """
    if asked.answer == "pass-fail":
        return _all_pass(seen, asked, available, first)
    named = bool(seen[0].old or seen[0].new)
    if asked.gate is not None and named and not seen[0].graded:
        return _by_steps(seen, asked, available, first), "holm"
    share = available / asked.declared
    return [difference_claim(one, asked, share, first) for one in seen], "union"


def _by_steps(
    seen: Sequence[Paired], asked: AskedDifference, available: Fraction, first: Assumption
) -> list[Guarantee]:
    """Those that pass in the order of Holm's steps, with the gate as their number; then all others, with their own.

    Where everyone passes, each has its number at an equal share as well, if that is more.
    """
    left, passed = list(seen), list[Paired]()
    steps: list[Guarantee] = []
    while left:
        share = step_share(available, asked.declared, len(passed))
        claims = [difference_claim(one, asked, share, first) for one in left]
        best = max(range(len(left)), key=lambda i: _order(claims[i]))
        if not asked.passes(claims[best]):
            return [*steps, *claims]
        steps.append(replaced(claims[best], promised_text=decimal_text(asked.gate or Fraction(0))))
        passed.append(left.pop(best))
    if asked.promise == "better" or len(passed) < asked.declared:
        return steps
    equal = [difference_claim(o, asked, available / asked.declared, first) for o in passed]
    return [e if asked.passes(e) else s for e, s in zip(equal, steps, strict=True)]


def _order(claim: Guarantee) -> tuple[float, float]:
    """The largest promise first, then the largest difference seen."""
    promised = -2.0 if claim.promised is None else float(claim.promised)
    return promised, float(claim.observed or 0)


def _all_pass(
    seen: Sequence[Paired], asked: AskedDifference, available: Fraction, first: Assumption
) -> tuple[list[Guarantee], Rule]:
    """Claims that tell nothing but that every comparison passes, or a refusal."""
    require_counted(seen[0], asked)
    named = len(seen) > 1
    share = available if named else available / asked.declared
    must = "as many as are given where all must pass"
    require(not named or asked.declared == len(seen), "rivals", must, asked.declared)
    for one in seen:
        claim = difference_claim(one, asked, share, first)
        if not asked.passes(claim):
            better = asked.promise == "better"
            what = "better" if better else f"worse by no more than {asked.margin}"
            raise CertificateRefused(
                f"Fail: from these rows it cannot be promised that the new model is {what}, where this look may fail "
                f"with probability {float(share):.3g}."
            )
    claims = [_gate_claim(one, asked, share, first) for one in seen]
    return claims, "intersection-union" if named else "union"


def require_counted(seen: Paired, asked: AskedDifference) -> None:
    """Refuse what cannot be answered by pass or fail, where no counts of rows stand for those that are not told."""
    require(not seen.graded, "answer", "'exact' for graded losses", asked.answer)
    require(seen.units is None, "answer", "'exact' with units", asked.answer)
    broken = next((known for known in seen.checked if known.status == "violated"), None)
    if broken is not None:
        why = f" ({broken.evidence})" if broken.evidence else ""
        raise CertificateRefused(f"No promise: it is not true that {broken.name}{why}.")


def _gate_claim(
    seen: Paired, asked: AskedDifference, share: Fraction, first: Assumption
) -> Guarantee:
    """The claim that a comparison passes, with the fewest counts that would do so in the place of its own."""
    gate = asked.gate
    assert gate is not None
    least = replaced(seen, only_old=passing_count(seen.rows, asked, share), only_new=0)
    claim = difference_claim(least, asked, share, first)
    return replaced(claim, observed_text=None, promised_text=decimal_text(gate))


def passing_count(rows: int, asked: AskedDifference, share: Fraction) -> int:
    """On how few rows the old model alone may be wrong, the new one alone on none, for the gate to be passed.

    Examples
    --------
    >>> passing_count(1000, AskedDifference("better"), Fraction(1, 20))
    5
    """
    gate = asked.gate
    assert gate is not None
    level = Fraction(delta_text(share))

    def passes(only_old: int) -> bool:
        if asked.promise == "better":
            return only_old > 0 and tail_at_most(0, only_old, Fraction(1, 2), level)
        return Fraction(paired_difference(only_old, 0, rows, level)) >= gate

    if passes(0):
        return 0
    # From one row on the bound falls, since the models may differ more often, and then grows.
    least = smallest_whole(passes, 0, rows)
    return least if passes(least) else next(b for b in range(1, rows) if passes(b))


def difference_claim(
    seen: Paired, asked: AskedDifference, share: Fraction, first: Assumption
) -> Guarantee:
    """What may be promised of two models, with this share of delta."""
    quantity, inputs, observed = _spoken_of(seen, asked.promise)
    numbers = () if asked.margin is None else (asked.margin,)
    of = Subject(quantity, numbers=numbers, old=seen.old, new=seen.new)
    theorem = find_theorem(_THEOREMS[quantity])
    known = [first, *_of_draws(theorem, seen)]
    return claim_by(theorem, of, {**inputs, "delta": delta_text(share)}, observed, known)


_THEOREMS: dict[Quantity, str] = {
    "better": "mcnemar-better",
    "difference": "paired-difference",
    "loss-difference": "paired-loss-difference",
    "unit-mean-difference": "unit-difference",
    "unit-mean-loss-difference": "paired-loss-difference",
}


def _of_draws(theorem: Theorem, seen: Paired) -> Iterable[Assumption]:
    """What is known of the draws of rows, said of units where a theorem speaks of these."""
    if seen.over_units and all(known.name != IID for known in seen.checked):
        each = f"each of {seen.rows:,} rows is a unit, with the mean of its losses"
        yield Assumption(IID, "assumed", each)
    for known in seen.checked:
        of_units = known.name == IID and UNITS_INDEPENDENT in theorem.assumes
        yield Assumption(UNITS_INDEPENDENT, known.status, known.evidence) if of_units else known


def _spoken_of(seen: Paired, promise: Promise) -> tuple[Quantity, dict[str, Any], Any]:
    """The quantity, the inputs of its theorem but delta, and what was observed."""
    if promise == "better":
        must = "left out where only that it is better is promised: rows are then taken one by one"
        require(seen.units is None, "unit", must, "given")
        graded = "'difference' for graded losses, of which none is right or wrong"
        require(not seen.graded, "promise", graded, promise)
    more = Fraction(seen.only_old - seen.only_new, seen.rows)
    counts = {"only_old": seen.only_old, "only_new": seen.only_new}
    if seen.units is not None:
        kinds = [list(kind) for kind in seen.units]
        total = sum((Fraction(d * many, r) for d, r, many in kinds), Fraction(0))
        mean = total / sum(many for _, _, many in kinds)
        return "unit-mean-difference", {"units": kinds}, (mean.numerator, mean.denominator)
    if seen.old_losses is not None and seen.new_losses is not None:
        pair = {"old_losses": seen.old_losses, "new_losses": seen.new_losses}
        encoded = {name: encode_losses(losses, name) for name, losses in pair.items()}
        apart = decimal_text(float(np.mean(seen.old_losses) - np.mean(seen.new_losses)))
        quantity: Quantity = "loss-difference"
        if seen.over_units:
            quantity = "unit-mean-loss-difference"
        return quantity, encoded, apart
    ratio = (more.numerator, more.denominator)
    if promise == "better":
        return "better", counts, ratio
    return "difference", {**counts, "rows": seen.rows}, ratio
