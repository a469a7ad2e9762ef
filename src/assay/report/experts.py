"""A stream of forecasts in plain words: the policy, its error, its regret to each expert and the bounds."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.guarantees.decimals import shown_up
from assay.guarantees.guarantee import Guarantee
from assay.report.blocks import block, columns, counted

if TYPE_CHECKING:
    from assay.play.expert_stream import ExpertStream, Rival

#: How many experts a person is shown.
MOST = 10
# From here on, digits are not counted any more.
_LONG = 10**15


def experts_text(stream: ExpertStream, left_out: tuple[str, ...] = ()) -> str:
    """What a policy made of the forecasts of experts, as a person reads it.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.data.examples import Examples
    >>> from assay.play.expert_stream import ExpertStream
    >>> stream = ExpertStream(loss="entropic", source="rain.csv")
    >>> X = np.array([[0.9, 0.5], [0.8, 0.5], [0.3, 0.5]])
    >>> stream.learn(Examples(X, np.array([1, 1, 0]), ["ann", "bob"], "rain"))
    >>> print(experts_text(stream))
    Forecasts in rain.csv, combined by weighted-average
    <BLANKLINE>
    Policy    weighted-average, for the entropic loss; no forecast is missing in the first 3 rows.
    Range     0 to 1, because forecasts are probabilities; every number was compared with it.
    Seen      3 rows, each predicted before its truth was used. The mean entropic loss is 0.3856; that of the
              plain mean of all forecasts is 0.4328.
    Experts   expert   error   regret  at most
              ann     0.2284   0.4716   0.6932
              bob     0.6931  -0.9227   0.6932
              error: mean entropic loss; regret: the loss of the policy less the expert's,
              summed over the rows.
    Always    The last column holds by wa-entropic-regret, whatever the rows.
    If        the experts' predictions and the outcomes lie between 0 and 1 (checked: every number was
              compared with the range)
              the weights start equal (by construction)
              each prediction is the weighted average, and each weight is multiplied by exp(-rate * loss) (by
              construction)
    """
    shown = stream.rivals(MOST)
    lines = [f"Forecasts in {stream.source}, combined by {stream.name}", ""]
    if stream.why:
        lines += block("Policy", [f"{stream.name}, {stream.why}."])
    lines += block("Range", [_range(stream)]) + block("Seen", _seen(stream))
    if left_out:
        lines += block("Left out", [f"{_listed(left_out)}: no numbers in it."])
    lines += block("Experts", _table(stream, shown), fold=False)
    bounds = [rival.guarantee for rival in shown if rival.guarantee is not None]
    lines += always(bounds, stream.guarantees())
    return "\n".join(line.rstrip() for line in lines)


def forecast_line(standing: dict[str, Any]) -> str:
    """Where the stream stands, in a line.

    Examples
    --------
    >>> forecast_line({"error": 1429.3, "best": "nat_q50", "best_error": 1476.4})
    '1,429, of the best expert (nat_q50) 1,476'
    """
    best = f"{standing['best']}) {number(standing['best_error'])}"
    return f"{number(standing['error'])}, of the best expert ({best}"


def number(value: float) -> str:
    """A measured number with four digits, its thousands apart.

    Examples
    --------
    >>> number(1429.28), number(0.000123456), number(-2)
    ('1,429', '0.0001235', '-2')
    >>> number(1.5e306)
    '1.5e+306'
    """
    if 1000 <= abs(value) < _LONG:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def at_most(promised: str) -> str:
    """A promised number with four digits, never below what it is.

    Examples
    --------
    >>> at_most("8.3487745"), at_most("126829012.5")
    ('8.349', '126,900,000')
    """
    return readable(shown_up(promised, 4), ",")


def readable(text: str, thousands: str = "") -> str:
    """A shortened decimal as it is, or with an exponent where it would be long.

    Examples
    --------
    >>> readable("126900000", ","), readable("1269" + 30 * "0")
    ('126,900,000', '1.269e+33')
    """
    value = Decimal(text)
    if abs(value) < _LONG:
        return f"{value:{thousands}f}"
    return f"{value.normalize():e}"


def _range(stream: ExpertStream) -> str:
    if stream.range is None:
        return f"none: {stream.name} needs none."
    low, high = (f"{end:,g}" for end in stream.range)
    return f"{low} to {high}, {stream.range_known}; every number was compared with it."


def _seen(stream: ExpertStream) -> list[str]:
    rows, mean = counted(stream.rows, "row"), stream.mean_error
    beside = "" if mean is None else f"; that of the plain mean of all forecasts is {number(mean)}"
    lines = [
        f"{rows}, each predicted before its truth was used. The {stream.error_name} is "
        f"{number(stream.error)}{beside}."
    ]
    if stream.skipped:
        lines += [f"{counted(stream.skipped, 'row')} without any forecast left out."]
    if stream.rows_before:
        lines += [
            f"{counted(stream.rows_before, 'row')} learned earlier; all numbers include them."
        ]
    return lines


def _table(stream: ExpertStream, shown: list[Rival]) -> list[str]:
    sleeping = stream.record.awake is not None
    # Of an expert that sleeps, the bound is on the policy's loss while it is awake.
    beside = ["its loss", "regret", "our loss"] if sleeping else ["regret"]
    rows = [["expert", *(["rows"] if sleeping else []), "error", *beside, "at most"]]
    for rival in shown:
        bound = rival.guarantee
        most = "" if bound is None or bound.promised_text is None else at_most(bound.promised_text)
        awake = [f"{rival.rows:,}"] if sleeping else []
        seen = [rival.loss, rival.regret, rival.loss + rival.regret] if sleeping else [rival.regret]
        rows += [[rival.name, *awake, number(rival.error), *map(number, seen), most]]
    lines = columns(rows)
    return [*lines, *_cut(stream, len(shown)), *_legend(stream, sleeping)]


def _cut(stream: ExpertStream, shown: int) -> list[str]:
    rest = len(stream.record.expert_losses) - shown
    return [] if rest <= 0 else [f"and {rest:,} more; --json lists them."]


def _legend(stream: ExpertStream, sleeping: bool) -> list[str]:
    scaled = stream.range not in (None, (0.0, 1.0))
    over = ", of numbers scaled into [0, 1]." if scaled else "."
    if sleeping:
        return [
            f"error: {stream.error_name} while awake; its loss: the expert's, and our loss: the weighted",
            "mean of those awake, both summed over the rows in which the expert was awake; regret: our",
            f"loss less its own; at most: of our loss{over}",
        ]
    return [
        f"error: {stream.error_name}; regret: the loss of the policy less the expert's,",
        f"summed over the rows{over}",
    ]


def always(bounds: list[Guarantee], others: list[Guarantee]) -> list[str]:
    """What holds whatever the rows are, and under which conditions."""
    if not bounds:
        return block("Always", ["Nothing is promised: the rate is larger than the theorem allows."])
    names = _listed(tuple(dict.fromkeys(bound.theorem for bound in bounds)))
    lines = [f"The last column holds by {names}, whatever the rows."]
    lines += [f"{str(bound)[0].upper()}{str(bound)[1:]}." for bound in others]
    listed = {
        (a.name, f"{a.status}: {a.evidence}" if a.evidence else a.status): None
        for bound in [*bounds, *others]
        for a in bound.assumptions
    }
    return block("Always", lines) + block("If", [f"{name} ({how})" for name, how in listed])


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
