"""The table of training certificates: its rows, its sums, and that its data are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.training_certificates import FOLDER, NAMES, Tally, learners, load, main


def test_a_small_table(capsys):
    worst = main(("sonar",), splits=1, draws=2)
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith("sonar")]) == len(learners("sonar"))
    assert lines[-1].startswith(
        f"seed 0, delta 0.05, 1 splits; at most {worst} of 2 draws broke a promise"
    )
    svc = next(line for line in lines if " SVC " in line).split()
    assert 0 <= float(svc[2]) <= float(svc[4]) <= 1


def test_what_lies_below_the_test_error_is_counted():
    found = Tally(test=[0.2, 0.3], holdout=[0.25, 0.25], training=[0.1, 1.0])
    assert found.below() == [1, 1]


@pytest.mark.parametrize("name", NAMES)
def test_the_data_are_there_and_their_source_is_named(name):
    X, y = load(name)
    assert len(X) == len(y) > 200
    assert X.min() >= -1
    assert X.max() < 10
    assert f"`{name}.parquet`" in (Path(FOLDER) / "README.md").read_text(encoding="utf-8")
