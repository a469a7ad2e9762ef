"""Coroutines of which the first step was taken by hand, where that cannot wait for the loop's next turn."""

from __future__ import annotations

import types
from collections.abc import Generator
from typing import Any


@types.coroutine
def rest_of(steps: Any, awaited: Any) -> Generator[Any, Any, Any]:
    """What is left of something begun, which waits for `awaited`; its result."""
    try:
        while True:
            try:
                given = yield awaited
            except BaseException as problem:
                awaited = steps.throw(problem)
            else:
                awaited = steps.send(given)
    except StopIteration as done:
        return done.value
