"""Which learners a user asked for."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import BadParameter


def asked_learners(learner: str | Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The learner to take, and those to choose among where several are named.

    Examples
    --------
    >>> asked_learners("svc, gaussian-nb"), asked_learners(["svc"]), asked_learners("auto")
    (('auto', ('svc', 'gaussian-nb')), ('svc', ()), ('auto', ()))
    """
    listed = learner.split(",") if isinstance(learner, str) else learner
    names = tuple(name.strip() for name in listed if name.strip())
    if not names:
        raise BadParameter("learner must name at least one learner.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadParameter(f"{twice} is named twice. Name every learner once.")
    if len(names) == 1:
        return names[0], ()
    if "auto" in names:
        raise BadParameter("auto stands for learners of its own choice: name it alone.")
    return "auto", names
