"""
From a truth table to a network
===============================

Every function of truth values is a disjunction of terms, and every such formula is a network with one hidden layer. A
decision tree is a third way to write it down; how long it becomes depends on what is asked first.
"""

from assay import figures, lab, theorem

# %%
# Two switches, and a lamp that is on when they differ, or when someone presses the button.
table = lab.truth_table(
    lambda left, right, button: left != right or button, 3, names=["left", "right", "button"]
)
print("read off the table:", table.full_formula)
print("as short as it gets:", table.formula)

# %%
# A hidden gate for each term fires when its literals are all true; the output fires when any gate does.
network = table.network()
for weights, threshold in zip(network.weights, network.thresholds, strict=True):
    print(f"{weights} . x > {threshold}")
print("same function:", bool((network.predict(table.points) == table.truth).all()))

# %%
# Trees: whether the switches differ, and a witness who says so in two cases of three. Only the witness looks useful by
# itself, so greed asks it first, and then everything else twice.
cases = [(a, b, said) for a in (0, 1) for b in (0, 1) for said in (0, 1)]
rows = cases + [case for case in cases if case[2] == case[0] ^ case[1]]
trees = lab.smallest_tree(rows, [a ^ b for a, b, _ in rows])
figure = figures.tree_figure(
    trees.greedy, ["left", "right", "witness"], target="lamp", title="Greed asks the witness first"
)

# %%
# What Occam's razor is paid in: bits.
razor = theorem("tree-description-length")
for name, leaves in {"smallest": trees.leaves, "greedy": trees.greedy_leaves}.items():
    bits = razor(internal=leaves - 1, leaves=leaves, features=3, classes=2)
    print(f"{name}: {leaves} leaves, {bits} bits")
