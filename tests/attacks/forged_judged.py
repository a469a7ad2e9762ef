"""Certificates of judged batches, how a forger changes them, and whether what they then say is true.

Truth is judged from the theorems once more: Fisher's combination over all allocations, and a naive gambler.
"""

import base64
import functools
import math
from fractions import Fraction

import numpy as np
from scipy.special import xlogy
from scipy.stats import binom, chi2, hypergeom

from assay import certify_judged
from assay.certificates.format.claim import worded
from assay.guarantees.decimals import decimal_above, decimal_ratio
from assay.theory.registry import find_theorem
from tests.naive.judged_mean import GRID, naive_wealth

JUDGE = np.where(np.arange(200) % 4 == 0, "flagged", "passed")
DRAWN = np.random.default_rng(0).permutation(200)[:80].tolist()
LABELS = {i: "bad" if i * 7 % (3 if i % 4 == 0 else 29) == 0 else "good" for i in DRAWN}
SCORES = np.where(JUDGE == "flagged", 0.6, 0.1)
LOSSES = {i: 0.2 + (i % 5) / 10 for i in DRAWN}

OF_BATCH = "probability over the choice of the labelled items"
OF_ITEMS = "probability over the items and the choice of the labelled ones"
SPOKEN = {
    ("judged-strata", "errors in the batch"): ("errors(batch)", OF_BATCH, "this batch"),
    ("judged-strata-draws", "error"): ("err_D(h)", OF_ITEMS, "this classifier"),
    ("judged-mean", "error"): ("err_batch(h)", OF_BATCH, "this classifier"),
    ("judged-mean", "mean loss of the batch"): ("mean loss(batch)", OF_BATCH, "this batch"),
    ("judged-mean-draws", "error"): ("err_D(h)", OF_ITEMS, "this classifier"),
    ("judged-mean-draws", "mean loss"): ("E[loss]", OF_ITEMS, "this model"),
}
INPUTS = {
    "judged-strata": {"sizes", "labelled", "wrong", "delta"},
    "judged-strata-draws": {"strata", "delta"},
    "judged-mean": {"residuals", "items", "scores", "delta"},
    "judged-mean-draws": {"residuals", "items", "scores", "delta"},
}
CONDITIONS = {
    "judged-strata": 2,
    "judged-strata-draws": 4,
    "judged-mean": 3,
    "judged-mean-draws": 5,
}

# How labels and items were drawn, and what came first: people say so, and no program sees it.
UNKNOWABLE = (
    *("in each stratum", "the strata, ", "the rows are ", "the judge's scores"),
    "no row of the holdout",
)


@functools.cache
def judged_pool():
    said = {"labels": LABELS, "wrong": "bad"}
    counts = {"population": [60, 140, 30], "labels": [(20, 15), (40, 1), (30, 4)]}
    made = {
        "strata": certify_judged(JUDGE, **said, at_random=True, judged_first=True),
        "strata of counts": certify_judged(**counts),
        "strata for new rows": certify_judged(JUDGE, **said, about="new-rows"),
        "scores": certify_judged(score=SCORES, **said),
        "scores for new rows": certify_judged(score=SCORES, **said, about="new-rows"),
        "losses": certify_judged(score=SCORES, loss=LOSSES),
        "losses for new rows": certify_judged(score=SCORES, loss=LOSSES, about="new-rows"),
    }
    return {name: certificate.to_json() for name, certificate in made.items()}


def strata_of(inputs):
    if "strata" in inputs:
        return [tuple(one) for one in inputs["strata"]]
    return list(zip(inputs["sizes"], inputs["labelled"], inputs["wrong"], strict=True))


def most_wrong(strata, delta):
    """The largest number of wrong items that Fisher's combination does not exclude, over all allocations."""
    cheapest, least = np.zeros(1), 0
    for size, labelled, wrong in strata:
        possible = np.arange(wrong, size - labelled + wrong + 1)
        cost = -2 * hypergeom.logcdf(wrong, size, possible, labelled) if labelled else 0 * possible
        grown = np.full(len(cheapest) + len(possible) - 1, np.inf)
        for place, price in enumerate(cost):
            part = grown[place : place + len(cheapest)]
            np.minimum(part, cheapest + price, out=part)
        cheapest, least = grown, least + wrong
    open_ = sum(0 < labelled < size for size, labelled, _ in strata)
    limit = chi2.isf(delta, 2 * open_) if open_ else 0.0
    return least + int(np.flatnonzero(cheapest <= limit - 1e-7).max(initial=0))


def residuals_of(inputs):
    return np.frombuffer(base64.b64decode(inputs["residuals"]["data"]), "<u2") / GRID


