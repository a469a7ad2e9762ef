"""What a certificate may say by a theorem: in which role, of what, and under which conditions, known in which ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

Status = Literal["by construction", "checked", "declared", "assumed", "not asked", "violated"]
"""How a condition is known: the code makes it so; it was computed from the data; the user said so;
it cannot be known from data; it could have been asked, and nobody was; it was computed, and is false."""

Role = Literal[
    "holdout",
    "class",
    "metric",
    "score",
    "group",
    "stream",
    "training",
    "run",
    "choice",
    "difference",
    "judged",
    "logged",
]
"""Where a claim stands: about a holdout; about some rows of it, by their truth; about a metric of it, such as F1; about
scores of it, such as probabilities; about groups of its rows that were named beforehand; about a stream; about the rows
that a model was fitted to; about what always holds on a run; about a choice among candidates; about two models on the
same rows; about a batch that a judge has gone through; about a policy, by rounds that another one played."""

Quantity = Literal[
    "error",
    "batch-error",
    "class-error",
    "mean-loss",
    "mean-error-as-played",
    "chosen-error",
    "mistakes",
    "updates",
    "regret",
    "next-rows-errors",
    "unit-mean-error",
    "unit-row-error",
    "unit-any-error",
    "absolute-error-quantile",
    "beyond",
    "unit-mean-beyond",
    "unit-row-beyond",
    "unit-any-beyond",
    "mean-absolute-error",
    "mean-squared-error",
    "accuracy",
    "precision",
    "recall",
    "specificity",
    "jaccard",
    "f1",
    "balanced-accuracy",
    "macro-precision",
    "macro-f1",
    "auc",
    "brier",
    "log-loss",
    "better",
    "difference",
    "unit-mean-difference",
    "loss-difference",
    "unit-mean-loss-difference",
    "errors-in-batch",
    "batch-mean-loss",
    "group-error",
    "worst-group-error",
    "group-gap",
    "group-unit-mean-error",
    "worst-group-unit-mean-error",
    "policy-loss",
    "policy-improvement",
]
"""What a claim bounds, by the id that certificates carry. Its words are made in `assay.guarantees.subject`."""

GRADED: tuple[Quantity, ...] = ("mean-loss", "mean-absolute-error", "mean-squared-error")
"""Means of losses between 0 and 1, which rest on losses or their sum and not on a count of errors."""

OF_PROBABILITIES: tuple[Quantity, ...] = ("brier", "log-loss")
"""Means of what probabilities lose, between 0 and 1 as well."""

LOSSES = (*GRADED, *OF_PROBABILITIES, "batch-mean-loss")

NUMERIC: tuple[Quantity, ...] = (
    "absolute-error-quantile",
    "beyond",
    "unit-mean-beyond",
    "unit-row-beyond",
    "unit-any-beyond",
    "mean-absolute-error",
    "mean-squared-error",
)
"""What is said of predictions that are numbers, and of a truth that is one."""

METRICS: tuple[Quantity, ...] = (
    "accuracy",
    "precision",
    "recall",
    "specificity",
    "jaccard",
    "f1",
    "balanced-accuracy",
    "macro-precision",
    "macro-f1",
    "auc",
)
"""The metrics of a report, of which more is better; their words are in `assay.guarantees.measures`."""

DIFFERENCES: tuple[Quantity, ...] = (
    "better",
    "difference",
    "unit-mean-difference",
    "loss-difference",
    "unit-mean-loss-difference",
)
"""What is said of two models on the same rows: of the old one less the new one."""

OF_GROUP: tuple[Quantity, ...] = ("group-error", "group-unit-mean-error")
"""What is said of one group of rows."""

OF_GROUPS: tuple[Quantity, ...] = ("worst-group-error", "group-gap", "worst-group-unit-mean-error")
"""What is said of several groups together."""

Direction = Literal["at most", "at least"]

OVER_HOLDOUT = "probability over the holdout"
OVER_NEXT_ROWS = "probability over the holdout and the rows after it"
OVER_LABELLED = "probability over the choice of the labelled items"
OVER_BATCH = "probability over the items and the choice of the labelled ones"
OVER_EXAMPLES = "probability over the examples"
OVER_LOG = "probability over the log, at every moment at once"
OVER_STREAM = "probability over the whole stream, at every moment at once"
ALWAYS = "always"

_CONDITIONS: dict[str, Condition] = {}


class Condition(str):
    """A sentence with an id. It is the sentence wherever text is wanted; certificates carry the id alone.

    Attributes
    ----------
    id : str
        A short name that never changes, though the sentence may be worded better.

    Examples
    --------
    >>> drawn = Condition("independent-draws", "the rows are independent draws from the distribution of use")
    >>> print(drawn)
    the rows are independent draws from the distribution of use
    >>> drawn.id
    'independent-draws'
    """

    __slots__ = ("id",)
    id: str

    def __new__(cls, id: str, sentence: str) -> Condition:
        """Declare a condition; one id stands for one sentence."""
        condition = super().__new__(cls, sentence)
        condition.id = id
        # str(): two conditions are compared as sentences, not by their ids.
        if str(_CONDITIONS.setdefault(id, condition)) != sentence:
            raise RuntimeError(f"two conditions are called {id!r}")
        return condition

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """What copies and pickles are made from."""
        return self.id, str(self)


def conditions() -> Mapping[str, Condition]:
    """Every condition that has been declared so far, by id: those of theorems once their files are imported."""
    return _CONDITIONS


@dataclass(frozen=True)
class Known:
    """The ways in which a condition may be known, the usual one first; that it is violated may always be found.

    Examples
    --------
    >>> DRAWN.default, DRAWN.allows("checked"), DRAWN.allows("violated")
    ('assumed', False, True)
    """

    default: Status
    others: tuple[Status, ...] = ()

    def allows(self, status: str) -> bool:
        """Whether a claim may say so of the condition."""
        return status in (self.default, *self.others, "violated")


# How rows are drawn, nobody can compute, and no code can bring about.
DRAWN = Known("assumed", ("declared", "not asked"))
# Which came first is for the maker to say, unless the same run drew the rows and fitted the model.
FIRST = Known("declared", ("by construction", "assumed", "not asked"))
# The same where no run of ours settles it: what a judge said before anybody labelled.
TOLD = Known("declared", ("assumed", "not asked"))
# What was fixed beforehand: settings, priors, codes.
SETTLED = Known("declared", ("by construction", "checked", "assumed", "not asked"))
# What the program that learns brings about.
BUILT = Known("by construction", ("checked", "declared", "assumed", "not asked"))
# What the maker of a machine says of it, and a program may compute.
SAID = Known("declared", ("by construction", "checked", "assumed", "not asked"))
# What the labels or the examples are like: seen or said, never brought about.
LABELLED = Known("declared", ("checked", "assumed", "not asked"))


@dataclass(frozen=True)
class Claim:
    """What a certificate may promise by a theorem, in one role.

    Attributes
    ----------
    role : str
        Where the claim stands.
    quantities : tuple of str
        What it may bound there.
    quantifier : str
        Over what it holds, as the certificate says it.
    known : tuple of Known
        How each of the theorem's assumptions may be known, in their order.
    direction : str
        Whether the number is an upper or a lower bound.
    whole : bool
        Whether the promise is a whole number, such as a count of errors.
    most : tuple of (str, int)
        The largest inputs that a verifier evaluates, where larger ones would take it longer than a moment.
    listed : bool
        Whether counts come as lists, with one number for each class.
    other_end : bool
        Whether it is the other end of an interval, and stands behind the usual one, from the same counts.

    Examples
    --------
    >>> from assay.theory.registry import find_theorem
    >>> [(claim.role, claim.quantities) for claim in find_theorem("holdout-exact").claims]
    [('holdout', ('error', 'beyond')), ('class', ('class-error',))]
    """

    role: Role
    quantities: tuple[Quantity, ...]
    quantifier: str
    known: tuple[Known, ...]
    direction: Direction = "at most"
    whole: bool = False
    most: tuple[tuple[str, int], ...] = ()
    listed: bool = False
    other_end: bool = False


def other_end(claim: Claim) -> Claim:
    """The other end of what is usually bounded from one side."""
    opposite: Direction = "at least" if claim.direction == "at most" else "at most"
    return replace(claim, direction=opposite, other_end=True)


def holdout_claims(
    *known: Known,
    quantities: tuple[Quantity, ...] = ("error",),
    quantifier: str = OVER_HOLDOUT,
    classes: bool = True,
    most: tuple[tuple[str, int], ...] = (),
) -> tuple[Claim, ...]:
    """A theorem about a holdout, and, with `classes`, about the rows of each class in it.

    What bounds the means of losses bounds those of what probabilities lose.
    """
    all_rows = Claim("holdout", quantities, quantifier, known, most=most)
    part = Claim("class", ("class-error",), quantifier, known, most=most)
    scored = Claim("score", OF_PROBABILITIES, quantifier, known)
    claims = (all_rows, part) if classes else (all_rows,)
    return (*claims, scored) if set(GRADED) <= set(quantities) else claims


def metric_claim(*known: Known, quantities: tuple[Quantity, ...], listed: bool = False) -> Claim:
    """A theorem about a metric of a holdout, of which more is better."""
    return Claim("metric", quantities, OVER_HOLDOUT, known, direction="at least", listed=listed)


def ranking_claim(*known: Known) -> Claim:
    """A theorem about how scores rank the rows of a holdout."""
    return Claim("score", ("auc",), OVER_HOLDOUT, known, direction="at least")


def group_claim(*known: Known, quantity: Quantity, listed: bool = False) -> Claim:
    """A theorem about groups of the rows of a holdout; with `listed`, about all of them together."""
    return Claim("group", (quantity,), OVER_HOLDOUT, known, listed=listed)


def difference_claims(*known: Known, quantities: tuple[Quantity, ...]) -> Claim:
    """A theorem about the errors of two models on the same rows: the old one's less the new one's."""
    return Claim("difference", quantities, OVER_HOLDOUT, known, direction="at least")


def judged_claim(
    *known: Known,
    quantities: tuple[Quantity, ...],
    whole: bool = False,
    drawn: bool = False,
    most: tuple[tuple[str, int], ...] = (),
) -> Claim:
    """A theorem about a batch that a judge has gone through and a few labels; or, with `drawn`, about new items."""
    over = OVER_BATCH if drawn else OVER_LABELLED
    return Claim("judged", quantities, over, known, whole=whole, most=most, listed=True)


def logged_claim(*known: Known, quantities: tuple[Quantity, ...], direction: Direction) -> Claim:
    """A theorem about a policy that rests on rounds which another one played."""
    return Claim("logged", quantities, OVER_LOG, known, direction=direction)


def training_claim(*known: Known, most: tuple[tuple[str, int], ...] = ()) -> Claim:
    """A theorem about the error that rests on the rows the model was fitted to."""
    return Claim("training", ("error",), OVER_EXAMPLES, known, most=most)


def stream_claim(*known: Known, quantifier: str) -> Claim:
    """A theorem about a learner that changes while it is judged."""
    return Claim("stream", ("mean-error-as-played",), quantifier, known)


def choice_claim(*known: Known) -> Claim:
    """A theorem about a choice among candidates, by rows that were not held out."""
    return Claim("choice", ("chosen-error",), OVER_EXAMPLES, known)


def run_claim(quantity: Quantity, *known: Known) -> Claim:
    """A theorem that holds on every run."""
    return Claim("run", (quantity,), ALWAYS, known)
