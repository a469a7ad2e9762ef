"""Azure Personalizer's routes, by the requests that its libraries send, written by hand."""

from __future__ import annotations

import http.client
import json
import random
from collections import Counter

import pytest

from assay.server.app import create_app
from assay.server.auth import Guard
from assay.server.engine.check import check_store
from assay.server.engine.definition import TRIAL_NAME
from assay.server.keys import Keys, new_key
from assay.server.personalizer.events import slots_of, trial_of, trial_of_slot
from assay.server.personalizer.loop import DEFINITION
from assay.server.personalizer.places import Place, place_of
from assay.server.refusals import Refusal
from assay.server.store.store import Store
from tests.server.engines import opened
from tests.server.processes import Forked
from tests.server.test_app import talk

#: As the documentation of its interface shows a request, in our own words.
ROUND = {
    "contextFeatures": [
        {"user": {"profile": "guest", "place": "47.6,-122.1"}},
        {"device": {"mobile": True, "os": None}, "recent": {"itemsInCart": 3, "seen": ["a", "b"]}},
    ],
    "actions": [
        {"id": "NewsArticle", "features": [{"type": "News"}]},
        {"id": "SportsArticle", "features": [{"type": "Sports", "length": 2.5}]},
        {"id": "Entertainment Article", "features": [{"type": "Entertainment"}, {"live": False}]},
    ],
    "excludedActions": ["SportsArticle"],
    "eventId": "75269AD0-BFEE-4598-8196-C57383D38E10",
    "deferActivation": False,
}
SLOTS = {
    "contextFeatures": ROUND["contextFeatures"],
    "actions": ROUND["actions"],
    "slots": [
        {
            "id": "Main Article",
            "features": [{"size": "Large", "position": "Top Middle"}],
            "excludedActions": ["SportsArticle"],
            "baselineAction": "Entertainment Article",
        },
        {"id": "Side Bar", "features": [{"size": "Small"}], "baselineAction": "NewsArticle"},
    ],
    "eventId": "slots-1",
}
#: Older libraries name the version in the path, later ones in the query; endpoints may end with a slash.
FORMS = {
    "path": "http://here/personalizer/v1.0/{}",
    "preview": "http://here/personalizer/v1.1-preview.3/{}",
    "query": "http://here/personalizer/{}?api-version=2022-09-01-preview",
    "slash": "http://here//personalizer/v1.0/{}",
}


def asked_of(path, conversation, **terms):
    talk(path, conversation, **({"personalizer": "loop"} | terms))


def no(answer, status, code, inner):
    """A refusal as the libraries read it; returns the sentence."""
    error = answer.json()["error"]
    assert answer.status_code == status, answer.text
    assert (error["code"], error["innerError"]) == (code, {"code": inner})
    assert answer.headers["x-ms-error-code"] == code
    return error["message"]


async def standing(client):
    return (await client.get("/v1/learners/loop")).json()


# Paths and events


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_a_path_mean_the_same(form):
    def place(of):
        path = FORMS[form].format(of).removeprefix("http://here")
        return place_of(path.partition("?")[0])

    assert place("rank") == Place("rank")
    assert place("multislot/rank") == Place("multislot/rank")
    assert place("events/v1.0/reward") == Place("reward", "v1.0")
    assert place("events/events/reward/activate") == Place("activate", "events/reward")
    assert place("multislot/events/a b/activate") == Place("multislot/activate", "a b")
    for nothing in ("", "rank/", "events//reward", "events/reward", "model", "multislot"):
        assert place(nothing) is None


@pytest.mark.parametrize(
    "path", ["/personalizer", "/personalizers/rank", "/v1/personalizer/rank", "/rank"]
)
def test_other_paths_are_none_of_these(path):
    assert place_of(path) is None


