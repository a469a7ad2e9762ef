"""What each theorem allows to be promised, written from the theorems with mpmath and from nothing of ours.

`follows(theorem, inputs, promised)` is whether the promise follows from the inputs; the last billionth is
not looked at.
"""

import base64
import struct
from fractions import Fraction

from mpmath import mp

mp.dps = 40


def number(value):
    if isinstance(value, str):
        value = Fraction(value)
    if isinstance(value, Fraction):
        return mp.mpf(value.numerator) / value.denominator
    return mp.mpf(value)


def binomial_tail(errors, rows, rate):
    """P[Bin(rows, rate) <= errors]."""
    if errors >= rows or rate <= 0:
        return mp.mpf(1)
    if rate >= 1:
        return mp.mpf(0)
    return mp.betainc(rows - errors, errors + 1, 0, 1 - rate, regularized=True)


def binomial_at(errors, rows, rate):
    return mp.binomial(rows, errors) * rate**errors * (1 - rate) ** (rows - errors)


def divergence(q, p):
    """kl(q || p) of two coins."""
    first = q * mp.log(q / p) if q > 0 else mp.mpf(0)
    return first + ((1 - q) * mp.log((1 - q) / (1 - p)) if q < 1 else mp.mpf(0))


def exact(i, p):
    return binomial_tail(i["errors"], i["rows"], p) <= number(i["delta"])


def occam(i, p):
    return binomial_tail(i["errors"], i["rows"], p) <= number(i["delta"]) / mp.mpf(2) ** i["bits"]


def batch(i, p):
    k, n, whole = i["errors"], i["rows"], i["population"]
    bad = int(mp.floor(p * whole)) + 1
    if bad > whole - n + k:
        return True
    total = mp.fsum(mp.binomial(bad, j) * mp.binomial(whole - bad, n - j) for j in range(k + 1))
    return bad > k and total / mp.binomial(whole, n) <= number(i["delta"])


def next_rows(i, most):
    """Whether one error more among the next rows would have hidden with probability at most delta."""
    k, n, whole = i["errors"], i["rows"], i["rows"] + i["next_rows"]
    bad = k + int(most) + 1
    if most < 0 or most != int(most):
        return False
    if bad > whole - n + k:
        return True
    total = mp.fsum(mp.binomial(bad, j) * mp.binomial(whole - bad, n - j) for j in range(k + 1))
    return total / mp.binomial(whole, n) <= number(i["delta"])


def units(i, p):
    """Whether the sixty-four gamblers own 1 / delta if the mean over units is p."""
    own = (
        mp.fprod((1 - mp.mpf(j) / 64 * (mp.mpf(e) / r - p)) ** m for e, r, m in i["units"])
        for j in range(1, 65)
    )
    return mp.fsum(own) / 64 >= 1 / number(i["delta"])


def by_kl(mean, rows, p, price):
    """Whether the mean is so far below p that it costs at least the price."""
    return p > mean and rows * divergence(mean, p) >= price


def kl(i, p):
    return by_kl(number(i["errors"]) / i["rows"], i["rows"], p, mp.log(1 / number(i["delta"])))


def hoeffding(i, p):
    return p >= number(i["errors"]) / i["rows"] + mp.sqrt(
        mp.log(1 / number(i["delta"])) / (2 * i["rows"])
    )


def anytime(i, p):
    k, n, half = i["errors"], i["rows"], mp.mpf(1) / 2
    if not k / mp.mpf(n) < p < 1:
        return False
    mixed = mp.betainc(k + half, n - k + half, 0, p) / mp.betainc(half, half, 0, p)
    return mixed / (p**k * (1 - p) ** (n - k)) >= 1 / number(i["delta"])


def bernstein(i, p):
    price, n = mp.log(2 / number(i["delta"])), i["rows"]
    spread = mp.sqrt(2 * number(i["variance"]) * price / n)
    return p >= number(i["mean"]) + spread + 7 * price / (3 * (n - 1))