def excludes(inputs, mean, delta):
    """Whether a mean loss of the batch is excluded: by what labels leave open, or by what a gambler owns."""
    x, items = residuals_of(inputs), inputs["items"]
    m = (mean - inputs["scores"] / (100 * items) + 1) / 2
    if mean >= 1 - 1e-9 or m >= (x.sum() + items - len(x)) / items - 1e-6:
        return True
    if m <= x.sum() / items:
        return False
    return naive_wealth(x, items, Fraction(m), delta) >= math.log(1 / delta) - 1e-3


def _far(q, p):
    return xlogy(q, q / p) + xlogy(1 - q, (1 - q) / (1 - p))


def follows(theorem, inputs, promised):
    delta = float(Fraction(inputs["delta"]))
    if theorem == "judged-strata":
        return promised >= most_wrong(strata_of(inputs), delta)
    if promised >= 1:
        return True
    if theorem == "judged-mean":
        return excludes(inputs, promised, delta)
    if theorem == "judged-strata-draws":
        strata = strata_of(inputs)
        most = most_wrong(strata, 0.9 * delta)
        return binom.cdf(most, sum(s[0] for s in strata), promised) <= delta / 10 * (1 + 1e-6)
    need = math.log(10 / delta) / inputs["items"]
    if _far(0.0, promised) < need * (1 - 1e-9):
        return False
    low, high = 0.0, promised
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _far(middle, promised) >= need else (low, middle)
    return excludes(inputs, low, 0.9 * delta)


def falsehoods_of_judged(document):
    """Everything that is false in the certificate of a judged batch, for the counts that it states."""
    [claim, *more] = [worded(claim) for claim in document["claims"]]
    theorem, inputs, of = claim["theorem"], claim["inputs"], claim["of"]
    if more or document["data"]["role"] != "judged" or (theorem, of) not in SPOKEN:
        yield f"{theorem} says {of}, in a {document['data']['role']}, beside {len(more)} more"
        return
    if set(inputs) != INPUTS[theorem]:
        yield f"{sorted(inputs)} are not the inputs of {theorem}"
        return
    formula, quantifier, certified = SPOKEN[theorem, of]
    said = f"P[{formula} <= {claim['promised']}] >= 1 - {inputs['delta']}"
    if claim["promised"] is None:
        said = f"nothing is promised about {formula}"
    if (claim["statement"], claim["quantifier"], claim["certified"]) != (
        said,
        quantifier,
        certified,
    ):
        yield f"it reads {claim['statement']!r}, {claim['quantifier']!r}, {claim['certified']!r}"
    statuses = [a["status"] for a in claim["assumptions"]]
    if len({a["name"] for a in claim["assumptions"]}) < CONDITIONS[theorem]:
        yield "a condition is missing"
    if ("violated" in statuses) == (claim["promised"] is not None):
        yield "a number, and a violated assumption; or neither"
    for a in claim["assumptions"]:
        if a["status"] in ("checked", "by construction") and a["name"].startswith(UNKNOWABLE):
            yield f"nobody can know that {a['name']}"
    total, share = (Fraction(one) for one in (document["delta"]["total"], inputs["delta"]))
    if not 0 < share * document["delta"]["declared_models"] <= total < 1:
        yield "more is spent than there is"
    if document["ledger"] is not None or document["subject"]["model"] is not None:
        yield "a ledger, or a model"
    yield from _of_counts(document, claim)
    if claim["promised"] is not None and not follows(theorem, inputs, float(claim["promised"])):
        yield f"{claim['promised']} does not follow by {theorem}"


def _of_counts(document, claim):
    inputs, rows = claim["inputs"], document["data"]["rows"]
    seen = None if claim["observed"] is None else float(claim["observed"])
    if "residuals" in inputs:
        x = residuals_of(inputs)
        if len(x) != inputs["residuals"]["rows"] or not 0 < len(x) <= inputs["items"] == rows:
            yield "labels of other items"
        mean = inputs["scores"] / (100 * rows) + 2 * x.mean() - 1
        if seen is None or not -1e-9 <= min(max(mean, 0), 1) - seen + 1e-9 <= 1e-4:
            yield f"{seen} was not seen, but {mean}"
        said_wrong = "wrong" in document["data"] or document["subject"]["predictions"] is not None
        if said_wrong == ("loss" in claim["of"]):
            yield "losses, and labels that say what is wrong; or neither"
        return
    strata = strata_of(inputs)
    if sum(size for size, _, _ in strata) != rows or not sum(n for _, n, _ in strata):
        yield "another batch"
    if any(not 0 <= k <= n <= size for size, n, k in strata):
        yield "more labels than items, or more wrong ones than labels"
    names = claim.get("strata", [])
    if names and (len(names) != len(strata) or len({repr(name) for name in names}) != len(names)):
        yield "strata without a name of their own"
    if all(n for _, n, _ in strata):
        mean = sum(size * k / n for size, n, k in strata)
        if seen is None or abs(mean / (rows if "strata" in inputs else 1) - seen) > 1e-9:
            yield f"{seen} was not seen, but {mean}"
    elif seen is not None:
        yield "nobody can have seen it"


