"""Which learners have an equal in scikit-learn, and how one becomes the other.

Each family says it of its own learners, in a file ``peers.py`` that nothing imports before it is asked for.
`assay.learners.sklearn_models` finds the file and does what is the same for all of them: parameters, the names of
features, and what is known of a model that was fitted elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Turns a learner, or a model of scikit-learn, into the other: members of ensembles are turned by it.
Convert = Callable[[Any], Any]
#: Fills the second from the first, whose parameters it has already.
Fill = Callable[[Any, Any, Convert], None]


@dataclass(frozen=True)
class Conversion:
    """How a learner becomes a model of scikit-learn, and the other way round.

    Attributes
    ----------
    learner : type
    peer : str
        The class of scikit-learn, such as ``"sklearn.svm:SVC"``.
    to_peer : callable
        Takes the learner, a model of that class that was not fitted, and `Convert`.
    from_peer : callable or None
        The same the other way round; None where there is no way back.
    """

    learner: type
    peer: str
    to_peer: Fill
    from_peer: Fill | None = None


#: What was said so far, by the class of the learner.
CONVERSIONS: dict[type, Conversion] = {}


def converts(learner: type, peer: str, to_peer: Fill, from_peer: Fill | None = None) -> None:
    """Say of a learner what it is in scikit-learn."""
    CONVERSIONS[learner] = Conversion(learner, peer, to_peer, from_peer)


def equal_of(learner: type) -> Conversion | None:
    """The model of scikit-learn that these learners become."""
    return CONVERSIONS.get(learner)


def learner_for(peer: str) -> Conversion | None:
    """The learner that models of this class become."""
    for known in CONVERSIONS.values():
        if known.peer == peer and known.from_peer is not None:
            return known
    return None
