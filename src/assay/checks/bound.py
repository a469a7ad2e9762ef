"""Trying to break a bound on data whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from assay.errors import BadData
from assay.theory.needs import count, inside_unit
from assay.types import Floats

Verdict: TypeAlias = Literal["broken", "not broken", "not tested enough"]

# What is called tested: so likely to catch a bound that is broken so many times as often as it claims.
_ENOUGH, _TIMES = 0.9, 2.0

Experiment: TypeAlias = "Callable[[np.random.Generator, int], tuple[ArrayLike, ArrayLike]]"
"""Draws so many data sets and returns what was promised on each, and what was true of it."""


@dataclass(frozen=True)
class BoundCheck:
    """How often a bound was broken, and what that says about it.

    Attributes
    ----------
    violations : int
        Trials in which the promise lay below the truth.
    trials : int
        Data sets drawn.
    delta : float
        The share of trials in which the bound may be broken, as claimed.
    alarm : float
        The chance one accepts of calling a sound bound unsound.
    tail : float
        The probability that a bound broken with probability `delta` is broken at least so often.
    """

    violations: int
    trials: int
    delta: float
    alarm: float
    tail: float

    @property
    def rate(self) -> float:
        """The share of trials in which the promise was broken."""
        return self.violations / self.trials

    @property
    def sound(self) -> bool:
        """Whether the bound may be what it claims to be: luck could explain what was seen.

        That it may be does not say that it was tried hard enough: see `verdict`.
        """
        return self.tail > self.alarm

    @property
    def power(self) -> float:
        """The chance that so many trials reject a bound that is broken twice as often as it claims."""
        return _power(self.trials, self.delta, self.alarm)

    @property
    def verdict(self) -> Verdict:
        """``"broken"``, ``"not broken"`` or ``"not tested enough"``.

        Broken: a sound bound would be broken so often with probability `alarm` at most. Not broken: it was
        not, and a bound that is broken twice as often as it claims would have been called broken with
        probability 0.9 at least. Not tested enough: neither; more trials would tell.
        """
        if not self.sound:
            return "broken"
        return "not broken" if self.power >= _ENOUGH else "not tested enough"

    def __str__(self) -> str:
        seen = (
            f"The promise was broken in {self.violations:,} of {self.trials:,} trials"
            f" ({100 * self.rate:.3g}%), where {100 * self.delta:.3g}% is allowed. A sound bound would be broken"
            f" at least so often with probability {f'{self.tail:.2g}' if self.tail else 'below 1e-300'}"
        )
        if self.verdict == "broken":
            return f"{seen}: this one is broken."
        rate = _worse(self.delta)
        often = (
            "twice as often as it claims"
            if rate == _TIMES * self.delta
            else f"in {100 * rate:.3g}% of trials"
        )
        caught = (
            f"one that is broken {often} would have been caught with probability {self.power:.2g}"
        )
        if self.verdict == "not broken":
            return f"{seen}. Not broken in {self.trials:,} tries; {caught}."
        enough = _trials_enough(self.delta, self.alarm)
        return f"{seen}. Not tested enough: {caught}. About {enough:,} trials would be enough."


def check_bound(
    experiment: Experiment,
    *,
    delta: Any,
    trials: int = 20_000,
    alarm: Any = 1e-6,
    random_state: Any = 0,
) -> BoundCheck:
    r"""Try a bound on many data sets whose truth is known.

    A bound that holds with probability :math:`1-\delta` is broken in each of :math:`N` independent
    trials with probability at most :math:`\delta`, hence at least :math:`v` times with probability at
    most :math:`\Pr[\mathrm{Bin}(N,\delta)\ge v]`. Where that tail is at or below `alarm`, the claim is
    rejected: a sound bound meets this fate with probability at most `alarm`. A bound that passes is
    not proven; it was not refuted on this experiment. And where the trials would hardly have refuted a
    bound that is broken twice as often as it claims, the verdict is that it was not tested enough.

    Parameters
    ----------
    experiment : callable
        Called once with a NumPy random generator and the number of trials; returns what the bound
        promised and what was true, one number for each trial (or one for all). The promise is broken
        where it lies below the truth. `assay.checks.experiments` has the usual ones.
    delta : number
        The failure probability that the bound claims, strictly between 0 and 1.
    trials : int
        How many data sets to draw. More of them tell a slight excess from luck.
    alarm : number
        The accepted probability of rejecting a sound bound.
    random_state : int or numpy.random.SeedSequence
        Where the random numbers start; the same seed gives the same answer.

    Returns
    -------
    BoundCheck
        The counts, the tail and the verdict; as text, one paragraph.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, The use of confidence or fiducial limits illustrated in the case
       of the binomial, Biometrika, 1934: the tail that decides.

    Examples
    --------
    The exact bound stands; reporting the best of fifty models as if it had been the only one does not.

    >>> from assay.checks import check_bound, experiments
    >>> from assay.theory.tail.binomial import holdout_exact
    >>> def exact(errors, rows):
    ...     return holdout_exact(errors, rows, delta=0.05)
    >>> check_bound(experiments.holdout(exact, rows=100, rate=0.03), delta=0.05).verdict
    'not broken'
    >>> several = experiments.best_of(exact, models=50, rows=1000, rate=0.05)
    >>> check = check_bound(several, delta=0.05, trials=2000)
    >>> check.verdict, round(check.rate, 1)
    ('broken', 0.9)
    """
    claimed, chance = (
        float(inside_unit(name, value).low) for name, value in (("delta", delta), ("alarm", alarm))
    )
    n = count("trials", trials, at_least=1)
    promised, truth = _outcome(experiment(np.random.default_rng(random_state), n), n)
    violations = int(np.count_nonzero(promised < truth))
    return BoundCheck(violations, n, claimed, chance, _at_least(violations, n, claimed))


def _at_least(violations: int, trials: int, rate: float) -> float:
    """P[Bin(n, rate) >= v], an incomplete beta function; no parameter of it may be zero."""
    if violations <= 0:
        return 1.0
    if violations > trials:
        return 0.0
    return float(special.betainc(violations, trials - violations + 1, rate))


def _power(trials: int, delta: float, alarm: float) -> float:
    """How surely a bound is rejected that is broken twice as often as it claims (or half as often as can be)."""
    kept, rejected = 0, trials + 1
    while rejected - kept > 1:
        middle = (kept + rejected) // 2
        if _at_least(middle, trials, delta) <= alarm:
            rejected = middle
        else:
            kept = middle
    return _at_least(rejected, trials, _worse(delta))


def _worse(delta: float) -> float:
    return min(_TIMES * delta, (1 + delta) / 2)


def _trials_enough(delta: float, alarm: float) -> int:
    """A round number of trials that would tell."""
    trials = 10
    while _power(trials, delta, alarm) < _ENOUGH:
        trials = 2 * trials if str(trials)[0] in "15" else trials // 2 * 5
    return trials


def _outcome(outcome: Any, trials: int) -> tuple[Floats, Floats]:
    """Promises and truths as arrays of one number a trial, refused where they are not."""
    try:
        promised, truth = (np.asarray(part, dtype=np.float64) for part in outcome)
        promised, truth = (np.broadcast_to(part, (trials,)) for part in (promised, truth))
    except (TypeError, ValueError) as error:
        raise BadData(
            f"An experiment must return a promise and a truth for each of {trials} trials: {error}."
        ) from None
    for name, part in (("promise", promised), ("truth", truth)):
        missing = np.flatnonzero(np.isnan(part))
        if missing.size:
            raise BadData(
                f"An experiment must return numbers, but the {name} of trial {missing[0]} is nan."
            )
    return promised, truth
