"""What every learner, certificate and command says of fixed data, as plain data that can be compared field by field.

`python -m tests.goldens` writes it down again; only a bug that was mended, or a parameter that means something else
now, is a reason to.
"""

import json
from contextlib import chdir
from pathlib import Path

import numpy as np
from sklearn.base import is_regressor

from assay import Certificate, Guarantee, load, save
from assay.learners.registry import find_learner, learner_names
from tests.cli.runner import run
from tests.learners.model_files import POLICIES, fresh, played, policy_of

FOLDER = Path(__file__).parent
LEARNERS = [name for name in learner_names() if name not in POLICIES]

RNG = np.random.default_rng(11)
ONES = RNG.integers(0, 2, (160, 5)).astype(float)
NUMBERS = RNG.normal(size=(160, 3)).round(3)
NUMBERS /= 4  # within the unit ball, mostly
IN_BOOLEAN = {"winnow", *learner_names("boolean")}


def rows_of(name):
    """Rows that the learner takes, and labels: half to fit, half to hold out."""
    X = ONES if name in IN_BOOLEAN else NUMBERS
    flips = np.random.default_rng(12).random(160) < 0.04
    if is_regressor(find_learner(name)()):
        y = (X @ np.arange(1.0, X.shape[1] + 1) + flips).round(3)
    elif name in IN_BOOLEAN:
        y = np.where((X[:, 0] + X[:, 2] > 0) ^ (flips & (name == "winnow")), "yes", "no")
    else:
        y = np.where((X[:, 0] + X[:, 1] > 0) ^ flips, "yes", "no")
    return X[:80], y[:80], X[80:], y[80:]


def guarantee(claim):
    """A guarantee without the form of its document."""
    stated = claim.to_json()
    return {
        "theorem": stated["theorem"],
        "promised": stated["promised"],
        "observed": stated["observed"],
        "delta": claim.delta,
        "inputs": stated["inputs"],
        "of": stated["of"],
        "statement": stated["statement"],
        "quantifier": stated["quantifier"],
        "certified": stated["certified"],
        "vacuous": stated["vacuous"],
        "holds": claim.holds,
        "textbook": stated.get("textbook"),
        "witness": stated.get("witness"),
        "assumptions": [[a.name, a.status, a.evidence] for a in claim.assumptions],
        "text": str(claim),
    }


def certificate(issued):
    """A certificate without the form of its document: what is not a claim is taken as it stands."""
    stated = issued.to_json()
    return {
        "data": {key: stated["data"][key] for key in ("role", "rows", "drawn")},
        "delta": stated["delta"],
        "claims": [guarantee(claim) for claim in issued.claims],
        "text": str(issued),
    }


def learner(name, folder):
    """A learner after a fit, and after it was saved and loaded."""
    if name in POLICIES:
        model = played(policy_of(name), np.random.default_rng(3))
        X_new = None
        said = {}
    else:
        model = fresh(name)
        if "random_state" in model.get_params(deep=False):
            model.set_params(random_state=0)
        X, y, X_new, y_new = rows_of(name)
        model.fit(X, y)
        said = {"predictions": np.asarray(model.predict(X_new)).tolist()}
        if hasattr(model, "certificate"):
            said["certificate"] = certificate(model.certificate(X_new, y_new))
        if hasattr(model, "training_certificate"):
            said["training"] = _or_refusal(lambda: certificate(model.training_certificate(X, y)))
    said["guarantees"] = [guarantee(g) for g in model.guarantees()]
    path = folder / f"{name}.assay"
    save(model, path)
    again = load(path)
    said["loaded"] = [guarantee(g) for g in again.guarantees()] == said["guarantees"]
    if X_new is not None:
        said["loaded"] &= np.asarray(again.predict(X_new)).tolist() == said["predictions"]
    return said


def _or_refusal(make):
    try:
        return make()
    except ValueError as refusal:
        return {"refused": str(refusal)}


def table(path):
    """A small table of flowers that never grew."""
    X, y, *_ = rows_of("perceptron")
    kinds = np.array(["red", "blue", "green"])[(X[:, 2] * 8).astype(int) % 3]
    lines = ["width,height,depth,colour,kind"]
    lines += [
        ",".join([*map(repr, row), colour, label])
        for row, colour, label in zip(X.tolist(), kinds.tolist(), y.tolist(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def losses(path):
    """What three experts forecast, and what came."""
    rng = np.random.default_rng(4)
    lines = ["a,b,c,y"]
    lines += [",".join(map(str, row)) for row in rng.integers(0, 2, (60, 4)).tolist()]
    path.write_text("\n".join(lines) + "\n")


COMMANDS = {
    "certify": "certify --errors 50 --rows 1000 --json",
    "certify-classes": "certify predicted.csv --truth kind --prediction guess --rate class --json",
    "certify-next": "certify --errors 50 --rows 1000 --next-rows 100 --json",
    "plan": "plan --error 0.05 --json",
    "plan-bits": "plan --error 0.05 --bits 64 --json",
    "fit": "fit table.csv --target kind --learner perceptron --out model.assay --json",
    "fit-forest": "fit table.csv --target kind --learner random-forest-classifier --json",
    "compare": "compare table.csv --target kind --learners perceptron,gaussian-nb --json",
    "stream": "stream table.csv --target kind --learner perceptron --json",
    "stream-sgd": "stream table.csv --target kind --learner sgd-classifier --param average=True --json",
    "stream-experts": "stream losses.csv --target y --experts --policy weighted-average --loss absolute --json",
}


def commands(folder):
    """What the command line prints for machines, without what differs from run to run."""
    table(folder / "table.csv")
    losses(folder / "losses.csv")
    lines = (folder / "table.csv").read_text().splitlines()
    rows = [line.rsplit(",", 1)[1] for line in lines[1:]]
    guesses = ["yes" if i % 9 == 0 else label for i, label in enumerate(rows)]
    told = [f"{label},{guess}" for label, guess in zip(rows, guesses, strict=True)]
    (folder / "predicted.csv").write_text("\n".join(["kind,guess", *told]) + "\n")
    return {name: _run(line.split(), folder) for name, line in COMMANDS.items()}


def _run(arguments, folder):
    with chdir(folder):
        done = run(*arguments)
    lines = done.out.splitlines() if arguments[0] == "stream" else [done.out]
    said = [_steady(json.loads(line)) for line in lines]
    return {"exit": done.code, "said": said, "beside": done.err}


#: Seconds, memory, digests and the version are not what is to stay the same.
PASSING = {
    "seconds",
    "memory",
    "sha256",
    "row_digest",
    "digest",
    "salt",
    "issued",
    "time",
    "software",
}


def _steady(value):
    if isinstance(value, dict):
        if "claims" in value:
            return certificate(Certificate(value))
        if "assumptions" in value and "theorem" in value:
            return guarantee(Guarantee.from_json(value))
        return {key: _steady(item) for key, item in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [_steady(item) for item in value]
    return value
