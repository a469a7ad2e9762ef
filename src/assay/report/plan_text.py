"""A plan in plain words: what to buy, what may then be promised, and how likely that is."""

from __future__ import annotations

from fractions import Fraction

from assay.certificates.issue.plans.planned import Plan
from assay.certificates.show.words import confidence_text, percent, percent_above, percent_below

# Of more verdicts than this, only the sum of labels is told.
_MOST_TOLD = 6
# Which rows a metric counts, where nobody said how frequent they are.
_COUNTED = {
    "precision": "rows that the model flags",
    "recall": "rows that are positive",
    "specificity": "rows that are negative",
    "f1": "rows that are positive or flagged",
}
_NAMES = {"f1": "F1"}


def plan_text(plan: Plan) -> str:
    """A plan as a person reads it.

    Examples
    --------
    >>> from assay import plan
    >>> print(plan_text(plan(error=0.05, delta=0.05)))
    Buy 59 labelled rows for the holdout.
    If the model gets none of them wrong, you may promise an error of at most 5 %, with 95 % confidence.
    A single error among them is one too many: a model whose true error is 1 % makes none with probability 55.3 %.
    To succeed with probability 90 %, it needs 153 rows (at most 3 wrong); one whose true error is 2 % needs 311 (at \
most 9 wrong).
    The textbook bound (validation-hoeffding) would ask for 600 rows.
    >>> print(plan_text(plan(better_by=0, only_old_rate=0.04, only_new_rate=0.02, power=0.8)))
    Buy 996 labelled rows, on which both models predict.
    If only the old model is wrong on 4 % of them and only the new one on 2 %, you may then say that the new model is \
better, with 95 % confidence. That succeeds with probability 80 %.
    """
    lines = {
        "holdout": _holdout,
        "training": _training,
        "difference": _difference,
        "metric": _metric,
        "gate": _gate,
        "units": _units,
        "groups": _groups,
        "judges": _judges,
    }[plan.purpose](plan)
    return "\n".join(lines)


def _sure(plan: Plan) -> str:
    return f"with {confidence_text(plan.delta)}"


def _chance(plan: Plan) -> str:
    """With which end the sentence about a guess closes."""
    assert plan.power is not None
    return f"{_sure(plan)}. That succeeds with probability {percent(plan.power)}."


def _share(text: str) -> str:
    return percent(float(Fraction(text)))


def _training(plan: Plan) -> list[str]:
    error = percent_above(str(plan.error))
    within = (
        f"within {error} of the best in the class"
        if plan.inputs.get("agnostic")
        else f"below {error}"
    )
    return [
        f"{plan.rows:,} training rows are enough, {plan.provided}.",
        f"The error of what is learned is then {within}, {_sure(plan)} (by {plan.theorem}).",
        *_textbook(plan),
    ]


def _textbook(plan: Plan) -> list[str]:
    if plan.textbook is None:
        return []
    return [f"The textbook bound ({plan.textbook[0]}) would ask for {plan.textbook[1]:,} rows."]


def _holdout(plan: Plan) -> list[str]:
    error = percent_above(str(plan.error))
    wrong = "none" if plan.errors_allowed == 0 else f"at most {plan.errors_allowed:,}"
    lines = [
        f"Buy {plan.rows:,} labelled rows for the holdout.",
        f"If the model gets {wrong} of them wrong, you may promise an error of at most {error}, {_sure(plan)}.",
    ]
    lines += _instead(plan)
    expected = float(plan.inputs["expected"])
    if plan.power is not None and expected > 0:
        lines += [
            f"A model whose true error is {percent(expected)} succeeds with probability {percent(plan.power)}."
        ]
    return lines + _textbook(plan)


def _instead(plan: Plan) -> list[str]:
    """What a plan for a model without error hides: how models fare that do err."""
    if not plan.instead:
        return []
    (guess, rows, allowed), *others = plan.instead
    lucky = percent((1 - float(guess)) ** plan.rows)
    first = percent(float(guess))
    power = percent(float(plan.inputs["power"]))
    line = (
        f"To succeed with probability {power}, it needs {rows:,} rows (at most {allowed:,} wrong)"
    )
    for guess, rows, allowed in others:
        line += f"; one whose true error is {percent(float(guess))} needs {rows:,} (at most {allowed:,} wrong)"
    return [
        f"A single error among them is one too many: a model whose true error is {first} makes none with probability "
        f"{lucky}.",
        f"{line}.",
    ]


