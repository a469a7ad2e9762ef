"""The separator of largest margin, exactly and with its proof, for as many rows as there are.

A few rows hold the widest margin up. They are found by working sets: solve for some rows to the last digits,
look at all rows in blocks for those that lie too near, add them, and solve again. The vector found proves
that the margin is no smaller; the weights of the rows that hold it prove that none is larger.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData, require
from assay.learners.common.rows import Rows
from assay.learners.search.comparator_search import ComparatorSearch
from assay.learners.search.nearest_point import by_interior_points, by_least_squares, polished
from assay.types import Floats, Ints

_BLOCK_CELLS = 4_000_000  # numbers looked at together in a scan
_SAMPLE = 4_000  # rows of the first, rough search
_SAMPLE_WORK = 20_000_000
_EXACT_SIZE = 6_000  # up to so many rows are solved exactly; more by descent
_NNLS_SIZE = 600  # up to so many features or rows, one row at a time joins
_INTERIOR_SIZE = 2_500  # up to so many, all of them at once; beyond, by descent
_FINE = 1e-11
_MOST_ADDED = 1_000
_SLACK = 1e-14  # a few roundings
_EPS = 2.0**-52


@dataclass(frozen=True)
class MaxMargin:
    """The widest margin on some examples, between two numbers that are proved.

    Attributes
    ----------
    margin : float or None
        Every example has ``y <u, x> >= margin`` for the unit vector u along `vector`; rounded down. None
        when no separator was found; there is none that doubles could tell if the ceiling is next to zero.
    ceiling : float
        No unit vector has a larger margin: a mean of the supporting examples, each times its label, is no
        longer than that. Rounded up.
    vector : array or None
        The separator, scaled so that the smallest ``y <vector, x>`` is one; the weight of the constant
        feature stands last, where there is one.
    support : array of int
        The rows that hold the margin up.
    weights : array
        Their shares in that mean, above zero, with a sum of one.
    radius : float
        The length of the longest example, the constant feature included; rounded up.
    scans : int
        How often all rows were looked at.
    """

    margin: float | None
    ceiling: float
    vector: Floats | None
    support: Ints
    weights: Floats
    radius: float
    scans: int

    @property
    def gap(self) -> float:
        """How far the ceiling lies above the margin, as a share of the ceiling; one without a margin."""
        return 1.0 if self.margin is None else 1.0 - self.margin / self.ceiling

    @property
    def separable(self) -> bool:
        """Whether a separator was found."""
        return self.margin is not None


def max_margin(
    X: Any, y: Any, *, constant: float = 0.0, tolerance: float = 1e-9, most_scans: int = 500
) -> MaxMargin:
    r"""The separator :math:`\arg\max_{\|u\|=1}\min_iy_i\,u\cdot x_i` of largest margin.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_features)
        The examples, such as an array that lies in a file and is mapped into memory.
    y : array of shape (n_rows,)
        Labels -1 and +1.
    constant : float, default=0
        The value of a constant feature that every example has besides; 0 for separators through the origin.
    tolerance : float, default=1e-9
        The search ends when margin and ceiling differ by no more than this share.
    most_scans : int, default=500
        It also ends after so many looks at all rows; the numbers found are valid then, too.

    Returns
    -------
    MaxMargin
        The margin with its witness, and a ceiling that no separator's margin exceeds, with its proof.

    Examples
    --------
    >>> from assay import max_margin
    >>> from assay.data.synthetic.separable import separable
    >>> data = separable(10_000, 5, margin=0.25, random_state=3)
    >>> widest = max_margin(data.X, data.y)
    >>> round(widest.margin, 9), widest.gap < 1e-9
    (0.25, True)
    """
    rows, signs = _read(X, y)
    require(math.isfinite(constant), "constant", "a finite number", constant)
    require(0 < tolerance < 1, "tolerance", "a number strictly between 0 and 1", tolerance)
    require(most_scans >= 1, "most_scans", "at least 1", most_scans)
    return MarginSearch(rows, signs, float(constant)).run(tolerance, most_scans)


def _read(X: Any, y: Any) -> tuple[Rows, Floats]:
    whole = sparse.csr_matrix(X) if sparse.issparse(X) else np.asarray(X)
    require(whole.ndim == 2, "X", "a table of rows", whole.shape)
    if whole.dtype not in (np.float32, np.float64):
        whole = whole.astype(np.float64)
    signs = np.asarray(y, dtype=np.float64)
    if signs.shape != (whole.shape[0],) or not whole.shape[0]:
        raise BadData(f"X has {whole.shape[0]} rows, and y has the shape {signs.shape}.")
    wrong = np.flatnonzero(np.abs(signs) != 1)
    if wrong.size:
        place = int(wrong[0])
        raise BadData(f"Labels must be -1 or +1, but row {place} has {signs[place]:g}.")
    return Rows.of(whole), signs


class MarginSearch:
    """Working sets over one table.

    Parameters
    ----------
    rows : Rows
    signs : array
        Labels -1 and +1.
    constant : float
        The constant feature.
    least : float
        The search also ends where no margin of so much is possible.
    """

    def __init__(self, rows: Rows, signs: Floats, constant: float, least: float = 0.0) -> None:
        self.rows, self.signs, self.constant, self.least = rows, signs, constant, least
        self.width = rows.width + (constant != 0.0)
        squares = self._squares() + constant**2
        if not np.isfinite(squares).all():
            raise BadData(*rows.bad_cell(int(np.flatnonzero(~np.isfinite(squares))[0])), ".")
        rounded = 1 + (self.width + 10) * _EPS
        self.radius = math.sqrt(float(squares.max())) * rounded
        # How far rounding can take the score of a unit vector from its true value.
        self.noise = (self.width + 10) * _EPS * self.radius
        # How many rows join the working set at a time.
        self.most = min(max(64, 2 * self.width), _MOST_ADDED, len(signs) - 1)
        self.scans = 0
        # The best proofs so far: a vector and its margin, a mean of examples and its length.
        self.margin, self.vector = 0.0, np.zeros(self.width)
        nearest = int(squares.argmin())
        self.ceiling = math.sqrt(float(squares[nearest])) * rounded
        self.proof = (np.array([nearest]), np.ones(1))

    def run(self, tolerance: float, most_scans: int) -> MaxMargin:
        """Look for the widest margin until it is known to a share."""
        places = self._first()
        while self.scans < most_scans and self.ceiling > max(self.noise, self.least):
            w, alpha = self._solved(places, tolerance)
            if not w.any():
                break
            scores = self._scores(w)
            self._note(w, scores)
            if self.ceiling - self.margin <= tolerance * self.ceiling:
                break
            fresh = self._nearest(scores, places, 1 - tolerance / 10)
            if not fresh.size:
                break  # what is left between the two numbers is rounding
            if len(places) > _EXACT_SIZE // 2:
                places = places[alpha > 0]
            places = np.concatenate([places, fresh])
        separable = self.margin > 0
        return MaxMargin(
            margin=min(self.margin, self.ceiling) if separable else None,
            ceiling=self.ceiling,
            vector=self.vector if separable else None,
            support=self.proof[0],
            weights=self.proof[1],
            radius=self.radius,
            scans=self.scans,
        )

    def _first(self) -> Ints:
        """Rows to begin with: the nearest ones to a separator of a sample, found by rough descent."""
        n = len(self.signs)
        sample = np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64))
        taken = self.rows.take(sample)
        w, alpha = self._descended(taken, self.signs[sample], _SAMPLE_WORK)
        if not np.isfinite(w).all() or not w.any():
            return sample[: self.most + 1]
        self._hold(sample, alpha, taken)
        if self.ceiling <= self.least:
            return sample[: self.most + 1]
        scores = self._scores(w)
        self._note(w, scores)
        held = sample[alpha > 0][: self.most]
        near = np.argpartition(scores, self.most)[: self.most + 1]
        return np.union1d(held, near).astype(np.int64)

    # Looking at all rows

    def _blocks(self) -> Iterator[tuple[slice, Any]]:
        """All rows, so many at a time as fit into a few megabytes."""
        step = max(1, _BLOCK_CELLS // max(self.rows.width, 1))
        for start in range(0, len(self.signs), step):
            stop = min(start + step, len(self.signs))
            yield slice(start, stop), self.rows.part(start, stop).whole

    def _squares(self) -> Floats:
        """The squared length of every row, in double precision whatever the rows are in."""
        squares = np.empty(len(self.signs))
        for places, part in self._blocks():
            if sparse.issparse(part):
                squares[places] = np.asarray(part.astype(np.float64).power(2).sum(axis=1)).ravel()
            else:
                rows = part.astype(np.float64, copy=False)
                squares[places] = np.einsum("ij,ij->i", rows, rows)
        return squares

    def _scores(self, w: Floats) -> Floats:
        """y <w, x> on every row."""
        self.scans += 1
        scores = np.empty(len(self.signs))
        for places, part in self._blocks():
            scores[places] = part @ w[: self.rows.width]
        if self.constant:
            scores += self.constant * w[-1]
        scores *= self.signs
        return scores

    def _note(self, w: Floats, scores: Floats) -> None:
        """Keep the vector if its margin is the widest so far."""
        norm, smallest = float(np.linalg.norm(w)) * (1 + _SLACK), float(scores.min())
        margin = (smallest / norm - self.noise) * (1 - _SLACK)
        if margin > self.margin:
            self.margin, self.vector = margin, w / smallest

    def _nearest(self, scores: Floats, places: Ints, below: float) -> Ints:
        """The rows outside the working set that lie nearest, among those that lie too near."""
        outside = scores.copy()
        outside[places] = np.inf
        near = np.argpartition(outside, self.most)[: self.most + 1]
        return np.sort(near[outside[near] < below]).astype(np.int64)

    # Solving for a few rows

    def _solved(self, places: Ints, tolerance: float) -> tuple[Floats, Floats]:
        """The separator of some rows, scaled to scores of one and more, and the rows' weights in it."""
        taken, signs = self.rows.take(places), self.signs[places]
        size = min(self.width, len(signs))
        if size <= _NNLS_SIZE:
            w, alpha = self._exact(taken, signs)
        else:
            w, alpha = self._descended(taken, signs, 10 * _SAMPLE_WORK, _FINE)
            if size <= _INTERIOR_SIZE and len(signs) <= _EXACT_SIZE:
                scores = signs * (taken.whole @ w[: self.rows.width])
                scores += signs * self.constant * w[-1]
                far = float(w @ w) - float(scores.min()) * float(alpha.sum())
                if not far <= 0.1 * tolerance * float(w @ w):
                    w, alpha = self._exact(taken, signs, alpha)
        self._hold(places, alpha, taken)
        return w, alpha

    def _hold(self, places: Ints, alpha: Floats, taken: Rows) -> None:
        held = alpha > 0
        if held.any():
            self._prove(places[held], alpha[held] / alpha.sum(), taken.take(np.flatnonzero(held)))

    def _prove(self, places: Ints, shares: Floats, taken: Rows) -> None:
        """Keep the shares if the mean they make is the shortest so far."""
        signed = shares * self.signs[places]
        mean = np.asarray(taken.whole.T @ signed)
        length = math.hypot(float(np.linalg.norm(mean)), self.constant * float(signed.sum()))
        # A sum of p products errs by at most p roundings of the radius, in length too; so does one of p shares.
        ceiling = length + (2 * len(places) + self.width + 10) * _EPS * self.radius
        if ceiling < self.ceiling:
            self.ceiling, self.proof = ceiling, (places, shares)

    def _descended(
        self, taken: Rows, signs: Floats, work: int, tolerance: float = 1e-5
    ) -> tuple[Floats, Floats]:
        """About the separator, by dual descent, whatever the number of rows."""
        search = ComparatorSearch(taken, np.full(len(signs), self.constant), signs)
        search.run(np.full(len(signs), np.inf), work, self.least, tolerance)
        return (search.vector if self.constant else search.u), search.alpha

    def _exact(
        self, taken: Rows, signs: Floats, start: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """The separator to the last digits; zero where these rows have none."""
        whole = taken.whole
        table = whole.toarray() if sparse.issparse(whole) else np.asarray(whole)
        if self.constant:
            table = np.column_stack([table, np.full(len(table), self.constant)])
        signed = (table * signs[:, None]).astype(np.float64, copy=False)
        # The geometry of p rows in more than p features is that of p rows in p.
        wide = signed.shape[1] > len(signed)
        points: Floats = np.asarray(np.linalg.qr(signed.T, mode="r")) if wide else signed.T
        try:
            if start is None:
                shares = by_least_squares(points, self.ceiling, self.noise)
            else:
                weights = by_interior_points(points.T, start)
                weights[weights < 1e-9 * weights.max()] = 0.0
                shares = weights / weights.sum()
        except RuntimeError:  # too many steps
            return self._descended(taken, signs, 10 * _SAMPLE_WORK)
        mean = shares @ signed
        square = float(mean @ mean)
        if math.sqrt(square) <= self.noise:
            return np.zeros(self.width), shares
        return polished(signed, shares, mean / square, shares / square)
