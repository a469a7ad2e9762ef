"""Certificates of every role and theorem that can stand in one, and the ways in which a forger changes them.

Most are of the newest format, some of format 1, where a forger can change sentences as well.
"""

import copy
import functools
import itertools
import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from assay import Ledger, certify, certify_difference
from assay.certificates.format.claim import claim_entry, subject_entry
from assay.certificates.issue.certify import certify_evidence
from assay.certificates.issue.claims import choice_claim
from assay.certificates.issue.difference import certify_pairs
from assay.certificates.issue.evidence_sources import from_counts
from assay.certificates.issue.stream import certify_stream
from assay.certificates.issue.training import certify_training
from assay.data.examples import Examples
from assay.errors import AssayError
from assay.evidence.paired import from_paired_errors
from assay.guarantees.assumption import Assumption
from assay.guarantees.bags import out_of_bag_guarantees
from assay.guarantees.boosting import stump_guarantee
from assay.guarantees.decimals import decimal_above, decimal_below, decimal_ratio
from assay.guarantees.subject import Subject
from assay.guarantees.training import side_by_side
from assay.guarantees.trees import description_guarantees
from assay.learners.registry import make_learner
from assay.play.online import progressive_guarantee
from assay.play.stream import Stream
from assay.record.out_of_bag import OutOfBagRecord
from assay.record.tree import TreeRecord
from assay.theory.registry import find_theorem, theorems
from assay.theory.tail.difference import BOTH_FIXED_BEFORE
from tests.attacks.forged_truth import sentence
from tests.attacks.group_forgeries import GROUP_MUTATIONS, group_certificates, seen_of_groups

TRUTH = np.array(["ham", "spam", "ham", "ham"] * 100)
GUESS = np.where(np.arange(400) % 17 == 0, "spam", np.where(np.arange(400) % 23 == 0, "ham", TRUTH))
FACTS = {
    "rows": 400,
    "errors": int((TRUTH != GUESS).sum()),
    "classes": {
        repr(c): (int((c == TRUTH).sum()), int(((c == TRUTH) & (c != GUESS)).sum()))
        for c in ("ham", "spam")
    },
    "confusion": {
        (t, p): int(((t == TRUTH) & (p == GUESS)).sum())
        for t in ("ham", "spam")
        for p in ("ham", "spam")
    },
}
RNG = np.random.default_rng(5)
ONES = RNG.integers(0, 2, (300, 5)).astype(float)
LOSSES = RNG.beta(2, 8, size=60)
UNIT = np.arange(400) // 4
BY_ROWS = {"over": "rows", "most_rows": 5}
# With ties, which coins settle.
RANKED = (np.arange(400) ** 2 % 53 / 100 + 0.45 * (TRUTH == "spam")).round(1)
SCORED = {"y_true": TRUTH, "y_pred": GUESS, "score": RANKED}
# Predicted numbers that are off by 0, 0.25, ..., with ties, and some by far.
NUMBERS = {
    "y_true": np.arange(400) % 9,
    "y_pred": np.arange(400) % 9 - np.arange(400) ** 2 % 41 / 16,
}


def _stream(learner, noise):
    y = (ONES[:, 0] + ONES[:, 2] > 0) ^ (np.random.default_rng(3).random(300) < noise)
    stream = Stream(make_learner(learner, {}))
    stream.learn(Examples(ONES, y, list("abcde"), "kind", None, 1))
    stream.close()
    return stream.certificate()


