r"""
A robot sorts oranges
=====================

A robot weighs oranges and looks at their colour, and puts each on the belt for export or for the local market. After
each guess somebody corrects it. How many corrections will it need? A perceptron needs at most :math:`R^2/\gamma^2` of
them, where no orange is farther than :math:`R` from the origin and some line keeps a distance of :math:`\gamma` from
all of them: whatever their number, and whatever their order.
"""

import numpy as np

from assay import Perceptron, figures

# %%
# Forty oranges, by weight and redness, each measured from the middle of its scale. Oranges that are hard to tell apart
# by eye have been left out, so there is a margin.
rng = np.random.default_rng(8)
oranges = rng.uniform(-1, 1, size=(90, 2))
line = np.array([0.8, 0.6])
oranges = oranges[np.abs(oranges @ line) >= 0.12][:40]
belt = np.where(oranges @ line > 0, "export", "local")

# %%
# The robot learns one orange after the other, and goes through them again until a whole pass is right.
robot = Perceptron(fit_intercept=False, trace=True).fit(oranges, belt)
record = robot.record_
print(record.mistakes, "corrections in", record.passes, "passes")

# %%
# Step by step: the line before each correction, the orange it was wrong about, and the weights after it.
figure = figures.perceptron_steps(robot, oranges, belt, feature_names=["weight", "redness"])

# %%
# The first promise was known before: we drew the oranges, and know a line that keeps a distance of 0.12. The others
# were found afterwards, by a better line. All of them hold for every order in which the oranges could have come.
radius = float(np.linalg.norm(oranges, axis=1).max())
for guarantee in robot.guarantees(radius=radius, margin=0.12):
    print(guarantee)
