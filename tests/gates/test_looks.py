"""What a run tells of its gates, and how sure all of it is."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from assay.gates.looks import Look, conclusion, look_lines, looks_markdown


def look(spent="0.05", passed=True, **more):
    return Look("test_it.py::test_it", passed, "So it is.", spent, **more)


def test_gates_that_failed_count_too():
    """Of a hundred bad models one passes by chance: of that promise nobody may be sure."""
    looks = [look(passed=False)] * 19 + [look()]
    assert "not sure at all" in conclusion(looks)
    assert conclusion([look("1/40"), look("1/240", passed=False)]) == (
        "1 of 2 gates passed. What was promised here holds with 97.08 % confidence: 2 gates were asked, which spend "
        "0.0292 together."
    )


def test_one_gate_has_said_how_sure_it_is():
    assert conclusion([look()]) == "1 of 1 gates passed."
    assert conclusion([look(passed=False)] * 3) == "0 of 3 gates passed."


@given(st.lists(st.fractions(Fraction(1, 10**6), Fraction(1, 30)), min_size=2, max_size=20))
def test_nothing_reads_surer_than_it_is(shares):
    text = conclusion([look(str(share)) for share in shares])
    stated = Fraction(text.split("holds with ")[-1].split("hold with ")[-1].split(" %")[0]) / 100
    spent = Fraction(text.rsplit("spend ", 1)[1].split(" ")[0])
    assert spent >= sum(shares)
    assert 1 - stated >= sum(shares)


def test_names_of_tests_act_on_no_terminal_and_no_page():
    odd = Look("t.py::test[\x1b[2J|<b>]", True, "Yes.\nNo.", "0.05", "h", 2, "out/\x1b.json")
    assert "\x1b" not in "\n".join(look_lines([odd]))
    assert "<b>" not in looks_markdown([odd])
    assert look_lines([odd])[0].endswith("(look 2 at this holdout)")
