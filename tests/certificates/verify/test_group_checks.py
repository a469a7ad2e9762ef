"""Forged groups: whatever is changed and sealed again is refused, with the reason."""

import copy
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from assay import Ledger, certify, verify
from assay.certificates.certificate import Certificate
from assay.certificates.format.document import sealed
from assay.certificates.verify.verify import grouped_by
from assay.errors import CertificateRefused
from assay.guarantees.decimals import decimal_above, decimal_ratio
from assay.theory.registry import find_theorem

SIZES, WRONG = {"a": 300, "b": 200, "c": 60}, {"a": 15, "b": 12, "c": 20}
PLACE = np.repeat(list(SIZES), list(SIZES.values()))
OLD = np.arange(560) % 3 == 0
TRUTH = np.arange(560) % 2
GUESS = TRUTH.copy()
for _place, _many in WRONG.items():
    _rows = np.flatnonzero(_place == PLACE)[:_many]
    GUESS[_rows] = 1 - TRUTH[_rows]
SEEN = {"y_true": TRUTH, "y_pred": GUESS}
PLAIN = certify(**SEEN, groups={"place": PLACE, "old": OLD})
CROSSED = certify(
    **SEEN, groups={"place": PLACE, "both": pd.DataFrame({"place": PLACE, "old": OLD})}
)
GATE = certify(**SEEN, groups={"place": PLACE}, every_group=True)


def forged(certificate, change):
    """The document after a change by a competent forger: what was seen, promised and spent fits again."""
    document = copy.deepcopy(certificate.to_json())
    claims = document["claims"]
    change(document, {json.dumps(c.get("group", c["quantity"])): c for c in claims})
    for claim in document["claims"]:
        inputs, theorem = claim["inputs"], find_theorem(claim["theorem"])
        claim["promised"] = decimal_above(min(float(theorem(**inputs)), 1.0))
        claim.pop("textbook", None)
        if isinstance(inputs.get("errors"), list):
            rates = [Fraction(k, n) for k, n in zip(inputs["errors"], inputs["rows"], strict=True)]
            seen = max(rates) - (min(rates) if claim["quantity"] == "group-gap" else 0)
        else:
            seen = Fraction(inputs["errors"], inputs["rows"])
        if claim["observed"] is not None:
            claim["observed"] = decimal_ratio(seen.numerator, seen.denominator)
    document["delta"]["spent"] = [[c["theorem"], c["inputs"]["delta"]] for c in document["claims"]]
    return Certificate(sealed(document))


def refused(certificate, change, reason, **data):
    verification = verify(forged(certificate, change), **data)
    assert verification.verdict == "does not add up"
    assert reason in verification.reason, verification.reason


def group(name):
    return json.dumps([["place", name]])


def drop(document, group):
    """A group taken out of every claim."""
    document["claims"] = [c for c in document["claims"] if c.get("group") != group]
    for claim in document["claims"]:
        if group in claim.get("groups", ()):
            place = claim["groups"].index(group)
            for values in (claim["groups"], claim["inputs"]["errors"], claim["inputs"]["rows"]):
                values.pop(place)


def test_nothing_changed_is_verified():
    for certificate in (PLAIN, CROSSED, GATE):
        assert verify(forged(certificate, lambda *_: None))


def test_a_bad_group_is_not_dropped():
    refused(
        PLAIN, lambda d, _: drop(d, [["place", "c"]]), "the groups by place do not add up to 560"
    )
    refused(
        GATE, lambda d, _: drop(d, [["place", "c"]]), "the groups by place do not add up to 560"
    )

    def with_its_rows(document, claims):
        drop(document, [["place", "c"]])
        for claim in document["claims"]:
            if claim["quantity"] == "error" or claim.get("group") == [["old", False]]:
                claim["inputs"]["rows"] -= 60
                claim["inputs"]["errors"] -= 20
        document["data"]["rows"] -= 60

    refused(PLAIN, with_its_rows, "the worst of other groups is claimed")
    # Of the place alone everything is made to fit: then only the data tell.
    lone = certify(**SEEN, groups={"place": PLACE})
    fitting = forged(lone, with_its_rows)
    assert verify(fitting)
    assert "the data have 560 rows" in verify(fitting, **SEEN, groups={"place": PLACE}).reason


def merge(document, claims):
    """Group c hides in group a."""
    bad = claims[group("c")]["inputs"]
    for name in ("errors", "rows"):
        claims[group("a")]["inputs"][name] += bad[name]
    for claim in document["claims"]:
        if [["place", "c"]] in claim.get("groups", ()):
            here, there = (claim["groups"].index([["place", p]]) for p in "ac")
            for name in ("errors", "rows"):
                claim["inputs"][name][here] += claim["inputs"][name][there]
    drop(document, [["place", "c"]])


