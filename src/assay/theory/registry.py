"""The catalogue of theorems: a decorator puts a function in, `theorems` takes it out."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from assay.errors import NoNumber, UnknownName
from assay.theory.claim import Claim, Condition, Known, Quantity, Role, conditions

Kind = Literal[
    "mistakes",
    "regret",
    "error",
    "rate",
    "difference",
    "absolute-error",
    "sample-size",
    "complexity",
    "training-error",
    "identity",
    "potential",
]
Holds = Literal["always", "probability", "expectation", "limit", "order"]
"""When the statement is true: on every run; with probability at least 1 - delta; in expectation;
in the limit of infinitely many examples; up to a constant that nobody states."""

P = ParamSpec("P")
R = TypeVar("R")

_CATALOGUE: dict[str, Theorem] = {}
_FOLDER = Path(__file__).parent
# What files of theorems hold, all of them; and what those hold that have been imported.
_EVERY = "theory.registry import"
_IMPORTED: set[str] = set()

Checker = Callable[[Mapping[str, Any], Fraction, bool], tuple[bool, bool]]
"""What decides a claim in whole numbers, from its inputs, the promise, and whether numbers of many digits may be used:
whether the promise follows, and whether it is as small as it can be."""


@dataclass(frozen=True)
class Theorem:
    """One theorem: what it says, what it needs, and the function that evaluates it.

    Attributes
    ----------
    id : str
        The public name, such as ``"perceptron-margin-mistakes"``.
    number : str
        Its place in the catalogue, such as ``"T01"``; empty for the modern certificates.
    kind : str
        What is bounded: mistakes, regret, error, rate (a share of which more is better), difference,
        absolute-error, sample-size, complexity, training-error, identity.
    holds : str
        ``"always"``, ``"probability"``, ``"expectation"``, ``"limit"`` or ``"order"``.
    statement : str
        The bound in LaTeX.
    needs : str
        The inputs and the values they may take.
    assumes : tuple of str
        What must be true of the data for the number to be a promise.
    source : str
        Where the theorem is published.
    textbook_id : str
        For an exact certificate, the textbook theorem whose number stands beside it.
    claims : tuple of Claim
        What a certificate may promise by it, one entry for each role; empty where none may.
    checker : callable or None
        What decides it in whole numbers, by `assay.theory.tail.integer_verifier`; None where nothing does.
    used_in : tuple of str or None
        The modules that evaluate it, state it or tell of it; None unless `theorems` was asked for all.
    """

    id: str
    number: str
    kind: Kind
    holds: Holds
    statement: str
    needs: str
    assumes: tuple[str, ...]
    source: str
    function: Callable[..., Any] | None = None
    inverse: Callable[..., Any] | None = None
    textbook_id: str = ""
    textbook_function: Callable[..., Any] | None = None
    claims: tuple[Claim, ...] = ()
    checker: Checker | None = None
    used_in: tuple[str, ...] | None = None

    def claim(self, role: Role) -> Claim | None:
        """What a certificate may promise by it in this role; None where it may not stand there."""
        return next((claim for claim in self.claims if claim.role == role), None)

    def claim_of(self, quantity: Quantity) -> Claim | None:
        """The claim that bounds this quantity; None where it does not."""
        return next((claim for claim in self.claims if quantity in claim.quantities), None)

    def known(self, role: Role) -> dict[str, Known]:
        """How each assumption may be known in this role."""
        claim = self.claim(role)
        return {} if claim is None else dict(zip(self.assumes, claim.known, strict=True))

    def parameters(self) -> dict[str, bool]:
        """The names of its inputs, and whether each must be given."""
        if self.function is None:
            return {}
        listed = _signature(self.function).parameters.values()
        return {p.name: p.default is inspect.Parameter.empty for p in listed}

    def __call__(self, **inputs: Any) -> Any:
        """The number the theorem gives for these inputs; refuses what it does not cover."""
        return _evaluated(self, self.function, inputs)

    def rows(self, **inputs: Any) -> Any:
        """How many examples make the theorem promise a given error."""
        if self.kind == "sample-size":
            return self(**inputs)
        if self.inverse is None:
            raise NoNumber(f"{self.id} does not say how many rows are enough.")
        return _evaluated(self, self.inverse, inputs)

    def textbook(self, **inputs: Any) -> float | None:
        """The number of the textbook's theorem for the same inputs; None where there is no twin."""
        if self.textbook_function is None:
            return None
        return float(_evaluated(self, self.textbook_function, inputs))

    def describe(self) -> dict[str, Any]:
        """The entry as plain data, for tables and JSON."""
        names = ("id", "number", "kind", "holds", "statement", "needs", "assumes", "source")
        entry: dict[str, Any] = {name: getattr(self, name) for name in names}
        used = {} if self.used_in is None else {"used_in": list(self.used_in)}
        return entry | {
            "assumes": list(self.assumes),
            "computable": self.function is not None,
            "textbook": self.textbook_id or None,
            **used,
        }


