"""Cross-validation: a parameter chosen by the errors of models that were not shown the rows they are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_X_y

from assay.errors import BadData, BadParameter, UnknownName, require
from assay.play.trials import fitted, named
from assay.theory.needs import count
from assay.types import Array, Floats, Ints

Folds = int | Literal["each"]


@dataclass(frozen=True)
class LeftOut:
    """One value of the parameter.

    Attributes
    ----------
    value : object
    error : float
        The mean loss over all rows, each judged by a model that was not shown it: the share of wrong labels, or the
        mean square for numbers.
    spread : float
        The standard deviation of the folds' means, over the root of their number. Folds share their training
        rows, so that the error may well be farther off.
    by_fold : tuple of float
        The mean loss of each fold; empty where every row is one.
    fits : int
        How many models were fitted from nothing.
    """

    value: Any
    error: float
    spread: float
    by_fold: tuple[float, ...]
    fits: int


@dataclass(frozen=True)
class CrossValidation:
    """The errors of all values.

    Attributes
    ----------
    learner, parameter : str
    folds : int
        How many; as many as rows where one was left out at a time.
    steps : tuple of LeftOut
        In the order of the values.
    """

    learner: str
    parameter: str
    folds: int
    steps: tuple[LeftOut, ...]

    @property
    def best(self) -> LeftOut:
        """The value of least error, the first of equals. Being the least of many, it is too small on average."""
        return min(self.steps, key=lambda step: step.error)

    @property
    def simplest(self) -> LeftOut:
        """The first value that is within one spread of the best: the simplest, where values go from simple to rich."""
        best = self.best
        return next(step for step in self.steps if step.error <= best.error + best.spread)

    def __str__(self) -> str:
        lines = [
            f"{self.learner}, {self.folds} folds:",
            f"{self.parameter:>12}     error    spread  fits",
        ]
        best = self.best
        lines += [
            f"{step.value!s:>12}  {step.error:>8.4g}  {step.spread:>8.2g}  {step.fits:>4}"
            + ("  least" if step is best else "")
            for step in self.steps
        ]
        return "\n".join(lines)


def cross_validation(
    learner: Any,
    X: Any,
    y: Any,
    parameter: str,
    values: Sequence[Any],
    *,
    folds: Folds = 5,
    random_state: Any = None,
) -> CrossValidation:
    """Judge values of a parameter on rows that were left out.

    Parameters
    ----------
    learner : estimator
        With scikit-learn's ``set_params``; copies of it learn.
    X, y : array-like
        The sample.
    parameter : str
        The name of the parameter, such as ``"C"`` or ``"degree"``.
    values : sequence
        From simple to rich, so that `CrossValidation.simplest` means what it says.
    folds : int or "each", default=5
        Into how many parts the rows are divided, at random and for all values alike; or that every row is left
        out by itself. A learner with ``leave_one_out``, such as `SVC`, is then fitted once for each value, and only
        rows that it rests on are left out in fact.
    random_state : int or Generator, optional
        The seed of the folds.

    Returns
    -------
    CrossValidation

    Notes
    -----
    What comes out is an estimate, and no promise: see the guide on cross-validation for what it gets wrong. The error
    rate of one classifier on as many rows of a holdout is within the distance of ``validation-hoeffding-two-sided``.

    References
    ----------
    .. [1] Stone (1974). Cross-validatory choice and assessment of statistical predictions.
    .. [2] Bengio & Grandvalet (2004). No unbiased estimator of the variance of K-fold cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import BasisRidge, cross_validation
    >>> x = np.linspace(-1, 1, 40)
    >>> choice = cross_validation(BasisRidge(), x[:, None], x**3 - x, "degree", [1, 2, 3], random_state=0)
    >>> choice.best.value, choice.best.error < 1e-6
    (3, True)
    """
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=None)
    n = len(y)
    if n < 2:
        raise BadData(f"Cross-validation takes at least 2 rows, but there are {n}.")
    if parameter not in learner.get_params():
        raise UnknownName(f"{named(learner)} has no parameter {parameter!r}.")
    if isinstance(values, str) or not len(values):
        raise BadParameter(f"values must be a list of at least one value, but is {values!r}.")
    parts = None if folds == "each" else _parts(n, folds, random_state)
    steps = []
    for value in values:
        model = clone(learner).set_params(**{parameter: value})
        predictions, fits = _left_out(model, X, y, parts)
        losses = _losses(model, predictions, y)
        means = () if parts is None else tuple(float(losses[part].mean()) for part in parts)
        units = losses if parts is None else np.array(means)
        spread = float(units.std(ddof=1) / np.sqrt(len(units)))
        steps.append(LeftOut(value, float(losses.mean()), spread, means, fits))
    return CrossValidation(
        named(learner), parameter, n if parts is None else len(parts), tuple(steps)
    )


def _parts(rows: int, folds: Any, random_state: Any) -> list[Ints]:
    must = f"'each', or a whole number from 2 to the number of rows {rows}"
    whole = isinstance(folds, int | np.integer) and not isinstance(folds, bool)
    require(whole and 2 <= folds <= rows, "folds", must, folds)
    order = np.random.default_rng(random_state).permutation(rows)
    return [np.sort(part) for part in np.array_split(order, count("folds", folds))]


def _left_out(model: Any, X: Any, y: Array, parts: list[Ints] | None) -> tuple[Array, int]:
    """The prediction for every row by a model that was not shown it, and how many models that took."""
    if parts is None and hasattr(model, "leave_one_out"):
        return np.asarray(model.fit(X, y).leave_one_out(X, y)), 1
    every = np.arange(len(y))
    groups = every[:, None] if parts is None else parts
    predictions = np.empty(len(y), dtype=y.dtype if is_classifier(model) else np.float64)
    for part in groups:
        rest = np.setdiff1d(every, part, assume_unique=True)
        predictions[part] = fitted(model, X[rest], y[rest]).predict(X[part])
    return predictions, len(groups)


def _losses(model: Any, predictions: Array, y: Array) -> Floats:
    if is_classifier(model):
        return np.asarray(predictions != y, dtype=np.float64)
    return np.asarray((np.asarray(predictions, dtype=np.float64) - y) ** 2, dtype=np.float64)
