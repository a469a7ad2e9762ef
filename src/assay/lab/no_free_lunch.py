"""No free lunch: every labelling of a few points, and what a learner makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from assay.errors import BadData, require
from assay.play.trials import fitted, named
from assay.record.boolean import set_bits
from assay.theory.generalization.impossibility import no_free_lunch as theorem
from assay.theory.needs import count
from assay.types import Floats, Words

_LABELS = np.array([-1, 1])
_MOST_ROWS = 9  # labellings of twice as many points are all gone through
_ALL = 300  # samples; more are drawn
_EIGHTH = 0.125


@dataclass(frozen=True)
class FreeLunch:
    """What a learner does on all labellings of some points.

    Attributes
    ----------
    learner : str
    rows, points : int
        The size of a sample, and the points it is drawn from, uniformly.
    labellings, samples : int
        How many there were, every sample being learned with each labelling.
    average : float
        The error on all points, averaged over labellings and samples.
    least : float
        What no learner's average is below on these samples: half the share of points they leave unseen.
    promised : float
        The same for all samples (``no-free-lunch``).
    worst : tuple of int
        A labelling, of -1 and +1, on which the learner errs most.
    worst_error : float
        Its error there, averaged over samples.
    risky : tuple of int
        A labelling on which an error above 1/8 is most frequent.
    chance, promised_chance : float
        How frequent that is, and what it is at least over all samples.
    complete : bool
        Whether these were all samples there are.
    """

    learner: str
    rows: int
    points: int
    labellings: int
    samples: int
    average: float
    least: float
    promised: float
    worst: tuple[int, ...]
    worst_error: float
    risky: tuple[int, ...]
    chance: float
    promised_chance: float
    complete: bool

    @property
    def holds(self) -> bool:
        """Whether the average error, and that on the worst labelling, is as large as it must be."""
        return self.worst_error >= self.average >= self.least - 1e-12

    def __str__(self) -> str:
        drawn = "all" if self.complete else "drawn"
        # Of drawn samples the average may be below what holds over all of them.
        here = "" if self.complete else f"at least {self.least:.4g} on these samples, and over all "
        over = "" if self.complete else "over all samples "
        return (
            f"{self.learner} after {self.rows} of {self.points} points, {self.labellings:,} labellings, "
            f"{self.samples:,} samples ({drawn}):\n"
            f"  average error   {self.average:.4g}, {here}at least {self.promised:.4g} promised by no-free-lunch\n"
            f"  worst labelling {_signs(self.worst)}, where the error is {self.worst_error:.4g}\n"
            f"  error above 1/8 with probability {self.chance:.4g} on {_signs(self.risky)}, {over}at least "
            f"{self.promised_chance:.4g} promised"
        )


def _signs(labelling: tuple[int, ...]) -> str:
    return "".join("+" if label > 0 else "-" for label in labelling)


def no_free_lunch(
    learner: Any,
    rows: int,
    *,
    points: Any = None,
    samples: int | None = None,
    random_state: Any = None,
) -> FreeLunch:
    r"""Learn every labelling of N points, and find one on which the learner errs.

    Of N points, m are drawn uniformly and told with their labels. About a point that was not drawn the sample says
    nothing: over all :math:`2^N` labellings a learner is wrong there half the time. So its average error is at
    least half the share of points unseen, on average over samples :math:`\frac12(1-\frac1N)^m`, which is at least 1/4
    for :math:`N=2m`; some labelling is as bad as the average, and on some labelling the error exceeds 1/8 with
    probability at least 1/7 (``no-free-lunch``), since a variable in [0, 1] of that mean cannot stay below it
    (``reverse-markov``). With more and more points the error comes as near to one half as one likes
    (``no-free-lunch-large``).

    Parameters
    ----------
    learner : object
        Any classifier with ``fit`` and ``predict``; copies of it learn. A sample with one label only is not
        shown to it: that label is then predicted everywhere.
    rows : int
        The size m of a sample.
    points : array of shape (n_points, n_features), optional
        The points; 2 m unit vectors when not given.
    samples : int, optional
        How many samples are drawn; all :math:`N^m` sequences when not given, if they are at most 300, else 100.
    random_state : int or Generator, optional
        The seed of the samples.

    Returns
    -------
    FreeLunch

    References
    ----------
    .. [1] Wolpert (1996). The lack of a priori distinctions between learning algorithms.
    .. [2] Shalev-Shwartz & Ben-David, Understanding Machine Learning, Theorem 5.1.

    Examples
    --------
    >>> from assay import Perceptron, no_free_lunch
    >>> game = no_free_lunch(Perceptron(), rows=2)
    >>> game.labellings, game.samples, game.average, game.promised
    (16, 16, 0.28125, 0.28125)
    """
    m = count("rows", rows, at_least=1)
    X = np.eye(2 * m) if points is None else np.asarray(points, dtype=np.float64)
    if X.ndim != 2:
        raise BadData(f"points must have rows and columns, but have the shape {X.shape}.")
    n = len(X)
    most = 2 * _MOST_ROWS
    require(2 <= n <= most, "the number of points", f"between 2 and {most}", n)
    drawn = list(_samples(m, n, samples, np.random.default_rng(random_state)))
    times = Counter(drawn)
    everyone = np.arange(2**n, dtype=np.uint64)
    total, often = np.zeros(2**n), np.zeros(2**n)
    for sample, weight in times.items():
        wrong = _errors(learner, X, sample, everyone)
        total += weight * wrong
        often += weight * (wrong > _EIGHTH * n)
    worst, risky = int(total.argmax()), int(often.argmax())
    unseen = np.mean([n - len(set(sample)) for sample in drawn])
    return FreeLunch(
        learner=named(learner),
        rows=m,
        points=n,
        labellings=2**n,
        samples=len(drawn),
        average=float(total.mean() / len(drawn) / n),
        least=float(unseen / (2 * n)),
        promised=theorem(m, n),
        worst=_labelling(worst, n),
        worst_error=float(total[worst] / len(drawn) / n),
        risky=_labelling(risky, n),
        chance=float(often[risky] / len(drawn)),
        promised_chance=max(0.0, theorem(m, n, above="1/8")),
        complete=samples is None and n**m <= _ALL,
    )


def _samples(
    rows: int, points: int, samples: int | None, rng: np.random.Generator
) -> Iterator[tuple[int, ...]]:
    """Sequences of points, in the order in which a learner sees them."""
    if samples is None and points**rows <= _ALL:
        yield from product(range(points), repeat=rows)
        return
    for _ in range(100 if samples is None else count("samples", samples, at_least=1)):
        yield tuple(rng.integers(points, size=rows).tolist())


def _errors(learner: Any, X: Floats, sample: tuple[int, ...], everyone: Words) -> Floats:
    """On how many points the learner is wrong, for each labelling of all points; bit j is the label of point j."""
    seen = sorted(set(sample))
    wrong = np.empty(len(everyone))
    # What is learned depends on the labels of the points seen alone.
    mask = np.uint64(sum(1 << point for point in seen))
    for labels in product((0, 1), repeat=len(seen)):
        bits = np.zeros(len(X), dtype=np.int64)
        bits[seen] = labels
        model = fitted(learner, X[list(sample)], _LABELS[bits[list(sample)]], classes=True)
        positive = np.asarray(model.predict(X)) == _LABELS[1]
        answer = np.uint64(sum(1 << j for j in np.flatnonzero(positive).tolist()))
        shown = np.uint64(sum(1 << point for point, bit in zip(seen, labels, strict=True) if bit))
        meant = (everyone & mask) == shown
        wrong[meant] = set_bits(everyone[meant] ^ answer)
    return wrong


def _labelling(place: int, points: int) -> tuple[int, ...]:
    return tuple(1 if place >> j & 1 else -1 for j in range(points))
