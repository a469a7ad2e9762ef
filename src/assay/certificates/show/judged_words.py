"""A batch that a judge has gone through, in plain words."""

from __future__ import annotations

from assay.certificates.verify.judged_checks import strata_of
from assay.guarantees.decimals import shown_up
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import subject_of
from assay.theory.rounding import as_fraction

# Of more strata than this, only the sums are told.
_MOST_TOLD = 4


def is_judged(claim: Guarantee) -> bool:
    """Whether a claim rests on what a judge said of many items and people of a few."""
    return bool({"sizes", "strata", "residuals"} & set(claim.inputs))


def is_about_batch(claim: Guarantee) -> bool:
    """Whether a claim counts wrong items of a batch that a judge has gone through."""
    return claim.items is not None


def judged_seen(claim: Guarantee) -> str:
    """What was labelled, and found wrong, of which verdicts; or beside which scores.

    Examples
    --------
    >>> from assay import certify_judged
    >>> population = {"flagged": 1000, "passed": 9000}
    >>> made = certify_judged(labels={"flagged": (100, 80), "passed": (300, 3)}, population=population)
    >>> judged_seen(made.claims[0])
    "Of 1,000 items judged 'flagged', 100 are labelled and 80 of these wrong; of 9,000 judged 'passed', 300 and 3. \
That makes about 890 of all."
    >>> judged_seen(certify_judged(score=[0.25] * 50, loss={3: 0.5, 7: 0.0}).claims[0])
    'The judge finds 0.25 on average over 50 items, of which 2 are labelled; with these it is about 0.25.'
    """
    subject, strata = subject_of(claim.of), strata_of(claim.inputs)
    if strata is None:
        items, labelled = claim.inputs["items"], claim.inputs["residuals"]["rows"]
        mean = claim.inputs["scores"] / (100 * items)
        about = (
            ""
            if claim.observed is None
            else f"; with these it is about {float(claim.observed):.3g}"
        )
        return f"The judge finds {mean:.3g} on average over {items:,} items, of which {labelled:,} are labelled{about}."
    names = () if subject is None else subject.strata
    items, labelled, wrong = (sum(column) for column in zip(*strata, strict=True))
    if len(strata) > _MOST_TOLD:
        told = f"Of {items:,} items in {len(strata)} strata, {labelled:,} are labelled and {wrong:,} of these wrong"
    else:
        places = range(1, len(strata) + 1)
        judged = [f"judged {n!r}" for n in names] or [f"of stratum {place}" for place in places]
        first, *others = zip(strata, judged, strict=True)
        (size, n, k), which = first
        told = f"Of {size:,} items {which}, {n:,} are labelled and {k:,} of these wrong"
        for (size, n, k), which in others:
            told += f"; of {size:,} {which}, {n:,} and {k:,}"
    if claim.observed is None:
        return f"{told}."
    wrong_of_all = float(claim.observed) * (1 if is_about_batch(claim) else items)
    return f"{told}. That makes about {wrong_of_all:,.0f} of all."


def judged_promise(claim: Guarantee, share: str) -> str | None:
    """What may be said of the whole batch, without the end of its sentence; `share` is it in per cent.

    None where the promise is about new rows, and not about the batch.

    Examples
    --------
    >>> from assay import certify_judged
    >>> judged_promise(certify_judged(labels=[(50, 2)], population=[400]).claims[0], "11.5 %")
    'At most 46 of the 400 items of the batch are wrong (11.5 %)'
    """
    subject, text = subject_of(claim.of), claim.promised_text
    assert text is not None
    if is_about_batch(claim):
        return (
            f"At most {int(text):,} of the {claim.items:,} items of the batch are wrong ({share})"
        )
    items = claim.inputs.get("items", 0)
    if subject is not None and subject.quantity == "batch-error":
        return f"At most {int(as_fraction(text) * items):,} of the {items:,} items of the batch are wrong ({share})"
    if subject is not None and subject.quantity == "batch-mean-loss":
        return f"The mean loss over the {items:,} items of the batch is at most {shown_up(text, 4)}"
    return None
