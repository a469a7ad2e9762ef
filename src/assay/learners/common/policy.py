"""What policies of every game share with estimators: parameters that can be read, set and copied; and no more."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self

from assay.errors import UnknownName


class Policy:
    """Base of the policies: parameters with the names that ``__init__`` takes, as scikit-learn's ``clone`` asks for.

    A policy chooses and is told what that cost: it has neither ``fit`` nor ``predict``, so it is no estimator, and
    what looks for estimators finds none here.

    Examples
    --------
    >>> from assay import EXP3
    >>> EXP3(arms=3).set_params(rounds=100)
    EXP3(arms=3, rounds=100)
    """

    if TYPE_CHECKING:
        # What a policy has learned appears with its first call; its `state` declares of which kind.
        def __getattr__(self, name: str) -> Any: ...

    def _defaults(self) -> Mapping[str, Any]:
        """The parameters in their order, each with its default."""
        kind: Any = type(self)
        return _defaults(kind)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether those of a learner among them are told too, as ``regressor__alpha``.

        Returns
        -------
        dict
        """
        given: dict[str, Any] = {}
        for name in self._defaults():
            value = given[name] = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                inner = value.get_params(deep=True)
                given.update((f"{name}__{key}", held) for key, held in inner.items())
        return given

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name, those of a learner among them as ``regressor__alpha``.

        Parameters
        ----------
        **parameters
            New values.

        Returns
        -------
        self
        """
        known = self._defaults()
        within: dict[str, dict[str, Any]] = {}
        for key, value in parameters.items():
            name, dot, rest = key.partition("__")
            if name not in known:
                raise UnknownName(
                    f"{type(self).__name__} has no parameter {name!r}. It has {', '.join(sorted(known))}."
                )
            if dot:
                within.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, inner in within.items():
            getattr(self, name).set_params(**inner)
        return self

    def __repr__(self) -> str:
        # By what is shown, since arrays are not compared in one answer.
        told = {
            name: repr(getattr(self, name))
            for name, default in self._defaults().items()
            if repr(getattr(self, name)) != repr(default)
        }
        return (
            f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in told.items())})"
        )

    def __sklearn_tags__(self) -> NoReturn:
        """Refuse what asks an estimator, such as scikit-learn's ``check_estimator``, in a sentence."""
        raise TypeError(
            f"{type(self).__name__} is a policy and no estimator: it chooses and is told what that cost, and has "
            "neither fit nor predict."
        )


@functools.cache
def _defaults(kind: type) -> Mapping[str, Any]:
    """The parameters of a policy in their order, each with its default."""
    taken = inspect.signature(kind).parameters.values()
    return {parameter.name: parameter.default for parameter in taken}
