"""What every learner, certificate and command said before the inside was rebuilt, it says still, field by field."""

import json
import math
import re

import pytest

from assay import Certificate, load, verify
from assay.learners.registry import learner_names
from tests.goldens.scenes import COMMANDS, FOLDER, commands, learner

#: BLAS sums as the machine likes: there the last digits are not promised.
BY_BLAS = {
    *learner_names("kernel"),
    *learner_names("neural"),
    "basis-ridge",
    "forward-stagewise-classifier",
    "forward-stagewise-regressor",
    "hinge-loss-lp",
    "linear-regression",
    "linear-svc",
    "logistic-regression",
    "ridge",
    # Those that state the length of a comparator, which a search by BLAS found.
    "gradient-descent",
    "margin-perceptron",
    "perceptron",
}
#: These state the length of a comparator, which a search by BLAS found.
COMMANDS_BY_BLAS = {"stream", "stream-sgd"}
OLD = FOLDER / "cedf297"
MODELS = sorted(path.stem for path in (OLD / "models").glob("*.assay"))
CERTIFICATES = sorted(path.stem for path in (OLD / "certificates").glob("*.json"))
#: Written before a claim about a batch had to say so: its statement speaks of a distribution.
REFUSED = {"certify-population"}


def differences(told, golden, near, path=""):
    """Where two pieces of plain data differ; numbers, alone or in text, may differ by a little if `near`."""
    if isinstance(golden, dict) and isinstance(told, dict):
        keys = [*golden, *(key for key in told if key not in golden)]
        return [
            difference
            for key in keys
            for difference in differences(told.get(key), golden.get(key), near, f"{path}.{key}")
        ]
    if isinstance(golden, list) and isinstance(told, list) and len(golden) == len(told):
        pairs = enumerate(zip(told, golden, strict=True))
        return [
            difference
            for i, (one, other) in pairs
            for difference in differences(one, other, near, f"{path}[{i}]")
        ]
    # The vector of a witness is as near the best as its search went, which BLAS decides.
    if told == golden or (near and _close(told, golden, 1e-4 if ".witness[" in path else 1e-7)):
        return []
    return [f"{path}: {told!r}, was {golden!r}"]


#: How far a solution is from the best is itself rounding, of this size at most.
ROUNDING = 1e-8
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def _close(told, golden, part):
    try:
        return math.isclose(float(told), float(golden), rel_tol=part, abs_tol=ROUNDING)
    except TypeError:
        return False
    except ValueError:  # sentences show few digits, the last of which may be rounded otherwise
        pairs = zip(NUMBER.findall(told), NUMBER.findall(golden), strict=False)
        same_words = NUMBER.split(told) == NUMBER.split(golden)
        return same_words and all(
            math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=ROUNDING) for a, b in pairs
        )


def plain(said):
    return json.loads(json.dumps(said, default=str))


def golden(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


@pytest.mark.parametrize("name", learner_names())
def test_learner(name, tmp_path):
    said = plain(learner(name, tmp_path))
    assert differences(said, golden(name), name in BY_BLAS) == []


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    return plain(commands(tmp_path_factory.mktemp("commands")))


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name, said):
    assert differences(said[name], golden(f"command-{name}"), name in COMMANDS_BY_BLAS) == []


@pytest.mark.parametrize("name", MODELS)
def test_old_model_file(name):
    model = load(OLD / "models" / f"{name}.assay")
    assert isinstance(model.guarantees(), list)


@pytest.mark.parametrize("name", CERTIFICATES)
def test_old_certificate(name):
    path = OLD / "certificates" / f"{name}.json"
    assert Certificate.load(path).claims
    assert verify(path).adds_up == (name not in REFUSED)


def test_the_comparison_can_fail():
    was = {"promised": "0.25", "inputs": {"rows": 7}, "text": "at most 0.25"}
    assert differences(was, was, near=False) == []
    now = {"promised": "0.2500000000000001", "inputs": {"rows": 8}, "text": "at most 0.2501"}
    assert len(differences(now, was, near=False)) == 3
    assert differences(now, was, near=True) == [".inputs.rows: 8, was 7"]
    for text in ("at most 0.26", "at least 0.25"):
        assert len(differences(was | {"text": text}, was, near=True)) == 1
