"""A stream of forecasts: policies, ranges, gaps, and nothing lost before a bad cell."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import AdaHedge, Hedge, SleepingExperts, WeightedAverage
from assay.data.examples import Examples
from assay.errors import BadData, BadParameter
from assay.play.expert_stream import ExpertStream

RNG = np.random.default_rng(7)
Y = RNG.random(300)
X = np.clip(Y[:, None] + RNG.normal(size=(300, 4)) * [0.05, 0.1, 0.2, 0.4], 0, 1)
NAMES = ["a", "b", "c", "d"]


def chunks(X, y, size=64):
    for start in range(0, len(X), size):
        part = slice(start, start + size)
        yield Examples(X[part], y[part], NAMES[: X.shape[1]], "truth", None, start + 1)


def streamed(X=X, y=Y, size=64, **given):
    stream = ExpertStream(**given)
    for part in chunks(X, y, size):
        stream.learn(part)
    return stream


@pytest.mark.parametrize("size", [1, 64, 1000])
@pytest.mark.parametrize("loss", ["square", "absolute", "entropic"])
def test_chunks_of_any_size_play_as_one(loss, size):
    outcomes = (Y > 0.5).astype(float) if loss == "entropic" else Y
    advice = np.clip(X, 0.01, 0.99)
    stream = streamed(advice, outcomes, size, loss=loss)
    whole = WeightedAverage(loss=loss)
    whole.play(advice, outcomes)
    assert stream.name == "weighted-average"
    assert stream.record.loss == whole.record_.loss
    assert stream.rows == 300
    assert all(rival.guarantee.holds for rival in stream.rivals())


def test_errors_are_in_the_units_of_the_forecasts():
    guess = WeightedAverage().play(X, Y)
    stream = streamed(1000 + 500 * X, 1000 + 500 * Y, bounds=(1000, 1500))
    assert stream.error == pytest.approx(500 * np.sqrt(np.mean((guess - Y) ** 2)))
    assert stream.mean_error == pytest.approx(500 * np.sqrt(np.mean((X.mean(axis=1) - Y) ** 2)))
    best = stream.best
    assert best.name == "a"
    assert best.error == pytest.approx(500 * np.sqrt(np.mean((X[:, 0] - Y) ** 2)))
    assert [rival.name for rival in stream.rivals()] == NAMES
    assert [rival.name for rival in stream.rivals(2)] == NAMES[:2]


@pytest.mark.parametrize("loss", ["absolute", "entropic"])
def test_other_losses_have_their_own_errors(loss):
    y = Y if loss == "absolute" else (Y > 0.5).astype(float)
    P = np.clip(X, 0.01, 0.99)
    stream = streamed(P, y, loss=loss)
    guess = WeightedAverage(loss=loss).play(P, y)

    def mean(p):
        if loss == "absolute":
            return np.mean(np.abs(p - y))
        return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))

    assert stream.error == pytest.approx(mean(guess))
    assert stream.mean_error == pytest.approx(mean(P.mean(axis=1)))


def test_gaps_choose_sleeping_experts_and_empty_rows_are_left_out():
    gaps = X.copy()
    gaps[::3, 0] = np.nan
    gaps[10] = np.nan
    stream = streamed(gaps)
    assert stream.name == "sleeping-experts"
    assert stream.why == "because forecasts are missing in the first 64 rows"
    assert (stream.rows, stream.skipped) == (299, 1)
    told = np.arange(300) != 10
    naive = SleepingExperts(loss="square")
    naive.play(gaps[told], Y[told])
    assert stream.record.loss == naive.record_.loss
    assert {r.name: r.rows for r in stream.rivals()}["a"] == 199
    assert all(rival.guarantee.holds for rival in stream.rivals())


def test_an_expert_that_never_speaks_is_not_compared_with():
    gaps = X.copy()
    gaps[:, 3] = np.nan
    assert [rival.name for rival in streamed(gaps).rivals()] == ["a", "b", "c"]


def test_adahedge_needs_no_range():
    stream = streamed(1e6 * X, 1e6 * Y, policy="adahedge")
    assert (stream.range, stream.range_known) == (None, "not needed")
    assert stream.best.guarantee.theorem == "adahedge-gap-regret"
    assert stream.error < 1e6 * 0.2


def test_fixed_share_is_compared_with_sequences_too():
    stream = streamed(policy="fixed-share", parameters={"rounds": 300, "switches": 2})
    [sequence] = stream.guarantees()
    assert sequence.of == "regret against the best sequence with at most 2 switches"
    assert "expert 'a'" in stream.best.guarantee.of


def test_a_rate_beyond_the_theorem_promises_nothing():
    assert (
        streamed(policy="weighted-average", parameters={"learning_rate": 9}).best.guarantee is None
    )


def test_a_policy_goes_on_from_what_it_knows():
    first = streamed(X[:100], Y[:100], bounds=(-1, 2))
    again = ExpertStream(first.policy)
    again.learn(Examples(X[100:], Y[100:], NAMES, "truth", None, 1))
    whole = streamed(bounds=(-1, 2))
    assert again.record.loss == whole.record.loss
    assert (again.rows, again.rows_before, again.mean_error) == (200, 100, None)
    assert again.range_known == "declared when the policy was made"


def test_how_the_range_is_known():
    assert streamed().range_known == "because none was declared"
    assert streamed(bounds=(0, 2)).range_known == "declared"
    sure = streamed(np.clip(X, 0.1, 0.9), (Y > 0.5) * 1.0, loss="entropic")
    assert sure.range_known == "because forecasts are probabilities"


def spoiled(row, column, value):
    x, y = X.copy(), Y.copy()
    if column == "truth":
        y[row] = value
    else:
        x[row, NAMES.index(column)] = value
    return x, y


@pytest.mark.parametrize(
    ("column", "value", "given", "sentence"),
    [
        (
            "b",
            3.0,
            {},
            "load.csv holds 3 in column 'b', row 151, outside the range 0 to 1. Declare the range in which "
            "all lie, or take adahedge, which needs none.",
        ),
        (
            "truth",
            -1.0,
            {"policy": "sleeping-experts"},
            "load.csv holds -1 in column 'truth', row 151, outside the range 0 to 1. Declare the range in "
            "which all lie, or take adahedge, which needs none.",
        ),
        (
            "c",
            np.nan,
            {},
            "load.csv holds no value in column 'c', row 151. sleeping-experts takes forecasts that may be "
            "missing.",
        ),
        ("truth", np.nan, {}, "load.csv holds no value in column 'truth', row 151."),
        (
            "a",
            np.inf,
            {"policy": "adahedge"},
            "load.csv holds inf in column 'a', row 151, which is no finite number.",
        ),
        (
            "d",
            1.5,
            {"loss": "entropic"},
            "load.csv holds 1.5 in column 'd', row 151, outside the range 0 to 1. A probability is needed.",
        ),
    ],
)
@pytest.mark.parametrize("size", [1, 64, 1000])
def test_everything_before_a_bad_cell_is_kept(column, value, given, sentence, size):
    x, y = spoiled(150, column, value)
    if given.get("loss") == "entropic":
        x[:, :3] = np.clip(x[:, :3], 0.1, 0.9)
    stream = ExpertStream(source="load.csv", **given)
    # A gap in the first rows would choose another policy.
    first = Examples(x[:100], y[:100], NAMES, "truth", None, 1)
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        learn_all(stream, [first, *chunks_from(x, y, 100, size)])
    assert stream.rows == 150
    good = ExpertStream(source="load.csv", **given)
    good.learn(Examples(x[:150], y[:150], NAMES, "truth", None, 1))
    assert stream.record.loss == good.record.loss


def learn_all(stream, parts):
    for part in parts:
        stream.learn(part)


def chunks_from(x, y, first, size):
    for start in range(first, len(x), size):
        part = slice(start, start + size)
        yield Examples(x[part], y[part], NAMES, "truth", None, start + 1)


def test_nobody_left_is_refused_with_its_row():
    stream = ExpertStream(loss="entropic", source="rain.csv")
    advice = np.array([[0.5, 0.5], [0.0, 0.0], [0.5, 0.5]])
    with pytest.raises(BadData, match=r"^rain\.csv: Every expert .* nobody is left after row 2\."):
        stream.learn(Examples(advice, np.array([1.0, 1.0, 1.0]), ["a", "b"], "rain", None, 1))
    assert stream.rows == 1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"loss": "zero-one"},
            "loss must be one of square, absolute, entropic, but is 'zero-one'.",
        ),
        (
            {"policy": "hedge"},
            "policy must be one of weighted-average, adahedge, fixed-share, sleeping-experts, which "
            "combine forecasts, but is 'hedge'.",
        ),
        (
            {"policy": Hedge()},
            "policy must be one of weighted-average, adahedge, fixed-share, sleeping-experts, which "
            "combine forecasts, but is 'hedge'.",
        ),
        ({"policy": "adahedge", "bounds": (0, 1)}, "adahedge needs no range: leave it out."),
        (
            {"policy": "weighted-average", "parameters": {"high": 3}},
            "'high' is no parameter to give here: declare the loss and the range.",
        ),
        (
            {"policy": "sleeping-experts", "loss": "entropic"},
            "sleeping-experts needs losses of a known size, and the entropic loss has none. Take the "
            "square loss, or fill in the forecasts that are missing.",
        ),
        (
            {"policy": AdaHedge(loss="square"), "bounds": (0, 1)},
            "Range and parameters are for a new policy; this one has its own.",
        ),
        (
            {"policy": AdaHedge()},
            "policy must be one of forecasts that are numbers, but is AdaHedge().",
        ),
    ],
)
def test_refusals(given, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        ExpertStream(**given)


def test_what_is_no_table_of_forecasts():
    from scipy import sparse

    with pytest.raises(BadParameter, match=r"^Name the column that the forecasts are about\.$"):
        ExpertStream().learn(Examples(X, None, NAMES))
    with pytest.raises(BadData, match=r"^s has no columns of forecasts: its rows are sparse\.$"):
        ExpertStream(source="s").learn(Examples(sparse.csr_array(X), Y, NAMES))
