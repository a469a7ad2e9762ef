r"""
Boosting against a reluctant helper
===================================

A weak learner that is right on :math:`\frac12+\gamma` of any weights can be boosted: after :math:`T` rounds at most
:math:`n\,e^{-2T\gamma^2}` of :math:`n` examples are wrong. The proof does not ask how it chooses. So take one who
helps as little as it may, and beside it one without any design: it flips a coin for every example.
"""

from assay import MajorityBoostClassifier, figures, lab
from assay.data.synthetic import weakly_learnable

# %%
# Every example has 15 of 25 hypotheses on its side, so that under any weights some hypothesis is right on 60 %. The
# reluctant helper takes the worst hypothesis that is still good enough, and is boosted. The coins are right with
# probability 0.6, and their majority is taken as it is.
played = lab.weak_learners(1000, 0.1, random_state=1)
for name, wrong in played.wrong.items():
    print(f"{name}: {wrong[10]:.0f} of 1000 wrong after 11 rounds, at most {played.bound[10]:.0f}")

# %%
# For the coins the bound is Hoeffding's inequality, and holds on average. Boosting has the very same bound against the
# worst helper there can be, and without an average.
figure = figures.boosting_errors(1000, played.edge, played.wrong)

# %%
# With the helper who helped least:
data = weakly_learnable(rows=1000, hypotheses=25, edge=0.1, random_state=1)
booster = MajorityBoostClassifier(data.reluctant_learner(), edge=data.edge).fit(data.X, data.y)
for guarantee in booster.guarantees():
    print(guarantee)
