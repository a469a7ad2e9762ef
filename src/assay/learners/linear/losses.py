"""The losses of the gradient learners, under scikit-learn's names and the textbooks'."""

from __future__ import annotations

from typing import Any

from assay.compiled import losses
from assay.errors import require

_CODES = {
    "hinge": losses.HINGE,
    "perceptron": losses.PERCEPTRON,
    "log_loss": losses.LOGISTIC,
    "logistic": losses.LOGISTIC,
    "squared_error": losses.SQUARED,
    "squared": losses.SQUARED,
    "exponential": losses.EXPONENTIAL,
    "epsilon_insensitive": losses.EPSILON_INSENSITIVE,
}
_FOR_NUMBERS = ("squared_error", "squared", "epsilon_insensitive")


def loss_code(name: Any, *, numbers: bool = False) -> int:
    """The code of a loss; `numbers` allows only those that make sense for targets that are numbers.

    Examples
    --------
    >>> loss_code("log_loss") == loss_code("logistic")
    True
    >>> loss_code("hinge", numbers=True)
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: loss must be one of squared_error, squared, epsilon_insensitive, but is 'hinge'.
    """
    known = _FOR_NUMBERS if numbers else tuple(_CODES)
    listed = "one of " + ", ".join(known)
    require(isinstance(name, str) and name in known, "loss", listed, name)
    return _CODES[name]
