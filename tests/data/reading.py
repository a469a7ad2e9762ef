"""What tests of readers share."""

from __future__ import annotations

import io
import re
import sys

import pytest

from assay.errors import BadData


def refuses(sentence, kind=BadData):
    """A context in which exactly this sentence must be raised."""
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def until_refused(chunks):
    """All chunks that come before the refusal, and the refusal's sentence."""
    found = []
    try:
        for chunk in chunks:
            found.append(chunk)  # noqa: PERF402
    except BadData as problem:
        return found, str(problem)
    return found, None


class Pipe(io.RawIOBase):
    """Standard input that delivers one piece at a time, and counts those that were taken whole."""

    def __init__(self, *pieces):
        self._pieces = list(pieces)
        self.given = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self._pieces:
            return 0
        piece = self._pieces.pop(0)
        some, rest = piece[: len(buffer)], piece[len(buffer) :]
        buffer[: len(some)] = some
        if rest:
            self._pieces.insert(0, rest)
        else:
            self.given += 1
        return len(some)


def feed(monkeypatch, *pieces):
    """Put a pipe in the place of standard input."""
    pipe = Pipe(*pieces)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(pipe)))
    return pipe
