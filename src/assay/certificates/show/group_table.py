"""What is promised of groups, each in a line, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from assay.certificates.show.markup import Markup, tag
from assay.certificates.show.words import (
    observed_number,
    percent_above,
    promised_number,
    quantity_of,
)
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Subject, subject_of
from assay.theory.claim import OF_GROUP

NAMES = ("Group", "Promised, at most", "Observed", "Wrong")
MOST = 40
"""Of more groups than this, those of which the least is promised."""


def is_of_group(claim: Guarantee) -> bool:
    """Whether a claim is about one group of rows."""
    return quantity_of(claim) in OF_GROUP


def worst_first(claims: Iterable[Guarantee]) -> list[Guarantee]:
    """The claims about single groups, the largest bound first, and of equal ones what was seen more often.

    Examples
    --------
    >>> from assay import certify
    >>> made = certify(y_true=[1] * 9, y_pred=[1] * 9, groups={"sex": ["f"] * 4 + ["m"] * 5}, labels=[0, 1])
    >>> [claim.of.group for claim in worst_first(made.claims)]
    ["sex = 'f'", "sex = 'm'"]
    """

    def rank(claim: Guarantee) -> tuple[Fraction, Fraction]:
        return Fraction(claim.promised_text or "2"), Fraction(claim.observed_text or "0")

    return sorted(filter(is_of_group, claims), key=rank, reverse=True)


def group_rows(claims: Iterable[Guarantee]) -> list[tuple[str, str, str, str]]:
    """For each group its name, what is promised, the share that was wrong, and of how many.

    Examples
    --------
    >>> from assay import certify
    >>> groups = {"sex": ["f"] * 40 + ["m"] * 50}
    >>> made = certify(y_true=[1] * 90, y_pred=[0] * 2 + [1] * 88, groups=groups, labels=[0, 1])
    >>> group_rows(made.claims)[0]
    ("sex = 'f'", '20.7 %', '5 %', '2 of 40')
    """
    return [
        (
            _subject(c).group,
            "nothing" if c.vacuous else promised_number(c),
            observed_number(c),
            _wrong(c),
        )
        for c in worst_first(claims)
    ]


def group_records(claims: Iterable[Guarantee]) -> list[dict[str, Any]]:
    """The same as plain data, for scripts.

    Examples
    --------
    >>> from assay import certify
    >>> groups = {"sex": ["f"] * 40 + ["m"] * 50}
    >>> made = certify(y_true=[1] * 90, y_pred=[0] * 2 + [1] * 88, groups=groups, labels=[0, 1])
    >>> one = group_records(made.claims)[0]
    >>> one["group"], one["errors"], one["rows"], one["observed"]
    ({'sex': 'f'}, 2, 40, '0.05')
    """
    records = []
    for claim in worst_first(claims):
        errors, rows, units = _counts(claim)
        records.append(
            {
                "group": dict(_subject(claim).groups[0]),
                "errors": errors,
                "rows": rows,
                **({} if units is None else {"units": units}),
                "observed": claim.observed_text,
                "promised": claim.promised_text,
            }
        )
    return records


def _subject(claim: Guarantee) -> Subject:
    subject = subject_of(claim.of)
    assert subject is not None
    return subject


def _counts(claim: Guarantee) -> tuple[int, int, int | None]:
    """Errors and rows of a group, and in how many units, where rows come in units."""
    inputs = claim.inputs
    if "units" not in inputs:
        return inputs["errors"], inputs["rows"], None
    units = inputs["units"]
    errors, rows = (sum(kind[i] * kind[2] for kind in units) for i in (0, 1))
    return errors, rows, sum(kind[2] for kind in units)


def _wrong(claim: Guarantee) -> str:
    errors, rows, units = _counts(claim)
    return f"{errors:,} of {rows:,}" + ("" if units is None else f" in {units:,} units")


def left_out(rows: Sequence[object]) -> str:
    """How many groups a table does not show; empty where it shows all."""
    more = len(rows) - MOST
    if more == 1:
        return "1 more group has a smaller bound, or none larger."
    return f"{more:,} more groups have smaller bounds, or none larger." if more > 0 else ""


def groups_table(claims: Sequence[Guarantee]) -> Markup:
    """The groups of a certificate as a table of HTML."""
    rows = group_rows(claims)
    head = tag("tr", [tag("th", name, scope="col") for name in NAMES])
    body = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            [tag("td", cell, data_label=of) for of, cell in zip(NAMES[1:], cells, strict=True)],
        )
        for name, *cells in rows[:MOST]
    ]
    spent = sum((Fraction(c.delta) for c in worst_first(claims)), Fraction(0))
    share = (
        "" if not spent else f" Together they fail with probability at most {percent_above(spent)}."
    )
    caption = f"Each of {len(rows):,} groups, the largest bound first.{share} {left_out(rows)}"
    return tag("table", tag("caption", caption.strip()), tag("thead", head), tag("tbody", body))
