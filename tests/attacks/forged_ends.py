"""Other ends of intervals, judged without the code that issues or verifies: each stands behind the usual end."""

from mpmath import mp

from tests.attacks.forged_numbers import least_area, least_rate, listed, number, rate_at_least

# The other end, and the theorem behind whose claim it stands.
USUAL = {
    "error-at-least": "holdout-exact",
    "rate-at-most": "rate-at-least",
    "f1-at-most": "f1-at-least",
    "mean-rate-at-most": "mean-rate-at-least",
    "macro-f1-at-most": "macro-f1-at-least",
    "concordance-at-most": "concordance-at-least",
}
_COUNTS = ("true_positives", "false_positives", "false_negatives")


def _rate(k, n, delta):
    """The largest rate at which so few successes are not too rare; all rates where there are no rows."""
    return mp.mpf(1) if n == 0 else 1 - least_rate(n - k, n, delta)


def _f1(k, n, delta):
    jaccard = _rate(k, n, delta)
    return 2 * jaccard / (1 + jaccard)


def _most(i):
    delta = number(i["delta"])
    if "pairs" in i:
        turned = i | {"concordant": i["pairs"] - i["concordant"] - i["tied"]}
        return 1 - least_area(turned)
    if "successes" in i:
        classes, most = listed(i, "successes", "rows"), _rate
    else:
        classes, most = [(h, h + a + b) for h, a, b in listed(i, *_COUNTS)], _f1
    share = delta / len(classes)
    return mp.fsum(most(k, n, share) for k, n in classes) / len(classes)


def follows(theorem, inputs, promised):
    """Whether the other end follows from the counts."""
    if theorem == "error-at-least":
        low = promised * (1 - mp.mpf("1e-9"))
        return rate_at_least(inputs["errors"], inputs["rows"], number(inputs["delta"]), low)
    return promised >= _most(inputs) * (1 - mp.mpf("1e-9"))


FOLLOWS_OF_ENDS = {
    name: lambda inputs, promised, name=name: follows(name, inputs, promised) for name in USUAL
}


def without_ends(claims):
    """The claims but for the other ends, and what is false of how these stand."""
    kept, wrong = [], []
    behind = True
    for claim in claims:
        if claim["theorem"] not in USUAL:
            kept.append(claim)
            behind = False
            continue
        same = not behind and _counted(claim) == _counted(kept[-1])
        if not same:
            wrong.append(f"the other end of {claim['of']} stands by itself")
        behind = True
    return kept, wrong


def _counted(claim):
    counts = {name: value for name, value in claim["inputs"].items() if name != "delta"}
    return claim["of"], counts
