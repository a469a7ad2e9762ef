"""The six conversions against their twins, and their promises on data of known error."""

from __future__ import annotations

import functools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import assay
from assay import OnlineGradientDescent, Perceptron
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.exact_twins import large_gap_exact
from assay.theory.tail.progressive import progressive_validation, suffix_holdout
from tests.naive import online_to_batch as naive
from tests.naive.players import Elimination, SingleElimination, Wavering
from tests.soundness import assert_sound, assert_unsound

# What the order of rows tells is tested elsewhere: here it would say in one of 100 runs that there is no promise.
to_batch = functools.partial(assay.to_batch, order="none")
DELTA = 0.05
FEATURES, TARGET, SET = 8, 2, 0.2


def disjunction(rows, seed, often=SET):
    """Boolean rows labelled by the disjunction of the first features."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, FEATURES)) < often).astype(int)
    return X, np.where(X[:, :TARGET].any(axis=1), 1, -1)


def error_of_kept(kept, often=SET):
    """The true error of a disjunction that contains the target."""
    extra = len(set(kept) - set(range(TARGET)))
    return (1 - often) ** TARGET * (1 - (1 - often) ** extra)


def elimination(X, y, how, **terms):
    return to_batch(SingleElimination(FEATURES), X, y, how, classes=[-1, 1], **terms)


def stream(X, y):
    return [(tuple(x), label) for x, label in zip(X.tolist(), y.tolist(), strict=True)]


# The same hypothesis after the same rows as the twins.


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(20, 400), st.sampled_from([0.3, 0.1, 0.05]))
def test_large_gap_stops_where_its_twin_does(seed, rows, accuracy):
    X, y = disjunction(rows, seed)
    expected = naive.large_gap(naive.elimination(FEATURES), stream(X, y), accuracy, DELTA)
    model = elimination(X, y, "large-gap", accuracy=accuracy)
    assert model.stopped_ == expected.stopped
    assert model.rows_used_ == expected.used
    if expected.stopped:
        assert model.hypothesis_.kept == expected.hypothesis
        exact, textbook = model.guarantees()
        assert exact.inputs["mistakes"] == expected.mistakes
        assert exact.inputs["run"] == naive.gap(expected.mistakes, accuracy, DELTA)
        assert exact.value <= textbook.value <= accuracy


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0.4, 0.2, 0.1]))
def test_blocks_stop_where_their_twin_does(seed, accuracy):
    size = math.ceil(math.log(FEATURES / DELTA) / accuracy)
    X, y = disjunction(FEATURES * size, seed)
    expected = naive.blocks(naive.elimination(FEATURES), stream(X, y), FEATURES, accuracy, DELTA)
    learner = SingleElimination(FEATURES)
    model = to_batch(learner, X, y, "blocks", accuracy=accuracy, mistakes=FEATURES)
    assert model.hypothesis_.kept == expected.hypothesis
    assert model.rows_used_ == expected.used
    assert model.stopped_ == expected.stopped
    assert model.guarantees()[-1].theorem == "online-to-batch-blocks"
    assert model.guarantees()[-1].value <= accuracy
    if expected.stopped:
        assert model.guarantees()[0].theorem == "large-gap-exact"
        assert model.guarantees()[0].value < model.guarantees()[1].value


def test_random_stopping_takes_the_hypothesis_of_the_time_it_drew():
    X, y = disjunction(50, seed=1)
    used = naive.hypotheses_used(naive.elimination(FEATURES), stream(X, y))
    drawn = Counter()
    for state in range(300):
        model = to_batch(SingleElimination(FEATURES), X, y, "random-stopping", random_state=state)
        assert model.hypothesis_.kept == used[model.rows_used_]
        rest = slice(model.rows_used_, None)
        said = [naive.elimination(FEATURES).predict(used[model.rows_used_], x) for x in X[rest]]
        [suffix] = model.guarantees()
        assert suffix.inputs["rows"] == 50 - model.rows_used_
        assert suffix.inputs["errors"] == int(np.count_nonzero(said != y[rest]))
        drawn[model.rows_used_] += 1
    assert set(drawn) <= set(range(50))
    assert len(drawn) > 40
    assert max(drawn.values()) < 25


def test_longest_survivor_by_brute_force():
    rng = np.random.default_rng(2)
    for seed in range(20):
        X, y = disjunction(150, seed)
        y = np.where(rng.random(150) < 0.1, -y, y)
        used = naive.hypotheses_used(naive.elimination(FEATURES), stream(X, y))
        twin = naive.elimination(FEATURES)
        wrong = [
            twin.predict(h, x) != label for h, (x, label) in zip(used, stream(X, y), strict=True)
        ]
        starts = [0, *(t + 1 for t in np.flatnonzero(wrong))]
        lengths = np.diff([*starts, 151]) - 1
        best = int(np.argmax(lengths))
        model = to_batch(SingleElimination(FEATURES), X, y)
        suffix, progressive = model.guarantees()
        assert suffix.inputs["mistakes"] == best
        assert suffix.inputs["rows"] == 150 - starts[best]
        assert model.hypothesis_.kept == used[starts[best]]
        later = [twin.predict(used[starts[best]], x) for x in X[starts[best] :]]
        assert suffix.inputs["errors"] == int(np.count_nonzero(later != y[starts[best] :]))
        assert progressive.inputs["errors"] == sum(wrong)
        assert float(suffix.delta) + float(progressive.delta) <= DELTA


def test_large_gap_without_an_accuracy_takes_the_best_run():
    for seed in range(20):
        X, y = disjunction(120, seed)
        used = naive.hypotheses_used(naive.elimination(FEATURES), stream(X, y))
        twin = naive.elimination(FEATURES)
        wrong = [
            twin.predict(h, x) != label for h, (x, label) in zip(used, stream(X, y), strict=True)
        ]
        starts = [0, *(t + 1 for t in np.flatnonzero(wrong))]
        lengths = np.diff([*starts, 121]) - 1
        bounds = [
            large_gap_exact(int(run), DELTA, mistakes=i) for i, run in enumerate(lengths) if run
        ]
        model = to_batch(SingleElimination(FEATURES), X, y, "large-gap")
        assert model.guarantees()[0].value == min(bounds)
        assert not model.stopped_
        assert model.rows_used_ == 120


@pytest.mark.parametrize("learner", [Perceptron(), OnlineGradientDescent(), Elimination()], ids=str)
@pytest.mark.parametrize("checkpoints", [2, 7, 60])
def test_average_by_brute_force(learner, checkpoints):
    X, y = disjunction(60, seed=3)
    edges = [60 * j // checkpoints for j in range(checkpoints + 1)]
    twin, errors, votes = clone(learner), 0, np.zeros((60, 2))
    for start, stop, after in zip(edges, edges[1:], [*edges[2:], None], strict=False):
        for t in range(start, stop):
            twin.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1])
        if after is None:
            break
        said = twin.predict(X)
        errors += int(np.count_nonzero(said[stop:after] != y[stop:after]))
        votes[np.arange(60), (said == 1).astype(int)] += after - stop
    model = to_batch(learner, X, y, "average", checkpoints=checkpoints)
    np.testing.assert_allclose(model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))
    vote, loss, gibbs = model.guarantees()
    assert vote.theorem == "progressive-validation-vote"
    assert loss.inputs["errors"] == gibbs.inputs["errors"] == errors
    assert gibbs.inputs["rows"] == 60 - edges[1]
    assert gibbs.certified.startswith("the predictor that draws one of the hypotheses afresh")
    assert gibbs.value == progressive_validation(errors, 60 - edges[1], DELTA)


# What is promised, and what is not.


def test_a_promise_in_expectation_is_compared_with_nothing():
    X, y = disjunction(100, seed=4)
    model = to_batch(
        SingleElimination(FEATURES), X, y, "random-stopping", mistakes=FEATURES, random_state=0
    )
    suffix, expected = model.guarantees()
    assert suffix.quantifier == "probability over the examples"
    assert expected.theorem == "online-to-batch-random-stopping"
    assert expected.quantifier == "expectation"
    assert expected.observed is None
    assert expected.holds is None
    assert expected.delta == "0"
    assert expected.statement == f"E[err_D(h)] <= {expected.promised_text}"
    assert expected.value == pytest.approx(0.08)
    statuses = {a.name: a.status for a in expected.assumptions}
    assert sorted(statuses.values()) == ["by construction", "declared", "declared"]


def test_more_mistakes_than_declared_promise_nothing():
    X, y = disjunction(200, seed=5)
    for how, extra in [("blocks", {}), ("large-gap", {"accuracy": 0.01})]:
        model = to_batch(SingleElimination(FEATURES), X, y, how, mistakes=1, **extra)
        last = model.guarantees()[-1]
        assert last.theorem in ("online-to-batch-blocks", "large-gap-sample-size")
        assert last.promised is None
        assert not last.applies
        assert "at most 1 were declared" in last.assumptions[
            -2 if how == "blocks" else 0
        ].evidence or any("at most 1 were declared" in a.evidence for a in last.assumptions)


def test_rows_used_stay_below_the_sample_size_of_the_theorem():
    for seed in range(10):
        X, y = disjunction(3000, seed)
        model = to_batch(
            SingleElimination(FEATURES), X, y, "large-gap", accuracy=0.05, mistakes=FEATURES
        )
        used = model.guarantees()[-1]
        assert used.theorem == "large-gap-sample-size"
        assert used.holds
        assert model.stopped_


def test_a_learner_that_is_always_wrong_gets_no_promise():
    class Contrary:
        def predict_one(self, x):
            return 1 - x[0]

        def learn_one(self, x, y):
            pass

    X = np.random.default_rng(0).integers(2, size=(20, 1))
    y = X[:, 0]
    assert to_batch(Contrary(), X, y, "large-gap").guarantees() == []
    [progressive] = [g for g in to_batch(Contrary(), X, y).guarantees() if not g.vacuous] or [None]
    assert progressive is None


# The promises, on data whose truth is known.


def noisy(rows, seed, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, (X[:, 0] > 0) ^ (rng.random(rows) < noise)


def error_of_weights(w, noise):
    angle = np.arccos(np.clip(w[0] / np.linalg.norm(w), -1, 1)) / np.pi if w.any() else 0.5
    return noise + (1 - 2 * noise) * angle


def error_of_model(model, noise):
    weights = getattr(model.hypothesis_, "coef_", None)
    return 0.5 if weights is None else error_of_weights(weights[0], noise)


@functools.cache
def bound_of_run(run):
    return large_gap_exact(run, DELTA, hypotheses=1)


def survivors(trials, rows, noise, seed):
    """How often the promise fails; and that of the twin that forgets how the survivor was chosen."""
    broken = twin = 0
    for i in range(trials):
        X, y = noisy(rows, [seed, i], noise)
        model = to_batch(Perceptron(fit_intercept=False), X, y)
        truth = error_of_model(model, noise)
        suffix = model.guarantees()[0]
        start = rows - suffix.inputs["rows"]
        wrong = np.flatnonzero(model.predict(X[start:]) != y[start:])
        run = int(wrong[0]) if wrong.size else rows - start
        broken += suffix.value < truth
        twin += bound_of_run(run) < truth
    return broken, twin


def test_longest_survivors_keep_their_promise():
    broken, twin = survivors(150, 120, 0.15, seed=6)
    assert_sound(broken, 150, DELTA)
    assert_unsound(twin, 150, DELTA)


def gaps(trials, seed, how):
    """The textbook's bound, the exact one, and a twin that drops the logarithm."""
    broken = Counter()
    for i in range(trials):
        X, y = disjunction(60, [seed, i], often=0.04)
        model = elimination(X, y, how, mistakes=FEATURES)
        truth = error_of_kept(model.hypothesis_.kept, often=0.04)
        for promise in model.guarantees():
            broken[promise.theorem] += promise.value < truth
        broken["twin"] += 1 / (4 * model.guarantees()[0].inputs.get("run", 7)) < truth
    return broken


def wavering(trials, rows, seed, errors, accuracy=0.02):
    """The mean error of each run that was chosen, that of its last hypothesis, and what was promised."""
    for i in range(trials):
        X = np.random.default_rng([seed, i]).random((rows, 1))
        model = to_batch(
            Wavering(errors),
            X,
            np.zeros(rows, int),
            "large-gap-average",
            accuracy=accuracy,
            classes=[0, 1],
        )
        if not model.guarantees():
            continue
        vote = model.hypothesis_
        mean = float(vote.shares @ [h.error for h in vote.hypotheses])
        yield mean, vote.hypotheses[-1].error, model


def test_the_mean_of_a_gap_keeps_its_promise():
    """Alternately 0.05 and 0.35: the twin without the union over mistakes forgets how the run was chosen."""
    runs = list(wavering(60, 80, 11, [0.05, 0.35]))
    promised = [model.guarantees()[2] for _, _, model in runs]
    assert {g.theorem for g in promised} == {"large-gap-average"}
    broken = sum(g.value < mean for g, (mean, _, _) in zip(promised, runs, strict=True))
    assert_sound(broken, len(runs), DELTA)
    twin = sum(
        bound_of_run(g.inputs["run"]) < mean for g, (mean, _, _) in zip(promised, runs, strict=True)
    )
    assert_unsound(twin, len(runs), DELTA)


