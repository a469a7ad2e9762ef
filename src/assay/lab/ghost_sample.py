"""The ghost sample: why an infinite class can be judged on twice as many points as were drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.play.trials import Estimate, Population, estimate, require_source
from assay.theory.needs import count, inside_unit
from assay.theory.rounding import Number
from assay.types import Array, Bools, Floats, Ints

# As many cells are looked at together.
_CELLS = 1_000_000


@dataclass(frozen=True)
class GhostSample:
    r"""How often a bad rule looks perfect, and how often a second sample of the same size finds it out.

    Attributes
    ----------
    rules, rows, trials : int
        The size of the class and of a sample, and how many pairs of samples were drawn.
    accuracy : float
        The error above which a rule is bad.
    bad : Estimate
        P[A]: some rule with a larger error than that makes none on the sample.
    ghost : Estimate
        P[B]: some rule makes no error on the sample, and on the second at least half the accuracy.
    swapped : Estimate
        The same after each pair of rows, one from either sample, was swapped by the toss of a coin: P[B*] = P[B].
    counted : Estimate
        What the swaps alone say of P[B*]: the labellings that the class has on both samples together, times
        :math:`2^{-\varepsilon m/2}`, at most one.
    slack : Estimate
        2 P[B] - P[A], which is never below zero.
    """

    rules: int
    rows: int
    trials: int
    accuracy: float
    bad: Estimate
    ghost: Estimate
    swapped: Estimate
    counted: Estimate
    slack: Estimate

    @property
    def holds(self) -> bool:
        """Whether P[A] <= 2 P[B] and P[B*] <= the count, as far as chance lets one see."""
        return self.slack.high >= 0 and self.swapped.low <= self.counted.high

    def __str__(self) -> str:
        events = (
            (f"P[A]   some rule errs above {self.accuracy:.4g}, not on the sample", self.bad),
            ("P[B]   some rule errs on the ghost sample alone", self.ghost),
            ("P[B*]  the same after swaps by coins", self.swapped),
            ("labellings of both, times 2^(-accuracy rows / 2)", self.counted),
        )
        wide = max(len(event) for event, _ in events)
        return "\n".join(
            [
                f"{self.rules:,} rules, {self.rows} rows and as many in the ghost sample, "
                f"{self.trials:,} pairs of samples:",
                *(f"  {event:<{wide}}   {seen}" for event, seen in events),
                f"  P[A] <= 2 P[B]: the slack is {self.slack}",
            ]
        )


def ghost_sample(
    rules: Any,
    source: Any,
    rows: int,
    accuracy: Number,
    *,
    trials: int = 2000,
    delta: Number = 0.05,
    at: int = 10_000,
    random_state: Any = None,
) -> GhostSample:
    r"""Draw two samples instead of one, and see that a bad rule which fools the first is found out by the second.

    Let A be the event that some rule of the class errs with probability above :math:`\varepsilon` and yet makes no
    error on a sample of m rows, and B that some rule makes none on it but at least :math:`\varepsilon m/2` on
    another sample of m rows. Then :math:`\Pr[A]\le2\Pr[B]` for :math:`m\ge1/\varepsilon`: given A, the errors of
    the bad rule on the second sample are at least their median in half of all cases, and that is at least
    :math:`\lfloor m\varepsilon\rfloor\ge m\varepsilon/2`. About B only the labellings of 2m points matter, and a coin
    that swaps the rows of each pair puts all errors of a rule into the second sample with probability at most
    :math:`2^{-\varepsilon m/2}`: this is the proof of ``vc-occam-growth``, played.

    Parameters
    ----------
    rules : sequence of callables
        The class: functions of rows to labels.
    source : object
        A distribution over labels such as `assay.data.synthetic.JointTable` or `gaussian_classes`. Where it has
        infinitely many points, those that are drawn stand for all, so that every error is known exactly.
    rows : int
        The size m of a sample, at least 1 / accuracy.
    accuracy : number
        The error :math:`\varepsilon` above which a rule is bad, strictly between 0 and 1.
    trials : int, default=2000
        How many pairs of samples.
    delta : number, default=0.05
        How often an interval misses the truth, about.
    at : int, default=10000
        How many points stand for all, where there are infinitely many.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    GhostSample

    References
    ----------
    .. [1] Blum, Hopcroft & Kannan, Foundations of Data Science, Lemma 6.24 and the proof of Theorem 6.19.
    .. [2] Vapnik & Chervonenkis (1971). On the uniform convergence of relative frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.data.synthetic import JointTable
    >>> from assay.lab import ghost_sample
    >>> line = JointTable([[1, 0]] * 5 + [[0, 1]] * 5)
    >>> thresholds = [lambda X, t=t: (X[:, 0] >= t).astype(int) for t in range(11)]
    >>> game = ghost_sample(thresholds, line, rows=10, accuracy=0.15, random_state=0)
    >>> game.bad.value <= 2 * game.ghost.value, game.holds
    (True, True)
    """
    require_source(source, "sample", "classes", "probabilities")
    if not isinstance(rules, Sequence) or not rules or not all(map(callable, rules)):
        raise BadParameter("rules must be a list of at least one function of rows.")
    m, n = count("rows", rows, at_least=1), count("trials", trials, at_least=2)
    eps, level = inside_unit("accuracy", accuracy), float(inside_unit("delta", delta).low)
    least = math.ceil(1 / eps.low)
    require(m >= least, "rows", f"at least 1 / accuracy, which is {least}", rows)
    rng = np.random.default_rng(random_state)
    everyone = Population.of(source, count("at", at, at_least=1), rng)
    assert everyone.chances is not None
    classes = np.asarray(source.classes)
    answers = np.array([_answers(rule, everyone.X) for rule in rules])
    wrong = answers[:, :, None] != classes  # rules by points by labels
    errors = (wrong * (everyone.mass[:, None] * everyone.chances)).sum(axis=(1, 2))
    bad = errors > float(eps.high)
    needed = math.ceil(eps.low * m / 2)
    # Points and labels are drawn together, as pairs.
    pairs = (everyone.mass[:, None] * everyone.chances).ravel()
    flat = wrong.reshape(len(answers), -1)
    events = np.empty((n, 4))
    size = max(1, _CELLS // (len(answers) * 2 * m))
    for start in range(0, n, size):
        some = min(size, n - start)
        drawn = rng.choice(len(pairs), size=(2, some, m), p=pairs / pairs.sum())
        coins = rng.random((some, m)) < 0.5
        first, second = flat[:, drawn[0]], flat[:, drawn[1]]  # rules by trials by rows
        part = events[start : start + some]
        part[:, 0] = (bad[:, None] & ~first.any(axis=2)).any(axis=0)
        part[:, 1] = _caught(first, second, needed)
        part[:, 2] = _caught(np.where(coins, second, first), np.where(coins, first, second), needed)
        part[:, 3] = np.minimum(1.0, _labellings(first, second) * 0.5**needed)
    seen = events[:, 0], events[:, 1], events[:, 2], events[:, 3], 2 * events[:, 1] - events[:, 0]
    return GhostSample(
        len(answers), m, n, float(eps.low), *(estimate(values, level) for values in seen)
    )


def _answers(rule: Callable[[Floats], Any], X: Floats) -> Array:
    labels = np.asarray(rule(X))
    if labels.shape != (len(X),):
        raise BadData(
            f"A rule must give one label for each of {len(X)} rows, but gives {labels.shape}."
        )
    return labels


def _caught(first: Bools, second: Bools, needed: int) -> Bools:
    """In which trials some rule without an error on the first sample has enough of them on the second."""
    return np.asarray((~first.any(axis=2) & (second.sum(axis=2) >= needed)).any(axis=0))


def _labellings(first: Bools, second: Bools) -> Ints:
    """In how many ways the rules err on both samples; with two labels, as many as they label them in."""
    ways = np.packbits(np.concatenate([first, second], axis=2), axis=2).transpose(1, 0, 2)
    return np.array([len({rule.tobytes() for rule in trial}) for trial in ways])
