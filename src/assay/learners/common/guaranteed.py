"""What every learner says of itself, under one signature: guarantees, and certificates of them.

A learner only tells its guarantees (`_guaranteed`), by functions of `assay.guarantees`. Certificates are issued here
and nowhere else below `assay.learners`, and the code that issues them is imported when one is asked for: a fit should
not wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter, UnknownName
from assay.learners.common.skipped_checks import NOT_RUN

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate
    from assay.certificates.issue.held_out import HeldOut
    from assay.guarantees.guarantee import Guarantee
    from assay.theory.rounding import Number


@dataclass(frozen=True)
class Terms:
    """Under which terms guarantees are asked for."""

    delta: Number = 0.05
    sample: tuple[Any, ...] | None = None
    declared: Mapping[str, Any] = field(default_factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        """A constant that was declared."""
        return self.declared.get(name, default)


class Guaranteed:
    """Base of all learners and policies: the theorems that speak of them."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    #: The constants that `guarantees` may be told; None where a learner inside decides.
    declares: ClassVar[tuple[str, ...] | None] = ()

    #: Whether the sample of the fit lets more be promised.
    _from_sample: ClassVar[bool] = False

    def guarantees(
        self, *, delta: Number = 0.05, sample: tuple[Any, ...] | None = None, **declared: Any
    ) -> list[Guarantee]:
        """The theorems about this learner: promised beside observed, with every assumption.

        Parameters
        ----------
        delta : number, default=0.05
            The probability that a promise fails, where it can.
        sample : tuple of (X, y) or (X, y, sample_weight), optional
            The sample of the fit, for learners about which it lets more be promised.
        **declared
            Constants that were fixed before the examples were seen, such as ``radius`` and ``margin``: those in
            `declares`.

        Returns
        -------
        list of Guarantee
        """
        _require_delta(delta)
        for name in declared:
            if self.declares is not None and name not in self.declares:
                raise UnknownName(
                    f"{type(self).__name__} has no guarantee from {name!r}; it takes "
                    f"{', '.join(self.declares) or 'nothing'}."
                )
        if sample is not None:
            self._require_sample(sample)
        # Theorems speak of a fit, and of this one nothing is known.
        if fitted_elsewhere(self) is not None:
            return []
        return self._guaranteed(Terms(delta, sample, declared))

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The guarantees of this learner; none where no theorem speaks of it."""
        raise NotImplementedError

    def _require_sample(self, sample: Any) -> None:
        if not self._from_sample:
            raise BadParameter(f"{type(self).__name__} has no guarantee from sample; leave it out.")
        if not isinstance(sample, tuple) or len(sample) not in (2, 3):
            raise BadParameter(
                "sample must be the pair (X, y) of the fit, with sample_weight behind it where it was given."
            )


class Convertible:
    """Base of the learners that may have an equal in scikit-learn."""

    #: What one that was fitted elsewhere has learned: it predicts by this, and nothing is known of the fit.
    enough: ClassVar[tuple[str, ...]]

    def to_sklearn(self) -> Any:
        """The equal model of scikit-learn, fitted: for whatever else takes only these.

        It predicts the same, and shares no array that either of them writes into.

        Returns
        -------
        estimator

        Raises
        ------
        BadParameter
            If scikit-learn has no equal, and the reason.
        """
        # By its place: it knows all families, and they all stand on this.
        return resolve_name("assay.learners.sklearn_models:to_sklearn")(self)


class Certified(Convertible, Guaranteed):
    """Base of the classifiers, whose errors on a holdout can be certified."""

    def certificate(self, X: Any, y: Any, *, delta: Number = 0.05, **terms: Any) -> Certificate:
        """A certificate from a holdout this learner has not seen.

        Parameters
        ----------
        X, y : array-like
            The holdout.
        delta : number, default=0.05
            The probability that any of the promises fails.
        **terms
            What `assay.certify` takes besides.

        Returns
        -------
        Certificate
        """
        from assay.certificates.issue.certify import certify

        return certify(self, X, y, delta=delta, **terms)


class CertifiedQuantity(Convertible, Guaranteed):
    """Base of the regressors: how far off they are on a holdout can be certified."""

    def certificate(
        self,
        X: Any,
        y: Any,
        *,
        delta: Number = 0.05,
        coverage: Number | None = None,
        within: Number | None = None,
        range: Sequence[Number] | None = None,
        **terms: Any,
    ) -> Certificate:
        """A certificate from a holdout this learner has not seen.

        Parameters
        ----------
        X, y : array-like
            The holdout.
        delta : number, default=0.05
            The probability that any of the promises fails.
        coverage : number, optional
            Promise how far off this share of new rows is at most; 0.9 where nothing else is asked.
        within : number, optional
            Promise how many new rows are off by more than this, which was fixed beforehand.
        range : pair of numbers, optional
            Promise the mean absolute error, if every true number lies in this range.
        **terms
            What `assay.certify` takes besides.

        Returns
        -------
        Certificate
        """
        from assay.certificates.issue.certify import certify

        if coverage is None and within is None and range is None:
            coverage = "0.9"
        return certify(
            self, X, y, delta=delta, coverage=coverage, within=within, range=range, **terms
        )


class TrainingCertified(Certified):
    """Base of the classifiers about which the rows of the fit alone promise something."""

    def training_certificate(
        self, X: Any, y: Any, *, delta: Number = 0.05, **terms: Any
    ) -> Certificate:
        """A certificate from the training rows alone, the tightest promise first; ``assay verify`` recomputes it.

        Parameters
        ----------
        X, y : array-like
            The very sample of the fit.
        delta : number, default=0.05
            The probability that any of the promises fails.
        **terms
            ``drawn``, which says where the rows come from, and ``model`` and ``data``, digests of the model file
            and of the truth.

        Returns
        -------
        Certificate
        """
        from assay.evidence.digest import digest_labels

        check_is_fitted(self)
        _require_delta(delta)
        require_own_fit(self)
        guarantees = self._training_guarantees(X, y, delta)
        ordered = sorted(guarantees, key=lambda g: 2.0 if g.value is None else g.value)
        return issue_training(ordered, delta, **{"data": digest_labels(y), **terms})

    def _training_guarantees(self, X: Any, y: Any, delta: Number) -> Sequence[Guarantee]:
        """What the rows of the fit promise; together it fails with delta at most."""
        raise NotImplementedError


def fitted_elsewhere(model: Any) -> str | None:
    """By what a learner was fitted that came from elsewhere, such as "scikit-learn 1.6.1"; None of all others.

    Nothing is known of such a fit: not which rows, how many, or in which order.
    """
    by: str | None = vars(model).get("fitted_by_")
    return by


def require_own_fit(model: Any) -> None:
    """Refuse what training rows promise of a learner that was fitted elsewhere."""
    by = fitted_elsewhere(model)
    if by is not None:
        raise BadParameter(
            f"This {type(model).__name__} was fitted by {by}, and what its training rows promise depends on how. Fit "
            "it here, or ask for a certificate from a holdout."
        )


def _require_delta(delta: Number) -> None:
    from assay.theory.needs import inside_unit  # only here: a first fit should not wait for it

    inside_unit("delta", delta)


def issue_training(guarantees: Sequence[Guarantee], delta: Number, **terms: Any) -> Certificate:
    """A certificate of promises about training rows."""
    from assay.certificates.issue.training import certify_training

    rows = int(guarantees[0].inputs["rows"])
    return certify_training(guarantees, rows=rows, delta=delta, **terms)


def held_out(model: Any, holdout: Any, sample: Any, overlap: Any) -> HeldOut:
    """What a classifier gets wrong of a holdout, and what is known of its rows; see `assay.certify`."""
    from assay.certificates.issue.held_out import held_out

    return held_out(model, holdout, sample, overlap)
