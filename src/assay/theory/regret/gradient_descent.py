"""Regret and mistakes of online gradient descent on the hinge loss, at a fixed rate and at falling ones."""

from __future__ import annotations

from assay.theory.claim import BUILT, LABELLED, Condition, run_claim
from assay.theory.needs import count, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, sqrt

HINGE_STEPS = Condition(
    "hinge-steps",
    "the weights start at zero and step by rate * y * x exactly when y * (w . x) is below 1",
)
KNOWN_SCALE = Condition(
    "radius-and-norm-known",
    "every example with a step lies in the ball of this radius, and the comparator is no longer than the norm",
)
FALLING_RATES = Condition(
    "projected-falling-rates",
    "each step ends at the nearest point of the ball whose radius is the norm, and the rate of round t is "
    "sqrt(2 / t) times the norm over the radius, or over the longest example with a step so far",
)


@theorem(
    "T29",
    kind="regret",
    statement=(
        r"\sum_t h_t(w_t)-h_t(u)\le\frac{U^2}{2\eta}+\frac\eta2\sum_{t:y_t\hat y_t<1}\|x_t\|^2"
        r"\le UR\sqrt T\ \text{at}\ \eta=U/(R\sqrt T)"
    ),
    assumes=(KNOWN_SCALE, HINGE_STEPS),
    claim=run_claim("regret", LABELLED, BUILT),
)
def ogd_hinge_regret(
    norm: Number,
    radius: Number,
    rounds: int,
    learning_rate: Number | None = None,
    squared_norms: Number | None = None,
) -> float:
    """Hinge loss of online gradient descent beyond that of any short comparator.

    Theorem  Against every u with ||u|| <= U, gradient descent at rate n suffers in T rounds at
             most U^2 / (2 n) + (n / 2) S more hinge loss, where S sums ||x_t||^2 over the
             rounds with an update. As S <= T R^2, the rate U / (R sqrt T) gives U R sqrt(T).
    Needs    norm U: finite, >= 0.  radius R: finite, > 0.  rounds T: whole, >= 1.
             learning_rate n: finite, > 0; U / (R sqrt T) when not given.
             squared_norms S: finite, >= 0; T R^2 when not given.
    Gives    an upper bound, rounded up.
    Source   Zinkevich, Online convex programming and generalized infinitesimal gradient ascent
             (2003); Sakulwongtana, Supervised Learning (lecture notes), Theorem 5.5.

    Examples
    --------
    >>> ogd_hinge_regret(norm=2, radius=1, rounds=100)
    20.0
    >>> ogd_hinge_regret(norm=2, radius=1, rounds=100, learning_rate=0.2, squared_norms=30)
    13.0
    """
    return _regret(norm, radius, rounds, learning_rate, squared_norms).up()


def _regret(
    norm: Number,
    radius: Number,
    rounds: int,
    learning_rate: Number | None,
    squared_norms: Number | None,
) -> Enclosure:
    u, r = nonnegative("norm", norm), positive("radius", radius)
    most = count("rounds", rounds, at_least=1) * r**2
    total = most if squared_norms is None else nonnegative("squared_norms", squared_norms)
    if learning_rate is None:
        # U^2 / (2 n) and n S / 2 at n = U / sqrt(T R^2), without dividing by a norm of zero.
        reach = sqrt(most)
        return u * reach / 2 + u * total / (2 * reach)
    eta = positive("learning_rate", learning_rate)
    return u**2 / (2 * eta) + eta / 2 * total


@theorem(
    "T30",
    kind="mistakes",
    statement=r"\sum_t\mathbb 1[y_t\ne\mathrm{sgn}\,\hat y_t]\le L(u)+UR\sqrt T",
    assumes=(KNOWN_SCALE, HINGE_STEPS),
    claim=run_claim("mistakes", LABELLED, BUILT),
)
def ogd_mistakes(
    norm: Number,
    radius: Number,
    rounds: int,
    hinge_loss: Number,
    learning_rate: Number | None = None,
    squared_norms: Number | None = None,
) -> int:
    """Mistakes of online gradient descent on the hinge loss.

    Theorem  A mistake costs a hinge loss of at least 1, so the mistakes are at most the hinge
             loss L(u) of any u with ||u|| <= U plus the regret bound of ogd-hinge-regret.
    Needs    norm U: finite, >= 0.  radius R: finite, > 0.  rounds T: whole, >= 1.
             hinge_loss L(u): finite, >= 0.  learning_rate n: finite, > 0; U / (R sqrt T) when not
             given.  squared_norms S: finite, >= 0; T R^2 when not given.
    Gives    the largest whole number the bound allows.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Remark 35.

    Examples
    --------
    >>> ogd_mistakes(norm=2, radius=1, rounds=100, hinge_loss=3)
    23
    """
    loss = nonnegative("hinge_loss", hinge_loss)
    return (loss + _regret(norm, radius, rounds, learning_rate, squared_norms)).floor()


