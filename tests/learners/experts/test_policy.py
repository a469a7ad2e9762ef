"""What all policies share, and that files keep every bit of them."""

import json
import re
import zipfile

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from assay import load, save
from assay.errors import BadData, BadParameter
from assay.learners import files
from assay.learners.registry import learner_names, make_learner
from tests.expert_games import advice, labels

SAID, TOLD = advice(5)
NAMES = learner_names("experts")
EXTRA = {
    "fixed-share": {"rounds": 100, "switches": 2},
    "hedge": {"rounds": 10**5, "sample": True},
    "weighted-majority": {"randomized": True},
}


def made(name, **more):
    policy = make_learner(name, EXTRA.get(name, {}) | more)
    if "random_state" in policy.get_params():
        policy.set_params(random_state=0)
    return policy


def rounds(name):
    if name in ("weighted-majority", "sleeping-experts"):
        said, told = labels(4)
        return list(zip(said, told, strict=True))
    if name == "weighted-average":
        return list(zip(SAID, TOLD, strict=True))
    return [(row,) for row in SAID]


def same(one, other):
    assert vars(one).keys() == vars(other).keys()
    for name, value in vars(one).items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            assert value.tobytes() == getattr(other, name).tobytes(), name
    assert repr(one.record_) == repr(other.record_)
    assert one.guarantees() == other.guarantees()


def test_every_policy_is_listed():
    assert NAMES == [
        "adahedge",
        "fixed-share",
        "hedge",
        "sleeping-experts",
        "weighted-average",
        "weighted-majority",
    ]


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_file_in_the_middle_of_a_game_changes_nothing(name, trace, tmp_path):
    whole, broken = made(name, trace=trace), made(name, trace=trace)
    for t, given in enumerate(rounds(name)):
        whole.update(*given)
        broken.update(*given)
        if t % 9 == 0:
            save(broken, tmp_path / "a.assay")
            broken = load(tmp_path / "a.assay")
            save(broken, tmp_path / "b.assay")
            assert (tmp_path / "a.assay").read_bytes() == (tmp_path / "b.assay").read_bytes()
    same(whole, broken)
    for given in rounds(name)[:2]:
        if len(given) == 2:
            assert whole.predict(given[0]) == broken.predict(given[0])
        else:
            assert whole.predict().tolist() == broken.predict().tolist()
            assert whole.choose() == broken.choose()


@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_policy_and_one_with_names(name, tmp_path):
    save(made(name), tmp_path / "a.assay")
    assert vars(load(tmp_path / "a.assay")) == vars(made(name))
    policy = made(name)
    first = rounds(name)[0]
    experts = [f"größe {i}" for i in range(len(first[0]))]
    policy.update(dict(zip(experts, first[0].tolist(), strict=True)), *first[1:])
    save(policy, tmp_path / "a.assay")
    assert load(tmp_path / "a.assay").record_.names == tuple(experts)


def test_functions_are_not_saved(tmp_path):
    policy = make_learner("weighted-average", {"loss": lambda y, p: abs(y - p)})
    sentence = (
        "This weighted-average cannot be saved: it holds a function, which a model file cannot."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        save(policy, tmp_path / "a.assay")


def forged(path, change):
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts["manifest.json"])
    change(manifest["learned"])
    parts["manifest.json"] = json.dumps(files._sealed(manifest)).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.update(totals_=e["sums_"]),
        lambda e: e.update(sums_=e["totals_"]),
        lambda e: e.update(totals_=3),
        lambda e: e.update(rounds_=-1),
        lambda e: e.update(rounds_="many"),
        lambda e: e.update(seed_=None),
        lambda e: e.pop("sums_"),
        lambda e: e.update(other_=1),
        lambda e: e.update(expert_names_={"objects": ["one"]}),
    ],
)
def test_a_forged_state_is_refused(name, change, tmp_path):
    """Compiled loops write as far as the arrays should reach."""
    policy = made(name)
    for given in rounds(name)[:3]:
        policy.update(*given)
    path = tmp_path / "a.assay"
    save(policy, path)
    forged(path, change)
    with pytest.raises(BadData, match="is damaged or was changed: it does not fit a "):
        load(path)


@pytest.mark.parametrize("name", NAMES)
def test_before_the_first_round(name):
    policy = made(name)
    for ask in (lambda: policy.record_, policy.guarantees, lambda: policy.n_experts):
        with pytest.raises(NotFittedError, match="has not played a round yet"):
            ask()


def test_a_game_of_no_rounds():
    policy = make_learner("hedge", {})
    assert policy.play(np.empty((0, 3))).tolist() == []
    assert policy.record_.rounds == 0
    assert policy.guarantees() == []


def test_other_experts_are_refused():
    policy = make_learner("adahedge", {})
    policy.update({"a": 0.0, "b": 1.0})
    pd = pytest.importorskip("pandas")
    with pytest.raises(
        BadData, match=r"^The experts must be those of before, in their order, but a"
    ):
        policy.play(pd.DataFrame({"b": [0.0], "a": [1.0]}))


@pytest.mark.guarantees
@pytest.mark.parametrize("name", NAMES)
def test_ten_million_rounds(name):
    """Numbers stay finite and promises hold; then the tables turn, and the policy follows."""
    policy = made(name, **({"rounds": 10**7} if name == "hedge" else {}))
    if name == "fixed-share":
        policy.set_params(rounds=10**7)
    rng, told = np.random.default_rng(0), np.zeros(10**6, dtype=int)
    needs_outcomes = name in ("weighted-majority", "sleeping-experts", "weighted-average")
    for _ in range(10):
        losses = (rng.random((10**6, 3)) < [0.2, 0.5, 0.8]).astype(float)
        given = (losses.astype(int), told) if needs_outcomes else (losses,)
        policy.play(*given)
    record = policy.record_
    assert record.rounds == 10**7
    assert np.isfinite(record.loss)
    assert all(g.holds or g.quantifier == "expectation" for g in policy.guarantees("each"))
    behind = np.tile([1.0, 1.0, 0.0], (10**6, 1))
    for _ in range(10):
        given = (behind.astype(int), told) if needs_outcomes else (behind,)
        policy.play(*given)
    # By now the last expert has lost least, and has the weight.
    assert policy.record_.best == 2
    if needs_outcomes:
        assert policy.predict([1, 1, 0]) < 0.5
    else:
        assert policy.predict()[2] > 0.5
