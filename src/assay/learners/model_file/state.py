"""The state of a learner as plain values and arrays, and back.

The parameters of a learner and its learned attributes (those that end in ``_``) are its state, and the state of a part
of it, such as a player of an online learner, is all attributes of the part. A learner may hold other learners, as an
ensemble does, and records that it declares.
Values may be numbers, text, truth values, None, arrays of numbers or text, sparse rows, and lists, tuples
and dicts of these; anything else is refused on saving, so that nothing is lost without being noticed.

On the way back a part is never made from what a file says. The learner makes a fresh one, and the state is put into it
attribute by attribute, each of which must be what its class declares: see `assay.learners.model_file.declared`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from assay.errors import BadParameter
from assay.kernels import Kernel, kernel_text, read_kernel
from assay.learners.common.kinds import Sizes
from assay.learners.common.policy import Policy
from assay.learners.common.rows import Rows
from assay.learners.common.settings import Settled
from assay.learners.model_file.declared import (
    require_all_or_none,
    require_attribute,
    require_kinds,
    require_record,
    state_of,
    state_of_learner,
)
from assay.learners.model_file.parameters import require_parameter
from assay.learners.registry import find_learner, make_learner, name_of
from assay.types import Array

_PLAIN = (type(None), bool, int, str)


class Encoder:
    """Turns values into JSON, and puts the arrays it meets aside."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self._records: set[type] = set()

    def encode(self, value: Any) -> Any:
        """A value as JSON; whatever is not plain becomes an object with one entry, its kind."""
        if isinstance(value, np.ndarray):
            return self._array(value)
        if type(value) in _PLAIN:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic):
            return {"scalar": self._put(np.asarray(value))}
        if _is_log(value):
            columns = {name: np.array([entry[name] for entry in value]) for name in value[0]}
            return {"log": self.encode_each(columns)}
        if type(value) in (list, tuple):
            return {type(value).__name__: [self.encode(item) for item in value]}
        if type(value) is dict:
            return {"dict": [[self._key(k), self.encode(v)] for k, v in value.items()]}
        if isinstance(value, Rows):
            return {"rows": self.encode(value.whole)}
        if sparse.issparse(value):
            return self._sparse(sparse.csr_matrix(value))
        if hasattr(value, "_begun_with"):
            return {"player": [*value._begun_with, *self._part(value)]}
        if isinstance(value, Kernel):
            return {"kernel": self._kernel(value)}
        if isinstance(value, BaseEstimator | Policy):
            return {"learner": self.learner(value)}
        kind = type(value)
        own = kind.__module__.startswith("assay.")
        if own or kind in self._records or hasattr(kind, "state"):
            return {"part": self._part(value)}
        raise TypeError(f"it holds a {type(value).__name__}, which a model file cannot")

    def learner(self, model: Any, without: tuple[str, ...] = ()) -> list[Any]:
        """A learner: its name, its parameters, and what it has learned, as it declares."""
        try:
            name = name_of(model)
        except BadParameter:
            kind = type(model)
            home = kind.__module__.split(".")[0]
            raise TypeError(
                f"it holds a {kind.__name__} of {home}, and only assay's own learners can stand in a model file"
            ) from None
        if hasattr(model, "_require_saveable"):
            model._require_saveable()
        kinds = state_of_learner(type(model))
        self._records.update(*(kind.records for kind in kinds.values()))
        learned = {key: held for key, held in learned_of(model).items() if key not in without}
        encoded = [name, self.encode_each(parameters_of(model)), self.encode_each(learned)]
        for key in learned.keys() - kinds.keys():
            raise TypeError(f"it declares no attribute {key!r}")
        return encoded

    @staticmethod
    def _kernel(kernel: Kernel) -> str:
        try:
            return kernel_text(kernel)
        except BadParameter as problem:
            raise TypeError(str(problem).rstrip(".")) from None

    def _part(self, part: Any) -> list[Any]:
        if hasattr(part, "_settle"):
            part._settle()
        held, kinds = vars(part), state_of(type(part))
        self._records.update(*(kind.records for kind in kinds.values()))
        if is_dataclass(part):
            # What was worked out from the fields is worked out again.
            held = {field.name: held[field.name] for field in fields(part)}
        return [type(part).__name__, self.encode_each(held)]

    def encode_each(self, values: dict[str, Any]) -> dict[str, Any]:
        """Attributes as JSON, in an order that does not depend on when they were set."""
        return {name: self.encode(values[name]) for name in sorted(values)}

    def _key(self, key: Any) -> Any:
        key = key.item() if isinstance(key, np.generic) else key
        if type(key) not in (*_PLAIN, float):
            raise TypeError(f"it holds a dict with a {type(key).__name__} for a key")
        return self.encode(key)

    def _array(self, array: Array) -> Any:
        if array.dtype.kind in "biufU":
            return {"array": self._put(array)}
        if array.dtype.kind == "O" and array.ndim == 1:
            items = array.tolist()
            if all(type(item) in _PLAIN for item in items):
                return {"objects": items}
        raise TypeError(f"it holds an array of type {array.dtype}, which a model file cannot")

    def _sparse(self, matrix: Any) -> Any:
        parts = (matrix.data, matrix.indices, matrix.indptr)
        return {"csr": [*(self._put(part) for part in parts), *matrix.shape]}

    def _put(self, array: Array) -> int:
        # Little-endian and in one piece, whatever machine or view it comes from.
        packed = np.ascontiguousarray(array).reshape(array.shape)
        self.arrays.append(packed.astype(packed.dtype.newbyteorder("<"), copy=False))
        return len(self.arrays) - 1