@functools.cache
def pool():
    """Valid documents by name, and, where the data are known, the data."""
    ledger = Ledger(":memory:")
    ledger.charge("h", answers=401, delta="0.05")
    counts, labels = {"errors": 20, "rows": 400}, {"y_true": TRUTH, "y_pred": GUESS}
    bags = OutOfBagRecord(100, 20000, 20000, 20000, 800, 7200, 0.12, 0, 0.0)
    machine = {"support": 27, "mistaken": 20, "size": 7, "errors": 2, "margins": [0.6] * 400}
    run = certify_stream(rows=300, errors=20)
    known = run.to_json() | {"claims": [claim_entry(progressive_guarantee(20, 300, "0.05"))]}
    known["delta"] = known["delta"] | {"spent": [["progressive-validation", "0.05"]]}
    choice = choice_claim(8, 90, 4, "0.005")
    tree = description_guarantees(TreeRecord(100, 3, None, 5, 3, 2, 4, 2, 0, 12))[0]
    stumps = {"errors": 300, "size": 15, "rows": 4000, "stumps": 3, "features": 5}
    made = {
        "exact": certify(**counts),
        "anytime": certify(**counts, method="anytime"),
        "kl": certify(**counts, method="kl"),
        "hoeffding": certify(**counts, method="hoeffding"),
        "batch": certify(**counts, population=900),
        "declared": certify(**counts, models=20),
        "betting": certify(loss=LOSSES),
        "bernstein": certify(loss=LOSSES, method="bernstein"),
        "loss": certify(loss=LOSSES, method="kl"),
        "ledger": certify(errors=20, rows=400, ledger=ledger, holdout="h"),
        "gate": certify(**counts, answer="pass-fail", max_error="0.09"),
        "classes": certify(**labels, rates=["class"]),
        "rates": certify(**labels, rates=["false-positive", "false-negative"]),
        "missed": certify(**labels, rates=["false-negative"]),
        "metrics": certify(**labels, rates=["precision", "recall", "specificity", "jaccard", "f1"]),
        "means": certify(
            **labels,
            rates=["class", "accuracy", "balanced-accuracy", "macro-precision", "macro-f1"],
        ),
        "metric": certify(**labels, rates=["f1"], positive="ham"),
        "ranking": certify(y_true=TRUTH, score=RANKED, rates="auc"),
        "scores": certify(**SCORED, rates=["recall", "auc", "brier"]),
        "probabilities": certify(
            y_true=TRUTH[:60], score=RANKED[:60], rates=["brier", "log-loss"], floor="0.01"
        ),
        "both ends": certify(**counts, two_sided=True),
        "both ends of rates": certify(
            **labels,
            rates=["class", "f1", "recall", "macro-f1", "balanced-accuracy"],
            two_sided=True,
        ),
        "both ends of scores": certify(**SCORED, rates="auc", two_sided=True),
        "next": certify(**counts, next_rows=100),
        "next and classes": certify(**labels, rates=["class"], next_rows=50),
        "units": certify(**labels, unit=np.arange(400) // 4),
        "unit rows": certify(**labels, unit=UNIT, **BY_ROWS),
        "whole units": certify(**labels, unit=UNIT, over="whole-units"),
        "unit metrics": certify(**labels, unit=UNIT, **BY_ROWS, rates=["recall", "f1", "accuracy"]),
        "within unit rows": certify(**NUMBERS, within=2, unit=UNIT, **BY_ROWS),
        "coverage": certify(**NUMBERS, coverage=0.9),
        "within": certify(**NUMBERS, within=2),
        "within units": certify(**NUMBERS, within=2, unit=np.arange(400) // 4),
        "range": certify(**NUMBERS, range=(-10, 10)),
        "coverage and within": certify(**NUMBERS, coverage=0.9, within="1.5"),
        "squares": certify(**NUMBERS, range=(-10, 10), loss="squared", method="kl"),
        "choice": certify_evidence(from_counts(20, 400), choice=choice),
        "stream": run,
        "perceptron": _stream("perceptron", 0.1),
        "margin": _stream("perceptron", 0.0),
        "winnow": _stream("winnow", 0.0),
        "gradient": _stream("gradient-descent", 0.1),
        "machine": certify_training(side_by_side(rows=400, **machine).guarantees, rows=400),
        "stumps": certify_training([stump_guarantee(**stumps, delta=0.05)], rows=4000),
        "tree": certify_training([replace(tree, observed_text=None)], rows=100),
        "bags": certify_training(out_of_bag_guarantees(bags)[1:], rows=20000),
    }
    made |= _differences(ledger) | group_certificates(TRUTH, GUESS)
    new = {name: certificate.to_json() for name, certificate in made.items()} | {"known": known}
    old = {f"old {name}": json.loads((OLD / f"{name}.json").read_text()) for name in OLD_NAMES}
    return new | old


def _differences(ledger):
    """Certificates of models on the same rows: two of them, several, and every pair."""
    errs = np.random.default_rng(8).random((4, 400)) < np.array([[0.3], [0.25], [0.12], [0.1]])
    a, b, c, best = (np.where(wrong, 1 - ROWS, ROWS) for wrong in errs)
    labels, rivals = {"y_true": ROWS, "y_pred": best}, {"a": a, "b": b, "c": c}
    counts = {"only_old": 40, "only_new": 12, "rows": 400}
    graded = {"loss": LOSSES / 2, "baseline_loss": LOSSES[::-1]}
    return {
        "difference": certify_difference(**counts),
        "better": certify_difference(**counts, promise="better"),
        "declared rivals": certify_difference(**counts, rivals=4),
        "difference units": certify_difference(**labels, baseline=a, unit=np.arange(400) // 4),
        "difference losses": certify_difference(**graded),
        "difference loss units": certify_difference(**graded, unit=np.arange(60) // 3),
        "rivals": certify_difference(**labels, baseline=rivals),
        "new models": certify_difference(y_true=ROWS, y_pred=rivals, baseline=best, rivals=5),
        "steps": certify_difference(**labels, baseline=rivals, margin="0.02"),
        "all steps": certify_difference(**labels, baseline={"a": a, "b": b}, margin="0.01"),
        "better steps": certify_difference(**labels, baseline=rivals, promise="better", rivals=4),
        "passed": certify_difference(**counts, margin="0.01", answer="pass-fail"),
        "all passed": certify_difference(
            **labels, baseline={"a": a, "b": b}, margin="0", answer="pass-fail"
        ),
        "every pair": _every_pair({"a": errs[0], "b": errs[2], "c": errs[3]}),
        "difference ledger": certify_difference(
            **labels, baseline=a, margin="0", answer="pass-fail", ledger=ledger
        ),
    }


def _every_pair(wrong):
    """As `assay compare` has it of learners: each against each, at half of delta."""
    seen = [
        replace(from_paired_errors(wrong[old], wrong[new]), old=old, new=new)
        for old, new in itertools.permutations(wrong, 2)
    ]
    first = Assumption(BOTH_FIXED_BEFORE, "by construction")
    return certify_pairs(
        seen, spend=Fraction(1, 40), declared=6, delta="0.05", drawn="", first=first
    )


ROWS = np.arange(400) % 2
OLD = Path(__file__).parents[1] / "goldens" / "cedf297" / "certificates"
OLD_NAMES = (
    "certify-anytime",
    "certify-bernstein",
    "certify-classes",
    "certify-exact",
    "certify-models",
    "certify-rates",
    "holdout-perceptron",
    "stream-perceptron",
    "stream-winnow",
    "training-perceptron",
)


WITH_DATA = ("classes", "rates", "missed", "next and classes", "units", "means", "metric")
WITH_GROUPS = ("groups", "crossed groups", "groups and rates", "every group", "every group passes")
WITH_SCORES = ("ranking",)
WITH_NUMBERS = ("coverage", "within", "range", "coverage and within", "squares")
NAMES = sorted(entry.id for entry in theorems() if entry.function is not None)
IDS = (
    *("independent-draws", "fixed-before", "predicted-first", "equal-rows-are-separate"),
    *("labels-known-before", "scaled-by-rows-so-far", "not-in-training", "nobody-knows"),
)
STATUSES = ("by construction", "checked", "declared", "assumed", "not asked", "violated")
WORDS = (
    "next_rows",
    "errors",
    "rows",
    "bits",
    "run",
    "hypotheses",
    "mistakes",
    "population",
    "size",
    "horizon",
    "rank",
    "alpha",
    "threshold",
    "successes",
    "true_positives",
    "false_positives",
    "only_old",
    "only_new",
    "most_rows",
    "concordant",
    "tied",
    "pairs",
)
OF = (
    "error",
    "mean loss",
    "mean error over units",
    "errors among the next 100 rows",
    "errors among the next 1000 rows",
    "mistakes",
    "regret",
    "error of class 'spam'",
    "error of class 'eggs'",
    "false-negative rate: 'spam' taken for 'ham'",
    "mean error of the hypotheses as they were played",
    "error of the learner that was chosen, as it was when it was chosen",
    "error of all future models",
)


QUANTITIES = tuple(
    subject_entry(subject)
    for subject in (
        Subject("error"),
        Subject("batch-error"),
        Subject("mean-loss"),
        Subject("unit-mean-error"),
        Subject("next-rows-errors", next_rows=100),
        Subject("mistakes"),
        Subject("mistakes", "spam"),
        Subject("mistakes", delayed=True),
        Subject("updates"),
        Subject("regret"),
        Subject("class-error", "spam"),
        Subject("class-error", "eggs"),
        Subject("class-error", 1),
        Subject("class-error", 1.5),
        Subject("class-error", 10**30),
        Subject("class-error", "spam", "ham", "negative"),
        Subject("class-error", "spam", "ham", "positive"),
        Subject("class-error", "ham", "spam", "positive"),
        Subject("mean-error-as-played"),
        Subject("chosen-error"),
        Subject("absolute-error-quantile", numbers=("0.1",)),
        Subject("beyond", numbers=("0.5",)),
        Subject("beyond", numbers=("2",)),
        Subject("unit-mean-beyond", numbers=("2",)),
        Subject("mean-absolute-error", numbers=("-10", "10")),
        Subject("mean-absolute-error", numbers=("0", "8")),
        Subject("mean-squared-error", numbers=("-10", "10")),
        Subject("accuracy"),
        Subject("precision", "spam"),
        Subject("recall", "spam"),
        Subject("recall", "eggs"),
        Subject("specificity", "ham"),
        Subject("jaccard", "ham"),
        Subject("f1", "ham"),
        Subject("balanced-accuracy"),
        Subject("macro-precision"),
        Subject("macro-f1"),
        Subject("unit-row-error"),
        Subject("unit-any-error"),
        Subject("unit-row-beyond", numbers=("2",)),
        Subject("unit-any-beyond", numbers=("2",)),
        Subject("auc", "spam"),
        Subject("auc", "ham"),
        Subject("brier"),
        Subject("brier", "spam"),
        Subject("log-loss", "spam", numbers=("0.01",)),
        Subject("log-loss", numbers=("0.5",)),
        Subject("better"),
        Subject("better", old="a"),
        Subject("difference"),
        Subject("difference", old="a"),
        Subject("difference", old="c"),
        Subject("difference", new="a"),
        Subject("difference", old="a", new="b"),
        Subject("difference", numbers=("0.2",), old="c"),
        Subject("unit-mean-difference"),
        Subject("group-error", groups=((("place", "a"),),)),
        Subject("group-error", groups=((("place", "a"), ("sex", None)),)),
        Subject("worst-group-error", groups=tuple((("place", p),) for p in "abcd")),
        Subject("group-gap", groups=tuple((("place", p),) for p in "abcd")),
        Subject("group-unit-mean-error", groups=((("group", "a"),),)),
        Subject("worst-group-unit-mean-error", groups=((("group", "a"),), (("group", "b"),))),
        Subject("loss-difference"),
        Subject("unit-mean-loss-difference"),
    )
)
FIELDS = (
    *("quantity", "label", "other", "side", "delayed", "within", "range", "floor"),
    *("group", "groups"),
    *("old", "new", "margin"),
)


def _is_old(claim):
    return "of" in claim


def _a_claim(dice, document):
    return dice.choice(document["claims"])


def _nudged(dice, value):
    """A count or a decimal, changed a little or a lot, mostly so as to promise more."""
    if isinstance(value, bool) or not isinstance(value, int):
        try:
            return repr(float(value) * dice.choice((0.3, 0.9, 0.999, 1.1, 3)))
        except (TypeError, ValueError):
            return value
    return max(0, value + dice.choice((-value // 2, -5, -1, 1, 5, value, 10 * value)))


def counts(dice, document):
    inputs = _a_claim(dice, document)["inputs"]
    name = dice.choice(sorted(set(inputs) - {"losses", "old_losses", "new_losses"}))
    if name in ("units", "groups"):
        kind = dice.choice(inputs[name] if name == "units" else dice.choice(inputs[name]))
        place = dice.randrange(3)
        kind[place] = _nudged(dice, kind[place])
        return
    if isinstance(inputs[name], list):
        place = dice.randrange(len(inputs[name]))
        inputs[name][place] = _nudged(dice, inputs[name][place])
        return
    inputs[name] = _nudged(dice, inputs[name])


def promise(dice, document):
    claim = _a_claim(dice, document)
    if claim["promised"] is not None:
        claim["promised"] = _nudged(dice, claim["promised"])


def another_theorem(dice, document):
    """Another theorem with inputs that it can be evaluated for, as a competent forger would find them."""
    claim = _a_claim(dice, document)
    claim["theorem"] = dice.choice(NAMES)
    entry, old = find_theorem(claim["theorem"]), claim["inputs"]
    pool = old | {name: dice.choice((1, 5, 400, 300)) for name in WORDS if name not in old}
    if dice.random() < 0.8:
        claim["inputs"] = {n: pool.get(n, "0.1") for n, must in entry.parameters().items() if must}
    if _is_old(claim):
        claim["kind"] = entry.kind
    claim["assumptions"] = [
        {"name": str(known)} if _is_old(claim) else {"id": known.id} for known in entry.assumes
    ]
    for assumption in claim["assumptions"]:
        assumption["status"] = "declared"


def input_added(dice, document):
    _a_claim(dice, document)["inputs"][dice.choice(WORDS)] = dice.choice((1, 7, 400, 4000))


def input_dropped(dice, document):
    inputs = _a_claim(dice, document)["inputs"]
    inputs.pop(dice.choice(sorted(inputs)))


def input_renamed(dice, document):
    inputs = _a_claim(dice, document)["inputs"]
    inputs[dice.choice(WORDS)] = inputs.pop(dice.choice(sorted(inputs)))


def spoken_of(dice, document):
    claim = _a_claim(dice, document)
    if _is_old(claim):
        claim["of"] = dice.choice(OF)
    else:
        _spoken_of(claim, dice.choice(QUANTITIES))


def _spoken_of(claim, fields):
    for name in FIELDS:
        claim.pop(name, None)
    claim.update(copy.deepcopy({name: fields[name] for name in FIELDS if name in fields}))


def role(dice, document):
    data = document["data"]
    data["role"] = dice.choice(("holdout", "stream", "training", "difference"))
    data.pop("rows_before", None)
    data.pop("target", None)
    if data["role"] == "stream":
        data["rows_before"] = 0


def status(dice, document):
    dice.choice(_a_claim(dice, document)["assumptions"])["status"] = dice.choice(STATUSES)


def assumption_dropped(dice, document):
    listed = _a_claim(dice, document)["assumptions"]
    listed.pop(dice.randrange(len(listed)))


def fields(dice, document):
    """Something that only some quantities have, given to or taken from another."""
    claim = _a_claim(dice, document)
    name = dice.choice(FIELDS[1:])
    claim.pop(name, None)
    if dice.random() < 0.7:
        spoken = dice.choice([entry for entry in QUANTITIES if name in entry])
        claim[name] = copy.deepcopy(spoken[name])


def of_another_claim(dice, document):
    _spoken_of(_a_claim(dice, document), _a_claim(dice, document))


def condition(dice, document):
    """Another condition in the place of one, or beside it."""
    listed = _a_claim(dice, document)["assumptions"]
    entry = {"id": dice.choice(IDS), "status": dice.choice(STATUSES)}
    if dice.random() < 0.5:
        listed.append(entry)
    else:
        listed[dice.randrange(len(listed))].update(entry)


def overlap(dice, document):
    """What was found about rows of the training set, with counts that may or may not fit."""
    rows = document["data"]["rows"]
    counts = {
        "repeated": dice.choice((0, 0, 3, rows)),
        "rows": dice.choice((rows, rows + 3, rows + 50, rows - 1)),
        "left_out": dice.random() < 0.4,
    }
    if dice.random() < 0.5:
        counts |= {"compared": dice.choice((0, 80, 900)), "learned": dice.choice((80, 900))}
    status = dice.choice(("checked", "assumed", "violated", "declared"))
    entry = {"id": "not-in-training", "status": status, "overlap": counts}
    for claim in document["claims"] if dice.random() < 0.5 else [_a_claim(dice, document)]:
        listed = claim["assumptions"]
        listed[:] = [known for known in listed if known.get("id") != entry["id"]]
        listed.append(copy.deepcopy(entry))
        if status == "violated" and dice.random() < 0.7:
            claim["promised"] = None
            claim.pop("textbook", None)


def words(dice, document):
    claim, other = _a_claim(dice, document), _a_claim(dice, document)
    word = dice.choice(("statement", "quantifier", "certified", "kind", "of"))
    claim[word] = dice.choice((other[word], "always", "this run", "P[err_D(h) <= 0.001] >= 1"))


def observed(dice, document):
    claim = _a_claim(dice, document)
    claim["observed"] = dice.choice((None, "0", "0.001", "3"))


def claim_twice(dice, document):
    claims = document["claims"]
    claims.insert(dice.randrange(len(claims) + 1), copy.deepcopy(dice.choice(claims)))


def claim_dropped(dice, document):
    if len(document["claims"]) > 1:
        document["claims"].pop(dice.randrange(len(document["claims"])))


def claim_of_another(dice, document):
    other = dice.choice([one for one in pool().values() if one["format"] == document["format"]])
    document["claims"].append(copy.deepcopy(dice.choice(other["claims"])))


def rows_of_data(dice, document):
    document["data"]["rows"] = _nudged(dice, document["data"]["rows"])


def rows_before(dice, document):
    document["data"]["rows_before"] = dice.choice((0, 5, 1000))


def terms_of_delta(dice, document):
    delta = document["delta"]
    if dice.random() < 0.5:
        delta["total"] = dice.choice(("0.01", "0.049", "0.5", "1", "0.06"))
    else:
        delta["declared_models"] = dice.choice((1, 2, 3, 50))
    if dice.random() < 0.3 and document["format"] != 1:
        delta["rule"] = dice.choice(("union", "holm", "intersection-union"))


def shares(dice, document):
    """Another share of delta for one claim or all, as if fewer had to share it."""
    total = Fraction(document["delta"]["total"])
    for claim in document["claims"] if dice.random() < 0.5 else [_a_claim(dice, document)]:
        if "delta" in claim["inputs"]:
            share = total / dice.choice((1, 1, 2, 3, 4))
            claim["inputs"]["delta"] = decimal_ratio(share.numerator, share.denominator)


def gate(dice, document):
    """Another margin, everywhere or in one claim, and the promise that goes with it."""
    margin = dice.choice(("0", "0.01", "0.02", "0.1"))
    for claim in document["claims"] if dice.random() < 0.7 else [_a_claim(dice, document)]:
        if "margin" in claim:
            claim["margin"] = margin
            if dice.random() < 0.5:
                claim["promised"] = "0" if margin == "0" else f"-{margin}"


def order_of_claims(dice, document):
    dice.shuffle(document["claims"])


def listed_models(dice, document):
    """One model more or less among those that are listed, or another digest."""
    rivals = document["subject"].get("rivals")
    if rivals is None:
        document["subject"]["rivals"] = {"a": None}
    elif dice.random() < 0.5:
        rivals.pop(dice.choice(sorted(rivals)))
    else:
        rivals["z"] = None


def ledger_entry(dice, document):
    if document["ledger"] is None:
        document["ledger"] = copy.deepcopy(pool()["ledger"]["ledger"])
    elif dice.random() < 0.3:
        document["ledger"] = None
    else:
        document["ledger"]["entry"] = dice.choice((1, 2, 9))
        document["ledger"]["answers_before"] = dice.choice(("0x1", "0x191", "0xfff"))


def witness(dice, document):
    _a_claim(dice, document)["witness"] = dice.choice((["0"], ["1", "-2"], ["1e-9"] * 5))


def voided(dice, document):
    """Say of a condition that it is violated, and take the numbers away, from one claim or from all."""
    chosen = document["claims"] if dice.random() < 0.5 else [_a_claim(dice, document)]
    for claim in chosen:
        claim["assumptions"][0]["status"] = "violated"
        claim["promised"] = None
        if _is_old(claim):
            claim["vacuous"] = False
            claim["statement"] = sentence(claim)
        elif dice.random() < 0.5:
            claim.pop("textbook", None)


def vacuous(dice, document):
    claim = _a_claim(dice, document)
    claim["vacuous"] = not claim["vacuous"]


MUTATIONS = (
    *(counts, counts, counts, promise, another_theorem, another_theorem, input_added),
    *(input_dropped, input_renamed, spoken_of, role, status, assumption_dropped, words, observed),
    *(claim_twice, claim_dropped, claim_of_another, rows_of_data, rows_before, terms_of_delta),
    *(ledger_entry, witness, voided, vacuous),
    *(fields, of_another_claim, condition, overlap, overlap),
    *(shares, shares, gate, order_of_claims, listed_models, *GROUP_MUTATIONS),
)


def tidied(dice, document):
    """Make everything else fit what was changed, as far as a forger can: sentences, shares, numbers."""
    for claim in document["claims"]:
        inputs = claim["inputs"]
        if dice.random() < 0.8 and claim["promised"] is not None:
            try:
                value = find_theorem(claim["theorem"])(**inputs)
                claim["promised"] = decimal_above(float(value)) if float(value) < 1e300 else "1"
                if find_theorem(claim["theorem"]).kind == "difference":
                    claim["promised"] = decimal_below(float(value))
                if claim["theorem"] == "next-rows-exact":
                    claim["promised"] = str(value)
            except (AssayError, TypeError, ValueError, ArithmeticError, KeyError):
                pass
            claim.pop("textbook", None)
        counted = type(inputs.get("errors")) is int and type(inputs.get("rows")) is int
        if counted and claim["observed"] is not None and inputs["rows"]:
            claim["observed"] = decimal_ratio(inputs["errors"], inputs["rows"])
        if seen_of_groups(claim) and claim["observed"] is not None:
            claim["observed"] = seen_of_groups(claim)
        pair = all(type(inputs.get(name)) is int for name in ("only_old", "only_new"))
        pair = pair and claim["observed"] is not None
        rows = inputs.get("rows", document["data"]["rows"])
        if pair and type(rows) is int and rows:
            claim["observed"] = decimal_ratio(inputs["only_old"] - inputs["only_new"], rows)
        if (
            claim["theorem"] in ("unit-mean-betting", "unit-difference", "group-unit-mean")
            and claim["observed"] is not None
        ):
            claim["observed"] = _unit_mean(inputs.get("units")) or claim["observed"]
        if not _is_old(claim):
            continue
        claim["statement"] = sentence(claim)
        if claim["promised"] is not None and claim["kind"] == "error":
            following = inputs.get("next_rows", 1)
            most = following if type(following) is int else 1
            claim["vacuous"] = float(claim["promised"]) >= most
    if dice.random() < 0.7 and document["claims"]:
        first = document["claims"][0]["inputs"]
        document["data"]["rows"] = first.get("rows", document["data"]["rows"])
        if isinstance(first.get("units"), list):
            document["data"]["rows"] = sum(rows * many for _, rows, many in first["units"])
    document["delta"]["spent"] = [
        [claim["theorem"], claim["inputs"].get("delta", "0")] for claim in document["claims"]
    ]


def _unit_mean(units):
    if not isinstance(units, list) or not all(rows and many for _, rows, many in units):
        return None  # which no theorem is given
    mean = sum(Fraction(errors * many, rows) for errors, rows, many in units)
    mean /= sum(many for _, _, many in units)
    return decimal_ratio(mean.numerator, mean.denominator)


def forged(seed):
    """One forgery: its name, the document (not yet sealed) and what was done to it."""
    dice = random.Random(seed)
    name = dice.choice(sorted(pool()))
    document, done = copy.deepcopy(pool()[name]), []
    for _ in range(dice.choice((1, 1, 2, 3))):
        change = dice.choice(MUTATIONS)
        try:
            change(dice, document)
        except (IndexError, KeyError, TypeError, ValueError):
            continue
        done.append(change.__name__)
    if dice.random() < 0.75:
        tidied(dice, document)
    return name, document, done
