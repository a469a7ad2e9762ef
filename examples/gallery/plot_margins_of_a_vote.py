r"""
Right, and by how much
======================

AdaBoost goes on improving after its training error has stopped falling. What still changes are the margins: by how much
of the vote each row is right. The theorem of the training error has a form for margins, too.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from assay import AdaBoostClassifier, figures

# %%
# Sonar: mines or rocks, by the energy in sixty bands. Of 208 echoes, every third is kept for the end.
data = next(place for place in map(Path, ("../data", "examples/data")) if place.exists())
sonar = pd.read_parquet(data / "sonar.parquet").sample(frac=1, random_state=0)
X, y = sonar.drop(columns="target").to_numpy(), sonar["target"].to_numpy(str)
held = np.arange(len(y)) % 3 == 0

# %%
# Few rounds and many.
few = AdaBoostClassifier(n_estimators=10).fit(X[~held], y[~held])
many = AdaBoostClassifier(n_estimators=300).fit(X[~held], y[~held])
margins = {
    "10 rounds": few.margins(X[~held], y[~held]),
    "300 rounds": many.margins(X[~held], y[~held]),
}
figure = figures.margins_distribution(margins)

# %%
# How many training rows may have a margin of at most a tenth, and how many have:
for model in (few, many):
    print(model.margin_guarantee(X[~held], y[~held], margin=0.1))

# %%
# About new rows speak the seventy that were kept:
print(many.certificate(X[held], y[held]))
