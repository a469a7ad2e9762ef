"""Every learner of a comparison against every other: differences that all hold at once, so the best may be named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from assay.certificates.certificate import Certificate
from assay.certificates.issue.difference import certify_pairs
from assay.evidence.evidence import Evidence
from assay.evidence.paired import Paired, from_paired_errors
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import subject_of
from assay.tables.divide import Divided
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.difference import BOTH_FIXED_BEFORE
from assay.types import Bools


@dataclass(frozen=True)
class Judged:
    """A learner and the held-out rows that it got wrong.

    Attributes
    ----------
    learner : str
        Its name.
    wrong : array of bool
        Of each row.
    evidence : Evidence
        What was seen of it.
    """

    learner: str
    wrong: Bools
    evidence: Evidence


@dataclass(frozen=True)
class Behind:
    """By how much a learner's error is above that of the best.

    Attributes
    ----------
    learner, best : str
        Their names.
    observed : Fraction
        The difference that was seen.
    least, most : Fraction or None
        What is promised of it, of all differences at once; None where nothing is.
    """

    learner: str
    best: str
    observed: Fraction
    least: Fraction | None
    most: Fraction | None


def certify_every_pair(
    judged: Sequence[Judged], asked: int, divided: Divided, *, delta: str, drawn: str
) -> Certificate | None:
    """A claim for each pair of learners, both ways, at equal shares of half of delta; None where there is no pair.

    Which learner is called the best is seen in these rows. So no pair is picked: all of them are claimed, and share
    what is spent, and whichever is looked at afterwards was promised before.

    Parameters
    ----------
    judged : sequence of Judged
        The learners that could learn.
    asked : int
        How many were asked for: those that could not learn have their share as well.
    divided : Divided
        The rows.
    delta, drawn : str
        As in `assay.certify`.
    """
    if len(judged) < 2:
        return None
    seen = [_paired(old, new, divided) for old, new in permutations(judged, 2)]
    known = next((one for one in judged[0].evidence.checked if one.name == FIXED_BEFORE), None)
    fixed = Assumption(BOTH_FIXED_BEFORE, "not asked")
    if known is not None:
        fixed = Assumption(BOTH_FIXED_BEFORE, known.status, known.evidence)
    half = Fraction(delta) / 2
    return certify_pairs(
        seen, spend=half, declared=asked * (asked - 1), delta=delta, drawn=drawn, first=fixed
    )


def _paired(old: Judged, new: Judged, divided: Divided) -> Paired:
    """Two learners on the rows that were held out."""
    more = from_paired_errors(old.wrong, new.wrong, divided.unit)
    along = divided.known_of(new.wrong.astype(np.float64) - old.wrong)
    return replace(
        more,
        old=old.learner,
        new=new.learner,
        data=old.evidence.data,
        predictions=new.evidence.predictions,
        baseline=old.evidence.predictions,
        checked=_known(old.evidence.checked, new.evidence.checked, along),
    )


def _known(*several: tuple[Any, ...]) -> tuple[Assumption, ...]:
    """What is known of the rows: what was found to be false of one learner stands for both."""
    listed: dict[str, Assumption] = {}
    for known in several:
        for one in known:
            if one.name == FIXED_BEFORE:
                continue
            if one.name not in listed or one.status == "violated":
                listed[one.name] = one
    return tuple(listed.values())


def behind(certificate: Certificate, best: str) -> list[Behind]:
    """By how much each other learner is behind one, in the order of what was seen."""
    claims: dict[tuple[str, str], Guarantee] = {}
    for claim in certificate.claims:
        subject = subject_of(claim.of)
        assert subject is not None
        claims[subject.old, subject.new] = claim
    others = [old for old, new in claims if new == best]
    told = []
    for learner in others:
        ahead, back = claims[learner, best], claims[best, learner]
        told.append(
            Behind(
                learner,
                best,
                Fraction(ahead.observed_text or 0),
                None if ahead.promised_text is None else Fraction(ahead.promised_text),
                None if back.promised_text is None else -Fraction(back.promised_text),
            )
        )
    return sorted(told, key=lambda one: (one.observed, one.learner))
