r"""
Inside the ball
===============

What lies inside a circle is good, what lies outside is not. No line tells them apart, but :math:`x_1^2+x_2^2\le r^2`
is a line in the space of products of the features. The kernel perceptron works there without writing the products
down, and its mistake bound comes along.
"""

import numpy as np

from assay import KernelPerceptron, Perceptron, figures
from assay.kernels import Polynomial

# %%
# Points in the plane, with a gap between inside and outside.
rng = np.random.default_rng(0)
points = rng.uniform(-1.5, 1.5, size=(600, 2))
distance = np.linalg.norm(points, axis=1)
points = points[np.abs(distance - 1) > 0.1]
label = np.where(np.linalg.norm(points, axis=1) < 1, "inside", "outside")

# %%
# A line is of no use; with products of two features the perceptron ends with a pass without mistakes.
line = Perceptron(max_iter=50).fit(points, label)
ball = KernelPerceptron(Polynomial(degree=2), max_iter=200).fit(points, label)
print(f"line: {line.score(points, label):.3f}, with products: {ball.score(points, label):.3f}")
figure = figures.decision_boundary(ball, points, label)

# %%
# The bound is the perceptron's, with lengths and margin measured in the space of products.
for guarantee in ball.guarantees():
    print(guarantee)
