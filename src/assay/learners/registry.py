"""Learners by name, for the command line, model files and the service.

A learner puts itself in with ``@register("perceptron", use=..., promise=...)`` and has its name in the table below, so
that a name is known without importing any learner. A learner of another package has an entry point of the group
``assay.learners`` instead: its name and its class. Only learners of the table and of installed entry points are ever
made from a name.
"""

from __future__ import annotations

import difflib
import functools
import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from assay.errors import BadParameter, UnknownName
from assay.extras import needed_for

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of entry points by which other packages bring learners.
GROUP = "assay.learners"

C = TypeVar("C", bound=type)

#: The learners of each family; the family is the folder of its files.
_FAMILIES = {
    "bandits": "exp3 exp3-ix kl-ucb thompson-sampling ucb1",
    "bayes": "bernoulli-nb gaussian-nb",
    "boolean": "consistent disjunction-classifier disjunction-majority finite-class-erm halving k-term-dnf "
    "monomial-winnow online-disjunction",
    "contextual": "epsilon-greedy exp4 linear-thompson linucb square-cb",
    "ensembles": "adaboost-classifier bagging-classifier decision-stump forward-stagewise-classifier "
    "forward-stagewise-regressor hist-gradient-boosting-classifier hist-gradient-boosting-regressor "
    "majority-boost-classifier "
    "random-forest-classifier random-forest-regressor",
    "experts": "adahedge fixed-share hedge sleeping-experts weighted-average weighted-majority",
    "kernel": "kernel-machine kernel-machine-regressor kernel-perceptron kernel-ridge svc svr",
    "linear": "basis-ridge gradient-descent hinge-loss-lp linear-regression linear-svc logistic-regression "
    "margin-perceptron perceptron ridge sgd-classifier sgd-regressor winnow",
    "neighbors": "k-neighbors-classifier k-neighbors-regressor radius-neighbors-classifier "
    "radius-neighbors-regressor",
    "neural": "mlp-classifier",
    "trees": "decision-tree-classifier decision-tree-regressor",
}
# A file has the name of its learner, but for these.
_FILES = {
    "adaboost-classifier": "adaboost",
    "bagging-classifier": "bagging",
    "decision-tree-classifier": "classifier",
    "decision-tree-regressor": "regressor",
    "majority-boost-classifier": "majority_boost",
    "thompson-sampling": "thompson",
}
_MODULES = {
    name: f"assay.learners.{family}.{_FILES.get(name, name.replace('-', '_'))}"
    for name, family in sorted(
        (name, family) for family, names in _FAMILIES.items() for name in names.split()
    )
}
_LEARNERS: dict[str, type] = {}


class Purpose(NamedTuple):
    """What a learner is good for, and what its theorems say of it beside the certificate of a holdout."""

    use: str
    promise: str


_PURPOSES: dict[str, Purpose] = {}


def register(name: str, *, use: str = "", promise: str = "nothing of its own") -> Callable[[C], C]:
    """Make a learner known under a name, and let it remember its rows.

    A name of the table above belongs to the module that stands there; a learner of another package takes any other.
    What it is of use for and what it promises, in a few words each, are shown by ``assay learners``; its description
    begins with what it is for where nothing is said.
    """

    def put_in(learner: C) -> C:
        foreign = not learner.__module__.startswith("assay.") and name not in _MODULES
        if not foreign and _MODULES.get(name) != learner.__module__:
            raise RuntimeError(
                f"{learner.__module__} registers {name!r}, which the table does not say"
            )
        from assay.learners.common.remember import (
            remembering,  # only here: names shall cost nothing
        )

        _LEARNERS[name] = remembering(learner, family=_family(name, learner))
        described = (learner.__doc__ or "").strip().split("\n")[0]
        _PURPOSES[name] = Purpose(use or described or "a learner of another package", promise)
        return learner

    return put_in


def _family(name: str, learner: type) -> str:
    """The family of a learner: its folder, or what a learner of another package says in `family`."""
    if name in _MODULES:
        return _MODULES[name].split(".")[2]
    return str(getattr(learner, "family", ""))


@functools.cache
def _plugins() -> dict[str, list[EntryPoint]]:
    """The entry points of other packages by name; none takes the name of a learner of the table."""
    from importlib.metadata import entry_points

    points_of: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        known = points_of.setdefault(point.name, [])
        # An editable install beside another one lists the same twice.
        if point.name not in _MODULES and point.value not in [other.value for other in known]:
            known.append(point)
    return {name: points for name, points in sorted(points_of.items()) if points}


def _names() -> list[str]:
    return [*_MODULES, *_plugins()]