def _difference(plan: Plan) -> list[str]:
    inputs = plan.inputs
    points = 100 * Fraction(inputs["better_by"])
    if points == 0:
        said = "say that the new model is better"
    else:
        side = "lower by at least" if points > 0 else "higher by at most"
        many = f"{float(abs(points)):g} point{'' if abs(points) == 1 else 's'}"
        said = f"promise that the new model's error is {side} {many}"
    rivals = inputs.get("rivals", 1)
    old, new = _share(inputs["only_old_rate"]), _share(inputs["only_new_rate"])
    if rivals > 1:
        # Nothing is guessed of how rivals go together: they may fail at different times.
        return [
            f"Buy {plan.rows:,} labelled rows, on which all {rivals + 1} models predict.",
            f"If only the old model is wrong on {old} of them and only the new one on {new}, you may then {said}, "
            f"for {rivals} old models at once, {_sure(plan)}. With each of them that succeeds with probability "
            f"{percent(plan.power or 0.0)}.",
        ]
    return [
        f"Buy {plan.rows:,} labelled rows, on which both models predict.",
        f"If only the old model is wrong on {old} of them and only the new one on {new}, you may then {said}, "
        f"{_chance(plan)}",
    ]


def _metric(plan: Plan) -> list[str]:
    inputs, metric = plan.inputs, plan.inputs["metric"]
    whole = "flagged" in inputs or "prevalence" in inputs
    what = "labelled rows" if whole else f"labelled {_COUNTED[metric]}"
    guess = " and ".join(map(_share, inputs["expected"].split(",")))
    of = (
        "precision and recall are"
        if "," in inputs["expected"]
        else f"{_NAMES.get(metric, metric)} is"
    )
    return [
        f"Buy {plan.rows:,} {what}.",
        f"If the model's {of} {guess}, you may then promise {_NAMES.get(metric, metric)} of at least "
        f"{_share(inputs['at_least'])}, beside the error, {_chance(plan)}",
    ]


def _gate(plan: Plan) -> list[str]:
    good, bad = (_share(plan.inputs[name]) for name in ("good", "bad"))
    assert plan.power is not None
    surely = percent_below(1 - Fraction(plan.delta))
    return [
        f"Buy {plan.rows:,} labelled rows.",
        f"Let a model pass if at most {plan.errors_allowed:,} of them are wrong: one whose error is {good} passes with "
        f"probability {percent(plan.power)}, and one whose error is {bad} fails with probability {surely} or more.",
        f"To pass is to promise an error of at most {bad}: assay certify ... --max-error {plan.error} --delta "
        f"{plan.delta}.",
    ]


def _units(plan: Plan) -> list[str]:
    inputs = plan.inputs
    each = f"{inputs['unit_rows']:,} row{'s' if inputs['unit_rows'] != 1 else ''}"
    return [
        f"Buy {plan.units:,} units of {each} ({plan.rows:,} rows).",
        f"If the model's error is {_share(inputs['expected'])}, and rows of a unit err together with correlation "
        f"{inputs['correlation']}, you may then promise a mean error over units of at most "
        f"{percent_above(str(plan.error))}, {_chance(plan)}",
    ]


def _groups(plan: Plan) -> list[str]:
    shares = {name: Fraction(share) for name, share in plan.inputs["groups"].items()}
    smallest = min(shares, key=lambda name: shares[name])
    each = plan.parts[0][1]
    return [
        f"Buy {plan.rows:,} labelled rows at random.",
        f"If the model's error is {_share(plan.inputs['expected'])} in each of {len(shares)} groups, you may then "
        f"promise at most {percent_above(str(plan.error))} in every one, {_chance(plan)}",
        f"The smallest group, {smallest!r} ({percent(float(shares[smallest]))} of the rows), needs the most. Where "
        f"groups can be chosen, {each:,} rows of each are enough: {each * len(shares):,} in all.",
    ]


def _judges(plan: Plan) -> list[str]:
    judge = plan.inputs["judge"]
    items = sum(size for size, _ in judge.values())
    most = int(Fraction(str(plan.error)) * items)
    lines = [f"Buy {plan.rows:,} labels of items that are chosen at random."]
    guesses = "as many of these are wrong as you guess"
    if len(plan.parts) <= _MOST_TOLD:
        parts = [f"{labels:,} of those judged {name!r}" for name, labels in plan.parts]
        lines[0] = (
            f"Buy {plan.rows:,} labels of items that are chosen at random: {', '.join(parts)}."
        )
        shares = [_share(share) for _, share in judge.values()]
        guesses = f"{' and '.join(shares)} of these are wrong"
    lines.append(
        f"If {guesses}, you may then promise that at most {most:,} of the {items:,} items of the batch are "
        f"({percent_above(str(plan.error))}), {_chance(plan)}"
    )
    if plan.textbook is not None:
        lines.append(f"A random sample of the whole batch would need {plan.textbook[1]:,} labels.")
    return lines
