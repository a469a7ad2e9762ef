r"""
Boosting against a reluctant helper
===================================

A weak learner that is right on :math:`\frac12+\gamma` of any weights can be boosted: after :math:`T` rounds at most
:math:`n\,e^{-2T\gamma^2}` of :math:`n` examples are wrong. The proof does not ask how it chooses. So take one who
helps as little as it may.
"""

from assay import MajorityBoostClassifier, figures
from assay.data.synthetic import weakly_learnable

# %%
# Every example has 15 of 25 hypotheses on its side, so that under any weights some hypothesis is right on 60 %. One
# helper always takes the best hypothesis, the other the worst that is still good enough.
data = weakly_learnable(rows=1000, hypotheses=25, edge=0.1, random_state=1)
helpers = {"best": None, "reluctant": data.reluctant_learner()}
wrong = {}
for name, helper in helpers.items():
    booster = MajorityBoostClassifier(helper, edge=data.edge, trace=True).fit(data.X, data.y)
    wrong[name] = booster.record_.trace["wrong"]
    print(f"{name}: no example is wrong after {booster.record_.clean} rounds")

# %%
# Examples that the vote gets wrong, after every odd number of rounds, below what was promised before the first one.
figure = figures.boosting_errors(1000, data.edge, wrong)

# %%
# With the helper who helped least:
for guarantee in booster.guarantees():
    print(guarantee)
