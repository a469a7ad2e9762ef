"""Files that are made to keep a verifier busy; as a program it verifies a folder of them, and prints the costs."""

import copy
import json
import sys
import time
from pathlib import Path


def hostile():
    """Documents by name, or the bytes of a file."""
    from assay import certify
    from assay.certificates.format.document import sealed
    from assay.certificates.issue.training import certify_training
    from assay.guarantees.decimals import decimal_ratio
    from assay.guarantees.training import support_guarantee
    from assay.theory.registry import find_theorem
    from tests.attacks.forged_certificates import pool

    plain = certify(errors=50, rows=1000).to_json()
    machine = certify_training([support_guarantee(27, 400)], rows=400).to_json()
    stream, old = pool()["margin"], pool()["old certify-exact"]

    def changed(document, **inputs):
        made = copy.deepcopy(document)
        made["claims"][-1]["inputs"].update(inputs)
        return sealed(made)

    def by(theorem, document=plain, promised="0.9", **inputs):
        """All else in its place, so that the number has to be computed."""
        made, entry = copy.deepcopy(document), find_theorem(theorem)
        claim, rows = made["claims"][0], inputs.get("rows", 1000)
        claim.pop("textbook", None)
        claim |= {
            "theorem": theorem,
            "inputs": inputs | {"delta": "0.05"},
            "promised": promised,
            "quantity": "batch-error" if "population" in inputs else "error",
            "observed": None
            if document is machine
            else decimal_ratio(inputs.get("errors", 1), rows),
            "assumptions": [{"id": known.id, "status": "declared"} for known in entry.assumes],
        }
        made["data"]["rows"] = rows
        made["delta"]["spent"] = [[theorem, "0.05"]]
        return sealed(made)

    def many(count, **changes):
        made = copy.deepcopy(plain)
        made["claims"] = [
            made["claims"][0] | {"quantity": "class-error", "label": i} | changes
            for i in range(count)
        ]
        made["claims"][0]["quantity"] = "error"
        made["claims"][0].pop("label")
        for claim in made["claims"]:
            claim.pop("textbook", None)
        return sealed(made)

    def worked(errors, rows):
        """A claim of the first theorem with a number that has to be decided."""
        return {
            "inputs": {"errors": errors, "rows": rows, "delta": "0.00001"},
            "promised": "0.9",
            "observed": decimal_ratio(errors, rows),
        }

    def worded(document=plain, **changes):
        made = copy.deepcopy(document)
        made["claims"][0].update(changes)
        return sealed(made)

    million, billion, most = 10**6, 10**9, 10**18 - 1
    files = {
        "rows 1e12": by("holdout-exact", rows=10**12, errors=5 * 10**11),
        "few of 1e12": by("holdout-exact", rows=10**12, errors=5),
        "rows 1e9": by("holdout-exact", promised="0.50003", rows=billion, errors=billion // 2),
        "rows 1e4": by("holdout-exact", rows=10**4, errors=49),
        "rows 1e18": by("holdout-exact", rows=most, errors=50),
        "population": by("holdout-finite-population", errors=400, rows=1000, population=most),
        "large batch": by(
            "holdout-finite-population",
            promised="0.25003",
            **{"errors": 10**8, "rows": 4 * 10**8, "population": billion},
        ),
        "anytime": by("holdout-anytime", errors=billion // 2, rows=billion),
        "anytime 1e7": by("holdout-anytime", errors=5 * million, rows=10 * million),
        "bits": by("occam-exact", machine, errors=3, rows=1000, bits=most),
        "weighted": by("preferent-compression-weighted", machine, size=10**4, rows=million),
        "weighted 1e5": by("preferent-compression-weighted", machine, size=10**3, rows=10**5),
        "classic": by("compression-classic", machine, errors=0, size=million // 2, rows=million),
        "classic 5e4": by("compression-classic", machine, errors=9, size=50_000, rows=million),
        "messages": by(
            "compression-classic", machine, errors=9, size=50, rows=million, messages=most
        ),
        "stumps": by(
            "stump-vote-compression",
            machine,
            **{"errors": 9, "size": 50, "rows": million, "stumps": 10**5, "features": most},
        ),
        "gap": by("large-gap-exact", run=most, hypotheses=most),
        "claims": many(20_000, assumptions=[]),
        "slow claims": many(1000, theorem="holdout-anytime"),
        "long claims": many(1000, **worked(49, 10_000)),
        "claims of many rows": many(1000, **worked(5 * 10**5, million)),
        "a thousand claims": many(1000, **worked(2000, million)),
        "label": worded(quantity="class-error", label="a" * 5_000_000),
        "number for a label": worded(quantity="class-error", label={"int": "9" * 5_000_000}),
        "assumptions": worded(assumptions=[{"id": "unit-length", "status": "declared"}] * 90_000),
        "unknown": worded(assumptions=[{"id": f"a{i}", "status": "assumed"} for i in range(9000)]),
        "id": worded(assumptions=[{"id": "a" * 5_000_000, "status": "declared"}]),
        "old label": worded(old, of=f"error of class '{'a' * 5_000_000}'"),
        "old statement": worded(old, statement="P" * 7_000_000),
        "old assumptions": worded(old, assumptions=[{"name": "a", "status": "declared"}] * 90_000),
        "old name": worded(old, assumptions=[{"name": "a" * 5_000_000, "status": "declared"}]),
        "power": worded(promised="1e999999999"),
        "large power": worded(promised="1e99999"),
        "small delta": changed(plain, delta="1e-99999"),
        "text": changed(plain, luck="9" * 5_000_000),
        "margin": changed(stream, margin="1e-99999", radius="1e99999"),
        "smaller margin": changed(stream, margin="1e-399", radius="1e399"),
        "witness": sealed(_with_witness(stream, ["1e99999"] * 1000)),
        "long witness": sealed(_with_witness(stream, ["0.123"] * 300_000)),
        "ledger": sealed(
            copy.deepcopy(pool()["ledger"])
            | {"ledger": pool()["ledger"]["ledger"] | {"answers_before": "0x" + "f" * 99_000}}
        ),
        "losses": by(
            "bounded-betting", losses={"encoding": "x", "rows": most, "data": "A" * 10**6}
        ),
        "junk": b"a" * 60_000_000,
        "brackets": b"[" * 60_000_000,
        "deep": b"[" * 90_000,
        "deeper": b'{"format":' * 90_000,
        "lists": b"[" + b"[]," * 2_000_000 + b"[]]",
        "texts": b"[" + b'"aa",' * 1_500_000 + b'""]',
        "spaces": b" " * 60_000_000,
        "numbers": b"[" + b"1" * 7_000_000 + b"]",
    }
    return {
        name: made if isinstance(made, bytes) else json.dumps(made).encode()
        for name, made in files.items()
    }


def _with_witness(document, weights):
    made = copy.deepcopy(document)
    made["claims"][-1]["witness"] = weights
    return made


def peak():
    """The most memory that this process has held, in megabytes; not that of the one it was started from."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def main(folder):
    from assay import verify

    verify(Path(folder) / "warm")  # what is imported once is not the cost of a file
    for path in sorted(Path(folder).glob("file-*")):
        start = time.process_time()
        found = verify(path)
        spent = time.process_time() - start
        report = {"file": path.name, "ok": found.ok, "seconds": spent, "megabytes": peak()}
        print(json.dumps(report | {"reason": found.reason}))


if __name__ == "__main__":
    main(sys.argv[1])