def betting(i, m):
    raw = base64.b64decode(i["losses"]["data"])
    x = [mp.mpf(v) / 65535 for v in struct.unpack(f"<{len(raw) // 2}H", raw)]
    n, need = len(x), mp.log(1 / number(i["delta"]))
    total, squares, before, wealth, best = mp.mpf(0), mp.mpf(0), mp.mpf(1) / 4, mp.mpf(0), 0
    if m <= mp.fsum(x) / n or m >= 1:
        return False
    for t, loss in enumerate(x, start=1):
        bet = min(mp.sqrt(2 * need / (n * before)), mp.mpf(3) / 4 / (1 - m))
        wealth += mp.log(1 - bet * (loss - m))
        best = max(best, wealth)
        total += loss
        squares += (loss - (mp.mpf(1) / 2 + total) / (t + 1)) ** 2
        before = (mp.mpf(1) / 4 + squares) / (t + 1)
    return best >= need


def mixture(i, p, rates, weights):
    """Whether the mixture of supermartingales reaches 1 / delta at the mean error p."""
    if p <= number(i["errors"]) / i["rows"]:
        return False
    terms = (
        w * mp.exp(-r * number(i["errors"])) / (1 - p * (1 - mp.exp(-r))) ** i["rows"]
        for r, w in zip(rates, weights, strict=True)
    )
    return mp.fsum(terms) >= 1 / number(i["delta"])


def progressive_anytime(i, p):
    weights = [mp.mpf(24) / (5 * (j + 4) * (j + 5)) for j in range(20)]
    return mixture(i, p, [mp.mpf(2) ** (3 - j) for j in range(20)], weights)


def progressive(i, p):
    horizon = i.get("horizon") or i["rows"]
    least = 4 * mp.sqrt(mp.log(1 / number(i["delta"])) / (2 * horizon))
    many = max(1, int(mp.ceil(mp.log(8 / least, 2))) + 1)
    step = (8 / least) ** (mp.mpf(1) / max(many - 1, 1))
    rates = [least * step**j for j in range(many)]
    return mixture(i, p, rates, [mp.mpf(1) / many] * many)


def preferent(size, rows, delta, p):
    if size >= rows:
        return False
    above = 1 - binomial_tail(size, rows, p)
    return p > size / mp.mpf(rows) and number(delta) * above >= rows * p * binomial_at(
        size, rows, p
    )


def rebuilt(i, p, messages):
    m, k = i["rows"], i["size"]
    share = number(i["delta"]) / ((m + 1) * mp.binomial(m, k) * messages)
    return k < m and binomial_tail(i["errors"], m - k, p) <= share


def stumps(i, p):
    votes = 2**64 if i.get("weighted", True) else 1
    k, c = i["size"], i.get("classes", 2)
    one = (i["features"] * k**2 * c**2 + c) * votes
    most = i.get("most_stumps") or i["stumps"]
    return rebuilt(i, p, mp.mpf(most) * mp.mpf(one) ** i["stumps"])


def margins(i, p):
    price = number(i["norm"]) ** 2 / 2 + mp.log(2 * mp.sqrt(i["rows"]) / number(i["delta"]))
    return by_kl(number(i["gibbs"]), i["rows"], p / 2, price) if p < 2 else True


def out_of_bag(i, p):
    """Only the form without pairs of bags: twice the mean of the members."""
    if "tandem" in i:
        return None
    m = i["left_out"]
    price = mp.log(2 * mp.sqrt(m) / number(i["delta"]))
    return by_kl(number(i["loss"]), m, p / 2, price) if p < 2 else True


def limit(i, p):
    """Whether an error of this rank bounds that share of new ones, and the promise is no smaller."""
    tail = binomial_tail(i["rows"] - i["rank"], i["rows"], number(i["alpha"]))
    return (
        1 <= i["rank"] <= i["rows"] and tail <= number(i["delta"]) and p >= number(i["threshold"])
    )


