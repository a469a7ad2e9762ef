"""Losses of rows that come in units: counted, or one mean of each unit; what rows would promise is broken."""

import numpy as np
import pandas as pd
import pytest

from assay import certify, verify
from assay.certificates.issue.unit_losses import from_unit_losses
from assay.errors import BadParameter
from assay.theory.tail.betting import bounded_betting
from tests.cli.runner import run
from tests.soundness import assert_sound, assert_unsound

UNIT = np.repeat([f"q{i}" for i in range(60)], 5)
GRADED = (np.arange(300) * 7 % 50 / 100 + np.repeat(np.arange(60) % 5, 5) / 10).round(3)


def test_each_unit_has_the_mean_of_its_rows_wherever_these_stand():
    order = np.random.default_rng(0).permutation(300)
    seen = from_unit_losses([(GRADED[:100], UNIT[:100]), (GRADED[100:], UNIT[100:])])
    assert seen.losses.values == pytest.approx(GRADED.reshape(60, 5).mean(axis=1), abs=1e-15)
    mixed = from_unit_losses([(GRADED[order], UNIT[order])])
    assert sorted(mixed.losses.values) == sorted(seen.losses.values)
    [known] = seen.checked
    assert known.evidence == (
        "each of 60 units is one draw, with the mean loss of its rows: 5 of them"
    )


def test_what_is_promised_and_compared():
    made = certify(loss=GRADED, unit=UNIT)
    assert made.document["data"]["rows"] == 60
    assert made.claims[0].promised > certify(loss=GRADED).claims[0].promised
    assert verify(made, loss=GRADED, unit=UNIT)
    assert not verify(made, loss=GRADED)
    assert not verify(made, loss=GRADED, unit=np.roll(UNIT, 1))
    assert not verify(made, loss=np.append(GRADED[:-1], 0.999), unit=UNIT)


@pytest.mark.parametrize(
    ("over", "theorem"),
    [
        ({}, "unit-mean-betting"),
        ({"over": "rows", "most_rows": 6}, "unit-ratio-betting"),
        ({"over": "whole-units"}, "units-wholly-right"),
    ],
)
def test_losses_that_are_errors_are_counted_as_labels_are(over, theorem):
    wrong = GRADED > 0.5
    made = certify(loss=wrong, unit=UNIT, **over)
    labels = certify(
        y_true=np.zeros(300, int), y_pred=wrong.astype(int), labels=[0, 1], unit=UNIT, **over
    )
    assert made.claims[0].theorem == theorem
    assert made.claims[0].promised == labels.claims[0].promised
    assert verify(made, loss=wrong, unit=UNIT)
    assert not verify(made, loss=wrong, unit=np.roll(UNIT, 1))


def test_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"loss": GRADED, "question_id": UNIT}).to_csv("l.csv", index=False)
    void = run("certify", "l.csv", "--loss", "loss")
    assert void.code == 1
    assert "as with --unit question_id, or say --unit none" in void.out
    made = run("certify", "l.csv", "--loss", "loss", "--unit", "question_id", "--out", "l.json")
    assert made.code == 0
    assert "A row of the certificate is one unit, with the mean loss of its rows." in made.out
    data = ("--data", "l.csv", "--loss", "loss")
    assert run("verify", "l.json", *data, "--unit", "question_id").code == 0
    assert run("verify", "l.json", *data).code == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"loss": GRADED, "unit": UNIT[:9]}, "unit must be one name for each of 300 rows"),
        ({"loss": GRADED, "unit": UNIT, "over": "rows"}, "over must be left out"),
        ({"loss": GRADED, "unit": UNIT, "method": "exact"}, "method must be another than 'exact'"),
        ({"errors": 3, "rows": 9, "unit": UNIT}, "unit must be left out with counts"),
    ],
)
def test_refusals(given, words):
    with pytest.raises(BadParameter) as refused:
        certify(**given)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 200


def test_means_keep_the_promise_and_rows_do_not():
    # 15 units of 8 rows that share most of their loss.
    rng, broken = np.random.default_rng(3), np.zeros(2, int)
    unit = np.repeat(np.arange(15), 8)
    for _ in range(400):
        loss = 0.9 * np.repeat(rng.random(15) < 0.3, 8) + 0.1 * rng.random(120)
        seen = from_unit_losses([(loss, unit)]).losses.values
        broken += [bounded_betting(one, 0.05) < 0.32 for one in (seen, loss)]
    assert_sound(int(broken[0]), 400, 0.05)
    assert_unsound(int(broken[1]), 400, 0.05)
