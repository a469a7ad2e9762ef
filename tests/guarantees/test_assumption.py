import re

import pytest

from assay.errors import BadParameter
from assay.guarantees.assumption import Assumption


def test_json_round_trip():
    for assumption in (
        Assumption("rows are fresh", "checked", "0 of 1000 row digests"),
        Assumption("rows are independent", "assumed"),
    ):
        assert Assumption.from_json(assumption.to_json()) == assumption


def test_a_status_outside_the_six_words_is_refused():
    words = "by construction, checked, declared, assumed, not asked, violated"
    sentence = f"status must be one of {words}, but is 'proved'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        Assumption("rows are fresh", "proved")
