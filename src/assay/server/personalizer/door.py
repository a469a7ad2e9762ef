"""Where requests come in that were written for Azure Personalizer.

They are the same trials, rewards and activations as by the service's own routes, with its promises: a rank or reward
that was answered with success survives a crash and counts once. As with Personalizer, the first reward of an event is
the one that counts, and one that comes later has no effect; the header ``x-assay-applied`` says which it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.server.auth import KEY, sees
from assay.server.engine.requests import decoded, encode
from assay.server.fast_routes import Hot, Receive, Send, answer_with, read_body
from assay.server.keys import Key
from assay.server.personalizer.acts import (
    Done,
    activate,
    activate_slots,
    rank,
    rank_slots,
    reward,
    reward_slots,
)
from assay.server.personalizer.bodies import (
    rank_decoder,
    reward_decoder,
    rewards_decoder,
    slots_decoder,
)
from assay.server.personalizer.configuration import (
    configuration_decoder,
    configuration_of,
    settings_of,
)
from assay.server.personalizer.places import Operation, Place, place_of
from assay.server.personalizer.refused import body_of, code_of, status_of
from assay.server.refusals import Refusal

if TYPE_CHECKING:
    from assay.server.service import Service

_JSON = b"application/json"
_RANKS: dict[Operation, tuple[Any, Callable[..., Done]]] = {
    "rank": (rank_decoder, rank),
    "multislot/rank": (slots_decoder, rank_slots),
}
#: Those without a decoder have no body.
_TELLS: dict[Operation, tuple[Any, Callable[..., Done]]] = {
    "reward": (reward_decoder, reward),
    "multislot/reward": (rewards_decoder, reward_slots),
    "activate": (None, activate),
    "multislot/activate": (None, activate_slots),
}


class Door:
    """Personalizer's routes over a service.

    Parameters
    ----------
    service : Service
    hot : Hot
    loop : str or None
        The learner that answers, unless the key is for another one alone; None to have no such routes.
    """

    def __init__(self, service: Service, hot: Hot, loop: str | None) -> None:
        self._service, self._hot, self._engine, self._loop = service, hot, service.engine, loop

    async def __call__(
        self, scope: dict[str, Any], path: str, receive: Receive, send: Send
    ) -> tuple[str, int]:
        """Answer a request; returns what its route is called, and the status."""
        place = place_of(path)
        if place is None:
            raise Refusal("unknown_path", "There is nothing at this path.")
        self._require_method(place, scope["method"])
        name = self._name(scope)
        body = await read_body(receive, self._engine.limits)
        if place.operation == "configurations/service":
            status, answer, more = await self._configuration(scope["method"], name, body)
        elif place.event is None:
            status, answer, more = await self._rank(scope, name, place, body)
        else:
            status, answer, more = await self._tell(scope, name, place, body)
        await answer_with(send, status, answer, _JSON, more)
        return _called(place), status

    @staticmethod
    def _require_method(place: Place, method: str) -> None:
        configuration = place.operation == "configurations/service"
        if method not in (("GET", "PUT") if configuration else ("POST",)):
            raise Refusal("wrong_method", "This path does not take that method.")

    def _name(self, scope: dict[str, Any]) -> str:
        """The learner: that of the key where it is for one alone, as a key of Azure's is for one loop."""
        if self._loop is None:
            raise Refusal(
                "unknown_path",
                "Personalizer's routes are not served. Start the service with --personalizer NAME.",
            )
        key: Key | None = scope.get(KEY)
        name = self._loop
        if key is not None and key.learners is not None and len(key.learners) == 1:
            [name] = key.learners
        if not sees(scope, name):
            raise Refusal("forbidden", "The key is not for this.")
        return name

    async def _rank(
        self, scope: dict[str, Any], name: str, place: Place, body: bytes
    ) -> tuple[int, bytes, tuple[Any, ...]]:
        decoder, act = _RANKS[place.operation]

        def work(**terms: bool) -> Done:
            return act(self._engine, name, decoded(decoder, body), **terms)

        done = await self._hot.worked(name, "rank", len(body), work)
        scope["assay.trial"] = done.answer["eventId"]
        await _committed(done)
        return 201, encode(done.answer), ()

    async def _tell(
        self, scope: dict[str, Any], name: str, place: Place, body: bytes
    ) -> tuple[int, bytes, tuple[Any, ...]]:
        event = scope["assay.trial"] = place.event
        decoder, act = _TELLS[place.operation]

        def work(**terms: bool) -> Done:
            given = () if decoder is None else (decoded(decoder, body),)
            return act(self._engine, name, event, *given, **terms)

        what = "activate" if decoder is None else "reward"
        done = await self._hot.worked(name, what, len(body), work)
        scope["assay.reason"] = done.reason
        await _committed(done)
        return 204, b"", ((b"x-assay-applied", b"true" if done.applied else b"false"),)

    async def _configuration(
        self, method: str, name: str, body: bytes
    ) -> tuple[int, bytes, tuple[Any, ...]]:
        service, engine = self._service, self._engine
        await service.still(name)
        if method == "PUT":
            wanted = decoded(configuration_decoder, body)
            settings = settings_of(wanted, engine.describe(name))
            standing = await service.committed(engine.change_settings(name, settings))
        else:
            standing = await service.seen(lambda: engine.describe(name))
        return 200, encode(configuration_of(standing)), ()


async def _committed(done: Done) -> None:
    for group in done.groups:
        await group.committed()


def _called(place: Place | None) -> str:
    """What a route is called in the metrics."""
    return "personalizer" if place is None else f"personalizer/{place.operation}"


async def refuse_as_personalizer(send: Send, path: str, no: Refusal) -> None:
    """Send a refusal in Personalizer's shape."""
    place = place_of(path)
    operation = None if place is None else place.operation
    more: tuple[Any, ...] = ((b"x-ms-error-code", code_of(no, operation).encode()),)
    after = no.details.get("retry_after")
    if after is not None:
        more += ((b"retry-after", b"%d" % after),)
    await answer_with(send, status_of(no), encode(body_of(no, operation)), _JSON, more)


def route_of(path: str) -> str:
    """What the route of a path is called in the metrics."""
    return _called(place_of(path))
