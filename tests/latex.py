"""A small parser of the LaTeX in which theorems are stated: it refuses what LaTeX would not set.

It knows every control word the statements use, so that a word glued to the letter after it
(``\\quade``) is found, and it reads groups, scripts, fractions, roots and pairs of delimiters.
"""

from __future__ import annotations

import re

_SYMBOLS = r"""
    Delta det Lambda Omega Phi Rightarrow alpha beta cap cdot cup delta dots ell emptyset epsilon eta exp forall
    chi gamma ge gets iff in inf infty lambda langle lceil le lfloor limsup ln log mapsto max mid min mp mu ne nearrow
    partial phi pi pm Pr prod qquad quad rangle rceil rfloor rho kappa sigma sim sum sup theta to top varepsilon xi arg
    textstyle Big Bigl Bigr big bigl bigr
"""
_SYMBOLS = set(_SYMBOLS.split())
_TAKES = {
    "frac": 2,
    "tfrac": 2,
    "binom": 2,
    "tbinom": 2,
    "sqrt": 1,
    "bar": 1,
    "hat": 1,
    "widehat": 1,
}
_TAKES |= {"mathbb": 1, "mathbf": 1, "mathcal": 1, "mathfrak": 1, "mathrm": 1}
_TEXT = {"text"}
_DELIMITERS = {
    "(",
    ")",
    "[",
    "]",
    "|",
    ".",
    "\\{",
    "\\}",
    "\\|",
    "\\lceil",
    "\\rceil",
    "\\lfloor",
    "\\rfloor",
}
_DELIMITERS |= {"\\langle", "\\rangle"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[^A-Za-z]|[^\\]", re.DOTALL)


class NotLatex(Exception):
    """What cannot be set, and why."""


class _Reader:
    def __init__(self, source: str) -> None:
        self.tokens = _TOKEN.findall(source)
        if "".join(self.tokens) != source:
            raise NotLatex("a backslash stands alone")
        self.at = 0

    def peek(self) -> str:
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def items(self, end: str) -> None:
        scripts: set[str] = set()
        while self.peek() != end:
            token = self.take()
            if token in ("^", "_"):
                if token in scripts:
                    raise NotLatex(f"two {token!r} after one symbol")
                scripts.add(token)
                self.item(self.take(), script=True)
            else:
                scripts = set()
                self.item(token)
        self.take()

    def item(self, token: str, script: bool = False) -> None:
        word = token[1:]
        if token in ("", "}", "\\right", "&", "#", "$", "%") or (script and token in ("^", "_")):
            raise NotLatex(f"{token or 'the end'!r} stands where a symbol should")
        if token == "{":
            self.items("}")
        elif token == "\\left":
            self.pair()
        elif word in _TEXT and token[0] == "\\":
            self.text()
        elif word in _TAKES and token[0] == "\\":
            for _ in range(_TAKES[word]):
                self.item(self.take())
        elif token[0] == "\\" and word.isalpha() and word not in _SYMBOLS:
            raise NotLatex(f"\\{word} is no control word of a statement")
        elif token[0] == "\\" and not word.isalpha() and word not in set("{}|,;:!# "):
            raise NotLatex(f"\\{word} is no symbol of a statement")

    def pair(self) -> None:
        if self.take() not in _DELIMITERS:
            raise NotLatex("\\left needs a delimiter")
        self.items("\\right")
        if self.take() not in _DELIMITERS:
            raise NotLatex("\\right needs a delimiter")

    def text(self) -> None:
        if self.take() != "{":
            raise NotLatex("\\text needs a group")
        depth = 1
        while depth:
            if self.at >= len(self.tokens):
                raise NotLatex("a group is not closed")
            token = self.tokens[self.at]
            self.at += 1
            depth += (token == "{") - (token == "}")


def parse(source: str) -> None:
    """Raise `NotLatex` for what LaTeX's mathematics mode would not set."""
    _Reader(source).items("")
