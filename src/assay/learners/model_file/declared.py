"""What a class declares that it holds, and whether what a file brings is that.

A learner, or a part of one, says in `state` of which kind each attribute is; declarations of a class add to those of
its bases. Where a part is made afresh before it is filled, most kinds follow from what the fresh one holds in the same
place, and only the others are declared. What no declaration can say, such as that nodes lead to leaves, a class
refuses in `_require_state`, which is asked when everything is of its kind. In `earlier_state` a learner says how it
reads attributes, one or several together, of files that were written when it held something else; in `later_state`,
how it makes up for attributes that such files do not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pkgutil import resolve_name
from typing import Any

import numpy as np

from assay.evidence.fitted_rows import FittedRows
from assay.learners.common import kinds
from assay.learners.common.running_scale import LARGEST_CELL, RunningScale


def _is_encoder(value: Any) -> bool:
    from assay.data.stored_encoder import encoder_from_json  # only here: it is slow to import

    encoder_from_json(value)  # refuses by itself
    return True


def _is_seen(value: Any) -> bool:
    from assay.data.seen import Seen

    Seen.from_json(value)
    return True


# What any learner may hold: what it is given, rather than what it learns.
_ANY = kinds.declare(
    n_features_in_=kinds.maybe(kinds.count),
    feature_names_in_=kinds.maybe(kinds.names("n_features_in_")),
    feature_index_=kinds.maybe(kinds.index("n_features_in_")),
    fitted_rows_=kinds.maybe(
        kinds.record(
            FittedRows, rows=kinds.count, due=kinds.count, digests=kinds.array("<u8", None, 2)
        ).where(lambda kept: len(kept.digests) <= kept.rows <= kept.due)
    ),
    # How a table became features, and how these were scaled, as the command line keeps it.
    encoder_=kinds.maybe(kinds.plain(_is_encoder)),
    # By what it was fitted, where that was elsewhere.
    fitted_by_=kinds.maybe(kinds.text.where(lambda by: 0 < len(by) <= 100)),
    # What the rows looked like that it learned from.
    seen_=kinds.maybe(kinds.plain(_is_seen)),
    scale_=kinds.maybe(
        kinds.record(
            RunningScale,
            rows=kinds.whole(1),
            mean=kinds.array("<f8", "features", least=-LARGEST_CELL, most=LARGEST_CELL),
            squares=kinds.amounts("features"),
        )
    ),
)


def state_of(kind: type) -> Mapping[str, kinds.Kind]:
    """All that instances of a class may hold, by its own declaration and those of its bases."""
    return {
        # A kind may be named by its place, so that a fit need not wait for what only files need.
        name: resolve_name(declared) if isinstance(declared, str) else declared
        for base in reversed(kind.__mro__)
        for name, declared in vars(base).get("state", {}).items()
    }


def state_of_learner(kind: type) -> Mapping[str, kinds.Kind]:
    """The same of a learner, with what any learner may hold."""
    return {**_ANY, **state_of(kind)}


def require_kinds(
    declared: Mapping[str, kinds.Kind], held: Mapping[str, Any], sizes: kinds.Sizes
) -> None:
    """Refuse attributes that are not what is declared."""
    for name, value in held.items():
        if not declared[name](value, sizes):
            raise ValueError(f"{name} is of another kind or size")


def require_learned(model: Any) -> None:
    """Refuse a learner that holds what its class does not declare, or not all of what it should."""
    own = {*model.get_params(deep=False)}
    held = {
        name: value
        for name, value in vars(model).items()
        if name not in own and not name.startswith("_")
    }
    declared = state_of_learner(type(model))
    require_kinds(declared, held, kinds.Sizes(held))
    require_all_or_none(declared, held, getattr(model, "enough", ()))
    if hasattr(model, "_require_state"):
        model._require_state()


def require_all_or_none(
    declared: Mapping[str, kinds.Kind], held: Mapping[str, Any], enough: Sequence[str] = ()
) -> bool:
    """Whether a learner has learned; refuses one of which parts are missing.

    One that was fitted elsewhere has `enough` to predict by.
    """
    needed = [name for name, kind in declared.items() if kind.needed]
    if "fitted_by_" in held:
        if not enough:
            raise ValueError("it cannot have been fitted elsewhere")
        needed = [name for name in enough if name in declared]
    missing = [name for name in needed if name not in held]
    if 0 < len(missing) < len(needed):
        raise ValueError(f"it has no {', '.join(missing)}")
    for name, kind in declared.items():
        if kind.along and (name in held) != (kind.along in held):
            raise ValueError(f"it has not both {name} and {kind.along}")
    return not missing


def require_attribute(kind: kinds.Kind | None, name: str, fresh: Any, value: Any) -> None:
    """Refuse what cannot stand where a fresh part has something else."""
    if kind is kinds.same:
        fits = type(value) is type(fresh) and value == fresh
    elif kind is None:
        fits = _alike(fresh, value)
    else:
        fits = kind(value) and _same_room(fresh, value)
    if not fits:
        raise ValueError(f"{name} is of another kind")


def require_record(value: Any, fresh: Any) -> None:
    """Refuse a record whose fields are not like those that the learner's parameters make."""
    for name, held in vars(fresh).items():
        field = getattr(value, name)
        if not _alike(held, field) or (type(field) is float and field < 0):
            raise ValueError(f"{name} is of another kind")


def _same_room(fresh: Any, value: Any) -> bool:
    """Whether an array is as large as a fresh one: compiled loops write where that has room."""
    return not isinstance(fresh, np.ndarray) or (
        isinstance(value, np.ndarray) and value.dtype == fresh.dtype and value.shape == fresh.shape
    )


def _alike(fresh: Any, value: Any) -> bool:
    """Whether a value is of the kind that a fresh part holds in its place, where that says it all."""
    if type(value) is not type(fresh) or fresh is None or type(fresh) in (list, dict):
        return False
    if isinstance(fresh, np.ndarray):
        if not _same_room(fresh, value):
            return False
        if value.dtype.kind == "i":
            return bool(((value >= 0) & (value < kinds.MOST)).all())
        return value.dtype.kind != "f" or float(np.abs(value).max(initial=0)) <= kinds.LARGEST
    if type(fresh) is int:
        return kinds.count(value)
    if type(fresh) is float:
        return kinds.finite(value)
    if type(fresh) is tuple:
        return len(value) == len(fresh) and all(map(_alike, fresh, value))
    return True
