"""Whether a certificate of models on the same rows says something true, judged from the theorems once more.

What is judged is the document as people read it: claims with their sentences, who is compared, and how delta is shared.
"""

import base64
import re
import struct
from fractions import Fraction

from mpmath import mp

from tests.attacks.forged_numbers import binomial_tail, least_rate, number

NAME = r"('[^'\\]+'|\"[^\"\\]+\")"
OLD, NEW = rf"(the old model|{NAME})", rf"(the new one|the new model|{NAME})"
# What is said of two models: by which theorem, and as which formula.
PAIRS = {
    rf"error of {OLD} less that of {NEW}": ("paired-difference", "err_D({}) - err_D({})"),
    rf"error of {OLD} less that of {NEW}, by its sign": ("mcnemar-better", "err_D({}) - err_D({})"),
    rf"mean over units of the error of {OLD} less that of {NEW}": (
        "unit-difference",
        "E_units[err({}) - err({})]",
    ),
    rf"mean loss of {OLD} less that of {NEW}": ("paired-loss-difference", "E[loss({}) - loss({})]"),
    rf"mean over units of the loss of {OLD} less that of {NEW}": (
        "paired-loss-difference",
        "E_units[loss({}) - loss({})]",
    ),
}
INPUTS = {
    "mcnemar-better": "only_old only_new delta",
    "paired-difference": "only_old only_new rows delta",
    "unit-difference": "units delta",
    "paired-loss-difference": "old_losses new_losses delta (anytime)",
}


def pair_of(of):
    """The theorem, the formula, and the names of the two models, empty for those without one."""
    for pattern, (theorem, formula) in PAIRS.items():
        found = re.fullmatch(pattern, of)
        if found is not None:
            old, new = found[2] or "", found[4] or ""
            return theorem, formula.format(old or "old", new or "new"), (old, new)
    return None


def is_better(i, p):
    b, m = i["only_old"], i["only_old"] + i["only_new"]
    tail = 1 - binomial_tail(b - 1, m, mp.mpf(1) / 2) if b else mp.mpf(1)
    return p <= -1 or (p <= 0 and m > 0 and tail <= number(i["delta"]) * (1 + mp.mpf("1e-9")))


def least_difference(i, p):
    b, m, n, delta = (i["only_old"], i["only_old"] + i["only_new"], i["rows"], number(i["delta"]))
    theta = least_rate(b, m, 4 * delta / 5) if m else mp.mpf(0)
    low = least_rate(m, n, delta / 10)
    high = 1 - least_rate(n - m, n, delta / 10)
    bound = min(low * (2 * theta - 1), high * (2 * theta - 1))
    return p <= bound + mp.mpf("1e-9")


def over_units(i, p):
    """Whether the sixty-four gamblers on (1 - d / r) / 2 own 1 / delta at the mean that p stands for."""
    at = (1 - p) / 2
    own = (
        mp.fprod(
            (1 - mp.mpf(j) / 64 * ((1 - mp.mpf(d) / r) / 2 - at)) ** many
            for d, r, many in i["units"]
        )
        for j in range(1, 65)
    )
    return p <= -1 or mp.fsum(own) / 64 >= (1 - mp.mpf("1e-9")) / number(i["delta"])


def by_losses(i, p):
    def read(name):
        raw = base64.b64decode(i[name]["data"])
        return [mp.mpf(v) / 65535 for v in struct.unpack(f"<{len(raw) // 2}H", raw)]

    x = [
        (new - old + 1) / 2 for old, new in zip(read("old_losses"), read("new_losses"), strict=True)
    ]
    m, n, need = (1 - p) / 2 + mp.mpf("1e-9"), len(x), mp.log(1 / number(i["delta"]))
    total, squares, before, wealth, best = mp.mpf(0), mp.mpf(0), mp.mpf(1) / 4, mp.mpf(0), 0
    if p <= -1:
        return True
    if m <= mp.fsum(x) / n or m >= 1 or "anytime" in i:
        return False
    for t, loss in enumerate(x, start=1):
        bet = min(mp.sqrt(2 * need / (n * before)), mp.mpf(3) / 4 / (1 - m))
        wealth += mp.log(1 - bet * (loss - m))
        best = max(best, wealth)
        total += loss
        squares += (loss - (mp.mpf(1) / 2 + total) / (t + 1)) ** 2
        before = (mp.mpf(1) / 4 + squares) / (t + 1)
    return best >= need


