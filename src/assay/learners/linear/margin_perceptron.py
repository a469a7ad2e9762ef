"""The margin perceptron."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.linear.margin_perceptron import (
    NORM,
    STARTED,
    margin_perceptron_pass,
    margin_perceptron_pass_csr,
)
from assay.errors import BadData, Where, require
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.margin import dimension_guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.subject import another_quantity
from assay.learners.common import kinds
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.registry import register
from assay.learners.search.comparator_store import Hindsight
from assay.learners.search.replayed import MistakePromises
from assay.record.online import OnlineRecord
from assay.theory.mistake.margin_perceptron import RULE, UNIT_LENGTH, margin_perceptron_updates
from assay.theory.needs import positive
from assay.theory.registry import find_theorem
from assay.types import Array, Ints

_THEOREM = "margin-perceptron-updates"


@register("margin-perceptron")
@dataclass(eq=False, repr=False)
class MarginPerceptron(MistakePromises, OnlineLinearClassifier):
    r"""Like the perceptron, but move also when :math:`y\,w\cdot x/\|w\|<(1-\varepsilon)\gamma`.

    Every example is scaled to length one, the constant feature included, and the weights start at the
    first one, which is not predicted. If some unit vector separates these examples with margin
    :math:`\gamma`, there are at most
    :math:`2/(\varepsilon\gamma)^2+2/(\varepsilon\gamma)-2/\varepsilon` updates, mistakes and narrow
    escapes together (``margin-perceptron-updates``); and once a pass changes nothing, every example of
    it has margin at least :math:`(1-\varepsilon)\gamma`.

    Parameters
    ----------
    margin : float, default=0.1
        The margin :math:`\gamma` that the examples are believed to have, above 0 and at most 1.
    eps : float, default=0.5
        The part :math:`\varepsilon` of it that is given up, above 0 and at most 1.
    fit_intercept : bool, default=True
        Whether a constant feature of one is appended before scaling.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer updates than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, update by update, what the proof follows: the length of the weights.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_, intercept_ : array
        The weights, which apply to examples of any length.
    n_iter_ : int
        Passes made.
    record_ : OnlineRecord
        Rounds, mistakes, updates, and the margin reached.

    References
    ----------
    .. [1] Mansour (2012). Introduction to Machine Learning, lecture 4.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import MarginPerceptron
    >>> X = np.array([[1.0, 2.0], [2.0, -1.5], [-1.0, -2.0], [-2.0, 0.5]])
    >>> model = MarginPerceptron(margin=0.5, fit_intercept=False).fit(X, [1, 1, 0, 0])
    >>> round(model.record_.margin, 6)
    0.640747
    >>> print(model.guarantees()[0])
    updates: at most 36, observed 1, by margin-perceptron-updates
    """

    declares = ()
    #: The weights start from the first example, which its own count leaves out.
    predicts_first = False

    margin: float = 0.1
    eps: float = 0.5
    fit_intercept: bool = True
    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        wide = positive("margin", self.margin).low <= 1
        require(wide, "margin", "at most 1, the length of the examples", self.margin)
        part = positive("eps", self.eps).low <= 1
        require(part, "eps", "at most 1, the whole margin", self.eps)
        # In double precision whatever the examples are: the rule compares lengths.
        threshold = (1 - float(self.eps)) * float(self.margin)
        return MarginPerceptronPlayer(
            width, np.dtype(np.float64), self.fit_intercept, threshold=threshold
        )

    def _guarantees(self, player: Player, of: str, declared: Mapping[str, Any]) -> list[Guarantee]:
        assert isinstance(player, MarginPerceptronPlayer)
        return margin_perceptron_guarantees(player, of, float(self.margin), float(self.eps))


class MarginPerceptronPlayer(Player):
    """The margin perceptron on one binary problem."""

    arrays = ("weights", "bias", "state")
    state = kinds.declare(reached=kinds.number)

    def __init__(
        self, width: int, dtype: np.dtype[Any], constant: bool, threshold: float = 0.05
    ) -> None:
        super().__init__(width, dtype, constant)
        self.threshold = threshold
        self.state = np.zeros(3)
        self.hindsight = Hindsight(unit=True)
        self.reached = math.inf

    def play(self, rows: Rows, signs: Array) -> int:
        """Predict and learn row by row; return the number of updates."""
        self.reached = math.inf
        return super().play(rows, signs)

    def _played(self, rows: Rows, signs: Array) -> int:
        before = self.updates
        super()._played(rows, signs)
        return self.updates - before

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        loop = margin_perceptron_pass if rows.dense is not None else margin_perceptron_pass_csr
        first = self.state[STARTED] == 0
        mistakes, moves, played, smallest = loop(
            *rows.arrays,
            signs,
            self.weights,
            self.bias,
            self.constant,
            self.threshold,
            self.state,
            updated,
        )
        self.reached = min(self.reached, smallest)
        # The first example is what the weights start from: it is kept, but is no update.
        self.updates -= int(first and moves > 0)
        return mistakes, moves, played

    def refusal(self, rows: Rows, place: int, names: Sequence[Any] | None) -> BadData:
        """Why a row could not be played."""
        if not rows.row(place).any():
            return BadData(
                Where(row=place),
                " of X holds only zeros, so it cannot be scaled to length one. "
                "Set fit_intercept=True, or leave the row out.",
            )
        return super().refusal(rows, place, names)

    def record(self, *, trace: bool) -> OnlineRecord:
        """What happened so far."""
        record = super().record(trace=trace)
        return record if not self.clean else record.with_margin(self.reached)

    def _marks(self) -> dict[str, float]:
        return {"norm": math.sqrt(self.state[NORM])}


def margin_perceptron_guarantees(
    player: MarginPerceptronPlayer, of: str, margin: float, eps: float
) -> list[Guarantee]:
    """The bound for the margin that was declared, and that for the largest margin in hindsight."""
    if not player.hindsight.count:
        return []
    _, separable, _ = find_theorem(_THEOREM).assumes
    reached = ""
    if player.clean:
        reached = (
            f"the last pass changed nothing: every example of it has margin at least "
            f"{player.threshold:.6g}, the smallest being {player.reached:.6g}"
        )
    rules = (
        Assumption(UNIT_LENGTH, "by construction"),
        Assumption(RULE, "by construction", reached),
    )
    witness, ceiling = player.hindsight.widest(max(player.threshold, margin / 1000))
    seen = None if witness is None else witness.margin
    of = another_quantity(of, "updates")

    def promise(said: Assumption, gamma: float, slack: float) -> Guarantee:
        return mistake_guarantee(
            _THEOREM,
            {"margin": gamma, "slack": slack},
            player.updates,
            of=of,
            assumptions=(rules[0], said, rules[1]),
            witness=witness.vector.tolist() if witness and said.status == "checked" else None,
        )

    found = [promise(_declared(player, separable, margin, eps, seen, ceiling), margin, eps)]
    # The rule knows only the threshold: it is that of every margin above it, with its own slack.
    if seen is not None and seen > player.threshold * (1 + 1e-6) and seen != margin:
        slack = (1 - player.threshold / seen) * (1 - 1e-9)
        found.append(promise(_witnessed(player, separable, seen), seen, slack))
    if player.clean and 0 < player.reached < math.inf:
        found.append(_dimension(player))
    return found


def _dimension(player: MarginPerceptronPlayer) -> Guarantee:
    """How many points the separators as wide as this one can shatter, the examples being of length one."""
    weights = np.append(player.weights, player.bias) if player.constant else player.weights
    reached = player.reached * (1 - 1e-9)
    unit = weights / np.linalg.norm(weights)
    return dimension_guarantee(
        1 / reached,
        1.0,
        "the examples of its last pass, scaled to length one",
        features=len(weights),
        witness=(unit / reached).tolist(),
    )


def _declared(
    player: MarginPerceptronPlayer,
    separable: str,
    margin: float,
    eps: float,
    seen: float | None,
    ceiling: float,
) -> Assumption:
    """How the margin the learner was told is known, after the run."""
    if seen is not None and seen >= margin:
        return _witnessed(player, separable, seen)
    if ceiling < margin:
        why = f"no vector has a margin above {ceiling:.6g} on the examples that moved the weights"
        return Assumption(separable, "violated", why)
    allowed = margin_perceptron_updates(margin, eps)
    if player.updates > allowed:
        return Assumption(separable, "violated", f"it allows at most {allowed} updates")
    return Assumption(separable, "declared", f"margin {margin}")


def _witnessed(player: MarginPerceptronPlayer, separable: str, seen: float) -> Assumption:
    moved = player.hindsight.kept
    why = (
        f"a witness has margin {seen:.6g} on all {moved} examples that moved the weights; "
        "the others changed nothing"
    )
    return Assumption(separable, "checked", why)
