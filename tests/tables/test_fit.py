"""A table, a model, a certificate: held-out rows have no part in what is learned, and refusals name the row."""

import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from assay import load, verify
from assay.certificates.issue.distinct_rows import COPIES, NOT_IN_TRAINING, SEPARATE
from assay.data.seeded_split import split
from assay.errors import BadData, BadParameter
from assay.guarantees.subject import subject_of
from assay.report.story_text import story_text
from assay.tables import choice
from assay.tables.candidates import Candidate
from assay.tables.fit import fit_table, guarantees_of
from assay.tables.predict import predict_table, write_predictions
from assay.tables.story import story_of
from assay.theory.tail.binomial import FIXED_BEFORE
from tests.tables.tables import EXAMPLES, changed, small, written

QUICK = (
    Candidate("decision-tree-classifier", 1, {"max_leaf_nodes": 4}),
    Candidate("gaussian-nb", 2),
    Candidate("logistic-regression", 2),
)


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(
        choice.choose, "__kwdefaults__", choice.choose.__kwdefaults__ | {"candidates": QUICK}
    )


SETS = sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".parquet", ".svmlight"))


@pytest.mark.parametrize("name", SETS)
def test_every_set_with_only_its_target(name, tmp_path):
    target = None if name.endswith(".svmlight") else "target"
    # Some of them are sorted, or in the order of time: what is compared here is a split at random.
    tree = fit_table(
        EXAMPLES / name,
        target,
        learner="decision-tree-classifier",
        parameters={"max_leaf_nodes": 16},
        order="none",
    )
    peers = [(tree, DecisionTreeClassifier(max_leaf_nodes=16, random_state=0))]
    if tree.train_rows < 1000:
        ours = fit_table(EXAMPLES / name, target, learner="logistic-regression", order="none")
        peers.append((ours, LogisticRegression(max_iter=1000)))
    for fitted, peer in peers:
        X, y, held, truth = features_and_labels(fitted, name, target)
        wrong = np.count_nonzero(peer.fit(X, y).predict(held) != truth)
        # Two standard deviations of the difference between two learners of the same error.
        noise = 2 * np.sqrt(2 * max(wrong, 1) * (1 - wrong / len(truth)))
        assert abs(fitted.evidence.errors - wrong) <= noise + 1
        fitted.certificate.save(tmp_path / "c.json")
        assert verify(tmp_path / "c.json").ok


def features_and_labels(fitted, name, target):
    """Training and held-out rows, as the model was shown them."""
    from assay.files import read_table

    encoder = {} if target is None else {"encoder": fitted.preparation, "target": target}
    whole = read_table(EXAMPLES / name, **encoder)
    sides = split(len(whole), holdout=0.2, random_state=0)
    X = whole.X
    return X[sides.train], whole.y[sides.train], X[sides.holdout], whole.y[sides.holdout]


@pytest.mark.parametrize("learner", ["auto", "decision-tree-classifier", "logistic-regression"])
def test_held_out_rows_have_no_part_in_choice_preparation_or_model(tmp_path, quick, learner):
    table = small()
    held = split(len(table), holdout=0.2, random_state=0).holdout
    other = table
    for row in held:
        other = changed(other, "size", [row], 1e3 + row)
    other = changed(other, "rain", held, None)
    other = changed(other, "colour", held, "mauve")
    other = changed(other, "kind", held[::2], "tall")
    first, second = (
        fit_table(written(one, tmp_path / f"{i}.parquet"), "kind", learner=learner)
        for i, one in enumerate((table, other))
    )
    assert first.evidence.errors != second.evidence.errors
    assert first.preparation == second.preparation
    assert first.learner == second.learner
    if learner == "auto":
        assert [(t.errors, t.promised) for t in first.choice.tried] == [
            (t.errors, t.promised) for t in second.choice.tried
        ]
    saved = [one.save(tmp_path / "m.assay").evidence.model for one in (first, second)]
    assert saved[0] == saved[1]


def test_the_choice_pays_a_tenth_and_its_certificate_verifies(tmp_path, quick):
    fitted = fit_table(written(small(400), tmp_path / "t.csv"), "kind", delta="0.05")
    document = fitted.certificate.to_json()
    assert fitted.certificate is fitted.certificate
    assert [claim.delta for claim in fitted.certificate.claims] == [
        "0.04",
        "0.0025",
        "0.0025",
        "0.005",
    ]
    assert document["delta"]["total"] == "0.05"
    best = fitted.choice.chosen
    claim = document["claims"][-1]
    assert (claim["inputs"]["errors"], claim["inputs"]["rows"]) == (best.errors, best.rows)
    assert float(claim["promised"]) == pytest.approx(best.promised)
    assert best.rows == 80  # a quarter of the 320 training rows
    fitted.certificate.save(tmp_path / "c.json")
    assert verify(tmp_path / "c.json").ok


