"""Learners of boolean concepts: disjunctions, terms, and any finite class.

Examples
--------
>>> from assay.boolean import OnlineDisjunction
>>> OnlineDisjunction().fit([[1, 0], [0, 1], [0, 0]], [1, 0, 0]).formula_
'x0'
"""

import lazy_loader as lazy

# The stub names modules of the whole package.
__getattr__, __dir__, __all__ = lazy.attach_stub("assay", __file__)
