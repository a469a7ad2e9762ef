"""
Who pays back a loan?
=====================

Ten customers of a bank, five of whom did not pay back. A tree asks about one feature after the other; what it has
learned can be read aloud. And ten customers are not many, which the guarantee says as clearly.
"""

import io

import pandas as pd

from assay import DecisionTreeClassifier, figures

# %%
# The table, as it is: words need no encoding.
loans = pd.read_csv(
    io.StringIO(
        """sex,income,education,marital,default
male,high,graduate,unmarried,no
male,low,bachelor,married,yes
female,high,highschool,unmarried,no
female,medium,highschool,married,no
male,high,bachelor,married,no
male,medium,bachelor,married,yes
male,medium,highschool,married,no
female,medium,graduate,unmarried,yes
female,medium,graduate,unmarried,yes
male,low,highschool,unmarried,yes
"""
    )
)
customers, default = loans.drop(columns="default"), loans["default"]

# %%
# Which question first? Income leaves the purest answers.
counts = {
    question: {
        answer: [int((said == paid).sum()) for paid in ("no", "yes")] for answer, said in parts
    }
    for question in ("income", "education")
    for parts in [default.groupby(loans[question])]
}
questions = figures.candidate_splits(counts, ["no", "yes"])

# %%
# ID3 grows the tree: a child for each answer, the purest question first.
tree = DecisionTreeClassifier(algorithm="id3").fit(customers, default)
figure = figures.tree_figure(tree, target="default")

# %%
print(tree.rules("default"))

# %%
# The tree is right about all ten. That promises little: sixteen bits describe it, and among so many trees one that
# fits ten customers by luck is no surprise. The last line is not about new customers: it says at which price of a leaf
# this very tree would no longer be the best one.
for guarantee in tree.guarantees():
    print(guarantee)

# sphinx_gallery_thumbnail_number = 2
