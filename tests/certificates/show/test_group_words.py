"""Groups in sentences."""

import numpy as np

from assay import certify
from assay.certificates.show.words import at_once, promised, seen
from assay.report.text import accounting, certificate_text

SEX = ["f"] * 40 + ["m"] * 59 + [None]
SEEN = {"y_true": [1] * 100, "y_pred": [0] * 4 + [1] * 96, "labels": [0, 1]}


def test_sentences(recwarn):
    made = certify(**SEEN, groups={"sex": SEX})
    _, one, _, missing, worst, gap = made.claims
    assert (
        promised(one, "") == "The chance that a new row with sex = 'f' is wrong is at most 28.8 %."
    )
    assert seen(missing, 100) == "0 of 1 rows with sex missing are wrong (0 %)."
    assert (
        seen(worst, 100)
        == "Of 3 groups, the one with sex = 'f' is wrong most often: 4 of 40 rows (10 %)."
    )
    assert promised(worst, "").startswith(
        "In every group, the chance that a new row is wrong is at most 99."
    )
    assert seen(gap, 100).endswith("are furthest apart, by 10 points.")
    assert promised(gap, "").startswith(
        "The errors of no two groups by sex are further apart than 99."
    )
    assert (
        at_once(made.claims, "95 % confidence")
        == "All 6 promises hold at once, with 95 % confidence."
    )
    assert accounting(made)[1] == "The bounds of the 3 groups spend 0.00417 each."


def test_groups_that_err_alike_are_not_apart():
    alike = certify(**SEEN | {"y_pred": [1] * 100}, groups={"sex": ["f"] * 40 + ["m"] * 60})
    assert seen(alike.claims[-1], 100) == "The errors of the 2 groups are the same."


def test_one_group_stands_in_the_table():
    text = certificate_text(certify(**SEEN, groups={"sex": ["f"] * 100}))
    assert "Groups    group      at most  seen     wrong" in text
    assert "All 2 promises hold at once, with 95 % confidence." in text
    assert "The bound of the one group spends 0.025." in text


def test_units_and_passes():
    units = {**SEEN, "unit": np.arange(100) // 2, "groups": {"sex": ["f"] * 50 + ["m"] * 50}}
    _, one, _, worst = certify(**units).claims
    assert (
        seen(one, 100)
        == "Of the rows of one unit with sex = 'f', 8 % are wrong on average over 25 units."
    )
    assert (
        "a row of a new unit with sex = 'f' is wrong, averaged over units, is at most"
        in promised(one, "")
    )
    assert (
        seen(worst, 100)
        == "Of 2 groups, the one with sex = 'f' is wrong most often: 25 units (8 %)."
    )
    assert promised(worst, "").startswith(
        "In every group, the chance that a row of a new unit is wrong"
    )
    asked = {"groups": {"sex": ["f"] * 50 + ["m"] * 50}, "every_group": True, "max_error": 0.3}
    [told] = certify(**SEEN, **asked, answer="pass-fail").claims
    assert (
        seen(told, 100)
        == "No group is wrong more often than allowed, of 2; the counts are not told."
    )


def test_text_lists_groups_in_a_table(recwarn):
    text = certificate_text(certify(**SEEN, groups={"sex": SEX}, rates=["recall"]))
    table = text[text.index("Groups") : text.index("Together")]
    assert table.splitlines() == [
        "Groups    group        at most  seen    wrong",
        "          sex missing   99.8 %   0 %   0 of 1",
        "          sex = 'f'     30.6 %  10 %  4 of 40",
        "          sex = 'm'     9.94 %   0 %  0 of 59",
        "",
    ]
    assert "Error of the group" not in text
    assert "All 7 promises hold at once" in text
