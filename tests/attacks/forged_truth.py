"""Whether a certificate says something true, judged without any of the code that issues or verifies.

What is judged is what people read, the sentences that are shown for the ids of a document.

The table of roles, the sentences and the statuses are written down here once more, from the theorems.
"""

import json
import re
from fractions import Fraction

from assay.certificates.format.claim import worded
from tests.attacks.forged_differences import FOLLOWS, falsehoods_of_pairs, pair_of
from tests.attacks.forged_differences import INPUTS as OF_TWO
from tests.attacks.forged_ends import FOLLOWS_OF_ENDS, USUAL, without_ends
from tests.attacks.forged_groups import (
    FOLLOWS_OF_GROUPS,
    against_groups,
    falsehoods_of_groups,
    group_of,
)
from tests.attacks.forged_groups import INPUTS as INPUTS_OF_GROUPS
from tests.attacks.forged_numbers import follows, number

PLAYED = "mean error of the hypotheses as they were played"
CHOSEN = "error of the learner that was chosen, as it was when it was chosen"
DRAWN = (
    "the rows are independent draws from the distribution of use",
    "the examples are independent draws from one distribution",
    "each row errs with the same probability, whatever came before",
    "the rows are a uniform sample, without replacement, of the batch",
    "these rows and the next ones are exchangeable: any order of them is equally likely",
    "the units are independent draws from the distribution of use",
)
# Theorem: the names of its inputs; those in brackets may be left out.
COUNTED = "errors rows delta"
INPUTS = (
    {
        "holdout-exact": COUNTED,
        "holdout-kl": COUNTED,
        "validation-hoeffding": COUNTED,
        "holdout-anytime": COUNTED,
        "holdout-finite-population": f"{COUNTED} population",
        "next-rows-exact": f"{COUNTED} next_rows",
        "unit-mean-betting": "units delta",
        "unit-ratio-betting": "units most_rows delta",
        "units-wholly-right": "units delta",
        "unit-rate-at-least": "units most_rows delta",
        "unit-f1-at-least": "units most_rows delta",
        "tolerance-limit": "rows rank alpha threshold delta",
        "rate-at-least": "successes rows delta",
        "mean-rate-at-least": "successes rows delta",
        "f1-at-least": "true_positives false_positives false_negatives delta",
        "macro-f1-at-least": "true_positives false_positives false_negatives delta",
        "concordance-at-least": "concordant tied pairs delta",
        "concordance-at-most": "concordant tied pairs delta",
        "error-at-least": COUNTED,
        "rate-at-most": "successes rows delta",
        "mean-rate-at-most": "successes rows delta",
        "f1-at-most": "true_positives false_positives false_negatives delta",
        "macro-f1-at-most": "true_positives false_positives false_negatives delta",
        "empirical-bernstein": "mean variance rows delta",
        "bounded-betting": "losses delta",
        "occam-exact": f"{COUNTED} bits",
        "progressive-anytime": COUNTED,
        "progressive-validation": f"{COUNTED} (horizon)",
        "preferent-compression": "size rows delta",
        "preferent-compression-weighted": "size rows delta (guess)",
        "svm-support-compression": "support rows delta",
        "mistake-compression": "mistaken rows delta (errors)",
        "shuffled-mistake-compression": "mistaken rows delta (errors)",
        "compression-classic": "errors size rows delta (messages)",
        "stump-vote-compression": "errors size rows delta stumps features (classes) (most_stumps) (weighted)",
        "pac-bayes-linear-vote": "gibbs norm rows delta",
        "out-of-bag-vote": "loss left_out rows delta (tandem) (left_out_by_both)",
        "perceptron-margin-mistakes": "radius margin",
        "perceptron-hinge-mistakes": "radius norm hinge_loss (form)",
        "winnow-disjunction-mistakes": "literals features (form)",
        "winnow-separator-mistakes": "weight gap features (factor) (rounding)",
        "halving-mistakes": "class_size",
        "con-mistakes": "class_size",
        "online-disjunction-mistakes": "features",
        "ogd-anytime-regret": "norm radius rounds (last_rate) (weighted_squares)",
        "ogd-anytime-mistakes": "norm radius rounds hinge_loss (last_rate) (weighted_squares)",
    }
    | OF_TWO
    | INPUTS_OF_GROUPS
)
BY_COUNTS = {"holdout-exact", "holdout-kl", "validation-hoeffding", "holdout-anytime"}
BY_LOSSES = {"holdout-kl", "validation-hoeffding", "empirical-bernstein", "bounded-betting"}
TRAINING = {name for name in INPUTS if re.search("compression|occam|vote", name)}
PLAYED_BY = {"progressive-anytime", "progressive-validation"}
RUNS = {name for name in INPUTS if re.search("mistakes$|regret$", name)}
OVER = {"holdout-anytime", "progressive-anytime"}
LABEL = r"('[^'\\]*'|-?\d+|-?\d+\.\d+|True|False)"
# A run may be that of one class against the rest, and be counted when labels are learned.
RUN = re.compile(
    f"(mistakes|regret)(?: of {LABEL} against the rest)?(?:, at the time of learning)?"
)


