"""The first minute: the first `assay fit` with nothing compiled, the second, and refusals, each in a fresh process.

Beside it a program of scikit-learn's in a fresh process that does the same job: read the table, hold out rows, choose
among gradient boosting, a forest and logistic regression on training rows, fit the winner to all of them, test it.

    python bench/first_fit.py
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TABLE = Path(__file__).parents[1] / "examples" / "data" / "spambase.parquet"
ASSAY = [sys.executable, "-c", "from assay.cli.app import main; main()"]
FIT = ["fit", str(TABLE), "--target", "target", "--order", "none"]
REFUSED = {
    "a target that is not there": ["fit", str(TABLE), "--target", "nothing"],
    "a file that is not there": ["fit", "nothing.csv", "--target", "target"],
    "an option that is not there": [*FIT, "--nothing"],
    "a learner that is not there": [*FIT, "--learner", "nothing"],
}
FIRST, SECOND, REFUSAL, REPEATS = 20.0, 3.0, 1.0, 3
PEER = f"""
import pyarrow.parquet as pq
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

table = pq.read_table({str(TABLE)!r}).to_pandas()
y = table.pop("target").to_numpy()
X, X_test, y, y_test = train_test_split(table.to_numpy(), y, test_size=0.2, random_state=0)
A, B, a, b = train_test_split(X, y, test_size=0.25, random_state=1)
makers = (
    lambda: HistGradientBoostingClassifier(random_state=0),
    lambda: RandomForestClassifier(200, n_jobs=-1, random_state=0),
    lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
)
best = max(makers, key=lambda make: make().fit(A, a).score(B, b))
print(f"{{1 - best().fit(X, y).score(X_test, y_test):.2%}} of the held-out rows wrong")
"""


def timed(command, folder, code=0):
    """Seconds of a command, and what it printed."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    # As where a user has installed it: bytecode is kept, whatever this machine is set to.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    answer = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=folder, check=False
    )
    seconds = time.perf_counter() - begun
    assert answer.returncode == code, answer.stderr
    return seconds, answer.stdout


def best_of(command, folder, code=0):
    """The best of several turns."""
    return min(timed(command, folder, code)[0] for _ in range(REPEATS))


def verdict(what, seconds, most):
    """One time against its limit."""
    word = "met" if seconds <= most else "MISSED"
    print(f"{what}: {seconds:.3g} s (at most {most:g}) {word}", flush=True)


def main():
    with tempfile.TemporaryDirectory() as empty:
        first, text = timed([*ASSAY, *FIT], empty)
        verdict("the first fit of Spambase, nothing compiled", first, FIRST)
        verdict("the second", best_of([*ASSAY, *FIT], empty), SECOND)
        for what, words in REFUSED.items():
            verdict(f"refused, {what}", best_of([*ASSAY, *words], empty, 2), REFUSAL)
        peer, error = timed([sys.executable, "-c", PEER], empty)
        peer = min(peer, best_of([sys.executable, "-c", PEER], empty))
    wrong = re.search(r"wrong \((.*?)\)", text)
    print(f"the same job by scikit-learn: {peer:.3g} s, {error.strip()}; ours {wrong and wrong[1]}")


if __name__ == "__main__":
    main()
