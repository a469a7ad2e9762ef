"""Guarantees of rules of nearest neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import require
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.decimals import delta_text
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.record.neighbors import NeighborVotesRecord
from assay.theory.claim import Condition
from assay.theory.generalization.left_out_neighbors import LOCAL, RULE_FIXED, TWO_CLASSES
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number

IN_THE_LIMIT = "in the limit of infinitely many examples"
ODD_VOTES = "one neighbour; or two classes, and an odd number of neighbours with one vote each"
NORM = "the distance is that of a norm, fixed before the rows were seen"
EQUAL_VOTES = "every neighbour has one vote"


def limit_guarantee(
    neighbors: int,
    classes: int,
    bayes_error: float | None = None,
    *,
    equal_votes: bool = True,
    no_norm: str = "",
) -> Guarantee:
    """What Cover and Hart promise about the error that more and more examples lead to.

    No finite sample can be held against it, so nothing is observed; and without the Bayes error, which
    only the maker of synthetic data knows, there is no number. The nearest example must come arbitrarily near in
    every feature, so distances that do not tell all rows apart, such as cosines, are promised nothing.

    Parameters
    ----------
    neighbors, classes : int
    bayes_error : float, optional
    equal_votes : bool
        Whether every neighbour has one vote.
    no_norm : str
        Why the distance is not that of a fixed norm, if it is not.

    Examples
    --------
    >>> print(limit_guarantee(1, 2, 0.25))
    error in the limit of infinitely many examples: at most 0.375, by cover-hart
    >>> print(limit_guarantee(1, 2))
    error in the limit of infinitely many examples: no number, by cover-hart
    >>> limit_guarantee(2, 2, 0.1).applies
    False
    """
    entry = find_theorem("cover-hart")
    odd = neighbors == 1 or (classes == 2 and neighbors % 2 == 1 and equal_votes)
    drawn, many, ties = entry.assumes
    assumptions = (
        Assumption(drawn, "assumed"),
        Assumption(
            many, "assumed", "no sample is infinite: this is about where the error tends to"
        ),
        Assumption(ties, "by construction", "by row number"),
        Assumption(ODD_VOTES, "checked" if odd else "violated", f"{classes} classes were seen"),
        _norm(no_norm),
    )
    inputs = {"classes": classes, "neighbors": neighbors}
    if bayes_error is None:
        return _in_the_limit(entry.id, inputs, assumptions, "{formula} <= R* (2 - R* C / (C - 1))")
    return _in_the_limit(entry.id, {"bayes_error": float(bayes_error)} | inputs, assumptions)


def _in_the_limit(
    theorem: str, inputs: Mapping[str, Any], known: Iterable[Assumption], form: str | None = None
) -> Guarantee:
    """A promise about more and more examples; without a number where there is only a form of words for it."""
    return guarantee(
        theorem,
        inputs,
        of=f"error {IN_THE_LIMIT}",
        formula="lim err_D",
        form=form,
        number=float if form is None else None,
        assumptions=known,
        quantifier=IN_THE_LIMIT,
        certified="this rule on ever larger samples",
    )


def _norm(no_norm: str) -> Assumption:
    return Assumption(NORM, "violated" if no_norm else "declared", no_norm)


def consistency_guarantee(*, equal_votes: bool = True, no_norm: str = "") -> Guarantee:
    """Stone's theorem: with growing but vanishing neighbourhoods the error tends to the least possible; no number.

    It is about neighbours that count the same, and distances of a norm; see `limit_guarantee`.

    Examples
    --------
    >>> print(consistency_guarantee())
    error in the limit of infinitely many examples: no number, by knn-consistency
    """
    known = (
        Assumption(
            Condition(
                "independent-examples", "the examples are independent draws from one distribution"
            ),
            "assumed",
        ),
        Assumption(
            "the neighbours grow without bound, and become a vanishing share of the examples",
            "assumed",
            "a single sample does not say how they grow",
        ),
        Assumption(EQUAL_VOTES, "checked" if equal_votes else "violated"),
        _norm(no_norm),
    )
    return _in_the_limit("knn-consistency", {}, known, "k -> infinity, k / m -> 0: err_D -> R*")


def left_out_guarantee(
    errors: int,
    rows: int,
    neighbors: int,
    delta: Number = 0.05,
    *,
    majority: bool = False,
    seen: str = "",
    any_function: bool = False,
) -> Guarantee:
    """What leaving out one row at a time says about the error of the rule on rows not seen.

    Parameters
    ----------
    errors, rows : int
        How many rows are wrong when they are left out, of how many.
    neighbors : int
    delta : number
        The probability that the promise fails.
    majority : bool
        Whether there are two classes whose neighbours have one vote each, for which more is known. That rows have
        two classes cannot show that no others are drawn, so that is assumed.
    seen : str
        Why the rule was not fixed before the rows were seen, if it was not.
    any_function : bool
        Whether the weights come from a function of the user's, which might look at more than one neighbourhood.

    Examples
    --------
    >>> print(left_out_guarantee(800, 10_000, 5, majority=True))
    error: at most 0.161983, observed 0.08, failing with probability at most 0.05, by neighbors-leave-one-out
    """
    require(0 <= errors <= rows, "errors", f"between 0 and the number of rows {rows}", errors)
    vote = "majority" if majority and rows >= neighbors + 2 else "any"
    known = [Assumption(RULE_FIXED, "violated" if seen else "declared", seen)]
    if any_function:
        evidence = "the weights of a row are said to depend on its own distances only"
        known.append(Assumption(LOCAL, "declared", evidence))
    if vote == "majority":
        known.append(Assumption(TWO_CLASSES, "assumed", "two classes were seen"))
    return error_guarantee(
        "neighbors-leave-one-out",
        {
            "errors": errors,
            "rows": rows,
            "neighbors": neighbors,
            "delta": delta_text(delta),
            "vote": vote,
        },
        observed=(errors, rows),
        known=known,
    )


def neighbor_votes_guarantees(
    record: NeighborVotesRecord, delta: Number = 0.05, bayes_error: float | None = None
) -> list[Guarantee]:
    """What theorems say about a vote: in the limit, and from leaving out one example at a time.

    Examples
    --------
    >>> record = NeighborVotesRecord(10_000, 5, True, classes=2, left_out_errors=800)
    >>> print(neighbor_votes_guarantees(record)[-1])
    error: at most 0.161983, observed 0.08, failing with probability at most 0.05, by neighbors-leave-one-out
    """
    k, equal = record.neighbors, record.equal_votes
    how: Any = {"equal_votes": equal, "no_norm": record.no_norm}
    limit = limit_guarantee(k, record.classes, bayes_error, **how)
    guarantees = [limit, consistency_guarantee(**how)]
    if record.left_out_errors is not None:
        left_out = left_out_guarantee(
            record.left_out_errors,
            record.rows,
            k,
            delta,
            majority=equal and record.classes == 2,
            seen=record.made_from_rows,
            any_function=record.any_function,
        )
        guarantees.append(left_out)
    return guarantees
