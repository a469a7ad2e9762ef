"""The cells of a column as numbers, truth values, categories or labels.

A column arrives as Arrow has it; text stands for a number or a truth value where one is asked for,
since that is what the cells of a CSV file are. What does not fit is refused with file, column and
row; rows are counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from assay.data.remedies import NAME_IT, NAN_OR_ZERO, WITH_DROP
from assay.errors import BadData, Remedy, Where
from assay.types import Array, Floats, Ints

Kind = Literal["whole", "truth", "number", "text"]

# What CSV files hold where a number is missing; in a column of text each of them is a word.
_NO_NUMBER = (
    "NA N/A n/a na #N/A <NA> NULL Null null NaN nan NaT None none ? - -- . "
    "#DIV/0! #NAME? #NULL! #NUM! #REF! #VALUE!"
)
_MISSING = pa.array(["", *_NO_NUMBER.split()])
_NO_LABEL = pa.array(["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan", "?"])
# In small letters: what stands for true and false where these are asked for.
_YES, _NO = pa.array(["true", "t", "yes", "y", "on"]), pa.array(["false", "f", "no", "n", "off"])
_WHOLE = r"^[+-]?\d+$"
_PADDED = r"^\s*[+-]?0\d+\s*$"
_NUMERAL = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
# Numbers as people write them: 1,234.50  1'234  12 %  $5  -3 €  (40); thousands in groups of three.
_GROUPED = r"(\d+|\d{1,3}(,\d{3})+|\d{1,3}([ '\x{a0}\x{202f}]\d{3})+)(\.\d+)?"
_SIGN = r"[-+]?[$€£¥]? ?[-+]?"
_WRITTEN = rf"^({_SIGN}{_GROUPED} ?[%$€£¥]?|\([$€£¥]?{_GROUPED}\))$"
_DECORATION = r"[ '\x{a0}\x{202f},$€£¥%()+]"
_PLURAL = {"whole": "whole numbers", "truth": "truth values", "number": "numbers", "text": "text"}


class BadCell(BadData):
    """A refusal that knows its row, counted from 0 in the batch at hand."""

    row: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column stands: its table, its name, and how many rows came before this batch."""

    table: str
    column: str
    done: int = 0

    def refuse(self, row: int, value: object, why: str, remedy: Remedy | None = None) -> BadCell:
        """The refusal of one cell."""
        where = Where(row=self.done + row + 1, name=self.column)
        refusal = BadCell(f"{self.table} holds {value} in ", where, why, remedy=remedy)
        refusal.row = row
        return refusal

    def missing(self, row: int) -> BadCell:
        """The refusal of a cell that holds nothing."""
        remedy = ("Fill it in, leave the column out, or ", NAN_OR_ZERO, ".")
        return self.refuse(row, "no value", ".", remedy)


