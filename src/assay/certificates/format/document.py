"""The certificate as a file: canonical JSON, its digest, its format number, its schema.

Format 2 holds ids, fields and numbers. What people read (the words for a quantity, its formula, over what a promise
holds, the predictor it is about, the sentences of conditions) is made from them by `worded` of `format/claim.py`, and
so is whether a bound is vacuous. No sentence stands beside them, not even for display: it could contradict them,
and a verifier would have to compare it. Text that is only told (`drawn`, the evidence of a condition) no program reads.

How to raise FORMAT: add a schema file for the new number; write the new form in `document` and in `format/claim.py`;
freeze the reader of the old form in a module of its own, as `format_1.py` does, which turns such a document into the
new form and refuses what it cannot say there; name it in `inner`; keep the old schema and the golden files of the
old format in the tests; and say in the changelog what changed and why.

Canonical form (RFC 8785): keys sorted, no white space, UTF-8. Numbers that matter are decimal text
and all others are whole, so the rules for floats never come into play; a float is refused.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import fastjsonschema

from assay import __version__
from assay.certificates.format.claim import claim_entry
from assay.errors import BadData, CertificateRefused
from assay.guarantees.guarantee import Guarantee

if TYPE_CHECKING:
    from assay.certificates.ledger.entry import Entry

FORMAT = 2

Rule = Literal["union", "holm", "intersection-union"]

_SCHEMAS = {1: "certificate.schema.json", 2: "certificate-2.schema.json"}

# Counts of rows fit easily; longer numbers could only be there to keep a reader busy.
_MOST_DIGITS = 18
# No certificate that is issued comes near these; junk is refused before it is read.
_MOST_BYTES = 8 * 2**20
_MOST_ENTRIES, _MOST_NESTED = 400_000, 100_000


def document(
    claims: Sequence[Guarantee],
    *,
    role: Literal["holdout", "stream", "training", "difference", "judged"],
    rows: int,
    delta: str,
    drawn: str,
    model: str | None = None,
    predictions: str | None = None,
    baseline: str | None = None,
    judge: str | None = None,
    rivals: Mapping[str, str | None] | None = None,
    scores: str | None = None,
    truth: str | None = None,
    row_digest: str | None = None,
    declared: int = 1,
    rule: Rule = "union",
    entry: Entry | None = None,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Guarantees as a document that is still to be sealed.

    Parameters
    ----------
    claims : sequence of Guarantee
        What is promised.
    role : {"holdout", "stream", "training", "difference", "judged"}
        What the rows were to the model, or to two of them, or to a judge.
    rows : int
        How many there are.
    delta : str
        The probability that any of the promises fails.
    drawn : str
        Where the rows come from, for the reader.
    model, predictions, baseline, judge, scores, truth, row_digest : str, optional
        Digests of the model file, the predictions, those of an older model, the verdicts of a judge, the scores, the
        truth and the distinct rows.
    rivals : mapping, optional
        The names of models that are compared, each with the digest of its predictions.
    declared : int, default=1
        How many models share what is spent.
    rule : {"union", "holm", "intersection-union"}
        How they share it, where models are compared: equally, by Holm's steps, or not at all, since every
        comparison must pass.
    entry : Entry, optional
        What a ledger was charged for it.
    more : mapping, optional
        What else there is to say of the rows: how many came before a stream, and the column of its truth; and which
        label means that an item is wrong.
    """
    return {
        "format": FORMAT,
        "subject": {
            "model": _hashed(model),
            "predictions": _hashed(predictions),
            **({} if baseline is None else {"baseline": _hashed(baseline)}),
            **({} if judge is None else {"judge": _hashed(judge)}),
            **({} if rivals is None else {"rivals": {n: _hashed(d) for n, d in rivals.items()}}),
            **({} if scores is None else {"scores": _hashed(scores)}),
        },
        "data": {
            "role": role,
            "rows": rows,
            **(more or {}),
            "sha256": _hex(truth),
            "row_digest": _hex(row_digest),
            "drawn": drawn,
        },
        "claims": [claim_entry(claim) for claim in claims],
        "delta": {
            "total": delta,
            "spent": [[claim.theorem, claim.delta] for claim in claims],
            "rule": rule,
            "declared_models": declared,
            "holdout_bits_released_before": f"{entry.bits_before:.3f}" if entry else "0",
        },
        "ledger": None if entry is None else _charged(entry),
        "software": {"assay": __version__},
    }


def _charged(entry: Entry) -> dict[str, Any]:
    return {
        "holdout": entry.holdout,
        "entry": entry.number,
        "answers_before": entry.answers_before,
        "answer": entry.answer,
        "previous": entry.previous,
        "digest": entry.digest,
    }


def _hex(digest: str | None) -> str | None:
    return None if digest is None else digest.removeprefix("sha256:")


def _hashed(digest: str | None) -> dict[str, str] | None:
    return None if digest is None else {"sha256": digest.removeprefix("sha256:")}


