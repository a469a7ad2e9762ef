"""What must be true for a number to be a promise: a sentence for people, and an id for files."""

from __future__ import annotations

from collections.abc import Mapping

_CONDITIONS: dict[str, Condition] = {}


class Condition(str):
    """A sentence with an id. It is the sentence wherever text is wanted; certificates carry the id alone.

    Attributes
    ----------
    id : str
        A short name that never changes, though the sentence may be worded better.

    Examples
    --------
    >>> drawn = Condition("independent-draws", "the rows are independent draws from the distribution of use")
    >>> print(drawn)
    the rows are independent draws from the distribution of use
    >>> drawn.id
    'independent-draws'
    """

    __slots__ = ("id",)
    id: str

    def __new__(cls, id: str, sentence: str) -> Condition:
        """Declare a condition; one id stands for one sentence."""
        condition = super().__new__(cls, sentence)
        condition.id = id
        # str(): two conditions are compared as sentences, not by their ids.
        if str(_CONDITIONS.setdefault(id, condition)) != sentence:
            raise RuntimeError(f"two conditions are called {id!r}")
        return condition

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """What copies and pickles are made from."""
        return self.id, str(self)


def conditions() -> Mapping[str, Condition]:
    """Every condition that has been declared so far, by id: those of theorems once their files are imported."""
    return _CONDITIONS