class Decoder:
    """The inverse, for JSON that may have been written by anybody."""

    def __init__(self, arrays: list[Array]) -> None:
        self._arrays = arrays

    def learner(self, name: str, parameters: dict[str, Any], learned: dict[str, Any]) -> Any:
        """A learner from its name, its parameters, and what it had learned."""
        renamed = getattr(find_learner(name), "_renamed", {})  # since earlier versions
        given = {renamed.get(key, key): self.decode(value) for key, value in parameters.items()}
        model = make_learner(name, given)
        for parameter, value in given.items():
            require_parameter(type(model), parameter, value)
        self.fill(model, learned)
        return model

    def fill(self, model: Any, learned: dict[str, Any]) -> None:
        """Give a fresh learner what it had learned."""
        kinds = state_of_learner(type(model))
        earlier = {
            (names,) if isinstance(names, str) else names: read
            for names, read in getattr(model, "earlier_state", {}).items()
        }
        others = set(itertools.chain(*earlier))
        for name in learned.keys() - others:
            # What the class has by itself could be hidden by what a file holds.
            if name not in kinds or hasattr(type(model), name):
                raise ValueError(f"{name} is none of its attributes")
        begun = [name for name in learned if name in kinds and kinds[name].begun]
        held = {
            name: self.decode(value, records=kinds[name].records)
            for name, value in learned.items()
            if name in kinds and name not in begun
        }
        records = tuple(itertools.chain(*(kind.records for kind in kinds.values())))
        for names, read in earlier.items():
            if not learned.keys().isdisjoint(names):
                held |= read(*(self.decode(learned[name], records=records) for name in names))
        sizes = Sizes(held)
        require_kinds(kinds, held, sizes)
        vars(model).update(held)
        # What the learner begins by itself, it begins by all the rest.
        for name in begun:
            [saved] = learned[name].values()
            held[name] = [self._begun(model, item) for item in saved]
            setattr(model, name, held[name])
        require_kinds(kinds, {name: held[name] for name in begun}, sizes)
        if any(kinds[name].needed for name in held):
            for name in getattr(model, "later_state", {}).keys() - held.keys():
                held[name] = model.later_state[name](model)
                setattr(model, name, held[name])
                require_kinds(kinds, {name: held[name]}, sizes)
        if require_all_or_none(kinds, held, getattr(model, "enough", ())):
            _require_settings(model)
            _ask(model)

    def _begun(self, model: Any, saved: dict[str, Any]) -> Any:
        [width, dtype, kind, state] = saved["player"]
        if dtype not in ("<f4", "<f8"):
            raise ValueError("weights of no known type")
        # The width is believed only if there are arrays of that size.
        sizes = [len(array) for array in self._arrays if array.ndim == 1]
        if _whole(width) not in sizes:
            raise ValueError(f"there are no {width} weights")
        player = model._begin(width, np.dtype(dtype))
        if type(player).__name__ != kind or not set(player.arrays) <= set(state):
            raise ValueError(f"its player is a {kind}")
        self._part(kind, state, player, ())
        return player

    def decode(self, value: Any, fresh: Any = None, records: tuple[type, ...] = ()) -> Any:
        """The value that JSON stands for.

        Parameters
        ----------
        value : JSON
        fresh : object
            What a fresh part holds in its place.
        records : tuple of dataclasses
            Those that may stand in this place, or within what stands there.
        """
        if type(value) in _PLAIN or type(value) is float:
            return value
        if type(value) is not dict or len(value) != 1:
            raise ValueError("an entry of no known kind")
        [(kind, inner)] = value.items()
        if kind == "float":
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[inner]
        if kind in ("array", "scalar"):
            array = self._take(inner)
            if kind == "scalar" and array.ndim:
                raise ValueError("a scalar that is an array")
            return array if kind == "array" else array[()]
        if kind == "objects":
            return self._objects(inner)
        if kind in ("list", "tuple"):
            items = [self.decode(item, records=records) for item in inner]
            return items if kind == "list" else tuple(items)
        if kind == "log":
            return self._log(inner)
        if kind == "dict":
            return {self.decode(k): self.decode(v, records=records) for k, v in inner}
        if kind == "csr":
            return self._sparse(*inner)
        if kind == "rows":
            return self._rows(self.decode(inner))
        if kind == "kernel":
            return read_kernel(inner)
        if kind == "learner":
            return self.learner(*inner)
        if kind == "part":
            [name, state] = inner
            return self._part(name, state, fresh, records)
        raise ValueError(f"an entry of the unknown kind {kind!r}")

    def _part(self, kind: Any, saved: dict[str, Any], fresh: Any, records: tuple[type, ...]) -> Any:
        if type(fresh).__name__ != kind:
            allowed = {record.__name__: record for record in records}
            return self._record(kind, saved, allowed[kind], records)
        if is_dataclass(fresh):
            made = self._record(kind, saved, type(fresh), ())
            require_record(made, fresh)
            return made
        held, kinds = vars(fresh), state_of(type(fresh))
        # An attribute that came with a later version starts as a fresh part has it.
        if not set(saved) <= set(held):
            raise ValueError(f"a {kind} has other attributes")
        for name, value in saved.items():
            declared = kinds.get(name)
            part = self.decode(value, held[name], declared.records if declared else ())
            require_attribute(declared, name, held[name], part)
            setattr(fresh, name, part)
        _ask(fresh)
        return fresh

    def _record(
        self, kind: str, saved: dict[str, Any], record: Any, records: tuple[type, ...]
    ) -> Any:
        given = {field.name: _given(field) for field in fields(record)}
        # A field that came with a later version has what it has by itself.
        if not {name for name in given if given[name]} <= set(saved) <= set(given):
            raise ValueError(f"a {kind} has other fields")
        return record(
            **{name: self.decode(value, records=records) for name, value in saved.items()}
        )

    def _take(self, place: Any) -> Array:
        if type(place) is not int or place < 0:
            raise ValueError("an array that is not there")
        # A copy, or two entries that name one array would share their memory.
        array = self._arrays[place].copy()
        if array.dtype.kind == "b" and (array.view(np.uint8) > 1).any():
            raise ValueError("truth values that are none")
        if array.dtype.kind == "U":
            array.tolist()  # refuses what is no text
        return array

    def _sparse(self, data: Any, indices: Any, pointers: Any, rows: Any, columns: Any) -> Any:
        cells, places, starts = self._take(data), self._take(indices), self._take(pointers)
        height, width = _whole(rows), _whole(columns)
        # Compiled loops follow the indices without looking, so nothing is left to chance here.
        if cells.dtype not in (np.float32, np.float64) or not np.isfinite(cells).all():
            raise ValueError("sparse rows of no finite numbers")
        if any(part.dtype not in (np.int32, np.int64) for part in (places, starts)):
            raise ValueError("sparse rows with indices of another type")
        if cells.ndim != 1 or places.shape != cells.shape or starts.shape != (height + 1,):
            raise ValueError("sparse rows whose parts have other sizes")
        starts = starts.astype(np.int64)
        ordered = starts[0] == 0 and starts[-1] == len(cells) and (starts[1:] >= starts[:-1]).all()
        if not ordered or ((places < 0) | (places >= width)).any():
            raise ValueError("sparse rows with indices out of range")
        matrix = sparse.csr_matrix((cells, places, starts), shape=(height, width))
        matrix.check_format(full_check=True)
        return matrix

    def _log(self, columns: dict[str, Any]) -> list[dict[str, float]]:
        read = {name: self._column(self.decode(value)) for name, value in columns.items()}
        return [dict(zip(read, entry, strict=True)) for entry in zip(*read.values(), strict=True)]

    @staticmethod
    def _column(array: Any) -> list[float]:
        if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.ndim != 1:
            raise ValueError("a log of no numbers")
        column: list[float] = array.tolist()
        return column

    @staticmethod
    def _rows(whole: Any) -> Rows:
        if sparse.issparse(whole):
            return Rows(matrix=whole)
        if not isinstance(whole, np.ndarray) or whole.ndim != 2:
            raise ValueError("rows that are no table")
        return Rows(dense=whole)

    @staticmethod
    def _objects(items: Any) -> Array:
        if type(items) is not list or any(type(item) not in _PLAIN for item in items):
            raise ValueError("a list of no plain values")
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array


