from assay.report.blocks import block, columns


def test_long_lines_are_folded_and_numbers_stay_with_their_sign():
    line = "word " * 18 + "xxxx 95 % sure"
    first, second = block("Seen", [line])
    assert first.startswith("Seen      word")
    assert second == "          95 % sure"
    assert block("Seen", [line], fold=False) == [f"Seen      {line}"]


def test_no_lines_are_no_block():
    assert block("Seen", []) == []
    assert block("Seen", [""]) == ["Seen      "]


def test_columns_are_aligned():
    assert columns([["a", "1"], ["bbb", "100"]]) == ["a      1", "bbb  100"]
