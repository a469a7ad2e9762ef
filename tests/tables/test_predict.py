"""Predictions by a model file."""

from assay import fit_table, predict_table


def test_libsvm_indices_mean_what_they_meant_in_training(tmp_path):
    (tmp_path / "from_zero.libsvm").write_text("1 0:1 2:1\n0 1:1\n" * 60)
    fitted = fit_table(tmp_path / "from_zero.libsvm", learner="logistic-regression", overlap="keep")
    fitted.save(tmp_path / "model.assay")
    # Nothing at index 0: by itself this file would be taken to count from 1.
    (tmp_path / "new.libsvm").write_text("1 2:1\n0 1:1\n")
    [batch] = predict_table(tmp_path / "model.assay", tmp_path / "new.libsvm")
    assert batch.column("prediction").to_pylist() == [1.0, 0.0]
