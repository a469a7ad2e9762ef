"""The best concept of a finite class on a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.compiled.boolean.concept_words import add_errors
from assay.errors import BadData
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.decimals import decimal_ratio, decimal_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.batch import BatchBooleanClassifier
from assay.learners.boolean.concept_class import ConceptClass
from assay.learners.boolean.concepts import build
from assay.learners.boolean.online import BooleanPlayer
from assay.learners.boolean.version_space import weights_of
from assay.learners.boolean.words import blocks, label_word
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.rows import Rows
from assay.learners.registry import register
from assay.theory.generalization.finite_class import (
    CONSISTENT,
    FIXED_CLASS,
    agnostic_erm_finite,
    uniform_convergence_finite,
)
from assay.theory.generalization.occam import FIXED_LANGUAGE
from assay.theory.needs import inside_unit
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.exact_twins import CLASS_FIXED, CODE_FIXED
from assay.theory.tail.hoeffding import INDEPENDENT_DRAWS
from assay.types import Floats, Ints


@register("finite-class-erm")
@dataclass(eq=False, repr=False)
class FiniteClassERM(BatchBooleanClassifier):
    r"""The concept of a finite class that errs least on the sample; no target is assumed.

    Its error is at most its share of errors on the sample plus
    :math:`\sqrt{(\ln|H|+\ln\frac1\delta)/(2m)}`, and at most twice the two-sided form of that above the
    smallest in the class (``uniform-convergence-finite``, ``representative-sample-erm``,
    ``agnostic-erm-finite``); the exact binomial form is smaller still (``finite-class-exact``). With a code,
    the concept is chosen for which errors and description together promise most (``regularized-occam``).

    Parameters
    ----------
    concepts : str, dict, list of functions or array, default="disjunctions"
        The class, as for `Halving`.
    code : None, "size" or array of int, default=None
        The bits of each concept in a prefix-free code, as for `Halving`.
    delta : number, default=0.05
        With a code, the failure probability for which the concept is chosen.

    Attributes
    ----------
    classes_ : array
        The two labels; the second one is the positive one.
    formula_ : str
        The concept chosen, as text; of equally good ones the first.
    concept_ : int
        Its place in the class.
    errors_ : array of int
        The errors of every concept on the sample.
    rows_ : int
        The size of the sample.

    References
    ----------
    .. [1] Shalev-Shwartz & Ben-David, Understanding Machine Learning, chapter 4.
    .. [2] Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import FiniteClassERM
    >>> from assay.learners.boolean.concepts import stumps
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((1000, 3))
    >>> y = (X[:, 1] >= 0.4) ^ (rng.random(1000) < 0.1)
    >>> model = FiniteClassERM(stumps(np.arange(0.1, 1, 0.1))).fit(X, y)
    >>> model.formula_
    'x1 >= 0.4'
    >>> print(model.guarantees()[0])
    error: at most 0.129417, observed 0.097, failing with probability at most 0.05, by finite-class-exact
    """

    #: The excess over the best of the class, for which to ask whether the sample is large enough.
    declares = ("excess",)

    concepts: Any = "disjunctions"
    code: Any = None
    delta: Number = 0.05

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Count the errors of every concept and choose the best.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        rows, labels = self._sample(X, y)
        if len(self.classes_) > 2:
            raise BadData(
                "Only binary classification is supported. The type of the target is multiclass: y holds "
                f"{len(self.classes_)} classes. Learn each class against the rest."
            )
        player = self._begin(rows.width, rows.dtype)
        self._require_cells(rows, player)
        everyone = np.arange(player.built.size)
        signs = np.where(labels == self.classes_[1], 1, -1)
        for start, block in blocks(rows, len(rows)):
            used = label_word(np.ones(len(block)))
            word = label_word(signs[start : start + len(block)])
            add_errors(player.built.words(block, everyone), word, used, player.errors)
        self.players_, self.rows_ = [player], len(labels)
        player.best = self._best(player.errors, player.built)
        return self

    def _begin(self, width: int, dtype: np.dtype[Any]) -> ErrorsPlayer:
        return ErrorsPlayer(width, build(self.concepts, max(width, 1)))

    def _best(self, errors: Ints, built: ConceptClass) -> int:
        """The fewest errors, or the least bound on the error."""
        delta = float(inside_unit("delta", self.delta).up())
        if self.code is None:
            return int(errors.argmin())
        weights = weights_of(self.code, built)
        nats = np.log(2.0) * (62 - np.log2(weights.astype(np.float64))) - np.log(delta)
        return int((errors / self.rows_ + np.sqrt(nats / (2 * self.rows_))).argmin())

    @property
    def errors_(self) -> Ints:
        """The errors of every concept on the sample."""
        return self._chosen().errors

    @property
    def concept_(self) -> int:
        """The place of the concept chosen."""
        return self._chosen().best

    def _chosen(self) -> ErrorsPlayer:
        check_is_fitted(self, "players_")
        player: ErrorsPlayer = self.players_[0]
        return player

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the theorems promise, each with its own failure probability.

        The error, exactly; without errors on the sample also by the textbook's theorem, and with a
        code also by the length of the description. Then how far any concept is from its share of
        errors on the sample, and how much worse than the best of its class the chosen one can be.
        """
        level, excess = terms.delta, terms.get("excess")
        built = self._chosen().built
        m, size = self.rows_, built.size
        errors = int(self.errors_[self.concept_])
        observed = decimal_ratio(errors, m)
        seen = f"errors on {errors} of {m} examples"
        known = [
            Assumption(INDEPENDENT_DRAWS, "assumed"),
            Assumption(FIXED_CLASS, "declared"),
            Assumption(CLASS_FIXED, "declared"),
            Assumption(FIXED_LANGUAGE, "declared"),
            Assumption(CODE_FIXED, "declared"),
            Assumption(CONSISTENT, "violated" if errors else "checked", seen),
        ]
        sample = {"rows": m, "delta": level}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("finite-class-exact", {"errors": errors, "class_size": size, **sample})
        ]
        if not errors:
            asked.append(("occam-finite-class", {"class_size": size, **sample}))
        if self.code is not None:
            weight = int(weights_of(self.code, built)[self.concept_])
            bits = 62 - weight.bit_length() + 1
            inputs = {"errors": errors, "bits": bits, "code": "prefix-free", **sample}
            asked.append(("regularized-occam", inputs))
        of_concept = [
            error_guarantee(theorem, inputs, observed=observed, known=known)
            for theorem, inputs in asked
        ]
        of_class = self._of_the_class(size, level, known)
        return of_concept + of_class + self._enough(size, level, excess)

    def _of_the_class(self, size: int, delta: Number, known: list[Assumption]) -> list[Guarantee]:
        every = error_guarantee(
            "uniform-convergence-finite",
            {"class_size": size, "rows": self.rows_, "delta": delta},
            of="difference between true error and share of errors, for every concept",
            formula="max_h |err_S(h) - err_D(h)|",
            known=known,
        )
        if self.code is not None:
            return [every]  # the concept chosen need not have the fewest errors
        slack = uniform_convergence_finite(size, self.rows_, delta)
        close, fewest = find_theorem("representative-sample-erm").assumes
        over = error_guarantee(
            "representative-sample-erm",
            {"slack": slack},
            of="excess over the smallest error in the class",
            formula="err_D(h) - min_H err_D",
            known=(
                Assumption(
                    close, "assumed", f"by {every.theorem}, failing with probability {delta}"
                ),
                Assumption(fewest, "by construction"),
            ),
        )
        return [every, replace(over, delta=every.delta, quantifier=every.quantifier)]

    def _enough(self, size: int, delta: Number, excess: Number | None) -> list[Guarantee]:
        if excess is None:
            return []
        rows = agnostic_erm_finite(size, excess, delta)
        draws, fixed, fewest = find_theorem("agnostic-erm-finite").assumes
        large = self.rows_ >= rows
        shown = decimal_text(excess) if not isinstance(excess, str) else excess
        return [
            guarantee(
                "agnostic-erm-finite",
                {"class_size": size, "excess": shown, "delta": str(delta)},
                of=f"rows for an excess of {shown} over the smallest error in the class",
                formula="the excess",
                form=f"err_D(h) <= min_H err_D + {shown}",
                assumptions=(
                    Assumption(draws, "assumed"),
                    Assumption(fixed, "declared"),
                    Assumption(fewest, "violated" if self.code is not None else "by construction"),
                    Assumption(
                        "the sample is that large",
                        "checked" if large else "violated",
                        f"{self.rows_} rows, of {rows} needed",
                    ),
                ),
                quantifier="probability over the examples",
            )
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class ErrorsPlayer(BooleanPlayer):
    """The errors of every concept on a sample, and which one was chosen."""

    # The class follows from the learner's parameters, so it is not saved.
    __slots__ = ("built",)
    arrays = ("weights", "bias", "errors")

    def __init__(self, width: int, built: ConceptClass) -> None:
        super().__init__(width, np.dtype(np.float64), constant=False)
        self.built = built
        self.errors = np.zeros(built.size, dtype=np.int64)
        self.best = 0

    @property
    def boolean(self) -> bool:  # type: ignore[override]
        """Whether features must be 0 or 1."""
        return self.built.boolean

    def formula(self, names: Sequence[Any] | None) -> str:
        """The concept chosen."""
        return self.built.formula(self.best, names)

    def scores(self, rows: Rows) -> Floats:
        """1 where the concept is true, -1 where not."""
        scores = np.empty(len(rows))
        for start, block in blocks(rows, len(rows)):
            [word] = self.built.words(block, np.array([self.best]))
            bits = (word >> np.arange(len(block), dtype=np.uint64)) & np.uint64(1)
            scores[start : start + len(block)] = np.where(bits == 1, 1.0, -1.0)
        return scores

    def _require_state(self) -> None:
        """Refuse, in a model file, a choice that is no concept of the class."""
        super()._require_state()
        if not 0 <= self.best < self.built.size:
            raise ValueError("the concept chosen is none of the class")