def place_of(claim):
    """Which place a claim has by what it speaks of: whole, part, choice, played or run; None for none."""
    of, theorem = claim["of"], USUAL.get(claim["theorem"], claim["theorem"])
    if pair_of(of) is not None:
        return "pair" if pair_of(of)[0] == theorem else None
    if group_of(of) is not None:
        return "group" if group_of(of)[0] == theorem else None
    if of == "error":
        return "whole" if theorem in BY_COUNTS | {"holdout-finite-population"} | TRAINING else None
    if numeric_of(of) is not None:
        return "numbers" if theorem in NUMERIC[numeric_of(of)[0]] else None
    if of in OVER_UNITS:
        return "whole" if theorem == OVER_UNITS[of][0] else None
    if following_of(of) is not None:
        spoken = following_of(of) == claim["inputs"].get("next_rows")
        return "whole" if theorem == "next-rows-exact" and spoken else None
    if of == "mean loss":
        return "whole" if theorem in BY_LOSSES else None
    if of == PLAYED:
        return "played" if theorem in PLAYED_BY else None
    if of == CHOSEN:
        return "choice" if theorem == "occam-exact" else None
    if label_of(of) is not None:
        return "part" if theorem in BY_COUNTS else None
    if scored_of(of) is not None:
        return "score" if theorem in SCORED[scored_of(of)[0]] else None
    if metric_of(of) is not None:
        by_rows = METRICS[metric_of(of)[0]][0]
        return "metric" if theorem in (by_rows, OF_UNITS.get(by_rows)) else None
    wanted = "regret" if theorem.endswith("regret") else "mistakes"
    found = RUN.fullmatch(of)
    return "run" if theorem in RUNS and found and found[1] == wanted else None


OVER_UNITS = {
    "mean error over units": ("unit-mean-betting", "E_units[err(h)]"),
    "error per row, over units": ("unit-ratio-betting", "E_units[wrong rows] / E_units[rows]"),
    "share of units with a wrong row": ("units-wholly-right", "P_units[a row is wrong]"),
}
NUMBER = r"(-?\d+(?:\.\d+)?)"
# What is said of predicted numbers, and by which theorems.
NUMERIC = {
    f"absolute error that {NUMBER} % of rows do not exceed": {"tolerance-limit"},
    f"share of rows that are off by more than {NUMBER}": {"holdout-exact"},
    f"mean over units of the share of rows that are off by more than {NUMBER}": {
        "unit-mean-betting"
    },
    f"share of rows that are off by more than {NUMBER}, over units": {"unit-ratio-betting"},
    f"share of units with a row that is off by more than {NUMBER}": {"units-wholly-right"},
    f"mean absolute error, as a share of the range from {NUMBER} to {NUMBER}": BY_LOSSES,
    f"mean squared error, as a share of the squared range from {NUMBER} to {NUMBER}": BY_LOSSES,
}


# What is said of metrics: by which theorem, and as which formula.
METRICS = {
    "accuracy": ("rate-at-least", "P[h(x) = y]"),
    f"precision of {LABEL}": ("rate-at-least", "P[y = {0} | h(x) = {0}]"),
    f"recall of {LABEL}": ("rate-at-least", "P[h(x) = {0} | y = {0}]"),
    f"specificity for {LABEL}": ("rate-at-least", "P[h(x) != {0} | y != {0}]"),
    f"Jaccard index of {LABEL}": ("rate-at-least", "P[y = h(x) = {0} | y = {0} or h(x) = {0}]"),
    f"F1 of {LABEL}": ("f1-at-least", "F1(h, {0})"),
    "balanced accuracy": ("mean-rate-at-least", "mean_c P[h(x) = c | y = c]"),
    "macro precision": ("mean-rate-at-least", "mean_c P[y = c | h(x) = c]"),
    "macro F1": ("macro-f1-at-least", "mean_c F1(h, c)"),
}