def test_events_that_differ_have_different_trials():
    plain = ["a", "A", "a.b", "x" * 64]
    odd = [
        "a b",
        "a/b",
        "x" * 65,
        "ü",
        "event:1",
        trial_of("a b"),
        "\ud800",
        "e" * 256,
        slots_of("a"),
    ]
    trials = [trial_of(one) for one in plain + odd]
    trials += [
        trial_of_slot(event, slot) for event in ("a", "b", "ab") for slot in ("a", "b", "ba")
    ]
    assert trials[: len(plain)] == plain
    assert len(set(trials)) == len(trials)
    assert all(TRIAL_NAME.fullmatch(trial) for trial in trials)
    for event in ("", "x" * 257):
        with pytest.raises(Refusal, match=r"^eventId must be 1 to 256 characters\.$"):
            trial_of(event)


# Rank and reward


@pytest.mark.parametrize("form", FORMS)
def test_a_rank_and_its_reward(tmp_path, form):
    async def conversation(client):
        answer = await client.post(FORMS[form].format("rank"), json=ROUND)
        assert answer.status_code == 201
        ranked = answer.json()
        assert set(ranked) == {"ranking", "eventId", "rewardActionId"}
        assert ranked["eventId"] == ROUND["eventId"]
        assert ranked["ranking"][0]["id"] == ranked["rewardActionId"] != "SportsArticle"
        chances = {one["id"]: one["probability"] for one in ranked["ranking"]}
        assert set(chances) == {one["id"] for one in ROUND["actions"]}
        assert chances["SportsArticle"] == 0.0
        assert sum(chances.values()) == pytest.approx(1.0)
        reward = FORMS[form].format(f"events/{ROUND['eventId']}/reward")
        answer = await client.post(reward, json={"value": 1})
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["x-assay-applied"] == "true"
        known = await standing(client)
        assert (known["told"], known["reward"]) == (1, 1.0)

    asked_of(tmp_path, conversation)


def test_a_round_asked_again_has_the_same_answer(tmp_path):
    async def conversation(client):
        post = client.post
        first = await post("/personalizer/v1.0/rank", json=ROUND)
        again = await post("/personalizer/rank?api-version=2022-09-01-preview", json=ROUND)
        assert (again.status_code, again.json()) == (201, first.json())
        assert (await standing(client))["trials"] == 1
        other = await post("/personalizer/v1.0/rank", json=ROUND | {"excludedActions": []})
        sentence = no(other, 409, "OperationNotAllowed", "conflict")
        assert sentence == f"Trial '{ROUND['eventId']}' was asked about something else before."

    asked_of(tmp_path, conversation)


def test_nothing_but_actions_need_be_given(tmp_path):
    bare = {"actions": [{"id": "a", "features": []}, {"id": "b"}]}
    nulls = dict.fromkeys(
        ("contextFeatures", "excludedActions", "eventId", "deferActivation"), None
    )

    async def conversation(client):
        seen = set()
        for body in (bare, bare | nulls):
            ranked = (await client.post("/personalizer/v1.0/rank", json=body)).json()
            seen.add(ranked["eventId"])
            place = f"/personalizer/v1.0/events/{ranked['eventId']}/reward"
            assert (await client.post(place, json={"value": -1})).status_code == 204
        assert len(seen) == 2
        assert (await standing(client))["reward"] == -2.0

    asked_of(tmp_path, conversation)


def test_the_first_reward_counts_and_later_ones_have_no_effect(tmp_path):
    async def conversation(client):
        await client.post("/personalizer/v1.0/rank", json=ROUND)
        place = f"/personalizer/v1.0/events/{ROUND['eventId']}/reward"
        for value, applied in ((0.25, "true"), (0.25, "false"), (1, "false")):
            answer = await client.post(place, json={"value": value})
            assert (answer.status_code, answer.headers["x-assay-applied"]) == (204, applied)
        assert (await standing(client))["reward"] == 0.25
        # By the service's own route the same is a contradiction.
        told = {"trial": ROUND["eventId"], "reward": 1}
        assert (await client.post("/v1/learners/loop/reward", json=told)).status_code == 409

    asked_of(tmp_path, conversation)


