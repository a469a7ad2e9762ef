r"""
Three learners, one needle in many haystacks
============================================

Whether a customer complains depends on three of many yes-or-no features: a disjunction. Three learners look for it
online. The perceptron adds, Winnow multiplies, elimination crosses out what cannot be. Their promises grow very
differently with the number :math:`d` of features.
"""

import numpy as np

from assay import OnlineDisjunction, Perceptron, Winnow, theorem
from assay.data.synthetic import disjunction
from assay.report.figures.canvas import Canvas

# %%
# The same rule, OR of three features, among ever more of them.
features = [10, 30, 100, 300, 1000, 3000]
learners = {"perceptron": Perceptron(), "Winnow": Winnow(), "elimination": OnlineDisjunction()}
seen: dict[str, list[int]] = {name: [] for name in learners}
for d in features:
    data = disjunction(1500, d, relevant=3, random_state=0)
    for name, learner in learners.items():
        fitted = learner.partial_fit(data.X, data.y, classes=np.unique(data.y))
        seen[name].append(fitted.record_.mistakes)
        learners[name] = type(learner)()
for name, mistakes in seen.items():
    print(f"{name:>11}: {mistakes}")

# %%
# What is promised: for Winnow the logarithm of the number of features counts, for the others the number itself. The
# bounds hold against an opponent who chooses the worst examples; random ones are kinder.
promised = {
    "perceptron": [
        theorem("perceptron-disjunction-mistakes")(literals=3, features=d) for d in features
    ],
    "Winnow": [theorem("winnow-disjunction-mistakes")(literals=3, features=d) for d in features],
    "elimination": [theorem("online-disjunction-mistakes")(features=d) for d in features],
}
canvas = Canvas("Mistakes in many features", x="features", y="mistakes")
figure, ink = canvas.figure, canvas.ink
for place, name in enumerate(learners):
    figure.add_scatter(
        x=features,
        y=seen[name],
        name=name,
        mode="lines+markers",
        line=ink.line(place),
        marker=ink.marker(place),
    )
    figure.add_scatter(
        x=features,
        y=promised[name],
        name=f"{name}, at most",
        mode="lines",
        line=ink.line(place, width=1),
    )
figure.update_xaxes(type="log").update_yaxes(type="log")

# %%
# At three thousand features:
data = disjunction(1500, 3000, relevant=3, random_state=0)
winnow = Winnow().partial_fit(data.X, data.y, classes=np.unique(data.y))
print(winnow.guarantees(literals=3)[0])