# What is said of scores, and by which theorems.
SCORED = {
    f"area under the ROC curve of {LABEL}": {"concordance-at-least"},
    f"Brier score(?: of the probability of {LABEL})?": BY_LOSSES,
    rf"log loss(?: of the probability of {LABEL})?, as a share of ln\(1/{NUMBER}\)": BY_LOSSES,
}


def scored_of(of):
    """Which of these is spoken of, and the label and the number in it; None for anything else."""
    found = ((pattern, re.fullmatch(pattern, of)) for pattern in SCORED)
    return next(((pattern, match.groups()) for pattern, match in found if match), None)


def formula_of_scores(of):
    pattern, parts = scored_of(of)
    if pattern.startswith("area"):
        return f"P[s(x) > s(x') | y = {parts[0]} != y']"
    if pattern.startswith("Brier"):
        return "E[|p(x) - e_y|^2] / 2"
    return f"E[-ln max(p_y(x), {parts[1]})] / ln(1/{parts[1]})"


# The same of the rows of units.
OF_UNITS = {"rate-at-least": "unit-rate-at-least", "f1-at-least": "unit-f1-at-least"}


def metric_of(of):
    """Which metric is spoken of, and the label in it; None for anything else."""
    found = ((pattern, re.fullmatch(pattern, of)) for pattern in METRICS)
    return next(((pattern, match.groups()) for pattern, match in found if match), None)


def counts_of_metric(of, confusion):
    """The inputs that a metric has for a confusion by (truth, prediction)."""
    pattern, labels = metric_of(of)
    rows = sum(confusion.values())
    classes = sorted({repr(c) for pair in confusion for c in pair})

    def cells(c):
        hits = sum(n for (t, p), n in confusion.items() if repr(t) == repr(p) == c)
        alarms = sum(n for (t, p), n in confusion.items() if repr(t) != c == repr(p))
        misses = sum(n for (t, p), n in confusion.items() if repr(t) == c != repr(p))
        return hits, alarms, misses

    names = ("true_positives", "false_positives", "false_negatives")
    if pattern == "accuracy":
        right = sum(n for (t, p), n in confusion.items() if t == p)
        return {"successes": right, "rows": rows}
    if not labels:
        listed = [cells(c) for c in classes]
        if pattern == "macro F1":
            return dict(zip(names, map(list, zip(*listed, strict=True)), strict=True))
        other = 1 if pattern == "macro precision" else 2
        pairs = [(c[0], c[0] + c[other]) for c in listed if c[0] + c[other]]
        return {"successes": [k for k, _ in pairs], "rows": [n for _, n in pairs]}
    if labels[0] not in classes:
        return None
    hits, alarms, misses = cells(labels[0])
    rest = rows - hits - alarms - misses
    if pattern.startswith("F1"):
        return dict(zip(names, (hits, alarms, misses), strict=True))
    successes, of_rows = {
        "pre": (hits, hits + alarms),
        "rec": (hits, hits + misses),
        "spe": (rest, rest + alarms),
        "Jac": (hits, hits + alarms + misses),
    }[pattern[:3]]
    return {"successes": successes, "rows": of_rows}


def numeric_of(of):
    """Which of these is spoken of, and the numbers in it; None for anything else."""
    found = ((pattern, re.fullmatch(pattern, of)) for pattern in NUMERIC)
    return next(((pattern, match.groups()) for pattern, match in found if match), None)


