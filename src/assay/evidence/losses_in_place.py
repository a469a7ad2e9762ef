"""Losses where they lie: how many rows lose how much, on a grid, by one GROUP BY of the frame.

Sums of floating-point numbers depend on the order in which a database adds them up. So each loss is rounded up to a
multiple of 1/65,536 where it lies, and what travels is how many rows have each: whole numbers, the same in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from assay.errors import BadData
from assay.evidence.draws import Draws
from assay.evidence.evidence import Evidence
from assay.evidence.losses import ExactSums, LossRecord
from assay.evidence.places import ROWS, counted_rows, schema_of

#: Losses are rounded up to multiples of one part in so many: a power of two, so that no product is rounded.
GRID = 2**16
_ODD = -1
_LOST, _OUTSIDE, _UNITS = "assay lost", "assay outside", "assay units"


def losses_of_frame(frame: Any, loss: str, unit: str | None = None) -> Evidence:
    """Count the losses of a frame's rows; of units each has one, the mean of its rows, rounded up.

    Losses of a whole-number or truth-value type are errors, as they are in arrays.

    Examples
    --------
    >>> import pyarrow as pa
    >>> seen = losses_of_frame(pa.table({"loss": [0.5, 0.25, 0.25]}), "loss")
    >>> seen.losses.rows, seen.losses.total
    (3, 1.0)
    """
    discrete = _is_discrete(frame, loss)
    rows = counted_rows(frame, [loss] if unit is None else [loss, unit], _Rounded(loss))
    if unit is None:
        return _of_rows(rows, loss, discrete)
    return _of_units(rows, loss, unit, discrete)


def _is_discrete(frame: Any, loss: str) -> bool:
    """Whether losses are of a type that can only hold 0 and 1 within [0, 1]."""
    import narwhals.stable.v1 as nw

    kind = schema_of(frame, [loss])[loss]
    if not (kind.is_numeric() or kind == nw.Boolean):
        raise BadData(f"{loss} holds {kind}, not numbers; losses must lie between 0 and 1.")
    return bool(kind.is_integer() or kind == nw.Boolean)


@dataclass(frozen=True)
class _Rounded:
    """What is done to rows where they lie: each loss becomes its place on the grid, from above."""

    loss: str

    def __call__(self, rows: Any) -> Any:
        import narwhals.stable.v1 as nw

        value = nw.col(self.loss).cast(nw.Float64) * GRID
        near = value.round(0)
        above = near + nw.when(near < value).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        fits = (value >= 0) & (value <= GRID)
        place = nw.when(fits).then(above).otherwise(nw.lit(float(_ODD)))
        return rows.with_columns(place.cast(nw.Int64).alias(self.loss))


def _of_rows(rows: Any, loss: str, discrete: bool) -> Evidence:
    import narwhals.stable.v1 as nw

    found = rows.group_by(loss).agg(nw.col(ROWS).sum()).collect()
    places = {int(place): int(many) for place, many in found.select(loss, ROWS).iter_rows()}
    total = sum(places.values())
    _require_losses(loss, places.get(_ODD, 0), total)
    if discrete:
        return Evidence(rows=total, errors=places.get(GRID, 0))
    return Evidence(rows=total, errors=None, losses=_record(places))


def _of_units(rows: Any, loss: str, unit: str, discrete: bool) -> Evidence:
    import narwhals.stable.v1 as nw

    standing = nw.col(ROWS)
    odd = nw.when(nw.col(loss) == _ODD).then(standing).otherwise(nw.lit(0)).alias(_OUTSIDE)
    summed = (_LOST, ROWS, _OUTSIDE)
    each = rows.with_columns((nw.col(loss) * standing).alias(_LOST), odd)
    each = each.group_by(unit).agg(*(nw.col(name).sum() for name in summed))
    each = each.with_columns(nw.col(unit).is_null().alias(unit), nw.lit(1).alias(_UNITS))
    found = each.group_by(unit, *summed).agg(nw.col(_UNITS).sum()).collect()
    kinds = [tuple(map(int, row)) for row in found.select(unit, *summed, _UNITS).iter_rows()]
    total = sum(size * many for _, _, size, _, many in kinds)
    _require_losses(loss, sum(outside * many for *_, outside, many in kinds), total)
    nameless = sum(size * many for absent, _, size, _, many in kinds if absent)
    if nameless:
        raise BadData(
            f"{unit} has no value in {nameless:,} rows; every row needs one. Fill them in, or leave these rows out."
        )
    if discrete:
        units = tuple(sorted((lost // GRID, size, many) for _, lost, size, _, many in kinds))
        errors = sum(wrong * many for wrong, _, many in units)
        return Evidence(rows=total, errors=errors, units=units)
    means = Counter[int]()
    for _, lost, size, _, many in kinds:
        means[-(-lost // size)] += many
    sizes = [size for _, _, size, _, _ in kinds]
    draws = Draws(units=(means.total(), min(sizes), max(sizes)))
    return Evidence(rows=means.total(), errors=None, losses=_record(means), draws=draws)


def _record(places: Mapping[int, int]) -> LossRecord:
    sums = ExactSums()
    for place, many in places.items():
        sums.add_alike(Fraction(place, GRID), many)
    return LossRecord(
        rows=sum(places.values()),
        total=sums.total(),
        variance=sums.variance(),
        binary=set(places) <= {0, GRID},
        digest=None,
        values=None,
        sums=sums,
    )


def _require_losses(loss: str, odd: int, rows: int) -> None:
    if not rows:
        raise BadData(f"{loss} holds no rows; there is nothing to record.")
    if odd:
        raise BadData(
            f"{loss} holds no number between 0 and 1 in {odd:,} of {rows:,} rows; losses must lie there. Scale them, "
            "or leave rows without one out."
        )
