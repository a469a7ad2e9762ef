from assay.guarantees.printable import printable


def test_plain_text_is_left_alone():
    for text in ("error of class 'spam'", "Füße – 漢字", "7 %", ""):
        assert printable(text) == text


def test_what_acts_on_a_terminal_is_escaped():
    assert printable("a\x1b[2Jb\r\n\t\x7f\x9b") == r"a\x1b[2Jb\r\n\t\x7f\x9b"
    assert printable("\u202egnp.exe\u2066\u200b") == r"\u202egnp.exe\u2066\u200b"
    assert printable("\ud800") == r"\ud800"


def test_long_text_is_cut():
    assert printable("a" * 500) == "a" * 297 + "..."
    assert printable("a" * 50, 10) == "a" * 7 + "..."
