"""What linear online classifiers share: labels, several classes, chunks, single examples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Certified, Terms
from assay.learners.common.online_model import OnlineLinearModel
from assay.learners.common.player import NotANumber, Player
from assay.learners.common.rows import IN_ORDER, Rows
from assay.learners.common.sign_labels import (
    UnknownLabel,
    classes_of,
    first_classes,
    plain,
    require_two_classes,
    signs_of,
    unknown_label,
)
from assay.types import Array, Ints

if TYPE_CHECKING:
    from assay.guarantees.guarantee import Guarantee
    from assay.learners.common.light_path import LightPath
    from assay.record.linear_fit import LinearFitRecord
    from assay.record.online import OnlineRecord
    from assay.theory.rounding import Number

# How a player is to play a block of rows against labels of -1 and +1.
Play = Callable[[Player, Rows, Array], int]

_KEPT = "Everything before this row was learned."
_KEPT_SHUFFLED = "The rows that were played before it were learned."
# A seed is below this.
_SEEDS = 2**31 - 1


class OnlineLinearClassifier(Certified, ClassifierMixin, OnlineLinearModel):  # type: ignore[misc]
    """Base of the linear online classifiers; a subclass provides the player of one binary problem."""

    state = kinds.declare(
        classes_=kinds.maybe(kinds.labels),
        players_=kinds.parts("problems"),
        linear_fit_="assay.learners.common.linear_fit:MAYBE_FIT",
        # Of a fit that shuffled: files of before it could hold none, and their rows were played in their order.
        order_seed_=kinds.maybe(kinds.count),
    )

    #: Whether a fit counts its errors on the sample, for what the sample says about the error.
    counts_errors: ClassVar[bool] = False

    max_iter: int
    n_iter_no_change: int
    fit_intercept: bool
    warm_start: bool
    #: Whether `fit` plays the rows in a random order, a new one in every pass.
    shuffle: bool = False
    random_state: Any = None
    #: By how many mistakes a pass of `fit` must be better to count as better; None: `fit` waits for a clean one.
    tol: float | None = 0.0

    def _require_parameters(self) -> None:
        """Refuse parameters that a fit has no use for."""

    def _guarantees(self, record: Any, of: str, declared: Mapping[str, Any]) -> list[Guarantee]:
        """What the theorems say about one binary problem, from its record alone."""
        raise NotImplementedError

    # Learning

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Play the sample again and again until a pass is free of mistakes, or no longer improves.

        With `shuffle` every pass plays the rows in a random order of its own.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        from assay.theory.needs import count  # only here: a class shall cost little

        self._require_parameters()
        most = count("max_iter", self.max_iter, at_least=1)
        patience = count("n_iter_no_change", self.n_iter_no_change, at_least=1)
        patience, least = (most, 0.0) if self.tol is None else (patience, self.tol)
        fresh = not (self.warm_start and hasattr(self, "players_"))
        rows, labels = self._validated(X, y, reset=fresh)
        if fresh:
            self._open(classes_of(labels), rows)
        self._keep_order_seed()

        def until_clean(player: Player, rows: Rows, signs: Array) -> int:
            best, since = len(signs) + 1, 0
            orders = self._orders(len(signs))
            for done in range(1, most + 1):
                rows.order = next(orders)
                left = player.play(rows, signs)
                player.passes, player.clean = done, left == 0
                best, since = (left, 0) if left < best - least else (best, since + 1)
                if player.clean or since >= patience:
                    break
            return done

        self.n_iter_ = max(self._each(rows, labels, until_clean, kept=not fresh))
        self._count_errors(rows, labels)
        return self

    def _keep_order_seed(self) -> None:
        """Keep what the orders of a fit are drawn by, so that they can be drawn again."""
        self.__dict__.pop("order_seed_", None)
        seed = self._order_seed()
        if seed is not None:
            self.order_seed_ = seed

    def _orders(self, rows: int) -> Iterator[Ints]:
        """The order of every pass, the same for each class against the rest."""
        seed = getattr(self, "order_seed_", None)
        # A generator whose numbers never change from version to version: a fit is played again by its seed.
        random = None if seed is None else np.random.RandomState(seed)
        while True:
            yield IN_ORDER if random is None else random.permutation(rows)

    def _rows_played(self, rounds: Ints, rows: int) -> Ints:
        """The places in the sample of a fit, of so many rows, that these rounds of it played.

        Examples
        --------
        >>> from assay import Perceptron
        >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 1]
        >>> Perceptron(shuffle=False).fit(X, y)._rows_played(np.array([2, 5]), 4).tolist()
        [2, 1]
        >>> np.unique(Perceptron().fit(X, y)._rows_played(np.arange(4), 4)).tolist()
        [0, 1, 2, 3]
        """
        passes = islice(self._orders(rows), 1 + int(rounds.max(initial=0)) // rows)
        played: Ints = np.concatenate([o if o.size else np.arange(rows) for o in passes])[rounds]
        return played

    def _order_seed(self) -> int | None:
        """What the order of play is drawn by; None where it is that of the rows."""
        if not self.shuffle:
            return None
        return int(check_random_state(self.random_state).randint(_SEEDS))

    def _count_errors(self, rows: Rows, labels: Array) -> None:
        self.__dict__.pop("linear_fit_", None)
        # A single pass is what a stream has: to read all rows once more would take as long again.
        if self.counts_errors and self.n_iter_ > 1:
            from assay.learners.common.linear_fit import keep_fit

            # Of a warm start, the parameter may have been set since the players were made.
            rounds, constant = self.players_[0].rounds, bool(self.players_[0].constant)
            keep_fit(self, rows.whole, labels, self._chosen, constant=constant, rounds=rounds)

    def _records(self, *, trace: bool = False) -> tuple[OnlineRecord, ...]:
        records = super()._records(trace=trace)
        fit = getattr(self, "linear_fit_", None)
        # Whatever was learned since is another classifier, whose errors nobody has counted.
        if fit is None or fit.rounds != self.players_[0].rounds:
            return records
        return (replace(records[0], fit=fit), *records[1:])

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Play some more examples, once each.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels there are; needed in the first call.

        Returns
        -------
        self
        """
        rows, labels = self._continued(X, y, classes)
        self._each_once(rows, labels, lambda player, rows, signs: player.play(rows, signs))
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        return self

    def _continued(self, X: Any, y: Any, classes: Any) -> tuple[Rows, Array]:
        """The rows and labels of a chunk; the first one opens the run."""
        first = not hasattr(self, "players_")
        rows, labels = self._validated(X, y, reset=first)
        if first:
            if classes is None:
                raise BadData(
                    "classes must be given in the first call of partial_fit: all labels there are."
                )
            self._open(np.unique(np.asarray(classes)), rows)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise BadData("classes must be the same in every call of partial_fit.")
        return rows, labels

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        X, y = self._read(X, y, reset=reset, order="C")
        return Rows.of(X), np.asarray(y)

    def _open(self, classes: Array, rows: Rows) -> None:
        require_two_classes(self, classes)
        self.classes_ = classes
        self._light = None
        self.__dict__.pop("feature_index_", None)
        self.__dict__.pop("sparse_coef_", None)
        problems = 1 if len(classes) == 2 else len(classes)
        self.players_ = [self._begin(rows.width, rows.dtype) for _ in range(problems)]
        for player in self.players_:
            player.tracing = self.trace

    def _problems(self, labels: Array, rows: Rows) -> Iterator[tuple[Player, Array]]:
        """Each player with its labels of -1 and +1: one against the rest, unless there are just two."""
        positives = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        for player, positive in zip(self.players_, positives, strict=True):
            yield player, signs_of(labels, positive, self.classes_, player.weights.dtype)

    def _each(self, rows: Rows, labels: Array, play: Play, *, kept: bool = True) -> list[int]:
        """Let every player play; a row that cannot be played stops all of them there.

        The refusal says that the rows before it were learned, unless they are not to be `kept`.
        """
        self._light = None
        answers, stopped = [], None
        for player, signs in self._problems(labels, rows):
            try:
                answers.append(play(player, rows, signs))
            except NotANumber as bad:
                if stopped is None or bad.place < stopped[0]:
                    stopped = bad.place, player
        if stopped is not None:
            place, player = stopped
            refusal = player.refusal(rows, place, self._names())
            told = _KEPT_SHUFFLED if rows.order.size else _KEPT
            raise BadData(*refusal.args, f" {told}") if kept else refusal
        return answers

    def _each_once(self, rows: Rows, labels: Array, play: Play) -> None:
        """The same for examples played once: those before an unknown label are learned."""
        try:
            self._each(rows, labels, play)
        except UnknownLabel as unknown:
            row = 0 if unknown.where is None else unknown.where.row or 0
            self._each(rows.part(0, row), labels[:row], play)
            raise BadData(*unknown.args, f" {_KEPT}") from None

    # Predicting

    def _weights(self) -> Array:
        return np.stack([player.coef for player in self._fitted()])

    @property
    def intercept_(self) -> Array:
        """The weights of the constant feature."""
        return np.concatenate([player.intercept for player in self._fitted()])

    def decision_function(self, X: Any) -> Array:
        """The score of every row: of shape (n_samples,) for two classes, else (n_samples, n_classes)."""
        check_is_fitted(self, "players_")
        X = self._read(X)
        with np.errstate(invalid="ignore", over="ignore"):  # refused below, by row and column
            scores = np.asarray(X @ self._weights().T + self.intercept_)
        bad = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if bad.size:
            raise self.players_[0].refusal(Rows.of(X), int(bad[0]), self._names())
        self._check_cells(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _check_cells(self, X: Any) -> None:
        """Refuse examples of finite numbers that the learner has no use for."""

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        scores = self.decision_function(X)
        return self._chosen(scores[:, None] if scores.ndim == 1 else scores)

    def _chosen(self, scores: Array) -> Array:
        """The labels for scores that have a column for each problem."""
        if scores.shape[1] == 1:
            return np.asarray(self.classes_[self._sides(scores[:, 0])])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def _sides(self, scores: Array) -> NDArray[np.int_]:
        """Zero for the first class, one for the second; a score of zero counts as positive."""
        return (scores >= 0).astype(int)

    # One example at a time

    def learn_one(self, x: Any, y: Any, classes: Sequence[Any] | None = None) -> None:
        """Learn from one example, a vector or a dict of features, and its label.

        Gives the same bits as `partial_fit` on the same examples, given in the same form: one example is
        dense, and sums over a sparse row are added up in another order. A feature that a dict names for
        the first time gets a place of its own; one that it leaves out is zero.

        Parameters
        ----------
        x : array-like of shape (n_features,), or dict of numbers
        y : label
        classes : sequence of labels, optional
            All labels there are; needed with the first example, unless they are truth values.
        """
        light = self._light
        if light is None:
            if not hasattr(self, "players_"):
                from assay.learners.common.learned_rows import begin  # once in a run

                known = first_classes(y, classes)
                self._refuse_cells(x)
                self._open_one(x, known)
                begin(self)
            light = self._light = self._lighten()
        try:
            label = light.places[y]
        except (KeyError, TypeError):
            raise unknown_label(y, self.classes_) from None
        players, told = self.players_, light.told
        if told is not None:
            if told[1] == label and type(x) is dict and len(x) == light.width:
                # Just predicted, and rightly: the weights stay, so there is nothing to compute again.
                try:
                    if light.read(x) == told[0]:
                        players[0].rounds += 1
                        kept = light.kept
                        if kept is not None:
                            kept.rows += 1
                            if kept.rows > kept.due:
                                light.remember(light.row(told[0]), y)
                        return
                except light.UNREADABLE:
                    pass
            light.told = None
        row = self._one(x, grow=True)
        try:
            if len(players) == 1:
                players[0].play_one(row, label == 1)
            else:
                for place, player in enumerate(players):
                    player.play_one(row, label == place)
        except NotANumber:
            raise self._refusal_of_one(x) from None
        kept = light.kept
        if kept is not None:
            kept.rows += 1
            if kept.rows > kept.due:
                light.remember(row, y)

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example; changes nothing. None before anything was learned."""
        light = self._light
        if light is None:
            if not hasattr(self, "players_"):
                return None
            light = self._light = self._lighten()
        players = self.players_
        values = None
        if type(x) is dict and len(x) == light.width and len(players) == 1:
            try:
                values = light.read(x)
                score = players[0].score_packed(light.pack(*values))
            except light.UNREADABLE:
                values = None
        if values is None:
            row = self._one(x, grow=False)
            score = players[0].score(row)
        if not math.isfinite(score):
            raise self._refusal_of_one(x)
        if len(players) > 1:
            scores = [score] + [player.score(row) for player in players[1:]]
            return light.labels[scores.index(max(scores))]
        if not score:
            light.told = None
            return light.labels[self._sides(np.zeros(1))[0]]
        side = score > 0
        light.told = (values, side) if values and players[0].mistakes_only else None
        return light.labels[side]

    def _lighten(self) -> LightPath:
        from assay.learners.common.light_path import LightPath

        kept = vars(self).get("fitted_rows_")
        return LightPath(self._index(), self.players_[0].bias.dtype, self.classes_, kept)

    def _open_one(self, x: Any, classes: Array) -> None:
        if isinstance(x, Mapping):
            self._open(classes, Rows(dense=np.zeros((1, 0))))
            self.feature_index_ = {}
        else:
            row = self._vector(x, np.dtype(np.float64))
            self._open(classes, Rows(dense=row.reshape(1, -1)))
            self.n_features_in_ = len(row)

    # What is known about it

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The theorems about this run, of each class against the rest where there are more than two."""
        from assay.guarantees.subject import Subject

        players = self._fitted()
        labels = [None] if len(players) == 1 else [plain(label) for label in self.classes_]
        guarantees: list[Guarantee] = []
        records = self._records()
        for player, record, label in zip(players, records, labels, strict=True):
            guarantees += self._guarantees(record, Subject("mistakes", label), terms.declared)
            player.hindsight.adopt(record.hindsight)  # so that nothing is searched for twice
        return [*guarantees, *self._from_fit(records[0].fit, terms.delta)]

    def _from_fit(self, fit: LinearFitRecord | None, delta: Number) -> list[Guarantee]:
        """What the errors on the sample of a fit say about the error."""
        return []
