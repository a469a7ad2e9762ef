"""What the training rows promise about a vote of stumps: few of them fix all of its thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData, BadParameter
from assay.learners.common import kinds
from assay.learners.common.guaranteed import held_out, require_own_fit
from assay.learners.common.learned_rows import require_same_sample
from assay.learners.common.training_promises import TrainingFacts, TrainingPromises
from assay.learners.common.written_out import column_of, summed
from assay.learners.ensembles.stump_search import STUMP_CELLS, midway
from assay.types import Array, Floats, Ints

if TYPE_CHECKING:
    from assay.certificates.issue.distinct_rows import Overlap
    from assay.guarantees.training import SideBySide
    from assay.theory.rounding import Number


class StumpPromises(TrainingPromises):
    """Base of the learners whose hypotheses are stumps, unless another base learner was given."""

    features_: Ints
    thresholds_: Floats
    sides_: Ints
    classes_: Array

    #: Whether the stumps have votes of different sizes.
    _weighted = False

    @property
    def _most_stumps(self) -> int:
        """How many stumps there might have been, a number fixed before the rows were seen."""
        return len(self.features_)

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        return TrainingFacts(len(np.asarray(y)))

    def training_promises(
        self,
        X: Any,
        y: Any,
        *,
        delta: Number = 0.05,
        holdout: tuple[Any, Any] | None = None,
        overlap: Overlap = "refuse",
    ) -> SideBySide:
        """What may be promised about the error from the rows this classifier was fitted to.

        The thresholds lie midway between the values of a few rows. These rows, and a message that says which
        feature, which two rows and which labels belong to each stump, give the classifier again, so the other
        rows are a test that it did not know (``stump-vote-compression``). On few rows, or with many stumps, the
        promise is vacuous: it says nothing.

        Parameters
        ----------
        X, y : array-like
            The very sample of the fit, without rows of weight zero; drawn independently.
        delta : float or decimal text, default=0.05
            The probability that any of the promises fails.
        holdout : tuple of (X, y), optional
            Rows that this classifier has not seen, whose exact bound is to stand beside the other.
        overlap : {"refuse", "drop", "keep"}, default="refuse"
            Whether rows of the sample in the holdout void its promise, are left out, or count: see `assay.certify`.

        Returns
        -------
        SideBySide
        """
        from assay.guarantees.boosting import stump_guarantee
        from assay.guarantees.decimals import delta_text
        from assay.guarantees.training import SideBySide, holdout_guarantee
        from assay.theory.tail.union import split

        check_is_fitted(self)
        require_own_fit(self)
        stumps = hasattr(self, "features_")
        if not stumps and holdout is None:
            raise BadParameter(
                f"No theorem here promises anything about a {type(self).__name__} from its training rows unless its "
                "base learner is DecisionStump. Give a holdout."
            )
        shares = iter(split(delta, int(stumps) + int(holdout is not None)))
        guarantees = []
        if stumps:
            X, y = validate_data(self, summed(X), y, reset=False, **STUMP_CELLS)
            labels = np.asarray(y)
            kept = self._kept_rows(X, labels)
            others = np.ones(len(labels), dtype=bool)
            others[kept] = False
            predicted: Any = self.predict(X)  # type: ignore[attr-defined]
            missed = predicted != labels
            # Chosen rows would be no sample at all; most choices change one of these counts.
            counts = (len(labels), int(np.count_nonzero(missed)))
            if hasattr(self, "rows_") and counts != (self.rows_, self.training_errors_):  # type: ignore[attr-defined]
                raise _another_sample()
            require_same_sample(self, X, labels)
            guarantees.append(
                stump_guarantee(
                    errors=int(np.count_nonzero(missed & others)),
                    size=len(kept),
                    rows=len(labels),
                    delta=next(shares),
                    stumps=len(self.features_),
                    features=X.shape[1],
                    classes=max(2, len(np.unique(labels[kept]))),
                    most_stumps=self._most_stumps,
                    weighted=self._weighted,
                )
            )
        if holdout is not None:
            held = held_out(self, holdout, X, overlap)
            guarantees.append(held.judge(holdout_guarantee(held.errors, held.rows, next(shares))))
        return SideBySide(tuple(guarantees), delta_text(delta))

    def _kept_rows(self, X: Any, labels: Array) -> list[int]:
        """Rows that give every threshold and every label again; as few as come by reusing them.

        Which labels there are is not known before the rows are, so a stump's are those of kept rows.
        """
        kept: list[int] = []
        for feature, threshold in zip(self.features_, self.thresholds_, strict=True):
            if feature < 0:
                continue
            column = column_of(X, feature)
            above = column > threshold
            if above.all() or not above.any():
                raise _another_sample()
            ends = (float(column[~above].max()), float(column[above].min()))
            if midway(*ends) != threshold:
                raise _another_sample()
            for value in ends:
                if not any(column[row] == value for row in kept):
                    kept.append(int(np.flatnonzero(column == value)[0]))
        named = np.where(self.features_ < 0, self.sides_[:, 0], self.sides_[:, 1])
        for label in self.classes_[np.unique([self.sides_[:, 0], named])]:
            having = np.flatnonzero(labels == label)
            if not len(having):
                raise _another_sample()
            if not (labels[kept] == label).any():
                kept.append(int(having[0]))
        return kept


def _another_sample() -> BadData:
    return BadData(
        "training_promises needs the very sample of the fit, without rows of weight zero; this is another."
    )


def stumps(many: int | str) -> dict[str, kinds.Kind]:
    """What a model file may hold of so many stumps."""
    return {
        "features_": kinds.counts(many, least=-1, below="n_features_in_"),
        "thresholds_": kinds.numbers(many),
        "sides_": kinds.counts(many, 2, below="classes_"),
    }
