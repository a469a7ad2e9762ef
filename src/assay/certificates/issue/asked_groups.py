"""What `certify` was asked for of groups: beside the error, or of every group alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from assay.certificates.issue.group_claims import (
    every_group_claim,
    group_claims,
    passed_claim,
    require_passed,
)
from assay.errors import require
from assay.evidence.evidence import Evidence
from assay.guarantees.guarantee import Guarantee
from assay.theory.needs import inside_unit
from assay.theory.tail.union import split

if TYPE_CHECKING:
    from assay.certificates.issue.asked import Asked


def check_groups(asked: Asked) -> None:
    """Refuse with groups what is only promised of all rows together."""
    asked.check_plain("with groups")
    require(asked.next_rows is None, "next_rows", "left out with groups", asked.next_rows)
    over = asked.over.over
    require(over == "units", "over", "'units', or left out, with groups", over)
    told = asked.answer != "pass-fail" or asked.every_group
    require(told, "answer", "'exact' with groups, unless every_group is asked for", asked.answer)
    if asked.every_group:
        must = "left out with every_group, which promises nothing else"
        require(not asked.rates, "rates", must, list(asked.rates))
        if asked.max_error is not None:
            inside_unit("max_error", asked.max_error)


def claims_with_groups(
    asked: Asked, evidence: Evidence, available: Fraction, *, list_losses: bool
) -> list[Guarantee]:
    """The usual claims and then those about groups, or that about every group alone."""
    if asked.every_group:
        [share] = split(available, 1)
        if asked.answer == "exact":
            return [every_group_claim(evidence, share)]
        assert asked.max_error is not None
        return [passed_claim(evidence, share, asked.max_error)]
    # The error keeps half of what there is; where there are further rates, they and the groups share the rest.
    part = available / (4 if asked.rates else 2)
    usual = replace(asked, further=part if asked.rates else None)
    alone = replace(evidence, groups=None)
    claims = usual.claims(alone, available - part, list_losses=list_losses)
    return claims + group_claims(evidence, part)


def require_every_group(asked: Asked, evidence: Evidence, claims: Sequence[Guarantee]) -> None:
    """Refuse where some group misses the error that was asked for: last, since a look is paid for before it tells."""
    if asked.max_error is not None:
        require_passed(evidence, claims[0], asked.max_error)
