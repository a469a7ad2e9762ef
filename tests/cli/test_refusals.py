import json

from tests.cli.runner import run


def test_parameters_are_options_and_fields_are_data():
    found = run("plan", "--error", "2", "--json")
    sentence = "--error must be a number strictly between 0 and 1, but is '2'."
    assert found.err == f"assay: {sentence}\n"
    assert json.loads(found.out) == {
        "ok": False,
        "error": sentence,
        "kind": "BadParameter",
        "subject": "--error",
        "must": "a number strictly between 0 and 1",
        "got": "'2'",
    }


def test_places_and_ways_out_are_data(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "1,p\n2,q\n" * 20 + "x,p\n")
    asked = ("--target", "y", "--learner", "perceptron", "--number", "a", "--json")
    refusal = json.loads(run("fit", path, *asked).out)
    assert refusal["where"] == {"row": 41, "name": "a"}
    assert refusal["remedy"] == "If the column holds categories, name it with --category."
    assert refusal["error"].endswith(refusal["remedy"])
