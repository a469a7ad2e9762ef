"""A claim as it stands in a document: ids, fields and numbers, and no sentence; and the guarantee that it states."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

from assay.certificates.format.quantity import certified_by, formula_of
from assay.errors import BadParameter, CertificateRefused, require
from assay.guarantees.added_conditions import NOT_IN_TRAINING
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee, is_vacuous
from assay.guarantees.printable import printable
from assay.guarantees.subject import Group, Label, Subject, subject_of
from assay.theory.claim import DIFFERENCES, NUMERIC, OF_GROUP, OF_GROUPS, OF_PROBABILITIES, Role
from assay.theory.registry import find_condition, find_theorem
from assay.theory.rounding import as_fraction
from assay.theory.tail.binomial import IID

_ON_RUNS = ("mistakes", "updates", "regret")
# What speaks of a declared distance from the truth, and what of a declared range.
_WITHIN = ("beyond", "unit-mean-beyond", "unit-row-beyond", "unit-any-beyond")
_RANGED = ("mean-absolute-error", "mean-squared-error")
# What speaks of one label.
_OF_LABEL = ("class-error", "precision", "recall", "specificity", "jaccard", "f1", "auc")
# Of two models, what they are called, and by how much the new one may be worse.
_OF_TWO = ("old", "new", "margin")
_FIELDS = (
    *("label", "other", "side", "delayed", "within", "range", "floor", "group", "groups", "strata"),
    *_OF_TWO,
)
# Whole numbers of more characters are refused where a document is read.
_LONGEST = 18
# The grid on which a certificate carries losses: each is rounded up to a multiple of 1 / 65535.
LOSS_SCALE = 65_535
# What a document says of a look at the order of rows.
_ORDER = ("rows", "p_values", "alpha", "sorted_by_target")
_ENCODING = "base64 of uint16, little-endian, rounded {} to multiples of 1/65535"
_LOSS_ENCODING = _ENCODING.format("up")
#: Inputs that hold one loss for each row.
LOSS_INPUTS = {
    "losses": _LOSS_ENCODING,
    # Those of an old model may only be understated.
    "old_losses": _ENCODING.format("down"),
    "new_losses": _LOSS_ENCODING,
    # What a judge is off by.
    "residuals": _LOSS_ENCODING,
}


def claim_entry(guarantee: Guarantee) -> dict[str, Any]:
    """What a document says of a guarantee; its sentences are made again by whoever reads it.

    Examples
    --------
    >>> from assay import certify
    >>> entry = claim_entry(certify(errors=50, rows=1000).claims[0])
    >>> entry["quantity"], entry["assumptions"][0]
    ('error', {'id': 'independent-draws', 'status': 'assumed'})
    """
    stated, subject = guarantee.to_json(), subject_of(guarantee.of)
    if subject is None:
        raise BadParameter(f"No certificate speaks of {printable(guarantee.of, 80)!r}.")
    numbers = ("inputs", "promised", "observed", "textbook", "witness")
    return {
        "theorem": stated["theorem"],
        **subject_entry(subject),
        **{name: stated[name] for name in numbers if name in stated},
        "assumptions": [_assumption_entry(assumption) for assumption in guarantee.assumptions],
    }


def subject_entry(subject: Subject) -> dict[str, Any]:
    """The id of a quantity and its fields; how many rows to come, or which share of rows, stands in the inputs."""
    fields: dict[str, Any] = {"quantity": subject.quantity}
    if subject.label is not None:
        fields["label"] = label_entry(subject.label)
    if subject.side and subject.other is not None:
        fields |= {"side": subject.side, "other": label_entry(subject.other)}
    if subject.quantity in _WITHIN:
        fields["within"] = subject.numbers[0]
    if subject.quantity in _RANGED:
        fields["range"] = list(subject.numbers)
    if subject.quantity in OF_GROUP:
        fields["group"] = group_entry(subject.groups[0])
    if subject.quantity in OF_GROUPS:
        fields["groups"] = [group_entry(group) for group in subject.groups]
    if subject.strata:
        fields["strata"] = list(map(label_entry, subject.strata))
    if subject.quantity in DIFFERENCES:
        margin = subject.numbers[0] if subject.numbers else None
        named = zip(_OF_TWO, (subject.old, subject.new, margin), strict=True)
        fields |= {name: value for name, value in named if value}
    if subject.quantity == "log-loss":
        fields["floor"] = subject.numbers[0]
    return fields | ({"delayed": True} if subject.delayed else {})


def group_entry(group: Group) -> list[Any]:
    """A group in JSON: for each column its name and the level, null where it holds nothing."""
    return [[name, None if level is None else label_entry(level)] for name, level in group]


def _group_in(entry: list[Any]) -> Group:
    group = tuple((name, None if level is None else label_in(level)) for name, level in entry)
    if len({name for name, _ in group}) != len(group):
        raise CertificateRefused("A group is told twice what one column holds.")
    return group


def label_entry(label: Label) -> Any:
    """A label in JSON; what a document cannot hold as a number is text under the name of its type.

    Examples
    --------
    >>> label_entry("spam"), label_entry(1.5)
    ('spam', {'float': '1.5'})
    """
    if isinstance(label, float):
        return {"float": repr(label)}
    if type(label) is int and len(str(label)) > _LONGEST:
        return {"int": str(label)}
    return label


def label_in(entry: Any) -> Label:
    """The label that an entry of a document stands for.

    Examples
    --------
    >>> label_in("spam"), label_in({"float": "1.5"})
    ('spam', 1.5)
    """
    if not isinstance(entry, dict):
        label: Label = entry
        return label
    [(kind, text)] = entry.items()
    number = float(text) if kind == "float" else int(text)
    # One spelling only, and equal to itself: two names of one class could be claimed twice.
    if label_entry(number) != entry or not math.isfinite(number):
        raise CertificateRefused(f"A label is spelt {printable(text, 40)!r}.")
    return number


def subject_in(claim: Mapping[str, Any]) -> Subject:
    """What a claim of a document is about; refuses fields that do not belong to its quantity."""
    quantity, sided = claim["quantity"], {"side", "other"} & set(claim)
    needed: set[str] = {"label", *sided} if quantity in _OF_LABEL else set()
    needed |= {"within"} if quantity in _WITHIN else {"range"} if quantity in _RANGED else set()
    needed |= {"floor"} if quantity == "log-loss" else set()
    needed |= {"group"} if quantity in OF_GROUP else {"groups"} if quantity in OF_GROUPS else set()
    allowed = needed | ({"label", "delayed"} if quantity in _ON_RUNS else set())
    allowed |= {"strata"} if {"sizes", "strata"} & set(claim["inputs"]) else set()
    if quantity in DIFFERENCES:
        allowed = set(_OF_TWO[: 2 if quantity == "better" else 3])
    allowed |= {"label"} if quantity in OF_PROBABILITIES else set()
    fields = {name for name in _FIELDS if name in claim}
    if not needed <= fields <= allowed or len(sided) == 1:
        raise CertificateRefused(f"{quantity} is not what these fields belong to.")
    more = 0
    if quantity == "next-rows-errors":
        more = claim["inputs"].get("next_rows", 0)
        if type(more) is not int or more < 1:
            raise CertificateRefused("It is not said how many rows to come it speaks of.")
    label, other = (label_in(claim[n]) if n in claim else None for n in ("label", "other"))
    named = quantity in (*NUMERIC, "log-loss") or "margin" in claim
    numbers = _numbers_in(claim) if named else ()
    strata = tuple(map(label_in, claim.get("strata", ())))
    side, old, new = (claim.get(name, "") for name in ("side", "old", "new"))
    listed = [claim["group"]] if "group" in claim else claim.get("groups", ())
    groups, delayed = tuple(map(_group_in, listed)), "delayed" in claim
    return Subject(quantity, label, other, side, delayed, more, numbers, strata, old, new, groups)


def _numbers_in(claim: Mapping[str, Any]) -> tuple[str, ...]:
    """How far off a row may be, the declared range, the share of rows that may be off by more, or the floor."""
    if claim["quantity"] in _RANGED:
        low, high = claim["range"]
        if as_fraction(low) >= as_fraction(high):
            raise CertificateRefused(f"No range goes from {printable(low)} to {printable(high)}.")
        numbers: tuple[str, ...] = (low, high)
    elif "margin" in claim:
        numbers = (claim["margin"],)
        if as_fraction(numbers[0]) >= 1:
            raise CertificateRefused(f"A margin of {printable(numbers[0])} asks for nothing.")
    elif claim["quantity"] == "log-loss":
        if not 0 < as_fraction(claim["floor"]) < 1:
            raise CertificateRefused(f"No floor of probabilities is {printable(claim['floor'])}.")
        numbers = (claim["floor"],)
    else:
        beside = claim if claim["quantity"] in _WITHIN else claim["inputs"]
        numbers = (beside["within"] if beside is claim else beside["alpha"],)
    # One spelling only: the same thing could be claimed twice.
    odd = [text for text in numbers if decimal_text(text) != text]
    if odd:
        raise CertificateRefused(f"A number is spelt {printable(odd[0], 40)!r}.")
    return numbers


def _assumption_entry(assumption: Assumption) -> dict[str, Any]:
    if not assumption.id:
        raise BadParameter(
            f"A certificate names a condition by its id, and {printable(assumption.name, 80)!r} has none. "
            "Make it a Condition."
        )
    from assay.evidence.order_check import OrderCheck
    from assay.evidence.training_overlap import TrainingOverlap

    entry: dict[str, Any] = {"id": assumption.id, "status": assumption.status}
    evidence = assumption.evidence
    if isinstance(evidence, OrderCheck):
        return entry | {"order": {name: getattr(evidence, name) for name in _ORDER}}
    if isinstance(evidence, TrainingOverlap):
        names = ["repeated", "rows", "left_out"]
        names += ["compared", "learned"] if evidence.learned else []
        return entry | {"overlap": {name: getattr(evidence, name) for name in names}}
    return entry | ({"evidence": str(evidence)} if evidence else {})


def assumptions_in(claim: Mapping[str, Any]) -> tuple[Assumption, ...]:
    """The conditions that a claim of a document lists; refuses an id that stands for none."""
    return tuple(_assumption_in(entry) for entry in claim["assumptions"])


def _assumption_in(entry: Mapping[str, Any]) -> Assumption:
    # A bare name only stands in what was read from format 1, which could list any sentence.
    name = entry["name"] if "name" in entry else find_condition(entry["id"])
    if "order" in entry:
        return Assumption(name, entry["status"], _order_in(entry, name))
    if "overlap" not in entry:
        return Assumption(name, entry["status"], entry.get("evidence", ""))
    if name != NOT_IN_TRAINING:
        raise CertificateRefused(f"{entry['id']} is not about rows of the training set.")
    from assay.evidence.training_overlap import TrainingOverlap

    return Assumption(name, entry["status"], TrainingOverlap(**entry["overlap"]))


def _order_in(entry: Mapping[str, Any], name: str) -> Any:
    from assay.evidence.order_check import OrderCheck

    if name != IID or "overlap" in entry or "evidence" in entry:
        raise CertificateRefused(f"{entry['id']} is not about the order of rows, or not alone.")
    return OrderCheck(**entry["order"])


def role_of(claim: Mapping[str, Any]) -> Role | None:
    """Where a claim stands, by its theorem and its quantity; None where it stands nowhere."""
    terms = find_theorem(claim["theorem"]).claim_of(claim["quantity"])
    return None if terms is None else terms.role


def worded(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The claim with its sentences, made from ids and numbers alone, as `Guarantee.from_json` reads it.

    Examples
    --------
    >>> from assay import certify
    >>> worded(certify(errors=50, rows=1000).document["claims"][0])["statement"]
    'P[err_D(h) <= 0.06286340351237975] >= 1 - 0.05'
    """
    theorem, subject = find_theorem(claim["theorem"]), subject_in(claim)
    terms, assumptions = theorem.claim_of(subject.quantity), assumptions_in(claim)
    inputs, promised = claim["inputs"], claim["promised"]
    if terms is None:
        raise CertificateRefused(f"{theorem.id} does not bound {printable(subject, 80)!r}.")
    formula = str(formula_of(subject))
    if promised is None:
        statement = f"nothing is promised about {formula}"
    elif terms.role == "run":
        statement = f"{formula} <= {promised}"
    else:
        sign = "<=" if terms.direction == "at most" else ">="
        statement = f"P[{formula} {sign} {promised}] >= 1 - {inputs['delta']}"
    beside = {name: claim[name] for name in ("textbook", "witness") if name in claim}
    return {
        "theorem": claim["theorem"],
        "statement": statement,
        "kind": theorem.kind,
        "of": subject,
        "quantifier": terms.quantifier,
        "certified": certified_by(subject, assumptions),
        "inputs": inputs,
        "promised": promised,
        "observed": claim["observed"],
        "vacuous": is_vacuous(theorem.kind, promised, inputs),
        "assumptions": [assumption.to_json() for assumption in assumptions],
        **({} if terms.direction == "at most" else {"direction": terms.direction}),
        **beside,
    }


