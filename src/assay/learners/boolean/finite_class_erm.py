"""The best concept of a finite class on a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.compiled.boolean.concept_words import add_errors
from assay.errors import BadData
from assay.guarantees.formula import finite_class_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.batch import BatchBooleanClassifier
from assay.learners.boolean.builds_class import BuildsClass
from assay.learners.boolean.concept_class import ConceptClass
from assay.learners.boolean.online import BooleanPlayer
from assay.learners.boolean.version_space import weights_of
from assay.learners.boolean.words import blocks, label_word
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.rows import Rows
from assay.learners.registry import register
from assay.record.boolean import LONGEST_WORD
from assay.record.formula import FiniteClassRecord
from assay.theory.needs import inside_unit
from assay.theory.rounding import Number
from assay.types import Floats, Ints


@register(
    "finite-class-erm",
    use="the best rule of a list of yours",
    promise="bounds the error of every rule at once",
)
@dataclass(eq=False, repr=False)
class FiniteClassERM(BuildsClass, BatchBooleanClassifier):
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
    record_ : FiniteClassRecord
        Errors on the sample, and the size of the class.

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

    state = kinds.declare(bits_=kinds.optional(kinds.count))
    later_state: ClassVar[Any] = {"bits_": lambda model: model._bits()}

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
        self.bits_ = self._bits()
        return self

    def _bits(self) -> int | None:
        """The length of the concept chosen, where a code chose it."""
        if self.code is None:
            return None
        chosen = self._chosen()
        return LONGEST_WORD - int(weights_of(self.code, chosen.built)[chosen.best]).bit_length() + 1

    def _begin(self, width: int, dtype: np.dtype[Any]) -> ErrorsPlayer:
        return ErrorsPlayer(width, self._build_class(max(width, 1)))

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

    @property
    def record_(self) -> FiniteClassRecord:
        """What the fit left behind."""
        chosen = self._chosen()
        errors = int(chosen.errors[chosen.best])
        return FiniteClassRecord(self.rows_, errors, chosen.built.size, self.bits_)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the theorems promise, each with its own failure probability.

        The error, exactly; without errors on the sample also by the textbook's theorem, and with a
        code also by the length of the description. Then how far any concept is from its share of
        errors on the sample, and how much worse than the best of its class the chosen one can be.
        """
        return finite_class_guarantees(self.record_, terms.delta, terms.get("excess"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class ErrorsPlayer(BooleanPlayer):
    """The errors of every concept on a sample, and which one was chosen."""

    # The class follows from the learner's parameters, so it is not saved: see `BuildsClass`.
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
