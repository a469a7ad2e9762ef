"""Text of others, shown so that it cannot act on a terminal."""

from __future__ import annotations

# Longer texts are cut: whoever reads a list of checks does not read a page in one line of it.
_LONGEST = 300


def printable(text: object, longest: int = _LONGEST) -> str:
    r"""The text with control characters and marks of direction escaped, and cut where it is too long.

    Examples
    --------
    >>> print(printable("spam\x1b[2J\u202e"))
    spam\x1b[2J\u202e
    """
    shown = str(text)
    if len(shown) > longest:
        shown = shown[: longest - 3] + "..."
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() or c == "\u00a0" else _escaped(c) for c in shown)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
