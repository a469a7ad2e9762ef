"""What a support vector machine promises, from its record."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from assay import SVC
from assay.guarantees.kernel_machines import machine_guarantees
from assay.kernels import Linear
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


def test_every_theorem_of_margins_is_there():
    guarantees = machine_guarantees(replace(RECORD, weights=np.array([1.0, 0])))
    assert [g.theorem for g in guarantees] == THEOREMS
    assert all(g.holds is not False for g in guarantees)
    assert guarantees[-1].textbook == ("vc-halfspaces-affine", "3")
    assert guarantees[-1].witness == tuple(
        str(float(v)) if v else "0" for v in (1 / (1 - 1e-9), 0, -1 / (1 - 1e-9))
    )


def test_a_hard_margin_is_no_regularised_risk():
    guarantees = machine_guarantees(replace(RECORD, cost=math.inf))
    assert [g.theorem for g in guarantees] == [t for t in THEOREMS if "regularization" not in t]


def test_single_precision_says_nothing_about_the_class():
    guarantees = machine_guarantees(replace(RECORD, double=False))
    assert "vc-large-margin" not in [g.theorem for g in guarantees]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [0.01, 1.0, math.inf])
@pytest.mark.parametrize("seed", range(3))
def test_no_promise_breaks_on_any_fit(seed, C, kernel):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + (0.0 if math.isinf(C) else 0.5) * rng.normal(size=60) > 0, 1, 0)
    model = SVC(C=C, kernel=kernel, gamma=0.5).fit(X, y)
    guarantees = model.guarantees()
    assert {"svm-loo", "svm-duality-kkt", "svm-margin", "point-plane-distance"} <= {
        g.theorem for g in guarantees
    }
    assert all(g.holds is not False for g in guarantees)
    if kernel == "linear":
        # The distance by geometry: from the rows to their feet on the plane.
        w, b = model.coef_[0], model.intercept_[0]
        signed = np.where(y == 1, 1, -1) * (X @ w + b)
        worst = int(signed.argmin())
        foot = X[worst] - w * (X[worst] @ w + b) / (w @ w)
        distance = next(g for g in guarantees if g.theorem == "point-plane-distance")
        assert distance.value == pytest.approx(np.linalg.norm(X[worst] - foot), rel=1e-6)
        # No separator on a grid of directions is wider than is said.
        widest = next(g for g in guarantees if g.theorem == "svm-margin").value
        for angle in np.linspace(0, np.pi * 2, 400):
            along = X @ np.array([np.cos(angle), np.sin(angle)])
            assert (along[y == 1].min() - along[y == 0].max()) / 2 <= widest
