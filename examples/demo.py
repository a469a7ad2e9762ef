"""The main job on real data: certify a spam filter, verify the certificate, plan the next one.

Run by ``make demo``. The filter is scikit-learn's logistic regression; any model would do.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import certify, plan, verify
from assay.report.text import certificate_text, plan_text, verification_text

SPAMBASE = Path(__file__).parent / "data" / "spambase.parquet"
SEED = 7


def heading(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n{'-' * len(text)}")


def main() -> None:
    """Tell the story from data to plan."""
    table = pq.read_table(SPAMBASE)
    y = np.array(table.column("target").to_pylist())
    X = np.column_stack([column.to_numpy() for column in table.drop_columns("target").columns])
    order = np.random.default_rng(SEED).permutation(len(y))
    train, holdout = order[: len(y) // 2], order[len(y) // 2 :]

    heading("1. A spam filter, learned from half of Spambase")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(X[train], y[train])
    print(
        f"Learned from {len(train):,} e-mails; {len(holdout):,} others were kept aside and never looked at."
    )

    heading("2. What may be promised about it")
    certificate = certify(
        model,
        X[holdout],
        y[holdout],
        delta=0.05,
        rates=["false-positive", "false-negative"],
        positive="spam",
        train=(X[train], y[train]),
        overlap="drop",
        drawn=f"seeded shuffle, seed {SEED}, second half",
    )
    print(certificate_text(certificate))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spam.cert.json"
        certificate.save(path)

        heading("3. Anyone can check it, without the model and without the e-mails")
        print(verification_text(verify(path)))

        heading("4. A forged certificate is refused")
        promised = certificate.document["claims"][0]["promised"]
        path.write_text(path.read_text().replace(promised, "0.01"))
        print(f"Someone writes 0.01 where it said {promised}:")
        print(verification_text(verify(path)))

    heading("5. How many e-mails to label next time, to promise 5 %")
    print(plan_text(plan(error=0.05, delta=0.05)))
    print(
        "\nBut a good filter is not perfect. If its true error is 2 %, and it shall pass 9 times in 10:"
    )
    print(plan_text(plan(error=0.05, delta=0.05, expected=0.02, power=0.9)))


if __name__ == "__main__":
    main()
