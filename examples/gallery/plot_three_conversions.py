"""
From an online run to one classifier
====================================

A perceptron that has gone through a stream leaves many hypotheses behind, each better or worse than the last. Which one
should be used from now on, and what can be promised about it? Three ways of choosing, three promises.
"""

import numpy as np

from assay import Perceptron, figures, to_batch

# %%
# Four thousand examples with a margin, in random order.
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 5))
X[:, 0] += 0.5 * np.sign(X[:, 0])
y = np.where(X[:, 0] > 0, "spam", "ham")
X_new = rng.normal(size=(100_000, 5))
X_new[:, 0] += 0.5 * np.sign(X_new[:, 0])
y_new = np.where(X_new[:, 0] > 0, "spam", "ham")

# %%
# The longest survivor was right most often in a row. A large gap stops at the first hypothesis that has been right
# often enough. The average lets all of them vote. A hundred thousand further examples tell what each is really worth.
ways = {
    "longest survivor": to_batch(Perceptron(), X, y, "longest-survivor"),
    "large gap": to_batch(Perceptron(), X, y, "large-gap", accuracy=0.02),
    "vote of all": to_batch(Perceptron(), X, y, "average"),
}
truth = {name: float((model.predict(X_new) != y_new).mean()) for name, model in ways.items()}
promises = [model.guarantees()[0] for model in ways.values()]
figure = figures.promised_and_observed(promises)

# %%
# The large gap used only the first of the rows, and promised what it was asked for. The survivor has been tested on all
# rows after it.
print("rows used by the large gap:", ways["large gap"].rows_used_)
for name, promise in zip(ways, promises, strict=True):
    print(f"{name}: errs on {truth[name]:.4f} of the new examples; {promise}")
