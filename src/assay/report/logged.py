"""A policy judged by the log of another, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.guarantees.decimals import decimal_text, shown_down, shown_up
from assay.report.blocks import block, counted
from assay.report.experts import number, readable
from assay.report.text import confidence_text

if TYPE_CHECKING:
    from assay.play.judged_log import JudgedLog


def logged_text(judged: JudgedLog) -> str:
    """What a policy loses by a log, as a person reads it.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.play.judged_log import judge_log
    >>> from assay.record.decisions import DecisionLog
    >>> actions = np.arange(2000) % 2
    >>> log = DecisionLog(actions / 1, np.full(2000, 0.5), actions, arms=2, arm_names=("a", "b"))
    >>> print(logged_text(judge_log(log, policy="arm=a", source="clicks.csv")))
    Decisions of clicks.csv
    <BLANKLINE>
    Log       2,000 rounds, 2 actions; whoever made it lost 0.5 a round.
    Policy    arm=a, judged by all rounds.
    Promised  It loses between 0 and 0.0755 a round, with 95 % confidence, whenever one looks
              (logged-loss-at-least, logged-loss-at-most).
              At least 0.465 less than whoever made the log, with 95 % confidence (logged-improvement).
    Estimate  0 by inverse propensity, 0 self-normalised. The rounds are worth 1,000 of its own; the largest
              weight is 2.
    If        contexts and losses of the rounds are independent draws from where the policy is to be used;
              actions may depend on earlier rounds (assumed)
              every action was drawn with the logged probabilities, whatever its losses were to be (declared:
              the log's propensities)
              in every round the policy, and what forecasts losses, were settled before its loss was looked at
              (assumed: nothing was learned here)
    """
    log, value = judged.log, judged.value
    got = "gained" if log.rewards else "lost"
    rounds = counted(len(log), "round")
    own = number(judged.scaled(judged.logged_loss))
    judges = f"the other {judged.judged:,}" if judged.learned else "all rounds"
    where = f" in {judges}" if judged.learned else ""
    arms = counted(log.arms, "action")
    lines = [f"Decisions of {judged.source}", ""]
    lines += block(
        "Log", [f"{rounds}, {arms}; whoever made it {got} {own} a round{where}.", *log.notes]
    )
    lines += block("Policy", [f"{judged.name}, judged by {judges}."])
    lines += block("Promised", _promised(judged))
    estimates = [
        f"{number(judged.scaled(value.inverse_propensity))} by inverse propensity",
        f"{number(judged.scaled(value.self_normalised))} self-normalised",
    ]
    worth = (
        f"The rounds are worth {value.effective_rounds:,.0f} of its own; the largest weight is "
        f"{number(value.largest_weight)}."
    )
    lines += block("Estimate", [f"{', '.join(estimates)}. {worth}"])
    lines += block("If", [_condition(assumption) for assumption in judged.assumptions()])
    return "\n".join(line.rstrip() for line in lines)


def _promised(judged: JudgedLog) -> list[str]:
    lower, upper = judged.interval()
    sure, gains = (
        confidence_text(str(judged.value.delta)),
        "gains" if judged.log.rewards else "loses",
    )
    by = judged.better_by()
    more = "more" if judged.log.rewards else "less"
    said = (
        f"At least {_down(by)} {more} than whoever made the log, with {sure} "
        f"({judged.improvement.theorem})."
        if by > 0
        else f"That it is better than whoever made the log is not known ({judged.improvement.theorem} gives "
        f"{_down(by)})."
    )
    return [
        f"It {gains} between {_down(lower)} and {_up(upper)} a round, with {sure}, whenever one looks "
        "(logged-loss-at-least, logged-loss-at-most).",
        said,
    ]


def _down(end: float) -> str:
    return readable(shown_down(decimal_text(end), 4))


def _up(end: float) -> str:
    return readable(shown_up(decimal_text(end), 4))


def _condition(assumption: Any) -> str:
    how = (
        f"{assumption.status}: {assumption.evidence}" if assumption.evidence else assumption.status
    )
    return f"{assumption.name} ({how})"
