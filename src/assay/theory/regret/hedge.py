"""Regret of Hedge: weights that fall exponentially with the losses of the experts."""

from __future__ import annotations

from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count, nonnegative, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, ln, sqrt

BOUNDED_LOSSES = Condition("losses-up-to-largest", "every loss lies between 0 and the largest loss")
NONNEGATIVE_LOSSES = Condition("no-negative-loss", "no loss is negative")
EXPONENTIAL_WEIGHTS = Condition(
    "hedge-weights",
    "the weights start equal and each is multiplied by exp(-rate * loss), then normalised; "
    "at an anytime rate they are exp(-rate * total loss), normalised",
)
# The learner's loss below is the weighted mean; a sampled expert loses that much on average.
LOSS_IS_MEAN = Condition(
    "loss-is-weighted-mean",
    "the learner's loss is the weighted mean of the experts' losses, or, if one expert is drawn "
    "by the weights, its expectation, with losses fixed before the draw",
)

Form = Literal["sharp", "textbook", "anytime"]
_FORMS = ("sharp", "textbook", "anytime")
# Of eta T B^2, what one round's curvature costs: Hoeffding's lemma gives an eighth, the quadratic
# bound on the exponential a half.
_SHARE = {"sharp": 8, "textbook": 2}


@theorem(
    "T25",
    kind="regret",
    statement=(
        r"\sum_t v_t\cdot\ell_t-\min_i L_i\le\frac{\ln K}{\eta}+\frac{\eta T}{2}"
        r"=\sqrt{2T\ln K}\ \text{at}\ \eta=\sqrt{2\ln K/T};\quad"
        r"\le\frac{\ln K}{\eta}+\frac{\eta T}{8}=\sqrt{\tfrac12T\ln K}\ \text{at}\ \eta=\sqrt{8\ln K/T}"
    ),
    assumes=(BOUNDED_LOSSES, EXPONENTIAL_WEIGHTS, LOSS_IS_MEAN),
)
def hedge_regret(
    rounds: int,
    experts: int,
    learning_rate: Number | None = None,
    largest_loss: Number = 1,
    form: Form = "sharp",
) -> float:
    """Regret of Hedge against the best expert.

    Theorem  With losses in [0, B] and rate n, Hedge over K experts loses in T rounds at most
             ln(K) / n + n T B^2 / 8 more than the best expert (sharp), and so at most
             ln(K) / n + n T B^2 / 2 (textbook). The rates that make these least, sqrt(8 ln K / T)
             / B and sqrt(2 ln K / T) / B, give B sqrt(T ln K / 2) and B sqrt(2 T ln K). Without
             knowing T, the rates 2 sqrt(ln K / t) / B of round t give B sqrt(T ln K) (anytime).
    Needs    rounds T: whole, >= 1.  experts K: whole, >= 1.  learning_rate n: finite, > 0; the
             form's best when not given, and not to be given with "anytime".
             largest_loss B: finite, > 0.  form: "sharp", "textbook" or "anytime".
    Gives    an upper bound, rounded up.
    Source   Freund & Schapire, A decision-theoretic generalization of on-line learning and an
             application to boosting (1997); Sakulwongtana, Supervised Learning (lecture notes),
             Theorem 5.3; sharp: Cesa-Bianchi & Lugosi, Prediction, Learning, and Games (2006),
             Theorem 2.2; the anytime form is derived (constant from the proof).

    Examples
    --------
    >>> round(hedge_regret(rounds=100, experts=10), 6)
    10.72983
    >>> round(hedge_regret(rounds=100, experts=10, form="textbook"), 6)
    21.45966
    """
    return _regret(rounds, experts, learning_rate, largest_loss, form).up()


def _regret(
    rounds: int, experts: int, learning_rate: Number | None, largest_loss: Number, form: Form
) -> Enclosure:
    t = count("rounds", rounds, at_least=1)
    k = count("experts", experts, at_least=1)
    b = positive("largest_loss", largest_loss)
    require(form in _FORMS, "form", "'sharp', 'textbook' or 'anytime'", form)
    if form == "anytime":
        must = "left out of the anytime form, whose rate changes with the round"
        require(learning_rate is None, "learning_rate", must, learning_rate)
        return b * sqrt(t * ln(k))
    share = _SHARE[form]
    if learning_rate is None:
        # ln K / n + n T B^2 / c is least at n = sqrt(c ln K / T) / B.
        return 2 * b * sqrt(t * ln(k) / share)
    eta = positive("learning_rate", learning_rate)
    return ln(k) / eta + eta * t * b**2 / share