def inner(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document in the newest form, whatever format it has.

    Raises
    ------
    CertificateRefused
        Where an older one says what the newest form cannot say.
    """
    if document["format"] != 1:
        return document
    from assay.certificates.format.format_1 import from_format_1

    return from_format_1(document)


def canonical(document: Any) -> bytes:
    """The one byte string that stands for a document.

    Examples
    --------
    >>> canonical({"rows": 3, "delta": "0.05"})
    b'{"delta":"0.05","rows":3}'
    """
    _refuse_floats(document)
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def _refuse_floats(node: Any) -> None:
    if isinstance(node, float):
        raise TypeError(f"a document holds the float {node!r}; write it as decimal text")
    for child in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        _refuse_floats(child)


def digest_of(document: dict[str, Any]) -> str:
    """The digest of a document without its own ``digest`` entry."""
    body = {key: value for key, value in document.items() if key != "digest"}
    return "sha256:" + hashlib.sha256(canonical(body)).hexdigest()


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the digest that makes any later change visible."""
    return document | {"digest": digest_of(document)}


def require_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a place that cannot be written to, before any work is done for it."""
    folder = Path(path).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK) or Path(path).is_dir():
        raise BadData(f"{path} cannot be written: {folder} is no folder that can be written to.")


def write_document(document: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a document so that a crash leaves either the old file or the new one, never half."""
    from assay.whole_file import whole_file

    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    with whole_file(path) as file:
        file.write(text.encode())


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a certificate's document and refuse what is not one, with the reason."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror}.") from None
    return parse_document(raw, str(path))


def read_in_memory(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document that was read or made already, refused as a file of it would be."""
    try:
        text = json.dumps(dict(document))
    except (TypeError, ValueError, RecursionError) as error:
        raise CertificateRefused(f"the document is not a certificate: {error}.") from None
    return parse_document(text)


def parse_document(raw: bytes | str, name: str = "the document") -> dict[str, Any]:
    """Parse and check the shape of a certificate's document."""
    _refuse_too_large(raw, name)
    try:
        document = json.loads(
            raw,
            object_pairs_hook=_without_repeats,
            parse_int=_whole,
            parse_float=_no_float,
            parse_constant=_no_float,
        )
        canonical(document)
    except (UnicodeDecodeError, UnicodeEncodeError):
        raise CertificateRefused(f"{name} is not a certificate: it is not UTF-8 text.") from None
    except RecursionError:
        raise CertificateRefused(f"{name} is not a certificate: it is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise CertificateRefused(
            f"{name} is damaged or not a certificate: {error.msg} at line {error.lineno}, "
            f"column {error.colno}."
        ) from None
    if not isinstance(document, dict) or "format" not in document:
        raise CertificateRefused(f"{name} is not a certificate: it has no format number.")
    number = document["format"]
    if type(number) is int and number > FORMAT:
        raise CertificateRefused(
            f"{name} has format {number}, but this version of assay reads up to format {FORMAT}. "
            "Upgrade assay to check it."
        )
    _check_shape(document, name)
    return document


def _refuse_too_large(raw: bytes | str, name: str) -> None:
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    if len(data) > _MOST_BYTES:
        raise CertificateRefused(
            f"{name} is not a certificate: it must be at most {_MOST_BYTES:,} bytes long, but is longer."
        )
    if data.count(b"{") + data.count(b"[") > _MOST_NESTED or data.count(b",") > _MOST_ENTRIES:
        raise CertificateRefused(
            f"{name} is not a certificate: it holds more entries than any certificate has."
        )


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise CertificateRefused(f"The document holds a whole number of {len(digits)} digits.")
    return int(digits)


def _no_float(text: str) -> None:
    raise CertificateRefused(
        f"The document holds the number {text[:40]}; only whole numbers and decimal text may."
    )


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two entries of one name would let two readers see two documents."""
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise CertificateRefused("The document names an entry twice, so it has no single meaning.")
    return entries


def _check_shape(document: dict[str, Any], name: str) -> None:
    given = document["format"]
    number = given if type(given) is int and given in _SCHEMAS else FORMAT
    try:
        _shape_checker(number)(document)
    except fastjsonschema.JsonSchemaValueException as error:
        place = str(error.name).removeprefix("data.")
        sentence = error.message.removeprefix("data.")
        raise CertificateRefused(
            f"{name} does not follow the schema of format {number} at {place}: {sentence[:200]}."
        ) from None


@functools.cache
def _shape_checker(number: int) -> Callable[[Any], Any]:
    checker: Callable[[Any], Any] = fastjsonschema.compile(schema(number))
    return checker


def schema(number: int = FORMAT) -> dict[str, Any]:
    """The published JSON schema of the certificate's document, of this format or an earlier one."""
    text = Path(__file__).with_name(_SCHEMAS[number]).read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed
