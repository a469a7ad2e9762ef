r"""
How many labels must I buy?
===========================

A spam filter shall be promised to err on at most 10 % of new e-mails. Labels cost money, so one asks before buying.
Then one watches the promise come down as the labels arrive.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from assay import LogisticRegression, certify, figures, plan

# %%
# A filter, from the first thousand e-mails.
data = next(place for place in map(Path, ("../data", "examples/data")) if place.exists())
mail = pd.read_parquet(data / "spambase.parquet").sample(frac=1, random_state=0)
X, y = np.log1p(mail.drop(columns="target").to_numpy()), mail["target"].to_numpy(str)
model = LogisticRegression().fit(X[:1000], y[:1000])

# %%
# We expect 7 %, and want the promise to succeed in nine cases of ten.
bought = plan(error=0.10, expected=0.07, delta=0.05, power=0.9)
print(bought)

# %%
# The same for other promises, if the model errs half as often as is promised:
needed = figures.rows_needed()

# %%
# Labels arrive, and nobody can help looking. This bound may be looked at after every one of them; it is wider than
# the planned one, which is for the end.
wrong = model.predict(X[1000:][: bought.rows]) != y[1000:][: bought.rows]
figure = figures.error_over_rounds(wrong)

# %%
# The planned one:
print(certify(errors=int(wrong.sum()), rows=bought.rows, delta=0.05))
