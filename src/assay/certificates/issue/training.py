"""Certificates that rest on the rows a model was fitted to."""

from __future__ import annotations

from collections.abc import Sequence

from assay.certificates.certificate import Certificate
from assay.certificates.format.document import document
from assay.errors import require
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number, as_fraction


def certify_training(
    guarantees: Sequence[Guarantee],
    *,
    rows: int,
    delta: Number = 0.05,
    model: str | None = None,
    data: str | None = None,
    drawn: str = "not stated",
) -> Certificate:
    """A certificate that rests on the training rows alone; `assay verify` recomputes it.

    Parameters
    ----------
    guarantees : sequence of Guarantee
        Those of `assay.guarantees.training` and its neighbours; what they spend together may not exceed delta. A
        holdout has its own certificate, by `assay.certify`, and is left out.
    rows : int
        The training rows.
    delta : number
        The probability that any of the promises fails.
    model, data : str, optional
        Digests of the model file and of the truth.
    drawn : str
        Where the rows come from, for the reader.

    Examples
    --------
    >>> from assay.guarantees.training import support_guarantee
    >>> certificate = certify_training([support_guarantee(27, 400)], rows=400)
    >>> certificate.error
    0.11020261197490554
    """
    total, n = delta_text(delta), count("rows", rows, at_least=1)
    claims = [g for g in guarantees if find_theorem(g.theorem).claim("training")]
    require(len(claims) >= 1, "the number of promises about training rows", "at least 1", 0)
    spent = sum(as_fraction(claim.delta) for claim in claims)
    within = spent <= as_fraction(total)
    require(within, "what the promises spend together", f"at most {total}", float(spent))
    made = document(
        claims, role="training", rows=n, delta=total, drawn=drawn, model=model, truth=data
    )
    return Certificate.issued(made)