def test_the_last_hypothesis_of_a_gap_is_promised_nothing():
    """One that turns bad after forty rows: its mean error is small, and its last one is a half."""
    runs = list(wavering(20, 44, 12, [0.0] * 43 + [0.5], accuracy=0.1))
    mean, _, model = runs[0]
    assert model.stopped_
    assert model.rows_used_ == 44
    assert mean == pytest.approx(0.5 / 44)
    assert_sound(sum(m.guarantees()[2].value < mean for mean, _, m in runs), len(runs), DELTA)
    assert_unsound(sum(m.guarantees()[2].value < last for _, last, m in runs), len(runs), DELTA)
    # Of 44 hypotheses one is bad: the vote is not.
    assert model.guarantees()[0].value == 2 * model.guarantees()[2].value
    assert model.predict([[0.25]]).tolist() == [0]
    assert model.predict_proba([[0.25]])[0].tolist() == pytest.approx([43 / 44, 1 / 44])


def test_the_gap_of_a_conservative_learner_is_that_of_its_only_hypothesis():
    X, y = noisy(400, 13, 0.0)
    one = to_batch(Perceptron(), X, y, "large-gap", accuracy=0.25)
    vote = to_batch(Perceptron(), X, y, "large-gap-average", accuracy=0.25)
    assert one.stopped_
    assert one.rows_used_ == vote.rows_used_
    assert len(vote.hypothesis_.hypotheses) == 1
    assert one.predict(X).tolist() == vote.predict(X).tolist()
    assert one.guarantees()[0].value == vote.guarantees()[2].value


