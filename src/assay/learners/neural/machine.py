"""Learning as function estimation: any machine G(W, x), its weights found by gradient descent on a mean loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData, BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import training_guarantee
from assay.guarantees.stored_numbers import stored_guarantees
from assay.learners.common.atomic_fit import all_or_nothing, forget
from assay.learners.common.guaranteed import Certified, CertifiedQuantity, Terms
from assay.learners.common.remember import remembering
from assay.learners.common.sign_labels import two_classes_or_more
from assay.theory.needs import count, nonnegative
from assay.types import Array, Floats

Function = Callable[[Floats, Floats], Any]

# A loss of the outcome and the machine's number, and its derivative by the latter; those of signs, then the square.
_LOSSES: dict[str, tuple[Callable[..., Floats], Callable[..., Floats]]] = {
    "logistic": (lambda y, g: -log_expit(y * g), lambda y, g: -y * expit(-y * g)),
    "hinge": (lambda y, g: np.maximum(0.0, 1 - y * g), lambda y, g: np.where(y * g < 1, -y, 0.0)),
    "exponential": (lambda y, g: np.exp(-y * g), lambda y, g: -y * np.exp(-y * g)),
    "square": (lambda y, g: (y - g) ** 2, lambda y, g: 2 * (g - y)),
}
_OF_SIGNS = ("logistic", "hinge", "exponential")
# Half of the digits are lost to cancellation, and a third is the best that central differences leave.
_STEP = float(np.finfo(np.float64).eps) ** (1 / 3)
# A step is taken when the loss falls by this part of what the slope foretells.
_FALL = 1e-4
_SMALLEST = 1e-12


class _Machine(BaseEstimator):  # type: ignore[misc]
    """What both machines share: the function, its derivative, and the descent."""

    function: Function
    start: Any
    gradient: Function | None
    loss: str
    max_iter: int
    tol: float
    weights_: Floats

    def _descend(self, X: Floats, y: Floats) -> None:
        """Steepest descent; every step is halved until the mean loss falls."""
        weights = np.array(self.start, dtype=np.float64)
        good = weights.ndim == 1 and weights.size > 0 and bool(np.isfinite(weights).all())
        require(good, "start", "a vector of at least one finite weight", self.start)
        most, least = (
            count("max_iter", self.max_iter, at_least=1),
            float(nonnegative("tol", self.tol).low),
        )
        lost = self._mean(weights, X, y)
        if not np.isfinite(lost):
            raise BadData(
                "The mean loss at the start is not finite. Start elsewhere, or scale the features."
            )
        curve, step, self.stopped_ = [lost], 1.0, "max_iter"
        for _ in range(most):
            slope = self._slope(weights, X, y)
            steepness = float(slope @ slope)
            if not np.isfinite(steepness) or steepness <= least**2:
                self.stopped_ = "flat" if np.isfinite(steepness) else "no descent"
                break
            while step > _SMALLEST:
                after = self._mean(weights - step * slope, X, y)
                if after < lost and after <= lost - _FALL * step * steepness:
                    break
                step /= 2
            else:
                self.stopped_ = "no descent"
                break
            weights, lost, step = weights - step * slope, after, 2 * step
            curve.append(lost)
        self.weights_, self.loss_curve_ = weights, curve
        self.n_iter_ = len(curve) - 1

    def _numbers(self, weights: Floats, X: Floats) -> Floats:
        with np.errstate(all="ignore"):
            numbers = np.asarray(self.function(weights, X), dtype=np.float64)
        if numbers.shape != (len(X),):
            raise BadParameter(
                f"function must give one number for each of {len(X)} rows, but gives the shape {numbers.shape}."
            )
        return numbers

    def _mean(self, weights: Floats, X: Floats, y: Floats) -> float:
        with np.errstate(all="ignore"):
            lost = float(np.mean(_LOSSES[self.loss][0](y, self._numbers(weights, X))))
        return lost if np.isfinite(lost) else np.inf

    def _slope(self, weights: Floats, X: Floats, y: Floats) -> Floats:
        """The gradient of the mean loss: by the chain rule, or by central differences."""
        if self.gradient is None:
            each = _STEP * np.maximum(1.0, np.abs(weights))
            moved = np.diag(each)
            ends = [[self._mean(weights + sign * move, X, y) for sign in (1, -1)] for move in moved]
            with np.errstate(all="ignore"):
                return np.asarray(np.subtract(*np.array(ends).T) / (2 * each))
        with np.errstate(all="ignore"):
            rows = np.asarray(self.gradient(weights, X), dtype=np.float64)
            if rows.shape != (len(X), len(weights)):
                raise BadParameter(
                    f"gradient must give {len(weights)} numbers for each of {len(X)} rows, but gives the shape "
                    f"{rows.shape}."
                )
            outer = _LOSSES[self.loss][1](y, self._numbers(weights, X))
            return np.asarray(outer @ rows / len(X))

    def _read(self, X: Any, y: Any = None) -> tuple[Floats, Array]:
        require(
            callable(self.function), "function", "a function of weights and rows", self.function
        )
        good = self.gradient is None or callable(self.gradient)
        require(good, "gradient", "None, or a function of weights and rows", self.gradient)
        forget(self)
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        return rows, np.asarray(labels)

    def _answers(self, X: Any) -> Floats:
        check_is_fitted(self, "weights_")
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        numbers = self._numbers(self.weights_, rows)
        if not np.isfinite(numbers).all():
            row = int((~np.isfinite(numbers)).argmax())
            raise BadData(f"The machine gives no finite number for row {row}.")
        return numbers


@partial(remembering, family="neural")
@dataclass(eq=False, repr=False)
class MachineClassifier(Certified, ClassifierMixin, _Machine):  # type: ignore[misc]
    r"""The sign of a function G(W, x) of your own, its weights found by gradient descent on the mean loss.

    Pick a machine that can be differentiated by its weights, a loss for each sample, and a sample;
    :math:`\frac1m\sum_iL(y_i,G(W,x_i))` is then made small by steps against its gradient, each of which is
    halved until the mean loss falls. Where it ends is a place without descent, not always the lowest one.

    Nothing is known of G but its number of weights q. If G, the start and the loss were fixed before the rows were
    seen, there are at most :math:`2^{64q}` such classifiers, which bounds the error (``occam-exact``,
    ``occam-float64``); a sharp promise comes from a holdout, by `certificate`.

    Parameters
    ----------
    function : callable
        G, of weights (q,) and rows (n, d) to n numbers; above or at zero the second class is predicted.
    start : array-like of shape (q,)
        The weights to begin with. A network should not begin at zero, where its gates are all alike.
    gradient : callable, optional
        The derivatives of G by its weights, of weights and rows to an array (n, q); central differences when
        not given, at the price of 2 q evaluations a step.
    loss : {"logistic", "hinge", "exponential"}, default="logistic"
        The loss of the label -1 or +1 and G.
    max_iter : int, default=1000
        The most steps.
    tol : float, default=1e-6
        The length of the gradient at which to stop.

    Attributes
    ----------
    weights_ : array of shape (q,)
        W.
    classes_ : array
        The two labels.
    loss_curve_ : list of float
        The mean loss at the start and after each step; it never rises.
    n_iter_ : int
        Steps taken.
    stopped_ : str
        Why: ``"flat"``, ``"max_iter"``, or ``"no descent"`` where no step lowers the loss, as at a kink or if
        `gradient` is not that of G.

    References
    ----------
    .. [1] LeCun, Bottou, Bengio & Haffner (1998). Gradient-based learning applied to document recognition.

    Examples
    --------
    Inside or outside a circle whose centre and radius are learned:

    >>> import numpy as np
    >>> from assay import MachineClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    >>> y = np.where(((X - [0.2, 0.1]) ** 2).sum(axis=1) < 0.4, "in", "out")
    >>> circle = lambda W, X: W[3] * (((X - W[:2]) ** 2).sum(axis=1) - W[2])
    >>> model = MachineClassifier(circle, start=[0, 0, 0.5, 1]).fit(X, y)
    >>> model.weights_[:2].round(1).tolist(), model.score(X, y) > 0.98
    ([0.2, 0.1], True)
    >>> print(model.guarantees()[1].of, model.guarantees()[1].promised)
    rows for an error within 0.05 of the share of errors 36227
    """

    function: Function
    start: Any
    _: KW_ONLY
    gradient: Function | None = None
    loss: Literal["logistic", "hinge", "exponential"] = "logistic"
    max_iter: int = 1000
    tol: float = 1e-6

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Find the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two labels.

        Returns
        -------
        self
        """
        good = self.loss in _OF_SIGNS
        require(good, "loss", "'logistic', 'hinge' or 'exponential'", self.loss)
        rows, labels = self._read(X, y)
        classes = two_classes_or_more(self, labels)
        if len(classes) > 2:
            raise BadData(f"MachineClassifier needs two classes, but y holds {len(classes)}.")
        signs = np.where(labels == classes[1], 1.0, -1.0)
        self._descend(rows, signs)
        self.classes_, self.rows_ = classes, len(labels)
        numbers = self._numbers(self.weights_, rows)
        self.training_errors_ = int(np.count_nonzero((numbers >= 0) != (signs > 0)))
        # From above: sums and logarithms are a few units in the last place off.
        self.training_loss_ = self.loss_curve_[-1] * len(labels) * (1 + 1e-12 + len(labels) * 2e-16)
        return self

    def decision_function(self, X: Any) -> Floats:
        """G of every row."""
        return self._answers(X)

    def predict(self, X: Any) -> Array:
        """The second class where G is zero or more."""
        return np.asarray(self.classes_[(self._answers(X) >= 0).astype(int)])

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the number of weights says about the error, and the loss about the errors on the training rows."""
        if not hasattr(self, "classes_"):
            return []
        q = self.weights_.size
        code = f"{q} weights of 64 bits each, G and labels being known"
        stored = stored_guarantees(
            q, self.rows_, self.training_errors_, terms.delta, bits=64 * q, code=code
        )
        about = training_guarantee(
            self.training_errors_, self.rows_, self.training_loss_, self.loss
        )
        return [*stored, about]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@partial(remembering, family="neural")
@dataclass(eq=False, repr=False)
class MachineRegressor(CertifiedQuantity, RegressorMixin, _Machine):  # type: ignore[misc]
    r"""A function G(W, x) of your own, its weights found by gradient descent on the mean square error.

    As `MachineClassifier`, for numbers: :math:`\frac1m\sum_i(y_i-G(W,x_i))^2` is made small. No theorem bounds a square
    error of which nothing is known; where errors lie in a known range, give them as losses to `assay.certify`.

    Parameters
    ----------
    function, start, gradient, max_iter, tol
        As for `MachineClassifier`.

    Attributes
    ----------
    weights_, loss_curve_, n_iter_, stopped_
        As of `MachineClassifier`.

    Examples
    --------
    A decay whose height and rate are learned:

    >>> import numpy as np
    >>> from assay import MachineRegressor
    >>> X = np.linspace(0, 4, 50)[:, None]
    >>> decay = lambda W, X: W[0] * np.exp(-W[1] * X[:, 0])
    >>> model = MachineRegressor(decay, start=[1, 1]).fit(X, 3 * np.exp(-0.5 * X[:, 0]))
    >>> model.weights_.round(3).tolist()
    [3.0, 0.5]
    """

    function: Function
    start: Any
    _: KW_ONLY
    gradient: Function | None = None
    max_iter: int = 1000
    tol: float = 1e-6
    loss = "square"

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Find the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        rows, outcomes = self._read(X, y)
        try:
            numbers = outcomes.astype(np.float64)
        except (TypeError, ValueError):
            raise BadData("y must hold numbers, but holds text.") from None
        self._descend(rows, numbers)
        return self

    def predict(self, X: Any) -> Floats:
        """G of every row."""
        return self._answers(X)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """Nothing: a square error may be of any size."""
        return []
