"""A learner on disk: what a file may hold, and how it is read back.

`save` and `load` are in `assay` too; the rest is for those who put files together by hand.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
