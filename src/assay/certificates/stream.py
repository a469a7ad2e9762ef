"""The certificate of a stream: every row was predicted before its truth was used.

It holds the progressive error of the run, valid at whatever moment the stream was ended, and the bounds
on mistakes and regret that hold on every run and spend nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay import __version__
from assay.certificates.assumption import Assumption
from assay.certificates.certificate import Certificate
from assay.certificates.claims import AS_PLAYED, certified_by, formula_of, quantifier_of, statement
from assay.certificates.conditions import KNOWN_BEFORE as KNOWN_BEFORE
from assay.certificates.conditions import SCALED as SCALED
from assay.certificates.decimals import decimal_above, decimal_ratio, delta_text
from assay.certificates.document import FORMAT
from assay.certificates.guarantee import Guarantee
from assay.certificates.run_checks import CERTIFIED, KINDS, QUANTIFIER
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST, progressive_anytime


def certify_stream(
    *,
    rows: int,
    errors: int,
    delta: Number = 0.05,
    guarantees: Sequence[Guarantee] = (),
    known: Sequence[Assumption] = (),
    rows_before: int = 0,
    data: str | None = None,
    target: str | None = None,
    model: str | None = None,
    drawn: str = "not stated",
) -> Certificate:
    """Certify what a learner did on a stream, however and whenever the stream ended.

    Parameters
    ----------
    rows : int
        How many rows were predicted and then learned.
    errors : int
        How many of them were predicted wrongly.
    delta : number
        The probability that the promise about the error fails.
    guarantees : sequence of Guarantee
        What the learner's theorems say; those that hold always, and apply, become claims.
    known : sequence of Assumption
        Further conditions of the promise about the error.
    rows_before : int
        How many rows the learner had learned from before this stream.
    data, model : str, optional
        Digests of the truth and of the model file.
    target : str, optional
        The column that the truth stands in, for whoever has the table.
    drawn : str
        Where the rows come from, for the reader.

    Examples
    --------
    >>> print(certify_stream(rows=1000, errors=50))
    mean error of the hypotheses as they were played: at most 0.0760163, observed 0.05, \
failing with probability at most 0.05, by progressive-anytime
    """
    n, before = count("rows", rows, at_least=1), count("rows_before", rows_before)
    total = delta_text(delta)
    claims = [progressive_claim(errors, n, total, known)]
    claims += [g for g in guarantees if _is_certain(g)]
    document = {
        "format": FORMAT,
        "subject": {
            "model": None if model is None else {"sha256": model.removeprefix("sha256:")},
            "predictions": None,
        },
        "data": {
            "role": "stream",
            "rows": n,
            "rows_before": before,
            "sha256": None if data is None else data.removeprefix("sha256:"),
            "row_digest": None,
            "drawn": drawn,
            **({} if target is None else {"target": target}),
        },
        "claims": [claim.to_json() for claim in claims],
        "delta": {
            "total": total,
            "spent": [[claim.theorem, claim.delta] for claim in claims],
            "rule": "union",
            "declared_models": 1,
            "holdout_bits_released_before": "0",
        },
        "ledger": None,
        "software": {"assay": __version__, "rounding": "outward, decided in integers"},
        "verify": "assay verify FILE recomputes every promised number from the inputs in this file",
    }
    return Certificate.issued(document)


def progressive_claim(
    errors: int, rows: int, delta: str, known: Sequence[Assumption] = ()
) -> Guarantee:
    """The promise about the mean error of all hypotheses of the run."""
    theorem = find_theorem("progressive-anytime")
    inputs: dict[str, Any] = {"errors": count("errors", errors), "rows": rows, "delta": delta}
    assumptions = (
        *(
            Assumption(name, "by construction" if name == PREDICTED_FIRST else "assumed")
            for name in theorem.assumes
        ),
        *known,
    )
    promised = None
    if all(a.status != "violated" for a in assumptions):
        promised = decimal_above(min(progressive_anytime(**inputs), 1.0))
    return Guarantee(
        theorem=theorem.id,
        kind=theorem.kind,
        of=AS_PLAYED,
        promised=promised,
        observed=decimal_ratio(errors, rows),
        delta=delta,
        inputs=inputs,
        assumptions=assumptions,
        statement=statement(str(formula_of(AS_PLAYED)), promised, delta),
        quantifier=quantifier_of(theorem.id),
        certified=certified_by(AS_PLAYED, assumptions),
    )


def _is_certain(guarantee: Guarantee) -> bool:
    """Whether a guarantee holds on every run, applies to this one, and can stand in a certificate."""
    return (
        guarantee.kind in KINDS
        and guarantee.quantifier == QUANTIFIER
        and guarantee.certified == CERTIFIED
        and guarantee.applies
        and guarantee.promised is not None
        and guarantee.observed is not None
    )
