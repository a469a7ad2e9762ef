"""Logs of decisions as the tools write them: what is read, and what is refused."""

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay import EpsilonGreedy, learn_logged, logged_value, read_decisions
from assay.data.decisions.registry import decision_formats
from assay.errors import AssayError, BadData
from tests.refusals import refuses

FIXTURES = Path(__file__).parent / "fixtures"
FILES = {
    "vw": "vw.txt",
    "vw-adf": "vw_adf.txt",
    "dsjson": "personalizer.dsjson",
    "open-bandit": "open_bandit.csv",
}


def test_every_format_has_a_fixture_and_is_known_by_its_beginning():
    assert set(decision_formats()) == set(FILES)
    for name, file in FILES.items():
        found, asked = read_decisions(FIXTURES / file), read_decisions(FIXTURES / file, format=name)
        assert found.format == asked.format == decision_formats()[name].tool
        assert found.losses.tolist() == asked.losses.tolist()


def test_vowpal_wabbit_with_numbered_actions():
    log = read_decisions(FIXTURES / "vw.txt")
    assert log.actions.tolist() == [1, 0, 2, 1]
    assert log.losses.tolist() == [0.0, 1.0, 0.5, 1.0]
    assert log.propensities.tolist() == [0.5, 0.25, 0.25, 0.5]
    assert (log.arms, log.arm_names, log.features, log.probabilities) == (
        3,
        ("1", "2", "3"),
        None,
        None,
    )
    ages = log.contexts[:, log.context_names.index("user^age")]
    assert ages.tolist() == [0.25, 0.5, 0.75, 1.0]
    [bonn] = [name for name in log.context_names if "Bonn" in name]
    assert log.contexts[:, log.context_names.index(bonn)].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_vowpal_wabbit_with_features_of_actions():
    log = read_decisions(FIXTURES / "vw_adf.txt")
    assert log.actions.tolist() == [1, 0]
    assert log.losses.tolist() == [0.0, 1.0]
    assert log.propensities.tolist() == [0.8, 0.25]
    assert log.context_names == ("user^age", "user^city=Bonn")
    assert log.contexts.tolist() == [[0.25, 1.0], [0.5, 0.0]]
    assert log.feature_names == ("item^sports", "item^size", "item^news", "item^weather")
    assert log.features[0].tolist() == [[1, 2, 0, 0], [0, 0, 1, 0]]
    assert log.features[1].tolist() == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 3, 0, 2]]
    assert log.arms == 3
    assert log.notes == ("1 rounds without a cost were left out.",)


def test_personalizer():
    log = read_decisions(FIXTURES / "personalizer.dsjson")
    # Rewards of 1 and 0, which it writes as costs of -1 and 0.
    assert log.losses.tolist() == [0.0, 1.0]
    assert log.actions.tolist() == [1, 0]
    assert log.propensities.tolist() == [0.8, 0.1]
    # Probabilities stand in the order of the ranking, and are put into that of the actions.
    assert [p.tolist() for p in log.probabilities] == [[0.1, 0.8, 0.1], [0.1, 0.9]]
    assert log.context_names == (
        "FromUrl^timeofday=morning",
        "FromUrl^weather=rainy",
        "age",
        "FromUrl^timeofday=noon",
    )
    assert log.contexts.tolist() == [[1, 1, 30, 0], [0, 0, 41, 1]]
    assert log.feature_names[:3] == ("i^constant", "i^id=pasta", "j^taste=salty")
    assert log.features[1].shape == (2, len(log.feature_names))
    assert log.notes == (
        "1 events were left out: they were never activated.",
        "1 events were left out: they hold no decision, such as a reward that came alone.",
    )


def test_slots_are_rounds_among_what_is_left():
    log = read_decisions(FIXTURES / "slots.dsjson")
    assert log.losses.tolist() == [0.0, 1.0]
    assert log.actions.tolist() == [2, 0]
    assert [p.tolist() for p in log.probabilities] == [[0.25, 0.25, 0.5], [0.75, 0.25]]
    assert [len(table) for table in log.features] == [3, 2]
    assert log.context_names == ("FromUrl^device=phone", "slot^place^top", "slot^place^side")
    assert "slots of one event are not independent draws" in log.notes[0]


def test_open_bandit():
    log = read_decisions(FIXTURES / "open_bandit.csv")
    assert log.losses.tolist() == [1.0, 0.0, 1.0]
    assert (log.rewards, log.arms, log.arm_names) == (True, 3, ("0", "1", "2"))
    assert log.propensities.tolist() == [0.25, 0.5, 0.25]
    named = dict(zip(log.context_names, log.contexts.T.tolist(), strict=True))
    assert named["user_feature_0=cef3"] == [1, 1, 0]
    assert named["position=3"] == [1, 0, 1]


