r"""Linear support vector machines over blocks of rows, by Newton's method.

The squared hinge loss is smooth enough for that. The hinge loss is made so by a small quadratic where it bends,
:math:`c\,s^2/2\mu` for a row that is short of its margin by :math:`s\le\mu`; its slope there,
:math:`\alpha=c\min(s/\mu,1)`, is a dual variable of the hinge loss itself, so that the duality gap says when
:math:`\mu` is small enough. The weights that are kept are those that the dual variables stand for, and the gap is
computed from all rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.compiled.common.either_rows import row_squares
from assay.compiled.linear.block_sums import block_scores, pulled_by, weighted_products
from assay.learners.common.blocks import Block, Blocks
from assay.learners.linear.damped_newton import State, damped_newton
from assay.record.margin import MarginRecord
from assay.types import Floats

_UNIT = 2.0**-53
# Examples so near the margin are taken to lie on it.
_NEAR = 1e-9
# The widths of the quadratic that are tried, and how small the slope of the mean objective is made, beside its rows.
_FIRST, _CUT, _LEAST = 0.1, 0.1, 1e-12
_SLOPE, _MOST_STEPS = 1e-11, 100


class Side(NamedTuple):
    """One class against the others, and what its rows cost.

    Attributes
    ----------
    place : int
        The class whose rows are positive.
    positive, negative : float
        What the loss of a row of either side costs, times its own weight.
    squared : bool
        Whether the loss is squared.
    width : float
        That of the quadratic; of no matter where the loss is squared.
    """

    place: int
    positive: float
    negative: float
    squared: bool
    width: float = 0.0

    def read(self, block: Block) -> tuple[Floats, Floats]:
        """Labels of -1 and +1, and costs."""
        right = block.y == self.place
        costs = np.where(right, self.positive, self.negative)
        if block.weights is not None:
            costs = costs * block.weights
        return np.where(right, 1.0, -1.0), costs

    def slopes(self, short: Floats, costs: Floats) -> Floats:
        """The dual variables of rows that are so much short of their margin."""
        if self.squared:
            return 2.0 * costs * short
        return costs * np.minimum(short / self.width, 1.0)

    def losses(self, short: Floats, costs: Floats) -> Floats:
        """The losses, with the quadratic."""
        if self.squared:
            return costs * short * short
        inside = np.minimum(short, self.width)
        return costs * (0.5 * inside * inside / self.width + (short - inside))

    def bends(self, short: Floats, costs: Floats) -> Floats:
        """Their second derivatives."""
        if self.squared:
            return 2.0 * costs * (short > 0)
        return costs / self.width * ((short > 0) & (short < self.width))


class _Objective:
    """Half the squared length of the weights and the losses, divided by what all rows cost."""

    def __init__(self, blocks: Blocks, side: Side, total: float) -> None:
        self._blocks, self._side, self._total = blocks, side, total

    def at(self, weights: Floats) -> State:
        """The value, the gradient, and the weights."""
        losses, pulled = self._blocks.total(_sloped, self._side, weights)
        value = (losses + 0.5 * float((weights * weights).sum())) / self._total
        return value, (weights - pulled) / self._total, weights

    def curvature(self, weights: Floats) -> Floats:
        """The Hessian, from one side where a row lies on a bend."""
        products = self._blocks.total(_curved, self._side, weights)
        hessian = products + np.tril(products, -1).T
        hessian.flat[:: len(weights) + 1] += 1.0
        return np.asarray(hessian / self._total)


def _margins(block: Block, weights: Floats, signs: Floats) -> Floats:
    scores = np.empty((len(block), 1))
    block_scores(block.X, weights[None, :], np.zeros(1), scores)
    return signs * scores[:, 0]


def _sum(numbers: Floats) -> float:
    """Their sum in their order."""
    return float(np.add.accumulate(numbers)[-1])


def _pulled(block: Block, by: Floats) -> Floats:
    pulled = np.zeros((1, block.X.shape[1]))
    pulled_by(block.X, by[:, None], pulled)
    return np.asarray(pulled[0])


def _sloped(block: Block, side: Side, weights: Floats) -> tuple[float, Floats]:
    signs, costs = side.read(block)
    short = np.maximum(0.0, 1.0 - _margins(block, weights, signs))
    return _sum(side.losses(short, costs)), _pulled(block, signs * side.slopes(short, costs))


def _curved(block: Block, side: Side, weights: Floats) -> Floats:
    signs, costs = side.read(block)
    short = np.maximum(0.0, 1.0 - _margins(block, weights, signs))
    products = np.zeros((len(weights), len(weights)))
    weighted_products(block.X, side.bends(short, costs), products)
    return products


def machine_of_blocks(
    blocks: Blocks, side: Side, tolerance: float, most: int
) -> tuple[Floats, MarginRecord]:
    """The weights of one machine, and what is proven of them; rows have the constant feature among theirs."""
    total, reach = blocks.total(_costs, side)
    weights, steps, width = np.zeros(blocks.width), 0, _FIRST
    slope = _SLOPE * max(reach, 1e-300) / total
    best: tuple[Floats, MarginRecord] | None = None
    while True:
        side = side._replace(width=width)
        weights, made, _ = damped_newton(
            _Objective(blocks, side, total), weights, slope, max(1, min(most - steps, _MOST_STEPS))
        )
        steps += made
        now = _proven(blocks, side, weights, steps)
        # Where the quadratic is very narrow, rounding has the say.
        worse = best is not None and now[1].gap >= best[1].gap
        best = best if best is not None and worse else now
        gap, share = best[1].gap, tolerance * best[1].primal
        if side.squared or worse or gap <= share or width <= _LEAST or steps >= most:
            return best[0], replace(best[1], passes=steps, steps=steps * best[1].rows)
        width *= _CUT


def _costs(block: Block, side: Side) -> tuple[float, float]:
    """The costs of a block, and those times the lengths of its rows."""
    _, costs = side.read(block)
    return _sum(costs), _sum(costs * np.sqrt(row_squares(block.X)))


def _proven(blocks: Blocks, side: Side, weights: Floats, steps: int) -> tuple[Floats, MarginRecord]:
    """The weights that the dual variables at some weights stand for, and the record of these."""
    kept = blocks.total(_stand_for, side, weights)
    square = float((kept * kept).sum())
    norm = math.sqrt(square)
    sums, tops = blocks.fold(_joined, _looked_at, side, weights, kept, norm)
    lost, safe, alpha, reach, prices, rows, support, bounded = sums
    least, high, low, slack, radius = tops
    residual = max(0.0, high) - min(0.0, low)
    terms, width = blocks.most, blocks.width + 16
    # The descent of sums by rows: as in `DualDescent`, with the weights that the variables stand for.
    meant = (norm + 2 * (terms + 16) * _UNIT * reach) * (1 + width * _UNIT)
    dual = alpha - 0.5 * square - prices
    sure = alpha - 0.5 * meant**2 - prices
    primal = 0.5 * square + lost
    above = 0.5 * square * (1 + width * _UNIT) + safe
    noise = 2 * (terms + 16) * _UNIT * (above + alpha + meant**2 + prices)
    beside = blocks.total(_beside, side, weights, kept, residual)
    record = MarginRecord(
        rows=int(rows),
        support=int(support),
        bounded=int(bounded),
        primal=primal,
        dual=dual,
        residual=residual,
        norm=norm,
        least=least,
        steps=steps * int(rows),
        passes=steps,
        beside=int(beside),
        slack=max(0.0, slack),
        rounding=max(0.0, above - sure + noise - max(0.0, primal - dual)),
        floor=max(0.0, sure - noise),
        radius=radius * (1 + 1e-12),
    )
    return kept, record


def _variables(block: Block, side: Side, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Labels, costs and dual variables of the rows."""
    signs, costs = side.read(block)
    short = np.maximum(0.0, 1.0 - _margins(block, weights, signs))
    return signs, costs, side.slopes(short, costs)


