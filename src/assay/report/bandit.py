"""A replayed log in plain words: what the policy lost, between which bounds, and the arms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.guarantees.decimals import decimal_text, shown_down, shown_up
from assay.report.blocks import block, columns, counted
from assay.report.experts import number, readable
from assay.report.text import confidence_text

if TYPE_CHECKING:
    from assay.play.bandit_stream import BanditStream, RegretBound

#: How many arms a person is shown.
MOST = 10


def bandit_text(stream: BanditStream, why: str = "") -> str:
    """What a replay found, as a person reads it.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.data.examples import Examples
    >>> from assay.play.bandit_stream import BanditStream, Log
    >>> arms = np.array([0, 1] * 500)
    >>> losses = np.where(arms == 1, 0.0, 1.0)
    >>> stream = BanditStream("ucb1", Log(np.array([0, 1]), 0.5, declared=True), source="clicks.csv")
    >>> stream.learn(Examples(np.column_stack([losses, np.full(1000, 0.5)]), arms, ["loss", "p"]))
    >>> print(bandit_text(stream))
    Log of clicks.csv, replayed by ucb1
    <BLANKLINE>
    Log       1,000 rows, 2 arms; whoever made it lost 0.5 a row. The least propensity is 0.5, declared.
    Replayed  510 rows, those whose arm the policy chose: it lost 0.01961 a row.
    Promised  The policy's expected loss, on average over these rows, lies between 0.004845 and 0.04839, with
              95 % confidence, at whatever row one stops (progressive-anytime).
    Arms      arm  logged  replayed  loss  standard error
              1       500       500     0         0.00199
              0       500        10     1         0.00199
              loss: the mean of the arm's own rows, each weighted by one over its propensity.
    Regret    Expected regret: at most 323.266, by ucb1-gap-free-regret.
    If        the rows are independent draws from the distribution of use (assumed)
              every propensity is the probability with which the arm was drawn (declared)
              no row of the log could have had a smaller propensity (declared: 0.5)
              every row was predicted before its truth was used (assumed: in this replay; rows of a log are
              not compared)
    """
    lines = [f"Log of {stream.source}, replayed by {stream.name}", ""]
    if why:
        lines += block("Policy", [f"{stream.name}, {why}."])
    lines += block("Log", [_log(stream)]) + block("Replayed", _replayed(stream))
    if stream.kept:
        lines += block("Promised", [_promised(stream)])
    lines += block("Arms", _table(stream), fold=False)
    lines += block("Regret", [_regret(bound) for bound in stream.regret_bounds()])
    lines += block("If", [_condition(a) for a in stream.assumptions()])
    return "\n".join(line.rstrip() for line in lines)


def replay_line(standing: dict[str, Any]) -> str:
    """Where a replay stands, in a line.

    Examples
    --------
    >>> replay_line({"kept": 512, "loss": 0.25, "lower": 0.2, "upper": 0.3})
    '512 rows, loss 0.25, between 0.2 and 0.3'
    """
    unit = "reward" if "reward" in standing else "loss"
    if not standing["kept"]:
        return "no row yet"
    ends = f"between {_down(standing['lower'])} and {_up(standing['upper'])}"
    return f"{counted(standing['kept'], 'row')}, {unit} {number(standing[unit])}, {ends}"


def _log(stream: BanditStream) -> str:
    rows, arms = counted(stream.rows, "row"), counted(len(stream.log.arms), "arm")
    how = "declared" if stream.log.declared else "read off the log"
    return (
        f"{rows}, {arms}; whoever made it {_got(stream)} {number(stream.logged_loss)} a row. The least "
        f"propensity is {stream.log.least_propensity:g}, {how}."
    )


def _got(stream: BanditStream) -> str:
    return "gained" if stream.rewards else "lost"


def _replayed(stream: BanditStream) -> list[str]:
    lines = ["No row: the policy chose none of the logged arms. More rows are needed."]
    if stream.kept:
        rows = counted(stream.kept, "row")
        lost = f"it {_got(stream)} {number(stream.mean_loss)} a row"
        lines = [f"{rows}, those whose arm the policy chose: {lost}."]
    if stream.never_logged:
        lines += [f"Declared and never logged: {', '.join(stream.never_logged[:MOST])}."]
    if stream.waits_for is not None:
        lines += [
            f"The policy waits for {stream.waits_for} to be logged, and learns nothing from other rows. If "
            "it cannot have been drawn, do not declare it."
        ]
    return lines


def _regret(bound: RegretBound) -> str:
    of = f"{bound.of[0].upper()}{bound.of[1:]}"
    said = f"{of}: at most {readable(shown_up(bound.promised))}, by {bound.theorem}"
    return (
        f"{said}: vacuous, as much as there is to lose in these rows."
        if bound.vacuous
        else f"{said}."
    )


def _promised(stream: BanditStream) -> str:
    lower, upper = stream.interval()
    sure = confidence_text(str(stream.delta))
    return (
        f"The policy's expected {stream.unit}, on average over these rows, lies between "
        f"{_down(lower)} and {_up(upper)}, with {sure}, at whatever row one stops "
        "(progressive-anytime)."
    )


def _down(end: float) -> str:
    return readable(shown_down(decimal_text(end), 4))


def _up(end: float) -> str:
    return readable(shown_up(decimal_text(end), 4))


def _table(stream: BanditStream) -> list[str]:
    arms = stream.arms()
    rows = [["arm", "logged", "replayed", stream.unit, "standard error"]]
    rows += [
        [a.name, f"{a.logged:,}", f"{a.replayed:,}", _seen(a.loss), _seen(a.standard_error)]
        for a in arms[:MOST]
    ]
    lines = columns(rows)
    if len(arms) > MOST:
        lines += [f"and {len(arms) - MOST:,} more; --json lists them."]
    legend = (
        f"{stream.unit}: the mean of the arm's own rows, each weighted by one over its propensity."
    )
    return [*lines, legend]


def _seen(value: float | None) -> str:
    return "–" if value is None else number(value)


def _condition(assumption: Any) -> str:
    how = assumption.status
    return (
        f"{assumption.name} ({how}: {assumption.evidence})"
        if assumption.evidence
        else f"{assumption.name} ({how})"
    )
