"""From an online learner to an ordinary classifier with a promise about its error."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify
from assay.certificates.issue.stream import Order
from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.learners.common.sign_labels import classes_of, plain, unknown_label
from assay.play.conversions import CONVERSIONS, Declared, Sample, Vote, checked, hypothesis_answers
from assay.play.online_inside import OnlineInside
from assay.play.turns import require_learner
from assay.theory.rounding import Number
from assay.types import Array, Floats

How = Literal[
    "random-stopping", "large-gap", "large-gap-average", "blocks", "average", "longest-survivor"
]


def to_batch(
    learner: Any,
    X: Any,
    y: Any,
    how: How = "longest-survivor",
    *,
    delta: Number = 0.05,
    accuracy: Number | None = None,
    mistakes: int | None = None,
    checkpoints: int = 100,
    random_state: Any = None,
    classes: Any = None,
    order: Order | None = None,
) -> BatchClassifier:
    r"""Turn an online learner into one classifier, with a guarantee about its error.

    The learner plays the rows once, in their order, and one hypothesis of the run is chosen, or all of
    them vote. The theorems suppose that the rows are independent draws.

    ``"longest-survivor"``
        The hypothesis that was right most often in a row. Its errors on the rows after it bound its error
        (``suffix-holdout``), at a share of `delta` that pays for the choice.
    ``"average"``
        The rows are cut into `checkpoints` parts; the hypotheses at their starts vote. The vote errs at
        most twice the progressive bound (``progressive-validation-vote``), and the mean of the votes,
        `predict_proba`, has a mean absolute loss of at most that bound (``progressive-validation``).
    ``"large-gap"``
        The first hypothesis that is right on :math:`\lceil\frac1\varepsilon\ln\frac{(i+2)^2}\delta\rceil` rows
        in a row after the i-th mistake, :math:`\varepsilon` being the `accuracy`; without one, the
        hypothesis whose run promises most (``online-to-batch-large-gap``, ``large-gap-exact``).
    ``"large-gap-average"``
        The same for a learner that goes on learning from what it predicts rightly, such as gradient descent: the
        hypotheses held since the last mistake vote. Their mean error is at most the `accuracy`
        (``large-gap-average``), and the vote errs at most twice as often (``large-gap-average-vote``).
    ``"blocks"``
        With a mistake bound M: the hypothesis of the first of M blocks without a mistake
        (``online-to-batch-blocks``).
    ``"random-stopping"``
        The hypothesis held at a time drawn in advance. With a mistake bound M its error is at most
        :math:`M/m` in expectation (``online-to-batch-random-stopping``); its errors on the rows after it
        bound it with probability (``suffix-holdout``).

    For ``"longest-survivor"``, ``"large-gap"`` and ``"blocks"``, in which hypotheses compete by their runs, the
    learner is made conservative: it learns from its mistakes only (see `conservative`).

    Parameters
    ----------
    learner : object
        As for `play`. It is not changed: a copy learns.
    X, y : table and array-like
        The sample, in an order that has nothing to do with its content.
    how : str, default="longest-survivor"
        One of the six conversions above.
    delta : number, default=0.05
        The probability with which any of the promises may fail.
    accuracy : number, optional
        The error aimed at by ``"large-gap"``, ``"large-gap-average"``, which needs it, and ``"blocks"``.
    mistakes : int, optional
        A bound on the learner's mistakes on every sequence the distribution can produce; declared by
        you, never measured on this sample. ``"blocks"`` needs it.
    checkpoints : int, default=100
        Parts for ``"average"``; the first of them only teaches.
    random_state : int, RandomState or None, default=None
        Where ``"random-stopping"`` draws its time from.
    classes : array-like, optional
        All labels there are, where the sample may lack some.
    order : {"none"}, optional
        Declares that the order of the rows is not the order in which they were drawn. Otherwise it is looked at: if it
        tells something about the rows, they are no independent draws, and nothing is promised about new ones. Of
        exchangeable rows that is said once in 100 samples at most.

    Returns
    -------
    BatchClassifier
        A fitted classifier with ``guarantees()``.

    References
    ----------
    .. [1] Blum, Hopcroft & Kannan, Foundations of Data Science, Theorems 6.14 and 6.15.
    .. [2] Mansour, Introduction to Machine Learning, lecture 4 (2012), Theorem 4.5.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Perceptron, to_batch
    >>> X = np.random.default_rng(0).normal(size=(1000, 5))
    >>> X[:, 0] += np.sign(X[:, 0])
    >>> model = to_batch(Perceptron(), X, X[:, 0] > 0)
    >>> print(model.guarantees()[0])
    error: at most 0.00674978, observed 0, failing with probability at most 0.025, by suffix-holdout
    """
    model = BatchClassifier(
        learner,
        how,
        delta=delta,
        accuracy=accuracy,
        mistakes=mistakes,
        checkpoints=checkpoints,
        random_state=random_state,
        classes=classes,
        order=order,
    )
    fitted: BatchClassifier = model.fit(X, y)
    return fitted


def _votes(model: BatchClassifier) -> bool:
    return model.how in ("average", "large-gap-average")


@dataclass(eq=False, repr=False)
class BatchClassifier(OnlineInside, Declared):
    """An online learner as a batch classifier; see `to_batch`, which makes and fits one.

    Parameters
    ----------
    learner, how, delta, accuracy, mistakes, checkpoints, random_state, classes, order
        As for `to_batch`.

    Attributes
    ----------
    hypothesis_ : object with ``predict``
        The hypothesis that was chosen, or the vote of all.
    classes_ : array
        The labels.
    rows_used_ : int
        Rows looked at before the hypothesis was settled.
    stopped_ : bool
        Whether the rule for stopping was met before the rows came to an end.
    """

    _played = "hypothesis_"

    learner: Any
    how: How = "longest-survivor"
    classes: Any = field(default=None, kw_only=True)

    def fit(self, X: Any, y: Any) -> Any:
        """Play the sample once and settle on a hypothesis.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of dicts
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        require(self.how in CONVERSIONS, "how", "one of " + ", ".join(CONVERSIONS), self.how)
        require_learner(self.learner)
        examples, labels = self._sample(X, y)
        self.classes_ = classes_of(labels) if self.classes is None else np.unique(self.classes)
        unknown = np.flatnonzero(~np.isin(labels, self.classes_))
        if unknown.size:
            raise unknown_label(plain(labels[unknown[0]]), self.classes_)
        if len(self.classes_) < 2:
            raise BadData(
                "to_batch needs at least two classes, but y holds 1 class: "
                f"{plain(self.classes_[0])!r}."
            )
        declared = {term.name: getattr(self, term.name) for term in fields(Declared)}
        learner = clone(self.learner, safe=False)
        sample = Sample(learner, examples, labels, self.classes_, **declared)
        converted = CONVERSIONS[self.how](checked(sample))
        self.hypothesis_, self.rows_used_ = converted.hypothesis, converted.rows
        self.stopped_, self._guarantees = converted.stopped, converted.guarantees
        return self

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        examples = self._examples(X)
        return hypothesis_answers(self.hypothesis_, examples)

    @available_if(_votes)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The share of the votes for every class; only where hypotheses vote."""
        examples = self._examples(X)
        vote: Vote = self.hypothesis_
        return vote.predict_proba(examples.rows)

    def guarantees(self) -> list[Guarantee]:
        """What the theorems promise about this classifier; together they fail with `delta` at most.

        Promises in expectation are marked so (``quantifier``): they say nothing about a single run.
        """
        check_is_fitted(self, "hypothesis_")
        return list(self._guarantees)

    def certificate(self, X: Any, y: Any, *, delta: Number = 0.05, **terms: Any) -> Certificate:
        """A certificate from a holdout this classifier has not seen; see `assay.certify`."""
        return certify(self, X, y, delta=delta, **terms)
