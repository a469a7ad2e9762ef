"""The metrics of a report, from labels to a certificate that is verified from the file and against the data."""

import itertools
import json

import numpy as np
import pytest
from sklearn import metrics as scikit

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.errors import BadData, BadParameter
from assay.guarantees.decimals import decimal_ratio
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.rates import f1_at_least, mean_rate_at_least, rate_at_least
from tests.refusals import refuses

RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["cat", "cow", "dog"], 600, p=[0.5, 0.3, 0.2])
GUESS = np.where(RNG.random(600) < 0.15, RNG.choice(["cat", "cow", "dog"], 600), TRUTH)
OF_LABEL = ("precision", "recall", "specificity", "jaccard", "f1")
MEANS = ("accuracy", "balanced-accuracy", "macro-precision", "macro-f1")


def claims_of(**asked):
    made = certify(y_true=TRUTH, y_pred=GUESS, delta=0.05, **asked)
    assert verify(made, y_true=TRUTH, y_pred=GUESS)
    return made.claims[1:]


def expected(name):
    is_dog, said_dog = TRUTH == "dog", GUESS == "dog"
    return {
        "precision": lambda: scikit.precision_score(is_dog, said_dog),
        "recall": lambda: scikit.recall_score(is_dog, said_dog),
        "specificity": lambda: scikit.recall_score(~is_dog, ~said_dog),
        "jaccard": lambda: scikit.jaccard_score(is_dog, said_dog),
        "f1": lambda: scikit.f1_score(is_dog, said_dog),
        "accuracy": lambda: scikit.accuracy_score(TRUTH, GUESS),
        "balanced-accuracy": lambda: scikit.balanced_accuracy_score(TRUTH, GUESS),
        "macro-precision": lambda: scikit.precision_score(TRUTH, GUESS, average="macro"),
        "macro-f1": lambda: scikit.f1_score(TRUTH, GUESS, average="macro"),
    }[name]()


@pytest.mark.parametrize("name", [*OF_LABEL, *MEANS])
def test_what_was_seen_is_what_scikit_learn_computes(name):
    positive = {"positive": "dog"} if name in OF_LABEL else {}
    [claim] = claims_of(rates=[name], **positive)
    assert claim.observed == pytest.approx(expected(name), abs=1e-12)
    assert (claim.direction, claim.holds, claim.vacuous) == ("at least", True, False)
    assert claim.promised < claim.observed


def test_the_golden_numbers():
    truth = ["p"] * 210 + ["n"] * 90
    guess = ["p"] * 180 + ["n"] * 30 + ["p"] * 20 + ["n"] * 70
    # Half of delta goes to the error, and the other half to the one metric.
    asked = {"y_true": truth, "y_pred": guess, "delta": "0.1"}
    [_, f1] = certify(**asked, rates=["f1"]).claims
    assert f1.promised == pytest.approx(0.8459855783743363, abs=1e-15)
    [_, precision] = certify(**asked, rates=["precision"]).claims
    assert precision.promised == rate_at_least(180, 200, "0.05") == 0.8580107484090549


def test_several_share_delta_and_say_so():
    names = ["f1", "balanced-accuracy", "precision"]
    first, second, third = claims_of(rates=names, positive="cat")
    assert [claim.delta for claim in (first, second, third)] == ["0.0083333333333333333"] * 3
    hits = int(((TRUTH == "cat") & (GUESS == "cat")).sum())
    rows = int((GUESS == "cat").sum())
    assert first.promised == rate_at_least(hits, rows, first.delta)
    assert second.promised == f1_at_least(*second.inputs.values())
    counts = third.inputs["successes"], third.inputs["rows"]
    assert third.promised == mean_rate_at_least(*counts, third.delta)


def test_a_ledger_charges_for_every_count(tmp_path):
    asked = {"y_true": TRUTH, "y_pred": GUESS}
    # Of three classes three counts each, and that there are three.
    for name, numbers in (("accuracy", 3), ("f1", 4), ("macro-f1", 11)):
        book = Ledger(tmp_path / f"{name}.ledger")
        positive = {"positive": "dog"} if name == "f1" else {}
        made = certify(**asked, rates=[name], ledger=book, **positive)
        [entry] = book.entries()
        assert int(entry.answers, 16) == 601**numbers
        assert verify(made, **asked, ledger=book)


