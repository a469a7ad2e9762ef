"""The service on real data: 45,312 half-hours of electricity prices through HTTP, told late, and nothing lost.

Starts ``assay serve``, asks about every row before its label is known, and tells the labels three batches later
with the client that comes with the library. Ends as ``assay stream`` does on the same rows in the same order: the same
weights, the same errors and the same certificate, bit for bit. Run it with ``make demo-service``.
"""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet

from assay.client import Client, Learner
from assay.files import read_table
from assay.learners.model_file.files import load

DATA = Path(__file__).parent / "data" / "elec2.parquet"
ASSAY = [sys.executable, "-c", "from assay.cli.app import main; main()"]
BATCH, LATE = 512, 3


def main(rows: int | None = None) -> bool:
    """Play the rows through the service and through a stream; returns whether both end the same."""
    with TemporaryDirectory() as made:
        folder, data = Path(made), DATA
        if rows is not None:
            data = folder / DATA.name
            pyarrow.parquet.write_table(pyarrow.parquet.read_table(DATA).slice(0, rows), data)
        served, streamed = _served(folder, data), _streamed(folder, data)
    print(f"\n{'':<22}{'assay serve':>30}{'assay stream':>30}")
    same = True
    for name, mine in served.items():
        same &= mine == streamed[name]
        print(f"{name:<22}{_short(mine):>30}{_short(streamed[name]):>30}")
    print("\nThe same, bit for bit." if same else "\nThey are NOT the same.")
    return same


def _served(folder: Path, data: Path) -> dict[str, Any]:
    """The rows through HTTP, their labels later."""
    table = read_table(data, target="target")
    said = folder / "said.txt"
    with open(said, "w") as out:
        server = subprocess.Popen(
            [*ASSAY, "serve", "--store", str(folder / "assay.db"), "--port", "0", "--log-refusals"],
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        url = _place(server, said)
        print(f"assay serve listens at {url}, its store is {folder / 'assay.db'}")
        with Client(url) as service:
            prices = service.create(
                "prices", algorithm="perceptron", classes=[0, 1], features=list(table.features),
                source=str(data), target="target",
            )  # fmt: skip
            seconds = _play(prices, table.X, table.y)
            standing = prices.standing()
            print(
                f"{standing['trials']:,} rows predicted, {standing['late']:,} of them told late, in "
                f"{seconds:.1f} s; {standing['mistakes']:,} predictions were wrong when they were made"
            )
            (folder / "served.assay").write_bytes(prices.model())
            return _found(folder / "served.assay", prices.certificate())
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)


def _place(server: subprocess.Popen[bytes], said: Path) -> str:
    """Where the server listens, as it says."""
    while server.poll() is None:
        for word in said.read_text().split():
            if word.startswith("http://"):
                return word
        time.sleep(0.02)
    raise SystemExit(said.read_text())


def _play(prices: Learner, X: Any, y: Any) -> float:
    """Ask batch after batch; each is told when three more have been asked."""
    begun, waiting = time.perf_counter(), deque[list[tuple[str, int]]]()
    for start in range(0, len(y), BATCH):
        labels = y[start : start + BATCH].tolist()
        asked = prices.predict_many(X[start : start + BATCH])
        waiting.append(
            [(one["trial"], int(label)) for one, label in zip(asked, labels, strict=True)]
        )
        if len(waiting) > LATE:
            _tell(prices, waiting.popleft())
    while waiting:
        _tell(prices, waiting.popleft())
    return time.perf_counter() - begun


def _tell(prices: Learner, told: list[tuple[str, int]]) -> None:
    for answer in prices.feedback_many(told):
        if not answer.get("applied"):
            raise SystemExit(f"The feedback was refused: {answer}")


def _streamed(folder: Path, data: Path) -> dict[str, Any]:
    """The same rows in the same order from the file; once more for a certificate that names no model file."""
    play = [*ASSAY, "stream", str(data), "--target", "target", "--learner", "perceptron"]
    play += ["--label", "0", "--label", "1"]
    model, certificate = folder / "streamed.assay", folder / "streamed.json"
    runs = [
        subprocess.Popen([*play, *option], stdout=subprocess.DEVNULL)
        for option in (["--out", str(model)], ["--certificate", str(certificate)])
    ]
    codes = [run.wait() for run in runs]
    if any(codes):
        raise SystemExit("assay stream failed.")
    return _found(model, json.loads(certificate.read_text()))


def _found(model: Path, certificate: dict[str, Any]) -> dict[str, Any]:
    """What both must agree on."""
    learner = load(model)
    [player] = learner.players_
    return {
        "rows": certificate["data"]["rows"],
        "weights": player.weights.tobytes().hex(),
        "bias": player.bias.tobytes().hex(),
        "mistakes": learner.record_.mistakes,
        "promised error": certificate["claims"][0]["promised"],
        "certificate": json.dumps(certificate, sort_keys=True),
    }


def _short(value: Any) -> str:
    text = str(value)
    if len(text) <= 28:
        return text
    return f"sha256 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
