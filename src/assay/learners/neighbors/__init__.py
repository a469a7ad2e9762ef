"""Learning from the nearest examples.

The rules themselves are in `assay`; here are the boxes of their trees, and a search in them, in the open.

Examples
--------
>>> from assay import KNeighborsClassifier
>>> from assay.learners.neighbors import kd_cells
>>> rows = [[float(i), 0.0] for i in range(16)]
>>> model = KNeighborsClassifier(algorithm="kd_tree", leaf_size=8).fit(rows, [0, 1] * 8)
>>> kd_cells(model).blocks
2
"""

import lazy_loader as lazy

# A rule needs none of this.
__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
