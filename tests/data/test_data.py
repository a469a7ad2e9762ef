"""What the data room offers by its own name, and that naming it costs nothing before it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import assay.data
import assay.data.synthetic


@pytest.mark.parametrize("room", [assay.data, assay.data.synthetic], ids=lambda room: room.__name__)
def test_every_public_name_is_there_and_documented(room):
    for name in room.__all__:
        value = getattr(room, name)
        assert inspect.isclass(value) or inspect.isfunction(value), name
        assert value.__doc__, name
    assert set(room.__all__) <= set(dir(room))


def test_an_unknown_name_is_said_to_be_none():
    with pytest.raises(AttributeError, match="magic"):
        assay.data.magic  # noqa: B018


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import assay.data", {"numpy", "pyarrow", "scipy"}),
        ("from assay.data import split", {"pyarrow", "scipy"}),
        ("from assay.data.synthetic import separable", {"pyarrow", "scipy"}),
    ],
)
def test_names_cost_what_they_need(code, heavy):
    code += f"; import sys; found = {heavy!r} & set(sys.modules); assert not found, found"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_functions_win_over_the_files_they_stand_in():
    code = (
        "import assay.data.synthetic.separable, assay.data.synthetic.arms\n"
        "from assay.data.synthetic import arms, separable\n"
        "assert callable(arms) and callable(separable)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
