"""`assay serve` takes options from a file, the environment and the command line; the later counts more."""

from __future__ import annotations

import pytest

from assay.server import app as app_module
from assay.server.limits import Limits, read_limits
from tests.cli.runner import run


class Begun(Exception):
    """The service would be made now."""


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """What the service is made with."""
    monkeypatch.chdir(tmp_path)
    given = {}

    def make(store, **terms):
        given.update(terms, store=str(store))
        raise Begun

    monkeypatch.setattr(app_module, "create_app", make)

    def serve(*options):
        given.clear()
        with pytest.raises(Begun):
            run("serve", *options)
        given["requests"].close()
        return given

    return serve


def test_options_count_more_than_variables_and_those_more_than_the_file(
    begun, tmp_path, monkeypatch
):
    (tmp_path / "a.toml").write_text(
        'store = "file.db"\nknown-as = ["one.example", "two.example"]\n'
        '[limits]\nbody = "32M"\nrows = 7\nlearners = 3\nidle = 1.5\n'
    )
    monkeypatch.setenv("ASSAY_CONFIG", "a.toml")
    given = begun()
    assert given["store"] == "file.db"
    assert (given["limits"].body, given["limits"].rows, given["limits"].idle) == (2**25, 7, 1.5)
    assert {"one.example", "two.example"} <= given["authorise"]._hosts
    assert given["authorise"]._limits is given["limits"]
    monkeypatch.setenv("ASSAY_STORE", "variable.db")
    monkeypatch.setenv("ASSAY_LIMIT_ROWS", "8")
    monkeypatch.setenv("ASSAY_LIMIT_LEARNERS", "4")
    given = begun("--limit", "learners=5")
    assert given["store"] == "variable.db"
    assert (given["limits"].rows, given["limits"].learners) == (8, 5)
    assert begun("--store", "option.db")["store"] == "option.db"


def test_the_learner_behind_personalizers_routes_is_named_by_an_option(
    begun, tmp_path, monkeypatch
):
    assert begun()["personalizer"] is None
    (tmp_path / "a.toml").write_text('personalizer = "file"\n')
    monkeypatch.setenv("ASSAY_CONFIG", "a.toml")
    assert begun()["personalizer"] == "file"
    monkeypatch.setenv("ASSAY_PERSONALIZER", "variable")
    assert begun()["personalizer"] == "variable"
    assert begun("--personalizer", "option")["personalizer"] == "option"


def test_a_learner_of_personalizer_must_have_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the store is free again
        done = run("serve", "--personalizer", "a b")
        assert done.code == 2
        assert done.err == (
            "assay: A learner's name must be 1 to 64 letters, digits, dots, dashes or underscores, and begin with a "
            "letter or digit.\n"
        )


def test_without_any_of_them_limits_are_those_of_the_library(begun):
    assert begun()["limits"] == Limits()


@pytest.mark.parametrize(
    ("options", "text", "sentence"),
    [
        (["--limit", "speed=3"], "", "--limit must be one of body, bodies, stall"),
        (["--limit", "body"], "", "--limit must be a name and a number, such as body=32M"),
        (["--limit", "body=-1"], "", "limit body must be a number above zero, but is '-1'"),
        (["--limit", "body=nan"], "", "limit body must be a number above zero, but is 'nan'"),
        (["--limit", "rate=1e999"], "", "limit rate must be a number above zero, but is '1e999'"),
        (["--limit", "rows=1.5"], "", "limit rows must be a whole number, but is '1.5'"),
        ([], "[limits]\nrows = true", "limit rows must be a number above zero, but is True"),
        ([], "limits = 3", "a.toml must hold limits as a table [limits], but holds 3"),
        ([], "prot = 3", "a.toml must hold options of `assay serve` (certificate, "),
        ([], "check = true", "and a table [limits], but holds 'check'"),
        ([], "port = ", "a.toml is not TOML: "),
        ([], 'port = "x"', "Invalid value for '--port': 'x' is not a valid int"),
        (["--config", "none.toml"], "", "none.toml cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, monkeypatch, options, text, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(text)
    answer = run("serve", *(options or ["--config", "a.toml"]))
    assert answer.code == 2
    assert sentence in " ".join(answer.err.split())
    assert not (tmp_path / "assay.db").exists()


@pytest.mark.parametrize(
    ("text", "number"),
    [("10", 10), ("1_000", 1000), ("2K", 2048), ("1.5 MiB", 3 * 2**19), ("1GB", 2**30), (7, 7), ("1e3", 1000)],
)  # fmt: skip
def test_sizes_are_read_as_they_are_written(text, number):
    assert read_limits({"body": text}).body == number
