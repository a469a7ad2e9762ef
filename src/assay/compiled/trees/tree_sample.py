# What a tree is grown from, and how: plain tuples of arrays and numbers that the loops of trees share.
from collections import namedtuple

from numba import boolean, float64, int32, int64, types, uint64

from assay.compiled.common.flags import EXACT, INNER, LENT

LENT_INNER = LENT | INNER
EXACT_INNER = EXACT | INNER

# keys      (d, n) uint64, for each feature its cells in ascending order: the upper 32 bits are the cell, as bits whose
#           order is that of the numbers, all ones for a missing one; the lower 32 are the class above `shift` bits
#           for the row.
# arity     (d,) int32: how many categories a feature has, whose cells are then their numbers; 0 for a number.
# weights   (n,) float64 of the rows, all above zero; empty where all are one.
# target    (n,) float64 to be predicted; empty where it is a class.
# shift     uint64, see keys.
# classes   how many; 0 for a target.
# inverse   (n + 1,) float64: 1 / k.      xlog  (n + 1,) int64: k log2 k in units of `unit`; empty where not needed.
# aim       what is predicted where that is not one class or one mean; its outputs are 0 where it is.
Sample = namedtuple("Sample", "keys arity weights target shift classes inverse xlog unit aim")

# outputs   how many columns y has, all of them in `target`, row by row, the numbers of classes too.
# criterion one of those of tree_scan.
# starts    (outputs + 1,) int64: where the classes of each column begin among the values of a node; empty for numbers.
# ordered   (outputs, n) float64: each column in order; ranks (outputs, n) int64: the place of each row in that order;
#           room (2, n + 1) float64, zeros. Empty where no medians are predicted.
# rising    (d,) int64: 1 for features with which the prediction must not fall, -1 for those with which it must not
#           rise; empty where there are none. Of two classes, the share of the second.
Aim = namedtuple("Aim", "outputs criterion starts ordered ranks room rising")

# criterion       one of those of tree_scan.
# multiway        whether a feature with categories gets a child for each of them.
# ratio           whether features are compared by gain ratio.
# most_depth      questions that may be asked about a row.
# least_split     rows that a node must have to be split.
# least_leaf      rows that each child must have.
# least_weight    weight that each child must have.
# least_fall      by how much the impurity must fall, weighted by the rows (not divided by all of them).
# most_features   how many features are looked at for a split, drawn afresh each time if fewer than all.
# by_lot          whether one of equally good features is drawn; else it is the first.
Rule = namedtuple(
    "Rule",
    "criterion multiway ratio most_depth least_split least_leaf least_weight least_fall "
    "most_features most_leaves by_lot",
)

# Where the loops are that are called by their addresses (see opaque); NOWHERE for those that a sample does not need.
Calls = namedtuple(
    "Calls",
    "ask two counts weights target aimed two_groups all_groups send states arrange arrange_many",
)

# Their types.
KEYS, NUMBERS, FLOATS = uint64[::1], int64[::1], float64[::1]
AIM = types.NamedTuple(
    (int64, int64, NUMBERS, float64[:, ::1], int64[:, ::1], float64[:, ::1], NUMBERS), Aim
)
SAMPLE = types.NamedTuple(
    (uint64[:, ::1], int32[::1], FLOATS, FLOATS, uint64, int64, FLOATS, NUMBERS, float64, AIM),
    Sample,
)
RULE = types.NamedTuple(
    (int64, boolean, boolean, int64, int64, int64, float64, float64, int64, int64, boolean), Rule
)
CALLS = types.NamedUniTuple(int64, len(Calls._fields), Calls)
