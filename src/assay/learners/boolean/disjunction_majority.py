"""The weighted majority over all disjunctions of k features, one expert for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.boolean.concept_majority import majority_rounds, majority_votes
from assay.compiled.common.elementary import log, powers
from assay.errors import BadData
from assay.guarantees.boolean import majority_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.concept_class import OrClass
from assay.learners.boolean.concepts import MOST, masks_of, subsets
from assay.learners.boolean.online import BooleanPlayer, OnlineBooleanClassifier
from assay.learners.boolean.words import blocks, first_bad, label_word
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.registry import register
from assay.record.boolean import MajorityRecord
from assay.theory.needs import count, inside_unit
from assay.theory.tuning import WEIGHTED_MAJORITY_BETA
from assay.types import Array, Floats, Ints


@register(
    "disjunction-majority",
    use="an OR of few yes/no features, row by row",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class DisjunctionMajority(OnlineBooleanClassifier):
    r"""The weighted majority of all :math:`\binom dk` ORs of k features; the wrong ones lose a factor.

    It errs not much more often than the best of them, whatever the labels
    (``wm-k-disjunction-mistakes``); if one of them never errs, a multiple of :math:`k\ln(d/k)` times. Every
    prediction asks all :math:`\binom dk` experts: Winnow does nearly as well without.

    Parameters
    ----------
    literals : int, default=2
        The number k of features in each OR.
    beta : float, optional
        What the weight of an expert is multiplied by when it errs; 1/e when not given.
    max_iter : int, default=1
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, mistake by mistake, the total weight and the mistakes of the best expert.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one.
    formula_ : str, or tuple of str
        The best expert so far, as text; of several the first.
    n_iter_ : int
        Passes made.
    record_ : MajorityRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Littlestone & Warmuth (1994). The weighted majority algorithm.
    .. [2] Sakulwongtana, Supervised Learning (lecture notes), Remark 36.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import DisjunctionMajority
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 10))
    >>> model = DisjunctionMajority(literals=3).fit(X, X[:, 1] | X[:, 4] | X[:, 7])
    >>> model.formula_
    'x1 OR x4 OR x7'
    >>> print(model.guarantees()[0])
    mistakes: at most 12, observed 3, by wm-k-disjunction-mistakes
    """

    literals: int = 2
    beta: float | None = None
    max_iter: int = 1
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        k = count("literals", self.literals)
        if self.beta is not None:
            inside_unit("beta", self.beta)
        return MajorityPlayer(
            width, k, WEIGHTED_MAJORITY_BETA if self.beta is None else float(self.beta)
        )

    def _guarantees(
        self, record: MajorityRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return majority_guarantees(record, of)


class MajorityPlayer(BooleanPlayer):
    """The weighted majority on one binary problem: an expert's mistakes say what it weighs."""

    # The class follows from the learner's parameters, so it is not saved.
    __slots__ = ("built", "powers")
    arrays = ("weights", "bias", "errors")

    def __init__(self, width: int, k: int, beta: float) -> None:
        super().__init__(width, np.dtype(np.float64), constant=False)
        self.k, self.beta = k, beta
        self.powers = _powers(beta)
        self._build(width)

    def _require_state(self) -> None:
        """Refuse, in a model file, a factor that is none."""
        super()._require_state()
        if not 0 < self.beta < 1:
            raise ValueError("its factor of a mistake does not lie between 0 and 1")

    def _build(self, width: int) -> None:
        # A dict's features are known only when it has been read.
        self.built = _exactly(self.k, width) if width else None
        self.errors = np.zeros(self.built.size if self.built else 0, dtype=np.int64)

    def widen(self, width: int) -> None:
        """Make room for features before the first round."""
        self.weights = np.zeros(width)
        self._build(width)

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        if self.built is None:
            raise BadData("The first example must have at least one feature.")
        stop = first_bad(rows, boolean=True)
        everyone = np.arange(self.built.size)
        mistakes = 0
        for start, block in blocks(rows, stop):
            made = majority_rounds(
                self.built.words(block, everyone),
                self.errors,
                self.powers,
                label_word(signs[start : start + len(block)]),
                len(block),
                updated[mistakes:],
            )
            updated[mistakes : mistakes + made] += start
            mistakes += made
        return mistakes, mistakes, stop

    def scores(self, rows: Rows) -> Floats:
        """The vote on every row, from -1 to 1; a tie is positive."""
        votes = np.zeros(len(rows))
        if self.built is None:
            return votes
        everyone = np.arange(self.built.size)
        for start, block in blocks(rows, len(rows)):
            words = self.built.words(block, everyone)
            for t in range(len(block)):
                yes, no = majority_votes(words, self.errors, self.powers, np.uint64(t))
                votes[start + t] = (yes - no) / (yes + no)
        return votes

    def formula(self, names: Sequence[Any] | None) -> str:
        """The best expert."""
        if self.built is None:
            return "FALSE"
        return self.built.formula(int(self.errors.argmin()), names)

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> MajorityRecord:
        """What happened so far; the names are those of the features."""
        return MajorityRecord(
            **self._recorded(trace),
            literals=self.k,
            best_mistakes=int(self.errors.min()) if self.errors.size else 0,
            beta=self.beta,
        )

    def _marks(self) -> dict[str, float]:
        total = math.fsum(powers(self.beta, self.errors.astype(np.float64)))
        return {
            "total_weight": total,
            "mistakes": float(self.mistakes),
            "best_mistakes": float(self.errors.min()),
        }


def _exactly(k: int, width: int) -> OrClass:
    experts = math.comb(width, k)
    if not experts:
        raise BadData(f"There is no OR of {k} features among {width}. Choose fewer literals.")
    if experts > MOST:
        raise BadData(
            f"There are {experts:,} ORs of {k} among {width} features, but at most {MOST:,} can be kept. "
            "Use Winnow."
        )
    masks = masks_of(subsets(width, k), width)
    return OrClass([((j, True),) for j in range(width)], masks)


def _powers(beta: float) -> Floats:
    """The powers of the factor, down to the smallest double."""
    longest = min(int(745 / -log(beta)) + 2, 2**20)
    return np.asarray(powers(beta, np.arange(float(longest))))
