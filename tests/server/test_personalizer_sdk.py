"""Azure Personalizer's own Python libraries, as they come from the index, against `assay serve` on loopback.

`make test-peers` installs them; where they are not, `tests/server/test_personalizer.py` sends what they send.
"""

from __future__ import annotations

import pytest

from tests.server.processes import Forked

pytestmark = pytest.mark.filterwarnings("default")

_REASON = "needs {}, which `make test-peers` installs"
CONTEXT = [{"user": {"profile": "guest", "age": 30}}, {"device": {"mobile": True}}]
ACTIONS = {"news": [{"type": "News", "words": 300}], "sports": [{"type": "Sports"}, {"live": True}]}


@pytest.fixture
def server(tmp_path):
    server = Forked(tmp_path / "a.db", options=("--personalizer", "loop"))
    assert server.ready(), server.output()
    yield server
    server.terminate()
    server.wait()


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_library_runs_unchanged(server, slash):
    name = "azure.cognitiveservices.personalizer"
    library = pytest.importorskip(name, reason=_REASON.format("azure-cognitiveservices-personalizer"))  # fmt: skip
    from msrest.authentication import CognitiveServicesCredentials
    from msrest.exceptions import HttpOperationError

    models = library.models
    credentials = CognitiveServicesCredentials("any key, since none is needed on loopback")
    client = library.PersonalizerClient(f"http://127.0.0.1:{server.port}{slash}", credentials)
    actions = [models.RankableAction(id=one, features=its) for one, its in ACTIONS.items()]
    request = models.RankRequest(
        context_features=CONTEXT,
        actions=actions,
        excluded_actions=["sports"],
        event_id="visit 1/2",
        defer_activation=True,
    )
    ranked = client.rank(request)
    assert (ranked.event_id, ranked.reward_action_id) == ("visit 1/2", "news")
    assert {one.id: one.probability for one in ranked.ranking} == {"news": 1.0, "sports": 0.0}
    assert client.events.activate("visit 1/2") is None
    assert client.events.reward("visit 1/2", 1.0) is None

    ranked = client.rank(models.RankRequest(context_features=CONTEXT, actions=actions))
    assert ranked.reward_action_id in ACTIONS
    assert sum(one.probability for one in ranked.ranking) == pytest.approx(1.0)
    client.events.reward(event_id=ranked.event_id, value=-0.5)
    client.events.reward(event_id=ranked.event_id, value=0.5)  # the first one counts

    with pytest.raises(models.ErrorResponseException) as caught:
        client.rank(models.RankRequest(context_features=CONTEXT, actions=[]))
    error = caught.value.error.error
    assert (error.code, error.inner_error.code) == ("InvalidRankRequest", "refused")
    assert error.message == "actions must be given: at least one, each with its features."
    with pytest.raises(HttpOperationError) as caught:
        client.events.reward("nobody asked for it", 1.0)
    assert caught.value.response.status_code == 404
    assert standing(server)["reward"] == 0.5


def test_the_later_library_runs_unchanged(server):
    library = pytest.importorskip(
        "azure.ai.personalizer", reason=_REASON.format("azure-ai-personalizer")
    )
    from azure.core.credentials import AzureKeyCredential
    from azure.core.exceptions import HttpResponseError

    place, key = f"http://127.0.0.1:{server.port}", AzureKeyCredential("any key")
    client = library.PersonalizerClient(place, key)
    actions = [{"id": one, "features": its} for one, its in ACTIONS.items()]
    ranked = client.rank({"contextFeatures": CONTEXT, "actions": actions, "eventId": "e1"})
    assert (ranked["eventId"], ranked["rewardActionId"] in ACTIONS) == ("e1", True)
    client.activate("e1")
    client.reward("e1", {"value": 1})
    slots = [
        {"id": "top", "features": [{"size": "large"}], "baselineAction": "news"},
        {"id": "side", "excludedActions": [], "baselineAction": "sports"},
    ]
    asked = {"contextFeatures": CONTEXT, "actions": actions, "slots": slots, "eventId": "e2"}
    ranked = client.rank_multi_slot(asked | {"deferActivation": True})
    assert {one["rewardActionId"] for one in ranked["slots"]} == set(ACTIONS)
    client.activate_multi_slot("e2")
    client.reward_multi_slot(
        "e2", {"reward": [{"slotId": "top", "value": 0.5}, {"slotId": "side", "value": 0}]}
    )
    with pytest.raises(HttpResponseError) as caught:
        client.reward("e3", {"value": 1})
    assert (caught.value.status_code, caught.value.error.code) == (404, "ResourceNotFound")
    assert standing(server)["reward"] == 1.5

    admin = library.PersonalizerAdministrationClient(place, key)
    held = admin.get_service_configuration()
    changed = admin.update_service_configuration(held | {"learningMode": "Apprentice"})
    assert (held["learningMode"], changed["learningMode"]) == ("Online", "Apprentice")
    assert client.rank({"actions": actions})["rewardActionId"] == "news"


def standing(server):
    from tests.server.processes import Caller

    caller = Caller(server)
    try:
        return caller("GET", "/v1/learners/loop")[1]
    finally:
        caller.close()