def rate_at_least(k, n, delta, p):
    """Whether k successes or more among n have probability at most delta at the rate p."""
    return p <= 0 or (k > 0 and 1 - binomial_tail(k - 1, n, p) <= delta)


def least_rate(k, n, delta):
    """The largest rate that can be promised, by bisection."""
    low, high = mp.mpf(0), mp.mpf(1)
    for _ in range(130):
        middle = (low + high) / 2
        low, high = (middle, high) if rate_at_least(k, n, delta, middle) else (low, middle)
    return low


def least_f1(k, n, delta):
    jaccard = least_rate(k, n, delta)
    return 2 * jaccard / (1 + jaccard)


def least_area(i):
    """The least area that pairs allow: binomial without ties, and by sixty-four gamblers with them."""
    k, tied, n = i["concordant"], i["tied"], i["pairs"]
    if not tied:
        return least_rate(k, n, number(i["delta"]))
    kinds = [(0, 2, k), (1, 2, tied), (2, 2, n - k - tied)]
    low, high = mp.mpf(0), mp.mpf(1)
    for _ in range(130):
        middle = (low + high) / 2
        rich = units({"units": kinds, "delta": i["delta"]}, middle)
        low, high = (low, middle) if rich else (middle, high)
    return 1 - high


def unit_ratio(i, p):
    """Whether the sixty-four gamblers own 1 / delta if the share of rows is p."""
    most = i["most_rows"]
    if any(r > most for _, r, _ in i["units"]):
        return False
    own = (
        mp.fprod((1 - mp.mpf(j) / 64 * (e - p * r) / most) ** m for e, r, m in i["units"])
        for j in range(1, 65)
    )
    return mp.fsum(own) / 64 >= 1 / number(i["delta"])


def whole_units(i, p):
    counts = {
        "errors": sum(m for e, _, m in i["units"] if e),
        "rows": sum(m for *_, m in i["units"]),
    }
    return exact(counts | {"delta": i["delta"]}, p)


def unit_rate(i, promised):
    """Whether a rate of rows of units is no larger than one minus what the gamblers exclude."""
    return promised <= 0 or unit_ratio(i, 1 - promised)


def unit_f1(i, promised):
    return promised <= 0 or unit_ratio(i, 1 - promised / (2 - promised))


def listed(i, *names):
    return list(
        zip(*(i[name] if isinstance(i[name], list) else [i[name]] for name in names), strict=True)
    )


def least_mean(i):
    """The largest mean of a metric over classes that can be promised, each class with its share of delta."""
    counts = ("true_positives", "false_positives", "false_negatives")
    if "successes" in i:
        classes, least = listed(i, "successes", "rows"), least_rate
    else:
        classes, least = [(h, h + a + b) for h, a, b in listed(i, *counts)], least_f1
    delta = number(i["delta"]) / len(classes)
    return mp.fsum(least(k, n, delta) for k, n in classes) / len(classes)


UNIT_METRICS = {"unit-rate-at-least": unit_rate, "unit-f1-at-least": unit_f1}
METRICS = ("rate-at-least", "f1-at-least", "mean-rate-at-least", "macro-f1-at-least")

