"""One theorem applied to what was observed: the number promised beside the number seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import shown_down, shown_up
from assay.guarantees.printable import printable
from assay.theory.claim import Direction

#: The least that quantities of which more is better can be.
_LEAST = {"rate": 0, "difference": -1}


def is_vacuous(kind: str, promised: str | None, inputs: Mapping[str, Any] | None = None) -> bool:
    """Whether a promise says nothing: a rate of errors of one or more, a rate of what is right of zero, that all of the
    next rows, or of a batch, may be wrong, or a regret as large as losing everything in every round would be.
    """
    given = inputs or {}
    if promised is None:
        return False
    if kind in _LEAST:
        return float(promised) <= _LEAST[kind]
    if kind == "regret":
        most = _most_regret(given)
        return most is not None and float(promised) >= most
    most = sum(given["sizes"]) if "sizes" in given else given.get("next_rows", 1)
    return kind == "error" and float(promised) >= float(most)


def number_of(text: str | None) -> float | None:
    """The number that decimal text stands for: an integer where it is written as one.

    Examples
    --------
    >>> number_of("100"), number_of("0.05"), number_of(None)
    (100, 0.05, None)
    """
    if text is None:
        return None
    return int(text) if text.removeprefix("-").isdecimal() else float(text)


def _most_regret(inputs: Mapping[str, Any]) -> float | None:
    """What can be lost at most against anybody, where losses have a largest size; None where they have not."""
    unit = any(name in inputs for name in ("arms", "means", "gaps"))
    size = inputs.get("largest_loss", inputs.get("spread", 1 if unit else None))
    if "rounds" not in inputs or size is None:
        return None
    return float(inputs["rounds"]) * float(size)


@dataclass(frozen=True)
class Guarantee:
    """What one theorem promises about one quantity.

    Attributes
    ----------
    theorem : str
        The id of the theorem, as in `assay.theorems`.
    kind : str
        What is bounded: error, mistakes, regret, ...
    of : str
        Which quantity, such as ``"error"`` or ``"false-positive rate"``.
    promised_text : str or None
        The promised number as decimal text, or None when an assumption is violated; `promised` is the number.
    observed_text : str or None
        What was seen, as decimal text; `observed` is the number.
    delta : str
        The probability of failure this promise spends; ``"0"`` when it always holds.
    inputs : mapping
        Everything the theorem needs to give the number again.
    assumptions : tuple of Assumption
    statement : str
        The promise as a formula.
    quantifier : str
        Over what the promise holds, such as ``"probability over the holdout"``.
    certified : str
        Which predictor the promise is about, such as ``"this classifier"``.
    textbook : tuple of (str, str) or None
        The id and the number of the classical theorem beside an exact one.
    witness : tuple of str or None
        The vector that the inputs speak of, such as the separator behind a margin, as decimal text; the
        weight of the constant feature stands last. None where there is none, or it is too long to tell.
    says_from : int or None
        For a promise that says nothing, the rows from which on it would at the same share of errors, where that is
        known; certificates do not carry it.
    direction : {"at most", "at least"}
        What the promised number is to the quantity.

    Examples
    --------
    >>> from assay import certify
    >>> guarantee = certify(errors=50, rows=1000, delta=0.05).claims[0]
    >>> guarantee.holds, guarantee.vacuous, guarantee.applies
    (True, False, True)
    >>> guarantee.direction, guarantee.promised, guarantee.observed
    ('at most', 0.06286340351237975, 0.05)
    """

    theorem: str
    kind: str
    of: str
    promised_text: str | None
    observed_text: str | None
    delta: str
    inputs: Mapping[str, Any]
    assumptions: tuple[Assumption, ...] = ()
    statement: str = ""
    quantifier: str = "always"
    certified: str = "this classifier"
    textbook: tuple[str, str] | None = field(default=None)
    witness: tuple[str, ...] | None = None
    says_from: int | None = None
    direction: Direction = "at most"

    @property
    def promised(self) -> float | None:
        """The promised number; None when an assumption is violated. Whole numbers are integers."""
        return number_of(self.promised_text)

    @property
    def observed(self) -> float | None:
        """The number that was seen; None where nothing was. Whole numbers are integers."""
        return number_of(self.observed_text)

    @property
    def value(self) -> float | None:
        """The promised number as a double."""
        return None if self.promised_text is None else float(self.promised_text)

    @property
    def items(self) -> int | None:
        """How many items the batch has whose wrong ones are counted; None for any other promise."""
        return sum(self.inputs["sizes"]) if "sizes" in self.inputs else None

    @property
    def applies(self) -> bool:
        """Whether no assumption is known to be false."""
        return all(a.status != "violated" for a in self.assumptions)

    @property
    def vacuous(self) -> bool:
        """Whether a promise says nothing: a rate of one or more, or a regret no smaller than all there is to lose."""
        return is_vacuous(self.kind, self.promised_text, self.inputs)

    @property
    def holds(self) -> bool | None:
        """Whether what was seen stays within the promise; None when they cannot be compared.

        A promise in expectation says nothing about a single observation.
        """
        if self.promised is None or self.observed is None or self.quantifier == "expectation":
            return None
        if "next_rows" in self.inputs or self.items is not None:
            return None  # what was seen of some rows, and a count of others
        if self.direction == "at least":
            return float(self.observed) >= float(self.promised)
        return float(self.observed) <= float(self.promised)

    def __str__(self) -> str:
        of = printable(self.of)
        if not self.applies:
            broken = next(a for a in self.assumptions if a.status == "violated")
            why = f"because it is not true that {printable(broken.name)}"
            return f"{of}: no promise by {printable(self.theorem)}, {why}"
        text = self.promised_text
        shown = shown_down if self.direction == "at least" else shown_up
        number = "no number" if text is None else f"{self.direction} {shown(text)}"
        seen = "" if self.observed is None else f", observed {float(self.observed):.6g}"
        risk = (
            ""
            if self.delta == "0"
            else f", failing with probability at most {shown_up(self.delta, 3)}"
        )
        enough = "" if self.says_from is None else f" below {self.says_from:,} rows"
        vacuous = f" (vacuous{enough})" if self.vacuous else ""
        return f"{of}: {number}{vacuous}{seen}{risk}, by {printable(self.theorem)}"

    def _repr_html_(self) -> str:
        # By name: how it looks belongs to a room above this one.
        return str(import_module("assay.certificates.show.html").guarantee_html(self))

    def to_json(self) -> dict[str, Any]:
        """The claim as it stands in the certificate's document."""
        claim: dict[str, Any] = {
            "theorem": self.theorem,
            "statement": self.statement,
            "kind": self.kind,
            "of": self.of,
            "quantifier": self.quantifier,
            "certified": self.certified,
            "inputs": dict(self.inputs),
            "promised": self.promised_text,
            "observed": self.observed_text,
            "vacuous": self.vacuous,
            "assumptions": [a.to_json() for a in self.assumptions],
        }
        if self.direction != "at most":
            claim["direction"] = self.direction
        if self.textbook is not None:
            claim["textbook"] = {"theorem": self.textbook[0], "promised": self.textbook[1]}
        if self.witness is not None:
            claim["witness"] = list(self.witness)
        return claim

    @classmethod
    def from_json(cls, claim: Mapping[str, Any]) -> Guarantee:
        """The inverse of `to_json`."""
        beside, witness = claim.get("textbook"), claim.get("witness")
        return cls(
            theorem=claim["theorem"],
            kind=claim["kind"],
            of=claim["of"],
            promised_text=claim["promised"],
            observed_text=claim["observed"],
            delta=claim["inputs"].get("delta", "0"),
            inputs=claim["inputs"],
            assumptions=tuple(Assumption.from_json(a) for a in claim["assumptions"]),
            statement=claim["statement"],
            quantifier=claim["quantifier"],
            certified=claim["certified"],
            textbook=None if beside is None else (beside["theorem"], beside["promised"]),
            witness=None if witness is None else tuple(witness),
            direction=claim.get("direction", "at most"),
        )
