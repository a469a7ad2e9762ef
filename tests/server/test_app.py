"""The HTTP API: one shape for every refusal, nothing that a client does is the server's mistake."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from assay import __version__, load
from assay.certificates.certificate import Certificate
from assay.server.app import create_app
from assay.server.limits import Limits
from assay.server.refusals import STATUS, Refusal

SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}


def talk(path, conversation, **terms):
    """Run a conversation with a service in this process."""

    async def whole():
        app = create_app(path / "a.db", **terms)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://here") as client,
        ):
            await conversation(client)

    asyncio.run(whole())


def error(answer):
    body = answer.json()
    assert set(body) == {"error"}
    assert {"code", "message"} <= set(body["error"])
    assert answer.status_code == STATUS[body["error"]["code"]]
    return body["error"]["code"]


def test_a_learner_from_its_creation_to_its_end(tmp_path):
    async def conversation(client):
        made = await client.put("/v1/learners/spam", json=SPAM)
        assert (made.status_code, made.json()["trials"]) == (201, 0)
        assert (await client.put("/v1/learners/spam", json=SPAM)).status_code == 200
        other = await client.put("/v1/learners/spam", json=SPAM | {"delta": 0.5})
        assert error(other) == "conflict"

        asked = (await client.post("/v1/learners/spam/predict", json={"x": [1, 2]})).json()
        told = {"trial": asked["trial"], "label": 1 - asked["prediction"]}
        for applied in (True, False):
            answer = await client.post("/v1/learners/spam/feedback", json=told)
            assert answer.status_code == 200
            found = answer.json()
            assert (found["applied"], found["mistake"], found["mistakes"]) == (applied, True, 1)
        told["label"] = asked["prediction"]
        assert error(await client.post("/v1/learners/spam/feedback", json=told)) == "conflict"

        standing = (await client.get("/v1/learners/spam")).json()
        assert (standing["mistakes"], standing["bound_at"]) == (1, 1)
        assert [x["name"] for x in (await client.get("/v1/learners")).json()["learners"]] == [
            "spam"
        ]
        certificate = await client.get("/v1/learners/spam/certificate")
        assert Certificate.from_json(certificate.content).rows == 1
        assert (await client.get("/v1/learners/spam/guarantees")).json()["guarantees"]
        (tmp_path / "m.assay").write_bytes((await client.get("/v1/learners/spam/model")).content)
        assert load(tmp_path / "m.assay").record_.mistakes == 1
        changed = await client.put("/v1/learners/spam/settings", json={"feedback_within": 5})
        assert changed.json()["settings_version"] == 2

        metrics = (await client.get("/metrics")).text
        assert 'assay_mistakes_total{learner="spam"} 1' in metrics
        assert 'assay_requests_total{route="feedback",status="409"} 1' in metrics
        assert (await client.delete("/v1/learners/spam")).json() == {"deleted": "spam"}
        assert error(await client.get("/v1/learners/spam")) == "unknown_learner"

    talk(tmp_path, conversation)


@pytest.mark.parametrize(
    ("method", "path", "content", "code"),
    [
        ("GET", "/nowhere", None, "unknown_path"),
        ("POST", "/v1/learners", b"{}", "wrong_method"),
        ("GET", "/v1/learners/spam/predict", None, "wrong_method"),
        ("PUT", "/v1/learners/new", b"{", "bad_json"),
        ("PUT", "/v1/learners/new", b"[]", "refused"),
        ("PUT", "/v1/learners/new", b'{"algorithm": "perceptron", "speed": 1}', "refused"),
        ("PUT", "/v1/learners/new", b'{"algorithm": NaN}', "bad_json"),
        ("PUT", "/v1/learners/-new", json.dumps(SPAM).encode(), "refused"),
        ("PUT", "/v1/learners/new", b'{"params": ' + b"[" * 100_000, "refused"),
        ("PUT", "/v1/learners/spam/settings", b'{"wait": 1}', "refused"),
        ("POST", "/v1/learners/spam/predict", b"", "refused"),
        ("POST", "/v1/learners/spam/predict", b"{", "bad_json"),
        ("POST", "/v1/learners/spam/predict", b"\xff\xfe", "bad_json"),
        ("POST", "/v1/learners/spam/predict", b"[1, 2", "bad_json"),
        ("POST", "/v1/learners/spam/predict", b'{"x": [1, "2"]}', "refused"),
        ("POST", "/v1/learners/spam/predict", b'{"x": [1, true]}', "refused"),
        ("POST", "/v1/learners/spam/predict", b'{"x": [1, 1e999]}', "refused"),
        ("POST", "/v1/learners/spam/predict", b'{"x": [1, 2], "y": 0}', "refused"),
        ("POST", "/v1/learners/spam/predict", b'{"x": ' + b"[" * 50_000, "bad_json"),
        ("POST", "/v1/learners/spam/predict", b'{"x": [1, 2], "trial": "a b"}', "refused"),
        ("POST", "/v1/learners/none/predict", b'{"x": [1, 2]}', "unknown_learner"),
        ("POST", "/v1/learners/spam/feedback", b"{}", "refused"),
        ("POST", "/v1/learners/spam/feedback", b'{"trial": "none", "label": 1}', "unknown_trial"),
        ("POST", "/v1/learners/spam/feedback", b" " * 2000, "too_large"),
        ("PUT", "/v1/learners/new", b" " * 2000, "too_large"),
    ],
)
def test_refusals_have_one_shape(tmp_path, method, path, content, code):
    async def conversation(client):
        await client.put("/v1/learners/spam", json=SPAM)
        if code != "too_large" and len(content or b"") > 1000:
            limits = client._transport.app.state.service.engine
            limits.limits = Limits()
        answer = await client.request(method, path, content=content)
        assert error(answer) == code
        standing = (await client.get("/v1/learners/spam")).json()
        assert (standing["trials"], standing["settings_version"]) == (0, 1)

    talk(tmp_path, conversation, limits=Limits(body=1000))


def test_batches_answer_one_by_one(tmp_path):
    async def conversation(client):
        await client.put("/v1/learners/spam", json=SPAM)
        asked = [{"x": [1, t], "trial": f"a{t}"} for t in range(150)] + [{"x": [1]}]
        lines = "\n".join(map(json.dumps, asked))
        headers = {"content-type": "application/x-ndjson"}
        answer = await client.post("/v1/learners/spam/predict", content=lines, headers=headers)
        assert answer.headers["content-type"] == "application/x-ndjson"
        found = [json.loads(line) for line in answer.text.splitlines()]
        assert [line.get("trial") for line in found[:150]] == [f"a{t}" for t in range(150)]
        assert (found[150]["error"]["code"], found[150]["status"]) == ("refused", 422)
        told = [{"trial": f"a{t}", "label": t % 2} for t in range(150)]
        answer = await client.post("/v1/learners/spam/feedback", json=told)
        assert [one["told"] for one in answer.json()] == list(range(1, 151))

    # More than may wait: a batch waits for room, and nothing is refused for it.
    talk(tmp_path, conversation, limits=Limits(queue=40))


def test_events_tell_where_a_learner_stands(tmp_path):
    from assay.server.routes import standings

    async def conversation(client):
        service = client._transport.app.state.service
        await client.put("/v1/learners/spam", json=SPAM)
        events = standings(service, "spam")
        first = await anext(events)
        assert first.startswith("event: standing\nid: 0\ndata: {")
        trial = (await client.post("/v1/learners/spam/predict", json={"x": [0, 1]})).json()["trial"]
        await client.post("/v1/learners/spam/feedback", json={"trial": trial, "label": 1})
        assert json.loads((await anext(events)).split("data: ")[1])["told"] == 1
        await client.delete("/v1/learners/spam")
        assert await anext(events) == "event: deleted\ndata: {}\n\n"
        await events.aclose()
        assert service.metrics.listeners == 0

    talk(tmp_path, conversation)


def test_requests_are_authorised_in_one_place(tmp_path):
    seen = []

    def nobody(scope, path):
        seen.append(path)
        raise Refusal("forbidden", "No.")

    async def conversation(client):
        for path in ("/metrics", "/v1/learners", "/v1/learners/a/certificate"):
            assert error(await client.get(path)) == "forbidden"
        assert error(await client.post("/v1/learners/a/predict", json={})) == "forbidden"
        assert len(seen) == 4

    talk(tmp_path, conversation, authorise=nobody)


def test_what_is_described_is_what_is_there(tmp_path):
    async def conversation(client):
        found = (await client.get("/openapi.json")).json()
        assert found["info"]["version"] == __version__
        assert {"/v1/learners/{name}/predict", "/v1/learners/{name}/feedback"} <= set(
            found["paths"]
        )
        text = json.dumps(found)
        assert "HTTPValidationError" not in text
        for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
            assert name in found["components"]["schemas"]
        assert (await client.get("/healthz")).json() == {"live": True, "ready": True}

    talk(tmp_path, conversation)


def test_the_end_finishes_what_was_accepted(tmp_path):
    async def conversation(client):
        await client.put("/v1/learners/spam", json=SPAM)
        asks = [client.post("/v1/learners/spam/predict", json={"x": [t, 1]}) for t in range(20)]
        answers = await asyncio.gather(*asks)
        assert {a.status_code for a in answers} == {200}

    talk(tmp_path, conversation)

    async def later(client):
        standing = (await client.get("/v1/learners/spam")).json()
        assert (standing["trials"], standing["open"]) == (20, 20)

    talk(tmp_path, later)


def test_every_route_stands_in_the_guide_and_has_a_summary(tmp_path):
    described = []

    async def conversation(client):
        described.append((await client.get("/openapi.json")).json())

    talk(tmp_path, conversation)
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "service.rst").read_text()
    for path, operations in described[0]["paths"].items():
        assert f"{path}``" in guide, path
        for operation in operations.values():
            assert operation["summary"].endswith(".")
            assert "description" not in operation