def learner_names(family: str | None = None) -> list[str]:
    """The names of all learners, other packages' included, or of one family of assay's, such as "linear".

    Nothing is imported.

    Examples
    --------
    >>> "perceptron" in learner_names("linear"), "hedge" in learner_names("linear")
    (True, False)
    """
    if family is None:
        return sorted(_names())
    return sorted(name for name, module in _MODULES.items() if module.split(".")[2] == family)


def purpose_of(name: str) -> Purpose:
    """What a learner is for, in a few words.

    Examples
    --------
    >>> purpose_of("perceptron").use
    'a linear rule on a stream, nothing to tune'
    """
    find_learner(name)
    return _PURPOSES[name]


def family_of(name: str) -> str:
    """The family of a learner, such as "bandits"; empty for one of another package that names none.

    Examples
    --------
    >>> family_of("exp3")
    'bandits'
    """
    return _family(name, object if name in _MODULES else find_learner(name))


def find_learner(name: str) -> Any:
    """The learner's class.

    Examples
    --------
    >>> find_learner("perceptron").__name__
    'Perceptron'
    >>> find_learner("perceptrom")
    Traceback (most recent call last):
        ...
    assay.errors.UnknownName: No learner is called 'perceptrom'. Did you mean 'perceptron'?
    """
    if name in _MODULES:
        with needed_for(name, "learn"):
            importlib.import_module(_MODULES[name])
        return _LEARNERS[name]
    points = _plugins().get(name)
    if not points and str(name).startswith("river:"):
        raise UnknownName(
            f"{name} is a model of River, which assay.play and assay stream play. A model file, and a service that "
            "starts again from its log, must give the same bits without running what a file holds, and River keeps its "
            "models as Python objects."
        )
    if not points:
        close = difflib.get_close_matches(str(name), _names(), n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(_names())}."
        raise UnknownName(f"No learner is called {name!r}. {hint}")
    return _plugin(name, points)


def _plugin(name: str, points: list[EntryPoint]) -> type:
    """The class that another package brings under this name."""
    if len(points) > 1:
        raise UnknownName(
            f"Several packages bring a learner {name!r}: {_packages(points)}. Keep one of them."
        )
    try:
        with needed_for(name, "learn"):
            learner = points[0].load()
    except (ImportError, AttributeError, RuntimeError) as problem:
        raise UnknownName(
            f"The learner {name!r} of {_packages(points)} cannot be imported: {problem}."
        ) from problem
    if not isinstance(learner, type) or not hasattr(learner, "get_params"):
        raise UnknownName(
            f"The learner {name!r} of {_packages(points)} is no estimator: {points[0].value}."
        )
    if _LEARNERS.get(name) is not learner:
        register(name)(learner)
    return learner


def _packages(points: Iterable[EntryPoint]) -> str:
    return ", ".join(point.dist.name if point.dist else point.value for point in points)


def make_learner(name: str, parameters: dict[str, Any]) -> Any:
    """A learner with these parameters, not fitted; refuses a parameter it does not have.

    Examples
    --------
    >>> make_learner("perceptron", {"max_iter": 5})
    Perceptron(max_iter=5)
    """
    learner = find_learner(name)
    known = list(learner().get_params(deep=False))
    for parameter in parameters:
        if parameter not in known:
            raise UnknownName(
                f"{name} has no parameter {parameter!r}. It has {', '.join(sorted(known))}."
            )
    return learner(**parameters)


def is_own(learner: Any) -> bool:
    """Whether a learner, and all that it is made of, is this library's own: then it reads what it is given, no more.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> is_own(find_learner("perceptron")()), is_own(DecisionTreeClassifier())
    (True, False)
    """
    if type(learner) not in (kind for name, kind in _LEARNERS.items() if name in _MODULES):
        return False
    for value in learner.get_params(deep=False).values():
        if hasattr(value, "fit") and not isinstance(value, type):
            if not is_own(value):
                return False
        elif callable(value) and not type(value).__module__.startswith("assay."):
            return False
    return True


def name_of(learner: Any) -> str:
    """The name of a learner's class; refuses objects that are learners neither of assay nor of an entry point.

    Examples
    --------
    >>> from assay import Perceptron
    >>> name_of(Perceptron())
    'perceptron'
    """
    kind = type(learner)
    for name, known in _LEARNERS.items():
        if known is kind:
            return name
    place = f"{kind.__module__}:{kind.__qualname__}"
    for name, points in _plugins().items():
        if place in [point.value for point in points] and find_learner(name) is kind:
            return name
    raise BadParameter(
        f"{kind.__name__} is none of assay's learners, which are {', '.join(_names())}."
    )
