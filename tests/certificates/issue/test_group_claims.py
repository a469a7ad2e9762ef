"""Groups, from columns to a certificate that is verified from the file and against the data."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from assay import certify, verify
from assay.errors import BadData, BadParameter, CertificateRefused
from assay.theory.registry import find_theorem
from assay.theory.tail.groups import group_exact, group_gap, worst_group
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

SIZES, WRONG = [400, 250, 150, 100, 60, 40], [20, 12, 10, 5, 2, 1]
LANGUAGE = np.repeat(list("abcdef"), SIZES)
HALF = np.arange(1000) % 2 == 0
TRUTH = np.arange(1000) // 2 % 2
STARTS = np.cumsum([0, *SIZES[:-1]])
GUESS = TRUTH.copy()
for _start, _many in zip(STARTS, WRONG, strict=True):
    GUESS[_start : _start + _many] = 1 - GUESS[_start : _start + _many]
BOTH = {"y_true": TRUTH, "y_pred": GUESS}


def certified(**asked):
    made = certify(**BOTH, **asked)
    given = {"groups": asked["groups"], **({"unit": asked["unit"]} if "unit" in asked else {})}
    assert verify(made), verify(made).reason
    assert verify(made, **BOTH, **given), verify(made, **BOTH, **given).reason
    return made


def test_the_golden_numbers_hold_at_once():
    # A quarter of delta goes to the bounds of the groups: here 0.05 of 0.2.
    made = certified(groups={"language": LANGUAGE}, delta="0.2")
    first, *groups, worst, gap = made.claims
    assert first.promised == pytest.approx(0.0600248, abs=1e-6)
    assert [round(claim.promised, 4) for claim in groups] == [
        *(0.0824, 0.0906, 0.1318, 0.1283, 0.1362, 0.1592)
    ]
    assert [c.promised for c in groups] == [
        group_exact(k, n, Fraction(1, 120)) for k, n in zip(WRONG, SIZES, strict=True)
    ]
    assert worst.promised == worst_group(WRONG, SIZES, "0.025")
    assert gap.promised == pytest.approx(group_gap(WRONG, SIZES, "0.025"), abs=1e-15)
    assert (worst.observed, gap.observed) == (
        pytest.approx(10 / 150),
        pytest.approx(10 / 150 - 1 / 40),
    )
    assert groups[0].of.group == "language = 'a'"
    spent = [Fraction(share) for _, share in made.document["delta"]["spent"]]
    assert sum(spent) <= Fraction("0.2")
    assert spent[0] == Fraction("0.1")


def test_every_group_is_promised_at_the_full_delta():
    made = certified(groups=LANGUAGE, every_group=True)
    [claim] = made.claims
    assert claim.promised == worst_group(WRONG, SIZES, "0.05") == made.error
    assert claim.delta == "0.05"
    assert certified(groups=LANGUAGE, every_group=True, max_error="0.12").error == made.error
    told = certified(groups=LANGUAGE, every_group=True, max_error=0.12, answer="pass-fail")
    assert told.claims[0].observed is None
    assert 0.113 < told.error <= 0.12


def test_a_gate_that_fails_names_the_groups_and_what_they_need():
    with refuses(
        "Fail: an error rate of 0.1 cannot be promised for every group: language = 'c' (10 of 150 wrong) needs about "
        "275 rows at this rate of errors; language = 'd' (5 of 100 wrong) needs about 129 rows at this rate of errors; "
        "language = 'e' (2 of 60 wrong) needs about 76 rows at this rate of errors; language = 'f' (1 of 40 wrong) "
        "needs about 61 rows at this rate of errors.",
        CertificateRefused,
    ):
        certify(**BOTH, groups={"language": LANGUAGE}, every_group=True, max_error=0.1)
    with refuses(
        "Fail: an error rate of 0.05 in every group cannot be promised from this holdout, where this look may fail "
        "with probability 0.05. The group language = 'f' would need 59 rows to pass without an error.",
        CertificateRefused,
    ):
        asked = {"every_group": True, "max_error": 0.05, "answer": "pass-fail"}
        certify(**BOTH, groups={"language": LANGUAGE}, **asked)


def test_columns_are_crossed_and_all_groups_counted():
    frame = {"language": LANGUAGE, "half": HALF}
    made = certified(groups=frame)
    shares = [c.delta for c in made.claims if c.of.quantity == "group-error"]
    assert len(shares) == 8
    assert Fraction(shares[0]) <= Fraction("0.05") / 4 / 8
    gaps = [c.of.columns for c in made.claims if c.of.quantity == "group-gap"]
    assert gaps == ["language", "half"]


@pytest.mark.parametrize("unit", [np.arange(1000) // 5, np.arange(1000) % 250])
def test_groups_of_rows_that_come_in_units(unit):
    made = certified(groups={"language": LANGUAGE}, unit=unit)
    quantities = [claim.of.quantity for claim in made.claims]
    assert quantities == ["unit-mean-error", *["group-unit-mean-error"] * 6, *quantities[-1:]]
    assert quantities[-1] == "worst-group-unit-mean-error"


def test_rows_without_a_value_are_a_group_of_their_own():
    groups = [None if g == "f" else g for g in LANGUAGE.tolist()]
    with pytest.warns(UserWarning, match="group has no value in 40 rows; these are a group"):
        made = certified(groups=groups)
    assert made.claims[6].of.group == "group missing"


def test_what_cannot_be_asked_is_refused():
    with refuses("every_group needs groups: say what divides the rows into groups.", BadParameter):
        certify(**BOTH, every_group=True)
    with refuses(
        "group holds numbers of more than 50 different values, which are no groups: bin them first, such as ages "
        "into bands.",
        BadData,
    ):
        certify(**BOTH, groups=np.arange(1000) / 10)
    with refuses("group must hold a value for every row of the truth, but has 999 rows.", BadData):
        certify(**BOTH, groups=LANGUAGE[:-1])


class Echo:
    """A model that predicts what a column says."""

    def predict(self, X):
        return X["guess"].to_numpy()


def rows(**more):
    return pd.DataFrame({"number": np.arange(1000), "language": LANGUAGE, "guess": GUESS, **more})


def test_columns_of_what_a_model_predicts():
    X = rows(half=HALF)
    made = certify(Echo(), X, TRUTH, groups=["language", "language*half"])
    assert [c.of.quantity for c in made.claims].count("group-error") == 6 + 12
    assert verify(made, **BOTH, groups={"language": LANGUAGE, "x": X[["language", "half"]]})
    with pytest.raises(BadParameter, match="groups must name columns of X, but 'job' does not"):
        certify(Echo(), X, TRUTH, groups="job")


def test_rows_that_were_learned_from_count_in_no_group():
    X = rows()
    made = certify(Echo(), X, TRUTH, groups="language", train=X[:100], overlap="drop")
    counts = {c.of.group: c.inputs for c in made.claims if c.of.quantity == "group-error"}
    assert counts["language = 'a'"]["rows"] == SIZES[0] - 100
    assert counts["language = 'a'"]["errors"] == 0  # the wrong ones come first
    assert sum(i["rows"] for i in counts.values()) == made.rows == 900
    # Equal rows count once, in their group too.
    twice = pd.concat([X, X[:50]])
    again = certify(Echo(), twice, np.concatenate([TRUTH, TRUTH[:50]]), groups="language")
    assert again.rows == 1000


def test_groups_beside_rates_and_scores_share_what_is_left():
    made = certify(**BOTH, groups=LANGUAGE, rates=["class", "accuracy"], delta="0.08")
    spent = [Fraction(share) for _, share in made.document["delta"]["spent"]]
    assert spent[0] == Fraction("0.04")
    assert sum(spent[1:4]) == Fraction("0.02")  # two classes and the accuracy
    assert 0 <= Fraction("0.02") - sum(spent[4:]) < Fraction(1, 10**15)
    score = np.where(GUESS == 1, 0.9, 0.1)
    ranked = certify(**BOTH, score=score, groups=LANGUAGE, rates="auc")
    assert [c.of.quantity for c in ranked.claims][:3] == ["error", "auc", "group-error"]
    assert verify(ranked, **BOTH, score=score, groups=LANGUAGE)


def test_one_group_alone_has_all_of_the_share():
    made = certify(**BOTH, groups=["all"] * 1000)
    assert [c.of.quantity for c in made.claims] == ["error", "group-error"]
    assert made.claims[1].delta == "0.025"
    [only] = certify(**BOTH, groups=["all"] * 1000, every_group=True).claims
    assert only.promised == certify(**BOTH).error


def test_what_voids_the_draw_voids_the_groups():
    made = certify(Echo(), rows(), TRUTH, groups="language", train=rows()[:5])
    assert all(c.promised is None for c in made.claims)
    assert verify(made).verdict == "promises nothing"


def test_declared_or_not_asked():
    for declared, status in ((True, "declared"), (False, "not asked")):
        made = certify(**BOTH, groups=LANGUAGE, fixed_before=declared)
        known = [a.status for c in made.claims for a in c.assumptions if a.id == "groups-declared"]
        assert known == [status] * 8
    [note] = [n for n in verify(made).notes if "groups" in n]
    assert note == "nobody was asked whether the groups were named before these rows were seen"


def held_at_once(draw, delta):
    """Whether all promises of a certificate hold; and whether those of each claim by itself at the full delta do."""
    rates = {"a": 0.1, "b": 0.25, "c": 0.05}
    place = draw.choice(list(rates), 90, p=[0.5, 0.2, 0.3])
    truth = np.zeros(90, dtype=int)
    guess = (draw.random(90) < np.vectorize(rates.get)(place)).astype(int)
    true = {
        "error": 0.5 * 0.1 + 0.2 * 0.25 + 0.3 * 0.05,
        "worst-group-error": 0.25,
        "group-gap": 0.2,
    }
    broken, alone = False, False
    for claim in certify(
        y_true=truth, y_pred=guess, labels=[0, 1], groups=place, delta=delta
    ).claims:
        subject = claim.of
        level = rates[subject.groups[0][0][1]] if subject.quantity == "group-error" else None
        level = true[subject.quantity] if level is None else level
        broken |= claim.promised < level
        twin = find_theorem(claim.theorem)(**{**claim.inputs, "delta": delta})
        alone |= float(twin) < level
    return broken, alone


@pytest.mark.guarantees
def test_all_promises_of_a_certificate_hold_at_once():
    draw, trials, delta = np.random.default_rng(11), 10_000, "0.4"
    broken, alone = np.array([held_at_once(draw, delta) for _ in range(trials)]).sum(axis=0)
    assert_sound(int(broken), trials, 0.4)
    assert_unsound(int(alone), trials, 0.4)
