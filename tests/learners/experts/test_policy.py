"""What all policies share, and that files keep every bit of them."""

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from assay import AdaHedge, FixedShare, Hedge, SleepingExperts, WeightedAverage, load, save
from assay.errors import BadData, BadParameter
from assay.learners.registry import learner_names, make_learner
from tests.expert_games import advice, labels
from tests.learners.model_files import rewritten

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
    rewritten(path, lambda manifest: change(manifest["learned"]))


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
        lambda e: e.update(played_={"dict": []}),
        lambda e: e.update(played_=None),
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


# Looking ahead


@pytest.mark.parametrize("name", NAMES)
def test_predicting_changes_nothing_not_even_before_the_first_round(name):
    policy, generator = made(name), np.random.RandomState(7)
    if "random_state" in policy.get_params():
        policy.set_params(random_state=generator)
    before, drawn = dict(vars(policy)), generator.get_state()[1].tobytes()
    first = rounds(name)[0]
    if name in ("adahedge", "fixed-share", "hedge"):
        assert policy.predict(experts=3).tolist() == pytest.approx([1 / 3] * 3)
        assert policy.choose(experts=3) == policy.choose(experts=3)
    else:
        assert policy.predict(first[0]) == policy.predict(first[0])
    assert vars(policy) == before
    assert generator.get_state()[1].tobytes() == drawn
    policy.update(*first)  # so many experts as there are, whoever was asked about before
    state = {k: v.tobytes() for k, v in vars(policy).items() if isinstance(v, np.ndarray)}
    if name in ("adahedge", "fixed-share", "hedge"):
        policy.predict()
    else:
        policy.predict(first[0])
    assert state == {k: v.tobytes() for k, v in vars(policy).items() if isinstance(v, np.ndarray)}


@pytest.mark.parametrize(
    "make",
    [
        WeightedAverage,
        lambda: WeightedAverage(loss="absolute"),
        lambda: WeightedAverage(loss="entropic"),
        lambda: WeightedAverage(low=-3, high=7),
        lambda: AdaHedge(loss="square"),
        lambda: AdaHedge(loss="absolute", mixtures=True),
        lambda: FixedShare(rounds=40, loss="square"),
        lambda: FixedShare(rounds=40, loss="entropic"),
        lambda: SleepingExperts(loss="square"),
        lambda: SleepingExperts(loss="absolute"),
    ],
)
def test_predict_is_what_play_predicts_to_the_bit(make):
    rng = np.random.default_rng(0)
    said, told = 0.01 + 0.98 * rng.random((60, 7)), rng.random(60)
    whole, single, found = make(), make(), []
    guesses = whole.play(said, told)
    for row, y in zip(said, told, strict=True):
        found.append(single.predict(row))
        single.update(row, y)
    assert np.array(found).tobytes() == guesses.tobytes()


# Parameters

OTHERS = {
    "adahedge": {"sample": True},
    "fixed-share": {"share": 0.3},
    "hedge": {"learning_rate": 2.0},
    "sleeping-experts": {"epsilon": 0.7},
    "weighted-average": {"learning_rate": 0.1},
    "weighted-majority": {"beta": 0.9},
}


@pytest.mark.parametrize("name", NAMES)
def test_parameters_stay_what_they_were_in_the_first_round(name, tmp_path, monkeypatch):
    policy, [(parameter, value)] = made(name), OTHERS[name].items()
    for given in rounds(name)[:3]:
        policy.update(*given)
    old = getattr(policy, parameter)
    policy.set_params(**{parameter: value})
    sentence = (
        f"{parameter} must be {old!r}, as in the rounds played, but is {value!r}. "
        "Clone the policy to begin anew."
    )
    first = rounds(name)[0]
    for ask in (
        lambda: policy.update(*first),
        lambda: policy.predict(*first[:1]) if len(first) == 2 else policy.predict(),
        policy.guarantees,
        lambda: policy.record_,
        lambda: save(policy, tmp_path / "a.assay"),  # a file that could not be opened
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            ask()
    assert not (tmp_path / "a.assay").exists()
    # A forged one is refused all the same.
    monkeypatch.setattr(type(policy), "_require_saveable", lambda policy: None)
    save(policy, tmp_path / "a.assay")
    with pytest.raises(BadData, match="its parameters are not those that it was played with"):
        load(tmp_path / "a.assay")
    policy.set_params(**{parameter: old})
    policy.update(*first)
    assert policy.rounds_ == 4


def test_a_game_of_no_rounds_binds_nobody():
    policy = Hedge(rounds=5)
    policy.play(np.empty((0, 3)))
    policy.set_params(rounds=7).update([0.0, 1.0])
    assert policy.n_experts == 2


def test_files_of_policies_that_draw_nothing_are_the_same(tmp_path):
    said, told = advice(4)
    for make in (
        WeightedAverage,
        lambda: AdaHedge(loss="square"),
        lambda: FixedShare(rounds=40, loss="square"),
        lambda: SleepingExperts(loss="square"),
    ):
        for name in "ab":
            policy = make()
            policy.play(said, told)
            save(policy, tmp_path / name)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    seeds = set()
    for _ in range(2):
        policy = AdaHedge(sample=True)
        policy.play(said)
        seeds.add(policy.seed_)
    assert len(seeds) == 2
    policy = AdaHedge()
    policy.play(said)
    assert policy.seed_ == 0
    assert policy.choose() == policy.choose()
    assert policy.seed_ != 0


def test_whom_it_is_compared_with():
    policy = Hedge()
    policy.play([[0.0, 1.0]])
    assert policy.guarantees(against=np.int64(1)) == policy.guarantees(against=1)
    for other in (np.array([0, 1]), [1], True, -1, 2, None, 0.0):
        with pytest.raises(BadParameter, match=r"^against must be 'best', 'each', or an expert by"):
            policy.guarantees(against=other)


def test_two_experts_of_one_name():
    pd = pytest.importorskip("pandas")
    with pytest.raises(
        BadData, match=r"^Experts must have different names, but two are called 'a'\.$"
    ):
        Hedge().play(pd.DataFrame([[0.0, 1.0]], columns=["a", "a"]))


# Traces


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_holds_the_losses_of_all_and_the_regret(name):
    single = made(name, trace=True)
    for t, given in enumerate(rounds(name)):
        single.update(*given)
        record = single.record_
        assert record.trace["expert_losses"].shape == (t + 1, single.n_experts)
        assert record.trace["expert_losses"][t].tolist() == record.expert_losses.tolist()
        assert record.trace["regret"][t] == record.regret
        assert record.trace["loss"][t] == record.loss


def test_the_trace_of_sleepers_with_numbers_agrees_with_their_record():
    policy = SleepingExperts(loss="square", trace=True)
    policy.play(SAID, TOLD)
    trace, record = policy.record_.trace, policy.record_
    assert (trace["loss"][-1], trace["regret"][-1]) == (record.loss, record.regret)
    assert SleepingExperts(loss="square", trace=True).play(SAID[:0], TOLD[:0]).size == 0


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
    assert all(g.holds or g.quantifier == "expectation" for g in policy.guarantees(against="each"))
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
