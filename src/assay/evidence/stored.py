"""Evidence as a file: what was counted, in JSON, so that machines that cannot talk are added up elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assay.errors import BadData, BadParameter
from assay.evidence.draws import Draws
from assay.evidence.evidence import Evidence
from assay.evidence.groups import GroupCounts
from assay.evidence.losses import ExactSums, LossRecord
from assay.evidence.tally import Tally
from assay.whole_file import whole_file

FORMAT = 1
#: More text than this is no evidence that was counted.
_MOST_BYTES = 2**28
_HELD = ("row_digest", "partition", "unit_labels", "known_rows", "quantities", "scores")
_LABELS = (str, int, bool, float)


def to_text(evidence: Evidence) -> str:
    """What was counted, as JSON.

    Examples
    --------
    >>> from_text(to_text(Evidence(rows=9, errors=2))).errors
    2
    """
    held = [name for name in _HELD if getattr(evidence, name) is not None]
    if evidence.checked or held:
        what = ", ".join([*held, *(["checked conditions"] if evidence.checked else [])])
        raise BadParameter(
            f"This evidence holds {what}, which are of single rows; only counts are saved. Count a frame by "
            "assay.count(frame, truth=..., prediction=...)."
        )
    document: dict[str, Any] = {"assay": "evidence", "format": FORMAT, "rows": evidence.rows}
    if evidence.errors is not None:
        document["errors"] = evidence.errors
    if (tally := evidence.tally) is not None:
        document["tally"] = {
            "labels": tally.labels,
            "confusion": tally.confusion,
            "unseen": tally.unseen,
            "declared": tally.declared,
        }
    if evidence.losses is not None:
        document["losses"] = _losses_told(evidence.losses)
    if evidence.units is not None:
        document["units"] = evidence.units
    if evidence.groups is not None:
        names = ("names", "levels", "errors", "rows", "units")
        document["groups"] = [{n: getattr(g, n) for n in names} for g in evidence.groups]
    if evidence.draws is not None:
        document["draws"] = asdict(evidence.draws)
    if evidence.model is not None:
        document["model"] = evidence.model
    return json.dumps(document | {"notes": evidence.notes}, ensure_ascii=False, allow_nan=False)


def _losses_told(losses: LossRecord) -> dict[str, Any]:
    if losses.sums is None:
        raise BadParameter("These losses were kept without their exact sums, and cannot be saved.")
    numbers = losses.sums.numbers()
    # As text: a reader in another language has no whole numbers of this size.
    return {"sums": list(map(str, numbers)), "binary": losses.binary}


def from_text(text: str) -> Evidence:
    """The inverse of `to_text`; whatever does not add up is refused."""
    try:
        document = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadData("This is no evidence that assay saved: it is not JSON.") from error
    return _Read(document).evidence()


def write_file(evidence: Evidence, path: str | os.PathLike[str]) -> None:
    """Write evidence to a file, whole or not at all."""
    text = to_text(evidence)
    with whole_file(path) as file:
        file.write(text.encode())


def read_file(path: str | os.PathLike[str]) -> Evidence:
    """Evidence from a file."""
    path = Path(path)
    if path.stat().st_size > _MOST_BYTES:
        raise BadData(f"{path} is larger than any evidence that is counted.")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadData(f"{path} is no evidence that assay saved: it is not text.") from error
    return from_text(text)


def _no_number(word: str) -> Any:
    raise ValueError(word)


class _Read:
    """A document, read entry by entry: it may come from anywhere."""

    def __init__(self, document: Any) -> None:
        known = isinstance(document, dict) and document.get("assay") == "evidence"
        _require(known, "it does not say that it is evidence")
        _require(document.get("format") == FORMAT, f"its format is not {FORMAT}")
        self._held = document

    def evidence(self) -> Evidence:
        rows = _count(self._held.get("rows"), "rows")
        errors = self._maybe("errors", lambda value: _count(value, "errors"))
        _require(rows >= 1 and (errors is None or errors <= rows), "errors and rows do not agree")
        tally = self._maybe("tally", lambda value: _tally(value, rows, errors))
        losses = self._maybe("losses", lambda value: _losses(value, rows))
        units = self._maybe("units", lambda value: _kinds(value, rows, errors))
        groups = self._maybe("groups", lambda value: _groups(value, rows, errors))
        _require((errors is None) == (losses is not None), "it holds both errors and losses")
        _require(errors is not None or not (tally or units or groups), "it holds losses and labels")
        notes = self._held.get("notes", [])
        _require(_are(notes, str), "its notes are no texts")
        return Evidence(
            rows=rows,
            errors=errors,
            tally=tally,
            losses=losses,
            units=units,
            groups=groups,
            model=self._maybe("model", lambda value: _text(value, "model")),
            draws=self._maybe("draws", _draws),
            notes=tuple(notes),
        )

    def _maybe(self, name: str, read: Callable[[Any], Any]) -> Any:
        return None if self._held.get(name) is None else read(self._held[name])


def _tally(entry: Any, rows: int, errors: int | None) -> Tally:
    _require(isinstance(entry, dict), "tally is no object")
    labels = _labels(entry.get("labels"), "labels")
    unseen = _labels(entry.get("unseen", []), "unseen")
    declared = entry.get("declared")
    declared = None if declared is None else _labels(declared, "declared")
    _require(set(unseen) <= set(labels), "a label that is unseen is not listed")
    matrix = entry.get("confusion")
    if matrix is not None:
        square = _are(matrix, list) and len(matrix) == len(labels)
        _require(
            square and all(len(row) == len(labels) for row in matrix), "confusion is no square"
        )
        matrix = tuple(tuple(_count(k, "confusion") for k in row) for row in matrix)
        right = sum(row[i] for i, row in enumerate(matrix))
        _require(sum(map(sum, matrix)) == rows, "confusion does not add up to rows")
        _require(rows - right == errors, "confusion does not add up to errors")
    return Tally(rows, errors or 0, labels, matrix, None, None, unseen=unseen, declared=declared)


def _losses(entry: Any, rows: int) -> LossRecord:
    _require(isinstance(entry, dict), "losses are no object")
    told = entry.get("sums")
    _require(_are(told, str) and len(told) == 2, "losses have no sums")
    _require(all(text.isdecimal() and len(text) < 2000 for text in told), "sums are no numbers")
    total, squares = map(int, told)
    sums = ExactSums.of(rows, total, squares)
    # Cauchy and Schwarz, and losses of at most 1: no column has other sums.
    _require(sums.possible(), "no losses between 0 and 1 have these sums")
    binary = entry.get("binary")
    _require(isinstance(binary, bool), "binary is neither true nor false")
    return LossRecord(rows, sums.total(), sums.variance(), binary, None, None, sums)


def _kinds(entry: Any, rows: int, errors: int | None) -> tuple[tuple[int, int, int], ...]:
    triples = _are(entry, list) and all(len(kind) == 3 for kind in entry)
    _require(triples, "units are no triples")
    kinds = tuple((_count(e, "units"), _count(r, "units"), _count(m, "units")) for e, r, m in entry)
    _require(all(e <= r and r and m for e, r, m in kinds), "a unit has more errors than rows")
    _require(list(kinds) == sorted(set(kinds)), "units are not listed once each, in order")
    _require(sum(r * m for _, r, m in kinds) == rows, "units do not add up to rows")
    _require(sum(e * m for e, _, m in kinds) == errors, "units do not add up to errors")
    return kinds


def _groups(entry: Any, rows: int, errors: int | None) -> tuple[GroupCounts, ...]:
    _require(_are(entry, dict), "groups are no objects")
    return tuple(_division(division, rows, errors) for division in entry)


def _division(entry: dict[str, Any], rows: int, errors: int | None) -> GroupCounts:
    names: Any = entry.get("names")
    levels: Any = entry.get("levels")
    _require(_are(names, str) and bool(names), "groups have no names")
    _require(_are(levels, list) and bool(levels), "groups have no levels")
    listed = tuple(tuple(level) for level in levels)
    fits = all(
        len(level) == len(names) and all(v is None or isinstance(v, _LABELS) for v in level)
        for level in listed
    )
    _require(fits and len(set(listed)) == len(listed), "levels are not those of the columns")
    counts: list[Any] = [entry.get(name) for name in ("errors", "rows")]
    _require(all(_are(c, int) and len(c) == len(listed) for c in counts), "groups have no counts")
    wrong, sizes = (tuple(_count(k, "groups") for k in column) for column in counts)
    _require(all(k <= n for k, n in zip(wrong, sizes, strict=True)), "a group has too many errors")
    _require((sum(wrong), sum(sizes)) == (errors, rows), "groups do not add up")
    units = entry.get("units")
    if units is not None:
        _require(_are(units, list) and len(units) == len(listed), "units of groups are missing")
        units = tuple(_kinds(u, n, k) for u, n, k in zip(units, sizes, wrong, strict=True))
    return GroupCounts(tuple(names), listed, wrong, sizes, units)


def _draws(entry: Any) -> Draws:
    _require(isinstance(entry, dict), "draws are no object")
    units = entry.get("units")
    if units is not None:
        _require(isinstance(units, list) and len(units) == 3, "draws hold no triple")
        many, least, most = (_count(value, "draws") for value in units)
        _require(many >= 1 and 1 <= least <= most, "draws hold no triple")
        units = (many, least, most)
    each_row = entry.get("each_row", False)
    _require(isinstance(each_row, bool), "draws are declared by neither true nor false")
    return Draws(_text(entry.get("again", ""), "draws"), each_row, units)


def _labels(entry: Any, name: str) -> tuple[Any, ...]:
    alike = isinstance(entry, list) and len({type(label) for label in entry}) <= 1
    fits = alike and all(isinstance(label, str | int) for label in entry)
    _require(
        fits and list(entry) == sorted(set(entry)), f"{name} are not sorted labels of one kind"
    )
    return tuple(entry)


def _are(entry: Any, kind: type) -> bool:
    return isinstance(entry, list) and all(type(value) is kind for value in entry)


def _count(entry: Any, name: str) -> int:
    _require(type(entry) is int and 0 <= entry < 2**63, f"{name} holds what is no count")
    return int(entry)


def _text(entry: Any, name: str) -> str:
    _require(isinstance(entry, str), f"{name} is no text")
    return str(entry)


def _require(fits: bool, fault: str) -> None:
    if not fits:
        raise BadData(f"This is no evidence that assay saved: {fault}.")
