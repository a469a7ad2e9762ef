"""Least squares over blocks of rows: normal equations that are added up, and what a solution leaves of them.

The products of the features carry the square of the condition of the rows, and so would a solution of them alone. But
it is refined: what it leaves of the equations is computed from the rows again, and solved for once more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from assay.compiled.linear.block_sums import block_scores, pulled_by, weighted_products
from assay.errors import BadData
from assay.learners.common.blocks import Block, Blocks
from assay.learners.linear.normal_equations import SLACK, length_of, lost
from assay.types import Bools, Floats

# A column that varies by less than this share of its size is taken to be the same everywhere.
_FLAT = 1e-14
# How often the rows are asked what a solution leaves; and where rounding is nearly all of it, it is not refined.
_LOOKS, _NEAR = 4, 4.0


@dataclass(frozen=True)
class Equations:
    """What blocks of rows add up to.

    Attributes
    ----------
    total : float
        The sum of the weights.
    means, heights : array
        The means of features and targets, or zeros where there is no intercept.
    products : array of shape (d, d)
        Z'SZ, the rows of Z being those of X less their means.
    pulled : array of shape (t, d)
        Z'S(y - heights).
    share : float
        How far any product may be off, as a share of the lengths of its two columns.
    flat : array of bool
        Which columns do not vary.
    """

    total: float
    means: Floats
    heights: Floats
    products: Floats
    pulled: Floats
    share: float
    flat: Bools

    @property
    def doubt(self) -> float:
        """How far any eigenvalue of the products may be from where it was without rounding."""
        return self.share * float(self.products.diagonal().sum())

    @classmethod
    def of(cls, blocks: Blocks, targets: int, *, centred: bool) -> Equations:
        """Those of a sample, in two passes."""
        width = blocks.width
        total, sums, square_sums, highs = blocks.total(_means_of_block)
        if not total > 0:
            raise BadData("sample_weight must be above zero for some row.")
        means = sums / total if centred else np.zeros(width)
        heights = highs / total if centred else np.zeros(targets)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            products, pulled, drift, off = blocks.total(_products_of_block, means, heights)
            products = products + np.tril(products, -1).T
            if centred:
                products -= np.outer(drift, drift) / total
                pulled -= np.outer(off, drift) / total
        if not (np.isfinite(products).all() and np.isfinite(pulled).all()):
            raise BadData("The squares of X or y overflow. Divide them by a large number.")
        diagonal = products.diagonal()
        share = lost(blocks.most + 8) * SLACK
        flat = diagonal <= _FLAT**2 * square_sums
        return cls(float(total), means, heights, products, pulled, share, flat)


def _weights_of(block: Block) -> Floats:
    return np.ones(len(block)) if block.weights is None else block.weights


def _means_of_block(block: Block) -> tuple[float, Floats, Floats, Floats]:
    """The sum of weights, those of features and their squares, and of targets."""
    weights = _weights_of(block)
    X, column = block.X, weights[:, None]
    sums, squares = np.zeros((1, X.shape[1])), np.zeros((1, X.shape[1]))
    heights = np.zeros((1, block.y.shape[1]))
    pulled_by(X, column, sums)
    with np.errstate(over="ignore"):
        pulled_by(X * X, column, squares)
    pulled_by(block.y, column, heights)
    return float(weights.sum()), sums[0], squares[0], heights[0]


def _products_of_block(
    block: Block, means: Floats, heights: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    weights, width = _weights_of(block), block.X.shape[1]
    Z, rest = block.X - means, weights[:, None] * (block.y - heights)
    products, pulled = np.zeros((width, width)), np.zeros((rest.shape[1], width))
    drift, off = np.zeros((1, width)), np.zeros((1, rest.shape[1]))
    weighted_products(Z, weights, products)
    pulled_by(Z, rest, pulled)
    pulled_by(Z, weights[:, None], drift)
    pulled_by(rest, np.ones((len(block), 1)), off)
    return products, pulled, drift[0], off[0]


class Solver:
    """Solves the equations, every feature being measured in its own size, so that units do not matter.

    Attributes
    ----------
    rank : int
        How many directions the rows have, those that rounding may have made not counted.
    singular : array
        The singular values of the rows, from below.
    """

    def __init__(self, equations: Equations) -> None:
        products, doubt = equations.products, equations.doubt
        sizes, width = products.diagonal(), len(products)
        unit = float(np.finfo(np.float64).eps)
        self._products, self._sizes = products, sizes
        live = np.flatnonzero(~equations.flat)
        self._scales = np.zeros(width)
        self._scales[live] = 1.0 / np.sqrt(sizes[live])
        scaled = products * self._scales * self._scales[:, None]
        values, vectors = linalg.eigh(scaled, check_finite=False)
        # In these units every product is off by the same share of one at most, and so is a sum of squares of them.
        unsure = max(1, len(live)) * (equations.share + 10 * unit * SLACK)
        kept = values > 2 * unsure
        self.rank = int(np.count_nonzero(kept))
        self._values, self._vectors = values[kept], vectors[:, kept]
        # Weights may move along these without a change; the shortest have no part of them.
        lost_directions = self._scales[:, None] * vectors[:, ~kept]
        self._same = linalg.orth(lost_directions[live]) if len(live) else np.zeros((0, 0))
        self._live = live
        own = linalg.eigvalsh(products, check_finite=False)[::-1]
        below = np.maximum(own - doubt - 10 * width * unit * float(own[0]), 0.0)
        if self.rank:
            least = (self._values[0] - unsure) * float(sizes[live].min()) * (1 - 1e-9)
            below[: self.rank] = np.maximum(below[: self.rank], least)
        self.singular = np.sqrt(below)

    def solve(self, right: Floats, penalties: Floats) -> Floats:
        """One row of weights for each target; without a penalty the shortest."""
        return np.array(
            [
                self._shortest(row) if penalty == 0.0 else self._shrunk(row, penalty)
                for row, penalty in zip(right, penalties, strict=True)
            ]
        )

    def _shortest(self, right: Floats) -> Floats:
        part = self._vectors.T @ (self._scales * right) / self._values
        weights = np.asarray(self._scales * (self._vectors @ part))
        weights[self._live] -= self._same @ (self._same.T @ weights[self._live])
        return weights

    def _shrunk(self, right: Floats, penalty: float) -> Floats:
        scales = 1.0 / np.sqrt(self._sizes + penalty)
        system = self._products * scales * scales[:, None]
        system.flat[:: len(system) + 1] = 1.0
        try:
            factor = linalg.cho_factor(system, check_finite=False)
        except linalg.LinAlgError:  # rounding is larger than the penalty
            return self._shortest(right)
        return np.asarray(scales * linalg.cho_solve(factor, scales * right, check_finite=False))


@dataclass(frozen=True)
class LeftOver:
    """What weights leave of the equations, for each target.

    Attributes
    ----------
    slope : array of shape (t, d)
        The gradient as computed.
    mean : array of shape (t,)
        The mean of the residuals.
    gradient : array of shape (t,)
        The length of the gradient, from above.
    offset : array of shape (t,)
        What a better intercept would save, from above.
    rounding : array of shape (t,)
        How much of `gradient` may be rounding.
    """

    slope: Floats
    mean: Floats
    gradient: Floats
    offset: Floats
    rounding: Floats


def left_of(
    blocks: Blocks,
    equations: Equations,
    coef: Floats,
    free: Floats,
    penalties: Floats,
    *,
    centred: bool,
) -> LeftOver:
    """What weights and intercepts leave of the equations, in one pass over the rows.

    With z = x - c for any c, and residuals r, the gradient of the centred sum of squares is
    sum s z r - (sum s z)(sum s r) / (sum s): where c is near the means and the intercept near its best, the second
    term is next to nothing, and the whole size of it is counted as doubt.
    """
    terms = (coef, free, equations.means, blocks.most)
    pulled, sway, r_sum, r_doubt, z_sum, z_size = blocks.total(_left_of_block, *terms)
    total = equations.total
    offset = np.zeros(len(coef))
    shrunk = penalties[:, None] * coef
    slope = pulled - shrunk
    doubt = sway + lost(2) * (np.abs(pulled) + np.abs(shrunk))
    if centred:
        far = np.abs(r_sum) + r_doubt
        offset = far**2 / total * SLACK
        aside = (np.abs(z_sum) + lost(blocks.most + 4) * z_size)[None, :] * far[:, None] / total
        doubt = doubt + aside * SLACK
    gradient = length_of((np.abs(slope) + doubt).T)
    return LeftOver(slope, r_sum / total, gradient, offset, length_of(doubt.T))


def _left_of_block(
    block: Block, coef: Floats, free: Floats, means: Floats, most: int
) -> tuple[Floats, ...]:
    (n, d), t = block.X.shape, len(coef)
    column = _weights_of(block)[:, None]
    fitted, sizes = np.empty((n, t)), np.empty((n, t))
    block_scores(block.X, coef, free, fitted)
    block_scores(np.abs(block.X), np.abs(coef), np.abs(free), sizes)
    r = block.y - fitted
    off = lost(d + 3) * (np.abs(block.y) + sizes)
    Z = block.X - means
    sized = np.abs(Z)
    pulled, sway = np.zeros((t, d)), np.zeros((t, d))
    r_sum, r_doubt = np.zeros((1, t)), np.zeros((1, t))
    z_sum, z_size = np.zeros((1, d)), np.zeros((1, d))
    pulled_by(Z, column * r, pulled)
    pulled_by(sized, column * (off + lost(most + 6) * np.abs(r)), sway)
    pulled_by(r, column, r_sum)
    pulled_by(off + lost(most + 4) * np.abs(r), column, r_doubt)
    pulled_by(Z, column, z_sum)
    pulled_by(sized, column, z_size)
    return pulled, sway, r_sum[0], r_doubt[0], z_sum[0], z_size[0]


def refined(
    blocks: Blocks, equations: Equations, solver: Solver, penalties: Floats, *, centred: bool
) -> tuple[Floats, Floats, LeftOver]:
    """Weights and intercepts, one row for each target, refined as long as that helps; and what they leave."""
    coef = solver.solve(equations.pulled, penalties)
    free = equations.heights - coef @ equations.means
    best = left_of(blocks, equations, coef, free, penalties, centred=centred)
    for _ in range(_LOOKS - 1):
        if (best.gradient <= _NEAR * best.rounding).all():
            break
        closer = coef + solver.solve(best.slope, penalties)
        nearer = free
        if centred:
            nearer = free + best.mean - (closer - coef) @ equations.means
        left = left_of(blocks, equations, closer, nearer, penalties, centred=centred)
        if not left.gradient.sum() < 0.5 * best.gradient.sum():
            break
        coef, free, best = closer, nearer, left
    return coef, free, best