@theorem(
    kind="regret",
    statement=(
        r"\sum_{t\le T}h_t(w_t)-h_t(u)\le\frac{(2U)^2}{2\eta_T}+\frac12\sum_{t:y_t\hat y_t<1}\eta_t\|x_t\|^2"
        r"\le2\sqrt2\,UR\sqrt T\ \text{for all}\ T,\quad\eta_t=\frac UR\sqrt{\tfrac2t},\ \|w_t\|\le U"
    ),
    assumes=(KNOWN_SCALE, HINGE_STEPS, FALLING_RATES),
    claim=run_claim("regret", LABELLED, BUILT, BUILT),
)
def ogd_anytime_regret(
    norm: Number,
    radius: Number,
    rounds: int,
    last_rate: Number | None = None,
    weighted_squares: Number | None = None,
) -> float:
    """Hinge loss of projected gradient descent beyond that of a comparator, after every round.

    Theorem  The weights are projected onto the ball of radius U, whose diameter is D = 2 U, and the
             rates n_t never rise. Against every u of that ball the excess of the hinge loss after T
             rounds is at most D^2 / (2 n_T) + W / 2, where W sums n_t ||x_t||^2 over the rounds
             with an update. With n_t = U sqrt(2 / t) / R, and also with the longest example so
             far in place of R, this is at most sqrt(2) D R sqrt(T) = 2 sqrt(2) U R sqrt(T).
    Needs    norm U: finite, >= 0.  radius R: finite, > 0.  rounds T: whole, >= 1.
             last_rate n_T, of the last step: finite, > 0; U sqrt(2 / T) / R when not given.
             weighted_squares W: finite, >= 0; 2 sqrt(2) U R sqrt(T) when not given.
    Gives    an upper bound for all T at once, rounded up.
    Source   Zinkevich, Online convex programming and generalized infinitesimal gradient ascent
             (2003), proof of Theorem 1, at the rate that makes the constant least.

    Examples
    --------
    >>> round(ogd_anytime_regret(norm=2, radius=1, rounds=100), 6)
    56.568542
    >>> ogd_anytime_regret(norm=2, radius=1, rounds=100, last_rate=0.5, weighted_squares=30)
    31.0
    """
    return _anytime(norm, radius, rounds, last_rate, weighted_squares).up()


def _anytime(
    norm: Number,
    radius: Number,
    rounds: int,
    last_rate: Number | None,
    weighted_squares: Number | None,
) -> Enclosure:
    u, r = nonnegative("norm", norm), positive("radius", radius)
    # D^2 / (2 n_T) and W / 2 are both this much where they are not measured.
    half = u * sqrt(2 * count("rounds", rounds, at_least=1) * r**2)
    far = half if last_rate is None else (2 * u) ** 2 / (2 * positive("last_rate", last_rate))
    if weighted_squares is None:
        return far + half
    return far + nonnegative("weighted_squares", weighted_squares) / 2


@theorem(
    kind="mistakes",
    statement=r"\sum_{t\le T}\mathbb 1[y_t\ne\mathrm{sgn}\,\hat y_t]\le L(u)+2\sqrt2\,UR\sqrt T\ \text{for all}\ T",
    assumes=(KNOWN_SCALE, HINGE_STEPS, FALLING_RATES),
    claim=run_claim("mistakes", LABELLED, BUILT, BUILT),
)
def ogd_anytime_mistakes(
    norm: Number,
    radius: Number,
    rounds: int,
    hinge_loss: Number,
    last_rate: Number | None = None,
    weighted_squares: Number | None = None,
) -> int:
    """Mistakes of projected gradient descent on the hinge loss, after every round.

    Theorem  A mistake costs a hinge loss of at least 1, so the mistakes of the first T rounds are at
             most the hinge loss L(u) of any u with ||u|| <= U plus the bound of ogd-anytime-regret.
    Needs    norm U: finite, >= 0.  radius R: finite, > 0.  rounds T: whole, >= 1.
             hinge_loss L(u): finite, >= 0.
             last_rate n_T, of the last step: finite, > 0; U sqrt(2 / T) / R when not given.
             weighted_squares W: finite, >= 0; 2 sqrt(2) U R sqrt(T) when not given.
    Gives    the largest whole number the bound allows, for all T at once.
    Source   Zinkevich, Online convex programming and generalized infinitesimal gradient ascent
             (2003), for the regret; a mistake costs at least one.

    Examples
    --------
    >>> ogd_anytime_mistakes(norm=2, radius=1, rounds=100, hinge_loss=3)
    59
    """
    loss = nonnegative("hinge_loss", hinge_loss)
    return (loss + _anytime(norm, radius, rounds, last_rate, weighted_squares)).floor()


@theorem(
    "L16",
    kind="potential",
    statement=(
        r"\sum_t h_t(w_t)-h_t(u)\le\frac{\|w_1-u\|^2-\|w_{T+1}-u\|^2}{2\eta}"
        r"+\frac\eta2\sum_{t:y_t\hat y_t<1}\|x_t\|^2"
    ),
    assumes=(HINGE_STEPS,),
)
def ogd_distance_potential(
    distance_before: Number, distance_after: Number, learning_rate: Number, squared_norms: Number
) -> float:
    """How much more hinge loss than a comparator gradient descent may suffer meanwhile.

    Theorem  A step of length n along y x changes ||w - u||^2 by exactly n^2 ||x||^2 minus
             2 n y <u - w, x>, and the hinge loss exceeds that of u by at most y <u - w, x>.
    Needs    distance_before ||w - u|| at the start: finite, >= 0.  distance_after ||w - u|| at
             the end: finite, >= 0.  learning_rate n: finite, > 0.
             squared_norms S, over the rounds with an update: finite, >= 0.
    Gives    an upper bound on the excess hinge loss of the stretch, rounded up.
    Source   Zinkevich, Online convex programming and generalized infinitesimal gradient ascent
             (2003), proof of Theorem 1.

    Examples
    --------
    >>> ogd_distance_potential(2, 1, learning_rate=0.5, squared_norms=4)
    4.0
    """
    before = nonnegative("distance_before", distance_before)
    after = nonnegative("distance_after", distance_after)
    eta = positive("learning_rate", learning_rate)
    total = nonnegative("squared_norms", squared_norms)
    return ((before**2 - after**2) / (2 * eta) + eta / 2 * total).up()
