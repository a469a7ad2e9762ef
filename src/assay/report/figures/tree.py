"""A decision tree drawn as a tree."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme

# With more leaves side by side their words would lie on each other: each node then has a line of its own.
_MOST_WORDS = 16
# Of more nodes nobody reads so many lines: their words are then in the hover text only.
_MOST_LINES = 120
_LETTERS = 18
_LINE = 23  # pixels
_LONGEST = 64  # letters in a line of the outline


@dataclass(frozen=True)
class Drawn:
    """A node of the figure: its place, what it asks or says, and the answer that leads to it."""

    node: int
    parent: int
    x: float
    depth: int
    words: str
    answer: str
    leaf: bool
    hover: str
    winner: int


def tree_figure(
    model: Any,
    feature_names: Sequence[str] | None = None,
    *,
    max_depth: int | None = None,
    target: str = "class",
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
    """A decision tree: a question in each node, its answers on the edges, what is predicted in the leaves.

    How many examples came to a node, how they are divided among the classes and how impure they are is shown on
    hovering. A tree of more than 16 leaves is drawn as an outline, with a line for each node and what is below it
    indented; one of more than 120 nodes without words. Ask for less with `max_depth`.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted.
    feature_names : sequence of str, optional
        What the features are called; left out, as the model knows them.
    max_depth : int, optional
        The most questions from the top; what lies below is shown as the number of its leaves.
    target : str
        What is predicted.
    title : str, optional
        Left out, the size of the tree.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import DecisionTreeClassifier, figures
    >>> X = [["high", 30], ["low", 20], ["medium", 25], ["medium", 60]]
    >>> model = DecisionTreeClassifier(algorithm="c4.5").fit(X, ["no", "yes", "yes", "no"])
    >>> figure = figures.tree_figure(model, ["income", "age"], target="default")
    >>> [note.text for note in figure.layout.annotations]
    ['age?', 'default is<br>yes', '≤ 27.5', 'default is<br>no', '> 27.5']
    """
    tree: Any = getattr(model, "nodes_", None)
    require(
        hasattr(tree, "children_of"),
        "model",
        "a fitted decision tree of assay",
        type(model).__name__,
    )
    require(max_depth is None or max_depth >= 1, "max_depth", "at least 1", max_depth)
    nodes = drawn_nodes(model, feature_names, max_depth, target)
    deepest = max(node.depth for node in nodes)
    across = 1 + max(node.x for node in nodes)
    what = f"A tree of {_many(tree.leaves, 'leaf', 'leaves')} and depth {tree.depth}"
    if across > _MOST_WORDS and len(nodes) <= _MOST_LINES:
        lines = drawn_nodes(model, feature_names, max_depth, target, letters=10**6)
        return _outline(title or what, lines, hasattr(model, "classes_"), theme)
    height = int(np.clip(170 + 105 * deepest, 300, 1100))
    canvas = Canvas(title or what, theme=theme, height=height)
    _add_edges(canvas, nodes)
    _add_nodes(canvas, nodes, hasattr(model, "classes_"))
    if across <= _MOST_WORDS:
        _add_words(canvas, nodes)
    canvas.figure.update_xaxes(visible=False, range=[-0.6, across - 0.4])
    canvas.figure.update_yaxes(visible=False, range=[-deepest - 0.45, 0.4])
    canvas.figure.update_layout(showlegend=False, margin={"b": 20, "l": 20, "r": 20})
    return canvas.figure


def _outline(title: str, nodes: list[Drawn], classes: bool, theme: Theme) -> Figure:
    """The nodes one below the other, each with the answer that leads to it."""
    canvas = Canvas(title, theme=theme, height=90 + _LINE * len(nodes))
    line_of = {node.node: -float(line) for line, node in enumerate(nodes)}
    depth_of = {node.node: node.depth for node in nodes}
    x: list[float | None] = []
    y: list[float | None] = []
    for node in nodes:
        if node.parent >= 0:
            above, line = depth_of[node.parent], line_of[node.node]
            x += [above, above, node.depth, None]
            y += [line_of[node.parent], line, line, None]
    thin = {"color": canvas.ink.faint, "width": 1.2}
    canvas.draw((x, y), "answers", hover="", mode="lines", line=thin)
    places = [node.depth for node in nodes], [line_of[node.node] for node in nodes]
    _add_nodes(canvas, nodes, classes, places)
    for node in nodes:
        canvas.note(
            node.depth,
            line_of[node.node],
            _line_of(node),
            xanchor="left",
            xshift=8,
            font={"size": 12, "color": canvas.ink.text},
        )
    deepest = max(depth_of.values())
    canvas.figure.update_xaxes(visible=False, range=[-0.4, deepest + 13])
    canvas.figure.update_yaxes(visible=False, range=[0.2 - len(nodes), 0.8])
    canvas.figure.update_layout(showlegend=False, margin={"b": 20, "l": 20, "r": 20})
    return canvas.figure


def _line_of(node: Drawn) -> str:
    """The answer that leads to a node, and what it asks or says, in one line; what is predicted stands out."""
    answer, words = (html.unescape(part.replace("<br>", " ")) for part in (node.answer, node.words))
    room = _LONGEST - len(words)
    if len(answer) > max(room, 12):
        answer = answer[: max(room, 12) - 1] + "…"
    text = html.escape(words)
    start = f"{html.escape(answer)}: " if answer else ""
    return f"{start}<b>{text}</b>" if node.leaf else f"{start}{text}"


def drawn_nodes(
    model: Any,
    feature_names: Sequence[str] | None,
    max_depth: int | None,
    target: str,
    letters: int = _LETTERS,
) -> list[Drawn]:
    """The nodes in the order of the tree, leaves side by side and parents above the middle of their children.

    Words are folded after so many letters.
    """
    tree, words = model.nodes_, _Words(model, feature_names, target, letters)
    order: list[tuple[int, int, str, dict[int, list[int]]]] = []
    waiting: list[tuple[int, int, str, dict[int, list[int]]]] = [(0, -1, "", {})]
    below: dict[int, list[int]] = {}
    while waiting:
        node, parent, answer, left_open = waiting.pop()
        order.append((node, parent, answer, left_open))
        cut = max_depth is not None and tree.depths[node] >= max_depth
        below[node] = [] if cut else tree.children_of(node)
        for child in reversed(below[node]):
            text, still = words.answer(node, child, left_open)
            waiting.append((child, node, text, still))
    x: dict[int, float] = {}
    free = 0
    for node, *_ in order:
        if not below[node]:
            x[node], free = float(free), free + 1
    for node, *_ in reversed(order):
        if below[node]:
            x[node] = (x[below[node][0]] + x[below[node][-1]]) / 2
    return [
        Drawn(
            node=node,
            parent=parent,
            x=x[node],
            depth=int(tree.depths[node]),
            words=words.asks(node) if below[node] else words.says(node),
            answer=answer,
            leaf=not below[node],
            hover=words.hover(node),
            winner=int(tree.value[node].argmax()),
        )
        for node, parent, answer, _ in order
    ]


class _Words:
    """What nodes and answers are called."""

    def __init__(self, model: Any, names: Sequence[str] | None, target: str, letters: int) -> None:
        self.letters = letters
        width = model.n_features_in_
        if names is None:
            names = getattr(model, "feature_names_in_", None)
        if names is None:
            names = [f"x{i}" for i in range(width)]
        require(len(names) == width, "feature_names", f"{width} names", len(names))
        self.names, self.target, self.tree = [str(name) for name in names], target, model.nodes_
        self.categories, self.may_miss = model.categories_, model.missing_features_
        self.labels = [str(label) for label in getattr(model, "classes_", ())]

    def asks(self, node: int) -> str:
        return self.folded(f"{self.names[int(self.tree.feature[node])]}?")

    def says(self, node: int) -> str:
        if self.tree.feature[node] >= 0:
            # Nodes stand in preorder, so that all below come next, before any that is not deeper.
            rest = self.tree.depths[node + 1 :] <= self.tree.depths[node]
            stop = node + 1 + (int(rest.argmax()) if rest.any() else len(rest))
            leaves = int((self.tree.feature[node:stop] < 0).sum())
            return f"… {leaves} leaves"
        return f"{self.folded(f'{self.target} is')}<br>{self.folded(self.value(node))}"

    def value(self, node: int) -> str:
        value = self.tree.value[node]
        return self.labels[int(value.argmax())] if self.labels else f"{value[0]:.4g}"

    def answer(
        self, node: int, child: int, left_open: dict[int, list[int]]
    ) -> tuple[str, dict[int, list[int]]]:
        """What leads to a child, and which categories are still possible there."""
        tree, f = self.tree, int(self.tree.feature[node])
        known = self.categories[f]
        if known is None:
            left = child == tree.left[node]
            text = f"{'≤' if left else '>'} {tree.threshold[node]:.4g}"
            goes = bool(tree.missing_left[node]) == left
            return (f"{text} or missing" if goes and self.may_miss[f] else text), left_open
        table = tree.table_of(node)
        possible = left_open.get(f, list(range(len(known))))
        own = [c for c in possible if table[c] == child]
        named = [str(known[c]) for c in own]
        if table[len(known)] == child and self.may_miss[f]:
            named.append("missing")
        return self.folded(", ".join(named) or "none of the rows"), {**left_open, f: own}

    def folded(self, text: str) -> str:
        return "<br>".join(html.escape(part) for part in textwrap.wrap(text, self.letters) or [""])

    def hover(self, node: int) -> str:
        tree = self.tree
        rows = f"{_many(int(tree.rows[node]), 'row', 'rows')}<br>" if len(tree.rows) else ""
        impurity = f"impurity {tree.impurity[node]:.4g}"
        if np.isfinite(tree.threshold[node]):
            impurity += f"<br>threshold {float(tree.threshold[node])!r}"
        if not self.labels:
            return f"{rows}mean {tree.value[node][0]:.6g}<br>{impurity}"
        shares = zip(self.labels, tree.value[node], strict=True)
        each = "<br>".join(f"{html.escape(label)}: {weight:g}" for label, weight in shares)
        return f"{rows}{each}<br>{impurity}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _add_edges(canvas: Canvas, nodes: list[Drawn]) -> None:
    place = {node.node: node for node in nodes}
    x: list[float | None] = []
    y: list[float | None] = []
    for node in nodes:
        if node.parent >= 0:
            above = place[node.parent]
            x += [above.x, node.x, None]
            y += [-above.depth, -node.depth, None]
    line = {"color": canvas.ink.faint, "width": 1.4}
    canvas.draw((x, y), "answers", hover="", mode="lines", line=line)


def _add_nodes(canvas: Canvas, nodes: list[Drawn], classes: bool, places: Any = None) -> None:
    colours, symbols = [], []
    for node in nodes:
        look = canvas.ink.marker(node.winner if classes else 0)
        colours.append(look["color"] if node.leaf else canvas.ink.faint)
        symbols.append(look["symbol"] if node.leaf else "circle-open")
    canvas.draw(
        places or ([node.x for node in nodes], [-node.depth for node in nodes]),
        "nodes",
        hover="<b>%{text}</b><br>%{customdata}",
        mode="markers",
        marker={"size": 11, "color": colours, "symbol": symbols, "line": {"width": 1.2}},
        customdata=[node.hover for node in nodes],
        text=[node.words for node in nodes],
    )


def _add_words(canvas: Canvas, nodes: list[Drawn]) -> None:
    colours, place = canvas.ink, {node.node: node for node in nodes}
    crowded = sum(node.leaf for node in nodes) > 9
    for node in nodes:
        canvas.note(
            node.x,
            -node.depth,
            node.words,
            font={"size": 10 if crowded else 12, "color": colours.text},
            bgcolor=colours.paper,
            bordercolor=colours.faded(node.winner, 0.9) if node.leaf else colours.faint,
            borderwidth=2 if node.leaf else 1,
            borderpad=4,
            hovertext=node.hover,
            hoverlabel={"bgcolor": colours.paper, "font": {"color": colours.text}},
        )
        if node.parent >= 0:
            above = place[node.parent]
            # Where leaves are close, one answer stands above the other.
            down = (0.38 if node.x < above.x else 0.64) if crowded else 0.5
            canvas.note(
                above.x + down * (node.x - above.x),
                -above.depth - down,
                node.answer,
                font={"size": 10 if crowded else 11, "color": colours.text},
                bgcolor=colours.paper,
                borderpad=1,
            )
