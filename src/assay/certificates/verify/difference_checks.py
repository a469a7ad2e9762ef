"""What is compared with the certificate of two models where their predictions are at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.evidence.paired import Paired


def check_paired(document: Mapping[str, Any], seen: Paired) -> tuple[bool, str]:
    """The truth and both models' predictions must be those certified, digest by digest and count by count."""
    data, subject = document["data"], document["subject"]
    if data["role"] != "difference":
        return False, "the certificate is about one model"
    stated = {
        "the truth is": (data["sha256"], seen.data),
        "the predictions are": ((subject["predictions"] or {}).get("sha256"), seen.predictions),
        "the older predictions are": ((subject.get("baseline") or {}).get("sha256"), seen.baseline),
    }
    for what, (digest, again) in stated.items():
        if digest is not None and again != f"sha256:{digest}":
            return False, f"{what} not what was certified"
    if seen.rows != data["rows"]:
        return False, f"the data have {seen.rows} rows"
    inputs = document["claims"][0]["inputs"]
    if "units" in inputs:
        if seen.units is None:
            return False, "the certificate is about units: give them too"
        same = [list(kind) for kind in seen.units] == inputs["units"]
        return same, "digests and units agree" if same else "the units are not those certified"
    counted = (seen.only_old, seen.only_new)
    if counted != (inputs["only_old"], inputs["only_new"]):
        return (
            False,
            f"only the old model is wrong on {counted[0]} rows, and only the new one on {counted[1]}",
        )
    told = any(digest is not None for digest, _ in stated.values())
    return True, "digests and counts agree" if told else "counts agree; it holds no digests"
