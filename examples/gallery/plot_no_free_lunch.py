r"""
No free lunch
=============

Show a learner :math:`m` of :math:`2m` points. About the others it knows nothing unless something is assumed about the
labels, and averaged over all ways of labelling the points, every learner errs at least a quarter of the time. Where
:math:`m` is small one can try all of them.
"""

from itertools import product

import numpy as np

from assay import DecisionTreeClassifier, KNeighborsClassifier, Perceptron, no_free_lunch
from assay.report.figures.canvas import Canvas

# %%
# Three learners, shown two of four points: sixteen labellings, sixteen samples each.
learners = {
    "perceptron": Perceptron(),
    "nearest neighbour": KNeighborsClassifier(n_neighbors=1),
    "tree": DecisionTreeClassifier(),
}
found = {name: no_free_lunch(learner, rows=2) for name, learner in learners.items()}
for name, table in found.items():
    print(f"{name}: average {table.average:.4f}, worst {table.worst_error:.4f}")

# %%
# All have the same average. They differ in *which* labellings they get right. Here are two that remember what they were
# shown: one says of any other point what the nearest known point is, the other says the opposite.
points = np.arange(4)


def error(labelling: tuple[int, ...], contrary: bool) -> float:
    """The mean error over all samples of two points."""
    wrong = 0
    for sample in product(points, repeat=2):
        for point in points:
            nearest = min(sample, key=lambda known: abs(known - point))
            flipped = contrary and point not in sample
            wrong += (labelling[nearest] if not flipped else -labelling[nearest]) != labelling[
                point
            ]
    return wrong / (16 * 4)


labellings = list(product((-1, 1), repeat=4))
names = ["".join("+" if label > 0 else "-" for label in row) for row in labellings]
canvas = Canvas("What is gained on one labelling is lost on another", x="labelling", y="error")
figure, ink = canvas.figure, canvas.ink
for place, (name, contrary) in enumerate({"nearest": False, "contrary": True}.items()):
    errors = [error(row, contrary) for row in labellings]
    figure.add_bar(
        x=names,
        y=errors,
        name=f"{name}: {np.mean(errors):.4f} on average",
        marker_color=ink.colour(place),
    )

# %%
# So it is for every learner, and the theorem says how large the average must be:
print(found["perceptron"])
