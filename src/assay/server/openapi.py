"""How the API is described: what requests and answers hold, and the statuses each route can answer with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, FastAPI, Response
from fastapi.openapi.utils import get_openapi
from msgspec import UNSET, Meta, UnsetType

from assay.server.access import need_of
from assay.server.engine.definition import NAME, TRIAL_NAME, Label
from assay.server.engine.export import FORMATS

document = (
    "Predict now, be told later, lose nothing. Ask a learner and get a prediction with a trial; tell the "
    "truth of the trial whenever it is known. A 2xx survives a crash and is applied exactly once."
)

_Maybe = UnsetType
#: What any route may answer, whatever is asked: keys, limits and a store that fails.
_ALWAYS = (401, 403, 429, 503, 507)
_PLACE = "#/components/schemas/{name}"
_OF_TRIALS = ("predict", "feedback", "rank", "reward", "activate", "erase")
_KEY = "key"
_SCHEMES = {
    _KEY: {
        "type": "http",
        "scheme": "bearer",
        "description": "A key, as `assay keys new` makes it; an operation names the scope that it needs.",
    }
}
#: Requests and answers by lines; what a line holds is what the request or the answer would be alone.
_LINES = {
    "application/x-ndjson": {
        "schema": {"type": "string", "description": "One JSON object in each line."}
    }
}
#: What parameters of paths and queries may be.
_PARAMETERS: dict[str, dict[str, Any]] = {
    "name": {"pattern": f"^{NAME.pattern}$"},
    "format": {"enum": [*FORMATS]},
}
_ANY_LIST = {"type": "array", "items": {}, "description": "One request after the other."}
_RETRY_AFTER = {
    "headers": {
        "Retry-After": {
            "description": "Seconds after which it can be sent again.",
            "required": True,
            "schema": {"type": "integer", "minimum": 0},
        }
    }
}
_AUTHENTICATE = {
    "headers": {
        "WWW-Authenticate": {
            "description": "How a key is sent.",
            "required": True,
            "schema": {"type": "string"},
        }
    }
}
#: What comes with a refusal, beside its body.
_HEADERS: dict[int, dict[str, Any]] = {401: _AUTHENTICATE, 429: _RETRY_AFTER, 503: _RETRY_AFTER}


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    """What holds nothing but its fields."""


class Ask(Closed):
    """One example, a block of them, what the experts say, or nothing, as the learner has it."""

    trial: Annotated[str, Meta(pattern=f"^{TRIAL_NAME.pattern}$")] | None = None
    x: list[float] | dict[str, float] | _Maybe = UNSET
    rows: list[list[float]] | _Maybe = UNSET
    advice: list[Label | None] | dict[str, Label | None] | _Maybe = UNSET


class Answer(Closed):
    """The prediction, and the trial by which its truth can be told."""

    trial: str
    prediction: Any = UNSET
    predictions: list[Any] | _Maybe = UNSET
    arm: int | _Maybe = UNSET
    action: str | _Maybe = UNSET
    probability: float | _Maybe = UNSET
    distribution: list[float] | _Maybe = UNSET
    expert: int | _Maybe = UNSET


class Erase(Closed):
    """Which trials are erased: by their names, and all whose names begin so."""

    trials: list[str] | _Maybe = UNSET
    beginning: Annotated[str, Meta(pattern=f"^{TRIAL_NAME.pattern}$")] | None = None


class Told(Closed):
    """Whether the truth was learned now or before, and where the learner stands."""

    trial: str
    applied: bool
    told: int
    mistakes: int
    mistake: bool | _Maybe = UNSET
    wrong: int | _Maybe = UNSET
    bound: float | _Maybe = UNSET
    bound_at: int | _Maybe = UNSET


Features = Any
"""What is known of a round or of an action: numbers in a list or by name; hashed, any JSON."""


class Action(Closed):
    """An action of a round with its features, where the definition has such."""

    id: str
    features: Features = UNSET


class Slot(Closed):
    """One of several places that get an action each."""

    id: str
    features: Features = UNSET
    excluded: list[str] | _Maybe = UNSET
    baseline: str | None = None


class Rank(Closed):
    """A round: what is known of it, the actions with the baseline first, and those that may not be chosen."""

    trial: Annotated[str, Meta(pattern=f"^{TRIAL_NAME.pattern}$")] | None = None
    context: Features = UNSET
    actions: list[Action | str] | None = None
    excluded: list[str] | _Maybe = UNSET
    slots: list[Slot] | None = None
    deferred: bool = False


class Likely(Closed):
    """An action with the probability that it had."""

    id: str
    probability: float


class Filled(Closed):
    """What was chosen for a slot."""

    slot: str
    action: str
    probability: float
    ranking: list[Likely]
    agreed: bool | _Maybe = UNSET


class Ranked(Closed):
    """The action, or one for each slot, and the trial by which its reward can be told."""

    trial: str
    action: str | _Maybe = UNSET
    probability: float | _Maybe = UNSET
    ranking: list[Likely] | _Maybe = UNSET
    agreed: bool | _Maybe = UNSET
    slots: list[Filled] | _Maybe = UNSET


class Activated(Closed):
    """Whether the trial takes part since now, or did before."""

    trial: str
    activated: bool


class Problem(msgspec.Struct):
    """What is wrong, as a word for programs and as a sentence; fields beside them say more."""

    code: str
    message: str


class Error(Closed):
    """A refusal; in a batch, `status` is what this entry alone would get."""

    error: Problem
    status: int | _Maybe = UNSET


def _schema(kind: type) -> dict[str, Any]:
    return {"$ref": _PLACE.format(name=kind.__name__)}


def _held(schema: dict[str, Any], media: str = "application/json") -> dict[str, Any]:
    return {"content": {media: {"schema": schema}}}


class Routes(APIRouter):
    """Routes with what they take and answer; the docstring of the function is the summary."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: set[type] = {Error}

    def on(
        self,
        method: str,
        path: str,
        *,
        answer: type | str | tuple[str, ...],
        body: type | None = None,
        also: tuple[int, ...] = (),
        refusals: tuple[int, ...] = (),
        many: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Add the function below this line as a route.

        Parameters
        ----------
        method, path : str
        answer, body : type
            What the route answers with and takes; an answer that is text is a media type, or several.
        also : tuple of int
            Statuses beside 200 that come with the answer.
        refusals : tuple of int
            Statuses of refusals, beside those that any route may answer with.
        many : bool
            Whether a list of requests is taken too, and answered with a list.
        """
        self.kinds |= {kind for kind in (answer, body) if isinstance(kind, type)}
        terms: dict[str, Any] = {"methods": [method]}
        if isinstance(answer, str | tuple):
            media = (answer,) if isinstance(answer, str) else answer
            fine = {"content": {one: {"schema": {"type": "string"}} for one in media}}
            terms["response_class"] = Response  # or JSON would be described beside it
        else:
            fine = _held(_or_many(answer, Error) if many else _schema(answer))
        if many:
            fine["content"] |= _LINES
        responses: dict[int | str, Any] = {
            status: {"description": "Done."} | fine for status in (200, *also)
        }
        for status in sorted({*refusals, *_ALWAYS} - {*also}):
            refused = {"description": "Refused."} | _held(_schema(Error))
            responses[status] = refused | _HEADERS.get(status, {})
        if body is not None:
            # What is wrong with one of many is said in the place of its answer: the list itself is taken.
            taken = _held({"anyOf": [_schema(body), _ANY_LIST]} if many else _schema(body))
            if many:
                taken["content"] |= _LINES
            terms["openapi_extra"] = {"requestBody": {"required": True} | taken}

        def added(endpoint: Callable[..., Any]) -> Callable[..., Any]:
            called = endpoint.__name__  # what generators call the function
            terms.update(operation_id=called, tags=[_tag(path)], responses=responses)
            self.add_api_route(path, endpoint, summary=endpoint.__doc__, **terms)
            return endpoint

        return added

    def schemas(self) -> dict[str, Any]:
        """The schemas of everything that is taken or answered."""
        kinds = sorted(self.kinds, key=lambda kind: kind.__name__)
        held: dict[str, Any] = _with_items(
            msgspec.json.schema_components(kinds, ref_template=_PLACE)[1]
        )
        return held


def _or_many(kind: type, other: type) -> dict[str, Any]:
    one = _schema(kind)
    return {"anyOf": [one, {"type": "array", "items": {"anyOf": [one, _schema(other)]}}]}


def without_lines(held: Any) -> Any:
    """A description without the media type of lines."""
    if isinstance(held, list):
        return [without_lines(one) for one in held]
    if not isinstance(held, dict):
        return held
    return {name: without_lines(one) for name, one in held.items() if name not in _LINES}


def _with_items(schema: Any) -> Any:
    """The same, where lists of anything say so: generators ask for it."""
    if isinstance(schema, list):
        return [_with_items(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _with_items(one) for name, one in schema.items()}
    return made | {"items": {}} if made.get("type") == "array" and "items" not in made else made


def _tag(path: str) -> str:
    parts = path.split("/")
    if parts[1:3] != ["v1", "learners"]:
        return "service"
    return "trials" if parts[-1] in _OF_TRIALS else "learners"


def _secured(method: str, path: str, keys: bool) -> list[dict[str, list[str]]]:
    """Which key an operation needs; where the service has no keys, none will do as well."""
    scope = need_of(method.upper(), path).scope
    if scope is None:
        return []
    return [{_KEY: [scope]}] if keys else [{}, {_KEY: [scope]}]


def describe(app: FastAPI, routes: Routes, *, keys: bool) -> None:
    """Have an application described by the schemas of its routes; with `keys`, they need some."""

    def described() -> dict[str, Any]:
        if not app.openapi_schema:
            made = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes
            )
            for place, path in made["paths"].items():
                for method, operation in path.items():
                    operation["security"] = _secured(method, place, keys)
                    for parameter in operation.get("parameters", ()):
                        parameter["schema"] |= _PARAMETERS.get(parameter["name"], {})
                    operation.pop("description", None)  # the summary once more
                    # FastAPI's own shape of errors is never sent.
                    if "HTTPValidationError" in str(operation["responses"].get("422")):
                        del operation["responses"]["422"]
            made["components"] = {"schemas": routes.schemas(), "securitySchemes": _SCHEMES}
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
