"""Naive Bayes with a normal distribution for every feature within every class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.compiled.bayes.gaussian_nb import (
    class_squares,
    class_squares_csr,
    class_sums,
    class_sums_csr,
    gaussian_scores,
    gaussian_scores_csr,
)
from assay.errors import BadData, Where, require
from assay.learners.bayes.naive_bayes import NaiveBayes, require_prior
from assay.learners.common import kinds
from assay.learners.common.blocks import Block, Blocks
from assay.learners.common.number_kinds import is_number
from assay.learners.common.rows import Rows, column_name
from assay.learners.registry import register
from assay.types import Array, Floats, Ints


@register(
    "gaussian-nb",
    use="numbers, many classes, very fast",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False, kw_only=True)
class GaussianNB(NaiveBayes):
    r"""Predict :math:`\arg\max_c\,\ln p_c-\frac12\sum_j\bigl(\ln2\pi v_{cj}+(x_j-\theta_{cj})^2/v_{cj}\bigr)`.

    Every class c has its share :math:`p_c` of the rows and, of every feature j, the mean :math:`\theta_{cj}` and the
    variance :math:`v_{cj}`; within a class, features are taken to be independent and normal. Parameters,
    attributes and numbers are scikit-learn's. A few stored numbers are a short description, and that bounds the
    error whether or not the features are what they are taken for (``occam-exact``).

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None, default=None
        The probabilities of the classes; None: their shares of the rows.
    var_smoothing : float, default=1e-9
        This part of the largest variance of any feature is added to every variance.

    Attributes
    ----------
    classes_ : array
        The labels.
    class_count_ : array
        How many rows each class had, by weight.
    class_prior_ : array
        The probabilities of the classes.
    theta_, var_ : array of shape (n_classes, n_features)
        Means, and variances with `epsilon_` added.
    epsilon_ : float
        What is added to the variances.
    rows_ : int
        How many rows were learned.
    training_errors_ : int
        How many of them are predicted wrongly, after `fit`.

    Notes
    -----
    Between chunks, `epsilon_` follows the largest variance of all rows so far, so that chunks give what one
    sample gives; scikit-learn takes that of the last chunk. Where all rows are the same, `epsilon_` is
    `var_smoothing` itself.

    References
    ----------
    .. [1] Chan, Golub & LeVeque (1979). Updating formulae and a pairwise algorithm for computing sample variances.

    Examples
    --------
    >>> from assay import GaussianNB
    >>> model = GaussianNB().fit([[-1.0], [-2.0], [1.0], [2.0]], ["a", "a", "b", "b"])
    >>> model.theta_.tolist(), model.predict([[0.5]]).tolist()
    ([[-1.5], [1.5]], ['b'])
    """

    enough: ClassVar[tuple[str, ...]] = (
        *NaiveBayes.enough,
        "theta_",
        "squares_",
        "center_",
        "deviations_",
    )
    state = kinds.declare(
        theta_=kinds.numbers("classes_", "n_features_in_"),
        squares_=kinds.amounts("classes_", "n_features_in_"),
        center_=kinds.numbers("n_features_in_"),
        deviations_=kinds.amounts("n_features_in_"),
    )

    priors: Any = None
    var_smoothing: float = 1e-9

    def _require_parameters(self, classes: int, width: int) -> None:
        given = self.var_smoothing
        good = is_number(given) and bool(0 <= given < math.inf)
        require(good, "var_smoothing", "a finite number, zero or more", given)
        if self.priors is not None:
            require_prior("priors", self.priors, classes)

    def _open(self, classes: Array, width: int) -> None:
        super()._open(classes, width)
        self.theta_ = np.zeros((len(classes), width))
        self.squares_ = np.zeros((len(classes), width))
        # Of all rows, whatever their class and weight: their largest variance is what smoothing follows.
        self.center_, self.deviations_ = np.zeros(width), np.zeros(width)

    def _widen(self, width: int) -> None:
        more = ((0, 0), (0, width - self.theta_.shape[1]))
        self.theta_, self.squares_ = np.pad(self.theta_, more), np.pad(self.squares_, more)
        self.center_ = np.pad(self.center_, more[1])
        self.deviations_ = np.pad(self.deviations_, more[1])

    def _learn(self, rows: Rows, codes: Ints, weights: Floats | None) -> None:
        even = np.ones(len(rows))
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            new = _moments(rows, codes, even if weights is None else weights, len(self.classes_))
            if weights is None:
                every = _merged(*(part[:, None] for part in new))
            else:
                together = _moments(rows, np.zeros(len(rows), dtype=np.int64), even, 1)
                every = _merged(*(part[:, None] for part in together))
            before = (np.array([float(self.rows_)]), self.center_[None], self.deviations_[None])
            every = _merged(*(np.stack(pair) for pair in zip(before, every, strict=True)))
            held = (self.class_count_, self.theta_, self.squares_)
            by_class = _merged(*(np.stack(pair) for pair in zip(held, new, strict=True)))
        self._require_room(*by_class, *every)
        super()._learn(rows, codes, weights)
        self.class_count_, self.theta_, self.squares_ = by_class
        _, self.center_, self.deviations_ = (part[0] for part in every)

    def _learn_blocks(self, blocks: Blocks) -> None:
        classes = len(self.classes_)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            by_class = _moments_of_blocks(blocks, classes, False)
            every = by_class
            if blocks.weighted:
                every = _moments_of_blocks(blocks, 1, True)
            every = _merged(*(part[:, None] for part in every))
        self._require_room(*by_class, *every)
        self.class_count_, self.theta_, self.squares_ = by_class
        _, self.center_, self.deviations_ = (part[0] for part in every)

    def _require_room(self, *parts: Floats) -> None:
        for part in parts:
            if not np.isfinite(part).all():
                column = int(np.flatnonzero(~np.isfinite(part).all(axis=0))[0])
                names = getattr(self, "feature_names_in_", None)
                raise BadData(
                    f"Input X cannot be learned from: the squares of {column_name(column, names)} overflow. "
                    "Divide it by a large number."
                )

    @property
    def epsilon_(self) -> float:
        """What is added to the variances."""
        largest = float((self.deviations_ / self.rows_).max(initial=0.0))
        return float(self.settings_["var_smoothing"]) * (largest or 1.0)

    @property
    def var_(self) -> Floats:
        """The variances, smoothed."""
        seen = np.maximum(self.class_count_, np.finfo(float).tiny)[:, None]
        return self.squares_ / seen + self.epsilon_

    @property
    def class_prior_(self) -> Floats:
        """The probabilities of the classes."""
        if self.settings_["priors"] is not None:
            return np.asarray(self.settings_["priors"], dtype=np.float64)
        return np.asarray(self.class_count_ / self.class_count_.sum())

    def _joint(self, rows: Rows) -> Floats:
        variances = self.var_
        flat = np.argwhere(variances == 0)
        if flat.size:
            place, column = (int(part) for part in flat[0])
            names = getattr(self, "feature_names_in_", None)
            label = self.classes_[place : place + 1].tolist()[0]
            raise BadData(
                f"GaussianNB cannot predict: {column_name(column, names)} has no spread within the class "
                f"{label!r}, and var_smoothing is 0. Give var_smoothing a number above zero."
            )
        with np.errstate(divide="ignore"):  # a class of no rows has the logarithm of zero
            starts = np.log(self.class_prior_) - 0.5 * np.log(2 * np.pi * variances).sum(axis=1)
        scores = np.empty((len(rows), len(starts)))
        loop = gaussian_scores if rows.dense is not None else gaussian_scores_csr
        loop(*rows.arrays, self.theta_, 1.0 / variances, starts, scores)
        lost = np.flatnonzero(~(scores > -np.inf).any(axis=1))
        if lost.size:
            raise BadData(
                "Input X cannot be predicted: ",
                Where(row=int(lost[0])),
                " is so far from every class that its distance overflows.",
            )
        return scores

    def _described(self) -> dict[str, Any]:
        classes, width = self.theta_.shape
        shares = classes if self.settings_["priors"] is None else 0
        return {"numbers": 2 * classes * width + shares or 1}


def _moments(
    rows: Rows, codes: Ints, weights: Floats, classes: int
) -> tuple[Floats, Floats, Floats]:
    """Of each class the sum of weights, the means, and the sums of squared distances from them."""
    totals, sums = _sums(rows, codes, weights, classes)
    seen = np.where(totals > 0, totals, 1.0)[:, None]
    means = sums / seen
    return _mended(totals, means, *_squares(rows, codes, weights, means, totals))


def _moments_of_blocks(
    blocks: Blocks, classes: int, together: bool
) -> tuple[Floats, Floats, Floats]:
    """The same of blocks; of all rows `together` without their weights, as if they were of one class."""
    totals, sums = blocks.total(_sums_of_block, classes, together)
    means = sums / np.where(totals > 0, totals, 1.0)[:, None]
    return _mended(totals, means, *blocks.total(_squares_of_block, means, totals, together))


def _sums(rows: Rows, codes: Ints, weights: Floats, classes: int) -> tuple[Floats, Floats]:
    """Of each class the sum of weights and the sums of the features."""
    totals, sums = np.zeros(classes), np.zeros((classes, rows.width))
    loop = class_sums if rows.dense is not None else class_sums_csr
    loop(*rows.arrays, codes, weights, sums, totals)
    return totals, sums


def _squares(
    rows: Rows, codes: Ints, weights: Floats, means: Floats, totals: Floats
) -> tuple[Floats, Floats]:
    """Of each class the sums of squared distances from its means, and of distances."""
    squares, drift = np.zeros_like(means), np.zeros_like(means)
    if rows.dense is not None:
        class_squares(*rows.arrays, codes, weights, means, squares, drift)
    else:
        class_squares_csr(*rows.arrays, codes, weights, means, totals, squares, drift)
    return squares, drift


def _mended(
    totals: Floats, means: Floats, squares: Floats, drift: Floats
) -> tuple[Floats, Floats, Floats]:
    """Means and squares without what rounding left of the means, which is known now."""
    seen = np.where(totals > 0, totals, 1.0)[:, None]
    return totals, means + drift / seen, np.maximum(squares - drift**2 / seen, 0.0)


def _sums_of_block(block: Block, classes: int, together: bool) -> tuple[Floats, Floats]:
    return _sums(Rows.of(block.X), *_counted(block, together), classes)


def _squares_of_block(
    block: Block, means: Floats, totals: Floats, together: bool
) -> tuple[Floats, Floats]:
    return _squares(Rows.of(block.X), *_counted(block, together), means, totals)


def _counted(block: Block, together: bool) -> tuple[Ints, Floats]:
    """The class of each row, and how often it counts."""
    if together:
        return np.zeros(len(block), dtype=np.int64), np.ones(len(block))
    return block.y, np.ones(len(block)) if block.weights is None else block.weights


def _merged(counts: Floats, means: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """The moments of parts, listed along the first axis, as those of one whole."""
    total = counts.sum(axis=0)
    shares = counts / np.where(total > 0, total, 1.0)
    center = (shares[..., None] * means).sum(axis=0)
    apart = (counts[..., None] * (means - center) ** 2).sum(axis=0)
    return total, center, squares.sum(axis=0) + apart
