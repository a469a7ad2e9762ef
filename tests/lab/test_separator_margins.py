"""Two margins of a separator: closed forms of both kinds of target, mistakes within the bound, a figure, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import Perceptron, Winnow, figures, separator_margins
from assay.errors import BadData, BadParameter
from tests.report.figures.samples import check_themes


def disjunction(features, literals=2, rows=200, seed=0):
    X = np.random.default_rng(seed).integers(0, 2, size=(rows, features)).astype(float)
    X[0], X[1] = 1.0, 0.0
    w = np.zeros(features)
    w[:literals] = 1.0
    return w, X, (X @ w > 0).astype(int)


def test_a_short_disjunction_speaks_for_winnow():
    w, X, y = disjunction(256)
    margins = separator_margins(w, X, y, intercept=-0.5)
    # alpha = 1/2, ||w||_1 = 2.5, ||w||_2^2 = 2.25, ||x||_2^2 = 257, ||x||_inf = 1.
    assert margins.additive == pytest.approx(0.5 / 2.5)
    assert margins.euclidean == pytest.approx(0.5 / np.sqrt(2.25 * 257))
    assert margins.features == 257
    assert margins.favours == "winnow"
    assert margins.perceptron == int(1 / margins.euclidean**2 * (1 + 1e-8))


def test_a_dense_separator_of_sparse_rows_speaks_for_the_perceptron():
    X = np.vstack([np.eye(64), -np.eye(64)])
    margins = separator_margins(np.ones(64), X, np.repeat([1, 0], 64))
    assert margins.favours == "perceptron"
    assert margins.perceptron == 64  # 1 / (1/8)^2
    model = Perceptron(fit_intercept=False).fit(X, np.repeat([1, 0], 64))
    assert model.record_.mistakes <= margins.perceptron
    # A perceptron errs on every one of orthogonal rows that it meets with the wrong side: no smaller bound is true.
    one = Perceptron(fit_intercept=False, max_iter=1).fit(
        np.eye(64) * np.where(np.arange(64), -1.0, 1.0)[:, None], np.r_[1, np.zeros(63)]
    )
    assert one.record_.mistakes > 0.9 * margins.perceptron


def test_the_figure_with_mistakes_that_were_made():
    widths = (16, 64, 256)
    results, seen = [], {"Perceptron": [], "Winnow": []}
    for d in widths:
        w, X, y = disjunction(d)
        results.append(separator_margins(w, X, y, intercept=-0.5))
        seen["Perceptron"].append(Perceptron(max_iter=1).fit(X, y).record_.mistakes)
        seen["Winnow"].append(Winnow(max_iter=1).fit(X, y).record_.mistakes)
    figure = figures.two_margins(results, seen=seen, target="a disjunction of two")
    assert len(figure.data) == 4
    assert figure.layout.title.subtitle.text.endswith("the smaller one is that of Winnow")
    check_themes(lambda theme: figures.two_margins(results, theme=theme))


def test_refusals():
    X = [[1.0], [-1.0]]
    cases = [
        (
            ([1.0, 2.0], X, [1, 0]),
            BadParameter,
            "w must be one finite number for each of 1 features, but is [1.0, 2.0].",
        ),
        (
            ([-1.0], X, [1, 0]),
            BadData,
            "w does not separate these rows: it has no margin. Give one with y (w . x) above zero.",
        ),
        (([1.0], X, [1, 1]), BadData, "A separator tells two classes apart, but there are 1."),
    ]
    for given, error, sentence in cases:
        with pytest.raises(error, match=f"^{re.escape(sentence)}$"):
            separator_margins(*given)
