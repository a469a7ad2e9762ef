r"""
The price of seeing only what one chose
=======================================

Four forecasters say whether the price of electricity will rise. Hedge hears all of them afterwards; EXP3 is only told
how the one it had asked has done. Theory puts the price of that silence at a factor of :math:`\sqrt K` in the regret.
"""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from assay import EXP3, Hedge, figures

# %%
# Elec2: half-hours of the electricity market of New South Wales. One forecaster always says no, one repeats what
# happened last, one what happened a day ago, and one says the opposite of the second.
data = next(place for place in map(Path, ("../data", "examples/data")) if place.exists())
rose = pq.read_table(data / "elec2.parquet")["target"].to_numpy()
now, last, day = rose[48:], rose[47:-1], rose[:-48]
losses = np.column_stack([now == 1, now != last, now != day, now == last]).astype(float)

# %%
# Both know the number of rounds, and nothing else.
hedge = Hedge(rounds=len(losses), trace=True)
hedge.play(losses)
bandit = EXP3(arms=4, rounds=len(losses), random_state=0, trace=True).play(losses)
print(
    f"Hedge regrets {hedge.record_.regret:.0f}, EXP3 {bandit.record_.expected_regret:.0f} on average over its draws"
)

# %%
# The regret of both, round by round, under what was promised to each.
figure = figures.regret_curve(
    {"Hedge": hedge.record_, "EXP3": bandit.record_},
    {"Hedge": hedge.guarantees()[:1], "EXP3": bandit.guarantees()[1:2]},
)

# %%
# Here the promises differ by four, of which two come from a sharper constant of Hedge's theorem, and the other two are
# :math:`\sqrt 4`. Hedge's promise holds on every sequence; that of EXP3 is about the average over its own draws, and
# one run neither keeps nor breaks it.
print(hedge.guarantees()[0])
print(bandit.guarantees()[1])
