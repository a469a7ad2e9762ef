"""What can be done about a row that cannot be played, in the words of Python and of the command line."""

from __future__ import annotations

from assay.errors import Words

DECLARE_RANGE = ("Declare the range in which all lie", Words("", " with {} LO HI", "bounds"))
WITH_LABEL = Words("", " with {}", "label")


def policy(name: str) -> Words:
    """A policy by its name."""
    return Words(name, f"{{}} {name}", "policy")
