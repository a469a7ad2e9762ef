import json

import pytest

from assay.learners.registry import find_learner, learner_names
from tests.cli.runner import run

OWN = [name for name in learner_names() if find_learner(name).__module__.startswith("assay.")]


@pytest.fixture(scope="module")
def cards():
    found = json.loads(run("learners", "--json").out)
    assert list(found) == ["learners"]
    return {card["name"]: card for card in found["learners"]}


def test_every_learner_is_told_with_what_it_is_for(cards):
    assert list(cards) == learner_names()
    for name, card in cards.items():
        assert card["use"]
        assert card["promise"]
        assert card["parameters"] or not find_learner(name)().get_params()


def test_what_a_learner_can_do_is_read_off_the_learner(cards):
    forest, perceptron = cards["random-forest-classifier"], cards["perceptron"]
    assert (forest["predicts"], forest["streams"], forest["probabilities"]) == (
        "classes",
        False,
        True,
    )
    assert (perceptron["streams"], perceptron["sparse"]) == (True, True)
    assert cards["ridge"]["predicts"] == "quantities"
    assert cards["hedge"]["predicts"] == "forecasts"
    assert cards["ucb1"]["predicts"] == "actions"


def test_the_classifiers_named_to_those_who_stream_are_all_there_are(cards):
    able = [n for n in cards if cards[n]["streams"] and cards[n]["predicts"] == "classes"]
    refused = run("stream", "t.csv", "--target", "y", "--learner", "svc")
    assert (refused.code, refused.err) == (
        2,
        f"assay: svc cannot learn row by row. These can: {', '.join(able)}.\n",
    )


def test_the_list_fits_a_screen():
    lines = run("learners").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "Predict quantities" in lines


def test_one_learner_with_its_parameters(cards):
    text = run("learners", "random-forest-classifier").out
    assert "  in Python  assay.RandomForestClassifier\n" in text
    assert "  n_estimators=100\n      How many trees.\n" in text
    one = json.loads(run("learners", "random-forest-classifier", "--json").out)
    assert one == cards["random-forest-classifier"]
    assert {"name": "n_estimators", "default": "100", "meaning": "How many trees."} in one[
        "parameters"
    ]


def test_an_unknown_name_is_refused_with_a_suggestion():
    found = run("learners", "perceptrom")
    assert (found.code, found.err) == (
        2,
        "assay: No learner is called 'perceptrom'. Did you mean 'perceptron'?\n",
    )
