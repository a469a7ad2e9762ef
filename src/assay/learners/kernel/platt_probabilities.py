"""What a support vector classifier says of probabilities, where it was asked to learn them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from assay.errors import require
from assay.kernels import Kernel, Precomputed
from assay.learners.common import kinds
from assay.learners.kernel.binary_machine import dual_of, part_of
from assay.learners.kernel.gram import scores
from assay.learners.kernel.platt import coupled, platt_curve
from assay.learners.kernel.support import SupportVectorMachine, bias_of
from assay.types import Array, Floats, Ints


def _gives_probabilities(learner: PlattProbabilities) -> bool:
    if learner._asked_for_probabilities:
        return True
    raise AttributeError("predict_proba is not available when probability=False")


class PlattProbabilities(SupportVectorMachine):
    """Base of the classifiers whose machines can be given logistic curves."""

    state = kinds.declare(curves_=kinds.maybe(kinds.numbers("machines", 2)))

    classes_: Array
    multi_class: Any
    probability: Any
    random_state: Any
    curves_: Floats

    def _problems(self, codes: Ints, caps: Floats) -> list[tuple[Ints, Floats]]:
        """For each machine its examples and their labels, -1 and +1."""
        raise NotImplementedError

    def _require_known_probability(self) -> None:
        given = self.probability
        known = (
            isinstance(given, bool | np.bool_) or given == "deprecated"
        )  # scikit-learn's own default
        require(known, "probability", "True or False", given)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class in every row, from curves that were fitted to the scores of a split."""
        check_is_fitted(self, "dual_coef_")
        if not hasattr(self, "curves_"):
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False. Fit again."
            )
        a, b = self.curves_.T
        chances = expit(-(self._scores(X) * a + b))
        if len(self.classes_) == 2:
            return np.column_stack([1 - chances[:, 0], chances[:, 0]])
        if self.multi_class == "ovo":
            return coupled(chances, len(self.classes_))
        chances = np.maximum(chances, np.finfo(np.float64).tiny)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @property
    def probA_(self) -> Floats:
        """The a of each machine's logistic curve; empty without `probability`."""
        return self.curves_[:, 0].copy() if hasattr(self, "curves_") else np.empty(0)

    @property
    def probB_(self) -> Floats:
        """The b of each machine's logistic curve; of two classes that of the first."""
        if not hasattr(self, "curves_"):
            return np.empty(0)
        return (-1.0 if len(self.classes_) == 2 else 1.0) * self.curves_[:, 1]

    @property
    def _asked_for_probabilities(self) -> bool:
        return self.probability is not False and self.probability != "deprecated"

    def _curves(self, kernel: Kernel, X: Any, codes: Ints, caps: Floats) -> Floats:
        """The logistic curve of every machine, from the scores that each fifth of its rows is given by the others."""
        random, curves = check_random_state(self.random_state), []
        for members, signs in self._problems(codes, caps):
            left_out = np.zeros(len(members))
            for fifth in np.array_split(random.permutation(len(members)), min(5, len(members))):
                kept = np.setdiff1d(np.arange(len(members)), fifth)
                left_out[fifth] = self._scored_by(kernel, X, members, signs, caps, kept, fifth)
            curves.append(platt_curve(left_out, signs))
        return np.array(curves)

    def _scored_by(
        self,
        kernel: Kernel,
        X: Any,
        members: Ints,
        signs: Floats,
        caps: Floats,
        kept: Ints,
        others: Ints,
    ) -> Floats:
        """What a machine learned from some members of a problem says of others."""
        if len(np.unique(signs[kept])) < 2:  # it would call all of them that
            return np.full(len(others), signs[kept][0] if len(kept) else 0.0)
        rows, far = members[kept], members[others]
        gram = self._gram(kernel, part_of(kernel, X, rows))
        dual = dual_of(signs[kept], caps[rows])
        best = self._search(dual, gram)
        if isinstance(kernel, Precomputed):
            values = X[far][:, rows]
            sums = np.asarray(values @ best.beta)
        else:
            sums = scores(kernel, X[far], X[rows], best.beta[None])[:, 0]
        return np.asarray(sums + bias_of(dual, best))
