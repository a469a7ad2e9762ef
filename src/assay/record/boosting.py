"""What boosting leaves behind: the rounds, and how the vote does on the examples it was made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.types import Floats


@dataclass(frozen=True)
class BoostingRecord:
    r"""A run of AdaBoost.

    Attributes
    ----------
    rows : int
        Examples; those of weight zero do not count.
    errors : array
        The weighted error of each round, by the weights of that round.
    votes : array
        The vote of each hypothesis, :math:`\tfrac12\ln((1-\varepsilon)/\varepsilon)` in the plain case.
    training_errors : int
        Examples that the vote gets wrong.
    training_error : float
        Their share of the weight that the examples started with.
    even : bool
        Whether all examples started with the same weight.
    stopped : str
        ``"rounds"`` after all rounds; ``"perfect"`` when a hypothesis made no error, which then outvotes all
        others; ``"useless"`` when one was no better than guessing, which was not kept.
    trace : dict of str to array, or None
        One entry for each round that changed the weights, when asked for: ``error`` and ``vote``; the
        ``normalizer`` Z, by which the weights were divided, and the ``product`` of these so far; the
        ``potential``, the mean of :math:`e^{-yf}` so far, computed from the scores alone; ``coin``, the
        error of the round's hypothesis by the weights after it; and the ``training_error`` so far.
    classes : int
        How many there are.
    rate : float
        The learning rate; the votes are those of the theorem where it is one.

    Examples
    --------
    >>> record = BoostingRecord(8, np.array([0.25]), np.array([0.549306]), 2, 0.25, True, "rounds")
    >>> record.rounds, record.edges.tolist()
    (1, [0.25])
    """

    rows: int
    errors: Floats
    votes: Floats
    training_errors: int
    training_error: float
    even: bool
    stopped: str
    trace: dict[str, Floats] | None = None
    classes: int = 2
    rate: float = 1.0

    @property
    def rounds(self) -> int:
        """The number of hypotheses."""
        return len(self.errors)

    @property
    def edges(self) -> Floats:
        """One half minus the error of each hypothesis, which is by how much it beat a coin."""
        return np.asarray(0.5 - self.errors)


@dataclass(frozen=True)
class MajorityBoostRecord:
    r"""A run of boosting with a known edge.

    Attributes
    ----------
    rows : int
        Examples.
    right : array
        The share of the weight on which each hypothesis was right, those not kept included.
    rounds : int
        Hypotheses that vote, an odd number.
    broken : int
        The round, counted from 1, in which the weak learner was right on too little of the weight; 0 for none.
    wrong : int
        Examples on which the majority is wrong.
    clean : int
        The smallest odd number of rounds after which no example was wrong; 0 where there was none.
    trace : dict of str to array, or None
        One entry for each round that votes, when asked for: the share that was ``right``; the logarithm of the
        ``total`` weight after it, examples starting with 1 each; the ``most_misses`` of any example so far;
        and how many examples are ``wrong`` so far.
    edge : float
        By how much more than half of the weight every hypothesis was to be right on.

    Examples
    --------
    >>> record = MajorityBoostRecord(10, np.array([0.7, 0.65, 0.7]), 3, 0, 0, 3)
    >>> record.least_edge
    0.15
    """

    rows: int
    right: Floats
    rounds: int
    broken: int
    wrong: int
    clean: int
    trace: dict[str, Floats] | None = None
    edge: float = 0.1

    @property
    def least_edge(self) -> float:
        """The smallest share of the weight that a voting hypothesis was right on, minus one half."""
        return round(float(self.right[: self.rounds].min()) - 0.5, 15)
