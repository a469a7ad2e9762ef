"""Keywords of scikit-learn's that a learner takes so that changing one import line is the whole migration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.errors import require


@dataclass(frozen=True)
class Accepted:
    """The values at which a keyword changes nothing here, and what to do instead of asking for another.

    Parameters
    ----------
    values : tuple, optional
        These alone are taken; None: any is, since it changes nothing for this learner.
    instead : str
        A sentence that names the alternative.

    Examples
    --------
    >>> Accepted(("l2",), "Use SGDClassifier(penalty='l1').").takes("l2")
    True
    """

    values: tuple[Any, ...] | None = None
    instead: str = ""

    def takes(self, value: Any) -> bool:
        """Whether the learner does what is asked for, whatever it is."""
        if self.values is None:
            return True
        return any(
            value is one or (type(value) is type(one) and value == one) for one in self.values
        )


#: A keyword that changes nothing here, such as the number of threads of a solver that needs one.
ANYTHING = Accepted()


def only(*values: Any, instead: str) -> Accepted:
    """A keyword that is taken at these values alone."""
    return Accepted(values, instead)


def require_accepted(model: Any) -> None:
    """Refuse a keyword whose value would ask for what the learner does not do.

    A learner names such keywords in `accepted`, by name, and has each as a parameter with scikit-learn's default.
    """
    for name, accepted in model.accepted.items():
        value = getattr(model, name)
        values = [] if accepted.values is None else [repr(one) for one in accepted.values]
        *some, last = values or [""]
        must = f"{', '.join(some)} or {last}" if some else last
        require(accepted.takes(value), name, must, value, accepted.instead)
