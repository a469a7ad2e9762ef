import re
import subprocess
import sys

import pytest

import assay
from assay.errors import BadParameter, UnknownName
from assay.learners import registry
from assay.learners.registry import find_learner, learner_names, make_learner, name_of, register


def test_every_name_leads_to_a_learner_and_back():
    assert learner_names() == sorted(learner_names())
    for name in learner_names():
        learner = find_learner(name)
        assert name_of(learner()) == name
        assert make_learner(name, {}).get_params() == learner().get_params()


def test_every_public_learner_has_a_name():
    public = {value for name in assay.__all__ if isinstance(value := getattr(assay, name), type)}
    learners = {kind for kind in public if kind.__module__.startswith("assay.learners.")}
    # A machine is made from a function, which no name and no file can hold.
    machines = {assay.MachineClassifier, assay.MachineRegressor}
    assert learners - machines == {find_learner(name) for name in learner_names()}


def test_names_are_known_without_importing_learners():
    code = (
        "import sys; from assay.learners.registry import learner_names; assert learner_names();"
        "heavy = {'numpy', 'sklearn', 'numba'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_refused_with_a_hint():
    with pytest.raises(UnknownName, match=re.escape("Did you mean 'perceptron'?")):
        find_learner("perceptorn")
    with pytest.raises(UnknownName, match=re.escape("No learner is called '<>'. There are ")):
        find_learner("<>")
    sentence = "perceptron has no parameter 'margin'. It has alpha, class_weight, "
    with pytest.raises(UnknownName, match=re.escape(sentence)):
        make_learner("perceptron", {"margin": 1})


def test_strangers_have_no_name():
    class Odd(find_learner("perceptron")):
        pass

    for stranger in (Odd(), object(), "perceptron"):
        with pytest.raises(BadParameter, match="is none of assay's learners, which are "):
            name_of(stranger)


def test_a_name_must_be_in_the_table(monkeypatch):
    with pytest.raises(RuntimeError, match="which the table does not say"):
        register("oracle")(type("Oracle", (), {"__module__": "assay.learners.oracle"}))
    with pytest.raises(RuntimeError, match="which the table does not say"):
        register("perceptron")(type("Perceptron", (), {"__module__": "elsewhere"}))
    monkeypatch.setitem(registry._MODULES, "oracle", __name__)
    monkeypatch.setattr(registry, "_LEARNERS", dict(registry._LEARNERS))
    oracle = type("Oracle", (), {"__module__": __name__})
    assert register("oracle")(oracle) is oracle
    assert name_of(oracle()) == "oracle"
