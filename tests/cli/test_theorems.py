import json

from tests.cli.runner import run


def test_json_lists_every_number_from_t01_to_t90():
    found = json.loads(run("theorems", "--json").out)["theorems"]
    numbers = {entry["number"] for entry in found}
    assert {f"T{i:02d}" for i in range(1, 91)} <= numbers
    for entry in found:
        assert entry["id"]
        assert entry["kind"]
        assert entry["statement"]
        assert entry["needs"]
        assert entry["source"]


def test_one_theorem_by_id_or_number():
    by_id = run("theorems", "perceptron-margin-mistakes")
    assert by_id == run("theorems", "T01")
    assert "needs    radius R: finite, > 0.  margin g: 0 < g <= R." in by_id.out.replace(
        ". margin", ".  margin"
    )
    assert json.loads(run("theorems", "T10", "--json").out)["computable"] is False


def test_by_kind():
    lines = run("theorems", "--kind", "regret").out.splitlines()
    assert lines
    assert all(" regret " in line for line in lines)


def test_unknown_names_are_refused_with_a_suggestion():
    found = run("theorems", "perceptron-margin-mistake")
    assert found.code == 2
    assert found.err == (
        "assay: No theorem is called 'perceptron-margin-mistake'. Did you mean 'perceptron-margin-mistakes'?\n"
    )
    assert run("theorems", "--kind", "luck").code == 2
