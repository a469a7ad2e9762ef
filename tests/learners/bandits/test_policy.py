"""What holds for every bandit policy: the same bits one at a time, as a whole and after a break; refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from sklearn.base import clone

from assay import EXP3, EXP3IX, KLUCB, UCB1, ThompsonSampling, load, save
from assay.errors import BadData, BadParameter, UnknownName
from tests.learners.model_files import reopened

RNG = np.random.default_rng(7)
LOSSES = RNG.random((300, 4))
COINS = (RNG.random((300, 4)) < 0.4).astype(float)

POLICIES = {
    "exp3": EXP3(arms=4, rounds=300, random_state=3),
    "exp3 anytime": EXP3(arms=4, random_state=3),
    "exp3 at a rate": EXP3(arms=4, learning_rate=0.3, random_state=3),
    "exp3-ix": EXP3IX(arms=4, rounds=300, random_state=3),
    "exp3-ix anytime": EXP3IX(arms=4, random_state=3),
    "ucb1": UCB1(arms=4, random_state=3),
    "kl-ucb": KLUCB(arms=4, random_state=3),
    "kl-ucb optimal": KLUCB(arms=4, form="optimal", random_state=3),
    "thompson": ThompsonSampling(arms=4, random_state=3),
}
every_policy = pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES.keys())


def played(policy, losses):
    """One round at a time."""
    arms = []
    for row in losses:
        arm, _ = policy.choose()
        policy.update(arm, float(row[arm]))
        arms.append(arm)
    return arms


def state(policy):
    """All that decides the future: without what only `play` can know."""
    tally, book = policy._tally.copy(), policy._book.copy()
    tally[2] = 0
    book[2] = 0.0
    book[3 + policy._arms : 3 + 2 * policy._arms] = 0.0
    return policy.state_[:4].tobytes() + tally.tobytes() + book.tobytes()


@every_policy
@pytest.mark.parametrize("losses", [LOSSES, COINS], ids=["numbers", "coins"])
def test_whole_chunks_and_single_rounds_give_the_same_bits(policy, losses):
    whole = clone(policy).play(losses)
    chunks = clone(policy)
    for part in np.array_split(losses, 7):
        chunks.play(part)
    single = clone(policy)
    played(single, losses)
    assert whole.state_.tobytes() == chunks.state_.tobytes()
    assert state(whole) == state(single)
    assert whole.choice_ == chunks.choice_ == single.choice_
    assert whole.record_.loss == single.record_.loss
    assert single.record_.regret is None
    assert whole.record_.regret == whole.record_.loss - losses.sum(axis=0).min()


@every_policy
def test_a_choice_stands_until_its_loss_is_told(policy):
    policy = clone(policy)
    first = policy.choose()[0]
    before = policy.state_.tobytes()
    assert [policy.choose()[0] for _ in range(5)] == [first] * 5
    assert policy.state_.tobytes() == before
    assert policy.record_.rounds == 0


@every_policy
def test_saved_and_loaded_it_goes_on_as_if_there_had_been_no_break(policy, tmp_path):
    for trace in (False, True):
        whole, broken = (clone(policy).set_params(trace=trace) for _ in range(2))
        for part in np.array_split(LOSSES, 4):
            for one in (whole, broken):
                one.play(part[:-3])
                played(one, part[-3:])
            save(broken, tmp_path / "a.assay")
            broken = load(tmp_path / "a.assay")
            save(broken, tmp_path / "b.assay")
            assert (tmp_path / "a.assay").read_bytes() == (tmp_path / "b.assay").read_bytes()
            assert whole.state_.tobytes() == broken.state_.tobytes()
            assert whole.choice_ == broken.choice_
        assert repr(whole.record_) == repr(broken.record_)
        assert whole.guarantees() == broken.guarantees()
    fresh = clone(policy)
    save(fresh, tmp_path / "fresh.assay")
    assert load(tmp_path / "fresh.assay").play(LOSSES).choice_ == fresh.play(LOSSES).choice_


@every_policy
def test_threads_change_nothing_and_run_zero_is_the_policy_itself(policy):
    runs = [policy.simulate(LOSSES, runs=13, threads=n) for n in (1, 2, 5, 13, 20)]
    for other in runs[1:]:
        assert other.loss.tobytes() == runs[0].loss.tobytes()
        assert other.plays.tobytes() == runs[0].plays.tobytes()
    own = clone(policy).play(LOSSES).record_
    assert own.plays.tolist() == runs[0].plays[0].tolist()
    assert own.loss == runs[0].loss[0]
    assert own.expected_loss == runs[0].expected_loss[0]
    assert not hasattr(policy, "state_")
    drawn = [
        policy.simulate(means=[0.1, 0.4, 0.5, 0.6], rounds=200, runs=9, threads=n) for n in (1, 3)
    ]
    assert drawn[0].loss.tobytes() == drawn[1].loss.tobytes()
    assert len(set(drawn[0].loss.tolist())) > 1
    assert drawn[0].regret == pytest.approx(drawn[0].plays @ [0.0, 0.3, 0.4, 0.5]) or isinstance(
        policy, EXP3 | EXP3IX
    )


@every_policy
def test_the_trace(policy):
    policy = clone(policy).set_params(trace=True).play(LOSSES[:50])
    played(policy, LOSSES[50:60])
    policy.play(LOSSES[60:])
    trace = policy.record_.trace
    assert len(trace["arm"]) == 300
    assert np.bincount(trace["arm"], minlength=4).tolist() == policy.record_.plays.tolist()
    assert trace["loss"].tolist() == LOSSES[np.arange(300), trace["arm"]].tolist()
    if isinstance(policy, EXP3):
        squares = np.sum(trace["loss"] ** 2 / trace["probability"])
        assert squares == pytest.approx(policy.record_.squared_estimates, rel=1e-12)
    # What is not known is not there, rather than a number nobody should log.
    assert ("probability" in trace) == (not isinstance(policy, ThompsonSampling))
    assert not {"best", "expected_regret"} & trace.keys()


@every_policy
def test_the_curves_of_a_game_whose_losses_are_known(policy, tmp_path):
    policy = clone(policy).set_params(trace=True)
    for part in np.array_split(LOSSES, 3):
        policy.play(part)
        save(policy, tmp_path / "a.assay")
        policy = load(tmp_path / "a.assay")
    record = policy.record_
    trace = record.trace
    np.testing.assert_array_equal(trace["best"], np.cumsum(LOSSES, axis=0).min(axis=1))
    assert trace["expected_regret"][-1] == record.expected_regret
    if not isinstance(policy, EXP3 | EXP3IX):
        np.testing.assert_array_equal(
            trace["expected_regret"], trace["cumulative_loss"] - trace["best"]
        )
        return
    # Round by round as long runs of single rounds have it.
    again, expected = clone(policy), []
    for row in LOSSES:
        expected.append(float(again.probabilities_ @ row))
        again.play(row.reshape(1, -1))
    np.testing.assert_allclose(trace["expected_regret"], np.cumsum(expected) - trace["best"])


@every_policy
def test_forged_curves_are_refused(policy):
    policy = clone(policy).set_params(trace=True).play(LOSSES)
    policy.curves_ = [np.zeros((300, 3))]
    with pytest.raises(ValueError, match="curves_ is of another kind or size"):
        reopened(policy)


@every_policy
def test_the_next_arm_is_the_one_that_is_chosen(policy):
    policy = clone(policy)
    arm = policy.next_arm()
    before = policy.state_.tobytes()
    chosen, probability = policy.choose()
    assert (arm, policy.next_arm(), policy.state_.tobytes()) == (chosen, chosen, before)
    assert 0 < probability <= 1
    if hasattr(policy, "probabilities_"):
        assert probability == policy.probabilities_[arm]


@every_policy
def test_clone_forgets_and_random_states_of_all_kinds_work(policy):
    policy = clone(policy).play(LOSSES)
    assert not hasattr(clone(policy), "state_")
    same = clone(policy).set_params(random_state=np.random.RandomState(3)).play(LOSSES)
    assert same.choice_ == policy.choice_
    clone(policy).set_params(random_state=None).play(LOSSES)


def refuses(sentence, kind=BadParameter):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


@every_policy
def test_feedback_that_cannot_be_is_refused_and_changes_nothing(policy):
    policy = clone(policy)
    with refuses("No arm has been chosen yet, so arm 0 has no loss. Call choose() first."):
        policy.update(0, 0.5)
    with refuses("No arm has been chosen yet, so arm 0 has no loss. Call choose() first."):
        policy.update(0, 1)
    policy.play(LOSSES[:20])
    arm, other = policy.choose()[0], (policy.choose()[0] + 1) % 4
    before = policy.state_.tobytes(), policy.choice_
    for given in (other, np.int64(other)):
        sentence = (
            f"arm must be {arm}, the one that was chosen, but is {given!r}: "
            "the loss of an arm that was not played cannot be known."
        )
        with refuses(sentence):
            policy.update(given, 0.5)
    for given in (-1, 4, 2**70, "1", 1.0, None, True, [1]):
        with refuses(f"arm must be one of the arms 0 to 3, but is {given!r}."):
            policy.update(given, 0.5)
    for loss in (-0.1, 1.5, math.nan, math.inf, -math.inf, "0.5", None, True, 10**400, [0.5, 1], 2):
        with refuses(f"loss must be a number between 0 and 1, but is {loss!r}."):
            policy.update(arm, loss)
    assert (policy.state_.tobytes(), policy.choice_) == before
    policy.update(np.int32(arm), np.float32(0.5))
    assert policy.record_.rounds == 21


@every_policy
def test_tables_that_cannot_be_are_refused_and_change_nothing(policy):
    policy = clone(policy).play(LOSSES[:20])
    before = policy.state_.tobytes()
    for value in (1.5, -0.1, math.nan, math.inf):
        bad = LOSSES.copy()
        bad[17, 2] = value
        sentence = (
            f"losses must lie between 0 and 1, but round 17, arm 2 holds {value!r}. "
            "Divide the losses by the largest possible one."
        )
        with refuses(sentence, BadData):
            policy.play(bad)
        with refuses(sentence, BadData):
            policy.simulate(bad)
    for bad in (LOSSES[:, :3], LOSSES[0], LOSSES[None]):
        sentence = (
            "losses must have one row per round and one column for each of the 4 arms, "
            f"but have the shape {bad.shape}."
        )
        with refuses(sentence, BadData):
            policy.play(bad)
    with refuses("losses must be numbers, but are str.", BadData):
        policy.play("losses")
    assert policy.state_.tobytes() == before


def test_what_simulate_refuses():
    policy = UCB1(arms=2)
    with refuses("Give either the losses of all rounds, or the means of the arms."):
        policy.simulate()
    with refuses("Give either the losses of all rounds, or the means of the arms."):
        policy.simulate([[0, 1]], means=[0, 1])
    with refuses("rounds is for means; a table of losses has its own."):
        policy.simulate([[0, 1]], rounds=3)
    with refuses("rounds must be a whole number of at least 1, but is None."):
        policy.simulate(means=[0, 1])
    with refuses("means[1] must be a number between 0 and 1, but is 2.0."):
        policy.simulate(means=[0, 2], rounds=3)
    with refuses("means[0] must be a number between 0 and 1, but is nan."):
        policy.simulate(means=[math.nan, 0], rounds=3)
    with refuses("means must be numbers, but are list.", BadData):
        policy.simulate(means=["x", 1], rounds=3)
    with refuses(
        "means must hold one number for each of the 2 arms, but have the shape (3,).", BadData
    ):
        policy.simulate(means=[0, 1, 1], rounds=3)
    with refuses("runs must be a whole number of at least 1, but is 0."):
        policy.simulate([[0, 1]], runs=0)


@pytest.mark.parametrize("arms", [0, -1, 1.5, None, "two", True, math.nan])
def test_arms_that_cannot_be(arms):
    with refuses(f"arms must be a whole number of at least 1, but is {arms!r}."):
        UCB1(arms=arms).choose()


def test_parameters_that_contradict_each_other():
    sentence = "rounds and learning_rate must not both be given: rounds are for choosing the rate."
    with refuses(sentence):
        EXP3(rounds=10, learning_rate=0.1).choose()
    with refuses("learning_rate must be a finite number above zero, but is 0."):
        EXP3(learning_rate=0).choose()
    with refuses("form must be 'plain' or 'optimal', but is 'best'."):
        KLUCB(form="best").choose()
    with refuses("arms must be at most 10,000,000, but is 100000000."):
        UCB1(arms=10**8).choose()


def test_guarantees_are_asked_for_what_there_is():
    with refuses("Nothing has been played yet, so there is nothing to promise.", BadData):
        EXP3().guarantees()
    with refuses("EXP3 has no guarantee from 'means'; it takes nothing.", UnknownName):
        EXP3().play([[0, 1]]).guarantees(means=[0, 1])
    with refuses("UCB1 has no guarantee from 'gaps'; it takes means.", UnknownName):
        UCB1().play([[0, 1]]).guarantees(gaps=[0, 1])


@every_policy
def test_one_arm_has_no_regret(policy):
    policy = clone(policy).set_params(arms=1).play(LOSSES[:, :1])
    assert policy.record_.regret == pytest.approx(0, abs=1e-12)
    assert policy.choose()[0] == 0
    assert policy.guarantees() is not None


@every_policy
def test_a_forged_memory_is_refused(policy):
    policy = clone(policy).play(LOSSES)
    good = policy.state_.copy()
    changes = {4: [0, 3, 5, 2**63, 2**64 - 1], 5: [4, 2**62], 6: [2**63]}
    for place, values in changes.items():
        for value in values:
            policy.state_ = good.copy()
            policy.state_[place] = value
            with pytest.raises(ValueError, match="does not fit its arms"):
                policy._step(policy.state_, 0, 0.5)
    for short in (0, 3, 5, 9, len(good) - 1):
        with pytest.raises(ValueError, match="does not fit its arms"):
            policy._step(good[:short].copy(), 0, 0.5)


@every_policy
def test_a_state_that_no_run_leaves_behind_is_refused(policy):
    policy = clone(policy).play(LOSSES)
    policy._require_state()
    good = policy.state_.copy()

    def forged(change):
        policy.state_ = good.copy()
        change(policy._tally, policy._book, policy.state_)
        with pytest.raises(ValueError, match=r"^its "):
            policy._require_state()

    forged(lambda tally, book, state: tally.__setitem__(1, 299))
    forged(lambda tally, book, state: tally.__setitem__(2, 301))
    forged(lambda tally, book, state: tally.__setitem__(3, tally[3] + 1))
    forged(lambda tally, book, state: book.__setitem__(3, 1e6))
    forged(lambda tally, book, state: book.__setitem__(3, -1.0))
    forged(lambda tally, book, state: book.__setitem__(1, math.nan))
    forged(lambda tally, book, state: state.__setitem__(slice(4), 0))
    if isinstance(policy, EXP3 | EXP3IX):
        forged(lambda tally, book, state: book.__setitem__(-1, math.inf))
        forged(lambda tally, book, state: book.__setitem__(11 + 2, 0.25))
