"""`make bench`: every claim about speed, measured side by side with a named peer in one run."""

import subprocess
import sys
from pathlib import Path

SCRIPTS = (
    "first_fit.py",
    "exact_bound.py",
    "verify_file.py",
    "certify_parquet.py",
    "groups.py",
    "eval_log.py",
    "libsvm_parse.py",
    "online_linear.py",
    "file_to_model.py",
    "stream_csv.py",
    "experts.py",
    "halving.py",
    "bandits.py",
    "contextual.py",
    "svm.py",
    "kernel_ridge.py",
    "trees.py",
    "neighbors.py",
    "boosting.py",
    "forests.py",
    "adaboost.py",
    "naive_bayes.py",
    "service.py",
)


def main() -> None:
    for name in SCRIPTS:
        print(f"== {name.removesuffix('.py').replace('_', ' ')}", flush=True)
        subprocess.run([sys.executable, str(Path(__file__).parent / name)], check=True)


if __name__ == "__main__":
    main()
