"""What is checked of a certificate as a whole: seal, counts, delta, data and ledger."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.certificates.certify import query_of, ways_of
from assay.certificates.claims import AS_PLAYED, CHOSEN, loss_inputs
from assay.certificates.document import canonical, digest_of
from assay.certificates.evidence import Evidence
from assay.certificates.ledger import Ledger
from assay.theory.registry import find_theorem
from assay.theory.rounding import as_fraction


def check_seal(document: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the document is as it was issued."""
    same = digest_of(dict(document)) == document["digest"]
    return same, "unbroken" if same else "the document was changed after it was issued"


def check_counts(document: Mapping[str, Any]) -> tuple[bool, str]:
    """Claims about parts must fit into the whole."""
    if document["data"]["role"] == "stream":
        return _check_stream(document)
    if document["data"]["role"] == "training":
        return _check_training(document)
    claims = [claim for claim in document["claims"] if claim["of"] != CHOSEN]
    if not claims or claims != document["claims"][: len(claims)]:
        return False, "what a choice promises stands behind what the holdout does"
    if not all(find_theorem(claim["theorem"]).claim("holdout") for claim in claims):
        return False, "its theorems do not speak of a holdout"
    chosen = document["claims"][len(claims) :]
    if len(chosen) > 1 or any(claim["theorem"] != "occam-exact" for claim in chosen):
        return False, "a choice promises one thing, by occam-exact"
    if chosen and document["ledger"] is not None:
        return False, "a choice is charged to no ledger"
    if "rows_before" in document["data"]:
        return False, "a holdout has no rows before it"
    if "target" in document["data"]:
        return False, "a holdout names no target"
    rows, first = document["data"]["rows"], claims[0]["inputs"]
    whole = first["losses"]["rows"] if "losses" in first else first["rows"]
    if whole != rows:
        return False, f"the data have {rows} rows, but the first claim rests on {whole}"
    if len({claim["of"] for claim in claims}) != len(claims):
        return False, "the same thing is claimed twice"
    parts = [claim["inputs"] for claim in claims[1:]]
    if any(part["rows"] > rows or part["errors"] > first["errors"] for part in parts):
        return False, "a claim about some of the rows counts more than there are"
    classes = [c["inputs"] for c in claims if c["of"].startswith("error of class")]
    if classes and len(classes) == len(parts):
        for key, most in (("rows", rows), ("errors", first["errors"])):
            if sum(part[key] for part in classes) != most:
                return False, f"the {key} of the classes do not add up to {most}"
    return True, f"{rows} rows"


def _check_stream(document: Mapping[str, Any]) -> tuple[bool, str]:
    """Claims about a run must be about this run, and none of them about a fixed model."""
    data, claims = document["data"], document["claims"]
    rows, played = data["rows"], data["rows"] + data["rows_before"]
    if len({canonical(claim) for claim in claims}) != len(claims):
        return False, "the same thing is claimed twice"
    first, *others = claims
    if find_theorem(first["theorem"]).claim("stream") is None:
        return False, f"{first['theorem']} says nothing about a learner that changes"
    if first["inputs"]["rows"] != rows:
        stated = first["inputs"]["rows"]
        return False, f"the stream has {rows} rows, but the first claim rests on {stated}"
    for claim in others:
        if find_theorem(claim["theorem"]).holds != "always":
            return False, f"{claim['theorem']} does not hold always"
        if claim["kind"] == "mistakes" and as_fraction(claim["observed"]) > played:
            return False, f"there were more mistakes than the {played} rows that were played"
    if document["ledger"] is not None or data["row_digest"] is not None:
        return False, "a stream is charged to no ledger and has no digest of its rows"
    return True, f"{rows} rows"


def _check_training(document: Mapping[str, Any]) -> tuple[bool, str]:
    """Claims about training rows must be about these, each by a theorem that allows it."""
    data, claims = document["data"], document["claims"]
    for claim in claims:
        if claim["of"] == CHOSEN:
            return False, "a choice stands beside what a holdout promises, and never alone"
        if find_theorem(claim["theorem"]).claim("training") is None:
            return False, f"{claim['theorem']} does not allow the rows that the model was fitted to"
        if claim["inputs"]["rows"] != data["rows"]:
            stated = claim["inputs"]["rows"]
            return False, f"the data have {data['rows']} rows, but a claim rests on {stated}"
    if len({claim["theorem"] for claim in claims}) != len(claims):
        return False, "the same thing is claimed twice"
    if {"rows_before", "target"} & set(data) or data["row_digest"] is not None:
        return False, "training rows have nothing before them, no target and no digest of each row"
    if document["ledger"] is not None or document["delta"]["declared_models"] != 1:
        return (
            False,
            "a certificate of training rows is charged to no ledger and is about one model",
        )
    return True, f"{data['rows']} training rows"


def check_delta(document: Mapping[str, Any]) -> tuple[bool, str]:
    """What is spent, times all that has to share it, may not exceed the total."""
    delta, ledger = document["delta"], document["ledger"]
    # A claim that must spend and does not is caught where it is checked by itself.
    claimed = [[c["theorem"], c["inputs"].get("delta", "0")] for c in document["claims"]]
    if delta["spent"] != claimed:
        return False, "what is listed as spent is not what the claims spend"
    needed = sum((as_fraction(share) for _, share in claimed), Fraction(0))
    needed *= delta["declared_models"]
    bits = "0"
    if ledger is not None:
        before = int(ledger["answers_before"], 16)
        needed *= ledger["entry"] * (ledger["entry"] + 1) * before
        bits = f"{math.log2(before):.3f}"
    if delta["holdout_bits_released_before"] != bits:
        return False, f"{bits} bits were released before, not the number stated"
    total = as_fraction(delta["total"])
    if not 0 < total < 1 or needed > total:
        return False, f"the claims spend more than the total {delta['total']}"
    return True, f"{len(claimed)} claim(s) share {delta['total']}"


