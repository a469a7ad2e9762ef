"""Every theorem's statement is LaTeX that can be set."""

from __future__ import annotations

import pytest

import assay
from tests.latex import NotLatex, parse


@pytest.mark.parametrize("entry", assay.theorems(), ids=lambda entry: entry.id)
def test_the_statement_can_be_set(entry):
    parse(entry.statement)


def test_nine_statements_had_lost_a_space():
    for number in ["T37", "T47", "T69", "T80", "T92", "T94", "T101", "T102", "T105"]:
        statement = assay.theorem(number).statement
        glued = statement
        for word in ("quad", "qquad", "Rightarrow", "le"):
            glued = glued.replace(f"\\{word} ", f"\\{word}")
        assert glued != statement
        with pytest.raises(NotLatex):
            parse(glued)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (r"a,\quade=1", r"\\quade is no control word"),
        (r"\frac{a}{b", "the end"),
        (r"\frac1", "the end"),
        (r"a}", "'}' stands"),
        (r"x^a^b", "two '\\^'"),
        (r"x_", "the end"),
        (r"\left(a", "the end"),
        (r"a\right)", "right"),
        (r"\left a\right)", "needs a delimiter"),
        (r"\text kernels", "needs a group"),
        (r"\text{kernels", "not closed"),
        ("a\\", "alone"),
        (r"50 % of", "stands"),
        (r"a\@b", "no symbol"),
    ],
)
def test_the_parser_refuses(source, why):
    with pytest.raises(NotLatex, match=why):
        parse(source)


@pytest.mark.parametrize(
    "source", [r"x_i^2", r"x^{a^b}", r"\left.\frac ab\right|_{x}", r"f'(x)", r"\sqrt2 x", r"\{a\}"]
)
def test_the_parser_takes_what_can_be_set(source):
    parse(source)
