"""Loss and regret of policies round by round, under the bounds that hold for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.guarantees.guarantee import Guarantee
from assay.record.bandit import BanditRecord
from assay.record.experts import ExpertRecord
from assay.report.figures.curves import Curves, moments, numbers, thinned
from assay.report.figures.over_rounds import bound_over_rounds, drawable, on_average
from assay.report.figures.played import Bounds, promises_of, record_of
from assay.report.figures.theme import Figure, Theme, with_alpha
from assay.types import Array, Floats

Run = ExpertRecord | BanditRecord | ArrayLike
# As many experts are drawn one by one in the background.
_MOST_EXPERTS = 20
# Regret of something else than the policy's own losses against the best.
_OTHERS = ("regret in estimated losses", "regret of the experts drawn")


def regret_curve(
    runs: Any,
    bounds: Bounds | Mapping[str, Sequence[Guarantee]] | None = None,
    *,
    as_played: bool | None = None,
    theme: Theme = "light",
) -> Figure:
    """How much more policies lost than the best of their experts or arms, under what was promised.

    Regret after each round is against the one who was best until then; for a policy that follows a
    sequence of experts, against the best sequence.

    Parameters
    ----------
    runs : policy, record, array, or mapping of names to these
        A policy that was played with ``trace=True``, its record, or the regret after each round.
        Several runs have names and are drawn together.
    bounds : sequence of Guarantee, Certificate, or mapping of names to sequences, optional
        What was promised; those about regret are drawn. Under the name of a run, bounds follow what its
        trace tells about that run. When not given, what policies promise of themselves.
    as_played : bool, optional
        For bandits: draw the loss of the arms that were drawn, instead of what drawing costs on average. When
        not given, whichever the bounds are about.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> from assay import Hedge, figures
    >>> policy = Hedge(trace=True)
    >>> _ = policy.play([[0.5, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> figure = figures.regret_curve(policy)
    >>> [(trace.name, round(float(trace.y[-1]), 3)) for trace in figure.data]
    [('regret', 0.511), ('hedge-regret', 1.442)]
    """
    played = dict(runs) if isinstance(runs, Mapping) else {"regret": runs}
    if not played:
        raise BadParameter("runs must hold at least one run, but is empty.")
    named = {name: record_of(run) for name, run in played.items()}
    if bounds is None:
        bounds = {name: promises_of(run) for name, run in played.items()}
    promises = _promises(named, bounds)
    if as_played is None:
        as_played = any(p.guarantee.quantifier.startswith("probability") for p in promises)
    title = "Regret, and the most there could have been" if promises else "Regret"
    canvas = Curves(title, x="rounds", y="loss beyond that of the best", theme=theme)
    low = high = 0.0
    longest = 1
    for name, run in named.items():
        regret = regret_of(run, as_played=as_played)
        few = thinned(len(regret))
        canvas.curve(few + 1, regret[few], name, label=f"{name}: {regret[-1]:.4g}")
        low, high = min(low, float(regret.min())), max(high, float(regret.max()))
        longest = max(longest, len(regret))
    for promise, columns, rounds in promises:
        at, bound = bound_over_rounds(promise, moments(rounds or longest), columns)
        label = f"{promise.theorem}: {bound[-1]:.4g}{on_average(promise)}"
        canvas.curve(at, bound, promise.theorem, label=label, points=len(at) == 1)
        high = max(high, float(bound.max()))
    canvas.name_ends(canvas.y_range(low, high or 1.0))
    canvas.figure.update_xaxes(range=[0, longest])
    return canvas.figure


def loss_curve(run: Any, bounds: Bounds | None = None, *, theme: Theme = "light") -> Figure:
    """The loss of a policy between that of the best and the most that was promised.

    Parameters
    ----------
    run : policy, ExpertRecord or BanditRecord
        A policy that was played with ``trace=True``, or its record.
    bounds : sequence of Guarantee, or Certificate, optional
        Those about regret are added to the loss of the best; when not given, what a policy promises of itself.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> trace = {"loss": np.array([0.5, 1.0]), "expert_losses": np.array([[0.0, 1.0], [1.0, 1.0]])}
    >>> record = ExpertRecord(2, 1.0, np.array([1.0, 1.0]), trace=trace)
    >>> figure = loss_curve(record)
    >>> [(trace.name, trace.y.tolist()) for trace in figure.data[-2:]]
    [('policy', [0.5, 1.0]), ('best so far', [0.0, 1.0])]
    """
    record, bounds = record_of(run), promises_of(run, bounds)
    lost, best, experts = _losses(record)
    rounds = len(lost)
    canvas = Curves("Loss of the policy and of the best", x="rounds", y="loss so far", theme=theme)
    few = thinned(rounds)
    if experts is not None and experts.shape[1] <= _MOST_EXPERTS:
        thin = {"color": with_alpha(canvas.ink.faint, 0.45), "width": 1}
        for column in experts.T:
            canvas.draw((few + 1, column[few]), "expert", hover="", mode="lines", line=thin)
    canvas.curve(few + 1, lost[few], "policy", label=f"policy: {lost[-1]:.4g}")
    canvas.curve(few + 1, best[few], "best so far", label=f"best so far: {best[-1]:.4g}")
    tops = [float(lost.max())] + ([] if experts is None else [float(experts.max())])
    for promise in _about(record, drawable(bounds, "regret")):
        at, bound = bound_over_rounds(promise, moments(rounds), record.trace)
        most = best[at - 1] + bound
        label = f"best + {promise.theorem}: {most[-1]:.4g}"
        canvas.curve(at, most, promise.theorem, label=label, points=len(at) == 1)
        tops.append(float(most.max()))
    canvas.name_ends(canvas.y_range(min(0.0, float(best.min())), max(tops) or 1.0))
    canvas.figure.update_xaxes(range=[0, rounds])
    return canvas.figure


def regret_of(run: Run, *, as_played: bool = False) -> Floats:
    """The regret after each round, from the trace of a record; an array is taken as it is.

    Examples
    --------
    >>> regret_of([0, 1, 1]).tolist()
    [0.0, 1.0, 1.0]
    """
    if isinstance(run, ExpertRecord):
        trace = _traced(run)
        if run.sequence_loss is not None:
            return np.asarray(trace["loss"] - trace["best"])
        return np.asarray(trace["regret"])
    if isinstance(run, BanditRecord):
        trace = _traced(run)
        if "best" not in trace:
            raise BadParameter(
                "The regret of a bandit is known only where the losses of all arms are: play it on a table "
                "of losses."
            )
        if as_played:
            return np.asarray(trace["cumulative_loss"] - trace["best"])
        return np.asarray(trace["expected_regret"])
    return numbers("regret", run)


def _traced(record: ExpertRecord | BanditRecord) -> Mapping[str, Array]:
    if record.trace is None or not record.rounds:
        raise BadParameter("This figure needs the rounds one by one: play with trace=True.")
    return record.trace


def _losses(record: ExpertRecord | BanditRecord) -> tuple[Floats, Floats, Floats | None]:
    trace = _traced(record)
    if isinstance(record, ExpertRecord):
        experts = np.asarray(trace["expert_losses"])
        sequences = record.sequence_loss is not None
        return (
            np.asarray(trace["loss"]),
            (np.asarray(trace["best"]) if sequences else experts.min(axis=1)),
            experts,
        )
    if "best" not in trace:
        raise BadParameter(
            "The loss of the best arm is known only where the losses of all arms are: play on a table of "
            "losses."
        )
    best = np.asarray(trace["best"])
    return np.asarray(trace["expected_regret"]) + best, best, None


class _Promise(NamedTuple):
    """A bound with the trace and the length of the run it is about; zero for the longest."""

    guarantee: Guarantee
    columns: Mapping[str, Array] | None
    rounds: int


def _promises(named: Mapping[str, Run], bounds: Any) -> list[_Promise]:
    if not isinstance(bounds, Mapping):
        alone = next(iter(named.values())) if len(named) == 1 else None
        promises = _about(alone, drawable(bounds, "regret"))
        return [_Promise(g, _columns(alone), 0) for g in promises]
    unknown = [name for name in bounds if name not in named]
    if unknown:
        raise BadParameter(f"bounds names the run {unknown[0]!r}, but runs does not hold it.")
    return [
        _Promise(g, _columns(named[name]), len(regret_of(named[name])))
        for name, promised in bounds.items()
        for g in _about(named[name], drawable(promised, "regret"))
    ]


def _about(run: Any, promises: Sequence[Guarantee]) -> list[Guarantee]:
    """The promises about the regret that is drawn; not those about estimates or other rivals."""
    own = [g for g in promises if not g.of.startswith(_OTHERS)]
    if isinstance(run, ExpertRecord) and run.sequence_loss is not None:
        return [g for g in own if "sequence" in g.of] or own
    return own


def _columns(run: Any) -> Mapping[str, Array] | None:
    return run.trace if isinstance(run, ExpertRecord | BanditRecord) else None
