import pytest

from assay.certificates.format.quantity import (
    AS_PLAYED,
    CHOSEN,
    OVER_UNITS,
    certified_by,
    formula_of,
    meant,
    next_rows,
    read_subject,
)
from assay.theory.registry import find_theorem


@pytest.mark.parametrize("label", ["spam", "it's", 'say "hi"', "a\nb", "\u202e", "", 7, -3, True])
def test_labels_are_read_back(label):
    assert read_subject(f"error of class {label!r}").label == label
    of = f"false-positive rate: {label!r} taken for 'x'"
    found = read_subject(of)
    assert (found.label, found.other, found.side) == (label, "x", "positive")
    assert read_subject(f"mistakes of {label!r} against the rest").label == label


@pytest.mark.parametrize(
    "of",
    [
        "",
        "errors",
        "error ",
        "error of class spam",
        "error of class 'spam",
        'error of class "spam"',  # another spelling of 'spam'
        "error of class 07",
        "error of class 'a' 'b'",
        "error of class ['a']",
        "error of class '\\x61'",
        "error of class 'a'\n",
        "error of class '" + "a" * 20_000 + "'",
        "false-positive rate: 'a' taken for b",
        "mistakes of the best",
        "regret against God",
        "errors among the next 0 rows",
        "errors among the next 05 rows",
    ],
)
def test_free_text_is_no_quantity(of):
    assert read_subject(of) is None
    assert formula_of(of) is None
    assert meant(find_theorem("holdout-exact"), of) is None


def test_formulas():
    assert formula_of("error") == "err_D(h)"
    assert formula_of("error", "error in the batch") == "err_batch(h)"
    assert formula_of("mean loss") == "E[loss]"
    assert formula_of("mistakes of 1 against the rest, at the time of learning") == "M"
    assert formula_of(next_rows(100)) == "errors(h, next 100)"
    assert formula_of(OVER_UNITS) == "E_units[err(h)]"


def test_the_theorem_decides_what_is_meant():
    assert meant(find_theorem("holdout-exact"), "error")[0] == "error"
    assert meant(find_theorem("holdout-finite-population"), "error")[0] == "error in the batch"
    assert meant(find_theorem("occam-exact"), "error")[1].role == "training"
    assert meant(find_theorem("occam-exact"), CHOSEN)[1].role == "choice"
    assert meant(find_theorem("bounded-betting"), "error of class 1") is None
    assert meant(find_theorem("margin-perceptron-updates"), "mistakes") is None


def test_who_is_certified():
    assert certified_by("error", ()) == "this classifier"
    assert certified_by("mean loss", ()) == "this model"
    assert certified_by("updates", ()) == "this run"
    assert certified_by(AS_PLAYED, ()).startswith("the predictor that draws")
