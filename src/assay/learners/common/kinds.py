"""The kinds of values that learners and their parts keep, as they declare them in `state`.

Compiled loops follow arrays without looking, and theorems are asked about counts and lengths, so a kind takes what a
learner can hold, and nothing that only looks like it. Lengths and bounds may be names::

    state = declare(
        classes_=labels,
        class_count_=amounts("classes_"),
        theta_=numbers("classes_", "n_features_in_"),
        training_errors_=maybe(whole(most="rows_")),
    )

A name that ends in an underscore is an attribute: its length, or the attribute itself where that is a count. Any other
name is a length that all places share which name it; ``"problems"`` and ``"features"`` follow from `classes_` and
`n_features_in_`.
"""

from __future__ import annotations

import itertools
import math
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from assay.learners.common.rows import Rows

# Counts are added to in 64 bits, and numbers beyond this would soon overflow.
MOST = 2**62
LARGEST = 1e300
FINITE = float(np.finfo(np.float64).max)

Size = int | str | None
Bound = float | str


class Sizes:
    """What names of lengths stand for, among the attributes that came together."""

    def __init__(self, held: Mapping[str, Any]) -> None:
        self.held = held
        self._shared: dict[str, int] = {}

    def fits(self, name: Size, length: int) -> bool:
        """Whether something may be of this length."""
        if not isinstance(name, str):
            return name in (None, length)
        if name not in self._shared:
            self._shared[name] = self._derived(name, length)
        return self._shared[name] == length

    def _derived(self, name: str, length: int) -> int:
        if name == "problems":
            classes: int = self.of("classes_")
            return 1 if classes == 2 else classes
        if name == "features":
            return self.held.get("n_features_in_", length)  # type: ignore[no-any-return]
        return self.of(name) if name.endswith("_") else length

    def of(self, name: str) -> Any:
        """An attribute that is a number, or the length of another one."""
        if name not in self.held:
            raise ValueError(f"it has no {name}")
        value = self.held[name]
        return value if type(value) in (int, float) else len(value)

    def bound(self, value: Bound) -> float:
        """A bound that may be named."""
        return self.of(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Kind:
    """What may stand in one place of a model file.

    Attributes
    ----------
    test : callable
        Says of a value, and of what names of lengths stand for, whether it may stand there.
    needed : bool
        Whether a learner has it as soon as it has learned anything.
    records : tuple of dataclasses
        Those of which one may stand there, or within what stands there.
    begun : bool
        Whether the learner begins what stands there by itself, and the file says only how it went on.
    along : str
        An attribute without which this one is not there either, and the other way round; or nothing.
    """

    test: Callable[[Any, Sizes], Any]
    needed: bool = True
    records: tuple[type, ...] = ()
    begun: bool = False
    along: str = ""

    def __call__(self, value: Any, sizes: Sizes | None = None) -> bool:
        """Whether a value may stand there."""
        return bool(self.test(value, sizes or Sizes({})))

    def __or__(self, other: Kind) -> Kind:
        return Kind(
            lambda value, sizes: self(value, sizes) or other(value, sizes),
            self.needed,
            self.records + other.records,
        )

    def where(self, test: Callable[[Any], Any]) -> Kind:
        """The same kind, of values that pass a further test."""
        return replace(self, test=lambda value, sizes: self(value, sizes) and test(value))


def declare(**kinds: Kind | str) -> Any:
    """What a class holds, beside what its bases do: the kind of every attribute, or ``module:name`` of that kind."""
    return kinds


def maybe(kind: Kind, along: str = "") -> Kind:
    """The same of an attribute that a learner may lack: all by itself, or together with another one."""
    return replace(kind, needed=False, along=along)


def plain(test: Callable[[Any], Any]) -> Kind:
    """What passes a test by itself."""
    return Kind(lambda value, _: test(value))


# Single values


def whole(least: Bound = 0, most: Bound = MOST - 1) -> Kind:
    """A whole number within bounds."""
    return Kind(
        lambda value, sizes: type(value) is int and sizes.bound(least) <= value <= sizes.bound(most)
    )


def real(least: float = -FINITE, most: Bound = FINITE) -> Kind:
    """A number within bounds; NaN lies within none."""
    return Kind(lambda value, sizes: type(value) is float and least <= value <= sizes.bound(most))


def one_of(*values: Any) -> Kind:
    """One of these, of the same type."""
    return plain(lambda value: any(type(value) is type(v) and value == v for v in values))


def instance(kind: type) -> Kind:
    """An object that the decoder made by itself and that is in order: a kernel, or another learner."""
    return plain(lambda value: isinstance(value, kind))


count = whole()
finite = real()
#: A finite number of NumPy's.
float_scalar = plain(
    lambda value: type(value) in (np.float32, np.float64) and bool(np.isfinite(value))
)
size = real(0)
number = real(-math.inf, math.inf)
amount = real(0, math.inf)
flag = one_of(False, True)
text = plain(lambda value: type(value) is str)
label = one_of(False, True) | text | whole(1 - MOST) | finite
#: What a fresh part holds in the same place, and nothing else.
same = plain(lambda value: True)


# Several values


def _records_in(kinds: Iterable[Kind]) -> tuple[type, ...]:
    return tuple(itertools.chain(*(kind.records for kind in kinds)))


def optional(kind: Kind) -> Kind:
    """None, or this kind."""
    return replace(kind, test=lambda value, sizes: value is None or kind(value, sizes))


def each(kind: Kind, length: Size = None) -> Kind:
    """A list of this kind."""

    def fits(value: Any, sizes: Sizes) -> bool:
        listed = type(value) is list and sizes.fits(length, len(value))
        return listed and all(kind(item, sizes) for item in value)

    return Kind(fits, records=kind.records)


def group(*kinds: Kind, made: Any = tuple) -> Kind:
    """A tuple of these kinds, or a list of them."""

    def fits(value: Any, sizes: Sizes) -> bool:
        grouped = type(value) is made and len(value) == len(kinds)
        return grouped and all(kind(item, sizes) for kind, item in zip(kinds, value, strict=True))

    return Kind(fits, records=_records_in(kinds))


def entries(**kinds: Kind) -> Kind:
    """A dict of just these entries."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            type(value) is dict
            and value.keys() == kinds.keys()
            and all(kind(value[name], sizes) for name, kind in kinds.items())
        )

    return Kind(fits)


def renamed(name: str) -> Callable[[Any], dict[str, Any]]:
    """How an attribute is read, in a learner's `earlier_state`, that has another name now."""
    return lambda value: {name: value}


def record(made: type, **kinds: Kind) -> Kind:
    """A dataclass with fields of these kinds, which a file may hold where a fresh learner has none."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if type(value) is not made:
            return False
        inner = Sizes(ChainMap(vars(value), dict(sizes.held)))
        return all(kind(getattr(value, name), inner) for name, kind in kinds.items())

    return Kind(fits, records=(made, *_records_in(kinds.values())))


# Arrays


def array(
    dtypes: str,
    *shape: Size,
    least: float = -math.inf,
    most: Bound = math.inf,
    below: Bound = math.inf,
    nan: bool = False,
) -> Kind:
    """An array of one of these types whose numbers lie within bounds; without a shape, on one axis."""
    allowed, axes = [np.dtype(name) for name in dtypes.split()], shape or (None,)

    def fits(value: Any, sizes: Sizes) -> bool:
        alike = isinstance(value, np.ndarray) and value.dtype in allowed
        if not alike or value.ndim != len(axes) or not value.flags.c_contiguous:
            return False
        within = (value >= least) & (value <= sizes.bound(most))
        if below != math.inf:
            within &= value < sizes.bound(below)
        within = (within | np.isnan(value)) if nan else within
        return bool(within.all()) and all(map(sizes.fits, axes, value.shape))

    return Kind(fits)


def numbers(*shape: Size) -> Kind:
    """Numbers in double precision that have room to grow."""
    return array("<f8", *shape, least=-LARGEST, most=LARGEST)


def amounts(*shape: Size, most: Bound = LARGEST) -> Kind:
    """Such numbers, zero or more."""
    return array("<f8", *shape, least=0, most=most)


def counts(*shape: Size, least: int = 0, most: Bound = MOST, below: Bound = math.inf) -> Kind:
    """Whole numbers in 64 bits; places among so many things lie below their number."""
    return array("<i8", *shape, least=least, most=most, below=below)


def floats(*shape: Size, dtypes: str = "<f4 <f8") -> Kind:
    """Finite numbers in single or double precision."""
    return array(dtypes, *shape).where(lambda value: np.isfinite(value).all())


def _objects(check: Callable[[list[Any]], Any], length: Size) -> Kind:
    def fits(value: Any, sizes: Sizes) -> bool:
        alike = isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1
        return alike and bool(check(value.tolist())) and sizes.fits(length, len(value))

    return Kind(fits)


def _are_texts(items: list[Any]) -> bool:
    return all(type(item) is str for item in items)


def texts(length: Size = None) -> Kind:
    """Strings."""
    return _objects(_are_texts, length)


def names(length: Size = None) -> Kind:
    """Names of features or experts, each once: rows are read from dicts by them."""
    return _objects(lambda items: _are_texts(items) and len(set(items)) == len(items), length)


# What learners have in common


def _ascend(items: list[Any]) -> bool:
    alike = len({type(item) for item in items}) == 1 and type(items[0]) in (bool, int, float, str)
    return alike and all(one < other for one, other in itertools.pairwise(items))


#: Labels of one type and in order.
labels_or_one = plain(
    lambda value: (
        isinstance(value, np.ndarray)
        and value.ndim == 1
        and len(value) > 0
        and _ascend(value.tolist())
    )
)
#: Two of them or more.
labels = labels_or_one.where(lambda value: len(value) > 1)


def index(length: Size = None) -> Kind:
    """Features by name, numbered in their order."""
    return Kind(
        lambda value, sizes: (
            type(value) is dict
            and all(type(name) in (str, int) for name in value)
            and all(type(place) is int for place in value.values())
            and list(value.values()) == list(range(len(value)))
            and sizes.fits(length, len(value))
        )
    )


def _is_log(value: Any) -> bool:
    if type(value) is not list or not all(type(entry) is dict for entry in value):
        return False
    named = not value or (bool(value[0]) and all(type(name) is str for name in value[0]))
    return named and all(
        entry.keys() == value[0].keys() and all(type(v) is float for v in entry.values())
        for entry in value
    )


#: Rounds with the same columns of numbers.
log = plain(_is_log)


def log_of(*columns: str) -> Kind:
    """Rounds with just these columns."""
    return log.where(lambda value: not value or value[0].keys() == set(columns))


_settings = optional(label | number)
#: Plain values by name: what a learner compares with its own parameters.
parameters = plain(
    lambda value: (
        type(value) is dict
        and all(
            type(name) is str
            and (_settings(item) or (type(item) is tuple and all(map(_settings, item))))
            for name, item in value.items()
        )
    )
)

#: Examples of finite numbers in double precision.
block = plain(
    lambda value: (
        isinstance(value, Rows)
        and value.arrays[0].dtype == np.float64
        and np.isfinite(value.arrays[0]).all()
    )
)


def table(rows: Size = None, columns: Size = None) -> Kind:
    """Examples of finite numbers, dense or sparse; sparse ones were looked at when they were read."""
    cells = floats(rows, columns)
    return Kind(
        lambda value, sizes: (
            all(map(sizes.fits, (rows, columns), value.shape))
            if sparse.issparse(value)
            else cells(value, sizes)
        )
    )


def examples(rows: Size = None, columns: Size = None) -> Kind:
    """The same, or strings, which count as one column."""
    strings = texts(rows)
    return table(rows, columns) | Kind(
        lambda value, sizes: strings(value, sizes) and sizes.fits(columns, 1)
    )


def parts(length: Size = "problems") -> Kind:
    """Parts that the learner begins by itself, for so many problems, each with room for its features."""
    return Kind(
        lambda value, sizes: (
            type(value) is list
            and sizes.fits(length, len(value))
            and all(sizes.fits("n_features_in_", part.width) for part in value)
        ),
        begun=True,
    )