def check_data(
    document: Mapping[str, Any], evidence: Evidence, ledger: Ledger | None
) -> tuple[bool, str]:
    """The data at hand must be the data certified, digest by digest and count by count."""
    if document["data"]["role"] == "stream":
        return _check_stream_data(document, evidence)
    if document["data"]["role"] == "training":
        return _check_training_data(document, evidence)
    predictions, truth = document["subject"]["predictions"], document["data"]["sha256"]
    if predictions is not None and evidence.predictions not in (
        None,
        f"sha256:{predictions['sha256']}",
    ):
        return False, "the predictions are not those that were certified"
    if truth is not None and evidence.data not in (None, f"sha256:{truth}"):
        return False, "the truth is not the one that was certified"
    if document["ledger"] is not None and ledger is not None and evidence.holdout is not None:
        stated = document["ledger"]
        charged = [e for e in ledger.entries(stated["holdout"]) if e.digest == stated["digest"]]
        if any(e.data not in ("", ledger.salted(evidence.holdout)) for e in charged):
            return False, "the truth is not the one that was certified"
    if evidence.rows != document["data"]["rows"]:
        return False, f"the data have {evidence.rows} rows"
    return _compared(document, evidence)


def _check_stream_data(document: Mapping[str, Any], evidence: Evidence) -> tuple[bool, str]:
    """The truth of a stream by its digest, and its errors where the predictions are at hand."""
    rows, truth = document["data"]["rows"], document["data"]["sha256"]
    if evidence.rows != rows:
        return False, f"the data have {evidence.rows} rows, and the stream had {rows}"
    if truth is not None and evidence.data != f"sha256:{truth}":
        return False, "the truth is not the one that was certified"
    same, why = _compared(document, evidence)
    if not same:
        return False, why
    told = f"the first {rows} rows have" if evidence.goes_on else f"all {rows} rows have"
    told += " the truth that was certified" if truth is not None else " been counted"
    untold = [] if truth is not None else ["the truth"]
    if evidence.errors is None:
        untold.append("the predictions")
    else:
        told += ", and the predictions are wrong as often as it says"
    untold.append("the features")
    if evidence.goes_on:
        untold.append("the rows after them")
    return True, f"{told}; not compared: {', '.join(untold)}"


def _check_training_data(document: Mapping[str, Any], evidence: Evidence) -> tuple[bool, str]:
    """The truth of training rows by its digest; what else the claims rest on, no prediction tells."""
    rows, truth = document["data"]["rows"], document["data"]["sha256"]
    if evidence.rows != rows:
        return False, f"the data have {evidence.rows} rows"
    if truth is None:
        return True, f"{rows} rows; not compared: the truth, the kept rows and the margins"
    if evidence.data != f"sha256:{truth}":
        return False, "the truth is not the one that was certified"
    return True, f"all {rows} rows have the truth that was certified; not compared: the kept rows"


def _compared(document: Mapping[str, Any], evidence: Evidence) -> tuple[bool, str]:
    """Every count in the claims against the counts of the data."""
    for claim in document["claims"]:
        if claim["of"] == "mean loss" and evidence.losses is not None:
            again = loss_inputs(evidence.losses, claim["theorem"])
            if any(claim["inputs"].get(name) != value for name, value in again.items()):
                return False, "the losses are not those that were certified"
        stated = claim["inputs"].get("errors")
        found = _errors_of(claim["of"], evidence)
        if not isinstance(stated, int) or found is None:
            continue
        told = claim["observed"] is not None
        if found != stated if told else found > stated:
            return False, f"the data show {found} for '{claim['of']}', not {stated}"
    return True, "digests and counts agree"


def _errors_of(of: str, evidence: Evidence) -> int | None:
    if of in ("error", AS_PLAYED):
        return evidence.errors
    tally = evidence.tally
    if tally is None or tally.confusion is None:
        return None
    for label, row, place in zip(
        tally.labels, tally.confusion, range(len(tally.labels)), strict=True
    ):
        if of == f"error of class {label!r}" or f"rate: {label!r} taken for" in of:
            return sum(row) - row[place]
    return None


def check_ledger(document: Mapping[str, Any], ledger: Ledger) -> tuple[bool, str]:
    """The ledger's chain holds, and its entry is the one this certificate was charged to."""
    stated = document["ledger"]
    if stated is None:
        return False, "the certificate was not charged to any ledger"
    ledger.check()
    found = [e for e in ledger.entries(stated["holdout"]) if e.digest == stated["digest"]]
    if not found:
        return False, "the entry named in the certificate is not in this ledger"
    entry, claims = found[0], document["claims"]
    predictions = document["subject"]["predictions"]
    asked = None if predictions is None else f"sha256:{predictions['sha256']}"
    # A comparison is one look at all its models, which share what it may spend.
    named = entry.query.removeprefix("certify ").split()
    known = entry.query == query_of(asked) or (
        asked in named and len(named) <= document["delta"]["declared_models"]
    )
    ways = ways_of(
        document["data"]["rows"],
        len(claims),
        entry.answer,
        graded=claims[0]["of"] == "mean loss",
        units=claims[0]["inputs"].get("units"),
    )
    untold = all(claim["observed"] is None for claim in claims)
    same = (
        (entry.number, entry.previous) == (stated["entry"], stated["previous"])
        and entry.answers_before == stated["answers_before"]
        and entry.delta == document["delta"]["total"]
        and entry.answer == stated["answer"]
        and (entry.answer == "pass-fail") == untold
        and known
        and int(entry.answers, 16) >= ways
    )
    return same, f"entry {entry.number}" if same else "the ledger's entry says something else"
