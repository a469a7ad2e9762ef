"""Which columns divide rows into groups, from whatever names or holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import BadParameter, require

# A certificate holds the names.
_LONGEST_NAME = 200
_MOST_CROSSED = 8


@dataclass(frozen=True)
class GroupColumns:
    """What divides rows into groups: for each division the names of its columns, and the columns."""

    names: tuple[tuple[str, ...], ...]
    columns: tuple[Any, ...]

    def where(self, keep: Any) -> GroupColumns:
        """Some of the rows, numbered by group."""
        from assay.evidence.group_codes import GroupCodes, group_codes

        coded: list[GroupCodes] = []
        for names, columns in zip(self.names, self.columns, strict=True):
            held = group_codes(names, columns)
            must = f"one value for each of {len(keep):,} rows"
            require(len(held) == len(keep), " and ".join(names), must, len(held))
            coded.append(held.where(keep))
        return GroupColumns(self.names, tuple(coded))


def named_columns(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The columns that a text names: one, or several crossed by ``*``.

    Examples
    --------
    >>> named_columns("sex*age", ["sex", "age"]), named_columns("a*b", ["a*b"])
    (('sex', 'age'), ('a*b',))
    """
    return (text,) if text in known else tuple(part.strip() for part in text.split("*"))


def group_columns(groups: Any, X: Any = None) -> GroupColumns:
    """Read what `certify` is given as groups.

    Parameters
    ----------
    groups : array-like, mapping, frame, text or sequence of text
        A column of levels; columns by their names, in a mapping, where a frame as a value crosses its columns; a frame
        of columns; or names of columns of `X`, ``"sex*age"`` for two of them crossed.
    X : frame, optional
        The rows that a model predicts.

    Examples
    --------
    >>> group_columns({"sex": ["f", "m"], "age": ["old", "old"]}).names
    (('sex',), ('age',))
    """
    divisions = list(_divisions(groups, X))
    names = require_divisions([name for name, _ in divisions])
    return GroupColumns(names, tuple(columns for _, columns in divisions))


def require_divisions(names: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Divisions into groups by the names of their columns, refused where they say nothing, or the same twice."""
    require(len(names) > 0, "groups", "at least one column", "empty")
    for crossed in names:
        _check_names(crossed)
    known: set[frozenset[str]] = set()
    for crossed in names:
        twice = frozenset(crossed) in known
        must = "by other columns each time"
        require(not twice, "groups", must, "*".join(crossed))
        known.add(frozenset(crossed))
    return tuple(names)


def _divisions(groups: Any, X: Any) -> list[tuple[tuple[str, ...], tuple[Any, ...]]]:
    held = _frame(X)
    texts = [groups] if isinstance(groups, str) else groups
    if isinstance(texts, list | tuple) and texts and all(isinstance(t, str) for t in texts):
        known = list(held or ())
        named = [named_columns(text, known) for text in texts]
        if held is not None and all(name in held for crossed in named for name in crossed):
            return [(crossed, tuple(held[name] for name in crossed)) for crossed in named]
        if isinstance(groups, str):
            where = f"its columns are {', '.join(map(repr, known[:20]))}" if known else "X has none"
            raise BadParameter(f"groups must name columns of X, but {groups!r} does not: {where}.")
    if isinstance(groups, Mapping):
        return [_named(name, column) for name, column in groups.items()]
    frame = _frame(groups)
    if frame is not None:
        return [((name,), (column,)) for name, column in frame.items()]
    if getattr(groups, "ndim", 1) == 2 and groups.shape[1] != 1:
        raise BadParameter(
            "groups must be a column, or columns with names, but is an array of two dimensions: give a mapping of "
            "names to columns."
        )
    name = getattr(groups, "name", None)
    return [((str(name) if name not in (None, "") else "group",), (groups,))]


def _named(name: Any, column: Any) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    frame = _frame(column)
    if frame is None:
        return (name,), (column,)
    return tuple(frame), tuple(frame.values())


def _check_names(crossed: tuple[Any, ...]) -> None:
    must = f"text of 1 to {_LONGEST_NAME} characters"
    for name in crossed:
        fits = isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME
        require(fits, "the name of a group column", must, name)
    require(len(set(crossed)) == len(crossed), "crossed columns", "different", "*".join(crossed))
    require(len(crossed) <= _MOST_CROSSED, "crossed columns", f"at most {_MOST_CROSSED}", crossed)


def _frame(data: Any) -> dict[str, Any] | None:
    """The columns of a frame by their names; None where it is none."""
    if data is None or isinstance(data, str | list | tuple | Mapping):
        return None
    import narwhals.stable.v1 as nw

    known = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(known, nw.DataFrame):
        return None
    return {name: known[name].to_native() for name in known.columns}