def table(tmp_path, **changes):
    columns = {
        "page": ["red", "blue", "red", "green"],
        "left": [0, 1, 0, 1],
        "chance": [0.5, 0.25, 0.5, 0.25],
        "age": [1.0, 2.0, 3.0, 4.0],
        "city": ["Bonn", "Ulm", "Ulm", "Bonn"],
    }
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns | changes), path)
    return path


NAMED = {"arm": "page", "loss": "left", "propensity": "chance", "contexts": ["age", "city"]}


def test_any_table_whose_columns_are_named(tmp_path):
    path = table(tmp_path)
    log = read_decisions(path, **NAMED)
    assert log.arm_names == ("blue", "green", "red")
    assert log.actions.tolist() == [2, 0, 2, 1]
    assert log.losses.tolist() == [0, 1, 0, 1]
    assert log.contexts[:, 0].tolist() == [1, 2, 3, 4]
    assert log.contexts.shape == (4, 3)
    rewards = {name: value for name, value in NAMED.items() if name != "loss"} | {"reward": "left"}
    assert read_decisions(path, **rewards, range=(0, 2)).losses.tolist() == [1, 0.5, 1, 0.5]
    # Arms and columns of another log.
    pq.write_table(pq.read_table(path).slice(1, 1), tmp_path / "later.parquet")
    later = read_decisions(tmp_path / "later.parquet", **NAMED, like=log)
    assert (later.actions.tolist(), later.arm_names) == ([0], log.arm_names)
    assert later.contexts.tolist() == [log.contexts[1].tolist()]


def test_a_range_a_digest_and_the_columns_of_another_log(tmp_path):
    text = (FIXTURES / "vw_adf.txt").read_text()
    path = tmp_path / "costs.txt.gz"
    path.write_bytes(gzip.compress(text.replace("0:1.0:", "0:3.0:").encode()))
    assert read_decisions(path, range=(0, 4)).losses.tolist() == [0.0, 0.75]
    first = read_decisions(FIXTURES / "vw_adf.txt")
    other = tmp_path / "other.txt"
    other.write_text("shared |user age:2 tall\n0:1:1 |item news fresh\n")
    alike = read_decisions(other, like=first)
    assert alike.context_names == first.context_names
    assert alike.contexts.tolist() == [[2.0, 0.0]]
    assert alike.features[0].tolist() == [[0, 0, 1, 0]]
    assert alike.notes == ("2 features were not in the other log and were left out.",)
    hashed = [read_decisions(file, hashed=16) for file in (FIXTURES / "vw_adf.txt", other)]
    assert [log.contexts.shape[1] for log in hashed] == [16, 16]
    news = [log.features[0][at] for log, at in zip(hashed, (1, 0), strict=True)]
    assert np.abs(news[0] - news[1]).sum() == 1.0  # all but "fresh"


def test_what_was_read_is_learned_from_and_judged():
    log = read_decisions(FIXTURES / "personalizer.dsjson")
    policy = learn_logged(EpsilonGreedy(exploration=0.1), log)
    value = logged_value(log, policy=policy)
    assert 0 <= value.lower <= value.upper <= 1


ADF = (FIXTURES / "vw_adf.txt").read_text()
EVENT = json.loads((FIXTURES / "personalizer.dsjson").read_text().splitlines()[0])


def event(**changes):
    return json.dumps(EVENT | changes) + "\n"


