"""Trees.

The learners themselves are in `assay`; here are the ways of pruning a grown tree, in the open.

Examples
--------
>>> from assay import DecisionTreeClassifier
>>> from assay.learners.trees import error_pruned
>>> grown = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]).nodes_
>>> grown.leaves, error_pruned(grown, 0.25).leaves
(4, 2)
"""

import lazy_loader as lazy

# A learner needs none of this.
__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