def test_a_learner_without_a_single_right_answer_has_no_gap():
    model = to_batch(
        Wavering([1.0]),
        np.ones((5, 1)) / 2,
        np.zeros(5, int),
        "large-gap-average",
        accuracy=0.2,
        classes=[0, 1],
    )
    assert model.guarantees() == []
    assert not model.stopped_
    assert model.predict_proba([[0.5]]).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("how", ["large-gap", "blocks"])
def test_runs_of_disjunctions_keep_their_promises(how):
    broken = gaps(400, 7, how)
    for theorem, count in broken.items():
        if theorem == "twin":
            assert_unsound(count, 400, DELTA)
        else:
            assert_sound(count, 400, DELTA)


@functools.cache
def counted_four_times(errors, rows):
    return holdout_exact(4 * errors, 4 * rows, DELTA)


def stopped(trials, rows, noise, seed):
    broken = twin = 0
    for i in range(trials):
        X, y = noisy(rows, [seed, i], noise)
        learner = Perceptron(fit_intercept=False)
        model = to_batch(learner, X, y, "random-stopping", random_state=i)
        truth, inputs = error_of_model(model, noise), model.guarantees()[0].inputs
        k, n = inputs["errors"], inputs["rows"]
        broken += model.guarantees()[0].value < truth
        twin += counted_four_times(k, n) < truth
    return broken, twin


