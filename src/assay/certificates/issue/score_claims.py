"""What may be promised of scores: how they rank rows, and what they lose as probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.certificates.issue.claims import claim_by, loss_claim
from assay.errors import BadData, BadParameter, Words, require
from assay.evidence.evidence import Evidence
from assay.evidence.losses import record_losses
from assay.evidence.scores import Scores, positive_of
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject
from assay.theory.needs import inside_unit
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.concordance import ORDER_BEFORE_SCORES

#: What is promised of scores, by the names in which it is asked for.
SCORE_RATES = ("auc", "brier", "log-loss")
#: Those that speak of probabilities.
PROBABILITIES = ("brier", "log-loss")


@dataclass(frozen=True)
class ScoreRate:
    """Something to promise of scores."""

    of: Subject

    def claim(self, evidence: Evidence, share: str, *, listed: bool) -> Guarantee:
        """What may be promised with this share of delta; `listed` is whether single losses may be told."""
        assert evidence.scores is not None
        if self.of.quantity == "auc":
            return _ranking_claim(evidence, self.of, share)
        record = record_losses([losses_of(self.of, evidence.scores)])
        graded = replace(evidence, losses=record)
        return loss_claim(graded, share, None, listed=listed, of=self.of)


def require_scores(evidence: Evidence, names: Sequence[str], floor: Number | None) -> None:
    """Refuse what is asked of scores where there are none, and a log loss without a floor."""
    read_floor(floor, names)
    wanted = [name for name in SCORE_RATES if name in names]
    if wanted and evidence.scores is None:
        raise BadParameter(
            Words(
                f"{wanted[0]} needs scores: give score beside y_true, or a model that has predict_proba or "
                "decision_function",
                f"--rate {wanted[0]} needs scores: name their column with --score",
            ),
            ".",
        )


def scores_asked(
    evidence: Evidence, names: Sequence[str], positive: Any, floor: Number | None
) -> list[ScoreRate]:
    """What was asked of scores, each once, in the order of `SCORE_RATES`; refuses what labels do not define."""
    scores, subjects = evidence.scores, list[Subject]()
    if scores is None:
        return []
    if "auc" in names:
        label = scores.label
        if label is None:
            label = positive_of(scores.labels[: scores.values.shape[1]], positive)
        _require_both(scores, label)
        subjects.append(Subject("auc", label))
    if "brier" in names:
        subjects.append(Subject("brier", scores.label))
    least = read_floor(floor, names)
    if least is not None:
        subjects.append(Subject("log-loss", scores.label, numbers=(least,)))
    return [ScoreRate(subject) for subject in subjects]


def read_floor(floor: Number | None, names: Sequence[str]) -> str | None:
    """The floor as decimal text; refuses a log loss without one, since it could be infinite."""
    if "log-loss" not in names:
        require(floor is None, "floor", "left out unless log-loss is asked for", floor)
        return None
    if floor is None:
        raise BadParameter(
            Words("floor", "{}", "floor"),
            " must be given for log-loss, such as 0.01: probabilities are clipped there, since the loss of a "
            "probability of 0 is infinite and no mean of it can be promised.",
        )
    return decimal_text(inside_unit("floor", floor).low)


def _require_both(scores: Scores, label: Any) -> None:
    """A pair needs a row of either kind."""
    positive = int(scores.has(label).sum())
    if positive in (0, len(scores)):
        which = "none" if positive == 0 else "every one"
        raise BadData(
            f"The area under the ROC curve of {label!r} is not defined for these rows: {which} of them is {label!r}."
        )


def _ranking_claim(evidence: Evidence, of: Subject, share: str) -> Guarantee:
    assert evidence.scores is not None
    assert of.label is not None
    inputs = pairs_of(of, evidence.scores)
    observed = (inputs["concordant"], inputs["pairs"])
    # Who declares that the model came first, declares that the rows stand as they stood.
    said = any(
        a.name == FIXED_BEFORE and a.status == "declared" and not a.evidence
        for a in evidence.checked
    )
    ordered = Assumption(ORDER_BEFORE_SCORES, "declared" if said else "not asked")
    known = (*evidence.checked, ordered)
    theorem = find_theorem("concordance-at-least")
    return claim_by(theorem, of, inputs | {"delta": share}, observed, known)


def pairs_of(of: Subject, scores: Scores) -> dict[str, int]:
    """The pairs of which a claim about the ranking speaks."""
    assert of.label is not None
    concordant, pairs = scores.concordant(of.label)
    return {"concordant": concordant, "tied": 0, "pairs": pairs}


def losses_of(of: Subject, scores: Scores) -> Any:
    """What probabilities lose on each row, between 0 and 1."""
    return scores.brier() if of.quantity == "brier" else scores.log_losses(float(of.numbers[0]))
