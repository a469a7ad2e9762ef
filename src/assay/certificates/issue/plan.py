"""Plan: how many rows must be bought before an error rate can be promised."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import BadParameter, require
from assay.guarantees.decimals import decimal_text
from assay.theory.needs import count, inside_unit, unit
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import tail_at_most
from assay.theory.tail.integers import binomial_tail
from assay.theory.tail.search import smallest_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.types import Floats

_MOST_ROWS = 10**7
_MOST_BITS = 10**6
# The growth function is a sum of so many terms, worked out again for every guess of the rows.
_MOST_DIMENSION = 2000


@dataclass(frozen=True)
class Plan:
    """How many rows are enough, and for what.

    Attributes
    ----------
    rows : int
        Rows to buy.
    errors_allowed : int or None
        For a holdout: how many of them the model may get wrong.
    purpose : {"holdout", "training"}
    theorem : str
        The theorem that makes the number enough.
    error, delta : str
        The error rate to be promised and the probability of failure.
    power : float or None
        The probability that the promise can be made, at the expected error.
    textbook : tuple of (str, int) or None
        The id of the classical theorem and the rows it would ask for.
    inputs : dict
        What the theorem was given.
    instead : tuple of (str, int, int)
        Where no error was said to be expected: rows and errors allowed for models that do err, by the true error
        of each.
    """

    rows: int
    errors_allowed: int | None
    purpose: Literal["holdout", "training"]
    theorem: str
    error: str
    delta: str
    power: float | None
    textbook: tuple[str, int] | None
    inputs: dict[str, Any]
    instead: tuple[tuple[str, int, int], ...] = ()

    @property
    def provided(self) -> str:
        """What a training set's rule must be, for the number to be enough."""
        if self.inputs.get("agnostic"):
            return "if the rule is in the class and none in it errs on fewer training rows"
        return "if the rule is in the class and errs on no training row"

    def __str__(self) -> str:
        sure = f"delta {self.delta}"
        if self.purpose == "training":
            return (
                f"{self.rows} training rows are enough for {self.error} at {sure}, {self.provided}, "
                f"by {self.theorem}"
            )
        chance = "" if self.power is None else f", which happens with probability {self.power:.3f}"
        if as_fraction(self.inputs["expected"]) == 0:
            chance = ", as a model without error manages"
        return (
            f"{self.rows} holdout rows, of which at most {self.errors_allowed} may be wrong{chance}, "
            f"promise an error of {self.error} at {sure}, by {self.theorem}"
        )

    def to_json(self) -> dict[str, Any]:
        """The plan as plain data."""
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
        }


def plan(
    error: Number,
    delta: Number = 0.05,
    *,
    expected: Number | None = None,
    power: Number = 0.9,
    class_size: int | None = None,
    bits: int | None = None,
    vc_dimension: int | None = None,
    agnostic: bool = False,
) -> Plan:
    r"""How many rows it takes to be able to promise an error rate.

    Without a class, rows of a holdout: the smallest n for which a model of error `expected` passes
    with probability `power`, where passing means at most
    :math:`k^*=\max\{k:\Pr[\mathrm{Bin}(n,\varepsilon)\le k]\le\delta\}` errors. With `class_size`,
    `bits` or `vc_dimension`, rows of a training set: enough for every consistent rule of the class to
    have error below ``error`` or, with ``agnostic=True``, for the rule with the fewest training
    errors to be within ``error`` of the best of the class.

    Parameters
    ----------
    error : float
        The error rate to be promised (agnostic: the excess over the best rule of the class).
    delta : float, default=0.05
        The probability of failure.
    expected : float, optional
        The model's true error, as far as one can guess; it must lie below ``error``. Without a guess the rows are
        for a model that errs on none of them, and `Plan.instead` says what models need that do err.
    power : float, default=0.9
        With which probability the promise shall succeed if the guess is right.
    class_size, bits, vc_dimension : int, optional
        The size of the class of rules, given in one of these ways; `bits` b means up to 2^b rules.
    agnostic : bool, default=False
        Whether no rule of the class need be free of error.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from assay import plan
    >>> plan(error=0.05, delta=0.05).rows
    59
    >>> p = plan(error=0.05, delta=0.05, expected=0.02, power=0.9)
    >>> p.rows, p.errors_allowed
    (311, 9)
    >>> p = plan(error=0.1, delta=0.05, class_size=1000)
    >>> p.rows, p.textbook
    (94, ('occam-finite-class', 100))
    """
    rate, level = inside_unit("error", error).low, inside_unit("delta", delta).low
    require(rate * _MOST_ROWS >= 1, "error", f"at least one in {_MOST_ROWS:,}", error)
    sizes = {"class_size": class_size, "bits": bits, "vc_dimension": vc_dimension}
    given = {name: value for name, value in sizes.items() if value is not None}
    if len(given) > 1:
        raise BadParameter(
            f"The class is given by one of {', '.join(sizes)}, not by {', '.join(given)}."
        )
    if given:
        must = "left out with a class of rules"
        require(not expected or unit("expected", expected).low == 0, "expected", must, expected)
        return _training(error, delta, *next(iter(given.items())), agnostic=agnostic)
    require(not agnostic, "agnostic", "given with class_size, bits or vc_dimension", agnostic)
    guess = Fraction(0) if expected is None else unit("expected", expected).low
    require(guess < rate, "expected", f"below the error {error!r} to be promised", expected)
    chance = unit("power", power).low
    require(chance > 0, "power", "above zero", power)
    planned = _holdout(error, delta, rate, level, guess, chance)
    if expected is not None:
        return planned
    return replace(planned, instead=tuple(_instead(error, delta, rate, level, chance)))


