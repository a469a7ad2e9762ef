"""
Is it the flu?
==============

A doctor asks one question after the other: fever? cough? how old? A tree learns which questions, in which order, and
where to divide the ages.
"""

import numpy as np
import pandas as pd

from assay import DecisionTreeClassifier, figures

# %%
# Patients of one winter, made up: fever and cough together mean the flu, and from fifty on fever alone does, too. One
# record in twenty is wrong.
rng = np.random.default_rng(0)
patients = pd.DataFrame(
    {
        "fever": rng.random(400) < 0.5,
        "cough": rng.random(400) < 0.5,
        "age": rng.integers(5, 90, 400),
    }
)
truth = patients["fever"] & (patients["cough"] | (patients["age"] > 50))
flu = np.where(truth ^ (rng.random(400) < 0.05), "yes", "no")

# %%
# Grown until nothing is left to ask, the tree learns the wrong records as well. A price for each leaf, found by
# validation, leaves the questions that matter; the age is divided close to fifty.
grown = DecisionTreeClassifier(thresholds="short").fit(patients, flu)
tree = DecisionTreeClassifier(ccp_alpha="cv", thresholds="short", random_state=0)
tree.fit(patients, flu)
print(f"{grown.get_n_leaves()} leaves before pruning, {tree.get_n_leaves()} after it")
print(tree.rules("flu"))

# %%
figure = figures.tree_figure(tree, target="flu")

# %%
# The short tree is worth more: what is promised about new patients counts the bits that describe it.
for name, one in {"grown": grown, "pruned": tree}.items():
    print(f"{name}, {one.record_.bits} bits: {one.guarantees()[0]}")
