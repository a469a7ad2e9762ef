"""Names of files on disks that do not tell capitals from small letters, and with drives and backslashes."""

from __future__ import annotations

import errno
import os
from pathlib import Path, PureWindowsPath

import pytest

from assay import whole_file as module
from assay.cli.refusals import require_apart
from assay.data.location import files_of, in_order
from assay.errors import BadData, BadParameter
from assay.evidence.digest import digest_files
from assay.whole_file import whole_file, whole_files

NAMES = ["a.csv", "B.csv", "b-1.csv", "b/a.csv", "Z/y.csv", "z.csv"]


def test_a_folder_has_one_order_everywhere(tmp_path):
    for name in NAMES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    here = [path.relative_to(tmp_path).as_posix() for path in files_of(tmp_path)]
    there = [path.as_posix() for path in in_order(map(PureWindowsPath, NAMES))]
    assert here == there == ["B.csv", "Z/y.csv", "a.csv", "b/a.csv", "b-1.csv", "z.csv"]
    # As Windows itself would sort them, they would be another table with another digest.
    assert [path.as_posix() for path in sorted(map(PureWindowsPath, NAMES))] != there
    turned = [tmp_path / name for name in sorted(NAMES, key=str.lower)]
    assert digest_files(turned, tmp_path) != digest_files(files_of(tmp_path), tmp_path)


def test_names_that_differ_in_capitals_alone(tmp_path, monkeypatch):
    one, other = tmp_path / "Out.json", tmp_path / "out.json"
    with pytest.raises(
        BadParameter, match="differs from what --out names in capitals alone, which many disks"
    ):
        require_apart(tmp_path / "t.csv", out=one, certificate=other)
    # Here the disk tells: the table is there, and the other name is not.
    one.write_text("x")
    require_apart(one, out=other)
    # As on a disk that does not tell them apart.
    os.link(one, other)
    with pytest.raises(
        BadParameter, match=r"out\.json, which is the table\. Give it a name of its own\."
    ):
        require_apart(one, out=other)


def in_use(times, monkeypatch):
    """Windows, while another program has the file open for so many tries."""
    left, replace = [times], os.replace

    def refused(*paths):
        if left[0]:
            left[0] -= 1
            problem = PermissionError(errno.EACCES, "Access is denied")
            problem.winerror = 5
            raise problem
        replace(*paths)

    monkeypatch.setattr(module.os, "replace", refused)


def test_a_file_that_is_in_use_for_a_moment_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "c.json"
    path.write_bytes(b"old")
    in_use(3, monkeypatch)
    with whole_file(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    in_use(3, monkeypatch)
    with whole_files([path]) as places:
        places[path].write_bytes(b"newer")
    assert path.read_bytes() == b"newer"


def test_one_that_stays_in_use_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "c.json"
    path.write_bytes(b"old")
    in_use(10_000, monkeypatch)
    monkeypatch.setattr(module, "_PATIENCE_S", 0.05)
    with (
        pytest.raises(BadData, match=r"c\.json cannot be written: Access is denied\."),
        whole_file(path) as file,
    ):
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["c.json"]


def test_elsewhere_nobody_waits(tmp_path, monkeypatch):
    tries = []

    def refused(*paths):
        tries.append(paths)
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(module.os, "replace", refused)
    with pytest.raises(BadData, match="Permission denied"), whole_file(tmp_path / "c.json"):
        pass
    assert len(tries) == 1


@pytest.mark.parametrize(
    "words", [r"C:\data\t.csv", r"\\server\share\t.csv", r"\\?\C:\long\t.csv", r"D:t.csv"]
)
def test_paths_of_windows_are_taken_as_paths(words, tmp_path, monkeypatch):
    """Here such a path is a plain name; nothing on the way takes its colon or its backslashes for something else."""
    from tests.cli.runner import run

    monkeypatch.chdir(tmp_path)
    Path(words).write_text("t,p\n" + "a,a\nb,b\n" * 40)
    made = run("certify", words, "--truth", "t", "--prediction", "p", "--out", "c.json")
    assert (made.code, made.err) == (0, "")
    asked = ("--data", words, "--truth", "t", "--prediction", "p")
    assert run("verify", "c.json", *asked).code == 0
    fitted = run("fit", words, "--target", "t", "--holdout-file", words)
    assert fitted.err.startswith(f"assay: {words} is the table that is learned from")
