"""The live view of streams, the loop behind it, and how it says that it ended."""

import io
import json
import re

import pytest
import typer

from assay.cli.interrupt import Interrupt
from assay.cli.live import View
from assay.cli.stream_run import Ending, Run, as_numbers, called, follow, ordered
from assay.data.remedies import NAME_IT, NAN_OR_ZERO
from assay.errors import BadData, BadParameter
from assay.play.remedies import DECLARE_RANGE


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Counting:
    """Learns numbers until one is bad."""

    rows = 0

    def learn(self, chunk):
        if chunk == "bad":
            raise BadData("Row 3 is bad. Declare all arms.")
        self.rows += chunk


class Chunks(list):
    rows = 12


class Counted(Run):
    """A run of `Counting` over some chunks."""

    source = "log.csv"

    def __init__(self, interrupt, *chunks):
        self.interrupt, self.stream, self._chunks = interrupt, Counting(), Chunks(chunks)

    def chunks(self):
        return self._chunks

    def progress(self):
        return {"rows": self.stream.rows, "loss": 0.25}

    def lines(self, standing):
        return [("loss", str(standing["loss"]))]


def followed(*chunks, as_json=False):
    with Interrupt() as interrupt:
        run = Counted(interrupt, *chunks)
        return run.stream, follow(run, View(run, as_json=as_json))


def test_lines_of_json_not_too_often(capsys):
    stream, refusal = followed(4, 4, 4, as_json=True)
    assert refusal is None
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {"rows": 4, "loss": 0.25}
    assert stream.rows == 12


def test_a_table_on_a_terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    followed(4)
    shown = screen.getvalue()
    assert "log.csv" in shown
    assert "4 of 12" in shown
    assert "0.25" in shown


def test_nothing_is_shown_elsewhere(capsys):
    followed(4)
    assert capsys.readouterr() == ("", "")


def test_a_bad_row_is_returned_when_something_was_learned():
    stream, refusal = followed(2, "bad", 4)
    assert str(refusal) == "Row 3 is bad. Declare all arms."
    assert stream.rows == 2
    with pytest.raises(BadData, match=r"^Row 3 is bad\. Declare all arms\.$"):
        followed("bad")


def test_ended_before_anything(capsys):
    with Interrupt() as interrupt:
        interrupt.signal = 2
        run = Counted(interrupt, 4)
        with pytest.raises(typer.Exit) as left:
            follow(run, View(run, as_json=False))
    assert left.value.exit_code == 130
    assert "ended before anything was learned" in capsys.readouterr().err


def test_endings():
    assert Ending(None, None).code == 0
    assert Ending(None, 2).code == 130
    bad = Ending(BadData("No."), 2)
    assert bad.code == 2
    assert bad.to_json() == {"ok": False, "done": True, "refusal": "No.", "interrupted": True}
    assert bad.text(1200).endswith(
        "after 1,200 rows, by a row that cannot be learned; what was learned is kept."
    )
    assert "after 1 row, by your wish" in Ending(None, 2).text(1)
    Ending(None, None).leave()
    with pytest.raises(typer.Exit):
        bad.leave()


def test_ranges():
    assert ordered(None) is None
    assert ordered((-1.0, 2.0)) == (-1.0, 2.0)
    for low, high, said in ((1.0, 0.0, "1 0"), (2.0, 2.0, "2 2"), (0.0, float("nan"), "0 nan")):
        sentence = f"--range must be two numbers, the smaller first, but is {said}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            ordered((low, high))


def test_names_of_files():
    assert called(["-"]) == "standard input"
    assert called(["a"]) == "a"
    assert called(["a", "b"]) == "a and b"
    assert called(["a", "b", "c"]) == "a, b and c"
    assert called(["a", "b", "c", "d"]) == "a and 3 other files"


def test_a_policy_is_not_told_to_read_words_or_to_fill_gaps():
    for remedy in (NAME_IT, ("Fill it in, or ", NAN_OR_ZERO, ".")):
        assert str(as_numbers(BadData("x holds 'y'.", remedy=remedy))) == "x holds 'y'."
    kept = BadData("x holds 3.", remedy=(*DECLARE_RANGE, "."))
    assert str(as_numbers(kept)) == "x holds 3. Declare the range in which all lie."