def rows_before_bad(
    read: Callable[[], Iterable[Any]], made: Callable[[Any, int], Any]
) -> Iterator[Any]:
    """What is made of each batch, given how many rows came before it; all rows before a bad one come first.

    Batches are asked for here, and held by no name: a refusal keeps its frames, and so would keep them open.
    """
    done = 0
    for batch in read():
        refusal: BadCell | None = None
        while True:
            try:
                piece = made(batch, done)
                break
            except BadCell as problem:
                # Another column may have a bad cell further up.
                refusal, batch = problem, batch.slice(0, problem.row)
        if batch.num_rows:
            yield piece
        if refusal is not None:
            raise refusal
        done += batch.num_rows


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def kind_of_type(kind: pa.DataType) -> Kind | None:
    """What a column of this type holds; None for one that cannot be read."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if is_text(kind):
        return "text"
    if pa.types.is_boolean(kind):
        return "truth"
    if pa.types.is_integer(kind):
        return "whole"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    return None


def kind_of_labels(array: pa.Array) -> Kind | None:
    """What labels of an untyped column are: as any cells, but ``01`` and ``5 %`` are names and no numbers.

    Examples
    --------
    >>> kind_of_labels(pa.array(["01", "1"])), kind_of_labels(pa.array(["0", "1"]))
    ('text', 'whole')
    """
    return "text" if has_padded(array) else _kind_of(named(array))


def has_padded(array: pa.Array) -> bool:
    """Whether a column of text holds a whole number written with leading zeros."""
    return bool(pc.any(pc.match_substring_regex(array, _PADDED)).as_py())


def kind_of_cells(array: pa.Array) -> Kind | None:
    """What the text of an untyped column stands for; None where no cell holds a value.

    A column that holds numbers for the most part is one of numbers, so that a stray word is refused
    where it is read, and not taken for a category. If all of its values are numbers as people write them, such as
    ``$1,234.50`` or ``12 %``, it is one of numbers too.

    Examples
    --------
    >>> kind_of_cells(pa.array(["1", "2.5", "NA"]))
    'number'
    >>> kind_of_cells(pa.array(["1", "2.5", "oops"]))
    'number'
    >>> kind_of_cells(pa.array(["$1,200", "$85.50"])), kind_of_cells(pa.array(["12,5", "1,200"]))
    ('number', 'text')
    """
    held = named(array)
    kind = _kind_of(held, ones=True)
    if kind == "text" and pc.all(pc.match_substring_regex(held, _WRITTEN)).as_py():
        return "number"
    return kind


def _kind_of(held: pa.Array, ones: bool = False) -> Kind | None:
    """What text stands for, as programs write it; whether 1 and 0 among truth values are such values too."""
    if held.null_count == len(held):
        return None
    tests: Sequence[tuple[Kind, Callable[[pa.Array], object]]] = (
        ("whole", _as_whole),
        ("truth", lambda cells: _as_truth(cells, ones)),
        ("number", lambda cells: cells.cast(pa.float64())),
    )
    for kind, test in tests:
        try:
            test(held)
        except pa.ArrowInvalid:
            continue
        return kind
    wholes, numerals = (_share(held, pattern) for pattern in (_WHOLE, _NUMERAL))
    if numerals <= 0.5:
        return "text"
    return "whole" if wholes == numerals else "number"


def _share(cells: pa.Array, pattern: str) -> float:
    return float(pc.mean(pc.match_substring_regex(cells, pattern)).as_py())


def numbers(array: pa.Array, place: Place) -> Floats:
    """The column as floats, NaN where a value is missing; infinities are refused.

    Examples
    --------
    >>> numbers(pa.array(["1", " 2.5", "NA"]), Place("scores.csv", "score")).tolist()
    [1.0, 2.5, nan]
    """
    array = _plain(array, place)
    if is_text(array.type):
        array = _cast_text(array, pa.float64(), place, "where a number is needed.", NAME_IT)
    elif pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    values: Floats = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    infinite = np.isinf(values)
    if infinite.any():
        row = int(infinite.argmax())
        raise place.refuse(row, values[row], ", which is not a finite number.")
    return values


def truths(array: pa.Array, place: Place) -> Floats:
    """The column as 0 and 1, NaN where a value is missing.

    Examples
    --------
    >>> truths(pa.array([True, None, False]), Place("votes.csv", "aid")).tolist()
    [1.0, nan, 0.0]
    >>> truths(pa.array(["Yes", "NA", "no"]), Place("votes.csv", "aid")).tolist()
    [1.0, nan, 0.0]
    """
    array = _plain(array, place)
    if is_text(array.type):
        # Words become 1 and 0, which are truth values themselves and judged below.
        cells = named(array)
        small = pc.utf8_lower(cells)
        cells = pc.if_else(pc.is_in(small, value_set=_NO), "0", cells)
        cells = pc.if_else(pc.is_in(small, value_set=_YES), "1", cells)
        array = _cast_text(cells, pa.float64(), place, "where true or false is needed.")
    values = numbers(array, place)
    odd = ~((values == 0) | (values == 1) | np.isnan(values))
    if odd.any():
        row = int(odd.argmax())
        raise place.refuse(row, f"{values[row]:g}", ", where true or false, 1 or 0 is needed.")
    return values


def codes(array: pa.Array, categories: pa.Array, place: Place) -> Ints:
    """Each cell's place among the categories: -1 where it is missing, -2 where it is none of them.

    Examples
    --------
    >>> codes(pa.array(["b", None, "c"]), pa.array(["a", "b"]), Place("t", "x")).tolist()
    [1, -1, -2]
    """
    words = as_words(array, place)
    if pa.types.is_dictionary(words.type):
        places = _places(words.dictionary, categories)
        indices = words.indices.fill_null(0).to_numpy(zero_copy_only=False)
        coded = places[indices] if len(places) else np.full(len(words), -1)
    else:
        coded = _places(words, categories)
    if words.null_count:
        coded[words.is_null().to_numpy(zero_copy_only=False)] = -1
    return coded


def _places(words: pa.Array, categories: pa.Array) -> Ints:
    places = pc.index_in(words, value_set=categories).fill_null(-2)
    return np.asarray(places.to_numpy(zero_copy_only=False).astype(np.int64))


def as_words(array: pa.Array, place: Place) -> pa.Array:
    """The column as text, perhaps coded by a dictionary: whole numbers and truth values written out."""
    if pa.types.is_dictionary(array.type) and is_text(array.type):
        if not pa.types.is_string(array.type.value_type):
            array = array.cast(pa.dictionary(array.type.index_type, pa.string()))
        return array
    array = _plain(array, place)
    if pa.types.is_floating(array.type) or pa.types.is_decimal(array.type):
        odd = ~np.equal(np.mod(values := numbers(array, place), 1), 0) & ~np.isnan(values)
        if odd.any():
            row = int(odd.argmax())
            why = ", which is no category: categories are text, whole numbers or truth values."
            raise place.refuse(row, f"{values[row]:g}", why)
        array = array.cast(pa.int64())
    return array.cast(pa.string())


def labels(array: pa.Array, kind: Kind, place: Place) -> Array:
    """The column to predict, as its kind has it; a missing label is refused.

    Examples
    --------
    >>> labels(pa.array(["3", "4"]), "whole", Place("digits.csv", "digit"))
    array([3, 4])
    """
    if kind == "text":
        return _texts(as_words(array, place), place)
    if kind == "truth":
        values: Array = truths(array, place)
    elif kind == "number":
        array = _plain(array, place)
        if is_text(array.type):
            array = _cast_text(array, pa.float64(), place, _otherwise("number"))
        values = numbers(array, place)
    else:
        return _whole(_plain(array, place), place)
    absent = np.isnan(values)
    if absent.any():
        raise _no_label(place, int(absent.argmax()))
    return values.astype(bool) if kind == "truth" else values


def _whole(array: pa.Array, place: Place) -> Array:
    if is_text(array.type):
        array = _cast_text(array, pa.int64(), place, _otherwise("whole"))
    if array.null_count:
        raise _no_label(place, _first(array.is_null()))
    try:
        return np.array(array.cast(pa.int64()))
    except pa.ArrowInvalid:
        values = array.to_pylist()
        row = next(i for i, v in enumerate(values) if v != v or v % 1 or not -(2**63) <= v < 2**63)
        raise place.refuse(row, values[row], f", {_otherwise('whole')}") from None


def _texts(words: pa.Array, place: Place) -> NDArray[np.object_]:
    if words.null_count:
        raise _no_label(place, _first(words.is_null()))
    if not pa.types.is_dictionary(words.type):
        words = words.dictionary_encode()  # so that equal labels are one object
    names = np.array(words.dictionary.to_pylist(), dtype=object)
    taken: NDArray[np.object_] = names[words.indices.to_numpy(zero_copy_only=False)]
    return taken


def _no_label(place: Place, row: int) -> BadCell:
    return place.refuse(row, "no label", ". Every row needs one; take the row out.")


def _otherwise(kind: Kind) -> str:
    return f"but the rows before hold {_PLURAL[kind]}. Write the whole column one way."


def _plain(array: pa.Array, place: Place) -> pa.Array:
    """The column without a dictionary; refuses what is no number, truth value or text."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if kind_of_type(array.type) is not None or pa.types.is_null(array.type):
        return array
    raise BadData(
        f"{place.table} holds values of type {array.type} in column {place.column!r}; features are "
        f"numbers, truth values or text.",
        remedy=("Convert the column, or leave it out", WITH_DROP, "."),
    )