def theorem(
    number: str = "",
    id: str = "",
    *,
    kind: Kind,
    holds: Holds | None = None,
    statement: str,
    assumes: tuple[str, ...] = (),
    rows: Callable[..., Any] | None = None,
    textbook: tuple[str, Callable[..., Any]] | None = None,
    claim: Claim | tuple[Claim, ...] = (),
    checker: Checker | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a pure function as a theorem.

    Its id is the function's name with hyphens, unless another is given; needs and source are read from the function's
    docstring, so that they are written once. `number` is its place in the catalogue, where it has one. `holds` is
    "probability" where the function takes a `delta`, which always is a probability of failure, and else "always".
    `rows` inverts the theorem (how many examples for a given error); `textbook` is the id and the
    function, over the same inputs, of the looser classical form to show beside an exact one;
    `claim` is what a certificate may promise by it, and in which roles; `checker` decides it in
    whole numbers.
    """

    def register(function: Callable[P, R]) -> Callable[P, R]:
        needs, source = (_paragraph(function, label) for label in ("Needs", "Source"))
        may_fail = "delta" in inspect.signature(function).parameters
        claims = claim if isinstance(claim, tuple) else (claim,)
        entry = Theorem(
            id=id or function.__name__.replace("_", "-"),
            number=number,
            kind=kind,
            holds=holds or ("probability" if may_fail else "always"),
            statement=statement,
            needs=needs,
            assumes=assumes,
            source=source,
            function=function,
            inverse=rows,
            textbook_id="" if textbook is None else textbook[0],
            textbook_function=None if textbook is None else textbook[1],
            claims=claims,
            checker=checker,
        )
        _check_claims(entry)
        _add(entry)
        return function

    return register


def without_number(
    number: str, id: str, *, kind: Kind, holds: Holds, statement: str, source: str
) -> None:
    """Register a result that is listed but never evaluated: an order of growth or a limit."""
    _add(Theorem(id, number, kind, holds, statement, "nothing: it gives no number", (), source))


def _check_claims(entry: Theorem) -> None:
    claims = entry.claims
    for claim in claims:
        if len(claim.known) != len(entry.assumes):
            raise RuntimeError(
                f"the claim of {entry.id!r} must say of each of its {len(entry.assumes)} assumptions how it may "
                f"be known, but says it of {len(claim.known)}"
            )
    bare = [sentence for sentence in entry.assumes if not isinstance(sentence, Condition)]
    if claims and bare:
        raise RuntimeError(f"an assumption of {entry.id!r} has no id: {bare[0]!r}")
    if len({claim.role for claim in claims}) != len(claims):
        raise RuntimeError(f"{entry.id!r} has two claims in one role")


def _add(entry: Theorem) -> None:
    if entry.id in _CATALOGUE:
        raise RuntimeError(f"two theorems are called {entry.id!r}")
    _CATALOGUE[entry.id] = entry


def theorems(*, all: bool = False) -> list[Theorem]:
    """Every theorem assay knows, the numbered ones first and in order.

    Parameters
    ----------
    all : bool, default=False
        Whether each also says where it is used (``used_in``), which is read from the sources of the package.

    Examples
    --------
    >>> import assay
    >>> first = assay.theorems()[0]
    >>> first.id, first.kind
    ('perceptron-margin-mistakes', 'mistakes')
    """
    _load()
    listed = sorted(_CATALOGUE.values(), key=_place)
    if not all:
        return listed
    from assay.theory.speakers import speakers  # only here: it reads every file

    used = speakers()
    return [replace(entry, used_in=used[entry.id]) for entry in listed]


def _place(entry: Theorem) -> tuple[int, int, str]:
    """Numbered theorems first, then the certificates, then the potentials."""
    section, digits = entry.number[:1], entry.number[1:]
    return ("T", "", "L").index(section), int(digits or 0), entry.id


def find_theorem(id: str) -> Theorem:
    """The theorem of that id (or catalogue number); call it with its inputs by name.

    Examples
    --------
    >>> import assay
    >>> assay.theorem("perceptron-margin-mistakes")(radius=1, margin=0.1)
    100
    """
    if id not in _CATALOGUE:
        _load(f"\ndef {id.replace('-', '_')}(")
    if id in _CATALOGUE:
        return _CATALOGUE[id]  # without importing the whole catalogue
    _load()
    for entry in _CATALOGUE.values():
        if id in (entry.id, entry.number) and id:
            return entry
    close = difflib.get_close_matches(id, _CATALOGUE, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else " assay.theorems() lists them all."
    raise UnknownName(f"No theorem is called {id!r}.{hint}")


def find_condition(id: str) -> Condition:
    """The condition of that id.

    Examples
    --------
    >>> print(find_condition("independent-draws"))
    the rows are independent draws from the distribution of use
    """
    if id not in conditions():
        _load()
    if id not in conditions():
        raise UnknownName(f"No condition is called {id!r}.")
    return conditions()[id]


def claimable(*roles: Role) -> tuple[Theorem, ...]:
    """The theorems that may stand in a certificate in one of these roles.

    Examples
    --------
    >>> [entry.id for entry in claimable("choice")]
    ['occam-exact']
    """
    return tuple(entry for entry in theorems() if any(entry.claim(role) for role in roles))


def _load(holding: str = _EVERY) -> None:
    """Import the files of theorems that hold a text, all of them by default; none pulls in NumPy or SciPy."""
    if not _IMPORTED.isdisjoint((holding, _EVERY)):
        return
    files = sorted(_FOLDER.glob("*/*.py"))
    # Reading a file takes a hundredth of the time of importing it.
    names = [
        f"assay.theory.{path.parent.name}.{path.stem}"
        for path in files
        if holding.encode() in path.read_bytes()
    ]
    if not files:  # installed without its sources
        names = [module.name for module in pkgutil.walk_packages([str(_FOLDER)], "assay.theory.")]
    for name in names:
        importlib.import_module(name)
    _IMPORTED.add(holding)


def _evaluated(entry: Theorem, function: Callable[..., Any] | None, inputs: dict[str, Any]) -> Any:
    if function is None:
        why = (
            "an order of growth without constants"
            if entry.holds == "order"
            else "a statement about the limit"
        )
        raise NoNumber(f"{entry.id} is {why}: it has no number to promise.")
    try:
        _signature(function).bind(**inputs)
    except TypeError as error:
        wanted = ", ".join(_signature(function).parameters)
        raise UnknownName(f"{entry.id} takes the inputs {wanted}: {error}.") from None
    return function(**inputs)


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _paragraph(function: Callable[..., Any], label: str) -> str:
    """The text behind a label of the four-line contract in a docstring, unfolded to one line."""
    text = inspect.getdoc(function)
    if text is None:  # python -OO strips docstrings; the numbers still work
        return ""
    paragraph = re.search(rf"^{label} {{2,}}(.*(?:\n {{2,}}\S.*)*)", text, flags=re.MULTILINE)
    if paragraph is None:
        raise RuntimeError(f"the docstring of {function.__name__} has no {label!r} line")
    return " ".join(paragraph.group(1).split())
