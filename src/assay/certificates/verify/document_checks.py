"""What is checked of a certificate as a whole: seal, size, counts and delta; and what it was not compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.certificates.format.claim import LOSS_INPUTS, assumptions_in, role_of, subject_in
from assay.certificates.format.document import canonical, digest_of
from assay.guarantees.printable import printable
from assay.guarantees.subject import Subject
from assay.theory.claim import NUMERIC, OF_GROUP, OF_GROUPS, Role
from assay.theory.registry import find_theorem
from assay.theory.rounding import as_fraction
from assay.theory.tail.binomial import IID

if TYPE_CHECKING:
    from assay.certificates.ledger.ledger import Ledger
    from assay.evidence.evidence import Evidence

# A class for each of a thousand labels, or a few bounds for each, is the most that is ever issued.
MOST_CLAIMS = 4_000
# Of theorems that are decided by no whole number, each of which takes some milliseconds.
_MOST_SLOW = 64
# A tail takes time by the root of its errors.
_MOST_WORK = 50_000
_LONG = ("errors", "successes", "only_old", "only_new", "true_positives", "concordant")
# Each class of a mean over classes takes some milliseconds.
_MOST_CLASSES = 300


ISSUER = "who issued it"
LEDGER = "the ledger"


def check_seal(document: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the document is as it was issued."""
    same = digest_of(dict(document)) == document["digest"]
    return same, "unbroken" if same else "the document was changed after it was issued"