def test_randomly_stopped_hypotheses_keep_their_promise():
    broken, twin = stopped(120, 100, 0.1, seed=8)
    assert_sound(broken, 120, DELTA)
    assert_unsound(twin, 120, DELTA)


def test_the_expected_error_of_a_random_time_is_the_expected_share_of_mistakes():
    """Theorem T34 rests on this identity; the last hypothesis does not satisfy it."""
    trials, rows = 500, 40
    random, share, last = [], [], []
    for i in range(trials):
        X, y = disjunction(rows, [9, i])
        used = naive.hypotheses_used(naive.elimination(FEATURES), stream(X, y))
        twin = naive.elimination(FEATURES)
        wrong = [
            twin.predict(h, x) != label for h, (x, label) in zip(used, stream(X, y), strict=True)
        ]
        share.append(np.mean(wrong))
        last.append(error_of_kept(used[-1]))
        model = elimination(X, y, "random-stopping", random_state=i)
        random.append(error_of_kept(model.hypothesis_.kept))
    spread = math.hypot(np.std(random), np.std(share)) / math.sqrt(trials)
    assert abs(np.mean(random) - np.mean(share)) < 5 * spread
    assert np.mean(random) < FEATURES / rows  # M / m
    assert np.mean(share) - np.mean(last) > 5 * spread


def averages(trials, rows, noise, seed):
    """The promise about the mean of the hypotheses, that about the vote, and a twin without slack."""
    test, truth = noisy(1000, seed, 0.0)
    gibbs = vote = twin = 0
    for i in range(trials):
        X, y = noisy(rows, [seed, i], noise)
        model = to_batch(Perceptron(fit_intercept=False), X, y, "average", checkpoints=12)
        shares = model.hypothesis_.shares
        errors = [error_of_weights(h.coef_[0], noise) for h in model.hypothesis_.hypotheses]
        mean = float(np.dot(shares, errors))
        of_vote = noise + (1 - 2 * noise) * np.mean(model.predict(test) != truth)
        promises = {g.of: g for g in model.guarantees()}
        vote += promises["error of the vote"].value < of_vote
        played = promises["mean error of the hypotheses as they were played"]
        gibbs += played.value < mean
        twin += float(played.observed) < mean
    return gibbs, vote, twin


def test_averages_keep_their_promises():
    gibbs, vote, twin = averages(50, 120, 0.1, seed=10)
    assert_sound(gibbs, 50, DELTA)
    assert_sound(vote, 50, DELTA)
    assert_unsound(twin, 50, DELTA)


@pytest.mark.guarantees
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.25])
def test_all_conversions_in_many_runs(noise):
    trials = 1000
    assert_sound(survivors(trials, 150, noise, seed=11)[0], trials, DELTA)
    assert_sound(stopped(trials, 150, noise, seed=12)[0], trials, DELTA)
    gibbs, vote, _ = averages(trials, 150, noise, seed=13)
    assert_sound(gibbs, trials, DELTA)
    assert_sound(vote, trials, DELTA)


@pytest.mark.guarantees
@pytest.mark.parametrize("how", ["large-gap", "blocks"])
def test_runs_of_disjunctions_in_many_runs(how):
    trials = 5000
    broken = gaps(trials, 14, how)
    for theorem in ("large-gap-exact", "online-to-batch-large-gap", "online-to-batch-blocks"):
        assert_sound(broken[theorem], trials, DELTA)


def test_a_suffix_is_worth_more_than_a_run_where_labels_are_noisy():
    X, y = noisy(3000, 15, 0.1)
    suffix = to_batch(Perceptron(), X, y).guarantees()[0]
    run = to_batch(Perceptron(), X, y, "large-gap").guarantees()[0]
    assert suffix.value < run.value
    again = suffix_holdout(**suffix.inputs)
    assert again == suffix.value
