"""Dates, times and durations as numbers: what a calendar says of them, and the time that went by.

Text is read by one form for the whole column, found by the training rows. A time with a zone is read as clocks of the
column's zone show it; text that names an offset is read in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from assay.data.cells import Place, is_text, named
from assay.data.remedies import NAME_IT, WITH_DROP
from assay.errors import BadData, require
from assay.types import Floats

Times = NDArray[np.datetime64]
Family = Literal["calendar", "hours"]

_CLOCK = (
    r"(?:(?:[T ]|, ?)(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"(?: ?(?P<half>[AaPp][Mm]))?)? ?(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?$"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"(?P<name>(?i:" + "|".join(_MONTHS) + r")[a-z]*)"
#: How a time may be written, by a name that model files hold.
FORMS: Mapping[str, str] = {
    "year-month-day": r"^(?P<Y>\d{4})[-/.](?P<M>\d{1,2})[-/.](?P<D>\d{1,2})" + _CLOCK,
    "day-month-year": r"^(?P<D>\d{1,2})[-/.](?P<M>\d{1,2})[-/.](?P<Y>\d{4})" + _CLOCK,
    "month-day-year": r"^(?P<M>\d{1,2})[-/.](?P<D>\d{1,2})[-/.](?P<Y>\d{4})" + _CLOCK,
    "day-name-year": r"^(?P<D>\d{1,2})[- .]+" + _NAME + r"[- .,]+(?P<Y>\d{4})" + _CLOCK,
    "name-day-year": "^" + _NAME + r"[- .]+(?P<D>\d{1,2})[- .,]+(?P<Y>\d{4})" + _CLOCK,
    "hours": r"^(?P<sign>-?)(?:(?P<days>\d+) days?,? ?)?(?P<h>\d{1,4}):(?P<m>\d{2})"
    r"(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?$",
}
#: A column of which more than this share is written in one form holds times.
_MOST = 0.9
# What stands for no date in databases.
_NO_DATE = ("0000-00-00", "0000-00-00 00:00:00")
_HOUR, _DAY = 3_600_000_000, 86_400_000_000


def family_of(form: str) -> Family:
    """Whether times of a form have a calendar, or are hours alone."""
    return "hours" if form == "hours" else "calendar"


def time_form(array: pa.Array) -> tuple[str, str] | None:
    """How times are written in a column, and their zone; None where it holds others than times.

    Examples
    --------
    >>> time_form(pa.array(["2024-02-29", "2024-03-01 10:30"]))
    ('year-month-day', '')
    >>> time_form(pa.array(["31/01/2024", "02/01/2024"])), time_form(pa.array(["1/31/2024", "NA"]))
    (('day-month-year', ''), ('month-day-year', ''))
    >>> time_form(pa.array(["2024", "red"])) is None
    True
    """
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if pa.types.is_date(kind):
        return "year-month-day", ""
    if pa.types.is_timestamp(kind):
        return "year-month-day", kind.tz or ""
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        return "hours", ""
    if not is_text(array.type):
        return None
    cells = _held(_text(array)).drop_null()
    # A look at some cells first: most columns hold no times, and are long.
    if not len(cells) or _likely(cells.slice(0, 50)) is None:
        return None
    form = _likely(cells)
    return None if form is None else (form, "UTC" if _has_zone(cells, form) else "")


def _likely(cells: pa.Array) -> str | None:
    for form, pattern in FORMS.items():
        matched = pc.match_substring_regex(cells, _plain(pattern))
        if pc.mean(matched).as_py() <= _MOST:
            continue
        if form == "day-month-year":
            return _day_or_month(cells.filter(matched))
        return form
    return None


def day_is_told(array: pa.Array) -> bool:
    """Whether the times of a column can be read in one way only.

    Examples
    --------
    >>> day_is_told(pa.array(["31/01/2024", "02/01/2024"])), day_is_told(pa.array(["01/02/2024"]))
    (True, False)
    """
    if not is_text(array.type) or (written := time_form(array)) is None:
        return True
    if written[0] not in ("day-month-year", "month-day-year"):
        return True
    cells = _held(_text(array)).drop_null()
    return max(_first_numbers(cells)) > 12


def _first_numbers(cells: pa.Array) -> tuple[int, int]:
    """The largest of the first and of the second numbers of dates that end with the year."""
    fields = pc.extract_regex(cells, _plain(FORMS["day-month-year"], keep=("D", "M")))
    largest = (pc.max(pc.struct_field(fields, key).cast(pa.int64())) for key in ("D", "M"))
    first, second = (one.as_py() or 0 for one in largest)
    return first, second


def _day_or_month(cells: pa.Array) -> str:
    """Which of the first two numbers is the day: one above 12; else by the custom of the sign between."""
    first, second = _first_numbers(cells)
    if first > 12:
        return "day-month-year"
    if second > 12:
        return "month-day-year"
    return "month-day-year" if "/" in cells[0].as_py() else "day-month-year"


def _has_zone(cells: pa.Array, form: str) -> bool:
    if form == "hours":
        return False
    zones = pc.struct_field(pc.extract_regex(cells, _plain(FORMS[form], keep=("zone",))), "zone")
    return bool(pc.any(pc.greater(pc.binary_length(zones), 0)).as_py())


def _plain(pattern: str, keep: tuple[str, ...] = ()) -> str:
    """A pattern with the named groups asked for; the others only group."""
    return re.sub(r"\?P<(\w+)>", lambda g: g[0] if g[1] in keep else "?:", pattern)


def read_times(array: pa.Array, form: str, zone: str, place: Place) -> Floats:
    """Microseconds since 1970 as the clocks of the zone show them, or of a day or duration; NaN where missing.

    Examples
    --------
    >>> cells = pa.array(["1970-01-02", None, "1970-01-01T00:00:01.5"])
    >>> read_times(cells, "year-month-day", "", Place("t", "x")).tolist()
    [86400000000.0, nan, 1500000.0]
    >>> read_times(pa.array(["1970-01-01 02:00+02:00"]), "year-month-day", "UTC", Place("t", "x")).tolist()
    [0.0]
    """
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_null(array.type):
        return np.full(len(array), np.nan)
    if is_text(array.type):
        return _from_text(array, form, zone, place)
    calendar = pa.types.is_date(array.type) or pa.types.is_timestamp(array.type)
    hours = pa.types.is_time(array.type) or pa.types.is_duration(array.type)
    if (form == "hours" and not hours) or (form != "hours" and not calendar):
        needed = "times of day or durations" if form == "hours" else "dates or times"
        raise BadData(
            f"{place.table} holds values of type {array.type} in column {place.column!r}, where {needed} are needed.",
            remedy=("Convert the column, or leave it out", WITH_DROP, "."),
        )
    return _from_type(array, zone, hours)


def _from_type(array: pa.Array, zone: str, hours: bool) -> Floats:
    if hours:
        kind = pa.time64("us") if pa.types.is_time(array.type) else pa.duration("us")
        whole = array.cast(kind, safe=False).cast(pa.int64())
    else:
        instant = array
        if pa.types.is_timestamp(array.type) and array.type.tz:
            instant = pc.local_timestamp(array.cast(pa.timestamp("us", zone or "UTC"), safe=False))
        whole = instant.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    return np.asarray(whole.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _from_text(array: pa.Array, form: str, zone: str, place: Place) -> Floats:
    cells = _held(_text(array))
    fields = pc.extract_regex(cells, FORMS[form])

    def field(name: str) -> Floats:
        text = pc.struct_field(fields, name)
        filled = pc.if_else(pc.equal(pc.binary_length(text), 0), "0", text)
        return np.asarray(filled.cast(pa.float64()).to_numpy(zero_copy_only=False))

    second = field("s") * 1e6 + _fraction(pc.struct_field(fields, "f"))
    clock = field("h") * _HOUR + field("m") * 60e6 + second
    if form == "hours":
        signs = pc.struct_field(fields, "sign").to_pylist()
        sign = np.array([-1.0 if one == "-" else 1.0 for one in signs])
        moment = sign * (field("days") * _DAY + clock)
        good = (field("m") < 60) & (field("s") < 60)
    else:
        day, good = _days(field, fields)
        clock += _half_day(fields, field("h"))
        moment = day * _DAY + clock - _offset(fields)
        good &= (field("h") < 24) & (field("m") < 60) & (field("s") <= 60)
    held = ~cells.is_null().to_numpy(zero_copy_only=False)
    odd = held & ~(np.isfinite(moment) & good)
    if odd.any():
        row = int(odd.argmax())
        what = "a time of day or a duration" if form == "hours" else "a date or time"
        raise place.refuse(row, repr(array[row].as_py()), f", where {what} is needed.", NAME_IT)
    moment[~held] = np.nan
    return _in_zone(moment, zone)


def _in_zone(moment: Floats, zone: str) -> Floats:
    """UTC as the clocks of a zone show it; text of a zoned column stands in UTC."""
    if zone in ("", "UTC"):
        return moment
    whole = pa.array(moment, mask=np.isnan(moment)).cast(pa.int64(), safe=False)
    instant = whole.cast(pa.timestamp("us", zone))
    return _from_type(instant, zone, hours=False)


def _days(field: Callable[[str], Floats], fields: Any) -> tuple[Floats, NDArray[np.bool_]]:
    """Days since 1970, and whether there is such a day."""
    names = [one.name for one in fields.type]
    year, day = field("Y"), field("D")
    if "name" in names:
        place = {name: i + 1.0 for i, name in enumerate(_MONTHS)}
        text = pc.utf8_lower(pc.utf8_slice_codeunits(pc.struct_field(fields, "name"), 0, 3))
        month = np.array([place.get(one, np.nan) for one in text.to_pylist()])
    else:
        month = field("M")
    good = (month >= 1) & (month <= 12) & (day >= 1)
    months = np.where(good, (year - 1970) * 12 + month - 1, 0).astype(np.int64)
    begin = months.astype("M8[M]").astype("M8[D]").astype(np.int64)
    after = (months + 1).astype("M8[M]").astype("M8[D]").astype(np.int64)
    good &= begin + day - 1 < after
    return np.where(good, begin + day - 1, np.nan), good


def _half_day(fields: Any, hour: Floats) -> Floats:
    half = pc.utf8_lower(pc.struct_field(fields, "half")).to_pylist()
    morning, evening = (np.array([one == name for one in half], bool) for name in ("am", "pm"))
    shift = np.where(evening & (hour < 12), 12.0, 0.0)
    return (shift - np.where(morning & (hour == 12), 12.0, 0.0)) * _HOUR


def _fraction(text: pa.Array) -> Floats:
    """The digits behind a second, in microseconds."""
    digits = pc.utf8_slice_codeunits(pc.utf8_rpad(text, 6, padding="0"), 0, 6)
    return np.asarray(digits.cast(pa.float64()).to_numpy(zero_copy_only=False))


def _offset(fields: Any) -> Floats:
    zones = pc.struct_field(fields, "zone").to_pylist()
    known = {one: _one_offset(one) for one in set(zones)}
    return np.array([known[one] for one in zones], np.float64)


def _one_offset(zone: str | None) -> float:
    if zone in (None, "", "Z", "UTC"):
        return 0.0
    assert zone is not None
    minutes = 60 * int(zone[1:3]) + int(zone[-2:])
    return (-1 if zone[0] == "-" else 1) * minutes * 60e6


def _text(array: pa.Array) -> pa.Array:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _held(array: pa.Array) -> pa.Array:
    cells = named(array)
    none = pc.is_in(cells, value_set=pa.array(_NO_DATE))
    return pc.if_else(none, pa.scalar(None, pa.string()), cells)


def _calendar(unit: str, moment: Times) -> Floats:
    return moment.astype(f"M8[{unit}]").astype(np.int64).astype(np.float64)


_PARTS: Mapping[str, Callable[[Times], Floats]] = {
    "days": lambda t: t.astype(np.int64) / _DAY,
    "year": lambda t: _calendar("Y", t) + 1970,
    "month": lambda t: _calendar("M", t) % 12 + 1,
    "day": lambda t: _calendar("D", t) - _calendar("D", t.astype("M8[M]").astype("M8[us]")) + 1,
    "weekday": lambda t: (_calendar("D", t) + 3) % 7,
    "hour": lambda t: _calendar("h", t) % 24,
    "minute": lambda t: _calendar("m", t) % 60,
}
#: What a time becomes, by family; only what varies among the training rows is a feature.
PARTS: Mapping[Family, tuple[str, ...]] = {"calendar": tuple(_PARTS), "hours": ("hours",)}


def part_of(moments: Floats, part: str) -> Floats:
    """One part of times: days since 1970, year, month, day, weekday (Monday is 0), hour or minute; or hours.

    Examples
    --------
    >>> [part_of(np.array([86400e6]), part).item() for part in ("days", "year", "day", "weekday", "hour")]
    [1.0, 1970.0, 2.0, 4.0, 0.0]
    """
    if part == "hours":
        return moments / _HOUR
    absent = np.isnan(moments)
    whole = np.where(absent, 0, moments).astype(np.int64).astype("M8[us]")
    return np.where(absent, np.nan, _PARTS[part](whole))


def parts_that_vary(moments: Floats, form: str) -> tuple[str, ...]:
    """The parts of times that are not the same on all rows; the first where none varies."""
    known = PARTS[family_of(form)]
    held = moments[~np.isnan(moments)]
    varying = [part for part in known if len(np.unique(part_of(held, part))) > 1]
    return tuple(varying) or known[:1]


def is_zone(zone: str) -> bool:
    """Whether a zone is known here; no zone is one."""
    if zone == "":
        return True
    try:
        pc.local_timestamp(pa.array([0], pa.timestamp("us", zone)))
    except (pa.ArrowException, ValueError, TypeError):
        return False
    return True


def require_time(form: str, zone: str, parts: tuple[str, ...]) -> None:
    """Refuse what is no way to read times, in a document that may have been written by anybody."""
    require(form in FORMS, "form", f"one of {list(FORMS)}", form)
    require(is_zone(zone), "zone", "the name of a time zone", zone)
    known = PARTS[family_of(form)]
    good = 0 < len(set(parts)) == len(parts) and set(parts) <= set(known)
    require(good, "parts", f"some of {list(known)}", parts)


def time_parts(array: pa.Array, place: Place) -> tuple[str, str, tuple[str, ...]] | None:
    """How the times of a column are written, their zone, and which parts vary; None where it holds others.

    Examples
    --------
    >>> time_parts(pa.array(["2024-02-29", "2024-03-01"]), Place("t", "x"))
    ('year-month-day', '', ('days', 'month', 'day', 'weekday'))
    """
    written = time_form(array)
    if written is None:
        return None
    return *written, parts_that_vary(read_times(array, *written, place), written[0])
