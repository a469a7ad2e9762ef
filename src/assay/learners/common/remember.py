"""How learners keep digests of the rows they learn from: one way for all of them.

`register` puts every learner's ``fit`` and ``partial_fit`` into the wrappers of this file; those that learn one
example at a time call `remember_one` of `assay.learners.common.learned_rows` where they have read it. What is kept,
`fitted_rows_`, says `assay.evidence.fitted_rows`.

A learner that began without them, or that was loaded from a file without them, never keeps any: they would be those of
some rows only.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from assay.evidence.fitted_rows import FittedRows

C = TypeVar("C", bound=type)
Learn = Callable[..., Any]


class Share(NamedTuple):
    """How many rows of a table are kept: all of so many, then one in so many, and at most so many, of so many cells."""

    all_of: int
    one_in: int
    most: int
    cells: int

    def of(self, rows: int, width: int) -> int:
        """How many of so many rows of this width."""
        wanted = min(max(self.all_of, rows // self.one_in), self.most)
        return max(_LEAST, min(wanted, self.cells // max(1, width)))


_LEAST = 256
# To digest a row takes as long as some passes over it do, and shall take less than a twentieth of the time to learn
# it: so the less learners do with a row, the fewer are kept.
_PASSES = Share(2**12, 64, 2**12, 2**18)
_SHARES = {
    "ensembles": Share(2**13, 4, 2**16, 2**26),
    "kernel": Share(2**16, 1, 2**16, 2**26),
    "neural": Share(2**13, 4, 2**16, 2**26),
    "trees": Share(2**13, 4, 2**16, 2**26),
}
# Those that learn from losses, not from rows.
_WITHOUT_ROWS = ("bandits", "contextual", "experts")
_busy = threading.local()


def remembering(learner: C, family: str) -> C:
    """Let a learner keep digests of the rows it learns from."""
    if family in _WITHOUT_ROWS:
        return learner
    share = _SHARES.get(family, _PASSES)
    for name, wrapped in (("fit", _fitting), ("partial_fit", _going_on)):
        learn = getattr(learner, name, None)
        held = vars(learner).get(name)
        if learn is None or (held is not None and not callable(held)):
            continue  # scikit-learn's available_if: such a method has its wrapper within
        if not hasattr(learn, "remembers"):
            setattr(learner, name, wrapped(learn, share))
    return learner


def _fitting(learn: Learn, share: Share) -> Learn:
    @functools.wraps(learn)
    def fit(self: Any, X: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        if within_another():
            return learn(self, X, y, *args, **kwargs)
        from assay.learners.common import learned_rows  # only here: a class shall cost little

        warm = getattr(self, "warm_start", False) and has_learned(self)
        elsewhere = vars(self).get("fitted_by_")
        if warm and elsewhere is not None:
            from assay.errors import BadParameter

            raise BadParameter(
                f"warm_start must be False to fit this {type(self).__name__}, which was fitted by {elsewhere}: how "
                "that fit would go on is not known."
            )
        before = vars(self).pop("fitted_rows_", None)
        try:
            with quietly():
                answer = learn(self, X, y, *args, **kwargs)
        except BaseException:
            _put(self, before)
            raise
        vars(self).pop("fitted_by_", None)
        if warm:
            _put(self, learned_rows.rows_joined(before, X, y, share))
        elif _remembers():
            weights = _weights(learn, args, kwargs)
            _put(self, learned_rows.rows_of_table(X, y, share, weights))
        return answer

    fit.remembers = True  # type: ignore[attr-defined]
    return fit


def _remembers() -> bool:
    from assay.learners.common.config import get_config  # only here: names shall cost nothing

    return get_config()["remember_rows"]


def going_on(learn: Learn) -> Learn:
    """A ``partial_fit`` that adds the digests of its rows."""
    return _going_on(learn, _PASSES)


def _going_on(learn: Learn, _share: Share) -> Learn:
    @functools.wraps(learn)
    def partial_fit(self: Any, X: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        if within_another():
            return learn(self, X, y, *args, **kwargs)
        from assay.learners.common import learned_rows  # only here: a class shall cost little

        before, played = learned_rows.rows_so_far(self), _played(self)
        try:
            with quietly():
                answer = learn(self, X, y, *args, **kwargs)
        except BaseException:
            # Some learners keep what came before a row that they refuse.
            learned = _played(self) - played
            if before is not None and learned > 0:
                _put(self, learned_rows.rows_after(before, X[:learned], y[:learned]))
            raise
        if before is not None:
            _put(self, learned_rows.rows_after(before, X, y))
        return answer

    partial_fit.remembers = True  # type: ignore[attr-defined]
    return partial_fit


def within_another() -> bool:
    """Whether a learner is being fitted within another."""
    return getattr(_busy, "inside", False)


@contextmanager
def quietly() -> Iterator[None]:
    """Learners that are fitted within keep no digests: they are parts of one that does, or soon forgotten."""
    before = within_another()
    _busy.inside = True
    try:
        yield
    finally:
        _busy.inside = before


def has_learned(model: Any) -> bool:
    """Whether a learner has learned anything: such attributes end in an underscore."""
    return any(name.endswith("_") for name in vars(model))


def _weights(learn: Learn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if args:
        names = list(inspect.signature(learn).parameters)[3:]
        kwargs = dict(zip(names, args, strict=False)) | kwargs
    return kwargs.get("sample_weight")


def _put(model: Any, kept: FittedRows | None) -> None:
    if kept is None:
        vars(model).pop("fitted_rows_", None)
    else:
        model.fitted_rows_ = kept


def _played(model: Any) -> int:
    players = vars(model).get("players_")
    return int(players[0].rounds) if players else 0
