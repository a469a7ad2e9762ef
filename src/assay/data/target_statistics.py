"""Columns of many categories as numbers: how often each class, or how large a quantity, each category had in training.

A category of :math:`n` training rows whose outcomes sum to :math:`S` becomes :math:`(S + m p) / (n + m)`, where
:math:`p` is the mean of all training rows and :math:`m` says how many rows that mean weighs [1]_: the ratio of the
variance within categories to that between them, as an analysis of variance estimates it. Where categories tell nothing,
all become :math:`p`.

A row must not meet its own outcome in its features, or noise would look like knowledge. So the statistics of a training
row are those of other training rows: the folds that it is not in, or, where the future is to be predicted, the blocks
of time before its own. The two constants :math:`p` and :math:`m` are the same for all rows.

References
----------
.. [1] D. Micci-Barreca. A preprocessing scheme for high-cardinality categorical attributes in classification and
   prediction problems. SIGKDD Explorations 3 (1), 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from assay.types import Array, Floats, Ints

#: Training rows are divided into so many folds, or into so many blocks of time.
FOLDS, BLOCKS = 5, 10
#: Shares of so many classes at most, the commonest ones.
MOST_SHARES = 10


@dataclass(frozen=True)
class Outcomes:
    """What became of training rows, in numbers, and which of them may know of each other.

    Parameters
    ----------
    names : tuple of str
        What the numbers are, such as ``share of yes``, or ``mean``.
    values : array
        Rows by names: 1 where a row is of the class, or the quantity itself.
    fold : array of int
        The fold of each row.
    past : bool
        Whether folds are blocks of time: then a row knows of earlier blocks only.

    Examples
    --------
    >>> outcomes = Outcomes.of(np.array(["no", "yes", "yes", "no"]))
    >>> outcomes.names, outcomes.values.ravel().tolist()
    (('share of yes',), [0.0, 1.0, 1.0, 0.0])
    """

    names: tuple[str, ...]
    values: Floats
    fold: Ints
    past: bool = False

    @classmethod
    def of(
        cls,
        y: Array,
        *,
        quantity: bool = False,
        together: Ints | None = None,
        order: Ints | None = None,
        seed: int = 0,
    ) -> Self:
        """The outcomes of training rows.

        Parameters
        ----------
        y : array
            The target.
        quantity : bool
            Whether it holds numbers to be averaged, and no classes.
        together : array of int, optional
            What each row belongs to; rows that belong together are in one fold.
        order : array of int, optional
            When each row came, where the past predicts the future. What belongs together came when its last row did.
        seed : int
            What folds are drawn by.
        """
        fold = folds(len(y), together=together, order=order, seed=seed)
        if quantity:
            return cls(("mean",), np.asarray(y, np.float64)[:, None], fold, order is not None)
        classes, code, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(classes) <= 2:
            shown = np.arange(len(classes))[-1:]
        else:
            shown = np.sort(np.argsort(-counts, kind="stable")[:MOST_SHARES])
        values = (code[:, None] == shown).astype(np.float64)
        names = tuple(f"share of {classes[one]}" for one in shown)
        return cls(names, values, fold, order is not None)


def folds(
    rows: int, *, together: Ints | None = None, order: Ints | None = None, seed: int = 0
) -> Ints:
    """The fold of each row: at random by the seed, or one block of time after the other.

    Examples
    --------
    >>> folds(6, together=np.array([7, 7, 8, 8, 9, 9]), seed=1).tolist()
    [0, 0, 1, 1, 2, 2]
    >>> folds(4, order=np.array([30, 10, 10, 20])).tolist()
    [7, 0, 0, 5]
    """
    kinds, code = np.unique(np.arange(rows) if together is None else together, return_inverse=True)
    if order is None:
        drawn = np.random.default_rng(seed).permutation(len(kinds)) % FOLDS
        return np.asarray(drawn[code], np.int64)
    when = np.full(len(kinds), np.iinfo(np.int64).min)
    np.maximum.at(when, code, order)
    rank = np.searchsorted(np.sort(when), when)
    return np.asarray((rank * BLOCKS // max(len(kinds), 1))[code], np.int64)


@dataclass(frozen=True)
class Counted:
    """The sums and counts of each category, fold by fold, and what they are drawn towards.

    Parameters
    ----------
    sums : array
        Folds by categories by outcomes.
    counts : array
        Folds by categories.
    prior, strength : array
        Of each outcome: the mean of all rows, and how many rows it weighs.
    """

    sums: Floats
    counts: Floats
    prior: Floats
    strength: Floats

    @classmethod
    def of(cls, codes: Ints, categories: int, outcomes: Outcomes) -> Self:
        """Count rows by their categories; a code below zero is that of a row without one."""
        held = codes >= 0
        values, code, fold = outcomes.values[held], codes[held], outcomes.fold[held]
        many = BLOCKS if outcomes.past else FOLDS
        cell, cells = fold * categories + code, many * categories
        counts = np.bincount(cell, minlength=cells).reshape(many, categories).astype(np.float64)
        sums = (
            np.stack([np.bincount(cell, column, minlength=cells) for column in values.T], axis=-1)
            .astype(np.float64)
            .reshape(many, categories, values.shape[1])
        )
        prior = outcomes.values.mean(axis=0)
        return cls(sums, counts, prior, _strength(values, counts.sum(axis=0), sums.sum(axis=0)))

    @property
    def statistics(self) -> Floats:
        """Of each category, by all rows."""
        return self._drawn(self.sums.sum(axis=0), self.counts.sum(axis=0))

    def of_others(self, codes: Ints, outcomes: Outcomes) -> Floats:
        """Of each row's category by other rows, in other folds or in the past; NaN where there is none."""
        shown = np.full((len(codes), len(self.prior)), np.nan)
        for fold in range(len(self.counts)):
            rows = np.flatnonzero((outcomes.fold == fold) & (codes >= 0))
            # Others are summed up, not subtracted from all: rounding must not tell either.
            others = np.arange(len(self.counts))
            others = others[others < fold] if outcomes.past else others[others != fold]
            by_others = self._drawn(self.sums[others].sum(axis=0), self.counts[others].sum(axis=0))
            shown[rows] = by_others[codes[rows]]
        return shown

    def _drawn(self, sums: Floats, counts: Floats) -> Floats:
        count = counts[:, None]
        drawn: Floats = self.prior + (sums - count * self.prior) / (count + self.strength)
        return drawn


def _strength(values: Floats, counts: Floats, sums: Floats) -> Any:
    """How many rows the mean weighs: the variance within categories over that between them, and 1 at least."""
    rows, kinds = len(values), np.count_nonzero(counts)
    if kinds < 2 or rows <= kinds:
        return np.full(values.shape[1], np.inf)
    held, count = sums[counts > 0], counts[counts > 0][:, None]
    mean, own = values.mean(axis=0), held / count
    between = (count * (own - mean) ** 2).sum(axis=0) / (kinds - 1)
    within = np.maximum(
        ((values - mean) ** 2).sum(axis=0) - (count * (own - mean) ** 2).sum(axis=0), 0
    )
    within /= rows - kinds
    size = (rows - float((count**2).sum()) / rows) / (kinds - 1)
    variance = (between - within) / size
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, np.maximum(within / variance, 1.0), np.inf)
