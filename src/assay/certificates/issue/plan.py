"""Plan: how many rows, or labels, must be bought before something can be promised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from assay.certificates.issue.plans.difference import difference_plan
from assay.certificates.issue.plans.gate import gate_plan
from assay.certificates.issue.plans.groups import group_plan
from assay.certificates.issue.plans.holdout import MOST_ROWS, holdout_plan
from assay.certificates.issue.plans.judges import judge_plan
from assay.certificates.issue.plans.metrics import METRICS, Metric, metric_plan
from assay.certificates.issue.plans.planned import Plan
from assay.certificates.issue.plans.training import training_plan
from assay.certificates.issue.plans.units import unit_plan
from assay.errors import BadParameter, Words, require
from assay.theory.needs import inside_unit, unit
from assay.theory.rounding import Number

__all__ = ["Plan", "plan"]

_CLASS = ("class_size", "bits", "vc_dimension")
_OF_CLASS, _OF_UNITS, _OF_GROUPS, _OF_BATCH = "class", "units", "groups", "batch"
_OPTIONS = {"vc_dimension": "vc"}
_PROMISES = ("error", "better_by", *METRICS, "gate")
# What else each kind of plan takes.
_TAKES: dict[str, tuple[str, ...]] = {
    "error": ("expected",),
    _OF_CLASS: (*_CLASS, "agnostic", "expected"),
    _OF_UNITS: ("unit_rows", "correlation", "expected"),
    _OF_GROUPS: ("groups", "expected"),
    _OF_BATCH: ("judge",),
    "better_by": ("only_old_rate", "only_new_rate", "discordance", "rivals", "expected"),
    "precision": ("flagged", "rates", "expected"),
    "recall": ("prevalence", "rates", "expected"),
    "specificity": ("prevalence", "rates", "expected"),
    "f1": ("prevalence", "rates", "expected"),
    "gate": (),
}
_ERRORS: dict[str, Callable[..., Plan]] = {
    "error": holdout_plan,
    _OF_UNITS: unit_plan,
    _OF_GROUPS: group_plan,
    _OF_BATCH: judge_plan,
}
_NAMES = {
    "error": "an error",
    _OF_CLASS: "a class of rules",
    _OF_UNITS: "units",
    _OF_GROUPS: "groups",
    _OF_BATCH: "a judged batch",
    "better_by": "a difference",
    "gate": "a gate",
}


def plan(
    error: Number | None = None,
    delta: Number | None = None,
    *,
    expected: Any = None,
    power: Number | None = None,
    class_size: int | None = None,
    bits: int | None = None,
    vc_dimension: int | None = None,
    agnostic: bool = False,
    better_by: Number | None = None,
    only_old_rate: Number | None = None,
    only_new_rate: Number | None = None,
    discordance: Number | None = None,
    rivals: int = 1,
    precision: Number | None = None,
    recall: Number | None = None,
    specificity: Number | None = None,
    f1: Number | None = None,
    flagged: Number | None = None,
    prevalence: Number | None = None,
    rates: int = 1,
    unit_rows: int | None = None,
    correlation: Number | None = None,
    groups: Mapping[Any, Number] | Sequence[Number] | None = None,
    judge: Mapping[Any, tuple[int, Number]] | Sequence[tuple[int, Number]] | None = None,
    gate: tuple[Number, Number] | None = None,
) -> Plan:
    r"""How many rows, or labels, it takes to be able to promise something.

    Say what shall be promised: one of `error`, `better_by`, `precision`, `recall`, `specificity`, `f1` and `gate`. The
    rest is a guess of the truth. Rows are enough if, should the guess be right, the promise can be made with
    probability `power`; nothing is promised about the guess.

    An error without a class takes rows of a holdout: the smallest n for which a model of error `expected` passes
    with probability `power`, where passing means at most
    :math:`k^*=\max\{k:\Pr[\mathrm{Bin}(n,\varepsilon)\le k]\le\delta\}` errors. With `class_size`,
    `bits` or `vc_dimension`, rows of a training set: enough for every consistent rule of the class to
    have error below ``error`` or, with ``agnostic=True``, for the rule with the fewest training
    errors to be within ``error`` of the best of the class.

    Parameters
    ----------
    error : float, optional
        The error rate to be promised (agnostic: the excess over the best rule of the class).
    delta : float, default=0.05
        The probability of failure; with `gate`, ``1 - power`` when not given.
    expected : float, optional
        A guess of the truth: the model's error, the metric (of F1 also as precision and recall), or the difference of
        two models. An error must lie below ``error``; without a guess the rows are for a model that errs on none of
        them, and `Plan.instead` says what models need that do err.
    power : float, optional
        With which probability the promise shall succeed if the guess is right: 0.9 when not given, with `gate` 0.99.
    class_size, bits, vc_dimension : int, optional
        The size of the class of rules, given in one of these ways; `bits` b means up to 2^b rules.
    agnostic : bool, default=False
        Whether no rule of the class need be free of error.
    better_by : float, optional
        By how much the error of a new model shall be promised to be below that of an old one, on the same rows: 0 for
        better at all, a negative number for not worse than by so much. The guess is either of the following.
    only_old_rate, only_new_rate : float, optional
        How often only the old model is wrong, and only the new one.
    discordance : float, optional
        How often exactly one of the two is wrong; with the difference as `expected`.
    rivals : int, default=1
        With how many old models the new one is compared; `power` is that of the promise about each of them.
    precision, recall, specificity, f1 : float, optional
        What shall be promised of a report, at least, as one of the `rates` of `certify`.
    flagged, prevalence : float, optional
        How often a row is flagged (for precision), or positive. Without it only rows that the metric counts are bought.
    rates : int, default=1
        How many metrics are promised at the same time.
    unit_rows, correlation : int, float, optional
        Rows come in units of so many (attempts, sentences of a conversation), and two rows of a unit err together with
        this correlation. The error to be promised is the mean over units.
    groups : mapping or sequence of float, optional
        The share of the rows that belongs to each group; the error is promised of every group, as by
        ``certify(..., every_group=True)``.
    judge : mapping or sequence of (items, share), optional
        For each verdict of a judge that has gone through a batch, how many items have it, and a guess of which share of
        them is wrong. The error to be promised is that of the batch, by `certify_judged`; `Plan.parts` says how many
        labels each verdict gets, and `Plan.textbook` what a sample of the whole batch would need.
    gate : pair of float, optional
        Two errors: a model of the first shall pass, and one of the second fail, each with probability `power`.

    Returns
    -------
    Plan
        `Plan.power_at` tells what fewer or more rows are worth.

    Examples
    --------
    >>> from assay import plan
    >>> plan(error=0.05, delta=0.05).rows
    59
    >>> p = plan(error=0.05, delta=0.05, expected=0.02, power=0.9)
    >>> p.rows, p.errors_allowed
    (311, 9)
    >>> plan(better_by=0, only_old_rate=0.04, only_new_rate=0.02, power=0.8).rows
    996
    >>> plan(gate=(0.01, 0.05)).rows
    344
    >>> p = plan(error=0.11, judge={"flagged": (1000, 0.8), "passed": (9000, 0.01)}, power=0.8)
    >>> p.rows, p.parts, p.textbook
    (511, (('flagged', 110), ('passed', 401)), ('holdout-finite-population', 1123))
    >>> p = plan(error=0.1, delta=0.05, class_size=1000)
    >>> p.rows, p.textbook
    (94, ('occam-finite-class', 100))
    """
    given = {n: v for n, v in locals().items() if v is not None and v is not False}
    given = {n: v for n, v in given.items() if n not in ("rivals", "rates") or v != 1}
    promise, kind = _kind(given)
    usual = "0.99" if kind == "gate" else "0.9"
    chance = unit("power", usual if power is None else power).low
    require(chance > 0, "power", "above zero", power)
    if kind == "gate":
        return gate_plan(gate, delta, chance)
    level: Number = 0.05 if delta is None else delta
    inside_unit("delta", level)
    terms = {name: given[name] for name in _TAKES[kind] if name in given}
    if promise == "better_by":
        return difference_plan(given[promise], level, chance, **terms)
    if promise != "error":
        return metric_plan(cast(Metric, promise), given[promise], level, chance, **terms)
    rate = inside_unit("error", error).low
    require(rate * MOST_ROWS >= 1, "error", f"at least one in {MOST_ROWS:,}", error)
    if kind == _OF_CLASS:
        must = "left out with a class of rules"
        require(not expected or unit("expected", expected).low == 0, "expected", must, expected)
        [(name, size)] = [(name, given[name]) for name in _CLASS if name in given]
        return training_plan(given[promise], level, name, size, agnostic=agnostic)
    return _ERRORS[kind](given[promise], level, power=chance, **{"expected": None} | terms)


def _kind(given: Mapping[str, Any]) -> tuple[str, str]:
    """What shall be promised, and of which kind the plan is; refuses what does not belong to it."""
    promises = [name for name in _PROMISES if name in given]
    if len(promises) != 1:
        raise BadParameter(
            "A plan takes one of ", _listed(_PROMISES), ", but was given ", _listed(promises), "."
        )
    [promise] = promises
    kind = promise
    if promise == "error":
        classes = [name for name in _CLASS if name in given]
        if len(classes) > 1:
            raise BadParameter(
                "The class is given by one of ", _listed(_CLASS), ", not by ", _listed(classes), "."
            )
        marks = dict.fromkeys(classes, _OF_CLASS)
        marks |= {"unit_rows": _OF_UNITS, "correlation": _OF_UNITS, "groups": _OF_GROUPS}
        marks |= {"judge": _OF_BATCH}
        kind = next((marks[name] for name in marks if name in given), promise)
    if kind != _OF_CLASS:
        must = "given with class_size, bits or vc_dimension"
        require("agnostic" not in given, "agnostic", must, given.get("agnostic"))
    known = (promise, "delta", "power", *_TAKES[kind])
    for name in given:
        require(
            name in known,
            name,
            f"left out where the plan is for {_NAMES.get(kind, kind)}",
            given[name],
        )
    return promise, kind


def _listed(names: Sequence[str]) -> Words:
    """Parameters, which are options on the command line."""
    options = (f"--{_OPTIONS.get(name, name).replace('_', '-')}" for name in names)
    return Words(", ".join(names) or "nothing", ", ".join(options) or "nothing")
