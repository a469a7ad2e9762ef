r"""
How wise is a crowd?
====================

Each of :math:`n` voters is right with probability 0.55, independently of the others. The majority errs far less, and by
how much less can be said exactly, or by bounds that are easier to write down. Here all of them stand beside an
experiment.
"""

import numpy as np

from assay import certify, figures, theorem

# %%
# Crowds of odd size, so that no vote is tied.
edge = 0.05
voters = np.arange(1, 402, 20)

# %%
# Ten thousand votes of each crowd, and what theory says of them.
rng = np.random.default_rng(0)
seen = [(rng.binomial(n, 0.5 + edge, size=10_000) <= n // 2).mean() for n in voters]

figure = figures.crowd_majority(edge, voters=401, simulated=(voters, seen))

# %%
# Voters that listen to one another are no crowd: that they err independently is the assumption, and nobody can check it
# from the votes alone. What can be checked is the error of the crowd that there is. This one of 101 was wrong on so
# many of ten thousand questions:
wrong = int((rng.binomial(101, 0.5 + edge, size=10_000) <= 50).sum())
print(wrong, "of 10,000;", certify(errors=wrong, rows=10_000))
print(
    "exact error if they are independent:",
    round(theorem("crowd-majority-error")(voters=101, edge=edge), 4),
)
