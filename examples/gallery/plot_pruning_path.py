"""
How large should a tree be?
===========================

A tree that is grown until its leaves are pure learns the noise as well. Put a price on every leaf: as the price rises,
the best trees shrink one inside the other, and somewhere on the way the error on new rows is least.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from assay import DecisionTreeClassifier, figures

# %%
# Spambase, shuffled: 2,000 e-mails to learn from, the others to look.
data = next(place for place in map(Path, ("../data", "examples/data")) if place.exists())
mail = pd.read_parquet(data / "spambase.parquet").sample(frac=1, random_state=0)
X, y = mail.drop(columns="target").to_numpy(), mail["target"].to_numpy(str)
learn, look = slice(0, 2000), slice(2000, None)

# %%
# Every price at which a question is dropped, and how the tree of that price does.
path = DecisionTreeClassifier().cost_complexity_pruning_path(X[learn], y[learn])


def on_new_rows(price: float) -> float:
    """The error of the tree of this price on rows that it was not grown from."""
    pruned = DecisionTreeClassifier(ccp_alpha=price).fit(X[learn], y[learn])
    return 1 - pruned.score(X[look], y[look])


errors = np.array([on_new_rows(price) for price in path.ccp_alphas])
figure = figures.pruning_path(path, errors={"error on new rows": errors})

# %%
# The new rows must not choose the price, or they could not judge it any more. With ``ccp_alpha="cv"`` it is chosen on
# parts of the sample that the trees were not grown from, and the new rows may judge.
tree = DecisionTreeClassifier(ccp_alpha="cv", random_state=0).fit(X[learn], y[learn])
print(tree.get_n_leaves(), "of", path.leaves[0], "leaves are left")
print(tree.certificate(X[look], y[look], delta=0.05))
for guarantee in tree.guarantees():
    print(guarantee)
