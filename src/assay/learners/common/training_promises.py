"""What the training rows alone promise about a fitted classifier, with a holdout's promise beside it.

A classifier says in `_training_facts` what a theorem needs to know: how wide the margins of its rows are, how
many rows do not clear the margin of a support vector machine, how many changed a learner that changes on
mistakes. All of it is computed anew from the rows; nothing that the fit wrote down is taken on trust.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadParameter
from assay.learners.common.guaranteed import TrainingCertified, require_own_fit
from assay.learners.common.sign_labels import signs_of
from assay.types import Array, Floats

if TYPE_CHECKING:
    from assay.certificates.issue.distinct_rows import Overlap
    from assay.guarantees.assumption import Assumption
    from assay.guarantees.guarantee import Guarantee
    from assay.guarantees.training import SideBySide
    from assay.theory.rounding import Number


#: The constant feature behind an intercept that has no penalty.
CONSTANT = 1.0
# Margins are lowered by this: more than rounding can have added.
_LOWERED = 1e-9
# Theorems about vectors in the space of features of a kernel.
_IN_FEATURES = ("svm-support-compression", "pac-bayes-linear-vote")
_DRIVEN = "played again in this order, the rows give the same learner, bit for bit"
_OTHER = (
    "played again in this order, these rows give another learner: it was fitted to other rows, in another "
    "order, or went on from earlier ones"
)
_DRAWN_ORDERS = (
    "every pass had an order of its own, drawn by the seed {}; that the seed was not chosen by these rows is for "
    "you to say"
)
_ORDER = "the order is that of these rows in every pass; that it says nothing about their labels is for you to say"
FROM_THESE_ROWS = "{} was computed from these rows: give numbers that were not"


@dataclass(frozen=True)
class TrainingFacts:
    """What the theorems about training rows need of a fitted classifier; None where one does not apply.

    Attributes
    ----------
    rows : int
        All training rows.
    margins : array or None
        Label times score, divided by the lengths of weights and example.
    support : int or None
        Rows that do not clear the margin of a support vector machine.
    mistaken, errors : int or None
        Rows that changed a learner which changes on mistakes, and further rows that it gets wrong.
    shuffled : bool
        Whether each pass over the rows had an order of its own, drawn at random.
    known : tuple of Assumption
        What is known of the assumptions.
    trusted : tuple of Assumption
        What has to be so for there to be a space of features at all.
    """

    rows: int
    margins: Floats | None = None
    support: int | None = None
    mistaken: int | None = None
    errors: int | None = None
    shuffled: bool = False
    known: tuple[Assumption, ...] = ()
    trusted: tuple[Assumption, ...] = ()

    @property
    def any(self) -> bool:
        """Whether any theorem applies."""
        return not (self.margins is None and self.support is None and self.mistaken is None)


class TrainingPromises(TrainingCertified):
    """Base of the classifiers about which training rows promise something."""

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        """What the theorems need, from the sample the classifier was fitted to."""
        raise NotImplementedError

    @property
    def _theorems(self) -> int:
        """How many theorems speak of such classifiers: never read from a sample, since delta is split by it."""
        return 1

    def training_promises(
        self,
        X: Any,
        y: Any,
        *,
        delta: Number = 0.05,
        holdout: tuple[Any, Any] | None = None,
        overlap: Overlap = "refuse",
    ) -> SideBySide:
        """What may be promised about the error from the rows this classifier was fitted to.

        Every theorem that speaks of such a classifier gets an equal share of delta, also one that does not apply
        to as many classes as the sample has, so that all hold at once and the tightest may be picked. A promise of
        one or more is vacuous: it says nothing. A theorem one of whose assumptions is found to be false promises
        nothing, and says which.

        Parameters
        ----------
        X, y : array-like
            The very sample of the fit, in the order of the fit; drawn independently, and the features not
            scaled by numbers that were taken from it. Another sample is refused where the classifier has kept
            digests of its rows.
        delta : float or decimal text, default=0.05
            The probability that any of the promises fails.
        holdout : tuple of (X, y), optional
            Rows that this classifier has not seen, whose exact bound is to stand beside the others.
        overlap : {"refuse", "drop", "keep"}, default="refuse"
            Whether rows of the sample in the holdout void its promise, are left out, or count: see `assay.certify`.

        Returns
        -------
        SideBySide

        Notes
        -----
        Support vector machines are searched for again to more digits, and learners that change on mistakes are
        played again, which takes about as long as the fit. The theorems know no weights of single rows: a
        machine fitted with `sample_weight` is promised nothing by its support vectors, unless it is near the
        one without.

        Examples
        --------
        >>> import numpy as np
        >>> from assay import Perceptron
        >>> X = np.vstack([np.eye(5)[:4], np.tile(np.eye(5)[4], (196, 1))])
        >>> y = np.array([0] * 4 + [1] * 196)
        >>> promises = Perceptron(fit_intercept=False).fit(X, y).training_promises(X, y)
        >>> print(promises.tightest)
        error: at most 0.0660123, failing with probability at most 0.025, by shuffled-mistake-compression
        """
        # Only here: a first fit should not wait for it.
        from assay.guarantees.build import judged
        from assay.guarantees.training import side_by_side
        from assay.learners.common.guaranteed import held_out
        from assay.learners.common.learned_rows import require_same_sample

        check_is_fitted(self)
        require_own_fit(self)
        facts = self._training_facts(X, y)
        require_same_sample(self, X, y)
        held = None if holdout is None else held_out(self, holdout, X, overlap)
        if held is None:
            self._require_any(facts)
        promises = side_by_side(
            rows=facts.rows,
            delta=delta,
            support=facts.support,
            mistaken=facts.mistaken,
            errors=facts.errors,
            shuffled=facts.shuffled,
            margins=facts.margins,
            holdout=None if held is None else (held.errors, held.rows),
            known=facts.known,
            theorems=self._theorems,
        )
        judged_ones = [
            judged(g, *facts.trusted) if g.theorem in _IN_FEATURES else g
            for g in promises.guarantees
        ]
        if held is not None:
            judged_ones[-1] = held.judge(judged_ones[-1])
        return replace(promises, guarantees=tuple(judged_ones))

    def _training_guarantees(self, X: Any, y: Any, delta: Number) -> tuple[Guarantee, ...]:
        return self.training_promises(X, y, delta=delta).guarantees

    def _require_any(self, facts: TrainingFacts) -> None:
        if not facts.any:
            classes = len(self.classes_)  # type: ignore[attr-defined]
            raise BadParameter(
                f"No theorem here promises anything about a {type(self).__name__} of {classes} classes from its "
                "training rows. Give a holdout."
            )

    def _sample_of(self, X: Any, y: Any) -> tuple[Any, Array]:
        """The rows in double precision and the labels; sparse rows stay sparse."""
        X, y = validate_data(self, X, y, reset=False, accept_sparse="csr", dtype=np.float64)
        return X, np.asarray(y)

    def _signed(self, labels: Array) -> Floats | None:
        """The labels as -1 and +1; None where there are more than two."""
        classes = self.classes_  # type: ignore[attr-defined]
        signs = signs_of(labels, classes[1], classes, np.dtype(np.float64))
        return np.asarray(signs) if len(classes) == 2 else None


class MarginPromises(TrainingPromises):
    """Of linear classifiers: by the margins of the rows, however the weights were found."""

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        X, labels = self._sample_of(X, y)
        signs = self._signed(labels)
        margins = None
        if signs is not None:
            from assay.learners.common.sparse_coef import dense_coef  # a class shall cost little

            coef, free = dense_coef(self)[0], float(self.intercept_[0])  # type: ignore[attr-defined]
            margins = linear_margins(X, signs, coef, free, self._constant)
        return TrainingFacts(len(labels), margins=margins, known=(features_fixed(),))

    @property
    def _constant(self) -> float:
        """The constant feature whose weight is the intercept; zero where there is none."""
        return CONSTANT if getattr(self, "fit_intercept", True) else 0.0


class MistakePromises(MarginPromises):
    """Of learners that change on mistakes: by the rows that changed them; of two classes also by margins."""

    def _training_facts(self, X: Any, y: Any) -> TrainingFacts:
        # Only here: a first fit should not wait for the theorems.
        from assay.guarantees.assumption import Assumption
        from assay.learners.search.replayed import replayed
        from assay.theory.generalization.compression import (
            FRESH_ORDERS,
            MISTAKE_DRIVEN,
            SAME_ORDER,
            SETTINGS_FIXED,
        )

        changed, same = replayed(self, X, y)
        labels = np.asarray(y)
        wrong = np.asarray(self.predict(X)) != labels  # type: ignore[attr-defined]
        rule = Assumption(MISTAKE_DRIVEN, *(("checked", _DRIVEN) if same else ("violated", _OTHER)))
        seed = getattr(self, "order_seed_", None)
        order = Assumption(SAME_ORDER, "declared", _ORDER)
        if seed is not None:
            order = Assumption(FRESH_ORDERS, "declared", _DRAWN_ORDERS.format(seed))
        read, kernel = "", getattr(self, "kernel", None)
        if isinstance(kernel, str):
            read = read_from_rows(self, self._sample_of(X, y)[0])
        known: tuple[Assumption, ...] = (rule, order, features_fixed(read))
        if read:
            known += (Assumption(SETTINGS_FIXED, "violated", FROM_THESE_ROWS.format(read)),)
        return TrainingFacts(
            len(labels),
            margins=self._row_margins(X, y),
            mistaken=int(changed.sum()),
            errors=int((wrong & ~changed).sum()),
            shuffled=seed is not None,
            known=known,
            trusted=self._trusted,
        )

    @property
    def _theorems(self) -> int:
        return 2

    @property
    def _trusted(self) -> tuple[Assumption, ...]:
        return ()

    def _row_margins(self, X: Any, y: Any) -> Floats | None:
        return super()._training_facts(X, y).margins


def linear_margins(X: Any, signs: Floats, coef: Array, free: float, constant: float) -> Floats:
    """The margins of a linear machine; its intercept is the weight of a constant feature, zero for none.

    Whether there is one must not depend on the sample, and so not on the intercept that came out.

    Examples
    --------
    >>> import numpy as np
    >>> linear_margins(np.array([[3.0]]), np.ones(1), np.array([4.0]), 0.0, 1.0).round(6).tolist()
    [0.948683]
    """
    weights = np.asarray(coef, dtype=np.float64)
    scores = np.asarray(X @ weights) + free
    squares = np.asarray(row_norms(X, squared=True), dtype=np.float64)
    square = float(weights @ weights)
    if constant:
        square += (free / constant) ** 2
        squares = squares + constant**2
    return _margins(signs * scores, square, squares)


def kernel_margins(
    signed: Floats, square: float, squares: Floats, sizes: Floats, free: float | None = None
) -> Floats:
    r"""The margins of a kernel machine :math:`f(x)=\sum_ic_ik(x_i,x)+b`.

    Parameters
    ----------
    signed : array
        Label times score of every row.
    square : float
        The squared norm of the sum.
    squares : array
        k(x, x) of every row.
    sizes : array
        :math:`|c_i|\sqrt{k(x_i,x_i)}` of every term, by which rounding is judged.
    free : float or None
        b, the weight of a constant feature of one; None for a machine without.

    Examples
    --------
    >>> import numpy as np
    >>> kernel_margins(np.array([0.5]), 1.0, np.ones(1), np.ones(1)).round(6).tolist()
    [0.5]
    """
    # Each value is good to some units of the last place, and so is each step of the sum.
    total = float(np.sum(sizes))
    off = 2.0**-52 * (len(sizes) + 64) * total
    lowered = signed - off * np.sqrt(squares)
    square = max(0.0, square) + off * total
    if free is not None:
        square, squares = square + (free / CONSTANT) ** 2, squares + CONSTANT**2
    return _margins(lowered, square, squares)


def _margins(signed: Floats, square: float, squares: Floats) -> Floats:
    lengths = np.sqrt(squares * square)
    # Where all scores are zero, so are the margins: a drawn classifier errs half of the time.
    margins = np.divide(signed, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.clip(margins - _LOWERED, -1.0, 1.0)


def features_fixed(violated: str = "") -> Assumption:
    """That the prior came first: it is normal around zero, in features that must not come from the rows.

    Examples
    --------
    >>> print(features_fixed("gamma='scale'").status)
    violated
    """
    from assay.guarantees.assumption import Assumption
    from assay.theory.generalization.pac_bayes import PRIOR_FIXED

    if violated:
        return Assumption(PRIOR_FIXED, "violated", FROM_THESE_ROWS.format(violated))
    evidence = "it lies around zero, in features and scales that must not come from these rows"
    return Assumption(PRIOR_FIXED, "declared", evidence)


def read_from_rows(model: Any, X: Any = None) -> str:
    """Which parameter of a kernel was computed from the sample, in words; empty where none was.

    With the sample, a number that is the one computed from it tells, too: the parameter may have been set since.

    Examples
    --------
    >>> from assay import SVC
    >>> read_from_rows(SVC()), read_from_rows(SVC(kernel="linear")), read_from_rows(SVC(gamma=0.1))
    ("gamma='scale'", '', '')
    """
    named = isinstance(model.kernel, str) and model.kernel not in (
        "linear",
        "cosine",
        "precomputed",
    )
    scaled = isinstance(model.gamma, str) and model.gamma == "scale"
    if named and not scaled and X is not None:
        from assay.kernels import as_kernel  # only here: many learners have no kernel

        own = float(getattr(model.kernel_, "gamma", 0.0))
        read = float(getattr(as_kernel(model.kernel, gamma="scale", X=X), "gamma", -1.0))
        # A sample in single precision has its own last digits.
        scaled = abs(own - read) <= 1e-6 * own
    return "gamma='scale'" if named and scaled else ""


def settings_fixed(model: Any, X: Any, labels: Array) -> Assumption:
    """That kernel and C came first: said by the user, unless a setting was read from the sample."""
    from assay.guarantees.assumption import Assumption
    from assay.theory.generalization.compression import KERNEL_FIXED

    read = read_from_rows(model, X) if hasattr(model, "kernel") else ""
    if _balanced(model, labels):
        read = "class_weight='balanced'" + (f" and {read}" if read else "")
    if read:
        return Assumption(KERNEL_FIXED, "violated", FROM_THESE_ROWS.format(read))
    evidence = "none of them is computed by this learner; that they were not chosen by these rows is for you to say"
    return Assumption(KERNEL_FIXED, "declared", evidence)


def _balanced(model: Any, labels: Array) -> bool:
    """Whether the weights of the classes are those that the counts of the sample give."""
    given = getattr(model, "class_weight", None)
    if not isinstance(given, dict):
        return isinstance(given, str) and given == "balanced"
    classes, labels = model.classes_, np.asarray(labels)
    even = compute_class_weight("balanced", classes=classes, y=labels)
    own = compute_class_weight(given, classes=classes, y=labels)
    return bool(np.allclose(own, even, rtol=1e-9, atol=0.0)) and not np.all(own == 1.0)
