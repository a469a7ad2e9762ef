"""Tables in chunks: the same rows held out in every reading, and certificates that verify."""

import numpy as np
import pyarrow as pa
import pytest

from assay import verify
from assay.certificates.issue.distinct_rows import COPIES, NOT_IN_TRAINING, SEPARATE
from assay.data import delimited
from assay.errors import BadData, BadParameter, UnknownName
from assay.evidence.rows import row_digests
from assay.tables import large
from assay.tables.fit import fit_table
from assay.tables.large_rows import TEST, held
from assay.tables.predict import predict_table
from tests.tables.tables import changed, small, written


@pytest.fixture(autouse=True)
def little(monkeypatch):
    monkeypatch.setattr(large, "LARGE", 100)
    monkeypatch.setattr(large, "_CHUNK_ROWS", 64)
    monkeypatch.setattr(delimited, "_BLOCK", 4000)


def drawn(table, seed=0, share=0.2, columns=("size", "rain", "windy", "colour")):
    """Which rows are held out, from their features alone."""
    words = row_digests(table.select(list(columns))).view("<u8")
    return held(words[:, 0], seed, share)


@pytest.fixture
def seen(monkeypatch):
    """The rows that were held out, reading after reading, and the largest chunk."""
    readings, real = [], large._chunks

    def watched(source, encoder, held, shape):
        readings.append([])
        for examples, state in real(source, encoder, held, shape):
            assert len(examples) <= 64
            readings[-1].append(state == TEST)
            yield examples, state

    monkeypatch.setattr(large, "_chunks", watched)
    return readings


def test_the_same_rows_are_held_out_in_all_readings(tmp_path, seen):
    table = small(1000)
    fitted = fit_table(written(table, tmp_path / "t.csv"), "kind", learner="sgd-classifier")
    first, second, third = (np.concatenate(reading) for reading in seen)
    assert (first == second).all()
    assert (second == third).all()
    assert (first == drawn(table)).all()
    assert (fitted.train_rows, fitted.evidence.rows) == ((~first).sum(), first.sum())
    said = [
        x
        for b in predict_table(fitted.model, tmp_path / "t.csv")
        for x in b["prediction"].to_pylist()
    ]
    truth = table["kind"].to_pylist()
    assert fitted.evidence.errors == sum(said[i] != truth[i] for i in np.flatnonzero(first))
    fitted.certificate.save(tmp_path / "c.json")
    assert verify(tmp_path / "c.json").ok
    assert fitted.certificate.claims[0].inputs["rows"] == first.sum()


def test_means_and_model_rest_on_training_rows_alone(tmp_path):
    table = small(600)
    out = np.flatnonzero(drawn(table))
    other = changed(table, "kind", out, "tall")
    first, second = (
        fit_table(written(one, tmp_path / f"{i}.parquet"), "kind", learner="perceptron")
        for i, one in enumerate((table, other))
    )
    assert first.preparation == second.preparation
    assert first.save(tmp_path / "m").evidence.model == second.save(tmp_path / "m").evidence.model
    train = np.delete(np.asarray(table["size"]), out)
    assert first.preparation.mean[0] == pytest.approx(train.mean())
    assert first.preparation.deviation[0] == pytest.approx(train.std())


def test_auto_takes_one_that_learns_in_chunks_and_pays_nothing(tmp_path):
    fitted = fit_table(written(small(600), tmp_path / "t.csv"), "kind")
    assert (fitted.learner, fitted.choice) == ("sgd-classifier", None)
    assert fitted.certificate.claims[0].delta == "0.045"


def test_a_category_and_a_gap_that_come_late(tmp_path):
    table = small(600)
    late = changed(
        changed(table, "colour", np.arange(500, 600), "mauve"), "size", np.arange(550, 560), None
    )
    fitted = fit_table(written(late, tmp_path / "t.csv"), "kind", learner="sgd-classifier")
    assert fitted.preparation.columns[3].categories == ("blue", "green", "red")
    assert "size is missing" in fitted.preparation.features


