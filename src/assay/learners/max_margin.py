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
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.optimize import nnls

from assay.errors import BadData, require
from assay.learners.comparator_search import ComparatorSearch
from assay.learners.rows import Rows

_BLOCK_CELLS = 4_000_000  # numbers looked at together in a scan
_SAMPLE = 4_000  # rows of the first, rough search
_SAMPLE_WORK = 20_000_000
_EXACT_SIZE = 6_000  # up to so many rows are solved exactly; more by descent
_NNLS_SIZE = 300  # up to so many features or rows, one row at a time joins; beyond, blocks of them
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
    vector: NDArray[np.float64] | None
    support: NDArray[np.int64]
    weights: NDArray[np.float64]
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

    Examples
    --------
    >>> from assay.data.synthetic.separable import separable
    >>> data = separable(10_000, 5, margin=0.25, seed=3)
    >>> found = max_margin(data.X, data.y)
    >>> round(found.margin, 9), found.gap < 1e-9
    (0.25, True)
    """
    rows, signs = _read(X, y)
    require(math.isfinite(constant), "constant", "a finite number", constant)
    require(0 < tolerance < 1, "tolerance", "a number strictly between 0 and 1", tolerance)
    require(most_scans >= 1, "most_scans", "at least 1", most_scans)
    return _Search(rows, signs, float(constant)).run(tolerance, most_scans)


def _read(X: Any, y: Any) -> tuple[Rows, NDArray[np.float64]]:
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


class _Search:
    """Working sets over one table."""

    def __init__(self, rows: Rows, signs: NDArray[np.float64], constant: float) -> None:
        self.rows, self.signs, self.constant = rows, signs, constant
        self.width = rows.width + (constant != 0.0)
        squares = self._squares() + constant**2
        if not np.isfinite(squares).all():
            raise BadData(f"{rows.bad_cell(int(np.flatnonzero(~np.isfinite(squares))[0]))}.")
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
        places = self._first()
        while self.scans < most_scans and self.ceiling > self.noise:
            w, alpha = self._solved(places)
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
        found = self.margin > 0
        return MaxMargin(
            margin=min(self.margin, self.ceiling) if found else None,
            ceiling=self.ceiling,
            vector=self.vector if found else None,
            support=self.proof[0],
            weights=self.proof[1],
            radius=self.radius,
            scans=self.scans,
        )

    def _first(self) -> NDArray[np.int64]:
        """Rows to begin with: the nearest ones to a separator of a sample, found by rough descent."""
        n = len(self.signs)
        sample = np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64))
        w, alpha = self._descended(self.rows.take(sample), self.signs[sample], _SAMPLE_WORK)
        if not np.isfinite(w).all() or not w.any():
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

    def _squares(self) -> NDArray[np.float64]:
        """The squared length of every row, in double precision whatever the rows are in."""
        squares = np.empty(len(self.signs))
        for places, part in self._blocks():
            if sparse.issparse(part):
                squares[places] = np.asarray(part.astype(np.float64).power(2).sum(axis=1)).ravel()
            else:
                whole = part.astype(np.float64, copy=False)
                squares[places] = np.einsum("ij,ij->i", whole, whole)
        return squares

    def _scores(self, w: NDArray[np.float64]) -> NDArray[np.float64]:
        """y <w, x> on every row."""
        self.scans += 1
        scores = np.empty(len(self.signs))
        for places, part in self._blocks():
            scores[places] = part @ w[: self.rows.width]
        if self.constant:
            scores += self.constant * w[-1]
        scores *= self.signs
        return scores

    def _note(self, w: NDArray[np.float64], scores: NDArray[np.float64]) -> None:
        """Keep the vector if its margin is the widest so far."""
        norm, smallest = float(np.linalg.norm(w)) * (1 + _SLACK), float(scores.min())
        margin = (smallest / norm - self.noise) * (1 - _SLACK)
        if margin > self.margin:
            self.margin, self.vector = margin, w / smallest

    def _nearest(
        self, scores: NDArray[np.float64], places: NDArray[np.int64], below: float
    ) -> NDArray[np.int64]:
        """The rows outside the working set that lie nearest, among those that lie too near."""
        outside = scores.copy()
        outside[places] = np.inf
        near = np.argpartition(outside, self.most)[: self.most + 1]
        return np.sort(near[outside[near] < below]).astype(np.int64)

    # Solving for a few rows

    def _solved(self, places: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The separator of some rows, scaled to scores of one and more, and the rows' weights in it."""
        taken, signs = self.rows.take(places), self.signs[places]
        if len(places) > _EXACT_SIZE:
            w, alpha = self._descended(taken, signs, 10 * _SAMPLE_WORK)
        else:
            w, alpha = self._exact(taken, signs)
        held = alpha > 0
        if held.any():
            self._prove(places[held], alpha[held] / alpha.sum(), taken.take(np.flatnonzero(held)))
        return w, alpha

    def _prove(self, places: NDArray[np.int64], shares: NDArray[np.float64], taken: Rows) -> None:
        """Keep the shares if the mean they make is the shortest so far."""
        signed = shares * self.signs[places]
        mean = np.asarray(taken.whole.T @ signed)
        length = math.hypot(float(np.linalg.norm(mean)), self.constant * float(signed.sum()))
        # A sum of p products errs by at most p roundings of the radius, in length too; so does one of p shares.
        ceiling = length + (2 * len(places) + self.width + 10) * _EPS * self.radius
        if ceiling < self.ceiling:
            self.ceiling, self.proof = ceiling, (places, shares)

    def _descended(
        self, taken: Rows, signs: NDArray[np.float64], work: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """About the separator, by dual descent, whatever the number of rows."""
        search = ComparatorSearch(taken, np.full(len(signs), self.constant), signs)
        search.run(np.full(len(signs), np.inf), work, 0.0)
        return (search.vector if self.constant else search.u), search.alpha

    def _exact(
        self, taken: Rows, signs: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The separator to the last digits; zero where these rows have none."""
        if min(self.width, len(signs)) > _NNLS_SIZE:
            return self._pivoted(taken, signs)
        whole = taken.whole
        table = whole.toarray() if sparse.issparse(whole) else np.asarray(whole)
        if self.constant:
            table = np.column_stack([table, np.full(len(table), self.constant)])
        signed = table * signs[:, None]
        # The geometry of p rows in more than p features is that of p rows in p.
        wide = signed.shape[1] > len(signed)
        points: NDArray[np.float64] = (
            np.asarray(np.linalg.qr(signed.T, mode="r")) if wide else signed.T
        )
        try:
            shares = _nearest_point(points, self.ceiling, self.noise)
        except RuntimeError:  # too many steps
            return self._descended(taken, signs, 10 * _SAMPLE_WORK)
        mean = shares @ signed
        square = float(mean @ mean)
        if math.sqrt(square) <= self.noise:
            return np.zeros(self.width), shares
        return _polished(signed, shares, mean / square, shares / square)

    def _pivoted(
        self, taken: Rows, signs: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same where many rows hold the margin up: descent first, then pivots on the Gram matrix."""
        w, rough = self._descended(taken, signs, 5 * _SAMPLE_WORK)
        gram = taken.whole @ taken.whole.T
        gram = gram.toarray() if sparse.issparse(gram) else gram
        gram = (gram + self.constant**2) * np.outer(signs, signs)
        alpha = _block_pivots(gram, rough)
        if alpha is None:
            return w, rough
        signed = alpha * signs
        found = np.asarray(taken.whole.T @ signed)
        return np.append(found, self.constant * signed.sum()) if self.constant else found, alpha


def _block_pivots(
    gram: NDArray[np.float64], start: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """The weights a >= 0 that make a'Ka / 2 - sum(a) least, by block principal pivoting.

    Rows change sides all at once while that lessens how many are on the wrong one, else one at a time (Kim and
    Park, 2011). None where a system cannot be solved, or too many steps are taken.
    """
    held, patience, fewest = start > 0, 3, len(start) + 1
    for _ in range(200):
        inside = np.flatnonzero(held)
        try:
            factor = linalg.cho_factor(gram[np.ix_(inside, inside)], overwrite_a=True)
        except linalg.LinAlgError:
            return None
        weights = np.zeros(len(start))
        weights[inside] = linalg.cho_solve(factor, np.ones(len(inside)))
        # Once more on what rounding left over.
        left = 1.0 - gram[inside] @ weights
        weights[inside] += linalg.cho_solve(factor, left)
        slopes = gram @ weights - 1.0
        wrong = np.where(held, weights < 0, slopes < -1e-12)
        count = int(wrong.sum())
        if not count:
            return weights
        if count < fewest:
            patience, fewest = 3, count
        elif patience:
            patience -= 1
        else:
            wrong = np.arange(len(start)) == np.flatnonzero(wrong)[-1]
        held = held ^ wrong
        if not held.any():
            return None
    return None


def _nearest_point(points: NDArray[np.float64], scale: float, least: float) -> NDArray[np.float64]:
    """The shares of columns in the point of their convex hull that lies nearest to the origin.

    Nonnegative least squares with a row of ones under the columns, and one as its goal there (Lawson and
    Hanson, 1974, chapter 23). It is solved to the last digits if distances are measured in units of the answer.
    """
    goal = np.append(np.zeros(len(points)), 1.0)
    ones = np.ones((1, points.shape[1]))
    while True:
        answer, _ = nnls(np.vstack([points / scale, ones]), goal)
        shares: NDArray[np.float64] = answer / answer.sum()
        length = float(np.linalg.norm(points @ shares))
        if length > scale / 8 or length <= least:
            return shares
        scale = length


def _polished(
    signed: NDArray[np.float64],
    shares: NDArray[np.float64],
    w: NDArray[np.float64],
    alpha: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The shortest vector with scores of exactly one on the rows that hold the margin up."""
    held = np.flatnonzero(shares > 0)
    rows = signed[held]
    vector = np.asarray(np.linalg.lstsq(rows, np.ones(len(held)), rcond=None)[0], np.float64)
    weights = np.linalg.lstsq(rows.T, vector, rcond=None)[0]
    near = np.abs(vector - w).max() <= 1e-6 * np.abs(w).max()
    if not near or weights.min() < 0:
        return w, alpha
    alpha = np.zeros(len(shares))
    alpha[held] = weights
    return vector, alpha
