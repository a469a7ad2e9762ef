"""Learners of boolean concepts: disjunctions, DNF, and any finite class.

The learners are in `assay.boolean`; here is what they are made of: a class of concepts, built for a number of features,
and the shortest formulas of functions.

Examples
--------
>>> from assay.boolean import disjunctions
>>> from assay.learners.boolean import build
>>> build(disjunctions(negations=True), 3).size
28
"""

import lazy_loader as lazy

# A learner of disjunctions needs none of this.
__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
