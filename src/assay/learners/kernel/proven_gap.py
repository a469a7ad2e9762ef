r"""The duality gap of a machine, from above, whatever precision its search was in.

The gap is a sum over the examples of :math:`C_iV(f_i)+\sum\beta\,(f_i-t)`, over the variables of each, and none of its
terms is negative. Most are zero: those of examples right with room to spare, and of examples at their bound on the
wrong side of the margin. Where kernel values were kept in single precision, the scores of those examples alone whose
term may be above zero are computed again in double precision. Support vectors between their bounds can be left for
later: a classifier has all that this takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.kernels import Gaussian, Kernel, Linear, Precomputed
from assay.learners.kernel.dual_search import Dual, Optimum
from assay.learners.kernel.gram import Gram, scores
from assay.types import Floats, Ints

_UNIT = 2.0**-53
_SINGLE = 2.0**-24


@dataclass(frozen=True)
class ProvenGap:
    """How far a machine is from the best one.

    Attributes
    ----------
    excess : float
        What its objective is above the least possible, rounded up; infinite where a hard margin is none.
    slack : float
        The largest term.
    floor : float
        The dual value, rounded down: no machine's objective is below it.
    settled : float
        What the excess is without the terms of support vectors between their bounds.
    """

    excess: float
    slack: float
    floor: float
    settled: float = 0.0


def proven_gap(
    dual: Dual,
    best: Optimum,
    gram: Gram,
    bias: float,
    losses: Callable[[Floats], Floats],
    caps: Floats,
    *,
    later: bool = False,
) -> ProvenGap:
    """The gap of a machine with its bias, which the penalty leaves out.

    The weights of the losses are `caps`; where they are infinite, the machine is meant scaled to a margin of one.
    Support vectors between their bounds may be left for `later`.
    """
    single = gram.dtype == np.float32
    weights = np.bincount(dual.row, best.beta, minlength=len(gram)).astype(np.float64, copy=False)
    some = np.flatnonzero(weights)
    f, doubt = best.scores + bias, score_doubt(gram, weights, single=single)
    moved = _sum_doubt(dual, best, bias, gram)

    def floor() -> float:
        known = _dual_value(dual, best, weights[some], f[some] - bias, doubt[some])
        return max(0.0, known - moved - abs(bias * _rest(best)))

    if not np.isfinite(caps).all():
        if len(dual.target) != len(
            gram
        ):  # of numbers: no scale takes the differences within the tube
            return ProvenGap(math.inf, math.inf, floor())
        return _hard(dual, best, f, doubt, moved, floor())
    goal = np.bincount(dual.row, best.beta * dual.target, minlength=len(gram))
    size = np.abs(dual.target).max(initial=0.0) + np.abs(f)
    noise = 16 * _UNIT * ((caps + np.abs(weights)) * size + np.abs(goal))

    def terms(at: Floats, rows: Any = slice(None)) -> Floats:
        return np.asarray((caps * losses(at) + weights * at - goal)[rows])

    def worst(rows: Any = slice(None)) -> Floats:
        """A term is convex in the score, so it is largest at an end of where the score may be."""
        with np.errstate(invalid="ignore"):  # where nothing is known of a score, nor is of its term
            ends = np.maximum(terms(f - doubt, rows), terms(f + doubt, rows))
        return np.where(np.isnan(ends), np.inf, ends)

    unsure = np.flatnonzero(worst() > noise)
    between = (weights != 0) & (np.abs(weights) < caps)
    again = unsure[~between[unsure]] if later else unsure
    if single and again.size:
        f[again] = _in_double(gram.kernel, gram.X, again, some, weights[some]) + bias
        doubt[again] = score_doubt(gram, weights, single=False)[again]
    left = np.maximum(worst(unsure), 0.0)
    settled = math.fsum(left[~between[unsure]].tolist()) + float(noise.sum()) + moved
    total = settled + math.fsum(left[between[unsure]].tolist())
    slack = float(np.maximum(terms(f, unsure), 0.0).max(initial=0.0))
    return ProvenGap(total * (1 + 1e-12), slack, floor(), settled * (1 + 1e-12))


def free_terms(
    kernel: Kernel, vectors: Any, beta: Floats, bias: float, price: float, squares: Floats
) -> float:
    """The terms of a classifier's support vectors between their bounds, in double precision, summed up from above.

    No bound is above the price.
    """
    free = np.flatnonzero(np.abs(beta) < price)
    everything = np.arange(len(beta))
    f = _in_double(kernel, vectors, free, everything, beta) + bias
    lengths = np.sqrt(np.maximum(squares, 0.0))
    doubt = (len(beta) + 16) * 4 * _UNIT * lengths[free] * _sum(lengths, np.abs(beta))
    alpha, margins = np.abs(beta[free]), np.sign(beta[free]) * f
    over, short = margins - 1 + doubt, 1 - margins + doubt
    terms = np.maximum(alpha * np.maximum(over, 0.0), (price - alpha) * np.maximum(short, 0.0))
    return math.fsum(terms.tolist()) * (1 + 1e-12)


def score_doubt(gram: Gram, weights: Floats, *, single: bool) -> Floats:
    """How far a score can be from the sum of true kernel values, for every example.

    A sum of m values errs by m units of its terms. In single precision the values err too: a product of d features by
    d units, and the exponential of one as much. Double precision values are taken for true.
    """
    lengths = np.sqrt(np.maximum(gram.diagonal, 0.0))
    share = np.abs(weights)
    doubt = (np.count_nonzero(share) + 16) * 4 * _UNIT * lengths * _sum(lengths, share)
    if not single:
        return doubt
    kernel, X = gram.kernel, gram.X
    dense = not sparse.issparse(X)
    if dense and type(kernel) is Gaussian:
        rows = X - np.mean(X, axis=0, dtype=np.float64)
        far = 2 * kernel.gamma * np.einsum("ij,ij->i", rows, rows)
        units = (X.shape[1] + 8) * (far * share.sum() + _sum(far, share)) + 16 * share.sum()
    elif dense and type(kernel) is Linear:
        units = (X.shape[1] + 8) * lengths * _sum(lengths, share)
    elif isinstance(kernel, Precomputed) or X.dtype != np.float32:  # computed in double precision
        units = 2 * lengths * _sum(lengths, share)
    else:  # a kernel of single precision rows, computed as it likes
        return np.full(len(doubt), np.inf)
    return np.asarray(doubt + _SINGLE * (1 + 1e-6) * units)


def _in_double(kernel: Kernel, X: Any, rows: Ints, some: Ints, weights: Floats) -> Floats:
    """The scores of some examples, without the bias, from kernel values in double precision."""
    if isinstance(kernel, Precomputed):
        return np.asarray(X[rows][:, some].astype(np.float64) @ weights).ravel()
    near, far = (
        part.astype(np.float64, copy=False) if part.dtype == np.float32 else part
        for part in (X[rows], X[some])
    )
    return scores(kernel, near, far, weights[None])[:, 0]


def _sum(one: Floats, other: Floats) -> float:
    """The product of two vectors, without a library whose threads would have to be woken for so little."""
    return float((one * other).sum())


def _rest(best: Optimum) -> float:
    """The sum of the variables: zero up to rounding."""
    return math.fsum(best.beta[best.beta != 0].tolist())


def _sum_doubt(dual: Dual, best: Optimum, bias: float, gram: Gram) -> float:
    """What it costs to move one variable so that the sum of all is zero."""
    rest = _rest(best)
    if not rest:
        return 0.0
    room = best.beta - dual.lower if rest > 0 else dual.upper - best.beta
    v = dual.target - best.scores[dual.row] - bias
    reach = float(np.abs(v[room >= abs(rest)]).min(initial=math.inf))
    return abs(rest) * (reach + abs(rest) * float(gram.diagonal.max(initial=0.0)))


def _dual_value(dual: Dual, best: Optimum, weights: Floats, scores: Floats, doubt: Floats) -> float:
    """The value of the dual, rounded down; the scores are those of the support vectors."""
    gains = dual.target * best.beta
    square = max(0.0, _sum(weights, scores)) + _sum(np.abs(weights), doubt)
    noise = (len(gains) + 16) * 2 * _UNIT * (float(np.abs(gains).sum()) + square)
    return float(gains.sum()) - 0.5 * square - noise


def _hard(
    dual: Dual, best: Optimum, f: Floats, doubt: Floats, moved: float, floor: float
) -> ProvenGap:
    """Every example has margin one for the machine divided by its least score; the dual is that of the search."""
    y, alpha = dual.target, np.abs(best.beta)
    least = float((y * f - doubt).min())
    if not least > 0:
        return ProvenGap(math.inf, math.inf, floor)
    square = (_sum(best.beta, best.scores) + _sum(alpha, doubt)) * (1 + 1e-15 * len(y))
    slack = float((alpha * np.maximum(0.0, y * f - 1)).max(initial=0.0))
    excess = max(0.0, square / (2 * least**2) - floor)
    return ProvenGap(excess * (1 + 1e-12) + moved, slack, floor)
