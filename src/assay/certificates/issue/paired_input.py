"""What `certify_difference` is given, read: models, predictions, losses or counts of two models or more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.certificates.issue.distinct_rows import Overlap
from assay.certificates.issue.id_holdout import id_digests
from assay.certificates.issue.model_evidence import FreshRows, fresh_rows, is_regressor, where
from assay.certificates.issue.named_rows import (
    NO_UNIT,
    declares_none,
    ids_of,
    known_of_draws,
    known_of_units,
    listed,
)
from assay.certificates.verify.claim_checks import MOST_ROWS
from assay.errors import BadParameter, require
from assay.evidence.evidence import as_column
from assay.evidence.paired import Paired, from_paired_labels, from_paired_losses
from assay.guarantees.assumption import Assumption
from assay.theory.needs import count
from assay.theory.tail.binomial import IID


def gathered(
    kinds: Mapping[str, tuple[Any, ...]],
    *,
    train: Any,
    overlap: Overlap,
    unit: Any,
    ids: Any,
    private: bool,
) -> list[Paired]:
    """Read whichever of the four kinds of input was given; refuse none, half of one, or two."""
    name, parts = _only_kind(kinds)
    fitted = name.startswith("model")
    if not fitted:
        require(train is None, "train", "left out unless models are given with X and y", "given")
        require(overlap == "refuse", "overlap", "left out unless models are given", overlap)
    if name.startswith("only_old"):
        require(ids is None, "ids", "left out with counts", "given")
        declared = isinstance(unit, str) and unit == NO_UNIT
        require(unit is None or declared, "unit", "left out with counts", "given")
        return [_declared(_counted(*parts))] if declared else [_counted(*parts)]
    known, grouping = _drawn(unit, ids)
    if fitted:
        model, X, y, old = parts
        fresh = _fresh(model, old, X, train=train, overlap=overlap, unit=grouping)
        return _of_models(model, X, y, old, fresh, grouping, known, private)
    if name.startswith("y_true"):
        truth, new, old = parts
        seen = [
            replace(from_paired_labels(truth, n, o, grouping, partition=private), **names)
            for n, o, names in _pairs(new, old, ("y_pred", "baseline"))
        ]
    else:
        seen = [
            replace(from_paired_losses(n, o, grouping), **names)
            for n, o, names in _pairs(parts[0], parts[1], ("loss", "baseline_loss"))
        ]
    rows = None
    if private and ids is not None:
        rows = id_digests(
            {"ids": listed(ids)}, listed(truth) if name.startswith("y_true") else None
        )
    if ids is not None and seen[0].units is not None:
        known = known_of_units({"ids": ids}, grouping)
    return [replace(one, checked=known, known_rows=rows) for one in seen]


def _only_kind(kinds: Mapping[str, tuple[Any, ...]]) -> tuple[str, tuple[Any, ...]]:
    # The baseline stands beside two kinds, and tells neither of them.
    own = {n: parts[:-1] if n.endswith("baseline") else parts for n, parts in kinds.items()}
    given = [n for n, parts in own.items() if any(part is not None for part in parts)]
    if len(given) != 1:
        names = " and ".join(given) or "nothing"
        raise BadParameter(
            f"certify_difference takes one of {'; '.join(kinds)}, but was given {names}."
        )
    [name] = given
    if any(part is None for part in kinds[name]):
        raise BadParameter(f"certify_difference needs all of {name}, but some are missing.")
    if not name.endswith("baseline"):
        beside = next(parts[-1] for n, parts in kinds.items() if n.endswith("baseline"))
        require(beside is None, "baseline", f"left out with {name}", "given")
    return name, kinds[name]


def _drawn(unit: Any, ids: Any) -> tuple[tuple[Assumption, ...], Any]:
    """What is known of the draws of rows, and the column of units."""
    known = known_of_draws(unit, ids_of(ids, None))
    return known, None if declares_none(unit) else unit


def _pairs(new: Any, old: Any, names: tuple[str, str]) -> list[tuple[Any, Any, dict[str, Any]]]:
    """Each comparison: what the new and the old model gave, and which of them has which name."""
    several = isinstance(new, Mapping), isinstance(old, Mapping)
    if all(several):
        raise BadParameter(
            f"Only one of {names[0]} and {names[1]} may name several models: one model is compared with others."
        )
    if not any(several):
        return [(new, old, {})]
    named, side = (new, "new") if several[0] else (old, "old")
    require(bool(named), names[0] if several[0] else names[1], "a mapping of at least one", {})
    for name in named:
        must = "text of at most 200 characters"
        fits = isinstance(name, str) and 0 < len(name) <= 200 and name.isprintable()
        require(fits, "a model's name", must, name)
    if several[0]:
        return [(given, old, {side: name}) for name, given in named.items()]
    return [(new, given, {side: name}) for name, given in named.items()]


def _fresh(
    model: Any, baseline: Any, X: Any, *, train: Any, overlap: Overlap, unit: Any
) -> FreshRows | None:
    """The rows that count for fitted models: each once, and none that any of them has learned."""
    must = "a fitted model with predict, or the predictions of one"
    require(hasattr(model, "predict"), "model", "a fitted model with predict", model)
    require(baseline is not model, "baseline", must + ", and not the new model itself", model)
    olds = list(baseline.values()) if isinstance(baseline, Mapping) else [baseline]
    fitted = [model, *(old for old in olds if hasattr(old, "predict"))]
    if any(map(is_regressor, fitted)):
        raise BadParameter(
            "certify_difference takes models that predict classes; of models that predict numbers give the losses of "
            "each row, between 0 and 1, as loss and baseline_loss."
        )
    return fresh_rows(fitted, X, train=train, overlap=overlap, unit=unit)


def _of_models(
    model: Any,
    X: Any,
    y: Any,
    baseline: Any,
    fresh: FreshRows | None,
    unit: Any,
    known: tuple[Assumption, ...],
    private: bool,
) -> list[Paired]:
    """Fitted models on the rows that count."""
    truth, new = as_column(y), as_column(model.predict(X))
    seen = []
    for given, old, names in _pairs(new, baseline, ("model", "baseline")):
        before = as_column(old.predict(X) if hasattr(old, "predict") else old)
        kept, predicted, older, units = _kept((truth, given, before, unit), fresh)
        counted = from_paired_labels(kept, predicted, older, units, partition=private)
        seen.append(replace(counted, checked=known, **names))
    if fresh is None:
        return seen
    # A ledger knows all rows, whichever of them the models leave to be counted.
    whole = from_paired_labels(truth, new, new, partition=private)
    return [
        replace(
            one,
            checked=(*known, *fresh.checked),
            holdout=whole.holdout,
            partition=whole.partition,
            known_rows=fresh.digests,
        )
        for one in seen
    ]


def _kept(columns: tuple[Any, ...], fresh: FreshRows | None) -> list[Any]:
    """The rows of columns that count."""
    if fresh is None:
        return list(columns)
    return [None if column is None else where(column, fresh.keep) for column in columns]


def _counted(only_old: Any, only_new: Any, rows: Any) -> Paired:
    """Two models known by their counts alone."""
    b, c = count("only_old", only_old), count("only_new", only_new)
    n = count("rows", rows, at_least=1)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS:,}", rows)
    require(b + c <= n, "rows", f"at least the {b + c} on which one model is wrong", rows)
    return Paired(n, b, c)


def _declared(seen: Paired) -> Paired:
    said = "every row is declared a draw of its own"
    return replace(seen, checked=(Assumption(IID, "declared", said),))


def read_again(
    truth: Any, new: Any, old: Any, loss: Any, baseline_loss: Any, unit: Any
) -> list[Paired]:
    """What models gave, to be compared with a certificate of them."""
    kinds = {
        "y_true, y_pred and baseline": (truth, new, old),
        "loss and baseline_loss": (loss, baseline_loss),
    }
    unnamed = unit if not isinstance(unit, str) else None
    return gathered(kinds, train=None, overlap="refuse", unit=unnamed, ids=None, private=False)
