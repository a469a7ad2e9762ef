"""What late feedback does to guarantees: choices need it in turn, and counts of rounds say which rounds they count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import judged
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import when_learned
from assay.theory.claim import Condition

IN_TURN = Condition("told-before-next-asked", "every trial was told before the next one was asked")
AS_LEARNED = Condition(
    "counted-as-learned",
    "a round is counted as the learner stood when it learned the truth, not when it was asked",
)
OWN_DRAWS = Condition(
    "drawn-by-the-policy-alone",
    "every arm was drawn by the policy alone, without a least propensity",
)


def told_in_turn(guarantees: Iterable[Guarantee], late: int, untold: int) -> list[Guarantee]:
    """Guarantees about what was chosen, which promise nothing once choices were made without earlier feedback.

    Parameters
    ----------
    guarantees : iterable of Guarantee
    late : int
        Trials told after something else was learned since they were asked.
    untold : int
        Trials that wait, without the one that was asked last if nothing was told since.
    """
    if late or untold:
        told = Assumption(IN_TURN, "violated", f"{late:,} were told late, {untold:,} were not told")
    else:
        told = Assumption(IN_TURN, "checked")
    return [judged(one, told) for one in guarantees]


def counted_as_learned(guarantees: Iterable[Guarantee], late: int) -> list[Guarantee]:
    """Guarantees about rounds: they say nothing of predictions that were made earlier, and are called otherwise."""
    if not late:
        return list(guarantees)
    how = Assumption(AS_LEARNED, "by construction", f"{late:,} were told late")
    return [judged(replace(one, of=when_learned(one.of)), how) for one in guarantees]


def drawn_alone(guarantees: Iterable[Guarantee], floor: float) -> list[Guarantee]:
    """Guarantees of a policy some of whose arms are drawn for exploration alone."""
    if not floor:
        return list(guarantees)
    drawn = Assumption(OWN_DRAWS, "violated", f"each is drawn with probability {floor:g} at least")
    return [judged(one, drawn) for one in guarantees]