def _instead(
    error: Number, delta: Number, rate: Fraction, level: Fraction, chance: Fraction
) -> Iterator[tuple[str, int, int]]:
    """What models need whose true error is a fifth and two fifths of what shall be promised."""
    if chance == 1:
        return  # a model that errs may always fail
    for share in (Fraction(1, 5), Fraction(2, 5)):
        try:
            planned = _holdout(error, delta, rate, level, rate * share, chance)
        except BadParameter:
            return  # more rows than anybody would buy
        assert planned.errors_allowed is not None
        yield decimal_text(rate * share), planned.rows, planned.errors_allowed


def _holdout(
    error: Number, delta: Number, rate: Fraction, level: Fraction, guess: Fraction, chance: Fraction
) -> Plan:
    if guess == 0:
        # A model without errors always passes; only the rows for zero errors matter.
        rows = _rows_for(0, rate, level, 1)
        return _plan(rows, 0, 1.0, error, delta, guess, chance)
    require(chance < 1, "power", "below one unless no error is expected", float(chance))
    for allowed, start in _candidates(float(rate), float(level), float(guess), float(chance)):
        rows = _rows_for(allowed, rate, level, start)
        if rows > _MOST_ROWS:
            break
        passing = _chance_of_passing(allowed, rows, guess)
        if passing >= chance:
            return _plan(rows, allowed, float(passing), error, delta, guess, chance)
    raise BadParameter(
        f"expected must be further below the error {error!r}, but is {float(guess)!r}: more than "
        f"{_MOST_ROWS:,} rows would be needed."
    )


def _plan(
    rows: int,
    allowed: int,
    passing: float,
    error: Number,
    delta: Number,
    guess: Fraction,
    chance: Fraction,
) -> Plan:
    # Hoeffding's inequality asks for ln(1 / delta) / (2 (error - expected)^2) rows.
    gap = as_fraction(error) - guess
    beside = find_theorem("validation-hoeffding").rows(error=gap, delta=delta)
    inputs = {
        "error": str(error),
        "delta": str(delta),
        "expected": str(float(guess)),
        "power": str(float(chance)),
    }
    return Plan(
        rows=rows,
        errors_allowed=allowed,
        purpose="holdout",
        theorem="holdout-exact",
        error=str(error),
        delta=str(delta),
        power=passing,
        textbook=("validation-hoeffding", beside),
        inputs=inputs,
    )