def formula_of_numbers(claim):
    pattern, numbers = numeric_of(claim["of"])
    if pattern.startswith("absolute"):
        return f"q_(1 - {claim['inputs'].get('alpha')})(|y - h(x)|)"
    if pattern.endswith("over units"):
        return f"E_units[rows with |y - h(x)| > {numbers[0]}] / E_units[rows]"
    if pattern.startswith("share of units"):
        return f"P_units[a row has |y - h(x)| > {numbers[0]}]"
    if pattern.startswith("share"):
        return f"P[|y - h(x)| > {numbers[0]}]"
    if pattern.startswith("mean over"):
        return f"E_units[P[|y - h(x)| > {numbers[0]}]]"
    if pattern.startswith("mean absolute"):
        return f"E[|y - clip(h(x))|] / ({numbers[1]} - {numbers[0]})"
    return f"E[(y - clip(h(x)))^2] / ({numbers[1]} - {numbers[0]})^2"


def following_of(of):
    found = re.fullmatch(r"errors among the next (\d+) rows", of)
    return None if found is None else int(found[1])


def label_of(of):
    found = re.fullmatch(f"error of class {LABEL}", of) or re.fullmatch(
        f"false-(?:positive|negative) rate: {LABEL} taken for {LABEL}", of
    )
    return None if found is None else found[1]


def sentence(claim):
    text = _sentence(claim)
    if claim["theorem"] not in USUAL or claim["promised"] is None:
        return text
    usual, other = ("<=", ">=") if claim["theorem"] == "error-at-least" else (">=", "<=")
    return text.replace(f" {usual} {claim['promised']}]", f" {other} {claim['promised']}]")


def _sentence(claim):
    formula = {
        "error": "err_D(h)",
        "mean loss": "E[loss]",
        PLAYED: "mean_t err_D(h_t)",
        CHOSEN: "err_D(h_chosen)",
        **{of: formula for of, (_, formula) in OVER_UNITS.items()},
        f"errors among the next {following_of(claim['of'])} rows": (
            f"errors(h, next {following_of(claim['of'])})"
        ),
    }.get(claim["of"], f"P[h(x) != y | y = {label_of(claim['of'])}]")
    if run := RUN.fullmatch(claim["of"]):
        formula = "M" if run[1] == "mistakes" else "regret"
    if numeric_of(claim["of"]) is not None:
        formula = formula_of_numbers(claim)
    if scored_of(claim["of"]) is not None:
        formula = formula_of_scores(claim["of"])
        if claim["theorem"].startswith("concordance") and claim["promised"] is not None:
            return f"P[{formula} >= {claim['promised']}] >= 1 - {claim['inputs'].get('delta')}"
    if claim["theorem"] == "holdout-finite-population":
        formula = "err_batch(h)"
    if metric_of(claim["of"]) is not None:
        pattern, labels = metric_of(claim["of"])
        formula = METRICS[pattern][1].format(*labels)
        if claim["promised"] is not None:
            return f"P[{formula} >= {claim['promised']}] >= 1 - {claim['inputs'].get('delta')}"
    if group_of(claim["of"]) is not None:
        formula = group_of(claim["of"])[1]
    if pair_of(claim["of"]) is not None:
        formula = pair_of(claim["of"])[1]
        if claim["promised"] is not None:
            return f"P[{formula} >= {claim['promised']}] >= 1 - {claim['inputs'].get('delta')}"
    if claim["promised"] is None:
        return f"nothing is promised about {formula}"
    if place_of(claim) == "run":
        return f"{formula} <= {claim['promised']}"
    return f"P[{formula} <= {claim['promised']}] >= 1 - {claim['inputs'].get('delta')}"


def quantifier(claim):
    if claim["theorem"] in OVER:
        return "probability over the whole stream, at every moment at once"
    if place_of(claim) == "run":
        return "always"
    if claim["theorem"] == "next-rows-exact":
        return "probability over the holdout and the rows after it"
    over_rows = claim["theorem"] in TRAINING | {"progressive-validation"}
    return f"probability over the {'examples' if over_rows else 'holdout'}"


def unasked_draws(claim):
    """Whether nobody said that the rows are independent draws: then nothing follows about new ones."""
    drawn = "the rows are independent draws from the distribution of use"
    return any(a["name"] == drawn and a["status"] == "not asked" for a in claim["assumptions"])


