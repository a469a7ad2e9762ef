"""
Mails as bags of words
======================

A perceptron can learn a plane, if there is one. For texts there often is, or nearly: take every word for a dimension,
and forget the order of the words.
"""

from pathlib import Path

import numpy as np

from assay import Perceptron, Winnow, figures, play, read_table
from assay.data import BagOfWords

# %%
# A bag of words has a place for each word of a list, which is fixed by the texts to learn from.
mails = ["Win free money now!", "Free prize: claim it", "Lunch at noon?", "The money for lunch"]
bag = BagOfWords.fit(mails)
learner = Perceptron(shuffle=False).fit(bag.transform(mails), ["spam", "spam", "ham", "ham"])
print(bag.words)
print(learner.predict(bag.transform(["Claim your free prize", "At noon, then"])))

# %%
# Of 4,601 real mails the shares of 48 words are known. Which of the words occur at all is such a bag. The mails come in
# random order; each is predicted, and then learned.
data = next(place for place in map(Path, ("../data", "examples/data")) if place.exists())
spambase = read_table(data / "spambase.parquet", target="target")
words = [
    place
    for place, name in enumerate(spambase.features)
    if not name.startswith(("char", "capital"))
]
order = np.random.default_rng(0).permutation(len(spambase.y))
X, y = (spambase.X[:, words][order] > 0).astype(float), spambase.y[order]
run = play(Perceptron(), X, y, trace=True)
print(f"{len(words)} words; the perceptron erred on {run.mistakes} of {len(y)} mails")

# %%
# No plane separates these mails, and the perceptron keeps wobbling. What it errs on the way bounds what its hypotheses
# err on new mails, at every moment at once, if mails are independent draws.
figure = figures.error_over_rounds(run.missed)

# %%
# Winnow multiplies where the perceptron adds. With a factor near one it takes many words into account, as a majority
# does; with a factor of two it looks for the few words of a disjunction, which spam is not.
for factor in (1.1, 2.0):
    mistakes = play(Winnow(factor=factor, negations=True), X, y).mistakes
    print(f"Winnow with the factor {factor}: {mistakes} mistakes")
