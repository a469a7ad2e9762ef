"""A classifier of layers of gates."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.stored_numbers import record_guarantees
from assay.learners.common.atomic_fit import all_or_nothing, forget
from assay.learners.common.guaranteed import Certified, Terms
from assay.learners.common.one_example import OneExample, codes_of, known_classes
from assay.learners.common.remember import going_on
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import classes_of
from assay.learners.neural.network import losses_of
from assay.learners.neural.parameters import require_parameters
from assay.learners.neural.trained import TrainedNetwork
from assay.learners.neural.training import Part, places_of
from assay.learners.registry import register
from assay.record.stored_numbers import StoredNumbersRecord
from assay.record.training_loss import TrainingLossRecord
from assay.types import Array, Floats, Ints

_DOUBLE = np.dtype(np.float64)


def _in_steps(learner: MLPClassifier) -> bool:
    if learner.solver in ("adam", "sgd"):
        return True
    raise AttributeError(
        f"solver={learner.solver!r} looks at all rows at once, so nothing is learned in parts."
    )


@register(
    "mlp-classifier",
    use="pixels and signals; a neural network",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False)
class MLPClassifier(OneExample, Certified, ClassifierMixin, TrainedNetwork, BaseEstimator):  # type: ignore[misc]
    r"""Minimise :math:`\frac1n\sum_i-\ln p(y_i\mid x_i)+\frac\alpha{2n}\|W\|^2`, where layers of gates make p of x.

    A layer turns x into :math:`g(W^\top x+b)` with a gate g for each column; the last one is logistic for two
    classes and a softmax for more. Gradients are found by backpropagation and followed in batches.
    Parameters, defaults, random numbers and every step are scikit-learn's. A network of q weights is one of at most
    :math:`2^{64q}`, which bounds its error, though seldom by less than one: `guarantees` says so, and how many rows
    would be enough (``occam-exact``, ``occam-float64``). `certificate` needs no more than a holdout.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(100,)
        The gates of each hidden layer.
    activation : {"relu", "logistic", "tanh", "identity"}, default="relu"
        The hidden gates: :math:`\max(0,z)`, :math:`1/(1+e^{-z})`, :math:`\tanh z`, or z itself.
    solver : {"adam", "sgd", "lbfgs"}, default="adam"
        Adam's rule, gradient descent with momentum, or L-BFGS on all rows at once.
    alpha : float, default=0.0001
        The weight of the penalty; intercepts are not penalised.
    batch_size : int or "auto", default="auto"
        The rows of a step; 200, or all if there are fewer.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        How the step of ``"sgd"`` goes on: it stays, is divided by the rows seen to the power `power_t`, or by five
        whenever training would stop.
    learning_rate_init : float, default=0.001
        The first step.
    power_t : float, default=0.5
        The power of ``"invscaling"``.
    max_iter : int, default=200
        The most passes over the sample, or steps of L-BFGS.
    shuffle : bool, default=True
        Whether each pass takes the rows in a new order.
    random_state : int, RandomState instance or None, default=None
        The seed of the first weights, of the orders, and of what is set aside.
    tol : float, default=1e-4
        What counts as progress.
    verbose : bool, default=False
        Whether to print the loss of every pass.
    warm_start : bool, default=False
        Whether `fit` starts from the weights there are.
    momentum : float, default=0.9
        How much of the last step of ``"sgd"`` is kept; 0 for plain steps.
    nesterovs_momentum : bool, default=True
        Whether the gradient is taken to act ahead of the step.
    early_stopping : bool, default=False
        Whether a part of the sample is set aside, and training stops when its accuracy no longer rises.
    validation_fraction : float, default=0.1
        How large that part is.
    beta_1, beta_2 : float, default=0.9 and 0.999
        How slowly Adam's two running means forget.
    epsilon : float, default=1e-8
        What Adam's divisor is at least.
    n_iter_no_change : int, default=10
        How many passes without progress are waited for.
    max_fun : int, default=15000
        The most times L-BFGS works out the loss.

    Attributes
    ----------
    classes_ : array
        The labels.
    coefs_, intercepts_ : list of array
        The weights of each layer.
    loss_curve_ : list of float
        The mean loss of every pass.
    loss_, best_loss_ : float
        The last of them, and the least.
    validation_scores_ : list of float or None
        The accuracy on the part set aside, pass by pass.
    best_validation_score_ : float or None
    n_iter_ : int
        Passes made.
    n_layers_, n_outputs_ : int
    out_activation_ : str
    t_ : int
        Rows seen, all passes counted.
    rows_, training_errors_ : int
        The rows of the sample, those of all chunks added up; and how many of them are predicted wrongly, after `fit`.

    References
    ----------
    .. [1] Rumelhart, Hinton & Williams (1986). Learning representations by back-propagating errors.
    .. [2] Kingma & Ba (2015). Adam: a method for stochastic optimization.
    .. [3] Glorot & Bengio (2010). Understanding the difficulty of training deep feedforward neural networks.

    Examples
    --------
    >>> from assay import MLPClassifier
    >>> X, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = MLPClassifier(8, "tanh", solver="lbfgs", random_state=1).fit(X, y)
    >>> model.predict(X).tolist()
    [0, 1, 1, 0]
    """

    #: Its record is of the weights it holds, not of rounds in which it predicted.
    plays_rounds = False

    hidden_layer_sizes: Any = (100,)
    activation: Literal["relu", "logistic", "tanh", "identity"] = "relu"
    _: KW_ONLY
    solver: Literal["adam", "sgd", "lbfgs"] = "adam"
    alpha: float = 0.0001
    batch_size: Any = "auto"
    learning_rate: Literal["constant", "invscaling", "adaptive"] = "constant"
    learning_rate_init: float = 0.001
    power_t: float = 0.5
    max_iter: int = 200
    shuffle: bool = True
    random_state: Any = None
    tol: float = 1e-4
    verbose: bool = False
    warm_start: bool = False
    momentum: float = 0.9
    nesterovs_momentum: bool = True
    early_stopping: bool = False
    validation_fraction: float = 0.1
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    n_iter_no_change: float = 10
    max_fun: int = 15000

    # Learning

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train the network.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.

        Returns
        -------
        self
        """
        require_parameters(self)
        warm = self.warm_start and hasattr(self, "classes_")
        if not warm:
            forget(self)
        X, labels = self._sample(X, y, reset=not warm)
        classes = classes_of(labels)
        if warm and not np.array_equal(classes, self.classes_):
            raise BadData("With warm_start, y must hold the same classes as in the fit before.")
        weights = None if sample_weight is None else row_weights(sample_weight, Rows.of(X))
        if self.solver == "lbfgs":
            X = X.astype(np.float64, copy=False)
        rng = check_random_state(self.random_state)
        training = self._begun(len(classes), X.shape[1], X.dtype, rng, warm=warm)
        part = Part(X, codes_of(labels, classes), weights)
        if self.solver == "lbfgs":
            training.minimise(part)
        else:
            training.run(part, rng, once=False)
        self.classes_, self.rows_ = classes, len(labels)
        self.__dict__.pop("feature_index_", None)
        self._keep(training)
        scores = training.network.scores(X)
        self.training_errors_ = int(np.count_nonzero(self._told(scores) != part.codes))
        lost = losses_of(scores.astype(np.float64), part.codes)[0]
        # From above: sums and logarithms are a few units in the last place off.
        self.training_loss_ = float(lost.sum()) * (1 + 1e-12 + len(lost) * 2e-16)
        return self

    @available_if(_in_steps)  # type: ignore[untyped-decorator]
    @going_on
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Any:
        """Pass over some more examples, once.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.
        classes : array-like, optional
            All labels there are; needed in the first call.

        Returns
        -------
        self
        """
        self._require_parts()
        first = not hasattr(self, "classes_")
        X, labels = self._sample(X, y, reset=first)
        known = known_classes(self, classes, least=1)
        codes = codes_of(labels, known)
        weights = None if sample_weight is None else row_weights(sample_weight, Rows.of(X))
        if first:
            self._open(known, X.shape[1], X.dtype)
        self._learn(Rows.of(X), codes, weights)
        return self

    def _require_parts(self) -> None:
        require_parameters(self)
        hint = "What comes in parts has none to set aside."
        require(not self.early_stopping, "early_stopping", "False for partial_fit", True, hint)

    def _open(self, classes: Array, width: int, dtype: np.dtype[Any] = _DOUBLE) -> None:
        self._require_parts()
        # The same numbers go on to the first order of rows, as they do in fit.
        self._rng = check_random_state(self.random_state)
        training = self._begun(len(classes), width, dtype, self._rng, warm=False)
        self.classes_, self.rows_ = classes, 0
        self._keep(training)

    def _learn(self, rows: Rows, codes: Ints, weights: Floats | None) -> None:
        rng = self.__dict__.pop("_rng", None) or check_random_state(self.random_state)
        training = self._resumed()
        X = rows.whole.astype(self.parameters_.dtype, copy=False)
        training.run(Part(X, codes, weights), rng, once=True)
        self._keep(training)
        self.rows_ += len(rows)
        for name in ("training_errors_", "training_loss_"):  # those of other weights
            self.__dict__.pop(name, None)

    def _widen(self, width: int) -> None:
        raise BadData(
            f"A network cannot take in features that it did not begin with: x has {width} of them with "
            f"the {self.n_features_in_} it knows."
        )

    def _sample(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        return X, np.asarray(y)

    # Predicting

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self, "classes_")
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        return self._answers(X)

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        scores = self._scores(X)
        return np.asarray(self.classes_[self._told(scores)])

    def _places(self, rows: Rows) -> Ints:
        return self._told(self._answers(rows.whole))

    def _told(self, scores: Array) -> Ints:
        """The number of the class that the scores speak for; a single class is said whatever they are."""
        return np.asarray(np.minimum(places_of(scores), len(self.classes_) - 1))

    def predict_proba(self, X: Any) -> Array:
        """The probability of every class in every row."""
        scores = self._scores(X)
        if len(self.classes_) == 1:
            return np.ones_like(scores)
        if scores.shape[1] == 1:
            return np.hstack([expit(-scores), expit(scores)])
        return np.asarray(softmax(scores, axis=1))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the probabilities."""
        scores = self._scores(X)
        if len(self.classes_) == 1:
            return np.zeros_like(scores)
        if scores.shape[1] == 1:
            return np.hstack([log_expit(-scores), log_expit(scores)])
        return np.asarray(log_softmax(scores, axis=1))

    # What is known about it

    @property
    def record_(self) -> StoredNumbersRecord:
        """What the fit left behind."""
        check_is_fitted(self, "classes_")
        q, width = int(self.parameters_.size), 8 * self.parameters_.dtype.itemsize
        code = f"{q} weights of {width} bits each, layers, gates and labels being known"
        if not hasattr(self, "training_errors_"):
            # Chunks are passed over again and again, and rows that come twice are no new ones.
            return StoredNumbersRecord(q, None, None, q * width, code)
        counted = self.rows_, self.training_errors_
        lost = TrainingLossRecord(*counted, "logistic", self.training_loss_)
        return StoredNumbersRecord(q, *counted, q * width, code, lost)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the number of weights says about the error, and the loss about the errors on the training rows.

        The error by the exact form of Occam's razor (``occam-exact``); how many rows are enough for an error near
        that on the training rows (``occam-float64``), and for a bound below one half where the first is above
        it; and, after `fit`, the training error by the loss (``surrogate-upper-bounds``). After `partial_fit`
        nobody knows how many different rows there were, and only the second is left.
        """
        return record_guarantees(self.record_, terms.delta) if hasattr(self, "record_") else []

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