def test_a_reward_that_comes_too_late_has_no_effect(tmp_path):
    now = 1000.0
    engine = opened(tmp_path / "a.db", clock=lambda: now)
    app = create_app(engine, personalizer="loop")

    async def conversation(client):
        nonlocal now
        await client.post("/personalizer/v1.0/rank", json=ROUND)
        await client.post(
            "/personalizer/v1.0/rank", json=ROUND | {"eventId": "d", "deferActivation": True}
        )
        now += 601
        for place, body in ((ROUND["eventId"] + "/reward", {"value": 1}), ("d/activate", None)):
            answer = await client.post(f"/personalizer/v1.0/events/{place}", json=body)
            assert (answer.status_code, answer.headers["x-assay-applied"]) == (204, "false")
        known = await standing(client)
        assert (known["told"], known["reward"]) == (1, 0.0)

    talk_with(app, conversation)
    engine.close()


def talk_with(app, conversation):
    import asyncio

    import httpx

    async def whole():
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            await conversation(client)

    asyncio.run(whole())


def test_events_may_be_called_anything(tmp_path):
    odd = ["visit 7/main?a=1#x%2F", "é" * 256, "event:1", "a\nb", "..", "x" * 200]

    async def conversation(client):
        from urllib.parse import quote

        for n, event in enumerate(odd, 1):
            answer = await client.post("/personalizer/v1.0/rank", json=ROUND | {"eventId": event})
            assert answer.json()["eventId"] == event
            place = f"/personalizer/v1.0/events/{quote(event, safe='')}/reward"
            if event != "..":  # which clients take for a step up
                assert (await client.post(place, json={"value": 0.5})).status_code == 204, event
                assert (await standing(client))["told"] == n - (n > 5)

    asked_of(tmp_path, conversation)


def test_a_deferred_event_takes_part_once_it_is_activated(tmp_path):
    async def conversation(client):
        home = "/personalizer/v1.0"
        await client.post(f"{home}/rank", json=ROUND | {"eventId": "e", "deferActivation": True})
        answer = await client.post(f"{home}/events/e/reward", json={"value": 1})
        sentence = no(answer, 409, "OperationNotAllowed", "conflict")
        assert sentence == "Trial 'e' was deferred and is not activated. Activate it first."
        for applied in ("true", "false"):
            answer = await client.post(f"{home}/events/e/activate")
            assert (answer.status_code, answer.content) == (204, b"")
            assert answer.headers["x-assay-applied"] == applied
        assert (await client.post(f"{home}/events/e/reward", json={"value": 1})).status_code == 204
        answer = await client.post(f"{home}/events/x/activate")
        assert no(answer, 404, "ResourceNotFound", "unknown_trial") == "No event 'x' is known."

    asked_of(tmp_path, conversation)


# Slots


@pytest.mark.parametrize("form", FORMS)
def test_slots_and_their_rewards(tmp_path, form):
    async def conversation(client):
        answer = await client.post(FORMS[form].format("multislot/rank"), json=SLOTS)
        assert answer.status_code == 201
        assert set(answer.json()) == {"slots", "eventId"}
        slots = {one["id"]: one["rewardActionId"] for one in answer.json()["slots"]}
        assert list(slots) == ["Main Article", "Side Bar"]
        assert len(set(slots.values())) == 2
        assert slots["Main Article"] != "SportsArticle"
        reward = FORMS[form].format("multislot/events/slots-1/reward")
        body = {"reward": [{"slotId": "Side Bar", "value": 0.5}, {"slotId": "Main Article", "value": 1}]}  # fmt: skip
        for applied in ("true", "false"):
            answer = await client.post(reward, json=body)
            assert (answer.status_code, answer.headers["x-assay-applied"]) == (204, applied)
        known = await standing(client)
        assert (known["told"], known["reward"]) == (2, 1.5)
        activate = FORMS[form].format("multislot/events/slots-1/activate")
        assert (await client.post(activate)).status_code == 204

    asked_of(tmp_path, conversation)


