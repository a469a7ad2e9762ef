"""What a run of online gradient descent on the hinge loss leaves for its theorems."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GradientRecord:
    """Sums over the rounds with a step, and the rival: the best vector in hindsight over them.

    Attributes
    ----------
    rounds, mistakes, updates : int
        Examples, those predicted wrongly, and those with a step.
    width : int
        How many features there are.
    radius : float
        The length of the longest example with a step.
    loss : float
        The hinge loss of the learner.
    squares, weighted_squares : float
        The sum of the squared lengths of the steps' gradients, and the same weighted by the rates.
    rate : float
        The rate of the last step.
    falling : bool
        Whether rates fall with the steps.
    rival_norm, rival_loss : float
        The length of the rival and its hinge loss.
    counted_loss : float
        The part of its loss that was added up in the run, after the rival had been fixed.
    max_norm : float
        The radius of the ball that the weights stay in; 0 for none.
    known_radius : float
        The length of examples that the learner was told; 0 for none.
    proximal : bool
        Whether steps end where the loss is zero.
    """

    rounds: int
    mistakes: int
    updates: int
    width: int
    radius: float
    loss: float
    squares: float
    weighted_squares: float
    rate: float
    falling: bool
    rival_norm: float
    rival_loss: float
    counted_loss: float
    max_norm: float
    known_radius: float
    proximal: bool