#: Name, text, and the sentence without the path.
REFUSED = {
    "a cost out of range": (
        "a.txt",
        "1:7:0.5 | x\n",
        ", line 1, holds the cost 7, outside the range 0 to 1. Declare between which two numbers all lie with "
        "range=(LO, HI).",
    ),
    "no cost": (
        "a.txt",
        "1:nan:0.5 | x\n",
        ", line 1, holds the cost nan, outside the range 0 to 1. "
        "Declare between which two numbers all lie with range=(LO, HI).",
    ),
    "no probability": (
        "a.txt",
        "1:1:0 | x\n",
        ", line 1, holds the probability 0.0, where one above 0 and at most 1 is needed.",
    ),
    "a label of two parts": (
        "a.txt",
        "1:1 | x\n",
        ", line 1, must hold one action:cost:probability before its features, but holds '1:1'.",
    ),
    "an action that is none": (
        "a.txt",
        "x:1:0.5 | x\n",
        ", line 1, names the action 'x', which is no whole number.",
    ),
    "counted from 0": (
        "a.txt",
        "0:1:0.5 | x\n",
        ", line 1, names the action 0; actions are counted from 1.",
    ),
    "too many actions": (
        "a.txt",
        "99999999999:1:0.5 | x\n",
        ", line 1, has more than 10,000 actions.",
    ),
    "a huge number": (
        "a.txt",
        "1:1:0.5 | x:1e300\n",
        ", line 1, holds 1e+300 for the feature 'x', where a number between -1e+15 and 1e+15 is needed.",
    ),
    "two costs": (
        "a.txt",
        ADF.replace("|item sports size:2", "0:1:0.5 |item sports size:2"),
        ", the round of line 1, holds costs of two actions.",
    ),
    "no rounds": ("a.txt", "| x\n| y\n", " holds no rounds: 2 lines without a cost were left out."),
    "probabilities of others": (
        "a.dsjson",
        event(p=[0.5, 0.4, 0.1]),
        ", line 1, holds probabilities that do not add up to 1, or say something else of the action that was chosen.",
    ),
    "a ranking that leaves out": (
        "a.dsjson",
        event(a=[2, 2, 3]),
        ", line 1, must rank each of the 3 actions once, with its probability.",
    ),
    "thinned out differently": (
        "a.dsjson",
        event() + event(pdrop=0.5),
        " holds events that were thinned out with different probabilities (pdrop): the rounds that are left are not "
        "draws from one distribution. Keep those of one pdrop.",
    ),
    "no actions": (
        "a.dsjson",
        event(c={"_multi": 3}),
        " begins as a file of DSJSON (Personalizer, Vowpal Wabbit) does, but is not made as one. Write it again.",
    ),
    "cut off": (
        "a.dsjson",
        event()[:-40],
        ", line 1, is no JSON, or is cut off. Copy or write it again.",
    ),
    "an item that is none": (
        "a.csv",
        "item_id,position,click,propensity_score\n-3,1,0,0.5\n",
        ", row 1, holds no item, but -3.",
    ),
    "something else": (
        "a.csv",
        "a,b\n1,2\n",
        " is of no log of decisions known here. Text and DSJSON of Vowpal Wabbit, logs of Personalizer and CSV of Open "
        "Bandit are; of any other table name the columns: arm, loss or reward, and propensity.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case, tmp_path):
    name, text, sentence = REFUSED[case]
    path = tmp_path / name
    path.write_text(text)
    with refuses(f"{path}{sentence}", BadData):
        read_decisions(path)


def test_more_features_than_least_squares_can_hold(tmp_path):
    path = tmp_path / "wide.txt"
    path.write_text("".join(f"1:1:0.5 | f{i}\n" for i in range(1001)))
    with refuses(
        f"{path}, line 1001, brings more than 1,000 different features of contexts. Let digests of their names say "
        "their columns with hashed=256.",
        BadData,
    ):
        read_decisions(path)
    assert read_decisions(path, hashed=256).contexts.shape == (1001, 256)


def test_more_numbers_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr("assay.data.decisions.rounds.MOST_NUMBERS", 10)
    path = FIXTURES / "vw_adf.txt"
    with refuses(
        f"{path} holds 2 rounds whose features are 20 numbers, more than 10. Read it in parts, or with fewer features.",
        BadData,
    ):
        read_decisions(path)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"format": "csv"}, "format must be one of dsjson, open-bandit, vw, vw-adf, but is 'csv'."),
        ({"range": (1, 0)}, "range must be two numbers, the smaller first, but is (1, 0)."),
        ({"hashed": 0}, "hashed must be a whole number between 1 and 1,000, but is 0."),
        (
            {"arm": "page"},
            "Name three columns of a table: arm, loss (or reward) and propensity; of a log of a tool name none.",
        ),
        (NAMED | {"reward": "left"}, "Name one column, as loss or as reward."),
        (NAMED | {"hashed": 8}, "hashed must be left out where columns are named, but is 8."),
    ],
)
def test_what_is_asked_wrongly(given, sentence, tmp_path):
    with refuses(sentence):
        read_decisions(table(tmp_path), **given)


def test_numbers_of_a_table_that_cannot_be(tmp_path):
    path = table(tmp_path, left=[0, 1, 2, 0])
    with refuses(
        f"{path} holds 2 in column 'left', row 3, outside the range 0 to 1. Declare between which two numbers all lie "
        "with range=(LO, HI).",
        BadData,
    ):
        read_decisions(path, **NAMED)
    path = table(tmp_path, chance=[0.5, 0.0, 0.5, 0.5])
    with refuses(
        f"{path} holds 0 in column 'chance', row 2, outside the range above 0 to 1.", BadData
    ):
        read_decisions(path, **NAMED)


def test_noise_ends_in_one_sentence(tmp_path):
    rng, sentences = np.random.default_rng(0), []
    texts = [(FIXTURES / file).read_bytes() for file in FILES.values()]
    path = tmp_path / "noise"
    for turn in range(300):
        data = bytearray(texts[turn % len(texts)])
        for at in rng.integers(len(data), size=1 + turn % 5):
            data[at] = rng.integers(256)
        path.write_bytes(bytes(data[: rng.integers(1, len(data) + 1)]))
        try:
            log = read_decisions(path)
        except AssayError as refusal:
            sentences.append(str(refusal))
        else:
            assert ((log.losses >= 0) & (log.losses <= 1)).all()
    assert len(sentences) > 100
    assert not [sentence for sentence in sentences if "\n" in sentence]
