"""Attacks on the promise of a stream: rows whose truth had been used before they were predicted.

Coin flips cannot be predicted, so a promise below 50 % about them is false. A learner that remembers every row (here by
a narrow kernel) knows the coin of a row that it has met: whoever shows rows again gets few errors.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from assay import KernelPerceptron, Perceptron, delayed, load, play, save, to_batch
from assay.data import RunningScale
from assay.data.examples import Examples
from assay.play.rows_again import RowsAgain
from assay.play.stream import Stream
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST
from tests.server.engines import ask, engine_at, make, tell
from tests.soundness import assert_sound

NAMES = ["a", "b"]


def coins(rows, seed=0, width=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)), rng.integers(2, size=rows)


def memory():
    """A learner that remembers every row it was wrong about."""
    return KernelPerceptron(gamma=1e4)


def streamed(learner, X, y, size=100, **terms):
    stream = Stream(learner, labels=["0", "1"], **terms)
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        names = [f"f{j}" for j in range(X.shape[1])]
        stream.learn(Examples(X[part], y[part], names, "coin", None, start + 1))
    stream.close()
    return stream


def passes(X, y, times):
    return np.tile(X, (times, 1)), np.tile(y, times)


def shuffled_passes(X, y, times, seed=1):
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(y)) for _ in range(times)])
    return X[order], y[order]


def interleaved(X, y, times):
    return np.repeat(X, times, axis=0), np.repeat(y, times)


def shuffled_copies(X, y, times, seed=2):
    order = np.random.default_rng(seed).permutation(np.tile(np.arange(len(y)), times))
    return X[order], y[order]


def paired_blocks(X, y, times):
    """Ten rows, then the same ten again."""
    order = np.concatenate([np.tile(np.arange(i, i + 10), times) for i in range(0, len(y), 10)])
    return X[order], y[order]


ATTACKS = [passes, shuffled_passes, interleaved, shuffled_copies, paired_blocks]


def first_claim(certificate):
    claim = certificate.claims[0]
    status = next(a.status for a in claim.assumptions if a.name == PREDICTED_FIRST)
    return claim.promised, status


@pytest.mark.parametrize("times", [2, 10])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_stream_of_rows_known_before_promises_nothing(attack, times):
    X, y = attack(*coins(200), times)
    stream = streamed(memory(), X, y)
    assert stream.errors < 0.4 * stream.rows  # the attack works
    assert first_claim(stream.certificate()) == (None, "violated")
    assert stream.standing().promised == 1.0


@pytest.mark.parametrize("attack", ATTACKS)
def test_neither_play_nor_delayed_feedback_nor_a_batch_promises_anything(attack):
    X, y = attack(*coins(100), 3)
    result = play(memory(), X, y, trace=True)
    assert result.bound == result.bound_at(200) == 1.0
    assert result.guarantees()[0].promised is None
    assert "nothing is promised" in str(result)
    game = delayed(memory(), classes=[0, 1])
    for x, label in zip(X, y.tolist(), strict=True):
        game.feedback(game.predict(x).id, label)
    assert game.bound == 1.0
    assert game.guarantees()[0].promised is None
    for how in ("longest-survivor", "average", "large-gap", "random-stopping"):
        found = to_batch(memory(), X, y, how, random_state=0).guarantees()
        assert all(g.promised is None for g in found if g.kind == "error")


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("named", [False, True])
def test_the_service_promises_nothing(tmp_path, attack, named):
    X, y = attack(*coins(40), 3)
    features = NAMES if named else 2
    with engine_at(tmp_path / "a.db", snapshot_every=50) as engine:
        make(
            engine,
            algorithm="kernel-perceptron",
            classes=[0, 1],
            features=features,
            params={"budget": 999},
        )
        tell_all(engine, X[:70], y[:70], named)
    with engine_at(tmp_path / "a.db") as engine:  # what was compared survives a restart
        tell_all(engine, X[70:], y[70:], named)
        assert engine.work_out_bound("it") == (1.0, 120)
        assert first_claim(engine.certificate("it")) == (None, "violated")


def tell_all(engine, X, y, named):
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        given = dict(zip(NAMES, x, strict=True)) if named else x
        tell(engine, "it", ask(engine, "it", x=given)["trial"], label=label)
    engine.flushed().wait()


@pytest.mark.parametrize("learner", [Perceptron, memory])
@pytest.mark.parametrize("scale", [None, RunningScale])
def test_a_model_that_has_seen_the_file_promises_nothing(tmp_path, learner, scale):
    X, y = coins(400)
    known = {} if scale is None else {"scale": scale()}
    first = streamed(learner(), X, y, **known)
    assert first_claim(first.certificate())[1] == "assumed"
    save(first.learner, tmp_path / "m.assay")
    again = streamed(load(tmp_path / "m.assay"), X, y)
    assert first_claim(again.certificate()) == (None, "violated")
    other = np.random.default_rng(9).permutation(400)
    again = streamed(load(tmp_path / "m.assay"), X[other], y[other])
    assert first_claim(again.certificate()) == (None, "violated")
    new = streamed(load(tmp_path / "m.assay"), *coins(400, seed=5))
    assert first_claim(new.certificate())[1] == "assumed"


def test_another_type_of_number_is_the_same_row():
    X, y = coins(100)
    X = X.astype(np.float32)
    stream = streamed(memory(), np.concatenate([X.astype(float), X]), np.tile(y, 2))
    assert first_claim(stream.certificate()) == (None, "violated")


def test_boolean_rows_written_twice_are_found():
    """Few different rows repeat by chance; that each comes at once again does not happen by chance."""
    rng = np.random.default_rng(0)
    X, y = (rng.random((300, 3)) < 0.5).astype(float), rng.integers(2, size=300)
    once, twice = streamed(memory(), X, y), streamed(memory(), *interleaved(X, y, 2))
    assert first_claim(once.certificate())[1] == "assumed"
    assert first_claim(twice.certificate()) == (None, "violated")


def test_whoever_declares_separate_draws_is_named():
    X, y = interleaved(*coins(200), 2)
    stream = streamed(memory(), X, y, overlap="keep")
    promised, status = first_claim(stream.certificate())
    assert promised is not None
    assert status == "declared"


# Noise never certifies


def ways(rows, seed):
    """Coin flips: in one pass, in ten, each row twice, shuffled copies, and after a warm start."""
    X, y = coins(rows, seed)
    yield streamed(memory(), X, y)
    yield streamed(memory(), *passes(X[: rows // 10], y[: rows // 10], 10))
    yield streamed(memory(), *interleaved(X[: rows // 2], y[: rows // 2], 2))
    yield streamed(memory(), *shuffled_copies(X[: rows // 5], y[: rows // 5], 5, seed))
    warm = streamed(memory(), X, y)
    yield streamed(warm.learner, X, y)
    rng = np.random.default_rng(seed)
    few = (rng.random((rows, 3)) < 0.5).astype(float)
    yield streamed(memory(), few, y)
    yield streamed(memory(), *interleaved(few[: rows // 2], y[: rows // 2], 2))


def false_promises(streams, rows):
    found = [
        stream.certificate().claims[0].promised
        for seed in range(streams)
        for stream in ways(rows, seed)
    ]
    return sum(p is not None and float(p) < 0.5 for p in found), len(found)


def test_noise_is_not_certified():
    broken, trials = false_promises(6, 120)
    assert broken <= 0.05 * trials


@pytest.mark.guarantees
@pytest.mark.parametrize("rows", [60, 100, 300, 1000])
def test_noise_is_never_certified(rows):
    broken, trials = false_promises(300, rows)
    assert broken <= 0.05 * trials


def test_copies_shuffled_into_a_long_stream_are_found():
    """A sample by place misses some copies of a row, and ten of each then look like rows that are popular."""
    X, y = shuffled_copies(*coins(1500), 10)
    stream = streamed(memory(), X, y, size=4000, independent=True)
    assert stream.errors < 0.2 * stream.rows  # the attack works
    assert first_claim(stream.certificate()) == (None, "violated")
    assert play(memory(), X, y).bound == 1.0
    seen = RowsAgain()
    for x, label in zip(X[:9000], y[:9000].tolist(), strict=True):
        seen.add_one(x, label)
    seen = RowsAgain.from_text(seen.to_text(), 9000)  # as the service keeps it
    twin = seen.copy()
    twin.add(X[9000:].astype(np.float32), y[9000:])
    assert twin.repeats().alarm
    assert (seen.rows, twin.rows) == (9000, 15_000)


@pytest.mark.parametrize("times", [3, 5, 8, 20])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_however_many_copies_there_are(times, form):
    X, y = shuffled_copies(*coins(30_000 // times, width=4), times)
    seen = RowsAgain()
    for start in range(0, len(y), 7000):
        seen.add(form(X[start : start + 7000]), y[start : start + 7000])
    assert seen.repeats().alarm


def drawn_again(seed):
    """Whether independent draws of popular and of rare rows are taken for copies."""
    rng = np.random.default_rng(seed)
    X, y = coins(int(rng.integers(2, 9000)), seed)
    weights = rng.pareto(rng.uniform(0.5, 3.0), len(y)) + 1e-9
    order = rng.choice(len(y), int(rng.integers(9000, 30_000)), p=weights / weights.sum())
    seen = RowsAgain()
    seen.add(X[order], y[order])
    return seen.repeats().alarm


def test_independent_draws_are_not_taken_for_copies():
    assert_sound(sum(map(drawn_again, range(60))), 60, 0.001)


def test_what_was_not_counted_is_not_known():
    """Files of earlier versions, and tables whose first and last columns never change."""
    X, y = shuffled_copies(*coins(1500), 10)
    early = RowsAgain()
    early.add(X, y)
    text = early.to_text()
    old = RowsAgain.from_text(text.partition(":")[0], len(y))
    assert (early.repeats().alarm, old.repeats().alarm) == (True, False)
    constant = RowsAgain()
    wide = np.hstack([np.zeros((80_000, 2)), np.arange(80_000.0)[:, None], np.ones((80_000, 2))])
    for start in range(0, 80_000, 10_000):
        constant.add(wide[start : start + 10_000], np.zeros(10_000))
    assert not constant.repeats().alarm
    assert (RowsAgain.from_text(constant.to_text(), 80_000).repeats()) == constant.repeats()
