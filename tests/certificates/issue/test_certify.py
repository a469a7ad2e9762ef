"""Certificates made from every kind of input, on real models and against exact oracles."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import special
from sklearn.linear_model import LogisticRegression

from assay import certify
from assay.certificates.issue.asked import errors_allowed
from assay.certificates.issue.distinct_rows import COPIES, NOT_IN_TRAINING, SEPARATE
from assay.errors import BadData, BadParameter, CertificateRefused
from assay.theory.rounding import as_fraction
from assay.theory.tail.betting import bounded_betting
from assay.theory.tail.hoeffding import validation_hoeffding

RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["ham", "spam"], size=1000)
GUESS = TRUTH.copy()
GUESS[:50] = np.where(TRUTH[:50] == "ham", "spam", "ham")


def test_fifty_of_a_thousand_to_the_last_digit():
    certificate = certify(errors=50, rows=1000, delta=0.05)
    true = 0.0628634035123797437
    assert true <= certificate.error <= true + 2 * np.spacing(true)
    assert certificate.claims[0].textbook[0] == "validation-hoeffding"
    assert float(certificate.claims[0].textbook[1]) == pytest.approx(0.0887022756020495, abs=1e-12)


def test_every_way_to_give_the_same_predictions_gives_the_same_certificate():
    forms = [
        (TRUTH, GUESS),
        (TRUTH.tolist(), GUESS.tolist()),
        (pd.Series(TRUTH), pd.Series(GUESS).astype("category")),
        (pl.Series(TRUTH.tolist()), pl.Series(GUESS.tolist())),
    ]
    documents = [certify(y_true=t, y_pred=p).to_json() for t, p in forms]
    assert all(document == documents[0] for document in documents)
    assert documents[0]["claims"][0]["inputs"] == {"errors": 50, "rows": 1000, "delta": "0.05"}


class Fixed:
    """A model that answers what it was told to."""

    def __init__(self, answers):
        self.answers = np.asarray(answers)

    def predict(self, X):
        return self.answers


def test_a_fitted_model_of_another_library():
    X = RNG.normal(size=(600, 3))
    y = (X[:, 0] + 0.3 * RNG.normal(size=600) > 0).astype(int)
    model = LogisticRegression().fit(X[:300], y[:300])
    certificate = certify(model, X[300:], y[300:], train=X[:300])
    wrong = int((model.predict(X[300:]) != y[300:]).sum())
    assert certificate.document["claims"][0]["inputs"]["errors"] == wrong
    # SciPy's inverse may lie an ulp below the true bound; ours may not.
    assert certificate.error == pytest.approx(
        special.betainccinv(wrong + 1, 300 - wrong, 0.05), rel=1e-12
    )
    checked = certificate.claims[0].assumptions[-1]
    assert (checked.name, checked.status) == (NOT_IN_TRAINING, "checked")
    assert checked.evidence == "0 of 300 row digests occur in the training set"
    assert certificate.document["data"]["row_digest"] is not None


def test_holdout_rows_seen_in_training_void_the_promise():
    X, y = np.arange(20.0).reshape(10, 2), np.zeros(10, int)
    void = certify(Fixed(y), X, y, train=X[:3])
    claim = void.claims[0]
    assert (claim.promised, claim.applies) == (None, False)
    assert claim.assumptions[-1].status == "violated"
    assert claim.assumptions[-1].evidence == "3 of 10 row digests occur in the training set"


def test_holdout_rows_seen_in_training_can_be_left_out():
    X, y = np.arange(20.0).reshape(10, 2), np.zeros(10, int)
    certificate = certify(Fixed(y), X, y, train=(X[:3], y[:3]), overlap="drop")
    assert certificate.rows == 7
    assert certificate.claims[0].assumptions[-1].evidence == (
        "3 of 10 row digests occur in the training set and were left out"
    )
    with pytest.raises(BadData, match="Every row of the holdout is in the training set"):
        certify(Fixed(y), X, y, train=X, overlap="drop")


def test_what_is_left_out_is_said():
    X, y = np.arange(20.0).reshape(10, 2), np.zeros(10, int)
    claim = certify(Fixed(y), X, y, train=X[:3], overlap="drop").claims[0]
    assert claim.certified == "this classifier, on rows that are not in its training set"


@pytest.mark.parametrize(
    ("train", "sentence"),
    [
        (np.zeros((4, 3)), "train and X must have the same columns, but train has 3 and X 2."),
        (np.zeros((0, 2)), "train must hold at least one row, each with the columns of X."),
    ],
)
def test_training_rows_that_cannot_be_compared_are_refused(train, sentence):
    X, y = np.arange(20.0).reshape(10, 2), np.zeros(10, int)
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        certify(Fixed(y), X, y, train=train)


def test_training_rows_are_found_whatever_their_form():
    X, y = np.linspace(0, 1, 20).reshape(10, 2), np.zeros(10, int)
    frame = pd.DataFrame(X, columns=["a", "b"])
    for holdout, train in ((X, X.astype(np.float32)), (frame, frame[["b", "a"]])):
        assert not certify(Fixed(y), holdout, y, train=train[:3]).claims[0].applies
    with pytest.raises(BadData, match="but 'c' is in only one of them"):
        certify(Fixed(y), frame, y, train=frame.assign(c=1))


def test_models_for_text_and_models_that_answer_in_a_column():
    documents, y = ["spam", "ham", "eggs"], np.array([1, 0, 0])
    assert certify(Fixed(y.reshape(-1, 1)), documents, y.reshape(-1, 1)).error < 1


def test_a_row_is_known_by_its_features_whatever_its_label_is_now():
    X, y = np.arange(20.0).reshape(10, 2), np.zeros(10, int)
    assert not certify(Fixed(y), X, y, train=(X[:3], y[:3] + 1)).claims[0].applies


class ByRow:
    """Answers with the first cell."""

    def predict(self, X):
        return (np.asarray(X, dtype=float)[:, 0] > 2).astype(int)


def test_copies_within_a_holdout_count_once():
    X = np.arange(10.0).reshape(-1, 1)
    y = (X[:, 0] > 2).astype(int)
    once = certify(ByRow(), X, y)
    many = certify(ByRow(), np.tile(X, (5, 1)), np.tile(y, 5))
    assert (many.rows, many.error) == (once.rows, once.error) == (10, once.error)
    assert [a.name for a in once.claims[0].assumptions][2:] == []
    known = many.claims[0].assumptions[-1]
    assert (known.name, known.status) == (COPIES, "assumed")
    assert known.evidence == "40 of 50 rows repeat an earlier one of the holdout and do not count"


def test_equal_rows_that_are_separate_draws_are_declared():
    X = np.tile(np.arange(10.0).reshape(-1, 1), (5, 1))
    y = (X[:, 0] > 2).astype(int)
    kept = certify(ByRow(), X, y, train=X[:2], overlap="keep")
    assert kept.rows == 50
    known = kept.claims[0].assumptions[-1]
    assert (known.name, known.status) == (SEPARATE, "declared")
    assert known.evidence == (
        "32 of 50 rows repeat an earlier one of the holdout, 10 repeat a training row"
    )
    assert kept.error == certify(errors=0, rows=50).error


def test_a_predicted_label_that_the_truth_lacks_is_wrong_and_noted():
    sentence = "prediction holds 'eggs', which the truth never holds; that counts as wrong."
    with pytest.warns(UserWarning, match=f"^{re.escape(sentence)}$"):
        certificate = certify(y_true=["ham", "spam"], y_pred=["ham", "eggs"])
    assert certificate.document["claims"][0]["inputs"]["errors"] == 1


def test_arrays_of_one_column_are_labels():
    y = np.array([[1], [0], [1]])
    assert certify(y_true=y, y_pred=y[:, 0]).rows == 3


def test_rates_share_delta_and_are_all_exact():
    certificate = certify(
        y_true=TRUTH,
        y_pred=GUESS,
        rates=["class", "false-positive", "false-negative"],
        positive="spam",
    )
    # A false-positive rate is the error of a class: it is claimed, and paid for, once.
    assert [(claim.of, claim.delta) for claim in certificate.claims] == [
        ("error", "0.025"),
        ("false-positive rate: 'ham' taken for 'spam'", "0.0125"),
        ("false-negative rate: 'spam' taken for 'ham'", "0.0125"),
    ]
    for claim in certificate.claims:
        k, n = claim.inputs["errors"], claim.inputs["rows"]
        assert claim.value == pytest.approx(
            special.betainccinv(k + 1, n - k, float(claim.delta)), rel=1e-11
        )
    assert certificate.claims[1].inputs["rows"] == int((TRUTH == "ham").sum())


def test_the_share_of_the_overall_error_does_not_depend_on_the_labels_drawn():
    for classes in (2, 3, 7):
        y = [str(i % classes) for i in range(70)]
        certificate = certify(y_true=y, y_pred=y, rates=["class"])
        assert certificate.claims[0].delta == "0.025"
        assert sum(as_fraction(c.delta) for c in certificate.claims) <= as_fraction("0.05")


def test_the_positive_label_is_the_last_unless_named():
    first = certify(y_true=TRUTH, y_pred=GUESS, rates=["false-positive"], positive="ham").claims[1]
    last = certify(y_true=TRUTH, y_pred=GUESS, rates=["false-negative"]).claims[1]
    assert first.inputs["rows"] == last.inputs["rows"] == int((TRUTH == "spam").sum())


def test_declared_models_divide_delta():
    assert certify(errors=50, rows=1000, models=50).error == pytest.approx(0.074953, abs=5e-7)
    assert certify(errors=50, rows=1000, models=10**6).error == pytest.approx(0.096167, abs=5e-7)


def test_other_methods():
    assert certify(errors=50, rows=1000, method="anytime").error == pytest.approx(
        0.07466407018297, abs=1e-12
    )
    assert certify(errors=50, rows=1000, method="kl").error == pytest.approx(
        0.06868474664903, abs=1e-12
    )
    assert certify(errors=50, rows=1000, method="hoeffding").error == validation_hoeffding(
        50, 1000, 0.05
    )
    assert certify(errors=50, rows=1000, population=2000).error == pytest.approx(118 / 2000)


LOSSES = np.random.default_rng(1).uniform(0, 0.1, size=1000)


def test_graded_losses_are_certified_by_betting_on_a_grid_rounded_up():
    certificate = certify(loss=LOSSES)
    assert certificate.claims[0].theorem == "bounded-betting"
    plain = bounded_betting(LOSSES, 0.05)
    assert plain <= certificate.error <= plain + 2 / 65_535
    assert certificate.observed == pytest.approx(LOSSES.mean(), abs=1e-15)
    assert certificate.error <= 0.0545


def test_losses_of_a_whole_number_type_are_errors():
    losses = np.zeros(1000, dtype=int)
    losses[:50] = 1
    assert certify(loss=losses.astype(float)).claims[0].theorem == "bounded-betting"
    assert certify(loss=losses.astype(float), method="exact").error == certify(loss=losses).error
    certificate = certify(loss=losses.astype(bool))
    assert certificate.claims[0].theorem == "holdout-exact"
    assert certificate.error == certify(errors=50, rows=1000).error


def test_other_methods_for_losses():
    bernstein = certify(loss=LOSSES, method="bernstein")
    assert bernstein.claims[0].theorem == "empirical-bernstein"
    assert LOSSES.mean() < certify(loss=LOSSES).error < bernstein.error
    assert certify(loss=LOSSES, method="kl").error > bernstein.error


@pytest.mark.parametrize("rows", [10, 59, 311, 3701])
@pytest.mark.parametrize("rate", ["0.05", "0.2"])
def test_errors_allowed_is_the_most_that_can_be_promised(rows, rate):
    level = as_fraction("0.05")
    allowed = errors_allowed(rows, as_fraction(rate), level)
    if allowed is None:
        assert certify(errors=0, rows=rows).error > float(rate)
    else:
        assert certify(errors=allowed, rows=rows).error <= float(rate)
        assert certify(errors=allowed + 1, rows=rows).error > float(rate)


def test_pass_fail_without_a_ledger():
    assert certify(errors=9, rows=311, answer="pass-fail", max_error=0.05).error <= 0.05
    with pytest.raises(
        CertificateRefused, match=r"^Fail: an error rate of 0\.05 cannot be promised"
    ):
        certify(errors=10, rows=311, answer="pass-fail", max_error=0.05)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {},
            "certify takes one of model, X and y; y_true and y_pred; loss; errors and rows, but was given nothing.",
        ),
        (
            {"errors": 1, "rows": 2, "loss": [0.5]},
            "certify takes one of model, X and y; y_true and y_pred; loss; errors and rows, "
            "but was given loss and errors and rows.",
        ),
        ({"errors": 1}, "certify needs all of errors and rows, but some are missing."),
        ({"y_true": [1]}, "certify needs all of y_true and y_pred, but some are missing."),
        ({"errors": 5, "rows": 3}, "errors must be at most the number of rows 3, but is 5."),
        ({"errors": -1, "rows": 3}, "errors must be a whole number of at least 0, but is -1."),
        ({"errors": 0, "rows": 0}, "rows must be a whole number of at least 1, but is 0."),
        (
            {"errors": 1, "rows": 3, "delta": 0},
            "delta must be a number strictly between 0 and 1, but is 0.",
        ),
        (
            {"errors": 1, "rows": 3, "delta": 1},
            "delta must be a number strictly between 0 and 1, but is 1.",
        ),
        (
            {"errors": 1, "rows": 3, "delta": float("nan")},
            "delta must be a number strictly between 0 and 1, but is nan.",
        ),
        (
            {"errors": 1, "rows": 3, "models": 0},
            "models must be a whole number of at least 1, but is 0.",
        ),
        (
            {"errors": 1, "rows": 3, "method": "wilson"},
            "method must be one of exact, anytime, kl, hoeffding, but is 'wilson'.",
        ),
        (
            {"loss": LOSSES, "method": "exact"},
            "method must not be 'exact' for losses that are neither 0 nor 1.",
        ),
        (
            {"errors": 1, "rows": 3, "rates": ["class"]},
            "rates need the labels: give y_true and y_pred, or a model with X and y.",
        ),
        (
            {"y_true": [0, 1], "y_pred": [0, 1], "rates": ["f2"]},
            "rates must be some of class, false-positive, false-negative, accuracy, precision, recall, specificity, "
            "jaccard, f1, balanced-accuracy, macro-precision, macro-f1, auc, brier, log-loss, but is 'f2'.",
        ),
        (
            {"y_true": [0, 1], "y_pred": [0, 1], "rates": ["false-positive"], "positive": 2},
            "positive must be one of 0, 1, but is 2.",
        ),
        (
            {"model": object(), "X": [[1]], "y": [1]},
            "model must have a predict method, but is a object. "
            "Give y_true and y_pred to certify predictions made elsewhere.",
        ),
        (
            {"y_true": [0, 1], "y_pred": [0, 1], "train": [[1]]},
            "train can only be compared with the rows X of a model; give model, X and y.",
        ),
        (
            {"errors": 1, "rows": 3, "answer": "maybe"},
            "answer must be 'exact' or 'pass-fail', but is 'maybe'.",
        ),
        (
            {"errors": 1, "rows": 3, "max_error": 0.1},
            "max_error must be left out unless the answer is 'pass-fail', but is 0.1.",
        ),
        (
            {"loss": LOSSES, "population": 5000},
            "population must be left out for graded losses, but is 5000.",
        ),
        (
            {"errors": 1, "rows": 3, "positive": 1},
            "positive must be left out unless rates are asked for, but is 1.",
        ),
        ({"errors": 1, "rows": 3, "drawn": 7}, "drawn must be a text, but is 7."),
        (
            {"errors": 1, "rows": 3, "population": 2},
            "rows must be at most the population 2, but is 3.",
        ),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        certify(**arguments)


def test_rates_of_two_classes_need_two_classes():
    with pytest.raises(
        BadData, match="need truth with exactly two labels, but the labels are 0, 1, 2"
    ):
        certify(y_true=[0, 1, 2], y_pred=[0, 1, 2], rates=["false-positive"])
