"""Certificates with groups, and the ways in which a forger changes them."""

import copy
import json
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd

from assay import Ledger, certify
from assay.guarantees.decimals import decimal_ratio

PLACE = np.array(["a", "b", "c", "d"])[np.arange(400) ** 2 % 97 % 4]
SEX = np.array(["f", None, "m"], dtype=object)[np.arange(400) % 7 % 3]
GROUPS = {"place": PLACE, "sex": SEX}


def group_certificates(truth, guess):
    """Certificates of labels with groups, by name."""
    with warnings.catch_warnings(action="ignore"):  # some rows have no sex, which is told
        return _certificates(truth, guess)


def _certificates(truth, guess):
    labels = {"y_true": truth, "y_pred": guess}
    crossed = {"place": PLACE, "both": pd.DataFrame(GROUPS)}
    every = {"groups": GROUPS, "every_group": True}
    return {
        "groups": certify(**labels, groups=GROUPS),
        "crossed groups": certify(**labels, groups=crossed),
        "groups and rates": certify(**labels, groups=PLACE, rates=["class", "accuracy"], models=3),
        "every group": certify(**labels, **every),
        "every group passes": certify(**labels, **every, answer="pass-fail", max_error="0.3"),
        "every group of a ledger": certify(
            **labels, **every, answer="pass-fail", max_error="0.4", ledger=Ledger(":memory:")
        ),
        "groups of units": certify(**labels, groups=PLACE, unit=np.arange(400) // 4),
        "every group of units": certify(
            **labels, groups=PLACE, every_group=True, unit=np.arange(400) // 4
        ),
    }


def group_facts(truth, guess):
    """The errors and rows of every group, by its name as JSON."""
    wrong, facts = np.asarray(truth) != np.asarray(guess), {}

    def count(group, rows):
        if rows.any():
            facts[json.dumps(group)] = (int(wrong[rows].sum()), int(rows.sum()))

    for level in "abcd":
        count([["place", level]], level == PLACE)
        count([["group", level]], level == PLACE)
        for sex in ("f", "m", None):
            mine = np.array([held == sex for held in SEX])
            count([["sex", sex]], mine)
            count([["place", level], ["sex", sex]], (level == PLACE) & mine)
    return facts


def _of_groups(document):
    return [claim for claim in document["claims"] if "group" in claim or "groups" in claim]


def _named(claim):
    return [claim["group"]] if "group" in claim else claim["groups"]


def group_dropped(dice, document):
    """One group less, in the claims about each and in those about several."""
    group = dice.choice(_named(dice.choice(_of_groups(document))))
    document["claims"] = [c for c in document["claims"] if c.get("group") != group]
    for claim in _of_groups(document):
        if "groups" in claim and group in claim["groups"]:
            place = claim["groups"].index(group)
            claim["groups"].pop(place)
            for name in ("errors", "rows", "groups"):
                if isinstance(claim["inputs"].get(name), list):
                    claim["inputs"][name].pop(place)
    if dice.random() < 0.5:
        _share_evenly(document)


def groups_merged(dice, document):
    """Two groups as one: a bad one hides in a good one."""
    claims = [c for c in _of_groups(document) if "group" in c and "errors" in c["inputs"]]
    one, other = dice.sample(claims, 2)
    for name in ("errors", "rows"):
        one["inputs"][name] += other["inputs"][name]
    merged = copy.deepcopy((one, other))
    document["claims"].remove(other)
    for claim in _of_groups(document):
        if "groups" in claim and merged[1]["group"] in claim["groups"]:
            here, gone = (claim["groups"].index(part["group"]) for part in merged)
            for name in ("errors", "rows"):
                claim["inputs"][name][here] = merged[0]["inputs"][name]
                claim["inputs"][name].pop(gone)
            claim["groups"].pop(gone)
    if dice.random() < 0.5:
        _share_evenly(document)


def groups_swapped(dice, document):
    """Two names exchanged everywhere, or in one claim alone."""
    names = [group for claim in _of_groups(document) for group in _named(claim)]
    one, other = dice.sample(names, 2)
    exchanged = {json.dumps(one): other, json.dumps(other): one}
    claims = _of_groups(document)
    for claim in claims if dice.random() < 0.5 else [dice.choice(claims)]:
        if "group" in claim:
            claim["group"] = exchanged.get(json.dumps(claim["group"]), claim["group"])
        else:
            claim["groups"] = [exchanged.get(json.dumps(g), g) for g in claim["groups"]]


def group_renamed(dice, document):
    """Another level, another type of it, or another column."""
    group = dice.choice(_named(dice.choice(_of_groups(document))))
    part = dice.choice(group)
    part[dice.randrange(2)] = dice.choice(("place", "sex", "z", None, 1, True, {"float": "0.5"}))


def group_counts(dice, document):
    """Errors moved from one group to another, in one claim or in all."""
    claims = [c for c in _of_groups(document) if "group" in c and "errors" in c["inputs"]]
    one, other = dice.sample(claims, 2)
    many = dice.choice((1, 2, one["inputs"]["errors"]))
    one["inputs"]["errors"] -= many
    other["inputs"]["errors"] += many
    if dice.random() < 0.7:
        told = {json.dumps(c["group"]): c["inputs"]["errors"] for c in claims}
        for claim in _of_groups(document):
            if "groups" in claim:
                claim["inputs"]["errors"] = [
                    told.get(json.dumps(g), k)
                    for g, k in zip(claim["groups"], claim["inputs"]["errors"], strict=True)
                ]


def groups_shared(dice, document):
    """The shares of fewer groups, or one group with more than others."""
    claims = [claim for claim in _of_groups(document) if "group" in claim]
    if dice.random() < 0.5:
        _share_evenly(document, fewer=dice.choice((1, 2, len(claims) - 1)))
        return
    share = Fraction(claims[0]["inputs"]["delta"])
    for claim in claims:
        half = share / 2
        claim["inputs"]["delta"] = decimal_ratio(half.numerator, half.denominator)
    more = share * len(claims) / 2
    dice.choice(claims)["inputs"]["delta"] = decimal_ratio(more.numerator, more.denominator)


def _share_evenly(document, fewer=0):
    claims = [claim for claim in _of_groups(document) if "group" in claim]
    total = sum(Fraction(claim["inputs"]["delta"]) for claim in claims)
    share = total / max(len(claims) - fewer, 1)
    for claim in claims:
        claim["inputs"]["delta"] = decimal_ratio(share.numerator, share.denominator)


GROUP_MUTATIONS = (
    *(group_dropped, groups_merged, groups_swapped, group_renamed, group_counts, groups_shared),
)


def seen_of_groups(claim):
    """What was seen of the worst of groups, or of a gap; None of any other claim."""
    errors, rows = (claim["inputs"].get(name) for name in ("errors", "rows"))
    listed = isinstance(errors, list) and isinstance(rows, list) and len(errors) == len(rows)
    if "groups" not in claim or not listed or not all(rows):
        return None
    rates = [Fraction(k, n) for k, n in zip(errors, rows, strict=True)]
    seen = max(rates) - (min(rates) if claim["theorem"] == "group-gap" else 0)
    return decimal_ratio(seen.numerator, seen.denominator)
