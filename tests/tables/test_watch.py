"""New rows beside those of training: exact tests, a rate of false alarms that is kept, and words that are true."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from assay import fit_table, load, predict_table, save
from assay.data.prepare import Preparation
from assay.data.seen import MOST_COLUMNS, MOST_RANKS, Seen, ranks
from assay.errors import BadData, BadParameter
from assay.tables import watch as watching
from assay.tables.two_sample import another_share, many_above, many_below
from assay.tables.watch import Watch
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound
from tests.tables.tables import changed, small, written


class Model:
    """As much of a model as a watch looks at."""

    def __init__(self, table):
        ready = Preparation.fit(table)
        self.encoder_, self.seen_ = ready.to_json(), Seen.of(table, ready).to_json()


def watched(model, table, **terms):
    watch = Watch(model, **terms)
    watch.add(table)
    return watch.result()


def troubles(model, table):
    return [(one.column, one.trouble, one.rows) for one in watched(model, table).findings]


@pytest.mark.parametrize(("old", "new"), [(1, 1), (3, 2), (2, 4)])
def test_probabilities_are_those_of_all_ways_to_tell_old_from_new(old, new):
    ways = list(itertools.combinations(range(old + new), old))
    for rank in range(1, old + 1):
        marks = [way[rank - 1] for way in ways]
        fresh = [set(range(old + new)) - set(way) for way in ways]
        for many in range(new + 1):
            above = np.mean(
                [sum(v > m for v in f) >= many for m, f in zip(marks, fresh, strict=True)]
            )
            below = np.mean(
                [sum(v < m for v in f) >= many for m, f in zip(marks, fresh, strict=True)]
            )
            terms = np.array(rank), old, np.array(many), new
            assert many_above(*terms) == pytest.approx(above)
            assert many_below(*terms) == pytest.approx(below)


def test_shares_are_compared_by_fishers_test():
    from scipy.stats import fisher_exact

    for a, b in [(0, 5), (3, 9), (10, 0)]:
        tails = [
            fisher_exact([[a, 12 - a], [b, 15 - b]], alternative=side).pvalue
            for side in ("less", "greater")
        ]
        p = another_share(np.array(a), 12, np.array(b), 15)
        assert p == pytest.approx(min(1, 2 * min(tails)))


def test_like_rows_are_found_alike():
    model = Model(small(400).drop(["kind"]))
    found = watched(model, small(300, seed=1))
    assert found.ok
    assert (found.rows, found.tested, found.columns) == (300, 4, 4)
    assert watched(model, small(400)).ok
    assert watched(model, small(0)).ok


def test_what_is_found():
    model, new = Model(small(400).drop(["kind"])), small(300, seed=1)
    assert troubles(model, changed(new, "colour", np.arange(2), "mauve")) == [
        ("colour", "unseen", 2)
    ]
    assert troubles(model, changed(new, "rain", np.arange(1), 1e9)) == [("rain", "far", 1)]
    assert troubles(model, changed(new, "rain", np.arange(120), None))[0][:2] == ("rain", "missing")
    assert troubles(model, changed(new, "windy", np.arange(300), True)) == [
        ("windy", "shifted", 300)
    ]
    assert troubles(model, changed(new, "colour", np.arange(200), "red"))[0][:2] == (
        "colour",
        "shifted",
    )
    beyond = watched(model, changed(new, "size", np.arange(20), 3.5)).findings
    assert [(one.column, one.trouble, one.rows) for one in beyond] == [("size", "beyond", 21)]
    assert beyond[0].sentence.endswith(", the largest value trained on.")
    assert 0 < beyond[0].p <= 0.01


def test_numbers_read_without_a_detour_are_counted_alike():
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    model, new = Model(table), rng.normal(0.5, 1, (150, 2))
    new[:9, 1] = np.nan
    direct = Watch(model)
    direct.add_numbers(new[:70])
    direct.add_numbers(new[70:])
    batch = pa.table({"a": new[:, 0], "b": pa.array(new[:, 1], from_pandas=True)})
    assert direct.result() == watched(model, batch)
    assert not direct.result().ok


def test_no_more_columns_are_remembered_than_are_told_of():
    rng = np.random.default_rng(0)
    table = pa.table({f"x{i}": rng.normal(size=30) for i in range(MOST_COLUMNS + 5)})
    found = watched(Model(table), table)
    assert (found.tested, found.columns) == (MOST_COLUMNS, MOST_COLUMNS + 5)
    assert found.scope.startswith("100 of 105 columns were tested")


def test_names_without_end_are_counted(monkeypatch):
    monkeypatch.setattr(watching, "_MOST_NAMES", 3)
    model = Model(pa.table({"c": ["a", "b"] * 50}))
    [found] = watched(model, pa.table({"c": [f"n{i}" for i in range(9)]})).findings[:1]
    assert (found.trouble, found.rows) == ("unseen", 9)
    assert found.sentence.endswith("'n2' (1 row), and others (6 rows).")


def test_ranks():
    assert ranks(0).tolist() == []
    assert ranks(1).tolist() == [1]
    assert all(len(ranks(n)) <= MOST_RANKS for n in range(1, 2000, 7))
    assert ranks(10_000)[[0, -1]].tolist() == [1, 10_000]


def test_a_model_file_keeps_it_and_an_old_one_does_without(tmp_path):
    path = written(small(200), tmp_path / "t.csv")
    model = fit_table(path, "kind", learner="gaussian-nb").model
    save(model, tmp_path / "m.assay")
    assert load(tmp_path / "m.assay").seen_ == model.seen_
    del model.seen_
    save(model, tmp_path / "old.assay")
    watch = Watch(tmp_path / "old.assay")
    new = changed(small(50), "colour", np.arange(3), "mauve")
    list(predict_table(tmp_path / "old.assay", written(new, tmp_path / "n.csv"), watch=watch))
    found = watch.result()
    assert [(one.column, one.trouble) for one in found.findings] == [("colour", "unseen")]
    assert found.tested == 0
    assert found.scope.startswith("The model file holds no summary")


def test_rows_of_one_unit_are_not_tested(tmp_path):
    table = small(200).append_column("who", pa.array(np.arange(200) // 4))
    path = written(table, tmp_path / "t.csv")
    assert not hasattr(fit_table(path, "kind", learner="gaussian-nb", unit="who").model, "seen_")


@pytest.mark.parametrize(
    "change",
    [
        {"rows": -1},
        {"rows": 10},
        {"columns": []} | {"columns_all": "4"},
        {"extra": 1},
        {"columns": [{"name": "size"}]},
    ],
)
def test_a_summary_that_no_rows_could_have_given_is_refused(change):
    document = Model(small(100).drop(["kind"])).seen_
    assert Seen.from_json(document).to_json() == document
    with pytest.raises(BadData, match="A summary of training rows cannot be made"):
        Seen.from_json(document | change)


@pytest.mark.parametrize(
    ("field", "value"),
    [("marks", [2.0, 1.0]), ("marks", [float("nan")]), ("missing", 101), ("counts", [["a", -1]])],
)
def test_so_is_a_column(field, value):
    document = Model(small(100).drop(["kind"])).seen_
    document["columns"][0][field] = value
    with pytest.raises(BadData, match="A summary of training rows cannot be made"):
        Seen.from_json(document)


def test_the_rate_is_a_probability():
    with refuses("alarm must be a number strictly between 0 and 1, but is 1.", BadParameter):
        Watch(Model(small(20).drop(["kind"])), alarm=1)


def mixed(rng, rows):
    """Ties, gaps, heavy tails, rare categories: nothing is normal."""
    gaps = rng.random(rows) < rng.choice([0, 0.02, 0.5])
    return pa.table(
        {
            "heavy": rng.standard_cauchy(rows),
            "tied": pa.array(rng.poisson(0.7, rows).astype(float), mask=gaps),
            "rare": [f"c{k}" for k in np.minimum(rng.geometric(0.3, rows), 9)],
            "truth": rng.random(rows) < 0.03,
        }
    )


def alarms(trials, alarm):
    """How often anything is found by a test, where old and new rows are draws of one kind."""
    count = 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        old, new = (int(n) for n in rng.integers(2, 120, 2))
        both = mixed(rng, old + new)
        found = watched(Model(both.slice(0, old)), both.slice(old), alarm=alarm)
        count += any(one.p is not None for one in found.findings)
    return count


def test_false_alarms_are_rare():
    assert_sound(alarms(150, 0.3), 150, 0.3)


@pytest.mark.guarantees
def test_false_alarms_keep_their_rate():
    assert_sound(alarms(3000, 0.2), 3000, 0.2)


@pytest.mark.guarantees
def test_a_rate_that_is_not_shared_is_not_kept(monkeypatch):
    """The broken twin: every test alarms at the whole rate."""
    real = watching._Counted._tests
    monkeypatch.setattr(
        watching._Counted, "_tests", lambda *terms: [(0.25, f) for _, f in real(*terms)]
    )
    assert_unsound(alarms(1000, 0.2), 1000, 0.2)
