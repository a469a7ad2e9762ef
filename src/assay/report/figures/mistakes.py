"""Mistakes round by round, under the bounds that hold for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.guarantees.guarantee import Guarantee
from assay.record.experts import ExpertRecord
from assay.record.online import OnlineRecord
from assay.report.figures.curves import Curves, decades, moments, thinned
from assay.report.figures.over_rounds import bound_over_rounds, drawable, on_average
from assay.report.figures.played import Bounds, promises_of, record_of
from assay.report.figures.theme import Figure, Theme
from assay.theory.tail.progressive_anytime import progressive_anytime
from assay.types import Bools, Floats

# A bound so many times above the run would press it flat on a plain axis.
_MUCH = 8
# So few are counted one by one on the axis.
_FEW = 10


def mistakes_curve(run: Any, bounds: Bounds | None = None, *, theme: Theme = "light") -> Figure:
    """The mistakes made so far, over the rounds, under what theorems promised.

    Parameters
    ----------
    run : learner, policy, OnlineRecord, ExpertRecord or array of bool
        A learner or policy that was fitted or played with ``trace=True``, or its record; or, round by round,
        whether the prediction was wrong, as `assay.play` with ``trace=True`` has it in ``missed``.
    bounds : sequence of Guarantee, or Certificate, optional
        What was promised; those about mistakes are drawn, others are left out. When not given, what a learner or
        policy promises of itself.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure
        The axis of mistakes is logarithmic where a bound is far above the run.

    Examples
    --------
    >>> from assay import Winnow, figures
    >>> learner = Winnow(trace=True).fit([[1, 0, 0, 0], [0, 1, 0, 0]], [1, 0])
    >>> figure = figures.mistakes_curve(learner)
    >>> [(trace.name, float(trace.y[-1])) for trace in figure.data]
    [('mistakes', 2.0), ('winnow-disjunction-mistakes: 7', 7.0)]
    """
    run, bounds = record_of(run), promises_of(run, bounds)
    rounds, x, made = _made(run)
    columns = run.trace if isinstance(run, ExpertRecord) else None
    promises = [g for g in drawable(bounds, "mistakes") if _about_mistakes(g)]
    title = "Mistakes, and the most there could have been" if promises else "Mistakes so far"
    canvas = Curves(title, x="rounds", y="mistakes", theme=theme)
    few = thinned(len(x))
    canvas.curve(x[few], made[few], "mistakes", label=f"mistakes: {made[-1]:g}", shape="hv")
    if isinstance(run, ExpertRecord):
        best, few = _best(run), thinned(rounds)
        label = f"best expert: {best[-1]:g}"
        canvas.curve(few + 1, best[few], "best expert", label=label, shape="hv")
    highest = float(made[-1])
    for promise in promises:
        at, bound = bound_over_rounds(promise, moments(rounds), columns)
        canvas.curve(at, bound, f"{promise.theorem}: {bound[-1]:.6g}{on_average(promise)}")
        highest = max(highest, float(bound.max()))
    log = highest > _MUCH * max(float(made[-1]), 1.0) and highest > 20
    canvas.name_ends(canvas.y_range(1.0 if log else 0.0, max(highest, 1.0), log=log))
    canvas.figure.update_xaxes(range=[0, rounds], dtick=1 if rounds <= _FEW else None)
    if log:
        canvas.figure.update_yaxes(title={"text": "mistakes (logarithmic)"})
    elif highest <= _FEW:
        canvas.figure.update_yaxes(dtick=1)
    return canvas.figure


def error_over_rounds(missed: ArrayLike, *, delta: float = 0.05, theme: Theme = "light") -> Figure:
    """The share of mistakes so far, under a bound that holds at all moments at once.

    The bound is that of ``progressive-anytime``: if the examples are independent draws, the hypotheses that
    were played err on average no more often, with probability at least 1 - delta for all moments together.

    Parameters
    ----------
    missed : array of bool
        Round by round, whether the prediction was wrong.
    delta : float, default=0.05
        The probability that the bound fails at some moment.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = error_over_rounds([False] * 99 + [True])
    >>> [round(float(trace.y[-1]), 3) for trace in figure.data[1:]]
    [0.01, 0.073]
    """
    wrong = np.cumsum(_missed(missed))
    at = moments(len(wrong))
    rate = wrong[at - 1] / at
    bound = [
        min(progressive_anytime(int(k), int(n), delta), 1.0)
        for k, n in zip(wrong[at - 1], at, strict=True)
    ]
    title = "The error so far, and what it proves at every moment"
    canvas = Curves(title, x="rounds (logarithmic)", y="share of mistakes", theme=theme)
    canvas.band(at, rate, bound, 1)
    canvas.curve(at, rate, "observed", label=f"observed: {rate[-1]:.4g}")
    theorem = "progressive-anytime"
    canvas.curve(at, bound, theorem, label=f"at most {bound[-1]:.4g} ({theorem})")
    canvas.subtitle(
        f"after {len(wrong):,} rounds, {int(wrong[-1]):,} mistakes; delta {delta:g} for all moments together"
    )
    canvas.name_ends(canvas.y_range(0.0, 1.0))
    most = max(len(wrong), 2)
    canvas.figure.update_xaxes(
        type="log", range=[0, float(np.log10(most))], tickvals=decades(1, most), tickformat=","
    )
    return canvas.figure


def _made(run: OnlineRecord | ExpertRecord | ArrayLike) -> tuple[int, Floats, Floats]:
    """How many rounds there were, and after which of them how many mistakes had been made."""
    if isinstance(run, OnlineRecord):
        return run.rounds, *_updates(run)
    if isinstance(run, ExpertRecord):
        if run.trace is None or run.mistakes is None:
            raise BadParameter(
                "mistakes_curve needs a policy that predicts labels, played with trace=True."
            )
        made = run.trace["loss"]
        return run.rounds, np.arange(1.0, len(made) + 1), made
    wrong = _missed(run)
    return len(wrong), np.arange(1.0, len(wrong) + 1), np.cumsum(wrong).astype(np.float64)


def _updates(record: OnlineRecord) -> tuple[Floats, Floats]:
    trace = record.trace
    if trace is None:
        raise BadParameter(
            "mistakes_curve needs the rounds one by one: fit or play with trace=True."
        )
    sides = [trace.get(name) for name in ("missed_positives", "missed_negatives")]
    if "mistakes" in trace:
        made = trace["mistakes"]
    elif sides[0] is not None and sides[1] is not None:
        made = sides[0] + sides[1]
    elif record.updates == record.mistakes == len(trace["round"]):
        made = np.arange(1.0, record.mistakes + 1)
    else:
        raise BadParameter(
            "The trace of this run does not tell which updates were mistakes. Play it with "
            "assay.play(..., trace=True) and give what it has in missed."
        )
    # A trace counts rounds from zero; nothing changed after the last of them.
    x = np.concatenate([[0.0], trace["round"] + 1, [float(record.rounds)]])
    return x, np.concatenate([[0.0], made, made[-1:] if len(made) else [0.0]])


def _about_mistakes(guarantee: Guarantee) -> bool:
    # Every mistake is an update, so a bound on these bounds those.
    return "mistakes" in guarantee.of or "updates" in guarantee.of


def _best(record: ExpertRecord) -> Floats:
    assert record.trace is not None
    return np.asarray(record.trace["expert_losses"].min(axis=1))


def _missed(missed: ArrayLike) -> Bools:
    read = np.asarray(missed)
    if read.ndim != 1 or not len(read) or not np.isin(read, (0, 1)).all():
        raise BadParameter(
            "mistakes must be told round by round, as a sequence of True and False that is not empty."
        )
    return read.astype(bool)
