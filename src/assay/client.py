"""A client of the service: asks, tells, and sends again what may be sent again.

It needs nothing but Python. A request that fails on the way is repeated; that is safe, since every prediction
carries its trial's name and the service answers a repetition with what it answered first.

The guide's page on the service shows it at work.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import queue
import random
import ssl
import time
import uuid
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from assay.errors import AssayError, BadParameter, Shown, Where

__all__ = ["AsyncClient", "AsyncLearner", "Client", "Learner", "ServiceRefused"]

_AGAIN = (429, 502, 503, 504)
_LONGEST_WAIT_S = 5.0


class ServiceRefused(AssayError):
    """The service said no.

    Attributes
    ----------
    status : int
        The HTTP status; 0 where the service could not be reached.
    code : str
        What is wrong, as a word for programs.
    details : dict
        What else the answer says, such as `retry_after`; `subject`, `must`, `got`, `where` and `remedy` are also
        attributes, as in every refusal of assay, `got` as it stands in the sentence.
    """

    def __init__(
        self, status: int, code: str, message: str, details: Mapping[str, Any] | None = None
    ) -> None:
        self.status, self.code, self.details = status, code, dict(details or {})
        known = {name: self.details.get(name) for name in ("subject", "must", "got", "remedy")}
        if known["got"] is not None:
            known["got"] = Shown(known["got"])
        where = self.details.get("where")
        # A later service may know more of a place.
        place = {name: where[name] for name in Where.__slots__ if name in where} if where else None
        super().__init__(message, where=None if place is None else Where(**place), **known)

    def sentence(self, options: Mapping[str, str] | None = None) -> str:
        """The refusal in the words of the service, which hold its fields already."""
        return str(self.args[0])


class Client:
    """A connection to a service, for any number of threads.

    Parameters
    ----------
    url : str
        Where the service is, such as ``http://127.0.0.1:8000``.
    key : str, optional
        The API key.
    timeout : float, default=30
        Seconds that one attempt may take.
    retries : int, default=8
        How often a request is sent again after the connection broke or the service was busy.
    """

    def __init__(
        self, url: str, key: str | None = None, *, timeout: float = 30.0, retries: int = 8
    ) -> None:
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise BadParameter(f"url must begin with http:// or https://, but is {url!r}.")
        try:
            port = place.port
        except ValueError:
            raise BadParameter(f"url must have a port from 0 to 65535, but is {url!r}.") from None
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
            # Not quoted, so that it stands in no log. A key read from a file often ends with its line.
            raise BadParameter(
                "key must be visible ASCII characters, without spaces or line ends around it."
            )
        self._secure, self._host, self._port = place.scheme == "https", place.hostname, port
        self._root = place.path.rstrip("/")
        self._timeout, self._retries = timeout, retries
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._idle: queue.LifoQueue[http.client.HTTPConnection] = queue.LifoQueue()

    # Learners

    def create(self, name: str, **definition: Any) -> Learner:
        """Create a learner, or find the one that was created with the same definition."""
        self.call("PUT", _path(name), definition)
        return Learner(self, name)

    def learner(self, name: str) -> Learner:
        """A learner that is there already."""
        return Learner(self, name)

    def learners(self) -> list[dict[str, Any]]:
        """All learners, and where they stand."""
        return list(self.call("GET", "/v1/learners")["learners"])

    def health(self) -> dict[str, Any]:
        """Whether the service lives and is ready."""
        return dict(self.call("GET", "/healthz/live"))

    def head(self) -> dict[str, Any]:
        """Where the log ends: kept elsewhere, it shows whether the log was cut or rewritten since."""
        return dict(self.call("GET", "/v1/head"))

    # Requests

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and read the answer."""
        raw = None if body is None else _encoded(body)
        answer = self.send(method, path, raw, "application/json")
        try:
            return json.loads(answer)
        except ValueError:
            raise ServiceRefused(
                200, "unknown", f"{self._host} did not answer with JSON. Is it the service?"
            ) from None

    def send(self, method: str, path: str, body: bytes | None, kind: str) -> bytes:
        """Send bytes, again and again where that may help; every request of this client may be repeated."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                status, headers, answer = self._once(method, path, body, kind)
            except (OSError, http.client.HTTPException) as problem:
                if last:
                    raise self._unreachable(problem) from None
                self._pause(attempt, None)
                continue
            if 200 <= status < 300:
                return answer
            if status not in _AGAIN or last:
                raise _refused(status, answer)
            self._pause(attempt, headers.get("Retry-After"))
        raise AssertionError

    def _unreachable(self, problem: Exception) -> ServiceRefused:
        why = str(problem) or "no answer"
        return ServiceRefused(0, "unreachable", f"{self._host} cannot be reached: {why}.")

    @staticmethod
    def _pause(attempt: int, wanted: str | None) -> None:
        # A little chance, so that clients that were refused together do not come back together.
        asked = wanted is not None and wanted.isascii() and wanted.isdigit()
        wait = float(wanted or 0) if asked else 0.05 * 2**attempt
        # Never sooner than the service asked for, unless that is longer than anybody should wait.
        time.sleep(min(wait, _LONGEST_WAIT_S) * (random.uniform(0.5, 1.0) + 0.5 * asked))

    def _once(
        self, method: str, path: str, body: bytes | None, kind: str
    ) -> tuple[int, Any, bytes]:
        connection = self._connection()
        try:
            headers = self._headers | ({} if body is None else {"Content-Type": kind})
            connection.request(method, self._root + path, body, headers)
            answer = connection.getresponse()
            read = answer.read()
        except BaseException:
            connection.close()
            raise
        self._idle.put(connection)
        return answer.status, answer.headers, read

    def _connection(self) -> http.client.HTTPConnection:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            pass
        if self._secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout, context=context
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def close(self) -> None:
        """Close all connections."""
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Learner:
    """One learner of a service."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self.name = client, name

    def predict(
        self, /, x: Any = None, *, trial: str | None = None, **asked: Any
    ) -> dict[str, Any]:
        """Ask for a prediction.

        Parameters
        ----------
        x : sequence or dict of numbers, optional
            The example; policies take ``advice=...`` or nothing, and a block of examples is ``rows=...``.
        trial : str, optional
            A name for the trial; made up where it is not given.
        """
        body = asked | ({} if x is None else {"x": x}) | {"trial": trial or new_trial()}
        return dict(self._client.call("POST", f"{_path(self.name)}/predict", body))

    def feedback(self, /, trial: str, label: Any = None, **told: Any) -> dict[str, Any]:
        """Tell the truth of a trial: its label, or ``outcome=``, ``loss=``, ``reward=``, ``losses=``, ``labels=``."""
        body = told | ({} if label is None else {"label": label}) | {"trial": trial}
        return dict(self._client.call("POST", f"{_path(self.name)}/feedback", body))

    def rank(
        self, /, context: Any = None, actions: Any = None, *, trial: str | None = None, **asked: Any
    ) -> dict[str, Any]:
        """Ask a policy with context for an action.

        Parameters
        ----------
        context : sequence or dict, optional
            What is known of the round.
        actions : list of dicts, or of names, optional
            What there is to choose from, the baseline first: ``{"id": ..., "features": ...}``, or names where the
            definition has them.
        trial : str, optional
            A name for the trial; made up where it is not given.
        **asked
            ``excluded``, ``slots``, and ``deferred=True`` where it is not known yet whether the action will be shown.
        """
        given = {"context": context, "actions": actions}
        body = asked | {name: value for name, value in given.items() if value is not None}
        body["trial"] = trial or new_trial()
        return dict(self._client.call("POST", f"{_path(self.name)}/rank", body))

    def reward(self, /, trial: str, reward: Any) -> dict[str, Any]:
        """Tell the reward of a trial; for slots, a dict of theirs by slot."""
        field = "rewards" if isinstance(reward, Mapping) else "reward"
        body = {"trial": trial, field: reward}
        return dict(self._client.call("POST", f"{_path(self.name)}/reward", body))

    def activate(self, /, trial: str) -> dict[str, Any]:
        """Say that what a deferred trial chose was shown."""
        return dict(self._client.call("POST", f"{_path(self.name)}/activate", {"trial": trial}))

    def predict_many(self, examples: Iterable[Any]) -> list[dict[str, Any]]:
        """Ask about many examples in one request, one trial for each."""
        return self._lines("predict", [{"x": x, "trial": new_trial()} for x in examples])

    def feedback_many(self, told: Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
        """Tell the labels of many trials in one request, in this order."""
        return self._lines("feedback", [{"trial": trial, "label": label} for trial, label in told])

    def _lines(self, what: str, items: Sequence[Any]) -> list[dict[str, Any]]:
        body = b"\n".join(_encoded(item) for item in items)
        path = f"{_path(self.name)}/{what}"
        lines = self._client.send("POST", path, body, "application/x-ndjson")
        return [json.loads(line) for line in lines.splitlines()]

    def standing(self) -> dict[str, Any]:
        """Where the learner stands: trials, mistakes, the bound."""
        return dict(self._client.call("GET", _path(self.name)))

    def guarantees(self) -> list[dict[str, Any]]:
        """What the learner's theorems say."""
        return list(self._client.call("GET", f"{_path(self.name)}/guarantees")["guarantees"])

    def certificate(self) -> dict[str, Any]:
        """The certificate about all acknowledged feedback, as `assay verify` reads it."""
        return dict(self._client.call("GET", f"{_path(self.name)}/certificate"))

    def model(self) -> bytes:
        """The learner as a model file."""
        return self._client.send("GET", f"{_path(self.name)}/model", None, "")

    def evaluate(self, policy: str, delta: float = 0.05) -> dict[str, Any]:
        """What another policy would have earned on what this learner logged, with an interval.

        Parameters
        ----------
        policy : str
            ``"baseline"``, ``"uniform"``, ``"logged"``, ``"action:ID"``, or ``"learner:NAME"`` as it stands.
        delta : float, default=0.05
            The probability with which the interval may fail.
        """
        asked = urlencode({"policy": policy, "delta": delta})
        return dict(self._client.call("GET", f"{_path(self.name)}/evaluate?{asked}"))

    def export(self, format: str = "jsonl") -> bytes:
        """What was asked, answered and told, a row for each decision, as ``jsonl``, ``csv`` or ``parquet``."""
        return self._client.send("GET", f"{_path(self.name)}/export?format={format}", None, "")

    def change_settings(self, /, **settings: Any) -> dict[str, Any]:
        """Change the settings; nothing that was learned is touched."""
        return dict(self._client.call("PUT", f"{_path(self.name)}/settings", settings))

    def delete(self) -> None:
        """Delete the learner and everything that was kept of it."""
        try:
            self._client.call("DELETE", _path(self.name))
        except ServiceRefused as no:
            if no.code != "unknown_learner":  # deleted by an attempt whose answer was lost
                raise

    def events(self) -> Iterator[dict[str, Any]]:
        """Where the learner stands, whenever that changes, until the service stops or it is deleted."""
        connection = self._client._connection()
        try:
            place = f"{self._client._root}{_path(self.name)}/events"
            try:
                connection.request("GET", place, headers=self._client._headers)
                answer = connection.getresponse()
            except (OSError, http.client.HTTPException) as problem:
                raise self._client._unreachable(problem) from None
            if answer.status != 200:
                raise _refused(answer.status, answer.read())
            for line in answer:
                if line.startswith(b"data: ") and len(line) > len(b"data: {}\n"):
                    yield json.loads(line[6:])
        finally:
            connection.close()


Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def _beside(
    call: Callable[Concatenate[Any, Given], Answer],
) -> Callable[Concatenate[Any, Given], Coroutine[Any, Any, Answer]]:
    """A call of the plain client for asynchronous programs, in a thread of its own, so that nothing is held up."""

    @wraps(call)
    async def answer(self: Any, /, *args: Given.args, **named: Given.kwargs) -> Answer:
        return await asyncio.to_thread(call, self._plain, *args, **named)

    return answer


class AsyncClient:
    """The same for asynchronous programs: every call runs in a thread of its own, so nothing is held up."""

    def __init__(self, url: str, key: str | None = None, **terms: Any) -> None:
        self._plain = Client(url, key, **terms)

    async def create(self, name: str, **definition: Any) -> AsyncLearner:
        """Create a learner, or find the one that was created with the same definition."""
        await asyncio.to_thread(self._plain.create, name, **definition)
        return self.learner(name)

    def learner(self, name: str) -> AsyncLearner:
        """A learner that is there already."""
        return AsyncLearner(self._plain, name)

    learners = _beside(Client.learners)
    head = _beside(Client.head)

    async def aclose(self) -> None:
        """Close all connections."""
        self._plain.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


class AsyncLearner:
    """One learner of a service, asked and told asynchronously; the calls are those of `Learner`, but for events."""

    def __init__(self, client: Client, name: str) -> None:
        self._plain, self.name = Learner(client, name), name

    predict = _beside(Learner.predict)
    feedback = _beside(Learner.feedback)
    rank = _beside(Learner.rank)
    reward = _beside(Learner.reward)
    activate = _beside(Learner.activate)
    predict_many = _beside(Learner.predict_many)
    feedback_many = _beside(Learner.feedback_many)
    model = _beside(Learner.model)
    change_settings = _beside(Learner.change_settings)
    standing = _beside(Learner.standing)
    guarantees = _beside(Learner.guarantees)
    certificate = _beside(Learner.certificate)
    evaluate = _beside(Learner.evaluate)
    export = _beside(Learner.export)
    delete = _beside(Learner.delete)


def new_trial() -> str:
    """A name for a trial that nobody else will think of."""
    return uuid.uuid4().hex


def _path(name: str) -> str:
    return f"/v1/learners/{quote(name, safe='')}"


def _refused(status: int, answer: bytes) -> ServiceRefused:
    try:
        error = json.loads(answer)["error"]
        code, message = error.pop("code"), error.pop("message")
        return ServiceRefused(status, code, message, error)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ServiceRefused(status, "unknown", f"The service answered with status {status}.")


def _encoded(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False, default=_listed).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise BadParameter(f"The request cannot be written as JSON: {problem}.") from None


def _listed(value: Any) -> Any:
    """NumPy's arrays and numbers as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a number, a text, a list or a dict")
