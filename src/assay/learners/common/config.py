"""Settings of the whole library, as scikit-learn has them: for all learners that begin from now on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from assay.errors import require

_DEFAULT = {"remember_rows": True}
_own = threading.local()


def get_config() -> dict[str, bool]:
    """The settings of this thread.

    Examples
    --------
    >>> get_config()
    {'remember_rows': True}
    """
    return dict(getattr(_own, "settings", _DEFAULT))


def set_config(*, remember_rows: bool | None = None) -> None:
    """Change the settings for every learner that begins to learn from now on in this thread.

    Parameters
    ----------
    remember_rows : bool, optional
        Whether learners keep digests of the rows they learn from. With them a certificate from rows that were learned
        is refused; without them it is for you to see that there are none. Nobody can read a row off its digest, but
        whoever guesses a row can see whether it was learned: leave them out where that must not be known.

    Examples
    --------
    >>> from assay import Perceptron
    >>> set_config(remember_rows=False)
    >>> hasattr(Perceptron().fit([[0.0], [1.0]], [0, 1]), "fitted_rows_")
    False
    >>> set_config(remember_rows=True)
    """
    if remember_rows is not None:
        fine = isinstance(remember_rows, bool)
        require(fine, "remember_rows", "True or False", remember_rows)
        _own.settings = get_config() | {"remember_rows": remember_rows}


@contextlib.contextmanager
def config_context(*, remember_rows: bool | None = None) -> Iterator[None]:
    """The same for as long as the block lasts.

    Examples
    --------
    >>> with config_context(remember_rows=False):
    ...     get_config()
    {'remember_rows': False}
    """
    before = get_config()
    try:
        set_config(remember_rows=remember_rows)
        yield
    finally:
        _own.settings = before
