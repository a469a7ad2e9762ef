"""What is compared with a certificate where the data, or the ledger, are at hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.certificates.format.claim import role_of, subject_in
from assay.certificates.issue.claims import loss_inputs
from assay.certificates.issue.metrics import Confusion, metric_of
from assay.certificates.issue.quantity_claims import AskedQuantity, counted_within, graded_evidence
from assay.certificates.ledger.charges import ways_of
from assay.certificates.ledger.entry import Entry, query_of
from assay.certificates.ledger.ledger import Ledger
from assay.certificates.verify.document_checks import errors_of, is_salted
from assay.certificates.verify.group_checks import counted_fault
from assay.evidence.evidence import Evidence
from assay.guarantees.decimals import decimal_above
from assay.guarantees.printable import printable
from assay.theory.claim import NUMERIC
from assay.theory.rounding import as_fraction


def check_data(
    document: Mapping[str, Any], evidence: Evidence, ledger: Ledger | None
) -> tuple[bool, str]:
    """The data at hand must be the data certified, digest by digest and count by count."""
    if document["data"]["role"] == "stream":
        return _check_stream_data(document, evidence)
    if document["data"]["role"] == "training":
        return _check_training_data(document, evidence)
    if document["data"]["role"] == "difference":
        return False, "two models are compared: give the predictions of both"
    if document["data"]["role"] == "judged":
        return False, "a judge has gone through these: give its verdicts and the labels"
    predictions, truth = document["subject"]["predictions"], document["data"]["sha256"]
    digests = 0
    if predictions is not None and evidence.predictions is not None:
        if evidence.predictions != f"sha256:{predictions['sha256']}":
            return False, "the predictions are not those that were certified"
        digests += 1
    scores = document["subject"].get("scores")
    if scores is not None and evidence.scores is not None:
        if evidence.scores.digest != f"sha256:{scores['sha256']}":
            return False, "the scores are not those that were certified"
        digests += 1
    if truth is not None and evidence.data is not None:
        if evidence.data != f"sha256:{truth}":
            return False, "the truth is not the one that was certified"
        digests += 1
    if is_salted(document, evidence, ledger):
        assert ledger is not None
        assert evidence.holdout is not None
        stated = document["ledger"]
        charged = [e for e in ledger.entries(stated["holdout"]) if e.digest == stated["digest"]]
        if any(e.data not in ("", ledger.salted(evidence.holdout)) for e in charged):
            return False, "the truth is not the one that was certified"
        digests += any(e.data != "" for e in charged)
    if evidence.rows != document["data"]["rows"]:
        return False, f"the data have {evidence.rows} rows"
    fault = _count_fault(document, evidence)
    if fault is not None:
        return False, fault
    return True, "digests and counts agree" if digests else "counts agree; it holds no digests"


def _check_stream_data(document: Mapping[str, Any], evidence: Evidence) -> tuple[bool, str]:
    """The truth of a stream by its digest, and its errors where the predictions are at hand."""
    rows, truth = document["data"]["rows"], document["data"]["sha256"]
    if evidence.rows != rows:
        return False, f"the data have {evidence.rows} rows, and the stream had {rows}"
    if truth is not None and evidence.data != f"sha256:{truth}":
        return False, "the truth is not the one that was certified"
    fault = _count_fault(document, evidence)
    if fault is not None:
        return False, fault
    compared = f"the first {rows} rows have" if evidence.goes_on else f"all {rows} rows have"
    compared += " the truth that was certified" if truth is not None else " been counted"
    untold = [] if truth is not None else ["the truth"]
    if evidence.errors is None:
        untold.append("the predictions")
    else:
        compared += ", and the predictions are wrong as often as it says"
    untold.append("the features")
    if evidence.goes_on:
        untold.append("the rows after them")
    return True, f"{compared}; not compared: {', '.join(untold)}"


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


def _count_fault(document: Mapping[str, Any], evidence: Evidence) -> str | None:
    """Every count in the claims against the counts of the data."""
    for claim in document["claims"]:
        role = role_of(claim)
        if role == "class":
            fault = _class_fault(claim, evidence)
        elif role == "metric":
            fault = _metric_fault(claim, evidence)
        elif role == "score":
            from assay.certificates.verify.score_checks import score_data_fault

            fault = score_data_fault(claim, evidence)
        elif role == "group":
            fault = counted_fault(claim, evidence)
        elif role in ("holdout", "stream"):
            fault = _whole_fault(claim, evidence)
        else:
            fault = None
        if fault is not None:
            return fault
    return None


def _whole_fault(claim: Mapping[str, Any], evidence: Evidence) -> str | None:
    inputs = claim["inputs"]
    if claim["quantity"] in NUMERIC or evidence.quantities is not None:
        return _numbers_fault(claim, evidence)
    if claim["quantity"] == "mean-loss":
        if evidence.losses is None:
            return "the certificate is about losses, and what was given are labels"
        again = loss_inputs(evidence.losses, claim["theorem"])
        same = all(inputs.get(name) == value for name, value in again.items())
        return None if same else "the losses are not those that were certified"
    if evidence.losses is not None:
        return "the certificate is about errors, and what was given are graded losses"
    if "units" in inputs:
        if evidence.units is not None:
            same = [list(kind) for kind in evidence.units] == inputs["units"]
            return None if same else "the units are not those that were certified"
        stated, counted = errors_of(inputs), evidence.errors
        wrong = counted is not None and counted != stated
        return f"the data show {counted} errors, and the units {stated}" if wrong else None
    counted, stated = evidence.errors, inputs.get("errors")
    if counted is None:
        return None  # the truth alone tells nothing about errors
    # Where no count is told, the claim only says that there are no more.
    wrong = counted != stated if claim["observed"] is not None else counted > stated
    return f"the data show {counted} for '{subject_in(claim)}', not {stated}" if wrong else None


def _numbers_fault(claim: Mapping[str, Any], evidence: Evidence) -> str | None:
    """What a claim about predicted numbers rests on, made again from these."""
    quantity, inputs, seen = claim["quantity"], claim["inputs"], evidence.quantities
    if quantity not in NUMERIC:
        return "the certificate is about labels or losses, and what was given are quantities"
    if seen is None:
        return "the certificate is about quantities, and what was given are labels or losses"
    of = f"'{printable(subject_in(claim), 120)}'"
    if quantity == "absolute-error-quantile":
        if decimal_above(seen.score(inputs["rank"])) != inputs["threshold"]:
            return f"the error of rank {inputs['rank']} is not the one that was certified"
        usual = max(math.ceil((1 - as_fraction(inputs["alpha"])) * len(seen)), 1)
        same = decimal_above(seen.score(usual)) == claim["observed"]
        return None if same else f"the data show another number for {of}"
    if "within" in claim:
        counted = counted_within(evidence, AskedQuantity(within=claim["within"]))
        if quantity == "beyond":
            stated, errors = inputs["errors"], counted.errors or 0
            wrong = errors != stated if claim["observed"] is not None else errors > stated
            return f"the data show {errors} for {of}, not {stated}" if wrong else None
        if counted.units is None:
            stated = errors_of(inputs)
            wrong = counted.errors != stated
            return f"the data show {counted.errors} rows for {of}, not {stated}" if wrong else None
        same = [list(kind) for kind in counted.units] == inputs["units"]
        return None if same else "the units are not those that were certified"
    asked = AskedQuantity(
        range=claim["range"], loss="squared" if quantity == "mean-squared-error" else "absolute"
    )
    losses = graded_evidence(evidence, asked).losses
    assert losses is not None
    again = loss_inputs(losses, claim["theorem"])
    same = all(inputs.get(name) == value for name, value in again.items())
    return None if same else f"the errors are not those that were certified for {of}"


def _class_fault(claim: Mapping[str, Any], evidence: Evidence) -> str | None:
    """Rows and errors of a class, which must be one that the truth holds."""
    subject, tally = subject_in(claim), evidence.tally
    if tally is None or tally.confusion is None:
        return "the rates of classes need the truth and the predictions to be counted again"
    counted = {
        (type(label), label): (sum(row), sum(row) - row[place])
        for place, (label, row) in enumerate(zip(tally.labels, tally.confusion, strict=True))
        if sum(row)
    }
    for label in (subject.label, subject.other if subject.side else subject.label):
        if (type(label), label) not in counted:
            return f"the truth holds no label {printable(repr(label), 80)}"
    rows, errors = counted[(type(subject.label), subject.label)]  # type: ignore[index]
    stated = claim["inputs"]["rows"], claim["inputs"]["errors"]
    if (rows, errors) != stated:
        of = printable(subject, 80)
        return f"the data show {errors} of {rows} rows for '{of}', not {stated[1]} of {stated[0]}"
    return None


def _metric_fault(claim: Mapping[str, Any], evidence: Evidence) -> str | None:
    """The counts of a metric, made again from the confusion."""
    subject, tally = subject_in(claim), evidence.tally
    if tally is None or tally.confusion is None:
        return "metrics need the truth and the predictions to be counted again"
    labels = [(type(label), label) for label in tally.labels]
    if subject.label is not None and (type(subject.label), subject.label) not in labels:
        return f"the data hold no label {printable(repr(subject.label), 80)}"
    if "units" in claim["inputs"]:
        return _unit_metric_fault(claim, evidence)
    again = metric_of(subject.quantity, Confusion(tally.labels, tally.confusion), subject.label)
    stated = {name: value for name, value in claim["inputs"].items() if name != "delta"}
    if subject.quantity == "macro-f1":
        # Classes that were declared and do not occur are paid for; no row knows of them.
        kept = [cells for cells in zip(*stated.values(), strict=True) if any(cells)]
        stated = dict(zip(stated, map(list, zip(*kept, strict=True)), strict=True))
    if again.inputs != stated:
        return f"the data show other counts for '{printable(subject, 80)}'"
    return None


def _unit_metric_fault(claim: Mapping[str, Any], evidence: Evidence) -> str | None:
    """The counts of a metric of the rows of units, made again from these."""
    from assay.certificates.issue.unit_claims import AskedUnits, unit_metric

    subject, inputs = subject_in(claim), claim["inputs"]
    if evidence.unit_labels is None:
        return "the certificate is about units: give them too"
    asked = AskedUnits("rows", inputs["most_rows"])
    again = unit_metric(subject.quantity, evidence.unit_labels, subject.label, asked).inputs
    same = again["units"] == inputs["units"]
    return None if same else f"the data show other counts for '{printable(subject, 80)}'"


def _paid_for(document: Mapping[str, Any], entry: Entry) -> bool:
    """Whether the entry is about these predictions, and was charged for all that is told of them."""
    if document["data"]["role"] == "difference":
        from assay.certificates.verify.difference_checks import difference_look

        return difference_look(document, entry)
    claims, predictions = document["claims"], document["subject"]["predictions"]
    asked = None if predictions is None else f"sha256:{predictions['sha256']}"
    # A comparison is one look at all its models, which share what it may spend.
    named = entry.query.removeprefix("certify ").split()
    known = entry.query == query_of(asked) or (
        asked in named and len(named) <= document["delta"]["declared_models"]
    )
    ways = ways_of(claims, document["data"]["rows"], entry.answer)
    return known and int(entry.answers, 16) >= ways


def check_ledger(document: Mapping[str, Any], ledger: Ledger) -> tuple[bool, str]:
    """The ledger's chain holds, and its entry is the one this certificate was charged to."""
    stated = document["ledger"]
    if stated is None:
        return False, "the certificate was not charged to any ledger"
    ledger.check()
    entries = [e for e in ledger.entries(stated["holdout"]) if e.digest == stated["digest"]]
    if not entries:
        return False, "the entry named in the certificate is not in this ledger"
    entry, claims = entries[0], document["claims"]
    untold = all(claim["observed"] is None for claim in claims)
    same = (
        (entry.number, entry.previous) == (stated["entry"], stated["previous"])
        and entry.answers_before == stated["answers_before"]
        and entry.delta == document["delta"]["total"]
        and entry.answer == stated["answer"]
        and (entry.answer == "pass-fail") == untold
        and _paid_for(document, entry)
    )
    return same, f"entry {entry.number}" if same else "the ledger's entry says something else"
