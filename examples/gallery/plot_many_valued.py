"""
A number for every customer
===========================

Information gain likes questions with many answers: each customer has a number of its own, and asking for it leaves
nothing open. ID3 falls for it. C4.5 sets the gain in relation to how finely a question divides, and does not.
"""

import io

import pandas as pd

from assay import DecisionTreeClassifier, figures, theorem

# %%
# The loan table, with the numbers of the customers left in.
loans = pd.read_csv(
    io.StringIO(
        """customer,sex,income,education,marital,default
c01,male,high,graduate,unmarried,no
c02,male,low,bachelor,married,yes
c03,female,high,highschool,unmarried,no
c04,female,medium,highschool,married,no
c05,male,high,bachelor,married,no
c06,male,medium,bachelor,married,yes
c07,male,medium,highschool,married,no
c08,female,medium,graduate,unmarried,yes
c09,female,medium,graduate,unmarried,yes
c10,male,low,highschool,unmarried,yes
"""
    )
)
customers, default = loans.drop(columns="default"), loans["default"]

# %%
# What every question gains of one bit, how finely it divides, and the one over the other.
counts = {
    question: {
        answer: [int((said == paid).sum()) for paid in ("no", "yes")]
        for answer, said in default.groupby(loans[question])
    }
    for question in customers
}
score = theorem("impurity-identities")
for question, answers in counts.items():
    parts = list(answers.values())
    gain, ratio = (score(parts=parts, measure=m) for m in ("entropy", "gain_ratio"))
    print(f"{question:>9}: gain {gain:.3f}, gain ratio {ratio:.3f}")

# %%
# By gain the number of the customer is the better question, by gain ratio income is.
figure = figures.candidate_splits(
    {name: counts[name] for name in ("customer", "income")}, ["no", "yes"], measure="gain_ratio"
)

# %%
# So ID3 learns the list by heart, and knows nothing about an eleventh customer; C4.5 asks what can be asked of anyone.
by_heart = DecisionTreeClassifier(algorithm="id3").fit(customers, default)
asked = DecisionTreeClassifier(algorithm="c4.5").fit(customers, default)
print("ID3 asks for", by_heart.feature_names_in_[by_heart.nodes_.feature[0]])
print(asked.drawing("default"))

# %%
# Both are right about all ten. What is promised of new customers knows the difference: learning by heart takes more
# bits, and there are more trees that long.
for name, tree in {"ID3": by_heart, "C4.5": asked}.items():
    print(f"{name}, {tree.record_.bits} bits: {tree.guarantees()[0]}")