def _strata(dice, document, change):
    inputs = document["claims"][0]["inputs"]
    strata = [list(one) for one in strata_of(inputs)]
    change(strata, dice)
    if "strata" in inputs:
        inputs["strata"] = strata
    else:
        for place, name in enumerate(("sizes", "labelled", "wrong")):
            inputs[name] = [one[place] for one in strata]


def labels_moved(dice, document):
    """Labels, wrong ones or items go from one stratum to another."""

    def change(strata, dice):
        one, other = dice.sample(strata, 2)
        place, many = dice.randrange(3), dice.choice((1, 5, 20))
        one[place] -= many
        other[place] += many

    _strata(dice, document, change)


def stratum_counts(dice, document):
    """A count of one stratum a little or much larger or smaller."""

    def change(strata, dice):
        one, place = dice.choice(strata), dice.randrange(3)
        one[place] = max(0, one[place] + dice.choice((-20, -3, -1, 1, 3, 20, 400)))

    _strata(dice, document, change)


def strata_merged(dice, document):
    """Two strata as one, or one left out, or one more."""

    def change(strata, dice):
        how = dice.choice(("merge", "drop", "more"))
        last = strata.pop() if how != "more" else None
        if how == "merge":
            strata[-1][:] = [a + b for a, b in zip(strata[-1], last, strict=True)]
        if how == "more":
            strata.append([dice.choice((5, 50)), dice.choice((0, 5)), 0])

    _strata(dice, document, change)


def stratum_names(dice, document):
    claim = document["claims"][0]
    claim["strata"] = dice.choice(
        (["a"], ["a", "a"], ["a", "b"], ["flagged", "passed", "z"], [1, "1"])
    )


def residuals(dice, document):
    """Smaller residuals, fewer or more of them, or in another order."""
    inputs = document["claims"][0]["inputs"]
    x = residuals_of(inputs)
    how = dice.choice(("sorted", "smaller", "fewer", "more", "one"))
    x = {
        "sorted": np.sort(x),
        "smaller": x * 0.9,
        "fewer": x[: len(x) // 2],
        "more": np.append(x, x[:20]),
        "one": np.append(x[:-1], 0.0),
    }[how]
    data = base64.b64encode(np.rint(x * GRID).astype("<u2").tobytes()).decode()
    inputs["residuals"] |= {"data": data} | ({"rows": len(x)} if dice.random() < 0.8 else {})


def scores(dice, document):
    inputs = document["claims"][0]["inputs"]
    name = dice.choice(("items", "scores"))
    inputs[name] = max(0, inputs[name] + dice.choice((-3000, -50, -1, 1, 50, 3000)))


def what_is_wrong(dice, document):
    data, subject = document["data"], document["subject"]
    if data.pop("wrong", None) is None or dice.random() < 0.3:
        data["wrong"] = "good"
    if dice.random() < 0.4:
        subject["predictions"] = {"sha256": "0" * 64}


def another_quantity(dice, document):
    claim = document["claims"][0]
    claim["quantity"] = dice.choice(
        ("error", "batch-error", "errors-in-batch", "batch-mean-loss", "mean-loss")
    )
    if dice.random() < 0.5:
        claim["theorem"] = dice.choice(sorted(INPUTS))


JUDGED_MUTATIONS = (
    *(labels_moved, labels_moved, stratum_counts, stratum_counts, strata_merged, stratum_names),
    *(residuals, residuals, scores, scores, what_is_wrong, another_quantity),
)


def made_to_fit(document):
    """Number, estimate, rows and shares as a forger makes them fit what was changed."""
    for claim in document["claims"]:
        theorem, inputs = claim["theorem"], claim["inputs"]
        given = dict(inputs)
        if "residuals" in given:
            given["residuals"] = residuals_of(inputs)
        value = find_theorem(theorem)(**given)
        claim["promised"] = str(value) if isinstance(value, int) else decimal_above(value)
        if "residuals" in inputs:
            document["data"]["rows"] = inputs["items"]
            mean = inputs["scores"] / (100 * inputs["items"]) + 2 * given["residuals"].mean() - 1
            claim["observed"] = repr(float(min(max(mean, 0.0), 1.0)))
            continue
        strata = strata_of(inputs)
        document["data"]["rows"] = sum(size for size, _, _ in strata)
        seen = None
        if all(n for _, n, _ in strata):
            mean = sum((Fraction(size * k, n) for size, n, k in strata), Fraction(0))
            mean /= document["data"]["rows"] if "strata" in inputs else 1
            seen = decimal_ratio(mean.numerator, mean.denominator)
        claim["observed"] = seen
    document["delta"]["spent"] = [
        [claim["theorem"], claim["inputs"].get("delta", "0")] for claim in document["claims"]
    ]
