"""Evidence in files: nothing is lost, and what does not add up is refused."""

import itertools
import json

import numpy as np
import polars as pl
import pytest

import assay
from assay import Evidence, certify, count
from assay.errors import AssayError, BadData, BadParameter
from assay.evidence.evidence import from_scores
from assay.evidence.stored import from_text, to_text

RNG = np.random.default_rng(3)
ROWS = 900
TABLE = pl.DataFrame(
    {
        "y": RNG.choice(["ham", "spam", "eggs"], ROWS),
        "p": RNG.choice(["ham", "spam"], ROWS),
        "sex": RNG.choice(["f", "m"], ROWS),
        "age": RNG.choice([1.5, 2.0], ROWS),
        "who": np.arange(ROWS) // 3,
        "loss": RNG.beta(1, 9, ROWS),
    }
)
LABELS = {"truth": "y", "prediction": "p"}
ASKED = [
    LABELS,
    LABELS | {"labels": ["ham", "spam", "eggs", "tea"]},
    LABELS | {"by": ["sex", "sex*age"]},
    LABELS | {"unit": "who", "by": "sex"},
    LABELS | {"unit": "none"},
    LABELS | {"ids": "who"},
    {"loss": "loss"},
    {"loss": "loss", "unit": "who"},
]

pytestmark = pytest.mark.filterwarnings("ignore:Nothing is promised")


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_what_is_saved_is_what_was_counted(asked, tmp_path):
    counted = count(TABLE, **asked)
    counted.save(tmp_path / "part.json")
    again = Evidence.load(tmp_path / "part.json")
    assert again == counted
    assert certify(again).to_json() == certify(counted).to_json()
    assert certify(counted).to_json() == certify(TABLE, **asked).to_json()


@pytest.mark.parametrize("cuts", [(300,), (3, 6, 450), tuple(range(51, 900, 51))], ids=len)
@pytest.mark.parametrize("asked", ASKED[:5] + ASKED[6:], ids=str)
def test_machines_that_cannot_talk_are_added_up(asked, cuts, tmp_path):
    edges = [0, *cuts, ROWS]
    parts = []
    for i, (start, end) in enumerate(itertools.pairwise(edges)):
        file = tmp_path / f"{i}.json"
        count(TABLE[start:end].lazy(), **asked).save(file)
        parts.append(Evidence.load(file))
    for order in (parts, parts[::-1]):
        merged = certify(Evidence.merge(*order)).to_json()
        assert merged["claims"] == certify(TABLE, **asked).to_json()["claims"]


def test_ids_that_come_again_are_kept_for_whoever_promises(tmp_path):
    count(TABLE, **LABELS, ids="who").save(tmp_path / "part.json")
    part = Evidence.load(tmp_path / "part.json")
    assert part.draws.again == "the column 'who' repeats itself in 600 of 900 rows"
    with pytest.warns(UserWarning, match="Nothing is promised, since the column 'who' repeats"):
        assert certify(part).claims[0].promised is None
    assert certify(part, unit="none").claims[0].promised is not None
    with pytest.raises(BadParameter, match="unit must be a column, or 'none'"):
        certify(part, unit="who")
    plain = Evidence.merge(part, count(TABLE.select("y", "p"), **LABELS))
    with pytest.warns(UserWarning, match="Nothing is promised"):
        assert certify(plain).claims[0].promised is None


def test_what_goes_with_arrays_alone_is_refused_beside_evidence():
    part = count(TABLE, **LABELS)
    for given in ({"y_true": [1]}, {"by": "sex"}, {"ids": "who"}, {"ledger": "l.json"}, {"X": [1]}):
        with pytest.raises(BadParameter, match="left out for evidence that was counted already"):
            certify(part, **given)
    with pytest.raises(BadParameter, match="unit must be left out for evidence that has units"):
        certify(count(TABLE, **LABELS, unit="who"), unit="none")


def test_single_rows_are_never_in_a_file():
    scored = from_scores([([0, 1, 1], [0.1, 0.8, 0.3])])
    with pytest.raises(BadParameter, match="holds scores, which are of single rows"):
        to_text(scored)


