"""What a plan says: how many rows are enough, for what, and how likely they are to suffice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.errors import BadParameter
from assay.theory.needs import count
from assay.theory.rounding import as_fraction

Purpose = Literal[
    "holdout", "training", "difference", "metric", "gate", "units", "groups", "judges"
]


@dataclass(frozen=True)
class Plan:
    """How many rows are enough, and for what.

    Attributes
    ----------
    rows : int
        Rows to buy.
    errors_allowed : int or None
        For a holdout or a gate: how many of them the model may get wrong.
    purpose : {"holdout", "training", "difference", "metric", "gate", "units", "groups", "judges"}
    theorem : str
        The theorem that makes the number enough.
    error : str or None
        The error rate to be promised, where that is what is promised.
    delta : str
        The probability of failure.
    power : float or None
        The probability that the promise can be made, if the guess is right.
    textbook : tuple of (str, int) or None
        The id of the classical theorem, or of the simplest other way, and the rows it would ask for.
    inputs : dict
        What the theorem was given, and the guess.
    instead : tuple of (str, int, int)
        Where no error was said to be expected: rows and errors allowed for models that do err, by the true error
        of each.
    units : int or None
        How many units the rows are of, where they come in units.
    parts : tuple of (str, int)
        How many labels to buy of each verdict of a judge, or rows of each group where these can be chosen.
    """

    rows: int
    errors_allowed: int | None
    purpose: Purpose
    theorem: str
    error: str | None
    delta: str
    power: float | None
    textbook: tuple[str, int] | None
    inputs: dict[str, Any]
    instead: tuple[tuple[str, int, int], ...] = ()
    units: int | None = None
    parts: tuple[tuple[str, int], ...] = ()
    _power_of: Callable[[int], float] | None = field(default=None, repr=False, compare=False)

    @property
    def provided(self) -> str:
        """What a training set's rule must be, for the number to be enough."""
        if self.inputs.get("agnostic"):
            return "if the rule is in the class and none in it errs on fewer training rows"
        return "if the rule is in the class and errs on no training row"

    def power_at(self, rows: int) -> float:
        """How likely another number of rows is to suffice, under the same guess.

        Of a gate it is the chance that the good model passes, where the bad one fails as surely as planned.

        Examples
        --------
        >>> from assay import plan
        >>> round(plan(error=0.05, expected=0.02, power=0.9).power_at(200), 3)
        0.629
        """
        if self._power_of is None:
            raise BadParameter("A plan of training rows is for the worst case, and has no power.")
        return self._power_of(count("rows", rows, at_least=1))

    def __str__(self) -> str:
        sure = f"delta {self.delta}"
        if self.purpose == "training":
            return (
                f"{self.rows} training rows are enough for {self.error} at {sure}, {self.provided}, "
                f"by {self.theorem}"
            )
        chance = "" if self.power is None else f", which happens with probability {self.power:.3f}"
        if self.purpose != "holdout":
            return f"{self.rows} rows{self._for()} at {sure}{chance}, by {self.theorem}"
        if as_fraction(self.inputs["expected"]) == 0:
            chance = ", as a model without error manages"
        return (
            f"{self.rows} holdout rows, of which at most {self.errors_allowed} may be wrong{chance}, "
            f"promise an error of {self.error} at {sure}, by {self.theorem}"
        )

    def _for(self) -> str:
        """What the rows of neither a holdout nor a training set promise."""
        inputs = self.inputs
        match self.purpose:
            case "difference":
                return f" promise that the new model is better by {inputs['better_by']}"
            case "metric":
                return f" promise {inputs['metric']} {inputs['at_least']}"
            case "gate":
                allowed = f", of which at most {self.errors_allowed} may be wrong,"
                return f"{allowed} tell {inputs['good']} from {inputs['bad']}"
            case "units":
                return f" in {self.units} units promise an error of {self.error}"
            case "groups":
                return (
                    f" promise an error of {self.error} in each of {len(inputs['groups'])} groups"
                )
            case _:
                return f" with labels promise that at most {self.error} of the batch is wrong"

    def to_json(self) -> dict[str, Any]:
        """The plan as plain data."""
        more: dict[str, Any] = {} if self.units is None else {"units": self.units}
        if self.parts:
            more["parts"] = [{"name": name, "rows": rows} for name, rows in self.parts]
        return {
            "rows": self.rows,
            "errors_allowed": self.errors_allowed,
            "purpose": self.purpose,
            "theorem": self.theorem,
            "error": self.error,
            "delta": self.delta,
            "power": self.power,
            "textbook": None
            if self.textbook is None
            else {"theorem": self.textbook[0], "rows": self.textbook[1]},
            "inputs": self.inputs,
            "instead": [
                {"expected": expected, "rows": rows, "errors_allowed": allowed}
                for expected, rows, allowed in self.instead
            ],
            **more,
        }
