"""A stream of labels that experts name, in plain words: the policy, its mistakes, and the bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.blocks import block, columns, counted
from assay.report.experts import MOST, always, at_most, number

if TYPE_CHECKING:
    from assay.play.label_expert_stream import LabelExpertStream


def label_experts_text(stream: LabelExpertStream) -> str:
    """What a policy made of the labels of experts, as a person reads it.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.data.examples import Examples
    >>> from assay.play.label_expert_stream import LabelExpertStream
    >>> stream = LabelExpertStream(source="sky.csv")
    >>> advice = np.array([["rain", "sun"], ["rain", "rain"], ["sun", "sun"]], dtype=object)
    >>> truth = np.array(["rain", "rain", "sun"], dtype=object)
    >>> stream.learn(Examples(advice, truth, ["ann", "bob"], "weather"))
    >>> print(label_experts_text(stream).split("If ")[0].rstrip())
    Labels in sky.csv, combined by weighted-majority
    <BLANKLINE>
    Policy    weighted-majority, for two labels, none missing in the first 3 rows.
    Seen      3 rows, each predicted before its truth was used. The share of mistakes is 0.3333.
    Experts   expert  rows  mistakes  ours  at most
              ann        3         0     1        1
              bob        3         1     1        4
              mistakes: the expert's; ours: those of the policy in the same rows; at most: of ours.
    Always    The last column holds by weighted-majority-mistakes, whatever the rows.
    """
    shown = stream.rivals(MOST)
    lines = [f"Labels in {stream.source}, combined by {stream.name}", ""]
    if stream.why:
        lines += block("Policy", [f"{stream.name}, {stream.why}."])
    seen = [
        f"{counted(stream.rows, 'row')}, each predicted before its truth was used. The {stream.error_name} is "
        f"{number(stream.error)}."
    ]
    if stream.skipped:
        seen += [
            f"In {counted(stream.skipped, 'more row')} nobody named a label, and neither did the policy."
        ]
    if stream.rows_before:
        seen += [f"{counted(stream.rows_before, 'row')} learned earlier; all numbers include them."]
    lines += block("Seen", seen)
    head = ["regret"] if stream.bounds_regret else []
    rows = [["expert", "rows", "mistakes", "ours", *head, "at most"]]
    for rival in shown:
        bound = rival.guarantee
        most = "" if bound is None or bound.promised_text is None else at_most(bound.promised_text)
        regret = [number(rival.regret)] if stream.bounds_regret else []
        ours = number(rival.loss + rival.regret)
        rows += [[rival.name, f"{rival.rows:,}", number(rival.loss), ours, *regret, most]]
    legend = "mistakes: the expert's; ours: those of the policy in the same rows"
    if stream.error_name.startswith("expected"):
        legend += ", on average over its draws"
    legend += "; at most: of the regret." if stream.bounds_regret else "; at most: of ours."
    rest = len(stream.record.expert_losses) - len(shown)
    cut = [] if rest <= 0 else [f"and {rest:,} more; --json lists them."]
    lines += block("Experts", [*columns(rows), *cut, legend], fold=False)
    bounds = [rival.guarantee for rival in shown if rival.guarantee is not None]
    lines += always(bounds, stream.guarantees())
    return "\n".join(line.rstrip() for line in lines)
