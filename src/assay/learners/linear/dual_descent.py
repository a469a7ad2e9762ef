"""One binary problem of a linear support vector machine, through its dual, with what is proven of where it ends."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from assay.learners.common.rows import Rows
from assay.learners.linear.coordinate_descent import CoordinateDescent
from assay.record.margin import MarginRecord
from assay.types import Floats

# The spread of the gradients to which the dual is first solved; where the gap is then too wide, it is cut down
# within these bounds. The gap falls a little faster than the spread does.
_FIRST_SPREAD = 0.1
_LEAST_CUT, _MOST_CUT = 0.7, 0.01
_FALL = 0.7
_UNIT = 2.0**-53
# Examples so near the margin are taken to lie on it.
_NEAR = 1e-9


class DualDescent:
    """One binary problem: rows with labels of -1 and +1, and what the loss of each costs."""

    def __init__(
        self,
        rows: Rows,
        constant: float,
        signs: Floats,
        costs: Floats,
        squares: Floats,
        loss: str,
        seed: int,
    ) -> None:
        live = np.flatnonzero(costs > 0)
        self.rows, self.constant, self.signs, self.costs = rows, constant, signs, costs
        self.squares, self.squared = squares, loss == "squared_hinge"
        self.live = live
        n = len(signs)
        self.cap = np.full(n, np.inf) if self.squared else costs
        self.ridge = np.zeros(n)
        if self.squared:
            self.ridge[live] = 0.5 / costs[live]
        self.descent = CoordinateDescent(
            rows, constant, signs, self.cap, self.ridge, squares, live, seed
        )
        self.alpha, self.w, self.w0 = self.descent.alpha, self.descent.w, self.descent.w0

    def run(self, tolerance: float, most: int) -> MarginRecord:
        """Pass over the rows until the gap is a share `tolerance` of the objective, or so many passes are made."""
        spread, passes = _FIRST_SPREAD, 0
        while True:
            made, reached = self.descent.run(spread, most - passes)
            passes += made
            record = self._record(passes)
            done = record.gap <= tolerance * record.primal or record.residual == 0.0
            if done or passes >= most:
                return self._proven(record)
            if record.residual > 2 * spread:
                # Rows that were set aside have to move after all.
                self.descent.look_again(self.live[self.slope != 0])
                continue
            share = tolerance * record.primal / record.gap
            spread = min(reached, spread) * max(_MOST_CUT, min(_LEAST_CUT, share**_FALL))

    def _record(self, passes: int) -> MarginRecord:
        free = float(self.w0[0])
        square = float(self.w @ self.w) + free * free
        margins = self.signs * (self.rows.whole @ self.w + self.constant * free)
        self.margins = margins
        slack = np.maximum(0.0, 1.0 - margins)
        lost = slack * slack if self.squared else slack
        alpha = self.alpha
        slope = (margins - 1.0 + self.ridge * alpha)[self.live]
        own = alpha[self.live]
        slope[(own == 0) & (slope > 0)] = 0.0
        slope[(own == self.cap[self.live]) & (slope < 0)] = 0.0
        self.slope = slope
        # Where all slopes have one sign, it is zero that they should be near to.
        residual = float(slope.max(initial=0.0) - slope.min(initial=0.0))
        idle = (alpha == 0) & (self.costs > 0)
        dual = float(alpha.sum()) - 0.5 * (square + float(self.ridge @ (alpha * alpha)))
        return MarginRecord(
            rows=len(self.live),
            support=int(np.count_nonzero(alpha)),
            bounded=int(np.count_nonzero((alpha > 0) & (alpha == self.cap))),
            primal=0.5 * square + float(self.costs @ lost),
            dual=dual,
            residual=residual,
            norm=math.sqrt(square),
            least=float(margins[self.live].min()),
            steps=passes * len(self.live),
            passes=passes,
            beside=int(np.count_nonzero(idle & (margins <= 1.0 + residual + _NEAR))),
        )

    def _proven(self, record: MarginRecord) -> MarginRecord:
        """The record with what rounding may hide, and with the dual of the weights that the variables stand for.

        The descent adds to its weights example by example, so they are these up to rounding.
        """
        alpha, signed = self.alpha, self.alpha * self.signs
        lengths = np.sqrt(self.squares)
        n, width = len(alpha), self.rows.width + 16
        meant = math.hypot(
            float(np.linalg.norm(self.rows.whole.T @ signed)), self.constant * float(signed.sum())
        )
        meant = (meant + 2 * (n + 16) * _UNIT * float(alpha @ lengths)) * (1 + width * _UNIT)
        prices = 0.5 * float(self.ridge @ (alpha * alpha))
        total = float(alpha.sum())
        dual = total - 0.5 * meant**2 - prices
        # Scores err by a unit for each feature, sums by one for each example.
        doubt = 2 * width * _UNIT * lengths * record.norm
        lost = np.maximum(0.0, 1.0 - self.margins + doubt)
        lost = self.costs * (lost * lost if self.squared else lost)
        primal = 0.5 * record.norm**2 * (1 + width * _UNIT) + float(lost.sum())
        noise = 2 * (n + 16) * _UNIT * (primal + total + meant**2 + prices)
        terms = lost + alpha * (self.margins - 1.0) + 0.5 * self.ridge * alpha * alpha
        return replace(
            record,
            slack=max(0.0, float(terms[self.live].max())),
            rounding=max(0.0, primal - dual + noise - record.gap),
            floor=max(0.0, dual - noise),
            radius=float(lengths[self.live].max()) * (1 + 1e-12),
        )