def test_each_slot_is_rewarded_by_itself_or_told_the_default(tmp_path):
    now = 1000.0
    engine = opened(tmp_path / "a.db", clock=lambda: now)
    app = create_app(engine, personalizer="loop")

    async def conversation(client):
        nonlocal now
        home = "/personalizer/v1.0/multislot"
        await client.post(f"{home}/rank", json=SLOTS)

        async def rewarded(*told):
            body = {"reward": [{"slotId": slot, "value": value} for slot, value in told]}
            return await client.post(f"{home}/events/slots-1/reward", json=body)

        for told, applied in (
            ([("Side Bar", 0.5)], "true"),
            ([("Side Bar", 1)], "false"),  # the first one counts
            ([("Side Bar", 1), ("Side Bar", 1)], None),
            (
                [("Main Article", 1), ("Side Bar", 2)],
                None,
            ),  # all are looked at before any is learned
            ([], None),
        ):
            answer = await rewarded(*told)
            assert answer.headers.get("x-assay-applied") == applied
            assert answer.status_code == (204 if applied else 400)
        answer = await rewarded(("Elsewhere", 1))
        assert no(answer, 404, "ResourceNotFound", "unknown_trial") == (
            "No slot 'Elsewhere' of event 'slots-1' is known."
        )
        assert (await standing(client))["reward"] == 0.5
        now += 601
        answer = await rewarded(("Main Article", 1))
        assert answer.headers["x-assay-applied"] == "false"
        known = await standing(client)
        assert (known["told"], known["reward"]) == (2, 0.5)

    talk_with(app, conversation)
    engine.close()


def test_slots_that_are_deferred_and_asked_again(tmp_path):
    async def conversation(client):
        home = "/personalizer/v1.0/multislot"
        asked = SLOTS | {"deferActivation": True}
        first = await client.post(f"{home}/rank", json=asked)
        assert (await client.post(f"{home}/rank", json=asked)).json() == first.json()
        assert (await standing(client))["trials"] == 2
        body = {"reward": [{"slotId": "Side Bar", "value": 1}]}
        answer = await client.post(f"{home}/events/slots-1/reward", json=body)
        no(answer, 409, "OperationNotAllowed", "conflict")
        for applied in ("true", "false"):
            answer = await client.post(f"{home}/events/slots-1/activate")
            assert (answer.status_code, answer.headers["x-assay-applied"]) == (204, applied)
        answer = await client.post(f"{home}/events/slots-1/reward", json=body)
        assert answer.status_code == 204
        answer = await client.post(f"{home}/events/slots/activate")
        assert no(answer, 404, "ResourceNotFound", "unknown_trial") == "No event 'slots' is known."
        unnamed = await client.post(f"{home}/rank", json=SLOTS | {"eventId": None})
        place = f"{home}/events/{unnamed.json()['eventId']}/reward"
        assert (await client.post(place, json=body)).status_code == 204

    asked_of(tmp_path, conversation)


@pytest.mark.parametrize(
    ("slots", "sentence"),
    [
        ([], "slots must be 1 to 3, since each action is chosen once, but are 0."),
        ([{"id": str(n), "baselineAction": "NewsArticle"} for n in range(4)],
         "slots must be 1 to 3, since each action is chosen once, but are 4."),
        ([SLOTS["slots"][0], {"id": "b", "baselineAction": "x"}], "baseline names an unknown action 'x'."),
        ([SLOTS["slots"][0]] * 2, "slots must be different from each other, but 'Main Article' comes twice."),
        ([SLOTS["slots"][0], {"id": "b", "baselineAction": "NewsArticle", "features": [{"n": 1e300}]}],
         "Slot 'b' must hold numbers between -1e+15 and 1e+15."),
        ([{"id": "a"}],
         "The request cannot be read: Object missing required field `baselineAction` - at `$.slots[0]`."),
    ],
)  # fmt: skip
def test_slots_that_cannot_be_leave_nothing_behind(tmp_path, slots, sentence):
    async def conversation(client):
        answer = await client.post(
            "/personalizer/v1.0/multislot/rank", json=SLOTS | {"slots": slots}
        )
        assert no(answer, 400, "InvalidRankRequest", "refused") == sentence
        assert (await standing(client))["trials"] == 0

    asked_of(tmp_path, conversation)