def _stand_for(block: Block, side: Side, weights: Floats) -> Floats:
    signs, _, alpha = _variables(block, side, weights)
    return _pulled(block, signs * alpha)


def _looked_at(
    block: Block, side: Side, weights: Floats, kept: Floats, norm: float
) -> tuple[Floats, Floats]:
    """What is summed up over rows, and what the most of any row is."""
    signs, costs, alpha = _variables(block, side, weights)
    margins = _margins(block, kept, signs)
    lengths = np.sqrt(row_squares(block.X))
    ridge = np.zeros(len(block))
    live = costs > 0
    if side.squared:
        ridge[live] = 0.5 / costs[live]
    short = np.maximum(0.0, 1.0 - margins)
    # Scores err by a unit for each feature.
    doubt = 2 * (block.X.shape[1] + 16) * _UNIT * lengths * norm
    more = np.maximum(0.0, 1.0 - margins + doubt)
    power = 2 if side.squared else 1
    slope = margins - 1.0 + ridge * alpha
    slope[(alpha == 0) & (slope > 0)] = 0.0
    full = (alpha == costs) & (alpha > 0) & (not side.squared)
    slope[full & (slope < 0)] = 0.0
    safe = costs * more**power
    products = safe + alpha * (margins - 1.0) + 0.5 * ridge * alpha * alpha
    sums = [costs * short**power, safe, alpha, alpha * lengths, 0.5 * ridge * alpha * alpha]
    counts = [live, alpha != 0, full]
    ends = (
        [margins[live].min(), slope[live].max(), slope[live].min(), products[live].max(), lengths[live].max()]
        if live.any()
        else [math.inf, -math.inf, math.inf, -math.inf, 0.0]
    )  # fmt: skip
    return np.array(
        [*(_sum(part) for part in sums), *(float(np.count_nonzero(part)) for part in counts)]
    ), np.array(ends)


def _joined(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    low, high = np.minimum(one[1], other[1]), np.maximum(one[1], other[1])
    return one[0] + other[0], np.array([low[0], high[1], low[2], high[3], high[4]])


def _beside(block: Block, side: Side, weights: Floats, kept: Floats, residual: float) -> int:
    signs, costs, alpha = _variables(block, side, weights)
    idle = (alpha == 0) & (costs > 0)
    return int(np.count_nonzero(idle & (_margins(block, kept, signs) <= 1.0 + residual + _NEAR)))
