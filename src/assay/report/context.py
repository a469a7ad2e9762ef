"""Policies with context on a file, in plain words: what they lost, which actions they took, and what is promised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.report.bandit import bandit_text
from assay.report.blocks import block, columns, counted
from assay.report.experts import number

if TYPE_CHECKING:
    from assay.guarantees.guarantee import Guarantee
    from assay.play.context_stream import ContextLog, ContextTable

#: How many actions a person is shown.
MOST = 10


def context_line(standing: dict[str, Any]) -> str:
    """Where a policy stands, in a line.

    Examples
    --------
    >>> context_line({"loss": 0.125, "best_action": "b", "best_action_loss": 0.5})
    '0.125 a row; always b would have lost 0.5'
    """
    if standing["loss"] is None:
        return "no row yet"
    return (
        f"{number(standing['loss'])} a row; always {standing['best_action']} would have lost "
        f"{number(standing['best_action_loss'])}"
    )


def context_text(stream: ContextTable, target: str = "") -> str:
    """What a policy did on rows that say the right action, as a person reads it.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.data.examples import Examples
    >>> from assay.play.context_stream import ContextTable
    >>> X = np.random.default_rng(0).random((2000, 2))
    >>> stream = ContextTable("square-cb", np.array(["a", "b"]), source="sides.csv")
    >>> stream.learn(Examples(X, np.where(X[:, 0] > X[:, 1], "a", "b"), ["u", "v"], "side"))
    >>> print(context_text(stream, "side"))
    Rows of sides.csv, each a round of square-cb
    <BLANKLINE>
    Rows      2,000 rows, 2 actions; of each row the policy was told whether its action was that of 'side'.
    Lost      0.0455 a row; always a would have lost 0.493 a row.
    Actions   action  chosen  right
              a        1,017  1,014
              b          983    986
    Explored  71 times, 3.55 % of the rows, the action was not the one held for the best.
    Promised  Squared errors beyond the best linear forecaster's: at most 7.409, observed -1.01414, by
              forward-ridge-receipt.
              Expected regret: at most 1286.03, by squarecb-regret.
    If        every number that is forecast lies between 0 and 1 (checked: any other loss is refused)
              every number is forecast by least squares with the penalty, as if it had been seen to be 1/2 (by
              construction)
              every loss lies between 0 and 1 (checked: any other is refused)
              given the past and the round, the mean loss of every action is what one forecaster of the
              regression's class says (assumed)
              on every run, the regression's squared errors exceed that forecaster's by at most the oracle
              regret (by construction: forward-ridge-regret)
              every loss was learned before the next action was drawn (by construction)
              an action is drawn with probability 1 / (K + rate * its forecast beyond the least), the least
              one with what is left; in round t the rate is gamma * sqrt(t); then with the floor (by
              construction)
    """
    history = stream.history
    best, loss = stream.best_single
    told = f"that of {target!r}" if target else "the right one"
    rows = counted(stream.rows, "row")
    lines = [f"Rows of {stream.source}, each a round of {stream.name}", ""]
    lines += block(
        "Rows",
        [
            f"{rows}, {len(stream.arms)} actions; of each row the policy was told whether its action was {told}."
        ],
    )
    lost = f"{number(stream.mean_loss)} a row; always {best} would have lost {number(loss)} a row."
    lines += block("Lost", [lost])
    order = (-history.counts).argsort(kind="stable")[:MOST]
    cells = [["action", "chosen", "right"]]
    cells += [
        [str(stream.arms[i]), f"{history.counts[i]:,}", f"{history.truths[i]:,}"] for i in order
    ]
    table = columns(cells)
    if len(stream.arms) > MOST:
        table.append(f"and {len(stream.arms) - MOST:,} more; --json lists them.")
    lines += block("Actions", table, fold=False)
    lines += promised(stream.guarantees(), explored(stream.policy, stream.rows))
    return "\n".join(line.rstrip() for line in lines)


def log_text(stream: ContextLog) -> str:
    """What a policy with context did on a log, as a person reads it: as for one without, and how often it explored."""
    return "\n".join([bandit_text(stream), *explored(stream.policy, stream.kept)])


def explored(policy: Any, rows: int) -> list[str]:
    """In how many rows another action was drawn than the one held for the best."""
    many = getattr(policy.record_, "explored", None) if rows else None
    if many is None:
        return []
    share = 100 * many / max(rows, 1)
    return block(
        "Explored",
        [
            f"{many:,} times, {share:.3g} % of the rows, the action was not the one held for the best."
        ],
    )


def promised(guarantees: list[Guarantee], before: list[str]) -> list[str]:
    """What theorems say of a run, with what they rest on."""
    lines = list(before)
    lines += block("Promised", [_sentence(g) for g in guarantees])
    conditions = dict.fromkeys(
        f"{a.name} ({a.status}: {a.evidence})" if a.evidence else f"{a.name} ({a.status})"
        for g in guarantees
        for a in g.assumptions
    )
    return lines + block("If", list(conditions))


def _sentence(guarantee: Guarantee) -> str:
    told = str(guarantee)
    vacuous = ": vacuous, as much as there is to lose" if guarantee.vacuous else ""
    return f"{told[0].upper()}{told[1:]}{vacuous}."
