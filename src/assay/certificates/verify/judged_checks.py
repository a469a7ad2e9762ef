"""What is checked of a batch that a judge has gone through: its strata, what was seen of them, and data at hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.certificates.format.claim import label_in, subject_in
from assay.guarantees.decimals import decimal_ratio

if TYPE_CHECKING:
    from assay.evidence.judged import Judged

_COUNTS = ("sizes", "labelled", "wrong")


def estimate_fault(claim: Mapping[str, Any]) -> str | None:
    """Whether the number that is said to be seen is the one that the strata give."""
    strata = list(zip(*(claim["inputs"][name] for name in _COUNTS), strict=True))
    right = None
    if all(labelled for _, labelled, _ in strata):
        total = sum((Fraction(size * wrong, n) for size, n, wrong in strata), Fraction(0))
        right = decimal_ratio(total.numerator, total.denominator)
    observed = claim["observed"]
    return (
        None
        if observed == right
        else f"{observed} is said to be observed, but the strata give {right}"
    )


def judged_fault(document: Mapping[str, Any]) -> str | None:
    """Why a document cannot be the certificate of a judged batch; None when it can."""
    data, claims, subject = document["data"], document["claims"], document["subject"]
    if len(claims) != 1:
        return "a certificate of a judged batch promises one thing"
    if {"rows_before", "target"} & set(data) or data["row_digest"] is not None:
        return "a judged batch has nothing before it, no target and no digest of each row"
    if document["ledger"] is not None or subject["model"] is not None:
        return "a certificate of a judged batch is charged to no ledger and names no model file"
    columns = [claims[0]["inputs"][name] for name in _COUNTS]
    names = subject_in(claims[0]).strata
    if len({len(column) for column in columns}) != 1 or len(names) not in (0, len(columns[0])):
        return "its strata are not as many as their counts"
    if len({(type(name), name) for name in names}) != len(names):
        return "a stratum is named twice"
    if sum(columns[0]) != data["rows"]:
        return f"the batch has {data['rows']} items, but its strata {sum(columns[0])}"
    if not any(columns[1]):
        return "nothing is labelled"
    if "wrong" in data and subject["predictions"] is not None:
        return "labels are said to be the truth, and to say what is wrong"
    return None


def wrong_label(document: Mapping[str, Any]) -> Any:
    """The label that is certified to mean wrong; None where labels are the truth."""
    return label_in(document["data"]["wrong"]) if "wrong" in document["data"] else None


def unreadable(document: Mapping[str, Any], predicted: bool) -> str | None:
    """Why verdicts and labels, with predictions or without, cannot be compared; None where they can."""
    if document["data"]["role"] != "judged":
        return "the certificate is about no judged batch"
    if wrong_label(document) is not None:
        return "labels say what is wrong, and no predictions were certified" if predicted else None
    return None if predicted else "labels are the truth: give the predictions too"


def check_strata(document: Mapping[str, Any], seen: Judged) -> tuple[bool, str]:
    """The verdicts and labels must be those certified, digest by digest and stratum by stratum."""
    data, subject, claim = document["data"], document["subject"], document["claims"][0]
    stated = {
        "the verdicts are": ((subject.get("judge") or {}).get("sha256"), seen.judge),
        "the labels are": (data["sha256"], seen.data),
        "the predictions are": ((subject["predictions"] or {}).get("sha256"), seen.predictions),
    }
    for what, (digest, again) in stated.items():
        if digest is not None and again != f"sha256:{digest}":
            return False, f"{what} not what was certified"
    certified = _by_name(subject_in(claim).strata, *(claim["inputs"][name] for name in _COUNTS))
    counted = _by_name(seen.strata, seen.sizes, seen.labelled, seen.wrong)
    if not subject_in(claim).strata:
        same = sorted(certified.values()) == sorted(counted.values())
    else:
        same = certified == counted
    if not same:
        return False, "the counts of the strata are not those certified"
    told = any(digest is not None for digest, _ in stated.values())
    return True, "digests and counts agree" if told else "counts agree; it holds no digests"


def _by_name(names: Any, *columns: Any) -> dict[Any, tuple[int, ...]]:
    strata = zip(*columns, strict=True)
    return dict(zip(names or range(len(columns[0])), strata, strict=True))
