r"""
Should I take an umbrella?
==========================

Every morning a radio station, a knee that aches and a neighbour say whether it will rain. Nobody knows which of them to
trust. The weighted majority follows the votes, and divides the weight of whoever was wrong. It makes at most
:math:`2.633\,(M+\ln K)` mistakes, where :math:`M` are the mistakes of the best of :math:`K` advisers, on any weather
whatsoever.
"""

import numpy as np
import pandas as pd

from assay import WeightedMajority, figures

# %%
# Two hundred days. The radio is right on nine of ten, the neighbour on seven; the knee is a coin, and the pessimist
# always says rain.
rng = np.random.default_rng(0)
rain = rng.random(200) < 0.4
skills = {"radio": 0.9, "neighbour": 0.7, "knee": 0.5}
advice = {name: np.where(rng.random(200) < skill, rain, ~rain) for name, skill in skills.items()}
advice["pessimist"] = np.full(200, True)
table = pd.DataFrame(advice)

# %%
# One morning at a time: listen, decide, look out of the window. All mornings at once do the same, to the same bits.
policy = WeightedMajority(trace=True)
policy.play(table, rain)
record = policy.record_
for name, wrong in zip(advice, record.expert_losses, strict=True):
    print(f"{name:>9} was wrong on {wrong:.0f} days")
print(f"{'we':>9} were wrong on {record.mistakes} days")

# %%
# Mistakes day by day, and what was promised for each day, given the mistakes of the best adviser by then.
figure = figures.mistakes_curve(record, policy.guarantees())

# %%
# Nothing was assumed about the weather, so there is nothing that could have gone wrong with this promise.
for guarantee in policy.guarantees(against="each"):
    print(guarantee)
