"""A line of Vowpal Wabbit's text: what stands before the first bar, and the features of each namespace behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.data.plain_text import open_bytes
from assay.errors import BadData

_LONGEST_LINE = 2**24


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text, each with its number; their ends are taken off."""
    with open_bytes(path) as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE:
                raise BadData(f"{path} holds a line of more than {_LONGEST_LINE // 2**20} MiB.")
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                raise BadData(
                    f"{path}, line {number}, is not UTF-8 text. Save it as UTF-8."
                ) from None


def label_and_features(line: str, where: str) -> tuple[list[str], dict[str, float]]:
    """The words of the label, without a tag, and the features; equal ones are added up, as Vowpal Wabbit does.

    Examples
    --------
    >>> label_and_features("2:0.5:0.25 |user:2 age:1.5 member |city Bonn", "x")
    (['2:0.5:0.25'], {'user^age': 3.0, 'user^member': 2.0, 'city^Bonn': 1.0})
    """
    label, *spaces = line.split("|")
    features: dict[str, float] = {}
    for space in spaces:
        # A word that touches the bar names the namespace.
        name, scale, words = "", 1.0, space.split()
        if words and not space[0].isspace():
            first, colon, weight = words.pop(0).partition(":")
            name, scale = f"{first}^", _number(weight, where) if colon else 1.0
        for word in words:
            feature, value = _feature(word, where)
            features[name + feature] = features.get(name + feature, 0.0) + scale * value
    words = label.split()
    # A tag begins with a quote, or touches the bar.
    touches = bool(words) and not label[-1].isspace() and not _is_label(words[-1])
    if words and (words[-1][0] == "'" or touches):
        words.pop()
    return words, features


def _is_label(word: str) -> bool:
    return word == "shared" or ":" in word or word.isdigit()


def _feature(word: str, where: str) -> tuple[str, float]:
    name, colon, text = word.rpartition(":")
    if not colon:
        return word, 1.0
    try:
        return name, float(text)
    except ValueError:
        # What is no number is a category.
        return f"{name}={text}", 1.0


def labelled(words: list[str], where: str) -> tuple[int, float, float] | None:
    """The action, cost and probability of the one word that has all three; None where there is none.

    Examples
    --------
    >>> labelled(["1", "2:0.5:0.25", "3"], "x"), labelled(["1"], "x")
    ((2, 0.5, 0.25), None)
    """
    costs = [word for word in words if ":" in word]
    if not costs:
        return None
    parts = costs[0].split(":")
    if len(costs) > 1 or len(parts) != 3:
        raise BadData(
            f"{where} must hold one action:cost:probability before its features, but holds {' '.join(costs)!r}."
        )
    action, cost, probability = parts
    if not action.isdigit():
        raise BadData(f"{where} names the action {action!r}, which is no whole number.")
    return int(action), _number(cost, where), _number(probability, where)


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadData(f"{where} holds {text!r}, where a number is needed.") from None


def first_lines(head: bytes) -> list[str]:
    """The first lines of a text, the last of which may be cut off; none where it cannot be text with bars."""
    if head[:1] in (b"{", b"[") or b"\0" in head or b"|" not in head:
        return []
    return head.decode(errors="replace").splitlines()[:200]