def test_groups_that_were_merged_are_not_those_of_the_data():
    merged = forged(PLAIN, merge)
    assert verify(merged)  # it is the certificate of other groups, and says nothing false of these
    found = verify(merged, **SEEN, groups={"place": PLACE, "old": OLD})
    assert (
        "the data count place = 'a' differently: 15 of 300 rows, not 35 of 360 rows" in found.reason
    )
    refused(CROSSED, merge, "crossed columns")


def test_groups_that_were_exchanged_are_not_those_of_the_data():
    def exchange(document, claims):
        other = {group("a"): [["place", "c"]], group("c"): [["place", "a"]]}
        for claim in document["claims"]:
            if "group" in claim:
                claim["group"] = other.get(json.dumps(claim["group"]), claim["group"])
            elif "groups" in claim:
                claim["groups"] = [other.get(json.dumps(g), g) for g in claim["groups"]]

    data = {**SEEN, "groups": {"place": PLACE, "old": OLD}}
    refused(PLAIN, exchange, "the data count place = 'c' differently", **data)
    refused(CROSSED, exchange, "crossed columns count other rows of place")

    def in_one_claim(document, claims):
        claims[group("a")]["group"], claims[group("c")]["group"] = (
            [["place", "c"]],
            [["place", "a"]],
        )

    refused(PLAIN, in_one_claim, "the worst of other groups is claimed")


def test_fewer_groups_do_not_share_delta():
    def as_if_one(document, claims):
        for claim in document["claims"]:
            if "group" in claim:
                claim["inputs"]["delta"] = "0.0125"

    refused(PLAIN, as_if_one, "the claims spend more than the total")

    def one_takes_more(document, claims):
        for claim in document["claims"]:
            if "group" in claim:
                claim["inputs"]["delta"] = "0.001"
        claims[group("c")]["inputs"]["delta"] = "0.008"

    refused(PLAIN, one_takes_more, "the groups do not share delta evenly")


def test_errors_are_not_moved_from_group_to_group():
    def move(document, claims):
        for name, many in (("c", -15), ("a", 15)):
            claims[group(name)]["inputs"]["errors"] += many

    refused(PLAIN, move, "the worst of other groups is claimed")

    def everywhere(document, claims):
        move(document, claims)
        for claim in document["claims"]:
            for name, many in (("c", -15), ("a", 15)):
                if [["place", name]] in claim.get("groups", ()):
                    claim["inputs"]["errors"][claim["groups"].index([["place", name]])] += many

    data = {**SEEN, "groups": {"place": PLACE, "old": OLD}}
    assert verify(forged(PLAIN, everywhere))
    refused(PLAIN, everywhere, "the data count place = 'a' differently", **data)
    refused(CROSSED, everywhere, "crossed columns count other rows of place")
    # Errors that are in no group, or in two.
    refused(
        PLAIN,
        lambda d, c: c[group("a")]["inputs"].update(errors=9),
        "errors of the groups by place",
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d, c: d["claims"].append(copy.deepcopy(c[group("a")])), "stands behind"),
        (lambda d, c: d["claims"].insert(2, copy.deepcopy(c[group("a")])), "the same group is claimed twice"),
        (lambda d, c: d["claims"].remove(c['"error"']), "in this order"),
        (lambda d, c: c[group("a")].update(group=[["place", "a"], ["place", "b"]]), "told twice what one column"),
        (lambda d, c: c[group("a")].update(group=[["site", "a"]]), "do not add up to 560"),
        (lambda d, c: c[group("a")].pop("group"), "group-error is not what these fields belong to"),
        (lambda d, c: c[group("a")].update(label="a"), "group-error is not what these fields belong to"),
        (lambda d, c: c['"worst-group-error"']["groups"].reverse(), "the worst of other groups is claimed"),
        (lambda d, c: d["claims"].reverse(), "in this order"),
        (lambda d, c: c[group("a")]["assumptions"].pop(), "the assumption 'groups-declared' is not listed"),
        (lambda d, c: c[group("a")]["assumptions"][2].update(status="checked"), "cannot be known to be so: checked"),
        (lambda d, c: c['"group-gap"']["groups"].pop(), "as many groups are named as are counted"),
        (lambda d, c: c['"worst-group-error"'].update(observed=None), ""),
    ],
)  # fmt: skip
def test_groups_that_do_not_fit_are_refused(change, reason):
    refused(PLAIN, change, reason) if reason else None
    if not reason:
        assert verify(forged(PLAIN, change)).adds_up  # it tells less