def test_what_is_not_defined_is_refused():
    with refuses(
        "Say which of the 3 labels counts as positive, with positive, or ask for a mean over classes: "
        "balanced-accuracy, macro-precision, macro-f1.",
        BadParameter,
    ):
        certify(y_true=TRUTH, y_pred=GUESS, rates=["f1"])
    with refuses(
        "The precision of 'b' is not defined for these rows: none of them counts towards it.",
        BadData,
    ):
        certify(y_true=["a", "b"], y_pred=["a", "a"], rates=["precision"])
    with refuses(
        "rates need the labels: give y_true and y_pred, or a model with X and y.", BadParameter
    ):
        certify(errors=5, rows=100, rates=["f1"])
    with pytest.raises(
        BadParameter,
        match=r"rates must be some of class, .*, macro-f1, auc, brier, log-loss, but is 'f2'",
    ):
        certify(y_true=TRUTH, y_pred=GUESS, rates=["f2"])
    with pytest.raises(BadParameter, match="left out with units"):
        certify(y_true=TRUTH, y_pred=GUESS, rates=["accuracy"], unit=np.arange(600) // 2)


def test_a_class_that_is_predicted_and_never_true_counts():
    made = certify(
        y_true=["a", "b", "a", "b"],
        y_pred=["a", "b", "c", "b"],
        rates=["macro-f1", "macro-precision", "balanced-accuracy"],
        labels=["a", "b", "c"],
    )
    by_quantity = {claim.of.quantity: claim.inputs for claim in made.claims[1:]}
    assert len(by_quantity["macro-f1"]["true_positives"]) == 3
    assert by_quantity["macro-precision"]["rows"] == [1, 2, 1]
    assert by_quantity["balanced-accuracy"]["rows"] == [2, 2]


def test_words():
    from assay.report.text import certificate_text

    truth, guess = ["p"] * 100, ["p"] * 90 + ["n"] * 10
    text = certificate_text(
        certify(y_true=[*truth, "n"], y_pred=[*guess, "n"], rates=["recall"], positive="p")
    )
    assert "Of 100 rows that are 'p', 90 are taken for it (90 %)." in text
    assert "The chance that a new row that is 'p' is taken for it is at least 82.3 %" in text


def test_cards_and_figures_say_which_way_a_bound_goes():
    from assay.report.figures import promised_and_observed

    made = certify(y_true=TRUTH, y_pred=GUESS, rates=["macro-f1"])
    card = made._repr_html_()
    assert "Promised, at most" not in card
    assert ">at most " in card
    assert ">at least " in card
    assert "macro F1: at least" in made.claims[1]._repr_html_().replace("Macro", "macro")
    drawn = promised_and_observed(made.claims).to_json()
    assert "seen, at least" in drawn
    assert "at most so much" not in drawn


def test_other_methods_and_batches_have_no_metrics():
    asked = {"y_true": TRUTH, "y_pred": GUESS, "rates": ["macro-f1"]}
    with pytest.raises(BadParameter, match="method must be left out, or 'exact', with metrics"):
        certify(**asked, method="anytime")
    with pytest.raises(BadParameter, match="population must be left out with metrics"):
        certify(**asked, population=10_000)


def resealed(claims, rows=1000, errors=0):
    """A certificate of so many rows, with metrics of labels that a forger has made up, each true of its own counts."""
    made = certify(errors=errors, rows=rows, delta="0.025").to_json()
    for number, (quantity, label, successes, of) in enumerate(claims):
        theorem = "holdout-exact" if quantity == "class-error" else "rate-at-least"
        counts = (
            {"errors": of - successes} if quantity == "class-error" else {"successes": successes}
        )
        share = f"0.0{number + 1}1"[:4]
        bound = holdout_exact if quantity == "class-error" else rate_at_least
        given = {**counts, "rows": of, "delta": share}
        claim = json.loads(json.dumps(made["claims"][0]))
        claim.pop("textbook", None)
        seen = of - successes if quantity == "class-error" else successes
        claim.update(theorem=theorem, quantity=quantity, label=label, inputs=given)
        claim.update(promised=str(bound(*given.values())), observed=decimal_ratio(seen, of))
        made["claims"].append(claim)
    made["delta"].update(
        total="0.9", spent=[[c["theorem"], c["inputs"]["delta"]] for c in made["claims"]]
    )
    return verify(Certificate(sealed(made)))


def test_metrics_of_several_labels_are_of_the_same_rows():
    assert resealed([("recall", "a", 600, 600), ("recall", "b", 400, 400)])
    assert not resealed([("recall", "a", 900, 900), ("recall", "b", 900, 900)])
    assert not resealed([("recall", 1, 400, 400), ("recall", "1", 400, 400)])
    assert not resealed([("recall", 1, 400, 400), ("recall", True, 400, 400)])
    both = [("class-error", "a", 600, 600), ("class-error", "b", 400, 400)]
    assert resealed([*both, ("recall", "a", 600, 600)])
    assert not resealed([*both, ("recall", "a", 500, 500)])


def test_a_file_that_would_take_long_is_refused_at_once():
    made = certify(y_true=TRUTH, y_pred=GUESS, rates=["balanced-accuracy"]).to_json()
    made["claims"][1]["inputs"].update(successes=[400_000] * 1000, rows=[1_000_000] * 1000)
    assert "can be verified in a moment" in verify(Certificate(sealed(made))).reason


# With a ledger no refusal tells of the labels without a charge.

UNTOLD = (
    "What was asked is not defined for the labels of these rows, or is too much for one certificate. With a ledger no "
    "more is told of them, and the look was charged."
)


@pytest.mark.parametrize(
    "asked",
    [
        {"rates": ["recall"], "positive": "owl"},
        {"rates": ["precision"], "positive": "owl"},
        {"rates": ["false-negative"], "positive": "dog"},
        {"rates": ["f1", "macro-f1"], "positive": 3},
        {"rates": ["auc"], "positive": "owl", "score": RNG.random(600)},
    ],
)
def test_a_refusal_because_of_the_labels_is_charged_and_tells_nothing_more(asked):
    with Ledger(":memory:") as book:
        with refuses(UNTOLD, BadData) as told:
            certify(y_true=TRUTH, y_pred=GUESS, ledger=book, **asked)
        assert told.value.__cause__ is None
        assert told.value.__suppress_context__
        [entry] = book.entries()
        assert int(entry.answers, 16) == 601**2
        assert entry.number == 1


def test_a_refusal_because_of_what_was_asked_is_not_charged():
    hint = "Which labels there are is not told without a charge."
    with Ledger(":memory:") as book:
        for name in ("f1", "recall", "false-positive"):
            with refuses(f"positive must be given with a ledger, but is None. {hint}"):
                certify(y_true=TRUTH, y_pred=GUESS, rates=[name], ledger=book)
        for asked in (
            {"rates": ["macro-f1"], "method": "kl"},
            {"rates": ["class"], "method": "betting"},
            {"rates": ["class"], "population": 900},
            {"rates": ["auc"]},
            {"rates": ["f3"]},
        ):
            with pytest.raises(BadParameter, match=r"must be|needs"):
                certify(y_true=TRUTH, y_pred=GUESS, ledger=book, **asked)
        assert book.entries() == []


def test_what_may_come_out_is_charged_for_in_full():
    """Over all truths that there can be, one over what is charged adds up to at most one."""
    guess = ["a", "b", "a", "b"]
    for asked in (
        {"rates": ["recall"], "positive": "a"},
        {"rates": ["class"]},
        {"rates": ["macro-f1"]},
        {"rates": ["jaccard", "balanced-accuracy"], "positive": "b"},
    ):
        answers = {}
        for truth in itertools.product("abc", repeat=4):
            with Ledger(":memory:") as book:
                try:
                    made = certify(y_true=truth, y_pred=guess, ledger=book, **asked)
                    told = json.dumps([dict(claim.inputs) for claim in made.claims])
                except BadData as refusal:
                    told = str(refusal)
                answers[told] = int(book.entries()[0].answers, 16)
        assert sum(1 / ways for ways in answers.values()) <= 1


def test_a_true_number_outside_the_range_is_charged_for_too():
    truth, guess = np.array([1.0, 2.0, 30.0]), np.array([1.0, 2.0, 3.0])
    with Ledger(":memory:") as book:
        with refuses(UNTOLD, BadData):
            certify(y_true=truth, y_pred=guess, range=(0, 10), ledger=book)
        assert len(book.entries()) == 1
    with pytest.raises(BadData, match=r"row 3 holds 30\.0"):
        certify(y_true=truth, y_pred=guess, range=(0, 10))