# Apprentices and their configuration


def test_an_apprentice_follows_what_the_application_would_do(tmp_path):
    async def conversation(client):
        place = "/personalizer/configurations/service?api-version=2022-09-01-preview"
        held = (await client.get(place)).json()
        assert (held["learningMode"], held["rewardWaitTime"]) == ("Online", "PT600S")
        assert (held["defaultReward"], held["rewardAggregation"]) == (0.0, "earliest")
        changed = held | {"learningMode": "Apprentice", "rewardWaitTime": "PT1H30M", "defaultReward": -0.5}  # fmt: skip
        answer = await client.put(place, json=changed)
        assert answer.status_code == 200
        assert answer.json() == changed | {"rewardWaitTime": "PT5400S"}
        settings = (await standing(client))["settings"]
        assert settings == {"wait": 5400.0, "default_reward": -0.5, "apprentice": True}
        for n in range(5):
            asked = ROUND | {"eventId": f"e{n}", "excludedActions": ["NewsArticle"]}
            ranked = (await client.post("/personalizer/v1.0/rank", json=asked)).json()
            assert ranked["rewardActionId"] == "SportsArticle"
        slots = (await client.post("/personalizer/v1.0/multislot/rank", json=SLOTS)).json()["slots"]
        assert [one["rewardActionId"] for one in slots] == ["Entertainment Article", "NewsArticle"]
        apprentice = (await standing(client))["apprentice"]
        assert apprentice["followed"] == 7
        assert (await client.put(place, json={"learningMode": "Online"})).status_code == 200
        assert "apprentice" not in (await standing(client))["settings"]

    asked_of(tmp_path, conversation)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"learningMode": "LoggingOnly"}, "learningMode must be Online or Apprentice, but is 'LoggingOnly'."),
        ({"rewardAggregation": "sum"}, "rewardAggregation is always 'earliest' here, and cannot be 'sum'."),
        ({"rewardWaitTime": "1h"}, "rewardWaitTime must be a duration such as PT10M, but is '1h'."),
        ({"rewardWaitTime": "PT0S"}, "wait must be seconds above zero, but is 0.0."),
        ({"defaultReward": 2}, "default_reward must be between -1 and 1, but is 2.0."),
        ({"logRetentionDays": 3}, "logRetentionDays is always -1 here, and cannot be 3."),
        ({"explorationPercentage": 0.3}, "explorationPercentage cannot be changed: how much a learner explores stands "
         "in the params of its definition."),
        ({"speed": 1}, "The request cannot be read: Object contains unknown field `speed`."),
    ],
)  # fmt: skip
def test_what_a_configuration_cannot_be(tmp_path, changed, sentence):
    async def conversation(client):
        answer = await client.put("/personalizer/v1.0/configurations/service", json=changed)
        assert no(answer, 400, "InvalidServiceConfiguration", "refused") == sentence

    asked_of(tmp_path, conversation)