def test_a_gap_is_between_the_groups_of_one_column():
    def across(document, claims):
        gaps = [c for c in document["claims"] if c["quantity"] == "group-gap"]
        for name in ("groups",):
            gaps[0][name][0] = gaps[1][name][0]
        for name in ("errors", "rows"):
            gaps[0]["inputs"][name][0] = gaps[1]["inputs"][name][0]

    refused(PLAIN, across, "a gap is claimed of other groups than those of one division")

    def twice(document, claims):
        document["claims"].append(copy.deepcopy(document["claims"][-1]))
        for claim in document["claims"]:
            if claim["quantity"] == "group-gap":
                claim["inputs"]["delta"] = "0.002"

    refused(PLAIN, twice, "a gap is claimed of other groups")


def test_a_gate_is_about_all_groups_of_each_column():
    def other_rows(document, claims):
        document["claims"][0]["inputs"]["rows"][2] += 40

    refused(GATE, other_rows, "the rows of the groups by place do not add up to 560")

    def an_error_less(document, claims):
        document["claims"][0]["inputs"]["errors"][2] -= 5

    # Without a claim about all rows the file does not say how many errors there are; the data do.
    assert verify(forged(GATE, an_error_less))
    refused(GATE, an_error_less, "differently", **SEEN, groups={"place": PLACE})
    two = certify(**SEEN, groups={"place": PLACE, "old": OLD}, every_group=True)
    refused(two, an_error_less, "the errors of the groups by old do not add up to 42")

    def beside_another(document, claims):
        document["claims"].append(copy.deepcopy(document["claims"][0]))

    refused(GATE, beside_another, "in this order")


def test_a_pass_tells_no_counts_and_no_fewer_than_there_are():
    asked = {"groups": {"place": PLACE}, "every_group": True, "max_error": "0.5"}
    passed = certify(**SEEN, **asked, answer="pass-fail")
    assert passed.claims[0].observed is None
    assert verify(passed, **SEEN, groups={"place": PLACE})

    def fewer(document, claims):
        document["claims"][0]["inputs"]["errors"][2] = 19

    refused(passed, fewer, "differently", **SEEN, groups={"place": PLACE})


def test_the_data_are_compared_with_groups_or_without():
    data = {**SEEN, "groups": {"place": PLACE, "old": OLD}}
    assert "the groups" not in verify(PLAIN, **data).not_compared
    assert "the groups" in verify(PLAIN, **SEEN).not_compared
    one = verify(PLAIN, **SEEN, groups={"place": PLACE})
    assert "the certificate has groups by old: give these columns too" in one.reason
    other = verify(PLAIN, **SEEN, groups={"place": np.where(PLACE == "c", "d", PLACE), "old": OLD})
    assert "the data hold no row of place = 'c'" in other.reason
    numbers = verify(PLAIN, **SEEN, groups={"place": PLACE, "old": OLD.astype(int)})
    assert "the data hold no row of old = False" in numbers.reason  # 0 is another level than False
    assert grouped_by(CROSSED) == [("place",), ("place", "old")]
    # Columns may be crossed in another order.
    turned = pd.DataFrame({"old": OLD, "place": PLACE})
    assert verify(CROSSED, **SEEN, groups={"place": PLACE, "both": turned})


def test_a_ledger_charges_for_groups_once_and_for_a_gate_one_bit(tmp_path):
    book = Ledger(tmp_path / "looks.ledger")
    asked = {"groups": {"place": PLACE}, "ledger": book}
    made = certify(**SEEN, **asked)
    [entry] = book.entries()
    # The error, then the errors and rows of three groups, and that there are three; the worst and the gap repeat them.
    assert int(entry.answers, 16) == 561 ** (1 + 6 + 1)
    assert verify(made, **SEEN, groups={"place": PLACE}, ledger=book)
    assert {a.status for c in made.claims for a in c.assumptions if a.id == "groups-declared"} == {
        "declared"
    }
    gate = certify(**SEEN, **asked, every_group=True, max_error="0.9", answer="pass-fail")
    _, second = book.entries()
    assert int(second.answers, 16) == 2
    assert Fraction(gate.claims[0].delta) <= second.share
    assert verify(gate, **SEEN, groups={"place": PLACE}, ledger=book)
    # A refusal that tells counts is charged as they are.
    with pytest.raises(CertificateRefused, match="20 of 60 wrong"):
        certify(**SEEN, **asked, every_group=True, max_error="0.3")
    assert int(book.entries()[-1].answers, 16) == 561 ** (6 + 1)
    told = certify(**SEEN, **asked, every_group=True)
    assert verify(told, **SEEN, groups={"place": PLACE}, ledger=book)


def test_a_file_that_would_take_long_is_refused_at_once():
    document = copy.deepcopy(GATE.to_json())
    claim = document["claims"][0]
    claim["groups"] = [[["place", k]] for k in range(500)]
    claim["inputs"].update(errors=[10**8] * 500, rows=[10**9] * 500)
    found = verify(Certificate(sealed(document)))
    assert "its groups count more errors than can be verified in a moment" in found.reason
