"""What its training rows promise about a support vector machine with a kernel."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.errors import BadData
from assay.guarantees.assumption import Assumption
from assay.kernels import Gaussian, Kernel, Laplacian, Normalized, Precomputed
from assay.learners.common.sign_labels import signs_of
from assay.learners.common.training_promises import (
    TrainingFacts,
    TrainingPromises,
    features_fixed,
    kernel_margins,
    read_from_rows,
    settings_fixed,
)
from assay.learners.kernel.binary_machine import dual_of, part_of
from assay.learners.kernel.examples import are_strings, read_sample
from assay.learners.kernel.gram import Gram, scores
from assay.learners.kernel.proven_gap import proven_gap
from assay.learners.kernel.smooth_losses import FOR_CLASSES
from assay.learners.kernel.trust import taken_on_trust
from assay.learners.search.near_minimiser import NearMachine, intercepts, kept_rows, reach_of
from assay.types import Floats, Ints

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


class SupportPromises(TrainingPromises):
    """By the rows that do not clear the margin; of two classes also by the margins in feature space."""

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        machine = _Again(self, X, y)
        trusted = taken_on_trust(machine.kernel, getattr(self, "defect_", None))
        if hasattr(self, "defect_"):
            two = len(self.classes_) == 2  # type: ignore[attr-defined]
            return _without_space(len(machine.codes), trusted, margins=two, support=True)
        lengths = np.sqrt(machine.squares)
        same = isinstance(machine.kernel, _ONE_LENGTH)
        support, least = kept_rows(machine.near(), lengths, one_length=same)
        fixed = settings_fixed(self, machine.X, np.asarray(y))
        read = read_from_rows(self, machine.X)
        known = (fixed, _if_kernel(least, trusted), features_fixed(read))
        margins = machine.margins() if len(self.classes_) == 2 else None  # type: ignore[attr-defined]
        return TrainingFacts(
            len(machine.codes), margins=margins, support=support, known=known, trusted=trusted
        )

    @property
    def _theorems(self) -> int:
        return 2


def _without_space(
    rows: int, trusted: tuple[Assumption, ...], *, margins: bool, support: bool
) -> TrainingFacts:
    """Of a machine whose kernel is none: nothing is wide, and every row may count."""
    return TrainingFacts(
        rows,
        margins=np.zeros(rows) if margins else None,
        support=rows if support else None,
        trusted=trusted,
    )


def _if_kernel(least: Assumption, trusted: tuple[Assumption, ...]) -> Assumption:
    """A proof that the machine is near the minimiser needs a kernel; what it finds false stays so."""
    if not trusted or least.status == "violated":
        return least
    return Assumption(least.name, "assumed", f"if the kernel is one, {least.evidence}")


class _Again:
    """The sample of a fitted machine, read once more, and the search made again to more digits."""

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        self.model = model
        # A machine of its own: reading a sample writes down what its classes are.
        self.twin = clone(model).set_params(tol=_TOLERANCE, max_iter=-1)
        now, X, self.codes, self.caps = self.twin._sample(X, y, None)
        kernel: Kernel = model.kernel_
        if repr(now) != repr(kernel) and not read_from_rows(model):
            raise BadData(_CHANGED.format(kernel, now))
        self.kernel = kernel
        same = self.twin.classes_.tolist() == model.classes_.tolist()
        if not (same and model._has_support_in(X)):
            raise BadData(_ANOTHER)
        self.X, vectors = _in_double(X), _in_double(model.support_vectors_)
        # Of every machine, without intercept.
        self.scores = _sums(kernel, self.X, vectors, model.dual_coef_, model.support_)
        self.squares = np.asarray(kernel.diagonal(self.X), dtype=np.float64)

    def beta(self, column: int) -> Floats:
        """The coefficient of every row in one machine."""
        found = np.zeros(len(self.codes))
        found[self.model.support_] = self.model.dual_coef_[column]
        return found

    def margins(self) -> Floats:
        """Those of the only machine."""
        beta, free = self.beta(0), float(self.model.intercept_[0])
        signed = np.where(self.codes == 1, 1.0, -1.0) * (self.scores[:, 0] + free)
        sizes = np.abs(beta) * np.sqrt(self.squares)
        square = float(beta @ self.scores[:, 0])
        return kernel_margins(signed, square, self.squares, sizes[beta != 0], free)

    def near(self) -> list[NearMachine]:
        """All machines, searched for again."""
        problems = self.twin._problems(self.codes, self.caps)
        return [self._machine(column, *problem) for column, problem in enumerate(problems)]

    def _machine(self, column: int, rows: Ints, signs: Floats) -> NearMachine:
        part, caps = part_of(self.kernel, self.X, rows), self.caps[rows]
        lengths = np.sqrt(self.squares[rows])
        dual, gram = dual_of(signs, caps), Gram(self.kernel, part, single=False)
        found = self.twin._search(dual, gram)
        exact = np.zeros(len(rows))
        free = float(np.mean(intercepts(found.scores, exact, signs, caps)))
        losses = partial(_hinge, signs)
        gap = proven_gap(dual, found, gram, part, free, losses, caps).excess
        # Of a hard margin, the machine that no row is too near to: the search allows some to be, by its tolerance.
        hard = not np.isfinite(caps).all()
        scale = 1 / max(1e-9, float((signs * (found.scores + free)).min())) if hard else 1.0
        beta, near, free = scale * found.beta, scale * found.scores, scale * free
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


def _hinge(signs: Floats, scores: Floats) -> Floats:
    return np.maximum(0.0, 1.0 - signs * scores)


class KernelMachinePromises(TrainingPromises):
    """By the margins of two classes; and by the rows below the margin, if the loss is zero beyond it."""

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        model: Any = self
        X, labels = read_sample(self, X, y, reset=False, dtype=np.float64)
        labels = np.asarray(labels)
        kernel, coefficients = model.kernel_, model.dual_coef_
        if not (isinstance(kernel, Precomputed) or _same(X, model.X_fit_)):
            raise BadData(_ANOTHER)
        signs, found = self._signed(labels), _of_machine(model, X, coefficients)
        squares = np.asarray(kernel.diagonal(X), dtype=np.float64)
        trusted = taken_on_trust(kernel, getattr(self, "defect_", None))
        if hasattr(self, "defect_"):
            return _without_space(
                len(labels), trusted, margins=signs is not None, support=model.loss in _ZERO_BEYOND
            )
        read = features_fixed(read_from_rows(self, X))
        facts = TrainingFacts(len(labels), known=(read,), trusted=trusted)
        if signs is not None:
            sizes = np.abs(coefficients[0]) * np.sqrt(squares)
            square = float(coefficients[0] @ found[:, 0])
            margins = kernel_margins(signs * found[:, 0], square, squares, sizes)
            facts = replace(facts, margins=margins)
        if model.loss not in _ZERO_BEYOND:
            return facts
        lengths, same = np.sqrt(squares), isinstance(kernel, _ONE_LENGTH)
        machines = _as_found(model, X, labels, found, lengths)
        support, least = kept_rows(machines, lengths, one_length=same)
        fixed, least = settings_fixed(self, X, labels), _if_kernel(least, trusted)
        return replace(facts, support=support, known=(*facts.known, fixed, least))

    @property
    def _theorems(self) -> int:
        loss = self.loss  # type: ignore[attr-defined]
        return 2 if isinstance(loss, str) and loss in _ZERO_BEYOND else 1


def _as_found(model: Any, X: Any, labels: Any, given: Floats, lengths: Floats) -> list[NearMachine]:
    """The machines themselves: how far each is from the least loss, the gradient tells.

    The objective bends by twice the penalty at least, so the distance is at most the length of the gradient
    over that; and half its square times that is the gap.
    """
    loss, bend = FOR_CLASSES[model.loss], 2 * float(model.alpha)
    classes = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    kind = np.dtype(np.float64)
    signs = np.array([signs_of(labels, one, model.classes_, kind) for one in classes])
    slopes = np.array([loss.slope(y, f) for y, f in zip(signs, given.T, strict=True)])
    rests = slopes + bend * model.dual_coef_
    products = _of_machine(model, X, rests)
    found = []
    for column, (y, rest) in enumerate(zip(signs, rests, strict=True)):
        steep = math.sqrt(max(0.0, float(rest @ products[:, column])))
        size = float(
            np.sum((np.abs(slopes[column]) + bend * np.abs(model.dual_coef_[column])) * lengths)
        )
        reach = (steep + 2.0**-52 * (len(rest) + 64) * size) / bend
        near = NearMachine(
            rows=np.arange(len(labels)),
            signs=y,
            scores=given[:, column],
            below=reach * lengths,
            weights=reach,
            intercept=0.0,
            gap=0.5 * bend * reach**2,
        )
        found.append(near)
    return found


def _of_machine(model: Any, X: Any, coefficients: Floats) -> Floats:
    """The scores of the sample by its own rows with these coefficients."""
    return _sums(model.kernel_, X, getattr(model, "X_fit_", X), coefficients, slice(None))


def _sums(kernel: Kernel, X: Any, vectors: Any, coefficients: Floats, columns: Any) -> Floats:
    """The sums over some rows of coefficient times kernel; of a precomputed one they are columns of X."""
    if isinstance(kernel, Precomputed):
        return np.asarray(X[:, columns] @ coefficients.T)
    return scores(kernel, X, vectors, coefficients)


def _in_double(X: Any) -> Any:
    return X if are_strings(X) else X.astype(np.float64)


def _same(X: Any, other: Any) -> bool:
    return X.shape == other.shape and bool((other != X).sum() == 0)
