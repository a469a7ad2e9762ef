"""A batch that a judge has gone through, in plain words."""

from __future__ import annotations

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import subject_of

# Of more strata than this, only the sums are told.
_MOST_TOLD = 4


def is_about_batch(claim: Guarantee) -> bool:
    """Whether a claim counts wrong items of a batch that a judge has gone through."""
    return claim.items is not None


def judged_seen(claim: Guarantee) -> str:
    """What was labelled, and found wrong, of which verdicts.

    Examples
    --------
    >>> from assay import certify_judged
    >>> population = {"flagged": 1000, "passed": 9000}
    >>> made = certify_judged(labels={"flagged": (100, 80), "passed": (300, 3)}, population=population)
    >>> judged_seen(made.claims[0])
    "Of 1,000 items judged 'flagged', 100 are labelled and 80 of these wrong; of 9,000 judged 'passed', 300 and 3. \
That makes about 890 of all."
    """
    columns = [claim.inputs[name] for name in ("sizes", "labelled", "wrong")]
    strata, subject = list(zip(*columns, strict=True)), subject_of(claim.of)
    names = () if subject is None else subject.strata
    if len(strata) > _MOST_TOLD:
        items, labelled, wrong = map(sum, columns)
        told = f"Of {items:,} items in {len(strata)} strata, {labelled:,} are labelled and {wrong:,} of these wrong"
    else:
        judged = [f"judged {n!r}" for n in names] or [
            f"of stratum {i + 1}" for i in range(len(strata))
        ]
        first, *others = zip(strata, judged, strict=True)
        (size, labelled, wrong), which = first
        told = f"Of {size:,} items {which}, {labelled:,} are labelled and {wrong:,} of these wrong"
        for (size, labelled, wrong), which in others:
            told += f"; of {size:,} {which}, {labelled:,} and {wrong:,}"
    if claim.observed is None:
        return f"{told}."
    return f"{told}. That makes about {float(claim.observed):,.0f} of all."


def judged_promise(claim: Guarantee, share: str) -> str:
    """What may be said of the whole batch, without the end of its sentence; `share` is it in per cent.

    Examples
    --------
    >>> from assay import certify_judged
    >>> judged_promise(certify_judged(labels=[(50, 2)], population=[400]).claims[0], "11.5 %")
    'At most 46 of the 400 items of the batch are wrong (11.5 %)'
    """
    return f"At most {int(claim.promised or 0):,} of the {claim.items:,} items of the batch are wrong ({share})"