def certified(claim):
    place = place_of(claim)
    if place == "pair":
        return "these two models"
    unasked = any(
        a["name"] == DRAWN[0] and a["status"] == "not asked" for a in claim["assumptions"]
    )
    if place == "played" and unasked:
        return "each hypothesis of this run, on the row that it predicted"
    if place in ("run", "played", "choice"):
        return {
            "run": "this run",
            "played": "each hypothesis of this run, on the row that it predicted"
            if unasked_draws(claim)
            else "the predictor that draws one of the hypotheses afresh for each example",
            "choice": "the candidate that was chosen, as learned from a part of the training rows",
        }[place]
    numbers = claim["of"] == "mean loss" or numeric_of(claim["of"]) is not None
    scored = scored_of(claim["of"])
    numbers = numbers or (scored is not None and not scored[0].startswith("area"))
    who = "this model" if numbers else "this classifier"
    dropped = any(a.get("evidence", "").endswith("were left out") for a in claim["assumptions"])
    return f"{who}, on rows that are not in its training set" if dropped else who


def errors_of(inputs):
    if "units" in inputs:
        return sum(errors * many for errors, _, many in inputs["units"])
    return inputs["errors"]


def rows_of(inputs):
    if "units" in inputs:
        return sum(rows * many for _, rows, many in inputs["units"])
    return inputs["losses"]["rows"] if "losses" in inputs else inputs["rows"]


def as_read(document):
    """The document as people read it: a claim without sentences with those that are shown for it."""
    if document["format"] == 1:
        return document
    return {**document, "claims": json.loads(json.dumps(list(map(worded, document["claims"]))))}


def falsehoods(document, facts=None):
    """Everything that is false in a document; nothing where all of it is true for the counts that it states.

    `facts` are the true counts, where the data are at hand: rows, errors, and the same of each class.
    """
    stated, document = document, as_read(document)
    claims = document["claims"]
    for claim in claims:
        yield from _of_one(claim)
        yield from _of_training_rows(claim, document["data"]["rows"])
    usual, wrong = without_ends(claims)
    yield from wrong
    if not usual:
        return
    spoken, stated = {**document, "claims": usual}, _usual(stated)
    yield from _of_places(document["data"]["role"], [place_of(claim) for claim in usual])
    yield from _of_counts(spoken)
    if any(place_of(claim) == "group" for claim in claims):
        whole = claims[0]["inputs"] if place_of(claims[0]) == "whole" else None
        yield from falsehoods_of_groups(stated, None if whole is None else errors_of(whole))
    if document["data"]["role"] == "difference":
        yield from falsehoods_of_pairs(document, stated)
        return
    spent = sum(Fraction(claim["inputs"].get("delta", "0")) for claim in claims)
    spent *= document["delta"]["declared_models"]
    if document["ledger"] is not None:
        look = document["ledger"]["entry"]
        spent *= look * (look + 1) * int(document["ledger"]["answers_before"], 16)
    if not 0 < Fraction(document["delta"]["total"]) < 1 or spent > Fraction(
        document["delta"]["total"]
    ):
        yield "more is spent than there is"
    if facts is not None:
        yield from _against(facts, spoken)
        for claim in stated["claims"] if "groups" in facts else ():
            if "group" in claim or "groups" in claim:
                yield from against_groups(facts["groups"], claim)


def _usual(document):
    """A document without other ends."""
    return {**document, "claims": [c for c in document["claims"] if c["theorem"] not in USUAL]}


def _of_one(claim):
    theorem, inputs = claim["theorem"], claim["inputs"]
    if theorem not in INPUTS or place_of(claim) is None:
        yield f"{theorem} says nothing about {claim['of']}"
        return
    names = INPUTS[theorem].replace("(", "").replace(")", "").split()
    needed = [name for name in INPUTS[theorem].split() if "(" not in name]
    if set(inputs) - set(names) or set(needed) - set(inputs):
        yield f"{sorted(inputs)} are not the inputs of {theorem}"
        return
    violated = any(a["status"] == "violated" for a in claim["assumptions"])
    if violated == (claim["promised"] is not None):
        yield "a number, and a violated assumption; or neither"
    truly = follows
    own = FOLLOWS | FOLLOWS_OF_GROUPS | FOLLOWS_OF_ENDS
    if theorem in own:

        def truly(theorem, inputs, promised):
            return own[theorem](inputs, number(promised))

    if claim["promised"] is not None and truly(theorem, inputs, claim["promised"]) is False:
        yield f"{claim['promised']} does not follow from {inputs} by {theorem}"
    for assumption in claim["assumptions"]:
        if assumption["name"] in DRAWN and assumption["status"] in ("checked", "by construction"):
            yield f"nobody can know that {assumption['name']}"
    for word, text in (
        ("statement", sentence(claim)),
        ("quantifier", quantifier(claim)),
        ("certified", certified(claim)),
    ):
        if claim[word] != text:
            yield f"{word} reads {claim[word]!r}"
    yield from _of_numbers(claim)
    if theorem in USUAL and claim["promised"] is not None:
        low = theorem == "error-at-least"
        nothing = Fraction(claim["promised"]) <= 0 if low else Fraction(claim["promised"]) >= 1
        if claim["vacuous"] != nothing:
            yield "it is called vacuous, and is not; or the other way round"
        return
    rate = place_of(claim) != "run" and claim["promised"] is not None
    rate = rate and theorem != "tolerance-limit"
    if place_of(claim) in ("metric", "pair") or theorem == "concordance-at-least":
        least = -1 if place_of(claim) == "pair" else 0
        number_told = claim["promised"] is not None
        if claim["vacuous"] != (number_told and Fraction(claim["promised"]) <= least):
            yield "it is called vacuous, and is not; or the other way round"
        return
    if claim["vacuous"] != (rate and Fraction(claim["promised"]) >= inputs.get("next_rows", 1)):
        yield "it is called vacuous, and is not; or the other way round"