def setting(path, value):
    def change(document):
        *inner, last = path
        for step in inner:
            document = document[step]
        document[last] = value(document[last]) if callable(value) else value

    return change


OF_LABELS, OF_UNITS, OF_LOSSES = ASKED[2], ASKED[3], ASKED[6]


@pytest.mark.parametrize(
    ("asked", "path", "value"),
    [
        (LABELS, ("rows",), lambda n: n + 1),
        (LABELS, ("rows",), 900.0),
        (LABELS, ("rows",), True),
        (LABELS, ("errors",), lambda k: k - 1),
        (LABELS, ("errors",), -1),
        (LABELS, ("errors",), None),
        (LABELS, ("format",), 2),
        (LABELS, ("assay",), "certificate"),
        (LABELS, ("tally",), []),
        (LABELS, ("tally", "labels"), ["ham", "eggs", "spam"]),
        (LABELS, ("tally", "labels"), ["eggs", "ham", 3]),
        (LABELS, ("tally", "confusion", 0, 0), lambda k: k + 1),
        (LABELS, ("tally", "confusion"), [[900]]),
        (LABELS, ("tally", "unseen"), ["tea"]),
        (LABELS, ("notes",), [1]),
        (LABELS, ("model",), 3),
        (LABELS, ("draws",), {"again": 3}),
        (LABELS, ("losses",), {"sums": ["0", "0"], "binary": True}),
        (OF_LABELS, ("groups", 0, "errors", 0), lambda k: k - 1),
        (OF_LABELS, ("groups", 0, "rows", 0), 0),
        (OF_LABELS, ("groups", 0, "levels", 0), ["f", "g"]),
        (OF_LABELS, ("groups", 0, "levels", 1), ["f"]),
        (OF_LABELS, ("groups", 0, "names"), []),
        (OF_LABELS, ("groups",), 7),
        (OF_UNITS, ("units", 0, 0), 4),
        (OF_UNITS, ("units", 0, 2), lambda m: m + 1),
        (OF_UNITS, ("groups", 0, "units", 0, 0, 2), lambda m: m + 1),
        (OF_UNITS, ("units",), lambda kinds: kinds[::-1]),
        (OF_LOSSES, ("losses", "sums", 0), "x"),
        (OF_LOSSES, ("losses", "sums", 0), lambda s: str(int(s) // 100)),
        (OF_LOSSES, ("losses", "sums", 1), "0"),
        (OF_LOSSES, ("losses", "sums"), ["1"]),
        (OF_LOSSES, ("losses", "binary"), 1),
        (OF_LOSSES, ("rows",), 1),
        (OF_LOSSES, ("draws",), {"again": "", "units": [2, 3, 1]}),
    ],
    ids=lambda value: str(value)[:40] if not callable(value) else "changed",
)
def test_forgeries_that_do_not_add_up_are_refused(asked, path, value):
    document = json.loads(to_text(count(TABLE, **asked)))
    if path[0] not in document:
        document[path[0]] = None
    setting(path, value)(document)
    with pytest.raises(BadData, match="This is no evidence that assay saved: "):
        from_text(json.dumps(document))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"rows": NaN}', "null", "[" * 100_000, '{"assay": "evidence"}']
)
def test_other_files_are_refused(text, tmp_path):
    file = tmp_path / "part.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadData, match="This is no evidence that assay saved"):
        Evidence.load(file)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    file = tmp_path / "part.json"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AssayError, match="it is not text"):
        Evidence.load(file)


def test_saving_leaves_the_old_file_or_the_new_one(tmp_path):
    part = count(TABLE, **LABELS)
    part.save(tmp_path / "part.json")
    with pytest.raises(BadParameter):
        from_scores([([0, 1], [0.1, 0.8])]).save(tmp_path / "part.json")
    assert assay.Evidence.load(tmp_path / "part.json") == part
    assert [path.name for path in tmp_path.iterdir()] == ["part.json"]
