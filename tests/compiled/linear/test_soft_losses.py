from __future__ import annotations

import mpmath
import numpy as np
import pytest

from assay.compiled.linear.soft_losses import entropies, soft_losses


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("size", [1e-6, 1.0, 30.0, 600.0])
def test_against_sixty_digits(classes, size):
    rng = np.random.default_rng(classes)
    scores, places = rng.normal(size=(40, classes)) * size, rng.integers(classes, size=40)
    chances, losses, entropy = np.empty_like(scores), np.empty(40), np.empty(40)
    soft_losses(scores, places, chances, losses)
    entropies(chances, entropy)
    with mpmath.workdps(60):
        for row, place, p, loss, uncertain in zip(
            scores.tolist(), places, chances, losses, entropy, strict=True
        ):
            total = mpmath.fsum(mpmath.exp(s) for s in row)
            exact = [mpmath.exp(s) / total for s in row]
            # What taking the largest score away rounds is a share of the chance.
            share = 1e-15 + 2.0**-53 * (max(row) - min(row))
            assert all(
                abs(a - b) <= share * b + 1e-300 for a, b in zip(p.tolist(), exact, strict=True)
            )
            assert abs(loss + mpmath.log(exact[place])) <= 1e-15 * (abs(loss) + max(map(abs, row)))
            meant = -mpmath.fsum(q * mpmath.log(q) for q in p.tolist() if q > 0)
            assert abs(uncertain - meant) <= 1e-15 * classes


def test_a_row_that_is_surely_right_costs_a_little():
    # 1 + e^-50 is one, but the loss is not nothing.
    losses = np.empty(1)
    soft_losses(np.array([[0.0, 50.0]]), np.array([1]), np.empty((1, 2)), losses)
    assert losses[0] == pytest.approx(np.exp(-50.0), rel=1e-15)
