"""What is checked of a certificate of models on the same rows as a whole: who is compared, and how delta is shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.certificates.verify.document_checks import rows_of
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.printable import printable
from assay.theory.rounding import as_fraction
from assay.theory.tail.holm import step_share

Claims = Sequence[Mapping[str, Any]]


def difference_fault(document: Mapping[str, Any]) -> str | None:
    """Why the claims cannot be about the same rows and the models that are named; None when they can."""
    data, subject, claims = document["data"], document["subject"], document["claims"]
    if {"rows_before", "target"} & set(data) or data["row_digest"] is not None:
        return "rows on which two models are compared have nothing before them, no target and no digest of each row"
    if subject["model"] is not None:
        return "a certificate of two models names no model file"
    fault = _names_fault(subject, claims)
    if fault is not None:
        return fault
    if len({(claim["quantity"], claim.get("margin")) for claim in claims}) > 1:
        return "its claims ask for different things"
    if len({claim["observed"] is None for claim in claims}) > 1:
        return "what was observed is told of some models, and not of others"
    faults = (_rows_fault(claim, data["rows"]) for claim in claims)
    return next((fault for fault in faults if fault is not None), None)


def _names_fault(subject: Mapping[str, Any], claims: Claims) -> str | None:
    """Two models without names and one claim; or one claim for each name, or for each pair of names."""
    pairs = [(claim.get("old", ""), claim.get("new", "")) for claim in claims]
    rivals = set(subject.get("rivals", {}))
    if len(set(pairs)) != len(pairs):
        return "the same thing is claimed twice"
    if not rivals:
        return None if pairs == [("", "")] else "it names models of which it holds no list"
    stray = next((n for pair in pairs for n in pair if n and n not in rivals), None)
    if stray is not None:
        return f"{printable(repr(stray), 80)} is none of the models that it lists"
    olds, news = ({pair[side] for pair in pairs} for side in (0, 1))
    if "" not in olds | news:
        # Which of them is called the best was seen in the data: so no pair may be left out.
        wanted = len(rivals) * (len(rivals) - 1)
        if len(pairs) != wanted or any(old == new for old, new in pairs):
            return f"of {len(rivals)} models every pair is claimed, both ways"
        named = {"predictions", "baseline"}
    elif news == {""}:
        named = {"baseline"}
    elif olds == {""}:
        named = {"predictions"}
    else:
        return "its claims name now the old model and now the new one"
    if "" in olds | news and olds | news != rivals | {""}:
        return "a model that it lists has no claim"
    if any(subject.get(name) is not None for name in named):
        return "a model has a digest, but no name"
    return None


def _rows_fault(claim: Mapping[str, Any], rows: int) -> str | None:
    inputs, seen = claim["inputs"], claim["observed"]
    if claim["quantity"] == "better":
        # The claim does not say how many rows there are; what was seen is a share of those that the data have.
        fits = rows >= 1 and inputs["only_old"] + inputs["only_new"] <= rows
        if seen is not None:
            fits = fits and seen == decimal_ratio(inputs["only_old"] - inputs["only_new"], rows)
    else:
        fits = rows_of(inputs) == rows
        if "new_losses" in inputs:
            fits = fits and inputs["new_losses"]["rows"] == rows
    if not fits:
        return f"the data have {rows} rows, but the claim rests on others"
    if seen is None and inputs.get("only_new") != 0:
        return "where only pass or fail is told, no row on which the new model alone is wrong stands for it"
    return None


def shares_fault(document: Mapping[str, Any], available: Fraction) -> str | None:
    """Why the claims may not spend what they spend, of what is available; None where they may."""
    delta, claims = document["delta"], document["claims"]
    declared, rule = delta["declared_models"], delta["rule"]
    shares = [as_fraction(claim["inputs"].get("delta", "0")) for claim in claims]
    if len(claims) > declared:
        return f"{len(claims)} comparisons are more than the {declared} that were declared"
    if rule == "union":
        over = max(shares) * declared > available
        return f"the claims spend more than the total {delta['total']}" if over else None
    gates = {_gate(claim) for claim in claims}
    if None in gates:
        return f"{rule} is for gates, and a claim has none"
    if any("old_losses" in claim["inputs"] for claim in claims):
        return f"{rule} needs bounds that grow with delta, which those of graded losses need not"
    passed = [_passes(claim) for claim in claims]
    if rule == "intersection-union":
        return _all_fault(claims, shares, passed, available, declared)
    return _steps_fault(claims, shares, passed, available, declared)


def _gate(claim: Mapping[str, Any]) -> Fraction | None:
    """What a promise must reach to pass; None where nothing was asked for."""
    if claim["quantity"] == "better":
        return Fraction(0)
    return -as_fraction(claim["margin"]) if "margin" in claim else None


def _passes(claim: Mapping[str, Any]) -> bool:
    gate, promised = _gate(claim), claim["promised"]
    return gate is not None and promised is not None and as_fraction(promised) >= gate


def _all_fault(
    claims: Claims, shares: list[Fraction], passed: list[bool], available: Fraction, declared: int
) -> str | None:
    """Each may spend all there is, if it passes only where all do, and then says no more than that."""
    if declared != len(claims):
        return f"{declared} comparisons were declared, and all must pass"
    if not all(passed) or any(claim["observed"] is not None for claim in claims):
        return "a certificate that is issued only where all pass tells nothing else"
    if any(as_fraction(claim["promised"]) != _gate(claim) for claim in claims):
        return "where all of delta is spent on each, no more than the gate can be promised"
    over = max(shares) > available
    return "a claim spends more than there is" if over else None


def _steps_fault(
    claims: Claims, shares: list[Fraction], passed: list[bool], available: Fraction, declared: int
) -> str | None:
    """Holm's steps: those that pass come first, each with the share of its step; the others have that of the next."""
    steps = passed.index(False) if False in passed else len(passed)
    if any(passed[steps:]):
        return "a model that passes stands behind one that does not, so that no step reached it"
    everyone = steps == declared
    for place, (claim, share) in enumerate(zip(claims, shares, strict=True)):
        number = f"claim {place + 1}"
        if share > step_share(available, declared, min(place, steps)):
            return f"{number} spends more than its step of Holm's may"
        gate = _gate(claim)
        if place >= steps or as_fraction(claim["promised"]) == gate:
            continue
        # More than the gate can be promised only of all, and then by equal shares.
        if not everyone or share * declared > available:
            return f"{number} passed a step of Holm's, which promises the gate and no more"
    return None