RATES = {
    "holdout-exact": exact,
    "occam-exact": occam,
    "holdout-finite-population": batch,
    "unit-mean-betting": units,
    "unit-ratio-betting": unit_ratio,
    "units-wholly-right": whole_units,
    "holdout-kl": kl,
    "validation-hoeffding": hoeffding,
    "holdout-anytime": anytime,
    "empirical-bernstein": bernstein,
    "bounded-betting": betting,
    "progressive-anytime": progressive_anytime,
    "progressive-validation": progressive,
    "preferent-compression": lambda i, p: preferent(i["size"], i["rows"], i["delta"], p),
    # Of the weighted sum only that it excludes no rate below the share of rows that were kept.
    "preferent-compression-weighted": lambda i, p: p > mp.mpf(i["size"]) / i["rows"] and None,
    "svm-support-compression": lambda i, p: preferent(i["support"], i["rows"], i["delta"], p),
    "mistake-compression": lambda i, p: preferent(
        i["mistaken"] + i.get("errors", 0), i["rows"], i["delta"], p
    ),
    "shuffled-mistake-compression": lambda i, p: preferent(
        i["mistaken"] + i.get("errors", 0), i["rows"], i["delta"], p
    ),
    "compression-classic": lambda i, p: rebuilt(i, p, i.get("messages", 1)),
    "stump-vote-compression": stumps,
    "pac-bayes-linear-vote": margins,
    "out-of-bag-vote": out_of_bag,
}


def hinge(i):
    reach = number(i["radius"]) * number(i["norm"])
    return ((reach + mp.sqrt(reach**2 + 4 * number(i["hinge_loss"]))) / 2) ** 2


def anytime_regret(i):
    u, r, t = number(i["norm"]), number(i["radius"]), i["rounds"]
    rate = number(i["last_rate"]) if "last_rate" in i else u * mp.sqrt(mp.mpf(2) / t) / r
    squares = 2 * mp.sqrt(2) * u * r * mp.sqrt(t)
    if "weighted_squares" in i:
        squares = number(i["weighted_squares"])
    return (2 * u) ** 2 / (2 * rate) + squares / 2


def separated(i):
    """Winnow's promotions and demotions on a separator, rounding left out, which only adds to them."""
    w, g, a = number(i["weight"]), number(i["gap"]), number(i.get("factor", 2))
    steps = mp.ceil(mp.log(i["features"], a) * (1 - mp.mpf("1e-12")))
    ups = mp.floor((w * steps + (1 - g) * a / (a - 1)) / (1 - (1 - g) * a))
    return ups + mp.ceil(a * ups + a / (a - 1)) - 1


RUNS = {
    "perceptron-margin-mistakes": lambda i: (number(i["radius"]) / number(i["margin"])) ** 2,
    "perceptron-hinge-mistakes": hinge,
    "winnow-disjunction-mistakes": lambda i: (
        3 * i["literals"] * mp.ceil(mp.log(i["features"], 2)) + 1
    ),
    "winnow-separator-mistakes": separated,
    "halving-mistakes": lambda i: mp.log(i["class_size"], 2),
    "con-mistakes": lambda i: i["class_size"] - 1,
    "online-disjunction-mistakes": lambda i: i["features"],
    "ogd-anytime-regret": anytime_regret,
    "ogd-anytime-mistakes": lambda i: anytime_regret(i) + number(i["hinge_loss"]),
}


def follows(theorem, inputs, promised):
    """Whether a promise follows from the inputs; None where this file does not know the theorem's form."""
    value = number(promised)
    if theorem in RUNS:
        least = RUNS[theorem](inputs)
        if theorem.endswith("mistakes"):
            least = mp.floor(least * (1 + mp.mpf("1e-12")))
        return value >= least * (1 - mp.mpf("1e-9"))
    if theorem == "next-rows-exact":
        return next_rows(inputs, value)
    if theorem == "tolerance-limit":
        return limit(inputs, value)
    if theorem in UNIT_METRICS:
        return UNIT_METRICS[theorem](inputs, value * (1 - mp.mpf("1e-9")))
    if theorem == "concordance-at-least":
        return value <= least_area(inputs) * (1 + mp.mpf("1e-9"))
    if theorem in METRICS:
        return value <= least_mean(inputs) * (1 + mp.mpf("1e-9"))
    if value >= 1:
        return True
    return RATES[theorem](inputs, value * (1 + mp.mpf("1e-9")) + mp.mpf("1e-15"))
