"""Figures: each a function that takes plain numbers or a fitted model and returns a plotly figure.

The notebook, the report and the web use the same ones: `assay.figures` is this package. plotly is imported when
the first figure is drawn: ``pip install 'assay-ml[plots]'``.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