def named_labels(array: Any) -> Any:
    """Labels of an untyped column, where the words that only ever mean that there is none are missing.

    A dash or ``None`` may be a class among others, where labels are text.

    Examples
    --------
    >>> named_labels(pa.array(["yes", "NA", "none", ""])).to_pylist()
    ['yes', None, 'none', None]
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    if kind_of_labels(_decoded(array)) not in ("text", None):
        return named(array)
    words = pc.utf8_trim_whitespace(_decoded(array).cast(pa.string()))
    absent = pc.is_in(words, value_set=_NO_LABEL)
    return pc.if_else(absent, pa.scalar(None, pa.string()), words)


def _decoded(array: pa.Array) -> pa.Array:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def named(array: pa.Array) -> pa.Array:
    """Text without the spaces around it; words for a missing value are missing."""
    array = pc.utf8_trim_whitespace(array.cast(pa.string()))
    absent = pc.is_in(array, value_set=_MISSING)
    return pc.if_else(absent, pa.scalar(None, pa.string()), array)


def _as_whole(cells: pa.Array) -> pa.Array:
    whole = cells.cast(pa.int64())
    # Arrow reads 0x1f as a whole number, and as no other.
    if pc.any(pc.match_substring(cells, "x", ignore_case=True)).as_py():
        raise pa.ArrowInvalid("some of these are not decimal")
    return whole


def _as_truth(cells: pa.Array, ones: bool) -> pa.Array:
    small = pc.utf8_lower(cells)
    true = pc.is_in(small, value_set=pa.array(["true", "1"] if ones else ["true"]))
    false = pc.is_in(small, value_set=pa.array(["false", "0"] if ones else ["false"]))
    if not pc.all(pc.or_(pc.or_(true, false), cells.is_null())).as_py():
        raise pa.ArrowInvalid("not all of these are true or false")
    return pc.if_else(cells.is_null(), pa.scalar(None, pa.bool_()), true)


def _as_written(cells: pa.Array) -> pa.Array:
    """Numbers as people write them; those in parentheses are below zero, and a percentage is in hundredths."""
    decorated = pc.match_substring_regex(cells, _WRITTEN)
    bare = pc.if_else(decorated, pc.replace_substring_regex(cells, _DECORATION, ""), cells)
    values = bare.cast(pa.float64())
    below = pc.and_(decorated, pc.starts_with(cells, "("))
    values = pc.if_else(below, pc.negate(values), values)
    hundredths = pc.and_(decorated, pc.ends_with(cells, "%"))
    return pc.if_else(hundredths, pc.divide(values, 100.0), values)


def _cast_text(
    array: pa.Array, to: pa.DataType, place: Place, needed: str, remedy: Remedy | None = None
) -> pa.Array:
    try:
        return array.cast(to)
    except pa.ArrowInvalid:
        cells = named(array)
    written = _as_written if to == pa.float64() else lambda some: some.cast(to)
    try:
        return written(cells)
    except pa.ArrowInvalid:
        row = _first_that_fails(cells, written)
        raise place.refuse(row, repr(array[row].as_py()), f", {needed}", remedy) from None


def _first_that_fails(cells: pa.Array, read: Callable[[pa.Array], pa.Array]) -> int:
    """By halving: the rows before `low` can be cast, some row before `high` cannot."""
    low, high = 0, len(cells)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            read(cells.slice(low, middle - low))
        except pa.ArrowInvalid:
            high = middle
        else:
            low = middle
    return low


def _first(flags: pa.Array) -> int:
    return int(pc.index(flags, pa.scalar(True)).as_py())
