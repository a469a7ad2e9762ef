from assay.certificates.format.quantity import (
    AS_PLAYED,
    CHOSEN,
    certified_by,
    formula_of,
    meant,
    next_rows,
    outside,
)
from assay.evidence.training_overlap import TrainingOverlap
from assay.guarantees.added_conditions import NOT_IN_TRAINING
from assay.guarantees.assumption import Assumption
from assay.guarantees.subject import Subject
from assay.theory.registry import find_theorem


def test_formulas():
    assert formula_of("error") == "err_D(h)"
    assert formula_of(Subject("batch-error")) == "err_batch(h)"
    assert formula_of(Subject("mean-loss")) == "E[loss]"
    assert formula_of(Subject("mistakes", 1, delayed=True)) == "M"
    assert formula_of(Subject("class-error", "{0}")) == "P[h(x) != y | y = '{0}']"
    assert formula_of(next_rows(100)) == "errors(h, next 100)"
    assert formula_of(Subject("unit-mean-error")) == "E_units[err(h)]"
    assert formula_of("price of a leaf") is None


def test_what_a_theorem_bounds():
    assert meant(find_theorem("holdout-exact"), "error")[1].role == "holdout"
    assert meant(find_theorem("holdout-finite-population"), "error") is None
    assert meant(find_theorem("holdout-finite-population"), Subject("batch-error")) is not None
    assert meant(find_theorem("occam-exact"), "error")[1].role == "training"
    assert meant(find_theorem("occam-exact"), CHOSEN)[1].role == "choice"
    assert meant(find_theorem("bounded-betting"), Subject("class-error", 1)) is None
    assert meant(find_theorem("margin-perceptron-updates"), "mistakes") is None
    assert meant(find_theorem("holdout-exact"), "error of all future models") is None


def test_who_is_certified():
    assert certified_by("error", ()) == "this classifier"
    assert certified_by(Subject("mean-loss"), ()) == "this model"
    assert certified_by("updates", ()) == "this run"
    assert certified_by(AS_PLAYED, ()).startswith("the predictor that draws")


def test_whether_rows_were_left_out():
    def known(*evidence):
        return [Assumption(NOT_IN_TRAINING, "checked", text) for text in evidence]

    assert outside(known("", TrainingOverlap(3, 50, left_out=True)))
    assert not outside(known("and were left out", TrainingOverlap(3, 50)))
