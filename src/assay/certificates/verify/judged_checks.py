"""What is checked of a batch that a judge has gone through: its strata, what was seen of them, and data at hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.certificates.format.claim import (
    LOSS_SCALE,
    decode_inputs,
    encode_losses,
    label_in,
    subject_in,
)
from assay.guarantees.decimals import decimal_ratio
from assay.theory.tail.judged import MOST_LABELS

if TYPE_CHECKING:
    from assay.evidence.judged import Judged
    from assay.evidence.scored import Scored

_COUNTS = ("sizes", "labelled", "wrong")
_MOST_STRATA = 100
_MOST_COUNT = 10**9
# A residual is rounded up to the grid of a certificate, and the mean loss is twice that of residuals.
_ROUNDED = 2.02 / LOSS_SCALE


def strata_of(inputs: Mapping[str, Any]) -> list[tuple[int, int, int]] | None:
    """Sizes, labels and wrong ones of each stratum; None where a judge gave scores.

    Examples
    --------
    >>> strata_of({"strata": [[1000, 100, 80]]}), strata_of({"residuals": {}})
    ([(1000, 100, 80)], None)
    """
    if "strata" in inputs:
        return [(size, labelled, wrong) for size, labelled, wrong in inputs["strata"]]
    if "sizes" in inputs:
        return list(zip(*(inputs[name] for name in _COUNTS), strict=True))
    return None


def strata_fault(value: Any) -> str | None:
    """Why an input cannot be the strata of a batch; None when it can."""
    if not isinstance(value, list) or not 0 < len(value) <= _MOST_STRATA:
        return f"strata must be a list of at most {_MOST_STRATA}"
    for entry in value:
        whole = isinstance(entry, list) and len(entry) == 3 and all(type(n) is int for n in entry)
        if not whole or not all(0 <= n <= _MOST_COUNT for n in entry) or entry[1] > MOST_LABELS:
            return "strata must be items, labels and wrong ones of each, as many as can be verified"
    return None


def estimate_fault(claim: Mapping[str, Any]) -> str | None:
    """Whether the number that is said to be seen is the one that the inputs give."""
    inputs, observed = claim["inputs"], claim["observed"]
    strata = strata_of(inputs)
    if strata is None:
        residuals = decode_inputs(inputs)["residuals"]
        mean = inputs["scores"] / (100 * inputs["items"]) + 2 * float(residuals.mean()) - 1
        low, high = (min(max(end, 0.0), 1.0) for end in (mean - _ROUNDED, mean))
        near = observed is not None and low - 1e-12 <= float(observed) <= high + 1e-12
        if near:
            return None
        return f"{observed} is said to be observed, but the scores and labels give {mean!r}"
    right = None
    if all(labelled for _, labelled, _ in strata):
        total = sum((Fraction(size * wrong, n) for size, n, wrong in strata), Fraction(0))
        if "strata" in inputs:
            total /= sum(size for size, _, _ in strata)
        right = decimal_ratio(total.numerator, total.denominator)
    if observed == right:
        return None
    return f"{observed} is said to be observed, but the strata give {right}"


def judged_fault(document: Mapping[str, Any]) -> str | None:
    """Why a document cannot be the certificate of a judged batch; None when it can."""
    data, claims, subject = document["data"], document["claims"], document["subject"]
    if len(claims) != 1:
        return "a certificate of a judged batch promises one thing"
    if {"rows_before", "target"} & set(data) or data["row_digest"] is not None:
        return "a judged batch has nothing before it, no target and no digest of each row"
    if document["ledger"] is not None or subject["model"] is not None:
        return "a certificate of a judged batch is charged to no ledger and names no model file"
    if "wrong" in data and subject["predictions"] is not None:
        return "labels are said to be the truth, and to say what is wrong"
    if any("overlap" in known for known in claims[0]["assumptions"]):
        return "items of a judged batch are compared with no training set"
    inputs = claims[0]["inputs"]
    strata, names = strata_of(inputs), subject_in(claims[0]).strata
    if strata is None:
        items, labelled = inputs["items"], inputs["residuals"]["rows"]
        if not 0 <= inputs["scores"] <= 100 * items or labelled > items:
            return f"no scores of {items} items add up to {inputs['scores']}, or fewer than {labelled} are labelled"
        lost = "loss" in claims[0]["quantity"]
        if lost == ("wrong" in data or subject["predictions"] is not None):
            return "labels that say what is right or wrong, and losses, are not the same"
    else:
        if len(names) not in (0, len(strata)):
            return "its strata are not as many as their counts"
        if len({(type(name), name) for name in names}) != len(names):
            return "a stratum is named twice"
        items, labelled = (sum(column) for column in list(zip(*strata, strict=True))[:2])
    if items != data["rows"]:
        return f"the batch has {data['rows']} items, but its claim {items}"
    return None if labelled else "nothing is labelled"


def wrong_label(document: Mapping[str, Any]) -> Any:
    """The label that is certified to mean wrong; None where labels are the truth."""
    return label_in(document["data"]["wrong"]) if "wrong" in document["data"] else None


def unreadable(document: Mapping[str, Any], predicted: bool, losses: bool) -> str | None:
    """Why labels, with predictions or without, or losses cannot be compared; None where they can."""
    if document["data"]["role"] != "judged":
        return "the certificate is about no judged batch"
    if "loss" in document["claims"][0]["quantity"]:
        return None if losses else "labels are losses: give these"
    if losses:
        return "the certificate is about labels, and what was given are losses"
    if wrong_label(document) is not None:
        return "labels say what is wrong, and no predictions were certified" if predicted else None
    return None if predicted else "labels are the truth: give the predictions too"


def check_seen(document: Mapping[str, Any], seen: Judged | Scored) -> tuple[bool, str]:
    """What the judge said, and the labels, must be those certified, digest by digest and count by count."""
    data, subject, claim = document["data"], document["subject"], document["claims"][0]
    stated = {
        "the judge's column is": ((subject.get("judge") or {}).get("sha256"), seen.judge),
        "the labels are": (data["sha256"], seen.data),
        "the predictions are": ((subject["predictions"] or {}).get("sha256"), seen.predictions),
    }
    for what, (digest, again) in stated.items():
        if digest is not None and again != f"sha256:{digest}":
            return False, f"{what} not what was certified"
    same = _same_residuals if hasattr(seen, "residuals") else _same_strata
    if not same(claim, seen):
        return False, "what was seen is not what was certified"
    told = any(digest is not None for digest, _ in stated.values())
    return True, "digests and counts agree" if told else "counts agree; it holds no digests"


def _same_strata(claim: Mapping[str, Any], seen: Any) -> bool:
    """Whether verdicts and labels give the counts of each stratum."""
    strata, names = strata_of(claim["inputs"]), subject_in(claim).strata
    if strata is None:
        return False
    counted = list(zip(seen.sizes, seen.labelled, seen.wrong, strict=True))
    if not names:
        return sorted(strata) == sorted(counted)
    stated = dict(zip(names, strata, strict=True))
    return stated == dict(zip(seen.strata, counted, strict=True))


def _same_residuals(claim: Mapping[str, Any], seen: Any) -> bool:
    """Whether scores and labels give the residuals in their order."""
    inputs = claim["inputs"]
    if "residuals" not in inputs:
        return False
    again = encode_losses(seen.residuals, "residuals")
    stated = (inputs["residuals"], inputs["items"], inputs["scores"])
    return stated == (again, seen.items, seen.scores)