def guarantee_in(claim: Mapping[str, Any]) -> Guarantee:
    """The guarantee that a claim of a document states."""
    return Guarantee.from_json(worded(claim))


def encode_losses(values: Any, name: str = "losses") -> dict[str, Any]:
    """Losses as they stand in a certificate under a name: rounded to a grid so as to promise less, two bytes each."""
    import numpy as np

    encoding = LOSS_INPUTS[name]
    if encoding == _LOSS_ENCODING:
        grid = np.ceil(values * LOSS_SCALE)
        grid += grid / LOSS_SCALE < values
    else:
        grid = np.floor(values * LOSS_SCALE)
        grid -= grid / LOSS_SCALE > values
    data = base64.b64encode(grid.astype("<u2").tobytes()).decode()
    return {"encoding": encoding, "rows": len(values), "data": data}


def decode_inputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs as the theorem takes them: encoded losses become arrays again."""
    decoded = {name: _decoded(name, inputs[name]) for name in LOSS_INPUTS if name in inputs}
    return dict(inputs) | decoded


def _decoded(name: str, entry: Any) -> Any:
    import numpy as np

    require(isinstance(entry, dict), name, "an entry with encoding, rows and data", entry)
    encoding = entry.get("encoding")
    require(encoding == LOSS_INPUTS[name], "encoding", repr(LOSS_INPUTS[name]), encoding)
    grid = np.frombuffer(base64.b64decode(entry["data"], validate=True), dtype="<u2")
    stated = entry.get("rows")
    require(grid.size == stated, "rows", f"the {grid.size} losses given", stated)
    return grid / LOSS_SCALE
