"""A judged batch, from verdicts and a few labels to a certificate verified from the file and against the data."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay import Certificate, certify_judged, verify
from assay.certificates.format.document import sealed
from assay.certificates.show.html import certificate_html, verdict
from assay.errors import BadData, BadParameter, CertificateRefused
from assay.report.figures.certificate import promised_and_observed
from assay.report.text import certificate_text
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

SIZES = {"flagged": 1000, "passed": 9000}
COUNTS = {"flagged": (100, 80), "passed": (300, 3)}


def batch(seed=0):
    """Verdicts, the truth, and labels of 100 flagged and 300 passed items; 890 of 10,000 are wrong."""
    rng = np.random.default_rng(seed)
    judge = np.repeat(["flagged", "passed"], [1000, 9000])
    wrong = np.r_[np.arange(1000) < 800, np.arange(9000) < 90]
    order = rng.permutation(10_000)
    judge, wrong = judge[order], wrong[order]
    chosen = [
        rng.choice(np.flatnonzero(judge == verdict), many, replace=False)
        for verdict, many in (("flagged", 100), ("passed", 300))
    ]
    return judge, wrong, np.concatenate(chosen)


JUDGE, WRONG, CHOSEN = batch()
LABELS = {int(i): "bad" if WRONG[i] else "good" for i in CHOSEN}
COLUMN = [LABELS.get(i) for i in range(10_000)]
ISSUED = certify_judged(JUDGE, LABELS, wrong="bad")


@pytest.mark.parametrize(
    ("population", "labels", "most"),
    [
        (SIZES, COUNTS, 1077),
        (SIZES, {"flagged": (200, 160), "passed": (200, 2)}, 1146),
        ([500, 9500], [(50, 47), (350, 2)], 680),
    ],
)
def test_the_golden_numbers(population, labels, most):
    made = certify_judged(labels=labels, population=population)
    [claim] = made.claims
    assert (claim.promised, claim.direction, claim.vacuous) == (most, "at most", False)
    assert made.error == pytest.approx(most / 10_000, abs=1e-16)
    assert made.error * 10_000 >= most
    assert made.rows == 10_000
    assert verify(made)


def test_a_mapping_and_every_kind_of_column_with_gaps_say_the_same():
    numbers = [None if label is None else int(label == "bad") for label in COLUMN]
    floats = np.array([np.nan if n is None else n for n in numbers])
    kinds = {
        "list": (COLUMN, "bad"),
        "objects": (np.array(COLUMN, dtype=object), "bad"),
        "pandas": (pd.Series(COLUMN), "bad"),
        "categories": (pd.Series(COLUMN).astype("category"), "bad"),
        "polars": (pl.Series(COLUMN), "bad"),
        "empty text": ([label or "" for label in COLUMN], "bad"),
        "floats": (floats, 1),
        "whole numbers": (pd.Series(numbers, dtype="Int64"), True),
        "truth values": ([None if n is None else bool(n) for n in numbers], True),
        "right": ([None if n is None else not n for n in numbers], False),
    }
    for kind, (labels, wrong) in kinds.items():
        made = certify_judged(JUDGE, labels, wrong=wrong)
        assert made.claims[0].inputs == ISSUED.claims[0].inputs, kind
        assert verify(made, judge=JUDGE, labels=labels), kind
    same = certify_judged(JUDGE, COLUMN, wrong="bad").to_json()
    assert same == ISSUED.to_json()


def test_labels_that_are_the_truth_stand_beside_predictions():
    truth = np.where(np.arange(10_000) % 3 == 0, "spam", "ham")
    guess = np.where(WRONG, np.where(truth == "spam", "ham", "spam"), truth)
    labels = {int(i): str(truth[i]) for i in CHOSEN}
    made = certify_judged(JUDGE, labels, y_pred=guess)
    assert made.claims[0].inputs == ISSUED.claims[0].inputs
    assert verify(made, judge=JUDGE, labels=labels, y_pred=guess)
    assert not verify(made, judge=JUDGE, labels=labels, y_pred=truth)
    missing = verify(made, judge=JUDGE, labels=labels)
    assert missing.reason == "data: labels are the truth: give the predictions too"
    with_floats = certify_judged(
        JUDGE,
        np.where(np.isin(np.arange(10_000), CHOSEN), truth == "spam", np.nan),
        y_pred=(guess == "spam").astype(int),
    )
    assert with_floats.claims[0].inputs == ISSUED.claims[0].inputs


def test_the_data_are_compared_by_digests_and_counts():
    assert verify(ISSUED, judge=JUDGE, labels=COLUMN).not_compared == ("who issued it",)
    shuffled = {**LABELS}
    first = next(i for i in LABELS if LABELS[i] == "bad")
    shuffled[first] = "good"
    assert not verify(ISSUED, judge=JUDGE, labels=shuffled)
    moved = JUDGE.copy()
    moved[first] = "passed" if JUDGE[first] == "flagged" else "flagged"
    assert not verify(ISSUED, judge=moved, labels=LABELS)
    assert not verify(ISSUED, judge=JUDGE[:-1], labels=COLUMN[:-1])
    fewer = {i: label for i, label in LABELS.items() if i != first}
    assert not verify(ISSUED, judge=JUDGE, labels=fewer)
    assert not verify(ISSUED, judge=JUDGE, labels=LABELS, y_pred=JUDGE)
    with refuses("y_true must be left out for a judged batch, but is 'given'.", BadParameter):
        verify(ISSUED, y_true=[0, 1], y_pred=[0, 1])
    with refuses("labels must be given, or loss in its place, but is None.", BadParameter):
        verify(ISSUED, judge=JUDGE)
    counted = certify_judged(labels=COUNTS, population=SIZES)
    assert "labels are the truth" in verify(counted, judge=JUDGE, labels=LABELS).reason


def test_forged_documents_are_refused():
    honest = ISSUED.to_json()
    sizes, labelled, wrong = (
        honest["claims"][0]["inputs"][n] for n in ("sizes", "labelled", "wrong")
    )

    def forged(change):
        document = json.loads(json.dumps(honest))
        change(document)
        return verify(Certificate(sealed(document)))

    def claim(**fields):
        return lambda document: document["claims"][0].update(fields)

    def inputs(**fields):
        return lambda document: document["claims"][0]["inputs"].update(fields)

    def strata(*columns, **fields):
        """Counts changed as a competent forger would: with the promise and what was seen made to fit."""
        names = ("sizes", "labelled", "wrong")
        made = certify_judged(
            population=list(columns[0]), labels=list(zip(columns[1], columns[2], strict=True))
        ).to_json()["claims"][0]

        def change(document):
            one = document["claims"][0]
            one["inputs"].update(dict(zip(names, map(list, columns), strict=True)))
            one.update(promised=made["promised"], observed=made["observed"])
            one["strata"] = [f"s{i}" for i in range(len(columns[0]))]
            document.update(fields)

        return change

    def against_data(change):
        document = json.loads(json.dumps(honest))
        change(document)
        return verify(Certificate(sealed(document)), judge=JUDGE, labels=LABELS)

    assert forged(lambda document: None)
    more = str(int(honest["claims"][0]["promised"]) + 100)
    assert forged(claim(promised=more))  # more than need be is true as well
    assert not forged(claim(promised=str(int(honest["claims"][0]["promised"]) - 1)))
    assert not forged(claim(promised="900.5"))
    assert not forged(claim(observed="1"))
    assert not forged(claim(observed=None))
    assert not forged(claim(quantity="error"))
    assert not forged(claim(quantity="batch-error"))
    assert not forged(claim(strata=["flagged"]))
    assert not forged(claim(strata=["flagged", "flagged"]))
    assert not forged(inputs(delta="0.4"))
    assert not forged(inputs(wrong=[0, 0]))
    # Labels moved from one stratum to the other: the file adds up, and the data say otherwise.
    moved = strata(sizes, [labelled[0] + 50, labelled[1] - 50], wrong)
    assert not forged(inputs(labelled=[labelled[0] + 50, labelled[1] - 50]))
    assert forged(moved)
    assert not against_data(moved)
    # A stratum dropped: the batch is smaller than it is said to be.
    assert not forged(strata(sizes[1:], labelled[1:], wrong[1:]))
    # More labels than there are: refused where they exceed the stratum, found by the data where they do not.
    assert not forged(inputs(labelled=[2000, labelled[1]]))
    larger = strata(sizes, [900, 3000], wrong)
    assert forged(larger)
    assert not against_data(larger)
    # All in one stratum, or a stratum more.
    assert not against_data(strata([sum(sizes)], [sum(labelled)], [sum(wrong)]))
    assert not forged(strata([*sizes, 5], [*labelled, 5], [*wrong, 0]))
    assert not forged(lambda document: document["data"].update(rows=9999))
    assert not forged(lambda document: document["data"].update(role="holdout"))
    assert not forged(lambda document: document["data"].update(target="y"))
    assert not forged(lambda document: document["subject"].update(model={"sha256": "0" * 64}))
    assert not forged(lambda document: document["claims"].append(document["claims"][0]))
    assert not forged(lambda document: document["claims"][0]["assumptions"].pop())
    # Nobody compares a batch with a training set, so nobody can say that this was checked.
    none = {"repeated": 0, "rows": len(JUDGE), "left_out": False}
    compared = {"id": "not-in-training", "status": "checked", "overlap": none}
    assert not forged(claim(assumptions=[*honest["claims"][0]["assumptions"], compared]))
    for status in ("checked", "by construction"):
        said = [{"id": "uniform-sample-of-each-stratum", "status": status}]
        assert not forged(claim(assumptions=said + honest["claims"][0]["assumptions"][1:]))
        settled = {**honest["claims"][0]["assumptions"][1], "status": status}
        assert not forged(claim(assumptions=[honest["claims"][0]["assumptions"][0], settled]))


def test_a_judge_has_no_place_elsewhere():
    from assay import certify

    document = certify(errors=50, rows=1000).to_json()
    for part, entry in (("subject", {"judge": {"sha256": "0" * 64}}), ("data", {"wrong": "bad"})):
        forged = json.loads(json.dumps(document))
        forged[part].update(entry)
        assert not verify(Certificate(sealed(forged)))
    plain = json.loads(json.dumps(document))
    plain["claims"][0]["strata"] = ["flagged"]
    assert not verify(Certificate(sealed(plain)))


def test_hostile_counts_take_no_time():
    document = json.loads(json.dumps(ISSUED.to_json()))
    claim = document["claims"][0]
    claim.pop("strata")
    columns = {"sizes": [10**9] * 100, "labelled": [10**6] * 100, "wrong": [5 * 10**5] * 100}
    claim["inputs"].update(columns)
    assert not verify(Certificate(sealed(document)))
    claim["inputs"].update({name: [1] * 101 for name in columns})
    assert not verify(Certificate(sealed(document)))
    claim["inputs"].update({name: [] for name in columns})
    assert not verify(Certificate(sealed(document)))


def test_what_is_declared_is_said():
    statuses = [a.status for a in ISSUED.claims[0].assumptions]
    assert statuses == ["assumed", "not asked"]
    made = certify_judged(JUDGE, LABELS, wrong="bad", at_random=True, judged_first=True)
    assert [a.status for a in made.claims[0].assumptions] == ["declared", "declared"]
    assert verify(made).notes == ()
    shared = certify_judged(JUDGE, LABELS, wrong="bad", models=5)
    assert shared.claims[0].delta == "0.01"
    assert shared.claims[0].promised > ISSUED.claims[0].promised
    assert verify(shared)


def test_labels_at_the_top_of_the_file_promise_nothing():
    first = {i: bool(WRONG[i]) for i in range(400)}
    with pytest.warns(UserWarning, match="Nothing is promised, since the labelled items stand too"):
        made = certify_judged(JUDGE, first, wrong=True)
    assert made.claims[0].promised is None
    assert verify(made).verdict == "promises nothing"
    with pytest.raises(CertificateRefused, match="promises nothing"):
        _ = made.error
    declared = certify_judged(JUDGE, first, wrong=True, at_random=True)
    assert declared.claims[0].promised > 0
    assert "though the labelled items" in str(declared.claims[0].assumptions[0])
    assert verify(declared, judge=JUDGE, labels=first)


def test_all_labelled_is_a_count():
    judge, labels = ["a"] * 5 + ["b"] * 5, [True, False] * 5
    made = certify_judged(judge, labels, wrong=True)
    assert (made.claims[0].promised, made.error) == (5, 0.5)
    assert verify(made, judge=judge, labels=labels)


def test_a_stratum_without_labels_may_be_all_wrong():
    made = certify_judged(labels={"flagged": (100, 80)}, population=SIZES)
    assert made.claims[0].promised > 9000
    assert made.claims[0].observed is None
    assert made.observed is None
    assert verify(made)
    nothing = certify_judged(labels=[(1, 1), (0, 0)], population=[100, 100])
    assert nothing.claims[0].vacuous
    assert verify(nothing).verdict == "promises nothing"


def test_it_reads_well():
    text = certificate_text(certify_judged(labels=COUNTS, population=SIZES))
    assert "judged 'flagged', 100 are labelled and 80 of these wrong; of 9,000 judged" in text
    assert "At most 1,077 of the 10,000 items of the batch are wrong (10.8 %)" in text
    many = certify_judged(labels=[(10, 1)] * 7, population=[100] * 7)
    assert "in 7 strata, 70 are labelled and 7 of these wrong" in certificate_text(many)
    assert "1,077" in certificate_html(certify_judged(labels=COUNTS, population=SIZES))
    assert verdict(ISSUED.claims[0]).word == "in force"
    assert promised_and_observed(ISSUED).data[0].x[0] == ISSUED.claims[0].promised


def test_refusals():
    with refuses(
        "certify_judged takes one of judge (verdicts), score, and population (with labels as counts), but was given "
        "nothing.",
        BadParameter,
    ):
        certify_judged(labels=LABELS)
    with pytest.raises(BadParameter, match="Say what counts as wrong: with wrong='bad' or another"):
        certify_judged(JUDGE, LABELS)
    with refuses(
        "labels must hold two values, of which 'Bad' means wrong, but hold 'bad', 'good'. Write them as two.",
        BadData,
    ):
        certify_judged(JUDGE, LABELS, wrong="Bad")
    with pytest.raises(
        BadParameter, match="wrong must be a label such as labels holds, 'bad', 'good'"
    ):
        certify_judged(JUDGE, LABELS, wrong=1)
    with refuses(
        "a key of labels must be a place from 0 to 9999, as the judge went through 10,000 items, but is 10000.",
        BadParameter,
    ):
        certify_judged(JUDGE, {10_000: "bad"}, wrong="bad")
    for key in (-1, True, "3", 2.5):
        with pytest.raises(BadParameter, match="a key of labels must be"):
            certify_judged(JUDGE, {key: "bad"}, wrong="bad")
    with refuses(
        "labels must be given for at least one item, but is 'missing for all'.", BadParameter
    ):
        certify_judged(JUDGE, [None] * 10_000, wrong="bad")
    with refuses("The judge went through 10,000 rows, but labels holds 9,999.", BadData):
        certify_judged(JUDGE, COLUMN[1:], wrong="bad")
    with refuses("judge must be one of at most 100 verdicts, but is 10000.", BadParameter):
        certify_judged(np.arange(10_000), COLUMN, wrong="bad")
    with pytest.raises(BadData, match="judge has no value in row 2"):
        certify_judged(["a", None], [True, False], wrong=True)
    with pytest.raises(BadData, match=r"labels holds 0.5 in row 2, which is no label"):
        certify_judged(["a", "b", "a"], [None, 0.5, 1.0], wrong=1)
    with pytest.raises(BadData, match="labels and y_pred must share a label"):
        certify_judged(JUDGE, LABELS, y_pred=JUDGE)
    with refuses("wrong must be left out with y_pred, but is 'bad'.", BadParameter):
        certify_judged(JUDGE, LABELS, y_pred=["bad"] * 10_000, wrong="bad")


def test_refusals_of_counts():
    with refuses(
        "labels['flagged'][1] must be at most the 100 that were labelled, but is 101.", BadParameter
    ):
        certify_judged(labels={"flagged": (100, 101)}, population=SIZES)
    with refuses(
        "labels['passed'][0] must be at most the population 9000, but is 9001.", BadParameter
    ):
        certify_judged(labels={"passed": (9001, 1)}, population=SIZES)
    with refuses("a verdict of labels must be one of population, but is 'odd'.", BadParameter):
        certify_judged(labels={"odd": (1, 1)}, population=SIZES)
    with pytest.raises(BadParameter, match="but was given judge and population"):
        certify_judged(JUDGE, COUNTS, population=SIZES)
    with refuses("wrong must be left out with population, but is 'given'.", BadParameter):
        certify_judged(labels=COUNTS, population=SIZES, wrong="bad")
    with refuses("labels must be of 2 strata, but is 1.", BadParameter):
        certify_judged(labels=[(1, 1)], population=[5, 5])
    with pytest.raises(BadParameter, match=r"labels\[0\] must be a pair"):
        certify_judged(labels=[5], population=[5])
    with pytest.raises(BadParameter, match="labels must be a mapping by verdict"):
        certify_judged(labels=[(1, 1)], population=SIZES)
    with pytest.raises(
        BadParameter, match=r"labels\[0\]\[0\] must be at most 1,000,000, but is 2000000"
    ):
        certify_judged(labels=[(2 * 10**6, 0)], population=[10**8])
    # Refused before anything is computed of so many.
    with refuses("population[0] must be at most 1,000,000,000, but is 1000000000000."):
        certify_judged(labels=[(100, 3)], population=[10**12])


# The promise at the worst case of the notes: 10,000 items of which 890 are wrong.


def broken(bound, runs, seed):
    """How often a bound lies below the truth, with labels drawn through `certify_judged`'s own counting."""
    rng = np.random.default_rng(seed)
    flagged = rng.hypergeometric(800, 200, 100, runs)
    passed = rng.hypergeometric(90, 8910, 300, runs)
    pairs, many = np.unique(np.stack([flagged, passed], axis=1), axis=0, return_counts=True)
    low = [bound(int(i), int(j)) < 890 for i, j in pairs]
    return int(many[low].sum())


