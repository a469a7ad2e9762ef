"""A judge that gives scores, and promises about new rows: from columns to certificates that verify, and forgeries."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

from assay import Certificate, certify, certify_judged, verify
from assay.certificates.format.claim import decode_inputs
from assay.certificates.format.document import sealed
from assay.certificates.show.html import certificate_html
from assay.certificates.show.words import promised, seen
from assay.errors import BadData, BadParameter
from assay.evidence.scored import from_score_chunks, from_scores
from assay.report.text import certificate_text
from tests.refusals import refuses
from tests.soundness import assert_sound, assert_unsound

RNG = np.random.default_rng(7)
SCORE = RNG.beta(0.2, 1.8, 4000)
WRONG = RNG.random(4000) < SCORE
CHOSEN = RNG.choice(4000, 400, replace=False)
LABELS = {int(i): "bad" if WRONG[i] else "good" for i in CHOSEN}
LOSS = {int(i): round(float(WRONG[i]) * 0.75, 2) for i in CHOSEN}
SCORED = certify_judged(score=SCORE, labels=LABELS, wrong="bad")
GRADED = certify_judged(score=SCORE, loss=LOSS)
NEW = certify_judged(score=SCORE, labels=LABELS, wrong="bad", about="new-rows", fixed_before=True)
STRATA = certify_judged(SCORE > 0.3, LABELS, wrong="bad", about="new-rows")


def test_what_is_promised():
    claims = [made.claims[0] for made in (SCORED, GRADED, NEW, STRATA)]
    assert [c.theorem for c in claims] == [
        "judged-mean",
        "judged-mean",
        "judged-mean-draws",
        "judged-strata-draws",
    ]
    assert [c.of.quantity for c in claims] == ["batch-error", "batch-mean-loss", "error", "error"]
    truth = WRONG.mean()
    for claim in claims:
        assert verify(Certificate(sealed(json.loads(json.dumps(SCORED.to_json())))))
        assert claim.vacuous is False
    assert truth < SCORED.error < NEW.error < truth + 0.06
    assert 0.75 * truth < GRADED.error < SCORED.error
    assert SCORED.claims[0].observed == pytest.approx(truth, abs=0.03)
    assert all(verify(made) for made in (SCORED, GRADED, NEW, STRATA))
    conditions = [a.id for a in NEW.claims[0].assumptions]
    assert conditions == [
        "uniform-sample-of-batch",
        "scores-first",
        "labels-in-random-order",
        "independent-draws",
        "fixed-before",
    ]
    assert NEW.claims[0].assumptions[2].status == "by construction"


def test_a_judge_with_scores_saves_labels():
    blind = certify_judged(score=np.full(4000, 0.1), labels=LABELS, wrong="bad")
    assert SCORED.error < blind.error
    plain = certify(errors=sum(v == "bad" for v in LABELS.values()), rows=400, population=4000)
    assert SCORED.error < plain.error


def test_columns_mappings_and_truth_say_the_same():
    column = [LABELS.get(i) for i in range(4000)]
    same = certify_judged(score=pd.Series(SCORE), labels=column, wrong="bad")
    assert same.to_json() == SCORED.to_json()
    truth = np.where(WRONG, "spam", "ham")
    by_truth = certify_judged(
        score=SCORE, labels={i: str(truth[i]) for i in LABELS}, y_pred=np.full(4000, "ham")
    )
    assert by_truth.claims[0].inputs == SCORED.claims[0].inputs
    chunks = [(SCORE[:1000], column[:1000], None, None), (SCORE[1000:], column[1000:], None, None)]
    again = from_score_chunks(chunks, wrong="bad")
    whole = from_scores(SCORE, column, wrong="bad")
    assert again == whole
    assert again.residuals.tolist() == whole.residuals.tolist()


def test_the_order_is_that_of_no_label():
    other = dict.fromkeys(LABELS, "good")
    one, two = from_scores(SCORE, LABELS, wrong="bad"), from_scores(SCORE, other, wrong="bad")
    moved = one.residuals != two.residuals
    assert moved.sum() == sum(v == "bad" for v in LABELS.values())
    # Neither that of the file: the wrong ones are spread evenly.
    file = {i: "bad" if i < 200 else "good" for i in range(400)}
    halves = (
        from_scores(np.full(400, 0.5), file, wrong="bad").residuals.reshape(2, 200).mean(axis=1)
    )
    assert abs(halves[0] - halves[1]) < 0.15


def test_the_data_are_compared():
    assert verify(SCORED, score=SCORE, labels=LABELS).not_compared == ("who issued it",)
    assert verify(GRADED, score=SCORE, loss=LOSS)
    assert verify(NEW, score=SCORE, labels=LABELS)
    assert verify(STRATA, judge=SCORE > 0.3, labels=LABELS)
    first = next(iter(LABELS))
    turned = LABELS | {first: "good" if LABELS[first] == "bad" else "bad"}
    assert not verify(SCORED, score=SCORE, labels=turned)
    assert not verify(SCORED, score=SCORE[::-1], labels=LABELS)
    assert not verify(GRADED, score=SCORE, loss=LOSS | {first: 0.5})
    assert (
        verify(GRADED, score=SCORE, labels=LABELS).reason == "data: labels are losses: give these"
    )
    refused = verify(SCORED, score=SCORE, loss=LOSS)
    assert refused.reason == "data: the certificate is about labels, and what was given are losses"
    assert not verify(SCORED, judge=SCORE > 0.3, labels=LABELS)
    assert not verify(STRATA, score=SCORE, labels=LABELS)


def forge(made, change):
    document = json.loads(json.dumps(made.to_json()))
    change(document)
    return verify(Certificate(sealed(document)))


def claim(**fields):
    return lambda document: document["claims"][0].update(fields)


def inputs(**fields):
    return lambda document: document["claims"][0]["inputs"].update(fields)


@pytest.mark.parametrize("made", [SCORED, GRADED, NEW], ids=["scored", "graded", "new"])
def test_forged_scores_are_refused(made):
    honest = made.to_json()["claims"][0]
    number = float(honest["promised"])
    assert forge(made, lambda document: None)
    assert forge(made, claim(promised=f"{number + 0.01:.6f}"))
    assert not forge(made, claim(promised=f"{number - 0.001:.6f}"))
    assert not forge(made, claim(promised="0"))
    assert not forge(made, claim(observed="0"))
    assert not forge(made, claim(observed=None))
    assert not forge(made, inputs(scores=0))
    assert not forge(made, inputs(scores=500_000))
    assert not forge(made, inputs(items=300))
    assert not forge(made, inputs(items=40_000))
    assert not forge(made, inputs(delta="0.5"))
    assert not forge(made, claim(quantity="errors-in-batch"))
    assert not forge(made, claim(quantity="mean-loss" if made is SCORED else "batch-error"))
    assert not forge(made, claim(strata=["a"]))
    fewer = {**honest["inputs"]["residuals"], "rows": 10}
    assert not forge(made, inputs(residuals=fewer))
    zeros = base64.b64encode(np.zeros(400, "<u2").tobytes()).decode()
    right = {**honest["inputs"]["residuals"], "data": zeros}
    assert not forge(made, inputs(residuals=right))
    assert not forge(made, lambda document: document["data"].update(rows=400))
    assert not forge(made, lambda document: document["data"].update(role="holdout"))
    assert not forge(made, lambda document: document["claims"][0]["assumptions"].pop())
    assert not forge(made, lambda document: document["claims"].append(honest))


def test_residuals_put_into_another_order_are_found_by_the_data():
    """A forger puts labels that are right first, and makes everything else fit."""
    from assay.theory.tail.judged_mean import judged_mean

    honest = SCORED.to_json()["claims"][0]
    x = np.sort(decode_inputs(honest["inputs"])["residuals"])
    bound = judged_mean(x, 4000, honest["inputs"]["scores"], 0.05)
    assert bound < SCORED.error
    data = base64.b64encode(np.rint(x * 65_535).astype("<u2").tobytes()).decode()

    def change(document):
        one = document["claims"][0]
        one["inputs"]["residuals"]["data"] = data
        one["promised"] = repr(bound + 1e-9)

    assert forge(SCORED, change)  # the file alone cannot know the order
    document = json.loads(json.dumps(SCORED.to_json()))
    change(document)
    assert not verify(Certificate(sealed(document)), score=SCORE, labels=LABELS)


def test_forged_strata_of_new_rows_are_refused():
    honest = STRATA.to_json()["claims"][0]
    strata = honest["inputs"]["strata"]
    number = float(honest["promised"])
    assert forge(STRATA, claim(promised=f"{number + 0.01:.6f}"))
    assert not forge(STRATA, claim(promised=f"{number - 1e-6:.9f}"))
    assert not forge(STRATA, claim(observed="0"))
    assert not forge(STRATA, inputs(strata=strata[:1]))
    assert not forge(STRATA, inputs(strata=[[*s[:2], 0] for s in strata]))
    assert not forge(STRATA, inputs(strata=[[s[0], s[0] + 1, s[2]] for s in strata]))
    assert not forge(STRATA, inputs(strata=[[1, 1]]))
    assert not forge(STRATA, inputs(strata=[["1", 1, 1]]))
    assert not forge(STRATA, inputs(strata=5))
    assert not forge(STRATA, inputs(strata=[[10**12, 10**7, 0]]))
    assert not forge(STRATA, claim(quantity="errors-in-batch"))
    counts = {"sizes": [s[0] for s in strata], "labelled": [s[1] for s in strata]}
    assert not forge(STRATA, inputs(**counts))


def test_they_read_well():
    assert "The judge finds 0.1" in certificate_text(SCORED)
    assert "of the 4,000 items of the batch are wrong (" in promised(SCORED.claims[0], "")
    assert "The mean loss over the 4,000 items of the batch is at most 0." in certificate_text(
        GRADED
    )
    assert promised(NEW.claims[0], "").startswith("The chance that a new row is wrong is at most")
    assert "judged True" in seen(STRATA.claims[0], 4000)
    assert "The chance that a new row is wrong" in certificate_text(STRATA)
    for made in (SCORED, GRADED, NEW, STRATA):
        assert certificate_html(made)


def test_labels_at_the_end_promise_nothing():
    with pytest.warns(UserWarning, match="too close to the end of the batch"):
        made = certify_judged(
            score=SCORE, labels=dict.fromkeys(range(3900, 4000), True), wrong=True
        )
    assert made.claims[0].promised is None
    assert verify(made).verdict == "promises nothing"


def test_refusals():
    with pytest.raises(BadParameter, match="but was given judge and score"):
        certify_judged(SCORE > 0.3, LABELS, score=SCORE, wrong="bad")
    with refuses("loss must be left out unless score is given, but is 'given'.", BadParameter):
        certify_judged(SCORE > 0.3, loss=LOSS)
    with refuses("labels must be left out with loss, but is 'given'.", BadParameter):
        certify_judged(score=SCORE, labels=LABELS, loss=LOSS)
    with refuses("score holds 1.5 in row 3, which is no number from 0 to 1.", BadData):
        certify_judged(score=[0, 1, 1.5], labels={0: True}, wrong=True)
    with refuses("score holds nan in row 2, which is no number from 0 to 1.", BadData):
        certify_judged(score=np.array([0, np.nan]), labels={0: True}, wrong=True)
    with refuses("score holds None in row 2, which is no number from 0 to 1.", BadData):
        certify_judged(score=[0.5, None], labels={0: True}, wrong=True)
    with refuses("labels holds -0.1 in row 2, which is no number from 0 to 1.", BadData):
        certify_judged(score=[0.5, 0.5], loss=[None, -0.1])
    with refuses("about must be 'batch' or 'new-rows', but is 'all'.", BadParameter):
        certify_judged(score=SCORE, labels=LABELS, wrong="bad", about="all")
    with refuses(
        "fixed_before must be left out unless the promise is about new rows, but is True.",
        BadParameter,
    ):
        certify_judged(score=SCORE, labels=LABELS, wrong="bad", fixed_before=True)


# The promise, from columns to certificates, where the file is sorted by what is true of it.


def broken(runs, seed, made_by):
    rng = np.random.default_rng(seed)
    wrong = np.arange(300) < 90
    below = 0
    for _ in range(runs):
        score = np.clip(np.where(wrong, 0.6, 0.2) + rng.normal(0, 0.1, 300), 0, 1)
        chosen = rng.choice(300, 80, replace=False)
        below += made_by(score, {int(i): bool(wrong[i]) for i in chosen}) < 0.3
    return below


def ours(score, labels):
    return certify_judged(score=score, labels=labels, wrong=True).error


def in_the_order_of_the_file(score, labels):
    """Broken: wrong rows stand first in the file, and with them those that the judge underrates."""
    from assay.theory.tail.judged_mean import judged_mean

    rounded = np.round(score, 2)
    x = np.array([(labels[i] - rounded[i] + 1) / 2 for i in sorted(labels, reverse=True)])
    return judged_mean(x, 300, round(100 * rounded.sum()), 0.05)


def test_the_promise_is_kept():
    assert_sound(broken(100, 1, ours), 100, 0.05)
    assert_unsound(broken(100, 1, in_the_order_of_the_file), 100, 0.05)


@pytest.mark.guarantees
def test_the_promise_is_kept_at_length():
    assert_sound(broken(10_000, 2, ours), 10_000, 0.05)
    assert_unsound(broken(1000, 2, in_the_order_of_the_file), 1000, 0.05)
