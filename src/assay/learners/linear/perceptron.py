"""The perceptron."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.compiled.common.rows import affine, affine_packed
from assay.compiled.linear.perceptron import perceptron_one, perceptron_pass, perceptron_pass_csr
from assay.errors import BadData, require
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.learners.common.rows import Rows
from assay.learners.linear.disjunction import disjunction_of
from assay.learners.linear.online import OnlineLinearClassifier
from assay.learners.linear.player import NotANumber, Player
from assay.learners.registry import register
from assay.learners.search.replayed import MistakePromises
from assay.theory.mistake.perceptron import (
    SEPARABLE,
    perceptron_disjunction_mistakes,
    perceptron_margin_mistakes,
)
from assay.theory.needs import count, positive
from assay.theory.registry import find_theorem


@register("perceptron")
class Perceptron(MistakePromises, OnlineLinearClassifier):
    r"""Predict :math:`\operatorname{sgn}(w\cdot x)`; on a mistake add :math:`y\,x` to :math:`w`.

    If every example has length at most R and some unit vector separates them with margin
    :math:`\gamma`, the perceptron makes at most :math:`(R/\gamma)^2` mistakes, in any order and over any
    number of passes (``perceptron-margin-mistakes``). On any data at all it makes at most
    :math:`R^2\|u\|^2+2L(u)` mistakes, for every vector u with total hinge loss L(u)
    (``perceptron-hinge-mistakes``).

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether a constant feature of one is appended; radius and margin then include it.
    zero : {1, -1, "mistake"}, default=1
        The label predicted at a score of exactly zero, or that such a score counts as wrong.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, update by update, what the proof follows.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_, intercept_ : array
        The weights.
    n_iter_ : int
        Passes made.
    record_ : OnlineRecord
        Rounds, mistakes, radius.

    References
    ----------
    .. [1] Novikoff (1962). On convergence proofs on perceptrons.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Perceptron
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = Perceptron().fit(X, [0, 1, 1, 1])
    >>> model.record_.mistakes, model.coef_.tolist(), model.intercept_.tolist()
    (5, [[1.0, 1.0]], [-1.0])
    >>> print(model.guarantees()[0])
    mistakes: at most 18, observed 5, by perceptron-hinge-mistakes
    """

    conservative = True
    declares = ("radius", "margin", "literals")

    def __init__(
        self,
        fit_intercept: bool = True,
        zero: Literal[1, -1, "mistake"] = 1,
        max_iter: int = 1000,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        trace: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.zero = zero
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.trace = trace

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        require(self.zero in (1, -1, "mistake"), "zero", "1, -1 or 'mistake'", self.zero)
        return PerceptronPlayer(width, dtype, self.fit_intercept, self.zero)

    def _sides(self, scores: NDArray[Any]) -> NDArray[np.int_]:
        return ((scores > 0) if self.zero == -1 else (scores >= 0)).astype(int)

    def _guarantees(self, player: Player, of: str, declared: Mapping[str, Any]) -> list[Guarantee]:
        return perceptron_guarantees(player, of, declared)


class PerceptronPlayer(Player):
    """The perceptron on one binary problem."""

    mistakes_only = True

    def __init__(self, width: int, dtype: np.dtype[Any], constant: bool, zero: int | str) -> None:
        super().__init__(width, dtype, constant)
        self.zero = 0.0 if zero == "mistake" else float(zero)

    def _pass(
        self, rows: Rows, signs: NDArray[Any], updated: NDArray[np.int64]
    ) -> tuple[int, int, int]:
        loop = perceptron_pass if rows.dense is not None else perceptron_pass_csr
        mistakes, played = loop(
            *rows.arrays, signs, self.weights, self.bias, self.constant, self.zero, updated
        )
        return mistakes, mistakes, played

    def play_one(self, row: NDArray[Any], positive: bool) -> None:
        """Predict and learn one example: the same step, without the bookkeeping of a block."""
        if self.tracing:
            super().play_one(row, positive)
            return
        sign = 1.0 if positive else -1.0
        mistakes = perceptron_one(row, sign, self.weights, self.bias, self.constant, self.zero)
        if mistakes < 0:
            raise NotANumber(0)
        if mistakes:
            self.mistakes += 1
            self.updates += 1
            self.hindsight.add_one(row, sign, self.constant)
        self.rounds += 1

    def score(self, row: NDArray[Any]) -> float:
        """The score of one example; its weights are those of the loop."""
        return affine(row, self.weights, self.bias)  # type: ignore[no-any-return]

    def score_packed(self, raw: bytes) -> float:
        """The same of an example whose numbers are packed into bytes."""
        return affine_packed(raw, self.weights, self.bias)  # type: ignore[no-any-return]

    def _marks(self) -> dict[str, float]:
        w, b = self.weights.astype(np.float64), float(self.bias[0])
        return {"squared_norm": float(w @ w) + b * b}

    def _trace(self) -> dict[str, NDArray[np.float64]]:
        columns = super()._trace()
        best = self.hindsight.best()
        if best is not None and best.margin is not None and len(self._log) == self.hindsight.count:
            X, ones, y = self.hindsight.examples()
            unit = best.vector / np.linalg.norm(best.vector)
            columns["progress"] = np.cumsum(y * (X.whole @ unit[:-1] + ones * unit[-1]))
        return columns


def perceptron_guarantees(player: Player, of: str, declared: Mapping[str, Any]) -> list[Guarantee]:
    """What was declared; the hinge bound of the best comparator in hindsight; the margin bound."""
    found = []
    if "margin" in declared:
        found.append(_by_declared_margin(player, of, declared))
    if "literals" in declared:
        found.append(_by_literals(player, of, declared["literals"]))
    # The weights are the sum of the mistaken examples, each times its label.
    best = player.hindsight.best(np.append(player.weights, player.bias))
    if best is None:
        return found
    radius = (player.hindsight.radius or 1.0) * _rounding(player)
    if not math.isfinite(radius + best.loss):
        raise BadData(
            "No theorem can be applied to this run: the square of an example's length overflows. Scale the features."
        )
    inputs = {"radius": radius, "norm": best.norm, "hinge_loss": best.loss}
    found.append(
        mistake_guarantee(
            "perceptron-hinge-mistakes",
            inputs,
            player.updates,
            of=of,
            witness=best.vector.tolist(),
        )
    )
    if best.margin is not None:
        seen = (
            f"a witness separates all {player.hindsight.kept} mistaken examples; "
            "the others changed nothing"
        )
        known = [Assumption(SEPARABLE, "checked", seen)]
        wide = {"radius": radius, "margin": best.margin}
        found.append(
            mistake_guarantee(
                "perceptron-margin-mistakes",
                wide,
                player.updates,
                of=of,
                known=known,
                witness=best.vector.tolist(),
            )
        )
        if player.clean and player.passes is not None:
            found.append(
                mistake_guarantee(
                    "perceptron-passes",
                    wide,
                    player.passes,
                    of=of.replace("mistakes", "passes", 1),
                    known=known,
                    letter="passes",
                )
            )
    return found


def _rounding(player: Player) -> float:
    """What the radius is multiplied by, since scores and weights are rounded.

    With unit roundoff e/2, m updates and ||w|| at most c sqrt(m) R, rounding moves the weights by at most
    (e/3) c R (m+1)^1.5, and a score by (d+2) (e/2) c sqrt(m) R^2. A mistake then adds up to twice R times
    both to the squared length, on top of R^2: in all m R^2 times the share below.
    """
    m = max(player.updates, 1)
    step = float(np.finfo(player.weights.dtype).eps)
    share = step * (0.3 * (m + 1) ** 2.5 / m + 0.75 * (player.width + 2) * math.sqrt(m))
    share *= 1 + share  # which is c
    # A radius that was seen is rounded up by as much already.
    return math.sqrt(1 + share) if share > 1e-12 else 1.0


def _by_declared_margin(player: Player, of: str, declared: Mapping[str, Any]) -> Guarantee:
    """The margin bound for what was declared, or no number where the run shows it to be false."""
    margin = declared["margin"]
    radius = declared.get("radius", player.hindsight.radius or 1.0)
    longest, rounding = player.hindsight.radius, _rounding(player)
    outside = player.hindsight.largest > float(radius) ** 2 * (1 + 1e-12)
    told = f"radius {radius}, margin {margin}"
    radius = radius if rounding == 1.0 else float(radius) * rounding
    allowed = perceptron_margin_mistakes(radius, margin)
    if outside:
        said = Assumption(SEPARABLE, "violated", f"an example has length {longest:.6g}")
    elif player.updates > allowed:
        said = Assumption(SEPARABLE, "violated", f"such examples allow at most {allowed} mistakes")
    elif (widest := _widest(player, float(positive("margin", margin).low))) is not None:
        why = f"no vector has a margin above {widest:.6g} on the mistaken examples"
        said = Assumption(SEPARABLE, "violated", why)
    else:
        said = Assumption(SEPARABLE, "declared", told)
    inputs = {"radius": radius, "margin": margin}
    return mistake_guarantee(
        "perceptron-margin-mistakes", inputs, player.updates, of=of, known=[said]
    )


def _widest(player: Player, margin: float) -> float | None:
    """What no margin on the mistaken examples exceeds, where that is less than was declared."""
    if not player.hindsight.kept:
        return None
    ceiling = player.hindsight.widest(margin)[1] * (1 + 1e-9)  # sums are known up to rounding
    return ceiling if ceiling < margin else None


def _by_literals(player: Player, of: str, literals: Any) -> Guarantee:
    """The bound for a monotone disjunction of so many features."""
    target, constant, _ = find_theorem("perceptron-disjunction-mistakes").assumes
    allowed = perceptron_disjunction_mistakes(literals, player.width)
    X, _, y = player.hindsight.examples()
    if not np.isin(X.arrays[0], (0.0, 1.0)).all():
        said = Assumption(target, "violated", "a mistaken example has a feature that is not 0 or 1")
    elif player.updates > allowed:
        said = Assumption(target, "violated", f"such labels allow at most {allowed} mistakes")
    elif (
        few := disjunction_of(count("literals", literals), X.whole, y, False, player.width)
    ) is not None and not few.consistent:
        why = f"no disjunction of so few features agrees with the {len(y)} mistaken examples"
        said = Assumption(target, "violated", why)
    else:
        said = Assumption(target, "declared", f"{literals} of {player.width} features")
    appended = Assumption(constant, "by construction" if player.constant else "violated")
    return mistake_guarantee(
        "perceptron-disjunction-mistakes",
        {"literals": literals, "features": player.width},
        player.updates,
        of=of,
        known=(said, appended),
    )
