"""Learning anew: all of it, or nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")
Learner = TypeVar("Learner")


def all_or_nothing(
    learn: Callable[Concatenate[Learner, Rest], Answer],
) -> Callable[Concatenate[Learner, Rest], Answer]:
    """A method that leaves its learner as it was where it refuses, rather than with parts of two samples.

    Compiled loops would read beyond the end of rows that are narrower than the learner says. The method may put
    new arrays in the place of old ones, but must not change these before it is past all refusals.
    """

    @functools.wraps(learn)
    def learned(self: Learner, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Answer:
        before = dict(vars(self))
        try:
            return learn(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return learned


def forget(model: Any) -> None:
    """Take away all that a learner has learned."""
    for name in list(vars(model)):
        if name.endswith("_") or name == "_index":
            delattr(model, name)
