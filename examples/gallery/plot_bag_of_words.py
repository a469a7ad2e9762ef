r"""
Spam as a bag of words
======================

What is separable by a plane? Few things that have two features, and much of what has many: texts, for one. Count the
words of a text and forget their order, its *bag of words*, and a perceptron tells spam from mail, with a bound on its
mistakes.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from assay import Perceptron, figures

# %%
# Messages, made up: each of ten words, most of which anyone may use. Spam also takes from one list, mail from another.
rng = np.random.default_rng(0)
starts, ends = ("to", "an", "we", "so", "it"), ("day", "ing", "ed", "er", "ly")
common = [start + end for start in starts for end in ends]
lists = {
    "spam": ["free", "money", "winner", "credit", "offer", "click", "cheap", "prize", "loan"],
    "mail": [
        "meeting",
        "lecture",
        "draft",
        "lunch",
        "thanks",
        "notes",
        "exam",
        "library",
        "chapter",
    ],
}
kinds = np.where(rng.random(600) < 0.4, "spam", "mail")
texts = [" ".join([*rng.choice(common, 7), *rng.choice(lists[kind], 3)]) for kind in kinds]
print(f"{kinds[0]}: {texts[0]}")

# %%
# One feature for each word, and every text of length one, so that long texts have no advantage. The first 400 are
# learned, in their order, until a whole pass is right.
bags = normalize(CountVectorizer().fit_transform(texts).astype(float))
learned, new = slice(0, 400), slice(400, None)
filter_ = Perceptron(trace=True, fit_intercept=False).fit(bags[learned], kinds[learned])
print(
    f"{bags.shape[1]} words, {filter_.record_.mistakes} mistakes in {filter_.record_.passes} passes"
)

# %%
# The mistakes below their bound: the texts are separated by a plane with a margin, however many words there are.
figure = figures.mistakes_curve(filter_.record_, filter_.guarantees())

# %%
# The weights are read as a list of words, and texts that nobody has seen have a promise of their own.
words = np.array(sorted(CountVectorizer().fit(texts).vocabulary_))
order = filter_.coef_[0].argsort()
print("most like mail:", *words[order[:5]])
print("most like spam:", *words[order[::-1][:5]])
for guarantee in filter_.guarantees()[:2]:
    print(guarantee)
print(filter_.certificate(bags[new], kinds[new]).claims[0])