def _rows_for(allowed: int, rate: Fraction, level: Fraction, start: int) -> int:
    """The smallest n with P[Bin(n, rate) <= allowed] <= level, searched from a guess."""

    def enough(rows: int) -> bool:
        return rows > allowed and tail_at_most(allowed, rows, rate, level)

    step = 1
    low, high = allowed, max(start, allowed + 1)
    if enough(high):
        while high - step > allowed and enough(high - step):
            high, step = high - step, 2 * step
        low = max(high - step, allowed)
    else:
        while not enough(high + step):
            high, step = high + step, 2 * step
        low, high = high, high + step
    return smallest_whole(enough, low, high)


def _chance_of_passing(allowed: int, rows: int, guess: Fraction) -> Fraction:
    """P[Bin(rows, guess) <= allowed], from below."""
    tail = binomial_tail(allowed, rows, guess)
    return Fraction(math.exp(float(tail.log))) * (1 - Fraction(1, 10**14))


def _candidates(
    rate: float, level: float, guess: float, chance: float
) -> Iterator[tuple[int, int]]:
    """Numbers of errors to allow, smallest first, each with a guess of the rows it needs.

    For a given number of errors k the fewest rows n_k are best, since more rows only make passing
    harder; so the answer is n_k for the first k that passes often enough. Candidates are screened in
    floating point with a hair of tolerance and decided exactly by the caller.
    """
    import numpy as np

    first, size = 0, 64
    while first <= rate * _MOST_ROWS:
        last = np.array([first + size - 1])
        # Passing gets likelier with k but for the rounding of rows, which is small beyond a few dozen.
        if first == 0 or _screened(last, rate, level, guess)[1][0] >= chance - 0.02:
            k = np.arange(first, first + size)
            rows, passing = _screened(k, rate, level, guess)
            for i in np.flatnonzero(passing >= chance - 1e-9):
                yield int(k[i]), int(rows[i])
        first, size = first + size, 2 * size


def _screened(
    k: NDArray[np.int_], rate: float, level: float, guess: float
) -> tuple[Floats, Floats]:
    """For each number of errors, about the rows it needs and the chance of passing with them."""
    import numpy as np
    from scipy import special

    def at_most(rows: Floats, p: float) -> Floats:
        """P[Bin(rows, p) <= k]."""
        return np.asarray(special.betaincc(k + 1.0, np.maximum(rows - k, 1.0), p))

    z = abs(special.ndtri(level))
    spread = z * math.sqrt(rate * (1 - rate))
    middle = ((spread + np.sqrt(spread**2 + 4 * rate * (k + 0.5))) / (2 * rate)) ** 2
    width = 4 * (z**2 + 10) / rate
    low, high = np.floor(np.maximum(k, middle - width)), np.ceil(middle + width)
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        enough = (middle > k) & (at_most(middle, rate) <= level)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high, at_most(high, guess)


def _training(error: Number, delta: Number, name: str, size: int, *, agnostic: bool) -> Plan:
    """Rows of a training set, by the theorem that fits the way the class is given."""
    sizes: dict[str, Any]
    if name == "vc_dimension":
        dimension = count("vc_dimension", size, at_least=0)
        most = f"at most {_MOST_DIMENSION:,}"
        require(dimension <= _MOST_DIMENSION, "vc_dimension", most, size)
        id = "vc-uniform-growth" if agnostic else "vc-occam-sauer"
        sizes = {"vc_dimension": size}
    else:
        id = "agnostic-erm-finite" if agnostic else "occam-finite-class"
        if name == "bits":
            few = count("bits", size, at_least=1) <= _MOST_BITS
            require(few, "bits", f"at most {_MOST_BITS:,}", size)
        sizes = {"class_size": 2**size if name == "bits" else size}
    theorem = find_theorem(id)
    if id == "agnostic-erm-finite":
        rows = int(theorem(excess=error, delta=delta, **sizes))
    else:
        # Uniform convergence within half the excess makes the fewest training errors good enough.
        within = as_fraction(error) / 2 if agnostic else error
        rows = int(theorem.rows(error=within, delta=delta, **sizes))
    textbook = None
    if id == "occam-finite-class":
        textbook = (id, int(theorem.rows(error=error, delta=delta, form="textbook", **sizes)))
    inputs = {"error": str(error), "delta": str(delta), name: size, "agnostic": agnostic}
    return Plan(rows, None, "training", id, str(error), str(delta), None, textbook, inputs)
