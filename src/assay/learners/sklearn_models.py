"""Learners as models of scikit-learn, and models of scikit-learn as learners."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter
from assay.learners.common.conversion import CONVERSIONS, Conversion, equal_of, learner_for
from assay.learners.model_file.declared import require_learned
from assay.learners.registry import family_of, name_of

# Where learners stand whose equals stand in a part of scikit-learn.
_FAMILIES = {
    "ensemble": ("ensembles",),
    "kernel_ridge": ("kernel",),
    "linear_model": ("linear",),
    "naive_bayes": ("bayes",),
    "neighbors": ("neighbors",),
    "neural_network": ("neural",),
    "svm": ("kernel", "linear"),
    "tree": ("trees",),
}


def to_sklearn(model: Any) -> Any:
    """The equal model of scikit-learn: see `Convertible.to_sklearn`."""
    known = _known(model)
    if known is None:
        raise BadParameter(
            f"{type(model).__name__} has no equal in scikit-learn. It is an estimator as it stands, for whatever asks "
            "for no more than fit and predict."
        )
    check_is_fitted(model)
    peer = _class_of(known)()
    peer.set_params(**_fitting(type(peer), _shared(model, peer)))
    known.to_peer(model, peer, to_sklearn)
    _name_features(model, peer)
    return peer


def from_sklearn(model: Any) -> Any:
    """The learner that equals a fitted model of scikit-learn: for model files, certificates, streams and the service.

    It predicts the same. Of its fit nothing is known here: not which rows there were, how many, or in which order. So
    it promises nothing by itself, and `guarantees` is empty; what a holdout says, `certificate` states. Neighbours are
    the exception: they hold their rows, and are fitted to them again.

    Parameters
    ----------
    model : estimator
        A fitted model of scikit-learn: a tree, a forest, HistGradientBoosting, AdaBoost or bagging; a linear model;
        SVC, SVR or KernelRidge; naive Bayes; neighbours; MLPClassifier. Parameters are taken over; what assay's learner
        has no room for is refused when it is fitted again.

    Returns
    -------
    learner

    Raises
    ------
    BadParameter
        If there is no such learner, and the reason.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from assay import from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> ours = from_sklearn(theirs)
    >>> bool((ours.predict(X) == theirs.predict(X)).all()), ours.guarantees()
    (True, [])
    >>> print(ours.certificate(X[1::2], y[1::2]).claims[0])
    error: at most 0.1..., observed 0.0..., failing with probability at most 0.05, by holdout-exact
    """
    known = _known_peer(model)
    check_is_fitted(model)
    learner = known.learner()
    own = learner.get_params(deep=False)
    given = {name: value for name, value in model.get_params(deep=False).items() if name in own}
    # Members of ensembles are turned with what they learned.
    given = {name: value for name, value in given.items() if not isinstance(value, BaseEstimator)}
    learner.set_params(**given)
    assert known.from_peer is not None
    _name_features(model, learner)
    known.from_peer(model, learner, from_sklearn)
    if _holds_no_rows(learner):
        learner.fitted_by_ = _version()
        try:
            require_learned(learner)
        except ValueError as problem:
            raise BadParameter(
                f"This {type(model).__name__} cannot become assay's: {problem}."
            ) from None
    return learner


def _holds_no_rows(learner: Any) -> bool:
    """Whether nothing is known of the fit; neighbours are fitted to the rows that they hold."""
    return hasattr(learner, "enough")


def convertible_names() -> list[str]:
    """The learners that have an equal in scikit-learn."""
    for families in _FAMILIES.values():
        for family in families:
            _import(family)
    return sorted(name_of(learner()) for learner in CONVERSIONS)


def _known(model: Any) -> Conversion | None:
    family = family_of(name_of(model))
    if any(family in families for families in _FAMILIES.values()):
        _import(family)
    return equal_of(type(model))


def _known_peer(model: Any) -> Conversion:
    kind = type(model)
    parts = kind.__module__.split(".")
    if parts[0] == "sklearn" and parts[1] in _FAMILIES:
        for family in _FAMILIES[parts[1]]:
            _import(family)
        known = learner_for(f"sklearn.{parts[1]}:{kind.__name__}")
        if known is not None:
            return known
    if parts[0] == "assay":
        raise BadParameter(f"This {kind.__name__} is assay's already.")
    raise BadParameter(
        f"There is no learner of assay's for a {kind.__name__} of {parts[0]}. What it predicts can be certified all "
        "the same: assay.certify takes anything with predict."
    )


def _import(family: str) -> None:
    importlib.import_module(f"assay.learners.{family}.peers")


def _class_of(known: Conversion) -> Any:
    module, _, name = known.peer.partition(":")
    return getattr(importlib.import_module(module), name)


def _shared(model: Any, peer: Any) -> dict[str, Any]:
    """The parameters that both have."""
    theirs = peer.get_params(deep=False)
    return {name: value for name, value in model.get_params(deep=False).items() if name in theirs}


def _fitting(peer: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Those that scikit-learn knows with these values; the others stay at their defaults."""
    kept = {}
    for name, value in given.items():
        allowed = peer._parameter_constraints.get(name)
        try:
            if allowed is not None:
                validate_parameter_constraints({name: allowed}, {name: value}, peer.__name__)
        except InvalidParameterError:
            continue
        kept[name] = value
    return kept


def _name_features(one: Any, other: Any) -> None:
    if hasattr(one, "n_features_in_"):
        other.n_features_in_ = int(one.n_features_in_)
    if hasattr(one, "feature_names_in_"):
        other.feature_names_in_ = np.asarray(one.feature_names_in_, dtype=object)


def _version() -> str:
    import sklearn

    return f"scikit-learn {sklearn.__version__}"