def test_promises_over_the_training_rows_fall_with_what_was_taken_from_them(tmp_path):
    path = written(small(), tmp_path / "t.csv")
    scaled = fit_table(path, "kind", learner="svc", columns=["size", "windy"])
    assert {g.quantifier for g in scaled.guarantees} == {"always"}
    fixed = fit_table(path, "kind", learner="decision-tree-classifier", columns=["size", "windy"])
    assert any(float(g.delta) > 0 for g in fixed.guarantees)
    chosen = guarantees_of(fixed.model, fixed.preparation, chosen=True)
    assert all(g.quantifier == "always" for g in chosen)
    forest = fit_table(
        path, "kind", learner="random-forest-classifier", parameters={"n_estimators": 5}
    )
    assert not [g for g in forest.guarantees if g.quantifier == "expectation"]


@pytest.mark.parametrize("learner", ["gaussian-nb", "auto"])
def test_a_word_among_numbers_is_found_by_its_row_in_the_table(tmp_path, quick, learner):
    for row in (3, 44, 119):
        lines = ["a,b,y", *(f"{i % 50},{i % 7},{'pq'[i % 2]}" for i in range(120))]
        lines[row] = f"oops,1,{'pq'[row % 2]}"
        path = tmp_path / "t.csv"
        path.write_text("\n".join(lines))
        with pytest.raises(
            BadData, match=f"holds 'oops' in column 'a', row {row}, where a number is needed"
        ):
            fit_table(path, "y", learner=learner)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_the_model_in_a_file_predicts_as_the_one_in_memory(tmp_path, ending):
    table = small()
    fitted = fit_table(written(table, tmp_path / "t.csv"), "kind", learner="svc")
    fitted.save(tmp_path / "m.assay")
    data = written(table, tmp_path / f"d.{ending}")
    rows = write_predictions(
        predict_table(tmp_path / "m.assay", data, keep=["kind"]), tmp_path / f"p.{ending}"
    )
    assert rows == 120
    said = read(tmp_path / f"p.{ending}")
    assert said.column_names == ["kind", "prediction"]
    assert said["kind"].to_pylist() == table["kind"].to_pylist()
    in_memory = [
        x
        for b in predict_table(fitted.model, tmp_path / "t.csv")
        for x in b["prediction"].to_pylist()
    ]
    assert said["prediction"].to_pylist() == in_memory
    held = split(120, holdout=0.2, random_state=0).holdout
    wrong = sum(in_memory[i] != table["kind"][i].as_py() for i in held)
    assert wrong == fitted.evidence.errors


def read(path):
    if path.suffix == ".csv":
        return pa.csv.read_csv(path)
    return pq.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)


