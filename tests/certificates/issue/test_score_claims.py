"""Promises about scores, from arrays and models to a certificate that is verified from file and data alike."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.errors import BadData, BadParameter
from assay.evidence.pairs import disjoint_pairs
from assay.theory.tail.betting import bounded_betting
from assay.theory.tail.concordance import concordance_at_least
from tests.cli.runner import run
from tests.refusals import refuses

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(800) < 0.4, "spam", "ham")
SCORE = np.clip(RNG.beta(2, 4, 800) + 0.3 * (TRUTH == "spam"), 0, 1)
X = RNG.normal(size=(900, 3))
Y = np.array(["a", "b", "c"])[(X[:, 0] > 0.3).astype(int) + (X[:, 0] + X[:, 1] > 1)]


def test_the_golden_pairs():
    # 200 pairs, of which 20 are the wrong way round, at the whole of delta.
    truth = np.arange(400) % 2
    pairs = disjoint_pairs(truth == 1)
    score = truth.astype(float)
    score[pairs.positive[:20]] = -1.0
    [claim] = certify(y_true=truth, score=score, rates="auc", delta=0.05).claims
    assert (claim.inputs["concordant"], claim.inputs["pairs"]) == (180, 200)
    assert claim.promised == pytest.approx(0.8580107484090549, abs=1e-15)
    assert (claim.direction, claim.of.label, claim.holds) == ("at least", 1, True)


def test_all_three_share_delta_and_are_verified():
    made = certify(y_true=TRUTH, score=SCORE, rates=["log-loss", "auc", "brier"], floor="0.02")
    assert [c.of.quantity for c in made.claims] == ["auc", "brier", "log-loss"]
    assert {c.delta for c in made.claims} == {"0.016666666666666666"}
    ranking, brier, _ = made.claims
    inputs = (ranking.inputs["concordant"], 0, ranking.inputs["pairs"], ranking.delta)
    assert ranking.promised == concordance_at_least(*inputs)
    # The certificate carries losses in steps of 1 / 65535.
    assert brier.promised == pytest.approx(
        bounded_betting((SCORE - (TRUTH == "spam")) ** 2, brier.delta), abs=3e-5
    )
    for found in (verify(made), verify(made, y_true=TRUTH, score=SCORE)):
        assert found, found.reason
    assert "the scores" in verify(made).not_compared
    assert "the scores" not in verify(made, y_true=TRUTH, score=SCORE).not_compared


def test_beside_predictions_they_are_further_rates():
    guess = np.where(SCORE > 0.5, "spam", "ham")
    asked = {"y_true": TRUTH, "y_pred": guess, "score": SCORE}
    made = certify(**asked, rates=["class", "f1", "auc", "brier"], positive="spam")
    assert [c.of.quantity for c in made.claims] == [
        "error",
        "class-error",
        "class-error",
        "f1",
        "auc",
        "brier",
    ]
    # Each name has an eighth; the two classes share that of theirs.
    assert [c.delta for c in made.claims] == ["0.025", *["0.003125"] * 2, *["0.00625"] * 3]
    assert verify(made, **asked)
    assert verify(made, y_true=TRUTH, y_pred=guess).reason == (
        "data: the certificate is about scores: give them too"
    )


@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC()])
def test_a_model_is_asked_for_its_scores(model):
    binary = Y == "c"
    fitted = model.fit(X[:400], binary[:400])
    made = certify(fitted, X[400:], binary[400:], rates=["auc"])
    assert made.claims[1].of.label is True
    assert made.claims[1].promised > 0.9
    scores = fitted.decision_function(X[400:])
    assert verify(made, y_true=binary[400:], y_pred=fitted.predict(X[400:]), score=scores)
    other = certify(fitted, X[400:], binary[400:], rates=["auc"], positive=False)
    assert other.claims[1].inputs["concordant"] == made.claims[1].inputs["concordant"]


def test_a_model_of_several_classes():
    fitted = LogisticRegression().fit(X[:400], Y[:400])
    table, rest = fitted.predict_proba(X[400:]), Y[400:]
    asked = {"rates": ["auc", "brier", "log-loss"], "positive": "c", "floor": 0.01}
    made = certify(fitted, X[400:], rest, **asked)
    assert [c.of.label for c in made.claims] == [None, "c", None, None]
    assert verify(made, y_true=rest, y_pred=fitted.predict(X[400:]), score=table)
    alone = certify(y_true=rest, score=table, **asked)
    assert [c.inputs["pairs"] for c in alone.claims[:1]] == [made.claims[1].inputs["pairs"]]
    assert verify(alone, y_true=rest, score=table)
    # A label that these rows lack has a column all the same.
    some = rest != "b"
    lacking = certify(y_true=rest[some], score=table[some], labels=list("abc"), rates=["brier"])
    assert verify(lacking, y_true=rest[some], score=table[some], labels=list("abc"))


def test_equal_scores_are_settled_by_coins_that_nobody_can_toss_again():
    made = certify(y_true=TRUTH, score=np.ones(800), rates=["auc"]).claims[0]
    assert 0.3 < made.observed < 0.7
    again = certify(y_true=(TRUTH == "spam").astype(int), score=np.ones(800), rates=["auc"]).claims[
        0
    ]
    assert again.inputs == made.inputs
    turned = certify(y_true=TRUTH, score=-SCORE, rates=["auc"], positive="ham").claims[0]
    same = certify(y_true=TRUTH, score=SCORE, rates=["auc"]).claims[0]
    assert turned.inputs == same.inputs


def test_who_puts_rows_into_another_order_gets_other_pairs_and_the_certificate_names_that():
    """A forger may look for an order that pairs well: the condition that this breaks is listed, as not asked."""
    made = certify(y_true=TRUTH, score=SCORE, rates=["auc"])
    seen = {
        certify(y_true=TRUTH[order], score=SCORE[order], rates=["auc"])
        .claims[0]
        .inputs["concordant"]
        for order in (np.random.default_rng(k).permutation(800) for k in range(20))
    }
    assert len(seen) > 3
    listed = {a.id: a.status for a in made.claims[0].assumptions}
    assert listed["order-before-scores"] == listed["fixed-before"] == "not asked"
    declared = certify(y_true=TRUTH, score=SCORE, rates=["auc"], fixed_before=True).claims[0]
    assert {a.id: a.status for a in declared.assumptions}["order-before-scores"] == "declared"
    assert any("order of the rows" in note for note in verify(made).notes)


def test_other_scores_or_another_truth_are_noticed():
    made = certify(y_true=TRUTH, score=SCORE, rates=["auc", "brier"])
    assert "the scores are not those" in verify(made, y_true=TRUTH, score=SCORE[::-1]).reason
    assert "the truth is not the one" in verify(made, y_true=TRUTH[::-1], score=SCORE).reason
    assert not verify(made, y_true=TRUTH, y_pred=TRUTH)
    assert not verify(
        certify(y_true=TRUTH, y_pred=TRUTH), y_true=TRUTH, y_pred=TRUTH, score=SCORE
    ).not_compared[:0]


def resealed(made, change):
    document = json.loads(json.dumps(made.to_json()))
    change(document)
    document["delta"]["spent"] = [
        [claim["theorem"], claim["inputs"]["delta"]] for claim in document["claims"]
    ]
    return verify(Certificate(sealed(document)))


def test_what_does_not_fit_the_rows_is_refused():
    guess = np.where(SCORE > 0.5, "spam", "ham")
    both = certify(
        y_true=TRUTH, y_pred=guess, score=SCORE, rates=["recall", "auc"], positive="spam"
    )
    alone = certify(y_true=TRUTH, score=SCORE, rates=["auc", "brier"])

    def pairs(document):
        claim = document["claims"][-1 if len(document["claims"]) == 3 else 0]
        claim["inputs"]["pairs"] -= 1
        claim["observed"] = str(claim["inputs"]["concordant"] / claim["inputs"]["pairs"])

    def many(document):
        document["data"]["rows"] = 2 * document["claims"][0]["inputs"]["pairs"] - 1

    def twice(document):
        document["claims"].append(document["claims"][0])

    def labels(document):
        document["claims"][1]["label"] = "ham"

    def unnamed(document):
        del document["claims"][0]["label"]

    def ranged(document):
        document["claims"][1]["floor"] = "0.1"

    def nothing(document):
        document["claims"] = certify(errors=10, rows=800).to_json()["claims"]

    assert "pairs do not fit" in resealed(both, pairs).reason
    assert "disjoint pairs do not fit" in resealed(alone, many).reason
    assert "claimed twice" in resealed(alone, twice).reason
    assert "several labels" in resealed(alone, labels).reason
    assert not resealed(alone, unnamed)
    assert not resealed(alone, ranged)
    assert "scores of which nothing is claimed" in resealed(alone, nothing).reason


def test_a_floor_is_part_of_what_is_promised():
    made = certify(y_true=TRUTH, score=SCORE, rates="log-loss", floor=0.01)
    low = [
        certify(y_true=TRUTH, score=SCORE, rates="log-loss", floor=f).claims[0] for f in (0.1, 1e-6)
    ]
    assert low[1].promised < low[0].promised

    def floor(document):
        document["claims"][0]["floor"] = "0.5"

    def none(document):
        document["claims"][0]["floor"] = "1"

    def spelt(document):
        document["claims"][0]["floor"] = "0.010"

    assert resealed(made, floor)  # the arithmetic is right, for another quantity
    changed = json.loads(json.dumps(made.to_json()))
    floor(changed)
    found = verify(Certificate(sealed(changed)), y_true=TRUTH, score=SCORE)
    assert "the data show something else" in found.reason
    assert not resealed(made, none)
    assert not resealed(made, spelt)


def test_with_a_ledger_only_a_sum_is_told(tmp_path):
    with Ledger(tmp_path / "book.ledger") as book:
        asked = {"y_true": TRUTH, "score": SCORE, "rates": ["auc", "brier"], "positive": "spam"}
        made = certify(**asked, ledger=book)
        assert "losses" not in made.claims[1].inputs
        assert verify(made, y_true=TRUTH, score=SCORE, ledger=book)
        [entry] = book.entries()
        # The pairs tell how many rows are positive, the sum is told in thousandths.
        assert int(entry.answers, 16) >= 801 * 801 * 800_001


def test_refusals():
    with refuses(
        "auc needs scores: give score beside y_true, or a model that has predict_proba or decision_function.",
        BadParameter,
    ):
        certify(y_true=[0, 1], y_pred=[0, 1], rates=["auc"])
    with refuses("f1 needs predictions: give y_pred beside score.", BadParameter):
        certify(y_true=[0, 1], score=[0, 1], rates=["f1"])
    with refuses(
        "Say what is to be promised of scores, with rates: 'auc', 'brier', 'log-loss'.",
        BadParameter,
    ):
        certify(y_true=[0, 1], score=[0, 1])
    with refuses(
        "The area under the ROC curve of 1 is not defined for these rows: every one of them is 1.",
        BadData,
    ):
        certify(y_true=[1, 1], score=[0, 1], rates="auc", positive=1)
    with refuses(
        "unit must be left out with score, but is 'given'. Rows of one unit depend on each other, and scores are "
        "promised for rows that do not."
    ):
        certify(y_true=[0, 1], score=[0, 1], rates="auc", unit=[1, 2])
    with refuses("floor must be left out unless log-loss is asked for, but is 0.1."):
        certify(y_true=[0, 1], score=[0, 1], rates="auc", floor=0.1)
    with refuses("floor must be a number strictly between 0 and 1, but is 0."):
        certify(y_true=[0, 1], score=[0, 1], rates="log-loss", floor=0)
    with refuses("certify needs all of y_true and score, but some are missing."):
        certify(score=[0, 1], rates="auc")
    with pytest.raises(BadParameter, match="left out, or 'exact', with scores"):
        certify(y_true=[0, 1], score=[0, 1], rates="auc", method="betting")


def test_the_command(tmp_path):
    table = pd.DataFrame(
        {"truth": TRUTH, "p": SCORE, "guess": np.where(SCORE > 0.5, "spam", "ham")}
    )
    table.to_csv(tmp_path / "s.csv", index=False)
    out = tmp_path / "s.cert.json"
    columns = ("--truth", "truth", "--score", "p")
    rates = ("--rate", "auc", "--rate", "log-loss", "--floor", "0.01", "--positive", "spam")
    found = run("certify", tmp_path / "s.csv", *columns, *rates, "--out", out)
    assert found.code == 0
    assert (
        "The chance that a new row that is 'spam' scores above one that is not is at least"
        in found.out
    )
    assert "with probabilities clipped at 0.01" in found.out
    checked = run("verify", out, "--data", tmp_path / "s.csv", *columns)
    assert (checked.code, "digests and counts agree" in checked.out) == (0, True)
    more = ("--prediction", "guess", "--rate", "macro-recall")
    assert run("certify", tmp_path / "s.csv", *columns, *rates, *more, "--out", out).code == 0
    assert (
        run("verify", out, "--data", tmp_path / "s.csv", *columns, "--prediction", "guess").code
        == 0
    )
    assert run("certify", tmp_path / "s.csv", "--score", "p", "--rate", "auc").code == 2


def test_one_column_for_each_label(tmp_path):
    fitted = LogisticRegression().fit(X[:400], Y[:400])
    table = pd.DataFrame(fitted.predict_proba(X[400:]), columns=["a", "b", "c"]).assign(y=Y[400:])
    table.to_csv(tmp_path / "p.csv", index=False)
    columns = ("--truth", "y", "--score", "a", "--score", "b", "--score", "c")
    out = tmp_path / "p.cert.json"
    assert run("certify", tmp_path / "p.csv", *columns, "--rate", "brier", "--out", out).code == 0
    assert run("verify", out, "--data", tmp_path / "p.csv", *columns).code == 0


def test_no_rates_is_none_and_one_is_one():
    plain = certify(y_true=[0, 1] * 50, y_pred=[0, 1] * 50, rates=None)
    assert len(plain.claims) == 1
    one = certify(y_true=[0, 1] * 50, y_pred=[0, 1] * 50, rates="macro-recall")
    assert one.claims[1].of.quantity == "balanced-accuracy"
    with refuses("rates must be a sequence of names, but is 3."):
        certify(y_true=[0, 1], y_pred=[0, 1], rates=3)
    with refuses("rates must be a sequence of names, but is [3]."):
        certify(y_true=[0, 1], y_pred=[0, 1], rates=[3])


def test_a_label_without_a_column_has_no_probability():
    """With a ledger no refusal may say that the truth holds a label which the model does not know."""
    truth, table = ["a", "b", "z"] * 40, [[0.7, 0.3], [0.2, 0.8], [0.5, 0.5]] * 40
    with Ledger(":memory:") as book:
        asked = {"labels": ["a", "b"], "rates": ["brier", "log-loss"], "floor": 0.1}
        made = certify(y_true=truth, score=table, ledger=book, **asked)
        assert made.claims[0].observed == pytest.approx((0.09 + 0.04 + 0.75) / 3, abs=1e-4)
        assert verify(made, y_true=truth, score=table, labels=["a", "b"], ledger=book)
        with refuses(
            "labels must be given with a ledger and a table of scores, but is None. Which labels there are is not "
            "told without a charge."
        ):
            certify(y_true=truth, score=table, rates="brier", ledger=book)
        with refuses(
            "score has 2 columns, but 3 labels are declared: it must have one column for each, in their sorted order.",
            BadData,
        ):
            certify(y_true=truth, score=table, rates="brier", labels=["a", "b", "c"], ledger=book)
        assert len(book.entries()) == 1
