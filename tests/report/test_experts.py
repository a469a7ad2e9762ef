import re

import numpy as np
import pytest

from assay.data.examples import Examples
from assay.play.expert_stream import ExpertStream
from assay.report.experts import at_most, experts_text, forecast_line, number

RNG = np.random.default_rng(1)
Y = RNG.random(200)
X = np.clip(Y[:, None] + RNG.normal(size=(200, 12)) * np.linspace(0.05, 0.5, 12), 0, 1)
NAMES = [f"e{i}" for i in range(12)]


def said(X=X, y=Y, left_out=(), **given):
    stream = ExpertStream(source="load.csv", **given)
    stream.learn(Examples(X, y, NAMES[: X.shape[1]], "truth"))
    return experts_text(stream, left_out)


def test_a_long_list_is_cut_and_the_best_stand_first():
    text = said()
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("          e")]
    assert shown[:2] == ["e0", "e1"]
    assert "and 2 more; --json lists them." in text


def test_what_was_left_out_is_said():
    assert "Left out  day, sky and sea: no numbers in it." in said(left_out=("day", "sky", "sea"))


def test_numbers_of_another_range_are_said_to_be_scaled():
    text = said(100 * X, 100 * Y, bounds=(0, 100))
    assert "Range     0 to 100, declared; every number was compared with it." in text
    assert "summed over the rows, of numbers scaled into [0, 1]." in text


def test_experts_asleep_have_their_rows_and_their_bound():
    gaps = X[:, :3].copy()
    gaps[:50, 0] = np.nan
    gaps[7] = np.nan
    text = said(gaps)
    assert "1 row without any forecast left out." in text
    assert re.search(r"expert +rows +error +its loss +regret +our loss +at most", text)
    assert "our loss: the weighted" in text
    cells = re.search(r"^ +e0 +150 +(.*)$", text, re.MULTILINE)[1].split()
    awake = np.arange(50, 200)
    lost = np.sum((gaps[awake, 0] - Y[awake]) ** 2)
    _, its, regret, ours, most = map(float, cells)
    assert its == pytest.approx(lost, rel=1e-3)
    assert its + regret == pytest.approx(ours, rel=1e-3)
    assert ours <= most


def test_nothing_is_promised_at_a_large_rate():
    text = said(policy="weighted-average", parameters={"learning_rate": 5})
    assert "Nothing is promised: the rate is larger than the theorem allows." in text


def test_the_best_sequence_is_a_rival_too():
    text = said(policy="fixed-share", parameters={"rounds": 200})
    assert "Regret against the best sequence with at most 1 switch: at most" in text


def test_a_promise_never_reads_lower_than_it_is():
    for value in (RNG.random(100) * 10 ** RNG.uniform(-3, 8, 100)).tolist():
        assert float(at_most(repr(value)).replace(",", "")) >= value


def test_numbers():
    assert number(12345.6) == "12,346"
    assert (number(1e306), number(-2.5e15)) == ("1e+306", "-2.5e+15")
    assert (at_most("1.23456e306"), at_most("999999999999999")) == ("1.235e+306", "1e+15")
    assert number(0.123456) == "0.1235"
    assert forecast_line({"error": 0.5, "best": "a", "best_error": 0.25}) == (
        "0.5, of the best expert (a) 0.25"
    )


def test_lines_are_short():
    assert max(map(len, said().splitlines())) <= 106