def test_a_new_process_predicts_the_same(tmp_path):
    path = written(small(), tmp_path / "t.csv")
    fitted = fit_table(path, "kind", learner="gaussian-nb")
    fitted.save(tmp_path / "m.assay")
    found = subprocess.run(
        [sys.executable, "-c", "from assay.cli.app import main; main()", "predict", tmp_path / "m.assay", path],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    here = [x for b in predict_table(fitted.model, path) for x in b["prediction"].to_pylist()]
    assert found.stdout.splitlines() == ["prediction", *here]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [([True, False], bool), ([3, 7], int), (["a", "b"], str), (["1 x", "true"], str)],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_labels_of_every_kind_come_back_as_they_were(tmp_path, labels, kind, ending):
    table = small().drop_columns("kind").append_column("y", pa.array(labels * 60))
    path = written(table, tmp_path / f"t.{ending}")
    fit_table(path, "y", learner="gaussian-nb").save(tmp_path / "m.assay")
    model = load(tmp_path / "m.assay")
    said = {x for b in predict_table(model, path) for x in b["prediction"].to_pylist()}
    assert said <= set(labels)
    assert {type(x) for x in said} == {kind}


def test_a_class_that_only_the_holdout_has_is_wrong_every_time(tmp_path):
    table = small()
    held = split(120, holdout=0.2, random_state=0).holdout
    path = written(changed(table, "kind", held, "new"), tmp_path / "t.csv")
    fitted = fit_table(path, "kind", learner="gaussian-nb")
    assert fitted.evidence.errors == fitted.commonest[1] == 24


def test_labels_with_a_leading_zero_are_names(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,y\n" + "".join(f"{i},{('1', '01')[i % 2]}\n" for i in range(60))
    )
    fitted = fit_table(tmp_path / "t.csv", "y", learner="gaussian-nb")
    assert fitted.model.classes_.tolist() == ["01", "1"]


def test_a_class_for_every_fourth_row(tmp_path):
    rows = "".join(f"{i % 1000 + i / 8192},{i % 1000}\n" for i in range(4000))
    (tmp_path / "t.csv").write_text("a,y\n" + rows)
    with pytest.raises(
        BadParameter, match="gaussian-nb predicts classes, but column 'y' is a quantity"
    ):
        fit_table(tmp_path / "t.csv", "y", learner="gaussian-nb")
    fitted = fit_table(tmp_path / "t.csv", "y", learner="gaussian-nb", categories=["y"])
    assert len(fitted.model.classes_) > 900


def test_copies_stay_on_one_side_and_count_once(tmp_path):
    table = small()
    once = fit_table(written(table, tmp_path / "1.csv"), "kind", learner="gaussian-nb")
    thrice = fit_table(
        written(pa.concat_tables([table] * 3), tmp_path / "3.csv"), "kind", learner="gaussian-nb"
    )
    assert (thrice.train_rows, thrice.evidence.rows, thrice.repeated) == (288, 24, 48)
    assert thrice.evidence.data == once.evidence.data
    assert thrice.notes == (
        "240 rows repeat another; copies stay on one side and are counted once. If equal rows are separate draws, "
        "say --overlap keep.",
    )
    assert once.notes == ()
    known = {a.name: a for a in thrice.certificate.claims[0].assumptions}
    assert known[NOT_IN_TRAINING].status == "checked"
    assert known[COPIES].evidence == (
        "48 of 72 rows repeat an earlier one of the holdout and do not count"
    )
    assert known[FIXED_BEFORE].status == "by construction"
    assert known[FIXED_BEFORE].evidence == (
        "in this run, by seed 0; what other runs told is not known"
    )


def test_equal_rows_declared_to_be_separate_draws(tmp_path):
    path = written(pa.concat_tables([small()] * 2), tmp_path / "t.csv")
    kept = fit_table(path, "kind", learner="gaussian-nb", overlap="keep")
    assert (kept.train_rows, kept.evidence.rows, kept.repeated) == (192, 48, 0)
    known = {a.name: a for a in kept.certificate.claims[0].assumptions}
    assert known[SEPARATE].status == "declared"
    assert NOT_IN_TRAINING not in known
    assert "It was declared that equal rows are separate draws" in kept.notes[0]
    with refuses(
        f"{path} must hold no row twice with overlap='refuse', but 120 rows repeat another. Take the copies out, or "
        f"say overlap='drop' to count them once."
    ):
        fit_table(path, "kind", learner="gaussian-nb", overlap="refuse")


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_a_holdout_file_that_holds_training_rows_in_another_type(tmp_path, ending):
    train, fresh = small(), small(40, seed=1)
    path = written(train, tmp_path / "t.csv")
    both = pa.concat_tables([train.slice(0, 30), fresh, fresh.slice(0, 5)])
    single = pa.schema([pa.field("size", pa.float32()), *list(both.schema)[1:]])
    other = written(
        both.cast(single).select(["kind", *both.column_names[:-1]]), tmp_path / f"h.{ending}"
    )
    fitted = fit_table(path, "kind", learner="gaussian-nb", holdout_file=other)
    assert (fitted.evidence.rows, fitted.repeated) == (40, 35)
    known = {a.name: a for a in fitted.certificate.claims[0].assumptions}
    assert known[NOT_IN_TRAINING].evidence == (
        "30 of 75 row digests occur in the training set and were left out"
    )
    assert known[FIXED_BEFORE].status == "not asked"
    with refuses(
        f"{other} must hold no row that is learned from with overlap='refuse', but 30 rows repeat a training row. "
        f"Take them out, or say overlap='drop' to leave them out."
    ):
        fit_table(path, "kind", learner="gaussian-nb", holdout_file=other, overlap="refuse")
    with refuses(
        f"Every row to test on in {tmp_path / 's.csv'} is also learned from, so none is left to certify."
    ):
        fit_table(
            path, "kind", learner="gaussian-nb", holdout_file=written(train, tmp_path / "s.csv")
        )


def test_units_are_held_out_whole_and_not_learned_from(tmp_path):
    table = small().append_column("patient", pa.array([f"p{i // 4}" for i in range(120)]))
    fitted = fit_table(
        written(table, tmp_path / "t.csv"), "kind", learner="gaussian-nb", unit="patient"
    )
    assert (fitted.train_rows, fitted.evidence.rows) == (96, 24)
    assert sum(many for _, _, many in fitted.evidence.units) == 6
    assert {rows for _, rows, _ in fitted.evidence.units} == {4}
    assert "patient" not in [column.name for column in fitted.preparation.columns]
    assert "0.2 of the units of 'patient'" in fitted.drawn
    with refuses("unit must be a column of its own, but 'kind' is the target.", BadParameter):
        fit_table(tmp_path / "t.csv", "kind", unit="kind")


def test_a_unit_that_copies_another_does_not_count(tmp_path):
    table = small()
    twice = pa.concat_tables([table, table]).append_column(
        "patient", pa.array([f"p{i // 4}" for i in range(240)])
    )
    fitted = fit_table(
        written(twice, tmp_path / "t.csv"), "kind", learner="gaussian-nb", unit="patient"
    )
    assert fitted.evidence.rows < 48
    # Within a unit a row may repeat: it is the units that are drawn.
    within = pa.concat_tables([table, table]).append_column(
        "patient", pa.array([f"p{i % 120 // 4}" for i in range(240)])
    )
    fitted = fit_table(
        written(within, tmp_path / "w.csv"), "kind", learner="gaussian-nb", unit="patient"
    )
    assert (fitted.evidence.rows, fitted.repeated) == (48, 0)


def test_a_holdout_of_its_own(tmp_path):
    path = written(small(), tmp_path / "t.csv")
    other = written(small(50, seed=1), tmp_path / "h.parquet")
    fitted = fit_table(path, "kind", learner="gaussian-nb", holdout_file=other)
    assert (fitted.train_rows, fitted.evidence.rows) == (120, 50)
    one_class = changed(small(50, seed=1), "kind", np.arange(50), "tall")
    fitted = fit_table(path, "kind", learner="gaussian-nb", holdout_file=written(one_class, other))
    assert fitted.evidence.rows == 50
    with pytest.raises(BadParameter, match="is the table that is learned from"):
        fit_table(path, "kind", learner="gaussian-nb", holdout_file=path)


def test_libsvm_text_whose_holdout_lacks_the_last_features(tmp_path):
    (tmp_path / "t.svm").write_text(
        "".join(f"{i % 2} 1:{i % 2 + i / 99} 3:{i}\n" for i in range(40))
    )
    (tmp_path / "h.svm").write_text("1 1:1.2\n0 1:0.1\n")
    fitted = fit_table(tmp_path / "t.svm", learner="gaussian-nb", holdout_file=tmp_path / "h.svm")
    assert fitted.evidence.rows == 2
    assert len(next(predict_table(fitted.model, tmp_path / "h.svm"))) == 2
    with pytest.raises(BadParameter, match="is libsvm text, which has no column names"):
        fit_table(tmp_path / "t.svm", learner="gaussian-nb", drop=["3"])


def test_every_class_has_a_promise_that_verifies(tmp_path):
    path = written(small(400), tmp_path / "t.csv")
    fitted = fit_table(path, "kind", learner="gaussian-nb", order="none")
    first, *classes = fitted.certificate.claims
    tally = fitted.evidence.tally
    assert [subject_of(one.of).label for one in classes] == list(tally.labels)
    assert [(one.inputs["errors"], one.inputs["rows"]) for one in classes] == [
        (sum(row) - row[place], sum(row)) for place, row in enumerate(tally.confusion)
    ]
    assert (first.delta, {one.delta for one in classes}) == ("0.045", {"0.0025"})
    fitted.certificate.save(tmp_path / "c.json")
    assert verify(tmp_path / "c.json").ok
    text = story_text(story_of(fitted))
    for label, row in zip(tally.labels, tally.confusion, strict=True):
        assert f"of new rows of class {label!r} are taken for another" in text
        assert f"of {sum(row)} w" in text
    assert "All 3 promises hold at once, with 95 % confidence." in text
    assert "those of the classes 0.005." in text


def test_rows_that_are_no_draws_promise_nothing_of_candidates_and_classes(tmp_path, quick):
    table = small(400)
    table = table.sort_by("kind")
    fitted = fit_table(written(table, tmp_path / "t.csv"), "kind")
    story = story_of(fitted)
    assert fitted.void
    assert all(one.promised is None for one in (*story.candidates, *story.classes))
    assert "taken for another" not in story_text(story)