FOLLOWS = {
    "mcnemar-better": is_better,
    "paired-difference": least_difference,
    "unit-difference": over_units,
    "paired-loss-difference": by_losses,
}


def gate_of(claim, entry):
    """What a claim must promise to pass, by the document's field; None where nothing is asked."""
    if claim["theorem"] == "mcnemar-better":
        return Fraction(0)
    return -Fraction(entry["margin"]) if "margin" in entry else None


def falsehoods_of_pairs(read, document):
    """Everything that is false in who is compared and how delta is shared; `read` has the sentences."""
    claims, delta = read["claims"], document["delta"]
    total = Fraction(delta["total"])
    if document["ledger"] is not None:
        look = document["ledger"]["entry"]
        total /= look * (look + 1) * int(document["ledger"]["answers_before"], 16)
    shares = [Fraction(claim["inputs"].get("delta", "0")) for claim in claims]
    many = delta["declared_models"]
    names = [pair_of(claim["of"])[2] for claim in claims if pair_of(claim["of"])]
    if len(set(names)) != len(names) or len(claims) > many:
        yield "more comparisons than were declared, or one twice"
    if len(claims) > 1 and ("", "") in names:
        yield "several models, and one has no name"
    both = [pair for pair in names if all(pair)]
    if both and len(both) != len({n for pair in both for n in pair}) * (
        len({n for pair in both for n in pair}) - 1
    ):
        yield "a pair was picked"
    if {n[1:-1] for pair in names for n in pair if n} != set(document["subject"].get("rivals", {})):
        yield "other models than those that are listed"
    yield from _of_rows(claims, document["data"]["rows"])
    gates = [gate_of(claim, entry) for claim, entry in zip(claims, document["claims"], strict=True)]
    numbers = [None if c["promised"] is None else Fraction(c["promised"]) for c in claims]
    if delta["rule"] == "union":
        if any(share * many > total for share in shares):
            yield "more is spent than there is"
        return
    if None in gates or len(set(gates)) > 1:
        yield "steps without one gate"
        return
    passed = [p is not None and p >= g for p, g in zip(numbers, gates, strict=True)]
    if delta["rule"] == "intersection-union":
        if not all(passed) or any(p != g for p, g in zip(numbers, gates, strict=True)):
            yield "all of delta is spent on more than that everyone passes"
        if any(c["observed"] is not None for c in claims) or len(claims) != many:
            yield "what is told of some that pass"
        if any(share > total for share in shares):
            yield "more is spent than there is"
        return
    steps = sum(passed)
    if sorted(passed, reverse=True) != passed:
        yield "one that passes behind one that does not"
    for place, (share, p, g) in enumerate(zip(shares, numbers, gates, strict=True)):
        if share > total / (many - min(place, steps)):
            yield "more is spent than its step has"
        if place < steps and p != g and (steps < many or share * many > total):
            yield "a step that promises more than its gate"
    if any(claim["theorem"] == "paired-loss-difference" for claim in claims):
        yield "steps by a bound that need not grow with delta"


def _of_rows(claims, rows):
    for claim in claims:
        i, seen = claim["inputs"], claim["observed"]
        if "units" in i:
            counted = sum(r * m for _, r, m in i["units"])
        elif "old_losses" in i:
            counted = i["old_losses"]["rows"]
        else:
            counted = i.get("rows", rows)
        if counted != rows or i.get("only_old", 0) + i.get("only_new", 0) > rows:
            yield "a claim about other rows"
        if seen is not None and "only_old" in i:
            share = Fraction(i["only_old"] - i["only_new"], rows)
            if abs(Fraction(seen) - share) > Fraction(1, 10**12):
                yield "something else was seen"
