import re
import stat

import pytest

from assay.errors import BadData
from assay.whole_file import refuse_unwritable, whole_file, whole_files


def test_the_file_appears_when_it_is_complete_and_not_before(tmp_path):
    path = tmp_path / "a.bin"
    with whole_file(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


@pytest.mark.parametrize("problem", [RuntimeError("no"), KeyboardInterrupt()])
def test_whatever_goes_wrong_the_old_file_stays(tmp_path, problem):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def write():
        with whole_file(path) as file:
            file.write(b"half of the new")
            raise problem

    with pytest.raises(type(problem)):
        write()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


def test_a_full_disk_is_a_sentence(tmp_path):
    sentence = re.escape(f"{tmp_path / 'a.bin'} cannot be written: No space left on device.")
    with pytest.raises(BadData, match=f"^{sentence}$"), whole_file(tmp_path / "a.bin"):
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("write", [refuse_unwritable, lambda path: whole_file(path).__enter__()])
def test_places_that_cannot_be_written_to(tmp_path, write):
    with pytest.raises(BadData, match="cannot be written: No such file or directory"):
        write(tmp_path / "missing" / "a.bin")
    with pytest.raises(BadData, match="cannot be written: it is a directory"):
        write(tmp_path)


def test_looking_leaves_nothing_behind(tmp_path):
    refuse_unwritable(tmp_path / "a.bin")
    assert not list(tmp_path.iterdir())


def test_several_files_appear_together_or_not_at_all(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"old")

    def half_of_it():
        with whole_files([first, second]) as places:
            places[first].write_bytes(b"new")
            raise BadData(" cannot be written: it is full.", subject=str(places[second]))

    with pytest.raises(BadData, match=f"^{re.escape(str(second))} cannot be written: it is full.$"):
        half_of_it()
    assert first.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    with whole_files([first, second]) as places:
        for place in places.values():
            place.write_bytes(b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
