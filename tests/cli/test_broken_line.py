"""A long table with one broken line: its row and column are named, and all that came before is kept.

Row 1 is the first line under the header, as everywhere in refusals.
"""

import json
import re

import numpy as np
import pytest

from assay import Certificate, Perceptron, load, verify
from tests.cli.runner import run

RNG = np.random.default_rng(11)
# Lines repeat after so many, which makes a long table quick to write.
PERIOD = 10_000
X = RNG.integers(-99, 100, size=(PERIOD, 2)) / 10
Y = np.where((X @ [1.0, -2.0] > 1) ^ (RNG.random(PERIOD) < 0.1), "up", "down")
BLOCK = "".join(f"{a},{b},{label}\n" for (a, b), label in zip(X.tolist(), Y, strict=True))
LINES = BLOCK.splitlines(keepends=True)
AFTER = 500

BREAKS = {
    "text": (
        "3.5,oops,up\n",
        "holds 'oops' in column 'load', row {row}, where a number is needed.",
    ),
    "empty": ("3.5,,up\n", "holds no value in column 'load', row {row}"),
    "fields": ("3.5,1.0\n", "has 2 fields in row {row}, but 3 columns."),
    "label": ("3.5,1.0,sideways\n", "holds the label 'sideways' in column 'price', row {row}, "),
}


def write(path, row, broken):
    """A table whose row of this number is broken, with some good ones after it."""
    whole, rest = divmod(row - 1, PERIOD)
    with path.open("w") as file:
        file.write("wind,load,price\n")
        for _ in range(whole):
            file.write(BLOCK)
        file.write("".join(LINES[:rest]) + broken)
        file.write("".join(LINES[:AFTER]))


def assert_kept(tmp_path, row, how):
    """The stream ends at the broken row; every row before it, and none after it, is learned."""
    line, sentence = BREAKS[how]
    table, model, made = (tmp_path / name for name in ("long.csv", "m.assay", "c.json"))
    write(table, row, line)
    found = run(
        "stream", table, "--target", "price", "--learner", "perceptron", "--json", "--out", model,
        "--certificate", made,
    )  # fmt: skip
    assert found.code == 2, found.err
    assert found.err.count("\n") == 1
    assert found.err.startswith(f"assay: {table} {sentence.format(row=row)}")
    last = json.loads(found.out.splitlines()[-1])
    assert (last["ok"], last["done"], last["rows"]) == (False, True, row - 1)

    # The same examples, learned without a file.
    kept = row - 1
    twin = Perceptron()
    for _ in range(kept // PERIOD):
        twin.partial_fit(X, Y, classes=["down", "up"])
    if kept % PERIOD:
        twin.partial_fit(X[: kept % PERIOD], Y[: kept % PERIOD], classes=["down", "up"])
    learned = load(model)
    assert learned.record_.rounds == twin.record_.rounds == kept
    assert learned.record_.mistakes == twin.record_.mistakes == last["errors"]
    assert learned.coef_.tobytes() == twin.coef_.tobytes()
    assert learned.intercept_.tobytes() == twin.intercept_.tobytes()

    # Its lines come again and again, so that of the error it promises nothing, and rightly so.
    assert verify(made).adds_up
    certificate = Certificate.load(made)
    assert certificate.claims[0].promised is None
    assert certificate.rows == kept
    # And the stream can go on behind the broken row.
    rest = tmp_path / "rest.csv"
    rest.write_text("wind,load,price\n" + "".join(LINES[:AFTER]))
    again = run("stream", rest, "--target", "price", "--warm-start", model, "--out", model)
    assert again.code == 0, again.err
    assert load(model).record_.rounds == kept + AFTER


@pytest.mark.parametrize("how", BREAKS)
def test_line_thirty_thousand_is_broken(tmp_path, how):
    assert_kept(tmp_path, 30_000, how)


@pytest.mark.parametrize("row", [2**14, 2**14 + 1, 2**14 + 2])
def test_the_broken_line_is_the_last_or_the_first_of_a_chunk(tmp_path, row):
    assert_kept(tmp_path, row, "text")


def test_a_broken_line_in_the_second_of_two_files(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("wind,load,price\n" + BLOCK)
    write(second, 12_345, BREAKS["text"][0])
    found = run("stream", first, second, "--target", "price", "--learner", "perceptron", "--json")
    assert found.code == 2
    assert re.search(
        r"b\.csv holds 'oops' in column 'load', row 12345, where a number is needed", found.err
    )
    last = json.loads(found.out.splitlines()[-1])
    assert last["rows"] == PERIOD + 12_344


@pytest.mark.guarantees
@pytest.mark.parametrize("how", ["text", "fields"])
def test_line_three_million_is_broken(tmp_path, how):
    assert_kept(tmp_path, 3_000_000, how)
