"""Whether what a certificate says of groups is true, judged without any of the code that issues or verifies."""

import itertools
import json
import re

from mpmath import mp

from tests.attacks.forged_numbers import exact, least_rate, number, units

SPOKEN = {
    r"error of the group (.+)": ("group-exact", "P[h(x) != y | {0}]"),
    r"error of the worst of \d+ groups": ("worst-group", "max_g P[h(x) != y | g]"),
    r"largest gap between the errors of two groups by (.+)": (
        "group-gap",
        "max_(g, k) (P[h(x) != y | g] - P[h(x) != y | k]), g and k by {0}",
    ),
    r"mean error over units of the group (.+)": ("group-unit-mean", "E_units[err(h) | {0}]"),
    r"mean error over units of the worst of \d+ groups": (
        "worst-group-unit-mean",
        "max_g E_units[err(h) | g]",
    ),
}
INPUTS = {
    "group-exact": "errors rows delta",
    "worst-group": "errors rows delta",
    "group-gap": "errors rows delta",
    "group-unit-mean": "units delta",
    "worst-group-unit-mean": "groups delta",
}
ALONE = ("group-exact", "group-unit-mean")
WORST = ("worst-group", "worst-group-unit-mean")


def group_of(of):
    """The theorem and the formula of what is said of groups; None for anything else."""
    for pattern, (theorem, formula) in SPOKEN.items():
        if match := re.fullmatch(pattern, of):
            return theorem, formula.format(*match.groups())
    return None


def greatest_rate(k, n, delta):
    return 1 - least_rate(n - k, n, delta)


def _worst(i, p):
    each = zip(i["errors"], i["rows"], strict=True)
    return p >= 1 or all(exact({"errors": k, "rows": n, "delta": i["delta"]}, p) for k, n in each)


def _gap(i, p):
    half = number(i["delta"]) / 2
    ends = [
        (least_rate(k, n, half), greatest_rate(k, n, half))
        for k, n in zip(i["errors"], i["rows"], strict=True)
    ]
    gap = max(high - low for (_, high), (low, _) in itertools.permutations(ends, 2))
    return p >= gap * (1 - mp.mpf("1e-9"))


FOLLOWS_OF_GROUPS = {
    "group-exact": lambda i, p: p >= 1 or exact(i, p),
    "worst-group": _worst,
    "group-gap": _gap,
    "group-unit-mean": lambda i, p: p >= 1 or units(i, p),
    "worst-group-unit-mean": lambda i, p: (
        p >= 1 or all(units({"units": kinds, "delta": i["delta"]}, p) for kinds in i["groups"])
    ),
}


def counted(claim):
    """Of each group of a claim its name as JSON, and its errors and rows, or its units."""
    names = [claim["group"]] if "group" in claim else claim["groups"]
    i = claim["inputs"]
    if "units" in i:
        counts = [i["units"]]
    elif "groups" in i:
        counts = i["groups"]
    else:
        errors, rows = (v if isinstance(v, list) else [v] for v in (i["errors"], i["rows"]))
        counts = list(zip(errors, rows, strict=True))
    assert len(names) == len(counts)
    return [(json.dumps(name), count) for name, count in zip(names, counts, strict=True)]


def sums(count):
    if isinstance(count, list):
        return sum(e * m for e, _, m in count), sum(r * m for _, r, m in count)
    return count


def falsehoods_of_groups(document, errors):
    """What is false of the groups of a document, where all rows have so many errors; None where that is not told."""
    claims = [claim for claim in document["claims"] if "group" in claim or "groups" in claim]
    if not claims:
        return
    each = [claim for claim in claims if claim["theorem"] in ALONE]
    worst = [claim for claim in claims if claim["theorem"] in WORST]
    if not each and (len(document["claims"]) != 1 or len(worst) != 1):
        yield "what groups have in common stands without them"
        return
    listed = [pair for claim in each or worst for pair in counted(claim)]
    if len({name for name, _ in listed}) != len(listed):
        yield "a group twice"
    if len({claim["inputs"]["delta"] for claim in each}) > 1:
        yield "a group that has a larger share than another"
    yield from _of_divisions(document, listed, errors, told=claims[0]["observed"] is not None)
    for claim in worst:
        if counted(claim) != listed:
            yield "the worst of other groups"
    for claim in claims:
        if claim["theorem"] == "group-gap":
            [names] = {_columns(name) for name, _ in counted(claim)} or [None]
            if counted(claim) != [pair for pair in listed if _columns(pair[0]) == names]:
                yield "a gap between other groups"


def _columns(name):
    return tuple(column for column, _ in json.loads(name))


def _of_divisions(document, listed, errors, *, told):
    by = {}
    for name, count in listed:
        by.setdefault(_columns(name), []).append((dict(json.loads(name)), *sums(count)))
    for parts in by.values():
        if sum(n for _, _, n in parts) != document["data"]["rows"]:
            yield "groups that are not all rows"
        if told and errors is not None and sum(k for _, k, _ in parts) != errors:
            yield "groups that are not all errors"
        if any(k > n or n < 1 for _, k, n in parts):
            yield "a group with more errors than rows"
    for one, other in itertools.combinations(by, 2):
        shared = sorted(set(one) & set(other))
        if shared and _margin(by[one], shared, told) != _margin(by[other], shared, told):
            yield "crossed columns that do not agree"


def _margin(parts, columns, told):
    totals = {}
    for levels, k, n in parts:
        key = json.dumps([levels[column] for column in columns])
        before = totals.get(key, (0, 0))
        totals[key] = (before[0] + k * told, before[1] + n)
    return totals


def against_groups(facts, claim):
    """What is not as in the data; `facts` has the errors and rows of each group, by its name as JSON."""
    for name, count in counted(claim):
        true = facts.get(name)
        if claim["observed"] is None:
            if true is None or sums(count)[1] != true[1] or sums(count)[0] < true[0]:
                yield f"{name} has {true}"
        elif tuple(sums(count)) != true:
            yield f"{name} has {true}, not {sums(count)}"
