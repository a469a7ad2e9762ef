"""The stream: chunk after chunk, every row is predicted, then learned, and counted against the bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from assay.certificates.certificate import Certificate
from assay.certificates.issue.stream import (
    KNOWN_BEFORE,
    SCALED,
    Order,
    Overlap,
    certify_stream,
    predicted_first,
    require_order,
)
from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, Where, require
from assay.evidence.column_digest import LabelDigest
from assay.evidence.columns import read_column
from assay.evidence.labels import coded_pieces
from assay.evidence.repeats import Repeats
from assay.evidence.spread_rows import SpreadExamples
from assay.guarantees.assumption import Assumption, Status
from assay.guarantees.guarantee import Guarantee
from assay.learners.common.guaranteed import fitted_elsewhere
from assay.learners.common.running_scale import RunningScale
from assay.learners.common.sign_labels import classes_of, plain
from assay.play.game import Game, counted
from assay.play.remedies import WITH_LABEL
from assay.play.row_stream import RowStream, typed, unknown_label
from assay.play.rows_again import remembering_as
from assay.theory.needs import inside_unit
from assay.theory.rounding import Number
from assay.theory.tail.progressive_anytime import progressive_anytime
from assay.types import Array

#: How many rows are held back, at most, until a second label has been seen.
MOST_HELD = 2**15


@dataclass(frozen=True)
class Standing:
    """Where a stream stands.

    Attributes
    ----------
    rows : int
        Rows predicted and then learned.
    errors : int
        How many of them were predicted wrongly.
    error : float
        The share of errors.
    promised : float
        What the mean error of the hypotheses is promised to be at most, at this and every moment; 1 where rows
        came again more than chance allows.
    """

    rows: int
    errors: int
    error: float
    promised: float


class Stream(RowStream):
    """A learner on a stream of examples.

    Everything learned stays learned, whatever happens to the stream: when a row cannot be learned, all rows
    before it have been, and the count says how many.

    Parameters
    ----------
    learner : estimator
        One of assay's online classifiers; it goes on from what it knows.
    delta : number, default=0.05
        The probability that the promise about the error fails.
    labels : sequence of str, optional
        All labels there are, as text; otherwise those of the first rows.
    source : str
        What the stream is called in refusals and in the certificate.
    scale : RunningScale, optional
        Scales every row before it is predicted; kept with the learner as `scale_`, which is where one that
        goes on has it from. All bounds are then about the scaled rows.
    overlap : {"refuse", "keep"}, default="refuse"
        What rows mean that came again more than chance allows: that nothing is promised; or, with "keep", you
        declare that equal rows are separate draws.
    independent : bool, default=False
        Whether you declare that the rows are independent draws from one distribution: then the promise is
        about new rows too, unless the order of the rows tells that they are not.
    order : {"none"}, optional
        Declares that the order of the rows is not the order in which they were drawn. Otherwise, where they are
        declared to be independent draws, it is looked at.

    Examples
    --------
    >>> from assay import Perceptron
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> stream = Stream(Perceptron())
    >>> for start in range(0, 1000, 100):
    ...     part = slice(start, start + 100)
    ...     stream.learn(Examples(X[part], X[part, 0] > 0, ["a", "b", "c"], "label", None, start + 1))
    >>> stream.close()
    >>> stream.standing().errors
    52
    """

    def __init__(
        self,
        learner: Any,
        *,
        delta: Number = 0.05,
        labels: Sequence[str] = (),
        source: str = "the stream",
        scale: RunningScale | None = None,
        overlap: Overlap = "refuse",
        independent: bool = False,
        order: Order | None = None,
    ) -> None:
        inside_unit("delta", delta)
        require(overlap in get_args(Overlap), "overlap", "'refuse' or 'keep'", overlap)
        require_order(order, independent)
        self.overlap, self.independent, self.order = overlap, independent, order
        self._spread = SpreadExamples() if independent and order is None else None
        self.learner, self.delta, self.source = learner, delta, source
        self._game = Game(learner, getattr(learner, "classes_", None))
        self.scale: RunningScale | None = scale or getattr(learner, "scale_", None)
        self.rows_before = counted(learner)[0]
        self._declared = tuple(labels)
        by = fitted_elsewhere(learner)
        self._taken = [] if by is None else [f"fitted by {by} before, to rows that are not known"]
        self._held: list[Examples] = []
        self._truth: LabelDigest | None = None
        self._target: str | None = None

    # Learning

    def learn(self, examples: Examples) -> None:
        """Predict and learn the rows of a chunk in their order.

        Raises
        ------
        BadData
            If a row cannot be learned; those before it have been.
        """
        if examples.y is None:
            raise BadParameter("Name the column to predict.")
        self._target = self._target or examples.target
        if not self.rows and not self.rows_before and not self._held and _has_words(examples):
            self._taken.append("categories taken from the first rows")
        if self._game.classes is not None:
            self._learn(examples)
            return
        self._held.append(examples)
        if self._declared:
            self._open(_declared(self._declared, examples.y))
            return
        labels = np.concatenate([held.y for held in self._held if held.y is not None])
        classes = self._classes_in(labels, examples)
        if len(classes) > 1:
            self._taken.append(f"labels taken from the first {len(labels):,} rows")
            self._open(classes)
        elif len(labels) >= MOST_HELD:
            self.close()

    def _classes_in(self, labels: Array, examples: Examples) -> Array:
        try:
            return classes_of(labels)
        except BadData as problem:
            self._held = []
            where = Where(name=examples.target, of="y", source=self.source)
            raise problem.but(where=where) from None

    def close(self) -> None:
        """Learn what was held back; refuses a stream that has shown but one label."""
        if self._held:
            label = self._held[0].y[0]  # type: ignore[index]
            rows = sum(map(len, self._held))
            self._held = []
            raise BadData(
                f"{self.source} holds only the label {plain(label)!r} in its first {rows:,} rows, and a "
                "classifier needs two.",
                remedy=("Declare all labels", WITH_LABEL, "."),
            )

    def _open(self, classes: Array) -> None:
        self._game.classes = classes
        held, self._held = self._held, []
        for examples in held:
            self._learn(examples)

    def _play(self, examples: Examples) -> None:
        if self.scale is not None:
            self._play_scaled(examples.X, examples.y, examples)
        elif len(examples):
            self._play_rows(examples.X, examples.y, examples, examples.X)

    def _play_scaled(self, X: Any, y: Any, examples: Examples) -> None:
        """Play the rows as they are after scaling; the scale knows the rows that were learned, and no other."""
        assert self.scale is not None
        before, rows = self.scale.copy(), self.rows
        scaled, refusal = self.scale.until_refused(X)
        try:
            if len(scaled):
                # Scaled, a row is another one each time: the learner is to know it as it came.
                with remembering_as(self.learner, X, y, lambda: self.rows - rows):
                    self._play_rows(scaled, y[: len(scaled)], examples, X)
        except BadData:
            before.until_refused(X[: self.rows - rows])
            self.scale = before
            raise
        finally:
            if self.rows:
                self.learner.scale_ = self.scale
        if refusal is not None:
            raise self._placed(refusal, examples, examples.first_row)

    def _until_bad(self, examples: Examples) -> tuple[int, BadData | None]:
        """How many rows come before a label that is no class, and the refusal of that label."""
        classes = self._game.classes
        assert classes is not None
        known = np.zeros(len(examples), dtype=bool)
        for label in classes:
            known |= examples.y == label
        if known.all():
            return len(examples), None
        place = int(np.argmin(known))
        return place, unknown_label(self.source, examples, place, classes, "labels")

    def _play_rows(self, X: Any, y: Any, examples: Examples, as_came: Any) -> None:
        rows = self.rows
        try:
            self._game.learn_rows(X, y, as_came=as_came)
        except BadData as refusal:
            # Learned at once, a block names the row itself; by turns, the row is the one it came to.
            came_to = 0 if self._game.at_once else self.rows - rows
            raise self._placed(refusal, examples, examples.first_row + came_to) from None
        finally:
            done = self.rows - rows
            self._digest(y[:done])
            if self._spread is not None and done:
                self._spread.add((as_came[:done], y[:done]), done)

    def _digest(self, y: Array) -> None:
        if len(y):
            self._truth = self._truth or LabelDigest("labels")
            column = read_column(y, "labels", self._truth.rows)
            for piece in coded_pieces(column, "labels", self._truth.rows):
                self._truth.update(piece)

    def _placed(self, refusal: BadData, examples: Examples, first_row: int) -> BadData:
        """A refusal with the row of the stream and the name of the column."""
        where, names = refusal.where, examples.features
        if where is None:
            return refusal.but(where=Where(source=self.source))
        column = where.column
        if isinstance(column, int) and column < len(names):
            column = names[column]
        row = first_row + (where.row or 0)
        where = replace(where, row=row, column=column, source=self.source)
        return refusal.but(where=where)

    # What is known so far

    @property
    def rows(self) -> int:
        """Rows predicted and then learned."""
        return self._game.rows

    @property
    def errors(self) -> int:
        """How many of them were predicted wrongly."""
        return self._game.errors

    def standing(self) -> Standing:
        """The counts and the promise as they are now."""
        if not self.rows:
            return Standing(0, 0, 0.0, 1.0)
        promised = 1.0
        if self._predicted_first().status != "violated":
            promised = progressive_anytime(self.errors, self.rows, self.delta)
        return Standing(self.rows, self.errors, self.errors / self.rows, promised)

    def repeats(self) -> Repeats | None:
        """What is known about rows that came again; None where rows cannot be compared."""
        return self._game.repeats()

    def _predicted_first(self) -> Assumption:
        return predicted_first(self.repeats(), self.overlap, self.rows_before)

    def guarantees(self) -> list[Guarantee]:
        """What the learner's theorems say about its whole run."""
        guarantees = self.learner.guarantees() if self.rows else []
        return [replace(g, assumptions=(*g.assumptions, *self._scaled())) for g in guarantees]

    def _scaled(self) -> tuple[Assumption, ...]:
        """That bounds are about scaled rows, where they are."""
        return () if self.scale is None else (Assumption(SCALED, "by construction"),)

    def _known_before(self) -> Assumption:
        """Whether anything about later rows was known to the first hypotheses."""
        status: Status = "assumed" if self._taken else "declared"
        return Assumption(KNOWN_BEFORE, status, ", ".join(self._taken))

    def certificate(self, model: str | None = None, *, again: str = "") -> Certificate:
        """The certificate of the stream as far as it came.

        Parameters
        ----------
        model : str, optional
            The digest of the model file.
        again : str, optional
            How often a column that names rows repeats itself, in words: such rows are no independent draws.
        """
        return certify_stream(
            rows=self.rows,
            errors=self.errors,
            delta=self.delta,
            guarantees=self.guarantees(),
            known=(self._known_before(), *self._scaled()),
            rows_before=self.rows_before,
            data=None if self._truth is None else self._truth.finish(),
            target=self._target,
            model=model,
            drawn=f"all rows of {self.source}, in their order",
            repeats=self.repeats(),
            overlap=self.overlap,
            independent=self.independent,
            order=self.order if self._spread is None else self._spread.check(),
            again=again,
        )


def _has_words(examples: Examples) -> bool:
    """Whether some column was read as categories."""
    encoder = examples.encoder
    return encoder is not None and any(column.kind == "category" for column in encoder.columns)


def _declared(labels: Sequence[str], y: Array) -> Array:
    """The labels that were declared, in the type that the stream has them."""
    try:
        return typed(labels, y)
    except (KeyError, ValueError):
        raise BadParameter(
            f"labels must be values of the kind that the stream has, such as {plain(y[0])!r}, but are "
            f"{', '.join(map(repr, labels))}."
        ) from None
