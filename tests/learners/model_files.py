"""What the tests of model files share: data, learners, and archives put together by hand."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_regressor

from assay import Perceptron, save
from assay.errors import BadData
from assay.evidence.digest import digest_bytes
from assay.learners.model_file import Decoder, Encoder, files
from assay.learners.registry import find_learner, learner_names, make_learner

GOLDEN = Path(__file__).parent / "golden"


RNG = np.random.default_rng(5)


X = RNG.integers(0, 2, (240, 6)).astype(float)


Y = np.where((X[:, 1] + X[:, 3] > 0) ^ (RNG.random(240) < 0.05), "yes", "no")


CLASSES = ["no", "yes"]


THREE = np.array(["a", "b", "c"])[(X[:, 0] + X[:, 1]).astype(int)]


CHUNKS = [name for name in learner_names() if hasattr(find_learner(name), "partial_fit")]


SAMPLES = [name for name in learner_names() if hasattr(find_learner(name), "fit")]


POLICIES = [name for name in learner_names() if name not in SAMPLES]


def targets(name):
    return X @ np.arange(6.0) if is_regressor(find_learner(name)()) else Y


#: Where defaults take long, or two learners would not start alike.
PARAMETERS = {
    "majority-boost-classifier": {"n_estimators": 3},
    "mlp-classifier": {
        "hidden_layer_sizes": [4],
        "learning_rate_init": 0.1,
        "random_state": 0,
        "tol": 0.1,
    },
    "random-forest-classifier": {"n_estimators": 5},
    "random-forest-regressor": {"n_estimators": 5},
}


def fresh(name):
    """A learner that has learned nothing yet."""
    return make_learner(name, PARAMETERS.get(name, {}))


def begin(model, y, X=X):
    classes = {} if y.dtype.kind == "f" else {"classes": np.unique(y)}
    return model.partial_fit(X[:100], y[:100], **classes)


def same_state(one, other):
    """Everything there is to see of two learners is the same, to the bit."""
    for name in ("coef_", "intercept_"):
        if hasattr(one, name):
            a, b = (np.asarray(getattr(model, name)) for model in (one, other))
            assert a.tobytes() == b.tobytes()
    assert getattr(one, "formula_", None) == getattr(other, "formula_", None)
    assert repr(getattr(one, "record_", None)) == repr(getattr(other, "record_", None))
    assert one.guarantees() == other.guarantees()
    assert one.get_params() == other.get_params()
    assert one.predict(X).tolist() == other.predict(X).tolist()


def played(policy, rng, rounds=30):
    """Some rounds of any game, the same ones for the same generator."""
    kind = type(policy).__module__.split(".")[-2]
    if kind == "bandits":
        # A policy that was told of more arms than any game has is to refuse these.
        policy.play(rng.random((rounds, policy.arms if 0 < policy.arms < 100 else 3)))
    elif kind == "contextual":
        losses = rng.random((rounds, getattr(policy, "arms_", policy.arms)))
        advised = "advice" if hasattr(policy, "rounds") else "context"
        seen = rng.integers(0, losses.shape[1], (rounds, 3)) if advised == "advice" else None
        policy.play(losses, rng.random((rounds, 3)) if seen is None else seen)
    elif getattr(policy, "loss", None) is None and "classes" not in policy.get_params():
        policy.play(rng.random((rounds, 3)))
    else:
        policy.play(rng.integers(0, 2, (rounds, 3)).astype(float), rng.integers(0, 2, rounds))
    return policy


def policy_of(name, **parameters):
    if "rounds" in make_learner(name, {}).get_params():
        parameters["rounds"] = 100
    return make_learner(
        name, {"random_state": 3} | parameters if name != "weighted-average" else parameters
    )


def saved(tmp_path, model=None):
    path = tmp_path / "model.assay"
    save(model or Perceptron().fit(X, Y), path)
    return path


def reopened(model, change=lambda learned, encode: learned):
    """A learner as a file would bring it back; what is refused there is a ValueError here.

    `change(learned, encode)` may put something else in the place of what was learned.
    """
    encoder = Encoder()
    name, parameters, learned = encoder.learner(model)
    learned = change(learned, encoder.encode)
    try:
        return Decoder(encoder.arrays).learner(name, parameters, learned)
    except Exception as problem:
        raise ValueError(str(problem)) from None


def refuses(path, reason):
    return pytest.raises(BadData, match=f"^{re.escape(str(path))} {reason}$")


DAMAGED = "is not a model file, or it is cut short or damaged\\."


def rewritten(path, change=lambda manifest: None, entries=None, seal=True, **how):
    """The archive with a changed manifest (sealed again) or changed entries."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts["manifest.json"])
    change(manifest)
    sealed = files._sealed(manifest) if seal else manifest
    parts["manifest.json"] = json.dumps(sealed).encode()
    for name, raw in (entries or {}).items():
        if raw is None:
            del parts[name]
        else:
            parts[name] = raw
    with zipfile.ZipFile(path, "w", **how) as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw)
    return path


def array_of(path, place=0):
    with zipfile.ZipFile(path) as archive:
        return np.load(io.BytesIO(archive.read(f"arrays/{place}.npy")))


def npy(array, **how):
    file = io.BytesIO()
    np.save(file, array, **how)
    return file.getvalue()


def listed(manifest, place, raw, **fields):
    manifest["arrays"][place].update(sha256=digest_bytes(raw), **fields)
