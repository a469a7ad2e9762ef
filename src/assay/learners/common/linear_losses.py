"""The losses of the gradient learners, under scikit-learn's names and the textbooks'."""

from __future__ import annotations

from typing import Any

from assay.compiled.linear import losses
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
_MORE_CODES = {
    "squared_hinge": losses.SQUARED_HINGE,
    "modified_huber": losses.MODIFIED_HUBER,
    "huber": losses.HUBER,
    "squared_epsilon_insensitive": losses.SQUARED_EPSILON_INSENSITIVE,
}
#: The losses of online gradient descent, of SGD, and those that make sense for targets that are numbers.
ONLINE = tuple(_CODES)
FOR_CLASSES = (*_CODES, *_MORE_CODES)
FOR_NUMBERS = (
    "squared_error",
    "squared",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)


def loss_code(name: Any, among: tuple[str, ...] = ONLINE) -> int:
    """The code of a loss; refuses one that is not among those a learner knows.

    Examples
    --------
    >>> loss_code("log_loss") == loss_code("logistic")
    True
    >>> loss_code("hinge", ("squared_error", "huber"))
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: loss must be one of squared_error, huber, but is 'hinge'.
    """
    listed = "one of " + ", ".join(among)
    require(isinstance(name, str) and name in among, "loss", listed, name)
    return (_CODES | _MORE_CODES)[name]
