"""A stream of labels that experts name: chunk after chunk, a policy predicts, is told, and its mistakes are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, Where, require
from assay.learners.experts.models import Said
from assay.learners.registry import make_learner, name_of
from assay.play.expert_stream import ExpertStream
from assay.play.remedies import WITH_LABEL, policy
from assay.record.experts import ExpertRecord
from assay.types import Array, Bools

#: The policies that combine labels; only the last takes labels that may be missing, and only the first needs two.
LABEL_POLICIES = ("weighted-majority", "hedge", "sleeping-experts")


class LabelExpertStream(ExpertStream):
    """A policy among experts who name labels, row by row; what nobody says is None.

    Parameters
    ----------
    policy : policy, str or None
        A policy that goes on from what it knows, the name of one, or None: then `weighted-majority`, or
        `sleeping-experts` if the first chunk lacks a label of an expert or has more than two of them.
    labels : sequence, optional
        Both labels of weighted majority; those of the first chunk when not given.
    parameters : mapping, optional
        Other parameters of a policy that is made here.
    source : str
        What the stream is called in refusals.

    Examples
    --------
    >>> advice = np.array([["rain", "sun"], ["rain", "rain"], ["sun", "sun"]], dtype=object)
    >>> truth = np.array(["rain", "rain", "sun"], dtype=object)
    >>> stream = LabelExpertStream()
    >>> stream.learn(Examples(advice, truth, ["ann", "bob"], "weather"))
    >>> stream.name, stream.record.mistakes, stream.best.name
    ('weighted-majority', 1, 'ann')
    """

    def __init__(
        self,
        policy: Any = None,
        *,
        labels: Sequence[Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        source: str = "the stream",
    ) -> None:
        self._loss, self._bounds, self._parameters = "zero-one", None, dict(parameters or {})
        self._labels = None if not labels else sorted(set(labels))
        self.source, self.skipped, self.why = source, 0, ""
        self.policy, self._mean_loss = policy, None
        self._asked = policy if isinstance(policy, str) else None
        if isinstance(policy, str):
            _require_labels(policy)
            self.policy = None  # made when the first labels are seen
        elif policy is not None:
            _require_labels(name_of(policy))
            if self._parameters or labels:
                raise BadParameter(
                    "Labels and parameters are for a new policy; this one has its own."
                )
            must = "one of labels, with the loss 'zero-one'"
            good = getattr(policy, "loss", None) in (None, "zero-one")
            require(good, "policy", must, policy)
        self.rows_before = self._rounds()

    @property
    def range(self) -> None:
        """Labels have none."""
        return

    @property
    def error_name(self) -> str:
        """What `error` is."""
        sure = self.name == "weighted-majority" and not self.policy.randomized
        return "share of mistakes" if sure else "expected share of mistakes"

    @property
    def bounds_regret(self) -> bool:
        """Whether promises are about the regret, and not about the policy's own mistakes."""
        return self.name == "hedge"

    # Learning

    def learn(self, examples: Examples) -> None:
        """Predict and learn the rows of a chunk in their order; what nobody says is None.

        Raises
        ------
        BadData
            If a row cannot be learned; those before it have been.
        """
        if examples.y is None:
            raise BadParameter("Name the column that the labels are about.")
        X, y = np.asarray(examples.X, dtype=object), np.asarray(examples.y, dtype=object)
        if self.policy is None:
            self.policy = self._made_for(X, y)
        self._learn(replace(examples, X=X, y=y))

    def _made_for(self, X: Array, y: Array) -> Any:
        """The policy that was named, or the one for such labels."""
        seen = sorted({label for label in [*y, *X.ravel()] if label is not None})
        name, rows = self._asked, f"the first {len(X):,} rows" if len(X) > 1 else "the first row"
        if name is None:
            if _nothing(X).any():
                name, self.why = "sleeping-experts", f"because labels are missing in {rows}"
            elif len(seen) > 2 and self._labels is None:
                name, self.why = "sleeping-experts", f"because {rows} hold {len(seen)} labels"
            else:
                name, self.why = "weighted-majority", f"for two labels, none missing in {rows}"
        given = dict(self._parameters)
        if name == "weighted-majority":
            given["classes"] = tuple(self._both(seen))
        elif name == "sleeping-experts":
            given["loss"] = "zero-one"
        return make_learner(name, given)

    def _both(self, seen: list[Any]) -> list[Any]:
        """The two labels of weighted majority."""
        both = seen if self._labels is None else self._labels
        if len(both) == 2:
            return both
        listed = ", ".join(map(repr, both[:5])) + (", ..." if len(both) > 5 else "")
        if len(both) > 2:
            raise BadParameter(
                f"weighted-majority needs two labels, but there are {len(both)}: {listed}.",
                remedy=(policy("sleeping-experts"), " and hedge take any."),
            )
        raise BadParameter(
            f"weighted-majority needs two labels, but the first rows hold {len(both)}: {listed or 'none'}.",
            remedy=("Declare both", WITH_LABEL, "."),
        )

    def _until_bad(self, examples: Examples) -> tuple[int, BadData | None]:
        """How many rows come before one that cannot be learned, and the refusal of that one."""
        assert examples.y is not None
        # The outcome first, which is named where an expert's label is bad as well.
        cells = np.column_stack([examples.y, examples.X])
        empty = _nothing(cells)
        bad = empty.copy()
        if self.name == "sleeping-experts":
            bad[:, 1:] = False
        if self.name == "weighted-majority":
            first, second = self.policy.classes
            bad |= (cells != first) & (cells != second)
        rows = bad.any(axis=1)
        if not rows.any():
            return len(cells), None
        row = int(rows.argmax())
        column = int(bad[row].argmax())
        name = examples.features[column - 1] if column else examples.target
        where = Where(row=examples.first_row + row, name=name)
        if empty[row, column]:
            remedy = (
                (policy("sleeping-experts"), " takes labels that may be missing.")
                if column
                else None
            )
            return row, BadData(f"{self.source} holds no label in ", where, ".", remedy=remedy)
        listed = " and ".join(map(repr, self.policy.classes))
        why = f", which is none of the labels {listed}."
        more = (policy("sleeping-experts"), " and hedge take any.")
        return row, BadData(
            f"{self.source} holds {cells[row, column]!r} in ", where, why, remedy=more
        )

    def _play(self, examples: Examples) -> None:
        X, y, names = examples.X, np.asarray(examples.y), tuple(map(str, examples.features))
        if not len(X):
            return
        if self.name == "hedge":
            self.policy.play(Said((y[:, None] != X).astype(np.float64), names))
            return
        silent = int(_nothing(X).all(axis=1).sum())
        self.policy.play(Said(X, names), y)
        self.skipped += silent

    # What is known so far

    def _error(self, loss: float, rounds: int) -> float:
        return loss / rounds if rounds else 0.0

    @property
    def mean_error(self) -> None:
        """Labels have no mean."""
        return

    @property
    def rows(self) -> int:
        """Rows predicted and then learned, in this stream."""
        return 0 if self.policy is None else self._rounds() - self.rows_before

    @property
    def record(self) -> ExpertRecord:
        """The policy's run, what it knew before included."""
        record: ExpertRecord = self.policy.record_
        return record


def _nothing(cells: Array) -> Bools:
    nothing: Bools = np.frompyfunc(lambda cell: cell is None, 1, 1)(cells).astype(np.bool_)
    return nothing


def _require_labels(name: str) -> None:
    must = f"one of {', '.join(LABEL_POLICIES)}, which combine labels"
    require(name in LABEL_POLICIES, "policy", must, name)
