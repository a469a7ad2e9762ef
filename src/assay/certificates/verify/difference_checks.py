"""What is compared with the certificate of two models, or more, where their predictions are at hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.certificates.format.claim import encode_losses
from assay.certificates.ledger.charges import ways_of_difference
from assay.certificates.ledger.entry import Entry, compared_query
from assay.certificates.ledger.ledger import Ledger
from assay.evidence.paired import Paired
from assay.guarantees.printable import printable
from assay.theory.registry import find_theorem
from assay.theory.rounding import as_fraction


def check_paired(
    document: Mapping[str, Any], seen: Sequence[Paired], ledger: Ledger | None = None
) -> tuple[bool, str]:
    """The truth and what the models gave must be what was certified, digest by digest and count by count."""
    data = document["data"]
    if data["role"] != "difference":
        return False, "the certificate is about one model"
    by_names = {(one.old, one.new): one for one in seen}
    wanted = {(claim.get("old", ""), claim.get("new", "")): claim for claim in document["claims"]}
    if set(by_names) != set(wanted):
        names = sorted({name for pair in set(by_names) ^ set(wanted) for name in pair if name})
        which = f", such as {printable(repr(names[0]), 80)}" if names else ""
        return False, f"the models given are not those that the certificate compares{which}"
    if seen[0].rows != data["rows"]:
        return False, f"the data have {seen[0].rows} rows"
    fault, digests = _digest_fault(document, seen)
    if fault is None and document["ledger"] is not None and ledger is not None:
        fault = _salted_fault(document, seen[0], ledger)
        digests += 1
    faults = (_counts_fault(claim, by_names[pair]) for pair, claim in wanted.items())
    fault = fault or next((one for one in faults if one is not None), None)
    if fault is not None:
        return False, fault
    return True, "digests and counts agree" if digests else "counts agree; it holds no digests"


def _digest_fault(document: Mapping[str, Any], seen: Sequence[Paired]) -> tuple[str | None, int]:
    """Whose digest is another one, and how many were compared."""
    subject, digests = document["subject"], 0
    given = {("the truth is", one.data) for one in seen}
    stated = {"the truth is": document["data"]["sha256"]}
    for one in seen:
        for name, role, digest in (
            (one.new, "predictions", one.predictions),
            (one.old, "baseline", one.baseline),
        ):
            what = "the older predictions are" if role == "baseline" else "the predictions are"
            entry = subject["rivals"][name] if name else subject.get(role)
            label = f"what {name!r} gave is" if name else what
            given.add((label, digest))
            stated[label] = (entry or {}).get("sha256")
    for what, again in sorted(given, key=str):
        digest = stated[what]
        if digest is None:
            continue
        if again != f"sha256:{digest}":
            return f"{printable(what, 120)} not what was certified", digests
        digests += 1
    return None, digests


def _salted_fault(document: Mapping[str, Any], seen: Paired, ledger: Ledger) -> str | None:
    """With a ledger the truth is compared by the digest that it holds."""
    stated = document["ledger"]
    charged = [e for e in ledger.entries(stated["holdout"]) if e.digest == stated["digest"]]
    known = [e.data for e in charged if e.data]
    same = seen.holdout is None or all(data == ledger.salted(seen.holdout) for data in known)
    return None if same else "the truth is not what was certified"


def _counts_fault(claim: Mapping[str, Any], seen: Paired) -> str | None:
    """Why what was seen of two models is not what a claim rests on; None where it is."""
    inputs = claim["inputs"]
    if claim["observed"] is None:
        return _gate_fault(claim, seen)
    if "units" in inputs:
        if seen.units is None:
            return "the certificate is about units: give them too"
        same = [list(kind) for kind in seen.units] == inputs["units"]
        return None if same else "the units are not those certified"
    if "old_losses" in inputs:
        if seen.old_losses is None or seen.new_losses is None:
            return "the certificate is about graded losses: give them"
        pair = {"old_losses": seen.old_losses, "new_losses": seen.new_losses}
        same = all(encode_losses(losses, name) == inputs[name] for name, losses in pair.items())
        return None if same else "the losses are not those certified"
    if seen.graded:
        return "the certificate is about errors, and what was given are graded losses"
    counted = (seen.only_old, seen.only_new)
    if counted == (inputs["only_old"], inputs["only_new"]):
        return None
    return f"only the old model is wrong on {counted[0]} rows, and only the new one on {counted[1]}"


def _gate_fault(claim: Mapping[str, Any], seen: Paired) -> str | None:
    """Whether counts that are not told pass the gate."""
    if seen.units is not None or seen.graded:
        return "the certificate is about rows and errors"
    theorem, inputs = find_theorem(claim["theorem"]), claim["inputs"]
    counts = {"only_old": seen.only_old, "only_new": seen.only_new}
    again = theorem(**{**inputs, **counts})
    passed = again >= as_fraction(claim["promised"])
    return None if passed else "what was seen of these models does not pass"


def difference_look(document: Mapping[str, Any], entry: Entry) -> bool:
    """Whether a ledger's entry was charged for what a certificate of several models tells."""
    claims, subject = document["claims"], document["subject"]
    named = [subject["predictions"], subject.get("baseline"), *subject.get("rivals", {}).values()]
    digests = {f"sha256:{one['sha256']}" for one in named if one is not None}
    asked = set(compared_query(digests).split()) == set(entry.query.split())
    ways = 2
    if entry.answer == "exact":
        rows = document["data"]["rows"]
        ways = math.prod(ways_of_difference(rows, c["inputs"].get("units")) for c in claims)
    return asked and int(entry.answers, 16) >= ways
