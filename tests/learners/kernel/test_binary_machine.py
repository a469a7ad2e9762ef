"""One machine of a classifier: its part of the sample, its dual, its record, its promises."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from assay import SVC
from assay.guarantees.kernel_machines import machine_guarantees
from assay.kernels import Gaussian, Linear, Precomputed
from assay.learners.kernel.binary_machine import dual_of, part_of
from assay.record.margin import SupportMachineRecord

RECORD = SupportMachineRecord(
    *(4, 2, 0, 0.5, 0.5, 0.0, 1.0, 1.0, 3, 1),
    slack=0.0,
    rounding=1e-12,
    floor=0.5,
    radius=3.0,
    cost=2.0,
    tolerance=1e-3,
    bias=-1.0,
    kernel=Linear(),
)
THEOREMS = [
    "svm-duality-kkt",
    "svm-duality-kkt",
    "svm-margin",
    "point-plane-distance",
    "svm-regularization-equivalence",
    "vc-large-margin",
]


def test_a_part_of_a_given_matrix_has_fewer_columns_too():
    K, some = np.arange(9.0).reshape(3, 3), np.array([0, 2])
    assert part_of(Precomputed(), K, some).tolist() == [[0, 2], [6, 8]]
    assert part_of(Gaussian(1.0), K, some).tolist() == [[0, 1, 2], [6, 7, 8]]
    assert part_of(Linear(), K, np.arange(3)) is K


def test_variables_lie_on_the_side_of_their_label():
    dual = dual_of(np.array([1.0, -1, 1]), np.array([2.0, 3, math.inf]))
    assert dual.lower.tolist() == [0, -3, 0]
    assert dual.upper.tolist() == [2, 0, math.inf]


def test_every_theorem_of_margins_is_there():
    found = machine_guarantees(replace(RECORD, weights=np.array([1.0, 0])))
    assert [g.theorem for g in found] == THEOREMS
    assert all(g.holds is not False for g in found)
    assert found[-1].textbook == ("vc-halfspaces-affine", "3")
    assert found[-1].witness == tuple(
        str(float(v)) if v else "0" for v in (1 / (1 - 1e-9), 0, -1 / (1 - 1e-9))
    )


def test_a_hard_margin_is_no_regularised_risk():
    found = machine_guarantees(replace(RECORD, cost=math.inf))
    assert [g.theorem for g in found] == [t for t in THEOREMS if "regularization" not in t]


def test_single_precision_says_nothing_about_the_class():
    found = machine_guarantees(replace(RECORD, double=False))
    assert "vc-large-margin" not in [g.theorem for g in found]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [0.01, 1.0, math.inf])
@pytest.mark.parametrize("seed", range(3))
def test_no_promise_breaks_on_any_fit(seed, C, kernel):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + (0.0 if math.isinf(C) else 0.5) * rng.normal(size=60) > 0, 1, 0)
    model = SVC(C=C, kernel=kernel, gamma=0.5).fit(X, y)
    found = model.guarantees()
    assert {"svm-loo", "svm-duality-kkt", "svm-margin", "point-plane-distance"} <= {
        g.theorem for g in found
    }
    assert all(g.holds is not False for g in found)
    if kernel == "linear":
        # The distance by geometry: from the rows to their feet on the plane.
        w, b = model.coef_[0], model.intercept_[0]
        signed = np.where(y == 1, 1, -1) * (X @ w + b)
        worst = int(signed.argmin())
        foot = X[worst] - w * (X[worst] @ w + b) / (w @ w)
        told = next(g for g in found if g.theorem == "point-plane-distance")
        assert told.value == pytest.approx(np.linalg.norm(X[worst] - foot), rel=1e-6)
        # No separator on a grid of directions is wider than is said.
        widest = next(g for g in found if g.theorem == "svm-margin").value
        for angle in np.linspace(0, np.pi * 2, 400):
            along = X @ np.array([np.cos(angle), np.sin(angle)])
            assert (along[y == 1].min() - along[y == 0].max()) / 2 <= widest
