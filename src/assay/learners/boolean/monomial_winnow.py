"""Winnow on all products of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.linear.winnow import weight_of_true, winnow_pass
from assay.errors import BadData
from assay.guarantees.boolean import monomial_winnow_guarantees
from assay.guarantees.boolean_text import dnf_text
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.dnf import MOST_FEATURES, terms_of
from assay.learners.boolean.mistaken import MistakenPlayer
from assay.learners.boolean.online import OnlineBooleanClassifier
from assay.learners.boolean.words import blocks, first_bad, row_words
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.registry import register
from assay.record.boolean import MistakenRecord
from assay.types import Array, Floats, Ints

_NO_NEGATIONS = np.zeros(0)


@register(
    "monomial-winnow",
    use="an OR of ANDs over up to 16 yes/no features",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class MonomialWinnow(OnlineBooleanClassifier):
    r"""Winnow over all :math:`2^d` products of up to 16 features, written down one by one.

    If the labels are an OR of k terms, each an AND of features, at most :math:`3kd+1` mistakes are made
    (``winnow-dnf-mistakes``), far fewer than those of `KTermDNF`; but each prediction costs :math:`2^d` steps,
    and no shortcut is known.

    Parameters
    ----------
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, mistake by mistake, the total and the largest weight, and the mistakes
        on positive and on negative examples.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one.
    formula_ : str, or tuple of str
        What was learned, as text; it equals the hypothesis on all examples there can be.
    n_iter_ : int
        Passes made.
    record_ : MistakenRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Littlestone (1988). Learning quickly when irrelevant attributes abound.
    .. [2] Sakulwongtana, Supervised Learning (lecture notes), Remark 40.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import MonomialWinnow
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 6))
    >>> model = MonomialWinnow().fit(X, (X[:, 0] & X[:, 1]) | (X[:, 3] & X[:, 4]))
    >>> model.formula_
    '(x0 AND x1) OR (x3 AND x4)'
    >>> model.guarantees(terms=2)[0].promised
    37
    """

    #: Nothing is learned from a right prediction.
    conservative = True
    declares = ("terms",)

    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        return MonomialPlayer(width)

    def _guarantees(
        self, record: MistakenRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return monomial_winnow_guarantees(record, of, declared)


class MonomialPlayer(MistakenPlayer):
    """Winnow on the products, on one binary problem."""

    arrays = ("weights", "bias", "products")

    def __init__(self, width: int) -> None:
        super().__init__(width, negations=False)
        self.products = _ones(width)
        self.missed_positives = self.missed_negatives = 0

    def widen(self, width: int) -> None:
        """Make room for features before the first round."""
        super().widen(width)
        self.products = _ones(width)

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        stop = first_bad(rows, boolean=True)
        mistakes = 0
        for start, block in blocks(rows, stop):
            labels = np.ascontiguousarray(signs[start : start + len(block)])
            made, _ = winnow_pass(
                _all_products(block),
                labels,
                self.products,
                _NO_NEGATIONS,
                float(len(self.products)),
                2.0,
                updated[mistakes:],
            )
            missed = updated[mistakes : mistakes + made].copy()
            updated[mistakes : mistakes + made] += start
            mistakes += made
            self._remember(block[missed], labels[missed])
        return mistakes, mistakes, stop

    def _remember(self, block: Array, labels: Array) -> None:
        positive = int((labels > 0).sum())
        self.missed_positives += positive
        self.missed_negatives += len(labels) - positive
        if len(labels):
            while self.held + len(labels) > len(self.store()[1]):
                self.double()
            support, signs = self.store()
            support[self.held : self.held + len(labels)] = row_words(block == 1)
            signs[self.held : self.held + len(labels)] = np.where(labels > 0, 1, -1)
            self.held += len(labels)

    def scores(self, rows: Rows) -> Floats:
        """The weight of the true products, less their number."""
        total = np.empty(len(rows))
        for start, block in blocks(rows, len(rows)):
            for t, x in enumerate(_all_products(block)):
                total[start + t] = weight_of_true(x, self.products, _NO_NEGATIONS)
        return total - len(self.products)

    def _reached(self) -> Floats:
        """The weight of the products that are true, for every point of the cube."""
        total = self.products.copy()
        for j in range(self.width):
            halves = total.reshape(-1, 2, 1 << j)
            halves[:, 1] += halves[:, 0]
        return total

    def formula(self, names: Sequence[Any] | None) -> str:
        """The hypothesis as a DNF; it is monotone, since all weights are positive."""
        return dnf_text(terms_of(self._reached() >= len(self.products)), names)

    def _marks(self) -> dict[str, float]:
        return {
            "total_weight": float(self.products.sum()),
            "largest_weight": float(self.products.max()),
            "missed_positives": float(self.missed_positives),
            "missed_negatives": float(self.missed_negatives),
        }


def _ones(width: int) -> Floats:
    if width > MOST_FEATURES:
        raise BadData(
            f"MonomialWinnow writes down all 2^d products of d features, so d may be at most "
            f"{MOST_FEATURES}, but X has {width} features. Use KTermDNF."
        )
    return np.ones(2**width)


def _all_products(block: Array) -> Floats:
    """All products of the features of each row; bit j of a product's number says whether j is in it."""
    rows, width = block.shape
    products = np.ones((rows, 2**width))
    for j in range(width):
        products[:, 1 << j : 2 << j] = products[:, : 1 << j] * block[:, j : j + 1]
    return products