def test_a_word_among_numbers_late_in_the_file(tmp_path):
    lines = ["a,y", *(f"{'oops' if i == 900 else i},{'pq'[i % 2]}" for i in range(1000))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(BadData, match="'oops' in column 'a', row 901"):
        fit_table(tmp_path / "t.csv", "y")


def test_texts_and_kinds_of_text_in_chunks(tmp_path):
    words = pa.array([f"word{i} of {'tall' if i % 2 else 'flat'} ones" for i in range(600)])
    table = pa.table({"t": words.cast(pa.string_view()), "kind": ["flat", "tall"] * 300})
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
    fitted = fit_table(tmp_path / "t.arrow", "kind", learner="sgd-classifier")
    assert fitted.preparation.columns[0].kind == "text"
    assert fitted.error < 0.1


def test_refusals(tmp_path):
    path = written(small(600), tmp_path / "t.csv")
    with pytest.raises(BadParameter, match="svc cannot learn it in chunks"):
        fit_table(path, "kind", learner="svc")
    with pytest.raises(BadParameter, match="holdout must be a share of the rows"):
        fit_table(path, "kind", holdout=50)
    for share in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(BadParameter, match="holdout must be a share of the rows"):
            fit_table(path, "kind", holdout=share)
    with pytest.raises(BadParameter, match="random_state must be"):
        fit_table(path, "kind", random_state=-1)
    one = changed(small(600), "kind", np.arange(600), "tall")
    with pytest.raises(BadData, match="nothing but 'tall' in column 'kind'"):
        fit_table(written(one, path), "kind")
    with pytest.raises(UnknownName, match=r"has no column 'kin'\. Did you mean 'kind'"):
        fit_table(path, "kin")


def test_a_class_that_only_the_holdout_has(tmp_path):
    out = np.flatnonzero(drawn(small(600)))
    path = written(changed(small(600), "kind", out[:5], "new"), tmp_path / "t.csv")
    fitted = fit_table(path, "kind", learner="perceptron")
    assert "new" not in fitted.model.classes_.tolist()
    assert fitted.evidence.errors >= 5


def test_a_holdout_of_its_own(tmp_path):
    path = written(small(600), tmp_path / "t.csv")
    other = written(small(100, seed=1), tmp_path / "h.csv")
    fitted = fit_table(path, "kind", holdout_file=other)
    assert (fitted.train_rows, fitted.evidence.rows) == (600, 100)


def test_libsvm_text_in_chunks(tmp_path):
    (tmp_path / "t.svm").write_text("".join(f"{i % 2} 1:{i % 2} 2:{i}\n" for i in range(600)))
    fitted = fit_table(tmp_path / "t.svm", learner="perceptron")
    assert fitted.preparation is None
    words = row_digests(np.array([[i % 2, i] for i in range(600)])).view("<u8")
    assert fitted.evidence.rows == held(words[:, 0], 0, 0.2).sum()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_copies_stay_on_one_side_and_count_once_in_chunks(tmp_path, ending):
    table = small(600)
    twice = pa.concat_tables([table, table, table])
    fitted = fit_table(written(twice, tmp_path / f"t.{ending}"), "kind", learner="perceptron")
    once = int(drawn(table).sum())
    assert (fitted.evidence.rows, fitted.repeated) == (once, 2 * once)
    assert fitted.train_rows == 3 * (600 - once)
    known = {a.name: a for a in fitted.certificate.claims[0].assumptions}
    assert known[NOT_IN_TRAINING].status == "checked"
    assert known[COPIES].status == "assumed"
    kept = fit_table(tmp_path / f"t.{ending}", "kind", learner="perceptron", overlap="keep")
    assert kept.evidence.rows > once
    assert SEPARATE in {a.name for a in kept.certificate.claims[0].assumptions}
    with pytest.raises(
        BadData, match="must be distinct and not learned from with overlap='refuse'"
    ):
        fit_table(tmp_path / f"t.{ending}", "kind", learner="perceptron", overlap="refuse")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_holdout_file_of_another_type_that_holds_training_rows_in_chunks(tmp_path, ending):
    path = written(small(600), tmp_path / "t.csv")
    mixed = pa.concat_tables([small(100, seed=1), small(600).slice(0, 50)])
    mixed = pa.concat_tables([mixed, mixed.slice(0, 10)])
    other = written(mixed.select(mixed.column_names[::-1]), tmp_path / f"h.{ending}")
    fitted = fit_table(path, "kind", holdout_file=other)
    assert (fitted.train_rows, fitted.evidence.rows, fitted.repeated) == (600, 100, 60)
    known = {a.name: a for a in fitted.certificate.claims[0].assumptions}
    assert known[NOT_IN_TRAINING].evidence == (
        "50 of 160 row digests occur in the training set and were left out"
    )


def test_units_in_chunks(tmp_path):
    table = small(600).append_column("patient", pa.array([f"p{i % 150}" for i in range(600)]))
    fitted = fit_table(written(table, tmp_path / "t.csv"), "kind", unit="patient")
    assert {rows for _, rows, _ in fitted.evidence.units} == {4}
    assert sum(many for _, _, many in fitted.evidence.units) == fitted.evidence.rows / 4
    assert fitted.train_rows == 600 - fitted.evidence.rows
    assert "patient" not in [column.name for column in fitted.preparation.columns]


def test_a_ledger_knows_the_table_again_under_another_seed(tmp_path):
    path = written(small(600), tmp_path / "t.csv")
    looks = [
        fit_table(
            path, "kind", learner="perceptron", random_state=seed, ledger=tmp_path / "l.db"
        ).entry
        for seed in range(3)
    ]
    assert [look.number for look in looks] == [1, 2, 3]