def _of_numbers(claim):
    """The range is declared and is one; the share of rows is the one that the rank was made for."""
    found = numeric_of(claim["of"])
    if found is None:
        return
    pattern, numbers = found
    if pattern.startswith("absolute") and Fraction(numbers[0]) != 100 * (
        1 - Fraction(claim["inputs"]["alpha"])
    ):
        yield "another share of rows than the rank was made for"
    if "range" in pattern:
        if Fraction(numbers[0]) >= Fraction(numbers[1]):
            yield "a range that is none"
        if not any(
            a["name"] == "every true number lies in the declared range"
            and a["status"] in ("declared", "assumed", "violated")
            for a in claim["assumptions"]
        ):
            yield "a range that nobody declared"


REPEATED = re.compile(r"(.*: )?(\d+) of (\d+) row digests occur in the training set(.*)")


def _of_training_rows(claim, rows):
    """Rows that were learned from are no evidence: they are named, and none of them counts."""
    for assumption in claim["assumptions"]:
        if assumption["name"] != "no row of the holdout is in the training set":
            continue
        compared, repeated, whole, then = REPEATED.fullmatch(assumption["evidence"]).groups()
        repeated, kept = int(repeated), int(whole) - int(repeated)
        sampled = "a sample" in (compared or "")
        if assumption["status"] != "violated" and repeated and (kept < rows or not then):
            yield "rows that were learned from count"
        if assumption["status"] == "checked" and sampled:
            yield "a sample proves nothing"
        if assumption["status"] in ("declared", "by construction") or int(whole) < rows:
            yield "nobody looked"
        if assumption["status"] == "violated" and not repeated:
            yield "nothing was found"


def _of_places(role, places):
    order = {
        "holdout": r"w( p)*( m)*( s)*( g)*( c)?|n( n){0,2}|s( s){0,2}|g",
        "training": r"w( w)*",
        "stream": r"y( r)*",
        "difference": r"d( d)*",
    }[role]
    letters = {
        "whole": "w",
        "part": "p",
        "metric": "m",
        "score": "s",
        "group": "g",
        "choice": "c",
        "played": "y",
        "run": "r",
        "numbers": "n",
        "pair": "d",
        None: "?",
    }
    if not re.fullmatch(order, " ".join(letters[place] for place in places)):
        yield f"{places} do not stand together in a {role}"


