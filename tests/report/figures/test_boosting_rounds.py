import numpy as np
import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.boosting_rounds import boosting_errors
from assay.theory.boosting.majority_boost import boosting_rounds, boosting_training_error
from tests.report.figures.samples import check_themes, named


def coin_flips(examples, rounds, edge, seed=0):
    """Weak hypotheses that are right on each example by a coin, and how many the majority gets wrong."""
    right = np.random.default_rng(seed).random((rounds, examples)) < 0.5 + edge
    votes = np.cumsum(np.where(right, 1, -1), axis=0)
    return (votes <= 0).sum(axis=1)


def test_curves_are_the_theorems():
    figure = boosting_errors(50, 0.2)
    [sharp], [textbook] = named(figure, "bound, sharp"), named(figure, "bound, n e^(-2Tg²)")
    last = boosting_rounds(50, 0.2, "textbook")
    assert sharp.x.tolist() == list(range(1, last + 1, 2))
    assert sharp.y.tolist() == [boosting_training_error(50, int(t), 0.2) for t in sharp.x]
    assert (textbook.y >= sharp.y).all()
    assert textbook.y[-1] == 0


def test_runs_are_drawn_in_their_odd_rounds():
    wrong = coin_flips(50, 31, 0.2)
    figure = boosting_errors(50, 0.2, {"coin flips": wrong}, rounds=31)
    [run], [bound] = named(figure, "coin flips"), named(figure, "bound, n e^(-2Tg²)")
    assert run.y.tolist() == wrong[::2].tolist()
    assert run.x.tolist() == bound.x.tolist()
    assert (run.y <= bound.y).all()


def test_both_themes():
    check_themes(lambda theme: figures.boosting_errors(20, 0.3, {"a": [3, 2, 1]}, theme=theme))


def test_refusals():
    with pytest.raises(BadParameter, match="edge must be"):
        boosting_errors(20, 0.5)
    with pytest.raises(BadParameter, match="run must be a sequence of at least 1 finite number"):
        boosting_errors(20, 0.1, {"run": []})
