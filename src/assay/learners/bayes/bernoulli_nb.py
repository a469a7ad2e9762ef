"""Naive Bayes for features that are on or off."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.compiled.bayes.bernoulli_nb import (
    bernoulli_scores,
    bernoulli_scores_csr,
    class_counts,
    class_counts_csr,
)
from assay.errors import BadData, require
from assay.learners.bayes.naive_bayes import NaiveBayes, require_prior
from assay.learners.common import kinds
from assay.learners.common.blocks import Block, Blocks
from assay.learners.common.number_kinds import is_number
from assay.learners.common.rows import Rows, cell
from assay.learners.registry import register
from assay.types import Array, Floats, Ints

_LEAST_ALPHA = 1e-10


@register(
    "bernoulli-nb",
    use="yes/no features and short texts, very fast",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False, kw_only=True)
class BernoulliNB(NaiveBayes):
    r"""Predict :math:`\arg\max_c\,\ln p_c+\sum_{j\text{ on}}\ln q_{cj}+\sum_{j\text{ off}}\ln(1-q_{cj})`.

    A feature is on where it is above `binarize`. Of the :math:`n_c` rows of class c, feature j is on in
    :math:`n_{cj}`, and :math:`q_{cj}=(n_{cj}+\alpha)/(n_c+2\alpha)`; within a class, features are taken to be
    independent. Parameters, attributes and numbers are scikit-learn's. The classifier is a function of its counts,
    whole numbers of at most the number of rows; so few bits write it down that they bound its error on new
    rows, whether or not features are independent (``occam-exact``).

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to the counts.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is left as it is; otherwise it is raised to that, with a warning.
    binarize : float or None, default=0.0
        Features above this are on. None: they must be 0 or 1.
    fit_prior : bool, default=True
        Whether the classes are as likely as their shares of the rows; otherwise all equally.
    class_prior : array-like of shape (n_classes,) or None, default=None
        The probabilities of the classes, if they are known.

    Attributes
    ----------
    classes_ : array
        The labels.
    class_count_ : array
        How many rows each class had, by weight.
    feature_count_ : array of shape (n_classes, n_features)
        In how many of them each feature was on.
    class_log_prior_ : array
        The logarithms of the probabilities of the classes.
    feature_log_prob_ : array of shape (n_classes, n_features)
        :math:`\ln q_{cj}`.
    rows_ : int
        How many rows were learned.
    training_errors_ : int
        How many of them are predicted wrongly, after `fit`.

    Notes
    -----
    With ``alpha=0`` a class can rule a row out. Where every class does, the row is given the probabilities that
    the classes have without it.

    References
    ----------
    .. [1] McCallum & Nigam (1998). A comparison of event models for naive Bayes text classification.

    Examples
    --------
    >>> from assay import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 0], [0, 1]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1, 1]]).round(6).tolist()
    [[0.75, 0.25]]
    """

    enough: ClassVar[tuple[str, ...]] = (*NaiveBayes.enough, "feature_count_")
    state = kinds.declare(feature_count_=kinds.amounts("classes_", "n_features_in_"))

    alpha: Any = 1.0
    force_alpha: bool = True
    binarize: float | None = 0.0
    fit_prior: bool = True
    class_prior: Any = None

    def _require_parameters(self, classes: int, width: int) -> None:
        must = f"a finite number, zero or more, or one for each of the {width} features"
        try:
            given = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.full(1, np.nan)
        good = given.shape in ((), (width,)) and bool(((given >= 0) & (given < np.inf)).all())
        require(good and not isinstance(self.alpha, bool), "alpha", must, self.alpha)
        limit: Any = self.binarize
        fine = limit is None or (is_number(limit) and bool(0 <= limit < math.inf))
        require(fine, "binarize", "a finite number, zero or more, or None", limit)
        if self.class_prior is not None:
            require_prior("class_prior", self.class_prior, classes)
        if not self.force_alpha and given.min(initial=np.inf) < _LEAST_ALPHA:
            warnings.warn(
                f"alpha is below {_LEAST_ALPHA} and is raised to it; force_alpha=True leaves it as it is.",
                UserWarning,
                stacklevel=3,
            )

    def _open(self, classes: Array, width: int) -> None:
        super()._open(classes, width)
        self.feature_count_ = np.zeros((len(classes), width))

    def _widen(self, width: int) -> None:
        more = width - self.feature_count_.shape[1]
        self.feature_count_ = np.pad(self.feature_count_, ((0, 0), (0, more)))

    def _learn(self, rows: Rows, codes: Ints, weights: Floats | None) -> None:
        weights = np.ones(len(rows)) if weights is None else weights
        limit = self._limit(rows, self.binarize)
        super()._learn(rows, codes, weights)
        loop = class_counts if rows.dense is not None else class_counts_csr
        loop(*rows.arrays, limit, codes, weights, self.feature_count_, self.class_count_)

    def _learn_blocks(self, blocks: Blocks) -> None:
        self.class_count_, self.feature_count_ = blocks.total(_counts_of_block, self)

    def _limit(self, rows: Rows, binarize: float | None) -> float:
        """Above what a feature is on; refuses what is neither on nor off where nothing says so."""
        if binarize is not None:
            return float(binarize)
        cells = rows.arrays[0]
        odd = (cells != 0) & (cells != 1)
        if odd.any():
            place = np.flatnonzero(odd)[0]
            if rows.dense is not None:
                row, column = (int(part) for part in np.unravel_index(place, cells.shape))
            else:
                row = int(np.searchsorted(rows.matrix.indptr, place, side="right")) - 1
                column = int(rows.matrix.indices[place])
            names = getattr(self, "feature_names_in_", None)
            raise BadData(
                "With binarize=None features must be 0 or 1, but ",
                cell(row, column, names),
                f" holds {float(cells.reshape(-1)[place])!r}. Give the number above which a feature is on.",
            )
        return 0.0

    def _smoothing(self) -> Floats:
        alpha = np.asarray(self.settings_["alpha"], dtype=np.float64)
        return alpha if self.settings_["force_alpha"] else np.maximum(alpha, _LEAST_ALPHA)

    def _logs(self) -> tuple[Floats, Floats]:
        """The logarithms of the probabilities that a feature is on, and that it is off."""
        alpha, seen = self._smoothing(), self.class_count_[:, None]
        total = seen + 2 * alpha
        on, off = self.feature_count_ + alpha, seen - self.feature_count_ + alpha
        empty = np.broadcast_to(total == 0, on.shape)  # of a class without rows nothing is known
        with np.errstate(divide="ignore"):
            lot = np.log(np.where(total == 0, 2.0, total))
            return (
                np.log(np.where(empty, 1.0, on)) - lot,
                np.log(np.where(empty, 1.0, np.maximum(off, 0.0))) - lot,
            )

    @property
    def feature_log_prob_(self) -> Floats:
        """The logarithms of the probabilities that a feature is on."""
        return self._logs()[0]

    @property
    def class_log_prior_(self) -> Floats:
        """The logarithms of the probabilities of the classes."""
        prior = self.settings_["class_prior"]
        with np.errstate(divide="ignore"):
            if prior is not None:
                return np.log(np.asarray(prior, dtype=np.float64))
            if self.settings_["fit_prior"]:
                return np.asarray(np.log(self.class_count_) - np.log(self.class_count_.sum()))
            return np.full(len(self.classes_), -np.log(len(self.classes_)))

    def _joint(self, rows: Rows) -> Floats:
        limit, prior = self._limit(rows, self.settings_["binarize"]), self.class_log_prior_
        on, off = self._logs()
        never, always = np.isneginf(on), np.isneginf(off)
        on, off = np.where(never, 0.0, on), np.where(always, 0.0, off)
        scores = self._added(rows, limit, on - off, prior + off.sum(axis=1))
        if never.any() or always.any():
            # How many features of a row are as they never are in a class.
            hindered = never.astype(np.float64) - always.astype(np.float64)
            against = self._added(rows, limit, hindered, always.sum(axis=1).astype(np.float64))
            scores[against > 0] = -np.inf
            scores[~(scores > -np.inf).any(axis=1)] = prior
        return scores

    @staticmethod
    def _added(rows: Rows, limit: float, gains: Floats, starts: Floats) -> Floats:
        scores = np.empty((len(rows), len(starts)))
        loop = bernoulli_scores if rows.dense is not None else bernoulli_scores_csr
        loop(*rows.arrays, limit, np.ascontiguousarray(gains), starts, scores)
        return scores

    def _described(self) -> dict[str, Any]:
        classes, width = self.feature_count_.shape
        described: dict[str, Any] = {"numbers": classes * (width + 1)}
        counts, features = self.class_count_, self.feature_count_
        integral = bool((counts == np.rint(counts)).all() and (features == np.rint(features)).all())
        if not integral or counts.sum() != self.rows_:
            return described
        # First the shares of the classes among the rows, then how often each feature was on in each.
        ways = math.comb(self.rows_ + classes - 1, classes - 1)
        bits = (ways - 1).bit_length()
        for held in counts.tolist():
            bits += ((int(held) + 1) ** width - 1).bit_length()
        return described | {
            "bits": bits,
            "code": f"the counts of {self.rows_} rows, labels being known",
        }

    def _require_state(self) -> None:
        super()._require_state()
        if (self.feature_count_ > self.class_count_[:, None] * (1 + 1e-9)).any():
            raise ValueError("a feature is on in more rows than there are")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The checks use measured features, of which all but their signs is lost.
        tags.classifier_tags.poor_score = True
        return tags


def _counts_of_block(block: Block, model: BernoulliNB) -> tuple[Floats, Floats]:
    """How many rows of a block each class has, and in how many of them each feature is on."""
    weights = np.ones(len(block)) if block.weights is None else block.weights
    counts, features = np.zeros_like(model.class_count_), np.zeros_like(model.feature_count_)
    limit = model._limit(Rows.of(block.X), model.binarize)
    class_counts(block.X, limit, block.y, weights, features, counts)
    return counts, features