# What is refused


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "The request cannot be read: Object missing required field `actions`."),
        ({"actions": []}, "actions must be given: at least one, each with its features."),
        (ROUND | {"excludedActions": ["x"]}, "excluded names an unknown action 'x'."),
        (ROUND | {"excludedActions": [a["id"] for a in ROUND["actions"]]}, "excluded must leave one action at least."),
        (ROUND | {"eventId": "x" * 257},
         "The request cannot be read: Expected `str` of length <= 256 - at `$.eventId`."),
        (ROUND | {"eventID": "x"}, "The request cannot be read: Object contains unknown field `eventID`."),
        (ROUND | {"contextFeatures": [{"n": 1e300}]}, "context must hold numbers between -1e+15 and 1e+15."),
        (ROUND | {"eventId": "t" + "0" * 20}, "A trial's name must not look like one of the server's."),
    ],
)  # fmt: skip
def test_rounds_that_cannot_be(tmp_path, body, sentence):
    async def conversation(client):
        answer = await client.post("/personalizer/v1.0/rank", json=body)
        assert no(answer, 400, "InvalidRankRequest", "refused") == sentence
        assert (await standing(client))["trials"] == 0

    asked_of(tmp_path, conversation)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"value": 2}, "reward must be between -1 and 1, but is 2.0."),
        ({"value": "1"}, "The request cannot be read: Expected `float`, got `str` - at `$.value`."),
        ({}, "The request cannot be read: Object missing required field `value`."),
    ],
)
def test_rewards_that_cannot_be(tmp_path, body, sentence):
    async def conversation(client):
        await client.post("/personalizer/v1.0/rank", json=ROUND)
        place = f"/personalizer/v1.0/events/{ROUND['eventId']}/reward"
        answer = await client.post(place, json=body)
        assert no(answer, 400, "InvalidRewardRequest", "refused") == sentence
        answer = await client.post("/personalizer/v1.0/events/other/reward", json={"value": 1})
        assert no(answer, 404, "ResourceNotFound", "unknown_trial") == "No event 'other' is known."
        slots = {"reward": [{"slotId": "a", "value": 1}]}
        answer = await client.post(
            f"/personalizer/v1.0/multislot/events/{ROUND['eventId']}/reward", json=slots
        )
        no(answer, 404, "ResourceNotFound", "unknown_trial")

    asked_of(tmp_path, conversation)


def test_bytes_that_are_no_request(tmp_path):
    async def conversation(client):
        for raw in (
            b"",
            b"{",
            b"[1]",
            b"\xff",
            b'{"actions": [{"id": "a", "features": NaN}]}',
            b"[" * 50_000,
        ):
            answer = await client.post("/personalizer/v1.0/rank", content=raw)
            assert answer.status_code == 400, raw[:20]
            assert answer.json()["error"]["code"] == "InvalidRankRequest"
        answer = await client.post(
            "/personalizer/v1.0/rank", content=rb'{"actions": [{"id": "\ud800"}]}'
        )
        assert answer.status_code in (201, 400)
        raw = json.dumps(ROUND).replace(ROUND["eventId"], r"\ud800").encode()
        assert (await client.post("/personalizer/v1.0/rank", content=raw)).status_code in (201, 400)

    asked_of(tmp_path, conversation)


ODD = [
    None,
    True,
    -1,
    0.5,
    10**400,
    1e308,
    "",
    "x" * 300,
    "a",
    [],
    {},
    [[]],
    [None],
    {"": 1},
    {"a": {"b": [1, "c"]}},
]


def mutated(chance, value):
    """A body in which one thing is something else, or is not there."""
    if chance.random() < 0.15 or not isinstance(value, dict | list) or not value:
        return chance.choice(ODD)
    held = dict(value) if isinstance(value, dict) else dict(enumerate(value))
    key = chance.choice(list(held))
    if chance.random() < 0.2:
        del held[key]
    else:
        held[key] = mutated(chance, held[key])
    return held if isinstance(value, dict) else list(held.values())


