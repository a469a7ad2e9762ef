"""Promises about a few rows, under the distribution that breaks them most often; and what is broken is found so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from assay import certify, certify_difference
from assay.theory.tail.concordance import concordance_at_least
from assay.theory.tail.groups import group_gap, worst_group
from assay.theory.tail.unit_mean import unit_mean_betting
from assay.theory.tail.unit_ratio import unit_difference, unit_ratio_betting
from tests.attacks.adversary import Adversary


def labelled(sample, classes):
    """Truth and predictions of a sample whose kinds are the cells of a confusion, row by row."""
    cells = list(itertools.product(range(classes), repeat=2))
    return np.repeat(np.array(cells), sample, axis=0).T


def f1_by_class(shares, classes):
    cells = shares.reshape(classes, classes)
    return 2 * np.diag(cells) / np.maximum(cells.sum(axis=0) + cells.sum(axis=1), 1e-300)


# Metrics


def macro_f1(classes, rows, delta, declared):
    """Half of delta is spent on macro F1; without a word on the classes it is about those that occur."""

    def ask(sample):
        truth, guess = labelled(sample, classes)
        said = {"labels": list(range(classes))} if declared else {}
        made = certify(y_true=truth, y_pred=guess, rates=["macro-f1"], delta=delta, **said)
        known = {each.id: each.status for each in made.claims[1].assumptions}
        assert known["classes-first"] == ("declared" if declared else "not asked")
        seen = range(classes) if declared else sorted({*truth.tolist(), *guess.tolist()})
        return [(tuple(seen), made.claims[1].promised, False)]

    def true(seen, shares):
        return f1_by_class(shares, classes)[list(seen)].mean()

    return Adversary(classes**2, rows, ask, true)


@pytest.mark.parametrize(
    ("classes", "rows", "delta"), [(2, 1, 0.1), (2, 2, 0.1), (2, 3, 0.0002), (3, 2, 0.1)]
)
def test_macro_f1_over_declared_classes(classes, rows, delta):
    assert macro_f1(classes, rows, delta, declared=True).worst(1) <= delta / 2


@pytest.mark.filterwarnings("ignore:prediction holds")
def test_macro_f1_over_the_classes_that_occur_is_no_promise_by_itself():
    # Right rows bring one class, wrong rows two: the fewer classes, the fewer share delta.
    assert macro_f1(2, 2, 0.0002, declared=False).worst(1) > 1.5 * 0.0001


RATES = ["class", "precision", "recall", "specificity", "jaccard", "f1", "balanced-accuracy"]


@pytest.mark.filterwarnings("ignore:prediction holds")
@pytest.mark.parametrize("wanted", [["class"], ["precision", "f1"], RATES], ids=len)
def test_a_whole_report_of_two_classes(wanted):
    rows, delta = 4, 0.2

    def ask(sample):
        truth, guess = labelled(sample, 2)
        said = {"labels": [0, 1]} | ({} if wanted == ["class"] else {"positive": 1})
        made = certify(y_true=truth, y_pred=guess, rates=wanted, delta=delta, **said)
        both = len(set(truth.tolist()))
        return [((str(c.of), both), c.promised, c.direction == "at most") for c in made.claims]

    def true(of, shares):
        (right0, alarm), (miss, hit) = shares.reshape(2, 2)
        name, both = of
        by_name = {
            "error": (alarm + miss, 1),
            "error of class 0": (alarm, right0 + alarm),
            "error of class 1": (miss, miss + hit),
            "precision of 1": (hit, hit + alarm),
            "recall of 1": (hit, hit + miss),
            "specificity for 1": (right0, right0 + alarm),
            "Jaccard index of 1": (hit, hit + alarm + miss),
            "F1 of 1": (2 * hit, 2 * hit + alarm + miss),
        }
        if name in by_name:
            part, of_all = by_name[name]
            return part / max(of_all, 1e-300)
        assert name == "balanced accuracy"
        recalls = [right0 / max(right0 + alarm, 1e-300), hit / max(hit + miss, 1e-300)]
        # Over the classes that the truth holds; one class alone may be either.
        return np.mean(recalls) if both == 2 else max(recalls)

    assert 0 < Adversary(4, rows, ask, true).worst(2) <= delta


# Models


def best_of_two(declared, rows=6, delta=0.1):
    """The better of two models is certified; kinds of rows are which of them are wrong."""
    wrong = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])

    def ask(sample):
        errors = (sample @ wrong).tolist()
        place = int(np.argmin(errors))
        made = certify(errors=errors[place], rows=rows, delta=delta, models=declared)
        return [(place, made.error, True)]

    return Adversary(4, rows, ask, lambda place, shares: shares @ wrong[:, place])


def test_the_better_of_two_models():
    assert best_of_two(declared=2).worst(3) <= 0.1
    assert best_of_two(declared=1).worst(3) > 0.18


@pytest.mark.parametrize("delta", [0.5, 0.05, 0.001])
@pytest.mark.parametrize("rows", [3, 9, 20])
@pytest.mark.parametrize("promise", ["difference", "better"])
def test_two_models_on_the_same_rows(promise, rows, delta):
    def ask(sample):
        counts = {"only_old": int(sample[0]), "only_new": int(sample[1]), "rows": rows}
        made = certify_difference(**counts, delta=delta, promise=promise)
        return [(promise, made.claims[0].promised, False)]

    def true(of, shares):
        gap = shares[0] - shares[1]
        return gap if of == "difference" else 0.0 if gap > 1e-12 else -1.0

    assert Adversary(3, rows, ask, true).worst(4) <= delta


def two_rivals(rows, delta, full=False, **asked):
    """One model against two; with `full` each comparison spends all of delta."""
    wrong = np.array(list(itertools.product([0, 1], repeat=3)))  # new, old ones

    def ask(sample):
        by_row = np.repeat(wrong, sample, axis=0).T
        new, old = by_row[0], {"a": by_row[1], "b": by_row[2]}
        given = {"y_true": np.zeros(rows, dtype=int), "y_pred": new, "delta": delta, **asked}
        apart = [{"a": old["a"]}, {"b": old["b"]}] if full else [old]
        made = [certify_difference(**given, baseline=each) for each in apart]
        claims = [claim for one in made for claim in one.claims]
        return [("a" if "'a'" in str(c.of) else "b", c.promised, False) for c in claims]

    def true(old, shares):
        gap = shares @ (wrong[:, 1 if old == "a" else 2] - wrong[:, 0])
        return gap if asked.get("promise") != "better" else 0.0 if gap > 1e-12 else -1.0

    return Adversary(8, rows, ask, true)


@pytest.mark.parametrize(
    "asked", [{}, {"margin": 0.6}, {"margin": 0.9}, {"promise": "better"}], ids=str
)
def test_two_rivals_by_holm_or_equal_shares(asked):
    assert 0 < two_rivals(3, 0.5, **asked).worst(5, starts=6) <= 0.5


def test_two_rivals_each_at_the_whole_of_delta():
    # Either old model is wrong alone, or the new one is: each has one chance in three.
    assert two_rivals(1, 0.5, full=True, promise="better").worst(6) > 0.6


# Units, groups, pairs, numbers


@pytest.mark.parametrize(
    ("units", "delta"), [(5, 0.3), pytest.param(5, 0.9, marks=pytest.mark.guarantees)]
)
def test_units(units, delta):
    errors, rows = np.array([0, 1, 0, 1, 2]), np.array([1, 1, 2, 2, 2])

    def ask(sample):
        kinds = [
            (int(e), int(r), int(m)) for e, r, m in zip(errors, rows, sample, strict=True) if m
        ]
        yield "mean", unit_mean_betting(kinds, delta), True
        yield "rate", unit_ratio_betting(kinds, 2, delta), True
        yield "difference", unit_difference([(2 * e - r, r, m) for e, r, m in kinds], delta), False

    def true(of, shares):
        mean = shares @ (errors / rows)
        by_name = {"mean": mean, "rate": (shares @ errors) / (shares @ rows)}
        return by_name.get(of, 2 * mean - 1)

    both = Adversary(5, units, ask, true)
    for name in ("mean", "rate", "difference"):
        assert 0 < both.worst(7, lambda of, name=name: of == name, starts=6) <= delta


def test_two_groups():
    def ask(sample):
        errors, rows = (
            [int(sample[1]), int(sample[3])],
            [int(sum(sample[:2])), int(sum(sample[2:]))],
        )
        if min(rows):
            yield "worst", worst_group(errors, rows, 0.2), True
            yield "gap", group_gap(errors, rows, 0.2), True

    def true(of, shares):
        each = [shares[i + 1] / max(shares[i] + shares[i + 1], 1e-300) for i in (0, 2)]
        return max(each) if of == "worst" else abs(each[0] - each[1])

    both = Adversary(4, 7, ask, true)
    for name in ("worst", "gap"):
        assert 0 < both.worst(8, lambda of, name=name: of == name) <= 0.2


@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize("pairs", [3, 15])
def test_ties_choose_the_theorem_and_break_nothing(pairs, delta):
    # Without ties the bound is exact, and with one it is by betting.
    def ask(sample):
        return [("area", concordance_at_least(int(sample[0]), int(sample[1]), pairs, delta), False)]

    adversary = Adversary(3, pairs, ask, lambda of, shares: shares[0] + shares[1] / 2)
    assert 0.9 * delta < adversary.worst(9) <= delta


@pytest.mark.parametrize(
    ("rows", "coverage", "delta"),
    [pytest.param(22, 0.9, 0.1, marks=pytest.mark.guarantees), (12, 0.7, 0.3)],
)
def test_the_error_of_a_rank_with_ties(rows, coverage, delta):
    errors = np.arange(4.0)

    def ask(sample):
        off = np.repeat(errors, sample)
        made = certify(y_true=off, y_pred=np.zeros(rows), coverage=coverage, delta=delta)
        return [("rank", made.claims[0].promised, True)]

    def true(of, shares):
        """The smallest error that covers enough."""
        return errors[np.argmax(np.cumsum(shares) >= coverage - 1e-12)]

    assert 0 < Adversary(4, rows, ask, true).worst(10) <= delta
