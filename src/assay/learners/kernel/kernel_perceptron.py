"""The kernel perceptron."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.kernel_perceptron import kernel_perceptron_guarantees
from assay.kernels import Kernel
from assay.kernels.strings import takes_strings
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import first_classes, unknown_label
from assay.learners.common.training_promises import MistakePromises, kernel_margins
from assay.learners.kernel.examples import are_strings, is_precomputed, read_examples, read_sample
from assay.learners.kernel.gram_player import GramPlayer, Texts
from assay.learners.kernel.kernel_learner import KernelLearner
from assay.learners.kernel.mistake_sum import MistakeSum
from assay.learners.kernel.perceptron_player import KernelPlayer
from assay.learners.registry import register
from assay.record.kernel import KernelRecord
from assay.theory.needs import count
from assay.types import Array, Floats


@register(
    "kernel-perceptron",
    use="curved boundaries on a stream",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class KernelPerceptron(KernelLearner, MistakePromises, OnlineLinearClassifier):
    r"""Predict :math:`\operatorname{sgn}\sum_q y_qk(x_q,x)` over the mistakes made; a mistake joins the sum.

    It is the perceptron in the feature space of the kernel, which is never written down. For every
    vector u there with total hinge loss L, the mistakes M satisfy :math:`M\le L+\sqrt{D\|u\|^2M}`, where D
    is the largest k(x, x); if u has margin one on every example, :math:`M\le D\|u\|^2`
    (``kernel-perceptron-mistakes``). With the kernel of all products it learns an OR of k ANDs of boolean
    features with at most :math:`(4k+1)\max_t2^{|x_t|}` mistakes (``perceptron-dnf-mistakes``); `KTermDNF`
    is that learner with exact sums for any number of features, and writes the formula down.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A kernel of `assay.kernels`, one of scikit-learn's names, or a function of two matrices.
    gamma : float, "auto" or "scale", default="auto"
        For ``"rbf"``, ``"poly"`` and ``"laplacian"``: a number; one over the number of features; or that over
        the variance of the rows given first, which single examples cannot tell.
    degree : int, default=3
        For ``"poly"``.
    coef0 : float, default=1.0
        For ``"poly"``.
    zero : {1, -1, "mistake"}, default=1
        The label predicted at a score of exactly zero, or that such a score counts as wrong.
    budget : int, default=None
        The most mistakes that are kept; beyond it the oldest is forgotten, and no bound holds any more.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from what it has learned.
    trace : bool, default=False
        Whether `record_` holds, mistake by mistake, what the proof follows: the squared length of the
        weight vector, and the largest k(x, x) so far.
    shuffle : bool, default=True
        Whether `fit` plays the rows in a new random order in every pass. What is promised holds in any order.
        `partial_fit`, `learn_one` and `assay.play` keep the order in which examples come.
    random_state : int, RandomState instance or None, default=0
        The seed of these orders; the same by default, as that of scikit-learn's Perceptron is.

    Attributes
    ----------
    classes_ : array
        The labels; of two, the second one is the positive one.
    kernel_ : Kernel
        The kernel that was meant.
    support_vectors_ : array or CSR matrix, or tuple of these
        The mistaken examples, one after the other, for each class against the rest; of a precomputed kernel the
        places of these.
    dual_coef_ : array, or tuple of arrays
        Their labels of -1 and +1.
    n_iter_ : int
        Passes made.
    record_ : KernelRecord
        Rounds, mistakes, and the radius in feature space.

    References
    ----------
    .. [1] Aizerman, Braverman & Rozonoer (1964). Theoretical foundations of the potential function method in
       pattern recognition learning.
    .. [2] Crammer, Kandola & Singer (2004). Online classification on a budget.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import KernelPerceptron
    >>> from assay.kernels import Polynomial
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = KernelPerceptron(Polynomial(2), shuffle=False).fit(X, [0, 1, 1, 0])
    >>> model.predict(X).tolist(), model.record_.mistakes
    ([0, 1, 1, 0], 21)
    >>> print(model.guarantees()[0])
    mistakes: at most 105, observed 21, by kernel-perceptron-mistakes
    """

    state = kinds.declare(kernel_=kinds.maybe(kinds.instance(Kernel)))

    #: Nothing is learned from a right prediction.
    conservative = True
    declares = ("squared_norm", "terms")
    has_weights = False
    _fitting = False

    kernel: Kernel | str | Callable[[Any, Any], Any] = "rbf"
    gamma: float | str = "auto"
    degree: int = 3
    coef0: float = 1.0
    zero: Literal[1, -1, "mistake"] = 1
    budget: int | None = None
    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False
    shuffle: bool = True
    random_state: Any = 0

    # Learning

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Play the sample again and again until a pass is free of mistakes, or no longer improves.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of strings
            For ``kernel="precomputed"``, the kernel matrix; strings for a kernel of strings.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._fitting = True
        try:
            return super().fit(X, y)
        finally:
            del self._fitting
            for player in getattr(self, "players_", ()):
                player.let_go()

    def _each(self, rows: Rows, labels: Array, play: Any, *, kept: bool = True) -> list[int]:
        if self._fitting:
            for player in self._kernel_players():
                player.keep(rows)
        return super()._each(rows, labels, play, kept=kept)

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        if is_precomputed(self.kernel) and not self._fitting:
            raise BadParameter(
                "partial_fit needs a kernel that can be computed, but the kernel is precomputed: its columns "
                "are the examples of one fit."
            )
        how = {"dtype": np.float64, "order": "C", "ensure_all_finite": False}
        X, y = read_sample(self, X, y, reset=reset, **how)
        return _rows(X), np.asarray(y)

    def _open(self, classes: Array, rows: Rows) -> None:
        self.__dict__.pop("defect_", None)
        # Of rows that come bit by bit only the mistaken ones are looked at.
        kernel_of = self._looked_at if self._fitting else self._kernel_of
        self.kernel_ = kernel_of(rows.whole)
        super()._open(classes, rows)

    def _open_one(self, x: Any, classes: Array) -> None:
        if is_precomputed(self.kernel):
            raise BadParameter(
                "learn_one needs a kernel that can be computed, but the kernel is precomputed."
            )
        named = self.kernel in ("rbf", "poly", "polynomial", "laplacian", "sigmoid")
        if named and self.gamma == "scale":
            raise BadParameter(
                "gamma='scale' is read from a sample, and one example is none: give a number or 'auto'."
            )
        super()._open_one(x, classes)

    def _grow(self, x: Mapping[Any, Any], index: dict[Any, int]) -> None:
        super()._grow(x, index)
        if not any(player.rounds for player in self.players_):
            # The first example says how many features there are, which "auto" asks for.
            self.kernel_ = self._kernel_of(np.zeros((1, len(index))))
            for player in self._kernel_players():
                player.kernel = self.kernel_

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        require(self.zero in (1, -1, "mistake"), "zero", "1, -1 or 'mistake'", self.zero)
        budget = None if self.budget is None else count("budget", self.budget, at_least=1)
        known = is_precomputed(self.kernel_) or takes_strings(self.kernel_)
        player = GramPlayer if known else KernelPlayer
        return player(width, self.kernel_, self.zero, budget)

    def _sides(self, scores: Array) -> NDArray[np.int_]:
        return ((scores > 0) if self.zero == -1 else (scores >= 0)).astype(int)

    def _kernel_players(self) -> list[MistakeSum]:
        return [player for player in self._fitted() if isinstance(player, MistakeSum)]

    # What was learned

    @property
    def support_vectors_(self) -> Any:
        """The mistaken examples."""
        return _only([player.examples for player in self._kernel_players()])

    @property
    def dual_coef_(self) -> Any:
        """The labels of the mistaken examples."""
        return _only([player.labels for player in self._kernel_players()])

    @property
    def coef_(self) -> Array:
        """Only learners with a weight for each feature have it."""
        raise AttributeError(
            "KernelPerceptron has no weights; see support_vectors_ and dual_coef_."
        )

    intercept_ = coef_

    def decision_function(self, X: Any) -> Array:
        """The score of every row: of shape (n_samples,) for two classes, else (n_samples, n_classes)."""
        check_is_fitted(self, "players_")
        X = read_examples(self, X, dtype=np.float64, ensure_all_finite=False)
        rows, players = _rows(X), self._kernel_players()
        if isinstance(rows, Rows):
            self._require_finite(rows)
        scores = np.column_stack([player.scores(rows) for player in players])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _require_finite(self, rows: Rows) -> None:
        finite = np.isfinite(rows.arrays[0])
        if not finite.all():
            cell = int(np.flatnonzero(~finite.ravel())[0])
            starts = rows.matrix.indptr if rows.dense is None else None
            row = cell // rows.width
            if starts is not None:
                row = int(np.searchsorted(starts, cell, "right")) - 1
            raise self.players_[0].refusal(rows, row, self._names())

    # One example at a time

    def learn_one(self, x: Any, y: Any, classes: Sequence[Any] | None = None) -> None:
        """Learn from one example, a vector, a dict of features or a string, and its label.

        Gives the same bits as `partial_fit` on the same examples, given in the same form.

        Parameters
        ----------
        x : array-like of shape (n_features,), dict of numbers, or str
        y : label
        classes : sequence of labels, optional
            All labels there are; needed with the first example, unless they are truth values.
        """
        if not takes_strings(self.kernel):
            super().learn_one(x, y, classes)
            return
        known = None if hasattr(self, "players_") else first_classes(y, classes)
        if known is None and y not in self.classes_.tolist():
            raise unknown_label(y, self.classes_)
        self.partial_fit([x], [y], classes=known)

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example; changes nothing. None before anything was learned."""
        if not takes_strings(self.kernel):
            return super().predict_one(x)
        return self.predict([x]).tolist()[0] if hasattr(self, "players_") else None

    # What is known about it

    def _row_margins(self, X: Any, y: Any) -> Floats | None:
        if takes_strings(self.kernel) or is_precomputed(self.kernel):
            return None
        X, labels = self._sample_of(X, y)
        signs = self._signed(labels)
        if signs is None:
            return None
        if hasattr(self, "defect_"):
            return np.zeros(len(labels))  # without a feature space nothing is wide
        [player] = self._kernel_players()
        examples, coefficients = player.examples, player.labels
        sizes = np.sqrt(np.asarray(self.kernel_.diagonal(examples), dtype=np.float64))
        own = player.scores(Rows.of(examples)) if len(coefficients) else np.zeros(0)
        squares = np.asarray(self.kernel_.diagonal(X), dtype=np.float64)
        square = float(coefficients @ own)
        return kernel_margins(signs * player.scores(Rows.of(X)), square, squares, sizes)

    def _records(self, *, trace: bool = False) -> tuple[KernelRecord, ...]:
        """The record of each binary problem, with what the kernel matrix of the sample was found to have."""
        defect, names = getattr(self, "defect_", None), self._names()
        records = (player.record(trace=trace, names=names) for player in self._kernel_players())
        return tuple(replace(record, defect=defect) for record in records)

    def _guarantees(
        self, record: KernelRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return kernel_perceptron_guarantees(record, of, declared)


def _only(values: list[Any]) -> Any:
    """The only value, or all of them where there are several problems."""
    return values[0] if len(values) == 1 else tuple(values)


def _rows(X: Any) -> Any:
    """Strings, or rows whose columns are in order, none twice."""
    if are_strings(X):
        return Texts(X)
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Rows.of(X)
