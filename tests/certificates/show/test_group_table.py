"""Groups in tables: the worst first, and nothing of a name can act."""

from assay import certify
from assay.certificates.show.group_table import (
    MOST,
    group_records,
    group_rows,
    left_out,
    worst_first,
)
from assay.report.markdown import certificate_markdown

NASTY = "<script>|\n"
SEEN = {"y_true": [1] * 300, "y_pred": [0] * 9 + [1] * 291, "labels": [0, 1]}
MADE = certify(**SEEN, groups={NASTY: [NASTY] * 100 + ["b"] * 200})
MANY = certify(**SEEN, groups={"g": [f"{i:02}" for i in range(60)] * 5})


def test_the_largest_bound_comes_first():
    bounds = [claim.promised for claim in worst_first(MANY.claims)]
    assert bounds == sorted(bounds, reverse=True)
    assert len(bounds) == len(group_rows(MANY.claims)) == 60
    assert left_out(bounds) == f"{60 - MOST} more groups have smaller bounds, or none larger."
    assert left_out(range(MOST + 1)) == "1 more group has a smaller bound, or none larger."
    assert left_out(range(MOST)) == ""
    records = group_records(MANY.claims)
    assert sum(one["rows"] for one in records) == 300
    assert records[0]["promised"] == worst_first(MANY.claims)[0].promised_text


def test_cards_and_markdown():
    card = MANY._repr_html_()
    assert card.count('data-label="Wrong"') == MOST
    assert "Each of 60 groups, the largest bound first." in card
    assert "Together they fail with probability at most 1.25 %." in card
    assert "20 more groups have smaller bounds" in card
    for page in (MADE._repr_html_(), certificate_markdown(MADE)):
        assert "<script>" not in page
    table = [line for line in certificate_markdown(MADE).splitlines() if line.startswith("| ")]
    assert any(line.endswith("| 9 of 100 |") for line in table)
    assert (
        len([line for line in certificate_markdown(MANY).splitlines() if " of 5 |" in line]) == 50
    )