def test_no_request_makes_the_server_fail(tmp_path):
    bodies = {
        "rank": ROUND,
        "multislot/rank": SLOTS,
        "events/e/reward": {"value": 0.5},
        "multislot/events/slots-1/reward": {"reward": [{"slotId": "Side Bar", "value": 1}]},
        "events/e/activate": {},
        "configurations/service": {
            "learningMode": "Online",
            "rewardWaitTime": "PT1M",
            "defaultReward": 0,
        },
    }

    async def conversation(client):
        chance, statuses = random.Random(5), Counter()
        await client.post("/personalizer/v1.0/rank", json=ROUND | {"eventId": "e"})
        for n in range(400):
            place = chance.choice(list(bodies))
            body = mutated(chance, bodies[place])
            if place == "rank" and isinstance(body, dict) and "eventId" in body and n % 2:
                body["eventId"] = f"n{n}"
            method = "PUT" if place == "configurations/service" else "POST"
            answer = await client.request(
                method, f"/personalizer/v1.0/{place}", content=json.dumps(body)
            )
            statuses[answer.status_code] += 1
            assert answer.status_code in (200, 201, 204, 400, 404, 409), (place, body, answer.text)
            if answer.status_code >= 400:
                error = answer.json()["error"]
                assert set(error) == {"code", "message", "innerError"}
                assert 0 < len(error["message"]) < 1000
        assert {201, 204, 400, 409} <= set(statuses)

    asked_of(tmp_path, conversation)
    store = Store(tmp_path / "a.db", exclusive=False)
    assert check_store(store).problems == ()
    store.close()


def test_paths_and_methods_that_are_not_there(tmp_path):
    async def conversation(client):
        for path in ("evaluations", "model", "logs", "v1.0", "rank/x", "events/a/b"):
            answer = await client.get(f"/personalizer/{path}")
            no(answer, 404, "ResourceNotFound", "unknown_path")
        for method, path in (
            ("GET", "rank"),
            ("DELETE", "events/a/reward"),
            ("POST", "configurations/service"),
        ):
            answer = await client.request(method, f"/personalizer/v1.0/{path}")
            no(answer, 405, "OperationNotAllowed", "wrong_method")

    asked_of(tmp_path, conversation)


def test_without_the_option_there_are_no_such_routes(tmp_path):
    async def conversation(client):
        answer = await client.post("/personalizer/v1.0/rank", json=ROUND)
        sentence = no(answer, 404, "ResourceNotFound", "unknown_path")
        assert sentence == (
            "Personalizer's routes are not served. Start the service with --personalizer NAME."
        )

    talk(tmp_path, conversation)


# The learner behind it


def test_a_learner_of_ones_own_answers(tmp_path):
    engine = opened(tmp_path / "a.db")
    engine.create("mine", DEFINITION | {"algorithm": "epsilon-greedy", "params": {}})
    app = create_app(engine, personalizer="mine")
    assert engine.names() == ["mine"]
    assert engine.describe("mine")["settings"] == {}

    async def conversation(client):
        assert (await client.post("/personalizer/v1.0/rank", json=ROUND)).status_code == 201
        place = "/personalizer/v1.0/configurations/service"
        assert "rewardWaitTime" not in (await client.get(place)).json()
        answer = await client.put(place, json={"defaultReward": 0})
        assert no(answer, 400, "InvalidServiceConfiguration", "refused") == (
            "defaultReward needs a rewardWaitTime beside it."
        )

    talk_with(app, conversation)
    engine.close()


def test_one_that_is_asked_otherwise_is_refused_at_the_start(tmp_path):
    engine = opened(tmp_path / "a.db")
    engine.create("spam", {"algorithm": "perceptron", "classes": [0, 1], "features": 2})
    sentence = (
        "The learner 'spam' cannot answer for Personalizer: its definition must have action_features and "
        "hashed=true."
    )
    with pytest.raises(Refusal) as caught:
        create_app(engine, personalizer="spam")
    assert str(caught.value) == sentence
    engine.close()


