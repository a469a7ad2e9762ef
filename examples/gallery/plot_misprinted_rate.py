r"""
The misprinted learning rate
============================

Hedge with the rate :math:`\eta=\sqrt{2\ln K/T}` regrets at most :math:`\sqrt{2T\ln K}`, and with a better one less. In
print one finds :math:`\eta=\sqrt{2T\ln K}`, which looks almost the same. Alternating losses show the difference: the
misprint follows the leader, and is wrong every time.
"""

import numpy as np

from assay import AdaHedge, Hedge, figures
from assay.play.expert_adversaries import alternating_losses

# %%
# Two experts, of whom one loses in odd rounds and the other in even ones.
rounds = 100
losses = alternating_losses(rounds)
rates = {"right": np.sqrt(2 * np.log(2) / rounds), "misprinted": np.sqrt(2 * rounds * np.log(2))}
policies = {name: Hedge(learning_rate=rate, trace=True) for name, rate in rates.items()}
policies["AdaHedge, which needs none"] = AdaHedge(trace=True)
for name, policy in policies.items():
    policy.play(losses)
    print(f"{name}: regret {policy.record_.regret:.2f}")

# %%
# The regret round by round, and what is promised for the right rate.
figure = figures.regret_curve(
    {name: policy.record_ for name, policy in policies.items()},
    {"right": policies["right"].guarantees()[:1]},
)

# %%
# A guarantee is made for the rate that was played with. For the misprinted one it is true too, and worthless: it lies
# above the number of rounds.
for name, policy in policies.items():
    print(f"{name}: {policy.guarantees()[0]}")
