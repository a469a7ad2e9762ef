"""What there is to tell about a model that was learned from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.certificates.show.words import capital, promised, quantity_of, seen
from assay.errors import MissingExtra
from assay.guarantees.subject import subject_of
from assay.report.blocks import with_article
from assay.report.story import Candidate, ClassErrors, Model, Panel, Prepared, Source, Story
from assay.report.text import confidence_text, percent
from assay.tables.concerns import concerns_of, other_notes
from assay.tables.fit import FittedTable
from assay.tables.panels import panels_of


def story_of(
    fitted: FittedTable,
    *,
    model: Path | None = None,
    certificate: Path | None = None,
    figures: bool = False,
) -> Story:
    """The story of a fit, for the terminal and for the report.

    Parameters
    ----------
    fitted : FittedTable
        What was learned.
    model, certificate : path, optional
        Where model and certificate were written.
    figures : bool
        Whether figures are wanted, which takes plotly.
    """
    issued = fitted.certificate
    name = fitted.source.path.name
    target = "its labels" if fitted.source.target is None else f"{fitted.source.target!r}"
    notes = list(other_notes(fitted))
    panels: tuple[Panel, ...] = ()
    if figures and fitted.entry is None:
        try:
            panels = panels_of(fitted)
        except MissingExtra as missing:
            notes.append(str(missing))
    return Story(
        title=f"{fitted.learner} predicts {target} of {name}",
        summary=_summary(fitted),
        sources=_sources(fitted),
        model=Model(
            fitted.learner,
            {key: repr(value) for key, value in changed_parameters(fitted.model).items()},
            tuple(str(label) for label in getattr(fitted.model, "classes_", ())),
            fitted.evidence.model or "",
        ),
        preparation=_preparation(fitted),
        candidates=_candidates(fitted),
        tested=_tested(fitted),
        certificate=issued,
        concerns=concerns_of(fitted),
        classes=_classes(fitted),
        baseline=_baseline(fitted),
        # With a ledger nothing is told but what was charged for.
        guarantees=fitted.guarantees if fitted.entry is None else (),
        panels=panels,
        verify=_commands(fitted, model, certificate),
        notes=tuple(notes),
    )


def _summary(fitted: FittedTable) -> tuple[str, ...]:
    if fitted.quantity is not None:
        return _summary_of_quantity(fitted)
    wrong, rows = fitted.evidence.errors or 0, fitted.evidence.rows
    sentences = [
        f"{capital(with_article(fitted.learner))} learned from {fitted.train_rows:,} rows in "
        f"{seconds_text(fitted.seconds)}. Of {rows:,} rows that were held out it got {wrong:,} wrong "
        f"({percent(wrong / rows)})."
    ]
    return (*sentences, *_promise(fitted))


def _summary_of_quantity(fitted: FittedTable) -> tuple[str, ...]:
    """What was learned and how far off it is; R squared is what was seen, and nothing is promised of it."""
    learned = (
        f"{capital(with_article(fitted.learner))} learned from {fitted.train_rows:,} rows in "
        f"{seconds_text(fitted.seconds)}."
    )
    if fitted.entry is not None:
        # With a ledger nothing is told but what was charged for.
        return (
            f"{learned} {seen(fitted.certificate.claims[0], fitted.evidence.rows)}",
            *_promise(fitted),
        )
    numbers = fitted.evidence.quantities
    assert numbers is not None
    explained = "" if numbers.r_squared is None else f" (R² {numbers.r_squared:.3f})"
    return (
        f"{learned} On {fitted.evidence.rows:,} rows that were held out it is off by {numbers.mean_absolute:.4g} on "
        f"average{explained}.",
        *_promise(fitted),
    )


def _promise(fitted: FittedTable) -> tuple[str, ...]:
    sentences = []
    claim = fitted.certificate.claims[0]
    if claim.promised is not None and not claim.vacuous:
        sure = confidence_text(str(fitted.certificate.document["delta"]["total"]))
        sentence = promised(claim, f", with {sure}").rstrip(".")
        sentences.append(
            f"So one may promise: {sentence[0].lower()}{sentence[1:]}, as long as new rows come from where these "
            f"came from."
        )
    return tuple(sentences)


def _baseline(fitted: FittedTable) -> str:
    # With a ledger nothing is told but what was charged for.
    if fitted.entry is not None:
        return ""
    label, missed = fitted.commonest
    if fitted.quantity is not None:
        return f"Baseline (always the median, {label:.4g}): off by {missed:.4g} on average."
    return f"Baseline (always {label!r}): {percent(missed / fitted.evidence.rows)} wrong."


def _classes(fitted: FittedTable) -> tuple[ClassErrors, ...]:
    tally = fitted.evidence.tally
    if tally is None or tally.confusion is None or fitted.entry is not None:
        return ()
    promises = {
        subject.label: claim.promised_text
        for claim in fitted.certificate.claims
        if (subject := subject_of(claim.of)) is not None and subject.quantity == "class-error"
    }
    classes = []
    for place, (label, row) in enumerate(zip(tally.labels, tally.confusion, strict=True)):
        others = [0 if other == place else many for other, many in enumerate(row)]
        taken_for = str(tally.labels[others.index(max(others))]) if any(others) else ""
        one = ClassErrors(str(label), sum(row), sum(others), taken_for, promises.get(label))
        classes.append(one)
    return tuple(classes)


def _sources(fitted: FittedTable) -> tuple[Source, ...]:
    columns = None if fitted.preparation is None else len(fitted.preparation.columns)
    table = fitted.source
    if fitted.holdout_source is None:
        rows = fitted.train_rows + fitted.evidence.rows + fitted.repeated
        return (
            Source(table.path.name, "learned from and tested on", rows, columns, table.digest()),
        )
    other = fitted.holdout_source
    return (
        Source(table.path.name, "learned from", fitted.train_rows, columns, table.digest()),
        Source(
            other.path.name,
            "tested on",
            fitted.evidence.rows + fitted.repeated,
            columns,
            other.digest(),
        ),
    )


def _preparation(fitted: FittedTable) -> tuple[Prepared, ...]:
    if fitted.preparation is None:
        return ()
    return tuple(Prepared(*line) for line in fitted.preparation.described())


def _candidates(fitted: FittedTable) -> tuple[Candidate, ...]:
    if fitted.choice is None or fitted.entry is not None:
        return ()
    drawn = fitted.evidence.units is None and not fitted.void
    return tuple(
        Candidate(
            str(one.candidate),
            None if one.errors is None else one.errors / one.rows,
            # Where rows depend on each other, their counts rank the candidates and promise nothing.
            one.promised if drawn else None,
            one.seconds if one.judged else None,
            one is fitted.choice.chosen,
            one.remark,
            off=one.off,
        )
        for one in fitted.choice.tried
    )


def _tested(fitted: FittedTable) -> tuple[str, ...]:
    paragraphs = [
        f"The holdout is {fitted.drawn}. Means, deviations and categories, the choice of the learner and the learning "
        f"itself rest on the other rows alone; the held-out rows were predicted once, at the end."
        if fitted.holdout_source is None
        else f"The holdout is {fitted.drawn}. Nothing was learned from it; its rows were predicted once, at the end."
    ]
    if fitted.choice is not None:
        best = fitted.choice.chosen
        claimed = quantity_of(fitted.certificate.claims[-1]) == "chosen-error"
        paid = " The choice pays for itself with a tenth of delta." if claimed else ""
        many = len(fitted.choice.tried)
        if fitted.quantity is not None:
            paragraphs.append(
                f"The learner was chosen among {many} candidates by their mean absolute error: they learned from "
                f"three quarters of the training rows and were judged on the other {best.rows:,}; losers were stopped "
                f"early. The one chosen then learned from all training rows. The holdout had no part in it, so the "
                f"promise pays nothing for the choice."
            )
            return tuple(paragraphs)
        again = (
            f" The last ones were compared on {fitted.choice.splits} such splits; errors and promises above are those "
            f"on the first."
            if fitted.choice.splits > 1
            else ""
        )
        paragraphs.append(
            f"The learner was chosen among {many} candidates on training rows alone: they learned from three quarters "
            f"of them and were judged on the other {best.rows:,}; losers were stopped early."
            f"{again}{paid} The one chosen then learned from all training rows."
        )
    return tuple(paragraphs)


def _commands(fitted: FittedTable, model: Path | None, certificate: Path | None) -> tuple[str, ...]:
    commands = []
    if certificate is not None:
        commands.append(f"assay verify {certificate}")
    if model is not None and fitted.source.frame is None:
        commands.append(f"assay predict {model} {fitted.source.path.name}")
    return tuple(commands)


def changed_parameters(model: Any) -> dict[str, Any]:
    """The parameters that are not as by default."""
    plain = type(model)().get_params(deep=False)
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(plain[name])
    }


def seconds_text(seconds: float) -> str:
    """A time as a person says it.

    Examples
    --------
    >>> seconds_text(0.0123), seconds_text(75)
    ('12 ms', '75 s')
    """
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"
