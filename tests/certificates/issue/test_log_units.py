"""What of a log is one draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.certificates.issue.log_units import codes_of, units_of
from assay.errors import BadParameter


def column(values):
    made = np.empty(len(values), dtype=object)
    made[:] = list(values)
    return made


def known(ids, asked=None, unit=None, id_column=None):
    units = units_of(column(ids), column(asked or [None] * len(ids)), unit, id_column)
    return units.codes, None if units.known is None else (units.known.id, units.known.status)


def test_ids_that_differ_are_draws_and_ids_that_repeat_are_units():
    assert known("abc") == (None, None)
    codes, told = known("abab")
    assert (codes.tolist(), told) == ([0, 1, 0, 1], ("independent-units", "assumed"))
    codes, told = known("abab", unit="none")
    assert (codes, told) == (None, ("independent-draws", "declared"))


@pytest.mark.parametrize(
    ("ids", "asked"),
    [(["q1", "Q1"], None), (["a", "b", "c"], [b"1", b"2", b"1"]), (["a", "a"], None)],
)
def test_what_looks_like_a_copy_is_no_draw(ids, asked):
    column_of_a_table = "id" if ids == ["a", "a"] else None
    assert known(ids, asked, id_column=column_of_a_table)[1] == ("independent-draws", "violated")
    assert known(ids, asked, unit="id", id_column=column_of_a_table)[1] in (
        None,
        ("independent-units", "assumed"),
    )


def test_one_id_may_ask_several_things():
    assert known(["a", "a", "b"], [b"1", b"2", b"3"])[1] == ("independent-units", "assumed")


def test_units_by_what_is_asked():
    codes, _ = known(["a", "b", "c"], [b"1", b"2", b"1"], unit="input")
    assert codes.tolist() == [0, 1, 0]
    with pytest.raises(BadParameter, match="does not hold all inputs"):
        known(["a", "b"], [b"1", None], unit="input")


def test_the_column_of_ids_of_a_table_names_the_unit():
    by_name, by_kind = (known("abab", unit=unit, id_column="q") for unit in ("q", "id"))
    assert (by_name[0] == by_kind[0]).all()
    assert by_name[1] == by_kind[1]
    # A column that is called as another kind of unit is, stands for that one.
    assert known("abab", unit="none", id_column="none")[0] is None
    for column in (None, "id", "other"):
        with pytest.raises(BadParameter, match="unit must be 'id', 'input' or 'none', but is 'q'"):
            known("abab", unit="q", id_column=column)


def test_graded_units_have_one_loss_each():
    units = units_of(column("aab"), column([None] * 3), None, None)
    evidence = units.evidence(np.array([0.0, 0.5, 1.0]), graded=True)
    assert evidence.losses.values.tolist() == [0.25, 1.0]
    assert [a.id for a in evidence.checked] == ["independent-draws"]


@given(st.lists(st.text(max_size=2), min_size=1))
def test_codes_are_numbered_as_they_come(values):
    codes = codes_of(column(values)).tolist()
    assert [codes.index(code) for code in codes] == [values.index(value) for value in values]
    assert sorted(set(codes)) == list(range(len(set(values))))