def ours(flagged, passed):
    labels = {"flagged": (100, flagged), "passed": (300, passed)}
    return certify_judged(labels=labels, population=SIZES).claims[0].promised


def normal(flagged, passed):
    """Broken: the stratified estimate and 1.645 standard errors."""
    total = variance = 0.0
    for size, n, k in ((1000, 100, flagged), (9000, 300, passed)):
        total += size * k / n
        variance += size**2 * (1 - n / size) * (k / n) * (1 - k / n) / (n - 1)
    return total + 1.645 * math.sqrt(variance)


def without_the_factor(flagged, passed):
    """Broken: the product of the p-values is held to delta, as if Fisher had H degrees of freedom and not 2 H."""
    x = -math.log(0.05)
    level = math.exp(-x) * (1 + x)
    labels = {"flagged": (100, flagged), "passed": (300, passed)}
    return certify_judged(labels=labels, population=SIZES, delta=level).claims[0].promised


def whole_batches(runs, seed, strata_of):
    """Small batches gone through from end to end: the strata are what `strata_of` makes of judge and labels."""
    rng = np.random.default_rng(seed)
    below = 0
    for _ in range(runs):
        wrong = rng.permutation(np.arange(400) < 60)
        judge = np.where(rng.random(400) < np.where(wrong, 0.7, 0.1), "bad", "good")
        chosen = rng.choice(400, 80, replace=False)
        labels = {int(i): bool(wrong[i]) for i in chosen}
        made = certify_judged(strata_of(judge, labels), labels, wrong=True, at_random=True)
        below += made.claims[0].promised < 60
    return below


