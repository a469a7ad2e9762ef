"""A plan as a report: what to buy, and how likely fewer or more rows are to suffice."""

from __future__ import annotations

from assay.certificates.issue.plans.planned import Plan
from assay.report.plan_text import plan_text
from assay.report.story import Panel, Story


def plan_story(plan: Plan) -> Story:
    """What `plan_text` says, with the figure of its power; rows to learn from have none.

    Examples
    --------
    >>> from assay import plan
    >>> story = plan_story(plan(gate=(0.01, 0.05)))
    >>> story.summary[0], [panel.title for panel in story.panels]
    ('Buy 344 labelled rows.', ['How likely other numbers of rows are to suffice'])
    """
    return Story("A plan", summary=tuple(plan_text(plan).split("\n")), panels=_panels(plan))


def _panels(plan: Plan) -> tuple[Panel, ...]:
    if plan.power is None:
        return ()
    from assay.report.figures.power import power_by_rows

    caption = (
        f"If the guess is right. The mark stands at the {plan.rows:,} rows of the plan; the chance goes up and down in "
        "small steps, since errors are whole numbers."
    )
    return (Panel("How likely other numbers of rows are to suffice", power_by_rows(plan), caption),)
