"""Logistic regression over blocks of rows: its mean objective, and the proof of how near to the least it is.

Of two classes the first has scores of zero, and only the second has weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import entr

from assay.compiled.common.either_rows import row_squares
from assay.compiled.linear.block_sums import block_scores, pulled_by, weighted_products
from assay.compiled.linear.soft_losses import entropies, soft_losses
from assay.errors import BadData
from assay.learners.common.blocks import Block, Blocks
from assay.learners.linear.damped_newton import State
from assay.learners.linear.logistic_dual import UNIT, balanced, mixture_of
from assay.learners.linear.logistic_problem import FLAT
from assay.types import Floats


class Costs(NamedTuple):
    """What the loss of a row costs: its own weight times that of its class."""

    each: Floats

    def of(self, block: Block) -> Floats:
        """Those of the rows of a block, whose labels are places of classes."""
        costs = self.each[block.y]
        return costs if block.weights is None else costs * block.weights


class BlockObjective:
    """The smooth part of the mean objective, as `MeanObjective` is for a table.

    Attributes
    ----------
    classes : int
    costs : Costs
        They sum to one.
    penalty, sizes, free
        As in `MeanObjective`.
    """

    def __init__(
        self,
        blocks: Blocks,
        classes: int,
        costs: Costs,
        *,
        penalty: float,
        sizes: float,
        free: bool,
    ) -> None:
        self.blocks, self.classes, self.costs = blocks, classes, costs
        self.penalty, self.sizes, self.free = penalty, sizes, free
        self._problems = 1 if classes == 2 else classes
        self._width = blocks.width

    @property
    def size(self) -> int:
        """How many numbers are sought."""
        return self._problems * (self._width + int(self.free))

    def each(self, amount: float) -> Floats:
        """The same amount for every weight, and zero for intercepts."""
        amounts = np.full((self._problems, self._width + int(self.free)), amount)
        amounts[:, self._width :] = 0.0
        return amounts.ravel()

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """The objective and its gradient."""
        value, gradient, _ = self.at(weights)
        return value, gradient

    def parted(self, weights: Floats) -> tuple[Floats, Floats]:
        """Weights and intercepts, a row for each problem."""
        parts = weights.reshape(self._problems, -1)
        free = parts[:, self._width] if self.free else np.zeros(self._problems)
        return np.ascontiguousarray(parts[:, : self._width]), np.array(free)

    def at(self, weights: Floats) -> State:
        """The objective, its gradient, and the weights, of which its curvature is made."""
        w, free = self.parted(weights)
        value, pulled, sums = self.blocks.total(_sloped, self.costs, w, free)
        gradient = np.empty((self._problems, self._width + int(self.free)))
        gradient[:, : self._width] = pulled + self.penalty * w
        gradient[:, self._width :] = sums[:, None][:, : int(self.free)]
        return value + 0.5 * self.penalty * float((w * w).sum()), gradient.ravel(), weights

    def curvature(self, weights: Floats) -> Floats:
        """The Hessian at these weights."""
        w, free = self.parted(weights)
        bent = self.blocks.total(_curved, self.costs, w, free, self.free)
        many, each = self._problems, self._width + int(self.free)
        hessian = np.empty((many, each, many, each))
        for k in range(many):
            for j in range(k + 1):
                lower = bent[k * (k + 1) // 2 + j]
                hessian[k, :, j] = hessian[j, :, k] = lower + np.tril(lower, -1).T
        square = hessian.reshape(self.size, self.size)
        ridge = np.full((many, each), self.penalty or FLAT)
        if self.free:
            # All intercepts of several classes may rise together and nothing changes.
            ridge[:, self._width] = FLAT if many > 1 else 0.0
        square.flat[:: self.size + 1] += ridge.ravel()
        return square


def _chances(block: Block, w: Floats, free: Floats) -> tuple[Floats, Floats]:
    """The probabilities of all classes, and what the right one costs."""
    many = len(w)
    scores = np.empty((len(block), many))
    block_scores(block.X, w, free, scores)
    if many == 1:
        scores = np.column_stack([np.zeros(len(block)), scores[:, 0]])
    chances, losses = np.empty_like(scores), np.empty(len(block))
    soft_losses(scores, block.y, chances, losses)
    return chances, losses


def _weighed(numbers: Floats, costs: Floats) -> Floats:
    """The sums of the columns of some numbers, or of a vector, times the costs."""
    columns = np.ascontiguousarray(numbers.reshape(len(costs), -1))
    sums = np.zeros((1, columns.shape[1]))
    pulled_by(columns, costs[:, None], sums)
    return np.asarray(sums[0])


def _pull(chances: Floats, block: Block, costs: Floats) -> Floats:
    """What each row pulls each problem by."""
    pull = chances.copy()
    pull[np.arange(len(block)), block.y] -= 1.0
    pull *= costs[:, None]
    return np.ascontiguousarray(pull[:, 1:]) if pull.shape[1] == 2 else pull


def _sloped(block: Block, shares: Costs, w: Floats, free: Floats) -> tuple[float, Floats, Floats]:
    """The loss of a block, and what it pulls weights and intercepts by."""
    costs = shares.of(block)
    chances, losses = _chances(block, w, free)
    pull, pulled = _pull(chances, block, costs), np.zeros_like(w)
    pulled_by(block.X, pull, pulled)
    return float(_weighed(losses, costs)[0]), pulled, _weighed(pull, np.ones(len(block)))


def _curved(block: Block, shares: Costs, w: Floats, free: Floats, constant: bool) -> Floats:
    """The curvature of a block, for each pair of problems."""
    costs, width = shares.of(block), block.X.shape[1]
    chances, _ = _chances(block, w, free)
    chances = chances[:, 1:] if len(w) == 1 else chances
    many, each = len(w), width + int(constant)
    bent = np.zeros((many * (many + 1) // 2, each, each))
    products, pulled = np.zeros((width, width)), np.zeros((1, width))
    for k in range(many):
        for j in range(k + 1):
            bend = costs * (chances[:, k] * (float(k == j) - chances[:, j]))
            products[:], pulled[:] = 0.0, 0.0
            weighted_products(block.X, bend, products)
            lower = bent[k * (k + 1) // 2 + j]
            lower[:width, :width] = products
            if constant:
                pulled_by(block.X, bend[:, None], pulled)
                lower[width, :width] = pulled[0]
                lower[width, width] = _weighed(bend, np.ones(len(block)))[0]
    return bent


def block_proof(
    blocks: Blocks, classes: int, costs: Costs, coef: Floats, free: Floats, *, constant: bool
) -> Floats:
    """The objective, the squared norm of the dual weights and the sum of the conjugates, as `dual_proof` has them."""
    terms, width = blocks.most, blocks.width
    ends = (float(np.linalg.norm(coef, axis=1).max()), float(np.abs(free).max()))
    total, sums, owned, reach = blocks.total(_costly, costs, coef, free, classes, ends)
    objective = total + 0.5 * float((coef * coef).sum())
    objective *= 1 + 2 * (terms + width + 32) * UNIT
    apart = 8 * classes * UNIT
    share, level = 0.0, np.zeros(classes)
    if constant:
        share, level = mixture_of(sums, owned, terms)
        apart += 8 * terms * UNIT
    pulled, entropy = blocks.total(_conjugate, costs, coef, free, share, level)
    moved = (apart + 2 * (terms + 16) * UNIT) * reach * math.sqrt(classes)
    square = (float(np.linalg.norm(pulled)) + moved) ** 2 * (1 + 1e-12)
    # Entropy moves by no more than that of the distance.
    noise = classes * float(owned.sum()) * (2 * float(entr(apart)) + apart)
    return np.array([objective, square, noise - entropy * (1 - 2 * (terms + 32) * UNIT)])


def _costly(
    block: Block, shares: Costs, w: Floats, free: Floats, classes: int, ends: tuple[float, float]
) -> tuple[float, Floats, Floats, float]:
    """The losses from above, the probabilities and the costs of each class, and the lengths of the rows."""
    costs = shares.of(block)
    chances, losses = _chances(block, w, free)
    lengths = np.sqrt(row_squares(block.X))
    # Scores err by a unit for each feature, and a loss by no more than twice that.
    off = 2 * (block.X.shape[1] + 16) * UNIT * (lengths * ends[0] + ends[1])
    total, reach = _weighed(losses + 2 * off, costs)[0], _weighed(lengths, costs)[0]
    owned = np.zeros((len(block), classes))
    owned[np.arange(len(block)), block.y] = 1.0
    return float(total), _weighed(chances, costs), _weighed(owned, costs), float(reach)


def _conjugate(
    block: Block, shares: Costs, w: Floats, free: Floats, share: float, level: Floats
) -> tuple[Floats, float]:
    """The dual weights, and the entropy of the probabilities."""
    costs = shares.of(block)
    chances, _ = _chances(block, w, free)
    if share:
        chances = np.ascontiguousarray(balanced(chances, share, level))
    pulled, entropy = np.zeros_like(w), np.empty(len(block))
    pulled_by(block.X, _pull(chances, block, costs), pulled)
    entropies(chances, entropy)
    return pulled, float(_weighed(entropy, costs)[0])


def losses_of_blocks(blocks: Blocks, w: Floats, free: Floats) -> float:
    """The sum of the losses, without any weights of the rows."""
    total: float = blocks.total(_unweighed_losses, w, free)
    return total


def _unweighed_losses(block: Block, w: Floats, free: Floats) -> float:
    _, losses = _chances(block, w, free)
    return float(_weighed(losses, np.ones(len(block)))[0])


def with_constant(blocks: Blocks, constant: float) -> Blocks:
    """The blocks with one more feature, which is the same everywhere and stands last."""
    return blocks.map(_with_constant, constant, width=blocks.width + 1)


def _with_constant(block: Block, constant: float) -> Block:
    X = np.column_stack([block.X, np.full(len(block), constant)])
    return Block(block.first, X, block.y, block.weights)


def require_weighed(heavy: Floats) -> None:
    """Refuse weights that leave rows of one class, or of none."""
    if np.count_nonzero(heavy) < 2:
        raise BadData(
            "sample_weight must leave rows of at least two classes, but leaves "
            f"{'one class' if heavy.any() else 'none'}."
        )


def heavy_of(block: Block, classes: int) -> Floats:
    """How much the rows of each class weigh together."""
    owned = np.zeros((len(block), classes))
    owned[np.arange(len(block)), block.y] = 1.0
    return _weighed(owned, np.ones(len(block)) if block.weights is None else block.weights)
