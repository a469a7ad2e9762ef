"""What a request needs: the scope, and the learner it is about."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from assay.server.personalizer.places import is_personalizers, place_of

Scope = Literal["read", "predict", "feedback", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

#: Paths that tell nothing about learners: health for those who watch, the description, and pages, which ask
#: for everything else with a key.
OPEN_PATHS = frozenset({"/", "/healthz", "/healthz/live", "/openapi.json", "/favicon.ico"})
_OPEN_FOLDER = "/static/"
#: What is done with trials, and the scope it needs.
_OF_TRIALS: dict[str, Scope] = {
    "predict": "predict",
    "rank": "predict",
    "feedback": "feedback",
    "reward": "feedback",
    "activate": "feedback",
}


#: The same for Personalizer's routes, where the configuration takes "read", or "admin" to change it.
_OF_EVENTS: dict[str, Scope] = {"rank": "predict", "reward": "feedback", "activate": "feedback"}


class Need(NamedTuple):
    """What a request needs: a scope, None if none; and the learner it is about, None for all.

    Where `each` is true whoever answers looks by itself at which learners the key is for.
    """

    scope: Scope | None
    learner: str | None
    each: bool = False


def need_of(method: str, path: str) -> Need:
    """What a request needs.

    Whatever is not known needs the most, so a new route is closed until it is opened here.

    Examples
    --------
    >>> need_of("POST", "/v1/learners/shop/predict")
    Need(scope='predict', learner='shop', each=False)
    >>> need_of("GET", "/metrics")
    Need(scope='read', learner=None, each=False)
    >>> need_of("DELETE", "/v1/learners/shop").scope, need_of("GET", "/healthz").scope
    ('admin', None)
    """
    parts = path.split("/")
    if len(parts) > 3 and parts[1] == "v1" and parts[2] == "learners" and parts[3]:
        learner = parts[3]
        if method == "POST" and len(parts) == 5:
            scope = _OF_TRIALS.get(parts[4])
            if scope is not None:
                return Need(scope, learner)
        return Need("read" if method in ("GET", "HEAD") else "admin", learner)
    if is_personalizers(path):
        return _of_personalizer(method, path)
    if method not in ("GET", "HEAD"):
        return Need("admin", None)
    if path in OPEN_PATHS or (path.startswith(_OPEN_FOLDER) and ".." not in parts):
        return Need(None, None)
    return Need("read", None, each=path == "/v1/learners")


def _of_personalizer(method: str, path: str) -> Need:
    """The learner is that of the key, or the one that the service was started with."""
    place = place_of(path)
    act = "" if place is None else place.operation.rpartition("/")[2]
    return Need(_OF_EVENTS.get(act, "read" if method == "GET" else "admin"), None, each=True)