def test_each_key_has_its_scopes_and_may_have_a_loop_of_its_own(tmp_path):
    texts, keys = {}, []
    for name, scopes, learners in [
        ("all", ["predict", "feedback", "read"], None),
        ("rank", ["predict"], None),
        ("own", ["predict", "feedback"], ["own"]),
        ("spam", ["predict", "feedback"], ["spam"]),
        ("others", ["predict"], ["a", "b"]),
        ("admin", ["admin"], None),
    ]:
        texts[name], key = new_key(name, scopes, learners)
        keys.append(key)
    engine = opened(tmp_path / "a.db")
    engine.create("own", DEFINITION)
    engine.create("spam", {"algorithm": "perceptron", "classes": [0, 1], "features": 2})
    app = create_app(engine, personalizer="loop", authorise=Guard(Keys(keys)))

    async def conversation(client):
        async def asked(name, place="rank", body=ROUND, method="POST", **headers):
            given = headers or {"Ocp-Apim-Subscription-Key": texts[name]}
            path = f"/personalizer/v1.0/{place}"
            return await client.request(method, path, json=body, headers=given)

        reward = f"events/{ROUND['eventId']}/reward"
        assert (await asked("all")).status_code == 201
        assert engine.describe("loop")["trials"] == 1
        assert (await asked("rank")).status_code == 201
        sentence = no(await asked("rank", reward, {"value": 1}), 403, "403", "forbidden")
        assert sentence == "This needs a key with the scope 'feedback'."
        assert (await asked("own")).status_code == 201
        assert (await asked("own", reward, {"value": 1})).status_code == 204
        assert [engine.describe(name)["told"] for name in ("own", "loop")] == [1, 0]
        no(await asked("spam"), 409, "OperationNotAllowed", "conflict")
        assert no(await asked("others"), 403, "403", "forbidden") == "The key is not for this."
        place = "configurations/service"
        assert (await asked("all", place, None, "GET")).status_code == 200
        no(await asked("all", place, {}, "PUT"), 403, "403", "forbidden")
        assert (await asked("admin", place, {}, "PUT")).status_code == 200
        assert (await asked("all", Authorization=f"Bearer {texts['all']}")).status_code == 201
        answer = await asked("all", **{"Ocp-Apim-Subscription-Key": "wrong"})
        sentence = no(answer, 401, "401", "not_allowed")
        assert sentence == "The key is not valid. Send it as: Ocp-Apim-Subscription-Key: KEY"
        # The header is for these routes alone.
        own = {"Ocp-Apim-Subscription-Key": texts["admin"]}
        assert (await client.get("/v1/learners", headers=own)).status_code == 401

    talk_with(app, conversation)
    engine.close()


def test_metrics_and_the_log_call_routes_by_their_names(tmp_path):
    async def conversation(client):
        await client.post("/personalizer/v1.0/rank", json=ROUND)
        await client.post("/personalizer/v1.0/made-up", json=ROUND)
        text = (await client.get("/metrics")).text
        assert 'assay_requests_total{route="personalizer/rank",status="201"} 1' in text
        assert 'assay_requests_total{route="personalizer",status="404"} 1' in text
        assert "made-up" not in text

    asked_of(tmp_path, conversation)


# As a process


def test_over_loopback_it_is_kept_and_replays_to_the_same_bits(tmp_path):
    store = tmp_path / "a.db"
    server = Forked(store, options=("--personalizer", "loop"))
    assert server.ready(), server.output()
    connection = server.connection()
    try:
        for n in range(30):
            event = f"visit {n}"
            body = json.dumps((SLOTS if n % 5 == 4 else ROUND) | {"eventId": event})
            slots = "multislot/" if n % 5 == 4 else ""
            place = f"/personalizer/v1.0/{slots}"
            assert posted(connection, f"{place}rank", body)[0] == 201
            reward = (
                '{"reward": [{"slotId": "Side Bar", "value": 0.5}]}' if slots else '{"value": 1}'
            )
            path = f"{place}events/visit%20{n}/reward"
            status, headers, answer = posted(connection, path, reward)
            assert (status, answer) == (204, b"")
            assert headers["content-length"] is None
            assert headers["transfer-encoding"] is None
        server.kill()
        server.wait()
    finally:
        connection.close()
        server.terminate()
    held = Store(store, exclusive=False)
    assert check_store(held).problems == ()
    held.close()
    engine = opened(store)
    assert engine.describe("loop")["told"] == 30
    engine.close()


def posted(connection: http.client.HTTPConnection, path, body):
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()
