"""What its training rows promise about a support vector machine with a kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from assay.errors import BadData
from assay.guarantees.assumption import Assumption
from assay.kernels import Gaussian, Laplacian, Normalized, Precomputed
from assay.learners.common.sign_labels import signs_of
from assay.learners.common.training_promises import (
    TrainingFacts,
    TrainingPromises,
    features_fixed,
    kernel_margins,
    read_from_rows,
    settings_fixed,
)
from assay.learners.kernel.binary_machine import dual_of, hinge, part_of
from assay.learners.kernel.examples import are_strings, read_sample
from assay.learners.kernel.gram import Gram, scores
from assay.learners.kernel.proven_gap import proven_gap
from assay.learners.kernel.smooth_losses import FOR_CLASSES
from assay.learners.search.near_minimiser import NearMachine, intercepts, kept_rows, reach_of
from assay.types import Array, Floats, Ints

_ANOTHER = "training_promises needs the very sample that fit was given; this is another."
_CHANGED = (
    "training_promises needs the parameters that fit was given: the machine was fitted with {0!r}, and its parameters "
    "now say {1!r}. Set them back, or fit again."
)
# Kernels with k(x, x) = 1 for every x.
_ONE_LENGTH = (Gaussian, Laplacian, Normalized)
# To how many digits the search is made again: each costs a few more rounds, and tells more rows from the margin.
_TOLERANCE = 1e-8
# Losses that are zero beyond a margin of one.
_ZERO_BEYOND = ("squared_hinge", "modified_huber")


def _dense(coefficients: Any) -> Floats:
    return np.asarray(coefficients.toarray() if sparse.issparse(coefficients) else coefficients)


class _Sample:
    """The sample of a fitted machine, read once more.

    Parameters
    ----------
    model : SVC or KernelMachine
    X, labels : array
        The rows in double precision, and what they are called.
    vectors, columns : array
        The rows that the machines are sums over, and their places in the sample.
    """

    def __init__(self, model: Any, X: Any, labels: Array, vectors: Any, columns: Any) -> None:
        self.model, self.kernel, self.X, self.labels = model, model.kernel_, X, labels
        self.vectors, self.columns = vectors, columns
        self.dual = _dense(model.dual_coef_)
        self.scores = self.sums(self.dual)  # of every machine, without intercept
        self.squares = np.asarray(self.kernel.diagonal(X), dtype=np.float64)

    @cached_property
    def lengths(self) -> Floats:
        """Of the rows in feature space; only asked for where there is one, since squares are negative else."""
        return np.sqrt(self.squares)

    def sums(self, coefficients: Floats) -> Floats:
        """The sums of coefficient times kernel; of a precomputed one the values are columns of X."""
        if isinstance(self.kernel, Precomputed):
            return np.asarray(self.X[:, self.columns] @ coefficients.T)
        return scores(self.kernel, self.X, self.vectors, coefficients)

    def margins(self) -> Floats:
        """Those of the only machine."""
        raise NotImplementedError

    def near(self) -> list[NearMachine]:
        """All machines, and how far each is from the one of least loss."""
        raise NotImplementedError


class _Again(_Sample):
    """The sample of a support vector machine, and the search made again to more digits."""

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        # A machine of its own: reading a sample writes down what its classes are.
        self.twin = clone(model).set_params(tol=_TOLERANCE, max_iter=-1)
        now, X, self.codes, self.caps = self.twin._sample(X, y, None)
        if repr(now) != repr(model.kernel_) and not read_from_rows(model):
            raise BadData(_CHANGED.format(model.kernel_, now))
        same = self.twin.classes_.tolist() == model.classes_.tolist()
        if not (same and model._has_support_in(X)):
            raise BadData(_ANOTHER)
        X, vectors = (
            rows if are_strings(rows) else rows.astype(np.float64)
            for rows in (X, model.support_vectors_)
        )
        super().__init__(model, X, np.asarray(y), vectors, model.support_)

    def beta(self, column: int) -> Floats:
        """The coefficient of every row in one machine."""
        beta = np.zeros(len(self.codes))
        beta[self.columns] = self.dual[column]
        return beta

    def margins(self) -> Floats:
        """Those of the only machine."""
        beta, own, free = self.beta(0), self.scores[:, 0], float(self.model.intercept_[0])
        signed = np.where(self.codes == 1, 1.0, -1.0) * (own + free)
        sizes = (np.abs(beta) * self.lengths)[beta != 0]
        return kernel_margins(signed, float(beta @ own), self.squares, sizes, free)

    def near(self) -> list[NearMachine]:
        """All machines, searched for again."""
        problems = self.twin._problems(self.codes, self.caps)
        return [self._machine(column, *problem) for column, problem in enumerate(problems)]

    def _machine(self, column: int, rows: Ints, signs: Floats) -> NearMachine:
        part, caps = part_of(self.kernel, self.X, rows), self.caps[rows]
        lengths = self.lengths[rows]
        dual, gram = dual_of(signs, caps), Gram(self.kernel, part, single=False)
        best = self.twin._search(dual, gram)
        exact = np.zeros(len(rows))
        free = float(np.mean(intercepts(best.scores, exact, signs, caps)))
        gap = proven_gap(dual, best, gram, free, partial(hinge, signs), caps).excess
        # Of a hard margin, the machine that no row is too near to: the search allows some to be, by its tolerance.
        hard = not np.isfinite(caps).all()
        scale = 1 / max(1e-9, float((signs * (best.scores + free)).min())) if hard else 1.0
        beta, near, free = scale * best.beta, scale * best.scores, scale * free
        reach = reach_of(gap)
        low, high = intercepts(near, reach * lengths, signs, caps)
        own = self.beta(column)[rows] - beta
        change = self.scores[rows, column] - near
        noise = 1e-13 * float(np.abs(own) @ (np.abs(change) + np.abs(near)))
        moved = math.sqrt(max(0.0, float(own @ change)) + noise)
        intercept = float(self.model.intercept_[column])
        return NearMachine(
            rows=rows,
            signs=signs,
            scores=near + free,
            below=reach * lengths + np.where(signs > 0, free - low, high - free),
            weights=reach + moved * (1 + 1e-9),
            intercept=max(abs(intercept - low), abs(intercept - high)),
            gap=gap,
        )


class _AsFound(_Sample):
    """The sample of a machine whose distance from the least loss its gradient tells."""

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        X, y = read_sample(model, X, y, reset=False, dtype=np.float64)
        vectors, labels, classes = getattr(model, "X_fit_", X), np.asarray(y), model.classes_
        if X.shape != vectors.shape or (vectors != X).sum():
            raise BadData(_ANOTHER)
        super().__init__(model, X, labels, vectors, slice(None))
        positive, kind = classes[1:] if len(classes) == 2 else classes, np.dtype(np.float64)
        self.signs = np.array([signs_of(labels, one, classes, kind) for one in positive])

    def margins(self) -> Floats:
        """Those of the only machine."""
        [beta], own = self.dual, self.scores[:, 0]
        sizes = np.abs(beta) * self.lengths
        return kernel_margins(self.signs[0] * own, float(beta @ own), self.squares, sizes)

    def near(self) -> list[NearMachine]:
        """The machines themselves.

        The objective bends by twice the penalty at least, so the distance is at most the length of the gradient
        over that; and half its square times that is the gap.
        """
        loss, bend = FOR_CLASSES[self.model.loss], 2 * float(self.model.alpha)
        pairs = zip(self.signs, self.scores.T, strict=True)
        slopes = np.array([loss.slope(y, f) for y, f in pairs])
        pulls = bend * self.dual
        rests = slopes + pulls
        products = self.sums(rests)
        machines = []
        for column, rest in enumerate(rests):
            steep = math.sqrt(max(0.0, float(rest @ products[:, column])))
            sizes = np.abs(slopes[column]) + np.abs(pulls[column])
            size = float(np.sum(sizes * self.lengths))
            reach = (steep + 2.0**-52 * (len(rest) + 64) * size) / bend
            near = NearMachine(
                rows=np.arange(len(rest)),
                signs=self.signs[column],
                scores=self.scores[:, column],
                below=reach * self.lengths,
                weights=reach,
                intercept=0.0,
                gap=0.5 * bend * reach**2,
            )
            machines.append(near)
        return machines


class SupportPromises(TrainingPromises):
    """By the rows that do not clear the margin; of two classes also by the margins in feature space."""

    _sample_again: Callable[..., _Sample] = _Again
    #: Whether the loss is zero beyond the margin, so that the rows below it alone give the machine again.
    _keeps_few = True

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        sample = type(self)._sample_again(self, X, y)
        rows, two = len(sample.labels), len(self.classes_) == 2  # type: ignore[attr-defined]
        facts = TrainingFacts(rows, trusted=self._trusted)  # type: ignore[attr-defined]
        if hasattr(
            self, "defect_"
        ):  # without a feature space nothing is wide, and every row may count
            support = rows if self._keeps_few else None
            return replace(facts, margins=np.zeros(rows) if two else None, support=support)
        known = (features_fixed(read_from_rows(self, sample.X)),)
        facts = replace(facts, margins=sample.margins() if two else None, known=known)
        if not self._keeps_few:
            return facts
        same = isinstance(sample.kernel, _ONE_LENGTH)
        support, least = kept_rows(sample.near(), sample.lengths, one_length=same)
        if facts.trusted and least.status != "violated":
            # A proof that the machine is near the minimiser needs a kernel; what it finds false stays so.
            least = Assumption(least.name, "assumed", f"if the kernel is one, {least.evidence}")
        fixed = settings_fixed(self, sample.X, sample.labels)
        return replace(facts, support=support, known=(*known, fixed, least))

    @property
    def _theorems(self) -> int:
        return 2 if self._keeps_few else 1


class KernelMachinePromises(SupportPromises):
    """The same of a machine of any loss: by the rows below the margin only if the loss is zero beyond it."""

    _sample_again = _AsFound

    @property
    def _keeps_few(self) -> bool:  # type: ignore[override]
        loss = self.loss  # type: ignore[attr-defined]
        return isinstance(loss, str) and loss in _ZERO_BEYOND