def _of_counts(document):
    data, claims = document["data"], document["claims"]
    if data["role"] == "difference":
        return
    training = {claim["theorem"] in TRAINING for claim in claims if place_of(claim) == "whole"}
    if training and training != {data["role"] == "training"}:
        yield "rows that were learned from are no holdout"
    for claim in claims:
        if (
            place_of(claim) in ("whole", "numbers", "played")
            and rows_of(claim["inputs"]) != data["rows"]
        ):
            yield "a claim about other rows"
    first, parts = claims[0], [c for c in claims if place_of(c) == "part"]
    labels = [label_of(part["of"]) for part in parts]
    if len(set(labels)) != len(labels):
        yield "a class twice"
    if parts:
        rows, errors = (sum(part["inputs"][name] for part in parts) for name in ("rows", "errors"))
        wholly = len(parts) > 1 or parts[0]["of"].startswith("error of class")
        if (rows > data["rows"] or errors > errors_of(first["inputs"])) or (
            wholly and (rows, errors) != (data["rows"], errors_of(first["inputs"]))
        ):
            yield "classes that do not add up"
    told = [claim["of"] for claim in claims if place_of(claim) == "metric"]
    if len(set(told)) != len(told):
        yield "a metric twice"
    for claim in claims:
        if place_of(claim) == "metric":
            yield from _of_metric(claim, data["rows"], errors_of(first["inputs"]))
    scored = [claim for claim in claims if place_of(claim) == "score"]
    if len({scored_of(claim["of"])[0] for claim in scored}) != len(scored):
        yield "the same of scores twice"
    for claim in scored:
        counted = 2 * claim["inputs"].get("pairs", 0) or rows_of(claim["inputs"])
        if counted > data["rows"] or ("pairs" not in claim["inputs"] and counted < data["rows"]):
            yield "scores of other rows"
    for claim in claims:
        if place_of(claim) != "run":
            continue
        played = data["rows"] + data["rows_before"]
        seen = Fraction(claim["observed"])
        if claim["promised"] is not None and seen > Fraction(claim["promised"]):
            yield "more was seen than can be"
        if (
            claim["of"] == "mistakes"
            and not data["rows_before"]
            and seen != first["inputs"]["errors"]
        ):
            yield "other mistakes than the errors of the stream"
        if claim["inputs"].get("rounds", played) != played:
            yield "other rounds than were played"


def _of_metric(claim, rows, errors):
    """No metric counts more rows, or more errors, than there are."""
    i = claim["inputs"]
    if "units" in i:
        counted, wrong = rows_of(i), errors_of(i)
    elif "successes" in i:
        n = sum(i["rows"]) if isinstance(i["rows"], list) else i["rows"]
        k = sum(i["successes"]) if isinstance(i["successes"], list) else i["successes"]
        wrong, counted = n - k, n
    else:
        parts = (i["true_positives"], i["false_positives"], i["false_negatives"])
        sums = [sum(part) if isinstance(part, list) else part for part in parts]
        listed = isinstance(parts[0], list)
        wrong = sums[1] + sums[2] if not listed else max(sums[1:])
        counted = sums[0] + wrong
    if counted > rows or wrong > errors:
        yield f"{claim['of']} counts rows that there are not"


def _against(facts, document):
    if document["data"]["rows"] != facts["rows"]:
        yield "other rows than there are"
    for claim in document["claims"]:
        place, inputs = place_of(claim), claim["inputs"]
        if "pairs" in facts:
            i = claim["inputs"]
            if facts["pairs"].get(claim["of"]) != (i["concordant"], i["tied"], i["pairs"]):
                yield f"{claim['of']} has {facts['pairs'].get(claim['of'])}"
        elif "scores" in facts:
            yield from _against_scores(facts["scores"], claim)
        elif place == "part":
            counted = facts["classes"].get(label_of(claim["of"]))
            if counted != (inputs["rows"], inputs["errors"]):
                yield f"{claim['of']} has {counted}"
        elif place == "metric":
            counted = counts_of_metric(claim["of"], facts["confusion"])
            if counted != {name: value for name, value in inputs.items() if name != "delta"}:
                yield f"{claim['of']} has {counted}"
        elif place == "whole":
            fewer, told = errors_of(inputs) < facts["errors"], claim["observed"] is not None
            if fewer or (told and errors_of(inputs) != facts["errors"]):
                yield f"there are {facts['errors']} errors"


def _against_scores(scores, claim):
    """What was certified of predicted numbers, beside the true absolute errors, smallest first."""
    pattern, numbers = numeric_of(claim["of"])
    inputs = claim["inputs"]
    if pattern.startswith("absolute"):
        if Fraction(inputs["threshold"]) < scores[inputs["rank"] - 1]:
            yield "the error of that rank is larger"
    elif pattern.startswith("share"):
        counted = sum(score > Fraction(numbers[0]) for score in scores)
        if inputs["errors"] < counted or (claim["observed"] and inputs["errors"] != counted):
            yield f"{counted} rows are off by more"
