"""Training error and margins of any weighted vote whose weights were multiplied accordingly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import each, nonnegative, real, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, exp

VOTES_FOLLOWED = Condition(
    "vote-weights",
    "each round a wrong example's weight is multiplied by exp(vote), a right one's by exp(-vote), "
    "and the error of the round is the share of the weight that is wrong",
)
PLURALITY = Condition(
    "output-is-largest-vote", "the output is the label with the largest sum of votes"
)


@theorem(
    kind="training-error",
    statement=(
        r"D_1\Bigl[\sum_ta_tu_t\le\theta\sum_ta_t\Bigr]\le e^{\theta\sum_ta_t}"
        r"\prod_t\bigl((1-\varepsilon_t)e^{-a_t}+\varepsilon_te^{a_t}\bigr),\quad u_t=\pm1"
    ),
    assumes=(VOTES_FOLLOWED, PLURALITY),
)
def boosting_vote_margins(
    round_errors: Sequence[Number], votes: Sequence[Number], margin: Number = 0
) -> float:
    """Share of the training examples that a boosted vote gets wrong, or right by too little.

    Theorem  Let hypothesis t of weighted error e_t get the vote a_t >= 0, whatever its size. Of the
             weight the examples started with, at most
             exp(theta sum_t a_t) prod_t ((1 - e_t) exp(-a_t) + e_t exp(a_t)) lies on those for
             which the votes for the true label exceed all others by at most theta times all votes.
             At theta = 0 these are at least the examples that the vote gets wrong, with two
             classes or more.
    Needs    round_errors e: numbers between 0 and 1, at least one.  votes a: as many numbers, zero
             or more, not all zero.  margin theta: -1 <= theta <= 1.
    Gives    an upper bound on the share, rounded up; it may exceed 1.
    Source   Schapire & Singer, Improved boosting algorithms using confidence-rated predictions
             (1999), Theorem 1; Schapire, Freund, Bartlett & Lee, Boosting the margin (1998),
             Theorem 5, for theta above zero; several classes are derived.

    Examples
    --------
    >>> round(boosting_vote_margins([0.3, 0.3, 0.3], [0.423649, 0.423649, 0.423649]), 6)
    0.769873
    >>> round(boosting_vote_margins([0.1, 0.2], [0.5, 0.5], margin=0.2), 6)
    0.707484
    """
    errors, sizes = each("round_errors", round_errors, unit), each("votes", votes, nonnegative)
    must = "a sequence of at least one number"
    require(len(errors) >= 1, "round_errors", must, round_errors)
    must = f"as many numbers as round_errors, {len(errors)}"
    require(len(sizes) == len(errors), "votes", must, votes)
    total = sum(vote.low for vote in sizes)
    require(total > 0, "votes", "a sequence with a number above zero", votes)
    theta = real("margin", margin)
    require(-1 <= theta.low <= 1, "margin", "between -1 and 1", margin)
    # A product of full fractions would grow with every round.
    bound = exact(1)
    for e, a in zip(errors, sizes, strict=True):
        grown = exp(a)
        bound = _shortened(bound * ((1 - e) / grown + e * grown))
    return (bound * exp(theta * total)).up()


def _shortened(number: Enclosure) -> Enclosure:
    """The same number in a wider enclosure, whose ends have a hundred bits."""
    low, high = number.low, number.high
    shift = 100 - (high.numerator.bit_length() - high.denominator.bit_length())
    scale = Fraction(2) ** shift
    return Enclosure(math.floor(low * scale) / scale, math.ceil(high * scale) / scale)