def _given(field: Any) -> bool:
    """Whether a field has to be given."""
    return field.default is MISSING and field.default_factory is MISSING


def parameters_of(model: Any) -> dict[str, Any]:
    """The parameters of a learner, other learners among them as they are."""
    return dict(model.get_params(deep=False))


def learned_of(model: Any) -> dict[str, Any]:
    """What a learner has learned; what begins with an underscore can be worked out again."""
    parameters = parameters_of(model)
    return {k: v for k, v in vars(model).items() if k not in parameters and not k.startswith("_")}


def _is_log(value: Any) -> bool:
    """Whether a value is a list of records of the same numbers, as a trace is."""
    return (
        type(value) is list
        and len(value) > 0
        and all(type(entry) is dict and entry.keys() == value[0].keys() for entry in value)
        and all(type(name) is str for name in value[0])
        and len(value[0]) > 0
        and all(type(number) is float for entry in value for number in entry.values())
    )


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value


def _require_settings(model: Any) -> None:
    """Refuse settings of a fit that its parameters could not have been."""
    if not isinstance(model, Settled):
        return
    if model.settings_.keys() != set(model.settings):
        raise ValueError("its settings are not those of its parameters")
    for name, value in model.settings_.items():
        require_parameter(type(model), name, value)


def _ask(part: Any) -> None:
    """Let a part or a learner refuse what only it can know to be wrong."""
    if hasattr(part, "_require_state"):
        part._require_state()