def as_judged(judge, labels):
    return judge


def after_the_labels(judge, labels):
    """Broken: whoever is seen to be right gets a stratum with others of whom nothing is known."""
    strata = judge.copy()
    right = [i for i, wrong in labels.items() if not wrong]
    unlabelled = [i for i in range(len(judge)) if i not in labels]
    strata[right + unlabelled] = "surely right"
    return strata


def test_the_promise_is_kept_and_broken_twins_are_found():
    assert_sound(broken(ours, 2000, 3), 2000, 0.05)
    assert_unsound(broken(normal, 20_000, 3), 20_000, 0.05)
    assert_unsound(broken(without_the_factor, 20_000, 3), 20_000, 0.05)
    assert_sound(whole_batches(60, 1, as_judged), 60, 0.05)
    assert_unsound(whole_batches(60, 1, after_the_labels), 60, 0.05)


@pytest.mark.guarantees
def test_the_promise_is_kept_at_length():
    runs = 20_000
    assert_sound(broken(ours, runs, 4), runs, 0.05)
    assert_unsound(broken(normal, runs, 4), runs, 0.05)
    assert_unsound(broken(without_the_factor, runs, 4), runs, 0.05)
    assert_sound(whole_batches(3000, 2, as_judged), 3000, 0.05)
    assert_unsound(whole_batches(500, 2, after_the_labels), 500, 0.05)
