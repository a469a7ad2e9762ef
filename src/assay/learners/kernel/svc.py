"""The support vector classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import compute_class_weight

from assay.errors import BadData, BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.halfspaces import halfspace_guarantees
from assay.guarantees.kernel_machines import classifier_guarantees
from assay.kernels import Kernel, Linear
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.linear_fit import MAYBE_FIT, keep_fit
from assay.learners.common.sign_labels import classes_of, require_two_classes
from assay.learners.common.skipped_checks import WITHIN_TOLERANCE
from assay.learners.kernel.binary_machine import binary_record, dual_of, part_of
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.left_out import scores_left_out
from assay.learners.kernel.pair_votes import pair_sums, pair_votes
from assay.learners.kernel.platt_probabilities import PlattProbabilities
from assay.learners.kernel.support import SupportVectorMachine
from assay.learners.kernel.support_promises import SupportPromises
from assay.learners.registry import register
from assay.record.margin import SupportMachineRecord
from assay.types import Array, Floats, Ints


@register(
    "svc",
    use="curved boundaries; up to some ten thousand rows",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False)
class SVC(SupportPromises, PlattProbabilities, ClassifierMixin, SupportVectorMachine):  # type: ignore[misc]
    r"""Minimise :math:`\tfrac12\|w\|^2+C\sum_i\max(0,1-y_i f(x_i))`, where :math:`f(x)=\langle w,\phi(x)\rangle+b`.

    The minimiser is :math:`f(x)=\sum_i y_i\alpha_i k(x_i,x)+b` with :math:`0\le\alpha_i\le C`, found through its dual
    (``svm-duality-kkt``): `fit` ends when the KKT conditions hold to `tol`, and `record_` has both objectives and the
    gap between them. Examples with :math:`\alpha_i=0` that clear the margin can be taken away without any change,
    unless they alone hold b in its place, so leaving one out at a time errs at most as often as there are other
    examples (``svm-loo``). With ``C=inf`` the classes must be separable, and the plane with the largest margin is
    found (``svm-margin``).

    Parameters
    ----------
    C : float, default=1.0
        The weight of the losses; ``inf`` for a hard margin, which is sought to a tolerance of at most 1e-8.
    kernel : Kernel, str or callable, default="rbf"
        A kernel of `assay.kernels`, a name that scikit-learn has (``"linear"``, ``"poly"``, ``"rbf"``,
        ``"precomputed"``), or a function of two matrices.
    degree, gamma, coef0
        The parameters of named kernels, as in scikit-learn.
    shrinking : bool, default=True
        Whether examples that no step can move are set aside while the search goes on.
    tol : float, default=1e-3
        By how much the KKT conditions may fail, in units of the score.
    probability : bool, default=False
        Whether `predict_proba` is to be had. It takes five more searches: logistic curves are fitted to the scores that
        each fifth of the rows is given by the other four (Platt), so that the probabilities are those of machines
        fitted to fewer rows, and `predict` need not choose the most probable class. No promise is about them.
    cache_size : float, default=1000
        Megabytes of kernel values that are kept.
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class.
    verbose : bool, default=False
        Here for scikit-learn's sake; it changes nothing.
    max_iter : int, default=-1
        The most steps, -1 for no limit.
    multi_class : {"ovo", "ovr"}, default="ovo"
        With more than two classes, one machine for each pair of them, as in scikit-learn, or one for each
        against the rest.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether pairs are summed up to one score for each class.
    break_ties : bool, default=False
        Whether `predict` follows the scores of the classes where pairs are tied, rather than their order; not with the
        scores of pairs.
    random_state : int, RandomState instance or None, default=None
        The seed of the fifths, with `probability`; nothing else is drawn.

    Attributes
    ----------
    classes_ : array
        The labels.
    support_ : array
        The places of the support vectors, class by class.
    support_vectors_ : array or CSR matrix
        They themselves; none of a precomputed kernel.
    n_support_ : array
        How many each class has.
    dual_coef_ : array of shape (n_machines, n_support)
        :math:`y_i\alpha_i`, zero where an example is no support vector of that machine; sparse where the rows were.
    intercept_ : array of shape (n_machines,)
        b.
    class_weight_ : array of shape (n_classes,)
        The factors of C that were used.
    n_iter_ : array of shape (n_machines,)
        The working sets solved for each machine.
    fit_status_ : int
        Zero, or one where a search stopped before the KKT conditions hold to `tol`.
    probA_, probB_ : array of shape (n_machines,)
        The logistic curves :math:`1/(1+e^{af+b})`; empty without `probability`.
    record_ : SupportMachineRecord, or list of them
        Objectives, gap, KKT residual and margin of each machine.

    Notes
    -----
    Kernel values are kept in double precision for up to 5000 examples and with a hard margin, else in single
    precision, as LIBSVM does; sums are always in double precision, and so is prediction. What rounding can have taken
    off the gap is in ``record_.rounding``; `guarantees` computes the scores of support vectors between their bounds
    once more, in double precision, and promises what is left.

    References
    ----------
    .. [1] Cortes and Vapnik (1995). Support-vector networks.
    .. [2] Fan, Chen and Lin (2005). Working set selection using second order information for training
       support vector machines.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import SVC
    >>> model = SVC(C=np.inf, kernel="linear").fit([[0.0, 0], [2, 0]], [-1, 1])
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.dual_coef_.tolist()
    ([[1.0, 0.0]], [-1.0], [[-0.5, 0.5]])
    >>> model.record_.margin
    1.0
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = WITHIN_TOLERANCE
    state = kinds.declare(
        classes_=kinds.labels,
        n_support_=kinds.counts("classes_"),
        linear_fit_=MAYBE_FIT,
        class_weight_=kinds.maybe(kinds.amounts("classes_")),
    )

    settings = ("C", "tol", "multi_class")

    C: float = 1.0
    kernel: Any = "rbf"
    _: KW_ONLY
    degree: int = 3
    gamma: Any = "scale"
    coef0: float = 0.0
    shrinking: bool = True
    probability: bool | str = False
    tol: float = 1e-3
    cache_size: float = 1000
    class_weight: Any = None
    verbose: bool = False
    max_iter: int = -1
    multi_class: Literal["ovo", "ovr"] = "ovo"
    decision_function_shape: Literal["ovr", "ovo"] = "ovr"
    break_ties: bool = False
    random_state: Any = None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the machine, or one for each pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of strings
            The examples; the square matrix of a precomputed kernel; or strings for a kernel of strings.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C for each example; those of weight zero or less are left out.

        Returns
        -------
        self
        """
        kernel, X, codes, caps = self._sample(X, y, sample_weight)
        coefficients, intercepts, records = [], [], []
        for members, signs in self._problems(codes, caps):
            gram = self._gram(kernel, part_of(kernel, X, members))
            dual = dual_of(signs, caps[members])
            best, bias = self._solve(dual, gram)
            row = np.zeros(len(codes))
            row[members] = best.beta
            coefficients.append(row)
            intercepts.append(bias)
            records.append(binary_record(dual, best, bias, signs, caps[members], gram))
        self._keep(X, np.array(coefficients), intercepts, codes)
        self.n_support_ = np.bincount(codes[self.support_], minlength=len(self.classes_))
        self._hold(records)
        for name in ("linear_fit_", "curves_"):
            self.__dict__.pop(name, None)
        if self._asked_for_probabilities:
            self.curves_ = self._curves(kernel, X, codes, caps)
        if isinstance(kernel, Linear) and len(self.classes_) == 2:
            keep_fit(self, X, self.classes_[codes], self._labels, constant=True)
        return self

    def _sample(self, X: Any, y: Any, sample_weight: Any) -> tuple[Kernel, Any, Ints, Floats]:
        """The kernel, the rows, the number of each row's class, and the bound of each dual variable."""
        self._require_parameters()
        known = self.multi_class in ("ovo", "ovr")
        require(known, "multi_class", "'ovo' or 'ovr'", self.multi_class)
        shape = self.decision_function_shape
        require(shape in ("ovr", "ovo"), "decision_function_shape", "'ovr' or 'ovo'", shape)
        self._require_known_probability()
        X, labels, weights = self._rows(X, y, sample_weight)
        self.classes_ = classes_of(labels)
        codes = np.searchsorted(self.classes_, labels).astype(np.int64)
        self.class_weight_ = np.asarray(
            compute_class_weight(self.class_weight, classes=self.classes_, y=labels),
            dtype=np.float64,
        )
        factors = weights * self.class_weight_[codes]
        # Infinity times zero would be no number.
        caps = np.where(factors > 0, self.C * np.where(factors > 0, factors, 1.0), 0.0)
        counts = np.bincount(codes[caps > 0], minlength=len(self.classes_))
        if sample_weight is None:
            require_two_classes(self, self.classes_)
        if np.count_nonzero(counts) < 2:
            raise BadData(
                "Invalid input - all samples with positive weights belong to the same class."
            )
        if (counts == 0).any():
            raise BadData("sample_weight must leave rows of every class, but leaves none of some.")
        return self._looked_at(X), X, codes, caps

    def _sides(self) -> list[tuple[int, int | None]]:
        """Of each machine the class it is for, and the one it is against, None for all others."""
        many = len(self.classes_)
        if many == 2:
            return [(1, 0)]
        if self.multi_class == "ovr":
            return [(side, None) for side in range(many)]
        return list(combinations(range(many), 2))

    def _problems(self, codes: Ints, caps: Floats) -> list[tuple[Ints, Floats]]:
        """For each machine its examples and their labels, -1 and +1."""
        problems = []
        for side, against in self._sides():
            meant = caps > 0
            if against is not None:
                meant &= (codes == side) | (codes == against)
            members = np.flatnonzero(meant)
            problems.append((members, np.where(codes[members] == side, 1.0, -1.0)))
        return problems

    @property
    def record_(self) -> SupportMachineRecord | list[SupportMachineRecord]:
        """What the fit left behind; a list where there are several machines."""
        records, rows = self._records, self._sample_rows
        weights = self._weights if isinstance(self.kernel_, Linear) else [None] * len(records)
        critical = len(self.support_) + sum(record.beside for record in records)
        shared = {"critical": min(critical, rows), "fit": getattr(self, "linear_fit_", None)}
        machines = self._machines(weights, sample_rows=rows, **shared)
        return machines[0] if len(machines) == 1 else machines

    def decision_function(self, X: Any) -> Floats:
        """The score of every row; with more than two classes one for each class, or one for each pair.

        A score for each class counts the pairs it wins, and adds less than a half for how clearly.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return np.ascontiguousarray(scores[:, 0])
        if self.multi_class == "ovr" or self.decision_function_shape == "ovo":
            return scores
        return pair_sums(scores, len(self.classes_))

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        if self.break_ties and self.decision_function_shape == "ovo" and len(self.classes_) > 2:
            raise BadParameter("break_ties must be False when decision_function_shape is 'ovo'.")
        return self._labels(self._scores(X))

    @property
    def n_iter_(self) -> Any:
        """The working sets solved for each machine."""
        return np.array([max(1, record.passes) for record in self._records])

    @property
    def shape_fit_(self) -> tuple[int, int]:
        """The rows that were looked at, and the features."""
        return self._sample_rows, int(self.n_features_in_)

    def _labels(self, scores: Floats) -> Array:
        """The labels that the scores of all machines speak for."""
        if len(self.classes_) == 2:
            places = (scores[:, 0] >= 0).astype(np.int64)
        elif self.multi_class == "ovr":
            places = scores.argmax(axis=1)
        else:
            count = pair_sums if self.break_ties else pair_votes
            places = count(scores, len(self.classes_)).argmax(axis=1)
        return np.asarray(self.classes_[places])

    def _require_state(self) -> None:
        super()._require_state()
        machines = self.dual_coef_.shape[0] == len(self._sides())
        if not machines or self.n_support_.sum() != len(self.support_):
            raise ValueError("its machines do not fit its classes")

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """What each example would be called by a machine learned from all others.

        Left out in fact are the support vectors, and examples so near the margin that the machine may rest on
        them (``record_.beside``): without any other example it is the same. Each search starts from where the
        fit ended.

        Parameters
        ----------
        X, y, sample_weight
            The sample this machine was fitted on.

        Returns
        -------
        array of labels
        """
        records, twin = (
            self._records,
            clone(self),
        )  # reading a sample says anew what its classes are
        kernel, X, codes, caps = twin._sample(X, y, sample_weight)
        same = self.classes_.tolist() == twin.classes_.tolist()
        problems = self._problems(codes, caps) if same else []
        same = [len(members) for members, _ in problems] == [record.rows for record in records]
        if not (same and self._has_support_in(X)):
            raise BadData(
                "leave_one_out needs the very sample that fit was given; this is another."
            )
        left_out = self._scores(X)
        for column, (members, signs) in enumerate(problems):
            beta = np.zeros(len(codes))
            beta[self.support_] = self._dual[column]
            gram: Gram = self._gram(kernel, part_of(kernel, X, members))
            dual = dual_of(signs, caps[members])
            left_out[members, column] = scores_left_out(
                dual,
                gram,
                beta[members],
                self.intercept_[column],
                self._search,
                records[column].residual,
            )
        return self._labels(left_out)

    #: Leaving out one row of the sample takes a short search for every support vector.
    _from_sample = True

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the theorems promise; with the sample also what leaving one out shows.

        Of two classes and the linear kernel also what the capacity of halfspaces says about the error.
        """
        errors = None
        if terms.sample is not None:
            y = np.asarray(terms.sample[1])
            errors = int((self.leave_one_out(*terms.sample) != y).sum())
        records = self.record_ if isinstance(self.record_, list) else [self.record_]
        capacity = halfspace_guarantees(records[0].fit, terms.delta)
        return [*classifier_guarantees(records, errors), *capacity]

    @property
    def _sample_rows(self) -> int:
        records = self._records
        if len(records) == 1 or self.settings_["multi_class"] == "ovr":
            return records[0].rows
        # Every example is in as many pairs as there are other classes.
        return sum(record.rows for record in records) // (len(self.classes_) - 1)
