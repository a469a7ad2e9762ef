"""Text of others, shown so that it cannot act on a terminal, and so that any terminal can show it."""

from __future__ import annotations

import codecs
import io
import json

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


def show_all_on(stream: object) -> None:
    r"""Let a stream escape what its encoding lacks, as cp1252 lacks most of mathematics, where it would fail.

    The escapes are those of JSON: what is printed as JSON stays the same JSON.

    Examples
    --------
    >>> stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    >>> show_all_on(stream)
    >>> _ = stream.write("é \u2264 \U0001d54f"), stream.flush()
    >>> stream.buffer.getvalue()
    b'\xe9 \\u2264 \\ud835\\udd4f'
    """
    if isinstance(stream, io.TextIOWrapper):  # not what tests put in its place
        stream.reconfigure(errors=_ESCAPES)


_ESCAPES = "assay.json"


def _as_json(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeEncodeError)
    return json.dumps(problem.object[problem.start : problem.end])[1:-1], problem.end


codecs.register_error(_ESCAPES, _as_json)
