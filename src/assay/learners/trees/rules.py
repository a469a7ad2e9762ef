"""A tree in words: a rule for each leaf, and the tree drawn as text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from assay.learners.trees.structure import Tree
from assay.theory.complexity.question_code import short_threshold

# What a reader could take for another part of the sentence.
_UNCLEAR = re.compile(
    r'^$|^\s|\s$|^"|^(?:not )?missing$|^(?:above|at most) |[\r\n\t]|[,:](?: |$)|(?:^| )(?:or|is|AND|THEN)(?: |$)'
)


def name_in_text(name: str) -> str:
    """A name as it stands in a sentence: in quotes where it could be misread.

    Examples
    --------
    >>> print(name_in_text("petal length (cm)"), name_in_text("missing"), name_in_text("red or blue"))
    petal length (cm) "missing" "red or blue"
    """
    return json.dumps(name, ensure_ascii=False) if _UNCLEAR.search(name) else name


def threshold_in_text(threshold: float) -> str:
    """The shortest decimal number that divides as a threshold does, without an exponent while people can read it.

    Examples
    --------
    >>> threshold_in_text(50.0), threshold_in_text(0.44999998807907104), threshold_in_text(1e30)
    ('50', '0.45', '1e+30')
    """
    text = short_threshold(threshold)
    return f"{Decimal(text):f}" if 1e-4 <= abs(threshold) < 1e9 else text


@dataclass(frozen=True)
class Condition:
    """What a rule asks of one feature: a range, or some of its categories, or that it is missing."""

    feature: str
    above: float = -np.inf
    at_most: float = np.inf
    among: tuple[str, ...] | None = None
    missing: bool | None = None
    """True or False where a missing cell does or does not fulfil it, None where cells are never missing."""

    def __str__(self) -> str:
        parts = []
        if self.among is not None:
            parts = list(map(name_in_text, self.among))
        elif self.above < self.at_most and not (np.isinf(self.above) and np.isinf(self.at_most)):
            ends = []
            if np.isfinite(self.above):
                ends.append(f"above {threshold_in_text(self.above)}")
            if np.isfinite(self.at_most):
                ends.append(f"at most {threshold_in_text(self.at_most)}")
            parts = [" and ".join(ends)]
        if self.missing:
            parts.append("missing")
        return f"{name_in_text(self.feature)} is {_one_of(parts)}"


def _one_of(parts: list[str]) -> str:
    if len(parts) < 2:
        return parts[0] if parts else "not missing"
    return f"{', '.join(parts[:-1])} or {parts[-1]}"


@dataclass(frozen=True)
class Vocabulary:
    """What features, categories and predictions are called.

    Attributes
    ----------
    features : sequence of str
    categories : sequence of (list of str or None)
        The categories of each feature; None for a number.
    may_miss : sequence of bool
        Whether cells of a feature are missing sometimes; only then rules speak of it.
    labels : sequence of str
        The names of the classes; empty for a target.
    """

    features: Sequence[str]
    categories: Sequence[list[str] | None]
    may_miss: Sequence[bool]
    labels: Sequence[str] = ()

    def unasked(self, f: int) -> Condition:
        """What is asked of a feature before any question is: nothing."""
        words = self.categories[f]
        among = None if words is None else tuple(words)
        return Condition(self.features[f], among=among, missing=True if self.may_miss[f] else None)


@dataclass(frozen=True)
class Rule:
    """One leaf as a sentence.

    Attributes
    ----------
    conditions : tuple of Condition
        All of them must hold; one for each feature that is asked for, in the order of the questions. Names
        that could be misread, like ``missing`` or ``red or blue``, are printed in quotes.
    target, says : str
        What is predicted, and what.
    right, weight : float
        The weight of the training examples that the rule speaks of, and of those that it is right about; for
        a target `right` is NaN.

    Examples
    --------
    >>> among = Condition("income", among=("low", "medium"))
    >>> print(Rule((among, Condition("age", above=30.5)), "default", "yes", 4.0, 5.0))
    IF income is low or medium AND age is above 30.5 THEN default is yes (4 of 5)
    """

    conditions: tuple[Condition, ...]
    target: str
    says: str
    right: float
    weight: float

    def __str__(self) -> str:
        asked = " AND ".join(map(str, self.conditions))
        start = f"IF {asked} THEN" if asked else "ALWAYS"
        return f"{start} {_said(self)}"


class Rules(list[Rule]):
    """The rules of a tree, in its order; printed, a sentence in each line.

    Examples
    --------
    >>> print(Rules([Rule((Condition("age", at_most=50.0),), "flu", "no", 3.0, 4.0)]))
    IF age is at most 50 THEN flu is no (3 of 4)
    """

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__


def _said(rule: Rule) -> str:
    return f"{name_in_text(rule.target)} is {name_in_text(rule.says)} ({shown(rule)})"


def shown(rule: Rule) -> str:
    """How many of the examples a rule is right about."""
    return f"{rule.weight:g}" if np.isnan(rule.right) else f"{rule.right:g} of {rule.weight:g}"


def _answered(
    asked: dict[int, Condition], tree: Tree, node: int, child: int, words: Vocabulary
) -> dict[int, Condition]:
    """What is asked of each feature on the way to a child; features come in the order of the questions."""
    f = int(tree.feature[node])
    was, categories = asked.get(f, words.unasked(f)), words.categories[f]
    if categories is not None and was.among is not None:
        *table, of_missing = tree.table_of(node)
        to = dict(zip(categories, table, strict=True))
        now = replace(was, among=tuple(word for word in was.among if to[word] == child))
        goes = of_missing == child
    else:
        threshold, left = float(tree.threshold[node]), child == tree.left[node]
        if left:
            now = replace(was, at_most=min(was.at_most, threshold))
        else:
            now = replace(was, above=max(was.above, threshold))
        goes = bool(tree.missing_left[node]) == left
    missing = None if now.missing is None else now.missing and goes
    return {**asked, f: replace(now, missing=missing)}


def rules_of(tree: Tree, words: Vocabulary, target: str) -> Rules:
    """A rule for each leaf, in the order of the tree; exactly one applies to any row."""
    rules = Rules()
    waiting: list[tuple[int, dict[int, Condition]]] = [(0, {})]
    while waiting:
        node, asked = waiting.pop()
        below = tree.children_of(node)
        if not below:
            rules.append(_rule(tree, node, tuple(asked.values()), words, target))
        waiting.extend((c, _answered(asked, tree, node, c, words)) for c in reversed(below))
    return rules


def _rule(
    tree: Tree, node: int, conditions: tuple[Condition, ...], words: Vocabulary, target: str
) -> Rule:
    value, weight = tree.value[node], float(tree.weight[node])
    if not words.labels:
        return Rule(conditions, target, f"{value[0]:.6g}", np.nan, weight)
    label = int(value.argmax())
    # Where predictions are kept within bounds values are shares.
    right = float(value[label] / value.sum() * weight) if value.sum() != weight else value[label]
    right = float(right) if weight else 0.0
    return Rule(conditions, target, words.labels[label], right, weight)


def drawing_of(tree: Tree, words: Vocabulary, target: str) -> str:
    """The tree as text, a line for each node: the answer that leads to it, and the next question or what is said."""
    lines = []
    waiting: list[tuple[int, dict[int, Condition], str, str, str]] = [(0, {}, "", "", "")]
    while waiting:
        node, asked, answer, stem, indent = waiting.pop()
        below = tree.children_of(node)
        start = f"{stem}{answer}: " if answer else ""
        if not below:
            rule = _rule(tree, node, (), words, target)
            lines.append(f"{start}{_said(rule)}")
            continue
        f = int(tree.feature[node])
        feature = name_in_text(words.features[f])
        lines.append(f"{start}{feature}?")
        for place, child in reversed(list(enumerate(below))):
            last = place == len(below) - 1
            # Of categories only those are named that earlier answers leave open.
            alone = replace(words.unasked(f), among=asked.get(f, words.unasked(f)).among)
            [condition] = _answered({f: alone}, tree, node, child, words).values()
            text = str(condition).removeprefix(f"{feature} is ")
            branch = indent + ("└─ " if last else "├─ ")
            below_it = _answered(asked, tree, node, child, words)
            waiting.append((child, below_it, text, branch, indent + ("   " if last else "│  ")))
    return "\n".join(lines)
