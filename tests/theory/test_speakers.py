"""Every theorem is used somewhere: by a learner, a certificate, a figure, an experiment, or another proof."""

from __future__ import annotations

from assay import theorems
from assay.theory.speakers import speakers


def test_no_theorem_is_orphaned():
    orphans = [entry.id for entry in theorems() if not speakers()[entry.id]]
    assert orphans == []


def test_speakers_are_found_by_their_names_and_imports():
    used = speakers()
    assert "assay.guarantees.halfspaces" in used["vc-occam-growth"]
    assert "assay.lab.shattering" in used["vc-majority"]
    assert "assay.lab.rademacher_complexity" in used["rademacher-empirical"]
    assert "assay.kernels.kernel" in used["kernel-psd"]
    assert "assay.guarantees.formula" in used["disjunction-pac"]
    # A theorem is no speaker of itself, where no other is built on it.
    assert used["vc-intervals"] == ("assay.lab.concept_classes",)


def test_the_catalogue_shows_them():
    entry = next(entry for entry in theorems(all=True) if entry.id == "vc-majority")
    assert entry.used_in == speakers()["vc-majority"]
    assert entry.describe()["used_in"] == list(entry.used_in)
    plain = next(entry for entry in theorems() if entry.id == "vc-majority")
    assert plain.used_in is None
    assert "used_in" not in plain.describe()
