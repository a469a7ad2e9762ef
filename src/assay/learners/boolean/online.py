"""What the learners of boolean concepts share: features of 0 and 1, formulas, and no weights to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData, Where
from assay.learners.boolean.words import first_bad
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows, cell
from assay.learners.common.skipped_checks import OTHER_FEATURES
from assay.types import Array, Floats


class BooleanPlayer(Player):
    """One binary problem; a subclass says how it predicts and what it has learned."""

    #: Whether features must be 0 or 1.
    boolean = True
    keeps_rows = False  # no theorem here needs the examples once more

    def scores(self, rows: Rows) -> Floats:
        """The score of every row: positive, or zero, where the prediction is positive."""
        raise NotImplementedError

    def score(self, row: Array) -> float:
        """The score of one example."""
        return float(self.scores(Rows(dense=row.reshape(1, -1)))[0])

    def formula(self, names: Sequence[Any] | None) -> str:
        """What was learned, as text."""
        raise NotImplementedError

    def refusal(self, rows: Rows, place: int, names: Sequence[Any] | None) -> BadData:
        """Why a row could not be played."""
        row = rows.row(place)
        odd = np.flatnonzero((row != 0) & (row != 1))
        if not self.boolean or not np.isfinite(row).all() or not odd.size:
            return super().refusal(rows, place, names)
        return not_boolean(cell(place, int(odd[0]), names), row[odd[0]])


def not_boolean(where: Where, value: float) -> BadData:
    """The refusal of a cell that is neither 0 nor 1.

    Examples
    --------
    >>> print(not_boolean(cell(7, 0, ["wet"]), 0.5))
    Features must be 0 or 1, but row 7, column 0 ('wet') holds 0.5.
    """
    return BadData("Features must be 0 or 1, but ", where, f" holds {float(value)!r}.")


class BooleanClassifier:
    """What online and batch learners of boolean concepts share.

    What was learned is there as text in `formula_`: features by their names where the examples have
    names, ``x0``, ``x1``, ... where not, joined by AND, OR and NOT; TRUE and FALSE are the concepts that
    say the same of every example. With more than two classes it is a tuple, one formula for each class
    against the rest.
    """

    players_: list[Any]

    @property
    def formula_(self) -> str | tuple[str, ...]:
        """What was learned, as text."""
        check_is_fitted(self, "players_")
        formulas = tuple(player.formula(self._names()) for player in self.players_)
        return formulas[0] if len(formulas) == 1 else formulas

    def _names(self) -> Sequence[Any] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def decision_function(self, X: Any) -> Array:
        """The score of every row, zero or more where the concept is true: one column for each problem."""
        check_is_fitted(self, "players_")
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        rows = canonical(Rows.of(X))
        self._require_cells(rows, self.players_[0])
        scores = np.column_stack([player.scores(rows) for player in self.players_])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _require_cells(self, rows: Rows, player: BooleanPlayer) -> None:
        """Refuse, by row and column, what is no number, or neither 0 nor 1 where that is asked for."""
        bad = first_bad(rows, boolean=player.boolean)
        if bad < len(rows):
            raise player.refusal(rows, bad, self._names())


class OnlineBooleanClassifier(BooleanClassifier, OnlineLinearClassifier):
    """Base of the online learners of boolean concepts."""

    #: The checks of scikit-learn that cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = OTHER_FEATURES
    has_weights = False

    _names = OnlineLinearClassifier._names

    @property
    def coef_(self) -> Array:
        """Only learners with a weight for each feature have it."""
        raise AttributeError(f"{type(self).__name__} has no weights; see formula_.")

    intercept_ = coef_

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        rows, labels = super()._validated(X, y, reset=reset)
        return canonical(rows), labels

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example; changes nothing. None before anything was learned."""
        if not hasattr(self, "players_"):
            return None
        self._refuse_cells(x)
        return super().predict_one(x)

    def _boolean(self) -> bool:
        """Whether features must be 0 or 1."""
        return True

    def _number(self, name: Any, value: Any) -> float:
        number = super()._number(name, value)
        if self._boolean() and number not in (0.0, 1.0):
            where = Where(column=name, of="x")
            raise BadData("Features must be 0 or 1, but ", where, f" is {number!r}.")
        return number

    def _grow(self, x: Mapping[Any, Any], index: dict[Any, int]) -> None:
        if any(player.rounds for player in self.players_):
            fresh = min((name for name in x if name not in index), key=str)
            raise BadData(
                f"x names a feature {fresh!r}, but {type(self).__name__} takes its features from the first "
                "example: they fix the class of concepts. Name all features there."
            )
        super()._grow(x, index)


def canonical(rows: Rows) -> Rows:
    """Sparse rows without entries that stand twice."""
    if rows.dense is not None or rows.matrix.has_canonical_format:
        return rows
    matrix = rows.matrix.copy()
    matrix.sum_duplicates()
    return Rows(matrix=matrix)
