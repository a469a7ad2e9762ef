"""DNF by the kernel perceptron on all products of features."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.kernel.product_kernel import product_kernel_pass, product_scores
from assay.guarantees.boolean import k_term_dnf_guarantees
from assay.guarantees.boolean_text import dnf_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.small_dnf import Term, small_dnf
from assay.learners.boolean.dnf import MOST_FEATURES, cube, monotone_terms, terms_of
from assay.learners.boolean.mistaken import MistakenPlayer
from assay.learners.boolean.online import OnlineBooleanClassifier
from assay.learners.boolean.words import blocks, first_bad, row_words
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.registry import register
from assay.record.boolean import MistakenRecord, set_bits, unpacked
from assay.types import Array, Bools, Floats, Ints, Words

# Rows at a time, so that their bits stay small beside the rows.
_BLOCK = 4096
# Examples of a sample on which a formula must agree.
_SAMPLE = 5000


@register(
    "k-term-dnf",
    use="an OR of ANDs over yes/no features, row by row",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class KTermDNF(OnlineBooleanClassifier):
    r"""The perceptron over all :math:`2^d` products of features, and the formula it has learned.

    An OR of k terms, each an AND of features, is a linear separator of the products. The kernel
    :math:`K(x,z)=2^{|x\cap z|}` counts the products that are one in both examples, so none of them is ever
    written down, and scores are exact whole numbers for any number of features. If the labels are such a
    formula, at most :math:`(4k+1)\max_t2^{|x_t|}` mistakes are made (``perceptron-dnf-mistakes``). Negated
    features take part as features of their own.

    Parameters
    ----------
    negations : bool, default=False
        Whether features may be negated in a term; every example then has d ones of 2 d.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=100
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from what it has learned.
    trace : bool, default=False
        Whether `record_` holds, mistake by mistake, what the proof follows: the squared length of the
        weight vector, and the largest so far of a mistaken example.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one.
    formula_ : str, or tuple of str
        What was learned, as text. A hypothesis that is monotone, over up to 16 features, is written down as it
        is. Of others, after `fit`, a small formula is found that agrees with it on the sample (on the first
        5,000 different examples); without `fit`, one that is equal to it everywhere, over up to 16
        features, or else agrees with it on the mistaken examples.
    n_iter_ : int
        Passes made.
    record_ : MistakenRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Sakulwongtana, Supervised Learning (lecture notes), Remark 39.
    .. [2] Khardon, Roth & Servedio (2005). Efficiency versus convergence of boolean kernels for on-line
       learning algorithms.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import KTermDNF
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 6))
    >>> model = KTermDNF().fit(X, (X[:, 0] & X[:, 1]) | (X[:, 3] & X[:, 4] & X[:, 5]))
    >>> model.formula_
    '(x0 AND x1) OR (x3 AND x4 AND x5)'
    >>> model.guarantees()[0].holds
    True
    """

    #: Nothing is learned from a right prediction.
    conservative = True
    declares = ("terms",)

    negations: bool = False
    max_iter: int = 1000
    n_iter_no_change: int = 100
    warm_start: bool = False
    trace: bool = False

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Play the sample again and again until a pass is free of mistakes, or no longer improves.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Of 0 and 1.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        super().fit(X, y)
        rows, _ = self._validated(X, y, reset=False)
        for player in self.players_:
            assert isinstance(player, ProductKernelPlayer)
            player.remember(rows)
        return self

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        return ProductKernelPlayer(width, bool(self.negations))

    def _guarantees(
        self, record: MistakenRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return k_term_dnf_guarantees(record, of, declared)


class ProductKernelPlayer(MistakenPlayer):
    """The kernel perceptron on one binary problem."""

    state = kinds.declare(
        squared=kinds.whole(most=math.inf), sample=kinds.optional(kinds.array("<u8", None, None))
    )

    def __init__(self, width: int, negations: bool) -> None:
        super().__init__(width, negations)
        # The squared length of the weight vector, kept while tracing.
        self.squared = 0
        # The examples of the last `fit`, as bits, and how many updates there had been.
        self.sample: Words | None = None
        self.sampled = 0

    def _bits(self, block: Array) -> Words:
        true = block == 1
        return row_words(np.hstack([true, ~true]) if self.negations else true)

    def _share(self) -> Ints:
        return np.zeros(64 * self.words + 1, dtype=np.int64)

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        stop = first_bad(rows, boolean=True)
        share = self._share()
        mistakes = 0
        for start, block in blocks(rows, stop, _BLOCK):
            bits, labels = self._bits(block), signs[start : start + len(block)]
            done = 0
            while done < len(block):
                support, held_signs = self.store()
                made, played = product_kernel_pass(
                    bits[done:],
                    labels[done:],
                    support,
                    held_signs,
                    self.held,
                    share,
                    updated[mistakes:],
                )
                updated[mistakes : mistakes + made] += start + done
                mistakes += made
                self.held += made
                done += played
                if done < len(block):
                    self.double()
        return mistakes, mistakes, stop

    def scores(self, rows: Rows) -> Floats:
        """The sum over the mistakes, scaled; of exactly the right sign."""
        support, signs = self.store()
        scores = np.empty(len(rows))
        largest = self.width if self.negations else self.literals
        for start, block in blocks(rows, len(rows), _BLOCK):
            product_scores(
                self._bits(block),
                support,
                signs,
                self.held,
                largest,
                self._share(),
                scores[start : start + len(block)],
            )
        return scores

    def formula(self, names: Sequence[Any] | None) -> str:
        """The hypothesis as a DNF."""
        return dnf_text(self.terms(), names)

    def terms(self) -> list[Term]:
        """The terms of the formula."""
        truth = None
        if self.width <= MOST_FEATURES:
            truth = self._positive(cube(self.width))
            monotone = monotone_terms(truth)
            if monotone is not None:
                return monotone
        if self.sample is not None and self.sampled == self.updates:
            return self._small(unpacked(self.sample, self.width))
        return terms_of(truth) if truth is not None else self._small(self.examples()[0])

    def remember(self, rows: Rows) -> None:
        """Keep the different examples of a sample, up to a number, for a formula that agrees on them."""
        kept: Words | None = None
        for _, block in blocks(rows, len(rows), _BLOCK):
            bits = row_words(block == 1)
            kept = np.unique(bits if kept is None else np.vstack([kept, bits]), axis=0)
            if len(kept) >= _SAMPLE:
                break
        self.sample, self.sampled = (None if kept is None else kept[:_SAMPLE]), self.updates

    def _require_state(self) -> None:
        """Refuse, in a model file, a sample of other features."""
        super()._require_state()
        if self.sample is not None:
            unpacked(self.sample, self.width)

    def _positive(self, points: Bools) -> Bools:
        return self.scores(Rows(dense=points.astype(np.float64))) >= 0

    def _small(self, points: Bools) -> list[Term]:
        """A small formula that agrees with the hypothesis on some examples."""
        labels = np.where(self._positive(points), 1, -1)
        formula = small_dnf(points, labels, self.negations)
        # A hypothesis over plain features need not be monotone.
        return formula.terms if formula.consistent else small_dnf(points, labels, True).terms

    def _marks(self) -> dict[str, float]:
        support, signs = self.store()
        last = self.held - 1
        shared = set_bits(support[:last] & support[last]).sum(axis=1)
        counts = np.bincount(shared, weights=signs[:last], minlength=1)
        score = sum(int(n) << c for c, n in enumerate(counts))
        own = int(set_bits(support[last]).sum())
        self.squared += 2 * int(signs[last]) * score + (1 << own)
        try:
            return {
                "squared_norm": float(self.squared),
                "largest_square": float(1 << self.most_ones),
            }
        except OverflowError:  # beyond a thousand ones
            return {"squared_norm": np.inf, "largest_square": np.inf}
