"""Learners of boolean concepts: disjunctions, terms, and any finite class; and the classes that have names.

Examples
--------
>>> from assay.boolean import OnlineDisjunction
>>> OnlineDisjunction().fit([[1, 0], [0, 1], [0, 0]], [1, 0, 0]).formula_
'x0'
"""

import lazy_loader as lazy

from assay.extras import needed_for

# The stub names modules of the whole package.
_named, __dir__, __all__ = lazy.attach_stub("assay", __file__)


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needed_for(name):
        return _named(name)