@theorem(
    "T26",
    kind="regret",
    statement=(
        r"\sum_t (v_t-u)\cdot\ell_t\le\frac{\ln K}{\eta}+\frac\eta2\sum_{t,i}v_{t,i}\ell_{t,i}^2"
    ),
    assumes=(NONNEGATIVE_LOSSES, EXPONENTIAL_WEIGHTS, LOSS_IS_MEAN),
)
def hedge_second_order(experts: int, learning_rate: Number, squared_losses: Number) -> float:
    """Regret of Hedge from the squared losses that occurred.

    Theorem  With losses >= 0 and a fixed rate n, Hedge over K experts loses at most
             ln(K) / n + (n / 2) S more than any mixture of experts, where S is the sum over
             rounds of the weighted mean of the squared losses.
    Needs    experts K: whole, >= 1.  learning_rate n: finite, > 0.
             squared_losses S: finite, >= 0.
    Gives    an upper bound, rounded up.
    Source   Sakulwongtana, Supervised Learning (lecture notes), proof of Theorem 5.3.

    Examples
    --------
    >>> round(hedge_second_order(experts=10, learning_rate=0.2, squared_losses=30), 6)
    14.512925
    """
    k = count("experts", experts, at_least=1)
    eta = positive("learning_rate", learning_rate)
    return (ln(k) / eta + eta / 2 * nonnegative("squared_losses", squared_losses)).up()


@theorem(
    "T33",
    kind="regret",
    statement=r"(L_A-\min_iL_i)/T\le\sqrt{2\ln K/T};\quad\le\sqrt{\ln K/(2T)}\ \text{(sharp)}",
    assumes=(BOUNDED_LOSSES, EXPONENTIAL_WEIGHTS, LOSS_IS_MEAN),
)
def hedge_regret_average(
    rounds: int, experts: int, largest_loss: Number = 1, form: Form = "sharp"
) -> float:
    """Regret of Hedge per round, which goes to zero.

    Theorem  At the rates of hedge-regret, Hedge loses per round at most B sqrt(ln K / (2 T))
             (sharp), B sqrt(2 ln K / T) (textbook) or B sqrt(ln K / T) (anytime) more than the
             best expert does.
    Needs    rounds T: whole, >= 1.  experts K: whole, >= 1.  largest_loss B: finite, > 0.
             form: "sharp", "textbook" or "anytime".
    Gives    an upper bound, rounded up.
    Source   Follows from hedge-regret; Sakulwongtana, Supervised Learning (lecture notes),
             Remark 30.

    Examples
    --------
    >>> round(hedge_regret_average(rounds=100, experts=10, form="textbook"), 7)
    0.2145966
    """
    return (_regret(rounds, experts, None, largest_loss, form) / rounds).up()


@theorem(
    "L14",
    kind="potential",
    statement=(
        r"\sum_t (v_t-u)\cdot\ell_t\le\frac{d(u,v_1)-d(u,v_{T+1})}\eta"
        r"+\frac\eta2\sum_{t,i}v_{t,i}\ell_{t,i}^2"
    ),
    assumes=(NONNEGATIVE_LOSSES, EXPONENTIAL_WEIGHTS, LOSS_IS_MEAN),
)
def hedge_progress_potential(
    divergence_before: Number,
    divergence_after: Number,
    learning_rate: Number,
    squared_losses: Number,
) -> float:
    """How much more than a mixture of experts Hedge may lose over a stretch of rounds.

    Theorem  Over any stretch of rounds played at one rate n, with losses >= 0, the loss in
             excess of a mixture u is at most the fall of the relative entropy d(u, v) over n,
             plus n / 2 times the sum of the weighted mean squared losses.
    Needs    divergence_before d(u, v) at the start: finite, >= 0.  divergence_after d(u, v) at
             the end: finite, >= 0.  learning_rate n: finite, > 0.  squared_losses S: finite, >= 0.
    Gives    an upper bound on the excess loss of the stretch, rounded up.
    Source   Sakulwongtana, Supervised Learning (lecture notes), proof of Theorem 5.3.

    Examples
    --------
    >>> hedge_progress_potential(2, 1.5, learning_rate=0.5, squared_losses=8)
    3.0
    """
    before = nonnegative("divergence_before", divergence_before)
    after = nonnegative("divergence_after", divergence_after)
    eta = positive("learning_rate", learning_rate)
    spread = nonnegative("squared_losses", squared_losses)
    return ((before - after) / eta + eta / 2 * spread).up()
