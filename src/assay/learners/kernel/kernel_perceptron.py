"""The kernel perceptron."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.certificates.assumption import Assumption
from assay.certificates.guarantee import Guarantee
from assay.certificates.mistakes import mistake_guarantee
from assay.errors import BadData, BadParameter, require
from assay.kernels import AllProducts, Kernel, Precomputed, as_kernel
from assay.learners.boolean.dnf import small_dnf
from assay.learners.boolean.mistaken import explained
from assay.learners.kernel.feature_space import MOST, along_the_weights, best_comparator
from assay.learners.kernel.perceptron_player import KernelPlayer
from assay.learners.linear.online import OnlineLinearClassifier
from assay.learners.linear.player import Player
from assay.learners.registry import register
from assay.learners.rows import Rows
from assay.theory.mistake.kernel_perceptron import (
    KERNEL,
    kernel_perceptron_mistakes,
    perceptron_dnf_mistakes,
)
from assay.theory.mistake.perceptron import UPDATES_ON_MISTAKES
from assay.theory.needs import count
from assay.theory.registry import find_theorem

_THEOREM = "kernel-perceptron-mistakes"
_DNF = "perceptron-dnf-mistakes"
# Whole numbers up to this are sums of doubles without rounding.
_EXACT = 2.0**53


@register("kernel-perceptron")
class KernelPerceptron(OnlineLinearClassifier):
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

    Attributes
    ----------
    classes_ : array
        The labels; of two, the second one is the positive one.
    kernel_ : Kernel
        The kernel that was meant.
    support_vectors_ : array or CSR matrix, or tuple of these
        The mistaken examples, one after the other, for each class against the rest.
    dual_coef_ : array, or tuple of arrays
        Their labels of -1 and +1.
    n_iter_ : int
        Passes made.
    record_ : OnlineRecord
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
    >>> model = KernelPerceptron(Polynomial(2)).fit(X, [0, 1, 1, 0])
    >>> model.predict(X).tolist(), model.record_.mistakes
    ([0, 1, 1, 0], 21)
    >>> print(model.guarantees()[0])
    mistakes: at most 105, observed 21, by kernel-perceptron-mistakes
    """

    #: Nothing is learned from a right prediction.
    conservative = True
    declares = ("squared_norm", "terms")

    def __init__(
        self,
        kernel: Kernel | str | Callable[[Any, Any], Any] = "rbf",
        gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 1.0,
        zero: Literal[1, -1, "mistake"] = 1,
        budget: int | None = None,
        max_iter: int = 1000,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        trace: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.zero = zero
        self.budget = budget
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.trace = trace

    # Learning

    def fit(self, X: Any, y: Any) -> Any:
        """Play the sample again and again until a pass is free of mistakes, or no longer improves.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
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

    def _each(self, rows: Rows, labels: NDArray[Any], play: Any) -> list[int]:
        if getattr(self, "_fitting", False):
            for player in self._kernel_players():
                player.keep(rows)
        return super()._each(rows, labels, play)

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, NDArray[Any]]:
        X, y = validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
        )
        return _rows(X), np.asarray(y)

    def _open(self, classes: NDArray[Any], rows: Rows) -> None:
        self.kernel_ = self._meant(rows.whole)
        super()._open(classes, rows)

    def _open_one(self, x: Any, classes: NDArray[Any]) -> None:
        named = self.kernel in ("rbf", "poly", "polynomial", "laplacian")
        if named and self.gamma == "scale":
            raise BadParameter(
                "gamma='scale' is read from a sample, and one example is none: give a number or 'auto'."
            )
        super()._open_one(x, classes)

    def _grow(self, x: Mapping[Any, Any], index: dict[Any, int]) -> None:
        super()._grow(x, index)
        if not any(player.rounds for player in self.players_):
            # The first example says how many features there are, which "auto" asks for.
            self.kernel_ = self._meant(np.zeros((1, len(index))))
            for player in self._kernel_players():
                player.kernel = self.kernel_

    def _meant(self, X: Any) -> Kernel:
        kernel = as_kernel(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X)
        if isinstance(kernel, Precomputed) or kernel.takes != "rows of numbers":
            raise BadParameter(
                f"The kernel of KernelPerceptron must take rows of numbers, but is {kernel!r}."
            )
        return kernel

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        require(self.zero in (1, -1, "mistake"), "zero", "1, -1 or 'mistake'", self.zero)
        budget = None if self.budget is None else count("budget", self.budget, at_least=1)
        return KernelPlayer(width, self.kernel_, self.zero, budget)

    def _sides(self, scores: NDArray[Any]) -> NDArray[np.int_]:
        return ((scores > 0) if self.zero == -1 else (scores >= 0)).astype(int)

    def _kernel_players(self) -> list[KernelPlayer]:
        return [player for player in self._fitted() if isinstance(player, KernelPlayer)]

    # What was learned

    @property
    def support_vectors_(self) -> Any:
        """The mistaken examples."""
        found = tuple(player.examples for player in self._kernel_players())
        return found[0] if len(found) == 1 else found

    @property
    def dual_coef_(self) -> Any:
        """The labels of the mistaken examples."""
        found = tuple(player.labels for player in self._kernel_players())
        return found[0] if len(found) == 1 else found

    @property
    def coef_(self) -> NDArray[Any]:
        """Only learners with a weight for each feature have it."""
        raise AttributeError(
            "KernelPerceptron has no weights; see support_vectors_ and dual_coef_."
        )

    @property
    def intercept_(self) -> NDArray[Any]:
        """Only learners with a weight for each feature have it."""
        raise AttributeError(
            "KernelPerceptron has no weights; see support_vectors_ and dual_coef_."
        )

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The score of every row: of shape (n_samples,) for two classes, else (n_samples, n_classes)."""
        check_is_fitted(self, "players_")
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite=False,
        )
        rows, players = _rows(X), self._kernel_players()
        finite = np.isfinite(rows.arrays[0])
        if not finite.all():
            cell = int(np.flatnonzero(~finite.ravel())[0])
            starts = rows.matrix.indptr if rows.dense is None else None
            row = (
                cell // rows.width if starts is None else np.searchsorted(starts, cell, "right") - 1
            )
            raise BadData(players[0].refusal(rows, int(row), self._names()))
        scores = np.column_stack([player.scores(rows) for player in players])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    # What is known about it

    def _guarantees(self, player: Player, of: str, declared: Mapping[str, Any]) -> list[Guarantee]:
        assert isinstance(player, KernelPlayer)
        found = []
        if "squared_norm" in declared:
            found.append(self._by_declared_norm(player, of, declared["squared_norm"]))
        if "terms" in declared:
            found.append(self._by_terms(player, of, count("terms", declared["terms"])))
        if not player.updates or not player.largest_square:
            return found
        error = player.error
        if player.forgotten or player.updates > MOST:
            best = along_the_weights(
                player.updates, player.squared_length, error, player.largest_square
            )
        else:
            best = best_comparator(self.kernel_, player.examples, player.labels)
        inputs = {
            "largest_diagonal": _diagonal(player),
            "squared_norm": best.squared_norm,
            "hinge_loss": best.loss,
        }
        witness = None if best.coefficients is None else best.coefficients.tolist()
        found.append(
            mistake_guarantee(
                _THEOREM,
                inputs,
                player.updates,
                of=of,
                assumptions=(self._is_kernel(), _rule(player)),
                witness=witness,
            )
        )
        return found

    def _is_kernel(self) -> Assumption:
        if self.kernel_.known_psd:
            return Assumption(KERNEL, "by construction", repr(self.kernel_))
        return Assumption(KERNEL, "assumed", f"{self.kernel_!r} is taken on trust")

    def _by_declared_norm(self, player: KernelPlayer, of: str, squared_norm: Any) -> Guarantee:
        """The bound for a vector that separates all examples with margin one, of at most this length."""
        separable = "some vector in feature space of that length has margin one on every example"
        diagonal = _diagonal(player) if player.largest_square else 1.0
        inputs = {"largest_diagonal": diagonal, "squared_norm": squared_norm}
        allowed = kernel_perceptron_mistakes(**inputs)
        if player.updates > allowed and not player.forgotten:
            said = Assumption(
                separable, "violated", f"such examples allow at most {allowed} mistakes"
            )
        else:
            said = Assumption(separable, "declared", f"squared norm {squared_norm}")
        return mistake_guarantee(
            _THEOREM,
            inputs,
            player.updates,
            of=of,
            assumptions=(said, self._is_kernel(), _rule(player)),
        )

    def _by_terms(self, player: KernelPlayer, of: str, terms: int) -> Guarantee:
        """The bound for a monotone DNF of so many terms, with the kernel of all products."""
        if self.kernel_ != AllProducts():
            raise BadParameter(
                f"terms must be declared for the kernel AllProducts(), but the kernel is {self.kernel_!r}."
            )
        target, kernel, _ = find_theorem(_DNF).assumes
        rows = sparse.csr_matrix(player.examples).toarray()
        boolean = bool(np.isin(rows, (0.0, 1.0)).all())
        ones = int(rows.sum(axis=1).max(initial=0)) if boolean else player.width
        inputs = {"terms": terms, "features": max(1, player.width), "most_ones": ones}
        if boolean:
            allowed = perceptron_dnf_mistakes(**inputs)
            witness = None
            if not player.forgotten and len(rows) <= MOST:
                witness = small_dnf(rows == 1, player.labels.astype(int), False)
            said = explained(witness, terms, allowed, player.updates, target, self._names())
        else:
            why = "a mistaken example has a feature that is not 0 or 1"
            said = Assumption(target, "violated", why)
        rule = _rule(player)
        if boolean and player.largest_square * player.updates > _EXACT:
            why = "scores are rounded; KTermDNF computes them exactly"
            rule = Assumption(UPDATES_ON_MISTAKES, "assumed", why)
        return mistake_guarantee(
            _DNF,
            inputs,
            player.updates,
            of=of,
            assumptions=(said, Assumption(kernel, "by construction"), rule),
        )


def _rows(X: Any) -> Rows:
    """Rows whose columns are in order, none twice."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Rows.of(X)


def _diagonal(player: KernelPlayer) -> float:
    """The largest k(x, x) of a mistake, and as much more as rounding can have added to the weights."""
    share = player.error / (player.largest_square * max(player.updates, 1))
    return player.largest_square * (1 + share) * (1 + 1e-12)


def _rule(player: KernelPlayer) -> Assumption:
    if player.forgotten:
        why = f"{player.forgotten} mistaken examples were forgotten to keep the budget"
        return Assumption(UPDATES_ON_MISTAKES, "violated", why)
    return Assumption(UPDATES_ON_MISTAKES, "by construction")
