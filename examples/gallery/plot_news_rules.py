"""
Rules that are silent most of the time
======================================

*If the text says football, file it under sports. If it holds a dollar figure, file it under business.* Each rule speaks
up only where it applies. Sleeping experts weigh such rules, so that in the rounds in which a rule was awake, little
more is lost than by that rule alone: for every rule at once.
"""

import numpy as np

from assay import SleepingExperts, figures

# %%
# A thousand articles in four sections. Every rule fires on the word it knows, mostly in its own section.
rng = np.random.default_rng(1)
sections = np.array(["sports", "business", "politics", "culture"])
truth = rng.choice(sections, size=1000, p=[0.35, 0.3, 0.25, 0.1])
rules = {
    "football": ("sports", 0.6, 0.02),
    "dollar": ("business", 0.7, 0.15),
    "minister": ("politics", 0.8, 0.05),
    "novel": ("culture", 0.5, 0.03),
    "always sports": ("sports", 1.0, 1.0),
}
advice = np.full((1000, len(rules)), None, dtype=object)
for column, (section, inside, outside) in enumerate(rules.values()):
    fires = rng.random(1000) < np.where(truth == section, inside, outside)
    advice[fires, column] = section

# %%
# Missing advice means asleep.
policy = SleepingExperts(epsilon=0.2, random_state=0, trace=True)
for row, label in zip(advice, truth, strict=True):
    policy.update(dict(zip(rules, row, strict=True)), label)

# %%
# What the policy lost while each rule was awake, and the most it could have lost.
promises = [policy.guarantees(against=name)[0] for name in rules]
figure = figures.promised_and_observed(promises)

# %%
# The rule *always sports* is wrong on two articles of three, and costs next to nothing: whoever else is awake is
# listened to instead.
for name, wrong, promise in zip(rules, policy.record_.expert_losses, promises, strict=True):
    print(f"{name} was wrong {wrong:.0f} times; {promise}")
