"""Guarantees from the training rows alone, with the holdout's beside them.

None of them is an estimate: each is a theorem about a machine that a few of its rows fix, or that has wide
margins. On small and noisy data they are weak or say nothing, and then they say so. Several of them share delta
(``union-bound``). Machines that a few rows fix rest on ``preferent-compression``, which
``preferent-compression-weighted`` betters where their number was guessed before; wide margins rest on ``pac-bayes-kl``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import BadData, require
from assay.guarantees.assumption import Assumption
from assay.guarantees.best_length import best_length
from assay.guarantees.decimals import decimal_above, delta_text, shown_up
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.theory.needs import count
from assay.theory.rounding import Number
from assay.theory.tail.union import split
from assay.types import Floats


def support_guarantee(
    support: int, rows: int, delta: Number = 0.05, *, known: Iterable[Assumption] = ()
) -> Guarantee:
    """The error of a support vector machine, from how many rows do not clear its margin.

    Parameters
    ----------
    support : int
        Rows with ``y f(x) <= 1``, those on the margin included; count with a tolerance upwards.
    rows : int
        All training rows.
    delta : number
        The probability that the promise fails.
    known : iterable of Assumption
        What is known better than by the maker's word, such as that the machine is the minimiser.

    Examples
    --------
    >>> print(support_guarantee(27, 400))
    error: at most 0.110203, failing with probability at most 0.05, by svm-support-compression
    """
    inputs = {"support": support, "rows": rows, "delta": delta_text(delta)}
    return error_guarantee("svm-support-compression", inputs, known=known)


def mistake_guarantee(
    mistaken: int,
    errors: int,
    rows: int,
    delta: Number = 0.05,
    *,
    shuffled: bool = False,
    known: Iterable[Assumption] = (),
) -> Guarantee:
    """The error of the last hypothesis of a learner that changes on mistakes only.

    Parameters
    ----------
    mistaken : int
        Rows that were mistaken in some pass.
    errors : int
        Further rows that the last hypothesis gets wrong.
    rows : int
        All training rows.
    delta : number
        The probability that the promise fails.
    shuffled : bool
        Whether each pass had an order of its own, drawn at random.
    known : iterable of Assumption
        What is known better than by the maker's word.

    Examples
    --------
    >>> print(mistake_guarantee(12, 4, 250))
    error: at most 0.117916, failing with probability at most 0.05, by mistake-compression
    """
    inputs = {"mistaken": mistaken, "errors": errors, "rows": rows, "delta": delta_text(delta)}
    theorem = "shuffled-mistake-compression" if shuffled else "mistake-compression"
    return error_guarantee(theorem, inputs, known=known)


def compression_guarantee(
    errors: int,
    size: int,
    rows: int,
    delta: Number = 0.05,
    *,
    messages: int = 1,
    known: Iterable[Assumption] = (),
) -> Guarantee:
    """The error of a classifier that some of its training rows rebuild, errors on the others allowed.

    Examples
    --------
    >>> print(compression_guarantee(30, 20, 1000))
    error: at most 0.177206, failing with probability at most 0.05, by compression-classic
    """
    inputs = {"errors": errors, "size": size, "rows": rows, "delta": delta_text(delta)}
    inputs |= {"messages": messages} if messages != 1 else {}
    return error_guarantee("compression-classic", inputs, known=known)


def margin_guarantee(
    margins: Floats | Sequence[float], delta: Number = 0.05, *, known: Iterable[Assumption] = ()
) -> Guarantee:
    r"""The error of a linear or kernel machine, from the margins of its training rows.

    Parameters
    ----------
    margins : array
        :math:`y\,\langle w,\phi(x)\rangle/(\|w\|\,\|\phi(x)\|)` on every row, each between -1 and 1.
    delta : number
        The probability that the promise fails.
    known : iterable of Assumption
        What is known better than by the maker's word.

    Examples
    --------
    >>> print(margin_guarantee([0.5] * 1000))
    error: at most 0.0604164, failing with probability at most 0.05, by pac-bayes-linear-vote
    """
    reach = np.asarray(margins, dtype=np.float64)
    if reach.ndim != 1 or not reach.size or not (np.abs(reach) <= 1 + 1e-9).all():
        raise BadData("Margins must be a row of at least one number, each between -1 and 1.")
    share = delta_text(delta)
    norm, gibbs = best_length(reach, share)
    inputs = {
        "gibbs": decimal_above(gibbs),
        "norm": decimal_above(norm),
        "rows": reach.size,
        "delta": share,
    }
    return error_guarantee("pac-bayes-linear-vote", inputs, known=known)


def holdout_guarantee(errors: int, rows: int, delta: Number = 0.05) -> Guarantee:
    """The exact bound of a holdout, to stand beside those of the training rows.

    Examples
    --------
    >>> print(holdout_guarantee(50, 1000))
    error: at most 0.0628635, observed 0.05, failing with probability at most 0.05, by holdout-exact
    """
    inputs = {"errors": errors, "rows": rows, "delta": delta_text(delta)}
    return error_guarantee("holdout-exact", inputs, observed=(errors, rows))


@dataclass(frozen=True)
class SideBySide:
    """Several promises about the error of one machine; together they fail with probability at most delta.

    Attributes
    ----------
    guarantees : tuple of Guarantee
        Those of the training rows, and the holdout's last, if there is one.
    delta : str
        What all of them spend together.

    Examples
    --------
    >>> both = side_by_side(rows=400, support=27, holdout=(1, 100))
    >>> both.tightest.theorem, both.tightest.vacuous
    ('holdout-exact', False)
    """

    guarantees: tuple[Guarantee, ...]
    delta: str

    @property
    def tightest(self) -> Guarantee | None:
        """The smallest promise; None where every one of them is vacuous or none applies."""
        useful = [g for g in self.guarantees if g.value is not None and not g.vacuous]
        return min(useful, key=lambda g: g.value or 0.0, default=None)

    def __str__(self) -> str:
        best, lines = self.tightest, [_told(guarantee) for guarantee in self.guarantees]
        if best is None or best.promised_text is None:
            lines.append("none of them says anything about the error")
        else:
            lines.append(
                f"the tightest is {best.theorem}: an error of at most {shown_up(best.promised_text)}; that any of "
                f"them fails has probability at most {self.delta}"
            )
        return "\n".join(lines)


def _told(guarantee: Guarantee) -> str:
    """A promise in words; where there is none, what was found to be false, and by what."""
    why = next((a.evidence for a in guarantee.assumptions if a.status == "violated"), "")
    return f"{guarantee}; {why}" if why else str(guarantee)


def side_by_side(
    *,
    rows: int,
    delta: Number = 0.05,
    support: int | None = None,
    mistaken: int | None = None,
    size: int | None = None,
    errors: int | None = None,
    margins: Floats | Sequence[float] | None = None,
    holdout: tuple[int, int] | None = None,
    shuffled: bool = False,
    known: Iterable[Assumption] = (),
    theorems: int | None = None,
) -> SideBySide:
    """Every promise that the numbers of a fitted machine allow, and which is the tightest.

    The failure probability is split evenly among the promises asked for, so that all hold at once and the
    tightest may be picked after the fact.

    Parameters
    ----------
    rows : int
        The training rows.
    delta : number
        The probability that any of the promises fails.
    support : int, optional
        Rows with ``y f(x) <= 1``, for a support vector machine.
    mistaken : int, optional
        Rows mistaken in some pass, for a learner that changes on mistakes only.
    size : int, optional
        How many training rows rebuild the classifier.
    errors : int, optional
        Rows outside those that the classifier gets wrong; with `mistaken` or `size`.
    margins : array, optional
        The margins of the training rows, each divided by the lengths of weights and example.
    holdout : tuple of (errors, rows), optional
        What was seen on rows that the machine was not fitted to.
    shuffled : bool
        Whether each of the passes had an order of its own, drawn at random; with `mistaken`.
    known : iterable of Assumption
        What is known better than by the maker's word.
    theorems : int, optional
        Among how many theorems about training rows delta is split, where it may depend on the sample which of them
        apply; as many as are asked for, unless given.

    Examples
    --------
    >>> print(side_by_side(rows=1000, support=400, holdout=(9, 100)))
    error: at most 0.454986, failing with probability at most 0.025, by svm-support-compression
    error: at most 0.163983, observed 0.09, failing with probability at most 0.025, by holdout-exact
    the tightest is holdout-exact: an error of at most 0.163983; that any of them fails has probability at most 0.05
    """
    asked = [part is not None for part in (support, mistaken, size, margins, holdout)]
    require(any(asked), "the promises asked for", "at least one", 0)
    given = mistaken is not None or size is not None
    require(errors is None or given, "errors", "left out without mistaken or size", errors)
    wanted = sum(asked[:-1])
    among = wanted if theorems is None else count("theorems", theorems)
    require(among >= wanted, "theorems", f"at least {wanted}, as many as are asked for", among)
    shares = iter(split(delta, among + asked[-1]))
    known, guarantees = tuple(known), []
    if support is not None:
        guarantees.append(support_guarantee(support, rows, next(shares), known=known))
    if mistaken is not None:
        told = mistaken, errors or 0, rows, next(shares)
        guarantees.append(mistake_guarantee(*told, shuffled=shuffled, known=known))
    if size is not None:
        guarantees.append(compression_guarantee(errors or 0, size, rows, next(shares), known=known))
    if margins is not None:
        must = f"as many as the rows, {count('rows', rows)}"
        require(len(margins) == rows, "the number of margins", must, len(margins))
        guarantees.append(margin_guarantee(margins, next(shares), known=known))
    if holdout is not None:
        guarantees.append(holdout_guarantee(*holdout, next(shares)))
    return SideBySide(tuple(guarantees), delta_text(delta))
