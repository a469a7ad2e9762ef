"""A log of bandit rounds, chunk by chunk: what another policy would have lost, and between which bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from assay.certificates.assumption import Assumption
from assay.certificates.decimals import decimal_text
from assay.certificates.guarantee import Guarantee
from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, UnknownName, require
from assay.learners.bandits.replay import replay
from assay.learners.registry import make_learner, name_of
from assay.theory.needs import inside_unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import IID
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST, progressive_anytime

#: The policies that can be replayed.
POLICIES = ("ucb1", "kl-ucb", "thompson-sampling", "exp3", "exp3-ix")
#: The most arms a log is searched for.
MOST_ARMS = 10_000

PROPENSITIES = "every propensity is the probability with which the arm was drawn"
LEAST = "no row of the log could have had a smaller propensity"


@dataclass(frozen=True)
class Arm:
    """One arm of the log.

    Attributes
    ----------
    name : str
        What the log calls it.
    logged, replayed : int
        In how many rows of the log, and of the replay, it was played.
    loss : float
        Its mean loss, from the log: the sum of loss over propensity, over all rows. Unbiased.
    standard_error : float
        The estimated standard deviation of that.
    """

    name: str
    logged: int
    replayed: int
    loss: float
    standard_error: float


@dataclass(frozen=True)
class RegretBound:
    """The most that a policy regrets on average, in the numbers of the log.

    Attributes
    ----------
    of : str
        What is bounded.
    promised : str
        The most it is, as decimal text.
    theorem : str
        The theorem that says so.
    """

    of: str
    promised: str
    theorem: str


@dataclass(frozen=True)
class Log:
    """What must be known of a log before it is replayed.

    Attributes
    ----------
    arms : array
        The arms, in order.
    least_propensity : float
        The least propensity.
    declared : bool
        Whether that was declared, rather than read off the log.
    """

    arms: NDArray[Any]
    least_propensity: float
    declared: bool


class BanditStream:
    """A policy that is replayed on a log whose propensities are known.

    It learns from the rows whose arm it would have chosen itself, as `assay.replay` does, and its mean loss in
    them is put between bounds that hold at whatever row the log ends.

    Parameters
    ----------
    policy : str
        The policy's name.
    log : Log
        The arms and the least propensity; `read_log` finds them.
    parameters : mapping, optional
        Other parameters of the policy.
    bounds : pair of numbers, default=(0.0, 1.0)
        Between which the losses lie.
    delta : number, default=0.05
        The probability that the interval fails.
    names : tuple of str
        The columns of the loss and of the propensity.
    source : str
        What the log is called in refusals.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> arms = rng.choice(["a", "b"], 4000)
    >>> losses = (rng.random(4000) < np.where(arms == "b", 0.2, 0.6)).astype(float)
    >>> stream = BanditStream("ucb1", Log(np.array(["a", "b"]), 0.5, declared=True))
    >>> stream.learn(Examples(np.column_stack([losses, np.full(4000, 0.5)]), arms, ["loss", "p"]))
    >>> lower, upper = stream.interval()
    >>> lower < stream.mean_loss < upper, round(upper - lower, 2)
    (True, 0.07)
    """

    def __init__(
        self,
        policy: str,
        log: Log,
        *,
        parameters: Mapping[str, Any] | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        delta: Number = 0.05,
        names: tuple[str, str] = ("loss", "propensity"),
        source: str = "the log",
    ) -> None:
        require(policy in POLICIES, "policy", f"one of {', '.join(POLICIES)}", policy)
        given = dict(parameters or {})
        if "arms" in given:
            raise BadParameter(
                "'arms' is no parameter to give here: the arms are those of the log."
            )
        inside_unit("delta", delta)
        require(bounds[0] < bounds[1], "range", "two numbers, the smaller first", bounds)
        # The same command twice gives the same answer, unless a seed is asked for.
        given.setdefault("random_state", 0)
        self._coins = check_random_state(given["random_state"])
        self.policy = make_learner(policy, {"arms": len(log.arms), **given})
        self.log, self.bounds, self.delta = log, bounds, delta
        self.source, self._names = source, names
        self.rows = self.kept = 0
        self._loss = self._logged_loss = 0.0
        self._sums = np.zeros((3, len(log.arms)))

    @property
    def name(self) -> str:
        """The policy's name."""
        return name_of(self.policy)

    def learn(self, examples: Examples) -> None:
        """Replay the rows of a chunk: the arm as label, loss and propensity as features.

        Raises
        ------
        BadData
            If a row cannot be replayed; those before it have been.
        """
        good, refusal = until_bad(
            examples, self._names, self.bounds, self.log.least_propensity, self.source
        )
        assert examples.y is not None
        arms, stop = self._places(examples.y[:good])
        if stop < good:
            refusal = self._unknown(examples, stop)
        self._replay(arms[:stop], examples.X[:stop])
        if refusal is not None:
            raise refusal

    def _places(self, arms: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
        """The number of each arm, and how many rows come before one that is unknown."""
        known = self.log.arms
        places = np.minimum(np.searchsorted(known, arms), len(known) - 1)
        strange = known[places] != arms
        return places, int(strange.argmax()) if strange.any() else len(arms)

    def _unknown(self, examples: Examples, row: int) -> BadData:
        assert examples.y is not None
        arm, where = _plain(examples.y[row]), examples.first_row + row
        listed = ", ".join(repr(_plain(known)) for known in self.log.arms[:10])
        return BadData(
            f"{self.source} holds {arm!r} in column {examples.target!r}, row {where}, which is none of "
            f"the arms {listed}. Declare all arms."
        )

    def _replay(self, arms: NDArray[np.int64], X: NDArray[np.float64]) -> None:
        if not len(arms):
            return
        low, high = self.bounds
        losses, propensities = (X[:, 0] - low) / (high - low), X[:, 1]
        run = replay(
            self.policy,
            arms,
            losses,
            propensities,
            least_propensity=self.log.least_propensity,
            random_state=self._coins,
        )
        self.rows += run.logged
        self.kept += run.kept
        self._loss += run.loss
        self._logged_loss += float(losses.sum())
        weighted, k = losses / propensities, len(self.log.arms)
        for row, weights in enumerate((None, weighted, weighted**2)):
            self._sums[row] += np.bincount(arms, weights, k)

    # What is known so far

    @property
    def mean_loss(self) -> float:
        """The policy's mean loss in the rows that were replayed; NaN if there are none."""
        return self._scaled(self._loss / self.kept) if self.kept else math.nan

    @property
    def logged_loss(self) -> float:
        """The mean loss of all rows: that of whoever made the log."""
        return self._scaled(self._logged_loss / self.rows) if self.rows else math.nan

    def interval(self) -> tuple[float, float]:
        """Between what the mean of the policy's expected losses lies, over the rows replayed.

        Each end fails with probability delta / 2 at most, at every moment at once.
        """
        if not self.kept:
            return self.bounds
        half, n = as_fraction(self.delta) / 2, self.kept
        # A sum of n doubles below 1 is off by less than n units in the last place of n.
        slack = n * n * 2.0**-52
        upper = progressive_anytime(min(self._loss + slack, n), n, half)
        lower = 1.0 - progressive_anytime(min(n - self._loss + slack, n), n, half)
        low, high = self.bounds
        ends = self._scaled(lower), self._scaled(upper)
        return max(math.nextafter(ends[0], low), low), min(math.nextafter(ends[1], high), high)

    def _scaled(self, loss: float) -> float:
        low, high = self.bounds
        return low + (high - low) * loss

    def arms(self) -> list[Arm]:
        """Every arm, the one with the least loss first."""
        counts, sums, squares = self._sums
        n = max(self.rows, 1)
        means = sums / n
        errors = np.sqrt(np.maximum(squares / n - means**2, 0.0) / n)
        plays = self.policy.record_.plays
        low, high = self.bounds
        return [
            Arm(
                str(_plain(self.log.arms[i])),
                int(counts[i]),
                int(plays[i]),
                self._scaled(float(means[i])),
                (high - low) * float(errors[i]),
            )
            for i in np.argsort(means, kind="stable")
        ]

    def guarantees(self) -> list[Guarantee]:
        """What is promised about the policy, whose losses are scaled into [0, 1]: then `of` says so."""
        found: list[Guarantee] = self.policy.guarantees() if self.kept else []
        if self.bounds == (0.0, 1.0):
            return found
        return [replace(g, of=f"{g.of}, of losses scaled into [0, 1]") for g in found]

    def regret_bounds(self) -> list[RegretBound]:
        """What is promised about its regret, in the numbers of the log."""
        low, high = (as_fraction(end) for end in self.bounds)
        return [
            RegretBound(g.of, decimal_text((high - low) * as_fraction(g.promised)), g.theorem)
            for g in (self.policy.guarantees() if self.kept else [])
            if g.kind == "regret" and g.observed is None and g.promised is not None
        ]

    @property
    def never_logged(self) -> list[str]:
        """The arms that were declared, and never logged."""
        return [
            str(_plain(arm))
            for arm, rows in zip(self.log.arms, self._sums[0], strict=True)
            if not rows
        ]

    @property
    def waits_for(self) -> str | None:
        """The arm that the policy has chosen, if it was never logged: it learns nothing until it is."""
        chosen = self.policy.next_arm()
        return str(_plain(self.log.arms[chosen])) if not self._sums[0, chosen] else None

    def assumptions(self) -> list[Assumption]:
        """What the interval rests on."""
        least = f"{self.log.least_propensity:g}"
        return [
            Assumption(IID, "assumed"),
            Assumption(PROPENSITIES, "declared"),
            Assumption(LEAST, "declared", least)
            if self.log.declared
            else Assumption(LEAST, "assumed", f"{least}, read off the log"),
            Assumption(PREDICTED_FIRST, "by construction"),
        ]


def read_log(
    chunks: Iterable[Examples],
    *,
    names: tuple[str, str] = ("loss", "propensity"),
    bounds: tuple[float, float] = (0.0, 1.0),
    arms: Sequence[str] = (),
    least_propensity: float | None = None,
    source: str = "the log",
) -> Log:
    """Find the arms and the least propensity of a log, up to the first row that cannot be read.

    Parameters
    ----------
    chunks : iterable of Examples
        The arm as label, loss and propensity as features.
    names, bounds, source
        As for `BanditStream`.
    arms : sequence of str
        All arms as text, if they are declared.
    least_propensity : float, optional
        The least propensity, if it is declared.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.5], [1.0, 0.25]]), np.array(["b", "a"], dtype=object)
    >>> log = read_log([Examples(X, y, ["loss", "p"])])
    >>> log.arms.tolist(), log.least_propensity, log.declared
    (['a', 'b'], 0.25, False)
    """
    found: NDArray[Any] | None = None
    least = math.inf
    refusal: BadData | None = None
    try:
        for examples in chunks:
            good, refusal = until_bad(examples, names, bounds, 0.0, source)
            assert examples.y is not None
            if good:
                new = np.unique(examples.y[:good])
                found = new if found is None else np.union1d(found, new)
                least = min(least, float(examples.X[:good, 1].min()))
            if found is not None and len(found) > MOST_ARMS:
                raise UnknownName(
                    f"{source} holds more than {MOST_ARMS:,} different arms in column {examples.target!r}."
                )
            # Rows are needed only to learn what was not declared.
            if refusal is not None or (arms and least_propensity is not None):
                break
    except BadData as problem:
        refusal = problem
    if found is None:
        raise refusal or BadData(f"{source} holds no rows.")
    if arms:
        found = _typed(arms, found)
    declared = least_propensity is not None
    return Log(found, float(least_propensity) if least_propensity is not None else least, declared)


def until_bad(
    examples: Examples,
    names: tuple[str, str],
    bounds: tuple[float, float],
    least: float,
    source: str,
) -> tuple[int, BadData | None]:
    """How many rows come before one whose loss or propensity is out of range, and its refusal."""
    loss, propensity = examples.X[:, 0], examples.X[:, 1]
    low, high = bounds
    fine = (low <= loss) & (high >= loss), (propensity > 0) & (propensity <= 1)
    fine = fine[0], fine[1] & (propensity >= least)
    rows = ~(fine[0] & fine[1])
    if not rows.any():
        return len(loss), None
    row = int(rows.argmax())
    which = 0 if not fine[0][row] else 1
    value = float(examples.X[row, which])
    where = f"column {names[which]!r}, row {examples.first_row + row}"
    if math.isnan(value):
        return row, BadData(f"{source} holds no value in {where}.")
    if which == 0:
        why = (
            f"outside the range {low:g} to {high:g} of losses. Declare the range in which all lie."
        )
    elif 0 < value < least:
        why = f"below the least propensity {least:g}, as declared."
    else:
        why = "where a probability above 0 and at most 1 is needed."
    return row, BadData(f"{source} holds {value:g} in {where}, {why}")


def _typed(arms: Sequence[str], like: NDArray[Any]) -> NDArray[Any]:
    """Arms given as text, in the type that the log has them."""
    try:
        if like.dtype.kind in "iuf":
            return np.unique(np.array([float(arm) for arm in arms]).astype(like.dtype))
    except ValueError:
        raise BadParameter(
            f"The arms must be numbers as in the log, but are {', '.join(map(repr, arms))}."
        ) from None
    return np.unique(np.array(arms, dtype=object))


def _plain(arm: Any) -> Any:
    return arm.item() if isinstance(arm, np.generic) else arm
