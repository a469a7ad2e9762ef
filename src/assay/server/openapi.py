"""How the API is described: schemas of requests and answers, and the statuses each route can answer with."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi

document = (
    "Predict now, be told later, lose nothing. Ask a learner and get a prediction with a trial; tell the "
    "truth of the trial whenever it is known. A 2xx survives a crash and is applied exactly once."
)

_LABEL = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_TRIAL = {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,64}$"}
_NULL = {"type": "null"}


def _object(properties: dict[str, Any], *required: str, closed: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        found["required"] = list(required)
    return found | ({"additionalProperties": False} if closed else {})


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, _NULL]}


_SETTINGS = _object(
    {
        "feedback_within": _or_null({"type": "number"}),
        "wait": _or_null({"type": "number"}),
        "default_loss": _or_null({"type": "number"}),
        "default_reward": _or_null({"type": "number"}),
    }
)
_TEXTS_OR_COUNT = {
    "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "integer"}, _NULL]
}

SCHEMAS: dict[str, Any] = {
    "Settings": _SETTINGS,
    "LearnerBody": _object(
        {
            "algorithm": {"type": "string"},
            "params": {"type": "object"},
            "classes": _or_null({"type": "array", "items": _LABEL}),
            "features": _TEXTS_OR_COUNT,
            "experts": _TEXTS_OR_COUNT,
            "actions": _or_null({"type": "array", "items": {"type": "string"}}),
            "delta": {"anyOf": [{"type": "number"}, {"type": "string"}]},
            "source": _or_null({"type": "string"}),
            "target": _or_null({"type": "string"}),
            "settings": {"$ref": "#/components/schemas/Settings"},
        },
        "algorithm",
    ),
    "Ask": _object(
        {
            "trial": _or_null(_TRIAL),
            "x": {"anyOf": [_NUMBERS, {"type": "object", "additionalProperties": {"type": "number"}}]},
            "rows": {"type": "array", "items": _NUMBERS},
            "advice": {
                "anyOf": [
                    {"type": "array", "items": _or_null(_LABEL)},
                    {"type": "object", "additionalProperties": _or_null(_LABEL)},
                ]
            },
        }
    ),
    "Tell": _object(
        {
            "trial": {"type": "string"},
            "label": _or_null(_LABEL),
            "labels": _or_null({"type": "array", "items": _LABEL}),
            "outcome": _or_null(_LABEL),
            "losses": {
                "anyOf": [
                    _NUMBERS,
                    {"type": "object", "additionalProperties": {"type": "number"}},
                    _NULL,
                ]
            },
            "loss": _or_null({"type": "number"}),
            "reward": _or_null({"type": "number"}),
        },
        "trial",
    ),
    "Answer": _object(
        {
            "trial": {"type": "string"},
            "prediction": {},
            "predictions": {"type": "array"},
            "arm": {"type": "integer"},
            "action": {"type": "string"},
            "probability": {"type": "number"},
            "distribution": _NUMBERS,
            "expert": {"type": "integer"},
        },
        "trial",
    ),
    "Told": _object(
        {
            "trial": {"type": "string"},
            "applied": {"type": "boolean"},
            "mistake": {"type": "boolean"},
            "wrong": {"type": "integer"},
            "told": {"type": "integer"},
            "mistakes": {"type": "integer"},
            "bound": {"type": "number"},
            "bound_at": {"type": "integer"},
        },
        "trial", "applied", "told", "mistakes",
    ),
    "Learner": _object(
        {"name": {"type": "string"}, "kind": {"type": "string"}}, "name", "kind", closed=False
    ),
    "Learners": _object(
        {"learners": {"type": "array", "items": {"$ref": "#/components/schemas/Learner"}}}, "learners"
    ),
    "Deleted": _object({"deleted": {"type": "string"}}, "deleted"),
    "Guarantees": _object({"guarantees": {"type": "array", "items": {"type": "object"}}}, "guarantees"),
    "Certificate": {"type": "object"},
    "Health": _object({"live": {"type": "boolean"}, "ready": {"type": "boolean"}}, "live", "ready"),
    "Error": _object(
        {
            "error": _object(
                {"code": {"type": "string"}, "message": {"type": "string"}},
                "code", "message", closed=False,
            ),
            "status": {"type": "integer", "description": "In a batch, what this entry alone would get."},
        },
        "error",
    ),
}  # fmt: skip

#: What any route may answer, whatever is asked: keys, limits and a store that fails.
_ALWAYS = (401, 403, 429, 503)


def _held(name: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}}


def documented(
    summary: str,
    *,
    answer: str,
    body: str | None = None,
    also: tuple[int, ...] = (),
    refusals: tuple[int, ...] = (),
) -> dict[str, Any]:
    """What FastAPI is told about a route; an answer that is no schema is a media type."""
    other = "/" in answer
    held = {"content": {answer: {"schema": {"type": "string"}}}} if other else _held(answer)
    fine = {"description": "Done."} | held
    responses: dict[int | str, Any] = {200: fine}
    responses.update((status, fine) for status in also)
    for status in sorted({*refusals, *_ALWAYS}):
        responses[status] = {"description": "Refused."} | _held("Error")
    found: dict[str, Any] = {"summary": summary, "responses": responses}
    if other:
        found["response_class"] = Response  # or JSON would be described beside it
    if body is not None:
        found["openapi_extra"] = {"requestBody": {"required": True} | _held(body)}
    return found


def describe_hot(app: FastAPI) -> None:
    """Describe the two routes that are answered before FastAPI is asked, and put the schemas in."""
    for what, ask, answer, summary in (
        ("predict", "Ask", "Answer", "Predict, and get the trial by which the truth can be told."),
        ("feedback", "Tell", "Told", "Tell the truth of a trial; learned exactly once."),
    ):
        _add_hot(app, what, ask, answer, summary)

    def described() -> dict[str, Any]:
        if not app.openapi_schema:
            made = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes
            )
            held = made.setdefault("components", {}).setdefault("schemas", {})
            for name in ("HTTPValidationError", "ValidationError"):
                held.pop(name, None)
            held.update(SCHEMAS)
            _without_422(made)
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _without_422(made: dict[str, Any]) -> None:
    """FastAPI's own shape of errors is never sent."""
    for path in made["paths"].values():
        for operation in path.values():
            held = operation["responses"].get("422")
            if held and "HTTPValidationError" in str(held):
                del operation["responses"]["422"]


def _add_hot(app: FastAPI, what: str, ask: str, answer: str, summary: str) -> None:
    terms = documented(
        summary, answer=answer, body=ask, refusals=(400, 404, 408, 409, 410, 413, 422)
    )
    one, many = ({"$ref": f"#/components/schemas/{name}"} for name in (ask, answer))
    held = terms["openapi_extra"]["requestBody"]["content"]
    held["application/json"]["schema"] = {"anyOf": [one, {"type": "array", "items": one}]}
    listed = {"type": "array", "items": {"anyOf": [many, {"$ref": "#/components/schemas/Error"}]}}
    terms["responses"][200]["content"]["application/json"]["schema"] = {"anyOf": [many, listed]}

    @app.post(f"/v1/learners/{{name}}/{what}", name=what, **terms)
    async def answered_by_the_gate(name: str) -> None:
        raise NotImplementedError
