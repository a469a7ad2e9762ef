"""Where requests come in that were written for Azure Personalizer.

They are the same trials, rewards and activations as by the service's own routes, with its promises: a rank or reward
that was answered with success survives a crash and counts once. As with Personalizer, the first reward of an event is
the one that counts, and one that comes later has no effect; the header ``x-assay-applied`` says which it was.
"""

from __future__ import annotations

from typing import Any

from assay.server.auth import KEY, sees
from assay.server.engine.engine import Answer
from assay.server.engine.requests import Activate, decoded, encode
from assay.server.fast_routes import Hot, Receive, Send, answer_with, read_body
from assay.server.keys import Key
from assay.server.personalizer.bodies import (
    asked,
    rank_decoder,
    ranked,
    reward_decoder,
    rewards_decoder,
    slots_decoder,
    told,
)
from assay.server.personalizer.configuration import (
    configuration_decoder,
    configuration_of,
    settings_of,
)
from assay.server.personalizer.events import trial_of
from assay.server.personalizer.loop import require_loop
from assay.server.personalizer.places import Place, place_of
from assay.server.personalizer.refused import body_of, code_of, status_of
from assay.server.refusals import Refusal, ToldBefore
from assay.server.service import Service
from assay.server.store.writer import Group

_JSON = b"application/json"


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
        decoder: Any = rank_decoder if place.operation == "rank" else slots_decoder

        def work(**terms: bool) -> Answer:
            require_loop(name, self._engine.hosted(name).definition)
            request = decoded(decoder, body)
            answer, group = self._engine.predict(name, asked(request), **terms)
            return ranked(request, answer), group

        answer, group = await self._hot.worked(name, "rank", len(body), work)
        scope["assay.trial"] = answer["eventId"]
        await _committed(group)
        return 201, encode(answer), ()

    async def _tell(
        self, scope: dict[str, Any], name: str, place: Place, body: bytes
    ) -> tuple[int, bytes, tuple[Any, ...]]:
        event = scope["assay.trial"] = place.event
        assert event is not None
        activates = place.operation.endswith("activate")
        decoder: Any = reward_decoder if place.operation == "reward" else rewards_decoder

        def work(**terms: bool) -> Answer:
            if activates:
                return self._engine.activate(name, Activate(trial_of(event)), **terms)
            return self._engine.feedback(name, told(event, decoded(decoder, body)), **terms)

        try:
            what = "activate" if activates else "reward"
            answer, group = await self._hot.worked(name, what, len(body), work)
            applied = answer["activated" if activates else "applied"]
        except Refusal as no:
            if not _has_no_effect(no, place):
                raise
            scope["assay.reason"] = no.code
            applied, group = False, self._engine.flushed()
        await _committed(group)
        return 204, b"", ((b"x-assay-applied", b"true" if applied else b"false"),)

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


def _has_no_effect(no: Refusal, place: Place) -> bool:
    """Whether Personalizer takes this and does nothing: what comes too late, and the second reward of an event."""
    # Of slots a second reward may be for others than the first: it would be lost without a word.
    told_before = isinstance(no, ToldBefore) and not place.operation.startswith("multislot")
    return no.code == "too_late" or told_before


async def _committed(group: Group | None) -> None:
    if group is not None:
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