def check_size(document: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether everything there is to check can be checked in a moment; a file is not trusted."""
    claims = document["claims"]
    if len(claims) > MOST_CLAIMS:
        return False, f"{len(claims):,} claims are more than the {MOST_CLAIMS:,} that are verified"
    entries = [(find_theorem(claim["theorem"]), claim["inputs"]) for claim in claims]
    slow = sum(entry.holds != "always" and not entry.checker for entry, _ in entries)
    if slow > _MOST_SLOW:
        return (
            False,
            f"{slow} claims by such theorems are more than the {_MOST_SLOW} that are verified",
        )
    counted = [inputs for entry, inputs in entries if entry.holds != "always"]
    about = [claim.get("quantity") in OF_GROUPS for claim in claims]
    grouped = [claim["inputs"] for claim, several in zip(claims, about, strict=True) if several]
    classes = sum(
        max((len(v) for n, v in inputs.items() if n != "units" and isinstance(v, list)), default=0)
        for inputs in counted
        if inputs not in grouped
    )
    if classes > _MOST_CLASSES:
        return False, f"means over {classes:,} classes are more than can be verified in a moment"
    fault = _groups_size_fault(grouped)
    if fault is not None:
        return False, fault
    errors = [inputs[name] for inputs in counted for name in _LONG if name in inputs]
    work = sum(math.isqrt(number) for number in errors if type(number) is int and number > 0)
    if work > _MOST_WORK:
        return False, "its claims count more errors than can be verified in a moment"
    return True, f"{len(claims)} claim(s)"


def _groups_size_fault(grouped: Sequence[Mapping[str, Any]]) -> str | None:
    """Why claims about several groups take long: of each a tail is decided, or its units are gone through."""
    listed = [inputs.get("errors", inputs.get("groups")) for inputs in grouped]
    lists = [counts for counts in listed if isinstance(counts, list)]
    many = sum(len(counts) for counts in lists if all(isinstance(c, list) for c in counts))
    if many > _MOST_SLOW:
        return f"the units of {many:,} groups are more than the {_MOST_SLOW} that are verified"
    errors = [k for counts in lists for k in counts if type(k) is int and k > 0]
    # Most groups are far from the worst of them, where a tail is short.
    if sum(math.isqrt(number) for number in errors) > 2 * _MOST_WORK or len(lists) > _MOST_SLOW:
        return "its groups count more errors than can be verified in a moment"
    return None


def check_counts(document: Mapping[str, Any]) -> tuple[bool, str]:
    """Every claim stands in its role, and claims about parts fit into the whole."""
    role = document["data"]["role"]
    check = {
        "holdout": _check_holdout,
        "stream": _check_stream,
        "training": _check_training,
        "difference": _check_difference,
        "judged": _check_judged,
    }[role]
    fault = check(document)
    if fault is None and {"baseline", "rivals"} & set(document["subject"]) and role != "difference":
        fault = "an older model has no place where two models are not compared"
    if (
        fault is None
        and role != "judged"
        and ("judge" in document["subject"] or "wrong" in document["data"])
    ):
        fault = "a judge has no place where no verdicts are certified"
    if fault is None and "scores" in document["subject"] and role != "holdout":
        fault = "scores have a place in the certificate of a holdout only"
    if fault is not None:
        return False, fault
    return True, f"{document['data']['rows']} {'training ' if role == 'training' else ''}rows"


def _misplaced(document: Mapping[str, Any], roles: tuple[Role, ...]) -> str | None:
    """A claim whose theorem, or what it is claimed of, has no place in such a certificate."""
    for claim in document["claims"]:
        if role_of(claim) not in roles:
            of = printable(subject_in(claim), 80)
            role = document["data"]["role"]
            return f"{claim['theorem']} for {of!r} has no place in the certificate of a {role}"
    return None


def usual_ends(claims: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """The claims without other ends of intervals; None where one does not stand behind the usual end it belongs to."""
    kept: list[Mapping[str, Any]] = []
    behind = True
    for claim in claims:
        terms = find_theorem(claim["theorem"]).claim_of(claim["quantity"])
        if terms is None or not terms.other_end:
            kept.append(claim)
            behind = False
            continue
        if behind or _without_share(kept[-1]) != _without_share(claim):
            return None
        behind = True
    return kept


def _without_share(claim: Mapping[str, Any]) -> Any:
    """What a claim speaks of and rests on, whatever it spends."""
    counts = {name: value for name, value in claim["inputs"].items() if name != "delta"}
    subject = subject_in(claim)
    return role_of(claim), type(subject.label), subject, counts


def _check_holdout(document: Mapping[str, Any]) -> str | None:
    data = document["data"]
    order: tuple[Role, ...] = ("holdout", "class", "metric", "score", "group", "choice")
    fault = _misplaced(document, order)
    if fault is not None:
        return fault
    kept = usual_ends(document["claims"])
    if kept is None:
        return "the other end of an interval stands without the usual one, or counts other rows"
    document = {**document, "claims": kept}
    places = [order.index(role_of(claim) or "holdout") for claim in kept]
    if places == [order.index("group")]:
        return _every_group_fault(document)
    scored = set(places) == {order.index("score")}
    if places != sorted(places) or not (places[0] == 0 or scored):
        return "what a choice promises stands last, and before it classes, metrics, scores and groups, in this order"
    wholes, parts, metrics, scores, groups, chosen = (
        [c for c, place in zip(document["claims"], places, strict=True) if place == wanted]
        for wanted in range(len(order))
    )
    if len(chosen) > 1:
        return "a choice promises one thing"
    if chosen and document["ledger"] is not None:
        return "a choice is charged to no ledger"
    if "rows_before" in data:
        return "a holdout has no rows before it"
    if "target" in data:
        return "a holdout names no target"
    if len({subject_in(claim) for claim in wholes}) != len(wholes):
        return "the same thing is claimed twice"
    for claim in wholes:
        counted = rows_of(claim["inputs"])
        if counted != data["rows"]:
            return f"the data have {data['rows']} rows, but the first claim rests on {counted}"
    by_units = {"units" in claim["inputs"] for claim in wholes}
    if len(by_units) > 1 or (True in by_units and (parts or scores or chosen)):
        return "its claims speak of units and of rows"
    if scores or "scores" in document["subject"]:
        from assay.certificates.verify.score_checks import scores_fault

        fault = scores_fault(document, scores, parts + metrics)
        if fault is not None or not wholes:
            return fault
    fault = _quantities_fault(wholes, parts + metrics + scores + groups + chosen)
    if fault is not None:
        return fault
    if wholes[0]["quantity"] not in NUMERIC and len({errors_of(c["inputs"]) for c in wholes}) > 1:
        return "its claims count the errors of the same rows differently"
    fault = check_classes(wholes[0], parts) if parts else None
    if fault is None and metrics:
        from assay.certificates.verify.metric_checks import metrics_fault

        fault = metrics_fault(wholes[0], metrics, parts)
    if fault is None and groups:
        from assay.certificates.verify.group_checks import groups_fault

        fault = groups_fault(wholes[0], groups, data["rows"])
    return fault


def _every_group_fault(document: Mapping[str, Any]) -> str | None:
    """One claim about the worst of all groups, and nothing else."""
    from assay.certificates.verify.group_checks import groups_fault

    data = document["data"]
    if {"rows_before", "target"} & set(data):
        return "a holdout has no rows before it, and names no target"
    return groups_fault(None, document["claims"], data["rows"])


def _quantities_fault(
    wholes: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> str | None:
    """Why claims about predicted numbers cannot be about the same rows; None when they can, or there are none."""
    about = [claim["quantity"] in NUMERIC for claim in wholes]
    if not any(about):
        return None
    if not all(about) or others:
        return "numbers and labels were not predicted of the same rows"
    if len({claim["quantity"] for claim in wholes}) != len(wholes):
        return "the same thing is claimed twice"
    by_quantity = {claim["quantity"]: claim for claim in wholes}
    ranked, counted = map(by_quantity.get, ("absolute-error-quantile", "beyond"))
    if ranked is None or counted is None or counted["observed"] is None:
        return None
    inputs, beyond = ranked["inputs"], counted["inputs"]["errors"]
    above = inputs["rows"] - inputs["rank"]
    farther = as_fraction(counted["within"]) >= as_fraction(inputs["threshold"])
    # Beyond the error of a rank lie no more rows than are ranked above it, and short of it that row as well.
    if beyond > above if farther else beyond <= above:
        return (
            f"{beyond} rows beyond {counted['within']} do not fit an error of rank {inputs['rank']}"
        )
    return None


def rows_of(inputs: Mapping[str, Any]) -> Any:
    """How many rows a claim rests on, whatever form they have in its inputs."""
    listed = next((name for name in LOSS_INPUTS if name in inputs), None)
    if listed is not None:
        return inputs[listed]["rows"]
    if "units" in inputs:
        return sum(rows * count for _, rows, count in inputs["units"])
    return inputs["rows"]


def errors_of(inputs: Mapping[str, Any]) -> Any:
    """How many of them were wrong; None for graded losses."""
    if "units" in inputs:
        return sum(errors * count for errors, _, count in inputs["units"])
    return inputs.get("errors")


def check_classes(overall: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> str | None:
    """Why the claims about classes cannot be about the rows of the first claim; None when they can."""
    rows, errors = rows_of(overall["inputs"]), errors_of(overall["inputs"])
    if type(errors) is not int:
        return "the rates of classes need counts of errors"
    subjects = [subject_in(part) for part in parts]
    if len({(type(s.label), s.label) for s in subjects}) != len(subjects):
        return "the same thing is claimed twice"
    counted = [(part["inputs"]["rows"], part["inputs"]["errors"]) for part in parts]
    if any(n < 1 or k > n for n, k in counted):
        return "a claim about a class counts more errors than rows"
    counted_rows, counted_errors = (sum(column) for column in zip(*counted, strict=True))
    if _are_all(subjects):
        if (counted_rows, counted_errors) != (rows, errors):
            what = "rows" if counted_rows != rows else "errors"
            return (
                f"the {what} of the classes do not add up to {rows if what == 'rows' else errors}"
            )
        return _pair_fault(subjects)
    # One side of two: the other has the remaining rows, and at least one.
    if counted_rows >= rows or not 0 <= errors - counted_errors <= rows - counted_rows:
        return "a claim about some of the rows counts more than there are"
    return _pair_fault(subjects)


def _are_all(subjects: Sequence[Subject]) -> bool:
    """Whether every class has its claim: always, unless only one side of a pair was asked for."""
    return len(subjects) > 1 or not subjects[0].side


def _pair_fault(subjects: Sequence[Subject]) -> str | None:
    """Rates of false positives and negatives speak of two classes, and of each other."""
    sided = [s for s in subjects if s.side]
    if not sided:
        return None
    classes = {s.label for s in subjects} | {s.other for s in sided}
    same_side = len({s.side for s in sided}) != len(sided)
    if len(classes) != 2 or same_side or any(s.label == s.other for s in sided):
        return "rates of false positives and negatives speak of two classes"
    return None


def _check_stream(document: Mapping[str, Any]) -> str | None:
    """Claims about a run must be about this run, and none of them about a fixed model."""
    data, claims = document["data"], document["claims"]
    if len({canonical(claim) for claim in claims}) != len(claims):
        return "the same thing is claimed twice"
    fault = _misplaced(document, ("stream", "run"))
    if fault is not None:
        return fault
    fault, others = _stream_errors(claims)
    if fault is not None:
        return fault
    first = claims[0]
    if first["inputs"]["rows"] != data["rows"]:
        stated = first["inputs"]["rows"]
        return f"the stream has {data['rows']} rows, but the first claim rests on {stated}"
    if document["ledger"] is not None or data["row_digest"] is not None:
        return "a stream is charged to no ledger and has no digest of its rows"
    if document["delta"]["declared_models"] != 1:
        return "the certificate of a stream is about one model"
    errors = first["inputs"]["errors"]
    faults = (_run_fault(c, errors, data["rows"], data["rows_before"]) for c in others)
    return next((fault for fault in faults if fault is not None), None)


def _stream_errors(
    claims: Sequence[Mapping[str, Any]],
) -> tuple[str | None, Sequence[Mapping[str, Any]]]:
    """Why the claims about the error of a stream cannot stand; and those that come behind them.

    Where rows were found to be no independent draws, a second claim says that nothing is promised of new rows.
    """
    errors = [claim for claim in claims if role_of(claim) == "stream"]
    many, others = len(errors), claims[len(errors) :]
    if not 1 <= many <= 2 or any(role_of(claim) == "stream" for claim in others):
        return "the certificate of a stream promises one error, and first", others
    if many == 2:
        first, second = errors
        same = all(first[name] == second[name] for name in ("theorem", "inputs", "observed"))
        unasked, drawn = (
            next((a.status for a in assumptions_in(c) if a.id == IID.id), None) for c in errors
        )
        if not same or (unasked, drawn) != ("not asked", "violated"):
            return "the certificate of a stream promises one error, and first", others
    return None, others


def _run_fault(claim: Mapping[str, Any], errors: int, rows: int, before: int) -> str | None:
    """Whether a claim about the run agrees with the counts of the stream."""
    played, subject = rows + before, subject_in(claim)
    rounds = claim["inputs"].get("rounds")
    if rounds is not None and rounds != played:
        return f"{played} rows were played, but {claim['theorem']} rests on {rounds} rounds"
    if subject.quantity == "regret" or claim["observed"] is None:
        return None
    seen = as_fraction(claim["observed"])
    if seen > played:
        return f"there were more mistakes than the {played} rows that were played"
    alone = subject.quantity == "mistakes" and subject.label is None and not subject.delayed
    # A learner of one problem makes a mistake exactly where the stream counts an error.
    if alone and not errors <= seen <= errors + before:
        return f"{claim['observed']} mistakes are said to be observed, but the stream counts {errors} errors"
    return None


def _check_training(document: Mapping[str, Any]) -> str | None:
    """Claims about training rows must be about these, each by a theorem that allows it."""
    data, claims = document["data"], document["claims"]
    fault = _misplaced(document, ("training",))
    if fault is not None:
        return fault
    for claim in claims:
        if claim["inputs"]["rows"] != data["rows"]:
            stated = claim["inputs"]["rows"]
            return f"the data have {data['rows']} rows, but a claim rests on {stated}"
    if len({claim["theorem"] for claim in claims}) != len(claims):
        return "the same thing is claimed twice"
    if {"rows_before", "target"} & set(data) or data["row_digest"] is not None:
        return "training rows have nothing before them, no target and no digest of each row"
    if document["ledger"] is not None or document["delta"]["declared_models"] != 1:
        return "a certificate of training rows is charged to no ledger and is about one model"
    return None


def _check_difference(document: Mapping[str, Any]) -> str | None:
    """Claims about models on the same rows, and nothing that belongs to other certificates."""
    from assay.certificates.verify.difference_document import difference_fault

    return _misplaced(document, ("difference",)) or difference_fault(document)


def _check_judged(document: Mapping[str, Any]) -> str | None:
    """One claim about a batch that a judge has gone through, and nothing that belongs to other certificates."""
    fault = _misplaced(document, ("judged",))
    if fault is not None:
        return fault
    from assay.certificates.verify.judged_checks import judged_fault

    return judged_fault(document)


def check_delta(document: Mapping[str, Any]) -> tuple[bool, str]:
    """What is spent, times all that has to share it, may not exceed the total."""
    delta, ledger = document["delta"], document["ledger"]
    # A claim that must spend and does not is caught where it is checked by itself.
    claims = document["claims"]
    claimed = [[c["theorem"], c["inputs"].get("delta", "0")] for c in claims]
    if delta["spent"] != claimed:
        return False, "what is listed as spent is not what the claims spend"
    # What promises nothing cannot fail; but it stands in the file as if it spent its share.
    void = [role_of(c) == "stream" and c["promised"] is None for c in claims[1:]]
    shares = [share for (_, share), none in zip(claimed, [False, *void], strict=True) if not none]
    looks, bits = 1, "0"
    if ledger is not None:
        before = int(ledger["answers_before"], 16)
        looks = ledger["entry"] * (ledger["entry"] + 1) * before
        bits = f"{math.log2(before):.3f}"
    if delta["holdout_bits_released_before"] != bits:
        return False, f"{bits} bits were released before, not the number stated"
    total = as_fraction(delta["total"])
    if 0 < total < 1 and document["data"]["role"] == "difference":
        from assay.certificates.verify.difference_document import shares_fault

        fault = shares_fault(document, total / looks)
        return fault is None, fault or f"{len(claimed)} claim(s) share {delta['total']}"
    if delta["rule"] != "union":
        return False, f"{delta['rule']} is for models that are compared on the same rows"
    needed = sum((as_fraction(share) for share in shares), Fraction(0))
    needed *= delta["declared_models"] * looks
    if not 0 < total < 1 or needed > total:
        return False, f"the claims spend more than the total {delta['total']}"
    return True, f"{len(claimed)} claim(s) share {delta['total']}"


def not_compared(
    document: Mapping[str, Any], evidence: Evidence | None, ledger: Ledger | None
) -> tuple[str, ...]:
    """What a verifier was not given, or the certificate holds no trace of."""
    data, untold = document["data"], []
    role = data["role"]
    if role == "judged":
        return "the verdicts", "the labels", ISSUER
    if evidence is None:
        untold.append("the data")
    elif data["sha256"] is None and not is_salted(document, evidence, ledger):
        untold.append("the truth, of which it holds no digest")
    graded = document["claims"][0]["quantity"] == "mean-loss"
    numeric = evidence is not None and evidence.quantities is not None
    if role == "training":
        untold.append("the fit")
    elif role_of(document["claims"][0]) == "score":
        pass  # no labels were predicted
    elif evidence is None or (evidence.errors is None and not graded and not numeric):
        untold.append("the predictions")
    elif role == "holdout" and not graded and document["subject"]["predictions"] is None:
        untold.append("the predictions, of which it holds no digest")
    scored = any(role_of(claim) == "score" for claim in document["claims"])
    if scored and (evidence is None or evidence.scores is None):
        untold.append("the scores")
    elif scored and document["subject"].get("scores") is None:
        untold.append("the scores, of which it holds no digest")
    by_units = numeric and evidence is not None and evidence.quantities.unit is not None  # type: ignore[union-attr]
    known_units = evidence is not None and (evidence.units is not None or by_units)
    if "units" in document["claims"][0]["inputs"] and not known_units:
        untold.append("the units")
    grouped = any(claim["quantity"] in (*OF_GROUP, *OF_GROUPS) for claim in document["claims"])
    if grouped and (evidence is None or evidence.groups is None):
        untold.append("the groups")
    if ledger is None and document["ledger"] is not None:
        untold.append(LEDGER)
    elif role == "holdout" and document["ledger"] is None:
        untold.append("a ledger, for it names none")
    return (*untold, ISSUER)


def is_salted(document: Mapping[str, Any], evidence: Evidence, ledger: Ledger | None) -> bool:
    """Whether the truth is compared by the digest that the ledger holds."""
    named = document["ledger"] is not None and ledger is not None
    return named and evidence.holdout is not None
