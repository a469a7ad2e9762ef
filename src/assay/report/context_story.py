"""A page about a policy with context: its loss under its bound, the actions it took, how often it was not sure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.report.figures.curves import Curves, moments
from assay.report.figures.over_rounds import bound_over_rounds, drawable, on_average
from assay.report.story import Panel, Story

if TYPE_CHECKING:
    from assay.play.context_stream import ContextLog, ContextTable

# As many actions have a line of their own.
_MOST = 5


def context_story(stream: ContextTable | ContextLog, text: str) -> Story:
    """The page of a run.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.data.examples import Examples
    >>> from assay.play.context_stream import ContextTable
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> stream = ContextTable("square-cb", np.array(["a", "b"]), source="sides.csv")
    >>> stream.learn(Examples(X, np.where(X[:, 0] > X[:, 1], "a", "b"), ["u", "v"], "side"))
    >>> [panel.title for panel in context_story(stream, "").panels]
    ['Loss beyond that of the best single action', 'Actions chosen', 'Exploration']
    """
    history, names = stream.history, _names(stream)
    panels = []
    if len(history.rounds):
        panels = [_loss(stream), _actions(history, names), _exploration(history)]
    return Story(
        f"{stream.name} on {stream.source}",
        summary=tuple(line for line in text.split("\n") if line.strip())[:4],
        guarantees=tuple(stream.guarantees()),
        panels=tuple(panels),
        notes=("The page shows the run at no more than 2,000 moments.",),
    )


def _names(stream: Any) -> list[str]:
    return [
        str(arm) for arm in (stream.arms if hasattr(stream, "best_single") else stream.log.arms)
    ]


def _loss(stream: Any) -> Panel:
    """The loss so far; where right actions are known, beyond that of the best action, under what is promised."""
    history = stream.history
    known = bool(history.truths.sum())
    title = "Loss beyond that of the best single action" if known else "Loss so far"
    canvas = Curves(title, x="rounds", y="loss", theme="light")
    curve = history.losses - history.best if known else history.losses
    few = _few(len(curve))
    canvas.curve(
        history.rounds[few], curve[few], stream.name, label=f"{stream.name}: {curve[-1]:.4g}"
    )
    low, high = min(0.0, float(curve.min())), float(curve.max())
    end = int(history.rounds[-1])
    for promise in drawable(stream.guarantees() if known else [], "regret"):
        if "regret" not in promise.of:
            continue
        at, bound = bound_over_rounds(promise, moments(end))
        label = f"{promise.theorem}: {bound[-1]:.4g}{on_average(promise)}"
        canvas.curve(at, bound, promise.theorem, label=label, points=len(at) == 1)
        high = max(high, float(bound.max()))
    canvas.name_ends(canvas.y_range(low, high or 1.0))
    canvas.figure.update_xaxes(range=[0, end])
    caption = (
        "Bounds are about mean losses, which are not known; the curve is of losses as they fell."
        if known
        else "The losses of actions that were not taken are not known."
    )
    return Panel(title, canvas.figure, caption, f"{title}: {curve[-1]:.4g} after {end:,} rounds.")


def _actions(history: Any, names: list[str]) -> Panel:
    """The share of rounds in which each action was taken, so far."""
    canvas = Curves("Actions chosen", x="rounds", y="share of the rounds so far", theme="light")
    shares = history.plays / history.rounds[:, None]
    few, order = _few(len(shares)), np.argsort(-history.plays[-1], kind="stable")
    shown = [(names[i], shares[:, i]) for i in order[:_MOST]]
    if len(order) > _MOST:
        shown.append((f"{len(order) - _MOST} others", shares[:, order[_MOST:]].sum(axis=1)))
    for name, share in shown:
        canvas.curve(history.rounds[few], share[few], name, label=f"{name}: {share[-1]:.3g}")
    canvas.name_ends(canvas.y_range(0.0, 1.0))
    canvas.figure.update_xaxes(range=[0, int(history.rounds[-1])])
    alt = ", ".join(f"{name} {share[-1]:.3g}" for name, share in shown)
    return Panel("Actions chosen", canvas.figure, "", f"Shares of the actions: {alt}.")


def _exploration(history: Any) -> Panel:
    """The share of rounds so far in which the action that was drawn had no more than an even chance."""
    canvas = Curves("Exploration", x="rounds", y="share of the rounds so far", theme="light")
    share = 1.0 - history.certain / history.rounds
    few = _few(len(share))
    canvas.curve(history.rounds[few], share[few], "drawn", label=f"at most even: {share[-1]:.3g}")
    canvas.name_ends(canvas.y_range(0.0, 1.0))
    canvas.figure.update_xaxes(range=[0, int(history.rounds[-1])])
    caption = "Rounds in which the action that was taken had a probability of no more than a half."
    return Panel("Exploration", canvas.figure, caption, f"In the end {share[-1]:.3g}.")


def _few(many: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.unique(np.linspace(0, many - 1, min(many, 400)).astype(np.int64))
